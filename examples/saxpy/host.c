/* Runs saxpy on the GPU and compares with the CPU. */
#include "examples/common/mirdc_host.h"

int main(int argc, char **argv) {
  struct host h;
  host_open(&h, argc, argv, "saxpy.mirdc");
  size_t n = (1u << 20) + 77; /* not a multiple of the block */
  uint64_t seed = 1;
  float *x = host_memory(n * sizeof *x), *y = host_memory(n * sizeof *y);
  float *want = host_memory(n * sizeof *want), a = 2.5f;
  for (size_t i = 0; i < n; i++) {
    x[i] = host_random_f32(&seed);
    y[i] = host_random_f32(&seed);
    want[i] = a * x[i] + y[i];
  }
  mirdc_devptr dx = host_upload(&h, x, n * sizeof *x), dy = host_upload(&h, y, n * sizeof *y);
  LAUNCH(&h, "saxpy", DIM((uint32_t)((n + 255) / 256)), DIM(256), 0, ARG(a), SLICE(dx, n),
         SLICE(dy, n));
  host_download(&h, y, dy, n * sizeof *y);
  /* The GPU fuses the multiplication with the addition. */
  host_same_f32(&h, "saxpy", y, want, n, 1e-6f, 1e-7f);
  return host_close(&h);
}
