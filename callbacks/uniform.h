/* Convergence: which native calls could be reached by a part of the threads only?
 *
 * A value is *divergent* when it may differ between the threads of one block (or warp): the thread's
 * index, what is loaded from memory that others may write, results of atomics, shuffles and unknown code,
 * and all that is computed from these or assigned under a branch on them. Parameters of kernels,
 * constants, block index, sizes and all that is computed from these alone are *uniform*. A call is
 * proved converged when no branch on a divergent value decides, in its function or in any caller, whether it
 * is reached. Branches that end in a trap decide nothing: the grid dies there. What runs below
 * `assume_converged` is taken on the user's word. */
#ifndef MIRDC_CALLBACKS_UNIFORM_H
#define MIRDC_CALLBACKS_UNIFORM_H

#include "ir/pmir.h"

enum uniform_why {
  UNI_UNIFORM,
  UNI_INDEX,   /* a thread's own place */
  UNI_LOAD,    /* memory that other threads may write */
  UNI_ATOMIC,
  UNI_WARP,    /* what lanes exchange */
  UNI_TIME,    /* clocks */
  UNI_NATIVE,  /* the result of a native algorithm */
  UNI_FOREIGN, /* what other device code returns */
  UNI_PTX,
  UNI_POINTER, /* the function is called through a pointer */
  UNI_CALLER,  /* other device code calls the function */
  UNI_EXIT,    /* some threads have ended before */
  UNI_PARAM,   /* within one function: the value of parameter `param` */
  UNI_MEMORY   /* within one function: the memory that parameter `param` leads to */
};
struct uniform_reason {
  enum uniform_why why;
  pm_loc at;
  uint32_t param;
};

/* One call that was not proved converged. */
struct uniform_site {
  uint32_t native;
  uint32_t kernel;   /* PM_NONE: reached from other device code or through a pointer only */
  pm_loc call;       /* of the registration function, or of the native code itself */
  bool decided;      /* by a branch at `branch`, which may have no place */
  pm_loc branch;
  struct uniform_reason reason; /* why the branch differs between threads */
  const pm_loc *callers; /* from the kernel on: calls that lead to the function of `call` */
  uint32_t n_callers;
};
typedef void uniform_report(void *ctx, const struct uniform_site *site);

struct uniform_options {
  bool warp; /* agreement of a warp is enough */
  const bool *wanted; /* by native: must be converged */
};
/* Reports each call of a wanted native that is not proved converged once for each registration's call.
 * Linear in the dump but for functions that are called in several ways, which are looked at up to
 * a fixed number of times. */
void uniform_check(const struct pmir *m, const struct uniform_options *o, uniform_report *report,
                   void *ctx);

#endif
