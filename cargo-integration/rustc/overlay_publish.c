/* Items by tokens. */
#include "cargo-integration/rustc/overlay_publish.h"

#include <string.h>

#include "cargo-integration/rustc/overlay_scan.h"

#define MAX_DEPTH 64

struct publisher {
  struct rscan s;
  char *text;
  publish_found found;
  void *ctx;
  unsigned depth;
};

static bool is_punct(struct rtok t, char c) {
  return t.kind == RTOK_PUNCT && t.punct == c;
}

static bool next_is(const struct publisher *p, const char *word) {
  return rtok_is(&p->s, rscan_peek(&p->s), word);
}

static bool opens(struct rtok t) {
  return is_punct(t, '(') || is_punct(t, '[') || is_punct(t, '{');
}

/* Up to behind `;`, or behind a group in braces when `block`. */
static bool skip_to_end(struct publisher *p, bool block) {
  for (;;) {
    struct rtok t = rscan_next(&p->s);
    if (t.kind == RTOK_END || is_punct(t, '}')) {
      return false;
    }
    if (is_punct(t, ';')) {
      return true;
    }
    if (opens(t) && !rscan_skip_group(&p->s)) {
      return false;
    }
    if (block && is_punct(t, '{')) {
      return true;
    }
  }
}

static bool skip_attributes(struct publisher *p) {
  while (is_punct(rscan_peek(&p->s), '#')) {
    (void)rscan_next(&p->s);
    if (is_punct(rscan_peek(&p->s), '!')) {
      (void)rscan_next(&p->s);
    }
    if (!is_punct(rscan_next(&p->s), '[') || !rscan_skip_group(&p->s)) {
      return false;
    }
  }
  return true;
}

/* `pub`, `pub(crate)`, `pub(super)`, `pub(in a::b)`: true when there is one. */
static bool take_visibility(struct publisher *p) {
  if (!next_is(p, "pub")) {
    return false;
  }
  (void)rscan_next(&p->s);
  struct rtok open = rscan_peek(&p->s);
  struct rscan inside = p->s;
  (void)rscan_next(&inside);
  struct rtok word = rscan_next(&inside);
  static const char *const LIMITS[] = {"crate", "super", "self", "in"};
  for (size_t i = 0; is_punct(open, '(') && i < sizeof LIMITS / sizeof *LIMITS; i++) {
    if (rtok_is(&inside, word, LIMITS[i])) {
      (void)rscan_next(&p->s);
      if (!rscan_skip_group(&p->s)) {
        return true;
      }
      for (size_t k = open.lo; i > 0 && k < p->s.at; k++) {
        p->text[k] = p->text[k] == '\n' || p->text[k] == '\r' ? p->text[k] : ' ';
      }
      return true;
    }
  }
  return true;
}

static bool items(struct publisher *p, bool in_file);

/* Behind `{`. */
static bool block(struct publisher *p) {
  if (p->depth == MAX_DEPTH) {
    return false;
  }
  p->depth++;
  bool ok = items(p, false);
  p->depth--;
  return ok;
}

/* Behind `impl`: of a trait, whose items have no visibility, or not. */
static bool implementation(struct publisher *p) {
  bool of_trait = false;
  for (;;) {
    struct rtok t = rscan_next(&p->s);
    if (t.kind == RTOK_END || is_punct(t, ';') || is_punct(t, '}')) {
      return false;
    }
    if (is_punct(t, '{')) {
      return of_trait ? rscan_skip_group(&p->s) : block(p);
    }
    of_trait = of_trait || (rtok_is(&p->s, t, "for") && !is_punct(rscan_peek(&p->s), '<'));
    if (opens(t) && !rscan_skip_group(&p->s)) {
      return false;
    }
  }
}

/* Behind `mod`. */
static bool module(struct publisher *p) {
  (void)rscan_next(&p->s);
  struct rtok t = rscan_next(&p->s);
  return is_punct(t, ';') || (is_punct(t, '{') && block(p));
}

