/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The log itself: records in the world's own memory, so that forks and restored worlds carry it, and outside the
 * canonical state: recording changes nothing else. */
#ifndef CW_EVENTS_LOG_H
#define CW_EVENTS_LOG_H

#include "events/recording.h"
#include "events/table.h"
#include "export/export.h"

#define CW_NOBODY (-1)

#define NUMBER(kind, doc, fields) EV_##kind,
enum cw_event_kind { KINDS(NUMBER) CW_EVENT_KINDS };
#undef NUMBER

CW_STRUCT(events, EVENT_FIELDS)

/* What one hook tells another of the same turn. */
struct cw_log_told {
  int conquered;      /* city id whose next transfer is a conquest */
  int doomed;         /* city id that a signal has said will be destroyed */
  int destroyer;      /* by whom */
  int killer;         /* player to blame for the next loss of a unit, plus 1 */
  int heir;           /* rebels who take over advances, player number plus 1 */
  int learner, tech;  /* an advance whose cause was told before it was learned */
  cw_s16 learned_by;
};
extern struct cw_log_told cw_log_told;

/* What happens from now on belongs to this stage and turn; what hooks told each other is forgotten. */
void cw_log_enter(enum cw_events_stage stage, int turn);
enum cw_events_stage cw_log_stage(void);

/* A new record, to be filled in: never NULL, also while nothing is kept. */
struct cw_events *cw_log_add(enum cw_event_kind kind, const struct player *player, const struct player *other);
void cw_log_city(struct cw_events *e, const struct city *pcity);
/* The same with the name, and whether it was the capital. */
void cw_log_lost_city(struct cw_events *e, const struct city *pcity);
void cw_log_unit(struct cw_events *e, const struct unit *punit);
/* The newest record of this turn of this kind, player and subject (city or number); NULL without one. */
struct cw_events *cw_log_newest(enum cw_event_kind kind, int player, int city, int number);

int64_t cw_log_count(void);
/* Copies the records from number `first` on. */
void cw_log_copy(int64_t first, uint8_t *buf);

#endif
