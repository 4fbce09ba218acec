/* String views and the growing buffer. */
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"

str str_from(const char *z) {
  return z ? (str){z, strlen(z)} : STR_NULL;
}

bool str_eq(str a, str b) {
  return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool str_eqz(str a, const char *z) {
  return str_eq(a, str_from(z));
}

int str_cmp(str a, str b) {
  size_t n = a.n < b.n ? a.n : b.n;
  int c = n ? memcmp(a.p, b.p, n) : 0;
  if (c != 0)
    return c;
  return a.n < b.n ? -1 : a.n > b.n;
}

bool str_starts(str s, str prefix) {
  return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

bool str_ends(str s, str suffix) {
  return s.n >= suffix.n && (suffix.n == 0 || memcmp(s.p + s.n - suffix.n, suffix.p, suffix.n) == 0);
}

str str_sub(str s, size_t from, size_t to) {
  if (to > s.n)
    to = s.n;
  if (from > to)
    from = to;
  return (str){s.p ? s.p + from : NULL, to - from};
}

str str_drop(str s, size_t n) {
  return str_sub(s, n, s.n);
}

static bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

str str_trim(str s) {
  while (s.n && is_space(s.p[0])) {
    s.p++;
    s.n--;
  }
  while (s.n && is_space(s.p[s.n - 1]))
    s.n--;
  return s;
}

size_t str_find(str s, str what, size_t from) {
  if (from > s.n || what.n > s.n - from)
    return SIZE_MAX;
  if (what.n == 0)
    return from;
  const char *hit = memmem(s.p + from, s.n - from, what.p, what.n);
  return hit ? (size_t)(hit - s.p) : SIZE_MAX;
}

size_t str_find_char(str s, char c, size_t from) {
  if (from >= s.n)
    return SIZE_MAX;
  const char *hit = memchr(s.p + from, c, s.n - from);
  return hit ? (size_t)(hit - s.p) : SIZE_MAX;
}

size_t str_rfind_char(str s, char c) {
  const char *hit = s.n ? memrchr(s.p, c, s.n) : NULL;
  return hit ? (size_t)(hit - s.p) : SIZE_MAX;
}

bool str_next_line(str *rest, str *line) {
  if (rest->n == 0)
    return false;
  size_t end = str_find_char(*rest, '\n', 0);
  *line = str_sub(*rest, 0, end);
  *rest = end == SIZE_MAX ? STR_NULL : str_drop(*rest, end + 1);
  return true;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

bool str_to_u128(str s, u128 *out) {
  unsigned base = 10;
  if (s.n > 2 && s.p[0] == '0' && (s.p[1] == 'x' || s.p[1] == 'X')) {
    base = 16;
    s = str_drop(s, 2);
  }
  if (s.n == 0)
    return false;
  u128 v = 0;
  const u128 max = ~(u128)0;
  for (size_t i = 0; i < s.n; i++) {
    unsigned d = (unsigned)hex_digit(s.p[i]);
    if (d >= base || v > (max - d) / base)
      return false;
    v = v * base + d;
  }
  *out = v;
  return true;
}

bool str_to_u64(str s, uint64_t *out) {
  u128 v;
  if (!str_to_u128(s, &v) || v > UINT64_MAX)
    return false;
  *out = (uint64_t)v;
  return true;
}

uint64_t str_hash(str s) {
  uint64_t h = 0x9e3779b97f4a7c15u ^ s.n;
  size_t i = 0;
  for (; i + 8 <= s.n; i += 8) {
    uint64_t w;
    memcpy(&w, s.p + i, 8);
    h = (h ^ w) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  }
  for (; i < s.n; i++)
    h = (h ^ (uint8_t)s.p[i]) * 0x100000001b3u;
  h ^= h >> 29;
  h *= 0xc4ceb9fe1a85ec53u;
  return h ^ (h >> 32);
}

void sb_free(struct strbuf *b) {
  free(b->p);
  *b = (struct strbuf){0};
}

void sb_clear(struct strbuf *b) {
  b->n = 0;
  if (b->p)
    b->p[0] = 0;
}

void sb_reserve(struct strbuf *b, size_t extra) {
  if (extra >= SIZE_MAX / 2 - b->n)
    fatal_no_memory(extra);
  size_t want = b->n + extra + 1;
  if (want <= b->cap)
    return;
  size_t cap = b->cap ? b->cap * 2 : 64;
  if (cap < want)
    cap = want;
  b->p = xrealloc(b->p, cap);
  b->cap = cap;
}

void sb_add(struct strbuf *b, str s) {
  sb_reserve(b, s.n);
  if (s.n)
    memcpy(b->p + b->n, s.p, s.n);
  b->n += s.n;
  b->p[b->n] = 0;
}

void sb_addz(struct strbuf *b, const char *z) {
  sb_add(b, str_from(z));
}

void sb_addc(struct strbuf *b, char c) {
  sb_add(b, (str){&c, 1});
}

void sb_vaddf(struct strbuf *b, const char *fmt, va_list ap) {
  va_list copy;
  va_copy(copy, ap);
  char small[256];
  int n = vsnprintf(small, sizeof small, fmt, copy);
  va_end(copy);
  if (n < 0)
    BUG("bad format '%s'", fmt);
  sb_reserve(b, (size_t)n);
  if ((size_t)n < sizeof small)
    memcpy(b->p + b->n, small, (size_t)n + 1);
  else
    vsnprintf(b->p + b->n, (size_t)n + 1, fmt, ap);
  b->n += (size_t)n;
}

void sb_addf(struct strbuf *b, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  sb_vaddf(b, fmt, ap);
  va_end(ap);
}

str sb_str(const struct strbuf *b) {
  return (str){b->p, b->n};
}

const char *sb_z(const struct strbuf *b) {
  return b->p ? b->p : "";
}
