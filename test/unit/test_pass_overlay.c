/* The working copy of the sources: what is blanked, what is found, what is linked. */
#include "unit.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "cargo-integration/rustc/overlay.h"
#include "cargo-integration/rustc/overlay_blank.h"
#include "cargo-integration/rustc/overlay_closures.h"
#include "cargo-integration/rustc/overlay_strings.h"

#define BLANK "#[inline       ]"

static void attributes_are_blanked_to_equal_length(void **state) {
  (void)state;
  static const struct {
    const char *from, *to;
  } cases[] = {
      {"#[inline(never)] fn f() {}", BLANK " fn f() {}"},
      {"#[inline(never)]\npub fn f() {}", BLANK "\npub fn f() {}"},
      {"#[ inline ( never ) ] fn f() {}", "#[ inline           ] fn f() {}"},
      {"#[cold] #[inline(never)] #[must_use] fn f() {}", "#[cold] " BLANK " #[must_use] fn f() {}"},
      {"#[inline(never)] /* c */ // d\nfn f() {}", BLANK " /* c */ // d\nfn f() {}"},
      {"impl T { #[inline(never)] fn m(&self) {} }", "impl T { " BLANK " fn m(&self) {} }"},
      {"fn a<'a>(x: &'a str) {} #[inline(never)] fn b() {}",
       "fn a<'a>(x: &'a str) {} " BLANK " fn b() {}"},
      {"const C: char = '\"'; #[inline(never)] fn b() {}",
       "const C: char = '\"'; " BLANK " fn b() {}"},
      {"const C: u8 = b'\\''; #[inline(never)] fn b() {}",
       "const C: u8 = b'\\''; " BLANK " fn b() {}"},
      {"fn r#fn() {} #[inline(never)] fn b() {}", "fn r#fn() {} " BLANK " fn b() {}"},
      {"#[inline(\nnever)] fn b() {}", "#[inline \n      ] fn b() {}"},
      {"#[inline(never)]", BLANK},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    char *text = strdup(cases[i].from);
    assert_int_equal(overlay_blank(text, strlen(text)), 1);
    assert_string_equal(text, cases[i].to);
    free(text);
  }
}

static void what_must_stay_stays(void **state) {
  (void)state;
  static const char *const cases[] = {
      "#[inline] fn f() {}",
      "#[inline(always)] fn f() {}",
      "// #[inline(never)] fn f() {}",
      "/* /* */ #[inline(never)] */ fn f() {}",
      "const S: &str = \"#[inline(never)]\";",
      "const S: &str = \"\\\"#[inline(never)]\";",
      "const S: &str = r##\"\"# #[inline(never)]\"##;",
      "const S: &[u8] = br#\"#[inline(never)]\"#;",
      "const S: &CStr = c\"#[inline(never)]\";",
      "#[cfg_attr(debug_assertions, inline(never))] fn f() {}",
      "#[register(entry = \"x\")] #[inline(never)] fn f() {}",
      "#[inline(never)] #[mirdc::register] pub fn f() {}",
      "#[inline(never)] #[cfg_attr(mirdc_device, mirdc::register)] pub fn f() {}",
      "#[inline(never)] pub unsafe extern \"C\" fn __mirdc_mark() {}",
      "#[my(inline(never))] fn f() {}",
      "#[inline(never, x)] fn f() {}",
      "#[inline(never",
      "\"unfinished #[inline(never)]",
      "/* unfinished #[inline(never)]",
      "",
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    char *text = strdup(cases[i]);
    if (overlay_blank(text, strlen(text)) != 0) {
      fail_msg("blanked: %s", cases[i]);
    }
    assert_string_equal(text, cases[i]);
    free(text);
  }
}

static void an_attribute_of_one_item_does_not_protect_the_next(void **state) {
  (void)state;
  char text[] = "#[mirdc::register] #[inline(never)] fn a() {} #[inline(never)] fn b() {}";
  assert_int_equal(overlay_blank(text, strlen(text)), 1);
  assert_string_equal(text, "#[mirdc::register] #[inline(never)] fn a() {} " BLANK " fn b() {}");
}

