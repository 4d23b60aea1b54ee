/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The room of events: what the engine tells through doors/cw_events.h, kept as records in the world's own memory. This
 * is what the driver calls. */
#ifndef CW_RECORDING_H
#define CW_RECORDING_H

/* Parts of a turn, in the order in which they run between two command windows. */
enum cw_events_stage {
  CW_AT_NONE, /* before the game: nothing is recorded */
  CW_AT_START,
  CW_AT_END_PHASE,
  CW_AT_END_TURN,
  CW_AT_BEGIN_TURN,
  CW_AT_BEGIN_PHASE,
  CW_AT_WINDOW,
};
/* What happens from now on belongs to this stage and shows in the command window of this turn. */
void cw_events_enter(enum cw_events_stage stage, int turn);
/* Records players whom the engine has declared winners since it was last asked. */
void cw_events_note_winners(void);

#endif
