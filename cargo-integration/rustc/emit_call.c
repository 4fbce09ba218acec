/* Calls. */
#include "base/fatal.h"
#include "cargo-integration/rustc/consts.h"
#include "cargo-integration/rustc/dyn.h"
#include "cargo-integration/rustc/emit.h"
#include "cargo-integration/rustc/intrinsics.h"

const struct rty *callee_fndef(const struct mir_operand *op) {
  if (op->kind == OP_CONST && op->k->ty && op->k->ty->kind == RTY_FNDEF)
    return op->k->ty;
  return NULL;
}

/* One argument to write: an operand of the body, a field of a tuple in an out local, or an out
 * local itself. */
struct arg {
  enum { ARG_OPERAND, ARG_FIELD, ARG_LOCAL } kind;
  struct mir_operand op;
  const struct rty *hint;
  uint32_t local, field;
};
struct args {
  struct arg a[40];
  uint32_t n;
};

static bool push_operand(struct emit *e, struct args *out, const struct mir_operand *op,
                         const struct rty *hint) {
  if (out->n == COUNT_OF(out->a)) {
    e_error(e, MD0183, "a call with more than %zu arguments", COUNT_OF(out->a));
    return false;
  }
  out->a[out->n++] = (struct arg){.kind = ARG_OPERAND, .op = *op, .hint = hint};
  return true;
}

static void write_arg(struct emit *e, const struct arg *a) {
  struct jsonw *w = &e->w;
  if (a->kind == ARG_OPERAND) {
    e_operand(e, &a->op, a->hint);
    return;
  }
  jw_array(w);
  jw_strz(w, "m");
  jw_array(w);
  jw_u64(w, a->local);
  if (a->kind == ARG_FIELD) {
    jw_array(w);
    jw_strz(w, "f");
    jw_u64(w, a->field);
    jw_u64(w, type_id(e->p, a->hint, true));
    jw_end_array(w);
  }
  jw_end_array(w);
  jw_end_array(w);
}

static void write_args(struct emit *e, const struct args *args) {
  jw_array(&e->w);
  for (uint32_t i = 0; i < args->n; i++)
    write_arg(e, &args->a[i]);
  jw_end_array(&e->w);
}

/* Closes the statements and writes the call. `after`: the number of a block to go to instead. */
static void write_call(struct emit *e, const struct mir_term *t, str callee, const struct args *args,
                       uint32_t after) {
  struct jsonw *w = &e->w;
  jw_end_array(w);
  jw_array(w);
  jw_strz(w, "call");
  jw_raw(w, callee);
  write_args(e, args);
  e_place(e, &t->place);
  if (after != PREP_NONE)
    jw_u64(w, after);
  else
    e_block_or_null(e, t->target);
  e_span(e);
  jw_end_array(w);
}

static void pending(struct emit *e) {
  e->p->undecided++;
  jw_end_array(&e->w);
  jw_raw(&e->w, STR("[\"unreach\"]")); /* this round's text is thrown away */
}

static str fn_callee(struct emit *e, const struct inst *f) {
  return arena_printf(e->p->arena, "[\"fn\",%u]", f->id);
}

static void plain_args(struct emit *e, const struct mir_term *t, const struct rty *sig,
                       struct args *out) {
  out->n = 0;
  for (uint32_t i = 0; i < t->n_args; i++)
    if (!push_operand(e, out, &t->args[i], sig && i < sig->n_args ? sig->args[i] : NULL))
      return;
}

