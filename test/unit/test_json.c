/* base/json: the scan, the cursor and the pull reader. */
/* cmocka.h needs the first four before it. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <stdio.h>
#include <string.h>

#include "base/json_text.h"

struct fixture {
  struct source_map sources;
  struct diag_sink sink;
  struct arena arena;
  struct json_text t;
};

static struct fixture open_text(const char *z, size_t n) {
  struct fixture f = {0};
  f.t = (struct json_text){{z, n}, STR("t.json"), NULL, MD0200, MD0201};
  return f;
}

static void start(struct fixture *f) {
  source_map_init(&f->sources);
  diag_sink_init(&f->sink, &f->sources);
  f->t.sink = &f->sink;
}

static void stop(struct fixture *f) {
  arena_free(&f->arena);
  diag_sink_free(&f->sink);
  source_map_free(&f->sources);
}

static bool message_has(const struct fixture *f, const char *what) {
  for (struct diag *d = f->sink.first; d; d = d->next)
    if (str_find(d->message, str_from(what), 0) != SIZE_MAX)
      return true;
  for (struct diag *d = f->sink.first; d; d = d->next)
    print_message("reported: %.*s\n", STR_ARG(d->message));
  return false;
}

static const struct {
  const char *text, *message; /* message NULL: accepted */
  uint32_t line, col;
} syntax[] = {
    {"{}", NULL, 0, 0},
    {" [1, 2.5e+3 , -0, \"\\ud83d\\ude00 \\\"x\", true,false,null,{\"a\":{}}] \n", NULL, 0, 0},
    {"\"\xc3\xa9 and more than eight bytes \xe2\x82\xac\"", NULL, 0, 0},
    {"{\"a\":1,\"b\":{\"a\":2}}", NULL, 0, 0},
    {"", "the file is empty", 1, 1},
    {" \n ", "only white space", 2, 2},
    {"{\"a\":1,\n \"b\":2,\n \"a\":3}", "member `a` is given twice", 3, 2},
    {"{\"a\":1,\"\\u0061\":3}", "member `a` is given twice", 1, 8},
    {"[1,2", "ends inside an array", 1, 5},
    {"{\"a\":1", "ends inside an object", 1, 7},
    {"{\"a\"", "expected `:`", 1, 5},
    {"{\"a\":", "ends where a value", 1, 6},
    {"{1:2}", "expected the name", 1, 2},
    {"[1 2]", "expected `,` or `]`", 1, 4},
    {"{\"a\":1]", "expected `,` or `}`", 1, 7},
    {"[1,]", "expected a value", 1, 4},
    {"[01]", "must not begin with 0", 1, 2},
    {"[1.]", "digit is missing", 1, 4},
    {"[1e]", "digit is missing", 1, 4},
    {"[-]", "digit is missing", 1, 3},
    {"[nul]", "expected a value", 1, 2},
    {"[1] 2", "more text after the end", 1, 5},
    {"[\"abc", "ends inside a string", 1, 6},
    {"[\"abcdefgh\\", "ends inside a string", 1, 12},
    {"[\"a\tb\"]", "control character", 1, 4},
    {"[\"\\x\"]", "unknown escape", 1, 3},
    {"[\"\\u12g4\"]", "four hex digits", 1, 5},
    {"[\"\\u0000\"]", "not allowed", 1, 5},
    {"[\"\\ud800\"]", "surrogate", 1, 9},
    {"[\"\\udc00\"]", "surrogate", 1, 5},
    {"[\"\\ud800\\u0041\"]", "surrogate", 1, 9},
    {"[\"abc\xff\"]", "invalid UTF-8", 1, 6},
    {"[\"0123456789abcdef\xc0\x80\"]", "invalid UTF-8", 1, 19},
    {"\xff", "invalid UTF-8", 1, 1},
    {"[\xef\xbb\xbf]", "expected a value", 1, 2},
};

