/* Parsing and comparing names of types. */
#include "cargo-integration/rustc/di_name.h"

#include <string.h>

#include "base/vec.h"

#define MAX_DEPTH 120

struct np {
  struct arena *a;
  str t;
  size_t at;
  int depth;
  bool bad;
};

static struct dn *np_type(struct np *p);

static void np_space(struct np *p) {
  while (p->at < p->t.n && (p->t.p[p->at] == ' ' || p->t.p[p->at] == '\n')) {
    p->at++;
  }
}

static bool np_try(struct np *p, const char *tok) {
  np_space(p);
  size_t n = strlen(tok);
  if (p->t.n - p->at < n || memcmp(p->t.p + p->at, tok, n) != 0) {
    return false;
  }
  p->at += n;
  return true;
}

static bool np_want(struct np *p, const char *tok) {
  bool ok = np_try(p, tok);
  p->bad = p->bad || !ok;
  return ok;
}

static bool word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         (unsigned char)c >= 0x80;
}

static str np_word(struct np *p) {
  np_space(p);
  size_t lo = p->at;
  while (p->at < p->t.n && word_char(p->t.p[p->at])) {
    p->at++;
  }
  return str_sub(p->t, lo, p->at);
}

/* A keyword that stands alone. */
static bool np_keyword(struct np *p, const char *k) {
  size_t save = p->at;
  if (str_eqz(np_word(p), k)) {
    return true;
  }
  p->at = save;
  return false;
}

static struct dn *dn_make(struct np *p, enum dn_kind kind) {
  struct dn *d = arena_new(p->a, struct dn);
  d->kind = kind;
  return d;
}

typedef VEC(struct dn *) dn_vec;

static void set_args(struct dn *d, const dn_vec *v) {
  d->args = v->p;
  d->n_args = (uint32_t)v->n;
}

/* Behind an opening `<`: to behind its partner. */
static void skip_angles(struct np *p) {
  int depth = 1;
  while (p->at < p->t.n && depth > 0) {
    char c = p->t.p[p->at];
    bool arrow = c == '>' && p->at > 0 && p->t.p[p->at - 1] == '-';
    depth += c == '<';
    depth -= c == '>' && !arrow;
    p->at++;
  }
}

/* ".Named(DefId(1:61241 ~ core[c1f1]::clone::Clone::clone::'_))" of a bound lifetime. */
static void skip_bound_name(struct np *p) {
  int depth = 0;
  p->at++;
  (void)np_word(p);
  do {
    depth += p->t.p[p->at] == '(';
    depth -= p->t.p[p->at] == ')';
    p->at++;
  } while (depth > 0 && p->at < p->t.n);
}

/* 'a, '_, '{erased}, '^0, 'static: false when there is none. */
static bool skip_lifetime(struct np *p) {
  np_space(p);
  if (p->at + 1 >= p->t.n || p->t.p[p->at] != '\'') {
    return false;
  }
  /* A character literal as const argument has its closing tick. */
  if (p->at + 2 < p->t.n && p->t.p[p->at + 2] == '\'') {
    return false;
  }
  p->at++;
  if (p->t.p[p->at] == '{') {
    size_t close = str_find_char(p->t, '}', p->at);
    p->at = close == SIZE_MAX ? p->t.n : close + 1;
  } else {
    p->at += p->t.p[p->at] == '^';
    (void)np_word(p);
    if (p->at < p->t.n && p->t.p[p->at] == '.') {
      skip_bound_name(p);
    }
  }
  return true;
}

/* Types up to `close`, which is taken; lifetimes are dropped. `binding` skips `name =`. */
static void np_list(struct np *p, const char *close, dn_vec *v) {
  while (!p->bad && !np_try(p, close)) {
    if (!skip_lifetime(p)) {
      size_t save = p->at;
      str w = np_word(p);
      np_space(p);
      bool binding = w.n > 0 && p->at < p->t.n && p->t.p[p->at] == '=';
      if (binding) {
        p->at++;
      } else {
        p->at = save;
      }
      vec_push(p->a, v, np_type(p));
    }
    if (!np_try(p, ",")) {
      p->bad = p->bad || !np_try(p, close);
      return;
    }
  }
}

