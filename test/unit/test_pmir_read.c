/* Reader and verifier of prepared MIR: each rule is broken once. */
/* cmocka.h needs the first four before it. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "ir/pmir.h"
#include "test/unit/pmir_messages.h"
#include "test/unit/pmir_native_cases.h"
#include "test/unit/pmir_valid.h"

struct run {
  struct source_map sources;
  struct diag_sink sink;
  struct pmir *m;
};

static void run(struct run *r, str text) {
  source_map_init(&r->sources);
  diag_sink_init(&r->sink, &r->sources);
  /* a copy of the exact size, so that a read beyond the end is seen */
  char *copy = xmalloc(text.n ? text.n : 1);
  memcpy(copy, text.p, text.n);
  r->m = pmir_read((str){copy, text.n}, STR("demo.pmir.json"), &r->sink);
  free(copy);
}

static void done(struct run *r) {
  pmir_free(r->m);
  diag_sink_free(&r->sink);
  source_map_free(&r->sources);
}

static void add_quoted(struct strbuf *b, str s) {
  for (size_t i = 0; i < s.n; i++)
    sb_addc(b, s.p[i] == '\'' ? '"' : s.p[i]);
}

static void show(const struct run *r) {
  for (struct diag *d = r->sink.first; d; d = d->next) {
    struct strbuf b = {0};
    diag_render_human(&r->sink, d, false, &b);
    print_message("%s\n", sb_z(&b));
    sb_free(&b);
  }
}

/* The valid dump with the first place where `find` stands after `after` replaced. */
static void patched(struct strbuf *b, const char *after, const char *find, const char *with) {
  str all = str_from(pmir_valid);
  size_t from = after ? str_find(all, str_from(after), 0) : 0;
  assert_true(from != SIZE_MAX);
  size_t at = str_find(all, str_from(find), from);
  if (at == SIZE_MAX)
    fail_msg("the valid dump has no %s after %s", find, after ? after : "the start");
  add_quoted(b, str_sub(all, 0, at));
  add_quoted(b, str_from(with));
  add_quoted(b, str_drop(all, at + strlen(find)));
}

static void a_valid_dump_is_accepted_and_types_are_filled_in(void **state) {
  (void)state;
  struct strbuf b = {0};
  struct run r;
  add_quoted(&b, str_from(pmir_valid));
  run(&r, sb_str(&b));
  if (!r.m)
    show(&r);
  assert_non_null(r.m);
  assert_int_equal(r.m->n_types, 29);
  assert_int_equal(r.m->n_fns, 6);
  const struct pm_stmt *s = &r.m->fns[0].blocks[1].stmts[0];
  assert_int_equal(s->place.proj[0].kind, PM_DEREF);
  assert_int_equal(s->place.proj[0].ty, 1);
  assert_int_equal(s->place.proj[1].ty, 0);
  assert_int_equal(s->u.rv.op, PM_MUL);
  assert_int_equal(s->u.rv.ops[1].ty, 0);
  const struct pm_term *t = &r.m->fns[0].blocks[0].term;
  assert_int_equal(t->n, 2);
  assert_int_equal(t->ops[0].u.place.local, 5);
  assert_int_equal(t->ops[2].u.place.local, 3);
  assert_true(r.m->fns[2].blocks[0].stmts[15].u.rv.ops[0].u.bits.lo == UINT64_MAX);
  assert_int_equal(r.m->spans[2].inlined_at, 1);
  assert_true(str_eqz(r.m->spans[2].inlined_fn, "core::ops::mul"));
  assert_int_equal(pm_span_of(r.m, 1).line0, 3);
  assert_true(r.m->allocs[0].bytes[15] == 0xff);
  assert_int_equal(r.m->kernels[0].launch.block[0], 256);
  assert_true(str_eqz(source_file_get(&r.sources, r.m->files[0].source)->path, "src/lib.rs"));
  done(&r);
  sb_free(&b);
}

#include "test/unit/pmir_cases.h"

static bool has_message(const struct run *r, enum diag_code code, const char *what) {
  for (struct diag *d = r->sink.first; d; d = d->next)
    if (d->code == code && str_find(d->message, str_from(what), 0) != SIZE_MAX)
      return true;
  return false;
}

