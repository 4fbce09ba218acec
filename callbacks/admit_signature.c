/* The kind of a callback, and its signature against the entry's. */
#include "callbacks/admit_impl.h"

const char *admit_scalar(const struct pm_type *t) {
  static const char *const ints[2][4] = {{"u8", "u16", "u32", "u64"}, {"i8", "i16", "i32", "i64"}};
  if (t->kind == PM_BOOL)
    return "bool";
  if (t->kind == PM_FLOAT)
    return t->bits == 32 ? "f32" : t->bits == 64 ? "f64" : NULL;
  if (t->kind != PM_INT || t->bits > 64)
    return NULL;
  return ints[t->is_signed][t->bits == 8 ? 0 : t->bits == 16 ? 1 : t->bits == 32 ? 2 : 3];
}

static pm_loc place_of(const struct admit *a, const struct pm_callback *cb) {
  const struct pm_closure *c = a->closures[cb->base];
  return c ? c->span : PM_NONE;
}

/* A value of no size, as `()`. */
static bool is_nothing(const struct pm_type *t) {
  return t->kind == PM_TUPLE && t->n_fields == 0;
}

static bool behind_mutable(const struct admit *a, const struct pm_callback *cb) {
  pm_ty ty = cb->ty;
  for (uint32_t i = 0; i < cb->refs && a->m->types[ty].kind == PM_PTR; i++) {
    if (a->m->types[ty].mut)
      return true;
    ty = a->m->types[ty].elem;
  }
  return false;
}

static bool check_kind(struct admit *a, uint32_t native, const struct pm_callback *cb) {
  const struct pmir *m = a->m;
  const enum pm_kind kind = m->types[cb->base].kind;
  const struct pm_closure *c = a->closures[cb->base];
  struct diag *d = NULL;
  if (kind == PM_DYN || kind == PM_FNPTR) {
    d = admit_error(a, native, MD0736, PM_NONE, "the callback `%.*s` is called through a pointer",
                    STR_ARG(admit_ty(m, cb->ty)));
    diag_help(d, "hand over the closure or the function itself, so that its type names its code");
  } else if (kind != PM_CLOSURE && kind != PM_FNDEF) {
    d = admit_error(a, native, MD0735, PM_NONE, "the callback `%.*s` is neither a closure nor a function",
                    STR_ARG(admit_ty(m, cb->ty)));
    diag_help(d, "wrap the call: `move |a, b| f.call(a, b)`");
  } else if (c && c->kind == PM_CLOSURE_FN_ONCE) {
    d = admit_error(a, native, MD0738, c->span, "the callback can be called once only");
    diag_help(d, "native code calls it many times: do not move captured values out of it");
  } else if ((c && c->kind == PM_CLOSURE_FN_MUT) || behind_mutable(a, cb)) {
    d = admit_error(a, native, MD0737, place_of(a, cb), "the callback changes what it captures");
    diag_help(d, "native code calls it from many threads in any order: return the result instead");
  }
  return d == NULL;
}

/* ---- signature ---- */

/* What the entry's type stands for. */
static const char *word_for(const struct pmir *m, const struct pm_native *n, const struct provider_entry *e,
                            struct provider_type t) {
  if (t.kind == PROVIDER_VOID)
    return "()";
  if (t.kind == PROVIDER_FIXED)
    return provider_scalar_word((enum provider_scalar)t.id);
  for (uint32_t i = 0; i < n->n_types; i++)
    if (str_eq(n->types[i].name, e->types[t.id].name))
      return admit_scalar(&m->types[n->types[i].ty]);
  return NULL;
}

static bool check_scalars(struct admit *a, uint32_t native, const struct pm_callback *cb) {
  const struct pmir *m = a->m;
  const struct pm_func *f = &m->fns[cb->thunk];
  for (uint32_t i = 2; i <= f->n_args + 1; i++) {
    const bool ret = i > f->n_args;
    const pm_ty ty = ret ? f->ret : f->locals[i].ty;
    if (admit_scalar(&m->types[ty]) || (ret && is_nothing(&m->types[ty])))
      continue;
    struct diag *d = admit_error(a, native, MD0732, place_of(a, cb),
                                 ret ? "the callback returns `%.*s`, which native code does not take"
                                     : "the callback takes `%.*s`, which native code does not pass",
                                 STR_ARG(admit_ty(m, ty)));
    diag_note(d, "values of i8 to i64, u8 to u64, f32, f64 and bool cross the border");
    diag_help(d, "use one of these types, or put the value together within the callback");
    return false;
  }
  return true;
}

