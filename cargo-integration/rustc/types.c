/* What is known of types: sizes, layouts, fields, variants. */
#include "cargo-integration/rustc/types.h"

#include <string.h>

#include "base/fatal.h"
#include "cargo-integration/rustc/consts.h"
#include "cargo-integration/rustc/mono.h"

bool type_is_adt(const struct rty *ty) {
  return ty->kind == RTY_PATH;
}

unsigned type_int_bits(const struct rty *ty) {
  if (ty->kind == RTY_PATTERN)
    return type_int_bits(ty->elem);
  if (ty->kind != RTY_PRIM)
    return 0;
  switch (ty->prim) {
  case PRIM_BOOL: case PRIM_I8: case PRIM_U8:
    return 8;
  case PRIM_I16: case PRIM_U16:
    return 16;
  case PRIM_CHAR: case PRIM_I32: case PRIM_U32:
    return 32;
  case PRIM_I64: case PRIM_U64: case PRIM_ISIZE: case PRIM_USIZE:
    return 64;
  case PRIM_I128: case PRIM_U128:
    return 128;
  case PRIM_STR: case PRIM_F16: case PRIM_F32: case PRIM_F64: case PRIM_F128:
    return 0;
  }
  return 0;
}

static uint64_t prim_size(enum rty_prim prim) {
  switch (prim) {
  case PRIM_BOOL: case PRIM_I8: case PRIM_U8:
    return 1;
  case PRIM_I16: case PRIM_U16: case PRIM_F16:
    return 2;
  case PRIM_CHAR: case PRIM_I32: case PRIM_U32: case PRIM_F32:
    return 4;
  case PRIM_I64: case PRIM_U64: case PRIM_ISIZE: case PRIM_USIZE: case PRIM_F64:
    return 8;
  case PRIM_I128: case PRIM_U128: case PRIM_F128:
    return 16;
  case PRIM_STR:
    return 0;
  }
  return 0;
}

bool type_is_sized(const struct rty *ty) {
  return ty->kind != RTY_SLICE && ty->kind != RTY_DYN && !rty_is_prim(ty, PRIM_STR);
}

/* A path whose last argument is unsized may be an unsized struct (`Guarded<[u8]>`) or a sized one
 * that points to such a thing (`NonNull<[u8]>`): only the layout tells. */
char type_meta(struct prep *p, const struct rty *pointee) {
  if (pointee->kind == RTY_SLICE || rty_is_prim(pointee, PRIM_STR))
    return 'l';
  if (pointee->kind == RTY_DYN)
    return 'v';
  if (pointee->kind != RTY_PATH)
    return 'n';
  if (rty_path_is(pointee, "core::ffi::CStr"))
    return 'l';
  const struct rty *args[16];
  size_t n = rty_path_args(pointee, args, COUNT_OF(args));
  for (size_t i = 0; i < n && i < COUNT_OF(args); i++) {
    if (type_is_sized(args[i]))
      continue;
    const struct layout *l = type_layout(p, pointee);
    if (l && l->unsized_)
      return type_meta(p, args[i]);
  }
  return 'n';
}

/* The layout of a value that only our own code looks into: rustc's order of fields, by falling
 * alignment, so that it mostly is rustc's own. Checked against the sizes that rustc printed. */
static const struct layout *computed_layout(struct prep *p, struct ty_info *i) {
  const struct rty *ty = i->ty;
  uint64_t size[64], align[64], at = 0, max = 1;
  if (ty->n_args > COUNT_OF(size))
    return NULL;
  for (uint32_t k = 0; k < ty->n_args; k++)
    if (!type_size(p, ty->args[k], &size[k], &align[k]))
      return NULL;
  struct layout *l = arena_new(p->arena, struct layout);
  l->offsets = arena_array(p->arena, uint64_t, ty->n_args ? ty->n_args : 1);
  for (uint64_t a = 16; a; a /= 2) {
    for (uint32_t k = 0; k < ty->n_args; k++) {
      if (align[k] != a)
        continue;
      at = (at + a - 1) / a * a;
      l->offsets[k] = at;
      at += size[k];
      max = a > max ? a : max;
    }
  }
  l->size = (at + max - 1) / max * max;
  l->align = max;
  l->fields = FIELDS_ARBITRARY;
  l->n_fields = ty->n_args;
  l->variants = VARIANTS_SINGLE;
  const struct type_size *said = run_type_size(p->bodies, rty_label(p->types, ty));
  if (said && (said->size != l->size || said->align != l->align))
    return NULL;
  i->computed = true;
  return l;
}

