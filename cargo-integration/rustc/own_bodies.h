/* Bodies of our own for functions of core that rustc never shows. */
#ifndef MIRDC_RUSTC_OWN_BODIES_H
#define MIRDC_RUSTC_OWN_BODIES_H

#include "cargo-integration/rustc/prepare.h"

struct own_body {
  const char *path; /* see own_bodies.def */
  const char *name;
  const char *text;
};
/* By the path of a function or of a closure; NULL: there is none. */
const struct own_body *own_body_find(struct prep *p, const struct rty *path);

#endif
