/* Kernels: found by descriptor or by name, written with their parameters and launch facts. */
#ifndef MIRDC_RUSTC_KERNELS_H
#define MIRDC_RUSTC_KERNELS_H

#include "cargo-integration/rustc/emit.h"

bool kernels_find(struct prep *p, const char *const *entries, size_t n) MUST_CHECK;
/* The first instances of a round. */
bool kernels_roots(struct prep *p) MUST_CHECK;
/* Types of the parameters; refuses what cannot be passed. */
bool kernels_params(struct prep *p) MUST_CHECK;
/* What the elements of a macro crate slice are; NULL: the type is none. */
const struct rty *kernels_slice_elem(const struct kernel_param *q, const struct rty *ty);
void kernels_write(struct prep *p, struct jsonw *w);

#endif
