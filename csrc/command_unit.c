/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Orders to units: every action of the ruleset, steps, journeys, and who steers the unit. */

#include "command.h"

#include <string.h>

#include "mem.h"

#include "actions.h"
#include "extras.h"
#include "game.h"
#include "improvement.h"
#include "map.h"
#include "movement.h"
#include "packets.h"
#include "path_finding.h"
#include "pf_tools.h"
#include "player.h"
#include "tech.h"
#include "tile.h"
#include "unit.h"
#include "unittype.h"

#include "citytools.h"
#include "hand_gen.h"
#include "unithand.h"
#include "unittools.h"

#include "command_unit.h"

/* ---- what an action is aimed at ------------------------------------------------------------------------ */

/* The engine asserts, before it asks the rules, that whoever trades has a home. */
static bool may_be_asked(const struct cw_aim *aim)
{
  return unit_home(aim->actor) != NULL
         || (!action_has_result(aim->action, ACTRES_TRADE_ROUTE) && !action_has_result(aim->action, ACTRES_MARKETPLACE));
}

bool cw_aim_allowed(const struct cw_aim *aim)
{
  const struct civ_map *map = &wld.map;
  action_id act = action_number(aim->action);
  if (!may_be_asked(aim)) {
    return false;
  }
  switch (action_get_target_kind(aim->action)) {
  case ATK_CITY:
    return aim->city != NULL && is_action_enabled_unit_on_city(map, act, aim->actor, aim->city);
  case ATK_UNIT:
    return aim->unit != NULL && is_action_enabled_unit_on_unit(map, act, aim->actor, aim->unit);
  case ATK_UNITS:
    return is_action_enabled_unit_on_units(map, act, aim->actor, aim->tile);
  case ATK_TILE:
    return is_action_enabled_unit_on_tile(map, act, aim->actor, aim->tile, aim->extra);
  case ATK_EXTRAS:
    return is_action_enabled_unit_on_extras(map, act, aim->actor, aim->tile, aim->extra);
  case ATK_SELF:
    return is_action_enabled_unit_on_self(map, act, aim->actor);
  case ATK_COUNT:
    break;
  }
  return false;
}

struct act_prob cw_aim_odds(const struct cw_aim *aim)
{
  const struct civ_map *map = &wld.map;
  action_id act = action_number(aim->action);
  if (!may_be_asked(aim)) {
    return ACTPROB_IMPOSSIBLE;
  }
  switch (action_get_target_kind(aim->action)) {
  case ATK_CITY:
    return action_prob_vs_city(map, aim->actor, act, aim->city);
  case ATK_UNIT:
    return action_prob_vs_unit(map, aim->actor, act, aim->unit);
  case ATK_UNITS:
    return action_prob_vs_units(map, aim->actor, act, aim->tile);
  case ATK_TILE:
    return action_prob_vs_tile(map, aim->actor, act, aim->tile, aim->extra);
  case ATK_EXTRAS:
    return action_prob_vs_extras(map, aim->actor, act, aim->tile, aim->extra);
  case ATK_SELF:
    return action_prob_self(map, aim->actor, act);
  case ATK_COUNT:
    break;
  }
  return ACTPROB_IMPOSSIBLE;
}

/* Finds the target by what the player knows; the order's target is a city id, unit id or tile index. */
static int take_aim(const struct cw_order *o, struct cw_aim *aim, int target)
{
  switch (action_get_target_kind(aim->action)) {
  case ATK_CITY:
    aim->city = cw_known_city(o->plr, target);
    if (aim->city == NULL) {
      return cw_refuse("player %d knows no city %d", player_number(o->plr), target);
    }
    aim->tile = city_tile(aim->city);
    return CW_OK;
  case ATK_UNIT:
    aim->unit = game_unit_by_number(target);
    if (aim->unit == NULL || !can_player_see_unit(o->plr, aim->unit)) {
      return cw_refuse("player %d sees no unit %d", player_number(o->plr), target);
    }
    aim->tile = unit_tile(aim->unit);
    return CW_OK;
  case ATK_UNITS:
  case ATK_TILE:
  case ATK_EXTRAS:
    aim->tile = target == -1 ? unit_tile(aim->actor) : index_to_tile(&wld.map, target);
    if (aim->tile == NULL) {
      return cw_refuse("tile %d is not on the map", target);
    }
    aim->city = tile_city(aim->tile);
    return CW_OK;
  case ATK_SELF:
  case ATK_COUNT:
    break;
  }
  aim->tile = unit_tile(aim->actor);
  return CW_OK;
}

