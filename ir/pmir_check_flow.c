/* Reads of locals that no write can reach. rustc's own faults show up like this: a jump threaded
 * past an assignment leaves a read of memory that nothing has set.
 *
 * Only locals that are read in some block before that block writes them can be affected. They are
 * taken 64 at a time. Nothing is ever unwritten, so blocks on one loop agree about what may have
 * been written, and one sweep over the loops in topological order gives the answer for all of them.
 * Fields count as their local, taking the address counts as a write, and storage marks do not
 * count. Zero-sized locals hold nothing that could be missing.
 *
 * rustc leaves tests of drop flags that never change: behind them may stand drops of variables that
 * are never set. So a function with such a read is looked at once more, without the branches that
 * flags of one value exclude, and without drops: a flag may have changed on other ways to them. */
#include <string.h>

#include "base/fatal.h"
#include "base/vec.h"
#include "ir/pmir_check.h"

struct event {
  uint32_t block, stmt; /* stmt PM_NONE: the terminator */
  uint32_t next;        /* event + 1 of the same local */
};

struct edge {
  uint32_t from, to; /* components */
};

/* Per local: the only constant that is ever written to it. */
struct flag {
  const struct pm_operand *value;
  bool changes;
};

struct flow {
  struct pm_check *c;
  const struct pm_func *f;
  struct flag *flags; /* NULL: every branch counts */
  bool failed;
  uint32_t stmt;            /* being visited */
  uint32_t *written;        /* per local: number + 1 of the block that has written it */
  uint32_t *exposed;        /* the same for a read before that */
  uint32_t *reads, *writes; /* per local: event + 1 */
  VEC(struct event) events;
  VEC(uint32_t) found; /* locals with such a read */
  /* strongly connected components, numbered so that edges go from higher to lower numbers */
  uint32_t *comp; /* per block; PM_NONE: not reached */
  uint32_t n_comp;
  bool *loop;             /* per component: can it come back to its blocks? */
  VEC(struct edge) edges; /* between components, by descending `from` */
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
    if (!v->w->flags)
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

/* ---- events ---- */

static void add_event(struct flow *w, uint32_t *head, uint32_t block) {
  struct event e = {block, w->stmt, *head};
  vec_push(NULL, &w->events, e);
  *head = (uint32_t)w->events.n;
}

static void note_read(struct flow *w, uint32_t block, uint32_t local) {
  const bool argument = local >= 1 && local <= w->f->n_args;
  if (argument || w->written[local] == block + 1 || w->exposed[local] == block + 1 ||
      pc_type(w->c, w->f->locals[local].ty)->size == 0)
    return;
  w->exposed[local] = block + 1;
  if (w->reads[local] == 0)
    vec_push(NULL, &w->found, local);
  add_event(w, &w->reads[local], block);
}

static void note_write(struct flow *w, uint32_t block, uint32_t local) {
  if (w->written[local] == block + 1)
    return;
  w->written[local] = block + 1;
  add_event(w, &w->writes[local], block);
}

static void collect(struct flow *w) {
  for (uint32_t b = 0; b < w->f->n_blocks; b++) {
    const struct visitor v = {w, b, note_read, note_write};
    const struct pm_block *k = &w->f->blocks[b];
    if (w->comp[b] == PM_NONE)
      continue;
    for (w->stmt = 0; w->stmt < k->n_stmts; w->stmt++)
      visit_stmt(&v, &k->stmts[w->stmt]);
    w->stmt = PM_NONE;
    visit_term(&v, &k->term);
  }
}

/* ---- flags of one value ---- */

static void flag_read(struct flow *w, uint32_t block, uint32_t local) {
  (void)w;
  (void)block;
  (void)local;
}

static void flag_write(struct flow *w, uint32_t block, uint32_t local) {
  (void)block;
  w->flags[local].changes = true;
}

static void flag_set(struct flag *g, const struct pm_operand *value) {
  if (!g->value)
    g->value = value;
  else if (g->value->u.bits.lo != value->u.bits.lo || g->value->u.bits.hi != value->u.bits.hi)
    g->changes = true;
}

static void find_flags(struct flow *w, struct arena *a) {
  const struct visitor v = {w, 0, flag_read, flag_write};
  w->flags = arena_array(a, struct flag, w->f->n_locals);
  for (uint32_t l = 1; l <= w->f->n_args; l++)
    w->flags[l].changes = true;
  for (uint32_t b = 0; b < w->f->n_blocks; b++) {
    const struct pm_block *k = &w->f->blocks[b];
    for (uint32_t i = 0; i < k->n_stmts; i++) {
      const struct pm_stmt *s = &k->stmts[i];
      const bool sets = s->kind == PM_ASSIGN && s->place.n == 0 && s->u.rv.kind == PM_USE &&
                        s->u.rv.ops[0].kind == PM_BITS;
      if (sets)
        flag_set(&w->flags[s->place.local], &s->u.rv.ops[0]);
      else
        visit_stmt(&v, s);
    }
    visit_term(&v, &k->term);
  }
}

/* The constant that a switch tests, as far as flags tell; else NULL. */
static const struct pm_operand *tested(const struct flow *w, const struct pm_term *t) {
  const struct pm_operand *o = t->ops;
  if (!w->flags || t->kind != PM_SWITCH)
    return NULL;
  if ((o->kind != PM_COPY && o->kind != PM_MOVE) || o->u.place.n)
    return NULL;
  const struct flag *g = &w->flags[o->u.place.local];
  return g->changes ? NULL : g->value;
}

/* ---- components ---- */

static bool successor_tested(const struct pm_term *t, const struct pm_operand *value, uint32_t i,
                             uint32_t *out) {
  *out = t->target;
  for (uint32_t k = 0; k < t->n; k++)
    if (t->u.cases[k].lo == value->u.bits.lo && t->u.cases[k].hi == value->u.bits.hi)
      *out = t->u.cases[k].target;
  return i == 0 && *out != PM_NONE;
}

/* The i-th block that a block leads to; false: there are no more. */
static bool successor(const struct flow *w, uint32_t block, uint32_t i, uint32_t *out) {
  const struct pm_term *t = &w->f->blocks[block].term;
  const struct pm_operand *value = tested(w, t);
  if (value)
    return successor_tested(t, value, i, out);
  const uint32_t cases = t->kind == PM_SWITCH ? t->n : 0;
  if (i < cases) {
    *out = t->u.cases[i].target;
    return true;
  }
  const bool ends = t->kind == PM_RETURN || t->kind == PM_UNREACHABLE || t->kind == PM_TRAP_TERM;
  *out = t->target;
  return i == cases && !ends && t->target != PM_NONE;
}

struct frame {
  uint32_t block, next;
};

/* Tarjan's algorithm with its stacks on the heap: chains of blocks may be long. */
struct tarjan {
  struct flow *w;
  uint32_t *index, *low; /* from 1; 0: not seen */
  uint32_t count;
  VEC(uint32_t) open;
  VEC(struct frame) stack;
};

static void enter(struct tarjan *t, uint32_t block) {
  t->index[block] = t->low[block] = ++t->count;
  vec_push(NULL, &t->open, block);
  vec_push(NULL, &t->stack, ((struct frame){block, 0}));
}

static void close_component(struct tarjan *t, uint32_t block) {
  struct flow *w = t->w;
  uint32_t size = 0, last;
  do {
    last = vec_pop(&t->open);
    w->comp[last] = w->n_comp;
    size++;
  } while (last != block);
  w->loop[w->n_comp++] = size > 1;
}

static void leave(struct tarjan *t, uint32_t block) {
  if (t->low[block] == t->index[block])
    close_component(t, block);
  t->stack.n--;
  if (t->stack.n == 0)
    return;
  uint32_t *low = &t->low[vec_last(&t->stack).block];
  *low = t->low[block] < *low ? t->low[block] : *low;
}

static void find_components(struct flow *w, struct arena *a) {
  const uint32_t n = w->f->n_blocks;
  struct tarjan t = {
      .w = w, .index = arena_array(a, uint32_t, n), .low = arena_array(a, uint32_t, n)};
  memset(w->comp, 0xff, n * sizeof *w->comp);
  enter(&t, 0);
  while (t.stack.n) {
    struct frame *f = &vec_last(&t.stack);
    const uint32_t block = f->block;
    uint32_t to;
    if (!successor(w, block, f->next, &to)) {
      leave(&t, block);
      continue;
    }
    f->next++;
    if (t.index[to] == 0)
      enter(&t, to);
    else if (w->comp[to] == PM_NONE && t.index[to] < t.low[block])
      t.low[block] = t.index[to];
  }
  vec_free(&t.open);
  vec_free(&t.stack);
}

/* Edges between components, sorted by counting: highest origin first. */
static void find_edges(struct flow *w, struct arena *a) {
  const uint32_t n = w->f->n_blocks;
  uint32_t *first = arena_array(a, uint32_t, w->n_comp), *next = arena_array(a, uint32_t, n), to;
  for (uint32_t b = 0; b < n; b++) {
    if (w->comp[b] == PM_NONE)
      continue;
    next[b] = first[w->comp[b]];
    first[w->comp[b]] = b + 1;
  }
  for (uint32_t c = w->n_comp; c-- > 0;)
    for (uint32_t b = first[c]; b; b = next[b - 1])
      for (uint32_t i = 0; successor(w, b - 1, i, &to); i++) {
        w->loop[c] = w->loop[c] || w->comp[to] == c;
        struct edge e = {c, w->comp[to]};
        if (e.to != c)
          vec_push(NULL, &w->edges, e);
      }
}

/* ---- the check ---- */

static void report(struct flow *w, uint32_t local, const struct event *e) {
  w->failed = true;
  if (!w->flags)
    return;
  const struct pm_local *l = &w->f->locals[local];
  const struct pm_block *b = &w->f->blocks[e->block];
  w->c->block = e->block;
  w->c->stmt = e->stmt;
  w->c->span = e->stmt == PM_NONE ? b->term.span : b->stmts[e->stmt].span;
  struct diag *d =
      pc_error(w->c, MD0239, "local %u%s%.*s%s is read here, but no write can reach this", local,
               l->name.n ? " (`" : "", STR_ARG(l->name), l->name.n ? "`)" : "");
  diag_help(d, "a known fault of some rustc passes; mirdc-rustc turns them off, so make the dump "
               "with it");
}

/* Up to 64 locals: bit i of a component's word says that local i may have been written before. */
static void check_batch(struct flow *w, size_t base, uint64_t *in, uint64_t *gen) {
  const size_t n = w->found.n - base < 64 ? w->found.n - base : 64;
  memset(in, 0, w->n_comp * sizeof *in);
  memset(gen, 0, w->n_comp * sizeof *gen);
  for (size_t i = 0; i < n; i++)
    for (uint32_t e = w->writes[w->found.p[base + i]]; e; e = w->events.p[e - 1].next)
      gen[w->comp[w->events.p[e - 1].block]] |= (uint64_t)1 << i;
  for (size_t i = 0; i < w->edges.n; i++)
    in[w->edges.p[i].to] |= in[w->edges.p[i].from] | gen[w->edges.p[i].from];
  for (size_t i = 0; i < n; i++) {
    const uint32_t local = w->found.p[base + i];
    for (uint32_t e = w->reads[local]; e && !pc_too_many(w->c); e = w->events.p[e - 1].next) {
      const uint32_t c = w->comp[w->events.p[e - 1].block];
      const uint64_t before = in[c] | (w->loop[c] ? gen[c] : 0);
      if (!(before >> i & 1))
        report(w, local, &w->events.p[e - 1]);
    }
  }
}

/* False: there are such reads. They are reported when flags are considered. */
static bool check_flow(struct pm_check *c, struct pm_func *f, bool flags) {
  struct arena *a = &c->arena;
  struct arena_mark mark = arena_save(a);
  struct flow w = {.c = c,
                   .f = f,
                   .written = arena_array(a, uint32_t, f->n_locals),
                   .exposed = arena_array(a, uint32_t, f->n_locals),
                   .reads = arena_array(a, uint32_t, f->n_locals),
                   .writes = arena_array(a, uint32_t, f->n_locals),
                   .comp = arena_array(a, uint32_t, f->n_blocks),
                   .loop = arena_array(a, bool, f->n_blocks)};
  if (flags)
    find_flags(&w, a);
  find_components(&w, a);
  collect(&w);
  if (w.found.n) {
    find_edges(&w, a);
    uint64_t *in = arena_array(a, uint64_t, w.n_comp), *gen = arena_array(a, uint64_t, w.n_comp);
    for (size_t base = 0; base < w.found.n && !pc_too_many(c); base += 64)
      check_batch(&w, base, in, gen);
  }
  vec_free(&w.events);
  vec_free(&w.found);
  vec_free(&w.edges);
  arena_rewind(a, mark);
  return !w.failed;
}

void pc_flow(struct pm_check *c, struct pm_func *f) {
  if (!check_flow(c, f, false))
    check_flow(c, f, true);
}
