/* Which types operators, casts, intrinsics and assignments take. One statement or terminator at a
 * time stands in a function that has a local of each type: #6 is the place of the local of type 6,
 * @6 a copy of it. */
/* cmocka.h needs the first four before it. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <string.h>

#include "ir/pmir_summary.h"
#include "test/unit/pmir_messages.h"
#include "test/unit/pmir_valid.h"

/* Further types, from 29 on. */
static const char more_types[] =
    ",{'kind':'int','bits':8,'signed':false,'name':'u8','size':1,'align':1}" /* 29 */
    ",{'kind':'ptr','to':29,'mut':true,'ref':false,'meta':'none','name':'*mut "
    "u8','size':8,'align':8}"
    ",{'kind':'int','bits':32,'signed':true,'name':'i32','size':4,'align':4}" /* 31 */
    ",{'kind':'float','bits':64,'name':'f64','size':8,'align':8}"             /* 32 */
    ",{'kind':'tuple','fields':[{'name':'0','ty':6,'off':0},{'name':'1','ty':6,'off':4}],"
    "'name':'(u32, u32)','size':8,'align':4}" /* 33 */
    ",{'kind':'struct','fields':[{'name':'a','ty':0,'off':0},{'name':'b','ty':6,'off':4}],"
    "'name':'like P','size':8,'align':4}" /* 34 */
    ",{'kind':'struct','fields':[{'name':'x','ty':0,'off':4},{'name':'y','ty':6,'off':0}],"
    "'name':'unlike P','size':8,'align':4}"                                    /* 35 */
    ",{'kind':'int','bits':16,'signed':false,'name':'u16','size':2,'align':2}" /* 36 */
    ",{'kind':'ptr','to':11,'mut':true,'ref':false,'meta':'none','name':'*mut *mut u32','size':8,"
    "'align':8}" /* 37 */
    ",{'kind':'tuple','fields':[{'name':'0','ty':11,'off':0},{'name':'1','ty':4,'off':8}],"
    "'name':'(*mut u32, bool)','size':16,'align':8}" /* 38 */
    ",{'kind':'ptr','to':8,'mut':false,'ref':true,'meta':'none','name':'&Option','size':8,'align':"
    "8}"
    ",{'kind':'ptr','to':15,'mut':false,'ref':false,'meta':'len','name':'*const [u32]','size':16,"
    "'align':8}" /* 40 */
    ",{'kind':'ptr','to':34,'mut':true,'ref':false,'meta':'none','name':'*mut like P','size':8,"
    "'align':8}" /* 41 */
    ",{'kind':'struct','fields':[{'name':'next','ty':43,'off':0}],'name':'like Node','size':8,"
    "'align':8}" /* 42 */
    ",{'kind':'ptr','to':42,'mut':true,'ref':false,'meta':'none','name':'*mut like Node','size':8,"
    "'align':8}" /* 43 */
    ",{'kind':'enum','name':'like Option<u32>','size':8,'align':4,'discr_ty':9,'variants':["
    "{'name':'N','discr':'0x0','fields':[],'set':[[0,32,'0x0']]},"
    "{'name':'S','discr':'0x1','fields':[{'name':'0','ty':6,'off':4}],'set':[[0,32,'0x1']]}],"
    "'get':{'at':0,'bits':32,'cases':[['0x0','0x0',{'variant':0}]],'else':{'variant':1}}}" /* 44 */
    ",{'kind':'enum','name':'unlike Option<u32>','size':8,'align':4,'discr_ty':9,'variants':["
    "{'name':'N','discr':'0x0','fields':[],'set':[[0,32,'0x5']]},"
    "{'name':'S','discr':'0x1','fields':[{'name':'0','ty':6,'off':4}],'set':[[0,32,'0x1']]}],"
    "'get':{'at':0,'bits':32,'cases':[['0x5','0x5',{'variant':0}]],'else':{'variant':1}}}"  /* 45 */
    ",{'kind':'fnptr','args':[6],'ret':6,'abi':'rust','name':'like fn','size':8,'align':8}" /* 46 */
    ",{'kind':'fnptr','args':[6],'ret':6,'abi':'c','name':'extern C fn','size':8,'align':8}" /* 47
                                                                                              */
    ",{'kind':'array','elem':6,'len':4,'name':'like array','size':16,'align':4}" /* 48 */
    ",{'kind':'opaque','name':'Opaque','size':4,'align':4}"                      /* 49 */
    ",{'kind':'fnptr','args':[31],'ret':6,'abi':'rust','name':'fn(i32)','size':8,'align':8}" /* 50
                                                                                              */
    ",{'kind':'ptr','to':6,'mut':false,'ref':true,'meta':'none','name':'&u32 again','size':8,"
    "'align':8}" /* 51 */
    ",{'kind':'union','fields':[{'name':'a','ty':6,'off':0},{'name':'b','ty':0,'off':0}],"
    "'name':'like U','size':4,'align':4}" /* 52 */
    ",{'kind':'closure','fields':[{'name':'0','ty':24,'off':0}],'name':'{closure}','size':8,"
    "'align':8}" /* 53 */
    ",{'kind':'tuple','fields':[{'name':'0','ty':6,'off':0},{'name':'1','ty':31,'off':4}],"
    "'name':'(u32, i32)','size':8,'align':4}" /* 54 */
    ",{'kind':'dyn','name':'dyn Tr','size':0,'align':1}" /* 55 */
    ",{'kind':'ptr','to':55,'mut':false,'ref':true,'meta':'vtable','name':'&dyn Tr','size':16,"
    "'align':8}"; /* 56 */

