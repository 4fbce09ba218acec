/* Shared by the files behind base/json.h. Not for others. */
#ifndef MIRDC_BASE_JSON_INT_H
#define MIRDC_BASE_JSON_INT_H

#include "base/json_text.h"

#define JSON_MAX_DEPTH 128u

/* Walking text that the scan has accepted; none of these checks grammar again. */
size_t json_skip_space(str text, size_t p);
/* The offset after the closing quote of the string that starts at p. */
size_t json_skip_string(str text, size_t p);
/* The string that starts at p with its escapes resolved: a view when there are none, else in `a`.
 */
str json_decode_string(str text, size_t p, struct arena *a);
/* Appends one step of a JSON pointer. */
void json_pointer_key(struct strbuf *b, str key);
void json_pointer_index(struct strbuf *b, size_t i);

/* Adds a help that lists a NULL-terminated table of names. */
void json_help_names(struct diag *d, const char *before, const char *const *names);

/* Checks everything, without an outline. */
bool json_scan_whole(const struct json_text *t) MUST_CHECK;

#endif
