/* Questions to rustc in the form of a module appended to the overlay's crate root.
 *
 * Fill rows, call probe_run, read the answers. Types and paths are Rust source text as seen from
 * the crate root (`super::*` is in scope; std and core paths start with `::core` or `core`). A row
 * that does not compile gets ok == false and rustc's reason; the others are answered all the same.
 */
#ifndef MIRDC_RUSTC_PROBE_H
#define MIRDC_RUSTC_PROBE_H

#include "cargo-integration/rustc/runs.h"

enum probe_kind {
  PROBE_LAYOUT, /* type: its layout */
  PROBE_DROP,   /* type: body of `unsafe fn NAME(p: *mut T)` that drops in place */
  PROBE_CALL,   /* call: body of `unsafe fn NAME(ARGS) -> RET { PATH(args…) }` */
  PROBE_CONST,  /* path, type: `static NAME: T = PATH;` and `fn NAME_get() -> &'static T` */
  PROBE_NAMES,  /* type: variants and fields by debug info */
  PROBE_PART,   /* type, path, step: body of `unsafe fn NAME(p: *mut ())` that drops what a pattern of
                   the type binds, private fields included */
};

struct probe_row {
  enum probe_kind kind;
  str type; /* LAYOUT, DROP, NAMES, PART: T. CONST: the type. CALL: the return type, empty for () */
  str path; /* CALL: callee with generic arguments; CONST: the constant; PART: the pattern behind the
               type's name, which binds `m`: ` { field: m, .. }` */
  str step; /* PART: from `m` to a reference: `m`, `&mut **m` */
  str items, own; /* types and functions that the row's text names; once when other rows give the same */
  bool chained;    /* CALL: the callee is the wrapper of the row before; `path` is not read */
  const str *args; /* CALL: argument types */
  size_t n_args;
  bool env;   /* CALL: a first parameter `c: *mut ()`, which `path` may name */
  void *user; /* untouched */
  /* answers */
  bool ok;
  str reason; /* one line, when !ok */
  struct layout *layout;
  str fn_name;  /* DROP, CALL, CONST: name of the function in `mir`: __mirdc_probe::r12 */
  bool unasked; /* no run was left for it */
  bool no_drop; /* DROP: the type needs no drop at all; then there may be no function */
  const struct di_type *names;
};

struct probe_answers {
  str mir; /* MIR text of the probe module and all allocations of that run, whose numbers are
              its own; empty when no DROP, CALL or CONST row is ok */
};

/* Answers all rows in one run, and in one beside it those for NAMES that the debug info at hand does not describe:
 * they need generated code, and so no errors. In the other each row stands alone. A run that answers nothing is
 * repeated without the rows that did not compile, at most PROBE_ROUNDS - 1 times. `bodies` gets the debug info that
 * NAMES rows bring. False only if rustc's answers cannot be understood at all. */
#define PROBE_ROUNDS 6
bool probe_run(struct runs *r, struct run_bodies *bodies, struct probe_row *rows, size_t n,
               struct probe_answers *out) MUST_CHECK;

#endif
