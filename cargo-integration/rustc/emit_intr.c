/* Intrinsics that become statements, constants or other calls; the rest stay calls by name. */
#include <string.h>

#include "base/fatal.h"
#include "cargo-integration/rustc/consts.h"
#include "cargo-integration/rustc/dyn.h"
#include "cargo-integration/rustc/emit.h"
#include "cargo-integration/rustc/intrinsics.h"

static void go_on(struct emit *e, const struct mir_term *t) {
  jw_end_array(&e->w);
  e_goto(e, t->target);
}

static const struct rty *type_arg(struct emit *e, const struct rty *path, uint32_t n) {
  const struct rty *args[8];
  size_t have = rty_path_args(path, args, COUNT_OF(args));
  if (n < have && n < COUNT_OF(args))
    return args[n];
  e_error(e, MD0187, "the intrinsic `%.*s` lacks a type", STR_ARG(rty_label(e->p->types, path)));
  return e->p->types->unit;
}

static void open_rv(struct emit *e, const struct mir_term *t, const char *tag) {
  e_begin_assign(e, &t->place);
  jw_array(&e->w);
  jw_strz(&e->w, tag);
}

static void close_rv(struct emit *e, const struct mir_term *t) {
  jw_end_array(&e->w);
  e_end_assign(e);
  go_on(e, t);
}

static void set_value(struct emit *e, const struct mir_term *t, u128 v) {
  const struct rty *ty = e_place_ty(e, &t->place, t->place.n_proj);
  open_rv(e, t, "use");
  e_int(e, ty ? ty : e->p->types->unit, v);
  close_rv(e, t);
}

/* Nothing to do: the unit result is still assigned, so that every local has a write. */
void e_no_op(struct emit *e, const struct mir_term *t) {
  open_rv(e, t, "use");
  e_zero(e, e->p->types->unit);
  close_rv(e, t);
}

static void use_arg(struct emit *e, const struct mir_term *t, uint32_t n) {
  open_rv(e, t, "use");
  e_operand(e, &t->args[n], e_place_ty(e, &t->place, t->place.n_proj));
  close_rv(e, t);
}

static void binary(struct emit *e, const struct mir_term *t, const char *op) {
  const struct rty *a = e_operand_ty(e, &t->args[0]), *b = e_operand_ty(e, &t->args[1]);
  if (a && a->kind == RTY_PTR)
    (void)type_id(e->p, a->elem, true);
  open_rv(e, t, "bin");
  jw_strz(&e->w, op);
  e_operand(e, &t->args[0], b);
  e_operand(e, &t->args[1], a);
  close_rv(e, t);
}

/* `*arg` as an operand place; a constant pointer goes through a local. */
static void pointee_place(struct emit *e, const struct mir_operand *op, uint32_t tmp) {
  if (op->kind == OP_CONST) {
    jw_array(&e->w);
    jw_u64(&e->w, tmp);
    jw_strz(&e->w, "*");
    jw_end_array(&e->w);
    return;
  }
  struct mir_proj *pr = arena_array(e->p->arena, struct mir_proj, op->place.n_proj + 1);
  for (uint32_t i = 0; i < op->place.n_proj; i++)
    pr[i] = op->place.proj[i];
  pr[op->place.n_proj] = (struct mir_proj){.kind = PROJ_DEREF};
  struct mir_place pl = {op->place.local, op->place.n_proj + 1, pr};
  e_place(e, &pl);
}

static uint32_t hold(struct emit *e, const struct mir_operand *op) {
  if (op->kind != OP_CONST)
    return PREP_NONE;
  const struct rty *ty = e_operand_ty(e, op);
  if (!ty) {
    e_error(e, MD0183, "a pointer of unknown type");
    return 0;
  }
  uint32_t tmp = e_new_local(e, ty);
  if (ty->kind == RTY_REF || ty->kind == RTY_PTR)
    (void)type_id(e->p, ty->elem, true);
  e_begin_assign_local(e, tmp);
  e_use(e, op, ty);
  e_end_assign(e);
  return tmp;
}

static void read_through(struct emit *e, const struct mir_term *t) {
  uint32_t tmp = hold(e, &t->args[0]);
  open_rv(e, t, "use");
  jw_array(&e->w);
  jw_strz(&e->w, "c");
  pointee_place(e, &t->args[0], tmp);
  jw_end_array(&e->w);
  close_rv(e, t);
}

static void write_through(struct emit *e, const struct mir_term *t) {
  uint32_t tmp = hold(e, &t->args[0]);
  jw_array(&e->w);
  jw_strz(&e->w, "=");
  pointee_place(e, &t->args[0], tmp);
  e_use(e, &t->args[1], NULL);
  e_end_assign(e);
  e_no_op(e, t);
}

