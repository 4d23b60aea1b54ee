/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Edits of what players know and research. Each checks everything first and writes only when it can finish. */

#include "fc_config.h"

#include <string.h>

#include "game.h"
#include "player.h"
#include "research.h"
#include "tech.h"

#include "gamehand.h"
#include "notify.h"
#include "techtools.h"
#include "unittools.h"

#include "doors/doors.h"
#include "edit/edit.h"
#include "host/host.h"
#include "world/hold.h"

/* Finds a living player's research and an advance of the ruleset. */
static int find(const char *edit, int player, const char *advance, struct research **research, Tech_type_id *tech)
{
  struct player *pplayer;
  struct advance *padvance;
  int status = cw_edit_find_player(edit, player, &pplayer);
  if (status != CW_OK) {
    return status;
  }
  padvance = advance_by_rule_name(advance);
  if (padvance == NULL || valid_advance(padvance) == NULL || advance_number(padvance) == A_NONE) {
    return cw_error(CW_EARGUMENT, "edit '%s': there is no advance '%s' in this ruleset", edit, advance);
  }
  *research = research_get(pplayer);
  *tech = advance_number(padvance);
  return CW_OK;
}

/* What to research when that has become impossible: the way to the goal, else the first advance within reach. */
static Tech_type_id next_research(const struct research *research)
{
  Tech_type_id next = research_goal_step(research, research->tech_goal);
  advance_index_iterate(A_FIRST, i) {
    if (next == A_UNSET && research_invention_state(research, i) == TECH_PREREQS_KNOWN) {
      next = i;
    }
  } advance_index_iterate_end;
  return next != A_UNSET ? next : A_FUTURE;
}

/* Changes what is researched; the bulbs stay, and changing once more this turn costs none. */
static void move_research(struct research *research, Tech_type_id tech)
{
  research->researching = tech;
  research->researching_saved = A_UNKNOWN;
  research->got_tech = TRUE;
  research->got_tech_multi = TRUE;
}

static void tell(struct player *pplayer, struct research *research, Tech_type_id tech)
{
  const char *name = research_advance_name_translation(research, tech);
  notify_research(research, NULL, E_TECH_GAIN, ftc_server, "You acquire %s.", name);
  notify_research_embassies(research, NULL, E_TECH_EMBASSY, ftc_server, "The %s acquire %s.",
                            nation_plural_for_player(pplayer), name);
  script_tech_learned(research, pplayer, advance_by_number(tech), "edit");
}

int cw_edit_grant_advance(int player, const char *advance, int announce)
{
  struct research *research;
  Tech_type_id tech;
  bool current;
  int status;
  CW_GUARD_BEGIN;
  status = find("grant_advance", player, advance, &research, &tech);
  if (status != CW_OK) {
    CW_GUARD_END(status);
  }
  if (research_invention_state(research, tech) == TECH_KNOWN) {
    CW_GUARD_END(cw_error(CW_REFUSED, "edit 'grant_advance': player %d knows %s already", player, advance));
  }
  if (!research_invention_gettable(research, tech, TRUE) || !research_invention_reachable(research, tech)) {
    CW_GUARD_END(cw_error(CW_REFUSED, "edit 'grant_advance': the ruleset does not let player %d have %s", player,
                          advance));
  }
  /* The engine would pick the next research at random, and finish it at once where the bulbs suffice. */
  current = research->researching == tech;
  if (current) {
    research->researching = A_UNSET;
  }
  /* The first to learn some advances gets another one for it: not here, where one was asked for. */
  game.info.global_advances[tech] = TRUE;
  found_new_tech(research, tech, FALSE, TRUE);
  if (current) {
    move_research(research, next_research(research));
  }
  send_game_info(NULL);
  send_research_info(research, NULL);
  if (announce) {
    tell(player_by_number(player), research, tech);
  }
  cw_edit_settle();
  CW_GUARD_END(CW_OK);
}

