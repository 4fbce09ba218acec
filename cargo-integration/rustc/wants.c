/* What only rustc knows: noted during a round, asked together after it. */
#include <string.h>

#include "base/fatal.h"
#include "cargo-integration/rustc/mono.h"

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

/* As rustc reads it; empty when it has no name in source. */
static str source_text(struct prep *p, const struct rty *ty, enum rty_print how) {
  struct strbuf b = {0};
  str s = STR_NULL;
  if (rty_print(ty, how, &b))
    s = arena_str(p->arena, sb_str(&b));
  sb_free(&b);
  return s;
}

static struct want *add_want(struct prep *p, enum probe_kind kind, struct span at) {
  struct want *w = vec_add(p->arena, &p->wants);
  w->row.kind = kind;
  w->span = at;
  return w;
}

static const str no_name = {"it cannot be named in source text", 33};

void want_layout(struct prep *p, struct ty_info *i, struct span at) {
  if (i->layout_asked)
    return;
  i->layout_asked = true;
  str text = source_text(p, i->ty, RTY_PRINT_SOURCE);
  if (!text.n) {
    i->layout_reason = no_name;
    return;
  }
  struct want *w = add_want(p, PROBE_LAYOUT, at);
  w->row.type = text;
  w->info = i;
}

void want_names(struct prep *p, struct ty_info *i, struct span at) {
  if (i->names_asked)
    return;
  i->names_asked = true;
  str text = source_text(p, i->ty, RTY_PRINT_SOURCE);
  if (!text.n) {
    i->names_failed = true;
    return;
  }
  struct want *w = add_want(p, PROBE_NAMES, at);
  w->row.type = text;
  w->info = i;
}

/* Drop glue that run A dumped, by the type it drops. */
static bool dumped_glue(struct prep *p, struct ty_info *i) {
  for (size_t d = 0; d < p->glue.n; d++) {
    const struct mir_file *f = &p->glue.p[d]->file;
    for (size_t k = 0; k < f->n_items; k++) {
      const struct mir_item *it = &f->items[k];
      const struct rty *arg = it->body.n_args == 1 ? mir_local_ty(&it->body, 1) : NULL;
      if (it->kind != MI_FN || !arg || arg->kind != RTY_PTR || arg->elem != i->ty)
        continue;
      i->glue_dump = p->glue.p[d];
      i->glue = it;
      i->drop = DROP_GLUE;
      return true;
    }
  }
  return false;
}

void want_drop(struct prep *p, struct ty_info *i, struct span at) {
  if (i->drop != DROP_UNASKED)
    return;
  str text = source_text(p, i->ty, RTY_PRINT_SOURCE);
  if (!text.n) {
    if (dumped_glue(p, i))
      return;
    i->drop = DROP_REFUSED;
    i->drop_reason = no_name;
    return;
  }
  i->drop = DROP_ASKED;
  struct want *w = add_want(p, PROBE_DROP, at);
  w->row.type = text;
  w->info = i;
}

