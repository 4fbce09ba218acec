/* Each device operation and each intrinsic at each type: read, lowered, compiled by libNVVM for old
 * and new GPUs, and linked, because some of what libNVVM lets pass fails only at the link. */
#include "test/unit/ll_fixture.h"

struct op_row {
  const char *name, *sig;
  unsigned arch;
};
static const struct op_row ops[] = {
#define DEVOP(name, sig, how, text, arch) {#name, sig, arch},
#include "ir/device_ops.def"
#undef DEVOP
};

/* Arguments 1 … of each kernel: a value and a place for each letter. */
static const char letters[] = "bchilfdp";
static const unsigned letter_types[] = {T_BOOL, T_U8, T_U16, T_U32, T_U64, T_F32, T_F64, T_PU8};
static const unsigned place_types[] = {T_PBOOL, T_PU8,  T_PU16, T_PU32,
                                       T_PU64,  T_PF32, T_PF64, T_PPU8};
#define N_LETTERS 8

static unsigned letter_at(char c) {
  return (unsigned)(strchr(letters, c) - letters);
}

/* The names of the table stand for u32; signed and pointer variants have types of their own. */
static unsigned type_of(const struct op_row *op, unsigned i) {
  char c = op->sig[i];
  bool is_signed = strstr(op->name, "_i32") || strstr(op->name, "_i64");
  size_t n = strlen(op->name);
  const char *end = n > 4 ? op->name + n - 4 : "";
  if (c == 'v')
    return T_UNIT;
  if (c == '!')
    return T_NEVER;
  if (c == 'p' && strncmp(op->name, "match_all", 9) == 0)
    return T_PU32;
  if (c == 'p' && strcmp(end, "_u16") == 0)
    return T_PU16;
  if (c == 'p' && strcmp(end, "_u32") == 0)
    return T_PU32;
  if (c == 'p' && strcmp(end, "_u64") == 0)
    return T_PU64;
  if (c == 'p' && strcmp(end, "_f32") == 0)
    return T_PF32;
  if (c == 'p' && strcmp(end, "_f64") == 0)
    return T_PF64;
  if (is_signed && c == 'p')
    return strstr(op->name, "_i32") ? T_PI32 : T_PI64;
  (void)is_signed;
  return letter_types[letter_at(c)];
}

/* How many arguments at the end must be constants. */
static unsigned constants(const struct op_row *op) {
  if (strcmp(op->name, "fence") == 0)
    return 2;
  if (strncmp(op->name, "atomic_cas", 10) == 0)
    return 3;
  return strncmp(op->name, "atomic_", 7) == 0 ? 2 : 0;
}

static unsigned arg_count(const struct op_row *op) {
  return (unsigned)strlen(op->sig) - 1;
}

