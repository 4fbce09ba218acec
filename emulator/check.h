/* Checks of a kernel that runs in the emulator: accesses outside of what it was given, reads of
 * shared memory that nobody wrote, data races, barriers and warp operations that not all threads
 * reach. The engine (emulator/) tells what happens; findings are kept as data.
 *
 * The checker owns the memory that the kernel is given: buffers, statics, shared memory,
 * parameters. They lie in one reserved range with gaps between them, so that an access finds its
 * object by one look-up and an overrun lands in a gap.
 *
 * One struct check serves one host thread and one running block at a time: with checks on, blocks
 * run one after the other. The checker relies on that, and reports are then the same in every run.
 * Nothing is global. */
#ifndef MIRDC_EMULATOR_CHECK_H
#define MIRDC_EMULATOR_CHECK_H

#include "base/str.h"

/* What to look for; bits of check_options.what. Without CHECK_BOUNDS wild accesses go through. */
enum { CHECK_BOUNDS = 1, CHECK_UNINIT = 2, CHECK_RACES = 4, CHECK_DIVERGENCE = 8, CHECK_ALL = 15 };

/* Where something happened: a number the engine makes up, below 2^24, one for each place in the
 * source that accesses memory or synchronises. 0 is "unknown". */
typedef uint32_t check_loc;
#define CHECK_LOC_MAX ((1u << 24) - 1)

enum check_space {
  CHECK_BUFFER, /* given by the host */
  CHECK_GLOBAL, /* a static in global memory */
  CHECK_CONST,  /* constants, read-only statics, parameters */
  CHECK_SHARED, /* a static in shared memory: one copy, used by the running block */
  CHECK_DYN_SHARED
};

enum check_access {
  CHECK_READ,
  CHECK_WRITE,
  CHECK_ATOMIC_READ,
  CHECK_ATOMIC_WRITE,
  CHECK_ATOMIC_RMW /* also a compare-and-swap, whether it swaps or not */
};
/* As in docs/abi.md section 4. */
enum check_order { CHECK_RELAXED, CHECK_ACQUIRE, CHECK_RELEASE, CHECK_ACQREL, CHECK_SEQCST };
enum check_scope { CHECK_SCOPE_BLOCK, CHECK_SCOPE_DEVICE, CHECK_SCOPE_SYSTEM };

enum check_kind {
  CHECK_OUT_OF_BOUNDS, /* overlaps an object's end, or lies in the gap beside it */
  CHECK_NULL,          /* within the first 64 KiB */
  CHECK_WILD,          /* near nothing that the kernel may use */
  CHECK_FOREIGN_STACK, /* local memory of another thread */
  CHECK_READ_ONLY,     /* a write to constants or to a read-only buffer */
  CHECK_UNINITIALISED, /* a read of shared memory that no thread of the block wrote */
  CHECK_RACE,          /* two accesses by different threads, one a write, and nothing orders them */
  CHECK_BARRIER_PARTIAL, /* a barrier that a part of the block does not reach */
  CHECK_BARRIER_SITES,   /* threads of a block wait at different barriers */
  CHECK_WARP_MISSING,    /* a lane named in the mask does not take part */
  CHECK_WARP_MASK, /* the mask leaves out the calling lane, or names lanes that do not exist */
  CHECK_KINDS
};

/* One thread's part in a finding. */
struct check_party {
  uint32_t block[3], thread[3];
  check_loc loc;
  enum check_access access;
};

struct check_finding {
  enum check_kind kind;
  struct check_party at;
  bool has_other; /* RACE: the earlier access; divergence: a thread that is elsewhere */
  struct check_party other;
  bool other_exited;      /* divergence: that thread has ended */
  uint64_t address, size; /* of the access */
  str object;             /* name of the object, or the nearest one; empty: none */
  enum check_space space; /* of it */
  uint64_t object_size;   /* bytes */
  int64_t offset;         /* of the access in it */
  uint32_t missing, mask; /* divergence: threads or lanes that are missing; the mask asked for */
  bool scope_too_narrow;  /* RACE: both are atomic, but the scope leaves one out */
  uint64_t count;         /* occurrences with the same kind and places */
};

