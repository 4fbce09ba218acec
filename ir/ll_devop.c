/* Device operations: calls of `__mirdc_*` become instructions by the table ir/device_ops.def. */
#include "ir/ll.h"

enum how {
  DO_INTR,
  DO_SREG,
  DO_INTR32,
  DO_ASM,
  DO_PURE,
  DO_ASM_READ,
  DO_MATH,
  DO_LLVMF,
  DO_FLOAT,
  DO_HALF,
  DO_EMULATED,
  DO_MARK,
  DO_SHFL,
  DO_MATCH_ALL,
  DO_FENCE,
  DO_ATOMIC_LOAD,
  DO_ATOMIC_STORE,
  DO_ATOMIC_RMW,
  DO_ATOMIC_CAS,
  DO_DYN_SHARED,
  DO_PRINTF,
  DO_ASSERT_FAIL,
  DO_STOP
};

struct device_op {
  const char *name, *sig;
  enum how how;
  const char *text;
  unsigned min_arch;
};

static const struct device_op table[] = {
#define DEVOP(name, sig, how, text, arch) {#name, sig, DO_##how, text, arch},
#include "ir/device_ops.def"
#undef DEVOP
};

/* One call being expanded. */
struct call {
  struct ll_fn *fc;
  const struct device_op *op;
  const struct pm_term *t;
  pm_ty ret;
  uint32_t code; /* of a stop */
  ll_v a[8];
};

static const struct device_op *find_op(struct ll *l, str symbol) {
  if (l->ops.n == 0)
    for (size_t i = 0; i < COUNT_OF(table); i++)
      *map_put(&l->ops, str_from(table[i].name), NULL) = i + 1;
  uintptr_t *at = map_get(&l->ops, str_drop(symbol, strlen("__mirdc_")));
  return at ? &table[*at - 1] : NULL;
}

static char letter(struct ll *l, pm_ty ty) {
  const struct pm_type *t = ll_ty(l, ty);
  switch (t->kind) {
  case PM_INT:
    return t->bits == 8    ? 'c'
           : t->bits == 16 ? 'h'
           : t->bits == 32 ? 'i'
           : t->bits == 64 ? 'l'
                           : '?';
  case PM_FLOAT:
    return t->bits == 32 ? 'f' : t->bits == 64 ? 'd' : '?';
  case PM_BOOL:
    return 'b';
  case PM_PTR:
    return t->meta == PM_META_NONE ? 'p' : '?';
  case PM_NEVER:
    return '!';
  case PM_TUPLE:
    return t->size == 0 ? 'v' : '?';
  default:
    return '?';
  }
}

static bool sig_fits(struct ll *l, const struct device_op *op, const struct pm_extern *x) {
  char ret = letter(l, x->ret);
  if (x->n_args != strlen(op->sig) - 1)
    return false;
  if (op->sig[0] != ret && !(op->sig[0] == '!' && x->noreturn))
    return false;
  for (uint32_t i = 0; i < x->n_args; i++)
    if (letter(l, x->args[i]) != op->sig[i + 1])
      return false;
  return true;
}

static LLVMTypeRef letter_type(struct ll *l, char c) {
  switch (c) {
  case 'b':
    return l->i1;
  case 'c':
    return l->i8;
  case 'h':
    return l->i16;
  case 'i':
    return l->i32;
  case 'l':
    return l->i64;
  case 'f':
    return l->f32;
  case 'd':
    return l->f64;
  case 'p':
    return l->ptr;
  default:
    return l->t_void;
  }
}

/* ---- LLVM functions and PTX ---- */
static ll_v expand_intrinsic(struct call *c, bool bool_as_i32) {
  struct ll *l = c->fc->l;
  LLVMTypeRef ps[8], ret = letter_type(l, c->op->sig[0]);
  ll_v args[8];
  unsigned n = (unsigned)strlen(c->op->sig) - 1;
  bool back = bool_as_i32 && ret == l->i1;
  for (unsigned i = 0; i < n; i++) {
    bool widen = bool_as_i32 && c->op->sig[i + 1] == 'b';
    args[i] = widen ? LLVMBuildZExt(l->b, c->a[i], l->i32, "") : c->a[i];
    ps[i] = LLVMTypeOf(args[i]);
  }
  ll_v f = ll_intrinsic(l, c->op->text, back ? l->i32 : ret, ps, n);
  ll_mark(l, f);
  ll_v r = ll_call(l, f, args, n);
  return back ? LLVMBuildICmp(l->b, LLVMIntNE, r, ll_k(r, 0), "") : r;
}

