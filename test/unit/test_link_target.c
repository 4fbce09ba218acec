/* Names of targets and the pairing rules. */
#include "link_helpers.h"

static void known_names_parse_and_print(void **state) {
  (void)state;
  struct target t;
  assert_true(target_count() > 10);
  for (size_t i = 0; i < target_count(); i++) {
    assert_true(target_parse(str_from(target_sm(target_at(i)).z), &t));
    assert_true(target_eq(t, target_at(i)));
    assert_true(target_parse(str_from(target_compute(target_at(i)).z), &t));
    assert_true(target_eq(t, target_at(i)));
  }
}

static void other_names_are_refused(void **state) {
  (void)state;
  static const char *const bad[] = {"",       "sm_",    "sm_9",     "sm_90b", "sm_90aa", "sm_090",
                                    "sm_900", "sm_70",  "sm_101",   "native", "90",      "sm_90 ",
                                    "SM_90",  "sm_75a", "compute_", "sm_90f", "sm_-90",  "sm_9o"};
  struct link_env *e = env_new(NULL);
  struct target t;
  for (size_t i = 0; i < COUNT_OF(bad); i++) {
    print_message("%s\n", bad[i]);
    assert_false(target_parse(str_from(bad[i]), &t));
    assert_int_equal(t.cc, 0);
  }
  assert_false(target_require(&e->sink, STR("sm_33"), &t));
  expect_error(e, MD0401, "unknown target `sm_33`");
  env_free(e);
}

static void pairs_follow_the_rules(void **state) {
  (void)state;
  static const struct {
    enum code_kind kind;
    const char *code, *dst;
    bool ok;
  } cases[] = {
      {CODE_LTOIR, "sm_75", "sm_75", true},      {CODE_LTOIR, "sm_75", "sm_121", true},
      {CODE_LTOIR, "sm_90", "sm_80", false},     {CODE_LTOIR, "sm_90", "sm_90a", true},
      {CODE_LTOIR, "sm_90a", "sm_90a", true},    {CODE_LTOIR, "sm_90a", "sm_90", false},
      {CODE_LTOIR, "sm_90a", "sm_100", false},   {CODE_LTOIR, "sm_100a", "sm_103a", false},
      {CODE_LTOIR, "sm_100f", "sm_100f", true},  {CODE_LTOIR, "sm_100f", "sm_103f", true},
      {CODE_LTOIR, "sm_100f", "sm_103a", true},  {CODE_LTOIR, "sm_100f", "sm_103", false},
      {CODE_LTOIR, "sm_103f", "sm_100f", false}, {CODE_LTOIR, "sm_100f", "sm_120f", false},
      {CODE_LTOIR, "sm_100f", "sm_110f", false}, {CODE_LTOIR, "sm_120f", "sm_121f", true},
      {CODE_PTX, "sm_80", "sm_90", true},        {CODE_PTX, "sm_90a", "sm_100a", false},
      {CODE_SASS, "sm_80", "sm_86", true},       {CODE_SASS, "sm_86", "sm_80", false},
      {CODE_SASS, "sm_80", "sm_90", false},      {CODE_SASS, "sm_90a", "sm_90", false},
      {CODE_SASS, "sm_90", "sm_90a", true},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    const char *why =
        target_pair_refusal(cases[i].kind, target_of(cases[i].code), target_of(cases[i].dst));
    print_message("%s -> %s\n", cases[i].code, cases[i].dst);
    assert_true((why == NULL) == cases[i].ok);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_names_parse_and_print),
      cmocka_unit_test(other_names_are_refused),
      cmocka_unit_test(pairs_follow_the_rules),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
