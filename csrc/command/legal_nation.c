/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a nation may be ordered: research, rates, government, policies, the spaceship, treaties. */

#include "command/legal.h"

#include "diptreaty.h"
#include "effects.h"
#include "game.h"
#include "government.h"
#include "multipliers.h"
#include "player.h"
#include "research.h"
#include "spaceship.h"
#include "tech.h"

#include "diplhand.h"
#include "plrhand.h"

static void list_research(const struct player *plr)
{
  const struct research *r = research_get(plr);
  advance_iterate(A_FIRST, tech) {
    Tech_type_id id = advance_number(tech);
    enum tech_state state = research_invention_state(r, id);
    if (state == TECH_PREREQS_KNOWN && r->researching != id) {
      cw_legal_put(CW_ORDER_RESEARCH, 0, 0)->what = id;
    }
    if (state != TECH_KNOWN && r->tech_goal != id && research_invention_reachable(r, id)) {
      cw_legal_put(CW_ORDER_GOAL, 0, 0)->what = id;
    }
  } advance_iterate_end;
}

static void list_rates(const struct player *plr)
{
  int highest = CLIP(0, get_player_bonus(plr, EFT_MAX_RATES), 100);
  if (highest == 0) {
    return;
  }
  for (int tax = 0; tax <= highest; tax += 10) {
    for (int luxury = 0; luxury <= highest && tax + luxury <= 100; luxury += 10) {
      if (100 - tax - luxury <= highest && (tax != plr->economic.tax || luxury != plr->economic.luxury)) {
        struct cw_legal *row = cw_legal_put(CW_ORDER_RATES, 0, 0);
        row->what = tax;
        row->target = luxury;
        row->sub = 100 - tax - luxury;
      }
    }
  }
}

static void list_state(struct player *plr)
{
  governments_iterate(gov) {
    if (gov != plr->government && !(gov == plr->target_government && plr->revolution_finishes > 0)
        && gov != game.government_during_revolution && can_change_to_government(plr, gov)) {
      cw_legal_put(CW_ORDER_GOVERNMENT, 0, 0)->what = government_number(gov);
    }
  } governments_iterate_end;
  multipliers_iterate(m) {
    int now = plr->multipliers[multiplier_index(m)].target;
    if (!multiplier_can_be_changed(m, plr)) {
      continue;
    }
    for (int value = m->start; value <= m->stop; value += m->step) {
      if (value != now) {
        struct cw_legal *row = cw_legal_put(CW_ORDER_POLICY, 0, 0);
        row->what = multiplier_index(m);
        row->target = value;
      }
    }
  } multipliers_iterate_end;
  if (plr->spaceship.state == SSHIP_STARTED && plr->spaceship.success_rate > 0.0
      && player_primary_capital(plr) != NULL) {
    cw_legal_put(CW_ORDER_SPACESHIP_LAUNCH, 0, 0);
  }
}

static void put_proposal(int other, enum clause_type type, int giver)
{
  struct cw_legal *row;
  if (!clause_enabled(type)) {
    return;
  }
  row = cw_legal_put(CW_ORDER_PROPOSE, other, 0);
  row->what = type;
  row->target = giver;
  row->low = 0; /* the other side decides */
}

static void list_proposals(struct player *plr, struct player *other)
{
  enum diplstate_type state = player_diplstate_get(plr, other)->type;
  int me = player_number(plr), you = player_number(other);
  if (state == DS_WAR) {
    put_proposal(you, CLAUSE_CEASEFIRE, me);
  }
  if (state == DS_WAR || state == DS_CEASEFIRE) {
    put_proposal(you, CLAUSE_PEACE, me);
  }
  if (state != DS_ALLIANCE && pplayer_can_make_treaty(plr, other, DS_ALLIANCE) == DIPL_OK) {
    put_proposal(you, CLAUSE_ALLIANCE, me);
  }
  if (!player_has_real_embassy(other, plr)) {
    put_proposal(you, CLAUSE_EMBASSY, me);
  }
  if (!player_has_real_embassy(plr, other)) {
    put_proposal(you, CLAUSE_EMBASSY, you);
  }
  put_proposal(you, CLAUSE_MAP, me);
  put_proposal(you, CLAUSE_MAP, you);
  if (!gives_shared_vision(plr, other)) {
    put_proposal(you, CLAUSE_VISION, me);
  }
}

static void list_diplomacy(struct player *plr)
{
  players_iterate_alive(other) {
    struct Treaty *treaty;
    int id = player_number(other);
    if (other == plr || is_barbarian(other) || player_diplstate_get(plr, other)->type == DS_NO_CONTACT) {
      continue;
    }
    treaty = find_treaty(plr, other);
    if (treaty != NULL) {
      if (!(treaty->plr0 == plr ? treaty->accept0 : treaty->accept1)) {
        cw_legal_put(CW_ORDER_ACCEPT_TREATY, id, 0);
      }
      cw_legal_put(CW_ORDER_CANCEL_TREATY, id, 0);
    } else if (could_meet_with_player(plr, other) && get_player_bonus(plr, EFT_NO_DIPLOMACY) <= 0) {
      list_proposals(plr, other);
    }
    if (pplayer_can_cancel_treaty(plr, other) == DIPL_OK) {
      cw_legal_put(CW_ORDER_CANCEL_PACT, id, 0);
    }
    if (gives_shared_vision(plr, other) && !players_on_same_team(plr, other)) {
      cw_legal_put(CW_ORDER_END_VISION, id, 0);
    }
  } players_iterate_alive_end;
}

void cw_legal_nation(struct player *plr)
{
  list_research(plr);
  list_rates(plr);
  list_state(plr);
  list_diplomacy(plr);
}
