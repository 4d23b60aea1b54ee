/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Table of map tiles. */

#include "fc_config.h"

#include "extras.h"
#include "map.h"
#include "player.h"
#include "terrain.h"
#include "tile.h"
#include "unitlist.h"

#include "maphand.h"

#include "export/export.h"

#define TILE_FIELDS(F)                                                                                     \
  F(i32, index, "tile index, equal to the record's position", tile_index(t))                               \
  F(i16, x, "map x", (int16_t)x)                                                                           \
  F(i16, y, "map y", (int16_t)y)                                                                           \
  F(i16, terrain, "terrain number", (int16_t)terrain_number(tile_terrain(t)))                              \
  F(i16, continent, "continent number, negative for oceans, 0 for none", tile_continent(t))                \
  F(i16, resource, "extra number of the resource, -1 none",                                                \
    (int16_t)(tile_resource_is_valid(t) ? extra_number(tile_resource(t)) : -1))                            \
  F(i16, units, "units on the tile", (int16_t)unit_list_size(t->units))                                    \
  F(i32, owner, "player number of the owner, -1 none", cw_player_id(tile_owner(t)))                        \
  F(i32, extras_owner, "player number of the owner of bases here, -1 none", cw_player_id(t->extras_owner)) \
  F(i32, city, "city id of the city on the tile, 0 none", city_on(t))                                      \
  F(i32, worked, "city id of the city that works the tile, 0 none",                                        \
    tile_worked(t) != NULL ? tile_worked(t)->id : 0)                                                       \
  F(bits128, extras, "bit n (of byte n / 8, low bit first): extra n is here", extras_of(t))                \
  F(u64, known, "bit n: player n has ever seen the tile", 0)                                               \
  F(u64, seen, "bit n: player n sees the tile now", 0)

CW_RECORD(tiles, TILE_FIELDS)

static int city_on(const struct tile *t)
{
  const struct city *pcity = tile_city(t);
  return pcity != NULL ? pcity->id : 0;
}

static cw_bits128 extras_of(const struct tile *t)
{
  cw_bits128 out;
  _Static_assert(sizeof(out.b) == sizeof(t->extras.vec), "one bit per extra");
  memcpy(out.b, t->extras.vec, sizeof(out.b));
  return out;
}

/* What a player knows of the map: a bit per tile ever seen, and how often each is seen now. */
struct knower {
  uint64_t bit;
  const unsigned char *known;
  const struct player_tile *map;
};

static int list_knowers(struct knower *out)
{
  int n = 0;
  players_iterate(p) {
    if (player_number(p) >= CW_MASK_PLAYERS) {
      cw_guard_fail(CW_EARGUMENT, __FILE__, "player %d: the tile table holds what players 0-%d know",
                    player_number(p), CW_MASK_PLAYERS - 1);
    }
    if (p->server.private_map != NULL) {
      out[n++] = (struct knower){UINT64_C(1) << player_number(p), p->tile_known.vec, p->server.private_map};
    }
  } players_iterate_end;
  return n;
}

static void fill_knowledge(struct cw_tiles *out, const struct knower *knowers, int n, int tile)
{
  for (int k = 0; k < n; k++) {
    const struct knower *who = &knowers[k];
    out->known |= who->known[tile / 8] >> (tile % 8) & 1 ? who->bit : 0;
    out->seen |= who->map[tile].seen_count[V_MAIN] > 0 ? who->bit : 0;
  }
}

static size_t tiles_rows(void)
{
  return MAP_INDEX_SIZE;
}

static void tiles_fill(void *records)
{
  struct cw_tiles *out = records;
  struct knower knowers[CW_MASK_PLAYERS];
  int n = list_knowers(knowers), x, y;
  whole_map_iterate(&wld.map, t) {
    index_to_map_pos(&x, &y, tile_index(t));
    TILE_FIELDS(CW_FILL)
    fill_knowledge(out, knowers, n, tile_index(t));
    out++;
  } whole_map_iterate_end;
}

CW_TABLE(tiles)
