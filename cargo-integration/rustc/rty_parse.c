/* Reads Rust types and paths as rustc's MIR printer spells them, both plain and with
 * `-Zverbose-internals`. One pass, no backtracking further than a token. Constants and lifetimes
 * are in rty_parse_const.c. */
#include "cargo-integration/rustc/rty_reader.h"

const struct rty *rty_fail(struct parser *p, const char *want) {
  if (p->e->want == NULL) {
    p->e->at = p->l.pos;
    p->e->want = want;
  }
  return NULL;
}

/* ---- scratch ---- */

void rty_push(struct parser *p, const struct rty *t) {
  vec_push(NULL, &p->t->stack, t);
}

static struct rty_seg *push_seg(struct parser *p) {
  return vec_add(NULL, &p->t->segs);
}

const struct rty *rty_finish(struct parser *p, struct rty proto, size_t mark) {
  proto.args = p->t->stack.p == NULL ? NULL : p->t->stack.p + mark;
  proto.n_args = (uint32_t)(p->t->stack.n - mark);
  const struct rty *t = rty_intern(p->t, &proto);
  p->t->stack.n = mark;
  return t;
}

/* ---- generic arguments ---- */

static bool at_const_arg(const struct lex *l) {
  if (LEX_AT(l, "ValTree(") || LEX_AT(l, "UnevaluatedConst {") || lex_is_digit(lex_peek(l)) ||
      rty_at_char(l))
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
    return rty_read_const(p);
  if (lex_peek(l) == '\'')
    return rty_eat_lifetime(p) ? p->t->lifetime : rty_fail(p, "expected a lifetime");
  struct lex ahead = *l;
  str name = lex_ident(&ahead);
  if (name.n > 0 && LEX_EAT(&ahead, " = ")) {
    *l = ahead;
    const struct rty *to = rty_read_type(p);
    if (to == NULL)
      return NULL;
    return rty_intern(p->t, &(struct rty){.kind = RTY_BINDING, .name = name, .elem = to});
  }
  return rty_read_type(p);
}

