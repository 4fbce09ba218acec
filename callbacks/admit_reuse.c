/* Entries that leave it to the caller to put a barrier between two calls (`reuse: caller-syncs`): is there
 * one on every way from one call to the next? Functions are summed up from the leaves on. */
#include "callbacks/admit_impl.h"

#include "callbacks/device_op.h"

/* Deeper chains of calls count as without any native call; admit_body.c and uniform.c have refused them before. */
enum { MAX_DEPTH = 300 };

struct sum {
  enum { NEW, BUSY, DONE } state;
  bool passes;   /* some way through has no barrier */
  pm_loc first;  /* a native call that is reached without a barrier before it; PM_NONE: none */
  pm_loc last;   /* one after which the function may return without a barrier */
};
struct reuse {
  struct admit *a;
  bool warp; /* a warp's own barrier is enough */
  struct sum *sums;
  unsigned depth;
};

/* What lies between: nothing pending, or the call that is. */
#define NOT_REACHED (PM_NONE - 1)

static bool is_careless(const struct reuse *r, uint32_t native) {
  const struct provider_entry *e = r->a->natives[native].entry;
  return e && e->caller_syncs && (e->scope == PROVIDER_WARP) == r->warp;
}

static const struct sum *sum_of(struct reuse *r, pm_fn fn);

/* The effect of a block's end. */
static struct sum effect_of(struct reuse *r, const struct pm_term *t) {
  struct sum none = {DONE, true, PM_NONE, PM_NONE};
  pm_fn fn = t->kind == PM_DROP ? t->u.drop.fn : PM_NONE;
  if (t->kind == PM_CALL) {
    const struct pm_callee *c = t->u.call.callee;
    if (c->kind == PM_CALL_NATIVE && is_careless(r, c->id))
      return (struct sum){DONE, false, t->span, t->span};
    if (c->kind == PM_CALL_EXTERN) {
      str symbol = r->a->m->externs[c->id].symbol;
      bool waits = device_op_class(symbol) == OP_BARRIER ||
                   (r->warp && str_eqz(symbol, "__mirdc_syncwarp"));
      none.passes = !waits;
      return none;
    }
    if (c->kind == PM_CALL_FN)
      fn = c->id;
  }
  if (fn == PM_NONE)
    return none;
  struct sum s = *sum_of(r, fn);
  s.first = s.first == PM_NONE ? PM_NONE : t->span;
  s.last = s.last == PM_NONE ? PM_NONE : t->span;
  return s;
}

static void refuse(struct reuse *r, const struct pm_term *t, pm_loc before) {
  struct admit *a = r->a;
  uint32_t native = PM_NONE;
  if (t->u.call.callee->kind == PM_CALL_NATIVE)
    native = t->u.call.callee->id;
  for (uint32_t i = 0; native == PM_NONE && i < a->m->n_natives; i++)
    if (is_careless(r, i) && t->u.call.callee->kind == PM_CALL_FN && a->natives[i].fn == t->u.call.callee->id)
      native = i;
  for (uint32_t i = 0; native == PM_NONE && i < a->m->n_natives; i++)
    if (is_careless(r, i))
      native = i;
  struct admit_native *n = &a->natives[native], was = *n;
  n->call = admit_call_place(a->m, native, t->span);
  struct diag *d = admit_error(a, native, MD0783, PM_NONE,
                               "no barrier between this call of `%.*s` and the one before",
                               STR_ARG(a->m->natives[native].path));
  *n = was;
  struct span s = admit_place(a->m, admit_call_place(a->m, native, before));
  if (s.line0)
    diag_label(d, s, before == t->span ? "the call before, in a loop" : "the call before");
  diag_note(d, "the provider says that both use the same memory (`\"reuse\": \"caller-syncs\"`)");
  diag_help(d, "put `%s` between the calls", r->warp ? "warp::sync(warp::FULL)" : "barrier()");
}

struct ways {
  struct reuse *r;
  const struct pm_func *f;
  struct sum *effects; /* by block */
  pm_loc *pending;     /* by block, at its begin: a call, PM_NONE: none, NOT_REACHED */
  bool *open;          /* by block, at its begin: no barrier since the function's */
  uint32_t *todo, n;
  struct sum *sum;
};

