/* Calls through pointers.
 *
 * A dump is whole: what a pointer to a function of Rust can lead to is a function whose address is
 * taken somewhere in what the module is made of. The few of them that have the signature of the
 * call are called directly, each if the pointer is its address. So they can be inlined, and the
 * linker knows how deep the stack gets, which it does not behind a call through a register. A
 * pointer to none of them stops the kernel. */
#include "ir/ll.h"
#include "ir/units.h"

/* Code grows by every target at every call: above this, one indirect call is better. */
enum { MAX_TARGETS = 8 };

struct ll_targets {
  pm_fn fn[MAX_TARGETS];
  uint32_t n; /* may be more than are kept */
};

static str key_of(struct ll *l, LLVMTypeRef t) {
  return arena_printf(&l->arena, "%p", (void *)t); /* a type is one object in its context */
}

/* Types of functions of Rust do not tell who passes results through memory; nothing else differs. */
static void find_targets(struct ll *l) {
  /* In the emulator a kernel is alone in its module, but not in what it finds in memory. */
  bool rest = !l->o->kernels || l->o->exports || l->o->host;
  struct pm_roots roots = {.kernels = l->o->host ? NULL : l->o->kernels,
                           .n_kernels = l->o->n_kernels,
                           .exports = rest,
                           .all_fns = l->o->host && !l->o->emu};
  struct arena_mark mark = arena_save(&l->scratch);
  bool *taken = pm_fns_taken(l->m, &roots, &l->arena);
  l->has_targets = true;
  for (uint32_t i = 0; i < l->m->n_fns; i++) {
    if (!taken[i] || l->m->fns[i].c_abi)
      continue;
    bool fresh;
    struct ll_sig s = ll_fn_sig(l, i);
    uintptr_t *slot = map_put(&l->targets, key_of(l, s.fn), &fresh);
    if (fresh)
      *slot = (uintptr_t)arena_new(&l->arena, struct ll_targets);
    struct ll_targets *t = (struct ll_targets *)*slot;
    if (t->n < MAX_TARGETS)
      t->fn[t->n] = i;
    t->n++;
  }
  arena_rewind(&l->scratch, mark);
}

static const struct ll_targets *targets_of(struct ll *l, const struct ll_sig *s) {
  static const struct ll_targets none;
  if (!l->has_targets)
    find_targets(l);
  uintptr_t *slot = map_get(&l->targets, key_of(l, s->fn));
  return slot ? (const struct ll_targets *)*slot : &none;
}

static LLVMBasicBlockRef new_block(struct ll_fn *fc, const char *name) {
  return LLVMAppendBasicBlockInContext(fc->l->cx, fc->v, name);
}

struct ll_val ll_call_pointer(struct ll_fn *fc, ll_v p, const struct ll_sig *s,
                              const struct ll_val *args, ll_v into) {
  struct ll *l = fc->l;
  const struct ll_targets *t = s->c_abi ? NULL : targets_of(l, s);
  const struct pm_type *rt = ll_ty(l, s->ret);
  if (!t || t->n > MAX_TARGETS)
    return ll_emit_call(fc, ll_cast_ptr(l, ll_emu_callee(l, p), s->fn), s, args, into);
  struct ll_val r = ll_undef(l, s->ret);
  LLVMBasicBlockRef done = new_block(fc, "called"), from[MAX_TARGETS];
  ll_v value[LL_MAX_LEAVES][MAX_TARGETS];
  if (s->sret && !into)
    into = ll_temp(l, rt->size, rt->align);
  for (uint32_t i = 0; i < t->n; i++) {
    LLVMBasicBlockRef here = new_block(fc, "target"), next = new_block(fc, "other");
    ll_v f = ll_want_fn(l, t->fn[i]);
    ll_v here_is = ll_global_addr(l, PM_TO_FN, t->fn[i], 0);
    ll_v same = LLVMBuildICmp(l->b, LLVMIntEQ, p, here_is, "");
    LLVMBuildCondBr(l->b, same, here, next);
    LLVMPositionBuilderAtEnd(l->b, here);
    struct ll_val v = ll_emit_call(fc, f, s, args, into);
    for (unsigned k = 0; k < r.n && !r.mem; k++)
      value[k][i] = v.v[k];
    from[i] = LLVMGetInsertBlock(l->b);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, next);
  }
  ll_trap(fc, fc->trap_code);
  LLVMPositionBuilderAtEnd(l->b, done);
  if (r.mem)
    r.v[0] = into;
  for (unsigned k = 0; k < r.n && !r.mem && t->n; k++) {
    r.v[k] = LLVMBuildPhi(l->b, LLVMTypeOf(value[k][0]), "");
    LLVMAddIncoming(r.v[k], value[k], from, t->n);
  }
  return r;
}
