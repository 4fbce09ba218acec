/* One recorded rustc command, as `mirdc-rustc --record` writes it. */
#ifndef MIRDC_CARGO_RECORDED_H
#define MIRDC_CARGO_RECORDED_H

#include "base/proc.h"

struct recorded {
  VEC(char *) argv; /* rustc first */
  VEC(char *) env;  /* NAME=VALUE */
  char *cwd;
};

bool recorded_read(struct diag_sink *s, struct arena *a, const char *path,
                 struct recorded *out) MUST_CHECK;
/* The value of a recorded variable, NULL if none. */
const char *recorded_env(const struct recorded *r, const char *name);
/* True when the unit is compiled with the crate `mirdc`. */
bool recorded_uses_device_crate(const struct recorded *r);

#endif
