/* The cursor over trees of base/json_tree.h. */
#include "base/json.h"

#include <math.h>
#include <string.h>

#include "base/json_tree.h"

#define MAX_UNKNOWN 5u
#define DOUBLE_EXACT 9007199254740992.0 /* 2^53 */

struct json_doc {
  struct json_text t;
  struct json_slice slice;
  str where;
  const struct json_node *root;
};

/* ---- parsing ---- */

bool json_parse(const struct json_text *t, struct json_slice slice, struct arena *a, str where,
                struct json_doc **out) {
  struct json_doc *d = arena_new(a, struct json_doc);
  *d = (struct json_doc){.t = *t, .slice = slice, .where = where};
  d->root = json_tree(str_sub(t->text, slice.lo, slice.hi), a);
  *out = d;
  if (!d->root) { /* the scan accepts nothing that cJSON refuses, but who knows its next version */
    json_error_at(t, t->bad_syntax, slice.lo, where, "the JSON library cannot read this value");
    return false;
  }
  return true;
}

bool json_parse_all(const struct json_text *t, struct arena *a, struct json_doc **out) {
  *out = NULL;
  return json_scan_whole(t) && json_parse(t, (struct json_slice){0, t->text.n}, a, STR_NULL, out);
}

struct json_at json_root(struct json_doc *d) {
  return (struct json_at){.node = d->root, .doc = d};
}

/* ---- errors ---- */

static void pointer_of(const struct json_at *at, struct strbuf *b) {
  const struct json_at *chain[JSON_MAX_DEPTH + 1];
  size_t n = 0;
  for (; at->parent && n < COUNT_OF(chain); at = at->parent)
    chain[n++] = at;
  while (n-- > 0) {
    if (chain[n]->key.p)
      json_pointer_key(b, chain[n]->key);
    else
      json_pointer_index(b, chain[n]->index);
  }
}

PRINTF_LIKE(3, 0)
static struct diag *error_v(const struct json_at *at, enum diag_code c, const char *fmt,
                            va_list ap) {
  struct strbuf pointer = {0}, full = {0}, message = {0};
  pointer_of(at, &pointer);
  sb_add(&full, at->doc->where);
  sb_add(&full, sb_str(&pointer));
  sb_vaddf(&message, fmt, ap);
  const struct json_text *t = &at->doc->t;
  size_t offset = json_locate(t->text, at->doc->slice.lo, sb_str(&pointer));
  struct diag *d = json_error_at(t, c, offset, sb_str(&full), "%.*s", STR_ARG(sb_str(&message)));
  sb_free(&pointer);
  sb_free(&full);
  sb_free(&message);
  return d;
}

struct diag *json_error(const struct json_at *at, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  struct diag *d = error_v(at, at->doc->t.bad_shape, fmt, ap);
  va_end(ap);
  return d;
}

struct diag *json_error_code(const struct json_at *at, enum diag_code c, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  struct diag *d = error_v(at, c, fmt, ap);
  va_end(ap);
  return d;
}

/* ---- kinds ---- */

static const struct json_node *node_of(const struct json_at *at) {
  return at->node;
}

enum json_kind json_kind(const struct json_at *at) {
  return at->node ? node_of(at)->kind : JSON_NULL;
}

static const char *const kind_names[] = {"null",     "a boolean", "a number",
                                         "a string", "an array",  "an object"};

static bool want(const struct json_at *at, enum json_kind k) {
  if (json_kind(at) == k && at->node)
    return true;
  json_error(at, "expected %s, found %s", kind_names[k],
             at->node ? kind_names[json_kind(at)] : "nothing");
  return false;
}

/* ---- members and elements ---- */

static void child(const struct json_at *at, const struct json_node *n, struct json_at *out) {
  *out = (struct json_at){.node = n, .parent = at, .doc = at->doc};
  if (n)
    out->key = n->key;
}

static const struct json_node *find_member(const struct json_at *at, const char *key) {
  for (const struct json_node *n = node_of(at)->child; n; n = n->next)
    if (str_eqz(n->key, key))
      return n;
  return NULL;
}

bool json_opt(const struct json_at *at, const char *key, struct json_at *out) {
  *out = (struct json_at){.parent = at, .key = str_from(key), .doc = at->doc};
  if (!want(at, JSON_OBJECT))
    return false;
  const struct json_node *n = find_member(at, key);
  out->node = n && n->kind != JSON_NULL ? n : NULL;
  return true;
}

bool json_get(const struct json_at *at, const char *key, struct json_at *out) {
  *out = (struct json_at){.parent = at, .key = str_from(key), .doc = at->doc};
  if (!want(at, JSON_OBJECT))
    return false;
  out->node = find_member(at, key);
  if (!out->node)
    json_error(at, "the member `%s` is missing", key);
  return out->node != NULL;
}

bool json_elem(const struct json_at *at, size_t i, struct json_at *out) {
  *out = (struct json_at){.parent = at, .index = i, .doc = at->doc};
  if (!want(at, JSON_ARRAY))
    return false;
  size_t k = 0;
  const struct json_node *n = node_of(at)->child;
  for (; n && k < i; k++)
    n = n->next;
  out->node = n;
  if (!n)
    json_error(at, "the array has %zu elements, element %zu is missing", k, i);
  return n != NULL;
}

