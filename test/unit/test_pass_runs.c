/* The rustc runs, with each toolchain that is on this machine. */
#include "unit.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "cargo-integration/rustc/probe.h"
#include "rustc_tools.h"

static struct toolchain tools[MAX_TOOLS];
static size_t n_tools;
static struct arena tool_arena;

static const char SOURCE[] =
    "pub enum Shape { Circle(f32), Rect { w: f32, h: f32 }, Empty }\n"
    "#[repr(i8)] #[derive(Clone, Copy)] pub enum Sign { Neg = -1, Zero, Pos = 5 }\n"
    "pub struct Mixed { pub a: u8, pub b: u64, pub c: u16 }\n"
    "pub const TABLE: [u32; 3] = [7, 8, 9];\n"
    "mod hidden { pub struct Secret(u8, u32); pub fn secret() -> Secret { Secret(1, 2) } }\n"
    "pub struct Guard<'a>(pub &'a core::cell::Cell<u32>);\n"
    "impl<'a> Drop for Guard<'a> { fn drop(&mut self) { self.0.set(self.0.get() + 1) } }\n"
    "#[inline(never)] fn apply<F: Fn(f32) -> f32>(f: F, x: f32) -> f32 { f(x) }\n"
    "pub fn kernel(s: &Shape, x: &[f32], p: (u8, u64)) -> f32 {\n"
    "  let k = x.len() as f32;\n"
    "  let m = p.1;\n"
    "  let f = move |v: f32| v * k + m as f32;\n"
    "  let boxed = [f];\n"
    "  match s { Shape::Circle(r) => apply(&boxed[0], *r), Shape::Rect { w, h } => w * h,\n"
    "    Shape::Empty => 0.0 }\n"
    "}\n"
    "pub fn guarded(c: &core::cell::Cell<u32>) { let _a = Some(Guard(c)); c.set(3) }\n"
    "pub fn checked(a: u32, b: u32) -> u32 { a + b }\n";

struct work {
  struct arena arena;
  struct test_sink t;
  struct unit unit;
  struct deps *deps;
  struct runs runs;
  struct run_bodies bodies;
  char *dir, *file;
};

static void open_with(struct work *w, const struct toolchain *tc, const char *text, bool release) {
  struct unit_file_options o = {.release = release, .edition = "2021"};
  *w = (struct work){0};
  test_sink_init(&w->t);
  w->dir = fs_temp_dir(&w->t.sink, &w->arena);
  w->file = path_join(&w->arena, w->dir, "k.rs");
  assert_true(fs_write_atomic(&w->t.sink, w->file, str_from(text)));
  assert_true(unit_from_file(&w->t.sink, &w->arena, tc, w->file, &o, &w->unit));
  assert_true(deps_open(&w->t.sink, &w->arena, tc, NULL, w->dir, &w->deps));
  assert_true(runs_open(&w->t.sink, &w->arena, &w->unit, w->deps, &w->runs));
}

static void close_work(struct work *w) {
  if (!diag_failed(&w->t.sink) && w->bodies.mir.n > 0) {
    assert_true(runs_finish(&w->runs));
  }
  char *overlay = arena_strz(&w->arena, str_from(w->runs.overlay.dir));
  runs_close(&w->runs);
  assert_false(fs_exists(overlay));
  deps_close(w->deps);
  debuginfo_free(w->bodies.debuginfo);
  (void)!fs_remove_tree(&w->t.sink, w->dir);
  test_sink_free(&w->t);
  arena_free(&w->arena);
}

static void open_bodies(struct work *w, const struct toolchain *tc) {
  bool user_error = false;
  print_message("%.*s\n", STR_ARG(tc->release));
  open_with(w, tc, SOURCE, false);
  if (!runs_bodies(&w->runs, &w->bodies, &user_error)) {
    diag_flush(&w->t.sink, false, false);
    fail();
  }
}

static bool holds(str text, const char *what) {
  return str_find(text, str_from(what), 0) != SIZE_MAX;
}

