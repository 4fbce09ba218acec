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

/* What the entry's word stands for: a type parameter's type or a scalar. */
static str resolve(const struct pmir *m, const struct pm_native *n, str word) {
  for (uint32_t i = 0; i < n->n_types; i++)
    if (str_eq(n->types[i].name, word)) {
      const char *s = admit_scalar(&m->types[n->types[i].ty]);
      return s ? str_from(s) : m->types[n->types[i].ty].name;
    }
  return word;
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

static const struct admit_signature *signature_of(const struct admit_entry *e, str param) {
  for (uint32_t i = 0; i < e->n_callbacks; i++)
    if (str_eq(e->callbacks[i].param, param))
      return &e->callbacks[i];
  return NULL;
}

static void show_signature(const struct pmir *m, const struct pm_native *n, const struct admit_signature *s,
                           struct diag *d) {
  struct strbuf b = {0};
  for (uint32_t i = 0; i < s->n_args; i++)
    sb_addf(&b, "%s%.*s", i ? ", " : "", STR_ARG(resolve(m, n, s->args[i])));
  diag_note(d, "entry `%.*s` of provider `%.*s` calls `Fn(%s)%s%.*s`", STR_ARG(n->entry),
            STR_ARG(n->provider), sb_z(&b), s->ret.n ? " -> " : "", STR_ARG(resolve(m, n, s->ret)));
  diag_help(d, "change the registration function's bound on `%.*s` to that, or the provider",
            STR_ARG(s->param));
  sb_free(&b);
}

static str word_of(const struct pmir *m, pm_ty ty) {
  return is_nothing(&m->types[ty]) ? STR("") : str_from(admit_scalar(&m->types[ty]));
}

static void check_signature(struct admit *a, uint32_t native, const struct pm_callback *cb,
                            const struct admit_signature *s) {
  const struct pmir *m = a->m;
  const struct pm_native *n = &m->natives[native];
  const struct pm_func *f = &m->fns[cb->thunk];
  struct diag *d = NULL;
  if (f->n_args - 1 != s->n_args)
    d = admit_error(a, native, MD0730, n->span, "the callback takes %u argument%s, the entry passes %u",
                    f->n_args - 1, f->n_args == 2 ? "" : "s", s->n_args);
  for (uint32_t i = 0; !d && i < s->n_args; i++) {
    str want = resolve(m, n, s->args[i]);
    if (!str_eq(word_of(m, f->locals[i + 2].ty), want))
      d = admit_error(a, native, MD0731, n->span, "argument %u of the callback is `%.*s`, the entry passes `%.*s`",
                      i + 1, STR_ARG(admit_ty(m, f->locals[i + 2].ty)), STR_ARG(want));
  }
  if (!d && !str_eq(word_of(m, f->ret), resolve(m, n, s->ret)))
    d = admit_error(a, native, MD0733, n->span, "the callback returns `%.*s`, the entry wants `%.*s`",
                    STR_ARG(admit_ty(m, f->ret)), STR_ARG(s->ret.n ? resolve(m, n, s->ret) : STR("()")));
  if (d)
    show_signature(m, n, s, d);
}

void admit_signature(struct admit *a, uint32_t native, const struct pm_callback *cb) {
  const struct admit_entry *e = a->natives[native].entry;
  if (!check_kind(a, native, cb) || !check_scalars(a, native, cb) || !e)
    return;
  const struct admit_signature *s = signature_of(e, cb->param);
  if (s) {
    check_signature(a, native, cb, s);
    return;
  }
  struct diag *d = admit_error(a, native, MD0734, a->m->natives[native].span,
                               "entry `%.*s` of provider `%.*s` has no callback `%.*s`", STR_ARG(e->name),
                               STR_ARG(e->provider), STR_ARG(cb->param));
  for (uint32_t i = 0; i < e->n_callbacks; i++)
    diag_note(d, "it has `%.*s`", STR_ARG(e->callbacks[i].param));
  diag_help(d, "name the type parameter as the provider does");
}
