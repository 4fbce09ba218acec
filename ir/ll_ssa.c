/* Which locals of a function can be plain values: those held in scalars, assigned once as a whole,
 * never addressed, and with that assignment in front of every use. All others get memory; but one
 * that only ever is a whole constant (a table in a `const`) is read where the constant lies. Also
 * finds the reachable blocks in an order in which definitions come first. */
#include "ir/ll.h"

struct info {
  uint32_t defs, constants, block; /* constants: definitions by a constant in memory */
  int64_t pos;
  bool bad, empty; /* empty: no bytes, needs no definition */
  bool changed;    /* addressed, written in part, or read before its definition */
};

struct ssa {
  struct ll_fn *fc;
  struct info *info;
  uint32_t *number; /* position of a block in the order */
  /* by position: immediate dominator, and the interval of the dominator tree below it */
  uint32_t *idom, *pre, *size;
  uint32_t block;
  int64_t pos;
  bool checking; /* second walk: uses against definitions */
};

/* ---- order of blocks ---- */
static uint32_t successor_count(const struct ll_fn *fc, const struct pm_term *t) {
  switch ((enum pm_term_kind)t->kind) {
  case PM_GOTO:
  case PM_DROP:
  case PM_ASSERT:
    return 1;
  case PM_CALL:
  case PM_PTX:
    return t->target != PM_NONE;
  case PM_SWITCH:
    return ll_is_settled(fc, t) ? 1 : t->n + (t->target != PM_NONE);
  case PM_RETURN:
  case PM_UNREACHABLE:
  case PM_TRAP_TERM:
    return 0;
  }
  BUG("terminator kind %d", t->kind);
}

static uint32_t successor(const struct ll_fn *fc, const struct pm_term *t, uint32_t i) {
  if (t->kind == PM_SWITCH && ll_is_settled(fc, t))
    return ll_settled(fc, t);
  return t->kind == PM_SWITCH && i < t->n ? t->u.cases[i].target : t->target;
}

struct frame {
  uint32_t block, next;
};

static void order_blocks(struct ssa *s) {
  struct ll_fn *fc = s->fc;
  uint32_t n = fc->f->n_blocks, depth = 0, done = 0;
  struct frame *stack = arena_array(&fc->l->scratch, struct frame, n + 1);
  uint32_t *post = arena_array(&fc->l->scratch, uint32_t, n);
  bool *seen = arena_array(&fc->l->scratch, bool, n);
  ll_find_settled(fc);
  stack[depth++] = (struct frame){0, 0};
  seen[0] = true;
  while (depth > 0) {
    struct frame *top = &stack[depth - 1];
    const struct pm_term *t = &fc->f->blocks[top->block].term;
    if (top->next == successor_count(fc, t)) {
      post[done++] = top->block;
      depth--;
      continue;
    }
    uint32_t to = successor(fc, t, top->next++);
    if (seen[to])
      continue;
    seen[to] = true;
    stack[depth++] = (struct frame){to, 0};
  }
  fc->n_order = done;
  fc->order = arena_array(&fc->l->scratch, uint32_t, n);
  for (uint32_t i = 0; i < n; i++)
    s->number[i] = PM_NONE;
  for (uint32_t i = 0; i < done; i++) {
    fc->order[i] = post[done - 1 - i];
    s->number[fc->order[i]] = i;
  }
}

/* A block that is entered from one place only, without a condition, needs no block of its own. */
static void join_blocks(struct ll_fn *fc) {
  uint32_t n = fc->f->n_blocks;
  uint32_t *preds = arena_array(&fc->l->scratch, uint32_t, n);
  fc->joined = arena_array(&fc->l->scratch, bool, n);
  for (uint32_t i = 0; i < fc->n_order; i++) {
    const struct pm_term *t = &fc->f->blocks[fc->order[i]].term;
    for (uint32_t k = 0, m = successor_count(fc, t); k < m; k++)
      preds[successor(fc, t, k)]++;
  }
  for (uint32_t i = 0; i < fc->n_order; i++) {
    const struct pm_term *t = &fc->f->blocks[fc->order[i]].term;
    bool plain =
        t->kind == PM_GOTO || t->kind == PM_CALL || t->kind == PM_DROP || t->kind == PM_PTX;
    if (plain && t->target != PM_NONE && t->target != 0 && preds[t->target] == 1)
      fc->joined[t->target] = true;
  }
}

static uint32_t meet(const uint32_t *idom, uint32_t a, uint32_t b) {
  while (a != b) {
    while (a > b)
      a = idom[a];
    while (b > a)
      b = idom[b];
  }
  return a;
}

