/* Constants, allocations, statics. */
#include "cargo-integration/rustc/consts.h"

#include <string.h>

#include "base/fatal.h"
#include "cargo-integration/rustc/advice.h"
#include "cargo-integration/rustc/di_copy.h"
#include "cargo-integration/rustc/dyn.h"
#include "cargo-integration/rustc/generics.h"
#include "cargo-integration/rustc/mir_parse.h"
#include "cargo-integration/rustc/parts.h"

/* ---- memory ---- */
struct cmem *cmem_new(struct prep *p, uint64_t size, uint64_t align) {
  struct cmem *m = arena_new(p->arena, struct cmem);
  m->size = size;
  m->align = align ? align : 1;
  m->bytes = arena_array(p->arena, uint8_t, size ? size : 1);
  m->init = arena_array(p->arena, uint8_t, size ? size : 1);
  return m;
}

void cmem_put(struct cmem *m, uint64_t at, u128 v, uint64_t n) {
  ASSERT(at <= m->size && n <= m->size - at);
  for (uint64_t i = 0; i < n; i++) {
    m->bytes[at + i] = (uint8_t)(i < 16 ? v >> (8 * i) : 0);
    m->init[at + i] = 1;
  }
}

void cmem_copy(struct prep *p, struct cmem *to, uint64_t at, const struct cmem *from, uint64_t off,
               uint64_t n) {
  ASSERT(at <= to->size && n <= to->size - at && off <= from->size && n <= from->size - off);
  if (n == 0)
    return;
  memmove(to->bytes + at, from->bytes + off, n);
  memmove(to->init + at, from->init + off, n);
  for (size_t i = 0; i < from->relocs.n; i++) {
    struct cmem_reloc r = from->relocs.p[i];
    if (r.off < off || r.off + 8 > off + n)
      continue;
    r.off = r.off - off + at;
    vec_push(p->arena, &to->relocs, r);
  }
}

static void write_init(struct jsonw *w, const uint8_t *init, uint64_t size) {
  uint64_t i = 0;
  bool all = true;
  for (; i < size; i++)
    all = all && init[i];
  if (all)
    return;
  jw_key(w, "init");
  jw_array(w);
  for (i = 0; i < size;) {
    if (!init[i]) {
      i++;
      continue;
    }
    uint64_t from = i;
    while (i < size && init[i])
      i++;
    jw_array(w);
    jw_u64(w, from);
    jw_u64(w, i);
    jw_end_array(w);
  }
  jw_end_array(w);
}

static str hex_of(struct prep *p, const uint8_t *b, uint64_t n) {
  static const char digits[] = "0123456789abcdef";
  char *z = arena_array(p->arena, char, 2 * n + 1);
  for (uint64_t i = 0; i < n; i++) {
    z[2 * i] = digits[b[i] >> 4];
    z[2 * i + 1] = digits[b[i] & 15];
  }
  return (str){z, 2 * n};
}

static void sort_relocs(struct cmem *m) {
  for (size_t i = 1; i < m->relocs.n; i++) {
    struct cmem_reloc r = m->relocs.p[i];
    size_t j = i;
    for (; j && m->relocs.p[j - 1].off > r.off; j--)
      m->relocs.p[j] = m->relocs.p[j - 1];
    m->relocs.p[j] = r;
  }
}

static str cmem_json(struct prep *p, struct cmem *m) {
  struct jsonw w;
  jw_init(&w, false);
  sort_relocs(m);
  for (size_t i = 0; i < m->relocs.n; i++)
    memset(m->bytes + m->relocs.p[i].off, 0, 8);
  jw_object(&w);
  jw_ku64(&w, "size", m->size);
  jw_ku64(&w, "align", m->align);
  jw_kstr(&w, "bytes", hex_of(p, m->bytes, m->size));
  write_init(&w, m->init, m->size);
  if (m->relocs.n) {
    jw_key(&w, "relocs");
    jw_array(&w);
    for (size_t i = 0; i < m->relocs.n; i++) {
      jw_array(&w);
      jw_u64(&w, m->relocs.p[i].off);
      jw_strz(&w, m->relocs.p[i].to.kind);
      jw_u64(&w, m->relocs.p[i].to.id);
      jw_u64(&w, m->relocs.p[i].add);
      jw_end_array(&w);
    }
    jw_end_array(&w);
  }
  str text = arena_str(p->arena, sb_str(&w.out));
  jw_free(&w);
  return text; /* without the closing brace: `mut` may follow */
}

