/* Places, operands, rvalues, statements and terminators, read straight from the text: they are most
 * of a dump, and a tree of each would cost more than everything else. */
#include <string.h>

#include "ir/pmir_reader.h"

#define PULL_ITEM(r) (jp_item(&(r)->j))

bool pm_pull_id(struct pm_reader *r, uint32_t n, const char *what, uint32_t *out) {
  const char *at = r->j.p;
  if (!jp_u32(&r->j, out))
    return false;
  if (*out < n)
    return true;
  jp_fail(&r->j, at, "there is no %s %u; the file has %u", what, *out, n);
  r->j.error->code = MD0204;
  return false;
}

bool pm_pull_span(struct pm_reader *r, pm_loc *out) {
  *out = PM_NONE;
  if (!PULL_ITEM(r))
    return false;
  return jp_null(&r->j) || pm_pull_id(r, r->m->n_spans, "span", out);
}

static bool pull_type(struct pm_reader *r, pm_ty *out) {
  return PULL_ITEM(r) && pm_pull_id(r, r->m->n_types, "type", out);
}

static bool unknown_name(struct pm_reader *r, const char *at, const char *what, str name,
                         const char *const *names) {
  jp_fail(&r->j, at, "unknown %s `%.*s`", what, STR_ARG(str_sub(name, 0, 80)));
  r->j.error->code = MD0240;
  struct strbuf b = {0};
  for (size_t i = 0; names[i]; i++)
    sb_addf(&b, "%s`%s`", i ? ", " : "", names[i]);
  diag_help(r->j.error, "known are %s; a newer producer needs a newer mirdc", sb_z(&b));
  sb_free(&b);
  return false;
}

/* Does the string here say so, without escapes? The quote behind it stops the loop. */
static inline bool says(const char *quote, const char *name, size_t *len) {
  const char *p = quote + 1;
  while (*name && *p == *name) {
    p++;
    name++;
  }
  *len = (size_t)(p + 1 - quote);
  return !*name && *p == '"';
}

bool pm_pull_name(struct pm_reader *r, const char *const *names, const char *what, unsigned *out) {
  const char *at = r->j.p;
  size_t len;
  str s;
  for (unsigned i = 0; names[i] && *at == '"'; i++) {
    if (says(at, names[i], &len)) {
      r->j.p = at + len;
      *out = i;
      return true;
    }
  }
  if (!jp_str(&r->j, &s))
    return false;
  for (unsigned i = 0; names[i]; i++) {
    if (str_is(s, names[i])) {
      *out = i;
      return true;
    }
  }
  return unknown_name(r, at, what, s, names);
}

/* ---- places ---- */

static bool pull_step_array(struct pm_reader *r, struct pm_proj *p) {
  static const char *const names[] = {"f", "v", "i", "c", "s", NULL};
  static const enum pm_proj_kind kinds[] = {PM_FIELD, PM_VARIANT, PM_INDEX, PM_CINDEX, PM_SUBSLICE};
  struct json_pull *j = &r->j;
  unsigned k;
  if (!jp_array(j) || !jp_item(j) || !pm_pull_name(r, names, "step of a place", &k))
    return false;
  p->kind = kinds[k];
  if (p->kind == PM_CINDEX || p->kind == PM_SUBSLICE)
    return jp_item(j) && jp_u64(j, &p->x) && jp_item(j) && jp_u64(j, &p->y) && jp_item(j) &&
           jp_bool(j, &p->from_end) && jp_close(j);
  if (!jp_item(j) || !jp_u32(j, &p->a))
    return false;
  if (p->kind == PM_FIELD && !pull_type(r, &p->ty))
    return false;
  return jp_close(j);
}

static bool pull_step(struct pm_reader *r, struct pm_proj *p) {
  if (jp_kind(&r->j) == JSON_ARRAY)
    return pull_step_array(r, p);
  static const char *const deref[] = {"*", NULL};
  unsigned k;
  p->kind = PM_DEREF;
  return pm_pull_name(r, deref, "step of a place", &k);
}

bool pm_pull_place(struct pm_reader *r, struct pm_place *out) {
  struct json_pull *j = &r->j;
  const size_t from = r->projs.n;
  *out = (struct pm_place){0};
  if (!jp_array(j) || !jp_item(j) || !jp_u32(j, &out->local))
    return false;
  while (jp_more(j)) {
    struct pm_proj p = {.ty = PM_NONE};
    if (!pull_step(r, &p))
      return false;
    vec_push(NULL, &r->projs, p);
  }
  out->n = (uint32_t)(r->projs.n - from);
  if (out->n)
    out->proj = PM_KEEP(r, &r->projs, from);
  r->projs.n = from;
  return true;
}