static char reg_letter(char c) {
  return c == 'b' || c == 'i' ? 'r' : c == 'c' || c == 'h' ? 'h' : c == 'p' ? 'l' : c;
}

static LLVMTypeRef reg_type(struct ll *l, char c) {
  return c == 'b' ? l->i32 : c == 'c' ? l->i16 : letter_type(l, c);
}

static ll_v expand_asm(struct call *c, bool side_effects, bool reads) {
  struct ll *l = c->fc->l;
  const char *sig = c->op->sig;
  char con[64];
  size_t at = 0;
  ll_v args[8];
  unsigned n = (unsigned)strlen(sig) - 1;
  bool result = sig[0] != 'v' && sig[0] != '!';
  if (result)
    at += (size_t)snprintf(con, sizeof con, "=%c", reg_letter(sig[0]));
  for (unsigned i = 0; i < n; i++) {
    char k = sig[i + 1];
    at += (size_t)snprintf(con + at, sizeof con - at, "%s%c", at ? "," : "", reg_letter(k));
    args[i] = k == 'b' || k == 'c' ? LLVMBuildZExt(l->b, c->a[i], reg_type(l, k), "") : c->a[i];
  }
  if (side_effects || reads)
    at += (size_t)snprintf(con + at, sizeof con - at, "%s~{memory}", at ? "," : "");
  con[at] = 0;
  ll_v r =
      ll_asm(l, c->op->text, con, result ? reg_type(l, sig[0]) : l->t_void, args, n, side_effects);
  if (sig[0] == 'b')
    return LLVMBuildICmp(l->b, LLVMIntNE, r, ll_k(r, 0), "");
  return sig[0] == 'c' ? LLVMBuildTrunc(l->b, r, l->i8, "") : r;
}

/* width is a power of two up to 32; CUDA's rule for the segment and the clamp. */
static ll_v expand_shuffle(struct call *c) {
  struct ll *l = c->fc->l;
  char name[48];
  LLVMTypeRef ps[] = {l->i32, l->i32, l->i32, l->i32};
  ll_v k32 = LLVMConstInt(l->i32, 32, 0), k8 = LLVMConstInt(l->i32, 8, 0);
  ll_v seg = LLVMBuildShl(l->b, LLVMBuildSub(l->b, k32, c->a[3], ""), k8, "");
  if (strcmp(c->op->text, "up") != 0)
    seg = LLVMBuildOr(l->b, seg, LLVMConstInt(l->i32, 31, 0), "");
  ll_v args[] = {c->a[0], c->a[1], c->a[2], seg};
  snprintf(name, sizeof name, "llvm.nvvm.shfl.sync.%s.i32", c->op->text);
  ll_v f = ll_intrinsic(l, name, l->i32, ps, 4);
  ll_mark(l, f);
  return ll_call(l, f, args, 4);
}

static ll_v expand_match_all(struct call *c) {
  struct ll *l = c->fc->l;
  char text[160];
  bool wide = strcmp(c->op->text, "b64") == 0;
  LLVMTypeRef pair[] = {l->i32, l->i32};
  ll_v args[] = {c->a[0], c->a[1]};
  snprintf(text, sizeof text,
           "{ .reg .pred p; match.all.sync.%s $0|p, $3, $2; selp.u32 $1, 1, 0, p; }", c->op->text);
  ll_v r = ll_asm(l, text, wide ? "=r,=r,r,l,~{memory}" : "=r,=r,r,r,~{memory}",
                  LLVMStructTypeInContext(l->cx, pair, 2, 0), args, 2, true);
  ll_store(l, LLVMBuildExtractValue(l->b, r, 1, ""), c->a[2], 4);
  return LLVMBuildExtractValue(l->b, r, 0, "");
}

/* ---- memory ---- */
/* An ordering or a scope; the last of each is the strongest. Without rustc's passes (-g) it may come
 * out of a variable, and the strongest then does for all. */
