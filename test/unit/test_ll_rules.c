/* What the lowering refuses, and what it promises about modules: launch facts, parameters, traps,
 * statics, constants, line tables, determinism. */
#include "test/unit/ll_fixture.h"

#include "ir/ll.h"

/* fn f(p: *mut u32) { BLOCKS } with a kernel `k` over it. */
static void one_kernel(struct dump *d, const char *locals, const char *blocks, const char *launch) {
  static const unsigned types[] = {T_PU32};
  dump_add(&d->fns,
           "{'name':'t::f','symbol':'f0','kind':'item','abi':'rust','n_args':1,'locals':[0,%d%s],"
           "'blocks':[%s],'span':0}",
           T_PU32, locals, blocks);
  dump_kernel(d, "k", (unsigned)0, types, 1, launch);
}

static const char store_and_return[] = "[[['=',[1,'*'],['use',['k',4,'0x7']],0]],['ret']]";

static void refused(struct dump *d, const struct lower_options *o, enum diag_code code,
                    const char *words) {
  struct lowered x;
  lower_dump(&x, d, o);
  assert_false(x.ok);
  if (sink_code(&x.ts) != code)
    show_diags(&x.ts.sink);
  assert_int_equal(sink_code(&x.ts), code);
  if (str_find(x.ts.sink.first->message, str_from(words), 0) == SIZE_MAX) {
    show_diags(&x.ts.sink);
    fail_msg("the message does not say `%s`", words);
  }
  assert_int_equal(x.r.nvvm.n, 0);
  lowered_free(&x);
  dump_free(d);
}

/* ---- refusals ---- */
static void a_library_of_another_build_is_refused_MD0300(void **state) {
  (void)state;
  struct dump d = {0};
  struct lower_options o = fixture_options();
  one_kernel(&d, "", store_and_return, "");
  o.struct_size = 3;
  refused(&d, &o, MD0300, "another build");
  assert_int_equal(mirdc_lower_abi(), LOWER_ABI);
}

static void too_many_parameter_bytes_are_refused_MD0301(void **state) {
  (void)state;
  struct dump d = {0};
  struct lower_options o = fixture_options();
  dump_add(&d.types,
           "{'kind':'array','elem':4,'len':8192,'name':'[u32; 8192]','size':32768,'align':4}");
  dump_add(&d.fns,
           "{'name':'t::f','symbol':'f0','kind':'item','abi':'rust','n_args':1,'locals':[0,%d],"
           "'blocks':[[[],['ret']]],'span':0}",
           T_FREE);
  dump_add(&d.kernels,
           "{'fn':0,'name':'k','path':'t::k','span':0,'protocol':0,'params':[{'name':'a','ty':%d,"
           "'pass':'aggregate','size':32768,'align':4,'fields':[]}],'launch':{}}",
           T_FREE);
  refused(&d, &o, MD0301, "32768 bytes");
}

static void call_device(struct dump *d, const char *symbol, const char *args, const char *ret,
                        const char *locals, const char *ops, const char *dest) {
  struct strbuf b = {0};
  dump_add(&d->externs, "{'symbol':'%s','abi':'c','args':[%s],'ret':%s,'span':0}", symbol, args,
           ret);
  sb_addf(&b, "[[],['call',['ext',0],[%s],%s,1,0]],[[],['ret']]", ops, dest);
  one_kernel(d, locals, sb_z(&b), "");
  sb_free(&b);
}

static void an_unknown_device_operation_is_refused_MD0302(void **state) {
  (void)state;
  struct dump d = {0}, e = {0};
  struct lower_options o = fixture_options();
  call_device(&d, "__mirdc_teleport", "", "4", "", "", "[1,'*']");
  refused(&d, &o, MD0302, "`__mirdc_teleport`");
  call_device(&e, "__mirdc_tid_x", "", "5", ",5", "", "[2]");
  refused(&e, &o, MD0302, "other types");
}

