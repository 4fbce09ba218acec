/* Instances and the meaning of callees. */
#include "cargo-integration/rustc/native.h"
#include "cargo-integration/rustc/mono.h"

#include "base/fatal.h"
#include "cargo-integration/rustc/advice.h"
#include "cargo-integration/rustc/dyn_state.h"
#include "cargo-integration/rustc/generics.h"
#include "cargo-integration/rustc/intrinsics.h"
#include "cargo-integration/rustc/mir_parse.h"
#include "cargo-integration/rustc/types.h"

/* ---- unification ---- */
static bool unify_list(struct binding *b, const struct rty *const *f, const struct rty *const *a,
                       uint32_t nf, uint32_t na) {
  uint32_t i = 0, j = 0;
  for (;;) {
    while (i < nf && f[i]->kind == RTY_LIFETIME)
      i++;
    while (j < na && a[j]->kind == RTY_LIFETIME)
      j++;
    if (i == nf || j == na)
      return i == nf && j == na;
    if (!mono_unify(b, f[i++], a[j++]))
      return false;
  }
}

static bool bind(struct binding *b, const struct rty *from, const struct rty *to) {
  for (size_t i = 0; i < b->n; i++)
    if (b->from[i] == from)
      return b->to[i] == to;
  if (b->n == COUNT_OF(b->from))
    return false;
  b->from[b->n] = from;
  b->to[b->n++] = to;
  return true;
}

static bool is_param_like(const struct rty *t) {
  return rty_is_open(t) ||
         (t->kind == RTY_PATH && t->n_segs == 1 && t->segs[0].kind == SEG_NAME &&
          t->segs[0].n_args == 0);
}

static bool is_projection(const struct rty *t) {
  return t->kind == RTY_PATH && t->n_segs && t->segs[0].kind == SEG_QSELF;
}

static bool unify_path(struct binding *b, const struct rty *f, const struct rty *a) {
  if (f->n_segs != a->n_segs)
    return false;
  for (uint32_t i = 0; i < f->n_segs; i++) {
    const struct rty_seg *x = &f->segs[i], *y = &a->segs[i];
    if (x->kind != y->kind || !str_eq(x->name, y->name))
      return false;
    if ((x->self == NULL) != (y->self == NULL) || (x->trait == NULL) != (y->trait == NULL))
      return false;
    if (x->self && !mono_unify(b, x->self, y->self))
      return false;
    if (x->trait && !mono_unify(b, x->trait, y->trait))
      return false;
    if (!unify_list(b, x->args, y->args, x->n_args, y->n_args))
      return false;
  }
  return true;
}

static bool unify_opt(struct binding *b, const struct rty *f, const struct rty *a) {
  if (!f || !a)
    return f == a;
  return mono_unify(b, f, a);
}

bool mono_unify(struct binding *b, const struct rty *f, const struct rty *a) {
  if (is_param_like(f) && f != a)
    return bind(b, f, a);
  if (f == a || is_projection(f))
    return true;
  if (f->kind != a->kind)
    return false;
  switch (f->kind) {
  case RTY_PATH:
    return unify_path(b, f, a);
  case RTY_REF: case RTY_PTR:
    return f->mut == a->mut && mono_unify(b, f->elem, a->elem);
  case RTY_SLICE:
    return mono_unify(b, f->elem, a->elem);
  case RTY_ARRAY:
    return mono_unify(b, f->elem, a->elem) && mono_unify(b, f->len, a->len);
  case RTY_TUPLE:
    return unify_list(b, f->args, a->args, f->n_args, a->n_args);
  case RTY_FNPTR:
    return unify_list(b, f->args, a->args, f->n_args, a->n_args) && mono_unify(b, f->ret, a->ret);
  case RTY_CLOSURE:
    /* A method's closure has a qualified self in its path, which is no projection. */
    return f->path && a->path && unify_path(b, f->path, a->path) && unify_opt(b, f->sig, a->sig) &&
           unify_list(b, f->args, a->args, f->n_args, a->n_args);
  case RTY_FNDEF:
    return mono_unify(b, f->path, a->path);
  case RTY_CONST:
    return a->lo == f->lo && a->hi == f->hi;
  case RTY_DYN:
    return unify_list(b, f->args, a->args, f->n_args, a->n_args);
  case RTY_BINDING:
    return str_eq(f->name, a->name) && mono_unify(b, f->elem, a->elem);
  default:
    return false;
  }
}

