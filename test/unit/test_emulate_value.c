/* Values on the command line of `mirdc emulate`: literals, patterns, lists, hex, and back to text.
 */
#include "test/unit/unit.h"

#include "driver/emulate_value.h"

static const struct value_type *type(const char *name) {
  const struct value_type *t = value_type_find(str_from(name));
  if (!t)
    fail_msg("no type %s", name);
  return t;
}

static void literals_give_bits_and_come_back(void **state) {
  (void)state;
  static const struct {
    const char *type, *text, *hex, *back;
  } rows[] = {
      {"bool", "true", "01", "true"},
      {"bool", "false", "00", "false"},
      {"char", "'x'", "78000000", "'x'"},
      {"char", "0x1f600", "00f60100", "0x1f600"},
      {"u8", "255", "ff", "255"},
      {"u16", "0xff01", "01ff", "65281"},
      {"i8", "-128", "80", "-128"},
      {"i32", "-1", "ffffffff", "-1"},
      {"i64", "-9223372036854775808", "0000000000000080", "-9223372036854775808"},
      {"u64", "18446744073709551615", "ffffffffffffffff", "18446744073709551615"},
      {"u128", "340282366920938463463374607431768211455", "ffffffffffffffffffffffffffffffff",
       "340282366920938463463374607431768211455"},
      {"i128", "-2", "feffffffffffffffffffffffffffffff", "-2"},
      {"usize", "7", "0700000000000000", "7"},
      {"f32", "1.5", "0000c03f", "1.5"},
      {"f32", "0.1", "cdcccc3d", "0.1"},
      {"f32", "-inf", "000080ff", "-inf"},
      {"f64", "0.1", "9a9999999999b93f", "0.1"},
      {"f64", "-0", "0000000000000080", "-0"},
      {"f32", "nan", "0000c07f", "NaN"},
  };
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    uint8_t bytes[16];
    char hex[33] = {0};
    struct strbuf b = {0};
    const struct value_type *t = type(rows[i].type);
    if (!value_parse(t, str_from(rows[i].text), bytes))
      fail_msg("%s %s is refused", rows[i].type, rows[i].text);
    for (unsigned k = 0; k < t->size; k++)
      snprintf(hex + 2 * k, 3, "%02x", bytes[k]);
    assert_string_equal(hex, rows[i].hex);
    value_print(t, bytes, &b);
    assert_string_equal(sb_z(&b), rows[i].back);
    sb_free(&b);
  }
}

static void literals_out_of_range_are_refused(void **state) {
  (void)state;
  static const char *const rows[][2] = {{"u8", "256"},
                                        {"u8", "-1"},
                                        {"i8", "128"},
                                        {"i8", "-129"},
                                        {"bool", "1"},
                                        {"char", "'ab'"},
                                        {"char", "0xd800"},
                                        {"u32", "1.5"},
                                        {"u32", ""},
                                        {"i32", "-"},
                                        {"f32", "1.5x"},
                                        {"f32", ""},
                                        {"f64", " 1"},
                                        {"u64", "18446744073709551616"},
                                        {"u128", "340282366920938463463374607431768211456"}};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    uint8_t bytes[16];
    if (value_parse(type(rows[i][0]), str_from(rows[i][1]), bytes))
      fail_msg("%s %s is taken", rows[i][0], rows[i][1]);
  }
}

static enum diag_code make(const char *elem, uint64_t elem_size, uint64_t size, const char *text,
                           struct strbuf *out) {
  struct test_sink t;
  struct value_memory m;
  struct value_want want = {.what = str_from(text), .elem_size = elem_size, .size = size};
  if (elem)
    want.elem = type(elem);
  test_sink_init(&t);
  bool ok = value_memory(&t.sink, &want, str_from(text), &m);
  enum diag_code code = sink_code(&t);
  assert_int_equal(ok, code == MD0000);
  if (ok)
    value_print_all(m.type, m.bytes.p, m.bytes.n, out);
  bytes_free(&m.bytes);
  test_sink_free(&t);
  return code;
}

