/* Rvalues. */
#include "ir/ll.h"

#define UNROLL_COPIES 8

/* ---- comparisons ---- */
static LLVMIntPredicate int_predicate(enum pm_bin op, bool sg) {
  switch (op) {
  case PM_EQ:
    return LLVMIntEQ;
  case PM_NE:
    return LLVMIntNE;
  case PM_LT:
    return sg ? LLVMIntSLT : LLVMIntULT;
  case PM_LE:
    return sg ? LLVMIntSLE : LLVMIntULE;
  case PM_GT:
    return sg ? LLVMIntSGT : LLVMIntUGT;
  case PM_GE:
    return sg ? LLVMIntSGE : LLVMIntUGE;
  default:
    BUG("comparison %d", (int)op);
  }
}

static LLVMRealPredicate real_predicate(enum pm_bin op) {
  switch (op) {
  case PM_EQ:
    return LLVMRealOEQ;
  case PM_NE:
    return LLVMRealUNE;
  case PM_LT:
    return LLVMRealOLT;
  case PM_LE:
    return LLVMRealOLE;
  case PM_GT:
    return LLVMRealOGT;
  case PM_GE:
    return LLVMRealOGE;
  default:
    BUG("comparison %d", (int)op);
  }
}

/* Address first, then metadata. */
static ll_v compare_wide(struct ll *l, enum pm_bin op, const struct ll_val *a,
                         const struct ll_val *b) {
  ll_v same = LLVMBuildICmp(l->b, LLVMIntEQ, a->v[0], b->v[0], "");
  ll_v meta = LLVMBuildICmp(l->b, int_predicate(op, false), a->v[1], b->v[1], "");
  if (op == PM_EQ)
    return LLVMBuildAnd(l->b, same, meta, "");
  ll_v addr = LLVMBuildICmp(l->b, int_predicate(op, false), a->v[0], b->v[0], "");
  if (op == PM_NE)
    return LLVMBuildOr(l->b, addr, meta, "");
  return LLVMBuildSelect(l->b, same, meta, addr, "");
}

ll_v ll_compare(struct ll_fn *fc, enum pm_bin op, const struct ll_val *a, const struct ll_val *b) {
  struct ll *l = fc->l;
  const struct pm_type *t = ll_ty(l, a->ty);
  if (a->mem || b->mem || a->n != b->n)
    BUG("comparison of `%.*s`", STR_ARG(t->name));
  if (a->n == 0)
    return LLVMConstInt(l->i1, op == PM_EQ || op == PM_LE || op == PM_GE, 0);
  if (a->n == 2)
    return compare_wide(l, op, a, b);
  if (t->kind == PM_FLOAT)
    return LLVMBuildFCmp(l->b, real_predicate(op), a->v[0], b->v[0], "");
  return LLVMBuildICmp(l->b, int_predicate(op, t->kind == PM_INT && t->is_signed), a->v[0], b->v[0],
                       "");
}

/* Ordering: the bits that choose its variants Less, Equal, Greater. */
static struct ll_val three_way(struct ll_fn *fc, pm_ty ty, const struct ll_val *a,
                               const struct ll_val *b) {
  struct ll *l = fc->l;
  const struct pm_type *t = ll_ty(l, ty);
  ll_v k[3];
  if (t->kind != PM_ENUM || t->n_variants != 3)
    BUG("Cmp does not yield an Ordering");
  for (unsigned i = 0; i < 3; i++) {
    struct ll_val v = ll_undef(l, ty);
    if (v.mem || v.n != 1)
      BUG("Ordering is not a scalar");
    ll_set_variant_of(l, &v, i);
    k[i] = v.v[0];
  }
  ll_v less = ll_compare(fc, PM_LT, a, b), equal = ll_compare(fc, PM_EQ, a, b);
  ll_v r = LLVMBuildSelect(l->b, equal, k[1], k[2], "");
  return ll_one(l, ty, LLVMBuildSelect(l->b, less, k[0], r, ""));
}

