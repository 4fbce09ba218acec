/* A cursor over dump text. */
#include "cargo-integration/rustc/lex.h"

#include <string.h>

bool lex_at(const struct lex *l, str what) {
  return l->text.n - l->pos >= what.n && memcmp(l->text.p + l->pos, what.p, what.n) == 0;
}

bool lex_eat(struct lex *l, str what) {
  if (!lex_at(l, what))
    return false;
  l->pos += what.n;
  return true;
}

bool lex_is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool lex_is_hex(char c) {
  return lex_is_digit(c) || (c >= 'a' && c <= 'f');
}

bool lex_is_ident_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

bool lex_is_ident(char c) {
  return lex_is_ident_start(c) || lex_is_digit(c);
}

str lex_ident(struct lex *l) {
  size_t from = l->pos;
  size_t at = from;
  if (LEX_AT(l, "r#"))
    at += 2;
  if (at < l->text.n && lex_is_ident_start(l->text.p[at])) {
    while (at < l->text.n && lex_is_ident(l->text.p[at]))
      at++;
    l->pos = at;
  }
  return str_sub(l->text, from, l->pos);
}

bool lex_u64(struct lex *l, uint64_t *out) {
  size_t at = l->pos;
  uint64_t v = 0;
  for (; at < l->text.n && lex_is_digit(l->text.p[at]); at++) {
    uint64_t digit = (uint64_t)(l->text.p[at] - '0');
    if (v > (UINT64_MAX - digit) / 10)
      return false;
    v = v * 10 + digit;
  }
  if (at == l->pos)
    return false;
  l->pos = at;
  *out = v;
  return true;
}

bool lex_u32(struct lex *l, uint32_t *out) {
  size_t from = l->pos;
  uint64_t v;
  if (!lex_u64(l, &v))
    return false;
  if (v > UINT32_MAX) {
    l->pos = from;
    return false;
  }
  *out = (uint32_t)v;
  return true;
}

bool lex_hex128(struct lex *l, uint64_t *lo, uint64_t *hi, unsigned *digits) {
  *lo = *hi = 0;
  unsigned n = 0;
  size_t at = l->pos;
  for (; at < l->text.n && lex_is_hex(l->text.p[at]); at++, n++) {
    char c = l->text.p[at];
    uint64_t digit = (uint64_t)(lex_is_digit(c) ? c - '0' : c - 'a' + 10);
    if (n == 32)
      return false;
    *hi = *hi << 4 | *lo >> 60;
    *lo = *lo << 4 | digit;
  }
  if (n == 0)
    return false;
  l->pos = at;
  *digits = n;
  return true;
}

void lex_blanks(struct lex *l) {
  while (lex_peek(l) == ' ' || lex_peek(l) == '\t')
    l->pos++;
}

bool lex_string(struct lex *l, str *out) {
  if (lex_peek(l) != '"')
    return false;
  for (size_t at = l->pos + 1; at < l->text.n; at++) {
    if (l->text.p[at] == '\\') {
      at++;
    } else if (l->text.p[at] == '"') {
      *out = str_sub(l->text, l->pos + 1, at);
      l->pos = at + 1;
      return true;
    }
  }
  return false;
}

/* Steps over `'x'` or `'\u{..}'`; a lifetime's tick is stepped over alone. */
static void skip_tick(struct lex *l) {
  size_t at = l->pos + 1;
  if (at < l->text.n && l->text.p[at] == '\\') {
    size_t close = str_find_char(l->text, '\'', at + 2);
    if (close != SIZE_MAX && close - at <= 12) {
      l->pos = close + 1;
      return;
    }
  } else {
    for (size_t len = 1; len <= 4 && at + len < l->text.n; len++) {
      bool continues = ((unsigned char)l->text.p[at + len] & 0xc0u) == 0x80u;
      if (l->text.p[at + len] == '\'') {
        l->pos = at + len + 1;
        return;
      }
      if (!continues)
        break;
    }
  }
  l->pos++;
}

static char closer_of(char open) {
  switch (open) {
  case '(':
    return ')';
  case '[':
    return ']';
  case '{':
    return '}';
  case '<':
    return '>';
  default:
    return '\0';
  }
}

#define LEX_MAX_DEPTH 256

bool lex_balanced(struct lex *l, const char *stops, bool angles) {
  char want[LEX_MAX_DEPTH];
  size_t depth = 0;
  while (!lex_end(l)) {
    char c = l->text.p[l->pos];
    if (depth == 0 && strchr(stops, c) != NULL)
      return true;
    if (c == '"') {
      str skipped;
      if (!lex_string(l, &skipped))
        return false;
      continue;
    }
    if (c == '\'') {
      skip_tick(l);
      continue;
    }
    if (LEX_AT(l, "->") || LEX_AT(l, "=>")) {
      l->pos += 2;
      continue;
    }
    char close = closer_of(c);
    if (close != '\0' && (c != '<' || angles)) {
      if (depth == LEX_MAX_DEPTH)
        return false;
      want[depth++] = close;
    } else if (c == ')' || c == ']' || c == '}' || (c == '>' && angles)) {
      if (depth == 0 || want[depth - 1] != c)
        return false;
      depth--;
    }
    l->pos++;
  }
  return false;
}
