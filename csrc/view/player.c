/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a player knows of players, their treaties, their research and their wonders: package_player_info() and
 * package_player_diplstate() of the engine's server/plrhand.c, send_research_info() of server/techtools.c. */

#include "fc_config.h"

#include "city.h"
#include "improvement.h"
#include "player.h"
#include "research.h"
#include "tile.h"
#include "vision.h"

#include "maphand.h"

#include "view/view.h"

#define LEVEL_FIELDS(F)                                                                                    \
  F(i32, level, "what the viewer may know: 0 who this is, 1 contact, 2 embassy, 3 own", level)

CW_RECORD(view_players, LEVEL_FIELDS)
CW_RECORD(view_diplomacy, LEVEL_FIELDS)
CW_RECORD(view_research, LEVEL_FIELDS)

#define LEVEL_VIEW(table)                                                                                  \
  const struct cw_view cw_view_##table = {                                                                 \
    #table, &cw_table_##table, table##_gates, view_##table##_schema, CW_VIEW_ROOM(table),  \
    table##_rows, table##_fill};

/* Writes one record at the level and steps on. */
#define COPY(table)                                                                                        \
  {                                                                                                        \
    const struct cw_view_##table extra = {level};                                                          \
    cw_view_copy(&cw_view_##table, base, level, out);                                                      \
    memcpy(cw_view_extra(&cw_view_##table, out), &extra, sizeof(extra));                                   \
    base += cw_table_##table.record_size;                                                                  \
    out += cw_table_##table.record_size + CW_VIEW_ROOM(table);                                                 \
  }

/* ---- players ----------------------------------------------------------------------------------------- */

static const struct cw_gate players_gates[] = {
  {"id", CW_LEVEL_ALWAYS}, {"name", CW_LEVEL_ALWAYS}, {"nation", CW_LEVEL_ALWAYS}, {"is_alive", CW_LEVEL_ALWAYS},
  {"is_ai", CW_LEVEL_ALWAYS}, {"is_barbarian", CW_LEVEL_ALWAYS}, {"barbarian_type", CW_LEVEL_ALWAYS},
  {"skill_level", CW_LEVEL_ALWAYS}, {"team", CW_LEVEL_ALWAYS}, {"color", CW_LEVEL_ALWAYS},
  {"turns_alive", CW_LEVEL_ALWAYS}, {"wonders", CW_LEVEL_ALWAYS}, {"spaceship", CW_LEVEL_ALWAYS},
  {"spaceship_parts", CW_LEVEL_ALWAYS},
  {"score", CW_LEVEL_CONTACT}, {"gold", CW_LEVEL_CONTACT}, {"government", CW_LEVEL_CONTACT},
  {"target_government", CW_LEVEL_CONTACT},
  {"tax", CW_LEVEL_EMBASSY}, {"luxury", CW_LEVEL_EMBASSY}, {"science", CW_LEVEL_EMBASSY},
  {"revolution_finishes", CW_LEVEL_EMBASSY}, {"culture", CW_LEVEL_EMBASSY}, {"techs", CW_LEVEL_EMBASSY},
  {"future_tech", CW_LEVEL_EMBASSY}, {"researching", CW_LEVEL_EMBASSY}, {"bulbs", CW_LEVEL_EMBASSY},
  {"bulbs_cost", CW_LEVEL_EMBASSY},
  {NULL, CW_LEVEL_OWN},
};

static size_t players_rows(const struct player *viewer)
{
  (void)viewer;
  return cw_table_players.rows();
}

static size_t players_fill(const struct player *viewer, const uint8_t *base, uint8_t *out)
{
  players_iterate(p) {
    const enum cw_level level = cw_view_level(viewer, p);
    COPY(players)
  } players_iterate_end;
  return players_rows(viewer);
}

LEVEL_VIEW(players)

/* ---- diplomacy --------------------------------------------------------------------------------------- */

static const struct cw_gate diplomacy_gates[] = {
  {"player", CW_LEVEL_ALWAYS}, {"other", CW_LEVEL_ALWAYS},
  {"state", CW_LEVEL_CONTACT}, {"turns_left", CW_LEVEL_CONTACT}, {"contact_turns_left", CW_LEVEL_CONTACT},
  {"reason_to_cancel", CW_LEVEL_CONTACT}, {"has_real_embassy", CW_LEVEL_CONTACT},
  {"gives_shared_vision", CW_LEVEL_CONTACT},
  {NULL, CW_LEVEL_OWN},
};

static size_t diplomacy_rows(const struct player *viewer)
{
  (void)viewer;
  return cw_table_diplomacy.rows();
}

/* Of how others stand to the viewer, the viewer knows what those in contact know of one another. */
static size_t diplomacy_fill(const struct player *viewer, const uint8_t *base, uint8_t *out)
{
  players_iterate(p) {
    const enum cw_level of_player = cw_view_level(viewer, p);
    players_iterate(q) {
      if (p != q) {
        const enum cw_level level = q == viewer ? MAX(of_player, CW_LEVEL_CONTACT) : of_player;
        COPY(diplomacy)
      }
    } players_iterate_end;
  } players_iterate_end;
  return diplomacy_rows(viewer);
}

LEVEL_VIEW(diplomacy)

/* ---- research ---------------------------------------------------------------------------------------- */

static const struct cw_gate research_gates[] = {
  {"id", CW_LEVEL_ALWAYS}, {"players", CW_LEVEL_ALWAYS},
  {"known", CW_LEVEL_EMBASSY}, {"available", CW_LEVEL_EMBASSY}, {"techs", CW_LEVEL_EMBASSY},
  {"future_tech", CW_LEVEL_EMBASSY}, {"techs_researched", CW_LEVEL_EMBASSY}, {"researching", CW_LEVEL_EMBASSY},
  {"researching_name", CW_LEVEL_EMBASSY}, {"bulbs", CW_LEVEL_EMBASSY}, {"bulbs_cost", CW_LEVEL_EMBASSY},
  {NULL, CW_LEVEL_OWN},
};

static size_t research_rows(const struct player *viewer)
{
  (void)viewer;
  return cw_table_research.rows();
}

static enum cw_level research_level(const struct player *viewer, const struct research *r)
{
  enum cw_level level = CW_LEVEL_ALWAYS;
  if (research_get(viewer) == r) {
    return CW_LEVEL_OWN;
  }
  research_players_iterate(r, p) {
    level = MAX(level, cw_view_level(viewer, p));
  } research_players_iterate_end;
  return level;
}

static size_t research_fill(const struct player *viewer, const uint8_t *base, uint8_t *out)
{
  researches_iterate(r) {
    const enum cw_level level = research_level(viewer, r);
    COPY(research)
  } researches_iterate_end;
  return research_rows(viewer);
}

LEVEL_VIEW(research)

/* ---- great wonders: all know of them, but not of each city they stand in ----------------------------- */

static const struct cw_gate wonders_gates[] = {
  {"id", CW_LEVEL_ALWAYS}, {"name", CW_LEVEL_ALWAYS}, {"built", CW_LEVEL_ALWAYS}, {"destroyed", CW_LEVEL_ALWAYS},
  {"owner", CW_LEVEL_ALWAYS}, {"city", CW_LEVEL_ALWAYS},
  {NULL, CW_LEVEL_OWN},
};

static int wonder_city_place;

static void __attribute__((constructor)) find_places(void)
{
  wonder_city_place = cw_view_place(&cw_table_wonders, "city", sizeof(int32_t));
}

static bool knows_city_of(const struct player *viewer, const struct impr_type *wonder)
{
  const struct city *pcity = city_from_great_wonder(wonder);
  const struct vision_site *site;
  if (pcity == NULL || city_owner(pcity) == viewer) {
    return pcity != NULL;
  }
  site = map_get_player_site(city_tile(pcity), viewer);
  return site != NULL && site->identity == pcity->id && BV_ISSET(site->improvements, improvement_index(wonder));
}

static size_t wonders_rows(const struct player *viewer)
{
  (void)viewer;
  return cw_table_wonders.rows();
}

static size_t wonders_fill(const struct player *viewer, const uint8_t *base, uint8_t *out)
{
  improvement_iterate(b) {
    if (is_great_wonder(b)) {
      cw_view_copy(&cw_view_wonders, base, CW_LEVEL_ALWAYS, out);
      if (!knows_city_of(viewer, b)) {
        memset(out + wonder_city_place, 0, sizeof(int32_t));
      }
      base += cw_table_wonders.record_size;
      out += cw_table_wonders.record_size;
    }
  } improvement_iterate_end;
  return wonders_rows(viewer);
}

const struct cw_view cw_view_wonders = {
  "wonders", &cw_table_wonders, wonders_gates, NULL, 0, wonders_rows, wonders_fill};
