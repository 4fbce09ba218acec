/* Right-hand sides of assignments in the MIR text. */
#include "cargo-integration/rustc/mir_reader.h"

#include <string.h>

static const char *const bin_names[] = {
#define MIR_BIN(id, text) text,
#include "cargo-integration/rustc/mir_ops.def"
#undef MIR_BIN
};
static const char *const un_names[] = {
#define MIR_UN(id, text) text,
#include "cargo-integration/rustc/mir_ops.def"
#undef MIR_UN
};
static const char *const cast_names[] = {
#define MIR_CAST(id, text) text,
#include "cargo-integration/rustc/mir_ops.def"
#undef MIR_CAST
};

const char *mir_bin_name(enum mir_bin b) {
  return bin_names[b];
}
const char *mir_un_name(enum mir_un u) {
  return un_names[u];
}
const char *mir_cast_name(enum mir_cast c) {
  return cast_names[c];
}

static int find_name(str name, const char *const *names, int n) {
  for (int i = 0; i < n; i++)
    if (str_eqz(name, names[i]))
      return i;
  return -1;
}

bool read_cast(struct reader *r, struct mir_rvalue *out) {
  struct lex *l = &r->l;
  out->kind = RV_CAST;
  if (!NEED(r, " as ") || (out->ty = read_type(r)) == NULL || !NEED(r, " ("))
    return false;
  size_t from = l->pos;
  if (!lex_balanced(l, ")", false))
    return reader_fail_at(r, MD0109, from, "expected the kind of a cast");
  out->cast_detail = str_sub(l->text, from, l->pos);
  l->pos++;
  size_t end = 0;
  while (end < out->cast_detail.n && out->cast_detail.p[end] != ',')
    end++;
  str head = str_sub(out->cast_detail, 0, end);
  /* `PointerCoercion(ReifyFnPointer(Safe), Implicit)`: the part in parentheses says nothing new. */
  size_t inner = str_find_char(head, '(', sizeof "PointerCoercion");
  if (str_starts(head, STR("PointerCoercion(")) && inner != SIZE_MAX)
    head = str_sub(head, 0, inner);
  if (str_starts(head, STR("PointerCoercion(")) && str_ends(head, STR(")")))
    head = str_sub(head, 0, head.n - 1);
  int kind = find_name(head, cast_names, CAST_COUNT);
  if (kind < 0)
    return reader_fail_at(r, MD0109, from, "the cast `%.*s` is not known", STR_ARG(head));
  out->cast = (enum mir_cast)kind;
  return true;
}

/* Behind `&`. */
static bool read_ref(struct reader *r, struct mir_rvalue *out) {
  struct lex *l = &r->l;
  if (LEX_EAT(l, "/*tls*/ ")) {
    out->kind = RV_TLS;
    out->mut = LEX_EAT(l, "mut ");
    return (out->path = read_path(r)) != NULL;
  }
  if (LEX_EAT(l, "raw ")) {
    out->kind = RV_RAW;
    out->mut = LEX_EAT(l, "mut ");
    if (!out->mut && !NEED(r, "const "))
      return false;
    out->fake = LEX_EAT(l, "(fake) ");
    return read_place(r, &out->place, NULL);
  }
  out->kind = RV_REF;
  if (lex_peek(l) == '\'') {
    while (!lex_end(l) && lex_peek(l) != ' ' && lex_peek(l) != '\n')
      l->pos++;
    if (!NEED(r, " "))
      return false;
  }
  out->fake = LEX_EAT(l, "fake shallow ") || LEX_EAT(l, "fake ");
  out->mut = LEX_EAT(l, "mut ") || LEX_EAT(l, "two_phase mut ");
  return read_place(r, &out->place, NULL);
}

