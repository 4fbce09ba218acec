/* Bump allocation by lifetime. Memory is zeroed. Out of memory ends the process (see fatal.h). */
#ifndef MIRDC_BASE_ARENA_H
#define MIRDC_BASE_ARENA_H

#include "base/str.h"

struct arena_block;
struct arena {
  struct arena_block *block; /* newest first */
  size_t used;               /* in the newest block */
  size_t total;              /* bytes held in all blocks */
};

struct arena_mark {
  struct arena_block *block;
  size_t used;
};

/* A zero-initialised arena is ready to use. */
void arena_free(struct arena *a);
struct arena_mark arena_save(const struct arena *a);
/* Drops all that was allocated since the mark; blocks are returned to the system. */
void arena_rewind(struct arena *a, struct arena_mark m);

void *arena_alloc(struct arena *a, size_t size, size_t align);
/* The product is checked. */
void *arena_alloc_n(struct arena *a, size_t n, size_t size, size_t align);
#define arena_new(a, T) ((T *)arena_alloc((a), sizeof(T), _Alignof(T)))
#define arena_array(a, T, n) ((T *)arena_alloc_n((a), (n), sizeof(T), _Alignof(T)))

/* Copies; the result is followed by a zero byte. */
str arena_str(struct arena *a, str s);
char *arena_strz(struct arena *a, str s);
str arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
