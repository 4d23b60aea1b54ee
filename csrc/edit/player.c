/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Edits of one player's own affairs. Each checks everything first and writes only when it can finish. */

#include "fc_config.h"

#include <limits.h>

#include "game.h"
#include "player.h"
#include "research.h"
#include "traits.h"

#include "plrhand.h"
#include "techtools.h"

#include "edit/edit.h"
#include "host/host.h"

int cw_edit_add_gold(int player, int32_t amount)
{
  struct player *pplayer;
  int64_t gold;
  int status;
  CW_GUARD_BEGIN;
  status = cw_edit_find_player("add_gold", player, &pplayer);
  if (status != CW_OK) {
    CW_GUARD_END(status);
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

int cw_edit_add_bulbs(int player, int32_t amount)
{
  struct player *pplayer;
  struct research *presearch;
  int64_t bulbs;
  int status;
  CW_GUARD_BEGIN;
  status = cw_edit_find_player("add_bulbs", player, &pplayer);
  if (status != CW_OK) {
    CW_GUARD_END(status);
  }
  presearch = research_get(pplayer);
  bulbs = (int64_t)presearch->bulbs_researched + amount;
  if (amount == 0 || bulbs < 0 || bulbs > INT_MAX) {
    CW_GUARD_END(cw_error(CW_REFUSED, "edit 'add_bulbs': player %d has %d bulbs, adding %d gives %lld (allowed: "
                          "a change to 0-%d)", player, presearch->bulbs_researched, amount, (long long)bulbs,
                          INT_MAX));
  }
  /* Not finished here: an advance is learned at the turn change, as with bulbs from cities. */
  presearch->bulbs_researched = (int)bulbs;
  send_research_info(presearch, NULL);
  CW_GUARD_END(CW_OK);
}

int cw_edit_set_trait(int player, int trait, int32_t value)
{
  struct player *pplayer;
  int status;
  CW_GUARD_BEGIN;
  status = cw_edit_find_player("set_trait", player, &pplayer);
  if (status != CW_OK) {
    CW_GUARD_END(status);
  }
  if (trait < 0 || trait >= TRAIT_COUNT || value < 1 || value > 1000) {
    CW_GUARD_END(cw_error(CW_EARGUMENT, "edit 'set_trait': trait %d = %d (traits 0-%d, values 1-1000)", trait, value,
                          TRAIT_COUNT - 1));
  }
  if (pplayer->ai_common.traits == NULL || pplayer->ai_common.traits[trait].val == value) {
    CW_GUARD_END(cw_error(CW_REFUSED, "edit 'set_trait': %s of player %d is %d already", trait_name(trait), player,
                          value));
  }
  pplayer->ai_common.traits[trait].val = value;
  CW_GUARD_END(CW_OK);
}

int cw_edit_set_attitude(int player, int other, int32_t value)
{
  struct player *pplayer, *pother;
  int status;
  CW_GUARD_BEGIN;
  status = cw_edit_find_player("set_attitude", player, &pplayer);
  if (status == CW_OK) {
    status = cw_edit_find_player("set_attitude", other, &pother);
  }
  if (status != CW_OK) {
    CW_GUARD_END(status);
  }
  if (player == other || value < -MAX_AI_LOVE || value > MAX_AI_LOVE) {
    CW_GUARD_END(cw_error(CW_EARGUMENT, "edit 'set_attitude': player %d to %d = %d (two players, %d to %d)", player,
                          other, value, -MAX_AI_LOVE, MAX_AI_LOVE));
  }
  if (pplayer->ai_common.love[player_index(pother)] == value) {
    CW_GUARD_END(cw_error(CW_REFUSED, "edit 'set_attitude': player %d towards %d is %d already", player, other,
                          value));
  }
  pplayer->ai_common.love[player_index(pother)] = value;
  CW_GUARD_END(CW_OK);
}