static bool constant(struct call *c, unsigned arg, const char *what, uint64_t limit,
                     uint64_t *out) {
  if (ll_is_const(c->a[arg], out) && *out < limit)
    return true;
  if (c->fc->l->o->debug && !LLVMIsAConstantInt(c->a[arg])) {
    *out = limit - 1;
    return true;
  }
  struct diag *d =
      ll_refuse(c->fc, MD0304, "the %s of `__mirdc_%s` is not a known constant", what, c->op->name);
  if (d)
    diag_help(d, "write it as a literal at the call");
  return false;
}

static bool order_and_scope(struct call *c, unsigned at, enum ll_order *o, enum ll_scope *s) {
  uint64_t order, scope;
  if (!constant(c, at, "ordering", 5, &order) || !constant(c, at + 1, "scope", 3, &scope))
    return false;
  *o = (enum ll_order)order;
  *s = (enum ll_scope)scope;
  return true;
}

static ll_v refuse_order(struct call *c) {
  ll_refuse(c->fc, MD0308, "`__mirdc_%s` with this ordering", c->op->name);
  return NULL;
}

static enum ll_rmw rmw_of(const char *text) {
  static const struct {
    const char *name;
    enum ll_rmw op;
  } rows[] = {{"add", RMW_ADD},   {"sub", RMW_SUB},   {"and", RMW_AND},  {"or", RMW_OR},
              {"xor", RMW_XOR},   {"xchg", RMW_XCHG}, {"min", RMW_MIN},  {"max", RMW_MAX},
              {"umin", RMW_UMIN}, {"umax", RMW_UMAX}, {"fadd", RMW_FADD}};
  for (size_t i = 0; i < COUNT_OF(rows); i++)
    if (strcmp(rows[i].name, text) == 0)
      return rows[i].op;
  BUG("no operation `%s`", text);
}

static ll_v expand_cas(struct call *c) {
  enum ll_order o, fail = ORD_RELAXED;
  enum ll_scope s;
  uint64_t order, failure;
  if (!constant(c, 3, "ordering", 5, &order))
    return NULL;
  if (!constant(c, 4, "failure ordering", 5, &failure))
    return NULL;
  o = (enum ll_order)order;
  fail = (enum ll_order)failure;
  if (!constant(c, 5, "scope", 3, &failure))
    return NULL;
  s = (enum ll_scope)failure;
  if (fail == ORD_RELEASE || fail == ORD_ACQREL)
    return refuse_order(c);
  return ll_atomic_cas(c->fc->l, c->a[0], c->a[1], c->a[2], ll_join_orders(o, fail), s);
}

enum ll_order ll_join_orders(enum ll_order a, enum ll_order b) {
  if (a == b || b == ORD_RELAXED)
    return a;
  if (a == ORD_RELAXED)
    return b;
  return a == ORD_SEQCST || b == ORD_SEQCST ? ORD_SEQCST : ORD_ACQREL;
}

static ll_v expand_memory(struct call *c) {
  struct ll *l = c->fc->l;
  enum ll_order o;
  enum ll_scope s;
  if (c->op->how == DO_ATOMIC_CAS)
    return expand_cas(c);
  unsigned at = c->op->how == DO_FENCE ? 0 : c->op->how == DO_ATOMIC_LOAD ? 1 : 2;
  if (!order_and_scope(c, at, &o, &s))
    return NULL;
  switch (c->op->how) {
  case DO_FENCE:
    if (o == ORD_RELAXED)
      return refuse_order(c);
    ll_fence(l, o, s);
    return NULL;
  case DO_ATOMIC_LOAD:
    if (o == ORD_RELEASE || o == ORD_ACQREL)
      return refuse_order(c);
    return ll_atomic_load(l, c->a[0], letter_type(l, c->op->sig[0]), o, s);
  case DO_ATOMIC_STORE:
    if (o == ORD_ACQUIRE || o == ORD_ACQREL)
      return refuse_order(c);
    ll_atomic_store(l, c->a[0], c->a[1], o, s);
    return NULL;
  default:
    return ll_atomic_rmw(l, rmw_of(c->op->text), c->a[0], c->a[1], o, s);
  }
}

/* ---- floats ---- */
static ll_v expand_float(struct call *c) {
  struct ll *l = c->fc->l;
  const char *t = c->op->text;
  if (strcmp(t, "fabs") == 0)
    return ll_fabs(l, c->a[0]);
  if (strcmp(t, "copysign") == 0)
    return ll_copysign(l, c->a[0], c->a[1]);
  if (strcmp(t, "fma") == 0)
    return ll_fma(l, c->a[0], c->a[1], c->a[2]);
  return ll_min_max(l, strcmp(t, "fmax") == 0, false, c->a[0], c->a[1]);
}

