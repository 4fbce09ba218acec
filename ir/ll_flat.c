/* Short branches to selects. Loads that stand in a row wait for one another where a branch ends each of them,
 * and a branch costs a GPU more than the arithmetic behind it. */
#include "ir/ll.h"

#define SHORT 8 /* instructions */

/* Cheap, and defined whatever its operands are. */
static bool is_cheap(ll_v v) {
  switch (LLVMGetInstructionOpcode(v)) {
  case LLVMUDiv:
  case LLVMSDiv:
  case LLVMURem:
  case LLVMSRem:
  case LLVMFDiv:
  case LLVMFRem:
    return false;
  default:
    return LLVMIsABinaryOperator(v) || LLVMIsACastInst(v) || LLVMIsACmpInst(v) || LLVMIsASelectInst(v) ||
           LLVMIsAGetElementPtrInst(v);
  }
}

static bool has_one_use(LLVMBasicBlockRef b) {
  LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(b));
  return u && !LLVMGetNextUse(u);
}

/* Where a block leads that is entered and left in one way only; NULL for others. */
static LLVMBasicBlockRef leads_to(LLVMBasicBlockRef b) {
  ll_v end = LLVMGetBasicBlockTerminator(b);
  bool plain = LLVMIsABranchInst(end) && !LLVMIsConditional(end) && has_one_use(b);
  return plain ? LLVMGetSuccessor(end, 0) : NULL;
}

static bool is_short(LLVMBasicBlockRef b) {
  unsigned n = 0;
  for (ll_v v = LLVMGetFirstInstruction(b); !LLVMIsATerminatorInst(v); v = LLVMGetNextInstruction(v))
    if (n++ == SHORT || !is_cheap(v))
      return false;
  return true;
}

static ll_v incoming(ll_v phi, LLVMBasicBlockRef from) {
  for (unsigned i = 0, n = LLVMCountIncoming(phi); i < n; i++)
    if (LLVMGetIncomingBlock(phi, i) == from)
      return LLVMGetIncomingValue(phi, i);
  BUG("a phi without the block it is entered from");
}

/* The same phi without what comes from `gone`, and `v` from `from`. */
static void replace_phi(struct ll *l, ll_v phi, LLVMBasicBlockRef gone, LLVMBasicBlockRef from, ll_v v) {
  LLVMPositionBuilderBefore(l->b, phi);
  ll_v as = LLVMBuildPhi(l->b, LLVMTypeOf(phi), "");
  for (unsigned i = 0, n = LLVMCountIncoming(phi); i < n; i++) {
    LLVMBasicBlockRef b = LLVMGetIncomingBlock(phi, i);
    ll_v x = b == from ? v : LLVMGetIncomingValue(phi, i);
    if (b != gone)
      LLVMAddIncoming(as, &x, &b, 1);
  }
  LLVMReplaceAllUsesWith(phi, as);
  LLVMInstructionEraseFromParent(phi);
}

/* `head` jumps to `side` or past it to `end`. */
static void select_values(struct ll *l, LLVMBasicBlockRef head, LLVMBasicBlockRef side, LLVMBasicBlockRef end) {
  ll_v jump = LLVMGetBasicBlockTerminator(head), c = LLVMGetCondition(jump);
  bool if_true = LLVMGetSuccessor(jump, 0) == side;
  for (ll_v phi = LLVMGetFirstInstruction(end), next; LLVMIsAPHINode(phi); phi = next) {
    ll_v a = incoming(phi, side), b = incoming(phi, head);
    next = LLVMGetNextInstruction(phi);
    LLVMPositionBuilderBefore(l->b, jump);
    ll_v v = a == b ? a : LLVMBuildSelect(l->b, c, if_true ? a : b, if_true ? b : a, "");
    replace_phi(l, phi, side, head, v);
  }
  LLVMPositionBuilderBefore(l->b, jump);
  LLVMBuildBr(l->b, end);
  LLVMInstructionEraseFromParent(jump);
}

static bool flatten(struct ll *l, LLVMBasicBlockRef head) {
  ll_v jump = LLVMGetBasicBlockTerminator(head);
  if (!LLVMIsABranchInst(jump) || !LLVMIsConditional(jump))
    return false;
  for (unsigned i = 0; i < 2; i++) {
    LLVMBasicBlockRef side = LLVMGetSuccessor(jump, i), other = LLVMGetSuccessor(jump, 1 - i);
    LLVMBasicBlockRef end = leads_to(side);
    if (!end || side == other || end == head || end == side || (other != end && leads_to(other) != end) ||
        !is_short(side))
      continue;
    for (ll_v v = LLVMGetFirstInstruction(side), next; !LLVMIsATerminatorInst(v); v = next) {
      next = LLVMGetNextInstruction(v);
      LLVMInstructionRemoveFromParent(v);
      LLVMPositionBuilderBefore(l->b, jump);
      LLVMInsertIntoBuilder(l->b, v);
    }
    if (other != end)
      continue;
    select_values(l, head, side, end);
    LLVMDeleteBasicBlock(side);
    return true;
  }
  return false;
}

void ll_flatten(struct ll *l) {
  for (ll_v f = LLVMGetFirstFunction(l->mod); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetLastBasicBlock(f), before; b; b = before) {
      before = LLVMGetPreviousBasicBlock(b);
      if (flatten(l, b))
        before = LLVMGetPreviousBasicBlock(b); /* the one before may be gone */
    }
}
