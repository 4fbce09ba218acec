/* Types: which scalars a value consists of, and the few LLVM types needed. Sizes and offsets are
 * those of the dump; LLVM's own layout is never asked. */
#include "ir/ll.h"

#define MAX_BLOB_LEAVES 64

void ll_types_init(struct ll *l) {
  l->t_void = LLVMVoidTypeInContext(l->cx);
  l->i1 = LLVMInt1TypeInContext(l->cx);
  l->i8 = LLVMInt8TypeInContext(l->cx);
  l->i16 = LLVMInt16TypeInContext(l->cx);
  l->i32 = LLVMInt32TypeInContext(l->cx);
  l->i64 = LLVMInt64TypeInContext(l->cx);
  l->i128 = LLVMInt128TypeInContext(l->cx);
  l->f16 = LLVMHalfTypeInContext(l->cx);
  l->f32 = LLVMFloatTypeInContext(l->cx);
  l->f64 = LLVMDoubleTypeInContext(l->cx);
  l->ptr = LLVMPointerType(l->i8, 0);
  l->shapes = arena_array(&l->arena, struct ll_shape, l->m->n_types);
  l->c_types = arena_array(&l->arena, LLVMTypeRef, l->m->n_types);
  l->c_by_value = arena_array(&l->arena, bool, l->m->n_types);
}

LLVMTypeRef ll_int(struct ll *l, uint32_t bits) {
  switch (bits) {
  case 1:
    return l->i1;
  case 8:
    return l->i8;
  case 16:
    return l->i16;
  case 32:
    return l->i32;
  case 64:
    return l->i64;
  case 128:
    return l->i128;
  default:
    return LLVMIntTypeInContext(l->cx, bits);
  }
}

LLVMTypeRef ll_float(struct ll *l, uint32_t bits) {
  return bits == 16 ? l->f16 : bits == 32 ? l->f32 : l->f64;
}

LLVMTypeRef ll_leaf_type(struct ll *l, const struct ll_leaf *lf) {
  switch (lf->kind) {
  case LEAF_INT:
    return ll_int(l, lf->bits);
  case LEAF_FLOAT:
    return ll_float(l, lf->bits);
  case LEAF_BOOL:
    return l->i1;
  case LEAF_PTR:
    return l->ptr;
  }
  BUG("leaf kind %d", (int)lf->kind);
}

LLVMTypeRef ll_leaf_mem(struct ll *l, const struct ll_leaf *lf) {
  return lf->kind == LEAF_BOOL ? l->i8 : ll_leaf_type(l, lf);
}

/* ---- flattening ---- */
struct flat {
  struct ll *l;
  struct ll_leaf *leaf;
  uint32_t n, max;
};

/* The kind that can stand for both, or -1: payloads of different variants share bytes. */
static int merged_kind(enum ll_leaf_kind a, enum ll_leaf_kind b) {
  if (a == b)
    return (int)a;
  if (a == LEAF_FLOAT || b == LEAF_FLOAT)
    return -1;
  if (a == LEAF_PTR || b == LEAF_PTR)
    return LEAF_PTR;
  return LEAF_INT;
}

/* Keeps leaves in the order of offsets. False: conflict or too many. */
static bool flat_add(struct flat *f, uint64_t off, uint32_t bits, enum ll_leaf_kind kind) {
  uint32_t at = 0;
  while (at < f->n && f->leaf[at].off < off)
    at++;
  if (at < f->n && f->leaf[at].off == off && f->leaf[at].bits == bits) {
    int k = merged_kind(f->leaf[at].kind, kind);
    if (k < 0)
      return false;
    f->leaf[at].kind = (enum ll_leaf_kind)k;
    return true;
  }
  if (at < f->n && off + bits / 8 > f->leaf[at].off)
    return false;
  if (at > 0 && f->leaf[at - 1].off + f->leaf[at - 1].bits / 8 > off)
    return false;
  if (f->n == f->max)
    return false;
  for (uint32_t i = f->n; i > at; i--)
    f->leaf[i] = f->leaf[i - 1];
  f->leaf[at] = (struct ll_leaf){off, bits, kind};
  f->n++;
  return true;
}

