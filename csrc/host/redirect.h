/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Included before every engine and Lua source file: sends memory, process ends, clocks, files and sorting to
 * civworld's own functions. System headers come first, so that only uses are renamed, not declarations. */
#ifndef CW_REDIRECT_H
#define CW_REDIRECT_H

#include <dirent.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

_Noreturn void cw_guard_exit(int code, const char *file, int line);
_Noreturn void cw_guard_raise(const char *what, const char *file, int line);
void *cw_redirect_malloc(size_t size);
void *cw_redirect_calloc(size_t n, size_t size);
void *cw_redirect_realloc(void *p, size_t size);
void cw_redirect_free(void *p);
char *cw_redirect_strdup(const char *s);
void cw_redirect_qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *));
time_t cw_redirect_time(time_t *out);
clock_t cw_redirect_clock(void);
int cw_redirect_gettimeofday(struct timeval *tv, void *tz);
char *cw_redirect_getenv(const char *name);
FILE *cw_redirect_fopen(const char *path, const char *mode);
gzFile cw_redirect_gzopen(const char *path, const char *mode);
DIR *cw_redirect_opendir(const char *path);
int cw_redirect_stat(const char *path, struct stat *out);
FILE *cw_redirect_console(void);

#undef strdup
#define malloc(size) cw_redirect_malloc(size)
#define calloc(n, size) cw_redirect_calloc(n, size)
#define realloc(p, size) cw_redirect_realloc(p, size)
/* object-like: the engine also passes free by name */
#define free cw_redirect_free
#define strdup(s) cw_redirect_strdup(s)
#define qsort cw_redirect_qsort
#define exit(code) cw_guard_exit(code, __FILE__, __LINE__)
#define abort() cw_guard_raise("abort", __FILE__, __LINE__)
#define raise(signal) cw_guard_raise("assertion failed", __FILE__, __LINE__)
#define time(out) cw_redirect_time(out)
#define clock() cw_redirect_clock()
#define gettimeofday(tv, tz) cw_redirect_gettimeofday(tv, tz)
#define getenv cw_redirect_getenv
#define fopen cw_redirect_fopen
#undef gzopen
#define gzopen cw_redirect_gzopen
#define opendir cw_redirect_opendir
#define stat(path, out) cw_redirect_stat(path, out)
#undef stderr
#define stderr cw_redirect_console()
#undef stdout
#define stdout cw_redirect_console()

#endif
