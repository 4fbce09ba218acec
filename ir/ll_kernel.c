/* Kernels: how the host's parameters reach the function (docs/abi.md), and launch facts. */
#include "ir/kernel_params.h"
#include "ir/ll.h"

#define MAX_PARAM_BYTES 32764u

static bool is_small(struct ll *l, pm_ty ty) {
  const struct ll_shape *s = ll_shape(l, ty);
  return !s->mem && s->n == 1;
}

static bool refuse_param(struct ll *l, const struct pm_kernel *k, const struct pm_param *p) {
  struct diag *d = diag_error(l->sink, MD0313, pm_span_of(l->m, k->span),
                              "parameter `%.*s` of kernel `%.*s` has the type `%.*s`",
                              STR_ARG(p->name), STR_ARG(k->name), STR_ARG(ll_ty(l, p->ty)->name));
  diag_help(d, "pass scalars, raw pointers, slices or plain data");
  l->failed = true;
  return false;
}

static bool fits(struct ll *l, const struct pm_param *p) {
  switch (p->pass) {
  case PM_PASS_SCALAR:
  case PM_PASS_POINTER:
    return is_small(l, p->ty);
  case PM_PASS_SLICE:
    return ll_ty(l, p->ty)->size == 16;
  case PM_PASS_AGGREGATE:
  case PM_PASS_ZST:
    return true;
  }
  BUG("a parameter is passed as %d", (int)p->pass);
}

static bool list_params(struct ll *l, const struct pm_kernel *k, struct lower_kernel *f) {
  struct kernel_param *list =
      arena_array(&l->scratch, struct kernel_param, 2 * (size_t)k->n_params);
  for (uint32_t i = 0; i < k->n_params; i++)
    if (!fits(l, &k->params[i]))
      return refuse_param(l, k, &k->params[i]);
  f->param_bytes = kernel_params(l->m, k, list, &f->n_params);
  f->params = arena_array(&l->out->arena, struct lower_param, f->n_params);
  for (uint32_t i = 0; i < f->n_params; i++)
    f->params[i] = (struct lower_param){list[i].off, list[i].size, list[i].align};
  if (f->param_bytes <= MAX_PARAM_BYTES)
    return true;
  struct diag *d = diag_error(l->sink, MD0301, pm_span_of(l->m, k->span),
                              "kernel `%.*s` takes %llu bytes of parameters", STR_ARG(k->name),
                              (unsigned long long)f->param_bytes);
  diag_help(d, "pass a pointer to the data; %u bytes are possible", MAX_PARAM_BYTES);
  l->failed = true;
  return false;
}

/* A bool is a byte for the host. */
static LLVMTypeRef scalar_type(struct ll *l, pm_ty ty) {
  return ll_leaf_mem(l, &ll_shape(l, ty)->leaf[0]);
}

static ll_v declare(struct ll *l, const struct pm_kernel *k) {
  LLVMTypeRef *t = arena_array(&l->scratch, LLVMTypeRef, 2 * (size_t)k->n_params + 1);
  unsigned n = 0;
  for (uint32_t i = 0; i < k->n_params; i++) {
    pm_ty ty = k->params[i].ty;
    switch (k->params[i].pass) {
    case PM_PASS_SCALAR:
    case PM_PASS_POINTER:
      t[n++] = scalar_type(l, ty);
      break;
    case PM_PASS_SLICE:
      t[n++] = l->ptr;
      t[n++] = l->i64;
      break;
    case PM_PASS_AGGREGATE:
      t[n++] = LLVMPointerType(ll_blob(l, ty), 0);
      break;
    case PM_PASS_ZST:
      break;
    }
  }
  ll_v f =
      LLVMAddFunction(l->mod, arena_strz(&l->arena, k->name), LLVMFunctionType(l->t_void, t, n, 0));
  ll_mark(l, f);
  return f;
}

static void mark_params(struct ll *l, const struct pm_kernel *k, ll_v f) {
  unsigned n = 0;
  for (uint32_t i = 0; i < k->n_params; i++) {
    pm_ty ty = k->params[i].ty;
    switch (k->params[i].pass) {
    case PM_PASS_SCALAR:
    case PM_PASS_POINTER:
      n++;
      break;
    case PM_PASS_SLICE:
      n += 2;
      break;
    case PM_PASS_AGGREGATE:
      n++;
      LLVMAddAttributeAtIndex(f, n, ll_byval(l, ll_blob(l, ty)));
      LLVMAddAttributeAtIndex(f, n, ll_attr(l, "align", kernel_param_align(ll_ty(l, ty)->align)));
      break;
    case PM_PASS_ZST:
      break;
    }
  }
}

static void annotate(struct ll *l, const struct pm_kernel *k, ll_v f, struct lower_kernel *out) {
  static const char *const req[] = {"reqntidx", "reqntidy", "reqntidz"};
  static const char *const cluster[] = {"cluster_dim_x", "cluster_dim_y", "cluster_dim_z"};
  const struct pm_launch *la = &k->launch;
  ll_annotate(l, f, "kernel", 1);
  if (la->block[0]) {
    for (unsigned i = 0; i < 3; i++) {
      out->reqntid[i] = la->block[i] ? la->block[i] : 1;
      ll_annotate(l, f, req[i], out->reqntid[i]);
    }
  } else if (la->max_block) { /* both at once do not link */
    out->maxntid = la->max_block;
    ll_annotate(l, f, "maxntidx", la->max_block);
    ll_annotate(l, f, "maxntidy", 1);
    ll_annotate(l, f, "maxntidz", 1);
  }
  if (la->min_blocks) {
    out->minctasm = la->min_blocks;
    ll_annotate(l, f, "minctasm", la->min_blocks);
  }
  if (!la->cluster[0])
    return;
  if (l->out->min_arch < 90)
    l->out->min_arch = 90;
  for (unsigned i = 0; i < 3; i++) {
    out->cluster[i] = la->cluster[i] ? la->cluster[i] : 1;
    ll_annotate(l, f, cluster[i], out->cluster[i]);
  }
}

