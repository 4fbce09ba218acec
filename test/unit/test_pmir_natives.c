/* Native calls and facts about closures: what the reader makes of them, and one dump for each of
 * their rules. */
/* cmocka.h needs the first four before it. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <string.h>

#include "ir/pmir.h"
#include "test/unit/pmir_messages.h"
#include "test/unit/pmir_native_cases.h"

/* Longer than ISO C promises to take; both compilers do. */
#pragma GCC diagnostic ignored "-Woverlength-strings"
static const char valid[] =
    "{'schema':'pmir','version':1,'requires':['native'],\n"
    "'producer':{'tool':'t','rustc':'1.95.0','flags':[]},\n"
    "'target':{'ptr_bits':64,'endian':'little'},\n"
    "'unit':{'crate':'d','edition':'2024','opt_level':'3','overflow_checks':false,"
    "'debug_assertions':false,'cfgs':[],'features':[]},\n"
    "'files':[{'path':'a.rs'}],'spans':[[0,1,1,9,2]],\n"
    "'types':[\n"
    "{'kind':'int','bits':32,'signed':true,'name':'i32','size':4,'align':4},\n"
    "{'kind':'closure','fields':[{'name':'k','ty':0,'off':0}],'name':'{c}','size':4,'align':4},\n"
    "{'kind':'ptr','to':1,'mut':false,'ref':false,'meta':'none','name':'*const {c}','size':8,"
    "'align':8},\n"
    "{'kind':'tuple','fields':[],'name':'()','size':0,'align':1},\n"
    "{'kind':'ptr','to':1,'mut':false,'ref':true,'meta':'none','name':'&{c}','size':8,'align':8},\n"
    "{'kind':'ptr','to':4,'mut':false,'ref':false,'meta':'none','name':'*const &{c}','size':8,"
    "'align':8},\n"
    "{'kind':'slice','elem':0,'name':'[i32]','size':0,'align':4},\n"
    "{'kind':'int','bits':128,'signed':false,'name':'u128','size':16,'align':16}],\n"
    "'allocs':[],'statics':[],'externs':[],\n"
    "'natives':[{'provider':'cub','entry':'block_reduce','path':'d::reduce','types':[['T',0]],"
    "'consts':[['BLOCK',0,'0x100'],['W',7,'0x100000000000000000']],"
    "'callbacks':[{'param':'F','ty':4,'base':1,'refs':1,'thunk':1}],"
    "'args':[0,['callback',0]],'ret':0,'span':0}],\n"
    "'closures':[{'ty':1,'fn':2,'kind':'fn','move':true,'captures':[['k',0]],'span':0}],\n"
    "'fns':[\n"
    "{'name':'k','symbol':'k','kind':'item','abi':'rust','n_args':0,'locals':[3,0,4,5],'blocks':["
    "[[['=',[2],['use',['k',4,'0x0']],0],['=',[3],['raw',false,[2]],0]],"
    "['call',['native',0],[['k',0,'0x1'],['c',[3]]],[1],1,0]],"
    "[[['=',[0],['use',['z',3]],0]],['ret']]],'span':0},\n"
    "{'name':'thunk','symbol':'thunk','kind':'item','abi':'c','n_args':3,'locals':[0,2,0,0],"
    "'blocks':[[[['=',[0],['use',['c',[2]]],0]],['ret']]],'span':0},\n"
    "{'name':'body','symbol':'body','kind':'closure','abi':'rust','n_args':3,'locals':[0,4,0,0],"
    "'blocks':[[[['=',[0],['use',['c',[2]]],0]],['ret']]],'span':0}],\n"
    "'kernels':[{'fn':0,'name':'k','path':'d::k','span':0,'protocol':1,'params':[],'launch':{}}]}\n";

static struct pmir *read_text(const char *text, struct source_map *sources, struct diag_sink *sink) {
  char *copy = strdup(text);
  for (char *p = copy; *p; p++)
    if (*p == '\'')
      *p = '"';
  source_map_init(sources);
  diag_sink_init(sink, sources);
  struct pmir *m = pmir_read(str_from(copy), STR("d.pmir.json"), sink);
  keep_messages(sink);
  free(copy);
  return m;
}

static void a_native_call_is_read(void **state) {
  (void)state;
  struct source_map sources;
  struct diag_sink sink;
  struct pmir *m = read_text(valid, &sources, &sink);
  assert_non_null(m);
  assert_int_equal(m->n_natives, 1);
  const struct pm_native *n = &m->natives[0];
  assert_true(str_eqz(n->provider, "cub") && str_eqz(n->entry, "block_reduce"));
  assert_true(n->n_types == 1 && n->types[0].ty == 0 && str_eqz(n->types[0].name, "T"));
  assert_true(n->n_consts == 2 && n->consts[0].value == 256);
  assert_true(n->consts[1].value == (u128)16 << 64);
  assert_true(n->n_args == 2 && n->args[0] == 0 && n->arg_callback[0] == PM_NONE);
  assert_true(n->args[1] == PM_NONE && n->arg_callback[1] == 0);
  assert_true(n->callbacks[0].refs == 1 && n->callbacks[0].base == 1);
  assert_int_equal(m->n_closures, 1);
  assert_true(m->closures[0].is_move && m->closures[0].n_captures == 1);
  assert_int_equal(m->fns[0].blocks[0].term.u.call.callee->kind, PM_CALL_NATIVE);
  pmir_free(m);
  diag_sink_free(&sink);
  source_map_free(&sources);
}

static void each_rule_is_told(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(native_cases); i++) {
    const char *at = strstr(valid, native_cases[i].find);
    assert_non_null(at);
    size_t before = (size_t)(at - valid), room = sizeof valid + strlen(native_cases[i].with);
    char *text = malloc(room);
    memcpy(text, valid, before);
    int n = snprintf(text + before, room - before, "%s%s", native_cases[i].with, at + strlen(native_cases[i].find));
    assert_true(n > 0);
    struct source_map sources;
    struct diag_sink sink;
    struct pmir *m = read_text(text, &sources, &sink);
    if (m || !sink.first || sink.first->code != native_cases[i].code ||
        str_find(sink.first->message, str_from(native_cases[i].message), 0) == SIZE_MAX)
      fail_msg("case %zu, `%s`: %s %.*s", i, native_cases[i].with, m ? "taken" : "other message",
               sink.first ? (int)sink.first->message.n : 0, sink.first ? sink.first->message.p : "");
    pmir_free(m);
    diag_sink_free(&sink);
    source_map_free(&sources);
    free(text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_native_call_is_read),
      cmocka_unit_test(each_rule_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
