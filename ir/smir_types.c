/* Foreign dumps: types as the dump describes them. Rows are read when something needs them. */
#include <string.h>

#include "ir/smir_impl.h"

struct sm_type *sm_new_type(struct smir *s, enum sm_kind k) {
  struct sm_type *t = arena_new(&s->a, struct sm_type);
  t->kind = k;
  t->row = t->pm = SM_NONE;
  t->align = 1;
  t->name = STR("_");
  t->loaded = true;
  vec_push(NULL, &s->type_rows, t);
  return t;
}

struct sm_type *sm_type(struct smir *s, uint64_t id) {
  uint32_t at = sm_lookup(&s->type_map, id);
  if (at != SM_NONE)
    return s->type_rows.p[at];
  struct sm_type *t = sm_new_type(s, SM_UNKNOWN);
  t->id = id;
  t->row = sm_lookup(&s->type_ids, id);
  t->loaded = t->row == SM_NONE;
  t->name = arena_printf(&s->a, "type %llu", (unsigned long long)id);
  (void)sm_insert(s, &s->type_map, id, (uint32_t)s->type_rows.n - 1);
  return t;
}

bool sm_type_of(struct smir *s, const struct json_at *at, struct sm_type **out) {
  uint64_t id;
  if (!json_u64(at, UINT64_MAX, &id))
    return false;
  *out = sm_type(s, id);
  return sm_load(s, *out);
}

bool sm_get_type(struct smir *s, const struct json_at *at, const char *key, struct sm_type **out) {
  struct json_at v;
  return json_get(at, key, &v) && sm_type_of(s, &v, out);
}

/* The types themselves are not read here: they may hold each other through pointers. */
static bool type_list(struct smir *s, const struct json_at *at, struct sm_type ***out,
                      uint32_t *n) {
  struct json_at e;
  size_t len;
  uint64_t id;
  if (!json_len(at, &len))
    return false;
  *out = arena_array(&s->a, struct sm_type *, len);
  *n = 0;
  JSON_EACH(at, e) {
    if (!json_u64(&e, UINT64_MAX, &id))
      return false;
    (*out)[(*n)++] = sm_type(s, id);
  }
  return true;
}

/* {"num_bits": n}: bytes. */
static bool bytes_of(const struct json_at *at, uint64_t *out) {
  if (!json_get_u64(at, "num_bits", UINT64_MAX, out))
    return false;
  if (*out % 8) {
    json_error(at, "%llu bits are no whole bytes", (unsigned long long)*out);
    return false;
  }
  *out /= 8;
  return true;
}

static bool get_bytes(const struct json_at *at, const char *key, uint64_t *out) {
  struct json_at v;
  return json_get(at, key, &v) && bytes_of(&v, out);
}

static bool offsets(struct smir *s, const struct json_at *list, uint32_t n, uint64_t **out) {
  struct json_at e;
  size_t len, i = 0;
  if (!json_len(list, &len))
    return false;
  if (len != n) {
    json_error(list, "%zu offsets for %u fields", len, n);
    return false;
  }
  *out = arena_array(&s->a, uint64_t, n);
  JSON_EACH(list, e) {
    if (!bytes_of(&e, &(*out)[i++]))
      return false;
  }
  return true;
}

/* `fields` of a layout, for n fields. */
static bool field_offsets(struct smir *s, const struct json_at *layout, uint32_t n,
                          uint64_t **out) {
  struct json_at fields, body, list;
  str shape;
  /* Versions since 2025 give variants of an enum only their offsets. */
  if (!json_opt(layout, "offsets", &list))
    return false;
  if (list.node)
    return offsets(s, &list, n, out);
  if (!json_get(layout, "fields", &fields) || !sm_variant(&fields, &shape, &body))
    return false;
  if (str_eqz(shape, "Arbitrary"))
    return json_get(&body, "offsets", &list) && offsets(s, &list, n, out);
  if (str_eqz(shape, "Union") || n == 0 || (str_eqz(shape, "Primitive") && n == 0)) {
    *out = arena_array(&s->a, uint64_t, n);
    return true;
  }
  json_error(&fields, "fields of the shape `%.*s` are not expected here", STR_ARG(shape));
  return false;
}

static bool is_uninhabited(const struct json_at *layout, bool *out) {
  struct json_at abi, body;
  str name;
  *out = false;
  if (!json_opt(layout, "abi", &abi))
    return false;
  if (!abi.node)
    return true;
  if (!sm_variant(&abi, &name, &body))
    return false;
  *out = str_eqz(name, "Uninhabited");
  return true;
}

