/* bundles/manifest: round trips, and every rule of the format has a text that breaks it. */
#include "test/unit/bundle_fixture.h"

static str text_of(struct fixture *f, unsigned version) {
  struct strbuf sb = {0};
  struct manifest m = fixture_manifest(version);
  assert_true(manifest_write(&f->sink, &m, &sb));
  str s = arena_str(&f->arena, sb_str(&sb));
  sb_free(&sb);
  return s;
}

/* The text with the first `from` replaced. */
static str edit(struct fixture *f, str s, const char *from, const char *to) {
  size_t at = str_find(s, str_from(from), 0);
  assert_true(at != SIZE_MAX);
  return arena_printf(&f->arena, "%.*s%s%.*s", (int)at, s.p, to,
                      STR_ARG(str_drop(s, at + strlen(from))));
}

static void version_2_keeps_everything(void **state) {
  struct fixture *f = *state;
  struct manifest m, want = fixture_manifest(2);
  str text = text_of(f, 2);
  assert_true(manifest_read(&f->sink, &f->arena, text, STR("t"), 2, &m));
  assert_int_equal(m.version, 2);
  assert_true(str_eqz(m.package, "demo") && str_eqz(m.profile, "release"));
  assert_false(m.policy.fmad);
  assert_int_equal(m.policy.debug, DEBUG_LINES);
  assert_true(m.policy.trap_info);
  const struct manifest_kernel *k = manifest_kernel_find(&m, STR("demo::scale"));
  assert_non_null(k);
  assert_true(launch_facts_eq(&k->launch, &want.kernels[0].launch));
  assert_int_equal(manifest_param_bytes(k), 32);
  assert_int_equal(k->params[1].kind, PARAM_AGGREGATE);
  assert_int_equal(k->params[1].n_fields, 2);
  assert_int_equal(k->params[1].fields[1].offset, 8);
  assert_true(str_eqz(k->params[0].label, "PerThread<f32>"));
  assert_int_equal(k->resources[1].arch.number, 90);
  assert_int_equal(k->resources[1].spill_stores, 4);
  assert_int_equal(m.globals[0].space, SPACE_CONST);
  assert_int_equal(manifest_trap_find(&m, 7)->line, 12);
  assert_null(manifest_trap_find(&m, 8));
  assert_null(manifest_kernel_find(&m, STR("nothing")));
  assert_int_equal(m.tools[0].digest.b[0], 4);
}

static void version_1_has_defaults_for_what_it_lacks(void **state) {
  struct fixture *f = *state;
  struct manifest m;
  str text = text_of(f, 1);
  assert_true(str_find(text, STR("policy"), 0) == SIZE_MAX);
  assert_true(str_find(text, STR("launch"), 0) == SIZE_MAX);
  assert_true(manifest_read(&f->sink, &f->arena, text, STR("t"), 1, &m));
  assert_true(policy_is_default(&m.policy));
  assert_int_equal(m.kernels[0].launch.flags, 0);
  assert_int_equal(m.n_traps, 0);
}

static void what_is_read_is_written_again_the_same(void **state) {
  struct fixture *f = *state;
  for (unsigned version = 1; version <= 2; version++) {
    struct manifest m;
    struct strbuf again = {0};
    str text = text_of(f, version);
    assert_true(manifest_read(&f->sink, &f->arena, text, STR("t"), version, &m));
    assert_true(manifest_write(&f->sink, &m, &again));
    assert_true(str_eq(text, sb_str(&again)));
    sb_free(&again);
  }
}

static void each_deviation_from_the_default_policy_counts(void **state) {
  (void)state;
  struct policy p[] = {policy_default(), policy_default(), policy_default(), policy_default(),
                       policy_default(), policy_default(), policy_default()};
  p[0].fmad = false;
  p[1].opt = 2;
  p[2].debug = DEBUG_FULL;
  p[3].overflow_checks = true;
  p[4].debug_assertions = true;
  p[5].trap_info = true;
  p[6].max_registers = 64;
  for (size_t i = 0; i < COUNT_OF(p); i++)
    assert_false(policy_is_default(&p[i]));
  struct policy d = policy_default();
  assert_true(policy_is_default(&d));
}

