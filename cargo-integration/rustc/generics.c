/* Generic parameters as the source lists them. */
#include "cargo-integration/rustc/generics.h"

#include "base/fatal.h"

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void skip_space(str t, size_t *i) {
  for (;;) {
    while (*i < t.n && (t.p[*i] == ' ' || t.p[*i] == '\n' || t.p[*i] == '\t' || t.p[*i] == '\r'))
      ++*i;
    if (*i + 1 < t.n && t.p[*i] == '/' && t.p[*i + 1] == '/') {
      while (*i < t.n && t.p[*i] != '\n')
        ++*i;
    } else if (*i + 1 < t.n && t.p[*i] == '/' && t.p[*i + 1] == '*') {
      size_t end = str_find(t, STR("*/"), *i + 2);
      *i = end == SIZE_MAX ? t.n : end + 2;
    } else {
      return;
    }
  }
}

static str take_word(str t, size_t *i) {
  size_t from = *i;
  while (*i < t.n && is_word(t.p[*i]))
    ++*i;
  return str_sub(t, from, *i);
}

/* To the comma or closing angle at this depth. */
static bool skip_param(str t, size_t *i) {
  int angle = 0, other = 0;
  for (; *i < t.n; ++*i) {
    char c = t.p[*i];
    if (c == '-' && *i + 1 < t.n && t.p[*i + 1] == '>') {
      ++*i;
      continue;
    }
    if (c == '(' || c == '[' || c == '{')
      other++;
    if (c == ')' || c == ']' || c == '}')
      other--;
    if (other)
      continue;
    if (c == '<')
      angle++;
    if (c == '>' && angle-- == 0)
      return true;
    if (c == ',' && angle == 0)
      return true;
  }
  return false;
}

bool generics_list(str t, size_t *pos, struct generic_name *out, size_t max, size_t *n) {
  size_t i = *pos;
  *n = 0;
  if (i >= t.n || t.p[i] != '<')
    return true;
  i++;
  for (;;) {
    skip_space(t, &i);
    if (i >= t.n)
      return false;
    if (t.p[i] == '>') {
      *pos = i + 1;
      return true;
    }
    bool lifetime = t.p[i] == '\'';
    i += lifetime;
    str w = take_word(t, &i);
    bool is_const = str_eq(w, STR("const"));
    if (is_const) {
      skip_space(t, &i);
      w = take_word(t, &i);
    }
    if (!w.n || (!lifetime && *n == max))
      return false;
    if (!lifetime)
      out[(*n)++] = (struct generic_name){.name = w, .is_const = is_const};
    if (!skip_param(t, &i))
      return false;
    if (t.p[i] == ',')
      i++;
  }
}

/* ---- the source text ---- */
/* Byte offset of a line and column (in characters). */
bool generics_offset_of(str text, uint32_t line, uint32_t col, size_t *at) {
  size_t i = 0;
  for (uint32_t l = 1; l < line; l++) {
    i = str_find_char(text, '\n', i);
    if (i == SIZE_MAX)
      return false;
    i++;
  }
  for (uint32_t c = 1; c < col && i < text.n; c++) {
    i++;
    while (i < text.n && ((uint8_t)text.p[i] & 0xc0) == 0x80)
      i++;
  }
  *at = i;
  return i <= text.n;
}

static bool text_of(struct prep *p, uint32_t file, str *text) {
  str line;
  if (file == FILE_NONE || !source_line(p->sink->sources, file, 1, &line))
    return false;
  *text = source_file_get(p->sink->sources, file)->text;
  return true;
}

/* The `fn NAME` whose body holds the place: the last one of that name before it. */
static bool find_fn(str text, size_t before, str name, size_t *after) {
  bool found = false;
  for (size_t i = 0; (i = str_find(text, STR("fn "), i)) != SIZE_MAX && i < before; i++) {
    if (i && is_word(text.p[i - 1]))
      continue;
    size_t j = i + 3;
    skip_space(text, &j);
    if (str_eq(take_word(text, &j), name)) {
      *after = j;
      found = true;
    }
  }
  return found;
}

static const struct rty *const_param(struct prep *p, str name, uint64_t index) {
  struct rty proto = {.kind = RTY_CONST_PARAM, .name = arena_str(p->arena, name), .lo = index,
                      .has_param = true};
  return rty_intern(p->types, &proto);
}

