/* Functions in the contexts that they are called in, and the walk that finds unproved calls. */
#include "callbacks/device_op.h"
#include "callbacks/uniform_impl.h"
#include "ir/units.h"

#include <string.h>

/* A function is looked at in so many ways; further ones count as if all arguments differed. */
enum { MAX_CONTEXTS = 6, MAX_DEPTH = 100 };
#define KEY_ALL UINT64_MAX
#define KEY_KERNEL (UINT64_MAX - 1)

/* ---- one function in one context ---- */

static void init_params(struct uni *u, struct uni_ctx *x, const struct pm_func *f) {
  x->param1 = arena_array(&u->arena, uint32_t, f->n_args);
  x->param2 = arena_array(&u->arena, uint32_t, f->n_args);
  for (uint32_t i = 0; i < f->n_args; i++) {
    const bool special = x->key >= KEY_KERNEL;
    const uint64_t bits = special ? (x->key == KEY_ALL) : x->key >> (3 * i) & 7;
    const struct uniform_reason value = {.why = UNI_PARAM, .param = i, .at = PM_NONE},
                                memory = {.why = UNI_MEMORY, .param = i, .at = PM_NONE};
    uint32_t one = UNI_OPEN, two = UNI_OPEN, local = UNI_LOCAL + 1 + i;
    if (!special) {
      one = uni_new(u, x);
      two = uni_new(u, x);
      x->nodes.p[one].pointee = x->nodes.p[two].pointee = two;
    }
    x->param1[i] = one;
    x->param2[i] = two;
    x->nodes.p[local].pointee = one;
    if (bits & 1)
      x->nodes.p[local].why = value;
    if (bits & 2)
      x->nodes.p[one].why = memory;
    if (bits & 4)
      x->nodes.p[two].why = memory;
  }
}

static void init_ctx(struct uni *u, struct uni_ctx *x) {
  const struct pm_func *f = &u->m->fns[x->fn];
  x->flow = uni_flow_of(u, x->fn);
  for (uint32_t i = 0; i < UNI_LOCAL + f->n_locals; i++)
    (void)uni_new(u, x);
  x->nodes.p[UNI_OPEN].pointee = UNI_OPEN;
  x->nodes.p[UNI_OPEN].open = true;
  x->nodes.p[UNI_CONST].pointee = UNI_CONST;
  init_params(u, x, f);
  x->under = arena_array(&u->arena, struct uniform_reason, f->n_blocks);
  x->branch = arena_array(&u->arena, uint32_t, f->n_blocks);
  x->todo = arena_array(&u->arena, uint32_t, f->n_blocks + 1);
  x->skip = arena_array(&u->arena, uint32_t, f->n_blocks + 1);
  for (uint32_t i = 0; i <= f->n_blocks; i++)
    x->skip[i] = i;
}

static void settle(struct uni *u, struct uni_ctx *x) {
  do {
    x->changed = false;
    for (uint32_t i = 0; i < x->flow->n_order; i++)
      uni_block(u, x, x->flow->order[i]);
  } while (x->changed);
}

struct uni_ctx *uni_ctx_get(struct uni *u, pm_fn fn, uint64_t key) {
  for (;;) {
    for (size_t i = 0; i < u->of_fn[fn].n; i++) {
      struct uni_ctx *x = u->of_fn[fn].p[i];
      if (x->key == key)
        return x->busy ? NULL : x;
    }
    if (key >= KEY_KERNEL || u->of_fn[fn].n < MAX_CONTEXTS)
      break;
    key = KEY_ALL;
  }
  if (u->depth > MAX_DEPTH)
    return NULL;
  struct uni_ctx *x = arena_new(&u->arena, struct uni_ctx);
  x->fn = fn;
  x->key = key;
  x->busy = true;
  vec_push(&u->arena, &u->of_fn[fn], x);
  u->depth++;
  init_ctx(u, x);
  settle(u, x);
  u->depth--;
  x->busy = false;
  return x;
}

/* ---- the walk ---- */

struct frame {
  struct uni_ctx *x;
  const struct frame *up; /* the caller, at its block `at` */
  uint32_t at;            /* block of this function whose call is followed or looked at */
  uint32_t depth;
};
struct under {
  struct uniform_reason why; /* UNI_UNIFORM: all threads come here */
  bool decided;
  pm_loc branch;
};
struct walk {
  struct uni *u;
  uint32_t kernel;
};

