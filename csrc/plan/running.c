/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plans and the record of where the world differed from them: part of the world. */

#include "plan/running.h"

#include "game.h"
#include "player.h"

#include "plan/plan.h"

static struct cw_running *running[MAX_NUM_PLAYER_SLOTS];

struct cw_running **cw_running_slot(const struct player *pplayer)
{
  return &running[player_index(pplayer)];
}

struct cw_running *cw_running_in(const struct player *pplayer, int turn)
{
  struct cw_running *r = running[player_index(pplayer)];
  return r != NULL && r->until >= turn && is_ai(pplayer) && pplayer->is_alive ? r : NULL;
}

struct cw_running *cw_running_of(const struct player *pplayer)
{
  return cw_running_in(pplayer, game.info.turn);
}

const struct cw_plan *cw_plan_of(const struct player *pplayer, int32_t *until)
{
  const struct cw_running *r = running[player_index(pplayer)];
  if (r == NULL || r->until < game.info.turn) {
    return NULL;
  }
  *until = r->until;
  return &r->plan;
}
