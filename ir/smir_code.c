/* Foreign dumps: statements and values. */
#include "ir/smir_impl.h"

static bool refuse(struct sm_fn *f, const char *what, str which) {
  struct diag *d = sm_error(f->s, MD0855, "%s `%.*s` cannot be compiled from a foreign dump", what,
                            STR_ARG(str_sub(which, 0, 120)));
  diag_help(d, "write it in another way; docs/foreign-dumps.md lists what is taken");
  return false;
}

static void open(struct sm_fn *f, const char *form) {
  jw_array(f->w);
  jw_strz(f->w, form);
}

static bool close(struct sm_fn *f) {
  jw_end_array(f->w);
  return true;
}

/* The parts of a value that serde wrote as a list. */
struct parts {
  struct json_at p[5];
};
static bool take(const struct json_at *body, size_t n, struct parts *out) {
  for (size_t i = 0; i < n; i++)
    if (!json_elem(body, i, &out->p[i]))
      return false;
  return true;
}

static const char *const bins[] = {
    "Add",          "AddUnchecked", "Sub",          "SubUnchecked", "Mul",    "MulUnchecked",
    "Div",          "Rem",          "BitXor",       "BitAnd",       "BitOr",  "Shl",
    "ShlUnchecked", "Shr",          "ShrUnchecked", "Eq",           "Lt",     "Le",
    "Ne",           "Ge",           "Gt",           "Cmp",          "Offset", NULL};

static bool write_binary(struct sm_fn *f, const struct json_at *body, bool checked) {
  struct parts x;
  unsigned op;
  if (!take(body, 3, &x) || !json_enum(&x.p[0], bins, &op))
    return false;
  open(f, "bin");
  jw_str(f->w, arena_printf(&f->s->scratch, "%s%s", bins[op], checked ? "WithOverflow" : ""));
  return sm_write_operand(f, &x.p[1]) && sm_write_operand(f, &x.p[2]) && close(f);
}

static bool write_unary(struct sm_fn *f, const struct json_at *body) {
  static const char *const uns[] = {"Not", "Neg", "PtrMetadata", NULL};
  struct parts x;
  unsigned op;
  if (!take(body, 2, &x) || !json_enum(&x.p[0], uns, &op))
    return false;
  open(f, "un");
  jw_strz(f->w, uns[op]);
  return sm_write_operand(f, &x.p[1]) && close(f);
}

/* ---- casts ---- */

static bool write_cast_as(struct sm_fn *f, const char *kind, const struct json_at *op,
                          struct sm_type *to) {
  open(f, "cast");
  jw_strz(f->w, kind);
  if (!sm_write_operand(f, op))
    return false;
  jw_u64(f->w, sm_number(f->s, to));
  return close(f);
}

static bool write_use(struct sm_fn *f, const struct json_at *op) {
  open(f, "use");
  return sm_write_operand(f, op) && close(f);
}

/* A function item becomes a pointer; the dump has no type of it, so the callee's stands in. */
static bool write_reify(struct sm_fn *f, const struct json_at *op, struct sm_type *to) {
  struct sm_call c;
  uint32_t n;
  if (!sm_resolve_callee(f, op, &c))
    return false;
  if (c.kind != SM_CALL_FN) {
    sm_error(f->s, MD0853, "the dump has no body of `%.*s`, whose address is taken",
             STR_ARG(c.symbol));
    return false;
  }
  if (!sm_signature(f->s, c.fn) || !sm_need_fn(f->s, c.fn, &n))
    return false;
  if (to->kind == SM_UNKNOWN) {
    to->kind = SM_FNPTR;
    to->size = to->align = 8;
    to->fields = c.fn->args;
    to->n_fields = c.fn->n_args;
    to->elem = c.fn->ret;
  }
  open(f, "use");
  open(f, "p");
  jw_u64(f->w, sm_number(f->s, to));
  jw_strz(f->w, "fn");
  jw_u64(f->w, n);
  jw_u64(f->w, 0);
  return close(f) && close(f);
}

static bool write_unsize(struct sm_fn *f, const struct json_at *op, struct sm_type *to) {
  struct sm_type *from;
  if (!sm_operand_type(f, op, &from))
    return false;
  if (from->kind == SM_PTR && to->kind == SM_PTR) {
    if (!sm_load(f->s, from->elem) || !sm_load(f->s, to->elem))
      return false;
    if (from->elem->kind == SM_ARRAY && to->elem->kind == SM_SLICE)
      return write_cast_as(f, "Unsize", op, to);
    if (to->elem->kind == SM_DYN) {
      struct diag *d = sm_error(f->s, MD0855,
                                "a trait object `%.*s` cannot be compiled from a "
                                "foreign dump, which has no vtables",
                                STR_ARG(to->elem->name));
      diag_help(d, "use generics or an enum in place of `dyn`");
      return false;
    }
  }
  return refuse(f, "the conversion to", to->name);
}

