/* The parsed command line of mirdc. */
#ifndef MIRDC_DRIVER_OPTIONS_H
#define MIRDC_DRIVER_OPTIONS_H

#include "base/command_line.h"

enum command {
#define CMD(id, name, letter, args, help) id,
#include "driver/options.def"
  COMMAND_COUNT
};
enum option {
#define OPT(id, name, letter, arg, commands, help) id,
#include "driver/options.def"
  OPTION_COUNT
};

struct options {
  enum command command;
  cl_words args;                 /* file names and the like, in order */
  cl_words rest;                 /* what follows -- */
  cl_words values[OPTION_COUNT]; /* argument of each use, "" for an option without one */
};

/* Parses argv[1..]; strings are borrowed from argv or live in the arena. False after reporting. */
bool options_parse(struct diag_sink *s, struct arena *a, int argc, char **argv,
                   struct options *out) MUST_CHECK;
bool option_given(const struct options *o, enum option id);
/* The last value, or `otherwise`. */
const char *option_value(const struct options *o, enum option id, const char *otherwise);
/* The last value as one of a NULL-terminated list of words; its index. */
bool option_choice(struct diag_sink *s, const struct options *o, enum option id,
                   const char *const *words, unsigned otherwise, unsigned *out) MUST_CHECK;
bool option_number(struct diag_sink *s, const struct options *o, enum option id, uint64_t min,
                   uint64_t max, uint64_t otherwise, uint64_t *out) MUST_CHECK;
/* The optimisation level: by default 3, and 0 for debuggers, who take no other. */
bool option_opt_level(struct diag_sink *s, const struct options *o, bool debug,
                      unsigned *out) MUST_CHECK;
/* All values, split at commas; none when the option is not given. */
bool option_list(struct diag_sink *s, const struct options *o, enum option id, struct arena *a,
                 str **out, size_t *n) MUST_CHECK;
const char *command_name(enum command c);
/* Help for one command, or the overview for CMD_HELP. */
void options_help(enum command c, struct strbuf *out);
/* For shells: words that may stand after those typed so far, one a line. */
void options_complete(int argc, char **argv, struct strbuf *out);

#endif
