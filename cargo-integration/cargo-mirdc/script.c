/* cargo mirdc build --build-script: called by the crate mirdc-build from a build.rs.
 *
 * Standard output is read by the outer cargo, so it gets directives only. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "cargo-integration/cargo-mirdc/build.h"
#include "cargo-integration/cargo-mirdc/depinfo.h"
#include "cargo-integration/cargo-mirdc/tools.h"

struct script {
  struct job *job;
  const char *out_dir, *manifest, *target, *package;
  char *bundle;     /* OUT_DIR/mirdc.bundle */
  struct map seen;  /* printed inputs */
  struct timespec newest;
};

static const char *need(struct job *j, const char *name) {
  const char *v = getenv(name);
  if (v == NULL || v[0] == '\0') {
    struct diag *d = diag_error(j->sink, MD0609, SPAN_NONE, "$%s is not set", name);
    diag_help(d, "call this from a build.rs through the crate `mirdc-build`");
    return NULL;
  }
  return v;
}

static bool is_on(const char *name) {
  const char *v = getenv(name);
  return v != NULL && v[0] != '\0' && strcmp(v, "0") != 0;
}

/* The editor's analysis runs build scripts too; it needs no device code and should not wait. */
static bool called_by_editor(void) {
  static const char *const NAMES[] = {"RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER"};
  for (size_t i = 0; i < COUNT_OF(NAMES); i++) {
    const char *v = getenv(NAMES[i]);
    if (v != NULL && str_starts(path_base(str_from(v)), STR("rust-analyzer"))) {
      return !is_on("MIRDC_FORCE");
    }
  }
  return false;
}

static void print_env(const struct script *sc) {
  static const char *const READ[] = {"MIRDC",       "MIRDC_DIR",  "MIRDC_ARCH", "MIRDC_SKIP",
                                     "MIRDC_FORCE", "MIRDC_CUDA", "CUDA_HOME",  "DOCS_RS"};
  for (size_t i = 0; i < COUNT_OF(READ); i++) {
    printf("cargo::rerun-if-env-changed=%s\n", READ[i]);
  }
  printf("cargo::rustc-env=MIRDC_BUNDLE=%s\n", sc->bundle);
}

static void print_input(struct script *sc, const char *path) {
  struct stat st;
  bool fresh = false;
  struct arena *a = sc->job->arena;
  /* A path that does not exist would make cargo run the script every time. */
  if (stat(path, &st) != 0 || strchr(path, '\n') != NULL) {
    return;
  }
  (void)map_put(&sc->seen, arena_str(a, str_from(path)), &fresh);
  if (!fresh) {
    return;
  }
  if (st.st_mtim.tv_sec > sc->newest.tv_sec ||
      (st.st_mtim.tv_sec == sc->newest.tv_sec && st.st_mtim.tv_nsec > sc->newest.tv_nsec)) {
    sc->newest = st.st_mtim;
  }
  printf("cargo::rerun-if-changed=%s\n", path);
}

static bool under(const char *path, const char *dir) {
  size_t n = strlen(dir);
  return n > 0 && strncmp(path, dir, n) == 0 && path[n] == '/';
}

/* Registry and git sources never change under the same path. */
static bool is_foreign(struct arena *a, const char *path) {
  const char *home = getenv("CARGO_HOME");
  const char *user = getenv("HOME");
  char *dir = home != NULL && home[0] != '\0' ? arena_strz(a, str_from(home))
                                              : path_join(a, user != NULL ? user : "/", ".cargo");
  return under(path, path_join(a, dir, "registry")) || under(path, path_join(a, dir, "git"));
}

static void print_sources(struct script *sc, const artifacts *list, const char *root) {
  struct arena *a = sc->job->arena;
  for (size_t i = 0; i < list->n; i++) {
    const struct artifact *r = &list->p[i];
    if (is_foreign(a, r->source)) {
      continue;
    }
    print_input(sc, r->source);
    struct depinfo d;
    if (r->output != NULL && depinfo_of_output(a, r->output, root, &d)) {
      for (size_t k = 0; k < d.sources.n; k++) {
        /* The empty bundle and other output of the nested build's own scripts. */
        if (!under(d.sources.p[k], sc->job->shared)) {
          print_input(sc, d.sources.p[k]);
        }
      }
      for (size_t k = 0; k < d.env.n; k++) {
        printf("cargo::rerun-if-env-changed=%s\n", d.env.p[k]);
      }
    }
  }
}