static void patterns(void **state) {
  (void)state;
  static const struct {
    const char *elem, *text, *want;
  } rows[] = {
      {NULL, "f32[4]", "[0, 0, 0, 0]"},
      {"f32", "[3]:zeros", "[0, 0, 0]"},
      {"f32", "[3]:2.5", "[2.5, 2.5, 2.5]"},
      {"f32", "1,2, -3", "[1, 2, -3]"},
      {NULL, "u8[4]:iota", "[0, 1, 2, 3]"},
      {NULL, "u8[3]:range:254", "[254, 255, 0]"},
      {NULL, "i16[3]:range:0:-7", "[0, -7, -14]"},
      {NULL, "f64[3]:range:1:0.5", "[1, 1.5, 2]"},
      {NULL, "bool[3]:iota", "[false, true, false]"},
      {NULL, "u32:7,8", "[7, 8]"},
      {NULL, "hex:0aFF", "[10, 255]"},
      {NULL, "u16:hex:0aFF0000", "[65290, 0]"},
      {NULL, "char:'a',98", "['a', 'b']"},
      {NULL, "u64[0]", "[]"},
      {"u32", "i32[2]:1", "[1, 1]"},
      {NULL, "u8[3]:random:1", "[193, 103, 94]"},
      {NULL, "f32[2]:random", "[0.8833108, 0.43152797]"},
  };
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    struct strbuf b = {0};
    enum diag_code c = make(rows[i].elem, 0, 0, rows[i].text, &b);
    if (c != MD0000 || strcmp(sb_z(&b), rows[i].want) != 0)
      fail_msg("%s: code %d, got %s", rows[i].text, (int)c, sb_z(&b));
    sb_free(&b);
  }
}

static void bad_patterns_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *elem;
    uint64_t elem_size, size;
    const char *text;
    enum diag_code code;
  } rows[] = {{NULL, 0, 0, "iota", MD0840},
              {NULL, 0, 0, "[3]:iota", MD0840},
              {"f32", 0, 0, "iota", MD0840},
              {NULL, 0, 0, "f33[4]", MD0840},
              {NULL, 0, 0, "f32[x]", MD0840},
              {NULL, 0, 0, "f32[4", MD0840},
              {NULL, 0, 0, "f32[4]zeros", MD0840},
              {NULL, 0, 0, "f32[2]:1,2,3", MD0840},
              {NULL, 0, 0, "f32:1,x", MD0840},
              {NULL, 0, 0, "u8:300", MD0840},
              {NULL, 0, 0, "hex:abc", MD0840},
              {NULL, 0, 0, "hex:zz", MD0840},
              {NULL, 0, 0, "u8[2]:range:x", MD0840},
              {NULL, 0, 0, "u8[2]:range:1:y", MD0840},
              {NULL, 0, 0, "u8[2]:random:z", MD0840},
              {NULL, 0, 0, "u8[99999999999999999]", MD0840},
              {"f32", 4, 0, "u32[4]", MD0841},
              {"f32", 4, 0, "f64[4]", MD0841},
              {NULL, 12, 0, "f32[4]", MD0841},
              {NULL, 0, 8, "f32[1]", MD0841},
              {NULL, 0, 0, "file:no/such/file", MD0001}};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    struct strbuf b = {0};
    enum diag_code c = make(rows[i].elem, rows[i].elem_size, rows[i].size, rows[i].text, &b);
    if (c != rows[i].code)
      fail_msg("%s: code %d, not %d", rows[i].text, (int)c, (int)rows[i].code);
    sb_free(&b);
  }
}

static void a_file_has_the_size_that_is_asked_for(void **state) {
  (void)state;
  char path[] = "/tmp/mirdc-value-XXXXXX", text[64];
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  FILE *f = fdopen(fd, "w");
  fputs("\1\2\3\4\5\6\7\10", f);
  fclose(f);
  struct strbuf b = {0};
  snprintf(text, sizeof text, "u16[4]:file:%s", path);
  assert_int_equal(make(NULL, 0, 0, text, &b), MD0000);
  assert_string_equal(sb_z(&b), "[513, 1027, 1541, 2055]");
  snprintf(text, sizeof text, "u16[5]:file:%s", path);
  assert_int_equal(make(NULL, 0, 0, text, &b), MD0842);
  snprintf(text, sizeof text, "file:%s", path);
  assert_int_equal(make("u32", 4, 0, text, &b), MD0000);
  sb_free(&b);
  remove(path);
}

static void long_lists_are_broken_into_lines(void **state) {
  (void)state;
  struct strbuf b = {0};
  assert_int_equal(make(NULL, 0, 0, "u32[60]:range:1000000000", &b), MD0000);
  size_t line = 0, lines = 1;
  for (size_t i = 0; i < b.n; i++) {
    line = b.p[i] == '\n' ? 0 : line + 1;
    lines += b.p[i] == '\n';
    assert_true(line <= 110);
  }
  assert_true(lines >= 6 && lines <= 9);
  sb_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(literals_give_bits_and_come_back),
      cmocka_unit_test(literals_out_of_range_are_refused),
      cmocka_unit_test(patterns),
      cmocka_unit_test(bad_patterns_are_refused),
      cmocka_unit_test(a_file_has_the_size_that_is_asked_for),
      cmocka_unit_test(long_lists_are_broken_into_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
