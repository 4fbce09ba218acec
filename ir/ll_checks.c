/* Checks in front of loads: each one that fails ends in the same trap, and each load would have to wait for
 * the checks before it. Where nothing but loads and arithmetic lies between two checks they become one: the
 * same inputs trap, and nothing was to be seen before. */
#include "ir/ll.h"

#define MOST_MOVED 128 /* instructions that one condition may need */

struct merge {
  struct ll *l;
  LLVMBasicBlockRef head, body; /* head: br first, body, trap */
  ll_v fresh; /* what was put at the end of the body last */
  ll_v moved[MOST_MOVED];
  unsigned n_moved;
};

static bool named(ll_v call, const char *const *names, size_t n_names) {
  size_t n = 0;
  ll_v f = LLVMGetCalledValue(call);
  const char *p = f && LLVMIsAFunction(f) ? LLVMGetValueName2(f, &n) : "";
  for (size_t i = 0; i < n_names; i++)
    if (str_starts((str){(char *)(uintptr_t)p, n}, str_from(names[i])))
      return true;
  return false;
}

/* Only a value comes of it. */
static bool is_pure_call(ll_v v) {
  static const char *const names[] = {"llvm.nvvm.read.ptx.sreg.", "llvm.sqrt.", "llvm.fma.",  "llvm.fabs.",
                                      "llvm.ctpop.", "llvm.ctlz.", "llvm.cttz.",  "llvm.bswap.",
                                      "llvm.umin.",  "llvm.umax.", "llvm.smin.",  "llvm.smax.",
                                      "llvm.abs.",   "llvm.fshl.", "llvm.fshr.",  "llvm.usub.sat.",
                                      "llvm.uadd.sat.", "llvm.bitreverse.", "__nv_"};
  return LLVMIsACallInst(v) && named(v, names, COUNT_OF(names));
}

static bool is_arithmetic(ll_v v) {
  return LLVMIsABinaryOperator(v) || LLVMIsACastInst(v) || LLVMIsACmpInst(v) || LLVMIsASelectInst(v) ||
         LLVMIsAGetElementPtrInst(v) || LLVMIsAUnaryOperator(v) || LLVMIsAExtractValueInst(v) ||
         LLVMIsAFreezeInst(v);
}

bool ll_is_quiet(ll_v v) {
  if (LLVMIsALoadInst(v))
    return !LLVMGetVolatile(v) && LLVMGetOrdering(v) == LLVMAtomicOrderingNotAtomic;
  return is_arithmetic(v) || is_pure_call(v);
}

/* What divides by zero in one place only must not do so in another. */
static bool divides_safely(const struct merge *m, ll_v v) {
  LLVMOpcode op = LLVMGetInstructionOpcode(v);
  ll_v by = op == LLVMUDiv || op == LLVMURem ? LLVMGetOperand(v, 1) : NULL;
  uint64_t k;
  if (op == LLVMSDiv || op == LLVMSRem)
    return ll_is_const(LLVMGetOperand(v, 1), &k) && k != 0 && LLVMConstIntGetSExtValue(LLVMGetOperand(v, 1)) != -1;
  if (!by || (ll_is_const(by, &k) && k != 0))
    return true;
  for (ll_v i = LLVMGetFirstInstruction(m->head); i; i = LLVMGetNextInstruction(i)) {
    op = LLVMGetInstructionOpcode(i);
    if ((op == LLVMUDiv || op == LLVMURem) && LLVMGetOperand(i, 1) == by)
      return true;
  }
  return false;
}

/* Lists what `v` needs of the body, operands first; false if some of it cannot be moved. */
static bool collect(struct merge *m, ll_v v) {
  if (!LLVMIsAInstruction(v) || LLVMGetInstructionParent(v) != m->body)
    return true;
  for (unsigned i = 0; i < m->n_moved; i++)
    if (m->moved[i] == v)
      return true;
  if (m->n_moved == MOST_MOVED || !(is_arithmetic(v) || is_pure_call(v)) || !divides_safely(m, v))
    return false;
  unsigned n = (unsigned)LLVMGetNumOperands(v);
  for (unsigned i = 0; i < n; i++)
    if (!collect(m, LLVMGetOperand(v, i)))
      return false;
  if (m->n_moved == MOST_MOVED)
    return false;
  m->moved[m->n_moved++] = v;
  return true;
}

static void move_before(struct merge *m, ll_v v, ll_v where) {
  LLVMInstructionRemoveFromParent(v);
  LLVMPositionBuilderBefore(m->l->b, where);
  LLVMInsertIntoBuilder(m->l->b, v);
}

static bool has_one_use(ll_v v) {
  LLVMUseRef u = LLVMGetFirstUse(v);
  return u && !LLVMGetNextUse(u);
}

