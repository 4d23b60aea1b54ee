/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plans that the built-in AI carries out; what the turn loop, the holds and the canonical state need of them. */
#ifndef CW_PLAN_H
#define CW_PLAN_H

#include <stdbool.h>

struct player;

/* Whether a player's plan speaks about its rates (and sets them now), government, or research. */
bool cw_plan_sets_rates(struct player *pplayer);
bool cw_plan_sets_government(const struct player *pplayer);
bool cw_plan_sets_research(const struct player *pplayer);
/* Compares every plan with what the turn that just ended has brought, and ends plans that are over. */
void cw_plan_check(void);

#endif