static bool pull_place_item(struct pm_reader *r, struct pm_place *out) {
  return PULL_ITEM(r) && pm_pull_place(r, out);
}

/* ---- operands ---- */

static bool pull_bits(struct pm_reader *r, struct pm_operand *o) {
  u128 v;
  if (!PULL_ITEM(r) || !jp_u128(&r->j, &v))
    return false;
  o->u.bits.lo = (uint64_t)v;
  o->u.bits.hi = (uint64_t)(v >> 64);
  return true;
}

static bool pull_target(struct pm_reader *r, struct pm_operand *o) {
  struct json_pull *j = &r->j;
  const char *problem, *at;
  str kind;
  if (!jp_item(j) || !jp_str(j, &kind) || !jp_item(j))
    return false;
  at = j->p;
  if (!jp_u32(j, &o->u.addr.id))
    return false;
  if (!pm_read_reloc_target(r, kind, o->u.addr.id, &o->to, &problem)) {
    jp_fail(j, at, "`%.*s` %u %s", STR_ARG(str_sub(kind, 0, 40)), o->u.addr.id, problem);
    j->error->code = MD0204;
    return false;
  }
  return jp_item(j) && jp_u64(j, &o->u.addr.add);
}

static bool pull_from(struct pm_reader *r, struct pm_operand *o) {
  return PULL_ITEM(r) && pm_pull_id(r, r->m->n_allocs, "alloc", &o->u.addr.id) && PULL_ITEM(r) &&
         jp_u64(&r->j, &o->u.addr.add);
}

bool pm_pull_operand(struct pm_reader *r, struct pm_operand *out) {
  static const char *const names[] = {"c", "m", "k", "z", "u", "a", "p", "w", NULL};
  struct json_pull *j = &r->j;
  unsigned kind;
  *out = (struct pm_operand){.ty = PM_NONE};
  if (!jp_array(j) || !jp_item(j) || !pm_pull_name(r, names, "operand", &kind))
    return false;
  out->kind = (uint8_t)kind;
  bool ok = false;
  switch ((enum pm_operand_kind)kind) {
  case PM_COPY:
  case PM_MOVE:
    ok = pull_place_item(r, &out->u.place);
    break;
  case PM_BITS:
    ok = pull_type(r, &out->ty) && pull_bits(r, out);
    break;
  case PM_ZERO:
  case PM_UNINIT:
    ok = pull_type(r, &out->ty);
    break;
  case PM_FROM:
    ok = pull_type(r, &out->ty) && pull_from(r, out);
    break;
  case PM_ADDR:
    ok = pull_type(r, &out->ty) && pull_target(r, out);
    break;
  case PM_WIDE:
    ok =
        pull_type(r, &out->ty) && pull_target(r, out) && jp_item(j) && jp_u64(j, &out->u.addr.meta);
    break;
  }
  return ok && jp_close(j);
}

static bool pull_operand_item(struct pm_reader *r, struct pm_operand *o) {
  return PULL_ITEM(r) && pm_pull_operand(r, o);
}

/* One operand as a list of its own. */
static bool pull_single(struct pm_reader *r, struct pm_operand **out) {
  *out = arena_new(&r->m->arena, struct pm_operand);
  return pull_operand_item(r, *out);
}

static bool pull_pair(struct pm_reader *r, struct pm_operand **out) {
  *out = arena_array(&r->m->arena, struct pm_operand, 2);
  return pull_operand_item(r, &(*out)[0]) && pull_operand_item(r, &(*out)[1]);
}

static bool collect_operands(struct pm_reader *r) {
  if (!jp_array(&r->j))
    return false;
  while (jp_more(&r->j)) {
    struct pm_operand o;
    if (!pm_pull_operand(r, &o))
      return false;
    vec_push(NULL, &r->ops, o);
  }
  return true;
}

bool pm_pull_operands(struct pm_reader *r, struct pm_operand **out, uint32_t *n) {
  r->ops.n = 0;
  if (!collect_operands(r))
    return false;
  *n = (uint32_t)r->ops.n;
  *out = PM_KEEP(r, &r->ops, 0);
  return true;
}

/* ---- rvalues ---- */

static const char *const bin_names[] = {
#define PM_BIN(id, name) name,
#define PM_UN(id, name)
#define PM_CAST(id, name)
#include "ir/ops.def"
    NULL};
static const char *const un_names[] = {
#define PM_BIN(id, name)
#define PM_UN(id, name) name,
#define PM_CAST(id, name)
#include "ir/ops.def"
    NULL};
static const char *const cast_names[] = {
#define PM_BIN(id, name)
#define PM_UN(id, name)
#define PM_CAST(id, name) name,
#include "ir/ops.def"
    NULL};

