/* The finalizer on real libraries: what links, and each silent failure made loud. */
#include "link_helpers.h"

#include <pthread.h>
#include <unistd.h>

#include "base/fatal.h"

static const struct cubin_param scale_params[] = {{0, 0, 8}, {1, 8, 4}, {2, 12, 4}};

static struct link_kernel scale_kernel(void) {
  return (struct link_kernel){.name = STR("scale"),
                              .reqntid = {64, 2, 1},
                              .check_params = true,
                              .params = scale_params,
                              .n_params = 3};
}

static void one_arch(const char *arch) {
  struct link_env *e = env_with_cuda();
  struct bytes lto = compile(e, scale_ir, arch), cubin;
  struct link_input in = input_of("scale.ltoir", lto);
  in.own = true;
  struct link_policy policy = policy_for(arch);
  struct link_kernel kernel = scale_kernel();
  struct link_expect expect = {.kernels = &kernel, .n_kernels = 1, .only_these = true};
  struct link_report report;
  bool ok = finalizer_link(&e->sink, e->cs, &in, 1, &policy, &expect, &cubin, &report);
  if (!ok) {
    print_diags(e);
  }
  assert_true(ok);
  assert_int_equal(report.n_linked, 1);
  assert_int_equal(report.cubin.cc, target_of(arch).cc);
  assert_int_equal(report.cubin.n_kernels, 1);
  const struct cubin_kernel *k = cubin_kernel(&report.cubin, STR("scale"));
  assert_non_null(k);
  assert_true(k->registers > 0 && k->registers <= 255);
  assert_int_equal(k->frame_bytes, 0);
  assert_int_equal(k->shared_static, 0);
  assert_int_equal(k->param_bytes, 16);
  assert_int_equal(k->n_params, 3);
  assert_true(k->code_size >= 128);
  link_report_free(&report);
  bytes_free(&cubin);
  bytes_free(&lto);
  env_free(e);
}

static void a_kernel_links_for_each_generation(void **state) {
  (void)state;
  static const char *const archs[] = {"sm_75",  "sm_80",  "sm_86",   "sm_89",   "sm_90",
                                      "sm_90a", "sm_100", "sm_100a", "sm_100f", "sm_120"};
  for (size_t i = 0; i < COUNT_OF(archs); i++) {
    one_arch(archs[i]);
  }
}

/* Links one IR text and returns whether that worked; the diagnostics stay in the sink. */
static bool link_ir(struct link_env *e, const char *ir, const struct link_policy *p,
                    const struct link_expect *x) {
  struct bytes lto = compile(e, ir, target_sm(p->arch).z), product;
  struct link_input in = input_of("a.ltoir", lto);
  struct link_report report;
  bool ok = finalizer_link(&e->sink, e->cs, &in, 1, p, x, &product, &report);
  assert_true(ok == (product.p != NULL));
  link_report_free(&report);
  bytes_free(&product);
  bytes_free(&lto);
  return ok;
}

static void a_kernel_outside_llvm_used_is_our_error(void **state) {
  (void)state;
  struct link_env *e = env_with_cuda();
  struct link_policy policy = policy_for("sm_90");
  struct link_kernel kernel = scale_kernel();
  struct link_expect expect = {.kernels = &kernel, .n_kernels = 1};
  assert_false(link_ir(e, unlisted_ir, &policy, &expect));
  expect_error(e, MD0432, "kernel `scale` is missing");
  env_free(e);
}

static void an_undefined_function_is_named(void **state) {
  (void)state;
  struct link_env *e = env_with_cuda();
  struct link_policy policy = policy_for("sm_90");
  struct link_symbol symbol = {.name = STR("cb"), .span = {0, 3, 1, 3, 4}};
  struct link_expect expect = {.symbols = &symbol, .n_symbols = 1};
  assert_false(link_ir(e, calls_ir, &policy, &expect));
  expect_error(e, MD0425, "`cb`");
  assert_int_equal(e->sink.first->span.line0, 3);
  env_free(e);
}

