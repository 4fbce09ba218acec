/* A cursor over dump text: the few steps every reader here is made of. None of them allocates or
 * reports; all stop at the end of the text. */
#ifndef MIRDC_RUSTC_LEX_H
#define MIRDC_RUSTC_LEX_H

#include "base/str.h"

struct lex {
  str text;
  size_t pos;
};

/* The byte at the cursor (or `ahead` further), 0 at the end. */
static inline char lex_peek(const struct lex *l) {
  return l->pos < l->text.n ? l->text.p[l->pos] : '\0';
}
static inline char lex_peek_at(const struct lex *l, size_t ahead) {
  return ahead < l->text.n - l->pos ? l->text.p[l->pos + ahead] : '\0';
}
static inline bool lex_end(const struct lex *l) {
  return l->pos >= l->text.n;
}

/* Does the text go on with these bytes? lex_eat also steps over them. */
bool lex_at(const struct lex *l, str what);
bool lex_eat(struct lex *l, str what);
#define LEX_AT(l, lit) lex_at((l), STR(lit))
#define LEX_EAT(l, lit) lex_eat((l), STR(lit))

bool lex_is_ident_start(char c); /* letters, underscore, bytes of non-ASCII characters */
bool lex_is_ident(char c);
bool lex_is_digit(char c);
bool lex_is_hex(char c);

/* An identifier, `r#` allowed in front; empty when there is none. */
str lex_ident(struct lex *l);
/* Decimal digits; false without a digit or above the limit. */
bool lex_u64(struct lex *l, uint64_t *out) MUST_CHECK;
bool lex_u32(struct lex *l, uint32_t *out) MUST_CHECK;
/* Hex digits without prefix, at most 32; *digits counts them. */
bool lex_hex128(struct lex *l, uint64_t *lo, uint64_t *hi, unsigned *digits) MUST_CHECK;
/* Spaces and tabs. */
void lex_blanks(struct lex *l);
/* Steps over text with balanced (), [], {} up to one of the bytes in `stops` at depth 0. Strings
 * and character literals are stepped over whole; `->` and `=>` do not close anything; < and > are
 * only counted when `angles` is set. False when the text ends or a bracket does not match. */
bool lex_balanced(struct lex *l, const char *stops, bool angles) MUST_CHECK;
/* A string literal with Rust's escapes at the cursor; the view is without quotes. */
bool lex_string(struct lex *l, str *out) MUST_CHECK;

#endif
