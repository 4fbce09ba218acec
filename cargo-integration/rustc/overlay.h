/* A copy of a package's sources that rustc reads instead: `#[inline(never)]` is blanked to equal
 * length, so that the MIR inliner sees through it and every column stays true. Unchanged files are
 * symbolic links. The crate root of the copy can carry a probe module at its end. */
#ifndef MIRDC_RUSTC_OVERLAY_H
#define MIRDC_RUSTC_OVERLAY_H

#include "base/arena.h"
#include "base/diag.h"
#include "cargo-integration/rustc/overlay_closures.h"
#include "cargo-integration/rustc/unit.h"

struct overlay {
  char *dir;        /* temporary folder, removed by overlay_remove */
  char *package;    /* the copy of the package root inside it */
  char *root;       /* the copy of the crate root */
  char *remap_from; /* for --remap-path-prefix FROM=TO: paths print as rustc alone would print */
  char *remap_to;
  str root_text;  /* text of the crate root after blanking */
  size_t blanked; /* attributes blanked in all files */
  overlay_shifts shifts; /* what overlay_original needs */
};

bool overlay_make(struct diag_sink *s, struct arena *a, const struct unit *u,
                  struct overlay *out) MUST_CHECK;
/* The same with edits (overlay_closures.h). */
bool overlay_make_edited(struct diag_sink *s, struct arena *a, const struct unit *u,
                         const struct overlay_edits *edits, struct overlay *out) MUST_CHECK;
/* Writes the crate root's text with `tail` after it to `path`, a file beside the copy of the crate
 * root or that copy itself. */
bool overlay_write_root(struct diag_sink *s, const struct overlay *o, const char *path,
                        str tail) MUST_CHECK;
void overlay_remove(struct overlay *o);

#endif