#define VAR_IR                                                                                     \
  IR_HEAD "@nowhere = external addrspace(1) global i32\n"                                          \
          "define void @calls(i32* %p, i32 %x) {\n"                                                \
          "  %v = load i32, i32* addrspacecast (i32 addrspace(1)* @nowhere to i32*)\n"             \
          "  store i32 %v, i32* %p, align 4\n"                                                     \
          "  ret void\n"                                                                           \
          "}\n" IR_USED(CALLS_TYPE, "@calls")                                                      \
              IR_KERNEL(CALLS_TYPE, "@calls") "!1 = !{" CALLS_TYPE                                 \
                                              " @calls, !\"maxntidx\", i32 256}\n" IR_TAIL

static void an_undefined_variable_is_named_when_externals_are_checked(void **state) {
  (void)state;
  struct link_env *e = env_with_cuda();
  struct link_policy policy = policy_for("sm_90");
  struct link_expect expect = {.check_externals = true};
  assert_false(link_ir(e, VAR_IR, &policy, &expect));
  expect_error(e, MD0425, "variable `nowhere`");
  env_free(e);
}

static void linked_ptx_with_an_undefined_variable_is_refused(void **state) {
  (void)state;
  struct link_env *e = env_with_cuda();
  struct link_policy policy = policy_for("sm_90");
  policy.want_ptx = true;
  assert_false(link_ir(e, VAR_IR, &policy, NULL));
  expect_error(e, MD0425, "variable `nowhere`");
  env_free(e);
}

static void linked_ptx_has_the_kernel_and_no_zero_byte(void **state) {
  (void)state;
  struct link_env *e = env_with_cuda();
  struct bytes lto = compile(e, scale_ir, "sm_90"), ptx;
  struct link_input in = input_of("a.ltoir", lto);
  struct link_policy policy = policy_for("sm_90");
  policy.want_ptx = true;
  struct link_kernel kernel = scale_kernel();
  struct link_expect expect = {.kernels = &kernel, .n_kernels = 1};
  struct link_report report;
  assert_true(finalizer_link(&e->sink, e->cs, &in, 1, &policy, &expect, &ptx, &report));
  assert_null(memchr(ptx.p, 0, ptx.n));
  assert_int_equal(link_kind_of((str){(const char *)ptx.p, ptx.n}), LINK_PTX);
  link_report_free(&report);
  /* And PTX is an input like any other. */
  policy.want_ptx = false;
  in = input_of("a.ptx", ptx);
  struct bytes cubin;
  assert_true(finalizer_link(&e->sink, e->cs, &in, 1, &policy, &expect, &cubin, &report));
  link_report_free(&report);
  kernel.name = STR("other");
  policy.want_ptx = true;
  in = input_of("a.ltoir", lto);
  struct bytes none;
  assert_false(finalizer_link(&e->sink, e->cs, &in, 1, &policy, &expect, &none, &report));
  expect_error(e, MD0437, "`other`");
  link_report_free(&report);
  bytes_free(&cubin);
  bytes_free(&ptx);
  bytes_free(&lto);
  env_free(e);
}

static void lost_launch_facts_are_an_error(void **state) {
  (void)state;
  struct link_env *e = env_with_cuda();
  struct link_policy policy = policy_for("sm_90");
  struct link_kernel kernel = scale_kernel();
  kernel.reqntid[0] = 128;
  struct link_expect expect = {.kernels = &kernel, .n_kernels = 1};
  assert_false(link_ir(e, scale_ir, &policy, &expect));
  expect_error(e, MD0435, "block size");
  env_free(e);
}

static void a_parameter_in_another_place_is_an_error(void **state) {
  (void)state;
  struct link_env *e = env_with_cuda();
  struct link_policy policy = policy_for("sm_90");
  struct link_kernel kernel = scale_kernel();
  static const struct cubin_param moved[] = {{0, 0, 8}, {1, 8, 8}, {2, 16, 4}};
  kernel.params = moved;
  struct link_expect expect = {.kernels = &kernel, .n_kernels = 1};
  assert_false(link_ir(e, scale_ir, &policy, &expect));
  expect_error(e, MD0436, "parameter 1 of kernel `scale`");
  env_free(e);
  e = env_with_cuda();
  kernel.n_params = 2;
  assert_false(link_ir(e, scale_ir, &policy, &expect));
  expect_error(e, MD0436, "3 parameters in the image, 2");
  env_free(e);
}

