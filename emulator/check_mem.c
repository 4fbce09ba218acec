/* Memory of the checks: one reserved range of addresses in which objects lie with gaps between
 * them, and what an address belongs to. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/fatal.h"
#include "emulator/check_int.h"

#define RANGE_BYTES (UINT64_C(64) << 30)
#define RANGE_LEAST (UINT64_C(64) << 20)
/* Gaps are as wide as the object before them, so that an index that is a row or two too far is
 * found, within these limits. */
#define GAP_LEAST (UINT64_C(64) << 10)
#define GAP_MOST (UINT64_C(64) << 20)

/* The same addresses in every run, where that is possible: a kernel may print them. */
#define FIXED_BASE UINT64_C(0x200000000000)
#define FIXED_STEP (UINT64_C(128) << 30)
#define FIXED_PLACES 16

void *check_reserve(uint64_t *size, uint64_t least, bool usable) {
  int prot = usable ? PROT_READ | PROT_WRITE : PROT_NONE;
  for (;; *size /= 2) {
    void *p = mmap(NULL, *size, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p != MAP_FAILED)
      return p;
    if (*size / 2 < least)
      return NULL;
  }
}

static uint64_t round_up(uint64_t n, uint64_t to) {
  return (n + to - 1) & ~(to - 1);
}

static void *reserve_range(uint64_t *size) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  for (unsigned i = 0; i < FIXED_PLACES; i++) {
    void *want = (void *)(FIXED_BASE + i * FIXED_STEP);
    void *p = mmap(want, *size, PROT_NONE, flags, -1, 0);
    if (p == want)
      return p;
    if (p != MAP_FAILED)
      munmap(p, *size); /* an old kernel took the address for a hint */
  }
  return check_reserve(size, RANGE_LEAST, false);
}

