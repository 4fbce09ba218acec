/* The CUDA driver, opened when first needed. Its types are declared here so that neither its
 * headers nor its library are needed to build or to list a bundle. */
#ifndef MIRDC_BUNDLES_CUDA_DRIVER_H
#define MIRDC_BUNDLES_CUDA_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

typedef int cu_result;
typedef int cu_device;
typedef void *cu_context, *cu_module, *cu_function, *cu_stream, *cu_event;
typedef uint64_t cu_devptr;

enum {
  CU_OK = 0,
  CU_NO_DEVICE = 100,
  CU_NOT_FOUND = 500,
  CU_ATTR_OPTIN_SHARED = 97, /* device: opt-in shared memory per block */
  CU_ATTR_CC_MAJOR = 75,
  CU_ATTR_CC_MINOR = 76,
  CU_FUNC_SHARED = 1,            /* function: static shared memory */
  CU_FUNC_MAX_DYN_SHARED = 8,    /* function: settable limit of dynamic shared memory */
  CU_FUNC_NON_PORTABLE_CLUSTER = 14,
  CU_HOST_PORTABLE = 1,
  CU_HOST_DEVICEMAP = 2,
  CU_JIT_ERROR_LOG = 5,
  CU_JIT_ERROR_LOG_SIZE = 6
};
#define CU_PARAM_END ((void *)0)
#define CU_PARAM_BUFFER ((void *)1)
#define CU_PARAM_BUFFER_SIZE ((void *)2)

/* CUDA(result type, member, symbol, arguments) */
struct cuda_driver {
#define CUDA(member, symbol, args) cu_result(*member) args;
#include "bundles/cuda_driver.def"
#undef CUDA
};

/* The driver, initialised; NULL with the reason in `why` (capacity n). Thread-safe; a failure is
 * tried again at the next call. The library is `libcuda.so.1`, or what MIRDC_LIBCUDA names. */
const struct cuda_driver *cuda_driver(char *why, size_t n, cu_result *result);
/* "CUDA_ERROR_…: text" of a result into `out`. */
void cuda_describe(const struct cuda_driver *d, cu_result r, char *out, size_t n);

#endif