static void unsizing_to_something_else_than_a_slice_is_refused_MD0303(void **state) {
  (void)state;
  struct dump d = {0};
  struct lower_options o = fixture_options();
  dump_add(&d.types, "{'kind':'dyn','name':'dyn Area','size':0,'align':1}");
  dump_add(&d.types,
           "{'kind':'ptr','to':%d,'mut':true,'ref':false,'meta':'vtable','name':'*mut dyn "
           "Area','size':16,"
           "'align':8}",
           T_FREE);
  dump_add(&d.fns,
           "{'name':'t::f','symbol':'f0','kind':'item','abi':'rust','n_args':1,'locals':[0,%d,%d],"
           "'blocks':[[[],['call',['intr','size_of_val',[%d],[]],[['c',[1]]],[2],1,0]],[[],['ret']]"
           "],'span':0,"
           "'export':true}",
           T_FREE + 1, T_U64, T_FREE);
  refused(&d, &o, MD0303, "dyn Area");
}

static void an_ordering_that_is_not_constant_is_refused_MD0304(void **state) {
  (void)state;
  struct dump d = {0};
  struct lower_options o = fixture_options();
  call_device(&d, "__mirdc_fence", "4,4", "0", "", "['c',[1,'*']],['k',4,'0x1']", "[0]");
  refused(&d, &o, MD0304, "ordering");
}

/* Debug code is made without rustc's passes, where every constant comes out of a variable. */
static void an_ordering_of_debug_code_is_the_strongest(void **state) {
  (void)state;
  struct dump d = {0};
  struct lowered x;
  struct lower_options o = fixture_options();
  o.debug = true;
  o.opt = 0;
  call_device(&d, "__mirdc_fence", "4,4", "0", "", "['c',[1,'*']],['k',4,'0x1']", "[0]");
  lower_dump(&x, &d, &o);
  assert_true(x.ok);
  assert_true(str_find(x.r.nvvm, STR("fence.sc.gpu"), 0) != SIZE_MAX);
  lowered_free(&x);
  dump_free(&d);
}

static void a_local_beyond_local_memory_is_refused_MD0305(void **state) {
  (void)state;
  struct dump d = {0};
  struct lower_options o = fixture_options();
  char locals[32];
  dump_add(&d.types,
           "{'kind':'array','elem':4,'len':200000,'name':'[u32; 200000]','size':800000,'align':4}");
  snprintf(locals, sizeof locals, ",%d", T_FREE);
  one_kernel(&d, locals, "[[['=',[2],['rep',['k',4,'0x1'],200000],0]],['ret']]", "");
  refused(&d, &o, MD0305, "800000 bytes");
}

static void an_operation_of_newer_gpus_is_refused_MD0306(void **state) {
  (void)state;
  struct dump d = {0}, e = {0};
  struct lower_options o = fixture_options();
  call_device(&d, "__mirdc_redux_add_u32", "4,4", "4", "", "['k',4,'0x1'],['k',4,'0x1']",
              "[1,'*']");
  refused(&d, &o, MD0306, "sm_80");
  one_kernel(&e, "", store_and_return, "'cluster':[2,1,1]");
  refused(&e, &o, MD0306, "sm_90");
}

static void atomic_on(struct dump *d, unsigned ty, unsigned ptr, const char *op,
                      const char *order) {
  dump_add(&d->fns,
           "{'name':'t::f','symbol':'f0','kind':'item','abi':'rust','n_args':1,'locals':[0,%u,%u],'"
           "blocks':"
           "[[[],['call',['intr','%s',[%u],[%s]],[['c',[1]]],[2],1,0]],[[],['ret']]],'span':0,'"
           "export':true}",
           ptr, ty, op, ty, order);
}

static void an_atomic_of_128_bits_is_refused_MD0307(void **state) {
  (void)state;
  struct dump d = {0};
  struct lower_options o = fixture_options();
  atomic_on(&d, T_U128, T_PU128, "atomic_load", "0");
  refused(&d, &o, MD0307, "u128");
}

static void a_load_that_releases_is_refused_MD0308(void **state) {
  (void)state;
  struct dump d = {0}, e = {0};
  struct lower_options o = fixture_options();
  atomic_on(&d, T_U32, T_PU32, "atomic_load", "2");
  refused(&d, &o, MD0308, "ordering");
  call_device(&e, "__mirdc_fence", "4,4", "0", "", "['k',4,'0x0'],['k',4,'0x1']", "[0]");
  refused(&e, &o, MD0308, "__mirdc_fence");
}

