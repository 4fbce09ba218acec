/* Inline assembly in the MIR text: the one construct whose text is printed raw, so that it may hold
 * newlines, quotes and slashes. */
#include "cargo-integration/rustc/mir_reader.h"

#include <string.h>

/* Is this what follows a template's closing quote? */
static bool at_template_end(const struct lex *l) {
  static const char *const next[] = {"\", in(",      "\", out(",        "\", lateout(",
                                     "\", inout(",   "\", inlateout(",  "\", const ",
                                     "\", sym_fn ",  "\", sym_static ", "\", label bb",
                                     "\", options(", "\") -> "};
  for (size_t i = 0; i < COUNT_OF(next); i++)
    if (lex_at(l, str_from(next[i])))
      return true;
  return false;
}

static bool read_template(struct reader *r, str *out) {
  struct lex *l = &r->l;
  if (!NEED(r, "\""))
    return false;
  size_t from = l->pos;
  for (; !lex_end(l); l->pos++)
    if (lex_peek(l) == '"' && at_template_end(l)) {
      *out = str_sub(l->text, from, l->pos);
      l->pos++;
      return true;
    }
  return reader_fail_at(r, MD0106, from, "the text of `asm!` does not end");
}

/* `(reg) `, with a name in quotes allowed inside. */
static bool read_reg(struct reader *r, struct mir_asm_op *op) {
  struct lex *l = &r->l;
  size_t from = l->pos;
  /* `"st(0)"` has parentheses of its own. */
  if (lex_peek(l) == '"')
    from = str_find_char(l->text, '"', l->pos + 1);
  size_t to = from == SIZE_MAX ? SIZE_MAX : str_find_char(l->text, ')', from);
  if (to == SIZE_MAX || to - l->pos > 64)
    return reader_fail(r, MD0101, "expected the register class of an operand");
  op->reg = str_sub(l->text, l->pos, to);
  l->pos = to + 1;
  return NEED(r, " ");
}

static bool read_out(struct reader *r, struct mir_asm_op *op) {
  if (lex_peek(&r->l) == '_' && !lex_is_digit(lex_peek_at(&r->l, 1))) {
    r->l.pos++;
    return true;
  }
  op->has_out = true;
  return read_place(r, &op->out, NULL);
}

static bool read_asm_inout(struct reader *r, struct mir_asm_op *op, bool late) {
  op->kind = ASM_INOUT;
  op->late = late;
  return read_reg(r, op) && read_operand(r, &op->in) && NEED(r, " => ") && read_out(r, op);
}

static bool read_asm_out(struct reader *r, struct mir_asm_op *op, bool late) {
  op->kind = ASM_OUT;
  op->late = late;
  return read_reg(r, op) && read_out(r, op);
}

static bool read_asm_op(struct reader *r, struct mir_asm_op *op) {
  struct lex *l = &r->l;
  *op = (struct mir_asm_op){0};
  if (LEX_EAT(l, "in("))
    return read_reg(r, op) && read_operand(r, &op->in);
  if (LEX_EAT(l, "out("))
    return read_asm_out(r, op, false);
  if (LEX_EAT(l, "lateout("))
    return read_asm_out(r, op, true);
  if (LEX_EAT(l, "inout("))
    return read_asm_inout(r, op, false);
  if (LEX_EAT(l, "inlateout("))
    return read_asm_inout(r, op, true);
  if (LEX_EAT(l, "const ")) {
    op->kind = ASM_CONST;
    return read_operand(r, &op->in);
  }
  if (LEX_EAT(l, "sym_fn ")) {
    op->kind = ASM_SYM_FN;
    return read_operand(r, &op->in);
  }
  if (LEX_EAT(l, "label ")) {
    op->kind = ASM_LABEL;
    return read_block_ref(r, &op->label);
  }
  if (LEX_AT(l, "sym_static ")) {
    l->pos += sizeof "sym_static " - 1;
    size_t from = l->pos;
    op->kind = ASM_SYM_STATIC;
    if (!lex_balanced(l, ",;", false))
      return reader_fail(r, MD0101, "expected the end of an operand of `asm!`");
    op->sym = str_sub(l->text, from, l->pos);
    return true;
  }
  return reader_fail(r, MD0101, "this operand of `asm!` is not known");
}

bool read_asm(struct reader *r, struct mir_term *t) {
  struct lex *l = &r->l;
  struct mir_asm *a = arena_new(r->arena, struct mir_asm);
  t->kind = TM_ASM;
  t->asm_ = a;
  r->asm_ops.n = 0;
  if (!read_template(r, &a->template))
    return false;
  while (LEX_EAT(l, ", ")) {
    if (LEX_EAT(l, "options(")) {
      size_t to = str_find_char(l->text, ')', l->pos);
      if (to == SIZE_MAX)
        return reader_fail(r, MD0101, "expected `)`");
      a->options = str_sub(l->text, l->pos, to);
      l->pos = to + 1;
      break;
    }
    struct mir_asm_op op;
    if (!read_asm_op(r, &op))
      return false;
    vec_push(NULL, &r->asm_ops, op);
  }
  a->n_ops = (uint32_t)r->asm_ops.n;
  if (a->n_ops > 0) {
    struct mir_asm_op *ops = arena_array(r->arena, struct mir_asm_op, a->n_ops);
    memcpy(ops, r->asm_ops.p, a->n_ops * sizeof *ops);
    a->ops = ops;
  }
  return NEED(r, ")") && read_targets(r, t, STR("return: "));
}
