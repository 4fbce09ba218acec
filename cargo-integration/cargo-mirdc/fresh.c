/* Stamps of targets that are up to date.
 *
 *   mirdc-fresh 1 KEY found|none OUT ERR DIGEST    of all after this line
 *   STATE LINE            for each line of the lists; STATE: size, times and inode, or - for
 * unknown (an empty line, then OUT bytes of standard output and ERR of standard error) */
#include "cargo-integration/cargo-mirdc/fresh.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/depends.h"
#include "cargo-integration/cargo-mirdc/tools.h"

extern char **environ;

#define HEAD "mirdc-fresh 1 "
/* Times of files are those of the last tick of the clock, so a change may look a little older. */
#define TICK_NS 20000000

/* ---- the key ---- */
static bool decides(const char *entry) {
  static const char *const starts[] = {
      "MIRDC_", "MIRDC=", "CUDA_", "LD_LIBRARY_PATH=", "LD_PRELOAD=", "RUSTUP_", "RUSTC"};
  for (size_t i = 0; i < COUNT_OF(starts); i++) {
    if (strncmp(entry, starts[i], strlen(starts[i])) == 0) {
      return true;
    }
  }
  return false;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void hash_environment(struct hasher *h, struct arena *a) {
  VEC(char *) list = {0};
  for (char **e = environ; *e != NULL; e++) {
    if (decides(*e)) {
      vec_push(a, &list, *e);
    }
  }
  if (list.n > 0) {
    qsort(list.p, list.n, sizeof *list.p, by_text);
  }
  for (size_t i = 0; i < list.n; i++) {
    hash_field(h, STR("env"), str_from(list.p[i]));
  }
}

static void hash_words(struct hasher *h, str tag, const words *w) {
  for (size_t i = 0; i < w->n; i++) {
    hash_field(h, tag, str_from(w->p[i]));
  }
}

struct closure {
  struct job *job;
  const struct nested *nested;
  struct hasher *h;
  str *names; /* of all records, sorted */
  size_t n;
  struct map seen;
};

static bool hash_record(struct closure *c, const char *path, struct recorded *rec) {
  struct bytes b;
  if (fs_try_read(path, (size_t)64 << 20, &b) != 0) {
    return false;
  }
  hash_field(c->h, path_base(str_from(path)), (str){(const char *)b.p, b.n});
  bytes_free(&b);
  return recorded_read(c->job->sink, c->job->arena, path, rec);
}

static bool hash_externs(struct closure *c, const struct recorded *rec);

/* All records of the crate, because which of them counts is the pass's business. */
static bool hash_crate(struct closure *c, str stem) {
  str prefix = arena_printf(c->job->arena, "%.*s-", STR_ARG(stem));
  bool fresh;
  map_put(&c->seen, prefix, &fresh);
  for (size_t i = 0; fresh && i < c->n; i++) {
    struct recorded rec;
    char *path;
    if (!str_starts(c->names[i], prefix)) {
      continue;
    }
    path = path_join(c->job->arena, c->nested->records, arena_strz(c->job->arena, c->names[i]));
    if (!hash_record(c, path, &rec) || !hash_externs(c, &rec)) {
      return false;
    }
  }
  return true;
}

/* --extern NAME=…/libCRATE-HASH.rmeta */
static bool hash_externs(struct closure *c, const struct recorded *rec) {
  for (size_t i = 1; i < rec->argv.n; i++) {
    str value = str_from(rec->argv.p[i]);
    bool glued = str_starts(value, STR("--extern="));
    if (!glued && strcmp(rec->argv.p[i - 1], "--extern") != 0) {
      continue;
    }
    size_t eq = str_rfind_char(value, '=');
    str stem = path_stem(path_base(eq == SIZE_MAX ? value : str_drop(value, eq + 1)));
    if (!hash_crate(c, str_starts(stem, STR("lib")) ? str_drop(stem, 3) : stem)) {
      return false;
    }
  }
  return true;
}

static bool hash_commands(struct hasher *h, struct job *j, const struct nested *n,
                          const struct artifact *r, const struct recorded *rec) {
  struct closure c = {.job = j, .nested = n, .h = h};
  struct recorded same;
  bool ok = fs_list(j->arena, n->records, &c.names, &c.n) && hash_record(&c, r->record, &same) &&
            hash_externs(&c, rec);
  map_free(&c.seen);
  return ok;
}

static void hash_job(struct hasher *h, struct job *j, const struct artifact *r) {
  char *cwd = getcwd(NULL, 0);
  hash_field(h, STR("version"), STR(MIRDC_VERSION));
  hash_field(h, STR("cwd"), str_from(cwd));
  hash_field(h, STR("shared"), str_from(j->shared));
  hash_field(h, STR("out"), str_from(option_value(j->options, OPT_OUT_DIR, "")));
  hash_field(h, STR("profile"), str_from(j->profile));
  hash_field(h, STR("package"), r->package);
  hash_field(h, STR("kind"), str_from(r->kind));
  hash_field(h, STR("name"), r->name);
  hash_field_u64(h, STR("check"), j->check);
  hash_field_u64(h, STR("bundles"), j->bundles);
  hash_field_u64(h, STR("json"), j->json);
  hash_field_u64(h, STR("color"), j->color);
  hash_field_u64(h, STR("debug"), option_given(j->options, OPT_DEBUG));
  hash_words(h, STR("driver"), &j->options->driver);
  free(cwd);
}

/* Which stamp: what may stand side by side. */
static char *stamp_path(struct job *j, const struct nested *n, const struct artifact *r) {
  struct hasher *h = hash_new();
  char hex[65];
  hash_field(h, STR("profile"), str_from(j->profile));
  hash_field(h, STR("package"), r->package_id);
  hash_field(h, STR("kind"), str_from(r->kind));
  hash_field(h, STR("name"), r->name);
  hash_field(h, STR("out"), str_from(option_value(j->options, OPT_OUT_DIR, "")));
  hash_field_u64(h, STR("check"), j->check);
  struct digest d = hash_finish(h);
  digest_hex(&d, hex);
  return path_join(j->arena, n->dir,
                   arena_strz(j->arena, arena_printf(j->arena, "fresh/%.32s", hex)));
}

void fresh_open(struct fresh *f, struct job *j, const struct nested *n, const struct artifact *r,
                const struct recorded *rec) {
  *f = (struct fresh){0};
  /* Arguments for the driver may ask for anything, such as to say what it would do. */
  if (j->options->rest.n > 0) {
    return;
  }
  /* A rustc that is another program may choose the compiler anew each time. */
  char *rustc = proc_find(j->arena, rec->argv.p[0]);
  char *real = rustc != NULL ? path_real(j->arena, rustc) : NULL;
  if (real == NULL || !str_starts(path_base(str_from(real)), STR("rustc"))) {
    return;
  }
  struct hasher *h = hash_new();
  static const char *const tools[] = {"mirdc", "mirdc-rustc"};
  hash_job(h, j, r);
  hash_environment(h, j->arena);
  bool ok = hash_commands(h, j, n, r, rec);
  for (size_t i = 0; i < COUNT_OF(tools); i++) {
    hash_field(h, STR("tool"), str_from(tool_find(j->sink, j->arena, tools[i])));
  }
  hash_field(h, STR("rustc"), str_from(real));
  f->key = hash_finish(h);
  f->stamp = ok ? stamp_path(j, n, r) : NULL;
}

/* ---- states of files ---- */
static str state_text(struct arena *a, const struct stat *st) {
  return arena_printf(a, "%" PRIu64 ":%" PRId64 ".%09ld:%" PRId64 ".%09ld:%" PRIu64,
                      (uint64_t)st->st_size, (int64_t)st->st_mtim.tv_sec, st->st_mtim.tv_nsec,
                      (int64_t)st->st_ctim.tv_sec, st->st_ctim.tv_nsec, (uint64_t)st->st_ino);
}

static bool same_content(const char *path, str hex) {
  struct bytes b;
  char now[65];
  if (fs_try_read(path, 0, &b) != 0) {
    return false;
  }
  struct digest d = hash_of(b.p, b.n);
  bytes_free(&b);
  digest_hex(&d, now);
  return str_eqz(hex, now);
}

static bool same_variable(struct arena *a, str text) {
  size_t eq = str_find_char(text, '=', 0);
  const char *now = getenv(arena_strz(a, str_sub(text, 0, eq)));
  return eq != SIZE_MAX && now != NULL && str_eqz(str_drop(text, eq + 1), now);
}

/* A file that was only touched still has its content; a tool is not read. */
static bool line_holds(struct arena *a, str state, str line) {
  enum depends_kind kind;
  str hex, rest;
  struct stat st;
  if (!depends_parse(line, &kind, &hex, &rest)) {
    return false;
  }
  const char *z = arena_strz(a, rest);
  switch (kind) {
  case DEPENDS_FILE:
  case DEPENDS_MADE:
  case DEPENDS_TOOL:
    if (stat(z, &st) != 0 || !S_ISREG(st.st_mode)) {
      return false;
    }
    return str_eq(state, state_text(a, &st)) || (kind != DEPENDS_TOOL && same_content(z, hex));
  case DEPENDS_ABSENT:
    return access(z, F_OK) != 0;
  case DEPENDS_ENV:
    return same_variable(a, rest);
  case DEPENDS_NOENV:
    return getenv(z) == NULL;
  case DEPENDS_DOUBT:
    break;
  }
  return false;
}

/* ---- checking ---- */
static bool head_holds(const struct fresh *f, str line, str body, bool *found, size_t *n_out,
                       size_t *n_err) {
  char key[65], word[6], digest[65], hex[65], now[65];
  struct digest d = hash_of(body.p, body.n);
  struct strbuf z = {0};
  digest_hex(&f->key, hex);
  digest_hex(&d, now);
  sb_add(&z, line);
  bool ok = sscanf(sb_z(&z), HEAD "%64[0-9a-f] %5s %zu %zu %64[0-9a-f]", key, word, n_out, n_err,
                   digest) == 5 &&
            strcmp(key, hex) == 0 && strcmp(digest, now) == 0;
  *found = ok && strcmp(word, "found") == 0;
  sb_free(&z);
  return ok && (*found || strcmp(word, "none") == 0);
}

static bool lines_hold(struct arena *a, str *rest) {
  str line;
  while (str_next_line(rest, &line)) {
    size_t space = str_find_char(line, ' ', 0);
    if (line.n == 0) {
      return true;
    }
    if (space == SIZE_MAX || !line_holds(a, str_sub(line, 0, space), str_drop(line, space + 1))) {
      return false;
    }
  }
  return false; /* cut off */
}

bool fresh_holds(struct fresh *f, struct job *j, bool *found) {
  struct bytes b;
  str line;
  size_t n_out = 0, n_err = 0;
  if (f->stamp == NULL || fs_try_read(f->stamp, (size_t)64 << 20, &b) != 0) {
    return false;
  }
  str rest = {(const char *)b.p, b.n};
  bool ok = str_next_line(&rest, &line) && head_holds(f, line, rest, found, &n_out, &n_err) &&
            lines_hold(j->arena, &rest) && n_out <= rest.n && n_err == rest.n - n_out;
  if (ok) {
    (void)fwrite(rest.p, 1, n_out, stdout);
    (void)fflush(stdout);
    (void)fwrite(rest.p + n_out, 1, n_err, stderr);
  }
  bytes_free(&b);
  return ok;
}

/* ---- keeping ---- */
void fresh_begin(struct fresh *f, struct job *j, const char *dir) {
  clock_gettime(CLOCK_REALTIME, &f->start);
  f->pass_list = path_join(j->arena, dir, "pass.list");
  f->driver_list = path_join(j->arena, dir, "driver.list");
}

static int64_t nanoseconds(struct timespec t) {
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* What changed while it was read may have been read in either state, so it makes no stamp. */
static bool keep_line(const struct fresh *f, struct arena *a, str line, struct strbuf *out) {
  enum depends_kind kind;
  str hex, rest, state = STR("-");
  struct stat st;
  if (!depends_parse(line, &kind, &hex, &rest) || kind == DEPENDS_DOUBT) {
    return false;
  }
  if (kind == DEPENDS_FILE || kind == DEPENDS_TOOL) {
    if (stat(arena_strz(a, rest), &st) != 0 ||
        nanoseconds(st.st_ctim) > nanoseconds(f->start) - TICK_NS) {
      return false;
    }
    state = state_text(a, &st);
  }
  sb_addf(out, "%.*s %.*s\n", STR_ARG(state), STR_ARG(line));
  return true;
}

static bool keep_lines(const struct fresh *f, struct job *j, str text, struct strbuf *out) {
  str line;
  bool ok = true;
  while (ok && str_next_line(&text, &line)) {
    ok = keep_line(f, j->arena, line, out);
  }
  return ok;
}

static bool keep_list(const struct fresh *f, struct job *j, const char *path, struct strbuf *out) {
  struct bytes b;
  if (fs_try_read(path, (size_t)64 << 20, &b) != 0) {
    return false;
  }
  bool ok = b.n > 0 && keep_lines(f, j, (str){(const char *)b.p, b.n}, out);
  bytes_free(&b);
  return ok;
}

void fresh_keep(struct fresh *f, struct job *j, bool found) {
  struct strbuf text = {0}, whole = {0};
  struct depends own = {0};
  char key[65], hex[65];
  if (f->stamp == NULL) {
    return;
  }
  size_t n_out = j->json ? f->out.n : 0;
  depends_self(&own);
  bool ok = keep_lines(f, j, sb_str(&own.text), &text) && keep_list(f, j, f->pass_list, &text) &&
            (!found || keep_list(f, j, f->driver_list, &text));
  sb_addc(&text, '\n');
  sb_add(&text, str_sub(sb_str(&f->out), 0, n_out));
  sb_add(&text, sb_str(&f->err));
  struct digest d = hash_of(text.p, text.n);
  digest_hex(&f->key, key);
  digest_hex(&d, hex);
  sb_addf(&whole, HEAD "%s %s %zu %zu %s\n", key, found ? "found" : "none", n_out, f->err.n, hex);
  sb_add(&whole, sb_str(&text));
  /* A stamp that cannot be kept costs time, not the build. */
  struct source_map none;
  struct diag_sink quiet;
  source_map_init(&none);
  diag_sink_init(&quiet, &none);
  if (ok) {
    ok = fs_mkdirs(&quiet, arena_strz(j->arena, path_dir(str_from(f->stamp)))) &&
         fs_write_atomic(&quiet, f->stamp, sb_str(&whole));
  }
  if (!ok) {
    (void)unlink(f->stamp);
  }
  diag_sink_free(&quiet);
  source_map_free(&none);
  depends_free(&own);
  sb_free(&whole);
  sb_free(&text);
}

void fresh_free(struct fresh *f) {
  sb_free(&f->out);
  sb_free(&f->err);
}
