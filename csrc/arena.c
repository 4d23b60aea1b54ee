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
#include "arena.h"

#include <stdio.h>
#include <string.h>

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
    X(16, 1) X(32, 1) X(48, 1) X(64, 1) X(80, 1) X(96, 1) X(112, 1) X(128, 1)                                          \
    X(144, 1) X(160, 1) X(176, 1) X(192, 1) X(208, 1) X(224, 1) X(240, 1) X(256, 1)                                    \
    X(288, 1) X(320, 1) X(352, 1) X(384, 1) X(416, 2) X(448, 1) X(480, 1) X(512, 1)                                    \
    X(576, 1) X(640, 1) X(704, 2) X(768, 1) X(832, 3) X(896, 2) X(960, 1) X(1024, 1)                                   \
    X(1152, 2) X(1280, 1) X(1408, 4) X(1536, 2) X(1664, 3) X(1792, 4) X(1920, 1) X(2048, 1)                            \
    X(2304, 3) X(2560, 2) X(2816, 5) X(3072, 3) X(3328, 5) X(3584, 7) X(3840, 1) X(4096, 1)                            \
    X(4608, 6) X(5120, 4) X(5632, 7) X(6144, 3) X(6656, 5) X(7168, 7) X(7680, 2) X(8192, 2)
#define NCLASS 56
#define SMALL_MAX 8192

/* What a page is.  Page k of a slab is SLAB + k, which leads back to the slab's first page. */
enum { FREE = 0, META, RUN, RUN_TAIL, SLAB };

struct slab {         /* describes the slab or run that starts at this page: one cache line */
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

struct node {         /* free pages below the high-water mark, in a subtree */
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

/* ---- page pool ---- */

static unsigned longest_run(uint64_t b)
{
    uint64_t at[6] = {b}; /* at[k]: where 2^k set bits start */
    unsigned k = 0, n;

    if (b == 0 || b == ~(uint64_t)0) {
        return b ? 64 : 0;
    }
    while (k < 5 && (at[k] & at[k] >> (1u << k))) {
        at[k + 1] = at[k] & at[k] >> (1u << k);
        k++;
    }
    n = 1u << k;
    b = at[k];
    while (k-- > 0) {
        if (b & at[k] >> n) {
            b &= at[k] >> n;
            n += 1u << k;
        }
    }
    return n;
}

static unsigned first_run(uint64_t b, unsigned n)
{
    for (unsigned have = 1, step; have < n; have += step) {
        step = have < n - have ? have : n - have;
        b &= b >> step;
    }
    return low_bit(b);
}

static struct node node_join(const struct node *l, const struct node *r, uint32_t half)
{
    struct node n;
    uint32_t middle = l->suffix + r->prefix;

    n.prefix = l->prefix == half ? half + r->prefix : l->prefix;
    n.suffix = r->suffix == half ? half + l->suffix : r->suffix;
    n.longest = l->longest > r->longest ? l->longest : r->longest;
    n.longest = middle > n.longest ? middle : n.longest;
    return n;
}

static struct node node_leaf(uint64_t b)
{
    struct node n = {64, 64, 64};