/* ---- binary and unary ---- */
static ll_v offset(struct ll *l, pm_ty ptr_ty, ll_v p, ll_v n) {
  uint64_t size = ll_ty(l, ll_ty(l, ptr_ty)->elem)->size;
  return ll_elem(l, p, n, size, true);
}

static struct ll_val binary(struct ll_fn *fc, const struct pm_rvalue *rv, pm_ty dest) {
  struct ll *l = fc->l;
  enum pm_bin op = (enum pm_bin)rv->op;
  struct ll_val a = ll_operand(fc, &rv->ops[0]), b = ll_operand(fc, &rv->ops[1]);
  const struct pm_type *t = ll_ty(l, a.ty);
  switch (op) {
  case PM_EQ:
  case PM_NE:
  case PM_LT:
  case PM_LE:
  case PM_GT:
  case PM_GE:
    return ll_one(l, dest, ll_compare(fc, op, &a, &b));
  case PM_CMP:
    return three_way(fc, dest, &a, &b);
  case PM_OFFSET:
    return ll_one(l, dest, offset(l, a.ty, a.v[0], b.v[0]));
  case PM_ADD_O:
  case PM_SUB_O:
  case PM_MUL_O: {
    struct ll_overflow r = ll_overflowing(l, op, t->is_signed, a.v[0], b.v[0]);
    return ll_tuple(l, dest, r.value, r.flag);
  }
  default:
    break;
  }
  if (a.mem || a.n != 1 || b.n != 1)
    BUG("operator on `%.*s`", STR_ARG(t->name));
  return ll_one(l, dest,
                t->kind == PM_FLOAT ? ll_binary_float(fc, op, a.v[0], b.v[0])
                                    : ll_binary_int(fc, op, t, a.v[0], b.v[0]));
}

static struct ll_val unary(struct ll_fn *fc, const struct pm_rvalue *rv, pm_ty dest) {
  struct ll *l = fc->l;
  struct ll_val a = ll_operand(fc, &rv->ops[0]);
  const struct pm_type *t = ll_ty(l, a.ty);
  switch ((enum pm_un)rv->op) {
  case PM_NOT:
    return ll_one(l, dest, LLVMBuildNot(l->b, a.v[0], ""));
  case PM_NEG:
    return ll_one(l, dest,
                  t->kind == PM_FLOAT ? ll_fneg(l, a.v[0]) : ll_sub(l, ll_k(a.v[0], 0), a.v[0]));
  case PM_PTR_META:
    return t->kind == PM_PTR && t->meta != PM_META_NONE ? ll_one(l, dest, a.v[1])
                                                        : ll_undef(l, dest);
  case PM_UN_END:
    break;
  }
  BUG("unary operator %d", rv->op);
}

/* ---- casts ---- */
static bool same_leaves(const struct ll_shape *a, const struct ll_shape *b) {
  if (a->mem || b->mem || a->n != b->n)
    return false;
  for (unsigned i = 0; i < a->n; i++)
    if (a->leaf[i].off != b->leaf[i].off || a->leaf[i].bits != b->leaf[i].bits)
      return false;
  return true;
}

static ll_v leaf_as(struct ll *l, const struct ll_leaf *from, const struct ll_leaf *to, ll_v v) {
  LLVMTypeRef t = ll_leaf_type(l, to), it = ll_int(l, from->bits);
  if (from->kind == to->kind)
    return v;
  if (from->kind == LEAF_PTR)
    v = LLVMBuildPtrToInt(l->b, v, it, "");
  if (from->kind == LEAF_FLOAT)
    v = LLVMBuildBitCast(l->b, v, it, "");
  if (from->kind == LEAF_BOOL)
    v = LLVMBuildZExt(l->b, v, it, "");
  switch (to->kind) {
  case LEAF_PTR:
    return LLVMBuildIntToPtr(l->b, v, t, "");
  case LEAF_FLOAT:
    return LLVMBuildBitCast(l->b, v, t, "");
  case LEAF_BOOL:
    return LLVMBuildTrunc(l->b, v, t, "");
  case LEAF_INT:
    return v;
  }
  BUG("leaf kind %d", (int)to->kind);
}

