/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The driver: brings the engine up, starts a game, plays turns from one command window to the next. */

#include "fc_config.h"

#include <link.h>

#include "rand.h"
#include "registry.h"
#include "section_file.h"
#include "support.h"

#include "game.h"
#include "map.h"
#include "player.h"
#include "version.h"

#include "gamehand.h"
#include "notify.h"
#include "plrhand.h"
#include "sanitycheck.h"
#include "savegame3.h"
#include "savemain.h"
#include "srv_main.h"
#include "stdinhand.h"

#include "world/behaviour.h"
#include "world/deeds.h"
#include "arena/arena.h"
#include "doors/cw_events.h"
#include "doors/doors.h"
#include "events/recording.h"
#include "world/keyed.h"
#include "plan/plan.h"
#include "host/host.h"
#include "host/redirect.h"

/* Part of the world: whether the engine's own end conditions were met at some turn change. */
static bool game_over;
/* Part of the world: who waits for orders from the first turn on. */
static uint32_t first_humans;

/* ---- process --------------------------------------------------------------------------------------- */

struct span {
  uintptr_t relro_end, data_end;
};

static int find_span(struct dl_phdr_info *info, size_t size, void *arg)
{
  struct span *span = arg;
  bool ours = false;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *h = &info->dlpi_phdr[i];
    uintptr_t at = info->dlpi_addr + h->p_vaddr, here = (uintptr_t)&cw_open;
    ours |= h->p_type == PT_LOAD && here >= at && here < at + h->p_memsz;
  }
  if (!ours) {
    return 0;
  }
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *h = &info->dlpi_phdr[i];
    uintptr_t end = info->dlpi_addr + h->p_vaddr + h->p_memsz;
    if (h->p_type == PT_GNU_RELRO) {
      span->relro_end = (end + CW_PAGE - 1) / CW_PAGE * CW_PAGE;
    } else if (h->p_type == PT_LOAD && (h->p_flags & PF_W)) {
      span->data_end = end;
    }
  }
  return 1;
}

extern char __start_cwhost[] __attribute__((visibility("hidden")));
extern char __stop_cwhost[] __attribute__((visibility("hidden")));

int cw_open(const char *data_dir)
{
  struct span span = {0, 0};
  uintptr_t end = (uintptr_t)__start_cwhost;
  cw_guard_clear();
  if (cw_host->data_dir[0] != '\0') {
    return cw_error(CW_ELIFECYCLE, "the engine is already open in this process");
  }
  dl_iterate_phdr(find_span, &span);
  if ((uintptr_t)&cw_open < CW_TEXT_BASE || (uintptr_t)&cw_open >= CW_TEXT_BASE + 0x10000000) {
    return cw_error(CW_EADDRESS, "the engine was loaded at %p, not at its fixed address %#lx: the range is taken",
                    (void *)&cw_open, (unsigned long)CW_TEXT_BASE);
  }
  if (span.relro_end == 0 || end % CW_PAGE != 0 || span.data_end > (uintptr_t)__stop_cwhost + CW_PAGE
      || span.data_end < (uintptr_t)__stop_cwhost) {
    return cw_error(CW_EADDRESS, "the engine library is laid out unexpectedly (data %#lx-%#lx, host block %#lx)",
                    (unsigned long)span.relro_end, (unsigned long)span.data_end, (unsigned long)end);
  }
  snprintf(cw_host->data_dir, sizeof(cw_host->data_dir), "%s", data_dir);
  return cw_image_setup((void *)span.relro_end, end - span.relro_end);
}

static int need_space(void)
{
  return cw_space_is_mounted() ? CW_OK : cw_error(CW_ELIFECYCLE, "no world is mounted");
}

/* ---- life of a world ------------------------------------------------------------------------------- */

int cw_world_boot(const char *ruleset, int fatal_assertions)
{
  CW_GUARD_BEGIN;
  if (need_space() != CW_OK) {
    CW_GUARD_END(CW_ELIFECYCLE);
  }
  srv_init();
  srvarg.ruleset = fc_strdup(ruleset);
  srvarg.loglevel = LOG_NORMAL;
  srvarg.fatal_assertions = fatal_assertions ? SIGABRT : -1;
  srvarg.announce = ANNOUNCE_NONE;
  cw_door_prepare();
  set_server_state(S_S_INITIAL);
  game_over = false;
  CW_GUARD_END(CW_OK);
}

