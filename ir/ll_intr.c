/* Operations of the core library (ir/intrinsics.def). */
#include "ir/ll.h"

struct intr {
  struct ll_fn *fc;
  const struct pm_term *t;
  const struct pm_callee *c;
  enum pm_intrinsic id;
  pm_ty ret;               /* type of the destination */
  pm_ty ty;                /* first type parameter, 0 if there is none */
  const struct pm_type *T; /* its row */
  struct ll_val v[4];
  ll_v a[4]; /* first leaves of the arguments */
};

static struct ll_val one(struct intr *x, ll_v v) {
  return ll_one(x->fc->l, x->ret, v);
}
static struct ll_val nothing(struct intr *x) {
  return ll_undef(x->fc->l, x->ret);
}
static bool is_signed(const struct intr *x) {
  return x->T->kind == PM_INT && x->T->is_signed;
}

/* ---- integers ---- */
static struct ll_val count(struct intr *x, const char *what) {
  struct ll *l = x->fc->l;
  return one(x, ll_resize(l, ll_count_bits(l, what, x->a[0]), 32, false));
}

static struct ll_val exact_div(struct intr *x) {
  struct ll *l = x->fc->l;
  return one(x, is_signed(x) ? LLVMBuildExactSDiv(l->b, x->a[0], x->a[1], "")
                             : LLVMBuildUDiv(l->b, x->a[0], x->a[1], ""));
}

static struct ll_val mul_add(struct intr *x) {
  struct ll *l = x->fc->l;
  ll_v lo, hi;
  ll_mul_add_wide(l, is_signed(x), x->a[0], x->a[1], x->a[2], x->a[3], &lo, &hi);
  return ll_tuple(l, x->ret, lo, hi);
}

static struct ll_val integers(struct intr *x) {
  struct ll *l = x->fc->l;
  switch (x->id) {
  case PI_CTPOP:
    return count(x, "ctpop");
  case PI_CTLZ:
  case PI_CTLZ_NONZERO:
    return count(x, "ctlz");
  case PI_CTTZ:
  case PI_CTTZ_NONZERO:
    return count(x, "cttz");
  case PI_BSWAP:
    return one(x, ll_byte_swap(l, x->a[0]));
  case PI_BITREVERSE:
    return one(x, ll_bit_reverse(l, x->a[0]));
  case PI_ROTL:
    return one(x, ll_funnel(l, true, x->a[0], x->a[0], x->a[1]));
  case PI_ROTR:
    return one(x, ll_funnel(l, false, x->a[0], x->a[0], x->a[1]));
  case PI_FSHL:
    return one(x, ll_funnel(l, true, x->a[0], x->a[1], x->a[2]));
  case PI_FSHR:
    return one(x, ll_funnel(l, false, x->a[0], x->a[1], x->a[2]));
  case PI_SAT_ADD:
    return one(x, ll_saturating(l, false, is_signed(x), x->a[0], x->a[1]));
  case PI_SAT_SUB:
    return one(x, ll_saturating(l, true, is_signed(x), x->a[0], x->a[1]));
  case PI_EXACT_DIV:
    return exact_div(x);
  case PI_DISJOINT_OR:
    return one(x, LLVMBuildOr(l->b, x->a[0], x->a[1], ""));
  case PI_CARRYING_MUL_ADD:
    return mul_add(x);
  default:
    BUG("intrinsic %d is not about integers", (int)x->id);
  }
}

/* ---- floats ---- */
/* Those that are functions of libdevice. */
static const char *library_name(enum pm_intrinsic id) {
  static const struct {
    enum pm_intrinsic id;
    const char *name;
  } rows[] = {
      {PI_TRUNC, "trunc"},   {PI_ROUND, "round"},   {PI_RINT, "rint"},   {PI_SIN, "sin"},
      {PI_COS, "cos"},       {PI_TAN, "tan"},       {PI_ASIN, "asin"},   {PI_ACOS, "acos"},
      {PI_ATAN, "atan"},     {PI_ATAN2, "atan2"},   {PI_SINH, "sinh"},   {PI_COSH, "cosh"},
      {PI_TANH, "tanh"},     {PI_ASINH, "asinh"},   {PI_ACOSH, "acosh"}, {PI_ATANH, "atanh"},
      {PI_EXP, "exp"},       {PI_EXP2, "exp2"},     {PI_EXPM1, "expm1"}, {PI_LOG, "log"},
      {PI_LOG2, "log2"},     {PI_LOG10, "log10"},   {PI_LOG1P, "log1p"}, {PI_POW, "pow"},
      {PI_POWI, "powi"},     {PI_CBRT, "cbrt"},     {PI_HYPOT, "hypot"}, {PI_FDIM, "fdim"},
      {PI_TGAMMA, "tgamma"}, {PI_LGAMMA, "lgamma"}, {PI_ERF, "erf"},     {PI_ERFC, "erfc"}};
  for (size_t i = 0; i < COUNT_OF(rows); i++)
    if (rows[i].id == id)
      return rows[i].name;
  BUG("intrinsic %d is not a function of a library", (int)id);
}

