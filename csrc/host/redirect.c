/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the engine's calls to the C library go instead: the arena, a still clock, the packaged data folder. */

#include "host/redirect.h"

#include <errno.h>
#include <stdint.h>

#include "arena/arena.h"
#include "host/host.h"

#undef malloc
#undef calloc
#undef realloc
#undef free
#undef strdup
#undef qsort
#undef time
#undef clock
#undef gettimeofday
#undef getenv
#undef fopen
#undef gzopen
#undef opendir
#undef stat
#undef stderr
#undef stdout

/* The engine sees its data under this name wherever the package is installed, so images do not depend on it. */
#define DATA_PREFIX "@civworld"

void *cw_redirect_malloc(size_t size)
{
  return cw_arena_malloc(size);
}

void *cw_redirect_calloc(size_t n, size_t size)
{
  return cw_arena_calloc(n, size);
}

void *cw_redirect_realloc(void *p, size_t size)
{
  return cw_arena_realloc(p, size);
}

void cw_redirect_free(void *p)
{
  if (p == NULL) {
    return;
  }
  if (cw_arena_owns(p)) {
    cw_arena_free(p);
  } else {
    free(p); /* memory that the C library handed to the engine */
  }
}

char *cw_redirect_strdup(const char *s)
{
  size_t n = strlen(s) + 1;
  char *copy = cw_arena_malloc(n);
  if (copy != NULL) {
    memcpy(copy, s, n);
  }
  return copy;
}

/* A stable merge sort: the order of equal elements must not depend on the C library's version. */
static void merge_sort(char *a, char *scratch, size_t n, size_t size,
                       int (*compare)(const void *, const void *))
{
  size_t half = n / 2, i = 0, j = half, k = 0;
  if (n < 2) {
    return;
  }
  merge_sort(a, scratch, half, size, compare);
  merge_sort(a + half * size, scratch, n - half, size, compare);
  while (i < half && j < n) {
    size_t *from = compare(a + i * size, a + j * size) <= 0 ? &i : &j;
    memcpy(scratch + k++ * size, a + (*from)++ * size, size);
  }
  memcpy(scratch + k * size, a + i * size, (half - i) * size);
  memcpy(a, scratch, (k + half - i) * size);
}

void cw_redirect_qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
  char *scratch = malloc(n * size + 1);
  if (scratch == NULL) {
    cw_guard_raise("out of memory in qsort", __FILE__, __LINE__);
  }
  merge_sort(base, scratch, n, size, compare);
  free(scratch);
}

time_t cw_redirect_time(time_t *out)
{
  if (out != NULL) {
    *out = 0;
  }
  return 0;
}

clock_t cw_redirect_clock(void)
{
  return 0;
}

int cw_redirect_gettimeofday(struct timeval *tv, void *tz)
{
  (void)tz;
  tv->tv_sec = 0;
  tv->tv_usec = 0;
  return 0;
}

char *cw_redirect_getenv(const char *name)
{
  (void)name;
  return NULL;
}

/* The real place of a path as the engine names it; buf holds the result when it is a packaged file. */
static const char *real_path(const char *path, char *buf, size_t cap)
{
  size_t n = strlen(DATA_PREFIX);
  if (strncmp(path, DATA_PREFIX, n) != 0) {
    return path;
  }
  snprintf(buf, cap, "%s%s", cw_host->data_dir, path + n);
  return buf;
}

FILE *cw_redirect_fopen(const char *path, const char *mode)
{
  char buf[2048];
  return fopen(real_path(path, buf, sizeof(buf)), mode);
}

gzFile cw_redirect_gzopen(const char *path, const char *mode)
{
  char buf[2048];
  return gzopen(real_path(path, buf, sizeof(buf)), mode);
}

DIR *cw_redirect_opendir(const char *path)
{
  char buf[2048];
  return opendir(real_path(path, buf, sizeof(buf)));
}

int cw_redirect_stat(const char *path, struct stat *out)
{
  char buf[2048];
  return stat(real_path(path, buf, sizeof(buf)), out);
}

static ssize_t console_write(void *cookie, const char *text, size_t n)
{
  char line[1024];
  (void)cookie;
  snprintf(line, sizeof(line), "%.*s", (int)(n < sizeof(line) ? n : sizeof(line) - 1), text);
  line[strcspn(line, "\n")] = '\0';
  if (line[0] != '\0') {
    cw_log_line(3, line);
  }
  return (ssize_t)n;
}

FILE *cw_redirect_console(void)
{
  if (cw_host->console == NULL) {
    cookie_io_functions_t io = {.write = console_write};
    cw_host->console = fopencookie(NULL, "w", io);
    setvbuf(cw_host->console, NULL, _IOLBF, 512);
  }
  return cw_host->console;
}