/* The reader checks the text already, so the dump is changed behind its back. */
static void inline_ptx_that_does_not_fit_is_refused_MD0309(void **state) {
  (void)state;
  static const char *const texts[] = {"mov.u32 $5, 1;", "mov.u32 $", "mov.u32 $x, 1;",
                                      "mov.u64 $0, 1;"};
  struct lower_options o = fixture_options();
  struct dump d = {0};
  one_kernel(&d, "",
             "[[],['ptx','mov.u32 $0, "
             "1;',[['out','r',[1,'*']]],{'pure':false,'nomem':false},1,0]],[[],['ret']]",
             "");
  for (size_t i = 0; i < COUNT_OF(texts); i++) {
    struct lowered x = {.r.struct_size = sizeof x.r};
    test_sink_init(&x.ts);
    x.m = dump_read(&d, &x.ts.sink);
    assert_non_null(x.m);
    struct pm_ptx *p = x.m->fns[0].blocks[0].term.u.ptx;
    p->text = str_from(texts[i]);
    if (i == 3)
      p->args[0].constraint = 'l';
    assert_false(mirdc_lower(x.m, &o, &x.ts.sink, &x.r));
    assert_int_equal(sink_code(&x.ts), MD0309);
    lowered_free(&x);
  }
  dump_free(&d);
}

static void a_malformed_module_is_reported_MD0310(void **state) {
  (void)state;
  struct test_sink ts;
  struct ll l = {.sink = &ts.sink};
  test_sink_init(&ts);
  l.cx = LLVMContextCreate();
  l.mod = LLVMModuleCreateWithNameInContext("t", l.cx);
  ll_v f = LLVMAddFunction(l.mod, "f", LLVMFunctionType(LLVMVoidTypeInContext(l.cx), NULL, 0, 0));
  LLVMAppendBasicBlockInContext(l.cx, f, "entry"); /* without a terminator */
  assert_false(ll_verify(&l, "a test"));
  assert_int_equal(sink_code(&ts), MD0310);
  assert_true(str_find(ts.sink.first->message, STR("a test"), 0) != SIZE_MAX);
  ll_release(&l);
  test_sink_free(&ts);
}

static void a_device_operation_on_the_host_is_refused_MD0311(void **state) {
  (void)state;
  struct dump d = {0};
  struct lower_options o = fixture_options();
  o.host = true;
  call_device(&d, "__mirdc_tid_x", "", "4", "", "", "[1,'*']");
  refused(&d, &o, MD0311, "needs a GPU");
}

static void the_address_of_a_device_operation_is_refused_MD0312(void **state) {
  (void)state;
  struct dump d = {0};
  struct lower_options o = fixture_options();
  char locals[32], blocks[200];
  dump_add(&d.types,
           "{'kind':'fnptr','args':[],'ret':4,'abi':'c','name':'fn() -> u32','size':8,'align':8}");
  dump_add(&d.externs, "{'symbol':'__mirdc_tid_x','abi':'c','args':[],'ret':4,'span':0}");
  snprintf(locals, sizeof locals, ",%d", T_FREE);
  snprintf(
      blocks, sizeof blocks,
      "[[['=',[2],['use',['p',%d,'extern',0,0]],0]],['call',['ptr',['c',[2]]],[],[1,'*'],1,0]],"
      "[[],['ret']]",
      T_FREE);
  one_kernel(&d, locals, blocks, "");
  refused(&d, &o, MD0312, "__mirdc_tid_x");
}

static void a_constant_with_the_address_of_shared_memory_is_refused_MD0312(void **state) {
  (void)state;
  struct dump d = {0};
  struct lower_options o = fixture_options();
  dump_add(&d.allocs,
           "{'size':8,'align':8,'bytes':'0000000000000000','relocs':[[0,'static',0,0]]}");
  dump_add(&d.statics,
           "{'name':'t::TILE','symbol':'TILE','ty':4,'alloc':null,'mut':true,'space':'shared',"
           "'host_visible':false,'span':0}");
  dump_add(&d.statics,
           "{'name':'t::REF','symbol':'REF','ty':18,'alloc':0,'mut':false,'space':'global',"
           "'host_visible':true,'span':0}");
  one_kernel(&d, "", store_and_return, "");
  refused(&d, &o, MD0312, "t::TILE");
}

