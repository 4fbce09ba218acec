/* Who calls native code: the kernels' blocks, convergence, and what stands between two calls. */
#include "callbacks/admit_impl.h"

#include <inttypes.h>
#include <string.h>

#include "base/vec.h"
#include "callbacks/device_op.h"
#include "callbacks/uniform.h"

static pm_fn callee_of(const struct pm_term *t) {
  if (t->kind == PM_CALL && t->u.call.callee->kind == PM_CALL_FN)
    return t->u.call.callee->id;
  return t->kind == PM_DROP ? t->u.drop.fn : PM_NONE;
}

static bool is_native(const struct pm_term *t) {
  return t->kind == PM_CALL && t->u.call.callee->kind == PM_CALL_NATIVE;
}

/* ---- where native code is called first ---- */

struct first {
  pm_loc call;
  uint32_t kernel;
};

static bool begins_with_path(str name, str path) {
  return str_starts(name, path) && (name.n == path.n || name.p[path.n] == '<' || name.p[path.n] == ':');
}

/* Is the function the registration function itself, not one that it was inlined into? */
static bool is_registration(const struct pmir *m, uint32_t native, pm_fn fn) {
  return begins_with_path(m->fns[fn].name, m->natives[native].path);
}

pm_loc admit_call_place(const struct pmir *m, uint32_t native, pm_loc loc) {
  pm_loc at = loc;
  while (at != PM_NONE && m->spans[at].inlined_at != PM_NONE &&
         !begins_with_path(m->spans[at].inlined_fn, m->natives[native].path))
    at = m->spans[at].inlined_at;
  return at != PM_NONE && m->spans[at].inlined_at != PM_NONE ? m->spans[at].inlined_at : loc;
}

static void take_calls(struct admit *a, pm_fn fn, const struct first *at) {
  const struct pm_func *f = &a->m->fns[fn];
  for (uint32_t b = 0; b < f->n_blocks; b++) {
    const struct pm_term *t = &f->blocks[b].term;
    if (!is_native(t))
      continue;
    struct admit_native *n = &a->natives[t->u.call.callee->id];
    if (n->fn != PM_NONE)
      continue;
    *n = (struct admit_native){.entry = n->entry,
                               .fn = fn,
                               .call = is_registration(a->m, t->u.call.callee->id, fn)
                                           ? at->call
                                           : admit_call_place(a->m, t->u.call.callee->id, t->span),
                               .kernel = at->kernel};
  }
}

static void reach_fn(struct admit *a, pm_fn root, uint32_t kernel, bool *seen, struct first *first,
                     pm_fn *todo) {
  uint32_t n = 0;
  if (root == PM_NONE || seen[root])
    return;
  seen[root] = true;
  first[root] = (struct first){PM_NONE, kernel};
  todo[n++] = root;
  while (n) {
    pm_fn fn = todo[--n];
    const struct pm_func *f = &a->m->fns[fn];
    take_calls(a, fn, &first[fn]);
    for (uint32_t b = f->n_blocks; b-- > 0;) {
      pm_fn to = callee_of(&f->blocks[b].term);
      if (to == PM_NONE || seen[to])
        continue;
      seen[to] = true;
      first[to] = (struct first){f->blocks[b].term.span, kernel};
      todo[n++] = to;
    }
  }
}

void admit_find_calls(struct admit *a) {
  const struct pmir *m = a->m;
  bool *seen = arena_array(&a->arena, bool, m->n_fns);
  struct first *first = arena_array(&a->arena, struct first, m->n_fns);
  pm_fn *todo = arena_array(&a->arena, pm_fn, m->n_fns);
  for (uint32_t k = 0; k < m->n_kernels; k++)
    reach_fn(a, m->kernels[k].fn, k, seen, first, todo);
  for (pm_fn f = 0; f < m->n_fns; f++)
    reach_fn(a, f, PM_NONE, seen, first, todo);
}

/* ---- blocks ---- */

static uint64_t wanted_block(const struct pm_native *n, const struct provider_entry *e) {
  for (uint32_t i = 0; e->block != PROVIDER_NONE && i < n->n_consts; i++)
    if (str_eq(n->consts[i].name, e->consts[e->block].name))
      return (uint64_t)n->consts[i].value;
  return 0;
}

static bool wants_block(const struct provider_entry *e) {
  return e && (e->block != PROVIDER_NONE || (e->scope == PROVIDER_WARP && e->converged));
}

