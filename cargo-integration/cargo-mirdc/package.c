/* cargo metadata, selection of packages and targets, the shared folder. */
#include "cargo-integration/cargo-mirdc/package.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"

const char *cargo_program(void) {
  const char *c = getenv("CARGO");
  return c != NULL && c[0] != '\0' ? c : "cargo";
}

static bool read_targets(const struct json_at *package, struct package *p) {
  struct json_at targets;
  struct json_at e;
  p->has_lib = false;
  if (!json_get(package, "targets", &targets)) {
    return false;
  }
  JSON_EACH(&targets, e) {
    struct json_at kinds;
    struct json_at kind;
    str k;
    if (!json_get(&e, "kind", &kinds) || !json_elem(&kinds, 0, &kind) || !json_str(&kind, &k)) {
      return false;
    }
    const char *mine = target_kind(k);
    p->has_lib |= mine != NULL && strcmp(mine, "lib") == 0;
  }
  return true;
}

static bool read_package(struct arena *a, const struct json_at *at, struct package *p) {
  struct json_at name;
  struct json_at version;
  struct json_at id;
  struct json_at manifest;
  str m;
  if (!json_get(at, "name", &name) || !json_str(&name, &p->name) ||
      !json_get(at, "version", &version) || !json_str(&version, &p->version) ||
      !json_get(at, "id", &id) || !json_str(&id, &p->id) ||
      !json_get(at, "manifest_path", &manifest) || !json_str(&manifest, &m)) {
    return false;
  }
  p->name = arena_str(a, p->name);
  p->version = arena_str(a, p->version);
  p->id = arena_str(a, p->id);
  p->manifest = arena_strz(a, m);
  p->selected = false;
  return read_targets(at, p);
}

static bool read_dir(struct arena *a, const struct json_at *root, const char *key, bool required,
                     char **out) {
  struct json_at at;
  str v;
  *out = NULL;
  if (!(required ? json_get(root, key, &at) : json_opt(root, key, &at))) {
    return false;
  }
  if (at.node == NULL) {
    return true;
  }
  if (!json_str(&at, &v)) {
    return false;
  }
  *out = arena_strz(a, v);
  return true;
}

/* Members that a command without -p is about when the current folder is no package. */
static bool read_defaults(const struct json_at *root, struct workspace *w) {
  struct json_at list;
  struct json_at e;
  if (!json_opt(root, "workspace_default_members", &list) ||
      (list.node == NULL && !json_get(root, "workspace_members", &list))) {
    return false;
  }
  JSON_EACH(&list, e) {
    str id;
    if (!json_str(&e, &id)) {
      return false;
    }
    for (size_t i = 0; i < w->packages.n; i++) {
      w->packages.p[i].selected |= str_eq(w->packages.p[i].id, id);
    }
  }
  return true;
}

bool workspace_parse(struct diag_sink *s, struct arena *a, str text, struct workspace *out) {
  *out = (struct workspace){0};
  struct json_text t = {text, STR("cargo metadata"), s, MD0604, MD0604};
  struct json_doc *doc = NULL;
  if (!json_parse_all(&t, a, &doc)) {
    return false;
  }
  struct json_at root = json_root(doc);
  struct json_at packages;
  struct json_at e;
  if (!json_get(&root, "packages", &packages)) {
    return false;
  }
  JSON_EACH(&packages, e) {
    struct package p;
    if (!read_package(a, &e, &p)) {
      return false;
    }
    vec_push(a, &out->packages, p);
  }
  if (!read_defaults(&root, out) || !read_dir(a, &root, "workspace_root", true, &out->root) ||
      !read_dir(a, &root, "target_directory", true, &out->target_dir) ||
      !read_dir(a, &root, "build_directory", false, &out->build_dir)) {
    return false;
  }
  if (out->build_dir == NULL) {
    out->build_dir = out->target_dir;
  }
  return true;
}

static void add_all(struct proc_cmd *c, const words *w) {
  for (size_t i = 0; i < w->n; i++) {
    proc_arg(c, w->p[i]);
  }
}

