/* Reads a MIR dump: items and allocations, and what all parts of the reader share. */
#include "cargo-integration/rustc/mir_parse.h"

#include "base/fatal.h"
#include "cargo-integration/rustc/mir_reader.h"

#include <stdlib.h>
#include <string.h>

/* ---- state and errors ---- */

void reader_init(struct reader *r, const struct mir_parse_input *in) {
  *r = (struct reader){
      .in = in, .l = {in->text, 0}, .arena = in->arena, .types = in->types, .line = 1};
}

void reader_free(struct reader *r) {
  vec_free(&r->projs);
  vec_free(&r->ops);
  vec_free(&r->names);
  vec_free(&r->unevaluated);
  vec_free(&r->stmts);
  vec_free(&r->blocks);
  vec_free(&r->locals);
  vec_free(&r->debug);
  vec_free(&r->scopes);
  vec_free(&r->scope_stack);
  vec_free(&r->values);
  vec_free(&r->targets);
  vec_free(&r->asm_ops);
  vec_free(&r->bytes);
  vec_free(&r->init);
  vec_free(&r->relocs);
}

static uint32_t count_chars(str s) {
  uint32_t n = 0;
  for (size_t i = 0; i < s.n; i++)
    n += ((unsigned char)s.p[i] & 0xc0u) != 0x80u;
  return n;
}

/* Lines of a dump run to thousands of characters: what is shown ends shortly behind the place. */
#define SHOWN_BEHIND 100u

static str shown_line(const struct reader *r, size_t at, uint32_t *line, uint32_t *col) {
  str text = r->l.text;
  size_t from = at >= r->item_pos ? r->item_pos : 0;
  *line = at >= r->item_pos ? r->item_line : 1;
  for (size_t nl = str_find_char(text, '\n', from); nl != SIZE_MAX && nl < at;
       nl = str_find_char(text, '\n', from)) {
    from = nl + 1;
    ++*line;
  }
  size_t to = str_find_char(text, '\n', at);
  if (to == SIZE_MAX)
    to = text.n;
  if (to - at > SHOWN_BEHIND)
    to = at + SHOWN_BEHIND;
  while (to > at && to < text.n && ((unsigned char)text.p[to] & 0xc0u) == 0x80u)
    to--;
  *col = count_chars(str_sub(text, from, at)) + 1;
  return str_sub(text, from, to);
}

static void PRINTF_LIKE(4, 0)
    note_error(struct reader *r, enum diag_code code, size_t at, const char *fmt, va_list ap) {
  if (r->failed)
    return;
  r->failed = true;
  struct strbuf b = {0};
  sb_vaddf(&b, fmt, ap);
  if (at > r->l.text.n)
    at = r->l.text.n;
  struct mir_broken e = {.item = r->item, .alloc = MIR_NONE, .code = (unsigned)code};
  e.shown = shown_line(r, at, &e.line, &e.col);
  e.message = arena_str(r->arena, sb_str(&b));
  r->error = e;
  sb_free(&b);
}

struct diag *reader_report(const struct mir_broken *e, str path, struct diag_sink *sink) {
  struct diag *d =
      diag_error(sink, (enum diag_code)e->code, SPAN_NONE, "%.*s", STR_ARG(e->message));
  diag_snippet(d, path, e->shown, e->line, e->col);
  if (e->item.n > 0)
    diag_note(d, "while reading `%.*s`", STR_ARG(e->item));
  if (e->code == MD0106)
    diag_help(d, "the dump is cut off: build again, and see that the disk is not full");
  else if (e->code == MD0113)
    diag_help(d, "write it as ordinary functions and closures");
  else
    diag_help(d, "this text comes from rustc; use a rustc version that mirdc was tested with, or "
                 "report this line");
  return d;
}

bool reader_fail_at(struct reader *r, enum diag_code code, size_t at, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  note_error(r, at >= r->l.text.n ? MD0106 : code, at, fmt, ap);
  va_end(ap);
  return false;
}

bool reader_fail(struct reader *r, enum diag_code code, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  note_error(r, lex_end(&r->l) ? MD0106 : code, r->l.pos, fmt, ap);
  va_end(ap);
  return false;
}

bool reader_need(struct reader *r, str what) {
  if (lex_eat(&r->l, what))
    return true;
  return reader_fail(r, MD0101, "expected `%.*s`", STR_ARG(what));
}

