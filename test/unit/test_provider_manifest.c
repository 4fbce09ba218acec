/* Manifests of providers: what is read, and one text for each rule. */
#include "unit.h"

#include "callbacks/provider.h"

/* Longer than ISO C promises to take; both compilers do. */
#pragma GCC diagnostic ignored "-Woverlength-strings"
static const char valid[] =
    "{'mirdc_provider':1,'name':'p','include':['cccl'],'computed_includes':['a/b.h'],'entries':{\n"
    "'sum':{'template':'sum.cu','function':'ns::sum',\n"
    "'generics':[{'type':'T','one_of':['i32','f32','u8']},{'const':'N','min':32,'max':1024,'multiple_of':32},\n"
    "{'callback':'F','args':['T','i64'],'ret':'bool'}],\n"
    "'args':[{'name':'v','type':'T'},{'name':'op','callback':'F'},{'name':'all','type':'T','pass':'inout','len':'N'}],\n"
    "'returns':'void','needs':{'scope':'block','block':'N'},'algebra':{'associative':true},\n"
    "'allows':{'traps':true},'reuse':'caller-syncs','min_arch':80}}}\n";

static struct provider *parse(struct test_sink *t, struct arena *a, const char *text) {
  char *copy = strdup(text);
  for (char *p = copy; *p; p++)
    if (*p == '\'')
      *p = '"';
  struct provider *p = provider_parse(&t->sink, a, str_from(copy), STR("p/provider.json"), STR("p"), STR("p"));
  free(copy);
  return p;
}

static void a_manifest_is_read(void **state) {
  (void)state;
  struct test_sink t;
  struct arena a = {0};
  test_sink_init(&t);
  struct provider *p = parse(&t, &a, valid);
  assert_non_null(p);
  assert_true(p->cccl && !p->cuda && p->n_computed_includes == 1);
  assert_str(p->computed_includes[0], "a/b.h");
  assert_null(provider_entry_find(p, STR("sums")));
  const struct provider_entry *e = provider_entry_find(p, STR("sum"));
  assert_non_null(e);
  assert_str(e->file, "sum.cu");
  assert_str(e->function, "ns::sum");
  assert_int_equal(e->n_generics, 3);
  assert_int_equal(e->types[0].one_of, 1 << SCALAR_I32 | 1 << SCALAR_F32 | 1 << SCALAR_U8);
  assert_true(e->consts[0].min == 32 && e->consts[0].max == 1024 && e->consts[0].multiple_of == 32);
  const struct provider_callback *f = &e->callbacks[0];
  assert_true(f->n_args == 2 && f->args[0].kind == PROVIDER_PARAM && f->args[0].id == 0);
  assert_true(f->args[1].kind == PROVIDER_FIXED && f->args[1].id == SCALAR_I64);
  assert_true(f->ret.kind == PROVIDER_FIXED && f->ret.id == SCALAR_BOOL);
  assert_int_equal(e->n_args, 3);
  assert_true(e->args[0].pass == PASS_VALUE && e->args[1].pass == PASS_CALLBACK);
  assert_true(e->args[2].pass == PASS_INOUT && e->args[2].array && e->args[2].len == 0);
  assert_true(e->returns.kind == PROVIDER_VOID);
  assert_true(e->scope == PROVIDER_BLOCK && e->converged && e->block == 0);
  assert_true(e->associative && !e->commutative && e->allow_traps && !e->allow_thread_index);
  assert_true(e->caller_syncs && e->min_arch == 80);
  arena_free(&a);
  test_sink_free(&t);
}

