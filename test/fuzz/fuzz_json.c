/* The JSON scan, the cursor and the pull reader: all three must agree on every text that the scan
 * takes, and a refusal must be reported. */
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool c) {
  if (!c)
    abort();
}

static size_t walk(const struct json_at *at) {
  size_t n = 1;
  struct json_at e;
  uint64_t v;
  u128 w;
  int64_t i;
  str s;
  bool b;
  switch (json_kind(at)) {
  case JSON_ARRAY:
  case JSON_OBJECT:
    JSON_EACH(at, e) {
      n += walk(&e);
    }
    break;
  case JSON_NUMBER:
    (void)!json_u64(at, UINT64_MAX, &v);
    (void)!json_u128(at, &w);
    (void)!json_i64(at, &i);
    break;
  case JSON_STRING:
    require(json_str(at, &s));
    break;
  case JSON_BOOL:
    require(json_bool(at, &b));
    break;
  case JSON_NULL:
    break;
  }
  return n;
}

static size_t pull(struct json_pull *j) {
  struct json_pull k;
  size_t n = 1;
  u128 w;
  str s;
  bool b;
  switch (jp_kind(j)) {
  case JSON_ARRAY:
    require(jp_array(j));
    while (jp_more(j))
      n += pull(j);
    break;
  case JSON_OBJECT:
    require(jp_object(j));
    while (jp_member(j, &s))
      n += pull(j);
    break;
  case JSON_NUMBER:
    k = *j;
    (void)!jp_u128(&k, &w); /* refused when it is no such integer */
    jp_skip(j);
    break;
  case JSON_STRING:
    require(jp_str(j, &s));
    break;
  case JSON_BOOL:
    require(jp_bool(j, &b));
    break;
  case JSON_NULL:
    require(jp_null(j));
    break;
  }
  return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct source_map sources;
  struct diag_sink sink;
  struct arena arena = {0};
  struct json_doc *doc;
  source_map_init(&sources);
  diag_sink_init(&sink, &sources);
  struct json_text t = {{(const char *)data, size}, STR("fuzz"), &sink, MD0200, MD0201};
  if (json_parse_all(&t, &arena, &doc)) {
    require(sink.errors == 0);
    struct json_at root = json_root(doc);
    struct json_pull j;
    size_t lo = 0;
    while (lo < size &&
           (data[lo] == ' ' || data[lo] == '\n' || data[lo] == '\r' || data[lo] == '\t'))
      lo++;
    jp_init(&j, &t, (struct json_slice){lo, size}, &arena);
    require(walk(&root) == pull(&j));
  } else {
    require(sink.errors == 1);
  }
  arena_free(&arena);
  diag_sink_free(&sink);
  source_map_free(&sources);
  return 0;
}
