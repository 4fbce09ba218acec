/* The rustc runs of a device unit, except the probe. */
#include "cargo-integration/rustc/runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/fs.h"
#include "cargo-integration/rustc/inputs.h"

/* Beside the profile. Why each: docs/pass-runs.md. */
static const char *const DEVICE_FLAGS[] = {
    "-Copt-level=3",
    "-Cpanic=abort",
    "-Zub-checks=no",
    "-Zinline-mir=yes",
    "-Zinline-mir-threshold=1000000",
    "-Zinline-mir-hint-threshold=1000000",
    "-Zinline-mir-forwarder-threshold=1000000",
    "-Zmir-enable-passes=-JumpThreading,-SimplifyComparisonIntegral",
    NULL,
};

#define NO_JOINING                                                                                   \
  "-Zmir-enable-passes=-JumpThreading,-SimplifyComparisonIntegral,-CopyProp,-DestinationPropagation,"  \
  "-DataflowConstProp,-ReferencePropagation,-ScalarReplacementOfAggregates,-SingleUseConsts"

/* In place of the last one, by how much is given for debuggers. */
static const char *const PASSES[] = {
    [DEBUG_ALL] = NO_JOINING ",-GVN",
    [DEBUG_MOST] = NO_JOINING,
};

/* How the printed text looks. */
static const char *const PRINT_FLAGS[] = {
    "-Ztrim-diagnostic-paths=no",
    "-Zverbose-internals",
    NULL,
};

const char *const *runs_print_flags(void) {
  return PRINT_FLAGS;
}

/* Names of inlined variables keep constants alive that nothing can ask for: the last try does without them. */
static bool names_kept(const struct unit *u) {
  return u->debug && u->debug != DEBUG_REST;
}

const char *const *runs_flags(struct arena *a, const struct unit *u) {
  size_t n = COUNT_OF(DEVICE_FLAGS);
  const char **flags;
  if (!names_kept(u)) {
    return DEVICE_FLAGS;
  }
  flags = arena_array(a, const char *, n + 1);
  memcpy(flags, DEVICE_FLAGS, sizeof DEVICE_FLAGS);
  flags[n - 2] = PASSES[u->debug];
  flags[n - 1] = "-Zinline-mir-preserve-debug=yes";
  return flags;
}

bool runs_open(struct diag_sink *s, struct arena *a, struct unit *u, struct deps *d,
               struct runs *out) {
  *out = (struct runs){.arena = a, .sink = s, .unit = u, .deps = d};
  if (!deps_prepare(d, s, u)) {
    return false;
  }
  if (!overlay_make(s, a, u, &out->overlay)) {
    return false;
  }
  out->work = path_join(a, out->overlay.dir, ".mirdc-out");
  if (!fs_mkdirs(s, out->work)) {
    runs_close(out);
    return false;
  }
  return true;
}

void runs_close(struct runs *r) {
  runs_types_drop(r);
  overlay_remove(&r->overlay);
  overlay_remove(&r->published);
  for (size_t i = 0; i < r->replaced.n; i++) {
    overlay_remove(&r->replaced.p[i]);
  }
}

static void command_paths(struct runs *r, struct proc_cmd *c) {
  struct unit *u = r->unit;
  char **dirs = NULL;
  size_t n = deps_lib_dirs(r->deps, &dirs);
  for (size_t i = 0; i < n; i++) {
    proc_argf(c, "-Ldependency=%s", dirs[i]);
  }
  for (size_t i = 0; i < u->lib_dirs.n; i++) {
    proc_argf(c, "-L%.*s", STR_ARG(u->lib_dirs.p[i]));
  }
  for (size_t i = 0; i < u->externs.n; i++) {
    const struct unit_extern *e = &u->externs.p[i];
    const char *colon = e->options.n > 0 ? ":" : "";
    proc_arg(c, "--extern");
    if (e->path != NULL) {
      proc_argf(c, "%.*s%s%.*s=%s", STR_ARG(e->options), colon, STR_ARG(e->name), e->path);
    } else {
      proc_argf(c, "%.*s%s%.*s", STR_ARG(e->options), colon, STR_ARG(e->name));
    }
    if (e->options.n > 0) {
      proc_arg(c, "-Zunstable-options");
    }
  }
}

