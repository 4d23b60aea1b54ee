/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists what a player may order now, by what that player knows. What stands hidden near its units is taken off the map
 * while the rules are asked, so that no answer depends on it. */

#include "command/legal.h"

#include "city.h"
#include "game.h"
#include "map.h"
#include "player.h"
#include "tile.h"
#include "unit.h"
#include "unitlist.h"
#include "vision.h"

#include "maphand.h"
#include "srv_main.h"

/* ---- what the player cannot see --------------------------------------------------------------------------- */

static struct {
  struct tile *tile;
  struct unit *unit;
  int at;
} *hidden CW_HOST_DATA;
static size_t nhidden CW_HOST_DATA, hidden_cap CW_HOST_DATA;

static void hide_on(const struct player *plr, struct tile *tile)
{
  int at = 0;
  unit_list_iterate_safe(tile->units, u) {
    if (unit_owner(u) != plr && !can_player_see_unit(plr, u)) {
      if (nhidden == hidden_cap) {
        hidden_cap = hidden_cap * 2 + 64;
        hidden = realloc(hidden, hidden_cap * sizeof(*hidden));
        if (hidden == NULL) {
          cw_guard_fail(CW_ENOMEMORY, __FILE__, "out of memory for a list of orders");
        }
      }
      hidden[nhidden].tile = tile;
      hidden[nhidden].unit = u;
      hidden[nhidden++].at = at;
      unit_list_remove(tile->units, u);
    } else {
      at++;
    }
  } unit_list_iterate_safe_end;
}

static void show_again(void)
{
  while (nhidden > 0) {
    nhidden--;
    unit_list_insert(hidden[nhidden].tile->units, hidden[nhidden].unit, hidden[nhidden].at);
  }
}

static void hide_from(const struct player *plr)
{
  nhidden = 0;
  unit_list_iterate(plr->units, u) {
    square_iterate(&wld.map, unit_tile(u), 2, tile) {
      if (unit_list_size(tile->units) > 0) {
        hide_on(plr, tile);
      }
    } square_iterate_end;
  } unit_list_iterate_end;
}

/* ---- the public calls ---------------------------------------------------------------------------------- */

/* The player by number; NULL with the error set when there is none. */
static struct player *find_player(int number)
{
  struct player *plr = cw_space_is_mounted() && game_was_started() ? player_by_number(number) : NULL;
  if (plr == NULL) {
    cw_error(CW_EARGUMENT, "player %d does not exist (players 0-%d)", number, player_count() - 1);
  }
  return plr;
}

int cw_legal(int player, uint8_t *buf, size_t cap, size_t *needed)
{
  struct player *plr;
  CW_GUARD_BEGIN;
  *needed = 0;
  plr = find_player(player);
  if (plr == NULL) {
    CW_GUARD_END(CW_EARGUMENT);
  }
  cw_legal_begin((struct cw_legal *)buf, cap / sizeof(struct cw_legal));
  if (plr->is_alive && is_human(plr)) {
    hide_from(plr);
    unit_list_iterate(plr->units, u) {
      cw_legal_unit(u);
    } unit_list_iterate_end;
    show_again();
    city_list_iterate(plr->cities, c) {
      cw_legal_city(c);
    } city_list_iterate_end;
    cw_legal_nation(plr);
  }
  *needed = cw_legal_count() * sizeof(struct cw_legal);
  CW_GUARD_END(*needed > cap ? CW_REFUSED : CW_OK);
}

#define KNOWN_CITY_FIELDS(F)                        \
  F(i32, id, "city id", city->id)                   \
  F(s124, name, "the name that the player knows", known_name(site))

CW_RECORD(known_cities, KNOWN_CITY_FIELDS)
CW_RECORD_ROW(known_cities)

static cw_s124 known_name(const struct vision_site *site)
{
  cw_s124 out;
  cw_text_copy(out.s, sizeof(out.s), site->name);
  return out;
}

/* Adds a city that the player knows to n cities already there, if there is room; how many there are then. */
static size_t put_known(const struct player *plr, const struct city *city, struct cw_known_cities *rows, size_t cap,
                        size_t n)
{
  const struct vision_site *site = map_get_player_city(city_tile(city), plr);
  if (site == NULL || site->identity != city->id) {
    return n;
  }
  if (n < cap) {
    struct cw_known_cities *out = &rows[n];
    KNOWN_CITY_FIELDS(CW_FILL)
  }
  return n + 1;
}

static size_t list_known(const struct player *plr, struct cw_known_cities *rows, size_t cap)
{
  size_t n = 0;
  players_iterate(other) {
    city_list_iterate(other->cities, city) {
      n = put_known(plr, city, rows, cap, n);
    } city_list_iterate_end;
  } players_iterate_end;
  return n;
}

int cw_legal_cities(int player, uint8_t *buf, size_t cap, size_t *needed)
{
  const struct player *plr;
  *needed = 0;
  CW_GUARD_BEGIN;
  plr = find_player(player);
  if (plr == NULL) {
    CW_GUARD_END(CW_EARGUMENT);
  }
  *needed = list_known(plr, (struct cw_known_cities *)buf, cap / sizeof(struct cw_known_cities))
            * sizeof(struct cw_known_cities);
  CW_GUARD_END(*needed > cap ? CW_REFUSED : CW_OK);
}
