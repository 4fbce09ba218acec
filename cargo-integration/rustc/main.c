/* mirdc-rustc: from Rust to prepared MIR. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ending.h"
#include "base/fs.h"
#include "base/proc.h"
#include "cargo-integration/rustc/options.h"
#include "cargo-integration/rustc/prepare.h"

struct job {
  struct arena arena;
  struct source_map sources;
  struct diag_sink sink;
  struct pass_options options;
  bool json, color;
};

static const char *cache_dir(struct job *j) {
  return pass_option(&j->options, PO_CACHE, deps_default_cache(&j->arena));
}

static bool gives_edition(const struct pass_options *o) {
  for (size_t i = 0; i < o->rest.n; i++)
    if (strncmp(o->rest.p[i], "--edition", 9) == 0)
      return true;
  return false;
}

/* A single file, with more arguments for rustc behind `--`. */
static bool unit_of_file(struct job *j, struct unit *u) {
  struct toolchain tc;
  struct arena *a = &j->arena;
  if (!toolchain_find(&j->sink, a, pass_option(&j->options, PO_RUSTC, NULL), &tc) ||
      !unit_from_file(&j->sink, a, &tc, j->options.files.p[0], NULL, u))
    return false;
  if (!j->options.rest.n)
    return true;
  bool uses = u->uses_device_crate;
  VEC(char *) argv = {0};
  vec_push(a, &argv, j->options.files.p[0]);
  vec_push(a, &argv, arena_strz(a, STR("--crate-type=lib")));
  if (!gives_edition(&j->options))
    vec_push(a, &argv, arena_strz(a, STR("--edition=2024")));
  for (size_t i = 0; i < j->options.rest.n; i++)
    vec_push(a, &argv, j->options.rest.p[i]);
  *u = (struct unit){.tc = tc};
  if (!unit_parse(&j->sink, a, u, (int)argv.n, argv.p))
    return false;
  u->uses_device_crate = uses;
  return true;
}

static bool unit_of_command(struct job *j, struct unit *u) {
  struct toolchain tc;
  char **argv = j->options.rest.p;
  return toolchain_find(&j->sink, &j->arena, argv[0], &tc) &&
         unit_from_args(&j->sink, &j->arena, &tc, (int)j->options.rest.n - 1, argv + 1, u);
}

static bool usage(struct job *j, const char *what) {
  struct diag *d = diag_error(&j->sink, MD0191, SPAN_NONE, "%s", what);
  diag_help(d, "`mirdc-rustc --help` shows how it is called");
  return false;
}

static bool find_unit(struct job *j, struct unit *u, bool *bad_usage) {
  *bad_usage = true;
  if (j->options.files.n > 1)
    return usage(j, "more than one file is given");
  if (j->options.files.n == 0 && j->options.rest.n == 0)
    return usage(j, "no file and no rustc command is given");
  *bad_usage = false;
  return j->options.files.n ? unit_of_file(j, u) : unit_of_command(j, u);
}

static const char *output(struct job *j, const struct unit *u) {
  const char *given = pass_option(&j->options, PO_OUT, NULL);
  if (given)
    return given;
  return arena_strz(&j->arena, arena_printf(&j->arena, "%.*s.pmir.json", STR_ARG(u->crate_name)));
}

/* The crate's root is found from the folder that rustc runs in. */
static bool out_is_source(struct job *j, const struct unit *u) {
  const char *out = output(j, u);
  const char *root = u->cwd ? path_join(&j->arena, u->cwd, u->root) : u->root;
  if (!fs_same_file(out, root))
    return false;
  struct diag *d =
      diag_error(&j->sink, MD0016, SPAN_NONE, "the output `%s` is the input `%s`", out, u->root);
  diag_help(d, "choose another name with --out");
  return true;
}

static void report_runs(const struct job *j, const struct runs *r) {
  if (!pass_option(&j->options, PO_VERBOSE, NULL))
    return;
  fprintf(stderr, "mirdc-rustc: %u rustc runs, %llu ms", r->n_runs, (unsigned long long)(r->rustc_us / 1000));
  for (size_t i = 0; i < r->log.n; i++)
    fprintf(stderr, "%s%s", i ? ", " : ": ", r->log.p[i]);
  fputc('\n', stderr);
}

static bool open_runs(struct job *j, struct unit *u, struct deps *deps, struct depends *made_of,
                      struct runs *runs) {
  deps_list_inputs(deps, made_of);
  if (!runs_open(&j->sink, &j->arena, u, deps, runs))
    return false;
  runs->made_of = made_of;
  return true;
}

static bool write_list(struct job *j, const struct unit *u, struct depends *d, const char *path) {
  depends_self(d);
  depends_env(d, "MIRDC_CRATES");
  toolchain_list(&u->tc, &j->arena, d);
  /* What the cache holds was made of what is listed already. */
  for (size_t i = 0; i < u->externs.n; i++) {
    const char *file = u->externs.p[i].path;
    if (file && !str_starts(str_from(file), str_from(cache_dir(j))))
      depends_tool(d, u->cwd ? path_join(&j->arena, u->cwd, file) : file);
  }
  return depends_write(d, &j->sink, path);
}

