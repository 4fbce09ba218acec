/* Members of a JSON object by name, in one call each. All report for themselves. */
#ifndef MIRDC_BASE_JSON_MEMBER_H
#define MIRDC_BASE_JSON_MEMBER_H

#include "base/hash.h"
#include "base/json.h"

/* The text is copied into the arena. */
bool json_get_str(const struct json_at *o, const char *key, struct arena *a, str *out) MUST_CHECK;
bool json_get_u64(const struct json_at *o, const char *key, uint64_t max, uint64_t *out) MUST_CHECK;
bool json_get_u32(const struct json_at *o, const char *key, uint32_t max, uint32_t *out) MUST_CHECK;
bool json_get_bool(const struct json_at *o, const char *key, bool *out) MUST_CHECK;
bool json_get_enum(const struct json_at *o, const char *key, const char *const *names,
                   unsigned *out) MUST_CHECK;
/* 64 hexadecimal digits. */
bool json_get_digest(const struct json_at *o, const char *key, struct digest *out) MUST_CHECK;

/* Reads one element into `out`, which is zeroed; the elements before it lie in front of it. */
typedef bool json_element_fn(void *context, const struct json_at *at, void *out);
/* An array of elements of `size` bytes, in the arena. */
bool json_get_list(const struct json_at *o, const char *key, struct arena *a, size_t size,
                   json_element_fn *one, void *context, void **list, size_t *n) MUST_CHECK;

#endif
