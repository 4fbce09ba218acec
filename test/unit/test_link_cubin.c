/* The cubin reader: its numbers equal the tools' log, and damage is never followed. */
#include "link_helpers.h"

#include "base/jsonw.h"

#define K_TYPE "void (float*, i32)*"
#define K_HEAD "define void @k(float* %p, i32 %x) {\n  %i = sext i32 %x to i64\n"
#define K_TAIL(ann)                                                                                \
  "  ret void\n}\n" IR_USED(K_TYPE, "@k") IR_KERNEL(K_TYPE, "@k") "!1 = !{" K_TYPE " @k" ann       \
                                                                  "}\n" IR_TAIL
#define STORE_P                                                                                    \
  "  %q = getelementptr float, float* %p, i64 %i\n  store float 1.0, float* %q, align 4\n"

static const char plain_ir[] = IR_HEAD K_HEAD STORE_P K_TAIL("");
static const char shared_ir[] =
    IR_HEAD "@sh = internal addrspace(3) global [64 x float] undef, align 4\n"
            "declare void @llvm.nvvm.barrier0()\n" K_HEAD
            "  %s = getelementptr [64 x float], [64 x float] addrspace(3)* @sh, i64 0, i64 %i\n"
            "  store volatile float 2.0, float addrspace(3)* %s, align 4\n"
            "  call void @llvm.nvvm.barrier0()\n" STORE_P K_TAIL("");
static const char dynamic_ir[] =
    IR_HEAD "@dsm = external addrspace(3) global [0 x float], align 4\n" K_HEAD
            "  %s = getelementptr [0 x float], [0 x float] addrspace(3)* @dsm, i64 0, i64 %i\n"
            "  store volatile float 2.0, float addrspace(3)* %s, align 4\n" STORE_P K_TAIL("");
static const char stack_ir[] = IR_HEAD K_HEAD
    "  %a = alloca [200 x float]\n"
    "  %s = getelementptr [200 x float], [200 x float]* %a, i64 0, i64 %i\n"
    "  store float 2.0, float* %s\n  %j = lshr i64 %i, 3\n"
    "  %t = getelementptr [200 x float], [200 x float]* %a, i64 0, i64 %j\n"
    "  %v = load float, float* %t\n  store float %v, float* %p\n" K_TAIL("");
static const char constant_ir[] =
    IR_HEAD "@tab = internal addrspace(4) constant [4 x float] [float 1.0, float 2.0, float 3.0, "
            "float 4.0]\n" K_HEAD
            "  %c = getelementptr [4 x float], [4 x float] addrspace(4)* @tab, i64 0, i64 %i\n"
            "  %v = load float, float addrspace(4)* %c\n  store float %v, float* %p\n" K_TAIL("");
static const char bound_ir[] = IR_HEAD K_HEAD STORE_P K_TAIL(
    ", !\"maxntidx\", i32 256, !\"maxntidy\", i32 2, !\"minctasm\", i32 2");
static const char cluster_ir[] = IR_HEAD K_HEAD STORE_P K_TAIL(
    ", !\"reqntidx\", i32 64, !\"cluster_dim_x\", i32 2, !\"cluster_dim_y\", i32 1, "
    "!\"cluster_dim_z\", i32 1");

struct linked {
  struct link_env *e;
  struct bytes image;
  struct link_report report;
  const struct cubin_kernel *k;
};

static void link_one(struct linked *l, const char *ir, const char *arch) {
  static const char *const verbose[] = {"-verbose"};
  *l = (struct linked){.e = env_with_cuda()};
  struct bytes lto = compile(l->e, ir, arch);
  struct link_input in = input_of("k", lto);
  in.own = true;
  struct link_policy p = policy_for(arch);
  p.extra = verbose;
  p.n_extra = 1;
  bool ok = finalizer_link(&l->e->sink, l->e->cs, &in, 1, &p, NULL, &l->image, &l->report);
  if (!ok) {
    print_diags(l->e);
  }
  assert_true(ok);
  l->k = cubin_kernel(&l->report.cubin, STR("k"));
  assert_non_null(l->k);
  bytes_free(&lto);
}

static void unlink_one(struct linked *l) {
  link_report_free(&l->report);
  bytes_free(&l->image);
  env_free(l->e);
}

/* The number before `what` in the log; 0 when the log does not mention it. */
static unsigned logged(const struct linked *l, const char *what) {
  str log = l->report.info_log;
  size_t at = str_find(log, str_from(what), 0);
  if (at == SIZE_MAX) {
    return 0;
  }
  size_t from = at;
  while (from > 0 && log.p[from - 1] >= '0' && log.p[from - 1] <= '9') {
    from--;
  }
  uint64_t v;
  return str_to_u64(str_sub(log, from, at), &v) ? (unsigned)v : 9999;
}