static void a_parameter_without_a_form_is_refused_MD0313(void **state) {
  (void)state;
  struct lowered x = {.r.struct_size = sizeof x.r};
  struct lower_options o = fixture_options();
  struct dump d = {0};
  one_kernel(&d, "", store_and_return, "");
  test_sink_init(&x.ts);
  x.m = dump_read(&d, &x.ts.sink);
  assert_non_null(x.m);
  x.m->kernels[0].params[0].pass = PM_PASS_SLICE; /* the reader would not let it through */
  assert_false(mirdc_lower(x.m, &o, &x.ts.sink, &x.r));
  assert_int_equal(sink_code(&x.ts), MD0313);
  lowered_free(&x);
  dump_free(&d);
}

static void a_one_field_struct_in_c_is_refused_MD0314(void **state) {
  (void)state;
  struct dump d = {0};
  struct lower_options o = fixture_options();
  char locals[32], blocks[200], args[16];
  dump_add(&d.types, "{'kind':'struct','fields':[{'name':'0','ty':4,'off':0}],'name':'Meters','"
                     "size':4,'align':4}");
  snprintf(locals, sizeof locals, ",%d", T_FREE);
  snprintf(args, sizeof args, "%d", T_FREE);
  snprintf(
      blocks, sizeof blocks,
      "[[['=',[2],['agg',%d,0,[['k',4,'0x1']]],0]],['call',['ext',0],[['m',[2]]],[1,'*'],1,0]],"
      "[[],['ret']]",
      T_FREE);
  dump_add(&d.externs, "{'symbol':'measure','abi':'c','args':[%s],'ret':4,'span':0}", args);
  one_kernel(&d, locals, blocks, "");
  refused(&d, &o, MD0314, "Meters");
}

/* ---- modules ---- */
static void launch_facts_become_annotations(void **state) {
  (void)state;
  struct dump d = {0}, e = {0};
  struct lowered x;
  struct lower_options o = fixture_options();
  one_kernel(&d, "", store_and_return, "'block':[32,4,1],'min_blocks':2");
  lower_dump(&x, &d, &o);
  assert_true(x.ok);
  assert_true(has_text(&x, "!\"reqntidx\", i32 32}"));
  assert_true(has_text(&x, "!\"reqntidy\", i32 4}"));
  assert_true(has_text(&x, "!\"minctasm\", i32 2}"));
  assert_false(has_text(&x, "maxntid"));
  assert_int_equal(x.r.kernels[0].reqntid[1], 4);
  lowered_free(&x);
  dump_free(&d);
  one_kernel(&e, "", store_and_return, "'max_block':256");
  lower_dump(&x, &e, &o);
  assert_true(x.ok);
  assert_true(has_text(&x, "!\"maxntidx\", i32 256}"));
  assert_int_equal(x.r.kernels[0].maxntid, 256);
  lowered_free(&x);
  dump_free(&e);
}

/* fn f(p: *mut u32) { *p = OP(); } as a kernel. */
static void register_kernel(struct dump *d, const char *op, const char *launch) {
  struct strbuf b = {0};
  dump_add(&d->externs, "{'symbol':'__mirdc_%s','abi':'c','args':[],'ret':%d,'span':0}", op, T_U32);
  sb_addz(&b, "[[],['call',['ext',0],[],[1,'*'],1,0]],[[],['ret']]");
  one_kernel(d, "", sb_z(&b), launch);
  sb_free(&b);
}

