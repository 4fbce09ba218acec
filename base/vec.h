/* Growing arrays. With an arena the old storage stays in it until the arena goes; without one
 * (NULL) storage is malloc'd and vec_free releases it. */
#ifndef MIRDC_BASE_VEC_H
#define MIRDC_BASE_VEC_H

#include "base/arena.h"

#define VEC(T)                                                                                     \
  struct {                                                                                         \
    T *p;                                                                                          \
    size_t n, cap;                                                                                 \
  }

#define vec_push(a, v, x)                                                                          \
  ((void)((v)->n < (v)->cap ||                                                                     \
          (vec_reserve_one((a), (void **)&(v)->p, (v)->n, &(v)->cap, sizeof(*(v)->p)), true)),     \
   (void)((v)->p[(v)->n++] = (x)))
/* Appends a zeroed element and yields its address. */
#define vec_add(a, v)                                                                              \
  (vec_reserve_one((a), (void **)&(v)->p, (v)->n, &(v)->cap, sizeof(*(v)->p)),                     \
   vec_zero(&(v)->p[(v)->n], sizeof(*(v)->p)), &(v)->p[(v)->n++])
#define vec_pop(v) ((v)->p[--(v)->n])
#define vec_last(v) ((v)->p[(v)->n - 1])
#define vec_free(v) (vec_free_raw((v)->p), (v)->p = NULL, (v)->n = (v)->cap = 0)

void vec_reserve_one(struct arena *a, void **p, size_t n, size_t *cap, size_t elem);
void vec_zero(void *p, size_t n);
void vec_free_raw(void *p);

#endif
