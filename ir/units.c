/* A walk from each kernel over functions, constant memory and statics; union-find over statics. */
#include "ir/units.h"

#include <string.h>

#include "base/fatal.h"
#include "base/vec.h"

struct walk {
  const struct pmir *m;
  struct arena *arena;
  /* Stamp of the last kernel that came by, so that nothing is cleared between kernels. */
  uint32_t *fn_seen, *alloc_seen, *static_seen;
  VEC(uint32_t) fns;
  VEC(uint32_t) allocs;
  uint32_t stamp;
  bool *taken;      /* by function: somebody may hold its address; NULL: not asked */
  uint32_t *owner;  /* by static: first kernel that reached it + 1 */
  uint32_t *parent; /* union-find over kernels */
};

static uint32_t find_root(uint32_t *parent, uint32_t k) {
  while (parent[k] != k) {
    parent[k] = parent[parent[k]];
    k = parent[k];
  }
  return k;
}

static void join(struct walk *w, uint32_t a, uint32_t b) {
  a = find_root(w->parent, a);
  b = find_root(w->parent, b);
  if (a < b)
    w->parent[b] = a;
  else
    w->parent[a] = b;
}

static void reach_fn(struct walk *w, uint32_t fn) {
  if (fn == PM_NONE || w->fn_seen[fn] == w->stamp)
    return;
  w->fn_seen[fn] = w->stamp;
  vec_push(w->arena, &w->fns, fn);
}

static void reach_native(struct walk *w, const struct pm_native *n) {
  for (uint32_t i = 0; i < n->n_callbacks; i++)
    reach_fn(w, n->callbacks[i].thunk);
}

static void reach_alloc(struct walk *w, uint32_t id) {
  if (id == PM_NONE || w->alloc_seen[id] == w->stamp)
    return;
  w->alloc_seen[id] = w->stamp;
  vec_push(w->arena, &w->allocs, id);
}

/* Memory that differs from cubin to cubin once somebody writes it. Shared memory does not: each
 * launch has its own. */
static bool is_common(const struct pmir *m, const struct pm_static *st) {
  if (st->space == PM_SHARED)
    return false;
  return st->mut || st->host_visible || (st->alloc != PM_NONE && m->allocs[st->alloc].mut);
}

static void reach_static(struct walk *w, uint32_t id, uint32_t kernel) {
  if (w->static_seen[id] == w->stamp)
    return;
  w->static_seen[id] = w->stamp;
  const struct pm_static *st = &w->m->statics[id];
  reach_alloc(w, st->alloc);
  if (!is_common(w->m, st))
    return;
  if (w->owner[id])
    join(w, w->owner[id] - 1, kernel);
  else
    w->owner[id] = kernel + 1;
}

static void reach(struct walk *w, enum pm_reloc_kind kind, uint32_t id, uint32_t kernel) {
  switch (kind) {
  case PM_TO_ALLOC:
    reach_alloc(w, id);
    break;
  case PM_TO_STATIC:
    reach_static(w, id, kernel);
    break;
  case PM_TO_FN:
    if (w->taken)
      w->taken[id] = true;
    reach_fn(w, id);
    break;
  case PM_TO_EXTERN:
  case PM_TO_VTABLE:
    break;
  }
}

static void operand(struct walk *w, const struct pm_operand *o, uint32_t kernel) {
  if (o->kind == PM_FROM)
    reach_alloc(w, o->u.addr.id);
  else if (o->kind == PM_ADDR || o->kind == PM_WIDE)
    reach(w, (enum pm_reloc_kind)o->to, o->u.addr.id, kernel);
}

static void operands(struct walk *w, const struct pm_operand *ops, uint32_t n, uint32_t kernel) {
  for (uint32_t i = 0; i < n; i++)
    operand(w, &ops[i], kernel);
}

