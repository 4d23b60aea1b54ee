/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Edits of one city. Each checks everything first and writes only when it can finish. */

#include "fc_config.h"

#include <string.h>

#include "city.h"
#include "game.h"

#include "citytools.h"
#include "cityturn.h"

#include "internal.h"

int cw_edit_rename_city(int city, const char *name)
{
  struct city *pcity;
  char reason[1024] = "";
  CW_GUARD_BEGIN;
  pcity = cw_space_is_mounted() ? game_city_by_number(city) : NULL;
  if (pcity == NULL) {
    CW_GUARD_END(cw_error(CW_EARGUMENT, "edit 'rename_city': city %d does not exist", city));
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
