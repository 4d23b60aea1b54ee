/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a plan has the built-in AI do (csrc/plan/); patch 0111 calls these. Without a plan each does nothing. */
#ifndef CW_PLANS_H
#define CW_PLANS_H

#include <stdbool.h>

struct city;
struct player;
struct unit;

/* What a player is to be to another: rows of a number and its name. */
#define CW_STANCES(W)                \
  W(CW_STANCE_NONE, "none")          \
  W(CW_STANCE_WAR, "war")            \
  W(CW_STANCE_PEACE, "peace")        \
  W(CW_STANCE_ALLIANCE, "alliance")
#define CW_STANCE_NUMBER(number, name) number,
enum cw_stance { CW_STANCES(CW_STANCE_NUMBER) };
#undef CW_STANCE_NUMBER

/* Carries out what is not tied to a city or unit: government, research, diplomacy. */
void cw_hook_plan(struct player *pplayer);
/* One of enum cw_stance. */
int cw_hook_plan_stance(const struct player *pplayer, const struct player *other);
/* Whether the plan has chosen the city's production. */
bool cw_hook_plan_build(struct player *pplayer, struct city *pcity);
/* Whether the plan has decided on purchases. */
bool cw_hook_plan_buy(struct player *pplayer);
/* Whether the unit stays where it is. */
bool cw_hook_plan_stays(struct unit *punit);

#endif
