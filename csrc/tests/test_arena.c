/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Model tests of the arena: every random sequence is seeded, and a failure names the seed. */
#include "arena_model.h"

#include <string.h>

static void test_format(void)
{
  size_t tables = meta_bytes();

  REQUIRE(cw_arena_format(CW_ARENA_SPAN) == -1); /* there is one already */
  wipe();
  REQUIRE(cw_arena_format(tables) == -1);
  REQUIRE(cw_arena_format(tables + 100) == -1);
  REQUIRE(cw_arena_format((size_t)CW_ARENA_SPAN + CW_ARENA_PAGE) == -1);
  REQUIRE(cw_arena_format(tables + CW_ARENA_PAGE) == 0);
  REQUIRE(stats().meta_pages < 24 && stats().used_pages == 0);
}

static void test_every_size(void)
{
  volatile size_t huge = SIZE_MAX; /* volatile: else the compiler warns of what is tested here */

  fresh(CW_ARENA_SPAN, SEED);
  for (size_t n = 0; n <= 70000; n += n < 9000 ? 1 : 997) {
    unsigned char *p = cw_arena_malloc(n);
    size_t usable = cw_arena_usable(p);

    REQUIRE(p && ((uintptr_t)p & 15) == 0 && usable >= n);
    REQUIRE(n <= 8192 ? usable <= (n < 16 ? 16 : n + 15 + n / 8) : usable < n + CW_ARENA_PAGE);
    memset(p, 0xff, usable); /* must not reach a neighbour: the checks and the model would see it */
    if (n % 3) {
      cw_arena_free(p);
    }
  }
  check();
  REQUIRE(cw_arena_malloc(huge) == NULL && cw_arena_malloc(huge - 4000) == NULL);
  REQUIRE(cw_arena_malloc(CW_ARENA_SPAN) == NULL);
  REQUIRE(cw_arena_calloc(huge / 2, 4) == NULL);
  REQUIRE(cw_arena_memalign(24, 8) == NULL && cw_arena_memalign(8192, 8) == NULL);
  check();
}

static void test_realloc(void)
{
  unsigned char *p, *q;

  fresh(CW_ARENA_SPAN, SEED);
  p = cw_arena_realloc(NULL, 20);
  REQUIRE(p && cw_arena_realloc(p, 32) == p && cw_arena_realloc(p, 17) == p);
  p = cw_arena_realloc(p, 100000);
  memset(p, 7, 100000);
  REQUIRE(cw_arena_realloc(p, 2000000) == p); /* nothing lies behind it */
  require_filled(p, 100000, 7);
  require_filled(p + 102400, 2000000 - 102400, 0);
  REQUIRE(cw_arena_realloc(p, 50000) == p);
  q = cw_arena_malloc(16000);
  REQUIRE(q > p && q < p + 100000); /* the tail was given back */
  REQUIRE(cw_arena_realloc(p, 60000) != p);
  check();
  p = cw_arena_realloc(q, 100);
  REQUIRE(p && p != q && cw_arena_usable(p) < 128 && cw_arena_usable(q) == 0);
  REQUIRE(cw_arena_realloc(p, 0) == NULL && cw_arena_usable(p) == 0);
  check();
}

static void fill_up(size_t n)
{
  void *p;

  while ((p = cw_arena_malloc(n)) != NULL) {
    model_add(p, n);
  }
  check();
}

static void test_exhaustion(void)
{
  size_t capacity = meta_bytes() + 4096 * 1024, held;

  for (size_t n = 40; n < 200000; n *= 7) {
    fresh(capacity, SEED);
    fill_up(n);
    held = nblocks;
    REQUIRE(cw_arena_malloc(n) == NULL && cw_arena_top() <= capacity);
    REQUIRE(cw_arena_realloc(blocks[0].p, 3000000) == NULL);
    require_filled(blocks[0].p, n, blocks[0].tag);
    for (int i = 0; i < 3; i++) { /* recovers in full, also for another size */
      while (nblocks > 0) {
        model_free(below(nblocks));
      }
      check();
      fill_up(i == 1 ? 999 : n);
    }
    /* the slab kept for 999 bytes goes when space runs out, but by then runs may lie around it */
    REQUIRE(n <= 8192 ? nblocks == held : nblocks + 1 >= held);
  }
}