static void discriminant(struct emit *e, const struct mir_term *t) {
  const struct rty *ty = e_operand_ty(e, &t->args[0]);
  const struct rty *dest = e_place_ty(e, &t->place, t->place.n_proj);
  if (!ty || !dest || ty->kind != RTY_REF) {
    e_error(e, MD0183, "a discriminant is read through something that is not a reference");
    go_on(e, t);
    return;
  }
  if (ty->elem->kind != RTY_PATH) {
    set_value(e, t, 0);
    return;
  }
  uint32_t tmp = hold(e, &t->args[0]);
  type_saw_enum(e->p, ty->elem);
  prep_info(e->p, ty->elem)->discr_ty = dest;
  open_rv(e, t, "discr");
  pointee_place(e, &t->args[0], tmp);
  close_rv(e, t);
}

static void cast(struct emit *e, const struct mir_term *t, const char *kind) {
  const struct rty *to = e_place_ty(e, &t->place, t->place.n_proj);
  open_rv(e, t, "cast");
  jw_strz(&e->w, kind);
  e_operand(e, &t->args[0], NULL);
  jw_u64(&e->w, to ? type_id(e->p, to, true) : 0);
  close_rv(e, t);
}

static void assume(struct emit *e, const struct mir_term *t) {
  jw_array(&e->w);
  jw_strz(&e->w, "assume");
  e_operand(e, &t->args[0], NULL);
  e_span(e);
  jw_end_array(&e->w);
  e_no_op(e, t);
}

static void size_or_align(struct emit *e, const struct mir_term *t, const struct rty *path,
                          bool want_size) {
  uint64_t size = 0, align = 1;
  (void)type_size(e->p, type_arg(e, path, 0), &size, &align); /* unknown: a want is noted */
  set_value(e, t, want_size ? size : align);
}

static void pair(struct emit *e, const struct mir_term *t) {
  const struct rty *to = e_place_ty(e, &t->place, t->place.n_proj);
  open_rv(e, t, "rawfat");
  jw_u64(&e->w, to ? type_id(e->p, to, true) : 0);
  e_operand(e, &t->args[0], NULL);
  e_operand(e, &t->args[1], rty_prim(e->p->types, PRIM_USIZE));
  close_rv(e, t);
}

static void metadata(struct emit *e, const struct mir_term *t) {
  open_rv(e, t, "un");
  jw_strz(&e->w, "PtrMetadata");
  e_operand(e, &t->args[0], NULL);
  close_rv(e, t);
}

static const struct {
  const char *name, *op;
} binaries[] = {
    {"offset", "Offset"},
    {"wrapping_add", "Add"},
    {"wrapping_sub", "Sub"},
    {"wrapping_mul", "Mul"},
    {"unchecked_add", "AddUnchecked"},
    {"unchecked_sub", "SubUnchecked"},
    {"unchecked_mul", "MulUnchecked"},
    {"unchecked_div", "Div"},
    {"unchecked_rem", "Rem"},
    {"unchecked_shl", "ShlUnchecked"},
    {"unchecked_shr", "ShrUnchecked"},
    {"add_with_overflow", "AddWithOverflow"},
    {"sub_with_overflow", "SubWithOverflow"},
    {"mul_with_overflow", "MulWithOverflow"},
    {"three_way_compare", "Cmp"},
    {"fadd_fast", "Add"}, /* exact is one of the allowed results */
    {"fsub_fast", "Sub"},
    {"fmul_fast", "Mul"},
    {"fdiv_fast", "Div"},
    {"frem_fast", "Rem"},
};

static bool known_binary(struct emit *e, const struct mir_term *t, str n) {
  if (t->n_args != 2)
    return false;
  for (size_t i = 0; i < COUNT_OF(binaries); i++) {
    if (!str_eqz(n, binaries[i].name))
      continue;
    binary(e, t, binaries[i].op);
    return true;
  }
  return false;
}

enum special {
  SP_NONE, SP_NO_OP, SP_FALSE, SP_USE, SP_ASSUME, SP_UNREACHABLE, SP_ABORT, SP_READ, SP_WRITE,
  SP_TRANSMUTE, SP_META, SP_PAIR, SP_SIZE, SP_ALIGN, SP_DISCR, SP_SELECT, SP_CALLER, SP_DYN,
  SP_OVERFLOW_CHECKS, SP_NEEDS_DROP
};
static const struct {
  const char *name;
  enum special what;
  uint32_t n_args;
} specials[] = {
    {"cold_path", SP_NO_OP, 0},
    {"assert_inhabited", SP_NO_OP, 0},
    {"assert_zero_valid", SP_NO_OP, 0},
    {"assert_mem_uninitialized_valid", SP_NO_OP, 0},
    {"is_val_statically_known", SP_FALSE, 1},
    {"ub_checks", SP_FALSE, 0},
    {"contract_checks", SP_FALSE, 0},
    {"overflow_checks", SP_OVERFLOW_CHECKS, 0},
    {"likely", SP_USE, 1},
    {"unlikely", SP_USE, 1},
    {"assume", SP_ASSUME, 1},
    {"unreachable", SP_UNREACHABLE, 0},
    {"abort", SP_ABORT, 0},
    {"read_via_copy", SP_READ, 1},
    {"write_via_move", SP_WRITE, 2},
    {"transmute", SP_TRANSMUTE, 1},
    {"transmute_unchecked", SP_TRANSMUTE, 1},
    {"ptr_metadata", SP_META, 1},
    {"aggregate_raw_ptr", SP_PAIR, 2},
    {"size_of", SP_SIZE, 0},
    {"align_of", SP_ALIGN, 0},
    {"needs_drop", SP_NEEDS_DROP, 0},
    {"discriminant_value", SP_DISCR, 1},
    {"const_eval_select", SP_SELECT, 3},
    {"caller_location", SP_CALLER, 0},
    {"vtable_size", SP_DYN, 1},
    {"vtable_align", SP_DYN, 1},
};