bool reader_enter(struct reader *r) {
  if (++r->depth <= MIR_MAX_DEPTH)
    return true;
  return reader_fail(r, MD0111, "this is nested too deeply");
}

uint32_t reader_line(struct reader *r) {
  const char *p = r->l.text.p;
  while (r->line_pos < r->l.pos) {
    const char *nl = memchr(p + r->line_pos, '\n', r->l.pos - r->line_pos);
    if (nl == NULL) {
      r->line_pos = r->l.pos;
      break;
    }
    r->line++;
    r->line_pos = (size_t)(nl - p) + 1;
  }
  return r->line;
}

/* ---- types ---- */

static const struct rty *type_error(struct reader *r, const struct rty_error *e) {
  enum diag_code code = strcmp(e->want, RTY_WANT_SHALLOW) == 0        ? MD0111
                        : strcmp(e->want, RTY_WANT_NO_COROUTINE) == 0 ? MD0113
                                                                      : MD0105;
  (void)reader_fail_at(r, code, e->at, "%s", e->want);
  return NULL;
}

const struct rty *read_type(struct reader *r) {
  struct rty_error e;
  const struct rty *t = rty_parse_at(r->types, r->l.text, &r->l.pos, &e);
  return t != NULL ? t : type_error(r, &e);
}

const struct rty *read_path(struct reader *r) {
  struct rty_error e;
  const struct rty *t = rty_parse_path_at(r->types, r->l.text, &r->l.pos, &e);
  return t != NULL ? t : type_error(r, &e);
}

const struct rty *read_const_arg(struct reader *r) {
  struct rty_error e;
  const struct rty *t = rty_parse_const_at(r->types, r->l.text, &r->l.pos, &e);
  return t != NULL ? t : type_error(r, &e);
}

/* ---- spans and line ends ---- */

static uint32_t file_number(struct reader *r, str path) {
  for (unsigned i = 0; i < COUNT_OF(r->files); i++)
    if (r->files[i].path.n == path.n && path.n > 0 &&
        memcmp(r->files[i].path.p, path.p, path.n) == 0)
      return r->files[i].id;
  struct mir_file_id *slot = &r->files[r->next_file++ % COUNT_OF(r->files)];
  *slot = (struct mir_file_id){path, source_file_id(r->in->sink->sources, path)};
  return slot->id;
}

/* A number that ends at *end; moves *end before it and the byte in front of it. */
static bool number_before(str s, size_t *end, uint32_t *out) {
  size_t at = *end;
  uint64_t v = 0, unit = 1;
  while (at > 0 && lex_is_digit(s.p[at - 1]) && unit <= 1000000000u) {
    at--;
    v += (uint64_t)(s.p[at] - '0') * unit;
    unit *= 10;
  }
  if (at == *end || at == 0 || s.p[at - 1] != ':' || v > UINT32_MAX)
    return false;
  *out = (uint32_t)v;
  *end = at - 1;
  return true;
}

struct span read_span_text(struct reader *r, str text) {
  struct span s = SPAN_NONE;
  size_t end = text.n;
  while (end > 0 && text.p[end - 1] == ' ')
    end--;
  if (!number_before(text, &end, &s.col1))
    return SPAN_NONE;
  /* `l1` has a space in front of it, not a colon. */
  size_t at = end;
  while (at > 0 && lex_is_digit(text.p[at - 1]))
    at--;
  uint64_t line1;
  if (at < 3 || text.p[at - 1] != ' ' || text.p[at - 2] != ':' ||
      !str_to_u64(str_sub(text, at, end), &line1) || line1 > UINT32_MAX)
    return SPAN_NONE;
  s.line1 = (uint32_t)line1;
  end = at - 2;
  if (!number_before(text, &end, &s.col0) || !number_before(text, &end, &s.line0) || end == 0)
    return SPAN_NONE;
  s.file = file_number(r, str_sub(text, 0, end));
  return s;
}

/* `// bb0[1]: scope 3 at F:..`, `// in scope 0 at F:..`, `// return place in scope 0 at F:..` */
static void read_place_comment(struct reader *r, str comment, struct mir_loc *loc) {
  struct lex c = {comment, 0};
  if (LEX_EAT(&c, "return place in scope ") || LEX_EAT(&c, "in scope ")) {
  } else if (LEX_EAT(&c, "bb")) {
    size_t at = str_find(comment, STR(": scope "), c.pos);
    if (at == SIZE_MAX)
      return;
    c.pos = at + 8;
  } else {
    return;
  }
  uint32_t scope;
  if (!lex_u32(&c, &scope) || !LEX_EAT(&c, " at "))
    return;
  loc->scope = scope;
  loc->span = read_span_text(r, str_drop(comment, c.pos));
}

