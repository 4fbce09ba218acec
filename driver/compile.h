/* The main job, stage by stage. No stage looks back; each works on bytes that the run owns.
 *
 *   compile_input.c   the dump: read, or made by the pass
 *   compile_native.c  native algorithms: providers and their C++
 *   compile_units.c   lowering, libNVVM and links, in parallel over link units and architectures
 *   compile_output.c  bundle, build record, files; report.c tells the user */
#ifndef MIRDC_DRIVER_COMPILE_H
#define MIRDC_DRIVER_COMPILE_H

#include "base/hash.h"
#include "bundles/artifact.h"
#include "driver/session.h"
#include "ir/lower.h"
#include "ir/units.h"
#include "linkers/finalizer.h"
#include "linkers/store.h"

struct manifest;
struct natives;

/* One cubin (or PTX text) of a link unit. */
struct built_link {
  struct target arch;
  struct bytes bytes;
  struct link_report report;
  bool reported; /* report is valid */
  bool cached;
};

struct built_unit {
  uint32_t number;
  struct lower_result lowered;
  uint32_t *natives; /* requests that it calls, ascending */
  size_t n_natives;
  struct bytes ltoir;
  bool ltoir_cached;
  struct built_link *cubins; /* one per architecture */
  struct built_link *ptxs;   /* when PTX is wanted */
  struct diag_sink sink;     /* the worker's own; drained in order of units */
  bool ok;
};

struct extern_file {
  str path;
  struct bytes bytes;
  struct digest digest;
};

struct compile_times {
  uint64_t pass, read, native, lower, nvvm, link, write,
      total; /* ns; the middle ones summed over threads */
};

struct compile {
  struct session *s;
  struct arena *arena;
  const char *input; /* as given */
  struct bytes dump; /* the text of the dump */
  struct digest dump_digest;
  struct digest foreign_digest; /* of a dump in another format, when foreign_size is not 0 */
  size_t foreign_size;
  struct pmir *m;       /* NULL in a dry run on Rust source */
  struct target *archs; /* ascending, no doubles */
  size_t n_archs;
  bool emit[ARTIFACT_KINDS];
  unsigned opt;
  bool fmad, trap_info, line_info, debug, dry;
  unsigned max_registers;
  unsigned jobs;
  struct extern_file *externs;
  size_t n_externs;
  struct artifact_unit unit;
  struct cuda_session *cuda;
  struct store *store;
  struct digest nvvm_digest, nvjitlink_digest, libdevice_digest;
  struct pm_link_units units;
  struct link_symbol *symbols; /* the dump's externs */
  struct natives *natives;     /* NULL: the dump calls none; see compile_native.h */
  struct built_unit *built;
  const struct manifest *manifest; /* see compile_manifest */
  struct compile_times times;
};

uint64_t now_ns(void);
/* Takes the dump from the file given, or runs the pass on a Rust source file; a dry run only shows
 * the pass's command. */
bool compile_take_input(struct compile *c) MUST_CHECK;
/* Its first half: only the bytes, into c->dump, of any kind when it is a file; and how they are
 * called in messages. */
bool compile_take_text(struct compile *c, str *shown) MUST_CHECK;
/* Opens libmirdc-lower.so; NULL after reporting. The library stays open. */
struct lower_api {
  mirdc_lower_fn *lower;
  mirdc_lower_free_fn *free;
};
bool compile_open_lowering(struct diag_sink *s, struct arena *a, struct lower_api *out) MUST_CHECK;
/* Finds the providers that the dump asks for and checks that they offer it; needs no CUDA. */
bool compile_find_natives(struct compile *c) MUST_CHECK;
/* Makes LTO-IR of all of it, or takes it from the store. */
bool compile_make_natives(struct compile *c) MUST_CHECK;
/* One line for each, for -v. */
void compile_native_report(struct compile *c);
void compile_release_natives(struct compile *c);
/* By native; NULL: there are none. */
const str *compile_native_symbols(const struct compile *c);
/* The requests that a lowered module calls, ascending, in the arena. */
size_t compile_unit_natives(const struct compile *c, const struct lower_result *lowered, struct arena *a,
                            uint32_t **out);
str compile_native_symbol(const struct compile *c, uint32_t request);
struct link_input compile_native_input(const struct compile *c, uint32_t request);
bool compile_build_units(struct compile *c) MUST_CHECK;
/* One row for each of the dump's externs: where it is used first, and by which kernel. */
struct link_symbol *compile_symbols(struct compile *c);
/* Writes everything that --emit asks for; the record last. */
bool compile_write(struct compile *c) MUST_CHECK;
/* Refuses, before any work, outputs that are inputs and two outputs under one name. */
bool compile_check_outputs(struct compile *c) MUST_CHECK;
/* In place of all work after the input was taken: says what would be run and written. */
bool compile_dry_run(struct compile *c) MUST_CHECK;
void compile_report(struct compile *c);

/* The kind that -o names by its ending; when it names none, the only kind that --emit lists besides
 * the record, or a bundle. */
enum artifact_kind compile_main_kind(const struct compile *c, const char *path);
/* Where an artifact of this run goes, after -o, --out-dir and Cargo's names. */
bool compile_place(struct compile *c, enum artifact_kind k, str arch, uint32_t unit,
                   struct artifact_place *out) MUST_CHECK;
/* Manifest of the bundle, made when it is asked for first. All units must be built. */
const struct manifest *compile_manifest(struct compile *c);

#endif
