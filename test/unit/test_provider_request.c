/* From native calls to requests: keys, symbols, C++, and what is not offered. */
#include "unit.h"

#include "callbacks/request.h"

static const char manifest[] =
    "{\"mirdc_provider\":1,\"name\":\"p\",\"entries\":{"
    "\"sum\":{\"template\":\"sum.cu\",\"function\":\"ns::sum\",\"generics\":["
    "{\"type\":\"T\",\"one_of\":[\"i32\",\"f32\"]},{\"const\":\"N\",\"min\":32,\"max\":256,\"multiple_of\":32},"
    "{\"callback\":\"F\",\"args\":[\"T\",\"T\"],\"ret\":\"T\"}],"
    "\"args\":[{\"name\":\"v\",\"type\":\"T\"},{\"name\":\"op\",\"callback\":\"F\"},"
    "{\"name\":\"all\",\"type\":\"T\",\"pass\":\"inout\",\"len\":\"N\"}],"
    "\"returns\":\"bool\",\"needs\":{\"scope\":\"block\"},\"min_arch\":80}}}";

enum { I32, F32, BOOL, CLOSURE, PTR_CLOSURE, ARRAY, PTR_ARRAY, U8, UNIT, CONST_ARRAY, N_TYPES };

/* One native call as the reader would make it: `sum::<i32, 64, {closure}>(v, op, &mut all)`. */
struct dump {
  struct pmir m;
  struct pm_type types[N_TYPES];
  struct pm_native native[2];
  struct pm_generic type[2], number[2];
  struct pm_callback callback;
  struct pm_func fns[1];
  struct pm_local locals[4];
  pm_ty args[3];
  uint32_t arg_callback[3];
};

static void make_dump(struct dump *d) {
  *d = (struct dump){0};
  d->types[I32] = (struct pm_type){.kind = PM_INT, .bits = 32, .is_signed = true, .name = STR("i32"), .size = 4};
  d->types[F32] = (struct pm_type){.kind = PM_FLOAT, .bits = 32, .name = STR("f32"), .size = 4};
  d->types[BOOL] = (struct pm_type){.kind = PM_BOOL, .name = STR("bool"), .size = 1};
  d->types[CLOSURE] = (struct pm_type){.kind = PM_CLOSURE, .name = STR("{closure}")};
  d->types[PTR_CLOSURE] = (struct pm_type){.kind = PM_PTR, .elem = CLOSURE, .name = STR("*const {closure}")};
  d->types[ARRAY] = (struct pm_type){.kind = PM_ARRAY, .elem = I32, .len = 64, .name = STR("[i32; 64]")};
  d->types[PTR_ARRAY] = (struct pm_type){.kind = PM_PTR, .elem = ARRAY, .mut = true, .name = STR("&mut [i32; 64]")};
  d->types[U8] = (struct pm_type){.kind = PM_INT, .bits = 8, .name = STR("u8"), .size = 1};
  d->types[UNIT] = (struct pm_type){.kind = PM_TUPLE, .name = STR("()")};
  d->types[CONST_ARRAY] = (struct pm_type){.kind = PM_PTR, .elem = ARRAY, .name = STR("&[i32; 64]")};
  d->type[0] = (struct pm_generic){.name = STR("T"), .ty = I32};
  d->number[0] = (struct pm_generic){.name = STR("N"), .ty = I32, .value = 64};
  d->callback = (struct pm_callback){.param = STR("F"), .ty = CLOSURE, .base = CLOSURE};
  d->locals[1].ty = PTR_CLOSURE;
  d->fns[0] = (struct pm_func){.name = STR("thunk"), .c_abi = true, .ret = I32, .n_args = 3, .locals = d->locals,
                               .n_locals = 4};
  d->args[0] = I32;
  d->args[1] = PM_NONE;
  d->args[2] = PTR_ARRAY;
  d->arg_callback[0] = d->arg_callback[2] = PM_NONE;
  d->native[0] = (struct pm_native){.provider = STR("p"), .entry = STR("sum"), .path = STR("k::sum"),
                                    .types = d->type, .n_types = 1, .consts = d->number, .n_consts = 1,
                                    .callbacks = &d->callback, .n_callbacks = 1, .args = d->args, .n_args = 3,
                                    .arg_callback = d->arg_callback, .ret = BOOL, .span = PM_NONE};
  d->m = (struct pmir){.types = d->types, .n_types = N_TYPES, .fns = d->fns, .n_fns = 1, .natives = d->native,
                       .n_natives = 1};
}

