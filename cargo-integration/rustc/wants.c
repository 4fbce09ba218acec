/* What only rustc knows: noted during a round, asked together after it. */
#include <string.h>

#include "base/fatal.h"
#include "cargo-integration/rustc/mono.h"
#include "cargo-integration/rustc/own_bodies.h"

struct ty_info *prep_info(struct prep *p, const struct rty *ty) {
  while (p->infos.n <= ty->id)
    vec_push(p->arena, &p->infos, NULL);
  struct ty_info **slot = &p->infos.p[ty->id];
  if (!*slot) {
    *slot = arena_new(p->arena, struct ty_info);
    (*slot)->ty = ty;
  }
  return *slot;
}

bool want_is_extern(struct prep *p, const struct rty *path) {
  for (size_t i = 0; i < p->unit->externs.n; i++)
    if (str_eq(path->segs[0].name, p->unit->externs.p[i].name))
      return true;
  return false;
}

bool want_is_inner(struct prep *p, const struct rty *ty) {
  if (ty->kind != RTY_PATH || !p->dumps.n || ty->segs[0].kind != SEG_NAME || want_is_extern(p, ty))
    return false;
  for (const struct rty *up = rty_path_parent(p->types, rty_path_bare(p->types, ty)); up;
       up = up->n_segs > 1 ? rty_path_parent(p->types, up) : NULL) {
    const struct mir_item *it = mir_item_of_path(&p->dumps.p[0]->file, up);
    const struct rty *ret = it && it->kind == MI_FN ? it->body.ret : NULL;
    bool constructs = ret && ret->kind == RTY_PATH && rty_path_bare(p->types, ret) == up;
    if (ret && !constructs)
      return true;
  }
  return false;
}

static bool any_inner(struct prep *p, const struct rty *const *list, uint32_t n);

static bool holds_inner(struct prep *p, const struct rty *t) {
  if (!t)
    return false;
  if (want_is_inner(p, t) || holds_inner(p, t->elem) || holds_inner(p, t->ret) ||
      any_inner(p, t->args, t->n_args))
    return true;
  for (uint32_t i = 0; i < t->n_segs; i++) {
    const struct rty_seg *s = &t->segs[i];
    if (holds_inner(p, s->self) || holds_inner(p, s->trait) || any_inner(p, s->args, s->n_args))
      return true;
  }
  return false;
}

static bool any_inner(struct prep *p, const struct rty *const *list, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (holds_inner(p, list[i]))
      return true;
  return false;
}

str want_source(struct prep *p, const struct rty *ty, enum rty_print how) {
  if (holds_inner(p, ty))
    return STR_NULL;
  struct strbuf b = {0};
  str s = STR_NULL;
  if (rty_print(ty, how, &b))
    s = arena_str(p->arena, sb_str(&b));
  sb_free(&b);
  return s;
}

struct want *want_add(struct prep *p, enum probe_kind kind, struct span at) {
  struct want *w = vec_add(p->arena, &p->wants);
  w->row.kind = kind;
  w->from = p->at;
  w->span = at;
  return w;
}

static const str no_name = {"it cannot be named in source text", 33};

void want_layout(struct prep *p, struct ty_info *i, struct span at) {
  if (i->layout_asked)
    return;
  i->layout_asked = true;
  str text = want_source(p, i->ty, RTY_PRINT_SOURCE);
  if (!text.n) {
    i->layout_reason = no_name;
    return;
  }
  struct want *w = want_add(p, PROBE_LAYOUT, at);
  w->row.type = text;
  w->info = i;
}

void want_layout_alike(struct prep *p, struct ty_info *i, struct span at) {
  struct stand_ins s = {.p = p, .typed = true};
  if (i->layout_asked)
    return;
  i->layout_asked = true;
  stand_ins_find(&s, i->ty);
  str text = s.bad || !s.n ? STR_NULL : stand_ins_source(&s, i->ty, RTY_PRINT_SOURCE);
  if (text.n) {
    struct want *w = want_add(p, PROBE_LAYOUT, at);
    w->row.type = text;
    w->row.items = arena_str(p->arena, sb_str(&s.items));
    w->info = i;
    i->computed = true;
  } else {
    i->layout_reason = no_name;
  }
  sb_free(&s.items);
}

