/* Reads a MIR dump into the tree of mir.h. Strict: a token that it does not know is an error of
 * the MD01xx codes, which names the dump's line and column, the item, and shows the line. */
#ifndef MIRDC_RUSTC_MIR_PARSE_H
#define MIRDC_RUSTC_MIR_PARSE_H

#include "base/diag.h"
#include "cargo-integration/rustc/mir.h"

struct mir_parse_input {
  str text;                /* must be well-formed UTF-8 and outlive the result */
  str path;                /* the dump's shown name */
  struct arena *arena;     /* holds the tree */
  struct rty_table *types; /* shared by all dumps of a run */
  struct diag_sink *sink;  /* its source map receives the files of spans */
};

/* False after the first error (reported). The map inside *out wants mir_file_release. */
bool mir_parse(const struct mir_parse_input *in, struct mir_file *out) MUST_CHECK;

#endif