/* Finds what the action is about at its target: a building, an advance or an extra by name. */
static int take_sub_target(const struct cw_order *o, struct cw_aim *aim)
{
  struct impr_type *building;
  struct advance *advance;
  aim->sub = NO_TARGET;
  switch (action_get_sub_target_kind(aim->action)) {
  case ASTK_BUILDING:
    building = improvement_by_rule_name(o->more);
    if (building == NULL) {
      return cw_unknown("building", o->more);
    }
    aim->sub = improvement_number(building);
    return CW_OK;
  case ASTK_TECH:
    advance = advance_by_rule_name(o->more);
    if (advance == NULL) {
      return cw_unknown("advance", o->more);
    }
    aim->sub = advance_number(advance);
    return CW_OK;
  case ASTK_EXTRA:
  case ASTK_EXTRA_NOT_THERE:
    if (o->more[0] == '\0') {
      aim->sub = aim->action->target_complexity == ACT_TGT_COMPL_FLEXIBLE
                     ? action_sub_target_id_for_action(aim->action, aim->actor) : NO_TARGET;
      if (aim->sub == NO_TARGET) {
        return cw_refuse("'%s' needs to be told which extra it is about", action_rule_name(aim->action));
      }
    } else if ((aim->extra = extra_type_by_rule_name(o->more)) == NULL) {
      return cw_unknown("extra", o->more);
    } else {
      aim->sub = extra_number(aim->extra);
    }
    aim->extra = extra_by_number(aim->sub);
    return CW_OK;
  case ASTK_NONE:
  case ASTK_COUNT:
    break;
  }
  return CW_OK;
}

/* ---- before and after ------------------------------------------------------------------------------------ */

/* What a failed action may have changed about its unit. */
struct before {
  int id, moves, hp, veteran;
  struct tile *tile;
  enum unit_activity activity;
  int units, gold, kills;
};

static struct before look(const struct unit *u)
{
  struct before b = {u->id, u->moves_left, u->hp, u->veteran, unit_tile(u), u->activity,
                     unit_list_size(unit_owner(u)->units), unit_owner(u)->economic.gold, unit_owner(u)->score.units_killed};
  return b;
}

/* Says how an action ended that the engine reports as not done; a refusal only if nothing happened, not even that
 * the unit was taken off what it was about (touched). */
static int judge_failure(const struct cw_order *o, const struct before *b, bool touched, const char *what)
{
  struct unit *u = player_unit_by_number(o->plr, b->id);
  if (u == NULL) {
    o->out->result = CW_RESULT_LOST;
    return CW_OK;
  }
  if (u->moves_left != b->moves || u->hp != b->hp || unit_tile(u) != b->tile || u->activity != b->activity
      || u->veteran != b->veteran || unit_list_size(o->plr->units) != b->units
      || o->plr->economic.gold != b->gold || touched || cw_drew_random()) {
    o->out->result = CW_RESULT_FAILED;
    return CW_OK;
  }
  return cw_refuse("the engine did not carry out '%s'", what);
}

static void report_unit(const struct cw_order *o, int id)
{
  struct unit *u = player_unit_by_number(o->plr, id);
  o->out->unit = id;
  o->out->tile = u != NULL ? tile_index(unit_tile(u)) : -1;
}

/* Nobody but the player steers the unit from now on, as the client sees to before it gives an order; whether that
 * changed anything. */
static bool take_the_reins(const struct cw_order *o, struct unit *u)
{
  if (u->ssa_controller == SSA_NONE && !unit_has_orders(u) && u->goto_tile == NULL) {
    return false;
  }
  handle_unit_server_side_agent_set(o->plr, u->id, u->id, SSA_NONE);
  return true;
}

