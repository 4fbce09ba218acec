/* What a dump says of native algorithms and of closures. */
#include "cargo-integration/rustc/native.h"

#include <string.h>

#include "cargo-integration/rustc/types.h"

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The text of a span within one file; empty when it is not to be had. */
static str text_of(struct source_map *m, struct span s, size_t *lo) {
  struct source_file *f = s.line0 ? source_file_get(m, s.file) : NULL;
  str first, last;
  if (!f || !source_line(m, s.file, s.line0, &first) || !source_line(m, s.file, s.line1, &last))
    return STR_NULL;
  const char *end = last.p + last.n;
  *lo = (size_t)(first.p - f->text.p);
  return (str){first.p, (size_t)(end - first.p)};
}

/* Columns count characters. */
static size_t bytes_of_columns(str line, uint32_t col) {
  size_t i = 0;
  for (uint32_t c = 1; i < line.n && c < col; c++)
    do
      i++;
    while (i < line.n && ((unsigned char)line.p[i] & 0xc0) == 0x80);
  return i;
}

static bool begins_with_word(str s, const char *word) {
  size_t n = strlen(word);
  return str_starts(s, (str){word, n}) && (s.n == n || !is_word(s.p[n]));
}

static void span_or_null(struct prep *p, struct jsonw *w, struct span s) {
  if (s.line0)
    jw_u64(w, prep_span(p, s, PREP_NONE, STR_NULL, PREP_NONE));
  else
    jw_null(w);
}

/* The first mention of a captured variable in the closure's text: the name up to the first dot, as a
 * word of its own behind the parameters. */
static struct span first_mention(struct source_map *m, struct span at, str body, size_t lo, str name) {
  size_t dot = str_find_char(name, '.', 0);
  str word = dot == SIZE_MAX ? name : str_sub(name, 0, dot);
  if (!word.n || !is_word(word.p[0]))
    return SPAN_NONE;
  for (size_t i = 0; i + word.n <= body.n; i++) {
    bool here = memcmp(body.p + i, word.p, word.n) == 0 && (i == 0 || !is_word(body.p[i - 1])) &&
                (i + word.n == body.n || !is_word(body.p[i + word.n]));
    if (here)
      return source_span_of_bytes(m, at.file, lo + i, lo + i + word.n);
  }
  return SPAN_NONE;
}

static struct span made_at(const struct ty_info *i, const struct inst *body) {
  if (i->made_at.line0)
    return i->made_at;
  if (body && body->item && body->item->body.n_locals)
    return body->item->body.locals[0].loc.span;
  return SPAN_NONE;
}

static void write_captures(struct prep *p, struct jsonw *w, const struct ty_info *i, struct span at,
                           str body, size_t lo) {
  jw_key(w, "captures");
  jw_array(w);
  for (uint32_t k = 0; k < i->ty->n_args; k++) {
    str name = k < i->field_names.n ? i->field_names.p[k] : arena_printf(p->arena, "%u", k);
    jw_array(w);
    jw_str(w, name);
    span_or_null(p, w, first_mention(p->sink->sources, at, body, lo, name));
    jw_end_array(w);
  }
  jw_end_array(w);
}

static void write_closure(struct prep *p, struct jsonw *w, const struct ty_info *i) {
  static const char *const kinds[] = {"fn", "fn_mut", "fn_once", "fn"};
  uintptr_t *slot = map_get(&p->inst_by_key, arena_printf(p->arena, "c:%u", i->ty->id));
  const struct inst *body = slot ? p->insts.p[*slot] : NULL;
  struct span at = made_at(i, body);
  size_t lo = 0;
  str text = text_of(p->sink->sources, at, &lo);
  size_t skip = bytes_of_columns(text, at.col0);
  str expr = str_drop(text, skip);
  jw_object(w);
  jw_ku64(w, "ty", type_id(p, i->ty, true));
  jw_key(w, "fn");
  if (body)
    jw_u64(w, body->id);
  else
    jw_null(w);
  jw_kz(w, "kind", kinds[i->ty->lo & 3]);
  jw_kbool(w, "move", !expr.n || begins_with_word(expr, "move"));
  write_captures(p, w, i, at, expr, lo + skip);
  jw_key(w, "span");
  span_or_null(p, w, at);
  jw_end_object(w);
}

str natives_text(struct prep *p) {
  struct strbuf all = {0};
  if (!p->natives.n)
    return STR_NULL;
  sb_addz(&all, "[");
  for (size_t i = 0; i < p->natives.n; i++)
    sb_addf(&all, "%s\n%.*s", i ? "," : "", STR_ARG(p->natives.p[i]));
  sb_addz(&all, "],\n\"closures\":[");
  bool first = true;
  for (size_t i = 0; i < p->out_types.n; i++) {
    const struct prep_type *t = &p->out_types.p[i];
    if (!t->info || !t->ty || t->ty->kind != RTY_CLOSURE || !t->info->strong)
      continue;
    struct jsonw w;
    jw_init(&w, false);
    write_closure(p, &w, t->info);
    sb_addf(&all, "%s\n%.*s", first ? "" : ",", STR_ARG(sb_str(&w.out)));
    jw_free(&w);
    first = false;
  }
  sb_addz(&all, "]");
  str text = arena_str(p->arena, sb_str(&all));
  sb_free(&all);
  return text;
}
