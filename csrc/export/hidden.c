/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of what no player of the game can see: AI characters, attitudes and plans, world rules, seeds. */

#include "fc_config.h"

#include "ai.h"
#include "city.h"
#include "game.h"
#include "map.h"
#include "player.h"
#include "traits.h"

#include "srv_main.h"

#include "aidata.h"
#include "aiplayer.h"

#include "export/export.h"
#include "world/deeds.h"
#include "world/hold.h"

/* The engine fills in the names of an enum when the first is asked for; asking while the library loads keeps
 * later reads from writing. */
static void __attribute__((constructor)) fill_names(void)
{
  const char *volatile name;
  name = war_reason_name(DAI_WR_NONE);
  (void)name;
}

/* What the built-in AI keeps about a player; NULL when another or no AI is in charge. */
static const struct ai_plr *ai_of(const struct player *p)
{
  return p->ai != NULL ? def_ai_player_data(p, (struct ai_type *)p->ai) : NULL;
}

#define TRAIT(field, which) (p->ai_common.traits != NULL ? p->ai_common.traits[which].field : 0)
#define DIPLOMACY(field) (ai != NULL ? ai->diplomacy.field : 0)

#define HIDDEN_PLAYER_FIELDS(F)                                                                            \
  F(i32, player, "player number", player_number(p))                                                        \
  F(i32, expansionist, "trait value given at the start, default 50", TRAIT(val, TRAIT_EXPANSIONIST))       \
  F(i32, trader, "trait value given at the start, default 50", TRAIT(val, TRAIT_TRADER))                   \
  F(i32, aggressive, "trait value given at the start, default 50", TRAIT(val, TRAIT_AGGRESSIVE))           \
  F(i32, builder, "trait value given at the start, default 50", TRAIT(val, TRAIT_BUILDER))                 \
  F(i32, expansionist_mod, "what play has added to the trait", TRAIT(mod, TRAIT_EXPANSIONIST))             \
  F(i32, trader_mod, "what play has added to the trait", TRAIT(mod, TRAIT_TRADER))                         \
  F(i32, aggressive_mod, "what play has added to the trait", TRAIT(mod, TRAIT_AGGRESSIVE))                 \
  F(i32, builder_mod, "what play has added to the trait", TRAIT(mod, TRAIT_BUILDER))                       \
  F(i32, fuzzy, "chance of a wrong decision, per mille", p->ai_common.fuzzy)                               \
  F(i32, expand, "how new cities are valued, percent", p->ai_common.expand)                                \
  F(i32, science_cost, "cost of advances against a human's, percent", p->ai_common.science_cost)           \
  F(i32, warmth, "fear of global warming, percent", p->ai_common.warmth)                                   \
  F(i32, frost, "fear of nuclear winter, percent", p->ai_common.frost)                                     \
  F(s16, strategy, "how the AI means to win: Open, War, Space or Capital; empty without AI",               \
    cw_s16_of(strategy_text(ai)))                                                                          \
  F(i32, strategy_timer, "turns for which the AI keeps to it", DIPLOMACY(timer))                           \
  F(i32, love_coeff, "share of love lost per turn, percent", DIPLOMACY(love_coeff))                        \
  F(i32, love_incr, "love gained per turn", DIPLOMACY(love_incr))                                          \
  F(i32, love_for_peace, "love it takes for peace", DIPLOMACY(req_love_for_peace))                         \
  F(i32, love_for_alliance, "love it takes for an alliance", DIPLOMACY(req_love_for_alliance))             \
  F(i32, last_war_action, "turn of the last act of war", p->last_war_action)                               \
  F(b1, rates_held, "whether an edit keeps the AI from changing tax rates", cw_held_rates(p))              \
  F(b1, government_held, "whether an edit keeps the AI from changing government", cw_held_government(p))   \
  F(b1, research_held, "whether an edit keeps the AI to the advance being researched", cw_held_research(p)) \
  F(b1, goal_held, "whether an edit keeps the AI to the research goal", cw_held_goal(p)) \
  F(i32, bought, "productions of cities that it has paid for so far", cw_deeds_of(p)->bought)               \
  F(i32, sold, "buildings that it has sold so far at will or as obsolete", cw_deeds_of(p)->sold)                          \
  F(i32, auctioned, "buildings sold so far because its gold had run out", cw_deeds_of(p)->auctioned)        \
  F(i32, upgraded, "units upgraded so far, for gold or by a wonder", cw_deeds_of(p)->upgraded)                  \
  F(i32, caravans, "trade routes, marketplaces and wonders served so far by caravans", cw_deeds_of(p)->caravans) \
  F(i32, diplomats, "successes of its diplomats and spies so far, embassies apart", cw_deeds_of(p)->diplomats) \
  F(i32, celebrations, "times that a city of its began to celebrate so far", cw_deeds_of(p)->celebrations)

CW_RECORD(hidden_players, HIDDEN_PLAYER_FIELDS)

static const char *strategy_text(const struct ai_plr *ai)
{
  static const char *const names[] = {"Open", "War", "Space", "Capital"};
  return ai != NULL && (unsigned)ai->diplomacy.strategy < 4 ? names[ai->diplomacy.strategy] : "";
}

static size_t hidden_players_rows(void)
{
  return (size_t)player_count();
}

static void hidden_players_fill(void *records)
{
  struct cw_hidden_players *out = records;
  players_iterate(p) {
    const struct ai_plr *ai = ai_of(p);
    HIDDEN_PLAYER_FIELDS(CW_FILL)
    out++;
  } players_iterate_end;
}

