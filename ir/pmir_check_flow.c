/* Reads of locals that no write can reach. rustc's own faults show up like this: a jump threaded
 * past an assignment leaves a read of memory that nothing has set.
 *
 * Only locals that are read in some block before that block writes them can be affected. They are
 * taken 64 at a time: one word a block says which may have been written before the block, and is
 * carried forward until nothing changes. Fields count as their local, taking the address counts as
 * a write, and storage marks do not count. Zero-sized locals hold nothing that could be missing. */
#include <string.h>

#include "base/fatal.h"
#include "ir/pmir_check.h"

struct flow {
  struct pm_check *c;
  const struct pm_func *f;
  uint32_t *slot;    /* per local: candidate number + 1, 0: none */
  uint32_t *written; /* per local: number + 1 of the block that has written it */
  uint32_t *found;   /* the candidates */
  uint32_t n_found;
  uint32_t base; /* first candidate of the batch */
  uint64_t *in, *gen;
  uint64_t now; /* written so far in the block under check */
  bool *reached, *queued;
  uint32_t *stack;
  uint32_t n_stack;
};

typedef void on_local(struct flow *w, uint32_t block, uint32_t local);

/* ---- what a place, an operand, a statement does ---- */

struct visitor {
  struct flow *w;
  uint32_t block;
  on_local *read, *write;
};

static bool through_pointer(const struct pm_place *p) {
  for (uint32_t i = 0; i < p->n; i++)
    if (p->proj[i].kind == PM_DEREF)
      return true;
  return false;
}

static void visit_indices(const struct visitor *v, const struct pm_place *p) {
  for (uint32_t i = 0; i < p->n; i++)
    if (p->proj[i].kind == PM_INDEX)
      v->read(v->w, v->block, p->proj[i].a);
}

static void visit_read(const struct visitor *v, const struct pm_place *p) {
  v->read(v->w, v->block, p->local);
  visit_indices(v, p);
}

static void visit_write(const struct visitor *v, const struct pm_place *p) {
  visit_indices(v, p);
  if (through_pointer(p))
    v->read(v->w, v->block, p->local);
  else
    v->write(v->w, v->block, p->local);
}

static void visit_operands(const struct visitor *v, const struct pm_operand *o, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (o[i].kind == PM_COPY || o[i].kind == PM_MOVE)
      visit_read(v, &o[i].u.place);
}

static void visit_stmt(const struct visitor *v, const struct pm_stmt *s) {
  switch ((enum pm_stmt_kind)s->kind) {
  case PM_ASSIGN:
    visit_operands(v, s->u.rv.ops, s->u.rv.n_ops);
    if (s->u.rv.kind == PM_REF || s->u.rv.kind == PM_RAW)
      visit_write(v, &s->u.rv.u.place);
    if (s->u.rv.kind == PM_DISCR)
      visit_read(v, &s->u.rv.u.place);
    visit_write(v, &s->place);
    break;
  case PM_SETV:
    visit_write(v, &s->place);
    break;
  case PM_ASSUME:
    visit_operands(v, s->u.ops, 1);
    break;
  case PM_COPYN:
    visit_operands(v, s->u.ops, 3);
    break;
  case PM_LIVE:
  case PM_DEAD:
    break;
  }
}

static void visit_ptx(const struct visitor *v, const struct pm_ptx *x) {
  for (uint32_t i = 0; i < x->n_args; i++)
    if (x->args[i].dir != PTX_OUT)
      visit_operands(v, &x->args[i].in, 1);
  for (uint32_t i = 0; i < x->n_args; i++)
    if (x->args[i].dir != PTX_IN)
      visit_write(v, &x->args[i].out);
}

static void visit_term(const struct visitor *v, const struct pm_term *t) {
  switch ((enum pm_term_kind)t->kind) {
  case PM_SWITCH:
    visit_operands(v, t->ops, 1);
    break;
  case PM_CALL:
    if (t->u.call.callee->kind == PM_CALL_PTR)
      visit_operands(v, t->u.call.callee->ptr, 1);
    visit_operands(v, t->ops, t->n);
    visit_write(v, &t->u.call.dest);
    break;
  case PM_DROP:
    visit_read(v, &t->u.drop.place);
    break;
  case PM_ASSERT:
    visit_operands(v, t->ops, (size_t)t->n + 1);
    break;
  case PM_PTX:
    visit_ptx(v, t->u.ptx);
    break;
  case PM_RETURN:
    v->read(v->w, v->block, 0);
    break;
  case PM_GOTO:
  case PM_UNREACHABLE:
  case PM_TRAP_TERM:
    break;
  }
}

/* ---- candidates ---- */

static bool holds_nothing(const struct flow *w, uint32_t local) {
  return pc_type(w->c, w->f->locals[local].ty)->size == 0;
}

static void note_read(struct flow *w, uint32_t block, uint32_t local) {
  const bool argument = local >= 1 && local <= w->f->n_args;
  if (w->written[local] == block + 1 || w->slot[local] || argument || holds_nothing(w, local))
    return;
  w->found[w->n_found] = local;
  w->slot[local] = ++w->n_found;
}

static void note_write(struct flow *w, uint32_t block, uint32_t local) {
  w->written[local] = block + 1;
}

/* ---- one batch ---- */

