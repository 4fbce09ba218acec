/* What cargo says: packages, artifacts, dep-info, recorded commands. */
#include "unit.h"

#include <sys/stat.h>
#include <fcntl.h>

#include "cargo-integration/cargo-mirdc/build.h"
#include "cargo-integration/cargo-mirdc/depinfo.h"
#include "cargo-integration/cargo-mirdc/recorded.h"

struct fixture {
  struct arena arena;
  struct test_sink t;
  char *dir;
};

static int setup(void **state) {
  struct fixture *f = calloc(1, sizeof *f);
  test_sink_init(&f->t);
  f->dir = fs_temp_dir(&f->t.sink, &f->arena);
  unsetenv("MIRDC_DIR");
  *state = f;
  return 0;
}

static int teardown(void **state) {
  struct fixture *f = *state;
  (void)!fs_remove_tree(&f->t.sink, f->dir);
  test_sink_free(&f->t);
  arena_free(&f->arena);
  free(f);
  return 0;
}

#define PACKAGE(name, kind)                                                                        \
  "{\"name\":\"" name "\",\"version\":\"1.0.0\",\"id\":\"path+file:///w/" name                     \
  "#1.0.0\",\"manifest_path\":\"/w/" name "/Cargo.toml\",\"targets\":[{\"kind\":[\"" kind          \
  "\"],\"name\":\"" name "\"}]}"
#define METADATA                                                                                   \
  "{\"packages\":[" PACKAGE("app", "bin") "," PACKAGE("lib-one", "cdylib") "],"                    \
  "\"workspace_members\":[\"path+file:///w/app#1.0.0\",\"path+file:///w/lib-one#1.0.0\"],"         \
  "\"workspace_default_members\":[\"path+file:///w/app#1.0.0\"],\"workspace_root\":\"/w\","        \
  "\"target_directory\":\"/w/target\"%s}"

static bool load(struct fixture *f, const char *more, struct workspace *w) {
  return workspace_parse(&f->t.sink, &f->arena, arena_printf(&f->arena, METADATA, more), w);
}

static void packages_and_folders_are_read(void **state) {
  struct fixture *f = *state;
  struct workspace w;
  assert_true(load(f, "", &w));
  assert_int_equal(w.packages.n, 2);
  assert_str(w.packages.p[1].name, "lib-one");
  assert_true(w.packages.p[1].has_lib && !w.packages.p[0].has_lib);
  assert_true(w.packages.p[0].selected && !w.packages.p[1].selected);
  assert_string_equal(w.build_dir, "/w/target");
  assert_true(load(f, ",\"build_directory\":\"/b\"", &w));
  assert_string_equal(w.build_dir, "/b");
}

static void metadata_that_is_none_is_reported(void **state) {
  struct fixture *f = *state;
  static const char *const texts[] = {"", "no", "[]", "{\"packages\":3}", "{\"packages\":[{}]}"};
  for (size_t i = 0; i < COUNT_OF(texts); i++) {
    struct workspace w;
    struct diag_mark m = diag_save(&f->t.sink);
    assert_false(workspace_parse(&f->t.sink, &f->arena, str_from(texts[i]), &w));
    assert_int_equal(f->t.sink.first->code, MD0604);
    diag_drop_since(&f->t.sink, m);
  }
}

static void packages_are_selected_as_cargo_does(void **state) {
  struct fixture *f = *state;
  struct workspace w;
  struct options o = {0};
  char name[] = "lib-one@1.0.0";
  char wrong[] = "lib_one";
  assert_true(load(f, "", &w));
  assert_true(workspace_select(&f->t.sink, &o, &w, NULL));
  assert_true(w.packages.p[0].selected && !w.packages.p[1].selected);
  vec_push(&f->arena, &o.values[OPT_PACKAGE], name);
  assert_true(workspace_select(&f->t.sink, &o, &w, NULL));
  assert_true(!w.packages.p[0].selected && w.packages.p[1].selected);
  o.values[OPT_PACKAGE].p[0] = wrong;
  assert_false(workspace_select(&f->t.sink, &o, &w, NULL));
  assert_int_equal(f->t.sink.first->code, MD0605);
}

static void targets_are_selected_by_kind_and_name(void **state) {
  struct fixture *f = *state;
  struct options o = {0};
  char name[] = "my-tool";
  assert_true(target_selected(&o, STR("lib"), STR("x")) && target_selected(&o, STR("bin"), STR("x")));
  assert_false(target_selected(&o, STR("example"), STR("x")));
  vec_push(&f->arena, &o.values[OPT_BIN], name);
  assert_false(target_selected(&o, STR("lib"), STR("my-tool")));
  assert_false(target_selected(&o, STR("bin"), STR("my_tool")));
  assert_true(target_selected(&o, STR("bin"), STR("my-tool")));
  assert_string_equal(target_kind(STR("staticlib")), "lib");
  assert_null(target_kind(STR("proc-macro")));
  assert_null(target_kind(STR("custom-build")));
}