static void constants_that_are_strings_are_opened_and_no_others(void **state) {
  (void)state;
  static const struct {
    const char *from, *to;
  } cases[] = {
      {"const A: &str = \"a;b\";", "const A: &str = *&\"a;b\";"},
      {"pub const A:&'static [u8]=br#\"x\"#; fn f() {}", "pub const A:&'static [u8]=*&br#\"x\"#; fn f() {}"},
      {"const A: &[u8; 2] = b\"xy\" ;", "const A: &[u8; 2] = *&b\"xy\" ;"},
      {"const A: &str = concat!(\"a\", 1);const B: &str = \"b\";",
       "const A: &str = *&concat!(\"a\", 1);const B: &str = *&\"b\";"},
      {"const A: &str = \"a\".trim();", NULL},
      {"const A: &str = other!(\"a\");", "const A: &str = { let v: &str = other!(\"a\"); v };"},
      {"const $n: $t = $v;", "const $n: $t = { let v: $t = $v; v };"},
      {"const A: &[\nu8] = m!();", "const A: &[\nu8] = { let v: &[ u8] = m!(); v };"},
      {"const A: &[ // ü\nu8] = m!();", NULL},
      {"const A: u8 = $v + 1;", NULL},
      {"const A: u8 = other!(\"a\") + 1;", NULL},
      {"const A: u8 = $v", NULL},
      {"const A: u32 = 1;", NULL},
      {"static A: &str = \"a\";", NULL},
      {"fn f<const N: usize>(x: *const u8) { let a = \"b\"; }", NULL},
      {"// const A: &str = \"a\";", NULL},
      {"const A: &str = \"a", NULL},
  };
  struct arena a = {0};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    overlay_shifts shifts = {0};
    struct overlay_edits edits = {.strings = true};
    size_t n = strlen(cases[i].from);
    const char *want = cases[i].to ? cases[i].to : cases[i].from;
    str got = overlay_edit(&a, STR("k.rs"), arena_strz(&a, str_from(cases[i].from)), n, &edits, &shifts);
    assert_string_equal(arena_strz(&a, got), want);
    assert_int_equal(shifts.n > 0, cases[i].to != NULL);
    bool by_macro = cases[i].to && strstr(cases[i].to, "{ let v");
    edits.strings_only = true;
    got = overlay_edit(&a, STR("k.rs"), arena_strz(&a, str_from(cases[i].from)), n, &edits, &shifts);
    assert_string_equal(arena_strz(&a, got), by_macro ? cases[i].from : want);
  }
  arena_free(&a);
}

static str open_one(struct arena *a, const char *text, const char *at, overlay_shifts *shifts) {
  struct overlay_opening o = {str_from(at), 1};
  overlay_openings list = {0};
  vec_push(a, &list, o);
  struct overlay_edits edits = {.openings = &list};
  return overlay_edit(a, STR("k.rs"), arena_strz(a, str_from(text)), strlen(text), &edits, shifts);
}

static void closures_are_opened_up_to_their_end(void **state) {
  (void)state;
#define OPEN "{let(__mirdc_v0,)=((),);"
#define SEEN "let _=__mirdc_v0;"
  static const struct {
    const char *from, *at, *to;
  } cases[] = {
      {"f(|x| x + p.0, 3)", "k.rs:1:3: 1:6", "f(" OPEN "|x|{" SEEN " x + p.0}}, 3)"},
      {"f(move || p.0)", "k.rs:1:3: 1:10", "f(" OPEN "move ||{" SEEN " p.0}})"},
      {"let f = |x| { x };", "k.rs:1:9: 1:12", "let f = " OPEN "|x| {" SEEN " x }};"},
      {"let f = |x| -> u32 { x };", "k.rs:1:9: 1:19", "let f = " OPEN "|x| -> u32 {" SEEN " x }};"},
      {"let f = |x| { x }.g() + 1;", "k.rs:1:9: 1:12", "let f = " OPEN "|x| {" SEEN " x }.g() + 1};"},
      {"[|x| g::<A, B>(x, 1), 2]", "k.rs:1:2: 1:5", "[" OPEN "|x|{" SEEN " g::<A, B>(x, 1)}}, 2]"},
      {"[|x| <A as T<B, C>>::g(x), 2]", "k.rs:1:2: 1:5", "[" OPEN "|x|{" SEEN " <A as T<B, C>>::g(x)}}, 2]"},
      {"[|x| x < 2 && p.0 > 3, 2]", "k.rs:1:2: 1:5", "[" OPEN "|x|{" SEEN " x < 2 && p.0 > 3}}, 2]"},
      {"[|x| g(x) < 2, p > 3]", "k.rs:1:2: 1:5", "[" OPEN "|x|{" SEEN " g(x) < 2}}, p > 3]"},
      {"[|x| f::<fn() -> u8, B>(x), 2]", "k.rs:1:2: 1:5",
       "[" OPEN "|x|{" SEEN " f::<fn() -> u8, B>(x)}}, 2]"},
      {"{ |x| match x { _ => p } }", "k.rs:1:3: 1:6", "{ " OPEN "|x|{" SEEN " match x { _ => p }}} }"},
      {"é;\n  f(|é| \"),;\" /* ) */ )", "k.rs:2:5: 2:8", "é;\n  f(" OPEN "|é|{" SEEN " \"),;\"}} /* ) */ )"},
      {"f(|x|\n  x)", "k.rs:1:3: 1:6", "f(" OPEN "|x|{" SEEN "\n  x}})"},
      {"f(|x| x, column!())", "k.rs:1:3: 1:6", NULL},
      {"f(|x| x, 3)", "other.rs:1:3: 1:6", NULL},
      {"f(|x| x", "k.rs:1:3: 1:6", NULL},
      {"f(|x| g::<A", "k.rs:1:3: 1:6", NULL},
      {"f(|x| x)", "k.rs:7:3: 7:6", NULL},
      {"f(|x| x)", "k.rs:1:3", NULL},
      {"f(|x| x)", "k.rs:", NULL},
      {"f(|x| x)", "k.rs", NULL},
  };
  struct arena a = {0};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    overlay_shifts shifts = {0};
    str got = open_one(&a, cases[i].from, cases[i].at, &shifts);
    assert_string_equal(arena_strz(&a, got), cases[i].to ? cases[i].to : cases[i].from);
    assert_int_equal(shifts.n, cases[i].to ? 3 : 0);
  }
  arena_free(&a);
}

