/* Runs the bodies of constants: promoteds, inline constants, `const` items. They are small and mostly
 * straight: literals, aggregates, addresses of locals, a little arithmetic. */
#include <string.h>

#include "base/fatal.h"
#include "cargo-integration/rustc/consts.h"
#include "cargo-integration/rustc/parts.h"

__extension__ typedef __int128 i128;

struct eval {
  struct emit *e;
  struct prep_dump *dump;
  const struct mir_item *item;
  struct cmem **locals;
  const char *why; /* NULL with a failed step: more must be known first */
  unsigned steps, depth;
};

static bool stop(struct eval *v, const char *why) {
  v->why = why;
  return false;
}

static const struct rty *ty_of(struct eval *v, const struct rty *t) {
  return mono_type(v->e->p, v->e->in, t, v->e->span);
}

static bool size_of(struct eval *v, const struct rty *t, uint64_t *size, uint64_t *align) {
  if (type_size(v->e->p, t, size, align))
    return true;
  v->why = NULL;
  return false;
}

/* Where a place lies: memory, offset, type; and what has been stepped into. */
struct spot {
  struct cmem *m;
  uint64_t off;
  const struct rty *ty;
  uint32_t variant;
  uint32_t local;
  bool constant; /* an allocation that is already written */
};

static bool step_field(struct eval *v, struct spot *s, const struct mir_proj *pr) {
  const struct rty *fty = pr->ty ? ty_of(v, pr->ty) : type_field(v->e->p, s->ty, s->variant, pr->index);
  uint64_t off;
  if (!fty)
    return stop(v, "it reads a field of an unknown type");
  type_saw_field(v->e->p, s->ty, s->variant, pr->index, fty);
  if (!type_field_offset(v->e->p, s->ty, s->variant, pr->index, &off)) {
    v->why = NULL;
    return false;
  }
  s->off += off;
  s->ty = fty;
  s->variant = 0;
  return true;
}

static bool step_element(struct eval *v, struct spot *s, uint64_t index) {
  uint64_t size, align, n;
  if (s->ty->kind != RTY_ARRAY || !rty_array_len(s->ty, &n) || index >= n)
    return stop(v, "it indexes something that is not an array");
  if (!size_of(v, s->ty->elem, &size, &align))
    return false;
  s->off += index * size;
  s->ty = s->ty->elem;
  return true;
}

static bool read_uint(const struct cmem *m, uint64_t off, uint64_t n, u128 *out) {
  *out = 0;
  if (n > 16 || off > m->size || n > m->size - off)
    return false;
  for (size_t i = 0; i < m->relocs.n; i++)
    if (m->relocs.p[i].off < off + n && m->relocs.p[i].off + 8 > off)
      return false;
  for (uint64_t i = 0; i < n; i++) {
    if (!m->init[off + i])
      return false;
    *out |= (u128)m->bytes[off + i] << (8 * i);
  }
  return true;
}

static bool step_deref(struct eval *v, struct spot *s) {
  const struct rty *to = s->ty->kind == RTY_REF || s->ty->kind == RTY_PTR ? s->ty->elem : NULL;
  if (!to)
    return stop(v, "it follows something that is not a pointer");
  for (size_t i = 0; i < s->m->relocs.n; i++) {
    const struct cmem_reloc *r = &s->m->relocs.p[i];
    if (r->off != s->off)
      continue;
    s->local = r->local;
    s->off = r->add;
    s->ty = to;
    if (r->local != PREP_NONE) {
      s->m = v->locals[r->local];
      return true;
    }
    const struct cmem *m = strcmp(r->to.kind, "alloc") == 0 ? v->e->p->allocs.p[r->to.id].mem : NULL;
    if (m) {
      s->m = arena_new(v->e->p->arena, struct cmem);
      *s->m = *m; /* a view: only ever read */
      s->constant = true;
      return true;
    }
  }
  return stop(v, "it reads through a pointer");
}

