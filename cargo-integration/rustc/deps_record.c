/* Recorded rustc commands: writing them as a compiler wrapper, reading them back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/jsonw.h"
#include "base/map.h"
#include "base/proc.h"
#include "cargo-integration/rustc/deps.h"
#include "cargo-integration/rustc/unit_args.h"

extern char **environ;

/* What Cargo's process was started with: NAME=VALUE entries. Variables that Cargo added for this
 * rustc (also those of build scripts, whose names nobody knows) are those that differ. */
static void parent_environment(struct arena *a, struct map *out) {
  struct strbuf b = {0};
  str path = arena_printf(a, "/proc/%ld/environ", (long)getppid());
  /* Files in procfs have no size, so fs_read does not serve. */
  FILE *f = fopen(arena_strz(a, path), "re");
  if (f == NULL) {
    return;
  }
  char chunk[4096];
  size_t n;
  while ((n = fread(chunk, 1, sizeof chunk, f)) > 0) {
    sb_add(&b, (str){chunk, n});
  }
  (void)fclose(f);
  str rest = arena_str(a, sb_str(&b));
  sb_free(&b);
  while (rest.n > 0) {
    size_t end = str_find_char(rest, '\0', 0);
    end = end == SIZE_MAX ? rest.n : end;
    *map_put(out, str_sub(rest, 0, end), NULL) = 1;
    rest = str_drop(rest, end + 1);
  }
}

static bool is_private(str name) {
  return str_find(name, STR("TOKEN"), 0) != SIZE_MAX ||
         str_find(name, STR("SECRET"), 0) != SIZE_MAX ||
         str_find(name, STR("PASSWORD"), 0) != SIZE_MAX;
}

static void write_environment(struct arena *a, struct jsonw *w) {
  struct map parent = {0};
  parent_environment(a, &parent);
  jw_key(w, "env");
  jw_object(w);
  for (char **e = environ; *e != NULL; e++) {
    str entry = str_from(*e);
    size_t eq = str_find_char(entry, '=', 0);
    if (eq == SIZE_MAX) {
      continue;
    }
    str name = str_sub(entry, 0, eq);
    /* Descriptors of a job server that is gone when the command is run again. */
    if (str_eqz(name, "CARGO_MAKEFLAGS") || str_eqz(name, "MAKEFLAGS")) {
      continue;
    }
    bool cargo = str_starts(name, STR("CARGO_")) || str_eqz(name, "OUT_DIR");
    bool added = parent.n > 0 && map_get(&parent, entry) == NULL;
    if ((cargo || added) && !is_private(name)) {
      jw_kstr(w, arena_strz(a, name), str_drop(entry, eq + 1));
    }
  }
  jw_end_object(w);
  map_free(&parent);
}

static void write_record(struct arena *a, const char *program, const args_vec *args,
                         struct jsonw *w) {
  char *cwd = getcwd(NULL, 0);
  jw_object(w);
  jw_key(w, "argv");
  jw_array(w);
  jw_strz(w, program);
  for (size_t i = 0; i < args->n; i++) {
    jw_strz(w, args->p[i]);
  }
  jw_end_array(w);
  jw_kz(w, "cwd", cwd != NULL ? cwd : "/");
  write_environment(a, w);
  jw_end_object(w);
  free(cwd);
}

/* A command that compiles a crate; Cargo's questions about the compiler are none. */
static bool compiles(const opts_vec *opts, str *crate, str *extra) {
  bool file = false;
  bool print = false;
  *crate = STR_NULL;
  *extra = STR_NULL;
  for (size_t i = 0; i < opts->n; i++) {
    const struct rustc_opt *o = &opts->p[i];
    str key;
    str value;
    opt_key_value(o->value, &key, &value);
    file = file || (o->name.n == 0 && !str_eqz(o->value, "-"));
    print = print || str_eqz(o->name, "--print");
    if (str_eqz(o->name, "--crate-name")) {
      *crate = o->value;
    } else if (str_eqz(o->name, "--codegen") && str_eqz(key, "extra-filename")) {
      *extra = value;
    }
  }
  return file && !print && crate->n > 0;
}

