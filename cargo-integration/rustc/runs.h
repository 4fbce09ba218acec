/* The rustc runs of one device unit.
 *
 *   runs_open     finds dependencies, makes the overlay
 *   runs_check    the ordinary run: rustc's own diagnostics, unchanged; when run A fails
 *   runs_bodies   run A: MIR text, debug info, type sizes, mono items, drop glue
 *   runs_reprint  run A again, with all captures or with literals
 *   probe_run     run B (probe.h)
 *   runs_close    removes the temporary folder
 */
#ifndef MIRDC_RUSTC_RUNS_H
#define MIRDC_RUSTC_RUNS_H

#include "base/proc.h"
#include "cargo-integration/rustc/debuginfo.h"
#include "cargo-integration/rustc/deps.h"
#include "cargo-integration/rustc/overlay.h"

/* The run for types, which goes on while the bodies are read. */
struct types_run {
  enum { TYPES_NONE, TYPES_RUNNING, TYPES_LOADED, TYPES_FAILED } state;
  struct proc_child child;
  char *ll, *glue; /* products */
  bool lean;       /* without functions that nobody calls */
};

struct run_bodies;
struct runs {
  struct arena *arena;
  struct diag_sink *sink;
  struct unit *unit;
  struct deps *deps;
  struct overlay overlay;
  VEC(struct overlay) replaced; /* by copies with opened closures; removed at the end */
  overlay_openings openings;    /* the closures that are open in `overlay` */
  struct overlay published;     /* the same with private items made visible, for questions; dir NULL: none */
  bool publish_failed;          /* rustc does not take that copy */
  char *work;          /* temporary folder of this unit */
  struct depends *made_of; /* what the unit is made of is added there; NULL: nobody asks */
  bool without_gvn;    /* after the fallback */
  bool checked;        /* the ordinary run has been shown */
  bool json;           /* messages of rustc's own go to stdout as JSON lines, like ours */
  bool has_more_types; /* runs_more_types has run */
  bool spent;          /* something was not asked because RUNS_MAX is reached */
  VEC(str) missing;    /* among that, what no question of prepare.h asks for */
  unsigned n_runs;     /* rustc processes started for this unit so far */
  VEC(const char *) log; /* what each of them was for, in one word */
  uint64_t rustc_us;   /* time spent in them */
  struct types_run types;
  struct run_bodies *bodies; /* where the types go; borrowed from runs_bodies to runs_finish */
  VEC(str) crate_attrs;      /* features that probes turned out to need */
};

struct type_size {
  str type; /* as the MIR text prints it */
  uint64_t size, align;
};
struct mono_item {
  str kind; /* "fn" or "static" */
  str name;
};
/* Bodies of drop glue and of call_once shims, which the MIR text of a crate does not hold. */
struct glue_file {
  str name; /* file name */
  str text; /* MIR text, one body */
};
struct run_bodies {
  str mir;
  struct debuginfo *debuginfo; /* debuginfo_free when done */
  VEC(struct type_size) sizes;
  VEC(struct mono_item) mono;
  VEC(struct glue_file) glue;
  str ir; /* of the run for types; empty until debuginfo_load */
};

bool runs_open(struct diag_sink *s, struct arena *a, struct unit *u, struct deps *d,
               struct runs *out) MUST_CHECK;
void runs_close(struct runs *r);

/* Runs the unit as the user would and lets rustc print to stderr. *status gets its exit status. */
bool runs_check(struct runs *r, int *status) MUST_CHECK;
/* Run A. When rustc fails, the ordinary run shows the user's errors: then *user_error is set,
 * nothing is reported, and the result is false. */
bool runs_bodies(struct runs *r, struct run_bodies *out, bool *user_error) MUST_CHECK;
/* Run A of a copy in which these closures are printed with all their captures (overlay_closures.h), which then all
 * later runs read, and with `strings` in which constants that are literals have bodies (overlay_strings.h).
 * `list` may be NULL. *mir stays empty when rustc does not take that copy; *with_strings: it has such bodies. */
bool runs_reprint(struct runs *r, const overlay_openings *list, bool strings, str *mir,
                  bool *with_strings) MUST_CHECK;
/* Makes the copy in which private items are visible, for the probes, unless it was refused. */
bool runs_publish(struct runs *r) MUST_CHECK;
/* rustc does not take that copy. */
void runs_unpublish(struct runs *r);
/* Waits for the run for types and says whether it went well: some errors of constants only show
 * there. To be called before the bodies go away and before the result counts. */
bool runs_finish(struct runs *r) MUST_CHECK;

/* Adds the types of a run without any inlining to the debug info: all closures that are ever
 * called, all types of variables in generic code. For the rare type that debuginfo_find does not
 * know. Runs once. */
bool runs_more_types(struct runs *r, struct run_bodies *bodies) MUST_CHECK;

/* The common part of all runs of the unit: program, environment, folder, cfgs, externs. */
void runs_command(struct runs *r, struct proc_cmd *c, const char *root);
/* Adds the flags of a device run: profile, inlining, printing. */
void runs_device_flags(struct runs *r, struct proc_cmd *c);
/* No unit costs more rustc processes than this: what is still open then is refused (MD0155). */
#define RUNS_MAX 6
/* May one more be started? */
bool runs_allowed(const struct runs *r);
/* Counts one more, by its one word. */
void runs_count(struct runs *r, const char *what);
/* Starts rustc, counts it and waits; false (reported) only if it could not be started. */
bool runs_start(struct runs *r, struct proc_cmd *c, const char *what, struct proc_result *res) MUST_CHECK;
/* rustc's own crash, or a signal. */
bool runs_crashed(int status);
/* Reports with rustc's first error as a note; always false. */
bool runs_failure(struct runs *r, enum diag_code code, const char *what, str err);
/* Reads a product of a run into the arena; a missing or empty one is MD0153. */
bool runs_product(struct runs *r, const char *path, str *out) MUST_CHECK;
/* Inside the runs: starts the run for types and readies *b; ends it without looking at it. */
bool runs_types_start(struct runs *r, struct run_bodies *b) MUST_CHECK;
void runs_types_drop(struct runs *r);
/* rustc's first error of some stderr text, for a note. */
str runs_first_error(str err);

/* Exact size and alignment as rustc printed them for this very type text; NULL if it did not. */
const struct type_size *run_type_size(const struct run_bodies *b, str type);
/* The flags of the device runs beside the user's own, for the record; NULL-terminated. */
/* And those that say how the text looks; NULL-terminated. */
const char *const *runs_print_flags(void);
const char *const *runs_flags(struct arena *a, const struct unit *u);

#endif
