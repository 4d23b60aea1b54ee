/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the arena share: the tables at its start, small helpers, and the calls between the files. */
#ifndef CW_ARENA_INTERNAL_H
#define CW_ARENA_INTERNAL_H

#include "arena/arena.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define NOINLINE __attribute__((noinline))

#define PAGE_SHIFT 12
#define PAGE ((size_t)CW_ARENA_PAGE)
#define NPAGES ((uint32_t)(CW_ARENA_SPAN >> PAGE_SHIFT))
#define GROUPS (NPAGES / 64) /* a group is 64 pages: one word of every bitmap */
#define MAGIC 0x616e657261776301u

/* slot size, pages per slab: eight steps per doubling, and the fewest pages that waste at most 1/16 at the end */
#define CLASSES(X)                                                                                                     \
  X(16, 1) X(32, 1) X(48, 1) X(64, 1) X(80, 1) X(96, 1) X(112, 1) X(128, 1)                                            \
  X(144, 1) X(160, 1) X(176, 1) X(192, 1) X(208, 1) X(224, 1) X(240, 1) X(256, 1)                                      \
  X(288, 1) X(320, 1) X(352, 1) X(384, 1) X(416, 2) X(448, 1) X(480, 1) X(512, 1)                                      \
  X(576, 1) X(640, 1) X(704, 2) X(768, 1) X(832, 3) X(896, 2) X(960, 1) X(1024, 1)                                     \
  X(1152, 2) X(1280, 1) X(1408, 4) X(1536, 2) X(1664, 3) X(1792, 4) X(1920, 1) X(2048, 1)                              \
  X(2304, 3) X(2560, 2) X(2816, 5) X(3072, 3) X(3328, 5) X(3584, 7) X(3840, 1) X(4096, 1)                              \
  X(4608, 6) X(5120, 4) X(5632, 7) X(6144, 3) X(6656, 5) X(7168, 7) X(7680, 2) X(8192, 2)
#define NCLASS 56
#define SMALL_MAX 8192

/* What a page is.  Page k of a slab is SLAB + k, which leads back to the slab's first page. */
enum { FREE = 0, META, RUN, RUN_TAIL, SLAB };

struct slab {       /* describes the slab or run that starts at this page: one cache line */
  uint64_t free[4]; /* bit set: slot is free */
  uint32_t pages;
  uint32_t recip;   /* 2^32 / size + 1: division by multiplication, exact below 2^16 */
  uint16_t size;    /* of a slot */
  uint16_t nslots;
  uint16_t nfree;
  uint8_t first;    /* lowest word of free[] with a bit set */
  uint8_t cls;
  uint8_t unused[16];
};

struct node {       /* free pages below the high-water mark, in a subtree */
  uint32_t prefix, suffix, longest;
};

struct size_class {
  uint64_t open2;   /* which words of open1 are non-zero */
  uint32_t cur;     /* lowest slab with a free slot, 0 if none */
  uint32_t spare;   /* the slab that was kept when it became empty, 0 if none; see slab_emptied() */
};

struct arena {
  uint64_t magic;
  int64_t credit;   /* counts requests down; the one that reaches 0 fails */
  int64_t armed;    /* what credit started from */
  uint64_t counted; /* requests before that */
  uint32_t npages;  /* capacity */
  uint32_t high;    /* pages from here on were never used and are zero */
  uint32_t groups;  /* groups whose table entries are accounted as META pages */
  uint32_t spares;  /* no class keeps a spare above this page */
  uint32_t used, peak, meta;
  struct size_class cls[NCLASS];
  /* Tables by page, group or tree node.  Slabs with a free slot ("open") are marked in a bitmap of three levels
     per class; rows hold all classes of one word, so that a small arena touches few pages. */
  _Alignas(4096) uint8_t map[NPAGES];
  _Alignas(4096) uint64_t bits[GROUPS]; /* bit set: page is free and below the high-water mark */
  _Alignas(4096) struct node tree[2 * GROUPS];
  _Alignas(4096) uint64_t open1[(GROUPS + 63) / 64][NCLASS];
  _Alignas(4096) uint64_t open0[GROUPS][NCLASS];
  _Alignas(4096) struct slab slab[NPAGES];
};

#define A ((struct arena *)CW_ARENA_BASE)
#define TABLES ((uint32_t)(sizeof(struct arena) >> PAGE_SHIFT))

_Static_assert(sizeof(struct slab) == 64, "a slab entry is one cache line");
_Static_assert(offsetof(struct arena, map) == 4096, "the header fits one page");
_Static_assert(NPAGES <= 64 * 64 * 64 && (NPAGES & (NPAGES - 1)) == 0 && GROUPS > 0, "bitmap levels, binary tree");

#define X(size, pages) {size, pages},
static const struct {
  uint16_t size, pages;
} classes[] = {CLASSES(X)};
#undef X
_Static_assert(sizeof classes / sizeof classes[0] == NCLASS, "class table");

/* One 64-bit constant, then short offsets from it, where the compiler would load a constant per field. */
static inline struct arena *arena_in_register(void)
{
  struct arena *a = A;

  __asm__("" : "+r"(a));
  return a;
}

static inline unsigned low_bit(uint64_t x)
{
  return (unsigned)__builtin_ctzll(x);
}

static inline unsigned high_bit(uint64_t x)
{
  return 63u - (unsigned)__builtin_clzll(x);
}

static inline uint64_t bit(uint32_t i)
{
  return (uint64_t)1 << (i & 63);
}

static inline uint64_t bit_range(uint32_t from, uint32_t n) /* n in 1..64 */
{
  return (~(uint64_t)0 >> (64 - n)) << (from & 63);
}

static inline char *page_at(uint32_t page)
{
  return (char *)CW_ARENA_BASE + ((size_t)page << PAGE_SHIFT);
}

static inline uint32_t pages_for(size_t n)
{
  return (uint32_t)((n + PAGE - 1) >> PAGE_SHIFT);
}

/* The lowest slab of a class with a free slot, 0 if there is none. */
static inline uint32_t open_lowest(unsigned c)
{
  uint32_t group;

  if (A->cls[c].open2 == 0) {
    return 0;
  }
  group = low_bit(A->cls[c].open2);
  group = group * 64 + low_bit(A->open1[group][c]);
  return group * 64 + low_bit(A->open0[group][c]);
}

/* ---- pages.c, the lower layer: the pool of pages ---- */

/* Accounts for the tables of an arena whose header says how many pages it has. */
void cw_pages_format(void);

/* The lowest run of n free pages below the high-water mark, 0 if there is none. */
uint32_t cw_pages_find(uint32_t n);

/* One past the highest page in use. */
uint32_t cw_pages_end(void);

/* Whether the n pages from this one on are free and within the arena's capacity. */
bool cw_pages_are_free(uint32_t page, uint32_t n);

/* Takes n pages that are free; those used before become zero. */
void cw_pages_take(uint32_t page, uint32_t n);

/* Takes the lowest run of n free pages; 0 when there is none. */
uint32_t cw_pages_alloc(uint32_t n);

/* Gives pages back. */
void cw_pages_free(uint32_t page, uint32_t n);

/* What a leaf of the tree says about its word of the bitmap, and an inner node about its two halves. */
struct node cw_node_leaf(uint64_t b);
struct node cw_node_join(const struct node *l, const struct node *r, uint32_t half);

#endif
