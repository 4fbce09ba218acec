/* Where an artifact lies and what it is called. The compiler, the build integration and the reader
 * ask this one function, so that they always mean the same file.
 *
 *   with a package:  ROOT[/TRIPLE]/PROFILE_DIR[/UNIT_HASH]/PACKAGE.KIND.TARGET[.test][[.uN].ARCH].EXT
 *   a loose file:    ROOT/TARGET[[.uN].ARCH].EXT
 *
 * uN stands there only when a compilation has several link units, and only in names that have ARCH.
 *
 * A dot can stand neither in a package name nor in a Cargo target name, so the parts stay apart;
 * hyphens and underscores are kept as Cargo has them. */
#ifndef MIRDC_BUNDLES_ARTIFACT_H
#define MIRDC_BUNDLES_ARTIFACT_H

#include "base/arena.h"
#include "base/diag.h"

/* Rows: ARTIFACT(enum, name for --emit, extension, named after an architecture) */
enum artifact_kind {
#define ARTIFACT(e, name, ext, per_arch) e,
#include "bundles/artifact.def"
#undef ARTIFACT
  ARTIFACT_KINDS
};
const char *artifact_kind_name(enum artifact_kind k);
bool artifact_kind_parse(str name, enum artifact_kind *out) MUST_CHECK;
bool artifact_kind_per_arch(enum artifact_kind k);

enum unit_kind { UNIT_FILE, UNIT_LIB, UNIT_BIN, UNIT_TEST, UNIT_EXAMPLE, UNIT_BENCH, UNIT_BUILD };
#define UNIT_KINDS 7
const char *unit_kind_name(enum unit_kind k);
/* Also takes Cargo's other words for a library: rlib, dylib, cdylib, staticlib, proc-macro. */
bool unit_kind_parse(str name, enum unit_kind *out) MUST_CHECK;

struct artifact_unit {
  enum unit_kind kind;
  str package;      /* required unless kind is UNIT_FILE */
  str target;       /* Cargo target name as in `cargo metadata`, or the stem of the file */
  str profile;      /* dev, release, test, bench or custom; empty: dev */
  bool test;        /* the test build of a lib, bin or example */
  str triple;       /* host target; empty: none in the path */
  str unit_hash;    /* tells apart builds that differ in nothing above; empty: none */
};

/* One of the artifacts of a unit. */
struct artifact_part {
  enum artifact_kind kind;
  str arch;           /* counts only for kinds that are named after one */
  bool several_units; /* so does which of them it belongs to */
  uint32_t link_unit;
};
struct artifact_place {
  char *dir, *file, *path; /* path = dir/file */
};
/* `root` is what --out-dir named, or the shared directory. False (reported) when a name cannot be part
 * of a file name. */
bool artifact_place(struct diag_sink *s, struct arena *a, const char *root,
                    const struct artifact_unit *u, struct artifact_part part,
                    struct artifact_place *out) MUST_CHECK;
/* For -o PATH: the main artifact has exactly that path, the others lie beside it under its name
 * without the extension of `main`. */
bool artifact_place_beside(struct diag_sink *s, struct arena *a, const char *path,
                           enum artifact_kind main, struct artifact_part part,
                           struct artifact_place *out) MUST_CHECK;
/* "debug" for dev and test, "release" for release and bench, the name itself otherwise. */
str artifact_profile_dir(str profile);
/* The stem of a source or dump: FOO of FOO.rs, FOO.pmir.json, FOO.ltoir. */
str artifact_stem(str path);

/* The shared directory: `given`, else $MIRDC_DIR (absolute), else NAME/mirdc where NAME is found
 * by walking up from `inside` (OUT_DIR, rustc's --out-dir) to Cargo's .rustc_info.json, else what
 * `cargo metadata` says for `manifest` or the current folder. NULL (reported) if none works. */
char *artifact_shared_dir(struct diag_sink *s, struct arena *a, const char *given,
                          const char *inside, const char *manifest);

/* The reader's look-up: what artifact_place names, or else the one file there whose target differs
 * in hyphens and underscores only. Several candidates are listed in the report. */
bool artifact_find(struct diag_sink *s, struct arena *a, const char *root,
                   const struct artifact_unit *u, struct artifact_part part,
                   struct artifact_place *out) MUST_CHECK;

#endif
