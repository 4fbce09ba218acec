/* Drop glue: where it comes from when a type cannot simply be named.
 *
 * The first answer of this list is taken:
 *   1. a wrapper in the probe module that drops a pointer in place; closures in the type's arguments,
 *      which have no name, are replaced by stand-ins of the same size that need drop just as they do;
 *   2. a wrapper that drops what a pattern of another type binds: a private type of core is reached as
 *      the field of a public one;
 *   3. the glue that the run for types dumped, whose calls and fields are resolved like any others. */
#include <string.h>

#include "cargo-integration/rustc/types.h"

#define MAX_FIELDS 8
#define MODULE "__mirdc_probe::"

static const str no_name = {"it cannot be named in source text", 33};

/* ---- stand-ins ---- */
str stand_ins_source(struct stand_ins *s, const struct rty *ty, enum rty_print how) {
  struct rty_subst there = {.from = s->from, .to = s->to, .n = s->n};
  return want_source(s->p, rty_substitute(s->p->types, ty, &there), how);
}

/* Source for a part of a stand-in's signature, which may need stand-ins itself. */
static str source_of(struct stand_ins *s, const struct rty *ty) {
  bool bad = s->bad;
  stand_ins_find(s, ty);
  bool unknown = s->bad;
  s->bad = bad;
  if (unknown || s->waits)
    return STR_NULL;
  return stand_ins_source(s, ty, RTY_PRINT_SOURCE);
}

/* `'static` becomes a lifetime of its own each time, so that the stand-in can be called like a
 * closure over any lifetimes. */
static bool add_arg(struct stand_ins *s, const struct rty *ty, unsigned *lifetimes,
                    struct strbuf *out) {
  str text = source_of(s, ty);
  str name = STR("'static");
  size_t at = 0, hit;
  if (!text.n)
    return false;
  for (; (hit = str_find(text, name, at)) != SIZE_MAX; at = hit + name.n) {
    sb_add(out, str_sub(text, at, hit));
    sb_addf(out, "'a%u", (*lifetimes)++);
  }
  sb_add(out, str_drop(text, at));
  sb_addz(out, ", ");
  return true;
}

static void add_impl(struct stand_ins *s, str name, const char *trait, const char *method,
                     const char *self, str lifetimes, str args, str ret) {
  bool once = strcmp(trait, "FnOnce") == 0;
  sb_addf(&s->items, "impl<%.*s> __core::ops::%s<(%.*s)> for %.*s { ", STR_ARG(lifetimes), trait,
          STR_ARG(args), STR_ARG(name));
  if (once)
    sb_addf(&s->items, "type Output = %.*s; ", STR_ARG(ret));
  sb_addf(&s->items, "#[inline(never)] extern \"rust-call\" fn %s(%s, _: (%.*s)) -> %.*s { loop {} } } ",
          method, self, STR_ARG(args), STR_ARG(ret));
}

/* Bounds of the type that holds the closure may ask for this. What cannot be said is left out. */
static void add_calls(struct stand_ins *s, const struct rty *fn, str name) {
  const struct rty *sig = fn->sig;
  if (!sig)
    return;
  bool closure = fn->kind == RTY_CLOSURE && sig->n_args == 1 && sig->args[0]->kind == RTY_TUPLE;
  const struct rty *list = closure ? sig->args[0] : sig;
  struct strbuf args = {0}, names = {0};
  unsigned lifetimes = 0;
  bool ok = true;
  for (uint32_t i = 0; i < list->n_args && ok; i++)
    ok = add_arg(s, list->args[i], &lifetimes, &args);
  str ret = source_of(s, sig->ret);
  if (lifetimes && str_find(ret, STR("'static"), 0) != SIZE_MAX)
    ok = false;
  for (unsigned i = 0; i < lifetimes; i++)
    sb_addf(&names, "'a%u, ", i);
  uint64_t kind = fn->kind == RTY_CLOSURE ? fn->lo : 0;
  if (ok && ret.n) {
    str l = sb_str(&names), a = sb_str(&args);
    add_impl(s, name, "FnOnce", "call_once", "self", l, a, ret);
    if (kind <= 1)
      add_impl(s, name, "FnMut", "call_mut", "&mut self", l, a, ret);
    if (kind == 0)
      add_impl(s, name, "Fn", "call", "&self", l, a, ret);
  }
  sb_free(&args);
  sb_free(&names);
}

