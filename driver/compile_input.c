/* From what the user named to a verified dump in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ending.h"
#include "base/fatal.h"
#include "base/proc.h"
#include "driver/compile.h"
#include "ir/smir.h"

/* The program beside this one, or on PATH. */
static char *find_pass(struct diag_sink *s, struct arena *a) {
  char *own = path_join(a, path_self_dir(a), "mirdc-rustc");
  char *found = access(own, X_OK) == 0 ? own : proc_find(a, "mirdc-rustc");
  if (!found) {
    struct diag *d = diag_error(s, MD0017, SPAN_NONE, "cannot find `mirdc-rustc`");
    diag_note(d, "looked at `%s` and on PATH", own);
  }
  return found;
}

static void pass_options(struct compile *c, struct proc_cmd *cmd) {
  const struct options *o = &c->s->options;
  for (size_t i = 0; i < o->values[OPT_ENTRY].n; i++) {
    proc_arg(cmd, "--entry");
    proc_arg(cmd, o->values[OPT_ENTRY].p[i]);
  }
  if (c->debug)
    proc_arg(cmd, "--debug");
  if (c->s->json) {
    proc_arg(cmd, "--message-format");
    proc_arg(cmd, "json");
  }
}

static void show_command(struct compile *c, const char *what, const struct proc_cmd *cmd) {
  struct strbuf b = {0};
  proc_show(cmd, &b);
  session_say(c->s, "%s %s\n", what, sb_z(&b));
  sb_free(&b);
  fflush(stdout);
}

static bool pass_command(struct compile *c, const char *dump, struct proc_cmd *cmd) {
  char *pass = find_pass(&c->s->sink, c->arena);
  if (!pass)
    return false;
  proc_init(cmd, c->arena, pass);
  proc_arg(cmd, "--out");
  proc_arg(cmd, dump);
  pass_options(c, cmd);
  proc_arg(cmd, c->input);
  if (c->s->options.rest.n)
    proc_arg(cmd, "--");
  for (size_t i = 0; i < c->s->options.rest.n; i++)
    proc_arg(cmd, c->s->options.rest.p[i]);
  cmd->inherit_err = true;
  cmd->inherit_out = true;
  return true;
}

/* Status 1 means that the pass has said itself what is wrong. */
static bool run_pass(struct compile *c, const char *dump) {
  struct diag_sink *sink = &c->s->sink;
  struct proc_cmd cmd;
  struct proc_result r;
  if (!pass_command(c, dump, &cmd))
    return false;
  if (c->s->verbose)
    show_command(c, "running:", &cmd);
  if (!proc_run(sink, &cmd, &r))
    return false;
  if (ending_signal() && r.exited == 1)
    ending_told();
  int status = r.status;
  const char *how = r.signaled ? "was ended by signal" : "ended with status";
  if (status > 1)
    diag_error(sink, MD0017, SPAN_NONE, "`mirdc-rustc` %s %d on `%s`", how,
               r.signaled ? status - 128 : status, c->input);
  proc_result_free(&r);
  return status == 0;
}

/* The folder's name is made up when the pass really runs. */
static bool show_pass(struct compile *c) {
  const char *tmp = getenv("TMPDIR");
  char *dir = path_join(c->arena, tmp && tmp[0] ? tmp : "/tmp", "mirdc-XXXXXX/dump.pmir.json");
  struct proc_cmd cmd;
  struct bytes source;
  if (!fs_read(&c->s->sink, c->input, 0, &source) || !pass_command(c, dir, &cmd))
    return false;
  bytes_free(&source);
  show_command(c, "would run:", &cmd);
  return true;
}

static bool dump_by_pass(struct compile *c) {
  struct diag_sink *sink = &c->s->sink;
  ending_hold();
  char *dir = fs_temp_dir(sink, c->arena);
  uint64_t t0 = now_ns();
  char *dump = dir ? path_join(c->arena, dir, "dump.pmir.json") : NULL;
  bool ok = dir && run_pass(c, dump) && fs_read(sink, dump, 0, &c->dump);
  c->times.pass = now_ns() - t0;
  ok = (!dir || fs_remove_tree(sink, dir)) && ok;
  ending_release();
  return ok;
}

static str source_root(struct compile *c) {
  const char *given = option_value(&c->s->options, OPT_ROOT, NULL);
  return given ? str_from(given) : path_dir(str_from(c->input));
}