static void statement(struct walk *w, const struct pm_stmt *s, uint32_t kernel) {
  switch ((enum pm_stmt_kind)s->kind) {
  case PM_ASSIGN:
    operands(w, s->u.rv.ops, s->u.rv.n_ops, kernel);
    break;
  case PM_ASSUME:
    operands(w, s->u.ops, 1, kernel);
    break;
  case PM_COPYN:
    operands(w, s->u.ops, 3, kernel);
    break;
  case PM_LIVE:
  case PM_DEAD:
  case PM_SETV:
    break;
  }
}

static void terminator(struct walk *w, const struct pm_term *t, uint32_t kernel) {
  switch ((enum pm_term_kind)t->kind) {
  case PM_SWITCH:
    operands(w, t->ops, 1, kernel);
    break;
  case PM_ASSERT:
    operands(w, t->ops, t->n + 1, kernel);
    break;
  case PM_CALL:
    operands(w, t->ops, t->n, kernel);
    if (t->u.call.callee->kind == PM_CALL_FN)
      reach_fn(w, t->u.call.callee->id);
    if (t->u.call.callee->kind == PM_CALL_PTR)
      operand(w, t->u.call.callee->ptr, kernel);
    if (t->u.call.callee->kind == PM_CALL_NATIVE)
      reach_native(w, &w->m->natives[t->u.call.callee->id]);
    break;
  case PM_DROP:
    reach_fn(w, t->u.drop.fn);
    break;
  case PM_PTX:
    for (uint32_t i = 0; i < t->u.ptx->n_args; i++)
      if (t->u.ptx->args[i].dir != PTX_OUT)
        operand(w, &t->u.ptx->args[i].in, kernel);
    break;
  case PM_GOTO:
  case PM_RETURN:
  case PM_UNREACHABLE:
  case PM_TRAP_TERM:
    break;
  }
}

static void walk_reached(struct walk *w, uint32_t kernel) {
  while (w->fns.n || w->allocs.n) {
    if (w->allocs.n) {
      const struct pm_alloc *al = &w->m->allocs[vec_pop(&w->allocs)];
      for (uint32_t i = 0; i < al->n_relocs; i++)
        reach(w, al->relocs[i].kind, al->relocs[i].id, kernel);
      continue;
    }
    const struct pm_func *f = &w->m->fns[vec_pop(&w->fns)];
    for (uint32_t b = 0; b < f->n_blocks; b++) {
      for (uint32_t i = 0; i < f->blocks[b].n_stmts; i++)
        statement(w, &f->blocks[b].stmts[i], kernel);
      terminator(w, &f->blocks[b].term, kernel);
    }
  }
}

static void walk_kernel(struct walk *w, uint32_t kernel) {
  w->stamp = kernel + 1;
  reach_fn(w, w->m->kernels[kernel].fn);
  walk_reached(w, kernel);
}

/* Each link has a cost of its own, about that of one small kernel, so small components are put
 * together. The number depends on the dump alone, never on the machine: it is part of the product. */
static uint32_t wanted_size(uint32_t n_kernels) {
  uint32_t size = n_kernels / 4;
  return size < 1 ? 1 : size > PM_UNIT_KERNELS ? PM_UNIT_KERNELS : size;
}

static void number_units(const struct pmir *m, struct arena *a, uint32_t *parent,
                         struct pm_link_units *out) {
  uint32_t *number = arena_array(a, uint32_t, m->n_kernels);
  uint32_t *members = arena_array(a, uint32_t, m->n_kernels); /* of the component, by root */
  uint32_t size = wanted_size(m->n_kernels), filled = UINT32_MAX;
  out->unit_of = arena_array(a, uint32_t, m->n_kernels);
  for (uint32_t k = 0; k < m->n_kernels; k++)
    members[find_root(parent, k)]++;
  for (uint32_t k = 0; k < m->n_kernels; k++) {
    uint32_t root = find_root(parent, k); /* a root is the smallest of its component */
    if (root == k) {
      if (filled >= size) {
        out->n++;
        filled = 0;
      }
      filled += members[k];
      number[k] = out->n - 1;
    }
    out->unit_of[k] = number[root];
  }
  out->n_kernels = arena_array(a, uint32_t, out->n);
  out->kernels = arena_array(a, uint32_t *, out->n);
  for (uint32_t k = 0; k < m->n_kernels; k++)
    out->n_kernels[out->unit_of[k]]++;
  for (uint32_t u = 0; u < out->n; u++) {
    out->kernels[u] = arena_array(a, uint32_t, out->n_kernels[u]);
    out->n_kernels[u] = 0;
  }
  for (uint32_t k = 0; k < m->n_kernels; k++) {
    uint32_t u = out->unit_of[k];
    out->kernels[u][out->n_kernels[u]++] = k;
  }
}

