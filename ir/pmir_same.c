/* When are two types the same? Ids that differ may still mean one type: rustc prints lifetimes and
 * generic arguments that have no effect on a value. So equality is structural: kind, size,
 * alignment and parts; labels do not count, nor whether a pointer is a reference or mutable. Pairs
 * found equal are remembered, and a pair under comparison counts as equal, which is what recursive
 * types need. */
#include <string.h>

#include "base/fatal.h"
#include "base/vec.h"
#include "ir/pmir_check.h"

enum { MAX_DEPTH = 64 };

static size_t slot_of(const struct pm_check *c, struct pc_pair p) {
  uint64_t h = ((uint64_t)p.a << 32 | p.b) * 0x9e3779b97f4a7c15u;
  size_t i = (size_t)(h >> 32) & (c->cap_equal - 1);
  while (c->equal[i].a != c->equal[i].b && (c->equal[i].a != p.a || c->equal[i].b != p.b))
    i = (i + 1) & (c->cap_equal - 1);
  return i;
}

static void grow(struct pm_check *c) {
  struct pc_pair *old = c->equal;
  size_t cap = c->cap_equal;
  c->cap_equal = cap ? cap * 2 : 64;
  c->equal = xmalloc(c->cap_equal * sizeof *c->equal);
  memset(c->equal, 0, c->cap_equal * sizeof *c->equal); /* a == b: free */
  for (size_t i = 0; i < cap; i++)
    if (old[i].a != old[i].b)
      c->equal[slot_of(c, old[i])] = old[i];
  vec_free_raw(old);
}

/* True if the pair was there already. */
static bool remember(struct pm_check *c, struct pc_pair p) {
  if (c->n_equal * 2 >= c->cap_equal)
    grow(c);
  size_t i = slot_of(c, p);
  if (c->equal[i].a != c->equal[i].b)
    return true;
  c->equal[i] = p;
  c->n_equal++;
  return false;
}

static bool same(struct pm_check *c, pm_ty a, pm_ty b, unsigned depth);

static bool same_fields(struct pm_check *c, const struct pm_field *a, const struct pm_field *b,
                        uint32_t n, unsigned depth) {
  for (uint32_t i = 0; i < n; i++)
    if (a[i].off != b[i].off || !same(c, a[i].ty, b[i].ty, depth))
      return false;
  return true;
}

static bool same_variants(struct pm_check *c, const struct pm_type *a, const struct pm_type *b,
                          unsigned depth) {
  if (a->n_variants != b->n_variants || !same(c, a->elem, b->elem, depth))
    return false;
  for (uint32_t i = 0; i < a->n_variants; i++) {
    const struct pm_variant *v = &a->variants[i], *w = &b->variants[i];
    if (v->n_fields != w->n_fields || v->n_sets != w->n_sets || v->discr_lo != w->discr_lo ||
        v->discr_hi != w->discr_hi || !same_fields(c, v->fields, w->fields, v->n_fields, depth))
      return false;
    for (uint32_t s = 0; s < v->n_sets; s++)
      if (v->sets[s].off != w->sets[s].off || v->sets[s].bits != w->sets[s].bits ||
          v->sets[s].lo != w->sets[s].lo || v->sets[s].hi != w->sets[s].hi)
        return false;
  }
  return true;
}

static bool same_signature(struct pm_check *c, const struct pm_type *a, const struct pm_type *b,
                           unsigned depth) {
  if (a->n_args != b->n_args || a->c_abi != b->c_abi || !same(c, a->elem, b->elem, depth))
    return false;
  for (uint32_t i = 0; i < a->n_args; i++)
    if (!same(c, a->args[i], b->args[i], depth))
      return false;
  return true;
}

static bool same_parts(struct pm_check *c, const struct pm_type *a, const struct pm_type *b,
                       unsigned depth) {
  switch (a->kind) {
  case PM_INT:
    return a->bits == b->bits && a->is_signed == b->is_signed;
  case PM_FLOAT:
    return a->bits == b->bits;
  case PM_PTR:
    return a->meta == b->meta && same(c, a->elem, b->elem, depth);
  case PM_FNPTR:
    return same_signature(c, a, b, depth);
  case PM_ARRAY:
    return a->len == b->len && same(c, a->elem, b->elem, depth);
  case PM_SLICE:
    return same(c, a->elem, b->elem, depth);
  case PM_TUPLE:
  case PM_STRUCT:
  case PM_CLOSURE:
  case PM_UNION:
    return a->n_fields == b->n_fields && same_fields(c, a->fields, b->fields, a->n_fields, depth);
  case PM_ENUM:
    return same_variants(c, a, b, depth);
  case PM_DYN:
    return str_eq(a->name, b->name);
  case PM_BOOL:
  case PM_CHAR:
  case PM_NEVER:
  case PM_FNDEF:
  case PM_STR:
  case PM_OPAQUE:
    break;
  }
  return true;
}

static bool same(struct pm_check *c, pm_ty a, pm_ty b, unsigned depth) {
  if (a == b)
    return true;
  const struct pm_type *x = pc_type(c, a), *y = pc_type(c, b);
  if (depth == 0 || x->kind != y->kind || x->size != y->size || x->align != y->align)
    return false;
  struct pc_pair p = a < b ? (struct pc_pair){a, b} : (struct pc_pair){b, a};
  return remember(c, p) || same_parts(c, x, y, depth - 1);
}

bool pc_same(struct pm_check *c, pm_ty a, pm_ty b) {
  if (a == b)
    return true;
  size_t before = c->n_equal;
  if (same(c, a, b, MAX_DEPTH))
    return true;
  /* What was assumed on the way to a difference proves nothing. */
  if (c->n_equal != before) {
    memset(c->equal, 0, c->cap_equal * sizeof *c->equal);
    c->n_equal = 0;
  }
  return false;
}

static str array_key(struct arena *a, pm_ty elem, uint64_t len) {
  uint64_t key[2] = {elem, len};
  return arena_str(a, (str){(const char *)key, sizeof key});
}

static void index_arrays(struct pm_check *c) {
  for (pm_ty t = 0; t < c->m->n_types; t++) {
    const struct pm_type *x = pc_type(c, t);
    if (x->kind != PM_ARRAY)
      continue;
    uintptr_t *slot = map_put(&c->arrays, array_key(&c->keys, x->elem, x->len), NULL);
    if (*slot == 0)
      *slot = (uintptr_t)t + 1;
  }
}

pm_ty pc_array_of(struct pm_check *c, pm_ty elem, uint64_t len) {
  if (c->arrays.n == 0)
    index_arrays(c);
  struct arena_mark mark = arena_save(&c->arena);
  uintptr_t *hit = map_get(&c->arrays, array_key(&c->arena, elem, len));
  arena_rewind(&c->arena, mark);
  return hit ? (pm_ty)(*hit - 1) : PM_NONE;
}