/* A function that makes one call with its own arguments and stores the result. */
static void add_op(struct dump *d, const struct op_row *op, unsigned index, unsigned order,
                   unsigned scope) {
  unsigned n = arg_count(op), fixed = constants(op);
  struct strbuf types = {0}, args = {0};
  for (unsigned i = 0; i < n; i++) {
    unsigned local = 1 + letter_at(op->sig[i + 1]);
    sb_addf(&types, "%s%u", i ? "," : "", type_of(op, i + 1));
    if (i > 0)
      sb_addc(&args, ',');
    if (i >= n - fixed)
      sb_addf(&args, "['k',%d,'0x%x']", T_U32,
              i == n - 1                ? scope
              : i == n - 2 || fixed < 3 ? order
                                        : order);
    else if (type_of(op, i + 1) != letter_types[local - 1])
      sb_addf(&args, "['m',[%u]]", 18 + i); /* a pointer cast before */
    else
      sb_addf(&args, "['c',[%u]]", local);
  }
  struct strbuf casts = {0}, locals = {0};
  for (unsigned i = 0; i < 6; i++) {
    unsigned ty = i < n && type_of(op, i + 1) >= T_PU8 ? type_of(op, i + 1) : T_PU8;
    sb_addf(&locals, ",%u", ty);
    if (i < n && ty != T_PU8)
      sb_addf(&casts, "%s['=',[%u],['cast','PtrToPtr',['c',[8]],%u],0]", casts.n ? "," : "", 18 + i,
              ty);
  }
  bool ends = op->sig[0] == '!', result = !ends && op->sig[0] != 'v';
  dump_add(&d->externs, "{'symbol':'__mirdc_%s','abi':'c','args':[%s],'ret':%u%s,'span':0}",
           op->name, sb_z(&types), type_of(op, 0), ends ? ",'noreturn':true" : "");
  struct strbuf dest = {0};
  if (result)
    sb_addf(&dest, "[%u,'*']", 1 + N_LETTERS + letter_at(op->sig[0]));
  else
    sb_addf(&dest, "[%u]", ends ? 24 : 17);
  dump_add(&d->fns,
           "{'name':'t::%s','symbol':'f_%s','kind':'item','abi':'rust','n_args':16,'locals':[0,1,2,"
           "3,4,5,6,7,8,16,8,"
           "17,18,19,20,21,22,0%s,9],'blocks':[[[%s],['call',['ext',%u],[%s],%s,%s,0]],[[],['ret']]"
           "],'span':0}",
           op->name, op->name, sb_z(&locals), sb_z(&casts), index, sb_z(&args), sb_z(&dest),
           ends ? "null" : "1");
  sb_free(&types);
  sb_free(&args);
  sb_free(&casts);
  sb_free(&locals);
  sb_free(&dest);
}

static void kernel_of(struct dump *d, const char *name, unsigned fn) {
  unsigned types[2 * N_LETTERS];
  char kernel[64];
  for (unsigned i = 0; i < N_LETTERS; i++) {
    types[i] = letter_types[i];
    types[N_LETTERS + i] = place_types[i];
  }
  snprintf(kernel, sizeof kernel, "k_%s", name);
  dump_kernel(d, kernel, fn, types, 2 * N_LETTERS, "");
}

static void ops_dump(struct dump *d, unsigned arch, unsigned order, unsigned scope,
                     const char *only) {
  unsigned n = 0;
  for (size_t i = 0; i < COUNT_OF(ops); i++) {
    if (ops[i].arch > arch || !strstr(ops[i].name, only))
      continue;
    bool load = strncmp(ops[i].name, "atomic_load", 11) == 0;
    bool store = strncmp(ops[i].name, "atomic_store", 12) == 0;
    unsigned o = load && order >= 2 && order <= 3      ? 1
                 : store && (order == 1 || order == 3) ? 2
                                                       : order;
    if (strcmp(ops[i].name, "fence") == 0 && o == 0)
      o = 1;
    if (strncmp(ops[i].name, "atomic_cas", 10) == 0 && (o == 2 || o == 3))
      o = 1;
    add_op(d, &ops[i], n, o, scope);
    kernel_of(d, ops[i].name, n++);
  }
}

static void link_all(struct lowered *x, struct cuda_session *cs, const struct bytes *ltoir,
                     unsigned from, unsigned to) {
  struct link_policy p = {.arch = {(uint16_t)to, 0}, .fmad = true, .opt = 3};
  struct link_kernel *ks = calloc(x->r.n_kernels, sizeof *ks);
  for (uint32_t i = 0; i < x->r.n_kernels; i++)
    ks[i].name = x->r.kernels[i].name;
  struct link_expect e = {.kernels = ks, .n_kernels = x->r.n_kernels, .only_these = true};
  struct link_input in = {
      .kind = LINK_LTOIR, .name = STR("t.ltoir"), .own = true, .arch = {(uint16_t)from, 0}};
  struct link_report report;
  struct bytes cubin = {0};
  in.bytes = (str){(char *)ltoir->p, ltoir->n};
  bool ok = finalizer_link(&x->ts.sink, cs, &in, 1, &p, &e, &cubin, &report);
  if (!ok)
    show_diags(&x->ts.sink);
  assert_true(ok);
  link_report_free(&report);
  bytes_free(&cubin);
  free(ks);
}

