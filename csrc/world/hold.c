/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What edits hold against the built-in AI: rates and government until they are released, an advance until it is
 * learned. Part of the world. */

#include "fc_config.h"

#include "player.h"
#include "research.h"

#include "world/hold.h"

static struct cw_holds holds[MAX_NUM_PLAYER_SLOTS];

const struct cw_holds *cw_holds_of(const struct player *plr)
{
  return &holds[player_index(plr)];
}

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