static void the_scan_accepts_json_and_names_each_fault_with_its_place(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(syntax); i++) {
    struct fixture f = open_text(syntax[i].text, strlen(syntax[i].text));
    start(&f);
    struct json_doc *d;
    bool ok = json_parse_all(&f.t, &f.arena, &d);
    if (ok != !syntax[i].message)
      fail_msg("case %zu: %s", i, syntax[i].text);
    if (!ok) {
      if (!message_has(&f, syntax[i].message))
        fail_msg("case %zu: %s", i, syntax[i].text);
      assert_int_equal(f.sink.errors, 1);
      assert_int_equal(f.sink.first->code, MD0200);
      assert_int_equal(f.sink.first->snippet_line, syntax[i].line);
      assert_int_equal(f.sink.first->snippet_col, syntax[i].col);
    }
    stop(&f);
  }
}

static void nesting_is_refused_beyond_128(void **state) {
  (void)state;
  char text[600];
  for (size_t deep = 127; deep <= 130; deep++) {
    memset(text, '[', deep);
    memset(text + deep, ']', deep);
    struct fixture f = open_text(text, 2 * deep);
    start(&f);
    struct json_doc *d;
    assert_int_equal(json_parse_all(&f.t, &f.arena, &d), deep <= 128);
    if (deep > 128)
      assert_true(message_has(&f, "deeper than 128"));
    stop(&f);
  }
}

static void doubled_keys_are_found_among_many(void **state) {
  (void)state;
  struct strbuf b = {0};
  sb_addz(&b, "{");
  for (int i = 0; i < 3000; i++)
    sb_addf(&b, "\"k%d\":{\"k1\":%d},", i, i);
  for (int twice = 0; twice < 2; twice++) {
    struct strbuf all = {0};
    sb_add(&all, sb_str(&b));
    sb_addz(&all, twice ? "\"k7\":0}" : "\"z\":0}");
    struct fixture f = open_text(all.p, all.n);
    start(&f);
    struct json_outline o;
    assert_int_equal(json_scan(&f.t, &f.arena, NULL, &o), !twice);
    stop(&f);
    sb_free(&all);
  }
  sb_free(&b);
}

static const char numbers[] = "{\"a\":7,\"b\":18446744073709551615,\"c\":"
                              "\"0xffffffffffffffffffffffffffffffff\",\"d\":-9223372036854775808,"
                              "\"e\":1.5,\"f\":1e3,\"g\":\"12\",\"h\":"
                              "340282366920938463463374607431768211456,\"i\":-1,\"s\":\"x\"}";

static void get(const struct json_at *root, const char *key, struct json_at *out) {
  assert_true(json_get(root, key, out));
}

static void integers_keep_every_digit(void **state) {
  (void)state;
  struct fixture f = open_text(numbers, sizeof numbers - 1);
  start(&f);
  struct json_doc *d;
  assert_true(json_parse_all(&f.t, &f.arena, &d));
  struct json_at root = json_root(d), at;
  uint64_t v;
  int64_t i;
  u128 w;
  str s;
  get(&root, "a", &at);
  assert_true(json_u64(&at, 7, &v) && v == 7);
  assert_false(json_u64(&at, 6, &v));
  get(&root, "b", &at);
  assert_true(json_u64(&at, UINT64_MAX, &v) && v == UINT64_MAX);
  assert_int_equal(json_kind(&at), JSON_NUMBER);
  assert_false(json_str(&at, &s));
  get(&root, "c", &at);
  assert_true(json_u128(&at, &w) && w == ~(u128)0);
  get(&root, "d", &at);
  assert_true(json_i64(&at, &i) && i == INT64_MIN);
  get(&root, "e", &at);
  assert_false(json_u64(&at, UINT64_MAX, &v));
  get(&root, "f", &at);
  assert_true(json_u64(&at, UINT64_MAX, &v) && v == 1000);
  get(&root, "g", &at);
  assert_true(json_u64(&at, UINT64_MAX, &v) && v == 12);
  get(&root, "h", &at);
  assert_false(json_u128(&at, &w));
  get(&root, "i", &at);
  assert_false(json_u64(&at, UINT64_MAX, &v));
  assert_true(json_i64(&at, &i) && i == -1);
  get(&root, "s", &at);
  assert_false(json_u64(&at, UINT64_MAX, &v));
  assert_true(message_has(&f, "/h: `340282366920938463463374607431768211456` is not an integer"));
  stop(&f);
}

