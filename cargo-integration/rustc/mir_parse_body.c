/* Bodies of the MIR text: declarations, scopes, blocks. */
#include "cargo-integration/rustc/mir_reader.h"

#include "base/fatal.h"

#include <string.h>

/* A number far above what the whole text can declare is damage, and would make huge tables. Scopes
 * are printed as a tree, so that the first may have nearly the highest number. */
static bool number_ok(struct reader *r, uint32_t n, size_t at, const char *what) {
  if (n <= r->l.text.n / 16 + 4096)
    return true;
  return reader_fail_at(r, MD0108, at, "%s number %u does not fit the rest of this body", what, n);
}

/* `let [mut] _N: T;` behind `let `. */
static bool read_let(struct reader *r) {
  struct lex *l = &r->l;
  struct mir_local local = {0};
  uint32_t n;
  local.mut = LEX_EAT(l, "mut ");
  size_t at = l->pos;
  uint32_t line = reader_line(r);
  if (!read_local(r, &n) || !NEED(r, ": ") || (local.ty = read_type(r)) == NULL || !NEED(r, ";") ||
      !read_line_end(r, &local.loc))
    return false;
  local.loc.dump_line = line;
  if (!number_ok(r, n, at, "local"))
    return false;
  while (r->locals.n <= n)
    (void)vec_add(NULL, &r->locals);
  if (r->locals.p[n].ty != NULL)
    return reader_fail_at(r, MD0108, at, "`_%u` is declared twice", n);
  r->locals.p[n] = local;
  return true;
}

/* `debug name => place|const;` behind `debug `. */
static bool read_debug(struct reader *r) {
  struct lex *l = &r->l;
  struct mir_debug d = {0};
  uint32_t line = reader_line(r);
  r->unevaluated.n = r->next_unevaluated = 0;
  if (lex_peek(l) == '(') {
    struct mir_place part;
    if (!read_place(r, &part, &d))
      return false;
    d.proj = part.proj;
    d.n_proj = part.n_proj;
  } else {
    d.name = lex_ident(l);
  }
  if (d.name.n == 0)
    return reader_fail(r, MD0101, "expected the name of a variable");
  if (!NEED(r, " => "))
    return false;
  d.is_const = LEX_EAT(l, "const ");
  if (!d.is_const && LEX_AT(l, "ConstValue("))
    d.is_const = true;
  if (d.is_const ? !read_const(r, &d.k) : !read_place(r, &d.place, NULL))
    return false;
  if (!NEED(r, ";") || !read_line_end(r, &d.loc))
    return false;
  d.loc.dump_line = line;
  vec_push(NULL, &r->debug, d);
  return true;
}

static struct span scope_call(struct reader *r) {
  struct lex *l = &r->l;
  size_t end = str_find_char(l->text, '\n', l->pos);
  struct lex ahead = *l;
  lex_blanks(&ahead);
  if (end == SIZE_MAX || !LEX_EAT(&ahead, "// at "))
    return SPAN_NONE;
  return read_span_text(r, str_sub(l->text, ahead.pos, end));
}

/* `N {` or `N (inlined path[ - shim]) {`, behind `scope `. */
static bool read_scope(struct reader *r) {
  struct lex *l = &r->l;
  struct mir_scope s = {.present = true};
  size_t at = l->pos;
  uint32_t n;
  if (!lex_u32(l, &n))
    return reader_fail(r, MD0101, "expected the number of a scope");
  if (LEX_EAT(l, " (inlined ")) {
    s.inlined = true;
    s.track_caller = LEX_EAT(l, "#[track_caller] ");
    if ((s.callee = read_path(r)) == NULL)
      return false;
    if (LEX_EAT(l, " - ")) {
      size_t from = l->pos;
      if (!lex_balanced(l, ")", false))
        return reader_fail(r, MD0101, "expected `)` behind an inlined function");
      s.shim = str_sub(l->text, from, l->pos);
    }
    if (!NEED(r, ")"))
      return false;
  }
  if (!NEED(r, " {"))
    return false;
  s.call = scope_call(r);
  if (!read_line_end(r, NULL) || !number_ok(r, n, at, "scope"))
    return false;
  while (r->scopes.n <= n)
    (void)vec_add(NULL, &r->scopes);
  if (r->scopes.p[n].present)
    return reader_fail_at(r, MD0108, at, "scope %u is printed twice", n);
  s.parent = r->scope_stack.n > 0 ? vec_last(&r->scope_stack) : 0;
  r->scopes.p[n] = s;
  if (r->scope_stack.n >= MIR_MAX_DEPTH * 8)
    return reader_fail_at(r, MD0111, at, "scopes are nested too deeply");
  vec_push(NULL, &r->scope_stack, n);
  return true;
}

static void keep_block(struct reader *r, uint32_t n, struct mir_block block) {
  block.n_stmts = (uint32_t)r->stmts.n;
  if (block.n_stmts > 0) {
    struct mir_stmt *stmts = arena_array(r->arena, struct mir_stmt, block.n_stmts);
    memcpy(stmts, r->stmts.p, block.n_stmts * sizeof *stmts);
    block.stmts = stmts;
  }
  r->blocks.p[n] = block;
}

