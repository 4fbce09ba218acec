/* Interned Rust types: the table, makers and questions. Reading is in rty_parse.c, printing in
 * rty_print.c. */
#include "cargo-integration/rustc/rty.h"

#include "base/fatal.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t h, uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
  return h * 0xff51afd7ed558ccdu;
}

static uint64_t mix_node(uint64_t h, const struct rty *t) {
  return mix(h, t ? t->id + 1u : 0u);
}

static uint64_t mix_nodes(uint64_t h, const struct rty *const *p, uint32_t n) {
  h = mix(h, n);
  for (uint32_t i = 0; i < n; i++)
    h = mix_node(h, p[i]);
  return h;
}

static uint64_t node_hash(const struct rty *t) {
  uint64_t h = mix((uint64_t)t->kind, (uint64_t)t->prim);
  h = mix(h, (uint64_t)t->mut | (uint64_t)t->is_unsafe << 1 | (uint64_t)t->variadic << 2);
  h = mix(mix(h, t->lo), t->hi);
  if (t->kind != RTY_PATH)
    h = mix(h, t->name.n ? str_hash(t->name) : 0);
  h = mix(h, t->abi.n ? str_hash(t->abi) : 0);
  h = mix_node(mix_node(mix_node(h, t->elem), t->len), t->ret);
  h = mix_node(mix_node(h, t->sig), t->path);
  h = mix_nodes(h, t->args, t->n_args);
  for (uint32_t i = 0; i < t->n_segs; i++) {
    const struct rty_seg *s = &t->segs[i];
    h = mix(mix(h, (uint64_t)s->kind), s->name.n ? str_hash(s->name) : 0);
    h = mix_nodes(mix_node(mix_node(h, s->self), s->trait), s->args, s->n_args);
  }
  return h;
}

static bool same_nodes(const struct rty *const *a, const struct rty *const *b, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (a[i] != b[i])
      return false;
  return true;
}

static bool same_segs(const struct rty *a, const struct rty *b) {
  for (uint32_t i = 0; i < a->n_segs; i++) {
    const struct rty_seg *x = &a->segs[i], *y = &b->segs[i];
    if (x->kind != y->kind || !str_eq(x->name, y->name) || x->self != y->self ||
        x->trait != y->trait || x->n_args != y->n_args || !same_nodes(x->args, y->args, x->n_args))
      return false;
  }
  return true;
}

static bool same_node(const struct rty *a, const struct rty *b) {
  return a->hash == b->hash && a->kind == b->kind && a->prim == b->prim && a->mut == b->mut &&
         a->is_unsafe == b->is_unsafe && a->variadic == b->variadic && a->lo == b->lo &&
         a->hi == b->hi && a->elem == b->elem && a->len == b->len && a->ret == b->ret &&
         a->sig == b->sig && a->path == b->path && a->n_args == b->n_args &&
         a->n_segs == b->n_segs && (a->kind == RTY_PATH || str_eq(a->name, b->name)) &&
         str_eq(a->abi, b->abi) && same_nodes(a->args, b->args, a->n_args) && same_segs(a, b);
}

static void grow(struct rty_table *t) {
  size_t n = t->n_slots ? t->n_slots * 2 : 1024;
  const struct rty **slots = xmalloc(n * sizeof *slots);
  memset(slots, 0, n * sizeof *slots);
  for (size_t i = 0; i < t->n_slots; i++) {
    if (t->slots[i] == NULL)
      continue;
    size_t at = t->slots[i]->hash & (n - 1);
    while (slots[at] != NULL)
      at = (at + 1) & (n - 1);
    slots[at] = t->slots[i];
  }
  free(t->slots);
  t->slots = slots;
  t->n_slots = n;
}

static const struct rty *const *copy_nodes(struct rty_table *t, const struct rty *const *p,
                                           uint32_t n) {
  if (n == 0)
    return NULL;
  const struct rty **q = arena_array(t->arena, const struct rty *, n);
  memcpy(q, p, n * sizeof *q);
  return q;
}

static bool any_param(const struct rty *const *p, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (p[i]->has_param)
      return true;
  return false;
}

