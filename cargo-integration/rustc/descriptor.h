/* The kernel descriptors that the macros leave in the crate (docs/abi.md). */
#ifndef MIRDC_RUSTC_DESCRIPTOR_H
#define MIRDC_RUSTC_DESCRIPTOR_H

#include "base/diag.h"
#include "cargo-integration/rustc/mir.h"

#define KERNEL_MAGIC 0x4e524b4344524d49u
#define KERNEL_PROTOCOL 1u

enum kernel_flag {
  KERNEL_BLOCK = 1, KERNEL_MAX_BLOCK = 2, KERNEL_MIN_BLOCKS = 4, KERNEL_DYN_SHARED = 8,
  KERNEL_CLUSTER = 16
};
#define KERNEL_EXPORT 0x80000000u

struct kernel_field {
  str name;
  uint64_t off, size, align;
};
enum { PARAM_SLICE = 3 };
struct kernel_param {
  str name;
  uint64_t size, align;
  uint32_t kind; /* docs/abi.md; PARAM_SLICE */
  uint32_t n_fields;
  struct kernel_field *fields;
};
struct kernel_facts {
  uint32_t protocol, flags;
  uint32_t block[3], cluster[3];
  uint32_t max_block, min_blocks;
  uint64_t dyn_shared;
  uint32_t dyn_shared_align;
  const struct rty *entry; /* path of the function */
  str name, path;
  struct kernel_param *params;
  uint32_t n_params;
};

/* Is this static a descriptor? By its last path segment. */
bool descriptor_is(const struct mir_alloc *a);
/* Reads the evaluated bytes. Strings point into the dump's tree. False: reported (MD0171). */
bool descriptor_read(struct diag_sink *s, struct arena *a, const struct mir_file *f,
                     const struct mir_alloc *d, struct kernel_facts *out) MUST_CHECK;

#endif
