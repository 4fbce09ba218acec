/* Source files, read when something wants to show a line of them. */
#include "base/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/fs.h"

enum { MAX_SHOWN_SOURCE = 64 * 1024 * 1024 };

void source_map_init(struct source_map *m) {
  *m = (struct source_map){0};
  m->cap = 8;
  m->files = xmalloc(m->cap * sizeof *m->files);
  memset(m->files, 0, sizeof *m->files);
  m->n = 1;
}

void source_map_free(struct source_map *m) {
  for (size_t i = 1; i < m->n; i++)
    free(m->files[i].line_offsets);
  free(m->files);
  map_free(&m->by_path);
  arena_free(&m->arena);
  *m = (struct source_map){0};
}

uint32_t source_file_id(struct source_map *m, str path) {
  uintptr_t *known = map_get(&m->by_path, path);
  if (known)
    return (uint32_t)*known;
  if (m->n == m->cap) {
    m->cap *= 2;
    m->files = xrealloc(m->files, m->cap * sizeof *m->files);
  }
  str own = arena_str(&m->arena, path);
  m->files[m->n] = (struct source_file){.path = own};
  *map_put(&m->by_path, own, NULL) = m->n;
  return (uint32_t)m->n++;
}

uint32_t source_file_with_text(struct source_map *m, str path, str text) {
  uint32_t id = source_file_id(m, path);
  struct source_file *f = &m->files[id];
  f->text = arena_str(&m->arena, text);
  f->state = SRC_READ;
  free(f->line_offsets);
  f->line_offsets = NULL;
  return id;
}

/* Tries the path as it is and below the root. */
static bool read_text(struct source_map *m, struct source_file *f) {
  struct bytes b;
  char *z = arena_strz(&m->arena, f->path);
  bool ok = fs_try_read(z, MAX_SHOWN_SOURCE, &b) == 0;
  if (!ok && m->root.n) {
    str joined = arena_printf(&m->arena, "%.*s/%s", STR_ARG(m->root), z);
    ok = fs_try_read(joined.p, MAX_SHOWN_SOURCE, &b) == 0;
  }
  if (!ok)
    return false;
  f->text = arena_str(&m->arena, (str){(const char *)b.p, b.n});
  bytes_free(&b);
  return true;
}

struct source_file *source_file_get(struct source_map *m, uint32_t id) {
  ASSERT(id != FILE_NONE && id < m->n);
  struct source_file *f = &m->files[id];
  if (f->state == SRC_UNREAD)
    f->state = read_text(m, f) ? SRC_READ : SRC_MISSING;
  return f;
}

static void index_lines(struct source_file *f) {
  size_t n = 1;
  for (size_t at = 0; (at = str_find_char(f->text, '\n', at)) != SIZE_MAX; at++)
    n++;
  f->line_offsets = xmalloc(n * sizeof *f->line_offsets);
  f->line_offsets[0] = 0;
  f->n_lines = 1;
  for (size_t at = 0; (at = str_find_char(f->text, '\n', at)) != SIZE_MAX; at++)
    f->line_offsets[f->n_lines++] = (uint32_t)at + 1;
}

static str line_text(const struct source_file *f, uint32_t line) {
  size_t lo = f->line_offsets[line - 1];
  str s = str_drop(f->text, lo);
  s = str_sub(s, 0, str_find_char(s, '\n', 0));
  return str_ends(s, STR("\r")) ? str_sub(s, 0, s.n - 1) : s;
}

bool source_line(struct source_map *m, uint32_t id, uint32_t line, str *out) {
  struct source_file *f = source_file_get(m, id);
  if (f->state != SRC_READ || line == 0)
    return false;
  if (!f->line_offsets)
    index_lines(f);
  if (line > f->n_lines)
    return false;
  *out = line_text(f, line);
  return true;
}

/* Line and 1-based column, in characters, of a byte offset. */
static void locate(struct source_file *f, size_t at, uint32_t *line, uint32_t *col) {
  if (at > f->text.n)
    at = f->text.n;
  uint32_t lo = 0, hi = f->n_lines;
  while (hi - lo > 1) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (f->line_offsets[mid] <= at)
      lo = mid;
    else
      hi = mid;
  }
  uint32_t c = 1;
  for (size_t i = f->line_offsets[lo]; i < at; i++)
    c += ((uint8_t)f->text.p[i] & 0xc0) != 0x80;
  *line = lo + 1;
  *col = c;
}

struct span source_span_of_bytes(struct source_map *m, uint32_t id, size_t lo, size_t hi) {
  struct source_file *f = source_file_get(m, id);
  struct span s = {.file = id};
  if (f->state != SRC_READ)
    return s;
  if (!f->line_offsets)
    index_lines(f);
  locate(f, lo, &s.line0, &s.col0);
  locate(f, hi, &s.line1, &s.col1);
  return s;
}
