/* Dependencies: recorded commands, device metadata, the cache. */
#include "unit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fs.h"
#include "cargo-integration/rustc/deps.h"
#include "cargo-integration/rustc/runs.h"
#include "rustc_tools.h"

static struct toolchain tools[MAX_TOOLS];
static size_t n_tools;
static struct arena tool_arena;

struct work {
  struct arena arena;
  struct test_sink t;
  char *dir;
};

static void work_init(struct work *w) {
  *w = (struct work){0};
  test_sink_init(&w->t);
  w->dir = path_real(&w->arena, fs_temp_dir(&w->t.sink, &w->arena));
}

static void work_free(struct work *w) {
  (void)!fs_remove_tree(&w->t.sink, w->dir);
  test_sink_free(&w->t);
  arena_free(&w->arena);
}

static char *at(struct work *w, const char *name) {
  return path_join(&w->arena, w->dir, name);
}

static void put(struct work *w, const char *name, const char *text) {
  char *path = at(w, name);
  assert_true(fs_mkdirs(&w->t.sink, arena_strz(&w->arena, path_dir(str_from(path)))));
  assert_true(fs_write_atomic(&w->t.sink, path, str_from(text)));
}

/* Word lists are constants; the functions under test take argv as main gets it. */
static char **words(struct work *w, const char *const *list, int n) {
  char **out = arena_array(&w->arena, char *, (size_t)n + 1);
  for (int i = 0; i < n; i++) {
    out[i] = arena_strz(&w->arena, str_from(list[i]));
  }
  return out;
}

/* deps_record becomes another program, so it runs in a child. */
static int record(struct work *w, int argc, const char *const *list) {
  char **argv = words(w, list, argc);
  fflush(NULL);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    if (chdir(w->dir) == 0 && setenv("CARGO_PKG_NAME", "demo", 1) == 0 &&
        setenv("CARGO_REGISTRY_TOKEN", "hush", 1) == 0 &&
        setenv("FROM_A_SCRIPT", "x=y z", 1) == 0) {
      _exit(deps_record(&w->t.sink, &w->arena, at(w, "rec"), argc, argv));
    }
    _exit(99);
  }
  int st = 0;
  assert_true(waitpid(pid, &st, 0) == pid);
  return WIFEXITED(st) ? WEXITSTATUS(st) : 128;
}

static bool has_env(const struct unit *u, const char *entry) {
  for (size_t i = 0; i < u->env.n; i++) {
    if (strcmp(u->env.p[i], entry) == 0) {
      return true;
    }
  }
  return false;
}

static struct toolchain any_toolchain(struct work *w) {
  struct toolchain tc;
  assert_true(toolchain_parse(&w->t.sink, &w->arena,
                              STR("host: x86_64-unknown-linux-gnu\nrelease: 1.95.0\n"), &tc));
  return tc;
}

static void a_recorded_command_reads_back(void **state) {
  (void)state;
  struct work w;
  struct unit u;
  str *names = NULL;
  size_t n = 0;
  work_init(&w);
  put(&w, "src/lib.rs", "pub fn f() {}\n");
  const char *const argv[] = {
      "/bin/true", "--crate-name",       "demo",           "src/lib.rs", "--cfg", "feature=\"a b\"",
      "-C",        "extra-filename=-77", "--edition=2021", NULL};
  assert_int_equal(record(&w, 9, argv), 0);
  assert_true(fs_list(&w.arena, at(&w, "rec"), &names, &n));
  assert_int_equal(n, 1);
  assert_true(str_starts(names[0], STR("demo-77-")));
  struct toolchain tc = any_toolchain(&w);
  char *path = path_join(&w.arena, at(&w, "rec"), arena_strz(&w.arena, names[0]));
  assert_true(deps_read_record(&w.t.sink, &w.arena, path, &tc, &u));
  assert_str(u.crate_name, "demo");
  assert_str(u.features.p[0], "a b");
  assert_string_equal(u.cwd, w.dir);
  assert_true(has_env(&u, "CARGO_PKG_NAME=demo"));
  assert_true(has_env(&u, "FROM_A_SCRIPT=x=y z"));
  assert_false(has_env(&u, "CARGO_REGISTRY_TOKEN=hush"));
  work_free(&w);
}

