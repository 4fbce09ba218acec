/* Edits and questions on the text of one Rust source file. */
#ifndef MIRDC_RUSTC_OVERLAY_BLANK_H
#define MIRDC_RUSTC_OVERLAY_BLANK_H

#include "base/str.h"

/* Turns `#[inline(never)]` into `#[inline       ]`, in place and of equal length; returns how many.
 * Strings, comments, raw strings, lifetimes and character literals are skipped. Kept are attributes
 * inside cfg_attr, those on an item that also carries `#[register…]` or `#[mirdc::register…]`, and
 * those on functions named `__mirdc…`. */
size_t overlay_blank(char *text, size_t n);

/* Calls `found` for each `mod NAME;`, with the names of enclosing inline modules in front:
 * "NAME" or "outer/NAME". The text passed is only valid during the call. */
typedef void (*mod_found)(void *ctx, str name);
void overlay_mods(str text, mod_found found, void *ctx);

#endif
