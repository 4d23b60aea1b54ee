/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time and memory of the arena beside the C library's malloc, the same sequences for both. */
#include "arena/arena.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct heap {
  const char *name;
  void (*pair)(size_t n, size_t times);
  void (*mixed)(size_t target, size_t times);
  void (*burst)(size_t target);
  size_t (*footprint)(void);
};

static uint64_t rng_state;
static void *held[400000];
static size_t sizes[400000];
static size_t live, peak_foot, peak_live;
static void *volatile sink;

void cw_arena_bad_free(const void *p)
{
  fprintf(stderr, "bad free of %p\n", p);
  exit(1);
}

static inline uint64_t rng(void)
{
  rng_state ^= rng_state << 13;
  rng_state ^= rng_state >> 7;
  rng_state ^= rng_state << 17;
  return rng_state;
}

static inline size_t some_size(void)
{
  uint64_t r = rng(), kind = r % 100, v = r >> 32;

  return kind < 70 ? 1 + v % 63 : kind < 95 ? 64 + v % 960 : 1024 + v % (15 * 1024);
}

static double now(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The best of several rounds: other processes can only slow one down. */
static double fastest(double a, double b)
{
  return a < b ? a : b;
}

static size_t arena_footprint(void)
{
  struct cw_arena_stats st;

  cw_arena_stats(&st);
  return (st.used_pages + st.meta_pages) * CW_ARENA_PAGE;
}

static size_t libc_footprint(void)
{
  struct mallinfo2 m = mallinfo2();

  return m.arena + m.hblkhd;
}

static void sample(size_t footprint)
{
  if (footprint > peak_foot) {
    peak_foot = footprint;
    peak_live = live;
  }
}

/* One copy per heap, so that calls are direct (and inlined across files where the build allows it). */
#define WORKLOADS(name, MALLOC, FREE)                                                                                  \
  static void name##_pair(size_t n, size_t times)                                                                      \
  {                                                                                                                    \
    for (size_t i = 0; i < times; i++) {                                                                               \
      void *p = MALLOC(n);                                                                                             \
      sink = p;                                                                                                        \
      FREE(sink);                                                                                                      \
    }                                                                                                                  \
  }                                                                                                                    \
  static inline void name##_put(size_t i, size_t n)                                                                    \
  {                                                                                                                    \
    char *p = MALLOC(n);                                                                                               \
    memset(p, (int)n, n); /* a program writes what it asks for */                                                      \
    held[i] = p;                                                                                                       \
    sizes[i] = n;                                                                                                      \
    live += n;                                                                                                         \
  }                                                                                                                    \
  static void name##_mixed(size_t target, size_t times)                                                                \
  {                                                                                                                    \
    for (size_t i = 0; i < times; i++) {                                                                               \
      size_t at = rng() % target;                                                                                      \
      live -= sizes[at];                                                                                               \
      FREE(held[at]);                                                                                                  \
      name##_put(at, some_size());                                                                                     \
    }                                                                                                                  \
  }                                                                                                                    \
  static void name##_burst(size_t target)                                                                              \
  {                                                                                                                    \
    for (size_t i = 0; i < target; i++) {                                                                              \
      name##_put(i, some_size());                                                                                      \
    }                                                                                                                  \
    sample(name##_footprint());                                                                                        \
    for (size_t i = 0; i < target; i++) {                                                                              \
      size_t at = (i * 7919) % target; /* all of them, in an order that jumps about */                                 \
      FREE(held[at]);                                                                                                  \
      live -= sizes[at];                                                                                               \
      held[at] = NULL;                                                                                                 \
      sizes[at] = 0;                                                                                                   \
    }                                                                                                                  \
  }

WORKLOADS(arena, cw_arena_malloc, cw_arena_free)
WORKLOADS(libc, malloc, free)

static const struct heap heaps[] = {
  {"arena", arena_pair, arena_mixed, arena_burst, arena_footprint},
  {"libc", libc_pair, libc_mixed, libc_burst, libc_footprint},
};

static void report(const struct heap *h, const char *what, double ns, size_t ops)
{
  printf("%-6s %-34s %7.1f ns per malloc+free", h->name, what, ns / (double)ops);
  if (peak_live) {
    printf("   peak memory / live %.3f", (double)peak_foot / (double)peak_live);
  }
  printf("\n");
  peak_foot = peak_live = 0;
}

static void bench_pairs(const struct heap *h)
{
  static const size_t ns[] = {16, 48, 200, 1000, 3000, 8000, 20000};
  const size_t times = 400000;

  for (size_t i = 0; i < sizeof ns / sizeof ns[0]; i++) {
    char what[40];
    double best = 1e18;

    for (int round = 0; round < 5; round++) {
      double t0 = now();
      h->pair(ns[i], times);
      best = fastest(best, now() - t0);
    }
    snprintf(what, sizeof what, "hot pair, %zu bytes", ns[i]);
    report(h, what, best, times);
  }
}

static void bench_mixed(const struct heap *h, size_t target)
{
  const size_t rounds = 10, times = 200000;
  char what[40];
  double best = 1e18;

  rng_state = 88172645463325252u;
  h->mixed(target, 4 * target); /* fills what is empty */
  for (size_t i = 0; i < rounds; i++) {
    double t0 = now();
    h->mixed(target, times);
    best = fastest(best, now() - t0);
    sample(h->footprint());
  }
  snprintf(what, sizeof what, "mixed, %zu blocks held", target);
  report(h, what, best, times);
}

/* Many blocks, then none. */
static void bench_bursts(const struct heap *h)
{
  const size_t rounds = 10, target = 150000;
  double best = 1e18;

  rng_state = 362436069;
  for (size_t i = 0; i < rounds; i++) {
    double t0 = now();
    h->burst(target);
    best = fastest(best, now() - t0);
  }
  report(h, "bursts of 150000, all freed", best, target);
  printf("%-6s %-34s %7.2f MiB held after the last free\n", h->name, "", (double)h->footprint() / 1048576);
}

static void bench_small_mix(const struct heap *h)
{
  bench_mixed(h, 2000);
}

static void bench_large_mix(const struct heap *h)
{
  bench_mixed(h, 100000);
}

/* Each in its own process: no heap inherits what another load left behind. */
static void isolated(void (*bench)(const struct heap *), const struct heap *h)
{
  pid_t pid;

  fflush(stdout);
  pid = fork();
  if (pid == 0) {
    bench(h);
    exit(0);
  }
  if (pid < 0 || waitpid(pid, NULL, 0) != pid) {
    perror("fork");
    exit(2);
  }
}

int main(void)
{
  void *base = (void *)CW_ARENA_BASE;
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;

  if (mmap(base, CW_ARENA_SPAN, PROT_READ | PROT_WRITE, flags, -1, 0) != base || cw_arena_format(CW_ARENA_SPAN)) {
    perror("reserving the arena");
    return 2;
  }
  for (size_t i = 0; i < sizeof heaps / sizeof heaps[0]; i++) {
    isolated(bench_pairs, &heaps[i]);
    isolated(bench_bursts, &heaps[i]);
    isolated(bench_small_mix, &heaps[i]);
    isolated(bench_large_mix, &heaps[i]);
  }
  return 0;
}