uint32_t const_reserve(struct prep *p) {
  struct prep_alloc a = {.json = STR_NULL};
  vec_push(p->arena, &p->allocs, a);
  return (uint32_t)p->allocs.n - 1;
}

void const_fill(struct prep *p, uint32_t id, const struct cmem *m) {
  struct cmem *copy = arena_new(p->arena, struct cmem);
  *copy = *m;
  str json = cmem_json(p, copy);
  p->allocs.p[id].json = json;
  p->allocs.p[id].mem = copy;
}

uint32_t cmem_emit(struct prep *p, const struct cmem *m) {
  uint32_t id = const_reserve(p);
  const_fill(p, id, m);
  return id;
}

/* ---- allocations of a dump ---- */
static const struct rty *type_identified(const struct prep_dump *d, uint32_t alloc) {
  const struct mir_alloc *a = mir_alloc_find(&d->file, alloc);
  return a && a->kind == MA_TYPE_ID ? a->ty : NULL;
}

static struct cmem *load_alloc(struct emit *e, struct prep_dump *d, const struct mir_alloc *a) {
  struct cmem *m = cmem_new(e->p, a->size, a->align);
  bool whole = true;
  uint64_t half = 8;
  memcpy(m->bytes, a->bytes, a->size);
  memcpy(m->init, a->init, a->size);
  for (uint32_t i = 0; i < a->n_relocs; i++) {
    const struct mir_reloc *r = &a->relocs[i];
    const struct rty *identified = type_identified(d, r->alloc);
    if (identified) { /* two halves, one behind the other */
      half = i > 0 && r[-1].alloc == r->alloc && r[-1].offset + 8 == r->offset && half == 0 ? 8 : 0;
      cmem_copy(e->p, m, r->offset, const_type_id(e->p, e_ty(e, identified)), half, 8);
      continue;
    }
    struct cmem_reloc to = {.off = r->offset, .add = r->addend, .local = PREP_NONE};
    to.to = const_target(e, d, r->alloc, r->imm, NULL);
    whole = whole && to.to.kind; /* the others may have questions too */
    vec_push(e->p->arena, &m->relocs, to);
  }
  return whole ? m : NULL;
}

static uint32_t memory_id(struct emit *e, struct prep_dump *d, const struct mir_alloc *a, bool imm) {
  struct prep *p = e->p;
  if (a->id >= d->file.n_allocs)
    return PREP_NONE;
  uint32_t *slot = &d->alloc_out[a->id];
  if (!*slot) {
    uint32_t id = const_reserve(p);
    *slot = id + 1;
    struct cmem *m = load_alloc(e, d, a);
    if (!m)
      return PREP_NONE;
    str json = cmem_json(p, m); /* may move the array */
    p->allocs.p[id].json = json;
    p->allocs.p[id].mem = m;
  }
  if (!imm)
    p->allocs.p[*slot - 1].mut = true;
  return *slot - 1;
}

static const char *space_of(const struct rty *ty, bool *host_visible) {
  while (ty->kind == RTY_ARRAY)
    ty = ty->elem;
  if (ty->kind != RTY_PATH || !str_starts(ty->name, STR("mirdc::")))
    return "global";
  str last = rty_last_name(ty);
  if (str_eq(last, STR("Shared")))
    return "shared";
  *host_visible = str_eq(last, STR("Constant")) || str_eq(last, STR("Global"));
  return str_eq(last, STR("Constant")) ? "const" : "global";
}

/* Types that cannot be written through a shared reference, as far as their shape tells. */
static bool is_frozen(const struct rty *ty) {
  switch (ty->kind) {
  case RTY_PRIM: case RTY_REF: case RTY_PTR: case RTY_FNPTR: case RTY_FNDEF: case RTY_NEVER:
    return true;
  case RTY_ARRAY: case RTY_SLICE:
    return is_frozen(ty->elem);
  case RTY_TUPLE:
    for (uint32_t i = 0; i < ty->n_args; i++)
      if (!is_frozen(ty->args[i]))
        return false;
    return true;
  default:
    return false;
  }
}

