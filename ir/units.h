/* Link units: which kernels must live in one cubin. Two kernels that reach the same memory which
 * somebody may write (a mutable or host-visible static) share a unit; all others are independent
 * and can be lowered, linked and cached apart; a few of them share a unit to save links. */
#ifndef MIRDC_IR_UNITS_H
#define MIRDC_IR_UNITS_H

#include "ir/pmir.h"

/* Independent kernels are put together up to this number in one unit. */
enum { PM_UNIT_KERNELS = 8 };

struct pm_link_units {
  uint32_t n;
  uint32_t *unit_of;      /* by kernel */
  uint32_t **kernels;     /* by unit: kernel indices, ascending */
  uint32_t *n_kernels;
};

/* Does the dump hold functions for other device code? */
bool pm_has_exports(const struct pmir *m);

/* Units are numbered by their first kernel. `one` puts everything into a single unit. The functions for
 * other device code are in the first; it has no kernel when there are no others. */
void pm_find_link_units(const struct pmir *m, struct arena *a, bool one, struct pm_link_units *out);

/* By static: does a kernel reach it? (Only those that the host sees or somebody may write.) */
bool *pm_statics_of_kernels(const struct pmir *m, struct arena *a);

/* What a module is made of. */
struct pm_roots {
  const uint32_t *kernels; /* NULL: all */
  uint32_t n_kernels;
  bool exports; /* also exported functions and statics that the host sees */
  bool all_fns; /* also every function */
};
/* By function: may something in that module hold its address? */
bool *pm_fns_taken(const struct pmir *m, const struct pm_roots *roots, struct arena *a);

#endif
