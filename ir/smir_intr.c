/* Foreign dumps: rustc's intrinsics. A dump names them without their types, which follow from the
 * operands. */
#include "ir/smir_impl.h"

#define F 9 /* one float type */
static const struct {
  const char *rust, *name;
  unsigned types, consts;
} rows[] = {
#define RI(rust, name, types, consts) {rust, name, types, consts},
#define LM(rust, name)
#include "base/rust_intrinsics.def"
};
static const struct {
  const char *rust, *name;
} libm[] = {
#define RI(rust, name, types, consts)
#define LM(rust, name) {rust, name},
#include "base/rust_intrinsics.def"
};
#undef F

static const struct {
  const char *rust;
  struct sm_intrinsic to;
} simple[] = {{"wrapping_add", {.how = SI_BINARY, .name = "Add"}},
              {"wrapping_sub", {.how = SI_BINARY, .name = "Sub"}},
              {"wrapping_mul", {.how = SI_BINARY, .name = "Mul"}},
              {"unchecked_add", {.how = SI_BINARY, .name = "AddUnchecked"}},
              {"unchecked_sub", {.how = SI_BINARY, .name = "SubUnchecked"}},
              {"unchecked_mul", {.how = SI_BINARY, .name = "MulUnchecked"}},
              {"unchecked_div", {.how = SI_BINARY, .name = "Div"}},
              {"unchecked_rem", {.how = SI_BINARY, .name = "Rem"}},
              {"unchecked_shl", {.how = SI_BINARY, .name = "ShlUnchecked"}},
              {"unchecked_shr", {.how = SI_BINARY, .name = "ShrUnchecked"}},
              {"add_with_overflow", {.how = SI_BINARY, .name = "AddWithOverflow"}},
              {"sub_with_overflow", {.how = SI_BINARY, .name = "SubWithOverflow"}},
              {"mul_with_overflow", {.how = SI_BINARY, .name = "MulWithOverflow"}},
              {"three_way_compare", {.how = SI_BINARY, .name = "Cmp"}},
              {"offset", {.how = SI_BINARY, .name = "Offset"}},
              {"ptr_metadata", {.how = SI_UNARY, .name = "PtrMetadata"}},
              {"transmute", {.how = SI_CAST, .name = "Transmute"}},
              {"transmute_unchecked", {.how = SI_CAST, .name = "Transmute"}},
              {"aggregate_raw_ptr", {.how = SI_RAWFAT}},
              {"read_via_copy", {.how = SI_READ}},
              {"write_via_move", {.how = SI_WRITE}},
              {"likely", {.how = SI_USE}},
              {"unlikely", {.how = SI_USE}},
              {"ub_checks", {.how = SI_FALSE}},
              {"contract_checks", {.how = SI_FALSE}},
              {"is_val_statically_known", {.how = SI_FALSE}},
              {"cold_path", {.how = SI_NOTHING}},
              {"forget", {.how = SI_NOTHING}},
              {"assert_inhabited", {.how = SI_NOTHING}},
              {"assert_zero_valid", {.how = SI_NOTHING}},
              {"assert_mem_uninitialized_valid", {.how = SI_NOTHING}},
              {"assume", {.how = SI_ASSUME}},
              {"unreachable", {.how = SI_UNREACHABLE}},
              {"abort", {.how = SI_TRAP}}};

static const struct sm_intrinsic *keep(struct arena *a, struct sm_intrinsic x) {
  struct sm_intrinsic *kept = arena_new(a, struct sm_intrinsic);
  *kept = x;
  return kept;
}

/* "_seqcst_acquire" at the end of an atomic's name, as rustc wrote them until the middle of 2025.
 */
