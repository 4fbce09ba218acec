/* Atomic operations and fences as inline PTX: libNVVM drops orderings and scopes of its own atomic
 * instructions and has no fences. Sequential consistency follows the usual mapping: a fence.sc in
 * front of an access that is at least as strong as acquire or release. */
#include "ir/ll.h"

static const char *scope_name(enum ll_scope s) {
  return s == SCOPE_BLOCK ? "cta" : s == SCOPE_DEVICE ? "gpu" : "sys";
}

static const char *order_name(enum ll_order o) {
  switch (o) {
  case ORD_RELAXED:
    return "relaxed";
  case ORD_ACQUIRE:
    return "acquire";
  case ORD_RELEASE:
    return "release";
  case ORD_ACQREL:
  case ORD_SEQCST:
    return "acq_rel";
  }
  BUG("ordering %d", (int)o);
}

/* Flags of the memory effects are always set: other code may not move across. */
ll_v ll_asm(struct ll *l, const char *text, const char *constraints, LLVMTypeRef ret, ll_v *args,
            unsigned n, bool side_effects) {
  LLVMTypeRef ps[16];
  ASSERT(n <= COUNT_OF(ps));
  for (unsigned i = 0; i < n; i++)
    ps[i] = LLVMTypeOf(args[i]);
  LLVMTypeRef t = LLVMFunctionType(ret, ps, n, 0);
  char *text_copy = xstrdup(text), *con = xstrdup(constraints); /* the C API takes char * */
  ll_v a = LLVMGetInlineAsm(t, text_copy, strlen(text), con, strlen(con), side_effects, 0,
                            LLVMInlineAsmDialectATT, 0);
  free(text_copy);
  free(con);
  return ll_call(l, a, args, n);
}

void ll_fence(struct ll *l, enum ll_order o, enum ll_scope s) {
  char text[48];
  if (l->o->emu) {
    ll_emu_fence(l, o, s);
    return;
  }
  snprintf(text, sizeof text, "fence.%s.%s;", o == ORD_SEQCST ? "sc" : "acq_rel", scope_name(s));
  ll_asm(l, text, "~{memory}", l->t_void, NULL, 0, true);
}

/* Registers hold integers of 16, 32 and 64 bits; bytes travel in 16. */
struct reg {
  LLVMTypeRef ty;
  char letter;
};
static struct reg reg_of(struct ll *l, LLVMTypeRef t) {
  if (t == l->f32)
    return (struct reg){t, 'f'};
  if (t == l->f64)
    return (struct reg){t, 'd'};
  if (t == l->i64)
    return (struct reg){t, 'l'};
  if (t == l->i32)
    return (struct reg){t, 'r'};
  return (struct reg){l->i16, 'h'};
}

static unsigned type_bits(struct ll *l, LLVMTypeRef t) {
  return t == l->f32 ? 32 : t == l->f64 ? 64 : LLVMGetIntTypeWidth(t);
}

static ll_v into_reg(struct ll *l, ll_v v) {
  return LLVMTypeOf(v) == l->i8 ? LLVMBuildZExt(l->b, v, l->i16, "") : v;
}

static ll_v from_reg(struct ll *l, ll_v v, LLVMTypeRef t) {
  return LLVMTypeOf(v) == t ? v : LLVMBuildTrunc(l->b, v, t, "");
}

/* The emulator runs one thread at a time: nothing comes between, and order is what its checks are
 * told. LLVM must still take them for accesses that others may see. */
static ll_v emu_typed(struct ll *l, ll_v p, LLVMTypeRef t) {
  return LLVMBuildBitCast(l->b, p, LLVMPointerType(t, 0), "");
}

static ll_v emu_load(struct ll *l, ll_v p, LLVMTypeRef t) {
  ll_v v = LLVMBuildLoad2(l->b, t, emu_typed(l, p, t), "");
  LLVMSetVolatile(v, 1);
  LLVMSetAlignment(v, type_bits(l, t) / 8);
  ll_emu_mark_told(l, v);
  return v;
}

