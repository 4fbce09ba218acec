/* Where the program uses symbols that are defined elsewhere, so that a message about one that
 * nobody defines points to a call and names a kernel, and not only to the declaration. */
#include "base/vec.h"
#include "driver/compile.h"

struct search {
  const struct pmir *m;
  struct source_map *sources;
  struct arena *arena;
  bool *seen; /* by function */
  VEC(pm_fn) left;
  struct link_symbol *symbols; /* by extern */
  str kernel;
};

/* The innermost place of an inlined call that is neither in the standard library nor in the device
 * crate; the call itself when there is none. */
static struct span user_span(const struct search *w, pm_loc loc) {
  const struct pmir *m = w->m;
  for (pm_loc l = loc; l != PM_NONE; l = m->spans[l].inlined_at) {
    uint32_t file = m->spans[l].at.file;
    str path = file == FILE_NONE ? STR_NULL : source_file_get(w->sources, file)->path;
    if (path.n && !str_starts(path, STR("library/")) && !str_starts(path, STR("mirdc/")))
      return pm_span_of(m, l);
  }
  return pm_span_of(m, loc);
}

static void visit(struct search *w, pm_fn fn) {
  if (fn == PM_NONE || w->seen[fn])
    return;
  w->seen[fn] = true;
  vec_push(w->arena, &w->left, fn);
}

static void look_at(struct search *w, const struct pm_term *t) {
  if (t->kind == PM_DROP)
    visit(w, t->u.drop.fn);
  if (t->kind != PM_CALL)
    return;
  const struct pm_callee *callee = t->u.call.callee;
  if (callee->kind == PM_CALL_FN)
    visit(w, callee->id);
  for (uint32_t i = 0; callee->kind == PM_CALL_NATIVE && i < w->m->natives[callee->id].n_callbacks; i++)
    visit(w, w->m->natives[callee->id].callbacks[i].thunk);
  if (callee->kind != PM_CALL_EXTERN || w->symbols[callee->id].kernel.n)
    return;
  w->symbols[callee->id].span = user_span(w, t->span);
  w->symbols[callee->id].kernel = w->kernel;
}

/* A function belongs to the first kernel that reaches it: one pass over the program for all. */
struct link_symbol *compile_symbols(struct compile *c) {
  const struct pmir *m = c->m;
  struct arena *a = c->arena;
  struct search w = {.m = m, .sources = &c->s->sources, .arena = a};
  w.symbols = arena_array(a, struct link_symbol, m->n_externs);
  for (uint32_t i = 0; i < m->n_externs; i++)
    w.symbols[i] = (struct link_symbol){.name = m->externs[i].symbol,
                                        .span = pm_span_of(m, m->externs[i].span)};
  if (!m->n_externs)
    return w.symbols;
  w.seen = arena_array(a, bool, m->n_fns);
  for (uint32_t k = 0; k < m->n_kernels; k++) {
    w.kernel = m->kernels[k].name;
    visit(&w, m->kernels[k].fn);
    while (w.left.n) {
      const struct pm_func *f = &m->fns[w.left.p[--w.left.n]];
      for (uint32_t b = 0; b < f->n_blocks; b++)
        look_at(&w, &f->blocks[b].term);
    }
  }
  return w.symbols;
}
