/* One table (options.def) for parsing, handing on and help. */
#include "cargo-integration/cargo-mirdc/options.h"

#include <string.h>

struct sub_row {
  const char *name;
  char letter;
  const char *args, *help;
};
static const struct sub_row subs[] = {
#define SUB(id, name, letter, args, help) {name, letter, args, help},
#include "cargo-integration/cargo-mirdc/options.def"
};

struct opt_row {
  const char *name;
  char letter;
  const char *arg; /* NULL: takes none */
  const char *commands, *to;
  const char *help;
};
static const struct opt_row rows[] = {
#define OPT(id, name, letter, arg, commands, to, help) {name, letter, arg, commands, to, help},
#include "cargo-integration/cargo-mirdc/options.def"
};

struct parser {
  struct diag_sink *sink;
  struct arena *arena;
  struct options *out;
  char **argv;
  int argc, at;
};

const char *sub_name(enum sub c) {
  return subs[c].name;
}

static bool find_sub(const char *word, enum sub *out) {
  for (unsigned i = 0; i < SUB_COUNT; i++) {
    if (strcmp(word, subs[i].name) == 0) {
      *out = (enum sub)i;
      return true;
    }
  }
  return false;
}

static bool belongs(const struct opt_row *r, enum sub c) {
  return strchr(r->commands, subs[c].letter) != NULL;
}

/* The option as another program of the same names takes it: `--name`, or `--name=value`. */
static void hand_on(struct parser *p, const struct opt_row *r, const char *value) {
  struct options *o = p->out;
  char *word = arena_strz(p->arena, r->arg ? arena_printf(p->arena, "--%s=%s", r->name, value)
                                           : arena_printf(p->arena, "--%s", r->name));
  if (strchr(r->to, 'c') != NULL) {
    vec_push(p->arena, &o->cargo, word);
  }
  if (strchr(r->to, 'm') != NULL) {
    vec_push(p->arena, &o->metadata, word);
  }
  if (strchr(r->to, 'd') != NULL) {
    vec_push(p->arena, &o->driver, word);
  }
}

/* Takes the option's argument from after `=`, from the rest of a short option, or the next word. */
static bool take_value(struct parser *p, unsigned id, const char *shown, const char *inline_value) {
  const struct opt_row *r = &rows[id];
  const char *v = inline_value;
  if (r->arg == NULL && v != NULL) {
    diag_error(p->sink, MD0602, SPAN_NONE, "option `%s` takes no value", shown);
    return false;
  }
  if (r->arg != NULL && v == NULL) {
    if (p->at + 1 >= p->argc) {
      diag_error(p->sink, MD0602, SPAN_NONE, "option `%s` needs a value: %s", shown, r->arg);
      return false;
    }
    v = p->argv[++p->at];
  }
  char *value = arena_strz(p->arena, str_from(v != NULL ? v : ""));
  vec_push(p->arena, &p->out->values[id], value);
  hand_on(p, r, value);
  return true;
}

static bool unknown_option(struct parser *p, const char *word) {
  const char *sub = sub_name(p->out->sub);
  struct diag *d =
      diag_error(p->sink, MD0602, SPAN_NONE, "unknown option `%s` for `cargo mirdc %s`", word, sub);
  diag_help(d, "run `cargo mirdc help %s` for its options; options of mirdc itself may follow `--`",
            sub);
  return false;
}

static bool parse_long(struct parser *p, const char *word) {
  str body = str_from(word + 2);
  size_t eq = str_find_char(body, '=', 0);
  str name = eq == SIZE_MAX ? body : str_sub(body, 0, eq);
  for (unsigned i = 0; i < OPT_COUNT; i++) {
    if (belongs(&rows[i], p->out->sub) && str_eqz(name, rows[i].name)) {
      return take_value(p, i, word, eq == SIZE_MAX ? NULL : body.p + eq + 1);
    }
  }
  return unknown_option(p, word);
}

