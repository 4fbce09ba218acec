/* Reading metadata lines. */
#include "cargo-integration/rustc/di_ir.h"

#include <string.h>

/* "!12 = …": the number, and where the text begins. */
static bool node_line(str line, uint32_t *id, str *body) {
  size_t i = 1;
  uint64_t n = 0;
  if (line.n < 6 || line.p[0] != '!') {
    return false;
  }
  while (i < line.n && line.p[i] >= '0' && line.p[i] <= '9' && n < 100000000) {
    n = n * 10 + (uint64_t)(line.p[i] - '0');
    i++;
  }
  if (i == 1 || !str_starts(str_drop(line, i), STR(" = "))) {
    return false;
  }
  str b = str_drop(line, i + 3);
  if (str_starts(b, STR("distinct "))) {
    b = str_drop(b, 9);
  }
  *id = (uint32_t)n;
  *body = b;
  return true;
}

void di_ir_read(struct di_ir *ir, struct arena *a, str text) {
  str rest = text;
  str line;
  *ir = (struct di_ir){.arena = a};
  while (str_next_line(&rest, &line)) {
    uint32_t id = 0;
    str body = STR_NULL;
    if (!node_line(line, &id, &body)) {
      continue;
    }
    while (ir->nodes.n <= id) {
      vec_push(a, &ir->nodes, STR_NULL);
    }
    ir->nodes.p[id] = body;
  }
}

str di_node(const struct di_ir *ir, uint32_t id) {
  return id < ir->nodes.n ? ir->nodes.p[id] : STR_NULL;
}

bool di_is(str node, const char *kind) {
  size_t n = strlen(kind);
  return node.n > n + 1 && node.p[0] == '!' && memcmp(node.p + 1, kind, n) == 0 &&
         node.p[n + 1] == '(';
}

/* Behind a quoted string that starts at i. */
static size_t skip_string(str s, size_t i) {
  size_t close = str_find_char(s, '"', i + 1); /* quotes inside are written \22 */
  return close == SIZE_MAX ? s.n : close + 1;
}

/* The end of a value that starts at i: a comma or the closing bracket at its level. */
static size_t value_end(str s, size_t i) {
  int depth = 0;
  while (i < s.n) {
    char c = s.p[i];
    if (c == '"') {
      i = skip_string(s, i);
      continue;
    }
    depth += c == '(' || c == '{';
    if (c == ')' || c == '}') {
      if (depth == 0) {
        return i;
      }
      depth--;
    }
    if (c == ',' && depth == 0) {
      return i;
    }
    i++;
  }
  return s.n;
}

str di_get(str node, const char *key) {
  size_t k = strlen(key);
  size_t i = str_find_char(node, '(', 0);
  if (i == SIZE_MAX) {
    return STR_NULL;
  }
  i++;
  while (i < node.n && node.p[i] != ')') {
    while (i < node.n && (node.p[i] == ' ' || node.p[i] == ',')) {
      i++;
    }
    size_t colon = i;
    while (colon < node.n && node.p[colon] != ':' && node.p[colon] != ')') {
      colon++;
    }
    if (colon >= node.n || node.p[colon] == ')') {
      return STR_NULL;
    }
    size_t v = colon + 1;
    while (v < node.n && node.p[v] == ' ') {
      v++;
    }
    size_t end = value_end(node, v);
    if (colon - i == k && memcmp(node.p + i, key, k) == 0) {
      return str_sub(node, v, end);
    }
    i = end;
  }
  return STR_NULL;
}

bool di_get_u64(str node, const char *key, uint64_t *out) {
  str v = di_get(node, key);
  *out = 0;
  return v.n == 0 || str_to_u64(v, out);
}

bool di_get_ref(str node, const char *key, uint32_t *out) {
  str v = di_get(node, key);
  uint64_t n = 0;
  if (v.n < 2 || v.p[0] != '!' || !str_to_u64(str_drop(v, 1), &n) || n > UINT32_MAX) {
    return false;
  }
  *out = (uint32_t)n;
  return true;
}

str di_get_string(const struct di_ir *ir, str node, const char *key) {
  str v = di_get(node, key);
  if (v.n < 2 || v.p[0] != '"') {
    return STR_NULL;
  }
  v = str_sub(v, 1, v.n - 1);
  if (str_find_char(v, '\\', 0) == SIZE_MAX) {
    return v;
  }
  char *z = arena_alloc(ir->arena, v.n + 1, 1);
  size_t n = 0;
  for (size_t i = 0; i < v.n; i++) {
    if (v.p[i] == '\\' && i + 2 < v.n && hex_digit(v.p[i + 1]) >= 0 && hex_digit(v.p[i + 2]) >= 0) {
      z[n++] = (char)(hex_digit(v.p[i + 1]) * 16 + hex_digit(v.p[i + 2]));
      i += 2;
    } else {
      z[n++] = v.p[i];
    }
  }
  return (str){z, n};
}

size_t di_tuple(const struct di_ir *ir, str node, uint32_t **ids) {
  VEC(uint32_t) v = {0};
  size_t i = 0;
  while ((i = str_find_char(node, '!', i)) != SIZE_MAX) {
    size_t lo = ++i;
    while (i < node.n && node.p[i] >= '0' && node.p[i] <= '9') {
      i++;
    }
    uint64_t n = 0;
    if (i > lo && str_to_u64(str_sub(node, lo, i), &n) && n <= UINT32_MAX) {
      vec_push(ir->arena, &v, (uint32_t)n);
    }
  }
  *ids = v.p;
  return v.n;
}
