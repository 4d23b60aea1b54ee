/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of the list of legal orders. */

#include "command/legal.h"

CW_WORDS(orders, CW_ORDERS)
CW_SCHEMA(legal, LEGAL_FIELDS)
CW_RECORD_ROW(legal)

static struct {
  struct cw_legal *row;
  size_t cap, n;
} list CW_HOST_DATA;

void cw_legal_begin(struct cw_legal *rows, size_t cap)
{
  list.row = rows;
  list.cap = cap;
  list.n = 0;
}

struct cw_legal *cw_legal_put(enum cw_legal_kind kind, int actor, int type)
{
  static struct cw_legal spare CW_HOST_DATA;
  struct cw_legal *row = list.n < list.cap ? &list.row[list.n] : &spare;
  list.n++;
  memset(row, 0, sizeof(*row));
  row->kind = kind;
  row->actor = actor;
  row->type = type;
  row->sub = row->dir = -1;
  row->low = row->high = 200;
  return row;
}

size_t cw_legal_count(void)
{
  return list.n;
}
