/* rustc's command line, option by option. */
#ifndef MIRDC_RUSTC_UNIT_ARGS_H
#define MIRDC_RUSTC_UNIT_ARGS_H

#include "base/diag.h"
#include "base/vec.h"

struct rustc_opt {
  str name;  /* "--cfg", "-C", "-L", …; empty for a file name */
  str value; /* empty when the option has none */
};

typedef VEC(char *) args_vec;
/* Replaces `@FILE` by the lines of FILE. */
bool args_expand(struct diag_sink *s, struct arena *a, int argc, char **argv,
                 args_vec *out) MUST_CHECK;

typedef VEC(struct rustc_opt) opts_vec;
/* Splits `-Ckey=v`, `-C key=v`, `--cfg x`, `--cfg=x`. Reports unknown options (MD0142). */
bool args_parse(struct diag_sink *s, struct arena *a, const args_vec *args,
                opts_vec *out) MUST_CHECK;

/* "key=value" of -C, -Z, --cfg; a missing value is the empty string. */
void opt_key_value(str v, str *key, str *value);
/* rustc's notion of a switch: y, yes, on, true, or no value at all. */
bool opt_is_on(str value);

#endif