static bool case_holds(size_t i) {
  struct strbuf b = {0};
  struct run r;
  patched(&b, cases[i].after, cases[i].find, cases[i].with);
  run(&r, sb_str(&b));
  keep_messages(&r.sink);
  bool ok =
      !r.m && has_message(&r, cases[i].code, cases[i].message) && r.sink.first->snippet_line > 0;
  if (!ok) {
    print_message("%s: %s -> %s; wanted %s\n", r.m ? "accepted" : "another message", cases[i].find,
                  cases[i].with, cases[i].message);
    show(&r);
  }
  done(&r);
  sb_free(&b);
  return ok;
}

static void each_rule_refuses_the_dump_that_breaks_it(void **state) {
  (void)state;
  size_t failed = 0;
  for (size_t i = 0; i < COUNT_OF(cases); i++)
    failed += !case_holds(i);
  assert_int_equal(failed, 0);
}

/* An enum whose tags are looked up in the worst order: a step for each pair of variants. */
static void more_variants_than_can_be_looked_up_are_refused(void **state) {
  (void)state;
  enum { N = 16000 };
  struct strbuf b = {0}, variants = {0}, cases_ = {0};
  struct run r;
  for (int i = 0; i < N; i++) {
    sb_addf(&variants, "%s{'name':'V%d','discr':'0x%x','fields':[],'set':[[0,32,'0x%x']]}",
            i ? "," : "", i, (unsigned)i, (unsigned)i);
    sb_addf(&cases_, "%s['0x%x','0x%x',{'variant':%d}]", i ? "," : "", (unsigned)(N - 1 - i),
            (unsigned)(N - 1 - i), N - 1 - i);
  }
  str all = str_from(pmir_valid), first = STR("'types':[");
  size_t at = str_find(all, STR("],\n'allocs':"), 0);
  assert_true(at != SIZE_MAX && str_find(all, first, 0) < at);
  add_quoted(&b, str_sub(all, 0, at));
  struct strbuf more = {0};
  sb_addf(&more,
          ",{'kind':'enum','name':'Many','size':4,'align':4,'discr_ty':6,'variants':[%s],"
          "'get':{'at':0,'bits':32,'cases':[%s],'else':{'invalid':true}}}",
          sb_z(&variants), sb_z(&cases_));
  add_quoted(&b, sb_str(&more));
  add_quoted(&b, str_drop(all, at));
  run(&r, sb_str(&b));
  keep_messages(&r.sink);
  assert_true(has_message(&r, MD0212, "too many variants in no order"));
  done(&r);
  sb_free(&more);
  sb_free(&variants);
  sb_free(&cases_);
  sb_free(&b);
}

static void each_code_of_the_reader_has_a_case(void **state) {
  (void)state;
  for (size_t c = 0; c < diag_code_count(); c++) {
    const char *name = diag_code_at(c)->name;
    bool has = strncmp(name, "MD02", 4) != 0;
    for (size_t i = 0; i < COUNT_OF(cases) && !has; i++)
      has = strcmp(diag_code_info(cases[i].code)->name, name) == 0;
    for (size_t i = 0; i < COUNT_OF(native_cases) && !has; i++)
      has = strcmp(diag_code_info(native_cases[i].code)->name, name) == 0;
    if (!has)
      fail_msg("%s has no case", name);
  }
}

