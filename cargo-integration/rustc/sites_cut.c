/* Cuts the region of a launch out of a host function.
 *
 * Only the blocks get new numbers. Locals keep theirs, since the body tells which of them are its
 * parameters (mir_body.arg_locals). */
#include "cargo-integration/rustc/sites_cut.h"

#include <string.h>

#include "cargo-integration/rustc/emit.h"

#define MAX_PARAMS 256
#define MAX_DEPTH 32 /* of constants that depend on each other */

enum site_mark site_mark_of(const struct mir_term *t, const struct rty **args, size_t *n) {
  static const struct {
    const char *name;
    enum site_mark mark;
  } marks[] = {{"site_begin", MARK_BEGIN},
               {"site_kernel", MARK_KERNEL},
               {"site_arg", MARK_ARG},
               {"site_end", MARK_END},
               {"site_declare", MARK_DECLARE}};
  if (t->kind != TM_CALL)
    return MARK_NONE;
  const struct rty *fd = callee_fndef(&t->op);
  if (fd == NULL || !str_starts(fd->path->name, STR("mirdc::")))
    return MARK_NONE;
  str last = rty_last_name(fd->path);
  for (size_t i = 0; i < COUNT_OF(marks); i++) {
    if (str_eqz(last, marks[i].name)) {
      *n = rty_path_args(fd->path, args, 3);
      return marks[i].mark;
    }
  }
  return MARK_NONE;
}

str site_text(struct prep *p, const struct rty *chars) {
  struct strbuf b = {0};
  const struct rty *args[2];
  while (str_eqz(rty_last_name(chars), "Chars") && rty_path_args(chars, args, 2) == 2) {
    for (unsigned i = 0; i < 16; i++) {
      char ch = (char)((i < 8 ? args[0]->lo >> (8 * i) : args[0]->hi >> (8 * (i - 8))) & 255);
      if (ch != '\0')
        sb_addc(&b, ch);
    }
    chars = args[1];
  }
  str text = arena_str(p->arena, sb_str(&b));
  sb_free(&b);
  return text;
}

/* The device crate's slices are structs of a pointer and a length. */
struct kernel_param site_param(struct prep *p, const struct rty *ty, const struct rty *name) {
  struct kernel_param f = {.name = site_text(p, name)};
  str last = rty_last_name(ty);
  bool ours = ty->kind == RTY_PATH && str_starts(ty->name, STR("mirdc::"));
  f.kind = ours && (str_eqz(last, "PerThread") || str_eqz(last, "Buffer")) ? 3 : 0;
  f.size = 16; /* only looked at for slices */
  return f;
}

struct cut {
  struct prep *p;
  const struct mir_item *host;
  str what;
  struct span at;
  uint32_t *number;   /* by block of the host: number in the region + 1 */
  VEC(uint32_t) from; /* by block of the region; [0] is the entry, which the host does not have */
  VEC(struct mir_block) blocks;
  VEC(uint32_t) params; /* locals, in order of the parameters */
  VEC(struct kernel_param) facts;
  uint8_t *defined;     /* by local: given a value inside */
  VEC(struct mir_stmt) entry; /* constants that the region shares with the host's code */
  struct span use;
  bool failed;
};

static struct diag *refuse(struct cut *c, const char *text) {
  c->failed = true;
  struct diag *d = diag_error(c->p->sink, MD0913, c->at, "%.*s: %s", STR_ARG(c->what), text);
  diag_help(d, "launch from a small function of its own, or report this with the source");
  return d;
}

/* ---- the blocks ---- */
static uint32_t block_number(struct cut *c, uint32_t bb) {
  if (bb == MIR_NONE || bb >= c->host->body.n_blocks)
    return MIR_NONE;
  if (c->number[bb] == 0) {
    vec_push(c->p->arena, &c->from, bb);
    c->number[bb] = (uint32_t)c->from.n;
  }
  return c->number[bb] - 1;
}