struct rty_subst mono_keep(struct prep *p, const struct binding *b) {
  struct rty_subst s = {.n = b->n};
  const struct rty **from = arena_array(p->arena, const struct rty *, b->n ? b->n : 1);
  const struct rty **to = arena_array(p->arena, const struct rty *, b->n ? b->n : 1);
  for (size_t i = 0; i < b->n; i++) {
    from[i] = b->from[i];
    to[i] = b->to[i];
  }
  s.from = from;
  s.to = to;
  return s;
}

/* ---- projections ---- */
static const struct rty *find_projection(const struct rty *t);

static const struct rty *find_in(const struct rty *const *args, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    const struct rty *r = find_projection(args[i]);
    if (r)
      return r;
  }
  return NULL;
}

/* The innermost projection, so that what it stands on is already resolved. */
static const struct rty *find_projection(const struct rty *t) {
  const struct rty *r = NULL;
  if (!t)
    return NULL;
  if (t->kind == RTY_FNDEF)
    return find_in(t->sig->args, t->sig->n_args);
  for (uint32_t i = 0; i < t->n_segs && !r; i++) {
    r = find_projection(t->segs[i].self);
    if (!r)
      r = find_projection(t->segs[i].trait);
    if (!r)
      r = find_in(t->segs[i].args, t->segs[i].n_args);
  }
  if (!r)
    r = find_in(t->args, t->n_args);
  if (!r)
    r = find_projection(t->elem);
  if (!r && t->kind == RTY_FNPTR)
    r = find_projection(t->ret);
  if (!r && is_projection(t) && t->n_segs >= 2)
    return t;
  return r;
}

/* `core::ops::Fn…`, by whichever crate it is visible. */
static bool is_fn_trait(const struct rty *t) {
  return t->kind == RTY_PATH && (str_starts(t->name, STR("core::ops::Fn")) ||
                                 str_starts(t->name, STR("std::ops::Fn")));
}

static bool is_operator_trait(const struct rty *trait) {
  static const char *const names[] = {"Add", "Sub", "Mul", "Div", "Rem", "Neg", "Not", "BitAnd",
                                      "BitOr", "BitXor", "Shl", "Shr"};
  if (!str_starts(trait->name, STR("core::ops::")) && !str_starts(trait->name, STR("std::ops::")))
    return false;
  for (size_t i = 0; i < COUNT_OF(names); i++)
    if (str_eqz(rty_last_name(trait), names[i]))
      return true;
  return false;
}

/* `dyn Iterator<Item = u32>` says itself what its `Item` is. */
static const struct rty *bound_of_object(const struct rty *object, str name) {
  const struct rty *trait = object->n_args ? object->args[0] : NULL;
  for (uint32_t i = 0; trait && i < trait->n_segs; i++)
    for (uint32_t k = 0; k < trait->segs[i].n_args; k++) {
      const struct rty *arg = trait->segs[i].args[k];
      if (arg->kind == RTY_BINDING && str_eq(arg->name, name))
        return arg->elem;
    }
  return NULL;
}

/* `<F as FnOnce<..>>::Output` of what we know to call, operators of numbers. */
static const struct rty *known_projection(const struct rty *t) {
  const struct rty *self = t->segs[0].self, *trait = t->segs[0].trait;
  if (!trait || t->n_segs != 2)
    return NULL;
  if (self->kind == RTY_DYN)
    return bound_of_object(self, t->segs[1].name);
  if (!str_eq(t->segs[1].name, STR("Output")))
    return NULL;
  while (self->kind == RTY_REF && is_fn_trait(trait))
    self = self->elem;
  if (is_fn_trait(trait)) {
    if (self->kind == RTY_FNPTR)
      return self->ret;
    if (self->kind == RTY_FNDEF || self->kind == RTY_CLOSURE)
      return self->sig ? self->sig->ret : NULL;
  }
  if (is_operator_trait(trait)) {
    const struct rty *v = self->kind == RTY_REF ? self->elem : self;
    if (v->kind == RTY_PRIM)
      return v;
  }
  return NULL;
}

