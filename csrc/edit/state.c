/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Edits of how a player's country is run: government, tax rates, and its end. */

#include "fc_config.h"

#include "effects.h"
#include "game.h"
#include "government.h"
#include "player.h"
#include "research.h"

#include "cityturn.h"
#include "hand_gen.h"
#include "plrhand.h"
#include "techtools.h"

#include "doors/cw_events.h"
#include "edit/edit.h"
#include "host/host.h"
#include "world/hold.h"

/* What follows from another government, as the engine does it when a revolution begins. */
static void follow_government(struct player *pplayer)
{
  check_player_max_rates(pplayer);
  city_refresh_for_player(pplayer);
  research_update(research_get(pplayer));
  send_player_info_c(pplayer, NULL);
}

static int check_government(struct player *pplayer, const struct government *gov, const char *name, bool sticky)
{
  bool there = pplayer->government == gov && pplayer->target_government == NULL;
  if (gov == NULL || gov == game.government_during_revolution) {
    return cw_error(CW_EARGUMENT, "edit 'set_government': '%s' is no government to choose", name);
  }
  if ((there || pplayer->target_government == gov) && cw_held_government(pplayer) == sticky) {
    return cw_error(CW_REFUSED, "edit 'set_government': player %d has or awaits %s already", player_number(pplayer),
                    name);
  }
  if (!there && !can_change_to_government(pplayer, gov)) {
    return cw_error(CW_REFUSED, "edit 'set_government': player %d does not meet the requirements of %s",
                    player_number(pplayer), name);
  }
  return CW_OK;
}

int cw_edit_set_government(int player, const char *name, int anarchy, int sticky)
{
  struct player *pplayer;
  struct government *gov;
  int status, turns;
  CW_GUARD_BEGIN;
  status = cw_edit_find_player("set_government", player, &pplayer);
  gov = status == CW_OK ? government_by_rule_name(name) : NULL;
  if (status == CW_OK) {
    status = check_government(pplayer, gov, name, sticky != 0);
  }
  if (status != CW_OK) {
    CW_GUARD_END(status);
  }
  if (pplayer->government != gov) {
    if (anarchy) {
      turns = MAX(1, revolution_length(gov, pplayer));
      if (pplayer->government != game.government_during_revolution) {
        pplayer->government = game.government_during_revolution;
        pplayer->revolution_finishes = game.info.turn + turns;
      }
      pplayer->target_government = gov;
      cw_hook_government(pplayer);
      follow_government(pplayer);
    } else {
      pplayer->revolution_finishes = -1;
      government_change(pplayer, gov, FALSE);
    }
  }
  cw_hold_government(pplayer, sticky != 0);
  cw_edit_settle();
  CW_GUARD_END(CW_OK);
}

int cw_edit_set_rates(int player, int tax, int luxury, int science, int sticky)
{
  struct player *pplayer;
  const struct player_economic *now;
  int status, most;
  CW_GUARD_BEGIN;
  status = cw_edit_find_player("set_rates", player, &pplayer);
  if (status != CW_OK) {
    CW_GUARD_END(status);
  }
  if (tax < 0 || luxury < 0 || science < 0 || tax + luxury + science != 100) {
    CW_GUARD_END(cw_error(CW_EARGUMENT, "edit 'set_rates': %d/%d/%d (three rates from 0, together 100)", tax, luxury,
                          science));
  }
  now = &pplayer->economic;
  if (now->tax == tax && now->luxury == luxury && now->science == science
      && cw_held_rates(pplayer) == (sticky != 0)) {
    CW_GUARD_END(cw_error(CW_REFUSED, "edit 'set_rates': player %d has %d/%d/%d already", player, tax, luxury,
                          science));
  }
  most = CLIP(34, get_player_bonus(pplayer, EFT_MAX_RATES), 100);
  if (!game.info.changable_tax || tax > most || luxury > most || science > most) {
    CW_GUARD_END(cw_error(CW_REFUSED, "edit 'set_rates': %d/%d/%d for player %d (%s, highest rate %d)", tax, luxury,
                          science, player, government_rule_name(pplayer->government),
                          game.info.changable_tax ? most : 0));
  }
  handle_player_rates(pplayer, tax, luxury, science);
  cw_hold_rates(pplayer, sticky != 0);
  cw_edit_settle();
  CW_GUARD_END(CW_OK);
}

int cw_edit_kill_player(int player)
{
  struct player *pplayer;
  int status;
  CW_GUARD_BEGIN;
  status = cw_edit_find_player("kill_player", player, &pplayer);
  if (status != CW_OK) {
    CW_GUARD_END(status);
  }
  if (is_barbarian(pplayer)) {
    CW_GUARD_END(cw_error(CW_REFUSED, "edit 'kill_player': player %d are barbarians", player));
  }
  kill_player(pplayer);
  cw_edit_settle();
  CW_GUARD_END(CW_OK);
}
