/* What a CUDA library says, made into notes of a diagnostic. */
#ifndef MIRDC_LINKERS_TOOL_LOG_H
#define MIRDC_LINKERS_TOOL_LOG_H

#include "base/diag.h"

#define TOOL_LOG_MAX ((size_t)16 << 20) /* a longer log is damage */

/* One note per line (the first 30), or one with the number when the library says nothing. */
void tool_log_notes(struct diag *d, const char *tool, str log, int rc);
/* True if the log holds a line that says error or fatal; *line is the first one. */
bool tool_log_has_error(str log, str *line);
/* The text between the first pair of quotes after `marker`, as in: Unresolved extern function 'f'.
 * Empty when the marker is not there. */
str tool_log_quoted(str log, str marker);

#endif
