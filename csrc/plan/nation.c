/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a plan has a nation do, through the engine's own handlers: rates, government, research, diplomacy. */

#include "plan/running.h"

#include "diptreaty.h"
#include "effects.h"
#include "game.h"
#include "government.h"
#include "player.h"
#include "research.h"

#include "diplhand.h"
#include "hand_gen.h"
#include "plrhand.h"

#include "doors/doors.h"
#include "world/hold.h"

static int highest_rate(const struct player *pplayer)
{
  return CLIP(34, get_player_bonus(pplayer, EFT_MAX_RATES), 100);
}

/* The lawful rates nearest to those asked for: what one may not have goes to the next. */
static void lawful_rates(const struct player *pplayer, const struct cw_plan *plan, int out[3])
{
  const int most = highest_rate(pplayer);
  int rest = 100;
  out[0] = MIN(plan->tax, most);
  out[1] = MIN(plan->luxury, most);
  out[2] = MIN(plan->science, most);
  rest -= out[0] + out[1] + out[2];
  for (int i = 0; i < 3; i++) {
    int more = MIN(rest, most - out[(i + 2) % 3]); /* science, tax, luxury */
    out[(i + 2) % 3] += more;
    rest -= more;
  }
}

static bool plan_sets_rates(struct player *pplayer)
{
  struct cw_running *r = cw_running_of(pplayer);
  int rates[3];
  if (r == NULL || r->plan.tax < 0) {
    return false;
  }
  lawful_rates(pplayer, &r->plan, rates);
  handle_player_rates(pplayer, rates[0], rates[1], rates[2]);
  return true;
}

/* As long as the player cannot have that government, the AI chooses. */
static bool plan_sets_government(const struct player *pplayer)
{
  const struct cw_running *r = cw_running_of(pplayer);
  const struct government *gov = r != NULL && r->plan.government >= 0 ? government_by_number(r->plan.government) : NULL;
  return gov != NULL && (pplayer->government == gov || pplayer->target_government == gov
                         || can_change_to_government((struct player *)pplayer, gov));
}

/* Until the goal is reached; then the AI chooses again. */
bool cw_plan_sets_research(const struct player *pplayer)
{
  const struct cw_running *r = cw_running_of(pplayer);
  return r != NULL && r->plan.goal > A_NONE
         && research_invention_state(research_get(pplayer), r->plan.goal) != TECH_KNOWN;
}

/* ---- what the AI must leave alone, by edit or plan --------------------------------------------------- */

bool cw_hook_rates_held(struct player *plr)
{
  return cw_held_rates(plr) || plan_sets_rates(plr);
}

bool cw_hook_government_held(const struct player *plr)
{
  return cw_held_government(plr) || plan_sets_government(plr);
}

/* While a goal is held, research moves along it by the engine's own steps. */
bool cw_hook_research_held(const struct player *plr)
{
  return cw_held_research(plr) || cw_held_goal(plr) || cw_plan_sets_research(plr);
}

bool cw_hook_goal_held(const struct player *plr)
{
  return cw_held_goal(plr) || cw_plan_sets_research(plr);
}

/* ---- what the plan does ------------------------------------------------------------------------------ */

static void seek_government(struct player *pplayer, const struct cw_plan *plan)
{
  struct government *gov = plan->government >= 0 ? government_by_number(plan->government) : NULL;
  if (gov != NULL && pplayer->government != gov && pplayer->target_government != gov
      && can_change_to_government(pplayer, gov)) {
    handle_player_change_government(pplayer, plan->government);
  }
}

static void seek_goal(struct player *pplayer, const struct cw_plan *plan)
{
  struct research *research = research_get(pplayer);
  Tech_type_id step;
  if (!cw_plan_sets_research(pplayer)) {
    return;
  }
  if (research->tech_goal != plan->goal) {
    handle_player_tech_goal(pplayer, plan->goal);
  }
  step = research_goal_step(research, plan->goal);
  if (step != A_UNSET && !research_goal_tech_req(research, plan->goal, research->researching)
      && research->researching != plan->goal) {
    handle_player_research(pplayer, step);
  }
}

/* Offers a treaty of one clause; an AI answers at once, and an offer without an answer is withdrawn. */
static void offer(struct player *pplayer, struct player *other, enum clause_type clause)
{
  const int me = player_number(pplayer), them = player_number(other);
  if (!diplomacy_possible(pplayer, other) || find_treaty(pplayer, other) != NULL) {
    return;
  }
  handle_diplomacy_init_meeting_req(pplayer, them);
  handle_diplomacy_create_clause_req(pplayer, them, me, clause, 0);
  if (find_treaty(pplayer, other) != NULL) {
    handle_diplomacy_cancel_meeting_req(pplayer, them);
  }
}

static void declare_war(struct player *pplayer, struct player *other)
{
  enum diplstate_type before;
  do {
    before = player_diplstate_get(pplayer, other)->type;
    if (before == DS_WAR || pplayer_can_cancel_treaty(pplayer, other) != DIPL_OK) {
      return;
    }
    handle_diplomacy_cancel_pact(pplayer, player_number(other), clause_type_invalid());
  } while (player_diplstate_get(pplayer, other)->type != before);
}

static void seek_stance(struct player *pplayer, struct player *other, int stance)
{
  switch (player_diplstate_get(pplayer, other)->type) {
  case DS_WAR:
    if (stance != CW_STANCE_WAR) {
      offer(pplayer, other, CLAUSE_CEASEFIRE);
    }
    break;
  case DS_CEASEFIRE:
    if (stance != CW_STANCE_WAR) {
      offer(pplayer, other, CLAUSE_PEACE);
    }
    break;
  case DS_PEACE:
    if (stance == CW_STANCE_ALLIANCE) {
      offer(pplayer, other, CLAUSE_ALLIANCE);
    }
    break;
  default:
    break;
  }
  if (stance == CW_STANCE_WAR) {
    declare_war(pplayer, other);
  }
}

void cw_hook_plan(struct player *pplayer)
{
  struct cw_running *r = cw_running_of(pplayer);
  if (r == NULL) {
    return;
  }
  seek_government(pplayer, &r->plan);
  seek_goal(pplayer, &r->plan);
  players_iterate_alive(other) {
    int stance = player_number(other) < CW_MASK_PLAYERS ? r->plan.stance.v[player_number(other)] : CW_STANCE_NONE;
    if (other != pplayer && stance != CW_STANCE_NONE && !players_on_same_team(pplayer, other)) {
      seek_stance(pplayer, other, stance);
    }
  } players_iterate_alive_end;
}

int cw_hook_plan_stance(const struct player *pplayer, const struct player *other)
{
  const struct cw_running *r = cw_running_of(pplayer);
  return r != NULL && player_number(other) < CW_MASK_PLAYERS ? r->plan.stance.v[player_number(other)] : CW_STANCE_NONE;
}
