/* The cases of the benchmark: one function each, and the table at the end. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/gpu/cases.h"

void *bench_memory(size_t n) {
  void *p = calloc(1, n ? n : 1);
  if (!p) {
    fputs("out of memory\n", stderr);
    exit(2);
  }
  return p;
}

/* ---- building ---- */
static uint64_t next(uint64_t *state) { /* splitmix64 */
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static float unit(uint64_t *state) {
  return (float)(next(state) >> 40) / 16777216.0f;
}

static void *buffer(struct bench_case *c, uint64_t count, size_t size) {
  struct bench_buffer *b = &c->buffers[c->n_buffers++];
  *b = (struct bench_buffer){bench_memory(count * size), count * size, count, 0};
  return b->host;
}

static void floats(struct bench_case *c, uint64_t count, float from, float to) {
  uint64_t seed = c->n_buffers + 1;
  float *p = buffer(c, count, sizeof *p);
  for (uint64_t i = 0; i < count; i++)
    p[i] = from + (to - from) * unit(&seed);
}

static struct bench_arg *argument(struct bench_case *c) {
  return &c->args[c->n_args++];
}

static void slice(struct bench_case *c, unsigned b) {
  *argument(c) = (struct bench_arg){.kind = BENCH_ADDRESS, .buffer = b};
  *argument(c) = (struct bench_arg){.kind = BENCH_COUNT, .buffer = b};
}

static void plane(struct bench_case *c, unsigned b, uint64_t width) {
  *argument(c) = (struct bench_arg){.kind = BENCH_PLANE, .buffer = b, .words = {0, 0, width}};
}

static void value(struct bench_case *c, const void *p, size_t n) {
  struct bench_arg *a = argument(c);
  a->kind = BENCH_BYTES;
  memcpy(a->words, p, n);
}

static void shape(struct bench_case *c, uint64_t threads, unsigned block) {
  c->grid[0] = (unsigned)((threads + block - 1) / block);
  c->grid[1] = c->block[1] = 1;
  c->block[0] = block;
}

static void shape2(struct bench_case *c, unsigned w, unsigned h, unsigned bx, unsigned by) {
  c->grid[0] = (w + bx - 1) / bx;
  c->grid[1] = (h + by - 1) / by;
  c->block[0] = bx;
  c->block[1] = by;
}

static void result(struct bench_case *c, unsigned b, bool is_float, double tolerance) {
  c->result = b;
  c->floats = is_float;
  c->tolerance = tolerance;
}

void bench_free(struct bench_case *c) {
  for (unsigned i = 0; i < c->n_buffers; i++)
    free(c->buffers[i].host);
}

void *bench_argument(const struct bench_case *c, unsigned i) {
  static uint64_t filled[BENCH_MAX_ARGS][6];
  const struct bench_arg *a = &c->args[i];
  const struct bench_buffer *b = &c->buffers[a->buffer];
  memcpy(filled[i], a->words, sizeof filled[i]);
  if (a->kind == BENCH_ADDRESS || a->kind == BENCH_PLANE)
    filled[i][0] = b->device;
  if (a->kind == BENCH_COUNT)
    filled[i][0] = b->count;
  if (a->kind == BENCH_PLANE)
    filled[i][1] = b->count;
  return filled[i];
}

double bench_difference(const struct bench_case *c, const void *got, const void *want) {
  size_t n = c->buffers[c->result].bytes;
  const float *g = got, *w = want;
  double worst = 0;
  if (!c->floats)
    return memcmp(got, want, n) != 0;
  for (size_t i = 0; i < n / sizeof(float); i++) {
    double d = fabs((double)g[i] - (double)w[i]) / fmax(1, fabs((double)w[i]));
    if (isnan(g[i]) != isnan(w[i]))
      d = INFINITY;
    if (d > worst)
      worst = d;
  }
  return worst;
}

/* ---- the cases ---- */
static void make_saxpy(struct bench_case *c) {
  uint64_t n = 1u << 24;
  float a = 0.5f;
  floats(c, n, 0, 1);
  floats(c, n, 0, 1);
  value(c, &a, sizeof a);
  slice(c, 0);
  slice(c, 1);
  shape(c, n, 256);
  result(c, 1, true, 0);
}

static void make_dot(struct bench_case *c) {
  uint64_t n = 1u << 24, blocks = 132 * 8;
  floats(c, n, 0, 1);
  floats(c, n, 0, 1);
  (void)buffer(c, blocks, 4);
  slice(c, 0);
  slice(c, 1);
  slice(c, 2);
  shape(c, blocks * 256, 256);
  result(c, 2, true, 1e-5);
}

static void make_black_scholes(struct bench_case *c) {
  uint64_t n = 1u << 22;
  float market[] = {0.02f, 0.3f};
  floats(c, n, 5, 30);
  floats(c, n, 1, 100);
  floats(c, n, 0.25f, 10);
  (void)buffer(c, n, 4);
  (void)buffer(c, n, 4);
  for (unsigned i = 0; i < 3; i++)
    slice(c, i);
  value(c, market, sizeof market);
  slice(c, 3);
  slice(c, 4);
  shape(c, n, 256);
  result(c, 3, true, 1e-4);
}

static void make_histogram(struct bench_case *c) {
  uint64_t n = 1u << 24, seed = 5;
  uint8_t *data = buffer(c, n, 1);
  for (uint64_t i = 0; i < n; i++)
    data[i] = (uint8_t)next(&seed);
  (void)buffer(c, 256, 4);
  slice(c, 0);
  slice(c, 1);
  shape(c, (uint64_t)132 * 8 * 256, 256);
  result(c, 1, false, 0);
}

static void make_life(struct bench_case *c) {
  uint32_t w = 4096, h = 2048;
  uint64_t seed = 8;
  uint8_t *from = buffer(c, (uint64_t)w * h, 1);
  for (uint64_t i = 0; i < (uint64_t)w * h; i++)
    from[i] = next(&seed) % 3 == 0;
  (void)buffer(c, (uint64_t)w * h, 1);
  slice(c, 0);
  plane(c, 1, w);
  value(c, &w, sizeof w);
  value(c, &h, sizeof h);
  shape2(c, w, h, 32, 8);
  result(c, 1, false, 0);
}

static void make_mandelbrot(struct bench_case *c) {
  struct {
    double left, top, step;
    uint32_t width, height, limit;
  } view = {-2.0, 1.25, 1.0 / 512, 1400, 1280, 500};
  (void)buffer(c, (uint64_t)view.width * view.height, 4);
  value(c, &view, sizeof view);
  plane(c, 0, view.width);
  shape2(c, view.width, view.height, 16, 16);
  result(c, 0, false, 0);
}

static void make_matmul(struct bench_case *c) {
  uint32_t n = 1024;
  floats(c, (uint64_t)n * n, 0, 1);
  floats(c, (uint64_t)n * n, 0, 1);
  (void)buffer(c, (uint64_t)n * n, 4);
  slice(c, 0);
  slice(c, 1);
  plane(c, 2, n);
  value(c, &n, sizeof n);
  shape2(c, n, n, 16, 16);
  result(c, 2, true, 1e-5);
}

static void make_nbody(struct bench_case *c) {
  uint64_t n = 32768, seed = 3;
  float step[] = {0.001f, 0.01f};
  float *b = buffer(c, n, 32);
  for (uint64_t i = 0; i < n * 8; i++)
    b[i] = i % 8 < 4 ? unit(&seed) : 0;
  (void)buffer(c, n, 32);
  slice(c, 0);
  slice(c, 1);
  value(c, step, sizeof step);
  shape(c, n, 128);
  result(c, 1, true, 1e-4);
}

static void make_sha256(struct bench_case *c) {
  uint64_t n = 1u << 16, each = 200, seed = 9;
  uint8_t *text = buffer(c, n * each, 1);
  for (uint64_t i = 0; i < n * each; i++)
    text[i] = (uint8_t)next(&seed);
  uint32_t *ends = buffer(c, n, 4);
  for (uint64_t i = 0; i < n; i++)
    ends[i] = (uint32_t)((i + 1) * each - next(&seed) % 20);
  (void)buffer(c, n, 32);
  slice(c, 0);
  slice(c, 1);
  slice(c, 2);
  shape(c, n, 128);
  result(c, 2, false, 0);
}

static void make_warp_scan(struct bench_case *c) {
  uint64_t n = 1u << 24, seed = 4;
  uint32_t *data = buffer(c, n, 4);
  for (uint64_t i = 0; i < n; i++)
    data[i] = (uint32_t)next(&seed) % 1000;
  (void)buffer(c, n, 4);
  (void)buffer(c, n / 512, 4);
  slice(c, 0);
  slice(c, 1);
  slice(c, 2);
  shape(c, n, 512);
  result(c, 1, false, 0);
}

static void make_iterators(struct bench_case *c) {
  uint64_t n = 1u << 17, seed = 6;
  int32_t *samples = buffer(c, n * 64, 4);
  for (uint64_t i = 0; i < n * 64; i++)
    samples[i] = (int32_t)(next(&seed) % 20001) - 10000;
  (void)buffer(c, n, 32);
  slice(c, 0);
  slice(c, 1);
  shape(c, n, 128);
  result(c, 1, false, 0);
}

static void make_parser(struct bench_case *c) {
  static const char *const fields[] = {"12.5;", "-3;", "400;", ";", " 7.25;", "-0.1 ;", "99999;", "1x;"};
  uint64_t n = 1u << 19, seed = 7;
  uint8_t *text = buffer(c, n * 32, 1);
  for (uint64_t i = 0; i < n; i++)
    for (size_t at = 0;;) {
      /* The one that is wrong is rare. */
      const char *f = fields[next(&seed) % (next(&seed) % 64 == 0 ? 8 : 7)];
      if (at + strlen(f) > 31)
        break;
      memcpy(text + i * 32 + at, f, strlen(f));
      at += strlen(f);
    }
  (void)buffer(c, n, 8);
  slice(c, 0);
  slice(c, 1);
  shape(c, n, 128);
  result(c, 1, false, 0);
}

#define CASE(name) {#name, make_##name}
const struct bench_maker bench_makers[] = {
    CASE(saxpy), CASE(dot),   CASE(black_scholes), CASE(histogram), CASE(life),      CASE(mandelbrot),
    CASE(matmul), CASE(nbody), CASE(sha256),        CASE(warp_scan), CASE(iterators), CASE(parser),
};
const unsigned bench_n_cases = sizeof bench_makers / sizeof *bench_makers;
