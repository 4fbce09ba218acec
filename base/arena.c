/* Bump allocation in blocks. Under AddressSanitizer the unused part of a block is poisoned, so that
 * a pointer kept across a rewind is caught. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"

#if defined(__SANITIZE_ADDRESS__)
#define MIRDC_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MIRDC_ASAN 1
#endif
#endif
#ifdef MIRDC_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(p, n) ASAN_POISON_MEMORY_REGION((p), (n))
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION((p), (n))
enum { RED_ZONE = 16 };
#else
#define POISON(p, n) ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
enum { RED_ZONE = 0 };
#endif

enum { FIRST_BLOCK = 16 * 1024, FRESH_BLOCK = 128 * 1024, BIGGEST_BLOCK = 4 * 1024 * 1024 };

struct arena_block {
  struct arena_block *older;
  size_t cap;
  size_t touched; /* from here on it is zero and was never handed out */
  max_align_t data[];
};

static char *data_of(struct arena_block *b) {
  return (char *)b->data;
}

static void drop_newest(struct arena *a) {
  struct arena_block *b = a->block;
  a->block = b->older;
  a->total -= b->cap;
  UNPOISON(b->data, b->cap);
  free(b);
}

void arena_free(struct arena *a) {
  while (a->block)
    drop_newest(a);
  *a = (struct arena){0};
}

struct arena_mark arena_save(const struct arena *a) {
  return (struct arena_mark){a->block, a->used};
}

void arena_rewind(struct arena *a, struct arena_mark m) {
  /* The first block is kept although a mark may be older than it: arenas that are rewound in a loop
   * would otherwise allocate it anew each time. */
  while (a->block != m.block && a->block->older)
    drop_newest(a);
  a->used = a->block == m.block ? m.used : 0;
  if (a->block)
    POISON(data_of(a->block) + a->used, a->block->cap - a->used);
}

static void add_block(struct arena *a, size_t at_least) {
  size_t cap = a->block ? a->block->cap * 2 : FIRST_BLOCK;
  if (cap > BIGGEST_BLOCK)
    cap = BIGGEST_BLOCK;
  if (cap < at_least)
    cap = at_least;
  if (cap > SIZE_MAX / 2)
    fatal_no_memory(cap);
  /* What comes fresh from the system is zero: writing that again costs as much as using it. */
  const bool fresh = cap >= FRESH_BLOCK;
  struct arena_block *b = fresh ? xcalloc(sizeof *b + cap) : xmalloc(sizeof *b + cap);
  b->touched = fresh ? 0 : cap;
  b->older = a->block;
  b->cap = cap;
  a->block = b;
  a->used = 0;
  a->total += cap;
  POISON(b->data, cap);
}

static void zero_again(struct arena_block *b, size_t from, size_t size) {
  if (from < b->touched)
    memset(data_of(b) + from, 0, size < b->touched - from ? size : b->touched - from);
  if (from + size > b->touched)
    b->touched = from + size;
}

void *arena_alloc(struct arena *a, size_t size, size_t align) {
  ASSERT(align && (align & (align - 1)) == 0 && align <= 4096);
  if (size > SIZE_MAX / 4)
    fatal_no_memory(size);
  for (;;) {
    if (a->block) {
      uintptr_t base = (uintptr_t)data_of(a->block);
      uintptr_t at = (base + a->used + (align - 1)) & ~(uintptr_t)(align - 1);
      size_t from = at - base;
      if (from <= a->block->cap && size + RED_ZONE <= a->block->cap - from) {
        a->used = from + size + RED_ZONE;
        void *p = data_of(a->block) + from;
        UNPOISON(p, size);
        zero_again(a->block, from, size);
        return p;
      }
    }
    add_block(a, size + align + RED_ZONE);
  }
}

void *arena_alloc_n(struct arena *a, size_t n, size_t size, size_t align) {
  size_t bytes;
  if (__builtin_mul_overflow(n, size, &bytes))
    fatal_no_memory(SIZE_MAX);
  return arena_alloc(a, bytes, align);
}

char *arena_strz(struct arena *a, str s) {
  char *p = arena_alloc(a, s.n + 1, 1);
  if (s.n)
    memcpy(p, s.p, s.n);
  return p;
}

str arena_str(struct arena *a, str s) {
  return (str){arena_strz(a, s), s.n};
}

str arena_printf(struct arena *a, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  va_list copy;
  va_copy(copy, ap);
  int n = vsnprintf(NULL, 0, fmt, copy);
  va_end(copy);
  if (n < 0)
    BUG("bad format '%s'", fmt);
  char *p = arena_alloc(a, (size_t)n + 1, 1);
  vsnprintf(p, (size_t)n + 1, fmt, ap);
  va_end(ap);
  return (str){p, (size_t)n};
}
