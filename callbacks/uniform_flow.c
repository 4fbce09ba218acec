/* Successors and post-dominators, without the ways that end in a trap. */
#include "callbacks/device_op.h"
#include "callbacks/uniform_impl.h"

#include <string.h>

struct build {
  struct uni *u;
  const struct pm_func *f;
  struct uni_flow *flow;
  uint32_t n;
  bool *doomed;
  uint32_t *pred_at, *pred; /* of live edges, the exit included */
  uint32_t *order, *number; /* of the blocks backwards from the exit */
  uint32_t n_order;
};

/* Ends of single threads leave the function without a return. */
static bool ends_thread(const struct build *b, const struct pm_term *t) {
  const struct pm_callee *c = t->u.call.callee;
  if (c->kind == PM_CALL_EXTERN)
    return device_op_class(b->u->m->externs[c->id].symbol) == OP_EXIT;
  return c->kind == PM_CALL_FN && b->u->may_exit[c->id];
}

typedef void on_edge(void *ctx, uint32_t from, uint32_t to);

static void each_edge(const struct build *b, uint32_t i, on_edge *f, void *ctx) {
  const struct pm_term *t = &b->f->blocks[i].term;
  switch ((enum pm_term_kind)t->kind) {
  case PM_RETURN:
    f(ctx, i, b->n);
    break;
  case PM_SWITCH:
    for (uint32_t k = 0; k < t->n; k++)
      f(ctx, i, t->u.cases[k].target);
    if (t->target != PM_NONE)
      f(ctx, i, t->target);
    break;
  case PM_CALL:
    if (ends_thread(b, t))
      f(ctx, i, b->n);
    if (t->target != PM_NONE)
      f(ctx, i, t->target);
    break;
  case PM_GOTO:
  case PM_DROP:
  case PM_ASSERT:
  case PM_PTX:
    if (t->target != PM_NONE)
      f(ctx, i, t->target);
    break;
  case PM_UNREACHABLE:
  case PM_TRAP_TERM:
    break;
  }
}

/* ---- blocks from which every way ends in a trap ---- */

static void count_edge(void *ctx, uint32_t from, uint32_t to) {
  struct build *b = ctx;
  (void)from;
  b->pred_at[to + 1]++;
}

static void put_edge(void *ctx, uint32_t from, uint32_t to) {
  struct build *b = ctx;
  b->pred[b->pred_at[to]++] = from;
}

/* pred_at[i] … pred_at[i + 1] are the predecessors of i. */
static void find_preds(struct build *b) {
  struct arena *a = &b->u->arena;
  b->pred_at = arena_array(a, uint32_t, b->n + 2);
  for (uint32_t i = 0; i < b->n; i++)
    each_edge(b, i, count_edge, b);
  for (uint32_t i = 0; i <= b->n; i++)
    b->pred_at[i + 1] += b->pred_at[i];
  b->pred = arena_array(a, uint32_t, b->pred_at[b->n + 1] + 1);
  for (uint32_t i = 0; i < b->n; i++)
    each_edge(b, i, put_edge, b);
  memmove(b->pred_at + 1, b->pred_at, (b->n + 1) * sizeof *b->pred_at);
  b->pred_at[0] = 0;
}

static void one_more(void *ctx, uint32_t from, uint32_t to) {
  (void)to;
  ((uint32_t *)ctx)[from]++;
}

static void find_doomed(struct build *b) {
  struct arena *a = &b->u->arena;
  uint32_t *left = arena_array(a, uint32_t, b->n + 1), *todo = arena_array(a, uint32_t, b->n + 1), n = 0;
  b->doomed = arena_array(a, bool, b->n + 1);
  for (uint32_t i = 0; i < b->n; i++) {
    each_edge(b, i, one_more, left);
    if (!left[i]) {
      b->doomed[i] = true;
      todo[n++] = i;
    }
  }
  while (n) {
    uint32_t i = todo[--n];
    for (uint32_t k = b->pred_at[i]; k < b->pred_at[i + 1]; k++)
      if (--left[b->pred[k]] == 0) {
        b->doomed[b->pred[k]] = true;
        todo[n++] = b->pred[k];
      }
  }
}

/* ---- live successors, each once ---- */

