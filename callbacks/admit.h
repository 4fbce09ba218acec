/* Admission: may each callback of a dump be kept for the native code that calls it? Decided from prepared
 * MIR alone, before any provider is compiled; needs neither CUDA nor rustc. docs/admission.md lists the
 * rules; the table is callbacks/admit_rules.def. */
#ifndef MIRDC_CALLBACKS_ADMIT_H
#define MIRDC_CALLBACKS_ADMIT_H

#include "ir/pmir.h"

/* Bytes of an environment. Native code gets a pointer to it, and every thread of the block has its own:
 * more than this in local memory of each thread is a mistake. */
enum { ADMIT_MAX_ENV = 4096 };

/* ---- what a provider says of an entry, as far as admission needs it ---- */
enum admit_scope { ADMIT_THREAD, ADMIT_WARP, ADMIT_BLOCK };

/* The signature of a callback: names of scalar types (`i8` … `f64`, `bool`), of type parameters, or empty for
 * no result. */
struct admit_signature {
  str param; /* the generic parameter: `F` */
  const str *args;
  uint32_t n_args;
  str ret;
};
struct admit_entry {
  str provider, name;
  const struct admit_signature *callbacks;
  uint32_t n_callbacks;
  enum admit_scope scope;
  bool converged;     /* all threads of the scope must arrive together */
  str block;          /* the constant that must be the exact size of the block; empty: any block will do */
  bool caller_syncs;  /* between two calls stands a barrier of the caller's */
  bool allow_traps, allow_thread_index;
};
/* The entry of a provider, NULL: there is none, which somebody else reports. */
struct admit_provider {
  const struct admit_entry *(*find)(const void *ctx, str provider, str entry);
  const void *ctx;
};

/* Checks every native call of the dump; what is refused is reported. False: something was. */
bool admit_check(const struct pmir *m, const struct admit_provider *p, struct diag_sink *sink) MUST_CHECK;

/* The resolved registrations: callback, scalar signature, constants, entry, provider, places. */
void admit_list_text(const struct pmir *m, struct strbuf *out);
/* The same as one JSON object on one line, nothing for a dump without any. */
void admit_list_json(const struct pmir *m, struct strbuf *out);

#endif