static void one_run_brings_text_sizes_items_and_glue(void **state) {
  (void)state;
  for (size_t i = 0; i < n_tools; i++) {
    struct work w;
    open_bodies(&w, &tools[i]);
    assert_true(holds(w.bodies.mir, "fn kernel("));
    assert_true(holds(w.bodies.mir, "k.rs:9:"));
    assert_false(holds(w.bodies.mir, w.dir));
    assert_false(holds(w.bodies.mir, w.runs.overlay.dir));
    /* Blanked, so inlined: the closure's body is in the kernel and no call is left. */
    assert_int_equal(w.runs.overlay.blanked, 1);
    assert_false(holds(w.bodies.mir, "= ConstValue(ZeroSized: fn(f32) -> f32 {apply"));
    debuginfo_load(w.bodies.debuginfo);
    assert_true(w.bodies.sizes.n > 0);
    assert_true(w.bodies.mono.n > 0);
    assert_true(w.bodies.glue.n > 0);
    assert_non_null(run_type_size(&w.bodies, STR("Shape")));
    assert_int_equal(run_type_size(&w.bodies, STR("Shape"))->size, 12);
    assert_null(run_type_size(&w.bodies, STR("NoSuchType")));
    assert_int_equal(w.runs.n_runs, 2); /* with the one for types */
    close_work(&w);
  }
}

static void the_profile_of_the_unit_is_kept(void **state) {
  (void)state;
  for (size_t i = 0; i < n_tools; i++) {
    for (int release = 0; release < 2; release++) {
      struct work w;
      bool user_error = false;
      open_with(&w, &tools[i], SOURCE, release != 0);
      assert_true(runs_bodies(&w.runs, &w.bodies, &user_error));
      assert_int_equal(holds(w.bodies.mir, "attempt to compute `{} + {}`"), !release);
      close_work(&w);
    }
  }
}

static void debug_info_knows_closures_and_variants(void **state) {
  (void)state;
  for (size_t i = 0; i < n_tools; i++) {
    struct work w;
    open_bodies(&w, &tools[i]);
    const struct di_type *shape = debuginfo_find(w.bodies.debuginfo, STR("Shape"));
    assert_non_null(shape);
    assert_int_equal(shape->kind, DI_ENUM);
    assert_int_equal(shape->n_variants, 3);
    assert_str(shape->variants[1].name, "Rect");
    assert_str(shape->variants[1].fields[0].name, "w");
    assert_int_equal(shape->variants[1].fields[1].offset, 8);
    assert_true(shape->variants[2].tag == 2 && shape->variants[2].discr == 2);
    const struct di_type *env = debuginfo_find(
        w.bodies.debuginfo,
        STR("{kernel::{closure#0} closure_kind_ty=i8 closure_sig_as_fn_ptr_ty=extern \"rust-call\" "
            "fn((f32,)) -> f32 upvar_tys=(f32, u64)}"));
    assert_non_null(env);
    assert_int_equal(env->kind, DI_CLOSURE);
    assert_int_equal(env->n_fields, 2);
    assert_str(env->fields[0].name, "k");
    assert_int_equal(env->size, 16);
    /* The same closure with other captures is another type. */
    assert_null(debuginfo_find(
        w.bodies.debuginfo,
        STR("{kernel::{closure#0} closure_kind_ty=i8 closure_sig_as_fn_ptr_ty=extern \"rust-call\" "
            "fn((f32,)) -> f32 upvar_tys=(f32, u32)}")));
    assert_null(debuginfo_find(w.bodies.debuginfo, STR("other::Shape")));
    close_work(&w);
  }
}

static struct probe_row *find_row(struct probe_row *rows, size_t n, const char *type) {
  for (size_t i = 0; i < n; i++) {
    if (str_eqz(rows[i].type, type)) {
      return &rows[i];
    }
  }
  fail_msg("no row %s", type);
  return NULL;
}

