/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Edits of what a player knows of the map. Each checks everything first and writes only when it can finish. */

#include "fc_config.h"

#include "game.h"
#include "map.h"
#include "player.h"
#include "tile.h"
#include "traderoutes.h"

#include "citytools.h"
#include "maphand.h"

#include "edit/edit.h"
#include "host/host.h"

static bool may_hide(const struct player *pplayer, const struct tile *ptile)
{
  const struct city *pcity = tile_city(ptile);
  return map_is_known(ptile, pplayer) && !map_is_known_and_seen(ptile, pplayer, V_MAIN)
         && (pcity == NULL || trade_route_list_size(pcity->routes) == 0);
}

/* How many of the tiles the edit would change; -1 when one of them does not exist. */
static int count_changes(const char *edit, const struct player *pplayer, const int32_t *tiles, size_t n, bool reveal)
{
  int count = 0;
  for (size_t i = 0; i < n; i++) {
    struct tile *ptile;
    if (cw_edit_find_tile(edit, tiles[i], &ptile) != CW_OK) {
      return -1;
    }
    count += reveal ? !map_is_known(ptile, pplayer) : may_hide(pplayer, ptile);
  }
  return count;
}

static void hide(struct player *pplayer, struct tile *ptile)
{
  if (may_hide(pplayer, ptile)) {
    remove_dumb_city(pplayer, ptile);
    map_clear_known(ptile, pplayer);
    send_tile_info(pplayer->connections, ptile, TRUE);
  }
}

static int change_map(const char *edit, int player, const int32_t *tiles, size_t n, bool reveal)
{
  struct player *pplayer;
  int status = cw_edit_find_player(edit, player, &pplayer);
  int count = status == CW_OK ? count_changes(edit, pplayer, tiles, n, reveal) : 0;
  if (status != CW_OK || count < 0) {
    return status != CW_OK ? status : CW_EARGUMENT;
  }
  if (count == 0) {
    return cw_error(CW_REFUSED, "edit '%s': player %d %s of the %zu tiles", edit, player,
                    reveal ? "knows all" : "sees now, or does not know, each", n);
  }
  for (size_t i = 0; i < n; i++) {
    struct tile *ptile = index_to_tile(&wld.map, tiles[i]);
    if (!reveal) {
      hide(pplayer, ptile);
    } else if (!map_is_known(ptile, pplayer)) {
      map_show_tile(pplayer, ptile);
    }
  }
  return CW_OK;
}

int cw_edit_reveal_map(int player, const int32_t *tiles, size_t n)
{
  int status;
  CW_GUARD_BEGIN;
  status = change_map("reveal_map", player, tiles, n, true);
  CW_GUARD_END(status);
}

int cw_edit_hide_map(int player, const int32_t *tiles, size_t n)
{
  int status;
  CW_GUARD_BEGIN;
  status = change_map("hide_map", player, tiles, n, false);
  CW_GUARD_END(status);
}
