/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists what a player may order now, by what that player knows. What stands hidden near its units is taken off the map
 * while the rules are asked, so that no answer depends on it. */

#include "command/command.h"

#include <string.h>

#include "mem.h"

#include "actions.h"
#include "city.h"
#include "combat.h"
#include "diptreaty.h"
#include "effects.h"
#include "extras.h"
#include "game.h"
#include "government.h"
#include "improvement.h"
#include "map.h"
#include "movement.h"
#include "multipliers.h"
#include "player.h"
#include "research.h"
#include "spaceship.h"
#include "specialist.h"
#include "tech.h"
#include "tile.h"
#include "unit.h"
#include "unitlist.h"
#include "unittype.h"

#include "citytools.h"
#include "diplhand.h"
#include "maphand.h"
#include "plrhand.h"
#include "srv_main.h"

#include "command/aim.h"

/* Order of KINDS in commands/legal.py. */
enum kind {
  K_UNIT_ACTION, K_MOVE, K_EXPLORE, K_AUTO_WORKER, K_SENTRY, K_STOP,
  K_PRODUCE_UNIT, K_PRODUCE_BUILDING, K_BUY, K_SELL, K_SPECIALIST, K_WORK_TILE, K_LEAVE_TILE,
  K_RESEARCH, K_GOAL, K_RATES, K_GOVERNMENT, K_POLICY, K_SPACESHIP_LAUNCH,
  K_PROPOSE, K_ACCEPT_TREATY, K_CANCEL_TREATY, K_CANCEL_PACT, K_END_VISION,
};

static struct {
  struct cw_legal_row *row;
  size_t cap, n;
} list CW_HOST_DATA;

static struct cw_legal_row *put(enum kind kind, int actor, int type)
{
  static struct cw_legal_row spare CW_HOST_DATA;
  struct cw_legal_row *row = list.n < list.cap ? &list.row[list.n] : &spare;
  list.n++;
  memset(row, 0, sizeof(*row));
  row->kind = kind;
  row->actor = actor;
  row->type = type;
  row->sub = row->dir = -1;
  row->low = row->high = 200;
  return row;
}

/* ---- what the player cannot see --------------------------------------------------------------------------- */

static struct {
  struct tile *tile;
  struct unit *unit;
  int at;
} *hidden CW_HOST_DATA;
static size_t nhidden CW_HOST_DATA, hidden_cap CW_HOST_DATA;

static void hide_on(const struct player *plr, struct tile *tile)
{
  int at = 0;
  unit_list_iterate_safe(tile->units, u) {
    if (unit_owner(u) != plr && !can_player_see_unit(plr, u)) {
      if (nhidden == hidden_cap) {
        hidden_cap = hidden_cap * 2 + 64;
        hidden = realloc(hidden, hidden_cap * sizeof(*hidden));
        if (hidden == NULL) {
          cw_guard_fail(CW_ENOMEMORY, __FILE__, "out of memory for a list of orders");
        }
      }
      hidden[nhidden].tile = tile;
      hidden[nhidden].unit = u;
      hidden[nhidden++].at = at;
      unit_list_remove(tile->units, u);
    } else {
      at++;
    }
  } unit_list_iterate_safe_end;
}

static void show_again(void)
{
  while (nhidden > 0) {
    nhidden--;
    unit_list_insert(hidden[nhidden].tile->units, hidden[nhidden].unit, hidden[nhidden].at);
  }
}

static void hide_from(const struct player *plr)
{
  nhidden = 0;
  unit_list_iterate(plr->units, u) {
    square_iterate(&wld.map, unit_tile(u), 2, tile) {
      if (unit_list_size(tile->units) > 0) {
        hide_on(plr, tile);
      }
    } square_iterate_end;
  } unit_list_iterate_end;
}