static const struct pm_term *term_at(const struct uni *u, const struct frame *f) {
  return &u->m->fns[f->x->fn].blocks[f->at].term;
}

/* A reason in the words of no function in particular. */
static struct uniform_reason resolve(struct uni *u, const struct frame *f, struct uniform_reason r) {
  for (; (r.why == UNI_PARAM || r.why == UNI_MEMORY) && f->up; f = f->up) {
    const struct frame *c = f->up;
    const struct pm_term *t = term_at(u, c);
    struct uni_value arg = {0};
    if (t->kind == PM_CALL && r.param < t->n)
      arg = uni_operand(u, c->x, &t->ops[r.param], t->span);
    else if (t->kind == PM_DROP)
      arg.to = uni_place(u, c->x, &t->u.drop.place, &arg.why);
    r.param = 0;
    r = uni_translate(u, c->x, &r, &arg, 1, t->span);
  }
  if (r.why == UNI_PARAM || r.why == UNI_MEMORY)
    r = (struct uniform_reason){.why = UNI_FOREIGN, .at = r.at};
  return r;
}

static void tell(struct walk *w, const struct frame *f, const struct under *why, uint32_t native) {
  struct uni *u = w->u;
  const uint32_t n = f->depth;
  pm_loc *callers = arena_array(&u->arena, pm_loc, n + 1);
  for (const struct frame *c = f->up; c; c = c->up)
    callers[c->depth] = term_at(u, c)->span;
  u->report(u->report_ctx, &(struct uniform_site){.native = native,
                                                  .kernel = w->kernel,
                                                  .call = term_at(u, f)->span,
                                                  .decided = why->decided,
                                                  .branch = why->branch,
                                                  .reason = why->why,
                                                  .callers = callers,
                                                  .n_callers = n});
}

/* Branches have no place of their own: that of what they look at. */
static pm_loc branch_place(const struct pm_func *f, uint32_t b) {
  const struct pm_block *block = &f->blocks[b];
  const struct pm_operand *o = block->term.kind == PM_SWITCH ? block->term.ops : NULL;
  if (!o || block->term.span != PM_NONE || (o->kind != PM_COPY && o->kind != PM_MOVE))
    return block->term.span;
  for (uint32_t i = block->n_stmts; i-- > 0;)
    if (block->stmts[i].kind == PM_ASSIGN && block->stmts[i].place.local == o->u.place.local)
      return block->stmts[i].span;
  for (uint32_t k = 0; k < f->n_blocks; k++)
    for (uint32_t i = 0; i < f->blocks[k].n_stmts; i++)
      if (f->blocks[k].stmts[i].kind == PM_ASSIGN && f->blocks[k].stmts[i].place.local == o->u.place.local)
        return f->blocks[k].stmts[i].span;
  return f->locals[o->u.place.local].span;
}

static struct under decided(struct uni *u, const struct frame *f, const struct under *outer) {
  const struct uni_ctx *x = f->x;
  if (outer->why.why != UNI_UNIFORM || x->under[f->at].why == UNI_UNIFORM)
    return *outer;
  struct under own = {.why = resolve(u, f, x->under[f->at])};
  own.decided = own.why.why != UNI_EXIT;
  own.branch = branch_place(&u->m->fns[x->fn], x->branch[f->at]);
  return own;
}

static void walk_fn(struct walk *w, struct frame *f, const struct under *outer);

/* Native calls in a registration function are told at the call of that function. */
static void tell_direct(struct walk *w, const struct frame *f, const struct under *why, pm_fn callee) {
  const struct pm_func *fn = &w->u->m->fns[callee];
  for (uint32_t b = 0; b < fn->n_blocks; b++) {
    const struct pm_term *t = &fn->blocks[b].term;
    if (t->kind == PM_CALL && t->u.call.callee->kind == PM_CALL_NATIVE &&
        w->u->o->wanted[t->u.call.callee->id])
      tell(w, f, why, t->u.call.callee->id);
  }
}

