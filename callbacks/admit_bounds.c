/* Indices that are below a length whatever happens: masked, a remainder, or of a narrow type. The checks of
 * these are gone when the code is optimised, so they stop nothing. */
#include "callbacks/admit_impl.h"

enum { MAX_STEPS = 8 };

static void take(const struct pm_rvalue **defs, bool *twice, uint32_t local, const struct pm_rvalue *rv) {
  if (defs[local] || !rv)
    twice[local] = true;
  defs[local] = rv;
}

/* Values of the locals that are assigned as a whole, once. */
static void find_defs(struct admit *a, const struct pm_func *f) {
  if (a->defs_of == f)
    return;
  bool *twice = arena_array(&a->arena, bool, f->n_locals);
  a->defs_of = f;
  a->defs = arena_array(&a->arena, const struct pm_rvalue *, f->n_locals);
  for (uint32_t i = 0; i <= f->n_args && i < f->n_locals; i++)
    twice[i] = true;
  for (uint32_t b = 0; b < f->n_blocks; b++) {
    const struct pm_term *t = &f->blocks[b].term;
    for (uint32_t i = 0; i < f->blocks[b].n_stmts; i++) {
      const struct pm_stmt *s = &f->blocks[b].stmts[i];
      if (s->kind == PM_ASSIGN)
        take(a->defs, twice, s->place.local, s->place.n ? NULL : &s->u.rv);
      if (s->kind == PM_ASSIGN && (s->u.rv.kind == PM_REF || s->u.rv.kind == PM_RAW))
        twice[s->u.rv.u.place.local] = true;
      if (s->kind == PM_SETV)
        twice[s->place.local] = true;
    }
    if (t->kind == PM_CALL)
      twice[t->u.call.dest.local] = true;
    for (uint32_t i = 0; t->kind == PM_PTX && i < t->u.ptx->n_args; i++)
      if (t->u.ptx->args[i].dir != PTX_IN)
        twice[t->u.ptx->args[i].out.local] = true;
  }
  for (uint32_t i = 0; i < f->n_locals; i++)
    if (twice[i])
      a->defs[i] = NULL;
}

static const struct pm_rvalue *value_of(struct admit *a, const struct pm_operand *o) {
  bool place = (o->kind == PM_COPY || o->kind == PM_MOVE) && o->u.place.n == 0;
  return place ? a->defs[o->u.place.local] : NULL;
}

/* The largest number that a type holds, when it holds no negative ones. */
static uint64_t largest_of(const struct pm_type *t) {
  if (t->kind == PM_BOOL)
    return 1;
  if (t->kind != PM_INT || t->is_signed || t->bits >= 64)
    return UINT64_MAX;
  return ((uint64_t)1 << t->bits) - 1;
}

static uint64_t least(uint64_t x, uint64_t y) {
  return x < y ? x : y;
}

/* No value of the operand, taken as unsigned, is larger; UINT64_MAX: not known. */
static uint64_t largest(struct admit *a, const struct pm_operand *o, unsigned steps) {
  const struct pm_type *ty = &a->m->types[o->ty];
  const struct pm_rvalue *rv = value_of(a, o);
  uint64_t own = largest_of(ty);
  if (o->kind == PM_BITS)
    return o->u.bits.hi ? UINT64_MAX : o->u.bits.lo;
  if (!rv || steps == 0)
    return own;
  if (rv->kind == PM_USE || (rv->kind == PM_CASTED && rv->op == PM_INT_TO_INT)) {
    uint64_t from = largest(a, &rv->ops[0], steps - 1);
    /* A number of a signed type whose largest is known is not negative. */
    return ty->kind == PM_INT && ty->bits < 64 && from >> ty->bits ? own : least(own, from);
  }
  if (rv->kind == PM_BINARY && rv->op == PM_AND)
    return least(own, least(largest(a, &rv->ops[0], steps - 1), largest(a, &rv->ops[1], steps - 1)));
  if (rv->kind == PM_BINARY && rv->op == PM_REM && !ty->is_signed && rv->ops[1].kind == PM_BITS &&
      rv->ops[1].u.bits.lo > 0)
    return least(own, rv->ops[1].u.bits.lo - 1);
  return own;
}

bool admit_in_bounds(struct admit *a, const struct pm_func *f, const struct pm_operand *o) {
  find_defs(a, f);
  const struct pm_rvalue *rv = value_of(a, o);
  if (!rv || rv->kind != PM_BINARY || rv->op != PM_LT || rv->ops[1].kind != PM_BITS)
    return false;
  const struct pm_type *ty = &a->m->types[rv->ops[0].ty];
  return ty->kind == PM_INT && !ty->is_signed && largest(a, &rv->ops[0], MAX_STEPS) < rv->ops[1].u.bits.lo;
}
