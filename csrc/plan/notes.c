/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares what plans ask with what turns have brought. */

#include "plan/running.h"

#include "city.h"
#include "game.h"
#include "government.h"
#include "improvement.h"
#include "player.h"
#include "research.h"
#include "unittype.h"

#include "plan/plan.h"

static void note(struct cw_running *r, int topic, int subject, int asked, int found)
{
  if (asked != found) {
    r->note[r->notes++ % MAX_NOTES] = (struct cw_plan_notes){game.info.turn, topic, subject, asked, found};
  }
}

static int code_of(const struct universal *what)
{
  switch (what->kind) {
  case VUT_UTYPE:
    return CW_ITEM_UNIT * CW_NOTE_ITEM + utype_number(what->value.utype);
  case VUT_IMPROVEMENT:
    return CW_ITEM_BUILDING * CW_NOTE_ITEM + improvement_number(what->value.building);
  default:
    return -1;
  }
}

static void note_city(const struct player *pplayer, struct cw_running *r, const struct city *pcity)
{
  struct universal what;
  int found = cw_plan_guards(pcity);
  if (r->plan.garrison > 0 && found < r->plan.garrison) {
    note(r, CW_NOTE_GARRISON, pcity->id, r->plan.garrison, found);
  } else if (cw_plan_wish(pplayer, &r->plan, pcity, &what)) {
    note(r, CW_NOTE_PRODUCTION, pcity->id, code_of(&what), code_of(&pcity->production));
  }
}

static bool stance_met(int stance, enum diplstate_type state)
{
  switch (stance) {
  case CW_STANCE_WAR:
    return state == DS_WAR;
  case CW_STANCE_PEACE:
    return state == DS_PEACE || state == DS_ARMISTICE || state == DS_ALLIANCE;
  default:
    return state == DS_ALLIANCE;
  }
}

static void note_player(const struct player *pplayer, struct cw_running *r)
{
  const struct cw_plan *plan = &r->plan;
  if (plan->tax >= 0) {
    note(r, CW_NOTE_TAX, -1, plan->tax, pplayer->economic.tax);
    note(r, CW_NOTE_LUXURY, -1, plan->luxury, pplayer->economic.luxury);
    note(r, CW_NOTE_SCIENCE, -1, plan->science, pplayer->economic.science);
  }
  if (plan->government >= 0) {
    note(r, CW_NOTE_GOVERNMENT, -1, plan->government, government_number(pplayer->government));
  }
  if (cw_plan_sets_research(pplayer)) {
    note(r, CW_NOTE_GOAL, -1, plan->goal, research_get(pplayer)->tech_goal);
  }
  players_iterate_alive(other) {
    int stance = player_number(other) < CW_MASK_PLAYERS ? plan->stance.v[player_number(other)] : CW_STANCE_NONE;
    int state = player_diplstate_get(pplayer, other)->type;
    if (other != pplayer && stance != CW_STANCE_NONE && !stance_met(stance, state)) {
      note(r, CW_NOTE_STANCE, player_number(other), -stance, state);
    }
  } players_iterate_alive_end;
  city_list_iterate(pplayer->cities, pcity) {
    note_city(pplayer, r, pcity);
  } city_list_iterate_end;
}

void cw_plan_check(void)
{
  players_iterate(pplayer) {
    struct cw_running *r = cw_running_in(pplayer, game.info.turn - 1);
    if (r != NULL) {
      note_player(pplayer, r);
    }
  } players_iterate_end;
}
