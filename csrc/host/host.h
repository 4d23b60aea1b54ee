/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The room that the engine stands on, and what all rooms share: the host block and the guard. */
#ifndef CW_HOST_H
#define CW_HOST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "civworld.h"
#include "images/images.h"

#define CW_LOG_CAP (1u << 18)
#define CW_HOST_BYTES (1u << 20)

/* Everything that must survive a change of worlds. Lies behind the image in its own pages. */
struct cw_host {
  jmp_buf env;
  bool guarded;
  int status;
  char error[1024];
  char where[256];
  char fatal[1024]; /* what the engine said before it gave up */
  char data_dir[1024];
  FILE *console;
  int64_t work_left, work_budget, work_last;
  uint64_t calls; /* how many there were; the number of the present one */
  size_t log_len;
  char log[CW_LOG_CAP];
  bool score_on;
  bool events_off;
  int32_t *score;
  size_t score_len, score_cap;
};
extern union cw_host_block {
  struct cw_host h;
  char pad[CW_HOST_BYTES];
} cw_host_block;
#define cw_host (&cw_host_block.h)

/* Runs an engine call so that exit, abort and failed assertions come back here as CW_EFATAL. */
#define CW_GUARD_BEGIN                 \
  cw_guard_clear();                    \
  cw_host->guarded = true;             \
  if (_setjmp(cw_host->env) != 0) {    \
    cw_host->guarded = false;          \
    return cw_host->status;            \
  }
#define CW_GUARD_END(status)           \
  do {                                 \
    cw_host->guarded = false;          \
    return (status);                   \
  } while (0)

void cw_guard_clear(void);
/* Starts (seconds > 0) or stops (0) the clock that ends an engine call which no longer counts work. */
void cw_guard_clock(double seconds);
_Noreturn void cw_guard_fail(int status, const char *where, const char *format, ...);
void cw_log_line(int level, const char *text);
/* Keeps what the engine says as it gives up, for the error that follows. */
void cw_guard_note_fatal(const char *text);

#endif