static struct target static_target(struct emit *e, struct prep_dump *d, const struct mir_alloc *a,
                                   const struct rty *pointee) {
  struct prep *p = e->p;
  str name = rty_label(p->types, a->path);
  bool fresh;
  uintptr_t *slot = map_put(&p->static_by_name, name, &fresh);
  if (!fresh)
    return (struct target){"static", (uint32_t)*slot};
  uint32_t id = (uint32_t)p->statics.n;
  *slot = id;
  (void)vec_add(p->arena, &p->statics);
  const struct mir_item *item = mir_item_find(&p->dumps.p[0]->file, a->path->name);
  const struct rty *ty = item && item->kind == MI_STATIC ? item->ty : pointee;
  if (!ty) {
    e_error(e, MD0181, "the type of static `%.*s` is not known here", STR_ARG(name));
    return (struct target){NULL, 0};
  }
  struct prep_static s = {.name = name, .ty = ty, .alloc = PREP_NONE, .span = PREP_NONE};
  s.space = space_of(ty, &s.host_visible);
  s.mut = (item && item->is_mut) || !is_frozen(ty) || s.host_visible;
  s.symbol = prep_symbol(p, name);
  (void)type_id(p, ty, true);
  if (a->kind == MA_EXTERN) {
    s.symbol = rty_last_name(a->path);
    s.mut = true;
  } else if (s.space[0] != 's') {
    const struct mir_alloc *bytes = a;
    if (!a->has_bytes) {
      e_error(e, MD0181, "the value of static `%.*s` is not in the dump", STR_ARG(name));
      return (struct target){NULL, 0};
    }
    s.alloc = memory_id(e, d, bytes, !s.mut);
    if (s.alloc == PREP_NONE)
      return (struct target){NULL, 0};
  }
  p->statics.p[id] = s;
  return (struct target){"static", id};
}

/* `<{closure} as FnOnce<(A,)>>::call_once`: a closure turned into a function pointer. */
static const struct rty *closure_of(const struct rty *path) {
  if (path->n_segs != 2 || path->segs[0].kind != SEG_QSELF || !path->segs[0].trait ||
      !str_eq(path->segs[1].name, STR("call_once")) ||
      !str_eq(rty_last_name(path->segs[0].trait), STR("FnOnce")))
    return NULL;
  const struct rty *self = path->segs[0].self;
  return self->kind == RTY_CLOSURE && self->sig ? self : NULL;
}

struct target fndef_target(struct emit *e, const struct rty *fndef) {
  struct callee c = mono_resolve(e->p, e->in, fndef, e->span);
  switch (c.kind) {
  case CALLEE_FN:
    return (struct target){"fn", c.inst->id};
  case CALLEE_PENDING:
    break;
  case CALLEE_REFUSED:
    e->failed = true;
    break;
  case CALLEE_EXTERN: case CALLEE_INTRINSIC: case CALLEE_PANIC: case CALLEE_NOTHING:
  case CALLEE_CLOSURE: case CALLEE_DROP: case CALLEE_DYN: case CALLEE_MATH: case CALLEE_NATIVE:
    return (struct target){"fn", mono_call_shim(e->p, e->in, fndef, e->span)->id};
  }
  e->p->undecided++;
  return (struct target){NULL, 0};
}

/* By the list of generics in the source alone: a table has no signatures. */
static bool binds(struct prep *p, const struct mir_item *item, const struct rty *path,
                  struct binding *b) {
  const struct rty *arg;
  const struct rty_seg *last = &path->segs[path->n_segs - 1];
  size_t n = 0;
  for (uint32_t i = 0; i < last->n_args; i++)
    n += last->args[i]->kind != RTY_LIFETIME;
  return rty_path_args(path, &arg, 1) == n && (n == 0 || generics_bind(p, item, last, b));
}