void want_names(struct prep *p, struct ty_info *i, struct span at) {
  if (i->names_asked)
    return;
  i->names_asked = true;
  str text = want_source(p, i->ty, RTY_PRINT_SOURCE);
  if (!text.n) {
    i->names_failed = true;
    return;
  }
  struct want *w = want_add(p, PROBE_NAMES, at);
  w->row.type = text;
  w->info = i;
}

/* `core::mem::forget::<T>` inlined prints its argument with T worked out. */
void want_alias(struct prep *p, struct ty_info *i, struct span at) {
  if (i->alias_asked)
    return;
  i->alias_asked = true;
  str text = want_source(p, i->ty, RTY_PRINT_SOURCE);
  if (!text.n) {
    i->alias_reason = no_name;
    return;
  }
  struct want *w = want_add(p, PROBE_CALL, at);
  str *args = arena_array(p->arena, str, 1);
  args[0] = text;
  w->row.path = arena_printf(p->arena, "core::mem::forget::<%.*s>", STR_ARG(text));
  w->row.args = args;
  w->row.n_args = 1;
  w->info = i;
  w->alias = true;
}

static struct answer *answer_of(struct prep *p, str key) {
  bool fresh;
  uintptr_t *slot = map_put(&p->answers, key, &fresh);
  if (fresh)
    *slot = (uintptr_t)arena_new(p->arena, struct answer);
  return (struct answer *)*slot;
}

/* Modules of core whose functions return closures. */
static bool makes_closures(str text) {
  static const char *const modules[] = {"::num::int_sqrt::", "::slice::sort::", "::ops::index_range::",
                                        "::ops::try_trait::", "::iter_inner::", "::iter::adapters::",
                                        "::unicode_data::", "::str::validations::"};
  for (size_t i = 0; i < COUNT_OF(modules); i++)
    if (str_find(text, str_from(modules[i]), 0) != SIZE_MAX)
      return true;
  return false;
}

static bool call_row(struct stand_ins *s, const struct rty *fndef, struct probe_row *r) {
  const struct rty *sig = fndef->sig;
  stand_ins_find(s, fndef->path);
  for (uint32_t k = 0; k < sig->n_args; k++)
    stand_ins_find(s, sig->args[k]);
  stand_ins_find(s, sig->ret);
  r->path = s->bad ? STR_NULL : stand_ins_source(s, fndef->path, RTY_PRINT_SOURCE_VALUE);
  const struct own_body *own = own_body_find(s->p, fndef->path);
  if (own) {
    r->path = str_from(own->name); /* its arguments tell the rest */
    r->own = str_from(own->text);
  }
  if (!r->path.n)
    return false;
  str *args = arena_array(s->p->arena, str, sig->n_args ? sig->n_args : 1);
  for (uint32_t k = 0; k < sig->n_args; k++) {
    args[k] = stand_ins_source(s, sig->args[k], RTY_PRINT_SOURCE);
    if (!args[k].n)
      return false;
  }
  r->args = args;
  r->n_args = sig->n_args;
  r->items = arena_str(s->p->arena, sb_str(&s->items));
  if (rty_is_unit(sig->ret))
    return true;
  r->type = stand_ins_source(s, sig->ret, RTY_PRINT_SOURCE);
  return r->type.n > 0;
}