/* `+ const_: Const { ty: T, val: Unevaluated(` gives the type of a constant printed by name. */
static void read_const_comment(struct reader *r, size_t at) {
  struct lex c = {r->l.text, at};
  if (r->next_unevaluated >= r->unevaluated.n || !LEX_EAT(&c, "+ const_: Const { ty: "))
    return;
  struct rty_error e;
  const struct rty *t = rty_parse_at(r->types, c.text, &c.pos, &e);
  if (t != NULL && LEX_AT(&c, ", val: Unevaluated("))
    r->unevaluated.p[r->next_unevaluated++]->ty = t;
}

/* A comment at the cursor, to the end of its line. */
static void read_comment(struct reader *r, struct mir_loc *loc) {
  struct lex *l = &r->l;
  l->pos += 2;
  lex_blanks(l);
  size_t from = l->pos;
  size_t end = str_find_char(l->text, '\n', from);
  l->pos = end == SIZE_MAX ? l->text.n : end;
  if (loc != NULL)
    read_place_comment(r, str_sub(l->text, from, l->pos), loc);
  else if (r->unevaluated.n > 0)
    read_const_comment(r, from);
}

bool read_line_end(struct reader *r, struct mir_loc *loc) {
  struct lex *l = &r->l;
  if (loc != NULL)
    *loc = (struct mir_loc){.scope = MIR_NONE};
  for (bool first = true;; first = false) {
    lex_blanks(l);
    if (LEX_AT(l, "//"))
      read_comment(r, first ? loc : NULL);
    else if (first && lex_peek(l) != '\n' && !lex_end(l))
      return reader_fail(r, MD0101, "expected the end of the line");
    if (lex_end(l))
      return true;
    if (lex_peek(l) != '\n')
      return true;
    l->pos++;
    /* At the margin a comment belongs to the next item: "MIR FOR CTFE". */
    if (lex_peek(l) == '/')
      return true;
  }
}

/* ---- items ---- */

struct file_reader {
  struct reader r;
  struct mir_file *out;
  bool ctfe;
  VEC(struct mir_item) items;
  VEC(const struct mir_alloc *) allocs;
  VEC(struct mir_broken) broken;
  VEC(uint32_t) owners; /* functions whose parts may still come, outermost first */
};

static void begin_item(struct reader *r) {
  r->item_line = reader_line(r);
  r->item_pos = r->l.pos;
  r->locals.n = 0;
  r->item = STR_NULL;
  r->unevaluated.n = r->next_unevaluated = 0;
}

/* A path, and its text as the item's name. */
static bool read_item_name(struct reader *r, struct mir_item *item) {
  size_t from = r->l.pos;
  item->dump_line = reader_line(r);
  if ((item->path = read_path(r)) == NULL)
    return false;
  item->name = str_sub(r->l.text, from, r->l.pos);
  r->item = item->name;
  return true;
}

/* `_1: T, _2: T)`, behind `(`. */
static bool read_params(struct reader *r, struct mir_body *b) {
  struct lex *l = &r->l;
  (void)vec_add(NULL, &r->locals); /* _0 is declared in the body */
  while (!LEX_EAT(l, ")")) {
    struct mir_local local = {.arg = true, .loc = {.scope = 0, .dump_line = reader_line(r)}};
    uint32_t n;
    size_t at = l->pos;
    if (!read_local(r, &n))
      return false;
    if (n != r->locals.n)
      return reader_fail_at(r, MD0108, at, "expected the parameter `_%zu`", r->locals.n);
    if (!NEED(r, ": ") || (local.ty = read_type(r)) == NULL)
      return false;
    vec_push(NULL, &r->locals, local);
    b->n_args++;
    if (!LEX_EAT(l, ", ") && lex_peek(l) != ')')
      return reader_fail(r, MD0101, "expected `,` or `)`");
  }
  return true;
}

static bool read_fn(struct reader *r, struct mir_item *item) {
  item->kind = MI_FN;
  if (!read_item_name(r, item) || !NEED(r, "(") || !read_params(r, &item->body) ||
      !NEED(r, " -> ") || (item->body.ret = read_type(r)) == NULL || !NEED(r, " {") ||
      !read_line_end(r, NULL))
    return false;
  return read_body(r, &item->body);
}

