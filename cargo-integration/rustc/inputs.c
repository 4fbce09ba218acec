/* Make's syntax, and rustc's comments about the environment. */
#include "cargo-integration/rustc/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"

struct reading {
  struct arena *arena;
  const struct unit *unit;
  const struct overlay *overlay;
  struct depends *out;
};

/* The real path of a file that rustc named in its dep-info: inside the overlay, a link or a copy.
 */
static char *real_input(const struct reading *b, str path) {
  const struct overlay *o = b->overlay;
  char *p = arena_strz(b->arena, path);
  if (o->dir != NULL && str_starts(path, str_from(o->dir))) {
    return arena_strz(b->arena, str_drop(path, strlen(o->dir)));
  }
  if (p[0] != '/') {
    char *inside = path_join(b->arena, b->unit->package_root, p);
    if (fs_exists(inside)) {
      return inside;
    }
    return path_join(b->arena, b->unit->cwd != NULL ? b->unit->cwd : ".", p);
  }
  return p;
}

/* One name of a make rule, with "\ " for a space; moves *at behind it. */
static str rule_word(struct arena *a, str rule, size_t *at) {
  struct strbuf w = {0};
  while (*at < rule.n && rule.p[*at] == ' ') {
    ++*at;
  }
  while (*at < rule.n && rule.p[*at] != ' ') {
    if (rule.p[*at] == '\\' && *at + 1 < rule.n) {
      ++*at;
    }
    sb_addc(&w, rule.p[(*at)++]);
  }
  str out = arena_str(a, sb_str(&w));
  sb_free(&w);
  return out;
}

static void input_files(const struct reading *b, str rule) {
  size_t at = 0;
  while (at < rule.n) {
    str w = rule_word(b->arena, rule, &at);
    if (w.n > 0) {
      depends_file(b->out, real_input(b, w));
    }
  }
}

static void input_env(const struct reading *b, str line) {
  size_t eq = str_find_char(line, '=', 0);
  str name = str_sub(line, 0, eq == SIZE_MAX ? line.n : eq);
  for (size_t i = 0; i < b->unit->env.n; i++) {
    str e = str_from(b->unit->env.p[i]);
    if (str_starts(e, name) && e.n > name.n && e.p[name.n] == '=') {
      return;
    }
  }
  depends_env(b->out, arena_strz(b->arena, name));
}

bool inputs_read(struct diag_sink *s, struct arena *a, const struct unit *u, const struct overlay *o,
                 const char *dep_info, struct depends *out) {
  struct reading b = {a, u, o, out};
  struct bytes data = {0};
  if (!fs_read(s, dep_info, (size_t)64 << 20, &data)) {
    return false;
  }
  str rest = arena_str(a, (str){(const char *)data.p, data.n});
  bytes_free(&data);
  str line;
  bool first = true; /* the first rule names all files; the others repeat it for each output */
  while (str_next_line(&rest, &line)) {
    size_t colon = str_find(line, STR(": "), 0);
    if (str_starts(line, STR("# env-dep:"))) {
      input_env(&b, str_drop(line, sizeof "# env-dep:" - 1));
    } else if (first && colon != SIZE_MAX) {
      input_files(&b, str_drop(line, colon + 2));
      first = false;
    }
  }
  return true;
}
