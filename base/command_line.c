/* Parsing and help by table. */
#include "base/command_line.h"

#include <string.h>

struct parser {
  const struct cl_table *t;
  struct diag_sink *sink;
  struct arena *arena;
  struct cl_line *out;
  char **argv;
  int argc, at;
};

static bool belongs(const struct cl_table *t, const struct cl_option *r, unsigned command) {
  return strchr(r->commands, t->commands[command].letter) != NULL;
}

bool cl_find_command(const struct cl_table *t, str name, unsigned *out) {
  for (unsigned i = 0; i < t->n_commands; i++)
    if (str_eqz(name, t->commands[i].name)) {
      *out = i;
      return true;
    }
  return false;
}

static bool is_help(const char *word) {
  return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static bool parse_command(struct parser *p, const char *word) {
  const struct cl_table *t = p->t;
  if (cl_find_command(t, str_from(word), &p->out->command))
    return true;
  bool version = strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0;
  if (version || is_help(word)) {
    p->out->command = version ? t->version : t->help;
    return true;
  }
  struct diag *d = diag_error(p->sink, t->unknown_command, SPAN_NONE, "unknown command `%s%s%s`",
                              strchr(t->program, ' ') ? t->program : "",
                              strchr(t->program, ' ') ? " " : "", word);
  diag_help(d, "run `%s help` for the list of commands", t->program);
  return false;
}

static bool unknown_option(struct parser *p, const char *word) {
  const struct cl_table *t = p->t;
  const char *command = t->commands[p->out->command].name;
  struct diag *d = diag_error(p->sink, t->unknown_option, SPAN_NONE,
                              "unknown option `%s` for `%s %s`", word, t->program, command);
  diag_help(d, "run `%s help %s` for its options%s", t->program, command, t->option_hint);
  return false;
}

/* Takes the option's argument from after `=`, from the rest of a short option, or the next word. */
static bool take_value(struct parser *p, unsigned id, const char *shown, const char *inline_value) {
  const struct cl_option *r = &p->t->options[id];
  const char *v = inline_value;
  if (!r->arg && v) {
    diag_error(p->sink, p->t->bad_value, SPAN_NONE, "option `%s` takes no value", shown);
    return false;
  }
  if (r->arg && !v) {
    if (p->at + 1 >= p->argc) {
      diag_error(p->sink, p->t->bad_value, SPAN_NONE, "option `%s` needs a value: %s", shown,
                 r->arg);
      return false;
    }
    v = p->argv[++p->at];
  }
  char *value = arena_strz(p->arena, str_from(v ? v : ""));
  vec_push(p->arena, &p->out->values[id], value);
  struct cl_use use = {id, value};
  vec_push(p->arena, &p->out->uses, use);
  return true;
}

static bool parse_long(struct parser *p, const char *word) {
  str body = str_from(word + 2);
  size_t eq = str_find_char(body, '=', 0);
  str name = str_sub(body, 0, eq);
  for (unsigned i = 0; i < p->t->n_options; i++)
    if (belongs(p->t, &p->t->options[i], p->out->command) && str_eqz(name, p->t->options[i].name))
      return take_value(p, i, word, eq == SIZE_MAX ? NULL : body.p + eq + 1);
  return unknown_option(p, word);
}

static bool parse_short(struct parser *p, const char *word) {
  const struct cl_option *rows = p->t->options;
  for (const char *c = word + 1; *c; c++) {
    unsigned i = 0;
    while (i < p->t->n_options &&
           !(rows[i].letter == *c && belongs(p->t, &rows[i], p->out->command)))
      i++;
    if (i == p->t->n_options)
      return unknown_option(p, word);
    if (rows[i].arg)
      return take_value(p, i, word, c[1] ? c + 1 : NULL);
    if (!take_value(p, i, word, NULL))
      return false;
  }
  return true;
}

static bool parse_word(struct parser *p, char *w) {
  if (w[0] == '-' && w[1] == '-')
    return parse_long(p, w);
  if (w[0] == '-' && w[1])
    return parse_short(p, w);
  vec_push(p->arena, &p->out->args, w);
  return true;
}

bool cl_parse(const struct cl_table *t, struct diag_sink *s, struct arena *a, int argc, char **argv,
              struct cl_line *out) {
  struct parser p = {t, s, a, out, argv, argc, 2};
  out->command = t->help;
  if (argc < 2)
    return true;
  if (!parse_command(&p, argv[1]))
    return false;
  for (; p.at < argc; p.at++) {
    char *w = argv[p.at];
    if (strcmp(w, "--") == 0) {
      for (int i = p.at + 1; i < argc; i++)
        vec_push(a, &out->rest, argv[i]);
      return true;
    }
    if (is_help(w)) {
      out->args.n = 0;
      vec_push(a, &out->args, arena_strz(a, str_from(t->commands[out->command].name)));
      out->command = t->help;
      return true;
    }
    if (!parse_word(&p, w))
      return false;
  }
  return true;
}

static void help_option(const struct cl_option *r, struct strbuf *out) {
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
  sb_addf(out, "%*s%s\n", (int)(28 - width), "", r->help);
  sb_free(&left);
}

void cl_help_overview(const struct cl_table *t, struct strbuf *out) {
  sb_addf(out, "%s\n\nusage: %s COMMAND [OPTIONS] …\n\ncommands:\n", t->about, t->program);
  for (unsigned i = 0; i < t->n_commands; i++)
    sb_addf(out, "  %-10s%s\n", t->commands[i].name, t->commands[i].help);
  sb_addf(out, "\n`%s help COMMAND` shows a command's options.\n", t->program);
}

void cl_help_options(const struct cl_table *t, unsigned command, struct strbuf *out) {
  bool any = false;
  for (unsigned i = 0; i < t->n_options; i++) {
    if (!belongs(t, &t->options[i], command))
      continue;
    if (!any)
      sb_addz(out, "\noptions:\n");
    any = true;
    help_option(&t->options[i], out);
  }
}

void cl_complete(const struct cl_table *t, int argc, char **argv, struct strbuf *out) {
  unsigned c;
  if (argc < 1 || !cl_find_command(t, str_from(argv[0]), &c)) {
    for (unsigned i = 0; i < t->n_commands; i++)
      sb_addf(out, "%s\n", t->commands[i].name);
    return;
  }
  for (unsigned i = 0; i < t->n_options; i++)
    if (belongs(t, &t->options[i], c))
      sb_addf(out, "--%s\n", t->options[i].name);
}