/* Cooper, Harvey, Kennedy: over positions in the order, pushing along edges. */
static void dominators(struct ssa *s) {
  struct ll_fn *fc = s->fc;
  for (uint32_t i = 0; i < fc->n_order; i++)
    s->idom[i] = PM_NONE;
  s->idom[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < fc->n_order; i++) {
      if (s->idom[i] == PM_NONE)
        continue;
      const struct pm_term *t = &fc->f->blocks[fc->order[i]].term;
      for (uint32_t k = 0, n = successor_count(fc, t); k < n; k++) {
        uint32_t to = s->number[successor(fc, t, k)];
        uint32_t d = s->idom[to] == PM_NONE ? i : meet(s->idom, s->idom[to], i);
        if (to == 0 || d == s->idom[to])
          continue;
        s->idom[to] = d;
        changed = true;
      }
    }
  }
}

/* Positions of a subtree become an interval, so that dominance is two comparisons. */
static void number_tree(struct ssa *s) {
  uint32_t n = s->fc->n_order;
  uint32_t *used = arena_array(&s->fc->l->scratch, uint32_t, n);
  for (uint32_t i = 0; i < n; i++)
    s->size[i] = 1;
  for (uint32_t i = n - 1; i > 0; i--)
    s->size[s->idom[i]] += s->size[i];
  s->pre[0] = 0;
  for (uint32_t i = 1; i < n; i++) {
    uint32_t up = s->idom[i];
    s->pre[i] = s->pre[up] + 1 + used[up];
    used[up] += s->size[i];
  }
}

static bool dominates(const struct ssa *s, uint32_t a, uint32_t b) {
  uint32_t x = s->number[a], y = s->number[b];
  return s->pre[x] <= s->pre[y] && s->pre[y] < s->pre[x] + s->size[x];
}

/* ---- uses and definitions ---- */
static void use(struct ssa *s, uint32_t local) {
  struct info *i = &s->info[local];
  if (!s->checking || i->empty || (i->bad && (i->changed || i->constants != 1)))
    return;
  bool before = i->block == s->block ? i->pos < s->pos : dominates(s, i->block, s->block);
  if (i->defs != 1 || !before)
    i->bad = i->changed = true;
}

static void define(struct ssa *s, uint32_t local) {
  struct info *i = &s->info[local];
  if (s->checking)
    return;
  i->defs++;
  i->block = s->block;
  i->pos = s->pos;
}

static uint32_t before_deref(const struct pm_place *p) {
  uint32_t n = 0;
  while (n < p->n && p->proj[n].kind != PM_DEREF)
    n++;
  return n;
}

/* What the steps of a place read: index locals, and the base unless the place is a plain local. */
static void steps(struct ssa *s, const struct pm_place *p) {
  uint32_t direct = before_deref(p);
  for (uint32_t i = 0; i < p->n; i++) {
    if (p->proj[i].kind == PM_INDEX)
      use(s, p->proj[i].a);
    if (i < direct && p->proj[i].kind != PM_FIELD && p->proj[i].kind != PM_VARIANT)
      s->info[p->local].bad = true;
  }
}

static void read(struct ssa *s, const struct pm_place *p) {
  steps(s, p);
  use(s, p->local);
}

static void write(struct ssa *s, const struct pm_place *p) {
  steps(s, p);
  if (p->n == 0)
    define(s, p->local);
  else if (before_deref(p) < p->n)
    use(s, p->local);
  else
    s->info[p->local].bad = s->info[p->local].changed = true;
}

static void address(struct ssa *s, const struct pm_place *p) {
  steps(s, p);
  if (before_deref(p) < p->n) {
    use(s, p->local);
    return;
  }
  s->info[p->local].bad = s->info[p->local].changed = true;
  s->fc->locals[p->local].addressed = true;
}

static void operand(struct ssa *s, const struct pm_operand *op) {
  if (op->kind == PM_COPY || op->kind == PM_MOVE)
    read(s, &op->u.place);
}

static void operands(struct ssa *s, const struct pm_operand *ops, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    operand(s, &ops[i]);
}

/* An array of numbers, written out in the source. */
static bool is_table(const struct ssa *s, const struct pm_rvalue *rv) {
  struct ll *l = s->fc->l;
  if (rv->kind != PM_AGG || !ll_optimises(l) || l->o->emu || ll_ty(l, rv->ty)->kind != PM_ARRAY)
    return false;
  for (uint32_t i = 0; i < rv->n_ops; i++)
    if (rv->ops[i].kind != PM_BITS)
      return false;
  return rv->n_ops > 0;
}

