/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The units a player sees now: its own in full, of others what package_short_unit() of the engine's
 * server/unittools.c tells. Nobody remembers units. */

#include "fc_config.h"

#include "player.h"
#include "unit.h"
#include "unitlist.h"

#include "view/view.h"

static const struct cw_gate units_gates[] = {
  {"id", CW_LEVEL_ALWAYS}, {"owner", CW_LEVEL_ALWAYS}, {"type", CW_LEVEL_ALWAYS}, {"type_name", CW_LEVEL_ALWAYS},
  {"military", CW_LEVEL_ALWAYS}, {"tile", CW_LEVEL_ALWAYS}, {"x", CW_LEVEL_ALWAYS}, {"y", CW_LEVEL_ALWAYS},
  {"hp", CW_LEVEL_ALWAYS}, {"veteran", CW_LEVEL_ALWAYS}, {"activity", CW_LEVEL_ALWAYS},
  {"activity_target", CW_LEVEL_ALWAYS}, {"transporter", CW_LEVEL_ALWAYS},
  {NULL, CW_LEVEL_OWN},
};

#define UNIT_VIEW_FIELDS(F)                                                                                \
  F(b1, occupied, "whether it carries units", occupied)                                                    \
  F(b1, full, "whether the unit is the viewer's own, so that every field is known", full)

CW_RECORD(view_units, UNIT_VIEW_FIELDS)

static int activity_place;

static void __attribute__((constructor)) find_places(void)
{
  activity_place = cw_view_place(&cw_table_units, "activity", sizeof(cw_s16));
}

/* To others, a unit on its way somewhere looks idle. */
static void hide_intent(const struct unit *u, uint8_t *out)
{
  if (u->activity == ACTIVITY_EXPLORE || u->activity == ACTIVITY_GOTO) {
    const cw_s16 idle = cw_s16_of(unit_activity_name(ACTIVITY_IDLE));
    memcpy(out + activity_place, &idle, sizeof(idle));
  }
}

static size_t units_rows(const struct player *viewer)
{
  (void)viewer;
  return cw_table_units.rows();
}

static size_t units_fill(const struct player *viewer, const uint8_t *base, uint8_t *out)
{
  const int size = cw_table_units.record_size + CW_VIEW_ROOM(units);
  size_t rows = 0;
  players_iterate(p) {
    unit_list_iterate(p->units, u) {
      if (p == viewer || can_player_see_unit(viewer, u)) {
        const struct cw_view_units extra = {unit_list_size(u->transporting) > 0, p == viewer};
        cw_view_copy(&cw_view_units, base, p == viewer ? CW_LEVEL_OWN : CW_LEVEL_ALWAYS, out);
        if (p != viewer) {
          hide_intent(u, out);
        }
        memcpy(cw_view_extra(&cw_view_units, out), &extra, sizeof(extra));
        out += size;
        rows++;
      }
      base += cw_table_units.record_size;
    } unit_list_iterate_end;
  } players_iterate_end;
  return rows;
}

const struct cw_view cw_view_units = {
  "units", &cw_table_units, units_gates, view_units_schema, CW_VIEW_ROOM(units), units_rows, units_fill};
