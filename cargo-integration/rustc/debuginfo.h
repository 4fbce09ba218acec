/* What the debug info of a unit's LLVM IR says about types: names and order of variants and fields,
 * discriminants, offsets. It knows types that no source text can name: closures, private types. */
#ifndef MIRDC_RUSTC_DEBUGINFO_H
#define MIRDC_RUSTC_DEBUGINFO_H

#include "cargo-integration/rustc/layout.h"

struct di_field {
  str name;
  uint64_t offset, size; /* bytes */
  str type;              /* debug info's name of the type */
  bool never;            /* of a type without values: `!`, an enum without variants */
};
struct di_variant {
  str name;
  bool has_tag;   /* stored tag value known; false: the untagged variant of a niche */
  u128 tag;       /* truncated to the tag's width */
  bool has_discr; /* the discriminant is known; false: an enum of one variant, which stores none */
  u128 discr;     /* discriminant, sign-extended to 128 bits: truncate to the type's width */
  uint64_t size;
  struct di_field *fields; /* in declaration order */
  uint32_t n_fields;
};
enum di_kind { DI_STRUCT, DI_TUPLE, DI_UNION, DI_ENUM, DI_CLOSURE, DI_OTHER };
struct di_type {
  str path; /* definition path with generic arguments: core::option::Option<u32> */
  enum di_kind kind;
  uint64_t size, align;
  struct di_field *fields; /* struct, tuple, union, closure: declaration order */
  uint32_t n_fields;
  struct di_variant *variants; /* enum: declaration order; index = variant index */
  uint32_t n_variants;
  uint64_t tag_offset;
  uint32_t tag_bits; /* 0: no stored tag */
};

struct debuginfo;
/* `crate` is the local crate's name, which heads its paths in debug info. */
struct debuginfo *debuginfo_new(struct arena *a, str crate);
void debuginfo_free(struct debuginfo *d); /* tables only; what find returned stays in the arena */
/* Adds all composite types of textual LLVM IR made with -g. The text must outlive the arena's
 * users. */
bool debuginfo_add(struct debuginfo *d, struct diag_sink *s, str ir) MUST_CHECK;
/* The types come later: `load` is called once, before the first question. */
void debuginfo_set_loader(struct debuginfo *d, void (*load)(void *ctx), void *ctx);
/* Calls the loader, if there is one that has not been called. */
void debuginfo_load(struct debuginfo *d);
/* Size and alignment that rustc printed for exactly this type text (-Zprint-type-sizes): from then
 * on debuginfo_find only returns a type of that size for that text. */
void debuginfo_expect(struct debuginfo *d, str type_text, uint64_t size, uint64_t align);

/* By the type's printed text: verbose MIR text (`{f::{closure#0} closure_kind_ty=…}`, ValTree
 * lengths) or source text. Paths match as subsequences of definition paths, closures by their
 * captures. NULL: unknown, or several types match and differ. */
const struct di_type *debuginfo_find(struct debuginfo *d, str type_text);
/* The pointee of the first parameter of the function of that name, exactly: how probes ask for
 * types. */
const struct di_type *debuginfo_parameter(struct debuginfo *d, str function);
/* Built-in knowledge of core's enums (Option, Result, ControlFlow, Ordering, Poll, Bound): variant
 * names in order by the path's last segments; 0 when unknown. `discr` gets the discriminants. */
unsigned debuginfo_core_variants(str type_text, const char *const **names, const int8_t **discr);
/* The layout that debug info implies: struct, tuple, union, enum, closure. Its repr is REPR_MEMORY.
 */
bool debuginfo_layout(struct arena *a, const struct di_type *t, struct layout *out) MUST_CHECK;

#endif
