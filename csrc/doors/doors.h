/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that the patches add to the engine (doors, called here) or call (hooks, defined in the rooms). */
#ifndef CW_DOORS_H
#define CW_DOORS_H

#include <stdbool.h>

/* freeciv_patches/0001: the steps of the turn loop in server/srv_main.c. */
void cw_door_prepare(void);
void cw_door_ready(void);
void cw_door_begin_turn(bool is_new_turn);
void cw_door_begin_phase(bool is_new_phase);
void cw_door_end_phase(void);
void cw_door_end_turn(void);

/* freeciv_patches/0002: each value of the score log, as server/report.c would write it. */
bool cw_hook_score_wanted(void);
void cw_hook_score(int turn, int player, int tag, const char *name, int value);

/* freeciv_patches/0003: one unit of work; a turn may do only so many. */
void cw_hook_work(void);

/* freeciv_patches/0004: the interpreter that runs ruleset scripts. */
struct fc_lua;
struct fc_lua *cw_door_script(void);

/* freeciv_patches/0008: what edits hold against the built-in AI, and the loss of an advance. */
struct player;
struct research;
bool cw_hook_rates_held(struct player *plr);
bool cw_hook_government_held(const struct player *plr);
bool cw_hook_research_held(const struct player *plr);
bool cw_hook_goal_held(const struct player *plr);
void cw_door_lose_advance(struct research *presearch, int tech);

/* freeciv_patches/0101 to 0106, 0112 and 0113: whether a behaviour that differs from stock is on in this world. The
 * order is part of every digest: append, never insert. */
enum cw_behaviour {
  CW_BEHAVIOUR_AGGRESSION,
  CW_BEHAVIOUR_EXPANSION,
  CW_BEHAVIOUR_TRADE,
  CW_BEHAVIOUR_BUILDING,
  CW_BEHAVIOUR_FIRST_CONTACT_PEACE,
  CW_BEHAVIOUR_WARS_END,
  CW_BEHAVIOUR_SPENDING,
  CW_BEHAVIOUR_GOVERNMENT,
  CW_BEHAVIOURS
};
bool cw_hook_behaviour(enum cw_behaviour behaviour);
/* How strongly a trait value acts where a behaviour scales by it: the square root of value / 50. */
double cw_hook_trait(int value);

/* freeciv_patches/0006: a message to a player (NULL = all); true keeps it from the event cache. */
struct player;
bool cw_hook_notify(const struct player *pplayer, int event, const char *message);

#endif
