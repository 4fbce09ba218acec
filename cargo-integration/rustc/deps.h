/* Dependencies of a device unit, compiled once more to metadata that carries every body.
 *
 * A closure file lists rustc commands, one JSON object a line, written by `mirdc-rustc --record`:
 *   {"argv":["rustc","--crate-name",…],"cwd":"/abs","env":{"CARGO_MANIFEST_DIR":"…",…}} */
#ifndef MIRDC_RUSTC_DEPS_H
#define MIRDC_RUSTC_DEPS_H

#include "base/depends.h"
#include "cargo-integration/rustc/unit.h"

struct deps; /* recorded units, and where the results are kept */

/* $MIRDC_CACHE_DIR, else $XDG_CACHE_HOME/mirdc, else ~/.cache/mirdc, else a folder in /tmp. */
char *deps_default_cache(struct arena *a);

/* `record_dir` may be NULL (single files, units without dependencies). `cache_dir` is created. */
bool deps_open(struct diag_sink *s, struct arena *a, const struct toolchain *tc,
               const char *record_dir, const char *cache_dir, struct deps **out) MUST_CHECK;
void deps_close(struct deps *d);

/* From now on what dependencies are made of is added there. */
void deps_list_inputs(struct deps *d, struct depends *out);
/* Points the unit's --extern at device metadata: for each dependency of the closure one
 * metadata-only run, found in the cache by rustc, flags and source digests. Proc macros stay.
 * A dependency without a recorded command is used as it is; its bodies may then be missing.
 * For a single file that names `mirdc`, the device crate and its macros are built and added. */
bool deps_prepare(struct deps *d, struct diag_sink *s, struct unit *u) MUST_CHECK;
/* Folders to pass as -L dependency=…, in order. */
size_t deps_lib_dirs(const struct deps *d, char ***dirs);
/* The MIR text of the dependency of that crate name, in the words of its own crate, and its unit. NULL:
 * it is none that was compiled here, or its text cannot be had. */
const struct unit *deps_bodies(struct deps *d, struct diag_sink *s, str crate_name, str *mir);
/* rustc processes started for dependencies; 0 when all came from the cache. */
unsigned deps_runs(const struct deps *d);

/* The wrapper: writes DIR/CRATE-HASH.json for a rustc command that compiles something, then becomes
 * that rustc. Returns only on failure (reported). `argv` starts with the rustc program. */
int deps_record(struct diag_sink *s, struct arena *a, const char *dir, int argc, char **argv);
/* Reads the record of one file into argv, cwd, env of a unit. */
bool deps_read_record(struct diag_sink *s, struct arena *a, const char *path,
                      const struct toolchain *tc, struct unit *out) MUST_CHECK;

#endif