static ll_v expand_half(struct call *c) {
  struct ll *l = c->fc->l;
  const char *t = c->op->text;
  ll_v h[3], r;
  unsigned n = (unsigned)strlen(c->op->sig) - 1;
  if (strncmp(t, "from", 4) == 0)
    return ll_float_bits(l, LLVMBuildFPTrunc(l->b, c->a[0], l->f16, ""));
  for (unsigned i = 0; i < n; i++)
    h[i] = LLVMBuildBitCast(l->b, c->a[i], l->f16, "");
  if (strncmp(t, "to_", 3) == 0)
    return LLVMBuildFPExt(l->b, h[0], letter_type(l, c->op->sig[0]), "");
  if (strcmp(t, "lt") == 0)
    return LLVMBuildFCmp(l->b, LLVMRealOLT, h[0], h[1], "");
  if (strcmp(t, "le") == 0)
    return LLVMBuildFCmp(l->b, LLVMRealOLE, h[0], h[1], "");
  if (strcmp(t, "eq") == 0)
    return LLVMBuildFCmp(l->b, LLVMRealOEQ, h[0], h[1], "");
  if (strcmp(t, "fma") == 0)
    r = ll_fma(l, h[0], h[1], h[2]);
  else
    r = ll_binary_float(c->fc,
                        strcmp(t, "add") == 0   ? PM_ADD
                        : strcmp(t, "sub") == 0 ? PM_SUB
                        : strcmp(t, "mul") == 0 ? PM_MUL
                                                : PM_DIV,
                        h[0], h[1]);
  return ll_float_bits(l, r);
}

/* ---- output and ends ---- */
static ll_v expand_printf(struct call *c) {
  struct ll *l = c->fc->l;
  LLVMTypeRef ps[] = {l->ptr, l->ptr};
  ll_v f = ll_intrinsic(l, "vprintf", l->i32, ps, 2);
  ll_mark(l, f);
  return ll_call(l, f, c->a, 2);
}

static ll_v expand_assert(struct call *c) {
  struct ll *l = c->fc->l;
  LLVMTypeRef ps[] = {l->ptr, l->ptr, l->i32, l->ptr, l->i64};
  ll_v args[] = {c->a[0], c->a[1], c->a[2], c->a[3], ll_usize(l, 1)};
  ll_trap_report(c->fc, c->code);
  ll_v f = ll_intrinsic(l, "__assertfail", l->t_void, ps, 5);
  ll_mark(l, f);
  ll_call(l, f, args, 5);
  ll_asm(l, "trap;\n\texit;", "~{memory}", l->t_void, NULL, 0, true);
  return NULL;
}

/* What the emulator calls for. The rest goes the common way, which branches later if at all. */
static bool expand_for_emulator(struct call *c, ll_v *out) {
  struct ll *l = c->fc->l;
  unsigned n = (unsigned)strlen(c->op->sig) - 1;
  switch (c->op->how) {
  case DO_SREG:
    *out = ll_emu_sreg(l, c->op->text);
    return true;
  case DO_ASM_READ:
    *out = ll_load(l, letter_type(l, c->op->sig[0]), c->a[0], 1);
    return true;
  case DO_INTR:
  case DO_INTR32:
  case DO_ASM:
  case DO_PURE:
  case DO_SHFL:
  case DO_MATCH_ALL:
  case DO_PRINTF:
    *out = ll_emu_call(l, c->op->name, letter_type(l, c->op->sig[0]), c->a, n);
    return true;
  case DO_ASSERT_FAIL: {
    ll_v args[] = {c->a[0], LLVMConstInt(l->i32, c->code, 0)};
    ll_emu_call(l, c->op->name, l->t_void, args, 2);
    return true;
  }
  case DO_MATH:
  case DO_LLVMF:
  case DO_FLOAT:
  case DO_HALF:
  case DO_FENCE:
  case DO_ATOMIC_LOAD:
  case DO_ATOMIC_STORE:
  case DO_ATOMIC_RMW:
  case DO_ATOMIC_CAS:
  case DO_DYN_SHARED:
  case DO_EMULATED:
  case DO_MARK:
  case DO_STOP:
    return false;
  }
  BUG("device operation `%s`", c->op->name);
}

