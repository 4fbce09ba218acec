/* What rustc read, from its dep-info. */
#ifndef MIRDC_RUSTC_INPUTS_H
#define MIRDC_RUSTC_INPUTS_H

#include "base/depends.h"
#include "cargo-integration/rustc/overlay.h"

/* Adds the files and variables of one dep-info file of a run on this copy of the sources (its dir may be
 * NULL). Variables of the unit's own environment are left out: they belong to its command. False after
 * reporting that there is no such file. */
bool inputs_read(struct diag_sink *s, struct arena *a, const struct unit *u, const struct overlay *o,
                 const char *dep_info, struct depends *out) MUST_CHECK;

#endif
