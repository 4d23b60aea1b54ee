/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of players: what they have, how they stand to each other, what they know. */

#include "fc_config.h"

#include "city.h"
#include "culture.h"
#include "game.h"
#include "government.h"
#include "improvement.h"
#include "map.h"
#include "nation.h"
#include "player.h"
#include "research.h"
#include "rgbcolor.h"
#include "team.h"
#include "unit.h"
#include "unitlist.h"

#include "export/export.h"

/* The engine fills in the names of an enum when the first is asked for; asking while the library loads keeps
 * later reads from writing. */
static void __attribute__((constructor)) fill_names(void)
{
  const char *volatile name;
  name = barbarian_type_name(NOT_A_BARBARIAN);
  name = ai_level_name(AI_LEVEL_AWAY);
  name = diplstate_type_name(DS_WAR);
  (void)name;
}

/* Counts that one walk over the map and the lists gives for a player. */
struct tally {
  int territory, military, citizens, production, wonders, capital;
};

#define PLAYER_FIELDS(F)                                                                                   \
  F(i32, id, "player number, fixed for the game", player_number(p))                                        \
  F(s48, name, "name of the leader", cw_s48_of(player_name(p)))                                            \
  F(s48, nation, "nation, rule name", cw_s48_of(p->nation != NULL ? nation_rule_name(p->nation) : ""))     \
  F(b1, is_alive, "whether the player is still in the game", p->is_alive)                                  \
  F(b1, is_ai, "whether the built-in AI plays", is_ai(p))                                                  \
  F(b1, is_barbarian, "barbarians of any kind, animals among them: not a civilization", is_barbarian(p))   \
  F(s16, barbarian_type, "None, Land, Sea, Animal or LandAndSea",                                          \
    cw_s16_of(barbarian_type_name(p->ai_common.barbarian_type)))                                           \
  F(s16, skill_level, "level of the built-in AI", cw_s16_of(ai_level_name(p->ai_common.skill_level)))      \
  F(i32, team, "team number; players of one team share it", team_number(p->team))                          \
  F(rgb, color, "red, green, blue", color_of(p))                                                           \
  F(i32, gold, "treasury, gold", p->economic.gold)                                                         \
  F(i32, tax, "tax rate, percent", p->economic.tax)                                                        \
  F(i32, luxury, "luxury rate, percent", p->economic.luxury)                                               \
  F(i32, science, "science rate, percent", p->economic.science)                                            \
  F(i32, expected_income, "gold per turn the treasury is expected to change by",                           \
    player_get_expected_income(p))                                                                         \
  F(s48, government, "government, rule name",                                                              \
    cw_s48_of(p->government != NULL ? government_rule_name(p->government) : ""))                           \
  F(s48, target_government, "government a revolution leads to, rule name; empty without one",              \
    cw_s48_of(p->target_government != NULL ? government_rule_name(p->target_government) : ""))             \
  F(i32, revolution_finishes, "turn in which the revolution ends, -1 without one", p->revolution_finishes) \
  F(i32, cities, "cities", city_list_size(p->cities))                                                      \
  F(i32, citizens, "citizens: sum of city sizes", t->citizens)                                             \
  F(i32, population, "people, thousands, as the engine derives them from city sizes", civ_population(p))   \
  F(i32, territory, "tiles owned, land and water; without borders, city tiles alone", t->territory)         \
  F(i32, production, "shields per turn: sum of the cities' shield surplus", t->production)                 \
  F(i32, capital, "city id of the primary capital, 0 without one", t->capital)                             \
  F(i32, wonders, "great wonders owned (small wonders such as the Palace are not counted)", t->wonders)    \
  F(i32, units, "units of all kinds", unit_list_size(p->units))                                            \
  F(i32, military_units, "units whose type is not a civilian and has attack or defence strength",          \
    t->military)                                                                                           \
  F(i32, techs, "known advances, the root advance None and future techs not counted", known_count(r))      \
  F(i32, future_tech, "future techs acquired", r->future_tech)                                             \
  F(s48, researching, "advance being researched, rule name; empty when unset",                             \
    cw_s48_of(cw_advance_name(r->researching)))                                                            \
  F(s48, tech_goal, "research goal, rule name; empty when unset", cw_s48_of(cw_advance_name(r->tech_goal))) \
  F(i32, bulbs, "bulbs accumulated for the advance being researched", r->bulbs_researched)                 \
  F(i32, bulbs_cost, "bulbs that advance costs, 0 when unset",                                             \
    research_total_bulbs_required(r, r->researching, FALSE))                                               \
  F(i32, bulbs_last_turn, "bulbs added at the last turn change", p->server.bulbs_last_turn)                \
  F(i32, culture, "culture, points: history and present performance, nation and cities", player_culture(p)) \
  F(i32, history, "accumulated culture of the nation alone, points", p->history)                           \
  F(i32, score, "civilization score as the engine computed it when this turn began", p->score.game)        \
  F(i32, turns_alive, "turns the player has lived", p->turns_alive)                                        \
  F(s16, spaceship, "None, Started, Launched or Arrived", cw_s16_of(spaceship_text(p->spaceship.state)))   \
  F(i32, spaceship_parts, "structurals, components and modules built",                                     \
    p->spaceship.structurals + p->spaceship.components + p->spaceship.modules)                             \
  F(i32, units_built, "units produced so far", p->score.units_built)                                       \
  F(i32, units_killed, "enemy units destroyed so far", p->score.units_killed)                              \
  F(i32, units_lost, "own units lost so far", p->score.units_lost)                                         \
  F(i32, huts, "huts entered so far", p->server.huts)                                                      \
  F(i32, happy, "happy citizens when this turn began", p->score.happy)                                     \
  F(i32, content, "content citizens when this turn began", p->score.content)                               \
  F(i32, unhappy, "unhappy citizens when this turn began", p->score.unhappy)                               \
  F(i32, angry, "angry citizens when this turn began", p->score.angry)                                     \
  F(i32, science_output, "bulbs per turn from cities when this turn began", p->score.techout)              \
  F(i32, trade_output, "trade surplus per turn when this turn began", p->score.bnp)                        \
  F(i32, pollution, "pollution points of all cities when this turn began", p->score.pollution)             \
  F(i32, literacy, "literate people, thousands, when this turn began", p->score.literacy)                  \
  F(i32, land_area, "owned tiles as the score counted them when this turn began",                          \
    p->score.landarea / SCORE_AREA)                                                                        \
  F(i32, settled_area, "land tiles with a city or worked when this turn began",                            \
    p->score.settledarea / SCORE_AREA)

