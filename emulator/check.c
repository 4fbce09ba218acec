/* The checks' own life, the course of a launch, accesses, and the list of findings. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/fatal.h"
#include "emulator/check_int.h"

#define MOST_SEGMENTS (UINT64_C(1) << 29)
#define MOST_WIDES (UINT64_C(1) << 27)
#define DEFAULT_FINDINGS 100

struct check *check_new(const struct check_options *o) {
  struct check *c = xmalloc(sizeof *c);
  memset(c, 0, sizeof *c);
  c->o = *o;
  if (c->o.max_findings == 0)
    c->o.max_findings = DEFAULT_FINDINGS;
  c->uninit = o->what & CHECK_UNINIT;
  c->races = o->what & CHECK_RACES;
  c->next_seg = c->launch_first = c->block_first = c->barrier_seg = 1;
  uint64_t segs = MOST_SEGMENTS * sizeof *c->segs, wides = MOST_WIDES * sizeof *c->wides;
  c->segs = check_reserve(&segs, PAGE, true);
  c->wides = check_reserve(&wides, PAGE, true);
  c->most_segs = (uint32_t)(segs / sizeof *c->segs);
  c->most_wides = (uint32_t)(wides / sizeof *c->wides);
  c->threads = calloc(MAX_THREADS, sizeof *c->threads);
  if (!c->segs || !c->wides || !c->threads || !check_mem_init(c)) {
    check_free(c);
    errno = ENOMEM;
    return NULL;
  }
  return c;
}

void check_free(struct check *c) {
  if (!c)
    return;
  check_mem_free(c);
  check_order_free(c);
  if (c->segs)
    munmap(c->segs, c->most_segs * sizeof *c->segs);
  if (c->wides)
    munmap(c->wides, c->most_wides * sizeof *c->wides);
  vec_free(&c->found);
  arena_free(&c->arena);
  free(c);
}

unsigned check_enabled(const struct check *c) {
  return c->o.what;
}

/* ---- course ---- */
void check_launch_begin(struct check *c, const uint32_t grid[3], const uint32_t block[3]) {
  memcpy(c->grid, grid, sizeof c->grid);
  memcpy(c->block, block, sizeof c->block);
  c->n_threads = block[0] * block[1] * block[2];
  ASSERT(c->n_threads > 0 && c->n_threads <= MAX_THREADS);
  c->thread = 0;
  check_order_launch(c);
}

void check_launch_end(struct check *c) {
  c->own = 0;
  c->own_size = 0;
}

void check_block_begin(struct check *c, uint64_t block) {
  c->block_index = block;
  check_init_reset(c);
  check_order_block(c);
}

void check_block_end(struct check *c) {
  (void)c; /* what was seen stays for the blocks that follow */
}

void check_thread_run(struct check *c, uint32_t thread, const void *own, uint64_t own_size) {
  c->thread = thread;
  c->own = (uintptr_t)own;
  c->own_size = own_size;
  check_new_segment(c);
}

/* ---- shared memory that was written ---- */
/* Bits of `size` bytes from `rel` on, at most 8 of them. */
static bool init_test(const uint8_t *init, uint64_t rel, uint64_t size) {
  unsigned two = init[rel >> 3] | (unsigned)init[(rel >> 3) + 1] << 8;
  unsigned want = ((1u << size) - 1) << (rel & 7);
  return (two & want) == want;
}

static void init_set(uint8_t *init, uint64_t rel, uint64_t size) {
  unsigned bits = ((1u << size) - 1) << (rel & 7);
  init[rel >> 3] |= (uint8_t)bits;
  init[(rel >> 3) + 1] |= (uint8_t)(bits >> 8);
}

static void init_set_all(uint8_t *init, uint64_t rel, uint64_t size) {
  for (; size > 8; rel += 8, size -= 8)
    init_set(init, rel, 8);
  init_set(init, rel, size);
}

static bool init_get(const uint8_t *init, uint64_t rel) {
  return (unsigned)init[rel >> 3] >> (rel & 7) & 1u;
}

static void uninitialised(struct check *c, const struct object *o, uint64_t rel, uint64_t size,
                          enum check_access kind, check_loc loc) {
  struct check_finding f = {.kind = CHECK_UNINITIALISED,
                            .address = o->base + rel,
                            .size = size,
                            .object = o->name,
                            .space = o->space,
                            .object_size = o->size,
                            .offset = (int64_t)rel};
  f.at = check_me(c, loc, kind);
  check_report(c, &f);
}

