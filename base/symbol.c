/* Symbols for device code. */
#include "base/symbol.h"

#include "base/hash.h"

static bool legal(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

str symbol_spell(struct arena *a, str name) {
  struct strbuf b = {0};
  bool lost = false;
  for (size_t i = 0; i < name.n; i++) {
    char c = name.p[i];
    if (legal(c)) {
      sb_addc(&b, c);
      continue;
    }
    lost = lost || (c != ':' && c != '_');
    if (b.n && b.p[b.n - 1] != '_')
      sb_addc(&b, '_');
  }
  if (b.n == 0 || (b.p[0] >= '0' && b.p[0] <= '9'))
    lost = true;
  str s = str_sub(sb_str(&b), 0, 80);
  if (lost || b.n > 80) {
    char hex[65];
    struct digest d = hash_of(name.p, name.n);
    digest_hex(&d, hex);
    s = arena_printf(a, "m_%.*s_%.12s", STR_ARG(s), hex);
  } else {
    s = arena_printf(a, "m_%.*s", STR_ARG(s));
  }
  sb_free(&b);
  return s;
}

str symbol_unique(struct arena *a, struct map *set, str want) {
  str s = want;
  for (unsigned n = 2;; n++) {
    bool fresh;
    (void)map_put(set, s, &fresh);
    if (fresh)
      return s;
    s = arena_printf(a, "%.*s_%u", STR_ARG(want), n);
  }
}
