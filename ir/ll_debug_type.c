/* Types for debuggers, in the form that gdb knows from rustc: `__0` for fields without a name,
 * `data_ptr` and `length` in slices, variants of enums in a variant part. */
#include "ir/ll_debug.h"

enum { NEW, BUSY, REFERRED, DONE };
enum {
  MAX_DEPTH = 256, /* types beyond are named, not described */
  GENERIC = 12,    /* the address class of pointers, as nvcc has it */
  FIRST_MODERN = 100
};
/* DWARF's attribute encodings. */
enum { ATE_BOOLEAN = 2, ATE_FLOAT = 4, ATE_SIGNED = 5, ATE_UNSIGNED = 7, ATE_UTF = 16 };

/* What LLVM-C cannot make comes in another dress, which ll_print.c takes off: a variant part is a
 * struct of this identifier whose base is the discriminant; a variant's value is the storage offset
 * of a bit field. */
static const char variant_part_id[] = LL_VARIANT_PART;

static uint32_t bits_of(const struct pm_type *t) {
  return (uint32_t)t->align * 8;
}

static LLVMMetadataRef basic(struct ll *l, const struct pm_type *t, unsigned encoding) {
  return LLVMDIBuilderCreateBasicType(l->dbg->b, t->name.p, t->name.n, t->size * 8, encoding,
                                      LLVMDIFlagZero);
}

static LLVMMetadataRef structure(struct ll *l, str name, const struct pm_type *t,
                                 LLVMMetadataRef *members, unsigned n) {
  struct ll_debug *d = l->dbg;
  return LLVMDIBuilderCreateStructType(d->b, d->unit, name.p, name.n, d->unknown, 0, t->size * 8,
                                       bits_of(t), LLVMDIFlagZero, NULL, members, n, 0, NULL, "",
                                       0);
}

static LLVMMetadataRef member_of(struct ll *l, str name, uint64_t size, uint64_t off,
                                 LLVMMetadataRef type) {
  struct ll_debug *d = l->dbg;
  if (name.n > 0 && name.p[0] >= '0' && name.p[0] <= '9')
    name = arena_printf(&l->scratch, "__%.*s", STR_ARG(name));
  return LLVMDIBuilderCreateMemberType(d->b, d->unit, name.p, name.n, d->unknown, 0, size * 8, 0,
                                       off * 8, LLVMDIFlagZero, type);
}

static LLVMMetadataRef member(struct ll *l, const struct pm_field *f) {
  return member_of(l, f->name, ll_ty(l, f->ty)->size, f->off, ll_debug_type(l, f->ty));
}

/* With room for one more in front. */
static LLVMMetadataRef *members(struct ll *l, const struct pm_field *f, uint32_t n) {
  LLVMMetadataRef *m = arena_array(&l->arena, LLVMMetadataRef, n + 1);
  for (uint32_t i = 0; i < n; i++)
    m[i + 1] = member(l, &f[i]);
  return m;
}

/* ---- pointers ---- */
static LLVMMetadataRef pointer(struct ll *l, str name, LLVMMetadataRef to) {
  return LLVMDIBuilderCreatePointerType(l->dbg->b, to, 64, 64, GENERIC, name.p, name.n);
}

LLVMMetadataRef ll_debug_pointer_to(struct ll *l, pm_ty ty) {
  str name = arena_printf(&l->arena, "&%.*s", STR_ARG(ll_ty(l, ty)->name));
  return pointer(l, name, ll_debug_type(l, ty));
}

static LLVMMetadataRef word(struct ll *l) {
  return LLVMDIBuilderCreateBasicType(l->dbg->b, "usize", 5, 64, ATE_UNSIGNED, LLVMDIFlagZero);
}

/* The element of a slice, text, or what else lies behind a wide pointer. */
static LLVMMetadataRef behind(struct ll *l, const struct pm_type *to, pm_ty id) {
  if (to->kind == PM_SLICE)
    return ll_debug_type(l, to->elem);
  if (to->kind == PM_STR)
    return LLVMDIBuilderCreateBasicType(l->dbg->b, "u8", 2, 8, ATE_UNSIGNED, LLVMDIFlagZero);
  return ll_debug_type(l, id);
}

