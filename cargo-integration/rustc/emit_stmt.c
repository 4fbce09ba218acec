/* Statements and right-hand sides. */
#include "base/fatal.h"
#include "cargo-integration/rustc/consts.h"
#include "cargo-integration/rustc/dyn.h"
#include "cargo-integration/rustc/emit.h"

static void raw_op(struct emit *e, const char *tag) {
  jw_array(&e->w);
  jw_strz(&e->w, tag);
}

static const char *bin_name(enum mir_bin b) {
  return mir_bin_name(b); /* the result spells them as rustc does */
}

/* ---- casts ---- */
static void cast_as(struct emit *e, const char *kind, const struct mir_rvalue *rv,
                    const struct rty *to) {
  raw_op(e, "cast");
  jw_strz(&e->w, kind);
  e_operand(e, &rv->a, NULL);
  jw_u64(&e->w, type_id(e->p, to, true));
  jw_end_array(&e->w);
}

static void write_fn_pointer(struct emit *e, const struct rty *to, uint32_t fn) {
  struct jsonw *w = &e->w;
  raw_op(e, "use");
  jw_array(w);
  jw_strz(w, "p");
  jw_u64(w, type_id(e->p, to, true));
  jw_strz(w, "fn");
  jw_u64(w, fn);
  jw_u64(w, 0);
  jw_end_array(w);
  jw_end_array(w);
}

static void reify(struct emit *e, const struct mir_rvalue *rv, const struct rty *to) {
  const struct rty *from = e_operand_ty(e, &rv->a);
  if (!from || from->kind != RTY_FNDEF) {
    e_error(e, MD0183, "a function pointer is made of something that is not a function");
    jw_null(&e->w);
    return;
  }
  struct target t = fndef_target(e, from);
  if (t.kind)
    write_fn_pointer(e, to, t.id);
  else
    jw_null(&e->w);
}

static void reify_closure(struct emit *e, const struct mir_rvalue *rv, const struct rty *to) {
  const struct rty *from = e_operand_ty(e, &rv->a);
  if (!from || from->kind != RTY_CLOSURE || from->n_args || !from->sig) {
    e_error(e, MD0183, "a function pointer is made of a closure that is not known");
    jw_null(&e->w);
    return;
  }
  write_fn_pointer(e, to, mono_closure_shim(e->p, e->in, from, e->span)->id);
}

/* `&S<[T; N]>` to `&S<[T]>`, where both are the same struct but for the last argument. */
static const struct rty *unsized_tail(struct emit *e, const struct rty *from, const struct rty *to) {
  const struct rty *a[16], *b[16];
  size_t n = rty_path_args(from, a, 16), m = rty_path_args(to, b, 16);
  const struct rty *array = NULL;
  if (from->kind != RTY_PATH || to->kind != RTY_PATH || n != m || n > 16 ||
      rty_path_bare(e->p->types, from) != rty_path_bare(e->p->types, to))
    return NULL;
  for (size_t i = 0; i < n; i++) {
    if (a[i] == b[i])
      continue;
    if (array || a[i]->kind != RTY_ARRAY || b[i]->kind != RTY_SLICE || a[i]->elem != b[i]->elem)
      return NULL;
    array = a[i];
  }
  return array;
}

static bool unsize_struct(struct emit *e, const struct mir_rvalue *rv, const struct rty *from,
                          const struct rty *to) {
  uint64_t n;
  if (!from || (from->kind != RTY_REF && from->kind != RTY_PTR) || to->kind != from->kind)
    return false;
  const struct rty *array = unsized_tail(e, from->elem, to->elem);
  if (!array || !rty_array_len(array, &n))
    return false;
  struct ty_info *i = prep_info(e->p, to->elem);
  if (!i->unsized_from) {
    i->unsized_from = from->elem;
    i->layout = NULL;
    e->p->again = true;
  }
  (void)type_id(e->p, to->elem, true);
  raw_op(e, "rawfat");
  jw_u64(&e->w, type_id(e->p, to, true));
  e_operand(e, &rv->a, NULL);
  e_int(e, rty_prim(e->p->types, PRIM_USIZE), n);
  jw_end_array(&e->w);
  return true;
}