/* ---- extern functions ---- */
static uint32_t extern_id(struct emit *e, const struct rty *fndef) {
  struct prep *p = e->p;
  str symbol = rty_last_name(fndef->path);
  bool fresh;
  uintptr_t *slot = map_put(&p->extern_by_name, symbol, &fresh);
  if (!fresh)
    return (uint32_t)*slot;
  struct prep_extern x = {.symbol = symbol, .span = e->span_id,
                          .noreturn = fndef->sig->ret->kind == RTY_NEVER};
  struct jsonw w;
  jw_init(&w, false);
  jw_array(&w);
  for (uint32_t i = 0; i < fndef->sig->n_args; i++)
    jw_u64(&w, type_id(p, mono_type(p, e->in, fndef->sig->args[i], e->span), true));
  jw_end_array(&w);
  x.args_json = arena_str(p->arena, sb_str(&w.out));
  jw_free(&w);
  x.ret = type_id(p, mono_type(p, e->in, fndef->sig->ret, e->span), true);
  *slot = p->externs.n;
  vec_push(p->arena, &p->externs, x);
  return (uint32_t)p->externs.n - 1;
}

/* ---- calls of closures, functions and pointers through Fn, FnMut, FnOnce ---- */
struct receiver {
  const struct rty *ty; /* what is called */
  char how;             /* 'r' through &, 'm' through &mut, 'o' by value */
  struct mir_operand op;
};

static struct mir_place through(struct emit *e, const struct mir_place *pl) {
  struct mir_proj *pr = arena_array(e->p->arena, struct mir_proj, pl->n_proj + 1);
  for (uint32_t i = 0; i < pl->n_proj; i++)
    pr[i] = pl->proj[i];
  pr[pl->n_proj] = (struct mir_proj){.kind = PROJ_DEREF};
  return (struct mir_place){.local = pl->local, .n_proj = pl->n_proj + 1, .proj = pr};
}

/* Peels `&F` and `&mut F`, which call what they point to. */
static bool peel(struct emit *e, struct receiver *r) {
  while (r->ty->kind == RTY_REF) {
    bool mut = r->ty->mut;
    if (r->how != 'o') {
      if (r->op.kind == OP_CONST) {
        e_error(e, MD0183, "a constant reference to a function is called");
        return false;
      }
      r->op = (struct mir_operand){.kind = OP_COPY, .place = through(e, &r->op.place)};
    }
    r->how = mut && r->how != 'r' ? 'm' : 'r';
    r->ty = r->ty->elem;
  }
  return true;
}

/* Arguments out of the tuple. */
static bool untuple(struct emit *e, const struct mir_operand *tuple, struct args *out) {
  const struct rty *ty = e_operand_ty(e, tuple);
  if (!ty || ty->kind != RTY_TUPLE) {
    e_error(e, MD0183, "the arguments of a closure are not a tuple");
    return false;
  }
  uint32_t tmp = 0;
  if (tuple->kind == OP_CONST && ty->n_args) {
    tmp = e_new_local(e, ty);
    e_begin_assign_local(e, tmp);
    e_use(e, tuple, ty);
    e_end_assign(e);
  }
  for (uint32_t i = 0; i < ty->n_args; i++) {
    if (out->n == COUNT_OF(out->a))
      return false;
    struct arg a = {.kind = ARG_FIELD, .local = tmp, .field = i, .hint = ty->args[i]};
    if (tuple->kind != OP_CONST) {
      const struct mir_place *pl = &tuple->place;
      struct mir_proj *pr = arena_array(e->p->arena, struct mir_proj, pl->n_proj + 1);
      for (uint32_t k = 0; k < pl->n_proj; k++)
        pr[k] = pl->proj[k];
      pr[pl->n_proj] = (struct mir_proj){.kind = PROJ_FIELD, .index = i, .ty = ty->args[i]};
      a.kind = ARG_OPERAND;
      a.op = (struct mir_operand){.kind = tuple->kind,
                                  .place = {pl->local, pl->n_proj + 1, pr}};
    }
    out->a[out->n++] = a;
  }
  return true;
}

