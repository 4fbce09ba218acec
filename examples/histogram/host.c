/* Counts bytes on the GPU and on the CPU. */
#include "examples/common/mirdc_host.h"

int main(int argc, char **argv) {
  struct host h;
  host_open(&h, argc, argv, "histogram.mirdc");
  size_t n = 3000001, bins = 256;
  uint8_t *data = host_memory(n);
  uint32_t got[256], want[256] = {0};
  uint64_t seed = 6;
  for (size_t i = 0; i < n; i++) {
    uint64_t r = host_random(&seed);
    data[i] = (uint8_t)(r & (r >> 8)); /* not evenly spread */
    want[data[i]]++;
  }
  mirdc_devptr dd = host_upload(&h, data, n), db = host_zeros(&h, sizeof got);
  LAUNCH(&h, "histogram", DIM(120), DIM(256), 0, SLICE(dd, n), SLICE(db, bins));
  host_download(&h, got, db, sizeof got);
  host_same_u32(&h, "histogram", got, want, 256);
  return host_close(&h);
}
