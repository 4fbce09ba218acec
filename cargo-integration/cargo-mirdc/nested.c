/* The nested cargo, its messages, and the records of its rustc commands. */
#include "cargo-integration/cargo-mirdc/nested.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "cargo-integration/cargo-mirdc/tools.h"

void nested_init(struct nested *n, struct arena *a, const char *shared, const char *profile) {
  /* The version is part of the name: records of another form are never mixed with ours. */
  *n = (struct nested){.dir = path_join(a, shared, "cargo-v1"), .profile = profile};
  n->records = path_join(a, n->dir, "records");
}

static bool artifact_target(struct arena *a, const struct json_at *msg, struct artifact *r) {
  struct json_at target;
  struct json_at kinds;
  struct json_at kind;
  struct json_at name;
  struct json_at src;
  str k;
  str v;
  if (!json_get(msg, "target", &target) || !json_get(&target, "kind", &kinds) ||
      !json_elem(&kinds, 0, &kind) || !json_str(&kind, &k) || !json_get(&target, "name", &name) ||
      !json_str(&name, &v)) {
    return false;
  }
  r->kind = target_kind(k);
  r->name = arena_str(a, v);
  if (!json_get(&target, "src_path", &src) || !json_str(&src, &v)) {
    return false;
  }
  r->source = arena_strz(a, v);
  return true;
}

/* "-0123456789abcdef" of "libname-0123456789abcdef.rmeta". */
static str hash_of_file(str file) {
  str stem = path_stem(path_base(file));
  size_t dash = str_rfind_char(stem, '-');
  if (dash == SIZE_MAX || stem.n - dash != 17) {
    return STR_NULL;
  }
  return str_drop(stem, dash);
}

static bool artifact_file(struct arena *a, const struct json_at *msg, struct artifact *r) {
  struct json_at files;
  struct json_at first;
  size_t n = 0;
  str v;
  if (!json_get(msg, "filenames", &files) || !json_len(&files, &n)) {
    return false;
  }
  if (n == 0) {
    return true;
  }
  if (!json_elem(&files, 0, &first) || !json_str(&first, &v)) {
    return false;
  }
  r->output = arena_strz(a, v);
  r->hash = hash_of_file(str_from(r->output));
  return true;
}

static bool artifact_profile(const struct json_at *msg, struct artifact *r) {
  struct json_at profile;
  struct json_at test;
  bool is_test = false;
  if (!json_get(msg, "profile", &profile) || !json_get(&profile, "test", &test) ||
      !json_bool(&test, &is_test)) {
    return false;
  }
  bool tests_anyway = r->kind != NULL && strcmp(r->kind, "test") == 0;
  bool bench = r->kind != NULL && strcmp(r->kind, "bench") == 0;
  r->test_build = is_test && !tests_anyway && !bench;
  return true;
}

static bool one_message(struct arena *a, const struct json_at *msg, artifacts *out) {
  struct json_at reason;
  struct json_at id;
  str v;
  struct artifact r = {0};
  if (!json_get(msg, "reason", &reason) || !json_str(&reason, &v)) {
    return false;
  }
  if (!str_eqz(v, "compiler-artifact")) {
    return true;
  }
  if (!json_get(msg, "package_id", &id) || !json_str(&id, &v)) {
    return false;
  }
  r.package_id = arena_str(a, v);
  if (!artifact_target(a, msg, &r) || !artifact_file(a, msg, &r) || !artifact_profile(msg, &r)) {
    return false;
  }
  vec_push(a, out, r);
  return true;
}

bool nested_parse(struct diag_sink *s, struct arena *a, str text, artifacts *out) {
  str line;
  while (str_next_line(&text, &line)) {
    /* Readers are to skip lines that are no JSON: wrappers and build scripts may print too. */
    if (!str_starts(line, STR("{"))) {
      continue;
    }
    struct json_text t = {line, STR("cargo's messages"), s, MD0604, MD0604};
    struct json_doc *doc = NULL;
    if (!json_parse_all(&t, a, &doc)) {
      return false;
    }
    struct json_at root = json_root(doc);
    if (!one_message(a, &root, out)) {
      return false;
    }
  }
  return true;
}

/* Variables of an outer cargo or of a user's wrapper that would change the recorded commands. */
static const char *const DROPPED[] = {
    "RUSTC_WRAPPER",        "RUSTC_WORKSPACE_WRAPPER", "CARGO_BUILD_RUSTC_WRAPPER",
    "CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER", "CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR",
};

