/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An action and what it is aimed at, for those who carry out orders and those who list them; and what orders to units
 * have in common. */
#ifndef CW_COMMAND_UNIT_H
#define CW_COMMAND_UNIT_H

#include "command/command.h"

#include "actions.h"
#include "path_finding.h"
#include "unit.h"

struct cw_aim {
  struct unit *actor;
  struct action *action;
  struct city *city;
  struct unit *unit;
  struct tile *tile;
  struct extra_type *extra;
  int sub; /* number of the building, advance or extra it is about; NO_TARGET without */
};

/* Whether the rules allow the action, whatever its owner knows. */
bool cw_aim_allowed(const struct cw_aim *aim);
/* How likely it is to work, by what its owner knows. */
struct act_prob cw_aim_odds(const struct cw_aim *aim);
/* Whether the work that the action starts, if it does start any, can be taken up where the unit is. */
bool cw_aim_can_begin(const struct cw_aim *aim);
/* A way by what its owner knows, as at most MAX_LEN_ROUTE orders; the number of them, -1 = there is none. */
int cw_path_orders(struct pf_parameter *parameter, struct tile *to, struct unit_order *steps);

/* Finds what the action is about at its target, by the order's second name: a building, an advance or an extra. */
int cw_take_sub_target(const struct cw_order *o, struct cw_aim *aim);

/* What a failed action may have changed about its unit. */
struct cw_before {
  int id, moves, hp, veteran;
  struct tile *tile;
  enum unit_activity activity;
  int units, gold, kills;
};

struct cw_before cw_look(const struct unit *u);
/* Says how an action ended that the engine reports as not done; a refusal only if nothing happened, not even that
 * the unit was taken off what it was about (touched). */
int cw_judge_failure(const struct cw_order *o, const struct cw_before *b, bool touched, const char *what);
/* Puts the unit and where it is now into the outcome. */
void cw_report_unit(const struct cw_order *o, int id);
/* Nobody but the player steers the unit from now on, as the client sees to before it gives an order; whether that
 * changed anything. */
bool cw_take_the_reins(const struct cw_order *o, struct unit *u);

#endif
