/* Floats: Rust's semantics spelled with what libNVVM really has. Its LLVM 7 knows no `fneg`, no
 * llvm.fabs, trunc or round, and no saturating conversions. */
#include "ir/ll.h"

unsigned ll_float_width(ll_v v) {
  switch (LLVMGetTypeKind(LLVMTypeOf(v))) {
  case LLVMHalfTypeKind:
    return 16;
  case LLVMFloatTypeKind:
    return 32;
  case LLVMDoubleTypeKind:
    return 64;
  default:
    BUG("not a float");
  }
}

ll_v ll_float_bits(struct ll *l, ll_v a) {
  return LLVMBuildBitCast(l->b, a, ll_int(l, ll_float_width(a)), "");
}

static ll_v from_bits(struct ll *l, ll_v bits, LLVMTypeRef t) {
  return LLVMBuildBitCast(l->b, bits, t, "");
}

static ll_v sign_mask(ll_v bits) {
  return ll_k(bits, UINT64_C(1) << (ll_width(bits) - 1));
}

/* A subtraction from -0.0 would not flip the sign of every NaN. */
ll_v ll_fneg(struct ll *l, ll_v a) {
  ll_v b = ll_float_bits(l, a);
  return from_bits(l, LLVMBuildXor(l->b, b, sign_mask(b), ""), LLVMTypeOf(a));
}

ll_v ll_fabs(struct ll *l, ll_v a) {
  ll_v b = ll_float_bits(l, a);
  return from_bits(l, LLVMBuildAnd(l->b, b, LLVMConstNot(sign_mask(b)), ""), LLVMTypeOf(a));
}

ll_v ll_copysign(struct ll *l, ll_v a, ll_v sign) {
  ll_v x = ll_float_bits(l, a), y = ll_float_bits(l, sign), m = sign_mask(x);
  ll_v r = LLVMBuildOr(l->b, LLVMBuildAnd(l->b, x, LLVMConstNot(m), ""),
                       LLVMBuildAnd(l->b, y, m, ""), "");
  return from_bits(l, r, LLVMTypeOf(a));
}

ll_v ll_float_cast(struct ll *l, ll_v a, LLVMTypeRef to) {
  LLVMTypeRef from = LLVMTypeOf(a);
  if (from == to)
    return a;
  bool wider = from == l->f16 || (from == l->f32 && to == l->f64);
  return wider ? LLVMBuildFPExt(l->b, a, to, "") : LLVMBuildFPTrunc(l->b, a, to, "");
}

ll_v ll_f32_wide(struct ll *l, ll_v a) {
  return LLVMTypeOf(a) == l->f16 ? ll_float_cast(l, a, l->f32) : a;
}

/* ---- library functions ---- */
ll_v ll_math(struct ll_fn *fc, const char *name, ll_v *args, unsigned n) {
  struct ll *l = fc->l;
  char full[48];
  LLVMTypeRef want = LLVMTypeOf(args[0]), ps[3];
  ll_v as[3];
  ASSERT(n <= COUNT_OF(ps));
  for (unsigned i = 0; i < n; i++) {
    bool is_float = LLVMGetTypeKind(LLVMTypeOf(args[i])) != LLVMIntegerTypeKind;
    as[i] = is_float ? ll_f32_wide(l, args[i]) : args[i];
    ps[i] = LLVMTypeOf(as[i]);
  }
  LLVMTypeRef t = LLVMTypeOf(as[0]);
  const char *prefix = l->o->host ? "" : "__nv_";
  if (l->o->emu && strncmp(name, "fast_", 5) == 0) /* without the approximations of the GPU */
    name += 5;
  else if (l->o->emu && strcmp(name, "rsqrt") == 0) /* libm has none */
    prefix = EMU_MATH;
  snprintf(full, sizeof full, "%s%s%s", prefix, name, t == l->f32 ? "f" : "");
  ll_v f = ll_intrinsic(l, full, t, ps, n);
  ll_mark(l, f);
  if (!l->o->host)
    l->out->needs_libdevice = true;
  return ll_float_cast(l, ll_call(l, f, as, n), want);
}

static ll_v llvm_math(struct ll *l, const char *name, ll_v *args, unsigned n) {
  LLVMTypeRef t = LLVMTypeOf(args[0]), ps[] = {t, t, t};
  char full[40];
  snprintf(full, sizeof full, "llvm.%s.f%u", name, ll_float_width(args[0]));
  return LLVMBuildCall2(l->b, LLVMFunctionType(t, ps, n, 0), ll_intrinsic(l, full, t, ps, n), args,
                        n, "");
}

ll_v ll_unary_math(struct ll *l, const char *name, ll_v a) {
  ll_v w = ll_f32_wide(l, a); /* exact or correctly rounded for half, too */
  return ll_float_cast(l, llvm_math(l, name, &w, 1), LLVMTypeOf(a));
}

ll_v ll_fma(struct ll *l, ll_v a, ll_v b, ll_v c) {
  ll_v args[] = {a, b, c};
  if (LLVMTypeOf(a) != l->f16)
    return llvm_math(l, "fma", args, 3);
  /* Through f32 it would round twice. */
  for (unsigned i = 0; i < 3; i++)
    args[i] = ll_float_bits(l, args[i]);
  if (l->o->emu)
    return from_bits(l, ll_emu_half_fma(l, args), l->f16);
  ll_v r = ll_asm(l, "fma.rn.f16 $0, $1, $2, $3;", "=h,h,h,h", l->i16, args, 3, false);
  return from_bits(l, r, l->f16);
}

