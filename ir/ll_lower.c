/* The entry of the lowering: from the kernels of a dump to text. */
#include "ir/ll.h"

#define EXPORTED __attribute__((visibility("default")))

static const char nvvm_layout[] =
    "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-"
    "v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64";

struct diag *ll_refuse(struct ll_fn *fc, enum diag_code code, const char *fmt, ...) {
  va_list ap;
  struct strbuf text = {0};
  struct ll *l = fc->l;
  va_start(ap, fmt);
  sb_vaddf(&text, fmt, ap);
  va_end(ap);
  l->failed = true;
  struct span inner = pm_span_of(l->m, fc->span), at = inner;
  bool inlined = pm_user_place(l->m, fc->span, &at) && memcmp(&at, &inner, sizeof at) != 0;
  struct diag *d = diag_error(l->sink, code, at, "%s", sb_z(&text));
  sb_free(&text);
  if (inlined)
    diag_note_at(d, inner, "it comes from here");
  const struct pm_kernel *k = l->fn_kernel[fc->id];
  diag_note(d, fc->kernel ? "in kernel `%.*s`" : "in `%.*s`",
            STR_ARG(fc->kernel ? fc->kernel->name : fc->f->name));
  if (k && !fc->kernel)
    diag_note(d, "reached from kernel `%.*s`", STR_ARG(k->name));
  return d;
}

/* ---- functions ---- */
void ll_mark(struct ll *l, ll_v f) {
  LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, l->a_convergent);
  LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, l->a_nounwind);
}

static void fn_attributes(struct ll *l, const struct pm_func *f, ll_v v) {
  LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
  ll_mark(l, v);
  if (f->noreturn)
    LLVMAddAttributeAtIndex(v, at, l->a_noreturn);
  if (f->inl == PM_INLINE_NEVER)
    LLVMAddAttributeAtIndex(v, at, l->a_noinline);
  if (f->inl == PM_INLINE_ALWAYS)
    LLVMAddAttributeAtIndex(v, at, l->a_always);
}

ll_v ll_want_fn(struct ll *l, pm_fn id) {
  const struct pm_func *f = &l->m->fns[id];
  if (l->fns[id])
    return l->fns[id];
  struct arena_mark mark = arena_save(&l->scratch);
  struct ll_sig s = ll_fn_sig(l, id);
  /* The body of a kernel may also be called; the kernel has the name then. */
  bool taken = map_get(&l->names, f->symbol) != NULL;
  str name = arena_printf(&l->arena, "%.*s%s", STR_ARG(f->symbol), taken ? "__fn" : "");
  ll_v v = LLVMAddFunction(l->mod, arena_strz(&l->arena, name), s.fn);
  fn_attributes(l, f, v);
  ll_sig_attrs(l, &s, v);
  l->fns[id] = v;
  l->fn_wanted[id] |= FN_CALLED;
  if (l->fn)
    l->fn_kernel[id] = l->fn->kernel ? l->fn->kernel : l->fn_kernel[l->fn->id];
  if (!f->export || l->o->emu) {
    bool seen = l->o->host && !l->o->emu;
    LLVMSetLinkage(v, seen ? LLVMExternalLinkage : LLVMInternalLinkage);
  } else {
    ll_check_c_abi(l, &s, f->symbol, f->span);
    vec_push(&l->arena, &l->used, LLVMConstBitCast(v, l->ptr));
    vec_push(&l->arena, &l->exported, arena_str(&l->out->arena, f->symbol));
  }
  vec_push(&l->arena, &l->todo, id);
  arena_rewind(&l->scratch, mark);
  return v;
}

ll_v ll_want_extern(struct ll *l, uint32_t id) {
  const struct pm_extern *x = &l->m->externs[id];
  if (l->externs[id])
    return l->externs[id];
  struct arena_mark mark = arena_save(&l->scratch);
  struct ll_sig s = ll_sig(l, x->args, x->n_args, x->ret, true);
  if (l->o->emu)
    ll_emu_refuse_outside(l, x->symbol, x->span);
  ll_v v = LLVMAddFunction(l->mod, arena_strz(&l->arena, x->symbol), s.fn);
  ll_mark(l, v);
  if (x->noreturn)
    LLVMAddAttributeAtIndex(v, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, l->a_noreturn);
  ll_sig_attrs(l, &s, v);
  ll_check_c_abi(l, &s, x->symbol, x->span);
  vec_push(&l->arena, &l->outside, arena_str(&l->out->arena, x->symbol));
  l->externs[id] = v;
  arena_rewind(&l->scratch, mark);
  return v;
}