/* A block that drops an out local and goes on; its number. */
static uint32_t drop_after(struct emit *e, const struct mir_term *t, uint32_t local,
                           const struct inst *glue) {
  uint32_t to = t->target == MIR_NONE ? PREP_NONE : e_block(e, t->target);
  struct extra_block b;
  if (to == PREP_NONE)
    return PREP_NONE;
  b.json = arena_printf(e->p->arena, "[[],[\"drop\",[%u],%u,%u,null]]", local, glue->id, to);
  vec_push(e->p->arena, &e->extra_blocks, b);
  return e->n_blocks + (uint32_t)e->extra_blocks.n - 1;
}

/* The self argument of a closure's body; may add statements. */
static bool self_arg(struct emit *e, const struct mir_term *t, const struct receiver *r,
                     const struct inst *body, struct arg *out, uint32_t *after) {
  const struct rty *self = mir_local_ty(&body->item->body, 1);
  bool by_ref = self->kind == RTY_REF || body->env_ptr;
  if (!by_ref && r->how != 'o') {
    e_error(e, MD0183, "a closure that is called once is called through a reference");
    return false;
  }
  if (!by_ref) {
    *out = (struct arg){.kind = ARG_OPERAND, .op = r->op, .hint = r->ty};
    return true;
  }
  const char *how = body->env_ptr ? "raw" : "ref";
  const struct rty *ref = body->env_ptr ? rty_ptr(e->p->types, r->ty, true)
                                        : rty_ref(e->p->types, r->ty, self->mut);
  uint32_t tmp = e_new_local(e, ref);
  struct jsonw *w = &e->w;
  if (r->how == 'o') {
    uint32_t env = e_new_local(e, r->ty);
    bool wait = false;
    e_begin_assign_local(e, env);
    e_use(e, &r->op, r->ty);
    e_end_assign(e);
    e_begin_assign_local(e, tmp);
    jw_array(w);
    jw_strz(w, how);
    jw_bool(w, self->mut);
    e_local_place(e, env);
    jw_end_array(w);
    e_end_assign(e);
    struct inst *glue = e_drop_inst(e, r->ty, &wait);
    if (glue)
      *after = drop_after(e, t, env, glue);
  } else if (r->op.kind == OP_CONST && body->env_ptr) {
    e_error(e, MD0183, "a constant reference to a closure of core is called");
    return false;
  } else if (r->op.kind == OP_CONST) {
    *out = (struct arg){.kind = ARG_OPERAND, .op = r->op, .hint = ref};
    return true;
  } else {
    struct mir_place pl = through(e, &r->op.place);
    e_begin_assign_local(e, tmp);
    jw_array(w);
    jw_strz(w, how);
    jw_bool(w, self->mut);
    e_place(e, &pl);
    jw_end_array(w);
    e_end_assign(e);
  }
  *out = (struct arg){.kind = ARG_LOCAL, .local = tmp};
  return true;
}

static void call_closure(struct emit *e, const struct mir_term *t, const struct receiver *r,
                         const struct mir_operand *tuple) {
  struct args args = {.n = 1};
  uint32_t after = PREP_NONE;
  bool wait = false;
  struct inst *body = mono_closure(e->p, e->in, r->ty, e->span, &wait);
  if (!body) {
    e->failed = e->failed || !wait;
    pending(e);
    return;
  }
  if (!self_arg(e, t, r, body, &args.a[0], &after) || !untuple(e, tuple, &args)) {
    pending(e);
    return;
  }
  write_call(e, t, fn_callee(e, body), &args, after);
}

static void call_pointer(struct emit *e, const struct mir_term *t, const struct mir_operand *ptr,
                         const struct args *args) {
  struct jsonw *w = &e->w;
  jw_end_array(w);
  jw_array(w);
  jw_strz(w, "call");
  jw_array(w);
  jw_strz(w, "ptr");
  e_operand(e, ptr, NULL);
  jw_end_array(w);
  write_args(e, args);
  e_place(e, &t->place);
  e_block_or_null(e, t->target);
  e_span(e);
  jw_end_array(w);
}

static void call_known(struct emit *e, const struct mir_term *t, const struct callee *c,
                       const struct args *args);