static void layouts_are_answered_beside_rows_that_fail(void **state) {
  (void)state;
  for (size_t i = 0; i < n_tools; i++) {
    struct work w;
    struct probe_answers ans;
    struct probe_row rows[] = {
        {.kind = PROBE_LAYOUT, .type = STR("Mixed")},
        {.kind = PROBE_LAYOUT, .type = STR("NoSuchType")},
        {.kind = PROBE_LAYOUT, .type = STR("Sign")},
        {.kind = PROBE_LAYOUT, .type = STR("core::option::Option<core::num::NonZero<u32>>")},
        {.kind = PROBE_LAYOUT, .type = STR("Mixed<u8>")},
        {.kind = PROBE_LAYOUT, .type = STR("(u8, u32")},
        {.kind = PROBE_LAYOUT, .type = STR("two\nlines")},
        {.kind = PROBE_LAYOUT, .type = STR("hidden::Secret")},
        {.kind = PROBE_LAYOUT, .type = STR("core::array::IntoIter<f32, 4>")},
    };
    open_bodies(&w, &tools[i]);
    /* A row that is no type at all breaks the others' parse, so rows are tried without it. */
    rows[5].type = STR("[u8; \"x\"]");
    assert_true(probe_run(&w.runs, &w.bodies, rows, COUNT_OF(rows), &ans));
    struct layout *mixed = find_row(rows, COUNT_OF(rows), "Mixed")->layout;
    assert_non_null(mixed);
    assert_int_equal(mixed->size, 16);
    assert_int_equal(mixed->offsets[1], 0);
    struct layout *sign = find_row(rows, COUNT_OF(rows), "Sign")->layout;
    assert_non_null(sign);
    assert_int_equal(sign->encoding, ENCODE_DIRECT);
    assert_true(rows[3].ok);
    assert_int_equal(rows[3].layout->encoding, ENCODE_NICHE);
    assert_false(rows[1].ok);
    assert_true(holds(rows[1].reason, "NoSuchType"));
    assert_false(rows[4].ok);
    assert_false(rows[5].ok);
    assert_false(rows[6].ok);
    assert_true(rows[7].ok);
    assert_true(rows[8].ok);
    assert_true(w.runs.n_runs <= 2 + PROBE_ROUNDS);
    close_work(&w);
  }
}

static void bodies_constants_and_names_are_answered(void **state) {
  (void)state;
  for (size_t i = 0; i < n_tools; i++) {
    struct work w;
    struct probe_answers ans;
    const str args[] = {STR("u32"), STR("usize")};
    struct probe_row rows[] = {
        {.kind = PROBE_DROP, .type = STR("Guard<'static>")},
        {.kind = PROBE_CALL,
         .type = STR("u32"),
         .path = STR("<u32 as core::ops::Add<u32>>::add"),
         .args = args,
         .n_args = 1},
        {.kind = PROBE_CALL,
         .type = STR("u32"),
         .path = STR("u32::wrapping_add"),
         .args = (const str[]){STR("u32"), STR("u32")},
         .n_args = 2},
        {.kind = PROBE_CONST, .type = STR("[u32; 3]"), .path = STR("TABLE")},
        {.kind = PROBE_NAMES, .type = STR("Sign")},
        {.kind = PROBE_NAMES, .type = STR("core::cmp::Ordering")},
    };
    open_bodies(&w, &tools[i]);
    assert_true(probe_run(&w.runs, &w.bodies, rows, COUNT_OF(rows), &ans));
    assert_true(rows[0].ok);
    assert_false(rows[1].ok); /* one argument too few */
    assert_true(rows[1].reason.n > 0);
    assert_true(rows[2].ok);
    assert_str(rows[2].fn_name, "__mirdc_probe::__r2");
    assert_true(holds(ans.mir, "fn __mirdc_probe::__r2("));
    assert_true(holds(ans.mir, "fn __mirdc_probe::__r0("));
    assert_true(rows[3].ok);
    assert_true(holds(ans.mir, "07 00 00 00 08 00 00 00 09 00 00 00"));
    assert_false(holds(ans.mir, "fn kernel("));
    assert_true(rows[4].ok);
    assert_str(rows[4].names->variants[0].name, "Neg");
    assert_true(rows[4].names->variants[0].tag == 255);
    assert_true(rows[4].names->variants[0].discr == ~(u128)0);
    assert_true(rows[4].names->variants[2].discr == 5);
    assert_true(rows[5].ok);
    assert_str(rows[5].names->variants[2].name, "Greater");
    close_work(&w);
  }
}