static void long_numbers_are_exact_wherever_they_stand(void **state) {
  (void)state;
  for (int pad = 0; pad < 40; pad++) {
    char text[120];
    int n = snprintf(text, sizeof text, "[%*s1234567890123457,\"%*s\"]", pad, "", pad % 7, "");
    struct fixture f = open_text(text, (size_t)n);
    start(&f);
    struct json_doc *d;
    struct json_at root, at;
    uint64_t v;
    assert_true(json_parse_all(&f.t, &f.arena, &d));
    root = json_root(d);
    assert_true(json_elem(&root, 0, &at));
    assert_true(json_u64(&at, UINT64_MAX, &v) && v == 1234567890123457u);
    stop(&f);
    n = snprintf(text, sizeof text, "[%*s18446744073709551615]", pad, "");
    f = open_text(text, (size_t)n);
    start(&f);
    assert_true(json_parse_all(&f.t, &f.arena, &d));
    root = json_root(d);
    assert_true(json_elem(&root, 0, &at));
    assert_true(json_u64(&at, UINT64_MAX, &v) && v == UINT64_MAX);
    stop(&f);
  }
}

static void errors_point_at_the_value_through_slices(void **state) {
  (void)state;
  static const char text[] = "{\"x\":0,\n\"fns\":[{\"n\":[1,\n  {\"a/b\":\"q\"}]}, 5]}";
  struct fixture f = open_text(text, sizeof text - 1);
  start(&f);
  struct json_outline o;
  const char *const split[] = {"fns", NULL};
  assert_true(json_scan(&f.t, &f.arena, split, &o));
  const struct json_member *m = json_member(&o, STR("fns"));
  assert_non_null(m);
  assert_int_equal(m->n_elems, 2);
  assert_int_equal(text[m->elems[1].lo], '5');
  assert_int_equal(m->elems[1].hi - m->elems[1].lo, 1);
  struct json_doc *d;
  assert_true(json_parse(&f.t, m->elems[0], &f.arena, STR("/fns/0"), &d));
  struct json_at root = json_root(d), n, e, v;
  assert_true(json_get(&root, "n", &n));
  assert_true(json_elem(&n, 1, &e));
  assert_true(json_first(&e, &v));
  bool b;
  assert_false(json_bool(&v, &b));
  assert_true(message_has(&f, "/fns/0/n/1/a~1b: expected a boolean, found a string"));
  assert_int_equal(f.sink.first->snippet_line, 3);
  assert_int_equal(f.sink.first->snippet_col, 10);
  assert_int_equal(f.sink.first->code, MD0201);
  stop(&f);
}

static void unknown_and_missing_members_are_named(void **state) {
  (void)state;
  static const char text[] = "{\"a\":null,\"zz\":\"red\"}";
  struct fixture f = open_text(text, sizeof text - 1);
  start(&f);
  struct json_doc *d;
  assert_true(json_parse_all(&f.t, &f.arena, &d));
  struct json_at root = json_root(d), at;
  const char *const keys[] = {"a", "b", NULL}, *const colors[] = {"blue", "green", NULL};
  unsigned v;
  assert_false(json_only(&root, keys));
  assert_true(message_has(&f, "/zz: unknown member `zz`"));
  assert_false(json_get(&root, "b", &at));
  assert_true(message_has(&f, "the member `b` is missing"));
  assert_true(json_opt(&root, "a", &at));
  assert_null(at.node);
  assert_true(json_opt(&root, "b", &at));
  assert_null(at.node);
  assert_true(json_get(&root, "zz", &at));
  assert_false(json_enum(&at, colors, &v));
  assert_true(message_has(&f, "unknown value `red`"));
  stop(&f);
}

