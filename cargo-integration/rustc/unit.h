/* One compilation of rustc: its command line as given, and the facts that the dump must record.
 *
 *   struct unit u;
 *   unit_from_args(sink, arena, &tc, argc, argv, &u)   // a whole rustc command line
 *   unit_from_file(sink, arena, &tc, "saxpy.rs", &u)   // a single file: finds the device crate
 *
 * Everything lives in the arena. */
#ifndef MIRDC_RUSTC_UNIT_H
#define MIRDC_RUSTC_UNIT_H

#include "base/vec.h"
#include "cargo-integration/rustc/toolchain.h"

/* Are variables to be described, and what is given for it: without value numbering every variable keeps
 * its own place; without the passes that join variables or take them apart most do; with rustc's usual
 * passes those do that are left over. */
enum unit_debug { DEBUG_OFF, DEBUG_ALL, DEBUG_MOST, DEBUG_REST };

struct unit_extern {
  str name;    /* as the source names it */
  str options; /* "priv,noprelude" or empty */
  char *path;  /* file, NULL when only the name was given */
};

struct unit {
  struct toolchain tc;
  VEC(char *) args;   /* rustc's arguments without the program, argument files expanded */
  VEC(char *) env;    /* NAME=VALUE to set for the unit (replayed units); usually empty */
  const char *cwd;    /* folder that relative paths are relative to; NULL: current folder */
  char *root;         /* crate root file as given (relative to cwd) */
  str crate_name;     /* underscores */
  str edition;        /* "2015" when not given */
  str target;         /* triple; the host when not given */
  char *package_root; /* absolute folder: CARGO_MANIFEST_DIR, else the root file's folder */
  VEC(str) crate_types;
  VEC(str) cfgs;     /* --cfg values, verbatim, in order */
  VEC(str) features; /* the values of feature="…" among them */
  VEC(struct unit_extern) externs;
  VEC(str) lib_dirs;  /* -L values, verbatim */
  VEC(char *) kept;   /* other arguments that the device runs repeat: cfgs, lints off, target … */
  VEC(char *) shown;  /* arguments about lints and the form of messages, for the ordinary run */
  str metadata;       /* -C metadata=, empty when not given */
  str extra_filename; /* -C extra-filename= */
  str out_dir;        /* --out-dir */
  bool test;          /* --test */
  bool is_proc_macro;
  bool single_file;       /* no Cargo shows rustc's warnings, so the pass does */
  bool uses_device_crate; /* single files: the text names `mirdc` */
  bool overflow_checks;   /* effective, by rustc's rules */
  bool debug_assertions;
  enum unit_debug debug;
  char opt_level; /* '0' '1' '2' '3' 's' 'z' */
};

bool unit_from_args(struct diag_sink *s, struct arena *a, const struct toolchain *tc, int argc,
                    char **argv, struct unit *out) MUST_CHECK;

/* Parses into a unit whose tc, env and cwd are already set. */
bool unit_parse(struct diag_sink *s, struct arena *a, struct unit *u, int argc,
                char **argv) MUST_CHECK;

struct unit_file_options {
  const char *edition;     /* NULL: 2024 */
  bool release;            /* overflow checks and debug assertions off */
  const char *const *cfgs; /* NULL-terminated, may be NULL */
};
bool unit_from_file(struct diag_sink *s, struct arena *a, const struct toolchain *tc,
                    const char *file, const struct unit_file_options *opts,
                    struct unit *out) MUST_CHECK;

/* Folder of the device crates (holds mirdc/ and mirdc-macros/): $MIRDC_CRATES, else beside the
 * running program in the build tree, else under its install prefix. NULL (reported, MD0144). */
char *unit_find_crates(struct diag_sink *s, struct arena *a);

#endif
