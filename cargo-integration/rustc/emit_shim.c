/* Functions that no source has: a closure as a plain function, an entry whose result is stored. */
#include "cargo-integration/rustc/emit.h"

static void open_blocks(struct emit *e) {
  jw_array(&e->w); /* blocks */
  jw_array(&e->w); /* block 0 */
  jw_array(&e->w); /* its statements */
}

static void write_call(struct emit *e, const struct inst *body) {
  jw_end_array(&e->w);
  jw_array(&e->w);
  jw_strz(&e->w, "call");
  jw_array(&e->w);
  jw_strz(&e->w, "fn");
  jw_u64(&e->w, body->id);
  jw_end_array(&e->w);
}

static void copy_local(struct emit *e, uint32_t local) {
  jw_array(&e->w);
  jw_strz(&e->w, "m");
  e_local_place(e, local);
  jw_end_array(&e->w);
}

static void end_call(struct emit *e, uint32_t dest, uint32_t block) {
  e_local_place(e, dest);
  jw_u64(&e->w, block);
  jw_null(&e->w);
  jw_end_array(&e->w);
  jw_end_array(&e->w); /* block 0 */
}

static void ref_of_env(struct emit *e, uint32_t ref, uint32_t env, bool mut) {
  e_begin_assign_local(e, ref);
  jw_array(&e->w);
  jw_strz(&e->w, "ref");
  jw_bool(&e->w, mut);
  e_local_place(e, env);
  jw_end_array(&e->w);
  e_end_assign(e);
}

static bool closure_shim(struct emit *e, struct inst *in) {
  const struct rty *closure = in->shim_fn, *sig = closure->sig;
  bool wait = false;
  struct inst *body = mono_closure(e->p, in, closure, in->from_span, &wait);
  if (!body)
    return wait;
  if (body->env_ptr) {
    struct diag *d = prep_error(e->p, in->from, MD0174, in->from_span,
                                "a closure of core becomes a function pointer: `%.*s`",
                                STR_ARG(rty_label(e->p->types, closure)));
    diag_help(d, "use a function of this crate");
    return false;
  }
  const struct rty *self = mir_local_ty(&body->item->body, 1), *tuple = sig->args[0];
  bool by_ref = self->kind == RTY_REF;
  uint32_t n = tuple->n_args, env = n + 1, ref = n + 2;
  (void)e_new_local(e, sig->ret);
  for (uint32_t i = 0; i < n; i++)
    (void)e_new_local(e, tuple->args[i]);
  (void)e_new_local(e, closure);
  (void)e_new_local(e, rty_ref(e->p->types, closure, self->mut));
  open_blocks(e);
  e_begin_assign_local(e, env);
  jw_array(&e->w);
  jw_strz(&e->w, "use");
  e_zero(e, closure);
  jw_end_array(&e->w);
  e_end_assign(e);
  if (by_ref)
    ref_of_env(e, ref, env, self->mut);
  write_call(e, body);
  jw_array(&e->w);
  copy_local(e, by_ref ? ref : env);
  for (uint32_t i = 0; i < n; i++)
    copy_local(e, i + 1);
  jw_end_array(&e->w);
  end_call(e, 0, 1);
  jw_raw(&e->w, STR("[[],[\"ret\"]]"));
  jw_end_array(&e->w);
  e_write_fn(e, n, PREP_NONE);
  return !e->failed;
}

static bool entry_shim(struct emit *e, struct inst *in) {
  const struct mir_body *b = &in->wraps->item->body;
  const struct rty *ret = mir_local_ty(b, 0);
  uint32_t n = b->n_args, out = n + 1, tmp = n + 2;
  (void)e_new_local(e, e->p->types->unit);
  for (uint32_t i = 0; i < n; i++)
    (void)e_new_local(e, mir_local_ty(b, i + 1));
  (void)e_new_local(e, rty_ptr(e->p->types, ret, true));
  (void)e_new_local(e, ret);
  (void)type_id(e->p, ret, true);
  open_blocks(e);
  write_call(e, in->wraps);
  jw_array(&e->w);
  for (uint32_t i = 0; i < n; i++)
    copy_local(e, i + 1);
  jw_end_array(&e->w);
  end_call(e, tmp, 1);
  jw_raw(&e->w, arena_printf(e->p->arena, "[[[\"=\",[%u,\"*\"],[\"use\",[\"m\",[%u]]],null]],[\"ret\"]]",
                             out, tmp));
  jw_end_array(&e->w);
  e_write_fn(e, n + 1, prep_span(e->p, in->from_span, PREP_NONE, STR_NULL, PREP_NONE));
  return !e->failed;
}

/* What a type without a drop has in place of glue. */
static bool no_glue(struct emit *e) {
  (void)e_new_local(e, e->p->types->unit);
  (void)e_new_local(e, rty_ptr(e->p->types, e->p->types->unit, false));
  jw_raw(&e->w, STR("[[[],[\"ret\"]]]"));
  e_write_fn(e, 1, PREP_NONE);
  return !e->failed;
}

bool emit_shim(struct prep *p, struct inst *in) {
  static const struct mir_body none;
  struct emit e = {.p = p, .in = in, .mir = &none, .span_id = PREP_NONE};
  jw_init(&e.w, false);
  bool ok;
  if (in->wraps) {
    e.span = in->from_span;
    ok = entry_shim(&e, in);
  } else {
    ok = in->shim_fn ? closure_shim(&e, in) : no_glue(&e);
  }
  jw_free(&e.w);
  return ok;
}