static void unsize(struct emit *e, const struct mir_rvalue *rv, const struct rty *to) {
  const struct rty *from = e_operand_ty(e, &rv->a);
  if (from && (from->kind == RTY_REF || from->kind == RTY_PTR) && from->elem->kind == RTY_ARRAY &&
      (to->kind == RTY_REF || to->kind == RTY_PTR) && to->elem->kind == RTY_SLICE) {
    (void)type_id(e->p, from->elem, true);
    cast_as(e, "Unsize", rv, to);
    return;
  }
  if (unsize_struct(e, rv, from, to) || e_dyn_unsize(e, &rv->a, from, to))
    return;
  struct diag *d = e_error(e, MD0180, "a trait object inside of another type is made here: `%.*s`",
                           STR_ARG(rty_label(e->p->types, to)));
  diag_help(d, "make it of a plain reference: `&x as &dyn Trait`");
  jw_null(&e->w);
}

static void write_cast(struct emit *e, const struct mir_rvalue *rv) {
  const struct rty *to = e_ty(e, rv->ty);
  switch (rv->cast) {
  case CAST_INT_TO_INT: case CAST_INT_TO_FLOAT: case CAST_FLOAT_TO_INT: case CAST_FLOAT_TO_FLOAT:
  case CAST_PTR_TO_PTR: case CAST_TRANSMUTE:
    cast_as(e, mir_cast_name(rv->cast), rv, to);
    return;
  case CAST_FN_PTR_TO_PTR: case CAST_MUT_TO_CONST: case CAST_ARRAY_TO_PTR:
    cast_as(e, "PtrToPtr", rv, to);
    return;
  case CAST_SUBTYPE: case CAST_UNSAFE_FN:
    cast_as(e, "Transmute", rv, to);
    return;
  case CAST_EXPOSE:
    cast_as(e, "PtrToInt", rv, to);
    return;
  case CAST_WITH_EXPOSED:
    cast_as(e, "IntToPtr", rv, to);
    return;
  case CAST_UNSIZE:
    unsize(e, rv, to);
    return;
  case CAST_REIFY_FN:
    reify(e, rv, to);
    return;
  case CAST_CLOSURE_FN:
    reify_closure(e, rv, to);
    return;
  case CAST_COUNT:
    break;
  }
  BUG("cast %d", (int)rv->cast);
}

/* ---- aggregates ---- */
static void write_ops(struct emit *e, const struct mir_operand *ops, uint32_t n,
                      const struct rty *const *hints) {
  jw_array(&e->w);
  for (uint32_t i = 0; i < n; i++)
    e_operand(e, &ops[i], hints ? hints[i] : NULL);
  jw_end_array(&e->w);
}

static void begin_agg(struct emit *e, const struct rty *ty, uint32_t n) {
  raw_op(e, "agg");
  jw_u64(&e->w, type_id(e->p, ty, true));
  jw_u64(&e->w, n);
}

static void array_agg(struct emit *e, const struct mir_rvalue *rv, const struct rty *ty) {
  begin_agg(e, ty, 0);
  jw_array(&e->w);
  for (uint32_t i = 0; i < rv->n_ops; i++)
    e_operand(e, &rv->ops[i], ty->kind == RTY_ARRAY ? ty->elem : NULL);
  jw_end_array(&e->w);
  jw_end_array(&e->w);
}

/* The printer gives every union aggregate the name of the first field. All fields lie at the start, so
 * the result gets one more field for each type that is put in: their numbers follow the real ones. */
static uint32_t union_field(struct emit *e, const struct mir_rvalue *rv, const struct rty *ty,
                            const struct layout *l) {
  const struct rty *f = rv->n_ops == 1 ? e_operand_ty(e, &rv->ops[0]) : NULL;
  if (!f) {
    e_error(e, MD0183, "a union is made of %u values", rv->n_ops);
    return 0;
  }
  for (uint32_t k = 0;; k++) {
    const struct rty *have = type_field(e->p, ty, UNION_PUT, k);
    if (!have)
      type_saw_field(e->p, ty, UNION_PUT, k, f);
    if (!have || have == f)
      return l->n_fields + k;
  }
}

