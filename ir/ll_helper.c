/* Functions that a module gets when it needs them: copies whose size is not constant (the back end
 * would copy byte by byte) and conversions between 128-bit integers and floats (the back end has
 * no library to call). */
#include "ir/ll.h"

ll_v ll_helper_begin(struct ll *l, enum ll_helper h, unsigned variant, const char *name,
                     LLVMTypeRef ret, LLVMTypeRef *params, unsigned n, bool *fresh) {
  *fresh = !l->helpers[h][variant];
  if (!*fresh)
    return l->helpers[h][variant];
  ll_v f = LLVMAddFunction(l->mod, name, LLVMFunctionType(ret, params, n, 0));
  LLVMSetLinkage(f, LLVMInternalLinkage);
  ll_mark(l, f);
  if (l->o->emu_checks) /* its calls are what is told to the checks */
    LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, l->a_noinline);
  l->helpers[h][variant] = f;
  ASSERT(l->n_outer < COUNT_OF(l->outer));
  l->outer[l->n_outer++] = l->b;
  l->b = LLVMCreateBuilderInContext(l->cx);
  LLVMPositionBuilderAtEnd(l->b, LLVMAppendBasicBlockInContext(l->cx, f, "entry"));
  return f;
}

void ll_helper_end(struct ll *l) {
  LLVMDisposeBuilder(l->b);
  l->b = l->outer[--l->n_outer];
}

LLVMBasicBlockRef ll_block(struct ll *l, const char *name) {
  ll_v f = LLVMGetBasicBlockParent(LLVMGetInsertBlock(l->b));
  return LLVMAppendBasicBlockInContext(l->cx, f, name);
}

void ll_at(struct ll *l, LLVMBasicBlockRef block) {
  LLVMPositionBuilderAtEnd(l->b, block);
}

/* for (i = 0; i < n; i++): body is current after loop_begin, the code behind after loop_end. */
struct loop {
  LLVMBasicBlockRef head, exit;
  ll_v i;
};

static struct loop loop_begin(struct ll *l, ll_v n) {
  LLVMBasicBlockRef from = LLVMGetInsertBlock(l->b);
  struct loop lp = {.head = ll_block(l, "head")};
  LLVMBasicBlockRef body = ll_block(l, "body");
  lp.exit = ll_block(l, "done");
  LLVMBuildBr(l->b, lp.head);
  ll_at(l, lp.head);
  lp.i = LLVMBuildPhi(l->b, l->i64, "");
  ll_v zero = ll_usize(l, 0);
  LLVMAddIncoming(lp.i, &zero, &from, 1);
  LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntULT, lp.i, n, ""), body, lp.exit);
  ll_at(l, body);
  return lp;
}

static void loop_end(struct ll *l, struct loop *lp) {
  LLVMBasicBlockRef body = LLVMGetInsertBlock(l->b);
  ll_v next = LLVMBuildAdd(l->b, lp->i, ll_usize(l, 1), "");
  LLVMAddIncoming(lp->i, &next, &body, 1);
  LLVMBuildBr(l->b, lp->head);
  ll_at(l, lp->exit);
}

static ll_v chunk_at(struct ll *l, ll_v p, LLVMTypeRef t, ll_v i) {
  ll_v typed = LLVMBuildBitCast(l->b, p, LLVMPointerType(t, 0), "");
  return LLVMBuildInBoundsGEP2(l->b, t, typed, &i, 1, "");
}

static void move_chunk(struct ll *l, LLVMTypeRef t, unsigned size, ll_v i) {
  ll_v f = LLVMGetBasicBlockParent(LLVMGetInsertBlock(l->b));
  ll_v v = LLVMBuildLoad2(l->b, t, chunk_at(l, LLVMGetParam(f, 1), t, i), "");
  LLVMSetAlignment(v, size);
  ll_v s = LLVMBuildStore(l->b, v, chunk_at(l, LLVMGetParam(f, 0), t, i));
  LLVMSetAlignment(s, size);
}