/* A parameter takes the place of the call that asks for it. */
static void take_param(struct cut *c, struct mir_term *t, const struct rty *const *args, size_t n) {
  uint64_t i = n > 1 ? args[1]->lo : MAX_PARAMS;
  if (i >= MAX_PARAMS || t->place.n_proj != 0 || t->target == MIR_NONE) {
    refuse(c, "rustc has changed its parameters beyond recognition");
    return;
  }
  while (c->params.n <= i) {
    vec_push(c->p->arena, &c->params, MIR_NONE);
    (void)vec_add(c->p->arena, &c->facts);
  }
  if (c->params.p[i] != MIR_NONE)
    refuse(c, "a parameter is taken twice");
  c->params.p[i] = t->place.local;
  c->facts.p[i] = site_param(c->p, args[0], n > 2 ? args[2] : c->p->types->unit);
  t->kind = TM_GOTO;
}

static void renumber(struct cut *c, struct mir_term *t) {
  uint32_t *targets = arena_array(c->p->arena, uint32_t, t->n_targets + 1);
  for (uint32_t i = 0; i < t->n_targets; i++)
    targets[i] = block_number(c, t->targets[i]);
  t->targets = targets;
  if (t->kind != TM_RETURN && t->kind != TM_UNREACHABLE)
    t->target = block_number(c, t->target);
}

static void add_block(struct cut *c, uint32_t bb) {
  const struct rty *args[3];
  size_t n = 0;
  struct mir_block b = c->host->body.blocks[bb];
  switch (site_mark_of(&b.term, args, &n)) {
  case MARK_BEGIN: case MARK_DECLARE:
    refuse(c, "another launch begins inside of it");
    return;
  case MARK_ARG:
    take_param(c, &b.term, args, n);
    break;
  case MARK_END:
    b.term.kind = TM_RETURN;
    b.term.n_targets = 0;
    break;
  case MARK_KERNEL: case MARK_NONE:
    if (b.term.kind == TM_RETURN)
      refuse(c, "its code runs into the code around it");
    break;
  }
  renumber(c, &b.term);
  vec_push(c->p->arena, &c->blocks, b);
}

/* ---- values from outside ---- */
static void define(struct cut *c, const struct mir_place *pl) {
  if (pl->local < c->host->body.n_locals && (pl->n_proj == 0 || pl->proj[0].kind != PROJ_DEREF))
    c->defined[pl->local] = 1;
}

static void find_definitions(struct cut *c) {
  for (size_t i = 0; i < c->params.n; i++)
    if (c->params.p[i] != MIR_NONE)
      c->defined[c->params.p[i]] = 1;
  for (size_t i = 0; i < c->blocks.n; i++) {
    const struct mir_block *b = &c->blocks.p[i];
    for (uint32_t k = 0; k < b->n_stmts; k++)
      if (b->stmts[k].kind == ST_ASSIGN || b->stmts[k].kind == ST_SETDISCR)
        define(c, &b->stmts[k].place);
    if (b->term.kind == TM_CALL)
      define(c, &b->term.place);
    for (uint32_t k = 0; b->term.kind == TM_ASM && k < b->term.asm_->n_ops; k++)
      if (b->term.asm_->ops[k].has_out)
        define(c, &b->term.asm_->ops[k].out);
  }
}

/* The only statement of the host that gives the local its value; NULL when there are more. */
static const struct mir_stmt *only_assignment(const struct mir_body *b, uint32_t local) {
  const struct mir_stmt *found = NULL;
  for (uint32_t i = 0; i < b->n_blocks; i++) {
    const struct mir_block *bb = &b->blocks[i];
    for (uint32_t k = 0; k < bb->n_stmts; k++) {
      const struct mir_stmt *s = &bb->stmts[k];
      if (s->kind != ST_ASSIGN || s->place.local != local)
        continue;
      if (found != NULL || s->place.n_proj != 0)
        return NULL;
      found = s;
    }
    if (bb->term.kind == TM_CALL && bb->term.place.local == local)
      return NULL;
  }
  return found;
}

