/* Statements and terminators. */
#include "ir/ll.h"

void ll_assume(struct ll *l, ll_v cond) {
  LLVMTypeRef ps[] = {l->i1};
  ll_v f = ll_intrinsic(l, "llvm.assume", l->t_void, ps, 1);
  LLVMBuildCall2(l->b, LLVMFunctionType(l->t_void, ps, 1, 0), f, &cond, 1, "");
}

ll_v ll_not_null(struct ll *l, ll_v p) {
  LLVMTypeRef ps[] = {l->ptr};
  ll_v f = ll_intrinsic(l, "llvm.strip.invariant.group.p0i8", l->ptr, ps, 1);
  ll_v v = LLVMBuildCall2(l->b, LLVMFunctionType(l->ptr, ps, 1, 0), f, &p, 1, "");
  LLVMAddCallSiteAttribute(v, LLVMAttributeReturnIndex, ll_attr(l, "nonnull", 0));
  return v;
}

static void copy_nonoverlapping(struct ll_fn *fc, const struct pm_operand *ops) {
  struct ll *l = fc->l;
  struct ll_val dst = ll_operand(fc, &ops[0]), src = ll_operand(fc, &ops[1]);
  const struct pm_type *t = ll_ty(l, ll_ty(l, dst.ty)->elem);
  ll_copy_elems(l, dst.v[0], src.v[0], ll_scalar(fc, &ops[2]), t->size, t->align, false);
}

static void set_variant(struct ll_fn *fc, const struct pm_stmt *s) {
  struct ll_place p = ll_place_of(fc, &s->place);
  if (ll_ty(fc->l, p.ty)->kind != PM_ENUM)
    BUG("a variant is set on something else");
  ll_set_variant(fc->l, p.ty, s->u.variant, p.addr, p.align);
}

void ll_statement(struct ll_fn *fc, const struct pm_stmt *s) {
  fc->span = s->span;
  ll_debug_at(fc, s->span);
  switch ((enum pm_stmt_kind)s->kind) {
  case PM_ASSIGN:
    ll_assign_rvalue(fc, &s->place, &s->u.rv);
    return;
  case PM_SETV:
    set_variant(fc, s);
    return;
  case PM_ASSUME:
    ll_assume(fc->l, ll_scalar(fc, s->u.ops));
    return;
  case PM_COPYN:
    copy_nonoverlapping(fc, s->u.ops);
    return;
  case PM_LIVE:
  case PM_DEAD:
    return;
  }
  BUG("statement kind %d", s->kind);
}

/* ---- terminators ---- */
void ll_branch(struct ll_fn *fc, uint32_t target) {
  struct ll *l = fc->l;
  if (fc->joined[target])
    fc->blocks[target] = LLVMGetInsertBlock(l->b);
  else
    LLVMBuildBr(l->b, fc->blocks[target]);
}

static LLVMBasicBlockRef unreachable_block(struct ll_fn *fc) {
  struct ll *l = fc->l;
  LLVMBasicBlockRef here = LLVMGetInsertBlock(l->b), b = ll_block(l, "never");
  ll_at(l, b);
  ll_unreachable(l);
  ll_at(l, here);
  return b;
}

static ll_v case_value(ll_v like, const struct pm_case *c) {
  uint64_t w[] = {c->lo, c->hi};
  return LLVMConstIntOfArbitraryPrecision(LLVMTypeOf(like), 2, w);
}

static void switch_bool(struct ll_fn *fc, const struct pm_term *t, ll_v v) {
  LLVMBasicBlockRef to[2] = {NULL, NULL};
  for (uint32_t i = 0; i < t->n; i++)
    if (!to[t->u.cases[i].lo & 1])
      to[t->u.cases[i].lo & 1] = fc->blocks[t->u.cases[i].target];
  for (unsigned i = 0; i < 2; i++)
    if (!to[i] && t->target != PM_NONE)
      to[i] = fc->blocks[t->target];
  if (!to[0] && !to[1])
    ll_unreachable(fc->l);
  else if (!to[0] || !to[1])
    LLVMBuildBr(fc->l->b, to[0] ? to[0] : to[1]);
  else
    LLVMBuildCondBr(fc->l->b, v, to[1], to[0]);
}

static bool is_unreachable(struct ll_fn *fc, uint32_t block) {
  const struct pm_block *b = &fc->f->blocks[block];
  return b->n_stmts == 0 && b->term.kind == PM_UNREACHABLE;
}

