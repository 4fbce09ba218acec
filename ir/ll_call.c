/* Calling conventions and calls. */
#include "ir/ll.h"

LLVMAttributeRef ll_attr(struct ll *l, const char *name, uint64_t value) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  if (kind == 0)
    BUG("LLVM knows no attribute `%s`", name);
  return LLVMCreateEnumAttribute(l->cx, kind, value);
}

LLVMAttributeRef ll_byval(struct ll *l, LLVMTypeRef t) {
  unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
  return LLVMCreateTypeAttribute(l->cx, kind, t);
}

/* ---- signatures ---- */
/* Passed as a struct by CUDA C. An enum that is one scalar (`Option<&T>`, a plain enum) is not. */
bool ll_c_aggregate(struct ll *l, pm_ty ty) {
  const struct pm_type *t = ll_ty(l, ty);
  const struct ll_shape *s = ll_shape(l, ty);
  if (t->size == 0)
    return false;
  switch (t->kind) {
  case PM_TUPLE:
  case PM_STRUCT:
  case PM_CLOSURE:
  case PM_UNION:
  case PM_ARRAY:
  case PM_OPAQUE:
    return true;
  case PM_ENUM:
    return s->mem || s->n != 1 || s->leaf[0].bits != t->size * 8;
  default:
    return false;
  }
}

static enum ll_ext extension(struct ll *l, pm_ty ty, bool c_abi) {
  const struct pm_type *t = ll_ty(l, ty);
  if (!c_abi)
    return EXT_NONE;
  if (t->kind == PM_BOOL)
    return EXT_ZERO;
  if (t->kind == PM_ENUM && t->size < 4 && t->size > 0)
    return ll_ty(l, t->elem)->is_signed ? EXT_SIGN : EXT_ZERO;
  if (t->kind != PM_INT || t->bits >= 32)
    return EXT_NONE;
  return t->is_signed ? EXT_SIGN : EXT_ZERO;
}

/* In C a bool is a byte. */
static LLVMTypeRef scalar_type(struct ll *l, const struct ll_leaf *lf, bool c_abi) {
  return c_abi ? ll_leaf_mem(l, lf) : ll_leaf_type(l, lf);
}

static void sig_param(struct ll *l, struct ll_sig *s, pm_ty ty) {
  const struct ll_shape *sh = ll_shape(l, ty);
  const struct pm_type *t = ll_ty(l, ty);
  if (s->c_abi && ll_c_aggregate(l, ty)) {
    bool by_value;
    LLVMTypeRef c = ll_c_type(l, ty, &by_value);
    uint64_t align = t->align < 4 ? 4 : t->align; /* what the back end makes of less */
    if (by_value)
      s->p[s->n++] = (struct ll_sig_param){.ty = c};
    else
      s->p[s->n++] = (struct ll_sig_param){LLVMPointerType(c, 0), c, align, EXT_NONE};
  } else if (sh->mem) {
    s->p[s->n++] = (struct ll_sig_param){.ty = l->ptr};
  } else {
    for (unsigned i = 0; i < sh->n; i++)
      s->p[s->n++] = (struct ll_sig_param){.ty = scalar_type(l, &sh->leaf[i], s->c_abi),
                                           .ext = extension(l, ty, s->c_abi)};
  }
}

static LLVMTypeRef leaves_type(struct ll *l, const struct ll_shape *s, bool c_abi) {
  LLVMTypeRef t[LL_MAX_LEAVES];
  for (unsigned i = 0; i < s->n; i++)
    t[i] = scalar_type(l, &s->leaf[i], c_abi);
  return s->n == 0 ? l->t_void : s->n == 1 ? t[0] : LLVMStructTypeInContext(l->cx, t, s->n, 0);
}

struct ll_sig ll_sig(struct ll *l, const pm_ty *args, uint32_t n, pm_ty ret, bool c_abi) {
  const struct ll_shape *rs = ll_shape(l, ret);
  struct ll_sig s = {.args = args, .ret = ret, .n_args = n, .c_abi = c_abi};
  s.p = arena_array(&l->scratch, struct ll_sig_param, (size_t)n * LL_MAX_LEAVES + 1);
  if (c_abi && ll_c_aggregate(l, ret)) {
    bool by_value;
    s.ret_ty = ll_c_type(l, ret, &by_value);
  } else if (rs->mem) {
    s.sret = true;
    s.ret_ty = l->t_void;
    s.p[s.n++] = (struct ll_sig_param){.ty = l->ptr};
  } else {
    s.ret_ty = leaves_type(l, rs, c_abi);
    s.ret_ext = extension(l, ret, c_abi);
  }
  for (uint32_t i = 0; i < n; i++)
    sig_param(l, &s, args[i]);
  LLVMTypeRef *types = arena_array(&l->scratch, LLVMTypeRef, s.n);
  for (uint32_t i = 0; i < s.n; i++)
    types[i] = s.p[i].ty;
  s.fn = LLVMFunctionType(s.ret_ty, types, s.n, 0);
  return s;
}