static bool pull_op(struct pm_reader *r, const char *const *names, const char *what, uint8_t *op) {
  unsigned v;
  if (!PULL_ITEM(r) || !pm_pull_name(r, names, what, &v))
    return false;
  *op = (uint8_t)v;
  return true;
}

static bool pull_address(struct pm_reader *r, struct pm_rvalue *rv) {
  return PULL_ITEM(r) && jp_bool(&r->j, &rv->mut) && pull_place_item(r, &rv->u.place);
}

static bool pull_aggregate(struct pm_reader *r, struct pm_rvalue *rv) {
  return pull_type(r, &rv->ty) && PULL_ITEM(r) && jp_u32(&r->j, &rv->variant) && PULL_ITEM(r) &&
         pm_pull_operands(r, &rv->ops, &rv->n_ops);
}

static bool pull_rvalue_parts(struct pm_reader *r, struct pm_rvalue *rv) {
  switch ((enum pm_rv_kind)rv->kind) {
  case PM_USE:
    rv->n_ops = 1;
    return pull_single(r, &rv->ops);
  case PM_BINARY:
    rv->n_ops = 2;
    return pull_op(r, bin_names, "operator", &rv->op) && pull_pair(r, &rv->ops);
  case PM_UNARY:
    rv->n_ops = 1;
    return pull_op(r, un_names, "operator", &rv->op) && pull_single(r, &rv->ops);
  case PM_CASTED:
    rv->n_ops = 1;
    rv->u.vtable = PM_NONE;
    return pull_op(r, cast_names, "cast", &rv->op) && pull_single(r, &rv->ops) &&
           pull_type(r, &rv->ty);
  case PM_REF:
  case PM_RAW:
    return pull_address(r, rv);
  case PM_DISCR:
    return pull_place_item(r, &rv->u.place);
  case PM_AGG:
    return pull_aggregate(r, rv);
  case PM_REPEAT:
    rv->n_ops = 1;
    return pull_single(r, &rv->ops) && PULL_ITEM(r) && jp_u64(&r->j, &rv->u.count);
  case PM_RAWFAT:
    rv->n_ops = 2;
    return pull_type(r, &rv->ty) && pull_pair(r, &rv->ops);
  }
  return false;
}

bool pm_pull_rvalue(struct pm_reader *r, struct pm_rvalue *out) {
  static const char *const names[] = {"use",   "bin", "un",  "cast",   "ref", "raw",
                                      "discr", "agg", "rep", "rawfat", NULL};
  static const enum pm_rv_kind kinds[] = {PM_USE, PM_BINARY, PM_UNARY, PM_CASTED, PM_REF,
                                          PM_RAW, PM_DISCR,  PM_AGG,   PM_REPEAT, PM_RAWFAT};
  unsigned k;
  *out = (struct pm_rvalue){.ty = PM_NONE};
  if (!jp_array(&r->j) || !PULL_ITEM(r) || !pm_pull_name(r, names, "rvalue", &k))
    return false;
  out->kind = (uint8_t)kinds[k];
  return pull_rvalue_parts(r, out) && jp_close(&r->j);
}

/* ---- statements ---- */

static bool pull_copy(struct pm_reader *r, struct pm_stmt *s) {
  s->u.ops = arena_array(&r->m->arena, struct pm_operand, 3);
  for (size_t i = 0; i < 3; i++)
    if (!pull_operand_item(r, &s->u.ops[i]))
      return false;
  return pm_pull_span(r, &s->span);
}

bool pm_pull_stmt(struct pm_reader *r, struct pm_stmt *out) {
  static const char *const names[] = {"=", "live", "dead", "setv", "assume", "copy", NULL};
  struct json_pull *j = &r->j;
  unsigned k;
  *out = (struct pm_stmt){.span = PM_NONE};
  r->stmt_at = j->p;
  if (!jp_array(j) || !jp_item(j) || !pm_pull_name(r, names, "statement", &k))
    return false;
  out->kind = (uint8_t)k;
  bool ok = false;
  switch ((enum pm_stmt_kind)k) {
  case PM_ASSIGN:
    ok = pull_place_item(r, &out->place) && jp_item(j) && pm_pull_rvalue(r, &out->u.rv) &&
         pm_pull_span(r, &out->span);
    break;
  case PM_LIVE:
  case PM_DEAD:
    ok = jp_item(j) && jp_u32(j, &out->place.local);
    break;
  case PM_SETV:
    ok = pull_place_item(r, &out->place) && jp_item(j) && jp_u32(j, &out->u.variant) &&
         pm_pull_span(r, &out->span);
    break;
  case PM_ASSUME:
    ok = pull_single(r, &out->u.ops) && pm_pull_span(r, &out->span);
    break;
  case PM_COPYN:
    ok = pull_copy(r, out);
    break;
  }
  return ok && jp_close(j);
}
