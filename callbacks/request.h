/* What a program asks of providers: one request for each combination of entry, types, constants and
 * signature. The callback itself is no part of it, as it is called through a pointer until the link inlines it,
 * so all closures of one signature share a request, whatever they do and capture. */
#ifndef MIRDC_CALLBACKS_REQUEST_H
#define MIRDC_CALLBACKS_REQUEST_H

#include "base/hash.h"
#include "callbacks/provider.h"
#include "ir/pmir.h"

struct request {
  const struct provider *provider;
  const struct provider_entry *entry;
  const enum provider_scalar *types; /* by type parameter of the entry */
  const uint64_t *consts;            /* by constant */
  struct digest contract;            /* of what both sides of the call have to agree on */
  str symbol;                        /* of the C function that C++ defines and Rust calls */
  str cxx;                           /* its text; includes `@PROVIDER/FILE` */
  uint32_t native;                   /* the first that asks for it */
};
struct requests {
  struct request *list; /* by symbol */
  size_t n;
  uint32_t *of_native;  /* by native: place in `list` */
  str *symbols;         /* by native */
  struct span *calls;   /* by native: where the program calls it first */
};

/* Finds a provider by name, reporting at `at`; NULL: there is none. Asked once for each name. */
struct request_source {
  const struct provider *(*find)(void *context, str name, struct span at);
  void *context;
};

/* The lowest architecture that the code must run on is `cc`. False after reporting everything that providers do
 * not offer (MD0720 … MD0729). */
bool requests_make(struct diag_sink *s, struct arena *a, const struct pmir *m, unsigned cc,
                   const struct request_source *from, struct requests *out) MUST_CHECK;
/* C++ text of kernels that call each of the listed entries with everything unknown; the names of their
 * parameters say what these are. */
str request_probe(struct arena *a, const struct request *const *list, size_t n);
str request_probe_name(struct arena *a, const struct request *r);

#endif
