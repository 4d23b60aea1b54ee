/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the keyed generator starts afresh: the stages of a turn, named by patches 0100 and 0110. */
#ifndef CW_KEYS_H
#define CW_KEYS_H

/* The order is part of every keyed world: append, never insert. */
enum cw_stage {
  CW_STAGE_START,
  CW_STAGE_BEGIN_TURN,
  CW_STAGE_RETIRE,
  CW_STAGE_SHUFFLE,
  CW_STAGE_ADVISOR,
  CW_STAGE_ACTIVITIES,
  CW_STAGE_ORDERS,
  CW_STAGE_REVOLUTION,
  CW_STAGE_DIPLOMACY,
  CW_STAGE_AI,
  CW_STAGE_RESEARCH,
  CW_STAGE_AI_END,
  CW_STAGE_CITIES,
  CW_STAGE_CITY_ORDER,
  CW_STAGE_CITY,
  CW_STAGE_CITIES_DONE,
  CW_STAGE_PHASE_END,
  CW_STAGE_BARBARIANS,
  CW_STAGE_MIGRATION,
  CW_STAGE_DISASTERS,
  CW_STAGE_ACHIEVEMENTS,
  CW_STAGE_CLIMATE,
  CW_STAGE_EXTRA_GOES,
  CW_STAGE_EXTRA_COMES,
  CW_STAGE_END_TURN,
  CW_STAGE_CITY_LEAVES,
  CW_STAGE_CITY_PLANS,
  CW_STAGE_UNIT,
  CW_STAGE_UNIT_WORKS,
  CW_STAGE_ATTACK,
  CW_STAGE_HUT,
  CW_STAGE_CONTACT,
  CW_STAGE_TALK,
  CW_STAGE_PLAYER_ORDER
};

struct city;

/* From here on, draws depend on the seed, the turn, the stage, the subject and the function that draws (in keyed
 * mode). Subjects are things that stay what they are: tiles, player numbers, types; never ids. */
void cw_hook_key(enum cw_stage stage, int subject);
/* The same for a pair of subjects. */
void cw_hook_key2(enum cw_stage stage, int subject, int second);
/* Which of n cities is next in this turn's random order: a draw, or in keyed mode by the cities' own places. */
int cw_hook_pick_city(struct city *const *cities, int n);

#endif