static ll_v to_int_unchecked(struct intr *x) {
  struct ll *l = x->fc->l;
  const struct pm_type *to = ll_ty(l, x->c->types[1]);
  ll_v a = ll_f32_wide(l, x->a[0]);
  if (to->bits == 128)
    return ll_float_to_int(l, a, to->is_signed, 128);
  LLVMTypeRef it = ll_int(l, to->bits);
  return to->is_signed ? LLVMBuildFPToSI(l->b, a, it, "") : LLVMBuildFPToUI(l->b, a, it, "");
}

static ll_v library(struct intr *x) {
  struct ll *l = x->fc->l;
  ll_v args[] = {x->a[0], x->a[1]};
  bool powi = x->id == PI_POWI && l->o->host; /* libm has no powi */
  if (powi)
    args[1] = LLVMBuildSIToFP(l->b, args[1], LLVMTypeOf(args[0]), "");
  return ll_math(x->fc, powi ? "pow" : library_name(x->id), args, x->t->n);
}

static ll_v float_value(struct intr *x) {
  struct ll *l = x->fc->l;
  ll_v a = x->a[0], b = x->a[1];
  switch (x->id) {
  case PI_FABS:
    return ll_fabs(l, a);
  case PI_SQRT:
    return ll_unary_math(l, "sqrt", a);
  case PI_FLOOR:
    return ll_unary_math(l, "floor", a);
  case PI_CEIL:
    return ll_unary_math(l, "ceil", a);
  case PI_COPYSIGN:
    return ll_copysign(l, a, b);
  case PI_FMA:
  case PI_FMULADD:
    return ll_fma(l, a, b, x->a[2]);
  case PI_MINNUM:
    return ll_min_max(l, false, false, a, b);
  case PI_MAXNUM:
    return ll_min_max(l, true, false, a, b);
  case PI_MINIMUM:
    return ll_min_max(l, false, true, a, b);
  case PI_MAXIMUM:
    return ll_min_max(l, true, true, a, b);
  case PI_F_TO_INT_U:
    return to_int_unchecked(x);
  case PI_FADD_A:
    return ll_binary_float(x->fc, PM_ADD, a, b);
  case PI_FSUB_A:
    return ll_binary_float(x->fc, PM_SUB, a, b);
  case PI_FMUL_A:
    return ll_binary_float(x->fc, PM_MUL, a, b);
  case PI_FDIV_A:
    return ll_binary_float(x->fc, PM_DIV, a, b);
  case PI_FREM_A:
    return ll_binary_float(x->fc, PM_REM, a, b);
  default:
    return library(x);
  }
}

/* ---- memory ---- */
static struct ll_val volatile_access(struct intr *x, bool aligned, bool store) {
  struct ll *l = x->fc->l;
  uint64_t align = aligned ? x->T->align : 1;
  if (!store)
    return ll_load_val(l, x->ty, x->a[0], align, true);
  ll_store_val(l, &x->v[1], x->a[0], align, true);
  return nothing(x);
}

static struct ll_val swap(struct intr *x) {
  struct ll *l = x->fc->l;
  uint64_t align = x->T->align;
  struct ll_val a = ll_load_val(l, x->ty, x->a[0], align, false);
  struct ll_val b = ll_load_val(l, x->ty, x->a[1], align, false);
  if (a.mem) {
    ll_v p = ll_temp(l, x->T->size, align);
    ll_memcpy(l, p, align, x->a[0], align, x->T->size);
    a.v[0] = p;
  }
  ll_store_val(l, &b, x->a[0], align, false);
  ll_store_val(l, &a, x->a[1], align, false);
  return nothing(x);
}

