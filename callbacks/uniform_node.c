/* Memory of one function: classes of places that pointers may confuse, and what they hold. */
#include "callbacks/uniform_impl.h"

uint32_t uni_new(struct uni *u, struct uni_ctx *x) {
  struct uni_node n = {.parent = (uint32_t)x->nodes.n};
  vec_push(&u->arena, &x->nodes, n);
  return n.parent;
}

uint32_t uni_find(struct uni_ctx *x, uint32_t n) {
  while (x->nodes.p[n].parent != n)
    n = x->nodes.p[n].parent = x->nodes.p[x->nodes.p[n].parent].parent;
  return n;
}

/* What the content of `n` leads to. */
uint32_t uni_behind(struct uni *u, struct uni_ctx *x, uint32_t n) {
  n = uni_find(x, n);
  if (!x->nodes.p[n].pointee) {
    uint32_t to = uni_new(u, x);
    x->nodes.p[n].pointee = to;
  }
  return uni_find(x, x->nodes.p[n].pointee);
}

void uni_mark(struct uni_ctx *x, uint32_t n, const struct uniform_reason *why) {
  struct uni_node *node = &x->nodes.p[uni_find(x, n)];
  if (why->why == UNI_UNIFORM || node->why.why != UNI_UNIFORM)
    return;
  node->why = *why;
  x->changed = true;
}

/* Pointers to both may be the same: so may be all that lies behind. */
void uni_unify(struct uni_ctx *x, uint32_t a, uint32_t b) {
  while (a && b) {
    a = uni_find(x, a);
    b = uni_find(x, b);
    if (a == b)
      return;
    if (a > b) {
      uint32_t t = a;
      a = b;
      b = t;
    }
    struct uni_node *na = &x->nodes.p[a], *nb = &x->nodes.p[b];
    nb->parent = a;
    na->open |= nb->open;
    uni_because(&na->why, &nb->why);
    x->changed = true;
    if (!na->pointee)
      na->pointee = nb->pointee;
    a = na->pointee;
    b = nb->pointee;
  }
}

uint32_t uni_place(struct uni *u, struct uni_ctx *x, const struct pm_place *p,
                   struct uniform_reason *index) {
  uint32_t n = uni_find(x, UNI_LOCAL + p->local);
  for (uint32_t i = 0; i < p->n; i++) {
    if (p->proj[i].kind == PM_DEREF) {
      uni_because(index, &x->nodes.p[n].why);
      if (x->nodes.p[n].open)
        uni_because(index, &(struct uniform_reason){.why = UNI_LOAD, .at = PM_NONE});
      n = uni_behind(u, x, n);
    } else if (p->proj[i].kind == PM_INDEX) {
      uni_because(index, &x->nodes.p[uni_find(x, UNI_LOCAL + p->proj[i].a)].why);
    }
  }
  return n;
}

struct uni_value uni_load(struct uni *u, struct uni_ctx *x, uint32_t node, pm_loc at) {
  struct uni_value v = {.to = uni_behind(u, x, node)};
  const struct uni_node *n = &x->nodes.p[uni_find(x, node)];
  v.why = n->why;
  if (n->open)
    uni_because(&v.why, &(struct uniform_reason){.why = UNI_LOAD, .at = at});
  return v;
}

struct uni_value uni_join(struct uni_ctx *x, struct uni_value a, struct uni_value b) {
  uni_because(&a.why, &b.why);
  if (a.to && b.to)
    uni_unify(x, a.to, b.to);
  else if (b.to)
    a.to = b.to;
  return a;
}

void uni_store(struct uni *u, struct uni_ctx *x, uint32_t node, const struct uni_value *v,
               const struct uniform_reason *where) {
  uni_mark(x, node, &v->why);
  uni_mark(x, node, where);
  if (v->to)
    uni_unify(x, uni_behind(u, x, node), v->to);
}

/* Somebody else may write what `node` is and all that it leads to. */
void uni_escape(struct uni *u, struct uni_ctx *x, uint32_t node) {
  (void)u;
  uni_unify(x, node, UNI_OPEN);
}

/* ---- operands ---- */

/* Does constant memory lead to memory that changes? Only asked of allocs with addresses. */
static bool leads_to_open(const struct uni *u, const struct pm_alloc *al) {
  for (uint32_t i = 0; i < al->n_relocs; i++) {
    const struct pm_reloc *r = &al->relocs[i];
    if (r->kind == PM_TO_STATIC && !pm_never_changes(u->m, &u->m->statics[r->id]))
      return true;
    if (r->kind == PM_TO_ALLOC && (u->m->allocs[r->id].mut || u->m->allocs[r->id].n_relocs > 0))
      return true;
  }
  return false;
}

static uint32_t node_of_address(const struct uni *u, enum pm_reloc_kind to, uint32_t id) {
  const struct pmir *m = u->m;
  switch (to) {
  case PM_TO_ALLOC:
    return m->allocs[id].mut || leads_to_open(u, &m->allocs[id]) ? UNI_OPEN : UNI_CONST;
  case PM_TO_STATIC: {
    const struct pm_static *s = &m->statics[id];
    bool fixed = s->space == PM_CONST || pm_never_changes(m, s);
    return fixed && (s->alloc == PM_NONE || !leads_to_open(u, &m->allocs[s->alloc])) ? UNI_CONST : UNI_OPEN;
  }
  case PM_TO_FN:
  case PM_TO_EXTERN:
  case PM_TO_VTABLE:
    return UNI_CONST;
  }
  return UNI_OPEN;
}

struct uni_value uni_operand(struct uni *u, struct uni_ctx *x, const struct pm_operand *o, pm_loc at) {
  struct uni_value v = {0};
  switch ((enum pm_operand_kind)o->kind) {
  case PM_COPY:
  case PM_MOVE: {
    struct uniform_reason index = {0};
    uint32_t n = uni_place(u, x, &o->u.place, &index);
    v = uni_load(u, x, n, at);
    uni_because(&v.why, &index);
    break;
  }
  case PM_BITS:
    if (u->pointers[o->ty])
      v.to = UNI_OPEN;
    break;
  case PM_FROM:
    v.to = u->m->allocs[o->u.addr.id].n_relocs ? node_of_address(u, PM_TO_ALLOC, o->u.addr.id) : 0;
    break;
  case PM_ADDR:
  case PM_WIDE:
    v.to = node_of_address(u, (enum pm_reloc_kind)o->to, o->u.addr.id);
    break;
  case PM_ZERO:
  case PM_UNINIT:
    break;
  }
  return v;
}
