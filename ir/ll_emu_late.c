/* What the emulator adds to a module after the clean-up, so that what is watched is what a GPU would
 * run: accesses that are told to the checks, the ends of loops, the entry. Nothing that was kept in
 * struct ll about the module's values holds any more: the clean-up may have put another in its place. */
#include "ir/ll.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include <stdlib.h>

static str name_of(ll_v v) {
  size_t n = 0;
  const char *p = LLVMGetValueName2(v, &n);
  return (str){p, n};
}

/* What a call calls by name; empty: anything else. */
static str callee_name(ll_v v) {
  ll_v f = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;
  return f && LLVMIsAFunction(f) ? name_of(f) : (str){"", 0};
}

static void replace(ll_v v, ll_v with) {
  if (with)
    LLVMReplaceAllUsesWith(v, with);
  LLVMInstructionEraseFromParent(v);
}

/* ---- registers ---- */
static void read_register(struct ll *l, ll_v call, str name) {
  char number[24];
  str rest = str_drop(name, strlen(EMU_REGISTER));
  snprintf(number, sizeof number, "%.*s", STR_ARG(str_drop(rest, 1)));
  LLVMTypeRef t = LLVMTypeOf(call);
  ll_v p = ll_emu_word(l, rest.p[0] == 't', strtoull(number, NULL, 10), t);
  replace(call, LLVMBuildLoad2(l->b, t, p, ""));
}

/* ---- accesses ---- */
/* Memory that nobody but the function itself can name. */
static bool is_own(ll_v p) {
  for (;;) {
    if (LLVMIsAAllocaInst(p))
      return true;
    bool step = LLVMIsABitCastInst(p) || LLVMIsAGetElementPtrInst(p);
    if (!step)
      return false;
    p = LLVMGetOperand(p, 0);
  }
}

static bool is_told(struct ll *l, ll_v v) {
  return LLVMGetMetadata(v, LLVMGetMDKindIDInContext(l->cx, EMU_TOLD, strlen(EMU_TOLD))) != NULL;
}

/* A part of a copy that is only passed on: it may be one that was not written. */
static bool is_passed_on(ll_v v, unsigned depth) {
  for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
    ll_v user = LLVMGetUser(u);
    if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == v)
      continue;
    bool same = LLVMIsAPHINode(user) || LLVMIsABitCastInst(user);
    if (!same || depth == 3 || !is_passed_on(user, depth + 1))
      return false;
  }
  return true;
}

static void watch_access(struct ll *l, ll_v v) {
  bool write = LLVMIsAStoreInst(v) != NULL;
  ll_v p = LLVMGetOperand(v, write ? 1 : 0);
  LLVMTypeRef t = LLVMTypeOf(write ? LLVMGetOperand(v, 0) : v);
  if (is_own(p) || is_told(l, v))
    return;
  bool part = !write && LLVMGetDebugLocColumn(v) == EMU_COPY_COLUMN && is_passed_on(v, 0);
  ll_v args[] = {LLVMBuildBitCast(l->b, p, l->ptr, ""), ll_emu_size(l, t, LLVMGetAlignment(v))};
  ll_v use = ll_emu_call(l, write ? "write" : part ? "read_part" : "read", l->ptr, args, 2);
  LLVMSetOperand(v, write ? 1 : 0, LLVMBuildBitCast(l->b, use, LLVMTypeOf(p), ""));
}

/* The number of units of 2^shift bytes to copy, set or compare becomes none when that is not allowed. */
static void watch_bytes(struct ll *l, ll_v call, const char *op, unsigned shift) {
  bool fill = strcmp(op, "fill") == 0;
  ll_v a = LLVMGetOperand(call, 0), b = LLVMGetOperand(call, 1), n = LLVMGetOperand(call, 2);
  if (is_own(a) && (fill || is_own(b)))
    return;
  ll_v bytes = LLVMBuildShl(l->b, n, ll_usize(l, shift), "");
  ll_v args[] = {a, fill ? bytes : b, bytes};
  bytes = ll_emu_call(l, op, l->i64, args, fill ? 2 : 3);
  LLVMSetOperand(call, 2, LLVMBuildLShr(l->b, bytes, ll_usize(l, shift), ""));
}

/* The helpers of ll_helper.c end in the size of their unit. */
static const char *helper_op(str name, unsigned *shift) {
  static const struct {
    const char *name, *op;
  } rows[] = {{"mirdc_copy", "copy"}, {"mirdc_move", "copy"}, {"mirdc_set", "fill"}};
  *shift = 0;
  if (str_eqz(name, "mirdc_compare"))
    return "compare";
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    str stem = str_from(rows[i].name);
    if (name.n != stem.n + 1 || !str_starts(name, stem))
      continue;
    for (char unit = name.p[stem.n]; *shift < 4; ++*shift)
      if (unit == '0' + (1 << *shift))
        return rows[i].op;
  }
  return NULL;
}

bool ll_emu_is_helper(ll_v f) {
  unsigned shift;
  return LLVMGetLinkage(f) == LLVMInternalLinkage && !LLVMIsDeclaration(f) &&
         helper_op(name_of(f), &shift) != NULL;
}

static void watch_call(struct ll *l, ll_v v, str name) {
  unsigned shift = 0;
  if (str_starts(name, STR("llvm.memcpy.")) || str_starts(name, STR("llvm.memmove.")))
    watch_bytes(l, v, "copy", 0);
  else if (str_starts(name, STR("llvm.memset.")))
    watch_bytes(l, v, "fill", 0);
  else if (name.n > 0 && ll_emu_is_helper(LLVMGetCalledValue(v)))
    watch_bytes(l, v, helper_op(name, &shift), shift);
}

