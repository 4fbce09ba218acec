/* Types out of debug info. */
#include "cargo-integration/rustc/debuginfo.h"

#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "cargo-integration/rustc/di_ir.h"
#include "cargo-integration/rustc/di_name.h"

#define MAX_SCOPES 64

struct entry {
  struct di_type type;
  struct dn *name;
  struct entry *next; /* of the same key */
};

struct expected {
  uint64_t size, align;
};

struct debuginfo {
  struct arena *arena;
  str crate;
  struct map by_key;       /* last name -> struct entry list */
  struct map by_path;      /* whole definition path -> struct entry */
  struct map sizes;        /* type text -> struct expected */
  struct map answers;      /* type text -> struct di_type or NULL */
  void (*load)(void *ctx); /* NULL: nothing to come */
  void *load_ctx;
  struct map params; /* function -> struct di_type of its first parameter's pointee */
};

struct reader {
  struct debuginfo *d;
  struct di_ir ir;
  struct diag_sink *sink;
  struct entry **entries; /* by node number; NULL: no type of interest */
};

static bool bad_record(struct reader *r, str node, const char *what) {
  struct diag *d = diag_error(r->sink, MD0150, SPAN_NONE, "%s in rustc's debug info", what);
  diag_note(d, "the record is `%.*s`", STR_ARG(str_sub(node, 0, 200)));
  return false;
}

/* Bits to bytes; records of bit fields do not occur in Rust. */
static bool get_bytes(struct reader *r, str node, const char *key, uint64_t *out) {
  if (!di_get_u64(node, key, out) || *out % 8 != 0) {
    return bad_record(r, node, "a size that is no number of bytes");
  }
  *out /= 8;
  return true;
}

/* Namespaces from the outside in, "core::option::". */
static str scope_path(struct reader *r, str node) {
  str parts[MAX_SCOPES];
  size_t n = 0;
  uint32_t id = 0;
  str at = node;
  while (n < MAX_SCOPES && di_get_ref(at, "scope", &id)) {
    at = di_node(&r->ir, id);
    if (!di_is(at, "DINamespace")) {
      break;
    }
    parts[n++] = di_get_string(&r->ir, at, "name");
  }
  struct strbuf b = {0};
  while (n > 0) {
    sb_add(&b, parts[--n]);
    sb_addz(&b, "::");
  }
  str out = arena_str(r->d->arena, sb_str(&b));
  sb_free(&b);
  return out;
}

static str node_tag(str node) {
  return di_get(node, "tag");
}

static str type_name(struct reader *r, uint32_t id, int depth);

/* "[T; N]": array types carry no name. */
static str array_name(struct reader *r, str node, int depth) {
  uint32_t base = 0;
  uint32_t elems = 0;
  uint32_t *ids = NULL;
  uint64_t count = 0;
  if (!di_get_ref(node, "baseType", &base) || !di_get_ref(node, "elements", &elems) ||
      di_tuple(&r->ir, di_node(&r->ir, elems), &ids) != 1 ||
      !di_get_u64(di_node(&r->ir, ids[0]), "count", &count)) {
    return STR("?");
  }
  str elem = type_name(r, base, depth + 1);
  return arena_printf(r->d->arena, "[%.*s; %llu]", STR_ARG(elem), (unsigned long long)count);
}

static str type_name(struct reader *r, uint32_t id, int depth) {
  str node = di_node(&r->ir, id);
  if (depth > 60) {
    return STR("?");
  }
  if (str_eqz(node_tag(node), "DW_TAG_array_type")) {
    return array_name(r, node, depth);
  }
  str name = di_get_string(&r->ir, node, "name");
  str scope = scope_path(r, node);
  if (name.n == 0) {
    return STR("?");
  }
  return scope.n == 0 ? name : arena_printf(r->d->arena, "%.*s%.*s", STR_ARG(scope), STR_ARG(name));
}

