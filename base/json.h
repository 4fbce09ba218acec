/* A cursor over JSON text.
 *
 * json_scan checks the text once, without building a tree: UTF-8, nesting (at most 128), strings,
 * numbers, and finds the byte range of chosen members so that a big document can be parsed slice
 * by slice into an arena that is rewound after each. Integers with more than 15 digits keep every
 * digit (they are read as text). Doubled keys are refused. */
#ifndef MIRDC_BASE_JSON_H
#define MIRDC_BASE_JSON_H

#include "base/arena.h"
#include "base/diag.h"

struct json_doc; /* a parsed document or slice */
struct json_text {
  str text;          /* borrowed, whole file */
  str path;          /* shown in messages */
  struct diag_sink *sink;
  enum diag_code bad_syntax, bad_shape; /* codes for the two kinds of error */
};

/* A cursor: a node and the way to it. Lives on the stack; the parent must outlive it. */
struct json_at {
  const void *node;              /* struct json_node; NULL: missing */
  const struct json_at *parent;
  str key;                       /* member name, or empty for an element */
  size_t index;                  /* element number */
  struct json_doc *doc;
};

/* A member of the top-level object, or an element of one of its arrays, as a byte range. */
struct json_slice {
  size_t lo, hi; /* offsets in json_text.text */
};

/* The top level is an object: gives each member's key and range, in order. Arrays named in
 * `split` (NULL-terminated) are also cut into one slice per element. */
struct json_member {
  str key;
  struct json_slice value;
  struct json_slice *elems; /* when split */
  size_t n_elems;           /* of an array */
};
struct json_outline {
  struct json_member *members;
  size_t n;
};
bool json_scan(const struct json_text *t, struct arena *a, const char *const *split,
               struct json_outline *out) MUST_CHECK;
const struct json_member *json_member(const struct json_outline *o, str key);

/* Parses a slice (or everything) into the arena; the tree lives until the arena is rewound.
 * `where` is the JSON pointer of the slice ("" for the whole), used in messages. */
bool json_parse(const struct json_text *t, struct json_slice slice, struct arena *a, str where,
                struct json_doc **out) MUST_CHECK;
bool json_parse_all(const struct json_text *t, struct arena *a, struct json_doc **out) MUST_CHECK;
struct json_at json_root(struct json_doc *d);

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };
enum json_kind json_kind(const struct json_at *at);

/* Each reports for itself on a wrong shape and returns false. */
bool json_get(const struct json_at *at, const char *key, struct json_at *out) MUST_CHECK;
/* Absent (or null): true, with out->node == NULL. */
bool json_opt(const struct json_at *at, const char *key, struct json_at *out) MUST_CHECK;
bool json_elem(const struct json_at *at, size_t i, struct json_at *out) MUST_CHECK;
bool json_len(const struct json_at *at, size_t *n) MUST_CHECK; /* arrays */
/* Numbers, and "0x…" or decimal strings. */
bool json_u64(const struct json_at *at, uint64_t max, uint64_t *out) MUST_CHECK;
bool json_u32(const struct json_at *at, uint32_t max, uint32_t *out) MUST_CHECK;
bool json_i64(const struct json_at *at, int64_t *out) MUST_CHECK;
bool json_u128(const struct json_at *at, u128 *out) MUST_CHECK;
bool json_bool(const struct json_at *at, bool *out) MUST_CHECK;
bool json_str(const struct json_at *at, str *out) MUST_CHECK; /* lives as long as the tree */
/* Index in a NULL-terminated table of names; an unknown name is reported with the choices. */
bool json_enum(const struct json_at *at, const char *const *names, unsigned *out) MUST_CHECK;
/* Reports members of an object that are not in the NULL-terminated list. */
bool json_only(const struct json_at *at, const char *const *keys) MUST_CHECK;

/* Walking: struct json_at e; JSON_EACH(&arr, e) { … }   For objects e.key is the member's name. */
bool json_first(const struct json_at *at, struct json_at *out);
bool json_next(struct json_at *e);
#define JSON_EACH(at, e) for (bool more_ = json_first((at), &(e)); more_; more_ = json_next(&(e)))

/* A shape error at the cursor: "<pointer>: <message>", with the line and a caret. */
struct diag *json_error(const struct json_at *at, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The same with another code. */
struct diag *json_error_code(const struct json_at *at, enum diag_code c, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

#endif
