/* Inside of the checks; only emulator/check*.c include this.
 *
 * Time is counted in segments: the accesses of one thread between two points at which another
 * thread may have run or something was ordered. Numbers of segments grow with time over all
 * launches, so a number says who (segs) and when, and all of a block's segments are consecutive. */
#ifndef MIRDC_EMULATOR_CHECK_INT_H
#define MIRDC_EMULATOR_CHECK_INT_H

#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "emulator/check.h"

#define LIKELY(c) __builtin_expect(!!(c), 1)
#define UNLIKELY(c) __builtin_expect(!!(c), 0)

enum { PAGE = 4096, MAX_THREADS = 1024, LANES = 32, MAX_WARPS = MAX_THREADS / LANES };
#define SCRATCH_BYTES 4096u
#define NULL_BYTES 65536u
#define NO_THREAD UINT32_MAX

/* ---- shadow of 4 bytes ---- */
/* Who accessed: a segment, and in `info` the place (24 bits), the bytes (4) and SLOT_ flags. */
struct slot {
  uint32_t seg; /* 0: nobody */
  uint32_t info;
};
enum { SLOT_ATOMIC_WRITE = 1u << 28, SLOT_BLOCK_SCOPE = 1u << 29, SLOT_ATOMIC = 1u << 30 };
#define SLOT_LOC(info) ((info)&CHECK_LOC_MAX)
#define SLOT_BYTES(info) ((info) >> 24 & 15u)
#define SEG_WIDE UINT32_MAX /* w.seg: the cell's state is elsewhere, in wide[w.info] */

struct cell {
  struct slot w; /* last write */
  struct slot
      r; /* of the last reader; with SEG_WIDE: r.info is 1 for one state, 4 for one a byte */
};

/* More than one reader, or atomics. Of readers and of atomics the first since the last barrier, the
 * last one by another thread, and one of an earlier block are kept. */
struct party_set {
  struct slot first, last, before;
};
struct wide {
  struct slot w;
  struct party_set r, a;
  uint32_t log;   /* of releases at this address; 0: none */
  uint32_t bytes; /* of a state for the whole cell */
};

/* ---- objects ---- */
struct object {
  uintptr_t base;
  uint64_t size;      /* as asked for */
  uint64_t held;      /* committed, whole pages */
  struct cell *cells; /* NULL: races are not looked for here */
  uint8_t *init;      /* shared memory: a bit per byte that was written */
  bool writable, shared, live;
  enum check_space space;
  str name;
};
struct range {
  uintptr_t base;
  uint64_t size;
  bool writable;
  str name;
};
struct hole {
  uint64_t off, size;
};

/* ---- order ---- */
/* What a thread may know through atomics: all entries of a log below `upto`. */
struct known {
  uint32_t log, upto;
  bool block_scope;
};
typedef VEC(struct known) known_list;
struct release {
  uint32_t seg;         /* covers the thread's own segments up to this one, */
  uint32_t floor;       /* those of its block before this one, */
  uint32_t warp_floor;  /* and those of its warp before this one */
  uint32_t block_first; /* first segment of the block */
  uint32_t thread;
  bool block_scope;
  uint32_t n_imports;
  struct known *imports;   /* what the thread knew itself */
  uint32_t before_imports; /* 1 + the last entry before this one that has some; 0: none */
};
struct log {
  VEC(struct release) entries;
  uint32_t with_imports; /* 1 + the last entry that has some; 0: none */
  uint64_t asked;        /* the question that last went through it, */
  uint32_t asked_upto;   /* and how far */
};

struct thread_state {
  /* By scope (1: block only): accesses up to this segment are covered by a later atomic write; 0:
   * no fence yet. */
  uint32_t fence_seg[2];
  bool knows_all; /* too much to keep: taken for everything */
  bool dirty;
  known_list known, pending;
};

struct warp_state {
  uint32_t full;           /* all lanes know each other's segments before this one */
  uint32_t (*know)[LANES]; /* [a][b]: a knows b's segments before this one; NULL: all 0 */
  bool know_used;
};

struct block_start {
  uint32_t seg;
  uint64_t block;
};

struct check {
  /* The first lines are what the fast path reads. */
  uintptr_t base; /* the reserved range */
  uint64_t span;
  uint32_t *lines;        /* object of each page; 0: none */
  struct object *objects; /* [0] is the object of gaps: of size 0 */
  uintptr_t own;
  uint64_t own_size;
  uint32_t seg; /* of the current thread */
  uint32_t launch_first, block_first, barrier_seg, next_seg;
  uint32_t thread; /* current */
  bool uninit, races;

  struct check_options o;
  size_t n_objects, cap_objects, n_dead;
  VEC(uint32_t) shared; /* objects with `init` */
  uint64_t top;         /* next free byte of the range */
  VEC(struct hole) holes;
  VEC(struct range) ranges;
  uintptr_t stacks;
  uint64_t stacks_size;
  uint8_t *scratch;

  uint32_t grid[3], block[3];
  uint32_t n_threads;
  uint64_t block_index;
  uint16_t *segs; /* thread of each segment, a reserved range */
  uint32_t most_segs;
  VEC(struct block_start) starts; /* of the launch's blocks, ascending */

