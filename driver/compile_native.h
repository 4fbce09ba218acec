/* Native algorithms of a compile: providers, requests, their C++ made into LTO-IR. */
#ifndef MIRDC_DRIVER_COMPILE_NATIVE_H
#define MIRDC_DRIVER_COMPILE_NATIVE_H

#include "callbacks/include_scan.h"
#include "callbacks/ptx_check.h"
#include "callbacks/request.h"
#include "driver/compile.h"
#include "linkers/nvrtc.h"

/* A provider that the program uses, with the headers that were read for it. */
struct native_provider {
  const struct provider *p;
  struct include_root roots[3];
  struct include_set headers;
  bool scanned;
};

/* What became of a request. */
struct native_code {
  const struct request *r;
  struct native_provider *provider;
  struct include_closure headers;
  struct digest key;
  struct bytes ltoir;
  str name; /* of the link input */
  bool cached, ok;
  struct strbuf log;     /* what the C++ compiler says */
  struct diag_sink sink; /* the worker's own */
};

struct native_asked {
  str name;
  const struct provider *p; /* NULL: it is not there */
};

struct natives {
  VEC(struct native_asked) asked;
  VEC(struct native_provider *) providers;
  struct requests requests;
  struct native_code *code; /* by request */
  struct digest nvrtc;
};

/* Looks at what was not in the store: that it calls, uses and waits for nothing but what its manifest says. */
bool compile_probe_natives(struct compile *c) MUST_CHECK;
/* Every file that C++ was made from, by name. */
void compile_native_headers(struct compile *c, struct include_closure *out);
/* Manifests and headers, for whoever wants to know when to compile again. */
struct depends;
void compile_native_list(struct compile *c, struct depends *d);
/* Digest of the library; NULL when it was not needed. */
const struct digest *compile_native_compiler(const struct compile *c);

#endif
