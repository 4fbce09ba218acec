/* Types of the result: numbering, completion, text. */
#include "base/fatal.h"
#include "cargo-integration/rustc/descriptor.h"
#include "cargo-integration/rustc/kernels.h"
#include "cargo-integration/rustc/types.h"

static uint32_t add_out(struct prep *p, struct ty_info *i, uint64_t filler, uint64_t align) {
  struct prep_type t = {.info = i, .ty = i ? i->ty : NULL, .size = filler, .align = align};
  vec_push(p->arena, &p->out_types, t);
  return (uint32_t)p->out_types.n - 1;
}

uint32_t type_id(struct prep *p, const struct rty *ty, bool strong) {
  if (ty->kind == RTY_PATTERN)
    ty = ty->elem;
  struct ty_info *i = prep_info(p, ty);
  if (!i->out) {
    i->out = add_out(p, i, 0, 1) + 1;
    i->user = p->at;
    i->user_span = p->at_span;
  }
  if (strong)
    i->strong = true;
  return i->out - 1;
}

/* An opaque stand-in for a field that no body looks at. */
static uint32_t filler_id(struct prep *p, uint64_t size, uint64_t align) {
  str key = arena_printf(p->arena, "%llu/%llu", (unsigned long long)size, (unsigned long long)align);
  bool fresh;
  uintptr_t *v = map_put(&p->fillers, key, &fresh);
  if (fresh)
    *v = add_out(p, NULL, size, align);
  return (uint32_t)*v;
}

/* ---- completion ---- */
static bool is_enum(const struct ty_info *i) {
  return i->ty->kind == RTY_PATH &&
         ((i->layout && i->layout->variants == VARIANTS_MULTIPLE) || i->seen_enum);
}

/* For debuggers: what debug info calls the fields of a variant, and which are plain numbers, also where
 * no body looks at them. */
static const struct di_field *described_fields(struct prep *p, struct ty_info *i, uint32_t variant,
                                               uint32_t n) {
  const struct di_type *d = p->unit->debug && i->ty->kind == RTY_PATH ? type_names_now(p, i) : NULL;
  if (!d)
    return NULL;
  if (d->kind != DI_ENUM)
    return d->n_fields == n ? d->fields : NULL;
  return variant < d->n_variants && d->variants[variant].n_fields == n ? d->variants[variant].fields
                                                                       : NULL;
}

static void plain_fields(struct prep *p, struct ty_info *i, uint32_t variant, const uint64_t *offsets,
                         uint32_t n) {
  const struct di_field *f = described_fields(p, i, variant, n);
  for (uint32_t k = 0; f && k < n; k++) {
    enum rty_prim prim;
    if (f[k].offset == offsets[k] && !type_field(p, i->ty, variant, k) &&
        rty_prim_named(f[k].type, &prim) && prim != PRIM_STR)
      type_saw_field(p, i->ty, variant, k, rty_prim(p->types, prim));
  }
}

static void see_plain_fields(struct prep *p, struct ty_info *i) {
  const struct layout *l = i->layout;
  if (l->variants == VARIANTS_MULTIPLE)
    for (uint32_t v = 0; v < l->n_variants; v++)
      plain_fields(p, i, v, l->variant[v].offsets, l->variant[v].n_fields);
  else if (l->fields == FIELDS_ARBITRARY)
    plain_fields(p, i, 0, l->offsets, l->n_fields);
}

static void touch_fields(struct prep *p, struct ty_info *i) {
  see_plain_fields(p, i);
  if (i->layout && i->layout->unsized_ && type_field(p, i->ty, 0, 0))
    (void)type_id(p, type_field(p, i->ty, 0, 0), true);
  for (size_t v = 0; v < i->variants.n; v++)
    for (size_t f = 0; f < i->variants.p[v].fields.n; f++)
      if (i->variants.p[v].fields.p[f])
        (void)type_id(p, i->variants.p[v].fields.p[f], true);
}

