/* Literals, patterns and files to bytes, and bytes to text. */
#include "driver/emulate_value.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"

__extension__ typedef __int128 i128;

#define MOST_BYTES (UINT64_C(32) << 30)

static const struct value_type types[] = {
    {"bool", 1, VALUE_BOOL},      {"char", 4, VALUE_CHAR},      {"u8", 1, VALUE_UNSIGNED},
    {"u16", 2, VALUE_UNSIGNED},   {"u32", 4, VALUE_UNSIGNED},   {"u64", 8, VALUE_UNSIGNED},
    {"u128", 16, VALUE_UNSIGNED}, {"usize", 8, VALUE_UNSIGNED}, {"i8", 1, VALUE_SIGNED},
    {"i16", 2, VALUE_SIGNED},     {"i32", 4, VALUE_SIGNED},     {"i64", 8, VALUE_SIGNED},
    {"i128", 16, VALUE_SIGNED},   {"isize", 8, VALUE_SIGNED},   {"f32", 4, VALUE_FLOAT},
    {"f64", 8, VALUE_FLOAT}};

const struct value_type *value_type_find(str name) {
  for (size_t i = 0; i < COUNT_OF(types); i++)
    if (str_eqz(name, types[i].name))
      return &types[i];
  return NULL;
}

/* ---- one literal ---- */
static bool parse_integer(const struct value_type *t, str text, u128 *out) {
  bool minus = text.n > 0 && text.p[0] == '-';
  u128 n, half = (u128)1 << (t->size * 8 - 1);
  if (minus && t->kind != VALUE_SIGNED)
    return false;
  if (!str_to_u128(str_drop(text, minus), &n))
    return false;
  if (t->kind == VALUE_SIGNED ? n > half - !minus : t->size < 16 && n >> (t->size * 8) != 0)
    return false;
  *out = minus ? -n : n;
  return true;
}

static bool parse_float(str text, double *out) {
  char word[128];
  char *end;
  if (text.n == 0 || text.n >= sizeof word || isspace((unsigned char)text.p[0]))
    return false;
  memcpy(word, text.p, text.n);
  word[text.n] = 0;
  *out = strtod(word, &end);
  return *end == 0;
}

/* Once, from the text: by way of a double it would be rounded twice. */
static bool parse_f32(str text, float *out) {
  char word[128];
  double unused;
  if (!parse_float(text, &unused))
    return false;
  memcpy(word, text.p, text.n);
  word[text.n] = 0;
  *out = strtof(word, NULL);
  return true;
}

static bool parse_char(str text, uint32_t *out) {
  uint64_t n;
  if (text.n == 3 && text.p[0] == '\'' && text.p[2] == '\'') {
    *out = (uint8_t)text.p[1];
    return *out < 0x80;
  }
  if (!str_to_u64(text, &n) || n > 0x10ffff || (n >= 0xd800 && n <= 0xdfff))
    return false;
  *out = (uint32_t)n;
  return true;
}

static void put(uint8_t *out, u128 n, unsigned size) {
  for (unsigned i = 0; i < size; i++)
    out[i] = (uint8_t)(n >> (8 * i));
}

static u128 take(const uint8_t *p, unsigned size) {
  u128 n = 0;
  for (unsigned i = 0; i < size; i++)
    n |= (u128)p[i] << (8 * i);
  return n;
}

bool value_parse(const struct value_type *t, str text, uint8_t *out) {
  u128 n = 0;
  uint32_t c = 0;
  float f;
  double d;
  switch (t->kind) {
  case VALUE_BOOL:
    *out = str_eqz(text, "true");
    return *out || str_eqz(text, "false");
  case VALUE_CHAR:
    if (!parse_char(text, &c))
      return false;
    put(out, c, 4);
    return true;
  case VALUE_UNSIGNED:
  case VALUE_SIGNED:
    if (!parse_integer(t, text, &n))
      return false;
    put(out, n, t->size);
    return true;
  case VALUE_FLOAT:
    if (!(t->size == 4 ? parse_f32(text, &f) : parse_float(text, &d)))
      return false;
    memcpy(out, t->size == 4 ? (void *)&f : (void *)&d, t->size);
    return true;
  }
  BUG("value kind %d", (int)t->kind);
}

