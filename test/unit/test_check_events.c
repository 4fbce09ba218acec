/* The emulator's checks, driven by events as the engine drives them. */
#include "test/unit/unit.h"

#include <time.h>

#include "emulator/check.h"

static const uint32_t one_block[3] = {1, 1, 1}, two_blocks[3] = {2, 1, 1}, warp[3] = {64, 1, 1};

struct scene {
  struct check *c;
  char *global, *other, *shared;
};

static int begin(void **state) {
  struct scene *s = calloc(1, sizeof *s);
  s->c = check_new(&(struct check_options){.what = CHECK_ALL});
  assert_non_null(s->c);
  s->global = check_alloc(s->c, STR("x"), 4001, 4, CHECK_BUFFER, true);
  s->other = check_alloc(s->c, STR("table"), 64, 4, CHECK_CONST, false);
  s->shared = check_alloc(s->c, STR("tile"), 1024, 16, CHECK_SHARED, true);
  *state = s;
  return 0;
}

static int end(void **state) {
  struct scene *s = *state;
  check_free(s->c);
  free(s);
  return 0;
}

static void launch(struct scene *s, const uint32_t grid[3]) {
  check_launch_begin(s->c, grid, warp);
  check_block_begin(s->c, 0);
}
static void run(struct scene *s, uint32_t thread) {
  check_thread_run(s->c, thread, NULL, 0);
}
static void next_block(struct scene *s, uint64_t block) {
  check_block_end(s->c);
  check_block_begin(s->c, block);
}
static void rd(struct scene *s, const void *p, check_loc loc) {
  check_access(s->c, p, 4, CHECK_READ, loc);
}
static void wr(struct scene *s, const void *p, check_loc loc) {
  check_access(s->c, p, 4, CHECK_WRITE, loc);
}
static void add(struct scene *s, const void *p, enum check_order o, enum check_scope sc,
                check_loc loc) {
  check_atomic(s->c, p, 4, CHECK_ATOMIC_RMW, o, sc, loc);
}
static void fence(struct scene *s) {
  check_fence(s->c, CHECK_SEQCST, CHECK_SCOPE_DEVICE);
}

static void nothing_found(struct scene *s) {
  if (check_count(s->c))
    fail_msg("found kind %d at %u", (int)check_get(s->c, 0)->kind, check_get(s->c, 0)->at.loc);
}
static const struct check_finding *only(struct scene *s, enum check_kind kind, check_loc at,
                                        check_loc other) {
  assert_int_equal(check_count(s->c), 1);
  const struct check_finding *f = check_get(s->c, 0);
  assert_int_equal(f->kind, kind);
  assert_int_equal(f->at.loc, at);
  assert_int_equal(f->has_other ? f->other.loc : 0, other);
  return f;
}

/* ---- bounds ---- */
static void bounds_are_exact_to_the_byte(void **state) {
  struct scene *s = *state;
  launch(s, one_block);
  run(s, 0);
  for (unsigned size = 1; size <= 16; size *= 2)
    for (unsigned at = 0; at + size <= 4001; at++)
      assert_ptr_equal(check_access(s->c, s->global + at, size, CHECK_READ, 1), s->global + at);
  nothing_found(s);
  for (unsigned size = 1; size <= 16; size *= 2) {
    char *p = s->global + 4001 - size + 1;
    check_clear(s->c);
    assert_ptr_not_equal(check_access(s->c, p, size, CHECK_READ, 7), p);
    const struct check_finding *f = only(s, CHECK_OUT_OF_BOUNDS, 7, 0);
    assert_str(f->object, "x");
    assert_int_equal(f->offset, 4001 - (int)size + 1);
    assert_int_equal(f->object_size, 4001);
  }
}

static void the_gap_before_belongs_to_the_nearest(void **state) {
  struct scene *s = *state;
  launch(s, one_block);
  run(s, 5);
  wr(s, s->global - 4, 3);
  const struct check_finding *f = only(s, CHECK_OUT_OF_BOUNDS, 3, 0);
  assert_str(f->object, "x");
  assert_int_equal(f->offset, -4);
  assert_int_equal(f->at.thread[0], 5);
}

