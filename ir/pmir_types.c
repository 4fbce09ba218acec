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

/* The member `name` is an index into the types. */
static bool type_id(struct pm_reader *r, const struct jp_members *m, const char *name, pm_ty *out) {
  return jp_get(&r->j, m, name) && pm_pull_id(r, r->m->n_types, "type", out);
}

static bool read_bits(struct pm_reader *r, const struct jp_members *m, uint32_t most,
                      uint32_t least, uint32_t *out) {
  if (!jp_get(&r->j, m, "bits"))
    return false;
  const char *at = r->j.p;
  if (!jp_u32(&r->j, out))
    return false;
  for (uint32_t b = least; b <= most; b *= 2)
    if (*out == b)
      return true;
  return jp_fail(&r->j, at, "%u is not one of the widths from %u to %u bits", *out, least, most);
}

static bool read_ptr(struct pm_reader *r, const struct jp_members *m, struct pm_type *t) {
  unsigned meta;
  if (!type_id(r, m, "to", &t->elem) || !pm_pull_bool(r, m, "mut", &t->mut) ||
      !pm_pull_bool(r, m, "ref", &t->is_ref) || !pm_pull_enum(r, m, "meta", meta_names, &meta))
    return false;
  t->meta = (enum pm_meta)meta;
  return true;
}

static bool read_args(struct pm_reader *r, const struct jp_members *m, struct pm_type *t) {
  struct json_pull *j = &r->j;
  size_t n;
  if (!jp_get(j, m, "args") || !jp_count(j, &n) || !jp_array(j))
    return false;
  t->args = arena_array(&r->m->arena, pm_ty, n);
  for (; jp_more(j); t->n_args++)
    if (!pm_pull_id(r, r->m->n_types, "type", &t->args[t->n_args]))
      return false;
  return true;
}

static bool read_fnptr(struct pm_reader *r, const struct jp_members *m, struct pm_type *t) {
  static const char *const abis[] = {"rust", "c", NULL};
  unsigned v;
  if (!read_args(r, m, t) || !type_id(r, m, "ret", &t->elem) || !pm_pull_enum(r, m, "abi", abis, &v))
    return false;
  t->c_abi = v == 1;
  return true;
}

static bool read_field(struct pm_reader *r, struct pm_field *f) {
  static const char *const keys[] = {"name", "ty", "off", NULL};
  struct jp_members m;
  return jp_read_members(&r->j, keys, &m) && pm_pull_str(r, &m, "name", &f->name) &&
         type_id(r, &m, "ty", &f->ty) && pm_pull_u64(r, &m, "off", &f->off) && jp_leave(&r->j, &m);
}

static bool read_fields(struct pm_reader *r, const struct jp_members *m, struct pm_field **out,
                        uint32_t *n) {
  struct json_pull *j = &r->j;
  size_t len;
  *n = 0;
  if (!jp_get(j, m, "fields") || !jp_count(j, &len) || !jp_array(j))
    return false;
  *out = arena_array(&r->m->arena, struct pm_field, len);
  while (jp_more(j))
    if (!read_field(r, &(*out)[(*n)++]))
      return false;
  return true;
}

/* ---- enums ---- */

static bool read_width(struct pm_reader *r, uint32_t *bits) {
  const char *at = r->j.p;
  if (!jp_u32(&r->j, bits))
    return false;
  if (*bits == 8 || *bits == 16 || *bits == 32 || *bits == 64 || *bits == 128)
    return true;
  return jp_fail(&r->j, at, "%u is not one of the widths 8, 16, 32, 64, 128", *bits);
}

static bool read_set(struct pm_reader *r, struct pm_set *s) {
  struct json_pull *j = &r->j;
  u128 v;
  if (!jp_array(j) || !jp_item(j) || !jp_u64(j, &s->off) || !jp_item(j) ||
      !read_width(r, &s->bits) || !jp_item(j))
    return false;
  const char *at = j->p;
  if (!jp_u128(j, &v))
    return false;
  s->lo = (uint64_t)v;
  s->hi = (uint64_t)(v >> 64);
  if (s->bits != 128 && v >> s->bits != 0)
    return jp_fail(j, at, "the value does not fit in %u bits", s->bits);
  return jp_close(j);
}

static bool read_sets(struct pm_reader *r, const struct jp_members *m, struct pm_variant *v) {
  struct json_pull *j = &r->j;
  size_t len;
  if (!jp_get(j, m, "set") || !jp_count(j, &len) || !jp_array(j))
    return false;
  v->sets = arena_array(&r->m->arena, struct pm_set, len);
  for (; jp_more(j); v->n_sets++)
    if (!read_set(r, &v->sets[v->n_sets]))
      return false;
  return true;
}

static bool read_variant(struct pm_reader *r, struct pm_variant *v) {
  static const char *const keys[] = {"name", "discr", "fields", "set", "uninhabited", NULL};
  struct json_pull *j = &r->j;
  struct jp_members m;
  u128 d;
  if (!jp_read_members(j, keys, &m) || !pm_pull_str(r, &m, "name", &v->name) ||
      !jp_get(j, &m, "discr") || !jp_u128(j, &d))
    return false;
  v->discr_lo = (uint64_t)d;
  v->discr_hi = (uint64_t)(d >> 64);
  return read_fields(r, &m, &v->fields, &v->n_fields) && read_sets(r, &m, v) &&
         (!jp_has(j, &m, "uninhabited") || jp_bool(j, &v->uninhabited)) && jp_leave(j, &m);
}

static bool read_tree(struct pm_reader *r, const struct pm_type *t, struct pm_get **out);

