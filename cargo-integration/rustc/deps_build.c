/* The cache of device metadata.
 *
 *   CACHE/COMMAND.inputs    which folder, and the digests of every file and variable that rustc
 * read CACHE/COMMAND.lock      held while looking and building CACHE/CONTENT/          what rustc
 * wrote; never changed once it has its name
 *
 * COMMAND is the digest of the compiler, the flags and the externs; CONTENT adds the inputs. */
#include "cargo-integration/rustc/deps_build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/proc.h"
#include "cargo-integration/rustc/inputs.h"
#include "cargo-integration/rustc/overlay.h"
#include "cargo-integration/rustc/runs.h"

/* Raise when flags or the layout of the cache change. */
#define CACHE_EPOCH 2
#define KEEP_SECONDS (24 * 3600)

struct build {
  struct diag_sink *sink;
  struct arena *arena;
  const struct build_request *req;
  struct unit *unit;
  char *base;  /* CACHE/COMMAND */
  str product; /* file name */
};

static void hash_env(struct hasher *h, const struct unit *u) {
  for (size_t i = 0; i < u->env.n; i++) {
    str e = str_from(u->env.p[i]);
    /* These change with what else is built, and rustc does not read them. */
    if (!str_starts(e, STR("CARGO_MAKEFLAGS=")) && !str_starts(e, STR("CARGO_PRIMARY_PACKAGE="))) {
      hash_field(h, STR("env"), e);
    }
  }
}

static struct digest command_digest(struct arena *a, const struct build_request *req) {
  const struct unit *u = req->unit;
  struct hasher *h = hash_new();
  char externs[65];
  digest_hex(&req->externs, externs);
  hash_field_u64(h, STR("epoch"), CACHE_EPOCH);
  hash_field(h, STR("rustc"), u->tc.version_text);
  hash_field(h, STR("program"), str_from(u->tc.program));
  hash_field(h, STR("crate"), u->crate_name);
  hash_field(h, STR("edition"), u->edition);
  hash_field(h, STR("root"), str_from(u->root));
  hash_field(h, STR("cwd"), str_from(u->cwd));
  hash_field(h, STR("extra"), u->extra_filename);
  hash_field(h, STR("metadata"), u->metadata);
  hash_field_u64(h, STR("macro"), u->is_proc_macro);
  hash_field_u64(h, STR("bodies"), req->bodies);
  hash_field_u64(h, STR("overflow"), u->overflow_checks);
  hash_field_u64(h, STR("assertions"), u->debug_assertions);
  for (size_t i = 0; i < u->cfgs.n; i++) {
    hash_field(h, STR("cfg"), u->cfgs.p[i]);
  }
  for (size_t i = 0; i < u->kept.n; i++) {
    hash_field(h, STR("arg"), str_from(u->kept.p[i]));
  }
  for (const char *const *f = runs_flags(a, u); *f != NULL; f++) {
    hash_field(h, STR("flag"), str_from(*f));
  }
  hash_env(h, u);
  hash_field(h, STR("externs"), str_from(externs));
  return hash_finish(h);
}

static bool file_digest(const char *path, char hex[65]) {
  struct bytes b = {0};
  if (fs_try_read(path, 0, &b) != 0) {
    return false;
  }
  struct digest d = hash_of(b.p, b.n);
  digest_hex(&d, hex);
  bytes_free(&b);
  return true;
}

/* Splits "WORD rest". */
static str first_word(str *line) {
  size_t space = str_find_char(*line, ' ', 0);
  str w = str_sub(*line, 0, space == SIZE_MAX ? line->n : space);
  *line = space == SIZE_MAX ? STR_NULL : str_drop(*line, space + 1);
  return w;
}

static bool input_holds(struct build *b, str line) {
  str kind = first_word(&line);
  if (str_eqz(kind, "file")) {
    str want = first_word(&line);
    char hex[65];
    return file_digest(arena_strz(b->arena, line), hex) && str_eqz(want, hex);
  }
  if (str_eqz(kind, "env")) {
    size_t eq = str_find_char(line, '=', 0);
    const char *now = getenv(arena_strz(b->arena, str_sub(line, 0, eq)));
    return eq != SIZE_MAX && now != NULL && str_eqz(str_drop(line, eq + 1), now);
  }
  if (str_eqz(kind, "old")) {
    return true; /* a folder of earlier inputs, not an input */
  }
  return str_eqz(kind, "noenv") && getenv(arena_strz(b->arena, line)) == NULL;
}

