/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The room of orders: what its files share. A command checks what the server's handler would drop in silence, calls the
 * handler as a human player's packet would, and says what came of it. */
#ifndef CW_COMMAND_H
#define CW_COMMAND_H

#include "fc_config.h"

#include "fc_types.h"
#include "host/host.h"
#include "host/words.h"

/* How an order ended when it was not refused. */
#define CW_RESULTS(W)                                                     \
  W(CW_RESULT_DONE, "done")                                               \
  W(CW_RESULT_FAILED, "failed")     /* tried in earnest, without success */ \
  W(CW_RESULT_LOST, "lost")         /* the unit died without success */     \
  W(CW_RESULT_PROPOSED, "proposed") /* a treaty waits for the other side */ \
  W(CW_RESULT_AGREED, "agreed")                                           \
  W(CW_RESULT_DECLINED, "declined")
enum cw_result { CW_RESULTS(CW_WORD_NUMBER) };

struct cw_order {
  struct player *plr;
  const int32_t *arg; /* as many as the command's row says, checked */
  int nargs;
  const char *text, *more; /* names, never NULL */
  struct cw_outcome *out;
};

/* Refuses: with what the server told the player if it said anything, else with the text given. */
int cw_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Refuses because a name is in no table of the ruleset. */
int cw_unknown(const char *kind, const char *name);
/* What the server told the player since the order began. */
const char *cw_order_said(void);
/* Lets the handlers' checks of the client's abilities pass while an order runs. */
void cw_pose_as_client(struct player *plr, bool on);

/* A unit or city of the player by id, NULL with the refusal set otherwise. */
struct unit *cw_own_unit(const struct cw_order *o, int id);
struct city *cw_own_city(const struct cw_order *o, int id);
/* The city by id if the player knows of it where it is, else NULL. */
struct city *cw_known_city(const struct player *plr, int id);
/* What a city may build by rule name, or kind VUT_NONE. */
struct universal cw_product(const char *name);
/* Whether a random number was drawn since cw_order began. */
bool cw_drew_random(void);

/* A row of the table of commands. */
struct cw_command {
  const char *name;
  int min_args, max_args;
  int (*run)(const struct cw_order *o);
};
extern const struct cw_command cw_unit_commands[], cw_journey_commands[], cw_city_commands[], cw_player_commands[],
    cw_treaty_commands[];

#endif