static void what_replaces_a_bad_address_reads_as_zero(void **state) {
  struct scene *s = *state;
  launch(s, one_block);
  run(s, 0);
  uint64_t *p = check_access(s->c, s->global + 4001, 8, CHECK_WRITE, 1);
  *p = 77;
  p = check_access(s->c, s->global + 4001, 8, CHECK_READ, 1);
  assert_int_equal(*p, 0);
  assert_false(check_copy(s->c, s->global, s->other + 60, 8, 2));
  assert_false(check_fill(s->c, s->global + 4000, 2, 2));
  assert_true(check_fill(s->c, s->global + 4000, 1, 2));
}

static void null_wild_and_read_only_are_told_apart(void **state) {
  struct scene *s = *state;
  char own[64], others[64];
  static const char words[16] = "constants";
  launch(s, one_block);
  check_add_range(s->c, STR("words"), words, sizeof words, false);
  check_set_stacks(s->c, others, sizeof others);
  check_thread_run(s->c, 0, own, sizeof own);
  wr(s, own + 60, 1);
  rd(s, words + 4, 1);
  nothing_found(s);
  rd(s, (char *)8, 1);
  rd(s, (char *)(uintptr_t)0x123456789000, 2);
  wr(s, s->other, 3);
  wr(s, words, 4);
  rd(s, others + 8, 5);
  static const enum check_kind want[] = {CHECK_NULL, CHECK_WILD, CHECK_READ_ONLY, CHECK_READ_ONLY,
                                         CHECK_FOREIGN_STACK};
  assert_int_equal(check_count(s->c), COUNT_OF(want));
  for (size_t i = 0; i < COUNT_OF(want); i++)
    assert_int_equal(check_get(s->c, i)->kind, want[i]);
}

static void released_memory_is_out_of_bounds_and_used_again(void **state) {
  struct scene *s = *state;
  launch(s, one_block);
  run(s, 0);
  char *p = check_alloc(s->c, STR("y"), 100, 1, CHECK_BUFFER, true);
  p[99] = 1;
  check_release(s->c, p);
  rd(s, p, 1);
  only(s, CHECK_OUT_OF_BOUNDS, 1, 0);
  char *q = check_alloc(s->c, STR("z"), 100, 1, CHECK_BUFFER, true);
  assert_ptr_equal(p, q);
  assert_int_equal(q[99], 0);
  for (unsigned i = 0; i < 5000; i++) {
    char *r = check_alloc(s->c, STR("many"), 1u << 20, 256, CHECK_BUFFER, true);
    assert_non_null(r);
    check_release(s->c, r);
  }
}

static void alignment_and_empty_objects(void **state) {
  struct scene *s = *state;
  launch(s, one_block);
  run(s, 0);
  char *p = check_alloc(s->c, STR("wide"), 10, 1u << 20, CHECK_BUFFER, true);
  assert_int_equal((uintptr_t)p % (1u << 20), 0);
  char *e = check_alloc(s->c, STR("empty"), 0, 4, CHECK_BUFFER, true);
  check_access(s->c, e, 0, CHECK_READ, 1);
  nothing_found(s);
  check_access(s->c, e, 1, CHECK_READ, 1);
  assert_str(only(s, CHECK_OUT_OF_BOUNDS, 1, 0)->object, "empty");
  assert_null(check_alloc(s->c, STR("huge"), UINT64_C(1) << 50, 4, CHECK_BUFFER, true));
}