const struct rty *mono_type(struct prep *p, const struct inst *in, const struct rty *ty,
                            struct span at) {
  if (in && in->subst.n)
    ty = rty_substitute(p->types, ty, &in->subst);
  for (unsigned guard = 0; guard < 64; guard++) {
    const struct rty *q = find_projection(ty);
    if (!q)
      return ty;
    const struct rty *to = known_projection(q);
    if (!to) {
      struct ty_info *i = prep_info(p, q);
      if (!i->alias && !i->alias_asked)
        want_alias(p, i, at);
      to = i->alias;
    }
    if (!to || to == q)
      return ty;
    struct rty_subst s = {.from = &q, .to = &to, .n = 1};
    ty = rty_substitute(p->types, ty, &s);
  }
  return ty;
}

/* ---- instances ---- */
#define MAX_NAME 8192 /* no type that a person wrote prints longer; polymorphic recursion does */

static struct inst *new_inst(struct prep *p, const struct inst *from, str key, enum inst_kind kind,
                             str name, struct span at, bool *fresh) {
  uintptr_t *slot = map_put(&p->inst_by_key, key, fresh);
  if (!*fresh)
    return p->insts.p[*slot];
  if (name.n > MAX_NAME && !p->endless) {
    p->endless = true;
    struct diag *d = prep_error(p, from, MD0190, at, "the types of this recursion grow without an end");
    diag_help(d, "let the function call itself with the same types");
  }
  struct inst *i = arena_new(p->arena, struct inst);
  *slot = p->insts.n;
  *i = (struct inst){.kind = kind, .id = (uint32_t)p->insts.n, .name = name, .from = from,
                     .from_span = prep_place(p, from, at)};
  i->symbol = prep_symbol(p, name);
  vec_push(p->arena, &p->insts, i);
  return i;
}

struct inst *mono_item(struct prep *p, const struct inst *from, struct prep_dump *dump,
                       const struct mir_item *item, const struct rty *path,
                       const struct rty_subst *subst, struct span at) {
  bool fresh;
  str name = rty_label(p->types, path);
  struct answer *deep = deep_answer(p, path);
  str key = arena_printf(p->arena, "i%d:%u", dump->is_probe, path->id);
  struct inst *i = new_inst(p, from, key, INST_ITEM, name, at, &fresh);
  if (fresh) {
    i->dump = dump;
    i->item = item;
    i->path = path;
    i->source = item;
    if (subst)
      i->subst = *subst;
    if (deep) {
      i->dump = deep->dump;
      i->item = deep->item;
      i->subst = (struct rty_subst){.n = 0};
    }
  }
  return i;
}

struct inst *mono_glue(struct prep *p, const struct inst *from, const struct rty *ty,
                       struct span at) {
  bool fresh;
  struct ty_info *info = prep_info(p, ty);
  str key = arena_printf(p->arena, "d:%u", ty->id);
  str name = arena_printf(p->arena, "core::ptr::drop_in_place<%.*s>",
                          STR_ARG(rty_label(p->types, ty)));
  struct inst *i = new_inst(p, from, key, INST_GLUE, name, at, &fresh);
  i->dump = info->glue_dump;
  i->item = info->glue;
  i->subst = info->glue_subst;
  i->shim_fn = ty;
  return i;
}

static bool unreadable(struct prep *p, const struct inst *from, const struct rty *path,
                       struct span at);

/* May every name that was bound be bound? What prints like a parameter may be a type. */
static bool binds_parameters(struct prep *p, const struct mir_item *item, const struct binding *b) {
  for (size_t i = 0; i < b->n; i++)
    if (b->from[i]->kind == RTY_PATH && !generics_declares(p, item, b->from[i]->name))
      return false;
  return true;
}

/* The body of a closure. A body that declares exactly this type is it; otherwise the one whose
 * type becomes this one by its generic parameters alone. */
