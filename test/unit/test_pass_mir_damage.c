/* cargo-integration/rustc/mir_parse: what it refuses, with which code and place, and that no damage
 * makes it fall over. */
#include "test/unit/mir_fixture.h"

/* The line stands in place of the assignment of a small body. */
static const struct {
  const char *line;
  enum diag_code code;
  uint32_t col;
} lines[] = {
    {"_1 = copy _1 @ 3;", MD0101, 21},
    {"_1 = copy _1", MD0101, 21},
    {"_1 copy _1;", MD0101, 11},
    {"_1 = copy (_1.x: u8);", MD0101, 23},
    {"_1 = copy _1[2 off 3];", MD0101, 23},
    {"_1 = copy _1[-2:3];", MD0101, 24},
    {"_1 = Frob(copy _1);", MD0102, 14},
    {"_1 = AddSaturating(copy _1, copy _1);", MD0102, 14},
    {"_1 = core::option::Option::<u8>::Some(copy _1);", MD0102, 14},
    {"_1 = wrap_binder!(copy _1; T);", MD0102, 14},
    {"_1 = ?;", MD0102, 14},
    {"_1 = *const [u8] from (copy _1);", MD0102, 40},
    {"Deinit(_1);", MD0103, 9},
    {"yield(_1);", MD0103, 9},
    {"goto bb1;", MD0103, 9},
    {"terminate(boredom);", MD0103, 19},
    {"_1 = f() -> [return: bb1];", MD0102, 14},
    {"_1 = const ConstValue(Scalr(0x00): u8);", MD0104, 31},
    {"_1 = const ConstValue(Scalar(0x123): u8);", MD0104, 43},
    {"_1 = const \"text\";", MD0104, 20},
    {"_1 = const 3;", MD0104, 20},
    {"_1 = const ConstValue(Slice { alloc_id: alloc9, meta: x }: &str);", MD0104, 63},
    {"_1 = copy _1 as %u8 (IntToInt);", MD0105, 25},
    {"_1 = const ConstValue(ZeroSized: [u8);", MD0105, 45},
    {"_1 = copy _77;", MD0108, 19},
    {"goto -> bb9;", MD0108, 17},
    {"_1 = copy _99999999999;", MD0108, 19},
    {"_1 = copy _1 as u8 (IntToWord);", MD0109, 29},
    {"assert(copy _1, \"the moon is {}\", copy _1) -> [success: bb0, unwind unreachable];", MD0110,
     25},
    {"assert(copy _1, \"attempt to divide `{}` by zero\") -> [success: bb0, unwind unreachable];",
     MD0110, 25},
    {"_1 = {coroutine@k.rs:1:1: 1:2} { a: copy _1 };", MD0113, 14},
};

static const char *body_with(struct strbuf *b, const char *line) {
  bool ends = strncmp(line, "goto -> ", 8) == 0;
  sb_clear(b);
  sb_addz(b, "fn good() -> () {\n    let mut _0: ();\n    bb0: {\n        return;\n    }\n}\n\n"
             "fn m::bad() -> () {\n    let mut _0: ();\n    let mut _1: u8;\n\n    bb0: {\n");
  sb_addf(b, "        %s\n%s    }\n}\n\n", line, ends ? "" : "        return;\n");
  sb_addz(b, "fn last() -> () {\n    let mut _0: ();\n    bb0: {\n        return;\n    }\n}\n");
  return sb_z(b);
}

static void each_fault_has_its_code_and_place(void **state) {
  (void)state;
  struct strbuf b = {0};
  for (size_t i = 0; i < COUNT_OF(lines); i++) {
    struct dump d;
    dump_text(&d, body_with(&b, lines[i].line));
    if (d.ok)
      fail_msg("`%s` was taken", lines[i].line);
    const struct diag *e = d.t.sink.first;
    if (e->code != lines[i].code || e->snippet_line != 13 || e->snippet_col != lines[i].col)
      fail_msg("`%s`: %s at %u:%u: %.*s", lines[i].line, diag_code_info(e->code)->name,
               e->snippet_line, e->snippet_col, STR_ARG(e->message));
    assert_str(e->snippet_file, "k.mir");
    assert_true(str_find(e->snippet, str_sub(str_from(lines[i].line), 0, 4), 0) == 8);
    assert_str(e->children->text, "while reading `m::bad`");
    dump_close(&d);
  }
  sb_free(&b);
}

