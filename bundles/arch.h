/* GPU architectures as bundles name them, and which device runs what. */
#ifndef MIRDC_BUNDLES_ARCH_H
#define MIRDC_BUNDLES_ARCH_H

#include "base/arena.h"

struct gpu_arch {
  uint16_t number; /* 90 for sm_90; 0: none */
  char suffix;     /* 'a', 'f' or 0 */
};

/* Takes sm_90, compute_90, and the a and f forms. False on anything else. */
bool gpu_arch_parse(str text, struct gpu_arch *out) MUST_CHECK;
/* "sm_90a"; "" for none. */
str gpu_arch_str(struct arena *a, struct gpu_arch arch);
int gpu_arch_cmp(struct gpu_arch a, struct gpu_arch b);
/* NULL when a cubin made for `arch` runs on a device of that compute capability; otherwise the
 * reason, a static text. */
const char *gpu_arch_refuse_cubin(struct gpu_arch arch, unsigned major, unsigned minor);
/* The same for PTX, which the driver compiles. */
const char *gpu_arch_refuse_ptx(struct gpu_arch arch, unsigned major, unsigned minor);

#endif
