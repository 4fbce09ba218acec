/* Closures that rustc prints whole. Of the values that a closure captures, the MIR printer shows as
 * many as the closure mentions variables; when fields of one variable are captured by themselves,
 * values are missing. A mention that captures nothing makes room for one more:
 *
 *   move |x| x + p.0 + p.1   becomes   {let(v,)=((),);move |x|{let _=v;x + p.0 + p.1}}
 *
 * which is the same program. Columns behind such a place are moved; overlay_original moves those in
 * rustc's text back. */
#ifndef MIRDC_RUSTC_OVERLAY_CLOSURES_H
#define MIRDC_RUSTC_OVERLAY_CLOSURES_H

#include "base/arena.h"
#include "base/vec.h"

struct overlay_opening {
  str at;           /* "FILE:l:c: l:c", as rustc prints the place of the closure's head */
  uint32_t missing; /* values that were not printed */
};
typedef VEC(struct overlay_opening) overlay_openings;

struct overlay_shift { /* text that is in the copy alone */
  str file;            /* as rustc prints it */
  uint32_t line, col;  /* in the original, both from 1 */
  uint32_t n;          /* characters */
};
typedef VEC(struct overlay_shift) overlay_shifts;

struct overlay_edits {
  const overlay_openings *openings; /* closures; may be NULL */
  bool publish; /* make private items visible in the crate (overlay_publish.h) */
  bool strings; /* give constants that are literals a body (overlay_strings.h) */
  bool strings_only; /* not those that a macro fills in */
};

/* The text of `file` with all edits; what was inserted is added to `shifts`, in order. Closures that are not
 * understood stay as they are, as do those beside a `column!()`. `text` may be changed in place. */
str overlay_edit(struct arena *a, str file, char *text, size_t n, const struct overlay_edits *edits,
                 overlay_shifts *shifts);
/* Text that rustc printed about the copy, with all places as they are in the original. */
str overlay_original(struct arena *a, const overlay_shifts *shifts, str text);

#endif