struct env {
  struct test_sink t;
  struct arena a;
  struct dump d;
  struct requests q;
  unsigned asked;
};

static const struct provider *find(void *context, str name, struct span at) {
  struct env *e = context;
  (void)at;
  e->asked++;
  return provider_parse(&e->t.sink, &e->a, str_from(manifest), STR("p/provider.json"), STR("p"), name);
}

static void set_up(struct env *e) {
  *e = (struct env){0};
  test_sink_init(&e->t);
  make_dump(&e->d);
}

static bool make(struct env *e) {
  struct request_source from = {find, e};
  return requests_make(&e->t.sink, &e->a, &e->d.m, 90, &from, &e->q);
}

static void tear_down(struct env *e) {
  arena_free(&e->a);
  test_sink_free(&e->t);
}

static void a_request_becomes_a_c_function(void **state) {
  (void)state;
  struct env e;
  set_up(&e);
  assert_true(make(&e));
  assert_int_equal(e.q.n, 1);
  const struct request *r = &e.q.list[0];
  assert_true(str_starts(r->symbol, STR("mirdc_p_sum_i32_64_")) && r->symbol.n == 19 + 12);
  assert_true(str_eq(e.q.symbols[0], r->symbol));
  const char *text = r->cxx.p;
  assert_non_null(strstr(text, "#include \"@p/sum.cu\"\n"));
  assert_non_null(strstr(text, "int (*thunk0)(const void *, int, int);"));
  assert_non_null(strstr(text, "(int a0, const void *env1, int (*fn1)(const void *, int, int), int *a2) {"));
  assert_non_null(strstr(text, "return ::ns::sum<int, 64, mirdc_callback0>(a0, mirdc_callback0{env1, fn1}, "
                               "*reinterpret_cast<int (*)[64]>(a2));"));
  tear_down(&e);
}

/* The digest stands for the whole contract, which both sides compute: this one must only change with the
 * version that is hashed into it. */
static void the_symbol_is_the_same_everywhere(void **state) {
  (void)state;
  struct env e;
  set_up(&e);
  assert_true(make(&e));
  assert_str(e.q.symbols[0], "mirdc_p_sum_i32_64_a348fca34909");
  tear_down(&e);
}

static void closures_of_one_signature_share_a_request(void **state) {
  (void)state;
  struct env e;
  set_up(&e);
  e.d.native[1] = e.d.native[0];
  e.d.m.n_natives = 2;
  assert_true(make(&e));
  assert_int_equal(e.q.n, 1);
  assert_int_equal(e.asked, 1);
  assert_int_equal(e.q.of_native[1], 0);
  assert_int_equal(e.q.list[0].native, 0);
  tear_down(&e);
}

static void another_number_is_another_request(void **state) {
  (void)state;
  struct env e;
  set_up(&e);
  struct pm_type array = e.d.types[ARRAY];
  array.len = 32;
  e.d.native[1] = e.d.native[0];
  e.d.number[1] = (struct pm_generic){.name = STR("N"), .ty = I32, .value = 32};
  e.d.native[1].consts = &e.d.number[1];
  pm_ty args[3] = {I32, PM_NONE, CONST_ARRAY};
  e.d.types[CONST_ARRAY].mut = true;
  e.d.types[CONST_ARRAY].elem = UNIT;
  e.d.types[UNIT] = array;
  e.d.native[1].args = args;
  e.d.m.n_natives = 2;
  assert_true(make(&e));
  assert_int_equal(e.q.n, 2);
  /* In order of symbols, which is not that of the dump. */
  assert_true(str_cmp(e.q.list[0].symbol, e.q.list[1].symbol) < 0);
  for (uint32_t i = 0; i < 2; i++)
    assert_true(str_eq(e.q.list[e.q.of_native[i]].symbol, e.q.symbols[i]));
  tear_down(&e);
}