static void emu_store(struct ll *l, ll_v p, ll_v v) {
  ll_v s = LLVMBuildStore(l->b, v, emu_typed(l, p, LLVMTypeOf(v)));
  LLVMSetVolatile(s, 1);
  LLVMSetAlignment(s, type_bits(l, LLVMTypeOf(v)) / 8);
  ll_emu_mark_told(l, s);
}

static ll_v emu_cas(struct ll *l, ll_v p, ll_v old, ll_v new) {
  ll_v have = emu_load(l, p, LLVMTypeOf(old));
  ll_v same = LLVMBuildICmp(l->b, LLVMIntEQ, have, old, "");
  emu_store(l, p, LLVMBuildSelect(l->b, same, new, have, ""));
  return have;
}

static ll_v load_word(struct ll *l, ll_v p, LLVMTypeRef t, enum ll_order o, enum ll_scope s) {
  char text[64], con[32];
  if (l->o->emu)
    return emu_load(l, p, t);
  struct reg r = reg_of(l, t);
  if (o == ORD_SEQCST)
    ll_fence(l, o, s);
  snprintf(text, sizeof text, "ld.%s.%s.b%u $0, [$1];", o == ORD_RELAXED ? "relaxed" : "acquire",
           scope_name(s), type_bits(l, t));
  snprintf(con, sizeof con, "=%c,l,~{memory}", r.letter);
  return from_reg(l, ll_asm(l, text, con, r.ty, &p, 1, true), t);
}

ll_v ll_atomic_load(struct ll *l, ll_v p, LLVMTypeRef t, enum ll_order o, enum ll_scope s) {
  return load_word(l, ll_emu_atomic(l, p, t, LL_EMU_READ, o, s), t, o, s);
}

void ll_atomic_store(struct ll *l, ll_v p, ll_v v, enum ll_order o, enum ll_scope s) {
  char text[64], con[32];
  struct reg r = reg_of(l, LLVMTypeOf(v));
  if (l->o->emu) {
    emu_store(l, ll_emu_atomic(l, p, LLVMTypeOf(v), LL_EMU_WRITE, o, s), v);
    return;
  }
  ll_v args[] = {p, into_reg(l, v)};
  if (o == ORD_SEQCST)
    ll_fence(l, o, s);
  snprintf(text, sizeof text, "st.%s.%s.b%u [$0], $1;", o == ORD_RELAXED ? "relaxed" : "release",
           scope_name(s), type_bits(l, LLVMTypeOf(v)));
  snprintf(con, sizeof con, "l,%c,~{memory}", r.letter);
  ll_asm(l, text, con, l->t_void, args, 2, true);
}

/* ---- compare and swap ---- */
static ll_v cas_asm(struct ll *l, ll_v p, ll_v old, ll_v new, enum ll_order o, enum ll_scope s) {
  char text[64], con[32];
  LLVMTypeRef t = LLVMTypeOf(old);
  if (l->o->emu)
    return emu_cas(l, p, old, new);
  struct reg r = reg_of(l, t);
  ll_v args[] = {p, old, new};
  snprintf(text, sizeof text, "atom.%s.%s.cas.b%u $0, [$1], $2, $3;", order_name(o), scope_name(s),
           type_bits(l, t));
  snprintf(con, sizeof con, "=%c,l,%c,%c,~{memory}", r.letter, r.letter, r.letter);
  return ll_asm(l, text, con, t, args, 3, true);
}

/* The aligned word around a byte or half word. */
struct word {
  ll_v p, shift, mask;
};
static struct word word_around(struct ll *l, ll_v p, unsigned bits) {
  struct word w;
  ll_v a = LLVMBuildPtrToInt(l->b, p, l->i64, "");
  ll_v low = LLVMBuildAnd(l->b, a, ll_usize(l, 3), "");
  w.p = LLVMBuildIntToPtr(l->b, LLVMBuildAnd(l->b, a, ll_usize(l, ~UINT64_C(3)), ""), l->ptr, "");
  w.shift = LLVMBuildTrunc(l->b, LLVMBuildShl(l->b, low, ll_usize(l, 3), ""), l->i32, "");
  w.mask = LLVMBuildShl(l->b, LLVMConstInt(l->i32, (1u << bits) - 1, 0), w.shift, "");
  return w;
}

