/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Table of the ruleset's achievements and who has reached them. */

#include "fc_config.h"

#include "achievements.h"
#include "game.h"
#include "player.h"

#include "export/export.h"

#define ACHIEVEMENT_FIELDS(F)                                                                              \
  F(i32, id, "achievement number", achievement_number(a))                                                  \
  F(s48, name, "rule name", cw_s48_of(achievement_rule_name(a)))                                           \
  F(s16, type, "what is to be reached, as the ruleset calls it", cw_s16_of(achievement_type_name(a->type))) \
  F(i32, value, "how much of it", a->value)                                                                \
  F(i32, culture, "culture it gives, points, once and for good", a->culture)                               \
  F(b1, unique, "whether only the first player gets it", a->unique)                                        \
  F(i32, first, "number of the player who reached it first, -1 none", cw_player_id(a->first))              \
  F(u64, players, "bit n: player n has it", achievers(a))

CW_RECORD(achievements, ACHIEVEMENT_FIELDS)

static uint64_t achievers(const struct achievement *a)
{
  uint64_t mask = 0;
  players_iterate(p) {
    if (achievement_player_has(a, p) && player_number(p) < CW_MASK_PLAYERS) {
      mask |= UINT64_C(1) << player_number(p);
    }
  } players_iterate_end;
  return mask;
}

static size_t achievements_rows(void)
{
  return (size_t)game.control.num_achievement_types;
}

static void achievements_fill(void *records)
{
  struct cw_achievements *out = records;
  achievements_iterate(a) {
    ACHIEVEMENT_FIELDS(CW_FILL)
    out++;
  } achievements_iterate_end;
}

CW_TABLE(achievements)
