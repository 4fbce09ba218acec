/* Emptying generic functions: rustc's second printer crashes on some generic bodies, and nothing is
 * wanted of them there. */
#ifndef MIRDC_RUSTC_OVERLAY_GENERICS_H
#define MIRDC_RUSTC_OVERLAY_GENERICS_H

#include "base/map.h"

/* Replaces the body of each function that has type or constant parameters (its own, of its impl
 * block, or as a trait's default method) by `panic!()` and blanks of the same length. Kept are bodies
 * too short for that, and those of functions that return an `impl Trait`, whose type the body
 * decides. Only functions whose name is in `only` are emptied; NULL: all. In place; returns how many
 * were. */
size_t overlay_empty_generics(char *text, size_t n, const struct map *only);

#endif
