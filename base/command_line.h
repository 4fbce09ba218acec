/* Command lines of programs with commands, from one table of rows each: parsing, help and words
 * for shells. */
#ifndef MIRDC_BASE_COMMAND_LINE_H
#define MIRDC_BASE_COMMAND_LINE_H

#include "base/diag.h"
#include "base/vec.h"

struct cl_command {
  const char *name;
  char letter;
  const char *args, *help;
};
struct cl_option {
  const char *name;
  char letter;          /* short form, or 0 */
  const char *arg;      /* NULL: takes none */
  const char *commands; /* letters of those that take it */
  const char *help;
};
struct cl_table {
  const char *program, *about;
  const struct cl_command *commands;
  size_t n_commands;
  const struct cl_option *options;
  size_t n_options;
  unsigned help, version; /* the commands that --help, --version mean */
  enum diag_code unknown_command, unknown_option, bad_value;
  const char *option_hint; /* what else to say to an unknown option, or "" */
};

typedef VEC(char *) cl_words;
/* One option as it stood in the line. */
struct cl_use {
  unsigned option;
  const char *value; /* "" without */
};
struct cl_line {
  unsigned command;
  cl_words args;           /* what is no option, in order */
  cl_words rest;           /* what follows -- */
  cl_words *values;        /* the caller's, one for each option: value of each use */
  VEC(struct cl_use) uses; /* in the order of the line */
};

/* Parses argv[1..]; strings are borrowed from argv or live in the arena. `--help` anywhere makes
 * the command `help`, with the former command's name as last argument. False after reporting. */
bool cl_parse(const struct cl_table *t, struct diag_sink *s, struct arena *a, int argc, char **argv,
              struct cl_line *out) MUST_CHECK;
bool cl_find_command(const struct cl_table *t, str name, unsigned *out);
/* The usage line is the caller's: this adds the overview, or the options of one command. */
void cl_help_overview(const struct cl_table *t, struct strbuf *out);
void cl_help_options(const struct cl_table *t, unsigned command, struct strbuf *out);
/* Words that may stand after those typed so far, one a line. */
void cl_complete(const struct cl_table *t, int argc, char **argv, struct strbuf *out);

#endif