static const struct provider_callback *signature_of(const struct provider_entry *e, str param) {
  for (size_t i = 0; i < e->n_callbacks; i++)
    if (str_eq(e->callbacks[i].name, param))
      return &e->callbacks[i];
  return NULL;
}

/* One callback against its signature in the manifest. */
struct compared {
  struct admit *a;
  uint32_t native;
  const struct provider_entry *e;
  const struct provider_callback *s;
};

/* NULL: the registration function does not have that type parameter, or with a type that is no scalar; which is
 * told when the request is made. */
static const char *wanted(const struct compared *c, struct provider_type t) {
  return word_for(c->a->m, &c->a->m->natives[c->native], c->e, t);
}

static void show_signature(const struct compared *c, struct diag *d) {
  const struct pm_native *n = &c->a->m->natives[c->native];
  struct strbuf b = {0};
  for (size_t i = 0; i < c->s->n_args; i++)
    sb_addf(&b, "%s%s", i ? ", " : "", wanted(c, c->s->args[i]));
  diag_note(d, "entry `%.*s` of provider `%.*s` calls `Fn(%s) -> %s`", STR_ARG(n->entry),
            STR_ARG(n->provider), sb_z(&b), wanted(c, c->s->ret));
  diag_help(d, "change the registration function's bound on `%.*s` to that, or the provider",
            STR_ARG(c->s->name));
  sb_free(&b);
}

static bool all_known(const struct compared *c) {
  bool known = wanted(c, c->s->ret) != NULL;
  for (size_t i = 0; i < c->s->n_args; i++)
    known = known && wanted(c, c->s->args[i]) != NULL;
  return known;
}

static bool fits(const struct pmir *m, pm_ty ty, const char *want) {
  const char *got = is_nothing(&m->types[ty]) ? "()" : admit_scalar(&m->types[ty]);
  return str_eqz(str_from(got), want);
}

static void check_signature(const struct compared *c, const struct pm_callback *cb) {
  struct admit *a = c->a;
  const struct pmir *m = a->m;
  const struct pm_func *f = &m->fns[cb->thunk];
  const pm_loc at = m->natives[c->native].span;
  struct diag *d = NULL;
  if (!all_known(c))
    return;
  if (f->n_args - 1 != c->s->n_args)
    d = admit_error(a, c->native, MD0730, at, "the callback takes %u argument%s, the entry passes %zu",
                    f->n_args - 1, f->n_args == 2 ? "" : "s", c->s->n_args);
  for (uint32_t i = 0; !d && i < c->s->n_args; i++)
    if (!fits(m, f->locals[i + 2].ty, wanted(c, c->s->args[i])))
      d = admit_error(a, c->native, MD0731, at, "argument %u of the callback is `%.*s`, the entry passes `%s`",
                      i + 1, STR_ARG(admit_ty(m, f->locals[i + 2].ty)), wanted(c, c->s->args[i]));
  if (!d && !fits(m, f->ret, wanted(c, c->s->ret)))
    d = admit_error(a, c->native, MD0733, at, "the callback returns `%.*s`, the entry wants `%s`",
                    STR_ARG(admit_ty(m, f->ret)), wanted(c, c->s->ret));
  if (d)
    show_signature(c, d);
}

void admit_signature(struct admit *a, uint32_t native, const struct pm_callback *cb) {
  const struct provider_entry *e = a->natives[native].entry;
  if (!check_kind(a, native, cb) || !check_scalars(a, native, cb) || !e)
    return;
  const struct provider_callback *s = signature_of(e, cb->param);
  if (s) {
    check_signature(&(struct compared){a, native, e, s}, cb);
    return;
  }
  const struct pm_native *n = &a->m->natives[native];
  struct diag *d = admit_error(a, native, MD0734, n->span, "entry `%.*s` of provider `%.*s` has no callback `%.*s`",
                               STR_ARG(e->name), STR_ARG(n->provider), STR_ARG(cb->param));
  for (size_t i = 0; i < e->n_callbacks; i++)
    diag_note(d, "it has `%.*s`", STR_ARG(e->callbacks[i].name));
  diag_help(d, "name the type parameter as the provider does");
}