static void compile_dump(struct dump *d, unsigned arch, bool link) {
  struct lowered x;
  struct cuda_options co = {0};
  struct lower_options o = fixture_options();
  struct cuda_session *cs = cuda_session_new(&co);
  o.arch = arch;
  o.trap_info = true;
  lower_dump(&x, d, &o);
  if (!x.ok)
    show_diags(&x.ts.sink);
  assert_true(x.ok);
  struct bytes ltoir = fixture_ltoir(&x, cs, arch);
  if (link)
    link_all(&x, cs, &ltoir, arch, arch);
  bytes_free(&ltoir);
  lowered_free(&x);
  cuda_session_free(cs);
  dump_free(d);
}

static void every_device_operation_compiles_for_every_architecture(void **state) {
  (void)state;
  static const unsigned archs[] = {75, 80, 90, 100, 120};
  for (size_t i = 0; i < COUNT_OF(archs); i++) {
    struct dump d = {0};
    ops_dump(&d, archs[i], 4, 2, "");
    compile_dump(&d, archs[i], false);
  }
}

static void every_device_operation_links(void **state) {
  (void)state;
  struct dump d = {0}, e = {0};
  ops_dump(&d, 90, 1, 1, "");
  compile_dump(&d, 90, true);
  ops_dump(&e, 75, 4, 0, "atomic");
  compile_dump(&e, 75, true);
}

/* ---- intrinsics ---- */
struct intr_row {
  const char *name;
  unsigned types, consts, args;
};
static const struct intr_row intrs[] = {
#define INTRINSIC(id, name, types, consts, args) {name, types, consts, args},
#include "ir/intrinsics.def"
#undef INTRINSIC
};

enum { AT_CTPOP = 0, AT_MUL_ADD = 15 };

static size_t intr_at(const char *name) {
  for (size_t i = 0; i < COUNT_OF(intrs); i++)
    if (strcmp(intrs[i].name, name) == 0)
      return i;
  fail_msg("no intrinsic %s", name);
  return 0;
}

/* Pointer types to each scalar type of the fixture, for loads and stores. */
static unsigned pointer_to(struct dump *d, unsigned ty, unsigned *next) {
  dump_add(&d->types,
           "{'kind':'ptr','to':%u,'mut':true,'ref':false,'meta':'none','name':'*mut "
           "T','size':8,'align':8}",
           ty);
  return (*next)++;
}

/* fn(p: *mut T, q: *mut R): q[0] = name::<T>(p[0], p[0], …), with u32 where the table wants it. */
static void add_intrinsic(struct dump *d, size_t at, unsigned ty, unsigned ret, unsigned pt,
                          unsigned pr, const char *kinds, unsigned fn) {
  const struct intr_row *r = &intrs[at];
  char name[64];
  struct strbuf args = {0};
  for (unsigned i = 0; i < r->args; i++) {
    const char *sep = i ? "," : "";
    if (kinds[i] == 'n')
      sb_addf(&args, "%s['k',%d,'0x3']", sep, T_U32);
    else if (kinds[i] == 's')
      sb_addf(&args, "%s['k',%d,'0x3']", sep, T_I32);
    else
      sb_addf(&args, "%s['c',[1,'*']]", sep);
  }
  dump_add(&d->fns,
           "{'name':'t::%s','symbol':'f%u','kind':'item','abi':'rust','n_args':2,'locals':[0,%u,%u]"
           ",'blocks':"
           "[[[],['call',['intr','%s',[%u%s],[]],[%s],[2,'*'],1,0]],[[],['ret']]],'span':0}",
           r->name, fn, pt, pr, r->name, ty, r->types == 2 ? ",4" : "", sb_z(&args));
  unsigned types[] = {pt, pr};
  snprintf(name, sizeof name, "k%u", fn);
  dump_kernel(d, name, fn, types, 2, "");
  sb_free(&args);
  (void)ret;
}

