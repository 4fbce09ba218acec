/* The cargo that is started to find out how the selected targets are compiled.
 *
 * It runs `cargo check` in a target folder of its own, with this program as the compiler wrapper
 * that records every rustc command. Cargo's own folder is not touched: it may be locked by the
 * cargo that runs us, and a unit that is fresh there would never be recorded. */
#ifndef MIRDC_CARGO_NESTED_H
#define MIRDC_CARGO_NESTED_H

#include "cargo-integration/cargo-mirdc/package.h"

#define RECORD_ENV "MIRDC_RECORD_DIR" /* set: this program is called as a compiler wrapper */
#define INNER_ENV "MIRDC_INNER"       /* set: a build script runs inside the nested cargo */

/* A target that the nested cargo has built or found fresh. */
struct artifact {
  str package, package_id;
  const char *kind; /* target_kind; NULL: a proc macro or build script */
  str name;         /* Cargo target name */
  char *source;     /* crate root */
  str hash;         /* of the output file's name, "-0123456789abcdef"; empty if none */
  char *output;     /* first output file */
  bool test_build;  /* --test of a lib, bin or example */
  char *record;     /* its rustc command, NULL when not found */
};
typedef VEC(struct artifact) artifacts;

struct nested {
  char *dir;           /* target folder */
  char *records;       /* folder of the records */
  const char *profile; /* Cargo profile */
  words args;          /* for cargo, after `check` */
  words unset;         /* variables that must not reach it */
  bool verbose;
  bool json; /* cargo's JSON lines are handed on to standard output */
};

/* `shared`: the shared folder. */
void nested_init(struct nested *n, struct arena *a, const char *shared, const char *profile);
/* Runs it. Cargo shows compile errors itself; then *status is its exit status and nothing else is
 * reported. */
bool nested_run(struct diag_sink *s, struct arena *a, const struct nested *n, artifacts *out,
                int *status) MUST_CHECK;
/* Reads cargo's JSON lines. */
bool nested_parse(struct diag_sink *s, struct arena *a, str text, artifacts *out) MUST_CHECK;
/* Fills `record` of each artifact that may hold device code. False (not reported) when one is missing. */
bool nested_find_records(struct arena *a, const struct nested *n, artifacts *list);
/* The compiler wrapper: argv[1] is rustc. Does not return when it works. */
int nested_wrapper(struct diag_sink *s, struct arena *a, int argc, char **argv);

#endif
