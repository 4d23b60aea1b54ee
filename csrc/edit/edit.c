/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the edits share: finding what is to be edited, and bringing up to date what follows from it. */

#include "fc_config.h"

#include "city.h"
#include "game.h"
#include "map.h"
#include "player.h"
#include "tile.h"
#include "unit.h"

#include "citytools.h"
#include "cityturn.h"

#include "edit/edit.h"
#include "host/host.h"

int cw_edit_find_player(const char *edit, int number, struct player **out)
{
  *out = cw_space_is_mounted() ? player_by_number(number) : NULL;
  if (*out == NULL) {
    return cw_error(CW_EARGUMENT, "edit '%s': player %d does not exist (players 0-%d)", edit, number,
                    player_count() - 1);
  }
  if (!(*out)->is_alive) {
    return cw_error(CW_REFUSED, "edit '%s': player %d (%s) is dead", edit, number, player_name(*out));
  }
  return CW_OK;
}

int cw_edit_find_city(const char *edit, int id, struct city **out)
{
  *out = cw_space_is_mounted() ? game_city_by_number(id) : NULL;
  return *out != NULL ? CW_OK : cw_error(CW_EARGUMENT, "edit '%s': city %d does not exist", edit, id);
}

int cw_edit_find_unit(const char *edit, int id, struct unit **out)
{
  *out = cw_space_is_mounted() ? game_unit_by_number(id) : NULL;
  return *out != NULL ? CW_OK : cw_error(CW_EARGUMENT, "edit '%s': unit %d does not exist", edit, id);
}

int cw_edit_find_tile(const char *edit, int index, struct tile **out)
{
  *out = cw_space_is_mounted() ? index_to_tile(&wld.map, index) : NULL;
  return *out != NULL ? CW_OK : cw_error(CW_EARGUMENT, "edit '%s': tile %d does not exist (tiles 0-%d)", edit, index,
                                         MAP_INDEX_SIZE - 1);
}

void cw_edit_refresh_cities(void)
{
  cities_iterate(pcity) {
    city_refresh(pcity);
    city_refresh_vision(pcity);
    send_city_info(NULL, pcity);
  } cities_iterate_end;
}

void cw_edit_settle(void)
{
  city_thaw_workers_queue();
  city_refresh_queue_processing();
  sync_cities();
}
