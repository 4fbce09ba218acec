/* Calls of macros in a function's body, by tokens. */
#include "cargo-integration/rustc/macro_place.h"

#include "cargo-integration/rustc/generics.h"
#include "cargo-integration/rustc/overlay_scan.h"

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
  struct rscan s = {text, 0};
  size_t from = 0;
  if (!generics_offset_of(text, head.line0, head.col0, &s.at) || !enter_body(&s, &end))
    return SPAN_NONE;
  bool inside = seen.file == head.file && generics_offset_of(text, seen.line0, seen.col0, &from) &&
                from >= s.at && from < end;
  if (!inside)
    from = s.at;
  for (struct rtok t = rscan_next(&s); t.kind != RTOK_END && t.lo < end; t = rscan_next(&s))
    if (skip_call(&s, t) && s.at > from)
      return source_span_of_bytes(m, head.file, t.lo, s.at);
  return SPAN_NONE;
}
