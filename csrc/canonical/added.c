/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Canonical state of what civworld adds to a world: holds and plans. */

#include "fc_config.h"

#include "player.h"
#include "tech.h"

#include "canonical/canonical.h"
#include "plan/plan.h"
#include "world/hold.h"

void cw_canonical_holds(struct cw_writer *w)
{
  players_iterate(plr) {
    const struct cw_holds *h = cw_holds_of(plr);
    if (h->rates || h->government || h->research != A_NONE || h->goal != A_NONE) {
      cw_put_player(w, plr);
      cw_put_u8(w, h->rates);
      cw_put_u8(w, h->government);
      cw_put_i32(w, h->research);
      cw_put_i32(w, h->goal);
    }
  } players_iterate_end;
}

/* What the AI will do, not what it was found to have done. */
void cw_canonical_plans(struct cw_writer *w)
{
  players_iterate(pplayer) {
    int32_t until;
    const struct cw_plan *plan = cw_plan_of(pplayer, &until);
    if (plan != NULL) {
      cw_put_player(w, pplayer);
      CW_PUT(until)
      cw_put(w, plan, sizeof(*plan));
    }
  } players_iterate_end;
}