static void number_blocks(struct ll_fn *fc) {
  uint32_t code = fc->l->trap_base[fc->id];
  enum pm_trap kind;
  fc->block_traps = arena_array(&fc->l->scratch, uint32_t, fc->f->n_blocks);
  for (uint32_t i = 0; i < fc->f->n_blocks; i++)
    if (ll_block_trap(fc->l->m, &fc->f->blocks[i].term, &kind))
      fc->block_traps[i] = code++;
}

/* Jumps have no place of their own in a dump. */
static pm_loc place_of_block(const struct ll_fn *fc, uint32_t block) {
  const struct pm_block *b = &fc->f->blocks[block];
  for (uint32_t i = 0; i < b->n_stmts; i++)
    if (b->stmts[i].span != PM_NONE && b->stmts[i].kind != PM_LIVE && b->stmts[i].kind != PM_DEAD)
      return b->stmts[i].span;
  return b->term.span != PM_NONE ? b->term.span : fc->f->span;
}

static void lower_blocks(struct ll_fn *fc) {
  struct ll *l = fc->l;
  char name[24];
  for (uint32_t i = 0; i < fc->n_order; i++) {
    if (fc->joined[fc->order[i]])
      continue;
    int n = snprintf(name, sizeof name, "bb%u", fc->order[i]);
    ASSERT(n > 0);
    fc->blocks[fc->order[i]] = LLVMAppendBasicBlockInContext(l->cx, fc->v, name);
  }
  for (uint32_t i = 0; i < fc->n_order; i++) {
    const struct pm_block *b = &fc->f->blocks[fc->order[i]];
    if (i > 0)
      LLVMPositionBuilderAtEnd(l->b, fc->blocks[fc->order[i]]);
    else {
      if (fc->kernel)
        ll_bind_kernel_params(fc);
      else
        ll_bind_params(fc);
      LLVMBasicBlockRef prologue = LLVMGetInsertBlock(l->b);
      LLVMPositionBuilderAtEnd(l->b, prologue);
      LLVMBuildBr(l->b, fc->blocks[0]);
      LLVMPositionBuilderAtEnd(l->b, fc->blocks[0]);
    }
    fc->span = place_of_block(fc, fc->order[i]);
    for (uint32_t k = 0; k < b->n_stmts; k++)
      ll_statement(fc, &b->stmts[k]);
    fc->trap_code = fc->block_traps[fc->order[i]];
    ll_terminator(fc, fc->order[i]);
  }
}

void ll_lower_body(struct ll *l, pm_fn id, const struct pm_kernel *k, ll_v v) {
  struct arena_mark mark = arena_save(&l->scratch);
  struct ll_fn fc = {.l = l, .f = &l->m->fns[id], .id = id, .v = v, .kernel = k};
  fatal_set_item("lowering", fc.f->name);
  fc.span = fc.f->span;
  l->fn = &fc;
  fc.locals = arena_array(&l->scratch, struct ll_local, fc.f->n_locals);
  fc.blocks = arena_array(&l->scratch, LLVMBasicBlockRef, fc.f->n_blocks);
  number_blocks(&fc);
  ll_analyse(&fc);
  ll_debug_keep(&fc);
  /* Two blocks in front: allocas, which may be added at any time, and the prologue. */
  LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(l->cx, v, "entry");
  LLVMBasicBlockRef start = LLVMAppendBasicBlockInContext(l->cx, v, "start");
  LLVMPositionBuilderAtEnd(l->allocas, entry);
  LLVMPositionBuilderAtEnd(l->b, start);
  ll_debug_none(l);
  ll_debug_function(&fc);
  lower_blocks(&fc);
  ll_debug_variables(&fc);
  LLVMBuildBr(l->allocas, start);
  l->fn = NULL;
  arena_rewind(&l->scratch, mark);
}