static unsigned log2_of(uint64_t n) {
  unsigned k = 0;
  while (n > 1)
    n >>= 1, k++;
  return k;
}

static ll_v copy_helper(struct ll *l, unsigned k, bool overlap) {
  static const char *const fwd[] = {"mirdc_copy1", "mirdc_copy2", "mirdc_copy4", "mirdc_copy8"};
  static const char *const any[] = {"mirdc_move1", "mirdc_move2", "mirdc_move4", "mirdc_move8"};
  LLVMTypeRef ps[] = {l->ptr, l->ptr, l->i64}, t = ll_int(l, 8u << k);
  bool fresh;
  ll_v f = ll_helper_begin(l, overlap ? LLH_COPY_ANY : LLH_COPY_FWD, k, (overlap ? any : fwd)[k],
                           l->t_void, ps, 3, &fresh);
  if (!fresh)
    return f;
  ll_v n = LLVMGetParam(f, 2);
  if (overlap) {
    LLVMBasicBlockRef down = ll_block(l, "down"), up = ll_block(l, "up");
    ll_v d = LLVMBuildPtrToInt(l->b, LLVMGetParam(f, 0), l->i64, "");
    ll_v s = LLVMBuildPtrToInt(l->b, LLVMGetParam(f, 1), l->i64, "");
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntUGT, d, s, ""), down, up);
    ll_at(l, down);
    struct loop lp = loop_begin(l, n);
    ll_v last = LLVMBuildSub(l->b, n, ll_usize(l, 1), "");
    move_chunk(l, t, 1u << k, LLVMBuildSub(l->b, last, lp.i, ""));
    loop_end(l, &lp);
    LLVMBuildRetVoid(l->b);
    ll_at(l, up);
  }
  struct loop lp = loop_begin(l, n);
  move_chunk(l, t, 1u << k, lp.i);
  loop_end(l, &lp);
  LLVMBuildRetVoid(l->b);
  ll_helper_end(l);
  return f;
}

/* `bytes` is a multiple of `align`. */
static ll_v chunk_count(struct ll *l, ll_v bytes, unsigned k) {
  return LLVMBuildLShr(l->b, bytes, ll_usize(l, k), "");
}

void ll_copy_dyn(struct ll *l, ll_v dst, ll_v src, ll_v bytes, uint64_t align, bool overlap) {
  unsigned k = log2_of(align > 8 ? 8 : align);
  ll_v args[] = {dst, src, chunk_count(l, bytes, k)};
  ll_call(l, copy_helper(l, k, overlap), args, 3);
}

void ll_set_dyn(struct ll *l, ll_v dst, ll_v byte, ll_v bytes, uint64_t align) {
  static const char *const names[] = {"mirdc_set1", "mirdc_set2", "mirdc_set4", "mirdc_set8"};
  unsigned k = log2_of(align > 8 ? 8 : align);
  LLVMTypeRef t = ll_int(l, 8u << k), ps[] = {l->ptr, l->i8, l->i64};
  bool fresh;
  ll_v f = ll_helper_begin(l, LLH_SET, k, names[k], l->t_void, ps, 3, &fresh);
  if (fresh) {
    ll_v ones = LLVMConstInt(t, 0x0101010101010101u, 0);
    ll_v wide = LLVMBuildZExt(l->b, LLVMGetParam(f, 1), t, "");
    if (k > 0)
      wide = LLVMBuildMul(l->b, wide, ones, "");
    struct loop lp = loop_begin(l, LLVMGetParam(f, 2));
    ll_v s = LLVMBuildStore(l->b, wide, chunk_at(l, LLVMGetParam(f, 0), t, lp.i));
    LLVMSetAlignment(s, 1u << k);
    loop_end(l, &lp);
    LLVMBuildRetVoid(l->b);
    ll_helper_end(l);
  }
  ll_v args[] = {dst, byte, chunk_count(l, bytes, k)};
  ll_call(l, f, args, 3);
}

