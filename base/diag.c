/* Diagnostics: building and collecting. Rendering is in diag_render.c. */
#include "base/diag.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fatal.h"

static const struct diag_code_info codes[] = {
    {"", "", ""},
#define DIAG(code, title, explanation) {#code, title, explanation},
#include "base/diag_codes.def"
#undef DIAG
};

const struct diag_code_info *diag_code_info(enum diag_code c) {
  ASSERT((size_t)c < COUNT_OF(codes));
  return &codes[c];
}

size_t diag_code_count(void) {
  return COUNT_OF(codes) - 1;
}

const struct diag_code_info *diag_code_at(size_t i) {
  ASSERT(i + 1 < COUNT_OF(codes));
  return &codes[i + 1];
}

const struct diag_code_info *diag_code_find(str name) {
  char upper[16] = {0};
  if (name.n >= sizeof upper)
    return NULL;
  for (size_t i = 0; i < name.n; i++)
    upper[i] = name.p[i] == 'm' ? 'M' : name.p[i] == 'd' ? 'D' : name.p[i];
  for (size_t i = 1; i < COUNT_OF(codes); i++)
    if (strcmp(codes[i].name, upper) == 0)
      return &codes[i];
  return NULL;
}

void diag_sink_init(struct diag_sink *s, struct source_map *sources) {
  *s = (struct diag_sink){.sources = sources};
  s->end = &s->first;
}

void diag_sink_free(struct diag_sink *s) {
  arena_free(&s->arena);
  *s = (struct diag_sink){0};
}

bool diag_failed(const struct diag_sink *s) {
  return s->errors > 0;
}

static str PRINTF_LIKE(2, 0) format(struct arena *a, const char *fmt, va_list ap) {
  struct strbuf b = {0};
  sb_vaddf(&b, fmt, ap);
  str s = arena_str(a, sb_str(&b));
  sb_free(&b);
  return s;
}

static struct diag *add(struct diag_sink *s, enum diag_severity sev, enum diag_code c,
                        struct span at) {
  if (sev == SEV_WARNING && s->warnings_are_errors)
    sev = SEV_ERROR;
  struct diag *d = arena_new(&s->arena, struct diag);
  d->code = c;
  d->severity = sev;
  d->span = at;
  d->sink = s;
  d->labels_end = &d->labels;
  d->children_end = &d->children;
  size_t *count = sev == SEV_ERROR ? &s->errors : &s->warnings;
  size_t max = s->max_errors ? s->max_errors : 200;
  if ((*count)++ < max) {
    *s->end = d;
    s->end = &d->next;
  }
  return d;
}

struct diag *diag_error(struct diag_sink *s, enum diag_code c, struct span at, const char *fmt,
                        ...) {
  struct diag *d = add(s, SEV_ERROR, c, at);
  va_list ap;
  va_start(ap, fmt);
  d->message = format(&s->arena, fmt, ap);
  va_end(ap);
  return d;
}

struct diag *diag_warning(struct diag_sink *s, enum diag_code c, struct span at, const char *fmt,
                          ...) {
  struct diag *d = add(s, SEV_WARNING, c, at);
  va_list ap;
  va_start(ap, fmt);
  d->message = format(&s->arena, fmt, ap);
  va_end(ap);
  return d;
}

void diag_span_label(struct diag *d, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  d->span_label = format(&d->sink->arena, fmt, ap);
  va_end(ap);
}

void diag_label(struct diag *d, struct span at, const char *fmt, ...) {
  struct diag_label *l = arena_new(&d->sink->arena, struct diag_label);
  l->span = at;
  va_list ap;
  va_start(ap, fmt);
  l->text = format(&d->sink->arena, fmt, ap);
  va_end(ap);
  *d->labels_end = l;
  d->labels_end = &l->next;
}

static struct diag_child *child(struct diag *d, bool help, struct span at) {
  struct diag_child *c = arena_new(&d->sink->arena, struct diag_child);
  c->kind = help ? CHILD_HELP : CHILD_NOTE;
  c->span = at;
  *d->children_end = c;
  d->children_end = &c->next;
  return c;
}

void diag_note(struct diag *d, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  child(d, false, SPAN_NONE)->text = format(&d->sink->arena, fmt, ap);
  va_end(ap);
}

void diag_note_at(struct diag *d, struct span at, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  child(d, false, at)->text = format(&d->sink->arena, fmt, ap);
  va_end(ap);
}

void diag_help(struct diag *d, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  child(d, true, SPAN_NONE)->text = format(&d->sink->arena, fmt, ap);
  va_end(ap);
}

void diag_suggest(struct diag *d, struct span at, str replacement, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  struct diag_child *c = child(d, true, at);
  c->replacement = arena_str(&d->sink->arena, replacement);
  c->text = format(&d->sink->arena, fmt, ap);
  va_end(ap);
}

void diag_snippet(struct diag *d, str file, str line_text, uint32_t line, uint32_t col) {
  struct arena *a = &d->sink->arena;
  d->snippet_file = arena_str(a, file);
  d->snippet = arena_str(a, line_text);
  d->snippet_line = line;
  d->snippet_col = col;
}

struct diag_mark diag_save(const struct diag_sink *s) {
  return (struct diag_mark){s->end, s->errors, s->warnings};
}

void diag_drop_since(struct diag_sink *s, struct diag_mark m) {
  s->end = m.end;
  *s->end = NULL;
  s->errors = m.errors;
  s->warnings = m.warnings;
}

bool diag_check_stdout(struct diag_sink *s) {
  bool before = ferror(stdout) != 0;
  errno = 0;
  if (fflush(stdout) == 0 && !before)
    return true;
  diag_error(s, MD0009, SPAN_NONE, "standard output cannot be written%s%s", errno ? ": " : "",
             errno ? strerror(errno) : "");
  return false;
}

void diag_flush(struct diag_sink *s, bool json, bool color) {
  struct strbuf out = {0};
  for (const struct diag *d = s->first; d; d = d->next) {
    if (json)
      diag_render_json(s, d, &out);
    else
      diag_render_human(s, d, color, &out);
  }
  FILE *to = json ? stdout : stderr;
  if (out.n)
    fwrite(out.p, 1, out.n, to);
  fflush(to);
  sb_free(&out);
  s->first = NULL;
  s->end = &s->first;
}