bool cw_aim_can_begin(const struct cw_aim *aim)
{
  enum unit_activity work = actres_get_activity(aim->action->result);
  if (work == ACTIVITY_LAST) {
    return true;
  }
  return activity_requires_target(work) ? can_unit_do_activity_targeted(&wld.map, aim->actor, work, aim->extra)
                                        : can_unit_do_activity(&wld.map, aim->actor, work);
}

/* Whether the action would be allowed if the unit stopped what it is busy with. */
static bool allowed_when_idle(const struct cw_aim *aim)
{
  enum unit_activity busy = aim->actor->activity;
  bool allowed;
  if (busy == ACTIVITY_IDLE) {
    return false;
  }
  aim->actor->activity = ACTIVITY_IDLE;
  allowed = cw_aim_allowed(aim);
  aim->actor->activity = busy;
  return allowed;
}

/* ---- commands ---------------------------------------------------------------------------------------------- */

/* Names the new city: the player's choice, or what the engine suggests. */
static int choose_city_name(const struct cw_order *o, const struct cw_aim *aim, char *name, size_t n)
{
  char why[256];
  fc_strlcpy(name, o->more[0] != '\0' ? o->more : city_name_suggestion(o->plr, aim->tile), n);
  if (o->more[0] != '\0' && (strlen(o->more) >= n || !is_allowed_city_name(o->plr, name, why, sizeof(why)))) {
    return cw_refuse("a city cannot be called '%s'", o->more);
  }
  return CW_OK;
}

static int perform(const struct cw_order *o, const struct cw_aim *aim, int target)
{
  char name[MAX_LEN_CITYNAME] = "";
  int id = aim->actor->id;
  struct before before;
  bool allowed = cw_aim_allowed(aim), wake = !allowed && allowed_when_idle(aim), touched = false;
  if (!allowed && !wake && !action_prob_possible(cw_aim_odds(aim))) {
    illegal_action_msg(o->plr, E_BAD_COMMAND, aim->actor, action_number(aim->action), aim->tile, aim->city, aim->unit);
    return cw_refuse("%s %d cannot do '%s' there", unit_rule_name(aim->actor), id, action_rule_name(aim->action));
  }
  if (action_has_result(aim->action, ACTRES_FOUND_CITY)
      && choose_city_name(o, aim, name, sizeof(name)) != CW_OK) {
    return CW_REFUSED;
  }
  if (!cw_aim_can_begin(aim)) {
    return cw_refuse("%s %d cannot take up '%s' now", unit_rule_name(aim->actor), id, action_rule_name(aim->action));
  }
  before = look(aim->actor);
  if (allowed || wake) {
    touched = take_the_reins(o, aim->actor) || wake;
  }
  if (wake) {
    unit_activity_handling(aim->actor, ACTIVITY_IDLE);
  }
  o->out->target = target;
  if (!unit_perform_action(o->plr, id, target, aim->sub, name, action_number(aim->action), ACT_REQ_PLAYER)) {
    report_unit(o, id);
    return judge_failure(o, &before, touched, action_rule_name(aim->action));
  }
  report_unit(o, id);
  if (action_has_result(aim->action, ACTRES_ATTACK) && o->plr->score.units_killed == before.kills) {
    o->out->result = player_unit_by_number(o->plr, id) != NULL ? CW_RESULT_FAILED : CW_RESULT_LOST;
  }
  if (action_has_result(aim->action, ACTRES_FOUND_CITY) && tile_city(aim->tile) != NULL) {
    o->out->city = tile_city(aim->tile)->id;
  }
  return CW_OK;
}

/* unit, target (city id, unit id or tile index; -1 = where the unit is); names of the action and its sub-target. */
static int unit_action(const struct cw_order *o)
{
  struct cw_aim aim = {.actor = cw_own_unit(o, o->arg[0]), .action = action_by_rule_name(o->text)};
  int status, target = o->arg[1];
  if (aim.action == NULL) {
    return cw_unknown("action", o->text);
  }
  if (aim.actor == NULL) {
    return CW_REFUSED;
  }
  if (action_get_actor_kind(aim.action) != AAK_UNIT) {
    return cw_refuse("'%s' is not done by units", o->text);
  }
  status = take_aim(o, &aim, target);
  if (status == CW_OK) {
    status = take_sub_target(o, &aim);
  }
  if (status != CW_OK) {
    return status;
  }
  switch (action_get_target_kind(aim.action)) {
  case ATK_SELF:
    target = aim.actor->id;
    break;
  case ATK_UNITS:
  case ATK_TILE:
  case ATK_EXTRAS:
    target = tile_index(aim.tile);
    break;
  default:
    break;
  }
  return perform(o, &aim, target);
}

