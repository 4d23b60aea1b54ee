/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a unit or city was told ends when it comes into other hands, on whatever way. */

#include "fc_config.h"

#include "world/handover.h"

#include "city.h"
#include "citytools.h"
#include "player.h"
#include "unit.h"
#include "unitlist.h"

#include "aiplayer.h"
#include "aitools.h"
#include "aiunit.h"

#include "doors/cw_events.h"

static void end_orders(struct unit *punit)
{
  free_unit_orders(punit);
  if (punit->ssa_controller == SSA_AUTOEXPLORE && punit->activity == ACTIVITY_EXPLORE) {
    set_unit_activity(punit, ACTIVITY_IDLE);
  }
  punit->ssa_controller = SSA_NONE;
}

/* What the built-in AI had in mind with a unit: it looks at missions of players that it does not run, and an order
 * takes a unit's destination away without ending the mission. */
static void end_mission(struct unit *punit)
{
  struct ai_type *ai = (struct ai_type *)unit_owner(punit)->ai;
  if (ai != NULL && def_ai_unit_data(punit, ai)->task != AIUNIT_NONE) {
    dai_unit_new_task(ai, punit, AIUNIT_NONE, NULL);
  }
}

void cw_hook_unit_changes_hands(struct unit *punit, const struct player *to)
{
  if (is_human(unit_owner(punit))) { /* the built-in AI gives no orders, and its explorers go on exploring */
    end_orders(punit);
  }
  if (is_human(to)) {
    end_mission(punit);
  }
}

void cw_end_orders_of(struct player *plr)
{
  unit_list_iterate(plr->units, punit) {
    end_orders(punit);
  } unit_list_iterate_end;
  city_list_iterate(plr->cities, pcity) {
    city_rally_point_clear(pcity);
  } city_list_iterate_end;
}

void cw_end_missions_of(struct player *plr)
{
  unit_list_iterate(plr->units, punit) {
    end_mission(punit);
  } unit_list_iterate_end;
}