static bool finish_adt(struct prep *p, struct ty_info *i) {
  const struct layout *l = type_layout(p, i->ty);
  if (!l) {
    if (i->layout_asked && !i->layout_reason.n)
      return true; /* comes with the next round */
    struct diag *d = prep_error(p, i->user, MD0176, i->user_span, "the layout of `%.*s` cannot be had",
                                STR_ARG(rty_label(p->types, i->ty)));
    if (i->layout_reason.n)
      diag_note(d, "rustc says: %.*s", STR_ARG(i->layout_reason));
    diag_help(d, "keep values of this private type out of the kernel, for example with a plain `for` "
                 "loop in place of a long chain of adapters");
    return false;
  }
  touch_fields(p, i);
  if (!is_enum(i))
    return true;
  bool is_read = i->discr_ty != NULL; /* some kernel asks for the discriminant */
  if (i->discr_ty == NULL)
    i->discr_ty = rty_prim(p->types, PRIM_ISIZE);
  (void)type_id(p, i->discr_ty, true);
  u128 d;
  bool known = type_discr(p, i->ty, 0, 64, &d);
  if (!known && is_read && i->di && i->di->kind == DI_ENUM && i->di->n_variants == 1) {
    want_discr(p, i, SPAN_NONE);
    if (!i->discr->ok && !i->discr->reason.n)
      return true; /* comes with the next round */
  }
  if (!known && (i->names_failed || (is_read && i->di))) {
    struct diag *e = prep_error(p, i->user, MD0177, i->user_span,
                                "the variants of `%.*s` are not known",
                                STR_ARG(rty_label(p->types, i->ty)));
    diag_help(e, i->discr ? "declare the enum outside of functions, so that rustc can be asked for its value"
                          : "use the enum by value in one of the crate's functions, so that rustc describes it");
    return false;
  }
  return true;
}

static bool finish_one(struct prep *p, uint32_t n) {
  struct ty_info *i = p->out_types.p[n].info;
  if (!i)
    return true;
  p->at = i->user;
  p->at_span = i->user_span;
  const struct rty *ty = i->ty;
  switch (ty->kind) {
  case RTY_REF: case RTY_PTR: /* an unsized struct shows by its last field that it is one */
    (void)type_id(p, ty->elem, ty->elem->kind == RTY_PATH && type_meta(p, ty->elem) != 'n');
    return true;
  case RTY_FNPTR:
    for (uint32_t k = 0; k < ty->n_args; k++)
      (void)type_id(p, ty->args[k], true);
    (void)type_id(p, ty->ret, true);
    return true;
  case RTY_SLICE:
    (void)type_id(p, ty->elem, i->strong);
    return true;
  case RTY_ARRAY: {
    uint64_t size, align;
    if (!i->strong)
      return true;
    (void)type_id(p, ty->elem, true);
    (void)type_size(p, ty, &size, &align);
    return true;
  }
  case RTY_TUPLE: case RTY_CLOSURE:
    if (!i->strong)
      return true;
    for (uint32_t k = 0; k < ty->n_args; k++)
      (void)type_id(p, ty->args[k], true);
    if (ty->n_args == 0)
      return true;
    return finish_adt(p, i);
  case RTY_PATH:
    return !i->strong || finish_adt(p, i);
  default:
    return true;
  }
}

/* Strength may come to a type after its turn, so passes go on until nothing is new. */
bool types_finish(struct prep *p) {
  size_t before, now = 0;
  do {
    before = now;
    for (uint32_t n = 0; n < p->out_types.n; n++)
      if (!finish_one(p, n))
        return false;
    now = 0;
    for (uint32_t n = 0; n < p->out_types.n; n++)
      now += p->out_types.p[n].info && p->out_types.p[n].info->strong ? 2 : 1;
  } while (now != before);
  return true;
}

/* ---- text ---- */
static void head(struct prep *p, struct jsonw *w, const char *kind, const struct rty *ty,
                 uint64_t size, uint64_t align, const char *src) {
  jw_object(w);
  jw_kz(w, "kind", kind);
  jw_kstr(w, "name", rty_label(p->types, ty));
  jw_ku64(w, "size", size);
  jw_ku64(w, "align", align);
  jw_kz(w, "src", src);
}

