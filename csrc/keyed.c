/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keyed randomness: a counter-based generator whose key is set at fixed points of the turn.
 *
 * Draw number n under a key is splitmix64's output function of key + n * 0x9e3779b97f4a7c15 (Steele, Lea and
 * Flood 2014, "Fast splittable pseudorandom number generators"); keys are made by the same function from seed,
 * turn, stage and subject. The state below is part of the world. */

#include "fc_config.h"

#include "game.h"

#include "cw_keys.h"
#include "keyed.h"

#define GOLDEN 0x9e3779b97f4a7c15u

static struct cw_keyed keyed;

static uint64_t mix(uint64_t z)
{
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

bool cw_hook_rand_keyed(void)
{
  return keyed.on;
}

unsigned int cw_hook_rand(void)
{
  keyed.count++;
  return (unsigned int)(mix(keyed.key + keyed.count * GOLDEN) >> 32);
}

void cw_hook_key(enum cw_stage stage, int subject)
{
  if (!keyed.on) {
    return;
  }
  keyed.key = mix(mix(keyed.seed + GOLDEN) ^ (uint64_t)game.info.turn << 40 ^ (uint64_t)stage << 32
                  ^ (uint32_t)subject);
  keyed.count = 0;
}

void cw_keyed_start(uint64_t seed)
{
  keyed.on = true;
  cw_keyed_seed(seed);
}

void cw_keyed_seed(uint64_t seed)
{
  keyed.seed = seed;
  cw_hook_key(CW_STAGE_START, 0);
}

const struct cw_keyed *cw_keyed_state(void)
{
  return &keyed;
}
