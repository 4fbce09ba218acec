/* Inline PTX: `asm!` with the marked template that `mirdc::ptx!` makes. */
#include "cargo-integration/rustc/emit.h"

static char constraint(const struct rty *ty) {
  if (ty->kind == RTY_PTR || ty->kind == RTY_REF)
    return 'l';
  if (rty_is_prim(ty, PRIM_F32))
    return 'f';
  if (rty_is_prim(ty, PRIM_F64))
    return 'd';
  switch (type_int_bits(ty)) {
  case 16:
    return 'h';
  case 32:
    return 'r';
  case 64:
    return 'l';
  default:
    return 0;
  }
}

/* `{0}` to `$0`, doubled braces to one, a dollar to two. */
static bool convert(str t, uint32_t n_ops, struct strbuf *out) {
  for (size_t i = 0; i < t.n; i++) {
    char c = t.p[i];
    if (c == '$') {
      sb_addz(out, "$$");
    } else if ((c == '{' || c == '}') && i + 1 < t.n && t.p[i + 1] == c) {
      sb_addc(out, c);
      i++;
    } else if (c == '{') {
      size_t end = str_find_char(t, '}', i);
      uint64_t n;
      if (end == SIZE_MAX || !str_to_u64(str_sub(t, i + 1, end), &n) || n >= n_ops)
        return false;
      sb_addf(out, "$%u", (unsigned)n);
      i = end;
    } else if (c == '}') {
      return false;
    } else {
      sb_addc(out, c);
    }
  }
  return true;
}

static void write_operand(struct emit *e, const struct mir_asm_op *o) {
  struct jsonw *w = &e->w;
  bool in = o->kind == ASM_IN || o->kind == ASM_INOUT, out = o->has_out;
  const struct rty *ty = out ? e_place_ty(e, &o->out, o->out.n_proj) : e_operand_ty(e, &o->in);
  char c = ty ? constraint(ty) : 0;
  if (!c || !str_eq(o->reg, STR("reg")) || (!in && !out) ||
      (o->kind != ASM_IN && o->kind != ASM_OUT && o->kind != ASM_INOUT)) {
    e_error(e, MD0188, "an operand of this PTX has no register class");
    jw_null(w);
    return;
  }
  char letter[2] = {c, 0};
  jw_array(w);
  jw_strz(w, in && out ? "inout" : in ? "in" : "out");
  jw_strz(w, letter);
  if (in)
    e_operand(e, &o->in, ty);
  if (out)
    e_place(e, &o->out);
  jw_end_array(w);
}

void e_asm(struct emit *e, const struct mir_term *t) {
  static const str plain = {"// mirdc-ptx:\n", 14}, pure = {"// mirdc-ptx pure:\n", 19};
  struct jsonw *w = &e->w;
  str text = t->asm_->template;
  bool is_pure = str_starts(text, pure);
  if (!is_pure && !str_starts(text, plain)) {
    struct diag *d = e_error(e, MD0188, "assembly of the host in device code");
    diag_help(d, "use `mirdc::ptx!`");
    jw_null(w);
    return;
  }
  struct strbuf b = {0};
  if (!convert(str_drop(text, is_pure ? pure.n : plain.n), t->asm_->n_ops, &b))
    e_error(e, MD0188, "the template of this PTX cannot be read");
  jw_array(w);
  jw_strz(w, "ptx");
  jw_str(w, sb_str(&b));
  sb_free(&b);
  jw_array(w);
  for (uint32_t i = 0; i < t->asm_->n_ops; i++)
    write_operand(e, &t->asm_->ops[i]);
  jw_end_array(w);
  jw_object(w);
  jw_kbool(w, "pure", is_pure);
  jw_kbool(w, "nomem", is_pure);
  jw_end_object(w);
  e_block_or_null(e, t->target);
  e_span(e);
  jw_end_array(w);
}