/* Makes the text. *user_error: rustc has said what is wrong. */
static bool prepare_unit(struct job *j, struct unit *u, bool first, struct strbuf *text,
                         bool *user_error) {
  struct deps *deps = NULL;
  struct runs runs;
  bool ok = false;
  struct arena *a = &j->arena;
  struct depends made_of = {0};
  const char *list = pass_option(&j->options, PO_DEPENDS, NULL);
  *user_error = false;
  if (deps_open(&j->sink, a, &u->tc, pass_option(&j->options, PO_RECORDS, NULL), cache_dir(j),
                &deps) &&
      open_runs(j, u, deps, list ? &made_of : NULL, &runs)) {
    struct prep_input in = {.sink = &j->sink, .arena = a, .unit = u, .runs = &runs,
                            .entries = (const char *const *)j->options.values[PO_ENTRY].p,
                            .n_entries = j->options.values[PO_ENTRY].n,
                            .keep = pass_option(&j->options, PO_KEEP, NULL)};
    runs.json = j->json;
    runs.checked = !first;
    ok = prepare(&in, text, user_error);
    runs_close(&runs);
    report_runs(j, &runs);
    /* A crate without kernels is an answer too. */
    if (list && !write_list(j, u, &made_of, list))
      ok = false;
  }
  deps_close(deps);
  depends_free(&made_of);
  return ok && !diag_failed(&j->sink);
}

static void warn_of_loss(struct job *j, enum unit_debug got, str why) {
  struct diag *d = diag_warning(&j->sink, MD0932, SPAN_NONE, got == DEBUG_MOST
                                                                 ? "some variables are not described"
                                                                 : "many variables are not described");
  diag_note(d, "rustc had to optimise more: otherwise %.*s", STR_ARG(why));
}

/* For debuggers some of rustc's passes are left out. What cannot be read then gets more of them, so that
 * everything that compiles also compiles for a debugger. */
static bool prepare_for_debugger(struct job *j, const struct unit *u, struct strbuf *text) {
  str why = STR_NULL;
  for (enum unit_debug how = DEBUG_ALL;; how++) {
    struct diag_mark m = diag_save(&j->sink);
    struct unit copy = *u; /* its dependencies are filled in */
    bool user_error;
    copy.debug = how;
    bool ok = prepare_unit(j, &copy, how == DEBUG_ALL, text, &user_error);
    if (ok && how != DEBUG_ALL)
      warn_of_loss(j, how, why);
    if (ok || user_error || how == DEBUG_REST)
      return ok;
    for (const struct diag *d = *m.end; d && !why.n; d = d->next)
      if (d->severity == SEV_ERROR)
        why = arena_str(&j->arena, d->message);
    diag_drop_since(&j->sink, m);
    sb_clear(text);
  }
}

static bool run_unit(struct job *j, struct unit *u) {
  struct strbuf text = {0};
  bool user_error, ok;
  if (out_is_source(j, u))
    return false;
  j->sources.root = str_from(u->package_root); /* paths in dumps are relative to it */
  if (pass_option(&j->options, PO_DEBUG, NULL))
    ok = prepare_for_debugger(j, u, &text);
  else
    ok = prepare_unit(j, u, true, &text, &user_error);
  if (ok)
    ok = fs_write_atomic(&j->sink, output(j, u), sb_str(&text));
  sb_free(&text);
  return ok;
}

static int record(struct job *j) {
  if (!j->options.rest.n) {
    (void)usage(j, "--record needs a rustc command after --");
    return 2;
  }
  return deps_record(&j->sink, &j->arena, pass_option(&j->options, PO_RECORD, NULL),
                     (int)j->options.rest.n, j->options.rest.p);
}

static int work(struct job *j) {
  struct unit u;
  bool bad_usage;
  if (pass_option(&j->options, PO_RECORD, NULL))
    return record(j);
  if (!find_unit(j, &u, &bad_usage))
    return bad_usage ? 2 : 1;
  return run_unit(j, &u) && !diag_failed(&j->sink) ? 0 : 1;
}

static int print_text(void (*make)(struct strbuf *)) {
  struct strbuf b = {0};
  make(&b);
  fputs(sb_z(&b), stdout);
  sb_free(&b);
  return 0;
}

static bool use_color(const struct job *j) {
  const char *c = pass_option(&j->options, PO_COLOR, "auto");
  if (strcmp(c, "auto") != 0)
    return strcmp(c, "always") == 0;
  const char *no = getenv("NO_COLOR");
  return !(no && *no) && isatty(STDERR_FILENO);
}

int main(int argc, char **argv) {
  fs_prepare_process();
  proc_end_between_children();
  struct job j = {.json = false};
  source_map_init(&j.sources);
  diag_sink_init(&j.sink, &j.sources);
  int status = 2;
  if (argc == 2 && strcmp(argv[1], "--complete") == 0) {
    status = print_text(pass_options_complete);
  } else if (pass_options_parse(&j.sink, &j.arena, argc, argv, &j.options)) {
    j.json = pass_option(&j.options, PO_JSON, NULL) ||
             strcmp(pass_option(&j.options, PO_FORMAT, "human"), "json") == 0;
    if (pass_option(&j.options, PO_HELP, NULL)) {
      status = print_text(pass_options_help);
    } else if (pass_option(&j.options, PO_VERSION, NULL)) {
      puts("mirdc-rustc " MIRDC_VERSION);
      status = 0;
    } else {
      status = work(&j);
    }
  }
  if (status != 0)
    ending_explain(&j.sink);
  diag_flush(&j.sink, j.json, use_color(&j));
  if (!diag_check_stdout(&j.sink)) {
    status = 1;
    diag_flush(&j.sink, false, use_color(&j));
  }
  diag_sink_free(&j.sink);
  source_map_free(&j.sources);
  arena_free(&j.arena);
  return status;
}
