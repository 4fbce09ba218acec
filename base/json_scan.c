/* The structural scan: checks grammar, UTF-8, nesting and doubled keys in one pass over the text,
 * and cuts the top level into slices. No tree is built, and nothing is allocated for a value that
 * is not an object. */
#include "base/json_int.h"

#include <string.h>

#include "base/json_text.h"
#include "base/map.h"
#include "base/vec.h"

/* Objects up to this many members are checked for doubled keys by comparing pairs. */
#define FEW_KEYS 12u

struct level {
  bool object;
  size_t first_key; /* in scan.keys */
  struct map *many; /* used from FEW_KEYS members on */
};

struct scan {
  const struct json_text *t;
  const char *s;
  size_t n;
  struct arena keys_arena; /* decoded keys, maps */
  VEC(str) keys;
  struct level levels[JSON_MAX_DEPTH + 1];
  unsigned depth;
};

#define NO_POS SIZE_MAX

static size_t fail(const struct scan *s, size_t at, const char *what) {
  json_error_at(s->t, s->t->bad_syntax, at, STR_NULL, "%s", what);
  return NO_POS;
}

static inline bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static inline size_t skip_space(const struct scan *s, size_t p) {
  while (p < s->n && is_space(s->s[p]))
    p++;
  return p;
}

/* ---- strings ---- */

/* Four hex digits at p, or -1. */
static int32_t hex4(const char *s, size_t n, size_t p) {
  int32_t v = 0;
  if (n - p < 4 || p > n)
    return -1;
  for (size_t i = 0; i < 4; i++) {
    int d = hex_digit(s[p + i]);
    if (d < 0)
      return -1;
    v = v * 16 + d;
  }
  return v;
}

/* p is after the `\u`. */
static size_t scan_unicode(const struct scan *s, size_t p) {
  int32_t c = hex4(s->s, s->n, p);
  if (c < 0)
    return fail(s, p, "`\\u` needs four hex digits");
  if (c == 0)
    return fail(s, p, "the character `\\u0000` is not allowed");
  if (c >= 0xdc00 && c <= 0xdfff)
    return fail(s, p, "half of a surrogate pair stands alone");
  p += 4;
  if (c < 0xd800 || c > 0xdbff)
    return p;
  int32_t low =
      s->n - p >= 6 && s->s[p] == '\\' && s->s[p + 1] == 'u' ? hex4(s->s, s->n, p + 2) : -1;
  if (low < 0xdc00 || low > 0xdfff)
    return fail(s, p, "half of a surrogate pair stands alone");
  return p + 6;
}

static size_t scan_escape(const struct scan *s, size_t p) {
  if (p + 1 >= s->n)
    return fail(s, s->n, "the text ends inside a string");
  char c = s->s[p + 1];
  if (c == 'u')
    return scan_unicode(s, p + 2);
  if (c == '\0' || !strchr("\"\\/bfnrt", c))
    return fail(s, p, "unknown escape in a string");
  return p + 2;
}

#define ONES 0x0101010101010101u
#define HIGH 0x8080808080808080u

/* Non-zero if one of the eight bytes ends a plain run: quote, backslash or control character. */
static inline uint64_t stops(uint64_t w) {
  uint64_t q = w ^ (ONES * '"'), b = w ^ (ONES * '\\');
  return ((q - ONES) & ~q & HIGH) | ((b - ONES) & ~b & HIGH) | ((w - ONES * 0x20) & ~w & HIGH);
}

/* p is after the opening quote; the result is after the closing one. */
static size_t scan_string(const struct scan *s, size_t p) {
  size_t lo = p;
  uint64_t high = 0;
  for (;;) {
    while (s->n - p >= 8) {
      uint64_t w;
      memcpy(&w, s->s + p, 8);
      uint64_t stop = stops(w);
      if (stop) { /* only the lowest bit is exact */
        unsigned k = (unsigned)__builtin_ctzll(stop) / 8;
        high |= k ? w << (64 - 8 * k) : 0;
        p += k;
        break;
      }
      high |= w;
      p += 8;
    }
    if (p >= s->n)
      return fail(s, p, "the text ends inside a string");
    unsigned char c = (unsigned char)s->s[p];
    if (c == '"')
      break;
    if (c < 0x20)
      return fail(s, p, "control character in a string");
    high |= c;
    p = c == '\\' ? scan_escape(s, p) : p + 1;
    if (p == NO_POS)
      return p;
  }
  size_t bad;
  if ((high & HIGH) && !utf8_valid((str){s->s + lo, p - lo}, &bad))
    return fail(s, lo + bad, "invalid UTF-8");
  return p + 1;
}