static void threads_and_blocks_have_the_range_of_the_launch_facts(void **state) {
  static const struct {
    const char *op, *launch, *want;
  } cases[] = {
      {"tid_x", "'block':[48,4,1]", "!{i32 0, i32 48}"},
      {"tid_y", "'block':[48,4,1]", "!{i32 0, i32 4}"},
      {"tid_z", "'block':[48,4,1]", "store i32 0,"},
      {"tid_x", "'max_block':256", "!{i32 0, i32 256}"},
      {"tid_x", "", "!{i32 0, i32 1024}"},
      {"tid_z", "'max_block':256", "!{i32 0, i32 64}"},
      {"ntid_x", "'block':[48,4,1]", "store i32 48,"},
      {"ntid_x", "'max_block':256", "!{i32 1, i32 257}"},
      {"ntid_z", "", "!{i32 1, i32 65}"},
      {"ctaid_x", "", "!{i32 0, i32 2147483647}"},
      {"ctaid_z", "", "!{i32 0, i32 65535}"},
      {"nctaid_y", "", "!{i32 1, i32 65536}"},
      {"laneid", "", "!{i32 0, i32 32}"},
  };
  (void)state;
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct dump d = {0};
    struct lowered x;
    struct lower_options o = fixture_options();
    register_kernel(&d, cases[i].op, cases[i].launch);
    lower_dump(&x, &d, &o);
    assert_true(x.ok);
    if (!has_text(&x, cases[i].want))
      fail_msg("%s with %s: no `%s`", cases[i].op, cases[i].launch, cases[i].want);
    lowered_free(&x);
    dump_free(&d);
  }
}

static void aggregate_dump(struct dump *d) {
  dump_add(&d->types,
           "{'kind':'struct','fields':[{'name':'a','ty':2,'off':0},{'name':'b','ty':5,'off':8},"
           "{'name':'c','ty':6,'off':16}],'name':'S','size':64,'align':64}");
  dump_add(
      &d->fns,
      "{'name':'t::f','symbol':'f0','kind':'item','abi':'rust','n_args':4,'locals':[0,1,27,%d,18],"
      "'blocks':[[[['=',[4,'*'],['cast','IntToInt',['c',[3,['f',1,5]]],4],0]],['ret']]],'span':0}",
      T_FREE);
  dump_add(&d->kernels,
           "{'fn':0,'name':'k','path':'t::k','span':0,'protocol':0,'params':["
           "{'name':'b','ty':1,'pass':'scalar','size':1,'align':1,'fields':[]},"
           "{'name':'s','ty':27,'pass':'slice','size':16,'align':8,'fields':[]},"
           "{'name':'a','ty':%d,'pass':'aggregate','size':64,'align':64,'fields':[]},"
           "{'name':'p','ty':18,'pass':'pointer','size':8,'align':8,'fields':[]}],'launch':{}}",
           T_FREE);
}

static void parameters_keep_size_and_alignment(void **state) {
  (void)state;
  static const uint64_t want[][2] = {{0, 1}, {8, 8}, {16, 8}, {32, 64}, {96, 8}};
  struct dump d = {0};
  struct lowered x;
  struct lower_options o = fixture_options();
  aggregate_dump(&d);
  lower_dump(&x, &d, &o);
  assert_true(x.ok);
  assert_int_equal(x.r.kernels[0].n_params, 5);
  for (size_t i = 0; i < 5; i++) {
    assert_int_equal(x.r.kernels[0].params[i].off, want[i][0]);
    assert_int_equal(x.r.kernels[0].params[i].size, want[i][1]);
  }
  assert_int_equal(x.r.kernels[0].param_bytes, 104);
  assert_true(has_text(&x, "define void @k(i8 %p0, i8* %p1, i64 %p2, "));
  assert_true(has_text(&x, "* byval align 16 %p3, i8* %p4)"));
  lowered_free(&x);
  o.arch = 100; /* the newer reader wants the type */
  lower_dump(&x, &d, &o);
  assert_true(has_text(&x, "* byval({ i8, "));
  lowered_free(&x);
  dump_free(&d);
}

static void trap_dump(struct dump *d) {
  one_kernel(
      d, ",5,1",
      "[[['=',[2],['cast','IntToInt',['c',[1,'*']],5],0],['=',[3],['bin','Lt',['c',[2]],['k',5,'"
      "0x4']],0]],"
      "['assert',['c',[3]],true,'bounds',[['k',5,'0x4'],['c',[2]]],1,1]],"
      "[[],['switch',['c',[2]],[['0x1',2],['0x2',3]],null]],"
      "[[],['trap','panic','out of luck',0]],[[['=',[1,'*'],['use',['k',4,'0x7']],0]],['ret']]",
      "");
}