static bool write_coercion(struct sm_fn *f, const struct json_at *kind, const struct json_at *op,
                           struct sm_type *to) {
  struct json_at body;
  str name;
  if (!sm_variant(kind, &name, &body))
    return false;
  if (str_eqz(name, "ReifyFnPointer"))
    return write_reify(f, op, to);
  if (str_eqz(name, "Unsize"))
    return write_unsize(f, op, to);
  if (str_eqz(name, "MutToConstPointer") || str_eqz(name, "ArrayToPointer"))
    return write_cast_as(f, "PtrToPtr", op, to);
  if (str_eqz(name, "UnsafeFnPointer")) {
    struct sm_type *from;
    if (!sm_operand_type(f, op, &from))
      return false;
    if (to->kind == SM_UNKNOWN && from->kind == SM_FNPTR) {
      to->kind = SM_FNPTR;
      to->size = to->align = 8;
      to->fields = from->fields;
      to->n_fields = from->n_fields;
      to->elem = from->elem;
    }
    return write_cast_as(f, "Transmute", op, to);
  }
  return refuse(f, "the coercion", name);
}

static bool write_cast(struct sm_fn *f, const struct json_at *body) {
  static const struct {
    const char *smir, *pmir;
  } rows[] = {{"IntToInt", "IntToInt"},
              {"FloatToInt", "FloatToInt"},
              {"FloatToFloat", "FloatToFloat"},
              {"IntToFloat", "IntToFloat"},
              {"PtrToPtr", "PtrToPtr"},
              {"FnPtrToPtr", "Transmute"},
              {"Transmute", "Transmute"},
              {"PointerExposeAddress", "PtrToInt"},
              {"PointerWithExposedProvenance", "IntToPtr"}};
  struct parts x;
  struct json_at inner;
  struct sm_type *to;
  str name;
  if (!take(body, 3, &x) || !sm_variant(&x.p[0], &name, &inner) || !sm_type_of(f->s, &x.p[2], &to))
    return false;
  if (str_eqz(name, "PointerCoercion"))
    return write_coercion(f, &inner, &x.p[1], to);
  if (str_eqz(name, "Subtype"))
    return write_use(f, &x.p[1]);
  for (size_t i = 0; i < COUNT_OF(rows); i++)
    if (str_eqz(name, rows[i].smir))
      return write_cast_as(f, rows[i].pmir, &x.p[1], to);
  return refuse(f, "the cast", name);
}

/* ---- aggregates ---- */

static bool write_rawfat(struct sm_fn *f, struct sm_type *to, const struct json_at *ops) {
  struct parts x;
  if (!take(ops, 2, &x))
    return false;
  if (!to->wide)
    return write_cast_as(f, "PtrToPtr", &x.p[0], to);
  open(f, "rawfat");
  jw_u64(f->w, sm_number(f->s, to));
  return sm_write_operand(f, &x.p[0]) && sm_write_operand(f, &x.p[1]) && close(f);
}

/* The last argument of a closure is the tuple of what it captures. */
static bool closure_type(struct sm_fn *f, const struct json_at *kind, struct sm_type *to) {
  struct json_at args, last, inner;
  struct sm_type *captures;
  size_t n;
  str name;
  if (!json_elem(kind, 1, &args) || !json_len(&args, &n))
    return false;
  if (n == 0) {
    json_error(&args, "a closure has arguments; the last are the types that it captures");
    return false;
  }
  if (!json_elem(&args, n - 1, &last) || !sm_variant(&last, &name, &inner) ||
      !sm_type_of(f->s, &inner, &captures))
    return false;
  if (captures->kind != SM_TUPLE) {
    json_error(&last, "expected the tuple of what the closure captures");
    return false;
  }
  return sm_make_closure(f->s, to, captures);
}

