/* cargo mirdc build and check. */
#include "cargo-integration/cargo-mirdc/build.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "cargo-integration/cargo-mirdc/fresh.h"
#include "cargo-integration/cargo-mirdc/recorded.h"
#include "cargo-integration/cargo-mirdc/tools.h"

/* Shows what a program said, and remembers it: it holds as long as the result does. */
static void pass_on(struct fresh *f, const struct proc_result *r) {
  (void)fwrite(sb_z(&r->out), 1, r->out.n, stdout);
  (void)fflush(stdout);
  (void)fwrite(sb_z(&r->err), 1, r->err.n, stderr);
  sb_add(&f->out, sb_str(&r->out));
  sb_add(&f->err, sb_str(&r->err));
}

static bool run_tool(struct job *j, struct fresh *f, struct proc_cmd *c, int *status) {
  struct proc_result r;
  if (j->verbose) {
    tool_show(c);
  }
  if (!proc_run(j->sink, c, &r)) {
    return false;
  }
  *status = r.status;
  pass_on(f, &r);
  proc_result_free(&r);
  return true;
}

/* Runs the pass. A unit without kernels is none of its errors here: cargo mirdc looks at several
 * targets and minds only when none of them has one. */
static bool run_pass(struct job *j, struct fresh *f, struct proc_cmd *c, bool *found) {
  struct proc_result r;
  if (j->verbose) {
    tool_show(c);
  }
  if (!proc_run(j->sink, c, &r)) {
    return false;
  }
  const str none = STR("MD0170");
  bool without = r.status == 1 && (str_find(sb_str(&r.err), none, 0) != SIZE_MAX ||
                                   str_find(sb_str(&r.out), none, 0) != SIZE_MAX);
  bool ok = r.status == 0 || without;
  if (!without) {
    pass_on(f, &r);
  }
  *found = r.status == 0;
  proc_result_free(&r);
  return ok;
}

/* rustc's messages are for people here, not for cargo, unless JSON is asked for. */
static void add_command(struct job *j, const struct recorded *rec, struct proc_cmd *c) {
  for (size_t i = 0; i < rec->argv.n; i++) {
    str w = str_from(rec->argv.p[i]);
    bool two = str_eqz(w, "--error-format") || str_eqz(w, "--json") || str_eqz(w, "--color");
    bool about = two || str_starts(w, STR("--error-format=")) || str_starts(w, STR("--json=")) ||
                 str_starts(w, STR("--color="));
    if (!about || j->json) {
      proc_arg(c, rec->argv.p[i]);
    } else if (two) {
      i++;
    }
  }
  if (!j->json) {
    proc_arg(c, j->color ? "--color=always" : "--color=never");
  }
}

/* The pass on the recorded command, in the folder and environment that Cargo gave it. */
static bool make_dump(struct job *j, struct fresh *f, const struct nested *n,
                      const struct recorded *rec, const char *dump, bool *found) {
  char *pass = tool_find(j->sink, j->arena, "mirdc-rustc");
  if (pass == NULL) {
    return false;
  }
  struct proc_cmd c;
  proc_init(&c, j->arena, pass);
  proc_arg(&c, "--out");
  proc_arg(&c, dump);
  proc_arg(&c, "--records");
  proc_arg(&c, n->records);
  proc_arg(&c, "--depends");
  proc_arg(&c, f->pass_list);
  if (option_given(j->options, OPT_DEBUG)) {
    proc_arg(&c, "--debug");
  }
  proc_arg(&c, j->json ? "--message-format=json" : "--message-format=human");
  proc_arg(&c, j->color ? "--color=always" : "--color=never");
  proc_arg(&c, "--");
  add_command(j, rec, &c);
  for (size_t i = 0; i < rec->env.n; i++) {
    vec_push(j->arena, &c.env, rec->env.p[i]);
  }
  c.cwd = rec->cwd;
  return run_pass(j, f, &c, found);
}

/* How many kernels the dump lists. */
static bool count_kernels(struct job *j, const char *dump, size_t *out) {
  static const char *const SPLIT[] = {"kernels", NULL};
  struct bytes b = {0};
  struct json_outline o;
  if (!fs_read(j->sink, dump, 0, &b)) {
    return false;
  }
  struct json_text t = {{(const char *)b.p, b.n}, str_from(dump), j->sink, MD0607, MD0607};
  bool ok = json_scan(&t, j->arena, SPLIT, &o);
  if (ok) {
    const struct json_member *m = json_member(&o, STR("kernels"));
    *out = m != NULL ? m->n_elems : 0;
  }
  bytes_free(&b);
  return ok;
}

static void driver_unit(struct job *j, const struct artifact *r, struct proc_cmd *c) {
  proc_argf(c, "--package=%.*s", STR_ARG(r->package));
  proc_argf(c, "--kind=%s", r->kind);
  proc_argf(c, "--target-name=%.*s", STR_ARG(r->name));
  proc_argf(c, "--profile=%s", j->profile);
  proc_argf(c, "--out-dir=%s", option_value(j->options, OPT_OUT_DIR, j->shared));
}