/* memcmp: the sign of the first difference. */
ll_v ll_cmp_bytes(struct ll *l, ll_v a, ll_v b, ll_v bytes) {
  LLVMTypeRef ps[] = {l->ptr, l->ptr, l->i64};
  bool fresh;
  ll_v f = ll_helper_begin(l, LLH_CMP, 0, "mirdc_compare", l->i32, ps, 3, &fresh);
  if (fresh) {
    LLVMBasicBlockRef differ = NULL, same;
    struct loop lp = loop_begin(l, LLVMGetParam(f, 2));
    ll_v x = LLVMBuildLoad2(l->b, l->i8, chunk_at(l, LLVMGetParam(f, 0), l->i8, lp.i), "");
    ll_v y = LLVMBuildLoad2(l->b, l->i8, chunk_at(l, LLVMGetParam(f, 1), l->i8, lp.i), "");
    differ = ll_block(l, "differ");
    same = ll_block(l, "same");
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, x, y, ""), same, differ);
    ll_at(l, differ);
    LLVMBuildRet(l->b, LLVMBuildSub(l->b, LLVMBuildZExt(l->b, x, l->i32, ""),
                                    LLVMBuildZExt(l->b, y, l->i32, ""), ""));
    ll_at(l, same);
    loop_end(l, &lp);
    LLVMBuildRet(l->b, LLVMConstInt(l->i32, 0, 0));
    ll_helper_end(l);
  }
  ll_v args[] = {a, b, bytes};
  return ll_call(l, f, args, 3);
}

/* ---- 128-bit integers and floats ---- */
static ll_v k128(struct ll *l, uint64_t hi, uint64_t lo) {
  uint64_t w[] = {lo, hi};
  return LLVMConstIntOfArbitraryPrecision(l->i128, 2, w);
}

/* The top 64 bits, with a sticky lowest bit for what is cut off, are rounded once by the hardware
 * conversion and then scaled by a power of two, which is exact or overflows as it should. */
static void build_u128_to_float(struct ll *l, ll_v f, bool f32) {
  LLVMTypeRef t = f32 ? l->f32 : l->f64, it = f32 ? l->i32 : l->i64;
  ll_v x = LLVMGetParam(f, 0);
  LLVMBasicBlockRef zero = ll_block(l, "zero"), some = ll_block(l, "some");
  LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, x, k128(l, 0, 0), ""), zero, some);
  ll_at(l, zero);
  LLVMBuildRet(l->b, LLVMConstReal(t, 0.0));
  ll_at(l, some);
  ll_v n = ll_count_bits(l, "ctlz", x);
  ll_v y = LLVMBuildShl(l->b, x, n, "");
  ll_v hi = LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, y, k128(l, 0, 64), ""), l->i64, "");
  ll_v lo = LLVMBuildTrunc(l->b, y, l->i64, "");
  ll_v sticky = LLVMBuildICmp(l->b, LLVMIntNE, lo, ll_usize(l, 0), "");
  hi = LLVMBuildOr(l->b, hi, LLVMBuildZExt(l->b, sticky, l->i64, ""), "");
  ll_v v = LLVMBuildUIToFP(l->b, hi, t, "");
  ll_v shift = LLVMBuildTrunc(l->b, n, it, "");
  ll_v exp = LLVMBuildSub(l->b, LLVMConstInt(it, f32 ? 127 + 64 : 1023 + 64, 0), shift, "");
  exp = LLVMBuildShl(l->b, exp, LLVMConstInt(it, f32 ? 23 : 52, 0), "");
  ll_v scale = LLVMBuildBitCast(l->b, exp, t, "");
  LLVMBuildRet(l->b, LLVMBuildFMul(l->b, v, scale, ""));
}

ll_v ll_u128_to_float(struct ll *l, ll_v a, bool is_f32) {
  LLVMTypeRef ps[] = {l->i128};
  bool fresh;
  ll_v f = ll_helper_begin(l, is_f32 ? LLH_U128_TO_F32 : LLH_U128_TO_F64, 0,
                           is_f32 ? "mirdc_u128_to_f32" : "mirdc_u128_to_f64",
                           is_f32 ? l->f32 : l->f64, ps, 1, &fresh);
  if (fresh) {
    build_u128_to_float(l, f, is_f32);
    ll_helper_end(l);
  }
  return ll_call(l, f, &a, 1);
}