static void resources_equal_the_linkers_log(void **state) {
  (void)state;
  static const char *const archs[] = {"sm_75", "sm_80",  "sm_86", "sm_89",
                                      "sm_90", "sm_100", "sm_120"};
  static const struct {
    const char *name, *ir;
    unsigned shared, frame;
  } kernels[] = {{"plain", plain_ir, 0, 0},       {"shared", shared_ir, 256, 0},
                 {"dynamic", dynamic_ir, 0, 0},   {"stack", stack_ir, 0, 800},
                 {"constant", constant_ir, 0, 0}, {"bound", bound_ir, 0, 0}};
  for (size_t i = 0; i < COUNT_OF(archs) * COUNT_OF(kernels); i++) {
    struct linked l;
    size_t n = i % COUNT_OF(kernels);
    link_one(&l, kernels[n].ir, archs[i / COUNT_OF(kernels)]);
    print_message("%s %s\n", archs[i / COUNT_OF(kernels)], kernels[n].name);
    assert_true(logged(&l, " registers") > 0);
    assert_int_equal(l.k->registers, logged(&l, " registers"));
    assert_int_equal(l.k->barriers, logged(&l, " barriers"));
    assert_int_equal(l.k->shared_static, logged(&l, " bytes smem"));
    assert_int_equal(l.k->frame_bytes, logged(&l, " bytes stack frame"));
    assert_int_equal(l.k->shared_static, kernels[n].shared);
    assert_int_equal(l.k->frame_bytes, kernels[n].frame);
    assert_int_equal(l.k->min_stack_bytes, kernels[n].frame);
    /* The kernel with a stack stores one float and loads it again. */
    assert_int_equal(l.k->local_store_bytes, kernels[n].frame ? 4 : 0);
    assert_int_equal(l.k->local_load_bytes, kernels[n].frame ? 4 : 0);
    assert_int_equal(logged(&l, " bytes spill stores"), 0);
    assert_int_equal(l.k->param_bytes, 12);
    assert_int_equal(l.k->n_params, 2);
    assert_int_equal(l.k->params[1].offset, 8);
    assert_int_equal(l.k->params[1].size, 4);
    assert_true(l.k->param_base + l.k->param_bytes <= l.k->const_bank[0]);
    assert_int_equal(l.report.cubin.const3_bytes,
                     strcmp(kernels[n].name, "constant") == 0 ? 16 : 0);
    unlink_one(&l);
  }
}

static void launch_facts_are_read(void **state) {
  (void)state;
  struct linked l;
  link_one(&l, bound_ir, "sm_80");
  assert_int_equal(l.k->max_threads[0], 256);
  assert_int_equal(l.k->max_threads[1], 2);
  assert_int_equal(l.k->reqntid[0], 0);
  unlink_one(&l);
  static const char *const archs[] = {"sm_90", "sm_100"};
  for (size_t i = 0; i < COUNT_OF(archs); i++) {
    link_one(&l, cluster_ir, archs[i]);
    assert_int_equal(l.k->reqntid[0], 64);
    assert_int_equal(l.k->cluster[0], 2);
    assert_int_equal(l.k->cluster[2], 1);
    assert_true(l.k->explicit_cluster);
    unlink_one(&l);
  }
}

static void large_parameters_use_the_second_form_of_record(void **state) {
  (void)state;
  static const char ir[] =
      IR_HEAD "%S = type { [4000 x i64] }\n"
              "define void @k(%S* byval align 8 %s, i64* %p) {\n"
              "  %q = getelementptr %S, %S* %s, i64 0, i32 0, i64 3999\n"
              "  %v = load i64, i64* %q\n  store i64 %v, i64* %p\n  ret void\n}\n" IR_USED(
                  "void (%S*, i64*)*", "@k")
                  IR_KERNEL("void (%S*, i64*)*", "@k") "!1 = !{void (%S*, i64*)* @k}\n" IR_TAIL;
  struct linked l;
  link_one(&l, ir, "sm_90");
  assert_int_equal(l.k->n_params, 2);
  assert_int_equal(l.k->params[0].size, 32000);
  assert_int_equal(l.k->params[1].offset, 32000);
  assert_int_equal(l.k->param_bytes, 32008);
  unlink_one(&l);
}

