/* Facts of one rustc command line. */
#include "cargo-integration/rustc/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "cargo-integration/rustc/overlay_scan.h"
#include "cargo-integration/rustc/unit_args.h"

/* What decides the checks; each may stay unset. */
struct profile {
  char opt;
  bool has_overflow, overflow, has_assertions, assertions;
};

static void keep(struct arena *a, struct unit *u, const char *name, str value) {
  vec_push(a, &u->kept, arena_strz(a, str_from(name)));
  vec_push(a, &u->kept, arena_strz(a, value));
}

/* -C options. Dropped are those that the device runs set themselves and those about linking,
 * debug info and code generation, which never happens there. */
static void take_codegen(struct arena *a, struct unit *u, struct profile *p, str v) {
  static const char *const KEPT[] = {"target-cpu", "target-feature"};
  str key;
  str value;
  opt_key_value(v, &key, &value);
  if (str_eqz(key, "opt-level")) {
    p->opt = value.n == 1 ? value.p[0] : p->opt;
  } else if (str_eqz(key, "overflow-checks") || str_eqz(key, "overflow_checks")) {
    p->has_overflow = true;
    p->overflow = opt_is_on(value);
  } else if (str_eqz(key, "debug-assertions") || str_eqz(key, "debug_assertions")) {
    p->has_assertions = true;
    p->assertions = opt_is_on(value);
  } else if (str_eqz(key, "metadata")) {
    u->metadata = value;
  } else if (str_eqz(key, "extra-filename")) {
    u->extra_filename = value;
  }
  for (size_t i = 0; i < COUNT_OF(KEPT); i++) {
    if (str_eqz(key, KEPT[i])) {
      keep(a, u, "-C", v);
    }
  }
}

/* NAME=PATH, NAME, or options:NAME=PATH. */
static void take_extern(struct arena *a, struct unit *u, str v) {
  struct unit_extern e = {STR_NULL, STR_NULL, NULL};
  size_t eq = str_find_char(v, '=', 0);
  str name = str_sub(v, 0, eq == SIZE_MAX ? v.n : eq);
  size_t colon = str_find_char(name, ':', 0);
  if (colon != SIZE_MAX) {
    e.options = str_sub(name, 0, colon);
    name = str_drop(name, colon + 1);
  }
  e.name = name;
  if (eq != SIZE_MAX) {
    e.path = arena_strz(a, str_drop(v, eq + 1));
  }
  vec_push(a, &u->externs, e);
}

static void take_cfg(struct arena *a, struct unit *u, str v) {
  str key;
  str value;
  vec_push(a, &u->cfgs, v);
  opt_key_value(v, &key, &value);
  if (str_eq(str_trim(key), STR("feature"))) {
    value = str_trim(value);
    if (value.n >= 2 && value.p[0] == '"') {
      value = str_sub(value, 1, value.n - 1);
    }
    vec_push(a, &u->features, value);
  }
}

static void take_crate_types(struct arena *a, struct unit *u, str v) {
  while (v.n > 0) {
    size_t comma = str_find_char(v, ',', 0);
    str one = str_sub(v, 0, comma == SIZE_MAX ? v.n : comma);
    u->is_proc_macro = u->is_proc_macro || str_eqz(one, "proc-macro");
    vec_push(a, &u->crate_types, one);
    v = comma == SIZE_MAX ? STR_NULL : str_drop(v, comma + 1);
  }
}

static bool take_file(struct diag_sink *s, struct arena *a, struct unit *u, str v) {
  if (u->root != NULL || str_eqz(v, "-")) {
    diag_error(s, MD0142, SPAN_NONE,
               u->root != NULL ? "more than one source file in the rustc command: `%.*s`"
                               : "source text on standard input (`%.*s`) is not supported",
               STR_ARG(v));
    return false;
  }
  u->root = arena_strz(a, v);
  return true;
}

static bool is_about_messages(str name) {
  static const char *const NAMES[] = {
      "--allow",     "--warn",         "--force-warn", "--deny",  "--forbid",
      "--cap-lints", "--error-format", "--json",       "--color", "--diagnostic-width"};
  for (size_t i = 0; i < COUNT_OF(NAMES); i++) {
    if (str_eqz(name, NAMES[i])) {
      return true;
    }
  }
  return false;
}

