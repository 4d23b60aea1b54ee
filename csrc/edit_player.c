/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Edits of one player's own affairs. Each checks everything first and writes only when it can finish. */

#include "fc_config.h"

#include <limits.h>

#include "game.h"
#include "player.h"

#include "plrhand.h"

#include "internal.h"

/* The player if it may be edited; NULL with the reason set otherwise. */
static struct player *living_player(const char *edit, int number)
{
  struct player *pplayer = cw_space_is_mounted() ? player_by_number(number) : NULL;
  if (pplayer == NULL) {
    cw_error(CW_EARGUMENT, "edit '%s': player %d does not exist (players 0-%d)", edit, number,
             player_count() - 1);
    return NULL;
  }
  if (!pplayer->is_alive) {
    cw_error(CW_REFUSED, "edit '%s': player %d (%s) is dead", edit, number, player_name(pplayer));
    return NULL;
  }
  return pplayer;
}

int cw_edit_add_gold(int player, int32_t amount)
{
  struct player *pplayer;
  int64_t gold;
  CW_GUARD_BEGIN;
  pplayer = living_player("add_gold", player);
  if (pplayer == NULL) {
    CW_GUARD_END(player_by_number(player) != NULL ? CW_REFUSED : CW_EARGUMENT);
  }
  gold = (int64_t)pplayer->economic.gold + amount;
  if (amount == 0 || gold < 0 || gold > INT_MAX) {
    CW_GUARD_END(cw_error(CW_REFUSED, "edit 'add_gold': player %d has %d gold, adding %d gives %lld (allowed: "
                          "a change to 0-%d)", player, pplayer->economic.gold, amount, (long long)gold, INT_MAX));
  }
  pplayer->economic.gold = (int)gold;
  send_player_info_c(pplayer, NULL);
  CW_GUARD_END(CW_OK);
}