static void write_prim(struct prep *p, struct jsonw *w, const struct rty *ty) {
  uint64_t size, align;
  (void)type_size(p, ty, &size, &align);
  const char *kind = "int";
  if (ty->prim == PRIM_BOOL)
    kind = "bool";
  else if (ty->prim == PRIM_CHAR)
    kind = "char";
  else if (ty->prim == PRIM_STR)
    kind = "str";
  else if (!type_int_bits(ty))
    kind = "float";
  head(p, w, kind, ty, size, align, "builtin");
  if (kind[0] == 'i' || kind[0] == 'f')
    jw_ku64(w, "bits", size * 8);
  if (kind[0] == 'i')
    jw_kbool(w, "signed", ty->prim >= PRIM_I8 && ty->prim <= PRIM_ISIZE);
  jw_end_object(w);
}

static void write_ptr(struct prep *p, struct jsonw *w, const struct rty *ty) {
  char meta = type_meta(p, ty->elem);
  head(p, w, "ptr", ty, meta == 'n' ? 8 : 16, 8, "builtin");
  jw_ku64(w, "to", type_id(p, ty->elem, false));
  jw_kbool(w, "mut", ty->mut);
  jw_kbool(w, "ref", ty->kind == RTY_REF);
  jw_kz(w, "meta", meta == 'n' ? "none" : meta == 'l' ? "len" : "vtable");
  jw_end_object(w);
}

static void write_fnptr(struct prep *p, struct jsonw *w, const struct rty *ty) {
  head(p, w, "fnptr", ty, 8, 8, "builtin");
  jw_key(w, "args");
  jw_array(w);
  for (uint32_t k = 0; k < ty->n_args; k++)
    jw_u64(w, type_id(p, ty->args[k], true));
  jw_end_array(w);
  jw_ku64(w, "ret", type_id(p, ty->ret, true));
  jw_kz(w, "abi", ty->abi.n && ty->abi.p[0] == 'C' ? "c" : "rust");
  jw_end_object(w);
}

/* Where the fields of one variant lie; `end` bounds the last filler. */
struct field_row {
  const struct rty *ty;
  uint64_t off;
  str name;
};

struct bound {
  uint64_t end, tag, tag_end; /* the stored tag; UINT64_MAX and 0 without one */
};

static uint64_t filler_size(struct prep *p, const struct field_row *rows, uint32_t n, uint32_t k,
                            struct bound end) {
  uint64_t next = end.end;
  if (rows[k].off >= end.tag && rows[k].off < end.tag_end)
    return 0;
  if (end.tag > rows[k].off && end.tag < next)
    next = end.tag;
  for (uint32_t j = 0; j < n; j++) {
    if (j == k)
      continue;
    if (rows[j].off == rows[k].off) {
      if (rows[j].ty ? !type_is_zst(p, rows[j].ty) : j > k)
        return 0;
    } else if (rows[j].off > rows[k].off && rows[j].off < next) {
      next = rows[j].off;
    }
  }
  return next > rows[k].off ? next - rows[k].off : 0;
}

/* The macro says that the struct stands for a slice: an address, then a length. NULL: neither. */
static const struct rty *slice_half(struct prep *p, const struct ty_info *i, uint64_t off,
                                    uint64_t size) {
  const struct rty *elem = i->param ? kernels_slice_elem(i->param, i->ty) : NULL;
  if (!elem || size != 8)
    return NULL;
  return off == 8   ? rty_prim(p->types, PRIM_USIZE)
         : off == 0 ? rty_ptr(p->types, elem, true)
                    : NULL;
}

/* A field that no body looks at: as big as the macro says, or all up to the next one. */
static uint32_t unseen_id(struct prep *p, const struct ty_info *i, const struct field_row *rows,
                          uint32_t n, uint32_t k, struct bound end) {
  const struct kernel_param *q = i->param;
  for (uint32_t f = 0; q && q->n_fields == n && f < n; f++)
    if (q->fields[f].off == rows[k].off && str_eq(q->fields[f].name, rows[k].name))
      return filler_id(p, q->fields[f].size, q->fields[f].align);
  if (q && q->n_fields == n && q->fields[k].off == rows[k].off)
    return filler_id(p, q->fields[k].size, q->fields[k].align);
  uint64_t size = filler_size(p, rows, n, k, end);
  const struct rty *half = slice_half(p, i, rows[k].off, size);
  return half ? type_id(p, half, true) : filler_id(p, size, 1);
}