/* A struct of the captures; false: some have no name. */
static bool declare_typed(struct stand_ins *s, const struct rty *fn, str name) {
  struct strbuf fields = {0};
  bool ok = true;
  for (uint32_t i = 0; fn->kind == RTY_CLOSURE && i < fn->n_args && ok; i++) {
    str text = source_of(s, fn->args[i]);
    ok = text.n > 0;
    sb_addf(&fields, "%.*s, ", STR_ARG(text));
  }
  if (ok)
    sb_addf(&s->items, "pub struct %.*s(%.*s); ", STR_ARG(name), STR_ARG(sb_str(&fields)));
  sb_free(&fields);
  return ok;
}

static void declare_bytes(struct stand_ins *s, const struct rty *fn, str name, bool drops) {
  uint64_t size = 0, align = 1;
  bool sized = fn->kind == RTY_FNDEF || type_size(s->p, fn, &size, &align);
  s->waits = s->waits || (!sized && s->p->wants.n > 0);
  s->bad = s->bad || !sized;
  sb_addf(&s->items, "#[repr(C, align(%llu))] pub struct %.*s([u8; %llu]); ",
          (unsigned long long)align, STR_ARG(name), (unsigned long long)size);
  if (drops)
    sb_addf(&s->items, "impl Drop for %.*s { #[inline(never)] fn drop(&mut self) {} } ", STR_ARG(name));
}

static void stand_in(struct stand_ins *s, const struct rty *fn) {
  struct prep *p = s->p;
  bool known = true;
  for (size_t i = 0; i < s->n; i++)
    if (s->from[i] == fn)
      return;
  bool drops = !s->typed && type_needs_drop(p, fn, SPAN_NONE, &known);
  s->waits = s->waits || (!known && p->wants.n > 0);
  s->bad = s->bad || s->n == MAX_STAND_INS;
  if (s->bad)
    return;
  str name = arena_printf(p->arena, "__P%u", p->n_stand_ins++);
  struct rty_error e;
  if (!s->typed)
    declare_bytes(s, fn, name, drops);
  else if (want_is_inner(p, fn) || !declare_typed(s, fn, name))
    s->bad = true;
  if (s->bad || s->n == MAX_STAND_INS)
    return;
  s->from[s->n] = fn;
  s->to[s->n++] = rty_parse(p->types, arena_printf(p->arena, MODULE "%.*s", STR_ARG(name)), &e);
  add_calls(s, fn, name);
}

void stand_ins_find(struct stand_ins *s, const struct rty *t) {
  if (!t)
    return;
  if (t->kind == RTY_CLOSURE || t->kind == RTY_FNDEF || want_is_inner(s->p, t)) {
    stand_in(s, t);
    return;
  }
  for (uint32_t i = 0; i < t->n_segs; i++) {
    stand_ins_find(s, t->segs[i].self);
    stand_ins_find(s, t->segs[i].trait);
    for (uint32_t k = 0; k < t->segs[i].n_args; k++)
      stand_ins_find(s, t->segs[i].args[k]);
  }
  for (uint32_t i = 0; i < t->n_args; i++)
    stand_ins_find(s, t->args[i]);
  stand_ins_find(s, t->elem);
  stand_ins_find(s, t->ret);
}

struct rty_subst stand_ins_back(const struct stand_ins *s) {
  const struct rty **from = arena_array(s->p->arena, const struct rty *, s->n + 1);
  const struct rty **to = arena_array(s->p->arena, const struct rty *, s->n + 1);
  for (size_t i = 0; i < s->n; i++) {
    from[i] = s->to[i];
    to[i] = s->from[i];
  }
  return (struct rty_subst){.from = from, .to = to, .n = s->n};
}

