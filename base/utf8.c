/* UTF-8: validation, and showing foreign text without giving it power over a terminal. */
#include "base/str.h"

#include <string.h>

/* Length of the well-formed sequence at s[i], 0 if there is none; *cp gets the code point. */
static size_t sequence(str s, size_t i, uint32_t *cp) {
  const uint8_t *p = (const uint8_t *)s.p + i;
  size_t left = s.n - i;
  uint8_t c = p[0];
  if (c < 0x80) {
    *cp = c;
    return 1;
  }
  size_t n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
  if (c < 0xc2 || c > 0xf4 || left < n)
    return 0;
  uint32_t v = c & (0x7fu >> n);
  for (size_t k = 1; k < n; k++) {
    if ((p[k] & 0xc0) != 0x80)
      return 0;
    v = v << 6 | (p[k] & 0x3fu);
  }
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (v < least[n] || v > 0x10ffff || (v >= 0xd800 && v < 0xe000))
    return 0;
  *cp = v;
  return n;
}

bool utf8_valid(str s, size_t *bad) {
  size_t i = 0;
  while (i < s.n) {
    /* Eight ASCII bytes at a time: the common case by far. */
    uint64_t w;
    while (i + 8 <= s.n && (memcpy(&w, s.p + i, 8), (w & 0x8080808080808080u) == 0))
      i += 8;
    if (i >= s.n)
      break;
    uint32_t cp;
    size_t n = sequence(s, i, &cp);
    if (n == 0) {
      if (bad)
        *bad = i;
      return false;
    }
    i += n;
  }
  return true;
}

static bool is_bidi_control(uint32_t c) {
  return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x200e ||
         c == 0x200f || c == 0x061c;
}

void sb_add_visible(struct strbuf *b, str s) {
  for (size_t i = 0; i < s.n;) {
    uint32_t cp = 0;
    size_t n = sequence(s, i, &cp);
    if (n == 0) {
      sb_addf(b, "\\x%02x", (uint8_t)s.p[i]);
      i++;
      continue;
    }
    if ((cp < 0x20 && cp != '\n' && cp != '\t') || (cp >= 0x7f && cp < 0xa0) || is_bidi_control(cp))
      sb_addf(b, "\\u{%x}", cp);
    else
      sb_add(b, (str){s.p + i, n});
    i += n;
  }
}
