/* Reads Rust types, paths and constant arguments as rustc's MIR printer spells them, both plain
 * and with `-Zverbose-internals`. One pass, no backtracking further than a token. */
#include "cargo-integration/rustc/rty.h"

#include "cargo-integration/rustc/lex.h"

#include <string.h>

#define MAX_DEPTH 200u

struct parser {
  struct rty_table *t;
  struct lex l;
  unsigned depth;
  bool no_item; /* a `{path}` behind a signature belongs to an outer one */
  struct rty_error *e;
};

static const struct rty *parse_type(struct parser *p);
static const struct rty *parse_path(struct parser *p, bool value);
static const struct rty *parse_const(struct parser *p);

static const struct rty *fail(struct parser *p, const char *want) {
  if (p->e->want == NULL) {
    p->e->at = p->l.pos;
    p->e->want = want;
  }
  return NULL;
}

/* ---- scratch ---- */

static void push(struct parser *p, const struct rty *t) { vec_push(NULL, &p->t->stack, t); }

static struct rty_seg *push_seg(struct parser *p) { return vec_add(NULL, &p->t->segs); }

/* Interns with the arguments above `mark` and drops them. */
static const struct rty *finish(struct parser *p, struct rty proto, size_t mark) {
  proto.args = p->t->stack.p == NULL ? NULL : p->t->stack.p + mark;
  proto.n_args = (uint32_t)(p->t->stack.n - mark);
  const struct rty *t = rty_intern(p->t, &proto);
  p->t->stack.n = mark;
  return t;
}

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
static bool eat_lifetime(struct parser *p) {
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
static bool eat_binder(struct parser *p) {
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
    return fail(p, "expected `0x…): ` and a type");
  const struct rty *ty = parse_type(p);
  if (ty == NULL || !LEX_EAT(&p->l, ")"))
    return fail(p, "expected `)` behind a constant");
  return rty_const(p->t, ty, lo, hi);
}

static const struct rty *parse_branch(struct parser *p) {
  size_t mark = p->t->stack.n;
  while (!LEX_EAT(&p->l, "]")) {
    const struct rty *k = parse_const(p);
    if (k == NULL)
      return NULL;
    push(p, k);
    if (!LEX_EAT(&p->l, ", ") && lex_peek(&p->l) != ']')
      return fail(p, "expected `,` or `]` in a constant");
  }
  if (!LEX_EAT(&p->l, "): "))
    return fail(p, "expected `): ` and a type behind a constant");
  const struct rty *ty = parse_type(p);
  if (ty == NULL || !LEX_EAT(&p->l, ")"))
    return fail(p, "expected `)` behind a constant");
  return finish(p, (struct rty){.kind = RTY_CONST_BRANCH, .elem = ty}, mark);
}

static bool prim_named(str name, enum rty_prim *out) {
  static const char *const names[PRIM_COUNT] = {
      "bool", "char", "str",  "i8",   "i16",   "i32", "i64", "i128", "isize", "u8",
      "u16",  "u32",  "u64",  "u128", "usize", "f16", "f32", "f64",  "f128"};
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
    return fail(p, "expected a number");
  const struct rty *ty = NULL;
  if (LEX_EAT(&p->l, "_")) {
    enum rty_prim prim;
    if (!prim_named(lex_ident(&p->l), &prim))
      return fail(p, "expected the type of a number");
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
      return fail(p, "expected a character");
  } else if (c == '\\') {
    static const char from[] = "nrt0'\"\\", to[] = "\n\r\t\0'\"\\";
    const char *at = strchr(from, lex_peek_at(l, 1));
    if (at == NULL || *at == '\0')
      return fail(p, "expected a character");
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
    return fail(p, "expected `'` behind a character");
  return rty_const(p->t, p->t->prims[PRIM_CHAR], v, 0);
}

static bool at_char(const struct lex *l) {
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
    return fail(p, "expected the number of a parameter");
  return rty_intern(p->t, &(struct rty){.kind = RTY_CONST_PARAM, .name = name, .lo = index});
}

static const struct rty *parse_const_inner(struct parser *p) {
  struct lex *l = &p->l;
  if (LEX_EAT(l, "ValTree(Leaf(0x"))
    return parse_leaf(p);
  if (LEX_EAT(l, "ValTree(Branch(["))
    return parse_branch(p);
  if (LEX_EAT(l, "true"))
    return rty_const(p->t, p->t->prims[PRIM_BOOL], 1, 0);
  if (LEX_EAT(l, "false"))
    return rty_const(p->t, p->t->prims[PRIM_BOOL], 0, 0);
  if (lex_is_digit(lex_peek(l)) || (lex_peek(l) == '-' && lex_is_digit(lex_peek_at(l, 1))))
    return parse_number(p);
  if (at_char(l))
    return parse_char(p);
  size_t from = l->pos;
  str name = lex_ident(l);
  if (name.n > 0 && LEX_EAT(l, "/#"))
    return const_param(p, name);
  l->pos = from;
  return parse_path(p, true);
}

static const struct rty *parse_const(struct parser *p) {
  if (++p->depth > MAX_DEPTH)
    return fail(p, "nested too deeply");
  const struct rty *k = parse_const_inner(p);
  p->depth--;
  return k;
}

/* ---- generic arguments ---- */

static bool at_const_arg(const struct lex *l) {
  if (LEX_AT(l, "ValTree(") || lex_is_digit(lex_peek(l)) || at_char(l))
    return true;
  if (lex_peek(l) == '-' && lex_is_digit(lex_peek_at(l, 1)))
    return true;
  size_t n = LEX_AT(l, "true") ? 4 : LEX_AT(l, "false") ? 5 : 0;
  if (n > 0 && !lex_is_ident(lex_peek_at(l, n)) && lex_peek_at(l, n) != ':')
    return true;
  struct lex ahead = *l;
  return lex_ident(&ahead).n > 0 && LEX_AT(&ahead, "/#");
}

static const struct rty *parse_arg(struct parser *p) {
  struct lex *l = &p->l;
  if (at_const_arg(l))
    return parse_const(p);
  if (lex_peek(l) == '\'')
    return eat_lifetime(p) ? p->t->lifetime : fail(p, "expected a lifetime");
  struct lex ahead = *l;
  str name = lex_ident(&ahead);
  if (name.n > 0 && LEX_EAT(&ahead, " = ")) {
    *l = ahead;
    const struct rty *to = parse_type(p);
    if (to == NULL)
      return NULL;
    return rty_intern(p->t, &(struct rty){.kind = RTY_BINDING, .name = name, .elem = to});
  }
  return parse_type(p);
}

/* Arguments behind `<`, up to and over `>`; they are left on the stack. */
static bool parse_args(struct parser *p) {
  struct lex *l = &p->l;
  while (!LEX_EAT(l, ">")) {
    const struct rty *arg = parse_arg(p);
    if (arg == NULL)
      return false;
    push(p, arg);
    if (!LEX_EAT(l, ", ") && lex_peek(l) != '>') {
      (void)fail(p, "expected `,` or `>` in generic arguments");
      return false;
    }
  }
  return true;
}

/* ---- paths ---- */

static str eat_special(struct parser *p) {
  struct lex *l = &p->l;
  size_t from = l->pos, to = str_find_char(l->text, '}', from);
  if (to == SIZE_MAX || to - from > 4096)
    return STR_NULL;
  if (LEX_AT(l, "{{") && to + 1 < l->text.n && l->text.p[to + 1] == '}')
    to++;
  l->pos = to + 1;
  return str_sub(l->text, from, l->pos);
}

static const struct rty *parse_more_bounds(struct parser *p, enum rty_kind kind, size_t mark);

/* `<impl Bound as Trait>`: an unnamed parameter as qualified self, behind its first bound. */
static bool parse_impl_qself(struct parser *p, const struct rty *bound, struct rty_seg *seg) {
  struct lex *l = &p->l;
  size_t mark = p->t->stack.n;
  push(p, bound);
  const struct rty *self =
      LEX_EAT(l, " + ") ? parse_more_bounds(p, RTY_IMPL, mark)
                        : finish(p, (struct rty){.kind = RTY_IMPL}, mark);
  if (self == NULL || !LEX_EAT(l, " as "))
    return fail(p, "expected ` as `") != NULL;
  const struct rty *trait = parse_path(p, false);
  if (trait == NULL || !LEX_EAT(l, ">"))
    return fail(p, "expected `>` behind a qualified self") != NULL;
  *seg = (struct rty_seg){.kind = SEG_QSELF, .self = self, .trait = trait};
  return true;
}

/* `<impl T>`, `<impl Trait for T>`, `<impl at F:l:c: l:c>`, behind `<impl `. */
static bool parse_impl_seg(struct parser *p, struct rty_seg *seg) {
  struct lex *l = &p->l;
  if (LEX_EAT(l, "at ")) {
    size_t to = str_find_char(l->text, '>', l->pos);
    if (to == SIZE_MAX)
      return fail(p, "expected `>` behind an impl's place") != NULL;
    *seg = (struct rty_seg){.kind = SEG_IMPL_AT, .name = str_sub(l->text, l->pos, to)};
    l->pos = to + 1;
    return true;
  }
  const struct rty *first = parse_type(p), *second = NULL;
  if (first == NULL)
    return false;
  if (LEX_AT(l, " as ") || LEX_AT(l, " + "))
    return parse_impl_qself(p, first, seg);
  if (LEX_EAT(l, " for ") && (second = parse_type(p)) == NULL)
    return false;
  if (!LEX_EAT(l, ">"))
    return fail(p, "expected `>` behind an impl") != NULL;
  *seg = (struct rty_seg){.kind = SEG_IMPL,
                          .self = second ? second : first,
                          .trait = second ? first : NULL};
  return true;
}

/* `<T as Trait>` or `<T>`, behind `<`. */
static bool parse_qself(struct parser *p, struct rty_seg *seg) {
  struct lex *l = &p->l;
  const struct rty *self = parse_type(p), *trait = NULL;
  if (self == NULL)
    return false;
  if (LEX_EAT(l, " as ") && (trait = parse_path(p, false)) == NULL)
    return false;
  if (!LEX_EAT(l, ">"))
    return fail(p, "expected `>` behind a qualified self") != NULL;
  *seg = (struct rty_seg){.kind = SEG_QSELF, .self = self, .trait = trait};
  return true;
}

/* Inside `::<impl X>`: an impl block when a path goes on behind it, else an unnamed parameter as
 * the generic argument of a function. */
static bool at_impl_block(const struct lex *l) {
  struct lex ahead = *l;
  if (LEX_AT(&ahead, "::<impl at "))
    return true;
  ahead.pos += 3;
  if (!lex_balanced(&ahead, ">,", true) || lex_peek(&ahead) != '>')
    return false;
  ahead.pos++;
  return LEX_AT(&ahead, "::") && lex_peek_at(&ahead, 2) != '{';
}

/* `Fn(A, B) -> R`, in bounds. */
static bool parse_sugar(struct parser *p) {
  struct lex *l = &p->l;
  size_t mark = p->t->stack.n;
  while (!LEX_EAT(l, ")")) {
    const struct rty *arg = parse_type(p);
    if (arg == NULL)
      return false;
    push(p, arg);
    if (!LEX_EAT(l, ", ") && lex_peek(l) != ')')
      return fail(p, "expected `,` or `)`") != NULL;
  }
  const struct rty *tuple = finish(p, (struct rty){.kind = RTY_TUPLE}, mark);
  const struct rty *ret = p->t->unit;
  if (LEX_EAT(l, " -> ") && (ret = parse_type(p)) == NULL)
    return false;
  push(p, tuple);
  push(p, rty_intern(p->t, &(struct rty){.kind = RTY_BINDING, .name = STR("Output"), .elem = ret}));
  return true;
}

static bool is_fn_trait(str name) {
  return str_eqz(name, "Fn") || str_eqz(name, "FnMut") || str_eqz(name, "FnOnce") ||
         str_eqz(name, "AsyncFn") || str_eqz(name, "AsyncFnMut") || str_eqz(name, "AsyncFnOnce");
}

/* One segment without its arguments. */
static bool parse_seg_head(struct parser *p, struct rty_seg *seg) {
  struct lex *l = &p->l;
  if (lex_peek(l) == '{') {
    *seg = (struct rty_seg){.kind = SEG_SPECIAL, .name = eat_special(p)};
    return seg->name.n > 0 || fail(p, "expected `}`") != NULL;
  }
  size_t from = l->pos;
  if (lex_is_digit(lex_peek(l))) {
    while (lex_is_digit(lex_peek(l)))
      l->pos++;
    *seg = (struct rty_seg){.kind = SEG_NAME, .name = str_sub(l->text, from, l->pos)};
    return true;
  }
  str name = lex_ident(l);
  if (name.n == 0)
    return fail(p, "expected a name in a path") != NULL;
  *seg = (struct rty_seg){.kind = SEG_NAME, .name = name};
  if (str_eqz(name, "promoted") && lex_peek(l) == '[') {
    size_t to = str_find_char(l->text, ']', l->pos);
    if (to == SIZE_MAX || to - l->pos > 12)
      return fail(p, "expected `]`") != NULL;
    l->pos = to + 1;
    *seg = (struct rty_seg){.kind = SEG_SPECIAL, .name = str_sub(l->text, from, l->pos)};
  }
  return true;
}

/* The arguments of the segment just read, if any; they go on the stack. */
static bool parse_seg_args(struct parser *p, const struct rty_seg *seg, bool value) {
  struct lex *l = &p->l;
  if (LEX_AT(l, "::<")) {
    if (LEX_AT(l, "::<impl ") && at_impl_block(l))
      return true;
    l->pos += 3;
    return parse_args(p);
  }
  if (lex_peek(l) == '<' && !(value && LEX_AT(l, "<impl "))) {
    l->pos++;
    return parse_args(p);
  }
  if (lex_peek(l) == '(' && !value && is_fn_trait(seg->name)) {
    l->pos++;
    return parse_sugar(p);
  }
  return true;
}

static bool parse_segs(struct parser *p, bool value) {
  struct lex *l = &p->l;
  for (bool first = true;; first = false) {
    struct rty_seg seg;
    if (LEX_EAT(l, "<impl ")) {
      if (!parse_impl_seg(p, &seg))
        return false;
    } else if (first && LEX_EAT(l, "<")) {
      if (!parse_qself(p, &seg))
        return false;
    } else if (!parse_seg_head(p, &seg)) {
      return false;
    }
    size_t mark = p->t->stack.n;
    if (seg.kind == SEG_NAME || seg.kind == SEG_SPECIAL)
      if (!parse_seg_args(p, &seg, value))
        return false;
    seg.n_args = (uint32_t)(p->t->stack.n - mark);
    *push_seg(p) = seg;
    if (!LEX_AT(l, "::"))
      return true;
    l->pos += 2;
  }
}

static const struct rty *parse_path_inner(struct parser *p, bool value) {
  size_t mark = p->t->stack.n, seg_mark = p->t->segs.n;
  if (!parse_segs(p, value)) {
    p->t->stack.n = mark;
    p->t->segs.n = seg_mark;
    return NULL;
  }
  /* The scratch may have moved while it grew: the arguments are found by counting. */
  size_t at = mark;
  for (size_t i = seg_mark; i < p->t->segs.n; i++) {
    struct rty_seg *seg = &p->t->segs.p[i];
    seg->args = seg->n_args > 0 ? p->t->stack.p + at : NULL;
    at += seg->n_args;
  }
  const struct rty *t = rty_intern(p->t, &(struct rty){.kind = RTY_PATH,
                                                       .segs = p->t->segs.p + seg_mark,
                                                       .n_segs = (uint32_t)(p->t->segs.n - seg_mark)});
  p->t->stack.n = mark;
  p->t->segs.n = seg_mark;
  return t;
}

static const struct rty *parse_path(struct parser *p, bool value) {
  if (++p->depth > MAX_DEPTH)
    return fail(p, "nested too deeply");
  const struct rty *t = parse_path_inner(p, value);
  p->depth--;
  return t;
}

/* ---- functions and closures ---- */

static bool parse_params(struct parser *p, bool *variadic) {
  struct lex *l = &p->l;
  while (!LEX_EAT(l, ")")) {
    if (LEX_EAT(l, "...")) {
      *variadic = true;
      continue;
    }
    const struct rty *t = parse_type(p);
    if (t == NULL)
      return false;
    push(p, t);
    if (!LEX_EAT(l, ", ") && lex_peek(l) != ')')
      return fail(p, "expected `,` or `)` in parameters") != NULL;
  }
  return true;
}

static const struct rty *parse_item_path(struct parser *p) {
  p->l.pos += 2;
  const struct rty *path = parse_path(p, true);
  if (path == NULL || !LEX_EAT(&p->l, "}"))
    return fail(p, "expected `}` behind a function's path");
  return path;
}

static bool at_item_path(const struct lex *l) {
  return LEX_AT(l, " {") && (lex_is_ident_start(lex_peek_at(l, 2)) || lex_peek_at(l, 2) == '<');
}

static const struct rty *fn_def(struct parser *p, const struct rty *sig, const struct rty *path) {
  return rty_intern(p->t, &(struct rty){.kind = RTY_FNDEF, .sig = sig, .path = path});
}

static const struct rty *parse_fn(struct parser *p) {
  struct lex *l = &p->l;
  struct rty proto = {.kind = RTY_FNPTR, .ret = p->t->unit};
  bool no_item = p->no_item;
  size_t mark = p->t->stack.n;
  proto.is_unsafe = LEX_EAT(l, "unsafe ");
  if (LEX_EAT(l, "extern \"")) {
    size_t to = str_find_char(l->text, '"', l->pos);
    if (to == SIZE_MAX || to - l->pos > 64)
      return fail(p, "expected the name of a calling convention");
    proto.abi = str_sub(l->text, l->pos, to);
    l->pos = to + 1;
    if (!LEX_EAT(l, " "))
      return fail(p, "expected `fn(`");
  }
  if (!LEX_EAT(l, "fn("))
    return fail(p, "expected `fn(`");
  p->no_item = false;
  if (!parse_params(p, &proto.variadic))
    return NULL;
  if (LEX_EAT(l, " -> ")) {
    p->no_item = true;
    proto.ret = parse_type(p);
    if (proto.ret == NULL)
      return NULL;
  }
  p->no_item = no_item;
  if (no_item || !at_item_path(l))
    return finish(p, proto, mark);
  const struct rty *path = parse_item_path(p);
  if (path == NULL)
    return NULL;
  /* `fn() -> fn() {a} {b}`: the first belongs to the result. */
  if (proto.ret->kind == RTY_FNPTR && at_item_path(l)) {
    proto.ret = fn_def(p, proto.ret, path);
    if ((path = parse_item_path(p)) == NULL)
      return NULL;
  }
  return fn_def(p, finish(p, proto, mark), path);
}

/* `{path closure_kind_ty=i8 closure_sig_as_fn_ptr_ty=.. upvar_tys=(..)}`, at `{`. */
static const struct rty *parse_closure(struct parser *p) {
  struct lex *l = &p->l;
  l->pos++;
  struct rty proto = {.kind = RTY_CLOSURE, .lo = RTY_CLOSURE_UNKNOWN};
  if (LEX_EAT(l, "closure@")) {
    size_t to = str_find_char(l->text, '}', l->pos);
    if (to == SIZE_MAX)
      return fail(p, "expected `}` behind a closure");
    proto.name = str_sub(l->text, l->pos, to);
    l->pos = to + 1;
    return rty_intern(p->t, &proto);
  }
  proto.path = parse_path(p, true);
  if (proto.path == NULL)
    return NULL;
  if (!LEX_EAT(l, " closure_kind_ty="))
    return fail(p, "expected `closure_kind_ty=`");
  const struct rty *kind = parse_type(p);
  if (kind == NULL || !LEX_EAT(l, " closure_sig_as_fn_ptr_ty="))
    return fail(p, "expected `closure_sig_as_fn_ptr_ty=`");
  if (kind->kind == RTY_PRIM)
    proto.lo = kind->prim == PRIM_I8    ? 0
               : kind->prim == PRIM_I16 ? 1
               : kind->prim == PRIM_I32 ? 2
                                        : RTY_CLOSURE_UNKNOWN;
  proto.sig = parse_type(p);
  if (proto.sig == NULL || !LEX_EAT(l, " upvar_tys="))
    return fail(p, "expected `upvar_tys=`");
  const struct rty *upvars = parse_type(p);
  if (upvars == NULL || upvars->kind != RTY_TUPLE || !LEX_EAT(l, "}"))
    return fail(p, "expected the tuple of captures and `}`");
  proto.args = upvars->args;
  proto.n_args = upvars->n_args;
  return rty_intern(p->t, &proto);
}

/* ---- other types ---- */

/* Behind `dyn ` or `impl `: traits and lifetimes joined by ` + `. */
static const struct rty *parse_bounds(struct parser *p, enum rty_kind kind) {
  return parse_more_bounds(p, kind, p->t->stack.n);
}

static const struct rty *parse_more_bounds(struct parser *p, enum rty_kind kind, size_t mark) {
  struct lex *l = &p->l;
  do {
    if (!eat_binder(p))
      return fail(p, "expected a binder");
    if (lex_peek(l) == '\'') {
      if (!eat_lifetime(p))
        return fail(p, "expected a lifetime");
      continue;
    }
    (void)LEX_EAT(l, "?");
    const struct rty *trait = parse_path(p, false);
    if (trait == NULL)
      return NULL;
    push(p, trait);
  } while (LEX_EAT(l, " + "));
  return finish(p, (struct rty){.kind = kind}, mark);
}

static const struct rty *parse_pattern(struct parser *p, const struct rty *base) {
  struct lex *l = &p->l;
  size_t from = l->pos;
  if (!lex_balanced(l, ",;)>]}", false))
    return fail(p, "expected the end of a pattern type");
  return rty_intern(p->t, &(struct rty){.kind = RTY_PATTERN,
                                        .elem = base,
                                        .name = str_sub(l->text, from, l->pos)});
}

static const struct rty *parse_tuple(struct parser *p) {
  struct lex *l = &p->l;
  size_t mark = p->t->stack.n;
  bool comma = true;
  while (!LEX_EAT(l, ")")) {
    const struct rty *t = parse_type(p);
    if (t == NULL)
      return NULL;
    push(p, t);
    comma = LEX_EAT(l, ",");
    (void)LEX_EAT(l, " ");
    if (!comma && lex_peek(l) != ')')
      return fail(p, "expected `,` or `)` in a tuple type");
  }
  if (p->t->stack.n - mark == 1 && !comma) {
    const struct rty *inner = p->t->stack.p[mark];
    p->t->stack.n = mark;
    return LEX_EAT(l, " is ") ? parse_pattern(p, inner) : inner;
  }
  return finish(p, (struct rty){.kind = RTY_TUPLE}, mark);
}

static const struct rty *parse_array(struct parser *p) {
  struct lex *l = &p->l;
  const struct rty *elem = parse_type(p);
  if (elem == NULL)
    return NULL;
  if (LEX_EAT(l, "]"))
    return rty_slice(p->t, elem);
  if (!LEX_EAT(l, "; "))
    return fail(p, "expected `;` or `]`");
  const struct rty *len = parse_const(p);
  if (len == NULL || !LEX_EAT(l, "]"))
    return fail(p, "expected `]` behind an array's length");
  return rty_intern(p->t, &(struct rty){.kind = RTY_ARRAY, .elem = elem, .len = len});
}

static const struct rty *parse_pointee(struct parser *p, enum rty_kind kind, bool mut) {
  const struct rty *elem = parse_type(p);
  if (elem == NULL)
    return NULL;
  return rty_intern(p->t, &(struct rty){.kind = kind, .elem = elem, .mut = mut});
}

static const struct rty *parse_ref(struct parser *p) {
  struct lex *l = &p->l;
  if (lex_peek(l) == '\'') {
    if (!eat_lifetime(p) || !LEX_EAT(l, " "))
      return fail(p, "expected a lifetime");
  }
  bool mut = LEX_EAT(l, "mut ");
  return parse_pointee(p, RTY_REF, mut);
}

static const struct rty *parse_named(struct parser *p) {
  struct lex *l = &p->l;
  struct lex ahead = *l;
  str name = lex_ident(&ahead);
  enum rty_prim prim;
  if (prim_named(name, &prim) && !LEX_AT(&ahead, "::")) {
    *l = ahead;
    if (LEX_EAT(l, " is "))
      return parse_pattern(p, rty_prim(p->t, prim));
    return rty_prim(p->t, prim);
  }
  return parse_path(p, false);
}

static const struct rty *parse_type_inner(struct parser *p) {
  struct lex *l = &p->l;
  switch (lex_peek(l)) {
  case '!':
    l->pos++;
    return p->t->never;
  case '&':
    l->pos++;
    return parse_ref(p);
  case '*':
    if (LEX_EAT(l, "*const "))
      return parse_pointee(p, RTY_PTR, false);
    if (LEX_EAT(l, "*mut "))
      return parse_pointee(p, RTY_PTR, true);
    return fail(p, "expected `*const` or `*mut`");
  case '[':
    l->pos++;
    return parse_array(p);
  case '(':
    l->pos++;
    return parse_tuple(p);
  case '{':
    return parse_closure(p);
  default:
    break;
  }
  if (!eat_binder(p))
    return fail(p, "expected a binder");
  (void)LEX_EAT(l, "#[target_features] ");
  if (LEX_AT(l, "fn(") || LEX_AT(l, "unsafe ") || LEX_AT(l, "extern \""))
    return parse_fn(p);
  if (LEX_EAT(l, "dyn "))
    return parse_bounds(p, RTY_DYN);
  if (LEX_EAT(l, "impl "))
    return parse_bounds(p, RTY_IMPL);
  if (lex_peek(l) == '<' || lex_is_ident_start(lex_peek(l)))
    return parse_named(p);
  return fail(p, "expected a type");
}

static const struct rty *parse_type(struct parser *p) {
  if (++p->depth > MAX_DEPTH)
    return fail(p, "nested too deeply");
  bool no_item = p->no_item;
  bool direct = lex_peek(&p->l) == 'f' || lex_peek(&p->l) == 'u' || lex_peek(&p->l) == 'e';
  p->no_item = no_item && direct;
  const struct rty *t = parse_type_inner(p);
  p->no_item = no_item;
  p->depth--;
  return t;
}

/* ---- entry points ---- */

typedef const struct rty *(*parse_fn_ptr)(struct parser *p);

static const struct rty *parse_value_path(struct parser *p) { return parse_path(p, true); }

static const struct rty *enter(struct rty_table *t, str text, size_t *pos, struct rty_error *e,
                               parse_fn_ptr what) {
  struct rty_error own = {0};
  struct parser p = {.t = t, .l = {text, *pos}, .e = &own};
  t->stack.n = 0;
  t->segs.n = 0;
  const struct rty *r = what(&p);
  if (r == NULL) {
    *e = own;
    return NULL;
  }
  *pos = p.l.pos;
  return r;
}

const struct rty *rty_parse_at(struct rty_table *t, str text, size_t *pos, struct rty_error *e) {
  return enter(t, text, pos, e, parse_type);
}

const struct rty *rty_parse_path_at(struct rty_table *t, str text, size_t *pos,
                                    struct rty_error *e) {
  return enter(t, text, pos, e, parse_value_path);
}

const struct rty *rty_parse_const_at(struct rty_table *t, str text, size_t *pos,
                                     struct rty_error *e) {
  return enter(t, text, pos, e, parse_const);
}

const struct rty *rty_parse(struct rty_table *t, str text, struct rty_error *e) {
  size_t pos = 0;
  const struct rty *r = rty_parse_at(t, text, &pos, e);
  if (r != NULL && pos != text.n) {
    *e = (struct rty_error){.at = pos, .want = "expected the end of the type"};
    return NULL;
  }
  return r;
}
