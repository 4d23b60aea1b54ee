/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The room of views: what one player knows of a table. A view is made of the records of the table itself, of which a
 * field is kept only at the level of knowledge that its gate asks for, and of further fields of its own. A field
 * without a gate is known to the owner alone, so a new field never leaks by being forgotten. */
#ifndef CW_VIEW_H
#define CW_VIEW_H

#include "export/export.h"

/* What a viewer may know of a record, after enum plr_info_level of the engine's server/plrhand.c. */
enum cw_level { CW_LEVEL_ALWAYS, CW_LEVEL_CONTACT, CW_LEVEL_EMBASSY, CW_LEVEL_OWN };

struct cw_gate {
  const char *field;
  enum cw_level level;
};

struct cw_view {
  const char *name;
  const struct cw_table *base; /* the table whose records these are; NULL for a table of the view's own */
  const struct cw_gate *gates; /* ends with a NULL field */
  const struct cw_field *(*extra_schema)(int *nfields);
  int extra_size; /* bytes of the view's own fields, which follow the base record */
  size_t (*rows)(const struct player *viewer); /* the view has no more records */
  /* Writes the records that the viewer knows of; base holds all records of the base table. Returns how many. */
  size_t (*fill)(const struct player *viewer, const uint8_t *base, uint8_t *out);
};

#define CW_VIEWS(T) T(players) T(cities) T(units) T(tiles) T(diplomacy) T(research) T(wonders) T(treaties)

#define CW_EXTERN_VIEW(table) extern const struct cw_view cw_view_##table;
CW_VIEWS(CW_EXTERN_VIEW)
#undef CW_EXTERN_VIEW

/* Bytes that a view's own fields take in a record; whole words, so that columns can be read as words. */
#define CW_VIEW_ROOM(table) ((int)((sizeof(struct cw_view_##table) + 3) / 4 * 4))

/* Copies a base record and blanks every field that needs a higher level: -1, or "" and zeros for text and bits. */
void cw_view_copy(const struct cw_view *view, const uint8_t *base, enum cw_level level, uint8_t *out);
/* Makes a base record of which nothing is known. */
void cw_view_blank(const struct cw_view *view, uint8_t *out);
/* Where the view's own fields of a record start. */
uint8_t *cw_view_extra(const struct cw_view *view, uint8_t *record);
/* Place of a field of the base table; a wrong name or size stops the library while it loads. */
int cw_view_place(const struct cw_table *base, const char *field, size_t size);

/* What the viewer may know of another player: player_info_level() of the engine's server/plrhand.c. */
enum cw_level cw_view_level(const struct player *viewer, const struct player *other);

#endif