/* Blocks of a function whose local 2 and 3 are u32, 4 bool, 5 a pointer to u32, 6 the unit. */
#define SET2 "['=',[2],['use',['k',6,'0x1']],1]"
#define GET2 "['=',[3],['use',['c',[2]]],1]"
static const struct {
  const char *what, *blocks;
  bool ok;
} flows[] = {
    {"a write before", "[[" SET2 "," GET2 "],['ret']]", true},
    {"a write after", "[[" GET2 "," SET2 "],['ret']]", false},
    {"no write", "[[" GET2 "],['ret']]", false},
    {"a write in the block before", "[[" SET2 "],['goto',1]],[[" GET2 "],['ret']]", true},
    {"a write on one of two ways to a join",
     "[[],['switch',['k',4,'0x0'],[['0x0',1]],2]],[[" SET2 "],['goto',3]],[[],['goto',3]],[[" GET2
     "],['ret']]",
     true},
    {"a write on the other way",
     "[[],['switch',['k',4,'0x0'],[['0x0',1]],2]],[[" SET2 "],['ret']],[[" GET2 "],['ret']]",
     false},
    {"a write on an earlier turn of a loop",
     "[[],['goto',1]],[[" GET2 "],['switch',['k',4,'0x0'],[['0x0',2]],3]],[[" SET2
     "],['goto',1]],[[],['ret']]",
     true},
    {"a write on an earlier turn of a loop of one block",
     "[[],['goto',1]],[[" GET2 "," SET2 "],['switch',['k',4,'0x0'],[['0x0',1]],2]],[[],['ret']]",
     true},
    {"a write behind the loop",
     "[[],['goto',1]],[[" GET2 "],['switch',['k',4,'0x0'],[['0x0',1]],2]],[[" SET2 "],['ret']]",
     false},
    {"a read in a block that nothing reaches", "[[],['ret']],[[" GET2 "],['ret']]", true},
    {"a write in a block that nothing reaches", "[[" GET2 "],['ret']],[[" SET2 "],['goto',0]]",
     false},
    {"an address taken", "[[['=',[5],['raw',true,[2]],1]," GET2 "],['ret']]", true},
    {"an address as the read", "[[['=',[3],['use',['c',[5,'*']]],1]],['ret']]", false},
    {"a write through a pointer that nothing has set",
     "[[['=',[5,'*'],['use',['k',6,'0x1']],1]],['ret']]", false},
    {"a result of a call", "[[],['call',['fn',1],[['k',6,'0x1']],[2],1,1]],[[" GET2 "],['ret']]",
     true},
    {"an argument of a call", "[[],['call',['fn',1],[['c',[2]]],[3],1,1]],[[],['ret']]", false},
    {"a result of inline PTX", "[[],['ptx','x',[['out','r',[2]]],{},1,1]],[[" GET2 "],['ret']]",
     true},
    {"an argument of inline PTX",
     "[[],['ptx','x',[['inout','r',['c',[2]],[2]]],{},1,1]],[[],['ret']]", false},
    {"a storage mark", "[[['live',2]," GET2 "],['ret']]", false},
    {"a zero-sized local", "[[['=',[0],['use',['c',[6]]],1]],['ret']]", true},
    {"a condition of an assertion", "[[],['assert',['c',[4]],true,'assert',[],1,1]],[[],['ret']]",
     false},
    {"an operand of an assertion",
     "[[],['assert',['k',4,'0x1'],true,'assert',[['c',[2]]],1,1]],[[],['ret']]", false},
    {"a value of a switch", "[[],['switch',['c',[2]],[],1]],[[],['ret']]", false},
    {"a drop behind a flag that is never set",
     "[[['=',[4],['use',['k',4,'0x0']],1]],['switch',['c',[4]],[['0x0',1]],2]],[[],['ret']],[[" GET2
     "],['ret']]",
     true},
    {"a read before a flag that is never set",
     "[[['=',[4],['use',['k',4,'0x0']],1]],['switch',['c',[4]],[['0x0',2]],1]],[[],['ret']],[[" GET2
     "],['ret']]",
     false},
    {"a read behind a flag that changes",
     "[[['=',[4],['use',['k',4,'0x0']],1],['=',[4],['use',['k',4,'0x1']],1]],['switch',['c',[4]],"
     "[['0x0',1]],2]],[[],['ret']],[[" GET2 "],['ret']]",
     false},
    {"a drop behind a flag that changes on another way",
     "[[['=',[4],['use',['k',4,'0x0']],1]],['switch',['c',[4]],[['0x0',2]],1]],"
     "[[['=',[2],['use',['k',6,'0x1']],1],['=',[4],['use',['k',4,'0x1']],1]],['goto',3]],"
     "[[],['switch',['c',[4]],[['0x0',3]],4]],[[],['ret']],[[],['drop',[3],null,3,1]]",
     true},
    {"an assumption", "[[['assume',['c',[4]],1]],['ret']]", false},
};

