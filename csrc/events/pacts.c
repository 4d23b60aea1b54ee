/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What happens between players. */

#include "fc_config.h"

#include "city.h"
#include "diptreaty.h"
#include "game.h"
#include "player.h"
#include "tech.h"
#include "tile.h"

#include "doors/cw_events.h"
#include "events/eventlog.h"

void cw_hook_diplstate(const struct player *one, const struct player *two, int old_state, int new_state,
                       const char *cause)
{
  static const enum cw_event_kind kinds[] = {
    [DS_WAR] = EV_war_started, [DS_CEASEFIRE] = EV_ceasefire, [DS_ARMISTICE] = EV_armistice,
    [DS_PEACE] = EV_peace, [DS_ALLIANCE] = EV_alliance, [DS_NO_CONTACT] = EV_contact_undone,
  };
  struct cw_events *e;
  if (old_state == new_state || new_state > DS_NO_CONTACT) { /* teams do not change */
    return;
  }
  e = cw_log_add(kinds[new_state], one, two);
  e->cause = cw_s16_of(cause);
  e->former = cw_s48_of(diplstate_type_name(old_state));
}

void cw_hook_pact_cancelled(const struct player *pplayer, const struct player *other, int old_state, int new_state)
{
  struct cw_events *e = cw_log_add(EV_pact_cancelled, pplayer, other);
  e->name = cw_s48_of(diplstate_type_name(new_state));
  e->former = cw_s48_of(diplstate_type_name(old_state));
  cw_hook_diplstate(pplayer, other, old_state, new_state, "cancelled");
}

void cw_hook_contact(const struct player *one, const struct player *two, const struct tile *ptile, int new_state)
{
  struct cw_events *e = cw_log_add(EV_contact, one, two);
  e->tile = ptile != NULL ? tile_index(ptile) : CW_NOBODY;
  e->name = cw_s48_of(diplstate_type_name(new_state));
}

void cw_hook_clause(const struct player *giver, const struct player *receiver, int clause, int value, int old_state,
                    int new_state)
{
  struct cw_events *e = cw_log_add(EV_treaty, giver, receiver);
  e->cause = cw_s16_of(clause_type_name(clause));
  if (clause == CLAUSE_ADVANCE || clause == CLAUSE_GOLD || clause == CLAUSE_CITY) {
    e->number = value;
  }
  if (clause == CLAUSE_ADVANCE) {
    e->name = cw_s48_of(cw_advance_name(value));
  } else if (clause == CLAUSE_CITY && game_city_by_number(value) != NULL) {
    e->city = value;
    e->name = cw_s48_of(city_name_get(game_city_by_number(value)));
  }
  cw_hook_diplstate(giver, receiver, old_state, new_state, "treaty");
}

void cw_hook_embassy(const struct player *pplayer, const struct player *with)
{
  if (!player_has_real_embassy(pplayer, with)) {
    cw_log_add(EV_embassy, pplayer, with);
  }
}

void cw_hook_embassy_lost(const struct player *pplayer, const struct player *with)
{
  if (player_has_real_embassy(pplayer, with)) {
    cw_log_add(EV_embassy_lost, pplayer, with);
  }
}

void cw_hook_embassies_lost(const struct player *pplayer)
{
  players_iterate(q) {
    cw_hook_embassy_lost(pplayer, q);
  } players_iterate_end;
  cw_log_told.heir = 0;
}