static void print_inputs(struct script *sc, const artifacts *list, const struct workspace *w) {
  static const char *const FILES[] = {"Cargo.toml", "Cargo.lock", "rust-toolchain.toml",
                                      "rust-toolchain"};
  static const char *const TOOLS[] = {"mirdc", "mirdc-rustc"};
  struct arena *a = sc->job->arena;
  print_sources(sc, list, w->root);
  print_input(sc, sc->manifest);
  for (size_t i = 0; i < COUNT_OF(FILES); i++) {
    print_input(sc, path_join(a, w->root, FILES[i]));
  }
  for (size_t i = 0; i < COUNT_OF(TOOLS); i++) {
    char *tool = tool_find(sc->job->sink, a, TOOLS[i]);
    if (tool != NULL) {
      print_input(sc, tool);
    }
  }
  print_input(sc, tool_self(a));
}

/* The output is an input of the script, so that a deleted one comes back; as old as the newest true
 * input, so that it does not make the script run again by itself. */
static void print_output(struct script *sc) {
  struct timespec times[2] = {sc->newest, sc->newest};
  if (sc->newest.tv_sec != 0) {
    (void)utimensat(AT_FDCWD, sc->bundle, times, 0);
  }
  printf("cargo::rerun-if-changed=%s\n", sc->bundle);
}

static bool write_bundle(struct script *sc, str data) {
  struct bytes old = {0};
  bool same = fs_try_read(sc->bundle, 0, &old) == 0 && str_eq((str){(char *)old.p, old.n}, data);
  bytes_free(&old);
  return same || fs_write_atomic(sc->job->sink, sc->bundle, data);
}

/* An empty file is what the including macro takes for "no device code in this build". */
static int skip(struct script *sc, const char *why) {
  if (!write_bundle(sc, STR(""))) {
    return EXIT_BUILD_FAILED;
  }
  print_env(sc);
  if (why != NULL) {
    printf("cargo::warning=device code is not compiled: %s\n", why);
    print_input(sc, sc->manifest);
  }
  return 0;
}

/* The profile's real name is a folder between Cargo's build folder and OUT_DIR; $PROFILE only
 * tells debug from release. */
static const char *script_profile(struct script *sc) {
  struct arena *a = sc->job->arena;
  char *above = build_dir_above(a, sc->out_dir, sc->target);
  if (above == NULL) {
    return "dev";
  }
  str rest = str_drop(str_from(sc->out_dir), strlen(above) + 1);
  str first = str_sub(rest, 0, str_find_char(rest, '/', 0));
  if (str_eqz(first, sc->target)) {
    rest = str_drop(rest, first.n + 1);
    first = str_sub(rest, 0, str_find_char(rest, '/', 0));
  }
  return str_eqz(first, "debug") ? "dev" : arena_strz(a, first);
}

static void add(struct arena *a, words *w, const char *word) {
  vec_push(a, w, arena_strz(a, str_from(word)));
}

static void script_args(struct script *sc, struct nested *n, const struct package *p) {
  struct arena *a = sc->job->arena;
  const struct options *o = sc->job->options;
  const char *features = getenv("CARGO_CFG_FEATURE");
  add(a, &n->args, arena_printf(a, "--manifest-path=%s", sc->manifest).p);
  add(a, &n->args, arena_printf(a, "--target=%s", sc->target).p);
  add(a, &n->args, "--no-default-features");
  add(a, &n->args, arena_printf(a, "--features=%s", features != NULL ? features : "").p);
  add(a, &n->args, "--offline");
  add(a, &n->args, "--locked");
  for (size_t i = 0; i < o->cargo.n; i++) {
    add(a, &n->args, o->cargo.p[i]);
  }
  if (!targets_are_named(o)) {
    add(a, &n->args, p->has_lib ? "--lib" : "--bins");
  }
  add(a, &n->unset, "OUT_DIR");
  add(a, &n->unset, "CARGO_BUILD_TARGET");
  n->verbose = sc->job->verbose;
}

