/* What differs in code for the emulator: where memory and thread indices come from, accesses that
 * are told to its checks, and the last step of device operations. */
#include "ir/ll.h"

#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include <stddef.h>

void ll_emu_begin(struct ll *l) {
  char *triple = LLVMGetDefaultTargetTriple(), *message = NULL;
  LLVMTargetRef t = NULL;
  LLVMSetTarget(l->mod, triple);
  if (LLVMGetTargetFromTriple(triple, &t, &message))
    BUG("no code generator for this machine: %s", message);
  LLVMTargetMachineRef tm = LLVMCreateTargetMachine(t, triple, "", "", LLVMCodeGenLevelDefault,
                                                    LLVMRelocDefault, LLVMCodeModelJITDefault);
  LLVMTargetDataRef td = LLVMCreateTargetDataLayout(tm);
  LLVMSetModuleDataLayout(l->mod, td);
  LLVMDisposeTargetData(td);
  LLVMDisposeTargetMachine(tm);
  LLVMDisposeMessage(triple);
}

/* ---- names that the emulator gives addresses ---- */
static ll_v state(struct ll *l) {
  ll_v g = LLVMGetNamedGlobal(l->mod, EMU_STATE);
  if (!g)
    g = LLVMAddGlobal(l->mod, l->i8, EMU_STATE);
  return g;
}

static ll_v field_at(struct ll *l, ll_v base, size_t off, LLVMTypeRef t) {
  ll_v p = LLVMBuildBitCast(l->b, ll_gep(l, base, off), LLVMPointerType(t, 0), "");
  return p;
}

static ll_v read_field(struct ll *l, ll_v base, size_t off, LLVMTypeRef t) {
  return LLVMBuildLoad2(l->b, t, field_at(l, base, off, t), "");
}

static struct ll_emu_data name_of(struct ll *l, ll_v global, enum pm_reloc_kind kind, uint32_t id) {
  size_t n;
  const char *p = LLVMGetValueName2(global, &n);
  return (struct ll_emu_data){arena_strz(&l->arena, (str){p, n}), kind, id};
}

/* Memory of the dump. True: the global stays a declaration. */
bool ll_emu_want_data(struct ll *l, enum pm_reloc_kind kind, uint32_t id, ll_v global) {
  if (!l->o->emu)
    return false;
  if (kind == PM_TO_STATIC) {
    const struct pm_static *s = &l->m->statics[id];
    if (s->alloc == PM_NONE && s->space != PM_SHARED)
      ll_emu_refuse_outside(l, s->symbol, s->span);
  }
  struct ll_emu_data d = name_of(l, global, kind, id);
  LLVMSetLinkage(global, LLVMExternalLinkage);
  vec_push(&l->arena, &l->emu_data, d);
  return true;
}

/* Each kernel has code of its own, and pointers to functions stay in memory from launch to launch.
 * So the address of a function is that of a word of the emulator's, which holds the address of some
 * kernel's code of it. */
ll_v ll_emu_fn_address(struct ll *l, pm_fn id) {
  char name[32];
  snprintf(name, sizeof name, "__mirdc_emu_fn_%u", id);
  ll_v g = LLVMGetNamedGlobal(l->mod, name), f = ll_want_fn(l, id);
  if (g)
    return g;
  g = LLVMAddGlobal(l->mod, l->i8, name);
  struct ll_emu_data word = name_of(l, g, PM_TO_FN, id), code = name_of(l, f, PM_TO_FN, id);
  vec_push(&l->arena, &l->emu_data, word);
  vec_push(&l->arena, &l->emu_fns, code);
  LLVMSetLinkage(f, LLVMExternalLinkage);
  return g;
}

ll_v ll_emu_callee(struct ll *l, ll_v p) {
  return l->o->emu ? ll_emu_call(l, "callee", l->ptr, &p, 1) : p;
}

void ll_emu_refuse_outside(struct ll *l, str symbol, pm_loc span) {
  struct span at = pm_span_of(l->m, l->fn ? l->fn->span : span);
  struct diag *d =
      diag_error(l->sink, MD0800, at, "`%.*s` is defined outside of the dump", STR_ARG(symbol));
  if (l->fn)
    diag_note(d, "in `%.*s`", STR_ARG(l->fn->f->name));
  diag_help(d, "write the function in Rust, or give its callers another body for the emulator");
  l->failed = true;
}