static const struct {
  const char *text;
  enum diag_code code;
} files[] = {
    {"fn f() -> () {\n    let mut _0: \xff\xfe;\n", MD0100},
    {"nonsense\n", MD0101},
    {"fn f(_2: u8) -> () {\n}\n", MD0108},
    {"fn f() -> () {\n    let mut _0: ();\n}\n", MD0108},
    {"fn f() -> () {\n    let mut _0: ();\n    let mut _0: ();\n    bb0: {\n        return;\n    "
     "}\n}\n",
     MD0108},
    {"fn f() -> () {\n    let mut _4000000000: ();\n}\n", MD0108},
    {"fn f() -> () {\n    let mut _0: ();\n    let mut _2: ();\n    bb0: {\n        return;\n    "
     "}\n}\n",
     MD0108},
    {"fn f() -> () {\n    let mut _0: ();\n    bb1: {\n        return;\n    }\n}\n", MD0108},
    {"fn f() -> () {\n    let mut _0: ();\n    bb0: {\n        return;\n    }\n    bb0: {\n"
     "        return;\n    }\n}\n",
     MD0108},
    {"fn f() -> () {\n    let mut _0: ();\n    scope 1 {\n    }\n    scope 1 {\n    }\n}\n",
     MD0108},
    {"fn f() -> () {\n    let mut _0: ();\n    bb0: {\n    }\n}\n", MD0103},
    {"fn f() -> () {\n    let mut _0: ();\n    bb0: {\n        return;\n        nop;\n    }\n}\n",
     MD0101},
    {"fn f() -> () {\n    whatever\n}\n", MD0101},
    {"alloc1 (size: 4, align: 3) {\n    00 00 00 00 │ ....\n}\n", MD0107},
    {"alloc1 (size: 4, align: 1) {\n    00 00 00 │ ...\n}\n", MD0107},
    {"alloc1 (size: 2, align: 1) {\n    00 00 00 │ ...\n}\n", MD0107},
    {"alloc1 (size: 2, align: 1) {\n    00 0g │ ..\n}\n", MD0107},
    {"alloc1 (size: 32, align: 1) {\n    0x10 │ 00 │ .\n}\n", MD0107},
    {"alloc1 (size: 8, align: 1) {\n    ╾──bad──╼ │ .\n}\n", MD0107},
    {"alloc99999999999 (fn: f)\n", MD0107},
    {"fn f() -> {static f::{closure#0} upvar_tys=() resume_ty=R} {\n}\n", MD0113},
    {"fn f(_1: {f::{closure#0} upvar_tys=()}) -> () {\n}\n", MD0113},
};

static void a_file_is_refused_with_its_code(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(files); i++) {
    struct dump d;
    dump_text(&d, files[i].text);
    assert_false(d.ok);
    if (sink_code(&d.t) != files[i].code)
      fail_msg("row %zu: %s: %.*s", i, diag_code_info(sink_code(&d.t))->name,
               STR_ARG(d.t.sink.first->message));
    dump_close(&d);
  }
}

static void nesting_is_bounded(void **state) {
  (void)state;
  static const char *const parts[][3] = {{"_1 = copy ", "(*", ";"},
                                         {"_1 = copy ", "((", ";"},
                                         {"_1 = copy _1 as ", "&", "u8 (IntToInt);"}};
  struct strbuf line = {0}, b = {0};
  for (size_t i = 0; i < COUNT_OF(parts); i++) {
    sb_clear(&line);
    sb_addz(&line, parts[i][0]);
    for (int k = 0; k < 100000; k++)
      sb_addz(&line, parts[i][1]);
    sb_addz(&line, parts[i][2]);
    struct dump d;
    dump_text(&d, body_with(&b, sb_z(&line)));
    assert_int_equal(sink_code(&d.t), MD0111);
    dump_close(&d);
  }
  sb_free(&line);
  sb_free(&b);
}

static void an_unreadable_item_costs_only_itself(void **state) {
  (void)state;
  struct strbuf b = {0};
  struct dump d;
  dump_open(&d);
  dump_parse(&d, str_from(body_with(&b, "_1 = ?;")), false);
  assert_true(d.ok);
  assert_false(diag_failed(&d.t.sink));
  (void)dump_item(&d, "good");
  (void)dump_item(&d, "last");
  assert_null(mir_item_find(&d.file, STR("m::bad")));
  assert_null(mir_report_broken(&d.file, STR("m::other"), MIR_NONE, &d.t.sink));
  struct diag *e = mir_report_broken(&d.file, STR("m::bad"), MIR_NONE, &d.t.sink);
  assert_non_null(e);
  assert_int_equal(e->code, MD0102);
  assert_int_equal(e->snippet_line, 13);
  dump_close(&d);
  sb_free(&b);
}

