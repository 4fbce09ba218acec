/* Dumps with one number changed: what still passes the reader must be lowered or refused, never
 * take the lowering down, and what is lowered must pass LLVM's verifier. */
#include "test/unit/ll_fixture.h"
#include "test/unit/pmir_valid.h"

#include "base/fatal.h"

struct text {
  char *p;
  size_t n;
};

static struct text quoted(const char *z) {
  struct text t = {xstrdup(z), strlen(z)};
  for (size_t i = 0; i < t.n; i++)
    if (t.p[i] == '\'')
      t.p[i] = '"';
  return t;
}

static uint32_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

/* Replaces the number that follows a random place. */
static void damage(const struct text *t, uint64_t *state, struct strbuf *out) {
  static const char *const values[] = {"0", "1",  "2",  "3",  "4",  "5",  "6",  "7",  "8",
                                       "9", "10", "11", "12", "16", "24", "32", "64", "null"};
  size_t at = next_random(state) % t->n;
  while (at < t->n && (t->p[at] < '0' || t->p[at] > '9'))
    at++;
  size_t end = at;
  while (end < t->n && t->p[end] >= '0' && t->p[end] <= '9')
    end++;
  sb_clear(out);
  sb_add(out, (str){t->p, at});
  sb_addz(out, values[next_random(state) % COUNT_OF(values)]);
  sb_add(out, (str){t->p + end, t->n - end});
}

static bool lower_text(str text, bool host) {
  struct test_sink ts;
  struct lower_options o = fixture_options();
  struct lower_result r = {.struct_size = sizeof r};
  test_sink_init(&ts);
  o.trap_info = true;
  o.host = host;
  struct pmir *m = pmir_read(text, STR("t.pmir.json"), &ts.sink);
  bool read = m != NULL;
  if (m) {
    bool ok = mirdc_lower(m, &o, &ts.sink, &r);
    if (!ok && sink_code(&ts) == MD0310)
      show_diags(&ts.sink);
    assert_false(!ok && sink_code(&ts) == MD0310);
    assert_true(ok || ts.sink.errors > 0);
    pmir_free(m);
  }
  mirdc_lower_free(&r);
  test_sink_free(&ts);
  return read;
}

static void a_damaged_dump_is_lowered_or_refused(void **state) {
  (void)state;
  struct text t = quoted(pmir_valid);
  struct strbuf changed = {0};
  uint64_t seed = 7;
  unsigned read = 0;
  assert_true(lower_text((str){t.p, t.n}, false));
  for (unsigned i = 0; i < 4000; i++) {
    damage(&t, &seed, &changed);
    read += lower_text(sb_str(&changed), false);
  }
  assert_true(read > 200); /* enough of them got past the reader */
  sb_free(&changed);
  free(t.p);
}

static void a_dump_with_every_form_compiles(void **state) {
  (void)state;
  static const unsigned archs[] = {75, 90, 100, 120};
  struct text t = quoted(pmir_valid);
  struct cuda_options co = {0};
  struct cuda_session *cs = cuda_session_new(&co);
  for (size_t i = 0; i < COUNT_OF(archs); i++) {
    struct lowered x = {.r.struct_size = sizeof x.r};
    struct lower_options o = fixture_options();
    o.arch = archs[i];
    o.trap_info = i % 2;
    o.opt = i < 2 ? 3 : 0;
    test_sink_init(&x.ts);
    x.m = pmir_read((str){t.p, t.n}, STR("t.pmir.json"), &x.ts.sink);
    assert_non_null(x.m);
    assert_true(mirdc_lower(x.m, &o, &x.ts.sink, &x.r));
    struct bytes b = fixture_ltoir(&x, cs, archs[i]);
    bytes_free(&b);
    lowered_free(&x);
  }
  cuda_session_free(cs);
  free(t.p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_dump_with_every_form_compiles),
      cmocka_unit_test(a_damaged_dump_is_lowered_or_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
