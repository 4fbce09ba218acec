/* Finding where the body of a closure ends, by tokens, and moving columns back. */
#include "cargo-integration/rustc/overlay_closures.h"

#include <stdlib.h>

#include "base/fatal.h"
#include "cargo-integration/rustc/overlay_publish.h"
#include "cargo-integration/rustc/overlay_scan.h"
#include "cargo-integration/rustc/overlay_strings.h"

#define MAX_MISSING 64

/* ---- places ---- */
struct place {
  uint32_t line, col;
};

/* "l:c" at *i. */
static bool read_place(str t, size_t *i, struct place *out) {
  uint64_t v[2] = {0};
  for (int k = 0; k < 2; k++) {
    size_t from = *i;
    while (*i < t.n && t.p[*i] >= '0' && t.p[*i] <= '9') {
      ++*i;
    }
    if (*i == from || !str_to_u64(str_sub(t, from, *i), &v[k]) || v[k] == 0 || v[k] > UINT32_MAX) {
      return false;
    }
    if (k == 0 && (*i >= t.n || t.p[(*i)++] != ':')) {
      return false;
    }
  }
  *out = (struct place){(uint32_t)v[0], (uint32_t)v[1]};
  return true;
}

/* Byte offset of a place; columns count characters. */
static size_t offset_of(str text, struct place at) {
  size_t i = 0;
  for (uint32_t line = 1; line < at.line; line++) {
    i = str_find_char(text, '\n', i);
    if (i == SIZE_MAX) {
      return SIZE_MAX;
    }
    i++;
  }
  for (uint32_t c = 1; c < at.col && i < text.n && text.p[i] != '\n'; c++) {
    i++;
    while (i < text.n && ((unsigned char)text.p[i] & 0xc0) == 0x80) {
      i++;
    }
  }
  return i;
}

/* Moves a place on with the text. */
static void advance(struct place *at, str text) {
  for (size_t i = 0; i < text.n; i++) {
    if (text.p[i] == '\n') {
      *at = (struct place){at->line + 1, 1};
    } else if (((unsigned char)text.p[i] & 0xc0) != 0x80) {
      at->col++;
    }
  }
}

/* ---- the end of a closure ---- */
static bool is_punct(struct rtok t, char c) {
  return t.kind == RTOK_PUNCT && t.punct == c;
}

static bool opens(struct rtok t) {
  return is_punct(t, '(') || is_punct(t, '[') || is_punct(t, '{');
}

/* Behind `<`: to behind its `>`. */
static bool skip_angles(struct rscan *s) {
  size_t depth = 1;
  struct rtok before = {0};
  while (depth > 0) {
    struct rtok t = rscan_next(s);
    if (t.kind == RTOK_END || (opens(t) && !rscan_skip_group(s))) {
      return false;
    }
    bool arrow = is_punct(t, '>') && is_punct(before, '-');
    depth += is_punct(t, '<');
    depth -= is_punct(t, '>') && !arrow;
    before = t;
  }
  return true;
}

/* Can an expression begin behind this token? Then `<` opens a qualified path. */
static bool is_operator(struct rtok t) {
  return t.kind == RTOK_END ||
         (t.kind == RTOK_PUNCT && t.punct != ')' && t.punct != ']' && t.punct != '}' && t.punct != '?');
}

/* The offset behind the expression that starts at the scanner; SIZE_MAX: not understood. */
static size_t expression_end(struct rscan s) {
  struct rtok before = {0};
  size_t end = SIZE_MAX;
  for (;;) {
    struct rtok t = rscan_peek(&s);
    if (t.kind == RTOK_END || is_punct(t, ',') || is_punct(t, ';') || is_punct(t, ')') ||
        is_punct(t, ']') || is_punct(t, '}')) {
      return t.kind == RTOK_END ? SIZE_MAX : end;
    }
    (void)rscan_next(&s);
    bool path = is_punct(t, '<') && (is_punct(before, ':') || is_operator(before));
    if ((path && !skip_angles(&s)) || (opens(t) && !rscan_skip_group(&s))) {
      return SIZE_MAX;
    }
    before = t;
    if (opens(t) || path) {
      before = (struct rtok){.kind = RTOK_PUNCT, .punct = ')'};
    }
    end = s.at;
  }
}