struct edit_case {
  unsigned version;
  const char *from, *to;
  enum diag_code code;
};
static const struct edit_case edits[] = {
    {1, "{\"schema\"", "{{\"schema\"", MD0510},
    {1, "{\"schema\"", "{\"schema\":\"x\",\"schema\"", MD0510},
    {1, "mirdc-manifest", "pmir", MD0511},
    {1, "\"version\":1", "\"version\":2", MD0511},
    {2, "\"version\":2", "\"version\":1", MD0511},
    {2, "\"version\":2", "\"version\":18446744073709551616", MD0511},
    {1, "\"protocol\":1", "\"protocol\":2", MD0511},
    {1, "\"protocol\":1,", "", MD0511},
    {1, "\"kernels\":[", "\"extra\":0,\"kernels\":[", MD0511},
    {1, "\"kernels\":[", "\"policy\":{},\"kernels\":[", MD0511}, /* not in version 1 */
    {1, "\"params\":[", "\"launch\":{\"max_block\":1},\"params\":[", MD0511},
    {1, "\"name\":\"scale\"", "\"name\":\"saxpy\"", MD0511}, /* a doubled kernel */
    {1, "\"name\":\"saxpy\"", "\"name\":\"\"", MD0511},
    {1, "\"kind\":\"scalar\"", "\"kind\":\"number\"", MD0511},
    {1, "\"size\":4", "\"size\":-4", MD0511},
    {1, "\"size\":4", "\"size\":\"4x\"", MD0511},
    {1, "\"size\":4", "\"size\":0", MD0511},
    {1, "\"size\":4", "\"size\":32765", MD0511},
    {1, "\"size\":4", "\"size\":18446744073709551615", MD0511},
    {1, "\"align\":4", "\"align\":3", MD0511},
    {1, "\"align\":8,\"offset\":8}", "\"align\":8,\"offset\":12}", MD0511},
    {1, "\"align\":8,\"offset\":8}", "\"align\":8,\"offset\":0}", MD0511}, /* overlap */
    {1, "\"align\":8,\"offset\":8}", "\"align\":8,\"offset\":18446744073709551608}", MD0511},
    {1, "\"name\":\"bias\",\"size\":8", "\"name\":\"bias\",\"size\":16", MD0511},
    {1, "\"arch\":\"sm_90\"", "\"arch\":\"gfx90\"", MD0511},
    {1, "\"arch\":\"sm_90\"", "\"arch\":\"sm_80\"", MD0511},
    {1, "\"space\":\"const\"", "\"space\":\"shared\"", MD0511},
    {1, "\"path\":\"src/lib.rs\"", "\"path\":\"/abs/src/lib.rs\"", MD0511},
    {1, "0708090000", "07080900zz", MD0511},
    {2, "\"max_block\":256", "\"max_block\":2048", MD0512},
    {2, "\"max_block\":256", "\"max_block\":4294967296", MD0511},
    {2, "\"max_block\":256", "", MD0511}, /* facts without a fact */
    {2, "\"block\":[128,2,1]", "\"block\":[128,2]", MD0511},
    {2, "\"block\":[128,2,1]", "\"block\":[128,0,1]", MD0512},
    {2, "\"block\":[128,2,1]", "\"block\":[1024,2,1]", MD0512},
    {2, "\"block\":[128,2,1]", "\"block\":[128,2,1],\"max_block\":256", MD0512},
    {2, "\"min_blocks\":2", "\"min_blocks\":0", MD0512},
    {2, "\"cluster\":[2,1,1]", "\"cluster\":[32,1,1]", MD0512},
    {2, "\"dyn_shared\":4096,", "", MD0512}, /* an alignment of nothing */
    {2, ",\"dyn_shared_align\":16", "", MD0511},
    {2, "\"dyn_shared_align\":16", "\"dyn_shared_align\":12", MD0512},
    {2, "\"dyn_shared\":4096", "\"dyn_shared\":1000000", MD0512},
    {2, "\"code\":7", "\"code\":3", MD0511},
    {2, "\"opt\":3", "\"opt\":4", MD0511},
    {2, "\"debug\":\"lines\"", "\"debug\":\"some\"", MD0511},
    {2, "\"fmad\":false", "\"fmad\":0", MD0511},
};

