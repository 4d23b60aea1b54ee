/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of orders that a player may give now: its rows, and the parts that add to it. */
#ifndef CW_LEGAL_H
#define CW_LEGAL_H

#include "command/command.h"
#include "export/export.h"

struct city;
struct player;
struct unit;

/* Kinds of rows: the commands, but that what a city may produce is of two kinds. */
#define CW_ORDERS(W) \
  W(CW_ORDER_UNIT_ACTION, "unit_action")                       \
  W(CW_ORDER_MOVE, "move")                                     \
  W(CW_ORDER_EXPLORE, "explore")                               \
  W(CW_ORDER_AUTO_WORKER, "auto_worker")                       \
  W(CW_ORDER_SENTRY, "sentry")                                 \
  W(CW_ORDER_STOP, "stop")                                     \
  W(CW_ORDER_PRODUCE_UNIT, "produce_unit")                     \
  W(CW_ORDER_PRODUCE_BUILDING, "produce_building")             \
  W(CW_ORDER_BUY, "buy")                                       \
  W(CW_ORDER_SELL, "sell")                                     \
  W(CW_ORDER_SPECIALIST, "specialist")                         \
  W(CW_ORDER_WORK_TILE, "work_tile")                           \
  W(CW_ORDER_LEAVE_TILE, "leave_tile")                         \
  W(CW_ORDER_RESEARCH, "research")                             \
  W(CW_ORDER_GOAL, "goal")                                     \
  W(CW_ORDER_RATES, "rates")                                   \
  W(CW_ORDER_GOVERNMENT, "government")                         \
  W(CW_ORDER_POLICY, "policy")                                 \
  W(CW_ORDER_SPACESHIP_LAUNCH, "spaceship_launch")             \
  W(CW_ORDER_PROPOSE, "propose")                               \
  W(CW_ORDER_ACCEPT_TREATY, "accept_treaty")                   \
  W(CW_ORDER_CANCEL_TREATY, "cancel_treaty")                   \
  W(CW_ORDER_CANCEL_PACT, "cancel_pact")                       \
  W(CW_ORDER_END_VISION, "end_vision")
enum cw_legal_kind { CW_ORDERS(CW_WORD_NUMBER) };

#define LEGAL_FIELDS(F)                                                                             \
  F(i32, kind, "kind of order, a word of `orders`", 0)                                              \
  F(i32, actor, "unit, city or player number that it is about; 0 for the nation itself", 0)         \
  F(i32, type, "number of the unit's type", 0)                                                      \
  F(i32, what, "number of the action, product, advance, ...; price of a purchase; percent of tax", 0) \
  F(i32, target, "id or tile index; value of a policy; player that gives; percent of luxury", 0)    \
  F(i32, sub, "number of the sub-target, -1 none; percent of science", 0)                           \
  F(i32, tile, "tile index", 0)                                                                     \
  F(i32, dir, "direction of a neighbouring tile, a word of `directions`; -1 none", 0)               \
  F(i32, low, "lower bound of the probability of success, in half percent", 0)                      \
  F(i32, high, "upper bound of the same", 0)
CW_STRUCT(legal, LEGAL_FIELDS)

/* Starts a list with room for cap rows. */
void cw_legal_begin(struct cw_legal *rows, size_t cap);
/* Adds a row, sure to succeed and without a target until the caller says otherwise; beyond the room it is only
 * counted. */
struct cw_legal *cw_legal_put(enum cw_legal_kind kind, int actor, int type);
/* Rows added since the list was begun. */
size_t cw_legal_count(void);

/* The parts of the list. */
void cw_legal_unit(struct unit *u);
void cw_legal_city(struct city *c);
void cw_legal_nation(struct player *plr);

#endif
