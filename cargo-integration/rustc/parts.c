/* Finds promoteds and inline constants of methods. */
#include "cargo-integration/rustc/parts.h"

#include "cargo-integration/rustc/generics.h"

static const struct rty *strip_refs(const struct rty *t) {
  while (t != NULL && t->kind == RTY_REF)
    t = t->elem;
  return t;
}

/* The type whose method `path` is. */
static const struct rty *self_of(struct prep *p, const struct rty *path) {
  if (path->segs[0].kind == SEG_QSELF)
    return strip_refs(path->segs[0].self);
  return rty_path_parent(p->types, path);
}

/* Does the method take or give its type, so that it cannot be another type's? */
static bool mentions_self(struct prep *p, const struct mir_item *method, const struct rty *path) {
  const struct rty *self = self_of(p, path);
  for (uint32_t i = 0; i <= method->body.n_args; i++)
    if (strip_refs(mir_local_ty(&method->body, i)) == self)
      return true;
  return false;
}

static bool in_impl(const struct mir_item *item) {
  return item->path->n_segs >= 2 && item->path->segs[item->path->n_segs - 2].kind == SEG_IMPL_AT;
}

/* Goes from a part to the method it stands in, over closures, on both ways of naming. */
static const struct mir_item *method_of(struct prep *p, const struct mir_file *f,
                                        const struct mir_item *part, const struct rty **path) {
  const struct mir_item *at = part;
  for (;;) {
    at = mir_owner(f, at);
    *path = rty_path_parent(p->types, *path);
    if (at == NULL || *path == NULL || !str_eq(rty_last_name(at->path), rty_last_name(*path)))
      return NULL;
    if (at->path->segs[at->path->n_segs - 1].kind != SEG_SPECIAL)
      return in_impl(at) ? at : NULL;
  }
}

const struct mir_item *part_const(struct prep *p, const struct prep_dump *d, const struct rty *path,
                                  const struct rty *ty) {
  const struct mir_file *f = &d->file;
  const struct mir_item *named = mir_item_of_path(f, rty_path_bare(p->types, path));
  if (named != NULL)
    return named;
  /* Better than nothing: the header of the impl fits. Certain: the method names its type. */
  const struct mir_item *found[2] = {NULL, NULL};
  unsigned n[2] = {0, 0};
  for (const struct mir_item *it = mir_part_first(f, path); it; it = mir_part_next(f, it)) {
    const struct rty *method_path = path;
    if (it->kind != MI_CONST || (ty != NULL && it->ty != ty && !it->ty->has_param))
      continue;
    const struct mir_item *method = method_of(p, f, it, &method_path);
    if (method == NULL)
      continue;
    bool certain = mentions_self(p, method, method_path);
    if (!certain && !generics_impl_fits(p, method, method_path))
      continue;
    found[certain] = it;
    n[certain]++;
  }
  if (n[1] > 0)
    return n[1] == 1 ? found[1] : NULL;
  return n[0] == 1 ? found[0] : NULL;
}

/* The item of the function that a part stands in, over closures; *seg: its segment in the path. */
static const struct mir_item *function_of(const struct mir_file *f, const struct mir_item *part,
                                          const struct rty *path, uint32_t *seg) {
  const struct mir_item *at = mir_owner(f, part);
  *seg = path->n_segs - 1;
  for (; at != NULL && *seg > 0; at = mir_owner(f, at)) {
    --*seg;
    if (at->path->segs[at->path->n_segs - 1].kind != SEG_SPECIAL)
      return at;
  }
  return NULL;
}

static const struct mir_item *top_item(const struct prep_dump *d, const struct inst *in) {
  const struct mir_item *at = in->source != NULL ? in->source : in->item;
  if (at == NULL || at < d->file.items || at >= d->file.items + d->file.n_items)
    return NULL;
  while (at->path->segs[at->path->n_segs - 1].kind == SEG_SPECIAL && mir_owner(&d->file, at))
    at = mir_owner(&d->file, at);
  return at;
}

