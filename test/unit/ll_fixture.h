/* For tests of the lowering: dumps made of pieces, lowered, compiled by libNVVM and linked. Single
 * quotes stand for double ones. */
#ifndef MIRDC_TEST_LL_FIXTURE_H
#define MIRDC_TEST_LL_FIXTURE_H

#include "test/unit/unit.h"

#include "ir/lower.h"
#include "linkers/finalizer.h"
#include "linkers/nvvm.h"

/* Types of every dump here, by number. */
enum {
  T_UNIT,
  T_BOOL,
  T_U8,
  T_U16,
  T_U32,
  T_U64,
  T_F32,
  T_F64,
  T_PU8,
  T_NEVER,
  T_I32,
  T_I64,
  T_U128,
  T_I128,
  T_F16,
  T_CHAR,
  T_PBOOL,
  T_PU16,
  T_PU32,
  T_PU64,
  T_PF32,
  T_PF64,
  T_PPU8,
  T_PU128,
  T_PF16,
  T_ISIZE,
  T_SLICE_U32,
  T_REF_SLICE_U32,
  T_OVER32,
  T_OPTION_U32,
  T_I8,
  T_PI32,
  T_PI64,
  T_I16,
  T_FREE
};

static const char fixture_types[] =
    "{'kind':'tuple','fields':[],'name':'()','size':0,'align':1},"
    "{'kind':'bool','name':'bool','size':1,'align':1},"
    "{'kind':'int','bits':8,'signed':false,'name':'u8','size':1,'align':1},"
    "{'kind':'int','bits':16,'signed':false,'name':'u16','size':2,'align':2},"
    "{'kind':'int','bits':32,'signed':false,'name':'u32','size':4,'align':4},"
    "{'kind':'int','bits':64,'signed':false,'name':'u64','size':8,'align':8},"
    "{'kind':'float','bits':32,'name':'f32','size':4,'align':4},"
    "{'kind':'float','bits':64,'name':'f64','size':8,'align':8},"
    "{'kind':'ptr','to':2,'mut':true,'ref':false,'meta':'none','name':'*mut "
    "u8','size':8,'align':8},"
    "{'kind':'never','name':'!','size':0,'align':1},"
    "{'kind':'int','bits':32,'signed':true,'name':'i32','size':4,'align':4},"
    "{'kind':'int','bits':64,'signed':true,'name':'i64','size':8,'align':8},"
    "{'kind':'int','bits':128,'signed':false,'name':'u128','size':16,'align':16},"
    "{'kind':'int','bits':128,'signed':true,'name':'i128','size':16,'align':16},"
    "{'kind':'float','bits':16,'name':'f16','size':2,'align':2},"
    "{'kind':'char','name':'char','size':4,'align':4},"
    "{'kind':'ptr','to':1,'mut':true,'ref':false,'meta':'none','name':'*mut "
    "bool','size':8,'align':8},"
    "{'kind':'ptr','to':3,'mut':true,'ref':false,'meta':'none','name':'*mut "
    "u16','size':8,'align':8},"
    "{'kind':'ptr','to':4,'mut':true,'ref':false,'meta':'none','name':'*mut "
    "u32','size':8,'align':8},"
    "{'kind':'ptr','to':5,'mut':true,'ref':false,'meta':'none','name':'*mut "
    "u64','size':8,'align':8},"
    "{'kind':'ptr','to':6,'mut':true,'ref':false,'meta':'none','name':'*mut "
    "f32','size':8,'align':8},"
    "{'kind':'ptr','to':7,'mut':true,'ref':false,'meta':'none','name':'*mut "
    "f64','size':8,'align':8},"
    "{'kind':'ptr','to':8,'mut':true,'ref':false,'meta':'none','name':'*mut *mut "
    "u8','size':8,'align':8},"
    "{'kind':'ptr','to':12,'mut':true,'ref':false,'meta':'none','name':'*mut "
    "u128','size':8,'align':8},"
    "{'kind':'ptr','to':14,'mut':true,'ref':false,'meta':'none','name':'*mut "
    "f16','size':8,'align':8},"
    "{'kind':'int','bits':64,'signed':true,'name':'isize','size':8,'align':8},"
    "{'kind':'slice','elem':4,'name':'[u32]','size':0,'align':4},"
    "{'kind':'ptr','to':26,'mut':false,'ref':true,'meta':'len','name':'&[u32]','size':16,'align':8}"
    ","
    "{'kind':'tuple','fields':[{'name':'0','ty':4,'off':0},{'name':'1','ty':1,'off':4}],'name':'("
    "u32, bool)',"
    "'size':8,'align':4},"
    "{'kind':'enum','name':'Option<u32>','size':8,'align':4,'discr_ty':25,'variants':["
    "{'name':'None','discr':'0x0','fields':[],'set':[[0,32,'0x0']]},"
    "{'name':'Some','discr':'0x1','fields':[{'name':'0','ty':4,'off':4}],'set':[[0,32,'0x1']]}],"
    "'get':{'at':0,'bits':32,'cases':[['0x0','0x0',{'variant':0}],['0x1','0x1',{'variant':1}]],"
    "'else':{'invalid':true}}},"
    "{'kind':'int','bits':8,'signed':true,'name':'i8','size':1,'align':1},"
    "{'kind':'ptr','to':10,'mut':true,'ref':false,'meta':'none','name':'*mut "
    "i32','size':8,'align':8},"
    "{'kind':'ptr','to':11,'mut':true,'ref':false,'meta':'none','name':'*mut "
    "i64','size':8,'align':8},"
    "{'kind':'int','bits':16,'signed':true,'name':'i16','size':2,'align':2}";

