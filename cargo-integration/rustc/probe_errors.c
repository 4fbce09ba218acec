/* Reading the short form of rustc's diagnostics: which row an error belongs to. */
#include <string.h>

#include "cargo-integration/rustc/probe_ask.h"

/* "PATH:LINE:COL: error…": a diagnostic of rustc's short form. */
static bool error_line(str line, str *path, uint32_t *at, str *message) {
  size_t e = str_find(line, STR(": error"), 0);
  if (e == SIZE_MAX) {
    return false;
  }
  str place = str_sub(line, 0, e);
  size_t col = str_rfind_char(place, ':');
  if (col == SIZE_MAX) {
    return false;
  }
  str rest = str_sub(place, 0, col);
  size_t ln = str_rfind_char(rest, ':');
  uint64_t n = 0;
  if (ln == SIZE_MAX || !str_to_u64(str_drop(rest, ln + 1), &n) || n > UINT32_MAX) {
    return false;
  }
  size_t colon = str_find(line, STR(": "), e + 2);
  *path = str_sub(rest, 0, ln);
  *at = (uint32_t)n;
  *message = colon == SIZE_MAX ? STR_NULL : str_drop(line, colon + 2);
  return true;
}

/* Library features that a row needs are switched on for the next round. */
static bool wants_feature(struct probe *p, str message) {
  static const char *const BEFORE = "use of unstable library feature `";
  size_t at = str_find(message, str_from(BEFORE), 0);
  if (at == SIZE_MAX) {
    return false;
  }
  str name = str_drop(message, at + strlen(BEFORE));
  size_t tick = str_find_char(name, '`', 0);
  name = str_sub(name, 0, tick == SIZE_MAX ? 0 : tick);
  for (size_t i = 0; i < p->r->crate_attrs.n; i++) {
    if (str_eq(p->r->crate_attrs.p[i], name)) {
      return false;
    }
  }
  if (name.n == 0) {
    return false;
  }
  vec_push(p->r->arena, &p->r->crate_attrs, arena_str(p->r->arena, name));
  return true;
}

/* Several rows of a round may need the same feature. */
static bool has_feature_from(struct probe *p, size_t first, str message) {
  for (size_t i = first; i < p->r->crate_attrs.n; i++) {
    str f = arena_printf(p->r->arena, "unstable library feature `%.*s`",
                         STR_ARG(p->r->crate_attrs.p[i]));
    if (str_find(message, f, 0) != SIZE_MAX) {
      return true;
    }
  }
  return false;
}

static void take_layout(struct probe *p, struct probe_row *row, str text) {
  struct layout *l = arena_new(p->r->arena, struct layout);
  str why = STR_NULL;
  size_t at = str_find(text, STR(" = Layout {"), 0);
  size_t open = str_find_char(text, '{', at);
  size_t depth = 0;
  size_t end = open;
  do {
    depth += text.p[end] == '{';
    depth -= text.p[end] == '}';
    end++;
  } while (depth > 0 && end < text.n);
  if (row->ok) {
    return;
  }
  row->ok = layout_parse(p->r->arena, str_sub(text, at + 3, end), l, &why);
  if (row->ok) {
    size_t from = str_find(text, STR("layout_of("), 0) + sizeof "layout_of(" - 1;
    l->printed = str_sub(text, from, at - 1);
    row->layout = l;
    row->reason = STR_NULL;
  } else {
    struct diag *d = diag_error(p->r->sink, MD0149, SPAN_NONE,
                                "cannot read the layout of `%.*s`: "
                                "%.*s",
                                STR_ARG(row->type), STR_ARG(why));
    diag_note(d, "rustc is %.*s", STR_ARG(p->r->unit->tc.release));
    row->reason = why;
  }
}

/* The question is a constant that panics either way, so that silence is never taken for an answer.
 */
static bool take_need(struct probe *p, size_t i, str message) {
  struct probe_row *row = &p->rows[i];
  bool none = str_find(message, STR("mirdc: needs no drop"), 0) != SIZE_MAX;
  if (!none && str_find(message, STR("mirdc: needs drop"), 0) == SIZE_MAX) {
    return false;
  }
  p->known[i] = true;
  if (none) {
    row->ok = true;
    row->no_drop = true;
    row->reason = STR_NULL;
  }
  return true;
}

/* "function `f` is private: …", "field `borrow` of struct `RefMut` is private: …". */
static bool is_privacy(str message) {
  return str_find(message, STR(" is private"), 0) != SIZE_MAX;
}

/* Errors that leave a body as it is, so that it can be dumped; one of them is the trigger's answer. */
static bool is_harmless(str message) {
  return is_privacy(message) || str_starts(message, STR("fn_abi_of(")) ||
         str_starts(message, STR("use of unstable library feature"));
}

/* Was the row's type mentioned as a layout in this error? The message spans several lines; its
 * first line decides. */
static void take_error(struct probe *p, str path, uint32_t line, str message, str from_here,
                       size_t first_feature, struct outcome *o) {
  bool here = str_eq(path, p->shown_root) && line >= p->line0 && line - p->line0 < p->n;
  if (!here) {
    if (o->stranger.n == 0) {
      o->stranger =
          arena_printf(p->r->arena, "%.*s:%u: %.*s", STR_ARG(path), line, STR_ARG(message));
    }
    return;
  }
  struct probe_row *row = &p->rows[line - p->line0];
  if (str_starts(message, STR("layout_of("))) {
    take_layout(p, row, from_here);
    return;
  }
  if (row->kind == PROBE_DROP && take_need(p, line - p->line0, message)) {
    return;
  }
  if (!p->named && is_harmless(message)) {
    if (!row->ok && is_privacy(message)) {
      row->reason = arena_str(p->r->arena, str_sub(message, 0, 300));
    }
    return;
  }
  if (has_feature_from(p, first_feature, message)) {
    o->features++;
    return;
  }
  if (wants_feature(p, message)) {
    o->features++;
    return;
  }
  if (p->live[line - p->line0]) {
    p->live[line - p->line0] = false;
    row->reason = arena_str(p->r->arena, str_sub(message, 0, 300));
    o->dropped++;
  }
}

/* Without the wrapper that it calls, a row cannot compile. */
static void drop_chained(struct probe *p, struct outcome *o) {
  for (size_t i = 1; i < p->n; i++) {
    if (p->rows[i].chained && p->live[i] && !p->live[i - 1]) {
      p->live[i] = false;
      p->rows[i].reason = p->rows[i - 1].reason;
      o->dropped++;
    }
  }
}

struct outcome probe_read_errors(struct probe *p, str err, size_t first_feature) {
  struct outcome o = {0};
  str rest = err;
  while (rest.n > 0) {
    str here = rest;
    str line;
    str path;
    str message;
    uint32_t at = 0;
    (void)str_next_line(&rest, &line);
    if (error_line(line, &path, &at, &message)) {
      take_error(p, path, at, message, here, first_feature, &o);
    }
  }
  drop_chained(p, &o);
  return o;
}