/* The signature of a plain function by the instance's own types. */
static bool deep_row(struct prep *p, const struct inst *in, struct probe_row *r) {
  const struct mir_item *it = in->source ? in->source : in->item;
  const struct mir_body *b = &it->body;
  r->path = want_source(p, in->path, RTY_PRINT_SOURCE_VALUE);
  str *args = arena_array(p->arena, str, b->n_args + 1);
  for (uint32_t k = 0; k < b->n_args; k++) {
    args[k] = want_source(p, mono_type(p, in, mir_local_ty(b, k + 1), SPAN_NONE), RTY_PRINT_SOURCE);
    if (!args[k].n)
      return false;
  }
  r->args = args;
  r->n_args = b->n_args;
  const struct rty *ret = mono_type(p, in, mir_local_ty(b, 0), SPAN_NONE);
  if (!rty_is_unit(ret)) {
    r->type = want_source(p, ret, RTY_PRINT_SOURCE);
    if (!r->type.n)
      return false;
  }
  return r->path.n > 0;
}

#define DEEP_LEVELS 4

static bool ask_deep(struct prep *p, const struct inst *in, struct answer *a, struct span at) {
  struct probe_row row = {.kind = PROBE_CALL};
  a->asked = true;
  if (!deep_row(p, in, &row)) {
    a->reason = no_name;
    return false;
  }
  for (unsigned level = 0; level < DEEP_LEVELS; level++) {
    struct want *w = want_add(p, PROBE_CALL, at);
    w->row = row;
    w->row.chained = level > 0;
    w->answer = level + 1 == DEEP_LEVELS ? a : arena_new(p->arena, struct answer);
    w->answer->path = in->path;
  }
  return true;
}

static str deep_key(struct prep *p, const struct rty *path) {
  return arena_printf(p->arena, "d%u", path->id);
}

struct answer *deep_answer(struct prep *p, const struct rty *path) {
  uintptr_t *slot = map_get(&p->answers, deep_key(p, path));
  struct answer *a = slot ? (struct answer *)*slot : NULL;
  return a && a->ok ? a : NULL;
}

bool want_deep(struct prep *p, const struct inst *in, struct span at) {
  for (; in; in = in->from) {
    if (!in->path || !in->item)
      continue;
    struct answer *a = answer_of(p, deep_key(p, in->path));
    if (!a->asked && ask_deep(p, in, a, at))
      return true;
    if (a->asked && !a->ok && !a->reason.n)
      return true; /* on its way */
  }
  return false;
}

/* `<Option<Option<T>> as PartialEq>::eq`: rustc inlines no function into itself, so the body will call
 * the same method of the type inside, and so on. Asked together they cost one run, not one each. */
static void ask_inner(struct prep *p, const struct rty *fndef, struct span at) {
  const struct rty_seg *s = &fndef->path->segs[0];
  const struct rty *args[8];
  if (s->kind != SEG_QSELF || !s->trait || s->self->kind != RTY_PATH)
    return;
  size_t n = rty_path_args(s->self, args, 8);
  for (size_t i = 0; i < n && i < 8; i++) {
    if (args[i]->kind != RTY_PATH ||
        rty_path_bare(p->types, args[i]) != rty_path_bare(p->types, s->self))
      continue;
    struct rty_subst inner = {.from = &s->self, .to = &args[i], .n = 1};
    (void)want_call(p, rty_substitute(p->types, fndef, &inner), at);
  }
}

/* A question with stand-ins, unless something in it has no name. */
static void ask_row(struct stand_ins *s, const struct probe_row *row, bool named, struct answer *a,
                    struct span at) {
  sb_free(&s->items);
  if (!named) {
    a->reason = no_name;
    return;
  }
  struct want *w = want_add(s->p, PROBE_CALL, at);
  w->row = *row;
  w->answer = a;
  a->subst = stand_ins_back(s);
}

/* `<T as Drop>::drop`, which only glue may call. */
static bool is_destructor(const struct rty *path) {
  return path->segs[0].kind == SEG_QSELF && path->segs[0].trait && rty_path_is(path->segs[0].trait, "core::ops::Drop");
}