static const struct mir_item *find_closure(struct prep *p, const struct rty *closure,
                                           struct binding *b, bool *several) {
  const struct mir_file *f = &p->dumps.p[0]->file;
  const struct mir_item *found = NULL;
  *several = false;
  for (const struct mir_item *it = mir_part_first(f, closure->path); it;
       it = mir_part_next(f, it)) {
    const struct rty *formal = mir_closure_of(it);
    struct binding own = {.n = 0};
    if (formal == closure) {
      *b = own;
      *several = false;
      return it;
    }
    if (!formal || !formal->path || !mono_unify(&own, formal, closure))
      continue;
    bool named = it->path == rty_path_bare(p->types, closure->path);
    if (!named && !binds_parameters(p, it, &own))
      continue;
    *several = found != NULL;
    found = it;
    *b = own;
  }
  return found;
}

struct inst *mono_closure(struct prep *p, const struct inst *from, const struct rty *closure,
                          struct span at, bool *pending) {
  bool fresh;
  str key = arena_printf(p->arena, "c:%u", closure->id);
  uintptr_t *have = map_get(&p->inst_by_key, key);
  if (have)
    return p->insts.p[*have];
  struct binding b = {.n = 0};
  bool several = false;
  const struct mir_item *item = closure->path ? find_closure(p, closure, &b, &several) : NULL;
  if (several) {
    prep_error(p, from, MD0175, at, "closure `%.*s` fits several bodies",
               STR_ARG(rty_label(p->types, closure)));
    return NULL;
  }
  struct answer *a = item ? NULL : want_closure(p, closure, at);
  /* Both questions go together: runs are few. */
  *pending = a && !a->ok && (want_deep(p, from, at) || !a->reason.n);
  if (*pending)
    return NULL;
  if (!item && !a->ok) {
    if (closure->path && unreadable(p, from, closure->path, at))
      return NULL;
    struct diag *d = prep_error(p, from, MD0174, at, "the body of closure `%.*s` is not in the dump",
                                STR_ARG(rty_label(p->types, closure)));
    diag_help(d, "the closure stands in another crate's function that rustc did not flatten; call it "
                 "from a plain loop, or move the function into this crate");
    return NULL;
  }
  struct inst *i = new_inst(p, from, key, INST_CLOSURE, rty_label(p->types, closure->path), at, &fresh);
  i->dump = a ? a->dump : p->dumps.p[0];
  i->item = a ? a->item : item;
  i->subst = a ? a->subst : mono_keep(p, &b);
  i->env_ptr = a != NULL;
  i->shim_fn = a ? closure : NULL;
  return i;
}

struct inst *mono_closure_shim(struct prep *p, const struct inst *from, const struct rty *closure,
                               struct span at) {
  bool fresh;
  str key = arena_printf(p->arena, "s:%u", closure->id);
  str name = arena_printf(p->arena, "%.*s as fn", STR_ARG(rty_label(p->types, closure)));
  struct inst *i = new_inst(p, from, key, INST_SHIM, name, at, &fresh);
  i->shim_fn = closure;
  return i;
}

struct inst *mono_no_glue(struct prep *p, struct span at) {
  bool fresh;
  return new_inst(p, NULL, STR("n"), INST_SHIM, STR("core::ptr::drop_in_place<()>"), at, &fresh);
}

struct inst *mono_value_shim(struct prep *p, const struct inst *from, const struct rty *ty,
                             const struct dyn_slot *s, struct span at) {
  bool fresh;
  str key = arena_printf(p->arena, "v%c%u:%u", s->how, ty->id, s->args->id);
  str name = arena_printf(p->arena, "%.*s as dyn Fn", STR_ARG(rty_label(p->types, ty)));
  struct inst *i = new_inst(p, from, key, INST_SHIM, name, at, &fresh);
  if (fresh) {
    i->dump = p->dumps.p[0];
    i->item = value_shim_body(p, ty, s);
  }
  return i;
}