/* ---- calls ---- */
static ll_v loc(struct ll *l) {
  bool known = l->fn && l->fn->span < EMU_LOC_MAX;
  return LLVMConstInt(l->i32, known ? (uint64_t)l->fn->span + 1 : 0, 0);
}

static ll_v call_named(struct ll *l, const char *prefix, const char *name, LLVMTypeRef ret,
                       ll_v *args, unsigned n) {
  LLVMTypeRef ps[12];
  char full[64];
  ASSERT(n <= COUNT_OF(ps));
  for (unsigned i = 0; i < n; i++)
    ps[i] = LLVMTypeOf(args[i]);
  snprintf(full, sizeof full, "%s%s", prefix, name);
  ll_v f = ll_intrinsic(l, full, ret, ps, n);
  ll_mark(l, f);
  return ll_call(l, f, args, n);
}

ll_v ll_emu_call(struct ll *l, const char *name, LLVMTypeRef ret, const ll_v *args, unsigned n) {
  ll_v all[12];
  unsigned at = 0;
  ASSERT(n + 2 <= COUNT_OF(all));
  all[at++] = state(l);
  for (unsigned i = 0; i < n; i++) {
    bool is_bool = LLVMTypeOf(args[i]) == l->i1;
    all[at++] = is_bool ? LLVMBuildZExt(l->b, args[i], l->i32, "") : args[i];
  }
  all[at++] = loc(l);
  bool back = ret == l->i1;
  ll_v r = call_named(l, EMU_OP, name, back ? l->i32 : ret, all, at);
  return back ? LLVMBuildICmp(l->b, LLVMIntNE, r, ll_k(r, 0), "") : r;
}

void ll_emu_trap(struct ll *l, uint32_t code) {
  ll_v arg = LLVMConstInt(l->i32, code, 0);
  ll_emu_call(l, "stop", l->t_void, &arg, 1);
}

void ll_unreachable(struct ll *l) {
  if (l->o->emu)
    ll_emu_call(l, "unreachable", l->t_void, NULL, 0);
  LLVMBuildUnreachable(l->b);
}

ll_v ll_emu_half_fma(struct ll *l, ll_v *bits) {
  return call_named(l, EMU_MATH, "half_fma", l->i16, bits, 3);
}

/* ---- indices and memory of the launch ---- */
ll_v ll_emu_dyn_shared(struct ll *l) {
  l->dyn_shared = state(l); /* somebody wants it */
  return read_field(l, l->dyn_shared, offsetof(struct emu_regs, dyn_shared), l->ptr);
}

ll_v ll_emu_sreg(struct ll *l, const char *text) {
#define THREAD(name, field)                                                                        \
  { name, true, offsetof(struct emu_thread_regs, field) }
#define BLOCK(name, field)                                                                         \
  { name, false, offsetof(struct emu_regs, field) }
  static const struct {
    const char *name;
    bool thread;
    size_t off;
  } rows[] = {
      THREAD("tid.x", tid[0]),     THREAD("tid.y", tid[1]),      THREAD("tid.z", tid[2]),
      THREAD("laneid", lane),      BLOCK("ntid.x", ntid[0]),     BLOCK("ntid.y", ntid[1]),
      BLOCK("ntid.z", ntid[2]),    BLOCK("ctaid.x", ctaid[0]),   BLOCK("ctaid.y", ctaid[1]),
      BLOCK("ctaid.z", ctaid[2]),  BLOCK("nctaid.x", nctaid[0]), BLOCK("nctaid.y", nctaid[1]),
      BLOCK("nctaid.z", nctaid[2])};
#undef THREAD
#undef BLOCK
  const char *name = text + strlen("llvm.nvvm.read.ptx.sreg.");
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    if (strcmp(rows[i].name, name) != 0)
      continue;
    ll_v base = state(l);
    if (rows[i].thread)
      base = read_field(l, base, offsetof(struct emu_regs, thread), l->ptr);
    return read_field(l, base, rows[i].off, l->i32);
  }
  BUG("the emulator has no register `%s`", name);
}

/* ---- accesses ---- */
/* Memory that nobody but the function itself can name. */
static bool is_own(ll_v p) {
  for (;;) {
    if (LLVMIsAAllocaInst(p))
      return true;
    bool step = LLVMIsABitCastInst(p) || LLVMIsAGetElementPtrInst(p);
    if (!step)
      return false;
    p = LLVMGetOperand(p, 0);
  }
}

static bool is_checked(struct ll *l, ll_v p) {
  return l->o->emu_checks && !is_own(p);
}