static void traps_are_numbered_and_explained(void **state) {
  (void)state;
  struct dump d = {0};
  struct lowered x;
  struct lower_options o = fixture_options();
  o.trap_info = true;
  trap_dump(&d);
  lower_dump(&x, &d, &o);
  assert_true(x.ok);
  assert_int_equal(x.r.n_traps, 2);
  assert_str(x.r.traps[0].message, "index out of bounds");
  assert_int_equal(x.r.traps[0].kind, PM_TRAP_BOUNDS);
  assert_int_equal(x.r.traps[0].line, 8);
  assert_str(x.r.traps[0].file, "src/lib.rs");
  assert_str(x.r.traps[1].message, "out of luck");
  assert_int_equal(x.r.traps[1].line, 3);
  assert_int_equal(x.r.traps[1].code, x.r.traps[0].code + 1);
  assert_true(has_text(&x, "call void @mirdc_trap_report(i32 2)"));
  assert_true(
      has_text(&x, "@__mirdc_trap_buf = weak addrspace(1) externally_initialized global i64 0"));
  lowered_free(&x);
  o.trap_info = false;
  lower_dump(&x, &d, &o);
  assert_true(x.ok);
  assert_false(has_text(&x, "trap_report"));
  assert_false(has_text(&x, "__mirdc_trap_buf"));
  assert_true(has_text(&x, "\"trap;"));
  lowered_free(&x);
  dump_free(&d);
}

static void overflow_checks_of_the_library_follow_the_profile(void **state) {
  (void)state;
  static const char blocks[] =
      "[[['=',[2],['bin','AddWithOverflow',['c',[1,'*']],['k',4,'0x1']],0]],"
      "['assert',['c',[2,['f',1,1]]],false,'add_overflow',[],1,0]],"
      "[[['=',[1,'*'],['use',['c',[2,['f',0,4]]]],0]],['ret']]";
  struct lower_options o = fixture_options();
  for (unsigned on = 0; on < 2; on++) {
    struct dump d = {.overflow_checks = on};
    struct lowered x;
    one_kernel(&d, ",28", blocks, "");
    lower_dump(&x, &d, &o);
    assert_true(x.ok);
    assert_int_equal(has_text(&x, "\"trap;"), on);
    lowered_free(&x);
    dump_free(&d);
  }
}

static void statics_dump(struct dump *d) {
  dump_add(&d->types, "{'kind':'array','elem':4,'len':8,'name':'[u32; 8]','size':32,'align':4}");
  dump_add(&d->types,
           "{'kind':'ptr','to':%d,'mut':true,'ref':false,'meta':'none','name':'*mut [u32; "
           "8]','size':8,'align':8}",
           T_FREE);
  dump_add(&d->types,
           "{'kind':'tuple','fields':[{'name':'0','ty':2,'off':0},{'name':'1','ty':18,'off':8},"
           "{'name':'2','ty':18,'off':16}],'name':'(u8, *mut u32, *mut u32)','size':24,'align':8}");
  dump_add(&d->types,
           "{'kind':'ptr','to':%d,'mut':true,'ref':false,'meta':'none','name':'*mut (u8, "
           "…)','size':8,'align':8}",
           T_FREE + 2);
  dump_add(&d->allocs, "{'size':32,'align':4,'bytes':'%s'}",
           "0100000002000000030000000400000005000000060000000700000008000000");
  dump_add(&d->allocs,
           "{'size':24,'align':8,'bytes':'%s','relocs':[[8,'static',0,4],[16,'alloc',2,0]]}",
           "050000000000000000000000000000000000000000000000");
  dump_add(&d->allocs, "{'size':4,'align':4,'bytes':'2a000000'}");
  dump_add(&d->statics,
           "{'name':'t::LUT','symbol':'LUT','ty':%d,'alloc':0,'mut':false,'space':'const',"
           "'host_visible':true,'span':0}",
           T_FREE);
  dump_add(&d->statics,
           "{'name':'t::TILE','symbol':'TILE','ty':%d,'alloc':null,'mut':true,'space':'shared',"
           "'host_visible':false,'span':0}",
           T_FREE);
  dump_add(&d->statics,
           "{'name':'t::REFS','symbol':'REFS','ty':%d,'alloc':1,'mut':false,'space':'global',"
           "'host_visible':false,'span':0}",
           T_FREE + 2);
  char locals[64], blocks[700];
  snprintf(locals, sizeof locals, ",%d,%d,%d,4,5", T_FREE + 1, T_FREE + 1, T_FREE + 3);
  snprintf(
      blocks, sizeof blocks,
      "[[['=',[2],['use',['p',%d,'static',0,0]],0],['=',[3],['use',['p',%d,'static',1,0]],0],"
      "['=',[4],['use',['p',%d,'static',2,0]],0],['=',[6],['cast','IntToInt',['c',[1,'*']],5],0],"
      "['=',[3,'*',['i',6]],['use',['c',[2,'*',['i',6]]]],0],['=',[5],['use',['c',[4,'*',['f',2,18]"
      ",'*']]],0],"
      "['=',[1,'*'],['bin','Add',['c',[3,'*',['i',6]]],['c',[5]]],0]],['ret']]",
      T_FREE + 1, T_FREE + 1, T_FREE + 3);
  one_kernel(d, locals, blocks, "");
}

