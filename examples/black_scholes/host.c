/* Prices options on the GPU and compares with the exact normal distribution on the CPU. */
#include <math.h>

#include "examples/common/mirdc_host.h"

static double normal(double d) {
  return 0.5 * erfc(-d / sqrt(2));
}

int main(int argc, char **argv) {
  struct host h;
  host_open(&h, argc, argv, "black_scholes.mirdc");
  size_t n = 100003, bytes = n * sizeof(float);
  float *s = host_memory(bytes), *x = host_memory(bytes), *t = host_memory(bytes);
  float *call = host_memory(bytes), *put = host_memory(bytes);
  float *want_call = host_memory(bytes), *want_put = host_memory(bytes);
  struct {
    float rate, volatility;
  } m = {0.02f, 0.3f};
  uint64_t seed = 5;
  for (size_t i = 0; i < n; i++) {
    s[i] = 5 + 25 * host_random_f32(&seed);
    x[i] = 1 + 99 * host_random_f32(&seed);
    t[i] = 0.25f + 9.75f * host_random_f32(&seed);
    double spread = m.volatility * sqrt(t[i]);
    double d1 = (log((double)s[i] / x[i]) + (m.rate + 0.5 * m.volatility * m.volatility) * t[i]) / spread;
    double d2 = d1 - spread, disc = x[i] * exp(-(double)m.rate * t[i]);
    want_call[i] = (float)(s[i] * normal(d1) - disc * normal(d2));
    want_put[i] = (float)(disc * normal(-d2) - s[i] * normal(-d1));
  }
  mirdc_devptr ds = host_upload(&h, s, bytes), dx = host_upload(&h, x, bytes);
  mirdc_devptr dt = host_upload(&h, t, bytes), dc = host_zeros(&h, bytes), dp = host_zeros(&h, bytes);
  LAUNCH(&h, "black_scholes", DIM((uint32_t)((n + 255) / 256)), DIM(256), 0, SLICE(ds, n),
         SLICE(dx, n), SLICE(dt, n), ARG(m), SLICE(dc, n), SLICE(dp, n));
  host_download(&h, call, dc, bytes);
  host_download(&h, put, dp, bytes);
  /* The polynomial for the normal distribution is good to 1e-7 of a price's parts. */
  host_same_f32(&h, "calls", call, want_call, n, 1e-5f, 1e-4f);
  host_same_f32(&h, "puts", put, want_put, n, 1e-5f, 1e-4f);
  return host_close(&h);
}
