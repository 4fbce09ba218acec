/* Text to tree: cJSON parses, the result is copied into an arena. cJSON's hooks belong to the whole
 * process, and two of our libraries may be in one, so they are left alone and its own tree ends
 * here. The scan has checked grammar, depth and encoding before. */
#include "base/json_tree.h"

#include <cJSON.h>

/* Numbers of more digits would lose some in a double. They are quoted before the parse, with a
 * first byte that no valid text holds, and so stay distinguishable from strings. */
#define EXACT_DIGITS 15u
#define LONG_NUMBER '\xff'

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool in_number(char c) {
  return is_digit(c) || c == '.' || c == '+' || c == '-' || c == 'e' || c == 'E';
}

/* A number with more than 15 digits covers a byte whose offset is 15 modulo 16: a quick look that
 * is right to say no. */
static bool may_have_long_number(str s) {
  for (size_t p = EXACT_DIGITS; p < s.n; p += EXACT_DIGITS + 1)
    if (in_number(s.p[p]) && in_number(s.p[p - 1]) + (p + 1 < s.n && in_number(s.p[p + 1])) > 0)
      return true;
  return false;
}

/* Offset of the next number with too many digits, or SIZE_MAX; *len gets its length. */
static size_t find_long_number(str s, size_t from, size_t *len) {
  size_t p = from;
  while (p < s.n) {
    if (s.p[p] == '"') {
      p = json_skip_string(s, p);
    } else if (is_digit(s.p[p]) || s.p[p] == '-') {
      size_t lo = p, digits = 0;
      while (p < s.n && in_number(s.p[p]))
        digits += is_digit(s.p[p++]);
      *len = p - lo;
      if (digits > EXACT_DIGITS)
        return lo;
    } else {
      p++;
    }
  }
  return SIZE_MAX;
}

/* Into `b`, which stays empty when there is nothing to quote. */
static str quote_long_numbers(str s, struct strbuf *b) {
  size_t len, at = may_have_long_number(s) ? find_long_number(s, 0, &len) : SIZE_MAX, done = 0;
  if (at == SIZE_MAX)
    return s;
  for (; at != SIZE_MAX; at = find_long_number(s, at + len, &len)) {
    sb_add(b, str_sub(s, done, at));
    sb_addc(b, '"');
    sb_addc(b, LONG_NUMBER);
    sb_add(b, str_sub(s, at, at + len));
    sb_addc(b, '"');
    done = at + len;
  }
  sb_add(b, str_drop(s, done));
  return sb_str(b);
}

static void copy_value(const cJSON *c, struct json_node *n, struct arena *a) {
  switch (c->type & 0xff) {
  case cJSON_False:
  case cJSON_True:
    n->kind = JSON_BOOL;
    n->truth = (c->type & 0xff) == cJSON_True;
    return;
  case cJSON_Number:
    n->kind = JSON_NUMBER;
    n->number = c->valuedouble;
    return;
  case cJSON_String: {
    str s = str_from(c->valuestring);
    bool is_long = s.n > 0 && s.p[0] == LONG_NUMBER;
    n->kind = is_long ? JSON_NUMBER : JSON_STRING;
    n->text = arena_str(a, is_long ? str_drop(s, 1) : s);
    return;
  }
  case cJSON_Array:
    n->kind = JSON_ARRAY;
    return;
  case cJSON_Object:
    n->kind = JSON_OBJECT;
    return;
  default:
    n->kind = JSON_NULL;
  }
}

static struct json_node *copy_tree(const cJSON *c, struct arena *a) {
  struct json_node *first = NULL, **end = &first;
  for (; c; c = c->next) {
    struct json_node *n = arena_new(a, struct json_node);
    copy_value(c, n, a);
    if (c->string)
      n->key = arena_str(a, str_from(c->string));
    n->child = copy_tree(c->child, a);
    *end = n;
    end = &n->next;
  }
  return first;
}

struct json_node *json_tree(str text, struct arena *a) {
  struct strbuf quoted = {0};
  str s = quote_long_numbers(text, &quoted);
  cJSON *c = cJSON_ParseWithLengthOpts(s.p, s.n, NULL, 0);
  struct json_node *root = copy_tree(c, a);
  cJSON_Delete(c);
  sb_free(&quoted);
  return root;
}