/* `!`, or an enum without variants. Other types without values are not told apart. */
static bool is_never(struct reader *r, uint32_t id) {
  str node = di_node(&r->ir, id);
  uint32_t elems = 0;
  uint32_t *ids = NULL;
  if (str_eqz(di_get_string(&r->ir, node, "name"), "!")) {
    return true;
  }
  if (!str_eqz(node_tag(node), "DW_TAG_structure_type") || !di_get_ref(node, "elements", &elems) ||
      di_tuple(&r->ir, di_node(&r->ir, elems), &ids) != 1) {
    return false;
  }
  str part = di_node(&r->ir, ids[0]);
  return str_eqz(node_tag(part), "DW_TAG_variant_part") && di_get_ref(part, "elements", &elems) &&
         di_tuple(&r->ir, di_node(&r->ir, elems), &ids) == 0;
}

/* Members of a struct-like node, in the order of declaration. */
static bool read_fields(struct reader *r, str node, struct di_field **out, uint32_t *n) {
  uint32_t elems = 0;
  uint32_t *ids = NULL;
  *out = NULL;
  *n = 0;
  if (!di_get_ref(node, "elements", &elems)) {
    return true;
  }
  size_t k = di_tuple(&r->ir, di_node(&r->ir, elems), &ids);
  *out = arena_array(r->d->arena, struct di_field, k + 1);
  for (size_t i = 0; i < k; i++) {
    str m = di_node(&r->ir, ids[i]);
    if (!str_eqz(node_tag(m), "DW_TAG_member")) {
      continue;
    }
    struct di_field *f = &(*out)[(*n)++];
    uint32_t base = 0;
    f->name = di_get_string(&r->ir, m, "name");
    if (!get_bytes(r, m, "offset", &f->offset) || !get_bytes(r, m, "size", &f->size)) {
      return false;
    }
    if (di_get_ref(m, "baseType", &base)) {
      f->type = type_name(r, base, 0);
      f->never = is_never(r, base);
    }
  }
  return true;
}

/* "i8 -1": the value's bits, and the value by the tag's sign. */
static bool read_tag(str v, bool is_signed, struct di_variant *out, uint32_t *bits) {
  size_t space = str_find_char(v, ' ', 0);
  uint64_t w = 0;
  u128 mag = 0;
  if (space == SIZE_MAX || v.p[0] != 'i' || !str_to_u64(str_sub(v, 1, space), &w) || w == 0 ||
      w > 128) {
    return false;
  }
  str digits = str_drop(v, space + 1);
  bool minus = digits.n > 0 && digits.p[0] == '-';
  if (!str_to_u128(minus ? str_drop(digits, 1) : digits, &mag)) {
    return false;
  }
  u128 mask = w == 128 ? ~(u128)0 : ((u128)1 << w) - 1;
  out->tag = (minus ? ~mag + 1 : mag) & mask;
  out->has_tag = true;
  out->discr = out->tag;
  if (is_signed && w < 128 && ((out->tag >> (w - 1)) & 1) != 0) {
    out->discr |= ~mask;
  }
  *bits = (uint32_t)w;
  return true;
}

static bool is_signed_type(struct reader *r, uint32_t id) {
  return str_eqz(di_get(di_node(&r->ir, id), "encoding"), "DW_ATE_signed");
}

/* The discriminator member: where the tag is. */
static bool read_discriminator(struct reader *r, str part, struct di_type *t, bool *is_signed) {
  uint32_t id = 0;
  uint32_t base = 0;
  uint64_t size = 0;
  if (!di_get_ref(part, "discriminator", &id)) {
    return true;
  }
  str m = di_node(&r->ir, id);
  if (!get_bytes(r, m, "offset", &t->tag_offset) || !get_bytes(r, m, "size", &size)) {
    return false;
  }
  t->tag_bits = (uint32_t)size * 8;
  *is_signed = di_get_ref(m, "baseType", &base) && is_signed_type(r, base);
  return true;
}

/* One member of a variant part. Discriminants of enums with a niche are the variants' numbers: an
 * explicit one needs a repr, and that makes the tag direct. */
static bool read_variant(struct reader *r, str m, const struct di_type *t, bool is_signed,
                         struct di_variant *v) {
  uint32_t base = 0;
  uint32_t bits = 0;
  v->name = di_get_string(&r->ir, m, "name");
  str tag = di_get(m, "extraData");
  if (tag.n > 0 && (!read_tag(tag, is_signed, v, &bits) || bits != t->tag_bits)) {
    return bad_record(r, m, "a tag value of an unknown form");
  }
  if (!di_get_ref(m, "baseType", &base)) {
    return bad_record(r, m, "a variant without fields");
  }
  str body = di_node(&r->ir, base);
  return get_bytes(r, body, "size", &v->size) && read_fields(r, body, &v->fields, &v->n_fields);
}

