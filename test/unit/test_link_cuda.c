/* Finding CUDA, libNVVM's own errors, libraries that lie, and the doctor. */
#include "link_helpers.h"

#include <sys/stat.h>

#include "base/jsonw.h"
#include "base/proc.h"
#include "linkers/doctor.h"
#include "linkers/nvjitlink.h"

static void a_module_libnvvm_refuses_is_shown_with_its_line(void **state) {
  (void)state;
  struct link_env *e = env_with_cuda();
  struct bytes out;
  struct nvvm_module m = {"unit.nvvm", STR(IR_HEAD "define void @k() {\n  oops\n}\n" IR_TAIL)};
  struct nvvm_options o = {.arch = target_of("sm_90"), .opt = 3};
  assert_false(nvvm_compile(&e->sink, e->cs, &m, &o, &out));
  assert_null(out.p);
  expect_error(e, MD0410, "libNVVM refuses `unit.nvvm`");
  assert_int_equal(e->sink.first->snippet_line, 4);
  assert_true(str_eqz(str_trim(e->sink.first->snippet), "oops"));
  env_free(e);
}

static void a_module_without_ir_version_is_refused(void **state) {
  (void)state;
  struct link_env *e = env_with_cuda();
  struct bytes out;
  struct nvvm_module m = {"unit.nvvm", STR(IR_HEAD "define void @k() {\n  ret void\n}\n")};
  struct nvvm_options o = {.arch = target_of("sm_90"), .opt = 3};
  assert_false(nvvm_compile(&e->sink, e->cs, &m, &o, &out));
  expect_error(e, MD0410, "refuses");
  env_free(e);
}

static void a_logical_name_must_be_stable(void **state) {
  (void)state;
  static const char *const bad[] = {"", "/tmp/x.ll", "a b", "x\n"};
  struct nvvm_options o = {.arch = target_of("sm_90")};
  for (size_t i = 0; i < COUNT_OF(bad); i++) {
    struct link_env *e = env_new(NULL);
    struct nvvm_module m = {bad[i], STR("")};
    struct bytes out;
    assert_false(nvvm_compile(&e->sink, e->cs, &m, &o, &out));
    expect_error(e, MD0413, "logical name");
    env_free(e);
  }
}

static void compiling_twice_gives_the_same_bytes(void **state) {
  (void)state;
  struct link_env *e = env_with_cuda();
  struct bytes a = compile(e, scale_ir, "sm_90"), b = compile(e, scale_ir, "sm_90");
  assert_int_equal(a.n, b.n);
  assert_memory_equal(a.p, b.p, a.n);
  bytes_free(&a);
  bytes_free(&b);
  env_free(e);
}

#define SIN_TYPE "void (float*)*"
static const char sin_ir[] = IR_HEAD
    "declare float @__nv_sinf(float)\n"
    "define void @calls(float* %p) {\n  %v = load float, float* %p\n"
    "  %w = call float @__nv_sinf(float %v)\n  store float %w, float* %p\n  ret void\n}\n" IR_USED(
        SIN_TYPE, "@calls") IR_KERNEL(SIN_TYPE, "@calls") "!1 = !{" SIN_TYPE " @calls}\n" IR_TAIL;

static bool link_sin(struct link_env *e, bool libdevice) {
  struct bytes lto, cubin;
  struct nvvm_module m = {"sin.nvvm", STR(sin_ir)};
  struct nvvm_options o = {.arch = target_of("sm_90"), .opt = 3, .needs_libdevice = libdevice};
  assert_true(nvvm_compile(&e->sink, e->cs, &m, &o, &lto));
  struct link_input in = input_of("sin", lto);
  struct link_policy p = policy_for("sm_90");
  struct link_report report;
  bool ok = finalizer_link(&e->sink, e->cs, &in, 1, &p, NULL, &cubin, &report);
  link_report_free(&report);
  bytes_free(&cubin);
  bytes_free(&lto);
  return ok;
}

static void libdevice_comes_only_when_asked_for(void **state) {
  (void)state;
  struct link_env *e = env_with_cuda();
  assert_true(link_sin(e, true));
  assert_false(link_sin(e, false));
  expect_error(e, MD0425, "`__nv_sinf`");
  env_free(e);
}

