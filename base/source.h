/* Places in source files, and the files they are in. */
#ifndef MIRDC_BASE_SOURCE_H
#define MIRDC_BASE_SOURCE_H

#include "base/arena.h"
#include "base/map.h"

#define FILE_NONE 0u /* no file: a span that says nothing */

/* Lines and columns are 1-based; columns count characters as rustc does. The end is exclusive.
 * line0 == 0 names the whole file. */
struct span {
  uint32_t file;
  uint32_t line0, col0, line1, col1;
};
#define SPAN_NONE ((struct span){0, 0, 0, 0, 0})

struct source_file {
  str path;      /* as shown to the user */
  str text;      /* empty when it could not be read; see state */
  uint32_t *line_offsets; /* built on first use */
  uint32_t n_lines;
  enum { SRC_UNREAD, SRC_READ, SRC_MISSING } state;
};

struct source_map {
  struct arena arena;
  struct source_file *files; /* [0] is unused */
  size_t n, cap;
  struct map by_path;
  str root; /* relative paths are also tried below this folder; may be empty */
};

void source_map_init(struct source_map *m);
void source_map_free(struct source_map *m);
/* The number of the file, added if new. The path is copied. The text is read on first need. */
uint32_t source_file_id(struct source_map *m, str path);
/* The same with the text given (copied). */
uint32_t source_file_with_text(struct source_map *m, str path, str text);
struct source_file *source_file_get(struct source_map *m, uint32_t id);
/* One line (1-based) without its newline; false when the text is not to be had. */
bool source_line(struct source_map *m, uint32_t id, uint32_t line, str *out);
/* The span of bytes [lo, hi) of a file with known text. */
struct span source_span_of_bytes(struct source_map *m, uint32_t id, size_t lo, size_t hi);

#endif
