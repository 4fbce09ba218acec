/* A hash map from strings to machine words that remembers insertion order, so that walking it is
 * deterministic. Keys are borrowed: the caller keeps their bytes alive. */
#ifndef MIRDC_BASE_MAP_H
#define MIRDC_BASE_MAP_H

#include "base/str.h"

struct map_entry {
  str key;
  uint64_t hash;
  uintptr_t value;
};

struct map {
  struct map_entry *entries; /* in order of insertion */
  size_t n, cap;
  uint32_t *slots; /* 1-based entry numbers, 0 = free */
  size_t n_slots;
};

/* A zero-initialised map is empty and ready. */
void map_free(struct map *m);
/* NULL when the key is absent. The address is valid until the next insertion. */
uintptr_t *map_get(const struct map *m, str key);
/* Finds or inserts; *fresh (may be NULL) tells which. A fresh value is 0. */
uintptr_t *map_put(struct map *m, str key, bool *fresh);

#endif
