/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The room of edits: functions of civworld.h that change a world from outside its rules. What they share: finding what
 * is to be edited, and bringing up to date what follows from it. */
#ifndef CW_EDIT_H
#define CW_EDIT_H

struct city;
struct player;
struct research;
struct tile;
struct unit;

/* Each gives CW_OK and the thing itself, or says why it cannot be edited: CW_EARGUMENT when there is no such
 * thing in the mounted world, CW_REFUSED when the player is dead. */
int cw_edit_find_player(const char *edit, int number, struct player **out);
int cw_edit_find_city(const char *edit, int id, struct city **out);
int cw_edit_find_unit(const char *edit, int id, struct unit **out);
int cw_edit_find_tile(const char *edit, int index, struct tile **out);

/* Computes every city anew, as the engine does when an advance is learned. */
void cw_edit_refresh_cities(void);
/* Does what the engine has put off: arranging workers who lost their tiles, and refreshing their cities. Every edit
 * that may move borders, units or citizens ends with it. */
void cw_edit_settle(void);

#endif