static void add_succ(void *ctx, uint32_t from, uint32_t to) {
  struct build *b = ctx;
  struct uni_flow *f = b->flow;
  if (b->doomed[from] || (to < b->n && b->doomed[to]) || b->number[to] == from + 1)
    return;
  b->number[to] = from + 1; /* lent as a stamp */
  f->succ[f->succ_at[from + 1]++] = to;
}

static void find_succs(struct build *b) {
  struct arena *a = &b->u->arena;
  b->flow->succ_at = arena_array(a, uint32_t, b->n + 2);
  b->flow->succ = arena_array(a, uint32_t, b->pred_at[b->n + 1] + 1);
  b->number = arena_array(a, uint32_t, b->n + 1);
  for (uint32_t i = 0; i < b->n; i++) {
    b->flow->succ_at[i + 1] = b->flow->succ_at[i];
    each_edge(b, i, add_succ, b);
  }
  b->flow->succ_at[b->n + 1] = b->flow->succ_at[b->n];
}

/* ---- order from the entry ---- */

static void find_forward(struct build *b) {
  struct uni_flow *f = b->flow;
  uint32_t *stack = arena_array(&b->u->arena, uint32_t, b->n + 1),
           *next = arena_array(&b->u->arena, uint32_t, b->n + 1), n = 0, at = b->n;
  bool *seen = arena_array(&b->u->arena, bool, b->n + 1);
  uint32_t *order = arena_array(&b->u->arena, uint32_t, b->n + 1);
  if (b->n && !b->doomed[0]) {
    stack[n++] = 0;
    seen[0] = true;
  }
  while (n) {
    uint32_t i = stack[n - 1];
    if (f->succ_at[i] + next[i] == f->succ_at[i + 1]) {
      order[--at] = i;
      n--;
      continue;
    }
    uint32_t to = f->succ[f->succ_at[i] + next[i]++];
    if (to < b->n && !seen[to]) {
      seen[to] = true;
      stack[n++] = to;
    }
  }
  f->order = order + at;
  f->n_order = b->n - at;
}

/* ---- order backwards from the exit ---- */

/* Depth first from `start` over predecessors; appends in postorder. */
static void walk_back(struct build *b, uint32_t start, uint32_t *stack, uint32_t *next) {
  uint32_t n = 0;
  stack[n++] = start;
  b->number[start] = 1;
  while (n) {
    uint32_t i = stack[n - 1];
    if (next[i] == b->pred_at[i + 1]) {
      b->order[b->n_order++] = i;
      n--;
      continue;
    }
    uint32_t p = b->pred[next[i]++];
    if (!b->number[p] && !b->doomed[p]) {
      b->number[p] = 1;
      stack[n++] = p;
    }
  }
}

/* A loop without an end counts as if one of its blocks could leave: of those that lead to no other loop, the
 * first that a walk from the entry is done with. */
static void find_order(struct build *b, bool *endless) {
  struct arena *a = &b->u->arena;
  uint32_t *stack = arena_array(a, uint32_t, b->n + 1), *next = arena_array(a, uint32_t, b->n + 1);
  b->order = arena_array(a, uint32_t, b->n + 1);
  memset(b->number, 0, (b->n + 1) * sizeof *b->number);
  memcpy(next, b->pred_at, (b->n + 1) * sizeof *next);
  walk_back(b, b->n, stack, next);
  b->n_order--; /* the exit comes last of all */
  for (uint32_t k = b->flow->n_order + b->n; k-- > 0;) {
    const uint32_t i = k >= b->n ? b->flow->order[k - b->n] : k; /* then those that nothing leads to */
    if (b->number[i] || b->doomed[i])
      continue;
    endless[i] = true;
    walk_back(b, i, stack, next);
  }
  b->order[b->n_order++] = b->n;
  for (uint32_t i = 0; i < b->n_order; i++)
    b->number[b->order[i]] = i;
}

static uint32_t meet(const struct build *b, const uint32_t *ipdom, uint32_t x, uint32_t y) {
  while (x != y) {
    while (b->number[x] < b->number[y])
      x = ipdom[x];
    while (b->number[y] < b->number[x])
      y = ipdom[y];
  }
  return x;
}