static bool locate(struct eval *v, const struct mir_place *pl, struct spot *s) {
  const struct mir_body *b = &v->item->body;
  const struct rty *ty = mir_local_ty(b, pl->local);
  if (!ty || pl->local >= b->n_locals)
    return stop(v, "it uses a local that is not declared");
  *s = (struct spot){.m = v->locals[pl->local], .ty = ty_of(v, ty), .local = pl->local};
  uint64_t size, align;
  if (!s->m) {
    if (!size_of(v, s->ty, &size, &align))
      return false;
    s->m = v->locals[pl->local] = cmem_new(v->e->p, size, align);
  }
  for (uint32_t i = 0; i < pl->n_proj; i++) {
    const struct mir_proj *pr = &pl->proj[i];
    bool ok = false;
    u128 n;
    switch (pr->kind) {
    case PROJ_DEREF:
      ok = step_deref(v, s);
      break;
    case PROJ_FIELD:
      ok = step_field(v, s, pr);
      break;
    case PROJ_DOWNCAST:
      type_saw_enum(v->e->p, s->ty);
      s->variant = pr->index;
      ok = !pr->name.n || type_variant(v->e->p, s->ty, pr->name, &s->variant);
      if (!ok)
        v->why = NULL;
      break;
    case PROJ_CONST_INDEX:
      ok = !pr->from_end ? step_element(v, s, pr->from) : stop(v, "it indexes from the end");
      break;
    case PROJ_INDEX:
      ok = v->locals[pr->index] && read_uint(v->locals[pr->index], 0, 8, &n)
               ? step_element(v, s, (uint64_t)n)
               : stop(v, "it indexes with an unknown value");
      break;
    case PROJ_SUBSLICE: case PROJ_SUBTYPE:
      ok = stop(v, "it takes a part of a slice");
      break;
    }
    if (!ok)
      return false;
  }
  return true;
}

/* The value of an operand as memory of its own. */
static struct cmem *value_of(struct eval *v, const struct mir_operand *op, const struct rty *hint,
                             const struct rty **ty) {
  struct emit *e = v->e;
  uint64_t size, align;
  if (op->kind == OP_CONST) {
    *ty = op->k->ty ? ty_of(v, op->k->ty) : const_ty(e, op->k);
    if (!*ty)
      *ty = hint;
    if (!*ty) {
      stop(v, "it uses a constant of an unknown type");
      return NULL;
    }
    bool named = op->k->kind == MC_NAMED;
    if (!size_of(v, *ty, &size, &align)) {
      struct named ignored;
      if (named) /* asked together with the layout */
        (void)const_named(e, e_ty(e, op->k->path), *ty, &ignored);
      return NULL;
    }
    struct cmem *m = cmem_new(e->p, size, align);
    if (const_store(e, op->k, *ty, m, 0))
      return m;
    if (named && !e->failed)
      v->why = NULL; /* asked of rustc */
    if ((named && !e->failed) || (!v->why && e->failed))
      return NULL;
    stop(v, "it uses a constant that cannot be worked out");
    return NULL;
  }
  if (op->kind == OP_RUNTIME_CHECK) {
    *ty = rty_prim(e->p->types, PRIM_BOOL);
    struct cmem *m = cmem_new(e->p, 1, 1);
    cmem_put(m, 0, 0, 1);
    return m;
  }
  struct spot s;
  if (!locate(v, &op->place, &s) || !size_of(v, s.ty, &size, &align))
    return NULL;
  *ty = s.ty;
  struct cmem *m = cmem_new(e->p, size, align);
  if (s.off > s.m->size || size > s.m->size - s.off) {
    stop(v, "it reads past a value");
    return NULL;
  }
  cmem_copy(e->p, m, 0, s.m, s.off, size);
  return m;
}

/* Replaces what lay there, relocations too. */
static bool store(struct eval *v, const struct spot *to, const struct cmem *m) {
  if (to->constant)
    return stop(v, "it writes to a constant");
  if (to->off > to->m->size || m->size > to->m->size - to->off)
    return stop(v, "it writes past a value");
  size_t keep = 0;
  for (size_t i = 0; i < to->m->relocs.n; i++) {
    struct cmem_reloc r = to->m->relocs.p[i];
    if (r.off >= to->off && r.off < to->off + m->size)
      continue;
    to->m->relocs.p[keep++] = r;
  }
  to->m->relocs.n = keep;
  cmem_copy(v->e->p, to->m, to->off, m, 0, m->size);
  return true;
}

