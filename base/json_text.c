/* Walking JSON text that the scan has accepted: places of errors, and the pull reader. */
#include "base/json_text.h"

#include <string.h>

#include "base/fatal.h"
#include "base/json_int.h"

#define SHOWN_MAX 160u /* bytes of a long line that a message shows */
#define SHOWN_BEFORE 70u
#define MAX_UNKNOWN 5u /* a file of nothing but unknown members gets a few messages, not one for each */

/* ---- skipping ---- */

static inline bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

size_t json_skip_space(str text, size_t p) {
  while (p < text.n && is_space(text.p[p]))
    p++;
  return p;
}

size_t json_skip_string(str text, size_t p) {
  for (p++; p < text.n && text.p[p] != '"'; p++)
    if (text.p[p] == '\\')
      p++;
  return p < text.n ? p + 1 : text.n;
}

/* Numbers and words. */
static inline bool in_scalar(char c) {
  return c != ',' && c != ':' && c != ']' && c != '}' && !is_space(c);
}

size_t json_skip_value(str text, size_t p) {
  size_t depth = 0;
  do {
    p = json_skip_space(text, p);
    if (p >= text.n)
      return text.n;
    char c = text.p[p];
    if (c == '"') {
      p = json_skip_string(text, p);
      continue;
    }
    p++;
    if (c == '[' || c == '{')
      depth++;
    else if (c == ']' || c == '}')
      depth -= depth > 0;
    else if (c != ',' && c != ':')
      while (p < text.n && in_scalar(text.p[p]))
        p++;
  } while (depth > 0);
  return p;
}

/* ---- strings ---- */

