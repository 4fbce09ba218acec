/* cargo-integration/rustc/smir_parse: the operands that the first printer loses. */
#include "test/unit/mir_fixture.h"

static bool parse_second(struct dump *d, str text, struct smir_file *out) {
  struct mir_parse_input in = {.text = text,
                               .path = STR("k.smir"),
                               .arena = &d->arena,
                               .types = &d->types,
                               .sink = &d->t.sink};
  return smir_parse(&in, &d->file, out);
}

static void open_pair(struct dump *d, const char *name, struct smir_file *out) {
  char path[64];
  snprintf(path, sizeof path, "test/unit/mir/%s.mir", name);
  dump_file(d, path);
  assert_true(d->ok);
  snprintf(path, sizeof path, "test/unit/mir/%s.smir", name);
  if (!fs_read(&d->t.sink, path, 0, &d->second))
    fail_msg("cannot read %s", path);
  assert_true(parse_second(d, (str){(const char *)d->second.p, d->second.n}, out));
}

/* The n-th closure aggregate of an item. */
static void find_closure(const struct mir_item *item, unsigned n, uint32_t *bb, uint32_t *st) {
  for (*bb = 0; *bb < item->body.n_blocks; ++*bb)
    for (*st = 0; *st < item->body.blocks[*bb].n_stmts; ++*st) {
      const struct mir_stmt *s = &item->body.blocks[*bb].stmts[*st];
      if (s->kind == ST_ASSIGN && s->rv->kind == RV_CLOSURE && n-- == 0)
        return;
    }
  fail_msg("no such closure");
}

static void lost_captures_come_back_on_each_toolchain(void **state) {
  (void)state;
  static const char *const names[] = {"r195", "r196", "r197"};
  for (size_t i = 0; i < COUNT_OF(names); i++) {
    struct dump d;
    struct smir_file f;
    open_pair(&d, names[i], &f);
    const struct mir_item *item = dump_item(&d, "one_capture");
    uint32_t bb, st, n;
    const struct mir_operand *ops;
    find_closure(item, 1, &bb, &st);
    const struct mir_stmt *s = &item->body.blocks[bb].stmts[st];
    assert_int_equal(mir_local_ty(&item->body, s->place.local)->n_args, 2);
    assert_int_equal(s->rv->n_ops, 1);
    assert_true(smir_closure_ops(&f, item, bb, st, &ops, &n));
    assert_int_equal(n, 2);
    assert_int_equal(ops[0].place.local, 2);
    assert_int_equal(ops[0].place.proj[0].index, 0);
    assert_ptr_equal(ops[1].place.proj[0].ty, dump_type(&d, "u64"));
    assert_int_equal(ops[1].place.proj[0].index, 1);
    find_closure(item, 0, &bb, &st);
    assert_true(smir_closure_ops(&f, item, bb, st, &ops, &n));
    assert_int_equal(n, 1);
    assert_false(smir_closure_ops(&f, item, bb, st + 1, &ops, &n));
    assert_false(smir_closure_ops(&f, item, 99, 0, &ops, &n));
    dump_close(&d);
  }
}

static void bodies_pair_across_the_two_ways_of_naming(void **state) {
  (void)state;
  static const char *const names[] = {"r195", "r196", "r197"};
  for (size_t i = 0; i < COUNT_OF(names); i++) {
    struct dump d;
    struct smir_file f;
    open_pair(&d, names[i], &f);
    for (size_t k = 0; k < d.file.n_items; k++) {
      const struct mir_item *item = &d.file.items[k];
      bool printed = item->body.n_blocks > 0 && !item->ctfe &&
                     str_find(item->name, STR("promoted["), 0) == SIZE_MAX;
      if (printed != (f.of_item[k] > 0))
        fail_msg("`%.*s` is paired wrongly", STR_ARG(item->name));
    }
    const struct mir_item *run = dump_item(&d, "<impl at k.rs:23:1: 23:18>::run");
    const struct smir_body *b = &f.bodies[f.of_item[run - d.file.items] - 1];
    assert_str(b->path->name, "<Twice as Op>::run");
    dump_close(&d);
  }
}

static const char first_text[] =
    "fn f(_1: (u8, u64)) -> () {\n    let mut _0: ();\n"
    "    let mut _2: {f::{closure#0} closure_kind_ty=i8 closure_sig_as_fn_ptr_ty=fn(()) "
    "upvar_tys=(u8, u64)};\n    bb0: {\n        nop;\n"
    "        _2 = {closure@k.rs:1:2: 3:4} { p: copy (_1.0: u8) };\n        return;\n    }\n}\n";

