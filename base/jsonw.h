/* Writes JSON text: compact or indented, deterministic, strings escaped. */
#ifndef MIRDC_BASE_JSONW_H
#define MIRDC_BASE_JSONW_H

#include "base/hash.h"

struct jsonw {
  struct strbuf out;
  bool indent; /* two spaces a level; otherwise no white space at all */
  unsigned depth;
  uint64_t first; /* bit per level: nothing written there yet */
  bool after_key;
};

void jw_init(struct jsonw *w, bool indent);
void jw_free(struct jsonw *w);
void jw_object(struct jsonw *w);
void jw_array(struct jsonw *w);
void jw_end_object(struct jsonw *w);
void jw_end_array(struct jsonw *w);
void jw_key(struct jsonw *w, const char *key);
void jw_str(struct jsonw *w, str s); /* invalid UTF-8 becomes U+FFFD */
void jw_strz(struct jsonw *w, const char *z);
void jw_u64(struct jsonw *w, uint64_t v); /* above 2^53 written as a "0x…" string */
void jw_i64(struct jsonw *w, int64_t v);
void jw_hex(struct jsonw *w, u128 v); /* always a "0x…" string */
void jw_bool(struct jsonw *w, bool v);
void jw_null(struct jsonw *w);
void jw_raw(struct jsonw *w, str json); /* trusted, already JSON */
/* A newline in compact mode, to keep lines short and diffs readable. */
void jw_newline(struct jsonw *w);
/* Shorthands for members of an object. */
void jw_kstr(struct jsonw *w, const char *key, str s);
void jw_kz(struct jsonw *w, const char *key, const char *z);
void jw_ku64(struct jsonw *w, const char *key, uint64_t v);
/* A number, or null when `v` is `unknown`. */
void jw_ku32_or_null(struct jsonw *w, const char *key, uint32_t v, uint32_t unknown);
void jw_kdims(struct jsonw *w, const char *key, const uint32_t v[3]); /* three numbers */
void jw_kdigest(struct jsonw *w, const char *key, const struct digest *d);
void jw_kbool(struct jsonw *w, const char *key, bool v);

#endif
