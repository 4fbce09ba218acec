/* A valid dump that uses every form once. Single quotes stand for double ones. */
#ifndef MIRDC_TEST_PMIR_VALID_H
#define MIRDC_TEST_PMIR_VALID_H

/* Longer than ISO C promises to take; both compilers do. */
#pragma GCC diagnostic ignored "-Woverlength-strings"
static const char pmir_valid[] =
    "{'schema':'pmir','version':1,'requires':[],\n"
    "'producer':{'tool':'mirdc-rustc 0.1.0','rustc':'1.95.0','flags':['-Copt-level=3']},\n"
    "'target':{'ptr_bits':64,'endian':'little'},\n"
    "'unit':{'crate':'demo','edition':'2024','package':'demo','opt_level':'3','overflow_checks':false,"
    "'debug_assertions':false,'cfgs':['unix'],'features':[]},\n"
    "'files':[{'path':'src/lib.rs','sha256':"
    "'0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'}],\n"
    "'spans':[[0,1,1,9,2],[0,3,5,3,20],[0,4,1,4,9,1,'core::ops::mul']],\n"
    "'types':[\n"
    "{'kind':'float','bits':32,'name':'f32','size':4,'align':4,'src':'builtin'},\n"        /* 0 */
    "{'kind':'slice','elem':0,'name':'[f32]','size':0,'align':4},\n"                       /* 1 */
    "{'kind':'ptr','to':1,'mut':true,'ref':true,'meta':'len','name':'&mut [f32]','size':16,"
    "'align':8},\n"                                                                        /* 2 */
    "{'kind':'int','bits':64,'signed':false,'name':'usize','size':8,'align':8},\n"         /* 3 */
    "{'kind':'bool','name':'bool','size':1,'align':1},\n"                                  /* 4 */
    "{'kind':'tuple','fields':[],'name':'()','size':0,'align':1},\n"                       /* 5 */
    "{'kind':'int','bits':32,'signed':false,'name':'u32','size':4,'align':4},\n"           /* 6 */
    "{'kind':'tuple','fields':[{'name':'0','ty':6,'off':0},{'name':'1','ty':4,'off':4}],"
    "'name':'(u32, bool)','size':8,'align':4},\n"                                          /* 7 */
    "{'kind':'enum','name':'Option<u32>','size':8,'align':4,'discr_ty':9,'variants':["
    "{'name':'None','discr':'0x0','fields':[],'set':[[0,32,'0x0']]},"
    "{'name':'Some','discr':'0x1','fields':[{'name':'0','ty':6,'off':4}],'set':[[0,32,'0x1']]}],"
    "'get':{'at':0,'bits':32,'cases':[['0x0','0x0',{'variant':0}],['0x1','0x1',{'variant':1}]],"
    "'else':{'invalid':true}}},\n"                                                         /* 8 */
    "{'kind':'int','bits':64,'signed':true,'name':'isize','size':8,'align':8},\n"          /* 9 */
    "{'kind':'array','elem':6,'len':4,'name':'[u32; 4]','size':16,'align':4},\n"           /* 10 */
    "{'kind':'ptr','to':6,'mut':true,'ref':false,'meta':'none','name':'*mut u32','size':8,"
    "'align':8},\n"                                                                        /* 11 */
    "{'kind':'struct','fields':[{'name':'x','ty':0,'off':0},{'name':'y','ty':6,'off':4}],"
    "'name':'P','size':8,'align':4},\n"                                                    /* 12 */
    "{'kind':'fnptr','args':[6],'ret':6,'abi':'rust','name':'fn(u32) -> u32','size':8,"
    "'align':8},\n"                                                                        /* 13 */
    "{'kind':'ptr','to':10,'mut':false,'ref':true,'meta':'none','name':'&[u32; 4]','size':8,"
    "'align':8},\n"                                                                        /* 14 */
    "{'kind':'slice','elem':6,'name':'[u32]','size':0,'align':4},\n"                       /* 15 */
    "{'kind':'ptr','to':15,'mut':false,'ref':true,'meta':'len','name':'&[u32]','size':16,"
    "'align':8},\n"                                                                        /* 16 */
    "{'kind':'union','fields':[{'name':'a','ty':6,'off':0},{'name':'b','ty':0,'off':0}],"
    "'name':'U','size':4,'align':4},\n"                                                    /* 17 */
    "{'kind':'never','name':'!','size':0,'align':1},\n"                                    /* 18 */
    "{'kind':'char','name':'char','size':4,'align':4},\n"                                  /* 19 */
    "{'kind':'enum','name':'Ordering','size':1,'align':1,'discr_ty':21,'variants':["
    "{'name':'Less','discr':'0xff','fields':[],'set':[[0,8,'0xff']]},"
    "{'name':'Equal','discr':'0x0','fields':[],'set':[[0,8,'0x0']]},"
    "{'name':'Greater','discr':'0x1','fields':[],'set':[[0,8,'0x1']]}],"
    "'get':{'at':0,'bits':8,'cases':[['0xff','0xff',{'variant':0}],['0x0','0x0',{'variant':1}],"
    "['0x1','0x1',{'variant':2}]],'else':{'invalid':true}}},\n"                            /* 20 */
    "{'kind':'int','bits':8,'signed':true,'name':'i8','size':1,'align':1},\n"              /* 21 */
    "{'kind':'array','elem':6,'len':2,'name':'[u32; 2]','size':8,'align':4},\n"            /* 22 */
    "{'kind':'enum','name':'Option<&u32>','size':8,'align':8,'discr_ty':9,'variants':["
    "{'name':'None','discr':'0x0','fields':[],'set':[[0,64,'0x0']]},"
    "{'name':'Some','discr':'0x1','fields':[{'name':'0','ty':24,'off':0}],'set':[]}],"
    "'get':{'at':0,'bits':64,'cases':[['0x0','0x0',{'variant':0}]],'else':{'variant':1}}},\n" /* 23 */
    "{'kind':'ptr','to':6,'mut':false,'ref':true,'meta':'none','name':'&u32','size':8,"
    "'align':8},\n"                                                                        /* 24 */
    "{'kind':'struct','fields':[{'name':'next','ty':26,'off':0}],'name':'Node','size':8,"
    "'align':8},\n"                                                                        /* 25 */
    "{'kind':'ptr','to':25,'mut':true,'ref':false,'meta':'none','name':'*mut Node','size':8,"
    "'align':8},\n"                                                                        /* 26 */
    "{'kind':'ptr','to':12,'mut':true,'ref':false,'meta':'none','name':'*mut P','size':8,"
    "'align':8},\n"                                                                        /* 27 */
    "{'kind':'struct','fields':[{'name':'p','ty':11,'off':0},{'name':'n','ty':3,'off':8}],"
    "'name':'Buffer<u32>','size':16,'align':8}\n"                                                                        /* 28 */
    "],\n"
    "'allocs':[{'size':16,'align':8,'bytes':'000000000000000001000000000000ff','init':[[0,12],[15,16]],"
    "'relocs':[[0,'fn',1,0]]},\n"
    "{'size':4,'align':4,'bytes':'2a000000','mut':true}],\n"
    "'statics':[{'name':'demo::TABLE','symbol':'TABLE','ty':6,'alloc':1,'mut':true,'space':'global',"
    "'host_visible':true,'span':0},\n"
    "{'name':'demo::TILE','symbol':'TILE','ty':10,'alloc':null,'mut':true,'space':'shared',"
    "'host_visible':false,'span':null}],\n"
    "'externs':[{'symbol':'ext_add','abi':'c','args':[6,6],'ret':6,'span':null}],\n"
    "'fns':[\n"
    "{'name':'demo::scale','symbol':'scale','kind':'item','abi':'rust','n_args':3,"
    "'locals':[5,[0,'a',1],[2,'y',1],[3,'i',1],3,4],'vars':[['a',[1],1]],'blocks':[\n"
    "[[['=',[4],['un','PtrMetadata',['c',[2]]],1],['=',[5],['bin','Lt',['c',[3]],['c',[4]]],2]],"
    "['assert',['m',[5]],true,'bounds',[['m',[4]],['c',[3]]],1,2]],\n"
    "[[['=',[2,'*',['i',3]],['bin','Mul',['c',[2,'*',['i',3]]],['c',[1]]],2]],['ret']]],'span':0},\n"
    "{'name':'demo::inc','symbol':'inc','kind':'item','abi':'rust','inline':'always','n_args':1,"
    "'locals':[6,6,7],'blocks':[\n"
    "[[['=',[2],['bin','AddWithOverflow',['c',[1]],['k',6,'0x1']],1]],"
    "['assert',['c',[2,['f',1,4]]],false,'add_overflow',[['c',[1]]],1,1]],\n"
    "[[['=',[0],['use',['m',[2,['f',0,6]]]],1]],['ret']]],'span':0},\n"
    "{'name':'demo::misc','symbol':'misc','kind':'closure','abi':'c','inline':'never','n_args':2,"
    "'locals':[6,6,4,8,10,11,12,13,16,17,9,14,6,20,23,24,0,3,19,22,8,18],'blocks':[\n"
    "[[['live',3],['=',[3],['agg',8,1,[['c',[1]]]],1],['setv',[20],0,1],"
    "['=',[10],['discr',[3]],1],['=',[4],['rep',['c',[1]],4],1],['=',[5],['raw',true,[1]],1],"
    "['=',[6],['agg',12,0,[['k',0,'0x3f800000'],['m',[1]]]],1],"
    "['=',[7],['use',['p',13,'fn',1,0]],1],['=',[11],['ref',false,[4]],1],"
    "['=',[8],['cast','Unsize',['c',[11]],16],1],['=',[9],['agg',17,1,[['k',0,'0x0']]],1],"
    "['=',[13],['bin','Cmp',['c',[1]],['k',6,'7']],1],['=',[15],['ref',false,[1]],1],"
    "['=',[14],['agg',23,1,[['c',[15]]]],1],['=',[16],['cast','IntToFloat',['c',[1]],0],1],"
    "['=',[17],['use',['k',3,18446744073709551615]],1],['=',[18],['use',['k',19,'0x41']],1],"
    "['=',[19],['use',['c',[4,['s',1,1,true]]]],1],['=',[1],['use',['c',[4,['c',1,4,true]]]],1],"
    "['=',[1],['use',['c',[3,['v',1],['f',0,6]]]],1],['=',[1],['use',['a',6,1,0]],1],"
    "['=',[5],['bin','Offset',['c',[5]],['c',[10]]],1],['=',[2],['un','Not',['c',[2]]],1],"
    "['=',[8],['rawfat',16,['c',[5]],['c',[17]]],1],['=',[8],['use',['w',16,'alloc',1,0,'0x1']],1],"
    "['=',[5],['use',['p',11,'static',0,0]],1],['=',[1],['bin','Shl',['c',[1]],['k',21,'0x3']],1],"
    "['assume',['c',[2]],1],['copy',['c',[5]],['c',[5]],['k',3,'0x1'],1],['dead',3]],"
    "['switch',['c',[1]],[['0x0',1],['0x1',2]],3]],\n"
    "[[],['call',['fn',1],[['c',[1]]],[0],4,1]],\n"
    "[[],['call',['ext',0],[['c',[1]],['u',6]],[0],4,1]],\n"
    "[[],['call',['intr','rotate_left',[6],[]],[['c',[1]],['k',6,'0x1']],[0],5,1]],\n"
    "[[],['call',['ptr',['c',[7]]],[['c',[1]]],[0],6,1]],\n"
    "[[],['drop',[6],3,6,1]],\n"
    "[[],['ptx','add.u32 $0, $1, $1; // $$',[['out','r',[0]],['in','r',['c',[1]]]],"
    "{'pure':true,'nomem':true},7,1]],\n"
    "[[],['switch',['c',[2]],[['0x0',8]],9]],\n"
    "[[],['goto',9]],\n"
    "[[],['switch',['c',[18]],[['0x41',10],['0x42',11]],12]],\n"
    "[[],['trap','panic','no luck',1]],[[],['unreach']],[[],['ret']]],'span':null},\n"
    "{'name':'drop_in_place::<P>','symbol':'drop_P','kind':'glue','abi':'rust','n_args':1,"
    "'locals':[5,27],'blocks':[[[],['ret']]],'span':null},\n"
    "{'name':'demo::stop','symbol':'stop','kind':'shim','abi':'rust','noreturn':true,'n_args':0,"
    "'locals':[18],'blocks':[[[],['call',['intr','abort',[],[]],[],[0],null,null]]],'span':null},\n"
    "{'name':'demo::fill','symbol':'fill','kind':'item','abi':'rust','export':true,'n_args':1,"
    "'locals':[5,28],'blocks':[[[],['ret']]],'span':0}\n"
    "],\n"
    "'kernels':[{'fn':0,'name':'scale','path':'demo::scale','span':0,'protocol':1,'params':["
    "{'name':'a','ty':0,'pass':'scalar','size':4,'align':4,'fields':[]},"
    "{'name':'y','ty':2,'pass':'slice','size':16,'align':8,'fields':[]},"
    "{'name':'i','ty':3,'pass':'scalar','size':8,'align':8,'fields':[]}],"
    "'launch':{'block':[256,1,1],'min_blocks':2,'dynamic_shared':{'bytes':1024,'align':16}}},\n"
    "{'fn':5,'name':'fill','path':'demo::fill','span':0,'protocol':1,'params':["
    "{'name':'b','ty':28,'pass':'slice','size':16,'align':8,'fields':[]}],'launch':{}}]}\n";

#endif