/* Text of the second printer that may be asked for the aggregate, or not. */
static const struct {
  const char *text;
  bool answers;
} seconds[] = {
    {"fn f(_1: (u8, u64)) -> () {\n    bb0: {\n        nop;\n"
     "        _2 = {closure@k.rs:1:2: 3:4}((_1.0: u8), move (_1.1: u64));\n        return;\n    "
     "}\n}\n",
     true},
    {"fn f(_1: (u8, u64)) -> () {\n    bb0: {\n"
     "        _2 = {closure@k.rs:1:2: 3:4}((_1.0: u8), (_1.1: u64));\n        return;\n    }\n}\n",
     false}, /* another number of statements */
    {"fn f(_1: (u8, u64)) -> () {\n    bb0: {\n        nop;\n"
     "        _2 = {closure@k.rs:9:2: 3:4}((_1.0: u8), (_1.1: u64));\n        return;\n    }\n}\n",
     false}, /* another closure */
    {"fn f(_1: (u8, u64)) -> () {\n    bb0: {\n        nop;\n"
     "        _3 = {closure@k.rs:1:2: 3:4}((_1.0: u8), (_1.1: u64));\n        return;\n    }\n}\n",
     false}, /* another place */
    {"fn f(_1: (u8, u64)) -> () {\n    bb0: {\n        nop;\n"
     "        _2 = {closure@k.rs:1:2: 3:4}(what is this);\n        return;\n    }\n}\n",
     false}, /* operands not understood */
    {"fn f(_1: (u8, u32)) -> () {\n    bb0: {\n        nop;\n"
     "        _2 = {closure@k.rs:1:2: 3:4}((_1.0: u8), (_1.1: u64));\n        return;\n    }\n}\n",
     false}, /* another signature */
    {"fn ?(_1: (u8, u64)) -> () {\n    bb0: {\n        nop;\n    }\n}\n", false},
};

static void only_a_body_of_the_same_shape_answers(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(seconds); i++) {
    struct dump d;
    struct smir_file f;
    const struct mir_operand *ops;
    uint32_t n;
    dump_text(&d, first_text);
    assert_true(d.ok);
    assert_true(parse_second(&d, str_from(seconds[i].text), &f));
    assert_false(diag_failed(&d.t.sink));
    bool got = smir_closure_ops(&f, &d.file.items[0], 0, 1, &ops, &n);
    if (got != seconds[i].answers)
      fail_msg("row %zu", i);
    if (got) {
      assert_int_equal(n, 2);
      assert_int_equal(ops[0].kind, OP_COPY);
      assert_int_equal(ops[1].kind, OP_MOVE);
    }
    dump_close(&d);
  }
}

static void two_bodies_of_one_name_and_signature_need_two_partners(void **state) {
  (void)state;
  struct dump d;
  struct smir_file f;
  dump_text(&d, "fn a::f() -> () {\n    let mut _0: ();\n    bb0: {\n        return;\n    }\n}\n\n"
                "fn b::f() -> () {\n    let mut _0: ();\n    bb0: {\n        return;\n    }\n}\n");
  assert_true(d.ok);
  assert_true(parse_second(&d, STR("fn f() -> () {\n    bb0: {\n        return;\n    }\n}\n"), &f));
  assert_int_equal(f.of_item[0] + f.of_item[1], 0);
  assert_true(parse_second(&d,
                           STR("fn f() -> () {\n    bb0: {\n        return;\n    }\n}\n"
                               "fn f() -> () {\n    bb0: {\n        return;\n    }\n}\n"),
                           &f));
  assert_int_equal(f.of_item[0], 1);
  assert_int_equal(f.of_item[1], 2);
  dump_close(&d);
}

static void text_that_is_no_second_dump_is_refused(void **state) {
  (void)state;
  const struct {
    str text;
    enum diag_code code;
  } rows[] = {{STR("what\n"), MD0112},
              {STR("fn f() -> () {\n"), MD0106},
              {STR("fn f() -> () {\n    bb0: {\n        return;\n"), MD0106},
              {STR("fn \xc3(\n"), MD0100}};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    struct dump d;
    struct smir_file f;
    dump_text(&d, first_text);
    assert_false(parse_second(&d, rows[i].text, &f));
    assert_int_equal(sink_code(&d.t), rows[i].code);
    dump_close(&d);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lost_captures_come_back_on_each_toolchain),
      cmocka_unit_test(bodies_pair_across_the_two_ways_of_naming),
      cmocka_unit_test(only_a_body_of_the_same_shape_answers),
      cmocka_unit_test(two_bodies_of_one_name_and_signature_need_two_partners),
      cmocka_unit_test(text_that_is_no_second_dump_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
