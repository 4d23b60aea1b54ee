/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Canonical state of the map, and of what each player knows of it. */

#include "fc_config.h"

#include "city.h"
#include "extras.h"
#include "map.h"
#include "player.h"
#include "terrain.h"
#include "tile.h"
#include "unitlist.h"
#include "vision.h"

#include "maphand.h"

#include "canonical/canonical.h"

static void put_terrain(struct cw_writer *w, const struct terrain *terrain)
{
  cw_put_i16(w, (int16_t)(terrain != NULL ? terrain->item_number : -1));
}

static void put_map_tile(struct cw_writer *w, const struct tile *t)
{
  put_terrain(w, t->terrain);
  cw_put_i16(w, t->continent);
  CW_PUT_BITS(t->extras)
  cw_put_extra(w, t->resource);
  cw_put_extra(w, t->placing);
  CW_PUT(t->infra_turns)
  cw_put_player(w, t->owner);
  cw_put_player(w, t->extras_owner);
  cw_put_tile(w, t->claimer);
  CW_PUT(t->worked != NULL ? t->worked->id : 0)
  cw_put_text(w, t->label);
  cw_put_unit_ids(w, t->units);
}

void cw_canonical_tiles(struct cw_writer *w)
{
  whole_map_iterate(&wld.map, t) {
    put_map_tile(w, t);
  } whole_map_iterate_end;
}

/* ---- knowledge --------------------------------------------------------------------------------------- */

static void put_site(struct cw_writer *w, const struct vision_site *s)
{
  cw_put_text(w, s->name);
  cw_put_tile(w, s->location);
  cw_put_player(w, s->owner);
  CW_PUT(s->identity)
  CW_PUT(s->size)
  CW_PUT(s->occupied)
  CW_PUT(s->walls)
  CW_PUT(s->happy)
  CW_PUT(s->unhappy)
  CW_PUT(s->style)
  CW_PUT(s->city_image)
  CW_PUT(s->capital)
  CW_PUT_BITS(s->improvements)
}

static bool any_seen(const struct player_tile *t)
{
  for (int v = 0; v < V_COUNT; v++) {
    if (t->own_seen[v] != 0 || t->seen_count[v] != 0) {
      return true;
    }
  }
  return false;
}

/* A tile that the player has no memory of takes three bytes. */
static void put_player_tile(struct cw_writer *w, const struct player_tile *t, bool known)
{
  bool seen = any_seen(t), remembered = known || t->terrain != NULL || t->site != NULL;
  cw_put_u8(w, (uint8_t)(known | remembered << 1 | seen << 2 | (t->site != NULL) << 3));
  cw_put_i16(w, t->last_updated);
  if (seen) {
    cw_put(w, t->own_seen, sizeof(t->own_seen));
    cw_put(w, t->seen_count, sizeof(t->seen_count));
  }
  if (remembered) {
    put_terrain(w, t->terrain);
    cw_put_extra(w, t->resource);
    cw_put_player(w, t->owner);
    cw_put_player(w, t->extras_owner);
    CW_PUT_BITS(t->extras)
  }
  if (t->site != NULL) {
    put_site(w, t->site);
  }
}

void cw_canonical_knowledge(struct cw_writer *w)
{
  players_iterate(p) {
    cw_put_player(w, p);
    cw_put_u8(w, p->server.private_map != NULL);
    for (int i = 0; p->server.private_map != NULL && i < MAP_INDEX_SIZE; i++) {
      put_player_tile(w, &p->server.private_map[i], dbv_isset(&p->tile_known, i));
    }
  } players_iterate_end;
}
