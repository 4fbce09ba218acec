/* The parsed command line of mirdc-rustc. */
#ifndef MIRDC_RUSTC_OPTIONS_H
#define MIRDC_RUSTC_OPTIONS_H

#include "base/diag.h"
#include "base/vec.h"

enum pass_option {
#define PO(id, name, letter, arg, help) id,
#include "cargo-integration/rustc/options.def"
  PASS_OPTION_COUNT
};

struct pass_options {
  VEC(char *) values[PASS_OPTION_COUNT]; /* one for each use; "" without argument */
  VEC(char *) files;                     /* words before -- */
  VEC(char *) rest;                      /* words behind -- */
  bool has_rest;
};

/* False: reported with exit status 2 in mind. Strings are borrowed from argv. */
bool pass_options_parse(struct diag_sink *s, struct arena *a, int argc, char **argv,
                        struct pass_options *out) MUST_CHECK;
/* The last value; `otherwise` when not given. */
const char *pass_option(const struct pass_options *o, enum pass_option id, const char *otherwise);
void pass_options_help(struct strbuf *out);
/* The long names, one a line, for shells. */
void pass_options_complete(struct strbuf *out);

#endif
