/* bundles/artifact: one name for each artifact, and never one name for two. */
#include "test/unit/bundle_fixture.h"

#include <stdio.h>

#include "base/fs.h"
#include "bundles/artifact.h"

static struct artifact_part part(enum artifact_kind k, const char *arch) {
  return (struct artifact_part){.kind = k, .arch = str_from(arch)};
}

static const char *place(struct fixture *f, struct artifact_unit u, enum artifact_kind k,
                         const char *arch) {
  struct artifact_place p;
  assert_true(artifact_place(&f->sink, &f->arena, "out", &u, part(k, arch), &p));
  return p.path;
}

static struct artifact_unit unit(enum unit_kind kind, const char *package, const char *target,
                                 const char *profile) {
  return (struct artifact_unit){.kind = kind,
                                .package = str_from(package),
                                .target = str_from(target),
                                .profile = str_from(profile)};
}

static void cargo_targets_are_named_in_full(void **state) {
  struct fixture *f = *state;
  struct artifact_unit u = unit(UNIT_LIB, "gpu-kernels", "gpu_kernels", "release");
  assert_string_equal(place(f, u, ART_BUNDLE, ""), "out/release/gpu-kernels.lib.gpu_kernels.mirdc");
  assert_string_equal(place(f, u, ART_CUBIN, "sm_90a"),
                      "out/release/gpu-kernels.lib.gpu_kernels.sm_90a.cubin");
  assert_string_equal(place(f, u, ART_RECORD, "sm_90"),
                      "out/release/gpu-kernels.lib.gpu_kernels.record.json");
  u = unit(UNIT_TEST, "my-app", "it-test", "test");
  assert_string_equal(place(f, u, ART_LTOIR, "sm_80"), "out/debug/my-app.test.it-test.sm_80.ltoir");
  u.triple = STR("x86_64-unknown-linux-gnu");
  u.unit_hash = STR("0123456789abcdef");
  assert_string_equal(
      place(f, u, ART_PMIR, ""),
      "out/x86_64-unknown-linux-gnu/debug/0123456789abcdef/my-app.test.it-test.pmir.json");
}

static void a_loose_file_is_named_plainly(void **state) {
  struct fixture *f = *state;
  struct artifact_unit u = unit(UNIT_FILE, "", "saxpy", "");
  assert_string_equal(place(f, u, ART_BUNDLE, ""), "out/saxpy.mirdc");
  assert_string_equal(place(f, u, ART_PTX, "sm_75"), "out/saxpy.sm_75.ptx");
  u.profile = STR("release"); /* what the dump says; a loose file has no profile folder */
  assert_string_equal(place(f, u, ART_BUNDLE, ""), "out/saxpy.mirdc");
  assert_true(str_eqz(artifact_stem(STR("a/b/saxpy.pmir.json")), "saxpy"));
  assert_true(str_eqz(artifact_stem(STR("saxpy.rs")), "saxpy"));
  assert_true(str_eqz(artifact_stem(STR("two.parts.rs")), "two.parts"));
  assert_true(str_eqz(artifact_stem(STR("x.record.json")), "x"));
}

/* All units of one package that Cargo tells apart, in all forms that are written. */
static void no_two_artifacts_share_a_name(void **state) {
  struct fixture *f = *state;
  static const char *const names[] = {"a-b", "a_b", "dup", "lib", "test", "sm_90"};
  static const char *const profiles[] = {"dev", "release", "fast"};
  static const char *const archs[] = {"sm_90", "sm_90a", "sm_100f"};
  struct map seen = {0};
  size_t n = 0;
  for (unsigned kind = UNIT_FILE; kind < UNIT_KINDS; kind++)
    for (size_t i = 0; i < COUNT_OF(names); i++)
      for (size_t j = 0; j < COUNT_OF(profiles); j++)
        for (int test = 0; test < 2; test++)
          for (unsigned k = 0; k < ARTIFACT_KINDS; k++)
            for (size_t a = 0; a < COUNT_OF(archs); a++) {
              struct artifact_unit u = unit((enum unit_kind)kind, "dup", names[i], profiles[j]);
              bool twice = kind == UNIT_LIB || kind == UNIT_BIN || kind == UNIT_EXAMPLE;
              u.test = test;
              if ((kind == UNIT_FILE && j > 0) || (test && !twice) ||
                  (a > 0 && !artifact_kind_per_arch((enum artifact_kind)k)))
                continue; /* the same artifact again */
              bool fresh;
              const char *path = place(f, u, (enum artifact_kind)k, archs[a]);
              (void)map_put(&seen, str_from(path), &fresh);
              if (!fresh)
                print_error("%s\n", path);
              assert_true(fresh);
              n++;
            }
  assert_int_equal(seen.n, n);
  map_free(&seen);
}