bool workspace_load(struct diag_sink *s, struct arena *a, const struct options *o,
                    struct workspace *out) {
  struct proc_cmd c;
  struct proc_result r;
  proc_init(&c, a, cargo_program());
  proc_arg(&c, "metadata");
  proc_arg(&c, "--format-version=1");
  proc_arg(&c, "--no-deps");
  add_all(&c, &o->metadata);
  c.inherit_err = true;
  if (!proc_run(s, &c, &r)) {
    return false;
  }
  bool ok = r.status == 0;
  if (ok) {
    ok = workspace_parse(s, a, arena_str(a, sb_str(&r.out)), out);
  } else {
    diag_error(s, MD0604, SPAN_NONE, "`cargo metadata` failed (status %d)", r.status);
  }
  proc_result_free(&r);
  return ok;
}

char *current_manifest(struct diag_sink *s, struct arena *a, const struct options *o) {
  const char *given = option_value(o, OPT_MANIFEST, NULL);
  if (given != NULL) {
    return path_real(a, given);
  }
  struct proc_cmd c;
  struct proc_result r;
  char *found = NULL;
  proc_init(&c, a, cargo_program());
  proc_arg(&c, "locate-project");
  proc_arg(&c, "--message-format=plain");
  if (proc_run(s, &c, &r)) {
    str path = str_trim(sb_str(&r.out));
    if (r.status == 0 && path.n > 0) {
      found = path_real(a, arena_strz(a, path));
    }
    proc_result_free(&r);
  }
  return found;
}

/* "name", "name@1.2.3", or the whole id. */
static bool names_package(const char *spec, const struct package *p) {
  str s = str_from(spec);
  size_t at = str_find_char(s, '@', 0);
  if (str_eq(s, p->name) || str_eq(s, p->id)) {
    return true;
  }
  return at != SIZE_MAX && str_eq(str_sub(s, 0, at), p->name) &&
         str_eq(str_drop(s, at + 1), p->version);
}

static bool mark_named(struct diag_sink *s, struct workspace *w, const words *specs, bool value) {
  for (size_t i = 0; i < specs->n; i++) {
    bool found = false;
    for (size_t k = 0; k < w->packages.n; k++) {
      if (names_package(specs->p[i], &w->packages.p[k])) {
        w->packages.p[k].selected = value;
        found = true;
      }
    }
    if (!found) {
      struct diag *d = diag_error(s, MD0605, SPAN_NONE,
                                  "package `%s` is not a member of the workspace", specs->p[i]);
      for (size_t k = 0; k < w->packages.n; k++) {
        diag_note(d, "member: `%.*s`", STR_ARG(w->packages.p[k].name));
      }
      return false;
    }
  }
  return true;
}

static void mark_all(struct workspace *w, bool value) {
  for (size_t i = 0; i < w->packages.n; i++) {
    w->packages.p[i].selected = value;
  }
}

bool workspace_select(struct diag_sink *s, const struct options *o, struct workspace *w,
                      const char *manifest) {
  if (option_given(o, OPT_PACKAGE)) {
    mark_all(w, false);
    return mark_named(s, w, &o->values[OPT_PACKAGE], true);
  }
  if (option_given(o, OPT_WORKSPACE)) {
    mark_all(w, true);
    return mark_named(s, w, &o->values[OPT_EXCLUDE], false);
  }
  for (size_t i = 0; manifest != NULL && i < w->packages.n; i++) {
    if (fs_same_file(manifest, w->packages.p[i].manifest)) {
      mark_all(w, false);
      w->packages.p[i].selected = true;
      return true;
    }
  }
  for (size_t i = 0; i < w->packages.n; i++) {
    if (w->packages.p[i].selected) {
      return true;
    }
  }
  diag_error(s, MD0605, SPAN_NONE, "there is no package here");
  return false;
}

static bool named(const struct options *o, enum opt one, str name) {
  for (size_t i = 0; i < o->values[one].n; i++) {
    if (str_eqz(name, o->values[one].p[i])) {
      return true;
    }
  }
  return false;
}

struct selector {
  const char *kind;
  enum opt all, one;
};
static const struct selector SELECTORS[] = {
    {"lib", OPT_LIB, OPT_LIB},       {"bin", OPT_BINS, OPT_BIN},     {"example", OPT_EXAMPLES, OPT_EXAMPLE},
    {"test", OPT_TESTS, OPT_TEST},   {"bench", OPT_BENCHES, OPT_BENCH},
};

bool targets_are_named(const struct options *o) {
  for (size_t i = 0; i < COUNT_OF(SELECTORS); i++) {
    if (option_given(o, SELECTORS[i].all) || option_given(o, SELECTORS[i].one)) {
      return true;
    }
  }
  return option_given(o, OPT_ALL_TARGETS);
}