static struct ll_val write_bytes(struct intr *x) {
  struct ll *l = x->fc->l;
  uint64_t n, size = x->T->size, align = x->T->align;
  if (size == 0)
    return nothing(x);
  if (ll_is_const(x->a[2], &n) && n * size <= (1u << 20)) {
    ll_memset(l, x->a[0], align, x->a[1], n * size);
    return nothing(x);
  }
  ll_v bytes = LLVMBuildMul(l->b, x->a[2], ll_usize(l, size), "");
  ll_set_dyn(l, x->a[0], x->a[1], bytes, align);
  return nothing(x);
}

static struct ll_val raw_eq(struct intr *x) {
  struct ll *l = x->fc->l;
  if (x->T->size == 0)
    return one(x, LLVMConstInt(l->i1, 1, 0));
  if (x->T->size <= 16 && (x->T->size & (x->T->size - 1)) == 0) {
    LLVMTypeRef t = ll_int(l, (uint32_t)x->T->size * 8);
    ll_v p = ll_load(l, t, x->a[0], x->T->align), q = ll_load(l, t, x->a[1], x->T->align);
    return one(x, LLVMBuildICmp(l->b, LLVMIntEQ, p, q, ""));
  }
  ll_v r = ll_cmp_bytes(l, x->a[0], x->a[1], ll_usize(l, x->T->size));
  return one(x, LLVMBuildICmp(l->b, LLVMIntEQ, r, ll_k(r, 0), ""));
}

static struct ll_val distance(struct intr *x) {
  struct ll *l = x->fc->l;
  ll_v a = LLVMBuildPtrToInt(l->b, x->a[0], l->i64, "");
  ll_v d = LLVMBuildSub(l->b, a, LLVMBuildPtrToInt(l->b, x->a[1], l->i64, ""), "");
  if (x->T->size > 1)
    d = LLVMBuildExactSDiv(l->b, d, ll_usize(l, x->T->size), "");
  return one(x, d);
}

static struct ll_val size_of_val(struct intr *x) {
  struct ll *l = x->fc->l;
  if (!ll_is_unsized(l, x->ty))
    return one(x, ll_usize(l, x->T->size));
  if (x->T->kind == PM_STR)
    return one(x, x->v[0].v[1]);
  if (x->T->kind == PM_SLICE)
    return one(x, LLVMBuildMul(l->b, x->v[0].v[1], ll_usize(l, ll_ty(l, x->T->elem)->size), ""));
  ll_refuse(x->fc, MD0303, "the size of `%.*s` is not known", STR_ARG(x->T->name));
  return nothing(x);
}

static struct ll_val align_of_val(struct intr *x) {
  if (x->T->kind != PM_DYN)
    return one(x, ll_usize(x->fc->l, x->T->align));
  ll_refuse(x->fc, MD0303, "the alignment of `%.*s` is not known", STR_ARG(x->T->name));
  return nothing(x);
}

static struct ll_val slice_get(struct intr *x) {
  struct ll *l = x->fc->l;
  uint64_t size = ll_ty(l, x->c->types[2])->size;
  return one(x, ll_elem(l, x->a[0], x->a[1], size, true));
}

static struct ll_val arith_offset(struct intr *x) {
  return one(x, ll_elem(x->fc->l, x->a[0], x->a[1], x->T->size, false));
}

static struct ll_val ptr_mask(struct intr *x) {
  struct ll *l = x->fc->l;
  ll_v p = LLVMBuildPtrToInt(l->b, x->a[0], l->i64, "");
  return one(x, LLVMBuildIntToPtr(l->b, LLVMBuildAnd(l->b, p, x->a[1], ""), l->ptr, ""));
}

