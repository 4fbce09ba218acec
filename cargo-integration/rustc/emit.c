/* Bodies: locals, places, operands, blocks. */
#include "cargo-integration/rustc/emit.h"

#include "base/fatal.h"
#include "cargo-integration/rustc/consts.h"

const struct rty *e_ty(struct emit *e, const struct rty *ty) {
  return mono_type(e->p, e->in, ty, e->span);
}

struct diag *e_error(struct emit *e, enum diag_code c, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  struct strbuf b = {0};
  sb_vaddf(&b, fmt, ap);
  va_end(ap);
  struct diag *d = prep_error(e->p, e->in, c, e->span, "%.*s", STR_ARG(sb_str(&b)));
  sb_free(&b);
  e->failed = true;
  return d;
}

/* ---- spans ---- */
/* The function whose own code a scope holds; NULL: one of another crate. */
static const struct mir_item *scope_item(struct emit *e, uint32_t scope) {
  if (scope == MIR_NONE)
    return e->in->item;
  const struct rty *callee = e->mir->scopes[scope].callee;
  return callee ? mir_item_of_path(&e->p->dumps.p[0]->file, rty_path_bare(e->p->types, callee)) : NULL;
}

/* For messages: the innermost place in the user's own sources. Code of the library that is no inlined
 * function's comes from a macro. */
static struct span user_span(struct emit *e, const struct mir_loc *loc) {
  struct span s = loc->span;
  uint32_t scope = loc->scope;
  e->p->at_macro = NULL;
  while (scope != MIR_NONE && scope < e->mir->n_scopes && e_in_library(e, s)) {
    while (scope != MIR_NONE && !e->mir->scopes[scope].inlined)
      scope = e->mir->scopes[scope].parent;
    e->p->at_macro = scope_item(e, scope);
    if (scope == MIR_NONE)
      break;
    s = e->mir->scopes[scope].call;
    scope = e->mir->scopes[scope].parent;
  }
  if (s.line0 && !e_in_library(e, s) && !e->p->at_macro)
    e->p->seen = s;
  return s;
}

void e_set_span(struct emit *e, const struct mir_loc *loc) {
  e->span = user_span(e, loc);
  e->p->at_span = e->span;
  e->place = loc->span;
  e->span_id = PREP_NONE;
  if (loc->span.line0)
    e->span_id = e_span_of(e, loc);
}

void e_span(struct emit *e) {
  if (e->span_id == PREP_NONE)
    jw_null(&e->w);
  else
    jw_u64(&e->w, e->span_id);
}

/* ---- places ---- */
static const struct rty *deref_ty(struct emit *e, const struct rty *t) {
  if (t->kind == RTY_REF || t->kind == RTY_PTR) {
    (void)type_id(e->p, t->elem, true);
    return t->elem;
  }
  struct diag *d = e_error(e, MD0178, "`%.*s` is followed like a pointer",
                           STR_ARG(rty_label(e->p->types, t)));
  diag_help(d, "`Box` needs a heap; use a reference");
  return NULL;
}

static const struct rty *element_ty(struct emit *e, const struct rty *t) {
  if (t->kind == RTY_ARRAY || t->kind == RTY_SLICE)
    return t->elem;
  e_error(e, MD0183, "`%.*s` is indexed", STR_ARG(rty_label(e->p->types, t)));
  return NULL;
}

static const struct rty *subslice_ty(struct emit *e, const struct rty *t, const struct mir_proj *pr) {
  uint64_t n;
  if (t->kind != RTY_ARRAY)
    return t;
  if (!rty_array_len(t, &n))
    return NULL;
  return rty_array(e->p->types, t->elem, pr->from_end ? n - pr->to - pr->from : pr->to - pr->from);
}

