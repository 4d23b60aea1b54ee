/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The room of events: what the engine tells through doors/cw_events.h, kept as records in the world's own memory. This
 * is what the driver calls. */
#ifndef CW_RECORDING_H
#define CW_RECORDING_H

#include "host/words.h"

/* Parts of a turn, in the order in which they run between two command windows. */
#define CW_STAGES(W)                                            \
  W(CW_AT_NONE, "") /* before the game: nothing is recorded */  \
  W(CW_AT_START, "start")                                       \
  W(CW_AT_END_PHASE, "end_phase")                               \
  W(CW_AT_END_TURN, "end_turn")                                 \
  W(CW_AT_BEGIN_TURN, "begin_turn")                             \
  W(CW_AT_BEGIN_PHASE, "begin_phase")                           \
  W(CW_AT_WINDOW, "window")
enum cw_events_stage { CW_STAGES(CW_WORD_NUMBER) };
/* What happens from now on belongs to this stage and shows in the command window of this turn. */
void cw_events_enter(enum cw_events_stage stage, int turn);
/* Records players whom the engine has declared winners since it was last asked. */
void cw_events_note_winners(void);

#endif