struct answer *want_call(struct prep *p, const struct rty *fndef, struct span at) {
  struct answer *a = answer_of(p, arena_printf(p->arena, "f%u", fndef->path->id));
  if (a->asked)
    return a;
  a->asked = true;
  struct probe_row row = {.kind = PROBE_CALL};
  struct stand_ins s = {.p = p, .typed = true};
  bool ok = !str_eq(fndef->sig->abi, STR("rust-call")) && !is_destructor(fndef->path) && call_row(&s, fndef, &row);
  ask_row(&s, &row, ok, a, at);
  a->path = fndef->path;
  if (ok)
    ask_inner(p, fndef, at);
  return a;
}

/* The parameters of a function that returns a closure are what the closure captures, in the order of the
 * last generic arguments: those of `impl Trait` parameters. Empty: it is not of this kind. */
static str maker_of(struct stand_ins *s, const struct rty *closure) {
  const struct rty *maker = rty_path_parent(s->p->types, closure->path);
  if (!maker || maker->segs[0].kind != SEG_NAME || !makes_closures(maker->name))
    return STR_NULL;
  const struct rty_seg *last = &maker->segs[maker->n_segs - 1];
  struct strbuf b = {0};
  str name = want_source(s->p, rty_path_bare(s->p->types, maker), RTY_PRINT_SOURCE_VALUE);
  bool ok = name.n > 0 && closure->n_args <= last->n_args;
  sb_addf(&b, "(*__as(|| %.*s(", STR_ARG(name));
  for (uint32_t k = 0; ok && k < closure->n_args; k++) {
    const struct rty *want = last->args[last->n_args - closure->n_args + k], *have = NULL;
    for (uint32_t i = 0; i < closure->n_args && !have; i++) {
      const struct rty *c = closure->args[i];
      have = c == want || (c->kind == RTY_REF && c->elem == want) ? c : NULL;
    }
    str text = have ? stand_ins_source(s, have, RTY_PRINT_SOURCE) : STR("");
    ok = text.n > 0;
    sb_addz(&b, k ? ", __v::<" : "__v::<");
    sb_add(&b, text);
    sb_addz(&b, ">()");
  }
  sb_addz(&b, "), c))");
  str out = ok ? arena_str(s->p->arena, sb_str(&b)) : STR_NULL;
  sb_free(&b);
  return out;
}

/* A closure of our own, around what the other captures: one thing lies at its beginning, two references lie
 * as in a tuple. */
static str own_closure(struct stand_ins *s, const struct own_body *own, const struct rty *closure) {
  str what[2] = {STR_NULL, STR_NULL};
  uint32_t n = closure->n_args;
  if (n == 0)
    return str_from(own->name);
  for (uint32_t k = 0; k < n && n <= 2; k++)
    if (n == 1 || closure->args[k]->kind == RTY_REF)
      what[k] = stand_ins_source(s, closure->args[k], RTY_PRINT_SOURCE);
  if (n == 1 && what[0].n)
    return arena_printf(s->p->arena, "%s(&mut *(c as *mut %.*s))", own->name, STR_ARG(what[0]));
  if (n != 2 || !what[0].n || !what[1].n)
    return STR_NULL;
  str both = arena_printf(s->p->arena, "(*(c as *mut (%.*s, %.*s)))", STR_ARG(what[0]), STR_ARG(what[1]));
  return arena_printf(s->p->arena, "%s(&mut %.*s.0, &mut %.*s.1)", own->name, STR_ARG(both), STR_ARG(both));
}