void e_variant(struct emit *e, const struct rty *t, str name, uint32_t *v) {
  type_saw_enum(e->p, t);
  if (type_variant(e->p, t, name, v))
    return;
  e->p->undecided++;
  if (t->kind != RTY_PATH || prep_info(e->p, t)->names_failed || prep_info(e->p, t)->di)
    diag_help(e_error(e, MD0177, "variant `%.*s` of `%.*s` is not known", STR_ARG(name),
                      STR_ARG(rty_label(e->p->types, t))),
              "use the enum by value in one of the crate's functions, so that rustc describes it");
}

static void variant_of(struct emit *e, const struct rty *t, const struct mir_proj *pr, uint32_t *v) {
  *v = pr->index;
  if (pr->name.n)
    e_variant(e, t, pr->name, v);
  else
    type_saw_enum(e->p, t);
}

static const struct rty *field_ty(struct emit *e, const struct rty *t, uint32_t variant,
                                  const struct mir_proj *pr) {
  const struct rty *f = pr->ty ? e_ty(e, pr->ty) : type_field(e->p, t, variant, pr->index);
  if (!f) {
    e_error(e, MD0183, "field %u of `%.*s` has no printed type", pr->index,
            STR_ARG(rty_label(e->p->types, t)));
    return NULL;
  }
  type_saw_field(e->p, t, variant, pr->index, f);
  return f;
}

const struct rty *e_place_ty(struct emit *e, const struct mir_place *pl, uint32_t n) {
  const struct rty *t = pl->local < e->mir->n_locals ? e->local_ty[pl->local] : NULL;
  uint32_t variant = 0;
  if (!t) {
    e_error(e, MD0183, "local _%u is not declared", pl->local);
    return NULL;
  }
  for (uint32_t i = 0; i < n && t; i++) {
    const struct mir_proj *pr = &pl->proj[i];
    uint32_t before = variant;
    variant = 0;
    switch (pr->kind) {
    case PROJ_DEREF:
      t = deref_ty(e, t);
      break;
    case PROJ_FIELD:
      t = field_ty(e, t, before, pr);
      break;
    case PROJ_DOWNCAST:
      variant_of(e, t, pr, &variant);
      break;
    case PROJ_INDEX: case PROJ_CONST_INDEX:
      t = element_ty(e, t);
      break;
    case PROJ_SUBSLICE:
      t = subslice_ty(e, t, pr);
      break;
    case PROJ_SUBTYPE:
      t = e_ty(e, pr->ty);
      break;
    }
  }
  return t;
}

const struct rty *e_operand_ty(struct emit *e, const struct mir_operand *op) {
  switch (op->kind) {
  case OP_COPY: case OP_MOVE:
    return e_place_ty(e, &op->place, op->place.n_proj);
  case OP_CONST:
    return const_ty(e, op->k);
  case OP_RUNTIME_CHECK:
    return rty_prim(e->p->types, PRIM_BOOL);
  }
  return NULL;
}

static uint32_t out_local(struct emit *e, uint32_t mir_local) {
  if (mir_local < e->mir->n_locals && e->local_map[mir_local] != PREP_NONE)
    return e->local_map[mir_local];
  e_error(e, MD0183, "local _%u is used in a way that was not foreseen", mir_local);
  return 0;
}

static void write_step(struct emit *e, const struct mir_place *pl, uint32_t i) {
  struct jsonw *w = &e->w;
  const struct mir_proj *pr = &pl->proj[i];
  if (pr->kind == PROJ_SUBTYPE)
    return;
  if (pr->kind == PROJ_DEREF) {
    jw_strz(w, "*");
    return;
  }
  jw_array(w);
  switch (pr->kind) {
  case PROJ_FIELD: {
    const struct rty *f = e_place_ty(e, pl, i + 1);
    jw_strz(w, "f");
    jw_u64(w, pr->index);
    jw_u64(w, f ? type_id(e->p, f, true) : 0);
    break;
  }
  case PROJ_DOWNCAST: {
    uint32_t v = 0;
    const struct rty *t = e_place_ty(e, pl, i);
    if (t)
      variant_of(e, t, pr, &v);
    jw_strz(w, "v");
    jw_u64(w, v);
    break;
  }
  case PROJ_INDEX:
    jw_strz(w, "i");
    jw_u64(w, out_local(e, pr->index));
    break;
  case PROJ_CONST_INDEX:
  case PROJ_SUBSLICE:
    jw_strz(w, pr->kind == PROJ_CONST_INDEX ? "c" : "s");
    jw_u64(w, pr->from);
    jw_u64(w, pr->to);
    jw_bool(w, pr->from_end);
    break;
  case PROJ_DEREF: case PROJ_SUBTYPE:
    break;
  }
  jw_end_array(w);
}

