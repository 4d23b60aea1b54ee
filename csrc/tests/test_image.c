/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Worlds, forks and images without the engine: a random program stands in for it (world.c). */
#include "world.h"

#include <string.h>

/* ---- restoring ---- */

static void capture_and_restore(uint64_t seed)
{
  cw_space *s = world_started(seed, 1 + below(4000));
  cw_image *a = world_capture(s), *b;
  struct snap at_a = snap_take(), at_b;
  size_t steps = 1 + below(3000);
  uint64_t hash;

  snap_of_image(&at_a, a);
  world_steps(steps);
  b = world_capture(s);
  at_b = snap_take();
  hash = world_hash();
  snap_of_image(&at_b, b);
  world_steps(500);

  OK(cw_space_restore(s, a));
  snap_exact(&at_a);
  world_steps(steps);
  snap_same(&at_b);
  REQUIRE(world_hash() == hash);
  OK(cw_space_restore(s, b));
  snap_exact(&at_b);
  OK(cw_space_restore(s, a)); /* nothing in between */
  OK(cw_space_restore(s, a));
  snap_exact(&at_a);
  OK(cw_space_free(s));

  s = world_fork(b);
  snap_exact(&at_b);
  OK(cw_space_free(s));
  snap_drop(&at_a);
  snap_drop(&at_b);
  cw_image_unref(a);
  cw_image_unref(b);
}

static void test_capture_and_restore(void)
{
  for (uint64_t seed = SEED; seed < SEED + 20; seed++) {
    capture_and_restore(seed);
  }
}

/* A world grows and shrinks again before it is restored: what lies above its top must not be seen again. */
static void test_restore_after_a_peak(void)
{
  cw_space *s = world_started(SEED, 200);
  cw_image *im = world_capture(s);
  struct snap snap = snap_take();
  unsigned char *p = cw_arena_malloc(6 << 20);

  memset(p, 0xee, 6 << 20);
  cw_arena_free(p);
  OK(cw_space_restore(s, im));
  snap_exact(&snap);
  p = cw_arena_calloc(1, 6 << 20);
  for (size_t i = 0; i < 6 << 20; i++) {
    REQUIRE(p[i] == 0);
  }
  if (!cw_mem.no_scan) { /* and what a broken program leaves behind where it owns nothing */
    memset((char *)CW_ARENA_BASE + cw_arena_high() + (1 << 20), 0xee, CW_PAGE);
    OK(cw_space_restore(s, im));
    snap_exact(&snap);
  }
  OK(cw_space_free(s));
  cw_image_unref(im);
  snap_drop(&snap);
}

/* Pages that an image's base holds and the image does not are zero however the image comes to lie in memory. */
static void test_freed_pages_are_zero(void)
{
  cw_space *s = world_started(SEED, 5000), *other;
  cw_image *full = world_capture(s), *small;
  struct snap snap;

  for (int more = 0; more < 2; more++) { /* a small delta, and one that is shared */
    OK(cw_space_restore(s, full));
    world_clear();
    world_touch(more ? 100 : 1, 7);
    small = world_capture(s);
    snap = snap_take();
    snap_of_image(&snap, small);
    OK(cw_space_restore(s, full));
    OK(cw_space_restore(s, small)); /* back on the same base */
    snap_exact(&snap);
    other = world_fork(small);
    snap_exact(&snap);
    world_steps(300);
    OK(cw_space_restore(other, small));
    snap_exact(&snap);
    OK(cw_space_free(other));
    snap_drop(&snap);
    cw_image_unref(small);
    OK(cw_space_mount(s));
  }
  OK(cw_space_free(s));
  cw_image_unref(full);
}

/* Pages that have not been written for long are given up; the world must look the same. */
static void test_cold_pages_are_given_up(void)
{
  cw_space *s = world_started(SEED, 500);
  cw_image *im = world_capture(s), *now;
  struct snap snap = snap_take();

  world_touch(600, 1);
  for (uint64_t i = 2; i < 5; i++) {
    OK(cw_space_restore(s, im));
    snap_exact(&snap);
    world_touch(3, i);
  }
  now = world_capture(s);
  REQUIRE(delta_of(now) <= delta_of(im) + 3);
  cw_image_unref(now);
  OK(cw_space_free(s));
  cw_image_unref(im);
  snap_drop(&snap);
}

/* ---- life ---- */

