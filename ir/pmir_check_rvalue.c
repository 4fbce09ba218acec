/* Rvalues and assignments. */
#include "ir/pmir_check.h"

#include "base/fatal.h"

static const char *const bin_names[] = {
#define PM_BIN(id, name) name,
#define PM_UN(id, name)
#define PM_CAST(id, name)
#include "ir/ops.def"
};
static const char *const un_names[] = {
#define PM_BIN(id, name)
#define PM_UN(id, name) name,
#define PM_CAST(id, name)
#include "ir/ops.def"
};
static const char *const cast_names[] = {
#define PM_BIN(id, name)
#define PM_UN(id, name)
#define PM_CAST(id, name) name,
#include "ir/ops.def"
};

static bool is_int(const struct pm_type *t) {
  return t->kind == PM_INT;
}

static bool is_number(const struct pm_type *t) {
  return t->kind == PM_INT || t->kind == PM_FLOAT;
}

static bool is_logic(const struct pm_type *t) {
  return t->kind == PM_INT || t->kind == PM_BOOL;
}

static bool is_discrete(const struct pm_type *t) {
  return t->kind == PM_INT || t->kind == PM_BOOL || t->kind == PM_CHAR;
}

static bool is_comparable(const struct pm_type *t) {
  return is_discrete(t) || t->kind == PM_FLOAT || t->kind == PM_PTR || t->kind == PM_FNPTR;
}

static bool is_unit(const struct pm_type *t) {
  return t->kind == PM_TUPLE && t->n_fields == 0;
}

/* ---- operators ---- */

static bool no_operator(struct pm_check *c, const char *op, pm_ty a, pm_ty b) {
  if (b == PM_NONE)
    pc_error(c, MD0234, "`%s` is not defined for `%.*s` (%u)", op, PC_TY(c, a), a);
  else
    pc_error(c, MD0234, "`%s` is not defined for `%.*s` (%u) and `%.*s` (%u)", op, PC_TY(c, a), a,
             PC_TY(c, b), b);
  return false;
}

static bool bad_result(struct pm_check *c, const char *op, pm_ty dest, const char *wanted) {
  pc_error(c, MD0233, "the result of `%s` is %s, but the destination has the type `%.*s` (%u)", op,
           wanted, PC_TY(c, dest), dest);
  return false;
}

/* (T, bool) */
static bool is_overflow_pair(struct pm_check *c, pm_ty dest, pm_ty value) {
  const struct pm_type *t = pc_type(c, dest);
  return t->kind == PM_TUPLE && t->n_fields == 2 && pc_same(c, t->fields[0].ty, value) &&
         pc_type(c, t->fields[1].ty)->kind == PM_BOOL;
}

/* core::cmp::Ordering by its shape: three variants, one byte. */
static bool is_ordering(const struct pm_type *t) {
  return t->kind == PM_ENUM && t->n_variants == 3 && t->size == 1;
}

struct bin {
  const char *op;
  pm_ty a, b, dest;
};

static bool bin_arith(struct pm_check *c, const struct bin *x, bool (*ok)(const struct pm_type *)) {
  if (!ok(pc_type(c, x->a)) || !pc_same(c, x->a, x->b))
    return no_operator(c, x->op, x->a, x->b);
  return pc_want(c, x->a, x->dest, "the result of an operator");
}

static bool bin_overflow(struct pm_check *c, const struct bin *x) {
  if (!is_int(pc_type(c, x->a)) || !pc_same(c, x->a, x->b))
    return no_operator(c, x->op, x->a, x->b);
  return is_overflow_pair(c, x->dest, x->a) ||
         bad_result(c, x->op, x->dest, "a pair of a value and bool");
}

static bool bin_shift(struct pm_check *c, const struct bin *x) {
  if (!is_int(pc_type(c, x->a)) || !is_int(pc_type(c, x->b)))
    return no_operator(c, x->op, x->a, x->b);
  return pc_want(c, x->a, x->dest, "the result of an operator");
}

