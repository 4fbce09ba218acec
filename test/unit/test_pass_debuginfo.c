/* Names of types in three spellings, and types out of debug info. */
#include "unit.h"

#include "cargo-integration/rustc/debuginfo.h"
#include "cargo-integration/rustc/di_name.h"

static struct arena arena;

#define SIG "closure_kind_ty=i16 closure_sig_as_fn_ptr_ty=extern \"rust-call\" fn((u32,)) -> u32 "

static bool captures(void *ctx, str di_text, struct dn ***types, uint32_t *n) {
  (void)ctx;
  if (!str_ends(di_text, STR("one::{closure_env#0}"))) {
    return false;
  }
  *types = arena_array(&arena, struct dn *, 1);
  (*types)[0] = dn_parse(&arena, STR("&u32"));
  *n = 1;
  return true;
}

static bool match(const char *text, const char *di) {
  struct dn_match m = {STR("demo"), captures, NULL};
  return dn_matches(&m, dn_parse(&arena, str_from(text)), dn_parse(&arena, str_from(di)));
}

static void equal_types_match_in_all_spellings(void **state) {
  (void)state;
  static const char *const pairs[][2] = {
      {"u32", "u32"},
      {"()", "()"},
      {"!", "!"},
      {"Shape", "demo::Shape"},
      {"m::Shape", "demo::m::Shape"},
      {"super::m::Shape", "demo::m::Shape"},
      {"std::option::Option<u32>", "core::option::Option<u32>"},
      {"core::num::NonZero<u8>", "core::num::nonzero::NonZero<u8>"},
      {"std::iter::Filter<std::slice::Iter<'{erased}, f32>, fn(u8) -> bool>",
       "core::iter::adapters::filter::Filter<core::slice::iter::Iter<f32>, fn(u8) -> bool>"},
      {"std::ops::ControlFlow<u32>", "core::ops::control_flow::ControlFlow<u32, ()>"},
      {"&'{erased} mut [f32]", "&mut [f32]"},
      {"*const T8", "*const demo::T8"},
      {"[u32; ValTree(Leaf(0x0000000000000004): usize)]", "[u32; 4]"},
      {"[u32; 4_usize]", "[u32; 4]"},
      {"Mat<f32, ValTree(Leaf(0xfffffffe): i32), ValTree(Leaf(0x01): bool)>",
       "demo::Mat<f32, -2, true>"},
      {"(u32,)", "(u32)"},
      {"(u8, (u16, u32))", "(u8, (u16, u32))"},
      {"for<'a> fn(&'a u32, &'^0.Named(DefId(1:6 ~ core[c1f1]::clone::'_)) u8) -> bool",
       "fn(&u32, &u8) -> bool"},
      {"unsafe extern \"C\" fn(u32)", "unsafe extern \"C\" fn(u32)"},
      {"fn(u32) -> u32 {m::twice::<u32>}", "fn(u32) -> u32"},
      {"&dyn core::ops::Fn(u32) -> u32", "&dyn core::ops::function::Fn<(u32), Output=u32>"},
      {"dep::Thing<u8>", "dep::inner::Thing<u8>"},
      {"{one::{closure#0} " SIG "upvar_tys=(&'{erased} u32,)}", "demo::one::{closure_env#0}"},
      {"{none::{closure#1} " SIG "upvar_tys=()}", "demo::none::{closure_env#1}<u8>"},
      {"{<impl at src/lib.rs:1:1: 2:3>::m::{closure#0} " SIG "upvar_tys=()}",
       "demo::{impl#4}::m::{closure_env#0}"},
      {"{core::ops::NeverShort<u8>::wrap<u8, u16>::{closure#0} " SIG "upvar_tys=()}",
       "core::ops::try_trait::{impl#2}::wrap::{closure_env#0}<u8, u16>"},
  };
  for (size_t i = 0; i < COUNT_OF(pairs); i++) {
    if (!match(pairs[i][0], pairs[i][1])) {
      fail_msg("%s is not %s", pairs[i][0], pairs[i][1]);
    }
  }
}

