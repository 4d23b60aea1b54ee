/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Orders to cities: production, worklist, trade in buildings, citizens, rally point, name. */

#include "command/command.h"

#include <string.h>

#include "city.h"
#include "game.h"
#include "improvement.h"
#include "map.h"
#include "packets.h"
#include "pf_tools.h"
#include "player.h"
#include "specialist.h"
#include "tile.h"
#include "unittype.h"
#include "worklist.h"

#include "citytools.h"
#include "hand_gen.h"

#include "command/aim.h"

static int done(const struct cw_order *o, const struct city *c)
{
  o->out->city = c->id;
  o->out->tile = tile_index(city_tile(c));
  return CW_OK;
}

/* city; name of a unit type or building. */
static int produce(const struct cw_order *o)
{
  struct universal what = cw_product(o->text);
  struct city *c = cw_own_city(o, o->arg[0]);
  if (what.kind == VUT_NONE) {
    return cw_unknown("unit type or building", o->text);
  }
  if (c == NULL) {
    return CW_REFUSED;
  }
  if (are_universals_equal(&c->production, &what)) {
    return cw_refuse("%s produces %s already", city_name_get(c), o->text);
  }
  if (!can_city_build_now(&wld.map, c, &what)) {
    return cw_refuse("%s cannot produce %s now", city_name_get(c), o->text);
  }
  handle_city_change(o->plr, c->id, c->id, what.kind, universal_number(&what));
  if (!are_universals_equal(&c->production, &what)) {
    return cw_refuse("%s cannot change what it produces now", city_name_get(c));
  }
  return done(o, c);
}

/* city; one name a line, first the one that comes next; nothing clears it. */
static int worklist(const struct cw_order *o)
{
  struct city *c = cw_own_city(o, o->arg[0]);
  struct worklist list;
  char name[MAX_LEN_NAME];
  if (c == NULL) {
    return CW_REFUSED;
  }
  worklist_init(&list);
  for (const char *at = o->text; *at != '\0';) {
    size_t n = strcspn(at, "\n");
    struct universal what;
    snprintf(name, sizeof(name), "%.*s", (int)(n < sizeof(name) ? n : sizeof(name) - 1), at);
    at += at[n] == '\n' ? n + 1 : n;
    what = cw_product(name);
    if (what.kind == VUT_NONE) {
      return cw_unknown("unit type or building", name);
    }
    if (!can_city_build_later(&wld.map, c, &what)) {
      return cw_refuse("%s can never produce %s", city_name_get(c), name);
    }
    if (!worklist_append(&list, &what)) {
      return cw_refuse("a worklist holds %d things", MAX_LEN_WORKLIST);
    }
  }
  if (are_worklists_equal(&list, &c->worklist)) {
    return cw_refuse("this is the worklist of %s already", city_name_get(c));
  }
  handle_city_worklist(o->plr, c->id, c->id, &list);
  return done(o, c);
}

static int buy(const struct cw_order *o)
{
  struct city *c = cw_own_city(o, o->arg[0]);
  int gold = o->plr->economic.gold;
  if (c == NULL) {
    return CW_REFUSED;
  }
  handle_city_buy(o->plr, c->id, c->id);
  if (o->plr->economic.gold == gold) {
    return cw_refuse("there is nothing left to pay for in %s", city_name_get(c));
  }
  o->out->value = gold - o->plr->economic.gold;
  return done(o, c);
}

/* city; name of a building. */
static int sell(const struct cw_order *o)
{
  struct impr_type *building = improvement_by_rule_name(o->text);
  struct city *c = cw_own_city(o, o->arg[0]);
  int gold = o->plr->economic.gold;
  if (building == NULL) {
    return cw_unknown("building", o->text);
  }
  if (c == NULL) {
    return CW_REFUSED;
  }
  if (!city_has_building(c, building)) {
    return cw_refuse("%s has no %s", city_name_get(c), o->text);
  }
  handle_city_sell(o->plr, c->id, c->id, improvement_number(building));
  if (city_has_building(c, building)) {
    return cw_refuse("%s cannot be sold", o->text);
  }
  o->out->value = o->plr->economic.gold - gold;
  return done(o, c);
}

/* city; names of the specialists that one citizen changes from and to. */
static int specialist(const struct cw_order *o)
{
  struct specialist *from = specialist_by_rule_name(o->text), *to = specialist_by_rule_name(o->more);
  struct city *c = cw_own_city(o, o->arg[0]);
  if (from == NULL || to == NULL) {
    return cw_unknown("specialist", from == NULL ? o->text : o->more);
  }
  if (c == NULL) {
    return CW_REFUSED;
  }
  if (from == to || c->specialists[specialist_index(from)] == 0 || !city_can_use_specialist(c, specialist_index(to))) {
    return cw_refuse("no %s of %s can become %s", o->text, city_name_get(c), o->more);
  }
  handle_city_change_specialist(o->plr, c->id, c->id, specialist_index(from), specialist_index(to));
  return done(o, c);
}

/* A tile that citizens of the city may work on, NULL with the refusal set otherwise. */
static struct tile *city_map_tile(const struct city *c, int index)
{
  struct tile *tile = index_to_tile(&wld.map, index);
  if (tile == NULL || !city_map_includes_tile(c, tile)) {
    cw_refuse("tile %d is not in reach of %s", index, city_name_get(c));
    return NULL;
  }
  if (is_free_worked(c, tile)) {
    cw_refuse("the centre of %s works by itself", city_name_get(c));
    return NULL;
  }
  return tile;
}

