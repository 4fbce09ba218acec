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
/* A link that can be asked again about fewer inputs. */
struct link_again {
  struct jit_request request;
  struct cuda_session *cs;
  struct arena *arena;
};
/* The symbol that the library found twice; empty: that is not what its log says. */
str link_double_name(str log);
/* The places of two inputs that define one symbol, or one place twice. False: not to be found. */
bool link_find_double(const struct link_again *l, str *name, size_t *first,
                      size_t *second) MUST_CHECK;
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