static bool flat_type(struct flat *f, pm_ty ty, uint64_t off);

static bool flat_fields(struct flat *f, const struct pm_field *fields, uint32_t n, uint64_t off) {
  for (uint32_t i = 0; i < n; i++)
    if (!flat_type(f, fields[i].ty, off + fields[i].off))
      return false;
  return true;
}

static bool flat_get(struct flat *f, const struct pm_get *g, uint64_t off) {
  if (g->kind != PM_GET_SWITCH)
    return true;
  if (!flat_add(f, off + g->at, g->bits, LEAF_INT))
    return false;
  for (uint32_t i = 0; i < g->n_cases; i++)
    if (!flat_get(f, g->cases[i].then, off))
      return false;
  return !g->otherwise || flat_get(f, g->otherwise, off);
}

/* Every store that chooses a variant must hit one leaf exactly, because a variant may be chosen
 * without the tree ever reading that place (an enum with one inhabited variant). */
static bool flat_sets(struct flat *f, const struct pm_variant *v, uint64_t off) {
  for (uint32_t i = 0; i < v->n_sets; i++)
    if (!flat_add(f, off + v->sets[i].off, v->sets[i].bits, LEAF_INT))
      return false;
  return true;
}

static bool flat_enum(struct flat *f, const struct pm_type *t, uint64_t off) {
  if (!flat_get(f, t->get, off))
    return false;
  for (uint32_t i = 0; i < t->n_variants; i++) {
    const struct pm_variant *v = &t->variants[i];
    if (!flat_sets(f, v, off) || !flat_fields(f, v->fields, v->n_fields, off))
      return false;
  }
  return true;
}

static bool flat_array(struct flat *f, const struct pm_type *t, uint64_t off) {
  const struct pm_type *e = ll_ty(f->l, t->elem);
  if (t->size == 0)
    return true;
  if (t->len > f->max)
    return false;
  for (uint64_t i = 0; i < t->len; i++)
    if (!flat_type(f, t->elem, off + i * e->size))
      return false;
  return true;
}

static bool flat_pointer(struct flat *f, const struct pm_type *t, uint64_t off) {
  if (!flat_add(f, off, 64, LEAF_PTR))
    return false;
  if (t->meta == PM_META_NONE)
    return true;
  return flat_add(f, off + 8, 64, t->meta == PM_META_LEN ? LEAF_INT : LEAF_PTR);
}

/* Bytes that nothing looks into are copied in registers where they fit. Where an address fits it mostly is
 * one (`NonNull`), and as a number it would hide from the optimiser where a loop over a slice ends. */
static bool flat_opaque(struct flat *f, uint64_t size, uint64_t off) {
  if (size == 0)
    return true;
  if ((size == 8 || size == 16) && off % 8 == 0)
    return flat_add(f, off, 64, LEAF_PTR) && (size == 8 || flat_add(f, off + 8, 64, LEAF_INT));
  bool word = size == 1 || size == 2 || size == 4;
  return word && off % size == 0 && flat_add(f, off, (uint32_t)size * 8, LEAF_INT);
}