/* ---- text ---- */
static void print_integer(u128 n, bool minus, struct strbuf *out) {
  char digits[48];
  size_t at = sizeof digits;
  do
    digits[--at] = (char)('0' + (unsigned)(n % 10));
  while ((n /= 10) != 0);
  if (minus)
    sb_addc(out, '-');
  sb_add(out, (str){digits + at, sizeof digits - at});
}

/* The fewest digits that give the same bits again; whole numbers without an exponent. */
static void print_float(double d, bool single, struct strbuf *out) {
  char text[48];
  int most = single ? 9 : 17;
  if (isnan(d)) {
    sb_addz(out, "NaN");
    return;
  }
  if (d == trunc(d) && fabs(d) < 1e9) {
    sb_addf(out, "%.0f", d);
    return;
  }
  for (int digits = 1; digits <= most; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, d);
    if (single ? strtof(text, NULL) == (float)d : strtod(text, NULL) == d)
      break;
  }
  sb_addz(out, text);
}

void value_print(const struct value_type *t, const uint8_t *p, struct strbuf *out) {
  u128 n = take(p, t->size);
  float f;
  double d;
  switch (t->kind) {
  case VALUE_BOOL:
    if (n > 1)
      sb_addf(out, "%u", (unsigned)n);
    else
      sb_addz(out, n ? "true" : "false");
    return;
  case VALUE_CHAR:
    if (n >= 0x20 && n < 0x7f)
      sb_addf(out, "'%c'", (char)n);
    else
      sb_addf(out, "0x%x", (unsigned)n);
    return;
  case VALUE_UNSIGNED:
    print_integer(n, false, out);
    return;
  case VALUE_SIGNED:
    if (n >> (t->size * 8 - 1))
      print_integer(t->size == 16 ? -n : ((u128)1 << (t->size * 8)) - n, true, out);
    else
      print_integer(n, false, out);
    return;
  case VALUE_FLOAT:
    if (t->size == 4) {
      memcpy(&f, p, 4);
      print_float((double)f, true, out);
    } else {
      memcpy(&d, p, 8);
      print_float(d, false, out);
    }
    return;
  }
  BUG("value kind %d", (int)t->kind);
}

void value_print_all(const struct value_type *t, const uint8_t *p, uint64_t size,
                     struct strbuf *out) {
  static const struct value_type byte = {"u8", 1, VALUE_UNSIGNED};
  if (!t)
    t = &byte;
  size_t line = out->n;
  sb_addc(out, '[');
  for (uint64_t at = 0; at + t->size <= size; at += t->size) {
    bool full = out->n - line > 90;
    if (at)
      sb_addz(out, full ? ",\n " : ", ");
    if (full)
      line = out->n;
    value_print(t, p + at, out);
  }
  sb_addz(out, "]");
}

/* ---- patterns ---- */
struct making {
  struct diag_sink *s;
  const struct value_want *want;
  const struct value_type *t; /* NULL: not known */
  bool counted;
  uint64_t count; /* elements, when counted */
  struct value_memory *out;
};

static bool bad(const struct making *m, const char *why, str text) {
  struct diag *d = diag_error(m->s, MD0840, SPAN_NONE, "`%.*s`: %s%s%.*s%s", STR_ARG(m->want->what),
                              why, text.n ? " `" : "", STR_ARG(text), text.n ? "`" : "");
  diag_help(d,
            "memory is `TYPE[COUNT]:PATTERN`, such as `f32[1000]:iota`; patterns are zeros, iota, "
            "range:START:STEP, random:SEED, file:PATH, hex:DIGITS, and values with commas");
  return false;
}

static bool room(struct making *m, uint64_t bytes) {
  if (bytes > MOST_BYTES)
    return bad(m, "more memory than there can be", STR_NULL);
  /* calloc: untouched pages cost nothing. */
  m->out->bytes.p = calloc(bytes ? bytes : 1, 1);
  m->out->bytes.n = bytes;
  return m->out->bytes.p || bad(m, "not enough memory", STR_NULL);
}

static bool room_for_elements(struct making *m) {
  if (!m->t)
    return bad(m, "the type of the elements is not given", STR_NULL);
  if (!m->counted)
    return bad(m, "the number of elements is not given", STR_NULL);
  if (m->count > MOST_BYTES)
    return bad(m, "more memory than there can be", STR_NULL);
  return room(m, m->count * m->t->size);
}