static void walk_begin(struct walk *w, const struct pmir *m, struct arena *scratch) {
  *w = (struct walk){.m = m, .arena = scratch};
  w->parent = arena_array(scratch, uint32_t, m->n_kernels);
  w->fn_seen = arena_array(scratch, uint32_t, m->n_fns);
  w->alloc_seen = arena_array(scratch, uint32_t, m->n_allocs);
  w->static_seen = arena_array(scratch, uint32_t, m->n_statics);
  w->owner = arena_array(scratch, uint32_t, m->n_statics);
  for (uint32_t k = 0; k < m->n_kernels; k++)
    w->parent[k] = k;
}

static void walk_all(struct walk *w, const struct pmir *m, struct arena *scratch) {
  walk_begin(w, m, scratch);
  for (uint32_t k = 0; k < m->n_kernels; k++)
    walk_kernel(w, k);
}

bool pm_has_exports(const struct pmir *m) {
  for (uint32_t i = 0; i < m->n_fns; i++)
    if (m->fns[i].export)
      return true;
  return false;
}

/* All that there is are functions for other device code. */
static void unit_of_exports(struct arena *a, struct pm_link_units *out) {
  out->n = 1;
  out->n_kernels = arena_array(a, uint32_t, 1);
  out->kernels = arena_array(a, uint32_t *, 1);
}

void pm_find_link_units(const struct pmir *m, struct arena *a, bool one,
                        struct pm_link_units *out) {
  *out = (struct pm_link_units){0};
  struct arena scratch = {0};
  struct walk w;
  if (one)
    w.parent = arena_array(&scratch, uint32_t, m->n_kernels); /* all at kernel 0 */
  else
    walk_all(&w, m, &scratch);
  number_units(m, a, w.parent, out);
  if (m->n_kernels == 0 && pm_has_exports(m))
    unit_of_exports(a, out);
  arena_free(&scratch);
}

bool *pm_statics_of_kernels(const struct pmir *m, struct arena *a) {
  struct arena scratch = {0};
  struct walk w;
  bool *reached = arena_array(a, bool, m->n_statics);
  walk_all(&w, m, &scratch);
  for (uint32_t i = 0; i < m->n_statics; i++)
    reached[i] = w.owner[i] != 0;
  arena_free(&scratch);
  return reached;
}

bool *pm_fns_taken(const struct pmir *m, const struct pm_roots *roots, struct arena *a) {
  struct arena scratch = {0};
  struct walk w;
  walk_begin(&w, m, &scratch);
  w.taken = arena_array(a, bool, m->n_fns);
  w.stamp = 1;
  for (uint32_t i = 0; i < (roots->kernels ? roots->n_kernels : m->n_kernels); i++)
    reach_fn(&w, m->kernels[roots->kernels ? roots->kernels[i] : i].fn);
  for (uint32_t i = 0; i < m->n_fns; i++)
    if (roots->all_fns || (roots->exports && m->fns[i].export))
      reach_fn(&w, i);
  for (uint32_t i = 0; i < m->n_statics && (roots->all_fns || roots->exports); i++)
    if (m->statics[i].host_visible)
      reach_static(&w, i, 0);
  walk_reached(&w, 0);
  arena_free(&scratch);
  return w.taken;
}