static void questions_about_the_compiler_are_not_recorded(void **state) {
  (void)state;
  struct work w;
  work_init(&w);
  const char *const version[] = {"/bin/true", "-vV", NULL};
  const char *const probe[] = {"/bin/true", "-", "--crate-name", "___", "--print=cfg", NULL};
  const char *const broken[] = {"/bin/false", "--crate-name", "x", "--frobnicate", "a.rs", NULL};
  const char *const missing[] = {"/nonexistent/rustc", "-vV", NULL};
  assert_int_equal(record(&w, 2, version), 0);
  assert_int_equal(record(&w, 5, probe), 0);
  assert_int_equal(record(&w, 5, broken), 1);
  assert_int_equal(record(&w, 2, missing), 1);
  assert_false(fs_exists(at(&w, "rec")));
  work_free(&w);
}

static void damaged_records_are_refused(void **state) {
  (void)state;
  static const char *const bad[] = {
      "",
      "{",
      "[]",
      "{\"argv\":[],\"cwd\":\"/\"}",
      "{\"argv\":3,\"cwd\":\"/\",\"env\":{}}",
      "{\"argv\":[\"rustc\"],\"cwd\":\"/\",\"env\":{},\"more\":1}",
      "{\"argv\":[\"rustc\",7],\"cwd\":\"/\",\"env\":{}}",
  };
  for (size_t i = 0; i < COUNT_OF(bad); i++) {
    struct work w;
    struct deps *d = NULL;
    work_init(&w);
    struct toolchain tc = any_toolchain(&w);
    put(&w, "rec/x.json", bad[i]);
    print_message("%s\n", bad[i]);
    assert_false(deps_open(&w.t.sink, &w.arena, &tc, at(&w, "rec"), at(&w, "cache"), &d));
    assert_int_equal(sink_code(&w.t), MD0147);
    deps_close(d);
    work_free(&w);
  }
}

static void put_record(struct work *w, const char *crate, const char *more) {
  str text = arena_printf(&w->arena,
                          "{\"argv\":[\"rustc\",\"--crate-name\",\"%s\",\"%s/src/lib.rs\","
                          "\"--edition=2021\",\"-Cextra-filename=-1\",\"-Cmetadata=%s\"%s],"
                          "\"cwd\":\"%s\",\"env\":{\"CARGO_MANIFEST_DIR\":\"%s/%s\"}}",
                          crate, crate, crate, more, w->dir, w->dir, crate);
  str name = arena_printf(&w->arena, "rec/%s-1.json", crate);
  put(w, arena_strz(&w->arena, name), arena_strz(&w->arena, text));
}

/* leaf <- mid <- top, as Cargo would have compiled them. */
static void put_crates(struct work *w) {
  put(w, "leaf/src/lib.rs",
      "#[inline(never)] pub fn scale(x: u32) -> u32 { x * 3 }\n"
      "#[cfg(mirdc_device)] pub const ON_DEVICE: u32 = 1;\n"
      "#[cfg(not(mirdc_device))] pub const ON_DEVICE: u32 = 0;\n");
  put(w, "mid/src/lib.rs", "mod inner; pub use inner::twice;\n");
  put(w, "mid/src/inner.rs",
      "#[inline(never)] pub fn twice(x: u32) -> u32 { leaf::scale(x) + leaf::scale(x + 1) }\n");
  put(w, "top.rs", "pub fn kernel(x: u32) -> u32 { mid::twice(x) + leaf::ON_DEVICE }\n");
  put_record(w, "leaf", "");
  put_record(w, "mid", ",\"--extern\",\"leaf=/gone/libleaf-1.rmeta\"");
}

