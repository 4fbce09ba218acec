/* From selected targets to artifacts. */
#ifndef MIRDC_CARGO_BUILD_H
#define MIRDC_CARGO_BUILD_H

#include "cargo-integration/cargo-mirdc/nested.h"

/* Exit statuses are Cargo's: 0, 101 when a build failed, 1 for a wrong command line. */
#define EXIT_BUILD_FAILED 101
#define EXIT_WRONG_USAGE 1

struct job {
  struct diag_sink *sink;
  struct arena *arena;
  const struct options *options;
  char *shared;        /* the shared folder */
  const char *profile; /* Cargo profile */
  bool color, json, quiet, verbose;
  bool check;          /* `mirdc check` only */
  bool bundles;        /* targets that would have no bundle count as targets without kernels */
};

/* Compiles one recorded target. *found tells whether there was something to compile: kernels, or
 * functions for other device code, which become LTO-IR unless other artifacts are asked for. False when something failed; it has been reported then. */
bool build_artifact(struct job *j, const struct nested *n, const struct artifact *r,
                    bool *found) MUST_CHECK;
/* The bundle of a target below the shared folder, by the rule of docs/cargo.md. */
char *build_bundle_path(struct arena *a, const char *root, const struct artifact *r,
                        const char *profile);
/* "debug" for dev and test, "release" for release and bench, else the profile's name. */
const char *build_profile_dir(const char *profile);
/* Runs the nested cargo, again from nothing when records are missing. *status: cargo's. */
bool build_record(struct job *j, const struct nested *n, artifacts *list, int *status) MUST_CHECK;

/* `cargo mirdc build` and `check`. */
int sub_build(struct job *j);
/* The same called by build.rs. */
int sub_build_script(struct job *j);

#endif
