/* Hashes many messages on the GPU and with libcrypto on the CPU. */
#include <openssl/sha.h>
#include <string.h>

#include "examples/common/mirdc_host.h"

int main(int argc, char **argv) {
  struct host h;
  host_open(&h, argc, argv, "sha256.mirdc");
  size_t n = 3000, total = 0;
  uint32_t *ends = host_memory(n * 4);
  uint64_t seed = 9;
  for (size_t i = 0; i < n; i++) {
    total += i < 200 ? i : host_random(&seed) % 300; /* every length around the padding's edges */
    ends[i] = (uint32_t)total;
  }
  uint8_t *text = host_memory(total);
  for (size_t i = 0; i < total; i++)
    text[i] = (uint8_t)host_random(&seed);
  uint32_t *got = host_memory(n * 32), *want = host_memory(n * 32);
  for (size_t i = 0; i < n; i++) {
    size_t from = i ? ends[i - 1] : 0;
    uint8_t d[32];
    SHA256(text + from, ends[i] - from, d);
    for (int k = 0; k < 8; k++)
      want[8 * i + (size_t)k] = (uint32_t)d[4 * k] << 24 | (uint32_t)d[4 * k + 1] << 16 |
                                (uint32_t)d[4 * k + 2] << 8 | d[4 * k + 3];
  }
  mirdc_devptr dt = host_upload(&h, text, total), de = host_upload(&h, ends, n * 4);
  mirdc_devptr dg = host_zeros(&h, n * 32);
  LAUNCH(&h, "sha256", DIM((uint32_t)((n + 127) / 128)), DIM(128), 0, SLICE(dt, total), SLICE(de, n),
         SLICE(dg, n));
  host_download(&h, got, dg, n * 32);
  host_same_u32(&h, "sha256", got, want, n * 8);
  return host_close(&h);
}