static bool set_tag(struct eval *v, const struct spot *to, uint32_t variant) {
  const struct layout *l = type_layout(v->e->p, to->ty);
  u128 discr = variant, tag;
  if (!l) {
    v->why = NULL;
    return false;
  }
  if (l->variants != VARIANTS_MULTIPLE)
    return true;
  if (l->encoding == ENCODE_DIRECT && !type_discr(v->e->p, to->ty, variant, l->tag.bits, &discr)) {
    v->why = NULL;
    return false;
  }
  if (layout_tag_of(l, variant, discr, &tag))
    cmem_put(to->m, to->off + l->tag_offset, tag, l->tag.bits / 8);
  return true;
}

static bool store_fields(struct eval *v, const struct spot *to, uint32_t variant,
                         const struct mir_operand *ops, uint32_t n, bool array) {
  for (uint32_t i = 0; i < n; i++) {
    struct spot s = *to;
    const struct rty *ty, *hint = array ? to->ty->elem : type_field(v->e->p, to->ty, variant, i);
    struct cmem *m = value_of(v, &ops[i], hint, &ty);
    if (!m)
      return false;
    struct mir_proj pr = {.kind = PROJ_FIELD, .index = i, .ty = ty};
    s.variant = variant;
    if (!(array ? step_element(v, &s, i) : step_field(v, &s, &pr)) || !store(v, &s, m))
      return false;
  }
  return true;
}

static bool do_adt(struct eval *v, const struct spot *to, const struct mir_rvalue *rv) {
  const struct rty *path = ty_of(v, rv->path);
  const struct layout *l = type_layout(v->e->p, to->ty);
  uint32_t variant = 0;
  if (!l) {
    v->why = NULL;
    return false;
  }
  if (l->fields == FIELDS_UNION && l->n_fields && rv->n_ops == 1) { /* all fields lie at the start */
    const struct rty *ty;
    struct cmem *m = value_of(v, &rv->ops[0], NULL, &ty);
    return m && store(v, to, m);
  }
  if (path != to->ty) {
    type_saw_enum(v->e->p, to->ty);
    if (!type_variant(v->e->p, to->ty, rty_last_name(path), &variant)) {
      v->why = NULL;
      return false;
    }
  }
  return store_fields(v, to, variant, rv->ops, rv->n_ops, false) && set_tag(v, to, variant);
}

static bool do_ref(struct eval *v, const struct spot *to, const struct mir_rvalue *rv) {
  const struct mir_place *pl = &rv->place;
  struct cmem *m = cmem_new(v->e->p, 8, 8);
  if (pl->n_proj == 1 && pl->proj[0].kind == PROJ_DEREF) { /* a reborrow: the same pointer */
    struct mir_operand op = {.kind = OP_COPY, .place = {.local = pl->local}};
    const struct rty *ty;
    struct cmem *same = value_of(v, &op, NULL, &ty);
    return same && store(v, to, same);
  }
  struct spot s;
  if (!locate(v, pl, &s))
    return false;
  if (s.constant)
    return stop(v, "it takes the address of a part of a constant");
  struct cmem_reloc r = {.add = s.off, .local = s.local};
  vec_push(v->e->p->arena, &m->relocs, r);
  memset(m->init, 1, 8);
  return store(v, to, m);
}

static bool do_unsize(struct eval *v, const struct spot *to, struct cmem *m, const struct rty *from) {
  uint64_t n;
  if ((from->kind != RTY_REF && from->kind != RTY_PTR) || !rty_array_len(from->elem, &n) ||
      from->elem->kind != RTY_ARRAY)
    return stop(v, "it makes a trait object");
  struct cmem *wide = cmem_new(v->e->p, 16, 8);
  cmem_copy(v->e->p, wide, 0, m, 0, 8);
  cmem_put(wide, 8, n, 8);
  return store(v, to, wide);
}

