/* Runs the matrix product on the GPU and compares with the CPU. */
#include "examples/common/mirdc_host.h"

int main(int argc, char **argv) {
  struct host h;
  host_open(&h, argc, argv, "matmul.mirdc");
  uint32_t n = 333; /* not a multiple of the tile */
  size_t count = (size_t)n * n;
  float *a = host_memory(count * sizeof *a), *b = host_memory(count * sizeof *b);
  float *c = host_memory(count * sizeof *c), *want = host_memory(count * sizeof *want);
  uint64_t seed = 3;
  for (size_t i = 0; i < count; i++) {
    a[i] = host_random_f32(&seed) - 0.5f;
    b[i] = host_random_f32(&seed) - 0.5f;
  }
  for (uint32_t row = 0; row < n; row++)
    for (uint32_t col = 0; col < n; col++) {
      double sum = 0;
      for (uint32_t k = 0; k < n; k++)
        sum += (double)a[row * n + k] * b[k * n + col];
      want[row * n + col] = (float)sum;
    }
  mirdc_devptr da = host_upload(&h, a, count * sizeof *a), db = host_upload(&h, b, count * sizeof *b);
  mirdc_devptr dc = host_zeros(&h, count * sizeof *c);
  struct {
    uint64_t ptr, len, width;
  } out = {dc, count, n};
  uint32_t blocks = (n + 15) / 16;
  LAUNCH(&h, "matmul", DIM2(blocks, blocks), DIM2(16, 16), 0, SLICE(da, count), SLICE(db, count),
         ARG(out), ARG(n));
  host_download(&h, c, dc, count * sizeof *c);
  host_same_f32(&h, "matmul", c, want, count, 1e-5f, 1e-4f);
  return host_close(&h);
}