static bool cut_orderings(str *name, struct sm_intrinsic *x) {
  static const struct {
    const char *text;
    uint64_t value;
  } words[] = {{"_relaxed", 0}, {"_acquire", 1}, {"_release", 2}, {"_acqrel", 3}, {"_seqcst", 4}};
  unsigned n = 0;
  uint64_t found[3] = {0};
  bool more = true;
  while (more && n < 2) {
    more = false;
    for (size_t i = 0; i < COUNT_OF(words) && !more; i++) {
      str w = str_from(words[i].text);
      if (!str_ends(*name, w))
        continue;
      name->n -= w.n;
      found[n++] = words[i].value;
      more = true;
    }
  }
  x->consts = n;
  for (unsigned i = 0; i < n; i++)
    x->orderings[i] = found[n - 1 - i];
  return n > 0;
}

/* "f32" or "_f32" at the end. */
static void cut_width(str *name) {
  if (!str_ends(*name, STR("f16")) && !str_ends(*name, STR("f32")) && !str_ends(*name, STR("f64")))
    return;
  name->n -= 3;
  if (name->n && name->p[name->n - 1] == '_')
    name->n--;
}

bool sm_find_intrinsic(struct arena *a, str name, const struct sm_intrinsic **out) {
  struct sm_intrinsic x = {.how = SI_CALL};
  for (size_t i = 0; i < COUNT_OF(simple); i++)
    if (str_eqz(name, simple[i].rust)) {
      *out = &simple[i].to;
      return true;
    }
  if (str_starts(name, STR("atomic_")))
    (void)cut_orderings(&name, &x);
  else
    cut_width(&name);
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    if (!str_eqz(name, rows[i].rust))
      continue;
    x.name = rows[i].name;
    x.has_float = rows[i].types == 9;
    x.types = x.has_float ? 1 : rows[i].types;
    *out = keep(a, x);
    return x.consts == rows[i].consts && x.types < 3;
  }
  return false;
}

bool sm_find_libm(struct arena *a, str symbol, const struct sm_intrinsic **out) {
  for (size_t i = 0; i < COUNT_OF(libm); i++) {
    str want = str_from(libm[i].rust);
    if (!str_eq(symbol, want) &&
        !(symbol.n == want.n + 1 && str_starts(symbol, want) && symbol.p[want.n] == 'f'))
      continue;
    *out = keep(a, (struct sm_intrinsic){.how = SI_CALL, .name = libm[i].name, .types = 1});
    return true;
  }
  return false;
}

/* ---- calls by name ---- */

static bool arg(const struct sm_call *c, size_t i, struct json_at *out) {
  return json_elem(&c->args, i, out);
}

/* What they read and write is their type, except for those that only look at the pointer. */
static bool works_on_pointee(const char *name) {
  return !str_eqz(str_from(name), "black_box") && !str_eqz(str_from(name), "ptr_mask");
}

bool sm_write_intrinsic_name(struct sm_fn *f, const struct sm_call *c) {
  struct json_at op;
  struct sm_type *t[2] = {NULL, NULL};
  struct sm_place dest;
  bool select = str_eqz(str_from(c->intr->name), "select_unpredictable");
  if (c->intr->types >= 1) {
    if (!arg(c, select ? 1 : 0, &op) || !sm_operand_type(f, &op, &t[0]))
      return false;
    bool ptr = t[0]->kind == SM_PTR;
    if ((ptr && works_on_pointee(c->intr->name) && !select) ||
        str_eqz(str_from(c->intr->name), "ptr_mask"))
      t[0] = t[0]->elem ? t[0]->elem : t[0];
    if (!sm_load(f->s, t[0]))
      return false;
  }
  if (c->intr->types == 2) {
    if (!sm_read_place(f, &c->dest, &dest))
      return false;
    t[1] = dest.ty;
  }
  jw_array(f->w);
  jw_strz(f->w, "intr");
  jw_strz(f->w, c->intr->name);
  jw_array(f->w);
  for (unsigned i = 0; i < c->intr->types; i++)
    jw_u64(f->w, sm_number(f->s, t[i]));
  jw_end_array(f->w);
  jw_array(f->w);
  for (unsigned i = 0; i < c->intr->consts; i++)
    jw_u64(f->w, c->intr->orderings[i]);
  jw_end_array(f->w);
  jw_end_array(f->w);
  return true;
}

/* ---- statements ---- */

