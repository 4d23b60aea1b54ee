/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A random load on the arena with a shadow of every block: each is filled with its tag. */
#ifndef CW_ARENA_MODEL_H
#define CW_ARENA_MODEL_H

#include "arena/arena.h"
#include "check.h"

#define BASE ((char *)CW_ARENA_BASE)
#define MAX_BLOCKS 400000

struct shadow {
  unsigned char *p;
  size_t n;
  unsigned char tag;
};

extern struct shadow blocks[MAX_BLOCKS];
extern size_t nblocks;

/* What cw_arena_bad_free() was called with last, and how often. */
extern const void *bad_pointer;
extern int bad_count;

/* Maps the arena's range; once, before anything else. */
void reserve(void);
/* Makes the whole range zero. */
void wipe(void);
/* An empty arena, and random numbers from the seed. */
void fresh(size_t capacity, uint64_t seed);
/* Requires cw_arena_check() to pass. */
void check(void);
struct cw_arena_stats stats(void);
/* Bytes that the tables take. */
size_t meta_bytes(void);

/* 70 % below 64 bytes, 25 % below 1 KiB, 5 % larger, a few very large. */
size_t some_size(void);
void require_filled(const unsigned char *p, size_t n, unsigned char tag);
/* Takes block p of n bytes into the shadow and fills it. */
void model_add(void *p, size_t n);
/* Frees block number i after a look at its content. */
void model_free(size_t i);
/* n random calls that keep about `target` blocks. */
void model_steps(size_t n, size_t target);
/* Addresses and tags of all blocks, after a look at their content. */
uint64_t state_hash(void);

/* test_arena_load.c */
void test_model_and_determinism(void);
void test_compaction_in_phases(void);
void test_compaction_at_random(void);
void test_image(void);
void test_tables_are_accounted(void);

#endif
