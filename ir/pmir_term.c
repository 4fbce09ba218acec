/* Terminators, read straight from the text. */
#include <string.h>

#include "ir/pmir_reader.h"

static const char *const trap_names[] = {
#define PM_TRAP(id, name, text) name,
#include "ir/traps.def"
#undef PM_TRAP
    NULL};

static const char *const intrinsic_names[] = {
#define INTRINSIC(id, name, types, consts, args) name,
#include "ir/intrinsics.def"
#undef INTRINSIC
    NULL};

static bool pull_target(struct pm_reader *r, bool may_lack, uint32_t *out) {
  *out = PM_NONE;
  if (!jp_item(&r->j))
    return false;
  return (may_lack && jp_null(&r->j)) || jp_u32(&r->j, out);
}

static bool pull_one(struct pm_reader *r, struct pm_operand **out) {
  *out = arena_new(&r->m->arena, struct pm_operand);
  return jp_item(&r->j) && pm_pull_operand(r, *out);
}

static bool pull_case(struct pm_reader *r, struct pm_case *c) {
  struct json_pull *j = &r->j;
  u128 v;
  if (!jp_array(j) || !jp_item(j) || !jp_u128(j, &v) || !jp_item(j) || !jp_u32(j, &c->target))
    return false;
  c->lo = (uint64_t)v;
  c->hi = (uint64_t)(v >> 64);
  return jp_close(j);
}

static bool pull_switch(struct pm_reader *r, struct pm_term *t) {
  struct json_pull *j = &r->j;
  if (!pull_one(r, &t->ops) || !jp_item(j) || !jp_array(j))
    return false;
  r->cases.n = 0;
  while (jp_more(j)) {
    struct pm_case c = {0};
    if (!pull_case(r, &c))
      return false;
    vec_push(NULL, &r->cases, c);
  }
  t->n = (uint32_t)r->cases.n;
  t->u.cases = PM_KEEP(r, &r->cases, 0);
  return pull_target(r, true, &t->target);
}

/* ---- calls ---- */

static bool pull_type_list(struct pm_reader *r, struct pm_callee *c) {
  struct json_pull *j = &r->j;
  pm_ty list[8];
  if (!jp_item(j) || !jp_array(j))
    return false;
  while (jp_more(j)) {
    if (c->n_types == COUNT_OF(list))
      return jp_fail(j, j->p, "no intrinsic has so many types");
    if (!pm_pull_id(r, r->m->n_types, "type", &list[c->n_types]))
      return false;
    c->n_types++;
  }
  c->types = pm_keep(r, list, c->n_types, sizeof *list);
  return true;
}

static bool pull_const_list(struct pm_reader *r, struct pm_callee *c) {
  struct json_pull *j = &r->j;
  uint64_t list[8];
  if (!jp_item(j) || !jp_array(j))
    return false;
  while (jp_more(j)) {
    if (c->n_consts == COUNT_OF(list))
      return jp_fail(j, j->p, "no intrinsic has so many constants");
    if (!jp_u64(j, &list[c->n_consts]))
      return false;
    c->n_consts++;
  }
  c->consts = pm_keep(r, list, c->n_consts, sizeof *list);
  return true;
}

static bool pull_intrinsic(struct pm_reader *r, struct pm_callee *c) {
  struct json_pull *j = &r->j;
  str name;
  if (!jp_item(j))
    return false;
  const char *at = j->p;
  if (!jp_str(j, &name))
    return false;
  while (intrinsic_names[c->id] && !str_eqz(name, intrinsic_names[c->id]))
    c->id++;
  if (!intrinsic_names[c->id]) {
    jp_fail(j, at, "unknown intrinsic `%.*s`", STR_ARG(str_sub(name, 0, 80)));
    j->error->code = MD0237;
    diag_help(j->error, "rewrite the code so that it does not use this operation");
    return false;
  }
  return pull_type_list(r, c) && pull_const_list(r, c);
}

