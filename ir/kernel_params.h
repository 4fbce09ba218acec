/* Where a kernel's parameters lie in the block that a launch hands over (docs/abi.md section 1). */
#ifndef MIRDC_IR_KERNEL_PARAMS_H
#define MIRDC_IR_KERNEL_PARAMS_H

#include "ir/pmir.h"

struct kernel_param {
  uint32_t param;                                         /* of the Rust function */
  enum { PARAM_WHOLE, PARAM_ADDRESS, PARAM_LENGTH } part; /* the last two: of a slice */
  uint64_t off, size, align;
};

/* The parameter block begins at a multiple of 16, which is another one for each architecture: with
 * a larger alignment the offsets of one kernel would differ between its cubins. A type that asks
 * for more is copied to a place that has it. */
uint64_t kernel_param_align(uint64_t align);
/* `out` has room for two for each Rust parameter. Gives the number of bytes of the block. */
uint64_t kernel_params(const struct pmir *m, const struct pm_kernel *k, struct kernel_param *out,
                       uint32_t *n);

#endif
