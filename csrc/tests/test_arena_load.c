/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arena under load: determinism, compaction, images. */
#include "arena_model.h"

#include <string.h>

static uint64_t model_run(uint64_t seed, size_t steps, size_t every)
{
  uint64_t h = 0;

  fresh(CW_ARENA_SPAN, seed);
  for (size_t i = 0; i < steps; i++) {
    size_t phase = i * 8 / steps; /* the population swings, so that slabs and runs come and go */
    model_steps(1, phase % 2 ? 300 : 6000);
    h = h * 31 + (nblocks ? (uint64_t)(uintptr_t)blocks[nblocks - 1].p : 0);
    if (i % every == 0) {
      check();
    }
  }
  h ^= state_hash();
  REQUIRE(stats().live_blocks == nblocks);
  while (nblocks > 0) {
    model_free(below(nblocks));
  }
  check();
  REQUIRE(stats().live_blocks == 0 && stats().live_bytes == 0 && bad_count == 0);
  return h;
}

void test_model_and_determinism(void)
{
  for (uint64_t seed = SEED; seed < SEED + 3; seed++) {
    uint64_t h = model_run(seed, 60000, 997);
    printf("seed %" PRIu64 ": addresses %016" PRIx64 "\n", seed, h);
    REQUIRE(model_run(seed, 60000, 60000) == h);
    REQUIRE(model_run(seed + 100, 6000, 5) != h);
  }
}
/* ---- compaction ---- */

static void grow_to(size_t bytes)
{
  while (stats().live_bytes < bytes) {
    for (int i = 0; i < 1000; i++) {
      size_t n = some_size();
      model_add(cw_arena_malloc(n), n);
    }
  }
}

static size_t live_pages(void)
{
  return stats().live_bytes / CW_ARENA_PAGE + 1;
}

void test_compaction_in_phases(void)
{
  size_t tables = meta_bytes(), full_top, kept, full_pages;

  fresh(CW_ARENA_SPAN, SEED);
  grow_to(19u << 20);
  kept = nblocks;
  grow_to(56u << 20);
  full_top = cw_arena_top() - tables;
  full_pages = stats().used_pages;
  REQUIRE(full_pages * 100 < live_pages() * 115);
  while (nblocks > kept) {
    model_free(kept + below(nblocks - kept));
  }
  check();
  REQUIRE(stats().used_pages * 100 < live_pages() * 120);
  REQUIRE(cw_arena_top() - tables < full_top * 45 / 100);
  REQUIRE(stats().peak_pages >= full_pages);
  printf("phases: live %zu, used %zu of %zu pages, top %zu MiB\n", live_pages(), stats().used_pages, full_pages,
         (cw_arena_top() - tables) >> 20);
}

void test_compaction_at_random(void)
{
  size_t tables = meta_bytes(), full_top, count;

  fresh(CW_ARENA_SPAN, SEED);
  grow_to(56u << 20);
  full_top = cw_arena_top() - tables;
  for (count = nblocks; nblocks > count / 3;) {
    model_free(below(nblocks));
  }
  check();
  printf("random: live %zu, used %zu pages, top %zu of %zu MiB\n", live_pages(), stats().used_pages,
         (cw_arena_top() - tables) >> 20, full_top >> 20);
  /* Nothing can be moved, but what comes next goes into the holes and a steady turnover closes them. */
  for (int i = 0; i < 3000000 && nblocks > 0; i++) {
    size_t n = some_size();
    model_free(below(nblocks));
    model_add(cw_arena_malloc(n), n);
  }
  check();
  printf("turnover: live %zu, used %zu pages, top %zu MiB\n", live_pages(), stats().used_pages,
         (cw_arena_top() - tables) >> 20);
  REQUIRE(stats().used_pages * 100 < live_pages() * 150);
  REQUIRE(cw_arena_top() - tables < full_top * 2 / 3);
  while (nblocks > 0) {
    model_free(below(nblocks));
  }
  check();
  REQUIRE(stats().used_pages < 250); /* at most one empty slab per class */
  REQUIRE(cw_arena_top() - tables < full_top / 10);
}

/* ---- images ---- */

struct image {
  size_t npages;
  unsigned char *used;
  char *bytes; /* used pages only, one after the other */
};

static struct image image_save(void)
{
  struct image im;
  const uint8_t *map = cw_arena_page_map(&im.npages);
  size_t at = 0;

  REQUIRE(im.npages * CW_ARENA_PAGE == cw_arena_top());
  im.used = malloc(im.npages);
  im.bytes = malloc((stats().used_pages + stats().meta_pages) * CW_ARENA_PAGE);
  for (size_t p = 0; p < im.npages; p++) {
    im.used[p] = map[p] != 0;
    REQUIRE(cw_arena_page_used(p) == (map[p] != 0));
    if (im.used[p]) {
      memcpy(im.bytes + at++ * CW_ARENA_PAGE, BASE + p * CW_ARENA_PAGE, CW_ARENA_PAGE);
    }
  }
  REQUIRE(at == stats().used_pages + stats().meta_pages);
  return im;
}

static void image_load(const struct image *im)
{
  size_t at = 0;

  wipe();
  for (size_t p = 0; p < im->npages; p++) {
    if (im->used[p]) {
      memcpy(BASE + p * CW_ARENA_PAGE, im->bytes + at++ * CW_ARENA_PAGE, CW_ARENA_PAGE);
    }
  }
}

static void image_drop(struct image *im)
{
  free(im->used);
  free(im->bytes);
}

void test_image(void)
{
  struct shadow *blocks_then = malloc(sizeof blocks);
  struct image im, end1, end2;
  size_t n_then;
  uint64_t rng_then, hash;

  fresh(CW_ARENA_SPAN, SEED);
  model_steps(60000, 8000);
  while (nblocks > 2000) {
    model_free(below(nblocks)); /* leaves free pages with old contents */
  }
  im = image_save();
  memcpy(blocks_then, blocks, sizeof blocks);
  n_then = nblocks;
  rng_then = rng_state;
  model_steps(40000, 8000);
  hash = state_hash();
  end1 = image_save();

  image_load(&im);
  memcpy(blocks, blocks_then, sizeof blocks);
  nblocks = n_then;
  rng_state = rng_then;
  check();
  model_steps(40000, 8000);
  check();
  REQUIRE(state_hash() == hash);
  end2 = image_save();
  REQUIRE(end1.npages == end2.npages && memcmp(end1.used, end2.used, end1.npages) == 0);
  REQUIRE(memcmp(end1.bytes, end2.bytes, (stats().used_pages + stats().meta_pages) * CW_ARENA_PAGE) == 0);
  image_drop(&im);
  image_drop(&end1);
  image_drop(&end2);
  free(blocks_then);
}

/* What lies outside the page map must be zero in the tables, or an image would lose it. */
void test_tables_are_accounted(void)
{
  size_t tables = meta_bytes();
  static const char zeros[CW_ARENA_PAGE];

  fresh(CW_ARENA_SPAN, SEED);
  model_steps(20000, 8000);
  for (size_t p = 0; p < tables / CW_ARENA_PAGE; p++) {
    REQUIRE(cw_arena_page_used(p) || memcmp(BASE + p * CW_ARENA_PAGE, zeros, CW_ARENA_PAGE) == 0);
  }
  REQUIRE(stats().meta_pages * 20 < stats().used_pages);
}
