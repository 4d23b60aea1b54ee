/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cw_arena_check(): every table of the arena against every other.
 */
#include "arena/internal.h"

#include <stdio.h>
#include <string.h>

#define CHECK(cond, ...)                                                                                               \
  do {                                                                                                                 \
    if (!(cond)) {                                                                                                     \
      snprintf(why, cap, __VA_ARGS__);                                                                                 \
      return -1;                                                                                                       \
    }                                                                                                                  \
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
  CHECK(lowest == cw_pages_find(1), "lowest free page %u, said %u", lowest, cw_pages_find(1));
  CHECK(used == A->used && used <= A->peak, "%u pages used, said %u, peak %u", used, A->used, A->peak);
  return 0;
}

static int check_tree(char *why, size_t cap)
{
  for (uint32_t g = A->groups; g-- > 0;) {
    struct node leaf = cw_node_leaf(A->bits[g]);

    CHECK(memcmp(&leaf, &A->tree[GROUPS + g], sizeof leaf) == 0, "group %u: stale leaf", g);
    for (uint32_t at = (GROUPS + g) / 2, half = 64; at >= 1; at /= 2, half *= 2) {
      struct node n = cw_node_join(&A->tree[2 * at], &A->tree[2 * at + 1], half);
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
  CHECK(k->spare <= A->spares && (!cw_pages_find(1) || k->spare < cw_pages_find(1)), "class %u: spare too high", c);
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
