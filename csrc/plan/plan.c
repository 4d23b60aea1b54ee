/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plans: what the built-in AI does where a plan speaks, through the engine's own handlers, instead of its own
 * choice. Plans and the record of where the world differed from them are part of the world. */

#include "fc_config.h"

#include <string.h>

#include "mem.h"

#include "city.h"
#include "effects.h"
#include "game.h"
#include "government.h"
#include "improvement.h"
#include "player.h"
#include "research.h"
#include "unit.h"
#include "unitlist.h"
#include "unittype.h"

#include "cityhand.h"
#include "citytools.h"
#include "cityturn.h"
#include "diplhand.h"
#include "hand_gen.h"
#include "plrhand.h"
#include "techtools.h"
#include "unithand.h"

#include "doors/cw_plans.h"
#include "doors/doors.h"
#include "export/export.h"
#include "plan/plan.h"
#include "host/redirect.h"
#include "world/hold.h"

#define MAX_NOTES 512

struct note {
  int32_t turn, topic, subject, asked, found;
};

struct running {
  struct cw_plan plan;
  int32_t until; /* the last turn it is carried out in */
  int32_t notes;
  struct note note[MAX_NOTES]; /* a ring, notes counts all that were ever written */
};

static struct running *running[MAX_NUM_PLAYER_SLOTS];

/* The plan that was carried out in a turn by an AI that still can. */
static struct running *running_in(const struct player *pplayer, int turn)
{
  struct running *r = running[player_index(pplayer)];
  return r != NULL && r->until >= turn && is_ai(pplayer) && pplayer->is_alive ? r : NULL;
}

static struct running *running_of(const struct player *pplayer)
{
  return running_in(pplayer, game.info.turn);
}

/* ---- what the plan asks for -------------------------------------------------------------------------- */

static int highest_rate(const struct player *pplayer)
{
  return CLIP(34, get_player_bonus(pplayer, EFT_MAX_RATES), 100);
}

/* The lawful rates nearest to those asked for: what one may not have goes to the next. */
static void lawful_rates(const struct player *pplayer, const struct cw_plan *plan, int out[3])
{
  const int most = highest_rate(pplayer);
  int rest = 100;
  out[0] = MIN(plan->tax, most);
  out[1] = MIN(plan->luxury, most);
  out[2] = MIN(plan->science, most);
  rest -= out[0] + out[1] + out[2];
  for (int i = 0; i < 3; i++) {
    int more = MIN(rest, most - out[(i + 2) % 3]); /* science, tax, luxury */
    out[(i + 2) % 3] += more;
    rest -= more;
  }
}

static bool plan_sets_rates(struct player *pplayer)
{
  struct running *r = running_of(pplayer);
  int rates[3];
  if (r == NULL || r->plan.tax < 0) {
    return false;
  }
  lawful_rates(pplayer, &r->plan, rates);
  handle_player_rates(pplayer, rates[0], rates[1], rates[2]);
  return true;
}

/* As long as the player cannot have that government, the AI chooses. */
static bool plan_sets_government(const struct player *pplayer)
{
  const struct running *r = running_of(pplayer);
  const struct government *gov = r != NULL && r->plan.government >= 0 ? government_by_number(r->plan.government) : NULL;
  return gov != NULL && (pplayer->government == gov || pplayer->target_government == gov
                         || can_change_to_government((struct player *)pplayer, gov));
}

/* Until the goal is reached; then the AI chooses again. */
static bool plan_sets_research(const struct player *pplayer)
{
  const struct running *r = running_of(pplayer);
  return r != NULL && r->plan.goal > A_NONE
         && research_invention_state(research_get(pplayer), r->plan.goal) != TECH_KNOWN;
}

/* ---- what the AI must leave alone, by edit or plan --------------------------------------------------- */

bool cw_hook_rates_held(struct player *plr)
{
  return cw_held_rates(plr) || plan_sets_rates(plr);
}

bool cw_hook_government_held(const struct player *plr)
{
  return cw_held_government(plr) || plan_sets_government(plr);
}

