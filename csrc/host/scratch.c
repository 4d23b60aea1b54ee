/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that lives no longer than an engine call. It is the process's own: images do not grow by it, and what is
 * written there makes no page of a world differ. Stamps spare clearing it for every user. */

#include "doors/cw_scratch.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host/host.h"

struct block {
  struct block *next;
  size_t bytes;
  uint64_t taken; /* the call that has it; calls that were given up leave theirs behind */
  uint16_t stamp;
  alignas(64) char memory[];
};

static struct block *blocks CW_HOST_DATA;

static struct block *block_new(size_t bytes)
{
  struct block *b = aligned_alloc(alignof(struct block), (sizeof(*b) + bytes + 63) / 64 * 64);
  if (b == NULL) {
    cw_guard_fail(CW_ENOMEMORY, __FILE__, "out of memory for a search of %zu bytes", bytes);
  }
  memset(b, 0, sizeof(*b) + bytes);
  b->bytes = bytes;
  b->next = blocks;
  blocks = b;
  return b;
}

void *cw_hook_scratch_take(size_t bytes, unsigned short *stamp)
{
  struct block *b = blocks;
  while (b != NULL && (b->taken == cw_host->calls || b->bytes < bytes)) {
    b = b->next;
  }
  if (b == NULL) {
    b = block_new(bytes);
  }
  b->taken = cw_host->calls;
  if (++b->stamp == 0) {
    memset(b->memory, 0, b->bytes);
    b->stamp = 1;
  }
  *stamp = b->stamp;
  return b->memory;
}

void cw_hook_scratch_give(void *memory)
{
  struct block *b = (struct block *)((char *)memory - offsetof(struct block, memory));
  b->taken = 0;
}
