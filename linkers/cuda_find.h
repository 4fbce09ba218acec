/* Finds the parts of a CUDA toolkit and opens its libraries when a stage needs them.
 *
 * Searched in this order: the option, $MIRDC_CUDA, $CUDA_HOME, the fetched toolchain
 * (`.toolchain/cuda` of the source tree, or share/mirdc/cuda under the install prefix),
 * /usr/local/cuda, the loader's path. The option and MIRDC_CUDA are a choice: when one is set,
 * nothing else is searched, so that a typing error is never answered with another toolkit. The
 * report says where each part came from. */
#ifndef MIRDC_LINKERS_CUDA_FIND_H
#define MIRDC_LINKERS_CUDA_FIND_H

#include "base/arena.h"
#include "base/depends.h"
#include "base/diag.h"
#include "base/hash.h"

enum cuda_part {
  CUDA_NVVM,      /* libnvvm.so */
  CUDA_NVJITLINK, /* libnvJitLink.so */
  CUDA_NVRTC,     /* libnvrtc.so */
  CUDA_LIBDEVICE, /* libdevice.10.bc */
  CUDA_PTXAS,     /* bin/ptxas */
  CUDA_HEADERS,   /* folder that holds cuda_runtime.h */
  CUDA_CCCL,      /* folder that holds cub/cub.cuh */
  CUDA_PART_COUNT
};

struct store;
struct cuda_options {
  const char *toolkit; /* the option's folder, or NULL */
  struct store *store; /* remembers file digests; borrowed; NULL: digests are computed each time */
};

struct cuda_attempt {
  const char *how; /* "--cuda", "MIRDC_CUDA", … */
  const char *path;
  bool found;
};

struct cuda_location {
  const char *path; /* NULL: missing. A folder for the two header parts. */
  const char *how;  /* which root gave it */
};

/* One per process run; owns the opened libraries' handles; may be used from several threads. */
struct cuda_session;
struct cuda_session *cuda_session_new(const struct cuda_options *o);
void cuda_session_free(struct cuda_session *cs);

const char *cuda_part_name(enum cuda_part p);    /* "libNVVM" */
const char *cuda_part_purpose(enum cuda_part p); /* what it is needed for */
const char *cuda_part_remedy(enum cuda_part p);  /* how to get it */
/* Never opens a library, except that the loader's path is asked when all folders fail. */
struct cuda_location cuda_locate(struct cuda_session *cs, enum cuda_part p);
/* Everything tried for a part, in order; valid as long as the session. */
size_t cuda_attempts(struct cuda_session *cs, enum cuda_part p, const struct cuda_attempt **out);
/* Adds what decided where the parts of a compilation are: files that are there, and that are not. */
void cuda_list(struct cuda_session *cs, struct depends *out);
/* As cuda_locate; MD0400 with all attempts and the remedy when it is missing. */
bool cuda_require(struct diag_sink *s, struct cuda_session *cs, enum cuda_part p,
                  struct cuda_location *out) MUST_CHECK;

/* dlopen on first use; NULL (reported: MD0400, MD0402) when it cannot be had. */
void *cuda_library(struct diag_sink *s, struct cuda_session *cs, enum cuda_part p) MUST_CHECK;
/* The part's file, read once and kept by the session. Reported when missing or unreadable. */
bool cuda_file(struct diag_sink *s, struct cuda_session *cs, enum cuda_part p, str *out) MUST_CHECK;
/* A function of an opened library: also tries `__NAME_13_0` style versioned names. NULL if absent.
 */
void *cuda_function(void *library, const char *name);
/* Reports MD0402 when the function is absent. */
void *cuda_need_function(struct diag_sink *s, struct cuda_session *cs, enum cuda_part p,
                         void *library, const char *name) MUST_CHECK;

/* Digest of the part's file, for cache keys and records. Remembered in the store under device,
 * inode, size, times and path. False (reported) when the part is missing or unreadable. */
bool cuda_part_digest(struct diag_sink *s, struct cuda_session *cs, enum cuda_part p,
                      struct digest *out) MUST_CHECK;
/* "13.0" as the headers say; empty when there are none. */
str cuda_toolkit_version(struct cuda_session *cs);
str cuda_cccl_version(struct cuda_session *cs); /* "3.0.1" */

#endif
