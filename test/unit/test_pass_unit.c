/* Facts of rustc command lines, and versions of rustc. */
#include "unit.h"

#include <unistd.h>

#include "base/fs.h"
#include "cargo-integration/rustc/unit.h"

#define VERSION(release)                                                                           \
  "rustc " release " (59807616e 2026-04-14)\nbinary: rustc\ncommit-hash: 59807616e1\n"             \
  "commit-date: 2026-04-14\nhost: x86_64-unknown-linux-gnu\nrelease: " release                     \
  "\nLLVM version: 22.1.2\n"

struct fixture {
  struct arena arena;
  struct test_sink t;
  struct toolchain tc;
  char *file;
};

static int setup(void **state) {
  struct fixture *f = calloc(1, sizeof *f);
  test_sink_init(&f->t);
  assert_true(toolchain_parse(&f->t.sink, &f->arena, STR(VERSION("1.95.0")), &f->tc));
  char *dir = fs_temp_dir(&f->t.sink, &f->arena);
  f->file = path_join(&f->arena, dir, "my-kernels.rs");
  assert_true(fs_write_atomic(&f->t.sink, f->file, STR("pub fn f() {}\n")));
  *state = f;
  return 0;
}

static int teardown(void **state) {
  struct fixture *f = *state;
  (void)!fs_remove_tree(&f->t.sink, arena_strz(&f->arena, path_dir(str_from(f->file))));
  test_sink_free(&f->t);
  arena_free(&f->arena);
  free(f);
  return 0;
}

/* Parses a command line given as words; FILE stands for the source file. */
static bool parse(struct fixture *f, const char *words, struct unit *u) {
  char *argv[64];
  int argc = 0;
  str rest = str_from(words);
  while (rest.n > 0) {
    size_t space = str_find_char(rest, ' ', 0);
    str w = str_sub(rest, 0, space == SIZE_MAX ? rest.n : space);
    argv[argc++] = str_eqz(w, "FILE") ? f->file : arena_strz(&f->arena, w);
    rest = space == SIZE_MAX ? STR_NULL : str_drop(rest, space + 1);
  }
  return unit_from_args(&f->t.sink, &f->arena, &f->tc, argc, argv, u);
}

static void checks_follow_the_rules_of_rustc(void **state) {
  struct fixture *f = *state;
  static const struct {
    const char *words;
    bool overflow, assertions;
    char opt;
  } cases[] = {
      {"FILE", true, true, '0'},
      {"FILE -O", false, false, '3'},
      {"FILE -Copt-level=2", false, false, '2'},
      {"FILE -C opt-level=s", false, false, 's'},
      {"FILE -Copt-level=1 -Cdebug-assertions", true, true, '1'},
      {"FILE -Copt-level=3 -Coverflow-checks=on", true, false, '3'},
      {"FILE -Coverflow-checks=no", false, true, '0'},
      {"FILE -Cdebug-assertions=off", false, false, '0'},
      {"FILE -C debug-assertions=yes -C opt-level=3", true, true, '3'},
      {"FILE -Copt-level=3 -Copt-level=0", true, true, '0'},
      {"FILE --codegen=opt-level=3", false, false, '3'},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct unit u;
    print_message("%s\n", cases[i].words);
    assert_true(parse(f, cases[i].words, &u));
    assert_int_equal(u.overflow_checks, cases[i].overflow);
    assert_int_equal(u.debug_assertions, cases[i].assertions);
    assert_int_equal(u.opt_level, cases[i].opt);
  }
}