static void test_whole_pool(void)
{
  size_t room = 4096 * 1024, capacity = meta_bytes() + room;
  void *p;

  fresh(capacity, SEED);
  fill_up(64);
  while (nblocks > 0) {
    model_free(nblocks - 1);
  }
  p = cw_arena_malloc(room); /* needs the empty slab that the class kept */
  REQUIRE(p && cw_arena_malloc(1) == NULL && cw_arena_top() == capacity);
  require_filled(p, room, 0);
  cw_arena_free(p);
  check();
  REQUIRE(cw_arena_malloc(1) != NULL);
}

static void test_faults(void)
{
  void *p;

  fresh(CW_ARENA_SPAN, SEED);
  p = cw_arena_malloc(10);
  for (int64_t n = 1; n < 20; n++) {
    cw_arena_fail_after(n);
    for (int64_t i = 1; i < 30; i++) {
      void *q = i % 3 == 0   ? cw_arena_malloc(20000)
            : i % 3 == 1 ? cw_arena_calloc(1, 5)
                   : cw_arena_memalign(64, 9);
      REQUIRE((q == NULL) == (i == n));
    }
  }
  cw_arena_fail_after(1);
  memset(p, 3, 10);
  REQUIRE(cw_arena_realloc(p, 5000) == NULL);
  require_filled(p, 10, 3);
  cw_arena_fail_after(2);
  cw_arena_fail_after(-1);
  REQUIRE(cw_arena_malloc(1) && cw_arena_malloc(1) && cw_arena_malloc(1));
  REQUIRE(stats().allocations == 1 + 19 * 29 + 1 + 3);
  check();
}

static void require_bad(const void *p)
{
  int before = bad_count;

  cw_arena_free((void *)(uintptr_t)p);
  REQUIRE(bad_count == before + 1 && bad_pointer == p && cw_arena_usable(p) == 0);
  REQUIRE(cw_arena_realloc((void *)(uintptr_t)p, 50) == NULL && bad_count == before + 2);
}

static void test_bad_free(void)
{
  int local = 0;
  char *small, *odd, *big, *slab;

  fresh(CW_ARENA_SPAN, SEED);
  cw_arena_free(NULL);
  REQUIRE(bad_count == 0);
  small = cw_arena_malloc(40);
  odd = cw_arena_malloc(3500); /* a slab of several pages */
  slab = cw_arena_malloc(3500);
  big = cw_arena_malloc(100000);
  require_bad(&local);
  require_bad(small + 16);
  require_bad(small + 1);
  require_bad(small + 85 * 48); /* what is left at the end of a slab of 48-byte slots */
  require_bad(odd + 4096);
  require_bad(slab + 3584); /* a slot that was never handed out */
  require_bad(big + 16);
  require_bad(big + 4096);
  require_bad(big + 300000); /* never used */
  require_bad(BASE);
  require_bad(BASE + CW_ARENA_SPAN - 16);
  require_bad(BASE + CW_ARENA_SPAN);
  require_bad((const void *)16);
  cw_arena_free(small);
  require_bad(small);
  cw_arena_free(big);
  require_bad(big);
  cw_arena_free(odd);
  cw_arena_free(slab);
  require_bad(slab);
  check();
  REQUIRE(stats().live_blocks == 0);
}

static void test_recycled_runs_are_zero(void)
{
  fresh(CW_ARENA_SPAN, SEED);
  for (int round = 0; round < 300; round++) {
    size_t n = 8193 + below(300000);
    unsigned char *p = cw_arena_malloc(n);

    require_filled(p, cw_arena_usable(p), 0);
    memset(p, 0xee, cw_arena_usable(p));
    model_add(p, n);
    if (nblocks > 10) {
      model_free(below(nblocks));
    }
  }
  while (nblocks > 0) {
    model_free(0);
  }
  for (size_t n = 16; n <= 8192; n *= 2) { /* a fresh slab too */
    unsigned char *p = cw_arena_malloc(n);
    require_filled(p, n, 0);
    memset(p, 0xee, n);
  }
  check();
}

int main(void)
{
  static const struct test tests[] = {
    {"format", test_format},
    {"every size", test_every_size},
    {"realloc", test_realloc},
    {"model and determinism", test_model_and_determinism},
    {"exhaustion", test_exhaustion},
    {"whole pool", test_whole_pool},
    {"faults", test_faults},
    {"bad free", test_bad_free},
    {"recycled runs are zero", test_recycled_runs_are_zero},
    {"compaction in phases", test_compaction_in_phases},
    {"compaction at random", test_compaction_at_random},
    {"image", test_image},
    {"tables are accounted", test_tables_are_accounted},
  };

  reserve();
  run_tests(tests, sizeof tests / sizeof tests[0]);
  printf("ok all\n");
  return 0;
}
