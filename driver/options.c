/* One table (options.def) for parsing, help and completion. */
#include "driver/options.h"

#include <string.h>

#include "base/fatal.h"

struct command_row {
  const char *name;
  char letter;
  const char *args, *help;
};
static const struct command_row commands[] = {
#define CMD(id, name, letter, args, help) {name, letter, args, help},
#include "driver/options.def"
};

struct option_row {
  const char *name;
  char letter;
  const char *arg; /* NULL: takes none */
  const char *commands;
  const char *help;
};
static const struct option_row rows[] = {
#define OPT(id, name, letter, arg, commands, help) {name, letter, arg, commands, help},
#include "driver/options.def"
};

const char *command_name(enum command c) {
  return commands[c].name;
}

static bool belongs(const struct option_row *r, enum command c) {
  return strchr(r->commands, commands[c].letter) != NULL;
}

static bool find_command(str name, enum command *out) {
  for (unsigned i = 0; i < COMMAND_COUNT; i++)
    if (str_eqz(name, commands[i].name)) {
      *out = (enum command)i;
      return true;
    }
  return false;
}

static bool parse_command(struct diag_sink *s, const char *word, struct options *o) {
  if (find_command(str_from(word), &o->command))
    return true;
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
    o->command = CMD_HELP;
    return true;
  }
  if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
    o->command = CMD_VERSION;
    return true;
  }
  struct diag *d = diag_error(s, MD0010, SPAN_NONE, "unknown command `%s`", word);
  diag_help(d, "run `mirdc help` for the list of commands");
  return false;
}

struct parser {
  struct diag_sink *sink;
  struct arena *arena;
  struct options *out;
  char **argv;
  int argc, at;
};

static bool unknown_option(struct parser *p, const char *word) {
  struct diag *d = diag_error(p->sink, MD0011, SPAN_NONE, "unknown option `%s` for `mirdc %s`",
                              word, command_name(p->out->command));
  diag_help(d, "run `mirdc help %s` for its options", command_name(p->out->command));
  return false;
}

/* Takes the option's argument from after `=`, from the rest of a short option, or the next word. */
static bool take_value(struct parser *p, unsigned id, const char *shown, const char *inline_value) {
  const char *v = inline_value;
  if (!rows[id].arg && inline_value) {
    diag_error(p->sink, MD0012, SPAN_NONE, "option `%s` takes no value", shown);
    return false;
  }
  if (rows[id].arg && !v) {
    if (p->at + 1 >= p->argc) {
      diag_error(p->sink, MD0012, SPAN_NONE, "option `%s` needs a value: %s", shown, rows[id].arg);
      return false;
    }
    v = p->argv[++p->at];
  }
  vec_push(p->arena, &p->out->values[id], arena_strz(p->arena, str_from(v ? v : "")));
  return true;
}

static bool parse_long(struct parser *p, const char *word) {
  str body = str_from(word + 2);
  size_t eq = str_find_char(body, '=', 0);
  str name = str_sub(body, 0, eq);
  for (unsigned i = 0; i < OPTION_COUNT; i++)
    if (belongs(&rows[i], p->out->command) && str_eqz(name, rows[i].name))
      return take_value(p, i, word, eq == SIZE_MAX ? NULL : body.p + eq + 1);
  return unknown_option(p, word);
}

static bool parse_short(struct parser *p, const char *word) {
  for (const char *c = word + 1; *c; c++) {
    unsigned i = 0;
    while (i < OPTION_COUNT && !(rows[i].letter == *c && belongs(&rows[i], p->out->command)))
      i++;
    if (i == OPTION_COUNT)
      return unknown_option(p, word);
    if (rows[i].arg)
      return take_value(p, i, word, c[1] ? c + 1 : NULL);
    if (!take_value(p, i, word, NULL))
      return false;
  }
  return true;
}

