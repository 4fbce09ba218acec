/* Constants that stand in a function: promoteds and inline constants. Their uses name them by the
 * method (`<A as Tr>::m::promoted[0]`), their items by the impl's place. */
#ifndef MIRDC_RUSTC_PARTS_H
#define MIRDC_RUSTC_PARTS_H

#include "cargo-integration/rustc/mono.h"

/* The item of a constant by the path of its use, in any dump. `ty` is the printed type of the use,
 * or NULL. NULL when there is none, or when several would fit. */
const struct mir_item *part_const(struct prep *p, const struct prep_dump *d, const struct rty *path,
                                  const struct rty *ty);
/* What the parameters in a part's body stand for: by the path's own arguments, else, when it is a
 * part of the instance's function, those of the instance; nothing otherwise. */
struct rty_subst part_subst(struct prep *p, const struct prep_dump *d, const struct mir_item *part,
                            const struct rty *path, const struct inst *in);
/* The type of `<T as Trait>::NAME` by the impl blocks of this crate; NULL when they do not agree or
 * when it could depend on a parameter. */
const struct rty *part_assoc_ty(struct prep *p, const struct rty *path);

/* The type of `core::f64::<impl f64>::INFINITY`, `core::num::<impl u32>::MAX` and their like, which is
 * not printed; NULL: another one. */
const struct rty *part_limit_ty(const struct prep *p, const struct rty *path);
/* A promoted value or private constant of another crate, which only that crate's own text has the body
 * of; *d gets its dump. NULL (and *d as it was): none. */
const struct mir_item *part_foreign(struct prep *p, const struct rty *path, struct prep_dump **d);

#endif
