/* Statements about trait objects. */
#include "cargo-integration/rustc/dyn.h"
#include "cargo-integration/rustc/dyn_state.h"

struct object { /* locals of the result */
  uint32_t data, table; /* both `*const ()` */
  const struct rty *dyn;
};

static const struct rty *thin(struct emit *e) {
  return rty_ptr(e->p->types, e->p->types->unit, false);
}

static void statement(struct emit *e, uint32_t local, str right) {
  e_begin_assign_local(e, local);
  jw_raw(&e->w, right);
  e_end_assign(e);
}

static uint32_t cast_local(struct emit *e, uint32_t from, const struct rty *to) {
  uint32_t local = e_new_local(e, to);
  statement(e, local, arena_printf(e->p->arena, "[\"cast\",\"PtrToPtr\",[\"c\",[%u]],%u]", from,
                                   type_id(e->p, to, true)));
  return local;
}

static bool refuse(struct emit *e, const char *what, const struct rty *ty) {
  diag_help(e_error(e, MD0180, "%s `%.*s`", what, STR_ARG(ty ? rty_label(e->p->types, ty) : STR("?"))),
            "make the function generic over the type, or match over an enum");
  return false;
}

/* Takes a pointer to an object apart. */
static bool open_object(struct emit *e, const struct mir_operand *op, struct object *o) {
  const struct rty *ty = e_operand_ty(e, op);
  if (!ty || (ty->kind != RTY_REF && ty->kind != RTY_PTR) || ty->elem->kind != RTY_DYN)
    return refuse(e, "a trait object behind a pointer that is not plain:", ty);
  (void)type_id(e->p, ty->elem, true);
  o->dyn = ty->elem;
  uint32_t whole = e_new_local(e, ty);
  e_begin_assign_local(e, whole);
  e_use(e, op, ty);
  e_end_assign(e);
  o->data = cast_local(e, whole, thin(e));
  o->table = e_new_local(e, thin(e));
  statement(e, o->table,
            arena_printf(e->p->arena, "[\"un\",\"PtrMetadata\",[\"c\",[%u]]]", whole));
  return true;
}

/* A local that points to the slot, which holds a `ty`. */
static uint32_t slot_at(struct emit *e, const struct object *o, uint32_t slot,
                        const struct rty *ty) {
  (void)type_id(e->p, ty, true);
  const struct rty *ptr = rty_ptr(e->p->types, ty, false);
  uint32_t base = cast_local(e, o->table, ptr), at = e_new_local(e, ptr);
  uint32_t usize = type_id(e->p, rty_prim(e->p->types, PRIM_USIZE), true);
  statement(e, at, arena_printf(e->p->arena, "[\"bin\",\"Offset\",[\"c\",[%u]],[\"k\",%u,\"0x%x\"]]",
                                base, usize, slot));
  return at;
}

static void stop(struct emit *e) {
  e->p->undecided++;
  jw_end_array(&e->w);
  jw_raw(&e->w, STR("[\"unreach\"]"));
}

/* ---- coercions ---- */
static const struct rty *object_behind(const struct rty *ty) {
  bool pointer = ty && (ty->kind == RTY_REF || ty->kind == RTY_PTR);
  return pointer && ty->elem->kind == RTY_DYN ? ty->elem : NULL;
}

static bool changes_trait(struct emit *e, const struct rty *from, const struct rty *to) {
  const struct rty *a = object_behind(from), *b = object_behind(to);
  return a && b && !dyn_same_trait(e->p, a, b);
}

void e_dyn_prepare(struct emit *e, const struct mir_rvalue *rv) {
  if (rv->kind != RV_CAST || rv->cast != CAST_UNSIZE)
    return;
  const struct rty *from = e_operand_ty(e, &rv->a), *to = e_ty(e, rv->ty);
  struct object o;
  if (!changes_trait(e, from, to) || !open_object(e, &rv->a, &o))
    return;
  struct dyn_slot s = {.kind = SLOT_TABLE, .trait = to->elem};
  const struct rty *trait = to->elem->n_args ? to->elem->args[0] : NULL;
  str key = arena_printf(e->p->arena, "t%u", trait ? trait->id : 0);
  e->dyn_data = o.data;
  e->dyn_slot = slot_at(e, &o, dyn_slot(e->p, from->elem, key, &s), thin(e));
}

