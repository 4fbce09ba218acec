/* rustc's layout dumps, in the forms of each known version. */
#include "unit.h"

#include "cargo-integration/rustc/layout.h"

#define HEAD(size, al)                                                                             \
  "Layout { size: Size(" size " bytes), align: AbiAlign { abi: Align(" al " bytes), }, "
#define TAIL                                                                                       \
  ", max_repr_align: None, unadjusted_abi_align: Align(4 bytes), randomization_seed: 1, }"
#define MEMORY "backend_repr: Memory { sized: true, }, "
#define ONE_FIELD "fields: Arbitrary { offsets: [ Size(0 bytes), ], in_memory_order: [ 0, ], }, "
#define U8 "Initialized { value: Int( I8, false, ), valid_range: 0..=255, }"

static struct arena arena;

static bool parse(const char *text, struct layout *l) {
  str why = STR_NULL;
  bool ok = layout_parse(&arena, str_from(text), l, &why);
  assert_true(ok || why.n > 0);
  return ok;
}

static void a_struct_has_offsets_by_field_index(void **state) {
  (void)state;
  struct layout l;
  assert_true(
      parse(HEAD("16", "8") MEMORY
            "fields: Arbitrary { offsets: [ Size(10 bytes), Size(0 bytes), Size(8 bytes), ], "
            "in_memory_order: [ 1, 2, 0, ], }, largest_niche: None, uninhabited: false, "
            "variants: Single { index: 0, }" TAIL,
            &l));
  assert_int_equal(l.size, 16);
  assert_int_equal(l.align, 8);
  assert_int_equal(l.repr, REPR_MEMORY);
  assert_int_equal(l.n_fields, 3);
  assert_int_equal(l.offsets[0], 10);
  assert_int_equal(l.offsets[2], 8);
  assert_int_equal(l.variants, VARIANTS_SINGLE);
}

static void a_scalar_keeps_a_range_that_wraps(void **state) {
  (void)state;
  struct layout l;
  assert_true(parse(
      HEAD("1", "1") "backend_repr: Scalar( Initialized { value: Int( I8, true, ), "
                     "valid_range: (..=5) | (255..), }, ), " ONE_FIELD
                     "largest_niche: Some( Niche { offset: Size(0 bytes), value: Int( I8, true, ), "
                     "valid_range: (..=5) | (255..), }, ), uninhabited: false, "
                     "variants: Single { index: 0, }" TAIL,
      &l));
  assert_int_equal(l.repr, REPR_SCALAR);
  assert_true(l.a.is_signed);
  assert_int_equal(l.a.bits, 8);
  assert_true(l.a.lo == 255 && l.a.hi == 5);
}

static void a_pair_puts_its_second_part_at_its_alignment(void **state) {
  (void)state;
  struct layout l;
  assert_true(parse(
      HEAD("16",
           "8") "backend_repr: ScalarPair( Union { value: Int( I8, false, ), }, "
                "Initialized { value: Pointer( AddressSpace( 0, ), ), valid_range: "
                "1..=18446744073709551615, }, ), " ONE_FIELD
                "largest_niche: None, uninhabited: false, variants: Single { index: 0, }" TAIL,
      &l));
  assert_int_equal(l.repr, REPR_PAIR);
  assert_true(l.a.is_union);
  assert_int_equal(l.b.prim, PRIM_POINTER);
  assert_true(l.b.hi == UINT64_MAX);
  assert_int_equal(l.off_b, 8);
}

static void full_128_bit_ranges_are_exact(void **state) {
  (void)state;
  struct layout l;
  assert_true(
      parse(HEAD("16", "16") "backend_repr: Scalar( Initialized { value: Int( I128, false, ), "
                             "valid_range: 0..=340282366920938463463374607431768211455, }, ), "
                             "fields: Primitive, largest_niche: None, uninhabited: false, "
                             "variants: Single { index: 0, }" TAIL,
            &l));
  assert_true(l.a.hi == ~(u128)0);
  assert_int_equal(l.fields, FIELDS_PRIMITIVE);
}

static const char SLIM_VARIANT[] =
    "VariantLayout { size: Size(8 bytes), " MEMORY "field_offsets: [ Size(4 bytes), ], "
    "fields_in_memory_order: [ 0, ], largest_niche: None, uninhabited: false, }";
static const char WHOLE_VARIANT[] = HEAD("8", "4") MEMORY
    "fields: Arbitrary { offsets: [ Size(4 bytes), ], in_memory_order: [ 0, ], }, "
    "largest_niche: None, uninhabited: false, variants: Single { index: 0, }" TAIL;

static void check_direct(const char *variant) {
  struct strbuf b = {0};
  struct layout l;
  u128 bits = 0;
  sb_addf(&b,
          HEAD("8", "4") MEMORY ONE_FIELD "largest_niche: None, uninhabited: false, "
                                          "variants: Multiple { tag: " U8
                                          ", tag_encoding: Direct, tag_field: 0, "
                                          "variants: [ %s, %s, ], }" TAIL,
          variant, variant);
  assert_true(parse(sb_z(&b), &l));
  sb_free(&b);
  assert_int_equal(l.variants, VARIANTS_MULTIPLE);
  assert_int_equal(l.encoding, ENCODE_DIRECT);
  assert_int_equal(l.n_variants, 2);
  assert_int_equal(l.variant[1].size, 8);
  assert_int_equal(l.variant[1].n_fields, 1);
  assert_int_equal(l.variant[1].offsets[0], 4);
  assert_true(layout_tag_of(&l, 1, ~(u128)0, &bits));
  assert_true(bits == 255);
}

