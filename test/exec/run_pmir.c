/* Runs pure functions of a dump on this CPU: the lowering's own module, compiled in memory.
 *
 *   run_pmir FILE.pmir.json [-O2] < LINES
 *
 * Each line is `NAME A B`, two numbers; NAME is a function (u64, u64) -> u64. Prints
 * `NAME A B = RESULT` or `NAME A B trap KIND`. With -O2 LLVM's whole pipeline runs first, which
 * makes use of every promise that the lowering makes. */
#include <setjmp.h>

#include "ir/ll.h"

#include <llvm-c/ExecutionEngine.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "base/fs.h"

typedef uint64_t test_fn(uint64_t, uint64_t);

static jmp_buf on_trap;
static uint32_t trap_code;

static _Noreturn void host_trap(uint32_t code) {
  trap_code = code;
  longjmp(on_trap, 1);
}

/* What the code generator calls for 128-bit division and half floats. */
__extension__ typedef unsigned __int128 u128_t;
__extension__ typedef __int128 i128_t;
u128_t __udivti3(u128_t, u128_t);
u128_t __umodti3(u128_t, u128_t);
i128_t __divti3(i128_t, i128_t);
i128_t __modti3(i128_t, i128_t);

__extension__ typedef _Float16 half;
static uint16_t half_bits(half h) {
  uint16_t b;
  memcpy(&b, &h, sizeof b);
  return b;
}
static float half_to_float(uint16_t b) {
  half h;
  memcpy(&h, &b, sizeof h);
  return (float)h;
}
static uint16_t float_to_half(float f) {
  return half_bits((half)f);
}
static uint16_t double_to_half(double d) {
  return half_bits((half)d);
}

static void add_symbols(void) {
  struct {
    const char *name;
    void *p;
  } rows[] = {{"__udivti3", (void *)(uintptr_t)__udivti3},
              {"__umodti3", (void *)(uintptr_t)__umodti3},
              {"__divti3", (void *)(uintptr_t)__divti3},
              {"__modti3", (void *)(uintptr_t)__modti3},
              {"__gnu_h2f_ieee", (void *)(uintptr_t)half_to_float},
              {"__gnu_f2h_ieee", (void *)(uintptr_t)float_to_half},
              {"__truncdfhf2", (void *)(uintptr_t)double_to_half},
              {"__mirdc_host_trap", (void *)(uintptr_t)host_trap}};
  for (size_t i = 0; i < COUNT_OF(rows); i++)
    LLVMAddSymbol(rows[i].name, rows[i].p);
}

static bool optimise(struct ll *l, LLVMExecutionEngineRef ee) {
  LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
  LLVMErrorRef e = LLVMRunPasses(l->mod, "default<O2>", LLVMGetExecutionEngineTargetMachine(ee), o);
  LLVMDisposePassBuilderOptions(o);
  if (e)
    fprintf(stderr, "%s\n", LLVMGetErrorMessage(e));
  return e == NULL;
}

static const char *trap_name(const struct lower_result *r) {
  static const char *const names[] = {
#define PM_TRAP(id, name, text) name,
#include "ir/traps.def"
#undef PM_TRAP
  };
  for (uint32_t i = 0; i < r->n_traps; i++)
    if (r->traps[i].code == trap_code)
      return names[r->traps[i].kind];
  return "unknown";
}

static bool run_line(LLVMExecutionEngineRef ee, const struct lower_result *r, char *line) {
  char name[128];
  unsigned long long a, b;
  if (sscanf(line, "%127s %llu %llu", name, &a, &b) != 3)
    return false;
  test_fn *f = (test_fn *)(uintptr_t)LLVMGetFunctionAddress(ee, name);
  if (!f) {
    fprintf(stderr, "no function %s\n", name);
    return false;
  }
  if (setjmp(on_trap) == 0)
    printf("%s %llu %llu = %llu\n", name, a, b, (unsigned long long)f(a, b));
  else
    printf("%s %llu %llu trap %s\n", name, a, b, trap_name(r));
  return true;
}

static bool run(struct ll *l, bool o2) {
  LLVMExecutionEngineRef ee = NULL;
  struct LLVMMCJITCompilerOptions mc;
  char *message = NULL, line[256];
  LLVMInitializeMCJITCompilerOptions(&mc, sizeof mc);
  mc.OptLevel = o2 ? 2 : 0;
  if (LLVMCreateMCJITCompilerForModule(&ee, l->mod, &mc, sizeof mc, &message)) {
    fprintf(stderr, "%s\n", message);
    return false;
  }
  bool ok = !o2 || optimise(l, ee);
  while (ok && fgets(line, sizeof line, stdin))
    ok = run_line(ee, l->out, line);
  LLVMDisposeExecutionEngine(ee);
  l->mod = NULL; /* went with the engine */
  return ok;
}

static bool lower_and_run(const struct pmir *m, struct diag_sink *sink, bool o2, bool debug) {
  struct lower_options o = {.struct_size = sizeof o, .host = true, .arch = 90,
                            .opt = o2 ? 2 : 0, .debug = debug};
  struct lower_result r = {.struct_size = sizeof r};
  struct ll l = {.m = m, .o = &o, .sink = sink, .out = &r};
  o.module_name = STR("test");
  bool ok = ll_build(&l);
  if (ok && o2)
    ok = ll_clean_up(&l) && ll_verify(&l, "clean-up");
  ok = ok && run(&l, o2);
  ll_release(&l);
  mirdc_lower_free(&r);
  return ok;
}

int main(int argc, char **argv) {
  struct source_map sources;
  struct diag_sink sink;
  struct bytes text = {0};
  if (argc < 2)
    return 2;
  source_map_init(&sources);
  diag_sink_init(&sink, &sources);
  LLVMInitializeNativeTarget();
  LLVMInitializeNativeAsmPrinter();
  LLVMLinkInMCJIT();
  add_symbols();
  bool ok = fs_read(&sink, argv[1], 0, &text);
  struct pmir *m = ok ? pmir_read((str){(char *)text.p, text.n}, str_from(argv[1]), &sink) : NULL;
  const char *how = argc > 2 ? argv[2] : "";
  ok = m && lower_and_run(m, &sink, strcmp(how, "-O2") == 0, strcmp(how, "-g") == 0);
  diag_flush(&sink, false, false);
  if (m)
    pmir_free(m);
  bytes_free(&text);
  diag_sink_free(&sink);
  source_map_free(&sources);
  return ok ? 0 : 1;
}
