/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which behaviours differ from the stock engine, and the traits that players start with: part of the world. */

#include "fc_config.h"

#include <math.h>
#include <string.h>

#include "game.h"
#include "player.h"
#include "traits.h"

#include "srv_main.h"

#include "world/behaviour.h"
#include "doors/doors.h"
#include "host/host.h"
#include "host/words.h"

static const char *const names[CW_BEHAVIOURS] = {
  [CW_BEHAVIOUR_AGGRESSION] = "aggression",
  [CW_BEHAVIOUR_EXPANSION] = "expansion",
  [CW_BEHAVIOUR_TRADE] = "trade",
  [CW_BEHAVIOUR_BUILDING] = "building",
  [CW_BEHAVIOUR_FIRST_CONTACT_PEACE] = "first_contact_peace",
  [CW_BEHAVIOUR_WARS_END] = "wars_end",
  [CW_BEHAVIOUR_SPENDING] = "spending",
  [CW_BEHAVIOUR_GOVERNMENT] = "government",
};

static const char *behaviours_word(int number)
{
  return number >= 0 && number < CW_BEHAVIOURS ? names[number] : NULL;
}
const struct cw_words cw_words_behaviours = {"behaviours", behaviours_word};

#define TRAITS(W)                       \
  W(TRAIT_EXPANSIONIST, "expansionist") \
  W(TRAIT_TRADER, "trader")             \
  W(TRAIT_AGGRESSIVE, "aggressive")     \
  W(TRAIT_BUILDER, "builder")
CW_WORDS(traits, TRAITS)

static uint32_t mask;
static int32_t starting_traits[MAX_NUM_PLAYER_SLOTS][TRAIT_COUNT]; /* 0 = as the engine sets it */

bool cw_hook_behaviour(enum cw_behaviour behaviour)
{
  return mask >> behaviour & 1;
}

double cw_hook_trait(int value)
{
  return sqrt((double)value / TRAIT_DEFAULT_VALUE); /* exact in every C library, unlike pow */
}

uint32_t cw_behaviour_mask(void)
{
  return mask;
}

int cw_world_behaviour(const char *name)
{
  CW_GUARD_BEGIN;
  if (!cw_space_is_mounted() || game_was_started()) {
    CW_GUARD_END(cw_error(CW_ELIFECYCLE, "behaviours are set before a world starts"));
  }
  for (int i = 0; i < CW_BEHAVIOURS; i++) {
    if (strcmp(names[i], name) == 0) {
      mask |= 1u << i;
      CW_GUARD_END(CW_OK);
    }
  }
  CW_GUARD_END(cw_error(CW_EARGUMENT, "this engine has no behaviour '%s'", name));
}

int cw_world_trait(int player, int trait, int32_t value)
{
  CW_GUARD_BEGIN;
  if (!cw_space_is_mounted() || game_was_started()) {
    CW_GUARD_END(cw_error(CW_ELIFECYCLE, "starting traits are set before a world starts"));
  }
  if (player < 0 || player >= MAX_NUM_PLAYER_SLOTS || trait < 0 || trait >= TRAIT_COUNT || value < 1 || value > 1000) {
    CW_GUARD_END(cw_error(CW_EARGUMENT, "player %d, trait %d = %d (players 0-%d, traits 0-%d, values 1-1000)", player,
                          trait, value, MAX_NUM_PLAYER_SLOTS - 1, TRAIT_COUNT - 1));
  }
  starting_traits[player][trait] = value;
  CW_GUARD_END(CW_OK);
}

void cw_behaviour_start(void)
{
  players_iterate(pplayer) {
    const int32_t *values = starting_traits[player_number(pplayer)];
    for (int i = 0; i < TRAIT_COUNT; i++) {
      if (values[i] > 0) {
        pplayer->ai_common.traits[i].val = values[i];
      }
    }
  } players_iterate_end;
}
