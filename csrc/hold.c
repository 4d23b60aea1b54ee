/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What edits hold against the built-in AI: rates and government until they are released, an advance until it is
 * learned. Part of the world. */

#include "fc_config.h"

#include <stdbool.h>

#include "player.h"
#include "research.h"

#include "canonical.h"
#include "doors.h"
#include "edit.h"
#include "plan.h"

static struct hold {
  bool rates, government;
  int research, goal; /* advance number, 0 none */
} holds[MAX_NUM_PLAYER_SLOTS];

void cw_hold_rates(const struct player *plr, bool held)
{
  holds[player_index(plr)].rates = held;
}

void cw_hold_government(const struct player *plr, bool held)
{
  holds[player_index(plr)].government = held;
}

/* Research is the team's where teams pool it: all of its members hold it. */
void cw_hold_research(const struct player *plr, int tech)
{
  research_players_iterate(research_get(plr), member) {
    holds[player_index(member)].research = tech;
  } research_players_iterate_end;
}

void cw_hold_goal(const struct player *plr, int tech)
{
  research_players_iterate(research_get(plr), member) {
    holds[player_index(member)].goal = tech;
  } research_players_iterate_end;
}

bool cw_held_rates(const struct player *plr)
{
  return holds[player_index(plr)].rates;
}

bool cw_held_government(const struct player *plr)
{
  return holds[player_index(plr)].government;
}

bool cw_held_research(const struct player *plr)
{
  int tech = holds[player_index(plr)].research;
  return tech != A_NONE && research_get(plr)->researching == tech;
}

bool cw_held_goal(const struct player *plr)
{
  int tech = holds[player_index(plr)].goal;
  return tech != A_NONE && research_get(plr)->tech_goal == tech;
}

bool cw_hook_rates_held(struct player *plr)
{
  return cw_held_rates(plr) || cw_plan_sets_rates(plr);
}

bool cw_hook_government_held(const struct player *plr)
{
  return cw_held_government(plr) || cw_plan_sets_government(plr);
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

void cw_canonical_holds(struct cw_writer *w)
{
  players_iterate(plr) {
    const struct hold *h = &holds[player_index(plr)];
    if (h->rates || h->government || h->research != A_NONE || h->goal != A_NONE) {
      cw_put_player(w, plr);
      cw_put_u8(w, h->rates);
      cw_put_u8(w, h->government);
      cw_put_i32(w, h->research);
      cw_put_i32(w, h->goal);
    }
  } players_iterate_end;
}
