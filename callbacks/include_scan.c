/* Finds, reads and renames headers. A directive that names a file in another way than the compiler knows it is
 * rewritten in the text that the compiler gets; lines stay where they are. */
#include "callbacks/include_scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"

enum { MAX_HEADER = 64 << 20, NOT_THERE = 1, FIRST_FILE = 2 };

void include_set_init(struct include_set *set, const struct include_root *roots, size_t n) {
  *set = (struct include_set){.roots = roots, .n_roots = n};
}

void include_set_free(struct include_set *set) {
  map_free(&set->by_path);
  arena_free(&set->arena);
}

/* ---- from names to files ---- */

/* `a/./b/../c` is `a/c`; empty when it leads out. */
static str normal_path(struct arena *a, str path) {
  struct strbuf b = {0};
  while (path.n) {
    size_t slash = str_find_char(path, '/', 0);
    str part = str_sub(path, 0, slash);
    path = str_drop(path, slash == SIZE_MAX ? path.n : slash + 1);
    if (!part.n || str_eqz(part, "."))
      continue;
    if (!str_eqz(part, "..")) {
      sb_addf(&b, "%s%.*s", b.n ? "/" : "", STR_ARG(part));
      continue;
    }
    size_t last = str_rfind_char(sb_str(&b), '/');
    if (!b.n) {
      sb_free(&b);
      return STR_NULL;
    }
    b.n = last == SIZE_MAX ? 0 : last;
    b.p[b.n] = 0;
  }
  str out = arena_str(a, sb_str(&b));
  sb_free(&b);
  return out;
}

static char *path_in(struct include_set *set, uint32_t root, str rel) {
  return path_join(&set->arena, set->roots[root].dir, arena_strz(&set->arena, rel));
}

/* Roots without a name share theirs: the first that has the path goes by it. */
static str name_of(struct include_set *set, uint32_t root, str rel) {
  const struct include_root *r = &set->roots[root];
  if (r->name.n)
    return arena_printf(&set->arena, "%.*s/%.*s", STR_ARG(r->name), STR_ARG(rel));
  for (uint32_t i = 0; i < root; i++)
    if (!set->roots[i].name.n && fs_exists(path_in(set, i, rel)))
      return arena_printf(&set->arena, "%u/%.*s", root, STR_ARG(rel));
  return arena_str(&set->arena, rel);
}

static bool unusable(struct diag_sink *s, const char *path, const char *why) {
  diag_error(s, MD0710, SPAN_NONE, "the header `%s` cannot be used: %s", path, why);
  return false;
}

static bool take_file(struct diag_sink *s, struct include_set *set, uint32_t root, str rel,
                      uintptr_t *known) {
  char *path = path_in(set, root, rel);
  struct bytes b = {0};
  int e = fs_try_read(path, MAX_HEADER, &b);
  if (e == ENOENT || e == ENOTDIR || e == EISDIR || (e != 0 && fs_is_dir(path))) {
    *known = NOT_THERE;
    return true;
  }
  if (e != 0)
    return unusable(s, path, strerror(e));
  bool zero = b.n && memchr(b.p, 0, b.n);
  if (!zero) {
    struct include_file *f = vec_add(&set->arena, &set->files);
    f->text = arena_str(&set->arena, (str){(const char *)b.p, b.n});
    f->path = str_from(path);
    f->name = name_of(set, root, rel);
    f->digest = hash_of(b.p, b.n);
    f->size = b.n;
    f->root = root;
    *known = set->files.n - 1 + FIRST_FILE;
  }
  bytes_free(&b);
  return !zero || unusable(s, path, "it holds a zero byte");
}

static bool look_in(struct diag_sink *s, struct include_set *set, uint32_t root, str path,
                    size_t *found) {
  str rel = normal_path(&set->arena, path);
  *found = SIZE_MAX;
  if (!rel.n)
    return true;
  str key = arena_printf(&set->arena, "%u:%.*s", root, STR_ARG(rel));
  uintptr_t known = *map_put(&set->by_path, key, NULL);
  if (!known) {
    if (!take_file(s, set, root, rel, &known))
      return false;
    *map_put(&set->by_path, key, NULL) = known;
  }
  if (known >= FIRST_FILE)
    *found = known - FIRST_FILE;
  return true;
}

