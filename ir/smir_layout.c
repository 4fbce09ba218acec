/* Foreign dumps: types as they are written. */
#include "ir/smir_impl.h"

uint32_t sm_number(struct smir *s, struct sm_type *t) {
  if (t->pm == SM_NONE) {
    t->pm = (uint32_t)s->type_queue.n;
    t->from = s->at;
    t->from_span = s->at_span;
    vec_push(NULL, &s->type_queue, t);
  }
  return t->pm;
}

static void add_label(struct smir *s, struct strbuf *b, struct sm_type *t, unsigned depth) {
  if (depth > 3 || !sm_load(s, t)) {
    sb_addc(b, '_');
    return;
  }
  switch (t->kind) {
  case SM_PTR:
    sb_addz(b, t->ref ? t->mut ? "&mut " : "&" : t->mut ? "*mut " : "*const ");
    add_label(s, b, t->elem, depth + 1);
    return;
  case SM_ARRAY:
  case SM_SLICE:
    sb_addc(b, '[');
    add_label(s, b, t->elem, depth + 1);
    if (t->kind == SM_ARRAY)
      sb_addf(b, "; %llu", (unsigned long long)t->len);
    sb_addc(b, ']');
    return;
  case SM_TUPLE:
    sb_addc(b, '(');
    for (uint32_t i = 0; i < t->n_fields && i < 12; i++) {
      sb_addz(b, i ? ", " : "");
      add_label(s, b, t->fields[i], depth + 1);
    }
    sb_addz(b, t->n_fields == 1 ? ",)" : ")");
    return;
  case SM_UNKNOWN:
  case SM_BOOL:
  case SM_CHAR:
  case SM_STR:
  case SM_NEVER:
  case SM_INT:
  case SM_FLOAT:
  case SM_STRUCT:
  case SM_UNION:
  case SM_ENUM:
  case SM_DYN:
  case SM_OPAQUE:
  case SM_CLOSURE:
  case SM_FNPTR:
    break;
  }
  sb_add(b, t->name);
}

str sm_label(struct smir *s, struct sm_type *t) {
  struct strbuf b = {0};
  add_label(s, &b, t, 0);
  str label = arena_str(&s->scratch, sb_str(&b));
  sb_free(&b);
  return label;
}

struct sm_type *sm_opaque(struct smir *s, uint64_t size, uint64_t align) {
  for (size_t i = 0; i < s->opaques.n; i++)
    if (s->opaques.p[i]->size == size && s->opaques.p[i]->align == align)
      return s->opaques.p[i];
  struct sm_type *t = sm_new_type(s, SM_OPAQUE);
  t->size = size;
  t->align = align;
  t->name = STR("static memory");
  vec_push(NULL, &s->opaques, t);
  return t;
}

/* The dump has no layout of closures. Fields by falling alignment leave no gaps but at the end, so
 * that the size is rustc's; the order is ours. */
bool sm_make_closure(struct smir *s, struct sm_type *t, struct sm_type *captures) {
  uint64_t at = 0;
  if (t->kind != SM_UNKNOWN)
    return true;
  t->kind = SM_CLOSURE;
  t->name = t->name.n && !str_starts(t->name, STR("type ")) ? t->name : STR("{closure}");
  t->fields = captures->fields;
  t->n_fields = captures->n_fields;
  t->offs = arena_array(&s->a, uint64_t, t->n_fields);
  t->align = 1;
  for (uint32_t i = 0; i < t->n_fields; i++) {
    if (!sm_load(s, t->fields[i]))
      return false;
    if (t->fields[i]->align > t->align)
      t->align = t->fields[i]->align;
  }
  for (uint64_t align = t->align; align; align /= 2)
    for (uint32_t i = 0; i < t->n_fields; i++) {
      if (t->fields[i]->align != align)
        continue;
      t->offs[i] = at;
      at += t->fields[i]->size;
    }
  t->size = (at + t->align - 1) / t->align * t->align;
  return true;
}

/* ---- what rustc would have laid out differently ---- */

enum { HOLDS_UNSEEN, HOLDS_OPEN, HOLDS_NO, HOLDS_YES };

static bool holds_any(struct sm_type **fields, uint32_t n, unsigned depth);

/* A closure with several fields by value in it: their order is ours. */
static bool holds_closure(struct sm_type *t, unsigned depth) {
  if (t->holds != HOLDS_UNSEEN)
    return t->holds == HOLDS_YES;
  if (depth > 200)
    return true;
  t->holds = HOLDS_OPEN;
  unsigned sized = 0;
  for (uint32_t i = 0; t->kind == SM_CLOSURE && i < t->n_fields; i++)
    sized += t->fields[i]->size != 0;
  bool yes = sized > 1;
  if (t->kind == SM_ARRAY)
    yes = holds_closure(t->elem, depth + 1);
  else if (t->kind == SM_ENUM)
    for (uint32_t i = 0; i < t->e->n && !yes; i++)
      yes = holds_any(t->e->v[i].fields, t->e->v[i].n, depth);
  else if (t->kind != SM_FNPTR && !yes)
    yes = holds_any(t->fields, t->n_fields, depth);
  t->holds = yes ? HOLDS_YES : HOLDS_NO;
  return yes;
}