static void reads_are_refused_exactly_when_no_write_can_reach_them(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(flows); i++) {
    struct strbuf b = {0}, with = {0};
    struct run r;
    sb_addf(&with, "'locals':[5,28,6,6,4,11,5],'blocks':[%s]", flows[i].blocks);
    patched(&b, "demo::fill", "'locals':[5,28],'blocks':[[[],['ret']]]", sb_z(&with));
    run(&r, sb_str(&b));
    bool as_wanted = flows[i].ok ? r.m != NULL : !r.m && has_message(&r, MD0239, "is read here");
    if (!as_wanted) {
      show(&r);
      fail_msg("%s: %s", flows[i].what, flows[i].ok ? "refused" : "accepted");
    }
    done(&r);
    sb_free(&b);
    sb_free(&with);
  }
}

static void replace(struct strbuf *b, const char *find, const char *with) {
  struct strbuf out = {0}, f = {0};
  add_quoted(&f, str_from(find));
  size_t at = str_find(sb_str(b), sb_str(&f), 0);
  if (at == SIZE_MAX)
    fail_msg("nothing to replace: %s", find);
  sb_add(&out, str_sub(sb_str(b), 0, at));
  add_quoted(&out, str_from(with));
  sb_add(&out, str_drop(sb_str(b), at + f.n));
  sb_free(b);
  sb_free(&f);
  *b = out;
}

/* The parameter of kernel `fill`: type of the argument, what the kernel says, is it right? */
static const struct {
  const char *ty, *param;
  bool ok;
} params[] = {
    {"12", "'ty':12,'pass':'aggregate','size':8,'align':4,'fields':[]", true},
    {"12",
     "'ty':12,'pass':'aggregate','size':8,'align':4,'fields':[{'name':'y','off':4,'size':4,'align':"
     "4}]",
     true},
    {"12",
     "'ty':12,'pass':'aggregate','size':8,'align':4,'fields':[{'name':'y','off':3,'size':4,'align':"
     "4}]",
     false},
    {"12",
     "'ty':12,'pass':'aggregate','size':8,'align':4,'fields':[{'name':'y','off':4,'size':2,'align':"
     "2}]",
     false},
    {"12",
     "'ty':12,'pass':'aggregate','size':8,'align':4,'fields':[{'name':'y','off':8,'size':4,'align':"
     "4}]",
     false},
    {"8",
     "'ty':8,'pass':'aggregate','size':8,'align':4,'fields':[{'name':'0','off':4,'size':4,'align':"
     "4}]",
     true},
    {"12", "'ty':12,'pass':'aggregate','size':8,'align':8,'fields':[]", false},
    {"12", "'ty':12,'pass':'scalar','size':8,'align':4,'fields':[]", false},
    {"12", "'ty':12,'pass':'slice','size':8,'align':4,'fields':[]", false},
    {"10", "'ty':10,'pass':'aggregate','size':16,'align':4,'fields':[]", true},
    {"10", "'ty':10,'pass':'slice','size':16,'align':4,'fields':[]", false},
    {"5", "'ty':5,'pass':'zst','size':0,'align':1,'fields':[]", true},
    {"5", "'ty':5,'pass':'aggregate','size':0,'align':1,'fields':[]", false},
    {"13", "'ty':13,'pass':'pointer','size':8,'align':8,'fields':[]", true},
    {"11", "'ty':11,'pass':'pointer','size':8,'align':8,'fields':[]", true},
    {"11", "'ty':24,'pass':'pointer','size':8,'align':8,'fields':[]", true},
    {"11", "'ty':3,'pass':'scalar','size':8,'align':8,'fields':[]", false},
    {"19", "'ty':19,'pass':'scalar','size':4,'align':4,'fields':[]", true},
    {"4", "'ty':4,'pass':'scalar','size':1,'align':1,'fields':[]", true},
};