/* ---- uninitialised shared memory ---- */
static void shared_memory_starts_unwritten_in_each_block(void **state) {
  struct scene *s = *state;
  launch(s, two_blocks);
  run(s, 0);
  wr(s, s->shared + 8, 1);
  rd(s, s->shared + 8, 2);
  nothing_found(s);
  rd(s, s->shared + 10, 3); /* two of its bytes */
  assert_int_equal(only(s, CHECK_UNINITIALISED, 3, 0)->offset, 10);
  check_clear(s->c);
  next_block(s, 1);
  run(s, 0);
  rd(s, s->shared + 8, 2);
  assert_int_equal(only(s, CHECK_UNINITIALISED, 2, 0)->at.block[0], 1);
}

static void an_atomic_reads_what_it_changes(void **state) {
  struct scene *s = *state;
  launch(s, one_block);
  run(s, 0);
  add(s, s->shared, CHECK_RELAXED, CHECK_SCOPE_BLOCK, 1);
  add(s, s->shared, CHECK_RELAXED, CHECK_SCOPE_BLOCK, 2);
  only(s, CHECK_UNINITIALISED, 1, 0);
  check_clear(s->c);
  check_atomic(s->c, s->shared + 16, 4, CHECK_ATOMIC_WRITE, CHECK_RELAXED, CHECK_SCOPE_BLOCK, 3);
  rd(s, s->shared + 16, 4);
  nothing_found(s);
}

static void padding_is_copied_silently_and_stays_unwritten(void **state) {
  struct scene *s = *state;
  char local[16] = {0};
  launch(s, one_block);
  check_thread_run(s->c, 0, local, sizeof local);
  check_access(s->c, s->shared, 1, CHECK_WRITE, 1); /* { u8, padding, u32 } */
  wr(s, s->shared + 4, 1);
  assert_true(check_copy(s->c, local, s->shared, 8, 2));
  assert_true(check_copy(s->c, s->shared + 64, s->shared, 8, 2));
  assert_true(check_copy(s->c, s->shared + 66, s->shared + 64, 8, 2)); /* overlapping */
  rd(s, s->shared + 70, 3);
  nothing_found(s);
  check_access(s->c, s->shared + 67, 1, CHECK_READ, 4);
  only(s, CHECK_UNINITIALISED, 4, 0);
  check_clear(s->c);
  assert_true(check_copy(s->c, local, s->shared + 512, 16, 5));
  only(s, CHECK_UNINITIALISED, 5, 0);
  check_clear(s->c);
  assert_true(check_copy(s->c, s->shared + 512, local, 16, 5));
  assert_true(check_fill(s->c, s->shared + 528, 16, 5));
  assert_true(check_copy(s->c, local, s->shared + 512, 16, 5));
  rd(s, s->shared + 540, 6);
  nothing_found(s);
}

/* ---- races ---- */
static void a_barrier_orders_and_nothing_else_does(void **state) {
  struct scene *s = *state;
  launch(s, one_block);
  run(s, 0);
  wr(s, s->shared, 1);
  run(s, 1);
  rd(s, s->shared, 2);
  const struct check_finding *f = only(s, CHECK_RACE, 2, 1);
  assert_int_equal(f->at.thread[0], 1);
  assert_int_equal(f->other.thread[0], 0);
  assert_int_equal(f->other.access, CHECK_WRITE);
  check_clear(s->c);
  check_barrier(s->c);
  run(s, 40);
  rd(s, s->shared, 3);
  run(s, 0);
  rd(s, s->shared, 3);
  nothing_found(s);
  wr(s, s->shared, 4); /* thread 40 has read it since the barrier */
  assert_int_equal(only(s, CHECK_RACE, 4, 3)->other.thread[0], 40);
}

static void each_byte_is_for_itself(void **state) {
  struct scene *s = *state;
  launch(s, one_block);
  for (unsigned t = 0; t < 64; t++) {
    run(s, t);
    check_access(s->c, s->global + t, 1, CHECK_WRITE, 1);
    check_access(s->c, s->global + 100 + 2 * t, 2, CHECK_WRITE, 1);
    check_access(s->c, s->global + 300 + 8 * t, 8, CHECK_WRITE, 1);
    check_access(s->c, s->global + t, 1, CHECK_READ, 2);
  }
  nothing_found(s);
  rd(s, s->global + 60, 3);
  const struct check_finding *f = only(s, CHECK_RACE, 3, 1);
  assert_int_equal(f->other.thread[0], 60);
  assert_int_equal(f->count, 3); /* three of the four bytes are others' */
}