static void whether_a_type_needs_drop_comes_with_the_layouts(void **state) {
  (void)state;
  for (size_t i = 0; i < n_tools; i++) {
    struct work w;
    struct probe_answers ans;
    struct probe_row rows[] = {
        {.kind = PROBE_LAYOUT, .type = STR("Mixed")},
        {.kind = PROBE_DROP, .type = STR("Mixed")},
        {.kind = PROBE_DROP, .type = STR("NoSuchType")},
    };
    open_bodies(&w, &tools[i]);
    unsigned before = w.runs.n_runs;
    assert_true(probe_run(&w.runs, &w.bodies, rows, 2, &ans));
    assert_int_equal(w.runs.n_runs, before + 1);
    assert_true(rows[0].ok && rows[1].ok && rows[1].no_drop);
    w.runs.n_runs = 0;
    /* Silence is no answer: a row that does not compile stays open. */
    assert_true(probe_run(&w.runs, &w.bodies, rows, 3, &ans));
    assert_true(rows[1].ok && rows[1].no_drop);
    assert_false(rows[2].ok);
    assert_true(holds(rows[2].reason, "NoSuchType"));
    w.runs.n_runs = 0;
    rows[1].type = STR("[Guard<'static>; 2]");
    assert_true(probe_run(&w.runs, &w.bodies, rows, 2, &ans));
    assert_true(rows[1].ok && !rows[1].no_drop);
    assert_true(holds(ans.mir, "fn __mirdc_probe::__r1("));
    close_work(&w);
  }
}

/* rustc 1.95 to 1.97 lose `p.1`; places stay as they are in the source. */
static const char CAPTURES[] =
    "#[inline(never)] pub fn apply<F: Fn(u32) -> u32>(f: F) -> u32 { if f(1) > 3 { apply(f) } else { f(3) } }\n"
    "pub fn kernel(p: (u32, u64)) -> u32 { apply(move |x| x + p.0 + p.1 as u32) + apply(|y| y) }\n"
    "pub mod c { pub const S: &str = \"abc\"; } pub fn own(n: usize) -> usize { n + c::S.len() }\n";

static void a_copy_prints_all_captures_of_a_closure(void **state) {
  (void)state;
  for (size_t i = 0; i < n_tools; i++) {
    struct work w;
    bool user_error = false;
    bool with_strings = false;
    str text = STR_NULL;
    overlay_openings list = {0};
    open_with(&w, &tools[i], CAPTURES, false);
    assert_true(runs_bodies(&w.runs, &w.bodies, &user_error));
    assert_true(holds(w.bodies.mir, "{closure@k.rs:2:45: 2:53} { p: copy (_1.0: u32) }"));
    struct overlay_opening o = {STR("k.rs:2:45: 2:53"), 1};
    vec_push(&w.arena, &list, o);
    assert_true(runs_reprint(&w.runs, &list, true, &text, &with_strings));
    assert_true(with_strings);
    assert_true(holds(text, "{closure@k.rs:2:45: 2:53} { __mirdc_v0: copy (_1.0: u32), p: copy (_1.1: u64) }"));
    assert_true(holds(text, "k.rs:2:78: 2:90"));
    assert_true(holds(text, "k.rs:3:74: 3:88")); /* behind a literal of the same line */
    assert_true(holds(text, "61 62 63"));        /* its bytes */
    close_work(&w);
  }
}

static const char PRIVATE[] =
    "pub mod a { mod b { pub(super) trait Op { const K: u32; fn op(&self) -> u32; }\n"
    "  impl Op for u8 { const K: u32 = 70; fn op(&self) -> u32 { *self as u32 + 5 } } }\n"
    "  enum Kind { First, Second = 7 } fn hidden(x: u8) -> u32 { use b::Op; x.op() ^ u8::K } pub fn shown(x: u8) -> u32 { hidden(x) } }\n%s";