/* Puts the only successor of the body at its end, if it is entered from nowhere else. */
static bool lengthen(struct merge *m) {
  ll_v end = LLVMGetBasicBlockTerminator(m->body);
  if (!LLVMIsABranchInst(end) || LLVMIsConditional(end))
    return false;
  LLVMBasicBlockRef next = LLVMGetSuccessor(end, 0);
  ll_v first = LLVMGetFirstInstruction(next);
  if (next == m->body || next == m->head || LLVMIsAPHINode(first) || !has_one_use(LLVMBasicBlockAsValue(next)))
    return false;
  LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(next), LLVMBasicBlockAsValue(m->body));
  LLVMInstructionEraseFromParent(end);
  for (ll_v v = first, after; v; v = after) {
    after = LLVMGetNextInstruction(v);
    LLVMInstructionRemoveFromParent(v);
    LLVMPositionBuilderAtEnd(m->l->b, m->body);
    LLVMInsertIntoBuilder(m->l->b, v);
  }
  LLVMDeleteBasicBlock(next);
  m->fresh = first;
  return true;
}

static bool is_trap(LLVMBasicBlockRef b) {
  return LLVMIsAUnreachableInst(LLVMGetBasicBlockTerminator(b)) && !LLVMIsAPHINode(LLVMGetFirstInstruction(b));
}

/* 1 or 2: the side of a conditional jump that leads to a trap, as an operand of LLVMGetSuccessor plus 1. */
static unsigned trap_side(ll_v jump) {
  if (!LLVMIsABranchInst(jump) || !LLVMIsConditional(jump))
    return 0;
  for (unsigned i = 0; i < 2; i++)
    if (is_trap(LLVMGetSuccessor(jump, i)))
      return i + 1;
  return 0;
}

/* The condition under which all is well. */
static ll_v passes(struct ll *l, ll_v jump, unsigned side) {
  ll_v c = LLVMGetCondition(jump);
  LLVMPositionBuilderBefore(l->b, jump);
  return side == 2 ? c : LLVMBuildNot(l->b, c, "");
}

static bool join_checks(struct merge *m) {
  ll_v first = LLVMGetBasicBlockTerminator(m->head), second = LLVMGetBasicBlockTerminator(m->body);
  unsigned a = trap_side(first), b = trap_side(second);
  if (b == 0 || LLVMGetSuccessor(first, a - 1) != LLVMGetSuccessor(second, b - 1))
    return false;
  for (ll_v v = m->fresh; v != second; v = LLVMGetNextInstruction(v))
    if (!ll_is_quiet(v))
      return false;
  m->n_moved = 0;
  if (!collect(m, LLVMGetCondition(second)))
    return false;
  for (unsigned i = 0; i < m->n_moved; i++)
    move_before(m, m->moved[i], first);
  LLVMBasicBlockRef trap = LLVMGetSuccessor(first, a - 1), on = LLVMGetSuccessor(second, 2 - b);
  ll_v c1 = passes(m->l, first, a), c2 = LLVMGetCondition(second);
  if (b == 1)
    c2 = LLVMBuildNot(m->l->b, c2, "");
  ll_v both = LLVMBuildSelect(m->l->b, c1, c2, LLVMConstInt(m->l->i1, 0, 0), "");
  LLVMBuildCondBr(m->l->b, both, m->body, trap);
  LLVMInstructionEraseFromParent(first);
  LLVMPositionBuilderBefore(m->l->b, second);
  LLVMBuildBr(m->l->b, on);
  LLVMInstructionEraseFromParent(second);
  return true;
}

/* Special registers take long to read: all of them are asked for before the first check. */
static void read_registers_early(struct merge *m) {
  static const char *const names[] = {"llvm.nvvm.read.ptx.sreg."};
  for (ll_v v = LLVMGetFirstInstruction(m->body), next; v; v = next) {
    next = LLVMGetNextInstruction(v);
    if (LLVMIsACallInst(v) && named(v, names, 1))
      move_before(m, v, LLVMGetBasicBlockTerminator(m->head));
  }
}

static void merge_from(struct ll *l, LLVMBasicBlockRef head) {
  ll_v jump = LLVMGetBasicBlockTerminator(head);
  unsigned side = trap_side(jump);
  if (side == 0)
    return;
  struct merge m = {.l = l, .head = head, .body = LLVMGetSuccessor(jump, 2 - side)};
  m.fresh = LLVMGetFirstInstruction(m.body);
  if (m.body == head || LLVMIsAPHINode(m.fresh) || !has_one_use(LLVMBasicBlockAsValue(m.body)))
    return;
  while (join_checks(&m) && lengthen(&m))
    ;
  read_registers_early(&m);
}

/* ---- loads behind tests ---- */
/* Part of a struct among the parameters, which takes no time to load. */
static bool is_parameter(struct ll *l, ll_v load) {
  ll_v from = LLVMGetOperand(load, 0);
  while (LLVMIsAGetElementPtrInst(from) || LLVMIsABitCastInst(from))
    from = LLVMGetOperand(from, 0);
  return LLVMIsAArgument(from) && LLVMTypeOf(from) != l->ptr;
}