static void other_types_do_not_match(void **state) {
  (void)state;
  static const char *const pairs[][2] = {
      {"u32", "i32"},
      {"Shape", "other::Shape"},
      {"Shape", "demo::m::Shape"},
      {"m::Shape", "demo::n::Shape"},
      {"std::option::Iter<u32>", "core::slice::iter::Iter<u32>"},
      {"Iter<u32>", "core::slice::iter::Iter<u32>"},
      {"std::slice::Iter<u32>", "demo::slice::Iter<u32>"},
      {"Foo<u32>", "demo::Foo<u32, ()>"},
      {"Foo<u32, u8>", "demo::Foo<u32>"},
      {"Wrap<a::X>", "demo::Wrap<demo::b::X>"},
      {"&u32", "&mut u32"},
      {"*const u32", "*mut u32"},
      {"[u32; 4]", "[u32; 5]"},
      {"[u32; 4]", "[u32]"},
      {"Mat<ValTree(Leaf(0x02): u8)>", "demo::Mat<3>"},
      {"(u32, u8)", "(u8, u32)"},
      {"fn(u32)", "extern \"C\" fn(u32)"},
      {"fn(u32)", "unsafe fn(u32)"},
      {"fn(u32) -> u8", "fn(u32) -> u16"},
      {"{one::{closure#0} " SIG "upvar_tys=(&'{erased} u64,)}", "demo::one::{closure_env#0}"},
      {"{one::{closure#0} " SIG "upvar_tys=()}", "demo::one::{closure_env#0}"},
      {"{one::{closure#1} " SIG "upvar_tys=(&'{erased} u32,)}", "demo::one::{closure_env#0}"},
      {"{unknown::{closure#0} " SIG "upvar_tys=(u8,)}", "demo::unknown::{closure_env#0}"},
      {"{one::{closure#0} " SIG "upvar_tys=(&'{erased} u32,)}", "demo::two::{closure_env#0}"},
  };
  for (size_t i = 0; i < COUNT_OF(pairs); i++) {
    if (match(pairs[i][0], pairs[i][1])) {
      fail_msg("%s was taken for %s", pairs[i][0], pairs[i][1]);
    }
  }
}

static void text_that_is_no_type_equals_nothing(void **state) {
  (void)state;
  static const char *const bad[] = {
      "",
      "<",
      "Option<",
      "[u32;",
      "[u32; N",
      "(u8, ",
      "&",
      "*u32",
      "fn(",
      "{",
      "{a::b x}",
      "{a::{closure#0} k",
      "dyn",
      "'",
      "ValTree(",
      "u32 u8",
      "ValTree(Leaf(0xzz): u8)",
      "a::",
      "a::<b",
      "<T as U>",
      "for<",
      "extern \"C fn",
      "{closure_env#",
      "-",
      "[u8; -]",

  };
  struct strbuf deep = {0};
  for (size_t i = 0; i < COUNT_OF(bad); i++) {
    if (match(bad[i], bad[i])) {
      fail_msg("`%s` equals itself", bad[i]);
    }
  }
  for (int i = 0; i < 100000; i++) {
    sb_addc(&deep, '&');
  }
  sb_addz(&deep, "u8");
  assert_int_equal(dn_parse(&arena, sb_str(&deep))->kind, DN_OTHER);
  sb_free(&deep);
}