static struct target fn_target(struct emit *e, const struct mir_alloc *a) {
  struct prep *p = e->p;
  const struct mir_item *item =
      mir_item_of_path(&p->dumps.p[0]->file, rty_path_bare(p->types, a->path));
  const struct rty *self = closure_of(a->path);
  if (self && self->n_args == 0)
    return (struct target){"fn", mono_closure_shim(p, e->in, self, e->span)->id};
  struct binding b = {.n = 0};
  if (item && item->kind == MI_FN && binds(p, item, a->path, &b)) {
    struct rty_subst s = mono_keep(p, &b);
    struct inst *i = mono_item(p, e->in, p->dumps.p[0], item, a->path, &s, e->span);
    return (struct target){"fn", i->id};
  }
  struct answer *fn = want_fn(p, a->path, e->span);
  const struct rty *fndef = answer_fndef(fn);
  if (fndef)
    return fndef_target(e, fndef);
  if (fn->reason.n) {
    struct diag *d = e_error(e, MD0182, "a table points to `%.*s`, whose type is not at hand",
                             STR_ARG(rty_label(p->types, a->path)));
    diag_note(d, "rustc says: %.*s", STR_ARG(fn->reason));
    diag_help(d, "call the function directly, or wrap it in a function of this crate");
  }
  p->undecided++;
  return (struct target){NULL, 0};
}

struct target const_target(struct emit *e, struct prep_dump *d, uint32_t alloc, bool imm,
                           const struct rty *pointee) {
  const struct mir_alloc *a = mir_alloc_find(&d->file, alloc);
  if (!a) {
    struct diag *bad = mir_report_broken(&d->file, STR_NULL, alloc, e->p->sink);
    e->failed = true;
    if (bad)
      diag_note_at(bad, e->span, "allocation %u is needed here", alloc);
    else
      e_error(e, MD0181, "allocation %u is not in the dump", alloc);
    return (struct target){NULL, 0};
  }
  switch (a->kind) {
  case MA_MEMORY: {
    uint32_t id = memory_id(e, d, a, imm);
    return id == PREP_NONE ? (struct target){NULL, 0} : (struct target){"alloc", id};
  }
  case MA_STATIC: case MA_EXTERN:
    return static_target(e, d, a, pointee);
  case MA_FN:
    return fn_target(e, a);
  case MA_VTABLE:
    return (struct target){"alloc", dyn_table(e, e_ty(e, a->ty), a->trait)};
  case MA_TYPE_ID: {
    struct diag *g = e_error(e, MD0180, "the `TypeId` of `%.*s` is used here",
                             STR_ARG(a->ty ? rty_label(e->p->types, a->ty) : STR("a type")));
    diag_help(g, "match over an enum, or give the trait a method that tells the types apart");
    return (struct target){NULL, 0};
  }
  }
  return (struct target){NULL, 0};
}

/* ---- operands ---- */
/* The item of a constant and its dump. A body out of a probe uses parts of functions that only run A
 * prints; both have them from the same source, so that they are numbered alike. */
static const struct mir_item *find_const(struct emit *e, const struct rty *path,
                                         const struct rty *ty, struct prep_dump **d) {
  *d = e->in->dump;
  bool foreign = (*d)->crate.n > 0;
  const struct mir_item *it = foreign ? part_foreign(e->p, path, d) : part_const(e->p, *d, path, ty);
  if (!it && (*d)->is_probe) {
    *d = e->p->dumps.p[0];
    it = part_const(e->p, *d, path, ty);
  }
  bool part = path->segs[path->n_segs - 1].kind == SEG_SPECIAL;
  if (part && !foreign && (!it || it->kind != MI_CONST))
    it = part_foreign(e->p, path, d);
  return it && it->kind == MI_CONST ? it : NULL;
}

static const struct rty *const_item_ty(struct emit *e, struct prep_dump *d,
                                       const struct mir_item *it, const struct rty *path) {
  struct rty_subst s = part_subst(e->p, d, it, path, e->in);
  const struct rty *ty = s.n ? rty_substitute(e->p->types, it->ty, &s) : it->ty;
  return mono_type(e->p, NULL, ty, e->span);
}

const struct rty *const_ty(struct emit *e, const struct mir_const *k) {
  if (k->ty)
    return e_ty(e, k->ty);
  if (k->kind == MC_NAMED && k->path) {
    const struct rty *path = e_ty(e, k->path);
    struct prep_dump *d;
    const struct mir_item *it = find_const(e, path, NULL, &d);
    const struct rty *limit = part_limit_ty(e->p, path);
    if (limit)
      return limit;
    return it && it->ty ? const_item_ty(e, d, it, path) : part_assoc_ty(e->p, path);
  }
  return NULL;
}