/* A known advance that needs this one, A_NONE without one. */
static Tech_type_id known_above(const struct research *research, Tech_type_id tech)
{
  advance_index_iterate(A_FIRST, i) {
    if (i != tech && research_invention_state(research, i) == TECH_KNOWN
        && (advance_required(i, AR_ONE) == tech || advance_required(i, AR_TWO) == tech
            || advance_required(i, AR_ROOT) == tech)) {
      return i;
    }
  } advance_index_iterate_end;
  return A_NONE;
}

int cw_edit_revoke_advance(int player, const char *advance)
{
  struct research *research;
  Tech_type_id tech, above;
  int status;
  CW_GUARD_BEGIN;
  status = find("revoke_advance", player, advance, &research, &tech);
  if (status != CW_OK) {
    CW_GUARD_END(status);
  }
  if (research_invention_state(research, tech) != TECH_KNOWN) {
    CW_GUARD_END(cw_error(CW_REFUSED, "edit 'revoke_advance': player %d does not know %s", player, advance));
  }
  above = known_above(research, tech);
  if (above != A_NONE) {
    CW_GUARD_END(cw_error(CW_REFUSED, "edit 'revoke_advance': player %d knows %s, which needs %s", player,
                          advance_rule_name(advance_by_number(above)), advance));
  }
  cw_door_lose_advance(research, tech);
  if (research->researching == A_FUTURE
      || (research->researching != A_UNSET
          && research_invention_state(research, research->researching) != TECH_PREREQS_KNOWN)) {
    move_research(research, next_research(research));
  }
  research_players_iterate(research, member) {
    unit_list_refresh_vision(member->units);
  } research_players_iterate_end;
  cw_edit_refresh_cities();
  send_research_info(research, NULL);
  cw_edit_settle();
  CW_GUARD_END(CW_OK);
}

int cw_edit_set_research(int player, const char *advance, int sticky)
{
  struct research *research;
  Tech_type_id tech;
  int status;
  CW_GUARD_BEGIN;
  status = find("set_research", player, advance, &research, &tech);
  if (status != CW_OK) {
    CW_GUARD_END(status);
  }
  if (research_invention_state(research, tech) != TECH_PREREQS_KNOWN) {
    CW_GUARD_END(cw_error(CW_REFUSED, "edit 'set_research': player %d %s %s", player,
                          research_invention_state(research, tech) == TECH_KNOWN ? "knows" : "cannot research",
                          advance));
  }
  if (research->researching == tech && (sticky != 0) == cw_held_research(player_by_number(player))) {
    CW_GUARD_END(cw_error(CW_REFUSED, "edit 'set_research': player %d researches %s already", player, advance));
  }
  if (research->researching != tech) {
    move_research(research, tech);
  }
  cw_hold_research(player_by_number(player), sticky ? tech : A_NONE);
  send_research_info(research, NULL);
  CW_GUARD_END(CW_OK);
}

int cw_edit_set_tech_goal(int player, const char *advance, int sticky)
{
  struct player *pplayer;
  struct research *research;
  Tech_type_id tech = A_UNSET;
  int status;
  CW_GUARD_BEGIN;
  if (advance[0] == '\0') {
    status = cw_edit_find_player("set_tech_goal", player, &pplayer);
    research = status == CW_OK ? research_get(pplayer) : NULL;
  } else {
    status = find("set_tech_goal", player, advance, &research, &tech);
  }
  if (status != CW_OK) {
    CW_GUARD_END(status);
  }
  pplayer = player_by_number(player);
  if (tech != A_UNSET && (research_invention_state(research, tech) == TECH_KNOWN
                          || !research_invention_reachable(research, tech))) {
    CW_GUARD_END(cw_error(CW_REFUSED, "edit 'set_tech_goal': player %d %s %s", player,
                          research_invention_state(research, tech) == TECH_KNOWN ? "knows" : "can never reach",
                          advance));
  }
  if (research->tech_goal == tech && (sticky != 0) == cw_held_goal(pplayer)) {
    CW_GUARD_END(cw_error(CW_REFUSED, "edit 'set_tech_goal': the goal of player %d is '%s' already", player, advance));
  }
  choose_tech_goal(research, tech);
  cw_hold_goal(pplayer, sticky && tech != A_UNSET ? tech : A_NONE);
  send_research_info(research, NULL);
  CW_GUARD_END(CW_OK);
}