/* While a goal is held, research moves along it by the engine's own steps. */
bool cw_hook_research_held(const struct player *plr)
{
  return cw_held_research(plr) || cw_held_goal(plr) || plan_sets_research(plr);
}

bool cw_hook_goal_held(const struct player *plr)
{
  return cw_held_goal(plr) || plan_sets_research(plr);
}

/* ---- what the plan does ------------------------------------------------------------------------------ */

static void seek_government(struct player *pplayer, const struct cw_plan *plan)
{
  struct government *gov = plan->government >= 0 ? government_by_number(plan->government) : NULL;
  if (gov != NULL && pplayer->government != gov && pplayer->target_government != gov
      && can_change_to_government(pplayer, gov)) {
    handle_player_change_government(pplayer, plan->government);
  }
}

static void seek_goal(struct player *pplayer, const struct cw_plan *plan)
{
  struct research *research = research_get(pplayer);
  Tech_type_id step;
  if (!plan_sets_research(pplayer)) {
    return;
  }
  if (research->tech_goal != plan->goal) {
    handle_player_tech_goal(pplayer, plan->goal);
  }
  step = research_goal_step(research, plan->goal);
  if (step != A_UNSET && !research_goal_tech_req(research, plan->goal, research->researching)
      && research->researching != plan->goal) {
    handle_player_research(pplayer, step);
  }
}

/* Offers a treaty of one clause; an AI answers at once, and an offer without an answer is withdrawn. */
static void offer(struct player *pplayer, struct player *other, enum clause_type clause)
{
  const int me = player_number(pplayer), them = player_number(other);
  if (!diplomacy_possible(pplayer, other) || find_treaty(pplayer, other) != NULL) {
    return;
  }
  handle_diplomacy_init_meeting_req(pplayer, them);
  handle_diplomacy_create_clause_req(pplayer, them, me, clause, 0);
  if (find_treaty(pplayer, other) != NULL) {
    handle_diplomacy_cancel_meeting_req(pplayer, them);
  }
}

static void declare_war(struct player *pplayer, struct player *other)
{
  enum diplstate_type before;
  do {
    before = player_diplstate_get(pplayer, other)->type;
    if (before == DS_WAR || pplayer_can_cancel_treaty(pplayer, other) != DIPL_OK) {
      return;
    }
    handle_diplomacy_cancel_pact(pplayer, player_number(other), clause_type_invalid());
  } while (player_diplstate_get(pplayer, other)->type != before);
}

static void seek_stance(struct player *pplayer, struct player *other, int stance)
{
  switch (player_diplstate_get(pplayer, other)->type) {
  case DS_WAR:
    if (stance != CW_STANCE_WAR) {
      offer(pplayer, other, CLAUSE_CEASEFIRE);
    }
    break;
  case DS_CEASEFIRE:
    if (stance != CW_STANCE_WAR) {
      offer(pplayer, other, CLAUSE_PEACE);
    }
    break;
  case DS_PEACE:
    if (stance == CW_STANCE_ALLIANCE) {
      offer(pplayer, other, CLAUSE_ALLIANCE);
    }
    break;
  default:
    break;
  }
  if (stance == CW_STANCE_WAR) {
    declare_war(pplayer, other);
  }
}

void cw_hook_plan(struct player *pplayer)
{
  struct running *r = running_of(pplayer);
  if (r == NULL) {
    return;
  }
  seek_government(pplayer, &r->plan);
  seek_goal(pplayer, &r->plan);
  players_iterate_alive(other) {
    int stance = player_number(other) < CW_MASK_PLAYERS ? r->plan.stance[player_number(other)] : CW_STANCE_NONE;
    if (other != pplayer && stance != CW_STANCE_NONE && !players_on_same_team(pplayer, other)) {
      seek_stance(pplayer, other, stance);
    }
  } players_iterate_alive_end;
}

int cw_hook_plan_stance(const struct player *pplayer, const struct player *other)
{
  const struct running *r = running_of(pplayer);
  return r != NULL && player_number(other) < CW_MASK_PLAYERS ? r->plan.stance[player_number(other)] : CW_STANCE_NONE;
}

