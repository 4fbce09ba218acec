/* The manifest of a bundle: what its payloads hold and how it is used. Written and read here only.
 * The JSON form is fixed in docs/bundle.md; every str lives in the arena given to the reader. */
#ifndef MIRDC_BUNDLES_MANIFEST_H
#define MIRDC_BUNDLES_MANIFEST_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/hash.h"
#include "bundles/arch.h"
#include "bundles/launch.h"

#define MANIFEST_PROTOCOL 1u        /* kernel descriptor and parameter protocol (docs/abi.md) */
#define MANIFEST_MAX_PARAM_BYTES 32764u

enum param_kind { PARAM_SCALAR, PARAM_POINTER, PARAM_SLICE, PARAM_AGGREGATE };
const char *param_kind_name(enum param_kind k);

struct manifest_field {
  str name;
  uint64_t offset, size, align;
};
struct manifest_param {
  str name;
  enum param_kind kind;
  uint64_t size, align, offset; /* offset in the kernel's parameter block */
  str label;                    /* the Rust type, for people and for comparison */
  struct manifest_field *fields; /* of aggregates */
  size_t n_fields;
};

/* Of one kernel for one architecture. */
struct manifest_resources {
  struct gpu_arch arch;
  uint32_t unit; /* link unit: with the architecture it names the cubin that holds the kernel */
  uint64_t registers, stack, spill_stores, spill_loads, shared, constant, code;
};

struct manifest_kernel {
  str name; /* symbol */
  str path; /* Rust path */
  struct manifest_param *params;
  size_t n_params;
  struct launch_facts launch;
  struct manifest_resources *resources; /* sorted by architecture */
  size_t n_resources;
};

enum global_space { SPACE_GLOBAL, SPACE_CONST };
struct manifest_global {
  str name, path;
  enum global_space space;
  uint64_t size, align;
  uint32_t unit; /* link unit whose cubins hold it */
};

/* A place that can trap; `code` is what the kernel writes to the trap record. */
struct manifest_trap {
  uint32_t code;
  str file;
  uint32_t line, col;
  str message;
};

/* How the device code was made. All zero but fmad and opt is not the default: see
 * policy_default(). */
enum debug_level { DEBUG_NONE, DEBUG_LINES, DEBUG_FULL };
struct policy {
  bool fmad;
  unsigned opt; /* 0..3 */
  enum debug_level debug;
  bool overflow_checks, debug_assertions, trap_info;
  uint32_t max_registers; /* 0: no limit */
};
struct policy policy_default(void);
bool policy_is_default(const struct policy *p);

struct manifest_tool {
  str name, version;
  struct digest digest;
};
struct manifest_source {
  str path; /* relative, or with a well-known prefix; never absolute */
  struct digest digest;
};

struct manifest {
  uint32_t version; /* set by the writer: 1 or 2 */
  uint32_t protocol;
  str package, kind, target, profile;
  struct policy policy;
  struct manifest_kernel *kernels;
  size_t n_kernels;
  struct manifest_global *globals;
  size_t n_globals;
  struct manifest_trap *traps;
  size_t n_traps;
  struct manifest_tool *tools;
  size_t n_tools;
  struct manifest_source *sources;
  size_t n_sources;
};

/* protocol and policy at their defaults, everything else empty. */
void manifest_init(struct manifest *m);
/* The lowest version that can express the content. */
uint32_t manifest_version_needed(const struct manifest *m);
/* Checks the content and appends the JSON text. Kernels, globals, tools and sources are written
 * sorted by name, traps by code. False (reported) for content that no reader would take. */
bool manifest_write(struct diag_sink *s, const struct manifest *m, struct strbuf *out) MUST_CHECK;
/* Strict: unknown members, doubled names and values out of range are errors. `version` is that of
 * the bundle and must be the manifest's own. */
bool manifest_read(struct diag_sink *s, struct arena *a, str text, str path, uint32_t version,
                   struct manifest *out) MUST_CHECK;
/* NULL if there is none of that symbol or Rust path. */
const struct manifest_kernel *manifest_kernel_find(const struct manifest *m, str name);
const struct manifest_trap *manifest_trap_find(const struct manifest *m, uint32_t code);
/* Bytes of the parameter block: the end of the last parameter. */
uint64_t manifest_param_bytes(const struct manifest_kernel *k);

#endif