/* The score counts areas in thousandths of a tile. */
#define SCORE_AREA 1000

CW_RECORD(players, PLAYER_FIELDS)

static cw_rgb color_of(const struct player *p)
{
  cw_rgb out = {{0, 0, 0}};
  if (p->rgb != NULL) {
    out = (cw_rgb){{(uint8_t)p->rgb->r, (uint8_t)p->rgb->g, (uint8_t)p->rgb->b}};
  }
  return out;
}

static const char *spaceship_text(enum spaceship_state state)
{
  static const char *const names[] = {"None", "Started", "Launched", "Arrived"};
  return (unsigned)state < 4 ? names[state] : "";
}

static int known_count(const struct research *r)
{
  int count = 0;
  advance_index_iterate(A_FIRST, i) {
    count += valid_advance_by_number(i) != NULL && research_invention_state(r, i) == TECH_KNOWN;
  } advance_index_iterate_end;
  return count;
}

static void tally_territory(struct tally *tallies)
{
  whole_map_iterate(&wld.map, ptile) {
    if (tile_owner(ptile) != NULL) {
      tallies[player_number(tile_owner(ptile))].territory++;
    }
  } whole_map_iterate_end;
}

static void tally_wonders(struct tally *tallies)
{
  improvement_iterate(impr) {
    if (is_great_wonder(impr) && great_wonder_owner(impr) != NULL) {
      tallies[player_number(great_wonder_owner(impr))].wonders++;
    }
  } improvement_iterate_end;
}

static void tally_player(struct tally *t, const struct player *p)
{
  city_list_iterate(p->cities, pcity) {
    t->citizens += city_size_get(pcity);
    t->production += pcity->surplus[O_SHIELD];
    if (pcity->id == p->primary_capital_id) {
      t->capital = pcity->id;
    }
  } city_list_iterate_end;
  unit_list_iterate(p->units, punit) {
    t->military += cw_unit_type_is_military(unit_type_get(punit));
  } unit_list_iterate_end;
}

static size_t players_rows(void)
{
  return (size_t)player_count();
}

static void players_fill(void *records)
{
  struct cw_players *out = records;
  struct tally tallies[MAX_NUM_PLAYER_SLOTS];
  memset(tallies, 0, sizeof(tallies));
  tally_territory(tallies);
  tally_wonders(tallies);
  players_iterate(p) {
    struct tally *t = &tallies[player_number(p)];
    const struct research *r = research_get(p);
    tally_player(t, p);
    PLAYER_FIELDS(CW_FILL)
    out++;
  } players_iterate_end;
}

CW_TABLE(players)

/* ---- diplomacy: one record per ordered pair ---------------------------------------------------------- */

