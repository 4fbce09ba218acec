/* What statements and ends of blocks do to values. */
#include "callbacks/uniform_impl.h"

static struct uni_value operands(struct uni *u, struct uni_ctx *x, const struct pm_operand *ops, uint32_t n,
                                 pm_loc at) {
  struct uni_value all = {0};
  for (uint32_t i = 0; i < n; i++)
    all = uni_join(x, all, uni_operand(u, x, &ops[i], at));
  return all;
}

static bool compares(enum pm_bin op) {
  return op >= PM_EQ && op <= PM_CMP;
}

static struct uni_value two(struct uni *u, struct uni_ctx *x, const struct pm_rvalue *rv, pm_loc at) {
  struct uni_value a = uni_operand(u, x, &rv->ops[0], at), b = uni_operand(u, x, &rv->ops[1], at);
  if (compares((enum pm_bin)rv->op)) {
    uni_because(&a.why, &b.why);
    a.to = 0;
    return a;
  }
  return uni_join(x, a, b);
}

/* An address made of a number leads anywhere. */
static struct uni_value cast(struct uni *u, struct uni_ctx *x, const struct pm_rvalue *rv, pm_loc at) {
  struct uni_value v = uni_operand(u, x, &rv->ops[0], at);
  bool made = rv->op == PM_INT_TO_PTR || (rv->op == PM_TRANSMUTE && !u->pointers[rv->ops[0].ty]);
  if (made && u->pointers[rv->ty])
    v = uni_join(x, v, (struct uni_value){.to = UNI_OPEN});
  return v;
}

static struct uni_value rvalue(struct uni *u, struct uni_ctx *x, const struct pm_rvalue *rv, pm_loc at) {
  struct uni_value v = {0};
  switch ((enum pm_rv_kind)rv->kind) {
  case PM_BINARY:
    return two(u, x, rv, at);
  case PM_CASTED:
    return cast(u, x, rv, at);
  case PM_UNARY:
    v = uni_operand(u, x, &rv->ops[0], at);
    if (rv->op == PM_PTR_META)
      v.to = 0;
    return v;
  case PM_REF:
  case PM_RAW:
    v.to = uni_place(u, x, &rv->u.place, &v.why);
    return v;
  case PM_DISCR: {
    struct uniform_reason index = {0};
    v = uni_load(u, x, uni_place(u, x, &rv->u.place, &index), at);
    uni_because(&v.why, &index);
    v.to = 0;
    return v;
  }
  case PM_USE:
  case PM_AGG:
  case PM_REPEAT:
  case PM_RAWFAT:
    break;
  }
  return operands(u, x, rv->ops, rv->n_ops, at);
}

/* Stores to a place: whether it happens, and where, may differ too. */
static void assign(struct uni *u, struct uni_ctx *x, uint32_t b, const struct pm_place *p,
                   const struct uni_value *v) {
  struct uniform_reason where = x->under[b];
  uint32_t node = uni_place(u, x, p, &where);
  uni_store(u, x, node, v, &where);
}

static void copy(struct uni *u, struct uni_ctx *x, uint32_t b, const struct pm_stmt *s) {
  struct uni_value to = uni_operand(u, x, &s->u.ops[0], s->span),
                   from = uni_operand(u, x, &s->u.ops[1], s->span),
                   n = uni_operand(u, x, &s->u.ops[2], s->span);
  if (!to.to || !from.to)
    return;
  struct uni_value v = uni_load(u, x, from.to, s->span);
  struct uniform_reason where = x->under[b];
  uni_because(&where, &to.why);
  uni_because(&where, &from.why);
  uni_because(&where, &n.why);
  uni_store(u, x, to.to, &v, &where);
}

static void statement(struct uni *u, struct uni_ctx *x, uint32_t b, const struct pm_stmt *s) {
  struct uni_value v = {0};
  switch ((enum pm_stmt_kind)s->kind) {
  case PM_ASSIGN:
    v = rvalue(u, x, &s->u.rv, s->span);
    assign(u, x, b, &s->place, &v);
    break;
  case PM_SETV:
    assign(u, x, b, &s->place, &v);
    break;
  case PM_COPYN:
    copy(u, x, b, s);
    break;
  case PM_LIVE:
  case PM_DEAD:
  case PM_ASSUME:
    break;
  }
}

static void ptx(struct uni *u, struct uni_ctx *x, uint32_t b, const struct pm_term *t) {
  const struct pm_ptx *p = t->u.ptx;
  struct uni_value in = {0};
  for (uint32_t i = 0; i < p->n_args; i++) {
    if (p->args[i].dir == PTX_OUT)
      continue;
    struct uni_value v = uni_operand(u, x, &p->args[i].in, t->span);
    if (v.to)
      uni_escape(u, x, v.to);
    in = uni_join(x, in, v);
  }
  in.to = UNI_OPEN;
  if (!p->pure || !p->no_mem)
    in.why = (struct uniform_reason){.why = UNI_PTX, .at = t->span};
  for (uint32_t i = 0; i < p->n_args; i++)
    if (p->args[i].dir != PTX_IN)
      assign(u, x, b, &p->args[i].out, &in);
}

static void drop(struct uni *u, struct uni_ctx *x, uint32_t b, const struct pm_term *t) {
  struct uni_value self = {0};
  if (t->u.drop.fn == PM_NONE)
    return;
  self.to = uni_place(u, x, &t->u.drop.place, &self.why);
  uni_call_fn(u, x, b, t->u.drop.fn, &self, 1, NULL, t->span);
}

static void end(struct uni *u, struct uni_ctx *x, uint32_t b, const struct pm_term *t) {
  switch ((enum pm_term_kind)t->kind) {
  case PM_SWITCH: {
    struct uni_value v = uni_operand(u, x, &t->ops[0], t->span);
    if (v.why.why != UNI_UNIFORM)
      uni_spread(x, b, &v.why);
    break;
  }
  case PM_CALL:
    uni_call(u, x, b, t);
    break;
  case PM_DROP:
    drop(u, x, b, t);
    break;
  case PM_PTX:
    ptx(u, x, b, t);
    break;
  case PM_GOTO:
  case PM_RETURN:
  case PM_UNREACHABLE:
  case PM_ASSERT:
  case PM_TRAP_TERM:
    break;
  }
}

void uni_block(struct uni *u, struct uni_ctx *x, uint32_t b) {
  const struct pm_block *block = &u->m->fns[x->fn].blocks[b];
  for (uint32_t i = 0; i < block->n_stmts; i++)
    statement(u, x, b, &block->stmts[i]);
  end(u, x, b, &block->term);
}