static bool is_signed(const struct rty *t) {
  return t->kind == RTY_PRIM && t->prim >= PRIM_I8 && t->prim <= PRIM_ISIZE;
}

static i128 extend(u128 x, unsigned bits, bool sign) {
  if (bits >= 128 || !bits)
    return (i128)x;
  x &= ((u128)1 << bits) - 1;
  if (sign && (x >> (bits - 1)))
    x |= ~(((u128)1 << bits) - 1);
  return (i128)x;
}

static bool put_result(struct eval *v, const struct spot *to, u128 x, uint64_t size) {
  struct cmem *m = cmem_new(v->e->p, size, size);
  cmem_put(m, 0, x, size);
  return store(v, to, m);
}

static bool do_cast(struct eval *v, const struct spot *to, const struct mir_rvalue *rv) {
  const struct rty *from;
  struct cmem *m = value_of(v, &rv->a, NULL, &from);
  u128 x;
  uint64_t size, align;
  if (!m || !size_of(v, to->ty, &size, &align))
    return false;
  switch (rv->cast) {
  case CAST_PTR_TO_PTR: case CAST_TRANSMUTE: case CAST_SUBTYPE: case CAST_MUT_TO_CONST:
  case CAST_ARRAY_TO_PTR: case CAST_UNSAFE_FN:
    return m->size == size ? store(v, to, m) : stop(v, "it casts between sizes");
  case CAST_UNSIZE:
    return do_unsize(v, to, m, from);
  case CAST_INT_TO_INT:
    if (!type_int_bits(from) || !type_int_bits(to->ty) || !read_uint(m, 0, m->size, &x))
      return stop(v, "it casts an unknown number");
    x = (u128)extend(x, type_int_bits(from), is_signed(from));
    return put_result(v, to, x, size);
  default:
    return stop(v, "it holds a cast of a kind that is not worked out here");
  }
}

/* One integer operation; false when it is not done here. */
static bool int_op(enum mir_bin op, i128 a, i128 b, bool sign, unsigned bits, i128 *r) {
  u128 ua = (u128)a, ub = (u128)b;
  switch (op) {
  case BIN_ADD: case BIN_ADD_UNCHECKED: case BIN_ADD_OVERFLOW:
    *r = (i128)(ua + ub);
    return true;
  case BIN_SUB: case BIN_SUB_UNCHECKED: case BIN_SUB_OVERFLOW:
    *r = (i128)(ua - ub);
    return true;
  case BIN_MUL: case BIN_MUL_UNCHECKED: case BIN_MUL_OVERFLOW:
    *r = (i128)(ua * ub);
    return true;
  case BIN_DIV:
    if (b == 0 || (sign && b == -1))
      return false;
    *r = sign ? a / b : (i128)(ua / ub);
    return true;
  case BIN_REM:
    if (b == 0 || (sign && b == -1))
      return false;
    *r = sign ? a % b : (i128)(ua % ub);
    return true;
  case BIN_AND:
    *r = a & b;
    return true;
  case BIN_OR:
    *r = a | b;
    return true;
  case BIN_XOR:
    *r = a ^ b;
    return true;
  case BIN_SHL: case BIN_SHL_UNCHECKED:
    *r = (i128)(ua << (ub & (bits - 1)));
    return true;
  case BIN_SHR: case BIN_SHR_UNCHECKED:
    *r = sign ? a >> (ub & (bits - 1)) : (i128)(ua >> (ub & (bits - 1)));
    return true;
  case BIN_EQ:
    *r = a == b;
    return true;
  case BIN_NE:
    *r = a != b;
    return true;
  case BIN_LT:
    *r = sign ? a < b : ua < ub;
    return true;
  case BIN_LE:
    *r = sign ? a <= b : ua <= ub;
    return true;
  case BIN_GT:
    *r = sign ? a > b : ua > ub;
    return true;
  case BIN_GE:
    *r = sign ? a >= b : ua >= ub;
    return true;
  default:
    return false;
  }
}