/* Known when the kernel starts: parameters, indices, and what is computed of them. */
static bool from_launch(struct ll *l, ll_v v, unsigned *steps) {
  if (!LLVMIsAInstruction(v))
    return LLVMIsAConstant(v) || LLVMIsAArgument(v);
  if ((*steps)++ >= MOST_MOVED)
    return false;
  if (LLVMIsALoadInst(v))
    return is_parameter(l, v);
  if (is_pure_call(v))
    return LLVMGetNumArgOperands(v) == 0;
  if (!is_arithmetic(v))
    return false;
  for (unsigned i = 0, n = (unsigned)LLVMGetNumOperands(v); i < n; i++)
    if (!from_launch(l, LLVMGetOperand(v, i), steps))
      return false;
  return true;
}

/* The end of the function, or a trap, that a test leads to. */
static bool is_end(LLVMBasicBlockRef b) {
  return LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(b)) == 0 && !LLVMIsAPHINode(LLVMGetFirstInstruction(b));
}

static bool is_used_in(ll_v v, LLVMBasicBlockRef b) {
  for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u))
    if (LLVMGetInstructionParent(LLVMGetUser(u)) == b)
      return true;
  return false;
}

static ll_v first_load(struct ll *l, LLVMBasicBlockRef b, LLVMBasicBlockRef end) {
  ll_v first = NULL;
  for (ll_v v = LLVMGetFirstInstruction(b); !LLVMIsATerminatorInst(v); v = LLVMGetNextInstruction(v)) {
    if (!first && LLVMIsALoadInst(v) && !is_parameter(l, v))
      first = v;
    if (first && (!ll_is_quiet(v) || is_used_in(v, end)))
      return NULL;
  }
  return first;
}

/* Moves the loads of a block behind the test at its end, if that is decided when the kernel starts: then they
 * stand together with the loads that come after it. The body is then what is behind the test. `end` is the
 * side of the test that leaves the function. */
static bool put_off_loads(struct merge *m, unsigned end) {
  ll_v jump = LLVMGetBasicBlockTerminator(m->body), load;
  unsigned steps = 0;
  if (!LLVMIsABranchInst(jump) || !LLVMIsConditional(jump))
    return false;
  LLVMBasicBlockRef on = LLVMGetSuccessor(jump, 1 - end), out = LLVMGetSuccessor(jump, end);
  if (!is_end(out) || on == out || on == m->body || LLVMIsAPHINode(LLVMGetFirstInstruction(on)) ||
      !has_one_use(LLVMBasicBlockAsValue(on)))
    return false;
  load = first_load(m->l, m->body, out);
  m->n_moved = 0;
  m->head = m->body;
  if (!load || !from_launch(m->l, LLVMGetCondition(jump), &steps) || !collect(m, LLVMGetCondition(jump)))
    return false;
  LLVMBasicBlockRef behind = LLVMInsertBasicBlockInContext(m->l->cx, on, "behind");
  LLVMPositionBuilderAtEnd(m->l->b, behind);
  ll_v last = LLVMBuildBr(m->l->b, on);
  for (ll_v v = load, next; v != jump; v = next) {
    next = LLVMGetNextInstruction(v);
    move_before(m, v, last);
  }
  LLVMSetSuccessor(jump, 1 - end, behind);
  m->head = m->body = behind;
  m->n_moved = 0;
  if (!collect(m, LLVMGetCondition(jump)))
    BUG("a condition became longer");
  for (unsigned i = 0; i < m->n_moved; i++)
    move_before(m, m->moved[i], jump);
  return true;
}

static void put_off_from(struct ll *l, LLVMBasicBlockRef b) {
  struct merge m = {.l = l, .body = b};
  while ((put_off_loads(&m, 0) || put_off_loads(&m, 1)) && lengthen(&m))
    ;
}

/* A trap that tells nothing: one such block is enough for a function. */
static bool is_plain_trap(LLVMBasicBlockRef b) {
  ll_v call = LLVMGetFirstInstruction(b);
  return LLVMIsACallInst(call) && LLVMIsAInlineAsm(LLVMGetCalledValue(call)) && LLVMGetNumArgOperands(call) == 0 &&
         LLVMIsAUnreachableInst(LLVMGetNextInstruction(call));
}

static void share_traps(ll_v f) {
  LLVMBasicBlockRef one = NULL, b = LLVMCountBasicBlocks(f) > 0 ? LLVMGetEntryBasicBlock(f) : NULL;
  for (LLVMBasicBlockRef next; b; b = next) {
    next = LLVMGetNextBasicBlock(b);
    if (!is_plain_trap(b) || b == LLVMGetEntryBasicBlock(f))
      continue;
    ll_v asm_of = LLVMGetCalledValue(LLVMGetFirstInstruction(b));
    if (!one) {
      one = b;
    } else if (LLVMGetCalledValue(LLVMGetFirstInstruction(one)) == asm_of) {
      LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(b), LLVMBasicBlockAsValue(one));
      LLVMDeleteBasicBlock(b);
    }
  }
}

void ll_merge_checks(struct ll *l) {
  for (ll_v f = LLVMGetFirstFunction(l->mod); f; f = LLVMGetNextFunction(f))
    share_traps(f);
  for (ll_v f = LLVMGetFirstFunction(l->mod); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      merge_from(l, b);
  for (ll_v f = LLVMGetFirstFunction(l->mod); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      put_off_from(l, b);
}
