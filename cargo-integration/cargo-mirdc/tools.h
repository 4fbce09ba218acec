/* The programs of mirdc, and showing of commands and progress. */
#ifndef MIRDC_CARGO_TOOLS_H
#define MIRDC_CARGO_TOOLS_H

#include "base/proc.h"

/* Full path of this program. */
char *tool_self(struct arena *a);
/* mirdc, mirdc-rustc or mirdc-read: $MIRDC for mirdc and beside it for the others, then beside this
 * program, then on PATH. NULL after reporting (MD0603). */
char *tool_find(struct diag_sink *s, struct arena *a, const char *name);
/* Prints the command on stderr, as with -v. */
void tool_show(const struct proc_cmd *c);
/* "   Compiling what", the verb right-aligned to 12 columns and coloured if wanted. */
void tool_status(bool color, const char *verb, const char *fmt, ...) PRINTF_LIKE(3, 4);

#endif
