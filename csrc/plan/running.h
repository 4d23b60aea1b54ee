/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plans of a world, and what the files that carry them out offer each other. */
#ifndef CW_RUNNING_H
#define CW_RUNNING_H

#include "fc_config.h"

#include "fc_types.h"

#include "plan/table.h"

#define MAX_NOTES 512

struct cw_running {
  struct cw_plan plan;
  int32_t until; /* the last turn it is carried out in */
  int32_t notes;
  struct cw_plan_notes note[MAX_NOTES]; /* a ring, notes counts all that were ever written */
};

/* ---- running.c: part of the world --------------------------------------------------------------------- */

/* Where the plan of a player is kept; NULL is kept when it has none. */
struct cw_running **cw_running_slot(const struct player *pplayer);
/* The plan that was carried out in a turn by an AI that still can; NULL without. */
struct cw_running *cw_running_in(const struct player *pplayer, int turn);
/* The plan that is carried out now. */
struct cw_running *cw_running_of(const struct player *pplayer);

/* ---- nation.c ------------------------------------------------------------------------------------------- */

/* Whether the plan speaks about research. */
bool cw_plan_sets_research(const struct player *pplayer);

/* ---- cities.c ------------------------------------------------------------------------------------------- */

/* The unit type or building of an item; its value is NULL when there is none of that number. */
struct universal cw_plan_item(int kind, int value);
int cw_plan_guards(const struct city *pcity);
/* What the plan wants a city to build; false when it has no wish that the city can fulfil. */
bool cw_plan_wish(const struct player *pplayer, const struct cw_plan *plan, const struct city *pcity,
                  struct universal *out);

#endif