static void bytes_that_one_thread_wrote_are_all_remembered(void **state) {
  struct scene *s = *state;
  launch(s, one_block);
  run(s, 0);
  for (unsigned i = 0; i < 4; i++)
    check_access(s->c, s->global + i, 1, CHECK_WRITE, 1 + i);
  check_access(s->c, s->global + 8, 1, CHECK_READ, 9);
  check_access(s->c, s->global + 9, 1, CHECK_WRITE, 9);
  for (unsigned i = 0; i < 4; i++) {
    check_clear(s->c);
    run(s, 1);
    check_access(s->c, s->global + i, 1, CHECK_READ, 10);
    assert_int_equal(check_count(s->c), 1);
  }
  check_clear(s->c);
  check_access(s->c, s->global + 8, 1, CHECK_READ, 10); /* only read before */
  nothing_found(s);
  check_access(s->c, s->global + 8, 1, CHECK_WRITE, 11);
  only(s, CHECK_RACE, 11, 9);
}

static void many_readers_then_a_writer(void **state) {
  struct scene *s = *state;
  launch(s, one_block);
  for (unsigned t = 0; t < 64; t++) {
    run(s, t);
    rd(s, s->global, 1);
  }
  nothing_found(s);
  check_barrier(s->c);
  run(s, 3);
  wr(s, s->global, 2);
  nothing_found(s);
  check_barrier(s->c);
  for (unsigned t = 0; t < 64; t++) {
    run(s, t);
    rd(s, s->global, 3);
  }
  wr(s, s->global, 4); /* the last reader itself */
  only(s, CHECK_RACE, 4, 3);
}

static void blocks_are_not_ordered(void **state) {
  struct scene *s = *state;
  launch(s, two_blocks);
  run(s, 0);
  rd(s, s->global, 1);
  wr(s, s->global + 4, 2);
  wr(s, s->shared, 2);
  check_barrier(s->c);
  next_block(s, 1);
  run(s, 0);
  wr(s, s->shared, 3); /* another block's shared memory is other memory */
  rd(s, s->global, 3);
  nothing_found(s);
  check_barrier(s->c);
  run(s, 1);
  wr(s, s->global, 4); /* the read of block 0 is not forgotten for that of block 1 */
  const struct check_finding *f = only(s, CHECK_RACE, 4, 1);
  assert_int_equal(f->other.block[0], 0);
  assert_int_equal(f->at.block[0], 1);
  check_clear(s->c);
  rd(s, s->global + 4, 5);
  only(s, CHECK_RACE, 5, 2);
}

static void launches_are_ordered(void **state) {
  struct scene *s = *state;
  for (unsigned i = 0; i < 3; i++) {
    launch(s, two_blocks);
    run(s, 0);
    wr(s, s->global, 1);
    check_launch_end(s->c);
  }
  nothing_found(s);
}

static void syncwarp_orders_the_lanes_that_take_part(void **state) {
  struct scene *s = *state;
  launch(s, one_block);
  for (unsigned t = 0; t < 33; t++) {
    run(s, t);
    wr(s, s->global + 4 * t, 1);
  }
  check_syncwarp(s->c, 0, UINT32_MAX);
  run(s, 7);
  rd(s, s->global + 4 * 31, 2);
  nothing_found(s);
  rd(s, s->global + 4 * 32, 3); /* in the other warp */
  only(s, CHECK_RACE, 3, 1);
  check_clear(s->c);
  check_barrier(s->c);
  for (unsigned t = 0; t < 32; t++) {
    run(s, t);
    wr(s, s->global + 4 * t, 1);
  }
  check_syncwarp(s->c, 0, 0x3);
  check_syncwarp(s->c, 0, 0x6); /* 0 to 1 to 2 */
  run(s, 2);
  rd(s, s->global, 2);
  rd(s, s->global + 4, 2);
  nothing_found(s);
  rd(s, s->global + 12, 4);
  only(s, CHECK_RACE, 4, 1);
  check_clear(s->c);
  run(s, 0);
  rd(s, s->global + 8, 5); /* but not back */
  only(s, CHECK_RACE, 5, 1);
}

