/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ends when a player goes from the built-in AI to orders or back. */
#ifndef CW_HANDOVER_H
#define CW_HANDOVER_H

struct player;

/* Journeys, patrols and agents of a player's units and rally points of its cities: the built-in AI asserts that its
 * units have no orders. */
void cw_end_orders_of(struct player *plr);
/* What the built-in AI had in mind with a player's units. */
void cw_end_missions_of(struct player *plr);

#endif
