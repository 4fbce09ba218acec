/* Checks by LLVM, and the clean-up that makes the text smaller. */
#include "ir/ll.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Transforms/PassBuilder.h>

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
static const char quick[] = "function(mem2reg,early-cse)";

/* What shows libNVVM its loops and registers: iterators and options out of memory, loops with a count, small
 * arrays that loops run over. No pass that is made for the instructions of a CPU. The first part knows which
 * pointers are not null (ll_not_null), the second one does not. */
static const char early[] =
    "function(sroa,early-cse<memssa>,instcombine,jump-threading,simplifycfg),cgscc(inline),globaldce,"
    "function(sroa,early-cse<memssa>,instcombine,simplifycfg,jump-threading,correlated-propagation,instcombine,"
    "simplifycfg,sroa,early-cse<memssa>,instcombine,jump-threading,simplifycfg)";
static const char late[] =
    "function(sroa,early-cse<memssa>,instcombine,simplifycfg,correlated-propagation,simplifycfg,"
    "loop-simplify,lcssa,loop-mssa(loop-rotate,licm),"
    "instcombine,loop(indvars,loop-deletion,loop-unroll-full),sroa,early-cse<memssa>,instcombine,loop-mssa(licm),"
    "gvn,sccp,"
    "instcombine,jump-threading,dse,adce,simplifycfg)";
static const char last[] = "function(early-cse<memssa>,simplifycfg)";

static bool run_passes(struct ll *l, const char *passes) {
  LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
  LLVMErrorRef bad = LLVMRunPasses(l->mod, passes, NULL, o);
  LLVMDisposePassBuilderOptions(o);
  if (!bad)
    return true;
  char *message = LLVMGetErrorMessage(bad);
  struct diag *d = diag_error(l->sink, MD0310, SPAN_NONE, "LLVM cannot optimise the module");
  diag_note(d, "%s", message);
  LLVMDisposeErrorMessage(message);
  return false;
}

static void forget_not_null(struct ll *l) {
  for (ll_v f = LLVMGetFirstFunction(l->mod), next; f; f = next) {
    size_t n;
    const char *p = LLVMGetValueName2(f, &n);
    next = LLVMGetNextFunction(f);
    if (!str_starts((str){(char *)(uintptr_t)p, n}, STR("llvm.strip.invariant.group.")))
      continue;
    for (LLVMUseRef u; (u = LLVMGetFirstUse(f));) {
      ll_v call = LLVMGetUser(u);
      LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, 0));
      LLVMInstructionEraseFromParent(call);
    }
    LLVMDeleteFunction(f);
  }
}

/* The text of a module in which something without an older spelling came up is made the quick way. */
bool ll_clean_up(struct ll *l) {
  LLVMModuleRef plain = LLVMCloneModule(l->mod);
  bool ok = run_passes(l, early);
  forget_not_null(l);
  if (ok)
    ll_mark_loops(l);
  ok = ok && run_passes(l, late);
  if (ok) {
    ll_flatten(l);
    ll_merge_checks(l);
    ll_widen_strides(l);
    ll_name_spaces(l);
  }
  ok = ok && run_passes(l, last);
  if (!ok || ll_legalise(l)) {
    LLVMDisposeModule(plain);
    return ok;
  }
  LLVMDisposeModule(l->mod);
  l->mod = plain;
  forget_not_null(l);
  return run_passes(l, quick);
}
