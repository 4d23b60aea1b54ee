/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What differs from the stock engine in a world; the 01xx patches ask through cw_hook_behaviour (doors.h). */
#ifndef CW_BEHAVIOUR_H
#define CW_BEHAVIOUR_H

#include <stdint.h>

/* The behaviours that are on, one bit each in the order of enum cw_behaviour; for the canonical bytes. */
uint32_t cw_behaviour_mask(void);
/* Gives the players the traits that cw_world_trait set; once they have their nations, before they act. */
void cw_behaviour_start(void);

#endif
