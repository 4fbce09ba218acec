/* Inline PTX written by the user. */
#include "ir/ll.h"

#define MAX_PTX_ARGS 16

struct ptx {
  struct ll_fn *fc;
  const struct pm_ptx *p;
  unsigned number[MAX_PTX_ARGS]; /* LLVM's operand number of each argument */
  unsigned n_out, n_in;
};

static LLVMTypeRef letter_type(struct ll *l, char c) {
  switch (c) {
  case 'h':
    return l->i16;
  case 'r':
    return l->i32;
  case 'l':
    return l->i64;
  case 'f':
    return l->f32;
  case 'd':
    return l->f64;
  default:
    return NULL;
  }
}

/* Results come first in LLVM's numbering. */
static void number_args(struct ptx *x) {
  for (uint32_t i = 0; i < x->p->n_args; i++)
    if (x->p->args[i].dir != PTX_IN)
      x->number[i] = x->n_out++;
  unsigned at = x->n_out;
  for (uint32_t i = 0; i < x->p->n_args; i++)
    if (x->p->args[i].dir == PTX_IN)
      x->number[i] = at++;
}

static bool translate(struct ptx *x, struct strbuf *out) {
  str s = x->p->text;
  for (size_t i = 0; i < s.n; i++) {
    if (s.p[i] != '$') {
      sb_addc(out, s.p[i]);
      continue;
    }
    if (i + 1 < s.n && s.p[i + 1] == '$') {
      sb_addz(out, "$$");
      i++;
      continue;
    }
    size_t from = ++i, n = 0;
    while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9' && n <= MAX_PTX_ARGS)
      n = n * 10 + (size_t)(s.p[i++] - '0');
    if (i == from || n >= x->p->n_args) {
      ll_refuse(x->fc, MD0309, "`$` in inline PTX is not followed by the number of an argument");
      return false;
    }
    sb_addf(out, "${%u}", x->number[n]);
    i--;
  }
  return true;
}

/* A value in the register class that its letter names. */
static ll_v to_reg(struct ptx *x, const struct pm_ptx_arg *a) {
  struct ll *l = x->fc->l;
  LLVMTypeRef want = letter_type(l, a->constraint);
  struct ll_val v = ll_operand(x->fc, &a->in);
  if (!v.mem && v.n == 1) {
    ll_v r = v.v[0];
    if (LLVMTypeOf(r) == l->ptr && want == l->i64)
      return LLVMBuildPtrToInt(l->b, r, want, "");
    if (LLVMTypeOf(r) == l->f16 && want == l->i16)
      return LLVMBuildBitCast(l->b, r, want, "");
    if (LLVMTypeOf(r) == want)
      return r;
  }
  ll_refuse(x->fc, MD0309, "an argument of type `%.*s` does not fit register class `%c`",
            STR_ARG(ll_ty(l, v.ty)->name), a->constraint);
  return LLVMGetUndef(want);
}

static void from_reg(struct ptx *x, const struct pm_ptx_arg *a, ll_v r) {
  struct ll *l = x->fc->l;
  const struct pm_place *p = &a->out;
  pm_ty ty = p->n > 0 ? p->proj[p->n - 1].ty : x->fc->f->locals[p->local].ty;
  const struct ll_shape *s = ll_shape(l, ty);
  if (s->mem || s->n != 1) {
    ll_refuse(x->fc, MD0309, "a result of type `%.*s` does not fit a register",
              STR_ARG(ll_ty(l, ty)->name));
    return;
  }
  LLVMTypeRef want = ll_leaf_type(l, &s->leaf[0]);
  if (want == l->ptr && LLVMTypeOf(r) == l->i64)
    r = LLVMBuildIntToPtr(l->b, r, want, "");
  if (want == l->f16 && LLVMTypeOf(r) == l->i16)
    r = LLVMBuildBitCast(l->b, r, want, "");
  if (LLVMTypeOf(r) != want) {
    ll_refuse(x->fc, MD0309, "a result of type `%.*s` does not fit register class `%c`",
              STR_ARG(ll_ty(l, ty)->name), a->constraint);
    return;
  }
  struct ll_val v = ll_one(l, ty, r);
  ll_assign(x->fc, p, &v);
}

static ll_v emit(struct ptx *x, const char *text) {
  struct ll *l = x->fc->l;
  struct strbuf con = {0};
  LLVMTypeRef outs[MAX_PTX_ARGS];
  ll_v ins[MAX_PTX_ARGS];
  unsigned n = 0;
  for (uint32_t i = 0; i < x->p->n_args; i++) {
    if (x->p->args[i].dir == PTX_IN)
      continue;
    sb_addf(&con, "%s=%c", con.n ? "," : "", x->p->args[i].constraint);
    outs[n++] = letter_type(l, x->p->args[i].constraint);
  }
  for (unsigned pass = 0; pass < 2; pass++) {
    for (uint32_t i = 0; i < x->p->n_args; i++) {
      const struct pm_ptx_arg *a = &x->p->args[i];
      if (a->dir != (pass == 0 ? PTX_IN : PTX_INOUT))
        continue;
      ins[x->n_in++] = to_reg(x, a);
      if (pass == 0)
        sb_addf(&con, "%s%c", con.n ? "," : "", a->constraint);
      else
        sb_addf(&con, "%s%u", con.n ? "," : "", x->number[i]);
    }
  }
  if (!x->p->no_mem)
    sb_addf(&con, "%s~{memory}", con.n ? "," : "");
  LLVMTypeRef ret = n == 0   ? l->t_void
                    : n == 1 ? outs[0]
                             : LLVMStructTypeInContext(l->cx, outs, n, 0);
  ll_v r = ll_asm(l, text, sb_z(&con), ret, ins, x->n_in, !x->p->pure);
  sb_free(&con);
  return r;
}

void ll_ptx_term(struct ll_fn *fc, const struct pm_term *t) {
  struct ll *l = fc->l;
  struct ptx x = {.fc = fc, .p = t->u.ptx};
  struct strbuf text = {0};
  bool ok = x.p->n_args <= MAX_PTX_ARGS;
  if (!ok)
    ll_refuse(fc, MD0309, "inline PTX takes at most %d arguments", MAX_PTX_ARGS);
  if (l->o->emu) {
    struct diag *d = ll_refuse(fc, MD0801, "inline PTX cannot be emulated");
    diag_help(d, "for the emulator, give the function another body under a `cfg` of yours");
    ok = false;
  } else if (l->o->host) {
    ll_refuse(fc, MD0311, "inline PTX needs a GPU");
    ok = false;
  }
  for (uint32_t i = 0; ok && i < x.p->n_args; i++) {
    if (letter_type(l, x.p->args[i].constraint))
      continue;
    ll_refuse(fc, MD0309, "there is no register class `%c`", x.p->args[i].constraint);
    ok = false;
  }
  if (ok)
    number_args(&x);
  if (ok && translate(&x, &text)) {
    ll_v r = emit(&x, sb_z(&text));
    for (uint32_t i = 0; i < x.p->n_args; i++) {
      if (x.p->args[i].dir == PTX_IN)
        continue;
      ll_v part = x.n_out == 1 ? r : LLVMBuildExtractValue(l->b, r, x.number[i], "");
      from_reg(&x, &x.p->args[i], part);
    }
  }
  sb_free(&text);
  if (t->target == PM_NONE)
    LLVMBuildUnreachable(l->b);
  else
    ll_branch(fc, t->target);
}
