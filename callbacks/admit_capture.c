/* What an environment may hold: numbers and by-value aggregates of them, and other callbacks. */
#include "callbacks/admit_impl.h"

/* ---- values whose dropping runs code ---- */

void admit_find_glue(struct admit *a) {
  const struct pmir *m = a->m;
  a->has_glue = arena_array(&a->arena, bool, m->n_types);
  for (pm_fn i = 0; i < m->n_fns; i++) {
    const struct pm_func *f = &m->fns[i];
    if (f->kind == PM_FN_GLUE && f->n_args == 1 && m->types[f->locals[1].ty].kind == PM_PTR)
      a->has_glue[m->types[f->locals[1].ty].elem] = true;
    for (uint32_t b = 0; b < f->n_blocks; b++) {
      const struct pm_term *t = &f->blocks[b].term;
      if (t->kind != PM_DROP || t->u.drop.fn == PM_NONE)
        continue;
      const struct pm_place *p = &t->u.drop.place;
      a->has_glue[p->n ? p->proj[p->n - 1].ty : f->locals[p->local].ty] = true;
    }
  }
}

/* ---- one value ---- */

enum verdict {
  FINE, SHARED_REF, MUT_REF, RAW_PTR, SLICE, HIDDEN, CELL, GLUE, FN_POINTER, UNKNOWN, CALLBACK_REF
};

struct look {
  struct admit *a;
  pm_ty at; /* the innermost type that decides */
  bool inside; /* below the captured value itself */
  unsigned depth;
};

/* The standard library's way to say that a value changes behind `&`. */
static bool is_cell(str name) {
  return str_starts(name, STR("core::cell::UnsafeCell<")) ||
         str_starts(name, STR("std::cell::UnsafeCell<"));
}

static pm_ty behind(const struct pmir *m, pm_ty ty) {
  while (m->types[ty].kind == PM_PTR && m->types[ty].is_ref && !m->types[ty].mut)
    ty = m->types[ty].elem;
  return ty;
}

static bool is_callback(const struct pmir *m, pm_ty ty) {
  return m->types[ty].kind == PM_CLOSURE || m->types[ty].kind == PM_FNDEF;
}

static enum verdict pointer_verdict(struct look *l, pm_ty ty) {
  const struct pmir *m = l->a->m;
  const struct pm_type *t = &m->types[ty];
  l->at = ty;
  if (t->is_ref && !t->mut && is_callback(m, behind(m, ty)))
    return CALLBACK_REF;
  if (m->types[t->elem].kind == PM_DYN)
    return FN_POINTER;
  if (l->inside)
    return HIDDEN;
  if (t->meta == PM_META_LEN)
    return SLICE;
  return !t->is_ref ? RAW_PTR : t->mut ? MUT_REF : SHARED_REF;
}

/* Deeper than anybody nests types. */
enum { MAX_DEPTH = 200 };

static enum verdict verdict_of(struct look *l, pm_ty ty);

static enum verdict fields_verdict(struct look *l, const struct pm_field *f, uint32_t n) {
  enum verdict v = l->depth == MAX_DEPTH ? UNKNOWN : FINE;
  l->depth++;
  for (uint32_t i = 0; i < n && v == FINE; i++)
    v = verdict_of(l, f[i].ty);
  l->depth--;
  return v;
}

static enum verdict verdict_of(struct look *l, pm_ty ty) {
  const struct pm_type *t = &l->a->m->types[ty];
  enum verdict v = FINE;
  if (l->a->has_glue[ty]) {
    l->at = ty;
    return GLUE;
  }
  switch (t->kind) {
  case PM_INT:
  case PM_FLOAT:
  case PM_BOOL:
  case PM_CHAR:
  case PM_FNDEF:
  case PM_NEVER:
    return FINE;
  case PM_PTR:
    return pointer_verdict(l, ty);
  case PM_FNPTR:
    l->at = ty;
    return FN_POINTER;
  case PM_ARRAY:
    l->inside = true;
    return fields_verdict(l, &(struct pm_field){.ty = t->elem}, 1);
  case PM_STRUCT:
    if (is_cell(t->name)) {
      l->at = ty;
      return CELL;
    }
    l->inside = true;
    return fields_verdict(l, t->fields, t->n_fields);
  case PM_TUPLE:
  case PM_CLOSURE:
    l->inside = true;
    return fields_verdict(l, t->fields, t->n_fields);
  case PM_ENUM:
    l->inside = true;
    for (uint32_t i = 0; i < t->n_variants && v == FINE; i++)
      v = fields_verdict(l, t->variants[i].fields, t->variants[i].n_fields);
    return v;
  case PM_UNION:
  case PM_OPAQUE:
  case PM_SLICE:
  case PM_STR:
  case PM_DYN:
    break;
  }
  l->at = ty;
  return UNKNOWN;
}

/* ---- messages ---- */