static bool pull_callee(struct pm_reader *r, struct pm_callee *c) {
  static const char *const names[] = {"fn", "ext", "intr", "ptr", "native", NULL};
  static const enum pm_callee_kind kinds[] = {PM_CALL_FN, PM_CALL_EXTERN, PM_CALL_INTRINSIC,
                                              PM_CALL_PTR, PM_CALL_NATIVE};
  struct json_pull *j = &r->j;
  unsigned k;
  if (!jp_item(j) || !jp_array(j) || !jp_item(j) || !pm_pull_name(r, names, "callee", &k))
    return false;
  c->kind = kinds[k];
  bool ok = false;
  switch (c->kind) {
  case PM_CALL_FN:
    ok = jp_item(j) && pm_pull_id(r, r->m->n_fns, "fn", &c->id);
    break;
  case PM_CALL_EXTERN:
    ok = jp_item(j) && pm_pull_id(r, r->m->n_externs, "extern", &c->id);
    break;
  case PM_CALL_INTRINSIC:
    ok = pull_intrinsic(r, c);
    break;
  case PM_CALL_PTR:
    ok = pull_one(r, &c->ptr);
    break;
  case PM_CALL_NATIVE:
    ok = jp_item(j) && pm_pull_id(r, r->m->n_natives, "native", &c->id);
    break;
  }
  return ok && jp_close(j);
}

static bool pull_call(struct pm_reader *r, struct pm_term *t) {
  struct json_pull *j = &r->j;
  t->u.call.callee = arena_new(&r->m->arena, struct pm_callee);
  return pull_callee(r, t->u.call.callee) && jp_item(j) && pm_pull_operands(r, &t->ops, &t->n) &&
         jp_item(j) && pm_pull_place(r, &t->u.call.dest) && pull_target(r, true, &t->target) &&
         pm_pull_span(r, &t->span);
}

/* ---- the others ---- */

static bool pull_drop(struct pm_reader *r, struct pm_term *t) {
  struct json_pull *j = &r->j;
  t->u.drop.fn = PM_NONE;
  if (!jp_item(j) || !pm_pull_place(r, &t->u.drop.place) || !jp_item(j))
    return false;
  if (!jp_null(j) && !pm_pull_id(r, r->m->n_fns, "fn", &t->u.drop.fn))
    return false;
  return pull_target(r, false, &t->target) && pm_pull_span(r, &t->span);
}

static bool pull_trap_name(struct pm_reader *r, uint8_t *out) {
  unsigned v;
  if (!jp_item(&r->j) || !pm_pull_name(r, trap_names, "reason to stop", &v))
    return false;
  *out = (uint8_t)v;
  return true;
}

/* The condition is the first of the operands that are kept, and is not counted. */
static bool pull_assert(struct pm_reader *r, struct pm_term *t) {
  struct json_pull *j = &r->j;
  struct pm_operand cond;
  if (!jp_item(j) || !pm_pull_operand(r, &cond) || !jp_item(j) || !jp_bool(j, &t->expect) ||
      !pull_trap_name(r, &t->trap) || !jp_item(j) || !pm_pull_operands(r, &t->ops, &t->n))
    return false;
  struct pm_operand *all = arena_array(&r->m->arena, struct pm_operand, (size_t)t->n + 1);
  all[0] = cond;
  if (t->n)
    memcpy(all + 1, t->ops, t->n * sizeof *all);
  t->ops = all;
  return pull_target(r, false, &t->target) && pm_pull_span(r, &t->span);
}

static bool pull_trap(struct pm_reader *r, struct pm_term *t) {
  str s;
  if (!pull_trap_name(r, &t->trap) || !jp_item(&r->j) || !jp_str(&r->j, &s))
    return false;
  t->u.message = pm_intern(r, s);
  return pm_pull_span(r, &t->span);
}

