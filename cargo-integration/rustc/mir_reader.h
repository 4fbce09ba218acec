/* What the parts of the MIR reader share: the state, errors, and the steps between files
 * mir_parse.c (items), mir_parse_body.c, mir_parse_stmt.c, mir_parse_rvalue.c,
 * mir_parse_operand.c and alloc_parse.c. */
#ifndef MIRDC_RUSTC_MIR_READER_H
#define MIRDC_RUSTC_MIR_READER_H

#include "base/vec.h"
#include "cargo-integration/rustc/lex.h"
#include "cargo-integration/rustc/mir_parse.h"

#define MIR_MAX_DEPTH 200u

struct mir_file_id {
  str path;
  uint32_t id;
};

struct reader {
  const struct mir_parse_input *in;
  struct lex l;
  struct arena *arena;
  struct rty_table *types;
  bool failed;             /* an error was met; every step returns false from then on */
  struct mir_broken error; /* that error */
  unsigned depth;
  uint32_t line;   /* 1-based, of the line being read */
  size_t line_pos; /* up to where `line` has been counted */
  str item;        /* being read, for messages */
  size_t item_pos; /* where it begins, and the line of that */
  uint32_t item_line;
  const struct rty *dest_ty; /* type of the place assigned, when it is printed or declared */
  /* The highest numbers mentioned in the body, checked at its end. */
  uint32_t max_local, max_block;
  size_t max_local_at, max_block_at;
  struct mir_file_id files[8];
  unsigned next_file;
  /* Scratch, reused; each user remembers where it began. */
  VEC(struct mir_proj) projs;
  VEC(struct mir_operand) ops;
  VEC(str) names;
  VEC(struct mir_const *) unevaluated; /* of this line, waiting for the type in a comment */
  size_t next_unevaluated;
  VEC(struct mir_stmt) stmts;
  VEC(struct mir_block) blocks;
  VEC(struct mir_local) locals;
  VEC(struct mir_debug) debug;
  VEC(struct mir_scope) scopes;
  VEC(uint32_t) scope_stack;
  VEC(mir_u128) values;
  VEC(uint32_t) targets;
  VEC(struct mir_asm_op) asm_ops;
  VEC(uint8_t) bytes, init;
  VEC(struct mir_reloc) relocs;
};

void reader_init(struct reader *r, const struct mir_parse_input *in);
void reader_free(struct reader *r);

/* Notes an error (the first only) at an offset of the text, or at the cursor; always false. The
 * caller at the top decides what becomes of it. */
bool reader_fail_at(struct reader *r, enum diag_code code, size_t at, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
bool reader_fail(struct reader *r, enum diag_code code, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Steps over `what` or reports that it was expected. */
bool reader_need(struct reader *r, str what) MUST_CHECK;
#define NEED(r, lit) reader_need((r), STR(lit))
/* Turns the noted error into a diagnostic. */
struct diag *reader_report(const struct mir_broken *e, str path, struct diag_sink *sink);
bool reader_enter(struct reader *r) MUST_CHECK; /* one level deeper; pairs with depth-- */

/* Types, paths and constants; NULL after a report. */
const struct rty *read_type(struct reader *r);
const struct rty *read_path(struct reader *r);
const struct rty *read_const_arg(struct reader *r);

/* Steps over the rest of a line that holds nothing more than a comment, and over blank and
 * comment lines behind it. The first comment's place goes to *loc (may be NULL). */
bool read_line_end(struct reader *r, struct mir_loc *loc) MUST_CHECK;
uint32_t reader_line(struct reader *r); /* the line of the cursor */
/* `F:l:c: l:c` that ends the line at the cursor; SPAN_NONE when it is something else. */
struct span read_span_text(struct reader *r, str text);

/* Copies scratch above a mark into the arena and drops it. */
const struct mir_operand *take_operands(struct reader *r, size_t mark, uint32_t *n);

/* ---- places, operands (mir_parse_operand.c) ---- */
/* With `dbg`, a base `(name: ty)` is allowed and goes there. */
bool read_place(struct reader *r, struct mir_place *out, struct mir_debug *dbg) MUST_CHECK;
bool read_operand(struct reader *r, struct mir_operand *out) MUST_CHECK;
/* Behind `const `. */
bool read_const(struct reader *r, const struct mir_const **out) MUST_CHECK;
/* Operands up to and over `close`, onto the scratch. */
bool read_operands(struct reader *r, char close) MUST_CHECK;
bool read_local(struct reader *r, uint32_t *out) MUST_CHECK;     /* `_N` */
bool read_block_ref(struct reader *r, uint32_t *out) MUST_CHECK; /* `bbN` */
bool at_operand(const struct reader *r);

/* ---- right-hand sides (mir_parse_rvalue.c) ---- */
bool read_rvalue(struct reader *r, struct mir_rvalue *out) MUST_CHECK;
/* ` as T (Kind)` behind an operand. */
bool read_cast(struct reader *r, struct mir_rvalue *out) MUST_CHECK;

/* ---- statements and terminators ---- */
/* One line of a block. *is_term tells which of the two was filled. */
bool read_block_line(struct reader *r, struct mir_stmt *s, struct mir_term *t,
                     bool *is_term) MUST_CHECK;
bool read_targets(struct reader *r, struct mir_term *t, str label) MUST_CHECK;
bool read_asm(struct reader *r, struct mir_term *t) MUST_CHECK;

/* From the line behind the item's opening brace up to and over its closing one. */
bool read_body(struct reader *r, struct mir_body *b) MUST_CHECK;

/* `allocN …` at the cursor. */
bool read_alloc(struct reader *r, struct mir_alloc *out) MUST_CHECK;

#endif
