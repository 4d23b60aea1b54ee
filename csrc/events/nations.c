/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What happens to players: winners, advances, gold, achievements, governments, their coming and going. */

#include "fc_config.h"

#include "achievements.h"
#include "city.h"
#include "game.h"
#include "government.h"
#include "nation.h"
#include "player.h"
#include "requirements.h"
#include "research.h"
#include "tech.h"
#include "unit.h"

#include "doors/cw_events.h"
#include "events/eventlog.h"
#include "events/nations.h"
#include "events/signals.h"

static struct {
  int held;    /* government number plus 1; 0 is not known yet */
  int lasting; /* the same, anarchy left out */
  bool winner;
} known[MAX_NUM_PLAYER_SLOTS];

static void note_government(const struct player *p)
{
  int now = p->government != NULL ? government_number(p->government) + 1 : 0;
  known[player_number(p)].held = now;
  if (p->government != game.government_during_revolution) {
    known[player_number(p)].lasting = now;
  }
}

void cw_nations_first_governments(void)
{
  players_iterate(p) {
    if (known[player_number(p)].held == 0) {
      note_government(p);
    }
  } players_iterate_end;
}

void cw_events_note_winners(void)
{
  players_iterate(p) {
    if (p->is_winner && !known[player_number(p)].winner) {
      known[player_number(p)].winner = true;
      cw_log_add(EV_victory, p, NULL);
    }
  } players_iterate_end;
}

/* ---- advances ------------------------------------------------------------------------------------------ */

static cw_s16 advance_cause(int player, int tech)
{
  if (cw_log_told.heir == player + 1) {
    return cw_s16_of("inherited");
  }
  if (cw_log_told.learner == player + 1 && cw_log_told.tech == tech) {
    return cw_log_told.learned_by;
  }
  return cw_s16_of(cw_log_stage() == CW_AT_START ? "start" : "granted");
}

void cw_hook_advance(const struct research *presearch, int tech, bool gained)
{
  if (tech == A_NONE) {
    return;
  }
  research_players_iterate(presearch, member) {
    struct cw_events *e = cw_log_add(gained ? EV_advance_gained : EV_advance_lost, member, NULL);
    e->number = tech == A_FUTURE ? -2 : tech;
    e->name = cw_s48_of(cw_advance_name(tech));
    if (gained) {
      e->cause = advance_cause(e->player, tech);
    }
  } research_players_iterate_end;
}

/* Comes after the advance was learned, except for traded ones. */
void cw_on_tech_researched(va_list args)
{
  const struct advance *padvance = va_arg(args, const struct advance *);
  int player = cw_player_id(va_arg(args, const struct player *));
  cw_s16 cause = cw_s16_of(va_arg(args, const char *));
  struct cw_events *e;
  if (padvance == NULL) {
    return;
  }
  e = cw_log_newest(EV_advance_gained, player, 0, advance_number(padvance));
  if (e != NULL) {
    e->cause = cause;
  } else {
    cw_log_told.learner = player + 1;
    cw_log_told.tech = advance_number(padvance);
    cw_log_told.learned_by = cause;
  }
}

/* ---- gold and achievements ----------------------------------------------------------------------------- */

void cw_hook_purchase(const struct city *pcity, int price)
{
  struct cw_events *e = cw_log_add(EV_purchase, city_owner(pcity), NULL);
  cw_log_city(e, pcity);
  e->number = price;
  e->name = cw_s48_of(universal_rule_name(&pcity->production));
  e->former = cw_s48_of(city_name_get(pcity));
}

void cw_hook_gold(const struct player *receiver, const struct player *payer, int gold, const char *cause,
                  const struct city *pcity, const struct unit *punit)
{
  struct cw_events *e;
  if (gold <= 0) {
    return;
  }
  e = cw_log_add(EV_gold_moved, receiver, payer);
  e->city = pcity != NULL ? pcity->id : 0;
  e->unit = punit != NULL ? punit->id : 0;
  e->number = gold;
  e->cause = cw_s16_of(cause);
}

void cw_on_achievement_gained(va_list args)
{
  const struct achievement *what = va_arg(args, const struct achievement *);
  struct cw_events *e = cw_log_add(EV_achievement, va_arg(args, const struct player *), NULL);
  e->number = achievement_number(what);
  e->cause = cw_s16_of(va_arg(args, int) ? "first" : "later");
  e->name = cw_s48_of(achievement_rule_name((struct achievement *)what));
}

/* ---- players ------------------------------------------------------------------------------------------- */

static cw_s48 government_text(int number)
{
  const struct government *gov = number >= 0 ? government_by_number(number) : NULL;
  return cw_s48_of(gov != NULL ? government_rule_name(gov) : "");
}

void cw_hook_government(const struct player *pplayer)
{
  int was = known[player_number(pplayer)].held - 1, lasting = known[player_number(pplayer)].lasting - 1;
  int now = government_number(pplayer->government);
  struct cw_events *e;
  note_government(pplayer);
  if (was == now) {
    return;
  }
  if (pplayer->government == game.government_during_revolution) {
    const struct government *target = pplayer->target_government;
    e = cw_log_add(EV_revolution_started, pplayer, NULL);
    e->number = target != NULL && target != pplayer->government ? government_number(target) : CW_NOBODY;
    e->name = government_text(e->number);
    e->former = government_text(was);
    return;
  }
  e = cw_log_add(now == lasting ? EV_government_restored : EV_government_changed, pplayer, NULL);
  e->number = now;
  e->name = government_text(now);
  e->former = government_text(now == lasting ? was : lasting);
}

static void put_nation(struct cw_events *e, const struct player *p)
{
  e->name = cw_s48_of(p->nation != NULL ? nation_rule_name(p->nation) : "");
}

void cw_hook_player_joined(const struct player *pplayer)
{
  put_nation(cw_log_add(EV_player_joined, pplayer, NULL), pplayer);
}

void cw_hook_player_died(const struct player *pplayer)
{
  put_nation(cw_log_add(EV_player_died, pplayer, NULL), pplayer);
}

void cw_hook_civil_war(const struct player *pplayer, const struct player *rebel)
{
  put_nation(cw_log_add(EV_civil_war, pplayer, rebel), rebel);
  note_government(rebel);
  cw_log_told.heir = player_number(rebel) + 1;
}

void cw_hook_spaceship(const struct player *pplayer)
{
  static const enum cw_event_kind kinds[] = {
    [SSHIP_NONE] = EV_spaceship_lost, [SSHIP_STARTED] = EV_spaceship_started,
    [SSHIP_LAUNCHED] = EV_spaceship_launched, [SSHIP_ARRIVED] = EV_spaceship_arrived,
  };
  cw_log_add(kinds[pplayer->spaceship.state], pplayer, NULL);
}