static bool pull_ptx_arg(struct pm_reader *r, struct pm_ptx_arg *a) {
  static const char *const dirs[] = {"in", "out", "inout", NULL};
  struct json_pull *j = &r->j;
  unsigned dir;
  str c;
  if (!jp_array(j) || !jp_item(j) || !pm_pull_name(r, dirs, "direction", &dir) || !jp_item(j))
    return false;
  const char *at = j->p;
  if (!jp_str(j, &c))
    return false;
  if (c.n != 1 || !strchr("hrlfd", c.p[0]))
    return jp_fail(j, at, "unknown constraint `%.*s`; known are h, r, l, f, d",
                   STR_ARG(str_sub(c, 0, 40)));
  a->dir = dir == 0 ? PTX_IN : dir == 1 ? PTX_OUT : PTX_INOUT;
  a->constraint = c.p[0];
  if (a->dir != PTX_OUT && !(jp_item(j) && pm_pull_operand(r, &a->in)))
    return false;
  if (a->dir != PTX_IN && !(jp_item(j) && pm_pull_place(r, &a->out)))
    return false;
  return jp_close(j);
}

static bool pull_ptx_flags(struct pm_reader *r, struct pm_ptx *x) {
  struct json_pull *j = &r->j;
  str key;
  if (!jp_item(j) || !jp_object(j))
    return false;
  while (jp_member(j, &key)) {
    bool *to = str_eqz(key, "pure") ? &x->pure : str_eqz(key, "nomem") ? &x->no_mem : NULL;
    if (!to)
      return jp_fail(j, j->p, "unknown member `%.*s`", STR_ARG(str_sub(key, 0, 80)));
    if (!jp_bool(j, to))
      return false;
  }
  return true;
}

static bool pull_ptx(struct pm_reader *r, struct pm_term *t) {
  struct json_pull *j = &r->j;
  struct pm_ptx *x = t->u.ptx = arena_new(&r->m->arena, struct pm_ptx);
  str s;
  if (!jp_item(j) || !jp_str(j, &s) || !jp_item(j) || !jp_array(j))
    return false;
  x->text = arena_str(&r->m->arena, s);
  r->ptx_args.n = 0;
  while (jp_more(j)) {
    struct pm_ptx_arg a = {0};
    if (!pull_ptx_arg(r, &a))
      return false;
    vec_push(NULL, &r->ptx_args, a);
  }
  x->n_args = (uint32_t)r->ptx_args.n;
  x->args = PM_KEEP(r, &r->ptx_args, 0);
  return pull_ptx_flags(r, x) && pull_target(r, false, &t->target) && pm_pull_span(r, &t->span);
}

static bool pull_parts(struct pm_reader *r, struct pm_term *t) {
  switch ((enum pm_term_kind)t->kind) {
  case PM_GOTO:
    return pull_target(r, false, &t->target);
  case PM_SWITCH:
    return pull_switch(r, t);
  case PM_RETURN:
  case PM_UNREACHABLE:
    return true;
  case PM_CALL:
    return pull_call(r, t);
  case PM_DROP:
    return pull_drop(r, t);
  case PM_ASSERT:
    return pull_assert(r, t);
  case PM_TRAP_TERM:
    return pull_trap(r, t);
  case PM_PTX:
    return pull_ptx(r, t);
  }
  return false;
}

bool pm_pull_term(struct pm_reader *r, struct pm_term *out) {
  static const char *const names[] = {"goto", "switch", "ret",  "unreach", "call",
                                      "drop", "assert", "trap", "ptx",     NULL};
  unsigned k;
  *out = (struct pm_term){.span = PM_NONE, .target = PM_NONE};
  r->stmt_at = r->j.p;
  if (!jp_array(&r->j) || !jp_item(&r->j) || !pm_pull_name(r, names, "terminator", &k))
    return false;
  out->kind = (uint8_t)k;
  return pull_parts(r, out) && jp_close(&r->j);
}