static void flow_to(struct ways *w, uint32_t to, pm_loc pending, bool open) {
  if (to == PM_NONE)
    return;
  bool more = w->pending[to] == NOT_REACHED || (w->pending[to] == PM_NONE && pending != PM_NONE) ||
              (open && !w->open[to]);
  if (!more)
    return;
  if (w->pending[to] == NOT_REACHED || w->pending[to] == PM_NONE)
    w->pending[to] = pending;
  w->open[to] |= open;
  w->todo[w->n++] = to;
}

static void flow_block(struct ways *w, uint32_t b) {
  const struct pm_term *t = &w->f->blocks[b].term;
  const struct sum *e = &w->effects[b];
  if (e->first != PM_NONE && w->open[b] && w->sum->first == PM_NONE)
    w->sum->first = e->first;
  pm_loc pending = e->last != PM_NONE ? e->last : e->passes ? w->pending[b] : PM_NONE;
  bool open = w->open[b] && e->passes;
  if (t->kind == PM_RETURN) {
    w->sum->passes |= open;
    if (pending != PM_NONE)
      w->sum->last = pending;
  }
  for (uint32_t i = 0; t->kind == PM_SWITCH && i < t->n; i++)
    flow_to(w, t->u.cases[i].target, pending, open);
  if (t->kind != PM_RETURN && t->kind != PM_UNREACHABLE && t->kind != PM_TRAP_TERM)
    flow_to(w, t->target, pending, open);
}

static void sum_up(struct reuse *r, pm_fn fn, struct sum *sum) {
  struct arena *a = &r->a->arena;
  const struct pm_func *f = &r->a->m->fns[fn];
  /* A block is taken up to three times: for being reached, for a pending call, for an open way. */
  struct ways w = {.r = r, .f = f, .sum = sum, .todo = arena_array(a, uint32_t, 3 * (size_t)f->n_blocks + 1)};
  w.effects = arena_array(a, struct sum, f->n_blocks);
  w.pending = arena_array(a, pm_loc, f->n_blocks);
  w.open = arena_array(a, bool, f->n_blocks);
  for (uint32_t b = 0; b < f->n_blocks; b++) {
    w.effects[b] = effect_of(r, &f->blocks[b].term);
    w.pending[b] = NOT_REACHED;
  }
  if (f->n_blocks)
    flow_to(&w, 0, PM_NONE, true);
  while (w.n)
    flow_block(&w, w.todo[--w.n]);
  for (uint32_t b = 0; b < f->n_blocks; b++)
    if (w.effects[b].first != PM_NONE && w.pending[b] != PM_NONE && w.pending[b] != NOT_REACHED &&
        f->blocks[b].term.kind == PM_CALL)
      refuse(r, &f->blocks[b].term, w.pending[b]);
}

static const struct sum *sum_of(struct reuse *r, pm_fn fn) {
  static const struct sum unknown = {DONE, true, PM_NONE, PM_NONE};
  struct sum *s = &r->sums[fn];
  if (s->state == DONE)
    return s;
  if (s->state == BUSY || r->depth > MAX_DEPTH)
    return &unknown;
  *s = (struct sum){BUSY, false, PM_NONE, PM_NONE};
  r->depth++;
  sum_up(r, fn, s);
  r->depth--;
  s->state = DONE;
  return s;
}

static void check(struct admit *a, bool warp) {
  struct reuse r = {.a = a, .warp = warp};
  bool any = false;
  for (uint32_t i = 0; i < a->m->n_natives; i++)
    any |= is_careless(&r, i);
  if (!any)
    return;
  r.sums = arena_array(&a->arena, struct sum, a->m->n_fns);
  for (uint32_t k = 0; k < a->m->n_kernels; k++)
    (void)sum_of(&r, a->m->kernels[k].fn);
  for (pm_fn f = 0; f < a->m->n_fns; f++)
    if (a->m->fns[f].export)
      (void)sum_of(&r, f);
}

void admit_reuse(struct admit *a) {
  check(a, false);
  check(a, true);
}
