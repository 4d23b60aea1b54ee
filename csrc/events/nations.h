/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the log remembers of each player. */
#ifndef CW_EVENTS_NATIONS_H
#define CW_EVENTS_NATIONS_H

/* Takes note of the governments of players that it has not seen yet. */
void cw_nations_first_governments(void);

#endif
