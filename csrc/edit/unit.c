/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Edits that make and remove units. Each checks everything first and writes only when it can finish. */

#include "fc_config.h"

#include "city.h"
#include "game.h"
#include "map.h"
#include "movement.h"
#include "player.h"
#include "tile.h"
#include "unit.h"
#include "unitlist.h"
#include "unittype.h"

#include "unittools.h"

#include "edit/edit.h"
#include "host/host.h"

/* Why such a unit cannot stand there, NULL when it can. */
static const char *misplaced(struct player *pplayer, const struct unit_type *utype, struct tile *ptile)
{
  const struct city *pcity = tile_city(ptile);
  if (is_non_allied_unit_tile(ptile, pplayer) || (pcity != NULL && !pplayers_allied(pplayer, city_owner(pcity)))) {
    return "others hold the tile";
  }
  if (!can_exist_at_tile(&wld.map, utype, ptile)) {
    return "such units cannot be there";
  }
  return utype_player_already_has_this_unique(pplayer, utype) ? "the player may have only one" : NULL;
}

static int check_home(const struct player *pplayer, const struct unit_type *utype, int home, struct city **out)
{
  int status = home == 0 ? CW_OK : cw_edit_find_city("create_unit", home, out);
  if (status == CW_OK && home != 0 && (city_owner(*out) != pplayer || utype_has_flag(utype, UTYF_NOHOME))) {
    return cw_error(CW_REFUSED, "edit 'create_unit': city %d cannot support %s of player %d", home,
                    utype_rule_name(utype), player_number(pplayer));
  }
  return status;
}

int cw_edit_create_unit(int player, const char *type, int tile, int veteran, int home)
{
  struct player *pplayer;
  struct tile *ptile;
  struct city *phome = NULL;
  const struct unit_type *utype = NULL;
  const char *why;
  int status;
  CW_GUARD_BEGIN;
  status = cw_edit_find_player("create_unit", player, &pplayer);
  if (status == CW_OK) {
    status = cw_edit_find_tile("create_unit", tile, &ptile);
  }
  if (status == CW_OK) {
    utype = unit_type_by_rule_name(type);
    if (utype == NULL || veteran < 0 || veteran >= utype_veteran_levels(utype)) {
      status = cw_error(CW_EARGUMENT, "edit 'create_unit': there is no unit type '%s' with veteran level %d", type,
                        veteran);
    }
  }
  if (status == CW_OK) {
    status = check_home(pplayer, utype, home, &phome);
  }
  if (status != CW_OK) {
    CW_GUARD_END(status);
  }
  why = misplaced(pplayer, utype, ptile);
  if (why != NULL) {
    CW_GUARD_END(cw_error(CW_REFUSED, "edit 'create_unit': %s of player %d on tile %d: %s", type, player, tile, why));
  }
  place_unit(unit_virtual_prepare(pplayer, ptile, utype, veteran, home, -1, -1), pplayer, phome, NULL, TRUE);
  cw_edit_settle();
  CW_GUARD_END(CW_OK);
}

int cw_edit_remove_unit(int unit)
{
  struct unit *punit;
  int status;
  CW_GUARD_BEGIN;
  status = cw_edit_find_unit("remove_unit", unit, &punit);
  if (status != CW_OK) {
    CW_GUARD_END(status);
  }
  if (unit_list_size(unit_transport_cargo(punit)) > 0) {
    CW_GUARD_END(cw_error(CW_REFUSED, "edit 'remove_unit': unit %d carries %d others", unit,
                          unit_list_size(unit_transport_cargo(punit))));
  }
  wipe_unit(punit, ULR_EDITOR, NULL);
  cw_edit_settle();
  CW_GUARD_END(CW_OK);
}