int cw_world_command(const char *line)
{
  char buf[1024];
  bool done;
  CW_GUARD_BEGIN;
  if (need_space() != CW_OK) {
    CW_GUARD_END(CW_ELIFECYCLE);
  }
  sz_strlcpy(buf, line);
  done = handle_stdin_input(NULL, buf);
  if (!done && cw_host->error[0] == '\0') {
    cw_error(CW_REFUSED, "the engine refused '%s'", line);
  }
  CW_GUARD_END(done ? CW_OK : CW_REFUSED);
}

/* The part of starting a game that a loaded one needs too: from "all set" to the first command window. */
static void begin_play(bool is_new_game, bool keyed)
{
  cw_events_enter(CW_AT_START, game.info.turn > 0 ? game.info.turn : 1);
  start_game();
  cw_door_ready();
  cw_behaviour_start();
  players_iterate(plr) { /* after the start is laid out, so that it is the same whoever plays */
    if (player_number(plr) < 32 && (first_humans >> player_number(plr) & 1) != 0 && is_ai(plr)) {
      player_set_under_human_control(plr);
    }
  } players_iterate_end;
  if (keyed) { /* only now: the map and the start are the same in both modes */
    cw_keyed_start(game.server.seed);
  }
  game.info.is_new_game = FALSE;
  cw_events_enter(CW_AT_BEGIN_TURN, game.info.turn);
  cw_door_begin_turn(is_new_game);
  cw_events_enter(CW_AT_BEGIN_PHASE, game.info.turn);
  cw_door_begin_phase(is_new_game);
  check_for_full_turn_done();
  cw_events_enter(CW_AT_WINDOW, game.info.turn);
}

int cw_world_humans(uint32_t players)
{
  CW_GUARD_BEGIN;
  if (need_space() != CW_OK) {
    CW_GUARD_END(CW_ELIFECYCLE);
  }
  first_humans = players;
  CW_GUARD_END(CW_OK);
}

void cw_hook_no_room(void)
{
  cw_guard_fail(CW_ENOROOM, "server/srv_main.c", "no room for %d players on the map of seed %u (%d x %d tiles): "
                "another seed, more tiles or fewer players may do", player_count(), wld.map.server.seed - 1,
                wld.map.xsize, wld.map.ysize);
}

int cw_world_start(int keyed)
{
  const char *limit;
  int wanted;
  CW_GUARD_BEGIN;
  if (need_space() != CW_OK) {
    CW_GUARD_END(CW_ELIFECYCLE);
  }
  if (game_was_started()) {
    CW_GUARD_END(cw_error(CW_ELIFECYCLE, "the game is already under way"));
  }
  wanted = game.info.aifill;
  limit = aifill(wanted);
  if (player_count() < wanted) {
    CW_GUARD_END(cw_error(CW_EARGUMENT, "%d civilizations were asked for, this ruleset has room for %d: %s", wanted,
                          player_count(), limit != NULL ? limit : "no more could be made"));
  }
  event_cache_clear();
  begin_play(TRUE, keyed != 0);
  CW_GUARD_END(CW_OK);
}

/* The part of the stock turn loop that lies between two command windows. */
static void play_turn(void)
{
  int next = game.info.turn + 1;
  force_end_of_sniff = FALSE;
  sanity_check();
  cw_deeds_count(true);
  cw_events_enter(CW_AT_END_PHASE, next);
  cw_door_end_phase();
  game.server.additional_phase_seconds = 0;
  game.info.phase++;
  cw_events_enter(CW_AT_END_TURN, next);
  cw_door_end_turn();
  if (check_for_game_over()) {
    game_over = true; /* reported; the world itself goes on */
    cw_events_note_winners();
  }
  cw_events_enter(CW_AT_BEGIN_TURN, next);
  cw_door_begin_turn(TRUE);
  cw_events_enter(CW_AT_BEGIN_PHASE, next);
  cw_door_begin_phase(TRUE);
  check_for_full_turn_done();
  cw_events_enter(CW_AT_WINDOW, next);
  cw_deeds_count(false);
  cw_plan_check();
}

