/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Diplomacy: treaties of any clauses, their acceptance, and the end of pacts. */

#include "command/command.h"

#include <stdio.h>
#include <string.h>

#include "city.h"
#include "diptreaty.h"
#include "effects.h"
#include "game.h"
#include "player.h"
#include "research.h"
#include "tech.h"

#include "diplhand.h"
#include "hand_gen.h"
#include "plrhand.h"

#define MAX_CLAUSES 20

/* The other side of a negotiation, NULL with the refusal set when there can be none. */
static struct player *other_side(const struct cw_order *o)
{
  struct player *other = player_by_number(o->arg[0]);
  if (other == NULL || other == o->plr || !other->is_alive || is_barbarian(other)
      || player_diplstate_get(o->plr, other)->type == DS_NO_CONTACT) {
    cw_refuse("player %d has no contact with a player %d", player_number(o->plr), o->arg[0]);
    return NULL;
  }
  return other;
}

/* Whether both have accepted, before the treaty is gone. */
static bool has_accepted(const struct Treaty *t, const struct player *p)
{
  return t->plr0 == p ? t->accept0 : t->accept1;
}

/* Puts the number of an advance in place of its line in the order's text. */
static int name_advance(const struct cw_order *o, int32_t *clause)
{
  const char *at = o->text;
  char name[MAX_LEN_NAME];
  struct advance *advance;
  for (int line = clause[2]; line > 0 && strchr(at, '\n') != NULL; line--) {
    at = strchr(at, '\n') + 1;
  }
  snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, "\n"), at);
  advance = advance_by_rule_name(name);
  if (advance == NULL || advance_number(advance) == A_NONE) {
    return cw_unknown("advance", name);
  }
  clause[2] = advance_number(advance);
  return CW_OK;
}

/* What the giver could not keep, as far as the rules forbid it outright. */
static int check_clause(const struct cw_order *o, const struct player *other, int32_t *clause)
{
  const struct player *giver = clause[0] == player_number(other) ? other : o->plr;
  const struct player *taker = giver == other ? o->plr : other;
  const struct city *c;
  enum diplstate_type state = player_diplstate_get(o->plr, other)->type;
  int value = clause[2];
  if (clause[0] != player_number(other) && clause[0] != player_number(o->plr)) {
    return cw_refuse("player %d is not a side of this treaty", clause[0]);
  }
  if (!clause_type_is_valid((enum clause_type)clause[1])) {
    return cw_error(CW_EARGUMENT, "clause type %d does not exist", clause[1]);
  }
  switch ((enum clause_type)clause[1]) {
  case CLAUSE_GOLD:
    return value > 0 ? CW_OK : cw_refuse("a clause of %d gold is none", value);
  case CLAUSE_ADVANCE:
    if (name_advance(o, clause) != CW_OK) {
      return CW_EARGUMENT;
    }
    if (giver == o->plr && research_invention_state(research_get(giver), clause[2]) != TECH_KNOWN) {
      return cw_refuse("player %d does not know this advance", clause[0]);
    }
    return CW_OK;
  case CLAUSE_CITY:
    c = cw_known_city(o->plr, value);
    return c != NULL && city_owner(c) == giver && !is_capital(c)
               ? CW_OK : cw_refuse("city %d is not player %d's to give away", value, clause[0]);
  case CLAUSE_EMBASSY:
    return player_has_real_embassy(taker, giver) ? cw_refuse("there is an embassy already") : CW_OK;
  case CLAUSE_CEASEFIRE:
    return state == DS_WAR ? CW_OK : cw_refuse("a ceasefire ends a war; there is none");
  case CLAUSE_PEACE:
    return state == DS_PEACE || state == DS_ARMISTICE ? cw_refuse("there is peace already") : CW_OK;
  case CLAUSE_ALLIANCE:
    return state == DS_ALLIANCE ? cw_refuse("there is an alliance already") : CW_OK;
  case CLAUSE_VISION:
    return gives_shared_vision(giver, taker) ? cw_refuse("vision is shared already") : CW_OK;
  default:
    return CW_OK;
  }
}

/* Both sides have said yes: whether the treaty was carried out, or fell through on the way. */
static int concluded(const struct cw_order *o, const struct player *other)
{
  o->out->result = find_treaty(o->plr, player_by_number(player_number(other))) == NULL ? CW_RESULT_AGREED
                                                                                     : CW_RESULT_PROPOSED;
  return CW_OK;
}

/* other player, then (giver, clause type, value) for each clause. A human counterpart answers later; the built-in AI
 * answers at once, by its own judgement. */
