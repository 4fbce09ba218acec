/* NAME.record.json: what went into an artifact and what came out, by digest. Canonical: members
 * and lists are in one fixed order, so equal builds have equal records. */
#ifndef MIRDC_BUNDLES_RECORD_H
#define MIRDC_BUNDLES_RECORD_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/hash.h"

struct record_input {
  str role;       /* "source", "pmir", "extern-lto", "provider", … */
  uint32_t order; /* within the role, where order matters; otherwise 0 */
  str name;       /* relative or symbolic, never absolute */
  uint64_t size;
  struct digest digest;
};
struct record_option {
  str name, value;
};
struct record_tool {
  str name, version;
  struct digest digest;
};
struct record_output {
  str kind; /* an artifact kind: "cubin", "bundle", … */
  str arch; /* may be empty */
  str name; /* file name beside the record */
  uint64_t size;
  struct digest digest;
};
struct record {
  str package, kind, target, profile;
  struct record_input *inputs;
  size_t n_inputs;
  struct record_option *options;
  size_t n_options;
  struct record_tool *tools;
  size_t n_tools;
  struct record_output *outputs;
  size_t n_outputs;
};

/* Appends the canonical text. The lists may come in any order; a doubled entry is reported. */
bool record_write(struct diag_sink *s, const struct record *r, struct strbuf *out) MUST_CHECK;
bool record_read(struct diag_sink *s, struct arena *a, str text, str path, struct record *out)
    MUST_CHECK;
/* Hashes each output that lies in `dir` and compares; every difference and every missing file is
 * reported. */
bool record_verify(struct diag_sink *s, const struct record *r, const char *dir) MUST_CHECK;
/* Identity of inputs, options and tools together, without the outputs. */
struct digest record_key(const struct record *r);

#endif