static uint32_t hex4(const char *p) {
  uint32_t v = 0;
  for (int i = 0; i < 4; i++) {
    unsigned c = (unsigned char)p[i];
    v = v * 16 + (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  return v;
}

static size_t put_utf8(char *out, uint32_t c) {
  if (c < 0x80) {
    out[0] = (char)c;
    return 1;
  }
  size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
  for (size_t i = n - 1; i > 0; i--, c >>= 6)
    out[i] = (char)(0x80 | (c & 0x3f));
  out[0] = (char)(lead[n] | c);
  return n;
}

/* One escape at text[*p] == '\\'. */
static size_t put_escape(str text, size_t *p, char *out) {
  char c = text.p[*p + 1];
  *p += 2;
  static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
  const char *hit = strchr(from, c);
  if (c != 'u') {
    *out = hit ? to[hit - from] : c;
    return 1;
  }
  uint32_t u = hex4(text.p + *p);
  *p += 4;
  if (u >= 0xd800 && u < 0xdc00) {
    u = 0x10000 + ((u - 0xd800) << 10) + (hex4(text.p + *p + 2) - 0xdc00);
    *p += 6;
  }
  return put_utf8(out, u);
}

str json_decode_string(str text, size_t p, struct arena *a) {
  size_t hi = json_skip_string(text, p) - 1;
  p++;
  const char *escape = hi > p ? memchr(text.p + p, '\\', hi - p) : NULL;
  if (!escape)
    return (str){text.p + p, hi - p};
  char *out = arena_alloc(a, hi - p + 1, 1); /* escapes only shrink */
  size_t n = 0;
  while (p < hi) {
    if (text.p[p] == '\\')
      n += put_escape(text, &p, out + n);
    else
      out[n++] = text.p[p++];
  }
  return (str){out, n};
}

/* ---- pointers ---- */

void json_pointer_key(struct strbuf *b, str key) {
  sb_addc(b, '/');
  for (size_t i = 0; i < key.n; i++) {
    if (key.p[i] == '~')
      sb_addz(b, "~0");
    else if (key.p[i] == '/')
      sb_addz(b, "~1");
    else
      sb_addc(b, key.p[i]);
  }
}

void json_pointer_index(struct strbuf *b, size_t i) {
  sb_addf(b, "/%zu", i);
}

static bool same_key(str text, size_t at, str step) {
  struct arena a = {0};
  struct strbuf b = {0};
  json_pointer_key(&b, json_decode_string(text, at, &a));
  bool same = str_eq(str_drop(sb_str(&b), 1), step);
  sb_free(&b);
  arena_free(&a);
  return same;
}

/* The value of one step below the container at p, or SIZE_MAX. */
static size_t locate_step(str text, size_t p, str step) {
  const bool object = text.p[p] == '{';
  uint64_t wanted = 0;
  if (!object && (text.p[p] != '[' || !str_to_u64(step, &wanted)))
    return SIZE_MAX;
  p = json_skip_space(text, p + 1);
  for (uint64_t i = 0; p < text.n && text.p[p] != ']' && text.p[p] != '}'; i++) {
    bool hit = !object && i == wanted;
    if (object) {
      hit = same_key(text, p, step);
      p = json_skip_space(text, json_skip_string(text, p));
      p = json_skip_space(text, p + 1);
    }
    if (hit)
      return p;
    p = json_skip_space(text, json_skip_value(text, p));
    if (p < text.n && text.p[p] == ',')
      p = json_skip_space(text, p + 1);
  }
  return SIZE_MAX;
}

size_t json_locate(str text, size_t from, str pointer) {
  size_t p = json_skip_space(text, from);
  while (pointer.n && p < text.n) {
    pointer = str_drop(pointer, 1);
    size_t end = str_find_char(pointer, '/', 0);
    if (end == SIZE_MAX)
      end = pointer.n;
    size_t next = locate_step(text, p, str_sub(pointer, 0, end));
    if (next == SIZE_MAX)
      return p;
    p = next;
    pointer = str_drop(pointer, end);
  }
  return p;
}

/* One level down on the way to `offset`; false when there is no item there. */
static bool pointer_step(str text, size_t *at, size_t offset, struct strbuf *out) {
  size_t p = *at;
  const bool object = text.p[p] == '{';
  if (!object && text.p[p] != '[')
    return false;
  p = json_skip_space(text, p + 1);
  for (size_t i = 0; p < text.n && p <= offset && text.p[p] != ']' && text.p[p] != '}'; i++) {
    size_t key = p;
    if (object)
      p = json_skip_space(text, json_skip_space(text, json_skip_string(text, p)) + 1);
    size_t end = json_skip_value(text, p);
    if (offset < end) {
      struct arena a = {0};
      if (object)
        json_pointer_key(out, json_decode_string(text, key, &a));
      else
        json_pointer_index(out, i);
      arena_free(&a);
      *at = p;
      return true;
    }
    p = json_skip_space(text, end);
    if (p < text.n && text.p[p] == ',')
      p = json_skip_space(text, p + 1);
  }
  return false;
}

void json_pointer_at(str text, size_t offset, struct strbuf *out) {
  size_t at = json_skip_space(text, 0);
  while (at < text.n && at < offset && pointer_step(text, &at, offset, out))
    ;
}

/* ---- errors ---- */

/* Characters of a range that may hold invalid bytes. */
static uint32_t count_chars(const char *p, size_t n) {
  uint32_t count = 0;
  for (size_t i = 0; i < n; i++)
    count += ((unsigned char)p[i] & 0xc0) != 0x80;
  return count;
}

/* Dumps may be one line of many megabytes: what is shown is cut around the place. */
static void show_place(struct diag *d, const struct json_text *t, size_t offset) {
  str text = t->text;
  if (offset > text.n)
    offset = text.n;
  size_t lo = offset, hi = offset;
  uint32_t line = 1;
  while (lo > 0 && text.p[lo - 1] != '\n')
    lo--;
  for (const char *p = text.p; p && (p = memchr(p, '\n', (size_t)(text.p + lo - p))); p++)
    line++;
  const char *nl = offset < text.n ? memchr(text.p + offset, '\n', text.n - offset) : NULL;
  hi = nl ? (size_t)(nl - text.p) : text.n;
  size_t start = lo;
  if (hi - lo > SHOWN_MAX) {
    diag_note(d, "the line has %zu bytes; a part of it is shown", hi - lo);
    if (offset - lo > SHOWN_BEFORE)
      start = offset - SHOWN_BEFORE;
    while (start > lo && ((unsigned char)text.p[start] & 0xc0) == 0x80)
      start--;
    if (hi - start > SHOWN_MAX)
      hi = start + SHOWN_MAX;
    while (hi > offset && hi < text.n && ((unsigned char)text.p[hi] & 0xc0) == 0x80)
      hi--;
  }
  diag_snippet(d, t->path, (str){text.p + start, hi - start}, line,
               count_chars(text.p + start, offset - start) + 1);
  d->snippet_cut = count_chars(text.p + lo, start - lo);
}

PRINTF_LIKE(5, 0)
static struct diag *error_v(const struct json_text *t, enum diag_code c, size_t offset, str pointer,
                            const char *fmt, va_list ap) {
  struct strbuf b = {0};
  if (pointer.n) {
    sb_add(&b, pointer);
    sb_addz(&b, ": ");
  }
  sb_vaddf(&b, fmt, ap);
  struct diag *d = diag_error(t->sink, c, SPAN_NONE, "%.*s", STR_ARG(sb_str(&b)));
  show_place(d, t, offset);
  sb_free(&b);
  return d;
}

struct diag *json_error_at(const struct json_text *t, enum diag_code c, size_t offset, str pointer,
                           const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  struct diag *d = error_v(t, c, offset, pointer, fmt, ap);
  va_end(ap);
  return d;
}

PRINTF_LIKE(4, 0)
static void fail_v(struct json_pull *j, const char *at, enum diag_code c, const char *fmt,
                   va_list ap) {
  size_t offset = (size_t)(at - j->t->text.p);
  struct strbuf where = {0};
  json_pointer_at(j->t->text, offset, &where);
  j->error = error_v(j->t, c, offset, sb_str(&where), fmt, ap);
  sb_free(&where);
}

bool jp_fail(struct json_pull *j, const char *at, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  fail_v(j, at, j->t->bad_shape, fmt, ap);
  va_end(ap);
  return false;
}

bool jp_fail_code(struct json_pull *j, const char *at, enum diag_code c, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  fail_v(j, at, c, fmt, ap);
  va_end(ap);
  return false;
}

/* ---- pull ---- */

void jp_init(struct json_pull *j, const struct json_text *t, struct json_slice slice,
             struct arena *a) {
  *j = (struct json_pull){t->text.p + slice.lo, t, a, NULL};
}

enum json_kind jp_kind(const struct json_pull *j) {
  switch (*j->p) {
  case '{':
    return JSON_OBJECT;
  case '[':
    return JSON_ARRAY;
  case '"':
    return JSON_STRING;
  case 't':
  case 'f':
    return JSON_BOOL;
  case 'n':
    return JSON_NULL;
  default:
    return JSON_NUMBER;
  }
}

static bool wanted(struct json_pull *j, const char *what) {
  static const char *const names[] = {"null",     "a boolean", "a number",
                                      "a string", "an array",  "an object"};
  return jp_fail(j, j->p, "expected %s, found %s", what, names[jp_kind(j)]);
}

bool jp_not_array(struct json_pull *j) {
  return wanted(j, "an array");
}

bool jp_object(struct json_pull *j) {
  if (*j->p != '{')
    return wanted(j, "an object");
  j->p++;
  jp_space(j);
  return true;
}

bool jp_member(struct json_pull *j, str *key) {
  if (!jp_more(j))
    return false;
  size_t at = (size_t)(j->p - j->t->text.p);
  *key = json_decode_string(j->t->text, at, j->a);
  j->p = j->t->text.p + json_skip_string(j->t->text, at);
  jp_space(j);
  j->p++; /* colon */
  jp_space(j);
  return true;
}

bool jp_no_item(struct json_pull *j) {
  return jp_fail(j, j->p - 1, "the array ends too early");
}

bool jp_close(struct json_pull *j) {
  if (!jp_more(j))
    return true;
  return jp_fail(j, j->p, "the array has too many elements");
}

/* The number at p as text; quotes around it are passed over. */
static bool number_text(struct json_pull *j, str *out) {
  const char *p = j->p;
  const bool quoted = *p == '"';
  if (!quoted && *p != '-' && !(*p >= '0' && *p <= '9'))
    return wanted(j, "an integer");
  const char *lo = quoted ? p + 1 : p;
  size_t end = quoted ? json_skip_string(j->t->text, (size_t)(p - j->t->text.p))
                      : json_skip_value(j->t->text, (size_t)(p - j->t->text.p));
  const char *hi = j->t->text.p + end - (quoted ? 1 : 0);
  *out = (str){lo, (size_t)(hi - lo)};
  j->p = j->t->text.p + end;
  return true;
}

static bool not_integer(struct json_pull *j, const char *at, str s, const char *max) {
  return jp_fail(j, at, "`%.*s` is not an integer from 0 to %s", STR_ARG(str_sub(s, 0, 60)), max);
}

bool jp_u64(struct json_pull *j, uint64_t *out) {
  uint32_t v;
  if (jp_short(j, &v)) {
    *out = v;
    return true;
  }
  const char *at = j->p;
  str s;
  if (!number_text(j, &s))
    return false;
  return str_to_u64(s, out) || not_integer(j, at, s, "2^64-1");
}

bool jp_long_u32(struct json_pull *j, uint32_t *out) {
  const char *at = j->p;
  str s;
  uint64_t v;
  if (!number_text(j, &s))
    return false;
  if (!str_to_u64(s, &v) || v > UINT32_MAX)
    return not_integer(j, at, s, "2^32-1");
  *out = (uint32_t)v;
  return true;
}

bool jp_u128(struct json_pull *j, u128 *out) {
  const char *at = j->p;
  str s;
  if (!number_text(j, &s))
    return false;
  return str_to_u128(s, out) || not_integer(j, at, s, "2^128-1");
}

bool jp_bool(struct json_pull *j, bool *out) {
  if (*j->p != 't' && *j->p != 'f')
    return wanted(j, "a boolean");
  *out = *j->p == 't';
  j->p += *out ? 4 : 5;
  return true;
}

bool jp_str(struct json_pull *j, str *out) {
  if (*j->p != '"')
    return wanted(j, "a string");
  const char *p = j->p + 1;
  while (*p != '"' && *p != '\\')
    p++;
  if (*p == '"') {
    *out = (str){j->p + 1, (size_t)(p - j->p - 1)};
    j->p = p + 1;
    return true;
  }
  size_t at = (size_t)(j->p - j->t->text.p);
  *out = json_decode_string(j->t->text, at, j->a);
  j->p = j->t->text.p + json_skip_string(j->t->text, at);
  return true;
}

bool jp_null(struct json_pull *j) {
  if (*j->p != 'n')
    return false;
  j->p += 4;
  return true;
}

void json_help_names(struct diag *d, const char *before, const char *const *names) {
  struct strbuf b = {0};
  for (size_t i = 0; names[i]; i++)
    sb_addf(&b, "%s`%s`", i ? ", " : "", names[i]);
  diag_help(d, "%s %s", before, sb_z(&b));
  sb_free(&b);
}

bool jp_enum(struct json_pull *j, const char *const *names, unsigned *out) {
  const char *at = j->p;
  str s;
  *out = 0;
  if (!jp_str(j, &s))
    return false;
  for (unsigned i = 0; names[i]; i++)
    if (str_is(s, names[i])) {
      *out = i;
      return true;
    }
  jp_fail(j, at, "unknown value `%.*s`", STR_ARG(str_sub(s, 0, 80)));
  json_help_names(j->error, "use one of", names);
  return false;
}

static bool unknown_member(struct json_pull *j, str key, const char *const *names) {
  jp_fail(j, j->p, "unknown member `%.*s`", STR_ARG(str_sub(key, 0, 80)));
  json_help_names(j->error, "members here are", names);
  return false;
}

bool jp_read_members(struct json_pull *j, const char *const *names, struct jp_members *out) {
  unsigned unknown = 0;
  str key;
  *out = (struct jp_members){.begin = j->p, .names = names};
  if (!jp_object(j))
    return false;
  while (jp_member(j, &key)) {
    size_t i = 0;
    while (names[i] && !str_is(key, names[i]))
      i++;
    ASSERT(i < JP_MAX_MEMBERS);
    if (names[i])
      out->at[i] = j->p;
    else if (unknown++ < MAX_UNKNOWN)
      unknown_member(j, key, names);
    jp_skip(j);
  }
  out->end = j->p;
  return unknown == 0;
}

const char *jp_find(const struct json_pull *j, const char *name) {
  struct json_pull k = *j;
  str key;
  if (jp_kind(j) != JSON_OBJECT || !jp_object(&k))
    return NULL;
  for (; jp_member(&k, &key); jp_skip(&k))
    if (str_is(key, name))
      return k.p;
  return NULL;
}

static const char *member_at(const struct jp_members *m, const char *name) {
  for (size_t i = 0; m->names[i]; i++)
    if (strcmp(m->names[i], name) == 0)
      return m->at[i];
  return NULL;
}

bool jp_get(struct json_pull *j, const struct jp_members *m, const char *name) {
  const char *at = member_at(m, name);
  if (!at)
    return jp_fail(j, m->begin, "the member `%s` is missing", name);
  j->p = at;
  return true;
}

bool jp_has(struct json_pull *j, const struct jp_members *m, const char *name) {
  const char *at = member_at(m, name);
  if (!at || *at == 'n')
    return false;
  j->p = at;
  return true;
}

bool jp_count(struct json_pull *j, size_t *n) {
  struct json_pull k = *j;
  *n = 0;
  if (!jp_array(&k)) {
    j->error = k.error;
    return false;
  }
  for (; jp_more(&k); jp_skip(&k))
    (*n)++;
  return true;
}

void jp_skip(struct json_pull *j) {
  j->p = j->t->text.p + json_skip_value(j->t->text, (size_t)(j->p - j->t->text.p));
}
