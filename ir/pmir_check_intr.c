/* Signatures of the intrinsics. */
#include <string.h>

#include "base/fatal.h"
#include "ir/pmir_check.h"

enum intrinsic {
#define INTRINSIC(id, name, types, consts, args) id,
#include "ir/intrinsics.def"
#undef INTRINSIC
  INTRINSIC_END
};

static const struct {
  const char *name;
  uint8_t types, consts, args;
} counts[] = {
#define INTRINSIC(id, name, types, consts, args) {name, types, consts, args},
#include "ir/intrinsics.def"
#undef INTRINSIC
};

/* One letter a type:
 *   T U V  the type parameters        u i  u32, i32      s z  usize, isize    b  bool   8  u8
 *   p      thin pointer to T          q    thin pointer to u8                 S  pointer to T
 *   W      T, or usize when T is a pointer                0  nothing           !  does not return
 *   R      (T, bool)                  C    (U, T)         D  discriminant type of T
 * `of` is what T may be: i int, f float, a what atomics take, . any sized type, - there is no T */
static const struct row {
  uint8_t id;
  char of;
  const char *args, *ret;
} rows[] = {
#define F1(id)                                                                                     \
  { id, 'f', "T", "T" }
#define F2(id)                                                                                     \
  { id, 'f', "TT", "T" }
    {PI_CTPOP, 'i', "T", "u"},
    {PI_CTLZ, 'i', "T", "u"},
    {PI_CTTZ, 'i', "T", "u"},
    {PI_CTLZ_NONZERO, 'i', "T", "u"},
    {PI_CTTZ_NONZERO, 'i', "T", "u"},
    {PI_BSWAP, 'i', "T", "T"},
    {PI_BITREVERSE, 'i', "T", "T"},
    {PI_ROTL, 'i', "Tu", "T"},
    {PI_ROTR, 'i', "Tu", "T"},
    {PI_FSHL, 'i', "TTu", "T"},
    {PI_FSHR, 'i', "TTu", "T"},
    {PI_SAT_ADD, 'i', "TT", "T"},
    {PI_SAT_SUB, 'i', "TT", "T"},
    {PI_EXACT_DIV, 'i', "TT", "T"},
    {PI_DISJOINT_OR, 'i', "TT", "T"},
    {PI_CARRYING_MUL_ADD, 'i', "TTTT", "C"},
    F1(PI_FABS),
    F1(PI_SQRT),
    F1(PI_FLOOR),
    F1(PI_CEIL),
    F1(PI_TRUNC),
    F1(PI_ROUND),
    F1(PI_RINT),
    F2(PI_COPYSIGN),
    {PI_FMA, 'f', "TTT", "T"},
    {PI_FMULADD, 'f', "TTT", "T"},
    F2(PI_MINNUM),
    F2(PI_MAXNUM),
    F2(PI_MINIMUM),
    F2(PI_MAXIMUM),
    F1(PI_SIN),
    F1(PI_COS),
    F1(PI_TAN),
    F1(PI_ASIN),
    F1(PI_ACOS),
    F1(PI_ATAN),
    F2(PI_ATAN2),
    F1(PI_SINH),
    F1(PI_COSH),
    F1(PI_TANH),
    F1(PI_ASINH),
    F1(PI_ACOSH),
    F1(PI_ATANH),
    F1(PI_EXP),
    F1(PI_EXP2),
    F1(PI_EXPM1),
    F1(PI_LOG),
    F1(PI_LOG2),
    F1(PI_LOG10),
    F1(PI_LOG1P),
    F2(PI_POW),
    {PI_POWI, 'f', "Ti", "T"},
    F1(PI_CBRT),
    F2(PI_HYPOT),
    F2(PI_FDIM),
    F1(PI_TGAMMA),
    F1(PI_LGAMMA),
    F1(PI_ERF),
    F1(PI_ERFC),
    {PI_F_TO_INT_U, 'f', "T", "U"},
    F2(PI_FADD_A),
    F2(PI_FSUB_A),
    F2(PI_FMUL_A),
    F2(PI_FDIV_A),
    F2(PI_FREM_A),
    {PI_VOLATILE_LOAD, '.', "p", "T"},
    {PI_VOLATILE_STORE, '.', "pT", "0"},
    {PI_UVOLATILE_LOAD, '.', "p", "T"},
    {PI_UVOLATILE_STORE, '.', "pT", "0"},
    {PI_COPY, '.', "pps", "0"},
    {PI_COPY_NO, '.', "pps", "0"},
    {PI_WRITE_BYTES, '.', "p8s", "0"},
    {PI_SWAP, '.', "pp", "0"},
    {PI_RAW_EQ, '.', "pp", "b"},
    {PI_COMPARE_BYTES, '-', "qqs", "i"},
    {PI_OFFSET_FROM, '.', "pp", "z"},
    {PI_OFFSET_FROM_U, '.', "pp", "s"},
    {PI_ARITH_OFFSET, '.', "pz", "p"},
    {PI_PTR_MASK, '.', "ps", "p"},
    {PI_SIZE_OF_VAL, '?', "S", "s"},
    {PI_ALIGN_OF_VAL, '?', "S", "s"},
    {PI_SLICE_GET, '.', "Us", "T"},
    {PI_DISCRIMINANT, '.', "p", "D"},
    {PI_BLACK_BOX, '.', "T", "T"},
    {PI_SELECT_UNPRED, '.', "bTT", "T"},
    {PI_ABORT, '-', "", "!"},
    {PI_BREAKPOINT, '-', "", "0"},
    {PI_ATOMIC_LOAD, 'a', "p", "T"},
    {PI_ATOMIC_STORE, 'a', "pT", "0"},
    {PI_ATOMIC_XCHG, 'a', "pT", "T"},
    {PI_ATOMIC_ADD, 'a', "pW", "T"},
    {PI_ATOMIC_SUB, 'a', "pW", "T"},
    {PI_ATOMIC_AND, 'a', "pW", "T"},
    {PI_ATOMIC_NAND, 'a', "pW", "T"},
    {PI_ATOMIC_OR, 'a', "pW", "T"},
    {PI_ATOMIC_XOR, 'a', "pW", "T"},
    {PI_ATOMIC_MAX, 'i', "pT", "T"},
    {PI_ATOMIC_MIN, 'i', "pT", "T"},
    {PI_ATOMIC_CAS, 'a', "pTT", "R"},
    {PI_ATOMIC_FENCE, '-', "", "0"},
    {PI_COMPILER_FENCE, '-', "", "0"},
#undef F1
#undef F2
};

