/* Admission as a whole: which rules are asked of what, and the words that all of them share. */
#include "callbacks/admit_impl.h"

#include <inttypes.h>
#include <stdio.h>

struct span admit_place(const struct pmir *m, pm_loc loc) {
  struct span s = SPAN_NONE;
  if (loc != PM_NONE && !pm_user_place(m, loc, &s))
    s = pm_span_of(m, loc);
  return s;
}

str admit_ty(const struct pmir *m, pm_ty ty) {
  return m->types[ty].name;
}

str admit_callback_name(const struct pmir *m, const struct pm_callback *cb) {
  return m->types[cb->base].name;
}

struct diag *admit_error(struct admit *a, uint32_t native, enum diag_code code, pm_loc at, const char *fmt,
                         ...) {
  const struct admit_native *n = &a->natives[native];
  const struct pm_native *pn = &a->m->natives[native];
  struct span call = admit_place(a->m, n->call != PM_NONE ? n->call : pn->span);
  struct span place = at != PM_NONE ? admit_place(a->m, at) : call;
  char text[1200];
  va_list ap;
  va_start(ap, fmt);
  (void)vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  a->refused = true;
  struct diag *d = diag_error(a->sink, code, place.line0 ? place : call, "%s", text);
  bool apart = call.line0 && place.line0 &&
               (place.file != call.file || place.line0 != call.line0 || place.col0 != call.col0);
  if (apart)
    diag_label(d, call, "given to `%.*s` here", STR_ARG(pn->path));
  if (n->kernel != PM_NONE)
    diag_note(d, "reached from kernel `%.*s`", STR_ARG(a->m->kernels[n->kernel].name));
  return d;
}

/* ---- two registrations that stand for one entry in different ways ---- */

static void add_ty(const struct pmir *m, pm_ty ty, struct strbuf *out) {
  const char *word = admit_scalar(&m->types[ty]);
  if (word)
    sb_addf(out, "%s,", word);
  else
    sb_addf(out, "%.*s,", STR_ARG(m->types[ty].name));
}

/* What the symbol of the entry is made from. */
static void add_key(const struct pmir *m, const struct pm_native *n, struct strbuf *out) {
  sb_addf(out, "%.*s::%.*s<", STR_ARG(n->provider), STR_ARG(n->entry));
  for (uint32_t i = 0; i < n->n_types; i++) {
    sb_addf(out, "%.*s=", STR_ARG(n->types[i].name));
    add_ty(m, n->types[i].ty, out);
  }
  for (uint32_t i = 0; i < n->n_consts; i++)
    sb_addf(out, "%.*s=%016" PRIx64 "%016" PRIx64 ",", STR_ARG(n->consts[i].name),
            (uint64_t)(n->consts[i].value >> 64), (uint64_t)n->consts[i].value);
  for (uint32_t i = 0; i < n->n_callbacks; i++) {
    const struct pm_func *f = &m->fns[n->callbacks[i].thunk];
    sb_addf(out, "%.*s(", STR_ARG(n->callbacks[i].param));
    for (uint32_t k = 2; k <= f->n_args; k++)
      add_ty(m, f->locals[k].ty, out);
    sb_addc(out, ')');
    add_ty(m, f->ret, out);
  }
}

/* What its calls look like. */
static void add_shape(const struct pmir *m, const struct pm_native *n, struct strbuf *out) {
  for (uint32_t i = 0; i < n->n_args; i++) {
    if (n->arg_callback[i] != PM_NONE)
      sb_addf(out, "callback %u,", n->arg_callback[i]);
    else if (m->types[n->args[i]].kind == PM_PTR)
      sb_addz(out, "pointer,");
    else
      add_ty(m, n->args[i], out);
  }
  sb_addz(out, "->");
  add_ty(m, n->ret, out);
}

struct shape {
  str text;
  uint32_t native;
};

static void check_collisions(struct admit *a) {
  const struct pmir *m = a->m;
  struct map seen = {0};
  struct strbuf key = {0}, shape = {0};
  for (uint32_t i = 0; i < m->n_natives; i++) {
    bool fresh;
    sb_clear(&key);
    sb_clear(&shape);
    add_key(m, &m->natives[i], &key);
    add_shape(m, &m->natives[i], &shape);
    uintptr_t *slot = map_put(&seen, arena_str(&a->arena, sb_str(&key)), &fresh);
    if (fresh) {
      struct shape *s = arena_new(&a->arena, struct shape);
      *s = (struct shape){arena_str(&a->arena, sb_str(&shape)), i};
      *slot = (uintptr_t)s;
      continue;
    }
    const struct shape *s = (const struct shape *)*slot;
    if (str_eq(s->text, sb_str(&shape)))
      continue;
    const struct pm_native *other = &m->natives[s->native];
    struct diag *d = admit_error(a, i, MD0784, m->natives[i].span,
                                 "`%.*s` and `%.*s` stand for the same entry `%.*s::%.*s`, but are called "
                                 "differently",
                                 STR_ARG(m->natives[i].path), STR_ARG(other->path),
                                 STR_ARG(other->provider), STR_ARG(other->entry));
    if (other->span != PM_NONE)
      diag_label(d, admit_place(m, other->span), "the other registration function");
    diag_help(d, "declare one registration function for an entry and use it everywhere");
  }
  map_free(&seen);
  sb_free(&key);
  sb_free(&shape);
}

/* ---- the whole ---- */

static void find_closures(struct admit *a) {
  a->closures = arena_array(&a->arena, const struct pm_closure *, a->m->n_types);
  for (uint32_t i = 0; i < a->m->n_closures; i++)
    a->closures[a->m->closures[i].ty] = &a->m->closures[i];
}

static void find_entries(struct admit *a) {
  for (uint32_t i = 0; i < a->m->n_natives; i++) {
    const struct pm_native *n = &a->m->natives[i];
    a->natives[i] = (struct admit_native){.fn = PM_NONE, .call = PM_NONE, .kernel = PM_NONE};
    if (a->from)
      a->natives[i].entry = a->from->find(a->from->context, n, admit_place(a->m, n->span));
  }
}

bool admit_check(const struct pmir *m, const struct admit_source *from, struct diag_sink *sink) {
  struct admit a = {.m = m, .from = from, .sink = sink};
  if (!m->n_natives)
    return true;
  a.natives = arena_array(&a.arena, struct admit_native, m->n_natives);
  find_entries(&a);
  find_closures(&a);
  admit_find_calls(&a);
  admit_find_glue(&a);
  admit_bodies_init(&a);
  a.done_base = arena_array(&a.arena, bool, m->n_types);
  for (uint32_t i = 0; i < m->n_natives; i++)
    for (uint32_t k = 0; k < m->natives[i].n_callbacks; k++) {
      admit_signature(&a, i, &m->natives[i].callbacks[k]);
      admit_captures(&a, i, &m->natives[i].callbacks[k]);
      admit_body(&a, i, &m->natives[i].callbacks[k]);
    }
  check_collisions(&a);
  admit_geometry(&a);
  admit_convergence(&a);
  admit_reuse(&a);
  admit_bodies_free(&a);
  arena_free(&a.arena);
  return !a.refused;
}