/* ---- units --------------------------------------------------------------------------------------------------- */

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
  struct cw_legal_row *row;
  if (!action_prob_possible(odds) || !cw_aim_can_begin(aim) || is_no_hut(aim)) {
    return;
  }
  row = put(K_UNIT_ACTION, aim->actor->id, utype_number(unit_type_get(aim->actor)));
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
  size_t before = list.n;
  const struct vision_site *site;
  switch (action_get_sub_target_kind(aim->action)) {
  case ASTK_BUILDING:
    site = map_get_player_city(aim->tile, plr);
    improvement_iterate(building) {
      if (site != NULL && BV_ISSET(site->improvements, improvement_index(building))
          && (list.n > before || action_prob_possible(cw_aim_odds(aim)))) {
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
    struct cw_legal_row *row;
    if (known && (strangers_on(plr, tile) || unit_move_to_tile_test(&wld.map, u, ACTIVITY_IDLE, unit_tile(u), tile,
                                                                   igzoc, TRUE, NULL, FALSE) != MR_OK)) {
      continue;
    }
    row = put(K_MOVE, u->id, utype_number(unit_type_get(u)));
    row->target = row->tile = tile_index(tile);
    row->dir = dir;
    row->low = known ? 200 : 0;
  } adjc_dir_iterate_end;
}

static void list_unit(struct unit *u)
{
  int type = utype_number(unit_type_get(u));
  list_moves(u);
  list_actions(u);
  if (u->ssa_controller != SSA_AUTOEXPLORE && can_unit_do_activity(&wld.map, u, ACTIVITY_EXPLORE)) {
    put(K_EXPLORE, u->id, type);
  }
  if (u->ssa_controller != SSA_AUTOSETTLER && can_unit_do_autosettlers(u)) {
    put(K_AUTO_WORKER, u->id, type);
  }
  if (u->activity != ACTIVITY_SENTRY && can_unit_do_activity(&wld.map, u, ACTIVITY_SENTRY)) {
    put(K_SENTRY, u->id, type);
  }
  if (u->activity != ACTIVITY_IDLE || u->ssa_controller != SSA_NONE || unit_has_orders(u)) {
    put(K_STOP, u->id, type);
  }
}

/* ---- cities --------------------------------------------------------------------------------------------------- */

static bool may_buy(const struct city *c)
{
  int price = city_production_buy_gold_cost(c);
  return c->turn_founded != game.info.turn && !c->did_buy && !city_production_has_flag(c, IF_GOLD)
         && !(c->production.kind == VUT_UTYPE && c->anarchy != 0) && price > 0
         && price <= city_owner(c)->economic.gold;
}

static void list_products(const struct city *c)
{
  struct universal what;
  if (!city_can_change_build(c)) {
    return;
  }
  what.kind = VUT_UTYPE;
  unit_type_iterate(type) {
    what.value.utype = type;
    if (!are_universals_equal(&what, &c->production) && can_city_build_now(&wld.map, c, &what)) {
      put(K_PRODUCE_UNIT, c->id, 0)->what = utype_number(type);
    }
  } unit_type_iterate_end;
  what.kind = VUT_IMPROVEMENT;
  improvement_iterate(building) {
    what.value.building = building;
    if (!are_universals_equal(&what, &c->production) && can_city_build_now(&wld.map, c, &what)) {
      put(K_PRODUCE_BUILDING, c->id, 0)->what = improvement_number(building);
    }
  } improvement_iterate_end;
}

static void list_citizens(const struct city *c)
{
  bool spare = city_specialists(c) > 0;
  specialist_type_iterate(from) {
    specialist_type_iterate(to) {
      if (c->specialists[from] > 0 && from != to && city_can_use_specialist(c, to)) {
        struct cw_legal_row *row = put(K_SPECIALIST, c->id, 0);
        row->what = from;
        row->sub = to;
      }
    } specialist_type_iterate_end;
  } specialist_type_iterate_end;
  city_tile_iterate(&wld.map, city_map_radius_sq_get(c), city_tile(c), tile) {
    bool worked = tile_worked(tile) == c;
    if (!is_free_worked(c, tile) && (worked || (spare && city_can_work_tile(c, tile)))) {
      struct cw_legal_row *row = put(worked ? K_LEAVE_TILE : K_WORK_TILE, c->id, 0);
      row->target = row->tile = tile_index(tile);
    }
  } city_tile_iterate_end;
}

static void list_city(struct city *c)
{
  list_products(c);
  if (may_buy(c)) {
    put(K_BUY, c->id, 0)->what = city_production_buy_gold_cost(c);
  }
  improvement_iterate(building) {
    if (!c->did_sell && city_has_building(c, building) && can_city_sell_building(c, building)) {
      put(K_SELL, c->id, 0)->what = improvement_number(building);
    }
  } improvement_iterate_end;
  list_citizens(c);
}

/* ---- the nation ------------------------------------------------------------------------------------------------ */

static void list_research(const struct player *plr)
{
  const struct research *r = research_get(plr);
  advance_iterate(A_FIRST, tech) {
    Tech_type_id id = advance_number(tech);
    enum tech_state state = research_invention_state(r, id);
    if (state == TECH_PREREQS_KNOWN && r->researching != id) {
      put(K_RESEARCH, 0, 0)->what = id;
    }
    if (state != TECH_KNOWN && r->tech_goal != id && research_invention_reachable(r, id)) {
      put(K_GOAL, 0, 0)->what = id;
    }
  } advance_iterate_end;
}

static void list_rates(const struct player *plr)
{
  int highest = CLIP(0, get_player_bonus(plr, EFT_MAX_RATES), 100);
  if (highest == 0) {
    return;
  }
  for (int tax = 0; tax <= highest; tax += 10) {
    for (int luxury = 0; luxury <= highest && tax + luxury <= 100; luxury += 10) {
      if (100 - tax - luxury <= highest && (tax != plr->economic.tax || luxury != plr->economic.luxury)) {
        struct cw_legal_row *row = put(K_RATES, 0, 0);
        row->what = tax;
        row->target = luxury;
        row->sub = 100 - tax - luxury;
      }
    }
  }
}

static void list_state(struct player *plr)
{
  governments_iterate(gov) {
    if (gov != plr->government && !(gov == plr->target_government && plr->revolution_finishes > 0)
        && gov != game.government_during_revolution && can_change_to_government(plr, gov)) {
      put(K_GOVERNMENT, 0, 0)->what = government_number(gov);
    }
  } governments_iterate_end;
  multipliers_iterate(m) {
    int now = plr->multipliers[multiplier_index(m)].target;
    if (!multiplier_can_be_changed(m, plr)) {
      continue;
    }
    for (int value = m->start; value <= m->stop; value += m->step) {
      if (value != now) {
        struct cw_legal_row *row = put(K_POLICY, 0, 0);
        row->what = multiplier_index(m);
        row->target = value;
      }
    }
  } multipliers_iterate_end;
  if (plr->spaceship.state == SSHIP_STARTED && plr->spaceship.success_rate > 0.0
      && player_primary_capital(plr) != NULL) {
    put(K_SPACESHIP_LAUNCH, 0, 0);
  }
}

static void put_proposal(int other, enum clause_type type, int giver)
{
  struct cw_legal_row *row;
  if (!clause_enabled(type)) {
    return;
  }
  row = put(K_PROPOSE, other, 0);
  row->what = type;
  row->target = giver;
  row->low = 0; /* the other side decides */
}

static void list_proposals(struct player *plr, struct player *other)
{
  enum diplstate_type state = player_diplstate_get(plr, other)->type;
  int me = player_number(plr), you = player_number(other);
  if (state == DS_WAR) {
    put_proposal(you, CLAUSE_CEASEFIRE, me);
  }
  if (state == DS_WAR || state == DS_CEASEFIRE) {
    put_proposal(you, CLAUSE_PEACE, me);
  }
  if (state != DS_ALLIANCE && pplayer_can_make_treaty(plr, other, DS_ALLIANCE) == DIPL_OK) {
    put_proposal(you, CLAUSE_ALLIANCE, me);
  }
  if (!player_has_real_embassy(other, plr)) {
    put_proposal(you, CLAUSE_EMBASSY, me);
  }
  if (!player_has_real_embassy(plr, other)) {
    put_proposal(you, CLAUSE_EMBASSY, you);
  }
  put_proposal(you, CLAUSE_MAP, me);
  put_proposal(you, CLAUSE_MAP, you);
  if (!gives_shared_vision(plr, other)) {
    put_proposal(you, CLAUSE_VISION, me);
  }
}

static void list_diplomacy(struct player *plr)
{
  players_iterate_alive(other) {
    struct Treaty *treaty;
    int id = player_number(other);
    if (other == plr || is_barbarian(other) || player_diplstate_get(plr, other)->type == DS_NO_CONTACT) {
      continue;
    }
    treaty = find_treaty(plr, other);
    if (treaty != NULL) {
      if (!(treaty->plr0 == plr ? treaty->accept0 : treaty->accept1)) {
        put(K_ACCEPT_TREATY, id, 0);
      }
      put(K_CANCEL_TREATY, id, 0);
    } else if (could_meet_with_player(plr, other) && get_player_bonus(plr, EFT_NO_DIPLOMACY) <= 0) {
      list_proposals(plr, other);
    }
    if (pplayer_can_cancel_treaty(plr, other) == DIPL_OK) {
      put(K_CANCEL_PACT, id, 0);
    }
    if (gives_shared_vision(plr, other) && !players_on_same_team(plr, other)) {
      put(K_END_VISION, id, 0);
    }
  } players_iterate_alive_end;
}

int cw_legal(int player, struct cw_legal_row *rows, size_t cap, size_t *needed)
{
  struct player *plr;
  CW_GUARD_BEGIN;
  *needed = 0;
  plr = cw_space_is_mounted() && game_was_started() ? player_by_number(player) : NULL;
  if (plr == NULL) {
    CW_GUARD_END(cw_error(CW_EARGUMENT, "player %d does not exist (players 0-%d)", player, player_count() - 1));
  }
  list.row = rows;
  list.cap = cap;
  list.n = 0;
  if (plr->is_alive && is_human(plr)) {
    hide_from(plr);
    unit_list_iterate(plr->units, u) {
      list_unit(u);
    } unit_list_iterate_end;
    show_again();
    city_list_iterate(plr->cities, c) {
      list_city(c);
    } city_list_iterate_end;
    list_research(plr);
    list_rates(plr);
    list_state(plr);
    list_diplomacy(plr);
  }
  *needed = list.n;
  CW_GUARD_END(list.n > cap ? CW_REFUSED : CW_OK);
}

int cw_legal_cities(int player, struct cw_city_name *out, size_t cap, size_t *needed)
{
  struct player *plr;
  size_t n = 0;
  CW_GUARD_BEGIN;
  *needed = 0;
  plr = cw_space_is_mounted() && game_was_started() ? player_by_number(player) : NULL;
  if (plr == NULL) {
    CW_GUARD_END(cw_error(CW_EARGUMENT, "player %d does not exist (players 0-%d)", player, player_count() - 1));
  }
  players_iterate(other) {
    city_list_iterate(other->cities, c) {
      const struct vision_site *site = map_get_player_city(city_tile(c), plr);
      if (site != NULL && site->identity == c->id) {
        if (n < cap) {
          memset(&out[n], 0, sizeof(out[n]));
          out[n].id = c->id;
          fc_strlcpy(out[n].name, site->name != NULL ? site->name : "", sizeof(out[n].name));
        }
        n++;
      }
    } city_list_iterate_end;
  } players_iterate_end;
  *needed = n;
  CW_GUARD_END(n > cap ? CW_REFUSED : CW_OK);
}

/* ---- names of the ruleset ---------------------------------------------------------------------------------------- */

const char *cw_rule_name(int kind, int number)
{
  if (!cw_space_is_mounted() || number < 0) {
    return NULL;
  }
  switch (kind) {
  case 0:
    return number < NUM_ACTIONS ? action_id_rule_name(number) : NULL;
  case 1:
    return number < utype_count() ? utype_rule_name(utype_by_number(number)) : NULL;
  case 2:
    return number < improvement_count() ? improvement_rule_name(improvement_by_number(number)) : NULL;
  case 3:
    return number < advance_count() ? advance_rule_name(advance_by_number(number)) : NULL;
  case 4:
    return number < extra_count() ? extra_rule_name(extra_by_number(number)) : NULL;
  case 5:
    return number < government_count() ? government_rule_name(government_by_number(number)) : NULL;
  case 6:
    return number < specialist_count() ? specialist_rule_name(specialist_by_number(number)) : NULL;
  case 7:
    return number < multiplier_count() ? multiplier_rule_name(multiplier_by_number(number)) : NULL;
  case 8:
    return number < NUM_ACTIONS ? action_sub_target_kind_name(action_get_sub_target_kind(action_by_number(number)))
                                : NULL;
  case 9:
    return number < NUM_ACTIONS ? action_target_kind_name(action_get_target_kind(action_by_number(number))) : NULL;
  default:
    return NULL;
  }
}
