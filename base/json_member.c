/* Members of a JSON object by name. */
#include "base/json_member.h"

bool json_get_str(const struct json_at *o, const char *key, struct arena *a, str *out) {
  struct json_at v;
  str text;
  if (!json_get(o, key, &v) || !json_str(&v, &text))
    return false;
  *out = arena_str(a, text);
  return true;
}

bool json_get_u64(const struct json_at *o, const char *key, uint64_t max, uint64_t *out) {
  struct json_at v;
  return json_get(o, key, &v) && json_u64(&v, max, out);
}

bool json_get_u32(const struct json_at *o, const char *key, uint32_t max, uint32_t *out) {
  struct json_at v;
  return json_get(o, key, &v) && json_u32(&v, max, out);
}

bool json_get_bool(const struct json_at *o, const char *key, bool *out) {
  struct json_at v;
  return json_get(o, key, &v) && json_bool(&v, out);
}

bool json_get_enum(const struct json_at *o, const char *key, const char *const *names,
                   unsigned *out) {
  struct json_at v;
  return json_get(o, key, &v) && json_enum(&v, names, out);
}

bool json_get_digest(const struct json_at *o, const char *key, struct digest *out) {
  struct json_at v;
  str hex;
  if (!json_get(o, key, &v) || !json_str(&v, &hex))
    return false;
  if (digest_from_hex(hex, out))
    return true;
  json_error(&v, "expected a SHA-256 digest of 64 hexadecimal digits");
  return false;
}

bool json_get_list(const struct json_at *o, const char *key, struct arena *a, size_t size,
                   json_element_fn *one, void *context, void **list, size_t *n) {
  struct json_at arr, e;
  if (!json_get(o, key, &arr) || !json_len(&arr, n))
    return false;
  char *items = arena_alloc_n(a, *n + 1, size, 16);
  *list = items;
  size_t i = 0;
  JSON_EACH(&arr, e) {
    if (!one(context, &e, items + i++ * size))
      return false;
  }
  return true;
}