static bool constant_local(struct cut *c, uint32_t local, unsigned depth);

static bool constant_operand(struct cut *c, const struct mir_operand *op, unsigned depth) {
  if (op->kind == OP_CONST)
    return true;
  return (op->kind == OP_COPY || op->kind == OP_MOVE) && constant_local(c, op->place.local, depth);
}

static bool constant_rvalue(struct cut *c, const struct mir_rvalue *rv, unsigned depth) {
  switch (rv->kind) {
  case RV_USE: case RV_CAST: case RV_UN: case RV_REPEAT:
    return constant_operand(c, &rv->a, depth);
  case RV_BIN: case RV_RAWFAT:
    return constant_operand(c, &rv->a, depth) && constant_operand(c, &rv->b, depth);
  case RV_ARRAY: case RV_TUPLE: case RV_ADT:
    for (uint32_t i = 0; i < rv->n_ops; i++)
      if (!constant_operand(c, &rv->ops[i], depth))
        return false;
    return true;
  case RV_REF: case RV_RAW:
    return !rv->mut && rv->place.n_proj > 0 && rv->place.proj[0].kind == PROJ_DEREF &&
           constant_local(c, rv->place.local, depth);
  case RV_DISCR: case RV_LEN: case RV_DEREF_COPY: case RV_TLS: case RV_CLOSURE:
    return false;
  }
  return false;
}

/* Values that passes share between the region and the host's code are constants, mostly addresses of
 * promoted ones: they are computed again at the region's start. */
static bool constant_local(struct cut *c, uint32_t local, unsigned depth) {
  if (local >= c->host->body.n_locals || depth > MAX_DEPTH)
    return false;
  if (c->defined[local])
    return true;
  const struct mir_stmt *s = only_assignment(&c->host->body, local);
  if (s == NULL || !constant_rvalue(c, s->rv, depth + 1))
    return false;
  c->defined[local] = 1;
  vec_push(c->p->arena, &c->entry, *s);
  return true;
}

static void use_local(struct cut *c, uint32_t local) {
  if (c->failed || constant_local(c, local, 0))
    return;
  struct diag *d = refuse(c, "rustc shares a value between the kernel and the code around it");
  diag_note_at(d, c->use, "it is used here");
}

static void use_place(struct cut *c, const struct mir_place *pl) {
  use_local(c, pl->local);
  for (uint32_t i = 0; i < pl->n_proj; i++)
    if (pl->proj[i].kind == PROJ_INDEX)
      use_local(c, pl->proj[i].index);
}

static void use_operand(struct cut *c, const struct mir_operand *op) {
  if (op->kind == OP_COPY || op->kind == OP_MOVE)
    use_place(c, &op->place);
}

static void use_rvalue(struct cut *c, const struct mir_rvalue *rv) {
  switch (rv->kind) {
  case RV_BIN: case RV_RAWFAT:
    use_operand(c, &rv->b);
    use_operand(c, &rv->a);
    return;
  case RV_USE: case RV_REPEAT: case RV_CAST: case RV_UN:
    use_operand(c, &rv->a);
    return;
  case RV_DISCR: case RV_LEN: case RV_REF: case RV_RAW: case RV_DEREF_COPY:
    use_place(c, &rv->place);
    return;
  case RV_ARRAY: case RV_TUPLE: case RV_ADT: case RV_CLOSURE:
    for (uint32_t i = 0; i < rv->n_ops; i++)
      use_operand(c, &rv->ops[i]);
    return;
  case RV_TLS:
    return;
  }
}

