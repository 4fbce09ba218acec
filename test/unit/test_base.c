/* The floor: strings, arenas, maps, digests, JSON writing, diagnostics. */
#include "test/unit/unit.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/jsonw.h"
#include "base/map.h"
#include "base/vec.h"

static void numbers_are_read_whole_or_not_at_all(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool ok;
    uint64_t v;
  } cases[] = {{"0", true, 0},          {"18446744073709551615", true, UINT64_MAX},
               {"18446744073709551616", false, 0}, {"0x1f", true, 31},
               {"0xFFFFFFFFFFFFFFFF", true, UINT64_MAX}, {"0x", false, 0},
               {"", false, 0},          {"12a", false, 0},
               {"-1", false, 0},        {" 1", false, 0},
               {"0x10000000000000000", false, 0}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    uint64_t v = 0;
    assert_int_equal(str_to_u64(str_from(cases[i].text), &v), cases[i].ok);
    if (cases[i].ok)
      assert_true(v == cases[i].v);
  }
  u128 w;
  assert_true(str_to_u128(STR("0xffffffffffffffffffffffffffffffff"), &w));
  assert_true(w == ~(u128)0);
  assert_false(str_to_u128(STR("340282366920938463463374607431768211456"), &w));
}

static void views_are_cut_within_their_bounds(void **state) {
  (void)state;
  str s = STR("one/two/three");
  assert_str(str_sub(s, 4, 7), "two");
  assert_str(str_sub(s, 8, 99), "three");
  assert_str(str_sub(s, 99, 4), "");
  assert_true(str_find(s, STR("two"), 0) == 4);
  assert_true(str_find(s, STR("two"), 5) == SIZE_MAX);
  assert_true(str_find(s, STR("three "), 0) == SIZE_MAX);
  assert_true(str_rfind_char(s, '/') == 7);
  assert_str(str_trim(STR(" \t a b\n")), "a b");
  str rest = STR("a\n\nb"), line;
  assert_true(str_next_line(&rest, &line));
  assert_str(line, "a");
  assert_true(str_next_line(&rest, &line));
  assert_str(line, "");
  assert_true(str_next_line(&rest, &line));
  assert_str(line, "b");
  assert_false(str_next_line(&rest, &line));
}

static void only_well_formed_utf8_is_valid(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t bad; /* SIZE_MAX: fine */
  } cases[] = {{"abc", SIZE_MAX},        {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\xa6\x80", SIZE_MAX},
               {"a\x80", 1},             {"\xc0\xaf", 0},
               {"\xed\xa0\x80", 0},      {"\xf4\x90\x80\x80", 0},
               {"12345678\xe2\x82", 8},  {"\xff", 0},
               {"\xe0\x80\x80", 0}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    size_t bad = SIZE_MAX;
    bool ok = utf8_valid(str_from(cases[i].text), &bad);
    assert_int_equal(ok, cases[i].bad == SIZE_MAX);
    assert_true(bad == cases[i].bad);
  }
}

static void foreign_text_cannot_steer_a_terminal(void **state) {
  (void)state;
  struct strbuf b = {0};
  sb_add_visible(&b, STR("a\x1b[31m\xe2\x80\xae" "b\xff\x7f"));
  assert_string_equal(sb_z(&b), "a\\u{1b}[31m\\u{202e}b\\xff\\u{7f}");
  sb_free(&b);
}

static void an_arena_gives_zeroed_aligned_memory_and_takes_it_back(void **state) {
  (void)state;
  struct arena a = {0};
  for (size_t round = 0; round < 3; round++) {
    struct arena_mark m = arena_save(&a);
    for (size_t i = 1; i < 4000; i += 37) {
      uint8_t *p = arena_alloc(&a, i, 32);
      assert_true(((uintptr_t)p & 31) == 0);
      for (size_t k = 0; k < i; k++)
        assert_int_equal(p[k], 0);
      memset(p, 0xaa, i);
    }
    assert_str(arena_printf(&a, "%d-%s", 7, "x"), "7-x");
    arena_rewind(&a, m);
  }
  assert_true(a.total < 8u << 20);
  arena_free(&a);
}

static void a_map_finds_its_keys_and_keeps_their_order(void **state) {
  (void)state;
  struct arena a = {0};
  struct map m = {0};
  assert_null(map_get(&m, STR("x")));
  for (unsigned i = 0; i < 5000; i++) {
    bool fresh = false;
    *map_put(&m, arena_printf(&a, "key%u", i), &fresh) = i + 1;
    assert_true(fresh);
  }
  for (unsigned i = 0; i < 5000; i++) {
    str key = arena_printf(&a, "key%u", i);
    bool fresh = true;
    assert_int_equal(*map_put(&m, key, &fresh), i + 1);
    assert_false(fresh);
    assert_str(m.entries[i].key, key.p);
  }
  assert_null(map_get(&m, STR("key5000")));
  map_free(&m);
  arena_free(&a);
}

static void vectors_grow_in_an_arena_and_on_the_heap(void **state) {
  (void)state;
  struct arena a = {0};
  VEC(int) in_arena = {0};
  VEC(int) on_heap = {0};
  for (int i = 0; i < 1000; i++) {
    vec_push(&a, &in_arena, i);
    *vec_add(NULL, &on_heap) = i;
  }
  for (int i = 0; i < 1000; i++)
    assert_true(in_arena.p[i] == i && on_heap.p[i] == i);
  assert_int_equal(vec_pop(&on_heap), 999);
  vec_free(&on_heap);
  arena_free(&a);
}

