/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The canonical state of the mounted world: the list of sections and how they are framed. */

#include "fc_config.h"

#include "rand.h"

#include "game.h"
#include "player.h"
#include "tile.h"

#include "canonical.h"
#include "export.h"

void cw_put_text(struct cw_writer *w, const char *text)
{
  if (text == NULL) {
    cw_put_u32(w, UINT32_MAX);
    return;
  }
  cw_put_u32(w, (uint32_t)strlen(text));
  cw_put(w, text, strlen(text));
}

void cw_put_player(struct cw_writer *w, const struct player *plr)
{
  cw_put_i16(w, (int16_t)(plr != NULL ? player_number(plr) : -1));
}

void cw_put_tile(struct cw_writer *w, const struct tile *ptile)
{
  cw_put_i32(w, ptile != NULL ? tile_index(ptile) : -1);
}

void cw_section_begin(struct cw_writer *w, const char *tag)
{
  cw_put(w, tag, 4);
  w->section = w->len;
  cw_put_u32(w, 0);
}

void cw_section_end(struct cw_writer *w)
{
  uint32_t length = (uint32_t)(w->len - w->section - sizeof(length));
  if (w->len <= w->cap) {
    memcpy(w->buf + w->section, &length, sizeof(length));
  }
}

/* The generator's words: the next draw and all after it. */
static void put_random(struct cw_writer *w)
{
  RANDOM_STATE state = fc_rand_state();
  cw_section_begin(w, "RAND");
  for (int i = 0; i < 56; i++) {
    cw_put_u32(w, (uint32_t)state.v[i]);
  }
  cw_put_i32(w, state.j);
  cw_put_i32(w, state.k);
  cw_put_i32(w, state.x);
  cw_put_u8(w, state.is_init);
  cw_section_end(w);
}

int cw_world_canonical(uint8_t *buf, size_t cap, size_t *needed)
{
  struct cw_writer w = {.buf = buf, .cap = cap};
  *needed = 0;
  CW_GUARD_BEGIN;
  if (cw_export_ready() != CW_OK) {
    CW_GUARD_END(CW_ELIFECYCLE);
  }
  put_random(&w);
  *needed = w.len;
  if (w.len > cap) {
    CW_GUARD_END(cw_error(CW_REFUSED, "the canonical state needs %zu bytes, the buffer has %zu", w.len, cap));
  }
  CW_GUARD_END(CW_OK);
}
