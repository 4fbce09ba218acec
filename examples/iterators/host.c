/* Statistics of rows on the GPU, and by plain loops on the CPU. */
#include <string.h>

#include "examples/common/mirdc_host.h"

enum { ROW = 64 };
struct stats {
  int64_t sum;
  int32_t smallest, largest;
  uint32_t first_above, rises;
  int64_t pairs;
};

static struct stats reference(const int32_t *row) {
  struct stats s = {0, INT32_MAX, INT32_MIN, ROW, 0, 0};
  for (int i = 0; i < ROW; i++) {
    s.sum += row[i];
    s.smallest = row[i] < s.smallest ? row[i] : s.smallest;
    s.largest = row[i] > s.largest ? row[i] : s.largest;
    s.rises += i > 0 && row[i] > row[i - 1];
    if (i % 2)
      s.pairs += (int64_t)(i / 2 + 1) * row[i - 1] * row[i];
  }
  for (int i = ROW; i-- > 0;)
    if (row[i] > s.sum / ROW)
      s.first_above = (uint32_t)i;
  return s;
}

int main(int argc, char **argv) {
  struct host h;
  host_open(&h, argc, argv, "iterators.mirdc");
  size_t n = 5000, samples = n * ROW;
  int32_t *v = host_memory(samples * 4);
  struct stats *got = host_memory(n * sizeof *got), *want = host_memory(n * sizeof *want);
  memset(got, 0, n * sizeof *got);
  uint64_t seed = 11;
  for (size_t i = 0; i < samples; i++)
    v[i] = (int32_t)(host_random(&seed) % 2000001) - 1000000;
  for (size_t i = 0; i < n; i++)
    want[i] = reference(v + i * ROW);
  mirdc_devptr dv = host_upload(&h, v, samples * 4), dg = host_zeros(&h, n * sizeof *got);
  LAUNCH(&h, "iterators", DIM((uint32_t)((n + 127) / 128)), DIM(128), 0, SLICE(dv, samples),
         SLICE(dg, n));
  host_download(&h, got, dg, n * sizeof *got);
  host_same_bytes(&h, "iterators", got, want, n * sizeof *got);
  return host_close(&h);
}
