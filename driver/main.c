/* mirdc: the command. Everything of substance is in the cmd_ files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ending.h"
#include "base/fs.h"
#include "driver/cmd_read.h"
#include "driver/session.h"

static bool speak(struct session *s) {
  static const char *const formats[] = {"human", "json", NULL};
  static const char *const colors[] = {"auto", "always", "never", NULL};
  unsigned format, color;
  if (!option_choice(&s->sink, &s->options, OPT_FORMAT, formats, 0, &format) ||
      !option_choice(&s->sink, &s->options, OPT_COLOR, colors, 0, &color))
    return false;
  const char *no_color = getenv("NO_COLOR");
  s->json = format == 1;
  s->color = color == 1 || (color == 0 && isatty(2) && !(no_color && no_color[0]));
  s->quiet = option_given(&s->options, OPT_QUIET);
  s->verbose = option_given(&s->options, OPT_VERBOSE);
  return true;
}

static int help(struct session *s) {
  struct strbuf b = {0};
  enum command c = CMD_HELP;
  bool known = s->options.args.n == 0;
  for (unsigned i = 0; !known && i < COMMAND_COUNT; i++)
    if (strcmp(s->options.args.p[0], command_name((enum command)i)) == 0) {
      c = (enum command)i;
      known = true;
    }
  if (!known) {
    diag_error(&s->sink, MD0010, SPAN_NONE, "unknown command `%s`", s->options.args.p[0]);
    return EXIT_USAGE;
  }
  options_help(c, &b);
  fputs(sb_z(&b), stdout);
  sb_free(&b);
  return EXIT_DONE;
}

static int run(struct session *s) {
  switch (s->options.command) {
  case CMD_COMPILE:
    return cmd_compile(s);
  case CMD_CHECK:
    return cmd_check(s);
  case CMD_LINK:
    return cmd_link(s);
  case CMD_DOCTOR:
    return cmd_doctor(s);
  case CMD_EXPLAIN:
    return cmd_explain(s);
  case CMD_EMULATE:
    return cmd_emulate(s);
  case CMD_HELP:
    return help(s);
  case CMD_VERSION:
    puts("mirdc " MIRDC_VERSION);
    return EXIT_DONE;
  case CMD_READ: /* has its own command line; main has sent it there */
  case COMMAND_COUNT:
    break;
  }
  return EXIT_USAGE;
}

/* The command line itself was wrong: scripts tell that from a wrong input by the status. */
static bool is_usage(const struct diag_sink *s) {
  if (!s->first)
    return false;
  switch ((int)s->first->code) {
  case MD0010:
  case MD0011:
  case MD0012:
  case MD0013:
  case MD0840:
    return true;
  default:
    return false;
  }
}

static int complete(int argc, char **argv) {
  struct strbuf b = {0};
  options_complete(argc, argv, &b);
  fputs(sb_z(&b), stdout);
  sb_free(&b);
  return EXIT_DONE;
}

int main(int argc, char **argv) {
  fs_prepare_process();
  if (argc >= 2 && strcmp(argv[1], "read") == 0) {
    argv[1] = (char[]){"mirdc read"};
    return cmd_read_main(argc - 1, argv + 1);
  }
  if (argc >= 2 && strcmp(argv[1], "--complete") == 0)
    return complete(argc - 2, argv + 2);
  struct session s = {0};
  source_map_init(&s.sources);
  diag_sink_init(&s.sink, &s.sources);
  int status = EXIT_USAGE;
  if (options_parse(&s.sink, &s.arena, argc, argv, &s.options) && speak(&s)) {
    ending_watch(s.json, s.color);
    status = run(&s);
  }
  if (status == EXIT_DONE && diag_failed(&s.sink))
    status = EXIT_DIAGNOSED;
  if (status == EXIT_DIAGNOSED && is_usage(&s.sink))
    status = EXIT_USAGE;
  diag_flush(&s.sink, s.json, s.color);
  if (!diag_check_stdout(&s.sink)) {
    status = EXIT_DIAGNOSED;
    diag_flush(&s.sink, false, s.color);
  }
  diag_sink_free(&s.sink);
  source_map_free(&s.sources);
  arena_free(&s.arena);
  return status;
}
