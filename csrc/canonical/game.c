/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Canonical state of the game as a whole: settings, counters, the random generator. */

#include "fc_config.h"

#include "rand.h"

#include "achievements.h"
#include "game.h"
#include "government.h"
#include "improvement.h"
#include "map.h"
#include "player.h"
#include "tech.h"

#include "plrhand.h"
#include "srv_main.h"

#include "world/behaviour.h"
#include "canonical/canonical.h"
#include "world/keyed.h"

/* The engine's set of ids in use; srv_main.c defines it without a header. */
extern bv_id identity_numbers_used;

/* Fields of game.info that are single numbers; the two time-outs are left out. */
#define INFO(V) \
  V(add_to_size_limit) V(aifill) V(persistent_ready) V(airlifting_style) V(airlift_from_always_enabled)        \
  V(airlift_to_always_enabled) V(angrycitizen) V(base_pollution) V(base_tech_cost) V(tech_leak_pct)            \
  V(border_city_radius_sq) V(border_size_effect) V(border_city_permanent_radius_sq) V(borders)                 \
  V(base_bribe_cost) V(caravan_bonus_style) V(culture_vic_points) V(culture_vic_lead) V(culture_migration_pml) \
  V(history_interest_pml) V(celebratesize) V(changable_tax) V(pop_report_zeroes) V(citizen_nationality)        \
  V(citizen_convert_speed) V(conquest_convert_pct) V(citizen_partisans_pct) V(citymindist) V(cooling)          \
  V(coolinglevel) V(diplomacy) V(fogofwar) V(food_cost) V(foodbox) V(forced_gold) V(forced_luxury)             \
  V(forced_science) V(fulltradesize) V(trade_world_rel_pct) V(min_trade_route_val) V(goods_selection)          \
  V(global_advance_count) V(global_warming) V(globalwarming) V(gold) V(gold_upkeep_style) V(infrapoints)       \
  V(revolentype) V(default_government_id) V(government_during_revolution_id) V(granary_food_inc)               \
  V(granary_num_inis) V(happy_cost) V(happyborders) V(heating) V(illness_base_factor) V(illness_min_size)      \
  V(illness_on) V(illness_pollution_factor) V(illness_trade_infection) V(init_city_radius_sq) V(is_edit_mode)  \
  V(is_new_game) V(killcitizen) V(killstack) V(only_killing_makes_veteran) V(only_real_fight_makes_veteran)    \
  V(combat_odds_scaled_veterancy) V(damage_reduces_bombard_rate) V(low_firepower_badwallattacker)              \
  V(low_firepower_pearl_harbour) V(low_firepower_combat_bonus) V(low_firepower_nonnat_bombard)                 \
  V(nuke_pop_loss_pct) V(nuke_defender_survival_chance_pct) V(muuk_food_wipe) V(muuk_gold_wipe)                \
  V(muuk_shield_wipe) V(notradesize) V(nuclear_winter) V(nuclearwinter) V(phase) V(phase_mode)                 \
  V(pillage_select) V(steal_maps_reveals_all_cities) V(poison_empties_food_stock) V(tech_steal_allow_holes)    \
  V(tech_trade_allow_holes) V(tech_trade_loss_allow_holes) V(tech_parasite_allow_holes)                        \
  V(tech_loss_allow_holes) V(rapturedelay) V(disasters) V(restrictinfra) V(unreachable_protects) V(sciencebox) \
  V(shieldbox) V(skill_level) V(victory_conditions) V(team_pooled_research) V(tech) V(tech_cost_style)         \
  V(tech_leakage) V(tech_upkeep_divider) V(tech_upkeep_style) V(techloss_forgiveness) V(free_tech_method)      \
  V(gameloss_style) V(tired_attack) V(trademindist) V(trade_revenue_style) V(trading_city) V(trading_gold)     \
  V(trading_tech) V(turn) V(warminglevel) V(year) V(year_0_hack) V(fragment_count) V(civil_war_enabled)        \
  V(civil_war_bonus_celebrating) V(civil_war_bonus_unhappy) V(granularity) V(small_wonder_visibility)

