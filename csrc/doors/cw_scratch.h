/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory for one piece of work within a turn, which is no part of a world (freeciv_patches/0210). */
#ifndef CW_SCRATCH_H
#define CW_SCRATCH_H

#include <stddef.h>

/* Memory for an array of that many bytes whose elements carry a stamp of 16 bits: none there equals *stamp, which is
 * not 0; all else is what the last user left behind. Give it back before the engine call ends. */
void *cw_hook_scratch_take(size_t bytes, unsigned short *stamp);
void cw_hook_scratch_give(void *memory);

#endif