static bool has_param(const struct rty *t) {
  return t != NULL && t->has_param;
}

static bool holds_param(const struct rty *t) {
  if (rty_is_open(t))
    return true;
  if (t->kind == RTY_PATH && t->n_segs == 1 && t->segs[0].kind == SEG_NAME &&
      t->segs[0].n_args == 0)
    return true;
  if (has_param(t->elem) || has_param(t->len) || has_param(t->ret) || has_param(t->sig) ||
      any_param(t->args, t->n_args))
    return true;
  /* The bare name of a function is a path of one segment too, but no parameter. */
  if (t->path != NULL && t->path->n_segs > 1 && t->path->has_param)
    return true;
  if (t->path != NULL && t->path->n_segs == 1 && t->path->segs[0].n_args > 0 && t->path->has_param)
    return true;
  for (uint32_t i = 0; i < t->n_segs; i++) {
    const struct rty_seg *s = &t->segs[i];
    if (has_param(s->self) || has_param(s->trait) || any_param(s->args, s->n_args))
      return true;
  }
  return false;
}

/* The text of a path without generic arguments, kept as its name. */
static str path_name(struct rty_table *t, const struct rty *p) {
  if (p->n_segs == 1 && p->segs[0].kind == SEG_NAME)
    return p->segs[0].name;
  struct strbuf b = {0};
  for (uint32_t i = 0; i < p->n_segs; i++) {
    struct rty_seg seg = p->segs[i];
    seg.args = NULL;
    seg.n_args = 0;
    struct rty one = {.kind = RTY_PATH, .segs = &seg, .n_segs = 1};
    if (i > 0)
      sb_addz(&b, "::");
    (void)rty_print(&one, RTY_PRINT_LABEL, &b);
  }
  str kept = arena_str(t->arena, sb_str(&b));
  sb_free(&b);
  return kept;
}

static const struct rty *add_node(struct rty_table *t, const struct rty *proto, uint64_t hash) {
  struct rty *n = arena_new(t->arena, struct rty);
  *n = *proto;
  n->hash = hash;
  n->id = (uint32_t)t->n++;
  if (proto->name.n)
    n->name = arena_str(t->arena, proto->name);
  if (proto->abi.n)
    n->abi = arena_str(t->arena, proto->abi);
  n->args = copy_nodes(t, proto->args, proto->n_args);
  n->segs = NULL;
  if (proto->n_segs > 0) {
    struct rty_seg *segs = arena_array(t->arena, struct rty_seg, proto->n_segs);
    for (uint32_t i = 0; i < proto->n_segs; i++) {
      segs[i] = proto->segs[i];
      if (segs[i].name.n)
        segs[i].name = arena_str(t->arena, segs[i].name);
      segs[i].args = copy_nodes(t, segs[i].args, segs[i].n_args);
    }
    n->segs = segs;
  }
  if (n->kind == RTY_PATH)
    n->name = path_name(t, n);
  n->has_param = holds_param(n);
  return n;
}

const struct rty *rty_intern(struct rty_table *t, const struct rty *proto) {
  struct rty key = *proto;
  key.hash = node_hash(proto);
  if (t->n * 2 >= t->n_slots)
    grow(t);
  size_t at = key.hash & (t->n_slots - 1);
  for (; t->slots[at] != NULL; at = (at + 1) & (t->n_slots - 1))
    if (same_node(t->slots[at], &key))
      return t->slots[at];
  t->slots[at] = add_node(t, proto, key.hash);
  return t->slots[at];
}

void rty_table_init(struct rty_table *t, struct arena *a) {
  memset(t, 0, sizeof *t);
  t->arena = a;
  t->unit = rty_tuple(t, NULL, 0);
  t->never = rty_intern(t, &(struct rty){.kind = RTY_NEVER});
  t->lifetime = rty_intern(t, &(struct rty){.kind = RTY_LIFETIME});
  for (int p = 0; p < PRIM_COUNT; p++)
    t->prims[p] = rty_intern(t, &(struct rty){.kind = RTY_PRIM, .prim = (enum rty_prim)p});
}

