/* bundles/record: canonical text, strict reading, verified outputs. */
#include "test/unit/bundle_fixture.h"

#include "base/fs.h"
#include "bundles/record.h"

static struct record_input inputs[] = {
    {{"pmir", 4}, 0, {"demo.pmir.json", 14}, 10, {{1}}},
    {{"extern-lto", 10}, 2, {"a.ltoir", 7}, 20, {{2}}},
    {{"extern-lto", 10}, 1, {"z.ltoir", 7}, 30, {{3}}},
};
static struct record_option options[] = {{{"fmad", 4}, {"on", 2}}, {{"arch", 4}, {"sm_90", 5}}};
static struct record_tool tools[] = {{{"libnvvm", 7}, {"13.0", 4}, {{4}}}};
static struct record_output outputs[] = {
    {{"cubin", 5}, {"sm_90", 5}, {"demo.sm_90.cubin", 16}, 5, {{0}}},
    {{"bundle", 6}, {"", 0}, {"demo.mirdc", 10}, 6, {{0}}},
};

static struct record sample(void) {
  outputs[0].digest = hash_of("cubin", 5);
  outputs[1].digest = hash_of("bundle", 6);
  return (struct record){.package = STR("demo"),
                         .kind = STR("lib"),
                         .target = STR("demo"),
                         .profile = STR("dev"),
                         .inputs = inputs,
                         .n_inputs = 3,
                         .options = options,
                         .n_options = 2,
                         .tools = tools,
                         .n_tools = 1,
                         .outputs = outputs,
                         .n_outputs = 2};
}

static str text_of(struct fixture *f, const struct record *r) {
  struct strbuf sb = {0};
  assert_true(record_write(&f->sink, r, &sb));
  str s = arena_str(&f->arena, sb_str(&sb));
  sb_free(&sb);
  return s;
}

static void a_record_reads_back_in_its_one_order(void **state) {
  struct fixture *f = *state;
  struct record r = sample(), got;
  assert_true(record_read(&f->sink, &f->arena, text_of(f, &r), STR("t"), &got));
  assert_int_equal(got.n_inputs, 3);
  assert_true(str_eqz(got.inputs[0].name, "z.ltoir")); /* by role, then order */
  assert_true(str_eqz(got.inputs[1].name, "a.ltoir"));
  assert_true(str_eqz(got.options[0].name, "arch"));
  assert_true(str_eqz(got.outputs[0].kind, "bundle"));
  assert_true(digest_eq(&got.outputs[1].digest, &outputs[0].digest));
  assert_true(str_eq(text_of(f, &got), text_of(f, &r)));
}

static void the_key_ignores_outputs_and_order_of_lists_only(void **state) {
  (void)state;
  struct record r = sample(), other = sample();
  struct record_input swapped[3] = {inputs[2], inputs[0], inputs[1]};
  struct digest key = record_key(&r), got;
  other.inputs = swapped;
  other.n_outputs = 0;
  got = record_key(&other);
  assert_true(digest_eq(&key, &got));
  swapped[0].order = 3; /* now a.ltoir comes first: another link */
  got = record_key(&other);
  assert_false(digest_eq(&key, &got));
}

static void doubled_entries_are_not_written(void **state) {
  struct fixture *f = *state;
  struct record r = sample();
  struct record_option twice[] = {options[0], options[1], options[0]};
  struct strbuf sb = {0};
  r.options = twice;
  r.n_options = 3;
  assert_false(record_write(&f->sink, &r, &sb));
  fixture_expect(f, MD0522);
  assert_int_equal(sb.n, 0);
}

struct edit_case {
  const char *from, *to;
};
static const struct edit_case edits[] = {
    {"mirdc-record", "mirdc-manifest"},
    {"\"version\": 1", "\"version\": 2"},
    {"\"version\": 1", "\"version\": -1"},
    {"\"package\"", "\"pack\""},
    {"\"order\": 1", "\"order\": 3"},          /* not in order any more */
    {"\"name\": \"fmad\"", "\"name\": \"arch\""}, /* doubled */
    {"\"size\": 5", "\"size\": \"five\""},
    {"demo.sm_90.cubin", "../demo.sm_90.cubin"},
    {"demo.sm_90.cubin", ".."},
    {"demo.sm_90.cubin", ""},
    {"\"outputs\"", "\"outputs\": [], \"outputs\""},
    {"\"digest\": \"0", "\"digest\": \"0g"},
};

static void each_broken_rule_is_one_coded_error(void **state) {
  struct fixture *f = *state;
  struct record r = sample(), got;
  for (size_t i = 0; i < COUNT_OF(edits); i++) {
    str s = text_of(f, &r);
    size_t at = str_find(s, str_from(edits[i].from), 0);
    assert_true(at != SIZE_MAX);
    s = arena_printf(&f->arena, "%.*s%s%.*s", (int)at, s.p, edits[i].to,
                     STR_ARG(str_drop(s, at + strlen(edits[i].from))));
    bool ok = record_read(&f->sink, &f->arena, s, STR("t"), &got);
    if (ok)
      print_error("case %zu is taken\n", i);
    assert_false(ok);
    fixture_expect(f, MD0520);
  }
}

static void outputs_are_compared_with_the_files_beside_the_record(void **state) {
  struct fixture *f = *state;
  struct record r = sample();
  char *dir = fs_temp_dir(&f->sink, &f->arena);
  assert_non_null(dir);
  const char *cubin = path_join(&f->arena, dir, "demo.sm_90.cubin");
  const char *bundle = path_join(&f->arena, dir, "demo.mirdc");
  assert_true(fs_write_atomic(&f->sink, cubin, STR("cubin")));
  assert_true(fs_write_atomic(&f->sink, bundle, STR("bundle")));
  assert_true(record_verify(&f->sink, &r, dir));
  assert_true(fs_write_atomic(&f->sink, cubin, STR("cubim")));
  assert_false(record_verify(&f->sink, &r, dir));
  fixture_expect(f, MD0521);
  assert_true(fs_write_atomic(&f->sink, cubin, STR("cubin!")));
  assert_false(record_verify(&f->sink, &r, dir));
  fixture_expect(f, MD0521);
  assert_true(fs_remove_tree(&f->sink, cubin));
  assert_false(record_verify(&f->sink, &r, dir));
  fixture_expect(f, MD0521);
  assert_true(fs_remove_tree(&f->sink, dir));
}

int main(void) {
  static const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, fixture_start, fixture_stop)
      T(a_record_reads_back_in_its_one_order),
      T(the_key_ignores_outputs_and_order_of_lists_only),
      T(doubled_entries_are_not_written),
      T(each_broken_rule_is_one_coded_error),
      T(outputs_are_compared_with_the_files_beside_the_record),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
