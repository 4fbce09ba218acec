/* Statements and terminators of the MIR text. */
#include "cargo-integration/rustc/mir_reader.h"

#include <string.h>

static const struct {
  const char *text;
  uint32_t n;
} asserts[] = {
#define MIR_ASSERT(id, text, n) {text, n},
#include "cargo-integration/rustc/mir_ops.def"
#undef MIR_ASSERT
};

const char *mir_assert_text(enum mir_assert a) {
  return asserts[a].text;
}

/* ---- targets ---- */

/* Behind `unwind`: ` unreachable`, ` continue`, ` terminate(abi)`, `: bb3`. */
static bool read_unwind(struct reader *r, struct mir_term *t) {
  struct lex *l = &r->l;
  if (LEX_EAT(l, " unreachable"))
    t->unwind = UNWIND_UNREACHABLE;
  else if (LEX_EAT(l, " continue"))
    t->unwind = UNWIND_CONTINUE;
  else if (LEX_EAT(l, " terminate(abi)") || LEX_EAT(l, " terminate(cleanup)"))
    t->unwind = UNWIND_TERMINATE;
  else if (LEX_EAT(l, ": ")) {
    t->unwind = UNWIND_CLEANUP;
    return read_block_ref(r, &t->cleanup);
  } else
    return reader_fail(r, MD0103, "this way to unwind is not known");
  return true;
}

/* ` -> [return: bb1, unwind unreachable]`, ` -> bb1`, ` -> unwind unreachable`. */
bool read_targets(struct reader *r, struct mir_term *t, str label) {
  struct lex *l = &r->l;
  t->target = MIR_NONE;
  if (!NEED(r, " -> "))
    return false;
  if (LEX_AT(l, "bb"))
    return read_block_ref(r, &t->target);
  bool list = LEX_EAT(l, "[");
  if (list && lex_eat(l, label)) {
    if (!read_block_ref(r, &t->target))
      return false;
    if (LEX_EAT(l, "]"))
      return true;
    if (!NEED(r, ", "))
      return false;
  }
  if (!NEED(r, "unwind") || !read_unwind(r, t))
    return false;
  return !list || NEED(r, "]");
}

static bool read_decimal128(struct reader *r, mir_u128 *out) {
  struct lex *l = &r->l;
  size_t from = l->pos;
  while (lex_is_digit(lex_peek(l)))
    l->pos++;
  u128 v;
  if (l->pos == from || !str_to_u128(str_sub(l->text, from, l->pos), &v))
    return reader_fail_at(r, MD0101, from, "expected a value of the switch");
  *out = (mir_u128){(uint64_t)v, (uint64_t)(v >> 64)};
  return true;
}

/* Behind `switchInt(`. */
static bool read_switch(struct reader *r, struct mir_term *t) {
  struct lex *l = &r->l;
  t->kind = TM_SWITCH;
  t->target = MIR_NONE;
  r->values.n = r->targets.n = 0;
  if (!read_operand(r, &t->op) || !NEED(r, ") -> ["))
    return false;
  while (!LEX_EAT(l, "]")) {
    if (LEX_EAT(l, "otherwise: ")) {
      if (!read_block_ref(r, &t->target))
        return false;
    } else {
      mir_u128 v;
      uint32_t to;
      if (!read_decimal128(r, &v) || !NEED(r, ": ") || !read_block_ref(r, &to))
        return false;
      vec_push(NULL, &r->values, v);
      vec_push(NULL, &r->targets, to);
    }
    if (!LEX_EAT(l, ", ") && lex_peek(l) != ']')
      return reader_fail(r, MD0101, "expected `,` or `]`");
  }
  t->n_targets = (uint32_t)r->targets.n;
  if (t->n_targets > 0) {
    mir_u128 *values = arena_array(r->arena, mir_u128, t->n_targets);
    uint32_t *targets = arena_array(r->arena, uint32_t, t->n_targets);
    memcpy(values, r->values.p, t->n_targets * sizeof *values);
    memcpy(targets, r->targets.p, t->n_targets * sizeof *targets);
    t->values = values;
    t->targets = targets;
  }
  return true;
}

