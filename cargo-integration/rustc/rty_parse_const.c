/* Reads the small parts of Rust types: lifetimes, binders, primitive names, constants. */
#include "cargo-integration/rustc/rty_reader.h"

#include <string.h>

/* ---- lifetimes and binders ---- */

static bool skip_parens(struct parser *p) {
  unsigned depth = 0;
  for (; !lex_end(&p->l); p->l.pos++) {
    char c = lex_peek(&p->l);
    if (c == '(')
      depth++;
    else if (c == ')' && --depth == 0) {
      p->l.pos++;
      return true;
    } else if (c == '\n')
      return false;
  }
  return false;
}

/* `'{erased}`, `'a`, `'_`, `'^0.Named(DefId(..))`, `'^1`, `'?3`, `'a/#0`. */
bool rty_eat_lifetime(struct parser *p) {
  struct lex *l = &p->l;
  if (lex_peek(l) != '\'')
    return false;
  if (LEX_EAT(l, "'{erased}"))
    return true;
  size_t from = l->pos++;
  if (lex_peek(l) == '^' || lex_peek(l) == '?') {
    l->pos++;
    while (lex_is_digit(lex_peek(l)) || lex_peek(l) == '_')
      l->pos++;
    if (lex_peek(l) == '.') {
      l->pos++;
      (void)lex_ident(l);
      if (lex_peek(l) == '(' && !skip_parens(p))
        return false;
    }
    return true;
  }
  if (lex_ident(l).n == 0) {
    l->pos = from;
    return false;
  }
  if (LEX_AT(l, "/#")) {
    l->pos += 2;
    while (lex_is_digit(lex_peek(l)))
      l->pos++;
  }
  return true;
}

/* `for<'a, 'b> `, `for<Region(BrNamed(DefId(..))), Region(BrAnon)> `. */
bool rty_eat_binder(struct parser *p) {
  struct lex *l = &p->l;
  if (!LEX_EAT(l, "for<"))
    return true;
  unsigned depth = 1;
  for (; !lex_end(l) && depth > 0; l->pos++) {
    char c = lex_peek(l);
    if (c == '<')
      depth++;
    else if (c == '>')
      depth--;
    else if (c == '\n')
      return false;
  }
  return depth == 0 && LEX_EAT(l, " ");
}

/* ---- constants ---- */

static const struct rty *parse_leaf(struct parser *p) {
  uint64_t lo, hi;
  unsigned digits;
  if (!lex_hex128(&p->l, &lo, &hi, &digits) || !LEX_EAT(&p->l, "): "))
    return rty_fail(p, "expected `0x…): ` and a type");
  const struct rty *ty = rty_read_type(p);
  if (ty == NULL || !LEX_EAT(&p->l, ")"))
    return rty_fail(p, "expected `)` behind a constant");
  return rty_const(p->t, ty, lo, hi);
}

static const struct rty *parse_branch(struct parser *p) {
  size_t mark = p->t->stack.n;
  while (!LEX_EAT(&p->l, "]")) {
    const struct rty *k = rty_read_const(p);
    if (k == NULL)
      return NULL;
    rty_push(p, k);
    if (!LEX_EAT(&p->l, ", ") && lex_peek(&p->l) != ']')
      return rty_fail(p, "expected `,` or `]` in a constant");
  }
  if (!LEX_EAT(&p->l, "): "))
    return rty_fail(p, "expected `): ` and a type behind a constant");
  const struct rty *ty = rty_read_type(p);
  if (ty == NULL || !LEX_EAT(&p->l, ")"))
    return rty_fail(p, "expected `)` behind a constant");
  return rty_finish(p, (struct rty){.kind = RTY_CONST_BRANCH, .elem = ty}, mark);
}

bool rty_prim_named(str name, enum rty_prim *out) {
  static const char *const names[PRIM_COUNT] = {
      "bool", "char", "str", "i8",   "i16",   "i32", "i64", "i128", "isize", "u8",
      "u16",  "u32",  "u64", "u128", "usize", "f16", "f32", "f64",  "f128"};
  if (name.n < 2 || name.n > 5)
    return false;
  for (int i = 0; i < PRIM_COUNT; i++)
    if (str_eqz(name, names[i])) {
      *out = (enum rty_prim)i;
      return true;
    }
  return false;
}

