/* Terminators other than calls. */
#include "cargo-integration/rustc/consts.h"
#include "cargo-integration/rustc/dyn.h"
#include "cargo-integration/rustc/emit.h"

void e_goto(struct emit *e, uint32_t bb) {
  jw_array(&e->w);
  if (bb == MIR_NONE) {
    jw_strz(&e->w, "unreach");
  } else {
    jw_strz(&e->w, "goto");
    jw_u64(&e->w, e_block(e, bb));
  }
  jw_end_array(&e->w);
}

void e_trap(struct emit *e, const char *code, str message) {
  jw_array(&e->w);
  jw_strz(&e->w, "trap");
  jw_strz(&e->w, code);
  jw_str(&e->w, message);
  e_span(e);
  jw_end_array(&e->w);
}

static void write_switch(struct emit *e, const struct mir_term *t) {
  struct jsonw *w = &e->w;
  jw_array(w);
  jw_strz(w, "switch");
  e_operand(e, &t->op, NULL);
  jw_array(w);
  for (uint32_t i = 0; i < t->n_targets; i++) {
    jw_array(w);
    jw_hex(w, (u128)t->values[i].hi << 64 | t->values[i].lo);
    jw_u64(w, e_block(e, t->targets[i]));
    jw_end_array(w);
  }
  jw_end_array(w);
  e_block_or_null(e, t->target);
  jw_end_array(w);
}

static const char *assert_name(enum mir_assert a) {
  switch (a) {
  case ASSERT_BOUNDS:
    return "bounds";
  case ASSERT_NEG:
    return "neg_overflow";
  case ASSERT_DIV_ZERO:
    return "div_zero";
  case ASSERT_REM_ZERO:
    return "rem_zero";
  case ASSERT_ADD:
    return "add_overflow";
  case ASSERT_SUB:
    return "sub_overflow";
  case ASSERT_MUL:
    return "mul_overflow";
  case ASSERT_DIV:
    return "div_overflow";
  case ASSERT_REM:
    return "rem_overflow";
  case ASSERT_SHL:
    return "shl_overflow";
  case ASSERT_SHR:
    return "shr_overflow";
  case ASSERT_MISALIGNED:
    return "misaligned";
  case ASSERT_NULL:
    return "null";
  case ASSERT_ENUM:
    return "invalid_enum";
  case ASSERT_COUNT:
    break;
  }
  return "panic";
}

static void write_assert(struct emit *e, const struct mir_term *t) {
  struct jsonw *w = &e->w;
  jw_array(w);
  jw_strz(w, "assert");
  e_operand(e, &t->op, rty_prim(e->p->types, PRIM_BOOL));
  jw_bool(w, t->expected);
  jw_strz(w, assert_name(t->assert_kind));
  jw_array(w);
  for (uint32_t i = 0; i < t->n_args; i++) /* two are of one type */
    e_operand(e, &t->args[i], t->n_args == 2 ? e_operand_ty(e, &t->args[1 - i]) : NULL);
  jw_end_array(w);
  jw_u64(w, e_block(e, t->target));
  e_span(e);
  jw_end_array(w);
}

static void write_drop(struct emit *e, const struct mir_term *t) {
  const struct rty *ty = e_place_ty(e, &t->place, t->place.n_proj);
  if (!ty)
    return;
  bool pending = false;
  struct inst *glue = e_drop_inst(e, ty, &pending);
  struct jsonw *w = &e->w;
  jw_array(w);
  jw_strz(w, "drop");
  e_place(e, &t->place);
  if (glue)
    jw_u64(w, glue->id);
  else
    jw_null(w);
  e_block_or_null(e, t->target);
  e_span(e);
  jw_end_array(w);
}

struct inst *e_drop_inst(struct emit *e, const struct rty *ty, bool *pending) {
  bool known = true;
  *pending = false;
  if (!type_needs_drop(e->p, ty, e->span, &known) && known)
    return NULL;
  struct ty_info *i = prep_info(e->p, ty);
  if (i->drop == DROP_UNASKED) /* the whole goes with its parts */
    want_drop(e->p, i, e->span);
  if (i->drop == DROP_GLUE)
    return mono_glue(e->p, e->in, ty, e->span);
  if (i->drop == DROP_NONE)
    return NULL;
  *pending = true;
  e->p->undecided++;
  if (i->drop == DROP_REFUSED) {
    struct diag *d = e_error(e, MD0186, "how to drop `%.*s` cannot be had",
                             STR_ARG(rty_label(e->p->types, ty)));
    if (i->drop_reason.n)
      diag_note(d, "rustc says: %.*s", STR_ARG(i->drop_reason));
    diag_help(d, "declare the type outside of functions, or hold the value in `ManuallyDrop`");
  }
  return NULL;
}

/* A trait object knows by itself how it is dropped. */
static bool drop_object(struct emit *e, const struct mir_term *t) {
  const struct rty *ty = e_place_ty(e, &t->place, t->place.n_proj);
  if (!ty || ty->kind != RTY_DYN)
    return false;
  struct mir_operand ptr = {.kind = OP_COPY, .place = t->place};
  ptr.place.n_proj--; /* only a pointer leads to such a place */
  e_dyn_drop(e, t, &ptr);
  return true;
}

void e_term(struct emit *e, const struct mir_term *t) {
  struct jsonw *w = &e->w;
  if (t->kind == TM_DROP && drop_object(e, t))
    return;
  if (t->kind == TM_CALL) {
    e_call(e, t);
    return;
  }
  jw_end_array(w);
  switch (t->kind) {
  case TM_GOTO:
    e_goto(e, t->target);
    return;
  case TM_SWITCH:
    write_switch(e, t);
    return;
  case TM_RETURN:
    jw_raw(w, STR("[\"ret\"]"));
    return;
  case TM_UNREACHABLE:
    jw_raw(w, STR("[\"unreach\"]"));
    return;
  case TM_RESUME: case TM_TERMINATE:
    e_trap(e, "abort", STR("unwinding"));
    return;
  case TM_DROP:
    write_drop(e, t);
    return;
  case TM_ASSERT:
    write_assert(e, t);
    return;
  case TM_ASM:
    e_asm(e, t);
    return;
  case TM_TAILCALL:
    e_error(e, MD0183, "an explicit tail call");
    jw_null(w);
    return;
  case TM_CALL:
    return;
  }
}
