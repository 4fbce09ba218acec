/* What differs in code for the emulator before the clean-up: where memory and thread indices come
 * from, places in the source, and the last step of device operations. ll_emu_late.c has the rest. */
#include "ir/ll_debug.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include <stddef.h>

/* ---- names that the emulator gives addresses ---- */
static ll_v state(struct ll *l) {
  ll_v g = LLVMGetNamedGlobal(l->mod, EMU_STATE);
  if (!g)
    g = LLVMAddGlobal(l->mod, l->i8, EMU_STATE);
  return g;
}

/* The same for a thread from its beginning to its end: as a register of a GPU it is a call that
 * depends on nothing, until ll_emu_finish makes it an access. */
static ll_v register_at(struct ll *l, bool of_thread, size_t off, LLVMTypeRef t) {
  static const char *const promises[] = {"readnone", "willreturn", "speculatable"};
  char name[64];
  snprintf(name, sizeof name, EMU_REGISTER "%c%zu", of_thread ? 't' : 'b', off);
  ll_v f = ll_intrinsic(l, name, t, NULL, 0);
  ll_mark(l, f);
  for (size_t i = 0; i < COUNT_OF(promises); i++)
    LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            ll_attr(l, promises[i], 0));
  return ll_call(l, f, NULL, 0);
}

static struct ll_emu_data name_of(struct ll *l, ll_v global, enum pm_reloc_kind kind, uint32_t id) {
  size_t n;
  const char *p = LLVMGetValueName2(global, &n);
  return (struct ll_emu_data){arena_strz(&l->arena, (str){p, n}), kind, id};
}

/* Contents that a GPU's code may use without reading them. The checks want to see each access. */
static bool is_known(struct ll *l, enum pm_reloc_kind kind, uint32_t id, uint32_t *alloc) {
  *alloc = id;
  if (l->o->emu_checks)
    return false;
  if (kind == PM_TO_ALLOC)
    return !l->m->allocs[id].mut;
  const struct pm_static *s = &l->m->statics[id];
  *alloc = s->alloc;
  return s->alloc != PM_NONE && l->m->allocs[s->alloc].size > 0 && s->space != PM_SHARED &&
         !s->host_visible && pm_never_changes(l->m, s);
}

/* Memory of the dump. True: it is the emulator's, and not this module's. */
bool ll_emu_want_data(struct ll *l, enum pm_reloc_kind kind, uint32_t id, ll_v global) {
  if (!l->o->emu)
    return false;
  if (kind == PM_TO_STATIC) {
    const struct pm_static *s = &l->m->statics[id];
    if (s->alloc == PM_NONE && s->space != PM_SHARED)
      ll_emu_refuse_outside(l, s->symbol, s->span);
  }
  struct ll_emu_data d = name_of(l, global, kind, id);
  struct ll_pending contents = {.global = global};
  bool known = is_known(l, kind, id, &contents.alloc);
  LLVMSetLinkage(global, known ? LLVMAvailableExternallyLinkage : LLVMExternalLinkage);
  LLVMSetGlobalConstant(global, known);
  if (known)
    vec_push(&l->arena, &l->pending, contents);
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

/* ---- places ---- */
unsigned ll_emu_line(pm_loc span) {
  return span < EMU_LOC_MAX ? span + 1 : EMU_LOC_NONE;
}

LLVMMetadataRef ll_emu_location(struct ll *l, pm_loc span) {
  return LLVMDIBuilderCreateDebugLocation(l->cx, ll_emu_line(span), 0, l->dbg->scope, NULL);
}

static ll_v loc(struct ll *l) {
  return LLVMConstInt(l->i32, l->fn ? ll_emu_line(l->fn->span) : l->emu_place, 0);
}

/* ---- calls ---- */
ll_v ll_emu_call_named(struct ll *l, const char *prefix, const char *name, LLVMTypeRef ret,
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
  ll_v r = ll_emu_call_named(l, EMU_OP, name, back ? l->i32 : ret, all, at);
  return back ? LLVMBuildICmp(l->b, LLVMIntNE, r, ll_k(r, 0), "") : r;
}

void ll_emu_trap(struct ll *l, uint32_t code) {
  ll_v arg = LLVMConstInt(l->i32, code, 0);
  ll_emu_call(l, "stop", l->t_void, &arg, 1);
}

void ll_unreachable(struct ll *l) {
  if (l->o->emu_checks) /* without, as for a GPU: the optimiser may rely on it */
    ll_emu_call(l, "unreachable", l->t_void, NULL, 0);
  LLVMBuildUnreachable(l->b);
}

ll_v ll_emu_half_fma(struct ll *l, ll_v *bits) {
  return ll_emu_call_named(l, EMU_MATH, "half_fma", l->i16, bits, 3);
}

/* ---- indices and memory of the launch ---- */
ll_v ll_emu_word(struct ll *l, bool of_thread, size_t off, LLVMTypeRef t) {
  ll_v base = state(l);
  if (of_thread) {
    size_t at = offsetof(struct emu_regs, thread);
    ll_v p = LLVMBuildBitCast(l->b, ll_gep(l, base, at), LLVMPointerType(l->ptr, 0), "");
    base = LLVMBuildLoad2(l->b, l->ptr, p, "");
  }
  ll_v p = LLVMBuildBitCast(l->b, ll_gep(l, base, off), LLVMPointerType(t, 0), "");
  return p;
}

ll_v ll_emu_dyn_shared(struct ll *l) {
  l->dyn_shared = state(l); /* somebody wants it */
  return register_at(l, false, offsetof(struct emu_regs, dyn_shared), l->ptr);
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
    if (strcmp(rows[i].name, name) == 0)
      return register_at(l, rows[i].thread, rows[i].off, l->i32);
  }
  BUG("the emulator has no register `%s`", name);
}

