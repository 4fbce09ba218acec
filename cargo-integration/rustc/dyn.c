/* Trait objects: tables of functions and their slots. The statements that use them are in emit_dyn.c. */
#include "cargo-integration/rustc/dyn.h"

#include "cargo-integration/rustc/consts.h"
#include "cargo-integration/rustc/dyn_state.h"

static struct dyn_state *state(struct prep *p) {
  if (!p->dyn)
    p->dyn = arena_new(p->arena, struct dyn_state);
  return p->dyn;
}

void dyn_clear(struct prep *p) {
  if (!p->dyn)
    return;
  map_free(&p->dyn->traits);
  map_free(&p->dyn->tables);
  map_free(&p->dyn->slots);
  p->dyn = NULL;
}

/* ---- traits ---- */
/* `dyn Send`: a trait without methods, which does not say which table an object has. */
static bool is_marker(const struct rty *trait) {
  return str_starts(trait->name, STR("core::marker::")) ||
         str_starts(trait->name, STR("std::marker::")) ||
         str_starts(trait->name, STR("core::panic::")) || str_starts(trait->name, STR("std::panic::"));
}

/* The trait that a table belongs to, without what it says of associated types, since the type that
 * implements it settles those. */
static const struct rty *principal(struct prep *p, const struct rty *trait) {
  if (trait && trait->kind == RTY_DYN)
    trait = trait->n_args ? trait->args[0] : NULL;
  if (!trait || trait->kind != RTY_PATH || is_marker(trait))
    return p->types->unit; /* stands for none */
  struct rty_seg *segs = arena_array(p->arena, struct rty_seg, trait->n_segs);
  for (uint32_t i = 0; i < trait->n_segs; i++) {
    const struct rty_seg *from = &trait->segs[i];
    const struct rty **args = arena_array(p->arena, const struct rty *, from->n_args + 1);
    segs[i] = *from;
    segs[i].args = args;
    segs[i].n_args = 0;
    for (uint32_t k = 0; k < from->n_args; k++)
      if (from->args[k]->kind != RTY_BINDING && from->args[k]->kind != RTY_LIFETIME)
        args[segs[i].n_args++] = from->args[k];
  }
  return rty_intern(p->types,
                    &(struct rty){.kind = RTY_PATH, .segs = segs, .n_segs = trait->n_segs});
}

bool dyn_same_trait(struct prep *p, const struct rty *a, const struct rty *b) {
  return principal(p, a) == principal(p, b);
}

static struct dyn_trait *trait_of(struct prep *p, const struct rty *trait) {
  struct dyn_state *s = state(p);
  const struct rty *key = principal(p, trait);
  bool fresh;
  uintptr_t *slot = map_put(&s->traits, arena_printf(p->arena, "%u", key->id), &fresh);
  if (fresh) {
    struct dyn_trait *t = arena_new(p->arena, struct dyn_trait);
    t->trait = key;
    *slot = (uintptr_t)t;
  }
  return (struct dyn_trait *)*slot;
}

uint32_t dyn_slot(struct prep *p, const struct rty *dyn, str key, const struct dyn_slot *proto) {
  struct dyn_trait *t = trait_of(p, dyn);
  bool fresh;
  uintptr_t *slot = map_put(
      &state(p)->slots, arena_printf(p->arena, "%u:%.*s", t->trait->id, STR_ARG(key)), &fresh);
  if (fresh) {
    *slot = t->slots.n;
    vec_push(p->arena, &t->slots, *proto);
  }
  return (uint32_t)*slot;
}

uint32_t dyn_table(struct emit *e, const struct rty *ty, const struct rty *trait) {
  struct prep *p = e->p;
  struct dyn_state *s = state(p);
  struct dyn_trait *of = trait_of(p, trait);
  bool fresh;
  uintptr_t *slot =
      map_put(&s->tables, arena_printf(p->arena, "%u:%u", ty->id, of->trait->id), &fresh);
  if (fresh) {
    struct dyn_table *t = arena_new(p->arena, struct dyn_table);
    *t = (struct dyn_table){
        .ty = ty, .of = of, .alloc = const_reserve(p), .from = e->in, .at = e->span};
    *slot = (uintptr_t)t;
    vec_push(p->arena, &s->list, t);
  }
  return ((struct dyn_table *)*slot)->alloc;
}

