/* Loops with a step that is not constant, as a grid's loop over data: `while i < n { ...; i += step }`. No later
 * pass knows how often they run, so none puts the loads of several rounds next to one another. Here four
 * rounds become one as long as four are left: the same loads in the same order, with one test. */
#include "ir/ll.h"

#define ROUNDS 4
#define MOST_BODY 40

struct stride {
  struct ll *l;
  LLVMBasicBlockRef from, body, out; /* in front of the loop, its only block, and behind it */
  ll_v i, next, n, step;
  ll_v was[MOST_BODY], is[MOST_BODY]; /* values of the body, and what they are in the round being made */
  unsigned n_values;
};

static bool is_outside(const struct stride *s, ll_v v) {
  return !LLVMIsAInstruction(v) || LLVMGetInstructionParent(v) != s->body;
}

static ll_v other_incoming(ll_v phi, LLVMBasicBlockRef from) {
  for (unsigned i = 0, n = LLVMCountIncoming(phi); i < n; i++)
    if (LLVMGetIncomingBlock(phi, i) == from)
      return LLVMGetIncomingValue(phi, i);
  return NULL;
}

/* The loop's one way in, or NULL. */
static LLVMBasicBlockRef way_in(LLVMBasicBlockRef body) {
  ll_v phi = LLVMGetFirstInstruction(body);
  if (!LLVMIsAPHINode(phi) || LLVMCountIncoming(phi) != 2)
    return NULL;
  unsigned back = LLVMGetIncomingBlock(phi, 0) == body ? 0 : 1;
  LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, 1 - back);
  bool plain = LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(from)) == 1;
  return plain && LLVMGetIncomingBlock(phi, back) == body && from != body ? from : NULL;
}

static bool counts_by_stride(struct stride *s) {
  ll_v jump = LLVMGetBasicBlockTerminator(s->body), c;
  if (!LLVMIsABranchInst(jump) || !LLVMIsConditional(jump) || LLVMGetSuccessor(jump, 0) != s->body)
    return false;
  c = LLVMGetCondition(jump);
  s->out = LLVMGetSuccessor(jump, 1);
  if (!LLVMIsAICmpInst(c) || LLVMGetICmpPredicate(c) != LLVMIntULT || s->out == s->body)
    return false;
  s->next = LLVMGetOperand(c, 0);
  s->n = LLVMGetOperand(c, 1);
  if (LLVMTypeOf(s->n) != s->l->i64 || !is_outside(s, s->n) || is_outside(s, s->next) || LLVMGetInstructionOpcode(s->next) != LLVMAdd)
    return false;
  unsigned first = LLVMIsAPHINode(LLVMGetOperand(s->next, 0)) ? 0 : 1;
  s->i = LLVMGetOperand(s->next, first);
  s->step = LLVMGetOperand(s->next, 1 - first);
  return LLVMIsAPHINode(s->i) && !is_outside(s, s->i) && other_incoming(s->i, s->body) == s->next &&
         is_outside(s, s->step) && !LLVMIsAConstant(s->step);
}

/* What the rounds make may be used behind the loop by a phi there, in which the big rounds get a place. */
static bool used_by_phis_only(const struct stride *s, ll_v v) {
  for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
    ll_v by = LLVMGetUser(u);
    if (is_outside(s, by) && (LLVMIsAPHINode(v) || !LLVMIsAPHINode(by) || LLVMGetInstructionParent(by) != s->out))
      return false;
  }
  return true;
}

static bool is_worth_it(struct stride *s) {
  unsigned loads = 0;
  for (ll_v v = LLVMGetFirstInstruction(s->body); !LLVMIsATerminatorInst(v); v = LLVMGetNextInstruction(v)) {
    if (s->n_values == MOST_BODY || !(LLVMIsAPHINode(v) || ll_is_quiet(v)) || !used_by_phis_only(s, v))
      return false;
    if (LLVMIsAPHINode(v) && LLVMCountIncoming(v) != 2)
      return false;
    loads += LLVMIsALoadInst(v) != NULL;
    s->was[s->n_values++] = v;
  }
  return loads > 0 && ll_leading_zeros(s->l, s->step) >= 3;
}

static ll_v now(const struct stride *s, ll_v v) {
  for (unsigned k = 0; k < s->n_values; k++)
    if (s->was[k] == v)
      return s->is[k];
  return v;
}