static void a_short_last_warp_is_complete_without_its_missing_lanes(void **state) {
  struct scene *s = *state;
  const uint32_t odd[3] = {40, 1, 1};
  check_launch_begin(s->c, one_block, odd);
  check_block_begin(s->c, 0);
  run(s, 33);
  wr(s, s->global, 1);
  check_syncwarp(s->c, 1, UINT32_MAX);
  run(s, 39);
  wr(s, s->global, 2);
  nothing_found(s);
}

/* ---- atomics ---- */
static void atomics_race_with_plain_accesses_only(void **state) {
  struct scene *s = *state;
  launch(s, two_blocks);
  for (unsigned t = 0; t < 64; t++) {
    run(s, t);
    add(s, s->global, CHECK_RELAXED, CHECK_SCOPE_DEVICE, 1);
    check_atomic(s->c, s->global + 4, 4, CHECK_ATOMIC_READ, CHECK_RELAXED, CHECK_SCOPE_DEVICE, 1);
    rd(s, s->global + 4, 1);
  }
  nothing_found(s);
  rd(s, s->global, 2);
  const struct check_finding *f = only(s, CHECK_RACE, 2, 1);
  assert_int_equal(f->other.access, CHECK_ATOMIC_RMW);
  check_clear(s->c);
  next_block(s, 1);
  run(s, 0);
  add(s, s->global + 4, CHECK_RELAXED, CHECK_SCOPE_DEVICE, 3);
  only(s, CHECK_RACE, 3, 1);
}

static void an_atomic_of_the_block_alone_does_not_reach_other_blocks(void **state) {
  struct scene *s = *state;
  launch(s, two_blocks);
  run(s, 0);
  add(s, s->global, CHECK_RELAXED, CHECK_SCOPE_BLOCK, 1);
  run(s, 1);
  add(s, s->global, CHECK_RELAXED, CHECK_SCOPE_BLOCK, 1);
  nothing_found(s);
  next_block(s, 1);
  run(s, 0);
  add(s, s->global, CHECK_RELAXED, CHECK_SCOPE_DEVICE, 2);
  assert_true(only(s, CHECK_RACE, 2, 1)->scope_too_narrow);
}

/* Each block writes a sum, its first thread counts the blocks, the last one adds them all up. */
static void last_block(struct scene *s, bool fenced, bool write_after, bool classic) {
  check_clear(s->c);
  const uint32_t grid[3] = {100, 1, 1};
  check_launch_begin(s->c, grid, warp);
  for (unsigned b = 0; b < 100; b++) {
    check_block_begin(s->c, b);
    run(s, 0);
    wr(s, s->global + 4 * b, 1);
    run(s, 5);
    wr(s, s->global + 800 + 4 * b, 2);
    check_barrier(s->c);
    run(s, 0);
    if (fenced)
      fence(s);
    if (write_after)
      wr(s, s->global + 4 * b, 3);
    add(s, s->global + 4000 - 4, CHECK_RELAXED, CHECK_SCOPE_DEVICE, 4);
    if (!classic)
      fence(s);
    check_barrier(s->c);
  }
  for (unsigned t = 0; t < 64; t++) {
    run(s, t);
    for (unsigned b = 0; b < 100; b++) {
      rd(s, s->global + 4 * b, 5);
      rd(s, s->global + 800 + 4 * b, 6);
    }
  }
  check_launch_end(s->c);
}