struct ll_sig ll_fn_sig(struct ll *l, pm_fn id) {
  const struct pm_func *f = &l->m->fns[id];
  pm_ty *args = arena_array(&l->scratch, pm_ty, f->n_args);
  for (uint32_t i = 0; i < f->n_args; i++)
    args[i] = f->locals[i + 1].ty;
  return ll_sig(l, args, f->n_args, f->locals[0].ty, f->c_abi);
}

static void put_attr(ll_v f, unsigned index, LLVMAttributeRef a) {
  if (LLVMIsAFunction(f))
    LLVMAddAttributeAtIndex(f, index, a);
  else
    LLVMAddCallSiteAttribute(f, index, a);
}

/* Of a function or a call. */
void ll_sig_attrs(struct ll *l, const struct ll_sig *s, ll_v f) {
  static const char *const ext[] = {NULL, "zeroext", "signext"};
  if (s->ret_ext)
    put_attr(f, 0, ll_attr(l, ext[s->ret_ext], 0));
  for (uint32_t i = 0; i < s->n; i++) {
    if (s->p[i].ext)
      put_attr(f, i + 1, ll_attr(l, ext[s->p[i].ext], 0));
    if (!s->p[i].byval)
      continue;
    put_attr(f, i + 1, ll_byval(l, s->p[i].byval));
    put_attr(f, i + 1, ll_attr(l, "align", s->p[i].align));
  }
}

/* A struct with one scalar is passed as a struct when it is repr(C) and as the scalar when it is
 * repr(transparent); the dump does not say which. */
static bool is_ambiguous(struct ll *l, pm_ty ty) {
  const struct ll_shape *s = ll_shape(l, ty);
  const struct pm_type *t = ll_ty(l, ty);
  return ll_c_aggregate(l, ty) && !s->mem && s->n == 1 && t->kind != PM_ARRAY;
}

void ll_check_c_abi(struct ll *l, const struct ll_sig *s, str symbol, pm_loc span) {
  for (uint32_t i = 0; i <= s->n_args; i++) {
    pm_ty ty = i < s->n_args ? s->args[i] : s->ret;
    if (!is_ambiguous(l, ty))
      continue;
    struct diag *d = diag_error(l->sink, MD0314, pm_span_of(l->m, span),
                                "`%.*s` passes the one-field type `%.*s` by value", STR_ARG(symbol),
                                STR_ARG(ll_ty(l, ty)->name));
    diag_help(d, "pass the field itself, or a pointer to the struct");
    l->failed = true;
  }
}

/* ---- calls ---- */
static ll_v bool_to_c(struct ll *l, ll_v v) {
  return LLVMTypeOf(v) == l->i1 ? LLVMBuildZExt(l->b, v, l->i8, "") : v;
}

static ll_v bool_from_c(struct ll *l, ll_v v, LLVMTypeRef want) {
  return LLVMTypeOf(v) == want ? v : LLVMBuildTrunc(l->b, v, want, "");
}

static unsigned push_arg(struct ll *l, const struct ll_sig *s, pm_ty ty, const struct ll_val *v,
                         ll_v *out) {
  const struct pm_type *t = ll_ty(l, ty);
  bool c_struct = s->c_abi && ll_c_aggregate(l, ty), by_value;
  if (c_struct || v->mem) {
    ll_v p = ll_temp(l, t->size, t->align < 4 ? 4 : t->align);
    ll_store_val(l, v, p, t->align, false);
    out[0] = p;
    if (!c_struct)
      return 1;
    LLVMTypeRef c = ll_c_type(l, ty, &by_value);
    out[0] = by_value ? ll_load(l, c, p, t->align) : ll_cast_ptr(l, p, c);
    return 1;
  }
  for (unsigned i = 0; i < v->n; i++)
    out[i] = s->c_abi ? bool_to_c(l, v->v[i]) : v->v[i];
  return v->n;
}

