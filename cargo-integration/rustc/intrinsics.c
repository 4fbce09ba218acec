/* Names of rustc's intrinsics and of the math functions of its libraries. */
#include "cargo-integration/rustc/intrinsics.h"

#define F 9 /* one float type */

static const struct row {
  const char *rust, *name;
  unsigned types, consts;
} rows[] = {
#define RI(rust, name, types, consts) {rust, name, types, consts},
#define LM(rust, name)
#include "base/rust_intrinsics.def"
};

static const struct math_row {
  const char *rust, *name;
} math_rows[] = {
#define RI(rust, name, types, consts)
#define LM(rust, name) {rust, name},
#include "base/rust_intrinsics.def"
};
#undef LM

str intrinsic_base(const struct rty *path) {
  return path->n_segs ? path->segs[path->n_segs - 1].name : STR_NULL;
}

/* Cuts "f32" or "_f32" off; the float's type or NULL. */
static const struct rty *cut_width(struct rty_table *t, str *name) {
  static const struct {
    const char *text;
    enum rty_prim prim;
  } widths[] = {{"f16", PRIM_F16}, {"f32", PRIM_F32}, {"f64", PRIM_F64}};
  for (size_t i = 0; i < COUNT_OF(widths); i++) {
    if (!str_ends(*name, str_from(widths[i].text)))
      continue;
    name->n -= 3;
    if (name->n && name->p[name->n - 1] == '_')
      name->n--;
    return rty_prim(t, widths[i].prim);
  }
  return NULL;
}

bool intrinsic_ordering(const struct rty *c, uint64_t *out) {
  /* Numbers of the enum in core: Relaxed, Release, Acquire, AcqRel, SeqCst. */
  static const uint64_t ours[] = {0, 2, 1, 3, 4};
  while (c->kind == RTY_CONST_BRANCH && c->n_args == 1)
    c = c->args[0];
  if (c->kind != RTY_CONST || c->lo >= COUNT_OF(ours) || c->hi)
    return false;
  *out = ours[c->lo];
  return true;
}

static bool is_const_arg(const struct rty *a) {
  return a->kind == RTY_CONST || a->kind == RTY_CONST_BRANCH || a->kind == RTY_CONST_PARAM ||
         a->kind == RTY_CONST_OPEN;
}

static bool take_args(const struct row *r, const struct rty *path, struct intrinsic *out) {
  const struct rty_seg *s = &path->segs[path->n_segs - 1];
  uint32_t types = 0;
  for (uint32_t i = 0; i < s->n_args; i++) {
    const struct rty *a = s->args[i];
    if (a->kind == RTY_LIFETIME)
      continue;
    if (is_const_arg(a)) {
      if (out->n_consts == r->consts || !intrinsic_ordering(a, &out->consts[out->n_consts++]))
        return false;
    } else if (types++ < r->types && types <= COUNT_OF(out->types)) {
      out->types[out->n_types++] = a;
    }
  }
  return out->n_consts == r->consts && out->n_types == r->types;
}

bool intrinsic_find(struct rty_table *t, const struct rty *path, struct intrinsic *out) {
  str name = intrinsic_base(path);
  const struct rty *width = cut_width(t, &name);
  const struct rty_seg *s = &path->segs[path->n_segs - 1];
  *out = (struct intrinsic){.name = NULL};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    const struct row *r = &rows[i];
    if (!str_eqz(name, r->rust))
      continue;
    out->name = r->name;
    if (r->types == F) {
      out->n_types = 1;
      out->types[0] = width ? width : s->n_args ? s->args[0] : NULL;
      return out->types[0] != NULL && out->types[0]->kind == RTY_PRIM;
    }
    return width == NULL && take_args(r, path, out);
  }
  return false;
}

const char *intrinsic_of_libm(const struct rty *path, const struct rty **ty, struct rty_table *t) {
  str n = path->name;
  if (!str_starts(n, STR("std::sys::cmath::")) && !str_starts(n, STR("core::num::libm::")) &&
      !str_starts(n, STR("core::num::imp::libm::")))
    return NULL;
  str last = rty_last_name(path);
  for (size_t i = 0; i < COUNT_OF(math_rows); i++) {
    str want = str_from(math_rows[i].rust);
    bool single = last.n == want.n + 1 && last.p[want.n] == 'f';
    if (!str_starts(last, want) || (last.n != want.n && !single))
      continue;
    *ty = rty_prim(t, single ? PRIM_F32 : PRIM_F64);
    return math_rows[i].name;
  }
  return NULL;
}
