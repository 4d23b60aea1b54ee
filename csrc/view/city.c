/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cities a player knows: its own in full, those of others as it last saw them, kept by the engine as the sites of
 * the player's map (package_dumb_city() of the engine's server/citytools.c). */

#include "fc_config.h"

#include "city.h"
#include "game.h"
#include "map.h"
#include "player.h"
#include "tile.h"
#include "vision.h"

#include "maphand.h"

#include "view/view.h"

/* What a site tells, by fields of the table of cities. */
#define SITE_FIELDS(F)                                            \
  F(i32, id, s->identity)                                         \
  F(s80, name, cw_s80_of(s->name))                                \
  F(i32, owner, cw_player_id(s->owner))                           \
  F(i32, tile, tile_index(s->location))                           \
  F(i32, x, index_to_map_pos_x(tile_index(s->location)))          \
  F(i32, y, index_to_map_pos_y(tile_index(s->location)))          \
  F(s16, capital, cw_s16_of(capital_type_name(s->capital)))       \
  F(i32, size, vision_site_size_get(s))                           \
  F(b1, disorder, s->unhappy)                                     \
  F(bits256, buildings, buildings_of(s))

#define CITY_VIEW_FIELDS(F)                                                                                \
  F(i32, age, "turns since the viewer last saw the city, 0 now", age)                                      \
  F(b1, occupied, "whether units stand in it, as last seen", occupied)                                     \
  F(b1, full, "whether the city is the viewer's own, so that every field is known", full)

CW_RECORD(view_cities, CITY_VIEW_FIELDS)

#define GATE(type, name, value) {#name, CW_LEVEL_ALWAYS},
static const struct cw_gate cities_gates[] = {SITE_FIELDS(GATE){NULL, CW_LEVEL_OWN}};

#define PLACE(type, name, value) int name;
static struct { SITE_FIELDS(PLACE) } places;

static void __attribute__((constructor)) find_places(void)
{
#define FIND(type, name, value) places.name = cw_view_place(&cw_table_cities, #name, sizeof(cw_##type));
  SITE_FIELDS(FIND)
}

static cw_bits256 buildings_of(const struct vision_site *s)
{
  cw_bits256 out = {{0}};
  _Static_assert(sizeof(s->improvements.vec) <= sizeof(out.b), "one bit per building");
  memcpy(out.b, s->improvements.vec, sizeof(s->improvements.vec));
  return out;
}

static void put_extra(uint8_t *record, int age, bool occupied, bool full)
{
  struct cw_view_cities extra = {.age = age, .occupied = occupied, .full = full};
  memcpy(cw_view_extra(&cw_view_cities, record), &extra, sizeof(extra));
}

static void put_site(const struct vision_site *s, int age, uint8_t *out)
{
  cw_view_blank(&cw_view_cities, out);
#define PUT(type, name, value)                       \
  {                                                  \
    const cw_##type field = (value);                 \
    memcpy(out + places.name, &field, sizeof(field)); \
  }
  SITE_FIELDS(PUT)
  put_extra(out, age, s->occupied, false);
}

/* Trade partners tell of a city out of sight. */
static int age_of(const struct vision_site *s, const struct player_tile *ptile, const struct player *viewer)
{
  const struct city *pcity = tile_city(s->location);
  if (tile_is_seen(s->location, viewer)
      || (pcity != NULL && pcity->id == s->identity && player_can_see_city_externals(viewer, pcity))) {
    return 0;
  }
  return game.info.turn - ptile->last_updated;
}

static bool is_own_city(const struct tile *t, const struct player *viewer)
{
  return tile_city(t) != NULL && city_owner(tile_city(t)) == viewer;
}

static size_t cities_rows(const struct player *viewer)
{
  size_t rows = (size_t)city_list_size(viewer->cities);
  for (int i = 0; i < MAP_INDEX_SIZE; i++) {
    rows += viewer->server.private_map[i].site != NULL;
  }
  return rows;
}

static size_t cities_fill(const struct player *viewer, const uint8_t *base, uint8_t *out)
{
  const int size = cw_table_cities.record_size + CW_VIEW_ROOM(cities);
  size_t rows = 0;
  cities_iterate(c) {
    if (city_owner(c) == viewer) {
      cw_view_copy(&cw_view_cities, base, CW_LEVEL_OWN, out);
      put_extra(out, 0, unit_list_size(city_tile(c)->units) > 0, true);
      out += size;
      rows++;
    }
    base += cw_table_cities.record_size;
  } cities_iterate_end;
  for (int i = 0; i < MAP_INDEX_SIZE; i++) {
    const struct player_tile *known = &viewer->server.private_map[i];
    if (known->site != NULL && !is_own_city(known->site->location, viewer)) {
      put_site(known->site, age_of(known->site, known, viewer), out);
      out += size;
      rows++;
    }
  }
  return rows;
}

const struct cw_view cw_view_cities = {
  "cities", &cw_table_cities, cities_gates, view_cities_schema, CW_VIEW_ROOM(cities), cities_rows,
  cities_fill};
