/* Code of a kernel: lowered for this CPU, optimised and compiled by LLVM, once for each kernel of
 * an object. */
#include "base/fatal.h"
#include "emulator/engine.h"
#include "ir/ll_emu.h"

#include <pthread.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/ExecutionEngine.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>

struct emu_module {
  struct ll_emu_module ll;
  LLVMExecutionEngineRef ee;
  emu_entry *entry;
};

/* LLVM's own lists of targets and of library functions are its process's. */
static void init_llvm(void) {
  LLVMLinkInMCJIT();
  LLVMInitializeNativeTarget();
  LLVMInitializeNativeAsmPrinter();
  emu_add_libraries(LLVMAddSymbol);
}

static bool failed(struct mirdc_emu *e, const char *what, const char *message) {
  struct diag *d = diag_error(&e->sink, MD0310, SPAN_NONE, "LLVM cannot %s", what);
  if (message)
    diag_note(d, "%s", message);
  return false;
}

static bool optimise(struct mirdc_emu *e, struct emu_module *x) {
  char passes[16] = "default<O0>";
  passes[9] = (char)('0' + e->options.opt);
  LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
  LLVMErrorRef bad =
      LLVMRunPasses(x->ll.mod, passes, LLVMGetExecutionEngineTargetMachine(x->ee), o);
  LLVMDisposePassBuilderOptions(o);
  if (!bad)
    return true;
  char *message = LLVMGetErrorMessage(bad);
  failed(e, "optimise the kernel", message);
  LLVMDisposeErrorMessage(message);
  return false;
}

static bool make_engine(struct mirdc_emu *e, struct emu_module *x) {
  struct LLVMMCJITCompilerOptions mc;
  char *message = NULL;
  LLVMInitializeMCJITCompilerOptions(&mc, sizeof mc);
  mc.OptLevel = e->options.opt;
  mc.EnableFastISel = e->options.opt == 0;
  if (!LLVMCreateMCJITCompilerForModule(&x->ee, x->ll.mod, &mc, sizeof mc, &message))
    return true;
  failed(e, "make an engine for the kernel", message);
  LLVMDisposeMessage(message);
  return false;
}

/* Addresses of everything that the module only declares. */
static bool map_symbols(struct mirdc_emu *e, struct emu_module *x) {
  LLVMValueRef state = LLVMGetNamedGlobal(x->ll.mod, EMU_STATE);
  size_t n;
  if (state)
    LLVMAddGlobalMapping(x->ee, state, e);
  for (uint32_t i = 0; i < x->ll.n_data; i++) {
    const struct ll_emu_data *d = &x->ll.data[i];
    void *p = emu_data(e, d->kind, d->id);
    if (!p)
      return false;
    LLVMValueRef g = LLVMGetNamedGlobal(x->ll.mod, d->symbol);
    if (g) /* not optimised away */
      LLVMAddGlobalMapping(x->ee, g, p);
  }
  for (LLVMValueRef f = LLVMGetFirstFunction(x->ll.mod); f; f = LLVMGetNextFunction(f)) {
    const char *name = LLVMGetValueName2(f, &n);
    void *p = LLVMIsDeclaration(f) ? emu_runtime_symbol((str){name, n}) : NULL;
    if (p)
      LLVMAddGlobalMapping(x->ee, f, p);
    else if (LLVMIsDeclaration(f) && str_starts((str){name, n}, STR(EMU_OP)))
      BUG("emulated code calls `%s`", name);
  }
  return true;
}

static void find_functions(struct mirdc_emu *e, struct emu_module *x) {
  x->entry = (emu_entry *)(uintptr_t)LLVMGetFunctionAddress(x->ee, EMU_ENTRY);
  for (uint32_t i = 0; i < x->ll.n_fns; i++) {
    const struct ll_emu_data *d = &x->ll.fns[i];
    if (!e->fns[d->id])
      e->fns[d->id] = (void *)(uintptr_t)LLVMGetFunctionAddress(x->ee, d->symbol);
  }
}

static void module_free(struct emu_module *x) {
  if (x->ee) {
    LLVMDisposeExecutionEngine(x->ee);
    x->ll.mod = NULL; /* went with it */
  }
  ll_emu_release(&x->ll);
}

static bool compile(struct mirdc_emu *e, uint32_t kernel, struct emu_module *x) {
  struct ll_emu_options o = {e->options.opt, e->checked};
  if (!ll_emu_build(e->m, kernel, &o, &e->sink, &x->ll) || !make_engine(e, x))
    return false;
  if (!map_symbols(e, x) || !optimise(e, x))
    return false;
  find_functions(e, x);
  return x->entry || failed(e, "compile the kernel", NULL);
}

bool emu_compile(struct mirdc_emu *e, uint32_t kernel) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (e->modules[kernel])
    return true;
  pthread_once(&once, init_llvm);
  struct emu_module *x = arena_new(&e->arena, struct emu_module);
  if (!compile(e, kernel, x)) {
    module_free(x);
    return false;
  }
  e->modules[kernel] = x;
  return true;
}

void emu_modules_free(struct mirdc_emu *e) {
  for (uint32_t i = 0; e->m && i < e->m->n_kernels; i++)
    if (e->modules[i])
      module_free(e->modules[i]);
}

emu_entry *emu_module_entry(const struct emu_module *x) {
  return x->entry;
}

const struct lower_kernel *emu_module_kernel(const struct emu_module *x) {
  return &x->ll.lowered.kernels[0];
}

const struct lower_trap *emu_module_trap(const struct emu_module *x, uint32_t code) {
  for (uint32_t i = 0; i < x->ll.lowered.n_traps; i++)
    if (x->ll.lowered.traps[i].code == code)
      return &x->ll.lowered.traps[i];
  return NULL;
}