static bool write_aggregate(struct sm_fn *f, const struct json_at *body, struct sm_type *to) {
  struct parts x;
  struct json_at kind, v, op;
  uint64_t variant = 0;
  str name;
  if (!take(body, 2, &x) || !sm_variant(&x.p[0], &name, &kind))
    return false;
  if (str_eqz(name, "RawPtr"))
    return write_rawfat(f, to, &x.p[1]);
  if (str_eqz(name, "Closure")) {
    if (!closure_type(f, &kind, to))
      return false;
  } else if (str_eqz(name, "Adt")) {
    bool is_union = to->kind == SM_UNION;
    if (!json_elem(&kind, is_union ? 4 : 1, &v) || !json_u64(&v, UINT32_MAX, &variant))
      return false;
  } else if (!str_eqz(name, "Tuple") && !str_eqz(name, "Array")) {
    return refuse(f, "a value of the kind", name);
  }
  open(f, "agg");
  jw_u64(f->w, sm_number(f->s, to));
  jw_u64(f->w, variant);
  jw_array(f->w);
  JSON_EACH(&x.p[1], op) {
    if (!sm_write_operand(f, &op))
      return false;
  }
  jw_end_array(f->w);
  return close(f);
}

/* ---- the rest ---- */

static bool write_address(struct sm_fn *f, const char *form, const struct json_at *place,
                          bool mut) {
  open(f, form);
  jw_bool(f->w, mut);
  return sm_write_place_at(f, place, NULL) && close(f);
}

static bool write_len(struct sm_fn *f, const struct json_at *at, struct sm_type *to) {
  struct sm_place p;
  struct json_at step;
  if (!sm_read_place(f, at, &p))
    return false;
  if (p.ty->kind == SM_ARRAY) {
    open(f, "use");
    sm_write_bits(f, to, p.ty->len);
    return close(f);
  }
  str last = STR_NULL;
  JSON_EACH(&p.projection, step) {
    last = json_kind(&step) == JSON_STRING && json_str(&step, &last) ? last : STR_NULL;
  }
  if (!str_eqz(last, "Deref") || p.ty->kind != SM_SLICE)
    return refuse(f, "the length of", p.ty->name);
  open(f, "un");
  jw_strz(f->w, "PtrMetadata");
  open(f, "c");
  return sm_write_place(f, &p, true) && close(f) && close(f);
}

static bool write_discriminant(struct sm_fn *f, const struct json_at *at, struct sm_type *to) {
  struct sm_place p;
  if (!sm_read_place(f, at, &p))
    return false;
  if (p.ty->kind != SM_ENUM) {
    open(f, "use");
    sm_write_bits(f, to, 0);
    return close(f);
  }
  p.ty->e->discr = to;
  open(f, "discr");
  return sm_write_place(f, &p, false) && close(f);
}

static bool write_nullary(struct sm_fn *f, const struct json_at *body, struct sm_type *to) {
  struct parts x;
  struct json_at inner;
  struct sm_type *t;
  str name;
  if (!take(body, 2, &x) || !sm_variant(&x.p[0], &name, &inner))
    return false;
  bool size = str_eqz(name, "SizeOf"), align = str_eqz(name, "AlignOf");
  bool checks = str_eqz(name, "UbChecks") || str_eqz(name, "ContractChecks") ||
                str_eqz(name, "RuntimeChecks");
  if (!size && !align && !checks)
    return refuse(f, "the value", name);
  if (!sm_type_of(f->s, &x.p[1], &t))
    return false;
  if (!checks && t->kind == SM_UNKNOWN && t->row == SM_NONE)
    return refuse(f, "the size of", t->name);
  open(f, "use");
  sm_write_bits(f, to, size ? t->size : align ? t->align : 0);
  return close(f);
}

static bool write_repeat(struct sm_fn *f, const struct json_at *body) {
  struct parts x;
  uint64_t n;
  if (!take(body, 2, &x) || !sm_const_usize(f->s, &x.p[1], &n))
    return false;
  open(f, "rep");
  if (!sm_write_operand(f, &x.p[0]))
    return false;
  jw_u64(f->w, n);
  return close(f);
}

static bool write_pointer_to(struct sm_fn *f, const struct json_at *body, bool ref) {
  struct parts x;
  struct json_at inner;
  str kind;
  if (!take(body, ref ? 3 : 2, &x) || !sm_variant(&x.p[ref ? 1 : 0], &kind, &inner))
    return false;
  return write_address(f, ref ? "ref" : "raw", &x.p[ref ? 2 : 1], str_eqz(kind, "Mut"));
}