/* `*argument`; a constant pointer would have to go through a local. */
static bool write_target_of(struct sm_fn *f, const struct json_at *op) {
  struct json_at body;
  struct sm_place p;
  str kind;
  if (!sm_variant(op, &kind, &body))
    return false;
  if (str_eqz(kind, "Constant")) {
    struct diag *d = sm_error(f->s, MD0855,
                              "reading through a constant pointer cannot be compiled "
                              "from a foreign dump");
    diag_help(d, "keep the pointer in a variable");
    return false;
  }
  if (!sm_read_place(f, &body, &p))
    return false;
  jw_array(f->w);
  if (!sm_write_steps(f, &p, false))
    return false;
  jw_strz(f->w, "*");
  jw_end_array(f->w);
  return true;
}

static bool write_operands(struct sm_fn *f, const struct sm_call *c, unsigned n) {
  struct json_at op;
  for (unsigned i = 0; i < n; i++)
    if (!arg(c, i, &op) || !sm_write_operand(f, &op))
      return false;
  return true;
}

static bool write_cast(struct sm_fn *f, const struct sm_call *c, const char *kind,
                       struct sm_type *to) {
  jw_strz(f->w, "cast");
  jw_strz(f->w, kind);
  if (!write_operands(f, c, 1))
    return false;
  jw_u64(f->w, sm_number(f->s, to));
  return true;
}

static bool write_value(struct sm_fn *f, const struct sm_call *c, struct sm_type *to) {
  struct json_at op;
  const char *name = c->intr->name;
  bool wide = to->kind == SM_PTR && to->wide;
  jw_array(f->w);
  switch (c->intr->how) {
  case SI_BINARY:
  case SI_UNARY:
    jw_strz(f->w, c->intr->how == SI_BINARY ? "bin" : "un");
    jw_strz(f->w, name);
    if (!write_operands(f, c, c->intr->how == SI_BINARY ? 2 : 1))
      return false;
    break;
  case SI_RAWFAT:
    if (wide) {
      jw_strz(f->w, "rawfat");
      jw_u64(f->w, sm_number(f->s, to));
      if (!write_operands(f, c, 2))
        return false;
      break;
    }
    if (!write_cast(f, c, "PtrToPtr", to))
      return false;
    break;
  case SI_CAST:
    if (!write_cast(f, c, name, to))
      return false;
    break;
  case SI_READ:
    jw_strz(f->w, "use");
    jw_array(f->w);
    jw_strz(f->w, "c");
    if (!arg(c, 0, &op) || !write_target_of(f, &op))
      return false;
    jw_end_array(f->w);
    break;
  case SI_USE:
  case SI_FALSE:
    jw_strz(f->w, "use");
    if (c->intr->how == SI_FALSE)
      sm_write_bits(f, to, 0);
    else if (!write_operands(f, c, 1))
      return false;
    break;
  case SI_CALL:
  case SI_WRITE:
  case SI_NOTHING:
  case SI_ASSUME:
  case SI_TRAP:
  case SI_UNREACHABLE:
    break;
  }
  jw_end_array(f->w);
  return true;
}

bool sm_write_intrinsic(struct sm_fn *f, const struct sm_call *c) {
  struct json_at op;
  struct sm_place dest;
  jw_array(f->w);
  if (c->intr->how == SI_ASSUME) {
    jw_strz(f->w, "assume");
    if (!write_operands(f, c, 1))
      return false;
  } else if (c->intr->how == SI_WRITE) {
    jw_strz(f->w, "=");
    if (!arg(c, 0, &op) || !write_target_of(f, &op) || !arg(c, 1, &op))
      return false;
    jw_array(f->w);
    jw_strz(f->w, "use");
    if (!sm_write_operand(f, &op))
      return false;
    jw_end_array(f->w);
  } else {
    jw_strz(f->w, "=");
    if (!sm_read_place(f, &c->dest, &dest) || !sm_write_place(f, &dest, false) ||
        !write_value(f, c, dest.ty))
      return false;
  }
  sm_write_span(f, f->s->at_span);
  jw_end_array(f->w);
  return true;
}