static void refuse_block(struct admit *a, uint32_t native, uint32_t kernel) {
  const struct pm_native *n = &a->m->natives[native];
  const struct provider_entry *e = a->natives[native].entry;
  const struct pm_kernel *k = kernel != PM_NONE ? &a->m->kernels[kernel] : NULL;
  const uint64_t want = wanted_block(n, e);
  const uint32_t *b = k ? k->launch.block : NULL;
  struct diag *d;
  if (!k)
    d = admit_error(a, native, MD0780, PM_NONE,
                    "`%.*s` needs a block of a known size, but other device code calls it", STR_ARG(n->path));
  else if (!b[0])
    d = admit_error(a, native, MD0780, k->span, "kernel `%.*s` does not fix its block, as `%.*s` needs",
                    STR_ARG(k->name), STR_ARG(n->path));
  else
    d = admit_error(a, native, MD0781, k->span,
                    "kernel `%.*s` has blocks of %u x %u x %u threads, `%.*s` needs %s%" PRIu64 "",
                    STR_ARG(k->name), b[0], b[1] ? b[1] : 1, b[2] ? b[2] : 1, STR_ARG(n->path),
                    want ? "" : "a multiple of ", want ? want : 32);
  if (!k)
    diag_help(d, "call it from a kernel with `#[mirdc::kernel(block = …)]`");
  else
    diag_help(d, "write `#[mirdc::kernel(block = %" PRIu64 ")]`%s", want ? want : 32,
              want && b && b[0] ? ", or another size in the call" : "");
}

static bool block_fits(const struct pm_kernel *k, const struct pm_native *n, const struct provider_entry *e) {
  const uint32_t *b = k->launch.block;
  const uint64_t want = wanted_block(n, e);
  if (!b[0])
    return false;
  if (want)
    return b[0] == want && b[1] <= 1 && b[2] <= 1;
  return (uint64_t)b[0] * (b[1] ? b[1] : 1) * (b[2] ? b[2] : 1) % 32 == 0;
}

/* One walk a kernel (PM_NONE: over functions for other device code), with what it has seen by stamps. */
struct launch_walk {
  struct admit *a;
  uint32_t *stamp, *native_stamp;
  pm_fn *todo;
  const bool *leads; /* by function: to native code */
};

static void check_fn(struct launch_walk *w, pm_fn fn, uint32_t kernel, uint32_t stamp) {
  const struct pmir *m = w->a->m;
  const struct pm_func *f = &m->fns[fn];
  for (uint32_t b = 0; b < f->n_blocks; b++) {
    if (!is_native(&f->blocks[b].term))
      continue;
    uint32_t id = f->blocks[b].term.u.call.callee->id;
    const struct provider_entry *e = w->a->natives[id].entry;
    if (!wants_block(e) || w->native_stamp[id] == stamp)
      continue;
    w->native_stamp[id] = stamp;
    if (kernel == PM_NONE || !block_fits(&m->kernels[kernel], &m->natives[id], e))
      refuse_block(w->a, id, kernel);
  }
}

static void check_root(struct launch_walk *w, pm_fn root, uint32_t kernel, uint32_t stamp) {
  uint32_t n = 0;
  if (!w->leads[root] || w->stamp[root] == stamp)
    return;
  w->stamp[root] = stamp;
  w->todo[n++] = root;
  while (n) {
    pm_fn fn = w->todo[--n];
    const struct pm_func *f = &w->a->m->fns[fn];
    check_fn(w, fn, kernel, stamp);
    for (uint32_t b = 0; b < f->n_blocks; b++) {
      pm_fn to = callee_of(&f->blocks[b].term);
      if (to == PM_NONE || !w->leads[to] || w->stamp[to] == stamp)
        continue;
      w->stamp[to] = stamp;
      w->todo[n++] = to;
    }
  }
}

/* By function: does it call native code, itself or below? */
static bool *find_leads(struct admit *a) {
  const struct pmir *m = a->m;
  bool *leads = arena_array(&a->arena, bool, m->n_fns);
  uint32_t *at = arena_array(&a->arena, uint32_t, m->n_fns + 2), n = 0;
  pm_fn *todo = arena_array(&a->arena, pm_fn, m->n_fns), *from;
  for (pm_fn f = 0; f < m->n_fns; f++)
    for (uint32_t b = 0; b < m->fns[f].n_blocks; b++) {
      const struct pm_term *t = &m->fns[f].blocks[b].term;
      if (callee_of(t) != PM_NONE)
        at[callee_of(t) + 2]++;
      if (is_native(t) && !leads[f]) {
        leads[f] = true;
        todo[n++] = f;
      }
    }
  for (pm_fn f = 0; f < m->n_fns; f++)
    at[f + 2] += at[f + 1];
  from = arena_array(&a->arena, pm_fn, at[m->n_fns + 1] + 1);
  for (pm_fn f = 0; f < m->n_fns; f++)
    for (uint32_t b = 0; b < m->fns[f].n_blocks; b++)
      if (callee_of(&m->fns[f].blocks[b].term) != PM_NONE)
        from[at[callee_of(&m->fns[f].blocks[b].term) + 1]++] = f;
  while (n) {
    pm_fn f = todo[--n];
    for (uint32_t i = at[f]; i < at[f + 1]; i++)
      if (!leads[from[i]]) {
        leads[from[i]] = true;
        todo[n++] = from[i];
      }
  }
  return leads;
}