static bool from_file(struct making *m, str path) {
  char *z = strndup(path.p, path.n);
  bool ok = z && fs_read(m->s, z, MOST_BYTES, &m->out->bytes);
  free(z);
  if (!ok || !m->counted || !m->t || m->out->bytes.n == m->count * m->t->size)
    return ok;
  diag_error(m->s, MD0842, SPAN_NONE,
             "`%.*s` has %zu bytes, and %" PRIu64 " elements of %u bytes are wanted", STR_ARG(path),
             m->out->bytes.n, m->count, m->t->size);
  return false;
}

static bool from_hex(struct making *m, str digits) {
  if (digits.n % 2)
    return bad(m, "an odd number of hexadecimal digits", STR_NULL);
  if (!room(m, digits.n / 2))
    return false;
  for (size_t i = 0; i < digits.n / 2; i++) {
    int hi = hex_digit(digits.p[2 * i]), lo = hex_digit(digits.p[2 * i + 1]);
    if (hi < 0 || lo < 0)
      return bad(m, "not a hexadecimal digit in", str_sub(digits, 2 * i, 2 * i + 2));
    m->out->bytes.p[i] = (uint8_t)(hi << 4 | lo);
  }
  return true;
}

/* Integers wrap around, as a kernel's own arithmetic might. */
static bool from_range(struct making *m, str start, str step) {
  double d0 = 0, d1 = 0;
  u128 n0 = 0, n1 = 0;
  if (!room_for_elements(m))
    return false;
  const struct value_type *t = m->t;
  const struct value_type wide = {"i128", 16, VALUE_SIGNED};
  if (t->kind == VALUE_FLOAT ? !parse_float(start, &d0) : !parse_integer(&wide, start, &n0))
    return bad(m, "no start of a range:", start);
  if (t->kind == VALUE_FLOAT ? !parse_float(step, &d1) : !parse_integer(&wide, step, &n1))
    return bad(m, "no step of a range:", step);
  for (uint64_t i = 0; i < m->count; i++) {
    uint8_t *p = m->out->bytes.p + i * t->size;
    double d = d0 + (double)i * d1;
    float f = (float)d;
    if (t->kind == VALUE_FLOAT)
      memcpy(p, t->size == 4 ? (void *)&f : (void *)&d, t->size);
    else if (t->kind == VALUE_BOOL)
      *p = (n0 + i * n1) & 1;
    else
      put(p, n0 + i * n1, t->size);
  }
  return true;
}

/* splitmix64 */
static uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static bool from_random(struct making *m, str seed) {
  uint64_t state = 0;
  if (seed.n && !str_to_u64(seed, &state))
    return bad(m, "no seed:", seed);
  if (!room_for_elements(m))
    return false;
  const struct value_type *t = m->t;
  for (uint64_t i = 0; i < m->count; i++) {
    uint8_t *p = m->out->bytes.p + i * t->size;
    uint64_t r = next_random(&state);
    double d = (double)(r >> 11) * 0x1p-53;
    float f = (float)(r >> 40) * 0x1p-24f;
    if (t->kind == VALUE_FLOAT)
      memcpy(p, t->size == 4 ? (void *)&f : (void *)&d, t->size);
    else if (t->kind == VALUE_BOOL)
      *p = (uint8_t)(r >> 63);
    else if (t->kind == VALUE_CHAR)
      put(p, ' ' + (r >> 32) % 95, 4);
    else if (t->size == 16)
      put(p, (u128)r << 64 | next_random(&state), 16);
    else
      put(p, r, t->size);
  }
  return true;
}

static bool next_word(str *rest, str *word) {
  size_t comma = str_find_char(*rest, ',', 0);
  if (!rest->p)
    return false;
  *word = str_trim(str_sub(*rest, 0, comma));
  *rest = comma == SIZE_MAX ? STR_NULL : str_drop(*rest, comma + 1);
  return true;
}

static bool from_list(struct making *m, str list) {
  uint64_t n = 0;
  str rest = list, word;
  while (next_word(&rest, &word))
    n++;
  if (!m->t)
    return bad(m, "the type of the elements is not given", STR_NULL);
  bool repeat = m->counted && n == 1;
  if (m->counted && !repeat && m->count != n)
    return bad(m, "the number of values is another than that in brackets", STR_NULL);
  m->count = m->counted ? m->count : n;
  m->counted = true;
  if (!room_for_elements(m))
    return false;
  uint8_t one[16] = {0};
  rest = list;
  for (uint64_t i = 0; i < m->count; i++) {
    if ((!repeat || i == 0) && next_word(&rest, &word) && !value_parse(m->t, word, one))
      return bad(m, "not a value of the type:", word);
    memcpy(m->out->bytes.p + i * m->t->size, one, m->t->size);
  }
  return true;
}