static ll_v expand(struct call *c) {
  struct ll *l = c->fc->l;
  ll_v r = NULL;
  if (l->o->emu && expand_for_emulator(c, &r))
    return r;
  switch (c->op->how) {
  case DO_SREG:
    return ll_sreg(c->fc, c->op->text);
  case DO_INTR:
    return expand_intrinsic(c, false);
  case DO_INTR32:
    return expand_intrinsic(c, true);
  case DO_ASM:
    return expand_asm(c, true, true);
  case DO_PURE:
    return expand_asm(c, false, false);
  case DO_ASM_READ:
    return expand_asm(c, false, true);
  case DO_MATH:
    return ll_math(c->fc, c->op->text, c->a, (unsigned)strlen(c->op->sig) - 1);
  case DO_LLVMF:
    return ll_unary_math(l, c->op->text, c->a[0]);
  case DO_FLOAT:
    return expand_float(c);
  case DO_HALF:
    return expand_half(c);
  case DO_MARK:
    return NULL;
  case DO_EMULATED:
    return LLVMConstInt(l->i1, l->o->host, 0);
  case DO_SHFL:
    return expand_shuffle(c);
  case DO_MATCH_ALL:
    return expand_match_all(c);
  case DO_FENCE:
  case DO_ATOMIC_LOAD:
  case DO_ATOMIC_STORE:
  case DO_ATOMIC_RMW:
  case DO_ATOMIC_CAS:
    return expand_memory(c);
  case DO_DYN_SHARED:
    return ll_dyn_shared(c->fc);
  case DO_PRINTF:
    return expand_printf(c);
  case DO_ASSERT_FAIL:
    return expand_assert(c);
  case DO_STOP:
    ll_trap_stop(c->fc, c->code);
    return NULL;
  }
  BUG("device operation `%s`", c->op->name);
}

static bool runs_on_host(const struct device_op *op) {
  return op->how == DO_MATH || op->how == DO_LLVMF || op->how == DO_FLOAT || op->how == DO_HALF ||
         op->how == DO_STOP;
}

static const struct device_op *checked_op(struct ll_fn *fc, const struct pm_extern *x) {
  struct ll *l = fc->l;
  const struct device_op *op = find_op(l, x->symbol);
  if (!op) {
    struct diag *d =
        ll_refuse(fc, MD0302, "there is no device operation `%.*s`", STR_ARG(x->symbol));
    if (d)
      diag_help(d, "use the device crate that came with this mirdc");
    return NULL;
  }
  if (!sig_fits(l, op, x)) {
    ll_refuse(fc, MD0302, "device operation `%.*s` is declared with other types",
              STR_ARG(x->symbol));
    return NULL;
  }
  if (l->o->host && !l->o->emu && !runs_on_host(op)) {
    ll_refuse(fc, MD0311, "`%.*s` needs a GPU", STR_ARG(x->symbol));
    return NULL;
  }
  if (op->min_arch > l->o->arch) {
    struct diag *d = ll_refuse(fc, MD0306, "`%.*s` exists from sm_%u on, and this is for sm_%u",
                               STR_ARG(x->symbol), op->min_arch, l->o->arch);
    if (d)
      diag_help(d, "pass `--arch sm_%u` or newer", op->min_arch);
    return NULL;
  }
  if (op->min_arch > l->out->min_arch)
    l->out->min_arch = op->min_arch;
  return op;
}

bool ll_device_op(struct ll_fn *fc, const struct pm_extern *x, const struct pm_term *t) {
  struct call c = {.fc = fc, .t = t, .ret = x->ret, .code = fc->trap_code};
  c.op = checked_op(fc, x);
  if (!c.op)
    return false;
  for (uint32_t i = 0; i < t->n; i++)
    c.a[i] = ll_scalar(fc, &t->ops[i]);
  ll_v r = expand(&c);
  if (t->target == PM_NONE || c.op->sig[0] == '!')
    return true;
  struct ll_val v = ll_undef(fc->l, x->ret);
  if (v.n == 1 && r)
    v.v[0] = r;
  ll_assign(fc, &t->u.call.dest, &v);
  return false;
}