struct inst *mono_call_shim(struct prep *p, const struct inst *from, const struct rty *fndef,
                            struct span at) {
  bool fresh;
  str key = arena_printf(p->arena, "f%u", fndef->id);
  str name = arena_printf(p->arena, "%.*s as fn", STR_ARG(rty_label(p->types, fndef->path)));
  struct inst *i = new_inst(p, from, key, INST_SHIM, name, at, &fresh);
  if (fresh) {
    i->dump = p->dumps.p[0];
    i->item = call_shim_body(p, fndef);
    i->c_abi = fndef->sig->abi.n > 0;
  }
  return i;
}

struct inst *mono_thunk(struct prep *p, const struct inst *from, const struct rty *ty,
                        const struct rty *args, const struct rty *ret, struct span at) {
  bool fresh;
  str key = arena_printf(p->arena, "t%u", ty->id);
  str name = arena_printf(p->arena, "thunk of %.*s", STR_ARG(rty_label(p->types, ty)));
  struct inst *i = new_inst(p, from, key, INST_SHIM, name, at, &fresh);
  if (fresh) {
    char how = ty->kind == RTY_FNDEF || ty->lo == 0 ? 'r' : ty->lo == 1 ? 'm' : 'o';
    i->dump = p->dumps.p[0];
    i->item = thunk_body(p, ty, &(struct dyn_slot){.how = how, .args = args, .ret = ret});
    i->c_abi = true;
  }
  return i;
}

struct inst *mono_entry_shim(struct prep *p, const struct inst *body, str name, struct span at) {
  bool fresh;
  str key = arena_printf(p->arena, "e:%u", body->id);
  struct inst *i = new_inst(p, NULL, key, INST_SHIM, name, at, &fresh);
  i->wraps = body;
  return i;
}

/* ---- callees ---- */
static struct callee refused(void) {
  return (struct callee){.kind = CALLEE_REFUSED};
}

static bool is_fn_trait_call(const struct rty *path, char *how) {
  if (path->n_segs != 2 || path->segs[0].kind != SEG_QSELF || !path->segs[0].trait)
    return false;
  str m = path->segs[1].name;
  if (!is_fn_trait(path->segs[0].trait))
    return false;
  *how = str_eq(m, STR("call")) ? 'r' : str_eq(m, STR("call_mut")) ? 'm' : 'o';
  return str_eq(m, STR("call")) || str_eq(m, STR("call_mut")) || str_eq(m, STR("call_once"));
}

/* Parameters of `item` bound from the signature at the call, then from the source's list. */
static bool bind_item(struct prep *p, const struct mir_item *item, const struct rty *fndef,
                      struct binding *b) {
  const struct rty *sig = fndef->sig;
  const struct rty_seg *last = &fndef->path->segs[fndef->path->n_segs - 1];
  size_t n_generic = 0;
  for (uint32_t k = 0; k < last->n_args; k++)
    n_generic += last->args[k]->kind != RTY_LIFETIME;
  bool listed = n_generic && generics_bind(p, item, last, b);
  if (sig->n_args != item->body.n_args)
    return false;
  for (uint32_t k = 0; k < sig->n_args; k++)
    if (!mono_unify(b, mir_local_ty(&item->body, k + 1), sig->args[k]))
      return false;
  if (!mono_unify(b, item->body.ret, sig->ret))
    return false;
  return listed || b->n >= n_generic;
}

static struct callee local_item(struct prep *p, const struct inst *from, const struct mir_item *item,
                                const struct rty *fndef, struct span at) {
  struct binding b = {.n = 0};
  if (!bind_item(p, item, fndef, &b)) {
    struct diag *d = prep_error(p, from, MD0175, at,
                                "the generic arguments of `%.*s` cannot be worked out",
                                STR_ARG(rty_label(p->types, fndef->path)));
    diag_help(d, "write `impl Trait` arguments as named parameters: `fn f<F: Fn(u32) -> u32>(f: F)`");
    return refused();
  }
  struct rty_subst s = mono_keep(p, &b);
  struct inst *i = mono_item(p, from, p->dumps.p[0], item, fndef->path, &s, at);
  if (fndef->sig->abi.n)
    i->c_abi = true;
  return (struct callee){.kind = CALLEE_FN, .inst = i};
}

/* How many names follow the impl block in an item's path, when a path at a call ends in the same
 * names; 0: it does not. */
