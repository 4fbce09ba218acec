/* Native algorithms and the facts about closures that admission needs beside their types. */
#ifndef MIRDC_RUSTC_NATIVE_H
#define MIRDC_RUSTC_NATIVE_H

#include "cargo-integration/rustc/prepare.h"

/* Is it the function that a registration function calls in place of its provider? */
bool native_is(const struct rty *path);
/* The value of `natives`, with the member `closures` behind it; empty for a dump without native
 * calls. */
str natives_text(struct prep *p);

#endif
