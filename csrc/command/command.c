/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who runs a player, and the way of an order from its name to the server's handler. */

#include "command/command.h"

#include <stdio.h>
#include <string.h>

#include "featured_text.h"
#include "rand.h"

#include "city.h"
#include "connection.h"
#include "events.h"
#include "game.h"
#include "improvement.h"
#include "map.h"
#include "player.h"
#include "tile.h"
#include "unit.h"
#include "unitlist.h"
#include "unittype.h"

#include "maphand.h"
#include "plrhand.h"
#include "srv_main.h"
#include "unithand.h"

#include "doors/doors.h"
#include "world/deeds.h"
#include "world/handover.h"
#include "world/keyed.h"

/* Units of work an order may take before CW_EHANG: what a long turn of a large world takes. */
#define ORDER_WORK 1000000000

/* ---- what the server says ---------------------------------------------------------------------------- */

CW_WORDS(results, CW_RESULTS)

static struct {
  const struct player *to; /* whose messages are heard; NULL outside orders */
  char text[2048];
  RANDOM_STATE random;
  uint64_t draws; /* of the keyed generator */
} hearing CW_HOST_DATA;

bool cw_hook_notify(const struct player *pplayer, int event, const char *message)
{
  size_t used;
  if (pplayer != NULL) {
    cw_deeds_note(pplayer, event);
  }
  if (hearing.to == NULL || (pplayer != NULL && pplayer != hearing.to)) {
    return false;
  }
  used = strlen(hearing.text);
  if (used + 4 < sizeof(hearing.text)) {
    if (used > 0) {
      hearing.text[used++] = ' ';
      hearing.text[used] = '\0';
    }
    featured_text_to_plain_text(message, hearing.text + used, sizeof(hearing.text) - used, NULL, TRUE);
  }
  return event == E_BAD_COMMAND || event == E_UNIT_ILLEGAL_ACTION;
}

const char *cw_order_said(void)
{
  return hearing.text;
}

int cw_refuse(const char *format, ...)
{
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  return cw_error(CW_REFUSED, "%s", hearing.text[0] != '\0' ? hearing.text : text);
}

int cw_unknown(const char *kind, const char *name)
{
  return cw_error(CW_EARGUMENT, "unknown %s '%s' in this ruleset", kind, name);
}

bool cw_drew_random(void)
{
  RANDOM_STATE now = fc_rand_state();
  return now.j != hearing.random.j || now.k != hearing.random.k || now.x != hearing.random.x
         || cw_keyed_state()->count != hearing.draws;
}

/* ---- looking things up --------------------------------------------------------------------------------- */

struct unit *cw_own_unit(const struct cw_order *o, int id)
{
  struct unit *u = player_unit_by_number(o->plr, id);
  if (u == NULL) {
    cw_refuse("player %d has no unit %d", player_number(o->plr), id);
  }
  return u;
}

struct city *cw_own_city(const struct cw_order *o, int id)
{
  struct city *c = player_city_by_number(o->plr, id);
  if (c == NULL) {
    cw_refuse("player %d has no city %d", player_number(o->plr), id);
  }
  return c;
}

struct city *cw_known_city(const struct player *plr, int id)
{
  struct city *c = game_city_by_number(id);
  struct vision_site *site = c != NULL ? map_get_player_city(city_tile(c), plr) : NULL;
  return site != NULL && site->identity == id ? c : NULL;
}

struct universal cw_product(const char *name)
{
  struct universal found = {.kind = VUT_NONE};
  struct unit_type *utype = unit_type_by_rule_name(name);
  struct impr_type *building = improvement_by_rule_name(name);
  if (utype != NULL) {
    found.kind = VUT_UTYPE;
    found.value.utype = utype;
  } else if (building != NULL) {
    found.kind = VUT_IMPROVEMENT;
    found.value.building = building;
  }
  return found;
}

/* ---- the order itself ------------------------------------------------------------------------------------ */

void cw_pose_as_client(struct player *plr, bool on)
{
  static struct connection client CW_HOST_DATA;
  if (client.capability[0] == '\0') {
    strcpy(client.capability, "ids32");
  }
  plr->current_conn = on ? &client : NULL;
}

static const struct cw_command *find_command(const char *name)
{
  const struct cw_command *const tables[] = {cw_unit_commands, cw_journey_commands, cw_city_commands,
                                             cw_player_commands, cw_treaty_commands};
  for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
    for (const struct cw_command *row = tables[t]; row->name != NULL; row++) {
      if (strcmp(row->name, name) == 0) {
        return row;
      }
    }
  }
  return NULL;
}

