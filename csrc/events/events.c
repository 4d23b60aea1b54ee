/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The log of what happened in a world. It is kept inside the world's memory, so that forks and restored worlds carry
 * it, and outside the canonical state: recording changes nothing else. */

#include "fc_config.h"

#include <string.h>

#include "mem.h"

#include "achievements.h"
#include "city.h"
#include "disaster.h"
#include "diptreaty.h"
#include "game.h"
#include "government.h"
#include "improvement.h"
#include "nation.h"
#include "player.h"
#include "requirements.h"
#include "research.h"
#include "tech.h"
#include "tile.h"
#include "unit.h"
#include "unittype.h"

#include "doors/cw_events.h"
#include "events/recording.h"
#include "events/table.h"
#include "export/export.h"
#include "host/host.h"

/* ---- kinds -------------------------------------------------------------------------------------------- */

#define NUMBER(kind, doc, fields) EV_##kind,
enum kind { KINDS(NUMBER) KIND_COUNT };
#undef NUMBER

struct kind_text {
  const char *name, *doc, *fields;
};
#define TEXT(kind, doc, fields) {#kind, doc, fields},
static const struct kind_text kind_texts[] = {KINDS(TEXT)};
#undef TEXT

CW_RECORD(events, EVENT_FIELDS)
CW_RECORD_ROW(events)
CW_WORDS(stages, CW_STAGES)

/* ---- the log: part of the world ----------------------------------------------------------------------- */

#define CHUNK 256
#define NOBODY (-1)

struct chunk {
  struct chunk *next, *before;
  int count;
  struct cw_events records[CHUNK];
};

static struct {
  struct chunk *first, *last;
  int64_t count;
  enum cw_events_stage stage;
  int turn;
  struct cw_events unkept; /* where a record goes that is not kept */
} events;

static struct cw_events *new_record(void)
{
  if (cw_host->events_off || events.stage == CW_AT_NONE) {
    return &events.unkept;
  }
  if (events.last == NULL || events.last->count == CHUNK) {
    struct chunk *grown = fc_calloc(1, sizeof(*grown));
    grown->before = events.last;
    *(events.last != NULL ? &events.last->next : &events.first) = grown;
    events.last = grown;
  }
  events.count++;
  return &events.last->records[events.last->count++];
}

static struct cw_events *add(enum kind kind, const struct player *player, const struct player *other)
{
  struct cw_events *e = new_record();
  memset(e, 0, sizeof(*e));
  e->turn = events.turn;
  e->stage = (int8_t)events.stage;
  e->kind = (int8_t)kind;
  e->player = cw_player_id(player);
  e->other = cw_player_id(other);
  e->tile = e->number = NOBODY;
  return e;
}

static void put_city(struct cw_events *e, const struct city *pcity)
{
  e->city = pcity->id;
  e->tile = tile_index(city_tile(pcity));
}

/* The same with the name, and whether it was the capital. */
static void put_lost_city(struct cw_events *e, const struct city *pcity)
{
  put_city(e, pcity);
  e->name = cw_s48_of(city_name_get(pcity));
  e->number = pcity->capital == CAPITAL_PRIMARY;
}

static void put_unit(struct cw_events *e, const struct unit *punit)
{
  e->unit = punit->id;
  e->tile = tile_index(unit_tile(punit));
  e->number = utype_number(unit_type_get(punit));
  e->name = cw_s48_of(utype_rule_name(unit_type_get(punit)));
}

/* The newest record of this turn of this kind, player and subject (city or number); NULL without one. */
static struct cw_events *newest(enum kind kind, int player, int city, int number)
{
  for (struct chunk *c = events.last; c != NULL; c = c->before) {
    for (int i = c->count - 1; i >= 0; i--) {
      struct cw_events *e = &c->records[i];
      if (e->turn != events.turn) {
        return NULL;
      }
      if (e->kind == (int8_t)kind && e->player == player && (city == 0 || e->city == city)
          && (number < 0 || e->number == number)) {
        return e;
      }
    }
  }
  return NULL;
}

/* ---- what is remembered between two hooks, and of each player ----------------------------------------- */