/* city, tile: one specialist goes to work there. */
static int work_tile(const struct cw_order *o)
{
  struct city *c = cw_own_city(o, o->arg[0]);
  struct tile *tile = c != NULL ? city_map_tile(c, o->arg[1]) : NULL;
  if (tile == NULL) {
    return CW_REFUSED;
  }
  if (city_specialists(c) == 0 || tile_worked(tile) == c || !city_can_work_tile(c, tile)) {
    return cw_refuse("%s has no free citizen for tile %d, or cannot work it", city_name_get(c), o->arg[1]);
  }
  handle_city_make_worker(o->plr, c->id, c->id, o->arg[1]);
  return done(o, c);
}

/* city, tile: whoever works there becomes a specialist. */
static int leave_tile(const struct cw_order *o)
{
  struct city *c = cw_own_city(o, o->arg[0]);
  struct tile *tile = c != NULL ? city_map_tile(c, o->arg[1]) : NULL;
  if (tile == NULL) {
    return CW_REFUSED;
  }
  if (tile_worked(tile) != c) {
    return cw_refuse("nobody of %s works on tile %d", city_name_get(c), o->arg[1]);
  }
  handle_city_make_specialist(o->plr, c->id, c->id, o->arg[1]);
  return done(o, c);
}

/* city: the engine places all citizens anew. */
static int arrange(const struct cw_order *o)
{
  struct city *c = cw_own_city(o, o->arg[0]);
  if (c == NULL) {
    return CW_REFUSED;
  }
  /* what a click on the city centre asks for */
  handle_city_make_specialist(o->plr, c->id, c->id, tile_index(city_tile(c)));
  return done(o, c);
}

/* city, tile (-1 = none any more), whether it stays after the first unit; name of the unit type to find the way for. */
static int rally(const struct cw_order *o)
{
  static struct packet_city_rally_point packet CW_HOST_DATA;
  struct city *c = cw_own_city(o, o->arg[0]);
  const struct unit_type *type = NULL;
  struct tile *to = index_to_tile(&wld.map, o->arg[1]);
  struct pf_parameter parameter;
  int length = 0;
  if (o->text[0] != '\0') {
    type = unit_type_by_rule_name(o->text);
    if (type == NULL) {
      return cw_unknown("unit type", o->text);
    }
  } else if (c != NULL && c->production.kind == VUT_UTYPE) {
    type = c->production.value.utype;
  }
  if (c == NULL) {
    return CW_REFUSED;
  }
  if (o->arg[1] == -1 ? c->rally_point.length == 0 : to == NULL || to == city_tile(c)) {
    return cw_refuse("there is no such rally point for %s", city_name_get(c));
  }
  if (to != NULL) {
    if (type == NULL) {
      return cw_refuse("%s produces no unit: say for which unit type the way is", city_name_get(c));
    }
    pft_fill_utype_parameter(&parameter, &wld.map, type, city_tile(c), o->plr);
    length = cw_path_orders(&parameter, to, packet.orders);
    if (length <= 0) {
      return cw_refuse("%s knows no way for %s to tile %d", city_name_get(c), utype_rule_name(type), o->arg[1]);
    }
  }
  packet.city_id16 = packet.city_id32 = c->id;
  packet.persistent = o->arg[2] != 0;
  packet.vigilant = FALSE;
  packet.length = 0; /* first none: the engine does not give the old orders back when new ones come */
  handle_city_rally_point(o->plr, &packet);
  if (length > 0) {
    packet.length = length;
    handle_city_rally_point(o->plr, &packet);
  }
  o->out->target = o->arg[1];
  return done(o, c);
}

/* city; its new name. */
static int rename_city(const struct cw_order *o)
{
  struct city *c = cw_own_city(o, o->arg[0]);
  if (c == NULL) {
    return CW_REFUSED;
  }
  if (strlen(o->text) >= MAX_LEN_CITYNAME || strcmp(o->text, city_name_get(c)) == 0) {
    return cw_refuse("%s cannot be renamed '%s'", city_name_get(c), o->text);
  }
  handle_city_rename(o->plr, c->id, c->id, o->text);
  if (strcmp(o->text, city_name_get(c)) != 0) {
    return cw_refuse("%s cannot be renamed '%s'", city_name_get(c), o->text);
  }
  return done(o, c);
}

/* city; whether it disbands at size 1 for Settlers, and whether free citizens become scientists or taxmen. */
static int city_options(const struct cw_order *o)
{
  struct city *c = cw_own_city(o, o->arg[0]);
  bv_city_options options;
  if (c == NULL) {
    return CW_REFUSED;
  }
  BV_CLR_ALL(options);
  for (int i = 0; i < CITYO_LAST && i < 3; i++) {
    if (o->arg[1 + i] != 0) {
      BV_SET(options, i);
    }
  }
  if (BV_ARE_EQUAL(options, c->city_options)) {
    return cw_refuse("%s has these options already", city_name_get(c));
  }
  handle_city_options_req(o->plr, c->id, c->id, options);
  return done(o, c);
}

const struct cw_command cw_city_commands[] = {
  {"produce", 1, 1, produce},
  {"worklist", 1, 1, worklist},
  {"buy", 1, 1, buy},
  {"sell", 1, 1, sell},
  {"specialist", 1, 1, specialist},
  {"work_tile", 2, 2, work_tile},
  {"leave_tile", 2, 2, leave_tile},
  {"arrange", 1, 1, arrange},
  {"rally", 3, 3, rally},
  {"rename_city", 1, 1, rename_city},
  {"city_options", 4, 4, city_options},
  {NULL, 0, 0, NULL},
};
