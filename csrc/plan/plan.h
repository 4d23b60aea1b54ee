/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The room of plans that the built-in AI carries out: what the turn loop and the canonical state need of them. Engine
 * files call doors/cw_plans.h. */
#ifndef CW_PLAN_H
#define CW_PLAN_H

#include "plan/table.h"

struct player;

/* What the AI of a player will do, and the last turn it will do it in; NULL without a plan. */
const struct cw_plan *cw_plan_of(const struct player *pplayer, int32_t *until);
/* Compares every plan with what the turn that just ended has brought, and ends plans that are over. */
void cw_plan_check(void);

#endif
