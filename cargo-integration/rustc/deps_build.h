/* One dependency: found in the cache, or compiled to metadata for the device. */
#ifndef MIRDC_RUSTC_DEPS_BUILD_H
#define MIRDC_RUSTC_DEPS_BUILD_H

#include "base/hash.h"
#include "cargo-integration/rustc/unit.h"

struct build_request {
  struct unit *unit; /* its externs already point at device metadata */
  const char *cache_dir;
  char **lib_dirs;
  size_t n_lib_dirs;
  struct digest externs; /* of the externs' names and cache paths */
  bool bodies;           /* the MIR text of the crate in place of its metadata */
};
struct built {
  char *dir;  /* immutable cache folder */
  char *file; /* metadata, MIR text, or the shared object of a procedural macro */
  char *inputs; /* file that lists what it was made of, in the form of base/depends.h among other lines */
  unsigned n_runs;
};

/* Errors of rustc are shown as they are, then reported (MD0146). */
bool deps_build(struct diag_sink *s, struct arena *a, const struct build_request *req,
                struct built *out) MUST_CHECK;

#endif