static struct {
  int conquered;      /* city id whose next transfer is a conquest */
  int doomed;         /* city id that a signal has said will be destroyed */
  int destroyer;      /* by whom */
  int killer;         /* player to blame for the next loss of a unit, plus 1 */
  int heir;           /* rebels who take over advances, player number plus 1 */
  int learner, tech;  /* an advance whose cause was told before it was learned */
  cw_s16 learned_by;
} pending;

static struct {
  int held;    /* government number plus 1; 0 is not known yet */
  int lasting; /* the same, anarchy left out */
  bool winner;
} known[MAX_NUM_PLAYER_SLOTS];

static void note_government(const struct player *p)
{
  int now = p->government != NULL ? government_number(p->government) + 1 : 0;
  known[player_number(p)].held = now;
  if (p->government != game.government_during_revolution) {
    known[player_number(p)].lasting = now;
  }
}

void cw_events_enter(enum cw_events_stage stage, int turn)
{
  events.stage = stage;
  events.turn = turn;
  memset(&pending, 0, sizeof(pending));
  players_iterate(p) {
    if (known[player_number(p)].held == 0) {
      note_government(p);
    }
  } players_iterate_end;
}

void cw_events_note_winners(void)
{
  players_iterate(p) {
    if (p->is_winner && !known[player_number(p)].winner) {
      known[player_number(p)].winner = true;
      add(EV_victory, p, NULL);
    }
  } players_iterate_end;
}

/* ---- cities ------------------------------------------------------------------------------------------- */

void cw_hook_city_founded(const struct city *pcity, const struct player *owner)
{
  struct cw_events *e = add(EV_city_founded, owner, NULL);
  put_city(e, pcity);
  e->name = cw_s48_of(city_name_get(pcity));
}

void cw_hook_conquest(const struct city *pcity)
{
  pending.conquered = pcity->id;
}

void cw_hook_city_transfer(const struct city *pcity, const struct player *giver, const struct player *taker)
{
  bool conquest = pending.conquered == pcity->id;
  struct cw_events *e = add(conquest ? EV_city_captured : EV_city_transferred, taker, giver);
  put_lost_city(e, pcity);
  e->cause = cw_s16_of(conquest ? "conquest" : "other");
  pending.conquered = 0;
}

void cw_hook_city_removed(const struct city *pcity, const struct player *owner)
{
  struct cw_events *e = add(EV_city_destroyed, owner, NULL);
  put_lost_city(e, pcity);
  if (pending.doomed == pcity->id && pending.destroyer != NOBODY) {
    e->other = pending.destroyer;
    e->cause = cw_s16_of("conquest");
  } else {
    e->cause = cw_s16_of(owner->is_alive ? "abandoned" : "owner_died");
  }
  pending.doomed = 0;
}

static void on_city_destroyed(va_list args)
{
  const struct city *pcity = va_arg(args, const struct city *);
  (void)va_arg(args, const struct player *);
  pending.doomed = pcity->id;
  pending.destroyer = cw_player_id(va_arg(args, const struct player *));
}

/* The engine's reason for a transfer -> ours. */
static const char *transfer_cause(const char *reason)
{
  static const char *const names[][2] = {
    {"trade", "treaty"}, {"incited", "incited"}, {"civil_war", "civil_war"},
    {"death-back_to_original", "original_owner"}, {"death-barbarians_get", "barbarians"},
  };
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    if (strcmp(reason, names[i][0]) == 0) {
      return names[i][1];
    }
  }
  return "other";
}

static void on_city_transferred(va_list args)
{
  const struct city *pcity = va_arg(args, const struct city *);
  struct cw_events *e;
  (void)va_arg(args, const struct player *);
  e = newest(EV_city_transferred, cw_player_id(va_arg(args, const struct player *)), pcity->id, NOBODY);
  if (e != NULL) {
    e->cause = cw_s16_of(transfer_cause(va_arg(args, const char *)));
  }
}

/* ---- buildings and disasters -------------------------------------------------------------------------- */

static struct cw_events *add_wonder(enum kind kind, const struct city *pcity, const struct impr_type *wonder)
{
  struct cw_events *e = add(kind, city_owner(pcity), NULL);
  put_city(e, pcity);
  e->number = improvement_number(wonder);
  e->name = cw_s48_of(improvement_rule_name(wonder));
  return e;
}