void rty_table_free(struct rty_table *t) {
  free(t->slots);
  vec_free(&t->stack);
  vec_free(&t->segs);
  memset(t, 0, sizeof *t);
}

/* ---- makers ---- */

const struct rty *rty_prim(struct rty_table *t, enum rty_prim p) {
  return t->prims[p];
}

const struct rty *rty_tuple(struct rty_table *t, const struct rty *const *args, uint32_t n) {
  return rty_intern(t, &(struct rty){.kind = RTY_TUPLE, .args = args, .n_args = n});
}

const struct rty *rty_slice(struct rty_table *t, const struct rty *elem) {
  return rty_intern(t, &(struct rty){.kind = RTY_SLICE, .elem = elem});
}

const struct rty *rty_const(struct rty_table *t, const struct rty *ty, uint64_t lo, uint64_t hi) {
  return rty_intern(t, &(struct rty){.kind = RTY_CONST, .elem = ty, .lo = lo, .hi = hi});
}

const struct rty *rty_array(struct rty_table *t, const struct rty *elem, uint64_t len) {
  const struct rty *n = rty_const(t, t->prims[PRIM_USIZE], len, 0);
  return rty_intern(t, &(struct rty){.kind = RTY_ARRAY, .elem = elem, .len = n});
}

const struct rty *rty_ref(struct rty_table *t, const struct rty *elem, bool mut) {
  return rty_intern(t, &(struct rty){.kind = RTY_REF, .elem = elem, .mut = mut});
}

const struct rty *rty_ptr(struct rty_table *t, const struct rty *elem, bool mut) {
  return rty_intern(t, &(struct rty){.kind = RTY_PTR, .elem = elem, .mut = mut});
}

const struct rty *rty_path_parent(struct rty_table *t, const struct rty *path) {
  if (path == NULL || path->kind != RTY_PATH || path->n_segs < 2)
    return NULL;
  return rty_intern(
      t, &(struct rty){.kind = RTY_PATH, .segs = path->segs, .n_segs = path->n_segs - 1});
}

const struct rty *rty_path_bare(struct rty_table *t, const struct rty *path) {
  if (path == NULL || path->kind != RTY_PATH)
    return path;
  struct rty_seg *segs = xmalloc(path->n_segs * sizeof *segs);
  for (uint32_t i = 0; i < path->n_segs; i++) {
    segs[i] = path->segs[i];
    segs[i].args = NULL;
    segs[i].n_args = 0;
  }
  const struct rty *bare =
      rty_intern(t, &(struct rty){.kind = RTY_PATH, .segs = segs, .n_segs = path->n_segs});
  free(segs);
  return bare;
}

/* ---- questions ---- */

bool rty_is_unit(const struct rty *t) {
  return t != NULL && t->kind == RTY_TUPLE && t->n_args == 0;
}

bool rty_is_prim(const struct rty *t, enum rty_prim p) {
  return t != NULL && t->kind == RTY_PRIM && t->prim == p;
}

bool rty_path_is(const struct rty *t, const char *name) {
  if (t == NULL || t->kind != RTY_PATH)
    return false;
  str want = str_from(name);
  if (str_eq(t->name, want))
    return true;
  if (!str_starts(want, STR("core::")))
    return false;
  str tail = str_drop(want, 4);
  return (str_starts(t->name, STR("std::")) && str_eq(str_drop(t->name, 3), tail)) ||
         (str_starts(t->name, STR("alloc::")) && str_eq(str_drop(t->name, 5), tail));
}

str rty_last_name(const struct rty *t) {
  if (t == NULL || t->kind != RTY_PATH || t->n_segs == 0)
    return STR_NULL;
  const struct rty_seg *s = &t->segs[t->n_segs - 1];
  return s->kind == SEG_NAME || s->kind == SEG_SPECIAL ? s->name : STR_NULL;
}

size_t rty_path_args(const struct rty *t, const struct rty **out, size_t max) {
  size_t n = 0;
  for (uint32_t i = 0; t != NULL && i < t->n_segs; i++)
    for (uint32_t j = 0; j < t->segs[i].n_args; j++) {
      const struct rty *arg = t->segs[i].args[j];
      if (arg->kind == RTY_LIFETIME)
        continue;
      if (n < max)
        out[n] = arg;
      n++;
    }
  return n;
}