/* ---- numbers and words ---- */

static size_t scan_digits(const struct scan *s, size_t p) {
  size_t lo = p;
  while (p < s->n && is_digit(s->s[p]))
    p++;
  return p == lo ? fail(s, p, "a digit is missing") : p;
}

static size_t scan_number(const struct scan *s, size_t p) {
  size_t lo = p;
  if (s->s[p] == '-')
    p++;
  size_t digits = p;
  p = scan_digits(s, p);
  if (p == NO_POS)
    return p;
  if (s->s[digits] == '0' && p - digits > 1)
    return fail(s, lo, "a number must not begin with 0");
  if (p < s->n && s->s[p] == '.' && (p = scan_digits(s, p + 1)) == NO_POS)
    return p;
  if (p < s->n && (s->s[p] == 'e' || s->s[p] == 'E')) {
    p++;
    if (p < s->n && (s->s[p] == '+' || s->s[p] == '-'))
      p++;
    p = scan_digits(s, p);
  }
  return p;
}

static size_t scan_word(const struct scan *s, size_t p, str word) {
  if (s->n - p < word.n || memcmp(s->s + p, word.p, word.n) != 0)
    return fail(s, p, "expected a value");
  return p + word.n;
}

static size_t scan_scalar(const struct scan *s, size_t p) {
  if (p >= s->n)
    return fail(s, p, s->n == 0 ? "the file is empty" : "the text ends where a value is expected");
  switch (s->s[p]) {
  case '"':
    return scan_string(s, p + 1);
  case 't':
    return scan_word(s, p, STR("true"));
  case 'f':
    return scan_word(s, p, STR("false"));
  case 'n':
    return scan_word(s, p, STR("null"));
  default:
    if (s->s[p] == '-' || is_digit(s->s[p]))
      return scan_number(s, p);
    if ((unsigned char)s->s[p] >= 0x80) {
      size_t bad;
      str rest = str_sub((str){s->s + p, s->n - p}, 0, 4);
      if (!utf8_valid(rest, &bad) && bad == 0)
        return fail(s, p, "invalid UTF-8");
    }
    return fail(s, p, "expected a value");
  }
}

/* ---- keys ---- */

static void many_keys_begin(struct scan *s, struct level *l) {
  l->many = arena_new(&s->keys_arena, struct map);
  for (size_t i = l->first_key; i < s->keys.n; i++)
    *map_put(l->many, s->keys.p[i], NULL) = 1;
}

/* Remembers the key whose opening quote is at `at`; false after reporting that it is doubled. */
static bool key_add(struct scan *s, size_t at, size_t end) {
  struct level *l = &s->levels[s->depth];
  str raw = {s->s + at + 1, end - at - 2};
  if (raw.n && memchr(raw.p, '\\', raw.n))
    raw = json_decode_string(s->t->text, at, &s->keys_arena);
  bool fresh = true;
  if (l->many) {
    *map_put(l->many, raw, &fresh) = 1;
  } else {
    for (size_t i = l->first_key; i < s->keys.n && fresh; i++)
      fresh = !str_eq(s->keys.p[i], raw);
    vec_push(NULL, &s->keys, raw);
    if (s->keys.n - l->first_key > FEW_KEYS)
      many_keys_begin(s, l);
  }
  if (!fresh)
    json_error_at(s->t, s->t->bad_syntax, at, STR_NULL, "member `%.*s` is given twice",
                  STR_ARG(str_sub(raw, 0, 80)));
  return fresh;
}

/* Key and colon; the result is where the value begins. *at gets the opening quote. */
static size_t scan_key(struct scan *s, size_t p, size_t *at) {
  p = skip_space(s, p);
  if (p >= s->n)
    return fail(s, p, "the text ends inside an object");
  if (s->s[p] != '"')
    return fail(s, p, "expected the name of a member");
  *at = p;
  size_t end = scan_string(s, p + 1);
  if (end == NO_POS || !key_add(s, p, end))
    return NO_POS;
  p = skip_space(s, end);
  if (p >= s->n || s->s[p] != ':')
    return fail(s, p, "expected `:` after the name of a member");
  return skip_space(s, p + 1);
}

/* ---- nesting ---- */

static size_t push(struct scan *s, size_t p) {
  if (s->depth == JSON_MAX_DEPTH)
    return fail(s, p, "nesting is deeper than 128");
  struct level *l = &s->levels[++s->depth];
  l->object = s->s[p] == '{';
  l->first_key = s->keys.n;
  l->many = NULL;
  return skip_space(s, p + 1);
}