static void call_through(struct emit *e, const struct mir_term *t, struct receiver *r,
                         const struct mir_operand *tuple) {
  struct args args = {.n = 0};
  if (!peel(e, r)) {
    pending(e);
    return;
  }
  switch (r->ty->kind) {
  case RTY_CLOSURE:
    call_closure(e, t, r, tuple);
    return;
  case RTY_FNDEF: {
    struct callee c = mono_resolve(e->p, e->in, r->ty, e->span);
    if (c.kind == CALLEE_REFUSED)
      e->failed = true;
    if (c.kind == CALLEE_REFUSED || c.kind == CALLEE_PENDING || !untuple(e, tuple, &args))
      pending(e);
    else
      call_known(e, t, &c, &args);
    return;
  }
  case RTY_FNPTR: {
    struct mir_operand ptr = r->op;
    if (r->how != 'o' && ptr.kind != OP_CONST)
      ptr = (struct mir_operand){.kind = OP_COPY, .place = through(e, &r->op.place)};
    if (!untuple(e, tuple, &args))
      pending(e);
    else
      call_pointer(e, t, &ptr, &args);
    return;
  }
  case RTY_DYN:
    e_dyn_call_value(e, t, &r->op, r->how, tuple);
    return;
  default:
    diag_help(e_error(e, MD0174, "`%.*s` is called like a function",
                      STR_ARG(rty_label(e->p->types, r->ty))),
              "call it by a method instead");
    pending(e);
  }
}

/* ---- dropping by call ---- */
static void call_drop(struct emit *e, const struct mir_term *t, const struct rty *ty) {
  struct args args = {.n = 0};
  bool wait = false;
  if (ty->kind == RTY_DYN && t->n_args == 1) {
    e_dyn_drop(e, t, &t->args[0]);
    return;
  }
  struct inst *glue = e_drop_inst(e, ty, &wait);
  if (glue) {
    plain_args(e, t, NULL, &args);
    write_call(e, t, fn_callee(e, glue), &args, PREP_NONE);
    return;
  }
  jw_end_array(&e->w);
  e_goto(e, t->target);
}

static void call_native(struct emit *e, const struct mir_term *t, const struct rty *path) {
  struct args args = {.n = 0};
  str callee;
  uint32_t n;
  if (!e_native(e, t, path, &callee, &n)) {
    pending(e);
    return;
  }
  for (uint32_t i = 0; i < n; i++)
    if (!push_operand(e, &args, &t->args[i], NULL))
      return;
  write_call(e, t, callee, &args, PREP_NONE);
}

/* An operation of the closed list with already spread arguments. */
static bool as_intrinsic(struct emit *e, const struct callee *c, str *callee) {
  struct intrinsic in;
  struct jsonw w;
  if (c->kind == CALLEE_MATH) {
    in = (struct intrinsic){.name = c->intr, .types = {c->self}, .n_types = 1};
  } else if (!intrinsic_find(e->p->types, c->path, &in)) {
    return false;
  }
  jw_init(&w, false);
  jw_array(&w);
  jw_strz(&w, "intr");
  jw_strz(&w, in.name);
  jw_array(&w);
  for (uint32_t i = 0; i < in.n_types; i++)
    jw_u64(&w, type_id(e->p, in.types[i], true));
  jw_end_array(&w);
  jw_array(&w);
  for (uint32_t i = 0; i < in.n_consts; i++)
    jw_u64(&w, in.consts[i]);
  jw_end_array(&w);
  jw_end_array(&w);
  *callee = arena_str(e->p->arena, sb_str(&w.out));
  jw_free(&w);
  return true;
}

