/* The second printer, `-Zunpretty=stable-mir`, read for one purpose: the first printer loses the
 * operands of a closure aggregate when one variable is captured by several of its fields, the
 * second one prints them all. Both print the same bodies with the same block and statement numbers,
 * but under other names (`<Sq as Shape>::area` for `<impl at F:l:c: l:c>::area`); bodies are paired
 * by the last part of their names and their exact signatures, and doubtful pairs are left out.
 *
 * Use: for a statement of kind RV_CLOSURE whose closure type has another number of captures than
 * the printed operands (or for each, when the second dump is there), take smir_closure_ops. The
 * printed field NAMES of such an aggregate are never to be trusted. */
#ifndef MIRDC_RUSTC_SMIR_PARSE_H
#define MIRDC_RUSTC_SMIR_PARSE_H

#include "cargo-integration/rustc/mir_parse.h"

struct smir_agg {
  uint32_t block, stmt;
  struct mir_place place;        /* assigned */
  str closure;                   /* "F:l:c: l:c" */
  bool known;                    /* the operands were understood */
  const struct mir_operand *ops; /* places of the second printer are OP_COPY or OP_MOVE */
  uint32_t n_ops;
};
struct smir_body {
  const struct rty *path, *ret;
  const struct rty *const *args; /* types of the parameters */
  uint32_t n_args;
  const uint32_t *block_stmts; /* statements of each block, without the terminator */
  uint32_t n_blocks, n_aggs;
  const struct smir_agg *aggs; /* in order */
};
struct smir_file {
  const struct mir_file *first;
  const struct smir_body *bodies;
  size_t n_bodies;
  const uint32_t *of_item; /* for each item of `first`: body + 1, 0 when there is none */
};

/* `first` is the tree of the first printer's dump of the same crate with the same flags; it must
 * outlive *out. Statements that are no closure aggregates are only counted. */
bool smir_parse(const struct mir_parse_input *in, const struct mir_file *first,
                struct smir_file *out) MUST_CHECK;

/* The operands, in the order of the closure's captures, of the aggregate at (block, stmt) of an
 * item of `first`. False (nothing reported) when the second dump has no such body, when its shape
 * differs from the first, or when there is no aggregate of the same closure at that place. */
bool smir_closure_ops(const struct smir_file *f, const struct mir_item *item, uint32_t block,
                      uint32_t stmt, const struct mir_operand **ops, uint32_t *n) MUST_CHECK;

#endif
