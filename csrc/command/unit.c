/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Orders to units that are actions of the ruleset: what they are aimed at, and how they ended. */

#include "command/command.h"

#include <string.h>

#include "mem.h"

#include "actions.h"
#include "extras.h"
#include "game.h"
#include "improvement.h"
#include "map.h"
#include "player.h"
#include "tech.h"
#include "tile.h"
#include "unit.h"
#include "unittype.h"

#include "actiontools.h"
#include "citytools.h"
#include "hand_gen.h"
#include "unithand.h"
#include "unittools.h"

#include "command/aim.h"

/* ---- what an action is aimed at ------------------------------------------------------------------------ */

/* The engine asserts, before it asks the rules, that whoever trades has a home. */
static bool may_be_asked(const struct cw_aim *aim)
{
  return unit_home(aim->actor) != NULL
         || (!action_has_result(aim->action, ACTRES_TRADE_ROUTE)
             && !action_has_result(aim->action, ACTRES_MARKETPLACE));
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

int cw_take_sub_target(const struct cw_order *o, struct cw_aim *aim)
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

struct cw_before cw_look(const struct unit *u)
{
  struct cw_before b = {u->id, u->moves_left, u->hp, u->veteran, unit_tile(u), u->activity,
                        unit_list_size(unit_owner(u)->units), unit_owner(u)->economic.gold,
                        unit_owner(u)->score.units_killed};
  return b;
}

int cw_judge_failure(const struct cw_order *o, const struct cw_before *b, bool touched, const char *what)
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

void cw_report_unit(const struct cw_order *o, int id)
{
  struct unit *u = player_unit_by_number(o->plr, id);
  o->out->unit = id;
  o->out->tile = u != NULL ? tile_index(unit_tile(u)) : -1;
}

bool cw_take_the_reins(const struct cw_order *o, struct unit *u)
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
  struct cw_before before;
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
  before = cw_look(aim->actor);
  if (allowed || wake) {
    touched = cw_take_the_reins(o, aim->actor) || wake;
  }
  if (wake) {
    unit_activity_handling(aim->actor, ACTIVITY_IDLE);
  }
  o->out->target = target;
  if (!unit_perform_action(o->plr, id, target, aim->sub, name, action_number(aim->action), ACT_REQ_PLAYER)) {
    cw_report_unit(o, id);
    return cw_judge_failure(o, &before, touched, action_rule_name(aim->action));
  }
  cw_report_unit(o, id);
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
    status = cw_take_sub_target(o, &aim);
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
  {"upgrade_all", 0, 0, upgrade_all},
  {NULL, 0, 0, NULL},
};
