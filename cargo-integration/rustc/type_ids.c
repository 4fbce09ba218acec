/* `TypeId::of::<T>()`. rustc's number of a type depends on where it runs; nothing outside of the device
 * program compares with ours, so any number does that is another for each type. */
#include <string.h>

#include "base/hash.h"
#include "cargo-integration/rustc/consts.h"

const struct rty *const_type_id_of(struct prep *p, const struct rty *path) {
  const struct rty *of = rty_path_parent(p->types, path), *arg;
  if (!of || !str_eq(rty_last_name(path), STR("{constant#0}")) ||
      !rty_path_is(of, "core::any::TypeId::of") || rty_path_args(of, &arg, 1) != 1)
    return NULL;
  return arg;
}

/* Labels of two closures may be alike: the number of the node is not. */
struct cmem *const_type_id(struct prep *p, const struct rty *ty) {
  struct cmem *m = cmem_new(p, 16, 8);
  str text = arena_printf(p->arena, "%u %.*s", ty->id, STR_ARG(rty_label(p->types, ty)));
  struct digest d = hash_of(text.p, text.n);
  memcpy(m->bytes, d.b, 16);
  memset(m->init, 1, 16);
  return m;
}
