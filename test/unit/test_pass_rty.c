/* cargo-integration/rustc/rty: reading, printing, comparing and substituting Rust types. */
#include "cargo-integration/rustc/rty.h"
#include "test/unit/mir_fixture.h"

static void assert_prints(struct dump *d, const char *text, enum rty_print how, const char *want) {
  struct strbuf b = {0};
  bool ok = rty_print(dump_type(d, text), how, &b);
  if (ok != (want != NULL) || (ok && !str_eqz(sb_str(&b), want)))
    fail_msg("`%s` prints as `%s`, want `%s`", text, ok ? sb_z(&b) : "(nothing)",
             want ? want : "(nothing)");
  sb_free(&b);
}

/* text, label, source (NULL: cannot be named in source) */
static const char *const rows[][3] = {
    {"u32", "u32", "u32"},
    {"!", "!", "!"},
    {"()", "()", "()"},
    {"(f32,)", "(f32,)", "(f32,)"},
    {"(u8, (i16, !))", "(u8, (i16, !))", "(u8, (i16, !))"},
    {"&'{erased} mut [f32]", "&mut [f32]", "&'static mut [f32]"},
    {"&'a &'_ str", "&&str", "&'static &'static str"},
    {"&'^0.Named(DefId(1:62 ~ core[667c]::ops::function::Fn::call::'_)) F", "&F", "&'static F"},
    {"*const *mut u8", "*const *mut u8", "*const *mut u8"},
    {"[u32; ValTree(Leaf(0x0000000000000040): usize)]", "[u32; 64]", "[u32; 64]"},
    {"[[f32; 2]; 3]", "[[f32; 2]; 3]", "[[f32; 2]; 3]"},
    {"[T; N/#1]", "[T; N]", "[T; N]"},
    {"core::slice::Iter<'{erased}, f32>", "core::slice::Iter<f32>",
     "core::slice::Iter<'static, f32>"},
    {"core::option::Option::<&'{erased} mut f32>::Some", "core::option::Option<&mut f32>::Some",
     "core::option::Option<&'static mut f32>::Some"},
    {"<u32 as core::iter::Step>::forward_unchecked", "<u32 as core::iter::Step>::forward_unchecked",
     "<u32 as core::iter::Step>::forward_unchecked"},
    {"<T as Trait<'a, X>>::Item", "<T as Trait<X>>::Item", "<T as Trait<'static, X>>::Item"},
    {"core::slice::<impl [f32]>::get_mut::<usize>", "core::slice::<impl [f32]>::get_mut<usize>",
     "<[f32]>::get_mut<usize>"},
    {"core::num::<impl core::cmp::PartialOrd for u32>::lt",
     "core::num::<impl core::cmp::PartialOrd for u32>::lt", "<u32 as core::cmp::PartialOrd>::lt"},
    {"<impl at src/k.rs:3:1: 3:18>::area", "<impl at src/k.rs:3:1: 3:18>::area", NULL},
    {"f::promoted[1]", "f::promoted[1]", NULL},
    {"Shape::Poly::0::{constant#0}", "Shape::Poly::0::{constant#0}", NULL},
    {"unsafe extern \"C\" fn(*const i8, ...) -> i32",
     "unsafe extern \"C\" fn(*const i8, ...) -> i32",
     "unsafe extern \"C\" fn(*const i8, ...) -> i32"},
    {"fn(u32) -> u32 {m::f::<u8>}", "m::f<u8>", NULL},
    {"for<Region(BrAnon), Region(BrNamed(DefId(0:2 ~ a[1b]::f::'_)))> fn(&'^0 [f32])", "fn(&[f32])",
     "fn(&'static [f32])"},
    {"#[target_features] fn(u8)", "fn(u8)", "fn(u8)"},
    {"(dyn core::ops::Fn<(u32,), Output = u32> + '{erased})",
     "dyn core::ops::Fn<(u32,), Output = u32>",
     "(dyn core::ops::Fn<(u32,), Output = u32> + 'static)"},
    {"impl Fn(u32) -> u32", "impl Fn<(u32,), Output = u32>", NULL},
    {"impl ::core::ops::Not<Output = T>", "impl core::ops::Not<Output = T>", NULL},
    {"<impl Fn(u32) -> u32 as core::ops::FnOnce<(u32,)>>::call_once",
     "<impl Fn<(u32,), Output = u32> as core::ops::FnOnce<(u32,)>>::call_once", NULL},
    {"{closure@k.rs:5:9: 5:12}", "{closure@k.rs:5:9: 5:12}", NULL},
    {"{f::{closure#0} closure_kind_ty=i16 closure_sig_as_fn_ptr_ty=extern \"rust-call\" fn((f32,)) "
     "-> f32 upvar_tys=(f32, &'{erased} u8)}",
     "{f::{closure#0}}", NULL},
    {"block::<true, 'x', -5, '\\'', false>", "block<true, '\\u{78}', -5, '\\u{27}', false>",
     "block<true, '\\u{78}', -5, '\\u{27}', false>"},
    {"A<ValTree(Leaf(0xfb): i8), ValTree(Leaf(0x80000000000000000000000000000000): i128)>",
     "A<-5, -170141183460469231731687303715884105728>",
     "A<-5, -170141183460469231731687303715884105728>"},
    {"A<ValTree(Leaf(0xffffffffffffffffffffffffffffffff): u128)>",
     "A<340282366920938463463374607431768211455>", "A<340282366920938463463374607431768211455>"},
    {"B<ValTree(Branch([ValTree(Leaf(0x00000002): u32)]): core::intrinsics::AtomicOrdering)>",
     "B<core::intrinsics::AtomicOrdering{2}>", NULL},
    {"f::step#1::<u8>::{closure#0}", "f::step#1<u8>::{closure#0}", NULL},
    {"(u32) is 1..", "(u32 is 1..)", NULL},
    {"r#type::Gr\xc3\xb6\xc3\x9f"
     "e",
     "r#type::Gr\xc3\xb6\xc3\x9f"
     "e",
     "r#type::Gr\xc3\xb6\xc3\x9f"
     "e"},
};

