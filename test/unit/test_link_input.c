/* Link inputs by content: containers, what they offer, what the library would drop silently. */
#include "link_helpers.h"

#include "link_containers.h"

static str view(struct bytes b) {
  return (str){(const char *)b.p, b.n};
}

/* Links calls_ir with one more input that should define @cb. */
static bool link_with(struct link_env *e, str more, const char *name, struct link_report *report) {
  struct bytes calls = compile(e, calls_ir, "sm_90"), cubin;
  struct link_input in[2] = {input_of("calls", calls), {.name = str_from(name), .bytes = more}};
  struct link_policy policy = policy_for("sm_90");
  bool ok = finalizer_link(&e->sink, e->cs, in, 2, &policy, NULL, &cubin, report);
  bytes_free(&cubin);
  bytes_free(&calls);
  return ok;
}

#define CB_IR                                                                                      \
  IR_HEAD "define i32 @cb(i32 %x) {\n  %y = mul i32 %x, 3\n  ret i32 %y\n}\n" IR_USED(             \
      "i32 (i32)*", "@cb") IR_TAIL

static void device_code_is_found_in_fatbins_objects_and_archives(void **state) {
  (void)state;
  struct link_env *e = env_with_cuda();
  struct bytes cb = compile(e, CB_IR, "sm_90");
  str fatbin = fatbin_of(&e->arena, ENTRY_LTOIR, 90, 0, view(cb), true);
  str object = object_of(&e->arena, "__nv_relfatbin", fatbin);
  struct strbuf one = {0}, two = {0}, odd = {0};
  add_member(&one, "cb.o/", object);
  /* The library skips everything behind the text; mirdc takes the text out. */
  add_member(&two, "read.me/", STR("hello\n"));
  add_member(&two, "cb.o/", object);
  add_member(&odd, "a.txt/", STR("odd"));
  add_member(&odd, "//", STR("a_very_long_member_name.o/\n"));
  add_member(&odd, "/0", object);
  add_member(&odd, "b.txt/", STR("odd"));
  const struct {
    const char *name;
    str bytes;
    enum link_kind kind;
  } cases[] = {{"cb.fatbin", fatbin, LINK_FATBIN},
               {"cb.o", object, LINK_OBJECT},
               {"one.a", sb_str(&one), LINK_ARCHIVE},
               {"text-first.a", sb_str(&two), LINK_ARCHIVE},
               {"long-names.a", sb_str(&odd), LINK_ARCHIVE}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct link_report report;
    print_message("%s\n", cases[i].name);
    assert_int_equal(link_kind_of(cases[i].bytes), cases[i].kind);
    bool ok = link_with(e, cases[i].bytes, cases[i].name, &report);
    if (!ok) {
      print_diags(e);
    }
    assert_true(ok);
    link_report_free(&report);
  }
  sb_free(&one);
  sb_free(&two);
  sb_free(&odd);
  bytes_free(&cb);
  env_free(e);
}

static void refused_with(str more, enum diag_code code, const char *text) {
  struct link_env *e = env_with_cuda();
  struct link_report report;
  assert_false(link_with(e, more, "the.input", &report));
  expect_error(e, code, text);
  link_report_free(&report);
  env_free(e);
}

