/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The system refuses: memory, mappings, descriptors. Nothing may be lost, whichever call it is. */
#include "faults.h"
#include "world.h"

#include <limits.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- set-up ---- */

static int setup_with_failure(long nth)
{
  int status;

  plan.nth = nth;
  storm();
  status = world_setup();
  calm();
  if (status != CW_OK) { /* what was taken is given back: the next attempt finds the place free */
    size_t n = held_now().fds;

    REQUIRE(last_error[0] != '\0' && cw_mem.count.spaces == 0 && cw_mem.count.bases == 0);
    OK(world_setup());
    REQUIRE(held_now().fds == n + 2);
  }
  OK(cw_space_free(world_fork(cw_image_pristine())));
  return status;
}

void test_setup_fails(void)
{
  size_t ok = 0;

  for (long nth = 1; nth < 30; nth++) {
    pid_t pid = fork();
    int status;

    if (pid == 0) {
      _exit(setup_with_failure(nth) == CW_OK ? 0 : 7);
    }
    REQUIRE(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    REQUIRE(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 7);
    ok += WEXITSTATUS(status) == 0;
  }
  REQUIRE(ok > 0 && ok < 25);
  printf("ok setup fails\n");
}

/* ---- every operation with every call failing ---- */

/* A world that is mounted, one that is not, and images on three bases. */
static struct {
  cw_space *mounted, *parked;
  cw_image *first, *far, *near, *again;
  struct snap at_mounted, at_parked, at_first, at_near;
} c;

/* The same content without a shared base made before: that is part of what may fail. */
static cw_image *afresh(const cw_image *im)
{
  cw_image *out;

  OK(cw_image_build(im, NULL, 0, NULL, NULL, 0, &out));
  return out;
}

static int try_fork(void)
{
  cw_image *im = afresh(c.near);
  cw_space *s;
  int status;

  storm();
  status = cw_space_new(im, &s);
  if (status == CW_OK) {
    status = cw_space_mount(s);
    calm();
    if (status == CW_OK) {
      snap_exact(&c.at_near);
    }
    OK(cw_space_mount(c.mounted));
    OK(cw_space_free(s));
  }
  calm();
  cw_image_unref(im);
  return status;
}

static int try_mount(void)
{
  int status;

  storm();
  status = cw_space_mount(c.parked);
  calm();
  if (status == CW_OK) {
    snap_same(&c.at_parked);
    OK(cw_space_mount(c.mounted));
  }
  return status;
}

static int try_restore_mounted(void)
{
  cw_image *im = afresh(c.first);
  int status;

  storm();
  status = cw_space_restore(c.mounted, im);
  calm();
  if (status == CW_OK) {
    snap_exact(&c.at_first);
    OK(cw_space_restore(c.mounted, c.again));
  }
  cw_image_unref(im);
  return status;
}

static int try_restore_parked(void)
{
  cw_image *im = afresh(c.near);
  int status;

  storm();
  status = cw_space_restore(c.parked, im);
  calm();
  if (status == CW_OK) {
    OK(cw_space_mount(c.parked));
    snap_exact(&c.at_near);
    OK(cw_space_restore(c.parked, c.far));
    OK(cw_space_mount(c.mounted));
  }
  cw_image_unref(im);
  return status;
}

static int try_restore_parked_far(void)
{
  cw_image *im = afresh(c.first);
  int status;

  storm();
  status = cw_space_restore(c.parked, im);
  calm();
  if (status == CW_OK) {
    OK(cw_space_mount(c.parked));
    snap_exact(&c.at_first);
    OK(cw_space_restore(c.parked, c.far));
    OK(cw_space_mount(c.mounted));
  }
  cw_image_unref(im);
  return status;
}

static int try_restore_same_base(void)
{
  struct snap snap;
  int status;

  world_steps(50);
  snap = snap_take();
  storm();
  status = cw_space_restore(c.mounted, c.again);
  calm();
  if (status == CW_OK) {
    snap_exact(&c.at_mounted);
  } else {
    OK(cw_space_mount(c.mounted));
    snap_same(&snap);
    OK(cw_space_restore(c.mounted, c.again));
  }
  snap_drop(&snap);
  return status;
}

static int try_capture(void)
{
  cw_image *im;
  int status;

  storm();
  status = cw_space_capture(c.mounted, &im);
  calm();
  if (status == CW_OK) {
    snap_of_image(&c.at_mounted, im);
    cw_image_unref(im);
  }
  return status;
}

/* Nearly every page is new, so that the world is moved to a base of its own. */
static int try_capture_rebase(void)
{
  cw_image *im;
  struct snap snap;
  int status;

  world_touch(DATA_PAGES - 1, rng());
  snap = snap_take();
  storm();
  status = cw_space_capture(c.mounted, &im);
  calm();
  OK(cw_space_mount(c.mounted));
  snap_same(&snap);
  if (status == CW_OK) {
    snap_of_image(&snap, im);
    world_steps(10);
    OK(cw_space_restore(c.mounted, im));
    snap_exact(&snap);
    cw_image_unref(im);
  }
  snap_drop(&snap);
  OK(cw_space_restore(c.mounted, c.again));
  return status;
}

static int try_build(void)
{
  static const uint32_t pages[2] = {3, DATA_PAGES + 300};
  static const uint8_t content[2][CW_PAGE] = {{1}, {2}};
  cw_image *im;
  int status;

  storm();
  status = cw_image_build(c.near, pages, 2, content[0], pages, 2, &im);
  calm();
  if (status == CW_OK) {
    cw_image_unref(im);
  }
  return status;
}

static int try_assemble(void)
{
  static const uint32_t pages[4] = {3, 4, DATA_PAGES, DATA_PAGES + 300};
  static const uint8_t content[4][CW_PAGE] = {{1}, {2}, {3}, {4}};
  cw_intake *in;
  cw_image *im;
  int status;

  storm();
  status = cw_image_begin(pages, 4, &in);
  if (status == CW_OK) {
    status = cw_image_take(in, content[0], 3);
    if (status == CW_OK) {
      status = cw_image_take(in, content[3], 1);
    }
    if (status == CW_OK) {
      status = cw_image_end(in, &im);
    } else {
      cw_image_end(in, NULL);
    }
  }
  calm();
  if (status == CW_OK) {
    cw_image_unref(im);
  }
  return status;
}

static int try_fd(void)
{
  cw_image *im = afresh(c.near), *got;
  int status, fd;

  storm();
  status = cw_image_fd(im, &fd);
  if (status == CW_OK) {
    status = cw_image_from_fd(fd, &got);
  }
  calm();
  if (status == CW_OK) {
    snap_of_image(&c.at_near, got);
    cw_image_unref(got);
  }
  cw_image_unref(im);
  return status;
}

static void begin(void)
{
  seed_now = rng_state = SEED;
  c.mounted = world_fork(cw_image_pristine());
  world_start(SEED);
  world_steps(500);
  c.first = world_capture(c.mounted);
  c.at_first = snap_take();
  world_touch(DATA_PAGES - 1, 1);
  c.far = world_capture(c.mounted);
  world_touch(150, 2);
  world_steps(100);
  c.near = world_capture(c.mounted);
  c.at_near = snap_take();
  OK(cw_space_new(c.far, &c.parked));
  OK(cw_space_mount(c.parked));
  c.at_parked = snap_take();
  OK(cw_space_mount(c.mounted));
  world_steps(50);
  c.again = world_capture(c.mounted);
  c.at_mounted = snap_take();
}

static void end(void)
{
  OK(cw_space_free(c.mounted));
  OK(cw_space_free(c.parked));
  cw_image_unref(c.first);
  cw_image_unref(c.far);
  cw_image_unref(c.near);
  cw_image_unref(c.again);
  snap_drop(&c.at_mounted);
  snap_drop(&c.at_parked);
  snap_drop(&c.at_first);
  snap_drop(&c.at_near);
}

/* Whatever happened: both worlds are there. */
static void intact(int status)
{
  if (status != CW_OK && cw_mem.mounted == NULL) { /* not even back: the next mount puts it right */
    OK(cw_space_mount(c.mounted));
  }
  REQUIRE(cw_mem.mounted == c.mounted);
  snap_same(&c.at_mounted);
  OK(cw_space_mount(c.parked));
  snap_same(&c.at_parked);
  OK(cw_space_mount(c.mounted));
}

/* Lets one call fail, or all from there on; tells whether there is one with that number. */
static bool attempt(int (*op)(void), long nth, bool all, int *refused)
{
  bool scan = cw_mem.no_scan;
  int status;

  plan.nth = nth;
  plan.all = all;
  status = op();
  *refused += status != CW_OK;
  intact(status);
  cw_mem.no_scan = scan; /* a failed scan turns it off */
  REQUIRE(status == CW_OK || calls_failed > 0);
  return calls_failed > 0;
}

#define EDGE 12

static void sweep(const char *name, int (*op)(void), bool all)
{
  struct held before = held_now();
  int refused = 0, tried = 0;
  long calls;

  begin();
  REQUIRE(!attempt(op, LONG_MAX, all, &refused));
  calls = calls_made;
  for (long nth = 1; nth <= calls; nth++) {
    if (nth <= EDGE || nth > calls - EDGE || nth % 7 == 0) { /* in the middle, pages are written one by one */
      tried += attempt(op, nth, all, &refused);
    }
  }
  end();
  held_same(&before);
  printf("  %s%s: %d failures of %ld calls, ", name, all ? ", and all behind" : "", tried, calls);
  printf("%d refused\n", refused);
}

void test_calls_fail(void)
{
  static const struct {
    const char *name;
    int (*op)(void);
  } ops[] = {
    {"fork", try_fork},
    {"mount", try_mount},
    {"restore, mounted", try_restore_mounted},
    {"restore, parked", try_restore_parked},
    {"restore, parked, another base", try_restore_parked_far},
    {"restore, same base", try_restore_same_base},
    {"capture", try_capture},
    {"capture and rebase", try_capture_rebase},
    {"build", try_build},
    {"assemble", try_assemble},
    {"descriptor", try_fd},
  };

  for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
    sweep(ops[i].name, ops[i].op, false);
    sweep(ops[i].name, ops[i].op, true);
  }
}