static bool cluster_fits(struct ll *l, const struct pm_kernel *k) {
  if (!k->launch.cluster[0] || l->o->arch >= 90)
    return true;
  struct diag *d =
      diag_error(l->sink, MD0306, pm_span_of(l->m, k->span),
                 "kernel `%.*s` runs in clusters, which exist from sm_90 on", STR_ARG(k->name));
  diag_help(d, "pass `--arch sm_90` or newer");
  l->failed = true;
  return false;
}

bool ll_kernel(struct ll *l, uint32_t index, struct lower_kernel *facts) {
  const struct pm_kernel *k = &l->m->kernels[index];
  facts->index = index;
  facts->name = arena_str(&l->out->arena, k->name);
  if (!list_params(l, k, facts) || !cluster_fits(l, k))
    return false;
  ll_v f = declare(l, k);
  mark_params(l, k, f);
  annotate(l, k, f, facts);
  vec_push(&l->arena, &l->used, LLVMConstBitCast(f, l->ptr));
  l->fn_wanted[k->fn] |= FN_AS_KERNEL;
  ll_lower_body(l, k->fn, k, f);
  return true;
}

/* The type may be a slice reference or a struct that wraps one in its own order. */
static struct ll_val slice_of(struct ll_fn *fc, pm_ty ty, ll_v p, ll_v len) {
  struct ll *l = fc->l;
  const struct ll_shape *s = ll_shape(l, ty);
  if (s->mem || s->n != 2)
    BUG("a slice parameter of type `%.*s`", STR_ARG(ll_ty(l, ty)->name));
  bool pointer_first = s->leaf[0].kind == LEAF_PTR;
  return pointer_first ? ll_two(l, ty, p, len) : ll_two(l, ty, len, p);
}

/* The prologue of a kernel. */
void ll_bind_kernel_params(struct ll_fn *fc) {
  struct ll *l = fc->l;
  const struct pm_kernel *k = fc->kernel;
  unsigned n = 0;
  for (uint32_t i = 0; i < k->n_params; i++) {
    pm_ty ty = k->params[i].ty;
    struct ll_val v = ll_undef(l, ty);
    switch (k->params[i].pass) {
    case PM_PASS_SCALAR:
    case PM_PASS_POINTER:
      v.v[0] = LLVMGetParam(fc->v, n++);
      if (ll_shape(l, ty)->leaf[0].kind == LEAF_BOOL)
        v.v[0] = LLVMBuildTrunc(l->b, v.v[0], l->i1, "");
      break;
    case PM_PASS_SLICE: {
      ll_v p = LLVMGetParam(fc->v, n++);
      v = slice_of(fc, ty, p, LLVMGetParam(fc->v, n++));
      break;
    }
    case PM_PASS_AGGREGATE: {
      ll_v p = LLVMBuildBitCast(l->b, LLVMGetParam(fc->v, n++), l->ptr, "");
      v = ll_load_val(l, ty, p, kernel_param_align(ll_ty(l, ty)->align), false);
      break;
    }
    case PM_PASS_ZST:
      break;
    }
    ll_bind_local(fc, i + 1, &v);
  }
}

/* ---- who reaches dynamic shared memory ---- */
static bool uses_directly(struct ll *l, const struct pm_func *f) {
  for (uint32_t b = 0; b < f->n_blocks; b++) {
    const struct pm_term *t = &f->blocks[b].term;
    if (t->kind != PM_CALL || t->u.call.callee->kind != PM_CALL_EXTERN)
      continue;
    str s = l->m->externs[t->u.call.callee->id].symbol;
    if (str_starts(s, STR("__mirdc_dyn_shared")))
      return true;
  }
  return false;
}

static bool calls_user(const struct pm_func *f, const bool *uses) {
  for (uint32_t b = 0; b < f->n_blocks; b++) {
    const struct pm_term *t = &f->blocks[b].term;
    if (t->kind == PM_DROP && t->u.drop.fn != PM_NONE && uses[t->u.drop.fn])
      return true;
    if (t->kind != PM_CALL)
      continue;
    const struct pm_callee *c = t->u.call.callee;
    if (c->kind == PM_CALL_FN && uses[c->id])
      return true;
    if (c->kind == PM_CALL_PTR || c->kind == PM_CALL_NATIVE)
      return true; /* may be anyone */
  }
  return false;
}

void ll_find_dyn_shared(struct ll *l) {
  if (!l->dyn_shared)
    return;
  uint32_t n = l->m->n_fns;
  bool *uses = arena_array(&l->arena, bool, n);
  for (uint32_t i = 0; i < n; i++)
    uses[i] = l->fn_wanted[i] && uses_directly(l, &l->m->fns[i]);
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i = 0; i < n; i++) {
      if (uses[i] || !l->fn_wanted[i] || !calls_user(&l->m->fns[i], uses))
        continue;
      uses[i] = more = true;
    }
  }
  for (uint32_t i = 0; i < l->out->n_kernels; i++) {
    struct lower_kernel *k = &l->out->kernels[i];
    k->uses_dyn_shared = uses[l->m->kernels[k->index].fn];
  }
}