static void types_print_as_labels_and_as_source(void **state) {
  (void)state;
  struct dump d;
  dump_open(&d);
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    assert_prints(&d, rows[i][0], RTY_PRINT_LABEL, rows[i][1]);
    assert_prints(&d, rows[i][0], RTY_PRINT_SOURCE, rows[i][2]);
  }
  dump_close(&d);
}

static void a_value_path_prints_with_turbofish(void **state) {
  (void)state;
  struct dump d;
  dump_open(&d);
  assert_prints(&d, "foo::<f32, 4>", RTY_PRINT_SOURCE_VALUE, "foo::<f32, 4>");
  assert_prints(&d, "core::slice::<impl [u8]>::swap::<A<'a>>", RTY_PRINT_SOURCE_VALUE,
                "<[u8]>::swap::<A::<'static>>");
  assert_prints(&d, "<A<u8> as T<u16>>::f::<u32>", RTY_PRINT_SOURCE_VALUE,
                "<A::<u8> as T<u16>>::f::<u32>");
  dump_close(&d);
}

static void equal_types_are_one_node(void **state) {
  (void)state;
  static const char *const pairs[][2] = {
      {"&'a mut [u8]", "&'{erased} mut [u8]"},
      {"core::option::Option::<u8>", "core::option::Option<u8>"},
      {"[u8; 4_usize]", "[u8; ValTree(Leaf(0x0000000000000004): usize)]"},
      {"for<'a> fn(&'a u8) -> ()", "fn(&'_ u8)"},
      {"(u8)", "u8"},
      {"dyn A + Send + 'static", "(dyn A + Send)"},
  };
  struct dump d;
  dump_open(&d);
  for (size_t i = 0; i < COUNT_OF(pairs); i++)
    if (dump_type(&d, pairs[i][0]) != dump_type(&d, pairs[i][1]))
      fail_msg("`%s` and `%s` differ", pairs[i][0], pairs[i][1]);
  assert_ptr_not_equal(dump_type(&d, "&u8"), dump_type(&d, "&mut u8"));
  assert_ptr_not_equal(dump_type(&d, "A<u8>::B"), dump_type(&d, "A::B<u8>"));
  assert_ptr_not_equal(dump_type(&d, "(u8,)"), dump_type(&d, "u8"));
  assert_ptr_not_equal(dump_type(&d, "fn(u8)"), dump_type(&d, "unsafe fn(u8)"));
  assert_ptr_not_equal(dump_type(&d, "extern \"C\" fn(u8)"), dump_type(&d, "fn(u8)"));
  dump_close(&d);
}

