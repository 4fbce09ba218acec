#include "examples/common/mirdc_host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(const struct host *h, mirdc_status s, const mirdc_error *err) {
  if (s == MIRDC_OK)
    return;
  fprintf(stderr, "%s: %s: %s\n", h->program, mirdc_status_name(s), err->text);
  exit(1);
}

void host_open(struct host *h, int argc, char **argv, const char *bundle) {
  mirdc_error err;
  char name[128], what[64];
  unsigned major, minor;
  *h = (struct host){.program = argc > 0 ? argv[0] : "host"};
  const char *path = argc > 1 ? argv[1] : bundle;
  must(h, mirdc_open_file(path, &h->bundle, &err), &err);
  must(h, mirdc_device_info(0, name, sizeof name, &major, &minor, &err), &err);
  must(h, mirdc_choose(h->bundle, major, minor, what, sizeof what, &err), &err);
  must(h, mirdc_load(h->bundle, 0, &h->module, &err), &err);
  printf("%s on %s (compute capability %u.%u): %s\n", path, name, major, minor, what);
}

int host_close(struct host *h) {
  mirdc_unload(h->module);
  mirdc_close(h->bundle);
  printf("%u passed, %u failed\n", h->passed, h->failed);
  return h->failed == 0 && h->passed > 0 ? 0 : 1;
}

mirdc_devptr host_zeros(struct host *h, size_t n) {
  mirdc_error err;
  mirdc_devptr p = 0;
  must(h, mirdc_alloc(h->module, n, &p, &err), &err);
  must(h, mirdc_fill(h->module, p, 0, n, &err), &err);
  return p;
}

mirdc_devptr host_upload(struct host *h, const void *from, size_t n) {
  mirdc_error err;
  mirdc_devptr p = 0;
  must(h, mirdc_alloc(h->module, n, &p, &err), &err);
  must(h, mirdc_upload(h->module, p, from, n, &err), &err);
  return p;
}

void host_download(struct host *h, void *to, mirdc_devptr from, size_t n) {
  mirdc_error err;
  must(h, mirdc_download(h->module, to, from, n, &err), &err);
}

void host_free(struct host *h, mirdc_devptr p) {
  mirdc_error err;
  must(h, mirdc_free(h->module, p, &err), &err);
}

static void start(struct host *h, const mirdc_kernel *k, const struct host_dim *grid,
                  const struct host_dim *block, uint64_t shared, const void *const *pointers,
                  const size_t *sizes, size_t n) {
  mirdc_error err;
  const uint32_t *b = block->d[0] != 0 ? block->d : NULL;
  must(h, mirdc_launch(k, grid->d, b, shared, NULL, pointers, sizes, n, &err), &err);
}

double host_launch(struct host *h, const char *kernel, struct host_dim grid, struct host_dim block,
                   uint64_t shared, const struct host_arg *args, size_t n, unsigned times) {
  mirdc_error err;
  const mirdc_kernel *k;
  const void *pointers[64];
  size_t sizes[64];
  float ms = 0;
  if (n > 64) {
    fprintf(stderr, "%s: more than 64 arguments\n", h->program);
    exit(1);
  }
  for (size_t i = 0; i < n; i++) {
    pointers[i] = args[i].p;
    sizes[i] = args[i].n;
  }
  must(h, mirdc_get_kernel(h->module, kernel, &k, &err), &err);
  start(h, k, &grid, &block, shared, pointers, sizes, n);
  must(h, mirdc_sync(h->module, &err), &err);
  if (times == 0)
    return 0;
  mirdc_event begin = NULL, end = NULL;
  must(h, mirdc_event_record(h->module, &begin, NULL, &err), &err);
  for (unsigned i = 0; i < times; i++)
    start(h, k, &grid, &block, shared, pointers, sizes, n);
  must(h, mirdc_event_record(h->module, &end, NULL, &err), &err);
  must(h, mirdc_event_elapsed(h->module, begin, end, &ms, &err), &err);
  mirdc_event_free(h->module, begin);
  mirdc_event_free(h->module, end);
  printf("time %s: %.4f ms a launch, %u launches\n", kernel, (double)ms / times, times);
  return (double)ms / times;
}

bool host_check(struct host *h, const char *name, bool ok) {
  printf("%s %s\n", ok ? "ok" : "not ok", name);
  h->passed += ok;
  h->failed += !ok;
  return ok;
}

static bool near(double got, double want, double relative, double absolute) {
  if (isnan(got) || isnan(want))
    return isnan(got) && isnan(want);
  if (isinf(got) || isinf(want))
    return got == want;
  return fabs(got - want) <= absolute + relative * fabs(want);
}

bool host_same_f32(struct host *h, const char *name, const float *got, const float *want, size_t n,
                   float relative, float absolute) {
  size_t i = 0;
  while (i < n && near((double)got[i], (double)want[i], (double)relative, (double)absolute))
    i++;
  if (i < n)
    printf("  %s[%zu] is %.9g, expected %.9g\n", name, i, (double)got[i], (double)want[i]);
  return host_check(h, name, i == n);
}

bool host_same_f64(struct host *h, const char *name, const double *got, const double *want,
                   size_t n, double relative, double absolute) {
  size_t i = 0;
  while (i < n && near(got[i], want[i], relative, absolute))
    i++;
  if (i < n)
    printf("  %s[%zu] is %.17g, expected %.17g\n", name, i, got[i], want[i]);
  return host_check(h, name, i == n);
}

bool host_same_u32(struct host *h, const char *name, const uint32_t *got, const uint32_t *want,
                   size_t n) {
  size_t i = 0;
  while (i < n && got[i] == want[i])
    i++;
  if (i < n)
    printf("  %s[%zu] is %u, expected %u\n", name, i, got[i], want[i]);
  return host_check(h, name, i == n);
}

bool host_same_bytes(struct host *h, const char *name, const void *got, const void *want,
                     size_t n) {
  const uint8_t *a = got, *b = want;
  size_t i = 0;
  while (i < n && a[i] == b[i])
    i++;
  if (i < n)
    printf("  byte %zu of %s is 0x%02x, expected 0x%02x\n", i, name, a[i], b[i]);
  return host_check(h, name, i == n);
}

void *host_memory(size_t n) {
  void *p = calloc(n > 0 ? n : 1, 1);
  if (p == NULL) {
    fprintf(stderr, "no memory for %zu bytes\n", n);
    exit(1);
  }
  return p;
}

/* SplitMix64. */
uint64_t host_random(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

float host_random_f32(uint64_t *state) {
  return (float)(host_random(state) >> 40) / 16777216.0f;
}
