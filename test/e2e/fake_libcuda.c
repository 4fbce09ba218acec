/* A stand-in for the CUDA driver: device memory is host memory, and the two kernels of
 * test/golden/read/_files/k.cu are computed here. Just enough for the loader's test.
 *
 * With FAKE_LOG=FILE there is every kernel; none is computed, but a line with name, grid, block and
 * the bytes of the parameters is added to the file for each launch. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int result;
struct fake_module {
  float table[64];
  uint64_t trap_buf;
};
struct fake_function {
  struct fake_module *module;
  int which, max_dynamic;
  char name[200]; /* logged */
};
static int lost; /* after a trap each call fails */
static int capability = 90;

#define API __attribute__((visibility("default"))) result
#define ALIVE                                                                                      \
  if (lost)                                                                                        \
  return 719

API cuInit(unsigned flags) {
  const char *cc = getenv("FAKE_CC");
  if (cc != NULL)
    capability = atoi(cc);
  return getenv("FAKE_NO_DEVICE") != NULL ? 100 : (int)flags;
}
API cuDriverGetVersion(int *v) {
  *v = 13000;
  return 0;
}
API cuGetErrorName(result r, const char **text) {
  *text = r == 719 ? "CUDA_ERROR_LAUNCH_FAILED" : r == 100 ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR";
  return 0;
}
API cuGetErrorString(result r, const char **text) {
  *text = r == 719 ? "unspecified launch failure" : "it failed";
  return 0;
}
API cuDeviceGetCount(int *n) {
  *n = 1;
  return 0;
}
API cuDeviceGet(int *out, int ordinal) {
  *out = ordinal;
  return ordinal == 0 ? 0 : 101;
}
API cuDeviceGetName(char *name, int n, int d) {
  (void)d;
  strncat(memset(name, 0, (size_t)n), "Stand-in", (size_t)n - 1);
  return 0;
}
API cuDeviceGetAttribute(int *out, int attribute, int d) {
  (void)d;
  *out = attribute == 75 ? capability / 10 : attribute == 76 ? capability % 10 : 232448;
  return 0;
}
API cuDevicePrimaryCtxRetain(void **out, int d) {
  static int context;
  (void)d;
  *out = &context;
  return 0;
}
API cuDevicePrimaryCtxRelease_v2(int d) {
  return d;
}
API cuCtxSetCurrent(void *c) {
  ALIVE;
  return c != NULL ? 0 : 201;
}
API cuCtxSynchronize(void) {
  ALIVE;
  return 0;
}
API cuModuleLoadDataEx(void **out, const void *image, unsigned n, int *options, void **values) {
  (void)n, (void)options;
  if (memcmp(image, "\177ELF", 4) != 0) {
    strncat(values[0], "no ELF file", (size_t)(uintptr_t)values[1]);
    return 200;
  }
  *out = calloc(1, sizeof(struct fake_module));
  return 0;
}
API cuModuleUnload(void *m) {
  free(m);
  return 0;
}
API cuModuleGetFunction(void **out, void *m, const char *name) {
  static struct fake_function f[2];
  int which = strcmp(name, "scale") == 0;
  if (getenv("FAKE_LOG") != NULL) {
    static struct fake_function all[64];
    static unsigned next;
    struct fake_function *g = &all[next++ % 64];
    g->which = -1;
    strncat(memset(g->name, 0, sizeof g->name), name, sizeof g->name - 1);
    *out = g;
    return 0;
  }
  if (!which && strcmp(name, "saxpy") != 0)
    return 500;
  f[which].module = m;
  f[which].which = which;
  *out = &f[which];
  return 0;
}
API cuModuleGetGlobal_v2(uint64_t *out, size_t *size, void *m, const char *name) {
  struct fake_module *module = m;
  int table = strcmp(name, "TABLE") == 0;
  if (!table && strcmp(name, "__mirdc_trap_buf") != 0)
    return 500;
  *out = table ? (uint64_t)(uintptr_t)module->table : (uint64_t)(uintptr_t)&module->trap_buf;
  *size = table ? sizeof module->table : 8;
  return 0;
}
API cuFuncGetAttribute(int *out, int attribute, void *f) {
  struct fake_function *function = f;
  *out = attribute == 8 ? function->max_dynamic : 0;
  return 0;
}
API cuFuncSetAttribute(void *f, int attribute, int value) {
  struct fake_function *function = f;
  if (attribute == 8)
    function->max_dynamic = value;
  return 0;
}