void e_place(struct emit *e, const struct mir_place *pl) {
  jw_array(&e->w);
  jw_u64(&e->w, out_local(e, pl->local));
  const struct rty *t = e_place_ty(e, pl, pl->n_proj);
  if (t)
    (void)type_id(e->p, t, true);
  for (uint32_t i = 0; i < pl->n_proj; i++)
    write_step(e, pl, i);
  jw_end_array(&e->w);
}

void e_local_place(struct emit *e, uint32_t n) {
  jw_array(&e->w);
  jw_u64(&e->w, n);
  jw_end_array(&e->w);
}

/* ---- operands ---- */
void e_zero(struct emit *e, const struct rty *ty) {
  jw_array(&e->w);
  jw_strz(&e->w, "z");
  jw_u64(&e->w, type_id(e->p, ty, true));
  jw_end_array(&e->w);
}

void e_int(struct emit *e, const struct rty *ty, u128 v) {
  jw_array(&e->w);
  jw_strz(&e->w, "k");
  jw_u64(&e->w, type_id(e->p, ty, true));
  jw_hex(&e->w, v);
  jw_end_array(&e->w);
}

static void runtime_check(struct emit *e, const struct mir_operand *op) {
  bool on = false;
  if (str_eq(op->name, STR("OverflowChecks")))
    on = e->p->unit->overflow_checks;
  else if (!str_eq(op->name, STR("UbChecks")) && !str_eq(op->name, STR("ContractChecks")))
    e_error(e, MD0183, "an unknown check `%.*s`", STR_ARG(op->name));
  e_int(e, rty_prim(e->p->types, PRIM_BOOL), on);
}

void e_operand(struct emit *e, const struct mir_operand *op, const struct rty *hint) {
  switch (op->kind) {
  case OP_COPY: case OP_MOVE:
    jw_array(&e->w);
    jw_strz(&e->w, op->kind == OP_COPY ? "c" : "m");
    e_place(e, &op->place);
    jw_end_array(&e->w);
    return;
  case OP_CONST:
    e_const(e, op->k, hint);
    return;
  case OP_RUNTIME_CHECK:
    runtime_check(e, op);
    return;
  }
}

uint32_t e_new_local(struct emit *e, const struct rty *ty) {
  vec_push(e->p->arena, &e->extra_locals, ty);
  return e->n_locals + (uint32_t)e->extra_locals.n - 1;
}

void e_begin_assign(struct emit *e, const struct mir_place *pl) {
  jw_array(&e->w);
  jw_strz(&e->w, "=");
  e_place(e, pl);
}

void e_begin_assign_local(struct emit *e, uint32_t n) {
  jw_array(&e->w);
  jw_strz(&e->w, "=");
  e_local_place(e, n);
}

void e_end_assign(struct emit *e) {
  e_span(e);
  jw_end_array(&e->w);
}

void e_use(struct emit *e, const struct mir_operand *op, const struct rty *hint) {
  jw_array(&e->w);
  jw_strz(&e->w, "use");
  e_operand(e, op, hint);
  jw_end_array(&e->w);
}

