/* Calls of native algorithms. The entry is a C function that another linked input defines; in place
 * of a callback it takes two arguments, the environment's address and the thunk's. The link inlines
 * entry and thunk, so the call through a pointer disappears; the driver checks that it did. */
#include <stdlib.h>

#include "ir/ll.h"

static const str *symbol_of(struct ll_fn *fc, const struct pm_native *n, uint32_t id, pm_loc at) {
  struct ll *l = fc->l;
  if (l->o->natives && !l->o->host)
    return &l->o->natives[id];
  if (n->has_model && l->o->host)
    return NULL; /* never reached */
  struct span place;
  if (!pm_user_place(l->m, at, &place))
    place = pm_span_of(l->m, at);
  struct diag *d = diag_error(l->sink, MD0321, place,
                              "the native algorithm `%.*s` of `%.*s` cannot run here",
                              STR_ARG(n->entry), STR_ARG(n->provider));
  diag_help(d, "compile for a GPU, or give the registration function a model in Rust: `model = PATH`");
  l->failed = true;
  return NULL;
}

/* The arguments as C sees them: two for a callback, with the same type of pointer. */
static struct ll_sig signature(struct ll *l, const struct pm_native *n, const struct pm_term *t) {
  pm_ty *args = arena_array(&l->scratch, pm_ty, (size_t)n->n_args * 2);
  uint32_t k = 0;
  for (uint32_t i = 0; i < n->n_args; i++) {
    args[k++] = t->ops[i].ty;
    if (n->arg_callback[i] != PM_NONE)
      args[k++] = t->ops[i].ty;
  }
  return ll_sig(l, args, k, n->ret, true);
}

static ll_v declared(struct ll *l, const struct ll_sig *s, const struct pm_native *n, str symbol) {
  const char *name = arena_strz(&l->arena, symbol);
  ll_v v = LLVMGetNamedFunction(l->mod, name);
  if (v)
    return v;
  v = LLVMAddFunction(l->mod, name, s->fn);
  ll_mark(l, v);
  ll_sig_attrs(l, s, v);
  ll_check_c_abi(l, s, symbol, n->span);
  return v;
}

/* The environment of what stands behind the references; null when it has no bytes. */
static ll_v environment(struct ll_fn *fc, const struct pm_callback *cb, const struct pm_operand *op) {
  struct ll *l = fc->l;
  ll_v p = ll_operand(fc, op).v[0];
  if (ll_ty(l, cb->base)->size == 0)
    return LLVMConstNull(l->ptr);
  for (uint32_t i = 0; i < cb->refs; i++)
    p = ll_load(l, l->ptr, p, 8);
  return p;
}

static void note_native(struct ll *l, uint32_t id) {
  for (size_t i = 0; i < l->natives.n; i++)
    if (l->natives.p[i] == id)
      return;
  vec_push(&l->arena, &l->natives, id);
}

void ll_native_call(struct ll_fn *fc, const struct pm_term *t) {
  struct ll *l = fc->l;
  uint32_t id = t->u.call.callee->id;
  const struct pm_native *n = &l->m->natives[id];
  const str *symbol = symbol_of(fc, n, id, t->span);
  if (!symbol) {
    struct ll_val none = ll_undef(l, n->ret);
    if (t->target != PM_NONE && !none.mem)
      ll_assign(fc, &t->u.call.dest, &none);
    return;
  }
  struct ll_sig s = signature(l, n, t);
  struct ll_val *args = arena_array(&l->scratch, struct ll_val, s.n_args);
  uint32_t k = 0;
  for (uint32_t i = 0; i < n->n_args; i++) {
    if (n->arg_callback[i] == PM_NONE) {
      args[k++] = ll_operand(fc, &t->ops[i]);
      continue;
    }
    const struct pm_callback *cb = &n->callbacks[n->arg_callback[i]];
    args[k] = ll_undef(l, t->ops[i].ty);
    args[k++].v[0] = environment(fc, cb, &t->ops[i]);
    args[k] = ll_undef(l, t->ops[i].ty);
    args[k++].v[0] = ll_global_addr(l, PM_TO_FN, cb->thunk, 0);
  }
  note_native(l, id);
  struct ll_val r = ll_emit_call(fc, declared(l, &s, n, *symbol), &s, args, NULL);
  if (t->target != PM_NONE)
    ll_assign(fc, &t->u.call.dest, &r);
}

