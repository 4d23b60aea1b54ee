/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Table of units. */

#include "fc_config.h"

#include "extras.h"
#include "map.h"
#include "player.h"
#include "tile.h"
#include "traderoutes.h"
#include "unit.h"
#include "unitlist.h"

#include "export/export.h"

/* The engine fills in the names of an enum when the first is asked for; asking while the library loads keeps
 * later reads from writing. */
static void __attribute__((constructor)) fill_names(void)
{
  const char *volatile name;
  name = unit_activity_name(ACTIVITY_IDLE);
  name = server_side_agent_name(SSA_NONE);
  (void)name;
}

#define UNIT_FIELDS(F)                                                                                     \
  F(i32, id, "unit id, never used again", u->id)                                                           \
  F(i32, owner, "player number of the owner", cw_player_id(unit_owner(u)))                                 \
  F(i32, nationality, "player number of the people it consists of", cw_player_id(unit_nationality(u)))     \
  F(i32, type, "unit type number", utype_number(unit_type_get(u)))                                         \
  F(s48, type_name, "unit type, rule name", cw_s48_of(unit_rule_name(u)))                                  \
  F(b1, military, "whether the type is not a civilian and has attack or defence strength",                 \
    cw_unit_type_is_military(unit_type_get(u)))                                                            \
  F(i32, tile, "tile index", tile_index(unit_tile(u)))                                                     \
  F(i32, x, "map x", index_to_map_pos_x(tile_index(unit_tile(u))))                                         \
  F(i32, y, "map y", index_to_map_pos_y(tile_index(unit_tile(u))))                                         \
  F(i32, homecity, "city id of the city that supports it, 0 none", u->homecity)                            \
  F(i32, hp, "hit points left", u->hp)                                                                     \
  F(i32, moves_left, "move fragments left", u->moves_left)                                                 \
  F(i32, fuel, "turns of fuel left, 0 for units that need none", u->fuel)                                  \
  F(i32, veteran, "veteran level", u->veteran)                                                             \
  F(s16, activity, "activity, rule name", cw_s16_of(unit_activity_name(u->activity)))                      \
  F(i32, activity_target, "extra number the activity is about, -1 none",                                   \
    u->activity_target != NULL ? extra_number(u->activity_target) : -1)                                    \
  F(i32, activity_count, "work done on the activity", u->activity_count)                                   \
  F(b1, moved, "whether it moved this turn", u->moved)                                                     \
  F(b1, done_moving, "whether it is done for this turn", u->done_moving)                                   \
  F(b1, paradropped, "whether it was dropped this turn", u->paradropped)                                   \
  F(b1, stay, "whether it must not move", u->stay)                                                         \
  F(i32, transporter, "unit id of what carries it, 0 none", u->transporter != NULL ? u->transporter->id : 0) \
  F(i32, cargo, "units it carries", unit_list_size(u->transporting))                                       \
  F(i32, goto_tile, "tile index it goes to, -1 none", u->goto_tile != NULL ? tile_index(u->goto_tile) : -1) \
  F(b1, has_orders, "whether it follows a list of orders", u->has_orders)                                  \
  F(i32, orders_left, "orders still to be carried out", u->has_orders ? u->orders.length - u->orders.index : 0) \
  F(s16, controller, "None, Autosettlers or Autoexplore", cw_s16_of(server_side_agent_name(u->ssa_controller))) \
  F(s48, goods, "goods it carries, rule name; empty without",                                              \
    cw_s48_of(u->carrying != NULL ? goods_rule_name(u->carrying) : ""))                                    \
  F(i32, upkeep_food, "food per turn paid by its city", u->upkeep[O_FOOD])                                 \
  F(i32, upkeep_shields, "shields per turn paid by its city", u->upkeep[O_SHIELD])                         \
  F(i32, upkeep_gold, "gold per turn", u->upkeep[O_GOLD])                                                  \
  F(i32, birth_turn, "turn it came into being", u->server.birth_turn)

CW_RECORD(units, UNIT_FIELDS)

static size_t units_rows(void)
{
  size_t rows = 0;
  players_iterate(p) {
    rows += (size_t)unit_list_size(p->units);
  } players_iterate_end;
  return rows;
}

static void units_fill(void *records)
{
  struct cw_units *out = records;
  players_iterate(p) {
    unit_list_iterate(p->units, u) {
      UNIT_FIELDS(CW_FILL)
      out++;
    } unit_list_iterate_end;
  } players_iterate_end;
}

CW_TABLE(units)