static void statics_live_in_their_spaces_and_link(void **state) {
  (void)state;
  struct dump d = {0};
  struct lowered x;
  struct lower_options o = fixture_options();
  o.opt = 0; /* what is known of REFS leaves nothing of it */
  struct cuda_options co = {0};
  struct cuda_session *cs = cuda_session_new(&co);
  statics_dump(&d);
  lower_dump(&x, &d, &o);
  assert_true(x.ok);
  assert_true(has_text(&x, "@LUT = addrspace(4) externally_initialized global [32 x i8]"));
  assert_true(has_text(&x, "@TILE = internal addrspace(3) global [32 x i8] undef, align 4"));
  assert_true(has_text(&x, "@REFS = internal addrspace(1) constant <{ [8 x i8], i8*, i8* }>"));
  assert_int_equal(x.r.n_globals, 1);
  assert_str(x.r.globals[0].symbol, "LUT");
  assert_int_equal(x.r.globals[0].size, 32);
  struct bytes b = fixture_ltoir(&x, cs, 75);
  struct link_policy p = {.arch = {75, 0}, .fmad = true, .opt = 3};
  struct link_kernel k = {.name = STR("k")};
  struct link_expect e = {.kernels = &k, .n_kernels = 1, .only_these = true};
  struct link_input in = {.kind = LINK_LTOIR,
                          .name = STR("t"),
                          .bytes = {(char *)b.p, b.n},
                          .own = true,
                          .arch = {75, 0}};
  struct link_report report;
  struct bytes cubin = {0};
  assert_true(finalizer_link(&x.ts.sink, cs, &in, 1, &p, &e, &cubin, &report));
  link_report_free(&report);
  bytes_free(&cubin);
  bytes_free(&b);
  lowered_free(&x);
  cuda_session_free(cs);
  dump_free(&d);
}

static void line_tables_mark_places_but_not_debug_code(void **state) {
  (void)state;
  static const unsigned archs[] = {75, 90, 100};
  struct cuda_options co = {0};
  struct cuda_session *cs = cuda_session_new(&co);
  for (size_t i = 0; i < COUNT_OF(archs); i++) {
    struct dump d = {0};
    struct lowered x;
    struct lower_options o = fixture_options();
    o.arch = archs[i];
    o.line_info = o.trap_info = true;
    trap_dump(&d);
    lower_dump(&x, &d, &o);
    if (!x.ok)
      show_diags(&x.ts.sink);
    assert_true(x.ok);
    assert_true(has_text(&x, "emissionKind: DebugDirectivesOnly"));
    assert_true(has_text(&x, "!DILocation(line: 8, column: 1, scope: "));
    assert_true(has_text(&x, "/mirdc/t/src/lib.rs"));
    assert_false(has_text(&x, "spFlags"));
    struct bytes b = fixture_ltoir(&x, cs, archs[i]);
    bytes_free(&b);
    lowered_free(&x);
    dump_free(&d);
  }
  cuda_session_free(cs);
}

static void two_runs_give_the_same_text(void **state) {
  (void)state;
  struct dump d = {0};
  struct lowered x, y;
  struct lower_options o = fixture_options();
  o.trap_info = o.line_info = true;
  statics_dump(&d);
  lower_dump(&x, &d, &o);
  lower_dump(&y, &d, &o);
  assert_true(x.ok && y.ok);
  assert_true(str_eq(x.r.nvvm, y.r.nvvm));
  lowered_free(&x);
  lowered_free(&y);
  dump_free(&d);
}

