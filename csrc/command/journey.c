/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Orders to units that go somewhere or stay: steps, journeys, and who steers the unit. */

#include "command/command.h"

#include <string.h>

#include "actions.h"
#include "game.h"
#include "map.h"
#include "movement.h"
#include "packets.h"
#include "path_finding.h"
#include "pf_tools.h"
#include "player.h"
#include "tile.h"
#include "unit.h"
#include "unittype.h"

#include "hand_gen.h"
#include "unithand.h"
#include "unittools.h"

#include "command/aim.h"

/* ---- steps and ways ---------------------------------------------------------------------------------------- */

/* unit, tile: one step to a neighbouring tile. */
static int move(const struct cw_order *o)
{
  struct unit *u = cw_own_unit(o, o->arg[0]);
  struct tile *to = index_to_tile(&wld.map, o->arg[1]);
  struct cw_before before;
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
  before = cw_look(u);
  touched = cw_take_the_reins(o, u);
  unit_activity_handling(u, ACTIVITY_IDLE);
  if (!unit_move_handling(u, to, TRUE)) {
    cw_report_unit(o, id);
    return cw_judge_failure(o, &before, touched, "move");
  }
  cw_report_unit(o, id);
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

/* The orders of the journey that is being prepared, in the form that a client sends. */
static struct packet_unit_orders packet CW_HOST_DATA;

/* Finds the unit and its way to the other place that the order names; without orders in the packet it knows none. */
static int find_way(const struct cw_order *o, struct unit **u)
{
  struct tile *to = index_to_tile(&wld.map, o->arg[1]);
  struct pf_parameter parameter;
  *u = cw_own_unit(o, o->arg[0]);
  if (*u == NULL) {
    return CW_REFUSED;
  }
  if (to == NULL || to == unit_tile(*u)) {
    return cw_refuse("tile %d is not another place on the map", o->arg[1]);
  }
  pft_fill_unit_parameter(&parameter, &wld.map, *u);
  packet.length = cw_path_orders(&parameter, to, packet.orders);
  return CW_OK;
}

/* Sends the unit off with the packet's orders. */
static int set_off(const struct cw_order *o, struct unit *u)
{
  const struct tile *from = unit_tile(u);
  packet.unit_id16 = packet.unit_id32 = u->id;
  packet.src_tile = tile_index(unit_tile(u));
  packet.dest_tile = o->arg[1];
  handle_unit_server_side_agent_set(o->plr, u->id, u->id, SSA_NONE);
  handle_unit_orders(o->plr, &packet);
  cw_report_unit(o, o->arg[0]);
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
static int add_last_act(const struct cw_order *o, struct unit *u)
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
  if (o->more[0] != '\0' && (status = cw_take_sub_target(o, &aim)) != CW_OK) {
    return status;
  }
  if (!action_distance_accepted(aim.action, 0) && packet.length > 0) {
    packet.length--;
  }
  if (packet.length >= MAX_LEN_ROUTE) {
    return cw_refuse("the way is too long");
  }
  last = &packet.orders[packet.length++];
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
  struct unit *u;
  int status = find_way(o, &u);
  if (status != CW_OK) {
    return status;
  }
  if (packet.length <= 0) {
    return cw_refuse("%s %d knows no way to tile %d", unit_rule_name(u), u->id, o->arg[1]);
  }
  if (o->text[0] != '\0' && (status = add_last_act(o, u)) != CW_OK) {
    return status;
  }
  packet.repeat = packet.vigilant = FALSE;
  return set_off(o, u);
}

/* unit, tile: to and fro between here and there, until an enemy comes near. */
static int patrol(const struct cw_order *o)
{
  struct unit *u;
  struct pf_parameter parameter;
  int back = -1, status = find_way(o, &u);
  if (status != CW_OK) {
    return status;
  }
  if (packet.length > 0 && packet.length <= MAX_LEN_ROUTE / 2) {
    pft_fill_utype_parameter(&parameter, &wld.map, unit_type_get(u), index_to_tile(&wld.map, o->arg[1]), o->plr);
    back = cw_path_orders(&parameter, unit_tile(u), return_way);
  }
  if (back <= 0 || packet.length + back > MAX_LEN_ROUTE) {
    return cw_refuse("%s %d knows no way to tile %d and back", unit_rule_name(u), u->id, o->arg[1]);
  }
  memcpy(&packet.orders[packet.length], return_way, sizeof(return_way[0]) * (size_t)back);
  packet.length += back;
  packet.repeat = packet.vigilant = TRUE;
  return set_off(o, u);
}

/* ---- who steers -------------------------------------------------------------------------------------------- */

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
  cw_report_unit(o, o->arg[0]);
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
  cw_take_the_reins(o, u);
  handle_unit_sscs_set(o->plr, u->id, u->id, USSDT_SENTRY, 1);
  cw_report_unit(o, u->id);
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
  cw_take_the_reins(o, u);
  handle_unit_change_activity(o->plr, u->id, u->id, ACTIVITY_IDLE, NO_TARGET);
  cw_report_unit(o, o->arg[0]);
  return CW_OK;
}

const struct cw_command cw_journey_commands[] = {
  {"move", 2, 2, move},
  {"goto", 2, 2, go_to},
  {"patrol", 2, 2, patrol},
  {"explore", 1, 1, explore},
  {"auto_worker", 1, 1, auto_worker},
  {"sentry", 1, 1, sentry},
  {"stop", 1, 1, stop},
  {NULL, 0, 0, NULL},
};
