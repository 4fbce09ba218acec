/* Places, operands and functions as a whole. */
#include "ir/pmir_check.h"

#include "base/fatal.h"

bool pc_want(struct pm_check *c, pm_ty found, pm_ty wanted, const char *what) {
  if (pc_same(c, found, wanted))
    return true;
  pc_error(c, MD0233, "%s has the type `%.*s` (%u), expected `%.*s` (%u)", what, PC_TY(c, found),
           found, PC_TY(c, wanted), wanted);
  return false;
}

/* ---- places ---- */

static bool bad_step(struct pm_check *c, size_t step, const char *what, pm_ty ty) {
  pc_error(c, MD0232, "step %zu of a place: %s; the type there is `%.*s` (%u)", step + 1, what,
           PC_TY(c, ty), ty);
  return false;
}

struct at { /* how far a place was walked */
  pm_ty ty;
  uint32_t variant; /* PM_NONE: not inside a variant */
};

static bool step_field(struct pm_check *c, struct pm_proj *p, size_t i, struct at *at) {
  const struct pm_type *t = pc_type(c, at->ty);
  const struct pm_field *fields = t->fields;
  uint32_t n = t->n_fields;
  if (t->kind == PM_ENUM) {
    if (at->variant == PM_NONE)
      return bad_step(c, i, "a field of an enum needs a variant before it", at->ty);
    fields = t->variants[at->variant].fields;
    n = t->variants[at->variant].n_fields;
  }
  if (p->a >= n)
    return bad_step(c, i, "there is no such field", at->ty);
  if (!pc_same(c, fields[p->a].ty, p->ty)) {
    pc_error(c, MD0232, "step %zu of a place: field %u has the type `%.*s` (%u), not `%.*s` (%u)",
             i + 1, p->a, PC_TY(c, fields[p->a].ty), fields[p->a].ty, PC_TY(c, p->ty), p->ty);
    return false;
  }
  *at = (struct at){p->ty, PM_NONE};
  return true;
}

static bool step_index(struct pm_check *c, struct pm_proj *p, size_t i, struct at *at) {
  const struct pm_type *t = pc_type(c, at->ty);
  const struct pm_func *f = &c->m->fns[c->fn];
  if (t->kind != PM_ARRAY && t->kind != PM_SLICE)
    return bad_step(c, i, "only arrays and slices have elements", at->ty);
  if (p->a >= f->n_locals || !pc_is_usize(pc_type(c, f->locals[p->a].ty)))
    return bad_step(c, i, "the index is not a local of type usize", at->ty);
  p->ty = at->ty = t->elem;
  return true;
}

static bool step_constant(struct pm_check *c, struct pm_proj *p, size_t i, struct at *at) {
  const struct pm_type *t = pc_type(c, at->ty);
  if (t->kind != PM_ARRAY && t->kind != PM_SLICE)
    return bad_step(c, i, "only arrays and slices have elements", at->ty);
  /* An index that rustc folded may lie outside of the array: such code stands behind a bounds
   * check that always fails. A pattern's index from the end never does. */
  const bool inside = p->from_end ? p->x >= 1 && p->x <= p->y : p->x < p->y;
  if (!inside || (p->from_end && t->kind == PM_ARRAY && p->y > t->len))
    return bad_step(c, i, "the element is outside", at->ty);
  p->ty = at->ty = t->elem;
  return true;
}

static bool step_subslice(struct pm_check *c, struct pm_proj *p, size_t i, struct at *at) {
  const struct pm_type *t = pc_type(c, at->ty);
  if (t->kind == PM_SLICE) {
    if (!p->from_end && p->y < p->x)
      return bad_step(c, i, "the range ends before it begins", at->ty);
    p->ty = at->ty;
    return true;
  }
  if (t->kind != PM_ARRAY)
    return bad_step(c, i, "only arrays and slices have ranges", at->ty);
  uint64_t end = p->from_end ? (p->y <= t->len ? t->len - p->y : 0) : p->y;
  if (p->x > end || end > t->len)
    return bad_step(c, i, "the range is outside", at->ty);
  pm_ty part = pc_array_of(c, t->elem, end - p->x);
  if (part == PM_NONE)
    return bad_step(c, i, "there is no type for this part of the array", at->ty);
  p->ty = at->ty = part;
  return true;
}

static bool step_variant(struct pm_check *c, struct pm_proj *p, size_t i, struct at *at) {
  const struct pm_type *t = pc_type(c, at->ty);
  if (t->kind != PM_ENUM)
    return bad_step(c, i, "only enums have variants", at->ty);
  if (p->a >= t->n_variants)
    return bad_step(c, i, "there is no such variant", at->ty);
  p->ty = at->ty;
  at->variant = p->a;
  return true;
}

static bool step_deref(struct pm_check *c, struct pm_proj *p, size_t i, struct at *at) {
  const struct pm_type *t = pc_type(c, at->ty);
  if (t->kind != PM_PTR)
    return bad_step(c, i, "only pointers lead elsewhere", at->ty);
  p->ty = at->ty = t->elem;
  return true;
}