/* Arguments behind `<`, up to and over `>`; they are left on the stack. */
static bool parse_args(struct parser *p) {
  struct lex *l = &p->l;
  while (!LEX_EAT(l, ">")) {
    const struct rty *arg = parse_arg(p);
    if (arg == NULL)
      return false;
    rty_push(p, arg);
    if (!LEX_EAT(l, ", ") && lex_peek(l) != '>') {
      (void)rty_fail(p, "expected `,` or `>` in generic arguments");
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
  rty_push(p, bound);
  const struct rty *self = LEX_EAT(l, " + ") ? parse_more_bounds(p, RTY_IMPL, mark)
                                             : rty_finish(p, (struct rty){.kind = RTY_IMPL}, mark);
  if (self == NULL || !LEX_EAT(l, " as "))
    return rty_fail(p, "expected ` as `") != NULL;
  const struct rty *trait = rty_read_path(p, false);
  if (trait == NULL || !LEX_EAT(l, ">"))
    return rty_fail(p, "expected `>` behind a qualified self") != NULL;
  *seg = (struct rty_seg){.kind = SEG_QSELF, .self = self, .trait = trait};
  return true;
}

/* `<impl T>`, `<impl Trait for T>`, `<impl at F:l:c: l:c>`, behind `<impl `. */
static bool parse_impl_seg(struct parser *p, struct rty_seg *seg) {
  struct lex *l = &p->l;
  if (LEX_EAT(l, "at ")) {
    size_t to = str_find_char(l->text, '>', l->pos);
    if (to == SIZE_MAX)
      return rty_fail(p, "expected `>` behind an impl's place") != NULL;
    *seg = (struct rty_seg){.kind = SEG_IMPL_AT, .name = str_sub(l->text, l->pos, to)};
    l->pos = to + 1;
    return true;
  }
  const struct rty *first = rty_read_type(p), *second = NULL;
  if (first == NULL)
    return false;
  if (LEX_AT(l, " as ") || LEX_AT(l, " + "))
    return parse_impl_qself(p, first, seg);
  if (LEX_EAT(l, " for ") && (second = rty_read_type(p)) == NULL)
    return false;
  if (!LEX_EAT(l, ">"))
    return rty_fail(p, "expected `>` behind an impl") != NULL;
  *seg = (struct rty_seg){
      .kind = SEG_IMPL, .self = second ? second : first, .trait = second ? first : NULL};
  return true;
}

/* `<T as Trait>` or `<T>`, behind `<`. */
static bool parse_qself(struct parser *p, struct rty_seg *seg) {
  struct lex *l = &p->l;
  const struct rty *self = rty_read_type(p), *trait = NULL;
  if (self == NULL)
    return false;
  if (LEX_EAT(l, " as ") && (trait = rty_read_path(p, false)) == NULL)
    return false;
  if (!LEX_EAT(l, ">"))
    return rty_fail(p, "expected `>` behind a qualified self") != NULL;
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
    const struct rty *arg = rty_read_type(p);
    if (arg == NULL)
      return false;
    rty_push(p, arg);
    if (!LEX_EAT(l, ", ") && lex_peek(l) != ')')
      return rty_fail(p, "expected `,` or `)`") != NULL;
  }
  const struct rty *tuple = rty_finish(p, (struct rty){.kind = RTY_TUPLE}, mark);
  const struct rty *ret = p->t->unit;
  if (LEX_EAT(l, " -> ") && (ret = rty_read_type(p)) == NULL)
    return false;
  rty_push(p, tuple);
  rty_push(
      p, rty_intern(p->t, &(struct rty){.kind = RTY_BINDING, .name = STR("Output"), .elem = ret}));
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
    return seg->name.n > 0 || rty_fail(p, "expected `}`") != NULL;
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
    return rty_fail(p, "expected a name in a path") != NULL;
  /* The second item of one name in one place is `name#1`. */
  if (lex_peek(l) == '#' && lex_is_digit(lex_peek_at(l, 1))) {
    for (l->pos++; lex_is_digit(lex_peek(l)); l->pos++)
      ;
    name = str_sub(l->text, from, l->pos);
  }
  *seg = (struct rty_seg){.kind = SEG_NAME, .name = name};
  if (str_eqz(name, "promoted") && lex_peek(l) == '[') {
    size_t to = str_find_char(l->text, ']', l->pos);
    if (to == SIZE_MAX || to - l->pos > 12)
      return rty_fail(p, "expected `]`") != NULL;
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

/* Does a path that starts so need the name of the crate that it is read from? */
static bool is_own(const struct parser *p, const struct rty_seg *seg) {
  for (size_t i = 0; i < p->t->outside.n; i++)
    if (str_eq(p->t->outside.p[i], seg->name))
      return false;
  return seg->kind == SEG_NAME && p->t->crate.n > 0;
}

static bool parse_segs(struct parser *p, bool value) {
  struct lex *l = &p->l;
  (void)LEX_EAT(l, "::"); /* bounds of `impl Trait` are printed as the source has them */
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
    if (first && is_own(p, &seg))
      *push_seg(p) = (struct rty_seg){.kind = SEG_NAME, .name = p->t->crate};
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
  const struct rty *t =
      rty_intern(p->t, &(struct rty){.kind = RTY_PATH,
                                     .segs = p->t->segs.p + seg_mark,
                                     .n_segs = (uint32_t)(p->t->segs.n - seg_mark)});
  p->t->stack.n = mark;
  p->t->segs.n = seg_mark;
  return t;
}

const struct rty *rty_read_path(struct parser *p, bool value) {
  if (++p->depth > RTY_MAX_DEPTH)
    return rty_fail(p, RTY_WANT_SHALLOW);
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
    const struct rty *t = rty_read_type(p);
    if (t == NULL)
      return false;
    rty_push(p, t);
    if (!LEX_EAT(l, ", ") && lex_peek(l) != ')')
      return rty_fail(p, "expected `,` or `)` in parameters") != NULL;
  }
  return true;
}

static const struct rty *parse_item_path(struct parser *p) {
  p->l.pos += 2;
  const struct rty *path = rty_read_path(p, true);
  if (path == NULL || !LEX_EAT(&p->l, "}"))
    return rty_fail(p, "expected `}` behind a function's path");
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
      return rty_fail(p, "expected the name of a calling convention");
    proto.abi = str_sub(l->text, l->pos, to);
    l->pos = to + 1;
    if (!LEX_EAT(l, " "))
      return rty_fail(p, "expected `fn(`");
  }
  if (!LEX_EAT(l, "fn("))
    return rty_fail(p, "expected `fn(`");
  p->no_item = false;
  if (!parse_params(p, &proto.variadic))
    return NULL;
  if (LEX_EAT(l, " -> ")) {
    p->no_item = true;
    proto.ret = rty_read_type(p);
    if (proto.ret == NULL)
      return NULL;
  }
  p->no_item = no_item;
  if (no_item || !at_item_path(l))
    return rty_finish(p, proto, mark);
  const struct rty *path = parse_item_path(p);
  if (path == NULL)
    return NULL;
  /* `fn() -> fn() {a} {b}`: the first belongs to the result. */
  if (proto.ret->kind == RTY_FNPTR && at_item_path(l)) {
    proto.ret = fn_def(p, proto.ret, path);
    if ((path = parse_item_path(p)) == NULL)
      return NULL;
  }
  return fn_def(p, rty_finish(p, proto, mark), path);
}

/* `{path closure_kind_ty=i8 closure_sig_as_fn_ptr_ty=.. upvar_tys=(..)}`, at `{`. */
static const struct rty *parse_closure(struct parser *p) {
  struct lex *l = &p->l;
  l->pos++;
  struct rty proto = {.kind = RTY_CLOSURE, .lo = RTY_CLOSURE_UNKNOWN};
  if (LEX_EAT(l, "closure@")) {
    size_t to = str_find_char(l->text, '}', l->pos);
    if (to == SIZE_MAX)
      return rty_fail(p, "expected `}` behind a closure");
    proto.name = str_sub(l->text, l->pos, to);
    l->pos = to + 1;
    return rty_intern(p->t, &proto);
  }
  if (LEX_EAT(l, "static "))
    return rty_fail(p, RTY_WANT_NO_COROUTINE);
  proto.path = rty_read_path(p, true);
  if (proto.path == NULL)
    return NULL;
  if (LEX_AT(l, " upvar_tys="))
    return rty_fail(p, RTY_WANT_NO_COROUTINE);
  if (!LEX_EAT(l, " closure_kind_ty="))
    return rty_fail(p, "expected `closure_kind_ty=`");
  const struct rty *kind = rty_read_type(p);
  if (kind == NULL || !LEX_EAT(l, " closure_sig_as_fn_ptr_ty="))
    return rty_fail(p, "expected `closure_sig_as_fn_ptr_ty=`");
  if (kind->kind == RTY_PRIM)
    proto.lo = kind->prim == PRIM_I8    ? 0
               : kind->prim == PRIM_I16 ? 1
               : kind->prim == PRIM_I32 ? 2
                                        : RTY_CLOSURE_UNKNOWN;
  proto.sig = rty_read_type(p);
  if (proto.sig == NULL || !LEX_EAT(l, " upvar_tys="))
    return rty_fail(p, "expected `upvar_tys=`");
  const struct rty *upvars = rty_read_type(p);
  if (upvars == NULL || upvars->kind != RTY_TUPLE || !LEX_EAT(l, "}"))
    return rty_fail(p, "expected the tuple of captures and `}`");
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
    if (!rty_eat_binder(p))
      return rty_fail(p, "expected a binder");
    if (lex_peek(l) == '\'') {
      if (!rty_eat_lifetime(p))
        return rty_fail(p, "expected a lifetime");
      continue;
    }
    (void)LEX_EAT(l, "?");
    const struct rty *trait = rty_read_path(p, false);
    if (trait == NULL)
      return NULL;
    rty_push(p, trait);
  } while (LEX_EAT(l, " + "));
  return rty_finish(p, (struct rty){.kind = kind}, mark);
}