static struct ll_val memory(struct intr *x) {
  struct ll *l = x->fc->l;
  switch (x->id) {
  case PI_VOLATILE_LOAD:
    return volatile_access(x, true, false);
  case PI_VOLATILE_STORE:
    return volatile_access(x, true, true);
  case PI_UVOLATILE_LOAD:
    return volatile_access(x, false, false);
  case PI_UVOLATILE_STORE:
    return volatile_access(x, false, true);
  case PI_COPY:
  case PI_COPY_NO:
    ll_copy_elems(l, x->a[1], x->a[0], x->a[2], x->T->size, x->T->align, x->id == PI_COPY);
    return nothing(x);
  case PI_WRITE_BYTES:
    return write_bytes(x);
  case PI_SWAP:
    return swap(x);
  case PI_RAW_EQ:
    return raw_eq(x);
  case PI_COMPARE_BYTES:
    return one(x, ll_cmp_bytes(l, x->a[0], x->a[1], x->a[2]));
  case PI_OFFSET_FROM:
  case PI_OFFSET_FROM_U:
    return distance(x);
  case PI_ARITH_OFFSET:
    return arith_offset(x);
  case PI_PTR_MASK:
    return ptr_mask(x);
  case PI_SIZE_OF_VAL:
    return size_of_val(x);
  case PI_ALIGN_OF_VAL:
    return align_of_val(x);
  case PI_SLICE_GET:
    return slice_get(x);
  case PI_DISCRIMINANT:
    if (x->T->kind != PM_ENUM)
      return ll_bits_val(l, x->ret, 0);
    return one(x, ll_discriminant(x->fc, x->ty, x->a[0], x->T->align));
  default:
    BUG("intrinsic %d is not about memory", (int)x->id);
  }
}

/* ---- hints and ends ---- */
static struct ll_val choose(struct intr *x) {
  struct ll *l = x->fc->l;
  struct ll_val r = x->v[1];
  if (r.mem && (!r.v[0] || !x->v[2].v[0]))
    return r.v[0] ? r : x->v[2];
  if (x->v[2].align < r.align)
    r.align = x->v[2].align;
  for (unsigned i = 0; i < (r.mem ? 1u : r.n); i++)
    r.v[i] = LLVMBuildSelect(l->b, x->a[0], x->v[1].v[i], x->v[2].v[i], "");
  return r;
}

static struct ll_val hints(struct intr *x, bool *ends) {
  struct ll *l = x->fc->l;
  switch (x->id) {
  case PI_BLACK_BOX:
    return x->v[0];
  case PI_SELECT_UNPRED:
    return choose(x);
  case PI_ABORT:
    ll_trap_stop(x->fc, x->fc->trap_code);
    *ends = true;
    return nothing(x);
  case PI_BREAKPOINT:
    if (!l->o->host)
      ll_asm(l, "brkpt;", "~{memory}", l->t_void, NULL, 0, true);
    return nothing(x);
  case PI_COMPILER_FENCE:
    ll_asm(l, "", "~{memory}", l->t_void, NULL, 0, true);
    return nothing(x);
  default:
    BUG("intrinsic %d is not a hint", (int)x->id);
  }
}

/* ---- atomics ---- */
static bool order_fits(enum pm_intrinsic id, enum ll_order o) {
  if (id == PI_ATOMIC_LOAD)
    return o != ORD_RELEASE && o != ORD_ACQREL;
  if (id == PI_ATOMIC_STORE)
    return o != ORD_ACQUIRE && o != ORD_ACQREL;
  return id != PI_ATOMIC_FENCE || o != ORD_RELAXED;
}

static enum ll_rmw rmw_of(struct intr *x) {
  switch (x->id) {
  case PI_ATOMIC_XCHG:
    return RMW_XCHG;
  case PI_ATOMIC_ADD:
    return RMW_ADD;
  case PI_ATOMIC_SUB:
    return RMW_SUB;
  case PI_ATOMIC_AND:
    return RMW_AND;
  case PI_ATOMIC_NAND:
    return RMW_NAND;
  case PI_ATOMIC_OR:
    return RMW_OR;
  case PI_ATOMIC_XOR:
    return RMW_XOR;
  case PI_ATOMIC_MAX:
    return is_signed(x) ? RMW_MAX : RMW_UMAX;
  case PI_ATOMIC_MIN:
    return is_signed(x) ? RMW_MIN : RMW_UMIN;
  default:
    BUG("intrinsic %d is not a read-modify-write", (int)x->id);
  }
}