static void on_building_built(va_list args)
{
  const struct impr_type *building = va_arg(args, const struct impr_type *);
  const struct city *pcity = va_arg(args, const struct city *);
  if (is_great_wonder(building)) {
    add_wonder(EV_wonder_built, pcity, building);
  }
}

static void on_building_lost(va_list args)
{
  const struct city *pcity = va_arg(args, const struct city *);
  const struct impr_type *building = va_arg(args, const struct impr_type *);
  if (is_great_wonder(building)) {
    add_wonder(EV_wonder_lost, pcity, building)->cause = cw_s16_of(va_arg(args, const char *));
  }
}

static void on_disaster(va_list args)
{
  const struct disaster_type *what = va_arg(args, const struct disaster_type *);
  const struct city *pcity = va_arg(args, const struct city *);
  struct cw_events *e = add(EV_disaster, pcity != NULL ? city_owner(pcity) : NULL, NULL);
  e->number = disaster_number(what);
  e->name = cw_s48_of(disaster_rule_name((struct disaster_type *)what));
  if (pcity != NULL) {
    put_city(e, pcity);
    e->former = cw_s48_of(city_name_get(pcity));
  }
}

/* ---- units -------------------------------------------------------------------------------------------- */

void cw_hook_killer(const struct player *killer)
{
  pending.killer = cw_player_id(killer) + 1;
}

void cw_hook_unit_lost(const struct unit *punit, const char *reason)
{
  struct cw_events *e = add(EV_unit_lost, unit_owner(punit), NULL);
  put_unit(e, punit);
  e->other = pending.killer - 1;
  e->cause = cw_s16_of(reason);
  pending.killer = 0;
}

void cw_hook_unit_transfer(const struct unit *punit, const struct player *from, const struct player *to)
{
  put_unit(add(EV_unit_transferred, to, from), punit);
}

void cw_hook_hut(const struct unit *punit, const char *hut, bool frightened)
{
  struct cw_events *e = add(EV_hut_entered, unit_owner(punit), NULL);
  put_unit(e, punit);
  e->number = NOBODY;
  e->cause = cw_s16_of(frightened ? "frightened" : "entered");
  e->name = cw_s48_of(hut);
}

/* ---- advances ----------------------------------------------------------------------------------------- */

static cw_s16 advance_cause(int player, int tech)
{
  if (pending.heir == player + 1) {
    return cw_s16_of("inherited");
  }
  if (pending.learner == player + 1 && pending.tech == tech) {
    return pending.learned_by;
  }
  return cw_s16_of(events.stage == CW_AT_START ? "start" : "granted");
}

void cw_hook_advance(const struct research *presearch, int tech, bool gained)
{
  if (tech == A_NONE) {
    return;
  }
  research_players_iterate(presearch, member) {
    struct cw_events *e = add(gained ? EV_advance_gained : EV_advance_lost, member, NULL);
    e->number = tech == A_FUTURE ? -2 : tech;
    e->name = cw_s48_of(cw_advance_name(tech));
    if (gained) {
      e->cause = advance_cause(e->player, tech);
    }
  } research_players_iterate_end;
}

/* Comes after the advance was learned, except for traded ones. */
static void on_tech_researched(va_list args)
{
  const struct advance *padvance = va_arg(args, const struct advance *);
  int player = cw_player_id(va_arg(args, const struct player *));
  cw_s16 cause = cw_s16_of(va_arg(args, const char *));
  struct cw_events *e;
  if (padvance == NULL) {
    return;
  }
  e = newest(EV_advance_gained, player, 0, advance_number(padvance));
  if (e != NULL) {
    e->cause = cause;
  } else {
    pending.learner = player + 1;
    pending.tech = advance_number(padvance);
    pending.learned_by = cause;
  }
}

/* ---- gold and achievements ---------------------------------------------------------------------------- */

void cw_hook_purchase(const struct city *pcity, int price)
{
  struct cw_events *e = add(EV_purchase, city_owner(pcity), NULL);
  put_city(e, pcity);
  e->number = price;
  e->name = cw_s48_of(universal_rule_name(&pcity->production));
  e->former = cw_s48_of(city_name_get(pcity));
}