static uint32_t names_behind_impl(const struct rty *item, const struct rty *path) {
  uint32_t n = 0;
  while (n < item->n_segs && item->segs[item->n_segs - 1 - n].kind == SEG_NAME)
    n++;
  if (n == 0 || n >= item->n_segs || n >= path->n_segs ||
      item->segs[item->n_segs - 1 - n].kind != SEG_IMPL_AT)
    return 0;
  if (path->segs[0].kind == SEG_QSELF && path->n_segs != n + 1)
    return 0;
  for (uint32_t i = 1; i <= n; i++)
    if (!str_eq(item->segs[item->n_segs - i].name, path->segs[path->n_segs - i].name))
      return 0;
  return n;
}

/* May the item in an impl block be what `path` names? Compares the header of the block. */
static bool impl_fits(struct prep *p, const struct mir_item *item, const struct rty *path) {
  struct mir_item method = {.path = item->path};
  uint32_t n = names_behind_impl(item->path, path);
  for (uint32_t i = 1; i < n; i++) { /* a function inside of a method's body */
    method.path = rty_path_parent(p->types, method.path);
    path = rty_path_parent(p->types, path);
  }
  return n > 0 && generics_impl_fits(p, &method, path);
}

/* Methods print as `<impl at FILE:…>::name`: tries each of that name whose header fits. */
static const struct mir_item *find_impl(struct prep *p, const struct rty *fndef, bool *ambiguous) {
  const struct mir_file *f = &p->dumps.p[0]->file;
  const struct mir_item *found = NULL;
  for (const struct mir_item *it = mir_method_first(f, rty_last_name(fndef->path)); it;
       it = mir_part_next(f, it)) {
    struct binding b = {.n = 0};
    if (!impl_fits(p, it, fndef->path) || !bind_item(p, it, fndef, &b))
      continue;
    *ambiguous = found != NULL;
    found = it;
    if (*ambiguous)
      return NULL;
  }
  return found;
}

/* A method that the trait itself gives, or a function inside of its body. */
static const struct mir_item *trait_default(struct prep *p, const struct rty *path) {
  if (path->segs[0].kind != SEG_QSELF || !path->segs[0].trait)
    return NULL;
  str name = rty_path_bare(p->types, path->segs[0].trait)->name;
  for (uint32_t i = 1; i < path->n_segs; i++)
    name = arena_printf(p->arena, "%.*s::%.*s", STR_ARG(name), STR_ARG(path->segs[i].name));
  return mir_item_find(&p->dumps.p[0]->file, name);
}

static struct callee by_answer(struct prep *p, const struct inst *from, const struct rty *fndef,
                               struct answer *a, struct span at) {
  return (struct callee){.kind = CALLEE_FN,
                         .inst = mono_item(p, from, a->dump, a->item, fndef->path, &a->subst, at)};
}

/* What core declares for the host's processor: only its library could call these by name. */
static bool is_host_instruction(const struct rty *path) {
  return str_starts(path->name, STR("core::core_arch::")) ||
         str_starts(path->name, STR("std::core_arch::"));
}

/* Hints of core that do nothing but tell the processor something (`spin_loop`), or the optimiser, in
 * traits that cannot be named. */
static bool is_hint(const struct rty *path) {
  if (is_host_instruction(path) && str_eq(rty_last_name(path), STR("pause")))
    return true;
  return path->n_segs == 2 && path->segs[0].kind == SEG_QSELF && path->segs[0].trait &&
         rty_path_is(path->segs[0].trait, "core::iter::adapters::filter::SpecAssumeCount") &&
         str_eq(path->segs[1].name, STR("assume_count_le_upper_bound"));
}

static struct callee no_body(struct prep *p, const struct inst *from, const struct rty *fndef,
                             const struct answer *a, struct span at) {
  if (want_deep(p, from, at))
    return (struct callee){.kind = CALLEE_PENDING};
  str label = rty_label(p->types, fndef->path);
  struct advice advice = advice_for(fndef->path->name);
  struct diag *d = advice.what ? prep_error(p, from, advice.code, at, "`%.*s` %s", STR_ARG(label),
                                            advice.what)
                               : prep_error(p, from, advice.code, at,
                                            "rustc does not print a body of `%.*s`", STR_ARG(label));
  if (!advice.what && a && a->reason.n)
    diag_note(d, "rustc says: %.*s", STR_ARG(a->reason));
  diag_help(d, "%s", advice.help);
  return refused();
}

