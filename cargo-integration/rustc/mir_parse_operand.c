/* Places, operands and constants of the MIR text. */
#include "cargo-integration/rustc/mir_reader.h"

#include <string.h>

bool read_local(struct reader *r, uint32_t *out) {
  size_t at = r->l.pos;
  if (lex_peek(&r->l) != '_' || !lex_is_digit(lex_peek_at(&r->l, 1)))
    return reader_fail(r, MD0101, "expected a local such as `_1`");
  r->l.pos++;
  if (!lex_u32(&r->l, out))
    return reader_fail_at(r, MD0108, at, "the number of this local is too large");
  if (*out >= r->max_local) {
    r->max_local = *out;
    r->max_local_at = at;
  }
  return true;
}

bool read_block_ref(struct reader *r, uint32_t *out) {
  size_t at = r->l.pos;
  if (!LEX_EAT(&r->l, "bb") || !lex_is_digit(lex_peek(&r->l)))
    return reader_fail_at(r, MD0101, at, "expected a block such as `bb1`");
  if (!lex_u32(&r->l, out))
    return reader_fail_at(r, MD0108, at, "the number of this block is too large");
  if (*out >= r->max_block) {
    r->max_block = *out;
    r->max_block_at = at;
  }
  return true;
}

/* ---- places ---- */

static void push_proj(struct reader *r, struct mir_proj p) {
  vec_push(NULL, &r->projs, p);
}

/* Behind `(place`: `.N: ty)`, ` as Variant)`, ` as variant#N)`, ` as subtype T)`. */
static bool read_paren_proj(struct reader *r) {
  struct lex *l = &r->l;
  struct mir_proj p = {0};
  if (LEX_EAT(l, ".")) {
    p.kind = PROJ_FIELD;
    if (!lex_u32(l, &p.index))
      return reader_fail(r, MD0101, "expected the number of a field");
    if (!NEED(r, ": ") || (p.ty = read_type(r)) == NULL)
      return false;
  } else if (LEX_EAT(l, " as subtype ")) {
    p.kind = PROJ_SUBTYPE;
    if ((p.ty = read_type(r)) == NULL)
      return false;
  } else if (LEX_EAT(l, " as ")) {
    p.kind = PROJ_DOWNCAST;
    p.index = MIR_NONE;
    if (LEX_EAT(l, "variant#")) {
      if (!lex_u32(l, &p.index))
        return reader_fail(r, MD0101, "expected the number of a variant");
    } else if ((p.name = lex_ident(l)).n == 0) {
      return reader_fail(r, MD0101, "expected the name of a variant");
    }
  } else {
    return reader_fail(r, MD0101, "expected `.` or ` as ` in a place");
  }
  push_proj(r, p);
  return NEED(r, ")");
}

/* `..b` of an array; `:-b`, or `:` alone, of a slice: counted from its end. */
static bool read_subslice_end(struct reader *r, struct mir_proj *p) {
  struct lex *l = &r->l;
  if (LEX_EAT(l, "..")) {
    if (!lex_u64(l, &p->to))
      return reader_fail(r, MD0101, "expected an index");
    return true;
  }
  if (!NEED(r, ":"))
    return false;
  p->from_end = true;
  if (LEX_EAT(l, "-") && !lex_u64(l, &p->to))
    return reader_fail(r, MD0101, "expected an index");
  return true;
}

/* Behind `[`: `_N]`, `[-]k of n]`, `a..b]`, `a:]`, `a:-b]`, `:-b]`. */
static bool read_index_proj(struct reader *r) {
  struct lex *l = &r->l;
  struct mir_proj p = {0};
  if (lex_peek(l) == '_') {
    p.kind = PROJ_INDEX;
    if (!read_local(r, &p.index))
      return false;
    push_proj(r, p);
    return NEED(r, "]");
  }
  p.from_end = LEX_EAT(l, "-");
  if (!lex_u64(l, &p.from) && (p.from_end || lex_peek(l) != ':'))
    return reader_fail(r, MD0101, "expected an index");
  if (LEX_EAT(l, " of ")) {
    p.kind = PROJ_CONST_INDEX;
    if (!lex_u64(l, &p.to))
      return reader_fail(r, MD0101, "expected the least length");
  } else {
    if (p.from_end)
      return reader_fail(r, MD0101, "expected ` of `");
    p.kind = PROJ_SUBSLICE;
    if (!read_subslice_end(r, &p))
      return false;
  }
  push_proj(r, p);
  return NEED(r, "]");
}

static bool at_debug_base(const struct reader *r) {
  struct lex ahead = r->l;
  return lex_ident(&ahead).n > 0 && LEX_AT(&ahead, ": ");
}

