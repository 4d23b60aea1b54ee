/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "canonical.h"
void cw_canonical_script(struct cw_writer *w) { (void)w; }