bool check_mem_init(struct check *c) {
  c->span = RANGE_BYTES;
  void *p = reserve_range(&c->span);
  if (!p)
    return false;
  c->base = (uintptr_t)p;
  uint64_t lines = c->span / PAGE * sizeof *c->lines;
  c->lines = check_reserve(&lines, lines, true);
  c->scratch =
      mmap(NULL, SCRATCH_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  c->top = GAP_LEAST;
  c->cap_objects = 16;
  c->objects = xmalloc(c->cap_objects * sizeof *c->objects);
  c->objects[0] = (struct object){.size = 0};
  c->n_objects = 1;
  return c->lines && c->scratch != MAP_FAILED;
}

static uint64_t cells_bytes(const struct object *o) {
  return (o->size + 3) / 4 * sizeof *o->cells;
}

/* Questions read two bytes at once. */
static uint64_t init_bytes(const struct object *o) {
  return o->size / 8 + 2;
}

static struct cell *new_cells(const struct object *o) {
  uint64_t n = cells_bytes(o);
  return check_reserve(&n, n, true);
}

static void free_shadow(struct object *o) {
  if (o->cells)
    munmap(o->cells, cells_bytes(o));
  free(o->init);
  o->cells = NULL;
  o->init = NULL;
}

void check_mem_free(struct check *c) {
  for (size_t i = 1; i < c->n_objects; i++)
    free_shadow(&c->objects[i]);
  free(c->objects);
  if (c->lines)
    munmap(c->lines, c->span / PAGE * sizeof *c->lines);
  if (c->base)
    munmap((void *)c->base, c->span);
  if (c->scratch && c->scratch != MAP_FAILED)
    munmap(c->scratch, SCRATCH_BYTES);
  vec_free(&c->holes);
  vec_free(&c->shared);
  vec_free(&c->ranges);
}

static bool new_shadow(struct check *c, struct object *o) {
  free_shadow(o);
  if (c->races && o->writable && o->size) {
    o->cells = new_cells(o);
    if (!o->cells)
      return false;
  }
  if (c->uninit && o->shared && o->size) {
    o->init = calloc(init_bytes(o), 1);
    if (!o->init)
      return false;
  }
  return true;
}

void check_cells_reset(struct check *c) {
  for (size_t i = 1; i < c->n_objects; i++) {
    struct object *o = &c->objects[i];
    if (!o->cells)
      continue;
    munmap(o->cells, cells_bytes(o));
    o->cells = new_cells(o);
    if (!o->cells)
      fatal_no_memory(cells_bytes(o));
  }
}

void check_init_reset(struct check *c) {
  for (size_t i = 0; i < c->shared.n; i++) {
    struct object *o = &c->objects[c->shared.p[i]];
    if (o->live && o->init)
      memset(o->init, 0, init_bytes(o));
  }
}

/* ---- places for objects ---- */
static bool take_hole(struct check *c, uint64_t need, uint64_t align, uint64_t *off) {
  for (size_t i = 0; i < c->holes.n; i++) {
    struct hole *h = &c->holes.p[i];
    uint64_t at = round_up(h->off, align), pad = at - h->off;
    if (h->size < pad || h->size - pad < need)
      continue;
    *off = at;
    uint64_t rest = h->size - pad - need;
    if (pad) {
      h->size = pad;
      if (rest)
        vec_push(NULL, &c->holes, ((struct hole){at + need, rest}));
    } else if (rest) {
      h->off += need;
      h->size = rest;
    } else {
      c->holes.p[i] = vec_pop(&c->holes);
    }
    return true;
  }
  return false;
}

static bool take_room(struct check *c, uint64_t need, uint64_t align, uint64_t *off) {
  if (take_hole(c, need, align, off))
    return true;
  *off = round_up(c->top, align);
  if (*off > c->span || need > c->span - *off)
    return false;
  if (*off > c->top)
    vec_push(NULL, &c->holes, ((struct hole){c->top, *off - c->top}));
  c->top = *off + need;
  return true;
}

static uint64_t gap_of(uint64_t held) {
  return held < GAP_LEAST ? GAP_LEAST : held > GAP_MOST ? GAP_MOST : held;
}

static struct object *new_object(struct check *c) {
  for (size_t i = 1; c->n_dead > 0 && i < c->n_objects; i++)
    if (!c->objects[i].live) {
      c->n_dead--;
      return &c->objects[i];
    }
  if (c->n_objects == c->cap_objects) {
    c->cap_objects *= 2;
    c->objects = xrealloc(c->objects, c->cap_objects * sizeof *c->objects);
  }
  return &c->objects[c->n_objects++];
}

void *check_alloc(struct check *c, str name, uint64_t size, uint64_t align, enum check_space space,
                  bool writable) {
  uint64_t off, to = align < PAGE ? PAGE : align;
  if (size > c->span / 2)
    return NULL;
  uint64_t held = round_up(size ? size : 1, PAGE);
  if (!take_room(c, held + gap_of(held), to, &off))
    return NULL;
  void *p = (void *)(c->base + off);
  if (size && mprotect(p, held, PROT_READ | PROT_WRITE) != 0)
    return NULL;
  struct object *o = new_object(c);
  uint32_t number = (uint32_t)(o - c->objects);
  *o = (struct object){.base = c->base + off,
                       .size = size,
                       .held = held,
                       .writable = writable,
                       .shared = space == CHECK_SHARED || space == CHECK_DYN_SHARED,
                       .live = true,
                       .space = space,
                       .name = arena_str(&c->arena, name)};
  if (!new_shadow(c, o)) {
    check_release(c, p);
    return NULL;
  }
  for (uint64_t l = 0; l < held / PAGE; l++)
    c->lines[off / PAGE + l] = size ? number : 0;
  if (o->init)
    vec_push(NULL, &c->shared, number);
  return p;
}

static struct object *object_at(struct check *c, const void *p) {
  for (size_t i = 1; i < c->n_objects; i++)
    if (c->objects[i].live && c->objects[i].base == (uintptr_t)p)
      return &c->objects[i];
  return NULL;
}

void check_release(struct check *c, void *p) {
  struct object *o = p ? object_at(c, p) : NULL;
  if (!o)
    return;
  uint64_t off = o->base - c->base;
  /* Mapping it anew gives the pages back. */
  if (mmap(p, o->held, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) !=
      p)
    BUG("cannot give memory back: %s", strerror(errno));
  for (uint64_t l = 0; l < o->held / PAGE; l++)
    c->lines[off / PAGE + l] = 0;
  vec_push(NULL, &c->holes, ((struct hole){off, o->held + gap_of(o->held)}));
  for (size_t i = 0; i < c->shared.n; i++)
    if (c->shared.p[i] == (uint32_t)(o - c->objects))
      c->shared.p[i] = vec_pop(&c->shared);
  free_shadow(o);
  o->live = false;
  c->n_dead++;
}

void check_add_range(struct check *c, str name, const void *p, uint64_t size, bool writable) {
  struct range r = {(uintptr_t)p, size, writable, arena_str(&c->arena, name)};
  vec_push(NULL, &c->ranges, r);
}

void check_set_stacks(struct check *c, const void *p, uint64_t size) {
  c->stacks = (uintptr_t)p;
  c->stacks_size = size;
}

/* ---- what an address belongs to ---- */
static struct object *nearest(struct check *c, uintptr_t at, uint64_t size) {
  struct object *best = NULL;
  uint64_t least = UINT64_MAX;
  for (size_t i = 1; i < c->n_objects; i++) {
    struct object *o = &c->objects[i];
    if (!o->live)
      continue;
    uint64_t far = at >= o->base + o->size ? at - (o->base + o->size)
                   : at + size <= o->base  ? o->base - (at + size)
                                           : 0;
    if (far < least) {
      least = far;
      best = o;
    }
  }
  return best;
}

static void finding_at(struct check *c, enum check_kind kind, uintptr_t at, uint64_t size,
                       const struct object *o, enum check_access access, check_loc loc) {
  struct check_finding f = {.kind = kind, .address = at, .size = size};
  f.at = check_me(c, loc, access);
  if (o) {
    f.object = o->name;
    f.space = o->space;
    f.object_size = o->size;
    f.offset = (int64_t)(at - o->base);
  }
  check_report(c, &f);
}

static bool in_range(uintptr_t at, uint64_t size, uintptr_t base, uint64_t n) {
  return at >= base && at - base < n && size <= n - (at - base);
}

/* Not inside of any object. */
static bool place_outside(struct check *c, uintptr_t at, uint64_t size, enum check_access kind,
                          check_loc loc) {
  if (in_range(at, size, c->own, c->own_size))
    return true;
  for (size_t i = 0; i < c->ranges.n; i++) {
    const struct range *r = &c->ranges.p[i];
    if (!in_range(at, size, r->base, r->size))
      continue;
    if (r->writable || !check_writes(kind))
      return true;
    struct object as = {.base = r->base, .size = r->size, .space = CHECK_CONST, .name = r->name};
    if (!(c->o.what & CHECK_BOUNDS))
      return true;
    finding_at(c, CHECK_READ_ONLY, at, size, &as, kind, loc);
    return false;
  }
  if (!(c->o.what & CHECK_BOUNDS))
    return true;
  if (at - c->base < c->span)
    finding_at(c, CHECK_OUT_OF_BOUNDS, at, size, nearest(c, at, size), kind, loc);
  else if (at < NULL_BYTES)
    finding_at(c, CHECK_NULL, at, size, NULL, kind, loc);
  else if (at - c->stacks < c->stacks_size)
    finding_at(c, CHECK_FOREIGN_STACK, at, size, NULL, kind, loc);
  else
    finding_at(c, CHECK_WILD, at, size, NULL, kind, loc);
  return false;
}

bool check_place(struct check *c, const void *p, uint64_t size, enum check_access kind,
                 check_loc loc, struct object **out) {
  uint64_t off = (uintptr_t)p - c->base;
  *out = NULL;
  if (UNLIKELY(off >= c->span))
    return place_outside(c, (uintptr_t)p, size, kind, loc);
  struct object *o = &c->objects[c->lines[off / PAGE]];
  uint64_t rel = (uintptr_t)p - o->base;
  if (UNLIKELY(rel >= o->size))
    return place_outside(c, (uintptr_t)p, size, kind, loc);
  if (UNLIKELY(size > o->size - rel)) {
    if (!(c->o.what & CHECK_BOUNDS))
      return true;
    finding_at(c, CHECK_OUT_OF_BOUNDS, (uintptr_t)p, size, o, kind, loc);
    return false;
  }
  if (UNLIKELY(!o->writable && check_writes(kind)) && c->o.what & CHECK_BOUNDS) {
    finding_at(c, CHECK_READ_ONLY, (uintptr_t)p, size, o, kind, loc);
    return false;
  }
  *out = o;
  return true;
}