/* One more round at the end of where the builder stands. */
static void copy_round(struct stride *s) {
  ll_v next[MOST_BODY];
  for (unsigned k = 0; k < s->n_values; k++) {
    if (LLVMIsAPHINode(s->was[k]))
      continue;
    ll_v c = LLVMInstructionClone(s->was[k]);
    for (unsigned o = 0, n = (unsigned)LLVMGetNumOperands(c); o < n; o++)
      LLVMSetOperand(c, o, now(s, LLVMGetOperand(c, o)));
    LLVMInsertIntoBuilder(s->l->b, c);
    s->is[k] = c;
  }
  for (unsigned k = 0; k < s->n_values; k++)
    next[k] = LLVMIsAPHINode(s->was[k]) ? now(s, other_incoming(s->was[k], s->body)) : s->is[k];
  memcpy(s->is, next, sizeof next);
}

/* Asks in front of each of the big rounds whether all of it is left. */
static void test_rounds(struct stride *s, LLVMBasicBlockRef many) {
  LLVMBuilderRef b = s->l->b;
  ll_v i = now(s, s->i), all = LLVMBuildMul(b, s->step, LLVMConstInt(s->l->i64, ROUNDS - 1, 0), "");
  ll_v left = LLVMBuildSub(b, s->n, i, ""), some = LLVMBuildICmp(b, LLVMIntULT, i, s->n, "");
  ll_v enough = LLVMBuildICmp(b, LLVMIntUGT, left, all, "");
  LLVMBuildCondBr(b, LLVMBuildAnd(b, some, enough, ""), many, s->body);
}

static void add_rounds(struct stride *s) {
  struct ll *l = s->l;
  LLVMBasicBlockRef test = LLVMInsertBasicBlockInContext(l->cx, s->body, "left");
  LLVMBasicBlockRef many = LLVMInsertBasicBlockInContext(l->cx, s->body, "rounds");
  ll_v phis[MOST_BODY];
  unsigned n = 0;
  LLVMPositionBuilderAtEnd(l->b, test);
  for (unsigned k = 0; k < s->n_values; k++) {
    ll_v v = s->was[k], start;
    s->is[k] = v;
    if (!LLVMIsAPHINode(v))
      continue;
    start = other_incoming(v, s->from);
    phis[n++] = s->is[k] = LLVMBuildPhi(l->b, LLVMTypeOf(v), "");
    LLVMAddIncoming(s->is[k], &start, &s->from, 1);
  }
  test_rounds(s, many);
  LLVMPositionBuilderAtEnd(l->b, many);
  for (unsigned r = 0; r < ROUNDS; r++)
    copy_round(s);
  /* The last round's own comparison decides, as in the loop. */
  LLVMBuildCondBr(l->b, now(s, LLVMGetCondition(LLVMGetBasicBlockTerminator(s->body))), test, s->out);
  for (unsigned k = 0, at = 0; k < s->n_values; k++)
    if (LLVMIsAPHINode(s->was[k]))
      LLVMAddIncoming(phis[at++], &s->is[k], &many, 1);
  for (ll_v phi = LLVMGetFirstInstruction(s->out); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
    ll_v v = now(s, other_incoming(phi, s->body));
    LLVMAddIncoming(phi, &v, &many, 1);
  }
  /* The loop itself is entered from the test, with what the test has. */
  for (unsigned k = 0, at = 0; k < s->n_values; k++) {
    if (!LLVMIsAPHINode(s->was[k]))
      continue;
    ll_v back = other_incoming(s->was[k], s->body), in[2] = {phis[at++], back};
    LLVMBasicBlockRef blocks[2] = {test, s->body};
    LLVMPositionBuilderBefore(l->b, s->was[k]);
    ll_v as = LLVMBuildPhi(l->b, LLVMTypeOf(s->was[k]), "");
    LLVMAddIncoming(as, in, blocks, 2);
    LLVMReplaceAllUsesWith(s->was[k], as);
    LLVMInstructionEraseFromParent(s->was[k]);
  }
  LLVMSetSuccessor(LLVMGetBasicBlockTerminator(s->from), 0, test);
}

void ll_widen_strides(struct ll *l) {
  for (ll_v f = LLVMGetFirstFunction(l->mod); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
      struct stride s = {.l = l, .body = b, .from = way_in(b)};
      if (s.from && counts_by_stride(&s) && is_worth_it(&s))
        add_rounds(&s);
    }
}