static struct ll_val result_of(struct ll *l, const struct ll_sig *s, ll_v c, ll_v slot) {
  struct ll_val r = ll_undef(l, s->ret);
  const struct pm_type *t = ll_ty(l, s->ret);
  if (s->c_abi && ll_c_aggregate(l, s->ret)) {
    ll_v p = ll_temp(l, t->size, t->align);
    ll_store(l, c, p, t->align);
    return ll_load_val(l, s->ret, p, t->align, false);
  }
  if (r.mem) {
    r.v[0] = slot;
    return r;
  }
  for (unsigned i = 0; i < r.n; i++) {
    ll_v part = r.n == 1 ? c : LLVMBuildExtractValue(l->b, c, i, "");
    r.v[i] = bool_from_c(l, part, ll_leaf_type(l, &ll_shape(l, s->ret)->leaf[i]));
  }
  return r;
}

struct ll_val ll_emit_call(struct ll_fn *fc, ll_v callee, const struct ll_sig *s,
                           const struct ll_val *args, ll_v into) {
  struct ll *l = fc->l;
  const struct pm_type *rt = ll_ty(l, s->ret);
  ll_v *vals = arena_array(&l->scratch, ll_v, s->n + 1), slot = NULL;
  unsigned n = 0;
  if (s->sret) {
    slot = into ? into : ll_temp(l, rt->size, rt->align);
    vals[n++] = slot;
  }
  for (uint32_t i = 0; i < s->n_args; i++) {
    struct ll_val v = args[i].ty == s->args[i] ? args[i] : ll_transmute(fc, &args[i], s->args[i]);
    n += push_arg(l, s, s->args[i], &v, &vals[n]);
  }
  ll_v c = ll_call(l, callee, vals, n);
  ll_sig_attrs(l, s, c);
  return result_of(l, s, c, slot);
}

/* A plain local that nothing else can reach takes a memory result directly. */
static ll_v direct_result(struct ll_fn *fc, const struct pm_place *dest) {
  struct ll_local *lo = &fc->locals[dest->local];
  if (dest->n > 0 || lo->ssa || lo->addressed)
    return NULL;
  ll_slot_for(fc, dest->local);
  return lo->addr;
}

static ll_v callee_value(struct ll_fn *fc, const struct pm_callee *c, struct ll_sig *s) {
  struct ll *l = fc->l;
  switch (c->kind) {
  case PM_CALL_FN:
    *s = ll_fn_sig(l, c->id);
    return ll_want_fn(l, c->id);
  case PM_CALL_EXTERN: {
    const struct pm_extern *x = &l->m->externs[c->id];
    *s = ll_sig(l, x->args, x->n_args, x->ret, true);
    return ll_want_extern(l, c->id);
  }
  case PM_CALL_PTR: {
    struct ll_val p = ll_operand(fc, c->ptr);
    const struct pm_type *t = ll_ty(l, p.ty);
    if (t->kind != PM_FNPTR)
      BUG("call through `%.*s`", STR_ARG(t->name));
    *s = ll_sig(l, t->args, t->n_args, t->elem, t->c_abi);
    return p.v[0];
  }
  case PM_CALL_INTRINSIC:
  case PM_CALL_NATIVE:
    break;
  }
  BUG("callee kind %d", (int)c->kind);
}

static void call_function(struct ll_fn *fc, const struct pm_term *t) {
  struct ll *l = fc->l;
  const struct pm_place *dest = &t->u.call.dest;
  struct ll_val *args = arena_array(&l->scratch, struct ll_val, t->n);
  struct ll_sig s;
  ll_v callee = callee_value(fc, t->u.call.callee, &s);
  if (s.n_args != t->n)
    BUG("a call with %u instead of %u arguments", t->n, s.n_args);
  for (uint32_t i = 0; i < t->n; i++)
    args[i] = ll_operand(fc, &t->ops[i]);
  ll_v into =
      s.sret && t->target != PM_NONE && dest->n == 0 && fc->f->locals[dest->local].ty == s.ret
          ? direct_result(fc, dest)
          : NULL;
  struct ll_val r = t->u.call.callee->kind == PM_CALL_PTR
                        ? ll_call_pointer(fc, callee, &s, args, into)
                        : ll_emit_call(fc, callee, &s, args, into);
  if (into && r.v[0] == into)
    ll_debug_assigned(fc, dest->local);
  else if (t->target != PM_NONE)
    ll_assign(fc, dest, &r);
}