static void write_scalar(struct emit *e, const struct rty *ty, u128 v) {
  struct jsonw *w = &e->w;
  if (type_is_zst(e->p, ty)) {
    e_zero(e, ty);
    return;
  }
  jw_array(w);
  jw_strz(w, "k");
  jw_u64(w, type_id(e->p, ty, true));
  jw_hex(w, v);
  jw_end_array(w);
}

static bool is_thin_ptr(const struct rty *ty) {
  return ty->kind == RTY_REF || ty->kind == RTY_PTR || ty->kind == RTY_FNPTR;
}

static void write_value_at(struct emit *e, const struct rty *ty, uint32_t alloc, uint64_t off) {
  struct jsonw *w = &e->w;
  jw_array(w);
  jw_strz(w, "a");
  jw_u64(w, type_id(e->p, ty, true));
  jw_u64(w, alloc);
  jw_u64(w, off);
  jw_end_array(w);
}

static void write_pointer(struct emit *e, const struct rty *ty, struct target t, uint64_t add) {
  struct jsonw *w = &e->w;
  if (!is_thin_ptr(ty)) { /* a struct around a pointer */
    struct cmem *m = cmem_new(e->p, 8, 8);
    struct cmem_reloc r = {.add = add, .to = t, .local = PREP_NONE};
    vec_push(e->p->arena, &m->relocs, r);
    memset(m->init, 1, 8);
    write_value_at(e, ty, cmem_emit(e->p, m), 0);
    return;
  }
  jw_array(w);
  jw_strz(w, "p");
  jw_u64(w, type_id(e->p, ty, true));
  jw_strz(w, t.kind);
  jw_u64(w, t.id);
  jw_u64(w, add);
  jw_end_array(w);
}

static void write_wide(struct emit *e, const struct rty *ty, struct target t, uint64_t add,
                       uint64_t meta) {
  struct jsonw *w = &e->w;
  jw_array(w);
  jw_strz(w, "w");
  jw_u64(w, type_id(e->p, ty, true));
  jw_strz(w, t.kind);
  jw_u64(w, t.id);
  jw_u64(w, add);
  jw_hex(w, meta);
  jw_end_array(w);
}

static const struct rty *pointee_of(const struct rty *ty) {
  return ty->kind == RTY_REF || ty->kind == RTY_PTR ? ty->elem : NULL;
}

static void write_target(struct emit *e, const struct mir_const *k, const struct rty *ty) {
  struct target t = const_target(e, e->in->dump, k->alloc, true, pointee_of(ty));
  if (!t.kind) {
    jw_null(&e->w);
    return;
  }
  if (k->kind == MC_SLICE)
    write_wide(e, ty, t, k->offset, k->meta);
  else
    write_pointer(e, ty, t, k->offset);
}

static void write_indirect(struct emit *e, const struct mir_const *k, const struct rty *ty) {
  if (type_is_zst(e->p, ty)) {
    e_zero(e, ty);
    return;
  }
  struct target t = const_target(e, e->in->dump, k->alloc, true, NULL);
  if (!t.kind || strcmp(t.kind, "alloc") != 0) {
    if (t.kind)
      e_error(e, MD0181, "a constant's value is not in plain memory");
    jw_null(&e->w);
    return;
  }
  write_value_at(e, ty, t.id, k->offset);
}

static void write_uninit(struct emit *e, const struct rty *ty) {
  jw_array(&e->w);
  jw_strz(&e->w, "u");
  jw_u64(&e->w, type_id(e->p, ty, true));
  jw_end_array(&e->w);
}

static bool built_in_named(struct emit *e, const struct rty *path, const struct rty **ty,
                           u128 *v) {
  str last = rty_last_name(path);
  uint64_t size, align;
  if (path->segs[0].kind != SEG_QSELF || !path->segs[0].trait ||
      !str_eq(rty_last_name(path->segs[0].trait), STR("SizedTypeProperties")) ||
      !type_size(e->p, path->segs[0].self, &size, &align))
    return false;
  *ty = rty_prim(e->p->types, PRIM_USIZE);
  if (str_eq(last, STR("IS_ZST"))) {
    *ty = rty_prim(e->p->types, PRIM_BOOL);
    *v = size == 0;
  } else if (str_eq(last, STR("SIZE"))) {
    *v = size;
  } else if (str_eq(last, STR("ALIGN"))) {
    *v = align;
  } else if (str_eq(last, STR("MAX_SLICE_LEN"))) {
    *v = size ? INT64_MAX / size : UINT64_MAX;
  } else {
    return false;
  }
  return true;
}