struct check_options {
  unsigned what;         /* CHECK_ bits */
  uint32_t max_findings; /* different ones kept; 0: 100. Further ones are counted. */
};

struct check;
/* NULL when the address range cannot be had (errno says why). */
struct check *check_new(const struct check_options *o) MUST_CHECK;
void check_free(struct check *c); /* and all memory handed out */
unsigned check_enabled(const struct check *c);

/* ---- memory ---- */
/* Zeroed memory of `size` bytes, aligned to `align` (at most 2^20) and at least to 256. The name is
 * copied. NULL: out of memory. Of size 0 an address that nothing may be read from. */
void *check_alloc(struct check *c, str name, uint64_t size, uint64_t align, enum check_space space,
                  bool writable) MUST_CHECK;
void check_release(struct check *c, void *p);
/* Memory that is not the checker's: constants in the JIT's own sections, say. At most a few. */
void check_add_range(struct check *c, str name, const void *p, uint64_t size, bool writable);
/* All of the memory that thread stacks lie in; `own` of check_thread_run is a part of it. */
void check_set_stacks(struct check *c, const void *p, uint64_t size);

/* ---- course of a launch ---- */
void check_launch_begin(struct check *c, const uint32_t grid[3], const uint32_t block[3]);
void check_launch_end(struct check *c);
/* Shared memory counts as unwritten from here on. */
void check_block_begin(struct check *c, uint64_t block);
void check_block_end(struct check *c);
/* Whenever another thread of the block starts or goes on: accesses are its from now on. `own` is
 * the stack that it may use freely. */
void check_thread_run(struct check *c, uint32_t thread, const void *own, uint64_t own_size);
/* All threads that did not exit have arrived and may go on: orders everything before it against
 * everything after it. */
void check_barrier(struct check *c);
/* Lanes of `mask` met at a syncwarp: orders their accesses. The other warp operations order
 * nothing. Called once for each meeting, before any of the lanes goes on. */
void check_syncwarp(struct check *c, uint32_t warp, uint32_t mask);
void check_fence(struct check *c, enum check_order order, enum check_scope scope);

/* ---- accesses of the current thread ---- */
/* Returns the address to use instead of `p`: `p` itself, or after a finding that forbids the access
 * a scratch area that reads as zero and swallows writes. Never NULL. `size` is at most 4096. */
void *check_access(struct check *c, const void *p, uint64_t size, enum check_access kind,
                   check_loc loc);
/* A read of a part of something that is copied as a whole: it may be one that was not written. */
void *check_read_part(struct check *c, const void *p, uint64_t size, check_loc loc);
/* The same as check_access, before the operation. Small ones that work on the word around them pass the bytes
 * meant. */
void *check_atomic(struct check *c, const void *p, uint64_t size, enum check_access kind,
                   enum check_order order, enum check_scope scope, check_loc loc);
/* A copy of `size` bytes (of any size; the areas may overlap), or bytes set. False: a finding
 * forbids it, leave it out. Padding and unwritten parts are copied silently; only a source of which
 * nothing at all was written is a finding. */
bool check_copy(struct check *c, const void *dst, const void *src, uint64_t size,
                check_loc loc) MUST_CHECK;
bool check_fill(struct check *c, const void *dst, uint64_t size, check_loc loc) MUST_CHECK;

/* ---- what the scheduler finds ---- */
/* Reports in the names of two threads of the running block; `other` UINT32_MAX: none. Fill in
 * `missing` and `mask` as the kind has it. */
void check_diverged(struct check *c, enum check_kind kind, uint32_t thread, check_loc loc,
                    uint32_t other, check_loc other_loc, bool other_exited, uint32_t missing,
                    uint32_t mask);

/* ---- results ---- */
/* In the order of discovery, over all launches since check_clear. */
size_t check_count(const struct check *c);
const struct check_finding *check_get(const struct check *c, size_t i);
uint64_t check_dropped(const struct check *c); /* different ones beyond max_findings */
/* True when so many threads and synchronisations were seen that races are no longer looked for. */
bool check_races_gave_up(const struct check *c);
void check_clear(struct check *c);

#endif