void cw_hook_gold(const struct player *receiver, const struct player *payer, int gold, const char *cause,
                  const struct city *pcity, const struct unit *punit)
{
  struct cw_events *e;
  if (gold <= 0) {
    return;
  }
  e = add(EV_gold_moved, receiver, payer);
  e->city = pcity != NULL ? pcity->id : 0;
  e->unit = punit != NULL ? punit->id : 0;
  e->number = gold;
  e->cause = cw_s16_of(cause);
}

static void on_achievement(va_list args)
{
  const struct achievement *what = va_arg(args, const struct achievement *);
  struct cw_events *e = add(EV_achievement, va_arg(args, const struct player *), NULL);
  e->number = achievement_number(what);
  e->cause = cw_s16_of(va_arg(args, int) ? "first" : "later");
  e->name = cw_s48_of(achievement_rule_name((struct achievement *)what));
}

/* ---- players ------------------------------------------------------------------------------------------ */

static cw_s48 government_text(int number)
{
  const struct government *gov = number >= 0 ? government_by_number(number) : NULL;
  return cw_s48_of(gov != NULL ? government_rule_name(gov) : "");
}

void cw_hook_government(const struct player *pplayer)
{
  int was = known[player_number(pplayer)].held - 1, lasting = known[player_number(pplayer)].lasting - 1;
  int now = government_number(pplayer->government);
  struct cw_events *e;
  note_government(pplayer);
  if (was == now) {
    return;
  }
  if (pplayer->government == game.government_during_revolution) {
    const struct government *target = pplayer->target_government;
    e = add(EV_revolution_started, pplayer, NULL);
    e->number = target != NULL && target != pplayer->government ? government_number(target) : NOBODY;
    e->name = government_text(e->number);
    e->former = government_text(was);
    return;
  }
  e = add(now == lasting ? EV_government_restored : EV_government_changed, pplayer, NULL);
  e->number = now;
  e->name = government_text(now);
  e->former = government_text(now == lasting ? was : lasting);
}

static void put_nation(struct cw_events *e, const struct player *p)
{
  e->name = cw_s48_of(p->nation != NULL ? nation_rule_name(p->nation) : "");
}

void cw_hook_player_joined(const struct player *pplayer)
{
  put_nation(add(EV_player_joined, pplayer, NULL), pplayer);
}

void cw_hook_player_died(const struct player *pplayer)
{
  put_nation(add(EV_player_died, pplayer, NULL), pplayer);
}

void cw_hook_civil_war(const struct player *pplayer, const struct player *rebel)
{
  put_nation(add(EV_civil_war, pplayer, rebel), rebel);
  note_government(rebel);
  pending.heir = player_number(rebel) + 1;
}

void cw_hook_spaceship(const struct player *pplayer)
{
  static const enum kind kinds[] = {
    [SSHIP_NONE] = EV_spaceship_lost, [SSHIP_STARTED] = EV_spaceship_started,
    [SSHIP_LAUNCHED] = EV_spaceship_launched, [SSHIP_ARRIVED] = EV_spaceship_arrived,
  };
  add(kinds[pplayer->spaceship.state], pplayer, NULL);
}

/* ---- diplomacy ---------------------------------------------------------------------------------------- */

void cw_hook_diplstate(const struct player *one, const struct player *two, int old_state, int new_state,
                       const char *cause)
{
  static const enum kind kinds[] = {
    [DS_WAR] = EV_war_started, [DS_CEASEFIRE] = EV_ceasefire, [DS_ARMISTICE] = EV_armistice,
    [DS_PEACE] = EV_peace, [DS_ALLIANCE] = EV_alliance, [DS_NO_CONTACT] = EV_contact_undone,
  };
  struct cw_events *e;
  if (old_state == new_state || new_state > DS_NO_CONTACT) { /* teams do not change */
    return;
  }
  e = add(kinds[new_state], one, two);
  e->cause = cw_s16_of(cause);
  e->former = cw_s48_of(diplstate_type_name(old_state));
}

void cw_hook_pact_cancelled(const struct player *pplayer, const struct player *other, int old_state, int new_state)
{
  struct cw_events *e = add(EV_pact_cancelled, pplayer, other);
  e->name = cw_s48_of(diplstate_type_name(new_state));
  e->former = cw_s48_of(diplstate_type_name(old_state));
  cw_hook_diplstate(pplayer, other, old_state, new_state, "cancelled");
}

