/* Constants, statics, and what the module says about itself. */
#include "ir/ll.h"
#include "ir/units.h"

/* The generic address of a global, as i8*. */
ll_v ll_generic(struct ll *l, ll_v global, unsigned space) {
  if (space == 0 || l->o->host)
    return LLVMConstBitCast(global, l->ptr);
  ll_v p = LLVMConstBitCast(global, LLVMPointerType(l->i8, space));
  return LLVMConstAddrSpaceCast(p, l->ptr);
}

/* While LLVM's passes run, constants lie in the generic space: they look through no other. */
unsigned ll_const_space(const struct ll *l) {
  return l->o->host || ll_optimises(l) ? 0 : 1;
}

void ll_settle_globals(struct ll *l) {
  for (ll_v g = LLVMGetFirstGlobal(l->mod), next; g; g = next) {
    LLVMTypeRef t = LLVMGlobalGetValueType(g);
    size_t n;
    const char *name = LLVMGetValueName2(g, &n);
    next = LLVMGetNextGlobal(g);
    if (l->o->host || LLVMGetPointerAddressSpace(LLVMTypeOf(g)) != 0 || !LLVMIsGlobalConstant(g))
      continue;
    char *same = arena_strz(&l->arena, (str){(char *)(uintptr_t)name, n});
    LLVMSetValueName2(g, "", 0);
    ll_v to = LLVMAddGlobalInAddressSpace(l->mod, t, same, 1);
    LLVMSetInitializer(to, LLVMGetInitializer(g));
    LLVMSetLinkage(to, LLVMInternalLinkage);
    LLVMSetGlobalConstant(to, 1);
    LLVMSetAlignment(to, LLVMGetAlignment(g));
    LLVMReplaceAllUsesWith(g, LLVMConstAddrSpaceCast(to, LLVMTypeOf(g)));
    LLVMDeleteGlobal(g);
  }
}

static unsigned space_of(const struct ll *l, enum pm_space s) {
  if (l->o->host)
    return 0;
  return s == PM_SHARED ? 3 : s == PM_CONST ? 4 : 1;
}

/* ---- contents ---- */
/* Bytes, and a pointer for each relocation. Packed: the offsets are ours. */
static LLVMTypeRef alloc_type(struct ll *l, const struct pm_alloc *a) {
  LLVMTypeRef *t;
  unsigned n = 0;
  uint64_t at = 0;
  if (a->n_relocs == 0)
    return LLVMArrayType(l->i8, (unsigned)a->size);
  t = arena_array(&l->arena, LLVMTypeRef, 2 * (size_t)a->n_relocs + 1);
  for (uint32_t i = 0; i < a->n_relocs; i++) {
    if (a->relocs[i].off > at)
      t[n++] = LLVMArrayType(l->i8, (unsigned)(a->relocs[i].off - at));
    t[n++] = l->ptr;
    at = a->relocs[i].off + 8;
  }
  if (at < a->size)
    t[n++] = LLVMArrayType(l->i8, (unsigned)(a->size - at));
  return LLVMStructTypeInContext(l->cx, t, n, 1);
}

static ll_v bytes_const(struct ll *l, const uint8_t *p, uint64_t n) {
  return LLVMConstStringInContext(l->cx, (const char *)p, (unsigned)n, 1);
}

/* Shared memory has no address before a block runs. */
bool ll_may_be_in_data(struct ll *l, const struct pm_reloc *r) {
  if (r->kind != PM_TO_STATIC || l->m->statics[r->id].space != PM_SHARED)
    return true;
  const struct pm_static *s = &l->m->statics[r->id];
  struct diag *d =
      diag_error(l->sink, MD0312, pm_span_of(l->m, s->span),
                 "a constant holds the address of the shared static `%.*s`", STR_ARG(s->name));
  diag_help(d, "take the address in the kernel");
  l->failed = true;
  return false;
}

