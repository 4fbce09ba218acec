/* Reads a MIR dump into the tree of mir.h. Nothing is guessed: a token that it does not know is an
 * error of the MD01xx codes, which names the dump's line and column, the item, and shows the line.
 * Such an error costs the item it stands in, not the dump: a crate also holds code that no kernel
 * reaches. A dump that is cut off, is not UTF-8 or holds no readable item is refused as a whole. */
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
  bool strict;             /* refuse the whole dump for one unreadable item */
};

/* False after an error (reported). The map inside *out wants mir_file_release. */
bool mir_parse(const struct mir_parse_input *in, struct mir_file *out) MUST_CHECK;

/* To be asked when an item (or, with an empty name, an allocation) is needed and was not found:
 * reports why it could not be read, and gives the diagnostic so that the caller can add where it
 * was needed from. NULL when it is not in the dump at all. */
struct diag *mir_report_broken(const struct mir_file *f, str item, uint32_t alloc,
                               struct diag_sink *sink);

#endif