static void the_pull_reader_reads_what_the_cursor_reads(void **state) {
  (void)state;
  static const char text[] = "[ [1 , 4294967295,\"0x10\"], \"a\\u00e9\\n\", {\"k\" : true, "
                             "\"l\":[]}, null, 99999999999, [] ]";
  struct fixture f = open_text(text, sizeof text - 1);
  start(&f);
  assert_true(json_parse_all(&f.t, &f.arena, &(struct json_doc *){NULL}));
  struct json_pull j;
  jp_init(&j, &f.t, (struct json_slice){0, sizeof text - 1}, &f.arena);
  uint32_t v;
  uint64_t big;
  str s;
  bool b;
  assert_true(jp_array(&j) && jp_item(&j) && jp_array(&j) && jp_item(&j) && jp_u32(&j, &v) &&
              v == 1);
  assert_true(jp_item(&j) && jp_u32(&j, &v) && v == UINT32_MAX);
  assert_true(jp_item(&j) && jp_u64(&j, &big) && big == 16 && jp_close(&j));
  assert_true(jp_item(&j) && jp_str(&j, &s) && str_eqz(s, "a\xc3\xa9\n"));
  assert_true(jp_item(&j) && jp_object(&j) && jp_member(&j, &s) && str_eqz(s, "k"));
  assert_true(jp_bool(&j, &b) && b && jp_member(&j, &s) && jp_array(&j) && !jp_more(&j));
  assert_false(jp_member(&j, &s));
  assert_true(jp_item(&j) && jp_null(&j) && jp_item(&j));
  struct json_pull k = j;
  assert_false(jp_u32(&k, &v));
  assert_true(message_has(&f, "/4: `99999999999` is not an integer from 0 to 2^32-1"));
  jp_skip(&j);
  assert_true(jp_item(&j));
  k = j;
  assert_false(jp_str(&k, &s));
  assert_true(message_has(&f, "/5: expected a string, found an array"));
  assert_true(jp_array(&j));
  k = j;
  assert_false(jp_item(&k));
  assert_true(message_has(&f, "/5: the array ends too early"));
  stop(&f);
}

static void long_lines_are_cut_around_the_fault(void **state) {
  (void)state;
  struct strbuf b = {0};
  sb_addz(&b, "[");
  for (int i = 0; i < 5000; i++)
    sb_addz(&b, "1000,");
  sb_addz(&b, "x]");
  struct fixture f = open_text(b.p, b.n);
  start(&f);
  assert_false(json_parse_all(&f.t, &f.arena, &(struct json_doc *){NULL}));
  assert_true(f.sink.first->snippet.n <= 160);
  assert_int_equal(f.sink.first->snippet.p[f.sink.first->snippet_col - 1], 'x');
  /* The column that is named is that of the whole line. */
  assert_int_equal(f.sink.first->snippet_cut + f.sink.first->snippet_col, 1 + 5 * 5000 + 1);
  struct strbuf shown = {0};
  diag_render_human(&f.sink, f.sink.first, false, &shown);
  assert_true(str_find(sb_str(&shown), STR(":1:25002\n"), 0) != SIZE_MAX);
  sb_free(&shown);
  stop(&f);
  sb_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_scan_accepts_json_and_names_each_fault_with_its_place),
      cmocka_unit_test(nesting_is_refused_beyond_128),
      cmocka_unit_test(doubled_keys_are_found_among_many),
      cmocka_unit_test(integers_keep_every_digit),
      cmocka_unit_test(long_numbers_are_exact_wherever_they_stand),
      cmocka_unit_test(errors_point_at_the_value_through_slices),
      cmocka_unit_test(unknown_and_missing_members_are_named),
      cmocka_unit_test(the_pull_reader_reads_what_the_cursor_reads),
      cmocka_unit_test(long_lines_are_cut_around_the_fault),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
