/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a city may be ordered. */

#include "command/legal.h"

#include "city.h"
#include "game.h"
#include "improvement.h"
#include "map.h"
#include "player.h"
#include "specialist.h"
#include "tile.h"
#include "unittype.h"

#include "citytools.h"

static bool may_buy(const struct city *c)
{
  int price = city_production_buy_gold_cost(c);
  return c->turn_founded != game.info.turn && !c->did_buy && !city_production_has_flag(c, IF_GOLD)
         && !(c->production.kind == VUT_UTYPE && c->anarchy != 0) && price > 0
         && price <= city_owner(c)->economic.gold;
}

static void list_products(const struct city *c)
{
  struct universal what;
  if (!city_can_change_build(c)) {
    return;
  }
  what.kind = VUT_UTYPE;
  unit_type_iterate(type) {
    what.value.utype = type;
    if (!are_universals_equal(&what, &c->production) && can_city_build_now(&wld.map, c, &what)) {
      cw_legal_put(CW_ORDER_PRODUCE_UNIT, c->id, 0)->what = utype_number(type);
    }
  } unit_type_iterate_end;
  what.kind = VUT_IMPROVEMENT;
  improvement_iterate(building) {
    what.value.building = building;
    if (!are_universals_equal(&what, &c->production) && can_city_build_now(&wld.map, c, &what)) {
      cw_legal_put(CW_ORDER_PRODUCE_BUILDING, c->id, 0)->what = improvement_number(building);
    }
  } improvement_iterate_end;
}

static void list_citizens(const struct city *c)
{
  bool spare = city_specialists(c) > 0;
  specialist_type_iterate(from) {
    specialist_type_iterate(to) {
      if (c->specialists[from] > 0 && from != to && city_can_use_specialist(c, to)) {
        struct cw_legal *row = cw_legal_put(CW_ORDER_SPECIALIST, c->id, 0);
        row->what = from;
        row->sub = to;
      }
    } specialist_type_iterate_end;
  } specialist_type_iterate_end;
  city_tile_iterate(&wld.map, city_map_radius_sq_get(c), city_tile(c), tile) {
    bool worked = tile_worked(tile) == c;
    if (!is_free_worked(c, tile) && (worked || (spare && city_can_work_tile(c, tile)))) {
      struct cw_legal *row = cw_legal_put(worked ? CW_ORDER_LEAVE_TILE : CW_ORDER_WORK_TILE, c->id, 0);
      row->target = row->tile = tile_index(tile);
    }
  } city_tile_iterate_end;
}

void cw_legal_city(struct city *c)
{
  list_products(c);
  if (may_buy(c)) {
    cw_legal_put(CW_ORDER_BUY, c->id, 0)->what = city_production_buy_gold_cost(c);
  }
  improvement_iterate(building) {
    if (!c->did_sell && city_has_building(c, building) && can_city_sell_building(c, building)) {
      cw_legal_put(CW_ORDER_SELL, c->id, 0)->what = improvement_number(building);
    }
  } improvement_iterate_end;
  list_citizens(c);
}
