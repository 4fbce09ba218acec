/* Runs the smoothing on the GPU and compares with the CPU. */
#include "examples/common/mirdc_host.h"

int main(int argc, char **argv) {
  struct host h;
  host_open(&h, argc, argv, "own_provider.mirdc");
  size_t n = 128 * 300;
  float weight = 0.25f, *x = host_memory(n * sizeof *x), *want = host_memory(n * sizeof *want),
        *got = host_memory(n * sizeof *got);
  uint64_t seed = 9;
  for (size_t i = 0; i < n; i++)
    x[i] = (float)(host_random(&seed) % 1024);
  for (size_t i = 0; i < n; i++) {
    size_t block = i / 128 * 128, first = i + 1 > block + 8 ? i - 7 : block;
    want[i] = x[first];
    for (size_t k = first + 1; k <= i; k++)
      want[i] += (x[k] - want[i]) * weight;
  }
  mirdc_devptr dx = host_upload(&h, x, n * sizeof *x), dout = host_zeros(&h, n * sizeof *got);
  LAUNCH(&h, "smooth", DIM(300), DIM(128), 0, SLICE(dx, n), ARG(weight), SLICE(dout, n));
  host_download(&h, got, dout, n * sizeof *got);
  host_same_f32(&h, "smooth", got, want, n, 2e-6, 0);
  return host_close(&h);
}