void cw_hook_contact(const struct player *one, const struct player *two, const struct tile *ptile, int new_state)
{
  struct cw_events *e = add(EV_contact, one, two);
  e->tile = ptile != NULL ? tile_index(ptile) : NOBODY;
  e->name = cw_s48_of(diplstate_type_name(new_state));
}

void cw_hook_clause(const struct player *giver, const struct player *receiver, int clause, int value, int old_state,
                    int new_state)
{
  struct cw_events *e = add(EV_treaty, giver, receiver);
  e->cause = cw_s16_of(clause_type_name(clause));
  if (clause == CLAUSE_ADVANCE || clause == CLAUSE_GOLD || clause == CLAUSE_CITY) {
    e->number = value;
  }
  if (clause == CLAUSE_ADVANCE) {
    e->name = cw_s48_of(cw_advance_name(value));
  } else if (clause == CLAUSE_CITY && game_city_by_number(value) != NULL) {
    e->city = value;
    e->name = cw_s48_of(city_name_get(game_city_by_number(value)));
  }
  cw_hook_diplstate(giver, receiver, old_state, new_state, "treaty");
}

void cw_hook_embassy(const struct player *pplayer, const struct player *with)
{
  if (!player_has_real_embassy(pplayer, with)) {
    add(EV_embassy, pplayer, with);
  }
}

void cw_hook_embassy_lost(const struct player *pplayer, const struct player *with)
{
  if (player_has_real_embassy(pplayer, with)) {
    add(EV_embassy_lost, pplayer, with);
  }
}

void cw_hook_embassies_lost(const struct player *pplayer)
{
  players_iterate(q) {
    cw_hook_embassy_lost(pplayer, q);
  } players_iterate_end;
  pending.heir = 0;
}

/* ---- signals ------------------------------------------------------------------------------------------ */

void cw_hook_signal(const char *signal, va_list args)
{
  static const struct {
    const char *name;
    void (*read)(va_list args);
  } readers[] = {
    {"city_destroyed", on_city_destroyed},     {"city_transferred", on_city_transferred},
    {"building_built", on_building_built},     {"building_lost", on_building_lost},
    {"disaster_occurred", on_disaster},        {"tech_researched", on_tech_researched},
    {"achievement_gained", on_achievement},
  };
  for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
    if (strcmp(signal, readers[i].name) == 0) {
      readers[i].read(args);
      return;
    }
  }
}

/* ---- the public calls --------------------------------------------------------------------------------- */

int cw_events_record(int on)
{
  cw_host->events_off = on == 0;
  return CW_OK;
}

int cw_events_kind(int kind, const char **name, const char **doc, const char **fields)
{
  cw_guard_clear();
  if (kind < 0 || kind >= KIND_COUNT) {
    return cw_error(CW_EARGUMENT, "kind of event %d does not exist (kinds 0-%d)", kind, KIND_COUNT - 1);
  }
  *name = kind_texts[kind].name;
  *doc = kind_texts[kind].doc;
  *fields = kind_texts[kind].fields;
  return CW_OK;
}

int cw_events_read(int64_t first, uint8_t *buf, size_t cap, size_t *needed)
{
  int64_t at = 0;
  *needed = 0;
  CW_GUARD_BEGIN;
  if (cw_export_ready() != CW_OK) {
    CW_GUARD_END(CW_ELIFECYCLE);
  }
  if (first < 0 || first > events.count) {
    CW_GUARD_END(cw_error(CW_EARGUMENT, "event %lld does not exist (events 0-%lld)", (long long)first,
                          (long long)events.count - 1));
  }
  *needed = (size_t)(events.count - first) * sizeof(struct cw_events);
  if (*needed > cap) {
    CW_GUARD_END(cw_error(CW_REFUSED, "the events need %zu bytes, the buffer has %zu", *needed, cap));
  }
  for (const struct chunk *c = events.first; c != NULL; at += c->count, c = c->next) {
    int64_t skip = first > at ? first - at : 0;
    if (skip < c->count) {
      size_t bytes = (size_t)(c->count - skip) * sizeof(struct cw_events);
      memcpy(buf, &c->records[skip], bytes);
      buf += bytes;
    }
  }
  CW_GUARD_END(CW_OK);
}