static void private_items_are_made_visible_and_nothing_else(void **state) {
  (void)state;
#define PUB "pub(crate) "
  static const struct {
    const char *from, *to;
  } cases[] = {
      {"fn f() {} struct S(u8); struct U; enum E { A } union V { a: u8 } trait T { fn m(); }",
       PUB "fn f() {} " PUB "struct S(u8); " PUB "struct U; " PUB "enum E { A } " PUB "union V { a: u8 } " PUB
           "trait T { fn m(); }"},
      {"mod a { const C: [u8; 2] = [1; { 2 }]; static mut S: u8 = 0; type A = u8; mod b; }",
       PUB "mod a { " PUB "const C: [u8; 2] = [1; { 2 }]; " PUB "static mut S: u8 = 0; " PUB "type A = u8; " PUB
           "mod b; }"},
      {"#[inline] const unsafe extern \"C\" fn f<T: Fn() -> u8>(x: T) -> [u8; 1] where T: Copy { fn g() {} }",
       "#[inline] " PUB
       "const unsafe extern \"C\" fn f<T: Fn() -> u8>(x: T) -> [u8; 1] where T: Copy { fn g() {} }"},
      {"impl<T> S<T> where for<'a> T: Q<'a> { const K: u8 = 1; fn m(&self) {} pub fn n() {} }",
       "impl<T> S<T> where for<'a> T: Q<'a> { " PUB "const K: u8 = 1; " PUB "fn m(&self) {} pub fn n() {} }"},
      {"unsafe impl<T> Q for S<T> { fn m(&self) {} } fn g() {}",
       "unsafe impl<T> Q for S<T> { fn m(&self) {} } " PUB "fn g() {}"},
      {"extern \"C\" { fn e(); } unsafe extern { static V: u8; safe fn s(); }",
       "extern \"C\" { " PUB "fn e(); } unsafe extern { " PUB "static V: u8; " PUB "safe fn s(); }"},
      {"pub(super) fn f() {} pub(in a::b) mod m {} pub(self) struct S; pub(crate) fn g() {} pub fn h() {}",
       "pub        fn f() {} pub          mod m {} pub       struct S; pub(crate) fn g() {} pub fn h() {}"},
      {"use a::{b, c}; extern crate x; m! { fn f() {} } m!(fn f() {}); macro_rules! n { () => { fn f() {} } } fn g() {}",
       "use a::{b, c}; extern crate x; m! { fn f() {} } m!(fn f() {}); macro_rules! n { () => { fn f() {} } } " PUB
       "fn g() {}"},
      {"#![no_std]\n//! x\nfn f() {} } fn g() {}", "#![no_std]\n//! x\n" PUB "fn f() {} } fn g() {}"},
      {"mod a { fn f() {", PUB "mod a { " PUB "fn f() {"},
      {"fn", "fn"},
      {"+", "+"},
  };
  struct arena a = {0};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    overlay_shifts shifts = {0};
    struct overlay_edits edits = {.publish = true};
    char *text = arena_strz(&a, str_from(cases[i].from));
    str got = overlay_edit(&a, STR("k.rs"), text, strlen(text), &edits, &shifts);
    assert_string_equal(arena_strz(&a, got), cases[i].to);
  }
  arena_free(&a);
}

