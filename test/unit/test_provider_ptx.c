/* What is seen in the PTX of a provider's probe. */
#include "unit.h"

#include "callbacks/ptx_check.h"

#define HEAD                                                                                       \
  ".version 9.0\n.target sm_90\n.address_size 64\n"                                                \
  ".global .align 4 .u32 unused;\n"                                                                \
  ".extern .func  (.param .b32 func_retval0) elsewhere\n(\n\t.param .b32 elsewhere_param_0\n)\n;\n" \
  ".visible .entry probe_s(\n\t.param .u32 probe_s_param_0,\n\t.param .u64 probe_s_param_1,\n"     \
  "\t.param .u64 probe_s_param_2,\n\t.param .u64 probe_s_param_3\n)\n{\n"                          \
  "\t.reg .b64 \t%rd<9>;\n"                                                                        \
  "\tld.param.u64 \t%rd1, [probe_s_param_1];\n"                                                    \
  "\tld.param.u64 \t%rd2, [probe_s_param_2];\n"                                                    \
  "\tmov.u64 \t%rd5, %rd1;\n"
#define CALL(env, fn)                                                                              \
  "\t{ // callseq 0, 0\n\t.param .b64 param0;\n\tst.param.b64 \t[param0+0], " env ";\n"            \
  "\t.param .b32 param1;\n\tst.param.b32 \t[param1+0], %r1;\n\t.param .b32 retval0;\n"             \
  "\tprototype_0 : .callprototype (.param .b32 _) _ (.param .b64 _, .param .b32 _);\n"             \
  "\tcall (retval0), \n\t" fn ", \n\t(\n\tparam0, \n\tparam1\n\t)\n\t, prototype_0;\n"             \
  "\tld.param.b32 \t%r2, [retval0+0];\n\t} // callseq 0\n"
#define TAIL "\tret;\n\n}\n"

static const struct {
  const char *code;
  enum provider_scope scope;
  enum ptx_fault fault;
  const char *what;
} rows[] = {
    {CALL("%rd1", "%rd2"), PROVIDER_THREAD, PTX_FINE, ""},
    {CALL("%rd5", "%rd2"), PROVIDER_THREAD, PTX_FINE, ""},
    {CALL("%rd1", "%rd2") CALL("%rd5", "%rd2"), PROVIDER_THREAD, PTX_FINE, ""},
    {CALL("%rd1", "%rd7"), PROVIDER_THREAD, PTX_ESCAPES, "st.param.b64"},
    {"\tld.u32 \t%r3, [%rd5];\n", PROVIDER_THREAD, PTX_ESCAPES, "ld.u32"},
    {"\tld.u32 \t%r3, [%rd1+4];\n", PROVIDER_THREAD, PTX_ESCAPES, "ld.u32"},
    {"\tst.global.u64 \t[%rd8], %rd1;\n", PROVIDER_THREAD, PTX_ESCAPES, "st.global.u64"},
    {"\tst.global.u64 \t[%rd8], %rd2;\n", PROVIDER_THREAD, PTX_ESCAPES, "st.global.u64"},
    {"\t@%p1 st.global.u64 \t[%rd8], %rd1;\n", PROVIDER_THREAD, PTX_ESCAPES, "st.global.u64"},
    {"\tadd.s64 \t%rd6, %rd1, 4;\n", PROVIDER_THREAD, PTX_ESCAPES, "add.s64"},
    {"\tselp.b64 \t%rd6, %rd1, %rd8, %p1;\n", PROVIDER_THREAD, PTX_ESCAPES, "selp.b64"},
    {"\tcvta.to.global.u64 \t%rd6, %rd1;\n\tld.global.u32 \t%r3, [%rd6];\n", PROVIDER_THREAD, PTX_ESCAPES, "ld.global"},
    {"\t{\n\t.param .b64 param0;\n\tst.param.b64 \t[param0+0], %rd1;\n\tcall.uni (retval0), \n\thelper, \n\t(\n\tparam0\n\t);\n\t}\n",
     PROVIDER_THREAD, PTX_ESCAPES, "st.param.b64"},
    {"\tcall.uni (retval0), \n\telsewhere, \n\t(\n\tparam0\n\t);\n", PROVIDER_THREAD, PTX_CALLS, "elsewhere"},
    {"\tcall.uni (retval0), \n\telsewhere2, \n\t(\n\tparam0\n\t);\n", PROVIDER_THREAD, PTX_FINE, ""},
    {"\tld.global.u32 \t%r3, [unused];\n", PROVIDER_THREAD, PTX_GLOBAL, "unused"},
    {"\tbar.sync \t0;\n", PROVIDER_THREAD, PTX_MEETS, "bar.sync"},
    {"\tbar.sync \t0;\n", PROVIDER_WARP, PTX_MEETS, "bar.sync"},
    {"\tbar.sync \t0;\n", PROVIDER_BLOCK, PTX_FINE, ""},
    {"\tbarrier.sync \t1;\n", PROVIDER_WARP, PTX_MEETS, "barrier.sync"},
    {"\tbar.warp.sync \t%r1;\n", PROVIDER_THREAD, PTX_MEETS, "bar.warp.sync"},
    {"\tbar.warp.sync \t%r1;\n", PROVIDER_WARP, PTX_FINE, ""},
    {"\tshfl.sync.down.b32 \t%r1|%p1, %r2, 1, 31, -1;\n", PROVIDER_THREAD, PTX_MEETS, "shfl.sync"},
    {"\tshfl.sync.down.b32 \t%r1|%p1, %r2, 1, 31, -1;\n", PROVIDER_BLOCK, PTX_FINE, ""},
};

static struct request request_of(struct provider_entry *e, enum provider_scope scope) {
  static struct provider_arg args[] = {{.pass = PASS_VALUE}, {.pass = PASS_CALLBACK, .callback = 0}};
  *e = (struct provider_entry){.args = args, .n_args = 2, .scope = scope, .converged = scope != PROVIDER_THREAD};
  return (struct request){.entry = e, .symbol = STR("s")};
}

static void each_way_of_misuse_is_seen(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    struct arena a = {0};
    struct provider_entry e;
    struct request r = request_of(&e, rows[i].scope);
    str ptx = arena_printf(&a, "%s%s%s", HEAD, rows[i].code, TAIL), what = STR_NULL;
    enum ptx_fault fault = ptx_check(&a, ptx, &r, &what);
    if (fault != rows[i].fault || str_find(what, str_from(rows[i].what), 0) == SIZE_MAX)
      fail_msg("row %zu: fault %d, `%.*s`", i, (int)fault, STR_ARG(what));
    arena_free(&a);
  }
}

static void a_missing_probe_is_told(void **state) {
  (void)state;
  struct arena a = {0};
  struct provider_entry e;
  struct request r = request_of(&e, PROVIDER_THREAD);
  str what = STR_NULL;
  r.symbol = STR("t");
  assert_int_equal(ptx_check(&a, STR(HEAD TAIL), &r, &what), PTX_NO_PROBE);
  arena_free(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_way_of_misuse_is_seen),
      cmocka_unit_test(a_missing_probe_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
