/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Canonical state of the built-in AI: what it has found out and plans to do between two command windows. */

#include "fc_config.h"

#include "ai.h"
#include "city.h"
#include "game.h"
#include "government.h"
#include "improvement.h"
#include "player.h"
#include "tech.h"
#include "tile.h"
#include "unit.h"
#include "unitlist.h"

#include "advdata.h"
#include "infracache.h"

#include "aidata.h"
#include "aiplayer.h"
#include "aiunit.h"
#include "daicity.h"

#include "canonical/canonical.h"

/* ---- advisors: what any AI, and the helpers of human players, work with ------------------------------- */

#define ADVICE(V) \
  V(phase_is_initialized) V(wonder_city) V(threats.invasions) V(threats.suicide_attack) V(threats.nuclear)    \
  V(threats.igwall) V(explore.land_done) V(explore.sea_done) V(stats.units.coast_strict)                       \
  V(stats.units.suicide_attackers) V(stats.units.paratroopers) V(stats.units.airliftable)                      \
  V(stats.units.upgradeable) V(stats.average_production) V(num_continents) V(num_oceans) V(shield_priority)    \
  V(food_priority) V(luxury_priority) V(gold_priority) V(science_priority) V(happy_priority)                   \
  V(unhappy_priority) V(angry_priority) V(pollution_priority) V(infra_priority) V(govt_reeval)                 \
  V(goal.govt.req) V(wants_science) V(celebrate) V(max_num_cities)

static void put_government(struct cw_writer *w, const struct government *gov)
{
  CW_PUT(gov != NULL ? government_number(gov) : -1)
}

static void put_bools(struct cw_writer *w, const bool *values, int n)
{
  cw_put_u8(w, values != NULL);
  for (int i = 0; values != NULL && i < n; i++) {
    cw_put_u8(w, values[i]);
  }
}

static void put_ints(struct cw_writer *w, const int *values, int n)
{
  cw_put_u8(w, values != NULL);
  if (values != NULL) {
    cw_put(w, values, (size_t)n * sizeof(values[0]));
  }
}

/* Per continent and ocean, from number 1; the arrays live only while the phase is open. */
static void put_lands(struct cw_writer *w, const struct adv_data *a)
{
  put_bools(w, a->threats.continent, a->num_continents + 1);
  put_bools(w, a->threats.ocean, a->num_oceans + 1);
  put_bools(w, a->explore.continent, a->num_continents + 1);
  put_bools(w, a->explore.ocean, a->num_oceans + 1);
  put_ints(w, a->stats.cities, a->num_continents + 1);
  put_ints(w, a->stats.ocean_cities, a->num_oceans + 1);
}

static void put_adv_player(struct cw_writer *w, const struct adv_data *a)
{
#define V(field) CW_PUT(a->field)
  ADVICE(V)
#undef V
  CW_PUT_INTS(a->stats.units.byclass)
  put_lands(w, a);
  players_iterate(q) {
    const struct adv_dipl *dip = a->dipl.adv_dipl_slots[player_index(q)];
    cw_put_u8(w, dip != NULL && dip->allied_with_enemy);
  } players_iterate_end;
  cw_put_player(w, a->dipl.spacerace_leader);
  cw_put_player(w, a->dipl.tech_leader);
  cw_put_player(w, a->dipl.production_leader);
  for (int i = 0; i < government_count(); i++) {
    cw_put_f32(w, a->government_want[i]);
  }
  put_government(w, a->goal.govt.gov);
  put_government(w, a->goal.revolution);
  cw_put_f32(w, a->goal.govt.val);
}

static void put_adv_city(struct cw_writer *w, const struct adv_city *a)
{
  CW_PUT(a->downtown)
  CW_PUT(a->act_cache_radius_sq)
  improvement_iterate(impr) {
    cw_put_f32(w, a->building_want[improvement_index(impr)]);
  } improvement_iterate_end;
}

void cw_canonical_advisors(struct cw_writer *w)
{
  players_iterate(p) {
    cw_put_player(w, p);
    if (p->server.adv != NULL) {
      put_adv_player(w, p->server.adv);
    }
    city_list_iterate(p->cities, c) {
      put_adv_city(w, c->server.adv);
    } city_list_iterate_end;
    unit_list_iterate(p->units, u) {
      CW_PUT(u->server.adv->task)
    } unit_list_iterate_end;
  } players_iterate_end;
}

/* ---- the default AI ---------------------------------------------------------------------------------- */

