/* The JSON writer. */
#include "base/jsonw.h"

#include <inttypes.h>

#include "base/fatal.h"

void jw_init(struct jsonw *w, bool indent) {
  *w = (struct jsonw){.indent = indent, .first = 1};
}

void jw_free(struct jsonw *w) {
  sb_free(&w->out);
}

static void line_break(struct jsonw *w) {
  if (!w->indent)
    return;
  sb_addc(&w->out, '\n');
  for (unsigned i = 0; i < w->depth; i++)
    sb_add(&w->out, STR("  "));
}

/* What stands before a value or a key: a comma and, when indenting, a new line. */
static void before(struct jsonw *w) {
  if (w->after_key) {
    w->after_key = false;
    return;
  }
  bool first = w->first & 1;
  w->first &= ~(uint64_t)1;
  if (!first)
    sb_addc(&w->out, ',');
  if (w->depth)
    line_break(w);
}

static void open(struct jsonw *w, char c) {
  before(w);
  ASSERT(w->depth < 60);
  sb_addc(&w->out, c);
  w->depth++;
  w->first = w->first << 1 | 1;
}

static void close(struct jsonw *w, char c) {
  ASSERT(w->depth);
  bool empty = w->first & 1;
  w->first >>= 1;
  w->depth--;
  if (!empty)
    line_break(w);
  sb_addc(&w->out, c);
}

void jw_object(struct jsonw *w) {
  open(w, '{');
}
void jw_array(struct jsonw *w) {
  open(w, '[');
}
void jw_end_object(struct jsonw *w) {
  close(w, '}');
}
void jw_end_array(struct jsonw *w) {
  close(w, ']');
}

static void escaped(struct strbuf *b, str s) {
  sb_addc(b, '"');
  size_t from = 0;
  for (size_t i = 0; i < s.n; i++) {
    uint8_t c = (uint8_t)s.p[i];
    if (c >= 0x20 && c != '"' && c != '\\')
      continue;
    sb_add(b, str_sub(s, from, i));
    from = i + 1;
    if (c == '"' || c == '\\')
      sb_addf(b, "\\%c", c);
    else if (c == '\n')
      sb_addz(b, "\\n");
    else if (c == '\t')
      sb_addz(b, "\\t");
    else
      sb_addf(b, "\\u%04x", c);
  }
  sb_add(b, str_drop(s, from));
  sb_addc(b, '"');
}

void jw_str(struct jsonw *w, str s) {
  before(w);
  size_t bad;
  if (utf8_valid(s, &bad)) {
    escaped(&w->out, s);
    return;
  }
  struct strbuf clean = {0};
  while (!utf8_valid(s, &bad)) {
    sb_add(&clean, str_sub(s, 0, bad));
    sb_addz(&clean, "\xef\xbf\xbd");
    s = str_drop(s, bad + 1);
  }
  sb_add(&clean, s);
  escaped(&w->out, sb_str(&clean));
  sb_free(&clean);
}

void jw_strz(struct jsonw *w, const char *z) {
  jw_str(w, str_from(z));
}

void jw_key(struct jsonw *w, const char *key) {
  ASSERT(!w->after_key);
  jw_strz(w, key);
  sb_addc(&w->out, ':');
  if (w->indent)
    sb_addc(&w->out, ' ');
  w->after_key = true;
}

void jw_u64(struct jsonw *w, uint64_t v) {
  before(w);
  if (v > (UINT64_C(1) << 53))
    sb_addf(&w->out, "\"0x%" PRIx64 "\"", v);
  else
    sb_addf(&w->out, "%" PRIu64, v);
}

void jw_i64(struct jsonw *w, int64_t v) {
  before(w);
  sb_addf(&w->out, "%" PRId64, v);
}

void jw_hex(struct jsonw *w, u128 v) {
  before(w);
  uint64_t hi = (uint64_t)(v >> 64), lo = (uint64_t)v;
  if (hi)
    sb_addf(&w->out, "\"0x%" PRIx64 "%016" PRIx64 "\"", hi, lo);
  else
    sb_addf(&w->out, "\"0x%" PRIx64 "\"", lo);
}

void jw_bool(struct jsonw *w, bool v) {
  before(w);
  sb_addz(&w->out, v ? "true" : "false");
}

void jw_null(struct jsonw *w) {
  before(w);
  sb_addz(&w->out, "null");
}

void jw_raw(struct jsonw *w, str json) {
  before(w);
  sb_add(&w->out, json);
}

void jw_newline(struct jsonw *w) {
  if (!w->indent)
    sb_addc(&w->out, '\n');
}

void jw_kstr(struct jsonw *w, const char *key, str s) {
  jw_key(w, key);
  jw_str(w, s);
}
void jw_kz(struct jsonw *w, const char *key, const char *z) {
  jw_key(w, key);
  jw_strz(w, z);
}
void jw_ku64(struct jsonw *w, const char *key, uint64_t v) {
  jw_key(w, key);
  jw_u64(w, v);
}
void jw_kbool(struct jsonw *w, const char *key, bool v) {
  jw_key(w, key);
  jw_bool(w, v);
}

void jw_ku32_or_null(struct jsonw *w, const char *key, uint32_t v, uint32_t unknown) {
  jw_key(w, key);
  if (v == unknown)
    jw_null(w);
  else
    jw_u64(w, v);
}

void jw_kdims(struct jsonw *w, const char *key, const uint32_t v[3]) {
  jw_key(w, key);
  jw_array(w);
  for (size_t i = 0; i < 3; i++)
    jw_u64(w, v[i]);
  jw_end_array(w);
}

void jw_kdigest(struct jsonw *w, const char *key, const struct digest *d) {
  char hex[65];
  digest_hex(d, hex);
  jw_kz(w, key, hex);
}