static uint64_t bit_of(const struct flow *w, uint32_t local) {
  uint32_t slot = w->slot[local];
  if (slot == 0 || slot - 1 < w->base || slot - 1 >= w->base + 64)
    return 0;
  return (uint64_t)1 << (slot - 1 - w->base);
}

static void gen_write(struct flow *w, uint32_t block, uint32_t local) {
  w->gen[block] |= bit_of(w, local);
}

static void ignore(struct flow *w, uint32_t block, uint32_t local) {
  (void)w, (void)block, (void)local;
}

typedef void on_edge(struct flow *w, uint32_t from, uint32_t to);

static void edges(struct flow *w, uint32_t b, on_edge *f) {
  const struct pm_term *t = &w->f->blocks[b].term;
  for (uint32_t i = 0; t->kind == PM_SWITCH && i < t->n; i++)
    f(w, b, t->u.cases[i].target);
  if (t->target != PM_NONE && t->kind != PM_RETURN && t->kind != PM_UNREACHABLE &&
      t->kind != PM_TRAP_TERM)
    f(w, b, t->target);
}

static void push(struct flow *w, uint32_t block) {
  if (w->queued[block])
    return;
  w->queued[block] = true;
  w->stack[w->n_stack++] = block;
}

static void reach(struct flow *w, uint32_t from, uint32_t to) {
  (void)from;
  if (w->reached[to])
    return;
  w->reached[to] = true;
  w->stack[w->n_stack++] = to;
}

static void carry(struct flow *w, uint32_t from, uint32_t to) {
  uint64_t all = w->in[to] | w->in[from] | w->gen[from];
  if (all == w->in[to])
    return;
  w->in[to] = all;
  push(w, to);
}

static void visit_block(struct flow *w, uint32_t block, on_local *read, on_local *write) {
  const struct visitor v = {w, block, read, write};
  const struct pm_block *b = &w->f->blocks[block];
  for (uint32_t s = 0; s < b->n_stmts; s++)
    visit_stmt(&v, &b->stmts[s]);
  visit_term(&v, &b->term);
}

static void find_reached(struct flow *w) {
  reach(w, 0, 0);
  while (w->n_stack)
    edges(w, w->stack[--w->n_stack], reach);
}

/* ---- the check ---- */

static void check_read(struct flow *w, uint32_t block, uint32_t local) {
  (void)block;
  uint64_t bit = bit_of(w, local);
  if (bit == 0 || (w->now & bit))
    return;
  const struct pm_local *l = &w->f->locals[local];
  struct diag *d =
      pc_error(w->c, MD0239, "local %u%s%.*s%s is read here, but no write can reach this", local,
               l->name.n ? " (`" : "", STR_ARG(l->name), l->name.n ? "`)" : "");
  diag_help(d, "a known fault of some rustc passes; mirdc-rustc turns them off, so make the dump "
               "with it");
  w->now |= bit; /* once a block */
}

static void check_write(struct flow *w, uint32_t block, uint32_t local) {
  (void)block;
  w->now |= bit_of(w, local);
}

static void check_block(struct flow *w, uint32_t block) {
  const struct visitor v = {w, block, check_read, check_write};
  const struct pm_block *b = &w->f->blocks[block];
  w->now = w->in[block];
  w->c->block = block;
  for (uint32_t s = 0; s < b->n_stmts && !pc_too_many(w->c); s++) {
    w->c->stmt = s;
    w->c->span = b->stmts[s].span;
    visit_stmt(&v, &b->stmts[s]);
  }
  w->c->stmt = PM_NONE;
  w->c->span = b->term.span;
  if (!pc_too_many(w->c))
    visit_term(&v, &b->term);
}

static void check_batch(struct flow *w) {
  const uint32_t n = w->f->n_blocks;
  memset(w->in, 0, n * sizeof *w->in);
  memset(w->gen, 0, n * sizeof *w->gen);
  for (uint32_t b = n; b-- > 0;) {
    if (!w->reached[b])
      continue;
    visit_block(w, b, ignore, gen_write);
    push(w, b);
  }
  while (w->n_stack) {
    uint32_t b = w->stack[--w->n_stack];
    w->queued[b] = false;
    edges(w, b, carry);
  }
  for (uint32_t b = 0; b < n && !pc_too_many(w->c); b++)
    if (w->reached[b])
      check_block(w, b);
}

void pc_flow(struct pm_check *c, struct pm_func *f) {
  struct arena_mark mark = arena_save(&c->arena);
  struct flow w = {.c = c,
                   .f = f,
                   .slot = arena_array(&c->arena, uint32_t, f->n_locals),
                   .written = arena_array(&c->arena, uint32_t, f->n_locals),
                   .found = arena_array(&c->arena, uint32_t, f->n_locals),
                   .reached = arena_array(&c->arena, bool, f->n_blocks),
                   .stack = arena_array(&c->arena, uint32_t, f->n_blocks)};
  find_reached(&w);
  for (uint32_t b = 0; b < f->n_blocks; b++)
    if (w.reached[b])
      visit_block(&w, b, note_read, note_write);
  if (w.n_found) {
    w.in = arena_array(&c->arena, uint64_t, f->n_blocks);
    w.gen = arena_array(&c->arena, uint64_t, f->n_blocks);
    w.queued = arena_array(&c->arena, bool, f->n_blocks);
    for (; w.base < w.n_found && !pc_too_many(c); w.base += 64)
      check_batch(&w);
  }
  arena_rewind(&c->arena, mark);
}
