/* A small helper for the host programs of the examples, over libmirdc. A failure of the library is
 * printed and ends the program, so that an example shows only what it is about.
 *
 *   struct host h;
 *   host_open(&h, argc, argv, "saxpy.mirdc");        // argv[1] names another bundle
 *   mirdc_devptr x = host_upload(&h, xs, sizeof xs);
 *   LAUNCH(&h, "saxpy", DIM(blocks), DIM(256), 0, ARG(a), ARG(x), ARG(y), ARG(n));
 *   host_download(&h, ys, y, sizeof ys);
 *   host_same_f32(&h, "saxpy", ys, want, n, 1e-6f, 0);
 *   return host_close(&h);                            // prints "N passed, N failed"
 */
#ifndef MIRDC_EXAMPLES_HOST_H
#define MIRDC_EXAMPLES_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bundles/mirdc.h"

struct host {
  mirdc_bundle *bundle;
  mirdc_module *module;
  const char *program;
  unsigned passed, failed;
};

struct host_dim {
  uint32_t d[3];
};
#define DIM(x) ((struct host_dim){{(x), 1, 1}})
#define DIM2(x, y) ((struct host_dim){{(x), (y), 1}})
#define DIM3(x, y, z) ((struct host_dim){{(x), (y), (z)}})

struct host_arg {
  const void *p;
  size_t n;
};
#define ARG(v) ((struct host_arg){&(v), sizeof(v)})
/* A slice parameter: two arguments, pointer and length. */
#define SLICE(p, n) ARG(p), ARG(n)

void host_open(struct host *h, int argc, char **argv, const char *bundle);
/* The exit status: 0 when nothing failed. */
int host_close(struct host *h);

mirdc_devptr host_upload(struct host *h, const void *from, size_t n);
mirdc_devptr host_zeros(struct host *h, size_t n);
void host_download(struct host *h, void *to, mirdc_devptr from, size_t n);
void host_free(struct host *h, mirdc_devptr p);

/* Launches and waits. `block` may be DIM(0): the block the kernel was compiled for. */
#define LAUNCH(h, kernel, grid, block, shared, ...)                                                \
  host_launch((h), (kernel), (grid), (block), (shared), (struct host_arg[]){__VA_ARGS__},          \
              sizeof((struct host_arg[]){__VA_ARGS__}) / sizeof(struct host_arg), 0)
/* Launches once to warm up and `times` times between events; prints and returns the milliseconds
 * of one launch. The kernel must bear being run several times. */
#define TIME(h, kernel, grid, block, shared, times, ...)                                           \
  host_launch((h), (kernel), (grid), (block), (shared), (struct host_arg[]){__VA_ARGS__},          \
              sizeof((struct host_arg[]){__VA_ARGS__}) / sizeof(struct host_arg), (times))
double host_launch(struct host *h, const char *kernel, struct host_dim grid, struct host_dim block,
                   uint64_t shared, const struct host_arg *args, size_t n, unsigned times);

/* Each prints "ok NAME" or "not ok NAME" with the first difference, and counts. A value passes when
 * |got - want| <= absolute + relative * |want|; NaN equals NaN. */
bool host_same_f32(struct host *h, const char *name, const float *got, const float *want, size_t n,
                   float relative, float absolute);
bool host_same_f64(struct host *h, const char *name, const double *got, const double *want,
                   size_t n, double relative, double absolute);
bool host_same_u32(struct host *h, const char *name, const uint32_t *got, const uint32_t *want,
                   size_t n);
bool host_same_bytes(struct host *h, const char *name, const void *got, const void *want, size_t n);
bool host_check(struct host *h, const char *name, bool ok);

/* Memory that is never NULL, and numbers that are the same on each machine. */
void *host_memory(size_t n);
uint64_t host_random(uint64_t *state);
float host_random_f32(uint64_t *state); /* in [0, 1) */

#endif
