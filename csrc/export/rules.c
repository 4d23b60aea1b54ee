/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of the ruleset: what the numbers in the other tables stand for. A record's position is its number. */

#include "fc_config.h"

#include "extras.h"
#include "game.h"
#include "government.h"
#include "improvement.h"
#include "specialist.h"
#include "tech.h"
#include "terrain.h"
#include "unittype.h"

#include "export/export.h"

/* The engine fills in the names of an enum when the first is asked for; asking while the library loads keeps
 * later reads from writing. */
static void __attribute__((constructor)) fill_names(void)
{
  const char *volatile name;
  name = terrain_class_name(TC_LAND);
  name = impr_genus_id_name(IG_SPECIAL);
  name = extra_category_name(ECAT_INFRA);
  (void)name;
}

#define TERRAIN_FIELDS(F)                                                                                  \
  F(i32, id, "terrain number", terrain_number(t))                                                          \
  F(s48, name, "rule name", cw_s48_of(terrain_rule_name(t)))                                               \
  F(s16, terrain_class, "Land or Oceanic", cw_s16_of(terrain_class_name(t->tclass)))                       \
  F(i32, movement_cost, "moves it takes to enter", t->movement_cost)                                       \
  F(i32, defense_bonus, "defence bonus, percent", t->defense_bonus)                                        \
  F(i32, food, "food per turn", t->output[O_FOOD])                                                         \
  F(i32, shields, "shields per turn", t->output[O_SHIELD])                                                 \
  F(i32, trade, "trade per turn", t->output[O_TRADE])                                                      \
  F(i32, irrigation_food, "food per turn that irrigation adds", t->irrigation_food_incr)                   \
  F(i32, mining_shields, "shields per turn that a mine adds", t->mining_shield_incr)

CW_RECORD(rules_terrains, TERRAIN_FIELDS)

static size_t rules_terrains_rows(void)
{
  return (size_t)terrain_count();
}

static void rules_terrains_fill(void *records)
{
  struct cw_rules_terrains *out = records;
  terrain_type_iterate(t) {
    TERRAIN_FIELDS(CW_FILL)
    out++;
  } terrain_type_iterate_end;
}

CW_TABLE(rules_terrains)

/* ---- unit types -------------------------------------------------------------------------------------- */

#define UNIT_TYPE_FIELDS(F)                                                                                \
  F(i32, id, "unit type number", utype_number(t))                                                          \
  F(s48, name, "rule name", cw_s48_of(utype_rule_name(t)))                                                 \
  F(s48, unit_class, "unit class, rule name", cw_s48_of(uclass_rule_name(utype_class(t))))                 \
  F(b1, civilian, "whether the type is flagged as non-military", utype_has_flag(t, UTYF_CIVILIAN))         \
  F(b1, military, "whether it is no civilian and has attack or defence strength", cw_unit_type_is_military(t)) \
  F(i32, attack, "attack strength", t->attack_strength)                                                    \
  F(i32, defense, "defence strength", t->defense_strength)                                                 \
  F(i32, moves, "move fragments per turn", t->move_rate)                                                   \
  F(i32, hp, "hit points", t->hp)                                                                          \
  F(i32, firepower, "hit points taken per won round", t->firepower)                                        \
  F(i32, cost, "shields it costs", utype_build_shield_cost_base(t))                                        \
  F(i32, pop_cost, "citizens it takes", t->pop_cost)                                                       \
  F(i32, fuel, "turns it can stay out, 0 any number", t->fuel)                                             \
  F(i32, capacity, "units it can carry", t->transport_capacity)                                            \
  F(i32, vision_radius_sq, "square of the radius of sight, tiles", t->vision_radius_sq)                    \
  F(i32, upkeep_food, "food per turn", t->upkeep[O_FOOD])                                                  \
  F(i32, upkeep_shields, "shields per turn", t->upkeep[O_SHIELD])                                          \
  F(i32, upkeep_gold, "gold per turn", t->upkeep[O_GOLD])                                                  \
  F(i32, advance, "number of the advance it needs, -1 none", needed_advance(t->require_advance))           \
  F(i32, obsoleted_by, "number of the unit type that replaces it, -1 none",                                \
    t->obsoleted_by != NULL ? utype_number(t->obsoleted_by) : -1)                                          \
  F(b1, founds_cities, "whether it can found a city", utype_can_do_action(t, ACTION_FOUND_CITY))

CW_RECORD(rules_unit_types, UNIT_TYPE_FIELDS)

static int needed_advance(const struct advance *a)
{
  return a == NULL || a == A_NEVER || advance_number(a) == A_NONE ? -1 : advance_number(a);
}

static size_t rules_unit_types_rows(void)
{
  return (size_t)utype_count();
}

static void rules_unit_types_fill(void *records)
{
  struct cw_rules_unit_types *out = records;
  unit_type_iterate(t) {
    UNIT_TYPE_FIELDS(CW_FILL)
    out++;
  } unit_type_iterate_end;
}

CW_TABLE(rules_unit_types)

/* ---- buildings --------------------------------------------------------------------------------------- */