static bool look_everywhere(struct diag_sink *s, struct include_set *set, str name, size_t *found) {
  *found = SIZE_MAX;
  for (uint32_t i = 0; *found == SIZE_MAX && i < set->n_roots; i++)
    if (!look_in(s, set, i, name, found))
      return false;
  return true;
}

/* The path of a file below its root. */
static str below_root(const struct include_set *set, const struct include_file *f) {
  size_t n = strlen(set->roots[f->root].dir);
  str rel = str_drop(f->path, n);
  while (rel.n && rel.p[0] == '/')
    rel = str_drop(rel, 1);
  return rel;
}

/* ---- directives ---- */

struct directive {
  size_t lo, hi; /* of the name, without its quotes */
  bool quoted, computed;
};

static size_t skip_blanks(str t, size_t at) {
  for (;;) {
    while (at < t.n && (t.p[at] == ' ' || t.p[at] == '\t'))
      at++;
    if (at + 1 >= t.n || t.p[at] != '/' || t.p[at + 1] != '*')
      return at;
    size_t end = str_find(t, STR("*/"), at + 2);
    if (end == SIZE_MAX)
      return t.n;
    at = end + 2;
  }
}

/* The name at a place, in its quotes. */
static bool name_at(str t, size_t at, struct directive *out) {
  if (at >= t.n || (t.p[at] != '<' && t.p[at] != '"'))
    return false;
  char close = t.p[at] == '<' ? '>' : '"';
  size_t hi = at + 1;
  while (hi < t.n && t.p[hi] != close && t.p[hi] != '\n')
    hi++;
  *out = (struct directive){at + 1, hi, close == '"', false};
  return hi < t.n && t.p[hi] == close && hi > at + 1;
}

static size_t end_of_line(str t, size_t at) {
  for (;;) {
    const char *nl = at < t.n ? memchr(t.p + at, '\n', t.n - at) : NULL;
    if (!nl)
      return t.n;
    size_t end = (size_t)(nl - t.p);
    if (end == 0 || t.p[end - 1] != '\\')
      return end;
    at = end + 1;
  }
}

static bool starts_line(str t, size_t at) {
  while (at > 0 && (t.p[at - 1] == ' ' || t.p[at - 1] == '\t'))
    at--;
  return at == 0 || t.p[at - 1] == '\n' || (at > 1 && t.p[at - 1] == '/' && t.p[at - 2] == '*');
}

typedef VEC(struct directive) directives;

/* `__has_include(<x>)`, under whatever macro: the compiler must see what is there. */
static void find_questions(struct arena *a, str t, size_t at, size_t end, directives *out) {
  static const str marks[] = {{"include(", 8}, {"INCLUDE(", 8}};
  str line = str_sub(t, 0, end);
  for (size_t m = 0; m < COUNT_OF(marks); m++)
    for (size_t p = at; (p = str_find(line, marks[m], p)) != SIZE_MAX; p += marks[m].n) {
      struct directive d;
      if (name_at(line, skip_blanks(line, p + marks[m].n), &d))
        vec_push(a, out, d);
    }
}

static void find_directives(struct arena *a, str t, directives *out) {
  for (size_t at = 0; at < t.n; at++) {
    const char *hash = memchr(t.p + at, '#', t.n - at);
    if (!hash)
      return;
    at = (size_t)(hash - t.p);
    if (!starts_line(t, at))
      continue;
    size_t word = skip_blanks(t, at + 1), end = end_of_line(t, word);
    str rest = str_sub(t, word, end);
    struct directive d = {.computed = true, .lo = word, .hi = end};
    if (str_starts(rest, STR("include"))) {
      size_t name = skip_blanks(t, word + (str_starts(rest, STR("include_next")) ? 12 : 7));
      if (!name_at(t, name, &d))
        d = (struct directive){.computed = true, .lo = word, .hi = end};
      vec_push(a, out, d);
    } else if (str_starts(rest, STR("if")) || str_starts(rest, STR("elif"))) {
      find_questions(a, t, word, end, out);
    }
    at = end;
  }
}

