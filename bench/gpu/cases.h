/* What is launched: sizes, inputs, arguments. A case owns its host buffers; device addresses are filled
 * in by the caller. */
#ifndef MIRDC_BENCH_GPU_CASES_H
#define MIRDC_BENCH_GPU_CASES_H

#include "bundles/cuda_driver.h"

enum { BENCH_MAX_ARGS = 16, BENCH_MAX_BUFFERS = 6, BENCH_MAX_CASES = 32 };

struct bench_buffer {
  void *host;
  size_t bytes;
  uint64_t count; /* of elements */
  cu_devptr device;
};

/* An argument: a buffer's address, its number of elements, or bytes. */
struct bench_arg {
  enum { BENCH_ADDRESS, BENCH_COUNT, BENCH_PLANE, BENCH_BYTES } kind;
  unsigned buffer;
  uint64_t words[6]; /* BYTES as they are; PLANE: address, count and width, in this order */
};

struct bench_case {
  const char *name;
  unsigned grid[2], block[2];
  struct bench_buffer buffers[BENCH_MAX_BUFFERS];
  struct bench_arg args[BENCH_MAX_ARGS];
  unsigned n_buffers, n_args;
  unsigned result;   /* the buffer that is compared */
  bool floats;       /* as f32; else byte by byte */
  double tolerance;  /* largest relative difference of floats; 0 for bytes */
};

struct bench_maker {
  const char *name; /* of the kernel and of the cubin */
  void (*make)(struct bench_case *c);
};
extern const struct bench_maker bench_makers[];
extern const unsigned bench_n_cases;

void bench_free(struct bench_case *c);
void *bench_memory(size_t n); /* never NULL */
/* Where the argument's value is; valid until the next call for the same case and argument. */
void *bench_argument(const struct bench_case *c, unsigned i);
/* 0 when equal. Floats: the largest difference, relative to the larger of the value and 1. */
double bench_difference(const struct bench_case *c, const void *got, const void *want);

#endif
