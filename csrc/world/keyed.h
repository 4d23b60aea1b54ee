/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keyed generator's state and switches; patches 0100 and 0110 call its hooks. */
#ifndef CW_KEYED_H
#define CW_KEYED_H

#include <stdbool.h>
#include <stdint.h>

#define CW_DRAW_COUNTERS 4096

struct cw_keyed {
  bool on;
  int32_t turn; /* of the counters */
  uint64_t seed, key, count; /* count: of all draws */
  uint32_t drawn[CW_DRAW_COUNTERS]; /* draws of this turn, by hash of their address */
};

/* Whether draws are keyed in this world. */
bool cw_hook_rand_keyed(void);
/* The next 32 random bits for an engine function under the current key. */
unsigned int cw_hook_rand(const char *function);
/* Turns keyed mode on for this world. */
void cw_keyed_start(uint64_t seed);
/* Turns it off and forgets its state: the engine's own generator draws from now on. */
void cw_keyed_stop(void);
/* Another seed: another future. */
void cw_keyed_seed(uint64_t seed);
/* Keys the draws of an order that a player gives in the command window; the key to go back to afterwards. */
uint64_t cw_keyed_enter_order(int player);
void cw_keyed_leave_order(uint64_t key);
/* The state, for the canonical bytes. */
const struct cw_keyed *cw_keyed_state(void);
/* A hash of the counters, for the same. */
uint64_t cw_keyed_drawn(void);

#endif