static bool refuse_directive(struct diag_sink *s, const struct include_set *set,
                             const struct include_file *f, const struct directive *d) {
  str name = str_sub(f->text, d->lo, d->hi);
  const char *why = NULL;
  if (!d->computed && name.p[0] == '/')
    why = "is an absolute path";
  else if (d->computed && set->roots[f->root].strict)
    why = "does not name a file";
  if (!why)
    return false;
  struct diag *e = diag_error(s, MD0710, SPAN_NONE, "`#%.*s%.*s` in `%.*s` %s",
                              d->computed ? 0 : 8, "include ", STR_ARG(name), STR_ARG(f->path), why);
  diag_help(e, "include a header by a name below the provider's folder, CCCL's or the toolkit's");
  return true;
}

/* ---- one file ---- */

struct rewrite {
  size_t lo, hi;
  str name;
};

static str rewritten(struct arena *a, str text, const struct rewrite *r, size_t n) {
  struct strbuf b = {0};
  size_t at = 0;
  if (!n)
    return text;
  for (size_t i = 0; i < n; i++) {
    sb_add(&b, str_sub(text, at, r[i].lo));
    sb_add(&b, r[i].name);
    at = r[i].hi;
  }
  sb_add(&b, str_drop(text, at));
  str out = arena_str(a, sb_str(&b));
  sb_free(&b);
  return out;
}

static bool resolve(struct diag_sink *s, struct include_set *set, size_t file,
                    const struct directive *d, size_t *found) {
  const struct include_file *f = &set->files.p[file];
  str name = str_sub(f->text, d->lo, d->hi);
  if (d->quoted) {
    str dir = path_dir(below_root(set, f));
    str beside = str_eqz(dir, ".") ? name
                                   : arena_printf(&set->arena, "%.*s/%.*s", STR_ARG(dir), STR_ARG(name));
    if (!look_in(s, set, f->root, beside, found) || *found != SIZE_MAX)
      return *found != SIZE_MAX;
  }
  return look_everywhere(s, set, name, found);
}

static bool scan_file(struct diag_sink *s, struct include_set *set, size_t file) {
  directives list = {0};
  VEC(struct rewrite) changes = {0};
  str text = set->files.p[file].text;
  find_directives(&set->arena, text, &list);
  for (size_t i = 0; i < list.n; i++) {
    const struct directive *d = &list.p[i];
    size_t found;
    if (refuse_directive(s, set, &set->files.p[file], d))
      return false;
    if (d->computed)
      continue;
    if (!resolve(s, set, file, d, &found))
      return false;
    if (found == SIZE_MAX)
      continue;
    str name = set->files.p[found].name;
    vec_push(&set->arena, &set->files.p[file].reaches, (uint32_t)found);
    if (!str_eq(name, str_sub(text, d->lo, d->hi)))
      vec_push(&set->arena, &changes, ((struct rewrite){d->lo, d->hi, name}));
  }
  set->files.p[file].text = rewritten(&set->arena, text, changes.p, changes.n);
  return true;
}

bool include_set_add(struct diag_sink *s, struct include_set *set, str name, size_t *found) {
  if (!look_everywhere(s, set, name, found))
    return false;
  for (; set->n_scanned < set->files.n; set->n_scanned++)
    if (!scan_file(s, set, set->n_scanned))
      return false;
  return true;
}

/* ---- closures ---- */

static int by_name(const void *a, const void *b) {
  const struct include_file *const *x = a, *const *y = b;
  return str_cmp((*x)->name, (*y)->name);
}

void include_set_close(struct include_set *set, const size_t *first, size_t n, struct arena *a,
                       struct include_closure *out) {
  bool *seen = arena_array(a, bool, set->files.n + 1);
  size_t *todo = arena_array(a, size_t, set->files.n + 1), left = 0;
  *out = (struct include_closure){.files = arena_array(a, const struct include_file *, set->files.n + 1)};
  for (size_t i = 0; i < n; i++)
    if (!seen[first[i]]) {
      seen[first[i]] = true;
      todo[left++] = first[i];
    }
  while (left) {
    const struct include_file *f = &set->files.p[todo[--left]];
    out->files[out->n++] = f;
    for (size_t i = 0; i < f->reaches.n; i++)
      if (!seen[f->reaches.p[i]]) {
        seen[f->reaches.p[i]] = true;
        todo[left++] = f->reaches.p[i];
      }
  }
  if (out->n)
    qsort(out->files, out->n, sizeof *out->files, by_name);
  struct hasher *h = hash_new();
  for (size_t i = 0; i < out->n; i++)
    hash_field(h, out->files[i]->name, (str){(const char *)out->files[i]->digest.b, 32});
  out->digest = hash_finish(h);
}