static uint64_t size_of(struct ll *l, LLVMTypeRef t) {
  return LLVMStoreSizeOfType(LLVMGetModuleDataLayout(l->mod), t);
}

/* One word: the size, and above it the bits that the address may not have. A GPU wants an address
 * to be a multiple of the size, as far as the code promises that. */
static ll_v size_and_mask(struct ll *l, LLVMTypeRef t, uint64_t align) {
  uint64_t size = size_of(l, t), low = align < size ? align : size;
  while (low & (low - 1))
    low &= low - 1;
  return ll_usize(l, size | (low > 0 ? low - 1 : 0) << 32);
}

ll_v ll_emu_access(struct ll *l, ll_v p, LLVMTypeRef t, uint64_t align, bool write) {
  if (!is_checked(l, p))
    return p;
  ll_v args[] = {p, size_and_mask(l, t, align)};
  return ll_emu_call(l, write ? "write" : "read", l->ptr, args, 2);
}

ll_v ll_emu_copy(struct ll *l, ll_v dst, ll_v src, ll_v bytes) {
  ll_v args[] = {dst, src, bytes};
  if (!is_checked(l, dst) && !is_checked(l, src))
    return bytes;
  return ll_emu_call(l, "copy", l->i64, args, 3);
}

ll_v ll_emu_fill(struct ll *l, ll_v dst, ll_v bytes) {
  ll_v args[] = {dst, bytes};
  return is_checked(l, dst) ? ll_emu_call(l, "fill", l->i64, args, 2) : bytes;
}

ll_v ll_emu_compare(struct ll *l, ll_v a, ll_v b, ll_v bytes) {
  ll_v args[] = {a, b, bytes};
  if (!is_checked(l, a) && !is_checked(l, b))
    return bytes;
  return ll_emu_call(l, "compare", l->i64, args, 3);
}

ll_v ll_emu_atomic(struct ll *l, ll_v p, LLVMTypeRef t, enum ll_emu_atomic kind, enum ll_order o,
                   enum ll_scope s) {
  static const char *const names[] = {"atomic_read", "atomic_write", "atomic_rmw"};
  if (!l->o->emu_checks)
    return p;
  ll_v size = size_and_mask(l, t, size_of(l, t));
  ll_v args[] = {p, size, LLVMConstInt(l->i32, o, 0), LLVMConstInt(l->i32, s, 0)};
  return ll_emu_call(l, names[kind], l->ptr, args, 4);
}

void ll_emu_fence(struct ll *l, enum ll_order o, enum ll_scope s) {
  ll_v args[] = {LLVMConstInt(l->i32, o, 0), LLVMConstInt(l->i32, s, 0)};
  if (l->o->emu_checks)
    ll_emu_call(l, "fence", l->t_void, args, 2);
}

/* ---- loops ---- */
static void poll(struct ll *l) {
  LLVMBasicBlockRef ask = ll_block(l, "ask"), go = ll_block(l, "go");
  ll_v p = field_at(l, state(l), offsetof(struct emu_regs, fuel), l->i32);
  ll_v left =
      LLVMBuildSub(l->b, LLVMBuildLoad2(l->b, l->i32, p, ""), LLVMConstInt(l->i32, 1, 0), "");
  LLVMBuildStore(l->b, left, p);
  LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, left, ll_k(left, 0), ""), ask, go);
  ll_at(l, ask);
  ll_emu_call(l, "poll", l->t_void, NULL, 0);
  LLVMBuildBr(l->b, go);
  ll_at(l, go);
}

/* Endless ones must end by the time limit, and others must get their turn. */
void ll_emu_loop_head(struct ll_fn *fc) {
  if (fc->l->o->emu)
    poll(fc->l);
}

static bool calls_others(const struct pm_func *f) {
  for (uint32_t i = 0; i < f->n_blocks; i++) {
    const struct pm_term *t = &f->blocks[i].term;
    if (t->kind == PM_DROP && t->u.drop.fn != PM_NONE)
      return true;
    if (t->kind == PM_CALL &&
        (t->u.call.callee->kind == PM_CALL_FN || t->u.call.callee->kind == PM_CALL_PTR))
      return true;
  }
  return false;
}

/* Recursion is a loop, too, and what overflows the stack should have a name. */
void ll_emu_enter(struct ll_fn *fc) {
  struct ll *l = fc->l;
  if (!l->o->emu || fc->kernel || !calls_others(fc->f))
    return;
  ll_v p = field_at(l, state(l), offsetof(struct emu_regs, where), l->i32);
  LLVMBuildStore(l->b, loc(l), p);
  poll(l);
}

