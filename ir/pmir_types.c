/* One type of a dump. Whether the layout makes sense is the verifier's business. */
#include "ir/pmir_reader.h"

static const char *const kind_names[] = {
    "int", "float", "bool",  "char",   "never",   "ptr",   "fnptr", "fndef",  "array", "slice",
    "str", "dyn",   "tuple", "struct", "closure", "union", "enum",  "opaque", NULL};
static const char *const meta_names[] = {"none", "len", "vtable", NULL};
static const char *const source_names[] = {"builtin",  "layout", "debuginfo",
                                           "computed", "import", NULL};

#define COMMON "kind", "name", "size", "align", "src"

static const char *const keys_plain[] = {COMMON, NULL};
static const char *const keys_int[] = {COMMON, "bits", "signed", NULL};
static const char *const keys_float[] = {COMMON, "bits", NULL};
static const char *const keys_ptr[] = {COMMON, "to", "mut", "ref", "meta", NULL};
static const char *const keys_fnptr[] = {COMMON, "args", "ret", "abi", NULL};
static const char *const keys_array[] = {COMMON, "elem", "len", NULL};
static const char *const keys_slice[] = {COMMON, "elem", NULL};
static const char *const keys_fields[] = {COMMON, "fields", NULL};
static const char *const keys_enum[] = {COMMON, "discr_ty", "variants", "get", NULL};

static const char *const *keys_of(enum pm_kind k) {
  switch (k) {
  case PM_INT:
    return keys_int;
  case PM_FLOAT:
    return keys_float;
  case PM_PTR:
    return keys_ptr;
  case PM_FNPTR:
    return keys_fnptr;
  case PM_ARRAY:
    return keys_array;
  case PM_SLICE:
    return keys_slice;
  case PM_TUPLE:
  case PM_STRUCT:
  case PM_CLOSURE:
  case PM_UNION:
    return keys_fields;
  case PM_ENUM:
    return keys_enum;
  case PM_BOOL:
  case PM_CHAR:
  case PM_NEVER:
  case PM_FNDEF:
  case PM_STR:
  case PM_DYN:
  case PM_OPAQUE:
    break;
  }
  return keys_plain;
}

static bool read_bits(const struct json_at *at, uint32_t most, uint32_t least, uint32_t *out) {
  struct json_at e;
  if (!json_get(at, "bits", &e) || !json_u32(&e, UINT32_MAX, out))
    return false;
  for (uint32_t b = least; b <= most; b *= 2)
    if (*out == b)
      return true;
  json_error(&e, "%u is not one of the widths from %u to %u bits", *out, least, most);
  return false;
}

static bool type_id(struct pm_reader *r, const struct json_at *at, const char *key, pm_ty *out) {
  return pm_get_id(at, key, r->m->n_types, "type", out);
}

static bool read_ptr(struct pm_reader *r, const struct json_at *at, struct pm_type *t) {
  unsigned meta;
  if (!type_id(r, at, "to", &t->elem) || !json_get_bool(at, "mut", &t->mut) ||
      !json_get_bool(at, "ref", &t->is_ref) || !json_get_enum(at, "meta", meta_names, &meta))
    return false;
  t->meta = (enum pm_meta)meta;
  return true;
}

static bool read_abi(const struct json_at *at, bool *c_abi) {
  static const char *const abis[] = {"rust", "c", NULL};
  unsigned v;
  if (!json_get_enum(at, "abi", abis, &v))
    return false;
  *c_abi = v == 1;
  return true;
}

static bool read_fields(struct pm_reader *r, const struct json_at *at, struct pm_field **out,
                        uint32_t *n) {
  static const char *const keys[] = {"name", "ty", "off", NULL};
  struct json_at list, e;
  size_t len;
  if (!json_get(at, "fields", &list) || !json_len(&list, &len))
    return false;
  *out = arena_array(&r->m->arena, struct pm_field, len);
  *n = 0;
  JSON_EACH(&list, e) {
    struct pm_field *f = &(*out)[(*n)++];
    if (!json_only(&e, keys) || !pm_get_str(r, &e, "name", &f->name) ||
        !type_id(r, &e, "ty", &f->ty) || !json_get_u64(&e, "off", UINT64_MAX, &f->off))
      return false;
  }
  return true;
}