uint32_t e_block(struct emit *e, uint32_t bb) {
  if (bb < e->mir->n_blocks && e->block_map[bb] != PREP_NONE)
    return e->block_map[bb];
  e_error(e, MD0183, "block %u is missing", bb);
  return 0;
}

void e_block_or_null(struct emit *e, uint32_t bb) {
  if (bb == MIR_NONE)
    jw_null(&e->w);
  else
    jw_u64(&e->w, e_block(e, bb));
}

/* ---- what is used ---- */
static void use_local(struct emit *e, uint32_t l) {
  if (l < e->mir->n_locals)
    e->local_map[l] = 0;
}

static void use_place(struct emit *e, const struct mir_place *pl) {
  use_local(e, pl->local);
  for (uint32_t i = 0; i < pl->n_proj; i++)
    if (pl->proj[i].kind == PROJ_INDEX)
      use_local(e, pl->proj[i].index);
}

static void use_operand(struct emit *e, const struct mir_operand *op) {
  if (op->kind == OP_COPY || op->kind == OP_MOVE)
    use_place(e, &op->place);
}

static void use_rvalue(struct emit *e, const struct mir_rvalue *rv) {
  switch (rv->kind) {
  case RV_BIN: case RV_RAWFAT:
    use_operand(e, &rv->b);
    use_operand(e, &rv->a);
    return;
  case RV_USE: case RV_REPEAT: case RV_CAST: case RV_UN:
    use_operand(e, &rv->a);
    return;
  case RV_DISCR: case RV_LEN: case RV_REF: case RV_RAW: case RV_DEREF_COPY:
    use_place(e, &rv->place);
    return;
  case RV_ARRAY: case RV_TUPLE: case RV_ADT: case RV_CLOSURE:
    for (uint32_t i = 0; i < rv->n_ops; i++)
      use_operand(e, &rv->ops[i]);
    return;
  case RV_TLS:
    return;
  }
}

static void use_stmt(struct emit *e, const struct mir_stmt *s) {
  switch (s->kind) {
  case ST_ASSIGN:
    use_place(e, &s->place);
    use_rvalue(e, s->rv);
    return;
  case ST_SETDISCR:
    use_place(e, &s->place);
    return;
  case ST_ASSUME:
    use_operand(e, &s->ops[0]);
    return;
  case ST_COPY:
    for (int i = 0; i < 3; i++)
      use_operand(e, &s->ops[i]);
    return;
  case ST_LIVE: case ST_DEAD: case ST_NOP:
    return;
  }
}

static void use_term(struct emit *e, const struct mir_term *t) {
  switch (t->kind) {
  case TM_SWITCH: case TM_ASSERT:
    use_operand(e, &t->op);
    for (uint32_t i = 0; t->kind == TM_ASSERT && i < t->n_args; i++)
      use_operand(e, &t->args[i]);
    return;
  case TM_DROP:
    use_place(e, &t->place);
    return;
  case TM_CALL: case TM_TAILCALL:
    use_operand(e, &t->op);
    if (t->kind == TM_CALL)
      use_place(e, &t->place);
    for (uint32_t i = 0; i < t->n_args; i++)
      use_operand(e, &t->args[i]);
    return;
  case TM_ASM:
    for (uint32_t i = 0; i < t->asm_->n_ops; i++) {
      const struct mir_asm_op *o = &t->asm_->ops[i];
      if (o->kind == ASM_IN || o->kind == ASM_INOUT)
        use_operand(e, &o->in);
      if (o->has_out)
        use_place(e, &o->out);
    }
    return;
  case TM_GOTO: case TM_RETURN: case TM_UNREACHABLE: case TM_RESUME: case TM_TERMINATE:
    return;
  }
}

/* ---- the plan of a body ---- */
/* Probes for glue cannot always name the type: then they take any pointer. */
static const struct rty *local_type(struct emit *e, uint32_t local) {
  const struct rty *t = e_ty(e, e->mir->locals[local].ty);
  if ((e->in->kind == INST_GLUE || e->in->env_ptr) && local == 1 && t->elem != e->in->shim_fn)
    return rty_ptr(e->p->types, e->in->shim_fn, true);
  return t;
}