static bool is_constant(const struct ssa *s, const struct pm_rvalue *rv) {
  if (is_table(s, rv))
    return true;
  return rv->kind == PM_USE && rv->ops[0].kind == PM_FROM &&
         !s->fc->l->m->allocs[rv->ops[0].u.addr.id].mut;
}

static void statement(struct ssa *s, const struct pm_stmt *st) {
  switch ((enum pm_stmt_kind)st->kind) {
  case PM_ASSIGN: {
    const struct pm_rvalue *rv = &st->u.rv;
    operands(s, rv->ops, rv->n_ops);
    if (rv->kind == PM_REF || rv->kind == PM_RAW)
      address(s, &rv->u.place);
    if (rv->kind == PM_DISCR)
      read(s, &rv->u.place);
    write(s, &st->place);
    if (!s->checking && st->place.n == 0 && is_constant(s, rv))
      s->info[st->place.local].constants++;
    return;
  }
  case PM_SETV:
    steps(s, &st->place);
    if (before_deref(&st->place) < st->place.n)
      use(s, st->place.local);
    else
      s->info[st->place.local].bad = s->info[st->place.local].changed = true;
    return;
  case PM_ASSUME:
    operands(s, st->u.ops, 1);
    return;
  case PM_COPYN:
    operands(s, st->u.ops, 3);
    return;
  case PM_LIVE:
  case PM_DEAD:
    return;
  }
}

static void ptx(struct ssa *s, const struct pm_ptx *p) {
  for (uint32_t i = 0; i < p->n_args; i++)
    if (p->args[i].dir != PTX_OUT)
      operand(s, &p->args[i].in);
  for (uint32_t i = 0; i < p->n_args; i++)
    if (p->args[i].dir != PTX_IN)
      write(s, &p->args[i].out);
}

static void terminator(struct ssa *s, const struct pm_term *t) {
  switch ((enum pm_term_kind)t->kind) {
  case PM_SWITCH:
    operands(s, t->ops, 1);
    return;
  case PM_CALL:
    operands(s, t->ops, t->n);
    if (t->u.call.callee->kind == PM_CALL_PTR)
      operand(s, t->u.call.callee->ptr);
    write(s, &t->u.call.dest);
    return;
  case PM_DROP:
    address(s, &t->u.drop.place);
    return;
  case PM_ASSERT:
    operands(s, t->ops, t->n);
    return;
  case PM_PTX:
    ptx(s, t->u.ptx);
    return;
  case PM_RETURN:
    use(s, 0);
    return;
  case PM_GOTO:
  case PM_UNREACHABLE:
  case PM_TRAP_TERM:
    return;
  }
}

static void walk(struct ssa *s, bool checking) {
  struct ll_fn *fc = s->fc;
  s->checking = checking;
  for (uint32_t i = 0; i < fc->n_order; i++) {
    const struct pm_block *b = &fc->f->blocks[fc->order[i]];
    s->block = fc->order[i];
    for (uint32_t k = 0; k < b->n_stmts; k++) {
      s->pos = k;
      statement(s, &b->stmts[k]);
    }
    s->pos = b->n_stmts;
    terminator(s, &b->term);
  }
}

void ll_analyse(struct ll_fn *fc) {
  const struct pm_func *f = fc->f;
  struct arena *a = &fc->l->scratch;
  struct ssa s = {.fc = fc};
  s.info = arena_array(a, struct info, f->n_locals);
  s.number = arena_array(a, uint32_t, f->n_blocks);
  s.idom = arena_array(a, uint32_t, f->n_blocks);
  s.pre = arena_array(a, uint32_t, f->n_blocks);
  s.size = arena_array(a, uint32_t, f->n_blocks);
  order_blocks(&s);
  join_blocks(fc);
  dominators(&s);
  number_tree(&s);
  for (uint32_t i = 0; i < f->n_locals; i++) {
    const struct ll_shape *sh = ll_shape(fc->l, f->locals[i].ty);
    bool arg = i >= 1 && i <= f->n_args;
    s.info[i] = (struct info){.defs = arg, .pos = -1, .bad = sh->mem, .empty = !sh->mem && !sh->n};
  }
  walk(&s, false);
  walk(&s, true);
  for (uint32_t i = 0; i < f->n_locals; i++) {
    const struct info *x = &s.info[i];
    fc->locals[i].ssa = !x->bad;
    fc->locals[i].constant =
        i > f->n_args && x->bad && x->defs == 1 && x->constants == 1 && !x->changed;
  }
}