static bool holds_any(struct sm_type **fields, uint32_t n, unsigned depth) {
  for (uint32_t i = 0; i < n; i++)
    if (holds_closure(fields[i], depth + 1))
      return true;
  return false;
}

/* ---- writing ---- */

static bool write_field(struct smir *s, struct jsonw *w, uint32_t i, struct sm_type *t,
                        uint64_t off) {
  if (!sm_load(s, t))
    return false;
  jw_object(w);
  jw_kstr(w, "name", arena_printf(&s->scratch, "%u", i));
  jw_ku64(w, "ty", sm_number(s, t));
  jw_ku64(w, "off", off);
  jw_end_object(w);
  return true;
}

static bool write_fields(struct smir *s, struct jsonw *w, struct sm_type **fields,
                         const uint64_t *offs, uint32_t n) {
  jw_key(w, "fields");
  jw_array(w);
  for (uint32_t i = 0; i < n; i++)
    if (!write_field(s, w, i, fields[i], offs ? offs[i] : 0))
      return false;
  jw_end_array(w);
  return true;
}

static u128 cut(u128 v, uint32_t bits) {
  return bits >= 128 ? v : v & (((u128)1 << bits) - 1);
}

/* What the code sees: the tag's bits, with its sign when it has one. */
static u128 discriminant(const struct sm_enum *e, u128 v, uint32_t bits) {
  if (e->how == SM_DIRECT) {
    v = cut(v, e->tag_bits);
    if (e->tag_signed && e->tag_bits < 128 && (v >> (e->tag_bits - 1) & 1))
      v |= ~(u128)0 << e->tag_bits;
  }
  return cut(v, bits);
}

/* The tag's bits of variant i; false: it has none. */
static bool tag_of(const struct sm_enum *e, uint32_t i, u128 *out) {
  if (e->how == SM_DIRECT)
    *out = cut(e->v[i].discr, e->tag_bits);
  else if (e->how == SM_NICHE && i != e->untagged && i >= e->lo && i <= e->hi)
    *out = cut(e->start + (i - e->lo), e->tag_bits);
  else
    return false;
  return true;
}

static void write_leaf(struct jsonw *w, uint32_t variant) {
  jw_object(w);
  if (variant == SM_NONE)
    jw_kbool(w, "invalid", true);
  else
    jw_ku64(w, "variant", variant);
  jw_end_object(w);
}

static void write_get(struct jsonw *w, const struct sm_enum *e) {
  u128 tag;
  jw_key(w, "get");
  if (e->how == SM_SINGLE) {
    write_leaf(w, e->only);
    return;
  }
  jw_object(w);
  jw_ku64(w, "at", e->tag_off);
  jw_ku64(w, "bits", e->tag_bits);
  jw_key(w, "cases");
  jw_array(w);
  for (uint32_t i = 0; i < e->n; i++) {
    if (!tag_of(e, i, &tag))
      continue;
    jw_array(w);
    jw_hex(w, tag);
    jw_hex(w, tag);
    write_leaf(w, i);
    jw_end_array(w);
  }
  jw_end_array(w);
  jw_key(w, "else");
  write_leaf(w, e->how == SM_NICHE ? e->untagged : SM_NONE);
  jw_end_object(w);
}

static bool write_variant(struct smir *s, struct jsonw *w, const struct sm_type *t, uint32_t i) {
  const struct sm_enum *e = t->e;
  const struct sm_variant *v = &e->v[i];
  u128 tag;
  jw_object(w);
  jw_kstr(w, "name", arena_printf(&s->scratch, "%u", i));
  jw_key(w, "discr");
  jw_hex(w, discriminant(e, v->discr, e->discr ? e->discr->bits : 64));
  if (!write_fields(s, w, v->fields, v->offs, v->n))
    return false;
  jw_key(w, "set");
  jw_array(w);
  if (tag_of(e, i, &tag)) {
    jw_array(w);
    jw_u64(w, e->tag_off);
    jw_u64(w, e->tag_bits);
    jw_hex(w, tag);
    jw_end_array(w);
  }
  jw_end_array(w);
  bool never = e->how == SM_SINGLE ? i != e->only
                                   : e->how == SM_NICHE && i != e->untagged && !tag_of(e, i, &tag);
  if (v->uninhabited || never)
    jw_kbool(w, "uninhabited", true);
  jw_end_object(w);
  return true;
}

static bool write_enum(struct smir *s, struct jsonw *w, const struct sm_type *t) {
  const struct sm_enum *e = t->e;
  if (e->how == SM_NICHE && holds_any(e->v[e->untagged].fields, e->v[e->untagged].n, 0)) {
    struct diag *d = sm_error(s, MD0854,
                              "the dump does not tell where `%.*s` keeps its variant, as that is "
                              "inside of a closure",
                              STR_ARG(sm_label(s, s->type_queue.p[t->pm])));
    diag_help(d, "keep the closure out of the enum, or make the dump with mirdc-rustc");
    return false;
  }
  jw_ku64(w, "discr_ty", sm_number(s, e->discr ? e->discr : s->isize));
  jw_key(w, "variants");
  jw_array(w);
  for (uint32_t i = 0; i < e->n; i++)
    if (!write_variant(s, w, t, i))
      return false;
  jw_end_array(w);
  write_get(w, e);
  return true;
}

