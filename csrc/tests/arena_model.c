/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "arena_model.h"

#include <string.h>
#include <sys/mman.h>

struct shadow blocks[MAX_BLOCKS];
size_t nblocks;
const void *bad_pointer;
int bad_count;

void cw_arena_bad_free(const void *p)
{
  bad_pointer = p;
  bad_count++;
}

size_t some_size(void)
{
  size_t kind = below(1000);

  if (kind < 700) {
    return below(64);
  }
  if (kind < 950) {
    return 64 + below(960);
  }
  return kind < 995 ? 1024 + below(15 * 1024) : below(400 * 1024);
}

void check(void)
{
  char why[200] = "";

  if (cw_arena_check(why, sizeof why) != 0) {
    fprintf(stderr, "seed %" PRIu64 ": cw_arena_check: %s\n", seed_now, why);
    exit(1);
  }
}

void reserve(void)
{
  void *p = mmap(BASE, CW_ARENA_SPAN, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

  if (p != BASE) {
    perror("mmap of the arena's range");
    exit(2);
  }
}

void wipe(void)
{
  REQUIRE(madvise(BASE, CW_ARENA_SPAN, MADV_DONTNEED) == 0);
}

void fresh(size_t capacity, uint64_t seed)
{
  seed_now = rng_state = seed;
  nblocks = 0;
  bad_count = 0;
  wipe();
  REQUIRE(cw_arena_format(capacity) == 0);
  check();
}

struct cw_arena_stats stats(void)
{
  struct cw_arena_stats st;

  cw_arena_stats(&st);
  return st;
}

size_t meta_bytes(void)
{
  fresh(CW_ARENA_SPAN, 0);
  return cw_arena_top();
}

void require_filled(const unsigned char *p, size_t n, unsigned char tag)
{
  if (n > 0) {
    REQUIRE(p[0] == tag && memcmp(p, p + 1, n - 1) == 0);
  }
}

void model_add(void *p, size_t n)
{
  struct shadow *b = &blocks[nblocks++];

  REQUIRE(p != NULL && ((uintptr_t)p & 15) == 0 && cw_arena_owns(p) && cw_arena_usable(p) >= n);
  REQUIRE(nblocks < MAX_BLOCKS);
  b->p = p;
  b->n = n;
  b->tag = (unsigned char)rng();
  memset(p, b->tag, n);
}

void model_free(size_t i)
{
  require_filled(blocks[i].p, blocks[i].n, blocks[i].tag);
  cw_arena_free(blocks[i].p);
  blocks[i] = blocks[--nblocks];
}

static void model_realloc(size_t i, size_t n)
{
  struct shadow *b = &blocks[i];
  unsigned char *q = cw_arena_realloc(b->p, n);

  REQUIRE(q != NULL && cw_arena_usable(q) >= n);
  require_filled(q, n < b->n ? n : b->n, b->tag);
  memset(q, b->tag, n);
  b->p = q;
  b->n = n;
}

static void model_step(size_t target)
{
  size_t n = some_size(), what = below(100);

  if (nblocks == 0 || (what < 45 && nblocks < target)) {
    model_add(cw_arena_malloc(n), n);
  } else if (what < 50 && nblocks < target) {
    unsigned char *p = cw_arena_calloc(1, n);
    require_filled(p, n, 0);
    model_add(p, n);
  } else if (what < 53 && nblocks < target) {
    size_t align = (size_t)1 << (4 + below(9));
    void *p = cw_arena_memalign(align, n);
    REQUIRE(((uintptr_t)p & (align - 1)) == 0);
    model_add(p, n);
  } else if (what < 63) {
    model_realloc(below(nblocks), n + 1);
  } else {
    model_free(below(nblocks));
  }
}

void model_steps(size_t n, size_t target)
{
  while (n-- > 0) {
    model_step(target);
  }
}

uint64_t state_hash(void)
{
  uint64_t h = 1469598103934665603u;

  for (size_t i = 0; i < nblocks; i++) {
    h = (h ^ (uint64_t)(uintptr_t)blocks[i].p) * 1099511628211u;
    h = (h ^ blocks[i].tag) * 1099511628211u;
    require_filled(blocks[i].p, blocks[i].n, blocks[i].tag);
  }
  return h;
}