static const struct row *row_of(uint32_t id) {
  for (size_t i = 0; i < COUNT_OF(rows); i++)
    if (rows[i].id == id)
      return &rows[i];
  BUG("intrinsic %s has no signature", counts[id].name);
}

static bool is_int(const struct pm_type *t, uint32_t bits, bool is_signed) {
  return t->kind == PM_INT && t->bits == bits && t->is_signed == is_signed;
}

static bool leads_to(struct pm_check *c, const struct pm_type *p, pm_ty to) {
  return p->kind == PM_PTR && pc_same(c, p->elem, to);
}

static bool is_pair(struct pm_check *c, const struct pm_type *t, pm_ty a, pm_ty b) {
  return t->kind == PM_TUPLE && t->n_fields == 2 &&
         (a == PM_NONE || pc_same(c, t->fields[0].ty, a)) &&
         (b == PM_NONE || pc_same(c, t->fields[1].ty, b));
}

static bool pair_of(struct pm_check *c, const struct pm_type *t, const pm_ty *types, char letter) {
  if (letter == 'C')
    return is_pair(c, t, types[1], types[0]);
  return is_pair(c, t, types[0], PM_NONE) && pc_type(c, t->fields[1].ty)->kind == PM_BOOL;
}

static bool fits(struct pm_check *c, pm_ty ty, char letter, const pm_ty *types) {
  const struct pm_type *t = pc_type(c, ty);
  switch (letter) {
  case 'T':
    return pc_same(c, ty, types[0]);
  case 'U':
    return pc_same(c, ty, types[1]);
  case 'V':
    return pc_same(c, ty, types[2]);
  case 'W':
    return pc_same(c, ty, types[0]) ||
           (pc_type(c, types[0])->kind == PM_PTR && is_int(t, 64, false));
  case 'u':
    return is_int(t, 32, false);
  case 'i':
    return is_int(t, 32, true);
  case 's':
    return is_int(t, 64, false);
  case 'z':
    return is_int(t, 64, true);
  case '8':
    return is_int(t, 8, false);
  case 'b':
    return t->kind == PM_BOOL;
  case 'p':
    return pc_is_thin(t) && leads_to(c, t, types[0]);
  case 'q':
    return pc_is_thin(t) && is_int(pc_type(c, t->elem), 8, false);
  case 'S':
    return leads_to(c, t, types[0]);
  case '0':
    return t->size == 0;
  case 'R':
  case 'C':
    return pair_of(c, t, types, letter);
  case 'D':
    return pc_type(c, types[0])->kind == PM_ENUM && pc_same(c, ty, pc_type(c, types[0])->elem);
  default:
    return false;
  }
}

