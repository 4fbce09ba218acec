/* cargo mirdc read, clean, doctor. */
#include "cargo-integration/cargo-mirdc/small.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cargo-integration/cargo-mirdc/tools.h"

static bool open_workspace(struct job *j, struct workspace *w) {
  if (!workspace_load(j->sink, j->arena, j->options, w) ||
      !workspace_select(j->sink, j->options, w,
                        current_manifest(j->sink, j->arena, j->options))) {
    return false;
  }
  j->shared = shared_dir(j->sink, j->arena, j->options, w);
  return j->shared != NULL;
}

/* "PACKAGE." as artifact names begin. */
static bool of_package(str file, const struct package *p) {
  return file.n > p->name.n && str_starts(file, p->name) && file.p[p->name.n] == '.';
}

static bool wanted_bundle(const struct job *j, str file, const struct package *p) {
  if (!of_package(file, p) || !str_ends(file, STR(".mirdc"))) {
    return false;
  }
  if (!targets_are_named(j->options)) {
    return true;
  }
  str rest = str_drop(file, p->name.n + 1);
  size_t dot = str_find_char(rest, '.', 0);
  str kind = str_sub(rest, 0, dot);
  str name = str_drop(rest, dot == SIZE_MAX ? rest.n : dot + 1);
  name = str_sub(name, 0, str_find_char(name, '.', 0));
  return target_selected(j->options, kind, name);
}

/* Adds the bundles of the selected packages to the reader's command line. */
static size_t add_bundles(struct job *j, const struct workspace *w, const char *dir,
                          struct proc_cmd *c) {
  str *names = NULL;
  size_t n = 0;
  size_t found = 0;
  if (!fs_list(j->arena, dir, &names, &n)) {
    return 0;
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < w->packages.n; k++) {
      if (w->packages.p[k].selected && wanted_bundle(j, names[i], &w->packages.p[k])) {
        proc_arg(c, path_join(j->arena, dir, arena_strz(j->arena, names[i])));
        found++;
      }
    }
  }
  return found;
}

int sub_read(struct job *j) {
  struct workspace w;
  if (!open_workspace(j, &w)) {
    return EXIT_BUILD_FAILED;
  }
  char *reader = tool_find(j->sink, j->arena, "mirdc-read");
  if (reader == NULL) {
    return EXIT_BUILD_FAILED;
  }
  struct proc_cmd c;
  proc_init(&c, j->arena, reader);
  for (size_t i = 0; i < j->options->rest.n; i++) {
    proc_arg(&c, j->options->rest.p[i]);
  }
  char *dir = path_join(j->arena, j->shared, build_profile_dir(j->profile));
  if (add_bundles(j, &w, dir, &c) == 0) {
    struct diag *d = diag_error(j->sink, MD0606, SPAN_NONE, "nothing was built in `%s`", dir);
    diag_help(d, "run `cargo mirdc build` first, with the same profile and folders");
    return EXIT_BUILD_FAILED;
  }
  if (j->verbose) {
    tool_show(&c);
  }
  (void)!proc_exec(j->sink, &c);
  return EXIT_BUILD_FAILED;
}

/* Removes the artifacts of the selected packages from one profile's folder. */
static bool clean_folder(struct job *j, const struct workspace *w, const char *dir, size_t *removed) {
  str *names = NULL;
  size_t n = 0;
  if (!fs_list(j->arena, dir, &names, &n)) {
    return true;
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < w->packages.n; k++) {
      if (!w->packages.p[k].selected || !of_package(names[i], &w->packages.p[k])) {
        continue;
      }
      char *path = path_join(j->arena, dir, arena_strz(j->arena, names[i]));
      if (!fs_is_dir(path)) {
        if (!fs_remove_tree(j->sink, path)) {
          return false;
        }
        (*removed)++;
      }
      break;
    }
  }
  return true;
}

