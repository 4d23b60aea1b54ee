/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The arena's pool of pages: a bitmap of the free ones, and over it a tree that finds the lowest run of a length.
 */
#include "arena/internal.h"

#include <string.h>

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

struct node cw_node_join(const struct node *l, const struct node *r, uint32_t half)
{
  struct node n;
  uint32_t middle = l->suffix + r->prefix;

  n.prefix = l->prefix == half ? half + r->prefix : l->prefix;
  n.suffix = r->suffix == half ? half + l->suffix : r->suffix;
  n.longest = l->longest > r->longest ? l->longest : r->longest;
  n.longest = middle > n.longest ? middle : n.longest;
  return n;
}

struct node cw_node_leaf(uint64_t b)
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

  if (!node_set(at, cw_node_leaf(A->bits[group]))) {
    return;
  }
  for (at >>= 1; at >= 1; at >>= 1, half <<= 1) {
    if (!node_set(at, cw_node_join(&A->tree[2 * at], &A->tree[2 * at + 1], half))) {
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

uint32_t cw_pages_find(uint32_t n)
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

uint32_t cw_pages_end(void)
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

bool cw_pages_are_free(uint32_t page, uint32_t n)
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

void cw_pages_take(uint32_t page, uint32_t n)
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

void cw_pages_free(uint32_t page, uint32_t n)
{
  memset(&A->map[page], FREE, n);
  pages_flip(page, n);
  A->used -= n;
}

uint32_t cw_pages_alloc(uint32_t n)
{
  uint32_t page = cw_pages_find(n);

  if (page == 0) {
    page = cw_pages_end(); /* what is free below the mark, and pages never used after it */
    if (n > A->npages - page) {
      return 0;
    }
  }
  cw_pages_take(page, n);
  return page;
}

void cw_pages_format(void)
{
  A->groups = TABLES >> 6;
  account(A, PAGE);
  account(A->map, TABLES);
  high_raise(TABLES);
}