static void open_private(struct work *w, const struct toolchain *tc, const char *more,
                         struct probe_row rows[3], struct probe_answers *ans) {
  bool user_error = false;
  char source[1024];
  static const str u8_ = {"u8", 2};
  (void)snprintf(source, sizeof source, PRIVATE, more);
  open_with(w, tc, source, false);
  assert_true(runs_bodies(&w->runs, &w->bodies, &user_error));
  rows[0] = (struct probe_row){.kind = PROBE_CONST, .type = STR("u32"), .path = STR("<u8 as a::b::Op>::K")};
  rows[1] = (struct probe_row){
      .kind = PROBE_CALL, .type = STR("u32"), .path = STR("a::hidden"), .args = &u8_, .n_args = 1};
  rows[2] = (struct probe_row){.kind = PROBE_NAMES, .type = STR("a::Kind")};
  assert_true(probe_run(&w->runs, &w->bodies, rows, 3, ans));
}

/* Questions stand in the crate root. */
static void private_items_of_modules_can_be_asked_about(void **state) {
  (void)state;
  for (size_t i = 0; i < n_tools; i++) {
    struct work w;
    struct probe_row rows[3];
    struct probe_answers ans;
    open_private(&w, &tools[i], "", rows, &ans);
    assert_int_equal(w.runs.n_runs, 4);
    assert_true(rows[0].ok && rows[1].ok && rows[2].ok);
    assert_str(rows[2].names->variants[1].name, "Second");
    assert_true(rows[2].names->variants[1].discr == 7);
    assert_true(holds(ans.mir, "46 00 00 00"));
    assert_true(holds(ans.mir, "k.rs:2:61: 2:73")); /* `*self as u32`, as in the source */
    close_work(&w);
  }
}

/* Made visible, the two `f` cannot be told apart: that copy does not compile, and the name stays private. */
static void a_copy_that_does_not_compile_is_given_up(void **state) {
  (void)state;
  struct work w;
  struct probe_row rows[3];
  struct probe_answers ans;
  if (n_tools == 0) {
    return;
  }
  open_private(&w, &tools[0],
               "mod x { pub fn f() {} } mod y { fn f() {} pub fn g() {} } use x::*; use y::*;\n"
               "pub fn both() { f(); g() }\n",
               rows, &ans);
  assert_true(w.runs.publish_failed);
  assert_null(w.runs.published.dir);
  assert_true(rows[0].ok && rows[1].ok && !rows[2].ok);
  assert_true(holds(rows[2].reason, "private"));
  assert_true(holds(ans.mir, "46 00 00 00"));
  close_work(&w);
}

static void errors_of_the_user_are_left_to_rustc(void **state) {
  (void)state;
  struct work w;
  bool user_error = false;
  if (n_tools == 0) {
    return;
  }
  open_with(&w, &tools[0], "pub fn f() -> u32 { missing() }\n", false);
  assert_false(runs_bodies(&w.runs, &w.bodies, &user_error));
  assert_true(user_error);
  assert_false(diag_failed(&w.t.sink));
  int status = 0;
  assert_true(runs_check(&w.runs, &status));
  assert_int_equal(status, 1);
  close_work(&w);
}

/* A compiler that does all as the real one, except what `trick` (lines of sh) does first. */
static void fake_rustc(struct work *w, const char *trick) {
  char *path = path_join(&w->arena, w->dir, "rustc");
  str text =
      arena_printf(&w->arena, "#!/bin/sh\n%s\nexec '%s' \"$@\"\n", trick, w->unit.tc.program);
  assert_true(fs_write_atomic(&w->t.sink, path, text));
  assert_int_equal(chmod(path, 0755), 0);
  w->unit.tc.program = path;
}

