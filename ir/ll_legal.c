/* LLVM 14 to what libNVVM's LLVM 7 knows: what the optimiser makes beyond that is spelled with older
 * instructions. What has no such spelling is named, and the caller optimises less. */
#include "ir/ll.h"

/* What the optimiser may put in and libNVVM has at all widths. */
static const char *const known[] = {"llvm.memcpy.",  "llvm.memset.", "llvm.memmove.", "llvm.assume",
                                    "llvm.dbg.", "llvm.lifetime.", "llvm.nvvm.", "llvm.fma.", "llvm.sqrt.",
                                    "llvm.minnum.",  "llvm.maxnum.", "llvm.fabs.",    "llvm.floor.",
                                    "llvm.ceil.",    "llvm.trunc.",  "llvm.rint."};

static const struct {
  const char *name;
  LLVMIntPredicate keep_first;
} picks[] = {{"llvm.umin.", LLVMIntULT},
             {"llvm.umax.", LLVMIntUGT},
             {"llvm.smin.", LLVMIntSLT},
             {"llvm.smax.", LLVMIntSGT}};

static ll_v arg(ll_v v, unsigned i) {
  return LLVMGetOperand(v, i);
}

/* Counts and swaps of bits: the back end has them at the usual widths, and not at 128. */
static ll_v spell_bits(struct ll *l, ll_v v, str name) {
  static const char *const counts[] = {"ctpop", "ctlz", "cttz"};
  unsigned w = LLVMGetIntTypeWidth(LLVMTypeOf(v));
  if (w != 8 && w != 16 && w != 32 && w != 64 && w != 128)
    return NULL;
  for (size_t i = 0; i < COUNT_OF(counts); i++)
    if (str_starts(str_drop(name, 5), str_from(counts[i])))
      return w == 128 ? ll_count_bits(l, counts[i], arg(v, 0)) : v;
  if (str_starts(name, STR("llvm.bswap.")))
    return w == 128 ? ll_byte_swap(l, arg(v, 0)) : v;
  if (str_starts(name, STR("llvm.bitreverse.")))
    return w == 32 || w == 64 ? v : ll_bit_reverse(l, arg(v, 0));
  return NULL;
}

/* The value that takes the place of the call, the call itself if it may stay, NULL if there is none. */
static ll_v spell_call(struct ll *l, ll_v v, str name) {
  for (size_t i = 0; i < COUNT_OF(picks); i++)
    if (str_starts(name, str_from(picks[i].name))) {
      ll_v first = LLVMBuildICmp(l->b, picks[i].keep_first, arg(v, 0), arg(v, 1), "");
      return LLVMBuildSelect(l->b, first, arg(v, 0), arg(v, 1), "");
    }
  if (str_starts(name, STR("llvm.abs."))) {
    ll_v zero = LLVMConstNull(LLVMTypeOf(v));
    ll_v minus = LLVMBuildICmp(l->b, LLVMIntSLT, arg(v, 0), zero, "");
    return LLVMBuildSelect(l->b, minus, LLVMBuildSub(l->b, zero, arg(v, 0), ""), arg(v, 0), "");
  }
  if (str_starts(name, STR("llvm.usub.sat.")))
    return ll_saturating(l, true, false, arg(v, 0), arg(v, 1));
  if (str_starts(name, STR("llvm.uadd.sat.")))
    return ll_saturating(l, false, false, arg(v, 0), arg(v, 1));
  if (str_starts(name, STR("llvm.ssub.sat.")))
    return ll_saturating(l, true, true, arg(v, 0), arg(v, 1));
  if (str_starts(name, STR("llvm.sadd.sat.")))
    return ll_saturating(l, false, true, arg(v, 0), arg(v, 1));
  if (str_starts(name, STR("llvm.fshl.")) || str_starts(name, STR("llvm.fshr.")))
    return ll_funnel(l, name.p[8] == 'l', arg(v, 0), arg(v, 1), arg(v, 2));
  return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind ? spell_bits(l, v, name) : NULL;
}

/* Integers of any width up to 64 bits are promoted, as in code that libNVVM itself made of memory. */
static bool width_is_known(struct ll *l, LLVMTypeRef t) {
  LLVMTypeKind k = LLVMGetTypeKind(t);
  if (k == LLVMVectorTypeKind || k == LLVMScalableVectorTypeKind)
    return false;
  return k != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(t) <= 64 || t == l->i128;
}

