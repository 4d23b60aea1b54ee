/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keyed randomness: every draw has an address, so one draw more or less moves no other.
 *
 * The address of a draw is (seed, turn, stage, subject, function, n): where the turn is, what is being decided about
 * (a city's or a unit's tile, a pair of players), the engine function that draws, and how many draws of this turn
 * had the same address before. The value is splitmix64's output function of the hashed address plus
 * n * 0x9e3779b97f4a7c15 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators"); addresses
 * are hashed by the same function. Subjects are places rather than ids, since ids shift between worlds that once
 * differed. The state below is part of the world. */

#include "fc_config.h"

#include <string.h>

#include "rand.h"

#include "city.h"
#include "game.h"
#include "tile.h"

#include "doors/cw_keys.h"
#include "world/keyed.h"

#define GOLDEN 0x9e3779b97f4a7c15u
#define FNV_START 0xcbf29ce484222325u
#define FNV_PRIME 0x100000001b3u

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

unsigned int cw_hook_rand(const char *function)
{
  uint64_t name = FNV_START, address;
  uint32_t n;
  while (*function != '\0') {
    name = (name ^ (unsigned char)*function++) * FNV_PRIME;
  }
  address = mix(keyed.key ^ name);
  keyed.count++;
  /* Addresses that share a counter skip numbers of each other, which repeats none. */
  n = ++keyed.drawn[address % CW_DRAW_COUNTERS];
  return (unsigned int)(mix(address + n * GOLDEN) >> 32);
}

static uint64_t key_of(enum cw_stage stage, int subject, int second)
{
  uint64_t moment = mix(keyed.seed + GOLDEN) ^ (uint64_t)game.info.turn << 32 ^ (uint64_t)stage;
  return mix(mix(moment) ^ (uint64_t)(uint32_t)second << 32 ^ (uint32_t)subject);
}

void cw_hook_key2(enum cw_stage stage, int subject, int second)
{
  if (!keyed.on) {
    return;
  }
  if (keyed.turn != game.info.turn) {
    keyed.turn = game.info.turn;
    memset(keyed.drawn, 0, sizeof(keyed.drawn));
  }
  keyed.key = key_of(stage, subject, second);
}

void cw_hook_key(enum cw_stage stage, int subject)
{
  cw_hook_key2(stage, subject, 0);
}

uint64_t cw_keyed_enter_order(int player)
{
  uint64_t key = keyed.key;
  if (keyed.on) { /* not a new turn: a refused order must change nothing */
    keyed.key = key_of(CW_STAGE_PLAYER_ORDER, player, 0);
  }
  return key;
}

void cw_keyed_leave_order(uint64_t key)
{
  keyed.key = key;
}

int cw_hook_pick_city(struct city *const *cities, int n)
{
  uint64_t least = UINT64_MAX;
  int i, found = 0;
  if (!keyed.on) {
    return (int)fc_rand(n);
  }
  for (i = 0; i < n; i++) {
    uint64_t place = key_of(CW_STAGE_CITY_ORDER, tile_index(city_tile(cities[i])), 0);
    if (place < least) {
      least = place;
      found = i;
    }
  }
  return found;
}

void cw_keyed_start(uint64_t seed)
{
  keyed.on = true;
  cw_keyed_seed(seed);
}

void cw_keyed_stop(void)
{
  memset(&keyed, 0, sizeof(keyed));
}

void cw_keyed_seed(uint64_t seed)
{
  keyed.seed = seed;
  memset(keyed.drawn, 0, sizeof(keyed.drawn));
  cw_hook_key(CW_STAGE_START, 0);
}

const struct cw_keyed *cw_keyed_state(void)
{
  return &keyed;
}

uint64_t cw_keyed_drawn(void)
{
  uint64_t hash = 0;
  int i;
  for (i = 0; i < CW_DRAW_COUNTERS; i++) {
    hash = mix(hash + keyed.drawn[i] + GOLDEN);
  }
  return hash;
}
