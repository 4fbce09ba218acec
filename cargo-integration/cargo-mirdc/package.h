/* What `cargo metadata` says, and which packages and targets a command is about. */
#ifndef MIRDC_CARGO_PACKAGE_H
#define MIRDC_CARGO_PACKAGE_H

#include "base/proc.h"
#include "cargo-integration/cargo-mirdc/options.h"

struct package {
  str name, version, id;
  char *manifest; /* Cargo.toml */
  bool has_lib;
  bool selected;
};

struct workspace {
  VEC(struct package) packages; /* members, in Cargo's order */
  char *root;
  char *target_dir;
  char *build_dir; /* target_dir where Cargo does not tell */
};

/* $CARGO, or "cargo". */
const char *cargo_program(void);
/* Runs `cargo metadata --no-deps`. */
bool workspace_load(struct diag_sink *s, struct arena *a, const struct options *o,
                    struct workspace *out) MUST_CHECK;
/* Reads the text of `cargo metadata`. */
bool workspace_parse(struct diag_sink *s, struct arena *a, str text,
                     struct workspace *out) MUST_CHECK;
/* Marks what -p, --workspace and --exclude name, else the package of `manifest` (that of the
 * current folder; NULL: none), else Cargo's default members, which must already be marked. */
bool workspace_select(struct diag_sink *s, const struct options *o, struct workspace *w,
                      const char *manifest) MUST_CHECK;
/* The Cargo.toml that the current folder or --manifest-path belongs to. NULL (not reported) when
 * Cargo finds none. */
char *current_manifest(struct diag_sink *s, struct arena *a, const struct options *o);
/* Is this kind of target ("lib", "bin", …) with this name among those selected? */
bool target_selected(const struct options *o, str kind, str name);
/* True when targets were named by an option, so that one without kernels is an error. */
bool targets_are_named(const struct options *o);
/* Cargo's words for kinds of libraries, and the others, as mirdc's words: lib bin test example
 * bench. NULL for build scripts and proc macros, which never hold device code. */
const char *target_kind(str cargo_kind);

/* The folder of the artifacts: --mirdc-dir, else $MIRDC_DIR (absolute), else DIR/mirdc with
 * --target-dir or Cargo's build folder. NULL after reporting (MD0608). */
char *shared_dir(struct diag_sink *s, struct arena *a, const struct options *o,
                 const struct workspace *w);
/* Cargo's build folder, found by walking up from OUT_DIR. NULL (not reported) if there is none. */
char *build_dir_above(struct arena *a, const char *out_dir, const char *target);
/* The shared folder for a build script. NULL after reporting. */
char *shared_dir_of_script(struct diag_sink *s, struct arena *a, const struct options *o,
                           const char *out_dir, const char *target);

#endif
