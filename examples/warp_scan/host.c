/* Scans blocks on the GPU and compares with running sums on the CPU. */
#include "examples/common/mirdc_host.h"

enum { BLOCK = 512 };

int main(int argc, char **argv) {
  struct host h;
  host_open(&h, argc, argv, "warp_scan.mirdc");
  size_t n = 100 * BLOCK + 37, blocks = (n + BLOCK - 1) / BLOCK;
  uint32_t *data = host_memory(n * 4), *got = host_memory(n * 4), *want = host_memory(n * 4);
  uint32_t *totals = host_memory(blocks * 4), *want_totals = host_memory(blocks * 4), sum = 0;
  uint64_t seed = 7;
  for (size_t i = 0; i < n; i++) {
    data[i] = (uint32_t)host_random(&seed);
    sum = i % BLOCK ? sum + data[i] : data[i];
    want[i] = sum;
    want_totals[i / BLOCK] = sum;
  }
  mirdc_devptr dd = host_upload(&h, data, n * 4), dg = host_zeros(&h, n * 4);
  mirdc_devptr dt = host_zeros(&h, blocks * 4);
  LAUNCH(&h, "warp_scan", DIM((uint32_t)blocks), DIM(BLOCK), 0, SLICE(dd, n), SLICE(dg, n),
         SLICE(dt, blocks));
  host_download(&h, got, dg, n * 4);
  host_download(&h, totals, dt, blocks * 4);
  host_same_u32(&h, "warp_scan", got, want, n);
  host_same_u32(&h, "warp_scan totals", totals, want_totals, blocks);
  return host_close(&h);
}