static void decide_discriminants(struct di_type *t) {
  bool niche = false;
  for (uint32_t i = 0; i < t->n_variants; i++) {
    niche = niche || !t->variants[i].has_tag;
  }
  for (uint32_t i = 0; i < t->n_variants; i++) {
    struct di_variant *v = &t->variants[i];
    v->has_discr = true;
    if (niche) {
      v->discr = i;
    }
  }
  /* `enum E { A = 5 }` stores nothing, so its value cannot be seen here. */
  if (t->n_variants == 1 && t->tag_bits == 0) {
    t->variants[0].has_discr = t->variants[0].n_fields > 0;
  }
}

static bool read_enum(struct reader *r, str part, struct di_type *t) {
  uint32_t elems = 0;
  uint32_t *ids = NULL;
  bool is_signed = false;
  t->kind = DI_ENUM;
  if (!read_discriminator(r, part, t, &is_signed)) {
    return false;
  }
  size_t n =
      di_get_ref(part, "elements", &elems) ? di_tuple(&r->ir, di_node(&r->ir, elems), &ids) : 0;
  t->variants = arena_array(r->d->arena, struct di_variant, n + 1);
  for (size_t i = 0; i < n; i++) {
    if (!read_variant(r, di_node(&r->ir, ids[i]), t, is_signed, &t->variants[i])) {
      return false;
    }
  }
  t->n_variants = (uint32_t)n;
  decide_discriminants(t);
  return true;
}

/* An enum without fields: DIEnumerator(name: "Q", value: -7). */
static bool read_enumeration(struct reader *r, str node, struct di_type *t) {
  uint32_t elems = 0;
  uint32_t *ids = NULL;
  t->kind = DI_ENUM;
  t->tag_bits = (uint32_t)t->size * 8;
  size_t n =
      di_get_ref(node, "elements", &elems) ? di_tuple(&r->ir, di_node(&r->ir, elems), &ids) : 0;
  t->variants = arena_array(r->d->arena, struct di_variant, n + 1);
  for (size_t i = 0; i < n; i++) {
    str e = di_node(&r->ir, ids[i]);
    struct di_variant *v = &t->variants[i];
    str value = di_get(e, "value");
    bool minus = value.n > 0 && value.p[0] == '-';
    u128 mag = 0;
    if (!str_to_u128(minus ? str_drop(value, 1) : value, &mag) || t->tag_bits > 128) {
      return bad_record(r, e, "an enumerator of an unknown form");
    }
    v->name = di_get_string(&r->ir, e, "name");
    v->discr = minus ? ~mag + 1 : mag;
    v->tag = t->tag_bits >= 128 ? v->discr : v->discr & (((u128)1 << t->tag_bits) - 1);
    v->has_tag = t->tag_bits > 0;
    v->has_discr = true;
    v->size = t->size;
  }
  t->n_variants = (uint32_t)n;
  return true;
}

/* The variant part of an enum's structure, or empty. */
static str variant_part(struct reader *r, str node) {
  uint32_t elems = 0;
  uint32_t *ids = NULL;
  if (di_get_ref(node, "elements", &elems) && di_tuple(&r->ir, di_node(&r->ir, elems), &ids) == 1) {
    str part = di_node(&r->ir, ids[0]);
    if (str_eqz(node_tag(part), "DW_TAG_variant_part")) {
      return part;
    }
  }
  return STR_NULL;
}

static bool read_body(struct reader *r, str node, str tag, struct di_type *t) {
  str name = di_get_string(&r->ir, node, "name");
  if (str_eqz(tag, "DW_TAG_enumeration_type")) {
    return read_enumeration(r, node, t);
  }
  str part = variant_part(r, node);
  if (part.n > 0) {
    return read_enum(r, part, t);
  }
  t->kind = str_eqz(tag, "DW_TAG_union_type")        ? DI_UNION
            : str_starts(name, STR("{closure_env#")) ? DI_CLOSURE
            : name.n > 0 && name.p[0] == '('         ? DI_TUPLE
            : name.n > 0 && (name.p[0] == '&' || name.p[0] == '*' || str_starts(name, STR("dyn ")))
                ? DI_OTHER
                : DI_STRUCT;
  return read_fields(r, node, &t->fields, &t->n_fields);
}

