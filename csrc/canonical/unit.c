/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Canonical state of units. */

#include "fc_config.h"

#include "extras.h"
#include "player.h"
#include "tile.h"
#include "traderoutes.h"
#include "unit.h"
#include "unitlist.h"
#include "vision.h"

#include "canonical/canonical.h"

/* Fields of struct unit that are single numbers. */
#define NUMBERS(V) \
  V(id) V(facing) V(homecity) V(moves_left) V(hp) V(veteran) V(fuel) V(activity) V(activity_count)            \
  V(changed_from) V(changed_from_count) V(ssa_controller) V(moved) V(paradropped) V(done_moving)               \
  V(battlegroup) V(has_orders) V(action_decision_want) V(stay) V(server.birth_turn) V(server.action_turn)      \
  V(server.dying)

void cw_put_order(struct cw_writer *w, const struct unit_order *order)
{
  CW_PUT(order->order)
  CW_PUT(order->activity)
  CW_PUT(order->target)
  CW_PUT(order->sub_target)
  CW_PUT(order->action)
  CW_PUT(order->dir)
}

static void put_orders(struct cw_writer *w, const struct unit *u)
{
  if (u->has_orders) {
    CW_PUT(u->orders.length)
    CW_PUT(u->orders.index)
    CW_PUT(u->orders.repeat)
    CW_PUT(u->orders.vigilant)
    for (int i = 0; i < u->orders.length; i++) {
      cw_put_order(w, &u->orders.list[i]);
    }
  }
}

static void put_unit(struct cw_writer *w, const struct unit *u)
{
#define V(field) CW_PUT(u->field)
  NUMBERS(V)
#undef V
  CW_PUT(utype_number(u->utype))
  cw_put_tile(w, u->tile);
  cw_put_tile(w, u->goto_tile);
  cw_put_tile(w, u->action_decision_tile);
  cw_put_player(w, u->owner);
  cw_put_player(w, u->nationality);
  cw_put_extra(w, u->activity_target);
  cw_put_extra(w, u->changed_from_target);
  CW_PUT_INTS(u->upkeep)
  CW_PUT_INTS(u->server.upkeep_paid)
  CW_PUT(u->transporter != NULL ? u->transporter->id : 0)
  CW_PUT(u->carrying != NULL ? goods_number(u->carrying) : -1)
  cw_put_u8(w, u->server.moving != NULL);
  cw_put_u8(w, u->server.removal_callback != NULL);
  cw_put_unit_ids(w, u->transporting);
  put_orders(w, u);
  cw_put_vision(w, u->server.vision);
}

void cw_canonical_units(struct cw_writer *w)
{
  players_iterate(p) {
    unit_list_iterate(p->units, u) {
      put_unit(w, u);
    } unit_list_iterate_end;
  } players_iterate_end;
}
