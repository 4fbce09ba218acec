/* Metadata lines of textual LLVM IR, as rustc writes them. */
#ifndef MIRDC_RUSTC_DI_IR_H
#define MIRDC_RUSTC_DI_IR_H

#include "base/vec.h"

struct di_ir {
  struct arena *arena;
  VEC(str) nodes; /* by number: the text behind "!N = "; empty where there is none */
};

void di_ir_read(struct di_ir *ir, struct arena *a, str text);
/* The node's text; empty when the number is unknown. */
str di_node(const struct di_ir *ir, uint32_t id);
/* Does the node start with `!Kind(`? */
bool di_is(str node, const char *kind);
/* Value of `key:` at the top level of a node; empty if absent. Strings come with their quotes. */
str di_get(str node, const char *key);
bool di_get_u64(str node, const char *key, uint64_t *out); /* absent: 0; false: not a number */
bool di_get_ref(str node, const char *key, uint32_t *out); /* false: absent or null */
/* A string value, unescaped into the arena; empty if absent. */
str di_get_string(const struct di_ir *ir, str node, const char *key);
/* Numbers in a tuple node `!{!1, null, !2}`. */
size_t di_tuple(const struct di_ir *ir, str node, uint32_t **ids);

#endif