/* Column 1 is the first; `f(` is at 1, the closure at 3, its body at 7, the end at 8. */
static void columns_behind_an_opened_closure_are_moved_back(void **state) {
  (void)state;
  static const char *const same[] = {"k.rs:1:1: 1:3", "k.rs:2:90: 2:95", "x/k.rs:1:90: 1:95",
                                     "k.rs", "k.rs:", "k.rs:1", "k.rs:x", "other.rs:1:90"};
  struct arena a = {0};
  overlay_shifts shifts = {0};
  str text = open_one(&a, "f(|x| x, 3);\ng(4)", "k.rs:1:3: 1:6", &shifts);
  for (size_t i = 0; i < COUNT_OF(same); i++) {
    str got = overlay_original(&a, &shifts, str_from(same[i]));
    assert_string_equal(arena_strz(&a, got), same[i]);
  }
  static const struct {
    const char *find, *original;
  } cases[] = {{"|x|", "3"}, {"let(", "3"}, {" x}", "6"}, {"x}", "7"}, {"}}", "8"}, {", 3", "8"}, {"3);", "10"}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    size_t at = str_find(text, str_from(cases[i].find), 0) + 1;
    str got = overlay_original(&a, &shifts, arena_printf(&a, "at k.rs:1:%zu: 1:%zu;", at, at));
    assert_string_equal(arena_strz(&a, got),
                        arena_strz(&a, arena_printf(&a, "at k.rs:1:%s: 1:%s;", cases[i].original, cases[i].original)));
  }
  arena_free(&a);
}

static void collect_mod(void *ctx, str name) {
  struct strbuf *b = ctx;
  sb_add(b, name);
  sb_addc(b, ' ');
}

static void module_files_are_found_with_their_inline_parents(void **state) {
  (void)state;
  struct strbuf b = {0};
  overlay_mods(STR("mod a; pub(crate) mod b; mod c { mod d; mod e { mod f; } } mod r#type; "
                   "// mod g;\n\"mod h;\"; fn x() { mod i; } mod j {} mod k;"),
               collect_mod, &b);
  assert_str(sb_str(&b), "a b c/d c/e/f type i k ");
  sb_free(&b);
}

struct tree {
  struct arena arena;
  struct test_sink t;
  char *dir;
  struct unit unit;
};

static void put(struct tree *x, const char *name, const char *text) {
  char *path = path_join(&x->arena, x->dir, name);
  assert_true(fs_mkdirs(&x->t.sink, arena_strz(&x->arena, path_dir(str_from(path)))));
  assert_true(fs_write_atomic(&x->t.sink, path, str_from(text)));
}

static void tree_init(struct tree *x, const char *package, const char *root) {
  *x = (struct tree){0};
  test_sink_init(&x->t);
  x->dir = path_real(&x->arena, fs_temp_dir(&x->t.sink, &x->arena));
  x->unit.package_root = path_join(&x->arena, x->dir, package);
  x->unit.root = path_join(&x->arena, x->dir, root);
}

static void tree_free(struct tree *x) {
  assert_true(fs_remove_tree(&x->t.sink, x->dir));
  test_sink_free(&x->t);
  arena_free(&x->arena);
}

static bool is_link(const char *path) {
  struct stat st;
  assert_int_equal(lstat(path, &st), 0);
  return S_ISLNK(st.st_mode);
}

static void check_text(struct tree *x, const char *path, const char *want) {
  struct bytes b = {0};
  assert_true(fs_read(&x->t.sink, path, 0, &b));
  assert_string_equal((const char *)b.p, want);
  bytes_free(&b);
}