static bool is_checked(enum mir_bin op) {
  return op == BIN_ADD_OVERFLOW || op == BIN_SUB_OVERFLOW || op == BIN_MUL_OVERFLOW;
}

static bool do_bin(struct eval *v, const struct spot *to, const struct mir_rvalue *rv) {
  const struct rty *ta, *tb;
  struct cmem *ma = value_of(v, &rv->a, NULL, &ta), *mb = ma ? value_of(v, &rv->b, ta, &tb) : NULL;
  u128 a, b;
  i128 r;
  if (!mb)
    return false;
  unsigned bits = type_int_bits(ta), bb = type_int_bits(tb);
  if (!bits || !bb || bits > 64 || !read_uint(ma, 0, ma->size, &a) || !read_uint(mb, 0, mb->size, &b))
    return stop(v, "it computes with something that is not an integer");
  bool sign = is_signed(ta);
  if (!int_op(rv->bin, extend(a, bits, sign), extend(b, bb, is_signed(tb)), sign, bits, &r))
    return stop(v, "it holds an operation that is not worked out here");
  uint64_t size, align;
  if (!size_of(v, to->ty, &size, &align))
    return false;
  if (!is_checked(rv->bin))
    return put_result(v, to, (u128)r, size);
  /* (T, bool): up to 64 bits the exact result fits into 128, but for products of u64. */
  bool over = extend((u128)r, bits, sign) != r;
  struct spot s = *to;
  struct mir_proj f0 = {.kind = PROJ_FIELD, .index = 0, .ty = ta};
  struct mir_proj f1 = {.kind = PROJ_FIELD, .index = 1, .ty = rty_prim(v->e->p->types, PRIM_BOOL)};
  if (!step_field(v, &s, &f0) || !put_result(v, &s, (u128)r, ma->size))
    return false;
  s = *to;
  return step_field(v, &s, &f1) && put_result(v, &s, over, 1);
}

static bool do_un(struct eval *v, const struct spot *to, const struct mir_rvalue *rv) {
  const struct rty *t;
  u128 a;
  struct cmem *m = value_of(v, &rv->a, NULL, &t);
  if (!m)
    return false;
  if (rv->un == UN_PTR_METADATA) {
    return m->size == 16 && read_uint(m, 8, 8, &a) ? put_result(v, to, a, 8)
                                                   : stop(v, "it asks for an unknown length");
  }
  if (!read_uint(m, 0, m->size, &a))
    return stop(v, "it computes with an unknown value");
  if (rty_is_prim(t, PRIM_BOOL))
    return put_result(v, to, !a, 1);
  if (rv->un == UN_NEG && rty_is_prim(t, PRIM_F32))
    return put_result(v, to, a ^ 0x80000000u, 4);
  if (rv->un == UN_NEG && rty_is_prim(t, PRIM_F64))
    return put_result(v, to, a ^ (u128)1 << 63, 8);
  if (!type_int_bits(t))
    return stop(v, "it holds an operation that is not worked out here");
  return put_result(v, to, rv->un == UN_NOT ? ~a : (u128)0 - a, m->size);
}

static bool do_repeat(struct eval *v, const struct spot *to, const struct mir_rvalue *rv) {
  const struct rty *ty;
  uint64_t n;
  if (to->ty->kind != RTY_ARRAY || !rty_array_len(to->ty, &n) || n > 1u << 24)
    return stop(v, "it repeats an unknown number of times");
  struct cmem *m = value_of(v, &rv->a, to->ty->elem, &ty);
  if (!m)
    return false;
  for (uint64_t i = 0; i < n && m->size; i++) {
    struct spot s = *to;
    if (!step_element(v, &s, i) || !store(v, &s, m))
      return false;
  }
  return true;
}

