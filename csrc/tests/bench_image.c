/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What forks, restores and captures of a 30 MB world cost. */
#include "images/internal.h"
#include "check.h"

#include <stdarg.h>
#include <string.h>
#include <time.h>

#define DATA_BYTES ((size_t)12 << 20)
#define CHUNK ((size_t)64 << 10)
#define CHUNKS 288 /* 18 MiB of arena */

static struct {
  unsigned char *chunk[CHUNKS];
  unsigned char rest[DATA_BYTES - CHUNKS * sizeof(void *)];
} data __attribute__((aligned(4096)));

int cw_error(int status, const char *format, ...)
{
  va_list args;

  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
  return status;
}

void cw_arena_bad_free(const void *p)
{
  fprintf(stderr, "bad free of %p\n", p);
  exit(1);
}

static double now(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

#define MUST(call)                                                                                                     \
  do {                                                                                                                 \
    if ((call) != CW_OK) {                                                                                             \
      fprintf(stderr, "%s failed\n", #call);                                                                           \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

static void fill(unsigned char *p, size_t n)
{
  for (size_t i = 0; i < n; i += 8) {
    uint64_t v = rng();
    memcpy(p + i, &v, 8);
  }
}

static void grow(void)
{
  fill(data.rest, sizeof data.rest);
  for (size_t i = 0; i < CHUNKS; i++) {
    data.chunk[i] = cw_arena_malloc(CHUNK);
    fill(data.chunk[i], CHUNK);
  }
}

/* Writes a few bytes on each of n pages, of data and arena alike; the same pages for the same n. */
static void dirty(size_t n)
{
  static const size_t pages = sizeof data.rest / 4096, arena = CHUNKS * CHUNK / 4096;
  size_t step = (pages + arena) / n;

  for (size_t i = 0; i < n; i++) {
    size_t at = i * step + i % 3;
    unsigned char *chunk = at < pages ? data.rest : data.chunk[(at - pages) / 16];
    unsigned char *p = chunk + (at < pages ? at : (at - pages) % 16) * 4096;

    for (int k = 0; k < 4; k++) {
      p[below(4096)]++;
    }
  }
}

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

#define ROUNDS 41

static void report(const char *what, size_t pages, double *ms)
{
  qsort(ms, ROUNDS, sizeof ms[0], compare);
  printf("%-34s %5zu pages   best %7.3f   median %7.3f ms\n", what, pages, ms[0], ms[ROUNDS / 2]);
}

/* Over and over: play on, restore. */
static void bench_restore(cw_space *s, const cw_image *im, size_t n, const char *what)
{
  double ms[ROUNDS], touch[ROUNDS];

  MUST(cw_space_restore(s, im));
  for (int i = 0; i < ROUNDS; i++) {
    double t0 = now(), t1;

    dirty(n);
    t1 = now();
    MUST(cw_space_restore(s, im));
    ms[i] = now() - t1;
    touch[i] = t1 - t0;
  }
  report(what, n, ms);
  report("  (writing these pages)", n, touch);
}

static void bench_capture(cw_space *s, const cw_image *im, size_t n)
{
  double ms[ROUNDS];
  cw_image *got[ROUNDS];

  for (int i = 0; i < ROUNDS; i++) { /* kept, as a timeline would: else the next finds warm memory */
    double t0;

    MUST(cw_space_restore(s, im));
    dirty(n);
    t0 = now();
    MUST(cw_space_capture(s, &got[i]));
    ms[i] = now() - t0;
  }
  for (int i = 0; i < ROUNDS; i++) {
    cw_image_unref(got[i]);
  }
  report("capture", n, ms);
}

static void bench_fork(const cw_image *im, const char *what, size_t n)
{
  double ms[ROUNDS], drop[ROUNDS];

  for (int i = 0; i < ROUNDS; i++) {
    cw_space *s;
    double t0 = now();

    MUST(cw_space_new(im, &s));
    MUST(cw_space_mount(s));
    ms[i] = now() - t0;
    dirty(n);
    t0 = now();
    MUST(cw_space_free(s));
    drop[i] = now() - t0;
  }
  report(what, n, ms);
  report("  drop it", n, drop);
}

static void bench_switch(const cw_image *im)
{
  double ms[ROUNDS];
  cw_space *s[2];

  for (int k = 0; k < 2; k++) {
    MUST(cw_space_new(im, &s[k]));
    MUST(cw_space_mount(s[k]));
    dirty(600);
  }
  for (int i = 0; i < ROUNDS; i++) {
    double t0 = now();
    MUST(cw_space_mount(s[i % 2]));
    ms[i] = now() - t0;
  }
  report("mount the other of two", 600, ms);
  cw_space_free(s[0]);
  cw_space_free(s[1]);
}

int main(int argc, char **argv)
{
  cw_space *s;
  cw_image *base, *later;

  (void)argv;
  MUST(cw_image_setup(&data, sizeof data));
  cw_mem.no_scan = argc > 1; /* with any argument: as on a kernel without PAGEMAP_SCAN */
  MUST(cw_space_new(cw_image_pristine(), &s));
  MUST(cw_space_mount(s));
  grow();
  MUST(cw_space_capture(s, &base)); /* most pages are new: gets a base of its own */
  bench_restore(s, base, 600, "restore");
  bench_restore(s, base, 2000, "restore");
  bench_restore(s, base, 600, "restore, after 2000 once");
  MUST(cw_space_restore(s, cw_image_pristine()));
  bench_capture(s, base, 10);
  bench_capture(s, base, 600);
  bench_capture(s, base, 2000);
  MUST(cw_space_restore(s, base));
  dirty(600);
  MUST(cw_space_capture(s, &later));
  bench_restore(s, later, 600, "restore to a delta");
  bench_fork(base, "fork and mount", 600);
  bench_fork(later, "fork and mount of a delta", 600);
  bench_switch(later);
  return 0;
}
