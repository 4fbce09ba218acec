/* Diagnostics as data: built by whoever knows most, collected in a sink, rendered at the edge.
 *
 *   struct diag *d = diag_error(sink, MD0203, span, "block %u does not exist", b);
 *   diag_label(d, other_span, "jump is here");
 *   diag_help(d, "regenerate the dump");
 *   return false;
 *
 * Messages are lower case, without a full stop, names in backquotes. Text that came from a file is
 * safe to pass: renderers escape it. */
#ifndef MIRDC_BASE_DIAG_H
#define MIRDC_BASE_DIAG_H

#include "base/source.h"

enum diag_severity { SEV_ERROR, SEV_WARNING, SEV_NOTE };

enum diag_code {
  MD0000 = 0, /* no code: a plain note or summary */
#define DIAG(code, title, explanation) code,
#include "base/diag_codes.def"
#undef DIAG
  DIAG_CODE_END
};

struct diag_code_info {
  const char *name;        /* "MD0203" */
  const char *title;       /* one line */
  const char *explanation; /* paragraphs for `mirdc explain` */
};
const struct diag_code_info *diag_code_info(enum diag_code c);
/* By name, "MD0203" or "md203"; NULL if there is none. */
const struct diag_code_info *diag_code_find(str name);
size_t diag_code_count(void);
const struct diag_code_info *diag_code_at(size_t i);

struct diag_label {
  struct span span;
  str text;
  struct diag_label *next;
};

struct diag_child {
  enum { CHILD_NOTE, CHILD_HELP } kind;
  str text;
  struct span span;     /* SPAN_NONE if none */
  str replacement;      /* a machine-applicable edit of `span` when p != NULL */
  struct diag_child *next;
};

struct diag {
  enum diag_code code;
  enum diag_severity severity;
  str message;
  struct span span;
  str span_label; /* text under the primary range */
  str snippet_file, snippet; /* a line of a non-source file to show, with a caret; n == 0: none */
  uint32_t snippet_line, snippet_col; /* the column within `snippet` */
  uint32_t snippet_cut; /* characters of the line left out before `snippet` */
  struct diag_label *labels, **labels_end;
  struct diag_child *children, **children_end;
  struct diag_sink *sink;
  struct diag *next;
};

struct diag_sink {
  struct arena arena;
  struct source_map *sources; /* borrowed */
  struct diag *first, **end;
  size_t errors, warnings;
  size_t max_errors; /* further ones are counted, not kept; 0 = 200 */
  bool warnings_are_errors;
};

void diag_sink_init(struct diag_sink *s, struct source_map *sources);
void diag_sink_free(struct diag_sink *s);
bool diag_failed(const struct diag_sink *s);

struct diag *diag_error(struct diag_sink *s, enum diag_code c, struct span at, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
struct diag *diag_warning(struct diag_sink *s, enum diag_code c, struct span at, const char *fmt,
                          ...) PRINTF_LIKE(4, 5);
void diag_span_label(struct diag *d, const char *fmt, ...) PRINTF_LIKE(2, 3);
void diag_label(struct diag *d, struct span at, const char *fmt, ...) PRINTF_LIKE(3, 4);
void diag_note(struct diag *d, const char *fmt, ...) PRINTF_LIKE(2, 3);
void diag_note_at(struct diag *d, struct span at, const char *fmt, ...) PRINTF_LIKE(3, 4);
void diag_help(struct diag *d, const char *fmt, ...) PRINTF_LIKE(2, 3);
void diag_suggest(struct diag *d, struct span at, str replacement, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
/* Shows one line of a file that is not Rust source (a dump, a manifest) with a caret. */
void diag_snippet(struct diag *d, str file, str line_text, uint32_t line, uint32_t col);

/* Trial: keep a mark, and drop what was reported since when the trial does not count. */
struct diag_mark {
  struct diag **end;
  size_t errors, warnings;
};
struct diag_mark diag_save(const struct diag_sink *s);
void diag_drop_since(struct diag_sink *s, struct diag_mark m);

/* Renderers append to a buffer. */
void diag_render_human(const struct diag_sink *s, const struct diag *d, bool color,
                       struct strbuf *out);
/* One line in the format of rustc's --error-format=json. */
void diag_render_json(const struct diag_sink *s, const struct diag *d, struct strbuf *out);
/* Renders everything to stderr (human) or stdout (json lines), then empties the sink's list;
 * counts stay. */
void diag_flush(struct diag_sink *s, bool json, bool color);
/* Flushes standard output at the end of a program; reports MD0009 when not all of it was written. */
bool diag_check_stdout(struct diag_sink *s) MUST_CHECK;

#endif