static const struct rty *parse_pattern(struct parser *p, const struct rty *base) {
  struct lex *l = &p->l;
  size_t from = l->pos;
  if (!lex_balanced(l, ",;)>]}", false) && !lex_end(l))
    return rty_fail(p, "expected the end of a pattern type");
  return rty_intern(
      p->t,
      &(struct rty){.kind = RTY_PATTERN, .elem = base, .name = str_sub(l->text, from, l->pos)});
}

static const struct rty *parse_tuple(struct parser *p) {
  struct lex *l = &p->l;
  size_t mark = p->t->stack.n;
  bool comma = true;
  while (!LEX_EAT(l, ")")) {
    const struct rty *t = rty_read_type(p);
    if (t == NULL)
      return NULL;
    rty_push(p, t);
    comma = LEX_EAT(l, ",");
    (void)LEX_EAT(l, " ");
    if (!comma && lex_peek(l) != ')')
      return rty_fail(p, "expected `,` or `)` in a tuple type");
  }
  if (p->t->stack.n - mark == 1 && !comma) {
    const struct rty *inner = p->t->stack.p[mark];
    p->t->stack.n = mark;
    return LEX_EAT(l, " is ") ? parse_pattern(p, inner) : inner;
  }
  return rty_finish(p, (struct rty){.kind = RTY_TUPLE}, mark);
}

