/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that the ruleset gives to numbers. */

#include "command/command.h"

#include <string.h>

#include "actions.h"
#include "extras.h"
#include "game.h"
#include "government.h"
#include "improvement.h"
#include "multipliers.h"
#include "specialist.h"
#include "tech.h"
#include "unittype.h"

/* R(kind of rule, how many there are, name of number n) */
#define RULES(R)                                                                                          \
  R(action, NUM_ACTIONS, action_id_rule_name(n))                                                          \
  R(unit_type, utype_count(), utype_rule_name(utype_by_number(n)))                                        \
  R(building, improvement_count(), improvement_rule_name(improvement_by_number(n)))                       \
  R(advance, advance_count(), advance_rule_name(advance_by_number(n)))                                    \
  R(extra, extra_count(), extra_rule_name(extra_by_number(n)))                                            \
  R(government, government_count(), government_rule_name(government_by_number(n)))                        \
  R(specialist, specialist_count(), specialist_rule_name(specialist_by_number(n)))                        \
  R(policy, multiplier_count(), multiplier_rule_name(multiplier_by_number(n)))                            \
  R(sub_target_kind, NUM_ACTIONS, action_sub_target_kind_name(action_get_sub_target_kind(action_by_number(n)))) \
  R(target_kind, NUM_ACTIONS, action_target_kind_name(action_get_target_kind(action_by_number(n))))

#define NAME_OF(kind, count, name)         \
  static const char *kind##_name(int n)    \
  {                                        \
    return n < (count) ? (name) : NULL;    \
  }
RULES(NAME_OF)

#define ROW(kind, count, name) {#kind, kind##_name},
static const struct {
  const char *kind;
  const char *(*name)(int n);
} rules[] = {RULES(ROW)};
#define NRULES ((int)(sizeof(rules) / sizeof(rules[0])))

static const char *rules_word(int number)
{
  return number >= 0 && number < NRULES ? rules[number].kind : NULL;
}
const struct cw_words cw_words_rules = {"rules", rules_word};

const char *cw_rule_name(const char *kind, int number)
{
  for (int i = 0; i < NRULES && cw_space_is_mounted() && number >= 0; i++) {
    if (strcmp(rules[i].kind, kind) == 0) {
      return rules[i].name(number);
    }
  }
  return NULL;
}
