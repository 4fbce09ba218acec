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

/* How the value of a constant is written, as far as this concerns us. */
enum value {
  VALUE_OTHER,
  VALUE_STRING, /* one string, or a macro of core that makes one */
  VALUE_MACRO   /* `$x`, or a macro of which nothing is known: may become a literal */
};

static bool is_open(struct rtok t) {
  return is_punct(t, '(') || is_punct(t, '[') || is_punct(t, '{');
}

/* Behind `=`, up to the end of the item. */
static enum value value_of(struct rscan s) {
  struct rtok t = rscan_next(&s);
  enum value v = makes_string(&s, t) ? VALUE_STRING : VALUE_MACRO;
  if (t.kind == RTOK_LITERAL) {
    bool text = str_find_char(rtok_text(&s, t), '"', 0) != SIZE_MAX;
    return text && is_punct(rscan_next(&s), ';') ? VALUE_STRING : VALUE_OTHER;
  }
  if (is_punct(t, '$')) {
    return rscan_next(&s).kind == RTOK_IDENT && is_punct(rscan_next(&s), ';') ? VALUE_MACRO
                                                                             : VALUE_OTHER;
  }
  if (t.kind != RTOK_IDENT || !is_punct(rscan_next(&s), '!') || !is_open(rscan_next(&s))) {
    return VALUE_OTHER;
  }
  return rscan_skip_group(&s) && is_punct(rscan_next(&s), ';') ? v : VALUE_OTHER;
}

struct constant { /* places in the text */
  enum value value;
  size_t type, type_end, at, end; /* `const NAME: TYPE = VALUE;` */
};

/* Behind `const`: is it an item with such a value? */
static bool find_value(struct rscan s, struct constant *c) {
  struct rtok t = rscan_next(&s);
  if (is_punct(t, '$')) {
    t = rscan_next(&s);
  }
  if (t.kind != RTOK_IDENT || !is_punct(rscan_next(&s), ':')) {
    return false;
  }
  c->type = s.at;
  for (;;) {
    t = rscan_next(&s);
    if (is_punct(t, '=')) {
      break;
    }
    bool group = is_punct(t, '(') || is_punct(t, '[');
    if (t.kind == RTOK_END || is_punct(t, ';') || is_punct(t, '{') || is_punct(t, ',') ||
        (group && !rscan_skip_group(&s))) {
      return false;
    }
  }
  c->type_end = t.lo;
  c->at = rscan_peek(&s).lo;
  c->value = value_of(s);
  if (c->value == VALUE_OTHER) {
    return false;
  }
  for (t = rscan_next(&s); !is_punct(t, ';'); t = rscan_next(&s)) {
    if (is_open(t) && !rscan_skip_group(&s)) {
      return false;
    }
  }
  c->end = t.lo;
  return true;
}

/* A type of several lines, which would move those behind it, in one. Empty: a comment is in the way. */
static str type_of(struct arena *a, str text, const struct constant *c) {
  str type = str_sub(text, c->type, c->type_end);
  char *line = arena_strz(a, type);
  bool comment = str_find(type, STR("//"), 0) != SIZE_MAX;
  for (size_t i = 0; i < type.n; i++) {
    if (line[i] == '\n' && comment) {
      return STR_NULL;
    }
    line[i] = line[i] == '\n' ? ' ' : line[i];
  }
  return (str){line, type.n};
}

/* Of a string a reference can be taken and followed. What a macro makes may be of any type: it goes
 * through a variable, which every type allows. */
static void open_value(struct arena *a, str text, const struct constant *c, strings_found found, void *ctx) {
  if (c->value == VALUE_STRING) {
    found(ctx, c->at, STR("*&"));
    return;
  }
  str type = type_of(a, text, c);
  if (type.n > 0) {
    found(ctx, c->at, arena_printf(a, "{ let v:%.*s= ", STR_ARG(type)));
    found(ctx, c->end, STR("; v }"));
  }
}

void overlay_open_strings(struct arena *a, str text, bool strings_only, strings_found found, void *ctx) {
  struct rscan s = {text, 0};
  for (struct rtok t = rscan_next(&s); t.kind != RTOK_END; t = rscan_next(&s)) {
    struct constant c;
    if (rtok_is(&s, t, "const") && find_value(s, &c) && (!strings_only || c.value == VALUE_STRING)) {
      open_value(a, text, &c, found, ctx);
      s.at = c.end;
    }
  }
}
