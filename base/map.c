/* Open addressing over a dense array of entries. */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"

void map_free(struct map *m) {
  free(m->entries);
  free(m->slots);
  *m = (struct map){0};
}

/* The slot that holds the key, or the free slot where it belongs. */
static size_t slot_of(const struct map *m, str key, uint64_t hash) {
  size_t mask = m->n_slots - 1;
  size_t i = (size_t)hash & mask;
  while (m->slots[i]) {
    const struct map_entry *e = &m->entries[m->slots[i] - 1];
    if (e->hash == hash && str_eq(e->key, key))
      break;
    i = (i + 1) & mask;
  }
  return i;
}

uintptr_t *map_get(const struct map *m, str key) {
  if (m->n == 0)
    return NULL;
  size_t i = slot_of(m, key, str_hash(key));
  return m->slots[i] ? &m->entries[m->slots[i] - 1].value : NULL;
}

static void grow(struct map *m) {
  size_t n_slots = m->n_slots ? m->n_slots * 2 : 16;
  if (n_slots > UINT32_MAX)
    fatal_no_memory(n_slots);
  free(m->slots);
  m->slots = xmalloc(n_slots * sizeof *m->slots);
  memset(m->slots, 0, n_slots * sizeof *m->slots);
  m->n_slots = n_slots;
  for (size_t e = 0; e < m->n; e++)
    m->slots[slot_of(m, m->entries[e].key, m->entries[e].hash)] = (uint32_t)e + 1;
}

uintptr_t *map_put(struct map *m, str key, bool *fresh) {
  if (m->n * 4 >= m->n_slots * 3)
    grow(m);
  uint64_t hash = str_hash(key);
  size_t i = slot_of(m, key, hash);
  if (fresh)
    *fresh = m->slots[i] == 0;
  if (m->slots[i])
    return &m->entries[m->slots[i] - 1].value;
  if (m->n == m->cap) {
    m->cap = m->cap ? m->cap * 2 : 16;
    m->entries = xrealloc(m->entries, m->cap * sizeof *m->entries);
  }
  m->entries[m->n] = (struct map_entry){key, hash, 0};
  m->slots[i] = (uint32_t)++m->n;
  return &m->entries[m->n - 1].value;
}