static bool take_step(struct pm_check *c, struct pm_proj *p, size_t i, struct at *at) {
  if (at->variant != PM_NONE && p->kind != PM_FIELD)
    return bad_step(c, i, "a variant is followed by a field", at->ty);
  switch (p->kind) {
  case PM_DEREF:
    return step_deref(c, p, i, at);
  case PM_FIELD:
    return step_field(c, p, i, at);
  case PM_VARIANT:
    return step_variant(c, p, i, at);
  case PM_INDEX:
    return step_index(c, p, i, at);
  case PM_CINDEX:
    return step_constant(c, p, i, at);
  case PM_SUBSLICE:
    return step_subslice(c, p, i, at);
  }
  return false;
}

bool pc_place(struct pm_check *c, struct pm_place *p, pm_ty *out) {
  const struct pm_func *f = &c->m->fns[c->fn];
  *out = PM_NONE;
  if (p->local >= f->n_locals) {
    pc_error(c, MD0231, "there is no local %u; the function has %u", p->local, f->n_locals);
    return false;
  }
  struct at at = {f->locals[p->local].ty, PM_NONE};
  for (uint32_t i = 0; i < p->n; i++)
    if (!take_step(c, &p->proj[i], i, &at))
      return false;
  *out = at.ty;
  return true;
}

/* ---- operands ---- */

static bool bad_constant(struct pm_check *c, const struct pm_operand *o, const char *what) {
  pc_error(c, MD0242, "a constant of type `%.*s` (%u) %s", PC_TY(c, o->ty), o->ty, what);
  return false;
}

static bool check_bits(struct pm_check *c, const struct pm_operand *o) {
  const struct pm_type *t = pc_type(c, o->ty);
  const uint64_t lo = o->u.bits.lo, hi = o->u.bits.hi;
  if (!pc_is_sized(c, o->ty) || t->size > 16)
    return bad_constant(c, o, "cannot be given as bits: it is bigger than 16 bytes");
  if ((t->size < 8 && lo >> (t->size * 8)) || (t->size <= 8 && hi) ||
      (t->size > 8 && t->size < 16 && hi >> ((t->size - 8) * 8)))
    return bad_constant(c, o, "has bits that its size does not hold");
  if (t->kind == PM_BOOL && lo > 1)
    return bad_constant(c, o, "is neither 0 nor 1");
  if (t->kind == PM_CHAR && (lo > 0x10ffff || (lo >= 0xd800 && lo <= 0xdfff)))
    return bad_constant(c, o, "is not a character");
  return true;
}

static bool check_from(struct pm_check *c, const struct pm_operand *o) {
  const struct pm_alloc *a = &c->m->allocs[o->u.addr.id];
  const uint64_t size = pc_type(c, o->ty)->size, off = o->u.addr.add;
  if (!pc_is_sized(c, o->ty))
    return bad_constant(c, o, "has no size");
  if (off > a->size || size > a->size - off)
    return bad_constant(c, o, "is read beyond the end of its allocation");
  if (size && off % pc_type(c, o->ty)->align != 0)
    return bad_constant(c, o, "is read at an offset that is not aligned");
  /* The first relocation that ends after `off`, by bisection, and the last one before the end. */
  uint32_t lo = 0, hi = a->n_relocs;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (a->relocs[mid].off + 8 <= off)
      lo = mid + 1;
    else
      hi = mid;
  }
  if (size && lo < a->n_relocs && a->relocs[lo].off < off)
    return bad_constant(c, o, "begins inside an address");
  while (lo < a->n_relocs && a->relocs[lo].off + 8 <= off + size)
    lo++;
  if (size && lo < a->n_relocs && a->relocs[lo].off < off + size)
    return bad_constant(c, o, "ends inside an address");
  return true;
}

static bool check_address(struct pm_check *c, const struct pm_operand *o) {
  const struct pm_type *t = pc_type(c, o->ty);
  const bool code = o->to == PM_TO_FN || o->to == PM_TO_EXTERN;
  if (t->kind == PM_FNPTR)
    return code || bad_constant(c, o, "does not lead to a function");
  return pc_is_thin(t) || bad_constant(c, o, "is not a thin pointer");
}

static bool check_wide(struct pm_check *c, const struct pm_operand *o) {
  const struct pm_type *t = pc_type(c, o->ty);
  if (t->kind != PM_PTR || t->meta != PM_META_LEN)
    return bad_constant(c, o, "is not a pointer with a length");
  const struct pm_type *to = pc_type(c, t->elem);
  const uint64_t elem = to->kind == PM_SLICE ? pc_type(c, to->elem)->size : 1;
  uint64_t size, end;
  if (o->to != PM_TO_ALLOC || !t->is_ref || (to->kind != PM_SLICE && to->kind != PM_STR))
    return true;
  if (__builtin_mul_overflow(elem, o->u.addr.meta, &size) ||
      __builtin_add_overflow(size, o->u.addr.add, &end) || end > c->m->allocs[o->u.addr.id].size)
    return bad_constant(c, o, "reaches beyond the end of its allocation");
  return true;
}