static void a_cargo_command_gives_all_facts(void **state) {
  struct fixture *f = *state;
  struct unit u;
  assert_true(
      parse(f,
            "--crate-name kern --edition=2021 FILE --error-format=json --json=artifacts "
            "--crate-type rlib,cdylib --emit=dep-info,link -C embed-bitcode=no --cfg fast "
            "--cfg feature=\"simd\" --check-cfg cfg(docsrs) -C metadata=ab -C extra-filename=-12 "
            "--out-dir /t/deps -L dependency=/t/deps --extern a=/t/deps/liba-1.rmeta "
            "--extern noprelude:b=/t/libb.rlib --extern proc_macro --cap-lints allow "
            "-C target-cpu=native --target x86_64-unknown-linux-gnu",
            &u));
  assert_str(u.crate_name, "kern");
  assert_str(u.edition, "2021");
  assert_str(u.target, "x86_64-unknown-linux-gnu");
  assert_str(u.metadata, "ab");
  assert_str(u.extra_filename, "-12");
  assert_int_equal(u.crate_types.n, 2);
  assert_int_equal(u.cfgs.n, 2);
  assert_int_equal(u.features.n, 1);
  assert_str(u.features.p[0], "simd");
  assert_int_equal(u.externs.n, 3);
  assert_str(u.externs.p[0].name, "a");
  assert_string_equal(u.externs.p[0].path, "/t/deps/liba-1.rmeta");
  assert_str(u.externs.p[1].options, "noprelude");
  assert_str(u.externs.p[1].name, "b");
  assert_null(u.externs.p[2].path);
  assert_int_equal(u.lib_dirs.n, 1);
  assert_int_equal(u.kept.n, 6); /* check-cfg, target-cpu, target */
  assert_false(u.is_proc_macro);
}

static void a_plain_file_names_its_crate(void **state) {
  struct fixture *f = *state;
  struct unit u;
  assert_true(parse(f, "FILE", &u));
  assert_str(u.crate_name, "my_kernels");
  assert_str(u.edition, "2015");
  assert_str(u.target, "x86_64-unknown-linux-gnu");
  assert_true(unit_from_file(&f->t.sink, &f->arena, &f->tc, f->file, NULL, &u));
  assert_str(u.edition, "2024");
  assert_false(u.uses_device_crate);
  assert_true(u.overflow_checks);
  struct unit_file_options release = {.release = true};
  assert_true(unit_from_file(&f->t.sink, &f->arena, &f->tc, f->file, &release, &u));
  assert_false(u.overflow_checks);
}

static void the_device_crate_is_seen_in_tokens_only(void **state) {
  struct fixture *f = *state;
  static const struct {
    const char *text;
    bool uses;
  } cases[] = {
      {"use mirdc::prelude::*;", true}, {"#[mirdc::kernel] fn k() {}", true},
      {"// mirdc\nfn f() {}", false},   {"const S: &str = \"mirdc\";", false},
      {"fn mirdc_like() {}", false},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct unit u;
    assert_true(fs_write_atomic(&f->t.sink, f->file, str_from(cases[i].text)));
    assert_true(unit_from_file(&f->t.sink, &f->arena, &f->tc, f->file, NULL, &u));
    assert_int_equal(u.uses_device_crate, cases[i].uses);
  }
}

static void arguments_can_come_from_a_file(void **state) {
  struct fixture *f = *state;
  struct unit u;
  char *list = path_join(&f->arena, arena_strz(&f->arena, path_dir(str_from(f->file))), "args");
  str text = arena_printf(&f->arena, "--crate-name\nlisted\n%s\n", f->file);
  assert_true(fs_write_atomic(&f->t.sink, list, text));
  str words = arena_printf(&f->arena, "@%s --edition=2021", list);
  assert_true(parse(f, arena_strz(&f->arena, words), &u));
  assert_str(u.crate_name, "listed");
  assert_str(u.edition, "2021");
}

