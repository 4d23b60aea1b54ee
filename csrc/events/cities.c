/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What happens to cities and units. */

#include "fc_config.h"

#include <string.h>

#include "city.h"
#include "disaster.h"
#include "improvement.h"
#include "player.h"
#include "unit.h"

#include "doors/cw_events.h"
#include "events/eventlog.h"
#include "events/signals.h"

/* ---- cities -------------------------------------------------------------------------------------------- */

void cw_hook_city_founded(const struct city *pcity, const struct player *owner)
{
  struct cw_events *e = cw_log_add(EV_city_founded, owner, NULL);
  cw_log_city(e, pcity);
  e->name = cw_s48_of(city_name_get(pcity));
}

void cw_hook_conquest(const struct city *pcity)
{
  cw_log_told.conquered = pcity->id;
}

void cw_hook_city_transfer(const struct city *pcity, const struct player *giver, const struct player *taker)
{
  bool conquest = cw_log_told.conquered == pcity->id;
  struct cw_events *e = cw_log_add(conquest ? EV_city_captured : EV_city_transferred, taker, giver);
  cw_log_lost_city(e, pcity);
  e->cause = cw_s16_of(conquest ? "conquest" : "other");
  cw_log_told.conquered = 0;
}

void cw_hook_city_removed(const struct city *pcity, const struct player *owner)
{
  struct cw_events *e = cw_log_add(EV_city_destroyed, owner, NULL);
  cw_log_lost_city(e, pcity);
  if (cw_log_told.doomed == pcity->id && cw_log_told.destroyer != CW_NOBODY) {
    e->other = cw_log_told.destroyer;
    e->cause = cw_s16_of("conquest");
  } else {
    e->cause = cw_s16_of(owner->is_alive ? "abandoned" : "owner_died");
  }
  cw_log_told.doomed = 0;
}

void cw_on_city_destroyed(va_list args)
{
  const struct city *pcity = va_arg(args, const struct city *);
  (void)va_arg(args, const struct player *);
  cw_log_told.doomed = pcity->id;
  cw_log_told.destroyer = cw_player_id(va_arg(args, const struct player *));
}

/* The engine's reason for a transfer -> ours. */
static const char *transfer_cause(const char *reason)
{
  static const char *const names[][2] = {
    {"trade", "treaty"}, {"incited", "incited"}, {"civil_war", "civil_war"},
    {"death-back_to_original", "original_owner"}, {"death-barbarians_get", "barbarians"},
  };
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    if (strcmp(reason, names[i][0]) == 0) {
      return names[i][1];
    }
  }
  return "other";
}

void cw_on_city_transferred(va_list args)
{
  const struct city *pcity = va_arg(args, const struct city *);
  struct cw_events *e;
  (void)va_arg(args, const struct player *);
  e = cw_log_newest(EV_city_transferred, cw_player_id(va_arg(args, const struct player *)), pcity->id, CW_NOBODY);
  if (e != NULL) {
    e->cause = cw_s16_of(transfer_cause(va_arg(args, const char *)));
  }
}

/* ---- buildings and disasters --------------------------------------------------------------------------- */

static struct cw_events *add_wonder(enum cw_event_kind kind, const struct city *pcity, const struct impr_type *wonder)
{
  struct cw_events *e = cw_log_add(kind, city_owner(pcity), NULL);
  cw_log_city(e, pcity);
  e->number = improvement_number(wonder);
  e->name = cw_s48_of(improvement_rule_name(wonder));
  return e;
}

void cw_on_building_built(va_list args)
{
  const struct impr_type *building = va_arg(args, const struct impr_type *);
  const struct city *pcity = va_arg(args, const struct city *);
  if (is_great_wonder(building)) {
    add_wonder(EV_wonder_built, pcity, building);
  }
}

void cw_on_building_lost(va_list args)
{
  const struct city *pcity = va_arg(args, const struct city *);
  const struct impr_type *building = va_arg(args, const struct impr_type *);
  if (is_great_wonder(building)) {
    add_wonder(EV_wonder_lost, pcity, building)->cause = cw_s16_of(va_arg(args, const char *));
  }
}

void cw_on_disaster_occurred(va_list args)
{
  const struct disaster_type *what = va_arg(args, const struct disaster_type *);
  const struct city *pcity = va_arg(args, const struct city *);
  struct cw_events *e = cw_log_add(EV_disaster, pcity != NULL ? city_owner(pcity) : NULL, NULL);
  e->number = disaster_number(what);
  e->name = cw_s48_of(disaster_rule_name((struct disaster_type *)what));
  if (pcity != NULL) {
    cw_log_city(e, pcity);
    e->former = cw_s48_of(city_name_get(pcity));
  }
}

/* ---- units --------------------------------------------------------------------------------------------- */

void cw_hook_killer(const struct player *killer)
{
  cw_log_told.killer = cw_player_id(killer) + 1;
}

void cw_hook_unit_lost(const struct unit *punit, const char *reason)
{
  struct cw_events *e = cw_log_add(EV_unit_lost, unit_owner(punit), NULL);
  cw_log_unit(e, punit);
  e->other = cw_log_told.killer - 1;
  e->cause = cw_s16_of(reason);
  cw_log_told.killer = 0;
}

void cw_hook_unit_transfer(const struct unit *punit, const struct player *from, const struct player *to)
{
  cw_log_unit(cw_log_add(EV_unit_transferred, to, from), punit);
}

void cw_hook_hut(const struct unit *punit, const char *hut, bool frightened)
{
  struct cw_events *e = cw_log_add(EV_hut_entered, unit_owner(punit), NULL);
  cw_log_unit(e, punit);
  e->number = CW_NOBODY;
  e->cause = cw_s16_of(frightened ? "frightened" : "entered");
  e->name = cw_s48_of(hut);
}