static char *content_dir(struct build *b, str name) {
  return path_join(b->arena, b->req->cache_dir, arena_strz(b->arena, name));
}

static void answer(struct build *b, char *dir, struct built *out) {
  out->dir = dir;
  out->file = path_join(b->arena, dir, arena_strz(b->arena, b->product));
  out->inputs = arena_strz(b->arena, arena_printf(b->arena, "%s.inputs", b->base));
}

/* Every input as it was, and the product too: the folder is the answer. Nothing here is synced, so
 * a crash of the machine can leave a product that rustc would choke on for ever. */
static bool look_up(struct build *b, struct built *out) {
  struct bytes data = {0};
  char *path = arena_strz(b->arena, arena_printf(b->arena, "%s.inputs", b->base));
  str line;
  if (fs_try_read(path, (size_t)64 << 20, &data) != 0) {
    return false;
  }
  str rest = arena_str(b->arena, (str){(const char *)data.p, data.n});
  bytes_free(&data);
  if (!str_next_line(&rest, &line) || !str_eqz(first_word(&line), "dir")) {
    return false;
  }
  answer(b, content_dir(b, line), out);
  char hex[65];
  if (!str_next_line(&rest, &line) || !str_eqz(first_word(&line), "made") ||
      !file_digest(out->file, hex) || !str_eqz(line, hex)) {
    return false;
  }
  while (str_next_line(&rest, &line)) {
    if (!input_holds(b, line)) {
      return false;
    }
  }
  return true;
}

static void add_externs(const struct build *b, struct proc_cmd *c) {
  const struct unit *u = b->unit;
  for (size_t i = 0; i < b->req->n_lib_dirs; i++) {
    proc_argf(c, "-Ldependency=%s", b->req->lib_dirs[i]);
  }
  for (size_t i = 0; i < u->lib_dirs.n; i++) {
    proc_argf(c, "-L%.*s", STR_ARG(u->lib_dirs.p[i]));
  }
  for (size_t i = 0; i < u->externs.n; i++) {
    const struct unit_extern *e = &u->externs.p[i];
    if (e->path != NULL) {
      proc_argf(c, "--extern=%.*s=%s", STR_ARG(e->name), e->path);
    } else {
      proc_argf(c, "--extern=%.*s", STR_ARG(e->name));
    }
  }
}

static void add_common(const struct build *b, struct proc_cmd *c, const char *root) {
  const struct unit *u = b->unit;
  proc_init(c, b->arena, u->tc.program);
  c->cwd = u->cwd;
  for (size_t i = 0; i < u->env.n; i++) {
    vec_push(b->arena, &c->env, u->env.p[i]);
  }
  proc_env(c, "RUSTC_ICE", "0");
  proc_env(c, "RUSTC_BOOTSTRAP", "1");
  proc_arg(c, root);
  proc_argf(c, "--crate-name=%.*s", STR_ARG(u->crate_name));
  proc_argf(c, "--edition=%.*s", STR_ARG(u->edition));
  for (size_t i = 0; i < u->cfgs.n; i++) {
    proc_argf(c, "--cfg=%.*s", STR_ARG(u->cfgs.p[i]));
  }
  for (size_t i = 0; i < u->kept.n; i++) {
    proc_arg(c, u->kept.p[i]);
  }
  if (u->metadata.n > 0) {
    proc_argf(c, "-Cmetadata=%.*s", STR_ARG(u->metadata));
  }
  if (u->extra_filename.n > 0) {
    proc_argf(c, "-Cextra-filename=%.*s", STR_ARG(u->extra_filename));
  }
  proc_arg(c, "--cap-lints=allow");
  add_externs(b, c);
}