struct result {
  bool ok;
  unsigned dep_runs;
  str mir;
};

static struct result run_asking(struct work *w, const struct toolchain *tc, bool bodies) {
  const char *const argv[] = {at(w, "top.rs"),
                              "--crate-name=top",
                              "--edition=2021",
                              "--crate-type=lib",
                              "--extern=mid=/gone/libmid-1.rlib",
                              "--extern=leaf=/gone/libleaf-1.rlib",
                              "-Copt-level=3"};
  struct unit u;
  struct deps *d = NULL;
  struct runs r = {0};
  struct run_bodies b = {0};
  struct result out = {0};
  bool user_error = false;
  assert_true(unit_from_args(&w->t.sink, &w->arena, tc, (int)COUNT_OF(argv),
                             words(w, argv, (int)COUNT_OF(argv)), &u));
  assert_true(deps_open(&w->t.sink, &w->arena, tc, at(w, "rec"), at(w, "cache"), &d));
  out.ok = runs_open(&w->t.sink, &w->arena, &u, d, &r) && runs_bodies(&r, &b, &user_error);
  out.mir = b.mir;
  if (out.ok && bodies) {
    const struct unit *leaf = deps_bodies(d, &w->t.sink, STR("leaf"), &out.mir);
    assert_true(leaf != NULL && str_eq(leaf->crate_name, STR("leaf")));
    assert_null(deps_bodies(d, &w->t.sink, STR("top"), &b.mir));
  }
  out.dep_runs = deps_runs(d);
  runs_close(&r);
  debuginfo_free(b.debuginfo);
  deps_close(d);
  return out;
}

static struct result run_top(struct work *w, const struct toolchain *tc) {
  return run_asking(w, tc, false);
}

static bool holds(str text, const char *what) {
  return str_find(text, str_from(what), 0) != SIZE_MAX;
}

static void bodies_of_dependencies_come_with_them(void **state) {
  (void)state;
  for (size_t i = 0; i < n_tools; i++) {
    struct work w;
    work_init(&w);
    put_crates(&w);
    struct result r = run_top(&w, &tools[i]);
    diag_flush(&w.t.sink, false, false);
    print_message("%.*s\n", STR_ARG(tools[i].release));
    assert_true(r.ok);
    assert_int_equal(r.dep_runs, 2);
    assert_false(holds(r.mir, "{mid::twice}"));
    assert_false(holds(r.mir, "{leaf::scale}"));
    assert_true(holds(r.mir, "mid/src/inner.rs:1:"));
    assert_false(holds(r.mir, w.dir));
    assert_true(holds(r.mir, "Scalar(0x00000001): u32"));
    /* Its own text, in its own words and without inlining, is made once. */
    r = run_asking(&w, &tools[i], true);
    assert_int_equal(r.dep_runs, 1);
    assert_true(holds(r.mir, "\nfn scale("));
    assert_int_equal(run_asking(&w, &tools[i], true).dep_runs, 0);
    work_free(&w);
  }
}

static void the_cache_answers_until_a_source_changes(void **state) {
  (void)state;
  struct work w;
  if (n_tools == 0) {
    return;
  }
  work_init(&w);
  put_crates(&w);
  assert_int_equal(run_top(&w, &tools[0]).dep_runs, 2);
  assert_int_equal(run_top(&w, &tools[0]).dep_runs, 0);
  put(&w, "mid/src/inner.rs", "pub fn twice(x: u32) -> u32 { leaf::scale(x) * 2 }\n");
  struct result r = run_top(&w, &tools[0]);
  assert_true(r.ok);
  assert_int_equal(r.dep_runs, 1);
  put(&w, "leaf/src/lib.rs",
      "pub fn scale(x: u32) -> u32 { x * 5 }\npub const ON_DEVICE: u32 = 9;\n");
  r = run_top(&w, &tools[0]);
  assert_true(r.ok);
  assert_int_equal(r.dep_runs, 2); /* whoever uses a changed crate is compiled again */
  assert_true(holds(r.mir, "Scalar(0x00000009): u32"));
  assert_int_equal(run_top(&w, &tools[0]).dep_runs, 0);
  work_free(&w);
}