static void a_constant_of_a_header_is_no_parameter(void **state) {
  (void)state;
  struct dump d;
  dump_open(&d);
  const struct rty *open = dump_type(
      &d, "S<UnevaluatedConst { def: DefId(0:5 ~ k[1b]::{impl#1}::N), args: [T/#0] }>");
  const struct rty *param = dump_type(&d, "[T; N/#1]");
  assert_int_equal(open->segs[0].args[0]->kind, RTY_CONST_OPEN);
  assert_int_equal(param->len->kind, RTY_CONST_PARAM);
  assert_true(rty_is_open(open->segs[0].args[0]) && rty_is_open(param->len));
  assert_true(open->has_param && param->has_param);
  dump_close(&d);
}

static void a_long_closure_gives_its_parts(void **state) {
  (void)state;
  struct dump d;
  dump_open(&d);
  const struct rty *c = dump_type(
      &d, "{a::f<u8>::{closure#1} closure_kind_ty=i32 closure_sig_as_fn_ptr_ty=for<Region(BrAnon)> "
          "extern \"rust-call\" fn((&'^0 u8, T)) -> R upvar_tys=(f32, [u8; 3])}");
  assert_int_equal(c->kind, RTY_CLOSURE);
  assert_int_equal(c->lo, 2);
  assert_int_equal(c->n_args, 2);
  assert_ptr_equal(c->args[0], dump_type(&d, "f32"));
  assert_str(c->path->name, "a::f::{closure#1}");
  assert_str(c->sig->abi, "rust-call");
  assert_ptr_equal(c->sig->args[0], dump_type(&d, "(&u8, T)"));
  assert_ptr_equal(c->sig->ret, dump_type(&d, "R"));
  dump_close(&d);
}

static void a_function_that_returns_one_keeps_both_paths(void **state) {
  (void)state;
  struct dump d;
  dump_open(&d);
  const struct rty *t = dump_type(&d, "fn(u8) -> fn(u16) {g}");
  assert_int_equal(t->kind, RTY_FNDEF);
  assert_int_equal(t->sig->ret->kind, RTY_FNPTR);
  t = dump_type(&d, "fn() -> fn(u16) {inner} {outer}");
  assert_str(t->path->name, "outer");
  assert_str(t->sig->ret->path->name, "inner");
  dump_close(&d);
}

static void a_path_answers_by_name_parent_and_arguments(void **state) {
  (void)state;
  struct dump d;
  dump_open(&d);
  const struct rty *p = dump_type(&d, "core::option::Option::<Vec<'a, u8>>::Some");
  const struct rty *args[4];
  assert_true(rty_path_is(p, "core::option::Option::Some"));
  assert_true(rty_path_is(dump_type(&d, "std::option::Option<u8>"), "core::option::Option"));
  assert_false(rty_path_is(dump_type(&d, "my::option::Option<u8>"), "core::option::Option"));
  assert_str(rty_last_name(p), "Some");
  assert_ptr_equal(rty_path_parent(&d.types, p),
                   dump_type(&d, "core::option::Option<Vec<'_, u8>>"));
  assert_ptr_equal(rty_path_bare(&d.types, p), dump_type(&d, "core::option::Option::Some"));
  assert_int_equal(rty_path_args(p, args, 4), 1);
  assert_ptr_equal(args[0], dump_type(&d, "Vec<'_, u8>"));
  assert_null(rty_path_parent(&d.types, dump_type(&d, "Alone")));
  uint64_t n;
  assert_true(rty_array_len(dump_type(&d, "[u8; 9]"), &n));
  assert_int_equal(n, 9);
  assert_false(rty_array_len(dump_type(&d, "[u8; N/#0]"), &n));
  dump_close(&d);
}

