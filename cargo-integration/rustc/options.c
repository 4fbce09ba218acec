/* The command line of mirdc-rustc, from one table. */
#include "cargo-integration/rustc/options.h"

#include <string.h>

static char no_value[] = "";

static const struct row {
  const char *name;
  char letter;
  const char *arg, *help;
} rows[] = {
#define PO(id, name, letter, arg, help) {name, letter, arg, help},
#include "cargo-integration/rustc/options.def"
};

static int find_long(str name) {
  for (int i = 0; i < PASS_OPTION_COUNT; i++)
    if (str_eqz(name, rows[i].name))
      return i;
  return -1;
}

static int find_short(char c) {
  for (int i = 0; i < PASS_OPTION_COUNT; i++)
    if (rows[i].letter && rows[i].letter == c)
      return i;
  return -1;
}

static bool unknown(struct diag_sink *s, const char *word) {
  struct diag *d = diag_error(s, MD0191, SPAN_NONE, "unknown option `%s`", word);
  diag_help(d, "`mirdc-rustc --help` lists the options");
  return false;
}

/* One word that begins with a dash; *at is moved over a separate value. */
static bool take(struct diag_sink *s, struct arena *a, int argc, char **argv, int *at,
                 struct pass_options *out) {
  char *word = argv[*at], *value = NULL;
  int id;
  if (word[1] == '-') {
    char *eq = strchr(word, '=');
    id = find_long((str){word + 2, eq ? (size_t)(eq - word) - 2 : strlen(word) - 2});
    value = eq ? eq + 1 : NULL;
  } else {
    id = find_short(word[1]);
    value = word[2] ? word + 2 : NULL;
  }
  if (id < 0)
    return unknown(s, word);
  if (!rows[id].arg && value) {
    diag_error(s, MD0191, SPAN_NONE, "option `%s` takes no value", word);
    return false;
  }
  if (rows[id].arg && !value) {
    if (*at + 1 >= argc || strcmp(argv[*at + 1], "--") == 0) {
      diag_error(s, MD0191, SPAN_NONE, "option `%s` needs a value: %s", word, rows[id].arg);
      return false;
    }
    value = argv[++*at];
  }
  vec_push(a, &out->values[id], value ? value : no_value);
  return true;
}

static bool check_words(struct diag_sink *s, const struct pass_options *o, enum pass_option id,
                        const char *const *words) {
  const char *v = pass_option(o, id, words[0]);
  for (size_t i = 0; words[i]; i++)
    if (strcmp(v, words[i]) == 0)
      return true;
  diag_error(s, MD0191, SPAN_NONE, "`%s` is no value of `--%s`: %s", v, rows[id].name, rows[id].arg);
  return false;
}

bool pass_options_parse(struct diag_sink *s, struct arena *a, int argc, char **argv,
                        struct pass_options *out) {
  static const char *const formats[] = {"human", "json", NULL};
  static const char *const colors[] = {"auto", "always", "never", NULL};
  *out = (struct pass_options){.has_rest = false};
  for (int i = 1; i < argc; i++) {
    if (out->has_rest) {
      vec_push(a, &out->rest, argv[i]);
    } else if (strcmp(argv[i], "--") == 0) {
      out->has_rest = true;
    } else if (argv[i][0] == '-' && argv[i][1]) {
      if (!take(s, a, argc, argv, &i, out))
        return false;
    } else {
      vec_push(a, &out->files, argv[i]);
    }
  }
  return check_words(s, out, PO_FORMAT, formats) && check_words(s, out, PO_COLOR, colors);
}

const char *pass_option(const struct pass_options *o, enum pass_option id, const char *otherwise) {
  return o->values[id].n ? o->values[id].p[o->values[id].n - 1] : otherwise;
}

void pass_options_help(struct strbuf *out) {
  sb_addz(out, "mirdc-rustc asks rustc for the device code of a crate and writes it as prepared MIR.\n\n"
               "usage: mirdc-rustc [OPTIONS] FILE.rs [-- RUSTC-ARGS]\n"
               "       mirdc-rustc [OPTIONS] -- RUSTC COMMAND LINE\n\noptions:\n");
  for (int i = 0; i < PASS_OPTION_COUNT; i++) {
    struct strbuf left = {0};
    if (rows[i].letter)
      sb_addf(&left, "-%c, ", rows[i].letter);
    else
      sb_addz(&left, "    ");
    sb_addf(&left, "--%s%s%s", rows[i].name, rows[i].arg ? " " : "", rows[i].arg ? rows[i].arg : "");
    sb_addf(out, "  %-34s %s\n", sb_z(&left), rows[i].help);
    sb_free(&left);
  }
}

void pass_options_complete(struct strbuf *out) {
  for (int i = 0; i < PASS_OPTION_COUNT; i++)
    sb_addf(out, "--%s\n", rows[i].name);
}
