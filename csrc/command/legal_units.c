/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the units of a player may be ordered, by what it knows. */

#include "command/legal.h"

#include "actions.h"
#include "city.h"
#include "combat.h"
#include "extras.h"
#include "game.h"
#include "improvement.h"
#include "map.h"
#include "movement.h"
#include "player.h"
#include "research.h"
#include "tech.h"
#include "tile.h"
#include "unit.h"
#include "unitlist.h"
#include "unittype.h"

#include "maphand.h"
#include "plrhand.h"

#include "command/aim.h"

/* Whether the player knows of a hut there. */
static bool hut_on(const struct player *plr, const struct tile *tile)
{
  const struct player_tile *known = map_get_player_tile(tile, plr);
  extra_type_by_cause_iterate(EC_HUT, extra) {
    if (BV_ISSET(known->extras, extra_index(extra))) {
      return true;
    }
  } extra_type_by_cause_iterate_end;
  return false;
}

/* The engine cannot tell the odds of huts and calls them possible everywhere; next door the player sees better. */
static bool is_no_hut(const struct cw_aim *aim)
{
  return (action_has_result(aim->action, ACTRES_HUT_ENTER) || action_has_result(aim->action, ACTRES_HUT_FRIGHTEN))
         && (!hut_on(unit_owner(aim->actor), aim->tile) || !cw_aim_allowed(aim));
}

static void put_aim(const struct cw_aim *aim, int target, int sub)
{
  struct act_prob odds = cw_aim_odds(aim);
  struct cw_legal *row;
  if (!action_prob_possible(odds) || !cw_aim_can_begin(aim) || is_no_hut(aim)) {
    return;
  }
  row = cw_legal_put(CW_ORDER_UNIT_ACTION, aim->actor->id, utype_number(unit_type_get(aim->actor)));
  row->what = action_number(aim->action);
  row->target = target;
  row->sub = sub;
  row->tile = tile_index(aim->tile);
  if (!same_pos(aim->tile, unit_tile(aim->actor)) && is_tiles_adjacent(aim->tile, unit_tile(aim->actor))) {
    row->dir = get_direction_for_step(&wld.map, unit_tile(aim->actor), aim->tile);
  }
  row->low = odds.min <= odds.max ? odds.min : 0; /* the engine's "not implemented" has no range */
  row->high = odds.min <= odds.max ? odds.max : 200;
}

/* One row for each building or advance that the action could be about, as far as its owner knows. */
static void put_city_aim(struct cw_aim *aim)
{
  const struct player *plr = unit_owner(aim->actor), *victim = city_owner(aim->city);
  size_t before = cw_legal_count();
  const struct vision_site *site;
  switch (action_get_sub_target_kind(aim->action)) {
  case ASTK_BUILDING:
    site = map_get_player_city(aim->tile, plr);
    improvement_iterate(building) {
      if (site != NULL && BV_ISSET(site->improvements, improvement_index(building))
          && (cw_legal_count() > before || action_prob_possible(cw_aim_odds(aim)))) {
        put_aim(aim, aim->city->id, improvement_number(building));
      }
    } improvement_iterate_end;
    break;
  case ASTK_TECH:
    if (player_has_embassy(plr, victim)) {
      advance_iterate(A_FIRST, tech) {
        if (research_invention_state(research_get(victim), advance_number(tech)) == TECH_KNOWN
            && research_invention_gettable(research_get(plr), advance_number(tech), TRUE)) {
          put_aim(aim, aim->city->id, advance_number(tech));
        }
      } advance_iterate_end;
    }
    break;
  default:
    put_aim(aim, aim->city->id, -1);
    break;
  }
}

/* Whether strangers are seen on the tile, or a foreign city is known there. */
static bool strangers_on(const struct player *plr, const struct tile *tile)
{
  const struct vision_site *site = map_get_player_city(tile, plr);
  if (site != NULL && vision_site_owner(site) != plr) {
    return true;
  }
  unit_list_iterate(tile->units, u) {
    if (unit_owner(u) != plr) {
      return true;
    }
  } unit_list_iterate_end;
  return false;
}

static void put_extras(struct cw_aim *aim)
{
  bool there = action_get_sub_target_kind(aim->action) == ASTK_EXTRA;
  extra_type_iterate(extra) {
    if (there ? tile_has_extra(aim->tile, extra) && action_removes_extra(aim->action, extra)
              : !tile_has_extra(aim->tile, extra) && action_creates_extra(aim->action, extra)) {
      aim->extra = extra;
      put_aim(aim, tile_index(aim->tile), extra_number(extra));
    }
  } extra_type_iterate_end;
  aim->extra = NULL;
}

/* All an action may be aimed at on one tile. */
static void aim_at(struct cw_aim *aim, struct tile *tile, bool strangers)
{
  const struct player *plr = unit_owner(aim->actor);
  struct city *city = tile_city(tile);
  aim->tile = tile;
  aim->city = city != NULL && cw_known_city(plr, city->id) == city ? city : NULL;
  aim->unit = NULL;
  switch (action_get_target_kind(aim->action)) {
  case ATK_CITY:
    if (aim->city != NULL) {
      put_city_aim(aim);
    }
    break;
  case ATK_UNIT:
    unit_list_iterate(tile->units, u) {
      if (u != aim->actor && (unit_owner(u) == plr || can_player_see_unit(plr, u))) {
        aim->unit = u;
        put_aim(aim, u->id, -1);
      }
    } unit_list_iterate_end;
    break;
  case ATK_UNITS:
    if (strangers) {
      put_aim(aim, tile_index(tile), -1);
    }
    break;
  case ATK_TILE:
    if (action_get_sub_target_kind(aim->action) == ASTK_NONE) {
      put_aim(aim, tile_index(tile), -1);
    } else {
      put_extras(aim);
    }
    break;
  case ATK_EXTRAS:
    put_aim(aim, tile_index(tile), -1);
    break;
  case ATK_SELF:
  case ATK_COUNT:
    break;
  }
}

