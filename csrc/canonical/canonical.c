/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The canonical state of the mounted world: its sections in the order they are written. */

#include "canonical/canonical.h"
#include "export/export.h"

static const struct {
  const char *tag;
  void (*write)(struct cw_writer *w);
} sections[] = {
  {"GAME", cw_canonical_game},
  {"RAND", cw_canonical_random},
  {"PLAY", cw_canonical_players},
  {"RSCH", cw_canonical_research},
  {"DIPL", cw_canonical_diplomacy},
  {"TRTY", cw_canonical_treaties},
  {"TILE", cw_canonical_tiles},
  {"KNOW", cw_canonical_knowledge},
  {"CITY", cw_canonical_cities},
  {"UNIT", cw_canonical_units},
  {"ADVI", cw_canonical_advisors},
  {"AI  ", cw_canonical_ai},
  {"LUA ", cw_canonical_script},
  {"HOLD", cw_canonical_holds},
  {"PLAN", cw_canonical_plans},
};

int cw_world_canonical(uint8_t *buf, size_t cap, size_t *needed)
{
  struct cw_writer w = {.buf = buf, .cap = cap};
  *needed = 0;
  CW_GUARD_BEGIN;
  if (cw_export_ready() != CW_OK) {
    CW_GUARD_END(CW_ELIFECYCLE);
  }
  for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
    cw_section_begin(&w, sections[i].tag);
    sections[i].write(&w);
    cw_section_end(&w);
  }
  *needed = w.len;
  if (w.len > cap) {
    CW_GUARD_END(cw_error(CW_REFUSED, "the canonical state needs %zu bytes, the buffer has %zu", w.len, cap));
  }
  CW_GUARD_END(CW_OK);
}