bool rty_array_len(const struct rty *t, uint64_t *n) {
  if (t == NULL || t->kind != RTY_ARRAY || t->len->kind != RTY_CONST || t->len->hi != 0)
    return false;
  *n = t->len->lo;
  return true;
}

static bool any_contains(const struct rty *const *p, uint32_t n, const struct rty *what) {
  for (uint32_t i = 0; i < n; i++)
    if (rty_contains(p[i], what))
      return true;
  return false;
}

bool rty_contains(const struct rty *t, const struct rty *what) {
  if (t == NULL)
    return false;
  if (t == what)
    return true;
  if (rty_contains(t->elem, what) || rty_contains(t->len, what) || rty_contains(t->ret, what) ||
      rty_contains(t->sig, what) || rty_contains(t->path, what) ||
      any_contains(t->args, t->n_args, what))
    return true;
  for (uint32_t i = 0; i < t->n_segs; i++) {
    const struct rty_seg *s = &t->segs[i];
    if (rty_contains(s->self, what) || rty_contains(s->trait, what) ||
        any_contains(s->args, s->n_args, what))
      return true;
  }
  return false;
}

/* ---- substitution ---- */

static const struct rty *replaced(const struct rty *t, const struct rty_subst *s) {
  for (size_t i = 0; i < s->n; i++)
    if (s->from[i] == t)
      return s->to[i];
  return NULL;
}

static const struct rty *const *subst_nodes(struct rty_table *t, const struct rty *const *p,
                                            uint32_t n, const struct rty_subst *s) {
  if (n == 0)
    return NULL;
  const struct rty **q = xmalloc(n * sizeof *q);
  for (uint32_t i = 0; i < n; i++)
    q[i] = rty_substitute(t, p[i], s);
  return q;
}

static const struct rty *subst_path(struct rty_table *t, const struct rty *ty,
                                    const struct rty_subst *s) {
  struct rty_seg *segs = xmalloc(ty->n_segs * sizeof *segs);
  for (uint32_t i = 0; i < ty->n_segs; i++) {
    struct rty_seg *seg = &segs[i];
    *seg = ty->segs[i];
    seg->self = seg->self ? rty_substitute(t, seg->self, s) : NULL;
    /* A trait's own name is a path of one segment at times; it is no parameter. */
    if (seg->trait != NULL)
      seg->trait = subst_path(t, seg->trait, s);
    seg->args = subst_nodes(t, seg->args, seg->n_args, s);
  }
  const struct rty *made =
      rty_intern(t, &(struct rty){.kind = RTY_PATH, .segs = segs, .n_segs = ty->n_segs});
  for (uint32_t i = 0; i < ty->n_segs; i++)
    free((void *)(uintptr_t)segs[i].args);
  free(segs);
  return made;
}

/* Types that are no parameters stand anywhere. */
static bool holds_concrete(const struct rty *t, const struct rty_subst *s) {
  for (size_t i = 0; i < s->n; i++)
    if (!s->from[i]->has_param && rty_contains(t, s->from[i]))
      return true;
  return false;
}

const struct rty *rty_substitute(struct rty_table *t, const struct rty *ty,
                                 const struct rty_subst *s) {
  if (ty == NULL || s->n == 0)
    return ty;
  const struct rty *to = replaced(ty, s);
  if (to != NULL)
    return to;
  if (!ty->has_param && !holds_concrete(ty, s))
    return ty;
  if (ty->kind == RTY_PATH)
    return subst_path(t, ty, s);
  struct rty made = *ty;
  made.elem = rty_substitute(t, ty->elem, s);
  made.len = rty_substitute(t, ty->len, s);
  made.ret = rty_substitute(t, ty->ret, s);
  made.sig = rty_substitute(t, ty->sig, s);
  made.path = ty->path != NULL ? subst_path(t, ty->path, s) : NULL;
  made.args = subst_nodes(t, ty->args, ty->n_args, s);
  const struct rty *node = rty_intern(t, &made);
  free((void *)(uintptr_t)made.args);
  return node;
}
