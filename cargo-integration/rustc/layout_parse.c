/* Reads the Debug text of rustc's LayoutData: 1.95 and 1.96 nest whole layouts as variants, 1.97
 * has a slimmer VariantLayout. One recursive descent over `Name { field: value, … }`, strict. */
#include "cargo-integration/rustc/layout.h"

#include <string.h>

struct lp {
  struct arena *a;
  str t;
  size_t at;
  str why; /* first error; p == NULL: none */
};

static bool lp_fail(struct lp *p, const char *what) {
  if (p->why.p == NULL) {
    p->why = arena_printf(p->a, "%s at `%.*s`", what, STR_ARG(str_sub(p->t, p->at, p->at + 40)));
  }
  return false;
}

static void lp_space(struct lp *p) {
  while (p->at < p->t.n && (p->t.p[p->at] == ' ' || p->t.p[p->at] == '\n' ||
                            p->t.p[p->at] == '\t' || p->t.p[p->at] == '\r')) {
    p->at++;
  }
}

static bool lp_try(struct lp *p, const char *tok) {
  lp_space(p);
  size_t n = strlen(tok);
  if (p->t.n - p->at < n || memcmp(p->t.p + p->at, tok, n) != 0) {
    return false;
  }
  p->at += n;
  return true;
}

static bool lp_want(struct lp *p, const char *tok) {
  if (lp_try(p, tok)) {
    return true;
  }
  return lp_fail(p, arena_strz(p->a, arena_printf(p->a, "expected `%s`", tok)));
}

static bool ident_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static str lp_word(struct lp *p) {
  lp_space(p);
  size_t from = p->at;
  while (p->at < p->t.n && ident_char(p->t.p[p->at])) {
    p->at++;
  }
  return str_sub(p->t, from, p->at);
}

static bool lp_u128(struct lp *p, u128 *v) {
  lp_space(p);
  str w = lp_word(p);
  if (!str_to_u128(w, v)) {
    p->at -= w.n;
    return lp_fail(p, "expected a number");
  }
  return true;
}

static bool lp_u64(struct lp *p, uint64_t *v) {
  u128 x = 0;
  if (!lp_u128(p, &x)) {
    return false;
  }
  if (x > UINT64_MAX) {
    return lp_fail(p, "number too big");
  }
  *v = (uint64_t)x;
  return true;
}

static bool lp_u32(struct lp *p, uint32_t *v) {
  uint64_t x = 0;
  if (!lp_u64(p, &x)) {
    return false;
  }
  if (x > UINT32_MAX) {
    return lp_fail(p, "number too big");
  }
  *v = (uint32_t)x;
  return true;
}

static bool lp_bool(struct lp *p, bool *v) {
  str w = lp_word(p);
  *v = str_eqz(w, "true");
  return *v || str_eqz(w, "false") || lp_fail(p, "expected true or false");
}

/* "Size(8 bytes)", "Align(4 bytes)". */
static bool lp_bytes(struct lp *p, const char *name, uint64_t *v) {
  return lp_want(p, name) && lp_want(p, "(") && lp_u64(p, v) && lp_want(p, "bytes") &&
         lp_want(p, ")");
}

/* A comma between members is optional before the closing bracket. */
static bool lp_more(struct lp *p, const char *close, bool *more) {
  bool comma = lp_try(p, ",");
  if (lp_try(p, close)) {
    *more = false;
    return true;
  }
  *more = true;
  return comma || lp_fail(p, "expected `,`");
}

/* Lists of numbers; `sized` reads "Size(n bytes)". */
static bool lp_list(struct lp *p, bool sized, uint64_t **out, uint32_t *n) {
  if (!lp_want(p, "[")) {
    return false;
  }
  size_t cap = 8;
  uint64_t *v = arena_array(p->a, uint64_t, cap);
  size_t k = 0;
  if (lp_try(p, "]")) {
    *out = v;
    *n = 0;
    return true;
  }
  for (bool more = true; more;) {
    if (k == cap) {
      uint64_t *w = arena_array(p->a, uint64_t, cap * 2);
      memcpy(w, v, cap * sizeof *v);
      v = w;
      cap *= 2;
    }
    if (!(sized ? lp_bytes(p, "Size", &v[k]) : lp_u64(p, &v[k])) || !lp_more(p, "]", &more)) {
      return false;
    }
    k++;
  }
  *out = v;
  *n = (uint32_t)k;
  return true;
}