static void pop(struct scan *s) {
  struct level *l = &s->levels[s->depth--];
  if (l->many)
    map_free(l->many);
  s->keys.n = l->first_key;
}

/* After a value in an array or object: the comma (result: where the next item begins) or the end
 * (*closed). */
static inline size_t after_item(const struct scan *s, size_t p, bool *closed) {
  const bool object = s->levels[s->depth].object;
  p = skip_space(s, p);
  if (p >= s->n)
    return fail(s, p, object ? "the text ends inside an object" : "the text ends inside an array");
  *closed = s->s[p] == (object ? '}' : ']');
  if (*closed)
    return p + 1;
  if (s->s[p] != ',')
    return fail(s, p, object ? "expected `,` or `}`" : "expected `,` or `]`");
  return skip_space(s, p + 1);
}

/* Closes as many levels as end here, down to `base`; then the position of the next value. */
static size_t to_next_value(struct scan *s, size_t p, unsigned base) {
  while (s->depth > base) {
    bool closed;
    p = after_item(s, p, &closed);
    if (p == NO_POS)
      return p;
    if (closed) {
      pop(s);
      continue;
    }
    size_t at;
    return s->levels[s->depth].object ? scan_key(s, p, &at) : p;
  }
  return p;
}

/* `[12,3,40]`, which is most of a dump: the result is after it. Of anything else, faults included, it
 * is 0, and the way for all values looks again. */
static inline size_t scan_numbers(const struct scan *s, size_t p) {
  const char *const t = s->s, *const end = t + s->n, *at = t + p + 1;
  for (; at < end; at++) {
    const char *const lo = at;
    while (at < end && is_digit(*at))
      at++;
    if (at == lo || at == end || (*lo == '0' && at - lo > 1))
      return 0;
    if (*at == ']')
      return (size_t)(at + 1 - t);
    if (*at != ',')
      return 0;
  }
  return 0;
}

/* A short string of plain characters: the result is after it, or 0. p is at the opening quote. */
static inline size_t scan_word_string(const struct scan *s, size_t p) {
  uint64_t w;
  if (s->n - p < 9)
    return 0;
  memcpy(&w, s->s + p + 1, 8);
  const uint64_t stop = stops(w) | (w & HIGH);
  const size_t at = p + 1 + (stop ? (size_t)__builtin_ctzll(stop) / 8 : 8);
  return stop && s->s[at] == '"' ? at + 1 : 0;
}

/* A number of digits alone, with a comma or bracket behind it: the result is there, or 0. */
static inline size_t scan_plain_number(const struct scan *s, size_t p) {
  const char *const t = s->s, *const end = t + s->n, *at = t + p;
  while (at < end && is_digit(*at))
    at++;
  const bool plain = at < end && (*at == ',' || *at == ']') && (t[p] != '0' || at == t + p + 1);
  return plain ? (size_t)(at - t) : 0;
}

/* The value at p, without what is inside of it: *inside is set when it is an array or an object with
 * something in it, and the result is where that begins. */
static inline size_t scan_opening(struct scan *s, size_t p, bool *inside) {
  *inside = false;
  const char c = p < s->n ? s->s[p] : 0;
  if (c == '[' || c == '{') {
    size_t quick = c == '[' && s->depth < JSON_MAX_DEPTH ? scan_numbers(s, p) : 0;
    if (quick)
      return quick;
    p = push(s, p);
    *inside = p != NO_POS && !(p < s->n && s->s[p] == (c == '[' ? ']' : '}'));
    if (p == NO_POS || *inside) {
      size_t at;
      return p != NO_POS && c == '{' ? scan_key(s, p, &at) : p;
    }
    pop(s);
    return p + 1;
  }
  size_t quick = c == '"' ? scan_word_string(s, p) : is_digit(c) ? scan_plain_number(s, p) : 0;
  return quick ? quick : scan_scalar(s, p);
}

/* What mostly follows a value in an array: brackets that close arrays, then a comma and the next value. The
 * rest is for to_next_value. *next is set if there is a next value, at the result. */
static inline size_t pass_brackets(struct scan *s, size_t p, unsigned base, bool *next) {
  *next = false;
  while (p + 1 < s->n && s->depth > base && !s->levels[s->depth].object) {
    const char c = s->s[p];
    if (c == ',') {
      *next = true;
      return is_space(s->s[p + 1]) ? skip_space(s, p + 1) : p + 1;
    }
    if (c != ']')
      return p;
    s->depth--; /* an array has no keys to forget */
    p++;
  }
  return p;
}

