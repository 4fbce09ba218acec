/* Variables for debuggers. Their locals have memory of their own, as in code made by `nvcc -G`; a
 * place behind pointers is shown by its address, which is kept beside it. */
#include "ir/ll_debug.h"

struct ll_var {
  const struct pm_var *var;
  ll_v slot; /* of the address; NULL: the variable is a part of its local */
};

/* Pointers on the way are followed whenever the local is assigned, so they must be references. */
static bool is_described(struct ll_fn *fc, const struct pm_var *v) {
  pm_ty ty = fc->f->locals[v->place.local].ty;
  bool raw = ll_ty(fc->l, ty)->size == 0 || v->span == PM_NONE;
  for (uint32_t i = 0; i < v->place.n; i++) {
    const struct pm_proj *p = &v->place.proj[i];
    bool more = i + 1 < v->place.n;
    if ((p->kind != PM_FIELD && p->kind != PM_DEREF) || raw)
      return false;
    raw = p->kind == PM_DEREF && more && !ll_ty(fc->l, ty)->is_ref;
    ty = p->ty;
  }
  return !raw;
}

static bool behind_pointer(const struct pm_var *v) {
  for (uint32_t i = 0; i < v->place.n; i++)
    if (v->place.proj[i].kind == PM_DEREF)
      return true;
  return false;
}

static pm_ty type_of(struct ll_fn *fc, const struct pm_var *v) {
  return v->place.n ? v->place.proj[v->place.n - 1].ty : fc->f->locals[v->place.local].ty;
}

void ll_debug_keep(struct ll_fn *fc) {
  if (!fc->l->dbg || !fc->l->dbg->full)
    return;
  fc->vars = arena_array(&fc->l->scratch, struct ll_var, fc->f->n_vars);
  fc->behind = arena_array(&fc->l->scratch, bool, fc->f->n_locals);
  for (uint32_t i = 0; i < fc->f->n_vars; i++) {
    const struct pm_var *v = &fc->f->vars[i];
    if (!is_described(fc, v))
      continue;
    fc->vars[fc->n_vars++].var = v;
    fc->locals[v->place.local].ssa = fc->locals[v->place.local].constant = false;
    if (behind_pointer(v))
      fc->behind[v->place.local] = true;
  }
}

/* After a whole local was assigned: the addresses of what lies behind it. The last pointer is not
 * followed. */
void ll_debug_assigned(struct ll_fn *fc, uint32_t local) {
  struct ll *l = fc->l;
  if (!fc->behind || !fc->behind[local])
    return;
  for (uint32_t i = 0; i < fc->n_vars; i++) {
    struct ll_var *x = &fc->vars[i];
    if (x->var->place.local != local || !behind_pointer(x->var) ||
        ll_is_unsized(l, type_of(fc, x->var)))
      continue;
    if (!x->slot)
      x->slot = ll_alloca(l, l->ptr, 8);
    struct ll_place p = ll_place_of(fc, &x->var->place);
    LLVMBuildStore(l->b, p.addr, x->slot);
  }
}

/* The alloca behind the cast that other code works with. */
static ll_v storage(const struct ll_local *lo) {
  if (lo->slot)
    return lo->slot;
  return LLVMIsABitCastInst(lo->addr) ? LLVMGetOperand(lo->addr, 0) : lo->addr;
}

static LLVMMetadataRef offset_of(struct ll_fn *fc, const struct pm_place *p) {
  uint64_t off = 0;
  pm_ty ty = fc->f->locals[p->local].ty;
  for (uint32_t i = 0; i < p->n; i++) {
    off += ll_ty(fc->l, ty)->fields[p->proj[i].a].off;
    ty = p->proj[i].ty;
  }
  uint64_t words[] = {0x23 /* DW_OP_plus_uconst */, off};
  return LLVMDIBuilderCreateExpression(fc->l->dbg->b, words, off ? 2 : 0);
}

struct numbering { /* of the parameters of inlined functions, which stand in a row */
  pm_loc at;
  const char *fn;
  unsigned n;
};

/* The number of a parameter, 0 for other variables. Of inlined functions the dump does not say what
 * was a parameter: variables outside of all blocks are. */
static unsigned parameter(struct ll_fn *fc, const struct pm_var *v, struct numbering *in,
                          bool *taken) {
  const struct pm_span *s = &fc->l->m->spans[v->span];
  uint32_t local = v->place.local;
  if (s->scope != PM_NONE)
    return 0;
  if (s->inlined_at == PM_NONE) {
    if (v->place.n > 0 || local < 1 || local > fc->f->n_args || taken[local])
      return 0;
    taken[local] = true;
    return local;
  }
  if (in->at != s->inlined_at || in->fn != s->inlined_fn.p)
    *in = (struct numbering){.at = s->inlined_at, .fn = s->inlined_fn.p};
  return ++in->n;
}

/* libNVVM promotes memory to registers whatever the level, and forgets values that nobody reads. An
 * address that has been seen elsewhere holds the variable all the time. */
static void keep_in_memory(struct ll *l, ll_v slot) {
  ll_v address = LLVMBuildPtrToInt(l->b, slot, l->i64, "");
  (void)ll_asm(l, "", l->o->host ? "r,~{memory}" : "l,~{memory}", l->t_void, &address, 1, true);
}

static void declare(struct ll_fn *fc, const struct ll_var *x, unsigned arg) {
  struct ll *l = fc->l;
  struct ll_debug *d = l->dbg;
  const struct pm_var *v = x->var;
  const struct pm_span *s = &l->m->spans[v->span];
  LLVMMetadataRef scope = ll_debug_scope(l, s), file = ll_debug_file(l, s->at.file);
  pm_ty ty = type_of(fc, v);
  LLVMMetadataRef type = x->slot ? ll_debug_pointer_to(l, ty) : ll_debug_type(l, ty);
  LLVMMetadataRef var =
      arg ? LLVMDIBuilderCreateParameterVariable(d->b, scope, v->name.p, v->name.n, arg, file,
                                                 s->at.line0, type, 0, LLVMDIFlagZero)
          : LLVMDIBuilderCreateAutoVariable(d->b, scope, v->name.p, v->name.n, file, s->at.line0,
                                            type, 0, LLVMDIFlagZero, 0);
  LLVMMetadataRef expr =
      x->slot ? LLVMDIBuilderCreateExpression(d->b, NULL, 0) : offset_of(fc, &v->place);
  ll_v at = x->slot ? x->slot : storage(&fc->locals[v->place.local]);
  keep_in_memory(l, at);
  LLVMDIBuilderInsertDeclareAtEnd(d->b, at, var, expr, ll_debug_location(l, v->span),
                                  LLVMGetInsertBlock(l->allocas));
}

/* When the body is there: all slots exist that ever will. */
void ll_debug_variables(struct ll_fn *fc) {
  struct numbering in = {.at = PM_NONE};
  bool *taken = arena_array(&fc->l->scratch, bool, fc->f->n_args + 1);
  LLVMPositionBuilderAtEnd(fc->l->b, LLVMGetInsertBlock(fc->l->allocas));
  ll_debug_none(fc->l);
  for (uint32_t i = 0; i < fc->n_vars; i++) {
    const struct ll_var *x = &fc->vars[i];
    const struct ll_local *lo = &fc->locals[x->var->place.local];
    unsigned arg = parameter(fc, x->var, &in, taken);
    bool stored = lo->addr && LLVMIsAAllocaInst(storage(lo));
    if (behind_pointer(x->var) ? x->slot != NULL : stored)
      declare(fc, x, arg);
  }
}