enum { N_TYPES = 57 };

static bool is_unsized(int ty) {
  return ty == 1 || ty == 15 || ty == 55;
}

/* #N and @N; quotes. */
static void expand(struct strbuf *b, const char *z) {
  for (; *z; z++) {
    if (*z != '#' && *z != '@') {
      sb_addc(b, *z == '\'' ? '"' : *z);
      continue;
    }
    const bool copy = *z == '@';
    unsigned n = 0;
    while (z[1] >= '0' && z[1] <= '9')
      n = n * 10 + (unsigned)(*++z - '0');
    sb_addf(b, copy ? "[\"c\",[%u]]" : "[%u]", n + 2);
  }
}

/* The valid dump with a function that sets all its locals, then does what is under test. */
static void build(struct strbuf *b, const char *statement, const char *terminator) {
  const char *body = strstr(pmir_valid, "'locals':[5,28],'blocks':[[[],['ret']]]");
  const char *types = strstr(pmir_valid, "'name':'Buffer<u32>','size':16,'align':8}");
  assert_true(body && types && types < body);
  types = strchr(types, '}') + 1;
  struct strbuf head = {0}, tail = {0};
  sb_add(&head, (str){pmir_valid, (size_t)(types - pmir_valid)});
  sb_addz(&head, more_types);
  sb_add(&head, (str){types, (size_t)(body - types)});
  sb_addz(&head, "'locals':[5,28");
  for (int t = 0; t < N_TYPES; t++)
    sb_addf(&head, ",%d", is_unsized(t) ? 5 : t);
  sb_addz(&head, "],'blocks':[[[");
  for (int t = 0; t < N_TYPES; t++)
    sb_addf(&head, "['=',[%d],['use',['u',%d]],1],", t + 2, is_unsized(t) ? 5 : t);
  sb_addf(&head, "%s],%s],[[],['ret']]]", *statement ? statement : "['live',0]", terminator);
  sb_addz(&tail, body + strlen("'locals':[5,28],'blocks':[[[],['ret']]]"));
  expand(b, sb_z(&head));
  /* the rest holds no marks */
  expand(b, sb_z(&tail));
  sb_free(&head);
  sb_free(&tail);
}

static bool accepted(const char *statement, const char *terminator, bool show) {
  struct source_map sources;
  struct diag_sink sink;
  struct strbuf b = {0}, out = {0};
  source_map_init(&sources);
  diag_sink_init(&sink, &sources);
  build(&b, statement, terminator);
  struct pmir *m = pmir_read(sb_str(&b), STR("rules"), &sink);
  const bool ok = m != NULL;
  assert_true(ok == (sink.errors == 0));
  /* refused by a rule about code, not for a slip in the text of the test */
  if (!ok && (sink.first->code < MD0230 || sink.first->code == MD0240))
    fail_msg("%s %s: %.*s", statement, terminator, STR_ARG(sink.first->message));
  for (struct diag *d = sink.first; d && show; d = d->next)
    diag_render_human(&sink, d, false, &out);
  if (out.n)
    print_message("%s\n", out.p);
  keep_messages(&sink);
  pmir_free(m);
  sb_free(&out);
  sb_free(&b);
  diag_sink_free(&sink);
  source_map_free(&sources);
  return ok;
}

struct rule {
  bool ok;
  const char *text;
};

#include "test/unit/pmir_rules.h"

static size_t wrong(const struct rule *rules, size_t n, bool as_term) {
  size_t failed = 0;
  for (size_t i = 0; i < n; i++) {
    const char *s = as_term ? "" : rules[i].text, *t = as_term ? rules[i].text : "['ret']";
    if (accepted(s, t, rules[i].ok) == rules[i].ok)
      continue;
    print_message("%s: %s\n", rules[i].ok ? "refused" : "accepted", rules[i].text);
    failed++;
  }
  return failed;
}