/* A macro's call: `name! {…}`, `name!(…);`, `macro_rules! name {…}`. */
static bool call(struct publisher *p) {
  for (;;) {
    struct rtok t = rscan_next(&p->s);
    if (t.kind == RTOK_END || is_punct(t, ';') || is_punct(t, '}')) {
      return false;
    }
    if (opens(t)) {
      bool braces = is_punct(t, '{');
      if (!rscan_skip_group(&p->s)) {
        return false;
      }
      if (!braces && is_punct(rscan_peek(&p->s), ';')) {
        (void)rscan_next(&p->s);
      }
      return true;
    }
  }
}

/* `const` in front of a function is a word like others; in front of a name it is the item. */
static bool is_qualifier(const struct publisher *p, struct rtok t) {
  static const char *const WORDS[] = {"async", "unsafe", "safe", "default", "auto"};
  for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
    if (rtok_is(&p->s, t, WORDS[i])) {
      return true;
    }
  }
  struct rtok next = rscan_peek(&p->s);
  bool before_fn = rtok_is(&p->s, next, "fn") || rtok_is(&p->s, next, "unsafe") ||
                   rtok_is(&p->s, next, "extern") || rtok_is(&p->s, next, "async");
  return rtok_is(&p->s, t, "const") && before_fn;
}

/* The item that begins at the scanner; `lo`: where, when it has no visibility. */
static bool item(struct publisher *p, size_t lo, bool is_public) {
  static const char *const TO_SEMICOLON[] = {"const", "static", "type"};
  static const char *const TO_BLOCK[] = {"fn", "struct", "enum", "union", "trait"};
  struct rtok t = rscan_next(&p->s);
  while (is_qualifier(p, t)) {
    t = rscan_next(&p->s);
  }
  if (rtok_is(&p->s, t, "extern")) {
    if (next_is(p, "crate")) {
      return skip_to_end(p, false);
    }
    if (rscan_peek(&p->s).kind == RTOK_LITERAL) {
      (void)rscan_next(&p->s);
    }
    t = rscan_next(&p->s);
    if (is_punct(t, '{')) {
      return block(p);
    }
  }
  bool named = rscan_peek(&p->s).kind == RTOK_IDENT;
  for (size_t i = 0; i < sizeof TO_SEMICOLON / sizeof *TO_SEMICOLON && named; i++) {
    if (rtok_is(&p->s, t, TO_SEMICOLON[i])) {
      if (!is_public) {
        p->found(p->ctx, lo);
      }
      return skip_to_end(p, false);
    }
  }
  for (size_t i = 0; i < sizeof TO_BLOCK / sizeof *TO_BLOCK && named; i++) {
    if (rtok_is(&p->s, t, TO_BLOCK[i])) {
      if (!is_public) {
        p->found(p->ctx, lo);
      }
      return skip_to_end(p, true);
    }
  }
  if (rtok_is(&p->s, t, "mod")) {
    if (!is_public) {
      p->found(p->ctx, lo);
    }
    return module(p);
  }
  if (rtok_is(&p->s, t, "impl")) {
    return implementation(p);
  }
  return rtok_is(&p->s, t, "use") ? skip_to_end(p, false) : t.kind == RTOK_IDENT && call(p);
}

/* Up to behind the closing brace, or to the end of the file. */
static bool items(struct publisher *p, bool in_file) {
  for (;;) {
    if (!skip_attributes(p)) {
      return false;
    }
    struct rtok t = rscan_peek(&p->s);
    if (t.kind == RTOK_END || is_punct(t, '}')) {
      (void)rscan_next(&p->s);
      return in_file == (t.kind == RTOK_END);
    }
    if (is_punct(t, ';')) {
      (void)rscan_next(&p->s);
      continue;
    }
    bool is_public = take_visibility(p);
    if (!item(p, t.lo, is_public)) {
      return false;
    }
  }
}

void overlay_publish(char *text, size_t n, publish_found found, void *ctx) {
  struct publisher p = {.s = {{text, n}, 0}, .text = text, .found = found, .ctx = ctx};
  (void)items(&p, true);
}