/* An enum with a niche, a struct, a union and an enum without fields, as rustc writes them. */
static const char IR[] =
    "!1 = !DINamespace(name: \"demo\", scope: null)\n"
    "!2 = !DIBasicType(name: \"u32\", size: 32, encoding: DW_ATE_unsigned)\n"
    "!3 = !DICompositeType(tag: DW_TAG_structure_type, name: \"Choice\", scope: !1, file: !9, "
    "size: 64, "
    "align: 32, elements: !4, identifier: \"a\")\n"
    "!4 = !{!5}\n"
    "!5 = !DICompositeType(tag: DW_TAG_variant_part, scope: !3, file: !9, size: 64, align: 32, "
    "elements: !6, discriminator: !13)\n"
    "!6 = !{!7, !10}\n"
    "!7 = !DIDerivedType(tag: DW_TAG_member, name: \"No\", scope: !5, baseType: !8, size: 64, "
    "align: 32, "
    "extraData: i32 -1)\n"
    "!8 = !DICompositeType(tag: DW_TAG_structure_type, name: \"No\", scope: !3, size: 64, align: "
    "32, "
    "elements: !20)\n"
    "!10 = !DIDerivedType(tag: DW_TAG_member, name: \"Yes\", scope: !5, baseType: !11, size: 64, "
    "align: "
    "32)\n"
    "!11 = !DICompositeType(tag: DW_TAG_structure_type, name: \"Yes\", scope: !3, size: 64, align: "
    "32, "
    "elements: !12)\n"
    "!12 = !{!14}\n"
    "!13 = !DIDerivedType(tag: DW_TAG_member, scope: !3, baseType: !2, size: 32, align: 32, "
    "offset: 32, "
    "flags: DIFlagArtificial)\n"
    "!14 = !DIDerivedType(tag: DW_TAG_member, name: \"__0\", scope: !11, baseType: !2, size: 32, "
    "align: "
    "32)\n"
    "!15 = !DICompositeType(tag: DW_TAG_enumeration_type, name: \"Sign\", scope: !1, baseType: !2, "
    "size: "
    "8, align: 8, elements: !16)\n"
    "!16 = !{!17, !18}\n"
    "!17 = !DIEnumerator(name: \"Neg\", value: -1)\n"
    "!18 = !DIEnumerator(name: \"Pos\", value: 200, isUnsigned: true)\n"
    "!19 = !DICompositeType(tag: DW_TAG_union_type, name: \"U\\22q\\22\", scope: !1, size: 32, "
    "align: 32, "
    "elements: !12)\n"
    "!20 = !{}\n"
    "!21 = !DICompositeType(tag: DW_TAG_structure_type, name: \"Pair\", scope: !1, size: 64, "
    "align: 32, "
    "elements: !12)\n";

static struct debuginfo *read_ir(struct test_sink *t, const char *ir, bool *ok) {
  struct debuginfo *d = debuginfo_new(&arena, STR("demo"));
  test_sink_init(t);
  *ok = debuginfo_add(d, &t->sink, str_from(ir));
  return d;
}

static void enums_give_variants_tags_and_discriminants(void **state) {
  (void)state;
  struct test_sink t;
  struct layout l;
  u128 bits = 0;
  bool ok = false;
  struct debuginfo *d = read_ir(&t, IR, &ok);
  assert_true(ok);
  const struct di_type *c = debuginfo_find(d, STR("Choice"));
  assert_non_null(c);
  assert_int_equal(c->n_variants, 2);
  assert_true(c->variants[0].has_tag && c->variants[0].tag == UINT32_MAX);
  assert_false(c->variants[1].has_tag);
  assert_true(c->variants[0].discr == 0 && c->variants[1].discr == 1);
  assert_true(debuginfo_layout(&arena, c, &l));
  assert_int_equal(l.encoding, ENCODE_NICHE);
  assert_int_equal(l.tag_offset, 4);
  assert_true(layout_tag_of(&l, 0, 0, &bits) && bits == UINT32_MAX);
  assert_false(layout_tag_of(&l, 1, 1, &bits));
  const struct di_type *s = debuginfo_find(d, STR("Sign"));
  assert_non_null(s);
  assert_true(s->variants[0].tag == 255 && s->variants[0].discr == ~(u128)0);
  assert_true(s->variants[1].tag == 200 && s->variants[1].discr == 200);
  debuginfo_free(d);
  test_sink_free(&t);
}

static void a_stated_size_decides_and_doubt_is_no_answer(void **state) {
  (void)state;
  struct test_sink t;
  bool ok = false;
  struct debuginfo *d = read_ir(&t, IR, &ok);
  assert_true(ok);
  debuginfo_expect(d, STR("Pair"), 16, 4);
  assert_null(debuginfo_find(d, STR("Pair")));
  /* The same name with other contents: which one is meant cannot be known. */
  assert_true(
      debuginfo_add(d, &t.sink,
                    STR("!1 = !DINamespace(name: \"demo\", scope: null)\n"
                        "!2 = !DICompositeType(tag: DW_TAG_structure_type, name: \"Choice\", "
                        "scope: !1, size: 128, align: 64)\n")));
  assert_null(debuginfo_find(d, STR("Choice")));
  debuginfo_expect(d, STR("Choice"), 8, 4);
  assert_null(debuginfo_find(d, STR("NoSuchType")));
  debuginfo_free(d);
  test_sink_free(&t);
}

