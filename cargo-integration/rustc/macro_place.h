/* Where in a function's source a macro of the library was called. */
#ifndef MIRDC_RUSTC_MACRO_PLACE_H
#define MIRDC_RUSTC_MACRO_PLACE_H

#include "cargo-integration/rustc/prepare.h"

/* rustc prints the place of code that `println!` or `vec!` made as one in the library. `seen`: the
 * last place of this function's own in front of that code. The answer is the first call of a macro that
 * goes on behind it; SPAN_NONE when there is none. */
struct span macro_place(struct prep *p, const struct mir_item *fn, struct span seen);

#endif