static bool write_rvalue(struct sm_fn *f, const struct json_at *at, struct sm_type *to) {
  struct json_at body;
  str kind;
  if (!sm_variant(at, &kind, &body))
    return false;
  if (str_eqz(kind, "Use"))
    return write_use(f, &body);
  if (str_eqz(kind, "BinaryOp") || str_eqz(kind, "CheckedBinaryOp"))
    return write_binary(f, &body, kind.p[0] == 'C');
  if (str_eqz(kind, "UnaryOp"))
    return write_unary(f, &body);
  if (str_eqz(kind, "Cast"))
    return write_cast(f, &body);
  if (str_eqz(kind, "Ref") || str_eqz(kind, "AddressOf") || str_eqz(kind, "RawPtr"))
    return write_pointer_to(f, &body, str_eqz(kind, "Ref"));
  if (str_eqz(kind, "Aggregate"))
    return write_aggregate(f, &body, to);
  if (str_eqz(kind, "Repeat"))
    return write_repeat(f, &body);
  if (str_eqz(kind, "Discriminant"))
    return write_discriminant(f, &body, to);
  if (str_eqz(kind, "Len"))
    return write_len(f, &body, to);
  if (str_eqz(kind, "NullaryOp"))
    return write_nullary(f, &body, to);
  if (str_eqz(kind, "CopyForDeref")) {
    open(f, "use");
    open(f, "c");
    return sm_write_place_at(f, &body, NULL) && close(f) && close(f);
  }
  return refuse(f, "the value", kind);
}

/* ---- statements ---- */

static bool write_assign(struct sm_fn *f, const struct json_at *body) {
  struct parts x;
  struct sm_place to;
  if (!take(body, 2, &x) || !sm_read_place(f, &x.p[0], &to))
    return false;
  open(f, "=");
  if (!sm_write_place(f, &to, false) || !write_rvalue(f, &x.p[1], to.ty))
    return false;
  sm_write_span(f, f->s->at_span);
  return close(f);
}

static bool write_storage(struct sm_fn *f, const char *form, const struct json_at *body) {
  uint64_t n;
  if (!json_u64(body, UINT64_MAX, &n))
    return false;
  if (n >= f->n_locals) {
    json_error(body, "there is no local %llu in this function", (unsigned long long)n);
    return false;
  }
  open(f, form);
  jw_u64(f->w, n);
  return close(f);
}

static bool write_set_discriminant(struct sm_fn *f, const struct json_at *body) {
  struct json_at place;
  uint64_t n;
  if (!json_get(body, "place", &place) || !json_get_u64(body, "variant_index", UINT32_MAX, &n))
    return false;
  open(f, "setv");
  if (!sm_write_place_at(f, &place, NULL))
    return false;
  jw_u64(f->w, n);
  sm_write_span(f, f->s->at_span);
  return close(f);
}

static bool write_stmt_intrinsic(struct sm_fn *f, const struct json_at *body) {
  static const char *const members[] = {"dst", "src", "count"};
  struct json_at inner, op;
  str name;
  if (!sm_variant(body, &name, &inner))
    return false;
  if (str_eqz(name, "Assume")) {
    open(f, "assume");
    if (!sm_write_operand(f, &inner))
      return false;
  } else if (str_eqz(name, "CopyNonOverlapping")) {
    open(f, "copy");
    for (size_t i = 0; i < COUNT_OF(members); i++)
      if (!json_get(&inner, members[i], &op) || !sm_write_operand(f, &op))
        return false;
  } else {
    return refuse(f, "the statement", name);
  }
  sm_write_span(f, f->s->at_span);
  return close(f);
}

/* They say something to the compiler alone. */
static bool has_no_effect(str kind) {
  static const char *const kinds[] = {"Nop",
                                      "ConstEvalCounter",
                                      "Coverage",
                                      "PlaceMention",
                                      "AscribeUserType",
                                      "FakeRead",
                                      "Retag",
                                      "Deinit"};
  for (size_t i = 0; i < COUNT_OF(kinds); i++)
    if (str_eqz(kind, kinds[i]))
      return true;
  return false;
}

bool sm_write_stmt(struct sm_fn *f, const struct json_at *at) {
  struct json_at kind, body;
  str name;
  sm_use_span(f, at);
  if (!json_get(at, "kind", &kind) || !sm_variant(&kind, &name, &body))
    return false;
  if (str_eqz(name, "Assign"))
    return write_assign(f, &body);
  if (str_eqz(name, "StorageLive"))
    return write_storage(f, "live", &body);
  if (str_eqz(name, "StorageDead"))
    return write_storage(f, "dead", &body);
  if (str_eqz(name, "SetDiscriminant"))
    return write_set_discriminant(f, &body);
  if (str_eqz(name, "Intrinsic"))
    return write_stmt_intrinsic(f, &body);
  return has_no_effect(name) || refuse(f, "the statement", name);
}