/* A package's own providers, behind those that the user names. */
static void add_providers(struct job *j, const struct recorded *rec, struct proc_cmd *c) {
  const char *package = recorded_env(rec, "CARGO_MANIFEST_DIR");
  char *dir = package ? path_join(j->arena, package, "providers") : NULL;
  if (dir && fs_is_dir(dir))
    proc_argf(c, "--provider-path=%s", dir);
}

static bool run_driver(struct job *j, struct fresh *f, const struct artifact *r,
                       const struct recorded *rec, const char *dump) {
  char *driver = tool_find(j->sink, j->arena, "mirdc");
  if (driver == NULL) {
    return false;
  }
  struct proc_cmd c;
  int status = 0;
  proc_init(&c, j->arena, driver);
  proc_arg(&c, j->check ? "check" : "compile");
  proc_arg(&c, dump);
  proc_argf(&c, "--source-root=%s", rec->cwd);
  proc_argf(&c, "--depends=%s", f->driver_list);
  if (!j->check) {
    driver_unit(j, r, &c);
  }
  for (size_t i = 0; i < j->options->driver.n; i++) {
    proc_arg(&c, j->options->driver.p[i]);
  }
  add_providers(j, rec, &c);
  proc_argf(&c, "--message-format=%s", j->json ? "json" : "human");
  proc_argf(&c, "--color=%s", j->color ? "always" : "never");
  if (j->quiet) {
    proc_arg(&c, "--quiet");
  }
  for (size_t i = 0; i < j->options->rest.n; i++) {
    proc_arg(&c, j->options->rest.p[i]);
  }
  return run_tool(j, f, &c, &status) && status == 0;
}

static bool asks_for_artifacts(const words *list) {
  for (size_t i = 0; i < list->n; i++) {
    str word = str_from(list->p[i]);
    if (str_starts(word, STR("--emit"))) {
      return true;
    }
  }
  return false;
}

/* A dump without kernels holds functions for other device code, which need no bundle. */
static bool wants_exports(const struct job *j) {
  return !j->bundles && !asks_for_artifacts(&j->options->driver) &&
         !asks_for_artifacts(&j->options->rest);
}

static bool compile_record(struct job *j, struct fresh *f, const struct nested *n,
                           const struct artifact *r, const struct recorded *rec, const char *dir,
                           bool *found) {
  /* The name that messages show is that of the target. */
  char *dump =
      path_join(j->arena, dir, arena_strz(j->arena, arena_printf(j->arena, "%.*s.pmir.json",
                                                                 STR_ARG(r->name))));
  size_t kernels = 0;
  fresh_begin(f, j, dir);
  if (!make_dump(j, f, n, rec, dump, found)) {
    return false;
  }
  if (!*found) {
    return true;
  }
  if (!count_kernels(j, dump, &kernels)) {
    return false;
  }
  *found = kernels > 0 || wants_exports(j);
  return !*found || run_driver(j, f, r, rec, dump);
}

static bool compile_anew(struct job *j, struct fresh *f, const struct nested *n,
                         const struct artifact *r, const struct recorded *rec, bool *found) {
  char *dir = fs_temp_dir(j->sink, j->arena);
  if (dir == NULL) {
    return false;
  }
  bool ok = compile_record(j, f, n, r, rec, dir, found);
  if (ok) {
    fresh_keep(f, j, *found);
  }
  return fs_remove_tree(j->sink, dir) && ok;
}

bool build_artifact(struct job *j, const struct nested *n, const struct artifact *r, bool *found) {
  struct recorded rec;
  *found = false;
  if (!recorded_read(j->sink, j->arena, r->record, &rec)) {
    return false;
  }
  if (!recorded_uses_device_crate(&rec)) {
    return true;
  }
  struct fresh f;
  fresh_open(&f, j, n, r, &rec);
  bool ok = fresh_holds(&f, j, found);
  if (!j->quiet && (!ok || j->verbose)) {
    const char *verb = ok ? "Fresh" : j->check ? "Checking" : "Device";
    tool_status(j->color, verb, "%.*s (%s %.*s)", STR_ARG(r->package), r->kind, STR_ARG(r->name));
  }
  ok = ok || compile_anew(j, &f, n, r, &rec, found);
  fresh_free(&f);
  return ok;
}

const char *build_profile_dir(const char *profile) {
  if (strcmp(profile, "dev") == 0 || strcmp(profile, "test") == 0) {
    return "debug";
  }
  return strcmp(profile, "bench") == 0 ? "release" : profile;
}

char *build_bundle_path(struct arena *a, const char *root, const struct artifact *r,
                        const char *profile) {
  return arena_strz(a, arena_printf(a, "%s/%s/%.*s.%s.%.*s.mirdc", root, build_profile_dir(profile),
                                    STR_ARG(r->package), r->kind, STR_ARG(r->name)));
}