static bool clean_packages(struct job *j, const struct workspace *w, size_t *removed) {
  str *names = NULL;
  size_t n = 0;
  if (!fs_list(j->arena, j->shared, &names, &n)) {
    return true;
  }
  for (size_t i = 0; i < n; i++) {
    char *dir = path_join(j->arena, j->shared, arena_strz(j->arena, names[i]));
    if (fs_is_dir(dir) && !str_starts(names[i], STR("cargo-")) &&
        !clean_folder(j, w, dir, removed)) {
      return false;
    }
  }
  return true;
}

/* A folder that is not ours is never removed whole, whatever $MIRDC_DIR says. */
static bool looks_like_ours(struct job *j) {
  str *names = NULL;
  size_t n = 0;
  if (!fs_list(j->arena, j->shared, &names, &n)) {
    return true;
  }
  for (size_t i = 0; i < n; i++) {
    str s = names[i];
    char *path = path_join(j->arena, j->shared, arena_strz(j->arena, s));
    bool known = str_starts(s, STR("cargo-v")) || str_eqz(s, "CACHEDIR.TAG") || fs_is_dir(path) ||
                 str_ends(s, STR(".mirdc"));
    if (!known) {
      diag_error(j->sink, MD0608, SPAN_NONE, "`%s` holds `%.*s`, which is not mirdc's: not removed",
                 j->shared, STR_ARG(s));
      return false;
    }
  }
  return true;
}

int sub_clean(struct job *j) {
  struct workspace w;
  size_t removed = 0;
  if (!open_workspace(j, &w)) {
    return EXIT_BUILD_FAILED;
  }
  if (option_given(j->options, OPT_PACKAGE)) {
    if (!clean_packages(j, &w, &removed)) {
      return EXIT_BUILD_FAILED;
    }
    if (!j->quiet) {
      tool_status(j->color, "Removed", "%zu files in %s", removed, j->shared);
    }
    return 0;
  }
  if (!fs_exists(j->shared)) {
    return 0;
  }
  if (!looks_like_ours(j) || !fs_remove_tree(j->sink, j->shared)) {
    return EXIT_BUILD_FAILED;
  }
  if (!j->quiet) {
    tool_status(j->color, "Removed", "%s", j->shared);
  }
  return 0;
}

/* One line of the report: what answers to `PROGRAM ARGUMENT`. */
static bool say_version(struct job *j, const char *what, const char *program, const char *arg) {
  struct proc_cmd c;
  struct proc_result r;
  proc_init(&c, j->arena, program);
  proc_arg(&c, arg);
  bool ok = proc_run(j->sink, &c, &r);
  str line = STR_NULL;
  str text = ok ? sb_str(&r.out) : STR_NULL;
  bool good = ok && r.status == 0 && str_next_line(&text, &line);
  printf("%-12s %s: %.*s\n", what, program, STR_ARG(good ? line : STR("does not answer")));
  if (ok) {
    proc_result_free(&r);
  }
  return good;
}

int sub_doctor(struct job *j) {
  static const char *const TOOLS[] = {"mirdc-rustc", "mirdc-read"};
  const char *rustc = getenv("RUSTC");
  bool ok = say_version(j, "cargo", cargo_program(), "--version");
  ok &= say_version(j, "rustc", rustc != NULL && rustc[0] != '\0' ? rustc : "rustc", "--version");
  for (size_t i = 0; i < COUNT_OF(TOOLS); i++) {
    char *tool = tool_find(j->sink, j->arena, TOOLS[i]);
    ok &= tool != NULL && say_version(j, TOOLS[i], tool, "--version");
  }
  char *manifest = current_manifest(j->sink, j->arena, j->options);
  printf("%-12s %s\n", "package", manifest != NULL ? manifest : "none in this folder");
  char *driver = tool_find(j->sink, j->arena, "mirdc");
  if (driver == NULL) {
    return EXIT_BUILD_FAILED;
  }
  (void)fflush(stdout);
  struct proc_cmd c;
  struct proc_result r;
  proc_init(&c, j->arena, driver);
  proc_arg(&c, "doctor");
  c.inherit_out = true;
  c.inherit_err = true;
  if (!proc_run(j->sink, &c, &r)) {
    return EXIT_BUILD_FAILED;
  }
  int status = r.status;
  proc_result_free(&r);
  return ok && status == 0 ? 0 : EXIT_BUILD_FAILED;
}