/* ---- enums ---- */

static bool tuple_elem(const struct json_at *at, size_t i, size_t n, struct json_at *out) {
  size_t len;
  if (!json_len(at, &len))
    return false;
  if (len == n)
    return json_elem(at, i, out);
  json_error(at, "expected %zu elements, found %zu", n, len);
  return false;
}

static bool is_width(const struct json_at *at, uint32_t bits) {
  if (bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128)
    return true;
  json_error(at, "%u is not one of the widths 8, 16, 32, 64, 128", bits);
  return false;
}

static bool read_set(const struct json_at *at, struct pm_set *s) {
  struct json_at e;
  u128 v;
  if (!tuple_elem(at, 0, 3, &e) || !json_u64(&e, UINT64_MAX, &s->off))
    return false;
  if (!json_elem(at, 1, &e) || !json_u32(&e, UINT32_MAX, &s->bits) || !is_width(&e, s->bits))
    return false;
  if (!json_elem(at, 2, &e) || !json_u128(&e, &v))
    return false;
  s->lo = (uint64_t)v;
  s->hi = (uint64_t)(v >> 64);
  if (s->bits == 128 || v >> s->bits == 0)
    return true;
  json_error(&e, "the value does not fit in %u bits", s->bits);
  return false;
}

static bool read_sets(struct pm_reader *r, const struct json_at *at, struct pm_variant *v) {
  struct json_at list, e;
  size_t len;
  if (!json_get(at, "set", &list) || !json_len(&list, &len))
    return false;
  v->sets = arena_array(&r->m->arena, struct pm_set, len);
  JSON_EACH(&list, e) {
    if (!read_set(&e, &v->sets[v->n_sets]))
      return false;
    v->n_sets++;
  }
  return true;
}

static bool read_variant(struct pm_reader *r, const struct json_at *at, struct pm_variant *v) {
  static const char *const keys[] = {"name", "discr", "fields", "set", "uninhabited", NULL};
  struct json_at e;
  u128 d;
  if (!json_only(at, keys) || !pm_get_str(r, at, "name", &v->name) || !json_get(at, "discr", &e) ||
      !json_u128(&e, &d))
    return false;
  v->discr_lo = (uint64_t)d;
  v->discr_hi = (uint64_t)(d >> 64);
  return read_fields(r, at, &v->fields, &v->n_fields) && read_sets(r, at, v) &&
         pm_opt_bool(at, "uninhabited", &v->uninhabited);
}

static bool read_tree(struct pm_reader *r, const struct json_at *at, const struct pm_type *t,
                      struct pm_get **out);

static bool read_case(struct pm_reader *r, const struct json_at *at, const struct pm_type *t,
                      struct pm_get_case *c) {
  struct json_at e;
  if (!tuple_elem(at, 0, 3, &e) || !json_u128(&e, &c->lo))
    return false;
  if (!json_elem(at, 1, &e) || !json_u128(&e, &c->hi))
    return false;
  if (c->lo > c->hi) {
    json_error(at, "the range ends before it begins");
    return false;
  }
  return json_elem(at, 2, &e) && read_tree(r, &e, t, &c->then);
}

static bool read_switch(struct pm_reader *r, const struct json_at *at, const struct pm_type *t,
                        struct pm_get *g) {
  static const char *const keys[] = {"at", "bits", "cases", "else", NULL};
  struct json_at list, e;
  size_t len;
  g->kind = PM_GET_SWITCH;
  if (!json_only(at, keys) || !json_get_u64(at, "at", UINT64_MAX, &g->at) ||
      !json_get(at, "bits", &e) || !json_u32(&e, UINT32_MAX, &g->bits) || !is_width(&e, g->bits))
    return false;
  if (!json_get(at, "cases", &list) || !json_len(&list, &len))
    return false;
  g->cases = arena_array(&r->m->arena, struct pm_get_case, len);
  JSON_EACH(&list, e) {
    if (!read_case(r, &e, t, &g->cases[g->n_cases]))
      return false;
    g->n_cases++;
  }
  return json_get(at, "else", &e) && read_tree(r, &e, t, &g->otherwise);
}