static void add_device(const struct build *b, struct proc_cmd *c, const struct overlay *o) {
  const struct unit *u = b->unit;
  proc_arg(c, "--crate-type=lib");
  proc_arg(c, b->req->bodies ? "--emit=mir,dep-info" : "--emit=metadata,dep-info");
  if (b->req->bodies) {
    proc_arg(c, "-Zno-codegen");
    proc_arg(c, "-Zinline-mir-preserve-debug=no");
    for (const char *const *f = runs_print_flags(); *f != NULL; f++) {
      proc_arg(c, *f);
    }
  }
  proc_arg(c, "--cfg=mirdc_device");
  proc_argf(c, "-Coverflow-checks=%s", u->overflow_checks ? "on" : "off");
  proc_argf(c, "-Cdebug-assertions=%s", u->debug_assertions ? "on" : "off");
  for (const char *const *f = runs_flags(b->arena, u); *f != NULL; f++) {
    proc_arg(c, *f);
  }
  if (b->req->bodies) {
    proc_arg(c, "-Zinline-mir=no"); /* bodies of constants are wanted, and those have no calls */
  }
  proc_arg(c, "-Zcross-crate-inline-threshold=always");
  proc_arg(c, "-Zalways-encode-mir");
  /* Spans of the dependency read CRATE/src/lib.rs wherever its sources lie. */
  proc_argf(c, "--remap-path-prefix=%s=%.*s/", o->remap_from, STR_ARG(u->crate_name));
}

static bool run_rustc(struct build *b, const struct overlay *o, const char *tmp) {
  struct proc_cmd c;
  struct proc_result res = {0};
  add_common(b, &c, o->root);
  if (b->unit->is_proc_macro) {
    proc_arg(&c, "--crate-type=proc-macro");
    proc_arg(&c, "--emit=link,dep-info");
    proc_arg(&c, "-Cprefer-dynamic");
    proc_arg(&c, "--extern=proc_macro");
  } else {
    add_device(b, &c, o);
  }
  proc_argf(&c, "--out-dir=%s", tmp);
  bool ok = proc_run(b->sink, &c, &res);
  if (ok && res.status != 0) {
    (void)!fwrite(res.err.p != NULL ? res.err.p : "", 1, res.err.n, stderr);
    struct diag *d =
        diag_error(b->sink, MD0146, SPAN_NONE, "crate `%.*s` cannot be compiled for the device",
                   STR_ARG(b->unit->crate_name));
    diag_note(d, "rustc said: %.*s", STR_ARG(str_sub(runs_first_error(sb_str(&res.err)), 0, 400)));
    ok = false;
  }
  proc_result_free(&res);
  return ok;
}

static char *find_dep_info(struct build *b, const char *tmp) {
  str name = arena_printf(b->arena, "%.*s%.*s.d", STR_ARG(b->unit->crate_name),
                          STR_ARG(b->unit->extra_filename));
  return path_join(b->arena, tmp, arena_strz(b->arena, name));
}

/* Folders of earlier inputs of the same command go after a day: by then no rustc reads them.
 * Younger ones are listed again. */
static void sweep_old(struct build *b, str now, struct strbuf *text) {
  struct bytes data = {0};
  char *path = arena_strz(b->arena, arena_printf(b->arena, "%s.inputs", b->base));
  if (fs_try_read(path, (size_t)64 << 20, &data) != 0) {
    return;
  }
  str rest = {(const char *)data.p, data.n};
  str line;
  while (str_next_line(&rest, &line)) {
    str kind = first_word(&line);
    struct stat st;
    if ((!str_eqz(kind, "dir") && !str_eqz(kind, "old")) || str_eq(line, now) ||
        str_find_char(line, '/', 0) != SIZE_MAX || line.n == 0) {
      continue;
    }
    char *dir = content_dir(b, line);
    if (stat(dir, &st) != 0) {
      continue;
    }
    if (time(NULL) - st.st_mtime > KEEP_SECONDS) {
      (void)!fs_remove_tree(b->sink, dir);
    } else {
      sb_addf(text, "old %.*s\n", STR_ARG(line));
    }
  }
  bytes_free(&data);
}

static bool same_product(struct build *b, const char *x, const char *y) {
  const char *product = arena_strz(b->arena, b->product);
  char hex_x[65], hex_y[65];
  return file_digest(path_join(b->arena, x, product), hex_x) &&
         file_digest(path_join(b->arena, y, product), hex_y) && strcmp(hex_x, hex_y) == 0;
}