static void only_changed_files_are_copies(void **state) {
  (void)state;
  struct tree x;
  struct overlay o;
  tree_init(&x, "pkg", "pkg/src/lib.rs");
  put(&x, "pkg/src/lib.rs", "mod a; mod b;\n");
  put(&x, "pkg/src/a.rs", "mod deep;\n");
  put(&x, "pkg/src/a/deep.rs", "#[inline(never)] fn f() {}\n");
  put(&x, "pkg/src/b/mod.rs", "fn g() {}\n");
  put(&x, "pkg/data.txt", "data");
  assert_true(overlay_make(&x.t.sink, &x.arena, &x.unit, &o));
  assert_int_equal(o.blanked, 1);
  assert_false(is_link(o.root));
  assert_true(is_link(path_join(&x.arena, o.package, "src/a.rs")));
  assert_false(is_link(path_join(&x.arena, o.package, "src/a/deep.rs")));
  assert_true(is_link(path_join(&x.arena, o.package, "src/b")));
  assert_true(is_link(path_join(&x.arena, o.package, "data.txt")));
  check_text(&x, path_join(&x.arena, o.package, "src/a/deep.rs"), BLANK " fn f() {}\n");
  check_text(&x, path_join(&x.arena, o.package, "data.txt"), "data");
  assert_true(overlay_write_root(&x.t.sink, &o, o.root, STR("mod probe {}\n")));
  check_text(&x, o.root, "mod a; mod b;\nmod probe {}\n");
  check_text(&x, x.unit.root, "mod a; mod b;\n");
  assert_true(overlay_write_root(&x.t.sink, &o, o.root, STR_NULL));
  check_text(&x, o.root, "mod a; mod b;\n");
  char *dir = arena_strz(&x.arena, str_from(o.dir));
  overlay_remove(&o);
  assert_false(fs_exists(dir));
  check_text(&x, x.unit.root, "mod a; mod b;\n");
  tree_free(&x);
}

static void files_outside_the_package_stay_in_reach(void **state) {
  (void)state;
  struct tree x;
  struct overlay o;
  tree_init(&x, "ws/pkg", "ws/pkg/src/lib.rs");
  put(&x, "ws/pkg/src/lib.rs", "include!(\"../../shared/t.rs\");\n");
  put(&x, "ws/shared/t.rs", "const T: u8 = 1;\n");
  assert_true(overlay_make(&x.t.sink, &x.arena, &x.unit, &o));
  check_text(&x, path_join(&x.arena, o.package, "src/../../shared/t.rs"), "const T: u8 = 1;\n");
  overlay_remove(&o);
  tree_free(&x);
}

static void a_missing_crate_root_is_refused(void **state) {
  (void)state;
  struct tree x;
  struct overlay o;
  tree_init(&x, "pkg", "pkg/src/lib.rs");
  assert_false(overlay_make(&x.t.sink, &x.arena, &x.unit, &o));
  assert_int_equal(sink_code(&x.t), MD0143);
  tree_free(&x);
}

static void an_unusable_temporary_folder_is_refused(void **state) {
  (void)state;
  struct tree x;
  struct overlay o;
  tree_init(&x, "pkg", "pkg/src/lib.rs");
  put(&x, "pkg/src/lib.rs", "fn f() {}\n");
  const char *before = getenv("TMPDIR");
  char *saved = before != NULL ? strdup(before) : NULL;
  assert_int_equal(setenv("TMPDIR", "/nonexistent/folder", 1), 0);
  bool ok = overlay_make(&x.t.sink, &x.arena, &x.unit, &o);
  assert_int_equal(saved != NULL ? setenv("TMPDIR", saved, 1) : unsetenv("TMPDIR"), 0);
  free(saved);
  assert_false(ok);
  assert_true(diag_failed(&x.t.sink));
  tree_free(&x);
}

static void an_unreadable_package_folder_is_refused(void **state) {
  (void)state;
  struct tree x;
  struct overlay o;
  tree_init(&x, "missing", "pkg/src/lib.rs");
  put(&x, "pkg/src/lib.rs", "fn f() {}\n");
  assert_false(overlay_make(&x.t.sink, &x.arena, &x.unit, &o));
  assert_int_equal(sink_code(&x.t), MD0148);
  tree_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(attributes_are_blanked_to_equal_length),
      cmocka_unit_test(what_must_stay_stays),
      cmocka_unit_test(an_attribute_of_one_item_does_not_protect_the_next),
      cmocka_unit_test(closures_are_opened_up_to_their_end),
      cmocka_unit_test(private_items_are_made_visible_and_nothing_else),
      cmocka_unit_test(columns_behind_an_opened_closure_are_moved_back),
      cmocka_unit_test(module_files_are_found_with_their_inline_parents),
      cmocka_unit_test(only_changed_files_are_copies),
      cmocka_unit_test(files_outside_the_package_stay_in_reach),
      cmocka_unit_test(constants_that_are_strings_are_opened_and_no_others),
      cmocka_unit_test(a_missing_crate_root_is_refused),
      cmocka_unit_test(an_unusable_temporary_folder_is_refused),
      cmocka_unit_test(an_unreadable_package_folder_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