static bool bin_compare(struct pm_check *c, const struct bin *x) {
  if (!is_comparable(pc_type(c, x->a)) || !pc_same(c, x->a, x->b))
    return no_operator(c, x->op, x->a, x->b);
  return pc_type(c, x->dest)->kind == PM_BOOL || bad_result(c, x->op, x->dest, "bool");
}

static bool bin_cmp(struct pm_check *c, const struct bin *x) {
  if (!is_discrete(pc_type(c, x->a)) || !pc_same(c, x->a, x->b))
    return no_operator(c, x->op, x->a, x->b);
  return is_ordering(pc_type(c, x->dest)) || bad_result(c, x->op, x->dest, "an ordering");
}

static bool bin_offset(struct pm_check *c, const struct bin *x) {
  const struct pm_type *b = pc_type(c, x->b);
  if (!pc_is_thin(pc_type(c, x->a)) || !is_int(b) || b->bits != 64)
    return no_operator(c, x->op, x->a, x->b);
  return pc_want(c, x->a, x->dest, "the result of `Offset`");
}

static bool check_binary(struct pm_check *c, const struct pm_rvalue *rv, pm_ty dest) {
  const struct bin x = {bin_names[rv->op], rv->ops[0].ty, rv->ops[1].ty, dest};
  switch ((enum pm_bin)rv->op) {
  case PM_ADD:
  case PM_SUB:
  case PM_MUL:
  case PM_DIV:
  case PM_REM:
    return bin_arith(c, &x, is_number);
  case PM_ADD_O:
  case PM_SUB_O:
  case PM_MUL_O:
    return bin_overflow(c, &x);
  case PM_ADD_U:
  case PM_SUB_U:
  case PM_MUL_U:
    return bin_arith(c, &x, is_int);
  case PM_SHL:
  case PM_SHR:
  case PM_SHL_U:
  case PM_SHR_U:
    return bin_shift(c, &x);
  case PM_AND:
  case PM_OR:
  case PM_XOR:
    return bin_arith(c, &x, is_logic);
  case PM_EQ:
  case PM_NE:
  case PM_LT:
  case PM_LE:
  case PM_GT:
  case PM_GE:
    return bin_compare(c, &x);
  case PM_CMP:
    return bin_cmp(c, &x);
  case PM_OFFSET:
    return bin_offset(c, &x);
  case PM_BIN_END:
    break;
  }
  return false;
}

static bool check_meta(struct pm_check *c, pm_ty a, pm_ty dest) {
  const struct pm_type *t = pc_type(c, a), *d = pc_type(c, dest);
  if (t->kind != PM_PTR)
    return no_operator(c, un_names[PM_PTR_META], a, PM_NONE);
  if (t->meta == PM_META_VTABLE)
    return pc_is_thin(d) || bad_result(c, un_names[PM_PTR_META], dest, "a thin pointer");
  if (t->meta == PM_META_LEN)
    return pc_is_usize(d) || bad_result(c, un_names[PM_PTR_META], dest, "usize");
  return is_unit(d) || bad_result(c, un_names[PM_PTR_META], dest, "the unit");
}

static bool check_unary(struct pm_check *c, const struct pm_rvalue *rv, pm_ty dest) {
  const pm_ty a = rv->ops[0].ty;
  bool ok = false;
  switch ((enum pm_un)rv->op) {
  case PM_NOT:
    ok = is_logic(pc_type(c, a));
    break;
  case PM_NEG:
    ok = is_number(pc_type(c, a));
    break;
  case PM_PTR_META:
    return check_meta(c, a, dest);
  case PM_UN_END:
    break;
  }
  if (!ok)
    return no_operator(c, un_names[rv->op], a, PM_NONE);
  return pc_want(c, a, dest, "the result of an operator");
}

/* ---- casts ---- */

/* Array pointer to slice pointer. */
static bool is_unsize(struct pm_check *c, const struct pm_type *a, const struct pm_type *to) {
  if (!pc_is_thin(a) || to->kind != PM_PTR || to->meta != PM_META_LEN)
    return false;
  const struct pm_type *array = pc_type(c, a->elem), *slice = pc_type(c, to->elem);
  return array->kind == PM_ARRAY && slice->kind == PM_SLICE && pc_same(c, array->elem, slice->elem);
}

