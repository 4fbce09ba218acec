/* Where device code stops: codes, the record for the host, and the table that explains codes. */
#include "ir/ll.h"

/* True when the terminator can stop the program; each such block gets a code of its own. */
bool ll_block_trap(const struct pmir *m, const struct pm_term *t, enum pm_trap *kind) {
  if (t->kind == PM_ASSERT || t->kind == PM_TRAP_TERM) {
    *kind = (enum pm_trap)t->trap;
    return true;
  }
  if (t->kind != PM_CALL)
    return false;
  const struct pm_callee *c = t->u.call.callee;
  if (c->kind == PM_CALL_INTRINSIC && (enum pm_intrinsic)c->id == PI_ABORT) {
    *kind = PM_TRAP_ABORT;
    return true;
  }
  if (c->kind == PM_CALL_PTR && !m->types[c->ptr->ty].c_abi) {
    *kind = PM_TRAP_CALL;
    return true;
  }
  if (c->kind != PM_CALL_EXTERN)
    return false;
  str symbol = m->externs[c->id].symbol;
  *kind = str_eqz(symbol, "__mirdc_assert_fail") ? PM_TRAP_ASSERT : PM_TRAP_ABORT;
  return *kind == PM_TRAP_ASSERT || str_eqz(symbol, "__mirdc_trap");
}

void ll_number_traps(struct ll *l) {
  uint32_t next = 1;
  enum pm_trap kind;
  l->trap_base = arena_array(&l->arena, uint32_t, l->m->n_fns);
  for (uint32_t f = 0; f < l->m->n_fns; f++) {
    l->trap_base[f] = next;
    for (uint32_t b = 0; b < l->m->fns[f].n_blocks; b++)
      next += ll_block_trap(l->m, &l->m->fns[f].blocks[b].term, &kind);
  }
}

static str trap_text(enum pm_trap kind) {
  switch (kind) {
#define PM_TRAP(id, name, text)                                                                    \
  case id:                                                                                         \
    return STR(text);
#include "ir/traps.def"
#undef PM_TRAP
  case PM_TRAP_END:
    break;
  }
  BUG("trap kind %d", (int)kind);
}

/* One block that goes to each block; PM_NONE: none does. */
static uint32_t *comes_from(struct arena *a, const struct pm_func *f) {
  uint32_t *from = arena_array(a, uint32_t, f->n_blocks);
  for (uint32_t b = 0; b < f->n_blocks; b++)
    from[b] = PM_NONE;
  for (uint32_t b = f->n_blocks; b-- > 0;) {
    const struct pm_term *t = &f->blocks[b].term;
    if (t->target != PM_NONE)
      from[t->target] = b;
    for (uint32_t i = 0; t->kind == PM_SWITCH && i < t->n; i++)
      from[t->u.cases[i].target] = b;
  }
  return from;
}

/* A macro of the core library, such as `panic!`, stands in rustc's text at the place where it is
 * defined. What decided to come here is then the best that is known. */
static struct span trap_place(const struct pmir *m, const struct pm_func *f, const uint32_t *from,
                              uint32_t block) {
  struct span at;
  for (uint32_t steps = 0; block != PM_NONE && steps < 8; block = from[block], steps++) {
    const struct pm_block *b = &f->blocks[block];
    if (pm_user_place(m, b->term.span, &at))
      return at;
    for (uint32_t i = b->n_stmts; i-- > 0;)
      if (pm_user_place(m, b->stmts[i].span, &at))
        return at;
  }
  return pm_span_of(m, f->span);
}

void ll_list_traps(struct ll *l) {
  VEC(struct lower_trap) rows = {0};
  struct arena *a = &l->out->arena;
  for (uint32_t f = 0; f < l->m->n_fns; f++) {
    const struct pm_func *fn = &l->m->fns[f];
    if (!l->fn_wanted[f])
      continue;
    uint32_t code = l->trap_base[f], *from = comes_from(&l->arena, fn);
    for (uint32_t b = 0; b < fn->n_blocks; b++) {
      const struct pm_term *t = &fn->blocks[b].term;
      enum pm_trap kind;
      if (!ll_block_trap(l->m, t, &kind))
        continue;
      struct span at = trap_place(l->m, fn, from, b);
      bool own = t->kind == PM_TRAP_TERM && t->u.message.n > 0;
      struct lower_trap row = {.code = code++, .kind = kind, .line = at.line0, .col = at.col0};
      row.message = arena_str(a, own ? t->u.message : trap_text(kind));
      row.function = arena_str(a, fn->name);
      row.file = arena_str(a, pm_file_path(l->m, at.file));
      vec_push(a, &rows, row);
    }
  }
  l->out->traps = rows.p;
  l->out->n_traps = (uint32_t)rows.n;
}

/* ---- the record ---- */
static ll_v sreg(struct ll *l, const char *name) {
  char full[64];
  snprintf(full, sizeof full, "llvm.nvvm.read.ptx.sreg.%s", name);
  return LLVMBuildCall2(l->b, LLVMFunctionType(l->i32, NULL, 0, 0),
                        ll_intrinsic(l, full, l->i32, NULL, 0), NULL, 0, "");
}