static void link_units_are_numbered_when_there_are_several(void **state) {
  struct fixture *f = *state;
  struct artifact_unit u = unit(UNIT_LIB, "p", "t", "dev");
  struct artifact_part of = {ART_CUBIN, STR("sm_90"), true, 2};
  struct artifact_place p;
  assert_true(artifact_place(&f->sink, &f->arena, "out", &u, of, &p));
  assert_string_equal(p.path, "out/debug/p.lib.t.u2.sm_90.cubin");
  assert_true(artifact_place_beside(&f->sink, &f->arena, "d/x.mirdc", ART_BUNDLE, of, &p));
  assert_string_equal(p.path, "d/x.u2.sm_90.cubin");
  assert_true(artifact_place_beside(&f->sink, &f->arena, "d/x.cubin", ART_CUBIN, of, &p));
  assert_string_equal(p.path, "d/x.cubin");
  of.kind = ART_BUNDLE; /* one for all units */
  assert_true(artifact_place(&f->sink, &f->arena, "out", &u, of, &p));
  assert_string_equal(p.path, "out/debug/p.lib.t.mirdc");
}

static void profiles_have_cargos_folders(void **state) {
  (void)state;
  assert_true(str_eqz(artifact_profile_dir(STR("")), "debug"));
  assert_true(str_eqz(artifact_profile_dir(STR("dev")), "debug"));
  assert_true(str_eqz(artifact_profile_dir(STR("test")), "debug"));
  assert_true(str_eqz(artifact_profile_dir(STR("release")), "release"));
  assert_true(str_eqz(artifact_profile_dir(STR("bench")), "release"));
  assert_true(str_eqz(artifact_profile_dir(STR("production")), "production"));
}

static void names_that_leave_the_folder_are_refused(void **state) {
  struct fixture *f = *state;
  static const char *const bad[] = {"",     "..",    "a/b",   "../x", "a\nb",
                                    ".hid", "-flag", "a\x7f", "\x01", "a.b"};
  for (size_t i = 0; i < COUNT_OF(bad); i++) {
    struct artifact_place p;
    struct artifact_unit u = unit(UNIT_BIN, "pkg", bad[i], "dev");
    assert_false(artifact_place(&f->sink, &f->arena, "out", &u, part(ART_BUNDLE, ""), &p));
    fixture_expect(f, MD0530);
    u = unit(UNIT_BIN, bad[i], "t", "dev");
    assert_false(artifact_place(&f->sink, &f->arena, "out", &u, part(ART_BUNDLE, ""), &p));
    fixture_expect(f, MD0530);
  }
  struct artifact_place p;
  struct artifact_unit u = unit(UNIT_BIN, "p", "t", "../up");
  assert_false(artifact_place(&f->sink, &f->arena, "out", &u, part(ART_BUNDLE, ""), &p));
  fixture_expect(f, MD0530);
  u = unit(UNIT_BIN, "p", "t", "dev");
  assert_false(artifact_place(&f->sink, &f->arena, "out", &u, part(ART_CUBIN, "sm_9/0"), &p));
  fixture_expect(f, MD0530);
}

static void an_output_path_is_kept_and_others_lie_beside_it(void **state) {
  struct fixture *f = *state;
  struct artifact_place p;
  assert_true(artifact_place_beside(&f->sink, &f->arena, "d/x.mirdc", ART_BUNDLE,
                                    part(ART_BUNDLE, ""), &p));
  assert_string_equal(p.path, "d/x.mirdc");
  assert_true(artifact_place_beside(&f->sink, &f->arena, "d/x.mirdc", ART_BUNDLE,
                                    part(ART_CUBIN, "sm_90"), &p));
  assert_string_equal(p.path, "d/x.sm_90.cubin");
  assert_true(
      artifact_place_beside(&f->sink, &f->arena, "odd", ART_BUNDLE, part(ART_RECORD, ""), &p));
  assert_string_equal(p.file, "odd.record.json");
  assert_string_equal(p.dir, ".");
  assert_false(
      artifact_place_beside(&f->sink, &f->arena, "d/", ART_BUNDLE, part(ART_BUNDLE, ""), &p));
  (void)fixture_take(f);
}

