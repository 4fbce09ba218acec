/* Atomic operations on shared memory. They are PTX text on generic addresses, into which no later pass looks;
 * where the address is seen to be that of a shared static, the text says so, and the hardware's own
 * instructions for shared memory come out. */
#include "ir/ll.h"

/* The address in shared memory that a generic one was made of; NULL if there is none. */
static ll_v shared_base(ll_v p) {
  for (unsigned steps = 0; steps < 32; steps++) {
    bool instruction = LLVMIsAInstruction(p) != NULL, expression = LLVMIsAConstantExpr(p) != NULL;
    LLVMOpcode op = instruction ? LLVMGetInstructionOpcode(p) : expression ? LLVMGetConstOpcode(p) : LLVMRet;
    if (op == LLVMAddrSpaceCast)
      return LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(p, 0))) == 3 ? p : NULL;
    if (op != LLVMGetElementPtr && op != LLVMBitCast)
      return NULL;
    p = LLVMGetOperand(p, 0);
  }
  return NULL;
}

/* `text` gets what stands in the n-th pair of quotes of an asm value as LLVM prints it. */
static bool quoted(const char *printed, unsigned n, char *text, size_t size) {
  const char *from = printed;
  for (unsigned i = 0; from && i < 2 * n + 1; i++)
    from = strchr(from + (i > 0), '"');
  const char *end = from ? strchr(from + 1, '"') : NULL;
  if (!end || (size_t)(end - from) > size)
    return false;
  memcpy(text, from + 1, (size_t)(end - from - 1));
  text[end - from - 1] = 0;
  return true;
}

/* "atom.ORDER.SCOPE.REST" becomes "atom.ORDER.SCOPE.shared.REST". */
static bool say_shared(const char *text, char *out, size_t size) {
  const char *rest = text;
  for (unsigned dots = 0; rest && dots < 3; dots++)
    rest = strchr(rest + (dots > 0), '.');
  if (!rest || strncmp(text, "atom.", 5) != 0)
    return false;
  return (size_t)snprintf(out, size, "%.*s.shared%s", (int)(rest - text), text, rest) < size;
}

static void name_space(struct ll *l, ll_v call) {
  char text[128], longer[160], constraints[64];
  unsigned n = LLVMGetNumArgOperands(call);
  ll_v args[4], callee = LLVMGetCalledValue(call);
  if (n == 0 || n > COUNT_OF(args) || LLVMTypeOf(LLVMGetOperand(call, 0)) != l->ptr ||
      !shared_base(LLVMGetOperand(call, 0)))
    return;
  char *printed = LLVMPrintValueToString(callee);
  bool ok = quoted(printed, 0, text, sizeof text) && quoted(printed, 1, constraints, sizeof constraints) &&
            say_shared(text, longer, sizeof longer);
  LLVMDisposeMessage(printed);
  if (!ok)
    return;
  LLVMPositionBuilderBefore(l->b, call);
  for (unsigned i = 0; i < n; i++)
    args[i] = LLVMGetOperand(call, i);
  args[0] = LLVMBuildAddrSpaceCast(l->b, args[0], LLVMPointerType(l->i8, 3), "");
  LLVMReplaceAllUsesWith(call, ll_asm(l, longer, constraints, LLVMTypeOf(call), args, n, true));
  LLVMInstructionEraseFromParent(call);
}

void ll_name_spaces(struct ll *l) {
  for (ll_v f = LLVMGetFirstFunction(l->mod); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      for (ll_v v = LLVMGetFirstInstruction(b), next; v; v = next) {
        next = LLVMGetNextInstruction(v);
        if (LLVMIsACallInst(v) && LLVMIsAInlineAsm(LLVMGetCalledValue(v)))
          name_space(l, v);
      }
}