static bool one_tuple_layout(struct prep *p, struct ty_info *i) {
  uint64_t size, align;
  if (!type_size(p, i->ty->args[0], &size, &align))
    return false;
  struct layout *l = arena_new(p->arena, struct layout);
  l->offsets = arena_array(p->arena, uint64_t, 1);
  *l = (struct layout){.size = size, .align = align, .fields = FIELDS_ARBITRARY, .n_fields = 1,
                       .offsets = l->offsets, .variants = VARIANTS_SINGLE};
  i->layout = l;
  i->computed = true;
  return true;
}

/* An unsized struct has the layout of what it was coerced from, but for its length. */
static const struct layout *unsized_layout(struct prep *p, struct ty_info *i) {
  const struct layout *from = type_layout(p, i->unsized_from);
  if (!from || from->fields != FIELDS_ARBITRARY || from->variants != VARIANTS_SINGLE)
    return NULL;
  struct layout *l = arena_new(p->arena, struct layout);
  *l = *from;
  l->size = 0;
  l->unsized_ = true;
  i->layout = l;
  i->computed = true;
  return l;
}

static void layout_from_debuginfo(struct prep *p, struct ty_info *i) {
  struct strbuf b = {0};
  type_print_di(i->ty, &b);
  i->di = debuginfo_find(p->bodies->debuginfo, arena_str(p->arena, sb_str(&b)));
  sb_free(&b);
  if (!i->di)
    return;
  struct layout *l = arena_new(p->arena, struct layout);
  if (debuginfo_layout(p->arena, i->di, l))
    i->layout = l;
}

/* What core promises: `MaybeUninit<T>` is as large and aligned as T, `NonNull<T>` is a pointer. */
static void promised_layout(struct prep *p, struct ty_info *i) {
  const struct rty *arg;
  uint64_t size = 8, align = 8;
  bool pointer = rty_path_is(i->ty, "core::ptr::NonNull");
  if ((!pointer && !rty_path_is(i->ty, "core::mem::MaybeUninit")) ||
      rty_path_args(i->ty, &arg, 1) != 1)
    return;
  if (pointer ? type_meta(p, arg) != 'n' : !type_size(p, arg, &size, &align))
    return;
  struct layout *l = arena_new(p->arena, struct layout);
  *l = (struct layout){.size = size, .align = align, .fields = FIELDS_UNION, .n_fields = 2,
                       .repr = REPR_MEMORY, .variants = VARIANTS_SINGLE};
  if (pointer) {
    l->fields = FIELDS_ARBITRARY;
    l->n_fields = 1;
    l->offsets = arena_array(p->arena, uint64_t, 1);
  }
  i->layout = l;
  i->computed = true;
}

const struct layout *type_layout(struct prep *p, const struct rty *ty) {
  struct ty_info *i = prep_info(p, ty);
  if (i->layout)
    return i->layout;
  if (i->unsized_from)
    return unsized_layout(p, i);
  if (ty->kind == RTY_TUPLE && ty->n_args == 1) {
    one_tuple_layout(p, i);
    return i->layout;
  }
  if (ty->kind == RTY_CLOSURE) {
    layout_from_debuginfo(p, i);
    if (!i->layout && ty->sig)
      i->layout = computed_layout(p, i);
    return i->layout;
  }
  struct strbuf b = {0};
  bool nameable = rty_print(ty, RTY_PRINT_SOURCE, &b);
  sb_free(&b);
  if (nameable && !i->layout_asked)
    want_layout(p, i, SPAN_NONE);
  if (!nameable || i->layout_reason.n) {
    layout_from_debuginfo(p, i);
    if (!i->layout && ty->kind == RTY_TUPLE)
      i->layout = computed_layout(p, i);
    if (!i->layout)
      promised_layout(p, i);
    if (!i->layout && !nameable)
      want_layout_alike(p, i, SPAN_NONE);
  }
  return i->layout;
}

