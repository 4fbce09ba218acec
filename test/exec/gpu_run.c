/* Runs a bundle made by test/exec/gpu.py and compares each result with what rustc's own code gave.
 *   gpu_run NAME.mirdc NAME.data */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/common/mirdc_host.h"

struct data {
  uint32_t n, n_names;
  char (*names)[64];
  uint32_t *which;
  uint64_t *a, *b, *want, *got;
};

static void take(FILE *f, void *to, size_t n) {
  if (fread(to, 1, n, f) == n)
    return;
  fprintf(stderr, "the data file is too short\n");
  exit(2);
}

static void read_data(struct data *d, const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f) {
    perror(path);
    exit(2);
  }
  take(f, &d->n, 4);
  take(f, &d->n_names, 4);
  d->names = host_memory(d->n_names * sizeof *d->names + 1);
  d->which = host_memory(d->n * 4u + 4);
  d->a = host_memory(d->n * 8u + 8);
  d->b = host_memory(d->n * 8u + 8);
  d->want = host_memory(d->n * 8u + 8);
  d->got = host_memory(d->n * 8u + 8);
  take(f, d->names, d->n_names * sizeof *d->names);
  take(f, d->which, d->n * 4u);
  take(f, d->a, d->n * 8u);
  take(f, d->b, d->n * 8u);
  take(f, d->want, d->n * 8u);
  fclose(f);
}

static void compare(struct host *h, const struct data *d) {
  for (uint32_t k = 0; k < d->n_names; k++) {
    uint32_t wrong = 0, first = 0;
    for (uint32_t i = 0; i < d->n; i++) {
      if (d->which[i] != k || d->got[i] == d->want[i])
        continue;
      if (wrong++ == 0)
        first = i;
    }
    host_check(h, d->names[k], wrong == 0);
    if (wrong)
      printf("  %u wrong; (%llu, %llu) gives %llu, want %llu\n", wrong,
             (unsigned long long)d->a[first], (unsigned long long)d->b[first],
             (unsigned long long)d->got[first], (unsigned long long)d->want[first]);
  }
}

/* Recursive functions need more than the thousand bytes of stack that a thread gets by itself. */
static void raise_stack(void) {
  void *cuda = dlopen("libcuda.so.1", RTLD_NOW);
  void *set = cuda ? dlsym(cuda, "cuCtxSetLimit") : NULL;
  int (*set_limit)(int, size_t);
  memcpy(&set_limit, &set, sizeof set);
  if (!set || set_limit(0, 64 * 1024) != 0)
    fprintf(stderr, "the stack keeps its size\n");
}

int main(int argc, char **argv) {
  struct host h;
  struct data d;
  if (argc != 3)
    return 2;
  read_data(&d, argv[2]);
  host_open(&h, 2, argv, argv[1]);
  raise_stack();
  size_t n = d.n;
  mirdc_devptr which = host_upload(&h, d.which, n * 4), a = host_upload(&h, d.a, n * 8);
  mirdc_devptr b = host_upload(&h, d.b, n * 8), out = host_zeros(&h, n * 8);
  LAUNCH(&h, "run_all", DIM((uint32_t)((n + 127) / 128)), DIM(128), 0, SLICE(which, n), SLICE(a, n),
         SLICE(b, n), SLICE(out, n));
  host_download(&h, d.got, out, n * 8);
  compare(&h, &d);
  return host_close(&h);
}
