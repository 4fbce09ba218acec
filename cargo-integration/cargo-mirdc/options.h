/* The parsed command line of `cargo mirdc`. */
#ifndef MIRDC_CARGO_OPTIONS_H
#define MIRDC_CARGO_OPTIONS_H

#include "base/command_line.h"

enum sub {
#define SUB(id, name, letter, args, help) id,
#include "cargo-integration/cargo-mirdc/options.def"
  SUB_COUNT
};
enum opt {
#define OPT(id, name, letter, arg, commands, to, help) id,
#include "cargo-integration/cargo-mirdc/options.def"
  OPT_COUNT
};

typedef cl_words words;

struct options {
  enum sub sub;
  words args;             /* what is no option, in order */
  words rest;             /* what follows -- */
  words values[OPT_COUNT]; /* value of each use, "" for an option without one */
  words cargo, metadata, driver; /* options to hand on, spelled out, in order */
};

/* Parses argv[1..]. False after reporting (MD0601, MD0602). */
bool options_parse(struct diag_sink *s, struct arena *a, int argc, char **argv,
                   struct options *out) MUST_CHECK;
bool option_given(const struct options *o, enum opt id);
/* The last value, or `otherwise`. */
const char *option_value(const struct options *o, enum opt id, const char *otherwise);
const char *sub_name(enum sub c);
/* The Cargo profile that is asked for: --profile, --release, else dev. */
const char *option_profile(const struct options *o);
/* Help for one command, or the overview for SUB_HELP. */
void options_help(enum sub c, struct strbuf *out);

#endif