static bool is_pointer_cast(const struct pm_type *a, const struct pm_type *to) {
  if (a->kind == PM_FNPTR)
    return pc_is_thin(to) || to->kind == PM_FNPTR;
  return a->kind == PM_PTR && to->kind == PM_PTR &&
         (a->meta == to->meta || to->meta == PM_META_NONE);
}

static bool cast_fits(struct pm_check *c, enum pm_cast op, pm_ty from, pm_ty dest) {
  const struct pm_type *a = pc_type(c, from), *to = pc_type(c, dest);
  switch (op) {
  case PM_INT_TO_INT:
    return is_discrete(a) && (is_int(to) || to->kind == PM_CHAR);
  case PM_INT_TO_FLOAT:
    return is_int(a) && to->kind == PM_FLOAT;
  case PM_FLOAT_TO_INT:
    return a->kind == PM_FLOAT && is_int(to);
  case PM_FLOAT_TO_FLOAT:
    return a->kind == PM_FLOAT && to->kind == PM_FLOAT;
  case PM_PTR_TO_PTR:
    return is_pointer_cast(a, to);
  case PM_TRANSMUTE:
    return a->size == to->size && pc_is_sized(c, dest);
  case PM_PTR_TO_INT:
    return (pc_is_thin(a) || a->kind == PM_FNPTR) && is_int(to);
  case PM_INT_TO_PTR:
    return is_int(a) && a->bits == 64 && (pc_is_thin(to) || to->kind == PM_FNPTR);
  case PM_UNSIZE:
    return is_unsize(c, a, to);
  case PM_CAST_END:
    break;
  }
  return false;
}

static bool check_cast(struct pm_check *c, const struct pm_rvalue *rv, pm_ty dest) {
  const pm_ty from = rv->ops[0].ty;
  if (!cast_fits(c, (enum pm_cast)rv->op, from, rv->ty)) {
    pc_error(c, MD0234, "`%s` cannot make `%.*s` (%u) of `%.*s` (%u)", cast_names[rv->op],
             PC_TY(c, rv->ty), rv->ty, PC_TY(c, from), from);
    return false;
  }
  return pc_want(c, rv->ty, dest, "the result of a cast");
}

/* ---- addresses, aggregates ---- */

static bool check_address(struct pm_check *c, struct pm_rvalue *rv, pm_ty dest) {
  const struct pm_type *d = pc_type(c, dest);
  pm_ty to;
  if (!pc_place(c, &rv->u.place, &to))
    return false;
  if (d->kind != PM_PTR)
    return bad_result(c, rv->kind == PM_REF ? "ref" : "raw", dest, "a pointer");
  return pc_want(c, to, d->elem, "what the pointer leads to");
}

static bool check_discr(struct pm_check *c, struct pm_rvalue *rv, pm_ty dest) {
  pm_ty of;
  if (!pc_place(c, &rv->u.place, &of))
    return false;
  const struct pm_type *t = pc_type(c, of);
  if (t->kind != PM_ENUM) {
    pc_error(c, MD0234, "`discr` is not defined for `%.*s` (%u)", PC_TY(c, of), of);
    return false;
  }
  return pc_want(c, t->elem, dest, "the discriminant");
}

static bool bad_aggregate(struct pm_check *c, const struct pm_rvalue *rv, const char *what) {
  pc_error(c, MD0241, "a value of type `%.*s` (%u) cannot be made of %u operands: %s",
           PC_TY(c, rv->ty), rv->ty, rv->n_ops, what);
  return false;
}

static bool check_parts(struct pm_check *c, const struct pm_rvalue *rv, const struct pm_field *f,
                        uint32_t n) {
  if (rv->n_ops != n)
    return bad_aggregate(c, rv, "the number of fields is another");
  for (uint32_t i = 0; i < n; i++)
    if (!pc_want(c, rv->ops[i].ty, f[i].ty, "a field"))
      return false;
  return true;
}