bool e_dyn_unsize(struct emit *e, const struct mir_operand *op, const struct rty *from,
                  const struct rty *to) {
  struct jsonw *w = &e->w;
  const struct rty *object = object_behind(to);
  if (!object || !from || (from->kind != RTY_REF && from->kind != RTY_PTR))
    return false;
  uint32_t id = type_id(e->p, to, true);
  (void)type_id(e->p, object, true);
  jw_array(w);
  if (object_behind(from) && !changes_trait(e, from, to)) {
    jw_strz(w, "cast");
    jw_strz(w, "PtrToPtr");
    e_operand(e, op, from);
    jw_u64(w, id);
    jw_end_array(w);
    return true;
  }
  jw_strz(w, "rawfat");
  jw_u64(w, id);
  if (object_behind(from)) {
    jw_raw(w, arena_printf(e->p->arena, "[\"c\",[%u]]", e->dyn_data));
    jw_raw(w, arena_printf(e->p->arena, "[\"c\",[%u,\"*\"]]", e->dyn_slot));
  } else {
    e_operand(e, op, from);
    jw_raw(w, arena_printf(e->p->arena, "[\"p\",%u,\"alloc\",%u,0]", type_id(e->p, thin(e), true),
                           dyn_table(e, from->elem, object)));
  }
  jw_end_array(w);
  return true;
}

/* ---- calls ---- */
struct call {
  const struct mir_operand *args; /* behind the object; NULL: the fields of local `tuple` */
  uint32_t tuple;
  const struct rty *const *types;
  uint32_t n;
  const struct rty *ret;
};

static const struct rty *pointer_type(struct emit *e, const struct call *c) {
  const struct rty **args = arena_array(e->p->arena, const struct rty *, c->n + 1);
  args[0] = thin(e);
  for (uint32_t i = 0; i < c->n; i++)
    args[i + 1] = c->types[i];
  return rty_intern(e->p->types, &(struct rty){.kind = RTY_FNPTR,
                                               .args = args,
                                               .n_args = c->n + 1,
                                               .ret = c->ret,
                                               .abi = STR("")});
}

static void write_call(struct emit *e, const struct mir_term *t, const struct object *o,
                       uint32_t slot, const struct call *c) {
  struct jsonw *w = &e->w;
  uint32_t at = slot_at(e, o, slot, pointer_type(e, c));
  jw_end_array(w); /* statements */
  jw_array(w);
  jw_strz(w, "call");
  jw_raw(w, arena_printf(e->p->arena, "[\"ptr\",[\"c\",[%u,\"*\"]]]", at));
  jw_array(w);
  jw_raw(w, arena_printf(e->p->arena, "[\"c\",[%u]]", o->data));
  for (uint32_t i = 0; i < c->n; i++)
    if (c->args)
      e_operand(e, &c->args[i], c->types[i]);
    else
      jw_raw(w, arena_printf(e->p->arena, "[\"m\",[%u,[\"f\",%u,%u]]]", c->tuple, i,
                             type_id(e->p, c->types[i], true)));
  jw_end_array(w);
  e_place(e, &t->place);
  e_block_or_null(e, t->target);
  e_span(e);
  jw_end_array(w);
}

void e_dyn_call(struct emit *e, const struct mir_term *t, const struct rty *fndef) {
  struct object o;
  const struct rty *ret = e_place_ty(e, &t->place, t->place.n_proj);
  const struct rty *path = fndef->path, *sig = fndef->sig;
  if (!ret || !t->n_args || sig->n_args != t->n_args || !open_object(e, &t->args[0], &o)) {
    stop(e);
    return;
  }
  const struct rty **types = arena_array(e->p->arena, const struct rty *, t->n_args);
  for (uint32_t i = 1; i < t->n_args; i++)
    types[i - 1] = e_ty(e, sig->args[i]);
  struct dyn_slot s = {
      .kind = SLOT_METHOD, .fndef = fndef, .dyn = path->segs[0].self, .ret = ret};
  str key = arena_printf(e->p->arena, "m%u:%.*s", path->segs[0].trait->id,
                         STR_ARG(path->segs[1].name));
  struct call c = {.args = t->args + 1, .types = types, .n = t->n_args - 1, .ret = ret};
  write_call(e, t, &o, dyn_slot(e->p, o.dyn, key, &s), &c);
}

