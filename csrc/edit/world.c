/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Edits of the rules of a whole world, within the ranges of its settings. */

#include "fc_config.h"

#include <string.h>

#include "game.h"
#include "player.h"
#include "research.h"
#include "support.h"

#include "gamehand.h"

#include "host/host.h"

struct rule {
  const char *name;
  int *value;
  int low, high;
};

#define RULES(R)                                                                  \
  R(disasters, GAME_MIN_DISASTERS, GAME_MAX_DISASTERS)                            \
  R(foodbox, GAME_MIN_FOODBOX, GAME_MAX_FOODBOX)                                  \
  R(sciencebox, GAME_MIN_SCIENCEBOX, GAME_MAX_SCIENCEBOX)

/* The rule of that name in the mounted world; false when there is none. */
static bool find_rule(const char *name, struct rule *out)
{
#define RULE(field, low, high) {#field, &game.info.field, low, high},
  const struct rule rules[] = {RULES(RULE)};
#undef RULE
  for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
    if (strcmp(rules[i].name, name) == 0) {
      *out = rules[i];
      return true;
    }
  }
  return false;
}

#define NAME(field, low, high) " " #field

int cw_edit_set_rule(const char *name, int32_t value)
{
  struct rule rule;
  CW_GUARD_BEGIN;
  if (!cw_space_is_mounted() || !find_rule(name, &rule)) {
    CW_GUARD_END(cw_error(CW_EARGUMENT, "edit 'set_rule': unknown rule '%s' (known:" RULES(NAME) ")", name));
  }
  if (value < rule.low || value > rule.high) {
    CW_GUARD_END(cw_error(CW_EARGUMENT, "edit 'set_rule': %s = %d (allowed: %d to %d)", name, value, rule.low,
                          rule.high));
  }
  if (*rule.value == value) {
    CW_GUARD_END(cw_error(CW_REFUSED, "edit 'set_rule': %s is %d already", name, value));
  }
  /* Not through the settings: the engine locks them once a game runs. What an advance costs is cached. */
  *rule.value = value;
  players_iterate_alive(pplayer) {
    research_update(research_get(pplayer));
  } players_iterate_alive_end;
  send_game_info(NULL);
  CW_GUARD_END(CW_OK);
}
