/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readers of the engine's script signals: each takes the arguments of one. */
#ifndef CW_EVENTS_SIGNALS_H
#define CW_EVENTS_SIGNALS_H

#include <stdarg.h>

#include "events/table.h"

#define CW_READER(signal) void cw_on_##signal(va_list args);
SIGNALS(CW_READER)
#undef CW_READER

#endif