static void every_integer_intrinsic_links_at_every_width(void **state) {
  (void)state;
  static const unsigned ints[] = {T_U8,  T_I8,  T_U16, T_I16,  T_U32,
                                  T_I32, T_U64, T_I64, T_U128, T_I128};
  struct dump d = {0};
  unsigned next = T_FREE, fn = 0;
  unsigned pu32 = T_PU32;
  for (size_t t = 0; t < COUNT_OF(ints); t++) {
    unsigned p = pointer_to(&d, ints[t], &next);
    for (size_t i = AT_CTPOP; i < AT_MUL_ADD; i++) {
      const char *n = intrs[i].name;
      bool counts = strncmp(n, "ct", 2) == 0;
      const char *kinds = strncmp(n, "rotate", 6) == 0   ? "Tn"
                          : strncmp(n, "funnel", 6) == 0 ? "TTn"
                                                         : "TTT";
      add_intrinsic(&d, i, ints[t], counts ? T_U32 : ints[t], p, counts ? pu32 : p, kinds, fn++);
    }
  }
  compile_dump(&d, 75, true);
}

static void every_float_intrinsic_links_at_every_width(void **state) {
  (void)state;
  static const unsigned floats[] = {T_F16, T_F32, T_F64};
  struct dump d = {0};
  unsigned next = T_FREE, fn = 0;
  size_t from = intr_at("fabs"), to = intr_at("frem_algebraic");
  for (size_t t = 0; t < COUNT_OF(floats); t++) {
    unsigned p = pointer_to(&d, floats[t], &next);
    for (size_t i = from; i <= to; i++) {
      const char *n = intrs[i].name;
      bool to_int = strcmp(n, "float_to_int_unchecked") == 0;
      add_intrinsic(&d, i, floats[t], floats[t], p, to_int ? T_PU32 : p,
                    strcmp(n, "powi") == 0 ? "Ts" : "TTT", fn++);
    }
  }
  compile_dump(&d, 90, true);
}

/* ---- operators and casts ---- */
static void add_binary(struct dump *d, const char *op, unsigned pt, unsigned pr, unsigned fn) {
  char name[32];
  unsigned types[] = {pt, pr};
  dump_add(&d->fns,
           "{'name':'t::%s','symbol':'f%u','kind':'item','abi':'rust','n_args':2,'locals':[0,%u,%u]"
           ",'blocks':"
           "[[[['=',[2,'*'],['bin','%s',['c',[1,'*']],['c',[1,'*']]],0]],['ret']]],'span':0}",
           op, fn, pt, pr, op);
  snprintf(name, sizeof name, "k%u", fn);
  dump_kernel(d, name, fn, types, 2, "");
}

