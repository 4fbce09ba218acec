/* Compares the height field with a second one, computed here from the same description. */
#include "examples/common/mirdc_host.h"
#include "examples/ffi_cpp/native/terrain.h"

static uint32_t blend(uint32_t a, uint32_t b, uint32_t f) {
  uint32_t s = f * f * (768 - 2 * f) >> 16;
  return (a * (256 - s) + b * s) >> 8;
}

static uint32_t corner(uint32_t seed, uint32_t x, uint32_t y) {
  uint32_t h = seed ^ x * 0x9e3779b1u ^ y * 0x85ebca77u;
  h = (h ^ h >> 15) * 0x2c1b3c6du;
  h = (h ^ h >> 12) * 0x297a2d39u;
  return (h ^ h >> 15) & 0xffff;
}

static uint32_t height(struct terrain t, uint32_t x, uint32_t y) {
  uint32_t sum = 0;
  for (uint32_t o = 0; o < t.octaves; o++) {
    uint32_t cx = x >> (8 - o), cy = y >> (8 - o), fx = (x << o) & 255, fy = (y << o) & 255;
    uint32_t seed = t.seed + o;
    uint32_t top = blend(corner(seed, cx, cy), corner(seed, cx + 1, cy), fx);
    uint32_t low = blend(corner(seed, cx, cy + 1), corner(seed, cx + 1, cy + 1), fx);
    sum += blend(top, low, fy) >> (o + 1);
  }
  return sum;
}

int main(int argc, char **argv) {
  struct host h;
  host_open(&h, argc, argv, "ffi_cpp.mirdc");
  struct terrain t = {2024, 6};
  uint32_t width = 1021, rows = 600, water = 0, got_water = 0;
  size_t n = (size_t)width * rows, one = 1;
  uint32_t *got = host_memory(n * sizeof *got), *want = host_memory(n * sizeof *want);
  for (size_t i = 0; i < n; i++) {
    uint32_t v = height(t, (uint32_t)i % width, (uint32_t)i / width);
    want[i] = v | t.octaves << 24;
    water += v < 0x6000;
  }
  mirdc_devptr out = host_zeros(&h, n * sizeof *got), count = host_zeros(&h, sizeof water);
  LAUNCH(&h, "heights", DIM((uint32_t)((n + 255) / 256)), DIM(256), 0, ARG(t), ARG(width),
         SLICE(out, n), SLICE(count, one));
  host_download(&h, got, out, n * sizeof *got);
  host_download(&h, &got_water, count, sizeof got_water);
  host_same_u32(&h, "heights", got, want, n);
  host_check(&h, "some of it lies under water, and all of that is counted",
             water > 0 && water < n && got_water == water);
  return host_close(&h);
}