static bool closure_row(struct stand_ins *s, const struct rty *closure, struct probe_row *r) {
  const struct own_body *own = own_body_find(s->p, closure->path);
  const struct rty *sig = closure->sig;
  if (!sig || sig->n_args != 1 || sig->args[0]->kind != RTY_TUPLE || closure->lo > 1)
    return false;
  const struct rty *list = sig->args[0];
  for (uint32_t k = 0; k < closure->n_args; k++)
    stand_ins_find(s, closure->args[k]);
  stand_ins_find(s, list);
  stand_ins_find(s, sig->ret);
  if (s->bad)
    return false;
  r->path = own ? own_closure(s, own, closure) : maker_of(s, closure);
  r->own = own ? str_from(own->text) : STR_NULL;
  r->type = stand_ins_source(s, sig->ret, RTY_PRINT_SOURCE);
  r->env = true;
  r->n_args = list->n_args;
  str *args = arena_array(s->p->arena, str, list->n_args + 1);
  for (uint32_t k = 0; k < list->n_args; k++) {
    args[k] = stand_ins_source(s, list->args[k], RTY_PRINT_SOURCE);
    if (!args[k].n)
      return false;
  }
  r->args = args;
  r->items = arena_str(s->p->arena, sb_str(&s->items));
  return r->path.n > 0 && r->type.n > 0;
}

struct answer *want_closure(struct prep *p, const struct rty *closure, struct span at) {
  struct answer *a = answer_of(p, arena_printf(p->arena, "k%u", closure->id));
  if (a->asked)
    return a;
  a->asked = true;
  struct probe_row row = {.kind = PROBE_CALL};
  struct stand_ins s = {.p = p, .typed = true};
  bool ok = closure->path && closure_row(&s, closure, &row);
  ask_row(&s, &row, ok, a, at);
  a->path = closure->path;
  return a;
}

/* A body that takes the address of the function says its type. */
struct answer *want_fn(struct prep *p, const struct rty *path, struct span at) {
  struct answer *a = answer_of(p, arena_printf(p->arena, "a%u", path->id));
  if (a->asked)
    return a;
  a->asked = true;
  str text = want_source(p, path, RTY_PRINT_SOURCE_VALUE);
  if (!text.n) {
    a->reason = no_name;
    return a;
  }
  struct want *w = want_add(p, PROBE_CALL, at);
  w->row.path = arena_printf(p->arena, "(|| %.*s as usize)", STR_ARG(text));
  w->row.type = STR("usize");
  w->answer = a;
  a->path = path;
  return a;
}

const struct rty *answer_fndef(const struct answer *a) {
  for (uint32_t i = 0; a->ok && i < a->item->body.n_blocks; i++) {
    const struct mir_block *b = &a->item->body.blocks[i];
    for (uint32_t k = 0; k < b->n_stmts; k++) {
      const struct mir_rvalue *rv = b->stmts[k].kind == ST_ASSIGN ? b->stmts[k].rv : NULL;
      if (rv && rv->kind == RV_CAST && rv->a.kind == OP_CONST && rv->a.k->ty &&
          rv->a.k->ty->kind == RTY_FNDEF)
        return rv->a.k->ty;
    }
  }
  return NULL;
}

/* `<T as Tr>::C` looks like a type until it is known to be a constant. */
static void forget_alias(struct prep *p, const struct rty *path) {
  size_t n = 0;
  for (size_t k = 0; k < p->wants.n; k++)
    if (!p->wants.p[k].alias || p->wants.p[k].info->ty != path)
      p->wants.p[n++] = p->wants.p[k];
  p->wants.n = n;
}

struct answer *want_const(struct prep *p, const struct rty *path, const struct rty *ty,
                          struct span at) {
  forget_alias(p, path);
  struct answer *a = answer_of(p, arena_printf(p->arena, "c%u", path->id));
  if (a->asked)
    return a;
  a->asked = true;
  str text = want_source(p, path, RTY_PRINT_SOURCE_VALUE), type = want_source(p, ty, RTY_PRINT_SOURCE);
  if (!text.n || !type.n) {
    a->reason = no_name;
    return a;
  }
  struct want *w = want_add(p, PROBE_CONST, at);
  w->row.path = text;
  w->row.type = type;
  w->answer = a;
  return a;
}