static void the_last_block_may_read_what_the_others_wrote(void **state) {
  struct scene *s = *state;
  last_block(s, true, false, false);
  nothing_found(s);
  last_block(s, true, false, true);
  nothing_found(s);
  last_block(s, false, false, false);
  assert_int_equal(check_count(s->c), 2);
  assert_int_equal(check_get(s->c, 0)->kind, CHECK_RACE);
  last_block(s, true, true, false);
  only(s, CHECK_RACE, 5, 3);
}

/* A chain of flags: each block takes over the sum of the one before. */
static void knowledge_is_passed_on_along_a_chain(void **state) {
  struct scene *s = *state;
  const uint32_t grid[3] = {100, 1, 1};
  check_launch_begin(s->c, grid, warp);
  for (unsigned b = 0; b < 100; b++) {
    check_block_begin(s->c, b);
    run(s, 0);
    if (b > 0)
      check_atomic(s->c, s->global + 4 * b, 4, CHECK_ATOMIC_READ, CHECK_ACQUIRE, CHECK_SCOPE_DEVICE,
                   1);
    check_barrier(s->c);
    run(s, 7);
    if (b > 0)
      rd(s, s->global + 1000 + 4 * (b - 1), 2);
    if (b == 99)
      rd(s, s->global + 1000, 3); /* 99 steps away */
    wr(s, s->global + 1000 + 4 * b, 4);
    check_barrier(s->c);
    run(s, 0);
    check_atomic(s->c, s->global + 4 * (b + 1), 4, CHECK_ATOMIC_WRITE, CHECK_RELEASE,
                 CHECK_SCOPE_DEVICE, 5);
  }
  nothing_found(s);
  wr(s, s->global + 1000 + 4 * 99, 6); /* by another thread of the same block, after the barrier */
  nothing_found(s);
}

static void a_lock_orders_threads_of_a_block(void **state) {
  struct scene *s = *state;
  launch(s, one_block);
  for (unsigned t = 0; t < 64; t++) {
    run(s, t);
    add(s, s->global, CHECK_ACQUIRE, CHECK_SCOPE_BLOCK, 1);
    rd(s, s->global + 4, 2);
    wr(s, s->global + 4, 3);
    check_atomic(s->c, s->global, 4, CHECK_ATOMIC_WRITE, CHECK_RELEASE, CHECK_SCOPE_BLOCK, 4);
  }
  nothing_found(s);
  wr(s, s->global + 4, 5); /* not under the lock, but the last holder */
  nothing_found(s);
  run(s, 3);
  rd(s, s->global + 4, 6);
  only(s, CHECK_RACE, 6, 5);
}

static void a_relaxed_read_needs_a_fence_behind_it(void **state) {
  struct scene *s = *state;
  launch(s, two_blocks);
  run(s, 0);
  wr(s, s->global, 1);
  check_atomic(s->c, s->global + 8, 4, CHECK_ATOMIC_WRITE, CHECK_RELEASE, CHECK_SCOPE_DEVICE, 2);
  next_block(s, 1);
  run(s, 0);
  check_atomic(s->c, s->global + 8, 4, CHECK_ATOMIC_READ, CHECK_RELAXED, CHECK_SCOPE_DEVICE, 3);
  rd(s, s->global, 4);
  only(s, CHECK_RACE, 4, 1);
  check_clear(s->c);
  fence(s);
  rd(s, s->global, 5);
  nothing_found(s);
}

static void a_release_for_the_block_does_not_reach_another_one(void **state) {
  struct scene *s = *state;
  launch(s, two_blocks);
  run(s, 0);
  wr(s, s->global, 1);
  check_fence(s->c, CHECK_ACQREL, CHECK_SCOPE_BLOCK);
  add(s, s->global + 8, CHECK_RELAXED, CHECK_SCOPE_DEVICE, 2);
  next_block(s, 1);
  run(s, 0);
  add(s, s->global + 8, CHECK_ACQUIRE, CHECK_SCOPE_DEVICE, 3);
  rd(s, s->global, 4);
  only(s, CHECK_RACE, 4, 1);
}

