/* Admission of dumps that no pass writes, or only with a provider that is not shipped; and the classes of device
 * operations. What the pass writes is in test/admission. */
#include "test/unit/unit.h"

#include "callbacks/admit.h"
#include "callbacks/device_op.h"

/* Longer than ISO C promises to take; both compilers do. */
#pragma GCC diagnostic ignored "-Woverlength-strings"
static const char base[] =
    "{'schema':'pmir','version':1,'requires':['native'],\n"
    "'producer':{'tool':'t','rustc':'1.95.0','flags':[]},\n"
    "'target':{'ptr_bits':64,'endian':'little'},\n"
    "'unit':{'crate':'d','edition':'2024','opt_level':'3','overflow_checks':false,"
    "'debug_assertions':false,'cfgs':[],'features':[]},\n"
    "'files':[{'path':'a.rs'}],'spans':[[0,1,1,9,2],[0,3,5,3,20],[0,4,5,4,20],[0,5,5,5,20]],\n"
    "'types':[\n"
    "{'kind':'int','bits':32,'signed':true,'name':'i32','size':4,'align':4},\n"
    "{'kind':'closure','fields':[],'name':'{c}','size':0,'align':1},\n"
    "{'kind':'ptr','to':1,'mut':false,'ref':false,'meta':'none','name':'*const {c}','size':8,'align':8},\n"
    "{'kind':'tuple','fields':[],'name':'()','size':0,'align':1},\n"
    "{'kind':'int','bits':32,'signed':false,'name':'u32','size':4,'align':4}],\n"
    "'allocs':[],'statics':[],'externs':[{'symbol':'__mirdc_barrier','abi':'c','args':[],'ret':3,'span':0},"
    "{'symbol':'__mirdc_tid_x','abi':'c','args':[],'ret':4,'span':2}],\n"
    "'natives':[{'provider':'p','entry':'e','path':'d::reduce','types':[['T',0]],'consts':[['BLOCK',4,'0x100']],"
    "'callbacks':[{'param':'F','ty':1,'base':1,'refs':0,'thunk':1}],"
    "'args':[0,['callback',0]],'ret':0,'span':0}],\n"
    "'closures':[],\n"
    "'fns':[\n"
    "{'name':'k','symbol':'k','kind':'item','abi':'rust','n_args':1,'locals':[3,4,0,1,2,3,4],'blocks':[BLOCKS],"
    "'span':0},\n"
    "{'name':'thunk','symbol':'thunk','kind':'item','abi':'c','n_args':3,'locals':[0,2,0,0],"
    "'blocks':[[[['=',[0],['use',['c',[2]]],0]],['ret']]],'span':0}],\n"
    "'kernels':[{'fn':0,'name':'k','path':'d::k','span':0,'protocol':1,"
    "'params':[{'name':'n','ty':4,'pass':'scalar','size':4,'align':4,'fields':[]}],'launch':{'block':[256,1,1]}}]}\n";

/* Blocks of the kernel: a native call to block N, a barrier, the thread's index into local 6. */
#define CALL(to) "[[['=',[4],['raw',false,[3]],1]],['call',['native',0],[['k',0,'0x1'],['c',[4]]],[2]," #to ",1]]"
#define BARRIER(to) "[[],['call',['ext',0],[],[5]," #to ",2]]"
#define INDEX(to) "[[],['call',['ext',1],[],[6]," #to ",3]]"
#define SWITCH(local, zero, other) "[[],['switch',['c',[" #local "]],[['0x0'," #zero "]]," #other "]]"
#define GOTO(to) "[[],['goto'," #to "]]"
#define RET "[[],['ret']]"
#define TRAP "[[],['trap','panic','',0]]"

static struct provider_type two[] = {{PROVIDER_PARAM, 0}, {PROVIDER_PARAM, 0}};
static struct provider_callback signature = {
    .name = {"F", 1}, .args = two, .n_args = 2, .ret = {PROVIDER_PARAM, 0}};
static struct provider_type_param type_t = {{"T", 1}, UINT32_MAX};
static struct provider_const const_block = {.name = {"BLOCK", 5}, .max = 1024, .multiple_of = 32};
static struct provider_entry entry = {.name = {"e", 1},
                                      .types = &type_t,
                                      .n_types = 1,
                                      .consts = &const_block,
                                      .n_consts = 1,
                                      .callbacks = &signature,
                                      .n_callbacks = 1};

static const struct provider_entry *find(void *ctx, const struct pm_native *n, struct span at) {
  (void)ctx;
  (void)at;
  return str_eqz(n->provider, "p") && str_eq(n->entry, entry.name) ? &entry : NULL;
}

static char *replaced(const char *text, const char *what, const char *with) {
  const char *at = strstr(text, what);
  assert_non_null(at);
  size_t room = strlen(text) + strlen(with) + 1;
  char *out = malloc(room);
  (void)snprintf(out, room, "%.*s%s%s", (int)(at - text), text, with, at + strlen(what));
  return out;
}

/* The codes that admission gives, in order, as one text. */
static void expect(const char *blocks, const char *what, const char *with, const char *codes) {
  struct test_sink t;
  test_sink_init(&t);
  char *text = replaced(base, "BLOCKS", blocks), *changed = what ? replaced(text, what, with) : strdup(text);
  for (char *p = changed; *p; p++)
    if (*p == '\'')
      *p = '"';
  struct pmir *m = pmir_read(str_from(changed), STR("d.pmir.json"), &t.sink);
  if (!m)
    fail_msg("%.*s", STR_ARG(t.sink.first->message));
  struct strbuf got = {0};
  bool ok = admit_check(m, &(struct admit_source){find, NULL}, &t.sink);
  for (const struct diag *d = t.sink.first; d; d = d->next)
    sb_addf(&got, "%s%s", got.n ? " " : "", diag_code_info(d->code)->name);
  if (strcmp(sb_z(&got), codes) != 0 || ok != (*codes == 0))
    fail_msg("got `%s`, want `%s` of %s", sb_z(&got), codes, blocks);
  sb_free(&got);
  pmir_free(m);
  free(text);
  free(changed);
  test_sink_free(&t);
}

