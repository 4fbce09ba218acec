/* Finding constants that are literals, by tokens. What is not understood is left as it is. */
#include "cargo-integration/rustc/overlay_strings.h"

#include "base/fatal.h"
#include "cargo-integration/rustc/overlay_scan.h"

static bool is_punct(struct rtok t, char c) {
  return t.kind == RTOK_PUNCT && t.punct == c;
}

static bool makes_string(const struct rscan *s, struct rtok t) {
  static const char *const MACROS[] = {"concat",      "env",         "file",     "include_bytes",
                                       "include_str", "module_path", "stringify"};
  for (size_t i = 0; i < COUNT_OF(MACROS); i++) {
    if (rtok_is(s, t, MACROS[i])) {
      return true;
    }
  }
  return false;
}

/* Behind `=`: is there one string and then the end? */
static bool is_string(struct rscan s) {
  struct rtok t = rscan_next(&s);
  if (t.kind == RTOK_LITERAL) {
    str text = rtok_text(&s, t);
    return str_find_char(text, '"', 0) != SIZE_MAX && is_punct(rscan_next(&s), ';');
  }
  if (!makes_string(&s, t) || !is_punct(rscan_next(&s), '!')) {
    return false;
  }
  t = rscan_next(&s);
  return (is_punct(t, '(') || is_punct(t, '[') || is_punct(t, '{')) && rscan_skip_group(&s) &&
         is_punct(rscan_next(&s), ';');
}

/* Behind `const`: where the value begins; SIZE_MAX when this is no such item. */
static size_t find_value(struct rscan s) {
  if (rscan_next(&s).kind != RTOK_IDENT || !is_punct(rscan_next(&s), ':')) {
    return SIZE_MAX;
  }
  for (;;) {
    struct rtok t = rscan_next(&s);
    if (is_punct(t, '=')) {
      return is_string(s) ? rscan_peek(&s).lo : SIZE_MAX;
    }
    bool group = is_punct(t, '(') || is_punct(t, '[');
    if (t.kind == RTOK_END || is_punct(t, ';') || is_punct(t, '{') || is_punct(t, ',') ||
        (group && !rscan_skip_group(&s))) {
      return SIZE_MAX;
    }
  }
}

str overlay_open_strings(struct arena *a, str text, size_t *n) {
  struct rscan s = {text, 0};
  struct strbuf b = {0};
  size_t done = 0;
  *n = 0;
  for (struct rtok t = rscan_next(&s); t.kind != RTOK_END; t = rscan_next(&s)) {
    size_t value = rtok_is(&s, t, "const") ? find_value(s) : SIZE_MAX;
    if (value == SIZE_MAX) {
      continue;
    }
    sb_add(&b, str_sub(text, done, value));
    sb_addz(&b, "*&");
    done = value;
    ++*n;
  }
  if (*n == 0) {
    return text;
  }
  sb_add(&b, str_drop(text, done));
  str out = arena_str(a, sb_str(&b));
  sb_free(&b);
  return out;
}