static void a_missing_toolkit_lists_what_was_tried(void **state) {
  (void)state;
  struct arena a = {0};
  struct diag_sink s;
  diag_sink_init(&s, NULL);
  char *empty = fs_temp_dir(&s, &a);
  assert_non_null(empty);
  assert_true(fs_mkdirs(&s, path_join(&a, empty, "lib64")));
  struct link_env *e = env_new(empty);
  assert_null(cuda_library(&e->sink, e->cs, CUDA_NVVM));
  expect_error(e, MD0400, "libNVVM was not found");
  const struct cuda_attempt *at;
  assert_true(cuda_attempts(e->cs, CUDA_NVVM, &at) >= 1);
  assert_true(str_find(str_from(at[0].path), STR("lib64/libnvvm.so"), 0) != SIZE_MAX);
  assert_string_equal(at[0].how, "--cuda");
  const struct diag_child *note = e->sink.first->children;
  assert_true(str_ends(note->text, STR("(--cuda)")));
  assert_true(str_find(note->next->text, STR("lib64, lib, nvvm/lib64"), 0) != SIZE_MAX);
  assert_true(str_find(note->next->text, STR("libnvvm.so.4 or libnvvm.so"), 0) != SIZE_MAX);
  env_free(e);
  e = env_new("/nonexistent/cuda");
  assert_null(cuda_library(&e->sink, e->cs, CUDA_NVJITLINK));
  expect_error(e, MD0404, "`/nonexistent/cuda`, named by --cuda, is not a folder");
  env_free(e);
  assert_true(fs_remove_tree(&s, empty));
  diag_sink_free(&s);
  arena_free(&a);
}

static void the_variable_names_the_only_root(void **state) {
  (void)state;
  const char *old = getenv("MIRDC_CUDA");
  char *kept = old == NULL ? NULL : strdup(old);
  setenv("MIRDC_CUDA", "/nonexistent/cuda", 1);
  struct link_env *e = env_new(NULL);
  assert_null(cuda_library(&e->sink, e->cs, CUDA_NVVM));
  expect_error(e, MD0404, "named by MIRDC_CUDA");
  env_free(e);
  if (kept != NULL) {
    setenv("MIRDC_CUDA", kept, 1);
  } else {
    unsetenv("MIRDC_CUDA");
  }
  free(kept);
}

/* A toolkit in a temporary folder with libraries made of C text. */
struct fake {
  struct arena arena;
  struct diag_sink sink;
  char *root;
  struct link_env *e;
};

static void build_library(struct fake *f, const char *dir, const char *name, const char *source) {
  struct proc_cmd c;
  struct proc_result r;
  char *folder = path_join(&f->arena, f->root, dir);
  char *text = path_join(&f->arena, f->root, "fake.c");
  assert_true(fs_mkdirs(&f->sink, folder));
  assert_true(fs_write_atomic(&f->sink, text, str_from(source)));
  proc_init(&c, &f->arena, "cc");
  static const char *const args[] = {"-shared", "-fPIC", "-w", "-o"};
  for (size_t i = 0; i < COUNT_OF(args); i++) {
    proc_arg(&c, args[i]);
  }
  proc_arg(&c, path_join(&f->arena, folder, name));
  proc_arg(&c, text);
  assert_true(proc_run(&f->sink, &c, &r));
  assert_int_equal(r.status, 0);
  proc_result_free(&r);
}

static void fake_init(struct fake *f) {
  *f = (struct fake){0};
  diag_sink_init(&f->sink, NULL);
  f->root = fs_temp_dir(&f->sink, &f->arena);
  assert_non_null(f->root);
}

static void fake_free(struct fake *f) {
  env_free(f->e);
  assert_true(fs_remove_tree(&f->sink, f->root));
  diag_sink_free(&f->sink);
  arena_free(&f->arena);
}