/* The same bytes as another type; through memory unless the scalars lie alike. */
struct ll_val ll_transmute(struct ll_fn *fc, const struct ll_val *v, pm_ty to) {
  struct ll *l = fc->l;
  const struct pm_type *a = ll_ty(l, v->ty), *b = ll_ty(l, to);
  const struct ll_shape *sa = ll_shape(l, v->ty), *sb = ll_shape(l, to);
  struct ll_val r = ll_undef(l, to);
  if (a->size != b->size)
    BUG("`%.*s` taken for `%.*s`", STR_ARG(a->name), STR_ARG(b->name));
  if (b->size == 0)
    return r;
  if (same_leaves(sa, sb)) {
    for (unsigned i = 0; i < r.n; i++)
      r.v[i] = leaf_as(l, &sa->leaf[i], &sb->leaf[i], v->v[i]);
    return r;
  }
  if (v->mem && !v->v[0])
    return r;
  if (v->mem)
    return ll_load_val(l, to, v->v[0], v->align, false);
  uint64_t align = a->align > b->align ? a->align : b->align;
  ll_v p = ll_temp(l, b->size, align);
  ll_store_val(l, v, p, align, false);
  return ll_load_val(l, to, p, align, false);
}

static struct ll_val pointer_cast(struct ll_fn *fc, const struct ll_val *a, pm_ty to) {
  struct ll *l = fc->l;
  struct ll_val r = ll_undef(l, to);
  const struct ll_shape *sa = ll_shape(l, a->ty), *sb = ll_shape(l, to);
  if (a->mem || r.mem || r.n > a->n)
    return ll_transmute(fc, a, to);
  for (unsigned i = 0; i < r.n; i++)
    r.v[i] = leaf_as(l, &sa->leaf[i], &sb->leaf[i], a->v[i]);
  return r;
}

static struct ll_val unsize(struct ll_fn *fc, const struct pm_rvalue *rv, const struct ll_val *a) {
  struct ll *l = fc->l;
  const struct pm_type *from = ll_ty(l, a->ty), *to = ll_ty(l, rv->ty);
  if (from->kind == PM_PTR && to->kind == PM_PTR && from->meta == PM_META_NONE &&
      to->meta == PM_META_LEN && ll_ty(l, from->elem)->kind == PM_ARRAY)
    return ll_two(l, rv->ty, a->v[0], ll_usize(l, ll_ty(l, from->elem)->len));
  struct diag *d =
      ll_refuse(fc, MD0303, "`%.*s` becomes `%.*s`", STR_ARG(from->name), STR_ARG(to->name));
  if (d)
    diag_help(d, "use a generic parameter instead of `dyn`");
  return ll_undef(l, rv->ty);
}

static bool is_signed(const struct pm_type *t) {
  return t->kind == PM_INT && t->is_signed;
}

static struct ll_val cast(struct ll_fn *fc, const struct pm_rvalue *rv) {
  struct ll *l = fc->l;
  struct ll_val a = ll_operand(fc, &rv->ops[0]);
  const struct pm_type *from = ll_ty(l, a.ty), *to = ll_ty(l, rv->ty);
  ll_v v = a.v[0];
  switch ((enum pm_cast)rv->op) {
  case PM_INT_TO_INT:
    return ll_one(
        l, rv->ty,
        ll_resize(l, v, to->kind == PM_BOOL ? 1 : (unsigned)to->size * 8, is_signed(from)));
  case PM_INT_TO_FLOAT:
    return ll_one(l, rv->ty, ll_int_to_float(l, v, is_signed(from), ll_float(l, to->bits)));
  case PM_FLOAT_TO_INT:
    return ll_one(l, rv->ty, ll_float_to_int(l, v, is_signed(to), (unsigned)to->size * 8));
  case PM_FLOAT_TO_FLOAT:
    return ll_one(l, rv->ty, ll_float_cast(l, v, ll_float(l, to->bits)));
  case PM_PTR_TO_PTR:
    return pointer_cast(fc, &a, rv->ty);
  case PM_PTR_TO_INT:
    v = LLVMBuildPtrToInt(l->b, v, l->i64, "");
    return ll_one(l, rv->ty, ll_resize(l, v, (unsigned)to->size * 8, false));
  case PM_INT_TO_PTR:
    v = ll_resize(l, v, 64, is_signed(from));
    return ll_one(l, rv->ty, LLVMBuildIntToPtr(l->b, v, l->ptr, ""));
  case PM_TRANSMUTE:
    return ll_transmute(fc, &a, rv->ty);
  case PM_UNSIZE:
    return unsize(fc, rv, &a);
  case PM_CAST_END:
    break;
  }
  BUG("cast %d", rv->op);
}