/* `4`, `-3`, `4_usize` of the plain style. */
static const struct rty *parse_number(struct parser *p) {
  bool negative = LEX_EAT(&p->l, "-");
  uint64_t v;
  if (!lex_u64(&p->l, &v))
    return rty_fail(p, "expected a number");
  const struct rty *ty = NULL;
  if (LEX_EAT(&p->l, "_")) {
    enum rty_prim prim;
    if (!rty_prim_named(lex_ident(&p->l), &prim))
      return rty_fail(p, "expected the type of a number");
    ty = rty_prim(p->t, prim);
  }
  return rty_const(p->t, ty, negative ? (uint64_t)0 - v : v, negative ? UINT64_MAX : 0);
}

static const struct rty *parse_char(struct parser *p) {
  struct lex *l = &p->l;
  l->pos++;
  uint64_t v = 0, hi;
  unsigned digits;
  unsigned char c = (unsigned char)lex_peek(l);
  if (LEX_EAT(l, "\\u{")) {
    if (!lex_hex128(l, &v, &hi, &digits) || !LEX_EAT(l, "}"))
      return rty_fail(p, "expected a character");
  } else if (c == '\\') {
    static const char from[] = "nrt0'\"\\", to[] = "\n\r\t\0'\"\\";
    const char *at = strchr(from, lex_peek_at(l, 1));
    if (at == NULL || *at == '\0')
      return rty_fail(p, "expected a character");
    v = (unsigned char)to[at - from];
    l->pos += 2;
  } else {
    unsigned extra = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
    v = extra == 3 ? c & 7u : extra == 2 ? c & 15u : extra == 1 ? c & 31u : c;
    l->pos++;
    for (; extra > 0; extra--, l->pos++)
      v = v << 6 | ((unsigned char)lex_peek(l) & 63u);
  }
  if (!LEX_EAT(l, "'"))
    return rty_fail(p, "expected `'` behind a character");
  return rty_const(p->t, p->t->prims[PRIM_CHAR], v, 0);
}

bool rty_at_char(const struct lex *l) {
  if (lex_peek(l) != '\'')
    return false;
  if (lex_peek_at(l, 1) == '\\')
    return true;
  size_t n = 1;
  while (n < 4 && ((unsigned char)lex_peek_at(l, n + 1) & 0xc0u) == 0x80u)
    n++;
  return lex_peek_at(l, n + 1) == '\'';
}

static const struct rty *const_param(struct parser *p, str name) {
  uint64_t index;
  if (!lex_u64(&p->l, &index))
    return rty_fail(p, "expected the number of a parameter");
  return rty_intern(p->t, &(struct rty){.kind = RTY_CONST_PARAM, .name = name, .lo = index});
}

/* `UnevaluatedConst { def: DefId(..{impl#1}::N), args: [..] }`, in the path of an impl whose header
 * names a constant: what it is called, its value is not told there. */
static const struct rty *parse_unevaluated(struct parser *p) {
  struct lex *l = &p->l;
  size_t from = l->pos;
  unsigned depth = 0;
  for (; !lex_end(l) && lex_peek(l) != '\n'; l->pos++) {
    char c = lex_peek(l);
    depth += c == '{';
    if (c != '}' || --depth > 0)
      continue;
    l->pos++;
    return rty_intern(
        p->t, &(struct rty){.kind = RTY_CONST_OPEN, .name = str_sub(l->text, from, l->pos)});
  }
  return rty_fail(p, "expected `}` behind an unevaluated constant");
}

static const struct rty *parse_const_inner(struct parser *p) {
  struct lex *l = &p->l;
  if (LEX_EAT(l, "ValTree(Leaf(0x"))
    return parse_leaf(p);
  if (LEX_EAT(l, "ValTree(Branch(["))
    return parse_branch(p);
  if (LEX_AT(l, "UnevaluatedConst {"))
    return parse_unevaluated(p);
  if (LEX_EAT(l, "true"))
    return rty_const(p->t, p->t->prims[PRIM_BOOL], 1, 0);
  if (LEX_EAT(l, "false"))
    return rty_const(p->t, p->t->prims[PRIM_BOOL], 0, 0);
  if (lex_is_digit(lex_peek(l)) || (lex_peek(l) == '-' && lex_is_digit(lex_peek_at(l, 1))))
    return parse_number(p);
  if (rty_at_char(l))
    return parse_char(p);
  size_t from = l->pos;
  str name = lex_ident(l);
  if (name.n > 0 && LEX_EAT(l, "/#"))
    return const_param(p, name);
  l->pos = from;
  return rty_read_path(p, true);
}

const struct rty *rty_read_const(struct parser *p) {
  if (++p->depth > RTY_MAX_DEPTH)
    return rty_fail(p, RTY_WANT_SHALLOW);
  const struct rty *k = parse_const_inner(p);
  p->depth--;
  return k;
}