static void assignments_take_exactly_these_types(void **state) {
  (void)state;
  assert_int_equal(wrong(statements, COUNT_OF(statements), false), 0);
}

static void terminators_take_exactly_these_types(void **state) {
  (void)state;
  assert_int_equal(wrong(terminators, COUNT_OF(terminators), true), 0);
}

static const struct {
  const char *name, *types, *consts, *args, *dest;
} intrinsics[] = {
#include "test/unit/pmir_intrinsics.h"
};

static bool intrinsic_taken(size_t i, const char *args, const char *dest, bool show) {
  struct strbuf t = {0};
  sb_addf(&t, "['call',['intr','%s',[%s],[%s]],[%s],%s,1,1]", intrinsics[i].name,
          intrinsics[i].types, intrinsics[i].consts, args, dest);
  const bool ok = accepted("", sb_z(&t), show);
  sb_free(&t);
  return ok;
}

static void each_intrinsic_takes_its_signature_and_no_other(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(intrinsics); i++) {
    const char *args = intrinsics[i].args;
    if (!intrinsic_taken(i, args, intrinsics[i].dest, true))
      fail_msg("%s is refused", intrinsics[i].name);
    if (intrinsic_taken(i, args, "#35", false))
      fail_msg("%s gives a struct", intrinsics[i].name);
    struct strbuf b = {0};
    sb_addf(&b, "%s%s@35", args, *args ? "," : "");
    if (intrinsic_taken(i, sb_z(&b), intrinsics[i].dest, false))
      fail_msg("%s takes one more argument", intrinsics[i].name);
    sb_clear(&b);
    const char *comma = strrchr(args, ',');
    if (comma && strcmp(intrinsics[i].name, "slice_get_unchecked") != 0) {
      sb_add(&b, (str){args, (size_t)(comma - args)});
      sb_addz(&b, ",@35");
    } else {
      sb_addz(&b, "@35");
    }
    if (*args && intrinsic_taken(i, sb_z(&b), intrinsics[i].dest, false))
      fail_msg("%s takes a struct as its last argument", intrinsics[i].name);
    sb_free(&b);
  }
}

static void the_table_of_this_test_has_each_intrinsic(void **state) {
  (void)state;
  static const char *const names[] = {
#define INTRINSIC(id, name, types, consts, args) name,
#include "ir/intrinsics.def"
#undef INTRINSIC
  };
  for (size_t n = 0; n < COUNT_OF(names); n++) {
    bool has = strcmp(names[n], "abort") == 0; /* does not return, so has no destination */
    for (size_t i = 0; i < COUNT_OF(intrinsics) && !has; i++)
      has = strcmp(names[n], intrinsics[i].name) == 0;
    if (!has)
      fail_msg("%s has no row", names[n]);
  }
}

static void a_summary_names_counts_kernels_and_launch_facts(void **state) {
  (void)state;
  struct source_map sources;
  struct diag_sink sink;
  struct strbuf b = {0}, text = {0}, json = {0};
  source_map_init(&sources);
  diag_sink_init(&sink, &sources);
  expand(&b, pmir_valid);
  struct pmir *m = pmir_read(sb_str(&b), STR("rules"), &sink);
  assert_non_null(m);
  pmir_summary_text(m, &text);
  pmir_summary_json(m, &json);
  static const char *const words[] = {"6 functions",       "29 types",
                                      "2 kernels:",        "scale(a: f32, y: &mut [f32], i: usize)",
                                      "block 256 x 1 x 1", "1024 bytes, aligned to 16"};
  for (size_t i = 0; i < COUNT_OF(words); i++)
    if (!strstr(sb_z(&text), words[i]))
      fail_msg("no %s in %s", words[i], sb_z(&text));
  assert_non_null(strstr(sb_z(&json), "\"functions\":6"));
  assert_non_null(strstr(sb_z(&json), "\"block\":[256,1,1]"));
  pmir_free(m);
  sb_free(&b);
  sb_free(&text);
  sb_free(&json);
  diag_sink_free(&sink);
  source_map_free(&sources);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(assignments_take_exactly_these_types),
      cmocka_unit_test(terminators_take_exactly_these_types),
      cmocka_unit_test(each_intrinsic_takes_its_signature_and_no_other),
      cmocka_unit_test(the_table_of_this_test_has_each_intrinsic),
      cmocka_unit_test(a_summary_names_counts_kernels_and_launch_facts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