bool options_parse(struct diag_sink *s, struct arena *a, int argc, char **argv,
                   struct options *out) {
  *out = (struct options){.command = CMD_HELP};
  if (argc < 2)
    return true;
  if (!parse_command(s, argv[1], out))
    return false;
  struct parser p = {s, a, out, argv, argc, 2};
  for (; p.at < argc; p.at++) {
    const char *w = argv[p.at];
    if (strcmp(w, "--") == 0) {
      for (int i = p.at + 1; i < argc; i++)
        vec_push(a, &out->rest, argv[i]);
      return true;
    }
    if (strcmp(w, "--help") == 0 || strcmp(w, "-h") == 0) {
      vec_push(a, &out->args, arena_strz(a, str_from(command_name(out->command))));
      out->command = CMD_HELP;
      return true;
    }
    bool ok = true;
    if (w[0] == '-' && w[1] == '-')
      ok = parse_long(&p, w);
    else if (w[0] == '-' && w[1])
      ok = parse_short(&p, w);
    else
      vec_push(a, &out->args, argv[p.at]);
    if (!ok)
      return false;
  }
  return true;
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

bool option_number(struct diag_sink *s, const struct options *o, enum option id, uint64_t max,
                   uint64_t otherwise, uint64_t *out) {
  *out = otherwise;
  const char *v = option_value(o, id, NULL);
  if (!v || (str_to_u64(str_from(v), out) && *out <= max))
    return true;
  diag_error(s, MD0012, SPAN_NONE, "option `--%s` takes a number up to %llu, not `%s`",
             rows[id].name, (unsigned long long)max, v);
  return false;
}

bool option_list(const struct options *o, enum option id, struct arena *a, str **out, size_t *n) {
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
  return list.n > 0;
}

static void help_option(const struct option_row *r, struct strbuf *out) {
  struct strbuf left = {0};
  if (r->letter)
    sb_addf(&left, "-%c, ", r->letter);
  sb_addf(&left, "--%s", r->name);
  if (r->arg)
    sb_addf(&left, " %s", r->arg);
  unsigned width = 0; /* in characters: the ellipsis is one */
  for (size_t i = 0; i < left.n; i++)
    width += ((uint8_t)left.p[i] & 0xc0) != 0x80;
  sb_addf(out, "  %s", sb_z(&left));
  if (width > 27) {
    sb_addz(out, "\n  ");
    width = 0;
  }
  sb_addf(out, "%*s", (int)(28 - width), "");
  sb_addf(out, "%s\n", r->help);
  sb_free(&left);
}

void options_help(enum command c, struct strbuf *out) {
  if (c == CMD_HELP) {
    sb_addz(out,
            "mirdc compiles Rust GPU kernels.\n\nusage: mirdc COMMAND [OPTIONS] …\n\ncommands:\n");
    for (unsigned i = 0; i < COMMAND_COUNT; i++)
      sb_addf(out, "  %-10s%s\n", commands[i].name, commands[i].help);
    sb_addz(out, "\n`mirdc help COMMAND` shows a command's options.\n");
    return;
  }
  const struct command_row *r = &commands[c];
  sb_addf(out, "%s\n\nusage: mirdc %s %s%s\n", r->help, r->name, c == CMD_READ ? "" : "[OPTIONS] ",
          r->args);
  bool any = false;
  for (unsigned i = 0; i < OPTION_COUNT; i++) {
    if (!belongs(&rows[i], c))
      continue;
    if (!any)
      sb_addz(out, "\noptions:\n");
    any = true;
    help_option(&rows[i], out);
  }
}

void options_complete(int argc, char **argv, struct strbuf *out) {
  enum command c;
  if (argc < 1 || !find_command(str_from(argv[0]), &c)) {
    for (unsigned i = 0; i < COMMAND_COUNT; i++)
      sb_addf(out, "%s\n", commands[i].name);
    return;
  }
  for (unsigned i = 0; i < OPTION_COUNT; i++)
    if (belongs(&rows[i], c))
      sb_addf(out, "--%s\n", rows[i].name);
}
