/* The finalizer: the only way to nvJitLink. Takes an ordered list of owned inputs and returns a
 * cubin (or PTX) that has been checked against what the caller expects, or a diagnostic. May run
 * in several threads at once with one session; each thread brings its own sink. */
#ifndef MIRDC_LINKERS_FINALIZER_H
#define MIRDC_LINKERS_FINALIZER_H

#include "base/fs.h"
#include "linkers/cubin.h"
#include "linkers/cuda_find.h"
#include "linkers/link_input.h"

struct link_policy {
  struct target arch;
  bool fmad;    /* fused multiply-add allowed */
  unsigned opt; /* 0..3 */
  bool line_info, debug;
  unsigned max_registers; /* 0: no limit */
  bool want_ptx;          /* PTX instead of a cubin */
  /* Drops device variables that no kernel uses, except the named ones (which the library would
   * otherwise fold to their initial value). */
  bool prune_variables;
  const str *keep_variables;
  size_t n_keep_variables;
  const char *const *extra; /* further options out of a closed list; see finalizer_option_known */
  size_t n_extra;
};

/* What an entry point must look like in the product. */
struct link_kernel {
  str name;
  struct span span;    /* its source, for messages */
  uint32_t reqntid[3]; /* zeros: none */
  uint32_t maxntid[3]; /* zeros: none */
  uint32_t cluster[3]; /* zeros: none */
  bool check_params;
  const struct cubin_param *params; /* ordered by index */
  uint32_t n_params;
};

/* Where a symbol is used in the user's source, and by which kernel, to place messages about it. */
struct link_symbol {
  str name;
  struct span span;
  str kernel; /* may be empty */
};

struct link_expect {
  const struct link_kernel *kernels;
  size_t n_kernels;
  bool only_these;      /* any other entry point is an error */
  const str *forbidden; /* symbols that must be gone: callbacks, thunks */
  size_t n_forbidden;
  str own_text; /* IR of the only input that may leave functions; empty: any may */
  bool forbidden_warns; /* one that is there is slow, but not wrong */
  const struct link_symbol *symbols; /* for messages only */
  size_t n_symbols;
  /* Set when the code declares variables that another input defines: the library gives an undefined
   * variable the value zero without a word, so the linked PTX is searched for them (one more link).
   */
  bool check_externals;
  bool allow_externals; /* linked PTX may declare what it does not define */
};

struct link_report {
  struct arena arena;
  struct cubin cubin;  /* points into the product; not set for PTX */
  str info_log;        /* what the library said */
  size_t n_linked;     /* inputs handed to the library */
  size_t n_duplicates; /* inputs left out because their content was there already */
  uint64_t link_ns;    /* time in the library */
};

/* *out is owned by the caller (bytes_free); left empty on failure. `report` is initialised here and
 * released by link_report_free, also after a failure. */
bool finalizer_link(struct diag_sink *s, struct cuda_session *cs, const struct link_input *inputs,
                    size_t n_inputs, const struct link_policy *policy,
                    const struct link_expect *expect, struct bytes *out,
                    struct link_report *report) MUST_CHECK;
void link_report_free(struct link_report *r);
bool finalizer_option_known(const char *option);
/* Adds policy and expectation to a cache key; what changes the product changes the key. */
void finalizer_hash_policy(struct hasher *h, const struct link_policy *p);
/* The checks alone, on an image from elsewhere (a cache, a bundle). */
bool finalizer_check(struct diag_sink *s, const struct cubin *c, struct target arch,
                     const struct link_expect *expect) MUST_CHECK;

#endif