static void find_pdoms(struct build *b) {
  bool *endless = arena_array(&b->u->arena, bool, b->n + 1);
  find_order(b, endless);
  uint32_t *ipdom = b->flow->ipdom = arena_array(&b->u->arena, uint32_t, b->n + 1);
  memset(ipdom, 0xff, (b->n + 1) * sizeof *ipdom);
  ipdom[b->n] = b->n;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t k = b->n_order - 1; k-- > 0;) {
      uint32_t i = b->order[k], now = endless[i] ? b->n : PM_NONE;
      for (uint32_t s = b->flow->succ_at[i]; s < b->flow->succ_at[i + 1]; s++) {
        uint32_t to = b->flow->succ[s];
        if (ipdom[to] != PM_NONE)
          now = now == PM_NONE ? to : meet(b, ipdom, now, to);
      }
      if (now != ipdom[i]) {
        ipdom[i] = now;
        changed = true;
      }
    }
  }
  uint32_t *depth = b->flow->depth = arena_array(&b->u->arena, uint32_t, b->n + 1);
  for (uint32_t k = b->n_order - 1; k-- > 0;)
    depth[b->order[k]] = depth[ipdom[b->order[k]]] + 1;
}

/* ---- what the user vouches for ---- */

static int vouching(const struct build *b, uint32_t block) {
  const struct pm_term *t = &b->f->blocks[block].term;
  if (t->kind != PM_CALL || t->u.call.callee->kind != PM_CALL_EXTERN)
    return 0;
  str symbol = b->u->m->externs[t->u.call.callee->id].symbol;
  return str_eqz(symbol, "__mirdc_converged_begin") ? 1 : str_eqz(symbol, "__mirdc_converged_end") ? -1 : 0;
}

/* On every way that leads to a block, the marks that are open. */
static void find_assumed(struct build *b) {
  struct uni_flow *f = b->flow;
  f->assumed = arena_array(&b->u->arena, uint32_t, b->n + 1);
  memset(f->assumed, 0xff, (b->n + 1) * sizeof *f->assumed);
  if (f->n_order)
    f->assumed[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t k = 0; k < f->n_order; k++) {
      const uint32_t i = f->order[k], in = f->assumed[i];
      const int mark = vouching(b, i);
      const uint32_t out = mark < 0 ? in - (in > 0) : in + (uint32_t)mark;
      for (uint32_t s = f->succ_at[i]; s < f->succ_at[i + 1]; s++)
        if (out < f->assumed[f->succ[s]]) {
          f->assumed[f->succ[s]] = out;
          changed = true;
        }
    }
  }
}

const struct uni_flow *uni_flow_of(struct uni *u, pm_fn fn) {
  if (u->flows[fn])
    return u->flows[fn];
  struct build b = {.u = u, .f = &u->m->fns[fn], .n = u->m->fns[fn].n_blocks};
  b.flow = u->flows[fn] = arena_new(&u->arena, struct uni_flow);
  b.flow->n = b.n;
  find_preds(&b);
  find_doomed(&b);
  find_succs(&b);
  find_forward(&b);
  find_pdoms(&b);
  find_assumed(&b);
  return b.flow;
}

/* ---- what a branch decides ---- */

/* The block or its nearest post-dominator that is not decided yet, or the exit. */
static uint32_t undecided(struct uni_ctx *x, uint32_t v) {
  while (x->skip[v] != v)
    v = x->skip[v] = x->skip[x->skip[v]];
  return v;
}

/* All that `block` decides, and all that a branch decides which is decided by it. */
void uni_spread(struct uni_ctx *x, uint32_t block, const struct uniform_reason *why) {
  const struct uni_flow *f = x->flow;
  uint32_t n = 0, from = block;
  for (bool more = true; more;) {
    const uint32_t end = f->ipdom[from];
    for (uint32_t s = f->succ_at[from]; end != PM_NONE && s < f->succ_at[from + 1]; s++)
      for (uint32_t v = undecided(x, f->succ[s]); f->depth[v] > f->depth[end]; v = undecided(x, v)) {
        x->under[v] = *why;
        x->branch[v] = block;
        x->skip[v] = f->ipdom[v];
        x->todo[n++] = v;
        x->changed = true;
      }
    more = n > 0;
    if (more)
      from = x->todo[--n];
  }
}
