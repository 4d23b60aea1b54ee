/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fc_config.h"

#include <string.h>

#include "mem.h"

#include "city.h"
#include "player.h"
#include "tile.h"
#include "unit.h"
#include "unittype.h"

#include "events/eventlog.h"
#include "host/host.h"

CW_SCHEMA(events, EVENT_FIELDS)
CW_RECORD_ROW(events)
CW_WORDS(stages, CW_STAGES)

#define CHUNK 256

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

struct cw_log_told cw_log_told;

void cw_log_enter(enum cw_events_stage stage, int turn)
{
  events.stage = stage;
  events.turn = turn;
  memset(&cw_log_told, 0, sizeof(cw_log_told));
}

enum cw_events_stage cw_log_stage(void)
{
  return events.stage;
}

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

struct cw_events *cw_log_add(enum cw_event_kind kind, const struct player *player, const struct player *other)
{
  struct cw_events *e = new_record();
  memset(e, 0, sizeof(*e));
  e->turn = events.turn;
  e->stage = (int8_t)events.stage;
  e->kind = (int8_t)kind;
  e->player = cw_player_id(player);
  e->other = cw_player_id(other);
  e->tile = e->number = CW_NOBODY;
  return e;
}

void cw_log_city(struct cw_events *e, const struct city *pcity)
{
  e->city = pcity->id;
  e->tile = tile_index(city_tile(pcity));
}

void cw_log_lost_city(struct cw_events *e, const struct city *pcity)
{
  cw_log_city(e, pcity);
  e->name = cw_s48_of(city_name_get(pcity));
  e->number = pcity->capital == CAPITAL_PRIMARY;
}

void cw_log_unit(struct cw_events *e, const struct unit *punit)
{
  e->unit = punit->id;
  e->tile = tile_index(unit_tile(punit));
  e->number = utype_number(unit_type_get(punit));
  e->name = cw_s48_of(utype_rule_name(unit_type_get(punit)));
}

struct cw_events *cw_log_newest(enum cw_event_kind kind, int player, int city, int number)
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

int64_t cw_log_count(void)
{
  return events.count;
}

void cw_log_copy(int64_t first, uint8_t *buf)
{
  int64_t at = 0;
  for (const struct chunk *c = events.first; c != NULL; at += c->count, c = c->next) {
    int64_t skip = first > at ? first - at : 0;
    if (skip < c->count) {
      size_t bytes = (size_t)(c->count - skip) * sizeof(struct cw_events);
      memcpy(buf, &c->records[skip], bytes);
      buf += bytes;
    }
  }
}
