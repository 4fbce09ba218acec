/* Admission: may each callback of a dump be kept for the native code that calls it? Decided from prepared
 * MIR alone, before any provider is compiled; needs neither CUDA nor rustc. docs/admission.md lists the
 * rules; the table is callbacks/admit_rules.def. */
#ifndef MIRDC_CALLBACKS_ADMIT_H
#define MIRDC_CALLBACKS_ADMIT_H

#include "callbacks/provider.h"
#include "ir/pmir.h"

/* Bytes of an environment. Native code gets a pointer to it, and every thread of the block has its own:
 * more than this in local memory of each thread is a mistake. */
enum { ADMIT_MAX_ENV = 4096 };

/* Finds an entry; NULL: there is none, which is reported when the requests are made. */
struct admit_source {
  const struct provider_entry *(*find)(void *context, const struct pm_native *n, struct span at);
  void *context;
};

/* Checks every native call of the dump; what is refused is reported. False: something was. */
bool admit_check(const struct pmir *m, const struct admit_source *from, struct diag_sink *sink) MUST_CHECK;

/* The resolved registrations: callback, scalar signature, constants, entry, provider, places. */
void admit_list_text(const struct pmir *m, struct strbuf *out);
/* The same as one JSON object on one line, nothing for a dump without any. */
void admit_list_json(const struct pmir *m, struct strbuf *out);

#endif
