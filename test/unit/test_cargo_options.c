/* The command line of cargo mirdc. */
#include "unit.h"

#include "cargo-integration/cargo-mirdc/options.h"

struct fixture {
  struct arena arena;
  struct test_sink t;
};

static int setup(void **state) {
  struct fixture *f = calloc(1, sizeof *f);
  test_sink_init(&f->t);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  struct fixture *f = *state;
  test_sink_free(&f->t);
  arena_free(&f->arena);
  free(f);
  return 0;
}

/* Parses words parted by spaces, the program's name first. */
static bool parse(struct fixture *f, const char *text, struct options *o) {
  char *argv[32];
  int argc = 0;
  str rest = str_from(text);
  while (rest.n > 0) {
    size_t space = str_find_char(rest, ' ', 0);
    argv[argc++] = arena_strz(&f->arena, str_sub(rest, 0, space == SIZE_MAX ? rest.n : space));
    rest = space == SIZE_MAX ? STR_NULL : str_drop(rest, space + 1);
  }
  return options_parse(&f->t.sink, &f->arena, argc, argv, o);
}

static const char *joined(struct fixture *f, const words *w) {
  struct strbuf b = {0};
  for (size_t i = 0; i < w->n; i++) {
    sb_addf(&b, "%s%s", i > 0 ? " " : "", w->p[i]);
  }
  char *z = arena_strz(&f->arena, sb_str(&b));
  sb_free(&b);
  return z;
}

static void options_go_to_who_understands_them(void **state) {
  struct fixture *f = *state;
  struct options o;
  assert_true(parse(f, "mirdc build -p app --bin=a-b -Fx,y --locked --arch sm_80 -g --release -v "
                       "--manifest-path M -- --time -O2",
                    &o));
  assert_string_equal(joined(f, &o.cargo), "--package=app --bin=a-b --features=x,y --locked "
                                           "--manifest-path=M");
  assert_string_equal(joined(f, &o.metadata), "--locked --manifest-path=M");
  assert_string_equal(joined(f, &o.driver), "--arch=sm_80 --debug");
  assert_string_equal(joined(f, &o.rest), "--time -O2");
  assert_string_equal(option_profile(&o), "release");
  assert_true(option_given(&o, OPT_VERBOSE));
  assert_int_equal(o.sub, SUB_BUILD);
}

static void the_last_value_of_an_option_counts(void **state) {
  struct fixture *f = *state;
  struct options o;
  assert_true(parse(f, "mirdc build --profile a --profile=b -vv", &o));
  assert_string_equal(option_profile(&o), "b");
  assert_int_equal(o.values[OPT_VERBOSE].n, 2);
  assert_true(parse(f, "mirdc build", &o));
  assert_string_equal(option_profile(&o), "dev");
  assert_null(option_value(&o, OPT_TARGET_DIR, NULL));
}

static void wrong_command_lines_have_their_codes(void **state) {
  struct fixture *f = *state;
  static const struct {
    const char *text;
    enum diag_code code;
  } cases[] = {
      {"mirdc bild", MD0601},          {"mirdc build --blok", MD0602},
      {"mirdc build --bin", MD0602},   {"mirdc build --lib=x", MD0602},
      {"mirdc build saxpy", MD0602},   {"mirdc build -y", MD0602},
      {"mirdc clean --arch a", MD0602}, {"mirdc check --emit ptx", MD0602},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct options o;
    struct diag_mark m = diag_save(&f->t.sink);
    assert_false(parse(f, cases[i].text, &o));
    assert_int_equal(f->t.sink.first->code, cases[i].code);
    diag_drop_since(&f->t.sink, m);
  }
}

static void help_lists_every_option_of_a_command(void **state) {
  struct fixture *f = *state;
  struct options o;
  struct strbuf b = {0};
  assert_true(parse(f, "mirdc build -p x --help", &o));
  assert_int_equal(o.sub, SUB_HELP);
  assert_string_equal(joined(f, &o.args), "build");
  options_help(SUB_BUILD, &b);
  assert_true(str_find(sb_str(&b), STR("--extern-lto FILE"), 0) != SIZE_MAX);
  assert_true(str_find(sb_str(&b), STR("-p, --package SPEC"), 0) != SIZE_MAX);
  sb_clear(&b);
  options_help(SUB_CLEAN, &b);
  assert_true(str_find(sb_str(&b), STR("--arch"), 0) == SIZE_MAX);
  sb_free(&b);
  assert_true(parse(f, "mirdc", &o));
  assert_int_equal(o.sub, SUB_HELP);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(options_go_to_who_understands_them, setup, teardown),
      cmocka_unit_test_setup_teardown(the_last_value_of_an_option_counts, setup, teardown),
      cmocka_unit_test_setup_teardown(wrong_command_lines_have_their_codes, setup, teardown),
      cmocka_unit_test_setup_teardown(help_lists_every_option_of_a_command, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
