/* Times the kernels of examples/ on a GPU against the same algorithms in CUDA C++ (twins.cu), both as
 * cubins that were made elsewhere:   bench [FOLDER] [KERNEL]
 * FOLDER holds NAME.cubin of each example, nvcc.cubin and nvcc_restrict.cubin. The libraries of the
 * CUDA driver are all that is needed. Results are compared first; then samples of many launches each are
 * taken in turn, so that a change of the clock meets all alike, and a second series of the same nvcc
 * code shows the noise. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/gpu/cases.h"

enum { SAMPLES = 41, SERIES = 4 }; /* nvcc, ours, nvcc again, nvcc with __restrict__ */
static const double MAX_RATIO = 1.05, MAX_MEAN = 1.00, SAMPLE_MS = 1.0;

static struct cuda_driver cu;
static unsigned passed, failed;

static void need(cu_result r, const char *what) {
  const char *name = "?";
  if (r == CU_OK)
    return;
  (void)cu.error_name(r, &name);
  fprintf(stderr, "%s: %s\n", what, name);
  exit(2);
}

static void check(bool ok, const char *kernel, const char *what) {
  printf("%s %s: %s\n", ok ? "ok" : "not ok", kernel, what);
  passed += ok;
  failed += !ok;
}

static void open_driver(void) {
  void *lib = dlopen("libcuda.so.1", RTLD_NOW);
  if (!lib) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
#define CUDA(member, symbol, args) *(void **)&cu.member = dlsym(lib, symbol);
#include "bundles/cuda_driver.def"
#undef CUDA
}

/* ---- one kernel ---- */
static cu_module load(const char *folder, const char *name) {
  char path[4096];
  cu_module m;
  snprintf(path, sizeof path, "%s/%s.cubin", folder, name);
  FILE *f = fopen(path, "rb");
  if (!f) {
    perror(path);
    exit(2);
  }
  (void)fseek(f, 0, SEEK_END);
  long n = ftell(f);
  rewind(f);
  char *image = bench_memory((size_t)n);
  if (fread(image, 1, (size_t)n, f) != (size_t)n)
    exit(2);
  (void)fclose(f);
  need(cu.module_load(&m, image, 0, NULL, NULL), path);
  free(image);
  return m;
}

static void upload(struct bench_case *c) {
  for (unsigned i = 0; i < c->n_buffers; i++) {
    struct bench_buffer *b = &c->buffers[i];
    if (!b->device)
      need(cu.mem_alloc(&b->device, b->bytes), "memory");
    need(cu.upload(b->device, b->host, b->bytes), "upload");
  }
}

static void launch(const struct bench_case *c, cu_function f) {
  void *params[BENCH_MAX_ARGS];
  for (unsigned i = 0; i < c->n_args; i++)
    params[i] = bench_argument(c, i);
  need(cu.launch(f, c->grid[0], c->grid[1], 1, c->block[0], c->block[1], 1, 0, NULL, params, NULL),
       c->name);
}

static void run_once(struct bench_case *c, cu_function f, void *out) {
  const struct bench_buffer *b = &c->buffers[c->result];
  upload(c);
  launch(c, f);
  need(cu.synchronize(), c->name);
  need(cu.download(out, b->device, b->bytes), "download");
}

static void compare(struct bench_case *c, const cu_function *f) {
  size_t n = c->buffers[c->result].bytes;
  void *got = bench_memory(n), *want = bench_memory(n);
  run_once(c, f[0], want);
  run_once(c, f[1], got);
  double worst = bench_difference(c, got, want);
  char text[96];
  snprintf(text, sizeof text, "the same results as CUDA C++ (largest difference %.2g)", worst);
  check(worst <= c->tolerance, c->name, text);
  free(got);
  free(want);
}

