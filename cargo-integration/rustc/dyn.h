/* Trait objects.
 *
 * rustc does not print its tables of functions, and nothing outside of the device program sees
 * ours: so a table holds exactly what the program asks of it. The first use of a method through
 * `dyn Trait` gives the method a slot in all tables of that trait; the same goes for the drop, the
 * size, the alignment, and for the table of another trait that such an object is coerced to. A table
 * is an allocation of eight bytes a slot. Methods take the object as a thin pointer and their
 * arguments spread, so every implementation of one has the same signature. */
#ifndef MIRDC_RUSTC_DYN_H
#define MIRDC_RUSTC_DYN_H

#include "cargo-integration/rustc/emit.h"

/* The allocation that is the table of `ty` as `trait`: a bound of a `dyn` type, or the type itself. */
uint32_t dyn_table(struct emit *e, const struct rty *ty, const struct rty *trait);
/* `from` to `to`, which points to a trait object: writes the right-hand side. False: not that kind
 * of coercion. Coercions between traits need statements before; see e_dyn_prepare. */
bool e_dyn_unsize(struct emit *e, const struct mir_operand *op, const struct rty *from,
                  const struct rty *to);
/* Statements that go before the assignment of such a coercion; nothing for all others. */
void e_dyn_prepare(struct emit *e, const struct mir_rvalue *rv);
/* Closes the statement list with the call of the method `fndef`, whose first argument is the object. */
void e_dyn_call(struct emit *e, const struct mir_term *t, const struct rty *fndef);
/* The same for `Fn::call` ('r') and `FnMut::call_mut` ('m') with the arguments in a tuple. */
void e_dyn_call_value(struct emit *e, const struct mir_term *t, const struct mir_operand *object,
                      char how, const struct mir_operand *tuple);
/* Drops what `ptr` points to. */
void e_dyn_drop(struct emit *e, const struct mir_term *t, const struct mir_operand *ptr);
/* Writes `place = size` (or alignment) of what the argument points to, and goes on. */
void e_dyn_measure(struct emit *e, const struct mir_term *t, bool size);

/* Fills slots of tables that are still empty, which may reach new instances. *more: something was
 * done. False: reported. */
bool dyn_fill(struct prep *p, bool *more) MUST_CHECK;
/* Writes the tables into the allocations that they reserved. */
void dyn_finish(struct prep *p);
void dyn_clear(struct prep *p);

#endif