#define DIPLOMACY_FIELDS(F)                                                                                \
  F(i32, player, "player number of the one who stands so", player_number(p))                               \
  F(i32, other, "player number of the other", player_number(q))                                            \
  F(s16, state, "War, Cease-fire, Armistice, Peace, Alliance, Never met or Team",                          \
    cw_s16_of(diplstate_type_name(ds->type)))                                                              \
  F(i32, turns_left, "turns until a cease-fire or armistice ends", ds->turns_left)                         \
  F(i32, contact_turns_left, "turns until contact is lost, 0 without contact", ds->contact_turns_left)     \
  F(b1, has_embassy, "whether player has an embassy with other, by treaty, unit or effect",                \
    player_has_embassy(p, q))                                                                              \
  F(b1, has_real_embassy, "whether that embassy was established, not given by an effect",                  \
    player_has_real_embassy(p, q))                                                                         \
  F(b1, gives_shared_vision, "whether player lets other see what player sees", gives_shared_vision(p, q))  \
  F(s16, max_state, "best state the two ever had", cw_s16_of(diplstate_type_name(ds->max_state)))          \
  F(i32, first_contact_turn, "turn of first contact; meaningless before contact", ds->first_contact_turn)  \
  F(i32, reason_to_cancel, "casus belli against other: 0 none, 1 this turn, 2 this and the next turn",     \
    ds->has_reason_to_cancel)                                                                              \
  F(i32, auto_cancel_turn, "turn in which an ally's war ended the pact, -1 never", ds->auto_cancel_turn)

CW_RECORD(diplomacy, DIPLOMACY_FIELDS)

static size_t diplomacy_rows(void)
{
  return (size_t)player_count() * (size_t)(player_count() - (player_count() > 0));
}

static void diplomacy_fill(void *records)
{
  struct cw_diplomacy *out = records;
  players_iterate(p) {
    players_iterate(q) {
      if (p != q) {
        const struct player_diplstate *ds = player_diplstate_get(p, q);
        DIPLOMACY_FIELDS(CW_FILL)
        out++;
      }
    } players_iterate_end;
  } players_iterate_end;
}

CW_TABLE(diplomacy)

/* ---- research: one record per player, or per team where teams pool it -------------------------------- */

#define RESEARCH_FIELDS(F)                                                                                 \
  F(i32, id, "research number: the player's, or the team's where teams pool research", research_number(r)) \
  F(u64, players, "bit n: player n takes part", members(r))                                                \
  F(bits256, known, "bit n (of byte n / 8, low bit first): advance n is known; advance 0 is the root",     \
    advances_in_state(r, TECH_KNOWN))                                                                      \
  F(bits256, available, "bit n: advance n could be researched now", advances_in_state(r, TECH_PREREQS_KNOWN)) \
  F(i32, techs, "known advances, the root not counted", known_count(r))                                    \
  F(i32, future_tech, "future techs acquired", r->future_tech)                                             \
  F(i32, techs_researched, "the engine's own count, root and future techs among them", r->techs_researched) \
  F(i32, researching, "number of the advance being researched, -1 unset, -2 future tech",                  \
    advance_number_of(r->researching))                                                                     \
  F(s48, researching_name, "its rule name", cw_s48_of(cw_advance_name(r->researching)))                    \
  F(i32, bulbs, "bulbs accumulated for it", r->bulbs_researched)                                           \
  F(i32, bulbs_cost, "bulbs it costs, 0 when unset", research_total_bulbs_required(r, r->researching, FALSE)) \
  F(i32, tech_goal, "number of the goal, -1 unset", advance_number_of(r->tech_goal))                       \
  F(s48, tech_goal_name, "its rule name", cw_s48_of(cw_advance_name(r->tech_goal)))                        \
  F(i32, researching_saved, "advance researched when the turn began: going back to it costs no bulbs",     \
    advance_number_of(r->researching_saved))                                                               \
  F(i32, bulbs_saved, "bulbs accumulated for that advance", r->bulbs_researching_saved)                    \
  F(b1, got_tech, "whether an advance was completed this turn, so that switching is free", r->got_tech)

CW_RECORD(research, RESEARCH_FIELDS)

static uint64_t members(const struct research *r)
{
  uint64_t mask = 0;
  players_iterate(p) {
    if (research_get(p) == r && player_number(p) < CW_MASK_PLAYERS) {
      mask |= UINT64_C(1) << player_number(p);
    }
  } players_iterate_end;
  return mask;
}

static cw_bits256 advances_in_state(const struct research *r, enum tech_state state)
{
  cw_bits256 out = {{0}};
  advance_index_iterate(A_NONE, i) {
    if (valid_advance_by_number(i) != NULL && research_invention_state(r, i) == state) {
      cw_bit_set(out.b, i);
    }
  } advance_index_iterate_end;
  return out;
}

static int advance_number_of(Tech_type_id tech)
{
  if (tech == A_FUTURE) {
    return -2;
  }
  return tech == A_NONE || valid_advance_by_number(tech) == NULL ? -1 : tech;
}

static size_t research_rows(void)
{
  size_t rows = 0;
  researches_iterate(r) {
    rows += r != NULL;
  } researches_iterate_end;
  return rows;
}

static void research_fill(void *records)
{
  struct cw_research *out = records;
  researches_iterate(r) {
    RESEARCH_FIELDS(CW_FILL)
    out++;
  } researches_iterate_end;
}

CW_TABLE(research)