/* Pointers are exchanged as integers. */
static ll_v as_int(struct intr *x, ll_v v) {
  struct ll *l = x->fc->l;
  if (LLVMTypeOf(v) == l->ptr)
    return LLVMBuildPtrToInt(l->b, v, l->i64, "");
  if (LLVMTypeOf(v) == l->i1)
    return LLVMBuildZExt(l->b, v, l->i8, "");
  return v;
}

static ll_v as_type(struct intr *x, ll_v v) {
  struct ll *l = x->fc->l;
  if (x->T->kind == PM_PTR || x->T->kind == PM_FNPTR)
    return LLVMBuildIntToPtr(l->b, v, l->ptr, "");
  return x->T->kind == PM_BOOL ? LLVMBuildTrunc(l->b, v, l->i1, "") : v;
}

static bool size_fits(struct intr *x) {
  const struct ll_shape *s = ll_shape(x->fc->l, x->ty);
  if (!s->mem && s->n == 1 && x->T->size <= 8 && s->leaf[0].kind != LEAF_FLOAT)
    return true;
  struct diag *d = ll_refuse(x->fc, MD0307, "atomic operation on `%.*s`", STR_ARG(x->T->name));
  if (d)
    diag_help(d, "use atomics of at most 64 bits");
  return false;
}

static struct ll_val atomics(struct intr *x) {
  struct ll *l = x->fc->l;
  enum ll_order o = (enum ll_order)x->c->consts[0];
  if (!order_fits(x->id, o) || x->c->consts[0] > ORD_SEQCST) {
    ll_refuse(x->fc, MD0308, "atomic operation with this ordering");
    return nothing(x);
  }
  if (x->id == PI_ATOMIC_FENCE) {
    ll_fence(l, o, SCOPE_SYSTEM);
    return nothing(x);
  }
  if (!size_fits(x))
    return nothing(x);
  LLVMTypeRef t = ll_int(l, (uint32_t)x->T->size * 8);
  if (x->id == PI_ATOMIC_LOAD)
    return one(x, as_type(x, ll_atomic_load(l, x->a[0], t, o, SCOPE_SYSTEM)));
  ll_v v = as_int(x, x->a[1]);
  if (x->id == PI_ATOMIC_STORE) {
    ll_atomic_store(l, x->a[0], v, o, SCOPE_SYSTEM);
    return nothing(x);
  }
  if (x->id != PI_ATOMIC_CAS)
    return one(x, as_type(x, ll_atomic_rmw(l, rmw_of(x), x->a[0], v, o, SCOPE_SYSTEM)));
  o = ll_join_orders(o, (enum ll_order)x->c->consts[1]);
  ll_v r = ll_atomic_cas(l, x->a[0], v, as_int(x, x->a[2]), o, SCOPE_SYSTEM);
  return ll_tuple(l, x->ret, as_type(x, r), LLVMBuildICmp(l->b, LLVMIntEQ, r, v, ""));
}

struct ll_val ll_intrinsic_call(struct ll_fn *fc, const struct pm_term *t, bool *ends) {
  struct intr x = {.fc = fc, .t = t, .c = t->u.call.callee};
  const struct pm_place *dest = &t->u.call.dest;
  x.id = (enum pm_intrinsic)x.c->id;
  x.ret = dest->n > 0 ? dest->proj[dest->n - 1].ty : fc->f->locals[dest->local].ty;
  x.ty = x.c->n_types > 0 ? x.c->types[0] : 0;
  x.T = ll_ty(fc->l, x.ty);
  ASSERT(t->n <= COUNT_OF(x.v));
  for (uint32_t i = 0; i < t->n; i++) {
    x.v[i] = ll_operand(fc, &t->ops[i]);
    x.a[i] = x.v[i].v[0];
  }
  if (x.id >= PI_ATOMIC_LOAD && x.id <= PI_ATOMIC_FENCE) {
    if (!fc->l->o->host || fc->l->o->emu)
      return atomics(&x);
    ll_refuse(fc, MD0311, "atomic operations need a GPU");
    return nothing(&x);
  }
  if (x.id <= PI_CARRYING_MUL_ADD)
    return integers(&x);
  if (x.id <= PI_FREM_A)
    return ll_one(fc->l, x.ret, float_value(&x));
  if (x.id <= PI_DISCRIMINANT)
    return memory(&x);
  return hints(&x, ends);
}