/* Leaf(0x0004): usize, behind "ValTree(". */
static struct dn *np_valtree(struct np *p) {
  struct dn *d = dn_make(p, DN_LITERAL);
  u128 v = 0;
  if (!np_want(p, "Leaf(")) {
    return dn_make(p, DN_OTHER);
  }
  if (!str_to_u128(np_word(p), &v)) {
    p->bad = true;
  }
  (void)(np_want(p, ")") && np_want(p, ":"));
  str ty = np_word(p);
  p->bad = p->bad || !np_try(p, ")");
  if (str_eqz(ty, "bool")) {
    d->name = v != 0 ? STR("true") : STR("false");
    return d;
  }
  if (str_eqz(ty, "char")) {
    d->name = arena_printf(p->a, "'%llu'", (unsigned long long)v);
    return d;
  }
  unsigned bits = 64;
  uint64_t n = 0;
  if (ty.n > 1 && str_to_u64(str_drop(ty, 1), &n)) {
    bits = (unsigned)n;
  }
  bool negative = ty.n > 0 && ty.p[0] == 'i' && bits <= 64 && ((v >> (bits - 1)) & 1) != 0;
  if (v > UINT64_MAX) {
    p->bad = true;
  }
  if (negative) {
    uint64_t mag = (uint64_t)(((u128)1 << bits) - v);
    d->name = arena_printf(p->a, "-%llu", (unsigned long long)mag);
  } else {
    d->name = arena_printf(p->a, "%llu", (unsigned long long)v);
  }
  return d;
}

/* 4, 4usize, 4_usize, -3, true, false, 'x': a constant argument in source or debug info. */
static struct dn *np_literal(struct np *p) {
  struct dn *d = dn_make(p, DN_LITERAL);
  bool minus = np_try(p, "-");
  np_space(p);
  size_t lo = p->at;
  while (p->at < p->t.n && p->t.p[p->at] >= '0' && p->t.p[p->at] <= '9') {
    p->at++;
  }
  d->name = str_sub(p->t, lo, p->at);
  p->bad = p->bad || d->name.n == 0;
  (void)np_word(p);
  if (minus) {
    d->name = arena_printf(p->a, "-%.*s", STR_ARG(d->name));
  }
  return d;
}

/* One segment of a path: a word, {closure#0}, {closure_env#0}, {impl#3}. */
static bool np_segment(struct np *p, str *seg) {
  np_space(p);
  if (p->at < p->t.n && p->t.p[p->at] == '{') {
    size_t close = str_find_char(p->t, '}', p->at);
    if (close == SIZE_MAX) {
      return false;
    }
    *seg = str_sub(p->t, p->at, close + 1);
    p->at = close + 1;
    if (str_starts(*seg, STR("{closure_env#"))) {
      *seg = arena_printf(p->a, "{closure#%.*s", STR_ARG(str_drop(*seg, 13)));
    }
    return true;
  }
  *seg = np_word(p);
  /* The second item of one name in a body is S#1 in text, and S in debug info as the first. */
  if (seg->n > 0 && p->at + 1 < p->t.n && p->t.p[p->at] == '#') {
    p->at++;
    (void)np_word(p);
  }
  return seg->n > 0;
}

/* `<T as Trait>` or `<impl …>` at the head: its insides do not matter for matching. */
static void np_head(struct np *p, struct dn *d) {
  np_space(p);
  if (p->at < p->t.n && p->t.p[p->at] == '<') {
    p->at++;
    skip_angles(p);
    d->qualified = true;
    (void)np_want(p, "::");
  }
}

