/* Arithmetic that emulated code calls for: libm, and what the code generator leaves to a library.
 */
#include "emulator/engine.h"

#include <math.h>
#include <string.h>

/* ---- half precision, with one rounding each ---- */
static float half_to_float(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000u) << 16, e = h >> 10 & 31, m = h & 0x3ffu, bits;
  float f;
  if (e == 31)
    bits = sign | 0x7f800000u | m << 13 | (m ? 0x400000u : 0);
  else if (e > 0)
    bits = sign | (e + 112) << 23 | m << 13;
  else {
    f = ldexpf((float)m, -24);
    return sign ? -f : f;
  }
  memcpy(&f, &bits, sizeof f);
  return f;
}

/* To nearest even from the bits of a double: the last place of the result is 2^(e - 10), or 2^-24
 * for subnormal ones. */
static uint16_t double_to_half(double d) {
  uint64_t bits;
  memcpy(&bits, &d, sizeof bits);
  uint16_t sign = (uint16_t)(bits >> 48 & 0x8000u);
  uint64_t m = bits & ((UINT64_C(1) << 52) - 1);
  int e = (int)(bits >> 52 & 0x7ff) - 1023;
  if (e == 1024)
    return (uint16_t)(sign | 0x7c00u | (m ? 0x200u | (uint16_t)(m >> 42) : 0));
  if (e >= 16)
    return (uint16_t)(sign | 0x7c00u);
  if (e < -25)
    return sign;
  m |= UINT64_C(1) << 52;
  unsigned cut = e < -14 ? (unsigned)(42 + (-14 - e)) : 42;
  uint64_t keep = m >> cut, rest = m & ((UINT64_C(1) << cut) - 1), half = UINT64_C(1) << (cut - 1);
  if (rest > half || (rest == half && (keep & 1)))
    keep++;
  /* A carry out of the mantissa is the next exponent, and the infinity after the last. */
  uint64_t biased = e < -14 ? 0 : (uint64_t)(e + 14) << 10;
  return (uint16_t)(sign | (biased + keep));
}

static uint16_t float_to_half(float f) {
  return double_to_half((double)f);
}

/* The product is exact in a double. The sum is rounded to odd there, so that rounding it once more
 * gives what one rounding would. */
static uint16_t half_fma(uint16_t a, uint16_t b, uint16_t c) {
  double p = (double)half_to_float(a) * (double)half_to_float(b), z = (double)half_to_float(c);
  double s = p + z, t = s - p, err = (p - (s - t)) + (z - t);
  if (isfinite(s) && err != 0) {
    uint64_t bits;
    memcpy(&bits, &s, sizeof bits);
    if (!(bits & 1))
      bits += (err > 0) == (s > 0) ? 1 : UINT64_MAX;
    memcpy(&s, &bits, sizeof s);
  }
  return double_to_half(s);
}

static float rsqrt_f32(float a) {
  return (float)(1.0 / sqrt((double)a));
}

static double rsqrt_f64(double a) {
  return 1.0 / sqrt(a);
}

struct row {
  const char *name;
  void *p;
};
#define ROW(name, fn)                                                                              \
  { name, (void *)(uintptr_t)(fn) }
#define BOTH(fn) ROW(#fn, fn), ROW(#fn "f", fn##f)

void *emu_math_symbol(str name) {
  static const struct row rows[] = {ROW("half_fma", half_fma), ROW("rsqrt", rsqrt_f64),
                                    ROW("rsqrtf", rsqrt_f32)};
  for (size_t i = 0; i < COUNT_OF(rows); i++)
    if (str_eqz(name, rows[i].name))
      return rows[i].p;
  return NULL;
}

/* ---- libraries ---- */
__extension__ typedef __int128 i128;
u128 __udivti3(u128, u128);
u128 __umodti3(u128, u128);
i128 __divti3(i128, i128);
i128 __modti3(i128, i128);

/* Given one by one: a program that opens this library need not have libm where LLVM looks for it.
 */
void emu_add_libraries(void (*add)(const char *name, void *p)) {
  static const struct row rows[] = {BOTH(sin),
                                    BOTH(cos),
                                    BOTH(tan),
                                    BOTH(asin),
                                    BOTH(acos),
                                    BOTH(atan),
                                    BOTH(sinh),
                                    BOTH(cosh),
                                    BOTH(tanh),
                                    BOTH(asinh),
                                    BOTH(acosh),
                                    BOTH(atanh),
                                    BOTH(exp),
                                    BOTH(exp2),
                                    BOTH(exp10),
                                    BOTH(expm1),
                                    BOTH(log),
                                    BOTH(log2),
                                    BOTH(log10),
                                    BOTH(log1p),
                                    BOTH(cbrt),
                                    BOTH(erf),
                                    BOTH(erfc),
                                    BOTH(tgamma),
                                    BOTH(lgamma),
                                    BOTH(trunc),
                                    BOTH(round),
                                    BOTH(rint),
                                    BOTH(floor),
                                    BOTH(ceil),
                                    BOTH(sqrt),
                                    BOTH(fabs),
                                    BOTH(fma),
                                    BOTH(fmin),
                                    BOTH(fmax),
                                    BOTH(pow),
                                    BOTH(atan2),
                                    BOTH(hypot),
                                    BOTH(fmod),
                                    BOTH(fdim),
                                    BOTH(ldexp),
                                    BOTH(nearbyint),
                                    BOTH(roundeven),
                                    BOTH(copysign),
                                    ROW("memcpy", memcpy),
                                    ROW("memmove", memmove),
                                    ROW("memset", memset),
                                    ROW("memcmp", memcmp),
                                    ROW("__udivti3", __udivti3),
                                    ROW("__umodti3", __umodti3),
                                    ROW("__divti3", __divti3),
                                    ROW("__modti3", __modti3),
                                    ROW("__gnu_h2f_ieee", half_to_float),
                                    ROW("__gnu_f2h_ieee", float_to_half),
                                    ROW("__truncdfhf2", double_to_half)};
  for (size_t i = 0; i < COUNT_OF(rows); i++)
    add(rows[i].name, rows[i].p);
}
