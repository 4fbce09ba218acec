/* Tokens of Rust source, as far as the overlay needs them: comments and the insides of literals are
 * skipped for sure. */
#ifndef MIRDC_RUSTC_OVERLAY_SCAN_H
#define MIRDC_RUSTC_OVERLAY_SCAN_H

#include "base/str.h"

enum rtok_kind { RTOK_END, RTOK_IDENT, RTOK_LIFETIME, RTOK_LITERAL, RTOK_PUNCT };
struct rtok {
  enum rtok_kind kind;
  size_t lo, hi; /* byte range in the text */
  char punct;    /* RTOK_PUNCT: the character */
};
struct rscan {
  str text;
  size_t at;
};

/* The next token; text that ends inside a literal or comment ends the scan. */
struct rtok rscan_next(struct rscan *s);
/* The next token without taking it. */
struct rtok rscan_peek(const struct rscan *s);
str rtok_text(const struct rscan *s, struct rtok t);
bool rtok_is(const struct rscan *s, struct rtok t, const char *ident);
/* After an opening bracket was taken: skips to behind its partner. False at the end of the text. */
bool rscan_skip_group(struct rscan *s);

#endif