static void the_shared_folder_must_be_absolute(void **state) {
  struct fixture *f = *state;
  struct workspace w;
  struct options o = {0};
  assert_true(load(f, "", &w));
  assert_string_equal(shared_dir(&f->t.sink, &f->arena, &o, &w), "/w/target/mirdc");
  setenv("MIRDC_DIR", "/elsewhere", 1);
  assert_string_equal(shared_dir(&f->t.sink, &f->arena, &o, &w), "/elsewhere");
  setenv("MIRDC_DIR", "relative", 1);
  assert_null(shared_dir(&f->t.sink, &f->arena, &o, &w));
  assert_int_equal(f->t.sink.first->code, MD0608);
  unsetenv("MIRDC_DIR");
}

static char *touch(struct fixture *f, const char *path, const char *text) {
  char *full = path_join(&f->arena, f->dir, path);
  assert_true(fs_mkdirs(&f->t.sink, arena_strz(&f->arena, path_dir(str_from(full)))));
  assert_true(fs_write_atomic(&f->t.sink, full, str_from(text)));
  return full;
}

static void cargos_build_folder_is_found_in_each_layout(void **state) {
  struct fixture *f = *state;
  struct arena *a = &f->arena;
  const char *triple = "x86_64-unknown-linux-gnu";
  touch(f, "t/CACHEDIR.TAG", "");
  touch(f, "t/x86_64-unknown-linux-gnu/CACHEDIR.TAG", "");
  char *b = path_join(a, f->dir, "t");
  static const char *const outs[] = {"t/debug/build/p-1/out", "t/debug/build/p/1/out",
                                     "t/x86_64-unknown-linux-gnu/debug/build/p-1/out"};
  for (size_t i = 0; i < COUNT_OF(outs); i++) {
    assert_string_equal(build_dir_above(a, path_join(a, f->dir, outs[i]), triple), b);
  }
  touch(f, "t/.rustc_info.json", "{}");
  assert_string_equal(build_dir_above(a, path_join(a, f->dir, outs[1]), triple), b);
  assert_null(build_dir_above(a, "/nowhere/at/all", triple));
  struct options o = {0};
  assert_null(shared_dir_of_script(&f->t.sink, a, &o, "/nowhere/at/all", triple));
  assert_int_equal(f->t.sink.first->code, MD0608);
}

#define ARTIFACT(kind, name, file, test)                                                           \
  "{\"reason\":\"compiler-artifact\",\"package_id\":\"p\",\"target\":{\"kind\":[\"" kind           \
  "\"],\"name\":\"" name "\",\"src_path\":\"/w/src/x.rs\"},\"profile\":{\"test\":" test            \
  "},\"filenames\":[" file "],\"fresh\":true}\n"

static void artifacts_are_read_and_other_lines_skipped(void **state) {
  struct fixture *f = *state;
  artifacts list = {0};
  assert_true(nested_parse(
      &f->t.sink, &f->arena,
      STR("a wrapper's words\n"
          "{\"reason\":\"build-script-executed\",\"package_id\":\"p\"}\n" ARTIFACT(
              "cdylib", "my_lib", "\"/t/deps/libmy_lib-0123456789abcdef.rmeta\"", "false")
              ARTIFACT("bin", "my-app", "\"/t/deps/libmy_app.rmeta\"", "true")
                  ARTIFACT("test", "it", "", "true") ARTIFACT("proc-macro", "m", "", "false")),
      &list));
  assert_int_equal(list.n, 4);
  assert_string_equal(list.p[0].kind, "lib");
  assert_str(list.p[0].hash, "-0123456789abcdef");
  assert_true(list.p[1].test_build && list.p[1].hash.n == 0);
  assert_true(!list.p[2].test_build && list.p[2].output == NULL);
  assert_null(list.p[3].kind);
  assert_false(nested_parse(&f->t.sink, &f->arena, STR("{\"reason\":\n"), &list));
  assert_int_equal(f->t.sink.first->code, MD0604);
}