static LLVMMetadataRef any_pointer(struct ll *l, const struct pm_type *t) {
  LLVMMetadataRef m[2];
  if (t->meta == PM_META_NONE)
    return pointer(l, t->name, ll_debug_type(l, t->elem));
  const struct pm_type *to = ll_ty(l, t->elem);
  bool dyn = t->meta == PM_META_VTABLE;
  LLVMMetadataRef data = pointer(l, STR(""), behind(l, to, t->elem));
  m[0] = member_of(l, dyn ? STR("pointer") : STR("data_ptr"), 8, 0, data);
  m[1] = member_of(l, dyn ? STR("vtable") : STR("length"), 8, 8, word(l));
  return structure(l, t->name, t, m, 2);
}

static LLVMMetadataRef function_pointer(struct ll *l, const struct pm_type *t) {
  struct ll_debug *d = l->dbg;
  LLVMMetadataRef *a = arena_array(&l->arena, LLVMMetadataRef, t->n_args + 1);
  for (uint32_t i = 0; i < t->n_args; i++)
    a[i + 1] = ll_debug_type(l, t->args[i]);
  if (ll_ty(l, t->elem)->size > 0)
    a[0] = ll_debug_type(l, t->elem);
  LLVMMetadataRef f =
      LLVMDIBuilderCreateSubroutineType(d->b, d->unknown, a, t->n_args + 1, LLVMDIFlagZero);
  return pointer(l, t->name, f);
}

/* ---- enums ---- */
struct tag {
  bool known;     /* one number at one place tells the variant */
  bool *has;      /* by variant: exactly one value of it; else it is what the others are not */
  uint64_t *value;
  uint64_t at;
  uint32_t bits;
};

/* Trees of one level in which each variant has at most one value, and one variant none. */
static struct tag tag_of(struct ll *l, const struct pm_type *t) {
  struct tag g = {.bits = t->get->bits, .at = t->get->at};
  unsigned rest = 0;
  g.has = arena_array(&l->arena, bool, t->n_variants);
  g.value = arena_array(&l->arena, uint64_t, t->n_variants);
  if (t->get->kind != PM_GET_SWITCH || t->get->bits > 64 ||
      t->get->otherwise->kind == PM_GET_SWITCH)
    return g;
  for (uint32_t i = 0; i < t->get->n_cases; i++) {
    const struct pm_get_case *c = &t->get->cases[i];
    if (c->then->kind == PM_GET_INVALID)
      continue;
    if (c->then->kind == PM_GET_SWITCH || c->lo != c->hi || g.has[c->then->variant])
      return g;
    g.has[c->then->variant] = true;
    g.value[c->then->variant] = (uint64_t)c->lo;
  }
  for (uint32_t i = 0; i < t->n_variants; i++)
    rest += !g.has[i] && !t->variants[i].uninhabited;
  g.known = rest <= 1;
  return g;
}

static LLVMMetadataRef tag_type(struct ll *l, uint32_t bits) {
  char name[8];
  int n = snprintf(name, sizeof name, "u%u", bits);
  ASSERT(n > 0);
  return LLVMDIBuilderCreateBasicType(l->dbg->b, name, (size_t)n, bits, ATE_UNSIGNED,
                                      LLVMDIFlagZero);
}

static LLVMMetadataRef variant_type(struct ll *l, const struct pm_type *t, uint32_t i,
                                    LLVMMetadataRef tag) {
  const struct pm_variant *v = &t->variants[i];
  LLVMMetadataRef *m = members(l, v->fields, v->n_fields);
  m[0] = tag;
  return structure(l, v->name, t, tag ? m : m + 1, v->n_fields + (tag ? 1 : 0));
}

/* A variant part, which libNVVM's newer reader keeps whole. */
static LLVMMetadataRef variant_part(struct ll *l, const struct pm_type *t, const struct tag *g) {
  struct ll_debug *d = l->dbg;
  LLVMMetadataRef *m = arena_array(&l->arena, LLVMMetadataRef, t->n_variants + 1);
  LLVMMetadataRef discr =
      LLVMDIBuilderCreateMemberType(d->b, d->unit, "", 0, d->unknown, 0, g->bits, 0, g->at * 8,
                                    LLVMDIFlagArtificial, tag_type(l, g->bits));
  unsigned n = 0;
  for (uint32_t i = 0; i < t->n_variants; i++) {
    const struct pm_variant *v = &t->variants[i];
    LLVMMetadataRef type = variant_type(l, t, i, NULL);
    if (v->uninhabited && !g->has[i])
      continue;
    if (g->has[i])
      m[n++] = LLVMDIBuilderCreateBitFieldMemberType(d->b, d->unit, v->name.p, v->name.n,
                                                     d->unknown, 0, t->size * 8, 0, g->value[i],
                                                     LLVMDIFlagZero, type);
    else
      m[n++] = member_of(l, v->name, t->size, 0, type);
  }
  LLVMMetadataRef part = LLVMDIBuilderCreateStructType(
      d->b, d->unit, "", 0, d->unknown, 0, t->size * 8, bits_of(t), LLVMDIFlagZero, discr, m, n, 0,
      NULL, variant_part_id, sizeof variant_part_id - 1);
  return structure(l, t->name, t, &part, 1);
}

