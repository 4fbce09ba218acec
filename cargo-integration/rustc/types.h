/* Types: what is known of them, what is written of them. */
#ifndef MIRDC_RUSTC_TYPES_H
#define MIRDC_RUSTC_TYPES_H

#include "cargo-integration/rustc/prepare.h"

/* Id in the result. `strong`: values of it exist, so its size must be known; a pointee that is never
 * looked at stays weak and may be written as opaque. */
uint32_t type_id(struct prep *p, const struct rty *ty, bool strong);
/* Size and alignment; false while unknown (a want is noted). */
bool type_size(struct prep *p, const struct rty *ty, uint64_t *size, uint64_t *align);
bool type_is_zst(struct prep *p, const struct rty *ty); /* known and zero */
bool type_is_sized(const struct rty *ty);
/* Offset of a field of a tuple, struct or closure, or of a variant's field. */
bool type_field_offset(struct prep *p, const struct rty *ty, uint32_t variant, uint32_t field,
                       uint64_t *off);
/* rustc's layout, or what stands for it; NULL while unknown. */
const struct layout *type_layout(struct prep *p, const struct rty *ty);
/* The number of a variant by name; false while unknown. */
bool type_variant(struct prep *p, const struct rty *ty, str name, uint32_t *v);
/* What debug info says of its variants and fields; NULL while unknown (a want is noted). */
const struct di_type *type_names_now(struct prep *p, struct ty_info *i); /* without asking */
const struct di_type *type_names(struct prep *p, struct ty_info *i);
/* The discriminant's value of a variant, truncated to `bits`. */
bool type_discr(struct prep *p, const struct rty *ty, uint32_t v, unsigned bits,
                u128 *out);
/* The type of a field, where known (tuples, closures) or seen. */
const struct rty *type_field(struct prep *p, const struct rty *ty, uint32_t variant, uint32_t f);
void type_saw_field(struct prep *p, const struct rty *ty, uint32_t variant, uint32_t f,
                    const struct rty *fty);
#define UNION_PUT 1u /* of a union, as a variant number: the types that aggregates put in */
void type_saw_enum(struct prep *p, const struct rty *ty);
unsigned type_int_bits(const struct rty *ty); /* int, uint, bool, char; 0 otherwise */
bool type_is_adt(const struct rty *ty);
/* Pointers: does it carry metadata? 'n' none, 'l' length, 'v' vtable. */
char type_meta(struct prep *p, const struct rty *pointee);
/* Does dropping a value do anything? false in *known while not decided. */
bool type_needs_drop(struct prep *p, const struct rty *ty, struct span at, bool *known);
/* Fills everything that the written types need; false when something is missing for good. */
bool types_finish(struct prep *p) MUST_CHECK;
void types_write(struct prep *p, struct jsonw *w);
/* Text for the debug info's lookup: closures in long form. */
void type_print_di(const struct rty *ty, struct strbuf *out);

#endif
