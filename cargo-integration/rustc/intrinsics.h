/* Names of rustc's intrinsics and of the math functions of its libraries. */
#ifndef MIRDC_RUSTC_INTRINSICS_H
#define MIRDC_RUSTC_INTRINSICS_H

#include "cargo-integration/rustc/rty.h"

struct intrinsic {
  const char *name; /* in the result */
  const struct rty *types[3];
  uint32_t n_types, n_consts;
  uint64_t consts[2]; /* orderings as the result counts them */
};
/* By path (`core::intrinsics::ctpop::<u32>`). False: the table has no such row. */
bool intrinsic_find(struct rty_table *t, const struct rty *path, struct intrinsic *out);
/* The name after `intrinsics::`. */
str intrinsic_base(const struct rty *path);
/* `std::sys::cmath::tanf` and the like: the operation and its float type; NULL for other paths. */
const char *intrinsic_of_libm(const struct rty *path, const struct rty **ty, struct rty_table *t);
/* core::intrinsics::AtomicOrdering as a constant argument, 0 relaxed … 4 seqcst. */
bool intrinsic_ordering(const struct rty *c, uint64_t *out);

#endif