static void a_digest_is_sha256_and_fields_do_not_run_together(void **state) {
  (void)state;
  char hex[65];
  struct digest d = hash_of("abc", 3), back;
  digest_hex(&d, hex);
  assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  assert_true(digest_from_hex(str_from(hex), &back) && digest_eq(&d, &back));
  hex[3] = 'g';
  assert_false(digest_from_hex(str_from(hex), &back));
  struct hasher *x = hash_new(), *y = hash_new();
  hash_field(x, STR("a"), STR("bc"));
  hash_field(y, STR("ab"), STR("c"));
  struct digest dx = hash_finish(x), dy = hash_finish(y);
  assert_false(digest_eq(&dx, &dy));
}

static void json_is_written_escaped_and_exact(void **state) {
  (void)state;
  struct jsonw w;
  jw_init(&w, false);
  jw_object(&w);
  jw_kstr(&w, "s", STR("q\"\\\n\x01 \xff"));
  jw_ku64(&w, "n", (uint64_t)1 << 53);
  jw_ku64(&w, "big", UINT64_MAX);
  jw_key(&w, "h");
  jw_hex(&w, (u128)1 << 64);
  jw_key(&w, "a");
  jw_array(&w);
  jw_i64(&w, -3);
  jw_bool(&w, true);
  jw_null(&w);
  jw_end_array(&w);
  jw_key(&w, "e");
  jw_array(&w);
  jw_end_array(&w);
  jw_end_object(&w);
  assert_string_equal(sb_z(&w.out),
                      "{\"s\":\"q\\\"\\\\\\n\\u0001 \xef\xbf\xbd\",\"n\":9007199254740992,"
                      "\"big\":\"0xffffffffffffffff\",\"h\":\"0x10000000000000000\","
                      "\"a\":[-3,true,null],\"e\":[]}");
  jw_free(&w);
}

static void a_diagnostic_shows_its_place_in_the_source(void **state) {
  (void)state;
  struct test_sink t;
  test_sink_init(&t);
  uint32_t f = source_file_with_text(&t.sources, STR("src/k.rs"), STR("fn k() {\n\tlet \xe6\xbc\xa2 = x + y;\n}\n"));
  struct span at = {f, 2, 10, 2, 15};
  struct diag *d = diag_error(&t.sink, MD0001, at, "cannot add `%s`", "x");
  diag_span_label(d, "here");
  diag_note(d, "a note");
  diag_suggest(d, at, STR("x.wrapping_add(y)"), "use");
  struct strbuf b = {0};
  diag_render_human(&t.sink, d, false, &b);
  assert_string_equal(sb_z(&b), "error[MD0001]: cannot add `x`\n"
                                " --> src/k.rs:2:10\n"
                                "  |\n"
                                "2 |     let \xe6\xbc\xa2 = x + y;\n"
                                "  |              ^^^^^ here\n"
                                "  = note: a note\n"
                                "help: use: `x.wrapping_add(y)`\n"
                                " --> src/k.rs:2:10\n"
                                "  |\n"
                                "2 |     let \xe6\xbc\xa2 = x + y;\n"
                                "  |              ~~~~~\n\n");
  sb_clear(&b);
  diag_render_json(&t.sink, d, &b);
  assert_non_null(strstr(sb_z(&b), "\"$message_type\":\"diagnostic\""));
  assert_non_null(strstr(sb_z(&b), "\"suggested_replacement\":\"x.wrapping_add(y)\""));
  assert_non_null(strstr(sb_z(&b), "\"line_start\":2"));
  sb_free(&b);
  test_sink_free(&t);
}

static void what_was_reported_on_trial_can_be_dropped(void **state) {
  (void)state;
  struct test_sink t;
  test_sink_init(&t);
  diag_warning(&t.sink, MD0001, SPAN_NONE, "stays");
  struct diag_mark m = diag_save(&t.sink);
  diag_error(&t.sink, MD0002, SPAN_NONE, "goes");
  assert_true(diag_failed(&t.sink));
  diag_drop_since(&t.sink, m);
  assert_false(diag_failed(&t.sink));
  diag_error(&t.sink, MD0003, SPAN_NONE, "comes");
  assert_int_equal(t.sink.first->next->code, MD0003);
  assert_null(t.sink.first->next->next);
  test_sink_free(&t);
}

static void too_many_errors_are_counted_but_not_kept(void **state) {
  (void)state;
  struct test_sink t;
  test_sink_init(&t);
  t.sink.max_errors = 3;
  for (int i = 0; i < 10; i++)
    diag_error(&t.sink, MD0001, SPAN_NONE, "%d", i);
  size_t kept = 0;
  for (struct diag *d = t.sink.first; d; d = d->next)
    kept++;
  assert_int_equal(kept, 3);
  assert_int_equal(t.sink.errors, 10);
  test_sink_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_read_whole_or_not_at_all),
      cmocka_unit_test(views_are_cut_within_their_bounds),
      cmocka_unit_test(only_well_formed_utf8_is_valid),
      cmocka_unit_test(foreign_text_cannot_steer_a_terminal),
      cmocka_unit_test(an_arena_gives_zeroed_aligned_memory_and_takes_it_back),
      cmocka_unit_test(a_map_finds_its_keys_and_keeps_their_order),
      cmocka_unit_test(vectors_grow_in_an_arena_and_on_the_heap),
      cmocka_unit_test(a_digest_is_sha256_and_fields_do_not_run_together),
      cmocka_unit_test(json_is_written_escaped_and_exact),
      cmocka_unit_test(a_diagnostic_shows_its_place_in_the_source),
      cmocka_unit_test(what_was_reported_on_trial_can_be_dropped),
      cmocka_unit_test(too_many_errors_are_counted_but_not_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