static bool parse_short(struct parser *p, const char *word) {
  for (const char *c = word + 1; *c != '\0'; c++) {
    unsigned i = 0;
    while (i < OPT_COUNT && !(rows[i].letter == *c && belongs(&rows[i], p->out->sub))) {
      i++;
    }
    if (i == OPT_COUNT) {
      return unknown_option(p, word);
    }
    if (rows[i].arg != NULL) {
      return take_value(p, i, word, c[1] != '\0' ? c + 1 : NULL);
    }
    if (!take_value(p, i, word, NULL)) {
      return false;
    }
  }
  return true;
}

static bool parse_sub(struct diag_sink *s, const char *word, struct options *o) {
  if (find_sub(word, &o->sub)) {
    return true;
  }
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
    o->sub = SUB_HELP;
    return true;
  }
  if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
    o->sub = SUB_VERSION;
    return true;
  }
  struct diag *d = diag_error(s, MD0601, SPAN_NONE, "unknown command `cargo mirdc %s`", word);
  diag_help(d, "run `cargo mirdc help` for the list of commands");
  return false;
}

static bool parse_word(struct parser *p, const char *w) {
  if (w[0] == '-' && w[1] == '-') {
    return parse_long(p, w);
  }
  if (w[0] == '-' && w[1] != '\0') {
    return parse_short(p, w);
  }
  vec_push(p->arena, &p->out->args, p->argv[p->at]);
  return true;
}

bool options_parse(struct diag_sink *s, struct arena *a, int argc, char **argv,
                   struct options *out) {
  *out = (struct options){.sub = SUB_HELP};
  if (argc < 2) {
    return true;
  }
  if (!parse_sub(s, argv[1], out)) {
    return false;
  }
  struct parser p = {s, a, out, argv, argc, 2};
  for (; p.at < argc; p.at++) {
    const char *w = argv[p.at];
    if (strcmp(w, "--") == 0) {
      for (int i = p.at + 1; i < argc; i++) {
        vec_push(a, &out->rest, argv[i]);
      }
      break;
    }
    if (strcmp(w, "--help") == 0 || strcmp(w, "-h") == 0) {
      out->args.n = 0;
      vec_push(a, &out->args, arena_strz(a, str_from(sub_name(out->sub))));
      out->sub = SUB_HELP;
      return true;
    }
    if (!parse_word(&p, w)) {
      return false;
    }
  }
  bool takes_args = out->sub == SUB_NEW || out->sub == SUB_HELP;
  if (!takes_args && out->args.n > 0) {
    struct diag *d = diag_error(s, MD0602, SPAN_NONE, "unexpected argument `%s`", out->args.p[0]);
    diag_help(d, "choose a package with `-p NAME`, a target with `--lib` or `--bin NAME`");
    return false;
  }
  return true;
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

static void help_option(const struct opt_row *r, struct strbuf *out) {
  struct strbuf left = {0};
  if (r->letter != '\0') {
    sb_addf(&left, "-%c, ", r->letter);
  }
  sb_addf(&left, "--%s", r->name);
  if (r->arg != NULL) {
    sb_addf(&left, " %s", r->arg);
  }
  sb_addf(out, "  %-28s", sb_z(&left));
  if (left.n > 27) {
    sb_addf(out, "\n  %-28s", "");
  }
  sb_addf(out, "%s\n", r->help);
  sb_free(&left);
}

void options_help(enum sub c, struct strbuf *out) {
  if (c == SUB_HELP) {
    sb_addz(out, "cargo mirdc compiles the GPU kernels of a Cargo package.\n\n"
                 "usage: cargo mirdc COMMAND [OPTIONS] …\n\ncommands:\n");
    for (unsigned i = 0; i < SUB_COUNT; i++) {
      sb_addf(out, "  %-10s%s\n", subs[i].name, subs[i].help);
    }
    sb_addz(out, "\n`cargo mirdc help COMMAND` shows a command's options.\n");
    return;
  }
  const struct sub_row *r = &subs[c];
  sb_addf(out, "%s\n\nusage: cargo mirdc %s [OPTIONS] %s\n\noptions:\n", r->help, r->name, r->args);
  for (unsigned i = 0; i < OPT_COUNT; i++) {
    if (belongs(&rows[i], c)) {
      help_option(&rows[i], out);
    }
  }
}