bool pc_operand(struct pm_check *c, struct pm_operand *o) {
  switch ((enum pm_operand_kind)o->kind) {
  case PM_COPY:
  case PM_MOVE:
    if (!pc_place(c, &o->u.place, &o->ty))
      return false;
    if (pc_is_sized(c, o->ty))
      return true;
    pc_error(c, MD0232, "a value of type `%.*s` has no size and cannot be copied", PC_TY(c, o->ty));
    return false;
  case PM_BITS:
    return check_bits(c, o);
  case PM_ZERO:
    if (pc_type(c, o->ty)->size == 0 && pc_is_sized(c, o->ty))
      return true;
    return bad_constant(c, o, "is not zero-sized");
  case PM_UNINIT:
    return pc_is_sized(c, o->ty) || bad_constant(c, o, "has no size");
  case PM_FROM:
    return check_from(c, o);
  case PM_ADDR:
    return check_address(c, o);
  case PM_WIDE:
    return check_wide(c, o);
  }
  return false;
}

/* ---- statements ---- */

static bool check_local(struct pm_check *c, uint32_t local) {
  const struct pm_func *f = &c->m->fns[c->fn];
  if (local < f->n_locals)
    return true;
  pc_error(c, MD0231, "there is no local %u; the function has %u", local, f->n_locals);
  return false;
}

static void check_setv(struct pm_check *c, struct pm_stmt *s) {
  pm_ty ty;
  if (!pc_place(c, &s->place, &ty))
    return;
  const struct pm_type *t = pc_type(c, ty);
  if (t->kind != PM_ENUM || s->u.variant >= t->n_variants)
    pc_error(c, MD0241, "`%.*s` (%u) has no variant %u", PC_TY(c, ty), ty, s->u.variant);
}

static void check_assume(struct pm_check *c, struct pm_stmt *s) {
  if (pc_operand(c, s->u.ops) && pc_type(c, s->u.ops->ty)->kind != PM_BOOL)
    pc_error(c, MD0233, "an assumption has the type `%.*s`, not bool", PC_TY(c, s->u.ops->ty));
}

static void check_copy(struct pm_check *c, struct pm_stmt *s) {
  struct pm_operand *o = s->u.ops;
  if (!pc_operand(c, &o[0]) || !pc_operand(c, &o[1]) || !pc_operand(c, &o[2]))
    return;
  const struct pm_type *dst = pc_type(c, o[0].ty), *src = pc_type(c, o[1].ty);
  if (!pc_is_thin(dst) || !pc_is_thin(src) || !pc_same(c, dst->elem, src->elem))
    pc_error(c, MD0233, "a copy between `%.*s` and `%.*s`", PC_TY(c, o[1].ty), PC_TY(c, o[0].ty));
  else if (!pc_is_usize(pc_type(c, o[2].ty)))
    pc_error(c, MD0233, "the count of a copy has the type `%.*s`, not usize", PC_TY(c, o[2].ty));
}

static bool check_stmt(struct pm_check *c, struct pm_stmt *s) {
  switch ((enum pm_stmt_kind)s->kind) {
  case PM_ASSIGN:
    return pc_assign(c, s);
  case PM_LIVE:
  case PM_DEAD:
    return check_local(c, s->place.local);
  case PM_SETV:
    check_setv(c, s);
    break;
  case PM_ASSUME:
    check_assume(c, s);
    break;
  case PM_COPYN:
    check_copy(c, s);
    break;
  }
  return true;
}

/* ---- functions ---- */

static void check_vars(struct pm_check *c, struct pm_func *f) {
  for (uint32_t i = 0; i < f->n_vars; i++) {
    pm_ty ty;
    c->span = f->vars[i].span;
    if (!pc_place(c, &f->vars[i].place, &ty))
      return;
  }
}

void pc_function(struct pm_check *c, pm_fn fn) {
  struct pm_func *f = &c->m->fns[fn];
  const unsigned before = c->errors;
  c->fn = fn;
  c->block = c->stmt = PM_NONE;
  c->span = PM_NONE;
  for (uint32_t i = 0; i < f->n_locals; i++) {
    if (pc_is_sized(c, f->locals[i].ty))
      continue;
    pc_error(c, MD0231, "local %u has the type `%.*s`, which has no size", i,
             PC_TY(c, f->locals[i].ty));
    return;
  }
  check_vars(c, f);
  for (uint32_t b = 0; b < f->n_blocks && !pc_too_many(c); b++) {
    struct pm_block *k = &f->blocks[b];
    c->block = b;
    for (uint32_t s = 0; s < k->n_stmts && !pc_too_many(c); s++) {
      c->stmt = s;
      c->span = k->stmts[s].span;
      (void)!check_stmt(c, &k->stmts[s]);
    }
    c->stmt = PM_NONE;
    c->span = k->term.span;
    pc_term(c, f, &k->term);
  }
  if (c->errors == before)
    pc_flow(c, f);
}