bool type_size(struct prep *p, const struct rty *ty, uint64_t *size, uint64_t *align) {
  *size = 0;
  *align = 1;
  switch (ty->kind) {
  case RTY_PRIM:
    *size = prim_size(ty->prim);
    *align = *size ? *size : 1;
    return true;
  case RTY_NEVER: case RTY_FNDEF: case RTY_DYN:
    return true;
  case RTY_REF: case RTY_PTR:
    *size = type_meta(p, ty->elem) == 'n' ? 8 : 16;
    *align = 8;
    return true;
  case RTY_FNPTR:
    *size = *align = 8;
    return true;
  case RTY_SLICE: {
    uint64_t one;
    return type_size(p, ty->elem, &one, align);
  }
  case RTY_ARRAY: {
    uint64_t one, n;
    if (!rty_array_len(ty, &n) || !type_size(p, ty->elem, &one, align))
      return false;
    if (__builtin_mul_overflow(one, n, size))
      return false;
    return true;
  }
  case RTY_PATTERN:
    return type_size(p, ty->elem, size, align);
  case RTY_TUPLE:
    if (ty->n_args == 0)
      return true;
    break;
  case RTY_CLOSURE:
    if (ty->sig && ty->n_args == 0)
      return true;
    break;
  case RTY_PATH:
    break;
  case RTY_IMPL: case RTY_LIFETIME: case RTY_BINDING: case RTY_CONST: case RTY_CONST_BRANCH:
  case RTY_CONST_PARAM: case RTY_CONST_OPEN:
    return false;
  }
  const struct layout *l = type_layout(p, ty);
  if (!l)
    return false;
  *size = l->unsized_ ? 0 : l->size;
  *align = l->align;
  return true;
}

bool type_is_zst(struct prep *p, const struct rty *ty) {
  uint64_t size, align;
  return type_is_sized(ty) && type_size(p, ty, &size, &align) && size == 0;
}

/* ---- what the bodies say about fields ---- */
static struct seen_variant *variant_at(struct prep *p, struct ty_info *i, uint32_t v) {
  while (i->variants.n <= v)
    (void)vec_add(p->arena, &i->variants);
  return &i->variants.p[v];
}

void type_saw_field(struct prep *p, const struct rty *ty, uint32_t variant, uint32_t f,
                    const struct rty *fty) {
  if (ty->kind != RTY_PATH || variant > 4096 || f > 4096)
    return;
  struct seen_variant *v = variant_at(p, prep_info(p, ty), variant);
  while (v->fields.n <= f)
    vec_push(p->arena, &v->fields, NULL);
  v->fields.p[f] = fty;
}

void type_saw_enum(struct prep *p, const struct rty *ty) {
  if (ty->kind == RTY_PATH)
    prep_info(p, ty)->seen_enum = true;
}

const struct rty *type_field(struct prep *p, const struct rty *ty, uint32_t variant, uint32_t f) {
  if (ty->kind == RTY_TUPLE || ty->kind == RTY_CLOSURE)
    return f < ty->n_args ? ty->args[f] : NULL;
  if (ty->kind != RTY_PATH)
    return NULL;
  if (rty_path_is(ty, "core::ffi::CStr"))
    return rty_slice(p->types, rty_prim(p->types, PRIM_I8));
  struct ty_info *i = prep_info(p, ty);
  if (variant >= i->variants.n || f >= i->variants.p[variant].fields.n)
    return NULL;
  return i->variants.p[variant].fields.p[f];
}

/* ---- variants ---- */
const struct di_type *type_names_now(struct prep *p, struct ty_info *i) {
  struct strbuf b = {0};
  if (i->di)
    return i->di;
  type_print_di(i->ty, &b);
  i->di = debuginfo_find(p->bodies->debuginfo, arena_str(p->arena, sb_str(&b)));
  sb_free(&b);
  return i->di;
}

const struct di_type *type_names(struct prep *p, struct ty_info *i) {
  (void)type_names_now(p, i);
  if (!i->di && !i->names_asked)
    want_names(p, i, SPAN_NONE);
  return i->di;
}