CW_TABLE(hidden_players)

/* ---- one record per ordered pair --------------------------------------------------------------------- */

#define INTEL(field, without) (intel != NULL ? intel->field : (without))
#define INTEL_PLAYER(field) (intel != NULL ? cw_player_id(intel->field) : -1)

#define HIDDEN_PAIR_FIELDS(F)                                                                              \
  F(i32, player, "player number of the one who thinks so", player_number(p))                               \
  F(i32, other, "player number of the other", player_number(q))                                            \
  F(i32, love, "attitude of player to other, -1000 to 1000", p->ai_common.love[player_index(q)])           \
  F(i32, countdown, "turns until the AI declares war; below zero: no such plan", INTEL(countdown, -1))              \
  F(s16, war_reason, "why: Behaviour, Space, Excuse, Hatred, Alliance or None",                            \
    cw_s16_of(war_reason_name(INTEL(war_reason, DAI_WR_NONE))))                                            \
  F(i32, war_desire, "what war against other promises, prize less risk, as the AI last saw it", INTEL(war_desire, 0)) \
  F(i32, weariness, "turns of war against other, healing in peace, at most 16", INTEL(weariness, 0))         \
  F(i32, distance, "mean distance to the other's cities, tiles, as the AI last saw it", INTEL(distance, 0)) \
  F(i32, ally_patience, "patience with an ally who does not help; falls below zero", INTEL(ally_patience, 0)) \
  F(i32, asked_about_peace, "turns before the AI asks again", INTEL(asked_about_peace, 0))                 \
  F(i32, asked_about_alliance, "turns before the AI asks again", INTEL(asked_about_alliance, 0))           \
  F(i32, asked_about_ceasefire, "turns before the AI asks again", INTEL(asked_about_ceasefire, 0))         \
  F(i32, warned_about_space, "turns before the AI warns again about a space race", INTEL(warned_about_space, 0)) \
  F(i32, allied_with_enemy, "an enemy of player's that other is allied with, -1 none",                     \
    INTEL_PLAYER(is_allied_with_enemy))                                                                    \
  F(i32, at_war_with_ally, "an ally of player's that other is at war with, -1 none", INTEL_PLAYER(at_war_with_ally)) \
  F(i32, allied_with_ally, "an ally of player's that other is allied with, -1 none", INTEL_PLAYER(is_allied_with_ally))

CW_RECORD(hidden_pairs, HIDDEN_PAIR_FIELDS)

static size_t hidden_pairs_rows(void)
{
  return (size_t)player_count() * (size_t)(player_count() - (player_count() > 0));
}

static void hidden_pairs_fill(void *records)
{
  struct cw_hidden_pairs *out = records;
  players_iterate(p) {
    const struct ai_plr *ai = ai_of(p);
    players_iterate(q) {
      if (p != q) {
        const struct ai_dip_intel *intel = ai != NULL ? ai->diplomacy.player_intel_slots[player_index(q)] : NULL;
        HIDDEN_PAIR_FIELDS(CW_FILL)
        out++;
      }
    } players_iterate_end;
  } players_iterate_end;
}

CW_TABLE(hidden_pairs)

/* ---- one record for the world ------------------------------------------------------------------------ */

#define HIDDEN_WORLD_FIELDS(F)                                                                             \
  F(i32, disasters, "frequency of disasters, setting 'disasters', default 10", game.info.disasters)        \
  F(i32, foodbox, "food it takes a city to grow, percent", game.info.foodbox)                              \
  F(i32, sciencebox, "bulbs it takes to research, percent", game.info.sciencebox)                          \
  F(i32, shieldbox, "shields it takes to build, percent", game.info.shieldbox)                             \
  F(u32, game_seed, "seed of the game's random numbers", game.server.seed)                                 \
  F(u32, map_seed, "seed of the map", wld.map.server.seed)                                                 \
  F(i32, barbarian_rate, "setting 'barbarians': 0 none, 1 huts only, 2 normal, 3 frequent, 4 horde",       \
    game.server.barbarianrate)                                                                             \
  F(i32, barbarian_onset, "first turn of barbarians", game.server.onsetbarbarian)                          \
  F(i32, global_warming, "accumulated pollution", game.info.globalwarming)                                 \
  F(i32, heating, "polluted tiles", game.info.heating)                                                     \
  F(i32, warming_level, "accumulated pollution that makes warming likely", game.info.warminglevel)         \
  F(i32, nuclear_winter, "accumulated fallout", game.info.nuclearwinter)                                   \
  F(i32, cooling, "tiles with fallout", game.info.cooling)                                                 \
  F(i32, cooling_level, "accumulated fallout that makes winter likely", game.info.coolinglevel)            \
  F(i32, next_id, "id that the next unit or city will get", next_id())

CW_RECORD(hidden_world, HIDDEN_WORLD_FIELDS)

extern bv_id identity_numbers_used;

/* As identity_number() in server/srv_main.c counts, without counting on. */
static int next_id(void)
{
  int id = (int)((server.identity_number + 1) % IDENTITY_NUMBER_SIZE);
  for (int tries = 0; tries < IDENTITY_NUMBER_SIZE && BV_ISSET(identity_numbers_used, id); tries++) {
    id = (id + 1) % IDENTITY_NUMBER_SIZE;
  }
  return id;
}

static size_t hidden_world_rows(void)
{
  return 1;
}

static void hidden_world_fill(void *records)
{
  struct cw_hidden_world *out = records;
  HIDDEN_WORLD_FIELDS(CW_FILL)
}

CW_TABLE(hidden_world)
