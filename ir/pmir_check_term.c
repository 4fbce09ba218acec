/* Terminators. */
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "ir/pmir_check.h"

static bool check_target(struct pm_check *c, const struct pm_func *f, uint32_t b) {
  if (b < f->n_blocks)
    return true;
  pc_error(c, MD0230, "there is no block %u; the function has %u", b, f->n_blocks);
  return false;
}

/* ---- switch ---- */

static int by_value(const void *a, const void *b) {
  const struct pm_case *x = a, *y = b;
  if (x->hi != y->hi)
    return x->hi < y->hi ? -1 : 1;
  return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static bool is_doubled(struct pm_check *c, const struct pm_term *t) {
  struct arena_mark mark = arena_save(&c->arena);
  struct pm_case *k = arena_array(&c->arena, struct pm_case, t->n);
  bool doubled = false;
  if (t->n)
    memcpy(k, t->u.cases, t->n * sizeof *k);
  if (t->n > 1)
    qsort(k, t->n, sizeof *k, by_value);
  for (uint32_t i = 1; i < t->n && !doubled; i++)
    doubled = k[i].lo == k[i - 1].lo && k[i].hi == k[i - 1].hi;
  arena_rewind(&c->arena, mark);
  return doubled;
}

static void check_switch(struct pm_check *c, const struct pm_func *f, struct pm_term *t) {
  for (uint32_t i = 0; i < t->n; i++)
    if (!check_target(c, f, t->u.cases[i].target))
      return;
  if ((t->target != PM_NONE && !check_target(c, f, t->target)) || !pc_operand(c, t->ops))
    return;
  const struct pm_type *ty = pc_type(c, t->ops->ty);
  if (ty->kind != PM_INT && ty->kind != PM_BOOL && ty->kind != PM_CHAR) {
    pc_error(c, MD0243, "a switch over `%.*s` (%u), which is no integer, bool or char",
             PC_TY(c, t->ops->ty), t->ops->ty);
    return;
  }
  for (uint32_t i = 0; i < t->n; i++) {
    const struct pm_case *k = &t->u.cases[i];
    if ((ty->size >= 8 || k->lo >> (ty->size * 8) == 0) && (ty->size > 8 || k->hi == 0))
      continue;
    pc_error(c, MD0243, "case %u of a switch does not fit in `%.*s`", i, PC_TY(c, t->ops->ty));
    return;
  }
  if (is_doubled(c, t))
    pc_error(c, MD0243, "a switch has the same case twice");
}

/* ---- calls ---- */

struct signature {
  const char *what;
  str name;
  const pm_ty *args; /* NULL: those of `fn` */
  const struct pm_func *fn;
  uint32_t n;
  pm_ty ret;
};

static pm_ty arg_type(const struct signature *s, uint32_t i) {
  return s->args ? s->args[i] : s->fn->locals[i + 1].ty;
}

static void check_signature(struct pm_check *c, const struct pm_term *t, const struct signature *s,
                            pm_ty dest) {
  if (t->n != s->n) {
    pc_error(c, MD0235, "%s `%.*s` takes %u arguments and is given %u", s->what, STR_ARG(s->name),
             s->n, t->n);
    return;
  }
  for (uint32_t i = 0; i < s->n; i++) {
    if (pc_same(c, t->ops[i].ty, arg_type(s, i)))
      continue;
    pc_error(c, MD0236, "argument %u of %s `%.*s` has the type `%.*s` (%u), expected `%.*s` (%u)",
             i, s->what, STR_ARG(s->name), PC_TY(c, t->ops[i].ty), t->ops[i].ty,
             PC_TY(c, arg_type(s, i)), arg_type(s, i));
    return;
  }
  /* What does not come back leaves no result. */
  if (t->target != PM_NONE && !pc_same(c, s->ret, dest))
    pc_error(c, MD0236, "%s `%.*s` gives `%.*s` (%u), the destination has the type `%.*s` (%u)",
             s->what, STR_ARG(s->name), PC_TY(c, s->ret), s->ret, PC_TY(c, dest), dest);
}

static void check_pointer_call(struct pm_check *c, const struct pm_term *t,
                               struct pm_callee *callee, pm_ty dest) {
  if (!pc_operand(c, callee->ptr))
    return;
  const struct pm_type *p = pc_type(c, callee->ptr->ty);
  if (p->kind != PM_FNPTR) {
    pc_error(c, MD0236, "a call through `%.*s` (%u), which is no function pointer",
             PC_TY(c, callee->ptr->ty), callee->ptr->ty);
    return;
  }
  check_signature(
      c, t, &(struct signature){"a function pointer", p->name, p->args, NULL, p->n_args, p->elem},
      dest);
}

static void check_callee(struct pm_check *c, struct pm_term *t, pm_ty dest) {
  struct pm_callee *k = t->u.call.callee;
  switch (k->kind) {
  case PM_CALL_FN: {
    const struct pm_func *f = &c->m->fns[k->id];
    check_signature(c, t, &(struct signature){"function", f->name, NULL, f, f->n_args, f->ret},
                    dest);
    break;
  }
  case PM_CALL_EXTERN: {
    const struct pm_extern *x = &c->m->externs[k->id];
    check_signature(
        c, t, &(struct signature){"extern", x->symbol, x->args, NULL, x->n_args, x->ret}, dest);
    break;
  }
  case PM_CALL_INTRINSIC:
    (void)!pc_intrinsic(c, k, t->ops, t->n, t->target == PM_NONE ? PM_NONE : dest);
    break;
  case PM_CALL_PTR:
    check_pointer_call(c, t, k, dest);
    break;
  case PM_CALL_NATIVE:
    pc_native_call(c, t, dest);
    break;
  }
}

static void check_call(struct pm_check *c, const struct pm_func *f, struct pm_term *t) {
  pm_ty dest;
  if (t->target != PM_NONE && !check_target(c, f, t->target))
    return;
  for (uint32_t i = 0; i < t->n; i++)
    if (!pc_operand(c, &t->ops[i]))
      return;
  if (pc_place(c, &t->u.call.dest, &dest))
    check_callee(c, t, dest);
}

/* ---- the others ---- */

static void check_drop(struct pm_check *c, const struct pm_func *f, struct pm_term *t) {
  pm_ty ty;
  if (!check_target(c, f, t->target) || !pc_place(c, &t->u.drop.place, &ty) ||
      t->u.drop.fn == PM_NONE)
    return;
  const struct pm_func *glue = &c->m->fns[t->u.drop.fn];
  const struct pm_type *arg = glue->n_args == 1 ? pc_type(c, glue->locals[1].ty) : NULL;
  if (!arg || arg->kind != PM_PTR || !pc_same(c, arg->elem, ty) || pc_type(c, glue->ret)->size != 0)
    pc_error(c, MD0236, "`%.*s` cannot drop a value of type `%.*s` (%u)", STR_ARG(glue->name),
             PC_TY(c, ty), ty);
}

static void check_assert(struct pm_check *c, const struct pm_func *f, struct pm_term *t) {
  if (!check_target(c, f, t->target))
    return;
  for (uint32_t i = 0; i <= t->n; i++)
    if (!pc_operand(c, &t->ops[i]))
      return;
  if (pc_type(c, t->ops[0].ty)->kind != PM_BOOL)
    pc_error(c, MD0233, "an assertion is about `%.*s`, not bool", PC_TY(c, t->ops[0].ty));
}

static bool fits_constraint(const struct pm_type *t, char constraint) {
  switch (constraint) {
  case 'h':
    return t->size == 2 && t->kind != PM_ENUM;
  case 'r':
    return t->size == 4 && (t->kind == PM_INT || t->kind == PM_CHAR);
  case 'l':
    return t->size == 8 && (t->kind == PM_INT || t->kind == PM_PTR || t->kind == PM_FNPTR);
  case 'f':
    return t->kind == PM_FLOAT && t->bits == 32;
  case 'd':
    return t->kind == PM_FLOAT && t->bits == 64;
  default:
    return false;
  }
}

static bool check_ptx_arg(struct pm_check *c, struct pm_ptx_arg *a, uint32_t i) {
  pm_ty in = PM_NONE, out = PM_NONE;
  if (a->dir != PTX_OUT) {
    if (!pc_operand(c, &a->in))
      return false;
    in = a->in.ty;
  }
  if (a->dir != PTX_IN && !pc_place(c, &a->out, &out))
    return false;
  for (int k = 0; k < 2; k++) {
    pm_ty ty = k ? out : in;
    if (ty == PM_NONE || fits_constraint(pc_type(c, ty), a->constraint))
      continue;
    pc_error(c, MD0244, "argument %u of inline PTX has the type `%.*s`, which `%c` does not hold",
             i, PC_TY(c, ty), a->constraint);
    return false;
  }
  return true;
}

/* $0, $1 … name arguments, $$ is a dollar. */
static bool check_ptx_text(struct pm_check *c, const struct pm_ptx *x) {
  for (size_t i = 0; i < x->text.n; i++) {
    if (x->text.p[i] != '$')
      continue;
    size_t from = ++i;
    if (i < x->text.n && x->text.p[i] == '$')
      continue;
    while (i < x->text.n && x->text.p[i] >= '0' && x->text.p[i] <= '9')
      i++;
    uint64_t v;
    if (!str_to_u64(str_sub(x->text, from, i), &v) || v >= x->n_args) {
      pc_error(c, MD0244, "inline PTX names an argument that does not exist, at byte %zu",
               from - 1);
      return false;
    }
    i--;
  }
  return true;
}

static void check_ptx(struct pm_check *c, const struct pm_func *f, struct pm_term *t) {
  struct pm_ptx *x = t->u.ptx;
  if (!check_target(c, f, t->target) || !check_ptx_text(c, x))
    return;
  for (uint32_t i = 0; i < x->n_args; i++)
    if (!check_ptx_arg(c, &x->args[i], i))
      return;
}

void pc_term(struct pm_check *c, struct pm_func *f, struct pm_term *t) {
  switch ((enum pm_term_kind)t->kind) {
  case PM_GOTO:
    (void)check_target(c, f, t->target);
    break;
  case PM_SWITCH:
    check_switch(c, f, t);
    break;
  case PM_CALL:
    check_call(c, f, t);
    break;
  case PM_DROP:
    check_drop(c, f, t);
    break;
  case PM_ASSERT:
    check_assert(c, f, t);
    break;
  case PM_PTX:
    check_ptx(c, f, t);
    break;
  case PM_RETURN:
    if (f->noreturn)
      pc_error(c, MD0235, "a function that does not return has `ret`");
    break;
  case PM_UNREACHABLE:
  case PM_TRAP_TERM:
    break;
  }
}