static void a_substitution_reaches_every_part(void **state) {
  (void)state;
  static const char *const rows_of[][2] = {
      {"T", "&[u8]"},
      {"[T; N/#1]", "[&[u8]; 7]"},
      {"core::slice::Iter<'a, T>", "core::slice::Iter<'_, &[u8]>"},
      {"fn(T) -> *mut T {apply::<T, F>}", "fn(&[u8]) -> *mut &[u8] {apply::<&[u8], core::Fun>}"},
      {"<F as core::ops::FnOnce<(T,)>>::Output",
       "<core::Fun as core::ops::FnOnce<(&[u8],)>>::Output"},
      {"a::T", "a::T"},
      {"<X as T>::f", "<X as T>::f"},
      {"dyn Tr<T, Out = F>", "dyn Tr<&[u8], Out = core::Fun>"},
      {"{f::{closure#0} closure_kind_ty=i8 closure_sig_as_fn_ptr_ty=fn((T,)) -> T upvar_tys=(F,)}",
       "{f::{closure#0} closure_kind_ty=i8 closure_sig_as_fn_ptr_ty=fn((&[u8],)) -> &[u8] "
       "upvar_tys=(core::Fun,)}"},
  };
  struct dump d;
  dump_open(&d);
  const struct rty *from[] = {dump_type(&d, "T"), dump_type(&d, "F"),
                              dump_type(&d, "[u8; N/#1]")->len};
  const struct rty *to[] = {dump_type(&d, "&[u8]"), dump_type(&d, "core::Fun"),
                            dump_type(&d, "[u8; 7_usize]")->len};
  struct rty_subst s = {from, to, 3};
  for (size_t i = 0; i < COUNT_OF(rows_of); i++) {
    const struct rty *got = rty_substitute(&d.types, dump_type(&d, rows_of[i][0]), &s);
    const struct rty *want = i == 1 ? rty_array(&d.types, to[0], 7) : dump_type(&d, rows_of[i][1]);
    if (got != want)
      fail_msg("`%s` becomes `%.*s`", rows_of[i][0], STR_ARG(rty_label(&d.types, got)));
  }
  dump_close(&d);
}

static void what_is_no_type_is_refused_with_its_place(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t at;
  } bad[] = {
      {"", 0},
      {"&", 1},
      {"[u8", 3},
      {"[u8; ]", 5},
      {"(u8", 3},
      {"A<u8", 4},
      {"A<u8 u16>", 4},
      {"*u8", 0},
      {"A::", 3},
      {"<A as B", 7},
      {"u8 u8", 2},
      {"fn(u8", 5},
      {"%", 0},
      {"{closure@a", 9},
      {"dyn ", 4},
      {"for<'a fn()", 11},
      {"[u8; ValTree(Leaf(0xzz): usize)]", 20},
      {"[u8; ValTree(Leaf(0x00): usize]", 30},
      {"A<18446744073709551616>", 2},
  };
  struct dump d;
  dump_open(&d);
  for (size_t i = 0; i < COUNT_OF(bad); i++) {
    struct rty_error e = {0};
    if (rty_parse(&d.types, str_from(bad[i].text), &e) != NULL)
      fail_msg("`%s` was taken", bad[i].text);
    if (e.want == NULL || e.at != bad[i].at)
      fail_msg("`%s`: error at %zu (%s)", bad[i].text, e.at, e.want);
  }
  dump_close(&d);
}

static void deep_nesting_is_refused_and_not_run_into(void **state) {
  (void)state;
  static const char *const opens[] = {"&",   "[",      "(", "A<",
                                      "fn(", "<A as ", "{", "ValTree(Branch(["};
  struct dump d;
  dump_open(&d);
  for (size_t i = 0; i < COUNT_OF(opens); i++) {
    struct strbuf b = {0};
    for (int k = 0; k < 100000; k++)
      sb_addz(&b, opens[i]);
    struct rty_error e;
    assert_null(rty_parse(&d.types, sb_str(&b), &e));
    sb_free(&b);
  }
  dump_close(&d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(types_print_as_labels_and_as_source),
      cmocka_unit_test(a_value_path_prints_with_turbofish),
      cmocka_unit_test(equal_types_are_one_node),
      cmocka_unit_test(a_constant_of_a_header_is_no_parameter),
      cmocka_unit_test(a_long_closure_gives_its_parts),
      cmocka_unit_test(a_function_that_returns_one_keeps_both_paths),
      cmocka_unit_test(a_path_answers_by_name_parent_and_arguments),
      cmocka_unit_test(a_substitution_reaches_every_part),
      cmocka_unit_test(what_is_no_type_is_refused_with_its_place),
      cmocka_unit_test(deep_nesting_is_refused_and_not_run_into),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