static void tricks_of_a_broken_compiler_are_seen(void **state) {
  (void)state;
  static const struct {
    const char *trick;
    enum diag_code code;
    enum { BODIES, TYPES, PROBE } run;
  } cases[] = {
      {"for a; do case $a in --emit=mir*) echo 'error: no' >&2; exit 1;; esac; done", MD0145,
       BODIES},
      {"for a; do case $a in --emit=mir*) echo 'panicked at' >&2; exit 101;; esac; done", MD0145,
       BODIES},
      {"for a; do case $a in --emit=mir*) exit 0;; esac; done", MD0153, BODIES},
      {"for a; do case $a in --emit=llvm-ir*) echo "
       "'!5 = !DICompositeType(tag: DW_TAG_structure_type, name: \"S\", size: 7)' >${a#*llvm-ir=}; "
       "exit 0;; esac; done",
       MD0150, TYPES},
      {"for a; do case $a in --emit=llvm-ir*) exit 0;; esac; done", MD0153, TYPES},
      {"for a; do case $a in --emit=llvm-ir*) echo 'error: assertion' >&2; exit 1;; esac; done",
       MD0145, TYPES},
      {"for a; do case $a in --emit=llvm-ir*) exit 101;; esac; done", MD0145, TYPES},
      {"case \"$*\" in *crate-attr*--emit=metadata*) echo \"k.rs:$N:1: error: "
       "layout_of(Mixed) = Layout { shape: round }\" >&2; exit 1;; esac",
       MD0149, PROBE},
  };
  for (size_t i = 0; i < COUNT_OF(cases) && n_tools > 0; i++) {
    struct work w;
    bool user_error = false;
    open_with(&w, &tools[0], SOURCE, false);
    fake_rustc(&w, cases[i].trick);
    bool ok = runs_bodies(&w.runs, &w.bodies, &user_error);
    assert_int_equal(ok, cases[i].run != BODIES);
    if (cases[i].run == TYPES) {
      assert_null(debuginfo_find(w.bodies.debuginfo, STR("Shape")));
      assert_false(runs_finish(&w.runs));
    } else if (cases[i].run == PROBE) {
      struct probe_row row = {.kind = PROBE_LAYOUT, .type = STR("Mixed")};
      struct probe_answers ans;
      assert_int_equal(setenv("N", "21", 1), 0); /* 18 lines of source, the module's first row */
      assert_false(probe_run(&w.runs, &w.bodies, &row, 1, &ans));
    }
    assert_false(user_error);
    if (sink_code(&w.t) != cases[i].code) {
      diag_flush(&w.t.sink, false, false);
      fail_msg("%s", cases[i].trick);
    }
    close_work(&w);
  }
}

static void a_crash_is_tried_again_without_gvn(void **state) {
  (void)state;
  struct work w;
  bool user_error = false;
  if (n_tools == 0) {
    return;
  }
  open_with(&w, &tools[0], SOURCE, false);
  fake_rustc(&w, "case \"$*\" in *=-GVN*) ;; *--emit=mir*) exit 101;; esac");
  assert_true(runs_bodies(&w.runs, &w.bodies, &user_error));
  assert_true(w.runs.without_gvn);
  assert_true(runs_finish(&w.runs));
  assert_int_equal(w.runs.n_runs, 3);
  close_work(&w);
}

static void no_unit_costs_more_runs_than_allowed(void **state) {
  (void)state;
  struct work w;
  struct probe_answers ans;
  struct probe_row rows[] = {{.kind = PROBE_LAYOUT, .type = STR("Mixed")}};
  overlay_openings list = {0};
  str text = STR_NULL;
  bool done = true;
  if (n_tools == 0) {
    return;
  }
  open_bodies(&w, &tools[0]);
  w.runs.n_runs = RUNS_MAX;
  assert_true(probe_run(&w.runs, &w.bodies, rows, 1, &ans));
  assert_false(rows[0].ok);
  assert_true(holds(rows[0].reason, "spent"));
  assert_true(w.runs.spent && rows[0].unasked);
  assert_int_equal(w.runs.n_runs, RUNS_MAX);
  assert_true(runs_finish(&w.runs));
  assert_true(runs_reprint(&w.runs, &list, true, &text, &done));
  assert_int_equal(text.n, 0);
  assert_int_equal(w.runs.n_runs, RUNS_MAX);
  assert_int_equal(w.runs.missing.n, 2);
  close_work(&w);
}

