/* Blanking `#[inline(never)]`, and finding the modules that a source file names. */
#include "cargo-integration/rustc/overlay_blank.h"

#include "cargo-integration/rustc/overlay_scan.h"

/* At most this many `inline(never)` of one item are remembered; a second one is an error anyway. */
#define MAX_PER_ITEM 4

struct attrs {
  size_t lo[MAX_PER_ITEM], hi[MAX_PER_ITEM]; /* the parenthesised part */
  size_t n;
  bool registers;
};

/* After `#` `[`: reads one attribute up to behind its `]`. */
static bool read_attribute(struct rscan *s, struct attrs *a) {
  struct rtok first = rscan_next(s);
  bool is_inline = rtok_is(s, first, "inline");
  bool in_path = true;
  size_t depth = 1;
  struct rtok t = first;
  struct rtok before = {0};
  for (;;) {
    if (t.kind == RTOK_END) {
      return false;
    }
    if (t.kind == RTOK_PUNCT) {
      bool open = t.punct == '(' || t.punct == '[' || t.punct == '{';
      bool close = t.punct == ')' || t.punct == ']' || t.punct == '}';
      in_path = in_path && t.punct == ':';
      depth += open;
      depth -= close;
      if (depth == 0) {
        return true;
      }
    }
    /* `register` as the path's last segment, or anywhere in a cfg_attr. */
    if (rtok_is(s, t, "register") && (in_path || rtok_is(s, first, "cfg_attr"))) {
      a->registers = true;
    }
    if (is_inline && rtok_is(s, t, "never") && before.kind == RTOK_PUNCT && before.punct == '(' &&
        depth == 2) {
      struct rtok close = rscan_peek(s);
      if (close.kind == RTOK_PUNCT && close.punct == ')' && a->n < MAX_PER_ITEM) {
        a->lo[a->n] = before.lo;
        a->hi[a->n] = close.hi;
        a->n++;
      }
    }
    before = t;
    t = rscan_next(s);
  }
}

/* Functions of the device crate whose name starts so are marks that the pass looks for: their calls
 * must stay. */
static bool names_a_mark(struct rscan s) {
  for (int i = 0; i < 16; i++) {
    struct rtok t = rscan_next(&s);
    if (rtok_is(&s, t, "fn")) {
      struct rtok name = rscan_next(&s);
      return name.kind == RTOK_IDENT && str_starts(rtok_text(&s, name), STR("__mirdc"));
    }
    if (t.kind == RTOK_END || (t.kind == RTOK_PUNCT && (t.punct == '{' || t.punct == ';'))) {
      return false;
    }
  }
  return false;
}

static void blank_range(char *text, size_t lo, size_t hi) {
  for (size_t i = lo; i < hi; i++) {
    if (text[i] != '\n' && text[i] != '\r') {
      text[i] = ' ';
    }
  }
}

size_t overlay_blank(char *text, size_t n) {
  struct rscan s = {{text, n}, 0};
  struct attrs a = {0};
  size_t blanked = 0;
  for (;;) {
    struct rscan before = s;
    struct rtok t = rscan_next(&s);
    if (t.kind == RTOK_PUNCT && t.punct == '#') {
      struct rtok u = rscan_peek(&s);
      if (u.kind == RTOK_PUNCT && u.punct == '[') {
        (void)rscan_next(&s);
        if (!read_attribute(&s, &a)) {
          return blanked;
        }
        continue;
      }
    }
    /* The attributes are over; `t` starts the item. */
    if (a.n > 0 && !a.registers && !names_a_mark(before)) {
      for (size_t i = 0; i < a.n; i++) {
        blank_range(text, a.lo[i], a.hi[i]);
        blanked++;
      }
    }
    a = (struct attrs){0};
    if (t.kind == RTOK_END) {
      return blanked;
    }
  }
}

struct inline_mods {
  str name[32];
  size_t depth[32];
  size_t n;
};

/* The folder below the file's own module folder: names of enclosing inline modules. */
static void report(const struct inline_mods *m, str name, mod_found found, void *ctx) {
  struct strbuf b = {0};
  for (size_t i = 0; i < m->n; i++) {
    sb_add(&b, m->name[i]);
    sb_addc(&b, '/');
  }
  sb_add(&b, name);
  found(ctx, sb_str(&b));
  sb_free(&b);
}

void overlay_mods(str text, mod_found found, void *ctx) {
  struct rscan s = {text, 0};
  struct inline_mods m = {0};
  size_t depth = 0;
  for (;;) {
    struct rtok t = rscan_next(&s);
    if (t.kind == RTOK_END) {
      return;
    }
    if (t.kind == RTOK_PUNCT) {
      depth += t.punct == '{';
      if (t.punct == '}' && depth > 0) {
        depth--;
        if (m.n > 0 && m.depth[m.n - 1] == depth) {
          m.n--;
        }
      }
    }
    if (!rtok_is(&s, t, "mod")) {
      continue;
    }
    struct rtok name = rscan_peek(&s);
    if (name.kind != RTOK_IDENT) {
      continue;
    }
    (void)rscan_next(&s);
    str n = rtok_text(&s, name);
    n = str_starts(n, STR("r#")) ? str_drop(n, 2) : n;
    struct rtok after = rscan_peek(&s);
    if (after.kind == RTOK_PUNCT && after.punct == ';') {
      report(&m, n, found, ctx);
    } else if (after.kind == RTOK_PUNCT && after.punct == '{' && m.n < COUNT_OF(m.name)) {
      m.name[m.n] = n;
      m.depth[m.n] = depth;
      m.n++;
    }
  }
}