#define FAKE_NVVM(ir_major, compile, result)                                                       \
  "#include <string.h>\n#include <stddef.h>\n"                                                     \
  "static const char result[] = " result ";\n"                                                     \
  "int nvvmVersion(int *a, int *b) { *a = 2; *b = 0; return 0; }\n"                                \
  "int nvvmIRVersion(int *a, int *b, int *c, int *d) { *a = " ir_major "; *b = *c = *d = 0; "      \
  "return 0; }\n"                                                                                  \
  "int nvvmCreateProgram(void **p) { *p = p; return 0; }\n"                                        \
  "int nvvmDestroyProgram(void **p) { return 0; }\n"                                               \
  "int nvvmAddModuleToProgram(void *p, const char *b, size_t n, const char *m) { return 0; }\n"    \
  "int nvvmLazyAddModuleToProgram(void *p, const char *b, size_t n, const char *m) { return 0; "   \
  "}\n"                                                                                            \
  "int nvvmVerifyProgram(void *p, int n, const char **o) { return 0; }\n"                          \
  "int nvvmCompileProgram(void *p, int n, const char **o) { return " compile "; }\n"               \
  "int nvvmGetCompiledResultSize(void *p, size_t *n) { *n = sizeof result - 1; return 0; }\n"      \
  "int nvvmGetCompiledResult(void *p, char *z) { memcpy(z, result, sizeof result - 1); "           \
  "return 0; }\n"                                                                                  \
  "int nvvmGetProgramLogSize(void *p, size_t *n) { *n = 1; return 0; }\n"                          \
  "int nvvmGetProgramLog(void *p, char *z) { *z = 0; return 0; }\n"

static void compile_with(const char *source, enum diag_code code, const char *text) {
  struct fake f;
  fake_init(&f);
  build_library(&f, "nvvm/lib64", "libnvvm.so.4", source);
  f.e = env_new(f.root);
  struct bytes out;
  struct nvvm_module m = {"unit.nvvm", STR("anything")};
  struct nvvm_options o = {.arch = target_of("sm_90"), .opt = 3};
  assert_false(nvvm_compile(&f.e->sink, f.e->cs, &m, &o, &out));
  assert_null(out.p);
  expect_error(f.e, code, text);
  fake_free(&f);
}

static void a_libnvvm_that_lies_is_found_out(void **state) {
  (void)state;
  compile_with(FAKE_NVVM("2", "0", "\"\""), MD0412, "it is empty");
  compile_with(FAKE_NVVM("2", "0", "\"success!\""), MD0412, "does not have the form of LTO-IR");
  compile_with(FAKE_NVVM("7", "0", "\"\""), MD0403, "reads NVVM IR 7.0");
  compile_with(FAKE_NVVM("2", "9", "\"\""), MD0411, "failed to compile `unit.nvvm`");
  compile_with("int nvvmVersion(int *a, int *b) { return 0; }\n", MD0402, "has no function");
  /* A well-formed container for another target. */
  compile_with(
      FAKE_NVVM("2", "0",
                "\"\\xed\\x43\\x4e\\x7f\\1\\x41\\2\\x62\\3\\2\\7\\0\\x18\\0\\1\\0\\x20\\0\\0\\0"
                "\\x24\\0\\0\\0\\1\\0\\xee\\2\\x63\\0\\0\\0\" "
                "\"................................................................"
                "................\""),
      MD0412, "it is for another target");
}

static void a_library_that_is_none_is_refused(void **state) {
  (void)state;
  struct fake f;
  fake_init(&f);
  assert_true(fs_mkdirs(&f.sink, path_join(&f.arena, f.root, "lib")));
  assert_true(fs_write_atomic(&f.sink, path_join(&f.arena, f.root, "lib/libnvvm.so"), STR("no")));
  f.e = env_new(f.root);
  assert_null(cuda_library(&f.e->sink, f.e->cs, CUDA_NVVM));
  expect_error(f.e, MD0402, "cannot be opened");
  fake_free(&f);
}

#define FAKE_JIT(complete, error_log, cubin)                                                       \
  "#include <string.h>\n#include <stddef.h>\n"                                                     \
  "static const char cubin[] = " cubin ";\nstatic const char log[] = " error_log ";\n"             \
  "int nvJitLinkVersion(unsigned *a, unsigned *b) { *a = 13; *b = 0; return 0; }\n"                \
  "int __nvJitLinkCreate_12_4(void **h, unsigned n, const char **o) { *h = h; return 0; }\n"       \
  "int __nvJitLinkDestroy_12_4(void **h) { return 0; }\n"                                          \
  "int __nvJitLinkAddData_12_4(void *h, int k, const void *p, size_t n, const char *m) "           \
  "{ return 0; }\n"                                                                                \
  "int __nvJitLinkComplete_12_4(void *h) { " complete " }\n"                                       \
  "int __nvJitLinkGetLinkedCubinSize_12_4(void *h, size_t *n) { *n = sizeof cubin - 1; "           \
  "return 0; }\n"                                                                                  \
  "int __nvJitLinkGetLinkedCubin_12_4(void *h, void *p) { memcpy(p, cubin, sizeof cubin - 1); "    \
  "return 0; }\n"                                                                                  \
  "int __nvJitLinkGetLinkedPtxSize_12_4(void *h, size_t *n) { *n = 0; return 0; }\n"               \
  "int __nvJitLinkGetLinkedPtx_12_4(void *h, char *p) { return 0; }\n"                             \
  "int __nvJitLinkGetErrorLogSize_12_4(void *h, size_t *n) { *n = sizeof log; return 0; }\n"       \
  "int __nvJitLinkGetErrorLog_12_4(void *h, char *p) { memcpy(p, log, sizeof log); return 0; }\n"  \
  "int __nvJitLinkGetInfoLogSize_12_4(void *h, size_t *n) { *n = 0; return 0; }\n"                 \
  "int __nvJitLinkGetInfoLog_12_4(void *h, char *p) { return 0; }\n"

