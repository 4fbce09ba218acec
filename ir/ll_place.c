/* Places and operands. */
#include "ir/ll.h"

/* ---- values made of leaves ---- */
static ll_v convert_leaf(struct ll *l, ll_v v, enum ll_leaf_kind from, enum ll_leaf_kind to,
                         LLVMTypeRef type) {
  if (from == to)
    return v;
  if (from == LEAF_INT && to == LEAF_BOOL)
    return LLVMBuildTrunc(l->b, v, l->i1, "");
  if (from == LEAF_BOOL && to == LEAF_INT)
    return LLVMBuildZExt(l->b, v, type, "");
  if (from == LEAF_PTR && to == LEAF_INT)
    return LLVMBuildPtrToInt(l->b, v, type, "");
  if (from == LEAF_INT && to == LEAF_PTR)
    return LLVMBuildIntToPtr(l->b, v, type, "");
  if (from == LEAF_FLOAT && to == LEAF_INT)
    return LLVMBuildBitCast(l->b, v, type, "");
  if (from == LEAF_INT && to == LEAF_FLOAT)
    return LLVMBuildBitCast(l->b, v, type, "");
  BUG("leaf of kind %d read as %d", (int)from, (int)to);
}

ll_v ll_const_bits(struct ll *l, const struct ll_leaf *lf, u128 bits) {
  uint64_t w[] = {(uint64_t)bits, (uint64_t)(bits >> 64)};
  ll_v k;
  if (lf->kind == LEAF_BOOL)
    return LLVMConstInt(l->i1, w[0] & 1, 0);
  k = LLVMConstIntOfArbitraryPrecision(ll_int(l, lf->bits), lf->bits > 64 ? 2 : 1, w);
  if (lf->kind == LEAF_PTR)
    return w[0] == 0 ? LLVMConstNull(l->ptr) : LLVMConstIntToPtr(k, l->ptr);
  return lf->kind == LEAF_FLOAT ? LLVMConstBitCast(k, ll_float(l, lf->bits)) : k;
}

struct ll_val ll_undef(struct ll *l, pm_ty ty) {
  const struct ll_shape *s = ll_shape(l, ty);
  struct ll_val v = {.ty = ty, .mem = s->mem, .n = s->n, .align = ll_ty(l, ty)->align};
  for (unsigned i = 0; i < s->n; i++)
    v.v[i] = LLVMGetUndef(ll_leaf_type(l, &s->leaf[i]));
  return v;
}

struct ll_val ll_bits_val(struct ll *l, pm_ty ty, u128 bits) {
  const struct ll_shape *s = ll_shape(l, ty);
  const struct pm_type *t = ll_ty(l, ty);
  struct ll_val v = ll_undef(l, ty);
  if (s->mem) {
    v.v[0] = ll_temp(l, t->size, t->align);
    ll_store_bits(l, v.v[0], t->align, t->size, bits);
  }
  for (unsigned i = 0; i < s->n; i++)
    v.v[i] = ll_const_bits(l, &s->leaf[i], bits >> (s->leaf[i].off * 8));
  return v;
}

/* A value whose leaves are given; they are converted when the type's own leaves differ in kind (a
 * pointer made of an integer, an `Ordering` made of an i8). */
struct ll_val ll_one(struct ll *l, pm_ty ty, ll_v v) {
  struct ll_val r = ll_undef(l, ty);
  ASSERT(!r.mem && r.n == 1);
  r.v[0] = v;
  return r;
}

struct ll_val ll_two(struct ll *l, pm_ty ty, ll_v a, ll_v b) {
  struct ll_val r = ll_undef(l, ty);
  ASSERT(!r.mem && r.n == 2);
  r.v[0] = a;
  r.v[1] = b;
  return r;
}

struct ll_val ll_tuple(struct ll *l, pm_ty ty, ll_v a, ll_v b) {
  const struct pm_type *t = ll_ty(l, ty);
  ASSERT(t->n_fields == 2);
  return t->fields[0].off <= t->fields[1].off ? ll_two(l, ty, a, b) : ll_two(l, ty, b, a);
}

