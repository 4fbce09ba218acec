/* Endless loops of emulated code must end by the time limit, and other threads must get their turn:
 * each loop counts down, and asks the emulator now and then. Loops are what the clean-up left: blocks
 * that are jumped back to. */
#include "ir/ll.h"

#include <stddef.h>

#define TICK "__mirdc_tick"
#define ENTER "__mirdc_enter"

/* void (i32 place), part of whoever calls it. */
static ll_v begin(struct ll *l, const char *name) {
  ll_v f = LLVMAddFunction(l->mod, name, LLVMFunctionType(l->t_void, &l->i32, 1, 0));
  LLVMSetLinkage(f, LLVMInternalLinkage);
  ll_mark(l, f);
  LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, l->a_always);
  ll_at(l, LLVMAppendBasicBlockInContext(l->cx, f, "entry"));
  ll_debug_none(l);
  return f;
}

static ll_v tick(struct ll *l) {
  ll_v f = LLVMGetNamedFunction(l->mod, TICK);
  if (f)
    return f;
  f = begin(l, TICK);
  LLVMBasicBlockRef ask = ll_block(l, "ask"), go = ll_block(l, "go");
  ll_v p = ll_emu_word(l, false, offsetof(struct emu_regs, fuel), l->i32);
  ll_v left =
      LLVMBuildSub(l->b, LLVMBuildLoad2(l->b, l->i32, p, ""), LLVMConstInt(l->i32, 1, 0), "");
  LLVMBuildStore(l->b, left, p);
  LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, left, ll_k(left, 0), ""), ask, go);
  ll_at(l, ask);
  ll_v args[] = {LLVMGetNamedGlobal(l->mod, EMU_STATE), LLVMGetParam(f, 0)};
  ll_emu_call_named(l, EMU_OP, "poll", l->t_void, args, 2);
  LLVMBuildBr(l->b, go);
  ll_at(l, go);
  LLVMBuildRetVoid(l->b);
  return f;
}

/* Recursion is a loop, too, and what overflows the stack should have a name. */
static ll_v enter(struct ll *l) {
  ll_v f = LLVMGetNamedFunction(l->mod, ENTER), t = tick(l);
  if (f)
    return f;
  f = begin(l, ENTER);
  ll_v place = LLVMGetParam(f, 0);
  LLVMBuildStore(l->b, place, ll_emu_word(l, false, offsetof(struct emu_regs, where), l->i32));
  ll_call(l, t, &place, 1);
  LLVMBuildRetVoid(l->b);
  return f;
}

static void put_at_head(struct ll *l, LLVMBasicBlockRef b, ll_v what, unsigned place) {
  ll_v at = LLVMGetFirstInstruction(b), arg = LLVMConstInt(l->i32, place, 0);
  while (LLVMIsAPHINode(at) || LLVMIsAAllocaInst(at))
    at = LLVMGetNextInstruction(at);
  LLVMPositionBuilderBefore(l->b, at);
  ll_debug_none(l);
  ll_call(l, what, &arg, 1);
}

static unsigned place_in(LLVMBasicBlockRef b, ll_v f) {
  for (ll_v v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v)) {
    unsigned line = LLVMGetDebugLocLine(v);
    if (line)
      return line;
  }
  return LLVMGetDebugLocLine(f);
}

/* ---- loops ---- */
enum { NEW, OPEN, CLOSED };

struct node {
  LLVMBasicBlockRef b;
  uint32_t next; /* successor to look at */
  uint8_t state;
  bool head;
};

struct graph {
  struct node *nodes;
  struct map numbers; /* by the bytes of node.b */
  uint32_t *stack, n, depth;
};

static void list_blocks(struct ll *l, ll_v f, struct graph *g) {
  unsigned n = LLVMCountBasicBlocks(f);
  *g = (struct graph){.nodes = arena_array(&l->scratch, struct node, n),
                      .stack = arena_array(&l->scratch, uint32_t, n)};
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
    struct node *x = &g->nodes[g->n];
    x->b = b;
    *map_put(&g->numbers, (str){(const char *)&x->b, sizeof x->b}, NULL) = g->n++;
  }
}

/* What is reached again while it is open is a loop's head. */
static void walk(struct graph *g) {
  g->nodes[0].state = OPEN;
  g->stack[g->depth++] = 0;
  while (g->depth > 0) {
    struct node *x = &g->nodes[g->stack[g->depth - 1]];
    ll_v end = LLVMGetBasicBlockTerminator(x->b);
    if (x->next == LLVMGetNumSuccessors(end)) {
      x->state = CLOSED;
      g->depth--;
      continue;
    }
    LLVMBasicBlockRef to = LLVMGetSuccessor(end, x->next++);
    uint32_t i = (uint32_t)*map_get(&g->numbers, (str){(const char *)&to, sizeof to});
    if (g->nodes[i].state == OPEN)
      g->nodes[i].head = true;
    if (g->nodes[i].state != NEW)
      continue;
    g->nodes[i].state = OPEN;
    g->stack[g->depth++] = i;
  }
}

static bool calls_others(ll_v f) {
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
    for (ll_v v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v)) {
      ll_v to = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;
      if (!to || LLVMIsAInlineAsm(to))
        continue;
      if (!LLVMIsAFunction(to) || (!LLVMIsDeclaration(to) && LLVMGetSubprogram(to)))
        return true;
    }
  return false;
}

void ll_emu_add_polls(struct ll *l, ll_v f, bool is_kernel) {
  struct arena_mark mark = arena_save(&l->scratch);
  struct graph g;
  if (ll_emu_is_helper(f))
    return;
  list_blocks(l, f, &g);
  walk(&g);
  if (!is_kernel && LLVMGetSubprogram(f) && calls_others(f))
    put_at_head(l, g.nodes[0].b, enter(l), LLVMGetDebugLocLine(f));
  for (uint32_t i = 0; i < g.n; i++)
    if (g.nodes[i].head)
      put_at_head(l, g.nodes[i].b, tick(l), place_in(g.nodes[i].b, f));
  map_free(&g.numbers);
  arena_rewind(&l->scratch, mark);
}
