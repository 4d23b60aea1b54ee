/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing the canonical state: named sections of fixed-width little-endian values, never structs with padding.
 * What is written determines how a world goes on; addresses, clocks and values that the engine computes anew
 * before it reads them are left out. */
#ifndef CW_CANONICAL_H
#define CW_CANONICAL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "internal.h"

struct player;
struct tile;

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

/* Length and bytes; NULL differs from "". */
void cw_put_text(struct cw_writer *w, const char *text);
/* Number of the player, -1 for none; index of the tile, -1 for none. */
void cw_put_player(struct cw_writer *w, const struct player *plr);
void cw_put_tile(struct cw_writer *w, const struct tile *ptile);

/* Opens the section named by a four-letter tag; its length is filled in when it is closed. */
void cw_section_begin(struct cw_writer *w, const char *tag);
void cw_section_end(struct cw_writer *w);

#endif
