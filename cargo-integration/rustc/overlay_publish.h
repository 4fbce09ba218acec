/* Where `pub(crate)` is to be inserted so that questions to rustc, which stand in the crate root, may
 * name private items of modules. */
#ifndef MIRDC_RUSTC_OVERLAY_PUBLISH_H
#define MIRDC_RUSTC_OVERLAY_PUBLISH_H

#include "base/str.h"

typedef void (*publish_found)(void *ctx, size_t offset);

/* Calls `found` for each private function, type, trait, module, constant and static of a module, an
 * inherent impl or an extern block, in order. `pub(super)` and the like are made `pub` in the text
 * itself, to equal length. What is not understood is left as it is. */
void overlay_publish(char *text, size_t n, publish_found found, void *ctx);

#endif
