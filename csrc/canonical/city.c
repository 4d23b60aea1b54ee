/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Canonical state of cities. */

#include "fc_config.h"

#include "city.h"
#include "game.h"
#include "improvement.h"
#include "player.h"
#include "tile.h"
#include "traderoutes.h"
#include "unit.h"
#include "unitlist.h"
#include "vision.h"
#include "workertask.h"
#include "worklist.h"

#include "cm.h"

#include "canonical/canonical.h"

/* Fields of struct city that are single numbers. */
#define NUMBERS(V) \
  V(id) V(style) V(capital) V(size) V(martial_law) V(unit_happy_upkeep) V(food_stock) V(shield_stock)         \
  V(pollution) V(illness_trade) V(turn_plague) V(city_radius_sq) V(airlift) V(did_buy) V(did_sell)             \
  V(was_happy) V(anarchy) V(rapture) V(turn_founded) V(turn_last_built) V(before_change_shields)               \
  V(caravan_shields) V(disbanded_shields) V(last_turns_shield_surplus) V(history) V(steal)                     \
  V(server.mgr_score_calc_turn) V(server.illness) V(server.workers_frozen) V(server.needs_arrange)             \
  V(server.needs_refresh)

static void put_people(struct cw_writer *w, const struct city *c)
{
  cw_put(w, c->feel, sizeof(c->feel));
  cw_put(w, c->specialists, sizeof(c->specialists));
  cw_put_u8(w, c->nationality != NULL);
  for (int i = 0; c->nationality != NULL && i < MAX_NUM_PLAYER_SLOTS; i++) {
    if (c->nationality[i] != 0) {
      cw_put_i16(w, (int16_t)i);
      cw_put_u8(w, c->nationality[i]);
    }
  }
}

/* The tile outputs are what the next plain refresh of the city starts from. */
static void put_output(struct cw_writer *w, const struct city *c)
{
  CW_PUT_INTS(c->surplus)
  CW_PUT_INTS(c->waste)
  CW_PUT_INTS(c->unhappy_penalty)
  CW_PUT_INTS(c->prod)
  CW_PUT_INTS(c->citizen_base)
  CW_PUT_INTS(c->usage)
  CW_PUT_INTS(c->bonus)
  CW_PUT(c->tile_cache_radius_sq)
  if (c->tile_cache != NULL && c->tile_cache_radius_sq >= 0) {
    cw_put(w, c->tile_cache, (size_t)city_map_tiles(c->tile_cache_radius_sq) * O_LAST * sizeof(int));
  }
}

static void put_buildings(struct cw_writer *w, const struct city *c)
{
  improvement_iterate(impr) {
    cw_put_i16(w, (int16_t)c->built[improvement_index(impr)].turn);
  } improvement_iterate_end;
  cw_put_universal(w, &c->production);
  cw_put_universal(w, &c->changed_from);
  CW_PUT(c->worklist.length)
  for (int i = 0; i < c->worklist.length; i++) {
    cw_put_universal(w, &c->worklist.entries[i]);
  }
}

static void put_trade(struct cw_writer *w, const struct city *c)
{
  cw_put_u32(w, (uint32_t)trade_route_list_size(c->routes));
  trade_route_list_iterate(c->routes, r) {
    CW_PUT(r->partner)
    CW_PUT(r->value)
    CW_PUT(r->dir)
    CW_PUT(r->goods != NULL ? goods_number(r->goods) : -1)
  } trade_route_list_iterate_end;
}

/* What the owner has told the city to do. */
static void put_wishes(struct cw_writer *w, const struct city *c)
{
  CW_PUT_BITS(c->city_options)
  cw_put_u32(w, (uint32_t)worker_task_list_size(c->task_reqs));
  worker_task_list_iterate(c->task_reqs, task) {
    cw_put_tile(w, task->ptile);
    CW_PUT(task->act)
    cw_put_extra(w, task->tgt);
    CW_PUT(task->want)
  } worker_task_list_iterate_end;
  cw_put_u32(w, (uint32_t)c->rally_point.length);
  for (size_t i = 0; i < c->rally_point.length; i++) {
    cw_put_order(w, &c->rally_point.orders[i]);
  }
  CW_PUT(c->rally_point.persistent)
  CW_PUT(c->rally_point.vigilant)
  cw_put_u8(w, c->cm_parameter != NULL);
  if (c->cm_parameter != NULL) {
    CW_PUT_INTS(c->cm_parameter->minimal_surplus)
    CW_PUT_INTS(c->cm_parameter->factor)
    CW_PUT(c->cm_parameter->happy_factor)
    CW_PUT(c->cm_parameter->max_growth)
    CW_PUT(c->cm_parameter->require_happy)
    CW_PUT(c->cm_parameter->allow_disorder)
    CW_PUT(c->cm_parameter->allow_specialists)
  }
}

static void put_city(struct cw_writer *w, const struct city *c)
{
#define V(field) CW_PUT(c->field)
  NUMBERS(V)
#undef V
  cw_put_text(w, c->name);
  cw_put_tile(w, c->tile);
  cw_put_player(w, c->owner);
  cw_put_player(w, c->original);
  cw_put_f32(w, c->server.migration_score);
  put_people(w, c);
  put_output(w, c);
  put_buildings(w, c);
  put_trade(w, c);
  put_wishes(w, c);
  cw_put_unit_ids(w, c->units_supported);
  cw_put_vision(w, c->server.vision);
}

void cw_canonical_cities(struct cw_writer *w)
{
  cities_iterate(c) {
    put_city(w, c);
  } cities_iterate_end;
}