static void nested_env(struct arena *a, const struct nested *n, struct proc_cmd *c) {
  for (size_t i = 0; i < COUNT_OF(DROPPED); i++) {
    proc_env(c, DROPPED[i], NULL);
  }
  for (size_t i = 0; i < n->unset.n; i++) {
    proc_env(c, n->unset.p[i], NULL);
  }
  proc_env(c, "RUSTC_WRAPPER", tool_self(a));
  /* In place of a workspace wrapper of the configuration. An empty word would keep it out too, but cargo
   * then asks rustc for its version and more at each start. */
  proc_env(c, "RUSTC_WORKSPACE_WRAPPER", tool_self(a));
  proc_env(c, "CARGO_BUILD_BUILD_DIR", n->dir);
  proc_env(c, RECORD_ENV, n->records);
  proc_env(c, INNER_ENV, "1");
}

bool nested_run(struct diag_sink *s, struct arena *a, const struct nested *n, artifacts *out,
                int *status) {
  struct proc_cmd c;
  struct proc_result r;
  proc_init(&c, a, cargo_program());
  proc_arg(&c, "check");
  proc_arg(&c, n->json ? "--message-format=json" : "--message-format=json-render-diagnostics");
  proc_argf(&c, "--target-dir=%s", n->dir);
  proc_argf(&c, "--profile=%s", n->profile);
  for (size_t i = 0; i < n->args.n; i++) {
    proc_arg(&c, n->args.p[i]);
  }
  nested_env(a, n, &c);
  c.inherit_err = true;
  if (n->verbose) {
    tool_show(&c);
  }
  if (!fs_mkdirs(s, n->records) || !proc_run(s, &c, &r)) {
    return false;
  }
  *status = r.status;
  if (n->json) {
    (void)fwrite(sb_z(&r.out), 1, r.out.n, stdout);
    (void)fflush(stdout);
  }
  out->n = 0;
  bool ok = r.status != 0 || nested_parse(s, a, arena_str(a, sb_str(&r.out)), out);
  proc_result_free(&r);
  return ok;
}

static bool newer(const char *a, const char *b) {
  struct stat x;
  struct stat y;
  if (stat(a, &x) != 0 || stat(b, &y) != 0) {
    return false;
  }
  return x.st_mtim.tv_sec != y.st_mtim.tv_sec ? x.st_mtim.tv_sec > y.st_mtim.tv_sec
                                              : x.st_mtim.tv_nsec > y.st_mtim.tv_nsec;
}

/* Records are named CRATE[-HASH]-DIGEST.json. The newest with the artifact's crate name and hash is
 * the command that made it. */
static bool record_matches(str file, const struct artifact *r) {
  struct strbuf b = {0};
  for (size_t i = 0; i < r->name.n; i++) {
    sb_addc(&b, r->name.p[i] == '-' ? '_' : r->name.p[i]);
  }
  sb_add(&b, r->hash);
  sb_addc(&b, '-');
  bool same = str_starts(file, sb_str(&b)) &&
              str_find_char(str_drop(file, b.n), '-', 0) == SIZE_MAX && str_ends(file, STR(".json"));
  sb_free(&b);
  return same;
}

bool nested_find_records(struct arena *a, const struct nested *n, artifacts *list) {
  str *names = NULL;
  size_t count = 0;
  if (!fs_list(a, n->records, &names, &count)) {
    return list->n == 0;
  }
  bool all = true;
  for (size_t i = 0; i < list->n; i++) {
    struct artifact *r = &list->p[i];
    r->record = NULL;
    if (r->kind == NULL) {
      continue;
    }
    for (size_t k = 0; k < count; k++) {
      if (record_matches(names[k], r)) {
        char *path = path_join(a, n->records, arena_strz(a, names[k]));
        r->record = r->record == NULL || newer(path, r->record) ? path : r->record;
      }
    }
    all = all && r->record != NULL;
  }
  return all;
}

int nested_wrapper(struct diag_sink *s, struct arena *a, int argc, char **argv) {
  char *pass = tool_find(s, a, "mirdc-rustc");
  if (pass == NULL) {
    return 1;
  }
  struct proc_cmd c;
  proc_init(&c, a, pass);
  proc_arg(&c, "--record");
  proc_arg(&c, getenv(RECORD_ENV));
  proc_arg(&c, "--");
  /* For members of the workspace cargo names this program twice. */
  for (int i = fs_same_file(argv[1], tool_self(a)) ? 2 : 1; i < argc; i++) {
    proc_arg(&c, argv[i]);
  }
  proc_env(&c, RECORD_ENV, NULL);
  (void)!proc_exec(s, &c);
  return 1;
}