static ll_v alloc_value(struct ll *l, const struct pm_alloc *a) {
  ll_v *v;
  unsigned n = 0;
  uint64_t at = 0;
  if (a->n_relocs == 0)
    return bytes_const(l, a->bytes, a->size);
  v = arena_array(&l->arena, ll_v, 2 * (size_t)a->n_relocs + 1);
  for (uint32_t i = 0; i < a->n_relocs; i++) {
    const struct pm_reloc *r = &a->relocs[i];
    if (r->off > at)
      v[n++] = bytes_const(l, a->bytes + at, r->off - at);
    bool may = ll_may_be_in_data(l, r);
    v[n++] = may ? ll_global_addr(l, r->kind, r->id, r->add) : LLVMGetUndef(l->ptr);
    at = r->off + 8;
  }
  if (at < a->size)
    v[n++] = bytes_const(l, a->bytes + at, a->size - at);
  return LLVMConstStructInContext(l->cx, v, n, 1);
}

/* Contents are filled in at the end: allocs may refer to each other in circles. */
static void fill_later(struct ll *l, ll_v global, uint32_t alloc) {
  struct ll_pending p = {global, alloc};
  vec_push(&l->arena, &l->pending, p);
}

static ll_v alloc_addr(struct ll *l, uint32_t id) {
  const struct pm_alloc *a = &l->m->allocs[id];
  unsigned space = a->mut && !l->o->host ? 1 : ll_const_space(l);
  char name[32];
  if (l->allocs[id])
    return l->allocs[id];
  if (a->size == 0)
    return l->allocs[id] = LLVMConstIntToPtr(ll_usize(l, a->align), l->ptr);
  snprintf(name, sizeof name, "mirdc_alloc_%u", id);
  LLVMTypeRef t = alloc_type(l, a);
  ll_v g = LLVMAddGlobalInAddressSpace(l->mod, t, name, space);
  LLVMSetLinkage(g, LLVMInternalLinkage);
  LLVMSetGlobalConstant(g, !a->mut);
  LLVMSetAlignment(g, (unsigned)a->align);
  if (!ll_emu_want_data(l, PM_TO_ALLOC, id, g))
    fill_later(l, g, id);
  return l->allocs[id] = ll_generic(l, g, space);
}

/* ---- statics ---- */
static void list_global(struct ll *l, const struct pm_static *s) {
  const struct pm_type *t = ll_ty(l, s->ty);
  struct lower_global g = {.size = t->size, .align = t->align, .space = s->space, .mut = s->mut};
  g.symbol = arena_str(&l->out->arena, s->symbol);
  g.name = arena_str(&l->out->arena, s->name);
  vec_push(&l->arena, &l->visible, g);
}

static ll_v static_addr(struct ll *l, uint32_t id) {
  const struct pm_static *s = &l->m->statics[id];
  const struct pm_type *t = ll_ty(l, s->ty);
  unsigned space = space_of(l, s->space);
  uint64_t size = t->size > 0 ? t->size : 1;
  if (l->statics[id])
    return l->statics[id];
  if (size > UINT32_MAX) {
    diag_error(l->sink, MD0312, pm_span_of(l->m, s->span), "the static `%.*s` takes %llu bytes",
               STR_ARG(s->name), (unsigned long long)size);
    l->failed = true;
    return l->statics[id] = LLVMGetUndef(l->ptr);
  }
  bool here = s->alloc != PM_NONE && l->m->allocs[s->alloc].size > 0;
  LLVMTypeRef lt =
      here ? alloc_type(l, &l->m->allocs[s->alloc]) : LLVMArrayType(l->i8, (unsigned)size);
  char *name = arena_strz(&l->arena, s->symbol);
  ll_v g = LLVMAddGlobalInAddressSpace(l->mod, lt, name, space);
  LLVMSetAlignment(g, (unsigned)t->align);
  l->statics[id] = ll_generic(l, g, space);
  if (ll_emu_want_data(l, PM_TO_STATIC, id, g))
    return l->statics[id];
  if (s->space == PM_SHARED) {
    LLVMSetInitializer(g, LLVMGetUndef(lt)); /* the only initial value that is accepted */
    LLVMSetLinkage(g, LLVMInternalLinkage);
    return l->statics[id];
  }
  if (s->alloc == PM_NONE) { /* defined by another linked input */
    vec_push(&l->arena, &l->outside, arena_str(&l->out->arena, s->symbol));
    return l->statics[id];
  }
  if (here)
    fill_later(l, g, s->alloc);
  else
    LLVMSetInitializer(g, LLVMConstNull(lt));
  if (s->host_visible) {
    LLVMSetExternallyInitialized(g, 1);
    vec_push(&l->arena, &l->used, l->statics[id]);
    list_global(l, s);
  } else {
    LLVMSetLinkage(g, LLVMInternalLinkage);
    LLVMSetGlobalConstant(g, pm_never_changes(l->m, s));
  }
  return l->statics[id];
}

