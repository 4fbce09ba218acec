/* Lists of what a result was made of. */
#include "base/depends.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"

static const char *const words[] = {"file ", "made ",  "tool ", "absent ",
                                    "env ",  "noenv ", "doubt "};

static void add(struct depends *d, enum depends_kind k, str rest) {
  if (memchr(rest.p, '\n', rest.n)) {
    depends_doubt(d, "a name with a line break");
    return;
  }
  str line = arena_printf(&d->arena, "%s%.*s", words[k], STR_ARG(rest));
  bool fresh;
  map_put(&d->seen, line, &fresh);
  if (fresh)
    sb_addf(&d->text, "%.*s\n", STR_ARG(line));
}

static char *absolute(struct depends *d, const char *path) {
  if (path[0] == '/')
    return arena_strz(&d->arena, str_from(path));
  char *cwd = getcwd(NULL, 0);
  char *full = path_join(&d->arena, cwd ? cwd : "/", path);
  free(cwd);
  return full;
}

static void add_content(struct depends *d, enum depends_kind k, const char *path,
                        const struct digest *digest) {
  char hex[65];
  digest_hex(digest, hex);
  add(d, k, arena_printf(&d->arena, "%s %s", hex, absolute(d, path)));
}

void depends_content(struct depends *d, const char *path, const struct digest *digest) {
  add_content(d, DEPENDS_FILE, path, digest);
}

void depends_made(struct depends *d, const char *path, const struct digest *digest) {
  add_content(d, DEPENDS_MADE, path, digest);
}

void depends_file(struct depends *d, const char *path) {
  struct bytes b;
  char *full = absolute(d, path);
  if (fs_try_read(full, 0, &b) != 0) {
    depends_doubt(d, full);
    return;
  }
  struct digest digest = hash_of(b.p, b.n);
  bytes_free(&b);
  depends_content(d, full, &digest);
}

void depends_tool(struct depends *d, const char *path) {
  add(d, DEPENDS_TOOL, str_from(absolute(d, path)));
}

void depends_absent(struct depends *d, const char *path) {
  add(d, DEPENDS_ABSENT, str_from(absolute(d, path)));
}

void depends_env(struct depends *d, const char *name) {
  const char *now = getenv(name);
  if (now)
    add(d, DEPENDS_ENV, arena_printf(&d->arena, "%s=%s", name, now));
  else
    add(d, DEPENDS_NOENV, str_from(name));
}

void depends_doubt(struct depends *d, const char *why) {
  str line = arena_printf(&d->arena, "%s", why);
  for (char *c = strchr(line.p, '\n'); c; c = strchr(c, '\n'))
    *c = ' ';
  add(d, DEPENDS_DOUBT, line);
}

void depends_lines(struct depends *d, str text) {
  str line, hex, rest;
  enum depends_kind kind;
  while (str_next_line(&text, &line))
    if (depends_parse(line, &kind, &hex, &rest) && kind != DEPENDS_MADE)
      add(d, kind, str_drop(line, strlen(words[kind])));
}

void depends_self(struct depends *d) {
  FILE *f = fopen("/proc/self/maps", "re");
  struct strbuf text = {0};
  int c;
  while (f && (c = getc(f)) != EOF)
    sb_addc(&text, (char)c);
  if (!f || !text.n)
    depends_doubt(d, "/proc/self/maps");
  if (f)
    fclose(f);
  str rest = sb_str(&text), line;
  while (str_next_line(&rest, &line)) {
    size_t at = str_find_char(line, '/', 0);
    if (at == SIZE_MAX)
      continue;
    str path = str_drop(line, at);
    if (str_ends(path, STR(" (deleted)")))
      depends_doubt(d, "a library was replaced during the run");
    else
      add(d, DEPENDS_TOOL, path);
  }
  sb_free(&text);
}

bool depends_write(const struct depends *d, struct diag_sink *s, const char *path) {
  return fs_write_atomic(s, path, sb_str(&d->text));
}

void depends_free(struct depends *d) {
  sb_free(&d->text);
  map_free(&d->seen);
  arena_free(&d->arena);
}

bool depends_parse(str line, enum depends_kind *kind, str *hex, str *rest) {
  *hex = STR_NULL;
  for (unsigned k = 0; k < COUNT_OF(words); k++) {
    if (!str_starts(line, str_from(words[k])))
      continue;
    *kind = (enum depends_kind)k;
    *rest = str_drop(line, strlen(words[k]));
    if (*kind == DEPENDS_FILE || *kind == DEPENDS_MADE) {
      *hex = str_sub(*rest, 0, 64);
      struct digest ignored;
      if (rest->n < 66 || rest->p[64] != ' ' || !digest_from_hex(*hex, &ignored))
        return false;
      *rest = str_drop(*rest, 65);
    }
    return true;
  }
  return false;
}
