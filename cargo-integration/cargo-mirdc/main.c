/* cargo-mirdc: `cargo mirdc …`, and the compiler wrapper of its own nested cargo. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ending.h"
#include "cargo-integration/cargo-mirdc/small.h"

static bool speak(struct job *j) {
  const char *color = option_value(j->options, OPT_COLOR, getenv("CARGO_TERM_COLOR"));
  const char *format = option_value(j->options, OPT_FORMAT, "human");
  const char *none = getenv("NO_COLOR");
  color = color != NULL && color[0] != '\0' ? color : "auto";
  bool known = strcmp(color, "auto") == 0 || strcmp(color, "always") == 0 ||
               strcmp(color, "never") == 0;
  if (!known || (strcmp(format, "human") != 0 && strcmp(format, "json") != 0)) {
    diag_error(j->sink, MD0602, SPAN_NONE, "`%s` is not a choice of `--%s`",
               known ? format : color, known ? "message-format" : "color");
    return false;
  }
  j->color = strcmp(color, "always") == 0 ||
             (strcmp(color, "auto") == 0 && isatty(2) && !(none != NULL && none[0] != '\0'));
  j->json = strcmp(format, "json") == 0;
  j->quiet = option_given(j->options, OPT_QUIET);
  j->verbose = option_given(j->options, OPT_VERBOSE);
  j->profile = option_profile(j->options);
  return true;
}

/* $MIRDC_ARCH stands in for --arch. */
static void take_arch(struct job *j, struct options *o) {
  const char *arch = getenv("MIRDC_ARCH");
  if (!option_given(o, OPT_ARCH) && arch != NULL && arch[0] != '\0' && o->sub == SUB_BUILD) {
    vec_push(j->arena, &o->driver, arena_strz(j->arena, arena_printf(j->arena, "--arch=%s", arch)));
  }
}

static int help(struct job *j) {
  struct strbuf b = {0};
  enum sub sub = SUB_HELP;
  bool known = j->options->args.n == 0;
  for (unsigned i = 0; !known && i < SUB_COUNT; i++) {
    if (strcmp(j->options->args.p[0], sub_name((enum sub)i)) == 0) {
      sub = (enum sub)i;
      known = true;
    }
  }
  if (!known) {
    diag_error(j->sink, MD0601, SPAN_NONE, "unknown command `cargo mirdc %s`",
               j->options->args.p[0]);
    return EXIT_WRONG_USAGE;
  }
  options_help(sub, &b);
  (void)fputs(sb_z(&b), stdout);
  sb_free(&b);
  return 0;
}

static int run(struct job *j) {
  switch (j->options->sub) {
  case SUB_BUILD:
    return option_given(j->options, OPT_SCRIPT) ? sub_build_script(j) : sub_build(j);
  case SUB_CHECK:
    j->check = true;
    return sub_build(j);
  case SUB_READ:
    return sub_read(j);
  case SUB_CLEAN:
    return sub_clean(j);
  case SUB_DOCTOR:
    return sub_doctor(j);
  case SUB_NEW:
    return sub_new(j);
  case SUB_HELP:
    return help(j);
  case SUB_VERSION:
    puts("cargo-mirdc " MIRDC_VERSION);
    return 0;
  case SUB_COUNT:
    break;
  }
  return EXIT_WRONG_USAGE;
}

static int subcommand(struct job *j, int argc, char **argv) {
  struct options o;
  bool parsed = options_parse(j->sink, j->arena, argc, argv, &o);
  j->options = &o;
  if (!parsed || !speak(j)) {
    return EXIT_WRONG_USAGE;
  }
  take_arch(j, &o);
  return run(j);
}

/* As a wrapper it is started with rustc's path; as a subcommand with the word `mirdc`. */
static bool is_wrapper_call(int argc, char **argv) {
  const char *dir = getenv(RECORD_ENV);
  return dir != NULL && dir[0] != '\0' && argc > 1 && strcmp(argv[1], "mirdc") != 0;
}

int main(int argc, char **argv) {
  fs_prepare_process();
  struct arena arena = {0};
  struct source_map sources;
  struct diag_sink sink;
  struct job j = {.sink = &sink, .arena = &arena};
  int status;
  source_map_init(&sources);
  diag_sink_init(&sink, &sources);
  if (is_wrapper_call(argc, argv)) {
    status = nested_wrapper(&sink, &arena, argc, argv);
  } else {
    proc_end_between_children();
    bool by_cargo = argc > 1 && strcmp(argv[1], "mirdc") == 0;
    status = subcommand(&j, by_cargo ? argc - 1 : argc, by_cargo ? argv + 1 : argv);
  }
  if (status != 0) {
    ending_explain(&sink);
  }
  diag_flush(&sink, j.json, j.color);
  if (!diag_check_stdout(&sink)) {
    status = status ? status : 1;
    diag_flush(&sink, false, j.color);
  }
  diag_sink_free(&sink);
  source_map_free(&sources);
  arena_free(&arena);
  return status;
}