/* The result and the parameters come first. */
static void number_locals(struct emit *e) {
  const struct mir_body *b = e->mir;
  uint32_t *seen = arena_array(e->p->arena, uint32_t, b->n_locals + 1);
  for (uint32_t i = 0; i <= b->n_args; i++) {
    uint32_t local = i ? mir_arg_local(b, i - 1) : 0;
    seen[local] = 1;
    e->local_order[e->n_locals++] = local;
  }
  for (uint32_t i = 0; i < b->n_locals; i++)
    if (e->local_map[i] != PREP_NONE && !seen[i])
      e->local_order[e->n_locals++] = i;
  for (uint32_t i = 0; i < e->n_locals; i++)
    e->local_map[e->local_order[i]] = i;
}

static bool plan_locals(struct emit *e) {
  const struct mir_body *b = e->mir;
  for (uint32_t i = 0; i < b->n_locals; i++)
    e->local_map[i] = PREP_NONE;
  for (uint32_t bb = 0; bb < b->n_blocks; bb++) {
    if (e->block_state[bb] != BLOCK_LIVE)
      continue;
    for (uint32_t i = 0; i < b->blocks[bb].n_stmts; i++)
      use_stmt(e, &b->blocks[bb].stmts[i]);
    use_term(e, &b->blocks[bb].term);
  }
  number_locals(e);
  for (uint32_t k = 0; k < e->n_locals; k++) {
    uint32_t i = e->local_order[k];
    if (!b->locals[i].ty) {
      e_error(e, MD0183, "local _%u is not declared", i);
      return false;
    }
    e->local_ty[i] = local_type(e, i);
  }
  return true;
}

static void plan_blocks(struct emit *e) {
  for (uint32_t bb = 0; bb < e->mir->n_blocks; bb++)
    e->block_map[bb] = e->block_state[bb] == BLOCK_DEAD ? PREP_NONE : e->n_blocks++;
}

static void plan(struct emit *e) {
  struct arena *a = e->p->arena;
  const struct mir_body *b = e->mir;
  e->local_map = arena_array(a, uint32_t, b->n_locals + 1);
  e->local_order = arena_array(a, uint32_t, b->n_locals + 1);
  e->local_ty = arena_array(a, const struct rty *, b->n_locals + 1);
  e->block_map = arena_array(a, uint32_t, b->n_blocks + 1);
  e->block_state = arena_array(a, uint8_t, b->n_blocks + 1);
  e->seen = arena_array(a, struct span, b->n_blocks + 1);
  e_plan_debug(e);
  panic_analyse(e);
  plan_blocks(e);
}

/* ---- text ---- */
static void write_locals(struct emit *e, struct jsonw *w) {
  jw_key(w, "locals");
  jw_array(w);
  for (size_t k = 0; k < e->n_locals; k++) {
    uint32_t i = e->local_order[k];
    e->p->at_span = user_span(e, &e->mir->locals[i].loc);
    uint32_t ty = type_id(e->p, e->local_ty[i], true);
    str name = e->local_name[i];
    if (!name.n) {
      jw_u64(w, ty);
      continue;
    }
    const struct mir_loc *loc = &e->mir->locals[i].loc;
    jw_array(w);
    jw_u64(w, ty);
    jw_str(w, name);
    uint32_t span = loc->span.line0 ? e_span_of(e, loc) : PREP_NONE;
    if (span == PREP_NONE)
      jw_null(w);
    else
      jw_u64(w, span);
    jw_end_array(w);
  }
  for (size_t i = 0; i < e->extra_locals.n; i++)
    jw_u64(w, type_id(e->p, e->extra_locals.p[i], true));
  jw_end_array(w);
}