#define BUILDING_FIELDS(F)                                                                                 \
  F(i32, id, "building number", improvement_number(b))                                                     \
  F(s48, name, "rule name", cw_s48_of(improvement_rule_name(b)))                                           \
  F(s16, genus, "GreatWonder, SmallWonder, Improvement or Special", cw_s16_of(impr_genus_id_name(b->genus))) \
  F(i32, cost, "shields it costs before effects", impr_base_build_shield_cost(b))                          \
  F(i32, upkeep, "gold per turn before effects", b->upkeep)                                                \
  F(i32, sabotage, "chance that sabotage succeeds, percent", b->sabotage)

CW_RECORD(rules_buildings, BUILDING_FIELDS)

static size_t rules_buildings_rows(void)
{
  return (size_t)improvement_count();
}

static void rules_buildings_fill(void *records)
{
  struct cw_rules_buildings *out = records;
  improvement_iterate(b) {
    BUILDING_FIELDS(CW_FILL)
    out++;
  } improvement_iterate_end;
}

CW_TABLE(rules_buildings)

/* ---- governments ------------------------------------------------------------------------------------- */

#define GOVERNMENT_FIELDS(F)                                                                               \
  F(i32, id, "government number", government_number(g))                                                    \
  F(s48, name, "rule name", cw_s48_of(government_rule_name(g)))                                            \
  F(i32, advance, "number of the advance it needs, -1 none", advance_needed(g))                            \
  F(b1, revolution, "whether this is what revolutions pass through (anarchy)", g == game.government_during_revolution)

CW_RECORD(rules_governments, GOVERNMENT_FIELDS)

static int advance_needed(const struct government *g)
{
  requirement_vector_iterate(&g->reqs, req) {
    if (req->source.kind == VUT_ADVANCE && req->present) {
      return advance_number(req->source.value.advance);
    }
  } requirement_vector_iterate_end;
  return -1;
}

static size_t rules_governments_rows(void)
{
  return (size_t)government_count();
}

static void rules_governments_fill(void *records)
{
  struct cw_rules_governments *out = records;
  governments_iterate(g) {
    GOVERNMENT_FIELDS(CW_FILL)
    out++;
  } governments_iterate_end;
}

CW_TABLE(rules_governments)

/* ---- advances ---------------------------------------------------------------------------------------- */

#define ADVANCE_FIELDS(F)                                                                                  \
  F(i32, id, "advance number; 0 is the root that everybody knows", advance_number(a))                      \
  F(s48, name, "rule name", cw_s48_of(advance_rule_name(a)))                                               \
  F(b1, exists, "whether the advance can be had in this ruleset", valid_advance(a) != NULL)                \
  F(i32, requires_1, "number of the first advance it needs, -1 none", needed_advance(a->require[AR_ONE]))  \
  F(i32, requires_2, "number of the second advance it needs, -1 none", needed_advance(a->require[AR_TWO])) \
  F(i32, requirements, "advances it takes from the root, itself included", a->num_reqs)                    \
  F(f64, cost, "bulbs it costs before effects and 'sciencebox'", a->cost)

CW_RECORD(rules_advances, ADVANCE_FIELDS)

static size_t rules_advances_rows(void)
{
  return (size_t)advance_count();
}

static void rules_advances_fill(void *records)
{
  struct cw_rules_advances *out = records;
  advance_iterate(A_NONE, a) {
    ADVANCE_FIELDS(CW_FILL)
    out++;
  } advance_iterate_end;
}

CW_TABLE(rules_advances)

/* ---- extras ------------------------------------------------------------------------------------------ */

#define EXTRA_FIELDS(F)                                                                                    \
  F(i32, id, "extra number", extra_number(e))                                                              \
  F(s48, name, "rule name", cw_s48_of(extra_rule_name(e)))                                                 \
  F(s16, category, "Infra, Natural, Nuisance, Bonus or Resource", cw_s16_of(extra_category_name(e->category))) \
  F(b1, buildable, "whether units can build it", e->buildable)                                             \
  F(i32, build_time, "turns it takes, 0 where the terrain decides", e->build_time)                         \
  F(i32, defense_bonus, "defence bonus, percent", e->defense_bonus)

CW_RECORD(rules_extras, EXTRA_FIELDS)

static size_t rules_extras_rows(void)
{
  return (size_t)extra_count();
}

static void rules_extras_fill(void *records)
{
  struct cw_rules_extras *out = records;
  extra_type_iterate(e) {
    EXTRA_FIELDS(CW_FILL)
    out++;
  } extra_type_iterate_end;
}

CW_TABLE(rules_extras)

/* ---- specialists ------------------------------------------------------------------------------------- */

#define SPECIALIST_FIELDS(F)                                                                               \
  F(i32, id, "specialist number", sp)                                                                      \
  F(s48, name, "rule name", cw_s48_of(specialist_rule_name(specialist_by_number(sp))))

CW_RECORD(rules_specialists, SPECIALIST_FIELDS)

static size_t rules_specialists_rows(void)
{
  return (size_t)specialist_count();
}

static void rules_specialists_fill(void *records)
{
  struct cw_rules_specialists *out = records;
  specialist_type_iterate(sp) {
    SPECIALIST_FIELDS(CW_FILL)
    out++;
  } specialist_type_iterate_end;
}

CW_TABLE(rules_specialists)