/* ---- aggregates ---- */
static const struct pm_field *agg_fields(struct ll *l, const struct pm_rvalue *rv, uint32_t i) {
  const struct pm_type *t = ll_ty(l, rv->ty);
  if (t->kind == PM_ENUM)
    return &t->variants[rv->variant].fields[i];
  if (t->kind == PM_UNION)
    return &t->fields[rv->variant];
  return &t->fields[i];
}

static uint64_t agg_offset(struct ll *l, const struct pm_rvalue *rv, uint32_t i) {
  const struct pm_type *t = ll_ty(l, rv->ty);
  return t->kind == PM_ARRAY ? i * ll_ty(l, t->elem)->size : agg_fields(l, rv, i)->off;
}

static void promise(struct ll_fn *fc, const struct pm_rvalue *rv, struct ll_val *v, uint64_t off) {
  const struct ll_shape *s = ll_shape(fc->l, v->ty);
  if (ll_ty(fc->l, rv->ty)->kind != PM_ENUM || v->mem)
    return;
  for (unsigned k = 0; k < v->n; k++)
    v->v[k] = ll_promise_variant(fc->l, rv->ty, rv->variant, off + s->leaf[k].off, v->v[k]);
}

static struct ll_val agg_leaves(struct ll_fn *fc, const struct pm_rvalue *rv) {
  struct ll *l = fc->l;
  const struct ll_shape *s = ll_shape(l, rv->ty);
  struct ll_val r = ll_undef(l, rv->ty);
  for (uint32_t i = 0; i < rv->n_ops; i++) {
    struct ll_val v = ll_operand(fc, &rv->ops[i]);
    const struct ll_shape *vs = ll_shape(l, v.ty);
    uint64_t off = agg_offset(l, rv, i);
    promise(fc, rv, &v, off);
    for (unsigned k = 0; k < v.n; k++) {
      unsigned at = 0;
      while (at < s->n && s->leaf[at].off != off + vs->leaf[k].off)
        at++;
      if (at == s->n)
        BUG("no place for a field of `%.*s`", STR_ARG(ll_ty(l, rv->ty)->name));
      r.v[at] = leaf_as(l, &vs->leaf[k], &s->leaf[at], v.v[k]);
    }
  }
  if (ll_ty(l, rv->ty)->kind == PM_ENUM)
    ll_set_variant_of(l, &r, rv->variant);
  return r;
}

/* An array of numbers that never changes is read where it lies. */
static struct ll_val agg_table(struct ll_fn *fc, const struct pm_rvalue *rv) {
  struct ll *l = fc->l;
  const struct pm_type *t = ll_ty(l, rv->ty);
  LLVMTypeRef elem = ll_leaf_mem(l, &ll_shape(l, t->elem)->leaf[0]);
  ll_v *of = arena_array(&l->scratch, ll_v, rv->n_ops);
  for (uint32_t i = 0; i < rv->n_ops; i++) {
    of[i] = ll_operand(fc, &rv->ops[i]).v[0];
    if (LLVMTypeOf(of[i]) == l->i1)
      of[i] = LLVMConstZExt(of[i], l->i8);
  }
  unsigned space = ll_const_space(l);
  ll_v g = LLVMAddGlobalInAddressSpace(l->mod, LLVMArrayType(elem, rv->n_ops), "mirdc_table", space);
  LLVMSetInitializer(g, LLVMConstArray(elem, of, rv->n_ops));
  LLVMSetLinkage(g, LLVMInternalLinkage);
  LLVMSetGlobalConstant(g, 1);
  LLVMSetAlignment(g, (unsigned)t->align);
  return (struct ll_val){
      .ty = rv->ty, .mem = true, .align = t->align, .v = {ll_generic(l, g, space)}};
}