struct saxpy_args {
  float a;
  const float *x;
  float *y;
  uint32_t n;
};
struct scale_args {
  float *data;
  uint64_t n;
  float scale;
  double bias;
};

static void saxpy(const struct saxpy_args *p, uint64_t threads) {
  for (uint64_t i = 0; i < threads && i < p->n; i++)
    p->y[i] = p->a * p->x[i] + p->y[i];
}

static void scale(const struct fake_function *f, const struct scale_args *p, unsigned grid,
                  unsigned block) {
  for (uint64_t i = 0; i < (uint64_t)grid * block; i++) {
    if (i < p->n) {
      p->data[i] = p->data[i] * p->scale + (float)p->bias + f->module->table[i % block % 64];
      continue;
    }
    uint32_t *w = (uint32_t *)(uintptr_t)f->module->trap_buf;
    if (w != NULL) {
      uint32_t words[8] = {1, 7, (uint32_t)(i / block), 0, 0, (uint32_t)(i % block), 0, 0};
      memcpy(w, words, sizeof words);
    }
    lost = 1;
    return;
  }
}

static result log_launch(const struct fake_function *f, const unsigned *shape, const unsigned char *p,
                         size_t n) {
  FILE *file = fopen(getenv("FAKE_LOG"), "a");
  if (file == NULL)
    return 1;
  fprintf(file, "%s %u,%u,%u %u,%u,%u ", f->name, shape[0], shape[1], shape[2], shape[3], shape[4],
          shape[5]);
  for (size_t i = 0; i < n; i++)
    fprintf(file, "%02x", p[i]);
  fputs("\n", file);
  return fclose(file) == 0 ? 0 : 1;
}

API cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **params, void **extra) {
  struct fake_function *function = f;
  (void)stream;
  ALIVE;
  if (params == NULL && extra != NULL && function->which < 0)
    return log_launch(function, (unsigned[]){gx, gy, gz, bx, by, bz}, extra[1], *(size_t *)extra[3]);
  if (params != NULL || extra == NULL || gy * gz * by * bz != 1 ||
      (shared > 49152 && (int)shared > function->max_dynamic))
    return 1;
  size_t bytes = *(size_t *)extra[3];
  if (function->which == 0 && bytes == 28)
    saxpy(extra[1], (uint64_t)gx * bx);
  else if (function->which == 1 && bytes == 32)
    scale(function, extra[1], gx, bx);
  else
    return 1;
  return 0;
}
/* After a trap nothing can be freed, as on a device; what stays is kept in sight of leak checkers. */
static void *kept[64];
API cuMemAlloc_v2(uint64_t *out, size_t n) {
  static unsigned next;
  ALIVE;
  kept[next % 64] = malloc(n);
  *out = (uint64_t)(uintptr_t)kept[next++ % 64];
  return 0;
}
API cuMemFree_v2(uint64_t p) {
  free((void *)(uintptr_t)p);
  return 0;
}
API cuMemHostAlloc(void **out, size_t n, unsigned flags) {
  (void)flags;
  *out = malloc(n);
  return 0;
}
API cuMemFreeHost(void *p) {
  free(p);
  return 0;
}
API cuMemHostGetDevicePointer_v2(uint64_t *out, void *p, unsigned flags) {
  *out = (uint64_t)(uintptr_t)p + flags;
  return 0;
}
API cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t n) {
  ALIVE;
  memcpy((void *)(uintptr_t)to, from, n);
  return 0;
}
API cuMemcpyDtoH_v2(void *to, uint64_t from, size_t n) {
  ALIVE;
  memcpy(to, (void *)(uintptr_t)from, n);
  return 0;
}
API cuMemsetD8_v2(uint64_t to, unsigned char byte, size_t n) {
  ALIVE;
  memset((void *)(uintptr_t)to, byte, n);
  return 0;
}
API cuEventCreate(void **out, unsigned flags) {
  *out = malloc(1 + flags);
  return 0;
}
API cuEventRecord(void *e, void *s) {
  (void)s;
  return e != NULL ? 0 : 400;
}
API cuEventSynchronize(void *e) {
  return e != NULL ? 0 : 400;
}
API cuEventElapsedTime(float *ms, void *a, void *b) {
  *ms = a != b ? 1.5f : 0;
  return 0;
}
API cuEventDestroy_v2(void *e) {
  free(e);
  return 0;
}
