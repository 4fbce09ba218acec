/* Integer arithmetic. Overflow is found with plain arithmetic instead of LLVM's *.with.overflow and
 * *.sat intrinsics: the back end lacks several of them at several widths and says so only at the
 * link. */
#include "ir/ll.h"

unsigned ll_width(ll_v v) {
  return LLVMGetIntTypeWidth(LLVMTypeOf(v));
}

static ll_v wide_k(ll_v like, u128 n) {
  uint64_t w[] = {(uint64_t)n, (uint64_t)(n >> 64)};
  return LLVMConstIntOfArbitraryPrecision(LLVMTypeOf(like), 2, w);
}

ll_v ll_k(ll_v like, uint64_t n) {
  return wide_k(like, n);
}

ll_v ll_resize(struct ll *l, ll_v v, unsigned bits, bool is_signed) {
  unsigned w = ll_width(v);
  if (bits == w)
    return v;
  if (bits < w)
    return LLVMBuildTrunc(l->b, v, ll_int(l, bits), "");
  return is_signed ? LLVMBuildSExt(l->b, v, ll_int(l, bits), "")
                   : LLVMBuildZExt(l->b, v, ll_int(l, bits), "");
}

ll_v ll_call(struct ll *l, ll_v f, ll_v *args, unsigned n) {
  ll_v c = LLVMBuildCall2(l->b, LLVMGetElementType(LLVMTypeOf(f)), f, args, n, "");
  LLVMAddCallSiteAttribute(c, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, l->a_convergent);
  LLVMAddCallSiteAttribute(c, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, l->a_nounwind);
  return c;
}

ll_v ll_intrinsic(struct ll *l, const char *name, LLVMTypeRef ret, LLVMTypeRef *params,
                  unsigned n) {
  ll_v f = LLVMGetNamedFunction(l->mod, name);
  return f ? f : LLVMAddFunction(l->mod, name, LLVMFunctionType(ret, params, n, 0));
}

static ll_v icmp(struct ll *l, LLVMIntPredicate p, ll_v a, ll_v b) {
  return LLVMBuildICmp(l->b, p, a, b, "");
}
static ll_v is_negative(struct ll *l, ll_v a) {
  return icmp(l, LLVMIntSLT, a, ll_k(a, 0));
}

/* ptxas takes `neg.s16` for something that cannot overflow: of -32768 it makes a register with
 * +32768 in it, and what reads more than the low half goes wrong. libNVVM emits it for each
 * subtraction from zero; the same subtraction as PTX text is translated as written. */
ll_v ll_sub(struct ll *l, ll_v a, ll_v b) {
  bool negation = LLVMIsConstant(a) && LLVMIsNull(a) && !LLVMIsConstant(b);
  if (l->o->host || !negation || ll_width(b) != 16)
    return LLVMBuildSub(l->b, a, b, "");
  return ll_asm(l, "sub.u16 $0, 0, $1;", "=h,h", l->i16, &b, 1, false);
}

static bool is_minus_one(ll_v v) {
  return LLVMIsConstant(v) && v == LLVMConstAllOnes(LLVMTypeOf(v));
}

static ll_v multiply(struct ll *l, ll_v a, ll_v b) {
  bool narrow = ll_width(a) == 16;
  if (narrow && is_minus_one(a))
    return ll_sub(l, ll_k(a, 0), b);
  if (narrow && is_minus_one(b))
    return ll_sub(l, ll_k(a, 0), a);
  return LLVMBuildMul(l->b, a, b, "");
}

/* ---- overflow ---- */
static struct ll_overflow add_sub(struct ll *l, bool sub, bool is_signed, ll_v a, ll_v b) {
  struct ll_overflow r;
  r.value = sub ? ll_sub(l, a, b) : LLVMBuildAdd(l->b, a, b, "");
  if (!is_signed) {
    r.flag = icmp(l, LLVMIntULT, sub ? a : r.value, sub ? b : a);
    return r;
  }
  ll_v x = LLVMBuildXor(l->b, a, r.value, "");
  ll_v y = LLVMBuildXor(l->b, sub ? a : b, sub ? b : r.value, "");
  r.flag = is_negative(l, LLVMBuildAnd(l->b, x, y, ""));
  return r;
}

static struct ll_overflow mul_narrow(struct ll *l, bool is_signed, ll_v a, ll_v b) {
  unsigned w = ll_width(a);
  ll_v wide =
      LLVMBuildMul(l->b, ll_resize(l, a, 2 * w, is_signed), ll_resize(l, b, 2 * w, is_signed), "");
  struct ll_overflow r = {.value = ll_resize(l, wide, w, false)};
  r.flag = icmp(l, LLVMIntNE, ll_resize(l, r.value, 2 * w, is_signed), wide);
  return r;
}

