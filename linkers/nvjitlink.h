/* nvJitLink, one link from first to last call. Only finalizer.c calls it: nothing here judges the
 * product. */
#ifndef MIRDC_LINKERS_NVJITLINK_H
#define MIRDC_LINKERS_NVJITLINK_H

#include "base/fs.h"
#include "linkers/cuda_find.h"
#include "linkers/link_input.h"

enum jit_stage { JIT_CREATE, JIT_ADD, JIT_COMPLETE, JIT_PRODUCT, JIT_DONE, JIT_CRASH };

struct jit_request {
  const char *const *options;
  size_t n_options;
  const struct link_input *inputs; /* names are C strings too: a zero byte follows */
  size_t n_inputs;
  bool want_ptx;
};

struct jit_result {
  enum jit_stage stage; /* where it ended; JIT_DONE: all calls returned 0 */
  int rc;               /* the library's number; the signal's when it crashed */
  size_t input;         /* the input at fault when stage is JIT_ADD */
  struct strbuf error_log, info_log;
  struct bytes product;
  uint64_t ns;
};

/* False (reported) only when the library cannot be used at all. */
bool nvjitlink_run(struct diag_sink *s, struct cuda_session *cs, const struct jit_request *q,
                   struct jit_result *r) MUST_CHECK;
/* The same in a child process: for inputs of others, which may crash the library, and for line
 * information, whose files must not be found. Costs 7 ms more when a process links repeatedly. */
bool nvjitlink_run_guarded(struct diag_sink *s, struct cuda_session *cs,
                           const struct jit_request *q, struct jit_result *r) MUST_CHECK;
void jit_result_free(struct jit_result *r);
bool nvjitlink_version(struct diag_sink *s, struct cuda_session *cs, unsigned v[2]) MUST_CHECK;

#endif
