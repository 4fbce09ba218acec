/* Enums: everything is said by the `get` tree and the `set` lists of the dump. */
#include "ir/ll.h"

static ll_v wide_const(LLVMTypeRef t, u128 v) {
  uint64_t w[] = {(uint64_t)v, (uint64_t)(v >> 64)};
  return LLVMConstIntOfArbitraryPrecision(t, 2, w);
}

/* Where the bits of an enum are: in memory, or in the leaves of a value. */
struct ll_enum_at {
  struct ll_fn *fc;
  const struct pm_type *t;
  ll_v addr;
  uint64_t align;
  const struct ll_val *val;
};

/* True if some variant has a pointer where the tag is, so that its memory only ever holds pointers. */
static bool tag_is_pointer(struct ll *l, const struct pm_type *t, uint64_t at, unsigned bits) {
  for (uint32_t i = 0; bits == 64 && i < t->n_variants; i++) {
    for (uint32_t k = 0; k < t->variants[i].n_fields; k++) {
      const struct pm_field *f = &t->variants[i].fields[k];
      const struct ll_shape *s = ll_shape(l, f->ty);
      for (unsigned n = 0; !s->mem && n < s->n; n++)
        if (s->leaf[n].kind == LEAF_PTR && f->off + s->leaf[n].off == at)
          return true;
    }
  }
  return false;
}

static ll_v read_tag(const struct ll_enum_at *e, const struct pm_get *g) {
  struct ll *l = e->fc->l;
  LLVMTypeRef t = ll_int(l, g->bits);
  if (!e->val) {
    LLVMTypeRef as = tag_is_pointer(l, e->t, g->at, g->bits) ? l->ptr : t;
    ll_v v = ll_load(l, as, ll_gep(l, e->addr, g->at), ll_align_at(e->align, g->at));
    return as == t ? v : LLVMBuildPtrToInt(l->b, v, t, "");
  }
  const struct ll_shape *s = ll_shape(l, e->val->ty);
  for (unsigned i = 0; i < s->n; i++) {
    if (s->leaf[i].off != g->at || s->leaf[i].bits != g->bits)
      continue;
    ll_v v = e->val->v[i];
    if (s->leaf[i].kind == LEAF_PTR)
      return LLVMBuildPtrToInt(l->b, v, t, "");
    if (s->leaf[i].kind == LEAF_BOOL)
      return LLVMBuildZExt(l->b, v, t, "");
    return v;
  }
  BUG("enum `%.*s` has no leaf for its tag", STR_ARG(e->t->name));
}

static u128 discr_of(const struct pm_variant *v) {
  return (u128)v->discr_hi << 64 | v->discr_lo;
}

static u128 low_bits(u128 v, unsigned bits) {
  return bits >= 128 ? v : v & (((u128)1 << bits) - 1);
}

/* A tag that is the discriminant itself, wherever a variant exists. */
static bool is_direct(const struct pm_type *t, const struct pm_get *g, unsigned bits,
                      bool *is_signed) {
  bool zero_ok = true, sign_ok = true;
  if (g->otherwise && g->otherwise->kind != PM_GET_INVALID)
    return false;
  for (uint32_t i = 0; i < g->n_cases; i++) {
    const struct pm_get_case *c = &g->cases[i];
    if (c->lo != c->hi || c->then->kind != PM_GET_VARIANT)
      return false;
    u128 want = low_bits(discr_of(&t->variants[c->then->variant]), bits);
    u128 sign =
        g->bits < 128 && (c->lo >> (g->bits - 1)) ? c->lo | ~low_bits(~(u128)0, g->bits) : c->lo;
    zero_ok = zero_ok && low_bits(c->lo, bits) == want;
    sign_ok = sign_ok && low_bits(sign, bits) == want;
  }
  *is_signed = !zero_ok && sign_ok;
  return g->n_cases > 0 && (zero_ok || sign_ok);
}

static ll_v in_range(struct ll *l, ll_v tag, const struct pm_get_case *c) {
  LLVMTypeRef t = LLVMTypeOf(tag);
  ll_v lo = wide_const(t, c->lo);
  if (c->lo == c->hi)
    return LLVMBuildICmp(l->b, LLVMIntEQ, tag, lo, "");
  ll_v from = LLVMBuildSub(l->b, tag, lo, "");
  return LLVMBuildICmp(l->b, LLVMIntULE, from, wide_const(t, c->hi - c->lo), "");
}