const struct cw_plan *cw_plan_of(const struct player *pplayer, int32_t *until)
{
  const struct running *r = running[player_index(pplayer)];
  if (r == NULL || r->until < game.info.turn) {
    return NULL;
  }
  *until = r->until;
  return &r->plan;
}

/* ---- cities ------------------------------------------------------------------------------------------ */

static bool guards(const struct unit *punit, const struct city *pcity)
{
  return unit_owner(punit) == city_owner(pcity) && cw_unit_type_is_military(unit_type_get(punit))
         && unit_type_get(punit)->defense_strength > 0;
}

static int guards_of(const struct city *pcity)
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
  const struct running *r = running_in(unit_owner(punit), game.info.turn - 1);
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

static struct universal item(int kind, int value)
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

/* What the plan wants a city to build; false when it has no wish that the city can fulfil. */
static bool wish_for(const struct player *pplayer, const struct cw_plan *plan, const struct city *pcity,
                     struct universal *out, int *position)
{
  *position = -1;
  if (plan->garrison > 0 && guards_of(pcity) < plan->garrison) {
    const struct unit_type *guard = best_role_unit(pcity, L_DEFEND_GOOD);
    if (guard != NULL) {
      *out = (struct universal){.kind = VUT_UTYPE, .value = {.utype = guard}};
      return true;
    }
  }
  for (int i = 0; i < plan->items; i++) {
    *out = item(plan->item_kind[i], plan->item_value[i]);
    if (can_city_build_now(&wld.map, pcity, out) && count_of(pplayer, out, pcity) < plan->item_count[i]) {
      *position = i;
      return true;
    }
  }
  return false;
}

bool cw_hook_plan_build(struct player *pplayer, struct city *pcity)
{
  struct running *r = running_of(pplayer);
  struct universal what;
  int position;
  if (r == NULL || !wish_for(pplayer, &r->plan, pcity, &what, &position)) {
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
    struct universal what = item(plan->buy_kind[i], plan->buy_value[i]);
    if (are_universals_equal(&pcity->production, &what)) {
      return true;
    }
  }
  return false;
}

