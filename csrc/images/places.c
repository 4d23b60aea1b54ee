/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What this process holds, and where spaces lie: at the engine's addresses, or each in a place of its own. */

#include "images/internal.h"

#include <sys/mman.h>

#define PARK_BASE ((uintptr_t)0x300000000000)

struct cw_memory_state cw_mem CW_HOST_DATA;
const uint8_t cw_zero_page[CW_PAGE];

uintptr_t cw_park_at(const struct cw_space *s, int r)
{
  return PARK_BASE + s->slot * cw_mem.stride + cw_mem.region[r].park_offset;
}

uintptr_t cw_region_at(const struct cw_space *s, int r)
{
  return s == cw_mem.live[r] ? cw_mem.region[r].at : cw_park_at(s, r);
}

void cw_place_leave(const struct cw_space *s)
{
  bool unmapped = true;
  for (int r = 0; r < 2 && s->base != NULL; r++) {
    unmapped &= s == cw_mem.live[r] || munmap((void *)cw_park_at(s, r), cw_mem.region[r].pages * CW_PAGE) == 0;
  }
  if (unmapped) { /* else something still lies there */
    cw_mem.free_slot[cw_mem.nfree++] = s->slot;
  }
}