/* Names of the variants in order. 0: unknown. */
static uint32_t variant_names(struct prep *p, const struct rty *ty, str *names, size_t max) {
  const char *const *core;
  const int8_t *discr;
  unsigned n = debuginfo_core_variants(rty_label(p->types, ty), &core, &discr);
  for (unsigned k = 0; k < n && k < max; k++)
    names[k] = str_from(core[k]);
  if (n)
    return n;
  const struct di_type *d = type_names(p, prep_info(p, ty));
  if (!d || d->kind != DI_ENUM)
    return 0;
  for (uint32_t k = 0; k < d->n_variants && k < max; k++)
    names[k] = d->variants[k].name;
  return d->n_variants;
}

#define MAX_VARIANTS 1024

bool type_variant(struct prep *p, const struct rty *ty, str name, uint32_t *v) {
  str names[MAX_VARIANTS];
  uint32_t n = variant_names(p, ty, names, MAX_VARIANTS);
  for (uint32_t k = 0; k < n && k < MAX_VARIANTS; k++) {
    if (str_eq(names[k], name)) {
      *v = k;
      return true;
    }
  }
  *v = 0;
  return false;
}

/* `enum E { A = 5 }` stores no tag, so that debug info does not show its value. */
static bool only_discr(const struct ty_info *i, u128 *out) {
  uint64_t off = 0;
  const struct mir_alloc *m = i->discr && i->discr->ok ? const_answered(i->discr, &off) : NULL;
  if (!m || m->size < 16 || off > m->size - 16)
    return false;
  memcpy(out, m->bytes + off, 16);
  return true;
}

bool type_discr(struct prep *p, const struct rty *ty, uint32_t v, unsigned bits,
                u128 *out) {
  const char *const *core;
  const int8_t *discr;
  u128 mask = bits >= 128 ? ~(u128)0
                                       : ((u128)1 << bits) - 1;
  unsigned n = debuginfo_core_variants(rty_label(p->types, ty), &core, &discr);
  if (n) {
    *out = (u128)(int64_t)(discr ? discr[v % n] : (int8_t)v) & mask;
    return v < n;
  }
  const struct di_type *d = type_names(p, prep_info(p, ty));
  if (!d || d->kind != DI_ENUM || v >= d->n_variants)
    return false;
  *out = d->variants[v].discr;
  if (!d->variants[v].has_discr && !only_discr(prep_info(p, ty), out))
    return false;
  *out &= mask;
  return true;
}

bool type_field_offset(struct prep *p, const struct rty *ty, uint32_t variant, uint32_t field,
                       uint64_t *off) {
  const struct layout *l = type_layout(p, ty);
  *off = 0;
  if (!l)
    return false;
  if (l->variants == VARIANTS_MULTIPLE) {
    if (variant >= l->n_variants || field >= l->variant[variant].n_fields)
      return false;
    *off = l->variant[variant].offsets[field];
    return true;
  }
  if (l->fields == FIELDS_UNION)
    return true;
  if (l->fields != FIELDS_ARBITRARY || field >= l->n_fields)
    return false;
  *off = l->offsets[field];
  return true;
}

/* ---- dropping ---- */
/* Private containers of core whose destructor only drops the elements that are left: those of their
 * first argument, with arrays and `MaybeUninit` looked through. */
static bool drops_elements_only(const struct rty *ty) {
  static const char *const names[] = {"core::array::drain::Drain", "core::array::Guard",
                                      "core::array::iter::iter_inner::PolymorphicIter",
                                      "core::array::iter::IntoIter", "core::array::IntoIter"};
  for (size_t i = 0; i < COUNT_OF(names); i++)
    if (rty_path_is(ty, names[i]))
      return true;
  return false;
}

static const struct rty *element_of(const struct rty *ty) {
  const struct rty *arg = NULL;
  (void)rty_path_args(ty, &arg, 1);
  while (arg && (arg->kind == RTY_ARRAY || arg->kind == RTY_SLICE))
    arg = arg->elem;
  if (arg && rty_path_is(arg, "core::mem::MaybeUninit"))
    (void)rty_path_args(arg, &arg, 1);
  return arg;
}

