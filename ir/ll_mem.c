/* Loads, stores and copies. All addresses are i8*; the typed pointers that LLVM 7 wants are made at
 * each use. */
#include "ir/ll.h"

/* Above this size the back end turns a copy into a loop over bytes, so we write the loop. */
#define INLINE_COPY 128

ll_v ll_cast_ptr(struct ll *l, ll_v p, LLVMTypeRef pointee) {
  if (pointee == l->i8)
    return p;
  return LLVMBuildBitCast(l->b, p, LLVMPointerType(pointee, 0), "");
}

ll_v ll_usize(struct ll *l, uint64_t n) {
  return LLVMConstInt(l->i64, n, 0);
}

bool ll_is_const(ll_v v, uint64_t *out) {
  if (!LLVMIsAConstantInt(v) || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64)
    return false;
  *out = LLVMConstIntGetZExtValue(v);
  return true;
}

ll_v ll_gep(struct ll *l, ll_v p, uint64_t off) {
  ll_v i = ll_usize(l, off);
  if (off == 0)
    return p;
  return LLVMBuildInBoundsGEP2(l->b, l->i8, p, &i, 1, "");
}

ll_v ll_gep_dyn(struct ll *l, ll_v p, ll_v bytes, bool inbounds) {
  if (inbounds)
    return LLVMBuildInBoundsGEP2(l->b, l->i8, p, &bytes, 1, "");
  return LLVMBuildGEP2(l->b, l->i8, p, &bytes, 1, "");
}

ll_v ll_elem(struct ll *l, ll_v p, ll_v index, uint64_t size, bool inbounds) {
  if (size == 0)
    return p;
  bool scalar = size <= 8 && (size & (size - 1)) == 0;
  if (!scalar && size > UINT32_MAX) {
    return ll_gep_dyn(l, p, LLVMBuildMul(l->b, index, ll_usize(l, size), ""), inbounds);
  }
  LLVMTypeRef t = scalar ? ll_int(l, (uint32_t)size * 8) : LLVMArrayType(l->i8, (unsigned)size);
  ll_v typed = ll_cast_ptr(l, p, t);
  ll_v e = inbounds ? LLVMBuildInBoundsGEP2(l->b, t, typed, &index, 1, "")
                    : LLVMBuildGEP2(l->b, t, typed, &index, 1, "");
  return LLVMBuildBitCast(l->b, e, l->ptr, "");
}

/* LLVM takes alignments up to 2^29 here; more is never promised by a smaller number. */
static unsigned cap_align(uint64_t a) {
  return a > (1u << 20) ? 1u << 20 : (unsigned)a;
}

ll_v ll_load(struct ll *l, LLVMTypeRef t, ll_v p, uint64_t align) {
  ll_v v = LLVMBuildLoad2(l->b, t, ll_cast_ptr(l, p, t), "");
  LLVMSetAlignment(v, cap_align(align));
  return v;
}

void ll_store(struct ll *l, ll_v v, ll_v p, uint64_t align) {
  ll_v s = LLVMBuildStore(l->b, v, ll_cast_ptr(l, p, LLVMTypeOf(v)));
  LLVMSetAlignment(s, cap_align(align));
}

ll_v ll_alloca(struct ll *l, LLVMTypeRef t, uint64_t align) {
  ll_v a = LLVMBuildAlloca(l->allocas, t, "");
  LLVMSetAlignment(a, cap_align(align));
  return a;
}

/* Local memory of one GPU thread. */
#define MAX_LOCAL_BYTES (512u * 1024u)

ll_v ll_temp(struct ll *l, uint64_t size, uint64_t align) {
  if (size > MAX_LOCAL_BYTES) {
    struct diag *d = ll_refuse(l->fn, MD0305, "a value of %llu bytes needs local memory",
                               (unsigned long long)size);
    diag_help(d, "keep large data in a buffer or in shared memory");
    return LLVMGetUndef(l->ptr);
  }
  ll_v a = ll_alloca(l, ll_chunks(l, size, align), align);
  return LLVMBuildBitCast(l->allocas, a, l->ptr, "");
}

void ll_memcpy(struct ll *l, ll_v dst, uint64_t da, ll_v src, uint64_t sa, uint64_t n) {
  uint64_t both = da < sa ? da : sa;
  if (n == 0 || dst == src)
    return;
  if (n > INLINE_COPY && both > 1) {
    uint64_t c = both > 8 ? 8 : both;
    if (n % c == 0) {
      ll_copy_dyn(l, dst, src, ll_usize(l, n), c, false);
      return;
    }
  }
  ll_emu_mark_copy(
      l, LLVMBuildMemCpy(l->b, dst, cap_align(da), src, cap_align(sa), ll_usize(l, n)));
}

void ll_memset(struct ll *l, ll_v dst, uint64_t da, ll_v byte, uint64_t n) {
  if (n == 0)
    return;
  LLVMBuildMemSet(l->b, dst, byte, ll_usize(l, n), cap_align(da));
}

