/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the keyed generator starts afresh: the stages of a turn, named by patch 0100. */
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
  CW_STAGE_END_TURN
};

/* From here on, draws depend on the seed, the turn, the stage and the subject alone (in keyed mode). */
void cw_hook_key(enum cw_stage stage, int subject);

#endif