/* A player that can be given orders or handed over; CW_EARGUMENT or CW_REFUSED with the reason otherwise. */
static int find_player(int number, struct player **out)
{
  *out = cw_space_is_mounted() && game_was_started() ? player_by_number(number) : NULL;
  if (*out == NULL) {
    return cw_error(CW_EARGUMENT, "player %d does not exist (players 0-%d)", number, player_count() - 1);
  }
  if (!(*out)->is_alive) {
    return cw_error(CW_REFUSED, "player %d (%s) is dead", number, player_name(*out));
  }
  if (is_barbarian(*out)) {
    return cw_error(CW_REFUSED, "player %d (%s) is no civilization", number, player_name(*out));
  }
  return CW_OK;
}

/* A unit on watch that was carried does not stop watching when its transport leaves it where it cannot stay; the
 * engine's own checks call that an error. */
static void wake_the_stranded(const struct cw_order *o)
{
  struct tile *tile = o->out->unit != 0 && o->out->tile >= 0 ? index_to_tile(&wld.map, o->out->tile) : NULL;
  if (tile == NULL) {
    return;
  }
  unit_list_iterate(tile->units, u) {
    if (u->activity == ACTIVITY_SENTRY && unit_owner(u) == o->plr && !can_unit_continue_current_activity(&wld.map, u)) {
      unit_activity_handling(u, ACTIVITY_IDLE);
    }
  } unit_list_iterate_end;
}

/* What the server's packet loop does after every packet: whoever has lost everything dies now. */
static void bury_the_dead(void)
{
  players_iterate_alive(plr) {
    if (city_list_size(plr->cities) == 0 && unit_list_size(plr->units) == 0) {
      player_status_add(plr, PSTATUS_DYING);
    }
    if (player_status_check(plr, PSTATUS_DYING)) {
      kill_player(plr);
    }
  } players_iterate_alive_end;
}

static int run_order(int player, const char *command, const int32_t *args, int nargs, const char *text,
                     const char *more, struct cw_outcome *out)
{
  struct cw_order o = {.arg = args, .nargs = nargs, .text = text, .more = more, .out = out};
  const struct cw_command *row;
  uint64_t key;
  int status;
  memset(out, 0, sizeof(*out));
  CW_GUARD_BEGIN;
  hearing.text[0] = '\0';
  status = find_player(player, &o.plr);
  if (status != CW_OK) {
    CW_GUARD_END(status);
  }
  row = find_command(command);
  if (row == NULL || nargs < row->min_args || nargs > row->max_args) {
    CW_GUARD_END(cw_error(CW_EARGUMENT, "order '%s' with %d numbers is not known", command, nargs));
  }
  if (is_ai(o.plr)) {
    CW_GUARD_END(cw_error(CW_REFUSED, "player %d (%s) is run by the built-in AI: take it over first", player,
                          player_name(o.plr)));
  }
  hearing.to = o.plr;
  cw_host->work_budget = cw_host->work_left = ORDER_WORK;
  hearing.random = fc_rand_state();
  hearing.draws = cw_keyed_state()->count;
  cw_pose_as_client(o.plr, true);
  key = cw_keyed_enter_order(player);
  cw_deeds_count(true);
  status = row->run(&o);
  cw_deeds_count(false);
  if (status == CW_OK) {
    wake_the_stranded(&o);
    bury_the_dead();
    o.plr->nturns_idle = 0;
  }
  cw_keyed_leave_order(key);
  cw_pose_as_client(o.plr, false);
  CW_GUARD_END(status);
}

int cw_order(int player, const char *command, const int32_t *args, int nargs, const char *text, const char *more,
             struct cw_outcome *out)
{
  int status = run_order(player, command, args, nargs, text, more, out);
  hearing.to = NULL; /* also when the engine gave up in between */
  return status;
}

const char *cw_order_text(void)
{
  return hearing.text;
}

/* ---- who runs a player ------------------------------------------------------------------------------------- */

int cw_control(int player, int human)
{
  struct player *plr;
  int status;
  CW_GUARD_BEGIN;
  status = find_player(player, &plr);
  if (status != CW_OK) {
    CW_GUARD_END(status);
  }
  if (is_human(plr) == (human != 0)) {
    CW_GUARD_END(cw_error(CW_REFUSED, "player %d (%s) is %s already", player, player_name(plr),
                          human ? "taken over" : "run by the built-in AI"));
  }
  if (human) {
    player_set_under_human_control(plr);
    cw_end_missions_of(plr);
  } else {
    cw_end_orders_of(plr);
    player_set_to_ai_mode(plr, ai_level_is_valid(plr->ai_common.skill_level) ? plr->ai_common.skill_level
                                                                            : game.info.skill_level);
  }
  CW_GUARD_END(CW_OK);
}

int cw_is_human(int player)
{
  struct player *plr = cw_space_is_mounted() ? player_by_number(player) : NULL;
  return plr != NULL && is_human(plr);
}