static void add_entry(struct debuginfo *d, struct entry *e) {
  bool fresh = false;
  uintptr_t *by_path = map_put(&d->by_path, e->type.path, &fresh);
  if (fresh) {
    *by_path = (uintptr_t)e;
  }
  uintptr_t *slot = map_put(&d->by_key, dn_key(e->name), NULL);
  e->next = (struct entry *)*slot;
  *slot = (uintptr_t)e;
}

static bool read_composite(struct reader *r, uint32_t id) {
  str node = di_node(&r->ir, id);
  str tag = node_tag(node);
  uint32_t scope = 0;
  bool wanted = str_eqz(tag, "DW_TAG_structure_type") || str_eqz(tag, "DW_TAG_union_type") ||
                str_eqz(tag, "DW_TAG_enumeration_type");
  str name = di_get_string(&r->ir, node, "name");
  if (!wanted || name.n == 0) {
    return true;
  }
  if (di_get_ref(node, "scope", &scope) && di_is(di_node(&r->ir, scope), "DICompositeType")) {
    return true; /* a variant's structure, read with its enum */
  }
  struct entry *e = arena_new(r->d->arena, struct entry);
  uint64_t align = 0;
  str where = scope_path(r, node);
  e->type.path =
      where.n == 0 ? name : arena_printf(r->d->arena, "%.*s%.*s", STR_ARG(where), STR_ARG(name));
  if (!get_bytes(r, node, "size", &e->type.size) || !get_bytes(r, node, "align", &align) ||
      !read_body(r, node, tag, &e->type)) {
    return false;
  }
  e->type.align = align == 0 ? 1 : align;
  r->entries[id] = e;
  e->name = dn_parse(r->d->arena, e->type.path);
  if (e->name->kind != DN_OTHER) {
    add_entry(r->d, e);
  }
  return true;
}

/* A subprogram of a probe: name -> type -> {result, parameter} -> pointer -> pointee. */
static void read_probe(struct reader *r, str node) {
  uint32_t id = 0;
  uint32_t *ids = NULL;
  str name = di_get_string(&r->ir, node, "name");
  if (!str_starts(name, STR("__mirdc_n")) || !di_get_ref(node, "type", &id) ||
      !di_get_ref(di_node(&r->ir, id), "types", &id) ||
      di_tuple(&r->ir, di_node(&r->ir, id), &ids) != 1) {
    return;
  }
  if (di_get_ref(di_node(&r->ir, ids[0]), "baseType", &id) && id < r->ir.nodes.n &&
      r->entries[id] != NULL) {
    *map_put(&r->d->params, name, NULL) = (uintptr_t)&r->entries[id]->type;
  }
}

struct debuginfo *debuginfo_new(struct arena *a, str crate) {
  struct debuginfo *d = arena_new(a, struct debuginfo);
  d->arena = a;
  d->crate = crate;
  return d;
}

void debuginfo_set_loader(struct debuginfo *d, void (*load)(void *ctx), void *ctx) {
  d->load = load;
  d->load_ctx = ctx;
}

void debuginfo_load(struct debuginfo *d) {
  void (*load)(void *ctx) = d->load;
  d->load = NULL;
  if (load != NULL) {
    load(d->load_ctx);
  }
}

void debuginfo_free(struct debuginfo *d) {
  if (d != NULL) {
    map_free(&d->by_key);
    map_free(&d->by_path);
    map_free(&d->sizes);
    map_free(&d->answers);
    map_free(&d->params);
  }
}

bool debuginfo_add(struct debuginfo *d, struct diag_sink *s, str ir) {
  struct reader r = {.d = d, .sink = s};
  di_ir_read(&r.ir, d->arena, ir);
  r.entries = arena_array(d->arena, struct entry *, r.ir.nodes.n + 1);
  map_free(&d->answers);
  map_free(&d->params);
  for (size_t i = 0; i < r.ir.nodes.n; i++) {
    if (di_is(r.ir.nodes.p[i], "DICompositeType") && !read_composite(&r, (uint32_t)i)) {
      return false;
    }
  }
  for (size_t i = 0; i < r.ir.nodes.n; i++) {
    if (di_is(r.ir.nodes.p[i], "DISubprogram")) {
      read_probe(&r, r.ir.nodes.p[i]);
    }
  }
  return true;
}