static u128 mask_of(unsigned bits) {
  return bits >= 128 ? ~(u128)0 : ((u128)1 << bits) - 1;
}

/* "0..=255", or "(..=5) | (255..)" for one that wraps. */
static bool lp_range(struct lp *p, struct layout_scalar *s) {
  if (lp_try(p, "(..=")) {
    return lp_u128(p, &s->hi) && lp_want(p, ")") && lp_want(p, "|") && lp_want(p, "(") &&
           lp_u128(p, &s->lo) && lp_want(p, "..") && lp_want(p, ")");
  }
  return lp_u128(p, &s->lo) && lp_want(p, "..=") && lp_u128(p, &s->hi);
}

static bool lp_primitive(struct lp *p, struct layout_scalar *s) {
  str w = lp_word(p);
  if (str_eqz(w, "Float")) {
    s->prim = PRIM_FLOAT;
    if (!lp_want(p, "(") || !lp_want(p, "F")) {
      return false;
    }
    uint32_t bits = 0;
    if (!lp_u32(p, &bits)) {
      return false;
    }
    s->bits = bits;
    (void)lp_try(p, ",");
    return lp_want(p, ")");
  }
  if (str_eqz(w, "Int")) {
    s->prim = PRIM_INT;
    uint32_t bits = 0;
    if (!lp_want(p, "(") || !lp_want(p, "I") || !lp_u32(p, &bits) || !lp_want(p, ",") ||
        !lp_bool(p, &s->is_signed)) {
      return false;
    }
    s->bits = bits;
    (void)lp_try(p, ",");
    return lp_want(p, ")");
  }
  if (str_eqz(w, "Pointer")) {
    s->prim = PRIM_POINTER;
    s->bits = 64;
    uint32_t space = 0;
    if (!lp_want(p, "(") || !lp_want(p, "AddressSpace") || !lp_want(p, "(") || !lp_u32(p, &space)) {
      return false;
    }
    (void)lp_try(p, ",");
    if (!lp_want(p, ")")) {
      return false;
    }
    (void)lp_try(p, ",");
    return lp_want(p, ")");
  }
  return lp_fail(p, "unknown primitive");
}

static bool lp_scalar(struct lp *p, struct layout_scalar *s) {
  *s = (struct layout_scalar){0};
  str w = lp_word(p);
  bool initialized = str_eqz(w, "Initialized");
  if (!initialized && !str_eqz(w, "Union")) {
    return lp_fail(p, "unknown scalar");
  }
  if (!lp_want(p, "{") || !lp_want(p, "value:") || !lp_primitive(p, s)) {
    return false;
  }
  s->hi = mask_of(s->bits);
  s->is_union = !initialized;
  (void)lp_try(p, ",");
  if (initialized) {
    if (!lp_want(p, "valid_range:") || !lp_range(p, s)) {
      return false;
    }
    (void)lp_try(p, ",");
  }
  return lp_want(p, "}");
}