static void a_subset_has_only_its_kernels_and_the_same_codes(void **state) {
  (void)state;
  static const unsigned types[] = {T_PU32};
  static const uint32_t second[] = {1};
  struct dump d = {0};
  struct lowered x;
  struct lower_options o = fixture_options();
  o.trap_info = true;
  o.kernels = second;
  o.n_kernels = 1;
  trap_dump(&d);
  dump_add(&d.fns,
           "{'name':'t::g','symbol':'g','kind':'item','abi':'rust','n_args':1,'locals':[0,18],"
           "'blocks':[[[],['trap','panic','second',0]]],'span':0}");
  dump_kernel(&d, "k2", 1, types, 1, "");
  lower_dump(&x, &d, &o);
  assert_true(x.ok);
  assert_false(has_text(&x, "@k("));
  assert_true(has_text(&x, "@k2("));
  assert_int_equal(x.r.n_traps, 1);
  assert_int_equal(x.r.traps[0].code, 3); /* as in a run over the whole dump */
  lowered_free(&x);
  dump_free(&d);
}

static void dynamic_shared_memory_has_the_widest_alignment(void **state) {
  (void)state;
  struct dump d = {0};
  struct lowered x;
  struct lower_options o = fixture_options();
  dump_add(&d.externs, "{'symbol':'__mirdc_dyn_shared','abi':'c','args':[],'ret':8,'span':0}");
  one_kernel(&d, ",8",
             "[[],['call',['ext',0],[],[2],1,0]],[[['=',[2,'*'],['use',['k',2,'0x1']],0]],['ret']]",
             "'dynamic_shared':{'bytes':4096,'align':128}");
  lower_dump(&x, &d, &o);
  assert_true(x.ok);
  assert_true(
      has_text(&x, "@__mirdc_dyn_shared = external addrspace(3) global [0 x i8], align 128"));
  assert_true(x.r.kernels[0].uses_dyn_shared);
  lowered_free(&x);
  dump_free(&d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_library_of_another_build_is_refused_MD0300),
      cmocka_unit_test(too_many_parameter_bytes_are_refused_MD0301),
      cmocka_unit_test(an_unknown_device_operation_is_refused_MD0302),
      cmocka_unit_test(unsizing_to_something_else_than_a_slice_is_refused_MD0303),
      cmocka_unit_test(an_ordering_that_is_not_constant_is_refused_MD0304),
      cmocka_unit_test(an_ordering_of_debug_code_is_the_strongest),
      cmocka_unit_test(a_local_beyond_local_memory_is_refused_MD0305),
      cmocka_unit_test(an_operation_of_newer_gpus_is_refused_MD0306),
      cmocka_unit_test(an_atomic_of_128_bits_is_refused_MD0307),
      cmocka_unit_test(a_load_that_releases_is_refused_MD0308),
      cmocka_unit_test(inline_ptx_that_does_not_fit_is_refused_MD0309),
      cmocka_unit_test(a_malformed_module_is_reported_MD0310),
      cmocka_unit_test(a_device_operation_on_the_host_is_refused_MD0311),
      cmocka_unit_test(the_address_of_a_device_operation_is_refused_MD0312),
      cmocka_unit_test(a_constant_with_the_address_of_shared_memory_is_refused_MD0312),
      cmocka_unit_test(a_parameter_without_a_form_is_refused_MD0313),
      cmocka_unit_test(a_one_field_struct_in_c_is_refused_MD0314),
      cmocka_unit_test(launch_facts_become_annotations),
      cmocka_unit_test(threads_and_blocks_have_the_range_of_the_launch_facts),
      cmocka_unit_test(parameters_keep_size_and_alignment),
      cmocka_unit_test(traps_are_numbered_and_explained),
      cmocka_unit_test(overflow_checks_of_the_library_follow_the_profile),
      cmocka_unit_test(statics_live_in_their_spaces_and_link),
      cmocka_unit_test(line_tables_mark_places_but_not_debug_code),
      cmocka_unit_test(two_runs_give_the_same_text),
      cmocka_unit_test(a_subset_has_only_its_kernels_and_the_same_codes),
      cmocka_unit_test(dynamic_shared_memory_has_the_widest_alignment),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