struct ll_val ll_part(struct ll_fn *fc, const struct ll_val *v, pm_ty ty, uint64_t off) {
  struct ll *l = fc->l;
  if (v->mem) {
    if (!v->v[0])
      return ll_undef(l, ty);
    return ll_load_val(l, ty, ll_gep(l, v->v[0], off), ll_align_at(v->align, off), false);
  }
  const struct ll_shape *whole = ll_shape(l, v->ty), *s = ll_shape(l, ty);
  struct ll_val r = ll_undef(l, ty);
  if (s->mem)
    BUG("a part of scalars that lives in memory");
  for (unsigned i = 0; i < s->n; i++) {
    unsigned k = 0;
    while (k < whole->n && whole->leaf[k].off != off + s->leaf[i].off)
      k++;
    if (k == whole->n || whole->leaf[k].bits != s->leaf[i].bits)
      BUG("no such part of a value");
    r.v[i] = convert_leaf(l, v->v[k], whole->leaf[k].kind, s->leaf[i].kind,
                          ll_leaf_type(l, &s->leaf[i]));
  }
  return r;
}

/* ---- locals ---- */
void ll_slot_for(struct ll_fn *fc, uint32_t local) {
  struct ll *l = fc->l;
  struct ll_local *lo = &fc->locals[local];
  pm_ty ty = fc->f->locals[local].ty;
  const struct pm_type *t = ll_ty(l, ty);
  const struct ll_shape *s = ll_shape(l, ty);
  if (lo->addr)
    return;
  if (t->size == 0) {
    lo->addr = LLVMConstIntToPtr(ll_usize(l, t->align), l->ptr);
    return;
  }
  if (s->n == 1 && s->leaf[0].off == 0) {
    lo->slot = ll_alloca(l, ll_leaf_mem(l, &s->leaf[0]), t->align);
    lo->addr = LLVMBuildBitCast(l->allocas, lo->slot, l->ptr, "");
  } else {
    lo->addr = ll_temp(l, t->size, t->align);
  }
}

void ll_define_local(struct ll_fn *fc, uint32_t local, const struct ll_val *v) {
  struct ll_local *lo = &fc->locals[local];
  ASSERT(!v->mem);
  for (unsigned i = 0; i < v->n; i++)
    lo->v[i] = v->v[i];
}

static struct ll_val local_val(struct ll_fn *fc, uint32_t local) {
  struct ll_val v = ll_undef(fc->l, fc->f->locals[local].ty);
  for (unsigned i = 0; i < v.n; i++)
    if (fc->locals[local].v[i])
      v.v[i] = fc->locals[local].v[i];
  return v;
}

/* ---- steps of a place ---- */
static struct ll_val value_at(struct ll_fn *fc, const struct ll_place *p, pm_ty ty) {
  if (p->ssa) {
    struct ll_val v = local_val(fc, p->local);
    return ll_part(fc, &v, ty, p->off);
  }
  return ll_load_val(fc->l, ty, p->addr, p->align, false);
}

static void step_deref(struct ll_fn *fc, struct ll_place *p) {
  const struct pm_type *t = ll_ty(fc->l, p->ty);
  if (t->kind != PM_PTR)
    BUG("deref of `%.*s`", STR_ARG(t->name));
  struct ll_val v = value_at(fc, p, p->ty);
  p->ssa = false;
  p->addr = v.v[0];
  p->meta = t->meta == PM_META_NONE ? NULL : v.v[1];
  p->ty = t->elem;
  p->align = ll_ty(fc->l, t->elem)->align;
}

static void step_field(struct ll_fn *fc, struct ll_place *p, const struct pm_field *f) {
  if (p->ssa) {
    p->off += f->off;
  } else {
    p->addr = ll_gep(fc->l, p->addr, f->off);
    p->align = ll_align_at(p->align, f->off);
  }
  p->ty = f->ty;
  if (p->meta && !ll_is_unsized(fc->l, p->ty))
    p->meta = NULL;
}

