/* Spans with what they were inlined into, lexical scopes, variables. */
#include "cargo-integration/rustc/emit.h"

void e_plan_debug(struct emit *e) {
  struct arena *a = e->p->arena;
  const struct mir_body *b = e->mir;
  str *names = arena_array(a, str, b->n_locals + 1);
  e->scope_at = arena_array(a, uint32_t, b->n_scopes + 1);
  e->scope_done = arena_array(a, bool, b->n_scopes + 1);
  e->scope_var = arena_array(a, uint32_t, b->n_scopes + 1);
  e->lexical = arena_array(a, uint32_t, b->n_scopes + 1);
  e->lexical_done = arena_array(a, bool, b->n_scopes + 1);
  for (uint32_t i = 0; i < b->n_debug; i++) {
    const struct mir_debug *d = &b->debug[i];
    bool whole = !d->is_const && !d->n_proj && !d->place.n_proj && d->place.local < b->n_locals;
    if (whole && !names[d->place.local].n)
      names[d->place.local] = d->name;
    if (d->loc.scope < b->n_scopes && !e->scope_var[d->loc.scope])
      e->scope_var[d->loc.scope] = i + 1;
  }
  e->local_name = names;
}

bool e_in_library(struct emit *e, struct span s) {
  str rest;
  return s.file != FILE_NONE &&
         prep_in_library(source_file_get(e->p->sink->sources, s.file)->path, &rest);
}

/* The number of the innermost block around `scope` that declares a variable, within its function. A
 * block is known by the place of its first variable: inlined copies of it are the same. */
static uint32_t lexical(struct emit *e, uint32_t scope) {
  const struct mir_body *b = e->mir;
  if (!e->p->unit->debug || scope == 0 || scope >= b->n_scopes || b->scopes[scope].inlined)
    return PREP_NONE;
  if (e->lexical_done[scope])
    return e->lexical[scope];
  e->lexical_done[scope] = true; /* also ends a cycle */
  e->lexical[scope] = PREP_NONE;
  uint32_t out = lexical(e, b->scopes[scope].parent);
  uint32_t first = e->scope_var[scope];
  if (first && !e_in_library(e, b->debug[first - 1].loc.span))
    out = prep_scope(e->p, b->debug[first - 1].loc.span, out);
  e->lexical[scope] = out;
  return out;
}

/* The call site at which the code of `scope` was inlined, as a span number. */
static uint32_t scope_at(struct emit *e, uint32_t scope) {
  if (scope >= e->mir->n_scopes)
    return PREP_NONE;
  if (e->scope_done[scope])
    return e->scope_at[scope];
  const struct mir_scope *s = &e->mir->scopes[scope];
  uint32_t at = PREP_NONE;
  e->scope_done[scope] = true; /* also ends a cycle */
  e->scope_at[scope] = PREP_NONE;
  if (s->present && s->inlined) {
    uint32_t outer = s->parent == MIR_NONE ? PREP_NONE : scope_at(e, s->parent);
    str outer_fn = e->in->name;
    for (uint32_t q = s->parent; q != MIR_NONE && q < e->mir->n_scopes; q = e->mir->scopes[q].parent)
      if (e->mir->scopes[q].inlined) {
        outer_fn = rty_label(e->p->types, e->mir->scopes[q].callee);
        break;
      }
    at = prep_span(e->p, s->call, outer, outer_fn, lexical(e, s->parent));
  } else if (s->present && s->parent != MIR_NONE) {
    at = scope_at(e, s->parent);
  }
  e->scope_at[scope] = at;
  return at;
}

static str scope_fn(struct emit *e, uint32_t scope) {
  for (; scope != MIR_NONE && scope < e->mir->n_scopes; scope = e->mir->scopes[scope].parent)
    if (e->mir->scopes[scope].inlined && e->mir->scopes[scope].callee)
      return rty_label(e->p->types, e->mir->scopes[scope].callee);
  return e->in->name;
}

uint32_t e_span_of(struct emit *e, const struct mir_loc *loc) {
  return prep_span(e->p, loc->span, scope_at(e, loc->scope), scope_fn(e, loc->scope),
                   lexical(e, loc->scope));
}

/* ---- variables ---- */
/* Steps whose address is known as soon as the first local is. */
static bool simple_place(const struct emit *e, const struct mir_place *pl) {
  if (pl->local >= e->mir->n_locals || e->local_map[pl->local] == PREP_NONE)
    return false;
  for (uint32_t i = 0; i < pl->n_proj; i++)
    if (pl->proj[i].kind != PROJ_DEREF && pl->proj[i].kind != PROJ_FIELD)
      return false;
  return true;
}

static void write_var(struct emit *e, const struct mir_debug *d) {
  jw_array(&e->w);
  jw_str(&e->w, d->name);
  e_place(e, &d->place);
  e->span_id = e_span_of(e, &d->loc);
  e_span(e);
  jw_end_array(&e->w);
}

/* The library's own variables would be most of them, and its sources are seldom at hand. */
void e_write_vars(struct emit *e) {
  struct jsonw blocks = e->w;
  if (!e->p->unit->debug || e->in->kind == INST_GLUE)
    return;
  jw_init(&e->w, false);
  jw_array(&e->w);
  for (uint32_t i = 0; i < e->mir->n_debug; i++) {
    const struct mir_debug *d = &e->mir->debug[i];
    if (d->is_const || d->n_proj || !d->loc.span.line0 || e_in_library(e, d->loc.span) ||
        !simple_place(e, &d->place))
      continue;
    write_var(e, d);
  }
  jw_end_array(&e->w);
  e->vars = arena_str(e->p->arena, sb_str(&e->w.out));
  jw_free(&e->w);
  e->w = blocks;
}
