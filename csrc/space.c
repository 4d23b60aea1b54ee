/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Spaces: one world's private mapping of a base, and how one world is put in place of another.
 *
 * The kernel copies a page when it is first written, so the page map tells which pages a space has changed.
 * Mounting moves page tables, not bytes. */

#define _GNU_SOURCE
#include "image_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PARK_BASE ((uintptr_t)0x300000000000)
/* A delta of more pages than this is given a base of its own before a space is made from it: copying a page
 * into a fresh mapping costs a page fault (microseconds), sharing it costs nothing. */
#define SHARE_ABOVE 64u

/* ---- addresses ------------------------------------------------------------------------------------- */

uintptr_t cw_region_at(const struct cw_space *s, int r)
{
  if (s == cw_mem.mounted) {
    return cw_mem.region[r].at;
  }
  return PARK_BASE + s->slot * cw_mem.stride + cw_mem.region[r].park_offset;
}

static uint8_t *page_at(const struct cw_space *s, uint32_t page)
{
  int r = page >= data_pages();
  return (uint8_t *)cw_region_at(s, r) + (size_t)(page - (r ? data_pages() : 0)) * CW_PAGE;
}

/* ---- mapping --------------------------------------------------------------------------------------- */

static int map_base(struct cw_space *s, struct base *b)
{
  for (int r = 0; r < 2; r++) {
    void *at = (void *)cw_region_at(s, r);
    off_t offset = (off_t)(r == 0 ? 0 : data_pages() * CW_PAGE);
    void *got = mmap(at, cw_mem.region[r].pages * CW_PAGE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, b->fd, offset);
    if (got != at) {
      return cw_error(CW_ENOMEMORY, "cannot map a world: %s", strerror(errno));
    }
  }
  cw_base_ref(b);
  cw_base_unref(s->base);
  s->base = b;
  return CW_OK;
}

static void write_page(struct cw_space *s, uint32_t page, const uint8_t *content)
{
  uint8_t *to = page_at(s, page);
  if (memcmp(to, content, CW_PAGE) != 0) {
    memcpy(to, content, CW_PAGE);
  }
}

/* Maps the image where the space lies now (mounted or parked). */
static int map_image(struct cw_space *s, struct cw_image *im)
{
  struct base *b = im->form.n <= SHARE_ABOVE ? im->form.base : cw_image_share(im);
  int status;
  if (b == NULL) {
    return cw_error(CW_ENOMEMORY, "cannot make a shared copy of an image: %s", strerror(errno));
  }
  status = map_base(s, b);
  if (status == CW_OK && b == im->form.base) {
    for (size_t i = 0; i < im->form.n; i++) {
      write_page(s, im->form.index[i], im->form.bytes + i * CW_PAGE);
    }
  }
  s->reach = im->arena_pages;
  return status;
}

struct undo {
  struct cw_space *s;
  const struct cw_image *im;
  size_t next;             /* first delta page not dealt with yet */
};

/* Delta pages before `page` that the space does not hold privately still show the base: write them. */
static void write_delta_below(struct undo *u, uint32_t page)
{
  const struct form *f = &u->im->form;
  for (; u->next < f->n && f->index[u->next] < page; u->next++) {
    write_page(u->s, f->index[u->next], f->bytes + u->next * CW_PAGE);
  }
}

static int undo_page(void *arg, uint32_t page)
{
  struct undo *u = arg;
  const struct form *f = &u->im->form;
  if (u->s->base != f->base) { /* on the shared form: every page comes from there */
    write_page(u->s, page, cw_image_page(u->im, page));
    return CW_OK;
  }
  write_delta_below(u, page);
  if (u->next < f->n && f->index[u->next] == page) {
    write_page(u->s, page, f->bytes + u->next++ * CW_PAGE);
  } else {
    write_page(u->s, page, page_in(u->im, page) ? f->base->view + (size_t)page * CW_PAGE : cw_zero_page);
  }
  return CW_OK;
}

