/* Finding generic functions by tokens. What is not understood is left as it is. */
#include "cargo-integration/rustc/overlay_generics.h"

#include <string.h>

#include "cargo-integration/rustc/overlay_scan.h"

#define MAX_BLOCKS 64
static const char DIVERGE[] = "panic!()";

struct blocks {
  size_t depth[MAX_BLOCKS]; /* of the brace that opened the block */
  size_t n;
};

static bool is_punct(struct rtok t, char c) {
  return t.kind == RTOK_PUNCT && t.punct == c;
}

/* Behind `<` of a parameter list: to behind its `>`. *generic when it holds more than lifetimes. */
static bool read_generics(struct rscan *s, bool *generic) {
  size_t depth = 1;
  struct rtok before = {0};
  while (depth > 0) {
    struct rtok t = rscan_next(s);
    if (t.kind == RTOK_END) {
      return false;
    }
    bool arrow = is_punct(t, '>') && is_punct(before, '-');
    depth += is_punct(t, '<');
    depth -= is_punct(t, '>') && !arrow;
    /* The first word of a parameter; a bound of a lifetime is a lifetime too. */
    *generic = *generic || (depth == 1 && t.kind == RTOK_IDENT);
    before = t;
  }
  return true;
}

/* Behind `fn NAME`: up to the body's `{` or the final `;`. */
struct signature {
  bool generic; /* own parameters, or `impl` among the arguments */
  bool returns_impl;
  bool has_body;
};

static bool read_signature(struct rscan *s, struct signature *sig) {
  size_t angles = 0;
  bool returns = false;
  struct rtok before = {0};
  *sig = (struct signature){0};
  if (is_punct(rscan_peek(s), '<')) {
    (void)rscan_next(s);
    if (!read_generics(s, &sig->generic)) {
      return false;
    }
  }
  for (;;) {
    struct rtok t = rscan_next(s);
    if (t.kind == RTOK_END) {
      return false;
    }
    bool arrow = is_punct(t, '>') && is_punct(before, '-');
    returns = returns || (arrow && angles == 0);
    if (rtok_is(s, t, "impl")) {
      sig->returns_impl = sig->returns_impl || returns;
    }
    angles += is_punct(t, '<');
    angles -= is_punct(t, '>') && !arrow && angles > 0;
    if (is_punct(t, '(') || is_punct(t, '[')) {
      size_t from = t.hi;
      if (!rscan_skip_group(s)) {
        return false;
      }
      struct rscan inside = {str_sub(s->text, 0, s->at), from};
      for (struct rtok u = rscan_next(&inside); u.kind != RTOK_END; u = rscan_next(&inside)) {
        sig->generic = sig->generic || (!returns && rtok_is(&inside, u, "impl"));
        sig->returns_impl = sig->returns_impl || (returns && rtok_is(&inside, u, "impl"));
      }
    } else if (angles == 0 && (is_punct(t, '{') || is_punct(t, ';'))) {
      sig->has_body = is_punct(t, '{');
      return true;
    } else if (is_punct(t, '{') && !rscan_skip_group(s)) {
      return false; /* a constant argument in braces */
    }
    before = t;
  }
}

/* Writes the replacement into [lo, hi), keeping line breaks. False when no line has room. */
static bool empty_body(char *text, size_t lo, size_t hi) {
  size_t need = sizeof DIVERGE - 1;
  size_t run = 0;
  size_t at = SIZE_MAX;
  for (size_t i = lo; i < hi && at == SIZE_MAX; i++) {
    run = text[i] == '\n' || text[i] == '\r' ? 0 : run + 1;
    at = run == need ? i + 1 - need : SIZE_MAX;
  }
  if (at == SIZE_MAX) {
    return false;
  }
  for (size_t i = lo; i < hi; i++) {
    if (text[i] != '\n' && text[i] != '\r') {
      text[i] = ' ';
    }
  }
  memcpy(text + at, DIVERGE, need);
  return true;
}

/* Behind `impl` or `trait`: whether its functions are generic; stops before the block. */
static bool opens_generic_block(struct rscan *s, bool is_trait) {
  bool generic = is_trait;
  if (!is_trait && is_punct(rscan_peek(s), '<')) {
    (void)rscan_next(s);
    if (!read_generics(s, &generic)) {
      return false;
    }
  }
  return generic;
}

/* The next brace opens this block. */
static bool seek_brace(struct rscan *s) {
  for (;;) {
    struct rtok t = rscan_peek(s);
    if (t.kind == RTOK_END || is_punct(t, ';') || is_punct(t, '}')) {
      return false;
    }
    if (is_punct(t, '{')) {
      return true;
    }
    (void)rscan_next(s);
    if ((is_punct(t, '(') || is_punct(t, '[')) && !rscan_skip_group(s)) {
      return false;
    }
  }
}

static size_t take_function(struct rscan *s, char *text, bool in_generic, const struct map *only) {
  struct signature sig;
  struct rtok name = rscan_peek(s);
  if (name.kind != RTOK_IDENT) {
    return 0; /* a function pointer type */
  }
  (void)rscan_next(s);
  struct rscan at = *s;
  if (!read_signature(&at, &sig) || !sig.has_body) {
    return 0;
  }
  if (!(sig.generic || in_generic) || sig.returns_impl) {
    return 0; /* its body is read on, for what is nested there */
  }
  size_t lo = at.at;
  if (!rscan_skip_group(&at)) {
    return 0;
  }
  bool wanted = only == NULL || map_get(only, rtok_text(s, name)) != NULL;
  size_t emptied = wanted && empty_body(text, lo, at.at - 1);
  *s = at;
  return emptied;
}

size_t overlay_empty_generics(char *text, size_t n, const struct map *only) {
  struct rscan s = {{text, n}, 0};
  struct blocks blocks = {0};
  size_t depth = 0;
  size_t emptied = 0;
  for (;;) {
    struct rtok t = rscan_next(&s);
    if (t.kind == RTOK_END) {
      return emptied;
    }
    if (is_punct(t, '{')) {
      depth++;
    } else if (is_punct(t, '}') && depth > 0) {
      depth--;
      blocks.n -= blocks.n > 0 && blocks.depth[blocks.n - 1] == depth;
    } else if (rtok_is(&s, t, "fn")) {
      emptied += take_function(&s, text, blocks.n > 0, only);
    } else if (rtok_is(&s, t, "impl") || rtok_is(&s, t, "trait")) {
      struct rscan ahead = s;
      bool generic = opens_generic_block(&ahead, rtok_is(&s, t, "trait"));
      if (generic && blocks.n < MAX_BLOCKS && seek_brace(&ahead)) {
        blocks.depth[blocks.n++] = depth;
        s = ahead;
      }
    }
  }
}