/* Source for the type and the stand-ins in it. False: it has no name all the same, or *waits. */
static bool name_type(struct prep *p, const struct rty *ty, struct probe_row *row,
                      struct rty_subst *subst, bool *waits) {
  row->type = want_source(p, ty, RTY_PRINT_SOURCE);
  row->items = STR_NULL;
  *waits = false;
  *subst = (struct rty_subst){.n = 0};
  if (row->type.n || want_is_inner(p, ty))
    return row->type.n > 0;
  /* What a closure holds is dropped in order, as in a tuple. */
  const struct rty *shape =
      ty->kind == RTY_CLOSURE ? rty_tuple(p->types, ty->args, ty->n_args) : ty;
  struct stand_ins s = {.p = p};
  stand_ins_find(&s, shape);
  *waits = s.waits;
  *subst = stand_ins_back(&s);
  if (!s.bad && !s.waits)
    row->type = stand_ins_source(&s, shape, RTY_PRINT_SOURCE);
  row->items = arena_str(p->arena, sb_str(&s.items));
  sb_free(&s.items);
  return row->type.n > 0;
}

/* ---- dumped glue ---- */
static const struct mir_item *dumped(struct prep *p, const struct rty *ty, struct prep_dump **dump) {
  for (size_t d = 0; d < p->glue.n; d++) {
    const struct mir_file *f = &p->glue.p[d]->file;
    for (size_t k = 0; k < f->n_items; k++) {
      const struct mir_item *it = &f->items[k];
      const struct rty *arg = it->body.n_args == 1 ? mir_local_ty(&it->body, 1) : NULL;
      /* From 1.97 on glue takes a reference. */
      if (it->kind != MI_FN || !arg || (arg->kind != RTY_PTR && arg->kind != RTY_REF) ||
          arg->elem != ty)
        continue;
      *dump = p->glue.p[d];
      return it;
    }
  }
  return NULL;
}

static bool take_dumped(struct prep *p, struct ty_info *i) {
  const struct mir_item *it = dumped(p, i->ty, &i->glue_dump);
  if (!it)
    return false;
  i->glue = it;
  i->glue_subst = (struct rty_subst){.n = 0};
  i->drop = DROP_GLUE;
  return true;
}

static bool in_core(const struct rty *t) {
  return str_starts(t->name, STR("core::")) || str_starts(t->name, STR("std::")) ||
         str_starts(t->name, STR("alloc::"));
}

static bool is_foreign(struct prep *p, const struct rty *t) {
  return in_core(t) || want_is_extern(p, t);
}

/* Glue that calls `Drop::drop` of another crate with a type that has no name: a stand-in gets that
 * body, which nobody can ask for by itself. */
static bool needs_stand_in(struct prep *p, const struct rty *ty) {
  struct prep_dump *d;
  const struct mir_item *it = ty->kind == RTY_PATH && is_foreign(p, ty) ? dumped(p, ty, &d) : NULL;
  for (uint32_t i = 0; it && i < it->body.n_blocks; i++)
    if (it->body.blocks[i].term.kind == TM_CALL)
      return true;
  return false;
}

/* ---- a type as a part of another ---- */
enum part_state { PART_NONE, PART_WAITS, PART_READY };

struct part {
  const struct rty *whole;
  uint32_t variant, field;
  const char *step;
};

static const char *step_to(const struct rty *field, const struct rty *ty) {
  const struct rty *arg;
  if (field == ty)
    return "m";
  if (!field || field->kind != RTY_PATH || rty_path_args(field, &arg, 1) != 1 || arg != ty)
    return NULL;
  if (rty_path_is(field, "core::mem::ManuallyDrop"))
    return "&mut **m";
  if (rty_path_is(field, "core::mem::MaybeUninit"))
    return "&mut *m.as_mut_ptr()";
  return NULL;
}

static bool part_of(const struct ty_info *whole, const struct rty *ty, struct part *out) {
  if (!whole || whole->ty->kind != RTY_PATH || whole->seen_union || whole->ty == ty)
    return false;
  for (uint32_t v = 0; v < whole->variants.n; v++)
    for (uint32_t f = 0; f < whole->variants.p[v].fields.n; f++) {
      *out = (struct part){whole->ty, v, f, step_to(whole->variants.p[v].fields.p[f], ty)};
      if (out->step)
        return true;
    }
  return false;
}

/* Some type of the bodies seen so far that has `ty` as a field. */
static bool find_part(struct prep *p, const struct rty *ty, bool only_core, struct part *out) {
  for (size_t k = 0; k < p->infos.n; k++)
    if (p->infos.p[k] && (!only_core || in_core(p->infos.p[k]->ty)) &&
        part_of(p->infos.p[k], ty, out))
      return true;
  return false;
}

