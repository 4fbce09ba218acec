/* The layout that debug info implies, and the variants of core's own enums. */
#include "cargo-integration/rustc/debuginfo.h"

static uint64_t *offsets_of(struct arena *a, const struct di_field *f, uint32_t n) {
  uint64_t *out = arena_array(a, uint64_t, (size_t)n + 1);
  for (uint32_t i = 0; i < n; i++) {
    out[i] = f[i].offset;
  }
  return out;
}

/* The stored tags of a niche must count up by one over a run of variants, as rustc lays them out;
 * *first and *last are the run's ends. The untagged variant may lie in the middle. */
static bool niche_run(const struct di_type *t, struct layout *l) {
  u128 mask = t->tag_bits >= 128 ? ~(u128)0 : ((u128)1 << t->tag_bits) - 1;
  bool any = false;
  unsigned untagged = 0;
  for (uint32_t i = 0; i < t->n_variants; i++) {
    const struct di_variant *v = &t->variants[i];
    if (!v->has_tag) {
      l->untagged = i;
      untagged++;
      continue;
    }
    if (!any) {
      l->niche_first = i;
      l->niche_start = v->tag;
      any = true;
    }
    l->niche_last = i;
    if (v->tag != ((l->niche_start + (u128)(i - l->niche_first)) & mask)) {
      return false;
    }
  }
  return any && untagged == 1;
}

/* Of an enum that stores no tag: the variant that has values. False when it cannot be told. */
static bool find_single(const struct di_type *t, uint32_t *single) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < t->n_variants; i++) {
    bool never = false;
    for (uint32_t k = 0; k < t->variants[i].n_fields; k++) {
      never = never || t->variants[i].fields[k].never;
    }
    if (!never) {
      *single = i;
      n++;
    }
  }
  return n == 1;
}

static bool enum_layout(struct arena *a, const struct di_type *t, struct layout *out) {
  unsigned with_tag = 0;
  out->variant = arena_array(a, struct layout_variant, (size_t)t->n_variants + 1);
  out->n_variants = t->n_variants;
  for (uint32_t i = 0; i < t->n_variants; i++) {
    const struct di_variant *v = &t->variants[i];
    with_tag += v->has_tag;
    out->variant[i].size = v->size;
    out->variant[i].n_fields = v->n_fields;
    out->variant[i].offsets = offsets_of(a, v->fields, v->n_fields);
  }
  if (t->n_variants == 0) {
    out->variants = VARIANTS_EMPTY;
    out->uninhabited = true;
    return true;
  }
  if (t->tag_bits == 0) {
    uint32_t v = 0;
    if (t->n_variants > 1 && !find_single(t, &v)) {
      return false;
    }
    out->variants = VARIANTS_SINGLE;
    out->single = v;
    out->offsets = out->variant[v].offsets;
    out->n_fields = out->variant[v].n_fields;
    return true;
  }
  out->variants = VARIANTS_MULTIPLE;
  out->tag = (struct layout_scalar){.prim = PRIM_INT, .bits = t->tag_bits, .is_union = true};
  out->offsets = arena_array(a, uint64_t, 1);
  out->offsets[0] = t->tag_offset;
  out->n_fields = 1;
  out->encoding = with_tag == t->n_variants ? ENCODE_DIRECT : ENCODE_NICHE;
  return out->encoding == ENCODE_DIRECT || niche_run(t, out);
}

bool debuginfo_layout(struct arena *a, const struct di_type *t, struct layout *out) {
  *out = (struct layout){.source = LAYOUT_FROM_DEBUGINFO,
                         .printed = t->path,
                         .size = t->size,
                         .align = t->align,
                         .repr = REPR_MEMORY,
                         .fields = FIELDS_ARBITRARY,
                         .variants = VARIANTS_SINGLE};
  switch (t->kind) {
  case DI_ENUM:
    return enum_layout(a, t, out) && layout_finish(out);
  case DI_UNION:
    out->fields = FIELDS_UNION;
    out->n_fields = t->n_fields;
    return layout_finish(out);
  case DI_STRUCT:
  case DI_TUPLE:
  case DI_CLOSURE:
    out->offsets = offsets_of(a, t->fields, t->n_fields);
    out->n_fields = t->n_fields;
    return layout_finish(out);
  default:
    return false;
  }
}

struct core_enum {
  const char *path; /* as printed behind std:: or core:: */
  const char *const *names;
  const int8_t *discr;
  unsigned n;
};

static const char *const OPTION[] = {"None", "Some"};
static const char *const RESULT[] = {"Ok", "Err"};
static const char *const FLOW[] = {"Continue", "Break"};
static const char *const ORDERING[] = {"Less", "Equal", "Greater"};
static const char *const POLL[] = {"Ready", "Pending"};
static const char *const BOUND[] = {"Included", "Excluded", "Unbounded"};
static const int8_t COUNT_UP[] = {0, 1, 2};
static const int8_t FROM_MINUS[] = {-1, 0, 1};
static const struct core_enum CORE[] = {
    {"option::Option", OPTION, COUNT_UP, 2},
    {"result::Result", RESULT, COUNT_UP, 2},
    {"ops::ControlFlow", FLOW, COUNT_UP, 2},
    {"cmp::Ordering", ORDERING, FROM_MINUS, 3},
    {"task::Poll", POLL, COUNT_UP, 2},
    {"ops::Bound", BOUND, COUNT_UP, 3},
    {"ops::control_flow::ControlFlow", FLOW, COUNT_UP, 2},
    {"ops::range::Bound", BOUND, COUNT_UP, 3},
    {"task::poll::Poll", POLL, COUNT_UP, 2},
};

unsigned debuginfo_core_variants(str type_text, const char *const **names, const int8_t **discr) {
  str t = type_text;
  if (str_starts(t, STR("::"))) {
    t = str_drop(t, 2);
  }
  if (str_starts(t, STR("std::"))) {
    t = str_drop(t, 5);
  } else if (str_starts(t, STR("core::"))) {
    t = str_drop(t, 6);
  } else {
    return 0;
  }
  size_t end = str_find_char(t, '<', 0);
  t = str_sub(t, 0, end == SIZE_MAX ? t.n : end);
  if (str_ends(t, STR("::"))) {
    t = str_sub(t, 0, t.n - 2);
  }
  for (size_t i = 0; i < COUNT_OF(CORE); i++) {
    if (str_eqz(t, CORE[i].path)) {
      *names = CORE[i].names;
      *discr = CORE[i].discr;
      return CORE[i].n;
    }
  }
  return 0;
}