static void note_fields(struct emit *e, const struct mir_rvalue *rv, const struct rty *ty,
                        uint32_t variant, bool is_struct) {
  struct ty_info *i = prep_info(e->p, ty);
  for (uint32_t k = 0; k < rv->n_ops; k++) {
    const struct rty *f = e_operand_ty(e, &rv->ops[k]);
    if (f)
      type_saw_field(e->p, ty, variant, k, f);
  }
  if (is_struct && rv->fields && i->field_names.n == 0)
    for (uint32_t k = 0; k < rv->n_ops; k++)
      vec_push(e->p->arena, &i->field_names, rv->fields[k]);
}

static void adt_agg(struct emit *e, const struct mir_rvalue *rv, const struct rty *ty) {
  const struct rty *path = e_ty(e, rv->path);
  const struct layout *l = type_layout(e->p, ty);
  uint32_t n = 0;
  bool is_struct = path == ty || str_eq(rty_last_name(path), rty_last_name(ty));
  const struct rty *parent = rty_path_parent(e->p->types, path);
  /* An enum may have a variant of its own name: the printed path decides. */
  if (parent == ty)
    is_struct = false;
  bool is_union = is_struct && l && l->fields == FIELDS_UNION && l->n_fields > 0;
  if (is_union) {
    n = union_field(e, rv, ty, l);
  } else {
    if (!is_struct) {
      e_variant(e, ty, rty_last_name(path), &n);
    }
    note_fields(e, rv, ty, n, is_struct);
  }
  begin_agg(e, ty, n);
  jw_array(&e->w);
  for (uint32_t i = 0; i < rv->n_ops; i++)
    e_operand(e, &rv->ops[i], is_union ? NULL : type_field(e->p, ty, n, i));
  jw_end_array(&e->w);
  jw_end_array(&e->w);
}

/* The variable that a capture is of: a copy made to show all captures names further ones, which
 * stand in front (overlay_closures.c). */
static str variable_of(const struct mir_rvalue *rv, uint32_t k) {
  uint32_t from = k;
  while (k + 1 < rv->n_ops && str_starts(rv->fields[k], STR("__mirdc_v")))
    k++;
  return str_starts(rv->fields[k], STR("__mirdc_v")) ? rv->fields[from] : rv->fields[k];
}

static void note_closure(struct emit *e, const struct mir_rvalue *rv, const struct rty *ty) {
  struct ty_info *i = prep_info(e->p, ty);
  if (!i->made_at.line0)
    i->made_at = e->place;
  if (rv->fields && i->field_names.n == 0 && rv->n_ops == ty->n_args)
    for (uint32_t k = 0; k < rv->n_ops; k++)
      vec_push(e->p->arena, &i->field_names, variable_of(rv, k));
}

/* rustc loses operands when one variable is captured by several of its fields. */
static void closure_agg(struct emit *e, const struct mir_rvalue *rv, const struct rty *ty) {
  if (ty->kind != RTY_CLOSURE || !ty->sig) {
    e_error(e, MD0183, "a closure is made in a place of type `%.*s`",
            STR_ARG(rty_label(e->p->types, ty)));
    jw_null(&e->w);
    return;
  }
  if (rv->n_ops < ty->n_args && prep_open_closure(e->p, rv->ty->name, ty->n_args - rv->n_ops)) {
    e->p->want_captures = true; /* the next round knows */
  } else if (rv->n_ops != ty->n_args) {
    struct diag *g = e_error(e, MD0184, "rustc loses captures of this closure when it prints");
    diag_help(g, "bind the captured fields to variables of their own before the closure: "
                 "`let (a, b) = (pair.0, pair.1);`");
  }
  note_closure(e, rv, ty);
  begin_agg(e, ty, 0);
  write_ops(e, rv->ops, rv->n_ops, NULL);
  jw_end_array(&e->w);
}