  struct wide *wides; /* a reserved range */
  uint32_t n_wides, most_wides;

  struct thread_state *threads; /* MAX_THREADS */
  struct warp_state warps[MAX_WARPS];
  VEC(uint32_t) dirty; /* threads with something in their lists, since the last barrier */
  known_list block_known;
  bool block_knows_all, gave_up;
  VEC(struct log) logs; /* [0] unused */
  struct arena log_arena;
  uint64_t n_releases, questions;

  struct arena arena; /* names, findings */
  VEC(struct check_finding) found;
  uint32_t last_found;
  uint64_t dropped;
};

/* check_mem.c */
/* An address range without memory behind its untouched pages; NULL on failure. Halves *size down to
 * `least` until the system gives it. */
void *check_reserve(uint64_t *size, uint64_t least, bool usable);
bool check_mem_init(struct check *c) MUST_CHECK;
void check_mem_free(struct check *c);
void check_cells_reset(struct check *c);
void check_init_reset(struct check *c); /* nothing of shared memory is written */
/* What the bytes belong to. False after a finding: they must not be accessed. True with *out NULL:
 * memory without checks. */
bool check_place(struct check *c, const void *p, uint64_t size, enum check_access kind,
                 check_loc loc, struct object **out) MUST_CHECK;
/* The object that holds all of the bytes; NULL: look closer. */
static inline struct object *check_inside(const struct check *c, const void *p, uint64_t size) {
  uint64_t off = (uintptr_t)p - c->base;
  if (UNLIKELY(off >= c->span))
    return NULL;
  struct object *o = &c->objects[c->lines[off / PAGE]];
  uint64_t rel = (uintptr_t)p - o->base;
  return LIKELY(rel < o->size && size <= o->size - rel) ? o : NULL;
}

/* check_race.c */
void check_race(struct check *c, struct object *o, uint64_t rel, uint64_t size,
                enum check_access kind, uint32_t flags, check_loc loc);
/* The log of an address that was accessed atomically before; 0: none. */
uint32_t *check_log_at(struct check *c, struct object *o, uint64_t rel);

/* check_order.c */
/* Whether the current thread comes after segment `seg` of an object's shadow. */
bool check_knows(struct check *c, uint32_t seg, bool shared);
void check_order_atomic(struct check *c, uint32_t *log, bool shared, enum check_access kind,
                        enum check_order order, enum check_scope scope);
void check_new_segment(struct check *c);
uint64_t check_block_of(const struct check *c, uint32_t seg);
void check_order_block(struct check *c);  /* a block begins */
void check_order_launch(struct check *c); /* a launch begins */
void check_order_free(struct check *c);

/* The cheap part of check_knows. */
static inline bool check_knows_fast(const struct check *c, uint32_t seg, bool shared) {
  uint32_t floor = shared ? c->block_first : c->launch_first;
  return seg < floor || seg - c->block_first < c->barrier_seg - c->block_first || seg == c->seg;
}

/* Segments below this one are before everything that is still to come. */
static inline uint32_t check_drop_below(const struct check *c, bool shared) {
  return shared ? c->barrier_seg : c->launch_first;
}

/* Plain accesses that come after all that the cell remembers; false: look closer. */
static inline bool check_cell_fast(const struct check *c, struct cell *cell, unsigned bytes,
                                   bool write, bool shared, struct slot mine) {
  struct slot w = cell->w, r = cell->r;
  if (UNLIKELY(w.seg == SEG_WIDE || !check_knows_fast(c, w.seg, shared)))
    return false;
  mine.info |= bytes << 24;
  uint32_t below = check_drop_below(c, shared);
  if (!write) {
    if (r.seg == mine.seg) {
      cell->r.info |= bytes << 24;
      return true;
    }
    if (UNLIKELY(!check_knows_fast(c, r.seg, shared) ||
                 (r.seg >= below && SLOT_BYTES(r.info) & ~bytes)))
      return false;
    cell->r = mine;
    return true;
  }
  if (UNLIKELY(!check_knows_fast(c, r.seg, shared) ||
               (r.seg >= below && SLOT_BYTES(r.info) & ~bytes)))
    return false;
  if (UNLIKELY(w.seg >= below && SLOT_BYTES(w.info) & ~bytes)) {
    if (w.seg != mine.seg)
      return false;
    mine.info |= SLOT_BYTES(w.info) << 24;
  }
  cell->w = mine;
  cell->r = (struct slot){0};
  return true;
}

/* check.c */
void check_report(struct check *c, struct check_finding *f);
struct check_party check_me(const struct check *c, check_loc loc, enum check_access access);
void check_where(const struct check *c, uint64_t block, uint32_t thread, struct check_party *out);
static inline bool check_writes(enum check_access k) {
  return k != CHECK_READ && k != CHECK_ATOMIC_READ;
}
static inline bool check_reads(enum check_access k) {
  return k != CHECK_WRITE && k != CHECK_ATOMIC_WRITE;
}
static inline bool check_is_atomic(enum check_access k) {
  return k >= CHECK_ATOMIC_READ;
}

#endif