/* unit, tile: one step to a neighbouring tile. */
static int move(const struct cw_order *o)
{
  struct unit *u = cw_own_unit(o, o->arg[0]);
  struct tile *to = index_to_tile(&wld.map, o->arg[1]);
  struct before before;
  enum unit_move_result result;
  bool touched;
  int id = o->arg[0];
  if (u == NULL) {
    return CW_REFUSED;
  }
  if (to == NULL || !is_tiles_adjacent(unit_tile(u), to)) {
    return cw_refuse("tile %d is no neighbour of tile %d, where unit %d is", o->arg[1], tile_index(unit_tile(u)), id);
  }
  if (u->moves_left <= 0) {
    return cw_refuse("%s %d has no moves left this turn", unit_rule_name(u), id);
  }
  if (is_non_allied_city_tile(to, o->plr) || is_non_allied_unit_tile(to, o->plr)) {
    return cw_refuse("tile %d is held by others: choose an action against them", o->arg[1]);
  }
  result = unit_move_to_tile_test(&wld.map, u, ACTIVITY_IDLE, unit_tile(u), to, unit_type_really_ignores_zoc(
                                  unit_type_get(u)), TRUE, NULL, FALSE);
  if (result != MR_OK) {
    enum unit_activity busy = u->activity;
    u->activity = ACTIVITY_IDLE; /* only for the explanation */
    illegal_action_msg(o->plr, E_BAD_COMMAND, u, ACTION_UNIT_MOVE, to, NULL, NULL);
    u->activity = busy;
    return cw_refuse("%s %d cannot move to tile %d", unit_rule_name(u), id, o->arg[1]);
  }
  before = look(u);
  touched = take_the_reins(o, u);
  unit_activity_handling(u, ACTIVITY_IDLE);
  if (!unit_move_handling(u, to, TRUE)) {
    report_unit(o, id);
    return judge_failure(o, &before, touched, "move");
  }
  report_unit(o, id);
  o->out->target = o->arg[1];
  return CW_OK;
}

static void fill_step(struct unit_order *step, const struct tile *from, const struct tile *to)
{
  step->activity = ACTIVITY_LAST;
  step->target = NO_TARGET;
  step->sub_target = NO_TARGET;
  step->action = ACTION_NONE;
  if (same_pos(from, to)) {
    step->order = ORDER_FULL_MP;
    step->dir = DIR8_ORIGIN;
  } else {
    step->order = ORDER_MOVE;
    step->dir = get_direction_for_step(&wld.map, from, to);
  }
}

static struct unit_order return_way[MAX_LEN_ROUTE] CW_HOST_DATA;

int cw_path_orders(struct pf_parameter *parameter, struct tile *to, struct unit_order *steps)
{
  struct pf_map *map;
  struct pf_path *path;
  int n = -1;
  parameter->omniscience = FALSE;
  map = pf_map_new(parameter);
  path = pf_map_path(map, to);
  if (path != NULL && path->length - 1 <= MAX_LEN_ROUTE) {
    n = path->length - 1;
    for (int i = 0; i < n; i++) {
      fill_step(&steps[i], path->positions[i].tile, path->positions[i + 1].tile);
    }
  }
  if (path != NULL) {
    pf_path_destroy(path);
  }
  pf_map_destroy(map);
  return n;
}