static int propose(const struct cw_order *o)
{
  struct player *other = other_side(o);
  struct Treaty *treaty;
  int32_t clauses[MAX_CLAUSES][3];
  int n = (o->nargs - 1) / 3, status;
  if (other == NULL) {
    return CW_REFUSED;
  }
  if (n < 1 || n > MAX_CLAUSES || o->nargs != 1 + 3 * n) {
    return cw_error(CW_EARGUMENT, "a treaty has 1 to %d clauses of three numbers", MAX_CLAUSES);
  }
  memcpy(clauses, o->arg + 1, sizeof(clauses[0]) * (size_t)n);
  if (find_treaty(o->plr, other) != NULL) {
    return cw_refuse("players %d and %d are negotiating already: accept or cancel that first",
                     player_number(o->plr), o->arg[0]);
  }
  for (int i = 0; i < n; i++) {
    status = check_clause(o, other, clauses[i]);
    if (status != CW_OK) {
      return status;
    }
  }
  handle_diplomacy_init_meeting_req(o->plr, o->arg[0]);
  treaty = find_treaty(o->plr, other);
  if (treaty == NULL) {
    return cw_refuse("players %d and %d cannot meet", player_number(o->plr), o->arg[0]);
  }
  for (int i = 0; i < n; i++) {
    handle_diplomacy_create_clause_req(o->plr, o->arg[0], clauses[i][0], (enum clause_type)clauses[i][1],
                                       clauses[i][2]);
  }
  treaty = find_treaty(o->plr, other);
  if (treaty == NULL || clause_list_size(treaty->clauses) != n || (is_ai(other) && !has_accepted(treaty, other))) {
    handle_diplomacy_cancel_meeting_req(o->plr, o->arg[0]);
    o->out->result = CW_RESULT_DECLINED;
    return CW_OK;
  }
  handle_diplomacy_accept_treaty_req(o->plr, o->arg[0]);
  treaty = find_treaty(o->plr, other);
  if (treaty != NULL && !has_accepted(treaty, o->plr)) {
    handle_diplomacy_cancel_meeting_req(o->plr, o->arg[0]);
    o->out->result = CW_RESULT_DECLINED;
    return CW_OK;
  }
  return concluded(o, other);
}

/* other player: say yes to the treaty on the table. */
static int accept_treaty(const struct cw_order *o)
{
  struct player *other = other_side(o);
  struct Treaty *treaty = other != NULL ? find_treaty(o->plr, other) : NULL;
  if (other == NULL) {
    return CW_REFUSED;
  }
  if (treaty == NULL || has_accepted(treaty, o->plr)) {
    return cw_refuse("player %d has no treaty with player %d to accept", player_number(o->plr), o->arg[0]);
  }
  handle_diplomacy_accept_treaty_req(o->plr, o->arg[0]);
  treaty = find_treaty(o->plr, other);
  if (treaty != NULL && !has_accepted(treaty, o->plr)) {
    return cw_refuse("player %d cannot keep what the treaty promises", player_number(o->plr));
  }
  return concluded(o, other);
}

/* other player: the treaty on the table is off. */
static int cancel_treaty(const struct cw_order *o)
{
  struct player *other = other_side(o);
  if (other == NULL) {
    return CW_REFUSED;
  }
  if (find_treaty(o->plr, other) == NULL) {
    return cw_refuse("players %d and %d are not negotiating", player_number(o->plr), o->arg[0]);
  }
  handle_diplomacy_cancel_meeting_req(o->plr, o->arg[0]);
  return CW_OK;
}

/* other player: one step down from what holds between the two, to war in the end. */
static int cancel_pact(const struct cw_order *o)
{
  struct player *other = other_side(o);
  enum diplstate_type before;
  if (other == NULL) {
    return CW_REFUSED;
  }
  before = player_diplstate_get(o->plr, other)->type;
  handle_diplomacy_cancel_pact(o->plr, o->arg[0], CLAUSE_PEACE);
  if (player_diplstate_get(o->plr, other)->type == before) {
    return cw_refuse("player %d cannot cancel what holds with player %d", player_number(o->plr), o->arg[0]);
  }
  o->out->value = player_diplstate_get(o->plr, other)->type;
  return CW_OK;
}

/* other player: no longer share vision with them. */
static int end_vision(const struct cw_order *o)
{
  struct player *other = other_side(o);
  if (other == NULL) {
    return CW_REFUSED;
  }
  if (!gives_shared_vision(o->plr, other) || players_on_same_team(o->plr, other)) {
    return cw_refuse("player %d shares no vision with player %d", player_number(o->plr), o->arg[0]);
  }
  handle_diplomacy_cancel_pact(o->plr, o->arg[0], CLAUSE_VISION);
  return CW_OK;
}

const struct cw_command cw_treaty_commands[] = {
  {"propose", 4, 1 + 3 * MAX_CLAUSES, propose},
  {"accept_treaty", 1, 1, accept_treaty},
  {"cancel_treaty", 1, 1, cancel_treaty},
  {"cancel_pact", 1, 1, cancel_pact},
  {"end_vision", 1, 1, end_vision},
  {NULL, 0, 0, NULL},
};
