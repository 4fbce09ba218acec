/* What a provider's code does, seen in the PTX of its probes: kernels that call each entry with everything
 * unknown, after all inlining. */
#ifndef MIRDC_CALLBACKS_PTX_CHECK_H
#define MIRDC_CALLBACKS_PTX_CHECK_H

#include "callbacks/request.h"

enum ptx_fault {
  PTX_FINE,
  PTX_NO_PROBE, /* the kernel is not there */
  PTX_CALLS,    /* calls a function that nobody defines */
  PTX_GLOBAL,   /* uses a device variable */
  PTX_MEETS,    /* waits for other threads than the entry's scope has */
  PTX_ESCAPES   /* uses an environment or a callback's address in another way than to call it */
};
/* The first fault of the request's probe; *what is the symbol or the line. */
enum ptx_fault ptx_check(struct arena *a, str ptx, const struct request *r, str *what);

#endif