#define PLANS(V) \
  V(phase_initialized) V(last_num_continents) V(last_num_oceans) V(stats.passengers) V(stats.boats)           \
  V(stats.available_boats) V(diplomacy.strategy) V(diplomacy.timer) V(diplomacy.love_coeff)                    \
  V(diplomacy.love_incr) V(diplomacy.req_love_for_peace) V(diplomacy.req_love_for_alliance)
#define INTEL(V) \
  V(spam) V(distance) V(countdown) V(war_reason) V(ally_patience) V(asked_about_peace)                        \
  V(asked_about_alliance) V(asked_about_ceasefire) V(warned_about_space) V(war_desire) V(weariness)
#define CITY(V) \
  V(building_turn) V(building_wait) V(invasion.attack) V(invasion.occupy) V(attack) V(bcost) V(danger)        \
  V(grave_danger) V(urgency) V(wallvalue) V(distance_to_wonder_city) V(celebrate) V(diplomat_threat)           \
  V(has_diplomat) V(founder_boat) V(founder_turn) V(founder_want) V(worker_want) V(choice.type)                \
  V(choice.need_boat)
#define UNIT(V) V(ferryboat) V(passenger) V(bodyguard) V(charge) V(target) V(done) V(task)

static void put_intel(struct cw_writer *w, const struct ai_dip_intel *intel)
{
  cw_put_u8(w, intel != NULL);
  if (intel != NULL) {
#define V(field) CW_PUT(intel->field)
    INTEL(V)
#undef V
    cw_put_player(w, intel->is_allied_with_enemy);
    cw_put_player(w, intel->at_war_with_ally);
    cw_put_player(w, intel->is_allied_with_ally);
  }
}

static void put_ai_player(struct cw_writer *w, const struct ai_plr *ai)
{
#define V(field) CW_PUT(ai->field)
  PLANS(V)
#undef V
  put_ints(w, ai->stats.workers, ai->last_num_continents + 1);
  put_ints(w, ai->stats.ocean_workers, ai->last_num_oceans + 1);
  cw_put_sparse(w, ai->stats.diplomat_reservations.vec, sizeof(ai->stats.diplomat_reservations.vec));
  players_iterate(q) {
    put_intel(w, ai->diplomacy.player_intel_slots[player_index(q)]);
  } players_iterate_end;
  advance_index_iterate(A_NONE, i) {
    cw_put_f32(w, ai->tech_want[i]);
  } advance_index_iterate_end;
}

/* What a choice names depends on its type; with no choice the value means nothing. */
static void put_choice(struct cw_writer *w, const struct adv_choice *choice)
{
  int number = -1;
  if (choice->type == CT_BUILDING && choice->value.building != NULL) {
    number = improvement_number(choice->value.building);
  } else if (is_unit_choice_type(choice->type) && choice->value.utype != NULL) {
    number = utype_number(choice->value.utype);
  }
  CW_PUT(number)
  cw_put_f32(w, choice->want);
}

static void put_ai_city(struct cw_writer *w, const struct ai_city *ai)
{
#define V(field) CW_PUT(ai->field)
  CITY(V)
#undef V
  cw_put_f32(w, ai->worth);
  put_choice(w, &ai->choice);
  CW_PUT(ai->worker_type != NULL ? utype_number(ai->worker_type) : -1)
}

static void put_ai_unit(struct cw_writer *w, const struct unit_ai *ai)
{
#define V(field) CW_PUT(ai->field)
  UNIT(V)
#undef V
  cw_put_tile(w, ai->cur_pos != NULL ? *ai->cur_pos : NULL);
  cw_put_tile(w, ai->prev_pos != NULL ? *ai->prev_pos : NULL);
  cw_put_u8(w, (uint8_t)((ai->cur_pos != NULL) | (ai->prev_pos != NULL) << 1));
  CW_PUT_BITS(ai->hunted)
}

/* Every AI type keeps data about every player, city and unit, whoever controls them. */
static void put_ai_type(struct cw_writer *w, struct ai_type *ait)
{
  players_iterate(p) {
    const struct ai_plr *ai = def_ai_player_data(p, ait);
    cw_put_u8(w, ai != NULL);
    if (ai != NULL) {
      put_ai_player(w, ai);
    }
    city_list_iterate(p->cities, c) {
      put_ai_city(w, def_ai_city_data(c, ait));
    } city_list_iterate_end;
    unit_list_iterate(p->units, u) {
      put_ai_unit(w, def_ai_unit_data(u, ait));
    } unit_list_iterate_end;
  } players_iterate_end;
}

void cw_canonical_ai(struct cw_writer *w)
{
  ai_type_iterate(ait) {
    cw_put_text(w, ai_name(ait));
    put_ai_type(w, ait);
  } ai_type_iterate_end;
}
