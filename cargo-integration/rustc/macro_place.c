/* Calls of macros in a function's body, by tokens. */
#include "cargo-integration/rustc/macro_place.h"

#include "cargo-integration/rustc/overlay_scan.h"

static size_t offset_of(str text, uint32_t line, uint32_t col) {
  size_t i = 0;
  for (uint32_t l = 1; l < line; l++) {
    i = str_find_char(text, '\n', i);
    if (i == SIZE_MAX)
      return text.n;
    i++;
  }
  for (uint32_t c = 1; c < col && i < text.n; c++) {
    i++;
    while (i < text.n && ((uint8_t)text.p[i] & 0xc0) == 0x80)
      i++;
  }
  return i;
}

static bool is_punct(struct rtok t, char c) {
  return t.kind == RTOK_PUNCT && t.punct == c;
}

/* From in front of a body's opening brace: its text begins behind it; *end: where it ends. */
static bool enter_body(struct rscan *s, size_t *end) {
  struct rtok t = rscan_next(s);
  while (t.kind != RTOK_END && !is_punct(t, '{'))
    t = rscan_next(s);
  struct rscan behind = *s;
  if (t.kind == RTOK_END || !rscan_skip_group(&behind))
    return false;
  *end = behind.at;
  return true;
}

/* `name!(…)`, whose `name` is t: goes behind it. */
static bool skip_call(struct rscan *s, struct rtok t) {
  struct rscan at = *s;
  if (t.kind != RTOK_IDENT || !is_punct(rscan_next(&at), '!'))
    return false;
  struct rtok open = rscan_next(&at);
  if ((!is_punct(open, '(') && !is_punct(open, '[') && !is_punct(open, '{')) ||
      !rscan_skip_group(&at))
    return false;
  *s = at;
  return true;
}

struct span macro_place(struct prep *p, const struct mir_item *fn, struct span seen) {
  struct source_map *m = p->sink->sources;
  str line;
  size_t end = 0;
  if (!fn || !fn->body.n_locals || !m)
    return SPAN_NONE;
  struct span head = fn->body.locals[0].loc.span;
  if (!head.line0 || head.file == FILE_NONE || !source_line(m, head.file, head.line0, &line))
    return SPAN_NONE;
  str text = source_file_get(m, head.file)->text;
  struct rscan s = {text, offset_of(text, head.line0, head.col0)};
  if (!enter_body(&s, &end))
    return SPAN_NONE;
  size_t from = seen.file == head.file ? offset_of(text, seen.line0, seen.col0) : 0;
  if (from < s.at || from >= end)
    from = s.at;
  for (struct rtok t = rscan_next(&s); t.kind != RTOK_END && t.lo < end; t = rscan_next(&s))
    if (skip_call(&s, t) && s.at > from)
      return source_span_of_bytes(m, head.file, t.lo, s.at);
  return SPAN_NONE;
}
