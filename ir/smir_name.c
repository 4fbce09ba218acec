/* Foreign dumps: symbols, paths, file names. */
#include <string.h>

#include "base/fs.h"
#include "base/symbol.h"
#include "ir/smir_impl.h"

bool sm_is_mangled(str symbol) {
  return str_starts(symbol, STR("_ZN")) || str_starts(symbol, STR("_R"));
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* "17h0123456789abcdef", the hash at the end of the older form. */
static bool is_hash(str part) {
  if (part.n != 17 || part.p[0] != 'h')
    return false;
  for (size_t i = 1; i < part.n; i++)
    if (hex_digit(part.p[i]) < 0)
      return false;
  return true;
}

/* Both forms write each part of a path with its length in front: `4core9panicking5panic`. The newer
 * one has letters of its grammar in between, and disambiguators `s…_`, which are passed over. */
str sm_path_of_symbol(struct arena *a, str symbol) {
  struct strbuf b = {0};
  bool old = str_starts(symbol, STR("_ZN"));
  if (!sm_is_mangled(symbol))
    return symbol;
  size_t i = old ? 3 : 2;
  while (i < symbol.n) {
    if (!old && symbol.p[i] == 's') {
      size_t end = str_find_char(symbol, '_', i);
      i = end == SIZE_MAX ? symbol.n : end + 1;
      continue;
    }
    if (!is_digit(symbol.p[i])) {
      if (old)
        break;
      i++;
      continue;
    }
    size_t n = 0;
    while (i < symbol.n && is_digit(symbol.p[i]) && n < 10000)
      n = n * 10 + (size_t)(symbol.p[i++] - '0');
    if (!old && i < symbol.n && symbol.p[i] == '_')
      i++;
    str part = str_sub(symbol, i, i + n);
    i += n;
    if (old && is_hash(part))
      break;
    sb_addf(&b, "%s%.*s", b.n ? "::" : "", STR_ARG(part));
  }
  str path = arena_str(a, sb_str(&b));
  sb_free(&b);
  return path;
}

bool sm_in_std(str path) {
  return str_starts(path, STR("core::")) || str_starts(path, STR("std::")) ||
         str_starts(path, STR("alloc::"));
}

str sm_new_symbol(struct smir *s, str name) {
  return symbol_unique(&s->a, &s->symbols, symbol_spell(&s->a, name));
}

str sm_file_name(struct smir *s, str path) {
  static const char *const crates[] = {"library/core/", "library/alloc/", "library/std/"};
  for (size_t i = 0; i < COUNT_OF(crates); i++) {
    size_t at = str_find(path, str_from(crates[i]), 0);
    if (at != SIZE_MAX && (at == 0 || path.p[at - 1] == '/'))
      return arena_str(&s->a, str_drop(path, at));
  }
  str root = s->sink->sources ? s->sink->sources->root : STR_NULL;
  if (root.n && root.p[0] == '/' && str_starts(path, root) && path.n > root.n &&
      path.p[root.n] == '/')
    path = str_drop(path, root.n + 1);
  else if (path.n && (path.p[0] == '/' || path.p[0] == '\\' || (path.n > 1 && path.p[1] == ':')))
    path = path_from_package(path);
  while (path.n && path.p[0] == '/')
    path = str_drop(path, 1);
  return path.n ? arena_str(&s->a, path) : STR("unknown");
}