static void an_entry_point_nobody_asked_for_is_an_error(void **state) {
  (void)state;
  struct link_env *e = env_with_cuda();
  struct link_policy policy = policy_for("sm_90");
  struct link_expect expect = {.only_these = true};
  assert_false(link_ir(e, scale_ir, &policy, &expect));
  expect_error(e, MD0438, "`scale`");
  env_free(e);
}

#define CB_IR(attr, factor)                                                                        \
  IR_HEAD "define i32 @cb(i32 %x) " attr " {\n  %y = mul i32 %x, " factor                          \
          "\n  ret i32 %y\n}\n" IR_USED("i32 (i32)*", "@cb") IR_TAIL

/* Links calls_ir with a callback module; forbidden must not be left over. */
static bool link_callback(struct link_env *e, const char *cb_ir, struct link_expect *x,
                          size_t *dup) {
  struct bytes a = compile(e, calls_ir, "sm_90"), b = compile(e, cb_ir, "sm_90"), cubin;
  struct link_input in[3] = {input_of("calls", a), input_of("cb", b), input_of("cb again", b)};
  struct link_policy policy = policy_for("sm_90");
  struct link_report report;
  bool ok = finalizer_link(&e->sink, e->cs, in, 3, &policy, x, &cubin, &report);
  *dup = report.n_duplicates;
  link_report_free(&report);
  bytes_free(&cubin);
  bytes_free(&a);
  bytes_free(&b);
  return ok;
}

static void a_callback_is_merged_and_equal_inputs_are_linked_once(void **state) {
  (void)state;
  struct link_env *e = env_with_cuda();
  str forbidden = STR("cb");
  struct link_kernel kernel = {.name = STR("calls"), .maxntid = {256, 1, 1}};
  struct link_expect expect = {
      .kernels = &kernel, .n_kernels = 1, .forbidden = &forbidden, .n_forbidden = 1};
  size_t duplicates;
  bool ok = link_callback(e, CB_IR("", "3"), &expect, &duplicates);
  if (!ok) {
    print_diags(e);
  }
  assert_true(ok);
  assert_int_equal(duplicates, 1);
  env_free(e);
}

static void a_callback_left_over_is_an_error(void **state) {
  (void)state;
  struct link_env *e = env_with_cuda();
  str forbidden = STR("cb");
  struct link_expect expect = {.forbidden = &forbidden, .n_forbidden = 1};
  size_t duplicates;
  assert_false(link_callback(e, CB_IR("noinline", "3"), &expect, &duplicates));
  expect_error(e, MD0434, "callback `cb`");
  env_free(e);
}

static void two_definitions_are_an_error_that_names_the_symbol(void **state) {
  (void)state;
  struct link_env *e = env_with_cuda();
  struct bytes a = compile(e, CB_IR("", "3"), "sm_90"), b = compile(e, CB_IR("", "5"), "sm_90"),
               c = compile(e, calls_ir, "sm_90"), cubin;
  struct link_input in[3] = {input_of("c", c), input_of("a", a), input_of("b", b)};
  struct link_policy policy = policy_for("sm_90");
  struct link_report report;
  assert_false(finalizer_link(&e->sink, e->cs, in, 3, &policy, NULL, &cubin, &report));
  expect_error(e, MD0426, "`cb`");
  link_report_free(&report);
  bytes_free(&a);
  bytes_free(&b);
  bytes_free(&c);
  env_free(e);
}

struct refusal {
  const char *what;
  struct link_input in;
  const char *arch;
  enum diag_code code;
  const char *text;
};

static void expect_refusal(const struct refusal *c) {
  struct link_policy policy = policy_for(c->arch);
  struct link_report report;
  struct bytes out;
  struct link_env *e = env_new(NULL);
  print_message("%s\n", c->what);
  assert_false(finalizer_link(&e->sink, e->cs, &c->in, 1, &policy, NULL, &out, &report));
  expect_error(e, c->code, c->text);
  assert_null(out.p);
  link_report_free(&report);
  env_free(e);
}

