/* Findings as diagnostics that point into the user's Rust source. */
#ifndef MIRDC_EMULATOR_CHECK_DIAG_H
#define MIRDC_EMULATOR_CHECK_DIAG_H

#include "emulator/check.h"
#include "ir/pmir.h"

/* What a finding is told with. */
struct check_scene {
  const struct pmir *m;
  str kernel;         /* its name */
  const pm_loc *locs; /* by check_loc; [0] is not used */
  uint32_t n_locs;
  uint32_t block[3]; /* threads of a block */
};

/* The place in the user's own code, SPAN_NONE if it is not known. */
struct span check_span(const struct check_scene *s, check_loc loc);
/* Adds one error to the sink, and gives it. */
struct diag *check_diagnose(const struct check_finding *f, const struct check_scene *s,
                            struct diag_sink *sink);
/* What a launch's checks have to say besides: findings that were dropped, races given up. */
void check_diagnose_limits(const struct check *c, const struct check_scene *s,
                           struct diag_sink *sink);

#endif