static bool read_place_inner(struct reader *r, uint32_t *local, struct mir_debug *dbg) {
  struct lex *l = &r->l;
  if (!reader_enter(r))
    return false;
  if (LEX_EAT(l, "(*")) {
    if (!read_place_inner(r, local, dbg) || !NEED(r, ")"))
      return false;
    push_proj(r, (struct mir_proj){.kind = PROJ_DEREF});
  } else if (lex_peek(l) == '(') {
    l->pos++;
    if (dbg != NULL && at_debug_base(r)) {
      dbg->name = lex_ident(l);
      l->pos += 2;
      if ((dbg->base = read_type(r)) == NULL || !NEED(r, ")"))
        return false;
    } else if (!read_place_inner(r, local, dbg) || !read_paren_proj(r)) {
      return false;
    }
  } else if (!read_local(r, local)) {
    return false;
  }
  while (LEX_EAT(l, "["))
    if (!read_index_proj(r))
      return false;
  r->depth--;
  return true;
}

bool read_place(struct reader *r, struct mir_place *out, struct mir_debug *dbg) {
  size_t mark = r->projs.n;
  *out = (struct mir_place){0};
  if (!read_place_inner(r, &out->local, dbg))
    return false;
  out->n_proj = (uint32_t)(r->projs.n - mark);
  if (out->n_proj > 0) {
    struct mir_proj *p = arena_array(r->arena, struct mir_proj, out->n_proj);
    memcpy(p, r->projs.p + mark, out->n_proj * sizeof *p);
    out->proj = p;
  }
  r->projs.n = mark;
  return true;
}

/* ---- constants ---- */

static bool read_alloc_id(struct reader *r, uint32_t *out) {
  if (!NEED(r, "alloc"))
    return false;
  if (!lex_u32(&r->l, out))
    return reader_fail(r, MD0104, "expected the number of an allocation");
  return true;
}

/* `allocN`, `allocN+0x8`, with `<imm>` on either side of the offset. */
static bool read_pointer(struct reader *r, struct mir_const *k) {
  struct lex *l = &r->l;
  k->kind = MC_ALLOC;
  if (!read_alloc_id(r, &k->alloc))
    return false;
  k->imm = LEX_EAT(l, "<imm>");
  if (LEX_EAT(l, "+0x")) {
    uint64_t hi;
    unsigned digits;
    if (!lex_hex128(l, &k->offset, &hi, &digits) || hi != 0)
      return reader_fail(r, MD0104, "expected the offset of a pointer");
  }
  k->imm = LEX_EAT(l, "<imm>") || k->imm;
  return true;
}

static bool read_bits(struct reader *r, struct mir_const *k) {
  unsigned digits;
  k->kind = MC_SCALAR;
  if (!lex_hex128(&r->l, &k->bits.lo, &k->bits.hi, &digits) || digits % 2 != 0)
    return reader_fail(r, MD0104, "expected whole bytes in hexadecimal, at most 16");
  k->size = digits / 2;
  return true;
}

static bool read_scalar(struct reader *r, struct mir_const *k) {
  bool ok = LEX_EAT(&r->l, "0x") ? read_bits(r, k) : read_pointer(r, k);
  return ok && NEED(r, ")");
}

static bool read_slice_const(struct reader *r, struct mir_const *k) {
  k->kind = MC_SLICE;
  if (!read_alloc_id(r, &k->alloc) || !NEED(r, ", meta: "))
    return false;
  if (!lex_u64(&r->l, &k->meta))
    return reader_fail(r, MD0104, "expected the number of elements");
  return NEED(r, " }");
}

static bool read_indirect(struct reader *r, struct mir_const *k) {
  k->kind = MC_INDIRECT;
  if (!read_alloc_id(r, &k->alloc) || !NEED(r, ", offset: Size("))
    return false;
  if (!lex_u64(&r->l, &k->offset))
    return reader_fail(r, MD0104, "expected an offset in bytes");
  return NEED(r, " bytes) }");
}

/* Behind `ConstValue(`. */
static bool read_const_value(struct reader *r, struct mir_const *k) {
  struct lex *l = &r->l;
  bool ok;
  if (LEX_EAT(l, "Scalar(")) {
    ok = read_scalar(r, k);
  } else if (LEX_EAT(l, "ZeroSized")) {
    k->kind = MC_ZST;
    ok = true;
  } else if (LEX_EAT(l, "Slice { alloc_id: ")) {
    ok = read_slice_const(r, k);
  } else if (LEX_EAT(l, "Indirect { alloc_id: ")) {
    ok = read_indirect(r, k);
  } else {
    return reader_fail(r, MD0104, "this kind of constant value is not known");
  }
  return ok && NEED(r, ": ") && (k->ty = read_type(r)) != NULL && NEED(r, ")");
}

/* Size of a primitive's value, for the plain style where it is not in the digits. */
static uint32_t prim_size(const struct rty *ty) {
  static const uint8_t sizes[PRIM_COUNT] = {1, 4, 0, 1,  2, 4, 8, 16, 8, 1,
                                            2, 4, 8, 16, 8, 2, 4, 8,  16};
  return ty != NULL && ty->kind == RTY_PRIM ? sizes[ty->prim] : 0;
}