/* ---- the module ---- */
static void ll_init(struct ll *l) {
  const struct pmir *m = l->m;
  l->cx = LLVMContextCreate();
  char *name = arena_strz(&l->arena, l->o->module_name);
  l->mod = LLVMModuleCreateWithNameInContext(name, l->cx);
  l->b = LLVMCreateBuilderInContext(l->cx);
  l->allocas = LLVMCreateBuilderInContext(l->cx);
  ll_types_init(l);
  if (!l->o->host || l->o->emu) {
    LLVMSetTarget(l->mod, "nvptx64-nvidia-cuda");
    LLVMSetDataLayout(l->mod, nvvm_layout);
  }
  l->a_convergent = ll_attr(l, "convergent", 0);
  l->a_nounwind = ll_attr(l, "nounwind", 0);
  l->a_noreturn = ll_attr(l, "noreturn", 0);
  l->a_noinline = ll_attr(l, "noinline", 0);
  l->a_always = ll_attr(l, "alwaysinline", 0);
  l->allocs = arena_array(&l->arena, ll_v, m->n_allocs);
  l->statics = arena_array(&l->arena, ll_v, m->n_statics);
  l->fns = arena_array(&l->arena, ll_v, m->n_fns);
  l->externs = arena_array(&l->arena, ll_v, m->n_externs);
  l->fn_wanted = arena_array(&l->arena, uint8_t, m->n_fns);
  l->fn_kernel = arena_array(&l->arena, const struct pm_kernel *, m->n_fns);
  for (uint32_t i = 0; i < m->n_kernels; i++)
    *map_put(&l->names, m->kernels[i].name, NULL) = 1;
  ll_number_traps(l);
  ll_debug_begin(l);
}

void ll_release(struct ll *l) {
  map_free(&l->names);
  map_free(&l->ops);
  map_free(&l->targets);
  if (l->b)
    LLVMDisposeBuilder(l->b);
  if (l->allocas)
    LLVMDisposeBuilder(l->allocas);
  if (l->mod)
    LLVMDisposeModule(l->mod);
  if (l->cx)
    LLVMContextDispose(l->cx);
  arena_free(&l->scratch);
  arena_free(&l->arena);
}

static void lower_kernels(struct ll *l) {
  struct lower_result *r = l->out;
  uint32_t n = l->o->kernels ? l->o->n_kernels : l->m->n_kernels;
  r->kernels = arena_array(&r->arena, struct lower_kernel, n);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t k = l->o->kernels ? l->o->kernels[i] : i;
    ASSERT(k < l->m->n_kernels);
    if (ll_kernel(l, k, &r->kernels[i]))
      r->n_kernels = i + 1;
  }
}

static void lower_rest(struct ll *l) {
  bool all = !l->o->kernels || l->o->exports || (l->o->host && !l->o->emu);
  for (uint32_t i = 0; i < l->m->n_fns && all; i++)
    if (l->m->fns[i].export || l->o->host)
      ll_want_fn(l, i);
  if (all)
    ll_static_roots(l);
  /* Contents of statics may want functions, functions may want statics. */
  while (l->todo.n > 0 || l->pending.n > 0 || l->emu_followed < l->emu_data.n) {
    while (l->todo.n > 0) {
      pm_fn id = vec_pop(&l->todo);
      ll_lower_body(l, id, NULL, l->fns[id]);
    }
    ll_fill_globals(l);
    ll_emu_follow(l);
  }
}

/* The module before it is printed; also used by tests that run it. */
bool ll_build(struct ll *l) {
  ll_init(l);
  l->out->min_arch = 75;
  if (!l->o->host || l->o->emu)
    lower_kernels(l);
  lower_rest(l);
  ll_find_dyn_shared(l);
  ll_finish_globals(l);
  ll_debug_end(l);
  ll_list_traps(l);
  ll_list_natives(l);
  return !l->failed && ll_verify(l, "lowering");
}

static bool finish(struct ll *l) {
  if (l->o->llvm_text) {
    char *text = LLVMPrintModuleToString(l->mod);
    l->out->llvm = arena_str(&l->out->arena, str_from(text));
    LLVMDisposeMessage(text);
  }
  if (l->o->opt > 0 && !l->o->debug) {
    if (!ll_clean_up(l) || !ll_verify(l, "clean-up"))
      return false;
  }
  ll_settle_globals(l);
  return ll_print_nvvm(l, &l->out->nvvm);
}

EXPORTED uint32_t mirdc_lower_abi(void) {
  return LOWER_ABI;
}

EXPORTED bool mirdc_lower(const struct pmir *m, const struct lower_options *o,
                          struct diag_sink *sink, struct lower_result *out) {
  struct ll l = {.m = m, .o = o, .sink = sink, .out = out};
  if (o->struct_size != sizeof *o || out->struct_size != sizeof *out) {
    diag_error(sink, MD0300, SPAN_NONE, "libmirdc-lower.so is of another build than the driver");
    return false;
  }
  bool ok = ll_build(&l) && finish(&l);
  ll_release(&l);
  if (!ok)
    mirdc_lower_free(out);
  return ok;
}

EXPORTED void mirdc_lower_free(struct lower_result *r) {
  arena_free(&r->arena);
  *r = (struct lower_result){.struct_size = sizeof *r};
}