/* Compiles the targets and joins their bundles in OUT_DIR. */
static bool compile_all(struct script *sc, const struct nested *n, const artifacts *list,
                        const struct package *p) {
  struct job *j = sc->job;
  struct strbuf all = {0};
  size_t with_kernels = 0;
  bool ok = true;
  for (size_t i = 0; ok && i < list->n; i++) {
    struct artifact r = list->p[i];
    bool found = false;
    bool lib_only = !targets_are_named(j->options) && p->has_lib;
    if (r.kind == NULL || !str_eq(r.package_id, p->id) || r.test_build ||
        (lib_only && strcmp(r.kind, "lib") != 0) ||
        !target_selected(j->options, str_from(r.kind), r.name)) {
      continue;
    }
    r.package = p->name;
    ok = build_artifact(j, n, &r, &found);
    if (ok && found) {
      struct bytes b = {0};
      const char *root = option_value(j->options, OPT_OUT_DIR, j->shared);
      ok = fs_read(j->sink, build_bundle_path(j->arena, root, &r, j->profile), 0, &b);
      sb_add(&all, (str){(char *)b.p, b.n});
      bytes_free(&b);
      with_kernels++;
    }
  }
  if (ok && with_kernels == 0) {
    diag_error(j->sink, MD0606, SPAN_NONE, "no kernels in package `%.*s`", STR_ARG(p->name));
    ok = false;
  }
  ok = ok && write_bundle(sc, sb_str(&all));
  sb_free(&all);
  return ok;
}

static struct package *own_package(struct script *sc, struct workspace *w) {
  for (size_t i = 0; i < w->packages.n; i++) {
    if (fs_same_file(w->packages.p[i].manifest, sc->manifest)) {
      return &w->packages.p[i];
    }
  }
  struct diag *d = diag_error(sc->job->sink, MD0611, SPAN_NONE,
                              "package `%s` is not a member of a workspace of its own", sc->package);
  diag_help(d, "compile it with `cargo mirdc build` in its own checkout");
  return NULL;
}

static int run(struct script *sc) {
  struct job *j = sc->job;
  struct workspace w;
  struct nested n;
  artifacts list = {0};
  int status = 0;
  struct options meta = {0};
  add(j->arena, &meta.metadata, arena_printf(j->arena, "--manifest-path=%s", sc->manifest).p);
  add(j->arena, &meta.metadata, "--offline");
  if (is_foreign(j->arena, sc->manifest)) {
    diag_error(j->sink, MD0611, SPAN_NONE, "package `%s` lies in Cargo's own folder", sc->package);
    return EXIT_BUILD_FAILED;
  }
  if (!workspace_load(j->sink, j->arena, &meta, &w)) {
    return EXIT_BUILD_FAILED;
  }
  struct package *p = own_package(sc, &w);
  if (p == NULL) {
    return EXIT_BUILD_FAILED;
  }
  nested_init(&n, j->arena, j->shared, j->profile);
  script_args(sc, &n, p);
  if (!build_record(j, &n, &list, &status)) {
    return EXIT_BUILD_FAILED;
  }
  if (status != 0) {
    /* The outer cargo shows the same errors once more when it compiles the crate itself. */
    return status;
  }
  if (!compile_all(sc, &n, &list, p)) {
    return EXIT_BUILD_FAILED;
  }
  print_env(sc);
  print_inputs(sc, &list, &w);
  print_output(sc);
  return 0;
}

static bool script_init(struct job *j, struct script *sc) {
  sc->job = j;
  sc->out_dir = need(j, "OUT_DIR");
  sc->target = need(j, "TARGET");
  sc->package = need(j, "CARGO_PKG_NAME");
  const char *dir = need(j, "CARGO_MANIFEST_DIR");
  if (sc->out_dir == NULL || sc->target == NULL || sc->package == NULL || dir == NULL) {
    return false;
  }
  sc->manifest = path_join(j->arena, dir, "Cargo.toml");
  sc->bundle = path_join(j->arena, sc->out_dir, "mirdc.bundle");
  return true;
}

static int dispatch(struct job *j, struct script *sc) {
  if (is_on(INNER_ENV)) {
    return skip(sc, NULL);
  }
  if (is_on("MIRDC_SKIP") || is_on("DOCS_RS") || called_by_editor()) {
    return skip(sc, is_on("MIRDC_SKIP") ? "MIRDC_SKIP is set"
                                        : "documentation or an editor's analysis is being made");
  }
  j->shared = shared_dir_of_script(j->sink, j->arena, j->options, sc->out_dir, sc->target);
  if (j->shared == NULL) {
    return EXIT_BUILD_FAILED;
  }
  j->profile = script_profile(sc);
  return run(sc);
}

int sub_build_script(struct job *j) {
  j->bundles = true;
  struct script sc = {0};
  int rc = script_init(j, &sc) ? dispatch(j, &sc) : EXIT_BUILD_FAILED;
  map_free(&sc.seen);
  return rc;
}
