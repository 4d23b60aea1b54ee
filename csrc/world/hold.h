/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What edits hold against the built-in AI, part of the world; what an AI decides otherwise is no edit. */
#ifndef CW_HOLD_H
#define CW_HOLD_H

#include <stdbool.h>

struct player;

struct cw_holds {
  bool rates, government; /* until they are released */
  int research, goal;     /* advance number, until it is learned; 0 none */
};
/* Everything held of a player, whether it still has an effect or not. */
const struct cw_holds *cw_holds_of(const struct player *plr);

void cw_hold_rates(const struct player *plr, bool held);
void cw_hold_government(const struct player *plr, bool held);
void cw_hold_research(const struct player *plr, int tech);
void cw_hold_goal(const struct player *plr, int tech);
bool cw_held_rates(const struct player *plr);
bool cw_held_government(const struct player *plr);
bool cw_held_research(const struct player *plr);
bool cw_held_goal(const struct player *plr);

#endif