static bool keyword(str text, const char *word, str *rest) {
  size_t n = strlen(word);
  if (!str_starts(text, (str){word, n}) || (text.n > n && text.p[n] != ':'))
    return false;
  *rest = text.n > n ? str_drop(text, n + 1) : STR_NULL;
  return true;
}

static bool by_pattern(struct making *m, str text) {
  str rest;
  if (text.n == 0 || str_eqz(text, "zeros"))
    return room_for_elements(m);
  if (keyword(text, "file", &rest))
    return from_file(m, rest);
  if (keyword(text, "hex", &rest))
    return from_hex(m, rest);
  if (str_eqz(text, "iota"))
    return from_range(m, STR("0"), STR("1"));
  if (keyword(text, "range", &rest)) {
    size_t colon = str_find_char(rest, ':', 0);
    str step = colon == SIZE_MAX ? STR("1") : str_drop(rest, colon + 1);
    return from_range(m, str_sub(rest, 0, colon), step);
  }
  if (keyword(text, "random", &rest))
    return from_random(m, rest);
  return from_list(m, text);
}

/* ---- the head ---- */
static size_t word_end(str text) {
  size_t n = 0;
  while (n < text.n && (isalnum((unsigned char)text.p[n]) || text.p[n] == '_'))
    n++;
  return n;
}

/* `TYPE`, `[COUNT]`, both or none, and then a colon or the end; otherwise all is pattern. */
static bool take_head(struct making *m, str *text) {
  size_t n = word_end(*text);
  const struct value_type *t = value_type_find(str_sub(*text, 0, n));
  str rest = t ? str_drop(*text, n) : *text;
  if (n > 0 && !t && n < text->n && text->p[n] == '[')
    return bad(m, "no scalar type of Rust:", str_sub(*text, 0, n));
  if (rest.n && rest.p[0] == '[') {
    size_t close = str_find_char(rest, ']', 0);
    str count = str_sub(rest, 1, close);
    if (close == SIZE_MAX || !str_to_u64(count, &m->count))
      return bad(m, "not a number of elements:", count);
    m->counted = true;
    rest = str_drop(rest, close + 1);
  }
  if (!t && !m->counted)
    return true;
  if (rest.n && rest.p[0] != ':')
    return bad(m, "expected a colon before", rest);
  if (t)
    m->t = t;
  *text = str_drop(rest, rest.n > 0);
  return true;
}

static bool fits(struct making *m) {
  const struct value_want *w = m->want;
  uint64_t n = m->out->bytes.n;
  if (w->size && n != w->size) {
    diag_error(m->s, MD0841, SPAN_NONE,
               "`%.*s` gives %" PRIu64 " byte%s, and %" PRIu64 " are wanted", STR_ARG(w->what), n,
               n == 1 ? "" : "s", w->size);
    return false;
  }
  if (w->elem_size && n % w->elem_size) {
    diag_error(m->s, MD0841, SPAN_NONE,
               "`%.*s` gives %" PRIu64 " byte%s, which is no multiple of an element's %" PRIu64,
               STR_ARG(w->what), n, n == 1 ? "" : "s", w->elem_size);
    return false;
  }
  return true;
}

/* Signs may differ. */
static bool alike(const struct value_type *a, const struct value_type *b) {
  bool numbers = (a->kind == VALUE_UNSIGNED || a->kind == VALUE_SIGNED) &&
                 (b->kind == VALUE_UNSIGNED || b->kind == VALUE_SIGNED);
  return a->size == b->size && (a->kind == b->kind || numbers);
}

bool value_memory(struct diag_sink *s, const struct value_want *want, str text,
                  struct value_memory *out) {
  *out = (struct value_memory){0};
  struct making m = {.s = s, .want = want, .t = want->elem, .out = out};
  bool ok = take_head(&m, &text);
  if (ok && want->elem && !alike(m.t, want->elem)) {
    diag_error(s, MD0841, SPAN_NONE, "`%.*s` has elements of type %s, and the kernel has %s",
               STR_ARG(want->what), m.t->name, want->elem->name);
    return false;
  }
  ok = ok && by_pattern(&m, text) && fits(&m);
  out->type = m.t;
  if (!ok)
    bytes_free(&out->bytes);
  return ok;
}