bool type_needs_drop(struct prep *p, const struct rty *ty, struct span at, bool *known) {
  switch (ty->kind) {
  case RTY_ARRAY: case RTY_SLICE:
    return type_needs_drop(p, ty->elem, at, known);
  case RTY_TUPLE: case RTY_CLOSURE:
    for (uint32_t k = 0; k < ty->n_args; k++)
      if (type_needs_drop(p, ty->args[k], at, known))
        return true;
    return false;
  case RTY_PATH: {
    struct ty_info *i = prep_info(p, ty);
    if (rty_path_is(ty, "core::mem::ManuallyDrop") || rty_path_is(ty, "core::mem::MaybeUninit") ||
        rty_path_is(ty, "core::marker::PhantomData"))
      return false;
    const struct rty *elem = drops_elements_only(ty) ? element_of(ty) : NULL;
    bool elem_known = true;
    if (elem && !type_needs_drop(p, elem, at, &elem_known) && elem_known)
      return false;
    if (i->drop == DROP_UNASKED)
      want_drop(p, i, at);
    if (i->drop == DROP_ASKED || i->drop == DROP_REFUSED)
      *known = false;
    return i->drop == DROP_GLUE || i->drop == DROP_REFUSED;
  }
  case RTY_DYN:
    *known = false;
    return true;
  default:
    return false;
  }
}

/* ---- text for the debug info ---- */
static void print_list(const struct rty *const *args, uint32_t n, struct strbuf *out) {
  for (uint32_t k = 0, shown = 0; k < n; k++) {
    if (args[k]->kind == RTY_LIFETIME)
      continue;
    if (shown++)
      sb_addz(out, ", ");
    type_print_di(args[k], out);
  }
}

static bool has_types(const struct rty_seg *s) {
  for (uint32_t k = 0; k < s->n_args; k++)
    if (s->args[k]->kind != RTY_LIFETIME)
      return true;
  return false;
}

static void print_path_di(const struct rty *ty, struct strbuf *out) {
  for (uint32_t k = 0; k < ty->n_segs; k++) {
    const struct rty_seg *s = &ty->segs[k];
    if (k)
      sb_addz(out, "::");
    if (s->kind == SEG_QSELF) {
      sb_addc(out, '<');
      type_print_di(s->self, out);
      if (s->trait) {
        sb_addz(out, " as ");
        type_print_di(s->trait, out);
      }
      sb_addc(out, '>');
    } else if (s->kind == SEG_IMPL) {
      sb_addz(out, "<impl ");
      if (s->trait) {
        type_print_di(s->trait, out);
        sb_addz(out, " for ");
      }
      type_print_di(s->self, out);
      sb_addc(out, '>');
    } else if (s->kind == SEG_IMPL_AT) {
      sb_addf(out, "<impl at %.*s>", STR_ARG(s->name));
    } else {
      sb_add(out, s->name);
    }
    if (has_types(s)) {
      sb_addc(out, '<');
      print_list(s->args, s->n_args, out);
      sb_addc(out, '>');
    }
  }
}

void type_print_di(const struct rty *ty, struct strbuf *out) {
  switch (ty->kind) {
  case RTY_PATH:
    print_path_di(ty, out);
    return;
  case RTY_CLOSURE:
    if (!ty->path)
      break;
    sb_addc(out, '{');
    print_path_di(ty->path, out);
    sb_addz(out, " closure_kind_ty=i8 closure_sig_as_fn_ptr_ty=fn() upvar_tys=(");
    print_list(ty->args, ty->n_args, out);
    sb_addz(out, ")}");
    return;
  case RTY_TUPLE:
    sb_addc(out, '(');
    print_list(ty->args, ty->n_args, out);
    if (ty->n_args == 1)
      sb_addc(out, ',');
    sb_addc(out, ')');
    return;
  case RTY_REF: case RTY_PTR:
    sb_addz(out, ty->kind == RTY_REF ? ty->mut ? "&mut " : "&" : ty->mut ? "*mut " : "*const ");
    type_print_di(ty->elem, out);
    return;
  case RTY_SLICE:
    sb_addc(out, '[');
    type_print_di(ty->elem, out);
    sb_addc(out, ']');
    return;
  case RTY_ARRAY: {
    uint64_t n;
    sb_addc(out, '[');
    type_print_di(ty->elem, out);
    if (rty_array_len(ty, &n))
      sb_addf(out, "; %llu]", (unsigned long long)n);
    else
      sb_addz(out, "; _]");
    return;
  }
  default:
    break;
  }
  (void)rty_print(ty, RTY_PRINT_LABEL, out);
}
