/* Bundles for the tests: a plain one (version 1) and one with everything (version 2). */
#ifndef MIRDC_TEST_BUNDLE_FIXTURE_H
#define MIRDC_TEST_BUNDLE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "bundles/bundle.h"

struct fixture {
  struct source_map sources;
  struct diag_sink sink;
  struct arena arena;
};

static inline int fixture_start(void **state) {
  struct fixture *f = calloc(1, sizeof *f);
  source_map_init(&f->sources);
  diag_sink_init(&f->sink, &f->sources);
  *state = f;
  return 0;
}

static inline int fixture_stop(void **state) {
  struct fixture *f = *state;
  arena_free(&f->arena);
  diag_sink_free(&f->sink);
  source_map_free(&f->sources);
  free(f);
  return 0;
}

/* Exactly one error has been reported since the last call, with this code. Forgets it. */
static inline void fixture_expect(struct fixture *f, enum diag_code code) {
  assert_non_null(f->sink.first);
  if (f->sink.first->code != code)
    print_error("got %s: %.*s\n", diag_code_info(f->sink.first->code)->name,
                STR_ARG(f->sink.first->message));
  assert_int_equal(f->sink.first->code, code);
  assert_int_equal(f->sink.errors, 1);
  diag_sink_free(&f->sink);
  diag_sink_init(&f->sink, &f->sources);
}

/* The same for any error. */
static inline enum diag_code fixture_take(struct fixture *f) {
  assert_non_null(f->sink.first);
  assert_int_equal(f->sink.errors, 1);
  enum diag_code code = f->sink.first->code;
  diag_sink_free(&f->sink);
  diag_sink_init(&f->sink, &f->sources);
  return code;
}

static struct manifest_field pair_fields[] = {
    {{"scale", 5}, 0, 4, 4},
    {{"bias", 4}, 8, 8, 8},
};
static struct manifest_param saxpy_params[] = {
    {{"a", 1}, PARAM_SCALAR, 4, 4, 0, {"f32", 3}, NULL, 0},
    {{"x", 1}, PARAM_POINTER, 8, 8, 8, {"*const f32", 10}, NULL, 0},
    {{"y", 1}, PARAM_POINTER, 8, 8, 16, {"*mut f32", 8}, NULL, 0},
    {{"n", 1}, PARAM_SCALAR, 4, 4, 24, {"u32", 3}, NULL, 0},
};
static struct manifest_param scale_params[] = {
    {{"data", 4}, PARAM_SLICE, 16, 8, 0, {"PerThread<f32>", 14}, NULL, 0},
    {{"by", 2}, PARAM_AGGREGATE, 16, 8, 16, {"Pair", 4}, pair_fields, 2},
};
static struct manifest_resources saxpy_resources[] = {
    {{90, 0}, 0, 12, 0, 0, 0, 0, 380, 512},
    {{80, 0}, 0, 10, 0, 0, 0, 0, 380, 384},
};
static struct manifest_resources scale_resources[] = {
    {{80, 0}, 1, 10, 0, 0, 0, 1024, 380, 384},
    {{90, 0}, 1, 12, 8, 4, 4, 1024, 380, 512},
};
/* Not in the order in which they are written. */
static struct manifest_kernel plain_kernels[] = {
    {{"scale", 5}, {"demo::scale", 11}, scale_params, 2, {0}, scale_resources, 2},
    {{"saxpy", 5}, {"demo::saxpy", 11}, saxpy_params, 4, {0}, saxpy_resources, 2},
};
static struct manifest_global fixture_globals[] = {
    {{"TABLE", 5}, {"demo::TABLE", 11}, SPACE_CONST, 256, 4, 1},
};
static struct manifest_trap fixture_traps[] = {
    {7, {"src/lib.rs", 10}, 12, 5, {"index out of bounds", 19}},
    {3, {"src/lib.rs", 10}, 9, 17, {"attempt to add with overflow", 28}},
};
static struct manifest_tool fixture_tools[] = {
    {{"nvjitlink", 9}, {"13.0", 4}, {{1, 2, 3}}},
    {{"libnvvm", 7}, {"2.0", 3}, {{4, 5, 6}}},
};
static struct manifest_source fixture_sources[] = {
    {{"src/lib.rs", 10}, {{7, 8, 9}}},
};

static inline struct manifest fixture_manifest(unsigned version) {
  static struct manifest_kernel full[2];
  struct manifest m;
  manifest_init(&m);
  m.package = STR("demo");
  m.kind = STR("lib");
  m.target = STR("demo");
  m.profile = STR("release");
  m.kernels = plain_kernels;
  m.n_kernels = 2;
  m.globals = fixture_globals;
  m.n_globals = 1;
  m.tools = fixture_tools;
  m.n_tools = 2;
  m.sources = fixture_sources;
  m.n_sources = 1;
  if (version == 1)
    return m;
  full[0] = plain_kernels[0];
  full[1] = plain_kernels[1];
  full[0].launch = (struct launch_facts){
      .flags = LAUNCH_BLOCK | LAUNCH_MIN_BLOCKS | LAUNCH_DYN_SHARED | LAUNCH_CLUSTER,
      .block = {128, 2, 1},
      .min_blocks = 2,
      .cluster = {2, 1, 1},
      .dyn_shared = 4096,
      .dyn_shared_align = 16};
  full[1].launch = (struct launch_facts){.flags = LAUNCH_MAX_BLOCK, .max_block = 256};
  m.kernels = full;
  m.policy.fmad = false;
  m.policy.debug = DEBUG_LINES;
  m.policy.trap_info = true;
  m.traps = fixture_traps;
  m.n_traps = 2;
  return m;
}

#define FIXTURE_PAYLOADS 7
static inline void fixture_inputs(struct bundle_input in[FIXTURE_PAYLOADS]) {
  static char nvvm[4000];
  memset(nvvm, 'x', sizeof nvvm);
  in[0] = (struct bundle_input){PAYLOAD_NVVM, STR("sm_80"), 0, STR("demo.nvvm.ll"),
                                {nvvm, sizeof nvvm}};
  in[1] = (struct bundle_input){PAYLOAD_CUBIN, STR("sm_90"), 1, STR(""), STR("cubin 90 one")};
  in[2] = (struct bundle_input){PAYLOAD_CUBIN, STR("sm_90"), 0, STR(""), STR("cubin 90 zero")};
  in[3] = (struct bundle_input){PAYLOAD_CUBIN, STR("sm_80"), 0, STR(""), STR("cubin 80 zero")};
  in[4] = (struct bundle_input){PAYLOAD_CUBIN, STR("sm_80"), 1, STR(""), STR("cubin 80 one")};
  in[5] = (struct bundle_input){PAYLOAD_LTOIR, STR("sm_80"), 0, STR("demo.ltoir"), STR("ltoir")};
  in[6] = (struct bundle_input){PAYLOAD_RECORD, STR(""), 0, STR(""), STR("{}")};
}

static inline void fixture_bundle(struct fixture *f, unsigned version, struct strbuf *out) {
  struct manifest m = fixture_manifest(version);
  struct bundle_input in[FIXTURE_PAYLOADS];
  fixture_inputs(in);
  bool ok = bundle_write(&f->sink, &m, in, FIXTURE_PAYLOADS, out);
  if (!ok)
    print_error("%.*s\n", STR_ARG(f->sink.first->message));
  assert_true(ok);
}

#endif
