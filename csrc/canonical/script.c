/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Canonical state of the script interpreter: what scripts remember and which signals they listen to.
 *
 * Asking Lua itself would allocate and so change the world; its heap is read directly instead, through the headers
 * of the very Lua that is built in. Lua's tables have no order of their own, so their contents are added up as
 * hashes. Values that are game objects count by kind only, since they hold addresses. */

#include "fc_config.h"

#include "lobject.h"
#include "lstate.h"
#include "ltable.h"

#include "luascript.h"
#include "luascript_signal.h"

#include "canonical/canonical.h"
#include "doors/doors.h"

#define MAX_OBJECTS 4096

/* Tables and functions reached from the global table. */
struct walk {
  const GCObject *seen[MAX_OBJECTS];
  int count;
};

static uint64_t hash_bytes(uint64_t h, const void *data, size_t n)
{
  const uint8_t *bytes = data;
  for (size_t i = 0; i < n; i++) {
    h = (h ^ bytes[i]) * UINT64_C(0x100000001b3);
  }
  return h;
}

/* Spreads the bits, so that a sum of hashes does not cancel out. */
static uint64_t mix(uint64_t h)
{
  h = (h ^ h >> 31) * UINT64_C(0x9e3779b97f4a7c15);
  return (h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}

static void reach(struct walk *walk, const GCObject *object)
{
  for (int i = 0; i < walk->count; i++) {
    if (walk->seen[i] == object) {
      return;
    }
  }
  if (walk->count == MAX_OBJECTS) {
    cw_guard_fail(CW_EFATAL, __FILE__, "scripts hold more than %d tables and functions", MAX_OBJECTS);
  }
  walk->seen[walk->count++] = object;
}

static uint64_t hash_string(uint64_t h, const TString *s)
{
  return hash_bytes(h, getstr(s), tsslen(s));
}

/* The library's own generator keeps its words in a bare block bound to its functions. */
static uint64_t hash_native(uint64_t h, const CClosure *f)
{
  for (int i = 0; i < f->nupvalues; i++) {
    if (ttisfulluserdata(&f->upvalue[i]) && uvalue(&f->upvalue[i])->metatable == NULL) {
      const Udata *block = uvalue(&f->upvalue[i]);
      h = hash_bytes(h, getudatamem(block), block->len);
    }
  }
  return h;
}

static uint64_t hash_value(uint64_t h, struct walk *walk, const TValue *value)
{
  uint8_t kind = (uint8_t)ttypetag(value);
  h = hash_bytes(h, &kind, sizeof(kind));
  if (ttisinteger(value)) {
    lua_Integer n = ivalue(value);
    return hash_bytes(h, &n, sizeof(n));
  }
  if (ttisfloat(value)) {
    lua_Number x = fltvalue(value);
    return hash_bytes(h, &x, sizeof(x));
  }
  if (ttisstring(value)) {
    return hash_string(h, tsvalue(value));
  }
  if (ttisCclosure(value)) {
    return hash_native(h, clCvalue(value));
  }
  if (ttistable(value) || ttisLclosure(value)) {
    reach(walk, gcvalue(value));
  }
  return h;
}

static uint64_t hash_table(struct walk *walk, const Table *t)
{
  uint64_t sum = 0;
  for (unsigned i = 0; i < luaH_realasize(t); i++) {
    if (!isempty(&t->array[i])) {
      lua_Integer key = (lua_Integer)i + 1;
      sum += mix(hash_value(hash_bytes(1, &key, sizeof(key)), walk, &t->array[i]));
    }
  }
  for (int i = 0; i < sizenode(t); i++) {
    const Node *node = gnode(t, i);
    if (!isempty(gval(node))) {
      TValue key = {.value_ = node->u.key_val, .tt_ = node->u.key_tt};
      sum += mix(hash_value(hash_value(1, walk, &key), walk, gval(node)));
    }
  }
  return sum;
}

/* A function is its place in the source and the variables it has captured. */
static uint64_t hash_function(struct walk *walk, const LClosure *f)
{
  uint64_t h = 2;
  if (f->p->source != NULL) {
    h = hash_string(h, f->p->source);
  }
  h = hash_bytes(h, &f->p->linedefined, sizeof(f->p->linedefined));
  for (int i = 0; i < f->nupvalues; i++) {
    h = f->upvals[i] != NULL ? hash_value(h, walk, f->upvals[i]->v.p) : h;
  }
  return h;
}

static void put_variables(struct cw_writer *w, lua_State *state)
{
  const Table *registry = hvalue(&G(state)->l_registry);
  struct walk walk = {.count = 0};
  uint64_t sum = 0;
  if (luaH_realasize(registry) < LUA_RIDX_GLOBALS || !ttistable(&registry->array[LUA_RIDX_GLOBALS - 1])) {
    cw_guard_fail(CW_EFATAL, __FILE__, "the interpreter has no table of globals");
  }
  reach(&walk, gcvalue(&registry->array[LUA_RIDX_GLOBALS - 1]));
  for (int i = 0; i < walk.count; i++) {
    const GCObject *object = walk.seen[i];
    uint64_t h = object->tt == LUA_VTABLE ? hash_table(&walk, gco2t(object)) : hash_function(&walk, gco2lcl(object));
    sum += mix(h);
  }
  cw_put_u64(w, sum);
  cw_put_u32(w, (uint32_t)walk.count);
}

static void put_signals(struct cw_writer *w, struct fc_lua *script)
{
  const char *signal, *callback;
  for (int i = 0; (signal = luascript_signal_by_index(script, i)) != NULL; i++) {
    cw_put_text(w, signal);
    for (int k = 0; (callback = luascript_signal_callback_by_index(script, signal, k)) != NULL; k++) {
      cw_put_text(w, callback);
    }
  }
}

void cw_canonical_script(struct cw_writer *w)
{
  struct fc_lua *script = cw_door_script();
  cw_put_u8(w, script != NULL && script->state != NULL);
  if (script != NULL && script->state != NULL) {
    put_variables(w, script->state);
    put_signals(w, script);
  }
}