/* Of a part of the kernels, what another part's kernels reach is defined there, and only there. */
void ll_static_roots(struct ll *l) {
  const bool *elsewhere = l->o->kernels ? pm_statics_of_kernels(l->m, &l->arena) : NULL;
  for (uint32_t i = 0; i < l->m->n_statics; i++)
    if (l->m->statics[i].host_visible && !(elsewhere && elsewhere[i]))
      static_addr(l, i);
}

/* ---- addresses ---- */
static ll_v extern_addr(struct ll *l, uint32_t id) {
  const struct pm_extern *x = &l->m->externs[id];
  if (!str_starts(x->symbol, STR("__mirdc_")))
    return LLVMConstBitCast(ll_want_extern(l, id), l->ptr);
  diag_error(l->sink, MD0312, pm_span_of(l->m, x->span),
             "the device operation `%.*s` is used as a value", STR_ARG(x->symbol));
  l->failed = true;
  return LLVMGetUndef(l->ptr);
}

ll_v ll_global_addr(struct ll *l, enum pm_reloc_kind to, uint32_t id, uint64_t add) {
  ll_v base = NULL, off = ll_usize(l, add);
  switch (to) {
  case PM_TO_ALLOC:
    base = alloc_addr(l, id);
    break;
  case PM_TO_STATIC:
    base = static_addr(l, id);
    break;
  case PM_TO_FN:
    base = l->o->emu ? ll_emu_fn_address(l, id) : LLVMConstBitCast(ll_want_fn(l, id), l->ptr);
    break;
  case PM_TO_EXTERN:
    base = extern_addr(l, id);
    break;
  case PM_TO_VTABLE:
    diag_error(l->sink, MD0303, SPAN_NONE, "a table of functions of a trait object is used");
    l->failed = true;
    return LLVMGetUndef(l->ptr);
  }
  return add == 0 ? base : LLVMConstGEP2(l->i8, base, &off, 1);
}

/* ---- values out of constant memory ---- */
static u128 bits_at(const struct pm_alloc *a, uint64_t off, unsigned n) {
  u128 r = 0;
  for (unsigned i = 0; i < n; i++)
    r |= (u128)a->bytes[off + i] << (8 * i);
  return r;
}

/* NULL when a relocation is cut by the leaf and only memory can tell. */
static ll_v leaf_from(struct ll *l, const struct pm_alloc *a, const struct ll_leaf *lf,
                      uint64_t off) {
  uint64_t lo = off + lf->off, hi = lo + lf->bits / 8;
  for (uint32_t i = 0; i < a->n_relocs; i++) {
    const struct pm_reloc *r = &a->relocs[i];
    if (r->off >= hi || r->off + 8 <= lo)
      continue;
    if (r->off != lo || lf->bits != 64 || lf->kind == LEAF_FLOAT)
      return NULL;
    ll_v p = ll_global_addr(l, r->kind, r->id, r->add);
    return lf->kind == LEAF_PTR ? p : LLVMConstPtrToInt(p, l->i64);
  }
  return ll_const_bits(l, lf, bits_at(a, lo, lf->bits / 8));
}

