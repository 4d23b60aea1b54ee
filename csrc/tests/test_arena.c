/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Model tests of the arena: every random sequence is seeded, and a failure names the seed. */
#define _GNU_SOURCE
#include "../arena.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BASE ((char *)CW_ARENA_BASE)
#define MAX_BLOCKS 400000
#define SEED 20240607u

static uint64_t rng_state, seed_now;
static const void *bad_pointer;
static int bad_count;

struct shadow {
    unsigned char *p;
    size_t n;
    unsigned char tag;
};
static struct shadow blocks[MAX_BLOCKS];
static size_t nblocks;

void cw_arena_bad_free(const void *p)
{
    bad_pointer = p;
    bad_count++;
}

#define REQUIRE(cond)                                                                                                  \
    do {                                                                                                               \
        if (!(cond)) {                                                                                                 \
            fprintf(stderr, "%s:%d: seed %" PRIu64 ": not true: %s\n", __FILE__, __LINE__, seed_now, #cond);           \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static uint64_t rng(void)
{
    uint64_t z = (rng_state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static size_t below(size_t n)
{
    return (size_t)(rng() % n);
}

/* 70 % below 64 bytes, 25 % below 1 KiB, 5 % larger, a few very large. */
static size_t some_size(void)
{
    size_t kind = below(1000);

    if (kind < 700) {
        return below(64);
    }
    if (kind < 950) {
        return 64 + below(960);
    }
    return kind < 995 ? 1024 + below(15 * 1024) : below(400 * 1024);
}

static void check(void)
{
    char why[200] = "";

    if (cw_arena_check(why, sizeof why) != 0) {
        fprintf(stderr, "seed %" PRIu64 ": cw_arena_check: %s\n", seed_now, why);
        exit(1);
    }
}

static void reserve(void)
{
    void *p = mmap(BASE, CW_ARENA_SPAN, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

    if (p != BASE) {
        perror("mmap of the arena's range");
        exit(2);
    }
}

static void wipe(void)
{
    REQUIRE(madvise(BASE, CW_ARENA_SPAN, MADV_DONTNEED) == 0);
}

static void fresh(size_t capacity, uint64_t seed)
{
    seed_now = rng_state = seed;
    nblocks = 0;
    bad_count = 0;
    wipe();
    REQUIRE(cw_arena_format(capacity) == 0);
    check();
}

static struct cw_arena_stats stats(void)
{
    struct cw_arena_stats st;

    cw_arena_stats(&st);
    return st;
}

static size_t meta_bytes(void)
{
    fresh(CW_ARENA_SPAN, 0);
    return cw_arena_top();
}

/* ---- shadow model: each block is filled with its tag ---- */

static void require_filled(const unsigned char *p, size_t n, unsigned char tag)
{
    if (n > 0) {
        REQUIRE(p[0] == tag && memcmp(p, p + 1, n - 1) == 0);
    }
}

static void model_add(void *p, size_t n)
{
    struct shadow *b = &blocks[nblocks++];

    REQUIRE(p != NULL && ((uintptr_t)p & 15) == 0 && cw_arena_owns(p) && cw_arena_usable(p) >= n);
    REQUIRE(nblocks < MAX_BLOCKS);
    b->p = p;
    b->n = n;
    b->tag = (unsigned char)rng();
    memset(p, b->tag, n);
}

static void model_free(size_t i)
{
    require_filled(blocks[i].p, blocks[i].n, blocks[i].tag);
    cw_arena_free(blocks[i].p);
    blocks[i] = blocks[--nblocks];
}

static void model_realloc(size_t i, size_t n)
{
    struct shadow *b = &blocks[i];
    unsigned char *q = cw_arena_realloc(b->p, n);

    REQUIRE(q != NULL && cw_arena_usable(q) >= n);
    require_filled(q, n < b->n ? n : b->n, b->tag);
    memset(q, b->tag, n);
    b->p = q;
    b->n = n;
}

static void model_step(size_t target)
{
    size_t n = some_size(), what = below(100);

    if (nblocks == 0 || (what < 45 && nblocks < target)) {
        model_add(cw_arena_malloc(n), n);
    } else if (what < 50 && nblocks < target) {
        unsigned char *p = cw_arena_calloc(1, n);
        require_filled(p, n, 0);
        model_add(p, n);
    } else if (what < 53 && nblocks < target) {
        size_t align = (size_t)1 << (4 + below(9));
        void *p = cw_arena_memalign(align, n);
        REQUIRE(((uintptr_t)p & (align - 1)) == 0);
        model_add(p, n);
    } else if (what < 63) {
        model_realloc(below(nblocks), n + 1);
    } else {
        model_free(below(nblocks));
    }
}

static uint64_t state_hash(void)
{
    uint64_t h = 1469598103934665603u;

    for (size_t i = 0; i < nblocks; i++) {
        h = (h ^ (uint64_t)(uintptr_t)blocks[i].p) * 1099511628211u;
        h = (h ^ blocks[i].tag) * 1099511628211u;
        require_filled(blocks[i].p, blocks[i].n, blocks[i].tag);
    }
    return h;
}

static uint64_t model_run(uint64_t seed, size_t steps, size_t every)
{
    uint64_t h = 0;

    fresh(CW_ARENA_SPAN, seed);
    for (size_t i = 0; i < steps; i++) {
        size_t phase = i * 8 / steps; /* the population swings, so that slabs and runs come and go */
        model_step(phase % 2 ? 300 : 6000);
        h = h * 31 + (nblocks ? (uint64_t)(uintptr_t)blocks[nblocks - 1].p : 0);
        if (i % every == 0) {
            check();
        }
    }
    h ^= state_hash();
    REQUIRE(stats().live_blocks == nblocks);
    while (nblocks > 0) {
        model_free(below(nblocks));
    }
    check();
    REQUIRE(stats().live_blocks == 0 && stats().live_bytes == 0 && bad_count == 0);
    return h;
}

static void test_model_and_determinism(void)
{
    for (uint64_t seed = SEED; seed < SEED + 3; seed++) {
        uint64_t h = model_run(seed, 60000, 997);
        REQUIRE(model_run(seed, 60000, 60000) == h);
        REQUIRE(model_run(seed + 100, 6000, 5) != h);
    }
}

/* ---- single properties ---- */

static void test_format(void)
{
    size_t tables = meta_bytes();

    REQUIRE(cw_arena_format(CW_ARENA_SPAN) == -1); /* there is one already */
    wipe();
    REQUIRE(cw_arena_format(tables) == -1);
    REQUIRE(cw_arena_format(tables + 100) == -1);
    REQUIRE(cw_arena_format((size_t)CW_ARENA_SPAN + CW_ARENA_PAGE) == -1);
    REQUIRE(cw_arena_format(tables + CW_ARENA_PAGE) == 0);
    REQUIRE(stats().meta_pages < 24 && stats().used_pages == 0);
}

static void test_every_size(void)
{
    volatile size_t huge = SIZE_MAX; /* volatile: else the compiler warns of what is tested here */

    fresh(CW_ARENA_SPAN, SEED);
    for (size_t n = 0; n <= 70000; n += n < 9000 ? 1 : 997) {
        unsigned char *p = cw_arena_malloc(n);
        size_t usable = cw_arena_usable(p);

        REQUIRE(p && ((uintptr_t)p & 15) == 0 && usable >= n);
        REQUIRE(n <= 8192 ? usable <= (n < 16 ? 16 : n + 15 + n / 8) : usable < n + CW_ARENA_PAGE);
        memset(p, 0xff, usable); /* must not reach a neighbour: the checks and the model would see it */
        if (n % 3) {
            cw_arena_free(p);
        }
    }
    check();
    REQUIRE(cw_arena_malloc(huge) == NULL && cw_arena_malloc(huge - 4000) == NULL);
    REQUIRE(cw_arena_malloc(CW_ARENA_SPAN) == NULL);
    REQUIRE(cw_arena_calloc(huge / 2, 4) == NULL);
    REQUIRE(cw_arena_memalign(24, 8) == NULL && cw_arena_memalign(8192, 8) == NULL);
    check();
}

static void test_realloc(void)
{
    unsigned char *p, *q;

    fresh(CW_ARENA_SPAN, SEED);
    p = cw_arena_realloc(NULL, 20);
    REQUIRE(p && cw_arena_realloc(p, 32) == p && cw_arena_realloc(p, 17) == p);
    p = cw_arena_realloc(p, 100000);
    memset(p, 7, 100000);
    REQUIRE(cw_arena_realloc(p, 2000000) == p); /* nothing lies behind it */
    require_filled(p, 100000, 7);
    require_filled(p + 102400, 2000000 - 102400, 0);
    REQUIRE(cw_arena_realloc(p, 50000) == p);
    q = cw_arena_malloc(16000);
    REQUIRE(q > p && q < p + 100000); /* the tail was given back */
    REQUIRE(cw_arena_realloc(p, 60000) != p);
    check();
    p = cw_arena_realloc(q, 100);
    REQUIRE(p && p != q && cw_arena_usable(p) < 128 && cw_arena_usable(q) == 0);
    REQUIRE(cw_arena_realloc(p, 0) == NULL && cw_arena_usable(p) == 0);
    check();
}

static void fill_up(size_t n)
{
    void *p;

    while ((p = cw_arena_malloc(n)) != NULL) {
        model_add(p, n);
    }
    check();
}

static void test_exhaustion(void)
{
    size_t capacity = meta_bytes() + 4096 * 1024, held;

    for (size_t n = 40; n < 200000; n *= 7) {
        fresh(capacity, SEED);
        fill_up(n);
        held = nblocks;
        REQUIRE(cw_arena_malloc(n) == NULL && cw_arena_top() <= capacity);
        REQUIRE(cw_arena_realloc(blocks[0].p, 3000000) == NULL);
        require_filled(blocks[0].p, n, blocks[0].tag);
        for (int i = 0; i < 3; i++) { /* recovers in full, also for another size */
            while (nblocks > 0) {
                model_free(below(nblocks));
            }
            check();
            fill_up(i == 1 ? 999 : n);
        }
        /* the slab kept for 999 bytes goes when space runs out, but by then runs may lie around it */
        REQUIRE(n <= 8192 ? nblocks == held : nblocks + 1 >= held);
    }
}

static void test_whole_pool(void)
{
    size_t room = 4096 * 1024, capacity = meta_bytes() + room;
    void *p;

    fresh(capacity, SEED);
    fill_up(64);
    while (nblocks > 0) {
        model_free(nblocks - 1);
    }
    p = cw_arena_malloc(room); /* needs the empty slab that the class kept */
    REQUIRE(p && cw_arena_malloc(1) == NULL && cw_arena_top() == capacity);
    require_filled(p, room, 0);
    cw_arena_free(p);
    check();
    REQUIRE(cw_arena_malloc(1) != NULL);
}

static void test_faults(void)
{
    void *p;

    fresh(CW_ARENA_SPAN, SEED);
    p = cw_arena_malloc(10);
    for (int64_t n = 1; n < 20; n++) {
        cw_arena_fail_after(n);
        for (int64_t i = 1; i < 30; i++) {
            void *q = i % 3 == 0   ? cw_arena_malloc(20000)
                      : i % 3 == 1 ? cw_arena_calloc(1, 5)
                                   : cw_arena_memalign(64, 9);
            REQUIRE((q == NULL) == (i == n));
        }
    }
    cw_arena_fail_after(1);
    memset(p, 3, 10);
    REQUIRE(cw_arena_realloc(p, 5000) == NULL);
    require_filled(p, 10, 3);
    cw_arena_fail_after(2);
    cw_arena_fail_after(-1);
    REQUIRE(cw_arena_malloc(1) && cw_arena_malloc(1) && cw_arena_malloc(1));
    REQUIRE(stats().allocations == 1 + 19 * 29 + 1 + 3);
    check();
}

static void require_bad(const void *p)
{
    int before = bad_count;

    cw_arena_free((void *)(uintptr_t)p);
    REQUIRE(bad_count == before + 1 && bad_pointer == p && cw_arena_usable(p) == 0);
    REQUIRE(cw_arena_realloc((void *)(uintptr_t)p, 50) == NULL && bad_count == before + 2);
}

static void test_bad_free(void)
{
    int local = 0;
    char *small, *odd, *big, *slab;

    fresh(CW_ARENA_SPAN, SEED);
    cw_arena_free(NULL);
    REQUIRE(bad_count == 0);
    small = cw_arena_malloc(40);
    odd = cw_arena_malloc(3500); /* a slab of several pages */
    slab = cw_arena_malloc(3500);
    big = cw_arena_malloc(100000);
    require_bad(&local);
    require_bad(small + 16);
    require_bad(small + 1);
    require_bad(small + 85 * 48); /* what is left at the end of a slab of 48-byte slots */
    require_bad(odd + 4096);
    require_bad(slab + 3584); /* a slot that was never handed out */
    require_bad(big + 16);
    require_bad(big + 4096);
    require_bad(big + 300000); /* never used */
    require_bad(BASE);
    require_bad(BASE + CW_ARENA_SPAN - 16);
    require_bad(BASE + CW_ARENA_SPAN);
    require_bad((const void *)16);
    cw_arena_free(small);
    require_bad(small);
    cw_arena_free(big);
    require_bad(big);
    cw_arena_free(odd);
    cw_arena_free(slab);
    require_bad(slab);
    check();
    REQUIRE(stats().live_blocks == 0);
}

static void test_recycled_runs_are_zero(void)
{
    fresh(CW_ARENA_SPAN, SEED);
    for (int round = 0; round < 300; round++) {
        size_t n = 8193 + below(300000);
        unsigned char *p = cw_arena_malloc(n);

        require_filled(p, cw_arena_usable(p), 0);
        memset(p, 0xee, cw_arena_usable(p));
        model_add(p, n);
        if (nblocks > 10) {
            model_free(below(nblocks));
        }
    }
    while (nblocks > 0) {
        model_free(0);
    }
    for (size_t n = 16; n <= 8192; n *= 2) { /* a fresh slab too */
        unsigned char *p = cw_arena_malloc(n);
        require_filled(p, n, 0);
        memset(p, 0xee, n);
    }
    check();
}

/* ---- compaction ---- */

static void grow_to(size_t bytes)
{
    while (stats().live_bytes < bytes) {
        for (int i = 0; i < 1000; i++) {
            size_t n = some_size();
            model_add(cw_arena_malloc(n), n);
        }
    }
}

static size_t live_pages(void)
{
    return stats().live_bytes / CW_ARENA_PAGE + 1;
}

static void test_compaction_in_phases(void)
{
    size_t tables = meta_bytes(), full_top, kept, full_pages;

    fresh(CW_ARENA_SPAN, SEED);
    grow_to(19u << 20);
    kept = nblocks;
    grow_to(56u << 20);
    full_top = cw_arena_top() - tables;
    full_pages = stats().used_pages;
    REQUIRE(full_pages * 100 < live_pages() * 115);
    while (nblocks > kept) {
        model_free(kept + below(nblocks - kept));
    }
    check();
    REQUIRE(stats().used_pages * 100 < live_pages() * 120);
    REQUIRE(cw_arena_top() - tables < full_top * 45 / 100);
    REQUIRE(stats().peak_pages >= full_pages);
    printf("phases: live %zu, used %zu of %zu pages, top %zu MiB\n", live_pages(), stats().used_pages, full_pages,
           (cw_arena_top() - tables) >> 20);
}

static void test_compaction_at_random(void)
{
    size_t tables = meta_bytes(), full_top, count;

    fresh(CW_ARENA_SPAN, SEED);
    grow_to(56u << 20);
    full_top = cw_arena_top() - tables;
    for (count = nblocks; nblocks > count / 3;) {
        model_free(below(nblocks));
    }
    check();
    printf("random: live %zu, used %zu pages, top %zu of %zu MiB\n", live_pages(), stats().used_pages,
           (cw_arena_top() - tables) >> 20, full_top >> 20);
    /* Nothing can be moved, but what comes next goes into the holes and a steady turnover closes them. */
    for (int i = 0; i < 3000000 && nblocks > 0; i++) {
        size_t n = some_size();
        model_free(below(nblocks));
        model_add(cw_arena_malloc(n), n);
    }
    check();
    printf("turnover: live %zu, used %zu pages, top %zu MiB\n", live_pages(), stats().used_pages,
           (cw_arena_top() - tables) >> 20);
    REQUIRE(stats().used_pages * 100 < live_pages() * 150);
    REQUIRE(cw_arena_top() - tables < full_top * 2 / 3);
    while (nblocks > 0) {
        model_free(below(nblocks));
    }
    check();
    REQUIRE(stats().used_pages < 250); /* at most one empty slab per class */
    REQUIRE(cw_arena_top() - tables < full_top / 10);
}

/* ---- images ---- */

struct image {
    size_t npages;
    unsigned char *used;
    char *bytes; /* used pages only, one after the other */
};

static struct image image_save(void)
{
    struct image im;
    const uint8_t *map = cw_arena_page_map(&im.npages);
    size_t at = 0;

    REQUIRE(im.npages * CW_ARENA_PAGE == cw_arena_top());
    im.used = malloc(im.npages);
    im.bytes = malloc((stats().used_pages + stats().meta_pages) * CW_ARENA_PAGE);
    for (size_t p = 0; p < im.npages; p++) {
        im.used[p] = map[p] != 0;
        REQUIRE(cw_arena_page_used(p) == (map[p] != 0));
        if (im.used[p]) {
            memcpy(im.bytes + at++ * CW_ARENA_PAGE, BASE + p * CW_ARENA_PAGE, CW_ARENA_PAGE);
        }
    }
    REQUIRE(at == stats().used_pages + stats().meta_pages);
    return im;
}

static void image_load(const struct image *im)
{
    size_t at = 0;

    wipe();
    for (size_t p = 0; p < im->npages; p++) {
        if (im->used[p]) {
            memcpy(BASE + p * CW_ARENA_PAGE, im->bytes + at++ * CW_ARENA_PAGE, CW_ARENA_PAGE);
        }
    }
}

static void image_drop(struct image *im)
{
    free(im->used);
    free(im->bytes);
}

static void steps(size_t n, size_t target)
{
    while (n-- > 0) {
        model_step(target);
    }
}

static void test_image(void)
{
    struct shadow *blocks_then = malloc(sizeof blocks);
    struct image im, end1, end2;
    size_t n_then;
    uint64_t rng_then, hash;

    fresh(CW_ARENA_SPAN, SEED);
    steps(60000, 8000);
    while (nblocks > 2000) {
        model_free(below(nblocks)); /* leaves free pages with old contents */
    }
    im = image_save();
    memcpy(blocks_then, blocks, sizeof blocks);
    n_then = nblocks;
    rng_then = rng_state;
    steps(40000, 8000);
    hash = state_hash();
    end1 = image_save();

    image_load(&im);
    memcpy(blocks, blocks_then, sizeof blocks);
    nblocks = n_then;
    rng_state = rng_then;
    check();
    steps(40000, 8000);
    check();
    REQUIRE(state_hash() == hash);
    end2 = image_save();
    REQUIRE(end1.npages == end2.npages && memcmp(end1.used, end2.used, end1.npages) == 0);
    REQUIRE(memcmp(end1.bytes, end2.bytes, (stats().used_pages + stats().meta_pages) * CW_ARENA_PAGE) == 0);
    image_drop(&im);
    image_drop(&end1);
    image_drop(&end2);
    free(blocks_then);
}

/* What lies outside the page map must be zero in the tables, or an image would lose it. */
static void test_tables_are_accounted(void)
{
    size_t tables = meta_bytes();
    static const char zeros[CW_ARENA_PAGE];

    fresh(CW_ARENA_SPAN, SEED);
    steps(20000, 8000);
    for (size_t p = 0; p < tables / CW_ARENA_PAGE; p++) {
        REQUIRE(cw_arena_page_used(p) || memcmp(BASE + p * CW_ARENA_PAGE, zeros, CW_ARENA_PAGE) == 0);
    }
    REQUIRE(stats().meta_pages * 20 < stats().used_pages);
}

int main(void)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } tests[] = {
        {"format", test_format},
        {"every size", test_every_size},
        {"realloc", test_realloc},
        {"model and determinism", test_model_and_determinism},
        {"exhaustion", test_exhaustion},
        {"whole pool", test_whole_pool},
        {"faults", test_faults},
        {"bad free", test_bad_free},
        {"recycled runs are zero", test_recycled_runs_are_zero},
        {"compaction in phases", test_compaction_in_phases},
        {"compaction at random", test_compaction_at_random},
        {"image", test_image},
        {"tables are accounted", test_tables_are_accounted},
    };

    reserve();
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        tests[i].run();
        printf("ok %s\n", tests[i].name);
        fflush(stdout);
    }
    return 0;
}
