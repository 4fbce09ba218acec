/* Runs the dot product on the GPU and compares with the CPU. */
#include "examples/common/mirdc_host.h"

enum { BLOCKS = 64 };

int main(int argc, char **argv) {
  struct host h;
  host_open(&h, argc, argv, "dot.mirdc");
  size_t n = (1u << 20) + 13, blocks = BLOCKS;
  float *x = host_memory(n * sizeof *x), *y = host_memory(n * sizeof *y), partial[BLOCKS];
  uint64_t seed = 2;
  int64_t exact = 0;
  for (size_t i = 0; i < n; i++) {
    /* Small integers, so that every order of additions gives the same float. */
    int a = (int)(host_random(&seed) % 7) - 3, b = (int)(host_random(&seed) % 5) - 2;
    x[i] = (float)a;
    y[i] = (float)b;
    exact += a * b;
  }
  mirdc_devptr dx = host_upload(&h, x, n * sizeof *x), dy = host_upload(&h, y, n * sizeof *y);
  mirdc_devptr dp = host_zeros(&h, sizeof partial);
  LAUNCH(&h, "dot", DIM(BLOCKS), DIM(256), 0, SLICE(dx, n), SLICE(dy, n), SLICE(dp, blocks));
  host_download(&h, partial, dp, sizeof partial);
  float got = 0, want = (float)exact;
  for (int i = 0; i < BLOCKS; i++)
    got += partial[i];
  host_same_f32(&h, "dot", &got, &want, 1, 0, 0);
  return host_close(&h);
}