static bool assign(struct eval *v, const struct mir_stmt *st) {
  struct spot to;
  const struct mir_rvalue *rv = st->rv;
  if (!locate(v, &st->place, &to))
    return false;
  switch (rv->kind) {
  case RV_USE: {
    const struct rty *ty;
    struct cmem *m = value_of(v, &rv->a, to.ty, &ty);
    return m && store(v, &to, m);
  }
  case RV_ARRAY:
    return store_fields(v, &to, 0, rv->ops, rv->n_ops, true);
  case RV_TUPLE:
    return store_fields(v, &to, 0, rv->ops, rv->n_ops, false);
  case RV_ADT:
    return do_adt(v, &to, rv);
  case RV_REPEAT:
    return do_repeat(v, &to, rv);
  case RV_REF: case RV_RAW:
    return do_ref(v, &to, rv);
  case RV_CAST:
    return do_cast(v, &to, rv);
  case RV_BIN:
    return do_bin(v, &to, rv);
  case RV_UN:
    return do_un(v, &to, rv);
  case RV_CLOSURE:
    return to.ty->kind == RTY_CLOSURE && to.ty->n_args == rv->n_ops
               ? store_fields(v, &to, 0, rv->ops, rv->n_ops, false)
               : stop(v, "it makes a closure");
  default:
    return stop(v, "it holds an expression that is not worked out here");
  }
}

static bool statement(struct eval *v, const struct mir_stmt *st) {
  switch (st->kind) {
  case ST_ASSIGN:
    return assign(v, st);
  case ST_LIVE: case ST_DEAD: case ST_NOP: case ST_ASSUME:
    return true;
  case ST_SETDISCR: {
    struct spot to;
    return locate(v, &st->place, &to) && set_tag(v, &to, st->variant);
  }
  case ST_COPY:
    break;
  }
  return stop(v, "it copies memory");
}

static struct cmem *run(struct eval *v);

/* Runs the frame on a body whose allocations are those of its own dump. */
static struct cmem *run_frame(struct eval *f, const struct rty_subst *subst) {
  struct inst *in = f->e->in;
  struct prep_dump *was = in->dump;
  struct rty_subst was_subst = in->subst;
  in->dump = f->dump;
  if (subst)
    in->subst = *subst;
  struct cmem *m = run(f);
  in->dump = was;
  in->subst = was_subst;
  return m;
}

/* The body of a function: one of this crate that is not generic, or rustc's answer. NULL: stopped. */
static const struct mir_item *callee_body(struct eval *v, const struct rty *fd,
                                          struct prep_dump **dump, const struct rty_subst **subst) {
  struct prep *p = v->e->p;
  const struct rty *arg;
  const struct mir_item *item = mir_item_of_path(&v->dump->file, rty_path_bare(p->types, fd->path));
  *dump = v->dump;
  *subst = NULL;
  if (item && item->kind == MI_FN && item->body.n_blocks && !rty_path_args(fd->path, &arg, 1))
    return item;
  struct answer *a = item ? NULL : want_call(p, fd, v->e->span);
  if (!a || a->reason.n) {
    stop(v, "it calls a function");
    return NULL;
  }
  if (!a->ok) {
    v->why = NULL;
    return NULL;
  }
  *dump = a->dump, *subst = &a->subst;
  return a->item;
}

/* A call: a frame of its own. */
static bool call(struct eval *v, const struct mir_term *t) {
  const struct rty *fd = callee_fndef(&t->op), *ty;
  const struct rty_subst *subst;
  struct eval f = {.e = v->e, .why = "it cannot be run", .steps = v->steps, .depth = v->depth + 1};
  if (!fd || v->depth > 64)
    return stop(v, "it calls a function");
  f.item = callee_body(v, ty_of(v, fd), &f.dump, &subst);
  if (!f.item || f.item->body.n_args != t->n_args)
    return f.item ? stop(v, "it calls a function") : false;
  f.locals = arena_array(v->e->p->arena, struct cmem *, f.item->body.n_locals + 1);
  for (uint32_t i = 0; i < t->n_args; i++) {
    f.locals[i + 1] = value_of(v, &t->args[i], NULL, &ty);
    if (!f.locals[i + 1])
      return false;
    for (size_t r = 0; r < f.locals[i + 1]->relocs.n; r++)
      if (f.locals[i + 1]->relocs.p[r].local != PREP_NONE)
        return stop(v, "it passes the address of a local");
  }
  struct cmem *m = run_frame(&f, subst);
  struct spot to;
  v->steps = f.steps;
  v->why = f.why;
  return m && locate(v, &t->place, &to) && store(v, &to, m);
}