struct dump {
  struct strbuf types, allocs, statics, externs, fns, kernels; /* without brackets */
  bool overflow_checks;
};

/* Adds an element to one of the lists. */
static inline void dump_add(struct strbuf *list, const char *fmt, ...) PRINTF_LIKE(2, 3);
static inline void dump_add(struct strbuf *list, const char *fmt, ...) {
  va_list ap;
  if (list->n)
    sb_addz(list, ",\n");
  va_start(ap, fmt);
  sb_vaddf(list, fmt, ap);
  va_end(ap);
}

static inline void dump_free(struct dump *d) {
  sb_free(&d->types);
  sb_free(&d->allocs);
  sb_free(&d->statics);
  sb_free(&d->externs);
  sb_free(&d->fns);
  sb_free(&d->kernels);
}

static inline struct pmir *dump_read(const struct dump *d, struct diag_sink *sink) {
  struct strbuf t = {0};
  sb_addf(&t,
          "{'schema':'pmir','version':1,'requires':[],"
          "'producer':{'tool':'t','rustc':'1.95.0','flags':[]},'target':{'ptr_bits':64,'endian':'"
          "little'},"
          "'unit':{'crate':'t','edition':'2024','opt_level':'3','overflow_checks':%s,"
          "'debug_assertions':false,'cfgs':[],'features':[]},'files':[{'path':'src/lib.rs'}],"
          "'spans':[[0,3,5,3,9],[0,8,1,8,4,0,'t::inner']],'types':[%s%s%s],'allocs':[%s],'statics':"
          "[%s],"
          "'externs':[%s],'fns':[%s],'kernels':[%s]}",
          d->overflow_checks ? "true" : "false", fixture_types, d->types.n ? "," : "",
          sb_z(&d->types), sb_z(&d->allocs), sb_z(&d->statics), sb_z(&d->externs), sb_z(&d->fns),
          sb_z(&d->kernels));
  for (size_t i = 0; i < t.n; i++)
    if (t.p[i] == '\'')
      t.p[i] = '"';
  struct pmir *m = pmir_read(sb_str(&t), STR("t.pmir.json"), sink);
  sb_free(&t);
  return m;
}

/* A kernel `k` over the function `fn` with plain scalar and pointer parameters. */
static inline void dump_kernel(struct dump *d, const char *name, unsigned fn, const unsigned *types,
                               unsigned n, const char *launch) {
  struct strbuf p = {0};
  for (unsigned i = 0; i < n; i++) {
    static const uint8_t sizes[] = {0, 1, 1, 2, 4, 8, 4, 8};
    unsigned size = types[i] < COUNT_OF(sizes) ? sizes[types[i]] : 8;
    sb_addf(&p, "%s{'name':'p%u','ty':%u,'pass':'%s','size':%u,'align':%u,'fields':[]}",
            i ? "," : "", i, types[i], types[i] < T_PU8 ? "scalar" : "pointer", size, size);
  }
  dump_add(&d->kernels,
           "{'fn':%u,'name':'%s','path':'t::%s','span':0,'protocol':0,'params':[%s],'launch':{%s}}",
           fn, name, name, sb_z(&p), launch);
  sb_free(&p);
}

struct lowered {
  struct test_sink ts;
  struct pmir *m;
  struct lower_result r;
  bool ok;
};

static inline struct lower_options fixture_options(void) {
  return (struct lower_options){
      .struct_size = sizeof(struct lower_options), .arch = 75, .opt = 3, .module_name = STR("t")};
}

static inline void show_diags(struct diag_sink *sink) {
  for (struct diag *d = sink->first; d; d = d->next) {
    struct strbuf b = {0};
    diag_render_human(sink, d, false, &b);
    print_message("%s\n", sb_z(&b));
    sb_free(&b);
  }
}

/* Reads and lowers; must be valid up to the lowering. */
static inline void lower_dump(struct lowered *x, const struct dump *d,
                              const struct lower_options *o) {
  *x = (struct lowered){.r.struct_size = sizeof(struct lower_result)};
  test_sink_init(&x->ts);
  x->m = dump_read(d, &x->ts.sink);
  if (!x->m)
    show_diags(&x->ts.sink);
  assert_non_null(x->m);
  x->ok = mirdc_lower(x->m, o, &x->ts.sink, &x->r);
}

static inline void lowered_free(struct lowered *x) {
  mirdc_lower_free(&x->r);
  if (x->m)
    pmir_free(x->m);
  test_sink_free(&x->ts);
}

static inline bool has_text(const struct lowered *x, const char *what) {
  return str_find(x->r.nvvm, str_from(what), 0) != SIZE_MAX;
}

/* To LTO-IR; fails the test with the library's words. */
static inline struct bytes fixture_ltoir(struct lowered *x, struct cuda_session *cs, unsigned cc) {
  struct nvvm_options o = {
      .arch = {(uint16_t)cc, 0}, .opt = 3, .needs_libdevice = x->r.needs_libdevice};
  struct nvvm_module mod = {"t.nvvm", x->r.nvvm};
  struct bytes out = {0};
  if (!nvvm_compile(&x->ts.sink, cs, &mod, &o, &out)) {
    show_diags(&x->ts.sink);
    fail_msg("libNVVM refuses the module for compute_%u", cc);
  }
  return out;
}

#endif
