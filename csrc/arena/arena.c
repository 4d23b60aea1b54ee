/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sizes up to SMALL_MAX are rounded up to one of NCLASS classes and live as equal slots in slabs of 1 to 8 pages;
 * larger ones are runs of whole pages.  Both come from one pool of pages, always the lowest run that fits: that is
 * what lets the top come down again after a big free.
 *
 * Nothing is written into free memory: free slots are bits in the slab's table entry, free pages bits in a page bitmap.
 * A free therefore dirties a line of a dense table and not the data page, which keeps forks (copy-on-write) cheap.
 *
 * The tables have fixed addresses, sized for the whole span; only the part that describes pages ever used is touched.
 */
#include "arena/internal.h"

#include <string.h>

/* ---- slabs ---- */

static inline unsigned class_of(size_t n)
{
  size_t last = n - (n != 0);
  unsigned b = high_bit(last | 255); /* at least 7, so that the first two rows step by 16 */

  return (b - 7) * 8 + (unsigned)(last >> (b - 3));
}

static void open_add(unsigned c, uint32_t page)
{
  struct size_class *k = &A->cls[c];
  uint32_t group = page >> 6;

  A->open0[group][c] |= bit(page);
  A->open1[group >> 6][c] |= bit(group);
  k->open2 |= bit(group >> 6);
  if (k->cur == 0 || page < k->cur) {
    k->cur = page;
  }
}

static void open_drop(unsigned c, uint32_t page)
{
  struct size_class *k = &A->cls[c];
  uint32_t group = page >> 6;

  if ((A->open0[group][c] &= ~bit(page)) == 0 && (A->open1[group >> 6][c] &= ~bit(group)) == 0) {
    k->open2 &= ~bit(group >> 6);
  }
  if (k->cur == page) {
    k->cur = open_lowest(c);
  }
}

static bool spares_release(uint32_t above);

/* Takes the lowest run of n free pages, if need be of the slabs that classes kept; 0 when the arena is full. */
static uint32_t pages_get(uint32_t n)
{
  uint32_t page = cw_pages_alloc(n);

  if (UNLIKELY(page == 0) && spares_release(0)) {
    page = cw_pages_alloc(n);
  }
  return page;
}

/* Gives pages back, and then the kept slabs that lie above them: they would stand in the way of compaction. */
static void pages_return(uint32_t page, uint32_t n)
{
  cw_pages_free(page, n);
  if (page < A->spares) {
    spares_release(page);
  }
}

static uint32_t slab_new(unsigned c)
{
  uint32_t n = classes[c].pages, size = classes[c].size, page = pages_get(n);
  uint32_t nslots = (uint32_t)(n * PAGE / size);
  struct slab *s = &A->slab[page];

  if (page == 0) {
    return 0;
  }
  for (uint32_t i = 0; i < n; i++) {
    A->map[page + i] = (uint8_t)(SLAB + i);
  }
  for (uint32_t i = 0; i < 4; i++) {
    uint32_t left = nslots > i * 64 ? nslots - i * 64 : 0;
    s->free[i] = left ? bit_range(0, left < 64 ? left : 64) : 0;
  }
  s->pages = n;
  s->recip = (uint32_t)(((uint64_t)1 << 32) / size) + 1;
  s->size = (uint16_t)size;
  s->nslots = s->nfree = (uint16_t)nslots;
  s->first = 0;
  s->cls = (uint8_t)c;
  open_add(c, page);
  return page;
}

static void slab_release(uint32_t page)
{
  struct slab *s = &A->slab[page];

  open_drop(s->cls, page);
  pages_return(page, s->pages);
}

/* Gives back the slabs that classes kept above a page (and forgets those that are in use again). */
static bool spares_release(uint32_t above)
{
  uint32_t used = A->used;

  A->spares = above; /* before the loop: freeing pages leads here */
  for (unsigned c = 0; c < NCLASS; c++) {
    uint32_t page = A->cls[c].spare;

    if (page > above) {
      A->cls[c].spare = 0;
      if (A->slab[page].nfree == A->slab[page].nslots) {
        slab_release(page);
      }
    }
  }
  return A->used < used;
}

/* A slab holds nothing any more.  A class keeps one such slab, lest a load that swings across a slab's edge pays for
   a fresh page each time; but only below the lowest free page, so that it never stands in the way of compaction.
   (If this is the spare that was kept before, no lower page has become free since: nothing to do.) */
static void slab_emptied(unsigned c, uint32_t page)
{
  struct size_class *k = &A->cls[c];
  uint32_t lowest, old = k->spare;

  old = old && A->slab[old].nfree == A->slab[old].nslots ? old : 0;
  lowest = cw_pages_find(1);
  if ((old && old < page) || (lowest && lowest < page)) {
    slab_release(page);
    return;
  }
  k->spare = page;
  A->spares = page > A->spares ? page : A->spares;
  if (old) {
    slab_release(old);
  }
}

/* The slow end of small_malloc(), a tail call: the lowest word of free[] has run out. */
static NOINLINE void *slab_word_empty(struct slab *s, uint32_t page, void *slot)
{
  if (s->nfree == 0) {
    s->first = 4; /* any word that gets a slot back is lower */
    open_drop(s->cls, page);
    return slot;
  }
  do {
    s->first++;
  } while (s->free[s->first] == 0);
  return slot;
}