/* Size and alignment; `layout->node` NULL: the dump does not tell. */
static bool read_layout(struct sm_type *t, const struct json_at *body, struct json_at *layout) {
  if (!json_opt(body, "layout", layout))
    return false;
  return !layout->node || (get_bytes(layout, "size", &t->size) &&
                           json_get_u64(layout, "abi_align", UINT64_MAX, &t->align));
}

static bool no_layout(const struct json_at *at, struct sm_type *t) {
  json_error_code(at, MD0854, "the dump does not tell the layout of `%.*s`", STR_ARG(t->name));
  return false;
}

static bool load_name(struct smir *s, const struct json_at *body, struct sm_type *t) {
  return json_get_str(body, "name", &s->a, &t->name);
}

static bool load_struct(struct smir *s, struct sm_type *t, const struct json_at *body,
                        enum sm_kind k, const char *fields) {
  struct json_at list, layout;
  t->kind = k;
  if (k == SM_TUPLE)
    t->name = STR("(…)");
  else if (!load_name(s, body, t))
    return false;
  if (!json_get(body, fields, &list) || !type_list(s, &list, &t->fields, &t->n_fields) ||
      !read_layout(t, body, &layout))
    return false;
  if (!layout.node)
    return no_layout(body, t);
  if (t->n_fields == 0 && k == SM_TUPLE)
    t->name = STR("()");
  return field_offsets(s, &layout, t->n_fields, &t->offs);
}

/* ---- enums ---- */

static bool scalar_bits(const struct json_at *value, uint32_t *bits, bool *is_signed) {
  static const char *const lengths[] = {"I8", "I16", "I32", "I64", "I128", NULL};
  struct json_at body;
  str kind;
  unsigned n;
  *is_signed = false;
  *bits = 64;
  if (!sm_variant(value, &kind, &body))
    return false;
  if (str_eqz(kind, "Pointer"))
    return true;
  if (!str_eqz(kind, "Int")) {
    json_error(value, "a tag cannot be a `%.*s`", STR_ARG(kind));
    return false;
  }
  if (!json_get_enum(&body, "length", lengths, &n) || !json_get_bool(&body, "signed", is_signed))
    return false;
  *bits = 8u << n;
  return true;
}

static bool read_tag(struct smir *s, const struct json_at *layout, const struct json_at *multiple,
                     struct sm_enum *e) {
  struct json_at tag, scalar, value, list;
  uint64_t *offs;
  uint32_t field;
  size_t n;
  str name;
  if (!json_get(multiple, "tag", &tag) || !sm_variant(&tag, &name, &scalar) ||
      !json_get(&scalar, "value", &value) || !scalar_bits(&value, &e->tag_bits, &e->tag_signed) ||
      !json_get_u32(multiple, "tag_field", 1000, &field))
    return false;
  struct json_at fields, body;
  if (!json_get(layout, "fields", &fields) || !sm_variant(&fields, &name, &body) ||
      !json_get(&body, "offsets", &list) || !json_len(&list, &n) ||
      !offsets(s, &list, (uint32_t)n, &offs))
    return false;
  if (field >= n) {
    json_error(multiple, "the tag is field %u of %zu", field, n);
    return false;
  }
  e->tag_off = offs[field];
  return true;
}

static bool read_encoding(const struct json_at *multiple, struct sm_enum *e) {
  struct json_at enc, body, range, start;
  str name;
  if (!json_get(multiple, "tag_encoding", &enc) || !sm_variant(&enc, &name, &body))
    return false;
  e->how = str_eqz(name, "Direct") ? SM_DIRECT : SM_NICHE;
  if (e->how == SM_DIRECT)
    return true;
  if (!str_eqz(name, "Niche")) {
    json_error(&enc, "unknown encoding of a tag `%.*s`", STR_ARG(str_sub(name, 0, 80)));
    return false;
  }
  if (!json_get_u32(&body, "untagged_variant", UINT32_MAX, &e->untagged) ||
      !json_get(&body, "niche_variants", &range) ||
      !json_get_u32(&range, "start", UINT32_MAX, &e->lo) ||
      !json_get_u32(&range, "end", UINT32_MAX, &e->hi) || !json_get(&body, "niche_start", &start) ||
      !json_u128(&start, &e->start))
    return false;
  if (e->lo <= e->hi && e->hi < e->n && e->untagged < e->n)
    return true;
  json_error(&body, "it names variants that the enum does not have");
  return false;
}