static void call_known(struct emit *e, const struct mir_term *t, const struct callee *c,
                       const struct args *args) {
  str text;
  switch (c->kind) {
  case CALLEE_FN:
    write_call(e, t, fn_callee(e, c->inst), args, PREP_NONE);
    return;
  case CALLEE_EXTERN:
    text = arena_printf(e->p->arena, "[\"ext\",%u]", extern_id(e, c->fndef));
    write_call(e, t, text, args, PREP_NONE);
    return;
  case CALLEE_MATH: case CALLEE_INTRINSIC:
    if (as_intrinsic(e, c, &text)) {
      write_call(e, t, text, args, PREP_NONE);
      return;
    }
    break;
  case CALLEE_PANIC:
    jw_end_array(&e->w);
    e_trap(e, "panic", STR_NULL);
    return;
  case CALLEE_CLOSURE: case CALLEE_DROP: case CALLEE_PENDING: case CALLEE_REFUSED:
  case CALLEE_NOTHING: case CALLEE_DYN: case CALLEE_NATIVE:
    break;
  }
  diag_help(e_error(e, MD0187, "`%.*s` cannot be called here", STR_ARG(rty_label(e->p->types, c->path))),
            "wrap it in a function of this crate");
  pending(e);
}

void e_call(struct emit *e, const struct mir_term *t) {
  struct args args;
  const struct rty *fd = callee_fndef(&t->op);
  fd = fd ? e_ty(e, fd) : e_operand_ty(e, &t->op);
  if (!fd) {
    pending(e);
    return;
  }
  if (fd->kind == RTY_FNPTR) {
    plain_args(e, t, fd, &args);
    call_pointer(e, t, &t->op, &args);
    return;
  }
  if (fd->kind != RTY_FNDEF) {
    e_error(e, MD0183, "a value of type `%.*s` is called", STR_ARG(rty_label(e->p->types, fd)));
    pending(e);
    return;
  }
  struct callee c = mono_resolve(e->p, e->in, fd, e->span);
  switch (c.kind) {
  case CALLEE_REFUSED:
    e->failed = true;
    pending(e);
    return;
  case CALLEE_PENDING:
    pending(e);
    return;
  case CALLEE_INTRINSIC:
    e_intrinsic(e, t, c.path);
    return;
  case CALLEE_NOTHING:
    e_no_op(e, t);
    return;
  case CALLEE_DROP:
    call_drop(e, t, c.self);
    return;
  case CALLEE_DYN:
    e_dyn_call(e, t, fd);
    return;
  case CALLEE_NATIVE:
    call_native(e, t, c.path);
    return;
  case CALLEE_CLOSURE: {
    struct receiver r = {.ty = c.self, .how = c.how, .op = t->args[0]};
    if (t->n_args != 2) {
      e_error(e, MD0183, "a closure is called with %u arguments", t->n_args);
      pending(e);
      return;
    }
    call_through(e, t, &r, &t->args[1]);
    return;
  }
  case CALLEE_FN: case CALLEE_EXTERN: case CALLEE_MATH: case CALLEE_PANIC:
    plain_args(e, t, fd->sig, &args);
    call_known(e, t, &c, &args);
    return;
  }
}

void e_call_value(struct emit *e, const struct mir_term *t, const struct mir_operand *fn,
                  const struct mir_operand *tuple) {
  const struct rty *ty = e_operand_ty(e, fn);
  if (!ty) {
    pending(e);
    return;
  }
  struct receiver r = {.ty = ty, .how = 'o', .op = *fn};
  call_through(e, t, &r, tuple);
}

void e_call_intrinsic(struct emit *e, const struct mir_term *t, const struct rty *path) {
  struct callee c = {.kind = CALLEE_INTRINSIC, .path = path};
  struct args args;
  plain_args(e, t, NULL, &args);
  str text;
  if (as_intrinsic(e, &c, &text)) {
    write_call(e, t, text, &args, PREP_NONE);
    return;
  }
  struct diag *d = e_error(e, MD0187, "the intrinsic `%.*s` is not known",
                           STR_ARG(rty_label(e->p->types, path)));
  diag_note(d, "known are the intrinsics of rustc 1.95 to 1.97 that make sense on a device");
  diag_help(d, "write the operation in another way, or with `mirdc::ptx!`");
  pending(e);
}
