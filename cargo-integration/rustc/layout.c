/* Facts derived from a layout. */
#include "cargo-integration/rustc/layout.h"

static uint64_t scalar_bytes(const struct layout_scalar *s) {
  return (uint64_t)s->bits / 8;
}

/* Alignment of a scalar on x86_64 (rustc's data layout there: i128 at 16). */
static uint64_t scalar_align(const struct layout_scalar *s) {
  return scalar_bytes(s);
}

bool layout_finish(struct layout *l) {
  if (l->align == 0 || (l->align & (l->align - 1)) != 0) {
    return false;
  }
  if (l->repr == REPR_PAIR) {
    uint64_t al = scalar_align(&l->b);
    if (al == 0) {
      return false;
    }
    l->off_b = (scalar_bytes(&l->a) + al - 1) / al * al;
    if (l->off_b + scalar_bytes(&l->b) > l->size) {
      return false;
    }
  }
  for (uint32_t i = 0; i < l->n_fields && l->fields == FIELDS_ARBITRARY; i++) {
    if (l->offsets[i] > l->size) {
      return false;
    }
  }
  if (l->variants != VARIANTS_MULTIPLE) {
    return true;
  }
  if (l->fields != FIELDS_ARBITRARY || l->tag_field >= l->n_fields || l->n_variants == 0) {
    return false;
  }
  l->tag_offset = l->offsets[l->tag_field];
  if (l->tag_offset + scalar_bytes(&l->tag) > l->size) {
    return false;
  }
  for (uint32_t i = 0; i < l->n_variants; i++) {
    for (uint32_t k = 0; k < l->variant[i].n_fields; k++) {
      if (l->variant[i].offsets[k] > l->size) {
        return false;
      }
    }
  }
  return l->encoding == ENCODE_DIRECT ||
         (l->untagged < l->n_variants && l->niche_first <= l->niche_last &&
          l->niche_last < l->n_variants);
}

bool layout_tag_of(const struct layout *l, uint32_t v, u128 discr, u128 *bits) {
  if (l->variants != VARIANTS_MULTIPLE) {
    return false;
  }
  u128 mask = l->tag.bits >= 128 ? ~(u128)0 : ((u128)1 << l->tag.bits) - 1;
  if (l->encoding == ENCODE_DIRECT) {
    *bits = discr & mask;
    return true;
  }
  if (v == l->untagged || v < l->niche_first || v > l->niche_last) {
    return false;
  }
  *bits = (l->niche_start + (u128)(v - l->niche_first)) & mask;
  return true;
}
