/* NVRTC: CUDA C++ to LTO-IR in this process. It sees no file: all headers are handed over in memory. */
#ifndef MIRDC_LINKERS_NVRTC_H
#define MIRDC_LINKERS_NVRTC_H

#include "base/fs.h"
#include "linkers/cuda_find.h"
#include "linkers/target.h"

struct nvrtc_source {
  const char *name; /* stable logical name: it is in the bytes */
  str text;         /* a zero byte follows */
  const char *const *header_names;
  const char *const *header_texts;
  size_t n_headers;
};
struct nvrtc_options {
  unsigned cc; /* compiled for compute_XX */
  bool line_info;
};

enum nvrtc_outcome {
  NVRTC_OK,
  NVRTC_REFUSED, /* the source is wrong; the log says why; nothing is reported */
  NVRTC_FAILED   /* reported: MD0400, MD0402, MD0712, MD0718 */
};
/* *out is owned by the caller (bytes_free), empty unless NVRTC_OK. `log` gets what the compiler says. */
enum nvrtc_outcome nvrtc_compile(struct diag_sink *s, struct cuda_session *cs,
                                 const struct nvrtc_source *src, const struct nvrtc_options *o,
                                 struct bytes *out, struct strbuf *log) MUST_CHECK;
/* Everything that decides what the compiler makes of a source, besides its text: for keys of caches. */
bool nvrtc_identity(struct diag_sink *s, struct cuda_session *cs, const struct nvrtc_options *o,
                    struct digest *out) MUST_CHECK;

#endif