static const char ltoir_head[] = "\xed\x43\x4e\x7f\1\x41\2\x62\3\2\7\0\x18\0\1\0\x20\0\0\0"
                                 "\x24\0\0\0\1\0\x84\3\x63\0\0\0"
                                 "........................................................"
                                 "........................";

static void link_with(const char *source, bool ptx, bool own, enum diag_code code,
                      const char *text) {
  struct fake f;
  fake_init(&f);
  build_library(&f, "lib", "libnvJitLink.so.13", source);
  f.e = env_new(f.root);
  struct link_input in = {.name = STR("a.ltoir"), .bytes = STR(ltoir_head), .own = own};
  struct link_policy p = policy_for("sm_90");
  struct link_report report;
  struct bytes out;
  p.want_ptx = ptx;
  assert_false(finalizer_link(&f.e->sink, f.e->cs, &in, 1, &p, NULL, &out, &report));
  assert_null(out.p);
  expect_error(f.e, code, text);
  link_report_free(&report);
  fake_free(&f);
}

static void an_nvjitlink_that_lies_is_found_out(void **state) {
  (void)state;
  for (int own = 0; own < 2; own++) {
    link_with(FAKE_JIT("return 0;", "\"\"", "\"\""), false, own, MD0430, "not a well-formed cubin");
    link_with(FAKE_JIT("return 0;", "\"\"", "\"\\x7f\" \"ELF\\2\\1\\1....\""), false, own, MD0430,
              "not a well-formed cubin");
    link_with(FAKE_JIT("return 0;", "\"\"", "\"\""), true, own, MD0437, "is no PTX");
    link_with(FAKE_JIT("return 0;", "\"error   : prototypes differ for 'f'\"", "\"\""), false, own,
              MD0427, "success and an error");
    link_with(FAKE_JIT("return 77;", "\"\"", "\"\""), false, own, MD0424, "device link failed");
  }
  /* An error on stderr beside a result that says success. */
  link_with(
      "#include <stdio.h>\n" FAKE_JIT("fputs(\"error   : Multiple definition of 'f' in 'a'\", "
                                      "stderr); printf(\"x\"); return 0;",
                                      "\"\"", "\"\""),
      false, false, MD0426, "`f`");
  link_with(FAKE_JIT("*(volatile int *)0 = 1; return 0;", "\"\"", "\"\""), false, false, MD0443,
            "crashed");
  link_with(FAKE_JIT("_exit(0);", "\"\"", "\"\""), false, false, MD0443, "crashed");
}

static void a_library_replaced_during_the_run_is_noticed(void **state) {
  (void)state;
  struct fake f;
  fake_init(&f);
  build_library(&f, "lib", "libnvJitLink.so.13", FAKE_JIT("return 0;", "\"\"", "\"\""));
  f.e = env_new(f.root);
  struct digest d;
  unsigned v[2];
  assert_true(nvjitlink_version(&f.e->sink, f.e->cs, v));
  assert_int_equal(v[0], 13);
  assert_true(cuda_part_digest(&f.e->sink, f.e->cs, CUDA_NVJITLINK, &d));
  build_library(&f, "lib", "libnvJitLink.so.new", FAKE_JIT("return 1;", "\"\"", "\"\""));
  assert_int_equal(rename(path_join(&f.arena, f.root, "lib/libnvJitLink.so.new"),
                          path_join(&f.arena, f.root, "lib/libnvJitLink.so.13")),
                   0);
  assert_false(cuda_part_digest(&f.e->sink, f.e->cs, CUDA_NVJITLINK, &d));
  expect_error(f.e, MD0405, "changed during the run");
  fake_free(&f);
}

