/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The record of a plan, the record of a note on it, and the words that both use. */
#ifndef CW_PLAN_TABLE_H
#define CW_PLAN_TABLE_H

#include "doors/cw_plans.h"
#include "export/export.h"
#include "host/words.h"

/* What the built-in AI of a player is to do; 32-bit numbers only, so that there is no padding. The order is part of
 * every digest of a world with plans: append, never insert. */
#define PLAN_FIELDS(F)                                                                       \
  F(i32, turns, "for how many turns; 0 = no plan", 0)                                        \
  F(i32, tax, "percent, -1 = no word", 0)                                                    \
  F(i32, luxury, "percent", 0)                                                               \
  F(i32, science, "percent", 0)                                                              \
  F(i32, goal, "number of an advance, -1 = no word", 0)                                      \
  F(i32, government, "number of a government, -1 = no word", 0)                              \
  F(i32, garrison, "guards in every city, 0 = no word", 0)                                   \
  F(i32, reserve, "gold that purchases leave", 0)                                            \
  F(i32, items, "how many of item_* count", 0)                                               \
  F(i32, buys, "how many of buy_* count; -1 = no word, 0 = buy nothing", 0)                  \
  F(i32x16, item_kind, "what to build, the most urgent first: a word of `items`", 0)         \
  F(i32x16, item_value, "number of the unit type or building", 0)                            \
  F(i32x16, item_count, "how many the player is to have", 0)                                 \
  F(i32x16, buy_kind, "what to buy: a word of `items`", 0)                                   \
  F(i32x16, buy_value, "number of the unit type or building", 0)                             \
  F(i32x64, stance, "towards others, by player number: a word of `stances`", 0)
CW_STRUCT(plan, PLAN_FIELDS)
#define CW_PLAN_ITEMS ((int)(sizeof(cw_i32x16) / sizeof(int32_t)))
_Static_assert(sizeof(cw_i32x64) / sizeof(int32_t) == CW_MASK_PLAYERS, "a stance towards every player");

/* Where the world differed from a plan when a turn's command window opened. */
#define NOTE_FIELDS(F)                                                          \
  F(i32, turn, "turn of that command window", 0)                                \
  F(i32, topic, "what it is about: a word of `topics`", 0)                      \
  F(i32, subject, "id of a city or number of another player, -1 none", 0)       \
  F(i32, asked, "what the plan asks for", 0)                                    \
  F(i32, found, "what there was; on production as CW_NOTE_ITEM of civworld.h says", 0)
CW_STRUCT(plan_notes, NOTE_FIELDS)

#define ITEMS(W)                    \
  W(CW_ITEM_UNIT, "unit_types")     \
  W(CW_ITEM_BUILDING, "buildings")
enum cw_item { ITEMS(CW_WORD_NUMBER) };

#define TOPICS(W)                          \
  W(CW_NOTE_TAX, "tax")                    \
  W(CW_NOTE_LUXURY, "luxury")              \
  W(CW_NOTE_SCIENCE, "science")            \
  W(CW_NOTE_GOVERNMENT, "government")      \
  W(CW_NOTE_GOAL, "research_goal")         \
  W(CW_NOTE_STANCE, "stance")              \
  W(CW_NOTE_GARRISON, "garrison")          \
  W(CW_NOTE_PRODUCTION, "production")
enum cw_topic { TOPICS(CW_WORD_NUMBER) };

#endif