static bool read_case(struct pm_reader *r, const struct pm_type *t, struct pm_get_case *c) {
  struct json_pull *j = &r->j;
  const char *at = j->p;
  if (!jp_array(j) || !jp_item(j) || !jp_u128(j, &c->lo) || !jp_item(j) || !jp_u128(j, &c->hi))
    return false;
  if (c->lo > c->hi)
    return jp_fail(j, at, "the range ends before it begins");
  return jp_item(j) && read_tree(r, t, &c->then) && jp_close(j);
}

static bool read_switch(struct pm_reader *r, const struct pm_type *t, struct pm_get *g) {
  static const char *const keys[] = {"at", "bits", "cases", "else", NULL};
  struct json_pull *j = &r->j;
  struct jp_members m;
  size_t len;
  g->kind = PM_GET_SWITCH;
  if (!jp_read_members(j, keys, &m) || !pm_pull_u64(r, &m, "at", &g->at) || !jp_get(j, &m, "bits") ||
      !read_width(r, &g->bits) || !jp_get(j, &m, "cases") || !jp_count(j, &len) || !jp_array(j))
    return false;
  g->cases = arena_array(&r->m->arena, struct pm_get_case, len);
  for (; jp_more(j); g->n_cases++)
    if (!read_case(r, t, &g->cases[g->n_cases]))
      return false;
  return jp_get(j, &m, "else") && read_tree(r, t, &g->otherwise) && jp_leave(j, &m);
}

static bool read_leaf(struct pm_reader *r, const struct pm_type *t, struct pm_get *g) {
  static const char *const variant[] = {"variant", NULL};
  struct jp_members m;
  g->kind = PM_GET_VARIANT;
  return jp_read_members(&r->j, variant, &m) && jp_get(&r->j, &m, "variant") &&
         pm_pull_id(r, t->n_variants, "variant", &g->variant) && jp_leave(&r->j, &m);
}

static bool read_invalid(struct pm_reader *r, struct pm_get *g) {
  static const char *const invalid[] = {"invalid", NULL};
  struct jp_members m;
  bool yes;
  g->kind = PM_GET_INVALID;
  if (!jp_read_members(&r->j, invalid, &m) || !pm_pull_bool(r, &m, "invalid", &yes))
    return false;
  jp_leave(&r->j, &m);
  return yes || jp_fail(&r->j, m.at[0], "expected true");
}

/* The depth of the recursion is bounded by the nesting that the scan allows. */
static bool read_tree(struct pm_reader *r, const struct pm_type *t, struct pm_get **out) {
  struct pm_get *g = *out = arena_new(&r->m->arena, struct pm_get);
  if (jp_find(&r->j, "variant"))
    return read_leaf(r, t, g);
  return jp_find(&r->j, "invalid") ? read_invalid(r, g) : read_switch(r, t, g);
}

static bool read_enum(struct pm_reader *r, const struct jp_members *m, struct pm_type *t) {
  struct json_pull *j = &r->j;
  size_t len;
  if (!type_id(r, m, "discr_ty", &t->elem) || !jp_get(j, m, "variants") || !jp_count(j, &len) ||
      !jp_array(j))
    return false;
  t->variants = arena_array(&r->m->arena, struct pm_variant, len);
  for (; jp_more(j); t->n_variants++)
    if (!read_variant(r, &t->variants[t->n_variants]))
      return false;
  return jp_get(j, m, "get") && read_tree(r, t, &t->get);
}

/* ---- all kinds ---- */

static bool read_parts(struct pm_reader *r, const struct jp_members *m, struct pm_type *t) {
  switch (t->kind) {
  case PM_INT:
    return read_bits(r, m, 128, 8, &t->bits) && pm_pull_bool(r, m, "signed", &t->is_signed);
  case PM_FLOAT:
    return read_bits(r, m, 64, 16, &t->bits);
  case PM_PTR:
    return read_ptr(r, m, t);
  case PM_FNPTR:
    return read_fnptr(r, m, t);
  case PM_ARRAY:
    return type_id(r, m, "elem", &t->elem) && pm_pull_u64(r, m, "len", &t->len);
  case PM_SLICE:
    return type_id(r, m, "elem", &t->elem);
  case PM_TUPLE:
  case PM_STRUCT:
  case PM_CLOSURE:
  case PM_UNION:
    return read_fields(r, m, &t->fields, &t->n_fields);
  case PM_ENUM:
    return read_enum(r, m, t);
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

/* The kind tells which other members there are. The position stays. */
static bool read_kind(struct pm_reader *r, enum pm_kind *out) {
  struct json_pull *j = &r->j;
  const char *begin = j->p, *at = jp_find(j, "kind");
  unsigned kind;
  if (!at)
    return jp_object(j) && jp_fail(j, begin, "the member `kind` is missing");
  j->p = at;
  if (!jp_enum(j, kind_names, &kind))
    return false;
  *out = (enum pm_kind)kind;
  j->p = begin;
  return true;
}

bool pm_read_type(struct pm_reader *r, size_t i) {
  struct json_pull *j = &r->j;
  struct pm_type *t = &r->m->types[i];
  struct jp_members m;
  unsigned source;
  return read_kind(r, &t->kind) && jp_read_members(j, keys_of(t->kind), &m) &&
         pm_pull_str(r, &m, "name", &t->name) && pm_pull_u64(r, &m, "size", &t->size) &&
         pm_pull_u64(r, &m, "align", &t->align) &&
         (!jp_has(j, &m, "src") || jp_enum(j, source_names, &source)) && read_parts(r, &m, t);
}
