/* One recorded rustc command, as `mirdc-rustc --record` writes it. */
#ifndef MIRDC_CARGO_RECORD_H
#define MIRDC_CARGO_RECORD_H

#include "base/proc.h"

struct record {
  VEC(char *) argv; /* rustc first */
  VEC(char *) env;  /* NAME=VALUE */
  char *cwd;
};

bool record_read(struct diag_sink *s, struct arena *a, const char *path,
                 struct record *out) MUST_CHECK;
/* The value of a recorded variable, NULL if none. */
const char *record_env(const struct record *r, const char *name);
/* True when the unit is compiled with the crate `mirdc`. */
bool record_uses_device_crate(const struct record *r);

#endif