/* `path: T = {` body, or `path: T = const …;` */
static bool read_value_item(struct reader *r, struct mir_item *item) {
  struct lex *l = &r->l;
  if (!read_item_name(r, item) || !NEED(r, ": ") || (item->ty = read_type(r)) == NULL ||
      !NEED(r, " = "))
    return false;
  if (LEX_EAT(l, "const ")) {
    return read_const(r, &item->value) && NEED(r, ";") && read_line_end(r, NULL);
  }
  if (!NEED(r, "{") || !read_line_end(r, NULL))
    return false;
  item->body.ret = item->ty;
  return read_body(r, &item->body);
}

static void add_name(struct file_reader *f, const struct mir_item *item) {
  bool fresh;
  uintptr_t *at = map_put(&f->out->by_name, item->name, &fresh);
  /* A const fn is printed twice, the body for constant evaluation last. */
  if (fresh || !item->ctfe)
    *at = f->items.n;
}

/* The last two names of a part's path: what its uses and its item agree on. */
static bool part_key(const struct rty *path, struct strbuf *out) {
  if (path == NULL || path->kind != RTY_PATH || path->n_segs < 2)
    return false;
  const struct rty_seg *last = &path->segs[path->n_segs - 1];
  if (last->kind != SEG_SPECIAL)
    return false;
  sb_add(out, path->segs[path->n_segs - 2].name);
  sb_addc(out, '/');
  sb_add(out, last->name);
  return true;
}

static bool in_impl(const struct rty *path) {
  for (uint32_t i = 0; path != NULL && i + 1 < path->n_segs; i++)
    if (path->segs[i].kind == SEG_IMPL_AT)
      return path->segs[path->n_segs - 1].kind == SEG_NAME;
  return false;
}

/* Methods, and functions inside of methods, by the last name. */
static void method_key(str name, struct strbuf *out) {
  sb_addz(out, "/");
  sb_add(out, name);
}

/* Is `part` the name of something inside the item called `whole`? */
static bool is_inside(str part, str whole) {
  return part.n > whole.n + 2 && str_starts(part, whole) && part.p[whole.n] == ':';
}

/* Functions are printed in front of their parts; the last one of a fitting name is the owner. */
static void set_owner(struct file_reader *f, struct mir_item *item) {
  while (f->owners.n > 0) {
    const struct mir_item *o = &f->items.p[vec_last(&f->owners)];
    if (is_inside(item->name, o->name)) {
      item->owner = vec_last(&f->owners) + 1;
      break;
    }
    (void)vec_pop(&f->owners);
  }
}

/* `item` will be the next in the list. */
static void add_part(struct file_reader *f, struct mir_item *item) {
  struct strbuf key = {0};
  if (item->ctfe)
    return;
  set_owner(f, item);
  if (item->kind == MI_FN)
    vec_push(NULL, &f->owners, (uint32_t)f->items.n);
  bool method = item->kind == MI_FN && in_impl(item->path);
  if (method)
    method_key(rty_last_name(item->path), &key);
  if (method || part_key(item->path, &key)) {
    str kept = arena_str(f->r.arena, sb_str(&key));
    uintptr_t *at = map_put(&f->out->parts, kept, NULL);
    item->next_part = (uint32_t)*at;
    *at = f->items.n + 1;
  }
  sb_free(&key);
}

static bool add_alloc(struct file_reader *f, const struct mir_alloc *a) {
  while (f->allocs.n <= a->id) {
    if (f->allocs.n > f->r.l.text.n)
      return reader_fail(&f->r, MD0108, "alloc%u is a number out of all proportion", a->id);
    vec_push(NULL, &f->allocs, NULL);
  }
  const struct mir_alloc **at = &f->allocs.p[a->id];
  if (*at != NULL && ((*at)->has_bytes || !a->has_bytes))
    return true;
  struct mir_alloc *kept = arena_new(f->r.arena, struct mir_alloc);
  *kept = *a;
  *at = kept;
  return true;
}

