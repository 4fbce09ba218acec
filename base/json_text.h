/* JSON read straight from its text, without a tree, for the hot shapes of big documents. All of it
 * needs text that json_scan has accepted: shapes are checked here, grammar is not. */
#ifndef MIRDC_BASE_JSON_TEXT_H
#define MIRDC_BASE_JSON_TEXT_H

#include "base/json.h"

/* An error at a byte of the text: "<pointer>: <message>" with line and caret. */
struct diag *json_error_at(const struct json_text *t, enum diag_code c, size_t offset, str pointer,
                           const char *fmt, ...) PRINTF_LIKE(5, 6);
/* The byte where the value named by a JSON pointer begins, seen from the value at `from`. A part
 * that does not exist ends the walk at the last value that does. */
size_t json_locate(str text, size_t from, str pointer);
/* Where the value at `at` ends. */
size_t json_skip_value(str text, size_t at);
/* The JSON pointer of the innermost value that begins at or before `offset`. */
void json_pointer_at(str text, size_t offset, struct strbuf *out);

enum { JP_MAX_MEMBERS = 12 };

/* A position in the text. Arrays and objects are walked like this:
 *
 *   if (!jp_array(p)) return false;
 *   while (jp_more(p)) if (!read_element(p)) return false;
 *
 * or, for arrays of a fixed form, with jp_item before each element and jp_close at the end. */
struct json_pull {
  const char *p;
  const struct json_text *t;
  struct arena *a;    /* decoded strings */
  struct diag *error; /* what jp_fail reported last */
};
void jp_init(struct json_pull *j, const struct json_text *t, struct json_slice slice,
             struct arena *a);
/* A shape error at the byte `at`. Returns false. */
bool jp_fail(struct json_pull *j, const char *at, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* The same with another code. */
bool jp_fail_code(struct json_pull *j, const char *at, enum diag_code c, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
bool jp_object(struct json_pull *j) MUST_CHECK;
/* The name of the next member, with the position at its value; false: end of the object. */
bool jp_member(struct json_pull *j, str *key) MUST_CHECK;
bool jp_close(struct json_pull *j) MUST_CHECK; /* there must be no more item */
bool jp_u64(struct json_pull *j, uint64_t *out) MUST_CHECK;
bool jp_u128(struct json_pull *j, u128 *out) MUST_CHECK;
bool jp_bool(struct json_pull *j, bool *out) MUST_CHECK;
/* A view of the text, or in the arena when the string has escapes. */
bool jp_str(struct json_pull *j, str *out) MUST_CHECK;
/* Index in a NULL-terminated table of names; an unknown name is reported with the choices. */
bool jp_enum(struct json_pull *j, const char *const *names, unsigned *out) MUST_CHECK;
/* The members of an object, for shapes that are read in another order than they are written in. */
struct jp_members {
  const char *begin, *end;         /* of the object */
  const char *const *names;        /* NULL-terminated */
  const char *at[JP_MAX_MEMBERS];  /* where the value of each begins; NULL: it is not there */
};
/* Passes over an object. Members that are not among the names are reported. */
bool jp_read_members(struct json_pull *j, const char *const *names,
                     struct jp_members *out) MUST_CHECK;
/* Moves to the value of one of the names; a missing one is reported. */
bool jp_get(struct json_pull *j, const struct jp_members *m, const char *name) MUST_CHECK;
/* Moves to it if it is there and not null. */
bool jp_has(struct json_pull *j, const struct jp_members *m, const char *name) MUST_CHECK;
/* Moves behind the object. Always true. */
static inline bool jp_leave(struct json_pull *j, const struct jp_members *m) {
  j->p = m->end;
  return true;
}
/* Where the value of a member begins, of the object here; NULL: it is not there, or here is no object. */
const char *jp_find(const struct json_pull *j, const char *name);
/* The number of elements of the array that begins here; the position stays. */
bool jp_count(struct json_pull *j, size_t *n) MUST_CHECK;
/* Takes a null if one is there. */
bool jp_null(struct json_pull *j);
enum json_kind jp_kind(const struct json_pull *j);
void jp_skip(struct json_pull *j);

/* The rest is what every token passes through. */
bool jp_not_array(struct json_pull *j);
bool jp_no_item(struct json_pull *j);
bool jp_long_u32(struct json_pull *j, uint32_t *out);

static inline void jp_space(struct json_pull *j) {
  while (*j->p == ' ' || *j->p == '\n' || *j->p == '\r' || *j->p == '\t')
    j->p++;
}

MUST_CHECK static inline bool jp_array(struct json_pull *j) {
  if (*j->p != '[')
    return jp_not_array(j);
  j->p++;
  jp_space(j);
  return true;
}

/* One more item? False: it was the end, which is now passed. */
MUST_CHECK static inline bool jp_more(struct json_pull *j) {
  jp_space(j);
  char c = *j->p;
  if (c == ']' || c == '}') {
    j->p++;
    return false;
  }
  if (c == ',') {
    j->p++;
    jp_space(j);
  }
  return true;
}

/* There must be one more item. */
MUST_CHECK static inline bool jp_item(struct json_pull *j) {
  return jp_more(j) || jp_no_item(j);
}

/* Up to nine plain digits, the usual case. */
MUST_CHECK static inline bool jp_short(struct json_pull *j, uint32_t *out) {
  const char *p = j->p;
  uint32_t v = 0;
  while (*p >= '0' && *p <= '9' && p - j->p < 9)
    v = v * 10 + (uint32_t)(*p++ - '0');
  if (p == j->p || !(*p == ',' || *p == ']' || *p == '}'))
    return false;
  j->p = p;
  *out = v;
  return true;
}

MUST_CHECK static inline bool jp_u32(struct json_pull *j, uint32_t *out) {
  return jp_short(j, out) || jp_long_u32(j, out);
}

#endif
