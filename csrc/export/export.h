/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The room of tables, which only read the world. Each field is one row F(type, name, doc, expression) of an X-macro;
 * the C struct, the run-time field list and the code that fills a record all come from that row. */
#ifndef CW_EXPORT_H
#define CW_EXPORT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "host/host.h"

struct player;
struct unit;
struct unit_type;

/* ---- field types: alias, C type, numpy type string --------------------------------------------------- */

#define CW_TEXT(n) struct { char s[n]; }
#define CW_BYTES(n) struct { uint8_t b[n]; }
#define CW_NUMBERS(n) struct { int32_t v[n]; }
#define CW_TYPES(T)                     \
  T(b1, uint8_t, "?")                   \
  T(i8, int8_t, "i1")                   \
  T(i16, int16_t, "<i2")                \
  T(i32, int32_t, "<i4")                \
  T(u32, uint32_t, "<u4")               \
  T(u64, uint64_t, "<u8")               \
  T(f64, double, "<f8")                 \
  T(s16, CW_TEXT(16), "S16")            \
  T(s48, CW_TEXT(48), "S48")            \
  T(s80, CW_TEXT(80), "S80")            \
  T(s124, CW_TEXT(124), "S124")         \
  T(i32x16, CW_NUMBERS(16), "(16,)<i4") \
  T(i32x64, CW_NUMBERS(64), "(64,)<i4") \
  T(rgb, CW_BYTES(3), "(3,)u1")         \
  T(specialists, CW_BYTES(20), "(20,)u1") \
  T(bits128, CW_BYTES(16), "(16,)u1")   \
  T(bits256, CW_BYTES(32), "(32,)u1")

#define CW_TYPE(alias, ctype, numpy)   \
  typedef ctype cw_##alias;            \
  static const char cw_numpy_##alias[] = numpy;
CW_TYPES(CW_TYPE)
#undef CW_TYPE

/* ---- tables ------------------------------------------------------------------------------------------ */

struct cw_table {
  const char *name;
  int record_size;
  const struct cw_field *(*schema)(int *nfields);
  size_t (*rows)(void);
  void (*fill)(void *records); /* zeroed before, room for rows() records */
};

#define CW_DECLARE(type, name, doc, value) cw_##type name;
#define CW_DESCRIBE(type, name, doc, value) \
  {#name, cw_numpy_##type, doc, (int32_t)offsetof(record, name), (int32_t)sizeof(cw_##type)},
#define CW_FILL(type, name, doc, value) out->name = (value);

/* Declares `struct cw_<table>` from its X-macro, and defines its field list. */
#define CW_STRUCT(table, FIELDS) struct cw_##table { FIELDS(CW_DECLARE) };
#define CW_SCHEMA(table, FIELDS)                                              \
  static const struct cw_field *table##_schema(int *nfields)                  \
  {                                                                           \
    typedef struct cw_##table record;                                         \
    static const struct cw_field fields[] = {FIELDS(CW_DESCRIBE)};            \
    *nfields = (int)(sizeof(fields) / sizeof(fields[0]));                     \
    return fields;                                                            \
  }

#define CW_RECORD(table, FIELDS) CW_STRUCT(table, FIELDS) CW_SCHEMA(table, FIELDS)

/* A record that is no table: what calls of their own read or take. */
struct cw_record {
  const char *name;
  int size;
  const struct cw_field *(*schema)(int *nfields);
};
#define CW_RECORD_ROW(record) \
  const struct cw_record cw_record_##record = {#record, (int)sizeof(struct cw_##record), record##_schema};

/* Every such record. */
#define CW_RECORDS(R) R(events) R(legal) R(known_cities) R(plan) R(plan_notes)

#define CW_EXTERN_RECORD(record) extern const struct cw_record cw_record_##record;
CW_RECORDS(CW_EXTERN_RECORD)
#undef CW_EXTERN_RECORD

/* Defines the table itself from `<table>_rows` and `<table>_fill`. */
#define CW_TABLE(table)                                                       \
  const struct cw_table cw_table_##table = {                                  \
    #table, (int)sizeof(struct cw_##table), table##_schema, table##_rows, table##_fill};

/* Every table, in the order of their numbers. */
#define CW_TABLES(T) \
  T(players) T(cities) T(units) T(tiles) T(diplomacy) T(research) T(wonders) T(achievements) \
  T(hidden_players) T(hidden_pairs) T(hidden_world)                           \
  T(rules_terrains) T(rules_unit_types) T(rules_buildings) T(rules_governments) \
  T(rules_advances) T(rules_extras) T(rules_specialists)

#define CW_EXTERN(table) extern const struct cw_table cw_table_##table;
CW_TABLES(CW_EXTERN)
#undef CW_EXTERN

/* Players are numbered from 0; masks of players hold the first 64. */
#define CW_MASK_PLAYERS 64

/* CW_OK when a started world is mounted; sets the error text otherwise. */
int cw_export_ready(void);
/* Copies a text into a field of n bytes, padded with zeros, cut between UTF-8 characters; NULL gives "". */
void cw_text_copy(char *field, size_t n, const char *text);
/* Sets bit n of a bit field. */
void cw_bit_set(uint8_t *bits, int n);

static inline cw_s16 cw_s16_of(const char *text)
{
  cw_s16 out;
  cw_text_copy(out.s, sizeof(out.s), text);
  return out;
}

static inline cw_s48 cw_s48_of(const char *text)
{
  cw_s48 out;
  cw_text_copy(out.s, sizeof(out.s), text);
  return out;
}

static inline cw_s80 cw_s80_of(const char *text)
{
  cw_s80 out;
  cw_text_copy(out.s, sizeof(out.s), text);
  return out;
}

/* The rule that `military` and `military_units` mean everywhere: the engine's own notion of a military unit (its
 * type lacks the flag that marks civilians) and an attack or defence strength above zero. */
bool cw_unit_type_is_military(const struct unit_type *utype);
/* Rule name of an advance number; "" for none or unset, "Future Tech" beyond the tree. */
const char *cw_advance_name(int tech);
/* Number of a player, -1 for none. */
int cw_player_id(const struct player *plr);

#endif