static void look_at_init(struct check *c, struct object *o, uint64_t rel, uint64_t size,
                         enum check_access kind, check_loc loc) {
  uint64_t at = rel, end = rel + size;
  while (check_reads(kind) && at < end) {
    uint64_t n = end - at < 8 ? end - at : 8;
    if (UNLIKELY(!init_test(o->init, at, n))) {
      uninitialised(c, o, rel, size, kind, loc);
      break;
    }
    at += n;
  }
  if (check_writes(kind))
    init_set_all(o->init, rel, size);
}

/* ---- accesses ---- */
static void *scratch(struct check *c, uint64_t size) {
  ASSERT(size <= SCRATCH_BYTES);
  memset(c->scratch, 0, size);
  return c->scratch;
}

/* The address to use; *o is the object that more is to be asked about, or NULL. */
static void *enter(struct check *c, const void *p, uint64_t size, enum check_access kind,
                   check_loc loc, struct object **o, uint64_t *rel) {
  if (UNLIKELY(!check_place(c, p, size, kind, loc, o))) {
    *o = NULL;
    return scratch(c, size);
  }
  *rel = *o ? (uintptr_t)p - (*o)->base : 0;
  if (*o && (*o)->init)
    look_at_init(c, *o, *rel, size, kind, loc);
  return (void *)(uintptr_t)p;
}

static void *access_slow(struct check *c, const void *p, uint64_t size, enum check_access kind,
                         check_loc loc) {
  struct object *o;
  uint64_t rel;
  if (size == 0)
    return (void *)(uintptr_t)p;
  void *use = enter(c, p, size, kind, loc, &o, &rel);
  if (o && o->cells)
    check_race(c, o, rel, size, kind, 0, loc);
  return use;
}

/* Whole words of objects that are as they should be; everything else takes the long way. */
void *check_access(struct check *c, const void *p, uint64_t size, enum check_access kind,
                   check_loc loc) {
  struct object *o = check_inside(c, p, size);
  bool write = kind == CHECK_WRITE;
  uint64_t rel = (uintptr_t)p - (o ? o->base : 0);
  if (UNLIKELY(!o || ((size != 4 || rel & 3) && (size != 8 || rel & 7))))
    return access_slow(c, p, size, kind, loc);
  if (UNLIKELY(write && !o->writable))
    return access_slow(c, p, size, kind, loc);
  if (o->init) {
    if (write)
      init_set(o->init, rel, size);
    else if (UNLIKELY(!init_test(o->init, rel, size)))
      return access_slow(c, p, size, kind, loc);
  }
  if (!o->cells || c->gave_up)
    return (void *)(uintptr_t)p;
  struct cell *cell = &o->cells[rel >> 2];
  struct slot mine = {c->seg, loc & CHECK_LOC_MAX};
  if (UNLIKELY(!check_cell_fast(c, cell, 15, write, o->shared, mine) ||
               (size == 8 && !check_cell_fast(c, cell + 1, 15, write, o->shared, mine))))
    check_race(c, o, rel, size, kind, 0, loc);
  return (void *)(uintptr_t)p;
}

void *check_read_part(struct check *c, const void *p, uint64_t size, check_loc loc) {
  struct object *o;
  if (UNLIKELY(!check_place(c, p, size, CHECK_READ, loc, &o)))
    return scratch(c, size);
  if (o && o->cells)
    check_race(c, o, (uintptr_t)p - o->base, size, CHECK_READ, 0, loc);
  return (void *)(uintptr_t)p;
}

void *check_atomic(struct check *c, const void *p, uint64_t size, enum check_access kind,
                   enum check_order order, enum check_scope scope, check_loc loc) {
  struct object *o;
  uint64_t rel;
  uint32_t flags = SLOT_ATOMIC;
  void *use = enter(c, p, size, kind, loc, &o, &rel);
  if (!o || !o->cells || c->gave_up)
    return use;
  if (check_writes(kind))
    flags |= SLOT_ATOMIC_WRITE;
  if (scope == CHECK_SCOPE_BLOCK)
    flags |= SLOT_BLOCK_SCOPE;
  check_race(c, o, rel, size, kind, flags, loc);
  uint32_t *log = check_log_at(c, o, rel);
  if (log)
    check_order_atomic(c, log, o->shared, kind, order, scope);
  return use;
}

bool check_fill(struct check *c, const void *dst, uint64_t size, check_loc loc) {
  struct object *o;
  if (size == 0)
    return true;
  if (!check_place(c, dst, size, CHECK_WRITE, loc, &o))
    return false;
  if (!o)
    return true;
  uint64_t rel = (uintptr_t)dst - o->base;
  if (o->init)
    init_set_all(o->init, rel, size);
  if (o->cells)
    check_race(c, o, rel, size, CHECK_WRITE, 0, loc);
  return true;
}