static const struct {
  enum diag_code code;
  const char *text, *help;
} words[] = {
    [SHARED_REF] = {MD0740, "captured by reference",
                    "copy the value into a variable before, `let v = *v;`, and capture that with `move`"},
    [MUT_REF] = {MD0741, "captured by mutable reference",
                 "native code calls it from many threads: return the result instead of writing it"},
    [RAW_PTR] = {MD0742, "a captured raw pointer",
                 "read what it points to before, and capture the values"},
    [SLICE] = {MD0743, "a captured slice",
               "read the values that it needs before, and capture them by value"},
    [HIDDEN] = {MD0744, "a captured value that holds a pointer",
                "capture the numbers that the callback needs, not what leads to them"},
    [CELL] = {MD0745, "a captured value that can change behind `&`",
              "capture a plain copy, `let v = v.get();`"},
    [GLUE] = {MD0746, "a captured value whose drop runs code",
              "capture the plain values that it holds"},
    [FN_POINTER] = {MD0747, "a captured value that leads to code which is only known when it runs",
                    "capture the closure or the function itself"},
    [UNKNOWN] = {MD0749, "a captured value of which nothing is known",
                 "capture numbers, or structs, tuples and arrays of them"},
};

/* Are the references to values that `move` would copy the only fault? */
static bool move_is_enough(struct admit *a, const struct pm_type *env, const struct pm_closure *c) {
  if (!c || c->is_move)
    return false;
  for (uint32_t i = 0; i < env->n_fields; i++) {
    const struct pm_type *t = &a->m->types[env->fields[i].ty];
    struct look l = {.a = a};
    bool ref = t->kind == PM_PTR && t->is_ref && !t->mut && t->meta == PM_META_NONE;
    if (i < c->n_captures && str_starts(c->captures[i].name, STR("*")))
      return false;
    if (verdict_of(&l, ref ? t->elem : env->fields[i].ty) != FINE)
      return false;
  }
  return true;
}

static void suggest_move(struct admit *a, const struct pm_closure *c, struct diag *d) {
  struct span s = pm_span_of(a->m, c->span);
  if (!s.line0)
    return;
  s.line1 = s.line0;
  s.col1 = s.col0;
  diag_suggest(d, s, STR("move "), "add `move`: the callback then holds copies");
}

static void refuse(struct admit *a, uint32_t native, pm_ty base, uint32_t field, enum verdict v, pm_ty at) {
  const struct pm_type *env = &a->m->types[base];
  const struct pm_closure *c = a->closures[base];
  const bool known = c && field < c->n_captures;
  str name = arena_str(&a->arena, known ? c->captures[field].name : env->fields[field].name);
  struct diag *d = admit_error(a, native, words[v].code, c ? c->span : PM_NONE,
                               "`%.*s` cannot be in an environment: %s", STR_ARG(name), words[v].text);
  if (known && c->captures[field].span != PM_NONE)
    diag_label(d, admit_place(a->m, c->captures[field].span), "`%.*s` is captured here", STR_ARG(name));
  diag_note(d, at == env->fields[field].ty ? "it is a `%.*s`" : "it holds a `%.*s`",
            STR_ARG(admit_ty(a->m, at)));
  if (v == SHARED_REF && move_is_enough(a, env, c))
    suggest_move(a, c, d);
  else
    diag_help(d, "%s", words[v].help);
}

/* A wrapper holds callbacks and references to them, and nothing else. */
static bool is_wrapper(const struct pmir *m, const struct pm_type *env) {
  for (uint32_t i = 0; i < env->n_fields; i++)
    if (!is_callback(m, behind(m, env->fields[i].ty)))
      return false;
  return true;
}

static void check_env(struct admit *a, uint32_t native, pm_ty base);

/* True: the field is fine, or told about. */
static bool check_inner(struct admit *a, uint32_t native, pm_ty ty, bool wrapper) {
  pm_ty inner = behind(a->m, ty);
  if (!is_callback(a->m, inner) || (inner != ty && !wrapper))
    return false;
  check_env(a, native, inner);
  return true;
}

/* Closures within closures end: each holds the next by value, or one base is looked at once. */
static void check_env(struct admit *a, uint32_t native, pm_ty base) {
  const struct pmir *m = a->m;
  const struct pm_type *env = &m->types[base];
  if (a->done_base[base] || env->kind != PM_CLOSURE)
    return;
  a->done_base[base] = true;
  bool wrapper = is_wrapper(m, env), told = false;
  for (uint32_t i = 0; i < env->n_fields; i++) {
    struct look l = {.a = a};
    if (check_inner(a, native, env->fields[i].ty, wrapper))
      continue;
    enum verdict v = verdict_of(&l, env->fields[i].ty);
    if (v == CALLBACK_REF)
      v = l.inside ? HIDDEN : SHARED_REF;
    if (v == FINE || (v == SHARED_REF && told))
      continue;
    refuse(a, native, base, i, v, l.at);
    told |= v == SHARED_REF; /* one `move` mends them all */
  }
}

void admit_captures(struct admit *a, uint32_t native, const struct pm_callback *cb) {
  const struct pm_type *env = &a->m->types[cb->base];
  if (env->kind != PM_CLOSURE || a->done_base[cb->base])
    return;
  check_env(a, native, cb->base);
  if (env->size <= ADMIT_MAX_ENV)
    return;
  const struct pm_closure *c = a->closures[cb->base];
  struct diag *d = admit_error(a, native, MD0750, c ? c->span : PM_NONE,
                               "the callback captures %llu bytes, more than %d",
                               (unsigned long long)env->size, ADMIT_MAX_ENV);
  diag_note(d, "each thread has its own environment, in its local memory");
  diag_help(d, "capture what the callback needs of it, or put tables into a `Constant`");
}
