/* Sums that LLVM 14 spells as `or`, because their parts have no bit in common. libNVVM finds constant parts
 * of addresses only in sums, so they are spelled as sums again. */
#include "ir/ll.h"

#define DEPTH 8
#define MOST_USES 32

static uint64_t width_mask(ll_v v) {
  unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(v));
  return bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
}

/* All bits above the highest one of `most`. */
static uint64_t above(uint64_t most) {
  return most == 0 ? ~(uint64_t)0 : most >> 63 ? 0 : ~(((uint64_t)2 << (63 - __builtin_clzll(most))) - 1);
}

static unsigned low_zeros(uint64_t zero) {
  return ~zero == 0 ? 64 : (unsigned)__builtin_ctzll(~zero);
}

static uint64_t low_mask(unsigned n) {
  return n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1;
}

/* What `!range` says of a special register. */
static uint64_t zero_of_call(struct ll *l, ll_v v) {
  ll_v ends[2], md = LLVMGetMetadata(v, LLVMGetMDKindIDInContext(l->cx, "range", 5));
  if (!md || LLVMGetMDNodeNumOperands(md) != 2)
    return 0;
  LLVMGetMDNodeOperands(md, ends);
  return above(LLVMConstIntGetZExtValue(ends[1]) - 1);
}

static uint64_t zero_bits(struct ll *l, ll_v v, unsigned depth);

/* A counter keeps the low bits that its start and its steps lack. */
static uint64_t zero_of_phi(struct ll *l, ll_v phi, unsigned depth) {
  unsigned low = 64;
  for (unsigned i = 0, n = LLVMCountIncoming(phi); i < n; i++) {
    ll_v v = LLVMGetIncomingValue(phi, i);
    if (LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMAdd && LLVMGetOperand(v, 0) == phi)
      v = LLVMGetOperand(v, 1);
    unsigned here = v == phi ? 64 : low_zeros(zero_bits(l, v, depth));
    low = here < low ? here : low;
  }
  return low_mask(low);
}

static uint64_t zero_of_shift(struct ll *l, ll_v v, unsigned depth) {
  uint64_t by, a = zero_bits(l, LLVMGetOperand(v, 0), depth);
  if (!ll_is_const(LLVMGetOperand(v, 1), &by) || by > 63)
    return 0;
  if (LLVMGetInstructionOpcode(v) == LLVMShl)
    return a << by | low_mask((unsigned)by);
  return (a | ~width_mask(v)) >> by | ~low_mask(64 - (unsigned)by);
}

/* Bits up to the highest one that may be set. */
static unsigned used(uint64_t zero) {
  return ~zero == 0 ? 0 : 64 - (unsigned)__builtin_clzll(~zero);
}

static uint64_t zero_of_binary(struct ll *l, ll_v v, LLVMOpcode op, unsigned depth) {
  uint64_t a = zero_bits(l, LLVMGetOperand(v, 0), depth), b = zero_bits(l, LLVMGetOperand(v, 1), depth);
  unsigned la = low_zeros(a), lb = low_zeros(b);
  switch (op) {
  case LLVMAnd:
    return a | b;
  case LLVMOr:
  case LLVMXor:
    return a & b;
  case LLVMMul:
    return low_mask(la + lb) | ~low_mask(used(a) + used(b));
  default: /* a sum */
    return low_mask(la < lb ? la : lb) | ~low_mask((used(a) > used(b) ? used(a) : used(b)) + 1);
  }
}

/* Bits that are certainly 0; those above the width count as 0. */
static uint64_t zero_bits(struct ll *l, ll_v v, unsigned depth) {
  uint64_t k;
  if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64)
    return 0;
  if (ll_is_const(v, &k))
    return ~k;
  uint64_t high = ~width_mask(v);
  if (depth == 0 || !LLVMIsAInstruction(v))
    return high;
  LLVMOpcode op = LLVMGetInstructionOpcode(v);
  switch (op) {
  case LLVMPHI:
    return high | zero_of_phi(l, v, depth - 1);
  case LLVMCall:
    return high | zero_of_call(l, v);
  case LLVMZExt:
    return zero_bits(l, LLVMGetOperand(v, 0), depth - 1);
  case LLVMTrunc:
    return high | zero_bits(l, LLVMGetOperand(v, 0), depth - 1);
  case LLVMShl:
  case LLVMLShr:
    return high | zero_of_shift(l, v, depth - 1);
  case LLVMAnd:
  case LLVMOr:
  case LLVMXor:
  case LLVMAdd:
  case LLVMMul:
    return high | zero_of_binary(l, v, op, depth - 1);
  default:
    return high;
  }
}

unsigned ll_leading_zeros(struct ll *l, ll_v v) {
  return 64 - used(zero_bits(l, v, DEPTH));
}

/* True if an address is made of it, in few steps. */
static bool makes_address(ll_v v, unsigned depth, unsigned *steps) {
  for (LLVMUseRef u = LLVMGetFirstUse(v); u && (*steps)++ < MOST_USES; u = LLVMGetNextUse(u)) {
    ll_v by = LLVMGetUser(u);
    if (LLVMIsAGetElementPtrInst(by))
      return true;
    if (depth > 0 && (LLVMIsABinaryOperator(by) || LLVMIsACastInst(by)) && makes_address(by, depth - 1, steps))
      return true;
  }
  return false;
}

ll_v ll_or_as_sum(struct ll *l, ll_v v) {
  if (!LLVMIsAInstruction(v) || LLVMGetInstructionOpcode(v) != LLVMOr)
    return NULL;
  ll_v a = LLVMGetOperand(v, 0), b = LLVMGetOperand(v, 1);
  if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind || LLVMTypeOf(v) == l->i1 || LLVMIsConstant(b) ||
      LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64)
    return NULL;
  unsigned steps = 0;
  if (!makes_address(v, 3, &steps))
    return NULL;
  return ~(zero_bits(l, a, DEPTH) | zero_bits(l, b, DEPTH)) == 0 ? LLVMBuildNUWAdd(l->b, a, b, "") : NULL;
}
