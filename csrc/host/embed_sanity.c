/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The engine's own checks of its state. A release build of it leaves them out; here they are compiled, but run only
 * when asked, so that turns take no longer. A failed check repairs what it can: run them on a fork. */

#include "fc_config.h"

#define SANITY_CHECKING
#include "../server/sanitycheck.c"

#include "host/host.h"

int cw_world_sanity(void)
{
  CW_GUARD_BEGIN;
  if (!cw_space_is_mounted() || !game_was_started()) {
    CW_GUARD_END(cw_error(CW_ELIFECYCLE, "no started world is mounted"));
  }
  real_sanity_check(__FILE__, __func__, __LINE__);
  CW_GUARD_END(CW_OK);
}