/* ---- what is in a slot ---- */
static const struct rty *method_of(struct prep *p, const struct dyn_slot *s, const struct rty *ty) {
  const struct rty *path = s->fndef->path, *sig = s->fndef->sig;
  const struct rty **args = arena_array(p->arena, const struct rty *, sig->n_args);
  struct rty_seg *segs = arena_array(p->arena, struct rty_seg, path->n_segs);
  struct rty_subst self = {.from = &s->dyn, .to = &ty, .n = 1};
  for (uint32_t i = 0; i < path->n_segs; i++)
    segs[i] = path->segs[i];
  segs[0].self = ty;
  for (uint32_t i = 1; i < sig->n_args; i++)
    args[i] = sig->args[i];
  args[0] = rty_substitute(p->types, sig->args[0], &self);
  struct rty fn = *sig, def = *s->fndef;
  fn.args = args;
  fn.ret = s->ret;
  def.sig = rty_intern(p->types, &fn);
  def.path =
      rty_intern(p->types, &(struct rty){.kind = RTY_PATH, .segs = segs, .n_segs = path->n_segs});
  return rty_intern(p->types, &def);
}

static struct target drop_target(struct emit *e, const struct rty *ty) {
  bool wait = false;
  struct inst *glue = e_drop_inst(e, ty, &wait);
  if (wait)
    return (struct target){NULL, 0};
  if (!glue)
    glue = mono_no_glue(e->p, e->span);
  return (struct target){"fn", glue->id};
}

static struct dyn_cell measure(struct emit *e, const struct rty *ty, bool want_size) {
  uint64_t size = 0, align = 1;
  if (!type_size(e->p, ty, &size, &align))
    e->p->undecided++;
  return (struct dyn_cell){.value = want_size ? size : align};
}

static struct dyn_cell cell_of(struct emit *e, const struct dyn_table *t, const struct dyn_slot *s) {
  switch (s->kind) {
  case SLOT_METHOD:
    return (struct dyn_cell){.to = fndef_target(e, method_of(e->p, s, t->ty))};
  case SLOT_VALUE:
    return (struct dyn_cell){.to = {"fn", mono_value_shim(e->p, e->in, t->ty, s, e->span)->id}};
  case SLOT_DROP:
    return (struct dyn_cell){.to = drop_target(e, t->ty)};
  case SLOT_SIZE: case SLOT_ALIGN:
    return measure(e, t->ty, s->kind == SLOT_SIZE);
  case SLOT_TABLE:
    return (struct dyn_cell){.to = {"alloc", dyn_table(e, t->ty, s->trait)}};
  }
  return (struct dyn_cell){.value = 0};
}

bool dyn_fill(struct prep *p, bool *more) {
  static const struct mir_body none;
  bool ok = true;
  *more = false;
  for (size_t i = 0; p->dyn && i < p->dyn->list.n; i++) {
    struct dyn_table *t = p->dyn->list.p[i];
    struct emit e = {.p = p, .in = (struct inst *)(uintptr_t)t->from, .mir = &none, .span = t->at,
                     .span_id = PREP_NONE};
    while (t->cells.n < t->of->slots.n) {
      struct dyn_slot s = t->of->slots.p[t->cells.n]; /* the list may move */
      struct dyn_cell c = cell_of(&e, t, &s);
      vec_push(p->arena, &t->cells, c);
      *more = true;
    }
    ok = ok && !e.failed;
  }
  return ok;
}

void dyn_finish(struct prep *p) {
  for (size_t i = 0; p->dyn && i < p->dyn->list.n; i++) {
    const struct dyn_table *t = p->dyn->list.p[i];
    struct cmem *m = cmem_new(p, 8 * t->cells.n, 8);
    for (size_t k = 0; k < t->cells.n; k++) {
      const struct dyn_cell *c = &t->cells.p[k];
      cmem_put(m, 8 * k, c->value, 8);
      struct cmem_reloc r = {.off = 8 * k, .to = c->to, .local = PREP_NONE};
      if (c->to.kind)
        vec_push(p->arena, &m->relocs, r);
    }
    const_fill(p, t->alloc, m);
  }
}