static void unreadable_heads_and_allocations_are_set_aside(void **state) {
  (void)state;
  struct dump d;
  dump_open(&d);
  dump_parse(&d,
             STR("const a::B: [u8 = const ConstValue(ZeroSized: ());\n\n"
                 "fn c::d(_1: {async}) -> () {\n    bb0: {\n        return;\n    }\n}\n\n"
                 "alloc3 (size: 1, align: 1) {\n    zz │ .\n}\n\n"
                 "alloc4 (ghost: x)\n\n"
                 "static E: u8 = {\n    let mut _0: u8;\n    bb0: {\n        return;\n    }\n}\n"),
             false);
  assert_true(d.ok);
  assert_int_equal(d.file.n_broken, 4);
  (void)dump_item(&d, "E");
  assert_non_null(mir_report_broken(&d.file, STR("a::B"), MIR_NONE, &d.t.sink));
  assert_non_null(mir_report_broken(&d.file, STR("c::d"), MIR_NONE, &d.t.sink));
  assert_int_equal(mir_report_broken(&d.file, STR_NULL, 3, &d.t.sink)->code, MD0107);
  assert_non_null(mir_report_broken(&d.file, STR_NULL, 4, &d.t.sink));
  assert_null(mir_report_broken(&d.file, STR_NULL, 5, &d.t.sink));
  dump_close(&d);
}

static void a_dump_that_is_cut_off_is_refused_as_such(void **state) {
  (void)state;
  struct strbuf b = {0};
  str whole = str_from(body_with(&b, "_1 = const ConstValue(Scalar(0x07): u8);"));
  size_t third = str_find(whole, STR("fn last"), 0);
  for (size_t n = third + 9; n + 2 < whole.n; n++) {
    struct dump d;
    dump_open(&d);
    dump_parse(&d, str_sub(whole, 0, n), false);
    if (d.ok || sink_code(&d.t) != MD0106)
      fail_msg("cut at %zu of %zu: %s", n, whole.n,
               d.ok ? "taken" : diag_code_info(sink_code(&d.t))->name);
    dump_close(&d);
  }
  sb_free(&b);
}

/* Copies of a real dump, cut and changed; the copy is exactly as long as its text, so that ASan
 * sees every step too far. */
static void read_damaged(const struct dump *whole, size_t n, size_t at, char c) {
  char *copy = malloc(n > 0 ? n : 1);
  memcpy(copy, whole->bytes.p, n);
  if (at < n)
    copy[at] = c;
  struct dump d;
  dump_open(&d);
  dump_parse(&d, (str){copy, n}, false);
  assert_true(d.ok != diag_failed(&d.t.sink));
  dump_close(&d);
  free(copy);
}

static void damage_anywhere_is_an_error_or_harmless_and_never_a_crash(void **state) {
  (void)state;
  struct dump whole;
  dump_file(&whole, "test/unit/mir/r197.mir");
  assert_true(whole.ok);
  uint64_t seed = 1;
  for (int i = 0; i < 400; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    size_t at = (size_t)(seed >> 33) % whole.bytes.n;
    read_damaged(&whole, at, SIZE_MAX, 0);
    char bit = (char)(whole.bytes.p[at] ^ (1u << (seed >> 20 & 7u)));
    read_damaged(&whole, whole.bytes.n, at, bit);
    read_damaged(&whole, whole.bytes.n, at, "(){}[]<>,;:'\"_\n 0"[seed >> 40 & 15u]);
  }
  dump_close(&whole);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_fault_has_its_code_and_place),
      cmocka_unit_test(a_file_is_refused_with_its_code),
      cmocka_unit_test(nesting_is_bounded),
      cmocka_unit_test(an_unreadable_item_costs_only_itself),
      cmocka_unit_test(unreadable_heads_and_allocations_are_set_aside),
      cmocka_unit_test(a_dump_that_is_cut_off_is_refused_as_such),
      cmocka_unit_test(damage_anywhere_is_an_error_or_harmless_and_never_a_crash),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