static bool flat_type(struct flat *f, pm_ty ty, uint64_t off) {
  const struct pm_type *t = ll_ty(f->l, ty);
  switch (t->kind) {
  case PM_INT:
    return flat_add(f, off, t->bits, LEAF_INT);
  case PM_CHAR:
    return flat_add(f, off, 32, LEAF_INT);
  case PM_BOOL:
    return flat_add(f, off, 8, LEAF_BOOL);
  case PM_FLOAT:
    return flat_add(f, off, t->bits, LEAF_FLOAT);
  case PM_PTR:
    return flat_pointer(f, t, off);
  case PM_FNPTR:
    return flat_add(f, off, 64, LEAF_PTR);
  case PM_NEVER:
  case PM_FNDEF:
    return true;
  case PM_ARRAY:
    return flat_array(f, t, off);
  case PM_TUPLE:
  case PM_STRUCT:
  case PM_CLOSURE:
    return flat_fields(f, t->fields, t->n_fields, off);
  case PM_ENUM:
    return t->size == 0 || flat_enum(f, t, off);
  case PM_OPAQUE:
    return flat_opaque(f, t->size, off);
  case PM_UNION:
    return t->size == 0;
  case PM_SLICE:
  case PM_STR:
  case PM_DYN:
    return false;
  }
  BUG("type kind %d", (int)t->kind);
}

const struct ll_shape *ll_shape(struct ll *l, pm_ty ty) {
  struct ll_shape *s = &l->shapes[ty];
  if (s->state == SHAPE_DONE)
    return s;
  struct flat f = {.l = l, .leaf = s->leaf, .max = LL_MAX_LEAVES};
  s->mem = !flat_type(&f, ty, 0);
  s->n = s->mem ? 0 : (uint8_t)f.n;
  s->state = SHAPE_DONE;
  return s;
}

bool ll_is_unsized(struct ll *l, pm_ty ty) {
  const struct pm_type *t = ll_ty(l, ty);
  if (t->kind == PM_SLICE || t->kind == PM_STR || t->kind == PM_DYN)
    return true;
  bool aggregate = t->kind == PM_STRUCT || t->kind == PM_TUPLE || t->kind == PM_CLOSURE;
  return aggregate && t->n_fields > 0 && ll_is_unsized(l, t->fields[t->n_fields - 1].ty);
}

/* The alignment known at `off` bytes from something aligned to `base`. */
uint64_t ll_align_at(uint64_t base, uint64_t off) {
  if (off == 0)
    return base;
  uint64_t low = off & (~off + 1);
  return low < base ? low : base;
}

/* ---- types with an exact size ---- */
static LLVMTypeRef bytes_of(struct ll *l, uint64_t n) {
  return LLVMArrayType(l->i8, (unsigned)n);
}

LLVMTypeRef ll_chunks(struct ll *l, uint64_t size, uint64_t align) {
  uint64_t c = align > 8 ? 8 : align;
  while (size % c != 0)
    c /= 2;
  return LLVMArrayType(ll_int(l, (uint32_t)(c * 8)), (unsigned)(size / c));
}

/* Scalars where they do not conflict, so that copies of parameters move whole scalars. The struct
 * is not packed: the NVPTX back end reads packed ones byte by byte. */
LLVMTypeRef ll_blob(struct ll *l, pm_ty ty) {
  const struct pm_type *t = ll_ty(l, ty);
  struct ll_leaf leaf[MAX_BLOB_LEAVES];
  struct flat f = {.l = l, .leaf = leaf, .max = MAX_BLOB_LEAVES};
  LLVMTypeRef elems[2 * MAX_BLOB_LEAVES + 1];
  unsigned n = 0;
  uint64_t at = 0, natural = 1;
  if (!flat_type(&f, ty, 0))
    return ll_chunks(l, t->size, t->align);
  for (uint32_t i = 0; i < f.n; i++) {
    uint64_t size = leaf[i].bits / 8;
    if (leaf[i].off % size != 0)
      return ll_chunks(l, t->size, t->align);
    if (leaf[i].off > at)
      elems[n++] = bytes_of(l, leaf[i].off - at);
    elems[n++] = ll_leaf_mem(l, &leaf[i]);
    at = leaf[i].off + size;
    if (size > natural)
      natural = size;
  }
  if (at < t->size)
    elems[n++] = bytes_of(l, t->size - at);
  if (natural > t->align || t->size % natural)
    return ll_chunks(l, t->size, t->align);
  return LLVMStructTypeInContext(l->cx, elems, n, 0);
}

