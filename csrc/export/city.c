/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of cities and of the great wonders in them. */

#include "fc_config.h"

#include "citizens.h"
#include "city.h"
#include "culture.h"
#include "game.h"
#include "improvement.h"
#include "map.h"
#include "player.h"
#include "requirements.h"
#include "specialist.h"
#include "tile.h"
#include "traderoutes.h"
#include "unit.h"
#include "unitlist.h"
#include "worklist.h"

#include "export/export.h"

/* The engine fills in the names of an enum when the first is asked for; asking while the library loads keeps
 * later reads from writing. */
static void __attribute__((constructor)) fill_names(void)
{
  const char *volatile name;
  name = capital_type_name(CAPITAL_NOT);
  name = universals_n_name(VUT_NONE);
  (void)name;
}

/* What walks over a city's lists give. */
struct tally {
  int improvements, wonders, garrison, defenders, specialists, routes, route_value;
  cw_bits256 buildings;
};

#define CITY_FIELDS(F)                                                                                     \
  F(i32, id, "city id, never used again", c->id)                                                           \
  F(s80, name, "name", cw_s80_of(city_name_get(c)))                                                        \
  F(i32, owner, "player number of the owner", cw_player_id(city_owner(c)))                                 \
  F(i32, original, "player number of the founder, -1 when that player is gone", cw_player_id(c->original)) \
  F(i32, tile, "tile index", tile_index(city_tile(c)))                                                     \
  F(i32, x, "map x", index_to_map_pos_x(tile_index(city_tile(c))))                                         \
  F(i32, y, "map y", index_to_map_pos_y(tile_index(city_tile(c))))                                         \
  F(s16, capital, "Not, Secondary or Primary", cw_s16_of(capital_type_name(c->capital)))                   \
  F(i32, size, "citizens", city_size_get(c))                                                               \
  F(i32, happy, "happy citizens", c->feel[CITIZEN_HAPPY][FEELING_FINAL])                                   \
  F(i32, content, "content citizens", c->feel[CITIZEN_CONTENT][FEELING_FINAL])                             \
  F(i32, unhappy, "unhappy citizens", c->feel[CITIZEN_UNHAPPY][FEELING_FINAL])                             \
  F(i32, angry, "angry citizens", c->feel[CITIZEN_ANGRY][FEELING_FINAL])                                   \
  F(i32, specialists, "citizens who work no tile", t.specialists)                                          \
  F(specialists, specialists_by_type, "the same by specialist number", specialists_of(c))                  \
  F(i32, foreign_citizens, "citizens of another nationality than the owner's", foreign_of(c))              \
  F(b1, disorder, "whether the city is in disorder", city_unhappy(c))                                      \
  F(b1, celebrating, "whether the city celebrates", city_celebrating(c))                                   \
  F(i32, disorder_turns, "turns of disorder in a row", c->anarchy)                                         \
  F(i32, celebration_turns, "turns of celebration in a row", c->rapture)                                   \
  F(i32, food_stock, "food in the granary", c->food_stock)                                                 \
  F(i32, granary_size, "food it takes to grow", city_granary_size(city_size_get(c)))                       \
  F(i32, shield_stock, "shields stored for production", c->shield_stock)                                   \
  F(i32, food, "food surplus per turn", c->surplus[O_FOOD])                                                \
  F(i32, shields, "shield surplus per turn", c->surplus[O_SHIELD])                                         \
  F(i32, trade, "trade surplus per turn", c->surplus[O_TRADE])                                             \
  F(i32, gold, "gold surplus per turn", c->surplus[O_GOLD])                                                \
  F(i32, luxury, "luxury surplus per turn", c->surplus[O_LUXURY])                                          \
  F(i32, science, "bulbs per turn", c->surplus[O_SCIENCE])                                                 \
  F(i32, waste_shields, "shields lost to waste per turn", c->waste[O_SHIELD])                              \
  F(i32, waste_trade, "trade lost to corruption per turn", c->waste[O_TRADE])                              \
  F(s16, production_kind, "Building or UnitType", cw_s16_of(universals_n_name(c->production.kind)))        \
  F(s48, production, "what is being built, rule name", cw_s48_of(production_of(c)))                        \
  F(i32, production_cost, "shields it costs", city_production_build_shield_cost(c))                        \
  F(i32, worklist, "entries of the worklist", worklist_length(&c->worklist))                               \
  F(b1, did_buy, "whether production was bought this turn", c->did_buy)                                    \
  F(b1, did_sell, "whether a building was sold this turn", c->did_sell)                                    \
  F(bits256, buildings, "bit n (of byte n / 8, low bit first): building n stands here", t.buildings)       \
  F(i32, improvements, "buildings that are no wonders", t.improvements)                                    \
  F(i32, wonders, "great wonders", t.wonders)                                                              \
  F(i32, culture, "culture, points: history and present performance", city_culture(c))                     \
  F(i32, history, "accumulated culture, points", c->history)                                               \
  F(i32, pollution, "pollution points per turn", c->pollution)                                             \
  F(i32, illness, "chance of plague per turn, tenths of a percent", c->server.illness)                     \
  F(i32, turn_plague, "turn of the last plague, -1 never", c->turn_plague)                                 \
  F(i32, turn_founded, "turn the city was founded", c->turn_founded)                                       \
  F(i32, turn_last_built, "turn something was last built", c->turn_last_built)                             \
  F(i32, radius_sq, "square of the working radius, tiles", city_map_radius_sq_get(c))                      \
  F(i32, trade_routes, "trade routes", t.routes)                                                           \
  F(i32, trade_route_value, "trade per turn from them", t.route_value)                                     \
  F(i32, units_supported, "units this city pays for", unit_list_size(c->units_supported))                  \
  F(i32, garrison, "units on the city's tile", t.garrison)                                                 \
  F(i32, defenders, "of these, military units with defence strength", t.defenders)                         \
  F(i32, airlift, "airlifts left this turn", c->airlift)                                                   \
  F(i32, steals, "times an advance was stolen here", c->steal)