static bool read_one(struct file_reader *f) {
  struct reader *r = &f->r;
  struct lex *l = &r->l;
  begin_item(r);
  if (LEX_AT(l, "alloc") && lex_is_digit(lex_peek_at(l, 5))) {
    struct mir_alloc a;
    return read_alloc(r, &a) && add_alloc(f, &a);
  }
  struct mir_item item = {.ctfe = f->ctfe};
  f->ctfe = false;
  bool ok;
  if (LEX_EAT(l, "fn ")) {
    ok = read_fn(r, &item);
  } else if (LEX_EAT(l, "static ")) {
    item.kind = MI_STATIC;
    item.is_mut = LEX_EAT(l, "mut ");
    ok = read_value_item(r, &item);
  } else {
    item.kind = MI_CONST;
    (void)LEX_EAT(l, "const ");
    ok = read_value_item(r, &item);
  }
  if (!ok)
    return false;
  add_part(f, &item);
  vec_push(NULL, &f->items, item);
  add_name(f, &item);
  return true;
}

/* Goes on behind an item that could not be read: behind its closing brace at the margin, or behind
 * its line when it has no body. False when the text ends before. */
static bool skip_item(struct reader *r) {
  struct lex *l = &r->l;
  size_t end = str_find_char(l->text, '\n', r->item_pos);
  if (end == SIZE_MAX)
    return false;
  str head = str_trim(str_sub(l->text, r->item_pos, end));
  size_t comment = str_find(head, STR("//"), 0);
  if (comment != SIZE_MAX)
    head = str_trim(str_sub(head, 0, comment));
  l->pos = end + 1;
  if (!str_ends(head, STR("{")))
    return true;
  size_t brace = str_find(l->text, STR("\n}\n"), end);
  if (brace == SIZE_MAX)
    return false;
  l->pos = brace + 3;
  return true;
}

/* A name for an item whose first line could not be read. */
static str guess_name(const struct reader *r) {
  struct lex l = {r->l.text, r->item_pos};
  if (!LEX_EAT(&l, "fn ") && !LEX_EAT(&l, "const ") && LEX_EAT(&l, "static "))
    (void)LEX_EAT(&l, "mut ");
  size_t to = l.pos;
  while (to < l.text.n && l.text.p[to] != '(' && l.text.p[to] != '\n' &&
         !(l.text.p[to] == ':' && to + 1 < l.text.n && l.text.p[to + 1] == ' '))
    to++;
  return str_sub(l.text, l.pos, to);
}

#define MAX_BROKEN 10000u

/* Notes the item as broken and steps over it; false when that is not to be had. */
static bool set_aside(struct file_reader *f) {
  struct reader *r = &f->r;
  if (r->in->strict || r->error.code == MD0106 || f->broken.n >= MAX_BROKEN)
    return false;
  struct lex head = {r->l.text, r->item_pos};
  if (LEX_EAT(&head, "alloc") && lex_is_digit(lex_peek(&head))) {
    if (!lex_u32(&head, &r->error.alloc))
      return false;
  } else if (r->error.item.n == 0) {
    r->error.item = guess_name(r);
  }
  if (!skip_item(r)) {
    str item = r->error.item;
    r->failed = false;
    r->item = item;
    return reader_fail_at(r, MD0106, r->l.text.n, "the dump ends inside an item");
  }
  r->error.text = str_sub(r->l.text, r->item_pos, r->l.pos);
  vec_push(NULL, &f->broken, r->error);
  r->failed = false;
  r->depth = 0;
  r->ops.n = r->projs.n = r->names.n = 0;
  return true;
}

static bool read_file(struct file_reader *f) {
  struct lex *l = &f->r.l;
  while (!lex_end(l)) {
    if (LEX_AT(l, "//")) {
      f->ctfe = LEX_AT(l, "// MIR FOR CTFE\n") || f->ctfe;
      size_t end = str_find_char(l->text, '\n', l->pos);
      l->pos = end == SIZE_MAX ? l->text.n : end;
    } else if (lex_peek(l) == '\n') {
      l->pos++;
    } else if (!read_one(f) && !set_aside(f)) {
      return false;
    }
  }
  if (f->items.n == 0 && f->allocs.n == 0 && f->broken.n > 0) {
    f->r.error = f->broken.p[0];
    return false;
  }
  return true;
}

