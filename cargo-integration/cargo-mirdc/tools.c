/* Finding the other programs; lines on stderr. */
#include "cargo-integration/cargo-mirdc/tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *tool_self(struct arena *a) {
  char *real = path_real(a, "/proc/self/exe");
  return real != NULL ? real : path_join(a, path_self_dir(a), "cargo-mirdc");
}

char *tool_find(struct diag_sink *s, struct arena *a, const char *name) {
  const char *given = getenv("MIRDC");
  if (given != NULL && given[0] != '\0') {
    char *dir = arena_strz(a, path_dir(str_from(given)));
    char *path = strcmp(name, "mirdc") == 0 ? arena_strz(a, str_from(given))
                                            : path_join(a, dir, name);
    if (access(path, X_OK) == 0) {
      return path;
    }
    if (strcmp(name, "mirdc") == 0) {
      diag_error(s, MD0603, SPAN_NONE, "$MIRDC names `%s`, which cannot be run", given);
      return NULL;
    }
  }
  char *beside = path_join(a, path_self_dir(a), name);
  char *found = access(beside, X_OK) == 0 ? beside : proc_find(a, name);
  if (found == NULL) {
    struct diag *d = diag_error(s, MD0603, SPAN_NONE, "cannot find `%s`", name);
    diag_note(d, "looked at `%s` and on PATH", beside);
    diag_help(d, "build or install mirdc as a whole, or set $MIRDC to the path of `mirdc`");
  }
  return found;
}

void tool_show(const struct proc_cmd *c) {
  struct strbuf b = {0};
  proc_show(c, &b);
  (void)fprintf(stderr, "     Running `%s`\n", sb_z(&b));
  sb_free(&b);
}

void tool_status(bool color, const char *verb, const char *fmt, ...) {
  struct strbuf b = {0};
  va_list ap;
  va_start(ap, fmt);
  sb_vaddf(&b, fmt, ap);
  va_end(ap);
  struct strbuf shown = {0};
  sb_add_visible(&shown, sb_str(&b));
  (void)fprintf(stderr, color ? "\x1b[1;32m%12s\x1b[0m %s\n" : "%12s %s\n", verb, sb_z(&shown));
  sb_free(&shown);
  sb_free(&b);
}
