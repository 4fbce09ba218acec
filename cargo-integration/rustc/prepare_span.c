/* Spans, files and symbols of the result. */
#include <string.h>

#include "base/fatal.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/symbol.h"
#include "cargo-integration/rustc/prepare.h"

static bool below(str path, str dir, str *rest) {
  while (dir.n && dir.p[dir.n - 1] == '/')
    dir.n--;
  if (!dir.n || !str_starts(path, dir) || path.n <= dir.n || path.p[dir.n] != '/')
    return false;
  *rest = str_drop(path, dir.n + 1);
  return true;
}

/* rustc's own libraries are printed as `/rustc/HASH/library/core/…`, below the toolchain when their
 * sources are installed, or where a distribution built them: they keep their place below `library/`. */
bool prep_in_library(str path, str *rest) {
  static const char *const crates[] = {"/library/core/", "/library/alloc/", "/library/std/"};
  for (size_t i = 0; path.n && path.p[0] == '/' && i < COUNT_OF(crates); i++) {
    size_t at = str_find(path, str_from(crates[i]), 0);
    if (at == SIZE_MAX)
      continue;
    *rest = str_drop(path, at + 1);
    return true;
  }
  return false;
}

str prep_file_name(struct prep *p, str path) {
  str rest;
  const struct unit *u = p->unit;
  if (prep_in_library(path, &rest))
    return rest;
  const char *full = arena_strz(p->arena, path);
  if (path.n && path.p[0] != '/' && u->cwd)
    full = path_join(p->arena, u->cwd, full);
  char *real = path_real(p->arena, full);
  char *root = u->package_root ? path_real(p->arena, u->package_root) : NULL;
  str abs = str_from(real ? real : full);
  if (root && below(abs, str_from(root), &rest))
    return arena_str(p->arena, rest);
  if (abs.n && abs.p[0] == '/')
    return arena_str(p->arena, path_from_package(abs));
  return arena_str(p->arena, abs);
}

static uint32_t file_id(struct prep *p, uint32_t source) {
  const struct source_file *f = source_file_get(p->sink->sources, source);
  bool fresh;
  uintptr_t *slot = map_put(&p->file_ids, f->path, &fresh);
  if (fresh) {
    *slot = p->files.n;
    vec_push(p->arena, &p->files, source);
  }
  return (uint32_t)*slot;
}

/* Generated wrappers stand behind the end of the crate root. */
static bool past_the_end(struct prep *p, struct span s) {
  str line;
  const struct source_file *f = source_file_get(p->sink->sources, s.file);
  return f->state != SRC_MISSING && source_line(p->sink->sources, s.file, 1, &line) &&
         !source_line(p->sink->sources, s.file, s.line0, &line);
}

static void range(struct prep *p, struct jsonw *w, struct span s) {
  jw_u64(w, file_id(p, s.file));
  jw_u64(w, s.line0);
  jw_u64(w, s.col0);
  jw_u64(w, s.line1);
  jw_u64(w, s.col1);
}

static void id_or_null(struct jsonw *w, uint32_t id) {
  if (id == PREP_NONE)
    jw_null(w);
  else
    jw_u64(w, id);
}

/* The same text is kept once. */
static uint32_t number_of(struct prep *p, struct map *ids, struct jsonw *w, uint32_t next, str *text) {
  bool fresh;
  *text = arena_str(p->arena, sb_str(&w->out));
  jw_free(w);
  uintptr_t *slot = map_put(ids, *text, &fresh);
  if (fresh)
    *slot = next;
  return (uint32_t)*slot;
}

uint32_t prep_scope(struct prep *p, struct span s, uint32_t parent) {
  struct jsonw w;
  str text;
  if (s.file == FILE_NONE || s.line0 == 0)
    return parent;
  jw_init(&w, false);
  jw_array(&w);
  id_or_null(&w, parent);
  jw_u64(&w, file_id(p, s.file));
  jw_u64(&w, s.line0);
  jw_u64(&w, s.col0);
  jw_end_array(&w);
  uint32_t n = number_of(p, &p->scope_ids, &w, (uint32_t)p->scopes.n, &text);
  if (n == p->scopes.n)
    vec_push(p->arena, &p->scopes, text);
  return n;
}

uint32_t prep_span(struct prep *p, struct span s, uint32_t at, str fn, uint32_t scope) {
  struct jsonw w;
  str text;
  if (s.file == FILE_NONE || s.line0 == 0 || past_the_end(p, s))
    return PREP_NONE;
  jw_init(&w, false);
  jw_array(&w);
  range(p, &w, s);
  if (at != PREP_NONE || scope != PREP_NONE) {
    id_or_null(&w, at);
    if (at != PREP_NONE)
      jw_str(&w, fn);
    else
      jw_null(&w);
  }
  if (scope != PREP_NONE)
    jw_u64(&w, scope);
  jw_end_array(&w);
  uint32_t n = number_of(p, &p->span_ids, &w, (uint32_t)p->spans.n, &text);
  if (n == p->spans.n)
    vec_push(p->arena, &p->spans, text);
  return n;
}

void prep_write_files(struct prep *p, struct jsonw *w) {
  jw_key(w, "files");
  jw_array(w);
  for (size_t i = 0; i < p->files.n; i++) {
    struct source_file *f = source_file_get(p->sink->sources, p->files.p[i]);
    str line, rest;
    char hex[65];
    jw_object(w);
    jw_kstr(w, "path", prep_file_name(p, f->path));
    if (!prep_in_library(f->path, &rest) && source_line(p->sink->sources, p->files.p[i], 1, &line)) {
      f = source_file_get(p->sink->sources, p->files.p[i]);
      struct digest d = hash_of(f->text.p, f->text.n);
      digest_hex(&d, hex);
      jw_kz(w, "sha256", hex);
    }
    jw_end_object(w);
  }
  jw_end_array(w);
}

str prep_symbol(struct prep *p, str label) {
  return symbol_unique(p->arena, &p->symbols, symbol_spell(p->arena, label));
}
