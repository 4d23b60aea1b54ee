/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the canonical state is written: the frames of its sections, and the values that all of them use. */

#include "fc_config.h"

#include "city.h"
#include "extras.h"
#include "game.h"
#include "improvement.h"
#include "player.h"
#include "tile.h"
#include "unit.h"
#include "unitlist.h"
#include "vision.h"

#include "canonical/canonical.h"

/* ---- values ------------------------------------------------------------------------------------------ */

void cw_put_text(struct cw_writer *w, const char *text)
{
  if (text == NULL) {
    cw_put_u32(w, UINT32_MAX);
  } else {
    cw_put_block(w, text, strlen(text));
  }
}

void cw_put_block(struct cw_writer *w, const void *data, size_t n)
{
  cw_put_u32(w, (uint32_t)n);
  if (n > 0) {
    cw_put(w, data, n);
  }
}

void cw_put_sparse(struct cw_writer *w, const uint8_t *bytes, size_t n)
{
  uint64_t word;
  for (size_t i = 0; i < n; i += sizeof(word)) {
    size_t step = n - i < sizeof(word) ? n - i : sizeof(word);
    word = 0;
    memcpy(&word, bytes + i, step);
    if (word != 0) {
      cw_put_u32(w, (uint32_t)i);
      cw_put_u64(w, word);
    }
  }
  cw_put_u32(w, UINT32_MAX);
}

void cw_put_player(struct cw_writer *w, const struct player *plr)
{
  cw_put_i16(w, (int16_t)(plr != NULL ? player_number(plr) : -1));
}

void cw_put_tile(struct cw_writer *w, const struct tile *ptile)
{
  cw_put_i32(w, ptile != NULL ? tile_index(ptile) : -1);
}

void cw_put_extra(struct cw_writer *w, const struct extra_type *pextra)
{
  cw_put_i16(w, (int16_t)(pextra != NULL ? pextra->id : -1));
}

void cw_put_universal(struct cw_writer *w, const struct universal *target)
{
  int number = -1;
  if (target->kind == VUT_IMPROVEMENT && target->value.building != NULL) {
    number = improvement_number(target->value.building);
  } else if (target->kind == VUT_UTYPE && target->value.utype != NULL) {
    number = utype_number(target->value.utype);
  }
  cw_put_i16(w, (int16_t)target->kind);
  cw_put_i16(w, (int16_t)number);
}

void cw_put_unit_ids(struct cw_writer *w, const struct unit_list *units)
{
  cw_put_u32(w, units != NULL ? (uint32_t)unit_list_size(units) : 0);
  if (units != NULL) {
    unit_list_iterate(units, punit) {
      CW_PUT(punit->id)
    } unit_list_iterate_end;
  }
}

void cw_put_vision(struct cw_writer *w, const struct vision *vision)
{
  cw_put_u8(w, vision != NULL);
  if (vision != NULL) {
    cw_put(w, vision->radius_sq, sizeof(vision->radius_sq));
    cw_put_u8(w, vision->can_reveal_tiles);
    cw_put_player(w, vision->player);
    cw_put_tile(w, vision->tile);
  }
}

/* ---- sections ---------------------------------------------------------------------------------------- */

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