/* Behind `assert(`. */
static bool read_assert(struct reader *r, struct mir_term *t) {
  struct lex *l = &r->l;
  t->kind = TM_ASSERT;
  t->expected = !LEX_EAT(l, "!");
  if (!read_operand(r, &t->op) || !NEED(r, ", "))
    return false;
  size_t at = l->pos, mark = r->ops.n;
  str text;
  if (!lex_string(l, &text))
    return reader_fail(r, MD0110, "expected the message of an assertion");
  if (LEX_EAT(l, ", ")) {
    if (!read_operands(r, ')'))
      return false;
  } else if (!NEED(r, ")")) {
    return false;
  }
  t->args = take_operands(r, mark, &t->n_args);
  for (size_t i = 0; i < COUNT_OF(asserts); i++)
    if (str_eqz(text, asserts[i].text) && asserts[i].n == t->n_args) {
      t->assert_kind = (enum mir_assert)i;
      return read_targets(r, t, STR("success: "));
    }
  return reader_fail_at(r, MD0110, at, "the assertion \"%.*s\" is not known", STR_ARG(text));
}

/* Behind the callee and `(`. */
static bool read_call_rest(struct reader *r, struct mir_term *t) {
  size_t mark = r->ops.n;
  if (!read_operands(r, ')'))
    return false;
  t->args = take_operands(r, mark, &t->n_args);
  if (t->kind == TM_TAILCALL)
    return true;
  return read_targets(r, t, STR("return: "));
}

static bool read_drop(struct reader *r, struct mir_term *t) {
  t->kind = TM_DROP;
  return read_place(r, &t->place, NULL) && NEED(r, ")") && read_targets(r, t, STR("return: "));
}

static bool read_tailcall(struct reader *r, struct mir_term *t) {
  t->kind = TM_TAILCALL;
  t->target = MIR_NONE;
  return read_operand(r, &t->op) && NEED(r, "(") && read_call_rest(r, t);
}

static bool read_terminate(struct reader *r, struct mir_term *t) {
  t->kind = TM_TERMINATE;
  if (LEX_EAT(&r->l, "abi)") || LEX_EAT(&r->l, "cleanup)"))
    return true;
  return reader_fail(r, MD0103, "this reason to terminate is not known");
}

/* Tries the terminators that begin with a word; *found tells whether it was one. */
static bool read_word_term(struct reader *r, struct mir_term *t, bool *found) {
  struct lex *l = &r->l;
  *found = true;
  t->target = MIR_NONE;
  if (LEX_EAT(l, "goto -> ")) {
    t->kind = TM_GOTO;
    return read_block_ref(r, &t->target);
  }
  if (LEX_EAT(l, "switchInt("))
    return read_switch(r, t);
  if (LEX_EAT(l, "drop("))
    return read_drop(r, t);
  if (LEX_EAT(l, "assert("))
    return read_assert(r, t);
  if (LEX_EAT(l, "asm!("))
    return read_asm(r, t);
  if (LEX_EAT(l, "tailcall "))
    return read_tailcall(r, t);
  if (LEX_EAT(l, "terminate("))
    return read_terminate(r, t);
  static const struct {
    const char *word;
    enum mir_term_kind kind;
  } words[] = {{"return;", TM_RETURN}, {"unreachable;", TM_UNREACHABLE}, {"resume;", TM_RESUME}};
  for (size_t i = 0; i < COUNT_OF(words); i++)
    if (lex_at(l, str_from(words[i].word))) {
      l->pos += strlen(words[i].word) - 1;
      t->kind = words[i].kind;
      return true;
    }
  *found = false;
  return true;
}

/* ---- statements ---- */

static bool read_copy(struct reader *r, struct mir_stmt *s) {
  struct mir_operand *ops = arena_array(r->arena, struct mir_operand, 3);
  s->kind = ST_COPY;
  s->ops = ops;
  if (!LEX_EAT(&r->l, "dst = "))
    return reader_fail(r, MD0103, "expected `dst = `");
  return read_operand(r, &ops[0]) && NEED(r, ", src = ") && read_operand(r, &ops[1]) &&
         NEED(r, ", count = ") && read_operand(r, &ops[2]) && NEED(r, ")");
}

static bool read_assume(struct reader *r, struct mir_stmt *s) {
  struct mir_operand *op = arena_new(r->arena, struct mir_operand);
  s->kind = ST_ASSUME;
  s->ops = op;
  return read_operand(r, op) && NEED(r, ")");
}

static bool read_storage(struct reader *r, struct mir_stmt *s, enum mir_stmt_kind kind) {
  s->kind = kind;
  return read_local(r, &s->place.local) && NEED(r, ")");
}

static bool read_set_discr(struct reader *r, struct mir_stmt *s) {
  s->kind = ST_SETDISCR;
  if (!read_place(r, &s->place, NULL) || !NEED(r, ") = "))
    return false;
  (void)LEX_EAT(&r->l, "variant#");
  if (!lex_u32(&r->l, &s->variant))
    return reader_fail(r, MD0101, "expected the number of a variant");
  return true;
}

