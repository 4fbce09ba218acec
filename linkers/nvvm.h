/* libNVVM: NVVM IR text to LTO-IR. The product is checked; the status code is not believed. */
#ifndef MIRDC_LINKERS_NVVM_H
#define MIRDC_LINKERS_NVVM_H

#include "base/fs.h"
#include "linkers/cuda_find.h"
#include "linkers/target.h"

struct nvvm_options {
  struct target arch;   /* compiled for compute_XX of it */
  bool debug;           /* -g -opt=0: relocatable debug output */
  unsigned opt;         /* 0..3; only 0 changes what libNVVM does */
  bool needs_libdevice; /* adds libdevice lazily; ask only when a __nv_ function is called */
};

struct nvvm_module {
  const char *name; /* stable logical name, e.g. "saxpy.nvvm"; never a path: it is in the bytes */
  str text;
};

/* Verifies and compiles one module. *out is owned by the caller (bytes_free); left empty on failure
 * (reported: MD0410 refused by the verifier, MD0411 by the compiler, MD0412 product is not LTO-IR).
 */
bool nvvm_compile(struct diag_sink *s, struct cuda_session *cs, const struct nvvm_module *m,
                  const struct nvvm_options *o, struct bytes *out) MUST_CHECK;
/* Version of the library and of the IR it reads: v[0..3]. False (reported) if it cannot be had. */
bool nvvm_version(struct diag_sink *s, struct cuda_session *cs, int lib[2], int ir[4]) MUST_CHECK;

#endif