/* The fields of a tuple, each as an operand of its own. */
static const struct mir_operand *fields_of(struct emit *e, const struct mir_operand *tuple,
                                           const struct rty *ty) {
  struct mir_operand *ops = arena_array(e->p->arena, struct mir_operand, ty->n_args + 1);
  for (uint32_t i = 0; i < ty->n_args; i++) {
    const struct mir_place *pl = &tuple->place;
    struct mir_proj *pr = arena_array(e->p->arena, struct mir_proj, pl->n_proj + 1);
    for (uint32_t k = 0; k < pl->n_proj; k++)
      pr[k] = pl->proj[k];
    pr[pl->n_proj] = (struct mir_proj){.kind = PROJ_FIELD, .index = i, .ty = ty->args[i]};
    ops[i] = (struct mir_operand){.kind = tuple->kind, .place = {pl->local, pl->n_proj + 1, pr}};
  }
  return ops;
}

void e_dyn_call_value(struct emit *e, const struct mir_term *t, const struct mir_operand *object,
                      char how, const struct mir_operand *tuple) {
  struct object o;
  const struct rty *ret = e_place_ty(e, &t->place, t->place.n_proj), *ty = e_operand_ty(e, tuple);
  bool known = ret && ty && ty->kind == RTY_TUPLE;
  if (!known || !open_object(e, object, &o)) {
    if (!known)
      e_error(e, MD0183, "the arguments of a closure are not a tuple");
    stop(e);
    return;
  }
  struct dyn_slot s = {.kind = SLOT_VALUE, .how = how == 'm' ? 'm' : 'r', .args = ty, .ret = ret};
  str key = arena_printf(e->p->arena, "f%c%u", s.how, ty->id);
  uint32_t slot = dyn_slot(e->p, o.dyn, key, &s);
  struct call c = {.types = ty->args, .n = ty->n_args, .ret = ret};
  if (tuple->kind != OP_CONST) {
    c.args = fields_of(e, tuple, ty);
  } else if (ty->n_args) {
    c.tuple = e_new_local(e, ty);
    e_begin_assign_local(e, c.tuple);
    e_use(e, tuple, ty);
    e_end_assign(e);
  }
  write_call(e, t, &o, slot, &c);
}

void e_dyn_drop(struct emit *e, const struct mir_term *t, const struct mir_operand *ptr) {
  struct object o;
  if (!open_object(e, ptr, &o)) {
    stop(e);
    return;
  }
  struct dyn_slot s = {.kind = SLOT_DROP};
  const struct rty *unit = e->p->types->unit;
  struct call c = {.ret = unit};
  uint32_t at = slot_at(e, &o, dyn_slot(e->p, o.dyn, STR("drop"), &s), pointer_type(e, &c));
  uint32_t none = e_new_local(e, unit);
  jw_end_array(&e->w);
  jw_array(&e->w);
  jw_strz(&e->w, "call");
  jw_raw(&e->w, arena_printf(e->p->arena, "[\"ptr\",[\"c\",[%u,\"*\"]]],[[\"c\",[%u]]],[%u]", at,
                             o.data, none));
  e_block_or_null(e, t->target);
  e_span(e);
  jw_end_array(&e->w);
}

void e_dyn_measure(struct emit *e, const struct mir_term *t, bool size) {
  struct object o;
  if (!open_object(e, &t->args[0], &o)) {
    stop(e);
    return;
  }
  struct dyn_slot s = {.kind = size ? SLOT_SIZE : SLOT_ALIGN};
  uint32_t slot = dyn_slot(e->p, o.dyn, size ? STR("size") : STR("align"), &s);
  uint32_t at = slot_at(e, &o, slot, rty_prim(e->p->types, PRIM_USIZE));
  e_begin_assign(e, &t->place);
  jw_raw(&e->w, arena_printf(e->p->arena, "[\"use\",[\"c\",[%u,\"*\"]]]", at));
  e_end_assign(e);
  jw_end_array(&e->w);
  e_goto(e, t->target);
}