static NOINLINE void slab_edge(struct slab *s, uint32_t page)
{
  if (s->nfree == 1) {
    open_add(s->cls, page);
  }
  if (s->nfree == s->nslots && A->cls[s->cls].spare != page) {
    slab_emptied(s->cls, page);
  }
}

static NOINLINE void *slab_malloc(unsigned c);

static inline void *small_malloc(struct arena *a, unsigned c)
{
  uint32_t page = a->cls[c].cur, first;
  struct slab *s = &a->slab[page];
  uint64_t word;
  char *slot;

  if (UNLIKELY(page == 0)) {
    return slab_malloc(c);
  }
  first = s->first;
  word = s->free[first];
  slot = (char *)a + ((size_t)page << PAGE_SHIFT) + (size_t)(first * 64u + low_bit(word)) * s->size;
  word &= word - 1;
  s->free[first] = word;
  s->nfree--;
  return LIKELY(word != 0) ? slot : slab_word_empty(s, page, slot);
}

/* The slow start of small_malloc(): no slab of the class has a free slot. */
static NOINLINE void *slab_malloc(unsigned c)
{
  return slab_new(c) ? small_malloc(A, c) : NULL;
}

static inline void small_free(struct slab *s, uint32_t page, uint32_t slot)
{
  uint32_t w = slot >> 6, nfree = s->nfree + 1u;

  s->free[w] |= bit(slot);
  s->first = (uint8_t)(w < s->first ? w : s->first);
  s->nfree = (uint16_t)nfree;
  if (UNLIKELY(nfree == 1 || nfree == s->nslots)) {
    slab_edge(s, page);
  }
}

/* ---- blocks ---- */

struct block {
  struct slab *s; /* NULL: no live block */
  uint32_t page;  /* where its slab or run starts */
  uint32_t slot;
  bool small;
};

static inline struct block block_of(const void *p)
{
  struct arena *a = arena_in_register();
  struct block b = {NULL, 0, 0, false};
  uintptr_t off = (uintptr_t)p - (uintptr_t)a;
  uint32_t kind;

  if (UNLIKELY(off >= (uintptr_t)CW_ARENA_SPAN)) {
    return b;
  }
  b.page = (uint32_t)(off >> PAGE_SHIFT);
  kind = a->map[b.page];
  if (LIKELY(kind >= SLAB)) {
    struct slab *s;
    uint32_t at;

    if (UNLIKELY(kind != SLAB)) { /* a branch: else every address waits for the load of the map */
      b.page -= kind - SLAB;
      __asm__("" : "+r"(b.page));
    }
    s = &a->slab[b.page];
    at = (uint32_t)(off - ((uintptr_t)b.page << PAGE_SHIFT));
    b.slot = (uint32_t)(((uint64_t)at * s->recip) >> 32);
    b.small = true;
    if (LIKELY(b.slot * s->size == at && b.slot < s->nslots && !(s->free[b.slot >> 6] & bit(b.slot)))) {
      b.s = s;
    }
  } else if (kind == RUN && (off & (PAGE - 1)) == 0) {
    b.s = &A->slab[b.page];
  }
  return b;
}

static inline size_t block_size(const struct block *b)
{
  return b->small ? b->s->size : (size_t)b->s->pages << PAGE_SHIFT;
}

static NOINLINE void *run_malloc(size_t n)
{
  uint32_t npages = pages_for(n), page;

  if (n > CW_ARENA_SPAN || (page = pages_get(npages)) == 0) {
    return NULL;
  }
  memset(&A->map[page], RUN_TAIL, npages);
  A->map[page] = RUN;
  A->slab[page].pages = npages;
  return page_at(page);
}

static bool run_resize(const struct block *b, size_t n)
{
  uint32_t had = b->s->pages, want = pages_for(n);

  if (n > CW_ARENA_SPAN) {
    return false;
  }
  if (want > had) {
    if (!cw_pages_are_free(b->page + had, want - had)) {
      return false;
    }
    cw_pages_take(b->page + had, want - had);
    memset(&A->map[b->page + had], RUN_TAIL, want - had);
  } else if (want < had) {
    pages_return(b->page + want, had - want);
  }
  b->s->pages = want;
  return true;
}

static NOINLINE void *request_fails(void)
{
  cw_arena_fail_after(0);
  return NULL;
}

void *cw_arena_malloc(size_t n)
{
  struct arena *a = arena_in_register();

  if (UNLIKELY(--a->credit == 0)) {
    return request_fails();
  }
  return LIKELY(n <= SMALL_MAX) ? small_malloc(a, class_of(n)) : run_malloc(n);
}

void *cw_arena_calloc(size_t count, size_t size)
{
  size_t n;
  void *p;

  if (__builtin_mul_overflow(count, size, &n)) {
    return NULL;
  }
  p = cw_arena_malloc(n);
  if (p && n <= SMALL_MAX) { /* runs are zero already */
    memset(p, 0, n);
  }
  return p;
}