/* A pattern looks into private fields, and what it binds is dropped through any pointer. */
static void a_private_part_of_core_is_dropped_through_a_pattern(void **state) {
  (void)state;
  for (size_t i = 0; i < n_tools; i++) {
    struct work w;
    struct probe_answers ans;
    struct probe_row rows[] = {
        {.kind = PROBE_PART,
         .type = STR("core::cell::RefMut<'static, u32>"),
         .path = STR(" { borrow: m, .. }"),
         .step = STR("m")},
        {.kind = PROBE_PART,
         .type = STR("core::cell::RefMut<'static, u32>"),
         .path = STR(" { no_such_field: m, .. }"),
         .step = STR("m")},
        {.kind = PROBE_DROP,
         .type = STR("Option<__P0>"),
         .items = STR("pub struct __P0; impl Drop for __P0 { fn drop(&mut self) {} }")},
    };
    open_bodies(&w, &tools[i]);
    assert_true(probe_run(&w.runs, &w.bodies, rows, COUNT_OF(rows), &ans));
    assert_true(rows[0].ok);
    assert_false(rows[1].ok);
    assert_true(holds(rows[1].reason, "no_such_field"));
    assert_true(rows[2].ok);
    assert_true(holds(ans.mir, "as *mut core::cell::BorrowRefMut") ||
                holds(ans.mir, "as *mut std::cell::BorrowRefMut"));
    close_work(&w);
  }
}

static void a_doctored_version_is_a_warning_and_still_tried(void **state) {
  (void)state;
  struct work w;
  struct toolchain tc;
  bool user_error = false;
  if (n_tools == 0) {
    return;
  }
  open_with(&w, &tools[0], SOURCE, false);
  str trick =
      arena_printf(&w.arena,
                   "case $1 in -vV) '%s' -vV | sed 's/^release: 1[.][0-9]*/release: 1.99/'; "
                   "exit;; esac",
                   tools[0].program);
  fake_rustc(&w, arena_strz(&w.arena, trick));
  assert_true(toolchain_find(&w.t.sink, &w.arena, w.unit.tc.program, &tc));
  assert_false(tc.known);
  assert_int_equal(tc.minor, 99);
  assert_int_equal(sink_code(&w.t), MD0141);
  assert_int_equal(w.t.sink.errors, 0);
  w.unit.tc = tc;
  assert_true(runs_bodies(&w.runs, &w.bodies, &user_error));
  close_work(&w);
}

int main(void) {
  n_tools = rustc_tools(&tool_arena, tools);
  if (n_tools == 0) {
    print_message("not run: there is no Rust toolchain on this machine\n");
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_run_brings_text_sizes_items_and_glue),
      cmocka_unit_test(the_profile_of_the_unit_is_kept),
      cmocka_unit_test(debug_info_knows_closures_and_variants),
      cmocka_unit_test(layouts_are_answered_beside_rows_that_fail),
      cmocka_unit_test(bodies_constants_and_names_are_answered),
      cmocka_unit_test(whether_a_type_needs_drop_comes_with_the_layouts),
      cmocka_unit_test(private_items_of_modules_can_be_asked_about),
      cmocka_unit_test(a_copy_that_does_not_compile_is_given_up),
      cmocka_unit_test(a_copy_prints_all_captures_of_a_closure),
      cmocka_unit_test(errors_of_the_user_are_left_to_rustc),
      cmocka_unit_test(tricks_of_a_broken_compiler_are_seen),
      cmocka_unit_test(a_crash_is_tried_again_without_gvn),
      cmocka_unit_test(no_unit_costs_more_runs_than_allowed),
      cmocka_unit_test(a_private_part_of_core_is_dropped_through_a_pattern),
      cmocka_unit_test(a_doctored_version_is_a_warning_and_still_tried),
  };
  int rc = cmocka_run_group_tests(tests, NULL, NULL);
  arena_free(&tool_arena);
  return rc;
}
