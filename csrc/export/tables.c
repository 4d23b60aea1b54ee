/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of tables and the calls that read them; the tables themselves are in the other files of this room. */

#include "fc_config.h"

#include "player.h"
#include "srv_main.h"
#include "tech.h"
#include "unittype.h"

#include "export/export.h"

#define POINTER(table) &cw_table_##table,
static const struct cw_table *const tables[] = {CW_TABLES(POINTER)};
#define NTABLES ((int)(sizeof(tables) / sizeof(tables[0])))

/* ---- helpers of all tables --------------------------------------------------------------------------- */

void cw_text_copy(char *field, size_t n, const char *text)
{
  size_t len = text != NULL ? strlen(text) : 0;
  if (len > n) {
    len = n;
    while (len > 0 && ((unsigned char)text[len] & 0xC0) == 0x80) {
      len--;
    }
  }
  memcpy(field, text, len);
  memset(field + len, 0, n - len);
}

void cw_bit_set(uint8_t *bits, int n)
{
  bits[n / 8] |= (uint8_t)(1u << (n % 8));
}

bool cw_unit_type_is_military(const struct unit_type *utype)
{
  return !utype_has_flag(utype, UTYF_CIVILIAN) && (utype->attack_strength > 0 || utype->defense_strength > 0);
}

const char *cw_advance_name(int tech)
{
  if (tech == A_FUTURE) {
    return "Future Tech";
  }
  if (tech == A_NONE || valid_advance_by_number(tech) == NULL) {
    return "";
  }
  return advance_rule_name(advance_by_number(tech));
}

int cw_player_id(const struct player *plr)
{
  return plr != NULL ? player_number(plr) : -1;
}

int cw_export_ready(void)
{
  if (!cw_space_is_mounted()) {
    return cw_error(CW_ELIFECYCLE, "no world is mounted");
  }
  if (!game_was_started()) {
    return cw_error(CW_ELIFECYCLE, "the game has not been started");
  }
  return CW_OK;
}

/* ---- the public calls -------------------------------------------------------------------------------- */

int cw_table_count(void)
{
  return NTABLES;
}

static int bad_table(int i)
{
  return cw_error(CW_EARGUMENT, "table %d does not exist (tables 0-%d)", i, NTABLES - 1);
}

int cw_table_schema(int i, const char **name, const struct cw_field **fields, int *nfields, int *record_size)
{
  cw_guard_clear();
  if (i < 0 || i >= NTABLES) {
    return bad_table(i);
  }
  *name = tables[i]->name;
  *fields = tables[i]->schema(nfields);
  *record_size = tables[i]->record_size;
  return CW_OK;
}

/* Bytes of a table in the buffer: up to where the next may start. */
static size_t table_bytes(const struct cw_table *table, size_t rows)
{
  return (rows * (size_t)table->record_size + 15) / 16 * 16;
}

int cw_table_read(const int *numbers, int n, uint8_t *buf, size_t cap, size_t *needed, size_t *rows)
{
  *needed = 0;
  CW_GUARD_BEGIN;
  if (cw_export_ready() != CW_OK) {
    CW_GUARD_END(CW_ELIFECYCLE);
  }
  for (int k = 0; k < n; k++) {
    if (numbers[k] < 0 || numbers[k] >= NTABLES) {
      CW_GUARD_END(bad_table(numbers[k]));
    }
    rows[k] = tables[numbers[k]]->rows();
    *needed += table_bytes(tables[numbers[k]], rows[k]);
  }
  if (*needed > cap) {
    CW_GUARD_END(cw_error(CW_REFUSED, "the tables need %zu bytes, the buffer has %zu", *needed, cap));
  }
  memset(buf, 0, *needed);
  for (int k = 0; k < n; k++) {
    tables[numbers[k]]->fill(buf);
    buf += table_bytes(tables[numbers[k]], rows[k]);
  }
  CW_GUARD_END(CW_OK);
}