static void pass_seen_on(struct emit *e, uint32_t bb) {
  if (bb < e->mir->n_blocks && !e->seen[bb].line0)
    e->seen[bb] = e->p->seen;
}

static void write_live(struct emit *e, const struct mir_block *b, uint32_t bb) {
  jw_array(&e->w); /* closed by the terminator */
  for (uint32_t i = 0; i < b->n_stmts; i++)
    e_stmt(e, bb, i);
  e_set_span(e, &b->term.loc);
  e_term(e, &b->term);
  for (uint32_t i = 0; i < b->term.n_targets; i++)
    pass_seen_on(e, b->term.targets[i]);
  pass_seen_on(e, b->term.target);
}

static void write_blocks(struct emit *e) {
  struct jsonw *w = &e->w;
  const struct mir_body *b = e->mir;
  jw_array(w);
  for (uint32_t bb = 0; bb < b->n_blocks && !e->failed; bb++) {
    if (e->block_state[bb] == BLOCK_DEAD)
      continue;
    jw_newline(w);
    jw_array(w);
    e->p->seen = e->seen[bb];
    if (e->block_state[bb] == BLOCK_PANIC)
      panic_write(e, bb);
    else
      write_live(e, &b->blocks[bb], bb);
    jw_end_array(w);
  }
  for (size_t i = 0; i < e->extra_blocks.n; i++)
    jw_raw(w, e->extra_blocks.p[i].json);
  jw_end_array(w);
}

static const char *kind_name(enum inst_kind k) {
  switch (k) {
  case INST_ITEM:
    return "item";
  case INST_CLOSURE:
    return "closure";
  case INST_GLUE:
    return "glue";
  case INST_SHIM:
    return "shim";
  }
  return "item";
}

void e_write_fn(struct emit *e, uint32_t n_args, uint32_t span) {
  struct jsonw w;
  struct inst *in = e->in;
  jw_init(&w, false);
  jw_object(&w);
  jw_kstr(&w, "name", in->name);
  jw_kstr(&w, "symbol", in->symbol);
  jw_kz(&w, "kind", kind_name(in->kind));
  jw_kz(&w, "abi", in->c_abi ? "c" : "rust");
  if (in->export_)
    jw_kbool(&w, "export", true);
  jw_ku64(&w, "n_args", n_args);
  write_locals(e, &w);
  jw_key(&w, "blocks");
  jw_raw(&w, sb_str(&e->w.out));
  if (e->vars.n) {
    jw_key(&w, "vars");
    jw_raw(&w, e->vars);
  }
  jw_key(&w, "span");
  if (span == PREP_NONE)
    jw_null(&w);
  else
    jw_u64(&w, span);
  jw_end_object(&w);
  in->text = arena_str(e->p->arena, sb_str(&w.out));
  jw_free(&w);
}

bool emit_instance(struct prep *p, struct inst *in) {
  struct emit e = {.p = p, .in = in, .mir = &in->item->body, .span_id = PREP_NONE};
  jw_init(&e.w, false);
  p->at = in;
  p->at_span = SPAN_NONE;
  if (!e.mir->n_blocks || !e.mir->n_locals) {
    prep_error(p, in->from, MD0174, in->from_span, "`%.*s` has no body in the dump", STR_ARG(in->name));
    return false;
  }
  plan(&e);
  if (!e.failed && plan_locals(&e)) {
    e_write_vars(&e);
    write_blocks(&e);
  }
  if (!e.failed) {
    const struct mir_item *source = in->source && in->source->body.n_locals ? in->source : in->item;
    const struct mir_loc *at = &source->body.locals[0].loc;
    uint32_t span = at->span.line0 ? prep_span(p, at->span, PREP_NONE, STR_NULL, PREP_NONE)
                                     : PREP_NONE;
    e_write_fn(&e, e.mir->n_args, span);
  }
  jw_free(&e.w);
  return !e.failed;
}
