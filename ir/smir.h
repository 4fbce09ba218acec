/* Foreign dumps: the JSON of stable-mir-json (`NAME.smir.json`), rewritten as prepared MIR.
 * docs/foreign-dumps.md says which versions are read and what such a dump cannot say. */
#ifndef MIRDC_IR_SMIR_H
#define MIRDC_IR_SMIR_H

#include "base/diag.h"

struct smir_root {
  str path;    /* the function: its name in the dump, or the end of it behind `::` */
  str name;    /* symbol for the host or for linked code; empty: the last part of the path */
  bool kernel; /* else an exported device function */
};
struct smir_options {
  const struct smir_root *roots;
  size_t n_roots;
  bool overflow_checks; /* what the unit was compiled with; the dump does not say */
};

/* Appends the text of a prepared dump that holds the roots and what they reach. False after
 * reporting; `out` is then not to be used. */
bool smir_prepare(str text, str path, const struct smir_options *o, struct diag_sink *sink,
                  struct strbuf *out) MUST_CHECK;

#endif