static void kinds_are_known_by_their_names(void **state) {
  (void)state;
  enum artifact_kind k;
  enum unit_kind u;
  for (unsigned i = 0; i < ARTIFACT_KINDS; i++) {
    assert_true(artifact_kind_parse(str_from(artifact_kind_name((enum artifact_kind)i)), &k));
    assert_int_equal(k, i);
  }
  for (unsigned i = 0; i < UNIT_KINDS; i++) {
    assert_true(unit_kind_parse(str_from(unit_kind_name((enum unit_kind)i)), &u));
    assert_int_equal(u, i);
  }
  assert_false(artifact_kind_parse(STR("exe"), &k));
  assert_false(unit_kind_parse(STR("exe"), &u));
  assert_true(unit_kind_parse(STR("cdylib"), &u) && u == UNIT_LIB);
  assert_true(unit_kind_parse(STR("custom-build"), &u) && u == UNIT_BUILD);
}

static void touch(struct fixture *f, const char *dir, const char *name) {
  assert_true(fs_write_atomic(&f->sink, path_join(&f->arena, dir, name), STR("x")));
}

static void the_reader_takes_a_near_name_only_when_it_is_unique(void **state) {
  struct fixture *f = *state;
  struct artifact_place p;
  char *root = fs_temp_dir(&f->sink, &f->arena);
  assert_non_null(root);
  const char *dir = path_join(&f->arena, root, "debug");
  assert_true(fs_mkdirs(&f->sink, dir));
  touch(f, dir, "p.bin.a-b_c.mirdc");
  struct artifact_unit u = unit(UNIT_BIN, "p", "a_b_c", "dev");
  assert_true(artifact_find(&f->sink, &f->arena, root, &u, part(ART_BUNDLE, ""), &p));
  assert_string_equal(p.file, "p.bin.a-b_c.mirdc");
  touch(f, dir, "p.bin.a_b-c.mirdc");
  assert_false(artifact_find(&f->sink, &f->arena, root, &u, part(ART_BUNDLE, ""), &p));
  fixture_expect(f, MD0532);
  touch(f, dir, "p.bin.a_b_c.mirdc");
  assert_true(artifact_find(&f->sink, &f->arena, root, &u, part(ART_BUNDLE, ""), &p));
  assert_string_equal(p.file, "p.bin.a_b_c.mirdc");
  assert_true(fs_remove_tree(&f->sink, root));
}

static void the_shared_directory_is_found_from_inside(void **state) {
  struct fixture *f = *state;
  char *root = fs_temp_dir(&f->sink, &f->arena);
  assert_non_null(root);
  assert_int_equal(unsetenv("MIRDC_DIR"), 0);
  const char *inside = path_join(&f->arena, root, "debug/build/k-1234/out");
  assert_true(fs_mkdirs(&f->sink, inside));
  touch(f, root, ".rustc_info.json");
  const char *real = path_real(&f->arena, root);
  char *got = artifact_shared_dir(&f->sink, &f->arena, NULL, inside, NULL);
  assert_non_null(got);
  assert_string_equal(got, path_join(&f->arena, real, "mirdc"));
  assert_string_equal(artifact_shared_dir(&f->sink, &f->arena, "here", inside, NULL), "here");
  assert_int_equal(setenv("MIRDC_DIR", "/set/by/user", 1), 0);
  assert_string_equal(artifact_shared_dir(&f->sink, &f->arena, NULL, inside, NULL), "/set/by/user");
  assert_int_equal(setenv("MIRDC_DIR", "not/absolute", 1), 0);
  assert_null(artifact_shared_dir(&f->sink, &f->arena, NULL, inside, NULL));
  fixture_expect(f, MD0531);
  assert_int_equal(unsetenv("MIRDC_DIR"), 0);
  assert_true(fs_remove_tree(&f->sink, root));
}

int main(void) {
  static const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, fixture_start, fixture_stop)
      T(cargo_targets_are_named_in_full),
      T(a_loose_file_is_named_plainly),
      T(no_two_artifacts_share_a_name),
      T(link_units_are_numbered_when_there_are_several),
      T(profiles_have_cargos_folders),
      T(names_that_leave_the_folder_are_refused),
      T(an_output_path_is_kept_and_others_lie_beside_it),
      T(kinds_are_known_by_their_names),
      T(the_reader_takes_a_near_name_only_when_it_is_unique),
      T(the_shared_directory_is_found_from_inside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
