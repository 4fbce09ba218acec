/* What a result was made of, as text that another program can check later. One line each:
 *
 *   file HEX PATH      content by its SHA-256
 *   made HEX PATH      an output, not an input
 *   tool PATH          a program or library: the same file, not written to since
 *   absent PATH        looked for, and not there
 *   env NAME=VALUE     a variable that was read
 *   noenv NAME         one that was not set
 *   doubt WHY          what cannot be said in this form: the result never counts as up to date
 *
 * Paths are absolute. */
#ifndef MIRDC_BASE_DEPENDS_H
#define MIRDC_BASE_DEPENDS_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/map.h"

/* Zero-initialised is empty. Doubled lines are written once. */
struct depends {
  struct arena arena;
  struct strbuf text;
  struct map seen;
};

void depends_file(struct depends *d, const char *path); /* read now; unreadable is a doubt */
/* A file whose digest is known already. */
void depends_content(struct depends *d, const char *path, const struct digest *digest);
void depends_made(struct depends *d, const char *path, const struct digest *digest);
void depends_tool(struct depends *d, const char *path);
void depends_absent(struct depends *d, const char *path);
void depends_env(struct depends *d, const char *name);
void depends_doubt(struct depends *d, const char *why);
/* Takes lines over that are in this form already; others, of the file around them, are left. */
void depends_lines(struct depends *d, str text);
/* This program and the libraries that are open in it now. */
void depends_self(struct depends *d);
bool depends_write(const struct depends *d, struct diag_sink *s, const char *path) MUST_CHECK;
void depends_free(struct depends *d);

/* Reading: takes a line apart; false when it has no such form. `hex` is set where there is one. */
enum depends_kind {
  DEPENDS_FILE,
  DEPENDS_MADE,
  DEPENDS_TOOL,
  DEPENDS_ABSENT,
  DEPENDS_ENV,
  DEPENDS_NOENV,
  DEPENDS_DOUBT
};
bool depends_parse(str line, enum depends_kind *kind, str *hex, str *rest) MUST_CHECK;

#endif