static void containers_the_library_would_mistake_are_refused(void **state) {
  (void)state;
  struct link_env *e = env_with_cuda();
  struct bytes cb = compile(e, CB_IR, "sm_90"), scale = compile(e, scale_ir, "sm_90"), cubin;
  struct link_input in = input_of("scale", scale);
  struct link_policy policy = policy_for("sm_90");
  struct link_report report;
  assert_true(finalizer_link(&e->sink, e->cs, &in, 1, &policy, NULL, &cubin, &report));
  link_report_free(&report);
  struct arena *a = &e->arena;
  str lto = fatbin_of(a, ENTRY_LTOIR, 90, 0, view(cb), true);
  refused_with(view(cubin), MD0442, "linked already");
  refused_with(fatbin_of(a, ENTRY_ELF, 90, 0, view(cubin), false), MD0442, "linked already");
  refused_with(object_of(a, ".nv_fatbin", lto), MD0442, "linked already");
  /* PTX beside the finished code does not help: the library takes the code. */
  struct strbuf both = {0}, whole = {0};
  add_entry(&both, ENTRY_ELF, 90, 0, view(cubin), false);
  add_entry(&both, ENTRY_PTX, 90, 0, STR(".version 8.0\n.target sm_90\n"), false);
  put32(&whole, 0xba55ed50);
  put16(&whole, 1);
  put16(&whole, 16);
  put64(&whole, both.n);
  sb_add(&whole, sb_str(&both));
  refused_with(sb_str(&whole), MD0442, "linked already");
  sb_free(&both);
  sb_free(&whole);
  refused_with(fatbin_of(a, ENTRY_LTOIR, 100, 0, view(cb), true), MD0423, "for sm_100");
  refused_with(fatbin_of(a, ENTRY_LTOIR, 90, ENTRY_FLAG_A, view(cb), true), MD0423, "for sm_90a");
  refused_with(fatbin_of(a, ENTRY_LTOIR, 80, ENTRY_FLAG_F, view(cb), true), MD0423, "for sm_80f");
  refused_with(str_sub(lto, 0, lto.n - 8), MD0440, "damaged");
  refused_with(object_of(a, ".data", STR("no code")), MD0441, "no device code");
  struct strbuf bare = {0}, cut = {0};
  add_member(&bare, "cb.ltoir/", view(cb));
  refused_with(sb_str(&bare), MD0440, "bare device code");
  add_member(&cut, "cb.o/", object_of(a, "__nv_relfatbin", lto));
  refused_with(str_sub(sb_str(&cut), 0, cut.n - 10), MD0440, "longer than the archive");
  sb_free(&bare);
  sb_free(&cut);
  bytes_free(&cubin);
  bytes_free(&scale);
  bytes_free(&cb);
  env_free(e);
}

static void a_crash_of_the_library_is_a_diagnostic(void **state) {
  (void)state;
  struct link_env *e = env_with_cuda();
  struct bytes cb = compile(e, CB_IR, "sm_90");
  str bad = fatbin_of(&e->arena, ENTRY_LTOIR, 90, 0, view(cb), false);
  struct link_report report;
  assert_false(link_with(e, bad, "no-options.fatbin", &report));
  assert_true(e->sink.first->code == MD0443 || e->sink.first->code == MD0429 ||
              e->sink.first->code == MD0424);
  link_report_free(&report);
  bytes_free(&cb);
  env_free(e);
}

static void headers_tell_the_target(void **state) {
  (void)state;
  static const char *const archs[] = {"sm_75",  "sm_80",   "sm_90", "sm_90a",
                                      "sm_100", "sm_100a", "sm_120"};
  struct link_env *e = env_with_cuda();
  for (size_t i = 0; i < COUNT_OF(archs); i++) {
    struct bytes b = compile(e, scale_ir, archs[i]);
    struct target t;
    assert_int_equal(link_kind_of(view(b)), LINK_LTOIR);
    assert_true(ltoir_well_formed(view(b)));
    assert_true(link_input_arch(LINK_LTOIR, view(b), &t));
    assert_string_equal(target_sm(t).z, archs[i]);
    for (size_t n = 0; n < 80; n++) {
      assert_false(ltoir_well_formed(str_sub(view(b), 0, n)));
    }
    bytes_free(&b);
  }
  env_free(e);
  struct target t;
  assert_true(
      link_input_arch(LINK_PTX, STR("// a comment\n.version 9.0\n.target sm_100f, debug\n"), &t));
  assert_string_equal(target_sm(t).z, "sm_100f");
  assert_false(link_input_arch(LINK_PTX, STR(".version 9.0\n.target sm_33\n"), &t));
  assert_int_equal(link_kind_of(STR("/* c */ // d\n  .version 9.0\n")), LINK_PTX);
  assert_int_equal(link_kind_of(STR("version 9.0")), LINK_UNKNOWN);
  assert_int_equal(link_kind_of(STR("")), LINK_UNKNOWN);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(device_code_is_found_in_fatbins_objects_and_archives),
      cmocka_unit_test(containers_the_library_would_mistake_are_refused),
      cmocka_unit_test(a_crash_of_the_library_is_a_diagnostic),
      cmocka_unit_test(headers_tell_the_target),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
