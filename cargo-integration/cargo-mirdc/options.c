/* One table (options.def) for parsing, handing on and help. */
#include "cargo-integration/cargo-mirdc/options.h"

#include <string.h>

static const struct cl_command subs[] = {
#define SUB(id, name, letter, args, help) {name, letter, args, help},
#include "cargo-integration/cargo-mirdc/options.def"
};
static const struct cl_option rows[] = {
#define OPT(id, name, letter, arg, commands, to, help) {name, letter, arg, commands, help},
#include "cargo-integration/cargo-mirdc/options.def"
};
static const char *const goes_to[] = {
#define OPT(id, name, letter, arg, commands, to, help) to,
#include "cargo-integration/cargo-mirdc/options.def"
};
static const struct cl_table table = {
    .program = "cargo mirdc",
    .about = "cargo mirdc compiles the GPU kernels of a Cargo package.",
    .commands = subs,
    .n_commands = COUNT_OF(subs),
    .options = rows,
    .n_options = COUNT_OF(rows),
    .help = SUB_HELP,
    .version = SUB_VERSION,
    .unknown_command = MD0601,
    .unknown_option = MD0602,
    .bad_value = MD0602,
    .option_hint = "; options of mirdc itself may follow `--`",
};

const char *sub_name(enum sub c) {
  return subs[c].name;
}

/* The option as another program of the same names takes it: `--name`, or `--name=value`. */
static void hand_on(struct arena *a, struct options *o, const struct cl_use *u) {
  const struct cl_option *r = &rows[u->option];
  const char *to = goes_to[u->option];
  char *word = arena_strz(a, r->arg ? arena_printf(a, "--%s=%s", r->name, u->value)
                                    : arena_printf(a, "--%s", r->name));
  if (strchr(to, 'c') != NULL) {
    vec_push(a, &o->cargo, word);
  }
  if (strchr(to, 'm') != NULL) {
    vec_push(a, &o->metadata, word);
  }
  if (strchr(to, 'd') != NULL) {
    vec_push(a, &o->driver, word);
  }
}

bool options_parse(struct diag_sink *s, struct arena *a, int argc, char **argv,
                   struct options *out) {
  *out = (struct options){.sub = SUB_HELP};
  struct cl_line line = {.values = out->values};
  bool ok = cl_parse(&table, s, a, argc, argv, &line);
  out->sub = (enum sub)line.command;
  out->args = line.args;
  out->rest = line.rest;
  for (size_t i = 0; i < line.uses.n; i++) {
    hand_on(a, out, &line.uses.p[i]);
  }
  bool takes_args = out->sub == SUB_NEW || out->sub == SUB_HELP;
  if (ok && !takes_args && out->args.n > 0) {
    struct diag *d = diag_error(s, MD0602, SPAN_NONE, "unexpected argument `%s`", out->args.p[0]);
    diag_help(d, "choose a package with `-p NAME`, a target with `--lib` or `--bin NAME`");
    return false;
  }
  return ok;
}

bool option_given(const struct options *o, enum opt id) {
  return o->values[id].n > 0;
}

const char *option_value(const struct options *o, enum opt id, const char *otherwise) {
  return o->values[id].n > 0 ? vec_last(&o->values[id]) : otherwise;
}

const char *option_profile(const struct options *o) {
  return option_value(o, OPT_PROFILE, option_given(o, OPT_RELEASE) ? "release" : "dev");
}

void options_help(enum sub c, struct strbuf *out) {
  if (c == SUB_HELP) {
    cl_help_overview(&table, out);
    return;
  }
  const struct cl_command *r = &subs[c];
  sb_addf(out, "%s\n\nusage: cargo mirdc %s [OPTIONS] %s\n", r->help, r->name, r->args);
  cl_help_options(&table, c, out);
}