/* A constant argument as an operand: `ValTree(..)`, `N/#1`, `3_u32`, or a path. */
static bool read_type_const(struct reader *r, struct mir_const *k) {
  size_t at = r->l.pos;
  const struct rty *c = read_const_arg(r);
  if (c == NULL)
    return false;
  switch (c->kind) {
  case RTY_CONST:
    k->kind = MC_SCALAR;
    k->ty = c->elem;
    k->bits = (mir_u128){c->lo, c->hi};
    k->size = prim_size(c->elem);
    if (c->elem == NULL)
      return reader_fail_at(r, MD0104, at, "a constant without its type");
    return true;
  case RTY_CONST_BRANCH:
    k->kind = MC_VALTREE;
    k->tree = c;
    k->ty = c->elem;
    return true;
  case RTY_CONST_PARAM:
    k->kind = MC_PARAM;
    k->tree = c;
    return true;
  case RTY_PATH:
    k->kind = MC_NAMED;
    k->path = c;
    vec_push(NULL, &r->unevaluated, k);
    return true;
  default:
    return reader_fail_at(r, MD0104, at, "this kind of constant is not known");
  }
}

static bool at_named_const(const struct reader *r) {
  char c = lex_peek(&r->l);
  return lex_is_ident_start(c) || lex_is_digit(c) || c == '<' || c == '-' || c == '\'';
}

bool read_const(struct reader *r, const struct mir_const **out) {
  struct mir_const *k = arena_new(r->arena, struct mir_const);
  struct lex *l = &r->l;
  *out = k;
  if (LEX_EAT(l, "ConstValue("))
    return read_const_value(r, k);
  if (LEX_EAT(l, "<uninit>")) {
    k->kind = MC_UNINIT;
    return true;
  }
  if (LEX_EAT(l, "{transmute(0x"))
    return read_bits(r, k) && NEED(r, "): ") && (k->ty = read_type(r)) != NULL && NEED(r, "}");
  if (LEX_EAT(l, "{0x"))
    return read_bits(r, k) && NEED(r, " as ") && (k->ty = read_type(r)) != NULL && NEED(r, "}");
  if (LEX_AT(l, "{alloc")) {
    l->pos++;
    return read_pointer(r, k) && NEED(r, ": ") && (k->ty = read_type(r)) != NULL && NEED(r, "}");
  }
  if (!at_named_const(r))
    return reader_fail(r, MD0104, "this kind of constant is not known");
  return read_type_const(r, k);
}

/* ---- operands ---- */

bool at_operand(const struct reader *r) {
  const struct lex *l = &r->l;
  switch (lex_peek(l)) {
  case 'c':
    return LEX_AT(l, "copy ") || LEX_AT(l, "const ");
  case 'm':
    return LEX_AT(l, "move ");
  case 'n':
    return LEX_AT(l, "no_retag ");
  case 'C':
    return LEX_AT(l, "ConstValue(") || LEX_AT(l, "ContractChecks");
  case 'U':
    return LEX_AT(l, "UbChecks");
  case 'O':
    return LEX_AT(l, "OverflowChecks");
  default:
    return false;
  }
}

static bool read_constant_operand(struct reader *r, struct mir_operand *out) {
  out->kind = OP_CONST;
  return read_const(r, &out->k);
}

bool read_operand(struct reader *r, struct mir_operand *out) {
  struct lex *l = &r->l;
  *out = (struct mir_operand){.no_retag = LEX_EAT(l, "no_retag ")};
  if (LEX_EAT(l, "copy ")) {
    out->kind = OP_COPY;
    return read_place(r, &out->place, NULL);
  }
  if (LEX_EAT(l, "move ")) {
    out->kind = OP_MOVE;
    return read_place(r, &out->place, NULL);
  }
  if (LEX_EAT(l, "const "))
    return read_constant_operand(r, out);
  if (LEX_AT(l, "ConstValue("))
    return read_constant_operand(r, out);
  if (LEX_AT(l, "UbChecks") || LEX_AT(l, "ContractChecks") || LEX_AT(l, "OverflowChecks")) {
    out->kind = OP_RUNTIME_CHECK;
    out->name = lex_ident(l);
    return true;
  }
  return reader_fail(r, MD0101, "expected an operand");
}

bool read_operands(struct reader *r, char close) {
  struct lex *l = &r->l;
  while (lex_peek(l) != close) {
    struct mir_operand op;
    if (!read_operand(r, &op))
      return false;
    vec_push(NULL, &r->ops, op);
    if (LEX_EAT(l, ", "))
      continue;
    /* A tuple of one element is printed `(x,)`. */
    if (lex_peek(l) == ',' && lex_peek_at(l, 1) == close)
      l->pos++;
    if (lex_peek(l) != close)
      return reader_fail(r, MD0101, "expected `,` or `%c` behind an operand", close);
  }
  l->pos++;
  return true;
}

const struct mir_operand *take_operands(struct reader *r, size_t mark, uint32_t *n) {
  *n = (uint32_t)(r->ops.n - mark);
  if (*n == 0)
    return NULL;
  struct mir_operand *ops = arena_array(r->arena, struct mir_operand, *n);
  memcpy(ops, r->ops.p + mark, *n * sizeof *ops);
  r->ops.n = mark;
  return ops;
}