/* How far an action of this unit may reach, as far as it is worth looking. */
static int reach(const struct cw_aim *aim)
{
  int far = aim->action->max_distance;
  if (action_has_result(aim->action, ACTRES_PARADROP) || action_has_result(aim->action, ACTRES_PARADROP_CONQUER)) {
    far = unit_type_get(aim->actor)->paratroopers_range;
  }
  return far;
}

static void list_far(struct cw_aim *aim)
{
  const struct player *plr = unit_owner(aim->actor);
  int far = reach(aim);
  if (far <= 1) {
    return;
  }
  if (action_get_target_kind(aim->action) == ATK_CITY) {
    players_iterate(other) {
      city_list_iterate(other->cities, city) {
        if (real_map_distance(city_tile(city), unit_tile(aim->actor)) > 1 && cw_known_city(plr, city->id) != NULL) {
          aim_at(aim, city_tile(city), false);
        }
      } city_list_iterate_end;
    } players_iterate_end;
    return;
  }
  square_iterate(&wld.map, unit_tile(aim->actor), MIN(far, 20), tile) {
    if (real_map_distance(tile, unit_tile(aim->actor)) > 1 && map_is_known(tile, plr)) {
      aim_at(aim, tile, strangers_on(plr, tile));
    }
  } square_iterate_end;
}

static bool is_listed_action(const struct action *action, const struct unit_type *type)
{
  return action_get_actor_kind(action) == AAK_UNIT && utype_can_do_action(type, action_number(action))
         && !action_has_result(action, ACTRES_UNIT_MOVE);
}

static void list_actions(struct unit *u)
{
  struct cw_aim aim = {.actor = u};
  const struct player *plr = unit_owner(u);
  struct action *near[NUM_ACTIONS];
  int n = 0;
  action_iterate(id) {
    aim.action = action_by_number(id);
    if (!is_listed_action(aim.action, unit_type_get(u)) || !unit_can_do_action(u, id)) {
      continue;
    }
    if (action_get_target_kind(aim.action) == ATK_SELF) {
      aim.tile = unit_tile(u);
      put_aim(&aim, u->id, -1);
    } else {
      near[n++] = aim.action;
    }
  } action_iterate_end;
  square_iterate(&wld.map, unit_tile(u), 1, tile) {
    bool here = tile == unit_tile(u), strangers = !here && strangers_on(plr, tile);
    if (!map_is_known(tile, plr)) {
      continue;
    }
    for (int i = 0; i < n; i++) {
      if (action_distance_accepted(near[i], here ? 0 : 1)) {
        aim.action = near[i];
        aim_at(&aim, tile, strangers);
      }
    }
  } square_iterate_end;
  for (int i = 0; i < n; i++) {
    aim.action = near[i];
    list_far(&aim);
  }
}

static void list_moves(struct unit *u)
{
  const struct player *plr = unit_owner(u);
  bool igzoc = unit_type_really_ignores_zoc(unit_type_get(u));
  if (u->moves_left <= 0) {
    return;
  }
  adjc_dir_iterate(&wld.map, unit_tile(u), tile, dir) {
    bool known = map_is_known(tile, plr);
    struct cw_legal *row;
    if (known && (strangers_on(plr, tile) || unit_move_to_tile_test(&wld.map, u, ACTIVITY_IDLE, unit_tile(u), tile,
                                                                   igzoc, TRUE, NULL, FALSE) != MR_OK)) {
      continue;
    }
    row = cw_legal_put(CW_ORDER_MOVE, u->id, utype_number(unit_type_get(u)));
    row->target = row->tile = tile_index(tile);
    row->dir = dir;
    row->low = known ? 200 : 0;
  } adjc_dir_iterate_end;
}

void cw_legal_unit(struct unit *u)
{
  int type = utype_number(unit_type_get(u));
  list_moves(u);
  list_actions(u);
  if (u->ssa_controller != SSA_AUTOEXPLORE && can_unit_do_activity(&wld.map, u, ACTIVITY_EXPLORE)) {
    cw_legal_put(CW_ORDER_EXPLORE, u->id, type);
  }
  if (u->ssa_controller != SSA_AUTOSETTLER && can_unit_do_autosettlers(u)) {
    cw_legal_put(CW_ORDER_AUTO_WORKER, u->id, type);
  }
  if (u->activity != ACTIVITY_SENTRY && can_unit_do_activity(&wld.map, u, ACTIVITY_SENTRY)) {
    cw_legal_put(CW_ORDER_SENTRY, u->id, type);
  }
  if (u->activity != ACTIVITY_IDLE || u->ssa_controller != SSA_NONE || unit_has_orders(u)) {
    cw_legal_put(CW_ORDER_STOP, u->id, type);
  }
}