/* With two cases and nothing else one comparison is enough: passes know more of a branch than of a switch. */
static void switch_on(struct ll_fn *fc, const struct pm_term *t) {
  struct ll *l = fc->l;
  if (ll_is_settled(fc, t)) {
    ll_branch(fc, ll_settled(fc, t));
    return;
  }
  struct ll_val op = ll_operand(fc, &t->ops[0]);
  const struct pm_type *ty = ll_ty(l, op.ty);
  if (op.mem || op.n != 1)
    BUG("switch on `%.*s`", STR_ARG(ty->name));
  ll_v v = op.v[0];
  if (LLVMTypeOf(v) == l->ptr)
    v = LLVMBuildPtrToInt(l->b, v, l->i64, "");
  if (LLVMTypeOf(v) == l->i1) {
    switch_bool(fc, t, v);
    return;
  }
  bool never = t->target == PM_NONE || is_unreachable(fc, t->target);
  /* The emulator tells when it comes to what cannot be, unless the clean-up made use of it. */
  bool watched = never && l->o->emu && (l->o->emu_checks || l->o->opt == 0);
  if (t->n == (never ? 2u : 1u) && !watched) {
    ll_v same = LLVMBuildICmp(l->b, LLVMIntEQ, v, case_value(v, &t->u.cases[0]), "");
    LLVMBuildCondBr(l->b, same, fc->blocks[t->u.cases[0].target],
                    fc->blocks[never ? t->u.cases[1].target : t->target]);
    return;
  }
  LLVMBasicBlockRef other = t->target == PM_NONE ? unreachable_block(fc) : fc->blocks[t->target];
  ll_v s = LLVMBuildSwitch(l->b, v, other, t->n);
  for (uint32_t i = 0; i < t->n; i++)
    LLVMAddCase(s, case_value(v, &t->u.cases[i]), fc->blocks[t->u.cases[i].target]);
}

static void drop(struct ll_fn *fc, const struct pm_term *t) {
  struct ll *l = fc->l;
  pm_fn id = t->u.drop.fn;
  if (id != PM_NONE) {
    struct arena_mark mark = arena_save(&l->scratch);
    struct ll_place p = ll_place_of(fc, &t->u.drop.place);
    struct ll_sig s = ll_fn_sig(l, id);
    if (s.n_args != 1)
      BUG("drop glue with %u arguments", s.n_args);
    struct ll_val v = p.meta ? ll_two(l, s.args[0], p.addr, p.meta) : ll_one(l, s.args[0], p.addr);
    ll_emit_call(fc, ll_want_fn(l, id), &s, &v, NULL);
    arena_rewind(&l->scratch, mark);
  }
  ll_branch(fc, t->target);
}

/* Overflow checks of inlined library functions follow the unit's own profile, as in rustc. */
static bool is_off(const struct ll *l, const struct pm_term *t) {
  return !l->m->unit.overflow_checks && pm_is_overflow((enum pm_trap)t->trap);
}

static void check(struct ll_fn *fc, const struct pm_term *t, uint32_t code) {
  struct ll *l = fc->l;
  ll_v cond = ll_scalar(fc, &t->ops[0]);
  bool shared = !l->o->trap_info && !l->o->host && !l->dbg;
  LLVMBasicBlockRef ok = fc->blocks[t->target];
  if (is_off(l, t)) {
    LLVMBuildBr(l->b, ok);
    return;
  }
  LLVMBasicBlockRef bad = shared && fc->trap_block ? fc->trap_block : ll_block(l, "trap");
  LLVMBuildCondBr(l->b, cond, t->expect ? ok : bad, t->expect ? bad : ok);
  if (bad == fc->trap_block)
    return;
  if (shared)
    fc->trap_block = bad;
  ll_at(l, bad);
  ll_trap(fc, code);
}

/* A block that only jumps to itself: LLVM 7 takes an endless loop without effects for unreachable,
 * Rust does not. */
static void keep_endless(struct ll_fn *fc, uint32_t block, uint32_t target) {
  if (fc->f->blocks[block].n_stmts == 0 && block == target)
    ll_asm(fc->l, "", "", fc->l->t_void, NULL, 0, true);
}

void ll_terminator(struct ll_fn *fc, uint32_t block) {
  struct ll *l = fc->l;
  const struct pm_term *t = &fc->f->blocks[block].term;
  if (t->span != PM_NONE)
    fc->span = t->span;
  ll_debug_at(fc, t->span);
  switch ((enum pm_term_kind)t->kind) {
  case PM_GOTO:
    keep_endless(fc, block, t->target);
    ll_branch(fc, t->target);
    return;
  case PM_SWITCH:
    switch_on(fc, t);
    return;
  case PM_RETURN:
    ll_return(fc);
    return;
  case PM_UNREACHABLE:
    ll_unreachable(l);
    return;
  case PM_CALL:
    ll_call_term(fc, t);
    return;
  case PM_DROP:
    drop(fc, t);
    return;
  case PM_ASSERT:
    check(fc, t, fc->block_traps[block]);
    return;
  case PM_TRAP_TERM:
    ll_trap(fc, fc->block_traps[block]);
    return;
  case PM_PTX:
    ll_ptx_term(fc, t);
    return;
  }
  BUG("terminator kind %d", t->kind);
}
