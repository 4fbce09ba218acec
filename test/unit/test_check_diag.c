/* What findings read like. The kernel is a few lines of source with a place for each of them. */
#include "test/unit/unit.h"

#include "emulator/check_diag.h"

struct scene {
  struct test_sink t;
  struct pmir m;
  struct pm_file files[2];
  struct pm_span spans[8];
  pm_loc locs[8];
  struct check_scene s;
  struct check *c;
  char *x, *tile;
};

static const char source[] = "fn k(x: Buffer<u32>) {\n"
                             "    x.set(1, 0);\n"
                             "    let v = x.get(2);\n"
                             "    barrier();\n"
                             "    warp::syncwarp(7);\n"
                             "}\n";

static int begin(void **state) {
  struct scene *s = calloc(1, sizeof *s);
  test_sink_init(&s->t);
  s->files[0].path = STR("src/lib.rs");
  s->files[0].source = source_file_with_text(&s->t.sources, STR("src/lib.rs"), str_from(source));
  s->files[1].path = STR("mirdc/src/slice.rs");
  s->files[1].source = source_file_id(&s->t.sources, STR("mirdc/src/slice.rs"));
  s->m.files = s->files;
  s->m.n_files = 2;
  s->m.spans = s->spans;
  s->m.n_spans = 8;
  for (uint32_t i = 0; i < 6; i++) {
    struct span at = {s->files[0].source, i + 1, 5, i + 1, 9};
    s->spans[i] = (struct pm_span){at, PM_NONE, STR_NULL, PM_NONE};
    s->locs[i] = i;
  }
  /* 6: inside of the device crate, inlined at line 3 */
  s->spans[6] = (struct pm_span){{s->files[1].source, 180, 1, 180, 2}, 2, STR("get"), PM_NONE};
  s->locs[6] = 6;
  s->locs[7] = PM_NONE;
  s->s = (struct check_scene){&s->m, STR("k"), s->locs, 8, {64, 1, 1}};
  s->c = check_new(&(struct check_options){.what = CHECK_ALL, .max_findings = 4});
  assert_non_null(s->c);
  s->x = check_alloc(s->c, STR("x"), 16, 4, CHECK_BUFFER, true);
  s->tile = check_alloc(s->c, STR("k::tile"), 16, 4, CHECK_SHARED, true);
  const uint32_t grid[3] = {2, 1, 1};
  check_launch_begin(s->c, grid, s->s.block);
  check_block_begin(s->c, 0);
  check_thread_run(s->c, 3, NULL, 0);
  *state = s;
  return 0;
}

static int end(void **state) {
  struct scene *s = *state;
  check_free(s->c);
  test_sink_free(&s->t);
  free(s);
  return 0;
}

/* Renders all findings, and looks for the texts in their order. */
static void reads(struct scene *s, const char *const *texts, size_t n) {
  struct strbuf b = {0};
  for (size_t i = 0; i < check_count(s->c); i++)
    diag_render_human(&s->t.sink, check_diagnose(check_get(s->c, i), &s->s, &s->t.sink), false, &b);
  size_t at = 0;
  for (size_t i = 0; i < n; i++) {
    size_t found = str_find(sb_str(&b), str_from(texts[i]), at);
    if (found == SIZE_MAX)
      fail_msg("no `%s` after byte %zu of\n%s", texts[i], at, sb_z(&b));
    at = found;
  }
  sb_free(&b);
}
#define READS(s, ...)                                                                              \
  reads(s, (const char *const[]){__VA_ARGS__}, COUNT_OF(((const char *const[]){__VA_ARGS__})))

static void bounds(void **state) {
  struct scene *s = *state;
  check_access(s->c, s->x + 14, 4, CHECK_WRITE, 1);
  check_access(s->c, s->x + 16, 4, CHECK_READ, 6);
  check_access(s->c, s->x + 24, 1, CHECK_READ, 4);
  check_access(s->c, s->x - 1, 1, CHECK_READ, 7);
  READS(s, "error[MD0825]: out-of-bounds write of 4 bytes in kernel `k`", "src/lib.rs:2:5",
        "byte 14 of the buffer `x`, which has 16 bytes", "thread (3, 0, 0) of block (0, 0, 0)",
        "error[MD0825]: out-of-bounds read of 4 bytes", "src/lib.rs:3:5", "let v = x.get(2);",
        "begins at the end of the buffer `x`", "src/lib.rs:5:5", "begins 8 bytes past the end of",
        "begins 1 byte before the buffer `x`");
}