struct halves {
  ll_v lo, hi; /* 128 bits each, below 2^64 */
};
static struct halves split(struct ll *l, ll_v a) {
  ll_v lo = ll_resize(l, ll_resize(l, a, 64, false), 128, false);
  return (struct halves){lo, LLVMBuildLShr(l->b, a, ll_k(a, 64), "")};
}

static struct ll_overflow umul_128(struct ll *l, ll_v a, ll_v b) {
  struct halves x = split(l, a), y = split(l, b);
  ll_v zero = ll_k(a, 0);
  ll_v both =
      LLVMBuildAnd(l->b, icmp(l, LLVMIntNE, x.hi, zero), icmp(l, LLVMIntNE, y.hi, zero), "");
  /* One of the two is 0 unless `both` says overflow anyway, so the sum cannot wrap silently. */
  ll_v cross = LLVMBuildAdd(l->b, LLVMBuildMul(l->b, x.hi, y.lo, ""),
                            LLVMBuildMul(l->b, x.lo, y.hi, ""), "");
  ll_v low = LLVMBuildMul(l->b, x.lo, y.lo, "");
  ll_v value = LLVMBuildAdd(l->b, low, LLVMBuildShl(l->b, cross, ll_k(a, 64), ""), "");
  ll_v big = icmp(l, LLVMIntNE, LLVMBuildLShr(l->b, cross, ll_k(a, 64), ""), zero);
  ll_v carry = icmp(l, LLVMIntULT, value, low);
  ll_v flag = LLVMBuildOr(l->b, both, LLVMBuildOr(l->b, big, carry, ""), "");
  return (struct ll_overflow){value, flag};
}

static ll_v absolute(struct ll *l, ll_v a) {
  return LLVMBuildSelect(l->b, is_negative(l, a), LLVMBuildSub(l->b, ll_k(a, 0), a, ""), a, "");
}

static struct ll_overflow smul_128(struct ll *l, ll_v a, ll_v b) {
  struct ll_overflow m = umul_128(l, absolute(l, a), absolute(l, b));
  ll_v neg = is_negative(l, LLVMBuildXor(l->b, a, b, ""));
  ll_v value = LLVMBuildSelect(l->b, neg, LLVMBuildSub(l->b, ll_k(a, 0), m.value, ""), m.value, "");
  ll_v limit = wide_k(a, (u128)1 << 127);
  ll_v over = LLVMBuildSelect(l->b, neg, icmp(l, LLVMIntUGT, m.value, limit),
                              icmp(l, LLVMIntUGE, m.value, limit), "");
  return (struct ll_overflow){value, LLVMBuildOr(l->b, m.flag, over, "")};
}

struct ll_overflow ll_overflowing(struct ll *l, enum pm_bin op, bool is_signed, ll_v a, ll_v b) {
  if (op == PM_ADD_O)
    return add_sub(l, false, is_signed, a, b);
  if (op == PM_SUB_O)
    return add_sub(l, true, is_signed, a, b);
  if (ll_width(a) < 128)
    return mul_narrow(l, is_signed, a, b);
  return is_signed ? smul_128(l, a, b) : umul_128(l, a, b);
}

ll_v ll_saturating(struct ll *l, bool sub, bool is_signed, ll_v a, ll_v b) {
  struct ll_overflow r = add_sub(l, sub, is_signed, a, b);
  ll_v limit;
  if (is_signed) {
    u128 max = ((u128)1 << (ll_width(a) - 1)) - 1;
    limit = LLVMBuildSelect(l->b, is_negative(l, a), wide_k(a, max + 1), wide_k(a, max), "");
  } else {
    limit = sub ? ll_k(a, 0) : LLVMConstAllOnes(LLVMTypeOf(a));
  }
  return LLVMBuildSelect(l->b, r.flag, limit, r.value, "");
}

/* ---- operators ---- */
static ll_v shift(struct ll *l, enum pm_bin op, bool is_signed, ll_v a, ll_v b) {
  unsigned w = ll_width(a);
  bool left = op == PM_SHL || op == PM_SHL_U;
  ll_v n = ll_resize(l, b, w, false);
  if (op == PM_SHL || op == PM_SHR)
    n = LLVMBuildAnd(l->b, n, ll_k(a, w - 1), "");
  if (left)
    return LLVMBuildShl(l->b, a, n, "");
  return is_signed ? LLVMBuildAShr(l->b, a, n, "") : LLVMBuildLShr(l->b, a, n, "");
}