static void every_operator_links_at_every_type(void **state) {
  (void)state;
  static const unsigned types[] = {T_U8,   T_I8,   T_U16, T_I16, T_U32, T_I32,  T_U64, T_I64,
                                   T_U128, T_I128, T_F16, T_F32, T_F64, T_CHAR, T_BOOL};
  static const char *const arithmetic[] = {"Add", "Sub", "Mul", "Div", "Rem"};
  static const char *const bits[] = {"AddUnchecked", "SubUnchecked", "MulUnchecked", "Shl",
                                     "Shr",          "ShlUnchecked", "ShrUnchecked", "BitAnd",
                                     "BitOr",        "BitXor"};
  static const char *const compare[] = {"Eq", "Ne", "Lt", "Le", "Gt", "Ge"};
  struct dump d = {0};
  unsigned next = T_FREE, fn = 0;
  for (size_t t = 0; t < COUNT_OF(types); t++) {
    unsigned p = pointer_to(&d, types[t], &next);
    bool number = t < 13, integer = t < 10;
    for (size_t i = 0; number && i < COUNT_OF(arithmetic); i++)
      add_binary(&d, arithmetic[i], p, p, fn++);
    for (size_t i = 0; integer && i < COUNT_OF(bits); i++)
      add_binary(&d, bits[i], p, p, fn++);
    for (size_t i = 0; i < COUNT_OF(compare); i++)
      add_binary(&d, compare[i], p, T_PBOOL, fn++);
    if (!integer)
      continue;
    unsigned size = t / 2 == 4 ? 16 : 1u << (t / 2);
    dump_add(&d.types,
             "{'kind':'tuple','fields':[{'name':'0','ty':%u,'off':0},{'name':'1','ty':1,'off':%u}],"
             "'name':'(T, bool)','size':%u,'align':%u}",
             types[t], size, 2 * size, size);
    unsigned pair = pointer_to(&d, next++, &next);
    add_binary(&d, "AddWithOverflow", p, pair, fn++);
    add_binary(&d, "SubWithOverflow", p, pair, fn++);
    add_binary(&d, "MulWithOverflow", p, pair, fn++);
  }
  compile_dump(&d, 75, true);
}

static void add_cast(struct dump *d, const char *cast, unsigned pt, unsigned to, unsigned pr,
                     unsigned fn) {
  char name[32];
  unsigned types[] = {pt, pr};
  dump_add(&d->fns,
           "{'name':'t::cast','symbol':'f%u','kind':'item','abi':'rust','n_args':2,'locals':[0,%u,%"
           "u],'blocks':"
           "[[[['=',[2,'*'],['cast','%s',['c',[1,'*']],%u],0]],['ret']]],'span':0}",
           fn, pt, pr, cast, to);
  snprintf(name, sizeof name, "k%u", fn);
  dump_kernel(d, name, fn, types, 2, "");
}

static void every_cast_between_numbers_links(void **state) {
  (void)state;
  static const unsigned ints[] = {T_U8,  T_I8,  T_U16, T_I16,  T_U32,
                                  T_I32, T_U64, T_I64, T_U128, T_I128};
  static const unsigned floats[] = {T_F16, T_F32, T_F64};
  struct dump d = {0};
  unsigned next = T_FREE, fn = 0, pi[COUNT_OF(ints)], pf[COUNT_OF(floats)];
  for (size_t i = 0; i < COUNT_OF(ints); i++)
    pi[i] = pointer_to(&d, ints[i], &next);
  for (size_t i = 0; i < COUNT_OF(floats); i++)
    pf[i] = pointer_to(&d, floats[i], &next);
  for (size_t i = 0; i < COUNT_OF(ints); i++) {
    for (size_t k = 0; k < COUNT_OF(ints); k++)
      add_cast(&d, "IntToInt", pi[i], ints[k], pi[k], fn++);
    for (size_t k = 0; k < COUNT_OF(floats); k++) {
      add_cast(&d, "IntToFloat", pi[i], floats[k], pf[k], fn++);
      add_cast(&d, "FloatToInt", pf[k], ints[i], pi[i], fn++);
    }
  }
  for (size_t i = 0; i < COUNT_OF(floats); i++)
    for (size_t k = 0; k < COUNT_OF(floats); k++)
      add_cast(&d, "FloatToFloat", pf[i], floats[k], pf[k], fn++);
  compile_dump(&d, 75, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_device_operation_compiles_for_every_architecture),
      cmocka_unit_test(every_device_operation_links),
      cmocka_unit_test(every_integer_intrinsic_links_at_every_width),
      cmocka_unit_test(every_float_intrinsic_links_at_every_width),
      cmocka_unit_test(every_operator_links_at_every_type),
      cmocka_unit_test(every_cast_between_numbers_links),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
