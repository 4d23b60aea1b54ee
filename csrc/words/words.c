/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Python asks before it can read anything: the words that numbers stand for, and the fields of records. Each room
 * has its own; here are the lists of them, and those of the engine itself. */

#include "fc_config.h"

#include <string.h>

#include "diptreaty.h"
#include "player.h"

#include "export/export.h"
#include "host/words.h"

/* The engine fills in the names of an enum when the first is asked for; asking while the library loads keeps later
 * questions from writing into a world. */
static void __attribute__((constructor)) fill_names(void)
{
  const char *volatile name;
  name = clause_type_name(CLAUSE_ADVANCE);
  name = diplstate_type_name(DS_WAR);
  (void)name;
}

static const char *clauses_word(int number)
{
  return clause_type_is_valid((enum clause_type)number) ? clause_type_name((enum clause_type)number) : NULL;
}
const struct cw_words cw_words_clauses = {"clauses", clauses_word};

static const char *diplomatic_states_word(int number)
{
  return diplstate_type_is_valid((enum diplstate_type)number) ? diplstate_type_name((enum diplstate_type)number) : NULL;
}
const struct cw_words cw_words_diplomatic_states = {"diplomatic_states", diplomatic_states_word};

#define DIRECTIONS(W)            \
  W(DIR8_NORTHWEST, "northwest") \
  W(DIR8_NORTH, "north")         \
  W(DIR8_NORTHEAST, "northeast") \
  W(DIR8_WEST, "west")           \
  W(DIR8_EAST, "east")           \
  W(DIR8_SOUTHWEST, "southwest") \
  W(DIR8_SOUTH, "south")         \
  W(DIR8_SOUTHEAST, "southeast")
CW_WORDS(directions, DIRECTIONS)

/* ---- the public calls -------------------------------------------------------------------------------- */

#define WORDS_POINTER(list) &cw_words_##list,
static const struct cw_words *const lists[] = {CW_WORD_LISTS(WORDS_POINTER)};
#define NLISTS ((int)(sizeof(lists) / sizeof(lists[0])))

#define RECORD_POINTER(record) &cw_record_##record,
static const struct cw_record *const records[] = {CW_RECORDS(RECORD_POINTER)};
#define NRECORDS ((int)(sizeof(records) / sizeof(records[0])))

const char *cw_words_list(int i)
{
  return i >= 0 && i < NLISTS ? lists[i]->list : NULL;
}

const char *cw_word(const char *list, int number)
{
  for (int i = 0; i < NLISTS; i++) {
    if (strcmp(lists[i]->list, list) == 0) {
      return lists[i]->word(number);
    }
  }
  return NULL;
}

int cw_record_schema(const char *record, const struct cw_field **fields, int *nfields, int *record_size)
{
  cw_guard_clear();
  for (int i = 0; i < NRECORDS; i++) {
    if (strcmp(records[i]->name, record) == 0) {
      *fields = records[i]->schema(nfields);
      *record_size = records[i]->size;
      return CW_OK;
    }
  }
  return cw_error(CW_EARGUMENT, "there is no record '%s'", record);
}