static void write_fields(struct prep *p, struct jsonw *w, const struct ty_info *i,
                         const struct field_row *rows, uint32_t n, struct bound end) {
  jw_key(w, "fields");
  jw_array(w);
  for (uint32_t k = 0; k < n; k++) {
    jw_object(w);
    jw_kstr(w, "name", rows[k].name);
    jw_ku64(w, "ty", rows[k].ty ? type_id(p, rows[k].ty, true)
                                : unseen_id(p, i, rows, n, k, end));
    jw_ku64(w, "off", rows[k].off);
    jw_end_object(w);
  }
  jw_end_array(w);
}

static struct field_row *rows_of(struct prep *p, struct ty_info *i, uint32_t variant,
                                 const uint64_t *offsets, uint32_t n) {
  struct field_row *rows = arena_array(p->arena, struct field_row, n ? n : 1);
  const struct di_field *d = described_fields(p, i, variant, n);
  for (uint32_t k = 0; k < n; k++) {
    rows[k].ty = type_field(p, i->ty, variant, k);
    rows[k].off = offsets ? offsets[k] : 0;
    rows[k].name = arena_printf(p->arena, "%u", k);
    if (variant == 0 && k < i->field_names.n)
      rows[k].name = i->field_names.p[k];
    if (d && offsets && d[k].offset == offsets[k] && !str_starts(d[k].name, STR("__")))
      rows[k].name = d[k].name;
  }
  return rows;
}

static const char *source_of(const struct ty_info *i) {
  if (i->computed)
    return "computed";
  return i->layout && i->layout->source == LAYOUT_FROM_DEBUGINFO ? "debuginfo" : "layout";
}

static void write_struct(struct prep *p, struct jsonw *w, struct ty_info *i) {
  const struct layout *l = i->layout;
  const char *kind = i->ty->kind == RTY_TUPLE     ? "tuple"
                     : i->ty->kind == RTY_CLOSURE ? "closure"
                                                  : "struct";
  uint32_t n = l->fields == FIELDS_ARBITRARY || l->fields == FIELDS_UNION ? l->n_fields : 0;
  if (l->fields == FIELDS_UNION && i->ty->kind == RTY_PATH)
    kind = "union";
  if ((l->fields == FIELDS_PRIMITIVE && l->size) || l->fields == FIELDS_ARRAY) {
    head(p, w, "opaque", i->ty, l->size, l->align, source_of(i));
    jw_end_object(w);
    return;
  }
  head(p, w, kind, i->ty, l->size, l->align, source_of(i));
  bool is_union = l->fields == FIELDS_UNION;
  struct field_row *rows = rows_of(p, i, 0, is_union ? NULL : l->offsets, n);
  if (is_union) {
    jw_key(w, "fields");
    jw_array(w);
    for (uint32_t k = 0; k < n; k++) {
      jw_object(w);
      jw_kstr(w, "name", rows[k].name);
      jw_ku64(w, "ty", rows[k].ty ? type_id(p, rows[k].ty, true) : filler_id(p, l->size, 1));
      jw_ku64(w, "off", 0);
      jw_end_object(w);
    }
    for (uint32_t k = 0; type_field(p, i->ty, UNION_PUT, k); k++) {
      jw_object(w);
      jw_kstr(w, "name", arena_printf(p->arena, "put %u", k));
      jw_ku64(w, "ty", type_id(p, type_field(p, i->ty, UNION_PUT, k), true));
      jw_ku64(w, "off", 0);
      jw_end_object(w);
    }
    jw_end_array(w);
  } else {
    write_fields(p, w, i, rows, n, (struct bound){l->size, UINT64_MAX, 0});
  }
  jw_end_object(w);
}

/* ---- enums ---- */
static str variant_name(struct prep *p, struct ty_info *i, uint32_t v) {
  const char *const *core;
  const int8_t *discr;
  if (v < debuginfo_core_variants(rty_label(p->types, i->ty), &core, &discr))
    return str_from(core[v]);
  if (i->di && i->di->kind == DI_ENUM && v < i->di->n_variants)
    return i->di->variants[v].name;
  return arena_printf(p->arena, "%u", v);
}

