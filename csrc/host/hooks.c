/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions that patches call: each hands something over to the host side and changes no game state. */

#include "doors/doors.h"

#include <stdlib.h>
#include <string.h>

#include "host/host.h"

#define MAX_TAGS 64

static struct {
  char name[MAX_TAGS][32];
  int count;
} tags CW_HOST_DATA;

bool cw_hook_score_wanted(void)
{
  return cw_host->score_on;
}

void cw_hook_score(int turn, int player, int tag, const char *name, int value)
{
  int32_t row[4] = {turn, player, tag, value};
  if (tag < MAX_TAGS && tag >= tags.count) {
    strncpy(tags.name[tag], name, sizeof(tags.name[tag]) - 1);
    tags.count = tag + 1;
  }
  if (cw_host->score_len + 4 > cw_host->score_cap) {
    size_t cap = cw_host->score_cap * 2 + 4096;
    int32_t *grown = realloc(cw_host->score, cap * sizeof(int32_t));
    if (grown == NULL) {
      cw_guard_fail(CW_ENOMEMORY, __FILE__, "out of memory for the score log");
    }
    cw_host->score = grown;
    cw_host->score_cap = cap;
  }
  memcpy(cw_host->score + cw_host->score_len, row, sizeof(row));
  cw_host->score_len += 4;
}

void cw_hook_work(void)
{
  if (__builtin_expect(--cw_host->work_left < 0, 0) && cw_host->guarded) {
    cw_guard_fail(CW_EHANG, "", "the turn did not end within its budget of %lld units of work",
                  (long long)cw_host->work_budget);
  }
}

int cw_score_log(int on)
{
  cw_host->score_on = on != 0;
  if (!on) {
    cw_host->score_len = 0;
  }
  return CW_OK;
}

int cw_score_log_read(int32_t *buf, size_t cap, size_t *needed)
{
  *needed = cw_host->score_len;
  if (cw_host->score_len > cap) {
    return CW_REFUSED;
  }
  memcpy(buf, cw_host->score, cw_host->score_len * sizeof(int32_t));
  cw_host->score_len = 0;
  return CW_OK;
}

int cw_score_tags(void)
{
  return tags.count;
}

const char *cw_score_tag_name(int tag)
{
  return tag >= 0 && tag < tags.count ? tags.name[tag] : "";
}