static bool type_allowed(struct pm_check *c, pm_ty ty, char of) {
  const struct pm_type *t = pc_type(c, ty);
  switch (of) {
  case 'i':
    return t->kind == PM_INT;
  case 'f':
    return t->kind == PM_FLOAT;
  case 'a':
    return t->kind == PM_INT || t->kind == PM_BOOL || t->kind == PM_FNPTR || pc_is_thin(t);
  case '.':
    return pc_is_sized(c, ty);
  default:
    return true;
  }
}

static bool check_counts(struct pm_check *c, const struct pm_callee *k, uint32_t n) {
  if (k->n_types == counts[k->id].types && k->n_consts == counts[k->id].consts &&
      n == counts[k->id].args)
    return true;
  pc_error(
      c, MD0235,
      "intrinsic `%s` takes %u types, %u constants and %u arguments, and is given %u, %u and %u",
      counts[k->id].name, counts[k->id].types, counts[k->id].consts, counts[k->id].args, k->n_types,
      k->n_consts, n);
  return false;
}

/* The constants of all intrinsics are memory orderings. */
static bool check_orderings(struct pm_check *c, const struct pm_callee *k) {
  for (uint32_t i = 0; i < k->n_consts; i++) {
    if (k->consts[i] <= 4)
      continue;
    pc_error(c, MD0238, "intrinsic `%s`: there is no memory ordering %llu", counts[k->id].name,
             (unsigned long long)k->consts[i]);
    return false;
  }
  return true;
}

bool pc_intrinsic(struct pm_check *c, const struct pm_callee *k, const struct pm_operand *args,
                  uint32_t n, pm_ty dest) {
  const struct row *r = row_of(k->id);
  if (!check_counts(c, k, n) || !check_orderings(c, k))
    return false;
  if (k->n_types && !type_allowed(c, k->types[0], r->of)) {
    pc_error(c, MD0238, "intrinsic `%s` is not defined for `%.*s` (%u)", counts[k->id].name,
             PC_TY(c, k->types[0]), k->types[0]);
    return false;
  }
  ASSERT(strlen(r->args) == n);
  for (uint32_t i = 0; i < n; i++) {
    if (fits(c, args[i].ty, r->args[i], k->types))
      continue;
    pc_error(c, MD0238, "argument %u of intrinsic `%s` has the type `%.*s` (%u)", i,
             counts[k->id].name, PC_TY(c, args[i].ty), args[i].ty);
    return false;
  }
  if (dest == PM_NONE || fits(c, dest, r->ret[0], k->types))
    return true;
  pc_error(c, MD0238, "the result of intrinsic `%s` cannot be `%.*s` (%u)", counts[k->id].name,
           PC_TY(c, dest), dest);
  return false;
}