static bool lp_repr(struct lp *p, struct layout *l) {
  str w = lp_word(p);
  if (str_eqz(w, "Memory")) {
    bool sized = false;
    l->repr = REPR_MEMORY;
    if (!lp_want(p, "{") || !lp_want(p, "sized:") || !lp_bool(p, &sized)) {
      return false;
    }
    l->unsized_ = !sized;
    (void)lp_try(p, ",");
    return lp_want(p, "}");
  }
  if (str_eqz(w, "Scalar")) {
    l->repr = REPR_SCALAR;
    if (!lp_want(p, "(") || !lp_scalar(p, &l->a)) {
      return false;
    }
    (void)lp_try(p, ",");
    return lp_want(p, ")");
  }
  if (str_eqz(w, "ScalarPair")) {
    l->repr = REPR_PAIR;
    if (!lp_want(p, "(") || !lp_scalar(p, &l->a) || !lp_want(p, ",") || !lp_scalar(p, &l->b)) {
      return false;
    }
    (void)lp_try(p, ",");
    return lp_want(p, ")");
  }
  if (str_eqz(w, "SimdVector")) {
    l->repr = REPR_VECTOR;
    if (!lp_want(p, "{") || !lp_want(p, "element:") || !lp_scalar(p, &l->a) || !lp_want(p, ",") ||
        !lp_want(p, "count:") || !lp_u64(p, &l->count)) {
      return false;
    }
    (void)lp_try(p, ",");
    return lp_want(p, "}");
  }
  return lp_fail(p, "unknown representation");
}

static bool lp_fields(struct lp *p, struct layout *l) {
  str w = lp_word(p);
  uint64_t *order = NULL;
  uint32_t n_order = 0;
  if (str_eqz(w, "Primitive")) {
    l->fields = FIELDS_PRIMITIVE;
    return true;
  }
  if (str_eqz(w, "Union")) {
    l->fields = FIELDS_UNION;
    if (!lp_want(p, "(") || !lp_u32(p, &l->n_fields)) {
      return false;
    }
    (void)lp_try(p, ",");
    return lp_want(p, ")");
  }
  if (str_eqz(w, "Array")) {
    l->fields = FIELDS_ARRAY;
    if (!lp_want(p, "{") || !lp_want(p, "stride:") || !lp_bytes(p, "Size", &l->stride) ||
        !lp_want(p, ",") || !lp_want(p, "count:") || !lp_u64(p, &l->count)) {
      return false;
    }
    (void)lp_try(p, ",");
    return lp_want(p, "}");
  }
  if (str_eqz(w, "Arbitrary")) {
    l->fields = FIELDS_ARBITRARY;
    if (!lp_want(p, "{") || !lp_want(p, "offsets:") ||
        !lp_list(p, true, &l->offsets, &l->n_fields) || !lp_want(p, ",") ||
        !lp_want(p, "in_memory_order:") || !lp_list(p, false, &order, &n_order)) {
      return false;
    }
    (void)lp_try(p, ",");
    return lp_want(p, "}");
  }
  return lp_fail(p, "unknown kind of fields");
}

/* "None", or "Some(Niche { offset: .., value: .., valid_range: .. })": checked and dropped, since
 * tags of the enclosing enum say what was used of it. */
static bool lp_largest_niche(struct lp *p) {
  struct layout_scalar s = {0};
  uint64_t off = 0;
  if (lp_try(p, "None")) {
    return true;
  }
  if (!lp_want(p, "Some") || !lp_want(p, "(") || !lp_want(p, "Niche") || !lp_want(p, "{") ||
      !lp_want(p, "offset:") || !lp_bytes(p, "Size", &off) || !lp_want(p, ",") ||
      !lp_want(p, "value:") || !lp_primitive(p, &s) || !lp_want(p, ",") ||
      !lp_want(p, "valid_range:") || !lp_range(p, &s)) {
    return false;
  }
  (void)lp_try(p, ",");
  if (!lp_want(p, "}")) {
    return false;
  }
  (void)lp_try(p, ",");
  return lp_want(p, ")");
}

static bool lp_align_option(struct lp *p) {
  uint64_t v = 0;
  if (lp_try(p, "None")) {
    return true;
  }
  if (!lp_want(p, "Some") || !lp_want(p, "(") || !lp_bytes(p, "Align", &v)) {
    return false;
  }
  (void)lp_try(p, ",");
  return lp_want(p, ")");
}

static bool lp_align(struct lp *p, uint64_t *v) {
  if (!lp_want(p, "AbiAlign") || !lp_want(p, "{") || !lp_want(p, "abi:") ||
      !lp_bytes(p, "Align", v)) {
    return false;
  }
  (void)lp_try(p, ",");
  return lp_want(p, "}");
}