/* PyPI's wheels unpacked side by side. */
static void the_layout_of_the_wheels_is_found(void **state) {
  (void)state;
  static const struct {
    const char *dir, *name;
    enum cuda_part part;
  } files[] = {{"nvidia/cu13/lib", "libnvvm.so.4", CUDA_NVVM},
               {"nvidia/cu13/lib", "libnvJitLink.so.13", CUDA_NVJITLINK},
               {"nvidia/cu13/lib", "libnvrtc.so.13", CUDA_NVRTC},
               {"nvidia/cu13/nvvm/libdevice", "libdevice.10.bc", CUDA_LIBDEVICE},
               {"nvidia/cu13/bin", "ptxas", CUDA_PTXAS},
               {"nvidia/cu13/include", "cuda_runtime.h", CUDA_HEADERS},
               {"nvidia/cu13/include/cccl/cub", "cub.cuh", CUDA_CCCL}};
  struct fake f;
  fake_init(&f);
  for (size_t i = 0; i < COUNT_OF(files); i++) {
    char *dir = path_join(&f.arena, f.root, files[i].dir);
    assert_true(fs_mkdirs(&f.sink, dir));
    assert_true(fs_write_atomic(&f.sink, path_join(&f.arena, dir, files[i].name), STR("x")));
  }
  f.e = env_new(f.root);
  for (size_t i = 0; i < COUNT_OF(files); i++) {
    struct cuda_location at = cuda_locate(f.e->cs, files[i].part);
    assert_non_null(at.path);
    assert_string_equal(at.how, "--cuda");
  }
  fake_free(&f);
}

static void the_doctor_tells_versions_and_remedies(void **state) {
  (void)state;
  struct link_env *e = env_with_cuda();
  struct doctor_report r;
  struct strbuf text = {0};
  struct jsonw w;
  doctor_examine(e->cs, &e->arena, &r);
  assert_true(r.ok);
  assert_true(str_starts(r.parts[CUDA_NVVM].version, STR("2.0, reads NVVM IR 2.")));
  assert_true(r.parts[CUDA_NVJITLINK].version.n > 0);
  if (cuda_locate(e->cs, CUDA_HEADERS).path)
    assert_true(r.parts[CUDA_HEADERS].version.n > 0);
  doctor_text(e->cs, &r, true, &text);
  assert_true(str_find(sb_str(&text), STR("libNVVM"), 0) != SIZE_MAX);
  jw_init(&w, true);
  doctor_json(e->cs, &r, &w);
  assert_true(str_find(sb_str(&w.out), STR("\"ok\": true"), 0) != SIZE_MAX);
  jw_free(&w);
  sb_clear(&text);
  env_free(e);
  e = env_new("/nonexistent/cuda");
  doctor_examine(e->cs, &e->arena, &r);
  assert_false(r.ok);
  doctor_text(e->cs, &r, false, &text);
  assert_true(str_find(sb_str(&text), STR("MISSING libNVVM"), 0) != SIZE_MAX);
  assert_true(str_find(sb_str(&text), STR("nvidia-nvvm"), 0) != SIZE_MAX);
  env_free(e);
  sb_free(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_module_libnvvm_refuses_is_shown_with_its_line),
      cmocka_unit_test(a_module_without_ir_version_is_refused),
      cmocka_unit_test(a_logical_name_must_be_stable),
      cmocka_unit_test(compiling_twice_gives_the_same_bytes),
      cmocka_unit_test(libdevice_comes_only_when_asked_for),
      cmocka_unit_test(a_missing_toolkit_lists_what_was_tried),
      cmocka_unit_test(the_variable_names_the_only_root),
      cmocka_unit_test(a_libnvvm_that_lies_is_found_out),
      cmocka_unit_test(a_library_that_is_none_is_refused),
      cmocka_unit_test(an_nvjitlink_that_lies_is_found_out),
      cmocka_unit_test(a_library_replaced_during_the_run_is_noticed),
      cmocka_unit_test(the_layout_of_the_wheels_is_found),
      cmocka_unit_test(the_doctor_tells_versions_and_remedies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
