/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Orders about the nation as a whole: research, rates, government, policies, spaceship. */

#include "command/command.h"

#include "effects.h"
#include "game.h"
#include "government.h"
#include "multipliers.h"
#include "player.h"
#include "research.h"
#include "spaceship.h"
#include "tech.h"

#include "hand_gen.h"
#include "plrhand.h"
#include "spacerace.h"

/* Number of an advance by name; A_UNSET with the refusal set when there is none. */
static Tech_type_id find_tech(const char *name)
{
  struct advance *advance = advance_by_rule_name(name);
  if (advance == NULL || advance_number(advance) == A_NONE) {
    cw_unknown("advance", name);
    return A_UNSET;
  }
  return advance_number(advance);
}

/* Name of an advance. */
static int research(const struct cw_order *o)
{
  struct research *r = research_get(o->plr);
  Tech_type_id tech = find_tech(o->text);
  if (tech == A_UNSET) {
    return CW_EARGUMENT;
  }
  if (r->researching == tech) {
    return cw_refuse("%s is being researched already", o->text);
  }
  if (research_invention_state(r, tech) != TECH_PREREQS_KNOWN) {
    return cw_refuse("%s cannot be researched: %s", o->text,
                     research_invention_state(r, tech) == TECH_KNOWN ? "it is known"
                                                                     : "what it builds on is not all known");
  }
  handle_player_research(o->plr, tech);
  o->out->value = tech;
  return CW_OK;
}

/* Name of an advance, or nothing for none. */
static int goal(const struct cw_order *o)
{
  struct research *r = research_get(o->plr);
  Tech_type_id tech = o->text[0] != '\0' ? find_tech(o->text) : A_UNSET;
  if (tech == A_UNSET && o->text[0] != '\0') {
    return CW_EARGUMENT;
  }
  if (r->tech_goal == tech) {
    return cw_refuse("this is the goal already");
  }
  if (tech != A_UNSET
      && (!research_invention_reachable(r, tech) || research_invention_state(r, tech) == TECH_KNOWN)) {
    return cw_refuse("%s is known or out of reach", o->text);
  }
  handle_player_tech_goal(o->plr, tech);
  o->out->value = tech;
  return CW_OK;
}

/* tax, luxury, science in percent. */
static int rates(const struct cw_order *o)
{
  int tax = o->arg[0], luxury = o->arg[1], science = o->arg[2];
  struct player_economic *now = &o->plr->economic;
  if (tax < 0 || luxury < 0 || science < 0 || tax > 100 || luxury > 100 || science > 100
      || tax + luxury + science != 100) {
    return cw_refuse("rates %d, %d, %d are not three parts of 100", tax, luxury, science);
  }
  if (tax % 10 != 0 || luxury % 10 != 0) {
    return cw_refuse("rates go in steps of 10");
  }
  if (now->tax == tax && now->luxury == luxury && now->science == science) {
    return cw_refuse("these are the rates already");
  }
  handle_player_rates(o->plr, tax, luxury, science);
  if (now->tax != tax || now->luxury != luxury || now->science != science) {
    return cw_refuse("the highest rate is %d", get_player_bonus(o->plr, EFT_MAX_RATES));
  }
  return CW_OK;
}

/* Name of a government: a revolution towards it. */
static int government(const struct cw_order *o)
{
  struct government *gov = government_by_rule_name(o->text);
  struct player *p = o->plr;
  const struct government *before = p->government, *target = p->target_government;
  int finishes = p->revolution_finishes;
  if (gov == NULL) {
    return cw_unknown("government", o->text);
  }
  if (gov == p->government || (gov == p->target_government && p->revolution_finishes > 0)) {
    return cw_refuse("%s is the government already, or about to be", o->text);
  }
  if (!can_change_to_government(p, gov)) {
    return cw_refuse("%s is not open to player %d yet", o->text, player_number(p));
  }
  handle_player_change_government(p, government_number(gov));
  if (p->government == before && p->target_government == target && p->revolution_finishes == finishes) {
    return cw_refuse("no revolution towards %s is possible now", o->text);
  }
  o->out->value = p->revolution_finishes;
  return CW_OK;
}

/* value; name of a policy (multiplier). It takes effect at the turn change. */
static int policy(const struct cw_order *o)
{
  struct multiplier *m = multiplier_by_rule_name(o->text);
  int values[MAX_NUM_MULTIPLIERS];
  int value = o->arg[0];
  if (m == NULL) {
    return cw_unknown("policy", o->text);
  }
  if (value < m->start || value > m->stop || (value - m->start) % m->step != 0) {
    return cw_refuse("%s goes from %d to %d in steps of %d", o->text, m->start, m->stop, m->step);
  }
  if (!multiplier_can_be_changed(m, o->plr)) {
    return cw_refuse("%s cannot be changed now", o->text);
  }
  if (o->plr->multipliers[multiplier_index(m)].target == value) {
    return cw_refuse("%s is %d already", o->text, value);
  }
  multipliers_iterate(other) {
    values[multiplier_index(other)] = o->plr->multipliers[multiplier_index(other)].target;
  } multipliers_iterate_end;
  values[multiplier_index(m)] = value;
  handle_player_multiplier(o->plr, multiplier_count(), values);
  return CW_OK;
}

static int spaceship_launch(const struct cw_order *o)
{
  if (o->plr->spaceship.state >= SSHIP_LAUNCHED) {
    return cw_refuse("the spaceship is on its way already");
  }
  handle_spaceship_launch(o->plr);
  return o->plr->spaceship.state == SSHIP_LAUNCHED ? CW_OK : cw_refuse("there is no spaceship to launch");
}

/* kind (0 structural, 1 fuel, 2 propulsion, 3 habitation, 4 life support, 5 solar panels), number of the place. */
static int spaceship_place(const struct cw_order *o)
{
  static const enum spaceship_place_type kinds[] = {SSHIP_PLACE_STRUCTURAL, SSHIP_PLACE_FUEL, SSHIP_PLACE_PROPULSION,
                                                    SSHIP_PLACE_HABITATION, SSHIP_PLACE_LIFE_SUPPORT,
                                                    SSHIP_PLACE_SOLAR_PANELS};
  if (o->arg[0] < 0 || o->arg[0] >= (int)ARRAY_SIZE(kinds)) {
    return cw_refuse("there are %d kinds of spaceship parts", (int)ARRAY_SIZE(kinds));
  }
  /* the handler's own work: it alone says whether the part went in */
  return do_spaceship_place(o->plr, ACT_REQ_PLAYER, kinds[o->arg[0]], o->arg[1])
             ? CW_OK : cw_refuse("no such part can be placed there");
}

const struct cw_command cw_player_commands[] = {
  {"research", 0, 0, research},
  {"goal", 0, 0, goal},
  {"rates", 3, 3, rates},
  {"government", 0, 0, government},
  {"policy", 1, 1, policy},
  {"spaceship_launch", 0, 0, spaceship_launch},
  {"spaceship_place", 2, 2, spaceship_place},
  {NULL, 0, 0, NULL},
};