/* rustc's answer to a CONST question: a function that returns the address of a static which holds the
 * value. The static's memory is the value. */
const struct mir_alloc *const_answered(const struct answer *a, uint64_t *off) {
  const struct mir_block *b = mir_block_at(&a->item->body, 0);
  for (uint32_t i = 0; b && i < b->n_stmts; i++) {
    const struct mir_stmt *s = &b->stmts[i];
    if (s->kind != ST_ASSIGN || s->rv->kind != RV_USE || s->rv->a.kind != OP_CONST ||
        s->rv->a.k->kind != MC_ALLOC)
      continue;
    const struct mir_alloc *m = mir_alloc_find(&a->dump->file, s->rv->a.k->alloc);
    *off = s->rv->a.k->offset;
    return m && m->has_bytes && m->kind == MA_STATIC ? m : NULL;
  }
  return NULL;
}

/* A constant that is a literal: its header gives the value, but no body is printed, and with it no
 * memory. */
static bool lacks_memory(const struct prep_dump *d, const struct mir_item *item) {
  const struct mir_const *k = item->value;
  if (!k || (k->kind != MC_SLICE && k->kind != MC_ALLOC && k->kind != MC_INDIRECT) ||
      mir_alloc_find(&d->file, k->alloc))
    return false;
  for (size_t i = 0; i < d->file.n_broken; i++)
    if (d->file.broken[i].alloc == k->alloc)
      return false; /* printed, in a form that is not known */
  return true;
}

/* The same constant in the run that gives such constants bodies, for one that no question can name; *item is
 * NULL when it has none there either. False: asked now. */
static bool with_memory(struct emit *e, struct prep_dump **d, const struct mir_item **item,
                        const char **why) {
  struct prep *p = e->p;
  if (!p->strings_asked) {
    p->want_strings = true;
    return false;
  }
  const struct mir_item *it = p->strings ? mir_item_find(&p->strings->file, (*item)->name) : NULL;
  *why = "it is a literal whose bytes rustc does not print";
  *d = p->strings;
  *item = it && it->kind == MI_CONST && it->body.n_blocks ? it : NULL;
  return true;
}

/* A private constant of the standard library that the statement at hand reads: the host's code copies
 * it at the same place. */
static struct cmem *library_constant(struct emit *e, const struct rty *path, const struct rty *ty) {
  const struct rty *arg, *value = ty->kind == RTY_REF ? ty->elem : ty;
  struct di_copy at = {.line = e->place.line0, .col = e->place.col0, .element = value != ty};
  uint64_t align;
  str rest;
  if (e->constant_depth || !at.line || path->segs[0].kind != SEG_NAME ||
      rty_path_args(path, &arg, 1) || !type_size(e->p, value, &at.size, &align) || !at.size)
    return NULL;
  at.file = source_file_get(e->p->sink->sources, e->place.file)->path;
  if (!prep_in_library(at.file, &rest))
    return NULL;
  debuginfo_load(e->p->bodies->debuginfo);
  struct cmem *m = cmem_new(e->p, at.size, align);
  if (!di_copied_bytes(e->p->arena, e->p->bodies->ir, &at, m->bytes))
    return NULL;
  memset(m->init, 1, at.size);
  if (value == ty)
    return m;
  struct cmem_reloc r = {.to = {"alloc", cmem_emit(e->p, m)}, .local = PREP_NONE};
  m = cmem_new(e->p, 8, 8);
  vec_push(e->p->arena, &m->relocs, r);
  memset(m->init, 1, 8);
  return m;
}

static void ask_ahead(struct emit *e, const struct mir_operand *op) {
  const struct rty *ty =
      op->kind == OP_CONST && op->k->kind == MC_NAMED ? part_limit_ty(e->p, op->k->path) : NULL;
  if (ty)
    (void)want_const(e->p, op->k->path, ty, e->span);
}

