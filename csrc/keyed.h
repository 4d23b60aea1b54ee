/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keyed generator's state and switches; patch 0100 calls its hooks. */
#ifndef CW_KEYED_H
#define CW_KEYED_H

#include <stdbool.h>
#include <stdint.h>

struct cw_keyed {
  bool on;
  uint64_t seed, key, count;
};

/* Whether draws are keyed in this world. */
bool cw_hook_rand_keyed(void);
/* The next 32 random bits under the current key. */
unsigned int cw_hook_rand(void);
/* Turns keyed mode on for this world. */
void cw_keyed_start(uint64_t seed);
/* Another seed: another future. */
void cw_keyed_seed(uint64_t seed);
/* The state, for the canonical bytes. */
const struct cw_keyed *cw_keyed_state(void);

#endif
