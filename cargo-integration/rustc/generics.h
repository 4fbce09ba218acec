/* Generic parameters as the source lists them. The dump prints bodies with parameter names and calls
 * with arguments, but never the list that joins the two. */
#ifndef MIRDC_RUSTC_GENERICS_H
#define MIRDC_RUSTC_GENERICS_H

#include "cargo-integration/rustc/mono.h"

/* Reads the list of `item` in its source and binds its names to the arguments on the call's last
 * segment; those of `impl Trait` parameters, which have no names, are left out. False when the source
 * cannot be read or the numbers differ. */
bool generics_bind(struct prep *p, const struct mir_item *item, const struct rty_seg *args,
                   struct binding *b);
/* Does the source of the item list types or constants? */
bool generics_has(struct prep *p, const struct mir_item *item);
/* Could the impl block that holds `item` be the one that `callee` names (`<T as Tr<..>>::m` or
 * `T::m`)? Compares last names of trait and type. False when the header cannot be read. */
bool generics_impl_fits(struct prep *p, const struct mir_item *item, const struct rty *callee);

/* Does the impl block or the function that a closure's body stands in declare a parameter of this
 * name? Tells a parameter from a type of the crate, which print alike. */
bool generics_declares(struct prep *p, const struct mir_item *closure, str name);

/* Where a line and column, as in a span, lie in the text. False: behind its end. */
bool generics_offset_of(str text, uint32_t line, uint32_t col, size_t *at);

/* For tests: cuts `<'a, T: Tr<U>, const N: usize>` at text[*pos] into names; lifetimes are left out,
 * constants marked. */
struct generic_name {
  str name;
  bool is_const;
};
bool generics_list(str text, size_t *pos, struct generic_name *out, size_t max, size_t *n);

#endif
