/* The table of own bodies. */
#include "cargo-integration/rustc/own_bodies.h"

#include "base/fatal.h"

static const struct own_body BODIES[] = {
#define OWN(path, name, text) {path, name, text},
#include "cargo-integration/rustc/own_bodies.def"
#undef OWN
};

/* `<T as core::Trait>::method` is `core::Trait::method` in the table; core is core by whatever name. */
static str plain_name(struct prep *p, const struct rty *path) {
  const struct rty *bare = rty_path_bare(p->types, path);
  const struct rty_seg *first = &path->segs[0];
  str name = bare->name;
  if (first->kind == SEG_QSELF) {
    if (!first->trait)
      return STR_NULL;
    name = rty_path_bare(p->types, first->trait)->name;
    for (uint32_t i = 1; i < path->n_segs; i++)
      name = arena_printf(p->arena, "%.*s::%.*s", STR_ARG(name), STR_ARG(path->segs[i].name));
  }
  if (str_starts(name, STR("std::")))
    name = arena_printf(p->arena, "core::%.*s", STR_ARG(str_drop(name, 5)));
  return name;
}

const struct own_body *own_body_find(struct prep *p, const struct rty *path) {
  str name = path->kind == RTY_PATH ? plain_name(p, path) : STR_NULL;
  for (size_t i = 0; name.n && i < COUNT_OF(BODIES); i++)
    if (str_eqz(name, BODIES[i].path))
      return &BODIES[i];
  return NULL;
}