/* Was the body printed in a form that is not known? A method's item is named after its impl's
 * place, so that only the last part of the name can be compared. */
static bool unreadable(struct prep *p, const struct inst *from, const struct rty *path,
                       struct span at) {
  const struct mir_file *file = &p->dumps.p[0]->file;
  bool method = path->segs[0].kind == SEG_QSELF;
  str last = rty_last_name(path);
  for (size_t i = 0; i < file->n_broken; i++) {
    str item = file->broken[i].item;
    bool same = method ? str_starts(item, STR("<impl at ")) && str_ends(item, last)
                       : str_eq(item, path->name);
    struct diag *d = same && item.n ? mir_report_broken(file, item, MIR_NONE, p->sink) : NULL;
    if (!d)
      continue;
    diag_note_at(d, at, "`%.*s` is needed here", STR_ARG(rty_label(p->types, path)));
    for (const struct inst *in = from; in; in = in->from)
      if (!in->from)
        diag_note(d, "in kernel `%.*s`", STR_ARG(in->name));
    return true;
  }
  return false;
}

static struct callee host_instruction(struct prep *p, const struct inst *from,
                                      const struct rty *path, struct span at) {
  struct diag *d = prep_error(p, from, MD0187, at, "`%.*s` is an instruction of the host's processor",
                              STR_ARG(rty_label(p->types, path)));
  diag_help(d, "write the operation in plain Rust, or with `mirdc::ptx!`");
  return refused();
}

/* A function of an extern block looks like one with a body, such as a method `extern "C" fn m`. */
static bool may_be_extern(const struct rty *fndef) {
  const struct rty *path = fndef->path;
  bool method = path->segs[0].kind == SEG_QSELF && path->n_segs == 2;
  return fndef->sig->abi.n && !str_eq(fndef->sig->abi, STR("rust-call")) && !method &&
         path->segs[path->n_segs - 1].n_args == 0;
}

static struct callee find_body(struct prep *p, const struct inst *from, const struct rty *fndef,
                               struct span at) {
  const struct rty *path = fndef->path;
  if (is_host_instruction(path) && fndef->sig->abi.n)
    return host_instruction(p, from, path, at);
  bool method = path->segs[0].kind == SEG_QSELF, ambiguous = false;
  const struct mir_item *item = mir_item_of_path(&p->dumps.p[0]->file, rty_path_bare(p->types, path));
  if (item && item->kind == MI_FN && !method)
    return local_item(p, from, item, fndef, at);
  if (!item && !method && unreadable(p, from, path, at))
    return refused();
  if (may_be_extern(fndef)) {
    item = find_impl(p, fndef, &ambiguous);
    if (!item && !ambiguous)
      item = trait_default(p, path);
    if (!ambiguous)
      return item ? local_item(p, from, item, fndef, at) : (struct callee){.kind = CALLEE_EXTERN};
  }
  struct answer *a = want_call(p, fndef, at);
  if (a && a->ok)
    return by_answer(p, from, fndef, a, at);
  if (a && !a->reason.n)
    return (struct callee){.kind = CALLEE_PENDING};
  item = find_impl(p, fndef, &ambiguous);
  if (!item && !ambiguous)
    item = trait_default(p, path);
  if (item)
    return local_item(p, from, item, fndef, at);
  if (unreadable(p, from, path, at))
    return refused();
  return no_body(p, from, fndef, a, at);
}

static bool is_object_method(const struct rty *path) {
  return path->n_segs == 2 && path->segs[0].kind == SEG_QSELF && path->segs[0].trait &&
         path->segs[0].self->kind == RTY_DYN;
}

/* A method of the object's own trait always does. One of another trait may belong to an impl for
 * `dyn Trait` itself, or for all types: then rustc flattens it into a wrapper that is asked for,
 * which it never does to a call through a table. */