static void age(const char *path, time_t seconds) {
  struct timespec t[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
  assert_int_equal(utimensat(AT_FDCWD, path, t, 0), 0);
}

static void the_newest_record_of_crate_and_hash_is_taken(void **state) {
  struct fixture *f = *state;
  struct nested n;
  nested_init(&n, &f->arena, f->dir, "dev");
  artifacts list = {0};
  struct artifact r = {.kind = "lib", .name = STR("my-lib"), .hash = STR("-0123456789abcdef")};
  vec_push(&f->arena, &list, r);
  age(touch(f, "cargo-v1/records/my_lib-0123456789abcdef-aaaaaaaaaaaa.json", ""), 100);
  char *want = touch(f, "cargo-v1/records/my_lib-0123456789abcdef-bbbbbbbbbbbb.json", "");
  age(want, 200);
  touch(f, "cargo-v1/records/my_lib-fedcba9876543210-cccccccccccc.json", "");
  touch(f, "cargo-v1/records/my_lib_two-0123456789abcdef-dddddddddddd.json", "");
  assert_true(nested_find_records(&f->arena, &n, &list));
  assert_string_equal(list.p[0].record, want);
  struct artifact lost = {.kind = "bin", .name = STR("other")};
  vec_push(&f->arena, &list, lost);
  assert_false(nested_find_records(&f->arena, &n, &list));
}

static void a_record_gives_command_and_environment(void **state) {
  struct fixture *f = *state;
  struct recorded r;
  char *path = touch(f, "r.json", "{\"argv\":[\"rustc\",\"a b.rs\",\"--extern\",\"mirdc=/x\"],"
                                  "\"cwd\":\"/w\",\"env\":{\"OUT_DIR\":\"/o=1\"}}");
  assert_true(recorded_read(&f->t.sink, &f->arena, path, &r));
  assert_int_equal(r.argv.n, 4);
  assert_string_equal(r.argv.p[1], "a b.rs");
  assert_string_equal(r.cwd, "/w");
  assert_string_equal(recorded_env(&r, "OUT_DIR"), "/o=1");
  assert_null(recorded_env(&r, "OUT"));
  assert_true(recorded_uses_device_crate(&r));
  r.argv.n = 3;
  assert_false(recorded_uses_device_crate(&r));
}

static void a_damaged_record_is_reported(void **state) {
  struct fixture *f = *state;
  static const char *const texts[] = {"", "{", "{\"argv\":[],\"cwd\":\"/\",\"env\":{}}",
                                      "{\"argv\":[1],\"cwd\":\"/\",\"env\":{}}",
                                      "{\"argv\":[\"rustc\"],\"env\":{}}"};
  for (size_t i = 0; i < COUNT_OF(texts); i++) {
    struct recorded r;
    struct diag_mark m = diag_save(&f->t.sink);
    assert_false(recorded_read(&f->t.sink, &f->arena, touch(f, "r.json", texts[i]), &r));
    assert_int_equal(f->t.sink.first->code, MD0607);
    diag_drop_since(&f->t.sink, m);
  }
}

static void dep_info_keeps_spaces_and_variables(void **state) {
  struct fixture *f = *state;
  struct depinfo d;
  depinfo_parse(&f->arena,
                STR("/t/a.d: src/lib.rs src/with\\ space.rs /abs/x#$y.rs\n\n"
                    "/t/liba.rmeta: src/lib.rs\n\nsrc/lib.rs:\n\n# env-dep:HOME=/root\n"
                    "# env-dep:UNSET\n"),
                "/w", &d);
  assert_int_equal(d.sources.n, 3);
  assert_string_equal(d.sources.p[0], "/w/src/lib.rs");
  assert_string_equal(d.sources.p[1], "/w/src/with space.rs");
  assert_string_equal(d.sources.p[2], "/abs/x#$y.rs");
  assert_int_equal(d.env.n, 2);
  assert_string_equal(d.env.p[0], "HOME");
  assert_string_equal(d.env.p[1], "UNSET");
}

static void bundles_are_named_after_package_kind_and_target(void **state) {
  struct fixture *f = *state;
  struct artifact r = {.package = STR("my-app"), .kind = "bin", .name = STR("a-b")};
  assert_string_equal(build_bundle_path(&f->arena, "/s", &r, "dev"), "/s/debug/my-app.bin.a-b.mirdc");
  assert_string_equal(build_bundle_path(&f->arena, "/s", &r, "bench"),
                      "/s/release/my-app.bin.a-b.mirdc");
  assert_string_equal(build_bundle_path(&f->arena, "/s", &r, "dist"),
                      "/s/dist/my-app.bin.a-b.mirdc");
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      T(packages_and_folders_are_read),
      T(metadata_that_is_none_is_reported),
      T(packages_are_selected_as_cargo_does),
      T(targets_are_selected_by_kind_and_name),
      T(the_shared_folder_must_be_absolute),
      T(cargos_build_folder_is_found_in_each_layout),
      T(artifacts_are_read_and_other_lines_skipped),
      T(the_newest_record_of_crate_and_hash_is_taken),
      T(a_record_gives_command_and_environment),
      T(a_damaged_record_is_reported),
      T(dep_info_keeps_spaces_and_variables),
      T(bundles_are_named_after_package_kind_and_target),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