static bool bind_name(struct prep *p, const struct generic_name *g, const struct rty *to,
                      struct binding *b) {
  if (!g->is_const) {
    struct rty_error e;
    const struct rty *from = rty_parse(p->types, g->name, &e);
    if (!from || b->n == COUNT_OF(b->from))
      return false;
    b->from[b->n] = from;
    b->to[b->n++] = to;
    return true;
  }
  /* The printed index counts the parent's parameters and early lifetimes too. */
  for (uint64_t index = 0; index < 12; index++) {
    if (b->n == COUNT_OF(b->from))
      return false;
    b->from[b->n] = const_param(p, g->name, index);
    b->to[b->n++] = to;
  }
  return true;
}

#define MAX_GENERICS 24

/* The names that the source of the item lists. */
static bool list_of(struct prep *p, const struct mir_item *item, struct generic_name *names,
                    size_t *n) {
  struct span at = item->body.n_locals ? item->body.locals[0].loc.span : SPAN_NONE;
  str text;
  size_t before, after = 0;
  if (!at.line0 || !text_of(p, at.file, &text) || !generics_offset_of(text, at.line0, at.col0, &before) ||
      !find_fn(text, before, rty_last_name(item->path), &after))
    return false;
  skip_space(text, &after);
  return generics_list(text, &after, names, MAX_GENERICS, n);
}

bool generics_has(struct prep *p, const struct mir_item *item) {
  struct generic_name names[MAX_GENERICS];
  size_t n;
  return list_of(p, item, names, &n) && n > 0;
}

/* How many of a function's parameters are `impl Trait`: they follow the listed ones in a call. */
static size_t count_impls(const struct mir_item *item) {
  size_t n = 0;
  for (uint32_t i = 1; i <= item->body.n_args; i++) {
    const struct rty *t = mir_local_ty(&item->body, i);
    while (t->kind == RTY_REF || t->kind == RTY_PTR || t->kind == RTY_SLICE || t->kind == RTY_ARRAY)
      t = t->elem;
    n += t->kind == RTY_IMPL;
  }
  return n;
}

bool generics_bind(struct prep *p, const struct mir_item *item, const struct rty_seg *args,
                   struct binding *b) {
  size_t n;
  struct generic_name names[MAX_GENERICS];
  if (!list_of(p, item, names, &n))
    return false;
  size_t have = 0, k = 0;
  for (uint32_t j = 0; j < args->n_args; j++)
    have += args->args[j]->kind != RTY_LIFETIME;
  if (have != n && have != n + count_impls(item))
    return false;
  for (uint32_t j = 0; j < args->n_args && k < n; j++)
    if (args->args[j]->kind != RTY_LIFETIME && !bind_name(p, &names[k++], args->args[j], b))
      return false;
  return true;
}

/* ---- impl headers ---- */
/* "FILE:l:c: l:c" */
static bool split_at(struct prep *p, str at, uint32_t *file, uint32_t *line, uint32_t *col) {
  uint64_t v[4];
  size_t end = at.n;
  for (int k = 3; k >= 0; k--) {
    size_t colon = str_rfind_char(str_sub(at, 0, end), ':');
    if (colon == SIZE_MAX || !str_to_u64(str_trim(str_sub(at, colon + 1, end)), &v[k]))
      return false;
    end = colon;
  }
  *file = source_file_id(p->sink->sources, str_sub(at, 0, end));
  *line = (uint32_t)v[0];
  *col = (uint32_t)v[1];
  return true;
}

static str last_word_of_path(str t, size_t *i) {
  str w = STR_NULL;
  for (;;) {
    skip_space(t, i);
    while (*i < t.n && (t.p[*i] == '&' || t.p[*i] == ':' || t.p[*i] == '!'))
      ++*i;
    if (*i < t.n && t.p[*i] == '\'') {
      ++*i;
      (void)take_word(t, i);
      continue;
    }
    str next = take_word(t, i);
    if (!next.n)
      return w;
    w = next;
    if (*i + 1 < t.n && t.p[*i] == ':' && t.p[*i + 1] == ':')
      continue;
    if (!str_eq(w, STR("mut")) && !str_eq(w, STR("dyn")))
      return w;
  }
}

/* The second item of a name in one body, as macros make them, prints as `S#1`. */
static str written_name(str name) {
  size_t hash = str_find_char(name, '#', 0);
  bool counts = hash != SIZE_MAX && hash + 1 < name.n && name.p[hash + 1] >= '0' && name.p[hash + 1] <= '9';
  return counts ? str_sub(name, 0, hash) : name;
}

static str name_of_self(const struct rty *self) {
  while (self->kind == RTY_REF)
    self = self->elem;
  if (self->kind == RTY_PATH)
    return written_name(rty_last_name(self));
  return STR_NULL;
}

