/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a plan has the built-in AI do (csrc/plan/); patch 0111 calls these. Without a plan each does nothing. */
#ifndef CW_PLANS_H
#define CW_PLANS_H

#include <stdbool.h>

struct city;
struct player;
struct unit;

/* As in civworld.h, which engine files do not include. */
#define CW_STANCE_NONE 0
#define CW_STANCE_WAR 1
#define CW_STANCE_PEACE 2
#define CW_STANCE_ALLIANCE 3

/* Carries out what is not tied to a city or unit: government, research, diplomacy. */
void cw_hook_plan(struct player *pplayer);
/* One of CW_STANCE_*. */
int cw_hook_plan_stance(const struct player *pplayer, const struct player *other);
/* Whether the plan has chosen the city's production. */
bool cw_hook_plan_build(struct player *pplayer, struct city *pcity);
/* Whether the plan has decided on purchases. */
bool cw_hook_plan_buy(struct player *pplayer);
/* Whether the unit stays where it is. */
bool cw_hook_plan_stays(struct unit *punit);

#endif