static void to_element(struct ll_fn *fc, struct ll_place *p, ll_v index) {
  const struct pm_type *t = ll_ty(fc->l, p->ty);
  uint64_t size = ll_ty(fc->l, t->elem)->size, at;
  if (ll_is_const(index, &at) && at < UINT32_MAX && size < UINT32_MAX) {
    p->addr = ll_gep(fc->l, p->addr, at * size);
    p->align = ll_align_at(p->align, at * size);
  } else {
    p->addr = ll_elem(fc->l, p->addr, index, size, true);
    p->align = ll_align_at(p->align, size);
  }
  p->ty = t->elem;
  p->meta = NULL;
}

static ll_v length_of(struct ll_fn *fc, const struct ll_place *p) {
  const struct pm_type *t = ll_ty(fc->l, p->ty);
  return t->kind == PM_ARRAY ? ll_usize(fc->l, t->len) : p->meta;
}

static void step_constant(struct ll_fn *fc, struct ll_place *p, const struct pm_proj *s) {
  ll_v i = ll_usize(fc->l, s->x);
  if (s->from_end)
    i = LLVMBuildSub(fc->l->b, length_of(fc, p), i, "");
  to_element(fc, p, i);
}

static void step_subslice(struct ll_fn *fc, struct ll_place *p, const struct pm_proj *s) {
  const struct pm_type *t = ll_ty(fc->l, p->ty);
  ll_v len = length_of(fc, p);
  uint64_t off = s->x * ll_ty(fc->l, t->elem)->size;
  bool slice = t->kind != PM_ARRAY;
  p->addr = ll_gep(fc->l, p->addr, off);
  p->align = ll_align_at(p->align, off);
  p->ty = s->ty;
  p->meta = NULL;
  if (!slice)
    return;
  ll_v end =
      s->from_end ? LLVMBuildSub(fc->l->b, len, ll_usize(fc->l, s->y), "") : ll_usize(fc->l, s->y);
  p->meta = LLVMBuildSub(fc->l->b, end, ll_usize(fc->l, s->x), "");
}

static ll_v index_local(struct ll_fn *fc, uint32_t local) {
  struct pm_place p = {.local = local};
  return ll_read_place(fc, &p).v[0];
}

struct ll_place ll_place_of(struct ll_fn *fc, const struct pm_place *pl) {
  struct ll *l = fc->l;
  const struct ll_local *lo = &fc->locals[pl->local];
  struct ll_place p = {.ty = fc->f->locals[pl->local].ty, .local = pl->local};
  uint32_t variant = PM_NONE;
  p.align = ll_ty(l, p.ty)->align;
  p.ssa = lo->ssa;
  if (!p.ssa) {
    ll_slot_for(fc, pl->local);
    p.addr = lo->addr;
  }
  for (uint32_t i = 0; i < pl->n; i++) {
    const struct pm_proj *s = &pl->proj[i];
    const struct pm_type *t = ll_ty(l, p.ty);
    uint32_t in = variant;
    variant = PM_NONE;
    switch (s->kind) {
    case PM_DEREF:
      step_deref(fc, &p);
      break;
    case PM_FIELD:
      step_field(fc, &p, in == PM_NONE ? &t->fields[s->a] : &t->variants[in].fields[s->a]);
      break;
    case PM_VARIANT:
      variant = s->a;
      break;
    case PM_INDEX:
      to_element(fc, &p, index_local(fc, s->a));
      break;
    case PM_CINDEX:
      step_constant(fc, &p, s);
      break;
    case PM_SUBSLICE:
      step_subslice(fc, &p, s);
      break;
    }
  }
  return p;
}