static struct dn *np_path(struct np *p) {
  struct dn *d = dn_make(p, DN_PATH);
  VEC(str) segs = {0};
  np_head(p, d);
  for (;;) {
    str seg = STR_NULL;
    np_space(p);
    if (p->at < p->t.n && p->t.p[p->at] == '<') {
      /* An impl block in the middle: what was before it is its place, not its name. */
      p->at++;
      skip_angles(p);
      d->qualified = true;
      segs.n = 0;
    } else if (!np_segment(p, &seg)) {
      p->bad = true;
      return d;
    } else {
      vec_push(p->a, &segs, seg);
    }
    size_t save = p->at;
    bool colons = np_try(p, "::");
    np_space(p);
    bool angles = p->at < p->t.n && p->t.p[p->at] == '<';
    bool impl_block = angles && colons && (str_starts(str_drop(p->t, p->at), STR("<impl ")));
    if (angles && !impl_block) {
      dn_vec args = {0};
      p->at++;
      np_list(p, ">", &args);
      if (args.n > 0) {
        set_args(d, &args);
      }
      save = p->at;
      colons = np_try(p, "::");
    }
    if (!colons) {
      p->at = save;
      break;
    }
  }
  d->segs = segs.p;
  d->n_segs = (uint32_t)segs.n;
  if (segs.n > 0 && str_starts(segs.p[segs.n - 1], STR("{closure#"))) {
    d->kind = DN_CLOSURE;
    d->n_args = 0; /* generic arguments of the function around it */
  }
  return d;
}

/* Behind `{`: the verbose form of a closure. */
static struct dn *np_closure(struct np *p) {
  struct dn *d = np_path(p);
  if (d->kind != DN_CLOSURE) {
    return dn_make(p, DN_OTHER);
  }
  while (!p->bad && !np_try(p, "}")) {
    str key = np_word(p);
    if (key.n == 0 || !np_want(p, "=")) {
      p->bad = true;
      break;
    }
    struct dn *v = np_type(p);
    if (str_eqz(key, "upvar_tys")) {
      d->has_captures = v->kind == DN_TUPLE;
      d->args = v->args;
      d->n_args = v->n_args;
    }
  }
  return d;
}

/* At `fn`, `unsafe fn`, `extern "C" fn`. */
static struct dn *np_fn(struct np *p) {
  struct dn *d = dn_make(p, DN_FN);
  dn_vec v = {0};
  d->is_unsafe = np_keyword(p, "unsafe");
  if (np_keyword(p, "extern")) {
    np_space(p);
    if (np_try(p, "\"")) {
      size_t close = str_find_char(p->t, '"', p->at);
      close = close == SIZE_MAX ? p->t.n : close;
      d->name = str_sub(p->t, p->at, close);
      p->at = close < p->t.n ? close + 1 : close;
    }
  }
  if (!np_keyword(p, "fn") || !np_want(p, "(")) {
    p->bad = true;
    return d;
  }
  np_list(p, ")", &v);
  struct dn *ret = np_try(p, "->") ? np_type(p) : dn_make(p, DN_TUPLE);
  vec_push(p->a, &v, ret);
  set_args(d, &v);
  np_space(p);
  if (p->at < p->t.n && p->t.p[p->at] == '{') {
    size_t depth = 0;
    d->kind = DN_FNDEF;
    do {
      depth += p->t.p[p->at] == '{';
      depth -= p->t.p[p->at] == '}';
      p->at++;
    } while (depth > 0 && p->at < p->t.n);
  }
  return d;
}

static struct dn *np_wrap(struct np *p, enum dn_kind kind, bool mut) {
  struct dn *d = dn_make(p, kind);
  dn_vec v = {0};
  d->mut = mut;
  vec_push(p->a, &v, np_type(p));
  set_args(d, &v);
  return d;
}

static struct dn *np_bracket(struct np *p) {
  struct dn *d = np_wrap(p, DN_SLICE, false);
  if (np_try(p, ";")) {
    d->kind = DN_ARRAY;
    struct dn *len = np_type(p);
    p->bad = p->bad || len->kind != DN_LITERAL;
    d->name = len->name;
  }
  (void)np_want(p, "]");
  return d;
}

static struct dn *np_tuple(struct np *p) {
  struct dn *d = dn_make(p, DN_TUPLE);
  dn_vec v = {0};
  np_list(p, ")", &v);
  set_args(d, &v);
  return d;
}

static struct dn *np_dyn(struct np *p) {
  struct dn *d = dn_make(p, DN_DYN);
  dn_vec v = {0};
  if (np_keyword(p, "for") && np_want(p, "<")) {
    skip_angles(p);
  }
  vec_push(p->a, &v, np_path(p));
  set_args(d, &v);
  /* Fn(A) -> R sugar and further bounds: a trait object behind a pointer has one layout. */
  if (np_try(p, "(")) {
    dn_vec scrap = {0};
    np_list(p, ")", &scrap);
    if (np_try(p, "->")) {
      (void)np_type(p);
    }
  }
  while (np_try(p, "+")) {
    if (!skip_lifetime(p)) {
      (void)np_path(p);
    }
  }
  return d;
}

