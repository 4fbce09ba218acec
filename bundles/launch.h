/* Launch facts: what a kernel's source fixes about its launches. Kept from the attribute through
 * the manifest to the loader; the flag bits are those of the kernel descriptor (docs/abi.md). */
#ifndef MIRDC_BUNDLES_LAUNCH_H
#define MIRDC_BUNDLES_LAUNCH_H

#include "base/diag.h"

enum launch_flags {
  LAUNCH_BLOCK = 1u << 0,      /* `block` is exact */
  LAUNCH_MAX_BLOCK = 1u << 1,  /* at most max_block threads */
  LAUNCH_MIN_BLOCKS = 1u << 2, /* at least min_blocks resident per multiprocessor */
  LAUNCH_DYN_SHARED = 1u << 3, /* dyn_shared is the compiled allocation, exact */
  LAUNCH_CLUSTER = 1u << 4,    /* `cluster` is exact */
  LAUNCH_KNOWN = 31u
};

struct launch_facts {
  uint32_t flags; /* 0: no facts */
  uint32_t block[3];
  uint32_t max_block;
  uint32_t min_blocks;
  uint32_t cluster[3];
  uint64_t dyn_shared;
  uint32_t dyn_shared_align; /* power of two; 0 when there is no LAUNCH_DYN_SHARED */
};

bool launch_facts_eq(const struct launch_facts *a, const struct launch_facts *b);
/* NULL when the facts are possible on a GPU and agree with each other; otherwise what is wrong. */
const char *launch_facts_wrong(const struct launch_facts *f);

struct launch_request {
  uint32_t grid[3], block[3];
  uint64_t dyn_shared;
};
/* Empty in `why` (capacity n, terminated) and true when the request keeps to the facts. */
bool launch_allows(const struct launch_facts *f, const struct launch_request *r, char *why,
                   size_t n) MUST_CHECK;

#endif
