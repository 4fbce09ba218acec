/* The token scanner of the overlay. */
#include "cargo-integration/rustc/overlay_scan.h"

static bool ident_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool ident_more(char c) {
  return ident_start(c) || (c >= '0' && c <= '9');
}

static char at(const struct rscan *s, size_t i) {
  return i < s->text.n ? s->text.p[i] : '\0';
}

/* Block comments nest. */
static size_t skip_block_comment(const struct rscan *s, size_t i) {
  size_t depth = 0;
  while (i < s->text.n) {
    if (at(s, i) == '/' && at(s, i + 1) == '*') {
      depth++;
      i += 2;
    } else if (at(s, i) == '*' && at(s, i + 1) == '/') {
      i += 2;
      if (--depth == 0) {
        return i;
      }
    } else {
      i++;
    }
  }
  return s->text.n;
}

static void skip_blank(struct rscan *s) {
  for (;;) {
    char c = at(s, s->at);
    if (s->at < s->text.n && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
      s->at++;
    } else if (c == '/' && at(s, s->at + 1) == '/') {
      size_t nl = str_find_char(s->text, '\n', s->at);
      s->at = nl == SIZE_MAX ? s->text.n : nl;
    } else if (c == '/' && at(s, s->at + 1) == '*') {
      s->at = skip_block_comment(s, s->at);
    } else {
      return;
    }
  }
}

/* `i` is behind the opening quote. */
static size_t skip_quoted(const struct rscan *s, size_t i, char quote) {
  while (i < s->text.n && at(s, i) != quote) {
    i += at(s, i) == '\\' ? 2 : 1;
  }
  return i < s->text.n ? i + 1 : s->text.n;
}

/* `i` is at the first `#` or the quote of a raw string; SIZE_MAX if it is none (a raw identifier).
 */
static size_t skip_raw(const struct rscan *s, size_t i) {
  size_t hashes = 0;
  while (at(s, i) == '#') {
    hashes++;
    i++;
  }
  if (at(s, i) != '"') {
    return SIZE_MAX;
  }
  for (i++; i < s->text.n; i++) {
    if (at(s, i) == '"') {
      size_t k = 0;
      while (k < hashes && at(s, i + 1 + k) == '#') {
        k++;
      }
      if (k == hashes) {
        return i + 1 + hashes;
      }
    }
  }
  return s->text.n;
}

/* A literal with a prefix (b r br c cr) at the scan position; SIZE_MAX if there is none. */
static size_t skip_prefixed(const struct rscan *s) {
  size_t i = s->at;
  char c = at(s, i);
  char d = at(s, i + 1);
  if ((c == 'b' || c == 'c') && d == '"') {
    return skip_quoted(s, i + 2, '"');
  }
  if (c == 'b' && d == '\'') {
    return skip_quoted(s, i + 2, '\'');
  }
  if (c == 'r' && (d == '"' || d == '#')) {
    return skip_raw(s, i + 1);
  }
  if ((c == 'b' || c == 'c') && d == 'r' && (at(s, i + 2) == '"' || at(s, i + 2) == '#')) {
    return skip_raw(s, i + 2);
  }
  return SIZE_MAX;
}

static size_t utf8_width(char c) {
  unsigned char u = (unsigned char)c;
  return u < 0x80 ? 1 : u < 0xe0 ? 2 : u < 0xf0 ? 3 : 4;
}

/* After a `'`: a character literal, or a lifetime or label. */
static struct rtok scan_tick(struct rscan *s) {
  struct rtok t = {RTOK_LITERAL, s->at, 0, 0};
  size_t i = s->at + 1;
  if (at(s, i) == '\\') {
    s->at = skip_quoted(s, i, '\'');
  } else if (i < s->text.n && at(s, i + utf8_width(at(s, i))) == '\'') {
    s->at = i + utf8_width(at(s, i)) + 1;
  } else {
    t.kind = RTOK_LIFETIME;
    while (ident_more(at(s, i))) {
      i++;
    }
    s->at = i;
  }
  t.hi = s->at;
  return t;
}

struct rtok rscan_next(struct rscan *s) {
  skip_blank(s);
  struct rtok t = {RTOK_END, s->at, s->at, 0};
  if (s->at >= s->text.n) {
    return t;
  }
  char c = at(s, s->at);
  size_t prefixed = skip_prefixed(s);
  if (prefixed != SIZE_MAX) {
    t.kind = RTOK_LITERAL;
    s->at = prefixed;
  } else if (c == '"') {
    t.kind = RTOK_LITERAL;
    s->at = skip_quoted(s, s->at + 1, '"');
  } else if (c == '\'') {
    return scan_tick(s);
  } else if (ident_start(c)) {
    t.kind = RTOK_IDENT;
    if (c == 'r' && at(s, s->at + 1) == '#') {
      s->at += 2;
    }
    while (ident_more(at(s, s->at))) {
      s->at++;
    }
  } else if (c >= '0' && c <= '9') {
    t.kind = RTOK_LITERAL;
    while (ident_more(at(s, s->at))) {
      s->at++;
    }
  } else {
    t.kind = RTOK_PUNCT;
    t.punct = c;
    s->at++;
  }
  t.hi = s->at;
  return t;
}

struct rtok rscan_peek(const struct rscan *s) {
  struct rscan copy = *s;
  return rscan_next(&copy);
}

str rtok_text(const struct rscan *s, struct rtok t) {
  return str_sub(s->text, t.lo, t.hi);
}

bool rtok_is(const struct rscan *s, struct rtok t, const char *ident) {
  return t.kind == RTOK_IDENT && str_eqz(rtok_text(s, t), ident);
}

bool rscan_skip_group(struct rscan *s) {
  size_t depth = 1;
  while (depth > 0) {
    struct rtok t = rscan_next(s);
    if (t.kind == RTOK_END) {
      return false;
    }
    if (t.kind == RTOK_PUNCT) {
      depth += t.punct == '(' || t.punct == '[' || t.punct == '{';
      depth -= t.punct == ')' || t.punct == ']' || t.punct == '}';
    }
  }
  return true;
}