static bool lp_layout(struct lp *p, struct layout *l, bool is_variant);

static bool lp_encoding(struct lp *p, struct layout *l) {
  str w = lp_word(p);
  if (str_eqz(w, "Direct")) {
    l->encoding = ENCODE_DIRECT;
    return true;
  }
  if (!str_eqz(w, "Niche")) {
    return lp_fail(p, "unknown tag encoding");
  }
  l->encoding = ENCODE_NICHE;
  if (!lp_want(p, "{") || !lp_want(p, "untagged_variant:") || !lp_u32(p, &l->untagged) ||
      !lp_want(p, ",") || !lp_want(p, "niche_variants:") || !lp_u32(p, &l->niche_first) ||
      !lp_want(p, "..=") || !lp_u32(p, &l->niche_last) || !lp_want(p, ",") ||
      !lp_want(p, "niche_start:") || !lp_u128(p, &l->niche_start)) {
    return false;
  }
  (void)lp_try(p, ",");
  return lp_want(p, "}");
}

/* The slim form of 1.97. */
static bool lp_slim_variant(struct lp *p, struct layout_variant *v) {
  struct layout scrap = {0};
  if (!lp_want(p, "{")) {
    return false;
  }
  for (bool more = true; more;) {
    str f = lp_word(p);
    uint64_t *order = NULL;
    uint32_t n = 0;
    if (!lp_want(p, ":")) {
      return false;
    }
    bool ok = str_eqz(f, "size")                     ? lp_bytes(p, "Size", &v->size)
              : str_eqz(f, "backend_repr")           ? lp_repr(p, &scrap)
              : str_eqz(f, "field_offsets")          ? lp_list(p, true, &v->offsets, &v->n_fields)
              : str_eqz(f, "fields_in_memory_order") ? lp_list(p, false, &order, &n)
              : str_eqz(f, "largest_niche")          ? lp_largest_niche(p)
              : str_eqz(f, "uninhabited")            ? lp_bool(p, &v->uninhabited)
                                                     : lp_fail(p, "unknown field before");
    if (!ok || !lp_more(p, "}", &more)) {
      return false;
    }
  }
  return true;
}

static bool lp_variant(struct lp *p, struct layout_variant *v) {
  str w = lp_word(p);
  if (str_eqz(w, "VariantLayout")) {
    return lp_slim_variant(p, v);
  }
  if (!str_eqz(w, "Layout")) {
    return lp_fail(p, "unknown layout of a variant");
  }
  struct layout l = {0};
  if (!lp_layout(p, &l, true)) {
    return false;
  }
  if (l.fields != FIELDS_ARBITRARY) {
    return lp_fail(p, "a variant without listed fields");
  }
  v->size = l.size;
  v->uninhabited = l.uninhabited;
  v->offsets = l.offsets;
  v->n_fields = l.n_fields;
  return true;
}

static bool lp_variant_list(struct lp *p, struct layout *l) {
  size_t cap = 4;
  size_t n = 0;
  struct layout_variant *v = arena_array(p->a, struct layout_variant, cap);
  if (!lp_want(p, "[")) {
    return false;
  }
  bool more = !lp_try(p, "]");
  while (more) {
    if (n == cap) {
      struct layout_variant *w = arena_array(p->a, struct layout_variant, cap * 2);
      memcpy(w, v, cap * sizeof *v);
      v = w;
      cap *= 2;
    }
    if (!lp_variant(p, &v[n]) || !lp_more(p, "]", &more)) {
      return false;
    }
    n++;
  }
  l->variant = v;
  l->n_variants = (uint32_t)n;
  return true;
}