/* Another process may have been as fast: then its folder is as good, unless it was damaged. */
static bool name_folder(struct build *b, const char *tmp, char *dir) {
  if (rename(tmp, dir) == 0) {
    return true;
  }
  if (errno == ENOTEMPTY || errno == EEXIST) {
    const char *broken = same_product(b, tmp, dir) ? tmp : dir;
    if (!fs_remove_tree(b->sink, broken)) {
      return false;
    }
    if (broken == tmp || rename(tmp, dir) == 0) {
      return true;
    }
  }
  diag_error(b->sink, MD0146, SPAN_NONE, "cannot rename `%s` in the cache: %s", tmp,
             strerror(errno));
  return false;
}

/* Gives the finished folder its name and writes down what it was made of. */
static bool settle(struct build *b, const char *tmp, const struct strbuf *inputs,
                   struct built *out) {
  struct hasher *h = hash_new();
  char hex[65], hex_made[65];
  hash_field(h, STR("command"), str_from(b->base));
  hash_field(h, STR("inputs"), sb_str(inputs));
  struct digest d = hash_finish(h);
  digest_hex(&d, hex);
  char *dir = content_dir(b, (str){hex, 40});
  if (!name_folder(b, tmp, dir)) {
    return false;
  }
  struct strbuf text = {0};
  sb_addf(&text, "dir %.40s\n", hex);
  answer(b, dir, out);
  if (file_digest(out->file, hex_made)) {
    sb_addf(&text, "made %s\n", hex_made);
  }
  sb_add(&text, sb_str(inputs));
  sweep_old(b, (str){hex, 40}, &text);
  bool ok = fs_write_atomic(
      b->sink, arena_strz(b->arena, arena_printf(b->arena, "%s.inputs", b->base)), sb_str(&text));
  sb_free(&text);
  return ok;
}

static bool compile(struct build *b, struct built *out) {
  struct overlay o = {0};
  struct depends inputs = {0};
  char *tmp = arena_strz(b->arena, arena_printf(b->arena, "%s.tmp%ld", b->base, (long)getpid()));
  bool ok = fs_mkdirs(b->sink, tmp);
  if (ok && b->unit->is_proc_macro) {
    o.root = b->unit->root;
  } else {
    ok = ok && overlay_make(b->sink, b->arena, b->unit, &o);
  }
  ok = ok && run_rustc(b, &o, tmp);
  out->n_runs = 1;
  if (ok && !fs_exists(path_join(b->arena, tmp, arena_strz(b->arena, b->product)))) {
    diag_error(b->sink, MD0153, SPAN_NONE, "rustc reported success but did not write `%.*s`",
               STR_ARG(b->product));
    ok = false;
  }
  ok = ok && inputs_read(b->sink, b->arena, b->unit, &o, find_dep_info(b, tmp), &inputs) &&
       settle(b, tmp, &inputs.text, out);
  overlay_remove(&o);
  if (!ok && fs_is_dir(tmp)) {
    (void)!fs_remove_tree(b->sink, tmp);
  }
  depends_free(&inputs);
  return ok;
}

bool deps_build(struct diag_sink *s, struct arena *a, const struct build_request *req,
                struct built *out) {
  struct build b = {.sink = s, .arena = a, .req = req, .unit = req->unit};
  struct digest d = command_digest(a, req);
  char hex[65];
  digest_hex(&d, hex);
  *out = (struct built){0};
  b.base = arena_strz(a, arena_printf(a, "%s/%.40s", req->cache_dir, hex));
  b.product = arena_printf(a, "%s%.*s%.*s.%s", req->bodies ? "" : "lib", STR_ARG(b.unit->crate_name),
                           STR_ARG(b.unit->extra_filename),
                           req->bodies ? "mir" : b.unit->is_proc_macro ? "so" : "rmeta");
  if (look_up(&b, out)) {
    return true;
  }
  if (!fs_mkdirs(s, req->cache_dir)) {
    return false;
  }
  int lock = fs_lock(s, arena_strz(a, arena_printf(a, "%s.lock", b.base)));
  if (lock < 0) {
    return false;
  }
  bool ok = look_up(&b, out) || compile(&b, out);
  fs_unlock(lock);
  return ok;
}