/* ---- the entry ---- */
static ll_v entry_arg(struct ll *l, ll_v block, const struct lower_param *p, LLVMTypeRef t,
                      bool by_value) {
  ll_v at = ll_gep(l, block, p->off);
  if (by_value)
    return LLVMBuildBitCast(l->b, at, t, "");
  ll_v v = LLVMBuildLoad2(l->b, t, LLVMBuildBitCast(l->b, at, LLVMPointerType(t, 0), ""), "");
  LLVMSetAlignment(v, (unsigned)p->align);
  return v;
}

/* Takes the parameters out of their block and calls the kernel. */
void ll_emu_entry(struct ll *l, ll_v kernel, const struct lower_kernel *k) {
  if (!l->o->emu)
    return;
  unsigned n = LLVMCountParams(kernel), byval = LLVMGetEnumAttributeKindForName("byval", 5);
  ASSERT(n == k->n_params);
  ll_v f = LLVMAddFunction(l->mod, EMU_ENTRY, LLVMFunctionType(l->t_void, &l->ptr, 1, 0));
  ll_v *args = arena_array(&l->scratch, ll_v, n);
  ll_mark(l, f);
  LLVMSetLinkage(kernel, LLVMInternalLinkage);
  ll_at(l, LLVMAppendBasicBlockInContext(l->cx, f, "entry"));
  ll_debug_none(l);
  for (unsigned i = 0; i < n; i++) {
    ll_v p = LLVMGetParam(kernel, i);
    bool whole = LLVMGetEnumAttributeAtIndex(kernel, i + 1, byval) != NULL;
    args[i] = entry_arg(l, LLVMGetParam(f, 0), &k->params[i], LLVMTypeOf(p), whole);
  }
  ll_v c = ll_call(l, kernel, args, n);
  for (unsigned i = 0; i < n; i++) {
    LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(kernel, i + 1, byval);
    if (!a)
      continue;
    LLVMAddCallSiteAttribute(c, i + 1, a);
    LLVMAddCallSiteAttribute(c, i + 1, ll_attr(l, "align", k->params[i].align));
  }
  LLVMBuildRetVoid(l->b);
}

/* ---- contents ---- */
/* What the data refers to is wanted, too: other data, functions, and what those want. */
void ll_emu_follow(struct ll *l) {
  for (; l->emu_followed < l->emu_data.n; l->emu_followed++) {
    struct ll_emu_data d = l->emu_data.p[l->emu_followed];
    uint32_t id = d.kind == PM_TO_ALLOC ? d.id : PM_NONE;
    if (d.kind == PM_TO_STATIC)
      id = l->m->statics[d.id].alloc;
    if (id == PM_NONE)
      continue;
    const struct pm_alloc *a = &l->m->allocs[id];
    for (uint32_t i = 0; i < a->n_relocs; i++) {
      const struct pm_reloc *r = &a->relocs[i];
      if (ll_may_be_in_data(l, r))
        ll_global_addr(l, r->kind, r->id, 0);
    }
  }
}

bool ll_emu_build(const struct pmir *m, uint32_t kernel, bool checks, struct diag_sink *sink,
                  struct ll_emu_module *out) {
  struct lower_options o = {.struct_size = sizeof o, .kernels = &kernel, .n_kernels = 1};
  struct ll l = {.m = m, .o = &o, .sink = sink, .out = &out->lowered};
  o.arch = 121;
  o.host = o.emu = true;
  o.emu_checks = checks;
  o.module_name = m->kernels[kernel].name;
  out->lowered.struct_size = sizeof out->lowered;
  bool ok = ll_build(&l);
  if (ok) {
    out->cx = l.cx;
    out->mod = l.mod;
    out->data = l.emu_data.p;
    out->n_data = (uint32_t)l.emu_data.n;
    out->fns = l.emu_fns.p;
    out->n_fns = (uint32_t)l.emu_fns.n;
    out->arena = l.arena;
    l.cx = NULL;
    l.mod = NULL;
    l.arena = (struct arena){0};
  }
  ll_release(&l);
  return ok;
}

void ll_emu_release(struct ll_emu_module *m) {
  if (m->mod)
    LLVMDisposeModule(m->mod);
  if (m->cx)
    LLVMContextDispose(m->cx);
  mirdc_lower_free(&m->lowered);
  arena_free(&m->arena);
}
