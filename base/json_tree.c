/* Text to tree, into an arena. The scan has checked grammar, depth and encoding before. */
#include "base/json_tree.h"

#include "base/fatal.h"

struct builder {
  str text;
  size_t at;
  struct arena *a;
};

static void space(struct builder *b) {
  b->at = json_skip_space(b->text, b->at);
}

static str string(struct builder *b) {
  str s = arena_str(b->a, json_decode_string(b->text, b->at, b->a));
  b->at = json_skip_string(b->text, b->at);
  return s;
}

static bool in_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '.' || c == '+' || c == '-' ||
         c == 'E';
}

/* A number, true, false or null. */
static str word(struct builder *b) {
  size_t lo = b->at;
  while (b->at < b->text.n && in_word(b->text.p[b->at]))
    b->at++;
  return str_sub(b->text, lo, b->at);
}

static void scalar(struct builder *b, struct json_node *n) {
  if (b->text.p[b->at] == '"') {
    n->kind = JSON_STRING;
    n->text = string(b);
    return;
  }
  str w = word(b);
  n->kind = w.p[0] == 'n' ? JSON_NULL : w.p[0] == 't' || w.p[0] == 'f' ? JSON_BOOL : JSON_NUMBER;
  n->truth = w.p[0] == 't';
  if (n->kind == JSON_NUMBER)
    n->text = arena_str(b->a, w);
}

/* The end of what is open, or a comma in front of the next item. */
static bool closes(struct builder *b) {
  space(b);
  char c = b->text.p[b->at];
  if (c == ',') {
    b->at++;
    space(b);
    return false;
  }
  if (c != ']' && c != '}')
    return false;
  b->at++;
  return true;
}

struct json_node *json_tree(str text, struct arena *a) {
  struct builder b = {text, 0, a};
  struct json_node *open[JSON_MAX_DEPTH + 1], **end[JSON_MAX_DEPTH + 1], *root = NULL;
  unsigned depth = 0;
  end[0] = &root;
  space(&b);
  for (;;) {
    if (depth > 0 && closes(&b)) {
      if (--depth == 0)
        return root;
      continue;
    }
    struct json_node *n = arena_new(a, struct json_node);
    if (depth > 0 && open[depth]->kind == JSON_OBJECT) {
      n->key = string(&b);
      space(&b);
      b.at++; /* the colon */
      space(&b);
    }
    *end[depth] = n;
    end[depth] = &n->next;
    char c = text.p[b.at];
    if (c == '[' || c == '{') {
      n->kind = c == '[' ? JSON_ARRAY : JSON_OBJECT;
      ASSERT(depth < JSON_MAX_DEPTH);
      open[++depth] = n;
      end[depth] = &n->child;
      b.at++;
      continue;
    }
    scalar(&b, n);
    if (depth == 0)
      return root;
  }
}
