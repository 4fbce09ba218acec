/* Shared by the test_link_*.c programs: hand-written NVVM IR, a session, reading of diagnostics. */
#ifndef MIRDC_TEST_LINK_HELPERS_H
#define MIRDC_TEST_LINK_HELPERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linkers/finalizer.h"
#include "linkers/nvvm.h"
#include "linkers/store.h"

#define IR_HEAD                                                                                    \
  "target datalayout = \"e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-"   \
  "f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64\"\n"                   \
  "target triple = \"nvptx64-nvidia-cuda\"\n"
#define IR_TAIL "!nvvmir.version = !{!9}\n!9 = !{i32 2, i32 0, i32 3, i32 1}\n"
#define IR_USED(type, name)                                                                        \
  "@llvm.used = appending global [1 x i8*] [i8* bitcast (" type " " name " to i8*)], "             \
  "section \"llvm.metadata\"\n"
#define IR_KERNEL(type, name)                                                                      \
  "!nvvm.annotations = !{!0, !1}\n!0 = !{" type " " name ", !\"kernel\", i32 1}\n"

#define SCALE_TYPE "void (float*, float, i32)*"
#define SCALE_BODY                                                                                 \
  "define void @scale(float* %p, float %f, i32 %n) {\n"                                            \
  "entry:\n"                                                                                       \
  "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"                                             \
  "  %c = icmp slt i32 %t, %n\n"                                                                   \
  "  br i1 %c, label %work, label %done\n"                                                         \
  "work:\n"                                                                                        \
  "  %i = sext i32 %t to i64\n"                                                                    \
  "  %q = getelementptr float, float* %p, i64 %i\n"                                                \
  "  %v = load float, float* %q, align 4\n"                                                        \
  "  %w = fmul float %v, %f\n"                                                                     \
  "  store float %w, float* %q, align 4\n"                                                         \
  "  br label %done\n"                                                                             \
  "done:\n"                                                                                        \
  "  ret void\n"                                                                                   \
  "}\n"                                                                                            \
  "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
#define SCALE_ANN                                                                                  \
  "!1 = !{" SCALE_TYPE                                                                             \
  " @scale, !\"reqntidx\", i32 64, !\"reqntidy\", i32 2, !\"reqntidz\", i32 1}\n"

/* A kernel with a block of 64 x 2 threads. */
__attribute__((unused)) static const char scale_ir[] =
    IR_HEAD SCALE_BODY IR_USED(SCALE_TYPE, "@scale") IR_KERNEL(SCALE_TYPE, "@scale")
        SCALE_ANN IR_TAIL;
/* The same, not listed in llvm.used. */
__attribute__((unused)) static const char unlisted_ir[] =
    IR_HEAD SCALE_BODY IR_KERNEL(SCALE_TYPE, "@scale") SCALE_ANN IR_TAIL;

#define CALLS_TYPE "void (i32*, i32)*"
#define CALLS_BODY                                                                                 \
  "declare i32 @cb(i32)\n"                                                                         \
  "define void @calls(i32* %p, i32 %x) {\n"                                                        \
  "  %r = call i32 @cb(i32 %x)\n"                                                                  \
  "  store i32 %r, i32* %p, align 4\n"                                                             \
  "  ret void\n"                                                                                   \
  "}\n"
/* A kernel that calls @cb, defined elsewhere. */
__attribute__((unused)) static const char calls_ir[] =
    IR_HEAD CALLS_BODY IR_USED(CALLS_TYPE, "@calls")
        IR_KERNEL(CALLS_TYPE, "@calls") "!1 = !{" CALLS_TYPE
                                        " @calls, !\"maxntidx\", i32 256}\n" IR_TAIL;

struct link_env {
  struct diag_sink sink;
  struct cuda_session *cs;
  struct arena arena;
};

__attribute__((unused)) static struct link_env *env_new(const char *toolkit) {
  struct link_env *e = calloc(1, sizeof *e);
  struct cuda_options o = {.toolkit = toolkit};
  diag_sink_init(&e->sink, NULL);
  e->cs = cuda_session_new(&o);
  return e;
}

__attribute__((unused)) static void env_free(struct link_env *e) {
  cuda_session_free(e->cs);
  diag_sink_free(&e->sink);
  arena_free(&e->arena);
  free(e);
}

/* A machine without a toolkit fails these tests, unless it says that it has none: MIRDC_TEST_NO_CUDA=1. */
__attribute__((unused)) static struct link_env *env_with_cuda(void) {
  struct link_env *e = env_new(NULL);
  if (cuda_locate(e->cs, CUDA_NVVM).path == NULL ||
      cuda_locate(e->cs, CUDA_NVJITLINK).path == NULL) {
    const char *none = getenv("MIRDC_TEST_NO_CUDA");
    env_free(e);
    if (none == NULL || strcmp(none, "1") != 0) {
      fail_msg("no CUDA toolkit here; MIRDC_TEST_NO_CUDA=1 leaves these tests out");
    }
    print_message("no CUDA toolkit here\n");
    skip();
  }
  return e;
}

__attribute__((unused)) static void print_diags(const struct link_env *e) {
  struct strbuf b = {0};
  for (const struct diag *d = e->sink.first; d != NULL; d = d->next) {
    diag_render_human(&e->sink, d, false, &b);
  }
  print_message("%s", sb_z(&b));
  sb_free(&b);
}

/* The only error reported has this code; its message holds `text`. */
__attribute__((unused)) static void expect_error(struct link_env *e, enum diag_code code,
                                                 const char *text) {
  const struct diag *d = e->sink.first;
  if (d == NULL || d->code != code || str_find(d->message, str_from(text), 0) == SIZE_MAX) {
    print_message("expected %s \"%s\", got:\n", diag_code_info(code)->name, text);
    print_diags(e);
    fail();
  }
}

__attribute__((unused)) static struct target target_of(const char *name) {
  struct target t;
  if (!target_parse(str_from(name), &t)) {
    fail_msg("target %s", name);
  }
  return t;
}

__attribute__((unused)) static struct bytes compile(struct link_env *e, const char *ir,
                                                    const char *arch) {
  struct bytes out;
  struct nvvm_module m = {"unit.nvvm", str_from(ir)};
  struct nvvm_options o = {.arch = target_of(arch), .opt = 3};
  if (!nvvm_compile(&e->sink, e->cs, &m, &o, &out)) {
    print_diags(e);
    fail();
  }
  return out;
}

__attribute__((unused)) static struct link_input input_of(const char *name, struct bytes b) {
  return (struct link_input){.name = str_from(name), .bytes = {(const char *)b.p, b.n}};
}

__attribute__((unused)) static struct link_policy policy_for(const char *arch) {
  return (struct link_policy){.arch = target_of(arch), .fmad = true, .opt = 3};
}

#endif
