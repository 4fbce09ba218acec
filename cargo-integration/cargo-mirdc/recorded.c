/* Reads recorded rustc commands. */
#include "cargo-integration/cargo-mirdc/recorded.h"

#include <string.h>

#include "base/json.h"

static bool read_members(struct arena *a, const struct json_at *root, struct recorded *out) {
  struct json_at argv;
  struct json_at cwd;
  struct json_at env;
  struct json_at e;
  str v;
  if (!json_get(root, "argv", &argv) || !json_get(root, "cwd", &cwd) ||
      !json_get(root, "env", &env) || !json_str(&cwd, &v)) {
    return false;
  }
  out->cwd = arena_strz(a, v);
  JSON_EACH(&argv, e) {
    if (!json_str(&e, &v)) {
      return false;
    }
    vec_push(a, &out->argv, arena_strz(a, v));
  }
  JSON_EACH(&env, e) {
    if (!json_str(&e, &v)) {
      return false;
    }
    vec_push(a, &out->env,
             arena_strz(a, arena_printf(a, "%.*s=%.*s", STR_ARG(e.key), STR_ARG(v))));
  }
  if (out->argv.n == 0) {
    (void)json_error(&argv, "the command is empty");
    return false;
  }
  return true;
}

bool recorded_read(struct diag_sink *s, struct arena *a, const char *path, struct recorded *out) {
  struct bytes b = {0};
  struct json_doc *doc = NULL;
  *out = (struct recorded){0};
  if (!fs_read(s, path, (size_t)64 << 20, &b)) {
    return false;
  }
  struct json_text t = {{(const char *)b.p, b.n}, str_from(path), s, MD0607, MD0607};
  bool ok = json_parse_all(&t, a, &doc);
  if (ok) {
    struct json_at root = json_root(doc);
    ok = read_members(a, &root, out);
  }
  bytes_free(&b);
  return ok;
}

const char *recorded_env(const struct recorded *r, const char *name) {
  size_t n = strlen(name);
  for (size_t i = 0; i < r->env.n; i++) {
    if (strncmp(r->env.p[i], name, n) == 0 && r->env.p[i][n] == '=') {
      return r->env.p[i] + n + 1;
    }
  }
  return NULL;
}

/* `--extern mirdc=…`, or under another name with the crate's file. */
bool recorded_uses_device_crate(const struct recorded *r) {
  for (size_t i = 1; i < r->argv.n; i++) {
    str value = str_from(r->argv.p[i]);
    if (str_starts(value, STR("--extern="))) {
      value = str_drop(value, sizeof "--extern=" - 1);
    } else if (strcmp(r->argv.p[i - 1], "--extern") != 0) {
      continue;
    }
    size_t eq = str_find_char(value, '=', 0);
    str name = eq == SIZE_MAX ? value : str_sub(value, 0, eq);
    str file = eq == SIZE_MAX ? STR_NULL : path_base(str_drop(value, eq + 1));
    if (str_ends(name, STR("mirdc")) || str_starts(file, STR("libmirdc-"))) {
      return true;
    }
  }
  return false;
}