static void parameters_of_kernels_are_those_of_the_function(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(params); i++) {
    struct strbuf b = {0}, locals = {0};
    struct run r;
    add_quoted(&b, str_from(pmir_valid));
    sb_addf(&locals, "'locals':[5,%s]", params[i].ty);
    replace(&b, "'locals':[5,28]", sb_z(&locals));
    replace(&b, "'ty':28,'pass':'slice','size':16,'align':8,'fields':[]", params[i].param);
    run(&r, sb_str(&b));
    if ((r.m != NULL) != params[i].ok) {
      show(&r);
      fail_msg("%s: %s", params[i].ok ? "refused" : "accepted", params[i].param);
    }
    if (!r.m)
      assert_true(r.sink.first->code == MD0250 || r.sink.first->code == MD0251);
    done(&r);
    sb_free(&b);
    sb_free(&locals);
  }
}

static bool names_kernel(const struct run *r, const char *kernel) {
  struct strbuf b = {0};
  bool has = false;
  sb_addf(&b, "reached from kernel `%s`", kernel);
  for (const struct diag_child *k = r->sink.first->children; k; k = k->next)
    has = has || str_eq(k->text, sb_str(&b));
  sb_free(&b);
  return has;
}

static void kernels_are_found_through_calls_drops_and_pointers(void **state) {
  (void)state;
  static const struct {
    const char *block, *find, *with;
  } ways[] = {
      {"[[],['call',['fn',4],[],[0],null,1]]", "'intr','abort'", "'intr','abolish'"},
      {"[[],['call',['fn',4],[],[0],null,1]]", "['intr','abort',[],[]],[],[0]",
       "['intr','abort',[],[]],[],[9]"},
      {"[[],['drop',[2],3,1,1]],[[],['ret']]", "'locals':[5,27],'blocks':[[[],['ret']]]",
       "'locals':[5,27],'blocks':[[[],['goto',7]]]"},
      {"[[['=',[3],['use',['p',13,'fn',1,0]],1]],['ret']]", "'AddWithOverflow'", "'Add'"},
      {"[[['=',[3],['use',['a',13,0,0]],1]],['ret']]", "'AddWithOverflow'", "'Add'"},
      {"[[],['call',['ptr',['p',13,'fn',1,0]],[['k',6,1]],[4],1,1]],[[],['ret']]",
       "'AddWithOverflow'", "'Add'"},
  };
  for (size_t i = 0; i < COUNT_OF(ways); i++) {
    struct strbuf b = {0}, body = {0};
    struct run r;
    sb_addf(&body, "'locals':[5,28,12,13,6],'blocks':[%s]", ways[i].block);
    add_quoted(&b, str_from(pmir_valid));
    replace(&b, "'locals':[5,28],'blocks':[[[],['ret']]]", sb_z(&body));
    if (i == 2) /* what is dropped must have been set */
      replace(&b, "[[],['drop',[2]", "[[['=',[2],['use',['u',12]],1]],['drop',[2]");
    replace(&b, ways[i].find, ways[i].with);
    run(&r, sb_str(&b));
    assert_null(r.m);
    if (!names_kernel(&r, "fill")) {
      show(&r);
      fail_msg("the kernel is not named: %s", ways[i].block);
    }
    done(&r);
    sb_free(&b);
    sb_free(&body);
  }
}

static void messages_about_code_name_function_kernel_and_source(void **state) {
  (void)state;
  struct strbuf b = {0};
  struct run r;
  patched(&b, NULL, "['bin','Mul'", "['bin','Shl'");
  run(&r, sb_str(&b));
  assert_null(r.m);
  assert_int_equal(r.sink.errors, 1);
  const struct diag *d = r.sink.first;
  assert_int_equal(d->code, MD0234);
  assert_int_equal(d->span.line0, 4);
  assert_true(str_starts(d->message, STR("/fns/0/blocks/1/0/0: ")));
  assert_true(str_eqz(d->children->text, "in function `demo::scale`") ||
              str_eqz(d->children->next->text, "in function `demo::scale`"));
  bool kernel = false;
  for (const struct diag_child *k = d->children; k; k = k->next)
    kernel = kernel || str_eqz(k->text, "reached from kernel `scale`");
  assert_true(kernel);
  done(&r);
  sb_free(&b);
}

