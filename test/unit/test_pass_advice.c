/* What the pass says of functions that device code cannot have. */
#include "unit.h"

#include "cargo-integration/rustc/advice.h"

static void each_family_has_its_own_advice(void **state) {
  (void)state;
  static const struct {
    const char *path;
    enum diag_code code;
    const char *says;
  } cases[] = {
      {"std::io::_print", MD0179, "printf!"},
      {"<u32 as std::fmt::Display>::fmt", MD0179, "printf!"},
      {"std::arch::x86_64::_mm_set1_epi32", MD0187, "plain Rust"},
      {"core::core_arch::x86::sse2::pause", MD0187, "plain Rust"},
      {"<alloc::raw_vec::RawVec<u8> as std::ops::Drop>::drop", MD0178, "arrays"},
      {"std::collections::HashMap::<u32, u32>::insert", MD0178, "arrays"},
      {"std::sync::Arc::<u32>::clone", MD0178, "arrays"},
      {"std::sys::sync::mutex::futex::Mutex::lock_contended", MD0174, "atomics"},
      {"std::time::Instant::now", MD0174, "on the host"},
      {"std::fs::read::inner", MD0174, "on the host"},
      {"std::str::from_utf8", MD0174, "bytes of the text"},
      {"core::unicode::conversions::to_lower", MD0174, "bytes of the text"},
      {"<core::iter::Map<I, F> as core::iter::Iterator>::fold", MD0174, "`for` loop"},
      {"dep::outside", MD0174, "a function of this crate"},
      {"mystd::time::now", MD0174, "a function of this crate"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct advice a = advice_for(str_from(cases[i].path));
    if (a.code != cases[i].code || strstr(a.help, cases[i].says) == NULL) {
      fail_msg("%s: %s", cases[i].path, a.help);
    }
  }
}

static void constants_of_the_library_are_not_to_be_made_visible(void **state) {
  (void)state;
  assert_non_null(strstr(advice_for_const(STR("core::num::int_sqrt::TABLE")), "this crate"));
  assert_non_null(
      strstr(advice_for_const(STR("core::str::validations::WIDTH")), "bytes of the text"));
  assert_non_null(strstr(advice_for_const(STR("a::B")), "visible from the crate root"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_family_has_its_own_advice),
      cmocka_unit_test(constants_of_the_library_are_not_to_be_made_visible),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