/* Makes every result folder look as if it were two days old; how many there are. */
static size_t age_results(struct work *w) {
  str *names = NULL;
  size_t n = 0;
  size_t dirs = 0;
  struct timespec old[2] = {{0, 0}, {0, 0}};
  assert_int_equal(clock_gettime(CLOCK_REALTIME, &old[1]), 0);
  old[1].tv_sec -= (time_t)2 * 24 * 3600;
  old[0] = old[1];
  assert_true(fs_list(&w->arena, at(w, "cache/deps"), &names, &n));
  for (size_t i = 0; i < n; i++) {
    char *path = path_join(&w->arena, at(w, "cache/deps"), arena_strz(&w->arena, names[i]));
    if (fs_is_dir(path)) {
      dirs++;
      assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    }
  }
  return dirs;
}

static void old_results_go_and_emptied_ones_are_made_again(void **state) {
  (void)state;
  struct work w;
  if (n_tools == 0) {
    return;
  }
  work_init(&w);
  put_crates(&w);
  assert_int_equal(run_top(&w, &tools[0]).dep_runs, 2);
  put(&w, "mid/src/inner.rs", "pub fn twice(x: u32) -> u32 { leaf::scale(x) * 2 }\n");
  assert_int_equal(run_top(&w, &tools[0]).dep_runs, 1);
  assert_int_equal(age_results(&w), 3); /* the first one of `mid` may still be in use */
  put(&w, "mid/src/inner.rs", "pub fn twice(x: u32) -> u32 { leaf::scale(x) * 4 }\n");
  assert_int_equal(run_top(&w, &tools[0]).dep_runs, 1);
  assert_int_equal(age_results(&w), 2);
  assert_true(fs_remove_tree(&w.t.sink, at(&w, "cache/deps")));
  assert_int_equal(run_top(&w, &tools[0]).dep_runs, 2);
  /* The folder is there, the product is not. */
  str *names = NULL;
  size_t n = 0;
  assert_true(fs_list(&w.arena, at(&w, "cache/deps"), &names, &n));
  for (size_t i = 0; i < n; i++) {
    str file = arena_printf(&w.arena, "cache/deps/%.*s/libleaf-1.rmeta", STR_ARG(names[i]));
    (void)remove(at(&w, arena_strz(&w.arena, file)));
  }
  struct result r = run_top(&w, &tools[0]);
  assert_true(r.ok);
  assert_int_equal(r.dep_runs, 1);
  work_free(&w);
}

/* As a crash of the machine leaves it: the name is there, the content is not. */
static void a_damaged_result_is_made_again(void **state) {
  (void)state;
  struct work w;
  if (n_tools == 0) {
    return;
  }
  work_init(&w);
  put_crates(&w);
  assert_int_equal(run_top(&w, &tools[0]).dep_runs, 2);
  static const char *const damages[] = {"", "no metadata"};
  for (size_t k = 0; k < COUNT_OF(damages); k++) {
    str *names = NULL;
    size_t n = 0, hit = 0;
    assert_true(fs_list(&w.arena, at(&w, "cache/deps"), &names, &n));
    for (size_t i = 0; i < n; i++) {
      str file = arena_printf(&w.arena, "cache/deps/%.*s/libleaf-1.rmeta", STR_ARG(names[i]));
      char *path = at(&w, arena_strz(&w.arena, file));
      if (fs_exists(path)) {
        assert_true(fs_write_atomic(&w.t.sink, path, str_from(damages[k])));
        hit++;
      }
    }
    assert_int_equal(hit, 1);
    struct result r = run_top(&w, &tools[0]);
    assert_true(r.ok);
    assert_int_equal(r.dep_runs, 1);
  }
  assert_int_equal(run_top(&w, &tools[0]).dep_runs, 0);
  work_free(&w);
}