static const struct rty *parse_array(struct parser *p) {
  struct lex *l = &p->l;
  const struct rty *elem = rty_read_type(p);
  if (elem == NULL)
    return NULL;
  if (LEX_EAT(l, "]"))
    return rty_slice(p->t, elem);
  if (!LEX_EAT(l, "; "))
    return rty_fail(p, "expected `;` or `]`");
  const struct rty *len = rty_read_const(p);
  if (len == NULL || !LEX_EAT(l, "]"))
    return rty_fail(p, "expected `]` behind an array's length");
  return rty_intern(p->t, &(struct rty){.kind = RTY_ARRAY, .elem = elem, .len = len});
}

static const struct rty *parse_pointee(struct parser *p, enum rty_kind kind, bool mut) {
  const struct rty *elem = rty_read_type(p);
  if (elem == NULL)
    return NULL;
  return rty_intern(p->t, &(struct rty){.kind = kind, .elem = elem, .mut = mut});
}

static const struct rty *parse_ref(struct parser *p) {
  struct lex *l = &p->l;
  if (lex_peek(l) == '\'') {
    if (!rty_eat_lifetime(p) || !LEX_EAT(l, " "))
      return rty_fail(p, "expected a lifetime");
  }
  bool mut = LEX_EAT(l, "mut ");
  return parse_pointee(p, RTY_REF, mut);
}

static const struct rty *parse_named(struct parser *p) {
  struct lex *l = &p->l;
  struct lex ahead = *l;
  str name = lex_ident(&ahead);
  enum rty_prim prim;
  if (rty_prim_named(name, &prim) && !LEX_AT(&ahead, "::")) {
    *l = ahead;
    if (LEX_EAT(l, " is "))
      return parse_pattern(p, rty_prim(p->t, prim));
    return rty_prim(p->t, prim);
  }
  return rty_read_path(p, false);
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
    return rty_fail(p, "expected `*const` or `*mut`");
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
  if (!rty_eat_binder(p))
    return rty_fail(p, "expected a binder");
  (void)LEX_EAT(l, "#[target_features] ");
  if (LEX_AT(l, "fn(") || LEX_AT(l, "unsafe ") || LEX_AT(l, "extern \""))
    return parse_fn(p);
  if (LEX_EAT(l, "dyn "))
    return parse_bounds(p, RTY_DYN);
  if (LEX_EAT(l, "impl "))
    return parse_bounds(p, RTY_IMPL);
  if (lex_peek(l) == '<' || lex_is_ident_start(lex_peek(l)))
    return parse_named(p);
  return rty_fail(p, "expected a type");
}

const struct rty *rty_read_type(struct parser *p) {
  if (++p->depth > RTY_MAX_DEPTH)
    return rty_fail(p, RTY_WANT_SHALLOW);
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

static const struct rty *parse_value_path(struct parser *p) {
  return rty_read_path(p, true);
}

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
  return enter(t, text, pos, e, rty_read_type);
}

const struct rty *rty_parse_path_at(struct rty_table *t, str text, size_t *pos,
                                    struct rty_error *e) {
  return enter(t, text, pos, e, parse_value_path);
}

const struct rty *rty_parse_const_at(struct rty_table *t, str text, size_t *pos,
                                     struct rty_error *e) {
  return enter(t, text, pos, e, rty_read_const);
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