/* One turn within its budget of work and time. */
static void play_turn_bounded(int64_t work, double seconds)
{
  cw_host->work_budget = cw_host->work_left = work;
  cw_guard_clock(seconds);
  play_turn();
  cw_host->work_last = work - cw_host->work_left;
}

int cw_world_advance(int n, int64_t work, double seconds, int *done)
{
  *done = 0;
  CW_GUARD_BEGIN;
  if (need_space() != CW_OK) {
    CW_GUARD_END(CW_ELIFECYCLE);
  }
  if (server_state() != S_S_RUNNING) {
    CW_GUARD_END(cw_error(CW_ELIFECYCLE, "the game has not been started"));
  }
  while (*done < n) {
    play_turn_bounded(work, seconds);
    ++*done;
  }
  cw_guard_clock(0);
  CW_GUARD_END(CW_OK);
}

int64_t cw_world_work(void)
{
  return cw_host->work_last;
}

int cw_world_reseed(uint32_t seed, int keyed)
{
  CW_GUARD_BEGIN;
  if (need_space() != CW_OK) {
    CW_GUARD_END(CW_ELIFECYCLE);
  }
  game.server.seed = seed;
  /* First who draws: the engine's generator warms up by drawing. */
  if (keyed == 0) {
    cw_keyed_stop();
  } else if (keyed == 1) {
    cw_keyed_start(seed);
  }
  fc_srand(seed);
  cw_keyed_seed(seed);
  CW_GUARD_END(CW_OK);
}

int cw_world_savegame(const char *path)
{
  struct section_file *file;
  bool saved;
  CW_GUARD_BEGIN;
  if (need_space() != CW_OK) {
    CW_GUARD_END(CW_ELIFECYCLE);
  }
  file = secfile_new(TRUE);
  savegame3_save(file, "Exported", FALSE);
  saved = secfile_save(file, path, 0, FZ_PLAIN);
  secfile_destroy(file);
  CW_GUARD_END(saved ? CW_OK : cw_error(CW_EARGUMENT, "cannot write a savegame to '%s'", path));
}

int cw_world_load_savegame(const char *path, int keyed)
{
  CW_GUARD_BEGIN;
  if (need_space() != CW_OK) {
    CW_GUARD_END(CW_ELIFECYCLE);
  }
  if (!load_command(NULL, path, FALSE, TRUE)) {
    CW_GUARD_END(cw_error(CW_ECORRUPT, "'%s' is no savegame that this engine can load", path));
  }
  begin_play(FALSE, keyed != 0);
  CW_GUARD_END(CW_OK);
}

int cw_world_info(struct cw_world_info *out)
{
  CW_GUARD_BEGIN;
  if (need_space() != CW_OK) {
    CW_GUARD_END(CW_ELIFECYCLE);
  }
  out->turn = game.info.turn;
  out->year = game.info.year;
  out->players = player_count();
  out->over = game_over;
  out->xsize = wld.map.xsize;
  out->ysize = wld.map.ysize;
  out->topology = wld.map.topology_id;
  out->game_seed = game.server.seed;
  out->map_seed = wld.map.server.seed;
  CW_GUARD_END(CW_OK);
}

/* ---- fault injection ------------------------------------------------------------------------------- */

int cw_fault_allocation(int64_t n)
{
  cw_arena_fail_after(n);
  return CW_OK;
}

int cw_fault_hang(int counted, int64_t work, double seconds)
{
  volatile bool forever = true;
  CW_GUARD_BEGIN;
  cw_host->work_budget = cw_host->work_left = work;
  cw_guard_clock(seconds);
  while (forever) {
    if (counted) {
      cw_hook_work();
    }
  }
  CW_GUARD_END(CW_OK);
}

int cw_fault_crash(void)
{
  *(volatile int *)8 = 1;
  return CW_OK;
}

int cw_fault_assert(void)
{
  CW_GUARD_BEGIN;
  fc_assert_msg(game.info.turn < 0, "fault injected on purpose");
  CW_GUARD_END(CW_OK);
}