static void a_dependency_that_fails_on_the_device_is_named(void **state) {
  (void)state;
  struct work w;
  if (n_tools == 0) {
    return;
  }
  work_init(&w);
  put_crates(&w);
  put(&w, "leaf/src/lib.rs", "#[cfg(mirdc_device)] compile_error!(\"not for devices\");\n");
  struct result r = run_top(&w, &tools[0]);
  assert_false(r.ok);
  assert_int_equal(sink_code(&w.t), MD0146);
  assert_true(holds(w.t.sink.first->message, "`leaf`"));
  work_free(&w);
}

static void a_compiler_that_writes_no_metadata_is_caught(void **state) {
  (void)state;
  struct work w;
  if (n_tools == 0) {
    return;
  }
  work_init(&w);
  put_crates(&w);
  put(&w, "rustc", "#!/bin/sh\nexit 0\n");
  assert_int_equal(chmod(at(&w, "rustc"), 0755), 0);
  struct toolchain tc = tools[0];
  tc.program = at(&w, "rustc");
  assert_false(run_top(&w, &tc).ok);
  assert_int_equal(sink_code(&w.t), MD0153);
  work_free(&w);
}

static void a_single_file_gets_the_device_crate(void **state) {
  (void)state;
  const char *crates = "cargo-integration";
  for (size_t i = 0; i < n_tools; i++) {
    struct work w;
    struct unit u;
    struct deps *d = NULL;
    struct runs r = {0};
    struct run_bodies b = {0};
    bool user_error = false;
    work_init(&w);
    put(&w, "k.rs",
        "#![no_std]\nuse mirdc::prelude::*;\n"
        "#[mirdc::kernel] pub fn k(a: u32, mut y: PerThread<u32>) {\n"
        "  if let Some(v) = y.at(thread::index_x()) { *v = a; }\n}\n");
    assert_int_equal(setenv("MIRDC_CRATES", crates, 1), 0);
    assert_true(unit_from_file(&w.t.sink, &w.arena, &tools[i], at(&w, "k.rs"), NULL, &u));
    assert_true(deps_open(&w.t.sink, &w.arena, &tools[i], NULL, at(&w, "cache"), &d));
    bool ok = runs_open(&w.t.sink, &w.arena, &u, d, &r) && runs_bodies(&r, &b, &user_error);
    diag_flush(&w.t.sink, false, false);
    assert_true(ok);
    assert_int_equal(deps_runs(d), 2);
    assert_true(holds(b.mir, "__MIRDC_KERNEL"));
    assert_true(holds(b.mir, "__mirdc_tid_x"));
    assert_false(holds(b.mir, w.dir));
    assert_int_equal(unsetenv("MIRDC_CRATES"), 0);
    runs_close(&r);
    debuginfo_free(b.debuginfo);
    deps_close(d);
    work_free(&w);
  }
}

int main(void) {
  n_tools = rustc_tools(&tool_arena, tools);
  if (n_tools == 0) {
    print_message("not run: there is no Rust toolchain on this machine\n");
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_recorded_command_reads_back),
      cmocka_unit_test(questions_about_the_compiler_are_not_recorded),
      cmocka_unit_test(damaged_records_are_refused),
      cmocka_unit_test(bodies_of_dependencies_come_with_them),
      cmocka_unit_test(the_cache_answers_until_a_source_changes),
      cmocka_unit_test(old_results_go_and_emptied_ones_are_made_again),
      cmocka_unit_test(a_damaged_result_is_made_again),
      cmocka_unit_test(a_dependency_that_fails_on_the_device_is_named),
      cmocka_unit_test(a_compiler_that_writes_no_metadata_is_caught),
      cmocka_unit_test(a_single_file_gets_the_device_crate),
  };
  int rc = cmocka_run_group_tests(tests, NULL, NULL);
  arena_free(&tool_arena);
  return rc;
}