/* Only an impl for a parameter can be meant. */
static bool is_closure(const struct rty *self) {
  while (self->kind == RTY_REF)
    self = self->elem;
  return self->kind == RTY_CLOSURE || self->kind == RTY_FNDEF;
}

bool generics_impl_fits(struct prep *p, const struct mir_item *item, const struct rty *callee) {
  const struct rty_seg *seg = &item->path->segs[item->path->n_segs - 2];
  uint32_t file, line, col;
  str text;
  size_t i, n;
  struct generic_name names[24];
  if (!split_at(p, seg->name, &file, &line, &col) || !text_of(p, file, &text) ||
      !generics_offset_of(text, line, col, &i))
    return false;
  str word = take_word(text, &i);
  if (str_eq(word, STR("unsafe"))) {
    skip_space(text, &i);
    word = take_word(text, &i);
  }
  skip_space(text, &i);
  if (!str_eq(word, STR("impl")) || !generics_list(text, &i, names, COUNT_OF(names), &n))
    return false;
  str first = last_word_of_path(text, &i), second = STR_NULL;
  size_t angle = i;
  struct generic_name skipped[24];
  size_t ns;
  skip_space(text, &angle);
  if (angle < text.n && text.p[angle] == '<' && generics_list(text, &angle, skipped, 24, &ns))
    i = angle;
  skip_space(text, &i);
  size_t j = i;
  bool has_trait = str_eq(take_word(text, &j), STR("for"));
  bool by_macro = false;
  if (has_trait) {
    second = last_word_of_path(text, &j);
    by_macro = j < text.n && text.p[j] == '$'; /* the signature has to tell */
  }
  const struct rty_seg *q = &callee->segs[0];
  if (q->kind == SEG_QSELF && q->trait) {
    str self = name_of_self(q->self);
    bool is_param = by_macro;
    for (size_t k = 0; k < n; k++)
      is_param = is_param || str_eq(names[k].name, second);
    bool fits = self.n ? str_eq(self, second) : !is_closure(q->self);
    return has_trait && str_eq(first, rty_last_name(q->trait)) && (is_param || fits);
  }
  if (has_trait || callee->n_segs < 2)
    return false;
  return str_eq(first, written_name(callee->segs[callee->n_segs - 2].name));
}

static bool lists(const struct generic_name *names, size_t n, str name) {
  for (size_t i = 0; i < n; i++)
    if (str_eq(names[i].name, name))
      return true;
  return false;
}

static bool impl_declares(struct prep *p, str place, str name) {
  uint32_t file, line, col;
  str text;
  size_t i, n;
  struct generic_name names[24];
  if (!split_at(p, place, &file, &line, &col) || !text_of(p, file, &text) ||
      !generics_offset_of(text, line, col, &i))
    return false;
  str word = take_word(text, &i);
  if (str_eq(word, STR("unsafe"))) {
    skip_space(text, &i);
    word = take_word(text, &i);
  }
  skip_space(text, &i);
  return str_eq(word, STR("impl")) && generics_list(text, &i, names, COUNT_OF(names), &n) &&
         lists(names, n, name);
}

static bool fn_declares(struct prep *p, const struct mir_item *closure, str fn, str name) {
  struct span at = closure->body.n_locals ? closure->body.locals[0].loc.span : SPAN_NONE;
  str text;
  size_t before, after = 0, n;
  struct generic_name names[24];
  if (!at.line0 || !text_of(p, at.file, &text) || !generics_offset_of(text, at.line0, at.col0, &before) ||
      !find_fn(text, before, fn, &after))
    return false;
  skip_space(text, &after);
  return generics_list(text, &after, names, COUNT_OF(names), &n) && lists(names, n, name);
}

bool generics_declares(struct prep *p, const struct mir_item *closure, str name) {
  const struct rty *path = closure->path;
  bool in_impl = false;
  for (uint32_t i = 0; i < path->n_segs; i++)
    in_impl = in_impl || path->segs[i].kind == SEG_IMPL_AT;
  if (!in_impl && str_eq(name, STR("Self"))) /* in a trait's default method */
    return true;
  for (uint32_t i = 0; i < path->n_segs; i++) {
    const struct rty_seg *s = &path->segs[i];
    if (s->kind == SEG_IMPL_AT && impl_declares(p, s->name, name))
      return true;
    if (s->kind == SEG_NAME && fn_declares(p, closure, s->name, name))
      return true;
  }
  return false;
}