/* A dump under another name than *.json is taken when it looks like one. */
static bool looks_like_dump(struct compile *c) {
  str text = {(const char *)c->dump.p, c->dump.n};
  if (str_ends(str_from(c->input), STR(".json")) ||
      str_ends(str_from(c->input), STR(".rs")) ||
      str_starts(str_trim(str_sub(text, 0, 256)), STR("{")))
    return true;
  struct diag *d = diag_error(&c->s->sink, MD0014, SPAN_NONE,
                              "`%s` is neither prepared MIR nor Rust source", c->input);
  diag_help(d, "give a `.pmir.json` file, or Rust source in a file that ends in `.rs`");
  return false;
}

/* PATH[=NAME] of --entry or --export. */
static struct smir_root root_of(const char *text, bool kernel) {
  str all = str_from(text);
  size_t eq = str_find_char(all, '=', 0);
  return (struct smir_root){.path = str_sub(all, 0, eq),
                            .name = eq == SIZE_MAX ? STR_NULL : str_drop(all, eq + 1),
                            .kernel = kernel};
}

/* From here on a foreign dump is the prepared dump that it is rewritten as. */
static bool prepare_foreign(struct compile *c) {
  static const char *const on_off[] = {"off", "on", NULL};
  const struct options *opt = &c->s->options;
  const size_t n = opt->values[OPT_ENTRY].n, m = opt->values[OPT_EXPORT].n;
  struct smir_root *roots = arena_array(c->arena, struct smir_root, n + m);
  struct smir_options o = {.roots = roots, .n_roots = n + m};
  unsigned checks;
  if (!option_choice(&c->s->sink, opt, OPT_OVERFLOW, on_off, 1, &checks))
    return false;
  o.overflow_checks = checks == 1;
  for (size_t i = 0; i < n; i++)
    roots[i] = root_of(opt->values[OPT_ENTRY].p[i], true);
  for (size_t i = 0; i < m; i++)
    roots[n + i] = root_of(opt->values[OPT_EXPORT].p[i], false);
  str text = {(const char *)c->dump.p, c->dump.n};
  struct strbuf out = {0};
  c->foreign_digest = hash_of(text.p, text.n);
  c->foreign_size = text.n;
  bool ok = smir_prepare(text, str_from(c->input), &o, &c->s->sink, &out);
  bytes_free(&c->dump);
  c->dump = (struct bytes){(uint8_t *)out.p, out.n};
  return ok;
}

/* Options that say something about the source are for the inputs that have it. */
static bool options_fit(struct compile *c, bool rust, bool foreign) {
  static const struct {
    enum option id;
    const char *name;
    bool rust;
  } rows[] = {{OPT_ENTRY, "entry", true},
              {OPT_EXPORT, "export", false},
              {OPT_OVERFLOW, "overflow-checks", false}};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    if (foreign || (rust && rows[i].rust) || !option_given(&c->s->options, rows[i].id))
      continue;
    diag_error(&c->s->sink, MD0013, SPAN_NONE, "`--%s` is not for `%s`", rows[i].name, c->input);
    return false;
  }
  return true;
}

bool compile_take_text(struct compile *c, str *shown) {
  struct diag_sink *sink = &c->s->sink;
  if (c->s->options.args.n != 1) {
    struct diag *d = diag_error(sink, MD0013, SPAN_NONE, "`mirdc %s` takes one file, not %zu",
                                command_name(c->s->options.command), c->s->options.args.n);
    diag_help(d, "run `mirdc help %s`", command_name(c->s->options.command));
    return false;
  }
  c->input = c->s->options.args.p[0];
  str in = str_from(c->input);
  bool rust = str_ends(in, STR(".rs")), foreign = str_ends(in, STR(".smir.json"));
  if (!rust && c->s->options.rest.n) {
    diag_error(sink, MD0013, SPAN_NONE, "arguments for rustc are given, but `%s` is no Rust source",
               c->input);
    return false;
  }
  if (!options_fit(c, rust, foreign))
    return false;
  c->s->sources.root = arena_str(c->arena, source_root(c));
  *shown = in;
  if (rust || foreign)
    *shown = arena_printf(c->arena, rust ? "dump of %s" : "%s as prepared MIR", c->input);
  if (rust && c->dry)
    return show_pass(c);
  if (rust)
    return dump_by_pass(c);
  return fs_read(sink, c->input, 0, &c->dump) && (!foreign || prepare_foreign(c));
}

bool compile_take_input(struct compile *c) {
  str shown;
  if (!compile_take_text(c, &shown))
    return false;
  if (c->dry && !c->dump.p)
    return true; /* of Rust source, only the pass's command was shown */
  if (!looks_like_dump(c))
    return false;
  uint64_t t0 = now_ns();
  str text = {(const char *)c->dump.p, c->dump.n};
  c->dump_digest = hash_of(text.p, text.n);
  c->m = pmir_read(text, shown, &c->s->sink);
  c->times.read = now_ns() - t0;
  return c->m != NULL;
}
