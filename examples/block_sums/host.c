/* Runs the kernels on the GPU and compares with the CPU. */
#include <stdlib.h>
#include <string.h>

#include "examples/common/mirdc_host.h"

static uint32_t distance(uint32_t v, uint32_t center) {
  return v > center ? v - center : center - v;
}

static uint32_t center = 1u << 20;
static int by_distance(const void *a, const void *b) {
  uint32_t x = distance(*(const uint32_t *)a, center), y = distance(*(const uint32_t *)b, center);
  return (x > y) - (x < y);
}

static void sums(struct host *h, const int32_t *x, size_t n, int32_t least) {
  size_t blocks = (n + 255) / 256;
  int32_t *want = host_memory(blocks * sizeof *want), *got = host_memory(blocks * sizeof *got);
  for (size_t b = 0; b < blocks; b++) {
    /* All elements are above `least`, so no partial sum is held back. */
    int64_t sum = 0;
    for (size_t i = b * 256; i < b * 256 + 256 && i < n; i++)
      sum += x[i];
    want[b] = (int32_t)sum;
  }
  mirdc_devptr dx = host_upload(h, x, n * sizeof *x), ds = host_zeros(h, blocks * sizeof *got);
  LAUNCH(h, "block_sums", DIM((uint32_t)blocks), DIM(256), 0, SLICE(dx, n), ARG(least),
         SLICE(ds, blocks));
  host_download(h, got, ds, blocks * sizeof *got);
  host_same_bytes(h, "block_sums", got, want, blocks * sizeof *got);
}

static void scan(struct host *h, const uint32_t *x, size_t n) {
  uint32_t first = 5, *want = host_memory(n * sizeof *want), *got = host_memory(n * sizeof *got);
  uint32_t max = first;
  for (size_t i = 0; i < n; i++)
    want[i] = max = x[i] > max ? x[i] : max;
  mirdc_devptr dx = host_upload(h, x, n * sizeof *x), dout = host_zeros(h, n * sizeof *got);
  LAUNCH(h, "running_max", DIM(1), DIM(128), 0, SLICE(dx, n), ARG(first), SLICE(dout, n));
  host_download(h, got, dout, n * sizeof *got);
  host_same_bytes(h, "running_max", got, want, n * sizeof *got);
}

static void sort(struct host *h, uint32_t *x, size_t n) {
  mirdc_devptr dx = host_upload(h, x, n * sizeof *x);
  LAUNCH(h, "sort_tiles", DIM((uint32_t)(n / 256)), DIM(64), 0, SLICE(dx, n), ARG(center));
  uint32_t *got = host_memory(n * sizeof *got), *keys = host_memory(n * sizeof *keys);
  host_download(h, got, dx, n * sizeof *got);
  for (size_t t = 0; t < n; t += 256)
    qsort(x + t, 256, sizeof *x, by_distance);
  /* Equal distances may stand in either order: distances are compared. */
  for (size_t i = 0; i < n; i++) {
    keys[i] = distance(x[i], center);
    got[i] = distance(got[i], center);
  }
  host_same_bytes(h, "sort_tiles", got, keys, n * sizeof *got);
}

int main(int argc, char **argv) {
  struct host h;
  host_open(&h, argc, argv, "block_sums.mirdc");
  size_t n = 100000, m = 256 * 64;
  int32_t *x = host_memory(n * sizeof *x);
  uint32_t *y = host_memory(m * sizeof *y);
  uint64_t seed = 3;
  for (size_t i = 0; i < n; i++)
    x[i] = (int32_t)(host_random(&seed) % 1000);
  for (size_t i = 0; i < m; i++)
    y[i] = (uint32_t)host_random(&seed) >> 8;
  sums(&h, x, n, 0);
  scan(&h, y, 1000);
  sort(&h, y, m);
  return host_close(&h);
}
