/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the engine tells about the things it does, at the place where it does them (freeciv_patches/0005, 0009 and 0012), and
 * what edits do in its stead. */
#ifndef CW_EVENTS_H
#define CW_EVENTS_H

#include <stdarg.h>
#include <stdbool.h>

struct city;
struct player;
struct research;
struct tile;
struct unit;

/* A script signal, before any script sees it; the causes of what happened are taken from some of them. */
void cw_hook_signal(const char *signal, va_list args);

void cw_hook_city_founded(const struct city *pcity, const struct player *owner);
/* Called before anything of the city has changed. */
void cw_hook_city_transfer(const struct city *pcity, const struct player *giver, const struct player *taker);
/* The next transfer of this city is its conquest. */
void cw_hook_conquest(const struct city *pcity);
void cw_hook_city_removed(const struct city *pcity, const struct player *owner);

/* Whoever is to blame for the next loss of a unit; NULL is nobody. */
void cw_hook_killer(const struct player *killer);
void cw_hook_unit_lost(const struct unit *punit, const char *reason);
void cw_hook_unit_transfer(const struct unit *punit, const struct player *from, const struct player *to);
void cw_hook_hut(const struct unit *punit, const char *hut, bool frightened);

void cw_hook_advance(const struct research *presearch, int tech, bool gained);

/* Called after every lasting assignment of a player's government; equal ones are recognised. */
void cw_hook_government(const struct player *pplayer);
void cw_hook_player_joined(const struct player *pplayer);
void cw_hook_player_died(const struct player *pplayer);
void cw_hook_civil_war(const struct player *pplayer, const struct player *rebel);
void cw_hook_spaceship(const struct player *pplayer);

/* States are the engine's enum diplstate_type. */
void cw_hook_diplstate(const struct player *one, const struct player *two, int old_state, int new_state,
                       const char *cause);
void cw_hook_pact_cancelled(const struct player *pplayer, const struct player *other, int old_state, int new_state);
void cw_hook_contact(const struct player *one, const struct player *two, const struct tile *ptile, int new_state);
/* A clause of a treaty has been carried out; a clause that changes the diplomatic state says from what to what. */
void cw_hook_clause(const struct player *giver, const struct player *receiver, int clause, int value, int old_state,
                    int new_state);
void cw_hook_embassy(const struct player *pplayer, const struct player *with);
void cw_hook_embassy_lost(const struct player *pplayer, const struct player *with);
void cw_hook_embassies_lost(const struct player *pplayer);

/* freeciv_patches/0012: called while the city still builds what was bought. */
void cw_hook_purchase(const struct city *pcity, int price);
/* Gold came to the receiver from the payer (either may be NULL), at a city or by a unit if not NULL; 0 is none. */
void cw_hook_gold(const struct player *receiver, const struct player *payer, int gold, const char *cause,
                  const struct city *pcity, const struct unit *punit);

/* freeciv_patches/0010: a unit is about to change hands in place. */
void cw_hook_unit_changes_hands(struct unit *punit, const struct player *to);
/* freeciv_patches/0011: the map that was made has no starting places for all players; does not come back. */
_Noreturn void cw_hook_no_room(void);

#endif