/* ---- branches for GPUs and for everything else ---- */
static bool is_question(const struct pmir *m, const struct pm_term *t) {
  if (t->kind != PM_CALL || t->u.call.callee->kind != PM_CALL_EXTERN || t->u.call.dest.n > 0)
    return false;
  return str_eqz(m->externs[t->u.call.callee->id].symbol, "__mirdc_emulated");
}

static bool *facts(struct ll_fn *fc) {
  if (!fc->target_fact)
    fc->target_fact = arena_array(&fc->l->scratch, bool, fc->f->n_locals);
  return fc->target_fact;
}

static bool copies_fact(const struct ll_fn *fc, const struct pm_stmt *s) {
  const struct pm_operand *o = &s->u.rv.ops[0];
  return s->u.rv.kind == PM_USE && s->place.n == 0 && (o->kind == PM_COPY || o->kind == PM_MOVE) &&
         o->u.place.n == 0 && fc->target_fact[o->u.place.local];
}

void ll_find_settled(struct ll_fn *fc) {
  const struct pm_func *f = fc->f;
  fc->target_fact = NULL;
  for (uint32_t b = 0; b < f->n_blocks; b++)
    if (is_question(fc->l->m, &f->blocks[b].term))
      facts(fc)[f->blocks[b].term.u.call.dest.local] = true;
  for (uint32_t b = 0; fc->target_fact && b < f->n_blocks; b++) {
    const struct pm_term *t = &f->blocks[b].term;
    if (t->kind == PM_CALL && t->u.call.dest.n == 0 && !is_question(fc->l->m, t))
      fc->target_fact[t->u.call.dest.local] = false;
    for (uint32_t i = 0; i < f->blocks[b].n_stmts; i++) {
      const struct pm_stmt *s = &f->blocks[b].stmts[i];
      if (s->kind == PM_ASSIGN && s->place.n == 0)
        fc->target_fact[s->place.local] = copies_fact(fc, s);
    }
  }
}

bool ll_is_settled(const struct ll_fn *fc, const struct pm_term *t) {
  const struct pm_operand *o = &t->ops[0];
  return fc->target_fact && (o->kind == PM_COPY || o->kind == PM_MOVE) && o->u.place.n == 0 &&
         fc->target_fact[o->u.place.local] && ll_settled(fc, t) != PM_NONE;
}

uint32_t ll_settled(const struct ll_fn *fc, const struct pm_term *t) {
  for (uint32_t i = 0; i < t->n; i++)
    if (t->u.cases[i].lo == (fc->l->o->host ? 1 : 0) && !t->u.cases[i].hi)
      return t->u.cases[i].target;
  return t->target;
}

/* ---- what the driver has to know ---- */
static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

void ll_list_natives(struct ll *l) {
  struct lower_result *r = l->out;
  uint32_t n_callbacks = 0;
  r->n_natives = (uint32_t)l->natives.n;
  r->natives = arena_array(&r->arena, uint32_t, r->n_natives);
  for (uint32_t i = 0; i < r->n_natives; i++)
    r->natives[i] = l->natives.p[i];
  if (r->n_natives)
    qsort(r->natives, r->n_natives, sizeof *r->natives, by_number);
  for (uint32_t i = 0; i < r->n_natives; i++)
    n_callbacks += l->m->natives[r->natives[i]].n_callbacks;
  r->thunks = arena_array(&r->arena, str, n_callbacks);
  for (uint32_t i = 0; i < r->n_natives; i++) {
    const struct pm_native *n = &l->m->natives[r->natives[i]];
    for (uint32_t k = 0; k < n->n_callbacks; k++)
      r->thunks[r->n_thunks++] =
          arena_str(&r->arena, l->m->fns[n->callbacks[k].thunk].symbol);
  }
}
