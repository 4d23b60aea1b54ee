/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often players did what the server tells them of; part of the world, but no part of what decides its future. */
#ifndef CW_DEEDS_H
#define CW_DEEDS_H

#include <stdbool.h>
#include <stdint.h>

struct player;

struct cw_deeds {
  int32_t bought;       /* productions of cities completed for gold */
  int32_t sold;         /* buildings sold at will or as obsolete */
  int32_t auctioned;    /* buildings sold because gold ran out */
  int32_t upgraded;     /* units upgraded, for gold or by a wonder */
  int32_t caravans;     /* trade routes, entered marketplaces and wonders helped */
  int32_t diplomats;    /* successes of diplomats and spies, embassies apart */
  int32_t celebrations; /* beginnings of a city's celebration */
};
const struct cw_deeds *cw_deeds_of(const struct player *plr);
/* Whether messages are about deeds: while turns are played and orders carried out, but not while an edit works. */
void cw_deeds_count(bool counting);
/* Counts a message of the server to a player, by its kind (enum event_type). */
void cw_deeds_note(const struct player *plr, int event);

#endif