/* ---- accesses ---- */
void ll_emu_mark_copy(struct ll *l, ll_v copy) {
  LLVMMetadataRef at = l->o->emu ? LLVMInstructionGetDebugLoc(copy) : NULL;
  if (at)
    LLVMInstructionSetDebugLoc(copy, LLVMDIBuilderCreateDebugLocation(
                                         l->cx, LLVMDILocationGetLine(at), EMU_COPY_COLUMN,
                                         LLVMDILocationGetScope(at), NULL));
}

void ll_emu_mark_told(struct ll *l, ll_v access) {
  LLVMMetadataRef none = LLVMMDNodeInContext2(l->cx, NULL, 0);
  LLVMSetMetadata(access, LLVMGetMDKindIDInContext(l->cx, EMU_TOLD, strlen(EMU_TOLD)),
                  LLVMMetadataAsValue(l->cx, none));
}

/* One word: the size, and above it the bits that the address may not have. A GPU wants an address
 * to be a multiple of the size, as far as the code promises that. */
ll_v ll_emu_size(struct ll *l, LLVMTypeRef t, uint64_t align) {
  uint64_t size = LLVMStoreSizeOfType(LLVMGetModuleDataLayout(l->mod), t);
  uint64_t low = align < size ? align : size;
  while (low & (low - 1))
    low &= low - 1;
  return ll_usize(l, size | (low > 0 ? low - 1 : 0) << 32);
}

/* Also without checks: code may not move across. They are taken away in the end. */
ll_v ll_emu_atomic(struct ll *l, ll_v p, LLVMTypeRef t, enum ll_emu_atomic kind, enum ll_order o,
                   enum ll_scope s) {
  static const char *const names[] = {"atomic_read", "atomic_write", "atomic_rmw"};
  if (!l->o->emu)
    return p;
  ll_v args[] = {p, ll_emu_size(l, t, 16), LLVMConstInt(l->i32, o, 0), LLVMConstInt(l->i32, s, 0)};
  return ll_emu_call(l, names[kind], l->ptr, args, 4);
}

void ll_emu_fence(struct ll *l, enum ll_order o, enum ll_scope s) {
  ll_v args[] = {LLVMConstInt(l->i32, o, 0), LLVMConstInt(l->i32, s, 0)};
  ll_emu_call(l, "fence", l->t_void, args, 2);
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

bool ll_emu_build(const struct pmir *m, uint32_t kernel, const struct ll_emu_options *options,
                  struct diag_sink *sink, struct ll_emu_module *out) {
  struct lower_options o = {.struct_size = sizeof o, .kernels = &kernel, .n_kernels = 1};
  struct ll l = {.m = m, .o = &o, .sink = sink, .out = &out->lowered};
  o.arch = 121;
  o.host = o.emu = true;
  o.emu_checks = options->checks;
  o.opt = options->opt;
  o.module_name = m->kernels[kernel].name;
  out->lowered.struct_size = sizeof out->lowered;
  bool ok = ll_build(&l) && (o.opt == 0 || (ll_clean_up(&l) && ll_verify(&l, "clean-up")));
  if (ok) {
    ll_emu_finish(&l, &out->lowered.kernels[0]);
    ok = ll_verify(&l, "watching");
  }
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