struct ll_val ll_read_place(struct ll_fn *fc, const struct pm_place *pl) {
  struct ll *l = fc->l;
  struct ll_local *lo = &fc->locals[pl->local];
  if (pl->n == 0 && !lo->ssa) {
    ll_slot_for(fc, pl->local);
    if (lo->slot) { /* one scalar: without a cast of the address */
      pm_ty ty = fc->f->locals[pl->local].ty;
      const struct ll_leaf *lf = &ll_shape(l, ty)->leaf[0];
      ll_v v = LLVMBuildLoad2(l->b, ll_leaf_mem(l, lf), lo->slot, "");
      LLVMSetAlignment(v, LLVMGetAlignment(lo->slot));
      if (lf->kind == LEAF_BOOL)
        v = LLVMBuildTrunc(l->b, v, l->i1, "");
      return ll_one(l, ty, v);
    }
  }
  struct ll_place p = ll_place_of(fc, pl);
  return value_at(fc, &p, p.ty);
}

/* ---- operands ---- */
struct ll_val ll_operand(struct ll_fn *fc, const struct pm_operand *op) {
  struct ll *l = fc->l;
  switch ((enum pm_operand_kind)op->kind) {
  case PM_COPY:
  case PM_MOVE:
    return ll_read_place(fc, &op->u.place);
  case PM_BITS:
    return ll_bits_val(l, op->ty, (u128)op->u.bits.hi << 64 | op->u.bits.lo);
  case PM_ZERO:
  case PM_UNINIT:
    return ll_undef(l, op->ty);
  case PM_FROM:
    return ll_const_from(fc, op->ty, op->u.addr.id, op->u.addr.add);
  case PM_ADDR: {
    ll_v a = ll_global_addr(l, (enum pm_reloc_kind)op->to, op->u.addr.id, op->u.addr.add);
    struct ll_val v = ll_undef(l, op->ty);
    ASSERT(!v.mem && v.n == 1);
    v.v[0] = convert_leaf(l, a, LEAF_PTR, ll_shape(l, op->ty)->leaf[0].kind, LLVMTypeOf(v.v[0]));
    return v;
  }
  case PM_WIDE: {
    ll_v a = ll_global_addr(l, (enum pm_reloc_kind)op->to, op->u.addr.id, op->u.addr.add);
    return ll_two(l, op->ty, a, ll_usize(l, op->u.addr.meta));
  }
  }
  BUG("operand kind %d", op->kind);
}

ll_v ll_scalar(struct ll_fn *fc, const struct pm_operand *op) {
  struct ll_val v = ll_operand(fc, op);
  if (v.mem || v.n != 1)
    BUG("operand of type `%.*s` is not a scalar", STR_ARG(ll_ty(fc->l, v.ty)->name));
  return v.v[0];
}

/* ---- assignment ---- */
static void store_slot(struct ll *l, const struct ll_local *lo, const struct ll_val *v) {
  ll_v x = v->v[0];
  if (LLVMIsUndef(x))
    return;
  if (LLVMTypeOf(x) == l->i1)
    x = LLVMBuildZExt(l->b, x, l->i8, "");
  LLVMSetAlignment(LLVMBuildStore(l->b, x, lo->slot), LLVMGetAlignment(lo->slot));
}

static void assign(struct ll_fn *fc, const struct pm_place *pl, const struct ll_val *v) {
  struct ll *l = fc->l;
  struct ll_local *lo = &fc->locals[pl->local];
  struct ll_val as = *v;
  if (pl->n == 0) {
    pm_ty ty = fc->f->locals[pl->local].ty;
    if (v->ty != ty)
      as = ll_transmute(fc, v, ty);
    if (lo->ssa) {
      ll_define_local(fc, pl->local, &as);
      return;
    }
    if (lo->constant && as.mem && as.v[0] && as.align >= ll_ty(l, ty)->align) {
      lo->addr = as.v[0];
      return;
    }
    ll_slot_for(fc, pl->local);
    if (lo->slot) {
      store_slot(l, lo, &as);
      return;
    }
  }
  struct ll_place p = ll_place_of(fc, pl);
  if (as.ty != p.ty)
    as = ll_transmute(fc, &as, p.ty);
  ll_store_val(l, &as, p.addr, p.align, false);
}

void ll_assign(struct ll_fn *fc, const struct pm_place *pl, const struct ll_val *v) {
  assign(fc, pl, v);
  if (pl->n == 0)
    ll_debug_assigned(fc, pl->local);
}