static void walk_callee(struct walk *w, struct frame *f, const struct under *outer, pm_fn callee) {
  struct uni *u = w->u;
  if (!u->reaches[callee])
    return;
  const struct pm_term *t = term_at(u, f);
  struct under why = decided(u, f, outer);
  struct uni_value *args = arena_array(&u->arena, struct uni_value, t->n + 1);
  uint32_t n = t->kind == PM_CALL ? t->n : 1;
  for (uint32_t i = 0; t->kind == PM_CALL && i < n; i++)
    args[i] = uni_operand(u, f->x, &t->ops[i], t->span);
  if (t->kind == PM_DROP)
    args[0].to = uni_place(u, f->x, &t->u.drop.place, &args[0].why);
  if (u->direct[callee] && why.why.why != UNI_UNIFORM) {
    tell_direct(w, f, &why, callee);
    why = (struct under){0};
  }
  struct uni_ctx *y = f->depth < MAX_DEPTH ? uni_ctx_get(u, callee, uni_key(u, f->x, args, n)) : NULL;
  if (y)
    walk_fn(w, &(struct frame){.x = y, .up = f, .depth = f->depth + 1}, &why);
}

static void walk_fn(struct walk *w, struct frame *f, const struct under *outer) {
  struct uni *u = w->u;
  struct uni_ctx *x = f->x;
  const bool differs = outer->why.why != UNI_UNIFORM;
  if (x->seen_divergent || (x->seen && !differs))
    return;
  x->seen = true;
  x->seen_divergent = differs;
  for (uint32_t i = 0; i < x->flow->n_order; i++) {
    f->at = x->flow->order[i];
    if (x->flow->assumed[f->at])
      continue;
    const struct pm_term *t = term_at(u, f);
    if (t->kind == PM_DROP && t->u.drop.fn != PM_NONE)
      walk_callee(w, f, outer, t->u.drop.fn);
    if (t->kind != PM_CALL)
      continue;
    const struct pm_callee *c = t->u.call.callee;
    if (c->kind == PM_CALL_FN)
      walk_callee(w, f, outer, c->id);
    if (c->kind == PM_CALL_NATIVE && u->o->wanted[c->id]) {
      struct under why = decided(u, f, outer);
      if (why.why.why != UNI_UNIFORM)
        tell(w, f, &why, c->id);
    }
  }
}

static void walk_root(struct uni *u, pm_fn fn, uint32_t kernel, uint64_t key, enum uniform_why why) {
  if (!u->reaches[fn])
    return;
  struct walk w = {u, kernel};
  struct under outer = {.why = {.why = why, .at = u->m->fns[fn].span}};
  struct uni_ctx *x = uni_ctx_get(u, fn, key);
  if (x)
    walk_fn(&w, &(struct frame){.x = x}, &outer);
}

/* ---- which functions matter ---- */

typedef bool is_seed(const struct uni *u, const struct pm_term *t);

static bool calls_native(const struct uni *u, const struct pm_term *t) {
  return t->kind == PM_CALL && t->u.call.callee->kind == PM_CALL_NATIVE &&
         u->o->wanted[t->u.call.callee->id];
}

static bool ends_thread(const struct uni *u, const struct pm_term *t) {
  return t->kind == PM_CALL && t->u.call.callee->kind == PM_CALL_EXTERN &&
         device_op_class(u->m->externs[t->u.call.callee->id].symbol) == OP_EXIT;
}

static pm_fn callee_of(const struct pm_term *t) {
  if (t->kind == PM_CALL && t->u.call.callee->kind == PM_CALL_FN)
    return t->u.call.callee->id;
  return t->kind == PM_DROP ? t->u.drop.fn : PM_NONE;
}

/* Callers by callee. */
struct calls {
  uint32_t *at, *from;
};

static void find_calls(struct uni *u, struct calls *c) {
  const struct pmir *m = u->m;
  c->at = arena_array(&u->arena, uint32_t, m->n_fns + 2);
  for (unsigned pass = 0; pass < 2; pass++) {
    for (pm_fn f = 0; f < m->n_fns; f++)
      for (uint32_t b = 0; b < m->fns[f].n_blocks; b++) {
        pm_fn to = callee_of(&m->fns[f].blocks[b].term);
        if (to != PM_NONE && pass == 0)
          c->at[to + 2]++;
        else if (to != PM_NONE)
          c->from[c->at[to + 1]++] = f;
      }
    if (pass == 1)
      break;
    for (pm_fn f = 0; f < m->n_fns; f++)
      c->at[f + 2] += c->at[f + 1];
    c->from = arena_array(&u->arena, uint32_t, c->at[m->n_fns + 1] + 1);
  }
}