/* Limits of floats in a constant's body are asked for together, and before anything else keeps the body
 * from being computed. */
static void ask_for_parts(struct emit *e, const struct mir_body *b) {
  for (uint32_t k = 0; k < b->n_blocks; k++)
    for (uint32_t i = 0; i < b->blocks[k].n_stmts; i++) {
      const struct mir_stmt *s = &b->blocks[k].stmts[i];
      if (s->kind != ST_ASSIGN)
        continue;
      if (s->rv->kind == RV_USE || s->rv->kind == RV_CAST)
        ask_ahead(e, &s->rv->a);
      for (uint32_t n = 0; n < s->rv->n_ops; n++)
        ask_ahead(e, &s->rv->ops[n]);
    }
}

/* `[const { MaybeUninit::uninit() }; N]` in core: nothing else of that type is a constant there. */
static bool is_uninit(const struct rty *path, const struct rty *ty) {
  return ty && rty_path_is(ty, "core::mem::MaybeUninit") && path->segs[0].kind == SEG_NAME &&
         str_eq(path->segs[0].name, STR("core")) &&
         str_starts(rty_last_name(path), STR("{constant#"));
}

/* By a question. *done: the answer is there; else it is on its way. False: there is none. */
static bool answered(struct emit *e, const struct rty *path, const struct rty *ty, struct named *out, bool *done) {
  struct answer *a = ty ? want_const(e->p, path, ty, e->span) : NULL;
  const struct mir_alloc *m = a && a->ok ? const_answered(a, &out->off) : NULL;
  if (m)
    out->alloc = memory_id(e, a->dump, m, true);
  *done = out->alloc != PREP_NONE;
  return *done || (a && !a->ok && !a->reason.n);
}

bool const_named(struct emit *e, const struct rty *path, const struct rty *ty, struct named *out) {
  struct prep *p = e->p;
  uint64_t size, align;
  bool done;
  const char *why = "its body is not in the dump";
  struct prep_dump *dump;
  const struct mir_item *item = find_const(e, path, ty, &dump);
  const struct rty *identified = const_type_id_of(p, path);
  *out = (struct named){.alloc = PREP_NONE};
  if (identified) {
    out->m = const_type_id(p, identified);
    return true;
  }
  if (!item && is_uninit(path, ty)) {
    if (type_size(p, ty, &size, &align))
      out->m = cmem_new(p, size, align);
    return out->m != NULL;
  }
  if (item && lacks_memory(dump, item)) {
    if (answered(e, path, item->ty ? const_item_ty(e, dump, item, path) : ty, out, &done))
      return done;
    if (!with_memory(e, &dump, &item, &why))
      return false;
  }
  if (item) {
    ask_for_parts(e, &item->body);
    out->m = const_eval(e, dump, item, path, ty, &why);
    if (out->m)
      return true;
    if (e->failed || !why)
      return false;
    if (item->ty)
      ty = const_item_ty(e, dump, item, path);
  }
  if (answered(e, path, ty, out, &done))
    return done;
  if (!item && ty && (out->m = library_constant(e, path, ty)) != NULL)
    return true;
  if (!item && (item = part_foreign(e->p, path, &dump)) != NULL && item->kind == MI_CONST &&
      (out->m = const_eval(e, dump, item, path, ty, &why)) != NULL)
    return true;
  if (e->failed || !why)
    return false;
  struct answer *a = ty ? want_const(p, path, ty, e->span) : NULL;
  struct diag *d = e_error(e, MD0181, "the value of constant `%.*s` cannot be worked out: %s",
                           STR_ARG(rty_label(p->types, path)), why ? why : "unknown");
  if (a && a->reason.n)
    diag_note(d, "rustc says: %.*s", STR_ARG(a->reason));
  diag_help(d, "%s", advice_for_const(path->name));
  return false;
}

