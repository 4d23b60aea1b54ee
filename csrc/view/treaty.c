/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The treaties that lie on the table between a player and others; nobody else knows of them. */

#include "fc_config.h"

#include "diptreaty.h"
#include "player.h"
#include "tech.h"

#include "diplhand.h"

#include "view/view.h"

/* The engine fills in the names of an enum when the first is asked for; asking while the library loads keeps
 * later reads from writing. */
static void __attribute__((constructor)) fill_names(void)
{
  const char *volatile name = clause_type_name(CLAUSE_ADVANCE);
  (void)name;
}

#define TREATY_VIEW_FIELDS(F)                                                                              \
  F(i32, index, "position in this table", row)                                                             \
  F(i32, other, "player number of the other side", player_number(other))                                   \
  F(i32, giver, "player number of who gives", cw_player_id(c->from))                                       \
  F(s16, kind, "type of the clause: Advance, Gold, Map, Seamap, City, Ceasefire, Peace, Alliance, Vision or Embassy", \
    cw_s16_of(clause_type_name(c->type)))                                                                  \
  F(i32, value, "number of the advance, gold, or city id; else 0", c->value)                               \
  F(s48, advance, "rule name of the advance; empty for other types",                                       \
    cw_s48_of(c->type == CLAUSE_ADVANCE ? cw_advance_name(c->value) : ""))                                 \
  F(b1, accepted, "whether the viewer has accepted the treaty", t->plr0 == viewer ? t->accept0 : t->accept1) \
  F(b1, other_accepted, "whether the other side has", t->plr0 == viewer ? t->accept1 : t->accept0)

CW_RECORD(view_treaties, TREATY_VIEW_FIELDS)

/* The engine's search takes players that it could change, and changes none. */
static const struct Treaty *between(const struct player *viewer, const struct player *other)
{
  return viewer != other ? find_treaty((struct player *)viewer, (struct player *)other) : NULL;
}

static size_t treaties_rows(const struct player *viewer)
{
  size_t rows = 0;
  players_iterate(other) {
    const struct Treaty *t = between(viewer, other);
    rows += t != NULL ? (size_t)clause_list_size(t->clauses) : 0;
  } players_iterate_end;
  return rows;
}

static size_t treaties_fill(const struct player *viewer, const uint8_t *base, uint8_t *records)
{
  struct cw_view_treaties *out = (struct cw_view_treaties *)records;
  int row = 0;
  (void)base;
  players_iterate(other) {
    const struct Treaty *t = between(viewer, other);
    if (t != NULL) {
      clause_list_iterate(t->clauses, c) {
        TREATY_VIEW_FIELDS(CW_FILL)
        out++;
        row++;
      } clause_list_iterate_end;
    }
  } players_iterate_end;
  return (size_t)row;
}

const struct cw_view cw_view_treaties = {
  "treaties", NULL, NULL, view_treaties_schema, CW_VIEW_ROOM(treaties), treaties_rows, treaties_fill};
