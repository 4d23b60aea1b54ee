/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the driver and the binding call: stages of a turn, signals, the log as bytes. */

#include "fc_config.h"

#include <string.h>

#include "doors/cw_events.h"
#include "events/eventlog.h"
#include "events/nations.h"
#include "events/signals.h"
#include "host/host.h"

struct kind_text {
  const char *name, *doc, *fields;
};
#define TEXT(kind, doc, fields) {#kind, doc, fields},
static const struct kind_text kind_texts[] = {KINDS(TEXT)};
#undef TEXT

void cw_events_enter(enum cw_events_stage stage, int turn)
{
  cw_log_enter(stage, turn);
  cw_nations_first_governments();
}

/* ---- signals ------------------------------------------------------------------------------------------- */

#define READER(signal) {#signal, cw_on_##signal},

void cw_hook_signal(const char *signal, va_list args)
{
  static const struct {
    const char *name;
    void (*read)(va_list args);
  } readers[] = {SIGNALS(READER)};
  for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
    if (strcmp(signal, readers[i].name) == 0) {
      readers[i].read(args);
      return;
    }
  }
}

/* ---- the public calls ---------------------------------------------------------------------------------- */

int cw_events_record(int on)
{
  cw_host->events_off = on == 0;
  return CW_OK;
}

int cw_events_kind(int kind, const char **name, const char **doc, const char **fields)
{
  cw_guard_clear();
  if (kind < 0 || kind >= CW_EVENT_KINDS) {
    return cw_error(CW_EARGUMENT, "kind of event %d does not exist (kinds 0-%d)", kind, CW_EVENT_KINDS - 1);
  }
  *name = kind_texts[kind].name;
  *doc = kind_texts[kind].doc;
  *fields = kind_texts[kind].fields;
  return CW_OK;
}

int cw_events_read(int64_t first, uint8_t *buf, size_t cap, size_t *needed)
{
  *needed = 0;
  CW_GUARD_BEGIN;
  if (cw_export_ready() != CW_OK) {
    CW_GUARD_END(CW_ELIFECYCLE);
  }
  if (first < 0 || first > cw_log_count()) {
    CW_GUARD_END(cw_error(CW_EARGUMENT, "event %lld does not exist (events 0-%lld)", (long long)first,
                          (long long)cw_log_count() - 1));
  }
  *needed = (size_t)(cw_log_count() - first) * sizeof(struct cw_events);
  if (*needed > cap) {
    CW_GUARD_END(cw_error(CW_REFUSED, "the events need %zu bytes, the buffer has %zu", *needed, cap));
  }
  cw_log_copy(first, buf);
  CW_GUARD_END(CW_OK);
}