void *cw_arena_memalign(size_t align, size_t n)
{
  unsigned c;

  if (align == 0 || (align & (align - 1)) || align > PAGE) {
    return NULL;
  }
  if (align <= 16 || n > SMALL_MAX) {
    return cw_arena_malloc(n);
  }
  for (c = class_of(n); classes[c].size % align; c++) {
    /* slabs start on a page: slots are aligned if their size is */
  }
  return cw_arena_malloc(classes[c].size);
}

static NOINLINE void free_other(void *p)
{
  struct block b = block_of(p);

  if (b.s && !b.small) {
    pages_return(b.page, b.s->pages);
  } else if (p) {
    cw_arena_bad_free(p);
  }
}

void cw_arena_free(void *p)
{
  struct block b = block_of(p);

  if (LIKELY(b.s && b.small)) {
    small_free(b.s, b.page, b.slot);
  } else {
    free_other(p); /* a tail call: the fast path saves no registers */
  }
}

/* Whether a block can hold n bytes where it is.  A shrinking slot stays while half of it is used; a run that would
   fit a slot moves there. */
static bool block_resize(const struct block *b, size_t n)
{
  if (b->small) {
    return n <= b->s->size && n >= b->s->size / 2u;
  }
  return n > SMALL_MAX && run_resize(b, n);
}

void *cw_arena_realloc(void *p, size_t n)
{
  struct block b;
  size_t had;
  void *q;

  if (p == NULL) {
    return cw_arena_malloc(n);
  }
  b = block_of(p);
  if (b.s == NULL) {
    cw_arena_bad_free(p);
    return NULL;
  }
  if (n == 0) {
    cw_arena_free(p);
    return NULL;
  }
  if (block_resize(&b, n)) {
    return p;
  }
  had = block_size(&b);
  q = cw_arena_malloc(n);
  if (q == NULL) {
    return n <= had ? p : NULL;
  }
  memcpy(q, p, n < had ? n : had);
  cw_arena_free(p);
  return q;
}

size_t cw_arena_usable(const void *p)
{
  struct block b = block_of(p);

  return b.s ? block_size(&b) : 0;
}

/* ---- the arena as a whole ---- */

int cw_arena_format(size_t capacity)
{
  if (capacity % PAGE || capacity > (size_t)CW_ARENA_SPAN || capacity <= sizeof(struct arena) || A->magic) {
    return -1;
  }
  A->magic = MAGIC;
  A->npages = (uint32_t)(capacity >> PAGE_SHIFT);
  cw_pages_format();
  cw_arena_fail_after(0);
  return 0;
}

void cw_arena_fail_after(int64_t n)
{
  A->counted += (uint64_t)(A->armed - A->credit);
  A->armed = A->credit = n > 0 ? n : INT64_MAX;
}

size_t cw_arena_top(void)
{
  return (size_t)cw_pages_end() << PAGE_SHIFT;
}

size_t cw_arena_high(void)
{
  return (size_t)(A->high < NPAGES ? A->high : NPAGES) << PAGE_SHIFT;
}

const uint8_t *cw_arena_page_map(size_t *npages)
{
  *npages = cw_pages_end();
  return A->map;
}

bool cw_arena_page_used(size_t page)
{
  return page < NPAGES && A->map[page] != FREE;
}

/* Bytes in the blocks of the slab or run that starts at a page of this kind. */
static size_t live_at(uint32_t kind, const struct slab *s)
{
  return kind == RUN ? (size_t)s->pages << PAGE_SHIFT : kind == SLAB ? (size_t)(s->nslots - s->nfree) * s->size : 0;
}

/* The page that an offset into the tables falls on. */
#define TABLE(field, i) ((offsetof(struct arena, field) + (i) * sizeof A->field[0]) >> PAGE_SHIFT)

size_t cw_arena_live_bytes(const uint8_t *(*page)(const void *arg, size_t i), const void *arg)
{
  uint32_t high;
  size_t live = 0;

  memcpy(&high, page(arg, 0) + offsetof(struct arena, high), sizeof high);
  high = high < NPAGES ? high : NPAGES;
  for (uint32_t first = 0; first < high; first += 64) { /* 64 entries: one page of the table of slabs */
    const uint8_t *map = page(arg, TABLE(map, first)) + first % PAGE;
    const struct slab *slab = (const void *)page(arg, TABLE(slab, first));

    for (uint32_t i = 0; i < 64 && first + i < high; i++) {
      live += live_at(map[i], &slab[i]);
    }
  }
  return live;
}

void cw_arena_stats(struct cw_arena_stats *out)
{
  memset(out, 0, sizeof *out);
  for (uint32_t p = TABLES; p < A->high; p++) {
    const struct slab *s = &A->slab[p];

    out->live_bytes += live_at(A->map[p], s);
    out->live_blocks += A->map[p] == RUN ? 1u : A->map[p] == SLAB ? (size_t)(s->nslots - s->nfree) : 0;
  }
  out->used_pages = A->used;
  out->peak_pages = A->peak;
  out->meta_pages = A->meta;
  out->allocations = A->counted + (uint64_t)(A->armed - A->credit);
}