/* The depth of the recursion is bounded by the nesting that the scan allows. */
static bool read_tree(struct pm_reader *r, const struct json_at *at, const struct pm_type *t,
                      struct pm_get **out) {
  static const char *const leaf[] = {"variant", NULL}, *const invalid[] = {"invalid", NULL};
  struct pm_get *g = *out = arena_new(&r->m->arena, struct pm_get);
  struct json_at e;
  if (!json_opt(at, "variant", &e))
    return false;
  if (e.node) {
    g->kind = PM_GET_VARIANT;
    return json_only(at, leaf) && pm_id(&e, t->n_variants, "variant", &g->variant);
  }
  bool yes;
  if (!json_opt(at, "invalid", &e))
    return false;
  if (!e.node)
    return read_switch(r, at, t, g);
  g->kind = PM_GET_INVALID;
  if (!json_only(at, invalid) || !json_bool(&e, &yes))
    return false;
  if (!yes)
    json_error(&e, "expected true");
  return yes;
}

static bool read_enum(struct pm_reader *r, const struct json_at *at, struct pm_type *t) {
  struct json_at list, e;
  size_t len;
  if (!type_id(r, at, "discr_ty", &t->elem) || !json_get(at, "variants", &list) ||
      !json_len(&list, &len))
    return false;
  t->variants = arena_array(&r->m->arena, struct pm_variant, len);
  JSON_EACH(&list, e) {
    if (!read_variant(r, &e, &t->variants[t->n_variants]))
      return false;
    t->n_variants++;
  }
  return json_get(at, "get", &e) && read_tree(r, &e, t, &t->get);
}

/* ---- all kinds ---- */

static bool read_parts(struct pm_reader *r, const struct json_at *at, struct pm_type *t) {
  switch (t->kind) {
  case PM_INT:
    return read_bits(at, 128, 8, &t->bits) && json_get_bool(at, "signed", &t->is_signed);
  case PM_FLOAT:
    return read_bits(at, 64, 16, &t->bits);
  case PM_PTR:
    return read_ptr(r, at, t);
  case PM_FNPTR:
    return pm_get_types(r, at, "args", &t->args, &t->n_args) && type_id(r, at, "ret", &t->elem) &&
           read_abi(at, &t->c_abi);
  case PM_ARRAY:
    return type_id(r, at, "elem", &t->elem) && json_get_u64(at, "len", UINT64_MAX, &t->len);
  case PM_SLICE:
    return type_id(r, at, "elem", &t->elem);
  case PM_TUPLE:
  case PM_STRUCT:
  case PM_CLOSURE:
  case PM_UNION:
    return read_fields(r, at, &t->fields, &t->n_fields);
  case PM_ENUM:
    return read_enum(r, at, t);
  case PM_BOOL:
  case PM_CHAR:
  case PM_NEVER:
  case PM_FNDEF:
  case PM_STR:
  case PM_DYN:
  case PM_OPAQUE:
    break;
  }
  return true;
}

bool pm_read_type(struct pm_reader *r, const struct json_at *at, size_t i) {
  struct pm_type *t = &r->m->types[i];
  struct json_at e;
  unsigned kind, source;
  if (!json_get_enum(at, "kind", kind_names, &kind))
    return false;
  t->kind = (enum pm_kind)kind;
  if (!json_only(at, keys_of(t->kind)) || !pm_get_str(r, at, "name", &t->name) ||
      !json_get_u64(at, "size", UINT64_MAX, &t->size) ||
      !json_get_u64(at, "align", UINT64_MAX, &t->align) || !json_opt(at, "src", &e))
    return false;
  if (e.node && !json_enum(&e, source_names, &source))
    return false;
  return read_parts(r, at, t);
}