void ll_call_term(struct ll_fn *fc, const struct pm_term *t) {
  struct ll *l = fc->l;
  const struct pm_callee *c = t->u.call.callee;
  struct arena_mark mark = arena_save(&l->scratch);
  bool ends = t->target == PM_NONE;
  if (c->kind == PM_CALL_EXTERN && str_starts(l->m->externs[c->id].symbol, STR("__mirdc_"))) {
    ends = ll_device_op(fc, &l->m->externs[c->id], t) || ends;
  } else if (c->kind == PM_CALL_INTRINSIC) {
    bool stops = false;
    struct ll_val v = ll_intrinsic_call(fc, t, &stops);
    if (!ends && !stops)
      ll_assign(fc, &t->u.call.dest, &v);
    if (stops)
      ends = true;
  } else if (c->kind == PM_CALL_NATIVE) {
    ll_native_call(fc, t);
  } else {
    call_function(fc, t);
  }
  if (ends)
    LLVMBuildUnreachable(l->b);
  else
    ll_branch(fc, t->target);
  arena_rewind(&l->scratch, mark);
}

/* ---- inside of a function ---- */
/* Gives an argument's value to its local. */
void ll_bind_local(struct ll_fn *fc, uint32_t local, const struct ll_val *v) {
  struct ll_local *lo = &fc->locals[local];
  struct pm_place p = {.local = local};
  uint64_t align = ll_ty(fc->l, v->ty)->align;
  if (v->mem && v->v[0] && !lo->ssa && v->align >= align && !fc->vars)
    lo->addr = v->v[0]; /* the copy is ours */
  else
    ll_assign(fc, &p, v);
}

/* A struct that came in the way of C. */
static struct ll_val c_struct_param(struct ll_fn *fc, pm_ty ty, ll_v param) {
  struct ll *l = fc->l;
  const struct pm_type *t = ll_ty(l, ty);
  if (LLVMGetTypeKind(LLVMTypeOf(param)) == LLVMPointerTypeKind)
    return ll_load_val(l, ty, LLVMBuildBitCast(l->b, param, l->ptr, ""), t->align, false);
  ll_v p = ll_temp(l, t->size, t->align);
  ll_store(l, param, p, t->align);
  return ll_load_val(l, ty, p, t->align, false);
}

void ll_bind_params(struct ll_fn *fc) {
  struct ll *l = fc->l;
  struct ll_sig s = ll_fn_sig(l, fc->id);
  unsigned n = 0;
  if (s.sret)
    fc->locals[0].addr = LLVMGetParam(fc->v, n++);
  for (uint32_t i = 0; i < s.n_args; i++) {
    struct ll_val v = ll_undef(l, s.args[i]);
    if (s.c_abi && ll_c_aggregate(l, s.args[i])) {
      v = c_struct_param(fc, s.args[i], LLVMGetParam(fc->v, n++));
    } else if (v.mem) {
      v.v[0] = LLVMGetParam(fc->v, n++);
    } else {
      for (unsigned k = 0; k < v.n; k++)
        v.v[k] = bool_from_c(l, LLVMGetParam(fc->v, n++), LLVMTypeOf(v.v[k]));
    }
    ll_bind_local(fc, i + 1, &v);
  }
}

void ll_return(struct ll_fn *fc) {
  struct ll *l = fc->l;
  struct pm_place zero = {.local = 0};
  pm_ty ty = fc->f->locals[0].ty;
  const struct ll_shape *s = ll_shape(l, ty);
  if (fc->kernel || (!s->mem && s->n == 0) || (s->mem && !fc->f->c_abi)) {
    LLVMBuildRetVoid(l->b);
    return;
  }
  if (fc->f->c_abi && ll_c_aggregate(l, ty)) {
    uint64_t align;
    bool by_value;
    struct ll_val v = ll_read_place(fc, &zero);
    ll_v p = ll_spill(l, &v, &align);
    LLVMBuildRet(l->b, ll_load(l, ll_c_type(l, ty, &by_value), p, align));
    return;
  }
  struct ll_val v = ll_read_place(fc, &zero);
  ll_v r = fc->f->c_abi ? bool_to_c(l, v.v[0]) : v.v[0];
  if (v.n > 1) {
    r = LLVMGetUndef(leaves_type(l, s, fc->f->c_abi));
    for (unsigned i = 0; i < v.n; i++)
      r = LLVMBuildInsertValue(l->b, r, fc->f->c_abi ? bool_to_c(l, v.v[i]) : v.v[i], i, "");
  }
  LLVMBuildRet(l->b, r);
}
