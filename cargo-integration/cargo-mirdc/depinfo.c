/* Reads dep-info. Make's syntax, of which rustc escapes nothing but spaces. */
#include "cargo-integration/cargo-mirdc/depinfo.h"

#include <string.h>

static void add_source(struct arena *a, str word, const char *root, struct depinfo *out) {
  struct strbuf b = {0};
  for (size_t i = 0; i < word.n; i++) {
    if (word.p[i] == '\\' && i + 1 < word.n && word.p[i + 1] == ' ') {
      i++;
    }
    sb_addc(&b, word.p[i]);
  }
  vec_push(a, &out->sources, path_join(a, root, sb_z(&b)));
  sb_free(&b);
}

/* Words of a rule's right-hand side. */
static void add_words(struct arena *a, str s, const char *root, struct depinfo *out) {
  size_t start = 0;
  for (size_t i = 0; i <= s.n; i++) {
    bool space = i == s.n || (s.p[i] == ' ' && (i == 0 || s.p[i - 1] != '\\'));
    if (space && i > start) {
      add_source(a, str_sub(s, start, i), root, out);
    }
    if (space) {
      start = i + 1;
    }
  }
}

void depinfo_parse(struct arena *a, str text, const char *root, struct depinfo *out) {
  const str env = STR("# env-dep:");
  str line;
  bool have_rule = false;
  *out = (struct depinfo){0};
  while (str_next_line(&text, &line)) {
    if (str_starts(line, env)) {
      str rest = str_drop(line, env.n);
      size_t eq = str_find_char(rest, '=', 0);
      vec_push(a, &out->env, arena_strz(a, eq == SIZE_MAX ? rest : str_sub(rest, 0, eq)));
      continue;
    }
    size_t colon = str_find(line, STR(": "), 0);
    /* The first rule names all sources; the others repeat it for each output. */
    if (!have_rule && !str_starts(line, STR("#")) && colon != SIZE_MAX) {
      add_words(a, str_drop(line, colon + 2), root, out);
      have_rule = true;
    }
  }
}

bool depinfo_of_output(struct arena *a, const char *output, const char *root,
                       struct depinfo *out) {
  str stem = path_stem(path_base(str_from(output)));
  if (str_starts(stem, STR("lib"))) {
    stem = str_drop(stem, 3);
  }
  char *dir = arena_strz(a, path_dir(str_from(output)));
  char *path = path_join(a, dir, arena_strz(a, arena_printf(a, "%.*s.d", STR_ARG(stem))));
  struct bytes b = {0};
  if (fs_try_read(path, (size_t)64 << 20, &b) != 0) {
    return false;
  }
  depinfo_parse(a, arena_str(a, (str){(char *)b.p, b.n}), root, out);
  bytes_free(&b);
  return true;
}