/* The pattern behind the whole's name; empty: the names are not known. */
static str pattern(struct prep *p, const struct part *part, const struct di_type *di) {
  const struct di_field *fields = di->fields;
  uint32_t n = di->n_fields;
  str variant = STR_NULL;
  if (di->kind == DI_ENUM) {
    if (part->variant >= di->n_variants)
      return STR_NULL;
    variant = di->variants[part->variant].name;
    fields = di->variants[part->variant].fields;
    n = di->variants[part->variant].n_fields;
  }
  if (part->field >= n)
    return STR_NULL;
  str name = fields[part->field].name;
  if (str_starts(name, STR("__")) && name.n > 2 && name.p[2] >= '0' && name.p[2] <= '9')
    name = str_drop(name, 2);
  return arena_printf(p->arena, "%s%.*s { %.*s: m, .. }", variant.n ? "::" : "", STR_ARG(variant),
                      STR_ARG(name));
}

/* The row that asks how to drop the type as a field of a type that can be named, for types that cannot. */
static enum part_state want_part(struct prep *p, struct want *w) {
  struct part part;
  struct rty_subst subst;
  struct probe_row row = {.kind = PROBE_PART};
  bool waits = false;
  if (!find_part(p, w->info->ty, in_core(w->info->ty), &part) ||
      !name_type(p, part.whole, &row, &subst, &waits))
    return PART_NONE;
  struct ty_info *whole = prep_info(p, part.whole);
  const struct di_type *di = type_names(p, whole);
  if (!di)
    return whole->names_failed ? PART_NONE : PART_WAITS;
  row.path = pattern(p, &part, di);
  if (!row.path.n)
    return PART_NONE;
  row.step = str_from(part.step);
  w->row = row;
  w->subst = subst;
  w->info->part_asked = true;
  return PART_READY;
}

/* What a struct of core holds will be dropped next, and may be private: its fields are asked for at
 * once, without knowing their types, which the answers tell. */
static void want_fields(struct prep *p, struct ty_info *whole, const struct want *drop) {
  const struct di_type *di = in_core(whole->ty) ? type_names_now(p, whole) : NULL;
  struct want of = *drop;
  if (!di || di->kind != DI_STRUCT || di->n_fields > MAX_FIELDS)
    return;
  for (uint32_t f = 0; f < di->n_fields; f++) {
    str type = di->fields[f].type;
    bool manual = str_starts(type, STR("core::mem::manually_drop::ManuallyDrop<"));
    if (str_find(type, STR("::"), 0) == SIZE_MAX || str_find_char(STR("&*([{"), type.p[0], 0) != SIZE_MAX)
      continue;
    struct part part = {whole->ty, 0, f, manual ? "&mut **m" : "m"};
    struct want *w = want_add(p, PROBE_PART, of.span);
    w->row = of.row;
    w->row.kind = PROBE_PART;
    w->row.path = pattern(p, &part, di);
    w->row.step = str_from(part.step);
    w->subst = of.subst;
  }
}

/* Paths are asked for by the question whether they need drop. */
static void want_glue(struct prep *p, const struct rty *ty, struct span at) {
  bool known = true;
  if ((type_needs_drop(p, ty, at, &known) || !known) && ty->kind != RTY_PATH && ty->kind != RTY_DYN)
    want_drop(p, prep_info(p, ty), at);
}

/* Glue calls the glue of what the type is made of: asked now, it costs no run of its own. */
static void want_parts(struct prep *p, const struct rty *ty, struct span at) {
  const struct rty *args[16];
  bool array = false;
  if (ty->kind == RTY_ARRAY || ty->kind == RTY_SLICE)
    want_glue(p, ty->elem, at);
  for (uint32_t k = 0; k < ty->n_args && ty->kind != RTY_PATH; k++)
    want_glue(p, ty->args[k], at);
  size_t n = ty->kind == RTY_PATH ? rty_path_args(ty, args, COUNT_OF(args)) : 0;
  n = n < COUNT_OF(args) ? n : COUNT_OF(args);
  for (size_t k = 0; k < n; k++)
    array = array || (args[k]->kind == RTY_CONST && in_core(ty));
  for (size_t k = 0; k < n; k++) {
    if (args[k]->kind == RTY_CONST)
      continue;
    want_glue(p, args[k], at);
    if (array && type_is_sized(args[k])) /* iterators over arrays drop what is left */
      want_glue(p, rty_slice(p->types, args[k]), at);
  }
}

