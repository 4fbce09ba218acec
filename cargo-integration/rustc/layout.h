/* Layouts as rustc decides them. */
#ifndef MIRDC_RUSTC_LAYOUT_H
#define MIRDC_RUSTC_LAYOUT_H

#include "base/arena.h"
#include "base/diag.h"

enum layout_prim { PRIM_INT, PRIM_FLOAT, PRIM_POINTER };
struct layout_scalar {
  enum layout_prim prim;
  unsigned bits;
  bool is_signed;
  bool is_union; /* may be uninitialised: no valid range */
  u128 lo, hi;   /* inclusive; lo > hi wraps around */
};

enum layout_repr { REPR_MEMORY, REPR_SCALAR, REPR_PAIR, REPR_VECTOR };
enum layout_fields { FIELDS_PRIMITIVE, FIELDS_UNION, FIELDS_ARRAY, FIELDS_ARBITRARY };
enum layout_variants { VARIANTS_EMPTY, VARIANTS_SINGLE, VARIANTS_MULTIPLE };
enum layout_encoding { ENCODE_DIRECT, ENCODE_NICHE };
enum layout_source { LAYOUT_FROM_RUSTC, LAYOUT_FROM_DEBUGINFO };

struct layout_variant {
  uint64_t size;
  bool uninhabited;
  uint64_t *offsets; /* by field index; from the start of the whole value */
  uint32_t n_fields;
};

struct layout {
  enum layout_source source;
  str printed; /* rustc's own name of the type in the dump */
  uint64_t size, align;
  bool unsized_; /* size is that of the sized prefix */
  bool uninhabited;
  enum layout_repr repr;
  struct layout_scalar a, b; /* repr SCALAR (a) and PAIR (a, b) */
  uint64_t off_b;            /* of b in a PAIR, by rustc's rule */
  enum layout_fields fields;
  uint64_t *offsets;      /* ARBITRARY: by field index; for enums: the tag alone */
  uint32_t n_fields;      /* ARBITRARY, UNION */
  uint64_t stride, count; /* ARRAY */
  enum layout_variants variants;
  uint32_t single;          /* SINGLE: its index */
  struct layout_scalar tag; /* MULTIPLE from here on */
  uint32_t tag_field;
  uint64_t tag_offset;
  enum layout_encoding encoding;
  uint32_t untagged;                /* NICHE: the variant without a stored tag */
  uint32_t niche_first, niche_last; /* variants with a stored tag */
  u128 niche_start;                 /* tag of variant niche_first; the others follow, wrapping */
  struct layout_variant *variant;
  uint32_t n_variants;
};

/* Parses the text after "layout_of(T) = ". Strict: an unknown field name or value is false with
 * *why set to a message in the arena. */
bool layout_parse(struct arena *a, str text, struct layout *out, str *why) MUST_CHECK;

/* Checks offsets against sizes and fills off_b and tag_offset; false: it contradicts itself. */
bool layout_finish(struct layout *l) MUST_CHECK;

/* The bits to store at tag_offset (tag.bits wide) so that variant `v` is active. False when nothing
 * is stored (the untagged variant of a niche, or a single variant). `discr` is v's discriminant,
 * only used with ENCODE_DIRECT. */
bool layout_tag_of(const struct layout *l, uint32_t v, u128 discr, u128 *bits);

#endif
