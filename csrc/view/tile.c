/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The map as a player knows it: tiles in sight as they are, others as last seen (send_tile_info() of the engine's
 * server/maphand.c). Stricter than the engine in two things, so that nothing out of sight ever shows: borders are those
 * last seen even where the setting 'foggedborders' is off, and numbers of continents, which change with land that
 * nobody has seen, are left out. */

#include "fc_config.h"

#include "city.h"
#include "extras.h"
#include "game.h"
#include "map.h"
#include "player.h"
#include "terrain.h"
#include "tile.h"
#include "unitlist.h"
#include "vision.h"

#include "maphand.h"

#include "view/view.h"

/* A tile and what the viewer knows of it. */
struct sight {
  const struct player *viewer;
  const struct tile *tile;
  const struct player_tile *memory;
  enum known_type known;
};

#define SEEN (s->known == TILE_KNOWN_SEEN)
#define KNOWN (s->known != TILE_UNKNOWN)
#define OWNER(field) (SEEN ? s->tile->field : KNOWN ? s->memory->field : NULL)

#define TILE_VIEW_FIELDS(F)                                                                                \
  F(i32, index, "tile index, equal to the record's position", tile_index(s->tile))                         \
  F(i16, x, "map x", (int16_t)index_to_map_pos_x(tile_index(s->tile)))                                     \
  F(i16, y, "map y", (int16_t)index_to_map_pos_y(tile_index(s->tile)))                                     \
  F(i8, known, "0 never seen, 1 seen before, 2 in sight now", (int8_t)s->known)                            \
  F(i32, age, "turns since it was last in sight, 0 now, -1 never", age_of(s))                              \
  F(i16, terrain, "terrain number, -1 never seen", terrain_of(s))                                          \
  F(i16, resource, "extra number of the resource, -1 none known", resource_of(s))                          \
  F(i16, units, "units the viewer sees on the tile", units_on(s))                                          \
  F(i32, owner, "player number of the owner, -1 none known", cw_player_id(OWNER(owner)))                   \
  F(i32, extras_owner, "player number of the owner of bases here, -1 none known",                          \
    cw_player_id(OWNER(extras_owner)))                                                                     \
  F(i32, city, "city id of the city known to be on the tile, 0 none", city_of(s))                          \
  F(i32, worked, "city id of the city that works the tile, 0 none or not in sight",                        \
    SEEN && tile_worked(s->tile) != NULL ? tile_worked(s->tile)->id : 0)                                   \
  F(bits128, extras, "bit n (of byte n / 8, low bit first): extra n is known to be here", extras_of(s))

CW_RECORD(view_tiles, TILE_VIEW_FIELDS)

static int age_of(const struct sight *s)
{
  return SEEN ? 0 : KNOWN ? game.info.turn - s->memory->last_updated : -1;
}

static int16_t terrain_of(const struct sight *s)
{
  const struct terrain *terrain = SEEN ? tile_terrain(s->tile) : KNOWN ? s->memory->terrain : NULL;
  return (int16_t)(terrain != NULL ? terrain_number(terrain) : -1);
}

static int16_t resource_of(const struct sight *s)
{
  const struct extra_type *resource = s->memory->resource;
  if (SEEN) {
    resource = tile_resource_is_valid(s->tile) && player_knows_extra_exist(s->viewer, tile_resource(s->tile), s->tile)
               ? tile_resource(s->tile) : NULL;
  }
  return (int16_t)(KNOWN && resource != NULL ? extra_number(resource) : -1);
}

static int16_t units_on(const struct sight *s)
{
  int count = 0;
  unit_list_iterate(s->tile->units, u) {
    count += unit_owner(u) == s->viewer || can_player_see_unit(s->viewer, u);
  } unit_list_iterate_end;
  return (int16_t)count;
}

static int city_of(const struct sight *s)
{
  const struct city *pcity = tile_city(s->tile);
  if (pcity != NULL && city_owner(pcity) == s->viewer) {
    return pcity->id;
  }
  return s->memory->site != NULL ? s->memory->site->identity : 0;
}

static cw_bits128 extras_of(const struct sight *s)
{
  cw_bits128 out = {{0}};
  _Static_assert(sizeof(out.b) == sizeof(s->memory->extras.vec), "one bit per extra");
  if (KNOWN) {
    memcpy(out.b, s->memory->extras.vec, sizeof(out.b));
  }
  return out;
}

static size_t tiles_rows(const struct player *viewer)
{
  (void)viewer;
  return MAP_INDEX_SIZE;
}

/* The same as tile_get_known(), without its walk through function pointers. */
static enum known_type known_of(const struct player *viewer, int i)
{
  if (!dbv_isset(&viewer->tile_known, i)) {
    return TILE_UNKNOWN;
  }
  return viewer->server.private_map[i].seen_count[V_MAIN] > 0 ? TILE_KNOWN_SEEN : TILE_KNOWN_UNSEEN;
}

static size_t tiles_fill(const struct player *viewer, const uint8_t *base, uint8_t *records)
{
  struct cw_view_tiles *out = (struct cw_view_tiles *)records;
  (void)base;
  whole_map_iterate(&wld.map, t) {
    const struct sight sight = {viewer, t, &viewer->server.private_map[tile_index(t)],
                                known_of(viewer, tile_index(t))};
    const struct sight *s = &sight;
    TILE_VIEW_FIELDS(CW_FILL)
    out++;
  } whole_map_iterate_end;
  return tiles_rows(viewer);
}

const struct cw_view cw_view_tiles = {
  "tiles", NULL, NULL, view_tiles_schema, CW_VIEW_ROOM(tiles), tiles_rows, tiles_fill};
