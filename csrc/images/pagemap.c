/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which pages of a space are private, that is written since it was mapped: asked of the kernel. */

#include "images/internal.h"

#include <errno.h>
#include <stdlib.h>
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

/* Fills `out` with up to SCAN_RUNS runs of private pages in [at, end); fewer mean that there are no more. The kernel
 * says in walk_end how far it came, but with every run given that is the end of the last. Negative when unsupported. */
#define SCAN_RUNS 512
static long scan(uintptr_t at, uintptr_t end, struct scan_region *out)
{
  struct scan_request r = {.size = sizeof(r), .start = at, .end = end, .vec = (uintptr_t)out, .vec_len = SCAN_RUNS,
                           .category_inverted = SCAN_FILE, .category_mask = SCAN_FILE,
                           .category_anyof_mask = SCAN_PRESENT | SCAN_SWAPPED,
                           .return_mask = SCAN_PRESENT | SCAN_SWAPPED};
  return ioctl(cw_mem.pagemap, SCAN_IOCTL, &r);
}

static int list_pages(uint32_t first, size_t n)
{
  if (cw_mem.list_n + n > cw_mem.list_cap) {
    size_t cap = (cw_mem.list_n + n) * 2 + 4096;
    uint32_t *list = realloc(cw_mem.list, cap * sizeof(*list));
    if (list == NULL) {
      return cw_error(CW_ENOMEMORY, "out of memory for a list of pages");
    }
    cw_mem.list = list;
    cw_mem.list_cap = cap;
  }
  for (size_t i = 0; i < n; i++) {
    cw_mem.list[cw_mem.list_n++] = first + (uint32_t)i;
  }
  return CW_OK;
}

/* A region of a space, up to where its pages may be private, and the number of its first page. */
struct stretch {
  uintptr_t at, reach, end;
  uint32_t first;
};

static uint32_t page_of(const struct stretch *t, uintptr_t at)
{
  return t->first + (uint32_t)((at - t->at) / CW_PAGE);
}

static int list_by_entry(const struct stretch *t, uintptr_t from)
{
  uint64_t entry[1024];
  while (from < t->reach) {
    size_t left = (t->reach - from) / CW_PAGE, want = left < 1024 ? left : 1024;
    ssize_t got = pread(cw_mem.pagemap, entry, want * 8, (off_t)(from / CW_PAGE * 8));
    if (got != (ssize_t)(want * 8)) {
      return cw_error(CW_EADDRESS, "cannot read the page map of this process: %s", strerror(errno));
    }
    for (size_t k = 0; k < want; k++) {
      if (is_private(entry[k]) && list_pages(page_of(t, from) + (uint32_t)k, 1) != CW_OK) {
        return CW_ENOMEMORY;
      }
    }
    from += want * CW_PAGE;
  }
  return CW_OK;
}

/* A scan costs nothing where nothing was touched, and so looks at all of the region: a failed engine may have written
 * anywhere. Entries are read only as far as a sound one may have. */
static int list_stretch(const struct stretch *t)
{
  struct scan_region run[SCAN_RUNS];
  uintptr_t from = t->at;
  while (from < t->end && !cw_mem.no_scan) {
    long runs = scan(from, t->end, run);
    if (runs < 0) {
      cw_mem.no_scan = true;
      break;
    }
    for (long i = 0; i < runs; i++) {
      if (list_pages(page_of(t, run[i].start), (run[i].end - run[i].start) / CW_PAGE) != CW_OK) {
        return CW_ENOMEMORY;
      }
    }
    from = runs == SCAN_RUNS ? run[runs - 1].end : t->end;
  }
  return list_by_entry(t, from);
}

int cw_private_pages(const struct cw_space *s, size_t reach, const uint32_t **pages, size_t *n)
{
  cw_mem.list_n = 0;
  for (int r = 0; r < 2; r++) {
    size_t length = cw_mem.region[r].pages;
    uintptr_t at = cw_region_at(s, r), end = at + length * CW_PAGE;
    struct stretch t = {at, r == 0 ? end : at + reach * CW_PAGE, end, r == 0 ? 0 : (uint32_t)data_pages()};
    int status = list_stretch(&t);
    if (status != CW_OK) {
      return status;
    }
  }
  *pages = cw_mem.list;
  *n = cw_mem.list_n;
  return CW_OK;
}