static bool goes_by_table(struct prep *p, const struct inst *from, const struct rty *fndef,
                          struct span at, struct callee *c) {
  const struct rty_seg *self = &fndef->path->segs[0];
  bool ambiguous = false;
  c->kind = CALLEE_DYN;
  if (dyn_same_trait(p, self->self, self->trait))
    return true;
  struct answer *a = want_call(p, fndef, at);
  if (!a || (!a->ok && !a->reason.n)) {
    c->kind = CALLEE_PENDING;
    return true;
  }
  if (a->ok) {
    *c = by_answer(p, from, fndef, a, at);
    return true;
  }
  const struct mir_item *item = find_impl(p, fndef, &ambiguous);
  return !item || mir_local_ty(&item->body, 1) != fndef->sig->args[0];
}

/* `<closure as Drop>::drop`: inlined glue of a closure's stand-in. */
static bool drops_closure(const struct rty *path) {
  return path->n_segs == 2 && path->segs[0].kind == SEG_QSELF && path->segs[0].trait &&
         path->segs[0].self->kind == RTY_CLOSURE &&
         rty_path_is(path->segs[0].trait, "core::ops::Drop");
}

struct callee mono_resolve(struct prep *p, const struct inst *from, const struct rty *fndef,
                           struct span at) {
  const struct rty *path = fndef->path;
  struct callee c = {.path = path, .fndef = fndef};
  if (str_starts(path->name, STR("core::intrinsics::")) ||
      str_starts(path->name, STR("std::intrinsics::"))) {
    c.kind = CALLEE_INTRINSIC;
    return c;
  }
  if (mono_is_panic(path)) {
    c.kind = CALLEE_PANIC;
    return c;
  }
  if (native_is(path)) {
    c.kind = CALLEE_NATIVE;
    return c;
  }
  if (is_hint(path)) {
    c.kind = CALLEE_NOTHING;
    return c;
  }
  /* 1.97 has moved the glue out of drop_in_place, which only calls it. */
  if (rty_path_is(path, "core::ptr::drop_in_place") || rty_path_is(path, "core::ptr::drop_glue")) {
    c.kind = CALLEE_DROP;
    return rty_path_args(path, &c.self, 1) == 1 ? c : refused();
  }
  if (drops_closure(path)) {
    c.kind = CALLEE_DROP;
    c.self = path->segs[0].self;
    return c;
  }
  if (is_fn_trait_call(path, &c.how)) {
    c.self = path->segs[0].self;
    c.kind = CALLEE_CLOSURE;
    return c;
  }
  if (is_object_method(path) && goes_by_table(p, from, fndef, at, &c))
    return c;
  c.intr = intrinsic_of_libm(path, &c.self, p->types);
  if (c.intr) {
    c.kind = CALLEE_MATH;
    return c;
  }
  struct callee r = find_body(p, from, fndef, at);
  r.path = path;
  r.fndef = fndef;
  return r;
}

bool mono_is_panic(const struct rty *path) {
  static const char *const names[] = {
      "core::option::unwrap_failed",  "core::option::expect_failed", "core::result::unwrap_failed",
      "core::cell::panic_already_borrowed", "core::cell::panic_already_mutably_borrowed",
      "core::slice::index::slice_index_fail", "core::str::slice_error_fail",
      "core::hint::unreachable_unchecked::precondition_check"};
  str n = path->name;
  if (str_starts(n, STR("core::panicking::")) || str_starts(n, STR("std::panicking::")) ||
      str_starts(n, STR("std::rt::panic")) || str_starts(n, STR("std::rt::begin_panic")))
    return true;
  for (size_t i = 0; i < COUNT_OF(names); i++)
    if (str_eqz(n, names[i]))
      return true;
  /* The rest of core's cold ends: `…_fail`, `…_failed`, `panic_…`, `…::do_panic`. */
  str last = rty_last_name(path);
  return (str_starts(n, STR("core::")) || str_starts(n, STR("std::")) ||
          str_starts(n, STR("alloc::"))) &&
         (str_ends(last, STR("_fail")) || str_ends(last, STR("_failed")) ||
          str_starts(last, STR("panic_")) || str_eq(last, STR("do_panic")));
}
