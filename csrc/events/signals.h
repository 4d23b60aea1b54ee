/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readers of the engine's script signals: each takes the arguments of one (common/scriptcore/api_signal_base.c). */
#ifndef CW_EVENTS_SIGNALS_H
#define CW_EVENTS_SIGNALS_H

#include <stdarg.h>

void cw_on_city_destroyed(va_list args);
void cw_on_city_transferred(va_list args);
void cw_on_building_built(va_list args);
void cw_on_building_lost(va_list args);
void cw_on_disaster(va_list args);
void cw_on_tech_researched(va_list args);
void cw_on_achievement(va_list args);

#endif
