/* Calls through pointers: which become direct calls, and to what. */
/* cmocka.h needs the first four before it. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include "test/unit/ll_fixture.h"

/* Functions f0 … of one signature, their addresses in alloc `alloc`. */
static void functions(struct dump *d, int from, int to, int arg, const char *abi) {
  struct strbuf relocs = {0};
  for (int i = from; i < to; i++) {
    dump_add(&d->fns,
             "{'name':'t::f%d','symbol':'f%d','kind':'item','abi':'%s','n_args':1,'locals':[%d,%d],"
             "'blocks':[[[['=',[0],['use',['c',[1]]],0]],['ret']]],'span':0}",
             i, i, abi, arg, arg);
    sb_addf(&relocs, "%s[%d,'fn',%d,0]", i > from ? "," : "", 8 * (i - from), i);
  }
  struct strbuf zeros = {0};
  for (int i = from; i < to; i++)
    sb_addz(&zeros, "0000000000000000");
  dump_add(&d->allocs, "{'size':%d,'align':8,'bytes':'%s','relocs':[%s],'mut':true}", 8 * (to - from),
           sb_z(&zeros), sb_z(&relocs));
  sb_free(&zeros);
  sb_free(&relocs);
}

/* Kernel `name`, function `fn`: calls what lies in an alloc. */
static void kernel(struct dump *d, const char *name, unsigned fn, int alloc, int fnptr, int arg) {
  static const unsigned params[] = {T_PU64};
  dump_add(&d->fns,
           "{'name':'t::%s','symbol':'%s','kind':'item','abi':'rust','n_args':1,'locals':[0,%d,%d,%d],"
           "'blocks':[[[['=',[2],['use',['a',%d,%d,0]],0]],['call',['ptr',['c',[2]]],[['k',%d,'0x1']],[3],"
           "1,0]],[[],['ret']]],'span':0}",
           name, name, T_PU64, fnptr, arg, fnptr, alloc, arg);
  dump_kernel(d, name, fn, params, 1, "");
}

static int pointer_type(struct dump *d, int number, int arg, const char *abi) {
  dump_add(&d->types,
           "{'kind':'fnptr','args':[%d],'ret':%d,'abi':'%s','name':'a pointer','size':8,'align':8}",
           arg, arg, abi);
  return T_FREE + number;
}

static void lower(struct lowered *x, struct dump *d, const struct lower_options *o) {
  lower_dump(x, d, o);
  if (!x->ok)
    show_diags(&x->ts.sink);
  assert_true(x->ok);
}

static void up_to_eight_targets_are_called_directly(void **state) {
  (void)state;
  struct dump d = {0};
  struct lowered x;
  struct lower_options o = fixture_options();
  o.opt = 0; /* calls stay calls */
  int ptr = pointer_type(&d, 0, T_U32, "rust");
  functions(&d, 0, 8, T_U32, "rust");
  kernel(&d, "k", 8, 0, ptr, T_U32);
  lower(&x, &d, &o);
  assert_true(has_text(&x, "call i32 @f0(i32 1)"));
  assert_true(has_text(&x, "call i32 @f7(i32 1)"));
  assert_false(has_text(&x, "call i32 %"));
  assert_int_equal(x.r.n_traps, 1);
  assert_int_equal(x.r.traps[0].kind, PM_TRAP_CALL);
  lowered_free(&x);
  dump_free(&d);
}

static void more_targets_are_called_indirectly(void **state) {
  (void)state;
  struct dump d = {0};
  struct lowered x;
  struct lower_options o = fixture_options();
  o.opt = 0; /* calls stay calls */
  int ptr = pointer_type(&d, 0, T_U32, "rust");
  functions(&d, 0, 9, T_U32, "rust");
  kernel(&d, "k", 9, 0, ptr, T_U32);
  lower(&x, &d, &o);
  assert_true(has_text(&x, "call i32 %"));
  assert_false(has_text(&x, "call i32 @f"));
  lowered_free(&x);
  dump_free(&d);
}

static void a_pointer_of_c_may_lead_anywhere(void **state) {
  (void)state;
  struct dump d = {0};
  struct lowered x;
  struct lower_options o = fixture_options();
  o.opt = 0; /* calls stay calls */
  int ptr = pointer_type(&d, 0, T_U32, "c");
  functions(&d, 0, 2, T_U32, "c");
  kernel(&d, "k", 2, 0, ptr, T_U32);
  lower(&x, &d, &o);
  assert_true(has_text(&x, "call i32 %"));
  assert_int_equal(x.r.n_traps, 0);
  lowered_free(&x);
  dump_free(&d);
}

static void other_signatures_and_other_kernels_functions_are_no_targets(void **state) {
  (void)state;
  struct dump d = {0};
  struct lowered x;
  struct lower_options o = fixture_options();
  o.opt = 0; /* calls stay calls */
  static const uint32_t only[] = {0};
  int ptr = pointer_type(&d, 0, T_U32, "rust"), wide = pointer_type(&d, 1, T_U64, "rust");
  functions(&d, 0, 2, T_U32, "rust");
  functions(&d, 2, 4, T_U32, "rust");
  functions(&d, 4, 6, T_U64, "rust");
  kernel(&d, "a", 6, 0, ptr, T_U32);
  kernel(&d, "b", 7, 1, ptr, T_U32);
  kernel(&d, "c", 8, 2, wide, T_U64);
  o.kernels = only;
  o.n_kernels = 1;
  lower(&x, &d, &o);
  assert_true(has_text(&x, "@f1("));
  assert_false(has_text(&x, "@f2("));
  assert_false(has_text(&x, "@f4("));
  lowered_free(&x);
  o.kernels = NULL;
  lower(&x, &d, &o);
  assert_true(has_text(&x, "call i32 @f2("));
  assert_true(has_text(&x, "call i64 @f5("));
  assert_false(has_text(&x, "call i64 @f1("));
  lowered_free(&x);
  dump_free(&d);
}

static void without_a_target_the_kernel_stops(void **state) {
  (void)state;
  struct dump d = {0};
  struct lowered x;
  struct lower_options o = fixture_options();
  o.opt = 0; /* calls stay calls */
  int ptr = pointer_type(&d, 0, T_U32, "rust");
  functions(&d, 0, 1, T_U64, "rust");
  kernel(&d, "k", 1, 0, ptr, T_U32);
  lower(&x, &d, &o);
  assert_true(has_text(&x, "trap;"));
  assert_false(has_text(&x, "call i32"));
  lowered_free(&x);
  dump_free(&d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(up_to_eight_targets_are_called_directly),
      cmocka_unit_test(more_targets_are_called_indirectly),
      cmocka_unit_test(a_pointer_of_c_may_lead_anywhere),
      cmocka_unit_test(other_signatures_and_other_kernels_functions_are_no_targets),
      cmocka_unit_test(without_a_target_the_kernel_stops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
