/* Splitting rustc's command line. The table lists what rustc 1.95 to 1.97 accept. */
#include "cargo-integration/rustc/unit_args.h"

#include <string.h>

#include "base/fs.h"

struct opt_def {
  const char *name;
  char letter; /* short form, or 0 */
  bool has_value;
};

static const struct opt_def OPTS[] = {
    {"--cfg", 0, true},
    {"--check-cfg", 0, true},
    {"-L", 'L', true},
    {"-l", 'l', true},
    {"--crate-type", 0, true},
    {"--crate-name", 0, true},
    {"--edition", 0, true},
    {"--emit", 0, true},
    {"--print", 0, true},
    {"-g", 'g', false},
    {"-O", 'O', false},
    {"-o", 'o', true},
    {"--out-dir", 0, true},
    {"--explain", 0, true},
    {"--test", 0, false},
    {"--target", 0, true},
    {"--allow", 'A', true},
    {"--warn", 'W', true},
    {"--force-warn", 0, true},
    {"--deny", 'D', true},
    {"--forbid", 'F', true},
    {"--cap-lints", 0, true},
    {"--codegen", 'C', true},
    {"--version", 'V', false},
    {"--verbose", 'v', false},
    {"--extern", 0, true},
    {"--sysroot", 0, true},
    {"-Z", 'Z', true},
    {"--error-format", 0, true},
    {"--json", 0, true},
    {"--color", 0, true},
    {"--diagnostic-width", 0, true},
    {"--remap-path-prefix", 0, true},
    {"--env-set", 0, true},
    {"--help", 'h', false},
    {"--remap-path-scope", 0, true},
};

bool args_expand(struct diag_sink *s, struct arena *a, int argc, char **argv, args_vec *out) {
  for (int i = 0; i < argc; i++) {
    if (argv[i][0] != '@') {
      vec_push(a, out, arena_strz(a, str_from(argv[i])));
      continue;
    }
    struct bytes b = {0};
    if (!fs_read(s, argv[i] + 1, 0, &b)) {
      return false;
    }
    str rest = {(const char *)b.p, b.n};
    str line;
    while (str_next_line(&rest, &line)) {
      if (line.n > 0) {
        vec_push(a, out, arena_strz(a, line));
      }
    }
    bytes_free(&b);
  }
  return true;
}

static const struct opt_def *find_long(str name) {
  for (size_t i = 0; i < COUNT_OF(OPTS); i++) {
    if (str_eqz(name, OPTS[i].name)) {
      return &OPTS[i];
    }
  }
  return NULL;
}

static const struct opt_def *find_letter(char c) {
  for (size_t i = 0; i < COUNT_OF(OPTS); i++) {
    if (OPTS[i].letter == c) {
      return &OPTS[i];
    }
  }
  return NULL;
}

static bool bad_option(struct diag_sink *s, const char *arg, const char *what) {
  struct diag *d = diag_error(s, MD0142, SPAN_NONE, "%s `%s`", what, arg);
  diag_help(d, "give the command line exactly as Cargo or you would give it to rustc");
  return false;
}

/* Takes the option at args[*i]; *i moves over its value. */
static bool take_option(struct diag_sink *s, const args_vec *args, size_t *i,
                        struct rustc_opt *out) {
  const char *arg = args->p[*i];
  str text = str_from(arg);
  bool is_long = text.p[1] == '-';
  size_t eq = is_long ? str_find_char(text, '=', 0) : SIZE_MAX;
  str name = is_long ? str_sub(text, 0, eq == SIZE_MAX ? text.n : eq) : str_sub(text, 0, 2);
  const struct opt_def *def = is_long ? find_long(name) : find_letter(text.p[1]);
  if (def == NULL) {
    return bad_option(s, arg, "unknown rustc option");
  }
  out->name = str_from(def->name);
  out->value = STR_NULL;
  str glued = is_long ? (eq == SIZE_MAX ? STR_NULL : str_drop(text, eq + 1)) : str_drop(text, 2);
  bool has_glued = is_long ? eq != SIZE_MAX : glued.n > 0;
  if (!def->has_value) {
    return !has_glued || bad_option(s, arg, "rustc option takes no value:");
  }
  if (has_glued) {
    out->value = glued;
    return true;
  }
  if (*i + 1 >= args->n) {
    return bad_option(s, arg, "missing value after");
  }
  out->value = str_from(args->p[++*i]);
  return true;
}

bool args_parse(struct diag_sink *s, struct arena *a, const args_vec *args, opts_vec *out) {
  for (size_t i = 0; i < args->n; i++) {
    struct rustc_opt o = {STR_NULL, STR_NULL};
    if (args->p[i][0] == '-' && args->p[i][1] != '\0') {
      if (!take_option(s, args, &i, &o)) {
        return false;
      }
    } else {
      o.value = str_from(args->p[i]);
    }
    vec_push(a, out, o);
  }
  return true;
}

void opt_key_value(str v, str *key, str *value) {
  size_t eq = str_find_char(v, '=', 0);
  *key = str_sub(v, 0, eq == SIZE_MAX ? v.n : eq);
  *value = eq == SIZE_MAX ? STR_NULL : str_drop(v, eq + 1);
}

bool opt_is_on(str value) {
  return value.n == 0 || str_eqz(value, "y") || str_eqz(value, "yes") || str_eqz(value, "on") ||
         str_eqz(value, "true");
}
