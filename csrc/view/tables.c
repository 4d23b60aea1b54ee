/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of views, the fields each level of knowledge opens, and the calls that read them. */

#include "fc_config.h"

#include <stdlib.h>

#include "diptreaty.h"
#include "player.h"

#include "images/images.h"
#include "view/view.h"

#define POINTER(table) &cw_view_##table,
static const struct cw_view *const views[] = {CW_VIEWS(POINTER)};
#define NVIEWS ((int)(sizeof(views) / sizeof(views[0])))

/* The fields of a view, put together while the library loads. */
static struct layout {
  int size, nfields, nbase;
  struct layout_field {
    enum cw_level level;
    uint8_t blank; /* what the bytes of an unknown value are */
  } *gated;
  struct cw_field *fields; /* as many as gated */
} layouts[NVIEWS] CW_HOST_DATA;

static const char *const level_notes[] = {"", "; known with contact", "; known with an embassy", "; own only"};

static int base_size(const struct cw_view *view)
{
  return view->base != NULL ? view->base->record_size : 0;
}

static enum cw_level gate_of(const struct cw_view *view, const char *field)
{
  for (const struct cw_gate *gate = view->gates; gate != NULL && gate->field != NULL; gate++) {
    if (strcmp(gate->field, field) == 0) {
      return gate->level;
    }
  }
  return CW_LEVEL_OWN;
}

/* What could be had; without it the library, which is only being loaded, is of no use. */
static void *had(void *memory)
{
  if (memory == NULL) {
    __builtin_trap();
  }
  return memory;
}

static void add_field(struct layout *l, const struct cw_field *field, int shift, enum cw_level level)
{
  size_t room = strlen(field->doc) + strlen(level_notes[level]) + 1;
  char *doc = had(malloc(room));
  int n = l->nfields++;
  snprintf(doc, room, "%s%s", field->doc, level_notes[level]);
  l->fields = had(realloc(l->fields, (size_t)l->nfields * sizeof(*l->fields)));
  l->fields[n] = *field;
  l->fields[n].offset += shift;
  l->fields[n].doc = doc;
  l->gated = had(realloc(l->gated, (size_t)l->nfields * sizeof(*l->gated)));
  l->gated[n].level = level;
  l->gated[n].blank = strcmp(field->type, "i1") == 0 || strncmp(field->type, "<i", 2) == 0 ? 0xFF : 0;
}

static void __attribute__((constructor)) lay_out(void)
{
  for (int i = 0; i < NVIEWS; i++) {
    struct layout *l = &layouts[i];
    const struct cw_view *view = views[i];
    int n = 0;
    if (view->base != NULL) {
      const struct cw_field *fields = view->base->schema(&l->nbase);
      for (n = 0; n < l->nbase; n++) {
        add_field(l, &fields[n], 0, gate_of(view, fields[n].name));
      }
    }
    if (view->extra_schema != NULL) {
      const struct cw_field *fields = view->extra_schema(&n);
      for (int k = 0; k < n; k++) {
        add_field(l, &fields[k], base_size(view), CW_LEVEL_ALWAYS);
      }
    }
    l->size = base_size(view) + view->extra_size;
  }
}

static const struct layout *layout_of(const struct cw_view *view)
{
  int i = 0;
  while (views[i] != view) {
    i++;
  }
  return &layouts[i];
}

/* ---- helpers of all views ---------------------------------------------------------------------------- */

void cw_view_copy(const struct cw_view *view, const uint8_t *base, enum cw_level level, uint8_t *out)
{
  const struct layout *l = layout_of(view);
  memcpy(out, base, (size_t)base_size(view));
  for (int n = 0; level < CW_LEVEL_OWN && n < l->nbase; n++) {
    if (l->gated[n].level > level) {
      memset(out + l->fields[n].offset, l->gated[n].blank, (size_t)l->fields[n].size);
    }
  }
}

void cw_view_blank(const struct cw_view *view, uint8_t *out)
{
  const struct layout *l = layout_of(view);
  memset(out, 0, (size_t)base_size(view));
  for (int n = 0; n < l->nbase; n++) {
    memset(out + l->fields[n].offset, l->gated[n].blank, (size_t)l->fields[n].size);
  }
}

uint8_t *cw_view_extra(const struct cw_view *view, uint8_t *record)
{
  return record + base_size(view);
}

int cw_view_place(const struct cw_table *base, const char *field, size_t size)
{
  int n;
  const struct cw_field *fields = base->schema(&n);
  for (int i = 0; i < n; i++) {
    if (strcmp(fields[i].name, field) == 0 && (size_t)fields[i].size == size) {
      return fields[i].offset;
    }
  }
  __builtin_trap();
}

enum cw_level cw_view_level(const struct player *viewer, const struct player *other)
{
  if (viewer == other) {
    return CW_LEVEL_OWN;
  }
  if (team_has_embassy(viewer->team, other)) {
    return CW_LEVEL_EMBASSY;
  }
  return could_intel_with_player(viewer, other) ? CW_LEVEL_CONTACT : CW_LEVEL_ALWAYS;
}

/* ---- the public calls -------------------------------------------------------------------------------- */

int cw_view_count(void)
{
  return NVIEWS;
}

static int bad_view(int i)
{
  return cw_error(CW_EARGUMENT, "view %d does not exist (views 0-%d)", i, NVIEWS - 1);
}

int cw_view_schema(int i, const char **name, const struct cw_field **fields, int *nfields, int *record_size)
{
  cw_guard_clear();
  if (i < 0 || i >= NVIEWS) {
    return bad_view(i);
  }
  *name = views[i]->name;
  *fields = layouts[i].fields;
  *nfields = layouts[i].nfields;
  *record_size = layouts[i].size;
  return CW_OK;
}

int cw_view_read(int i, int viewer, uint8_t *buf, size_t cap, size_t *needed, size_t *used)
{
  const struct player *pviewer;
  size_t room, scratch;
  *needed = *used = 0;
  CW_GUARD_BEGIN;
  if (i < 0 || i >= NVIEWS) {
    CW_GUARD_END(bad_view(i));
  }
  if (cw_export_ready() != CW_OK) {
    CW_GUARD_END(CW_ELIFECYCLE);
  }
  pviewer = player_by_number(viewer);
  if (pviewer == NULL || pviewer->server.private_map == NULL) {
    CW_GUARD_END(cw_error(CW_EARGUMENT, "view: player %d does not exist (players 0-%d)", viewer, player_count() - 1));
  }
  room = views[i]->rows(pviewer) * (size_t)layouts[i].size;
  scratch = views[i]->base != NULL ? views[i]->base->rows() * (size_t)base_size(views[i]) : 0;
  *needed = room + scratch;
  if (*needed > cap) {
    CW_GUARD_END(cw_error(CW_REFUSED, "view %s needs %zu bytes, the buffer has %zu", views[i]->name, *needed, cap));
  }
  memset(buf, 0, *needed);
  /* The base table goes into the end of the caller's buffer: reading allocates nothing in the world. */
  if (scratch > 0) {
    views[i]->base->fill(buf + room);
  }
  *used = views[i]->fill(pviewer, buf + room, buf) * (size_t)layouts[i].size;
  CW_GUARD_END(CW_OK);
}