static bool take_opt(struct diag_sink *s, struct arena *a, struct unit *u, struct profile *p,
                     const struct rustc_opt *o) {
  if (o->name.n == 0) {
    return take_file(s, a, u, o->value);
  }
  if (str_eqz(o->name, "--crate-name")) {
    u->crate_name = o->value;
  } else if (str_eqz(o->name, "--edition")) {
    u->edition = o->value;
  } else if (str_eqz(o->name, "--cfg")) {
    take_cfg(a, u, o->value);
  } else if (str_eqz(o->name, "--check-cfg")) {
    keep(a, u, "--check-cfg", o->value);
  } else if (str_eqz(o->name, "--extern")) {
    take_extern(a, u, o->value);
  } else if (str_eqz(o->name, "-L")) {
    vec_push(a, &u->lib_dirs, o->value);
  } else if (str_eqz(o->name, "--crate-type")) {
    take_crate_types(a, u, o->value);
  } else if (str_eqz(o->name, "--target")) {
    u->target = o->value;
    keep(a, u, "--target", o->value);
  } else if (str_eqz(o->name, "--sysroot") || str_eqz(o->name, "--env-set") ||
             str_eqz(o->name, "-Z")) {
    keep(a, u, o->name.p, o->value);
  } else if (is_about_messages(o->name)) {
    vec_push(a, &u->shown, arena_strz(a, o->name));
    vec_push(a, &u->shown, arena_strz(a, o->value));
  } else if (str_eqz(o->name, "--out-dir")) {
    u->out_dir = o->value;
  } else if (str_eqz(o->name, "--test")) {
    u->test = true;
  } else if (str_eqz(o->name, "-O")) {
    p->opt = '3';
  } else if (str_eqz(o->name, "--codegen")) {
    take_codegen(a, u, p, o->value);
  } else if (str_eqz(o->name, "--version") || str_eqz(o->name, "--help") ||
             str_eqz(o->name, "--explain")) {
    diag_error(s, MD0142, SPAN_NONE, "`%.*s` asks rustc for something else than compiling",
               STR_ARG(o->name));
    return false;
  }
  return true;
}

/* rustc's rule: assertions follow opt-level 0, overflow checks follow the assertions. */
static void decide_checks(struct unit *u, const struct profile *p) {
  u->opt_level = p->opt;
  u->debug_assertions = p->has_assertions ? p->assertions : p->opt == '0';
  u->overflow_checks = p->has_overflow ? p->overflow : u->debug_assertions;
}

static str crate_name_of_file(struct arena *a, str root) {
  str stem = path_stem(path_base(root));
  char *z = arena_strz(a, stem);
  for (char *c = z; *c != '\0'; c++) {
    *c = *c == '-' ? '_' : *c;
  }
  return str_from(z);
}

static const char *unit_env(const struct unit *u, const char *name) {
  size_t n = strlen(name);
  for (size_t i = 0; i < u->env.n; i++) {
    if (strncmp(u->env.p[i], name, n) == 0 && u->env.p[i][n] == '=') {
      return u->env.p[i] + n + 1;
    }
  }
  return NULL;
}

/* The package's folder: Cargo says it in the environment, but only counts when the root file is in
 * it, so that a stray variable of an outer build does no harm. */
static bool decide_package_root(struct diag_sink *s, struct arena *a, struct unit *u) {
  char *root = u->cwd != NULL ? path_join(a, u->cwd, u->root) : u->root;
  char *real = path_real(a, root);
  if (real == NULL) {
    diag_error(s, MD0143, SPAN_NONE, "cannot find the source file `%s`", u->root);
    return false;
  }
  const char *manifest = unit_env(u, "CARGO_MANIFEST_DIR");
  if (manifest == NULL && u->env.n == 0) {
    manifest = getenv("CARGO_MANIFEST_DIR");
  }
  char *real_manifest = manifest != NULL && manifest[0] != '\0' ? path_real(a, manifest) : NULL;
  if (real_manifest != NULL) {
    str m = str_from(real_manifest);
    str r = str_from(real);
    if (str_starts(r, m) && r.n > m.n && r.p[m.n] == '/') {
      u->package_root = real_manifest;
      return true;
    }
  }
  u->package_root = arena_strz(a, path_dir(str_from(real)));
  return true;
}

static bool check_target(struct diag_sink *s, const struct unit *u) {
  static const char *const WIDE[] = {"x86_64-", "aarch64-", "powerpc64le-", "riscv64"};
  for (size_t i = 0; i < COUNT_OF(WIDE); i++) {
    if (str_starts(u->target, str_from(WIDE[i]))) {
      return str_find(u->target, STR("x32"), 0) == SIZE_MAX &&
             str_find(u->target, STR("ilp32"), 0) == SIZE_MAX;
    }
  }
  struct diag *d = diag_error(s, MD0154, SPAN_NONE,
                              "target `%.*s` differs from the device in the "
                              "size or order of bytes",
                              STR_ARG(u->target));
  diag_help(d, "build for a 64-bit little-endian host");
  return false;
}

