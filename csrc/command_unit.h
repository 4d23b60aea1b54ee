/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An action and what it is aimed at, for those who carry out orders and those who list them. */
#ifndef CW_COMMAND_UNIT_H
#define CW_COMMAND_UNIT_H

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

#endif