static enum special special_of(str n, const struct mir_term *t) {
  for (size_t i = 0; i < COUNT_OF(specials); i++)
    if (str_eqz(n, specials[i].name) && t->n_args == specials[i].n_args)
      return specials[i].what;
  return SP_NONE;
}

static void refuse(struct emit *e, enum diag_code c, const char *what, const char *help) {
  diag_help(e_error(e, c, "%s", what), "%s", help);
  jw_end_array(&e->w);
  jw_raw(&e->w, STR("[\"unreach\"]"));
}

static void needs_drop(struct emit *e, const struct mir_term *t, const struct rty *path) {
  bool known = true;
  bool needed = type_needs_drop(e->p, type_arg(e, path, 0), e->span, &known);
  set_value(e, t, needed);
}

static void mark_pointees(struct emit *e, const struct mir_term *t) {
  for (uint32_t i = 0; i < t->n_args; i++) {
    const struct rty *ty = e_operand_ty(e, &t->args[i]);
    if (ty && (ty->kind == RTY_REF || ty->kind == RTY_PTR))
      (void)type_id(e->p, ty->elem, true);
  }
}

static void unreachable(struct emit *e) {
  jw_end_array(&e->w);
  jw_raw(&e->w, STR("[\"unreach\"]"));
}

static void abort_here(struct emit *e) {
  jw_end_array(&e->w);
  e_trap(e, "abort", STR_NULL);
}

/* Those that need the generic argument, end the block or are refused. */
static void other_special(struct emit *e, const struct mir_term *t, const struct rty *path,
                          enum special what) {
  if (what == SP_UNREACHABLE)
    unreachable(e);
  else if (what == SP_ABORT)
    abort_here(e);
  else if (what == SP_SIZE || what == SP_ALIGN)
    size_or_align(e, t, path, what == SP_SIZE);
  else if (what == SP_NEEDS_DROP)
    needs_drop(e, t, path);
  else if (what == SP_SELECT)
    e_call_value(e, t, &t->args[2], &t->args[0]);
  else if (what == SP_CALLER)
    refuse(e, MD0185, "the caller's location is read here",
           "device code has no `Location`; pass `line!()` as a number");
  else
    refuse(e, MD0180, "the table of a trait object is read here",
           "make the function generic over the type, or match over an enum");
}

static void special(struct emit *e, const struct mir_term *t, const struct rty *path,
                    enum special what) {
  switch (what) {
  case SP_NO_OP:
    e_no_op(e, t);
    return;
  case SP_FALSE:
    set_value(e, t, 0);
    return;
  case SP_OVERFLOW_CHECKS:
    set_value(e, t, e->p->unit->overflow_checks);
    return;
  case SP_USE:
    use_arg(e, t, 0);
    return;
  case SP_ASSUME:
    assume(e, t);
    return;
  case SP_READ:
    read_through(e, t);
    return;
  case SP_WRITE:
    write_through(e, t);
    return;
  case SP_TRANSMUTE:
    cast(e, t, "Transmute");
    return;
  case SP_META:
    metadata(e, t);
    return;
  case SP_PAIR:
    pair(e, t);
    return;
  case SP_DISCR:
    discriminant(e, t);
    return;
  case SP_UNREACHABLE: case SP_ABORT: case SP_SIZE: case SP_ALIGN: case SP_NEEDS_DROP:
  case SP_SELECT: case SP_CALLER: case SP_DYN: case SP_NONE:
    break;
  }
  other_special(e, t, path, what);
}

void e_intrinsic(struct emit *e, const struct mir_term *t, const struct rty *path) {
  str n = intrinsic_base(path);
  enum special what = special_of(n, t);
  bool size = str_eqz(n, "size_of_val");
  if ((size || str_eqz(n, "align_of_val")) && t->n_args == 1 &&
      type_arg(e, path, 0)->kind == RTY_DYN) {
    e_dyn_measure(e, t, size);
  } else if (what != SP_NONE) {
    special(e, t, path, what);
  } else if (!known_binary(e, t, n)) {
    mark_pointees(e, t);
    e_call_intrinsic(e, t, path);
  }
}