ll_v ll_min_max(struct ll *l, bool max, bool nan_wins, ll_v a, ll_v b) {
  LLVMTypeRef t = LLVMTypeOf(a);
  ll_v args[] = {ll_f32_wide(l, a), ll_f32_wide(l, b)};
  if (!nan_wins)
    return ll_float_cast(l, llvm_math(l, max ? "maxnum" : "minnum", args, 2), t);
  ll_v nan = LLVMBuildFCmp(l->b, LLVMRealUNO, a, b, "");
  ll_v less = LLVMBuildFCmp(l->b, max ? LLVMRealOGT : LLVMRealOLT, a, b, "");
  ll_v equal = LLVMBuildFCmp(l->b, LLVMRealOEQ, a, b, "");
  ll_v x = ll_float_bits(l, a), y = ll_float_bits(l, b);
  /* Equal values differ at most in the sign of a zero. */
  ll_v same = max ? LLVMBuildAnd(l->b, x, y, "") : LLVMBuildOr(l->b, x, y, "");
  ll_v r = LLVMBuildSelect(l->b, less, a, b, "");
  r = LLVMBuildSelect(l->b, equal, from_bits(l, same, t), r, "");
  return LLVMBuildSelect(l->b, nan, LLVMBuildFAdd(l->b, a, b, ""), r, "");
}

/* ---- operators ---- */
static ll_v divide(struct ll *l, ll_v a, ll_v b) {
  ll_v q = LLVMBuildFDiv(l->b, ll_f32_wide(l, a), ll_f32_wide(l, b), "");
  return ll_float_cast(l, q, LLVMTypeOf(a));
}

ll_v ll_binary_float(struct ll_fn *fc, enum pm_bin op, ll_v a, ll_v b) {
  struct ll *l = fc->l;
  ll_v args[] = {a, b};
  switch (op) {
  case PM_ADD:
    return LLVMBuildFAdd(l->b, a, b, "");
  case PM_SUB:
    return LLVMBuildFSub(l->b, a, b, "");
  case PM_MUL:
    return LLVMBuildFMul(l->b, a, b, "");
  case PM_DIV:
    return divide(l, a, b);
  case PM_REM:
    return ll_math(fc, "fmod", args, 2); /* frem is approximated by the back end */
  default:
    BUG("operator %d on floats", (int)op);
  }
}

/* ---- conversions ---- */
static ll_v from_128(struct ll *l, ll_v a, bool is_signed, LLVMTypeRef to) {
  ll_v neg = is_signed ? LLVMBuildICmp(l->b, LLVMIntSLT, a, ll_k(a, 0), "") : NULL;
  ll_v mag = a;
  if (neg)
    mag = LLVMBuildSelect(l->b, neg, LLVMBuildSub(l->b, ll_k(a, 0), a, ""), a, "");
  ll_v r = ll_u128_to_float(l, mag, to == l->f32);
  return neg ? LLVMBuildSelect(l->b, neg, ll_fneg(l, r), r, "") : r;
}

/* Half goes through f32: what f32 cannot hold exactly is infinite in half anyway. */
ll_v ll_int_to_float(struct ll *l, ll_v a, bool is_signed, LLVMTypeRef to) {
  LLVMTypeRef t = to == l->f16 ? l->f32 : to;
  ll_v r;
  if (ll_width(a) == 128)
    r = from_128(l, a, is_signed, t);
  else
    r = is_signed ? LLVMBuildSIToFP(l->b, a, t, "") : LLVMBuildUIToFP(l->b, a, t, "");
  return ll_float_cast(l, r, to);
}

static double power_of_two(unsigned n) {
  double r = 1;
  while (n-- > 0)
    r *= 2;
  return r;
}

/* The greatest float not above 2^bits - 1. */
static double float_max(unsigned bits, unsigned mantissa) {
  double top = power_of_two(bits);
  return bits <= mantissa ? top - 1 : top - power_of_two(bits - mantissa);
}

ll_v ll_float_to_int(struct ll *l, ll_v a, bool sg, unsigned bits) {
  a = ll_f32_wide(l, a);
  if (bits == 128)
    return ll_f64_to_128(l, ll_float_cast(l, a, l->f64), sg);
  LLVMTypeRef t = LLVMTypeOf(a), it = ll_int(l, bits);
  unsigned mantissa = t == l->f32 ? 24 : 53, vbits = sg ? bits - 1 : bits;
  uint64_t top = vbits == 64 ? UINT64_MAX : (UINT64_C(1) << vbits) - 1;
  ll_v imax = LLVMConstInt(it, top, 0), imin = LLVMConstInt(it, sg ? top + 1 : 0, 0);
  ll_v fmax = LLVMConstReal(t, float_max(vbits, mantissa));
  ll_v fmin = LLVMConstReal(t, sg ? -power_of_two(vbits) : 0.0);
  ll_v raw = sg ? LLVMBuildFPToSI(l->b, a, it, "") : LLVMBuildFPToUI(l->b, a, it, "");
  ll_v low = LLVMBuildFCmp(l->b, LLVMRealULT, a, fmin, ""); /* also NaN */
  ll_v high = LLVMBuildFCmp(l->b, LLVMRealOGT, a, fmax, "");
  ll_v r = LLVMBuildSelect(l->b, low, imin, raw, "");
  r = LLVMBuildSelect(l->b, high, imax, r, "");
  if (!sg)
    return r;
  ll_v ok = LLVMBuildFCmp(l->b, LLVMRealORD, a, a, "");
  return LLVMBuildSelect(l->b, ok, r, LLVMConstInt(it, 0, 0), "");
}
