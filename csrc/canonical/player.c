/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Canonical state of players: what they have, research, diplomacy, treaties under negotiation. */

#include "fc_config.h"

#include "ai.h"
#include "city.h"
#include "diptreaty.h"
#include "game.h"
#include "government.h"
#include "improvement.h"
#include "multipliers.h"
#include "nation.h"
#include "player.h"
#include "research.h"
#include "rgbcolor.h"
#include "style.h"
#include "team.h"
#include "unitlist.h"

#include "handicaps.h"

#include "diplhand.h"

#include "canonical/canonical.h"

/* Fields of struct player that are single numbers. */
#define NUMBERS(V) \
  V(unassigned_user) V(unassigned_ranked) V(user_turns) V(is_male) V(is_ready) V(phase_done) V(ai_phase_done) \
  V(nturns_idle) V(turns_alive) V(is_alive) V(is_winner) V(last_war_action) V(revolution_finishes)             \
  V(primary_capital_id) V(music_style) V(was_created) V(random_name) V(is_connected) V(history)                \
  V(economic.gold) V(economic.tax) V(economic.science) V(economic.luxury) V(economic.infra_points)             \
  V(ai_common.maxbuycost) V(ai_common.skill_level) V(ai_common.fuzzy) V(ai_common.expand)                      \
  V(ai_common.science_cost) V(ai_common.warmth) V(ai_common.frost) V(ai_common.barbarian_type)                 \
  V(server.got_first_city) V(server.border_vision) V(server.huts) V(server.bulbs_last_turn)                    \
  V(score.happy) V(score.content) V(score.unhappy) V(score.angry) V(score.wonders) V(score.techs)              \
  V(score.techout) V(score.landarea) V(score.settledarea) V(score.population) V(score.cities) V(score.units)   \
  V(score.pollution) V(score.literacy) V(score.bnp) V(score.mfg) V(score.spaceship) V(score.units_built)       \
  V(score.units_killed) V(score.units_lost) V(score.culture) V(score.game)                                     \
  V(spaceship.structurals) V(spaceship.components) V(spaceship.modules) V(spaceship.fuel)                      \
  V(spaceship.propulsion) V(spaceship.habitation) V(spaceship.life_support) V(spaceship.solar_panels)          \
  V(spaceship.state) V(spaceship.launch_year) V(spaceship.population) V(spaceship.mass)

static void put_numbers(struct cw_writer *w, const struct player *p)
{
#define V(field) CW_PUT(p->field)
  NUMBERS(V)
#undef V
  CW_PUT_INTS(p->score.specialists)
  cw_put_f64(w, p->spaceship.support_rate);
  cw_put_f64(w, p->spaceship.energy_rate);
  cw_put_f64(w, p->spaceship.success_rate);
  cw_put_f64(w, p->spaceship.travel_time);
}

static void put_identity(struct cw_writer *w, const struct player *p)
{
  cw_put_text(w, p->name);
  cw_put_text(w, p->username);
  cw_put_text(w, p->ranked_username);
  cw_put_text(w, p->server.delegate_to);
  cw_put_text(w, p->server.orig_username);
  cw_put_text(w, p->ai != NULL ? ai_name(p->ai) : NULL);
  CW_PUT(p->nation != NULL ? nation_number(p->nation) : -1)
  CW_PUT(p->style != NULL ? style_number(p->style) : -1)
  CW_PUT(team_number(p->team))
  CW_PUT(p->government != NULL ? government_number(p->government) : -1)
  CW_PUT(p->target_government != NULL ? government_number(p->target_government) : -1)
  CW_PUT(p->rgb != NULL ? p->rgb->r << 16 | p->rgb->g << 8 | p->rgb->b : -1)
}

static void put_bits(struct cw_writer *w, const struct player *p)
{
  CW_PUT_BITS(p->flags)
  CW_PUT_BITS(p->real_embassy)
  CW_PUT_BITS(p->gives_shared_vision)
  CW_PUT_BITS(p->server.really_gives_vision)
  CW_PUT_BITS(p->server.status)
  CW_PUT_BITS(p->spaceship.structure)
  for (int i = 0; i < H_LAST; i++) {
    cw_put_u8(w, has_handicap(p, (enum handicap_type)i));
  }
}