static void a_kernel_prints_as_json_and_text(void **state) {
  (void)state;
  struct linked l;
  struct strbuf text = {0};
  struct jsonw w;
  link_one(&l, shared_ir, "sm_90");
  cubin_kernel_text(&text, l.k);
  assert_true(str_find(sb_str(&text), STR("shared 256"), 0) != SIZE_MAX);
  jw_init(&w, false);
  cubin_kernel_json(&w, l.k);
  str json = sb_str(&w.out);
  assert_true(str_find(json, STR("\"shared_static_bytes\":256"), 0) != SIZE_MAX);
  assert_true(str_find(json, STR("\"block\":null"), 0) != SIZE_MAX);
  assert_true(str_find(json, STR("{\"offset\":8,\"size\":4}"), 0) != SIZE_MAX);
  jw_free(&w);
  sb_free(&text);
  unlink_one(&l);
}

/* Reads a private copy of exactly n bytes, so that a sanitizer sees each byte too many. */
static bool read_copy(const uint8_t *p, size_t n) {
  struct arena a = {0};
  struct cubin c;
  struct cubin_error err;
  uint8_t *copy = malloc(n == 0 ? 1 : n);
  memcpy(copy, p, n);
  bool ok = cubin_read(&a, (str){(const char *)copy, n}, &c, &err);
  assert_true(ok || err.what != NULL);
  free(copy);
  arena_free(&a);
  return ok;
}

static void a_cut_or_damaged_image_is_an_error_or_harmless(void **state) {
  (void)state;
  struct linked l;
  link_one(&l, shared_ir, "sm_90");
  size_t n = l.image.n;
  assert_true(read_copy(l.image.p, n));
  for (size_t cut = 0; cut < n; cut += cut < 128 ? 1 : 61) {
    assert_false(read_copy(l.image.p, cut));
  }
  unsigned random = 12345;
  for (int i = 0; i < 20000; i++) {
    uint8_t was[4];
    size_t at[4];
    for (size_t j = 0; j < 4; j++) {
      random = random * 1103515245u + 12345u;
      at[j] = (random >> 8) % n;
      was[j] = l.image.p[at[j]];
      l.image.p[at[j]] = (uint8_t)(random >> 3 & 1 ? 0xff : random >> 16);
    }
    (void)read_copy(l.image.p, n);
    for (size_t j = 4; j-- > 0;) {
      l.image.p[at[j]] = was[j];
    }
  }
  assert_true(read_copy(l.image.p, n));
  unlink_one(&l);
}

static void the_report_names_the_place(void **state) {
  (void)state;
  struct link_env *e = env_new(NULL);
  struct cubin c;
  assert_false(cubin_open(&e->sink, &e->arena, STR("x.cubin"),
                          STR("\x7f"
                              "ELF, not"),
                          &c));
  expect_error(e, MD0430, "`x.cubin` is not a well-formed cubin");
  env_free(e);
}

static void another_architecture_is_an_error(void **state) {
  (void)state;
  struct linked l;
  link_one(&l, plain_ir, "sm_90");
  struct link_expect none = {0};
  assert_false(finalizer_check(&l.e->sink, &l.report.cubin, target_of("sm_80"), &none));
  expect_error(l.e, MD0431, "the cubin is for sm_90, asked for was sm_80");
  unlink_one(&l);
}

static void an_undefined_symbol_in_the_image_is_an_error(void **state) {
  (void)state;
  struct linked l;
  link_one(&l, plain_ir, "sm_90");
  struct cubin_symbol symbols[3] = {
      {.name = STR("vprintf"), .bind = 1, .type = 2},
      {.name = STR(".nv.reservedSmem.offset0"), .bind = 2, .type = 1},
      {.name = STR("lost"), .bind = 1, .type = 2},
  };
  struct cubin c = l.report.cubin;
  struct link_expect none = {0};
  c.symbols = symbols;
  c.n_symbols = 2;
  assert_true(finalizer_check(&l.e->sink, &c, target_of("sm_90"), &none));
  c.n_symbols = 3;
  assert_false(finalizer_check(&l.e->sink, &c, target_of("sm_90"), &none));
  expect_error(l.e, MD0433, "`lost`");
  unlink_one(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(resources_equal_the_linkers_log),
      cmocka_unit_test(launch_facts_are_read),
      cmocka_unit_test(large_parameters_use_the_second_form_of_record),
      cmocka_unit_test(a_kernel_prints_as_json_and_text),
      cmocka_unit_test(a_cut_or_damaged_image_is_an_error_or_harmless),
      cmocka_unit_test(the_report_names_the_place),
      cmocka_unit_test(another_architecture_is_an_error),
      cmocka_unit_test(an_undefined_symbol_in_the_image_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