static bool write_pointer(struct smir *s, struct jsonw *w, const struct sm_type *t) {
  struct sm_type *end = t->elem;
  if (!sm_load(s, end))
    return false;
  /* A struct is as unsized as its last field. */
  for (unsigned guard = 0;
       guard < 1000 && (end->kind == SM_STRUCT || end->kind == SM_TUPLE) && end->n_fields;
       guard++) {
    end = end->fields[end->n_fields - 1];
    if (!sm_load(s, end))
      return false;
  }
  jw_ku64(w, "to", sm_number(s, t->elem));
  jw_kbool(w, "mut", t->mut);
  jw_kbool(w, "ref", t->ref);
  jw_kz(w, "meta", !t->wide ? "none" : end->kind == SM_DYN ? "vtable" : "len");
  return true;
}

static bool write_signature(struct smir *s, struct jsonw *w, const struct sm_type *t) {
  jw_key(w, "args");
  jw_array(w);
  for (uint32_t i = 0; i < t->n_fields; i++)
    jw_u64(w, sm_number(s, t->fields[i]));
  jw_end_array(w);
  jw_ku64(w, "ret", sm_number(s, t->elem));
  jw_kz(w, "abi", "rust");
  return true;
}

static const char *const kind_names[] = {
    [SM_UNKNOWN] = "fndef",   [SM_BOOL] = "bool",   [SM_CHAR] = "char",   [SM_STR] = "str",
    [SM_NEVER] = "never",     [SM_INT] = "int",     [SM_FLOAT] = "float", [SM_PTR] = "ptr",
    [SM_ARRAY] = "array",     [SM_SLICE] = "slice", [SM_TUPLE] = "tuple", [SM_STRUCT] = "struct",
    [SM_UNION] = "union",     [SM_ENUM] = "enum",   [SM_DYN] = "dyn",     [SM_OPAQUE] = "opaque",
    [SM_CLOSURE] = "closure", [SM_FNPTR] = "fnptr"};

static bool write_parts(struct smir *s, struct jsonw *w, struct sm_type *t) {
  switch (t->kind) {
  case SM_INT:
    jw_ku64(w, "bits", t->bits);
    jw_kbool(w, "signed", t->is_signed);
    return true;
  case SM_FLOAT:
    jw_ku64(w, "bits", t->bits);
    return true;
  case SM_PTR:
    return write_pointer(s, w, t);
  case SM_ARRAY:
  case SM_SLICE:
    if (!sm_load(s, t->elem))
      return false;
    jw_ku64(w, "elem", sm_number(s, t->elem));
    if (t->kind == SM_ARRAY)
      jw_ku64(w, "len", t->len);
    return true;
  case SM_TUPLE:
  case SM_STRUCT:
  case SM_UNION:
  case SM_CLOSURE:
    return write_fields(s, w, t->fields, t->offs, t->n_fields);
  case SM_ENUM:
    return write_enum(s, w, t);
  case SM_FNPTR:
    return write_signature(s, w, t);
  case SM_UNKNOWN:
  case SM_BOOL:
  case SM_CHAR:
  case SM_STR:
  case SM_NEVER:
  case SM_DYN:
  case SM_OPAQUE:
    break;
  }
  return true;
}

static bool write_type(struct smir *s, struct jsonw *w, struct sm_type *t) {
  if (!sm_load(s, t))
    return false;
  if (t->kind == SM_UNKNOWN && (t->looked_into || t->called)) {
    struct diag *d =
        sm_error(s, MD0854, "the dump does not tell what `%.*s` consists of", STR_ARG(t->name));
    diag_help(d, "a closure must be made in the code that reaches the kernel; mirdc-rustc makes "
                 "dumps without this gap");
    return false;
  }
  /* No type of rustc is written with a size below its alignment; slices and dyn have none. */
  bool unsized_ = t->kind == SM_SLICE || t->kind == SM_DYN || t->kind == SM_STR;
  jw_object(w);
  jw_kz(w, "kind", kind_names[t->kind]);
  jw_kstr(w, "name", sm_label(s, t));
  jw_ku64(w, "size", unsized_ ? 0 : t->size);
  jw_ku64(w, "align", t->align);
  jw_kz(w, "src", t->kind == SM_CLOSURE ? "computed" : "import");
  bool ok = write_parts(s, w, t);
  jw_end_object(w);
  return ok;
}

bool sm_write_types(struct smir *s, struct jsonw *w) {
  jw_array(w);
  for (size_t i = 0; i < s->type_queue.n; i++) {
    struct arena_mark mark = arena_save(&s->scratch);
    s->at = s->type_queue.p[i]->from;
    s->at_span = s->type_queue.p[i]->from_span;
    bool ok = write_type(s, w, s->type_queue.p[i]);
    arena_rewind(&s->scratch, mark);
    if (!ok)
      return false;
  }
  jw_end_array(w);
  return true;
}
