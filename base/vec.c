/* Growth of the arrays declared with VEC. */
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"

void vec_reserve_one(struct arena *a, void **p, size_t n, size_t *cap, size_t elem) {
  if (n < *cap)
    return;
  size_t want = *cap ? *cap * 2 : 8;
  size_t bytes;
  if (want < *cap || __builtin_mul_overflow(want, elem, &bytes))
    fatal_no_memory(SIZE_MAX);
  if (a) {
    void *fresh = arena_alloc(a, bytes, _Alignof(max_align_t));
    if (n)
      memcpy(fresh, *p, n * elem);
    *p = fresh;
  } else {
    *p = xrealloc(*p, bytes);
  }
  *cap = want;
}

void vec_zero(void *p, size_t n) {
  memset(p, 0, n);
}

void vec_free_raw(void *p) {
  free(p);
}
