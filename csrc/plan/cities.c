/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a plan has cities do: what they build and buy, and which units stay in them. */

#include "plan/running.h"

#include "city.h"
#include "game.h"
#include "improvement.h"
#include "player.h"
#include "unit.h"
#include "unitlist.h"
#include "unittype.h"

#include "cityhand.h"
#include "citytools.h"
#include "cityturn.h"
#include "unithand.h"

static bool guards(const struct unit *punit, const struct city *pcity)
{
  return unit_owner(punit) == city_owner(pcity) && cw_unit_type_is_military(unit_type_get(punit))
         && unit_type_get(punit)->defense_strength > 0;
}

int cw_plan_guards(const struct city *pcity)
{
  int count = 0;
  unit_list_iterate(city_tile(pcity)->units, punit) {
    count += guards(punit, pcity);
  } unit_list_iterate_end;
  return count;
}

/* A unit stays when fewer guards with a lower id are in the city than the garrison needs. */
bool cw_hook_plan_stays(struct unit *punit)
{
  const struct city *pcity = tile_city(unit_tile(punit));
  /* Units move when the next turn begins, which still belongs to the plan's turn. */
  const struct cw_running *r = cw_running_in(unit_owner(punit), game.info.turn - 1);
  int before = 0;
  if (r == NULL || pcity == NULL || city_owner(pcity) != unit_owner(punit) || r->plan.garrison <= 0
      || !guards(punit, pcity)) {
    return false;
  }
  unit_list_iterate(unit_tile(punit)->units, other) {
    before += other->id < punit->id && guards(other, pcity);
  } unit_list_iterate_end;
  if (before >= r->plan.garrison) {
    return false;
  }
  if (punit->activity != ACTIVITY_FORTIFYING && punit->activity != ACTIVITY_FORTIFIED) {
    unit_activity_handling(punit, ACTIVITY_FORTIFYING);
  }
  return true;
}

struct universal cw_plan_item(int kind, int value)
{
  struct universal out = {.kind = kind == CW_ITEM_UNIT ? VUT_UTYPE : VUT_IMPROVEMENT};
  if (kind == CW_ITEM_UNIT) {
    out.value.utype = utype_by_number(value);
  } else {
    out.value.building = improvement_by_number(value);
  }
  return out;
}

/* How many a player has or builds, the given city's production left out. */
static int count_of(const struct player *pplayer, const struct universal *what, const struct city *but)
{
  int count = 0;
  unit_list_iterate(pplayer->units, punit) {
    count += what->kind == VUT_UTYPE && unit_type_get(punit) == what->value.utype;
  } unit_list_iterate_end;
  city_list_iterate(pplayer->cities, pcity) {
    count += what->kind == VUT_IMPROVEMENT && city_has_building(pcity, what->value.building);
    count += pcity != but && are_universals_equal(&pcity->production, what);
  } city_list_iterate_end;
  return count;
}

bool cw_plan_wish(const struct player *pplayer, const struct cw_plan *plan, const struct city *pcity,
                  struct universal *out)
{
  if (plan->garrison > 0 && cw_plan_guards(pcity) < plan->garrison) {
    const struct unit_type *guard = best_role_unit(pcity, L_DEFEND_GOOD);
    if (guard != NULL) {
      *out = (struct universal){.kind = VUT_UTYPE, .value = {.utype = guard}};
      return true;
    }
  }
  for (int i = 0; i < plan->items; i++) {
    *out = cw_plan_item(plan->item_kind.v[i], plan->item_value.v[i]);
    if (can_city_build_now(&wld.map, pcity, out) && count_of(pplayer, out, pcity) < plan->item_count.v[i]) {
      return true;
    }
  }
  return false;
}

bool cw_hook_plan_build(struct player *pplayer, struct city *pcity)
{
  struct cw_running *r = cw_running_of(pplayer);
  struct universal what;
  if (r == NULL || !cw_plan_wish(pplayer, &r->plan, pcity, &what)) {
    return false;
  }
  if (!are_universals_equal(&pcity->production, &what)) {
    change_build_target(pplayer, pcity, &what, E_CITY_PRODUCTION_CHANGED);
  }
  return true;
}

static bool may_buy(const struct cw_plan *plan, const struct city *pcity)
{
  for (int i = 0; i < plan->buys; i++) {
    struct universal what = cw_plan_item(plan->buy_kind.v[i], plan->buy_value.v[i]);
    if (are_universals_equal(&pcity->production, &what)) {
      return true;
    }
  }
  return false;
}

bool cw_hook_plan_buy(struct player *pplayer)
{
  struct cw_running *r = cw_running_of(pplayer);
  if (r == NULL || r->plan.buys < 0) {
    return false;
  }
  city_list_iterate(pplayer->cities, pcity) {
    int cost = city_production_buy_gold_cost(pcity);
    if (may_buy(&r->plan, pcity) && cost > 0 && !pcity->did_buy
        && pplayer->economic.gold - cost >= r->plan.reserve) {
      really_handle_city_buy(pplayer, pcity);
    }
  } city_list_iterate_end;
  return true;
}