static bool at_word(struct np *p, const char *w) {
  size_t save = p->at;
  bool yes = np_keyword(p, w);
  p->at = save;
  return yes;
}

static struct dn *np_type_inner(struct np *p) {
  np_space(p);
  char c = p->at < p->t.n ? p->t.p[p->at] : '\0';
  if (c == '&') {
    p->at++;
    (void)skip_lifetime(p);
    bool mut = np_keyword(p, "mut");
    return np_wrap(p, DN_REF, mut);
  }
  if (c == '*') {
    p->at++;
    bool mut = np_keyword(p, "mut");
    p->bad = p->bad || (!mut && !np_keyword(p, "const"));
    return np_wrap(p, DN_PTR, mut);
  }
  if (c == '[') {
    p->at++;
    return np_bracket(p);
  }
  if (c == '(') {
    p->at++;
    return np_tuple(p);
  }
  if (c == '!') {
    p->at++;
    return dn_make(p, DN_NEVER);
  }
  if (c == '{') {
    p->at++;
    return np_closure(p);
  }
  if (c == '-' || (c >= '0' && c <= '9')) {
    return np_literal(p);
  }
  if (np_try(p, "ValTree(")) {
    return np_valtree(p);
  }
  if (np_keyword(p, "dyn")) {
    return np_dyn(p);
  }
  if (np_keyword(p, "for")) {
    if (np_want(p, "<")) {
      skip_angles(p);
    }
    return np_type(p);
  }
  if (at_word(p, "fn") || at_word(p, "unsafe") || at_word(p, "extern")) {
    return np_fn(p);
  }
  struct dn *d = np_path(p);
  if (d->n_segs == 1 && (str_eqz(d->segs[0], "true") || str_eqz(d->segs[0], "false"))) {
    d->kind = DN_LITERAL;
    d->name = d->segs[0];
  }
  return d;
}

static struct dn *np_type(struct np *p) {
  if (p->bad || ++p->depth > MAX_DEPTH) {
    p->bad = true;
    return dn_make(p, DN_OTHER);
  }
  np_space(p);
  size_t lo = p->at;
  struct dn *d = np_type_inner(p);
  d->text = str_sub(p->t, lo, p->at);
  p->depth--;
  return d;
}

struct dn *dn_parse(struct arena *a, str text) {
  struct np p = {.a = a, .t = text};
  struct dn *d = np_type(&p);
  np_space(&p);
  if (p.bad || p.at != text.n) {
    d = dn_make(&p, DN_OTHER);
    d->text = text;
  }
  return d;
}

str dn_key(const struct dn *t) {
  switch (t->kind) {
  case DN_PATH:
    return t->n_segs > 0 ? t->segs[t->n_segs - 1] : STR_NULL;
  case DN_CLOSURE:
    return t->segs[t->n_segs - 1];
  case DN_TUPLE:
    return STR("()");
  default:
    return STR("?");
  }
}

bool dn_has_fndef(const struct dn *t) {
  if (t->kind == DN_FNDEF) {
    return true;
  }
  for (uint32_t i = 0; i < t->n_args; i++) {
    if (dn_has_fndef(t->args[i])) {
      return true;
    }
  }
  return false;
}

static bool is_std(str s) {
  return str_eqz(s, "std") || str_eqz(s, "core") || str_eqz(s, "alloc");
}

/* Are a[0..n) found in b[0..m) in order, both ending together? */
static bool subsequence(const str *a, uint32_t n, const str *b, uint32_t m) {
  if (n == 0 || m == 0 || !str_eq(a[n - 1], b[m - 1])) {
    return false;
  }
  uint32_t i = 0;
  for (uint32_t k = 0; k < m && i < n; k++) {
    i += str_eq(a[i], b[k]);
  }
  return i == n;
}