bool cw_hook_plan_buy(struct player *pplayer)
{
  struct running *r = running_of(pplayer);
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

/* ---- what was found ---------------------------------------------------------------------------------- */

static void note(struct running *r, int topic, int subject, int asked, int found)
{
  if (asked != found) {
    r->note[r->notes++ % MAX_NOTES] = (struct note){game.info.turn, topic, subject, asked, found};
  }
}

static int code_of(const struct universal *what)
{
  return what->kind == VUT_UTYPE ? utype_number(what->value.utype)
         : what->kind == VUT_IMPROVEMENT ? CW_NOTE_BUILDING + improvement_number(what->value.building) : -1;
}

static void note_city(const struct player *pplayer, struct running *r, const struct city *pcity)
{
  struct universal what;
  int position, found = guards_of(pcity);
  if (r->plan.garrison > 0 && found < r->plan.garrison) {
    note(r, CW_NOTE_GARRISON, pcity->id, r->plan.garrison, found);
  } else if (wish_for(pplayer, &r->plan, pcity, &what, &position)) {
    note(r, CW_NOTE_PRODUCTION, pcity->id, code_of(&what), code_of(&pcity->production));
  }
}

static bool stance_met(int stance, enum diplstate_type state)
{
  switch (stance) {
  case CW_STANCE_WAR:
    return state == DS_WAR;
  case CW_STANCE_PEACE:
    return state == DS_PEACE || state == DS_ARMISTICE || state == DS_ALLIANCE;
  default:
    return state == DS_ALLIANCE;
  }
}

static void note_player(const struct player *pplayer, struct running *r)
{
  const struct cw_plan *plan = &r->plan;
  if (plan->tax >= 0) {
    note(r, CW_NOTE_TAX, -1, plan->tax, pplayer->economic.tax);
    note(r, CW_NOTE_LUXURY, -1, plan->luxury, pplayer->economic.luxury);
    note(r, CW_NOTE_SCIENCE, -1, plan->science, pplayer->economic.science);
  }
  if (plan->government >= 0) {
    note(r, CW_NOTE_GOVERNMENT, -1, plan->government, government_number(pplayer->government));
  }
  if (plan_sets_research(pplayer)) {
    note(r, CW_NOTE_GOAL, -1, plan->goal, research_get(pplayer)->tech_goal);
  }
  players_iterate_alive(other) {
    int stance = player_number(other) < CW_MASK_PLAYERS ? plan->stance[player_number(other)] : CW_STANCE_NONE;
    int state = player_diplstate_get(pplayer, other)->type;
    if (other != pplayer && stance != CW_STANCE_NONE && !stance_met(stance, state)) {
      note(r, CW_NOTE_STANCE, player_number(other), -stance, state);
    }
  } players_iterate_alive_end;
  city_list_iterate(pplayer->cities, pcity) {
    note_city(pplayer, r, pcity);
  } city_list_iterate_end;
}

void cw_plan_check(void)
{
  players_iterate(pplayer) {
    struct running *r = running_in(pplayer, game.info.turn - 1);
    if (r != NULL) {
      note_player(pplayer, r);
    }
  } players_iterate_end;
}

/* ---- the public calls -------------------------------------------------------------------------------- */

static bool sensible(const struct cw_plan *plan)
{
  bool good = plan->turns > 0 && plan->items >= 0 && plan->items <= CW_PLAN_ITEMS && plan->buys <= CW_PLAN_ITEMS
              && (plan->government < 0 || government_by_number(plan->government) != NULL)
              && (plan->goal <= A_NONE || valid_advance_by_number(plan->goal) != NULL);
  for (int i = 0; good && i < plan->items; i++) {
    struct universal what = item(plan->item_kind[i], plan->item_value[i]);
    good = what.value.utype != NULL;
  }
  for (int i = 0; good && i < plan->buys; i++) {
    struct universal what = item(plan->buy_kind[i], plan->buy_value[i]);
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

int cw_plan_set(int player, const struct cw_plan *plan)
{
  struct player *pplayer;
  struct running **r;
  CW_GUARD_BEGIN;
  if (find_player(player, &pplayer) != CW_OK) {
    CW_GUARD_END(CW_EARGUMENT);
  }
  r = &running[player_index(pplayer)];
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
  if (*r == NULL) {
    *r = fc_calloc(1, sizeof(**r));
  }
  (*r)->plan = *plan;
  (*r)->until = game.info.turn + plan->turns - 1;
  CW_GUARD_END(CW_OK);
}

int cw_plan_get(int player, struct cw_plan *plan)
{
  struct player *pplayer;
  const struct running *r;
  CW_GUARD_BEGIN;
  if (find_player(player, &pplayer) != CW_OK) {
    CW_GUARD_END(CW_EARGUMENT);
  }
  r = running[player_index(pplayer)];
  memset(plan, 0, sizeof(*plan));
  if (r != NULL && r->until >= game.info.turn) {
    *plan = r->plan;
    plan->turns = r->until - game.info.turn + 1;
  }
  CW_GUARD_END(CW_OK);
}

int cw_plan_notes(int player, int32_t *rows, size_t cap, size_t *needed)
{
  struct player *pplayer;
  const struct running *r;
  int first;
  CW_GUARD_BEGIN;
  *needed = 0;
  if (find_player(player, &pplayer) != CW_OK) {
    CW_GUARD_END(CW_EARGUMENT);
  }
  r = running[player_index(pplayer)];
  if (r == NULL) {
    CW_GUARD_END(CW_OK);
  }
  first = MAX(0, r->notes - MAX_NOTES);
  *needed = (size_t)(r->notes - first) * sizeof(struct note) / sizeof(int32_t);
  if (*needed > cap) {
    CW_GUARD_END(cw_error(CW_REFUSED, "plan: the notes need room for %zu numbers", *needed));
  }
  for (int i = first; i < r->notes; i++) {
    memcpy(rows + (size_t)(i - first) * sizeof(struct note) / sizeof(int32_t), &r->note[i % MAX_NOTES],
           sizeof(struct note));
  }
  CW_GUARD_END(CW_OK);
}
