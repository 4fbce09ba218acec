/* The second printer, `-Zunpretty=stable-mir`, read for one purpose: the first printer loses the
 * operands of a closure aggregate when one variable is captured by several of its fields, the
 * second one prints them all. Both print the same bodies in the same order with the same block and
 * statement numbers; what this reader keeps is each body's closure aggregates by that position.
 *
 * Use: for a statement of kind RV_CLOSURE whose closure type has another number of captures than
 * the printed operands (or always, when the second dump is there), take smir_closure_ops. */
#ifndef MIRDC_RUSTC_SMIR_PARSE_H
#define MIRDC_RUSTC_SMIR_PARSE_H

#include "cargo-integration/rustc/mir_parse.h"

struct smir_agg {
  uint32_t block, stmt;
  uint32_t local; /* of the place assigned */
  str closure;    /* "F:l:c: l:c" */
  const struct mir_operand *ops; /* a bare place of the second printer is OP_COPY */
  uint32_t n_ops;
};
struct smir_body {
  str name;
  const uint32_t *block_stmts; /* statements of each block, without the terminator */
  uint32_t n_blocks, n_aggs;
  const struct smir_agg *aggs; /* in order */
};
struct smir_file {
  const struct smir_body *bodies;
  size_t n_bodies;
  struct map by_name; /* index + 1 */
};

bool smir_parse(const struct mir_parse_input *in, struct smir_file *out) MUST_CHECK;
void smir_file_release(struct smir_file *f);

/* The operands of the aggregate at (block, stmt) of the body that prints as `item->name`.
 * False (nothing reported) when the second dump has no such body, when its shape differs from the
 * first, or when there is no aggregate of the same closure at that place. Operand kinds (copy or
 * move) are taken from the first printer where it has the same place. */
bool smir_closure_ops(const struct smir_file *f, const struct mir_item *item, uint32_t block,
                      uint32_t stmt, const struct mir_operand **ops, uint32_t *n) MUST_CHECK;

#endif
