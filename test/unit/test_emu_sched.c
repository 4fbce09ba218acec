/* The scheduler of a block, with threads written in C in place of emulated code. */
#include "test/unit/unit.h"

#include "emulator/engine.h"

static struct mirdc_emu *e; /* what a thread finds in the state that its code is given */
static uint32_t log_of[4096], n_log;

static void note(uint32_t what) {
  if (n_log < COUNT_OF(log_of))
    log_of[n_log++] = what;
}

static int begin(void **state) {
  (void)state;
  e = calloc(1, sizeof *e);
  assert_true(fiber_stacks_init(&e->stacks, EMU_MAX_THREADS, 1 << 16));
  e->check = check_new(&(struct check_options){.what = CHECK_ALL});
  assert_non_null(e->check);
  check_set_stacks(e->check, e->stacks.base, e->stacks.step * e->stacks.n);
  return 0;
}

static int end(void **state) {
  (void)state;
  fiber_stacks_free(&e->stacks);
  check_free(e->check);
  free(e);
  return 0;
}

/* One block; the number of different findings. */
static size_t run(emu_entry *entry, uint32_t threads, bool *whole) {
  uint32_t one[3] = {1, 1, 1}, block[3] = {threads, 1, 1};
  n_log = 0;
  e->entry = entry;
  e->n_threads = threads;
  e->checked = true;
  e->stop = (struct emu_stop){.other = UINT32_MAX};
  for (uint32_t i = 0; i < threads; i++)
    e->threads[i].regs = (struct emu_thread_regs){{i, 0, 0}, i % EMU_WARP, i / EMU_WARP};
  check_clear(e->check);
  check_launch_begin(e->check, one, block);
  check_block_begin(e->check, 0);
  *whole = emu_run_block(e);
  if (*whole)
    check_block_end(e->check);
  check_launch_end(e->check);
  return check_count(e->check);
}

static uint32_t me(void) {
  return e->regs.thread->tid[0];
}

static void expect_log(const uint32_t *want, uint32_t n) {
  assert_int_equal(n_log, n);
  assert_memory_equal(log_of, want, n * sizeof *want);
}

/* ---- threads that never wait ---- */
static void only_notes(const uint8_t *params) {
  (void)params;
  note(me());
}

static void threads_that_do_not_wait_share_a_stack(void **state) {
  (void)state;
  bool whole;
  for (int i = 0; i < 3; i++) {
    assert_int_equal(run(only_notes, 1024, &whole), 0);
    assert_true(whole);
    assert_int_equal(n_log, 1024);
    for (uint32_t t = 0; t < 1024; t++)
      assert_int_equal(log_of[t], t);
    assert_int_equal(e->n_stacks, 1);
  }
}

/* ---- barriers ---- */
static void two_phases(const uint8_t *params) {
  (void)params;
  note(me());
  assert_int_equal(emu_wait_barrier(e, me() % 2 == 0, 1), 3);
  note(100 + me());
  assert_int_equal(emu_wait_barrier(e, false, 2), 0);
  note(200 + me());
}

static void a_barrier_separates_phases(void **state) {
  (void)state;
  bool whole;
  assert_int_equal(run(two_phases, 5, &whole), 0);
  assert_true(whole);
  assert_int_equal(n_log, 15);
  for (uint32_t i = 0; i < 15; i++)
    assert_int_equal(log_of[i] / 100, i / 5);
  assert_int_equal(e->n_stacks, 5);
}

static void some_leave(const uint8_t *params) {
  (void)params;
  if (me() >= 2)
    return;
  emu_wait_barrier(e, false, 7);
  note(me());
}

static void a_barrier_goes_on_without_ended_threads(void **state) {
  (void)state;
  bool whole;
  assert_int_equal(run(some_leave, 4, &whole), 1);
  assert_true(whole);
  assert_int_equal(n_log, 2);
  const struct check_finding *f = check_get(e->check, 0);
  assert_int_equal(f->kind, CHECK_BARRIER_PARTIAL);
  assert_int_equal(f->at.loc, 7);
  assert_int_equal(f->missing, 2);
}

static void different_places(const uint8_t *params) {
  (void)params;
  emu_wait_barrier(e, false, me() == 3 ? 9 : 8);
}

static void different_barriers_are_a_finding(void **state) {
  (void)state;
  bool whole;
  assert_int_equal(run(different_places, 4, &whole), 1);
  assert_true(whole);
  assert_int_equal(check_get(e->check, 0)->kind, CHECK_BARRIER_SITES);
}

/* ---- warps ---- */
static void meets(const uint8_t *params) {
  (void)params;
  uint32_t half = me() % 32 < 16 ? 0xffff : 0xffff0000;
  note((uint32_t)emu_warp_op(e, WARP_ADD, half, me(), 3));
}