/* ---- insertions ---- */
struct insertion {
  size_t at, order;
  str text;
};
typedef VEC(struct insertion) insertions;

static int by_place(const void *a, const void *b) {
  const struct insertion *x = a;
  const struct insertion *y = b;
  if (x->at != y->at) {
    return x->at < y->at ? -1 : 1;
  }
  return x->order < y->order ? -1 : x->order > y->order;
}

static void insert(struct arena *a, insertions *list, size_t at, str text) {
  struct insertion i = {at, list->n, text};
  vec_push(a, list, i);
}

/* `{let(v0,v1,)=((),(),);` */
static str bindings(struct arena *a, uint32_t n) {
  struct strbuf b = {0};
  sb_addz(&b, "{let(");
  for (uint32_t i = 0; i < n; i++) {
    sb_addf(&b, "__mirdc_v%u,", i);
  }
  sb_addz(&b, ")=(");
  for (uint32_t i = 0; i < n; i++) {
    sb_addz(&b, "(),");
  }
  sb_addz(&b, ");");
  str out = arena_str(a, sb_str(&b));
  sb_free(&b);
  return out;
}

static str mentions(struct arena *a, uint32_t n, bool brace) {
  struct strbuf b = {0};
  sb_addz(&b, brace ? "{" : "");
  for (uint32_t i = 0; i < n; i++) {
    sb_addf(&b, "let _=__mirdc_v%u;", i);
  }
  str out = arena_str(a, sb_str(&b));
  sb_free(&b);
  return out;
}

/* What `column!()` says must not change. */
static bool has_column(str text, size_t lo, size_t hi) {
  size_t from = str_rfind_char(str_sub(text, 0, lo), '\n');
  size_t to = str_find_char(text, '\n', hi);
  str lines = str_sub(text, from == SIZE_MAX ? 0 : from, to == SIZE_MAX ? text.n : to);
  return str_find(lines, STR("column!"), 0) != SIZE_MAX;
}

static void open_closure(struct arena *a, str text, size_t lo, size_t head, uint32_t n,
                         insertions *out) {
  struct rscan body = {text, head};
  struct rtok first = rscan_peek(&body);
  bool block = is_punct(first, '{');
  size_t end = expression_end(body);
  if (end == SIZE_MAX || n > MAX_MISSING || has_column(text, lo, end)) {
    return;
  }
  insert(a, out, lo, bindings(a, n));
  insert(a, out, block ? first.hi : head, mentions(a, n, !block));
  insert(a, out, end, block ? STR("}") : STR("}}"));
}

static uint32_t characters(str text) {
  uint32_t n = 0;
  for (size_t i = 0; i < text.n; i++) {
    n += ((unsigned char)text.p[i] & 0xc0) != 0x80;
  }
  return n;
}

static str apply(struct arena *a, str file, str text, insertions *list, overlay_shifts *shifts) {
  struct strbuf b = {0};
  struct place place = {1, 1};
  size_t done = 0;
  qsort(list->p, list->n, sizeof *list->p, by_place);
  for (size_t i = 0; i < list->n; i++) {
    const struct insertion *at = &list->p[i];
    advance(&place, str_sub(text, done, at->at));
    struct overlay_shift shift = {file, place.line, place.col, characters(at->text)};
    sb_add(&b, str_sub(text, done, at->at));
    sb_add(&b, at->text);
    done = at->at;
    vec_push(a, shifts, shift);
  }
  sb_add(&b, str_drop(text, done));
  str out = arena_str(a, sb_str(&b));
  sb_free(&b);
  return out;
}

static void open_closures(struct arena *a, str file, str text, const overlay_openings *list,
                          insertions *todo) {
  for (size_t k = 0; k < list->n; k++) {
    str at = list->p[k].at;
    struct place lo;
    struct place hi;
    size_t i = file.n + 1;
    if (at.n <= i || !str_starts(at, file) || at.p[file.n] != ':' || !read_place(at, &i, &lo) ||
        !str_starts(str_drop(at, i), STR(": "))) {
      continue;
    }
    i += 2;
    size_t from = read_place(at, &i, &hi) ? offset_of(text, lo) : SIZE_MAX;
    size_t head = from != SIZE_MAX ? offset_of(text, hi) : SIZE_MAX;
    if (head != SIZE_MAX && head > from) {
      open_closure(a, text, from, head, list->p[k].missing, todo);
    }
  }
}