/* ---- the others ---- */
static void write_bin(struct emit *e, const struct mir_rvalue *rv) {
  const struct rty *ta = e_operand_ty(e, &rv->a), *tb = e_operand_ty(e, &rv->b);
  bool shift = rv->bin == BIN_SHL || rv->bin == BIN_SHR || rv->bin == BIN_SHL_UNCHECKED ||
               rv->bin == BIN_SHR_UNCHECKED || rv->bin == BIN_OFFSET;
  if (rv->bin == BIN_OFFSET && ta && (ta->kind == RTY_PTR || ta->kind == RTY_REF))
    (void)type_id(e->p, ta->elem, true);
  raw_op(e, "bin");
  jw_strz(&e->w, bin_name(rv->bin));
  e_operand(e, &rv->a, shift ? NULL : tb);
  e_operand(e, &rv->b, shift ? NULL : ta);
  jw_end_array(&e->w);
}

static void write_len(struct emit *e, const struct mir_rvalue *rv) {
  const struct rty *t = e_place_ty(e, &rv->place, rv->place.n_proj);
  uint64_t n;
  if (t && rty_array_len(t, &n)) {
    raw_op(e, "use");
    e_int(e, rty_prim(e->p->types, PRIM_USIZE), n);
    jw_end_array(&e->w);
    return;
  }
  if (!t || t->kind != RTY_SLICE || !rv->place.n_proj ||
      rv->place.proj[rv->place.n_proj - 1].kind != PROJ_DEREF) {
    e_error(e, MD0183, "the length of something that is not a slice");
    jw_null(&e->w);
    return;
  }
  struct mir_operand op = {.kind = OP_COPY, .place = rv->place};
  op.place.n_proj--;
  raw_op(e, "un");
  jw_strz(&e->w, "PtrMetadata");
  e_operand(e, &op, NULL);
  jw_end_array(&e->w);
}

static void write_ref(struct emit *e, const struct mir_rvalue *rv) {
  raw_op(e, rv->kind == RV_REF ? "ref" : "raw");
  jw_bool(&e->w, rv->mut);
  e_place(e, &rv->place);
  jw_end_array(&e->w);
}

static void write_discr(struct emit *e, const struct mir_rvalue *rv, const struct rty *dest) {
  const struct rty *t = e_place_ty(e, &rv->place, rv->place.n_proj);
  if (!t)
    return;
  if (t->kind != RTY_PATH) {
    raw_op(e, "use");
    e_int(e, dest, 0);
    jw_end_array(&e->w);
    return;
  }
  type_saw_enum(e->p, t);
  prep_info(e->p, t)->discr_ty = dest;
  raw_op(e, "discr");
  e_place(e, &rv->place);
  jw_end_array(&e->w);
}

static void write_repeat(struct emit *e, const struct mir_rvalue *rv, const struct rty *dest) {
  uint64_t n;
  if (!(rv->count && const_usize(e, rv->count, &n)) && !rty_array_len(dest, &n)) {
    e_error(e, MD0175, "the number of repetitions is not known");
    n = 0;
  }
  raw_op(e, "rep");
  e_operand(e, &rv->a, dest->kind == RTY_ARRAY ? dest->elem : NULL);
  jw_u64(&e->w, n);
  jw_end_array(&e->w);
}

static void plain_agg(struct emit *e, const struct mir_rvalue *rv, const struct rty *dest) {
  if (rv->n_ops == 0 && type_is_zst(e->p, dest)) {
    raw_op(e, "use");
    e_zero(e, dest);
    jw_end_array(&e->w);
  } else if (rv->kind == RV_ARRAY) {
    array_agg(e, rv, dest);
  } else {
    begin_agg(e, dest, 0);
    write_ops(e, rv->ops, rv->n_ops, dest->kind == RTY_TUPLE ? dest->args : NULL);
    jw_end_array(&e->w);
  }
}