static bool read_variant_layouts(struct smir *s, const struct json_at *multiple,
                                 struct sm_enum *e) {
  struct json_at list, v;
  size_t n, i = 0;
  if (!json_get(multiple, "variants", &list) || !json_len(&list, &n))
    return false;
  if (n != e->n) {
    json_error(&list, "%zu layouts for %u variants", n, e->n);
    return false;
  }
  JSON_EACH(&list, v) {
    struct sm_variant *out = &e->v[i++];
    if (!field_offsets(s, &v, out->n, &out->offs) || !is_uninhabited(&v, &out->uninhabited))
      return false;
  }
  return true;
}

static bool read_shape(struct smir *s, const struct json_at *layout, struct sm_enum *e) {
  struct json_at variants, body;
  str name;
  if (!json_get(layout, "variants", &variants) || !sm_variant(&variants, &name, &body))
    return false;
  if (str_eqz(name, "Empty") || (str_eqz(name, "Single") && e->n == 0)) {
    e->only = SM_NONE;
    return true;
  }
  if (str_eqz(name, "Single")) {
    if (!json_get_u32(&body, "index", UINT32_MAX, &e->only))
      return false;
    if (e->only < e->n)
      return field_offsets(s, layout, e->v[e->only].n, &e->v[e->only].offs) &&
             is_uninhabited(layout, &e->v[e->only].uninhabited);
    json_error(&body, "there is no variant %u; the enum has %u", e->only, e->n);
    return false;
  }
  if (!str_eqz(name, "Multiple")) {
    json_error(&variants, "unknown shape of variants `%.*s`", STR_ARG(str_sub(name, 0, 80)));
    return false;
  }
  return read_encoding(&body, e) && read_tag(s, layout, &body, e) &&
         read_variant_layouts(s, &body, e);
}

static bool load_enum(struct smir *s, struct sm_type *t, const struct json_at *body) {
  struct json_at discrs, fields, layout, d, f;
  size_t n, m, i = 0;
  struct sm_enum *e = t->e = arena_new(&s->a, struct sm_enum);
  t->kind = SM_ENUM;
  if (!load_name(s, body, t) || !json_get(body, "discriminants", &discrs) ||
      !json_get(body, "fields", &fields) || !json_len(&discrs, &n) || !json_len(&fields, &m) ||
      !read_layout(t, body, &layout))
    return false;
  if (n != m) {
    json_error(body, "%zu discriminants for %zu variants", n, m);
    return false;
  }
  if (!layout.node)
    return no_layout(body, t);
  e->n = (uint32_t)n;
  e->v = arena_array(&s->a, struct sm_variant, n);
  bool more = json_first(&fields, &f);
  JSON_EACH(&discrs, d) {
    if (!json_u128(&d, &e->v[i].discr) || !more || !type_list(s, &f, &e->v[i].fields, &e->v[i].n))
      return false;
    more = json_next(&f);
    i++;
  }
  return read_shape(s, &layout, e);
}

/* ---- the rest ---- */

static bool load_primitive(struct smir *s, struct sm_type *t, const struct json_at *at) {
  static const struct {
    const char *name;
    uint8_t kind, bits;
    bool is_signed;
  } rows[] = {
      {"I8", SM_INT, 8, true},      {"I16", SM_INT, 16, true},    {"I32", SM_INT, 32, true},
      {"I64", SM_INT, 64, true},    {"I128", SM_INT, 128, true},  {"Isize", SM_INT, 64, true},
      {"U8", SM_INT, 8, false},     {"U16", SM_INT, 16, false},   {"U32", SM_INT, 32, false},
      {"U64", SM_INT, 64, false},   {"U128", SM_INT, 128, false}, {"Usize", SM_INT, 64, false},
      {"F16", SM_FLOAT, 16, false}, {"F32", SM_FLOAT, 32, false}, {"F64", SM_FLOAT, 64, false},
      {"Bool", SM_BOOL, 8, false},  {"Char", SM_CHAR, 32, false}, {"Str", SM_STR, 0, false},
      {"Never", SM_NEVER, 0, false}};
  struct json_at body;
  str name;
  if (!sm_variant(at, &name, &body) || (body.node && !json_str(&body, &name)))
    return false;
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    if (!str_eqz(name, rows[i].name))
      continue;
    t->kind = (enum sm_kind)rows[i].kind;
    t->bits = rows[i].bits;
    t->is_signed = rows[i].is_signed;
    t->size = t->bits / 8;
    t->align = t->size ? t->size : 1;
    char *lower = arena_strz(&s->a, name);
    for (char *c = lower; *c; c++)
      *c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    t->name = t->kind == SM_NEVER ? STR("!") : str_from(lower);
    return true;
  }
  json_error_code(at, MD0855, "values of the type `%.*s` do not exist on a GPU", STR_ARG(name));
  return false;
}