/* By function: does it have such an end of a block (`own`), or call what has? */
static bool *reach_back(struct uni *u, const struct calls *c, is_seed *seed, bool **own) {
  const struct pmir *m = u->m;
  bool *yes = arena_array(&u->arena, bool, m->n_fns);
  uint32_t *todo = arena_array(&u->arena, uint32_t, m->n_fns), n = 0;
  for (pm_fn f = 0; f < m->n_fns; f++)
    for (uint32_t b = 0; b < m->fns[f].n_blocks && !yes[f]; b++)
      if (seed(u, &m->fns[f].blocks[b].term)) {
        yes[f] = true;
        todo[n++] = f;
      }
  if (own) {
    *own = arena_array(&u->arena, bool, m->n_fns);
    memcpy(*own, yes, m->n_fns * sizeof **own);
  }
  while (n) {
    pm_fn f = todo[--n];
    for (uint32_t i = c->at[f]; i < c->at[f + 1]; i++)
      if (!yes[c->from[i]]) {
        yes[c->from[i]] = true;
        todo[n++] = c->from[i];
      }
  }
  return yes;
}

/* 0 not known, 1 no, 2 yes. */
static bool holds_pointer(const struct pmir *m, pm_ty ty, uint8_t *known, unsigned depth) {
  const struct pm_type *t = &m->types[ty];
  if (known[ty] || depth > MAX_DEPTH)
    return known[ty] != 1;
  bool yes = t->kind == PM_PTR || t->kind == PM_FNPTR || t->kind == PM_OPAQUE;
  if (t->kind == PM_ARRAY)
    yes = holds_pointer(m, t->elem, known, depth + 1);
  for (uint32_t i = 0; i < t->n_fields && !yes; i++)
    yes = holds_pointer(m, t->fields[i].ty, known, depth + 1);
  for (uint32_t v = 0; v < t->n_variants; v++)
    for (uint32_t i = 0; i < t->variants[v].n_fields && !yes; i++)
      yes = holds_pointer(m, t->variants[v].fields[i].ty, known, depth + 1);
  known[ty] = yes ? 2 : 1;
  return yes;
}

static void find_pointers(struct uni *u) {
  uint8_t *known = arena_array(&u->arena, uint8_t, u->m->n_types);
  u->pointers = arena_array(&u->arena, bool, u->m->n_types);
  for (pm_ty t = 0; t < u->m->n_types; t++)
    u->pointers[t] = holds_pointer(u->m, t, known, 0);
}

void uniform_check(const struct pmir *m, const struct uniform_options *o, uniform_report *report,
                   void *ctx) {
  struct uni u = {.m = m, .o = o, .report = report, .report_ctx = ctx};
  struct calls calls = {0};
  u.flows = arena_array(&u.arena, struct uni_flow *, m->n_fns);
  u.of_fn = arena_array(&u.arena, struct uni_ctxs, m->n_fns);
  find_calls(&u, &calls);
  u.reaches = reach_back(&u, &calls, calls_native, &u.direct);
  u.may_exit = reach_back(&u, &calls, ends_thread, NULL);
  find_pointers(&u);
  bool *taken = pm_fns_taken(m, &(struct pm_roots){.all_fns = true}, &u.arena);
  for (uint32_t k = 0; k < m->n_kernels; k++)
    walk_root(&u, m->kernels[k].fn, k, KEY_KERNEL, UNI_UNIFORM);
  for (pm_fn f = 0; f < m->n_fns; f++) {
    if (m->fns[f].export)
      walk_root(&u, f, PM_NONE, KEY_ALL, UNI_CALLER);
    if (taken[f])
      walk_root(&u, f, PM_NONE, KEY_ALL, UNI_POINTER);
  }
  arena_free(&u.arena);
}
