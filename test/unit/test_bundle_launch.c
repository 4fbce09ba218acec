/* bundles/launch and bundles/arch: what may be launched, and what runs where. */
#include "test/unit/bundle_fixture.h"

static void architectures_are_parsed_and_printed(void **state) {
  struct fixture *f = *state;
  static const char *const good[] = {"sm_75", "sm_90", "sm_90a", "sm_100f", "sm_121"};
  static const char *const bad[] = {"",      "sm_",   "sm_9",    "90",     "sm_090", "sm_90b",
                                    "sm_90aa", "SM_90", "sm_1000", "sm_9x", "sm_90 "};
  struct gpu_arch a;
  for (size_t i = 0; i < COUNT_OF(good); i++) {
    assert_true(gpu_arch_parse(str_from(good[i]), &a));
    assert_true(str_eqz(gpu_arch_str(&f->arena, a), good[i]));
  }
  for (size_t i = 0; i < COUNT_OF(bad); i++)
    assert_false(gpu_arch_parse(str_from(bad[i]), &a));
  assert_true(gpu_arch_parse(STR("compute_80"), &a) && a.number == 80);
  assert_int_equal(gpu_arch_str(&f->arena, (struct gpu_arch){0, 0}).n, 0);
}

struct run_case {
  const char *arch;
  unsigned major, minor;
  bool cubin, ptx;
};
static const struct run_case runs[] = {
    {"sm_90", 9, 0, true, true},     {"sm_90a", 9, 0, true, true},
    {"sm_90", 10, 0, false, true},   {"sm_90a", 10, 0, false, false},
    {"sm_80", 8, 0, true, true},     {"sm_80", 8, 9, true, true},
    {"sm_89", 8, 6, false, false},   {"sm_80", 9, 0, false, true},
    {"sm_75", 7, 5, true, true},     {"sm_100f", 10, 3, true, true},
    {"sm_100f", 12, 0, false, false}, {"sm_100a", 10, 3, false, false},
    {"sm_120f", 12, 1, true, true},  {"sm_86", 8, 7, false, true},
    {"sm_87", 8, 9, false, true},    {"sm_87", 8, 7, true, true},
    {"sm_90", 8, 9, false, false},
};

static void code_runs_where_it_should_and_nowhere_else(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(runs); i++) {
    const struct run_case *r = &runs[i];
    struct gpu_arch a;
    assert_true(gpu_arch_parse(str_from(r->arch), &a));
    if ((gpu_arch_refuse_cubin(a, r->major, r->minor) == NULL) != r->cubin)
      print_error("%s on %u.%u\n", r->arch, r->major, r->minor);
    assert_int_equal(gpu_arch_refuse_cubin(a, r->major, r->minor) == NULL, r->cubin);
    assert_int_equal(gpu_arch_refuse_ptx(a, r->major, r->minor) == NULL, r->ptx);
  }
}

static void facts_that_cannot_be_launched_are_told(void **state) {
  (void)state;
  static const struct launch_facts wrong[] = {
      {.flags = 32},
      {.block = {1, 1, 1}},
      {.flags = LAUNCH_BLOCK},
      {.flags = LAUNCH_BLOCK, .block = {1025, 1, 1}},
      {.flags = LAUNCH_BLOCK, .block = {1, 1, 65}},
      {.flags = LAUNCH_BLOCK, .block = {32, 32, 2}},
      {.flags = LAUNCH_BLOCK, .block = {4294967295u, 4294967295u, 4294967295u}},
      {.flags = LAUNCH_BLOCK | LAUNCH_MAX_BLOCK, .block = {32, 1, 1}, .max_block = 64},
      {.flags = LAUNCH_MAX_BLOCK},
      {.flags = LAUNCH_MAX_BLOCK, .max_block = 1025},
      {.flags = LAUNCH_MIN_BLOCKS},
      {.flags = LAUNCH_MIN_BLOCKS, .min_blocks = 33},
      {.flags = LAUNCH_CLUSTER, .cluster = {0, 1, 1}},
      {.flags = LAUNCH_CLUSTER, .cluster = {4, 4, 2}},
      {.flags = LAUNCH_DYN_SHARED, .dyn_shared = 16},
      {.flags = LAUNCH_DYN_SHARED, .dyn_shared = 16, .dyn_shared_align = 24},
      {.flags = LAUNCH_DYN_SHARED, .dyn_shared = 1u << 20, .dyn_shared_align = 16},
      {.dyn_shared = 16},
      {.min_blocks = 1},
      {.max_block = 1},
      {.cluster = {1, 1, 1}},
  };
  static const struct launch_facts right[] = {
      {0},
      {.flags = LAUNCH_BLOCK, .block = {1024, 1, 1}},
      {.flags = LAUNCH_BLOCK, .block = {4, 4, 64}},
      {.flags = LAUNCH_CLUSTER, .cluster = {16, 1, 1}},
      {.flags = LAUNCH_DYN_SHARED, .dyn_shared = 0, .dyn_shared_align = 1},
      {.flags = LAUNCH_DYN_SHARED, .dyn_shared = 227 * 1024, .dyn_shared_align = 128},
  };
  for (size_t i = 0; i < COUNT_OF(wrong); i++)
    assert_non_null(launch_facts_wrong(&wrong[i]));
  for (size_t i = 0; i < COUNT_OF(right); i++)
    assert_null(launch_facts_wrong(&right[i]));
}

static void launches_keep_to_the_facts(void **state) {
  (void)state;
  char why[200];
  struct launch_facts f = {.flags = LAUNCH_BLOCK | LAUNCH_DYN_SHARED | LAUNCH_CLUSTER,
                           .block = {128, 2, 1},
                           .cluster = {2, 1, 1},
                           .dyn_shared = 4096,
                           .dyn_shared_align = 16};
  struct launch_request r = {{4, 1, 1}, {128, 2, 1}, 4096};
  assert_true(launch_allows(&f, &r, why, sizeof why));
  assert_int_equal(why[0], 0);
  r.block[1] = 1;
  assert_false(launch_allows(&f, &r, why, sizeof why));
  assert_string_equal(why, "the kernel is compiled for a block of 128,2,1, the launch has 128,1,1");
  r.block[1] = 2;
  r.grid[0] = 5;
  assert_false(launch_allows(&f, &r, why, sizeof why));
  assert_string_equal(why, "grid dimension x is 5, no multiple of the kernel's cluster of 2");
  r.grid[0] = 4;
  r.dyn_shared = 0;
  assert_false(launch_allows(&f, &r, why, sizeof why));
  struct launch_facts none = {0};
  r = (struct launch_request){{65536, 65536, 1}, {1, 1, 1}, 0};
  assert_false(launch_allows(&none, &r, why, sizeof why));
  assert_string_equal(why, "grid 65536,65536,1: dimension y must be between 1 and 65535");
  r = (struct launch_request){{1, 1, 1}, {32, 32, 2}, 0};
  assert_false(launch_allows(&none, &r, why, sizeof why));
  r = (struct launch_request){{1, 1, 1}, {32, 1, 1}, UINT64_MAX};
  assert_false(launch_allows(&none, &r, why, sizeof why));
}

int main(void) {
  static const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, fixture_start, fixture_stop)
      T(architectures_are_parsed_and_printed),
      T(code_runs_where_it_should_and_nowhere_else),
      T(facts_that_cannot_be_launched_are_told),
      T(launches_keep_to_the_facts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
