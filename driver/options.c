/* One table (options.def) for parsing, help and completion. */
#include "driver/options.h"

#include <string.h>

static const struct cl_command commands[] = {
#define CMD(id, name, letter, args, help) {name, letter, args, help},
#include "driver/options.def"
};
static const struct cl_option rows[] = {
#define OPT(id, name, letter, arg, commands, help) {name, letter, arg, commands, help},
#include "driver/options.def"
};
static const struct cl_table table = {
    .program = "mirdc",
    .about = "mirdc compiles Rust GPU kernels.",
    .commands = commands,
    .n_commands = COUNT_OF(commands),
    .options = rows,
    .n_options = COUNT_OF(rows),
    .help = CMD_HELP,
    .version = CMD_VERSION,
    .unknown_command = MD0010,
    .unknown_option = MD0011,
    .bad_value = MD0012,
    .option_hint = "",
};

const char *command_name(enum command c) {
  return commands[c].name;
}

/* An empty word is a script's variable that nobody set, never a wish. */
static bool refuse_empty(struct diag_sink *s, const struct options *o) {
  for (unsigned i = 0; i < OPTION_COUNT; i++)
    for (size_t k = 0; rows[i].arg && k < o->values[i].n; k++)
      if (!o->values[i].p[k][0]) {
        diag_error(s, MD0012, SPAN_NONE, "option `--%s` takes %s, not an empty word", rows[i].name,
                   rows[i].arg);
        return false;
      }
  return true;
}

bool options_parse(struct diag_sink *s, struct arena *a, int argc, char **argv,
                   struct options *out) {
  *out = (struct options){.command = CMD_HELP};
  struct cl_line line = {.values = out->values};
  bool ok = cl_parse(&table, s, a, argc, argv, &line);
  out->command = (enum command)line.command;
  out->args = line.args;
  out->rest = line.rest;
  return ok && refuse_empty(s, out);
}

bool option_given(const struct options *o, enum option id) {
  return o->values[id].n > 0;
}

const char *option_value(const struct options *o, enum option id, const char *otherwise) {
  return o->values[id].n ? vec_last(&o->values[id]) : otherwise;
}

bool option_choice(struct diag_sink *s, const struct options *o, enum option id,
                   const char *const *words, unsigned otherwise, unsigned *out) {
  *out = otherwise;
  const char *v = option_value(o, id, NULL);
  if (!v)
    return true;
  for (unsigned i = 0; words[i]; i++)
    if (strcmp(v, words[i]) == 0) {
      *out = i;
      return true;
    }
  diag_error(s, MD0012, SPAN_NONE, "option `--%s` takes %s, not `%s`", rows[id].name, rows[id].arg,
             v);
  return false;
}

bool option_number(struct diag_sink *s, const struct options *o, enum option id, uint64_t min,
                   uint64_t max, uint64_t otherwise, uint64_t *out) {
  *out = otherwise;
  const char *v = option_value(o, id, NULL);
  if (!v || (str_to_u64(str_from(v), out) && *out >= min && *out <= max))
    return true;
  struct strbuf from = {0};
  if (min)
    sb_addf(&from, "from %llu ", (unsigned long long)min);
  diag_error(s, MD0012, SPAN_NONE, "option `--%s` takes a number %sup to %llu, not `%s`",
             rows[id].name, sb_z(&from), (unsigned long long)max, v);
  sb_free(&from);
  return false;
}

bool option_opt_level(struct diag_sink *s, const struct options *o, bool debug, unsigned *out) {
  uint64_t opt;
  if (!option_number(s, o, OPT_OPT, 0, 3, debug ? 0 : 3, &opt))
    return false;
  *out = (unsigned)opt;
  if (!debug || opt == 0)
    return true;
  struct diag *d = diag_error(s, MD0930, SPAN_NONE, "`-g` and `-O%u` exclude each other", *out);
  diag_help(d, "leave `-O%u` away, or use `--line-info` to keep the lines of optimised code", *out);
  return false;
}

bool option_list(struct diag_sink *s, const struct options *o, enum option id, struct arena *a,
                 str **out, size_t *n) {
  VEC(str) list = {0};
  for (size_t i = 0; i < o->values[id].n; i++) {
    str rest = str_from(o->values[id].p[i]);
    while (rest.n) {
      size_t comma = str_find_char(rest, ',', 0);
      str word = str_trim(str_sub(rest, 0, comma));
      rest = comma == SIZE_MAX ? STR_NULL : str_drop(rest, comma + 1);
      if (word.n)
        vec_push(a, &list, word);
    }
  }
  *out = list.p;
  *n = list.n;
  if (list.n || !option_given(o, id))
    return true;
  diag_error(s, MD0012, SPAN_NONE, "option `--%s` takes %s, not commas alone", rows[id].name,
             rows[id].arg);
  return false;
}

void options_help(enum command c, struct strbuf *out) {
  if (c == CMD_HELP) {
    cl_help_overview(&table, out);
    return;
  }
  const struct cl_command *r = &commands[c];
  sb_addf(out, "%s\n\nusage: mirdc %s %s%s\n", r->help, r->name, c == CMD_READ ? "" : "[OPTIONS] ",
          r->args);
  cl_help_options(&table, c, out);
}

void options_complete(int argc, char **argv, struct strbuf *out) {
  cl_complete(&table, argc, argv, out);
}