/* `core::mem::forget::<T>` inlined prints its argument with T worked out. */
void want_alias(struct prep *p, struct ty_info *i, struct span at) {
  if (i->alias_asked)
    return;
  i->alias_asked = true;
  str text = source_text(p, i->ty, RTY_PRINT_SOURCE);
  if (!text.n) {
    i->alias_reason = no_name;
    return;
  }
  struct want *w = add_want(p, PROBE_CALL, at);
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

static bool call_row(struct prep *p, const struct rty *fndef, struct probe_row *r) {
  const struct rty *sig = fndef->sig;
  r->path = source_text(p, fndef->path, RTY_PRINT_SOURCE_VALUE);
  if (!r->path.n)
    return false;
  str *args = arena_array(p->arena, str, sig->n_args ? sig->n_args : 1);
  for (uint32_t k = 0; k < sig->n_args; k++) {
    args[k] = source_text(p, sig->args[k], RTY_PRINT_SOURCE);
    if (!args[k].n)
      return false;
  }
  r->args = args;
  r->n_args = sig->n_args;
  if (rty_is_unit(sig->ret))
    return true;
  r->type = source_text(p, sig->ret, RTY_PRINT_SOURCE);
  return r->type.n > 0;
}

/* The signature of a plain function by the instance's own types. */
static bool deep_row(struct prep *p, const struct inst *in, struct probe_row *r) {
  const struct mir_item *it = in->source ? in->source : in->item;
  const struct mir_body *b = &it->body;
  r->path = source_text(p, in->path, RTY_PRINT_SOURCE_VALUE);
  str *args = arena_array(p->arena, str, b->n_args + 1);
  for (uint32_t k = 0; k < b->n_args; k++) {
    args[k] = source_text(p, mono_type(p, in, mir_local_ty(b, k + 1), SPAN_NONE), RTY_PRINT_SOURCE);
    if (!args[k].n)
      return false;
  }
  r->args = args;
  r->n_args = b->n_args;
  const struct rty *ret = mono_type(p, in, mir_local_ty(b, 0), SPAN_NONE);
  if (!rty_is_unit(ret)) {
    r->type = source_text(p, ret, RTY_PRINT_SOURCE);
    if (!r->type.n)
      return false;
  }
  return r->path.n > 0;
}

#define DEEP_LEVELS 3

static bool ask_deep(struct prep *p, const struct inst *in, struct answer *a, struct span at) {
  struct probe_row row = {.kind = PROBE_CALL};
  a->asked = true;
  if (!deep_row(p, in, &row)) {
    a->reason = no_name;
    return false;
  }
  for (unsigned level = 0; level < DEEP_LEVELS; level++) {
    struct want *w = add_want(p, PROBE_CALL, at);
    w->row = row;
    w->chained = level > 0;
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

struct answer *want_call(struct prep *p, const struct rty *fndef, struct span at) {
  struct answer *a = answer_of(p, arena_printf(p->arena, "f%u", fndef->path->id));
  if (a->asked)
    return a;
  a->asked = true;
  struct probe_row row = {.kind = PROBE_CALL};
  if (str_eq(fndef->sig->abi, STR("rust-call")) || !call_row(p, fndef, &row)) {
    a->reason = no_name;
    return a;
  }
  struct want *w = add_want(p, PROBE_CALL, at);
  w->row = row;
  w->answer = a;
  a->path = fndef->path;
  return a;
}

struct answer *want_const(struct prep *p, const struct rty *path, const struct rty *ty,
                          struct span at) {
  struct answer *a = answer_of(p, arena_printf(p->arena, "c%u", path->id));
  if (a->asked)
    return a;
  a->asked = true;
  str text = source_text(p, path, RTY_PRINT_SOURCE_VALUE), type = source_text(p, ty, RTY_PRINT_SOURCE);
  if (!text.n || !type.n) {
    a->reason = no_name;
    return a;
  }
  struct want *w = add_want(p, PROBE_CONST, at);
  w->row.path = text;
  w->row.type = type;
  w->answer = a;
  return a;
}

/* ---- answers ---- */
static bool is_trivial(const struct mir_body *b) {
  for (uint32_t bb = 0, guard = 0; guard < b->n_blocks; guard++) {
    const struct mir_block *blk = mir_block_at(b, bb);
    if (!blk)
      return false;
    for (uint32_t i = 0; i < blk->n_stmts; i++) {
      enum mir_stmt_kind k = blk->stmts[i].kind;
      if (k != ST_LIVE && k != ST_DEAD && k != ST_NOP && k != ST_ASSIGN)
        return false;
      if (k == ST_ASSIGN && blk->stmts[i].place.n_proj)
        return false; /* writes through something */
    }
    if (blk->term.kind == TM_RETURN)
      return true;
    if (blk->term.kind != TM_GOTO)
      return false;
    bb = blk->term.target;
  }
  return false;
}

/* A wrapper whose body is only the call again: rustc did not flatten the callee. */
static bool only_forwards(const struct mir_item *item, const struct rty *path) {
  const struct mir_block *b = mir_block_at(&item->body, 0);
  if (!b || b->term.kind != TM_CALL || b->term.op.kind != OP_CONST || !b->term.op.k->ty ||
      b->term.op.k->ty->kind != RTY_FNDEF || b->term.op.k->ty->path != path)
    return false;
  for (uint32_t i = 0; i < b->n_stmts; i++)
    if (b->stmts[i].kind == ST_ASSIGN && b->stmts[i].rv->kind != RV_USE &&
        b->stmts[i].rv->kind != RV_REF)
      return false;
  return true;
}

static str reason_of(const struct probe_row *r) {
  return r->reason.n ? r->reason : STR("no answer");
}

static void take_drop(struct prep *p, struct want *w, struct prep_dump *d) {
  struct ty_info *i = w->info;
  if (w->row.ok && w->row.no_drop) {
    i->drop = DROP_NONE;
    return;
  }
  i->glue = w->row.ok && d ? mir_item_find(&d->file, w->row.fn_name) : NULL;
  if (!i->glue && dumped_glue(p, i))
    return;
  if (!i->glue) {
    i->drop = DROP_REFUSED;
    i->drop_reason = reason_of(&w->row);
    return;
  }
  i->glue_dump = d;
  i->drop = is_trivial(&i->glue->body) ? DROP_NONE : DROP_GLUE;
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
  } else if (w->row.kind == PROBE_CALL && only_forwards(item, a->path)) {
    a->reason = STR("its MIR inliner keeps the call");
  } else {
    a->ok = true;
    a->dump = d;
    a->item = item;
  }
  (void)p;
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
  case PROBE_DROP:
    take_drop(p, w, d);
    return;
  case PROBE_CALL: case PROBE_CONST:
    take_answer(p, w, d);
    return;
  }
}

bool wants_ask(struct prep *p) {
  size_t n = p->wants.n;
  struct probe_row *rows = arena_array(p->arena, struct probe_row, n);
  struct probe_answers answers = {.mir = STR_NULL};
  struct prep_dump *d = NULL;
  for (size_t k = 0; k < n; k++) {
    rows[k] = p->wants.p[k].row;
    if (p->wants.p[k].chained) /* wrappers are called by the number of their row */
      rows[k].path = arena_printf(p->arena, "__r%zu", k - 1);
  }
  if (!probe_run(p->runs, p->bodies, rows, n, &answers))
    return false;
  if (answers.mir.n) {
    d = prep_read_dump(p, answers.mir, STR("probe.mir"));
    if (!d)
      return false;
    d->is_probe = true;
    vec_push(p->arena, &p->dumps, d);
  }
  for (size_t k = 0; k < n; k++) {
    p->wants.p[k].row = rows[k];
    take_one(p, &p->wants.p[k], d);
  }
  p->wants.n = 0;
  return true;
}