static void each_broken_rule_is_one_coded_error(void **state) {
  struct fixture *f = *state;
  for (size_t i = 0; i < COUNT_OF(edits); i++) {
    const struct edit_case *e = &edits[i];
    struct manifest m;
    str text = edit(f, text_of(f, e->version), e->from, e->to);
    bool ok = manifest_read(&f->sink, &f->arena, text, STR("t"), e->version, &m);
    if (ok || f->sink.first->code != e->code || f->sink.errors != 1)
      print_error("case %zu: %s -> %s: %s\n", i, e->from, e->to,
                  ok ? "taken" : f->sink.first->message.p);
    assert_false(ok);
    fixture_expect(f, e->code);
  }
}

static void every_prefix_of_the_text_is_refused(void **state) {
  struct fixture *f = *state;
  str text = text_of(f, 2);
  for (size_t n = 0; n < text.n; n++) {
    struct manifest m;
    struct arena_mark mark = arena_save(&f->arena);
    assert_false(manifest_read(&f->sink, &f->arena, (str){text.p, n}, STR("t"), 2, &m));
    enum diag_code c = fixture_take(f);
    assert_true(c == MD0510 || c == MD0511);
    arena_rewind(&f->arena, mark);
  }
}

static void a_wrong_manifest_is_not_written(void **state) {
  struct fixture *f = *state;
  struct strbuf sb = {0};
  struct manifest m = fixture_manifest(2);
  m.kernels[0].launch.block[0] = 0;
  assert_false(manifest_write(&f->sink, &m, &sb));
  fixture_expect(f, MD0512);
  assert_int_equal(sb.n, 0);
}

/* The name that rustc gives to its own library everywhere. */
static void sources_of_the_rust_library_keep_their_virtual_path(void **state) {
  struct fixture *f = *state;
  struct manifest m;
  str text = edit(f, text_of(f, 1), "\"path\":\"src/lib.rs\"",
                  "\"path\":\"/rustc/5980761/library/core/src/num/mod.rs\"");
  assert_true(manifest_read(&f->sink, &f->arena, text, STR("t"), 1, &m));
}

static void a_hostile_name_stays_data(void **state) {
  struct fixture *f = *state;
  struct strbuf sb = {0};
  struct manifest m, got;
  struct manifest_kernel k = {.name = STR("a\"b\\c\n\x1b[31m\xe2\x80\xae"), .path = STR("p")};
  manifest_init(&m);
  m.kernels = &k;
  m.n_kernels = 1;
  assert_true(manifest_write(&f->sink, &m, &sb));
  assert_true(manifest_read(&f->sink, &f->arena, sb_str(&sb), STR("t"), 1, &got));
  assert_true(str_eq(got.kernels[0].name, k.name));
  sb_free(&sb);
}

int main(void) {
  static const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, fixture_start, fixture_stop)
      T(version_2_keeps_everything),
      T(version_1_has_defaults_for_what_it_lacks),
      T(what_is_read_is_written_again_the_same),
      T(each_deviation_from_the_default_policy_counts),
      T(each_broken_rule_is_one_coded_error),
      T(every_prefix_of_the_text_is_refused),
      T(a_wrong_manifest_is_not_written),
      T(sources_of_the_rust_library_keep_their_virtual_path),
      T(a_hostile_name_stays_data),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
