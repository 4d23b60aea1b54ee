/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which pages of a space are private, that is written since it was mapped: asked of the kernel. */

#define _GNU_SOURCE
#include "image_internal.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PM_PRESENT (1ull << 63)
#define PM_SWAPPED (1ull << 62)
#define PM_FILE (1ull << 61)

static bool is_private(uint64_t entry)
{
  return ((entry & PM_PRESENT) && !(entry & PM_FILE)) || (entry & PM_SWAPPED);
}

/* The kernel's newer way to ask the same (Linux 6.7): it walks page tables instead of filling an entry a page. */
struct scan_region {
  uint64_t start, end, categories;
};
struct scan_request {
  uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
  uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};
#define SCAN_FILE (1u << 2)
#define SCAN_PRESENT (1u << 3)
#define SCAN_SWAPPED (1u << 4)
#define SCAN_IOCTL _IOWR('f', 16, struct scan_request)

/* Fills `out` with runs of private pages in [at, end); *next says where to go on. Negative when unsupported. */
static long scan(uintptr_t at, uintptr_t end, struct scan_region *out, size_t cap, uintptr_t *next)
{
  struct scan_request r = {.size = sizeof(r), .start = at, .end = end, .vec = (uintptr_t)out, .vec_len = cap,
                           .category_inverted = SCAN_FILE, .category_mask = SCAN_FILE,
                           .category_anyof_mask = SCAN_PRESENT | SCAN_SWAPPED,
                           .return_mask = SCAN_PRESENT | SCAN_SWAPPED};
  long n = ioctl(cw_mem.pagemap, SCAN_IOCTL, &r);
  *next = r.walk_end;
  return n;
}

static int visit_run(uintptr_t from, uintptr_t to, uintptr_t at, uint32_t first, cw_visitor *visit, void *arg)
{
  for (uintptr_t p = from; p < to; p += CW_PAGE) {
    int status = visit(arg, first + (uint32_t)((p - at) / CW_PAGE));
    if (status != CW_OK) {
      return status;
    }
  }
  return CW_OK;
}

static int each_private_entry(uintptr_t at, size_t n, uint32_t first, cw_visitor *visit, void *arg)
{
  uint64_t entry[1024];
  for (size_t i = 0; i < n;) {
    size_t want = n - i < 1024 ? n - i : 1024;
    ssize_t got = pread(cw_mem.pagemap, entry, want * 8, (off_t)((at / CW_PAGE + i) * 8));
    if (got != (ssize_t)(want * 8)) {
      return cw_error(CW_EADDRESS, "cannot read the page map of this process: %s", strerror(errno));
    }
    for (size_t k = 0; k < want; k++) {
      int status = is_private(entry[k]) ? visit(arg, first + (uint32_t)(i + k)) : CW_OK;
      if (status != CW_OK) {
        return status;
      }
    }
    i += want;
  }
  return CW_OK;
}

/* Calls visit for every page the space holds privately, ascending; arena pages up to `reach`. */
int cw_each_private(const struct cw_space *s, size_t reach, cw_visitor *visit, void *arg)
{
  struct scan_region run[256];
  for (int r = 0; r < 2; r++) {
    size_t n = r == 0 ? data_pages() : reach;
    uint32_t first = r == 0 ? 0 : (uint32_t)data_pages();
    uintptr_t at = cw_region_at(s, r), end = at + n * CW_PAGE, next = at;
    while (next < end) {
      uintptr_t from = next;
      long runs = cw_mem.no_scan ? -1 : scan(from, end, run, 256, &next);
      int status = CW_OK;
      if (runs < 0) {
        cw_mem.no_scan = true;
        status = each_private_entry(from, (end - from) / CW_PAGE, first + (uint32_t)((from - at) / CW_PAGE), visit,
                                    arg);
        next = end;
      }
      for (long i = 0; i < runs && status == CW_OK; i++) {
        status = visit_run(run[i].start, run[i].end, at, first, visit, arg);
      }
      if (status != CW_OK) {
        return status;
      }
    }
  }
  return CW_OK;
}