/* Behind `[`. */
static bool read_array(struct reader *r, struct mir_rvalue *out) {
  struct lex *l = &r->l;
  size_t mark = r->ops.n;
  out->kind = RV_ARRAY;
  if (!LEX_EAT(l, "]")) {
    struct mir_operand first;
    if (!read_operand(r, &first))
      return false;
    if (LEX_EAT(l, "; ")) {
      out->kind = RV_REPEAT;
      out->a = first;
      return (out->count = read_const_arg(r)) != NULL && NEED(r, "]");
    }
    vec_push(NULL, &r->ops, first);
    if (LEX_EAT(l, ", ")) {
      if (!read_operands(r, ']'))
        return false;
    } else if (!NEED(r, "]")) {
      return false;
    }
  }
  out->ops = take_operands(r, mark, &out->n_ops);
  return true;
}

/* `{ name: op, .. }` behind ` { `. */
static bool read_named_fields(struct reader *r, struct mir_rvalue *out) {
  struct lex *l = &r->l;
  size_t mark = r->ops.n, names = r->names.n;
  do {
    size_t from = l->pos;
    if (lex_is_digit(lex_peek(l)))
      while (lex_is_digit(lex_peek(l)))
        l->pos++;
    else
      (void)lex_ident(l);
    str name = str_sub(l->text, from, l->pos);
    struct mir_operand op;
    if (name.n == 0)
      return reader_fail(r, MD0102, "expected the name of a field");
    if (!NEED(r, ": ") || !read_operand(r, &op))
      return false;
    vec_push(NULL, &r->ops, op);
    vec_push(NULL, &r->names, name);
  } while (LEX_EAT(l, ", "));
  if (!NEED(r, " }"))
    return false;
  size_t n = r->names.n - names;
  str *fields = arena_array(r->arena, str, n);
  memcpy(fields, r->names.p + names, n * sizeof *fields);
  r->names.n = names;
  out->fields = fields;
  out->ops = take_operands(r, mark, &out->n_ops);
  return true;
}

/* What follows the head of an ADT or closure: `(ops)`, ` { name: op }` or nothing. */
static bool read_fields(struct reader *r, struct mir_rvalue *out) {
  struct lex *l = &r->l;
  if (LEX_EAT(l, " { "))
    return read_named_fields(r, out);
  if (!LEX_EAT(l, "("))
    return true;
  size_t mark = r->ops.n;
  if (!read_operands(r, ')'))
    return false;
  out->ops = take_operands(r, mark, &out->n_ops);
  return true;
}

static bool read_closure(struct reader *r, struct mir_rvalue *out) {
  if (LEX_AT(&r->l, "{coroutine") || LEX_AT(&r->l, "{async") || LEX_AT(&r->l, "{gen "))
    return reader_fail(r, MD0113, "coroutines cannot run on the device");
  out->kind = RV_CLOSURE;
  return (out->ty = read_type(r)) != NULL && read_fields(r, out);
}

/* `*const T from (data, meta)`. */
static bool read_rawfat(struct reader *r, struct mir_rvalue *out) {
  size_t mark = r->ops.n;
  uint32_t n;
  out->kind = RV_RAWFAT;
  if ((out->ty = read_type(r)) == NULL || !NEED(r, " from (") || !read_operands(r, ')'))
    return false;
  const struct mir_operand *ops = take_operands(r, mark, &n);
  if (n != 2)
    return reader_fail(r, MD0102, "a pointer is made from two operands, not %u", n);
  out->a = ops[0];
  out->b = ops[1];
  return true;
}

/* A local struct may be called as an operation is: the place assigned decides. */
static bool dest_is_named(const struct reader *r, str name) {
  return r->dest_ty != NULL && r->dest_ty->kind == RTY_PATH &&
         str_eq(rty_last_name(r->dest_ty), name);
}