static bool paths_match(const struct dn_match *m, const struct dn *t, const struct dn *di) {
  const str *a = t->segs;
  uint32_t n = t->n_segs;
  while (n > 1 && !t->qualified &&
         (str_eqz(a[0], "super") || str_eqz(a[0], "crate") || str_eqz(a[0], "self"))) {
    a++;
    n--;
  }
  if (n == 0 || di->n_segs == 0) {
    return false;
  }
  if (t->qualified) {
    return n <= di->n_segs && subsequence(a, n, di->segs + (di->n_segs - n), n);
  }
  if (di->n_segs == 1) {
    return n == 1 && str_eq(a[0], di->segs[0]); /* primitives */
  }
  if (is_std(a[0]) && n > 1 && is_std(di->segs[0])) {
    return subsequence(a + 1, n - 1, di->segs + 1, di->n_segs - 1);
  }
  if (str_eq(di->segs[0], m->crate) && n == di->n_segs - 1) {
    uint32_t i = 0;
    while (i < n && str_eq(a[i], di->segs[i + 1])) {
      i++;
    }
    if (i == n) {
      return true;
    }
  }
  /* Another crate's type by its visible path; `use` can shorten that path. */
  return n > 1 && !is_std(di->segs[0]) && str_eq(a[0], di->segs[0]) &&
         subsequence(a + 1, n - 1, di->segs + 1, di->n_segs - 1);
}

static bool lists_match(const struct dn_match *m, struct dn *const *a, uint32_t n,
                        struct dn *const *b, uint32_t k) {
  if (n != k) {
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    if (!dn_matches(m, a[i], b[i])) {
      return false;
    }
  }
  return true;
}

/* The printers leave out an argument that equals its default. Which defaults a type has is not
 * known here, except these of the library. */
static bool is_left_out_default(const struct dn *t, const struct dn *arg) {
  if (arg->kind == DN_TUPLE) {
    return arg->n_args == 0 && str_eqz(dn_key(t), "ControlFlow");
  }
  return arg->kind == DN_PATH && str_eqz(arg->text, "alloc::alloc::Global");
}

static bool args_match(const struct dn_match *m, const struct dn *t, const struct dn *di) {
  if (t->n_args + 1 == di->n_args && is_left_out_default(t, di->args[t->n_args])) {
    return lists_match(m, t->args, t->n_args, di->args, t->n_args);
  }
  return lists_match(m, t->args, t->n_args, di->args, di->n_args);
}

/* A method's closure: text names the type (`NeverShortCircuit::wrap`), debug info the impl block
 * (`{impl#2}::wrap`). */
static bool methods_match(const struct dn *t, const struct dn *di) {
  uint32_t k = di->n_segs;
  while (k > 0 && !str_starts(di->segs[k - 1], STR("{impl#"))) {
    k--;
  }
  uint32_t tail = di->n_segs - k;
  if (k == 0 || tail >= t->n_segs) {
    return false;
  }
  for (uint32_t i = 0; i < tail; i++) {
    if (!str_eq(t->segs[t->n_segs - tail + i], di->segs[k + i])) {
      return false;
    }
  }
  return true;
}

/* Parent generics are not printed with a closure, so its captures decide. */
static bool closures_match(const struct dn_match *m, const struct dn *t, const struct dn *di) {
  if (!paths_match(m, t, di) && !(t->has_captures && methods_match(t, di))) {
    return false;
  }
  struct dn **types = NULL;
  uint32_t n = 0;
  if (!t->has_captures || m->captures == NULL || !m->captures(m->ctx, di->text, &types, &n)) {
    return t->has_captures ? t->n_args == 0 : true;
  }
  return lists_match(m, t->args, t->n_args, types, n);
}

bool dn_matches(const struct dn_match *m, const struct dn *t, const struct dn *di) {
  enum dn_kind kind = t->kind == DN_FNDEF ? DN_FN : t->kind;
  if (kind != di->kind || kind == DN_OTHER) {
    return false;
  }
  switch (kind) {
  case DN_NEVER:
    return true;
  case DN_LITERAL:
    return str_eq(t->name, di->name);
  case DN_PATH:
    return paths_match(m, t, di) && args_match(m, t, di);
  case DN_CLOSURE:
    return closures_match(m, t, di);
  case DN_DYN:
    return paths_match(m, t->args[0], di->args[0]);
  default:
    return t->mut == di->mut && t->is_unsafe == di->is_unsafe && str_eq(t->name, di->name) &&
           lists_match(m, t->args, t->n_args, di->args, di->n_args);
  }
}