static ll_v part_of(struct ll *l, const struct word *w, ll_v whole, LLVMTypeRef t) {
  return LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, whole, w->shift, ""), t, "");
}

static ll_v with_part(struct ll *l, const struct word *w, ll_v whole, ll_v part) {
  ll_v in = LLVMBuildShl(l->b, LLVMBuildZExt(l->b, part, l->i32, ""), w->shift, "");
  return LLVMBuildOr(l->b, LLVMBuildAnd(l->b, whole, LLVMBuildNot(l->b, w->mask, ""), ""), in, "");
}

/* Swaps the word as long as only its other bytes change. */
static ll_v cas_small(struct ll *l, ll_v p, ll_v old, ll_v new, enum ll_order o, enum ll_scope s) {
  LLVMTypeRef t = LLVMTypeOf(old);
  struct word w = word_around(l, p, LLVMGetIntTypeWidth(t));
  ll_v first = load_word(l, w.p, l->i32, ORD_RELAXED, s);
  LLVMBasicBlockRef from = LLVMGetInsertBlock(l->b), loop = ll_block(l, "cas");
  LLVMBasicBlockRef again = ll_block(l, "again"), done = ll_block(l, "done");
  LLVMBuildBr(l->b, loop);
  ll_at(l, loop);
  ll_v have = LLVMBuildPhi(l->b, l->i32, "");
  ll_v want = with_part(l, &w, have, old);
  ll_v seen = cas_asm(l, w.p, want, with_part(l, &w, have, new), o, s);
  ll_v now = part_of(l, &w, seen, t);
  ll_v ok = LLVMBuildICmp(l->b, LLVMIntEQ, seen, want, "");
  ll_v other = LLVMBuildICmp(l->b, LLVMIntNE, now, old, "");
  LLVMBuildCondBr(l->b, LLVMBuildOr(l->b, ok, other, ""), done, again);
  ll_at(l, again);
  LLVMBuildBr(l->b, loop);
  LLVMAddIncoming(have, &first, &from, 1);
  LLVMAddIncoming(have, &seen, &again, 1);
  ll_at(l, done);
  return now;
}

ll_v ll_atomic_cas(struct ll *l, ll_v p, ll_v old, ll_v new, enum ll_order o, enum ll_scope s) {
  p = ll_emu_atomic(l, p, LLVMTypeOf(old), LL_EMU_RMW, o, s);
  if (o == ORD_SEQCST && !l->o->emu)
    ll_fence(l, o, s);
  if (LLVMGetIntTypeWidth(LLVMTypeOf(old)) < 32)
    return cas_small(l, p, old, new, o, s);
  return cas_asm(l, p, old, new, o, s);
}

/* ---- read, modify, write ---- */
static ll_v modified(struct ll *l, enum ll_rmw op, ll_v a, ll_v b) {
  LLVMIntPredicate pred = LLVMIntSLT;
  switch (op) {
  case RMW_ADD:
    return LLVMBuildAdd(l->b, a, b, "");
  case RMW_SUB:
    return LLVMBuildSub(l->b, a, b, "");
  case RMW_AND:
    return LLVMBuildAnd(l->b, a, b, "");
  case RMW_OR:
    return LLVMBuildOr(l->b, a, b, "");
  case RMW_XOR:
    return LLVMBuildXor(l->b, a, b, "");
  case RMW_NAND:
    return LLVMBuildNot(l->b, LLVMBuildAnd(l->b, a, b, ""), "");
  case RMW_XCHG:
    return b;
  case RMW_MIN:
    pred = LLVMIntSLT;
    break;
  case RMW_MAX:
    pred = LLVMIntSGT;
    break;
  case RMW_UMIN:
    pred = LLVMIntULT;
    break;
  case RMW_UMAX:
    pred = LLVMIntUGT;
    break;
  case RMW_FADD:
    BUG("no loop for float sums");
  }
  return LLVMBuildSelect(l->b, LLVMBuildICmp(l->b, pred, a, b, ""), a, b, "");
}

