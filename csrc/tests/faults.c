/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The linker sends the calls of all files here (--wrap). */
#include "faults.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>

struct fault_plan plan;
long calls_made, calls_failed;
static bool stormy;

void storm(void)
{
  calls_made = calls_failed = 0;
  stormy = true;
}

void calm(void)
{
  stormy = false;
}

static bool fails(int why)
{
  if (!stormy) {
    return false;
  }
  calls_made++;
  if (calls_made != plan.nth && !(plan.all && calls_made > plan.nth)) {
    return false;
  }
  calls_failed++;
  errno = why;
  return true;
}

#define WRAP(type, name, params, args, why, value)                                                                     \
  type __real_##name params;                                                                                           \
  type __wrap_##name params;                                                                                           \
  type __wrap_##name params                                                                                            \
  {                                                                                                                    \
    return fails(why) ? (value) : __real_##name args;                                                                  \
  }

WRAP(void *, malloc, (size_t n), (n), ENOMEM, NULL)
WRAP(void *, calloc, (size_t n, size_t size), (n, size), ENOMEM, NULL)
WRAP(void *, realloc, (void *p, size_t n), (p, n), ENOMEM, NULL)
WRAP(void *, mmap, (void *p, size_t n, int prot, int flags, int fd, off_t at), (p, n, prot, flags, fd, at), ENOMEM,
     MAP_FAILED)
WRAP(int, memfd_create, (const char *name, unsigned flags), (name, flags), EMFILE, -1)
WRAP(ssize_t, pwritev, (int fd, const struct iovec *v, int n, off_t at), (fd, v, n, at), ENOSPC, -1)
WRAP(ssize_t, pread, (int fd, void *p, size_t n, off_t at), (fd, p, n, at), EIO, -1)
WRAP(int, madvise, (void *p, size_t n, int advice), (p, n, advice), ENOMEM, -1)

#define WRAP_VARIADIC(type, name, params, last, ctype, args, why, value)                                               \
  type __real_##name params;                                                                                           \
  type __wrap_##name params;                                                                                           \
  type __wrap_##name params                                                                                            \
  {                                                                                                                    \
    va_list list;                                                                                                      \
    ctype arg;                                                                                                         \
    va_start(list, last);                                                                                              \
    arg = va_arg(list, ctype);                                                                                         \
    va_end(list);                                                                                                      \
    return fails(why) ? (value) : __real_##name args;                                                                  \
  }

WRAP_VARIADIC(void *, mremap, (void *p, size_t n, size_t m, int flags, ...), flags, void *, (p, n, m, flags, arg),
              ENOMEM, MAP_FAILED)
WRAP_VARIADIC(int, fcntl, (int fd, int what, ...), what, int, (fd, what, arg), EMFILE, -1)
WRAP_VARIADIC(int, ioctl, (int fd, unsigned long what, ...), what, void *, (fd, what, arg), ENOTTY, -1)