static bool check_array(struct pm_check *c, const struct pm_rvalue *rv) {
  const struct pm_type *t = pc_type(c, rv->ty);
  if (rv->n_ops != t->len)
    return bad_aggregate(c, rv, "the length is another");
  for (uint32_t i = 0; i < rv->n_ops; i++)
    if (!pc_want(c, rv->ops[i].ty, t->elem, "an element"))
      return false;
  return true;
}

static bool check_aggregate(struct pm_check *c, const struct pm_rvalue *rv) {
  const struct pm_type *t = pc_type(c, rv->ty);
  const bool choice = t->kind == PM_ENUM || t->kind == PM_UNION;
  if (!choice && rv->variant != 0)
    return bad_aggregate(c, rv, "it has no variants");
  if (t->kind == PM_ARRAY)
    return check_array(c, rv);
  if (t->kind == PM_TUPLE || t->kind == PM_STRUCT || t->kind == PM_CLOSURE)
    return check_parts(c, rv, t->fields, t->n_fields);
  if (t->kind == PM_ENUM && rv->variant < t->n_variants)
    return check_parts(c, rv, t->variants[rv->variant].fields, t->variants[rv->variant].n_fields);
  if (t->kind == PM_UNION && rv->variant < t->n_fields)
    return check_parts(c, rv, &t->fields[rv->variant], 1);
  return bad_aggregate(c, rv, choice ? "there is no such variant or field" : "it has no parts");
}

static bool check_repeat(struct pm_check *c, const struct pm_rvalue *rv, pm_ty dest) {
  const struct pm_type *t = pc_type(c, dest);
  if (t->kind != PM_ARRAY || t->len != rv->u.count)
    return bad_result(c, "rep", dest, "an array of that length");
  return pc_want(c, rv->ops[0].ty, t->elem, "an element");
}

static bool is_meta(const struct pm_type *pointer, const struct pm_type *meta) {
  switch ((enum pm_meta)pointer->meta) {
  case PM_META_NONE:
    return is_unit(meta);
  case PM_META_LEN:
    return pc_is_usize(meta);
  case PM_META_VTABLE:
    return pc_is_thin(meta);
  }
  return false;
}

static bool check_rawfat(struct pm_check *c, const struct pm_rvalue *rv, pm_ty dest) {
  const struct pm_type *t = pc_type(c, rv->ty), *meta = pc_type(c, rv->ops[1].ty);
  if (t->kind != PM_PTR)
    return bad_aggregate(c, rv, "it is not a pointer");
  if (!pc_is_thin(pc_type(c, rv->ops[0].ty)))
    return bad_aggregate(c, rv, "the first is not a thin pointer");
  if (!is_meta(t, meta))
    return bad_aggregate(c, rv, "the second is not the metadata of such a pointer");
  return pc_want(c, rv->ty, dest, "the pointer");
}

bool pc_assign(struct pm_check *c, struct pm_stmt *s) {
  struct pm_rvalue *rv = &s->u.rv;
  pm_ty dest;
  if (!pc_place(c, &s->place, &dest))
    return false;
  for (uint32_t i = 0; i < rv->n_ops; i++)
    if (!pc_operand(c, &rv->ops[i]))
      return false;
  switch ((enum pm_rv_kind)rv->kind) {
  case PM_USE:
    return pc_want(c, rv->ops[0].ty, dest, "the value");
  case PM_BINARY:
    return check_binary(c, rv, dest);
  case PM_UNARY:
    return check_unary(c, rv, dest);
  case PM_CASTED:
    return check_cast(c, rv, dest);
  case PM_REF:
  case PM_RAW:
    return check_address(c, rv, dest);
  case PM_DISCR:
    return check_discr(c, rv, dest);
  case PM_AGG:
    return check_aggregate(c, rv) && pc_want(c, rv->ty, dest, "the value");
  case PM_REPEAT:
    return check_repeat(c, rv, dest);
  case PM_RAWFAT:
    return check_rawfat(c, rv, dest);
  }
  return false;
}
