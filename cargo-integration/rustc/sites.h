/* Launch sites: calls of kernels that the macros leave in the host's functions, in a region that is
 * never entered (docs/generic-kernels.md). rustc inlines the kernel there with its concrete types;
 * the region is cut out and becomes a function of its own. */
#ifndef MIRDC_RUSTC_SITES_H
#define MIRDC_RUSTC_SITES_H

#include "cargo-integration/rustc/descriptor.h"
#include "cargo-integration/rustc/prepare.h"

struct site {
  const struct mir_item *item; /* the region, as a function of its own; NULL: see fndef */
  const struct rty *fndef;     /* a kernel of another crate that is not generic */
  const struct rty *key;       /* the type that stands for the instance */
  str name;                    /* symbol: kernel, `_`, 32 hexadecimal digits */
  str path;                    /* Rust path with the generic arguments, for people */
  struct span span;            /* of the launch, in the user's source */
  struct kernel_facts *facts;
};
typedef VEC(struct site) sites;

/* Finds all launch sites in the dump, without those of kernels that have a descriptor in the same
 * crate; one for each name. False: reported. */
bool sites_find(struct prep *p, const struct prep_dump *d, sites *out) MUST_CHECK;

#endif
