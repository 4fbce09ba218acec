/* What every command shares: diagnostics, sources, how to talk to the user. */
#ifndef MIRDC_DRIVER_SESSION_H
#define MIRDC_DRIVER_SESSION_H

#include "driver/options.h"

enum { EXIT_DONE = 0, EXIT_DIAGNOSED = 1, EXIT_USAGE = 2 };

struct session {
  struct arena arena;
  struct source_map sources;
  struct diag_sink sink;
  struct options options;
  bool json, color, quiet, verbose;
};

/* Each returns the exit status. */
int cmd_compile(struct session *s);
int cmd_check(struct session *s);
int cmd_link(struct session *s);
int cmd_doctor(struct session *s);
int cmd_explain(struct session *s);
int cmd_emulate(struct session *s);

/* Opens the first of the files that can be, named from the program's own folder. NULL: none; `tried`
 * (also on success) is the last one, and dlerror says why. It stays open. */
void *session_open_library(struct arena *a, const char *const *files, char **tried);
/* `out` is the address of a function pointer; NULL when the library has no such function. */
void session_library_function(void *lib, const char *name, void *out);

/* "12.3 KiB" and the like. */
void sb_add_size(struct strbuf *b, uint64_t bytes);
/* Says something on standard output unless told to be quiet or to speak JSON. */
void session_say(const struct session *s, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