struct ll_val ll_const_from(struct ll_fn *fc, pm_ty ty, uint32_t alloc, uint64_t off) {
  struct ll *l = fc->l;
  const struct pm_alloc *a = &l->m->allocs[alloc];
  struct ll_val v = ll_undef(l, ty);
  bool folded = !v.mem && !a->mut;
  for (unsigned i = 0; i < v.n && folded; i++) {
    ll_v k = leaf_from(l, a, &ll_shape(l, ty)->leaf[i], off);
    if (k)
      v.v[i] = k;
    else
      folded = false;
  }
  if (folded)
    return v;
  ll_v p = ll_global_addr(l, PM_TO_ALLOC, alloc, off);
  return ll_load_val(l, ty, p, ll_align_at(a->align, off), false);
}

/* ---- dynamic shared memory ---- */
/* One array without a size, aligned for whoever wants most. */
ll_v ll_dyn_shared(struct ll_fn *fc) {
  struct ll *l = fc->l;
  unsigned align = 16;
  if (l->o->emu)
    return ll_emu_dyn_shared(l);
  if (l->dyn_shared)
    return l->dyn_shared;
  for (uint32_t i = 0; i < l->m->n_kernels; i++)
    if (l->m->kernels[i].launch.dyn_shared_align > align)
      align = l->m->kernels[i].launch.dyn_shared_align;
  LLVMTypeRef t = LLVMArrayType(l->i8, 0);
  ll_v g = LLVMAddGlobalInAddressSpace(l->mod, t, "__mirdc_dyn_shared", 3);
  LLVMSetAlignment(g, align);
  return l->dyn_shared = ll_generic(l, g, 3);
}

/* ---- module metadata ---- */
void ll_annotate(struct ll *l, ll_v f, const char *key, uint32_t value) {
  LLVMMetadataRef md[] = {LLVMValueAsMetadata(f), LLVMMDStringInContext2(l->cx, key, strlen(key)),
                          LLVMValueAsMetadata(LLVMConstInt(l->i32, value, 0))};
  LLVMAddNamedMetadataOperand(l->mod, "nvvm.annotations",
                              LLVMMetadataAsValue(l->cx, LLVMMDNodeInContext2(l->cx, md, 3)));
}

static void add_version(struct ll *l) {
  static const unsigned version[] = {2, 0, 3, 1};
  LLVMMetadataRef md[4];
  for (unsigned i = 0; i < 4; i++)
    md[i] = LLVMValueAsMetadata(LLVMConstInt(l->i32, version[i], 0));
  LLVMAddNamedMetadataOperand(l->mod, "nvvmir.version",
                              LLVMMetadataAsValue(l->cx, LLVMMDNodeInContext2(l->cx, md, 4)));
}

/* Without an entry here libNVVM drops a kernel and reports success. */
static void add_used(struct ll *l) {
  if (l->used.n == 0)
    return;
  LLVMTypeRef t = LLVMArrayType(l->ptr, (unsigned)l->used.n);
  ll_v g = LLVMAddGlobal(l->mod, t, "llvm.used");
  LLVMSetInitializer(g, LLVMConstArray(l->ptr, l->used.p, (unsigned)l->used.n));
  LLVMSetSection(g, "llvm.metadata");
  LLVMSetLinkage(g, LLVMAppendingLinkage);
}

void ll_fill_globals(struct ll *l) {
  while (l->pending.n > 0) {
    struct ll_pending p = vec_pop(&l->pending);
    LLVMSetInitializer(p.global, alloc_value(l, &l->m->allocs[p.alloc]));
  }
}

void ll_finish_globals(struct ll *l) {
  if (!l->o->host) {
    add_used(l);
    add_version(l);
  }
  l->out->globals = arena_array(&l->out->arena, struct lower_global, l->visible.n);
  l->out->n_globals = (uint32_t)l->visible.n;
  for (size_t i = 0; i < l->visible.n; i++)
    l->out->globals[i] = l->visible.p[i];
  l->out->externs = arena_array(&l->out->arena, str, l->outside.n);
  l->out->n_externs = (uint32_t)l->outside.n;
  for (size_t i = 0; i < l->outside.n; i++)
    l->out->externs[i] = l->outside.p[i];
  l->out->exports = arena_array(&l->out->arena, str, l->exported.n);
  l->out->n_exports = (uint32_t)l->exported.n;
  for (size_t i = 0; i < l->exported.n; i++)
    l->out->exports[i] = l->exported.p[i];
}