/* Sends the unit off with the packet's orders. */
static int set_off(const struct cw_order *o, struct unit *u, struct packet_unit_orders *packet)
{
  const struct tile *from = unit_tile(u);
  packet->unit_id16 = packet->unit_id32 = u->id;
  packet->src_tile = tile_index(unit_tile(u));
  packet->dest_tile = o->arg[1];
  handle_unit_server_side_agent_set(o->plr, u->id, u->id, SSA_NONE);
  handle_unit_orders(o->plr, packet);
  report_unit(o, o->arg[0]);
  o->out->target = o->arg[1];
  u = player_unit_by_number(o->plr, o->arg[0]);
  if (u == NULL) {
    o->out->result = CW_RESULT_LOST;
  } else if (unit_tile(u) == from && !unit_has_orders(u)) {
    o->out->result = CW_RESULT_FAILED; /* stopped before the first step */
  }
  return CW_OK;
}

/* Adds what the unit shall do at the end of its way; one step less for what is done from next door. */
static int add_last_act(const struct cw_order *o, struct unit *u, struct packet_unit_orders *packet)
{
  struct cw_aim aim = {.actor = u, .action = action_by_rule_name(o->text)};
  struct unit_order *last;
  int status;
  if (aim.action == NULL) {
    return cw_unknown("action", o->text);
  }
  if (action_get_actor_kind(aim.action) != AAK_UNIT || !unit_can_do_action(u, action_number(aim.action))
      || (o->more[0] == '\0' && (action_get_sub_target_kind(aim.action) == ASTK_BUILDING
                                || action_get_sub_target_kind(aim.action) == ASTK_TECH))) {
    return cw_refuse("%s %d cannot do '%s' at the end of its way", unit_rule_name(u), u->id, o->text);
  }
  if (o->more[0] != '\0' && (status = take_sub_target(o, &aim)) != CW_OK) {
    return status;
  }
  if (!action_distance_accepted(aim.action, 0) && packet->length > 0) {
    packet->length--;
  }
  if (packet->length >= MAX_LEN_ROUTE) {
    return cw_refuse("the way is too long");
  }
  last = &packet->orders[packet->length++];
  fill_step(last, unit_tile(u), unit_tile(u));
  last->order = ORDER_PERFORM_ACTION;
  last->action = action_number(aim.action);
  last->target = o->arg[1];
  last->sub_target = o->more[0] != '\0' ? aim.sub : NO_TARGET;
  return CW_OK;
}

/* unit, tile; names of an action to do there and its sub-target, or nothing: a journey of as many turns as it takes;
 * the engine goes on with it at each turn change. */
static int go_to(const struct cw_order *o)
{
  static struct packet_unit_orders packet CW_HOST_DATA;
  struct unit *u = cw_own_unit(o, o->arg[0]);
  struct tile *to = index_to_tile(&wld.map, o->arg[1]);
  struct pf_parameter parameter;
  int status;
  if (u == NULL) {
    return CW_REFUSED;
  }
  if (to == NULL || to == unit_tile(u)) {
    return cw_refuse("tile %d is not another place on the map", o->arg[1]);
  }
  pft_fill_unit_parameter(&parameter, &wld.map, u);
  packet.length = cw_path_orders(&parameter, to, packet.orders);
  if (packet.length <= 0) {
    return cw_refuse("%s %d knows no way to tile %d", unit_rule_name(u), u->id, o->arg[1]);
  }
  if (o->text[0] != '\0' && (status = add_last_act(o, u, &packet)) != CW_OK) {
    return status;
  }
  packet.repeat = packet.vigilant = FALSE;
  return set_off(o, u, &packet);
}

/* unit, tile: to and fro between here and there, until an enemy comes near. */
static int patrol(const struct cw_order *o)
{
  static struct packet_unit_orders packet CW_HOST_DATA;
  struct unit *u = cw_own_unit(o, o->arg[0]);
  struct tile *to = index_to_tile(&wld.map, o->arg[1]);
  struct pf_parameter parameter;
  int back = -1;
  if (u == NULL) {
    return CW_REFUSED;
  }
  if (to == NULL || to == unit_tile(u)) {
    return cw_refuse("tile %d is not another place on the map", o->arg[1]);
  }
  pft_fill_unit_parameter(&parameter, &wld.map, u);
  packet.length = cw_path_orders(&parameter, to, packet.orders);
  if (packet.length > 0 && packet.length <= MAX_LEN_ROUTE / 2) {
    pft_fill_utype_parameter(&parameter, &wld.map, unit_type_get(u), to, o->plr);
    back = cw_path_orders(&parameter, unit_tile(u), return_way);
  }
  if (back <= 0 || packet.length + back > MAX_LEN_ROUTE) {
    return cw_refuse("%s %d knows no way to tile %d and back", unit_rule_name(u), u->id, o->arg[1]);
  }
  memcpy(&packet.orders[packet.length], return_way, sizeof(return_way[0]) * (size_t)back);
  packet.length += back;
  packet.repeat = packet.vigilant = TRUE;
  return set_off(o, u, &packet);
}