/* Statements that say nothing to a code generator. */
static bool skip_quiet(struct reader *r, struct mir_stmt *s, bool *found) {
  static const char *const words[] = {
      "nop;",   "ConstEvalCounter;", "PlaceMention(", "FakeRead(",
      "Retag(", "AscribeUserType(",  "Coverage::",    "BackwardIncompatibleDropHint("};
  *found = false;
  for (size_t i = 0; i < COUNT_OF(words) && !*found; i++)
    *found = lex_at(&r->l, str_from(words[i]));
  if (!*found)
    return true;
  s->kind = ST_NOP;
  if (!lex_balanced(&r->l, ";", false))
    return reader_fail(r, MD0103, "expected `;` behind this statement");
  return true;
}

static bool read_word_stmt(struct reader *r, struct mir_stmt *s, bool *found) {
  struct lex *l = &r->l;
  *found = true;
  if (LEX_EAT(l, "StorageLive("))
    return read_storage(r, s, ST_LIVE);
  if (LEX_EAT(l, "StorageDead("))
    return read_storage(r, s, ST_DEAD);
  if (LEX_EAT(l, "assume("))
    return read_assume(r, s);
  if (LEX_EAT(l, "copy_nonoverlapping("))
    return read_copy(r, s);
  if (LEX_EAT(l, "discriminant("))
    return read_set_discr(r, s);
  return skip_quiet(r, s, found);
}

/* The type that a place has, as far as the text says it. */
static const struct rty *place_ty(const struct reader *r, const struct mir_place *p) {
  const struct rty *t = p->local < r->locals.n ? r->locals.p[p->local].ty : NULL;
  for (uint32_t i = 0; i < p->n_proj; i++) {
    const struct mir_proj *j = &p->proj[i];
    switch (j->kind) {
    case PROJ_FIELD:
    case PROJ_SUBTYPE:
      t = j->ty;
      break;
    case PROJ_DEREF:
    case PROJ_INDEX:
    case PROJ_CONST_INDEX:
      t = t != NULL ? t->elem : NULL;
      break;
    case PROJ_DOWNCAST:
    case PROJ_SUBSLICE:
      break;
    }
  }
  return t;
}

/* `place = rvalue;` or `place = callee(args) -> …;` */
static bool read_assign(struct reader *r, struct mir_stmt *s, struct mir_term *t, bool *is_term) {
  struct lex *l = &r->l;
  struct mir_place place;
  if (!read_place(r, &place, NULL) || !NEED(r, " = "))
    return false;
  if (at_operand(r)) {
    struct mir_operand op;
    if (!read_operand(r, &op))
      return false;
    if (LEX_EAT(l, "(")) {
      *is_term = true;
      t->kind = TM_CALL;
      t->place = place;
      t->op = op;
      return read_call_rest(r, t);
    }
    struct mir_rvalue *rv = arena_new(r->arena, struct mir_rvalue);
    *s = (struct mir_stmt){.kind = ST_ASSIGN, .place = place, .rv = rv};
    rv->kind = RV_USE;
    rv->a = op;
    return LEX_AT(l, " as ") ? read_cast(r, rv) : true;
  }
  struct mir_rvalue *rv = arena_new(r->arena, struct mir_rvalue);
  *s = (struct mir_stmt){.kind = ST_ASSIGN, .place = place, .rv = rv};
  r->dest_ty = place_ty(r, &place);
  return read_rvalue(r, rv);
}

bool read_block_line(struct reader *r, struct mir_stmt *s, struct mir_term *t, bool *is_term) {
  struct lex *l = &r->l;
  size_t from = l->pos;
  uint32_t dump_line = reader_line(r);
  bool found = false;
  *s = (struct mir_stmt){0};
  *t = (struct mir_term){.target = MIR_NONE};
  *is_term = false;
  r->unevaluated.n = r->next_unevaluated = 0;
  char c = lex_peek(l);
  if (c == '_' || c == '(') {
    if (!read_assign(r, s, t, is_term))
      return false;
  } else {
    if (!read_word_stmt(r, s, &found))
      return false;
    if (!found) {
      *is_term = true;
      if (!read_word_term(r, t, &found))
        return false;
    }
    if (!found)
      return reader_fail_at(r, MD0103, from, "this statement is not known");
  }
  if (lex_peek(l) != ';')
    return reader_fail(r, MD0101, "expected `;`");
  l->pos++;
  struct mir_loc loc;
  if (!read_line_end(r, &loc))
    return false;
  loc.dump_line = dump_line;
  if (*is_term)
    t->loc = loc;
  else
    s->loc = loc;
  return true;
}