static void lanes_meet_by_their_masks(void **state) {
  (void)state;
  bool whole;
  assert_int_equal(run(meets, 40, &whole), 0); /* the second warp has 8 lanes */
  assert_true(whole);
  uint32_t seen[3] = {0};
  for (uint32_t i = 0; i < n_log; i++)
    seen[0] += log_of[i] == 120, seen[1] += log_of[i] == 376, seen[2] += log_of[i] == 284;
  assert_int_equal(seen[0], 16);
  assert_int_equal(seen[1], 16);
  assert_int_equal(seen[2], 8);
}

static void reads_a_lane_that_ended(const uint8_t *params) {
  (void)params;
  if (me() == 5)
    return;
  note((uint32_t)emu_shuffle(e, WARP_SHFL_IDX, UINT32_MAX, 1000 + me(), 5, 32, 4));
}

static void an_ended_lane_has_no_value(void **state) {
  (void)state;
  bool whole;
  assert_int_equal(run(reads_a_lane_that_ended, 32, &whole), 1);
  assert_true(whole);
  assert_int_equal(check_get(e->check, 0)->kind, CHECK_WARP_MISSING);
  for (uint32_t i = 0; i < n_log; i++)
    assert_int_equal(log_of[i], 0);
}

static void not_in_its_mask(const uint8_t *params) {
  (void)params;
  emu_warp_op(e, WARP_SYNC, 2, 0, 4);
}

static void a_mask_without_its_lane_is_a_finding(void **state) {
  (void)state;
  bool whole;
  assert_int_equal(run(not_in_its_mask, 1, &whole), 1);
  assert_int_equal(check_get(e->check, 0)->kind, CHECK_WARP_MASK);
}

static void asks(const uint8_t *params) {
  (void)params;
  bool odd = me() % 2;
  note(emu_active_mask(e, odd ? 11 : 12) << 1 | odd);
}

static void who_asks_at_a_place_is_together(void **state) {
  (void)state;
  bool whole;
  uint32_t want[64];
  for (uint32_t i = 0; i < 64; i++)
    want[i] = i % 32 < 16 ? 0x55555555u << 1 : 0xaaaaaaaau << 1 | 1;
  assert_int_equal(run(asks, 64, &whole), 0);
  expect_log(want, 64);
}

/* ---- waiting in loops, and for ever ---- */
static uint32_t flag;
static void waits_for_the_last(const uint8_t *params) {
  (void)params;
  if (me() == 3)
    flag = 1;
  while (!flag)
    emu_yield(e);
  note(me());
}

static void a_thread_that_yields_lets_others_begin(void **state) {
  (void)state;
  bool whole;
  flag = 0;
  assert_int_equal(run(waits_for_the_last, 4, &whole), 0);
  assert_true(whole);
  assert_int_equal(n_log, 4);
  assert_int_equal(log_of[0], 3);
}

static void crosswise(const uint8_t *params) {
  (void)params;
  if (me() < 2)
    emu_warp_op(e, WARP_SYNC, 0xf, 0, 21);
  else
    emu_wait_barrier(e, false, 22);
}

static void a_deadlock_ends_the_launch(void **state) {
  (void)state;
  bool whole;
  for (int i = 0; i < 3; i++) {
    run(crosswise, 4, &whole);
    assert_false(whole);
    assert_int_equal(e->stop.why, EMU_END_DEADLOCK);
    assert_int_equal(e->stop.loc, 21);
    assert_int_equal(e->stop.other, 2);
    assert_int_equal(e->stop.other_loc, 22);
    run(two_phases, 5, &whole); /* all stacks are free again */
    assert_true(whole);
    assert_true(e->n_stacks <= 5);
  }
}

static void exits_deep(const uint8_t *params) {
  if (me() % 2)
    emu_end_thread(e);
  emu_wait_barrier(e, false, 30);
  only_notes(params);
}

static void a_thread_may_end_anywhere(void **state) {
  (void)state;
  bool whole;
  run(exits_deep, 64, &whole);
  assert_true(whole);
  assert_int_equal(n_log, 32);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(threads_that_do_not_wait_share_a_stack, begin, end),
      cmocka_unit_test_setup_teardown(a_barrier_separates_phases, begin, end),
      cmocka_unit_test_setup_teardown(a_barrier_goes_on_without_ended_threads, begin, end),
      cmocka_unit_test_setup_teardown(different_barriers_are_a_finding, begin, end),
      cmocka_unit_test_setup_teardown(lanes_meet_by_their_masks, begin, end),
      cmocka_unit_test_setup_teardown(an_ended_lane_has_no_value, begin, end),
      cmocka_unit_test_setup_teardown(a_mask_without_its_lane_is_a_finding, begin, end),
      cmocka_unit_test_setup_teardown(who_asks_at_a_place_is_together, begin, end),
      cmocka_unit_test_setup_teardown(a_thread_that_yields_lets_others_begin, begin, end),
      cmocka_unit_test_setup_teardown(a_deadlock_ends_the_launch, begin, end),
      cmocka_unit_test_setup_teardown(a_thread_may_end_anywhere, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