static ll_v walk(const struct ll_enum_at *e, const struct pm_get *g, LLVMTypeRef discr,
                 unsigned bits) {
  struct ll *l = e->fc->l;
  bool is_signed;
  switch (g->kind) {
  case PM_GET_VARIANT:
    return wide_const(discr, discr_of(&e->t->variants[g->variant]));
  case PM_GET_INVALID:
    return LLVMGetUndef(discr);
  case PM_GET_SWITCH:
    break;
  }
  ll_v tag = read_tag(e, g);
  if (is_direct(e->t, g, bits, &is_signed))
    return ll_resize(l, tag, bits, is_signed);
  ll_v r = g->otherwise ? walk(e, g->otherwise, discr, bits) : LLVMGetUndef(discr);
  for (uint32_t i = g->n_cases; i-- > 0;) {
    ll_v then = walk(e, g->cases[i].then, discr, bits);
    /* What cannot be may as well be the other side: no comparison then. */
    if (LLVMIsUndef(r))
      r = then;
    else if (!LLVMIsUndef(then))
      r = LLVMBuildSelect(l->b, in_range(l, tag, &g->cases[i]), then, r, "");
  }
  return r;
}

static ll_v discriminant(const struct ll_enum_at *e) {
  const struct pm_type *d = ll_ty(e->fc->l, e->t->elem);
  unsigned bits = (unsigned)d->size * 8;
  return walk(e, e->t->get, ll_int(e->fc->l, bits), bits);
}

ll_v ll_discriminant(struct ll_fn *fc, pm_ty ty, ll_v addr, uint64_t align) {
  struct ll_enum_at e = {fc, ll_ty(fc->l, ty), addr, align, NULL};
  return discriminant(&e);
}

ll_v ll_discriminant_of(struct ll_fn *fc, const struct ll_val *v) {
  struct ll_enum_at e = {fc, ll_ty(fc->l, v->ty), v->v[0], v->align, v->mem ? NULL : v};
  return discriminant(&e);
}

static u128 set_bits(const struct pm_set *s) {
  return (u128)s->hi << 64 | s->lo;
}

void ll_set_variant(struct ll *l, pm_ty ty, uint32_t variant, ll_v addr, uint64_t align) {
  const struct pm_variant *v = &ll_ty(l, ty)->variants[variant];
  for (uint32_t i = 0; i < v->n_sets; i++) {
    const struct pm_set *s = &v->sets[i];
    bool null = set_bits(s) == 0 && tag_is_pointer(l, ll_ty(l, ty), s->off, s->bits);
    ll_v mark = null ? LLVMConstNull(l->ptr) : wide_const(ll_int(l, s->bits), set_bits(s));
    ll_store(l, mark, ll_gep(l, addr, s->off), ll_align_at(align, s->off));
  }
}

/* The same on a value held in leaves. */
void ll_set_variant_of(struct ll *l, struct ll_val *val, uint32_t variant) {
  const struct ll_shape *s = ll_shape(l, val->ty);
  const struct pm_variant *v = &ll_ty(l, val->ty)->variants[variant];
  for (uint32_t i = 0; i < v->n_sets; i++) {
    unsigned k = 0;
    while (k < s->n && s->leaf[k].off != v->sets[i].off)
      k++;
    if (k == s->n || s->leaf[k].bits != v->sets[i].bits)
      BUG("a tag that is no leaf");
    val->v[k] = ll_const_bits(l, &s->leaf[k], set_bits(&v->sets[i]));
  }
}

/* A variant whose pointer stands where the others have their mark never holds a mark: what is asked about it
 * later has an answer. `v` is that part of the new value. The call is gone after the clean-up. */
ll_v ll_promise_variant(struct ll *l, pm_ty ty, uint32_t variant, uint64_t off, ll_v v) {
  const struct pm_type *t = ll_ty(l, ty);
  const struct pm_get *g = t->get;
  if (!ll_optimises(l) || t->variants[variant].n_sets > 0 || LLVMTypeOf(v) != l->ptr || LLVMIsConstant(v))
    return v;
  if (!g || g->kind != PM_GET_SWITCH || g->at != off || g->bits != 64)
    return v;
  for (uint32_t i = 0; i < g->n_cases; i++) {
    const struct pm_get_case *c = &g->cases[i];
    if (c->lo == 0 && c->then->kind == PM_GET_VARIANT && c->then->variant != variant)
      return ll_not_null(l, v);
  }
  return v;
}