/* The next block, or MIR_NONE at the end; false: stopped. */
static bool terminator(struct eval *v, const struct mir_term *t, uint32_t *next) {
  const struct rty *ty;
  u128 x;
  struct cmem *m;
  switch (t->kind) {
  case TM_GOTO:
    *next = t->target;
    return true;
  case TM_RETURN:
    *next = MIR_NONE;
    return true;
  case TM_ASSERT:
    m = value_of(v, &t->op, NULL, &ty);
    if (!m || !read_uint(m, 0, 1, &x) || (x != 0) != t->expected)
      return stop(v, "it panics");
    *next = t->target;
    return true;
  case TM_SWITCH:
    m = value_of(v, &t->op, NULL, &ty);
    if (!m || !read_uint(m, 0, m->size, &x))
      return stop(v, "it branches on an unknown value");
    *next = t->target;
    for (uint32_t i = 0; i < t->n_targets; i++)
      if (((u128)t->values[i].hi << 64 | t->values[i].lo) == x)
        *next = t->targets[i];
    return *next != MIR_NONE ? true : stop(v, "it branches nowhere");
  case TM_CALL:
    *next = t->target;
    return t->target != MIR_NONE ? call(v, t) : stop(v, "it panics");
  default:
    return stop(v, "it does something that is not worked out here");
  }
}

/* Locals that pointers of the result point to become allocations. */
static bool settle(struct eval *v, struct cmem *m, uint32_t *ids) {
  for (size_t i = 0; i < m->relocs.n; i++) {
    uint32_t l = m->relocs.p[i].local;
    if (l == PREP_NONE)
      continue;
    if (!ids[l]) {
      ids[l] = UINT32_MAX; /* a cycle cannot be made by a constant */
      if (!settle(v, v->locals[l], ids))
        return false;
      ids[l] = cmem_emit(v->e->p, v->locals[l]) + 1;
    }
    if (ids[l] == UINT32_MAX)
      return stop(v, "it points to itself");
    m->relocs.p[i].to = (struct target){"alloc", ids[l] - 1};
    m->relocs.p[i].local = PREP_NONE;
  }
  return true;
}

static struct cmem *run(struct eval *v) {
  const struct mir_body *b = &v->item->body;
  struct prep *p = v->e->p;
  if (!v->locals)
    v->locals = arena_array(p->arena, struct cmem *, b->n_locals + 1);
  uint32_t bb = 0;
  while (bb != MIR_NONE) {
    const struct mir_block *blk = mir_block_at(b, bb);
    if (!blk || ++v->steps > 100000) {
      stop(v, "it runs too long");
      return NULL;
    }
    for (uint32_t i = 0; i < blk->n_stmts; i++)
      if (!statement(v, &blk->stmts[i]))
        return NULL;
    if (!terminator(v, &blk->term, &bb))
      return NULL;
  }
  if (!v->locals[0]) {
    stop(v, "it has no result");
    return NULL;
  }
  uint32_t *ids = arena_array(p->arena, uint32_t, b->n_locals);
  return settle(v, v->locals[0], ids) ? v->locals[0] : NULL;
}

struct cmem *const_eval(struct emit *e, struct prep_dump *d, const struct mir_item *item,
                        const struct rty *path, const struct rty *ty, const char **why) {
  struct eval v = {.e = e, .dump = d, .item = item, .why = "it cannot be run"};
  struct prep_dump *was = e->in->dump;
  struct rty_subst was_subst = e->in->subst;
  struct cmem *m = NULL;
  uint64_t size, align;
  e->in->subst = part_subst(e->p, d, item, path, e->in);
  e->constant_depth++;
  e->in->dump = d; /* alloc numbers of the constant are those of its own dump */
  if (item->ty)
    ty = ty_of(&v, item->ty);
  if (item->value) {
    if (ty && size_of(&v, ty, &size, &align)) {
      m = cmem_new(e->p, size, align);
      if (!const_store(e, item->value, ty, m, 0))
        m = NULL;
    }
  } else if (item->body.n_blocks) {
    m = run(&v);
  }
  e->constant_depth--;
  e->in->dump = was;
  e->in->subst = was_subst;
  *why = v.why;
  return m;
}