/* Values are read before anything is stored; those that stay in memory may be parts of the
 * destination itself, which then is built aside. */
static bool may_overlap(const struct pm_rvalue *rv, const struct ll_val *vals,
                        const struct pm_place *dest) {
  for (uint32_t i = 0; i < rv->n_ops; i++) {
    const struct pm_operand *op = &rv->ops[i];
    if (!vals[i].mem || !vals[i].v[0] || (op->kind != PM_COPY && op->kind != PM_MOVE))
      continue;
    if (dest->n > 0 || op->u.place.local == dest->local)
      return true;
    for (uint32_t k = 0; k < op->u.place.n; k++)
      if (op->u.place.proj[k].kind == PM_DEREF)
        return true;
  }
  return false;
}

static void agg_memory(struct ll_fn *fc, const struct pm_place *dest, const struct pm_rvalue *rv) {
  struct ll *l = fc->l;
  const struct pm_type *t = ll_ty(l, rv->ty);
  struct arena_mark mark = arena_save(&l->scratch);
  struct ll_val *vals = arena_array(&l->scratch, struct ll_val, rv->n_ops);
  for (uint32_t i = 0; i < rv->n_ops; i++)
    vals[i] = ll_operand(fc, &rv->ops[i]);
  struct ll_place p = ll_place_of(fc, dest);
  bool aside = p.ssa || may_overlap(rv, vals, dest);
  ll_v to = aside ? ll_temp(l, t->size, t->align) : p.addr;
  uint64_t align = aside ? t->align : p.align;
  for (uint32_t i = 0; i < rv->n_ops; i++) {
    uint64_t off = agg_offset(l, rv, i);
    promise(fc, rv, &vals[i], off);
    ll_store_val(l, &vals[i], ll_gep(l, to, off), ll_align_at(align, off), false);
  }
  if (t->kind == PM_ENUM)
    ll_set_variant(l, rv->ty, rv->variant, to, align);
  if (aside)
    ll_memcpy(l, p.addr, p.align, to, align, t->size);
  arena_rewind(&l->scratch, mark);
}

/* ---- arrays of copies ---- */
static bool same_bytes(const struct ll_val *v, uint64_t size, uint64_t *byte) {
  uint64_t k;
  if (v->mem || v->n != 1)
    return false;
  if (LLVMIsConstant(v->v[0]) && LLVMIsNull(v->v[0])) {
    *byte = 0;
    return true;
  }
  if (!ll_is_const(v->v[0], &k) || size > 8)
    return false;
  *byte = k & 0xff;
  for (uint64_t i = 1; i < size; i++)
    if (((k >> (8 * i)) & 0xff) != *byte)
      return false;
  return true;
}

static void repeat_loop(struct ll *l, const struct ll_val *v, ll_v to, uint64_t align, uint64_t n) {
  uint64_t size = ll_ty(l, v->ty)->size;
  LLVMBasicBlockRef from = LLVMGetInsertBlock(l->b), body = ll_block(l, "fill");
  LLVMBasicBlockRef done = ll_block(l, "filled");
  LLVMBuildBr(l->b, body);
  ll_at(l, body);
  ll_v i = LLVMBuildPhi(l->b, l->i64, ""), zero = ll_usize(l, 0);
  ll_store_val(l, v, ll_elem(l, to, i, size, true), ll_align_at(align, size), false);
  ll_v next = LLVMBuildAdd(l->b, i, ll_usize(l, 1), "");
  LLVMBasicBlockRef back = LLVMGetInsertBlock(l->b);
  LLVMAddIncoming(i, &zero, &from, 1);
  LLVMAddIncoming(i, &next, &back, 1);
  LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntULT, next, ll_usize(l, n), ""), body, done);
  ll_at(l, done);
}

