/* Times the pairs of kernels that bench/callbacks.py --keep DIR compiled, on a GPU:
 *   cc -O2 -I$CUDA/include bench/callbacks_time.c -o DIR/time -lcuda    (stubs will do)
 *   DIR/time DIR/ours.cubin DIR/theirs.cubin DIR/names
 * One line a kernel: median microseconds of ours and of theirs, their ratio, and the ratio of two
 * series of theirs, which is the noise. */
#include <cuda.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 1 << 24, LAUNCHES = 20, ROUNDS = 31 };

static void must(CUresult r, const char *what) {
  if (r == CUDA_SUCCESS)
    return;
  fprintf(stderr, "%s: error %d\n", what, (int)r);
  exit(1);
}

static int ascending(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

static CUdeviceptr input, output;
static CUevent begin, end;

static float series(CUfunction f, unsigned block) {
  uint64_t k = 0;
  void *args[] = {&input, &output, &k};
  float ms;
  must(cuEventRecord(begin, NULL), "record");
  for (int i = 0; i < LAUNCHES; i++)
    must(cuLaunchKernel(f, ELEMENTS / block, 1, 1, block, 1, 1, 0, NULL, args, NULL), "launch");
  must(cuEventRecord(end, NULL), "record");
  must(cuEventSynchronize(end), "wait");
  must(cuEventElapsedTime(&ms, begin, end), "elapsed");
  return ms * 1000 / LAUNCHES;
}

int main(int argc, char **argv) {
  CUdevice dev;
  CUcontext cx;
  CUmodule ours, theirs;
  char name[256];
  double sum = 0;
  int n = 0;
  if (argc != 4)
    return 2;
  must(cuInit(0), "init");
  must(cuDeviceGet(&dev, 0), "device");
  must(cuDevicePrimaryCtxRetain(&cx, dev), "context");
  must(cuCtxSetCurrent(cx), "context");
  must(cuModuleLoad(&ours, argv[1]), argv[1]);
  must(cuModuleLoad(&theirs, argv[2]), argv[2]);
  must(cuMemAlloc(&input, (size_t)ELEMENTS * 8), "memory");
  must(cuMemAlloc(&output, (size_t)ELEMENTS * 8), "memory");
  must(cuMemsetD32(input, 0, (size_t)ELEMENTS * 2), "memory");
  must(cuEventCreate(&begin, 0), "event");
  must(cuEventCreate(&end, 0), "event");
  FILE *names = fopen(argv[3], "r");
  while (names && fscanf(names, "%255s", name) == 1) {
    const char *digits = strpbrk(name, "0123456789");
    unsigned block = (unsigned)strtoul(digits, NULL, 10);
    CUfunction f[2];
    float t[3][ROUNDS];
    must(cuModuleGetFunction(&f[0], ours, name), name);
    must(cuModuleGetFunction(&f[1], theirs, name), name);
    for (int r = -2; r < ROUNDS; r++)
      for (int s = 0; s < 3; s++) {
        float us = series(f[s > 0], block);
        if (r >= 0)
          t[s][r] = us;
      }
    for (int s = 0; s < 3; s++)
      qsort(t[s], ROUNDS, sizeof t[s][0], ascending);
    float a = t[0][ROUNDS / 2], b = t[1][ROUNDS / 2], c = t[2][ROUNDS / 2];
    printf("%-36s %9.2f %9.2f  ratio %.3f  noise %.3f\n", name, a, b, a / b, c / b);
    sum += log(a / b);
    n++;
  }
  printf("geometric mean of %d: %.3f\n", n, n ? exp(sum / n) : 0);
  return n ? 0 : 1;
}