/* ---- time ---- */
static double sample(const struct bench_case *c, cu_function f, unsigned times, const cu_event *e) {
  float ms;
  need(cu.event_record(e[0], NULL), "event");
  for (unsigned i = 0; i < times; i++)
    launch(c, f);
  need(cu.event_record(e[1], NULL), "event");
  need(cu.event_synchronize(e[1]), c->name);
  need(cu.event_elapsed(&ms, e[0], e[1]), "event");
  return (double)ms / times;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(const double *v) {
  double sorted[SAMPLES];
  memcpy(sorted, v, sizeof sorted);
  qsort(sorted, SAMPLES, sizeof *sorted, ascending);
  return sorted[SAMPLES / 2];
}

struct row {
  double ms[SERIES], ratio, noise, restricted;
};

static struct row measure(struct bench_case *c, const cu_function *f, const cu_event *e) {
  static double t[SERIES][SAMPLES], r[3][SAMPLES];
  struct row row = {.ratio = 0};
  unsigned times = 1;
  upload(c);
  for (int warm = 0; warm < 3; warm++) {
    double ms = sample(c, f[0], times, e);
    times = ms > SAMPLE_MS ? 1 : (unsigned)(SAMPLE_MS / ms) + 1;
    for (int k = 1; k < SERIES; k++)
      (void)sample(c, f[k], times, e);
  }
  for (int s = 0; s < SAMPLES; s++)
    for (int k = 0; k < SERIES; k++)
      t[(k + s) % SERIES][s] = sample(c, f[(k + s) % SERIES], times, e);
  for (int s = 0; s < SAMPLES; s++) {
    double twin = (t[0][s] + t[2][s]) / 2;
    r[0][s] = t[1][s] / twin;
    r[1][s] = t[2][s] / t[0][s];
    r[2][s] = t[3][s] / twin;
  }
  for (int k = 0; k < SERIES; k++)
    row.ms[k] = median(t[k]);
  row.ratio = median(r[0]);
  row.noise = median(r[1]);
  row.restricted = median(r[2]);
  return row;
}

static struct row one(const char *folder, struct bench_case *c, cu_module nvcc, cu_module restricted,
                      const cu_event *e) {
  cu_module ours = load(folder, c->name);
  cu_function f[SERIES];
  need(cu.module_function(&f[0], nvcc, c->name), c->name);
  need(cu.module_function(&f[1], ours, c->name), c->name);
  f[2] = f[0];
  need(cu.module_function(&f[3], restricted, c->name), c->name);
  compare(c, f);
  struct row r = measure(c, f, e);
  for (unsigned i = 0; i < c->n_buffers; i++)
    need(cu.mem_free(c->buffers[i].device), "memory");
  need(cu.module_unload(ours), c->name);
  return r;
}

static void table(const struct row *rows, const char *const *names, unsigned n) {
  double sum = 0;
  char text[96];
  printf("%-14s %10s %10s %7s %7s %9s\n", "kernel", "ours us", "nvcc us", "ratio", "noise",
         "restrict");
  for (unsigned i = 0; i < n; i++) {
    printf("%-14s %10.2f %10.2f %7.3f %7.3f %9.3f\n", names[i], rows[i].ms[1] * 1e3,
           rows[i].ms[0] * 1e3, rows[i].ratio, rows[i].noise, rows[i].restricted);
    sum += log(rows[i].ratio);
  }
  for (unsigned i = 0; i < n; i++) {
    snprintf(text, sizeof text, "%.3f of the time of CUDA C++, at most %.2f", rows[i].ratio, MAX_RATIO);
    check(rows[i].ratio <= MAX_RATIO, names[i], text);
  }
  double mean = exp(sum / (n ? n : 1));
  snprintf(text, sizeof text, "geometric mean %.3f, at most %.2f", mean, MAX_MEAN);
  check(n > 0 && mean <= MAX_MEAN, "all", text);
}

int main(int argc, char **argv) {
  const char *folder = argc > 1 ? argv[1] : ".", *only = argc > 2 ? argv[2] : "";
  struct row rows[BENCH_MAX_CASES];
  const char *names[BENCH_MAX_CASES];
  unsigned n = 0;
  cu_device device;
  cu_context context;
  cu_event events[2];
  char card[128];
  open_driver();
  need(cu.init(0), "the driver");
  need(cu.device_get(&device, 0), "the device");
  need(cu.device_name(card, sizeof card, device), "the device");
  need(cu.primary_retain(&context, device), "the device");
  need(cu.set_current(context), "the device");
  need(cu.event_create(&events[0], 0), "event");
  need(cu.event_create(&events[1], 0), "event");
  printf("card: %s\n", card);
  cu_module nvcc = load(folder, "nvcc"), restricted = load(folder, "nvcc_restrict");
  for (unsigned i = 0; i < bench_n_cases; i++) {
    struct bench_case c = {.name = bench_makers[i].name};
    if (!strstr(c.name, only))
      continue;
    bench_makers[i].make(&c);
    names[n] = c.name;
    rows[n++] = one(folder, &c, nvcc, restricted, events);
    bench_free(&c);
  }
  table(rows, names, n);
  printf("%u passed, %u failed\n", passed, failed);
  return failed > 0;
}