/* Before cargo runs for long: the nested build would fail at each unit without them. */
static bool tools_are_there(struct job *j) {
  return tool_find(j->sink, j->arena, "mirdc") != NULL &&
         tool_find(j->sink, j->arena, "mirdc-rustc") != NULL;
}

bool build_record(struct job *j, const struct nested *n, artifacts *list, int *status) {
  if (!tools_are_there(j)) {
    return false;
  }
  for (int attempt = 0; attempt < 2; attempt++) {
    if (!nested_run(j->sink, j->arena, n, list, status)) {
      return false;
    }
    if (*status != 0 || nested_find_records(j->arena, n, list)) {
      return true;
    }
    /* A unit that is fresh is not compiled, so a lost record comes back only by starting over. */
    if (attempt == 0 && !fs_remove_tree(j->sink, n->dir)) {
      return false;
    }
  }
  for (size_t i = 0; i < list->n; i++) {
    if (list->p[i].kind != NULL && list->p[i].record == NULL) {
      diag_error(j->sink, MD0607, SPAN_NONE, "no rustc command was recorded for `%.*s` (%s)",
                 STR_ARG(list->p[i].name), list->p[i].kind);
    }
  }
  return false;
}

/* Keeps what was asked for: cargo also reports the dependencies of the workspace. */
static void select_artifacts(const struct job *j, const struct workspace *w, artifacts *list) {
  size_t n = 0;
  for (size_t i = 0; i < list->n; i++) {
    struct artifact r = list->p[i];
    for (size_t k = 0; k < w->packages.n; k++) {
      const struct package *p = &w->packages.p[k];
      if (r.kind != NULL && p->selected && str_eq(p->id, r.package_id) && !r.test_build &&
          target_selected(j->options, str_from(r.kind), r.name)) {
        r.package = p->name;
        list->p[n++] = r;
        break;
      }
    }
  }
  list->n = n;
}

static bool build_all(struct job *j, const struct nested *n, const artifacts *list) {
  size_t with_kernels = 0;
  for (size_t i = 0; i < list->n; i++) {
    bool found = false;
    if (!build_artifact(j, n, &list->p[i], &found)) {
      return false;
    }
    with_kernels += found;
  }
  if (with_kernels == 0) {
    struct diag *d = diag_error(j->sink, MD0606, SPAN_NONE, "no kernels in what was selected");
    for (size_t i = 0; i < list->n; i++) {
      diag_note(d, "looked at: %.*s (%s %.*s)", STR_ARG(list->p[i].package), list->p[i].kind,
                STR_ARG(list->p[i].name));
    }
    diag_help(d, "mark a function with `#[mirdc::kernel]`, or choose other targets, for example with "
                 "`--example NAME`");
    return false;
  }
  return true;
}

static void nested_args(struct job *j, struct nested *n) {
  const struct options *o = j->options;
  for (size_t i = 0; i < o->cargo.n; i++) {
    vec_push(j->arena, &n->args, o->cargo.p[i]);
  }
  for (size_t i = 0; i < o->values[OPT_UNSTABLE].n; i++) {
    vec_push(j->arena, &n->args,
             arena_strz(j->arena, arena_printf(j->arena, "-Z%s", o->values[OPT_UNSTABLE].p[i])));
  }
  if (j->quiet) {
    vec_push(j->arena, &n->args, arena_strz(j->arena, STR("--quiet")));
  }
  vec_push(j->arena, &n->args,
           arena_strz(j->arena, j->color ? STR("--color=always") : STR("--color=never")));
  if (o->values[OPT_VERBOSE].n > 1) {
    vec_push(j->arena, &n->args, arena_strz(j->arena, STR("--verbose")));
  }
  n->verbose = j->verbose;
  n->json = j->json;
}

int sub_build(struct job *j) {
  struct workspace w;
  struct nested n;
  artifacts list = {0};
  int status = 0;
  if (!workspace_load(j->sink, j->arena, j->options, &w) ||
      !workspace_select(j->sink, j->options, &w,
                        current_manifest(j->sink, j->arena, j->options))) {
    return EXIT_BUILD_FAILED;
  }
  j->shared = shared_dir(j->sink, j->arena, j->options, &w);
  if (j->shared == NULL) {
    return EXIT_BUILD_FAILED;
  }
  nested_init(&n, j->arena, j->shared, j->profile);
  nested_args(j, &n);
  if (!build_record(j, &n, &list, &status)) {
    return EXIT_BUILD_FAILED;
  }
  if (status != 0) {
    return status;
  }
  select_artifacts(j, &w, &list);
  if (!build_all(j, &n, &list)) {
    return EXIT_BUILD_FAILED;
  }
  if (!j->quiet) {
    tool_status(j->color, "Finished", "device code, %s profile, in %s", j->profile,
                option_value(j->options, OPT_OUT_DIR, j->shared));
  }
  return 0;
}