static ll_v host_visible_word(struct ll *l) {
  ll_v g = LLVMAddGlobalInAddressSpace(l->mod, l->i64, "__mirdc_trap_buf", 1);
  LLVMSetInitializer(g, LLVMConstInt(l->i64, 0, 0));
  LLVMSetAlignment(g, 8);
  LLVMSetExternallyInitialized(g, 1);
  LLVMSetLinkage(g, LLVMWeakAnyLinkage); /* several modules may be linked together */
  vec_push(&l->arena, &l->used, ll_generic(l, g, 1));
  return ll_generic(l, g, 1);
}

static void store_word(struct ll *l, ll_v buf, unsigned i, ll_v v) {
  ll_v args[] = {LLVMBuildAdd(l->b, buf, ll_usize(l, 4 * i), ""), v};
  ll_asm(l, "st.volatile.u32 [$0], $1;", "l,r,~{memory}", l->t_void, args, 2, true);
}

/* Only the first failing thread writes; the others wait for it for a while, because the trap of
 * any thread ends them all. */
static void build_report(struct ll *l, ll_v f) {
  static const char *const where[] = {"ctaid.x", "ctaid.y", "ctaid.z", "tid.x", "tid.y", "tid.z"};
  LLVMBasicBlockRef have = ll_block(l, "have"), write = ll_block(l, "write");
  LLVMBasicBlockRef wait = ll_block(l, "wait"), done = ll_block(l, "done");
  ll_v lock = LLVMAddGlobalInAddressSpace(l->mod, l->i32, "__mirdc_trap_lock", 1);
  LLVMSetInitializer(lock, LLVMConstInt(l->i32, 0, 0));
  LLVMSetAlignment(lock, 4);
  LLVMSetLinkage(lock, LLVMInternalLinkage);
  ll_v lock_p = ll_generic(l, lock, 1);
  ll_v buf = ll_load(l, l->i64, l->trap_buf, 8);
  LLVMSetVolatile(buf, 1);
  ll_v none = LLVMBuildICmp(l->b, LLVMIntEQ, buf, ll_usize(l, 0), "");
  LLVMBuildCondBr(l->b, none, done, have);
  ll_at(l, have);
  ll_v zero = LLVMConstInt(l->i32, 0, 0), one = LLVMConstInt(l->i32, 1, 0);
  ll_v old = ll_atomic_cas(l, lock_p, zero, one, ORD_RELAXED, SCOPE_DEVICE);
  LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, old, zero, ""), write, wait);
  ll_at(l, write);
  store_word(l, buf, 1, LLVMGetParam(f, 0));
  for (unsigned i = 0; i < COUNT_OF(where); i++)
    store_word(l, buf, 2 + i, sreg(l, where[i]));
  ll_fence(l, ORD_SEQCST, SCOPE_SYSTEM);
  store_word(l, buf, 0, one);
  ll_fence(l, ORD_SEQCST, SCOPE_SYSTEM);
  ll_atomic_store(l, lock_p, LLVMConstInt(l->i32, 2, 0), ORD_RELAXED, SCOPE_DEVICE);
  LLVMBuildBr(l->b, done);
  ll_at(l, wait);
  ll_v turn = LLVMBuildPhi(l->b, l->i32, "");
  ll_v seen = ll_atomic_load(l, lock_p, l->i32, ORD_RELAXED, SCOPE_DEVICE);
  ll_v next = LLVMBuildAdd(l->b, turn, one, "");
  LLVMAddIncoming(turn, &zero, &have, 1);
  LLVMAddIncoming(turn, &next, &wait, 1);
  ll_v late = LLVMBuildICmp(l->b, LLVMIntUGT, next, LLVMConstInt(l->i32, 1u << 16, 0), "");
  ll_v over = LLVMBuildICmp(l->b, LLVMIntEQ, seen, LLVMConstInt(l->i32, 2, 0), "");
  LLVMBuildCondBr(l->b, LLVMBuildOr(l->b, late, over, ""), done, wait);
  ll_at(l, done);
  LLVMBuildRetVoid(l->b);
}

void ll_trap_report(struct ll_fn *fc, uint32_t code) {
  struct ll *l = fc->l;
  LLVMTypeRef ps[] = {l->i32};
  bool fresh;
  ll_v arg = LLVMConstInt(l->i32, code, 0);
  if (!l->o->trap_info)
    return;
  if (!l->trap_buf)
    l->trap_buf = host_visible_word(l);
  ll_v f = ll_helper_begin(l, LLH_TRAP_REPORT, 0, "mirdc_trap_report", l->t_void, ps, 1, &fresh);
  if (fresh) {
    LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, l->a_noinline);
    build_report(l, f);
    ll_helper_end(l);
  }
  ll_call(l, f, &arg, 1);
}

static void host_trap(struct ll *l, uint32_t code) {
  LLVMTypeRef ps[] = {l->i32};
  ll_v arg = LLVMConstInt(l->i32, code, 0);
  ll_call(l, ll_intrinsic(l, "__mirdc_host_trap", l->t_void, ps, 1), &arg, 1);
}

void ll_trap_stop(struct ll_fn *fc, uint32_t code) {
  struct ll *l = fc->l;
  if (l->o->emu) {
    ll_emu_trap(l, code);
    return;
  }
  if (l->o->host) {
    host_trap(l, code);
    return;
  }
  ll_trap_report(fc, code);
  /* `exit` keeps ptxas from taking what follows in memory for reachable. */
  ll_asm(l, "trap;\n\texit;", "~{memory}", l->t_void, NULL, 0, true);
}

void ll_trap(struct ll_fn *fc, uint32_t code) {
  ll_trap_stop(fc, code);
  LLVMBuildUnreachable(fc->l->b);
}