/* Fields of game.server that bear on play. */
#define SERVER(V) \
  V(allowed_city_names) V(plrcolormode) V(aqueductloss) V(auto_ai_toggle) V(autoattack)                        \
  V(autoupgrade_veteran_loss) V(barbarianrate) V(base_incite_cost) V(civilwarsize) V(conquercost)              \
  V(contactturns) V(diplchance) V(diplbulbcost) V(diplgoldcost) V(incite_gold_loss_chance)                     \
  V(incite_gold_capt_chance) V(dispersion) V(end_turn) V(endspaceship) V(fixedlength) V(foggedborders)         \
  V(freecost) V(incite_improvement_factor) V(incite_total_factor) V(incite_unit_factor) V(init_vis_radius_sq)  \
  V(killunhomed) V(max_players) V(mgr_distance) V(mgr_foodneeded) V(mgr_nationchance) V(mgr_turninterval)      \
  V(mgr_worldchance) V(multiresearch) V(migration) V(trait_dist) V(min_players) V(natural_city_names)          \
  V(num_phases) V(occupychance) V(onsetbarbarian) V(ransom_gold) V(razechance) V(revealmap)                    \
  V(revolution_length) V(spaceship_travel_time) V(savepalace) V(homecaughtunits) V(start_city) V(start_year)   \
  V(techloss_restore) V(techlost_donor) V(techlost_recv) V(techpenalty) V(turnblock) V(unitwaittime)           \
  V(upgrade_veteran_loss) V(vision_reveal_tiles) V(phase_mode_stored) V(scoreturn) V(seed_setting) V(seed)     \
  V(global_warming) V(global_warming_percent) V(nuclear_winter) V(nuclear_winter_percent) V(fogofwar_old)      \
  V(last_updated_year)

static void put_settings(struct cw_writer *w)
{
#define V(field) CW_PUT(game.info.field)
  INFO(V)
#undef V
#define V(field) CW_PUT(game.server.field)
  SERVER(V)
#undef V
  CW_PUT_INTS(game.info.granary_food_ini)
  CW_PUT_INTS(game.info.great_wonder_owners)
  CW_PUT_INTS(game.info.min_city_center_output)
  CW_PUT_BITS(game.info.diplchance_initial_odds)
  advance_index_iterate(A_NONE, i) {
    cw_put_u8(w, game.info.global_advances[i]);
  } advance_index_iterate_end;
  cw_put_text(w, game.server.rulesetdir);
  cw_put_text(w, game.server.nationset);
  cw_put_text(w, game.server.start_units);
}

static void put_map_numbers(struct cw_writer *w)
{
  CW_PUT(wld.map.topology_id)
  CW_PUT(wld.map.xsize)
  CW_PUT(wld.map.ysize)
  CW_PUT(wld.map.num_continents)
  CW_PUT(wld.map.num_oceans)
  CW_PUT(wld.map.server.seed)
}

/* What the rules remember of play. */
static void put_history(struct cw_writer *w)
{
  governments_iterate(gov) {
    CW_PUT(gov->changed_to_times)
  } governments_iterate_end;
  achievements_iterate(ach) {
    cw_put_player(w, ach->first);
    CW_PUT_BITS(ach->achievers)
  } achievements_iterate_end;
}

/* The order in which players have their turns, as shuffled when the turn began. */
static void put_shuffle(struct cw_writer *w)
{
  for (int i = 0; i < player_slot_count(); i++) {
    const struct player *p = shuffled_player(i);
    if (p != NULL) {
      cw_put_player(w, p);
    }
  }
}

void cw_canonical_game(struct cw_writer *w)
{
  CW_PUT(server_state())
  cw_put_u32(w, cw_behaviour_mask());
  put_settings(w);
  put_map_numbers(w);
  put_history(w);
  put_shuffle(w);
  CW_PUT(server.playable_nations)
  CW_PUT(server.nbarbarians)
  cw_put_u32(w, server.identity_number);
  cw_put_sparse(w, identity_numbers_used.vec, sizeof(identity_numbers_used.vec));
}

void cw_canonical_random(struct cw_writer *w)
{
  const RANDOM_STATE state = fc_rand_state();
  const struct cw_keyed *keyed = cw_keyed_state();
  CW_PUT_INTS(state.v)
  CW_PUT(state.j)
  CW_PUT(state.k)
  CW_PUT(state.x)
  CW_PUT(state.is_init)
  cw_put_u64(w, keyed->on);
  cw_put_u64(w, keyed->seed);
  cw_put_u64(w, keyed->key);
  cw_put_u64(w, cw_keyed_drawn());
}