CW_RECORD(cities, CITY_FIELDS)

static const char *production_of(const struct city *c)
{
  switch (c->production.kind) {
  case VUT_IMPROVEMENT:
    return improvement_rule_name(c->production.value.building);
  case VUT_UTYPE:
    return utype_rule_name(c->production.value.utype);
  default:
    return "";
  }
}

static int foreign_of(const struct city *c)
{
  int all = 0;
  if (!game.info.citizen_nationality) {
    return 0;
  }
  /* the same as citizens_nation_foreign(), which looks up a player for each of the 512 entries */
  for (int i = 0; i < MAX_NUM_PLAYER_SLOTS; i++) {
    all += c->nationality[i];
  }
  return all - c->nationality[player_index(city_owner(c))];
}

static cw_specialists specialists_of(const struct city *c)
{
  cw_specialists out;
  _Static_assert(sizeof(out.b) == sizeof(c->specialists), "one byte per specialist type");
  memcpy(out.b, c->specialists, sizeof(out.b));
  return out;
}

static struct tally tally_city(const struct city *c)
{
  struct tally t = {0};
  specialist_type_iterate(sp) {
    t.specialists += c->specialists[sp];
  } specialist_type_iterate_end;
  improvement_iterate(impr) {
    if (city_has_building(c, impr)) {
      cw_bit_set(t.buildings.b, improvement_index(impr));
      t.improvements += !is_wonder(impr);
      t.wonders += is_great_wonder(impr);
    }
  } improvement_iterate_end;
  unit_list_iterate(city_tile(c)->units, punit) {
    t.garrison++;
    t.defenders += cw_unit_type_is_military(unit_type_get(punit)) && unit_type_get(punit)->defense_strength > 0;
  } unit_list_iterate_end;
  trade_route_list_iterate(c->routes, route) {
    t.routes++;
    t.route_value += route->value;
  } trade_route_list_iterate_end;
  return t;
}

static size_t cities_rows(void)
{
  size_t rows = 0;
  players_iterate(p) {
    rows += (size_t)city_list_size(p->cities);
  } players_iterate_end;
  return rows;
}

static void cities_fill(void *records)
{
  struct cw_cities *out = records;
  cities_iterate(c) {
    const struct tally t = tally_city(c);
    CITY_FIELDS(CW_FILL)
    out++;
  } cities_iterate_end;
}

CW_TABLE(cities)

/* ---- great wonders ----------------------------------------------------------------------------------- */

#define WONDER_FIELDS(F)                                                                                   \
  F(i32, id, "building number", improvement_number(b))                                                     \
  F(s48, name, "rule name", cw_s48_of(improvement_rule_name(b)))                                           \
  F(b1, built, "whether it stands", great_wonder_is_built(b))                                              \
  F(b1, destroyed, "whether it stood and cannot be built again", great_wonder_is_destroyed(b))             \
  F(i32, owner, "player number of the owner, -1 none", cw_player_id(great_wonder_owner(b)))                \
  F(i32, city, "city id of the city it stands in, 0 none", wonder_city(b))

CW_RECORD(wonders, WONDER_FIELDS)

static int wonder_city(const struct impr_type *b)
{
  const struct city *pcity = city_from_great_wonder(b);
  return pcity != NULL ? pcity->id : 0;
}

static size_t wonders_rows(void)
{
  size_t rows = 0;
  improvement_iterate(b) {
    rows += is_great_wonder(b);
  } improvement_iterate_end;
  return rows;
}

static void wonders_fill(void *records)
{
  struct cw_wonders *out = records;
  improvement_iterate(b) {
    if (is_great_wonder(b)) {
      WONDER_FIELDS(CW_FILL)
      out++;
    }
  } improvement_iterate_end;
}

CW_TABLE(wonders)