static void test_free_of_the_mounted(void)
{
  cw_space *a = world_started(SEED, 300), *b = world_started(SEED + 1, 300);
  struct snap snap;

  REQUIRE(cw_space_is_mounted());
  OK(cw_space_mount(a));
  snap = snap_take();
  OK(cw_space_mount(b));
  OK(cw_space_free(b));
  REQUIRE(!cw_space_is_mounted());
  OK(cw_space_mount(a));
  snap_same(&snap);
  OK(cw_space_free(a));
  snap_drop(&snap);
}

static void test_ten_thousand(void)
{
  cw_space *s = world_started(SEED, 500), *some[50] = {NULL};
  cw_image *im = world_capture(s), *got;
  struct held before;

  for (int i = 0; i < 2; i++) { /* the second gives the image a base of its own */
    OK(cw_space_free(world_fork(im)));
  }
  before = held_now();
  for (size_t i = 0; i < 10000; i++) {
    size_t at = below(50);

    if (some[at] != NULL) {
      OK(cw_space_free(some[at]));
    }
    OK(cw_space_new(im, &some[at]));
    if (i % 2) {
      OK(cw_space_mount(some[at]));
      world_steps(below(10));
    }
    if (i % 16 == 1) {
      OK(cw_space_capture(some[at], &got));
      cw_image_unref(got);
    }
  }
  for (size_t i = 0; i < 50; i++) {
    OK(some[i] != NULL ? cw_space_free(some[i]) : CW_OK);
  }
  held_same(&before);
  OK(cw_space_free(s));
  cw_image_unref(im);
}

/* More runs of private pages than the kernel gives in one answer; both ways of asking must agree. */
static void test_private_pages(void)
{
  static uint32_t copy[20000];
  const uint32_t *list;
  size_t n, n2;
  bool was = cw_mem.no_scan;
  cw_space *s = world_started(SEED, 2000);
  unsigned char *p = cw_arena_malloc(3000 * CW_PAGE);
  cw_image *im = world_capture(s);
  size_t first = ((uintptr_t)p - CW_ARENA_BASE) / CW_PAGE;

  OK(cw_space_free(s));
  s = world_fork(im);
  for (size_t i = 0; i < 3000; i += 2) {
    p[i * CW_PAGE]++;
  }
  cw_mem.no_scan = false;
  OK(cw_private_pages(s, first + 3000, &list, &n));
  REQUIRE(n >= 1500 && n < 20000);
  memcpy(copy, list, n * sizeof *list);
  cw_mem.no_scan = true;
  OK(cw_private_pages(s, first + 3000, &list, &n2));
  REQUIRE(n2 == n && memcmp(copy, list, n * sizeof *list) == 0);
  for (size_t i = 1; i < n; i++) {
    REQUIRE(copy[i] > copy[i - 1]);
  }
  cw_mem.no_scan = was;
  OK(cw_space_free(s));
  cw_image_unref(im);
}

int main(int argc, char **argv)
{
  static const struct test tests[] = {
    {"capture and restore", test_capture_and_restore},
    {"restore after a peak", test_restore_after_a_peak},
    {"freed pages are zero", test_freed_pages_are_zero},
    {"cold pages are given up", test_cold_pages_are_given_up},
    {"interleaved", test_interleaved},
    {"images of images", test_images_of_images},
    {"rebase and share", test_rebase_and_share},
    {"spare", test_spare},
    {"going back twice", test_going_back_twice},
    {"bases kept for few", test_bases_kept_for_few},
    {"fork without descriptors", test_fork_without_descriptors},
    {"free of the mounted", test_free_of_the_mounted},
    {"ten thousand", test_ten_thousand},
    {"private pages", test_private_pages},
    {"diff, read, build", test_diff_read_build},
    {"build of an older world", test_build_of_an_older_world},
    {"build refuses", test_build_refuses},
    {"fd here", test_fd_here},
    {"fd elsewhere", test_fd_elsewhere},
    {"fd refuses", test_fd_refuses},
    {"calls fail", test_calls_fail},
  };
  struct held before;

  if (argc == 3) {
    return elsewhere(atoi(argv[1]), (size_t)atol(argv[2]));
  }
  test_setup_fails();
  OK(world_setup());
  before = held_now();
  run_tests(tests, sizeof tests / sizeof tests[0]);
  held_same(&before);
  printf("%s page scan\n", cw_mem.no_scan ? "without" : "with");
  cw_mem.no_scan = true;
  run_tests(tests, sizeof tests / sizeof tests[0]);
  held_same(&before);
  printf("ok all\n");
  return 0;
}
