/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The host block, the last error, the log ring, and the way back from an engine that wants to end the process. */

#include "host/host.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "arena/arena.h"
#include "host/redirect.h"
#undef exit
#undef abort
#undef raise

/* Its own section, so that the linker puts it behind .bss: the image ends where this begins. */
union cw_host_block cw_host_block CW_HOST_DATA __attribute__((aligned(4096)));

void cw_guard_clear(void)
{
  cw_host->error[0] = '\0';
  cw_host->where[0] = '\0';
  cw_host->fatal[0] = '\0';
  cw_host->work_left = INT64_MAX;
  cw_host->calls++;
}

int cw_error(int status, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  vsnprintf(cw_host->error, sizeof(cw_host->error), format, args);
  va_end(args);
  return status;
}

const char *cw_last_error(void)
{
  return cw_host->error;
}

const char *cw_last_error_where(void)
{
  return cw_host->where;
}

static void stop_clock(void);

_Noreturn void cw_guard_fail(int status, const char *where, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  vsnprintf(cw_host->error, sizeof(cw_host->error), format, args);
  va_end(args);
  snprintf(cw_host->where, sizeof(cw_host->where), "%s", where);
  cw_host->status = status;
  stop_clock();
  if (!cw_host->guarded) {
    /* Only code of this library runs unguarded; there is no frame to go back to. */
    fputs("civworld: engine failure outside a guarded call: ", stderr);
    fputs(cw_host->error, stderr);
    __builtin_trap();
  }
  _longjmp(cw_host->env, 1);
}

#define LAST_LINES 4

void cw_guard_note_fatal(const char *text)
{
  size_t used = strlen(cw_host->fatal);
  snprintf(cw_host->fatal + used, sizeof(cw_host->fatal) - used, "%s%s", used > 0 ? "; " : "", text);
}

/* The engine names the place of a failed assertion as "[file::line]"; the caller's place is only its reporter. */
static void find_place(char *out, size_t cap, const char *file, int line)
{
  const char *open = strchr(cw_host->fatal, '['), *mark = open != NULL ? strstr(open, "::") : NULL;
  if (mark != NULL && strchr(mark, ']') != NULL) {
    snprintf(out, cap, "%.*s:%d", (int)(mark - open - 1), open + 1, atoi(mark + 2));
  } else {
    snprintf(out, cap, "%s:%d", file, line);
  }
}

/* The newest lines of the log, which was empty when the call began: an engine that just exits gives its reason there. */
static void note_last_lines(void)
{
  const char *end = cw_host->log + cw_host->log_len, *at = end;
  for (int lines = 0; at > cw_host->log && (lines += at[-1] == '\n') <= LAST_LINES; at--) {
  }
  while (at < end) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    char line[256];
    stop = stop != NULL ? stop : end;
    at += at + 1 < stop && at[1] == ' ' ? 2 : 0; /* its level */
    snprintf(line, sizeof(line), "%.*s", (int)(stop - at), at);
    if (line[0] != '\0' && strstr(line, "report this message") == NULL) {
      cw_guard_note_fatal(line);
    }
    at = stop + 1;
  }
}

static _Noreturn void fail_at(const char *what, const char *file, int line)
{
  char where[200];
  find_place(where, sizeof(where), file, line);
  cw_guard_fail(CW_EFATAL, where, "%s at %s%s%s", what, where, cw_host->fatal[0] != '\0' ? ": " : "",
                cw_host->fatal);
}

_Noreturn void cw_guard_exit(int code, const char *file, int line)
{
  char what[32];
  snprintf(what, sizeof(what), "exit(%d)", code);
  if (cw_host->fatal[0] == '\0') {
    note_last_lines();
  }
  fail_at(what, file, line);
}

_Noreturn void cw_guard_raise(const char *what, const char *file, int line)
{
  fail_at(what, file, line);
}

void cw_arena_bad_free(const void *p)
{
  cw_guard_fail(CW_EFATAL, __FILE__, "free of %p, which is not an allocated block", p);
}

/* ---- the stack --------------------------------------------------------------------------------------- */

size_t cw_stack_left(void)
{
  pthread_attr_t attr;
  void *low;
  size_t size, left = 0;
  if (pthread_getattr_np(pthread_self(), &attr) == 0) {
    if (pthread_attr_getstack(&attr, &low, &size) == 0) {
      left = (size_t)((char *)__builtin_frame_address(0) - (char *)low);
    }
    pthread_attr_destroy(&attr);
  }
  return left;
}

/* ---- the clock: a backstop behind the work counter --------------------------------------------------- */

#define CLOCK_SIGNAL (SIGRTMIN + 6)

static struct {
  timer_t timer;
  bool ready;
  pid_t thread;
  double seconds;
} clock_state CW_HOST_DATA;

static void set_timer(double seconds)
{
  struct itimerspec when = {{0, 0}, {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)}};
  timer_settime(clock_state.timer, 0, &when, NULL);
}

static void stop_clock(void)
{
  if (clock_state.ready) {
    set_timer(0);
  }
}

/* Leaves the call only from the engine's own code: in the C library a lock may be held; try again shortly. */
static void on_clock(int signal, siginfo_t *info, void *context)
{
  uintptr_t at = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
  (void)signal;
  (void)info;
  if (!cw_host->guarded) {
    return;
  }
  if (at < CW_TEXT_BASE || at >= CW_TEXT_BASE + 0x10000000) {
    set_timer(0.005);
    return;
  }
  cw_guard_fail(CW_EHANG, "", "the turn did not end within %g seconds", clock_state.seconds);
}

void cw_guard_clock(double seconds)
{
  pid_t thread = gettid();
  if (seconds <= 0) {
    stop_clock();
    return;
  }
  if (clock_state.ready && clock_state.thread != thread) {
    timer_delete(clock_state.timer);
    clock_state.ready = false;
  }
  if (!clock_state.ready) {
    struct sigaction action = {.sa_sigaction = on_clock, .sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = CLOCK_SIGNAL};
    event._sigev_un._tid = thread;
    sigemptyset(&action.sa_mask);
    if (sigaction(CLOCK_SIGNAL, &action, NULL) != 0
        || timer_create(CLOCK_MONOTONIC, &event, &clock_state.timer) != 0) {
      return; /* the work counter remains */
    }
    clock_state.ready = true;
    clock_state.thread = thread;
  }
  clock_state.seconds = seconds;
  set_timer(seconds);
}

void cw_log_line(int level, const char *text)
{
  int n = snprintf(NULL, 0, "%d %s\n", level, text);
  if (n < 0) {
    return;
  }
  if (cw_host->log_len + (size_t)n + 1 > CW_LOG_CAP) {
    /* Full: forget the older half rather than the newest lines, which explain failures. */
    size_t keep = cw_host->log_len / 2;
    memmove(cw_host->log, cw_host->log + cw_host->log_len - keep, keep);
    cw_host->log_len = keep;
    if (keep + (size_t)n + 1 > CW_LOG_CAP) {
      return;
    }
  }
  snprintf(cw_host->log + cw_host->log_len, (size_t)n + 1, "%d %s\n", level, text);
  cw_host->log_len += (size_t)n;
}

int cw_log_read(char *buf, size_t cap, size_t *needed)
{
  size_t n = cw_host->log_len < cap ? cw_host->log_len : cap;
  memcpy(buf, cw_host->log, n);
  memmove(cw_host->log, cw_host->log + n, cw_host->log_len - n);
  cw_host->log_len -= n;
  *needed = n;
  return CW_OK;
}