static ll_v unchecked(struct ll *l, enum pm_bin op, bool is_signed, ll_v a, ll_v b) {
  if (op == PM_ADD_U)
    return is_signed ? LLVMBuildNSWAdd(l->b, a, b, "") : LLVMBuildNUWAdd(l->b, a, b, "");
  if (op == PM_SUB_U)
    return is_signed ? LLVMBuildNSWSub(l->b, a, b, "") : LLVMBuildNUWSub(l->b, a, b, "");
  return is_signed ? LLVMBuildNSWMul(l->b, a, b, "") : LLVMBuildNUWMul(l->b, a, b, "");
}

ll_v ll_binary_int(struct ll_fn *fc, enum pm_bin op, const struct pm_type *t, ll_v a, ll_v b) {
  struct ll *l = fc->l;
  bool sg = t->kind == PM_INT && t->is_signed;
  switch (op) {
  case PM_ADD:
    return LLVMBuildAdd(l->b, a, b, "");
  case PM_SUB:
    return ll_sub(l, a, b);
  case PM_MUL:
    return multiply(l, a, b);
  case PM_DIV:
    return sg ? LLVMBuildSDiv(l->b, a, b, "") : LLVMBuildUDiv(l->b, a, b, "");
  case PM_REM:
    return sg ? LLVMBuildSRem(l->b, a, b, "") : LLVMBuildURem(l->b, a, b, "");
  case PM_ADD_U:
  case PM_SUB_U:
  case PM_MUL_U:
    return unchecked(l, op, sg, a, b);
  case PM_SHL:
  case PM_SHR:
  case PM_SHL_U:
  case PM_SHR_U:
    return shift(l, op, sg, a, b);
  case PM_AND:
    return LLVMBuildAnd(l->b, a, b, "");
  case PM_OR:
    return LLVMBuildOr(l->b, a, b, "");
  case PM_XOR:
    return LLVMBuildXor(l->b, a, b, "");
  case PM_ADD_O:
  case PM_SUB_O:
  case PM_MUL_O:
  case PM_EQ:
  case PM_NE:
  case PM_LT:
  case PM_LE:
  case PM_GT:
  case PM_GE:
  case PM_CMP:
  case PM_OFFSET:
  case PM_BIN_END:
    break;
  }
  BUG("operator %d on integers", (int)op);
}

/* ---- bits ---- */
static ll_v bit_intrinsic(struct ll *l, const char *what, ll_v a, bool zero_flag) {
  LLVMTypeRef t = LLVMTypeOf(a), ps[] = {t, l->i1};
  char name[48];
  ll_v args[] = {a, LLVMConstInt(l->i1, 0, 0)};
  snprintf(name, sizeof name, "llvm.%s.i%u", what, ll_width(a));
  return LLVMBuildCall2(l->b, LLVMFunctionType(t, ps, zero_flag ? 2 : 1, 0),
                        ll_intrinsic(l, name, t, ps, zero_flag ? 2 : 1), args, zero_flag ? 2 : 1,
                        "");
}

/* 128 bits are refused by the back end and done in halves. */
ll_v ll_count_bits(struct ll *l, const char *what, ll_v a) {
  bool pop = what[2] == 'p', lead = what[2] == 'l';
  if (ll_width(a) < 128)
    return bit_intrinsic(l, what, a, !pop);
  ll_v lo = ll_resize(l, a, 64, false);
  ll_v hi = ll_resize(l, LLVMBuildLShr(l->b, a, ll_k(a, 64), ""), 64, false);
  ll_v nlo = bit_intrinsic(l, what, lo, !pop), nhi = bit_intrinsic(l, what, hi, !pop);
  ll_v first = lead ? hi : lo, n1 = lead ? nhi : nlo, n2 = lead ? nlo : nhi;
  ll_v both = LLVMBuildAdd(l->b, n2, pop ? n1 : ll_k(n2, 64), "");
  if (!pop)
    both = LLVMBuildSelect(l->b, icmp(l, LLVMIntEQ, first, ll_k(first, 0)), both, n1, "");
  return ll_resize(l, both, 128, false);
}

static ll_v reverse_with(struct ll *l, const char *what, ll_v a) {
  if (ll_width(a) < 128)
    return bit_intrinsic(l, what, a, false);
  ll_v lo = ll_resize(l, a, 64, false);
  ll_v hi = ll_resize(l, LLVMBuildLShr(l->b, a, ll_k(a, 64), ""), 64, false);
  ll_v top = ll_resize(l, bit_intrinsic(l, what, lo, false), 128, false);
  ll_v low = ll_resize(l, bit_intrinsic(l, what, hi, false), 128, false);
  return LLVMBuildOr(l->b, LLVMBuildShl(l->b, top, ll_k(a, 64), ""), low, "");
}

ll_v ll_byte_swap(struct ll *l, ll_v a) {
  return ll_width(a) == 8 ? a : reverse_with(l, "bswap", a);
}