static const struct {
  const char *find, *with;
  enum diag_code code;
  const char *message;
} cases[] = {
    {"'entries':{", "'entries':{,", MD0701, ""},
    {"'entries':{", "'more':1,'entries':{", MD0702, "unknown member `more`"},
    {"'entries':{", "'entrys':{", MD0702, "entr"},
    {"'min_arch':80", "'arch':80", MD0702, "unknown member `arch`"},
    {"'pass':'inout'", "'pass':'by value'", MD0702, "by value"},
    {"'scope':'block'", "'scope':'grid'", MD0702, "grid"},
    {"'returns':'void',", "", MD0702, "returns"},
    {"'mirdc_provider':1", "'mirdc_provider':2", MD0703, "version 2 of manifests is unknown"},
    {"'name':'p'", "'name':'q'", MD0704, "provider `q` lies in a folder `p`"},
    {"'sum':{", "'a b':{", MD0705, "found `a b`"},
    {"'sum':{", "'':{", MD0705, "found ``"},
    {"'type':'T','one_of'", "'type':'T;','one_of'", MD0705, "found `T;`"},
    {"'type':'T','one_of'", "'type':'i8','one_of'", MD0705, "`i8` is declared already"},
    {"'const':'N'", "'const':'T'", MD0705, "`T` is declared already"},
    {"'ns::sum'", "'ns::sum<1>'", MD0705, "a C++ function template"},
    {"'ns::sum'", "'ns::'", MD0705, "a C++ function template"},
    {"'ns::sum'", "'x(); } int y'", MD0705, "a C++ function template"},
    {"'args':['T','i64']", "'args':['T','W']", MD0706, "`W` is neither"},
    {"'args':['T','i64']", "'args':['T','void']", MD0706, "`void` is neither"},
    {"'one_of':['i32'", "'one_of':['usize'", MD0706, "`usize` is no scalar"},
    {"'callback':'F'},{'name'", "'callback':'G'},{'name'", MD0706, "`G` is no callback"},
    {"'op','callback':'F'", "'op','type':'T'", MD0706, "`F` is 0 arguments"},
    {"'v','type':'T'", "'v','callback':'F'", MD0706, "`F` is 2 arguments"},
    {"'len':'N'", "'len':'T'", MD0706, "`T` is no constant"},
    {"'block':'N'", "'block':'M'", MD0706, "`M` is no constant"},
    {"'max':1024", "'max':31", MD0707, "no number is offered for `N`"},
    {"'min':32,'max':1024", "'min':33,'max':63", MD0707, "no number is offered for `N`"},
    {"'multiple_of':32", "'multiple_of':0", MD0707, "no number is offered for `N`"},
    {"'multiple_of':32", "'multiple_of':96,'power_of_two':true", MD0707, "no number is offered for `N`"},
    {"['i32','f32','u8']", "[]", MD0707, "no type is offered"},
    {"'pass':'inout'", "'pass':'value'", MD0707, "an array is passed as"},
    {"'scope':'block'", "'converged':true,'scope':'thread'", MD0707, "nobody to meet"},
    {"'template':'sum.cu'", "'template':'../sum.cu'", MD0708, "found `../sum.cu`"},
    {"'template':'sum.cu'", "'template':'/sum.cu'", MD0708, "found `/sum.cu`"},
    {"'template':'sum.cu'", "'template':'a\\\"b.cu'", MD0708, "the path of a file"},
    {"'a/b.h'", "'a//b.h'", MD0708, "`a//b.h` cannot be the name"},
};

static void each_rule_is_told(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    const char *at = strstr(valid, cases[i].find);
    assert_non_null(at);
    size_t before = (size_t)(at - valid), room = sizeof valid + strlen(cases[i].with);
    char *text = malloc(room);
    memcpy(text, valid, before);
    snprintf(text + before, room - before, "%s%s", cases[i].with, at + strlen(cases[i].find));
    struct test_sink t;
    struct arena a = {0};
    test_sink_init(&t);
    struct provider *p = parse(&t, &a, text);
    if (p || sink_code(&t) != cases[i].code ||
        str_find(t.sink.first->message, str_from(cases[i].message), 0) == SIZE_MAX)
      fail_msg("case %zu, `%s`: %s `%.*s`", i, cases[i].with, p ? "taken" : "another message",
               t.sink.first ? (int)t.sink.first->message.n : 0, t.sink.first ? t.sink.first->message.p : "");
    free(text);
    arena_free(&a);
    test_sink_free(&t);
  }
}

static void a_missing_provider_names_the_folders_searched(void **state) {
  (void)state;
  struct test_sink t;
  struct arena a = {0};
  test_sink_init(&t);
  static const char *const dirs[] = {"no/such/one", "nor/this"};
  struct provider_path path = {dirs, 2};
  assert_null(provider_find(&t.sink, &a, &path, STR("p"), SPAN_NONE));
  assert_int_equal(sink_code(&t), MD0700);
  struct strbuf b = {0};
  diag_render_human(&t.sink, t.sink.first, false, &b);
  assert_non_null(strstr(sb_z(&b), "`no/such/one`"));
  assert_non_null(strstr(sb_z(&b), "`nor/this`"));
  sb_free(&b);
  arena_free(&a);
  test_sink_free(&t);
}

static void choices_read_like_a_sentence(void **state) {
  (void)state;
  static const struct {
    uint32_t set;
    const char *text;
  } rows[] = {{1 << SCALAR_I8, "`i8`"},
              {1 << SCALAR_I8 | 1 << SCALAR_BOOL, "`i8` or `bool`"},
              {1 << SCALAR_I16 | 1 << SCALAR_U8 | 1 << SCALAR_F64, "`i16`, `u8` or `f64`"}};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    struct strbuf b = {0};
    provider_add_choices(&b, rows[i].set);
    assert_string_equal(sb_z(&b), rows[i].text);
    sb_free(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_manifest_is_read),
      cmocka_unit_test(each_rule_is_told),
      cmocka_unit_test(a_missing_provider_names_the_folders_searched),
      cmocka_unit_test(choices_read_like_a_sentence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
