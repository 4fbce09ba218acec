/* Loops that run over a small array on the stack. Only when such a loop is unrolled as a whole are the
 * array's elements registers, so it is marked for that, whatever its size; a loop whose number of rounds is
 * not constant stays as it is. */
#include "ir/ll.h"

#define SMALL_TABLE 256 /* bytes of an array that may become registers */
#define MOST_STEPS 64   /* from an index back to the counters it is made of */

static void mark_jump(struct ll *l, LLVMBasicBlockRef from, ll_v loop) {
  ll_v jump = LLVMGetBasicBlockTerminator(from);
  unsigned kind = LLVMGetMDKindIDInContext(l->cx, "llvm.loop", 9);
  if (!LLVMGetMetadata(jump, kind))
    LLVMSetMetadata(jump, kind, loop);
}

static ll_v unroll_mark(struct ll *l) {
  static const char key[] = "llvm.loop.unroll.full";
  LLVMMetadataRef name = LLVMMDStringInContext2(l->cx, key, sizeof key - 1);
  LLVMMetadataRef self = LLVMTemporaryMDNode(l->cx, NULL, 0);
  LLVMMetadataRef parts[] = {self, LLVMMDNodeInContext2(l->cx, &name, 1)};
  LLVMMetadataRef loop = LLVMMDNodeInContext2(l->cx, parts, 2);
  LLVMMetadataReplaceAllUsesWith(self, loop);
  return LLVMMetadataAsValue(l->cx, loop);
}

/* `v` is `counter` and a constant. */
static bool is_step(ll_v v, ll_v counter) {
  if (LLVMIsABitCastInst(v))
    v = LLVMGetOperand(v, 0);
  if (LLVMIsAGetElementPtrInst(v)) {
    int n = LLVMGetNumOperands(v);
    for (int i = 1; i < n; i++)
      if (!LLVMIsAConstantInt(LLVMGetOperand(v, (unsigned)i)))
        return false;
  } else if (!LLVMIsABinaryOperator(v) || !LLVMIsAConstantInt(LLVMGetOperand(v, 1))) {
    return false;
  }
  ll_v from = LLVMGetOperand(v, 0);
  return from == counter || (LLVMIsABitCastInst(from) && LLVMGetOperand(from, 0) == counter);
}

/* True if the value counts the rounds of a loop, which is marked then. */
static bool mark_counter(struct ll *l, ll_v phi) {
  ll_v loop = NULL;
  for (unsigned i = 0, n = LLVMCountIncoming(phi); i < n; i++) {
    if (!is_step(LLVMGetIncomingValue(phi, i), phi))
      continue;
    loop = loop ? loop : unroll_mark(l);
    mark_jump(l, LLVMGetIncomingBlock(phi, i), loop);
  }
  return loop != NULL;
}

static void mark_index(struct ll *l, ll_v v, unsigned *steps) {
  if (!LLVMIsAInstruction(v) || (*steps)++ >= MOST_STEPS)
    return;
  if (LLVMIsAPHINode(v)) {
    mark_counter(l, v);
    return;
  }
  if (!LLVMIsABinaryOperator(v) && !LLVMIsACastInst(v))
    return;
  for (unsigned i = 0, n = (unsigned)LLVMGetNumOperands(v); i < n; i++)
    mark_index(l, LLVMGetOperand(v, i), steps);
}

/* Follows an address into the array to where it depends on a counter. */
static void mark_uses(struct ll *l, ll_v address, unsigned *steps) {
  for (LLVMUseRef u = LLVMGetFirstUse(address); u && (*steps)++ < 16 * MOST_STEPS; u = LLVMGetNextUse(u)) {
    ll_v v = LLVMGetUser(u);
    if (LLVMIsAPHINode(v)) {
      mark_counter(l, v);
    } else if (LLVMIsABitCastInst(v)) {
      mark_uses(l, v, steps);
    } else if (LLVMIsAGetElementPtrInst(v)) {
      unsigned from = 0;
      for (unsigned i = 1, n = (unsigned)LLVMGetNumOperands(v); i < n; i++)
        mark_index(l, LLVMGetOperand(v, i), &from);
      mark_uses(l, v, steps);
    }
  }
}

void ll_mark_loops(struct ll *l) {
  LLVMTargetDataRef layout = LLVMGetModuleDataLayout(l->mod);
  for (ll_v f = LLVMGetFirstFunction(l->mod); f; f = LLVMGetNextFunction(f)) {
    if (LLVMCountBasicBlocks(f) == 0)
      continue;
    for (ll_v v = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f)); v; v = LLVMGetNextInstruction(v)) {
      unsigned steps = 0;
      if (LLVMIsAAllocaInst(v) && LLVMABISizeOfType(layout, LLVMGetAllocatedType(v)) <= SMALL_TABLE)
        mark_uses(l, v, &steps);
    }
  }
}