void runs_command(struct runs *r, struct proc_cmd *c, const char *root) {
  struct unit *u = r->unit;
  proc_init(c, r->arena, u->tc.program);
  c->cwd = u->cwd;
  for (size_t i = 0; i < u->env.n; i++) {
    vec_push(r->arena, &c->env, u->env.p[i]);
  }
  /* The descriptors of a job server are not passed on, and rustc warns of those that are missing. */
  proc_env(c, "MAKEFLAGS", NULL);
  proc_env(c, "MFLAGS", NULL);
  proc_env(c, "CARGO_MAKEFLAGS", NULL);
  proc_env(c, "RUSTC_BOOTSTRAP", "1");
  proc_env(c, "MIRDC_PASS", "1"); /* our macros leave `no_mangle` away */
  proc_env(c, "RUSTC_ICE", "0"); /* a crash must not leave a file in the user's folder */
  proc_arg(c, root);
  proc_argf(c, "--crate-name=%.*s", STR_ARG(u->crate_name));
  proc_argf(c, "--edition=%.*s", STR_ARG(u->edition));
  /* Any other type makes rustc look for the rlibs of all dependencies. */
  proc_arg(c, "--crate-type=lib");
  for (size_t i = 0; i < u->cfgs.n; i++) {
    proc_argf(c, "--cfg=%.*s", STR_ARG(u->cfgs.p[i]));
  }
  if (u->test) {
    proc_arg(c, "--cfg=test");
  }
  proc_arg(c, "--cfg=mirdc_device");
  proc_arg(c, "--check-cfg=cfg(mirdc_device, test)"); /* Cargo declares `test` too */
  for (size_t i = 0; i < u->kept.n; i++) {
    proc_arg(c, u->kept.p[i]);
  }
  if (u->metadata.n > 0) {
    proc_argf(c, "-Cmetadata=%.*s", STR_ARG(u->metadata));
  }
  proc_argf(c, "-Coverflow-checks=%s", u->overflow_checks ? "on" : "off");
  proc_argf(c, "-Cdebug-assertions=%s", u->debug_assertions ? "on" : "off");
  command_paths(r, c);
}

/* Answers to questions have the usual form also for debuggers: what is made of them relies on it. */
static void device_flags(struct runs *r, struct proc_cmd *c, bool own_bodies) {
  const char *const *f = own_bodies ? runs_flags(r->arena, r->unit) : DEVICE_FLAGS;
  for (; *f != NULL; f++) {
    proc_arg(c, *f);
  }
  if (r->without_gvn) {
    proc_arg(c, "-Zmir-enable-passes=-GVN");
  }
  if (!own_bodies || !names_kept(r->unit)) {
    proc_arg(c, "-Zinline-mir-preserve-debug=no");
  }
  for (size_t i = 0; PRINT_FLAGS[i] != NULL; i++) {
    proc_arg(c, PRINT_FLAGS[i]);
  }
  proc_argf(c, "--remap-path-prefix=%s=%s", r->overlay.remap_from, r->overlay.remap_to);
}

static void quiet_flags(struct runs *r, struct proc_cmd *c, bool own_bodies) {
  device_flags(r, c, own_bodies);
  proc_arg(c, "--cap-lints=allow");
  proc_arg(c, "--color=never");
  proc_arg(c, "--error-format=short");
}

void runs_device_flags(struct runs *r, struct proc_cmd *c) {
  quiet_flags(r, c, false);
}

void runs_count(struct runs *r, const char *what) {
  r->n_runs++;
  vec_push(r->arena, &r->log, what);
}

bool runs_start(struct runs *r, struct proc_cmd *c, const char *what, struct proc_result *res) {
  struct timespec t0;
  struct timespec t1;
  *res = (struct proc_result){0};
  clock_gettime(CLOCK_MONOTONIC, &t0);
  bool ok = proc_run(r->sink, c, res);
  clock_gettime(CLOCK_MONOTONIC, &t1);
  runs_count(r, what);
  r->rustc_us += (uint64_t)((t1.tv_sec - t0.tv_sec) * 1000000 + (t1.tv_nsec - t0.tv_nsec) / 1000);
  return ok;
}

str runs_first_error(str err) {
  str rest = err;
  str line;
  while (str_next_line(&rest, &line)) {
    if (str_find(line, STR("error"), 0) != SIZE_MAX ||
        str_find(line, STR("panicked at"), 0) != SIZE_MAX) {
      return line;
    }
  }
  rest = err;
  return str_next_line(&rest, &line) ? line : STR("nothing");
}

bool runs_allowed(const struct runs *r) {
  return r->n_runs < RUNS_MAX;
}

static void user_lints(const struct unit *u, struct proc_cmd *c) {
  for (size_t i = 0; i < u->shown.n; i += 2) {
    if (u->shown.p[i + 1][0] != '\0') {
      proc_argf(c, "%s=%s", u->shown.p[i], u->shown.p[i + 1]);
    }
  }
}

static bool gives(const struct unit *u, const char *name) {
  for (size_t i = 0; i < u->shown.n; i += 2) {
    if (strcmp(u->shown.p[i], name) == 0) {
      return true;
    }
  }
  return false;
}