static LLVMMetadataRef union_of(struct ll *l, const struct pm_type *t, LLVMMetadataRef *m,
                                unsigned n) {
  struct ll_debug *d = l->dbg;
  return LLVMDIBuilderCreateUnionType(d->b, d->unit, t->name.p, t->name.n, d->unknown, 0,
                                      t->size * 8, bits_of(t), LLVMDIFlagZero, m, n, 0, "", 0);
}

/* The way to a number or pointer of `bits` at `at`, as numbers of members: `0$1$`. */
static bool way_to(struct ll *l, const struct pm_field *f, uint32_t n, uint64_t at, uint32_t bits,
                   struct strbuf *way) {
  for (unsigned depth = 0; depth < MAX_DEPTH; depth++) {
    uint32_t i = 0;
    while (i < n && (at < f[i].off || at >= f[i].off + ll_ty(l, f[i].ty)->size))
      i++;
    if (i == n)
      return false;
    const struct pm_type *t = ll_ty(l, f[i].ty);
    at -= f[i].off;
    sb_addf(way, "%u$", i);
    if (t->kind == PM_PTR && t->meta != PM_META_NONE) {
      sb_addz(way, at == 0 ? "0$" : "1$");
      return bits == 64 && at % 8 == 0;
    }
    if (t->kind == PM_INT || t->kind == PM_PTR || t->kind == PM_FNPTR)
      return at == 0 && t->size * 8 == bits;
    if (t->kind != PM_STRUCT && t->kind != PM_TUPLE && t->kind != PM_CLOSURE)
      return false;
    f = t->fields;
    n = t->n_fields;
  }
  return false;
}

/* Two variants, one of which has no fields and is told by zero: `Option<&T>`. The name of the only
 * member says where. */
static LLVMMetadataRef nullable(struct ll *l, const struct pm_type *t, const struct tag *g) {
  struct strbuf name = {0};
  LLVMMetadataRef made = NULL;
  uint32_t null = t->n_variants == 2 && g->has[1], full = !null;
  const struct pm_variant *v = &t->variants[full];
  if (t->n_variants != 2 || g->has[full] || !g->has[null] || g->value[null] != 0 ||
      t->variants[null].n_fields > 0)
    return NULL;
  sb_addz(&name, "RUST$ENCODED$ENUM$");
  if (way_to(l, v->fields, v->n_fields, g->at, g->bits, &name)) {
    sb_add(&name, t->variants[null].name);
    str kept = arena_str(&l->arena, sb_str(&name));
    LLVMMetadataRef m = member_of(l, kept, t->size, 0, variant_type(l, t, full, NULL));
    made = union_of(l, t, &m, 1);
  }
  sb_free(&name);
  return made;
}

static LLVMMetadataRef tag_member(struct ll *l, const struct pm_type *t, const struct tag *g) {
  struct ll_debug *d = l->dbg;
  LLVMMetadataRef *names = arena_array(&l->arena, LLVMMetadataRef, t->n_variants);
  unsigned n = 0;
  for (uint32_t i = 0; i < t->n_variants; i++)
    if (g->has[i])
      names[n++] = LLVMDIBuilderCreateEnumerator(d->b, t->variants[i].name.p,
                                                 t->variants[i].name.n, (int64_t)g->value[i], 1);
  str name = arena_printf(&l->arena, "%.*s::Tag", STR_ARG(t->name));
  LLVMMetadataRef e =
      LLVMDIBuilderCreateEnumerationType(d->b, d->unit, name.p, name.n, d->unknown, 0, g->bits,
                                         g->bits, names, n, tag_type(l, g->bits));
  return member_of(l, STR("RUST$ENUM$DISR"), g->bits / 8, g->at, e);
}

static bool is_told_by_value(const struct pm_type *t, const struct tag *g) {
  for (uint32_t i = 0; i < t->n_variants; i++)
    if (!g->has[i] && !t->variants[i].uninhabited)
      return false;
  return g->known;
}

/* The older reader loses the discriminant of variant parts and then crashes on their values. gdb
 * still reads what rustc wrote before there were any: a union of structs that begin with the tag. It
 * knows no variant that is told by having none of the others' values; all are shown then. */