void admit_geometry(struct admit *a) {
  const struct pmir *m = a->m;
  struct launch_walk w = {.a = a,
                          .stamp = arena_array(&a->arena, uint32_t, m->n_fns),
                          .native_stamp = arena_array(&a->arena, uint32_t, m->n_natives),
                          .todo = arena_array(&a->arena, pm_fn, m->n_fns),
                          .leads = find_leads(a)};
  for (uint32_t k = 0; k < m->n_kernels; k++)
    check_root(&w, m->kernels[k].fn, k, k + 1);
  for (pm_fn f = 0; f < m->n_fns; f++)
    if (m->fns[f].export)
      check_root(&w, f, PM_NONE, m->n_kernels + 1);
}

/* ---- convergence ---- */

static const char *why_text(enum uniform_why why) {
  switch (why) {
  case UNI_INDEX:
    return "the thread's own index";
  case UNI_LOAD:
    return "what is loaded from memory that other threads may write";
  case UNI_ATOMIC:
    return "the result of an atomic operation";
  case UNI_WARP:
    return "what lanes have exchanged";
  case UNI_TIME:
    return "the time or place of execution";
  case UNI_NATIVE:
    return "the result of a native algorithm";
  case UNI_FOREIGN:
  case UNI_PARAM:
  case UNI_MEMORY:
    return "a value that nothing is known of";
  case UNI_PTX:
    return "the result of inline PTX";
  case UNI_POINTER:
    return "it is called through a pointer";
  case UNI_CALLER:
    return "other device code calls it";
  case UNI_EXIT:
    return "some threads may have ended before";
  case UNI_UNIFORM:
    break;
  }
  return "nothing";
}

static void tell_divergent(void *ctx, const struct uniform_site *s) {
  struct admit *a = ctx;
  const struct pmir *m = a->m;
  struct admit_native *n = &a->natives[s->native], was = *n;
  const char *scope = provider_scope_word(n->entry->scope);
  n->call = admit_call_place(m, s->native, s->call);
  n->kernel = s->kernel;
  struct diag *d = admit_error(a, s->native, MD0782, PM_NONE,
                               "not proved that all threads of the %s reach `%.*s` together", scope,
                               STR_ARG(m->natives[s->native].path));
  *n = was;
  struct span branch = admit_place(m, s->branch), why = admit_place(m, s->reason.at);
  if (!s->decided)
    diag_note(d, "%s", why_text(s->reason.why));
  else if (branch.line0)
    diag_label(d, branch, "this branch decides, by %s", why_text(s->reason.why));
  else
    diag_note(d, "a branch decides, by %s", why_text(s->reason.why));
  bool apart = why.line0 && memcmp(&why, &branch, sizeof why) != 0;
  if (apart && (s->decided || s->reason.why == UNI_EXIT))
    diag_note_at(d, why, "threads begin to differ here");
  for (uint32_t i = s->n_callers; i-- > 0;)
    if (admit_place(m, s->callers[i]).line0 && s->callers[i] != s->call)
      diag_note_at(d, admit_place(m, s->callers[i]), "called from here");
  diag_help(d, "call it outside of the branch, with a neutral value where there is none; or vouch that "
               "all threads of the %s take the same way: `unsafe { assume_converged(|| …) }`",
            scope);
}

static void converge(struct admit *a, enum provider_scope scope) {
  bool *wanted = arena_array(&a->arena, bool, a->m->n_natives), any = false;
  for (uint32_t i = 0; i < a->m->n_natives; i++) {
    const struct provider_entry *e = a->natives[i].entry;
    wanted[i] = e && e->converged && e->scope == scope;
    any |= wanted[i];
  }
  const struct uniform_options o = {.warp = scope == PROVIDER_WARP, .wanted = wanted};
  if (any)
    uniform_check(a->m, &o, tell_divergent, a);
}

void admit_convergence(struct admit *a) {
  converge(a, PROVIDER_BLOCK);
  converge(a, PROVIDER_WARP);
}