    if (b != ~(uint64_t)0) {
        n.prefix = low_bit(~b);
        n.suffix = 63 - high_bit(~b);
        n.longest = longest_run(b);
    }
    return n;
}

static bool node_set(uint32_t at, struct node n)
{
    struct node *old = &A->tree[at];

    if (old->prefix == n.prefix && old->suffix == n.suffix && old->longest == n.longest) {
        return false;
    }
    *old = n;
    return true;
}

static void group_changed(uint32_t group)
{
    uint32_t at = GROUPS + group, half = 64;

    if (!node_set(at, node_leaf(A->bits[group]))) {
        return;
    }
    for (at >>= 1; at >= 1; at >>= 1, half <<= 1) {
        if (!node_set(at, node_join(&A->tree[2 * at], &A->tree[2 * at + 1], half))) {
            return; /* nothing above can change either */
        }
    }
}

/* Turns free pages into used ones or back; all of them below the high-water mark. */
static void pages_flip(uint32_t page, uint32_t n)
{
    while (n > 0) {
        uint32_t room = 64 - (page & 63), k = n < room ? n : room;

        A->bits[page >> 6] ^= bit_range(page, k);
        group_changed(page >> 6);
        page += k;
        n -= k;
    }
}

/* The lowest run of n free pages below the high-water mark, 0 if there is none. */
static uint32_t pages_find(uint32_t n)
{
    const struct node *t = A->tree;
    uint32_t at = 1, span = GROUPS; /* groups under this node */

    if (t[1].longest < n) {
        return 0;
    }
    while (at < GROUPS) {
        at *= 2;
        span /= 2;
        if (t[at].longest < n) {
            if (t[at].suffix + t[at + 1].prefix >= n) {
                return ((at + 1) * span - GROUPS) * 64 - t[at].suffix;
            }
            at++;
        }
    }
    return (at - GROUPS) * 64 + first_run(A->bits[at - GROUPS], n);
}

/* One past the highest page in use. */
static uint32_t pages_end(void)
{
    uint32_t end = A->high;

    for (;;) { /* ends at the tables at the latest: they are never free */
        uint32_t group = (end - 1) >> 6;
        uint64_t taken = ~A->bits[group] & bit_range(0, end - group * 64);

        if (taken) {
            return group * 64 + high_bit(taken) + 1;
        }
        end = group * 64;
    }
}

static bool pages_are_free(uint32_t page, uint32_t n)
{
    uint32_t end = page + n;

    if (end > A->npages) {
        return false;
    }
    end = end < A->high ? end : A->high;
    while (page < end) {
        uint32_t room = 64 - (page & 63), k = end - page < room ? end - page : room;
        uint64_t want = bit_range(page, k);

        if ((A->bits[page >> 6] & want) != want) {
            return false;
        }
        page += k;
    }
    return true;
}

static void account(const void *table, size_t bytes)
{
    size_t from = (uintptr_t)table - (uintptr_t)A, last = from + bytes - 1;

    for (size_t p = from >> PAGE_SHIFT; p <= last >> PAGE_SHIFT; p++) {
        A->meta += A->map[p] == FREE;
        A->map[p] = META;
    }
}

/* Moves the high-water mark and accounts for the table entries that come into play. */
static void high_raise(uint32_t end)
{
    A->high = end;
    for (; A->groups * 64 < end; A->groups++) {
        uint32_t g = A->groups;

        account(&A->map[g * 64], 64);
        account(&A->bits[g], sizeof A->bits[0]);
        account(&A->open1[g >> 6], sizeof A->open1[0]);
        account(&A->open0[g], sizeof A->open0[0]);
        account(&A->slab[g * 64], 64 * sizeof A->slab[0]);
        for (uint32_t at = GROUPS + g; at >= 1; at >>= 1) {
            account(&A->tree[at], sizeof A->tree[0]);
        }
    }
}

static void pages_take(uint32_t page, uint32_t n)
{
    uint32_t high = A->high;

    if (page < high) {
        /* An image leaves free pages out, and they come back as zeros; here they must look the same. */
        uint32_t old = page + n < high ? n : high - page;

        pages_flip(page, old);
        memset(page_at(page), 0, (size_t)old << PAGE_SHIFT);
    }
    if (page + n > high) {
        high_raise(page + n);
    }
    A->used += n;
    A->peak = A->used > A->peak ? A->used : A->peak;
}

static bool spares_release(uint32_t above);

static void pages_free(uint32_t page, uint32_t n)
{
    memset(&A->map[page], FREE, n);
    pages_flip(page, n);
    A->used -= n;
    if (page < A->spares) {
        spares_release(page);
    }
}

static uint32_t pages_alloc_once(uint32_t n)
{
    uint32_t page = pages_find(n);

    if (page == 0) {
        page = pages_end(); /* what is free below the mark, and pages never used after it */
        if (n > A->npages - page) {
            return 0;
        }
    }
    pages_take(page, n);
    return page;
}

static uint32_t pages_alloc(uint32_t n)
{
    uint32_t page = pages_alloc_once(n);

    if (UNLIKELY(page == 0) && spares_release(0)) {
        page = pages_alloc_once(n);
    }
    return page;
}

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

static uint32_t open_lowest(unsigned c)
{
    uint32_t group;

    if (A->cls[c].open2 == 0) {
        return 0;
    }
    group = low_bit(A->cls[c].open2);
    group = group * 64 + low_bit(A->open1[group][c]);
    return group * 64 + low_bit(A->open0[group][c]);
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

static uint32_t slab_new(unsigned c)
{
    uint32_t n = classes[c].pages, size = classes[c].size, page = pages_alloc(n);
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
    pages_free(page, s->pages);
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
    lowest = pages_find(1);
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

    if (n > CW_ARENA_SPAN || (page = pages_alloc(npages)) == 0) {
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
        if (!pages_are_free(b->page + had, want - had)) {
            return false;
        }
        pages_take(b->page + had, want - had);
        memset(&A->map[b->page + had], RUN_TAIL, want - had);
    } else if (want < had) {
        pages_free(b->page + want, had - want);
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
        pages_free(b.page, b.s->pages);
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
    A->groups = TABLES >> 6;
    account(A, PAGE);
    account(A->map, TABLES);
    high_raise(TABLES);
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
    return (size_t)pages_end() << PAGE_SHIFT;
}

const uint8_t *cw_arena_page_map(size_t *npages)
{
    *npages = pages_end();
    return A->map;
}

bool cw_arena_page_used(size_t page)
{
    return page < NPAGES && A->map[page] != FREE;
}

void cw_arena_stats(struct cw_arena_stats *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t p = TABLES; p < A->high; p++) {
        const struct slab *s = &A->slab[p];

        if (A->map[p] == RUN) {
            out->live_blocks++;
            out->live_bytes += (size_t)s->pages << PAGE_SHIFT;
        } else if (A->map[p] == SLAB) {
            out->live_blocks += (size_t)(s->nslots - s->nfree);
            out->live_bytes += (size_t)(s->nslots - s->nfree) * s->size;
        }
    }
    out->used_pages = A->used;
    out->peak_pages = A->peak;
    out->meta_pages = A->meta;
    out->allocations = A->counted + (uint64_t)(A->armed - A->credit);
}

/* ---- consistency ---- */

#define CHECK(cond, ...)                                                                                               \
    do {                                                                                                               \
        if (!(cond)) {                                                                                                 \
            snprintf(why, cap, __VA_ARGS__);                                                                           \
            return -1;                                                                                                 \
        }                                                                                                              \
    } while (0)

static int check_slab(uint32_t page, char *why, size_t cap)
{
    const struct slab *s = &A->slab[page];
    unsigned c = s->cls, nfree = 0, first = 4;
    bool open = c < NCLASS && (A->open0[page >> 6][c] & bit(page));

    CHECK(c < NCLASS && s->size == classes[c].size && s->pages == classes[c].pages, "slab %u: class %u", page, c);
    for (unsigned i = 0; i < 4; i++) {
        nfree += (unsigned)__builtin_popcountll(s->free[i]);
        first = first == 4 && s->free[i] ? i : first;
    }
    CHECK(nfree == s->nfree && nfree <= s->nslots, "slab %u: %u free slots, said %u", page, nfree, s->nfree);
    CHECK(nfree == 0 || first == s->first, "slab %u: first word %u, said %u", page, first, s->first);
    CHECK(open == (nfree > 0), "slab %u: open bit %d with %u free slots", page, open, nfree);
    CHECK(nfree < s->nslots || A->cls[c].spare == page, "slab %u: empty but not the spare", page);
    for (unsigned i = 0; i < s->pages; i++) {
        CHECK(A->map[page + i] == SLAB + i, "slab %u: page %u is of kind %u", page, page + i, A->map[page + i]);
    }
    return 0;
}

static int check_pages(char *why, size_t cap)
{
    uint32_t used = 0, n, run = 0, longest = 0, lowest = 0;

    for (uint32_t p = TABLES; p < A->high; p += n) {
        uint32_t kind = A->map[p];

        n = kind == FREE ? 1 : A->slab[p].pages;
        CHECK(kind == FREE || kind == RUN || kind == SLAB, "page %u: kind %u where a block must start", p, kind);
        CHECK(n > 0 && n <= A->high - p, "page %u: %u pages long", p, n);
        if (kind == SLAB && check_slab(p, why, cap) != 0) {
            return -1;
        }
        for (uint32_t i = p; i < p + n; i++) {
            bool is_free = A->bits[i >> 6] & bit(i);

            CHECK(is_free == (kind == FREE), "page %u: kind %u but free bit %d", i, kind, is_free);
            CHECK(kind != RUN || i == p || A->map[i] == RUN_TAIL, "page %u: not the tail of run %u", i, p);
        }
        used += kind == FREE ? 0 : n;
        run = kind == FREE ? run + 1 : 0;
        longest = run > longest ? run : longest;
        lowest = kind == FREE && lowest == 0 ? p : lowest;
    }
    CHECK(longest == A->tree[1].longest, "longest free run %u, said %u", longest, A->tree[1].longest);
    CHECK(lowest == pages_find(1), "lowest free page %u, said %u", lowest, pages_find(1));
    CHECK(used == A->used && used <= A->peak, "%u pages used, said %u, peak %u", used, A->used, A->peak);
    return 0;
}

static int check_tree(char *why, size_t cap)
{
    for (uint32_t g = A->groups; g-- > 0;) {
        struct node leaf = node_leaf(A->bits[g]);

        CHECK(memcmp(&leaf, &A->tree[GROUPS + g], sizeof leaf) == 0, "group %u: stale leaf", g);
        for (uint32_t at = (GROUPS + g) / 2, half = 64; at >= 1; at /= 2, half *= 2) {
            struct node n = node_join(&A->tree[2 * at], &A->tree[2 * at + 1], half);
            CHECK(memcmp(&n, &A->tree[at], sizeof n) == 0, "tree node %u: stale", at);
        }
    }
    return 0;
}

static int check_class(unsigned c, char *why, size_t cap)
{
    const struct size_class *k = &A->cls[c];

    for (uint32_t g = 0; g < A->groups; g++) {
        uint64_t row = A->open0[g][c];

        CHECK((row != 0) == ((A->open1[g >> 6][c] & bit(g)) != 0), "class %u: group %u, middle level", c, g);
        CHECK((A->open1[g >> 6][c] != 0) == ((k->open2 & bit(g >> 6)) != 0), "class %u: group %u, top level", c, g);
        for (; row; row &= row - 1) {
            uint32_t page = g * 64 + low_bit(row);
            CHECK(A->map[page] == SLAB && A->slab[page].cls == c, "class %u: open page %u is no slab of it", c, page);
        }
    }
    CHECK(k->cur == open_lowest(c), "class %u: current slab %u, lowest %u", c, k->cur, open_lowest(c));
    CHECK(k->spare == 0 || (A->map[k->spare] == SLAB && A->slab[k->spare].cls == c), "class %u: spare %u", c, k->spare);
    CHECK(k->spare <= A->spares && (!pages_find(1) || k->spare < pages_find(1)), "class %u: spare too high", c);
    return 0;
}

int cw_arena_check(char *why, size_t cap)
{
    uint32_t meta = 0;

    CHECK(A->magic == MAGIC && A->npages <= NPAGES && A->high <= A->npages, "header");
    for (uint32_t p = 0; p < TABLES; p++) {
        CHECK(A->map[p] == FREE || A->map[p] == META, "page %u of the tables: kind %u", p, A->map[p]);
        meta += A->map[p] == META;
    }
    CHECK(meta == A->meta, "%u table pages in use, said %u", meta, A->meta);
    for (unsigned c = 0; c < NCLASS; c++) {
        if (check_class(c, why, cap) != 0) {
            return -1;
        }
    }
    return check_pages(why, cap) != 0 ? -1 : check_tree(why, cap);
}
