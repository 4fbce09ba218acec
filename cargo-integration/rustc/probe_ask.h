/* Inside the probe: one kind of run (the names, or all else) and what its stderr says. */
#ifndef MIRDC_RUSTC_PROBE_ASK_H
#define MIRDC_RUSTC_PROBE_ASK_H

#include "cargo-integration/rustc/probe.h"

struct probe {
  struct runs *r;
  struct probe_row *rows;
  size_t n;
  bool *live;   /* rows that take part in the next round */
  bool *known;  /* DROP rows: whether the type needs drop was said */
  const char *root_name; /* the crate root's file name: each kind has its own */
  bool named;   /* the NAMES rows, or the others */
  bool done;
  bool crashed;   /* once; since then only layouts are asked */
  bool published; /* the last round read the copy in which private items are visible */
  overlay_shifts shifts; /* of the copy that was read */
  uint32_t line0; /* line of row 0 in the crate root that this kind reads */
  char *root;     /* that file */
  str shown_root; /* the same as rustc prints it */
  char *ll;       /* product of the last round of names */
  char *dumps;    /* or the folder with its bodies */
  str stranger;   /* first error of the last round that belongs to no row; empty: none */
  struct proc_cmd cmd;
  struct proc_child child;
};

/* What one round's stderr came to. */
struct outcome {
  size_t dropped;  /* rows that will not be asked again */
  size_t features; /* switched on since */
  str stranger;    /* the first error outside the rows; empty: none */
};
/* Layouts become answers, errors become reasons, features that rows need are noted. `first_feature`
 * is how many features were on in that round. */
struct outcome probe_read_errors(struct probe *p, str err, size_t first_feature);

#endif