static void inputs_are_refused_before_the_library_sees_them(void **state) {
  (void)state;
  struct link_env *e = env_with_cuda();
  struct bytes lto90 = compile(e, scale_ir, "sm_90"), lto90a = compile(e, scale_ir, "sm_90a"),
               lto100 = compile(e, scale_ir, "sm_100");
  str s90 = {(const char *)lto90.p, lto90.n}, s90a = {(const char *)lto90a.p, lto90a.n},
      s100 = {(const char *)lto100.p, lto100.n};
  const struct refusal cases[] = {
      {"empty", {.name = STR("e")}, "sm_90", MD0420, "`e` is empty"},
      {"text", {.name = STR("t"), .bytes = STR("hello\n")}, "sm_90", MD0421, "nothing that can"},
      {"thin archive", {.name = STR("t"), .bytes = STR("!<thin>\n")}, "sm_90", MD0421, "nothing"},
      {"another kind",
       {.kind = LINK_PTX, .name = STR("k"), .bytes = s90},
       "sm_90",
       MD0421,
       "should be PTX and is LTO-IR"},
      {"wrong digest",
       {.name = STR("d"), .bytes = s90, .has_digest = true},
       "sm_90",
       MD0422,
       "not what was recorded"},
      {"newer", {.name = STR("n"), .bytes = s100}, "sm_90", MD0423, "for sm_100"},
      {"older target", {.name = STR("n"), .bytes = s90}, "sm_80", MD0423, "for sm_90"},
      {"a to plain", {.name = STR("n"), .bytes = s90a}, "sm_90", MD0423, "for sm_90a"},
      {"a to newer", {.name = STR("n"), .bytes = s90a}, "sm_100", MD0423, "for sm_90a"},
      {"f to plain",
       {.name = STR("n"), .bytes = s100, .arch = {100, 'f'}},
       "sm_103",
       MD0423,
       "for sm_100f"},
      {"f to another family",
       {.name = STR("n"), .bytes = s100, .arch = {100, 'f'}},
       "sm_120f",
       MD0423,
       "for sm_100f"},
      {"another arch than said",
       {.name = STR("n"), .bytes = s100, .arch = {90, 0}},
       "sm_100",
       MD0421,
       "should be for sm_90"},
      {"cut archive", {.name = STR("x"), .bytes = STR("!<arch>\nabc")}, "sm_90", MD0440, "damaged"},
      {"archive of text",
       {.name = STR("x"),
        .bytes = STR("!<arch>\nt.txt/          0           0     0     644     2         `\nab")},
       "sm_90",
       MD0441,
       "no device code"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    expect_refusal(&cases[i]);
  }
  bytes_free(&lto90);
  bytes_free(&lto90a);
  bytes_free(&lto100);
  env_free(e);
}

static void no_input_and_unknown_options_are_refused(void **state) {
  (void)state;
  struct link_env *e = env_new(NULL);
  struct link_policy policy = policy_for("sm_90");
  struct link_report report;
  struct bytes out;
  assert_false(finalizer_link(&e->sink, e->cs, NULL, 0, &policy, NULL, &out, &report));
  expect_error(e, MD0420, "nothing to link");
  link_report_free(&report);
  env_free(e);
  e = env_new(NULL);
  const char *extra[] = {"-kernels-used=k"};
  policy.extra = extra;
  policy.n_extra = 1;
  assert_false(finalizer_link(&e->sink, e->cs, NULL, 0, &policy, NULL, &out, &report));
  expect_error(e, MD0428, "`-kernels-used=k`");
  link_report_free(&report);
  env_free(e);
  assert_true(finalizer_option_known("-split-compile=2"));
  assert_false(finalizer_option_known("-split-compile=x"));
  assert_false(finalizer_option_known("-Xptxas=-O0"));
}

static void garbage_behind_a_good_header_is_an_error(void **state) {
  (void)state;
  struct link_env *e = env_with_cuda();
  struct bytes lto = compile(e, scale_ir, "sm_90"), out;
  struct link_input in = input_of("cut.ltoir", lto);
  in.bytes.n = 400;
  struct link_policy policy = policy_for("sm_90");
  struct link_report report;
  assert_false(finalizer_link(&e->sink, e->cs, &in, 1, &policy, NULL, &out, &report));
  expect_error(e, MD0424, "device link failed");
  link_report_free(&report);
  bytes_free(&lto);
  env_free(e);
}

static void bad_ptx_is_refused_with_the_inputs_name(void **state) {
  (void)state;
  struct link_env *e = env_with_cuda();
  struct link_input in = {.name = STR("bad.ptx"),
                          .bytes = STR(".version 8.0\n.target sm_90\n.address_size 64\n"
                                       ".visible .entry k() { nonsense; }\n")};
  struct link_policy policy = policy_for("sm_90");
  struct link_report report;
  struct bytes out;
  assert_false(finalizer_link(&e->sink, e->cs, &in, 1, &policy, NULL, &out, &report));
  expect_error(e, MD0429, "PTX `bad.ptx`");
  link_report_free(&report);
  env_free(e);
}

static void without_a_child_process_the_link_fails(void **state) {
  (void)state;
  struct link_env *e = env_with_cuda();
  struct bytes lto = compile(e, scale_ir, "sm_90"), out;
  struct link_input in = input_of("a.ltoir", lto);
  struct link_policy policy = policy_for("sm_90");
  struct link_report report;
  fault_set("spawn:1");
  assert_false(finalizer_link(&e->sink, e->cs, &in, 1, &policy, NULL, &out, &report));
  fault_set(NULL);
  expect_error(e, MD0424, "no process for the link");
  link_report_free(&report);
  bytes_free(&lto);
  env_free(e);
}

static void policies_reach_the_product(void **state) {
  (void)state;
  struct link_env *e = env_with_cuda();
  struct bytes lto = compile(e, scale_ir, "sm_90"), out[4];
  struct link_input in = input_of("a.ltoir", lto);
  struct link_policy policy[4];
  for (size_t i = 0; i < 4; i++) {
    policy[i] = policy_for("sm_90");
  }
  policy[1].fmad = false;
  policy[2].debug = true;
  policy[2].opt = 0;
  policy[3].prune_variables = true;
  struct link_report report[4];
  for (size_t i = 0; i < 4; i++) {
    bool ok = finalizer_link(&e->sink, e->cs, &in, 1, &policy[i], NULL, &out[i], &report[i]);
    if (!ok) {
      print_diags(e);
    }
    assert_true(ok);
  }
  assert_int_not_equal(cubin_kernel(&report[0].cubin, STR("scale"))->code_size,
                       cubin_kernel(&report[2].cubin, STR("scale"))->code_size);
  for (size_t i = 0; i < 4; i++) {
    link_report_free(&report[i]);
    bytes_free(&out[i]);
  }
  bytes_free(&lto);
  env_free(e);
}

/* 40 values that all live at once. */
static void wide_ir(struct strbuf *b, const char *ann) {
  sb_addz(b, IR_HEAD "define void @calls(i32* %p, i32 %x) {\n");
  for (int i = 0; i < 40; i++) {
    sb_addf(b, "  %%q%d = getelementptr i32, i32* %%p, i32 %d\n", i, i);
    sb_addf(b, "  %%v%d = load volatile i32, i32* %%q%d, align 4\n", i, i);
  }
  for (int i = 0; i < 40; i++) {
    sb_addf(b, "  store volatile i32 %%v%d, i32* %%q%d, align 4\n", i, 39 - i);
  }
  sb_addz(b, "  ret void\n}\n" IR_USED(CALLS_TYPE, "@calls") IR_KERNEL(CALLS_TYPE, "@calls"));
  sb_addf(b, "!1 = !{" CALLS_TYPE " @calls%s}\n" IR_TAIL, ann);
}

static void a_register_limit_works_or_its_loss_is_a_warning(void **state) {
  (void)state;
  static const char *const anns[] = {"", ", !\"reqntidx\", i32 64"};
  for (size_t i = 0; i < COUNT_OF(anns); i++) {
    struct link_env *e = env_with_cuda();
    struct strbuf ir = {0};
    wide_ir(&ir, anns[i]);
    struct bytes lto = compile(e, sb_z(&ir), "sm_90"), cubin;
    struct link_input in = input_of("a.ltoir", lto);
    struct link_policy policy = policy_for("sm_90");
    policy.max_registers = 24;
    struct link_report report;
    assert_true(finalizer_link(&e->sink, e->cs, &in, 1, &policy, NULL, &cubin, &report));
    const struct cubin_kernel *k = cubin_kernel(&report.cubin, STR("calls"));
    if (i == 0) {
      assert_int_equal(k->max_registers, 24);
      assert_true(k->registers <= 24);
      assert_true(k->frame_bytes > 0); /* spilled */
      assert_null(e->sink.first);
    } else {
      assert_true(k->registers > 24);
      expect_error(e, MD0439, "kernel `calls` uses");
    }
    link_report_free(&report);
    bytes_free(&cubin);
    bytes_free(&lto);
    sb_free(&ir);
    env_free(e);
  }
}

#define LINES_IR(kind)                                                                             \
  IR_HEAD                                                                                          \
      "define void @calls(i32* %p, i32 %x) !dbg !6 {\n"                                            \
      "  store i32 %x, i32* %p, align 4, !dbg !8\n  ret void, !dbg !8\n}\n" IR_USED(CALLS_TYPE,    \
                                                                                    "@calls")      \
          IR_KERNEL(CALLS_TYPE,                                                                    \
                    "@calls") "!1 = !{" CALLS_TYPE " @calls}\n!llvm.module.flags = !{!2, !3}\n"    \
                              "!llvm.dbg.cu = !{!4}\n!2 = !{i32 2, !\"Dwarf Version\", i32 2}\n"   \
                              "!3 = !{i32 2, !\"Debug Info Version\", i32 3}\n"                    \
                              "!4 = distinct !DICompileUnit(language: DW_LANG_C99, file: !5, "     \
                              "producer: \"x\", "                                                  \
                              "isOptimized: true, runtimeVersion: 0, emissionKind: " kind ")\n"    \
                              "!5 = !DIFile(filename: \"src/a.rs\", directory: \"\")\n"            \
                              "!6 = distinct !DISubprogram(name: \"k\", scope: !5, file: !5, "     \
                              "line: 1, type: !7, "                                                \
                              "isLocal: false, isDefinition: true, scopeLine: 1, isOptimized: "    \
                              "true, unit: !4)\n"                                                  \
                              "!7 = !DISubroutineType(types: !{null})\n"                           \
                              "!8 = !DILocation(line: 3, column: 5, scope: !6)\n" IR_TAIL

/* The library would write a source file's time into the image. */
static void line_information_does_not_depend_on_the_files(void **state) {
  (void)state;
  static const char *const irs[] = {LINES_IR("DebugDirectivesOnly"), LINES_IR("FullDebug")};
  struct link_env *e = env_with_cuda();
  char here[4096];
  char *dir = fs_temp_dir(&e->sink, &e->arena);
  assert_non_null(getcwd(here, sizeof here));
  assert_int_equal(chdir(dir), 0);
  for (size_t i = 0; i < COUNT_OF(irs); i++) {
    struct bytes lto = compile(e, irs[i], "sm_90"), without, with;
    struct link_input in = input_of("a.ltoir", lto);
    in.own = true;
    struct link_policy policy = policy_for("sm_90");
    policy.line_info = i == 0;
    policy.debug = i == 1;
    policy.opt = i == 0 ? 3 : 0;
    struct link_report report;
    assert_true(finalizer_link(&e->sink, e->cs, &in, 1, &policy, NULL, &without, &report));
    assert_true(report.cubin.has_lines);
    assert_int_equal(report.cubin.has_debug, i == 1);
    link_report_free(&report);
    assert_true(fs_mkdirs(&e->sink, "src"));
    assert_true(fs_write_atomic(&e->sink, "src/a.rs", STR("fn a() {}\n")));
    assert_true(finalizer_link(&e->sink, e->cs, &in, 1, &policy, NULL, &with, &report));
    link_report_free(&report);
    assert_int_equal(with.n, without.n);
    assert_memory_equal(with.p, without.p, with.n);
    assert_true(fs_remove_tree(&e->sink, "src"));
    bytes_free(&with);
    bytes_free(&without);
    bytes_free(&lto);
  }
  assert_int_equal(chdir(here), 0);
  assert_true(fs_remove_tree(&e->sink, dir));
  env_free(e);
}

struct parallel {
  struct link_env *e;
  struct link_input in;
  struct bytes out;
  bool ok;
};

static void *link_in_thread(void *arg) {
  struct parallel *p = arg;
  struct diag_sink sink;
  struct link_policy policy = policy_for("sm_90");
  struct link_report report;
  diag_sink_init(&sink, NULL);
  p->ok = finalizer_link(&sink, p->e->cs, &p->in, 1, &policy, NULL, &p->out, &report);
  link_report_free(&report);
  diag_sink_free(&sink);
  return NULL;
}

/* In the process itself and in children; one link in each at the same time. */
static void two_threads_link_the_same_bytes(void **state) {
  (void)state;
  /* AddressSanitizer's allocator does not survive a fork beside a running thread, as libc's does: there
   * only both in the process. */
#ifdef __SANITIZE_ADDRESS__
  int first = 3;
#else
  int first = 0;
#endif
  for (int mask = first; mask < 4; mask++) {
    struct link_env *e = env_with_cuda();
    struct bytes lto = compile(e, scale_ir, "sm_90");
    struct parallel p[2] = {{.e = e, .in = input_of("a", lto)}, {.e = e, .in = input_of("b", lto)}};
    pthread_t t[2];
    for (int i = 0; i < 2; i++) {
      p[i].in.own = (mask >> i & 1) != 0;
      assert_int_equal(pthread_create(&t[i], NULL, link_in_thread, &p[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
      pthread_join(t[i], NULL);
      assert_true(p[i].ok);
    }
    assert_int_equal(p[0].out.n, p[1].out.n);
    /* The inputs had different names: a name must not reach the bytes. */
    assert_memory_equal(p[0].out.p, p[1].out.p, p[0].out.n);
    bytes_free(&p[0].out);
    bytes_free(&p[1].out);
    bytes_free(&lto);
    env_free(e);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_kernel_links_for_each_generation),
      cmocka_unit_test(a_kernel_outside_llvm_used_is_our_error),
      cmocka_unit_test(an_undefined_function_is_named),
      cmocka_unit_test(an_undefined_variable_is_named_when_externals_are_checked),
      cmocka_unit_test(linked_ptx_with_an_undefined_variable_is_refused),
      cmocka_unit_test(linked_ptx_has_the_kernel_and_no_zero_byte),
      cmocka_unit_test(lost_launch_facts_are_an_error),
      cmocka_unit_test(a_parameter_in_another_place_is_an_error),
      cmocka_unit_test(an_entry_point_nobody_asked_for_is_an_error),
      cmocka_unit_test(a_callback_is_merged_and_equal_inputs_are_linked_once),
      cmocka_unit_test(a_callback_left_over_is_an_error),
      cmocka_unit_test(two_definitions_are_an_error_that_names_the_symbol),
      cmocka_unit_test(inputs_are_refused_before_the_library_sees_them),
      cmocka_unit_test(no_input_and_unknown_options_are_refused),
      cmocka_unit_test(garbage_behind_a_good_header_is_an_error),
      cmocka_unit_test(bad_ptx_is_refused_with_the_inputs_name),
      cmocka_unit_test(without_a_child_process_the_link_fails),
      cmocka_unit_test(policies_reach_the_product),
      cmocka_unit_test(a_register_limit_works_or_its_loss_is_a_warning),
      cmocka_unit_test(line_information_does_not_depend_on_the_files),
      cmocka_unit_test(two_threads_link_the_same_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
