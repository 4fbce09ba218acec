/* Checks by LLVM, and the clean-up that makes the text smaller. */
#include "ir/ll.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Transforms/Scalar.h>
#include <llvm-c/Transforms/Utils.h>

bool ll_verify(struct ll *l, const char *stage) {
  char *message = NULL;
  bool bad = LLVMVerifyModule(l->mod, LLVMReturnStatusAction, &message);
  if (bad) {
    struct diag *d =
        diag_error(l->sink, MD0310, SPAN_NONE, "the module does not verify after %s", stage);
    str rest = str_from(message), line;
    for (unsigned i = 0; i < 4 && str_next_line(&rest, &line); i++)
      diag_note(d, "%.*s", STR_ARG(line));
  }
  LLVMDisposeMessage(message);
  return !bad;
}

/* Only passes that cannot make `freeze`, `poison` or new intrinsics: values out of memory, common
 * subexpressions. The rest is libNVVM's work. */
void ll_clean_up(struct ll *l) {
  LLVMPassManagerRef pm = LLVMCreateFunctionPassManagerForModule(l->mod);
  LLVMAddPromoteMemoryToRegisterPass(pm);
  LLVMAddEarlyCSEPass(pm);
  LLVMInitializeFunctionPassManager(pm);
  for (ll_v f = LLVMGetFirstFunction(l->mod); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f))
      LLVMRunFunctionPassManager(pm, f);
  LLVMFinalizeFunctionPassManager(pm);
  LLVMDisposePassManager(pm);
}