static void refused(void (*change)(struct dump *), enum diag_code code, const char *message) {
  struct env e;
  set_up(&e);
  change(&e.d);
  bool ok = make(&e);
  if (ok || sink_code(&e.t) != code || str_find(e.t.sink.first->message, str_from(message), 0) == SIZE_MAX)
    fail_msg("wanted `%s`, got %s `%.*s`", message, ok ? "no error" : "",
             e.t.sink.first ? (int)e.t.sink.first->message.n : 0, e.t.sink.first ? e.t.sink.first->message.p : "");
  tear_down(&e);
}

static void other_entry(struct dump *d) {
  d->native[0].entry = STR("max");
}
static void other_type_name(struct dump *d) {
  d->type[0].name = STR("U");
}
static void other_const_name(struct dump *d) {
  d->number[0].name = STR("M");
}
static void other_callback_name(struct dump *d) {
  d->callback.param = STR("G");
}
static void one_more_type(struct dump *d) {
  d->type[1] = (struct pm_generic){.name = STR("U"), .ty = I32};
  d->native[0].n_types = 2;
}
static void type_not_offered(struct dump *d) {
  d->type[0].ty = U8;
}
static void type_without_a_word(struct dump *d) {
  d->type[0].ty = ARRAY;
}
static void number_too_large(struct dump *d) {
  d->number[0].value = 288;
}
static void number_between(struct dump *d) {
  d->number[0].value = 65;
}
static void number_of_many_digits(struct dump *d) {
  d->number[0].value = (u128)1 << 100;
}
static void callback_of_one(struct dump *d) {
  d->fns[0].n_args = 2;
}
static void callback_takes_another(struct dump *d) {
  d->locals[3].ty = F32;
}
static void callback_gives_another(struct dump *d) {
  d->fns[0].ret = BOOL;
}
static void fewer_arguments(struct dump *d) {
  d->native[0].n_args = 2;
}
static void argument_of_another_type(struct dump *d) {
  d->args[0] = F32;
}
static void callback_elsewhere(struct dump *d) {
  d->arg_callback[0] = 0;
}
static void array_of_another_length(struct dump *d) {
  d->types[ARRAY].len = 63;
}
static void array_that_is_read_only(struct dump *d) {
  d->args[2] = CONST_ARRAY;
}
static void no_result(struct dump *d) {
  d->native[0].ret = UNIT;
}

static void what_is_not_offered_is_told(void **state) {
  (void)state;
  refused(other_entry, MD0720, "provider `p` has no entry `max`");
  refused(other_type_name, MD0721, "declares no type `T`");
  refused(other_const_name, MD0721, "declares no constant `N`");
  refused(other_callback_name, MD0721, "declares no callback `F`");
  refused(one_more_type, MD0721, "declares 2 types");
  refused(type_not_offered, MD0722, "not offered for `T = u8`");
  refused(type_without_a_word, MD0722, "not offered for `T = [i32; 64]`");
  refused(number_too_large, MD0723, "not offered for `N = 288`");
  refused(number_between, MD0723, "not offered for `N = 65`");
  refused(number_of_many_digits, MD0723, "not offered for `N = 1267650600228229401496703205376`");
  refused(callback_of_one, MD0724, "the callback `F` of `k::sum`");
  refused(callback_takes_another, MD0724, "the callback `F` of `k::sum`");
  refused(callback_gives_another, MD0724, "the callback `F` of `k::sum`");
  refused(fewer_arguments, MD0725, "hands over 2 arguments");
  refused(argument_of_another_type, MD0725, "argument `v`");
  refused(callback_elsewhere, MD0725, "argument `v`");
  refused(array_of_another_length, MD0725, "argument `all`");
  refused(array_that_is_read_only, MD0725, "argument `all`");
  refused(no_result, MD0726, "returns `()`");
}

static void an_old_architecture_is_told(void **state) {
  (void)state;
  struct env e;
  set_up(&e);
  struct request_source from = {find, &e};
  assert_false(requests_make(&e.t.sink, &e.a, &e.d.m, 75, &from, &e.q));
  assert_int_equal(sink_code(&e.t), MD0727);
  tear_down(&e);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_request_becomes_a_c_function),
      cmocka_unit_test(the_symbol_is_the_same_everywhere),
      cmocka_unit_test(closures_of_one_signature_share_a_request),
      cmocka_unit_test(another_number_is_another_request),
      cmocka_unit_test(what_is_not_offered_is_told),
      cmocka_unit_test(an_old_architecture_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
