/* How far the math functions of a GPU, and those of this machine's libm, which Rust's std calls, are from the right
 * results: the largest error in units of the last place, over numbers of all sizes. The right results are
 * those of a wider type. A GPU must stay within its bound, or be as good as this machine. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/common/mirdc_host.h"

enum { N = 1 << 15 };

static long double rsqrt_l(long double x) {
  return 1 / sqrtl(x);
}
static double rsqrt_d(double x) {
  return 1 / sqrt(x);
}
static float rsqrt_f(float x) {
  return 1 / sqrtf(x);
}

typedef long double one_l(long double);
typedef long double two_l(long double, long double);

/* In the order of ulp.rs: names, the functions of each width, and the bounds for a GPU. */
static const struct {
  const char *name;
  float (*f)(float);
  double (*d)(double);
  one_l *l;
  double bound_f, bound_d;
} ones[] = {
#define ONE(name, of_f, of_d) {#name, name##f, name, name##l, of_f, of_d}
    ONE(sin, 2, 2),    ONE(cos, 2, 2),    ONE(tan, 4, 2),   ONE(asin, 2, 2),  ONE(acos, 2, 2),
    ONE(atan, 2, 2),   ONE(sinh, 3, 2),   ONE(cosh, 2, 1),  ONE(tanh, 2, 2),  ONE(asinh, 3, 3),
    ONE(acosh, 4, 3),  ONE(atanh, 3, 2),  ONE(exp, 2, 1),   ONE(exp2, 2, 1),  ONE(exp10, 2, 1),
    ONE(expm1, 1, 1),  ONE(log, 1, 1),    ONE(log2, 1, 1),  ONE(log10, 2, 1), ONE(log1p, 1, 1),
    ONE(cbrt, 1, 1),   {"rsqrt", rsqrt_f, rsqrt_d, rsqrt_l, 2, 1},
    ONE(erf, 2, 2),    ONE(erfc, 4, 5),   ONE(tgamma, 5, 10),
    {"lgamma", lgammaf, lgamma, lgammal, 6, 4}, ONE(sqrt, 0.5, 0.5)};
static const struct {
  const char *name;
  float (*f)(float, float);
  double (*d)(double, double);
  two_l *l;
  double bound_f, bound_d;
} twos[] = {ONE(pow, 4, 2), ONE(atan2, 3, 2), ONE(hypot, 3, 2), ONE(fmod, 0, 0), ONE(fdim, 0.5, 0.5)};
enum { ONES = sizeof ones / sizeof *ones, TWOS = sizeof twos / sizeof *twos, ROWS = ONES + TWOS };

/* Of `got` as a number with so many bits of mantissa. Beyond the largest and below the smallest normal number
 * the type has no last place of its own: those are left out. */
static double ulps(long double got, long double want, int bits, int least, int most) {
  int e;
  if (isnan(want) || isnan(got))
    return isnan(want) && isnan(got) ? 0 : INFINITY;
  if (want == 0 || isinf(want) || isinf(got))
    return got == want || fabsl(want) >= ldexpl(1, most - 1) || want == 0 ? 0 : INFINITY;
  frexpl(want, &e);
  if (e <= least || e >= most)
    return 0;
  return (double)(fabsl(got - want) / ldexpl(1, e - bits));
}

/* The logarithm of the gamma function has zeros between which nothing is promised. */
static bool counts(size_t row, long double x) {
  return row >= ONES || strcmp(ones[row].name, "lgamma") != 0 || x > -2.264L || x < -10.001L;
}

static long double right(size_t row, long double x, long double y) {
  return row < ONES ? ones[row].l(x) : twos[row - ONES].l(x, y);
}

static void line(struct host *h, size_t row, bool wide, double host, double device, double apart) {
  bool one = row < ONES;
  const char *name = one ? ones[row].name : twos[row - ONES].name;
  double bound = one ? (wide ? ones[row].bound_d : ones[row].bound_f)
                     : (wide ? twos[row - ONES].bound_d : twos[row - ONES].bound_f);
  char text[160];
  snprintf(text, sizeof text, "%s f%d: here %.2f, device %.2f of %g, apart %.0f", name, wide ? 64 : 32, host, device,
           bound, apart);
  /* Bounds of more than half a place count from the rounded result, as CUDA's tables do. */
  host_check(h, text, device <= bound + (bound > 0.5 ? 0.5 : 0) || device <= host);
}

#define MEASURE(T, SUFFIX, KERNEL, BITS, LEAST, MOST, WIDE)                                        \
  static void measure_##SUFFIX(struct host *h) {                                                   \
    T *x = host_memory(N * sizeof *x), *y = host_memory(N * sizeof *y);                            \
    T *out = host_memory(ROWS * N * sizeof *out);                                                  \
    uint64_t state = 7, n = N, all = (uint64_t)ROWS * N;                                           \
    for (size_t i = 0; i < N; i++) {                                                               \
      x[i] = (T)number(&state, i);                                                                 \
      y[i] = (T)number(&state, i + 1);                                                             \
    }                                                                                              \
    mirdc_devptr dx = host_upload(h, x, N * sizeof *x), dy = host_upload(h, y, N * sizeof *y);     \
    mirdc_devptr d = host_zeros(h, ROWS * N * sizeof *out);                                        \
    LAUNCH(h, KERNEL, DIM(N / 128), DIM(128), 0, SLICE(dx, n), SLICE(dy, n), SLICE(d, all));       \
    host_download(h, out, d, ROWS * N * sizeof *out);                                              \
    for (size_t row = 0; row < ROWS; row++) {                                                      \
      double host = 0, device = 0, apart = 0;                                                      \
      for (size_t i = 0; i < N; i++) {                                                             \
        T got = out[row * N + i];                                                                  \
        T here = row < ONES ? ones[row].SUFFIX(x[i]) : twos[row - ONES].SUFFIX(x[i], y[i]);        \
        long double want = right(row, x[i], y[i]);                                                 \
        if (!counts(row, x[i]))                                                                    \
          continue;                                                                                \
        host = fmax(host, ulps(here, want, BITS, LEAST, MOST));                                    \
        device = fmax(device, ulps(got, want, BITS, LEAST, MOST));                                 \
        double off = ulps(got, here, BITS, LEAST, MOST);                                           \
        apart = fmax(apart, off);                                                                  \
      }                                                                                            \
      line(h, row, WIDE, host, device, apart);                                                     \
    }                                                                                              \
    free(x), free(y), free(out);                                                                   \
  }

/* Of all sizes near 1, and some far from it; both signs. */
static double number(uint64_t *state, size_t i) {
  double v = (double)(host_random(state) >> 11) * 0x1p-53, sign = host_random(state) & 1 ? 1 : -1;
  int size = (int)(host_random(state) % 60) - 30;
  return i % 4 == 0 ? sign * v : i % 4 == 1 ? sign * ldexp(1 + v, size / 3) : i % 4 == 2 ? 20 * v : sign * ldexp(1 + v, size);
}

MEASURE(float, f, "all_f32", 24, -125, 128, false)
MEASURE(double, d, "all_f64", 53, -1021, 1024, true)

int main(int argc, char **argv) {
  struct host h;
  host_open(&h, argc, argv, "ulp.mirdc");
  measure_f(&h);
  measure_d(&h);
  return host_close(&h);
}
