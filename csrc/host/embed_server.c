/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stands in for the engine's console, network, metaserver and timers: text goes to the log ring, nothing listens
 * and no clock is read. Each function has the signature of the engine header that declares it. */

#include "fc_config.h"

#include "log.h"
#include "mem.h"
#include "netfile.h"
#include "timing.h"

#include "game.h"

#include "auth.h"
#include "console.h"
#include "meta.h"
#include "sernet.h"
#include "srv_main.h"

#include "host/host.h"

/* ---- server/console.h ------------------------------------------------------------------------------ */

static void log_to_ring(enum log_level level, const char *message, bool file_too)
{
  (void)file_too;
  cw_log_line((int)level, message);
  if (level == LOG_FATAL && strncmp(message, "Please report", 13) != 0) {
    cw_guard_note_fatal(message);
  }
}

void con_log_init(const char *log_filename, enum log_level level, int fatal_assertions)
{
  log_init(log_filename, level, log_to_ring, NULL, fatal_assertions);
}

void con_log_close(void)
{
  log_close();
}

void con_write(enum rfc_status rfc_status, const char *message, ...)
{
  char text[2048];
  va_list args;
  va_start(args, message);
  fc_vsnprintf(text, sizeof(text), message, args);
  va_end(args);
  con_puts(rfc_status, text);
}

void con_puts(enum rfc_status rfc_status, const char *str)
{
  bool failed = rfc_status >= C_REJECTED && rfc_status != C_READY;
  cw_log_line(failed ? LOG_WARN : LOG_VERBOSE, str);
  if (failed) {
    cw_error(CW_REFUSED, "%s", str);
  }
}

void con_flush(void) {}
void con_prompt_init(void) {}
void con_prompt_on(void) {}
void con_prompt_off(void) {}
void con_prompt_enter(void) {}
void con_prompt_enter_clear(void) {}
void con_set_style(bool i) { (void)i; }
bool con_get_style(void) { return FALSE; }

/* ---- server/sernet.h ------------------------------------------------------------------------------- */

void init_connections(void)
{
  game.all_connections = conn_list_new();
  game.est_connections = conn_list_new();
}

void close_connections_and_socket(void) {}
int server_open_socket(void) { return 0; }
void flush_packets(void) {}
enum server_events server_sniff_all_input(void) { return S_E_FORCE_END_OF_SNIFF; }
void handle_conn_pong(struct connection *pconn) { (void)pconn; }
void readline_atexit(void) {}
void handle_client_heartbeat(struct connection *pconn) { (void)pconn; }

/* ---- server/meta.h --------------------------------------------------------------------------------- */

const char *default_meta_patches_string(void) { return "none"; }
const char *default_meta_message_string(void) { return ""; }
const char *get_meta_patches_string(void) { return ""; }
const char *get_meta_message_string(void) { return ""; }
const char *get_user_meta_message_string(void) { return NULL; }
void maybe_automatic_meta_message(const char *automatic) { (void)automatic; }
void set_meta_patches_string(const char *string) { (void)string; }
void set_meta_message_string(const char *string) { (void)string; }
void set_user_meta_message_string(const char *string) { (void)string; }
char *meta_addr_port(void) { return srvarg.metaserver_addr; }
void server_close_meta(void) {}
bool server_open_meta(bool persistent) { (void)persistent; return FALSE; }
bool is_metaserver_open(void) { return FALSE; }
bool send_server_info_to_metaserver(enum meta_flag flag) { (void)flag; return FALSE; }

/* ---- server/auth.h, utility/netfile.h --------------------------------------------------------------- */

bool auth_user(struct connection *pconn, char *username) { (void)pconn; (void)username; return FALSE; }
bool auth_handle_reply(struct connection *pconn, char *password) { (void)pconn; (void)password; return FALSE; }
void netfile_free(void) {}

/* ---- utility/timing.h: timers that exist but never advance ------------------------------------------ */

struct timer {
  bool used;
};

struct timer *timer_new(enum timer_timetype type, enum timer_use use)
{
  (void)type;
  (void)use;
  return fc_calloc(1, sizeof(struct timer));
}

struct timer *timer_renew(struct timer *t, enum timer_timetype type, enum timer_use use)
{
  return t != NULL ? t : timer_new(type, use);
}

void timer_destroy(struct timer *t)
{
  free(t);
}

bool timer_in_use(struct timer *t)
{
  return t != NULL;
}

void timer_clear(struct timer *t) { (void)t; }
void timer_start(struct timer *t) { (void)t; }
void timer_stop(struct timer *t) { (void)t; }
double timer_read_seconds(struct timer *t) { (void)t; return 0.0; }
void timer_usleep_since_start(struct timer *t, long usec) { (void)t; (void)usec; }
