/* Constants that are literals: rustc prints their value without its memory, and uses print the name
 * alone. Written as expressions they get a body, and with it the memory. */
#ifndef MIRDC_RUSTC_OVERLAY_STRINGS_H
#define MIRDC_RUSTC_OVERLAY_STRINGS_H

#include "base/arena.h"
#include "base/str.h"

typedef void (*strings_found)(void *ctx, size_t offset, str text);

/* Calls `found` for what is to be inserted, so that the value of each `const NAME: TYPE = VALUE;` that is a string of
 * any kind or one of the macros that make one becomes `*&VALUE`, and unless `strings_only` also each that a macro
 * fills in, `$x` or `name!(…)`, `{ let v: TYPE = VALUE; v }`. Lines stay as they are. */
void overlay_open_strings(struct arena *a, str text, bool strings_only, strings_found found, void *ctx);

#endif