struct rty_subst part_subst(struct prep *p, const struct prep_dump *d, const struct mir_item *part,
                            const struct rty *path, const struct inst *in) {
  struct binding b = {.n = 0};
  uint32_t seg = 0;
  const struct mir_item *fn = function_of(&d->file, part, path, &seg);
  if (fn == NULL)
    return in->subst;
  if (generics_bind(p, fn, &path->segs[seg], &b) && b.n > 0)
    return mono_keep(p, &b);
  return fn == top_item(d, in) ? in->subst : (struct rty_subst){.n = 0};
}

/* Made of primitive types alone, so that no parameter can be in it. */
static bool is_closed(const struct rty *t) {
  while (t->kind == RTY_REF || t->kind == RTY_ARRAY || t->kind == RTY_SLICE)
    t = t->elem;
  return t->kind == RTY_PRIM;
}

const struct rty *part_assoc_ty(struct prep *p, const struct rty *path) {
  const struct mir_file *f = &p->dumps.p[0]->file;
  const struct rty *ty = NULL;
  if (path->n_segs != 2 || path->segs[0].kind != SEG_QSELF || path->segs[0].trait == NULL)
    return NULL;
  for (size_t i = 0; i < f->n_items; i++) {
    const struct mir_item *it = &f->items[i];
    if (it->kind != MI_CONST || it->ty == NULL || !in_impl(it) ||
        !str_eq(rty_last_name(it->path), rty_last_name(path)) || !generics_impl_fits(p, it, path))
      continue;
    if (!is_closed(it->ty) || it->ty->has_param || (ty != NULL && ty != it->ty))
      return NULL;
    ty = it->ty;
  }
  return ty;
}

const struct rty *part_limit_ty(const struct prep *p, const struct rty *path) {
  static const char *const names[] = {"MIN", "MAX", "INFINITY", "NEG_INFINITY", "NAN", "MIN_POSITIVE",
                                      "EPSILON"};
  const struct rty_seg *impl = path->n_segs >= 2 ? &path->segs[path->n_segs - 2] : NULL;
  if (!impl || impl->kind != SEG_IMPL || impl->trait || impl->self->kind != RTY_PRIM)
    return NULL;
  if (str_eqz(rty_last_name(path), "BITS"))
    return rty_prim(p->types, PRIM_U32);
  for (size_t i = 0; i < COUNT_OF(names); i++)
    if (str_eqz(rty_last_name(path), names[i]))
      return impl->self;
  return NULL;
}

/* ---- other crates ---- */
/* A constant of another crate by its last two names: the function's and its own, of which no path may
 * lead to a method's. */
static const struct mir_item *same_names(const struct mir_file *f, const struct rty *path) {
  const struct mir_item *found = NULL;
  const struct rty_seg *want = &path->segs[path->n_segs - 2];
  for (size_t i = 0; i < f->n_items; i++) {
    const struct rty *have = f->items[i].path;
    const struct rty_seg *seg = have && have->n_segs > 2 ? &have->segs[have->n_segs - 2] : NULL;
    if (f->items[i].kind != MI_CONST || !seg || !str_eq(seg[0].name, want[0].name) ||
        !str_eq(seg[1].name, want[1].name))
      continue;
    if (found)
      return NULL;
    found = &f->items[i];
  }
  return found;
}

const struct mir_item *part_foreign(struct prep *p, const struct rty *path, struct prep_dump **d) {
  const struct rty *arg;
  if (path->n_segs < 2 || path->segs[0].kind != SEG_NAME || rty_path_args(path, &arg, 1))
    return NULL;
  struct prep_dump *own = prep_crate_dump(p, path->segs[0].name);
  /* Items go by the names that their own crate gives them. */
  str name = str_drop(path->name, path->segs[0].name.n + 2);
  const struct mir_item *it = own ? mir_item_find(&own->file, name) : NULL;
  if (own && !it && path->segs[path->n_segs - 1].kind == SEG_SPECIAL)
    it = same_names(&own->file, path);
  *d = it ? own : *d;
  return it;
}