bool target_selected(const struct options *o, str kind, str name) {
  if (option_given(o, OPT_ALL_TARGETS)) {
    return true;
  }
  if (!targets_are_named(o)) {
    return str_eqz(kind, "lib") || str_eqz(kind, "bin");
  }
  for (size_t i = 0; i < COUNT_OF(SELECTORS); i++) {
    const struct selector *r = &SELECTORS[i];
    if (str_eqz(kind, r->kind)) {
      return option_given(o, r->all) || named(o, r->one, name);
    }
  }
  return false;
}

const char *target_kind(str k) {
  static const char *const LIBS[] = {"lib", "rlib", "dylib", "cdylib", "staticlib"};
  static const char *const OTHERS[] = {"bin", "test", "example", "bench"};
  for (size_t i = 0; i < COUNT_OF(LIBS); i++) {
    if (str_eqz(k, LIBS[i])) {
      return "lib";
    }
  }
  for (size_t i = 0; i < COUNT_OF(OTHERS); i++) {
    if (str_eqz(k, OTHERS[i])) {
      return OTHERS[i];
    }
  }
  return NULL;
}

/* --mirdc-dir or $MIRDC_DIR; *bad when what was given cannot be used. */
static char *given_dir(struct diag_sink *s, struct arena *a, const struct options *o, bool *bad) {
  const char *dir = option_value(o, OPT_MIRDC_DIR, NULL);
  if (dir == NULL) {
    dir = getenv("MIRDC_DIR");
    if (dir == NULL || dir[0] == '\0') {
      return NULL;
    }
    if (dir[0] != '/') {
      struct diag *d = diag_error(s, MD0608, SPAN_NONE, "$MIRDC_DIR is not absolute: `%s`", dir);
      diag_help(d, "in .cargo/config.toml: [env] MIRDC_DIR = { value = \"target/mirdc\", relative = true }");
      *bad = true;
      return NULL;
    }
  }
  return arena_strz(a, str_from(dir));
}

/* Nested processes are started in other folders, so the path must not be relative. */
static char *absolute(struct arena *a, char *dir) {
  if (dir == NULL || dir[0] == '/') {
    return dir;
  }
  char *cwd = getcwd(NULL, 0);
  char *full = path_join(a, cwd != NULL ? cwd : "/", dir);
  free(cwd);
  return full;
}

char *shared_dir(struct diag_sink *s, struct arena *a, const struct options *o,
                 const struct workspace *w) {
  bool bad = false;
  char *dir = given_dir(s, a, o, &bad);
  if (dir == NULL && !bad) {
    dir = path_join(a, option_value(o, OPT_TARGET_DIR, w->build_dir), "mirdc");
  }
  return absolute(a, dir);
}

static bool has_file(struct arena *a, str dir, const char *name) {
  return fs_exists(path_join(a, arena_strz(a, dir), name));
}

/* Cargo's build folder, in each of its layouts, holds .rustc_info.json; but the first build writes
 * that only when it ends, and then CACHEDIR.TAG tells. With --target the folder of the target has
 * such a tag as well. */
char *build_dir_above(struct arena *a, const char *out_dir, const char *target) {
  for (str at = str_from(out_dir); at.n > 1; at = path_dir(at)) {
    if (has_file(a, at, ".rustc_info.json")) {
      return arena_strz(a, at);
    }
    if (has_file(a, at, "CACHEDIR.TAG")) {
      str up = path_dir(at);
      bool of_target = str_eqz(path_base(at), target) && has_file(a, up, "CACHEDIR.TAG");
      return arena_strz(a, of_target ? up : at);
    }
    if (str_find_char(at, '/', 0) == SIZE_MAX) {
      break;
    }
  }
  return NULL;
}

char *shared_dir_of_script(struct diag_sink *s, struct arena *a, const struct options *o,
                           const char *out_dir, const char *target) {
  bool bad = false;
  char *dir = given_dir(s, a, o, &bad);
  if (dir != NULL || bad) {
    return absolute(a, dir);
  }
  char *above = build_dir_above(a, out_dir, target);
  if (above == NULL) {
    diag_error(s, MD0608, SPAN_NONE, "no folder above `%s` looks like Cargo's build folder", out_dir);
    return NULL;
  }
  return path_join(a, above, "mirdc");
}