static void keep_file(struct file_reader *f) {
  struct mir_file *out = f->out;
  out->n_broken = f->broken.n;
  if (out->n_broken > 0) {
    struct mir_broken *broken = arena_array(f->r.arena, struct mir_broken, out->n_broken);
    memcpy(broken, f->broken.p, out->n_broken * sizeof *broken);
    out->broken = broken;
  }
  out->n_items = f->items.n;
  if (out->n_items > 0) {
    struct mir_item *items = arena_array(f->r.arena, struct mir_item, out->n_items);
    memcpy(items, f->items.p, out->n_items * sizeof *items);
    out->items = items;
  }
  out->n_allocs = f->allocs.n;
  if (out->n_allocs > 0) {
    const struct mir_alloc **allocs =
        arena_array(f->r.arena, const struct mir_alloc *, out->n_allocs);
    memcpy(allocs, f->allocs.p, out->n_allocs * sizeof *allocs);
    out->allocs = allocs;
  }
}

bool mir_parse(const struct mir_parse_input *in, struct mir_file *out) {
  struct file_reader f = {.out = out};
  *out = (struct mir_file){.text = in->text, .path = in->path};
  reader_init(&f.r, in);
  size_t bad;
  bool ok;
  if (!utf8_valid(in->text, &bad))
    ok = reader_fail_at(&f.r, MD0100, bad, "the dump is not well-formed UTF-8");
  else
    ok = read_file(&f);
  if (ok)
    keep_file(&f);
  else
    (void)reader_report(&f.r.error, in->path, in->sink);
  vec_free(&f.broken);
  vec_free(&f.owners);
  vec_free(&f.items);
  vec_free(&f.allocs);
  reader_free(&f.r);
  if (!ok)
    mir_file_release(out);
  return ok;
}

void mir_file_release(struct mir_file *f) {
  map_free(&f->by_name);
  map_free(&f->parts);
  *f = (struct mir_file){0};
}

/* ---- questions ---- */

const struct mir_item *mir_item_find(const struct mir_file *f, str name) {
  uintptr_t *at = map_get(&f->by_name, name);
  return at != NULL ? &f->items[*at - 1] : NULL;
}

const struct mir_item *mir_item_of_path(const struct mir_file *f, const struct rty *path) {
  if (path == NULL)
    return NULL;
  return mir_item_find(f, path->name);
}

const struct mir_item *mir_part_first(const struct mir_file *f, const struct rty *path) {
  struct strbuf key = {0};
  uintptr_t *at = part_key(path, &key) ? map_get(&f->parts, sb_str(&key)) : NULL;
  sb_free(&key);
  return at != NULL ? &f->items[*at - 1] : NULL;
}

const struct mir_item *mir_method_first(const struct mir_file *f, str name) {
  struct strbuf key = {0};
  method_key(name, &key);
  uintptr_t *at = map_get(&f->parts, sb_str(&key));
  sb_free(&key);
  return at != NULL ? &f->items[*at - 1] : NULL;
}

const struct mir_item *mir_part_next(const struct mir_file *f, const struct mir_item *item) {
  return item->next_part > 0 ? &f->items[item->next_part - 1] : NULL;
}

const struct mir_item *mir_owner(const struct mir_file *f, const struct mir_item *item) {
  return item->owner > 0 ? &f->items[item->owner - 1] : NULL;
}

const struct rty *mir_closure_of(const struct mir_item *item) {
  if (item->kind != MI_FN || item->body.n_args == 0)
    return NULL;
  const struct rty *t = item->body.locals[1].ty;
  if (t->kind == RTY_REF)
    t = t->elem;
  return t->kind == RTY_CLOSURE ? t : NULL;
}

const struct mir_alloc *mir_alloc_find(const struct mir_file *f, uint32_t id) {
  return id < f->n_allocs ? f->allocs[id] : NULL;
}

struct diag *mir_report_broken(const struct mir_file *f, str item, uint32_t alloc,
                               struct diag_sink *sink) {
  for (size_t i = 0; i < f->n_broken; i++) {
    const struct mir_broken *b = &f->broken[i];
    if (item.n > 0 ? str_eq(b->item, item) : b->alloc == alloc && alloc != MIR_NONE)
      return reader_report(b, f->path, sink);
  }
  return NULL;
}

const struct mir_block *mir_block_at(const struct mir_body *b, uint32_t bb) {
  return bb < b->n_blocks ? &b->blocks[bb] : NULL;
}

uint32_t mir_arg_local(const struct mir_body *b, uint32_t i) {
  return b->arg_locals != NULL ? b->arg_locals[i] : i + 1;
}

const struct rty *mir_local_ty(const struct mir_body *b, uint32_t local) {
  return local < b->n_locals ? b->locals[local].ty : NULL;
}
