/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One address range, one deterministic allocator.
 *
 * Everything the engine allocates, and every word the allocator needs to know about it, lies inside
 * [CW_ARENA_BASE, CW_ARENA_BASE + cw_arena_top()).  Copy the pages that cw_arena_page_used() reports, bring them back
 * later at the same address, with zeros everywhere else in the range, and the program goes on as if nothing had
 * happened.  Addresses depend on the sequence of calls alone.  Not thread safe.
 */
#ifndef CW_ARENA_H
#define CW_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the range starts; a compile-time constant, so that the fast path loads no pointer. */
#ifndef CW_ARENA_BASE
#define CW_ARENA_BASE 0x200000000000
#endif

/* Bytes of address space the embedder reserves at the base, whatever capacity it formats (a power of two). */
#ifndef CW_ARENA_SPAN
#define CW_ARENA_SPAN 0x40000000
#endif

#define CW_ARENA_PAGE 4096

#if defined(__GNUC__)
#define CW_ARENA_RESULT(...) __attribute__((malloc, __VA_ARGS__))
#else
#define CW_ARENA_RESULT(...)
#endif

struct cw_arena_stats {
  size_t live_bytes;    /* sum of cw_arena_usable() over the live blocks */
  size_t live_blocks;   /* blocks handed out and not freed */
  size_t used_pages;    /* pages that hold blocks */
  size_t peak_pages;    /* the most used_pages has been since format */
  size_t meta_pages;    /* pages of tables touched so far; the image holds used_pages + meta_pages */
  uint64_t allocations; /* requests for a new block since format, failed ones included */
};

/* Writes an empty arena of `capacity` bytes (tables included) into the zero-filled memory at the base; 0, or -1
   when capacity is no page multiple, exceeds the span or cannot hold the tables, or when an arena is there already. */
int cw_arena_format(size_t capacity);

/* Returns `n` bytes aligned to 16, owned by the caller, or NULL when the arena is full (n = 0 counts as 1). */
void *cw_arena_malloc(size_t n) CW_ARENA_RESULT(alloc_size(1));

/* Returns count * size zero bytes aligned to 16, or NULL when the arena is full or the product overflows. */
void *cw_arena_calloc(size_t count, size_t size) CW_ARENA_RESULT(alloc_size(1, 2));

/* Resizes block `p` (NULL: a new one; n = 0: frees it and returns NULL), in place if possible; otherwise NULL means
   that the arena is full and `p` is as it was. */
void *cw_arena_realloc(void *p, size_t n);

/* Returns `n` bytes aligned to `align`, a power of two up to 4096, or NULL when full or not so aligned. */
void *cw_arena_memalign(size_t align, size_t n) CW_ARENA_RESULT(alloc_size(2));

/* Gives block `p` back (NULL is ignored); anything that is no live block goes to cw_arena_bad_free() instead. */
void cw_arena_free(void *p);

/* Called for a double free, an interior or a foreign pointer, before anything has changed; defined by the embedder,
   which may jump away; if it returns, nothing is freed. */
void cw_arena_bad_free(const void *p);

/* Returns the bytes that may be used at live block `p`, at least what was asked for; 0 if `p` is no live block. */
size_t cw_arena_usable(const void *p);

/* Tells whether `p` points into the reserved span (not whether it is a live block). */
static inline bool cw_arena_owns(const void *p)
{
  return (uintptr_t)p - (uintptr_t)CW_ARENA_BASE < (uintptr_t)CW_ARENA_SPAN;
}

/* Returns the bytes from the base to the end of the highest page in use: the extent of an image. */
size_t cw_arena_top(void);

/* Returns the bytes from the base to where no page was ever in use: all that may differ from zero.  Never shrinks. */
size_t cw_arena_high(void);

/* Returns one byte per page of [base, top), non-zero where the page belongs to an image (the rest reads as zeros or is
   unused); the map is the arena's own, valid until the next call that changes it. */
const uint8_t *cw_arena_page_map(size_t *npages);

/* Tells whether page number `page`, counted from the base, belongs to an image. */
bool cw_arena_page_used(size_t page);

/* Fills `out`, owned by the caller; walks the page table, so it is no call for a hot loop. */
void cw_arena_stats(struct cw_arena_stats *out);

/* Returns live_bytes of an arena that lies elsewhere, in an image: page(arg, i) is its page number i. */
size_t cw_arena_live_bytes(const uint8_t *(*page)(const void *arg, size_t i), const void *arg);

/* Verifies every table against every other; 0, or -1 with a reason in `why` (at most `cap` bytes, NUL included). */
int cw_arena_check(char *why, size_t cap);

/* Makes the nth following request for a new block fail once with NULL (1 is the next one); n <= 0 turns that off. */
void cw_arena_fail_after(int64_t n);

#endif