struct edit {
  struct arena *a;
  insertions *todo;
};

static void add_public(void *ctx, size_t offset) {
  struct edit *p = ctx;
  insert(p->a, p->todo, offset, STR("pub(crate) "));
}

static void add_string(void *ctx, size_t offset, str text) {
  struct edit *p = ctx;
  insert(p->a, p->todo, offset, text);
}

str overlay_edit(struct arena *a, str file, char *text, size_t n, const struct overlay_edits *edits,
                 overlay_shifts *shifts) {
  insertions todo = {0};
  struct edit ctx = {a, &todo};
  if (edits->openings != NULL) {
    open_closures(a, file, (str){text, n}, edits->openings, &todo);
  }
  if (edits->strings) {
    overlay_open_strings(a, (str){text, n}, edits->strings_only, add_string, &ctx);
  }
  if (edits->publish) {
    overlay_publish(text, n, add_public, &ctx);
  }
  return todo.n > 0 ? apply(a, file, (str){text, n}, &todo, shifts) : (str){text, n};
}

/* ---- the way back ---- */
/* The shifts of one file, which lie together, by line. */
struct shifted_file {
  str name;
  const struct overlay_shift *p;
  size_t n;
};
typedef VEC(struct shifted_file) shifted_files;

static shifted_files files_of(struct arena *a, const overlay_shifts *shifts) {
  shifted_files out = {0};
  for (size_t i = 0; i < shifts->n; i++) {
    if (out.n == 0 || !str_eq(out.p[out.n - 1].name, shifts->p[i].file)) {
      struct shifted_file f = {shifts->p[i].file, &shifts->p[i], 0};
      vec_push(a, &out, f);
    }
    out.p[out.n - 1].n++;
  }
  return out;
}

static uint32_t original_column(const struct shifted_file *f, struct place at) {
  uint32_t before = 0;
  size_t lo = 0;
  size_t hi = f->n;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (f->p[mid].line < at.line) {
      lo = mid + 1;
    } else {
      hi = mid;
    }
  }
  for (; lo < f->n && f->p[lo].line == at.line; lo++) {
    const struct overlay_shift *s = &f->p[lo];
    if (at.col <= s->col + before) {
      break;
    }
    uint32_t inside = at.col - (s->col + before);
    if (inside < s->n) {
      return s->col;
    }
    before += s->n;
  }
  return at.col - before;
}

/* Could the character belong to a longer path? */
static bool in_path(char c) {
  return c == '/' || c == '_' || c == '-' || c == '.' || (c >= '0' && c <= '9') ||
         (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

/* The file whose name ends in front of the colon. */
static const struct shifted_file *file_before(const shifted_files *files, str text, size_t colon) {
  for (size_t i = 0; i < files->n; i++) {
    str name = files->p[i].name;
    if (name.n <= colon && str_eq(str_sub(text, colon - name.n, colon), name) &&
        (name.n == colon || !in_path(text.p[colon - name.n - 1]))) {
      return &files->p[i];
    }
  }
  return NULL;
}

/* Rewrites the columns of "FILE:l:c: l:c" and "FILE:l:c". */
str overlay_original(struct arena *a, const overlay_shifts *shifts, str text) {
  struct strbuf b = {0};
  size_t done = 0;
  if (shifts->n == 0) {
    return text;
  }
  shifted_files files = files_of(a, shifts);
  for (size_t hit = str_find_char(text, ':', 0); hit != SIZE_MAX; hit = str_find_char(text, ':', hit + 1)) {
    size_t i = hit + 1;
    struct place at;
    bool digit = i < text.n && text.p[i] >= '0' && text.p[i] <= '9';
    const struct shifted_file *f = digit && hit >= done ? file_before(&files, text, hit) : NULL;
    bool more = f != NULL;
    while (more && read_place(text, &i, &at)) {
      size_t colon = str_rfind_char(str_sub(text, 0, i), ':');
      sb_add(&b, str_sub(text, done, colon + 1));
      sb_addf(&b, "%u", original_column(f, at));
      done = i;
      more = str_starts(str_drop(text, i), STR(": "));
      i += 2;
    }
  }
  sb_add(&b, str_drop(text, done));
  str out = arena_str(a, sb_str(&b));
  sb_free(&b);
  return out;
}