static void variants_read_in_the_old_and_in_the_slim_form(void **state) {
  (void)state;
  check_direct(WHOLE_VARIANT);
  check_direct(SLIM_VARIANT);
}

static void niche_tags_wrap_and_leave_out_the_untagged_variant(void **state) {
  (void)state;
  struct strbuf b = {0};
  struct layout l;
  u128 bits = 0;
  sb_addf(
      &b,
      HEAD("8", "4") MEMORY ONE_FIELD
      "largest_niche: None, uninhabited: false, "
      "variants: Multiple { tag: " U8 ", tag_encoding: Niche { untagged_variant: 1, "
      "niche_variants: 0..=2, niche_start: 254, }, tag_field: 0, variants: [ %s, %s, %s, ], }" TAIL,
      SLIM_VARIANT, SLIM_VARIANT, SLIM_VARIANT);
  assert_true(parse(sb_z(&b), &l));
  sb_free(&b);
  assert_int_equal(l.untagged, 1);
  assert_true(layout_tag_of(&l, 0, 0, &bits));
  assert_true(bits == 254);
  assert_false(layout_tag_of(&l, 1, 1, &bits));
  assert_true(layout_tag_of(&l, 2, 2, &bits));
  assert_true(bits == 0);
}

static void unions_arrays_and_empty_types_read(void **state) {
  (void)state;
  struct layout l;
  assert_true(parse(HEAD("4", "4") MEMORY "fields: Union( 2, ), largest_niche: None, "
                                          "uninhabited: false, variants: Single { index: 0, }" TAIL,
                    &l));
  assert_int_equal(l.fields, FIELDS_UNION);
  assert_int_equal(l.n_fields, 2);
  assert_true(parse(HEAD("12", "4") MEMORY
                    "fields: Array { stride: Size(4 bytes), count: 3, }, "
                    "largest_niche: None, uninhabited: false, variants: Single { index: 0, }" TAIL,
                    &l));
  assert_int_equal(l.stride, 4);
  assert_int_equal(l.count, 3);
  assert_true(parse(HEAD("0", "1") MEMORY "fields: Primitive, largest_niche: None, "
                                          "uninhabited: true, variants: Empty" TAIL,
                    &l));
  assert_true(l.uninhabited);
  assert_int_equal(l.variants, VARIANTS_EMPTY);
}

static void unknown_or_contradictory_text_is_refused(void **state) {
  (void)state;
  static const char *const bad[] = {
      "",
      "Layout",
      "Layout {",
      HEAD("4", "4") MEMORY ONE_FIELD "variants: Single { index: 0, }, colour: 3, }",
      HEAD("4", "4") "backend_repr: Magic, " ONE_FIELD "variants: Single { index: 0, }, }",
      HEAD("4", "4") MEMORY "fields: Scattered, variants: Single { index: 0, }, }",
      HEAD("4", "4") MEMORY ONE_FIELD "variants: Several { index: 0, }, }",
      HEAD("4", "4") MEMORY ONE_FIELD "}",
      HEAD("4", "3") MEMORY ONE_FIELD "variants: Single { index: 0, }, }",
      HEAD("4", "0") MEMORY ONE_FIELD "variants: Single { index: 0, }, }",
      HEAD("4", "4") MEMORY
      "fields: Arbitrary { offsets: [ Size(5 bytes), ], in_memory_order: [ 0, ], }, "
      "variants: Single { index: 0, }, }",
      HEAD("4", "4") MEMORY ONE_FIELD "variants: Multiple { tag: " U8 ", tag_encoding: Guess, "
                                      "tag_field: 0, variants: [], }, }",
      HEAD("4", "4") MEMORY ONE_FIELD "variants: Multiple { tag: " U8 ", tag_encoding: Direct, "
                                      "tag_field: 7, variants: [], }, }",
      HEAD("99999999999999999999999", "4") MEMORY ONE_FIELD "variants: Single { index: 0, }, }",
      HEAD("4", "4") MEMORY ONE_FIELD "variants: Single { index: 0, }, } more",
  };
  for (size_t i = 0; i < COUNT_OF(bad); i++) {
    struct layout l;
    if (parse(bad[i], &l)) {
      fail_msg("accepted: %s", bad[i]);
    }
  }
}

static void every_cut_of_a_dump_is_refused(void **state) {
  (void)state;
  struct layout l;
  str why = STR_NULL;
  for (size_t n = 0; n + 1 < sizeof WHOLE_VARIANT - 1; n++) {
    assert_false(layout_parse(&arena, str_sub(str_from(WHOLE_VARIANT), 0, n), &l, &why));
  }
  assert_true(layout_parse(&arena, str_from(WHOLE_VARIANT), &l, &why));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_struct_has_offsets_by_field_index),
      cmocka_unit_test(a_scalar_keeps_a_range_that_wraps),
      cmocka_unit_test(a_pair_puts_its_second_part_at_its_alignment),
      cmocka_unit_test(full_128_bit_ranges_are_exact),
      cmocka_unit_test(variants_read_in_the_old_and_in_the_slim_form),
      cmocka_unit_test(niche_tags_wrap_and_leave_out_the_untagged_variant),
      cmocka_unit_test(unions_arrays_and_empty_types_read),
      cmocka_unit_test(unknown_or_contradictory_text_is_refused),
      cmocka_unit_test(every_cut_of_a_dump_is_refused),
  };
  int rc = cmocka_run_group_tests(tests, NULL, NULL);
  arena_free(&arena);
  return rc;
}
