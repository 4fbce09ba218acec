/* Names in Rust's library that more than one reader of rustc's output has to know. */
#ifndef MIRDC_BASE_RUST_NAMES_H
#define MIRDC_BASE_RUST_NAMES_H

#include "base/str.h"

/* The trap that a function of core stands for which always panics; NULL when it is none of those in
 * rust_panics.def. */
const char *rust_panic_code(str path);

#endif