static void addresses_of_other_kinds(void **state) {
  struct scene *s = *state;
  static const char words[4];
  char stacks[8];
  check_add_range(s->c, STR("words"), words, 4, false);
  check_set_stacks(s->c, stacks, 8);
  check_access(s->c, (char *)8, 4, CHECK_READ, 1);
  check_access(s->c, (char *)(uintptr_t)0x123456789000, 4, CHECK_READ, 2);
  check_access(s->c, stacks, 4, CHECK_WRITE, 3);
  check_access(s->c, words, 4, CHECK_WRITE, 4);
  READS(s, "error[MD0826]: null-pointer read of 4 bytes in kernel `k`", "at address 8",
        "error[MD0827]: wild read of 4 bytes", "0x123456789000", "error[MD0828]: write of 4 bytes",
        "local variable of another thread", "error[MD0829]: forbidden write of 4 bytes",
        "the constant `words` can only be read");
}

static void uninitialised_memory(void **state) {
  struct scene *s = *state;
  check_access(s->c, s->tile + 4, 4, CHECK_READ, 2);
  check_access(s->c, s->tile + 8, 4, CHECK_READ, 2);
  READS(s, "error[MD0830]: read of shared memory that nobody wrote, in kernel `k`",
        "src/lib.rs:3:5", "4 bytes from byte 4 of shared memory `k::tile`, which has 16 bytes",
        "and 1 more time at the same place");
}

static void races(void **state) {
  struct scene *s = *state;
  check_access(s->c, s->x, 4, CHECK_WRITE, 1);
  check_access(s->c, s->tile, 4, CHECK_WRITE, 1);
  check_atomic(s->c, s->x + 4, 4, CHECK_ATOMIC_RMW, CHECK_RELAXED, CHECK_SCOPE_BLOCK, 1);
  check_thread_run(s->c, 4, NULL, 0);
  check_access(s->c, s->tile, 4, CHECK_READ, 2);
  check_block_end(s->c);
  check_block_begin(s->c, 1);
  check_thread_run(s->c, 4, NULL, 0);
  check_access(s->c, s->x, 4, CHECK_READ, 3);
  check_atomic(s->c, s->x + 4, 4, CHECK_ATOMIC_RMW, CHECK_RELAXED, CHECK_SCOPE_DEVICE, 4);
  READS(s, "error[MD0831]: data race on shared memory in kernel `k`", "src/lib.rs:3:5",
        "read by thread (4, 0, 0) of block (0, 0, 0)",
        "not ordered after this write by thread (3, 0, 0) of block (0, 0, 0)",
        "byte 0 of shared memory `k::tile`", "put a `barrier()` between",
        "error[MD0831]: data race on global memory", "thread (4, 0, 0) of block (1, 0, 0)",
        "byte 0 of the buffer `x`", "blocks are ordered only by atomics", "atomic update by thread",
        "use `Scope::Device`");
}

static void divergence(void **state) {
  struct scene *s = *state;
  check_diverged(s->c, CHECK_BARRIER_PARTIAL, 0, 3, 16, 0, true, 48, 0);
  check_diverged(s->c, CHECK_BARRIER_SITES, 0, 3, 16, 4, false, 0, 0);
  check_diverged(s->c, CHECK_WARP_MISSING, 2, 4, 1, 3, false, 0x12, 0x17);
  check_diverged(s->c, CHECK_WARP_MASK, 3, 4, UINT32_MAX, 0, false, 0x8, 7);
  READS(s, "error[MD0832]: a barrier that only a part of the block reaches in kernel `k`",
        "src/lib.rs:4:5", "thread (0, 0, 0) of block (0, 0, 0) waits here",
        "thread (16, 0, 0) of block (0, 0, 0) has ended", "48 threads of the block did not come",
        "error[MD0833]: threads of a block wait at different barriers", "waits here", "waits here",
        "error[MD0834]: lanes are missing at a warp operation", "mask 0x00000017",
        "lanes that take no part: 1, 4", "error[MD0835]: wrong mask of a warp operation",
        "lanes that are wrong: 3");
}

static void limits(void **state) {
  struct scene *s = *state;
  for (uint32_t i = 1; i < 8; i++)
    check_access(s->c, NULL, 4, CHECK_READ, i);
  check_diagnose_limits(s->c, &s->s, &s->t.sink);
  assert_int_equal(sink_code(&s->t), MD0836);
  assert_str(s->t.sink.first->message,
             "3 more findings in kernel `k` not shown: too many different ones");
  assert_int_equal(s->t.sink.errors, 0);
}

#define T(f) cmocka_unit_test_setup_teardown(f, begin, end)
int main(void) {
  const struct CMUnitTest tests[] = {
      T(bounds), T(addresses_of_other_kinds), T(uninitialised_memory), T(races), T(divergence),
      T(limits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
