/* Borrowed string views and a growing string buffer. */
#ifndef MIRDC_BASE_STR_H
#define MIRDC_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 u128;

#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))
#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

/* A borrowed view of bytes; never assumed to be terminated. */
typedef struct str {
  const char *p;
  size_t n;
} str;

#define STR(lit) ((str){(lit), sizeof(lit) - 1})
#define STR_NULL ((str){NULL, 0})
/* For "%.*s"; views longer than INT_MAX are not printable. */
#define STR_ARG(s) (int)(s).n, (s).p

str str_from(const char *z); /* NULL gives the empty view */
bool str_eq(str a, str b);
bool str_eqz(str a, const char *z);
/* The same for short names, which a loop compares faster than calls. */
static inline bool str_is(str s, const char *name) {
  size_t i = 0;
  while (i < s.n && s.p[i] == name[i] && name[i])
    i++;
  return i == s.n && !name[i];
}
int str_cmp(str a, str b); /* bytewise, shorter first on a tie */
bool str_starts(str s, str prefix);
bool str_ends(str s, str suffix);
str str_sub(str s, size_t from, size_t to); /* clamps both ends to the view */
str str_drop(str s, size_t n);
str str_trim(str s); /* ASCII white space at both ends */
/* Index of the first match at or after `from`, or SIZE_MAX. */
size_t str_find(str s, str what, size_t from);
size_t str_find_char(str s, char c, size_t from);
size_t str_rfind_char(str s, char c);
/* Takes one line off the front of *rest (without its newline); false at the end. */
bool str_next_line(str *rest, str *line);
/* Decimal or 0x-prefixed; false on any other byte, on overflow and on the empty view. */
/* 0 to 15, or -1. */
int hex_digit(char c);
bool str_to_u64(str s, uint64_t *out) MUST_CHECK;
bool str_to_u128(str s, u128 *out) MUST_CHECK;
uint64_t str_hash(str s);

/* A growing buffer, always terminated once anything was appended. Zero-initialised is empty. */
struct strbuf {
  char *p;
  size_t n, cap;
};

void sb_free(struct strbuf *b);
void sb_clear(struct strbuf *b);
void sb_reserve(struct strbuf *b, size_t extra);
void sb_add(struct strbuf *b, str s);
void sb_addz(struct strbuf *b, const char *z);
void sb_addc(struct strbuf *b, char c);
void sb_addf(struct strbuf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void sb_vaddf(struct strbuf *b, const char *fmt, va_list ap) PRINTF_LIKE(2, 0);
str sb_str(const struct strbuf *b);
const char *sb_z(const struct strbuf *b); /* "" when empty */

/* True if `s` is well-formed UTF-8; *bad gets the offset of the first wrong byte. */
bool utf8_valid(str s, size_t *bad);
/* Escapes control characters and bidirectional controls so that `s` is safe on a terminal. */
void sb_add_visible(struct strbuf *b, str s);

#endif
