/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Edits of one city. Each checks everything first and writes only when it can finish. */

#include "fc_config.h"

#include <string.h>

#include "city.h"
#include "game.h"

#include "citytools.h"
#include "cityturn.h"

#include "edit/edit.h"
#include "host/host.h"

int cw_edit_rename_city(int city, const char *name)
{
  struct city *pcity;
  char reason[1024] = "";
  int status;
  CW_GUARD_BEGIN;
  status = cw_edit_find_city("rename_city", city, &pcity);
  if (status != CW_OK) {
    CW_GUARD_END(status);
  }
  if (strcmp(city_name_get(pcity), name) == 0) {
    CW_GUARD_END(cw_error(CW_REFUSED, "edit 'rename_city': city %d is called '%s' already", city, name));
  }
  if (!is_allowed_city_name(city_owner(pcity), name, reason, sizeof(reason))) {
    CW_GUARD_END(cw_error(CW_REFUSED, "edit 'rename_city': '%s' is not allowed for city %d: %s", name, city, reason));
  }
  city_name_set(pcity, name);
  send_city_info(NULL, pcity);
  CW_GUARD_END(CW_OK);
}

/* The size from which on the city cannot grow without another building. */
static int largest_size(const struct city *pcity, int wanted)
{
  int size = city_size_get(pcity);
  while (size < wanted && city_can_grow_to(pcity, size + 1)) {
    size++;
  }
  return size;
}

int cw_edit_city_size(int city, int32_t size)
{
  struct city *pcity;
  int status, most;
  CW_GUARD_BEGIN;
  status = cw_edit_find_city("city_size", city, &pcity);
  if (status != CW_OK) {
    CW_GUARD_END(status);
  }
  if (size < 1 || size > MAX_CITY_SIZE) {
    CW_GUARD_END(cw_error(CW_EARGUMENT, "edit 'city_size': size %d for city %d (allowed: 1 to %d)", size, city,
                          MAX_CITY_SIZE));
  }
  most = largest_size(pcity, size);
  if (size == city_size_get(pcity) || size > most) {
    CW_GUARD_END(cw_error(CW_REFUSED, "edit 'city_size': city %d has size %d; without more buildings it can grow to "
                          "%d, asked for %d", city, city_size_get(pcity), most, size));
  }
  city_change_size(pcity, size, NULL, NULL);
  cw_edit_settle();
  CW_GUARD_END(CW_OK);
}

int cw_edit_transfer_city(int city, int player)
{
  struct city *pcity;
  struct player *ptaker;
  int status;
  CW_GUARD_BEGIN;
  status = cw_edit_find_city("transfer_city", city, &pcity);
  if (status == CW_OK) {
    status = cw_edit_find_player("transfer_city", player, &ptaker);
  }
  if (status != CW_OK) {
    CW_GUARD_END(status);
  }
  if (city_owner(pcity) == ptaker || is_barbarian(ptaker)) {
    CW_GUARD_END(cw_error(CW_REFUSED, "edit 'transfer_city': city %d cannot go to player %d, %s", city, player,
                          is_barbarian(ptaker) ? "who are barbarians" : "whose it is already"));
  }
  transfer_city(ptaker, pcity, -1, FALSE, TRUE, FALSE, TRUE);
  cw_edit_settle();
  CW_GUARD_END(CW_OK);
}