bool sm_const_usize(struct smir *s, const struct json_at *at, uint64_t *out) {
  struct json_at kind, value, alloc;
  struct sm_bytes b;
  str name;
  if (!json_get(at, "kind", &kind) || !sm_variant(&kind, &name, &value))
    return false;
  if (!str_eqz(name, "Value")) {
    json_error_code(&kind, MD0854, "the dump does not tell the value of a length (`%.*s`)",
                    STR_ARG(str_sub(name, 0, 80)));
    return false;
  }
  if (!json_elem(&value, 1, &alloc) || !sm_read_bytes(s, &alloc, &s->a, &b))
    return false;
  *out = 0;
  if (b.n == 8 && !b.partial && b.n_prov == 0) {
    memcpy(out, b.p, sizeof *out);
    return true;
  }
  json_error(&alloc, "a length has eight bytes");
  return false;
}

static bool load_array(struct smir *s, struct sm_type *t, const struct json_at *body) {
  struct json_at size, layout;
  uint64_t id;
  if (!json_get_u64(body, "elem_type", UINT64_MAX, &id) || !json_opt(body, "size", &size) ||
      !read_layout(t, body, &layout))
    return false;
  t->elem = sm_type(s, id);
  t->kind = size.node ? SM_ARRAY : SM_SLICE;
  t->name = size.node ? STR("[_; _]") : STR("[_]");
  if (!layout.node)
    return no_layout(body, t);
  return !size.node || sm_const_usize(s, &size, &t->len);
}

static bool load_pointer(struct smir *s, struct sm_type *t, const struct json_at *body, bool ref) {
  struct json_at mut, layout;
  uint64_t id;
  str m = STR("Mut");
  if (!json_get_u64(body, "pointee_type", UINT64_MAX, &id) || !json_opt(body, "mutability", &mut) ||
      (mut.node && !json_str(&mut, &m)) || !read_layout(t, body, &layout))
    return false;
  t->kind = SM_PTR;
  t->ref = ref;
  t->elem = sm_type(s, id);
  t->name = ref ? STR("&_") : STR("*_");
  t->mut = !str_eqz(m, "Not");
  if (!layout.node)
    return no_layout(body, t);
  t->wide = t->size == 16;
  return true;
}

static bool load_body(struct smir *s, struct sm_type *t, str kind, const struct json_at *body,
                      const struct json_at *at) {
  if (str_eqz(kind, "VoidType")) {
    t->kind = SM_NEVER;
    t->name = STR("!");
    return true;
  }
  if (str_eqz(kind, "PrimitiveType"))
    return load_primitive(s, t, body);
  if (str_eqz(kind, "StructType"))
    return load_struct(s, t, body, SM_STRUCT, "fields");
  if (str_eqz(kind, "UnionType"))
    return load_struct(s, t, body, SM_UNION, "fields");
  if (str_eqz(kind, "TupleType"))
    return load_struct(s, t, body, SM_TUPLE, "types");
  if (str_eqz(kind, "EnumType"))
    return load_enum(s, t, body);
  if (str_eqz(kind, "ArrayType"))
    return load_array(s, t, body);
  if (str_eqz(kind, "RefType") || str_eqz(kind, "PtrType"))
    return load_pointer(s, t, body, str_eqz(kind, "RefType"));
  if (str_eqz(kind, "DynType")) {
    t->kind = SM_DYN;
    return load_name(s, body, t);
  }
  if (str_eqz(kind, "FunType")) {
    str name;
    if (!json_str(body, &name))
      return false;
    t->name = arena_str(&s->a, name);
    return true;
  }
  json_error(at, "unknown kind of type `%.*s`", STR_ARG(str_sub(kind, 0, 80)));
  return false;
}

bool sm_load(struct smir *s, struct sm_type *t) {
  if (t->loaded)
    return true;
  t->loaded = true;
  struct json_at root, meta, body;
  str kind;
  struct arena_mark mark = arena_save(&s->scratch);
  str where = arena_printf(&s->scratch, "/types/%u", t->row);
  bool ok = sm_parse(s, s->types->elems[t->row], &s->scratch, where, &root) &&
            json_elem(&root, 1, &meta) && sm_variant(&meta, &kind, &body);
  if (ok && !body.node && !str_eqz(kind, "VoidType")) {
    json_error(&meta, "expected an object for `%.*s`", STR_ARG(str_sub(kind, 0, 80)));
    ok = false;
  }
  ok = ok && load_body(s, t, kind, &body, &meta);
  arena_rewind(&s->scratch, mark);
  return ok;
}