static bool finish(struct diag_sink *s, struct arena *a, struct unit *u) {
  if (u->root == NULL) {
    diag_error(s, MD0142, SPAN_NONE, "the rustc command names no source file");
    return false;
  }
  if (u->crate_name.n == 0) {
    u->crate_name = crate_name_of_file(a, str_from(u->root));
  }
  if (u->edition.n == 0) {
    u->edition = STR("2015");
  }
  if (u->target.n == 0) {
    u->target = u->tc.host;
  }
  return check_target(s, u) && decide_package_root(s, a, u);
}

bool unit_parse(struct diag_sink *s, struct arena *a, struct unit *u, int argc, char **argv) {
  opts_vec opts = {0};
  args_vec args = {0};
  struct profile p = {.opt = '0'};
  if (!args_expand(s, a, argc, argv, &args) || !args_parse(s, a, &args, &opts)) {
    return false;
  }
  u->args.p = args.p;
  u->args.n = args.n;
  u->args.cap = args.cap;
  for (size_t i = 0; i < opts.n; i++) {
    if (!take_opt(s, a, u, &p, &opts.p[i])) {
      return false;
    }
  }
  decide_checks(u, &p);
  return finish(s, a, u);
}

bool unit_from_args(struct diag_sink *s, struct arena *a, const struct toolchain *tc, int argc,
                    char **argv, struct unit *out) {
  *out = (struct unit){.tc = *tc};
  return unit_parse(s, a, out, argc, argv);
}

/* Does the file use the device crate? Asked of tokens, so that a comment does not count. */
static bool names_device_crate(str text) {
  struct rscan s = {text, 0};
  for (;;) {
    struct rtok t = rscan_next(&s);
    if (t.kind == RTOK_END) {
      return false;
    }
    if (rtok_is(&s, t, "mirdc")) {
      return true;
    }
  }
}

bool unit_from_file(struct diag_sink *s, struct arena *a, const struct toolchain *tc,
                    const char *file, const struct unit_file_options *opts, struct unit *out) {
  static const struct unit_file_options NONE = {0};
  const struct unit_file_options *o = opts != NULL ? opts : &NONE;
  struct bytes b = {0};
  if (!fs_read(s, file, (size_t)64 << 20, &b)) {
    return false;
  }
  bool uses = names_device_crate((str){(const char *)b.p, b.n});
  bytes_free(&b);
  VEC(char *) argv = {0};
  vec_push(a, &argv, arena_strz(a, str_from(file)));
  vec_push(a, &argv, arena_strz(a, STR("--crate-type=lib")));
  vec_push(a, &argv,
           arena_strz(a, arena_printf(a, "--edition=%s", o->edition ? o->edition : "2024")));
  if (o->release) {
    vec_push(a, &argv, arena_strz(a, STR("-Copt-level=3")));
  }
  for (size_t i = 0; o->cfgs != NULL && o->cfgs[i] != NULL; i++) {
    vec_push(a, &argv, arena_strz(a, arena_printf(a, "--cfg=%s", o->cfgs[i])));
  }
  *out = (struct unit){.tc = *tc};
  if (!unit_parse(s, a, out, (int)argv.n, argv.p)) {
    return false;
  }
  out->single_file = true;
  out->uses_device_crate = uses;
  return true;
}

/* A folder that holds both crates. */
static bool holds_crates(struct arena *a, const char *dir) {
  return fs_exists(path_join(a, dir, "mirdc/src/lib.rs")) &&
         fs_exists(path_join(a, dir, "mirdc-macros/src/lib.rs"));
}

char *unit_find_crates(struct diag_sink *s, struct arena *a) {
  const char *env = getenv("MIRDC_CRATES");
  if (env != NULL && env[0] != '\0') {
    if (holds_crates(a, env)) {
      return arena_strz(a, str_from(env));
    }
    struct diag *d = diag_error(s, MD0144, SPAN_NONE,
                                "MIRDC_CRATES is `%s`, but the device crate "
                                "is not there",
                                env);
    diag_help(d, "it must hold the folders `mirdc` and `mirdc-macros`");
    return NULL;
  }
  char *self = path_self_dir(a);
  static const char *const PLACES[] = {"../../cargo-integration", "../share/mirdc/crates",
                                       "../../../cargo-integration"};
  for (size_t i = 0; self != NULL && i < COUNT_OF(PLACES); i++) {
    char *dir = path_join(a, self, PLACES[i]);
    if (holds_crates(a, dir)) {
      char *real = path_real(a, dir);
      return real != NULL ? real : dir;
    }
  }
  struct diag *d = diag_error(s, MD0144, SPAN_NONE,
                              "the source uses `mirdc`, but the device crate "
                              "is not to be found");
  diag_help(d, "set MIRDC_CRATES to the folder that holds `mirdc` and `mirdc-macros`");
  return NULL;
}