/* ---- values ---- */
static ll_v load_leaf(struct ll *l, const struct ll_leaf *lf, ll_v p, uint64_t align, bool vol) {
  ll_v v = ll_load(l, ll_leaf_mem(l, lf), ll_gep(l, p, lf->off), ll_align_at(align, lf->off));
  if (vol)
    LLVMSetVolatile(v, 1);
  return lf->kind == LEAF_BOOL ? LLVMBuildTrunc(l->b, v, l->i1, "") : v;
}

static void store_leaf(struct ll *l, const struct ll_leaf *lf, ll_v v, ll_v p, uint64_t align,
                       bool vol) {
  if (LLVMIsUndef(v))
    return;
  if (lf->kind == LEAF_BOOL)
    v = LLVMBuildZExt(l->b, v, l->i8, "");
  uint64_t at_align = ll_align_at(align, lf->off);
  ll_v at = ll_cast_ptr(l, ll_gep(l, p, lf->off), LLVMTypeOf(v));
  ll_v s = LLVMBuildStore(l->b, v, at);
  LLVMSetAlignment(s, cap_align(at_align));
  if (vol)
    LLVMSetVolatile(s, 1);
}

/* Volatile copies of things in memory: scalar accesses of the alignment, in order. */
static void copy_volatile(struct ll *l, ll_v dst, ll_v src, uint64_t align, uint64_t n,
                          bool load_vol, bool store_vol) {
  uint64_t c = align > 8 ? 8 : align;
  for (uint64_t at = 0; at < n;) {
    while (at + c > n)
      c /= 2;
    ll_v v = ll_load(l, ll_int(l, (uint32_t)c * 8), ll_gep(l, src, at), c);
    if (load_vol)
      LLVMSetVolatile(v, 1);
    ll_v s = LLVMBuildStore(l->b, v, ll_cast_ptr(l, ll_gep(l, dst, at), LLVMTypeOf(v)));
    LLVMSetAlignment(s, (unsigned)c);
    if (store_vol)
      LLVMSetVolatile(s, 1);
    at += c;
  }
}

struct ll_val ll_load_val(struct ll *l, pm_ty ty, ll_v p, uint64_t align, bool vol) {
  const struct ll_shape *s = ll_shape(l, ty);
  struct ll_val v = {.ty = ty, .mem = s->mem, .n = s->n, .align = align};
  if (!s->mem) {
    for (unsigned i = 0; i < s->n; i++)
      v.v[i] = load_leaf(l, &s->leaf[i], p, align, vol);
    return v;
  }
  v.v[0] = p;
  if (vol) {
    const struct pm_type *t = ll_ty(l, ty);
    v.v[0] = ll_temp(l, t->size, t->align);
    copy_volatile(l, v.v[0], p, align < t->align ? align : t->align, t->size, true, false);
    v.align = t->align;
  }
  return v;
}

void ll_store_val(struct ll *l, const struct ll_val *v, ll_v p, uint64_t align, bool vol) {
  const struct ll_shape *s = ll_shape(l, v->ty);
  if (!v->mem) {
    for (unsigned i = 0; i < s->n; i++)
      store_leaf(l, &s->leaf[i], v->v[i], p, align, vol);
    return;
  }
  if (!v->v[0])
    return;
  uint64_t both = v->align < align ? v->align : align, size = ll_ty(l, v->ty)->size;
  if (vol)
    copy_volatile(l, p, v->v[0], both, size, false, true);
  else
    ll_memcpy(l, p, align, v->v[0], v->align, size);
}

ll_v ll_spill(struct ll *l, const struct ll_val *v, uint64_t *align) {
  const struct pm_type *t = ll_ty(l, v->ty);
  if (v->mem && v->v[0]) {
    *align = v->align;
    return v->v[0];
  }
  ll_v p = ll_temp(l, t->size, t->align);
  *align = t->align;
  ll_store_val(l, v, p, t->align, false);
  return p;
}

/* Little-endian bytes, in stores no wider than the alignment. */
void ll_store_bits(struct ll *l, ll_v p, uint64_t align, uint64_t size, u128 bits) {
  uint64_t c = align > 16 ? 16 : align;
  for (uint64_t at = 0; at < size;) {
    while (at + c > size)
      c /= 2;
    u128 part = bits >> (at * 8);
    uint64_t words[2] = {(uint64_t)part, (uint64_t)(part >> 64)};
    LLVMTypeRef t = ll_int(l, (uint32_t)c * 8);
    ll_v k = LLVMConstIntOfArbitraryPrecision(t, c > 8 ? 2 : 1, words);
    ll_store(l, k, ll_gep(l, p, at), ll_align_at(align, at));
    at += c;
  }
}

void ll_copy_elems(struct ll *l, ll_v dst, ll_v src, ll_v n, uint64_t size, uint64_t align,
                   bool overlap) {
  uint64_t k;
  if (size == 0)
    return;
  if (!overlap && ll_is_const(n, &k) && k < (1u << 20) && size < (1u << 20)) {
    ll_memcpy(l, dst, align, src, align, k * size);
    return;
  }
  ll_copy_dyn(l, dst, src, LLVMBuildMul(l->b, n, ll_usize(l, size), ""), align, overlap);
}