/* Nothing can be told from `poison` that cannot be told from `undef`, only less. */
static void without_poison(ll_v v) {
  int n = LLVMIsAPHINode(v) ? 0 : LLVMGetNumOperands(v);
  for (int i = 0; i < n; i++)
    if (LLVMIsPoison(LLVMGetOperand(v, (unsigned)i)))
      LLVMSetOperand(v, (unsigned)i, LLVMGetUndef(LLVMTypeOf(LLVMGetOperand(v, (unsigned)i))));
  if (!LLVMIsAPHINode(v))
    return;
  for (unsigned i = 0; i < LLVMCountIncoming(v); i++)
    if (LLVMIsPoison(LLVMGetIncomingValue(v, i)))
      LLVMSetOperand(v, i, LLVMGetUndef(LLVMTypeOf(v)));
}

/* Promises about arguments that are newer than the reader, or of no use to it. */
static void without_promises(ll_v call) {
  static const char *const names[] = {"noundef", "nonnull", "dereferenceable", "nocapture", "returned",
                                      "readonly", "writeonly", "readnone", "noalias"};
  unsigned n = LLVMGetNumArgOperands(call);
  for (unsigned i = 0; i < COUNT_OF(names); i++) {
    unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));
    for (unsigned k = 0; k <= n; k++)
      LLVMRemoveCallSiteEnumAttribute(call, k, kind);
  }
}

/* ptxas gets it wrong; see ll_sub. */
static bool is_negation_at_16(struct ll *l, ll_v v) {
  return LLVMTypeOf(v) == l->i16 && !l->o->host && LLVMIsConstant(arg(v, 0)) && LLVMIsNull(arg(v, 0));
}

/* `*with` takes the place of the instruction, if it is not NULL. */
static bool spell(struct ll *l, ll_v v, ll_v *with) {
  size_t n;
  *with = NULL;
  without_poison(v);
  if (!width_is_known(l, LLVMTypeOf(v)) || LLVMIsAFreezeInst(v))
    return false;
  LLVMPositionBuilderBefore(l->b, v);
  switch (LLVMGetInstructionOpcode(v)) {
  case LLVMOr:
    *with = ll_or_as_sum(l, v);
    return true;
  case LLVMSub:
    *with = is_negation_at_16(l, v) ? ll_sub(l, arg(v, 0), arg(v, 1)) : NULL;
    return true;
  case LLVMFNeg:
    *with = ll_fneg(l, arg(v, 0));
    return true;
  default:
    break;
  }
  if (LLVMIsACallInst(v))
    without_promises(v);
  ll_v f = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;
  if (!f || !LLVMIsAFunction(f) || LLVMGetIntrinsicID(f) == 0)
    return true;
  const char *p = LLVMGetValueName2(f, &n);
  str name = {(char *)(uintptr_t)p, n};
  for (size_t i = 0; i < COUNT_OF(known); i++)
    if (str_starts(name, str_from(known[i])))
      return true;
  LLVMPositionBuilderBefore(l->b, v);
  ll_v as = spell_call(l, v, name);
  *with = as == v ? NULL : as;
  return as != NULL;
}

/* What the inliner says of stack memory is of no use on a GPU, and what was assumed has been used. */
static bool is_remark(ll_v v) {
  ll_v f = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;
  size_t n = 0;
  const char *p = f && LLVMIsAFunction(f) ? LLVMGetValueName2(f, &n) : "";
  str name = {(char *)(uintptr_t)p, n};
  return str_starts(name, STR("llvm.lifetime.")) || str_starts(name, STR("llvm.assume"));
}

static bool legalise_block(struct ll *l, LLVMBasicBlockRef b) {
  ll_v end = LLVMGetBasicBlockTerminator(b);
  LLVMSetMetadata(end, LLVMGetMDKindIDInContext(l->cx, "llvm.loop", 9), NULL);
  for (ll_v v = LLVMGetFirstInstruction(b), next, with; v; v = next) {
    next = LLVMGetNextInstruction(v);
    if (!spell(l, v, &with))
      return false;
    bool dead = is_remark(v);
    if (!with && !dead)
      continue;
    if (with)
      LLVMReplaceAllUsesWith(v, with);
    LLVMInstructionEraseFromParent(v);
  }
  return true;
}

bool ll_legalise(struct ll *l) {
  for (ll_v f = LLVMGetFirstFunction(l->mod); f; f = LLVMGetNextFunction(f)) {
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      if (!legalise_block(l, b))
        return false;
  }
  for (ll_v f = LLVMGetFirstFunction(l->mod), next; f; f = next) {
    next = LLVMGetNextFunction(f);
    if (LLVMIsDeclaration(f) && LLVMGetIntrinsicID(f) != 0 && !LLVMGetFirstUse(f))
      LLVMDeleteFunction(f);
  }
  return true;
}
