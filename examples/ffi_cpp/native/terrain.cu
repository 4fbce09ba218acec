// Value noise in whole numbers, so that the GPU and the CPU agree to the last bit.
#include "terrain.h"

static __device__ uint32_t corner(uint32_t seed, uint32_t x, uint32_t y) {
  uint32_t h = seed ^ x * 0x9e3779b1u ^ y * 0x85ebca77u;
  h = (h ^ h >> 15) * 0x2c1b3c6du;
  h = (h ^ h >> 12) * 0x297a2d39u;
  return (h ^ h >> 15) & 0xffff;
}

DEVICE struct sample terrain_sample(const struct terrain *t, uint32_t x, uint32_t y) {
  struct sample s = {0, 0, 0};
  for (uint32_t o = 0; o < t->octaves && o < 8; o++) {
    uint32_t cell = 8 - o, cx = x >> cell, cy = y >> cell;
    uint32_t fx = (x << o) & 255, fy = (y << o) & 255;
    uint32_t top = terrain_blend(corner(t->seed + o, cx, cy), corner(t->seed + o, cx + 1, cy), fx);
    uint32_t low = terrain_blend(corner(t->seed + o, cx, cy + 1), corner(t->seed + o, cx + 1, cy + 1), fx);
    s.height += terrain_blend(top, low, fy) >> (o + 1);
    s.octaves++;
  }
  s.water = s.height < 0x6000;
  return s;
}