const struct di_type *debuginfo_parameter(struct debuginfo *d, str function) {
  uintptr_t *p = map_get(&d->params, function);
  return p != NULL ? (const struct di_type *)*p : NULL;
}

void debuginfo_expect(struct debuginfo *d, str type_text, uint64_t size, uint64_t align) {
  struct expected *e = arena_new(d->arena, struct expected);
  *e = (struct expected){size, align};
  *map_put(&d->sizes, type_text, NULL) = (uintptr_t)e;
}

static bool closure_captures(void *ctx, str di_text, struct dn ***types, uint32_t *n) {
  struct debuginfo *d = ctx;
  uintptr_t *p = map_get(&d->by_path, di_text);
  if (p == NULL) {
    return false;
  }
  const struct di_type *t = &((struct entry *)*p)->type;
  *types = arena_array(d->arena, struct dn *, t->n_fields + 1);
  for (uint32_t i = 0; i < t->n_fields; i++) {
    (*types)[i] = dn_parse(d->arena, t->fields[i].type);
  }
  *n = t->n_fields;
  return true;
}

static bool same_fields(const struct di_field *a, uint32_t n, const struct di_field *b,
                        uint32_t k) {
  if (n != k) {
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    if (!str_eq(a[i].name, b[i].name) || a[i].offset != b[i].offset || a[i].size != b[i].size) {
      return false;
    }
  }
  return true;
}

/* Do both say the same for code generation? */
static bool same_type(const struct di_type *a, const struct di_type *b) {
  if (a->kind != b->kind || a->size != b->size || a->align != b->align ||
      a->n_variants != b->n_variants || a->tag_offset != b->tag_offset ||
      a->tag_bits != b->tag_bits || !same_fields(a->fields, a->n_fields, b->fields, b->n_fields)) {
    return false;
  }
  for (uint32_t i = 0; i < a->n_variants; i++) {
    const struct di_variant *v = &a->variants[i];
    const struct di_variant *w = &b->variants[i];
    if (!str_eq(v->name, w->name) || v->has_tag != w->has_tag || v->tag != w->tag ||
        v->discr != w->discr || !same_fields(v->fields, v->n_fields, w->fields, w->n_fields)) {
      return false;
    }
  }
  return true;
}

/* One of several items that debug info cannot tell apart: S#1. Only its size can. */
static bool is_numbered(str text) {
  for (size_t at = str_find_char(text, '#', 0); at != SIZE_MAX; at = str_find_char(text, '#', at + 1)) {
    if (!str_ends(str_sub(text, 0, at), STR("{closure"))) {
      return true;
    }
  }
  return false;
}

static const struct di_type *find_fresh(struct debuginfo *d, str text) {
  struct dn *t = dn_parse(d->arena, text);
  struct dn_match m = {d->crate, closure_captures, d};
  uintptr_t *size = map_get(&d->sizes, text);
  const struct expected *want = size != NULL ? (const struct expected *)*size : NULL;
  uintptr_t *slot = map_get(&d->by_key, dn_key(t));
  const struct di_type *found = NULL;
  if (t->kind == DN_OTHER || (want == NULL && (dn_has_fndef(t) || is_numbered(text)))) {
    return NULL;
  }
  for (struct entry *e = slot != NULL ? (struct entry *)*slot : NULL; e != NULL; e = e->next) {
    if (want != NULL && (want->size != e->type.size || want->align != e->type.align)) {
      continue;
    }
    if (!dn_matches(&m, t, e->name)) {
      continue;
    }
    if (found != NULL && !same_type(found, &e->type)) {
      return NULL;
    }
    found = &e->type;
  }
  return found;
}

const struct di_type *debuginfo_find(struct debuginfo *d, str type_text) {
  debuginfo_load(d);
  bool fresh = false;
  uintptr_t *slot = map_put(&d->answers, type_text, &fresh);
  if (!fresh) {
    return (const struct di_type *)*slot;
  }
  const struct di_type *t = find_fresh(d, type_text);
  struct map_entry *last = &d->answers.entries[d->answers.n - 1];
  last->key = arena_str(d->arena, type_text); /* the caller's text may go away */
  last->value = (uintptr_t)t;
  return t;
}