static bool lp_variants(struct lp *p, struct layout *l, bool is_variant) {
  str w = lp_word(p);
  if (str_eqz(w, "Empty")) {
    l->variants = VARIANTS_EMPTY;
    return true;
  }
  if (str_eqz(w, "Single")) {
    l->variants = VARIANTS_SINGLE;
    if (!lp_want(p, "{") || !lp_want(p, "index:") || !lp_u32(p, &l->single)) {
      return false;
    }
    (void)lp_try(p, ",");
    /* Later versions of 1.97 keep what is known of variants that cannot exist. */
    if (lp_try(p, "variants:") && !lp_try(p, "None")) {
      return lp_fail(p, "unknown form of a single variant");
    }
    (void)lp_try(p, ",");
    return lp_want(p, "}");
  }
  if (!str_eqz(w, "Multiple")) {
    return lp_fail(p, "unknown kind of variants");
  }
  if (is_variant) {
    return lp_fail(p, "a variant that has variants");
  }
  uint32_t tag_field = 0;
  l->variants = VARIANTS_MULTIPLE;
  if (!lp_want(p, "{") || !lp_want(p, "tag:") || !lp_scalar(p, &l->tag) || !lp_want(p, ",") ||
      !lp_want(p, "tag_encoding:") || !lp_encoding(p, l) || !lp_want(p, ",") ||
      !lp_want(p, "tag_field:") || !lp_u32(p, &tag_field) || !lp_want(p, ",") ||
      !lp_want(p, "variants:") || !lp_variant_list(p, l)) {
    return false;
  }
  (void)lp_try(p, ",");
  l->tag_field = tag_field;
  return lp_want(p, "}");
}

static bool lp_member(struct lp *p, str f, struct layout *l, bool is_variant) {
  uint64_t scrap = 0;
  u128 seed = 0;
  if (str_eqz(f, "size")) {
    return lp_bytes(p, "Size", &l->size);
  }
  if (str_eqz(f, "align")) {
    return lp_align(p, &l->align);
  }
  if (str_eqz(f, "backend_repr")) {
    return lp_repr(p, l);
  }
  if (str_eqz(f, "fields")) {
    return lp_fields(p, l);
  }
  if (str_eqz(f, "largest_niche")) {
    return lp_largest_niche(p);
  }
  if (str_eqz(f, "uninhabited")) {
    return lp_bool(p, &l->uninhabited);
  }
  if (str_eqz(f, "variants")) {
    return lp_variants(p, l, is_variant);
  }
  if (str_eqz(f, "max_repr_align")) {
    return lp_align_option(p);
  }
  if (str_eqz(f, "unadjusted_abi_align")) {
    return lp_bytes(p, "Align", &scrap);
  }
  if (str_eqz(f, "randomization_seed")) {
    return lp_u128(p, &seed);
  }
  p->at -= f.n;
  return lp_fail(p, "unknown field of a layout");
}

/* After the word `Layout`. */
static bool lp_layout(struct lp *p, struct layout *l, bool is_variant) {
  unsigned seen = 0;
  static const char *const NEEDED[] = {"size", "align", "backend_repr", "fields", "variants"};
  if (!lp_want(p, "{")) {
    return false;
  }
  for (bool more = true; more;) {
    str f = lp_word(p);
    for (unsigned i = 0; i < COUNT_OF(NEEDED); i++) {
      seen |= str_eqz(f, NEEDED[i]) ? 1u << i : 0;
    }
    if (!lp_try(p, ":")) {
      return lp_fail(p, "expected a field");
    }
    if (!lp_member(p, f, l, is_variant) || !lp_more(p, "}", &more)) {
      return false;
    }
  }
  return seen == (1u << COUNT_OF(NEEDED)) - 1 || lp_fail(p, "a layout lacks a field");
}

bool layout_parse(struct arena *a, str text, struct layout *out, str *why) {
  struct lp p = {a, text, 0, STR_NULL};
  *out = (struct layout){.source = LAYOUT_FROM_RUSTC};
  bool ok = lp_want(&p, "Layout") && lp_layout(&p, out, false) && layout_finish(out);
  lp_space(&p);
  if (ok && p.at != text.n) {
    ok = lp_fail(&p, "text after the layout");
  }
  if (!ok && p.why.p == NULL) {
    p.why = STR("a layout that contradicts itself");
  }
  *why = p.why;
  return ok;
}
