/* cargo-integration/rustc/lex: the cursor under all readers of rustc's text. */
#include "cargo-integration/rustc/lex.h"
#include "test/unit/unit.h"

static struct lex on(const char *z) {
  return (struct lex){str_from(z), 0};
}

static void words_and_numbers_stop_where_they_end(void **state) {
  (void)state;
  struct lex l = on("r#type_1 42bb 0ff");
  assert_str(lex_ident(&l), "r#type_1");
  assert_int_equal(lex_ident(&l).n, 0);
  lex_blanks(&l);
  uint64_t v, hi;
  unsigned digits;
  assert_true(lex_u64(&l, &v));
  assert_int_equal(v, 42);
  assert_true(LEX_EAT(&l, "bb "));
  assert_true(lex_hex128(&l, &v, &hi, &digits));
  assert_int_equal(v, 255);
  assert_int_equal(digits, 3);
  assert_true(lex_end(&l));
  assert_int_equal(lex_peek(&l), 0);
  assert_int_equal(lex_peek_at(&l, 5), 0);
}

static void numbers_that_do_not_fit_are_refused(void **state) {
  (void)state;
  uint64_t v, hi;
  uint32_t w;
  unsigned digits;
  struct lex l = on("18446744073709551616");
  assert_false(lex_u64(&l, &v));
  assert_int_equal(l.pos, 0);
  l = on("18446744073709551615");
  assert_true(lex_u64(&l, &v));
  assert_true(v == UINT64_MAX);
  l = on("4294967296");
  assert_false(lex_u32(&l, &w));
  assert_int_equal(l.pos, 0);
  l = on("123456789abcdef0123456789abcdef01");
  assert_false(lex_hex128(&l, &v, &hi, &digits));
  l = on("23456789abcdef0123456789abcdef01");
  assert_true(lex_hex128(&l, &v, &hi, &digits));
  assert_true(hi == 0x23456789abcdef01u && v == 0x23456789abcdef01u);
}

static void balanced_text_ends_at_depth_zero(void **state) {
  (void)state;
  static const struct {
    const char *text, *stops;
    bool angles;
    size_t end; /* SIZE_MAX: refused */
  } rows[] = {
      {"a(b, c), d", ",", false, 7},          {"f([1, 2]); x", ";", false, 9},
      {"\"a;b\\\";\" ; x", ";", false, 9},    {"';' ; x", ";", false, 4},
      {"'\\'' ; x", ";", false, 5},           {"'a ; x", ";", false, 3},
      {"fn(A) -> B<C, D>, E", ",", true, 16}, {"A<B, C>, D", ",", false, 3},
      {"(a]", ";", false, SIZE_MAX},          {"a)", ";", false, SIZE_MAX},
      {"abc", ";", false, SIZE_MAX},          {"\"abc;", ";", false, SIZE_MAX},
  };
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    struct lex l = on(rows[i].text);
    bool ok = lex_balanced(&l, rows[i].stops, rows[i].angles);
    if (ok != (rows[i].end != SIZE_MAX) || (ok && l.pos != rows[i].end))
      fail_msg("`%s` ends at %zu", rows[i].text, ok ? l.pos : SIZE_MAX);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_and_numbers_stop_where_they_end),
      cmocka_unit_test(numbers_that_do_not_fit_are_refused),
      cmocka_unit_test(balanced_text_ends_at_depth_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
