/* Between the files of the finalizer. */
#ifndef MIRDC_LINKERS_FINALIZER_IMPL_H
#define MIRDC_LINKERS_FINALIZER_IMPL_H

#include "linkers/finalizer.h"
#include "linkers/nvjitlink.h"

struct link_set {
  struct link_input *inputs; /* prepared, in order, without duplicates */
  size_t n, n_duplicates;
  bool lto; /* some input brings LTO-IR */
  bool own; /* all of them are ours */
};

/* Recognises, verifies digests, pairs with the target, cleans archives, drops duplicates. */
bool link_prepare(struct diag_sink *s, struct arena *a, const struct link_input *inputs, size_t n,
                  struct target dst, struct link_set *out) MUST_CHECK;
/* Turns a failed call into a diagnostic. */
void link_report_failure(struct diag_sink *s, const struct jit_result *r,
                         const struct link_set *set, const struct link_expect *expect);
/* Reports variables and functions that linked PTX only declares. */
bool link_check_externals(struct diag_sink *s, str ptx,
                          const struct link_expect *expect) MUST_CHECK;
bool link_check_ptx(struct diag_sink *s, str ptx, struct target dst,
                    const struct link_expect *expect) MUST_CHECK;
struct span link_symbol_span(const struct link_expect *e, str name);
void link_symbol_note(struct diag *d, const struct link_expect *e, str name);
struct span link_kernel_span(const struct link_expect *e, str name);
/* Functions that the driver defines when it loads an image. */
bool link_driver_defines(str name);

#endif