/* In the form that the user gave, else in the one that suits where they go. */
static void message_form(const struct runs *r, struct proc_cmd *c) {
  const char *no = getenv("NO_COLOR");
  if (gives(r->unit, "--error-format")) {
    return;
  }
  if (r->json) {
    proc_arg(c, "--error-format=json");
  } else if (!gives(r->unit, "--color")) {
    bool color = isatty(STDERR_FILENO) && (no == NULL || *no == '\0');
    proc_arg(c, color ? "--color=always" : "--color=never");
  }
}

static void show(const struct runs *r, str err) {
  bool lines = r->json && !gives(r->unit, "--error-format");
  FILE *to = lines ? stdout : stderr;
  (void)fwrite(err.p, 1, err.n, to);
  (void)fflush(to);
}

/* The ordinary run: original sources, the user's lints, messages for the user. */
static void check_command(struct runs *r, struct proc_cmd *c) {
  runs_command(r, c, r->unit->root);
  user_lints(r->unit, c);
  message_form(r, c);
  proc_arg(c, "--emit=metadata");
  proc_argf(c, "--out-dir=%s", r->work);
  c->inherit_out = true;
}

/* Do rustc's messages point into the source? Those about options do not. */
static bool has_place(str err) {
  return str_find(err, STR("--> "), 0) != SIZE_MAX ||
         str_find(err, STR("\"line_start\":"), 0) != SIZE_MAX;
}

bool runs_check(struct runs *r, int *status) {
  struct proc_cmd c;
  struct proc_result res;
  check_command(r, &c);
  bool ok = runs_start(r, &c, "ordinary", &res);
  *status = res.status;
  str err = sb_str(&res.err);
  if (ok && res.status != 0 && !runs_crashed(res.status) && !has_place(err)) {
    ok = runs_failure(r, MD0142, "rustc does not take its command line", err);
  } else if (ok) {
    show(r, err);
  }
  proc_result_free(&res);
  r->checked = true;
  return ok;
}

/* Reads a product of a run into the arena. */
bool runs_product(struct runs *r, const char *path, str *out) {
  struct bytes b = {0};
  int e = fs_try_read(path, (size_t)8 << 30, &b);
  if (e != 0 || b.n == 0) {
    diag_error(r->sink, MD0153, SPAN_NONE, "rustc reported success but did not write `%s`",
               path_base(str_from(path)).p);
    bytes_free(&b);
    return false;
  }
  *out = arena_str(r->arena, (str){(const char *)b.p, b.n});
  bytes_free(&b);
  return true;
}

bool runs_failure(struct runs *r, enum diag_code code, const char *what, str err) {
  struct diag *d = diag_error(r->sink, code, SPAN_NONE, "%s", what);
  diag_note(d, "rustc said: %.*s", STR_ARG(str_sub(runs_first_error(err), 0, 600)));
  return false;
}

bool runs_crashed(int status) {
  return status == 101 || status >= 128;
}

/* Warnings of a single file come with run A. Of a unit of Cargo they have been shown. */
static void bodies_messages(struct runs *r, struct proc_cmd *c) {
  if (!r->unit->single_file || r->checked) {
    quiet_flags(r, c, true);
    return;
  }
  device_flags(r, c, true);
  user_lints(r->unit, c);
  message_form(r, c);
}

static bool list_inputs(struct runs *r, const char *mir) {
  char *file = arena_strz(r->arena, arena_printf(r->arena, "%s.d", mir));
  return r->made_of == NULL ||
         inputs_read(r->sink, r->arena, r->unit, &r->overlay, file, r->made_of);
}

/* One try of run A; *status tells how rustc ended. */
static bool try_bodies(struct runs *r, const char *what, struct run_bodies *out, int *status, str *err) {
  struct proc_cmd c;
  struct proc_result res;
  char *mir = arena_strz(r->arena, arena_printf(r->arena, "%s/a%u.mir", r->work, r->n_runs));
  runs_command(r, &c, r->overlay.root);
  bodies_messages(r, &c);
  proc_argf(&c, "--emit=mir=%s", mir);
  if (r->made_of != NULL) {
    proc_argf(&c, "--emit=dep-info=%s.d", mir);
  }
  proc_argf(&c, "--out-dir=%s", r->work); /* temporary files too */
  proc_arg(&c, "-Zmir-include-spans=yes");
  proc_arg(&c, "-Zno-codegen");
  /* The inliner takes a function for recursive when its calls go deeper than this. */
  proc_arg(&c, "-Zcrate-attr=recursion_limit=\"4096\"");
  bool ok = runs_start(r, &c, what, &res);
  *status = res.status;
  *err = arena_str(r->arena, sb_str(&res.err));
  if (ok && res.status == 0) {
    ok = runs_product(r, mir, &out->mir);
    out->mir = overlay_original(r->arena, &r->overlay.shifts, out->mir);
    ok = ok && list_inputs(r, mir);
  }
  proc_result_free(&res);
  return ok;
}