static void kinds_of_callbacks(void **state) {
  (void)state;
  entry.scope = PROVIDER_THREAD;
  expect(CALL(1) "," RET, NULL, NULL, "");
  expect(CALL(1) "," RET, "'kind':'closure','fields':[]", "'kind':'struct','fields':[]", "MD0735");
  expect(CALL(1) "," RET, "'kind':'closure','fields':[],'name':'{c}','size':0,'align':1",
         "'kind':'fnptr','args':[0,0],'ret':0,'abi':'rust','name':'fn','size':8,'align':8", "MD0736");
}

static void calls_that_share_memory_need_a_barrier(void **state) {
  (void)state;
  entry.scope = PROVIDER_BLOCK;
  entry.caller_syncs = true;
  expect(CALL(1) "," RET, NULL, NULL, "");
  expect(CALL(1) "," CALL(2) "," RET, NULL, NULL, "MD0783");
  expect(CALL(1) "," BARRIER(2) "," CALL(3) "," RET, NULL, NULL, "");
  /* Only one of two ways has it. */
  expect(CALL(1) "," SWITCH(1, 2, 3) "," BARRIER(3) "," CALL(4) "," RET, NULL, NULL, "MD0783");
  /* A loop meets its own call. */
  expect(CALL(1) "," SWITCH(1, 2, 0) "," RET, NULL, NULL, "MD0783");
  expect(CALL(1) "," BARRIER(2) "," SWITCH(1, 3, 0) "," RET, NULL, NULL, "");
  entry.caller_syncs = false;
  expect(CALL(1) "," CALL(2) "," RET, NULL, NULL, "");
}

static void branches_that_decide(void **state) {
  (void)state;
  entry.scope = PROVIDER_BLOCK;
  entry.converged = true;
  const char *no = "MD0782";
  expect(SWITCH(1, 2, 1) "," CALL(2) "," RET, NULL, NULL, "");
  expect(INDEX(1) "," SWITCH(6, 3, 2) "," CALL(3) "," RET, NULL, NULL, no);
  /* Behind the place where the ways meet again. */
  expect(INDEX(1) "," SWITCH(6, 3, 2) "," GOTO(3) "," CALL(4) "," RET, NULL, NULL, "");
  /* The other way ends the grid, or only the thread. */
  expect(INDEX(1) "," SWITCH(6, 3, 2) "," TRAP "," CALL(4) "," RET, NULL, NULL, "");
  expect(INDEX(1) "," SWITCH(6, 3, 2) "," RET "," CALL(4) "," RET, NULL, NULL, no);
  /* All of a loop that threads leave at different times, but not what follows. */
  expect(INDEX(1) "," CALL(2) "," INDEX(3) "," SWITCH(6, 4, 1) "," RET, NULL, NULL, no);
  expect(INDEX(1) "," GOTO(2) "," INDEX(3) "," SWITCH(6, 4, 1) "," CALL(5) "," RET, NULL, NULL, "");
  /* A uniform branch within what a divergent one decides. */
  expect(INDEX(1) "," SWITCH(6, 5, 2) "," SWITCH(1, 3, 4) "," CALL(4) "," GOTO(5) "," RET, NULL, NULL, no);
  /* A loop without an end. */
  expect(INDEX(1) "," SWITCH(6, 3, 2) "," GOTO(3) "," CALL(4) "," GOTO(3), NULL, NULL, "");
  expect(INDEX(1) "," SWITCH(6, 4, 2) "," CALL(3) "," GOTO(2) "," RET, NULL, NULL, no);
  /* Both arms lead to one block: there is no branch. */
  expect(INDEX(1) "," SWITCH(6, 2, 2) "," CALL(3) "," RET, NULL, NULL, "");
  entry.converged = false;
}

static void every_device_operation_has_a_class(void **state) {
  (void)state;
  static const char *const names[] = {
#define DEVOP(name, sig, how, text, arch) "__mirdc_" #name,
#include "ir/device_ops.def"
#undef DEVOP
  };
  for (size_t i = 0; i < COUNT_OF(names); i++)
    if (device_op_class(str_from(names[i])) == OP_FOREIGN)
      fail_msg("%s has no class", names[i]);
  assert_int_equal(device_op_class(STR("__mirdc_atomic_add_f32")), OP_ATOMIC);
  assert_int_equal(device_op_class(STR("__mirdc_fast_div_f32")), OP_MATH);
  assert_int_equal(device_op_class(STR("__mirdc_dyn_shared")), OP_SHARED);
  assert_int_equal(device_op_class(STR("__mirdc_dyn_shared_size")), OP_PLACE);
  assert_int_equal(device_op_class(STR("tid_x")), OP_FOREIGN);
  assert_int_equal(device_op_class(STR("__mirdc_unknown")), OP_FOREIGN);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kinds_of_callbacks),
      cmocka_unit_test(calls_that_share_memory_need_a_barrier),
      cmocka_unit_test(branches_that_decide),
      cmocka_unit_test(every_device_operation_has_a_class),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