/* `N[ (cleanup)]: {` … `}`, behind `bb`. */
static bool read_block(struct reader *r) {
  struct lex *l = &r->l;
  struct mir_block block = {.present = true};
  size_t at = l->pos;
  uint32_t n;
  if (!lex_u32(l, &n))
    return reader_fail(r, MD0101, "expected the number of a block");
  block.cleanup = LEX_EAT(l, " (cleanup)");
  if (!NEED(r, ": {") || !read_line_end(r, NULL) || !number_ok(r, n, at, "block"))
    return false;
  while (r->blocks.n <= n)
    (void)vec_add(NULL, &r->blocks);
  if (r->blocks.p[n].present)
    return reader_fail_at(r, MD0108, at, "`bb%u` is printed twice", n);
  r->stmts.n = 0;
  for (bool is_term = false; !is_term;) {
    struct mir_stmt s;
    lex_blanks(l);
    if (lex_peek(l) == '}')
      return reader_fail(r, MD0103, "this block has no terminator");
    if (!read_block_line(r, &s, &block.term, &is_term))
      return false;
    if (!is_term)
      vec_push(NULL, &r->stmts, s);
  }
  keep_block(r, n, block);
  lex_blanks(l);
  return NEED(r, "}") && read_line_end(r, NULL);
}

/* One line (or block) of a body; *done at its closing brace. */
static bool read_body_line(struct reader *r, bool *done) {
  struct lex *l = &r->l;
  lex_blanks(l);
  if (LEX_EAT(l, "let "))
    return read_let(r);
  if (LEX_EAT(l, "debug "))
    return read_debug(r);
  if (LEX_EAT(l, "scope "))
    return read_scope(r);
  if (LEX_EAT(l, "bb"))
    return read_block(r);
  if (!LEX_EAT(l, "}")) {
    if (lex_end(l))
      return reader_fail(r, MD0106, "the dump ends inside a body");
    return reader_fail(r, MD0101, "expected a declaration, a block or `}`");
  }
  if (r->scope_stack.n > 0)
    (void)vec_pop(&r->scope_stack);
  else
    *done = true;
  return read_line_end(r, NULL);
}

static bool check_numbers(struct reader *r, const struct mir_body *b) {
  if (b->n_blocks == 0 || !b->blocks[0].present)
    return reader_fail_at(r, MD0108, r->item_pos, "this body has no `bb0`");
  if (r->max_local_at > 0 && r->max_local >= b->n_locals)
    return reader_fail_at(r, MD0108, r->max_local_at, "`_%u` is not declared in this body",
                          r->max_local);
  if (r->max_block_at > 0 && r->max_block >= b->n_blocks)
    return reader_fail_at(r, MD0108, r->max_block_at, "`bb%u` does not exist in this body",
                          r->max_block);
  for (uint32_t i = 0; i < b->n_locals; i++)
    if (b->locals[i].ty == NULL)
      return reader_fail_at(r, MD0108, r->item_pos, "`_%u` is not declared in this body", i);
  for (uint32_t i = 0; i < b->n_blocks; i++)
    if (!b->blocks[i].present)
      return reader_fail_at(r, MD0108, r->item_pos, "`bb%u` does not exist in this body", i);
  return true;
}

static void *keep(struct reader *r, const void *p, size_t n, size_t size) {
  if (n == 0)
    return NULL;
  void *q = arena_alloc_n(r->arena, n, size, _Alignof(max_align_t));
  memcpy(q, p, n * size);
  return q;
}

/* Scope 0 is never printed: it is the body itself. */
static void close_scopes(struct reader *r) {
  if (r->scopes.n == 0)
    (void)vec_add(NULL, &r->scopes);
  r->scopes.p[0] = (struct mir_scope){.present = true, .parent = MIR_NONE};
}

bool read_body(struct reader *r, struct mir_body *b) {
  r->debug.n = r->scopes.n = r->blocks.n = r->scope_stack.n = 0;
  r->max_local = r->max_block = 0;
  r->max_local_at = r->max_block_at = 0;
  for (bool done = false; !done;)
    if (!read_body_line(r, &done))
      return false;
  close_scopes(r);
  b->locals = keep(r, r->locals.p, r->locals.n, sizeof *r->locals.p);
  b->n_locals = (uint32_t)r->locals.n;
  b->blocks = keep(r, r->blocks.p, r->blocks.n, sizeof *r->blocks.p);
  b->n_blocks = (uint32_t)r->blocks.n;
  b->scopes = keep(r, r->scopes.p, r->scopes.n, sizeof *r->scopes.p);
  b->n_scopes = (uint32_t)r->scopes.n;
  b->debug = keep(r, r->debug.p, r->debug.n, sizeof *r->debug.p);
  b->n_debug = (uint32_t)r->debug.n;
  return check_numbers(r, b);
}