/* |x| truncated, for 1 <= |x| < 2^128. */
static ll_v magnitude(struct ll *l, ll_v bits, ll_v e) {
  ll_v m = LLVMBuildAnd(l->b, bits, ll_usize(l, (UINT64_C(1) << 52) - 1), "");
  m = LLVMBuildOr(l->b, m, ll_usize(l, UINT64_C(1) << 52), "");
  ll_v wide = LLVMBuildZExt(l->b, m, l->i128, "");
  ll_v e128 = LLVMBuildZExt(l->b, e, l->i128, "");
  ll_v k52 = k128(l, 0, 52), k127 = k128(l, 0, 127);
  ll_v right = LLVMBuildAnd(l->b, LLVMBuildSub(l->b, k52, e128, ""), k127, "");
  ll_v left = LLVMBuildAnd(l->b, LLVMBuildSub(l->b, e128, k52, ""), k127, "");
  ll_v small = LLVMBuildICmp(l->b, LLVMIntULT, e128, k52, "");
  return LLVMBuildSelect(l->b, small, LLVMBuildLShr(l->b, wide, right, ""),
                         LLVMBuildShl(l->b, wide, left, ""), "");
}

static void build_f64_to_128(struct ll *l, ll_v f, bool is_signed) {
  ll_v x = LLVMGetParam(f, 0), zero = k128(l, 0, 0);
  ll_v bits = LLVMBuildBitCast(l->b, x, l->i64, "");
  ll_v neg = LLVMBuildICmp(l->b, LLVMIntSLT, bits, ll_usize(l, 0), "");
  ll_v raw =
      LLVMBuildAnd(l->b, LLVMBuildLShr(l->b, bits, ll_usize(l, 52), ""), ll_usize(l, 0x7ff), "");
  ll_v e = LLVMBuildSub(l->b, raw, ll_usize(l, 1023), "");
  ll_v m = magnitude(l, bits, e);
  /* Limits by the exponent alone: -2^127 itself has exponent 127 and saturates to itself. */
  ll_v too_big =
      LLVMBuildICmp(l->b, LLVMIntUGE, raw, ll_usize(l, 1023 + (is_signed ? 127 : 128)), "");
  ll_v tiny = LLVMBuildICmp(l->b, LLVMIntULT, raw, ll_usize(l, 1023), "");
  ll_v max = is_signed ? k128(l, UINT64_MAX >> 1, UINT64_MAX) : k128(l, UINT64_MAX, UINT64_MAX);
  ll_v min = is_signed ? k128(l, UINT64_C(1) << 63, 0) : zero;
  ll_v minus = is_signed ? LLVMBuildSub(l->b, zero, m, "") : zero;
  ll_v r = LLVMBuildSelect(l->b, neg, minus, m, "");
  r = LLVMBuildSelect(l->b, too_big, LLVMBuildSelect(l->b, neg, min, max, ""), r, "");
  r = LLVMBuildSelect(l->b, tiny, zero, r, "");
  ll_v nan = LLVMBuildFCmp(l->b, LLVMRealUNO, x, x, "");
  LLVMBuildRet(l->b, LLVMBuildSelect(l->b, nan, zero, r, ""));
}

ll_v ll_f64_to_128(struct ll *l, ll_v a, bool is_signed) {
  LLVMTypeRef ps[] = {l->f64};
  bool fresh;
  ll_v f = ll_helper_begin(l, is_signed ? LLH_F64_TO_I128 : LLH_F64_TO_U128, 0,
                           is_signed ? "mirdc_f64_to_i128" : "mirdc_f64_to_u128", l->i128, ps, 1,
                           &fresh);
  if (fresh) {
    build_f64_to_128(l, f, is_signed);
    ll_helper_end(l);
  }
  return ll_call(l, f, &a, 1);
}