static void write_rvalue(struct emit *e, const struct mir_rvalue *rv, const struct rty *dest) {
  switch (rv->kind) {
  case RV_USE:
    e_use(e, &rv->a, dest);
    return;
  case RV_REPEAT:
    write_repeat(e, rv, dest);
    return;
  case RV_CAST:
    write_cast(e, rv);
    return;
  case RV_BIN:
    write_bin(e, rv);
    return;
  case RV_UN:
    raw_op(e, "un");
    jw_strz(&e->w, mir_un_name(rv->un));
    e_operand(e, &rv->a, dest);
    jw_end_array(&e->w);
    return;
  case RV_DISCR:
    write_discr(e, rv, dest);
    return;
  case RV_LEN:
    write_len(e, rv);
    return;
  case RV_REF: case RV_RAW:
    write_ref(e, rv);
    return;
  case RV_DEREF_COPY: {
    struct mir_operand op = {.kind = OP_COPY, .place = rv->place};
    e_use(e, &op, NULL);
    return;
  }
  case RV_TLS:
    diag_help(e_error(e, MD0183, "a thread-local variable of the host is used"),
              "use an argument or shared memory");
    jw_null(&e->w);
    return;
  case RV_ARRAY: case RV_TUPLE:
    plain_agg(e, rv, dest);
    return;
  case RV_ADT:
    adt_agg(e, rv, dest);
    return;
  case RV_CLOSURE:
    closure_agg(e, rv, dest);
    return;
  case RV_RAWFAT:
    raw_op(e, "rawfat");
    jw_u64(&e->w, type_id(e->p, dest, true));
    e_operand(e, &rv->a, NULL);
    e_operand(e, &rv->b, rty_prim(e->p->types, PRIM_USIZE));
    jw_end_array(&e->w);
    return;
  }
}

static void live_dead(struct emit *e, const struct mir_stmt *s) {
  uint32_t l = s->place.local;
  if (l >= e->mir->n_locals || e->local_map[l] == PREP_NONE)
    return;
  raw_op(e, s->kind == ST_LIVE ? "live" : "dead");
  jw_u64(&e->w, e->local_map[l]);
  jw_end_array(&e->w);
}

static void copy_stmt(struct emit *e, const struct mir_stmt *s) {
  const struct rty *t = e_operand_ty(e, &s->ops[0]);
  if (t && (t->kind == RTY_PTR || t->kind == RTY_REF))
    (void)type_id(e->p, t->elem, true);
  raw_op(e, "copy");
  for (int i = 0; i < 3; i++)
    e_operand(e, &s->ops[i], rty_prim(e->p->types, PRIM_USIZE));
  e_span(e);
  jw_end_array(&e->w);
}

void e_stmt(struct emit *e, uint32_t block, uint32_t n) {
  const struct mir_stmt *s = &e->mir->blocks[block].stmts[n];
  e_set_span(e, &s->loc);
  switch (s->kind) {
  case ST_ASSIGN: {
    const struct rty *dest = e_place_ty(e, &s->place, s->place.n_proj);
    if (!dest)
      return;
    e_dyn_prepare(e, s->rv);
    e_begin_assign(e, &s->place);
    write_rvalue(e, s->rv, dest);
    e_end_assign(e);
    return;
  }
  case ST_LIVE: case ST_DEAD:
    live_dead(e, s);
    return;
  case ST_SETDISCR: {
    const struct rty *t = e_place_ty(e, &s->place, s->place.n_proj);
    if (t)
      type_saw_enum(e->p, t);
    raw_op(e, "setv");
    e_place(e, &s->place);
    jw_u64(&e->w, s->variant);
    e_span(e);
    jw_end_array(&e->w);
    return;
  }
  case ST_ASSUME:
    raw_op(e, "assume");
    e_operand(e, &s->ops[0], rty_prim(e->p->types, PRIM_BOOL));
    e_span(e);
    jw_end_array(&e->w);
    return;
  case ST_COPY:
    copy_stmt(e, s);
    return;
  case ST_NOP:
    return;
  }
}