void want_drop(struct prep *p, struct ty_info *i, struct span at) {
  if (i->drop != DROP_UNASKED)
    return;
  struct probe_row row = {.kind = PROBE_DROP};
  struct rty_subst subst;
  bool waits = false;
  bool named = name_type(p, i->ty, &row, &subst, &waits);
  if (waits)
    return; /* of parts that were asked for just now */
  if (!named || (row.items.n && !needs_stand_in(p, i->ty) && take_dumped(p, i))) {
    if (i->drop == DROP_GLUE || take_dumped(p, i))
      return;
    i->drop = DROP_REFUSED;
    i->drop_reason = no_name;
    return;
  }
  i->drop = DROP_ASKED;
  struct want *w = want_add(p, PROBE_DROP, at);
  w->row = row;
  w->subst = subst;
  w->info = i;
  struct want asked = *w;
  if (i->ty->kind == RTY_PATH && in_core(i->ty))
    want_fields(p, i, &asked);
  want_parts(p, i->ty, at);
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

/* Asks once more, as a part of something else. */
static bool ask_part(struct prep *p, const struct want *w) {
  struct want part = {.info = w->info, .span = w->span};
  if (w->info->part_asked || want_part(p, &part) == PART_NONE)
    return false;
  if (!w->info->part_asked)
    part.row = w->row; /* waits for names: the same question again */
  vec_push(p->arena, &p->wants, part);
  return true;
}

/* The type that a field turned out to have: what the wrapper makes of its argument. NULL: it needs no
 * drop, so that nothing is made of it. */
static const struct rty *type_of_part(struct prep *p, const struct mir_body *b,
                                      const struct rty_subst *subst) {
  const struct mir_block *first = mir_block_at(b, 0);
  for (uint32_t i = 0; first && i < first->n_stmts; i++) {
    const struct mir_stmt *s = &first->stmts[i];
    if (s->kind != ST_ASSIGN || s->rv->kind != RV_CAST || s->rv->a.kind == OP_CONST ||
        s->rv->a.place.local != 1 || s->place.n_proj)
      continue;
    const struct rty *ptr = mir_local_ty(b, s->place.local);
    return ptr->kind == RTY_PTR ? rty_substitute(p->types, ptr->elem, subst) : NULL;
  }
  return NULL;
}

/* A field that was asked for along with its struct. */
static void take_field(struct prep *p, struct want *w, struct prep_dump *d) {
  const struct mir_item *it = w->row.ok && d ? mir_item_find(&d->file, w->row.fn_name) : NULL;
  const struct rty *ty = it ? type_of_part(p, &it->body, &w->subst) : NULL;
  struct ty_info *i = ty ? prep_info(p, ty) : NULL;
  if (!i || (i->drop != DROP_UNASKED && i->drop != DROP_REFUSED))
    return;
  i->glue = it;
  i->glue_dump = d;
  i->glue_subst = w->subst;
  i->drop = is_trivial(&it->body) ? DROP_NONE : DROP_GLUE;
}

void want_take_drop(struct prep *p, struct want *w, struct prep_dump *d) {
  struct ty_info *i = w->info;
  if (!i) {
    take_field(p, w, d);
    return;
  }
  if (w->row.ok && w->row.no_drop) {
    i->drop = DROP_NONE;
    return;
  }
  i->glue = w->row.ok && d ? mir_item_find(&d->file, w->row.fn_name) : NULL;
  if (i->glue) {
    i->glue_dump = d;
    i->glue_subst = w->subst;
    i->drop = is_trivial(&i->glue->body) ? DROP_NONE : DROP_GLUE;
    return;
  }
  if (ask_part(p, w) || take_dumped(p, i))
    return;
  i->drop = DROP_REFUSED;
  i->drop_reason = w->row.reason.n ? w->row.reason : STR("no answer");
}
