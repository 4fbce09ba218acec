/* Plays generations of the game of life on the GPU and on the CPU. */
#include <string.h>

#include "examples/common/mirdc_host.h"

static void generation(const uint8_t *from, uint8_t *to, uint32_t w, uint32_t hgt) {
  for (uint32_t y = 0; y < hgt; y++)
    for (uint32_t x = 0; x < w; x++) {
      int around = 0;
      for (uint32_t dy = 0; dy < 3; dy++)
        for (uint32_t dx = 0; dx < 3; dx++)
          if (dx != 1 || dy != 1)
            around += from[(y + hgt + dy - 1) % hgt * w + (x + w + dx - 1) % w];
      to[y * w + x] = around == 3 || (around == 2 && from[y * w + x]);
    }
}

int main(int argc, char **argv) {
  struct host h;
  host_open(&h, argc, argv, "life.mirdc");
  uint32_t w = 203, hgt = 111;
  size_t n = (size_t)w * hgt;
  uint8_t *a = host_memory(n), *b = host_memory(n), *got = host_memory(n);
  uint64_t seed = 8;
  for (size_t i = 0; i < n; i++)
    a[i] = host_random(&seed) % 3 == 0;
  mirdc_devptr from = host_upload(&h, a, n), to = host_zeros(&h, n);
  for (int g = 0; g < 20; g++) {
    struct {
      uint64_t ptr, len, width;
    } out = {to, n, w};
    LAUNCH(&h, "life", DIM2((w + 31) / 32, (hgt + 7) / 8), DIM2(32, 8), 0, SLICE(from, n), ARG(out),
           ARG(w), ARG(hgt));
    mirdc_devptr swap = from;
    from = to;
    to = swap;
    generation(a, b, w, hgt);
    memcpy(a, b, n);
  }
  host_download(&h, got, from, n);
  host_same_bytes(&h, "life after 20 generations", got, a, n);
  return host_close(&h);
}
