/* Inside libmirdc: what its two halves, bundles and modules, share. */
#ifndef MIRDC_BUNDLES_LIBMIRDC_H
#define MIRDC_BUNDLES_LIBMIRDC_H

#include <stdatomic.h>

#include "bundles/bundle.h"
#include "bundles/mirdc.h"

struct mirdc_bundle {
  atomic_int users; /* the opener and each module */
  struct arena arena;
  uint8_t *bytes; /* malloc'd */
  struct bundle *list;
  size_t n;
};

struct lib_kernel {
  size_t bundle; /* in mirdc_bundle.list */
  const struct manifest_kernel *kernel;
};
struct lib_choice {
  enum payload_kind kind; /* cubin or ptx */
  struct gpu_arch arch;
};

void lib_clear(mirdc_error *err);
mirdc_status lib_fail(mirdc_error *err, mirdc_status s, const char *fmt, ...) PRINTF_LIKE(3, 4);
const char *lib_z(str s); /* strings of a manifest are terminated */

/* By symbol or Rust path; an ambiguous name fails. */
mirdc_status lib_find_kernel(const mirdc_bundle *b, const char *name, struct lib_kernel *out,
                             mirdc_error *err);
mirdc_status lib_find_global(const mirdc_bundle *b, const char *name, size_t *bundle,
                             const struct manifest_global **out, mirdc_error *err);
/* The code of one bundle for a device. */
mirdc_status lib_choose(const struct bundle *b, unsigned major, unsigned minor,
                        struct lib_choice *out, mirdc_error *err);
/* Fills in what the caller leaves to the compiled facts, then checks. */
mirdc_status lib_prepare(const struct manifest_kernel *k, const uint32_t grid[3],
                         const uint32_t block[3], uint64_t dyn_shared, struct launch_request *out,
                         mirdc_error *err);
/* Checks the arguments; with `buffer` not NULL also lays them out in it. */
mirdc_status lib_arguments(const struct manifest_kernel *k, const void *const args[],
                           const size_t sizes[], size_t n, char *buffer, mirdc_error *err);
void lib_release(mirdc_bundle *b);

#endif