/* ---- structs as CUDA C spells them ---- */
/* The types of two modules are joined at the link when they look alike: then a call across is a
 * direct one and can be inlined. So structs in C signatures have names and no visible padding. */
struct natural {
  LLVMTypeRef t;
  uint64_t size, align;
};

static bool natural_type(struct ll *l, pm_ty ty, struct natural *out);

static bool natural_struct(struct ll *l, const struct pm_type *t, struct natural *out) {
  LLVMTypeRef elems[MAX_BLOB_LEAVES];
  struct natural f;
  unsigned n = 0;
  uint64_t at = 0;
  *out = (struct natural){.align = 1};
  for (;;) { /* next field in the order of offsets */
    const struct pm_field *next = NULL;
    for (uint32_t i = 0; i < t->n_fields; i++) {
      const struct pm_field *c = &t->fields[i];
      if (c->off >= at && ll_ty(l, c->ty)->size > 0 && (!next || c->off < next->off))
        next = c;
    }
    if (!next)
      break;
    if (n == COUNT_OF(elems) || !natural_type(l, next->ty, &f))
      return false;
    if (((at + f.align - 1) & ~(f.align - 1)) != next->off)
      return false;
    elems[n++] = f.t;
    at = next->off + f.size;
    if (f.align > out->align)
      out->align = f.align;
  }
  out->size = (at + out->align - 1) & ~(out->align - 1);
  if (n == 0 || out->size != t->size || n + (out->size - at) > COUNT_OF(elems))
    return false;
  for (; at < out->size; at++)
    elems[n++] = l->i8; /* nvcc shows the bytes behind the last field */
  out->t = LLVMStructCreateNamed(l->cx, "struct");
  LLVMStructSetBody(out->t, elems, n, 0);
  return true;
}

static bool natural_pointer(struct ll *l, const struct pm_type *t, struct natural *out) {
  const struct pm_type *to = ll_ty(l, t->elem);
  bool scalar = to->kind == PM_INT || to->kind == PM_FLOAT;
  if (t->kind == PM_PTR && t->meta != PM_META_NONE)
    return false;
  *out = (struct natural){l->ptr, 8, 8};
  if (t->kind == PM_PTR && scalar)
    out->t = LLVMPointerType(to->kind == PM_INT ? ll_int(l, to->bits) : ll_float(l, to->bits), 0);
  return true;
}

static bool natural_type(struct ll *l, pm_ty ty, struct natural *out) {
  const struct pm_type *t = ll_ty(l, ty);
  struct natural e;
  switch (t->kind) {
  case PM_INT:
    *out = (struct natural){ll_int(l, t->bits), t->size, t->size};
    return true;
  case PM_CHAR:
    *out = (struct natural){l->i32, 4, 4};
    return true;
  case PM_BOOL:
    *out = (struct natural){l->i8, 1, 1};
    return true;
  case PM_FLOAT:
    *out = (struct natural){ll_float(l, t->bits), t->size, t->size};
    return true;
  case PM_PTR:
  case PM_FNPTR:
    return natural_pointer(l, t, out);
  case PM_ARRAY:
    if (!natural_type(l, t->elem, &e))
      return false;
    *out = (struct natural){LLVMArrayType(e.t, (unsigned)t->len), t->size, e.align};
    return true;
  case PM_STRUCT:
  case PM_TUPLE:
  case PM_CLOSURE:
    return natural_struct(l, t, out);
  default:
    return false;
  }
}

LLVMTypeRef ll_c_type(struct ll *l, pm_ty ty, bool *by_value) {
  struct natural n;
  const struct pm_type *t = ll_ty(l, ty);
  if (!l->c_types[ty]) {
    bool ok = natural_type(l, ty, &n) && n.size == t->size && n.align == t->align;
    l->c_types[ty] = ok ? n.t : ll_blob(l, ty);
    l->c_by_value[ty] = ok;
  }
  *by_value = l->c_by_value[ty];
  return l->c_types[ty];
}