/* Lanes write, syncwarp, one lane releases for all of them. */
static void a_lane_releases_for_its_warp(void **state) {
  struct scene *s = *state;
  launch(s, two_blocks);
  for (unsigned t = 0; t < 32; t++) {
    run(s, t);
    wr(s, s->global + 4 * t, 1);
  }
  check_syncwarp(s->c, 0, UINT32_MAX);
  run(s, 0);
  add(s, s->global + 400, CHECK_ACQREL, CHECK_SCOPE_DEVICE, 2);
  next_block(s, 1);
  run(s, 0);
  add(s, s->global + 400, CHECK_ACQREL, CHECK_SCOPE_DEVICE, 2);
  check_syncwarp(s->c, 0, UINT32_MAX);
  run(s, 9);
  rd(s, s->global + 4 * 17, 3);
  nothing_found(s);
}

/* ---- reports ---- */
static void one_report_for_a_pair_of_places(void **state) {
  struct scene *s = *state;
  launch(s, one_block);
  for (unsigned i = 0; i < 50; i++) {
    run(s, i);
    wr(s, s->global + 8 * i, 1);
    run(s, i + 1);
    rd(s, s->global + 8 * i, 2);
    wr(s, s->global + 8 * i + 4, 2);
    run(s, i);
    rd(s, s->global + 8 * i + 4, 1); /* the same pair the other way round */
  }
  assert_int_equal(only(s, CHECK_RACE, 2, 1)->count, 100);
  for (unsigned i = 0; i < 300; i++)
    rd(s, (char *)16, 10 + i);
  assert_int_equal(check_count(s->c), 100);
  assert_int_equal(check_dropped(s->c), 201);
}

static void places_in_a_grid_have_three_numbers(void **state) {
  struct scene *s = *state;
  const uint32_t grid[3] = {4, 3, 2}, block[3] = {8, 4, 2};
  check_launch_begin(s->c, grid, block);
  check_block_begin(s->c, 1 + 4 * 2 + 12 * 1);
  run(s, 7 + 8 * 3 + 32 * 1);
  rd(s, NULL, 1);
  const struct check_party *p = &check_get(s->c, 0)->at;
  const uint32_t where[] = {p->block[0],  p->block[1],  p->block[2],
                            p->thread[0], p->thread[1], p->thread[2]},
                 want[] = {1, 2, 1, 7, 3, 1};
  assert_memory_equal(where, want, sizeof want);
}

static void divergence_is_kept_as_told(void **state) {
  struct scene *s = *state;
  launch(s, one_block);
  check_diverged(s->c, CHECK_BARRIER_PARTIAL, 0, 4, 16, 0, true, 48, 0);
  const struct check_finding *f = only(s, CHECK_BARRIER_PARTIAL, 4, 0);
  assert_int_equal(f->missing, 48);
  assert_true(f->other_exited);
  assert_int_equal(f->other.thread[0], 16);
}

static void checks_that_are_off_say_nothing(void **state) {
  (void)state;
  struct scene s = {.c = check_new(&(struct check_options){.what = 0})};
  s.global = check_alloc(s.c, STR("x"), 16, 4, CHECK_BUFFER, true);
  s.shared = check_alloc(s.c, STR("s"), 16, 4, CHECK_SHARED, true);
  launch(&s, one_block);
  run(&s, 0);
  rd(&s, s.shared, 1);
  wr(&s, s.global, 1);
  assert_ptr_equal(check_access(s.c, s.global + 16, 4, CHECK_READ, 1), s.global + 16);
  run(&s, 1);
  wr(&s, s.global, 1);
  check_diverged(s.c, CHECK_BARRIER_SITES, 0, 1, 1, 2, false, 0, 0);
  nothing_found(&s);
  check_free(s.c);
}

