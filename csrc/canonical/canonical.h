/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The room of the canonical state: named sections of fixed-width little-endian values, never structs with padding.
 *
 * What is written determines how a world goes on. Left out are addresses, clocks, log and message buffers,
 * whatever belongs to network clients, the rules (a ruleset is named, not written), and values that the engine
 * computes anew before it reads them: the workers' activity values per city tile, the settlers' tile values
 * (valid for one turn change only) and the order numbers used in savegames. */
#ifndef CW_CANONICAL_H
#define CW_CANONICAL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "host/host.h"

struct extra_type;
struct player;
struct tile;
struct unit_list;
struct unit_order;
struct universal;
struct vision;

struct cw_writer {
  uint8_t *buf;
  size_t cap, len, section;
};

static inline void cw_put(struct cw_writer *w, const void *data, size_t n)
{
  if (w->len + n <= w->cap) {
    memcpy(w->buf + w->len, data, n);
  }
  w->len += n;
}

static inline void cw_put_u8(struct cw_writer *w, uint8_t value) { cw_put(w, &value, sizeof(value)); }
static inline void cw_put_i16(struct cw_writer *w, int16_t value) { cw_put(w, &value, sizeof(value)); }
static inline void cw_put_i32(struct cw_writer *w, int32_t value) { cw_put(w, &value, sizeof(value)); }
static inline void cw_put_u32(struct cw_writer *w, uint32_t value) { cw_put(w, &value, sizeof(value)); }
static inline void cw_put_u64(struct cw_writer *w, uint64_t value) { cw_put(w, &value, sizeof(value)); }
static inline void cw_put_f32(struct cw_writer *w, float value) { cw_put(w, &value, sizeof(value)); }
static inline void cw_put_f64(struct cw_writer *w, double value) { cw_put(w, &value, sizeof(value)); }

/* For functions whose writer is called w: any integer, enum or bool. */
#define CW_PUT(value) cw_put_i32(w, (int32_t)(value));
/* An array of ints, or of an enum or int typedef of the same size. */
#define CW_PUT_INTS(array)                                                          \
  do {                                                                              \
    _Static_assert(sizeof((array)[0]) == sizeof(int32_t), "an array of 32-bit values"); \
    cw_put(w, (array), sizeof(array));                                              \
  } while (0);
/* An engine bit vector. */
#define CW_PUT_BITS(bv) cw_put(w, (bv).vec, sizeof((bv).vec));

/* Length and bytes; NULL differs from "". */
void cw_put_text(struct cw_writer *w, const char *text);
/* Length and bytes of a block. */
void cw_put_block(struct cw_writer *w, const void *data, size_t n);
/* The bytes that are not zero, with their positions: for long, nearly empty bit vectors. */
void cw_put_sparse(struct cw_writer *w, const uint8_t *bytes, size_t n);
/* Numbers of things that may be NULL; -1 for none. */
void cw_put_player(struct cw_writer *w, const struct player *plr);
void cw_put_tile(struct cw_writer *w, const struct tile *ptile);
void cw_put_extra(struct cw_writer *w, const struct extra_type *pextra);
/* Kind and number of a building or unit type. */
void cw_put_universal(struct cw_writer *w, const struct universal *target);
/* Length and ids, in the order of the list. */
void cw_put_unit_ids(struct cw_writer *w, const struct unit_list *units);
/* One order of a unit or rally point. */
void cw_put_order(struct cw_writer *w, const struct unit_order *order);
/* Radii of a source of vision; NULL differs from zero radii. */
void cw_put_vision(struct cw_writer *w, const struct vision *vision);

/* Opens the section named by a four-letter tag; its length is filled in when it is closed. */
void cw_section_begin(struct cw_writer *w, const char *tag);
void cw_section_end(struct cw_writer *w);

/* The sections, in the order they are written. */
void cw_canonical_game(struct cw_writer *w);
void cw_canonical_random(struct cw_writer *w);
void cw_canonical_players(struct cw_writer *w);
void cw_canonical_research(struct cw_writer *w);
void cw_canonical_diplomacy(struct cw_writer *w);
void cw_canonical_treaties(struct cw_writer *w);
void cw_canonical_tiles(struct cw_writer *w);
void cw_canonical_knowledge(struct cw_writer *w);
void cw_canonical_cities(struct cw_writer *w);
void cw_canonical_units(struct cw_writer *w);
void cw_canonical_advisors(struct cw_writer *w);
void cw_canonical_ai(struct cw_writer *w);
void cw_canonical_script(struct cw_writer *w);
void cw_canonical_holds(struct cw_writer *w);
void cw_canonical_plans(struct cw_writer *w);

#endif