/* ---- constants of a dump into memory ---- */
static bool store_pointer(struct emit *e, const struct mir_const *k, const struct rty *ty,
                          struct cmem *to, uint64_t at) {
  const struct rty *pointee = ty->kind == RTY_REF || ty->kind == RTY_PTR ? ty->elem : NULL;
  struct cmem_reloc r = {.off = at, .add = k->offset, .local = PREP_NONE};
  r.to = const_target(e, e->in->dump, k->alloc, true, pointee);
  if (!r.to.kind)
    return false;
  vec_push(e->p->arena, &to->relocs, r);
  memset(to->init + at, 1, 8);
  if (k->kind == MC_SLICE)
    cmem_put(to, at + 8, k->meta, 8);
  return true;
}

static bool store_indirect(struct emit *e, const struct mir_const *k, const struct rty *ty,
                           struct cmem *to, uint64_t at) {
  struct prep_dump *d = e->in->dump;
  const struct mir_alloc *a = mir_alloc_find(&d->file, k->alloc);
  uint64_t size, align;
  if (!a || !a->has_bytes || !type_size(e->p, ty, &size, &align) || k->offset > a->size ||
      size > a->size - k->offset)
    return false;
  memcpy(to->bytes + at, a->bytes + k->offset, size);
  memcpy(to->init + at, a->init + k->offset, size);
  for (uint32_t i = 0; i < a->n_relocs; i++) {
    const struct mir_reloc *r = &a->relocs[i];
    if (r->offset < k->offset || r->offset + 8 > k->offset + size)
      continue;
    struct cmem_reloc o = {.off = at + r->offset - k->offset, .add = r->addend, .local = PREP_NONE};
    o.to = const_target(e, d, r->alloc, true, NULL);
    if (!o.to.kind)
      return false;
    vec_push(e->p->arena, &to->relocs, o);
  }
  return true;
}

static bool store_named(struct emit *e, const struct mir_const *k, const struct rty *ty,
                        struct cmem *to, uint64_t at) {
  struct named n;
  uint64_t size, align;
  if (!const_named(e, e_ty(e, k->path), ty, &n) || !type_size(e->p, ty, &size, &align))
    return false;
  const struct cmem *m = n.m ? n.m : e->p->allocs.p[n.alloc].mem;
  uint64_t off = n.m ? 0 : n.off;
  if (!m || off > m->size || size > m->size - off)
    return false;
  cmem_copy(e->p, to, at, m, off, size);
  return true;
}

bool const_store(struct emit *e, const struct mir_const *k, const struct rty *ty, struct cmem *to,
                 uint64_t at) {
  uint64_t size, align;
  if (!type_size(e->p, ty, &size, &align) || at > to->size || size > to->size - at)
    return false;
  switch (k->kind) {
  case MC_SCALAR:
    cmem_put(to, at, (u128)k->bits.hi << 64 | k->bits.lo, size);
    return true;
  case MC_ZST: case MC_UNINIT:
    return true;
  case MC_ALLOC: case MC_SLICE:
    return store_pointer(e, k, ty, to, at);
  case MC_INDIRECT:
    return store_indirect(e, k, ty, to, at);
  case MC_NAMED:
    return store_named(e, k, ty, to, at);
  case MC_PARAM: {
    const struct rty *c = e_ty(e, k->tree);
    if (c->kind != RTY_CONST)
      return false;
    cmem_put(to, at, (u128)c->hi << 64 | c->lo, size);
    return true;
  }
  case MC_VALTREE:
    return false;
  }
  return false;
}