static void repeat(struct ll_fn *fc, const struct pm_place *dest, const struct pm_rvalue *rv) {
  struct ll *l = fc->l;
  struct ll_val v = ll_operand(fc, &rv->ops[0]);
  uint64_t n = rv->u.count, size = ll_ty(l, v.ty)->size, byte;
  struct ll_place p = ll_place_of(fc, dest);
  if (p.ssa) {
    struct ll_val r = ll_undef(l, p.ty);
    for (unsigned i = 0; i < r.n; i++)
      r.v[i] = v.v[i % v.n];
    ll_assign(fc, dest, &r);
    return;
  }
  if (n == 0 || size == 0 || (v.mem && !v.v[0]))
    return;
  if (same_bytes(&v, size, &byte)) {
    ll_memset(l, p.addr, p.align, LLVMConstInt(l->i8, byte, 0), n * size);
    return;
  }
  if (n > UNROLL_COPIES) {
    repeat_loop(l, &v, p.addr, p.align, n);
    return;
  }
  for (uint64_t i = 0; i < n; i++)
    ll_store_val(l, &v, ll_gep(l, p.addr, i * size), ll_align_at(p.align, i * size), false);
}

/* ---- the rest ---- */
static struct ll_val address_of(struct ll_fn *fc, const struct pm_place *pl, pm_ty dest) {
  struct ll_place p = ll_place_of(fc, pl);
  if (p.ssa)
    BUG("address of a local without memory");
  const struct pm_type *t = ll_ty(fc->l, dest);
  if (t->kind == PM_PTR && t->meta != PM_META_NONE)
    return ll_two(fc->l, dest, p.addr, p.meta);
  return ll_one(fc->l, dest, p.addr);
}

static struct ll_val discriminant(struct ll_fn *fc, const struct pm_place *pl, pm_ty dest) {
  struct ll *l = fc->l;
  struct ll_place p = ll_place_of(fc, pl);
  if (ll_ty(l, p.ty)->kind != PM_ENUM)
    return ll_bits_val(l, dest, 0); /* has none: 0 by rule */
  ll_v d;
  if (p.ssa) {
    struct ll_val v = ll_read_place(fc, pl);
    d = ll_discriminant_of(fc, &v);
  } else {
    d = ll_discriminant(fc, p.ty, p.addr, p.align);
  }
  return ll_one(l, dest, d);
}

static pm_ty place_type(struct ll_fn *fc, const struct pm_place *p) {
  return p->n > 0 ? p->proj[p->n - 1].ty : fc->f->locals[p->local].ty;
}

void ll_assign_rvalue(struct ll_fn *fc, const struct pm_place *dest, const struct pm_rvalue *rv) {
  pm_ty ty = place_type(fc, dest);
  struct ll_val v;
  switch ((enum pm_rv_kind)rv->kind) {
  case PM_USE:
    v = ll_operand(fc, &rv->ops[0]);
    break;
  case PM_BINARY:
    v = binary(fc, rv, ty);
    break;
  case PM_UNARY:
    v = unary(fc, rv, ty);
    break;
  case PM_CASTED:
    v = cast(fc, rv);
    break;
  case PM_REF:
  case PM_RAW:
    v = address_of(fc, &rv->u.place, ty);
    break;
  case PM_DISCR:
    v = discriminant(fc, &rv->u.place, ty);
    break;
  case PM_AGG:
    if (dest->n == 0 && fc->locals[dest->local].constant) {
      v = agg_table(fc, rv);
      break;
    }
    if (ll_shape(fc->l, rv->ty)->mem) {
      agg_memory(fc, dest, rv);
      return;
    }
    v = agg_leaves(fc, rv);
    break;
  case PM_REPEAT:
    repeat(fc, dest, rv);
    return;
  case PM_RAWFAT: {
    struct ll_val a = ll_operand(fc, &rv->ops[0]), m = ll_operand(fc, &rv->ops[1]);
    v = m.n == 0 ? ll_one(fc->l, rv->ty, a.v[0]) : ll_two(fc->l, rv->ty, a.v[0], m.v[0]);
    break;
  }
  default:
    BUG("rvalue kind %d", rv->kind);
  }
  ll_assign(fc, dest, &v);
}