static void use_stmt(struct cut *c, const struct mir_stmt *s) {
  if (s->kind == ST_ASSIGN) {
    use_rvalue(c, s->rv);
    if (s->place.n_proj > 0)
      use_place(c, &s->place);
  } else if (s->kind == ST_SETDISCR) {
    use_place(c, &s->place);
  }
  for (uint32_t i = 0; i < (s->kind == ST_COPY ? 3u : s->kind == ST_ASSUME ? 1u : 0u); i++)
    use_operand(c, &s->ops[i]);
}

static void use_term(struct cut *c, const struct mir_term *t) {
  if (t->kind == TM_SWITCH || t->kind == TM_ASSERT || t->kind == TM_CALL)
    use_operand(c, &t->op);
  if (t->kind == TM_ASSERT || t->kind == TM_CALL)
    for (uint32_t i = 0; i < t->n_args; i++)
      use_operand(c, &t->args[i]);
  if (t->kind == TM_DROP)
    use_place(c, &t->place);
  for (uint32_t i = 0; t->kind == TM_ASM && i < t->asm_->n_ops; i++)
    if (t->asm_->ops[i].kind == ASM_IN || t->asm_->ops[i].kind == ASM_INOUT)
      use_operand(c, &t->asm_->ops[i].in);
}

static void check_uses(struct cut *c) {
  for (size_t i = 0; i < c->blocks.n && !c->failed; i++) {
    const struct mir_block *b = &c->blocks.p[i];
    for (uint32_t k = 0; k < b->n_stmts; k++) {
      c->use = b->stmts[k].loc.span;
      use_stmt(c, &b->stmts[k]);
    }
    c->use = b->term.loc.span;
    use_term(c, &b->term);
  }
}

/* ---- the function ---- */
static const struct mir_item *make_item(struct cut *c) {
  struct arena *a = c->p->arena;
  struct mir_item *it = arena_new(a, struct mir_item);
  struct mir_local *locals = arena_array(a, struct mir_local, c->host->body.n_locals);
  *it = *c->host;
  memcpy(locals, c->host->body.locals, c->host->body.n_locals * sizeof *locals);
  locals[0] = (struct mir_local){.ty = c->p->types->unit, .loc = {.span = c->at, .scope = MIR_NONE}};
  c->blocks.p[0].stmts = c->entry.p;
  c->blocks.p[0].n_stmts = (uint32_t)c->entry.n;
  it->path = NULL;
  it->body.ret = c->p->types->unit;
  it->body.locals = locals;
  it->body.blocks = c->blocks.p;
  it->body.n_blocks = (uint32_t)c->blocks.n;
  it->body.n_args = (uint32_t)c->params.n;
  it->body.arg_locals = c->params.p;
  it->body.n_debug = 0;
  return it;
}

const struct mir_item *site_cut(struct prep *p, const struct mir_item *host, uint32_t begin, str what,
                                struct span at, struct kernel_facts *facts) {
  struct cut c = {.p = p, .host = host, .what = what, .at = at};
  c.number = arena_array(p->arena, uint32_t, host->body.n_blocks + 1);
  c.defined = arena_array(p->arena, uint8_t, host->body.n_locals + 1);
  const struct mir_block *first = &host->body.blocks[begin];
  vec_push(p->arena, &c.from, MIR_NONE);
  struct mir_block entry = {.present = true, .term = {.kind = TM_GOTO, .loc = first->term.loc}};
  entry.term.target = block_number(&c, first->term.target);
  vec_push(p->arena, &c.blocks, entry);
  for (size_t i = 1; i < c.from.n && !c.failed; i++)
    add_block(&c, c.from.p[i]);
  for (size_t i = 0; i < c.params.n && !c.failed; i++)
    if (c.params.p[i] == MIR_NONE)
      refuse(&c, "rustc has dropped a parameter");
  if (c.failed || host->body.n_locals == 0)
    return NULL;
  find_definitions(&c);
  check_uses(&c);
  facts->params = c.facts.p;
  facts->n_params = (uint32_t)c.facts.n;
  return c.failed ? NULL : make_item(&c);
}