/* unit: an agent of the server (explorer, worker) steers it until it is given other orders. */
static int set_agent(const struct cw_order *o, enum server_side_agent agent)
{
  struct unit *u = cw_own_unit(o, o->arg[0]);
  if (u == NULL) {
    return CW_REFUSED;
  }
  if (u->ssa_controller == agent) {
    return cw_refuse("unit %d does so already", u->id);
  }
  if (agent == SSA_AUTOSETTLER ? !can_unit_do_autosettlers(u)
                               : !can_unit_do_activity(&wld.map, u, ACTIVITY_EXPLORE)) {
    return cw_refuse("%s %d cannot do so", unit_rule_name(u), u->id);
  }
  handle_unit_server_side_agent_set(o->plr, o->arg[0], o->arg[0], agent);
  report_unit(o, o->arg[0]);
  return CW_OK;
}

static int explore(const struct cw_order *o)
{
  return set_agent(o, SSA_AUTOEXPLORE);
}

static int auto_worker(const struct cw_order *o)
{
  return set_agent(o, SSA_AUTOSETTLER);
}

/* unit: keep watch until something comes near. */
static int sentry(const struct cw_order *o)
{
  struct unit *u = cw_own_unit(o, o->arg[0]);
  if (u == NULL) {
    return CW_REFUSED;
  }
  if (u->activity == ACTIVITY_SENTRY || !can_unit_do_activity(&wld.map, u, ACTIVITY_SENTRY)) {
    return cw_refuse("%s %d cannot go on sentry now", unit_rule_name(u), u->id);
  }
  take_the_reins(o, u);
  handle_unit_sscs_set(o->plr, u->id, u->id, USSDT_SENTRY, 1);
  report_unit(o, u->id);
  return CW_OK;
}

/* unit: drop whatever it does. */
static int stop(const struct cw_order *o)
{
  struct unit *u = cw_own_unit(o, o->arg[0]);
  if (u == NULL) {
    return CW_REFUSED;
  }
  if (u->activity == ACTIVITY_IDLE && u->ssa_controller == SSA_NONE && !unit_has_orders(u)) {
    return cw_refuse("%s %d is idle already", unit_rule_name(u), u->id);
  }
  take_the_reins(o, u);
  handle_unit_change_activity(o->plr, u->id, u->id, ACTIVITY_IDLE, NO_TARGET);
  report_unit(o, o->arg[0]);
  return CW_OK;
}

/* Name of a unit type: all of them that can be upgraded are. */
static int upgrade_all(const struct cw_order *o)
{
  struct unit_type *type = unit_type_by_rule_name(o->text);
  int gold = o->plr->economic.gold;
  if (type == NULL) {
    return cw_unknown("unit type", o->text);
  }
  handle_unit_type_upgrade(o->plr, utype_number(type));
  if (o->plr->economic.gold == gold) {
    return cw_refuse("no %s could be upgraded", o->text);
  }
  o->out->value = gold - o->plr->economic.gold;
  return CW_OK;
}

const struct cw_command cw_unit_commands[] = {
  {"unit_action", 2, 2, unit_action},
  {"move", 2, 2, move},
  {"goto", 2, 2, go_to},
  {"patrol", 2, 2, patrol},
  {"explore", 1, 1, explore},
  {"auto_worker", 1, 1, auto_worker},
  {"sentry", 1, 1, sentry},
  {"stop", 1, 1, stop},
  {"upgrade_all", 0, 0, upgrade_all},
  {NULL, 0, 0, NULL},
};