static void put_character(struct cw_writer *w, const struct player *p)
{
  cw_put_u8(w, p->ai_common.traits != NULL);
  for (int i = 0; p->ai_common.traits != NULL && i < TRAIT_COUNT; i++) {
    CW_PUT(p->ai_common.traits[i].val)
    CW_PUT(p->ai_common.traits[i].mod)
  }
  players_iterate(q) {
    CW_PUT(p->ai_common.love[player_index(q)])
  } players_iterate_end;
}

static void put_holdings(struct cw_writer *w, const struct player *p)
{
  cw_put_u32(w, (uint32_t)city_list_size(p->cities));
  city_list_iterate(p->cities, pcity) {
    CW_PUT(pcity->id)
  } city_list_iterate_end;
  cw_put_unit_ids(w, p->units);
  improvement_iterate(impr) {
    CW_PUT(p->wonders[improvement_index(impr)])
  } improvement_iterate_end;
  for (int i = 0; i < multiplier_count(); i++) {
    CW_PUT(p->multipliers[i].value)
    CW_PUT(p->multipliers[i].target)
    CW_PUT(p->multipliers[i].changed)
  }
  cw_put_block(w, p->attribute_block.data, (size_t)p->attribute_block.length);
}

void cw_canonical_players(struct cw_writer *w)
{
  CW_PUT(player_count())
  players_iterate(p) {
    cw_put_player(w, p);
    put_identity(w, p);
    put_numbers(w, p);
    put_bits(w, p);
    put_character(w, p);
    put_holdings(w, p);
  } players_iterate_end;
}

/* ---- research ---------------------------------------------------------------------------------------- */

#define RESEARCH(V) \
  V(techs_researched) V(future_tech) V(researching) V(bulbs_researched) V(researching_saved)                  \
  V(bulbs_researching_saved) V(got_tech) V(got_tech_multi) V(tech_goal)
#define INVENTION(V) \
  V(state) V(reachable) V(root_reqs_known) V(num_required_techs) V(bulbs_required) V(bulbs_researched_saved)

static void put_research(struct cw_writer *w, const struct research *r)
{
  CW_PUT(research_number(r))
#define V(field) CW_PUT(r->field)
  RESEARCH(V)
#undef V
  CW_PUT_INTS(r->num_known_tech_with_flag)
#define V(field) CW_PUT(r->inventions[i].field)
  advance_index_iterate(A_NONE, i) {
    INVENTION(V)
    cw_put(w, r->inventions[i].required_techs.vec, _BV_BYTES(advance_count()));
  } advance_index_iterate_end;
  for (int i = A_FUTURE; i < A_ARRAY_SIZE; i++) {
    INVENTION(V)
  }
#undef V
}

void cw_canonical_research(struct cw_writer *w)
{
  researches_iterate(r) {
    put_research(w, r);
  } researches_iterate_end;
}

/* ---- diplomacy --------------------------------------------------------------------------------------- */

#define DIPLOMACY(V) \
  V(type) V(max_state) V(first_contact_turn) V(turns_left) V(has_reason_to_cancel) V(contact_turns_left)      \
  V(auto_cancel_turn)

void cw_canonical_diplomacy(struct cw_writer *w)
{
  players_iterate(p) {
    players_iterate(q) {
      if (p != q) {
        const struct player_diplstate *ds = player_diplstate_get(p, q);
#define V(field) CW_PUT(ds->field)
        DIPLOMACY(V)
#undef V
      }
    } players_iterate_end;
  } players_iterate_end;
}

static void put_treaty(struct cw_writer *w, const struct Treaty *t)
{
  cw_put_player(w, t->plr0);
  cw_put_player(w, t->plr1);
  cw_put_u8(w, t->accept0);
  cw_put_u8(w, t->accept1);
  cw_put_u32(w, (uint32_t)clause_list_size(t->clauses));
  clause_list_iterate(t->clauses, c) {
    CW_PUT(c->type)
    cw_put_player(w, c->from);
    CW_PUT(c->value)
  } clause_list_iterate_end;
}

void cw_canonical_treaties(struct cw_writer *w)
{
  treaty_list_iterate(get_all_treaties(), t) {
    put_treaty(w, t);
  } treaty_list_iterate_end;
}
