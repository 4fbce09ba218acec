/* Two pure renderers: for people, and JSON lines in rustc's shape for Cargo and editors. */
#include <string.h>
#include <wchar.h>

#include "base/diag.h"
#include "base/jsonw.h"

static const char *const severity_name[] = {"error", "warning", "note"};
static const char *const severity_color[] = {"\x1b[1;31m", "\x1b[1;33m", "\x1b[1;32m"};

struct painter {
  const struct diag_sink *sink;
  struct strbuf *out;
  bool color;
  unsigned gutter; /* digits of the widest line number */
};

static void paint(struct painter *p, const char *color, const char *text) {
  if (p->color)
    sb_addz(p->out, color);
  sb_addz(p->out, text);
  if (p->color)
    sb_addz(p->out, "\x1b[0m");
}

static void gutter(struct painter *p, const char *mark) {
  for (unsigned i = 0; i < p->gutter; i++)
    sb_addc(p->out, ' ');
  sb_addc(p->out, ' ');
  paint(p, "\x1b[1;34m", mark);
}

static unsigned digits(uint32_t n) {
  unsigned d = 1;
  while (n >= 10) {
    n /= 10;
    d++;
  }
  return d;
}

/* Columns that one code point takes on a terminal: CJK and most emoji take two, marks none. */
static unsigned width_of(uint32_t c) {
  if ((c >= 0x300 && c <= 0x36f) || c == 0x200b || (c >= 0xfe00 && c <= 0xfe0f))
    return 0;
  if ((c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) || (c >= 0xac00 && c <= 0xd7a3) ||
      (c >= 0xf900 && c <= 0xfaff) || (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
      (c >= 0x1f300 && c <= 0x1faff) || (c >= 0x20000 && c <= 0x3fffd))
    return 2;
  return 1;
}

static uint32_t decode(str s, size_t *i) {
  uint8_t c = (uint8_t)s.p[(*i)++];
  if (c < 0xc0)
    return c;
  unsigned more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
  uint32_t v = c & (0x3fu >> more);
  while (more-- && *i < s.n && ((uint8_t)s.p[*i] & 0xc0) == 0x80)
    v = v << 6 | ((uint8_t)s.p[(*i)++] & 0x3fu);
  return v;
}

/* Display columns before character number `col` (1-based); a tab is four. */
static unsigned columns_before(str line, uint32_t col) {
  unsigned w = 0;
  size_t i = 0;
  for (uint32_t k = 1; k < col && i < line.n; k++) {
    uint32_t c = decode(line, &i);
    w += c == '\t' ? 4 : width_of(c);
  }
  return w;
}

static void source_text(struct painter *p, str line) {
  struct strbuf shown = {0};
  sb_add_visible(&shown, line);
  for (size_t i = 0; i < shown.n; i++) {
    if (shown.p[i] == '\t')
      sb_addz(p->out, "    ");
    else
      sb_addc(p->out, shown.p[i]);
  }
  sb_free(&shown);
}

static void visible(struct painter *p, str s) {
  sb_add_visible(p->out, s);
}

/* One line of source with its number, and the marks under columns [col0, col1). */
static void marked_line(struct painter *p, str line, uint32_t number, uint32_t col0, uint32_t col1,
                        const char *mark, const char *color, str label) {
  gutter(p, "|");
  sb_addc(p->out, '\n');
  struct strbuf n = {0};
  sb_addf(&n, "%*u |", (int)p->gutter, number);
  paint(p, "\x1b[1;34m", sb_z(&n));
  sb_free(&n);
  sb_addc(p->out, ' ');
  source_text(p, line);
  sb_addc(p->out, '\n');
  gutter(p, "| ");
  unsigned from = columns_before(line, col0), to = columns_before(line, col1);
  for (unsigned i = 0; i < from; i++)
    sb_addc(p->out, ' ');
  struct strbuf under = {0};
  for (unsigned i = from; i < to || i == from; i++)
    sb_addz(&under, mark);
  if (label.n) {
    sb_addc(&under, ' ');
    sb_add_visible(&under, label);
  }
  paint(p, color, sb_z(&under));
  sb_free(&under);
  sb_addc(p->out, '\n');
}

static void arrow(struct painter *p, const char *how, str path, uint32_t line, uint32_t col) {
  for (unsigned i = 0; i < p->gutter; i++)
    sb_addc(p->out, ' ');
  paint(p, "\x1b[1;34m", how);
  sb_addc(p->out, ' ');
  visible(p, path);
  if (line)
    sb_addf(p->out, ":%u:%u", line, col);
  sb_addc(p->out, '\n');
}

static void show_span(struct painter *p, struct span at, const char *how, const char *mark,
                      const char *color, str label) {
  if (at.file == FILE_NONE)
    return;
  const struct source_file *f = source_file_get(p->sink->sources, at.file);
  arrow(p, how, f->path, at.line0, at.col0);
  str line;
  if (!at.line0 || !source_line(p->sink->sources, at.file, at.line0, &line))
    return;
  uint32_t end = at.line1 == at.line0 && at.col1 > at.col0 ? at.col1 : UINT32_MAX;
  marked_line(p, line, at.line0, at.col0, end, mark, color, label);
}

static unsigned widest(const struct diag *d) {
  unsigned w = digits(d->span.line0);
  for (const struct diag_label *l = d->labels; l; l = l->next)
    if (digits(l->span.line0) > w)
      w = digits(l->span.line0);
  for (const struct diag_child *c = d->children; c; c = c->next)
    if (digits(c->span.line0) > w)
      w = digits(c->span.line0);
  return d->snippet.p && digits(d->snippet_line) > w ? digits(d->snippet_line) : w;
}

static void show_child(struct painter *p, const struct diag_child *c) {
  const char *word = c->kind == CHILD_HELP ? "help" : "note";
  bool own_place = c->span.file != FILE_NONE;
  if (own_place)
    paint(p, "\x1b[1m", word);
  else {
    gutter(p, "= ");
    paint(p, "\x1b[1m", word);
  }
  sb_addz(p->out, ": ");
  visible(p, c->text);
  if (c->replacement.p) {
    sb_addz(p->out, ": `");
    visible(p, c->replacement);
    sb_addc(p->out, '`');
  }
  sb_addc(p->out, '\n');
  struct span at = c->span;
  if (c->replacement.p && at.line0 == at.line1 && at.col0 == at.col1)
    at.col1++; /* an insertion stands before a character */
  if (own_place)
    show_span(p, at, "-->", c->replacement.p ? "~" : "-", "\x1b[1;34m", STR_NULL);
}

void diag_render_human(const struct diag_sink *s, const struct diag *d, bool color,
                       struct strbuf *out) {
  struct painter p = {s, out, color, widest(d)};
  struct strbuf head = {0};
  sb_addz(&head, severity_name[d->severity]);
  if (d->code != MD0000)
    sb_addf(&head, "[%s]", diag_code_info(d->code)->name);
  paint(&p, severity_color[d->severity], sb_z(&head));
  sb_free(&head);
  sb_addz(out, ": ");
  visible(&p, d->message);
  sb_addc(out, '\n');
  show_span(&p, d->span, "-->", "^", severity_color[d->severity], d->span_label);
  if (d->snippet.p) {
    arrow(&p, "-->", d->snippet_file, d->snippet_line, d->snippet_cut + d->snippet_col);
    marked_line(&p, d->snippet, d->snippet_line, d->snippet_col, d->snippet_col + 1, "^",
                severity_color[d->severity], STR_NULL);
  }
  for (const struct diag_label *l = d->labels; l; l = l->next)
    show_span(&p, l->span, ":::", "-", "\x1b[1;34m", l->text);
  for (const struct diag_child *c = d->children; c; c = c->next)
    show_child(&p, c);
  sb_addc(out, '\n');
}

static void json_text_lines(struct jsonw *w, const struct diag_sink *s, struct span at) {
  jw_key(w, "text");
  jw_array(w);
  str line;
  if (at.line0 && source_line(s->sources, at.file, at.line0, &line)) {
    jw_object(w);
    jw_kstr(w, "text", line);
    jw_ku64(w, "highlight_start", at.col0);
    jw_ku64(w, "highlight_end", at.line1 == at.line0 ? at.col1 : at.col0 + 1);
    jw_end_object(w);
  }
  jw_end_array(w);
}

static void json_span(struct jsonw *w, const struct diag_sink *s, struct span at, bool primary,
                      str label, str replacement) {
  if (at.file == FILE_NONE)
    return;
  jw_object(w);
  jw_kstr(w, "file_name", source_file_get(s->sources, at.file)->path);
  jw_ku64(w, "byte_start", 0);
  jw_ku64(w, "byte_end", 0);
  jw_ku64(w, "line_start", at.line0);
  jw_ku64(w, "line_end", at.line1);
  jw_ku64(w, "column_start", at.col0);
  jw_ku64(w, "column_end", at.col1);
  jw_kbool(w, "is_primary", primary);
  json_text_lines(w, s, at);
  jw_key(w, "label");
  if (label.n)
    jw_str(w, label);
  else
    jw_null(w);
  jw_key(w, "suggested_replacement");
  if (replacement.p)
    jw_str(w, replacement);
  else
    jw_null(w);
  jw_key(w, "suggestion_applicability");
  if (replacement.p)
    jw_strz(w, "MachineApplicable");
  else
    jw_null(w);
  jw_key(w, "expansion");
  jw_null(w);
  jw_end_object(w);
}

static void json_code(struct jsonw *w, enum diag_code c) {
  jw_key(w, "code");
  if (c == MD0000) {
    jw_null(w);
    return;
  }
  jw_object(w);
  jw_kz(w, "code", diag_code_info(c)->name);
  jw_kz(w, "explanation", diag_code_info(c)->explanation);
  jw_end_object(w);
}

static void json_children(struct jsonw *w, const struct diag_sink *s, const struct diag *d) {
  jw_key(w, "children");
  jw_array(w);
  for (const struct diag_child *c = d->children; c; c = c->next) {
    jw_object(w);
    jw_kstr(w, "message", c->text);
    jw_key(w, "code");
    jw_null(w);
    jw_kz(w, "level", c->kind == CHILD_HELP ? "help" : "note");
    jw_key(w, "spans");
    jw_array(w);
    json_span(w, s, c->span, true, STR_NULL, c->replacement);
    jw_end_array(w);
    jw_key(w, "children");
    jw_array(w);
    jw_end_array(w);
    jw_key(w, "rendered");
    jw_null(w);
    jw_end_object(w);
  }
  jw_end_array(w);
}

void diag_render_json(const struct diag_sink *s, const struct diag *d, struct strbuf *out) {
  struct jsonw w;
  jw_init(&w, false);
  jw_object(&w);
  jw_kz(&w, "$message_type", "diagnostic");
  jw_kstr(&w, "message", d->message);
  json_code(&w, d->code);
  jw_kz(&w, "level", severity_name[d->severity]);
  jw_key(&w, "spans");
  jw_array(&w);
  json_span(&w, s, d->span, true, d->span_label, STR_NULL);
  for (const struct diag_label *l = d->labels; l; l = l->next)
    json_span(&w, s, l->span, false, l->text, STR_NULL);
  jw_end_array(&w);
  json_children(&w, s, d);
  struct strbuf rendered = {0};
  diag_render_human(s, d, false, &rendered);
  jw_kstr(&w, "rendered", sb_str(&rendered));
  sb_free(&rendered);
  jw_end_object(&w);
  sb_add(out, sb_str(&w.out));
  sb_addc(out, '\n');
  jw_free(&w);
}
