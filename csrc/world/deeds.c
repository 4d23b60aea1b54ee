/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts what players did by the messages that the server sends them. */

#include "fc_config.h"

#include <stddef.h>

#include "events.h"
#include "player.h"

#include "world/deeds.h"

static struct cw_deeds deeds[MAX_NUM_PLAYER_SLOTS];
static bool counting_now;

const struct cw_deeds *cw_deeds_of(const struct player *plr)
{
  return &deeds[player_index(plr)];
}

void cw_deeds_count(bool counting)
{
  counting_now = counting;
}

static int32_t *counter(struct cw_deeds *of, int event)
{
  switch (event) {
  case E_IMP_BUY:
  case E_UNIT_BUY:
    return &of->bought;
  case E_IMP_SOLD:
    return &of->sold;
  case E_IMP_AUCTIONED:
    return &of->auctioned;
  case E_UNIT_UPGRADED:
    return &of->upgraded;
  case E_CARAVAN_ACTION:
    return &of->caravans;
  case E_MY_DIPLOMAT_BRIBE:
  case E_MY_DIPLOMAT_INCITE:
  case E_MY_DIPLOMAT_POISON:
  case E_MY_DIPLOMAT_SABOTAGE:
  case E_MY_DIPLOMAT_THEFT:
    return &of->diplomats;
  case E_CITY_LOVE:
    return &of->celebrations;
  default:
    return NULL;
  }
}

void cw_deeds_note(const struct player *plr, int event)
{
  int32_t *count = counter(&deeds[player_index(plr)], event);
  if (counting_now && count != NULL) {
    (*count)++;
  }
}
