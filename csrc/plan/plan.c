/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls that give plans, take them away and read them. */

#include "plan/plan.h"

#include "plan/running.h"

#include <string.h>

#include "mem.h"

#include "game.h"
#include "government.h"
#include "player.h"
#include "tech.h"

#include "plrhand.h"

#include "host/redirect.h"

CW_SCHEMA(plan, PLAN_FIELDS)
CW_RECORD_ROW(plan)
CW_SCHEMA(plan_notes, NOTE_FIELDS)
CW_RECORD_ROW(plan_notes)
CW_WORDS(stances, CW_STANCES)
CW_WORDS(items, ITEMS)
CW_WORDS(topics, TOPICS)

static bool sensible(const struct cw_plan *plan)
{
  bool good = plan->turns > 0 && plan->items >= 0 && plan->items <= CW_PLAN_ITEMS && plan->buys <= CW_PLAN_ITEMS
              && (plan->government < 0 || government_by_number(plan->government) != NULL)
              && (plan->goal <= A_NONE || valid_advance_by_number(plan->goal) != NULL);
  for (int i = 0; good && i < plan->items; i++) {
    struct universal what = cw_plan_item(plan->item_kind.v[i], plan->item_value.v[i]);
    good = what.value.utype != NULL;
  }
  for (int i = 0; good && i < plan->buys; i++) {
    struct universal what = cw_plan_item(plan->buy_kind.v[i], plan->buy_value.v[i]);
    good = what.value.utype != NULL;
  }
  return good;
}

static int find_player(int number, struct player **out)
{
  *out = cw_space_is_mounted() ? player_by_number(number) : NULL;
  if (*out == NULL) {
    return cw_error(CW_EARGUMENT, "plan: player %d does not exist (players 0-%d)", number, player_count() - 1);
  }
  return CW_OK;
}

/* Takes the place of the plan that the player has. */
static void put_plan(struct cw_running **r, const struct cw_plan *plan)
{
  if (*r == NULL) {
    *r = fc_calloc(1, sizeof(**r));
  }
  (*r)->plan = *plan;
  (*r)->until = game.info.turn + plan->turns - 1;
}

int cw_plan_set(int player, const uint8_t *record)
{
  const struct cw_plan *plan = (const struct cw_plan *)record;
  struct player *pplayer;
  struct cw_running **r;
  CW_GUARD_BEGIN;
  if (find_player(player, &pplayer) != CW_OK) {
    CW_GUARD_END(CW_EARGUMENT);
  }
  r = cw_running_slot(pplayer);
  if (plan == NULL) {
    if (*r == NULL) {
      CW_GUARD_END(cw_error(CW_REFUSED, "plan: player %d has none", player));
    }
    free(*r);
    *r = NULL;
    CW_GUARD_END(CW_OK);
  }
  if (!pplayer->is_alive || is_barbarian(pplayer) || !is_ai(pplayer)) {
    CW_GUARD_END(cw_error(CW_REFUSED, "plan: player %d is dead, barbarian or not run by the built-in AI", player));
  }
  if (!sensible(plan)) {
    CW_GUARD_END(cw_error(CW_EARGUMENT, "plan: a number is outside the ruleset or the limits"));
  }
  put_plan(r, plan);
  CW_GUARD_END(CW_OK);
}

int cw_plan_get(int player, uint8_t *record)
{
  struct cw_plan *plan = (struct cw_plan *)record;
  struct player *pplayer;
  const struct cw_running *r;
  CW_GUARD_BEGIN;
  if (find_player(player, &pplayer) != CW_OK) {
    CW_GUARD_END(CW_EARGUMENT);
  }
  r = *cw_running_slot(pplayer);
  memset(plan, 0, sizeof(*plan));
  if (r != NULL && r->until >= game.info.turn) {
    *plan = r->plan;
    plan->turns = r->until - game.info.turn + 1;
  }
  CW_GUARD_END(CW_OK);
}

int cw_plan_notes(int player, uint8_t *buf, size_t cap, size_t *needed)
{
  struct player *pplayer;
  const struct cw_running *r;
  int first, n;
  CW_GUARD_BEGIN;
  *needed = 0;
  if (find_player(player, &pplayer) != CW_OK) {
    CW_GUARD_END(CW_EARGUMENT);
  }
  r = *cw_running_slot(pplayer);
  n = r != NULL ? MIN(r->notes, MAX_NOTES) : 0;
  *needed = (size_t)n * sizeof(r->note[0]);
  if (*needed > cap) {
    CW_GUARD_END(cw_error(CW_REFUSED, "plan: the notes need %zu bytes, the buffer has %zu", *needed, cap));
  }
  first = n > 0 ? r->notes - n : 0;
  for (int i = 0; i < n; i++) {
    memcpy(buf + (size_t)i * sizeof(r->note[0]), &r->note[(first + i) % MAX_NOTES], sizeof(r->note[0]));
  }
  CW_GUARD_END(CW_OK);
}