static void write_named(struct emit *e, const struct mir_const *k, const struct rty *hint) {
  const struct rty *path = e_ty(e, k->path), *ty = const_ty(e, k);
  u128 v;
  struct named n;
  if (!ty)
    ty = hint;
  if (built_in_named(e, path, &ty, &v)) {
    write_scalar(e, ty, v);
    return;
  }
  if (!const_named(e, path, ty, &n) || !ty) {
    e->p->undecided++;
    jw_null(&e->w);
    return;
  }
  if (type_is_zst(e->p, ty)) {
    e_zero(e, ty);
    return;
  }
  if (!n.m) {
    write_value_at(e, ty, n.alloc, n.off);
    return;
  }
  if (n.m->relocs.n == 1 && n.m->size == 8 && is_thin_ptr(ty)) {
    write_pointer(e, ty, n.m->relocs.p[0].to, n.m->relocs.p[0].add);
    return;
  }
  write_value_at(e, ty, cmem_emit(e->p, n.m), 0);
}

/* A string pattern: `ValTree(Branch([Leaf(0x6f): u8, ..]): &str)`. */
static void write_tree(struct emit *e, const struct mir_const *k, const struct rty *ty) {
  struct prep *p = e->p;
  const struct rty *t = k->tree;
  if (!t || t->kind != RTY_CONST_BRANCH ||
      !(ty->kind == RTY_REF && (rty_is_prim(ty->elem, PRIM_STR) || ty->elem->kind == RTY_SLICE ||
                                ty->elem->kind == RTY_ARRAY))) {
    e_error(e, MD0181, "a constant of type `%.*s` is printed as a tree",
            STR_ARG(rty_label(p->types, ty)));
    jw_null(&e->w);
    return;
  }
  const struct rty *elem = ty->elem->kind == RTY_PRIM ? rty_prim(p->types, PRIM_U8) : ty->elem->elem;
  uint64_t size, align;
  while (t->n_args == 1 && t->args[0]->kind == RTY_CONST_BRANCH)
    t = t->args[0];
  if (!type_size(p, elem, &size, &align) || !type_int_bits(elem)) {
    e_error(e, MD0181, "a constant tree of `%.*s`", STR_ARG(rty_label(p->types, elem)));
    jw_null(&e->w);
    return;
  }
  struct cmem *m = cmem_new(p, size * t->n_args, align);
  for (uint32_t i = 0; i < t->n_args; i++)
    cmem_put(m, i * size, (u128)t->args[i]->hi << 64 | t->args[i]->lo, size);
  struct target to = {"alloc", cmem_emit(p, m)};
  if (ty->elem->kind == RTY_ARRAY)
    write_pointer(e, ty, to, 0);
  else
    write_wide(e, ty, to, 0, t->n_args);
}

static void write_param(struct emit *e, const struct mir_const *k) {
  const struct rty *c = e_ty(e, k->tree);
  const struct rty *ty = k->ty ? e_ty(e, k->ty) : c->elem;
  if (c->kind != RTY_CONST || !ty) {
    e_error(e, MD0175, "constant parameter `%.*s` has no value here", STR_ARG(k->tree->name));
    jw_null(&e->w);
    return;
  }
  write_scalar(e, ty, (u128)c->hi << 64 | c->lo);
}

void e_const(struct emit *e, const struct mir_const *k, const struct rty *hint) {
  const struct rty *ty = k->ty ? e_ty(e, k->ty) : hint;
  if (k->kind != MC_NAMED && k->kind != MC_PARAM && !ty) {
    e_error(e, MD0181, "a constant without a type");
    jw_null(&e->w);
    return;
  }
  switch (k->kind) {
  case MC_SCALAR:
    write_scalar(e, ty, (u128)k->bits.hi << 64 | k->bits.lo);
    return;
  case MC_ALLOC: case MC_SLICE:
    write_target(e, k, ty);
    return;
  case MC_ZST:
    e_zero(e, ty);
    return;
  case MC_INDIRECT:
    write_indirect(e, k, ty);
    return;
  case MC_VALTREE:
    write_tree(e, k, ty);
    return;
  case MC_NAMED:
    write_named(e, k, hint);
    return;
  case MC_PARAM:
    write_param(e, k);
    return;
  case MC_UNINIT:
    write_uninit(e, ty);
    return;
  }
}

bool const_usize(struct emit *e, const struct rty *node, uint64_t *out) {
  const struct rty *c = node;
  if (e->in->subst.n)
    c = rty_substitute(e->p->types, c, &e->in->subst);
  if (c->kind == RTY_CONST && c->hi == 0) {
    *out = c->lo;
    return true;
  }
  return false;
}