bool json_len(const struct json_at *at, size_t *n) {
  *n = 0;
  if (!want(at, JSON_ARRAY))
    return false;
  for (const struct json_node *c = node_of(at)->child; c; c = c->next)
    (*n)++;
  return true;
}

bool json_first(const struct json_at *at, struct json_at *out) {
  const struct json_node *n = node_of(at);
  *out = (struct json_at){.parent = at, .doc = at->doc};
  if (!n || !n->child)
    return false;
  child(at, n->child, out);
  return true;
}

bool json_next(struct json_at *e) {
  const struct json_node *n = node_of(e)->next;
  if (!n)
    return false;
  e->node = n;
  e->key = n->key;
  e->index++;
  return true;
}

/* ---- values ---- */

/* The digits of a string or of a long number, for the exact readers; false: a double holds it. */
static bool digits_of(const struct json_node *n, str *out) {
  *out = n->text;
  return n->kind == JSON_STRING || n->text.n > 0;
}

static bool number_like(const struct json_at *at) {
  enum json_kind k = json_kind(at);
  if (at->node && (k == JSON_NUMBER || k == JSON_STRING))
    return true;
  json_error(at, "expected an integer, found %s", at->node ? kind_names[k] : "nothing");
  return false;
}

static bool integral(double d) {
  return d == floor(d) && fabs(d) <= DOUBLE_EXACT;
}

static bool bad_integer(const struct json_at *at, const char *range) {
  str s;
  if (digits_of(node_of(at), &s))
    json_error(at, "`%.*s` is not an integer %s", STR_ARG(str_sub(s, 0, 60)), range);
  else
    json_error(at, "%.17g is not an integer %s", node_of(at)->number, range);
  return false;
}

bool json_u128(const struct json_at *at, u128 *out) {
  str s;
  *out = 0;
  if (!number_like(at))
    return false;
  const struct json_node *n = node_of(at);
  if (digits_of(n, &s))
    return str_to_u128(s, out) || bad_integer(at, "from 0 to 2^128-1");
  if (n->number < 0 || !integral(n->number))
    return bad_integer(at, "from 0 to 2^128-1");
  *out = (u128)n->number;
  return true;
}

static bool u64_of(const struct json_node *n, uint64_t *out) {
  str s;
  if (digits_of(n, &s))
    return str_to_u64(s, out);
  if (n->number < 0 || !integral(n->number))
    return false;
  *out = (uint64_t)n->number;
  return true;
}

bool json_u64(const struct json_at *at, uint64_t max, uint64_t *out) {
  *out = 0;
  if (!number_like(at))
    return false;
  if (u64_of(node_of(at), out) && *out <= max)
    return true;
  *out = 0;
  struct strbuf range = {0};
  sb_addf(&range, "from 0 to %llu", (unsigned long long)max);
  bad_integer(at, sb_z(&range));
  sb_free(&range);
  return false;
}

bool json_u32(const struct json_at *at, uint32_t max, uint32_t *out) {
  uint64_t v;
  bool ok = json_u64(at, max, &v);
  *out = (uint32_t)v;
  return ok;
}

bool json_i64(const struct json_at *at, int64_t *out) {
  str s;
  uint64_t v;
  *out = 0;
  if (!number_like(at))
    return false;
  const struct json_node *n = node_of(at);
  if (!digits_of(n, &s)) {
    if (!integral(n->number))
      return bad_integer(at, "of 64 bits");
    *out = (int64_t)n->number;
    return true;
  }
  const bool minus = str_starts(s, STR("-"));
  if (!str_to_u64(minus ? str_drop(s, 1) : s, &v) || v > (uint64_t)INT64_MAX + minus)
    return bad_integer(at, "of 64 bits");
  *out = minus ? (int64_t)(0 - v) : (int64_t)v;
  return true;
}

bool json_bool(const struct json_at *at, bool *out) {
  *out = false;
  if (!want(at, JSON_BOOL))
    return false;
  *out = node_of(at)->truth;
  return true;
}

bool json_str(const struct json_at *at, str *out) {
  *out = STR_NULL;
  if (!want(at, JSON_STRING))
    return false;
  *out = node_of(at)->text;
  return true;
}

bool json_enum(const struct json_at *at, const char *const *names, unsigned *out) {
  str s;
  *out = 0;
  if (!json_str(at, &s))
    return false;
  for (unsigned i = 0; names[i]; i++)
    if (str_eqz(s, names[i])) {
      *out = i;
      return true;
    }
  struct diag *d = json_error(at, "unknown value `%.*s`", STR_ARG(str_sub(s, 0, 80)));
  json_help_names(d, "use one of", names);
  return false;
}

static bool is_known(str key, const char *const *keys) {
  for (size_t i = 0; keys[i]; i++)
    if (str_eqz(key, keys[i]))
      return true;
  return false;
}

/* A file of nothing but unknown members gets a few messages, not one for each. */
bool json_only(const struct json_at *at, const char *const *keys) {
  unsigned unknown = 0;
  struct json_at e;
  if (!want(at, JSON_OBJECT))
    return false;
  JSON_EACH(at, e) {
    if (is_known(e.key, keys))
      continue;
    struct diag *d = json_error(&e, "unknown member `%.*s`", STR_ARG(str_sub(e.key, 0, 80)));
    json_help_names(d, "members here are", keys);
    if (++unknown == MAX_UNKNOWN)
      break;
  }
  return unknown == 0;
}
