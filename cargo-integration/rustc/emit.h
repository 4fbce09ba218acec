/* Bodies: one instance to its JSON text. */
#ifndef MIRDC_RUSTC_EMIT_H
#define MIRDC_RUSTC_EMIT_H

#include "cargo-integration/rustc/mono.h"
#include "cargo-integration/rustc/types.h"

struct extra_block { /* made here: `drop(place)` then goto */
  str json;
};

struct emit {
  struct prep *p;
  struct inst *in;
  const struct mir_body *mir;
  struct jsonw w;
  uint32_t *local_map;  /* by MIR local; PREP_NONE: not used */
  uint32_t *local_order; /* n_locals MIR locals, in the order that they are written */
  const struct rty **local_ty; /* by MIR local, substituted */
  uint32_t *block_map;  /* by MIR block */
  uint8_t *block_state; /* enum block_state */
  struct span *seen;    /* by MIR block: p->seen at the end of one that leads to it */
  uint32_t *scope_at;   /* by scope: number of the call site's span; scope_done tells */
  bool *scope_done;
  uint32_t *scope_var; /* by scope: the first variable in it + 1 */
  uint32_t *lexical;     /* by scope: what prep_scope gave; lexical_done tells */
  bool *lexical_done;
  const str *local_name; /* by MIR local, empty for temporaries */
  str vars;              /* JSON; empty: none, or not asked for */
  VEC(const struct rty *) extra_locals; /* numbered after the mapped ones */
  VEC(struct extra_block) extra_blocks; /* numbered after the live ones */
  uint32_t n_locals, n_blocks;
  struct span span;
  struct span place; /* of the statement itself, be it in a library */
  uint32_t span_id;
  uint32_t dyn_data, dyn_slot; /* locals for the coercion that follows; see e_dyn_prepare */
  unsigned constant_depth; /* inside a constant's body: `place` is not its statement's */
  bool failed;
};

enum block_state { BLOCK_DEAD, BLOCK_LIVE, BLOCK_PANIC };

/* Writes the instance's text into in->text. False: reported. */
bool emit_instance(struct prep *p, struct inst *in) MUST_CHECK;
/* emit_shim.c: a function that no source has. */
bool emit_shim(struct prep *p, struct inst *in) MUST_CHECK;

/* ---- shared by the emitters ---- */
const struct rty *e_ty(struct emit *e, const struct rty *ty);
struct diag *e_error(struct emit *e, enum diag_code c, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* The type of the first n steps of a place; NULL after reporting. Fields seen are noted. */
const struct rty *e_place_ty(struct emit *e, const struct mir_place *pl, uint32_t n);
const struct rty *e_operand_ty(struct emit *e, const struct mir_operand *op);
/* The number of a variant by name; notes that the type is an enum. */
void e_variant(struct emit *e, const struct rty *t, str name, uint32_t *v);
void e_place(struct emit *e, const struct mir_place *pl);
/* `hint`: the type when a constant's own is not printed; may be NULL. */
void e_operand(struct emit *e, const struct mir_operand *op, const struct rty *hint);
void e_local_place(struct emit *e, uint32_t out_local); /* [n] */
uint32_t e_new_local(struct emit *e, const struct rty *ty);
uint32_t e_block(struct emit *e, uint32_t mir_block);
void e_block_or_null(struct emit *e, uint32_t mir_block);
void e_span(struct emit *e);
void e_zero(struct emit *e, const struct rty *ty);
/* A scalar of an integer type. */
void e_int(struct emit *e, const struct rty *ty, u128 v);
void e_set_span(struct emit *e, const struct mir_loc *loc);
/* The open statement list takes `place = ` and the caller writes the right side, then e_end. */
void e_begin_assign(struct emit *e, const struct mir_place *pl);
void e_begin_assign_local(struct emit *e, uint32_t out_local);
void e_end_assign(struct emit *e);
/* `["use",op]` */
void e_use(struct emit *e, const struct mir_operand *op, const struct rty *hint);

/* Puts the function's text together from e->w (the blocks) and the locals. */
void e_write_fn(struct emit *e, uint32_t n_args, uint32_t span);

/* emit_debug.c */
bool e_in_library(struct emit *e, struct span s);
void e_plan_debug(struct emit *e);
/* The number of a statement's span, with what it was inlined into and its lexical scope. */
uint32_t e_span_of(struct emit *e, const struct mir_loc *loc);
/* Fills e->vars when the unit is for debuggers. */
void e_write_vars(struct emit *e);

/* emit_stmt.c */
void e_stmt(struct emit *e, uint32_t block, uint32_t n);
/* emit_call.c: closes the statement list and writes the terminator */
void e_call(struct emit *e, const struct mir_term *t);
/* Calls a value (closure, function item, pointer) with a tuple of arguments. */
void e_call_value(struct emit *e, const struct mir_term *t, const struct mir_operand *fn,
                  const struct mir_operand *tuple);
/* Calls an intrinsic of the table by name; refuses others. */
void e_call_intrinsic(struct emit *e, const struct mir_term *t, const struct rty *path);
/* emit_term.c */
/* The glue that drops a T; NULL when nothing is to do, or when it is not known yet (*pending). */
struct inst *e_drop_inst(struct emit *e, const struct rty *ty, bool *pending);
void e_term(struct emit *e, const struct mir_term *t);
void e_goto(struct emit *e, uint32_t mir_block);
void e_trap(struct emit *e, const char *code, str message);
/* emit_intr.c: closes the statement list and writes the terminator */
void e_no_op(struct emit *e, const struct mir_term *t); /* assigns the unit result and goes on */
void e_intrinsic(struct emit *e, const struct mir_term *t, const struct rty *path);
/* emit_native.c: the callee's text and how many of the arguments go along. False: reported, or not
 * known yet. */
bool e_native(struct emit *e, const struct mir_term *t, const struct rty *path, str *callee,
              uint32_t *n_args) MUST_CHECK;
/* emit_panic.c */
void panic_analyse(struct emit *e);
void panic_write(struct emit *e, uint32_t block);
const struct rty *callee_fndef(const struct mir_operand *op);
/* emit_asm.c */
void e_asm(struct emit *e, const struct mir_term *t);

#endif