static u128 tag_mask(unsigned bits) {
  return bits >= 128 ? ~(u128)0 : ((u128)1 << bits) - 1;
}

static bool tag_of(struct prep *p, struct ty_info *i, uint32_t v, u128 *bits) {
  const struct layout *l = i->layout;
  u128 discr = v;
  if (l->variants != VARIANTS_MULTIPLE)
    return false;
  if (l->encoding == ENCODE_DIRECT)
    (void)type_discr(p, i->ty, v, l->tag.bits, &discr);
  if (!layout_tag_of(l, v, discr, bits))
    return false;
  *bits &= tag_mask(l->tag.bits);
  return true;
}

static void write_get(struct prep *p, struct jsonw *w, struct ty_info *i, uint32_t n) {
  const struct layout *l = i->layout;
  jw_key(w, "get");
  jw_object(w);
  if (l->variants == VARIANTS_SINGLE) {
    jw_ku64(w, "variant", l->single);
  } else if (l->variants == VARIANTS_EMPTY) {
    jw_kbool(w, "invalid", true);
  } else {
    jw_ku64(w, "at", l->tag_offset);
    jw_ku64(w, "bits", l->tag.bits);
    jw_key(w, "cases");
    jw_array(w);
    for (uint32_t v = 0; v < n; v++) {
      u128 tag;
      if (!tag_of(p, i, v, &tag))
        continue;
      jw_array(w);
      jw_hex(w, tag);
      jw_hex(w, tag);
      jw_object(w);
      jw_ku64(w, "variant", v);
      jw_end_object(w);
      jw_end_array(w);
    }
    jw_end_array(w);
    jw_key(w, "else");
    jw_object(w);
    if (l->encoding == ENCODE_DIRECT)
      jw_kbool(w, "invalid", true);
    else
      jw_ku64(w, "variant", l->untagged);
    jw_end_object(w);
  }
  jw_end_object(w);
}

static void write_variant(struct prep *p, struct jsonw *w, struct ty_info *i, uint32_t v) {
  const struct layout *l = i->layout;
  u128 discr = v, tag;
  unsigned bits = type_int_bits(i->discr_ty);
  (void)type_discr(p, i->ty, v, bits, &discr);
  jw_object(w);
  jw_kstr(w, "name", variant_name(p, i, v));
  jw_key(w, "discr");
  jw_hex(w, discr);
  if (l->variants == VARIANTS_MULTIPLE) {
    const struct layout_variant *lv = &l->variant[v];
    struct bound end = {l->size, UINT64_MAX, 0};
    if (tag_of(p, i, v, &tag)) {
      end.tag = l->tag_offset;
      end.tag_end = l->tag_offset + l->tag.bits / 8;
    }
    write_fields(p, w, i, rows_of(p, i, v, lv->offsets, lv->n_fields), lv->n_fields, end);
  } else if (l->variants == VARIANTS_SINGLE && v == l->single) {
    uint32_t n = l->fields == FIELDS_ARBITRARY ? l->n_fields : 0;
    write_fields(p, w, i, rows_of(p, i, v, l->offsets, n), n,
                 (struct bound){l->size, UINT64_MAX, 0});
  } else {
    jw_key(w, "fields");
    jw_array(w);
    jw_end_array(w);
  }
  jw_key(w, "set");
  jw_array(w);
  if (tag_of(p, i, v, &tag)) {
    jw_array(w);
    jw_u64(w, l->tag_offset);
    jw_u64(w, l->tag.bits);
    jw_hex(w, tag);
    jw_end_array(w);
  }
  jw_end_array(w);
  if (l->variants == VARIANTS_MULTIPLE ? l->variant[v].uninhabited
                                       : l->variants == VARIANTS_EMPTY || v != l->single)
    jw_kbool(w, "uninhabited", true);
  jw_end_object(w);
}

