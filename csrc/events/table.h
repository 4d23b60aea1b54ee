/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one table of kinds of events, and the fields of an event's record. */
#ifndef CW_EVENTS_TABLE_H
#define CW_EVENTS_TABLE_H

/* K(kind, what happened, "field: meaning" of each field it uses). Fields not named are -1, city 0, or empty. */
#define KINDS(K)                                                                                                \
  K(city_founded, "a city was founded",                                                                         \
    "player: founder; city: its id; tile: where; name: of the city")                                            \
  K(city_captured, "a city was conquered by a unit",                                                            \
    "player: conqueror; other: former owner; city: its id; tile: where; number: 1 if it was the capital, else 0; " \
    "cause: conquest; name: of the city")                                                                       \
  K(city_transferred, "a city changed hands without conquest",                                                  \
    "player: new owner; other: former owner; city: its id; tile: where; number: 1 if it was the capital, else 0; " \
    "cause: treaty, incited, civil_war, original_owner or barbarians (both when its owner died), or other; "    \
    "name: of the city")                                                                                        \
  K(city_destroyed, "a city ceased to exist",                                                                   \
    "player: owner; other: who destroyed it; city: its id; tile: where; number: 1 if it was the capital, else 0; " \
    "cause: conquest, owner_died, or abandoned for any other reason; name: of the city")                        \
  K(unit_lost, "a unit ceased to exist",                                                                        \
    "player: owner; other: who destroyed it; unit: its id; tile: where; number: unit type; "                    \
    "cause: the engine's reason, such as killed, used (to found or join a city), disbanded or upkeep; "         \
    "name: unit type")                                                                                          \
  K(unit_transferred, "a unit changed hands and kept its id",                                                   \
    "player: new owner; other: former owner; unit: its id; tile: where; number: unit type; name: unit type")    \
  K(hut_entered, "a unit came upon a hut",                                                                      \
    "player: whose unit; unit: its id; tile: where; cause: entered or frightened; name: kind of hut")           \
  K(wonder_built, "a city completed a great wonder (small wonders such as the Palace are none)",                \
    "player: owner; city: id of the city; tile: where; number: building; name: of the wonder")                  \
  K(wonder_lost, "a great wonder ceased to exist; one that changes hands with its city does not",               \
    "player: owner; city: id of the city; tile: where; number: building; cause: the engine's reason, such as "  \
    "city_destroyed; name: of the wonder")                                                                      \
  K(advance_gained, "a player learned an advance; the root advance None is never one, a team learns together",  \
    "player: who; number: advance, -2 for a future tech; "                                                      \
    "cause: researched, traded, stolen, hut, start, inherited (rebels of a civil war) or granted; "             \
    "name: of the advance")                                                                                     \
  K(advance_lost, "a player forgot an advance", "player: who; number: advance; name: of the advance")           \
  K(revolution_started, "a government fell to anarchy",                                                         \
    "player: who; number: government that will follow, -1 if undecided; name: of that government; "             \
    "former: government that fell")                                                                             \
  K(government_changed, "a lasting government other than the last lasting one came to power",                   \
    "player: who; number: government; name: of the government; former: the last lasting one")                   \
  K(government_restored, "anarchy ended with the same government as before",                                    \
    "player: who; number: government; name: of the government; former: the anarchy")                            \
  K(contact, "two players met for the first time",                                                              \
    "player, other: the two; tile: where; name: diplomatic state they begin with")                              \
  K(contact_undone, "an edit made two players as if they had never met",                                        \
    "player, other: the two; cause: edit; former: state before")                                                \
  K(war_started, "the state between two players became War; a first contact is none",                           \
    "player, other: the two, who broke the pact first; cause: cancelled, expired or edit; former: state before") \
  K(ceasefire, "the state between two players became Cease-fire",                                               \
    "player, other: the two; cause: treaty or edit; former: state before")                                      \
  K(armistice, "the state between two players became Armistice, which becomes Peace in time",                   \
    "player, other: the two; cause: treaty, cancelled (of an alliance) or edit; former: state before")          \
  K(peace, "the state between two players became Peace",                                                        \
    "player, other: the two; cause: expired (the armistice) or edit; former: state before")                     \
  K(alliance, "the state between two players became Alliance",                                                  \
    "player, other: the two; cause: treaty or edit; former: state before")                                      \
  K(pact_cancelled, "a player cancelled a pact; the state it led to is an event of its own",                    \
    "player: who cancelled; other: with whom; name: state after; former: state before")                         \
  K(treaty, "a clause of an agreed treaty was carried out",                                                     \
    "player: who gave; other: who received; city: id of a city given; number: gold, advance or city; "          \
    "cause: Advance, Gold, Map, Seamap, City, Ceasefire, Peace, Alliance, Vision or Embassy; "                  \
    "name: of the advance or city")                                                                             \
  K(embassy, "a player established an embassy", "player: who; other: with whom")                                \
  K(embassy_lost, "a player lost an embassy", "player: who; other: with whom")                                  \
  K(disaster, "a disaster struck a city",                                                                       \
    "player: owner; city: id of the city, 0 if it is no more; tile: where; number: disaster; "                  \
    "name: of the disaster; former: name of the city")                                                          \
  K(civil_war, "a civil war tore cities from a player; the rebels know what the player knew",                   \
    "player: who; other: the rebels; name: nation of the rebels")                                               \
  K(player_joined, "barbarians came into the game or came back to it, at war with everyone",                    \
    "player: who; name: nation")                                                                                \
  K(player_died, "a player lost the game", "player: who; name: nation")                                         \
  K(spaceship_started, "the first part of a spaceship was built", "player: who")                                \
  K(spaceship_launched, "a spaceship was launched", "player: who")                                              \
  K(spaceship_arrived, "a spaceship arrived", "player: who")                                                    \
  K(spaceship_lost, "a spaceship was lost with the capital", "player: who")                                     \
  K(victory, "the engine declared a winner at its own end of the game; the world goes on", "player: who")       \
  K(achievement, "a player reached an achievement of the ruleset, which may give culture for good",             \
    "player: who; number: achievement; cause: first (of all players) or later; name: of the achievement")       \
  K(purchase, "a player paid for the rest of what a city builds",                                               \
    "player: who; city: its id; tile: where; number: price in gold; name: of what was bought; "                 \
    "former: name of the city")                                                                                 \
  K(gold_moved, "gold came or went in one piece, other than by purchase, treaty or civil war",                  \
    "player: who received it; other: who paid it; city: where, if in one; unit: by which, if by one; "          \
    "number: gold; cause: loot, stolen, ransom, sold (a building), trade (a caravan), coinage (of shields that " \
    "had gathered), hut, script, upgrade, bribe, incite or incite_failed")

/* Script signals of the engine that are listened to (common/scriptcore/api_signal_base.c says what each hands over);
 * cw_on_<signal> reads its arguments. */
#define SIGNALS(S)                                                                                              \
  S(city_destroyed) S(city_transferred) S(building_built) S(building_lost) S(disaster_occurred)                 \
  S(tech_researched) S(achievement_gained)

#define EVENT_FIELDS(F)                                                                                         \
  F(i32, turn, "turn of the first command window that shows it", 0)                                             \
  F(i8, stage, "part of the turn in which it happened", 0)                                                      \
  F(i8, kind, "what happened", 0)                                                                               \
  F(i32, player, "player it is about, -1 none", 0)                                                              \
  F(i32, other, "second player, -1 none", 0)                                                                    \
  F(i32, city, "city id, 0 none", 0)                                                                            \
  F(i32, unit, "unit id, 0 none", 0)                                                                            \
  F(i32, tile, "tile index, -1 none", 0)                                                                        \
  F(i32, number, "a number whose meaning the kind gives, -1 none", 0)                                           \
  F(s16, cause, "why or how", 0)                                                                                \
  F(s48, name, "a name whose meaning the kind gives, cut after 48 bytes", 0)                                    \
  F(s48, former, "what was before", 0)

#endif