ll_v ll_bit_reverse(struct ll *l, ll_v a) {
  if (ll_width(a) >= 32)
    return reverse_with(l, "bitreverse", a);
  /* Narrow forms are not legal on the GPU and expand badly; the 32-bit one is one instruction. */
  unsigned w = ll_width(a);
  ll_v r = bit_intrinsic(l, "bitreverse", ll_resize(l, a, 32, false), false);
  return ll_resize(l, LLVMBuildLShr(l->b, r, ll_k(r, 32 - w), ""), w, false);
}

/* (hi:lo << amount) or (hi:lo >> amount), the amount modulo the width; both sides stay defined when
 * it is 0. */
ll_v ll_funnel(struct ll *l, bool left, ll_v hi, ll_v lo, ll_v amount) {
  unsigned w = ll_width(hi);
  ll_v n = LLVMBuildAnd(l->b, ll_resize(l, amount, w, false), ll_k(hi, w - 1), "");
  ll_v m = LLVMBuildXor(l->b, n, ll_k(hi, w - 1), ""); /* w - 1 - n */
  ll_v one = ll_k(hi, 1), a, b;
  if (left) {
    a = LLVMBuildShl(l->b, hi, n, "");
    b = LLVMBuildLShr(l->b, LLVMBuildLShr(l->b, lo, one, ""), m, "");
  } else {
    a = LLVMBuildShl(l->b, LLVMBuildShl(l->b, hi, one, ""), m, "");
    b = LLVMBuildLShr(l->b, lo, n, "");
  }
  return LLVMBuildOr(l->b, a, b, "");
}

/* ---- a * b + c + d in twice the width ---- */
static void mul_add_128(struct ll *l, bool sg, ll_v a, ll_v b, ll_v c, ll_v d, ll_v *lo, ll_v *hi) {
  struct halves x = split(l, a), y = split(l, b);
  ll_v k64 = ll_k(a, 64), ll = LLVMBuildMul(l->b, x.lo, y.lo, "");
  ll_v lh = LLVMBuildMul(l->b, x.lo, y.hi, ""), hl = LLVMBuildMul(l->b, x.hi, y.lo, "");
  ll_v hh = LLVMBuildMul(l->b, x.hi, y.hi, "");
  struct halves pll = split(l, ll), plh = split(l, lh), phl = split(l, hl);
  ll_v mid = LLVMBuildAdd(l->b, LLVMBuildAdd(l->b, pll.hi, plh.lo, ""), phl.lo, "");
  struct halves pm = split(l, mid);
  ll_v low = LLVMBuildOr(l->b, LLVMBuildShl(l->b, mid, k64, ""), pll.lo, "");
  ll_v high = LLVMBuildAdd(l->b, LLVMBuildAdd(l->b, hh, plh.hi, ""),
                           LLVMBuildAdd(l->b, phl.hi, pm.hi, ""), "");
  if (sg) { /* the unsigned product is too big by the other factor for each negative one */
    ll_v zero = ll_k(a, 0);
    high = LLVMBuildSub(l->b, high, LLVMBuildSelect(l->b, is_negative(l, a), b, zero, ""), "");
    high = LLVMBuildSub(l->b, high, LLVMBuildSelect(l->b, is_negative(l, b), a, zero, ""), "");
  }
  ll_v add[] = {c, d};
  for (unsigned i = 0; i < 2; i++) {
    ll_v sum = LLVMBuildAdd(l->b, low, add[i], "");
    ll_v carry = icmp(l, LLVMIntULT, sum, low);
    high = LLVMBuildAdd(l->b, high, ll_resize(l, carry, 128, false), "");
    if (sg)
      high = LLVMBuildAdd(l->b, high, LLVMBuildAShr(l->b, add[i], ll_k(a, 127), ""), "");
    low = sum;
  }
  *lo = low;
  *hi = high;
}

void ll_mul_add_wide(struct ll *l, bool sg, ll_v a, ll_v b, ll_v c, ll_v d, ll_v *lo, ll_v *hi) {
  unsigned w = ll_width(a);
  if (w == 128) {
    mul_add_128(l, sg, a, b, c, d, lo, hi);
    return;
  }
  ll_v p = LLVMBuildMul(l->b, ll_resize(l, a, 2 * w, sg), ll_resize(l, b, 2 * w, sg), "");
  p = LLVMBuildAdd(l->b, p, ll_resize(l, c, 2 * w, sg), "");
  p = LLVMBuildAdd(l->b, p, ll_resize(l, d, 2 * w, sg), "");
  *lo = ll_resize(l, p, w, false);
  *hi = ll_resize(l, LLVMBuildLShr(l->b, p, ll_k(p, w), ""), w, false);
}