void want_discr(struct prep *p, struct ty_info *i, struct span at) {
  if (i->discr)
    return;
  i->discr = arena_new(p->arena, struct answer);
  i->discr->asked = true;
  str text = want_source(p, i->ty, RTY_PRINT_SOURCE);
  if (!text.n) {
    i->discr->reason = no_name;
    return;
  }
  struct want *w = want_add(p, PROBE_CONST, at);
  w->row.path = arena_printf(p->arena,
                             "core::intrinsics::discriminant_value(unsafe { "
                             "&*core::ptr::NonNull::<%.*s>::dangling().as_ptr() }) as i128",
                             STR_ARG(text));
  w->row.type = STR("i128");
  w->answer = i->discr;
}

/* ---- answers ---- */
/* A wrapper that at once calls what it wraps, or another wrapper: rustc did not flatten the callee. */
static bool only_forwards(struct prep *p, const struct mir_file *file, const struct mir_item *item,
                          const struct answer *a) {
  const struct mir_block *b = mir_block_at(&item->body, 0);
  const struct rty *fd = b && b->term.kind == TM_CALL && b->term.op.kind == OP_CONST ? b->term.op.k->ty : NULL;
  if (!fd || fd->kind != RTY_FNDEF)
    return false;
  if (mir_item_of_path(file, fd->path))
    return true;
  return rty_substitute(p->types, fd->path, &a->subst) == a->path ||
         str_starts(fd->path->name, STR("__mirdc_probe::__own_"));
}

static str reason_of(const struct probe_row *r) {
  return r->reason.n ? r->reason : STR("no answer");
}

static void take_answer(struct prep *p, struct want *w, struct prep_dump *d) {
  const struct mir_item *item = w->row.ok && d ? mir_item_find(&d->file, w->row.fn_name) : NULL;
  if (w->alias) {
    if (item && item->body.n_args == 1)
      w->info->alias = mir_local_ty(&item->body, 1);
    else
      w->info->alias_reason = reason_of(&w->row);
    return;
  }
  struct answer *a = w->answer;
  if (!item) {
    a->reason = reason_of(&w->row);
  } else if (w->row.kind == PROBE_CALL && only_forwards(p, &d->file, item, a)) {
    a->reason = STR("its MIR inliner keeps the call");
  } else {
    a->ok = true;
    a->dump = d;
    a->item = item;
  }
}

static void take_one(struct prep *p, struct want *w, struct prep_dump *d) {
  struct ty_info *i = w->info;
  switch (w->row.kind) {
  case PROBE_LAYOUT:
    if (w->row.ok)
      i->layout = w->row.layout;
    else
      i->layout_reason = reason_of(&w->row);
    return;
  case PROBE_NAMES:
    i->di = w->row.ok ? w->row.names : NULL;
    i->names_failed = i->di == NULL;
    return;
  case PROBE_DROP: case PROBE_PART:
    want_take_drop(p, w, d);
    return;
  case PROBE_CALL: case PROBE_CONST:
    take_answer(p, w, d);
    return;
  }
}

static bool read_answers(struct prep *p, str mir, struct prep_dump **d) {
  if (!mir.n)
    return true;
  *d = prep_read_dump(p, mir, STR("probe.mir"));
  if (!*d)
    return false;
  (*d)->is_probe = true;
  vec_push(p->arena, &p->dumps, *d);
  return true;
}

bool wants_ask(struct prep *p) {
  size_t n = p->wants.n;
  struct want *now = arena_array(p->arena, struct want, n + 1);
  struct probe_row *rows = arena_array(p->arena, struct probe_row, n + 1);
  struct probe_answers answers = {.mir = STR_NULL};
  struct prep_dump *d = NULL;
  for (size_t k = 0; k < n; k++) {
    now[k] = p->wants.p[k];
    rows[k] = now[k].row;
  }
  p->wants.n = 0;
  if (!probe_run(p->runs, p->bodies, rows, n, &answers) || !read_answers(p, answers.mir, &d))
    return false;
  for (size_t k = 0; k < n; k++) {
    now[k].row = rows[k];
    if (rows[k].unasked)
      vec_push(p->arena, &p->lacking, now[k]);
    take_one(p, &now[k], d);
  }
  return true;
}