int cw_space_restore(cw_space *s, const cw_image *image)
{
  struct cw_image *im = (struct cw_image *)(uintptr_t)image;
  struct undo undo = {s, im, 0};
  size_t top = s == cw_mem.mounted ? cw_arena_top() / CW_PAGE : s->reach;
  size_t reach = top > s->reach ? top : s->reach;
  int status = CW_OK;
  if (s->base == NULL) { /* never mapped: start from the other image instead */
    cw_image_ref(im);
    cw_image_unref(s->origin);
    s->origin = im;
    return CW_OK;
  }
  if (s->base != im->form.base && s->base != im->shared) {
    return map_image(s, im);
  }
  reach = im->arena_pages > reach ? im->arena_pages : reach;
  status = cw_each_private(s, reach, undo_page, &undo);
  if (status == CW_OK && s->base == im->form.base) {
    write_delta_below(&undo, UINT32_MAX);
  }
  s->reach = reach;
  return status;
}

static int move_space(struct cw_space *s, bool in)
{
  for (int r = 0; r < 2; r++) {
    uintptr_t park = PARK_BASE + s->slot * cw_mem.stride + cw_mem.region[r].park_offset;
    uintptr_t from = in ? park : cw_mem.region[r].at, to = in ? cw_mem.region[r].at : park;
    size_t bytes = cw_mem.region[r].pages * CW_PAGE;
    if (mremap((void *)from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)to) != (void *)to) {
      return cw_error(CW_EADDRESS, "cannot move a world's memory: %s", strerror(errno));
    }
  }
  return CW_OK;
}

static int park_mounted(void)
{
  struct cw_space *s = cw_mem.mounted;
  size_t top;
  if (s == NULL) {
    return CW_OK;
  }
  top = cw_arena_top() / CW_PAGE;
  s->reach = top > s->reach ? top : s->reach;
  if (move_space(s, false) != CW_OK) {
    return CW_EADDRESS;
  }
  cw_mem.mounted = NULL;
  return CW_OK;
}

int cw_space_mount(cw_space *s)
{
  int status;
  if (s == cw_mem.mounted) {
    return CW_OK;
  }
  if (s->base == NULL) {
    /* Map it parked first: a failure here must leave the mounted world where it is. */
    status = map_image(s, s->origin);
    if (status != CW_OK) {
      return status;
    }
    cw_image_unref(s->origin);
    s->origin = NULL;
  }
  status = park_mounted();
  if (status == CW_OK) {
    status = move_space(s, true);
  }
  if (status == CW_OK) {
    cw_mem.mounted = s;
  }
  return status;
}

/* ---- spaces ---------------------------------------------------------------------------------------- */

int cw_space_new(const cw_image *from, cw_space **out)
{
  struct cw_space *s = calloc(1, sizeof(*s));
  if (s == NULL) {
    return cw_error(CW_ENOMEMORY, "out of memory for a world");
  }
  if (cw_mem.nfree > 0) {
    s->slot = cw_mem.free_slot[--cw_mem.nfree];
  } else if (cw_mem.nslots < MAX_SLOTS) {
    s->slot = cw_mem.nslots++;
  } else {
    free(s);
    return cw_error(CW_ENOMEMORY, "%u worlds are alive in this process, the most there may be", MAX_SLOTS);
  }
  cw_image_ref(from);
  s->origin = (struct cw_image *)(uintptr_t)from;
  cw_mem.count.spaces++;
  *out = s;
  return CW_OK;
}

int cw_space_free(cw_space *s)
{
  /* Something must always lie under the engine's code: the process's own exit handlers touch its data. */
  if (s == cw_mem.mounted && cw_space_mount(cw_mem.ground) != CW_OK) {
    return CW_EADDRESS;
  }
  if (s->base != NULL) {
    for (int r = 0; r < 2; r++) {
      munmap((void *)cw_region_at(s, r), cw_mem.region[r].pages * CW_PAGE);
    }
  }
  cw_base_unref(s->base);
  cw_image_unref(s->origin);
  cw_mem.free_slot[cw_mem.nfree++] = s->slot;
  cw_mem.count.spaces--;
  free(s);
  return CW_OK;
}