/* Only the checks want to know of atomics. */
static void forget_atomic(ll_v v, str name) {
  if (str_eqz(name, EMU_OP "fence"))
    replace(v, NULL);
  else if (str_starts(name, STR(EMU_OP "atomic_")))
    replace(v, LLVMGetOperand(v, 1));
}

static void watch_end(struct ll *l, ll_v v) {
  ll_v before = LLVMGetPreviousInstruction(v);
  if (!before || !str_starts(callee_name(before), STR(EMU_OP)))
    ll_emu_call(l, "unreachable", l->t_void, NULL, 0);
}

static void finish_instruction(struct ll *l, ll_v f, ll_v v) {
  unsigned line = LLVMGetDebugLocLine(v);
  str name = callee_name(v);
  l->emu_place = line ? line : LLVMGetDebugLocLine(f);
  LLVMPositionBuilderBefore(l->b, v);
  if (str_starts(name, STR(EMU_REGISTER)))
    read_register(l, v, name);
  else if (LLVMIsAUnreachableInst(v))
    watch_end(l, v);
  else if (!l->o->emu_checks)
    forget_atomic(v, name);
  else if (LLVMIsALoadInst(v) || LLVMIsAStoreInst(v))
    watch_access(l, v);
  else
    watch_call(l, v, name);
}

static void finish_function(struct ll *l, ll_v f) {
  if (l->o->emu_checks && ll_emu_is_helper(f))
    return;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
    for (ll_v v = LLVMGetFirstInstruction(b), next; v; v = next) {
      next = LLVMGetNextInstruction(v);
      finish_instruction(l, f, v);
    }
}

/* ---- the entry ---- */
static ll_v entry_arg(struct ll *l, ll_v block, const struct lower_param *p, LLVMTypeRef t,
                      bool by_value) {
  ll_v at = ll_gep(l, block, p->off);
  if (by_value)
    return LLVMBuildBitCast(l->b, at, t, "");
  ll_v v = LLVMBuildLoad2(l->b, t, LLVMBuildBitCast(l->b, at, LLVMPointerType(t, 0), ""), "");
  LLVMSetAlignment(v, (unsigned)p->align);
  return v;
}

/* Takes the parameters out of their block and calls the kernel. */
static void build_entry(struct ll *l, ll_v kernel, const struct lower_kernel *k) {
  unsigned n = LLVMCountParams(kernel), byval = LLVMGetEnumAttributeKindForName("byval", 5);
  ASSERT(n == k->n_params);
  ll_v f = LLVMAddFunction(l->mod, EMU_ENTRY, LLVMFunctionType(l->t_void, &l->ptr, 1, 0));
  ll_v *args = arena_array(&l->scratch, ll_v, n);
  ll_mark(l, f);
  LLVMSetLinkage(kernel, LLVMInternalLinkage);
  ll_at(l, LLVMAppendBasicBlockInContext(l->cx, f, "entry"));
  ll_debug_none(l);
  for (unsigned i = 0; i < n; i++) {
    ll_v p = LLVMGetParam(kernel, i);
    bool whole = LLVMGetEnumAttributeAtIndex(kernel, i + 1, byval) != NULL;
    args[i] = entry_arg(l, LLVMGetParam(f, 0), &k->params[i], LLVMTypeOf(p), whole);
  }
  ll_v c = ll_call(l, kernel, args, n);
  for (unsigned i = 0; i < n; i++) {
    LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(kernel, i + 1, byval);
    if (!a)
      continue;
    LLVMAddCallSiteAttribute(c, i + 1, a);
    LLVMAddCallSiteAttribute(c, i + 1, ll_attr(l, "align", k->params[i].align));
  }
  LLVMBuildRetVoid(l->b);
}

/* ---- the module ---- */
static void make_native(struct ll *l) {
  char *triple = LLVMGetDefaultTargetTriple(), *message = NULL;
  LLVMTargetRef t = NULL;
  LLVMSetTarget(l->mod, triple);
  if (LLVMGetTargetFromTriple(triple, &t, &message))
    BUG("no code generator for this machine: %s", message);
  LLVMTargetMachineRef tm = LLVMCreateTargetMachine(t, triple, "", "", LLVMCodeGenLevelDefault,
                                                    LLVMRelocDefault, LLVMCodeModelJITDefault);
  LLVMTargetDataRef td = LLVMCreateTargetDataLayout(tm);
  LLVMSetModuleDataLayout(l->mod, td);
  LLVMDisposeTargetData(td);
  LLVMDisposeTargetMachine(tm);
  LLVMDisposeMessage(triple);
}

static void drop_unused(struct ll *l) {
  for (ll_v f = LLVMGetFirstFunction(l->mod), next; f; f = next) {
    next = LLVMGetNextFunction(f);
    if (LLVMIsDeclaration(f) && !LLVMGetFirstUse(f))
      LLVMDeleteFunction(f);
  }
}

void ll_emu_finish(struct ll *l, const struct lower_kernel *k) {
  char *name = arena_strz(&l->arena, k->name);
  ll_v kernel = LLVMGetNamedFunction(l->mod, name), last = LLVMGetLastFunction(l->mod), f = NULL;
  make_native(l);
  while (f != last) {
    f = f ? LLVMGetNextFunction(f) : LLVMGetFirstFunction(l->mod);
    if (LLVMIsDeclaration(f))
      continue;
    finish_function(l, f);
    ll_emu_add_polls(l, f, f == kernel);
  }
  build_entry(l, kernel, k);
  LLVMStripModuleDebugInfo(l->mod);
  drop_unused(l);
}