static void records_of_an_unknown_form_are_refused(void **state) {
  (void)state;
  static const char *const bad[] = {
      "!1 = !DICompositeType(tag: DW_TAG_structure_type, name: \"S\", size: 7)\n",
      "!1 = !DICompositeType(tag: DW_TAG_structure_type, name: \"S\", size: x)\n",
      "!1 = !DICompositeType(tag: DW_TAG_enumeration_type, name: \"E\", size: 8, elements: !2)\n"
      "!2 = !{!3}\n!3 = !DIEnumerator(name: \"A\", value: many)\n",
      "!1 = !DICompositeType(tag: DW_TAG_structure_type, name: \"E\", size: 8, elements: !2)\n"
      "!2 = !{!3}\n!3 = !DICompositeType(tag: DW_TAG_variant_part, elements: !4)\n!4 = !{!5}\n"
      "!5 = !DIDerivedType(tag: DW_TAG_member, name: \"A\", extraData: float 1.0, baseType: !1)\n",
      "!1 = !DICompositeType(tag: DW_TAG_structure_type, name: \"E\", size: 8, elements: !2)\n"
      "!2 = !{!3}\n!3 = !DICompositeType(tag: DW_TAG_variant_part, elements: !4)\n!4 = !{!5}\n"
      "!5 = !DIDerivedType(tag: DW_TAG_member, name: \"A\")\n",
  };
  for (size_t i = 0; i < COUNT_OF(bad); i++) {
    struct test_sink t;
    bool ok = true;
    struct debuginfo *d = read_ir(&t, bad[i], &ok);
    assert_false(ok);
    assert_int_equal(sink_code(&t), MD0150);
    debuginfo_free(d);
    test_sink_free(&t);
  }
}

static void every_cut_of_the_text_is_survived(void **state) {
  (void)state;
  for (size_t n = 0; n < sizeof IR; n += 7) {
    struct test_sink t;
    struct arena a = {0};
    struct debuginfo *d = debuginfo_new(&a, STR("demo"));
    test_sink_init(&t);
    char *copy = strndup(IR, n); /* exact size, so that reading past the end is seen */
    (void)!debuginfo_add(d, &t.sink, (str){copy, strlen(copy)});
    (void)debuginfo_find(d, STR("Choice"));
    debuginfo_free(d);
    test_sink_free(&t);
    arena_free(&a);
    free(copy);
  }
}

static void enums_of_core_are_built_in(void **state) {
  (void)state;
  const char *const *names = NULL;
  const int8_t *discr = NULL;
  assert_int_equal(debuginfo_core_variants(STR("std::option::Option<u32>"), &names, &discr), 2);
  assert_string_equal(names[1], "Some");
  assert_int_equal(debuginfo_core_variants(STR("core::cmp::Ordering"), &names, &discr), 3);
  assert_int_equal(discr[0], -1);
  assert_int_equal(
      debuginfo_core_variants(STR("::core::result::Result::<u8, u16>"), &names, &discr), 2);
  assert_string_equal(names[0], "Ok");
  assert_int_equal(debuginfo_core_variants(STR("Option<u32>"), &names, &discr), 0);
  assert_int_equal(debuginfo_core_variants(STR("my::option::Option<u32>"), &names, &discr), 0);
  assert_int_equal(debuginfo_core_variants(STR("core::sync::atomic::Ordering"), &names, &discr), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_types_match_in_all_spellings),
      cmocka_unit_test(other_types_do_not_match),
      cmocka_unit_test(text_that_is_no_type_equals_nothing),
      cmocka_unit_test(enums_give_variants_tags_and_discriminants),
      cmocka_unit_test(a_stated_size_decides_and_doubt_is_no_answer),
      cmocka_unit_test(records_of_an_unknown_form_are_refused),
      cmocka_unit_test(every_cut_of_the_text_is_survived),
      cmocka_unit_test(enums_of_core_are_built_in),
  };
  int rc = cmocka_run_group_tests(tests, NULL, NULL);
  arena_free(&arena);
  return rc;
}