static void record(struct diag_sink *s, struct arena *a, const char *dir, int argc, char **argv) {
  args_vec args = {0};
  opts_vec opts = {0};
  str crate;
  str extra;
  if (!args_expand(s, a, argc - 1, argv + 1, &args) || !args_parse(s, a, &args, &opts) ||
      !compiles(&opts, &crate, &extra) || !fs_mkdirs(s, dir)) {
    return;
  }
  struct jsonw w;
  jw_init(&w, false);
  write_record(a, argv[0], &args, &w);
  struct digest d = hash_of(w.out.p, w.out.n);
  char hex[65];
  digest_hex(&d, hex);
  str name = arena_printf(a, "%s/%.*s%.*s-%.12s.json", dir, STR_ARG(crate), STR_ARG(extra), hex);
  (void)!fs_write_atomic(s, arena_strz(a, name), sb_str(&w.out));
  jw_free(&w);
}

int deps_record(struct diag_sink *s, struct arena *a, const char *dir, int argc, char **argv) {
  if (argc < 1) {
    diag_error(s, MD0142, SPAN_NONE, "no rustc command to record");
    return 2;
  }
  /* A command that cannot be recorded still has to run: rustc knows best what is wrong with it. */
  struct diag_sink quiet;
  diag_sink_init(&quiet, s->sources);
  record(&quiet, a, dir, argc, argv);
  diag_sink_free(&quiet);
  struct proc_cmd c;
  proc_init(&c, a, argv[0]);
  for (int i = 1; i < argc; i++) {
    proc_arg(&c, argv[i]);
  }
  (void)!proc_exec(s, &c);
  return 1;
}

static bool read_env(struct arena *a, const struct json_at *env, struct unit *u) {
  struct json_at e;
  JSON_EACH(env, e) {
    str v;
    if (!json_str(&e, &v)) {
      return false;
    }
    str entry = arena_printf(a, "%.*s=%.*s", STR_ARG(e.key), STR_ARG(v));
    vec_push(a, &u->env, arena_strz(a, entry));
  }
  return true;
}

static bool read_fields(struct diag_sink *s, struct arena *a, const struct json_at *root,
                        struct unit *u) {
  static const char *const KEYS[] = {"argv", "cwd", "env", NULL};
  struct json_at argv;
  struct json_at cwd;
  struct json_at env;
  str dir;
  args_vec args = {0};
  size_t n = 0;
  if (!json_only(root, KEYS) || !json_get(root, "argv", &argv) || !json_len(&argv, &n) ||
      !json_get(root, "cwd", &cwd) || !json_str(&cwd, &dir) || !json_get(root, "env", &env) ||
      !read_env(a, &env, u)) {
    return false;
  }
  u->cwd = arena_strz(a, dir);
  for (size_t i = 1; i < n; i++) {
    struct json_at e;
    str v;
    if (!json_elem(&argv, i, &e) || !json_str(&e, &v)) {
      return false;
    }
    vec_push(a, &args, arena_strz(a, v));
  }
  return unit_parse(s, a, u, (int)args.n, args.p);
}

bool deps_read_record(struct diag_sink *s, struct arena *a, const char *path,
                      const struct toolchain *tc, struct unit *out) {
  struct bytes b = {0};
  struct json_doc *doc = NULL;
  *out = (struct unit){.tc = *tc};
  if (!fs_read(s, path, (size_t)64 << 20, &b)) {
    return false;
  }
  struct json_text t = {{(const char *)b.p, b.n}, str_from(path), s, MD0147, MD0147};
  bool ok = json_parse_all(&t, a, &doc);
  if (ok) {
    struct json_at root = json_root(doc);
    ok = read_fields(s, a, &root, out);
  }
  bytes_free(&b);
  return ok;
}