static bool any_init(const struct object *o, uint64_t rel, uint64_t size) {
  for (uint64_t i = 0; i < size; i++)
    if (init_get(o->init, rel + i))
      return true;
  return false;
}

/* What was not written stays so at the place it is copied to. */
static void copy_init(const struct object *s, uint64_t from, struct object *d, uint64_t to,
                      uint64_t size) {
  if (!s || !s->init) {
    init_set_all(d->init, to, size);
    return;
  }
  bool backwards = s == d && from < to;
  for (uint64_t k = 0; k < size; k++) {
    uint64_t i = backwards ? size - 1 - k : k;
    uint8_t *byte = &d->init[(to + i) >> 3], bit = (uint8_t)(1u << ((to + i) & 7));
    *byte = init_get(s->init, from + i) ? *byte | bit : *byte & (uint8_t)~bit;
  }
}

bool check_copy(struct check *c, const void *dst, const void *src, uint64_t size, check_loc loc) {
  struct object *s, *d;
  if (size == 0)
    return true;
  bool from_ok = check_place(c, src, size, CHECK_READ, loc, &s);
  bool to_ok = check_place(c, dst, size, CHECK_WRITE, loc, &d);
  if (!from_ok || !to_ok)
    return false;
  uint64_t from = s ? (uintptr_t)src - s->base : 0, to = d ? (uintptr_t)dst - d->base : 0;
  if (s && s->init && !any_init(s, from, size))
    uninitialised(c, s, from, size, CHECK_READ, loc);
  if (s && s->cells)
    check_race(c, s, from, size, CHECK_READ, 0, loc);
  if (d && d->init)
    copy_init(s, from, d, to, size);
  if (d && d->cells)
    check_race(c, d, to, size, CHECK_WRITE, 0, loc);
  return true;
}

/* ---- findings ---- */
void check_where(const struct check *c, uint64_t block, uint32_t thread, struct check_party *out) {
  out->block[0] = (uint32_t)(block % c->grid[0]);
  out->block[1] = (uint32_t)(block / c->grid[0] % c->grid[1]);
  out->block[2] = (uint32_t)(block / c->grid[0] / c->grid[1]);
  out->thread[0] = thread % c->block[0];
  out->thread[1] = thread / c->block[0] % c->block[1];
  out->thread[2] = thread / c->block[0] / c->block[1];
}

struct check_party check_me(const struct check *c, check_loc loc, enum check_access access) {
  struct check_party p = {.loc = loc, .access = access};
  check_where(c, c->block_index, c->thread, &p);
  return p;
}

static bool same_finding(const struct check_finding *a, const struct check_finding *b) {
  if (a->kind != b->kind || a->has_other != b->has_other)
    return false;
  if (a->kind == CHECK_RACE && a->at.loc == b->other.loc && a->other.loc == b->at.loc)
    return true;
  return a->at.loc == b->at.loc && (!a->has_other || a->other.loc == b->other.loc);
}

void check_report(struct check *c, struct check_finding *f) {
  f->count = 1;
  if (c->last_found < c->found.n && same_finding(&c->found.p[c->last_found], f)) {
    c->found.p[c->last_found].count++;
    return;
  }
  for (size_t i = 0; i < c->found.n; i++)
    if (same_finding(&c->found.p[i], f)) {
      c->found.p[i].count++;
      c->last_found = (uint32_t)i;
      return;
    }
  if (c->found.n >= c->o.max_findings) {
    c->dropped++;
    return;
  }
  c->last_found = (uint32_t)c->found.n;
  vec_push(NULL, &c->found, *f);
}

void check_diverged(struct check *c, enum check_kind kind, uint32_t thread, check_loc loc,
                    uint32_t other, check_loc other_loc, bool other_exited, uint32_t missing,
                    uint32_t mask) {
  struct check_finding f = {.kind = kind, .missing = missing, .mask = mask};
  if (!(c->o.what & CHECK_DIVERGENCE))
    return;
  f.at.loc = loc;
  check_where(c, c->block_index, thread, &f.at);
  f.has_other = other != NO_THREAD;
  if (f.has_other) {
    f.other.loc = other_loc;
    f.other_exited = other_exited;
    check_where(c, c->block_index, other, &f.other);
  }
  check_report(c, &f);
}

size_t check_count(const struct check *c) {
  return c->found.n;
}

const struct check_finding *check_get(const struct check *c, size_t i) {
  return i < c->found.n ? &c->found.p[i] : NULL;
}

uint64_t check_dropped(const struct check *c) {
  return c->dropped;
}

bool check_races_gave_up(const struct check *c) {
  return c->gave_up;
}

void check_clear(struct check *c) {
  c->found.n = 0;
  c->last_found = 0;
  c->dropped = 0;
}