/* Checks one value of any depth; the result is where it ends. */
static size_t scan_value(struct scan *s, size_t p) {
  const unsigned base = s->depth;
  for (;;) {
    bool more;
    p = scan_opening(s, p, &more);
    if (p == NO_POS)
      return p;
    if (more)
      continue;
    p = pass_brackets(s, p, base, &more);
    if (more)
      continue;
    p = to_next_value(s, p, base);
    if (p == NO_POS || s->depth == base)
      return p;
  }
}

/* ---- the outline ---- */

typedef VEC(struct json_slice) slice_vec;

static bool is_split(str key, const char *const *split) {
  for (; split && *split; split++)
    if (str_eqz(key, *split))
      return true;
  return false;
}

/* An array whose elements are counted and, with `out`, cut apart. */
static size_t scan_elements(struct scan *s, size_t p, slice_vec *out, size_t *n) {
  *n = 0;
  p = push(s, p);
  if (p == NO_POS)
    return p;
  bool closed = p < s->n && s->s[p] == ']';
  if (closed)
    p++;
  while (!closed) {
    struct json_slice e = {p, 0};
    e.hi = scan_value(s, p);
    if (e.hi == NO_POS)
      return NO_POS;
    if (out)
      vec_push(NULL, out, e);
    ++*n;
    p = after_item(s, e.hi, &closed);
    if (p == NO_POS)
      return p;
  }
  pop(s);
  return p;
}

static size_t scan_member(struct scan *s, size_t p, struct arena *a, const char *const *split,
                          struct json_member *m) {
  size_t at;
  p = scan_key(s, p, &at);
  if (p == NO_POS)
    return p;
  m->key = arena_str(a, json_decode_string(s->t->text, at, a));
  m->value.lo = p;
  if (p < s->n && s->s[p] == '[') {
    slice_vec elems = {0};
    const bool cut = is_split(m->key, split);
    p = scan_elements(s, p, cut ? &elems : NULL, &m->n_elems);
    m->elems = cut ? arena_array(a, struct json_slice, elems.n) : NULL;
    if (elems.n)
      memcpy(m->elems, elems.p, elems.n * sizeof *elems.p);
    vec_free(&elems);
  } else {
    p = scan_value(s, p);
  }
  m->value.hi = p;
  return p;
}

static size_t scan_outline(struct scan *s, struct arena *a, const char *const *split,
                           struct json_outline *out) {
  size_t p = skip_space(s, 0);
  VEC(struct json_member) members = {0};
  if (p < s->n && s->s[p] != '{') {
    p = scan_value(s, p); /* a fault of grammar comes before one of shape */
    if (p != NO_POS)
      json_error_at(s->t, s->t->bad_shape, 0, STR_NULL, "the top level must be an object");
    return NO_POS;
  }
  p = p < s->n ? push(s, p)
               : fail(s, p, s->n ? "the file holds only white space" : "the file is empty");
  bool closed = p < s->n && s->s[p] == '}';
  if (closed)
    p++;
  while (p != NO_POS && !closed) {
    p = scan_member(s, p, a, split, vec_add(a, &members));
    if (p != NO_POS)
      p = after_item(s, p, &closed);
  }
  out->members = members.p;
  out->n = members.n;
  return p;
}

static bool scan_end(struct scan *s, size_t p) {
  if (p != NO_POS) {
    p = skip_space(s, p);
    if (p < s->n)
      p = fail(s, p, "there is more text after the end of the document");
  }
  while (s->depth > 0)
    pop(s);
  vec_free(&s->keys);
  arena_free(&s->keys_arena);
  return p != NO_POS;
}

bool json_scan(const struct json_text *t, struct arena *a, const char *const *split,
               struct json_outline *out) {
  struct scan s = {.t = t, .s = t->text.p, .n = t->text.n};
  *out = (struct json_outline){0};
  return scan_end(&s, scan_outline(&s, a, split, out));
}

bool json_scan_whole(const struct json_text *t) {
  struct scan s = {.t = t, .s = t->text.p, .n = t->text.n};
  size_t p = skip_space(&s, 0);
  if (p >= s.n && s.n > 0)
    p = fail(&s, p, "the file holds only white space");
  else
    p = scan_value(&s, p);
  return scan_end(&s, p);
}

const struct json_member *json_member(const struct json_outline *o, str key) {
  for (size_t i = 0; i < o->n; i++)
    if (str_eq(o->members[i].key, key))
      return &o->members[i];
  return NULL;
}
