/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Edits of how two players stand to each other. Each checks everything first and writes only when it can finish. */

#include "fc_config.h"

#include "game.h"
#include "player.h"
#include "unitlist.h"

#include "citytools.h"
#include "diplhand.h"
#include "maphand.h"
#include "plrhand.h"
#include "unittools.h"

#include "aidata.h"
#include "aiplayer.h"

#include "doors/cw_events.h"
#include "edit/edit.h"
#include "host/host.h"

/* Two different living civilizations. */
static int find_pair(const char *edit, int player, int other, struct player **a, struct player **b)
{
  int status = cw_edit_find_player(edit, player, a);
  if (status == CW_OK) {
    status = cw_edit_find_player(edit, other, b);
  }
  if (status == CW_OK && *a == *b) {
    return cw_error(CW_EARGUMENT, "edit '%s': player %d twice", edit, player);
  }
  if (status == CW_OK && (is_barbarian(*a) || is_barbarian(*b))) {
    return cw_error(CW_REFUSED, "edit '%s': player %d or %d are barbarians, who know no diplomacy", edit, player,
                    other);
  }
  return status;
}

/* A third player whose alliances the new state would break, NULL without one. */
static const struct player *in_the_way(const struct player *a, const struct player *b, enum diplstate_type state)
{
  players_iterate_alive(c) {
    enum diplstate_type ac, bc;
    if (c == a || c == b) {
      continue;
    }
    ac = player_diplstate_get(a, c)->type;
    bc = player_diplstate_get(b, c)->type;
    if ((state == DS_WAR && pplayers_allied(a, c) && pplayers_allied(b, c))
        || (state == DS_ALLIANCE && ((ac == DS_WAR && pplayers_allied(b, c))
                                     || (bc == DS_WAR && pplayers_allied(a, c))))) {
      return c;
    }
  } players_iterate_alive_end;
  return NULL;
}

static int check_state(const struct player *a, const struct player *b, enum diplstate_type state, int turns)
{
  const struct player_diplstate *now = player_diplstate_get(a, b);
  const struct player *third = in_the_way(a, b, state);
  bool limited = state == DS_CEASEFIRE || state == DS_ARMISTICE;
  if (state < 0 || state >= DS_LAST || state == DS_TEAM || (limited && (turns < 1 || turns > 1000))) {
    return cw_error(CW_EARGUMENT, "edit 'set_diplomacy': state %d for %d turns", (int)state, turns);
  }
  if (players_on_same_team(a, b)) {
    return cw_error(CW_REFUSED, "edit 'set_diplomacy': players %d and %d are of one team", player_number(a),
                    player_number(b));
  }
  if (now->type == state && (!limited || now->turns_left == turns)) {
    return cw_error(CW_REFUSED, "edit 'set_diplomacy': players %d and %d are at that state already: %s",
                    player_number(a), player_number(b), diplstate_type_name(state));
  }
  if (third != NULL) {
    return cw_error(CW_REFUSED, "edit 'set_diplomacy': %s between players %d and %d contradicts an alliance of "
                    "player %d", diplstate_type_name(state), player_number(a), player_number(b),
                    player_number(third));
  }
  return CW_OK;
}

/* The end of an alliance: what the one saw through the other, and units that share a tile. */
static void part(struct player *a, struct player *b, struct unit_list *seen_a, struct unit_list *seen_b)
{
  if (seen_a != NULL) {
    update_players_after_alliance_breakup(a, b, seen_a, seen_b);
    unit_list_destroy(seen_a);
    unit_list_destroy(seen_b);
  }
}

/* The AI's countdown to war would run out against somebody it does not know. */
static void cancel_war_plan(struct player *a, struct player *b)
{
  struct ai_plr *ai = a->ai != NULL ? def_ai_player_data(a, (struct ai_type *)a->ai) : NULL;
  struct ai_dip_intel *intel
      = ai != NULL ? (struct ai_dip_intel *)ai->diplomacy.player_intel_slots[player_index(b)] : NULL;
  if (intel != NULL) {
    intel->countdown = -1;
    intel->war_reason = DAI_WR_NONE;
  }
}

/* As if the two had never met: no contact, no embassies, no shared vision. */
static void forget(struct player *a, struct player *b)
{
  if (gives_shared_vision(a, b)) {
    remove_shared_vision(a, b);
  }
  cw_hook_embassy_lost(a, b);
  BV_CLR(a->real_embassy, player_index(b));
  cancel_war_plan(a, b);
  player_diplstate_get(a, b)->contact_turns_left = 0;
}

static void change_state(struct player *a, struct player *b, enum diplstate_type state, int turns)
{
  struct player_diplstate *ab = player_diplstate_get(a, b), *ba = player_diplstate_get(b, a);
  enum diplstate_type old = ab->type;
  bool allied = old == DS_ALLIANCE;
  struct unit_list *seen_a = allied ? get_units_seen_via_ally(a, b) : NULL;
  struct unit_list *seen_b = allied ? get_units_seen_via_ally(b, a) : NULL;
  set_diplstate_type(ab, ba, state);
  cw_hook_diplstate(a, b, old, state, "edit");
  ab->turns_left = ba->turns_left = turns;
  part(a, b, seen_a, seen_b);
  if (state == DS_WAR) {
    enter_war(a, b);
  } else if (state == DS_ALLIANCE) {
    give_allied_visibility(a, b);
    give_allied_visibility(b, a);
  } else if (state == DS_NO_CONTACT) {
    set_diplstate_type(ab, ba, state); /* units that parted may have met again */
    forget(a, b);
    forget(b, a);
  }
}

int cw_edit_set_diplomacy(int player, int other, int state, int turns, int embassies)
{
  struct player *a, *b;
  int status;
  CW_GUARD_BEGIN;
  status = find_pair("set_diplomacy", player, other, &a, &b);
  if (status == CW_OK) {
    status = check_state(a, b, (enum diplstate_type)state, turns);
  }
  if (status != CW_OK) {
    CW_GUARD_END(status);
  }
  reject_all_treaties(a);
  reject_all_treaties(b);
  if (state != DS_NO_CONTACT) {
    make_contact(a, b, NULL);
  }
  change_state(a, b, (enum diplstate_type)state, turns);
  if (embassies) {
    establish_embassy(a, b);
    establish_embassy(b, a);
  }
  send_player_all_c(a, NULL);
  send_player_all_c(b, NULL);
  city_map_update_all_cities_for_player(a);
  city_map_update_all_cities_for_player(b);
  cw_edit_settle();
  CW_GUARD_END(CW_OK);
}

int cw_edit_give_embassy(int player, int other)
{
  struct player *a, *b;
  int status;
  CW_GUARD_BEGIN;
  status = find_pair("give_embassy", player, other, &a, &b);
  if (status != CW_OK) {
    CW_GUARD_END(status);
  }
  if (player_has_real_embassy(a, b)) {
    CW_GUARD_END(cw_error(CW_REFUSED, "edit 'give_embassy': player %d has an embassy with %d already", player, other));
  }
  establish_embassy(a, b);
  CW_GUARD_END(CW_OK);
}