static void lines_that_do_not_compile_are_refused(void **state) {
  struct fixture *f = *state;
  static const struct {
    const char *words;
    enum diag_code code;
  } cases[] = {
      {"--crate-name x", MD0142},
      {"- --crate-name ___ --print=cfg", MD0142},
      {"FILE --frobnicate", MD0142},
      {"FILE --edition", MD0142},
      {"FILE FILE", MD0142},
      {"FILE -V", MD0142},
      {"FILE --explain E0001", MD0142},
      {"missing.rs", MD0143},
      {"FILE --target i686-unknown-linux-gnu", MD0154},
      {"FILE --target=s390x-unknown-linux-gnu", MD0154},
      {"FILE --test=3", MD0142},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct test_sink t;
    struct unit u;
    struct fixture g = *f;
    test_sink_init(&t);
    g.t = t;
    g.t.sink.end = &g.t.sink.first;
    print_message("%s\n", cases[i].words);
    assert_false(parse(&g, cases[i].words, &u));
    assert_int_equal(sink_code(&g.t), cases[i].code);
    f->arena = g.arena;
    test_sink_free(&g.t);
  }
}

static void a_folder_of_crates_must_hold_both(void **state) {
  struct fixture *f = *state;
  assert_int_equal(setenv("MIRDC_CRATES", "/nonexistent", 1), 0);
  assert_null(unit_find_crates(&f->t.sink, &f->arena));
  assert_int_equal(sink_code(&f->t), MD0144);
  assert_int_equal(unsetenv("MIRDC_CRATES"), 0);
}

static void known_versions_have_their_dialect(void **state) {
  struct fixture *f = *state;
  struct toolchain tc;
  assert_true(toolchain_parse(&f->t.sink, &f->arena, STR(VERSION("1.96.0")), &tc));
  assert_true(tc.known && !tc.nightly);
  assert_string_equal(tc.dialect->layout_attr, "rustc_dump_layout");
  assert_true(toolchain_parse(&f->t.sink, &f->arena, STR(VERSION("1.97.0-nightly")), &tc));
  assert_true(tc.known && tc.nightly);
  assert_true(toolchain_parse(&f->t.sink, &f->arena, STR(VERSION("1.95.1")), &tc));
  assert_string_equal(tc.dialect->layout_attr, "rustc_layout");
  assert_str(tc.host, "x86_64-unknown-linux-gnu");
  assert_int_equal(f->t.sink.warnings, 0);
}

static void other_versions_are_a_warning(void **state) {
  struct fixture *f = *state;
  static const char *const lines[] = {VERSION("1.94.2"), VERSION("1.99.0"), VERSION("2.0.0")};
  for (size_t i = 0; i < COUNT_OF(lines); i++) {
    struct toolchain tc;
    assert_true(toolchain_parse(&f->t.sink, &f->arena, str_from(lines[i]), &tc));
    assert_false(tc.known);
    assert_non_null(tc.dialect);
    assert_int_equal(f->t.sink.warnings, i + 1);
  }
  assert_int_equal(sink_code(&f->t), MD0141);
  assert_false(diag_failed(&f->t.sink));
}

static void other_programs_are_no_compiler(void **state) {
  struct fixture *f = *state;
  struct toolchain tc;
  assert_false(toolchain_parse(&f->t.sink, &f->arena, STR("gcc 12.2\n"), &tc));
  assert_int_equal(sink_code(&f->t), MD0140);
  assert_false(
      toolchain_parse(&f->t.sink, &f->arena, STR("host: x\nrelease: one.two.three\n"), &tc));
  assert_false(toolchain_find(&f->t.sink, &f->arena, "/bin/false", &tc));
  assert_false(toolchain_find(&f->t.sink, &f->arena, "no-such-rustc-anywhere", &tc));
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      T(checks_follow_the_rules_of_rustc),  T(a_cargo_command_gives_all_facts),
      T(a_plain_file_names_its_crate),      T(the_device_crate_is_seen_in_tokens_only),
      T(arguments_can_come_from_a_file),    T(lines_that_do_not_compile_are_refused),
      T(a_folder_of_crates_must_hold_both), T(known_versions_have_their_dialect),
      T(other_versions_are_a_warning),      T(other_programs_are_no_compiler),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