/* `Op(a, b)`, `Op(a)`; *found tells whether it was one. */
static bool read_operation(struct reader *r, struct mir_rvalue *out, bool *found) {
  struct lex *l = &r->l;
  struct lex ahead = *l;
  str name = lex_ident(&ahead);
  *found = false;
  if (lex_peek(&ahead) != '(' || dest_is_named(r, name))
    return true;
  int bin = find_name(name, bin_names, BIN_COUNT), un = find_name(name, un_names, UN_COUNT);
  if (bin < 0 && un < 0)
    return true;
  *found = true;
  ahead.pos++;
  *l = ahead;
  if (un >= 0) {
    out->kind = RV_UN;
    out->un = (enum mir_un)un;
    return read_operand(r, &out->a) && NEED(r, ")");
  }
  out->kind = RV_BIN;
  out->bin = (enum mir_bin)bin;
  return read_operand(r, &out->a) && NEED(r, ", ") && read_operand(r, &out->b) && NEED(r, ")");
}

static bool read_of_place(struct reader *r, struct mir_rvalue *out, enum mir_rvalue_kind kind) {
  out->kind = kind;
  return read_place(r, &out->place, NULL) && NEED(r, ")");
}

static bool read_use(struct reader *r, struct mir_rvalue *out) {
  out->kind = RV_USE;
  if (!read_operand(r, &out->a))
    return false;
  return LEX_AT(&r->l, " as ") ? read_cast(r, out) : true;
}

/* An aggregate has the type of the place assigned: a struct by its own path, a variant by that of
 * its enum. Without this check a new operator would pass as a struct of that name. */
static bool fits_dest(const struct reader *r, const struct rty *path) {
  const struct rty *want = r->dest_ty;
  if (want == NULL)
    return true;
  if (want->kind != RTY_PATH)
    return want->kind == RTY_IMPL;
  for (uint32_t i = 0; i < want->n_segs; i++)
    if (want->segs[i].kind != SEG_NAME)
      return true; /* a projection that is not resolved in generic code */
  /* Only last names: a crate's paths may be printed shortened on one side. */
  str name = rty_last_name(want);
  return str_eq(rty_last_name(path), name) ||
         (path->n_segs > 1 && str_eq(path->segs[path->n_segs - 2].name, name));
}

static bool read_adt(struct reader *r, struct mir_rvalue *out) {
  size_t at = r->l.pos;
  out->kind = RV_ADT;
  if ((out->path = read_path(r)) == NULL || !read_fields(r, out))
    return false;
  if (lex_peek(&r->l) != ';' || !fits_dest(r, out->path))
    return reader_fail_at(r, MD0102, at, "this right-hand side is not known");
  return true;
}

bool read_rvalue(struct reader *r, struct mir_rvalue *out) {
  struct lex *l = &r->l;
  *out = (struct mir_rvalue){0};
  if (at_operand(r))
    return read_use(r, out);
  switch (lex_peek(l)) {
  case '&':
    l->pos++;
    return read_ref(r, out);
  case '[':
    l->pos++;
    return read_array(r, out);
  case '(': {
    size_t mark = r->ops.n;
    l->pos++;
    out->kind = RV_TUPLE;
    if (!read_operands(r, ')'))
      return false;
    out->ops = take_operands(r, mark, &out->n_ops);
    return true;
  }
  case '*':
    return read_rawfat(r, out);
  case '{':
    return read_closure(r, out);
  default:
    break;
  }
  if (LEX_EAT(l, "discriminant("))
    return read_of_place(r, out, RV_DISCR);
  if (LEX_EAT(l, "Len("))
    return read_of_place(r, out, RV_LEN);
  if (LEX_EAT(l, "deref_copy ")) {
    out->kind = RV_DEREF_COPY;
    return read_place(r, &out->place, NULL);
  }
  bool found;
  if (!read_operation(r, out, &found))
    return false;
  if (found)
    return true;
  if (lex_is_ident_start(lex_peek(l)) || lex_peek(l) == '<')
    return read_adt(r, out);
  return reader_fail(r, MD0102, "this right-hand side is not known");
}