bool cw_space_is_mounted(void)
{
  return cw_mem.mounted != NULL && cw_mem.mounted != cw_mem.ground;
}

struct gather {
  struct cw_space *s;
  struct cw_image *im;
  size_t cap;
};

static int gather_page(void *arg, uint32_t page)
{
  struct gather *g = arg;
  struct form *f = &g->im->form;
  const uint8_t *now = page_at(g->s, page);
  if (!page_in(g->im, page) || memcmp(now, f->base->view + (size_t)page * CW_PAGE, CW_PAGE) == 0) {
    return CW_OK;
  }
  if (f->n == g->cap) {
    size_t cap = g->cap * 2;
    uint32_t *index = realloc(f->index, cap * sizeof(uint32_t));
    uint8_t *bytes;
    if (index == NULL) {
      return cw_error(CW_ENOMEMORY, "out of memory for an image");
    }
    f->index = index;
    bytes = realloc(f->bytes, cap * CW_PAGE);
    if (bytes == NULL) {
      return cw_error(CW_ENOMEMORY, "out of memory for an image");
    }
    f->bytes = bytes;
    g->cap = cap;
  }
  f->index[f->n] = page;
  memcpy(f->bytes + f->n * CW_PAGE, now, CW_PAGE);
  f->n++;
  return CW_OK;
}

/* Puts the space on the image's own base once most of it has been rewritten, so later captures stay small. */
static int rebase(struct cw_space *s, struct cw_image *im)
{
  struct base *b;
  if (im->form.n * 2 < im->used_pages) {
    return CW_OK;
  }
  b = cw_base_of_image(im);
  if (b == NULL) {
    return cw_error(CW_ENOMEMORY, "cannot make a shared copy of an image: %s", strerror(errno));
  }
  cw_mem.count.delta_pages -= im->form.n;
  cw_base_unref(im->form.base);
  im->form.base = b;
  im->form.n = 0;
  return map_base(s, b);
}

int cw_space_capture(cw_space *s, cw_image **out)
{
  struct gather g = {s, NULL, 512};
  struct cw_arena_stats stats;
  const uint8_t *map;
  size_t npages;
  int status;
  if (s->base == NULL) {
    cw_image_ref(s->origin);
    *out = s->origin;
    return CW_OK;
  }
  status = cw_space_mount(s);
  if (status != CW_OK) {
    return status;
  }
  map = cw_arena_page_map(&npages);
  cw_arena_stats(&stats);
  g.im = cw_image_new(s->base, g.cap, npages);
  if (g.im == NULL) {
    return cw_error(CW_ENOMEMORY, "out of memory for an image");
  }
  memcpy(g.im->used, map, npages);
  g.im->live_bytes = stats.live_bytes + data_pages() * CW_PAGE;
  cw_image_count_used(g.im);
  status = cw_each_private(s, npages, gather_page, &g);
  cw_mem.count.delta_pages += g.im->form.n;
  if (status == CW_OK) {
    status = rebase(s, g.im);
  }
  if (status != CW_OK) {
    cw_image_unref(g.im);
    return status;
  }
  *out = g.im;
  return CW_OK;
}


int cw_space_take_over(const cw_image *pristine)
{
  struct cw_space *s;
  int status = cw_space_new(pristine, &s);
  if (status != CW_OK) {
    return status;
  }
  /* Replace the ordinary memory by the first space, in place; there is no moment without data under the code. */
  cw_mem.mounted = s;
  cw_mem.ground = s;
  status = map_base(s, s->origin->form.base);
  s->reach = s->origin->arena_pages;
  cw_image_unref(s->origin);
  s->origin = NULL;
  return status;
}
