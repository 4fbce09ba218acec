/* Draws the Mandelbrot set on the GPU and compares with the CPU. */
#include "examples/common/mirdc_host.h"

struct view {
  double left, top, step;
  uint32_t width, height, limit;
};

int main(int argc, char **argv) {
  struct host h;
  host_open(&h, argc, argv, "mandelbrot.mirdc");
  struct view v = {-2.0, 1.25, 1.0 / 256, 700, 640, 200};
  size_t n = (size_t)v.width * v.height;
  uint32_t *got = host_memory(n * 4), *want = host_memory(n * 4);
  for (uint32_t y = 0; y < v.height; y++)
    for (uint32_t x = 0; x < v.width; x++) {
      double cr = v.left + x * v.step, ci = v.top - y * v.step, r = 0, i = 0;
      uint32_t k = 0;
      for (; k < v.limit; k++) {
        double nr = r * r - i * i + cr;
        i = r * i + i * r + ci;
        r = nr;
        if (r * r + i * i > 4.0)
          break;
      }
      want[y * v.width + x] = k;
    }
  mirdc_devptr d = host_zeros(&h, n * 4);
  struct {
    uint64_t ptr, len, width;
  } out = {d, n, v.width};
  LAUNCH(&h, "mandelbrot", DIM2((v.width + 15) / 16, (v.height + 15) / 16), DIM2(16, 16), 0, ARG(v),
         ARG(out));
  host_download(&h, got, d, n * 4);
  /* Fused multiplications change the last bits, and with them points at the very edge. */
  size_t differ = 0;
  for (size_t i = 0; i < n; i++)
    differ += got[i] != want[i];
  host_check(&h, "mandelbrot differs in fewer than one point of a thousand", differ * 1000 < n);
  host_check(&h, "mandelbrot knows the inside", got[320 * 700 + 512] == v.limit);
  return host_close(&h);
}