static void write_enum(struct prep *p, struct jsonw *w, struct ty_info *i) {
  const struct layout *l = i->layout;
  uint32_t n = l->n_variants;
  if (l->variants != VARIANTS_MULTIPLE) {
    const char *const *core;
    const int8_t *discr;
    n = debuginfo_core_variants(rty_label(p->types, i->ty), &core, &discr);
    if (!n && i->di && i->di->kind == DI_ENUM)
      n = i->di->n_variants;
    if (n <= l->single)
      n = l->single + 1;
  }
  head(p, w, "enum", i->ty, l->size, l->align, source_of(i));
  jw_ku64(w, "discr_ty", type_id(p, i->discr_ty, true));
  jw_key(w, "variants");
  jw_array(w);
  for (uint32_t v = 0; v < n; v++)
    write_variant(p, w, i, v);
  jw_end_array(w);
  write_get(p, w, i, n);
  jw_end_object(w);
}

static void write_opaque(struct prep *p, struct jsonw *w, const struct rty *ty) {
  head(p, w, "opaque", ty, 0, 1, "builtin");
  jw_end_object(w);
}

static void write_composite(struct prep *p, struct jsonw *w, struct ty_info *i) {
  const struct rty *ty = i->ty;
  if ((ty->kind == RTY_TUPLE && ty->n_args == 0) ||
      (ty->kind == RTY_CLOSURE && ty->n_args == 0 && i->strong)) {
    head(p, w, ty->kind == RTY_TUPLE ? "tuple" : "closure", ty, 0, 1, "builtin");
    jw_key(w, "fields");
    jw_array(w);
    jw_end_array(w);
    jw_end_object(w);
  } else if (!i->strong || !i->layout) {
    write_opaque(p, w, ty);
  } else if (is_enum(i)) {
    write_enum(p, w, i);
  } else {
    write_struct(p, w, i);
  }
}

static void write_array(struct prep *p, struct jsonw *w, struct ty_info *i) {
  uint64_t size, align, n;
  if (!i->strong || !type_size(p, i->ty, &size, &align) || !rty_array_len(i->ty, &n)) {
    write_opaque(p, w, i->ty);
    return;
  }
  head(p, w, "array", i->ty, size, align, "builtin");
  jw_ku64(w, "elem", type_id(p, i->ty->elem, true));
  jw_ku64(w, "len", n);
  jw_end_object(w);
}

static void write_one(struct prep *p, struct jsonw *w, uint32_t n) {
  struct prep_type t = p->out_types.p[n];
  if (!t.info) {
    jw_object(w);
    jw_kz(w, "kind", "opaque");
    jw_kstr(w, "name", arena_printf(p->arena, "{%llu bytes}", (unsigned long long)t.size));
    jw_ku64(w, "size", t.size);
    jw_ku64(w, "align", t.align);
    jw_kz(w, "src", "layout");
    jw_end_object(w);
    return;
  }
  const struct rty *ty = t.ty;
  switch (ty->kind) {
  case RTY_PRIM:
    write_prim(p, w, ty);
    return;
  case RTY_NEVER:
    head(p, w, "never", ty, 0, 1, "builtin");
    jw_end_object(w);
    return;
  case RTY_FNDEF:
    head(p, w, "fndef", ty, 0, 1, "builtin");
    jw_end_object(w);
    return;
  case RTY_DYN:
    head(p, w, "dyn", ty, 0, 1, "builtin");
    jw_end_object(w);
    return;
  case RTY_REF: case RTY_PTR:
    write_ptr(p, w, ty);
    return;
  case RTY_FNPTR:
    write_fnptr(p, w, ty);
    return;
  case RTY_SLICE: {
    uint64_t size, align;
    if (!t.info->strong || !type_size(p, ty, &size, &align))
      align = 1;
    head(p, w, "slice", ty, 0, align, "builtin");
    jw_ku64(w, "elem", type_id(p, ty->elem, false));
    jw_end_object(w);
    return;
  }
  case RTY_ARRAY:
    write_array(p, w, t.info);
    return;
  default:
    write_composite(p, w, t.info);
  }
}

void types_write(struct prep *p, struct jsonw *w) {
  jw_key(w, "types");
  jw_array(w);
  for (uint32_t n = 0; n < p->out_types.n; n++) {
    jw_newline(w);
    write_one(p, w, n);
  }
  jw_end_array(w);
}