/* ---- speed ---- */
static double ns_since(const struct timespec *t0) {
  struct timespec t1;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t1);
  return (double)(t1.tv_sec - t0->tv_sec) * 1e9 + (double)(t1.tv_nsec - t0->tv_nsec);
}

/* The bound is far above what is measured, for slow builds and busy machines. */
static void accesses_are_cheap(void **state) {
  (void)state;
  struct scene s = {.c = check_new(&(struct check_options){.what = CHECK_ALL})};
  const uint32_t n = 1u << 20, grid[3] = {n / 1024, 1, 1}, block[3] = {1024, 1, 1};
  char *x = check_alloc(s.c, STR("x"), 4 * n, 4, CHECK_BUFFER, true);
  char *y = check_alloc(s.c, STR("y"), 4 * n, 4, CHECK_BUFFER, true);
  char *tile = check_alloc(s.c, STR("tile"), 4096, 4, CHECK_SHARED, true);
  for (unsigned round = 0; round < 2; round++) {
    double cold = 0, warm = 0;
    check_launch_begin(s.c, grid, block);
    for (uint32_t b = 0; b < n / 1024; b++) {
      struct timespec t0;
      check_block_begin(s.c, b);
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t0);
      for (uint32_t t = 0; t < 1024; t++) {
        run(&s, t);
        rd(&s, x + 4 * (1024 * b + t), 1);
        wr(&s, y + 4 * (1024 * b + t), 2);
      }
      cold += ns_since(&t0);
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t0);
      for (uint32_t t = 0; t < 1024; t++) {
        run(&s, t);
        wr(&s, tile + 4 * t, 3);
      }
      check_barrier(s.c);
      for (uint32_t t = 0; t < 1024; t++) {
        run(&s, t);
        rd(&s, tile + 4 * (1023 - t), 4);
      }
      warm += ns_since(&t0);
    }
    check_launch_end(s.c);
    print_message(
        "round %u: %.1f ns a new global access, %.1f ns a shared one, switches included\n", round,
        cold / (2.0 * n), warm / (2.0 * n));
    if (round)
      assert_true(cold / (2.0 * n) < 400 && warm / (2.0 * n) < 400);
  }
  nothing_found(&s);
  check_free(s.c);
}

#define T(f) cmocka_unit_test_setup_teardown(f, begin, end)
int main(void) {
  const struct CMUnitTest tests[] = {
      T(bounds_are_exact_to_the_byte),
      T(the_gap_before_belongs_to_the_nearest),
      T(what_replaces_a_bad_address_reads_as_zero),
      T(null_wild_and_read_only_are_told_apart),
      T(released_memory_is_out_of_bounds_and_used_again),
      T(alignment_and_empty_objects),
      T(shared_memory_starts_unwritten_in_each_block),
      T(an_atomic_reads_what_it_changes),
      T(padding_is_copied_silently_and_stays_unwritten),
      T(a_barrier_orders_and_nothing_else_does),
      T(each_byte_is_for_itself),
      T(bytes_that_one_thread_wrote_are_all_remembered),
      T(many_readers_then_a_writer),
      T(blocks_are_not_ordered),
      T(launches_are_ordered),
      T(syncwarp_orders_the_lanes_that_take_part),
      T(a_short_last_warp_is_complete_without_its_missing_lanes),
      T(atomics_race_with_plain_accesses_only),
      T(an_atomic_of_the_block_alone_does_not_reach_other_blocks),
      T(the_last_block_may_read_what_the_others_wrote),
      T(knowledge_is_passed_on_along_a_chain),
      T(a_lock_orders_threads_of_a_block),
      T(a_relaxed_read_needs_a_fence_behind_it),
      T(a_release_for_the_block_does_not_reach_another_one),
      T(a_lane_releases_for_its_warp),
      T(one_report_for_a_pair_of_places),
      T(places_in_a_grid_have_three_numbers),
      T(divergence_is_kept_as_told),
      cmocka_unit_test(checks_that_are_off_say_nothing),
      cmocka_unit_test(accesses_are_cheap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