/* Run A, again without GVN after a crash. */
static bool bodies_or_status(struct runs *r, const char *what, struct run_bodies *out, int *status, str *err) {
  if (!try_bodies(r, what, out, status, err)) {
    return false;
  }
  if (runs_crashed(*status) && !r->without_gvn) {
    r->without_gvn = true;
    return try_bodies(r, what, out, status, err);
  }
  return true;
}

bool runs_bodies(struct runs *r, struct run_bodies *out, bool *user_error) {
  bool quiet = !r->unit->single_file || r->checked;
  int status = 0;
  int plain = 0;
  str err = STR_NULL;
  *user_error = false;
  if (!runs_types_start(r, out) || !bodies_or_status(r, "bodies", out, &status, &err)) {
    return false;
  }
  if (status != 0 && !r->checked && !runs_check(r, &plain)) {
    return false;
  }
  if (plain != 0) {
    *user_error = true;
    return false;
  }
  if (status != 0 && !quiet && !runs_crashed(status) && has_place(err)) {
    show(r, err); /* lints that only code generation brings */
    *user_error = true;
    return false;
  }
  if (status != 0) {
    return runs_failure(r, MD0145, "rustc failed when asked for device code", err);
  }
  if (!quiet) {
    r->checked = true;
    show(r, err);
  }
  if (str_find(out->mir, STR("\n        drop("), 0) != SIZE_MAX) {
    debuginfo_load(out->debuginfo); /* for the bodies of the drop glue */
  }
  return true;
}

/* The copy for names. */
bool runs_publish(struct runs *r) {
  struct overlay_edits edits = {.openings = &r->openings, .publish = true};
  return r->published.dir || r->publish_failed || overlay_make_edited(r->sink, r->arena, r->unit, &edits, &r->published);
}

void runs_unpublish(struct runs *r) {
  overlay_remove(&r->published);
  r->publish_failed = true;
}

/* Run A of an edited copy; *mir stays empty when rustc does not take it. */
static bool try_edited(struct runs *r, const struct overlay_edits *edits, str *mir) {
  struct run_bodies bodies = {.mir = STR_NULL};
  struct overlay whole = r->overlay;
  struct overlay copy;
  int status = 0;
  str err = STR_NULL;
  *mir = STR_NULL;
  if (!overlay_make_edited(r->sink, r->arena, r->unit, edits, &copy)) {
    return false;
  }
  r->overlay = copy;
  bool ok = bodies_or_status(r, edits->openings ? "captures" : "literals", &bodies, &status, &err);
  r->overlay = whole;
  overlay_remove(&copy);
  *mir = ok && status == 0 ? bodies.mir : STR_NULL;
  return ok;
}

/* All later runs read a copy with these closures opened. */
static bool keep_open(struct runs *r, const overlay_openings *list) {
  struct overlay_edits edits = {.openings = list};
  struct overlay copy;
  if (!overlay_make_edited(r->sink, r->arena, r->unit, &edits, &copy)) {
    return false;
  }
  vec_push(r->arena, &r->replaced, r->overlay); /* the folder of products lies in it */
  r->overlay = copy;
  r->openings = *list;
  overlay_remove(&r->published);
  return true;
}

static bool may_reprint(struct runs *r, const struct overlay_edits *e) {
  if (runs_allowed(r)) {
    return true;
  }
  r->spent = true;
  if (e->openings) {
    vec_push(r->arena, &r->missing, STR("all captures of closures"));
  }
  if (e->strings) {
    vec_push(r->arena, &r->missing, STR("the bytes of constants that are literals"));
  }
  return false;
}

bool runs_reprint(struct runs *r, const overlay_openings *list, bool strings, str *mir, bool *with_strings) {
  struct overlay_edits edits = {.openings = list, .strings = strings};
  *mir = STR_NULL;
  *with_strings = strings;
  if (!may_reprint(r, &edits)) {
    return true;
  }
  if (!try_edited(r, &edits, mir)) {
    return false;
  }
  /* What a macro fills in may not compile in another place, such as a value that is dropped. */
  if (mir->n == 0 && strings && runs_allowed(r)) {
    edits.strings_only = !list;
    edits.strings = *with_strings = !list;
    if (!try_edited(r, &edits, mir)) {
      return false;
    }
  }
  return mir->n == 0 || !list || keep_open(r, list);
}