static void unknown_words_in_a_function_name_function_kernel_and_source(void **state) {
  (void)state;
  struct strbuf b = {0};
  struct run r;
  patched(&b, NULL, "['bin','Mul'", "['frobnicate','Mul'");
  run(&r, sb_str(&b));
  assert_null(r.m);
  const struct diag *d = r.sink.first;
  assert_int_equal(d->code, MD0240);
  assert_int_equal(d->span.line0, 4);
  bool kernel = false, function = false;
  for (const struct diag_child *k = d->children; k; k = k->next) {
    kernel = kernel || str_eqz(k->text, "reached from kernel `scale`");
    function = function || str_eqz(k->text, "in function `demo::scale`");
  }
  assert_true(kernel && function);
  done(&r);
  sb_free(&b);
}

static void a_dump_cut_short_anywhere_is_refused_once(void **state) {
  (void)state;
  struct strbuf b = {0};
  add_quoted(&b, str_from(pmir_valid));
  for (size_t n = 0; n + 2 < b.n; n++) {
    struct run r;
    run(&r, str_sub(sb_str(&b), 0, n));
    assert_null(r.m);
    assert_int_equal(r.sink.errors, 1);
    assert_int_equal(r.sink.first->code, MD0200);
    done(&r);
  }
  sb_free(&b);
}

/* Every byte is replaced by each of a few others: nothing may crash, and what is refused is told.
 */
static void a_damaged_byte_never_crashes_the_reader(void **state) {
  (void)state;
  static const char bytes[] = {'"', '9', '[', '}', ',', '-', 'x', '\0', '\xff'};
  struct strbuf b = {0};
  add_quoted(&b, str_from(pmir_valid));
  for (size_t i = 0; i < b.n; i++) {
    char old = b.p[i];
    b.p[i] = bytes[i % COUNT_OF(bytes)];
    struct run r;
    run(&r, sb_str(&b));
    assert_true(r.m ? r.sink.errors == 0 : r.sink.errors > 0);
    done(&r);
    b.p[i] = old;
  }
  sb_free(&b);
}

static void run_with_number(size_t at, size_t end, const char *number) {
  str all = str_from(pmir_valid);
  struct strbuf b = {0};
  struct run r;
  add_quoted(&b, str_sub(all, 0, at));
  sb_addz(&b, number);
  add_quoted(&b, str_drop(all, end));
  run(&r, sb_str(&b));
  assert_true(r.m ? r.sink.errors == 0 : r.sink.errors > 0);
  done(&r);
  sb_free(&b);
}

/* Ids, sizes, offsets and counts that mean something else: whatever is accepted must be sound. */
static void a_changed_number_never_crashes_the_reader(void **state) {
  (void)state;
  static const char *const numbers[] = {"0", "1", "7", "28", "4294967295", "18446744073709551615"};
  str all = str_from(pmir_valid);
  size_t n = 0;
  for (size_t at = 0; at < all.n; at++) {
    size_t end = at;
    while (end < all.n && all.p[end] >= '0' && all.p[end] <= '9')
      end++;
    for (size_t i = 0; i < COUNT_OF(numbers) && end > at; i++, n++)
      run_with_number(at, end, numbers[i]);
    at = end;
  }
  assert_true(n > 3000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_valid_dump_is_accepted_and_types_are_filled_in),
      cmocka_unit_test(each_rule_refuses_the_dump_that_breaks_it),
      cmocka_unit_test(more_variants_than_can_be_looked_up_are_refused),
      cmocka_unit_test(each_code_of_the_reader_has_a_case),
      cmocka_unit_test(reads_are_refused_exactly_when_no_write_can_reach_them),
      cmocka_unit_test(parameters_of_kernels_are_those_of_the_function),
      cmocka_unit_test(kernels_are_found_through_calls_drops_and_pointers),
      cmocka_unit_test(messages_about_code_name_function_kernel_and_source),
      cmocka_unit_test(unknown_words_in_a_function_name_function_kernel_and_source),
      cmocka_unit_test(a_dump_cut_short_anywhere_is_refused_once),
      cmocka_unit_test(a_damaged_byte_never_crashes_the_reader),
      cmocka_unit_test(a_changed_number_never_crashes_the_reader),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