/* Everything that has no instruction: bytes, half words, nand. */
static ll_v rmw_loop(struct ll *l, enum ll_rmw op, ll_v p, ll_v v, enum ll_order o,
                     enum ll_scope s) {
  LLVMTypeRef t = LLVMTypeOf(v);
  bool small = LLVMGetIntTypeWidth(t) < 32;
  struct word w = {.p = p};
  if (small)
    w = word_around(l, p, LLVMGetIntTypeWidth(t));
  ll_v first = load_word(l, w.p, small ? l->i32 : t, ORD_RELAXED, s);
  LLVMBasicBlockRef from = LLVMGetInsertBlock(l->b), loop = ll_block(l, "rmw");
  LLVMBasicBlockRef done = ll_block(l, "done");
  LLVMBuildBr(l->b, loop);
  ll_at(l, loop);
  ll_v have = LLVMBuildPhi(l->b, small ? l->i32 : t, "");
  ll_v old = small ? part_of(l, &w, have, t) : have;
  ll_v new = modified(l, op, old, v);
  ll_v seen = cas_asm(l, w.p, have, small ? with_part(l, &w, have, new) : new, o, s);
  LLVMAddIncoming(have, &first, &from, 1);
  LLVMAddIncoming(have, &seen, &loop, 1);
  LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, seen, have, ""), done, loop);
  ll_at(l, done);
  return old;
}

static ll_v emu_rmw(struct ll *l, enum ll_rmw op, ll_v p, ll_v v) {
  ll_v old = emu_load(l, p, LLVMTypeOf(v));
  emu_store(l, p, op == RMW_FADD ? LLVMBuildFAdd(l->b, old, v, "") : modified(l, op, old, v));
  return old;
}

static const char *rmw_name(enum ll_rmw op, bool wide) {
  switch (op) {
  case RMW_ADD:
  case RMW_SUB:
    return wide ? "add.u64" : "add.u32";
  case RMW_AND:
    return wide ? "and.b64" : "and.b32";
  case RMW_OR:
    return wide ? "or.b64" : "or.b32";
  case RMW_XOR:
    return wide ? "xor.b64" : "xor.b32";
  case RMW_XCHG:
    return wide ? "exch.b64" : "exch.b32";
  case RMW_MIN:
    return wide ? "min.s64" : "min.s32";
  case RMW_MAX:
    return wide ? "max.s64" : "max.s32";
  case RMW_UMIN:
    return wide ? "min.u64" : "min.u32";
  case RMW_UMAX:
    return wide ? "max.u64" : "max.u32";
  case RMW_FADD:
    return wide ? "add.f64" : "add.f32";
  case RMW_NAND:
    break;
  }
  BUG("no instruction for operation %d", (int)op);
}

ll_v ll_atomic_rmw(struct ll *l, enum ll_rmw op, ll_v p, ll_v v, enum ll_order o, enum ll_scope s) {
  char text[64], con[32];
  LLVMTypeRef t = LLVMTypeOf(v);
  struct reg r = reg_of(l, t);
  p = ll_emu_atomic(l, p, t, LL_EMU_RMW, o, s);
  if (o == ORD_SEQCST && !l->o->emu)
    ll_fence(l, o, s);
  if (op == RMW_NAND || type_bits(l, t) < 32)
    return rmw_loop(l, op, p, v, o, s);
  if (l->o->emu)
    return emu_rmw(l, op, p, v);
  if (op == RMW_SUB)
    v = LLVMBuildSub(l->b, ll_k(v, 0), v, "");
  ll_v args[] = {p, v};
  snprintf(text, sizeof text, "atom.%s.%s.%s $0, [$1], $2;", order_name(o), scope_name(s),
           rmw_name(op, type_bits(l, t) == 64));
  snprintf(con, sizeof con, "=%c,l,%c,~{memory}", r.letter, r.letter);
  return ll_asm(l, text, con, t, args, 2, true);
}