static LLVMMetadataRef tagged_union(struct ll *l, const struct pm_type *t, const struct tag *g) {
  LLVMMetadataRef *m = arena_array(&l->arena, LLVMMetadataRef, t->n_variants);
  LLVMMetadataRef tag = is_told_by_value(t, g) ? tag_member(l, t, g) : NULL;
  LLVMMetadataRef null = g->known && !tag ? nullable(l, t, g) : NULL;
  unsigned n = 0;
  if (null)
    return null;
  for (uint32_t i = 0; i < t->n_variants; i++)
    if (!t->variants[i].uninhabited || g->has[i])
      m[n++] = member_of(l, t->variants[i].name, t->size, 0, variant_type(l, t, i, tag));
  return union_of(l, t, m, n);
}

static LLVMMetadataRef enumeration(struct ll *l, const struct pm_type *t) {
  if (t->get->kind == PM_GET_VARIANT) { /* only one: nothing tells it */
    const struct pm_variant *v = &t->variants[t->get->variant];
    return structure(l, t->name, t, members(l, v->fields, v->n_fields) + 1, v->n_fields);
  }
  struct tag g = tag_of(l, t);
  if (g.known && l->o->arch >= FIRST_MODERN)
    return variant_part(l, t, &g);
  return tagged_union(l, t, &g);
}

/* ---- all kinds ---- */
static LLVMMetadataRef array(struct ll *l, const struct pm_type *t) {
  struct ll_debug *d = l->dbg;
  LLVMMetadataRef range = LLVMDIBuilderGetOrCreateSubrange(d->b, 0, (int64_t)t->len);
  return LLVMDIBuilderCreateArrayType(d->b, t->size * 8, bits_of(t), ll_debug_type(l, t->elem),
                                      &range, 1);
}

static LLVMMetadataRef describe(struct ll *l, const struct pm_type *t) {
  switch (t->kind) {
  case PM_INT:
    return basic(l, t, t->is_signed ? ATE_SIGNED : ATE_UNSIGNED);
  case PM_FLOAT:
    return basic(l, t, ATE_FLOAT);
  case PM_BOOL:
    return basic(l, t, ATE_BOOLEAN);
  case PM_CHAR:
    return basic(l, t, ATE_UTF);
  case PM_NEVER:
    return basic(l, t, ATE_UNSIGNED);
  case PM_PTR:
    return any_pointer(l, t);
  case PM_FNPTR:
    return function_pointer(l, t);
  case PM_ARRAY:
    return array(l, t);
  case PM_TUPLE:
  case PM_STRUCT:
  case PM_CLOSURE:
    return structure(l, t->name, t, members(l, t->fields, t->n_fields) + 1, t->n_fields);
  case PM_UNION:
    return union_of(l, t, members(l, t->fields, t->n_fields) + 1, t->n_fields);
  case PM_ENUM:
    return enumeration(l, t);
  case PM_FNDEF:
  case PM_SLICE:
  case PM_STR:
  case PM_DYN:
  case PM_OPAQUE:
    return structure(l, t->name, t, NULL, 0);
  }
  BUG("type kind %d", (int)t->kind);
}

/* A type may contain pointers to itself: they get a stand-in that is replaced at the end. */
static LLVMMetadataRef stand_in(struct ll *l, pm_ty ty, const struct pm_type *t) {
  struct ll_debug *d = l->dbg;
  if (d->state[ty] == BUSY) {
    d->types[ty] = LLVMDIBuilderCreateReplaceableCompositeType(
        d->b, 0x13 /* DW_TAG_structure_type */, t->name.p, t->name.n, d->unit, d->unknown, 0, 0, 0,
        0, LLVMDIFlagZero, "", 0);
    d->state[ty] = REFERRED;
  }
  return d->types[ty];
}

LLVMMetadataRef ll_debug_type(struct ll *l, pm_ty ty) {
  struct ll_debug *d = l->dbg;
  const struct pm_type *t = ll_ty(l, ty);
  if (d->state[ty] == DONE)
    return d->types[ty];
  if (d->state[ty] != NEW)
    return stand_in(l, ty, t);
  if (d->depth == MAX_DEPTH)
    return structure(l, t->name, t, NULL, 0);
  d->state[ty] = BUSY;
  d->depth++;
  LLVMMetadataRef made = describe(l, t);
  d->depth--;
  if (d->state[ty] == REFERRED)
    LLVMMetadataReplaceAllUsesWith(d->types[ty], made);
  d->types[ty] = made;
  d->state[ty] = DONE;
  return made;
}
