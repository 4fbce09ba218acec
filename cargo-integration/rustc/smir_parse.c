/* Reads closure aggregates from the text of rustc's second MIR printer. */
#include "cargo-integration/rustc/smir_parse.h"

#include "base/fatal.h"
#include "cargo-integration/rustc/mir_reader.h"

#include <stdlib.h>
#include <string.h>

struct smir_reader {
  struct reader r;
  VEC(struct smir_body) bodies;
  VEC(struct smir_agg) aggs;
  VEC(uint32_t) counts;
  VEC(const struct rty *) args;
};

/* Takes the line at the cursor and steps behind its newline. */
static str take_line(struct lex *l) {
  size_t from = l->pos, end = str_find_char(l->text, '\n', from);
  if (end == SIZE_MAX) {
    l->pos = l->text.n;
    return str_sub(l->text, from, l->text.n);
  }
  l->pos = end + 1;
  return str_sub(l->text, from, end);
}

/* `path(_1: T, …) -> R {` behind `fn `. */
static bool read_header(struct smir_reader *s, struct smir_body *b) {
  struct reader *r = &s->r;
  s->args.n = 0;
  if ((b->path = read_path(r)) == NULL || !NEED(r, "("))
    return false;
  while (!LEX_EAT(&r->l, ")")) {
    uint32_t n;
    const struct rty *ty;
    if (!read_local(r, &n) || !NEED(r, ": ") || (ty = read_type(r)) == NULL)
      return false;
    vec_push(NULL, &s->args, ty);
    if (!LEX_EAT(&r->l, ", ") && lex_peek(&r->l) != ')')
      return reader_fail(r, MD0112, "expected `,` or `)`");
  }
  if (!NEED(r, " -> ") || (b->ret = read_type(r)) == NULL || !NEED(r, " {"))
    return false;
  b->n_args = (uint32_t)s->args.n;
  if (b->n_args > 0) {
    const struct rty **args = arena_array(r->arena, const struct rty *, b->n_args);
    memcpy(args, s->args.p, b->n_args * sizeof *args);
    b->args = args;
  }
  return true;
}

/* What does not parse is no error here: nobody may need it. */
static void forgive(struct reader *r) {
  r->failed = false;
  r->depth = 0;
}

/* `place = {closure@F:l:c: l:c}(op, …);` */
static bool read_aggregate(struct smir_reader *s, struct smir_agg *a) {
  struct reader *r = &s->r;
  struct lex *l = &r->l;
  if (!read_place(r, &a->place, NULL) || !NEED(r, " = {closure@"))
    return false;
  size_t end = str_find_char(l->text, '}', l->pos);
  if (end == SIZE_MAX)
    return reader_fail(r, MD0112, "expected `}`");
  a->closure = str_sub(l->text, l->pos, end);
  l->pos = end + 1;
  size_t mark = r->ops.n;
  if (LEX_EAT(l, "(") && !read_operands(r, ')'))
    return false;
  a->ops = take_operands(r, mark, &a->n_ops);
  return NEED(r, ";");
}

static void keep_aggregate(struct smir_reader *s, size_t at, uint32_t block, uint32_t stmt) {
  struct reader *r = &s->r;
  size_t behind = r->l.pos;
  struct smir_agg a = {.block = block, .stmt = stmt};
  r->l.pos = at;
  a.known = read_aggregate(s, &a);
  if (!a.known)
    forgive(r);
  r->ops.n = r->projs.n = r->names.n = r->unevaluated.n = 0;
  r->l.pos = behind;
  vec_push(NULL, &s->aggs, a);
}

/* The lines of a block, up to its closing brace. */
static bool read_smir_block(struct smir_reader *s) {
  struct lex *l = &s->r.l;
  uint32_t block = (uint32_t)s->counts.n, lines = 0;
  for (;;) {
    if (lex_end(l))
      return reader_fail(&s->r, MD0106, "the dump ends inside a block");
    size_t at = l->pos;
    str line = take_line(l);
    if (str_eqz(line, "    }"))
      break;
    size_t text = at;
    while (text < at + line.n && l->text.p[text] == ' ')
      text++;
    if (str_find(line, STR(" = {closure@"), 0) != SIZE_MAX)
      keep_aggregate(s, text, block, lines);
    lines++;
  }
  vec_push(NULL, &s->counts, lines > 0 ? lines - 1 : 0);
  return true;
}

static void keep_body(struct smir_reader *s, struct smir_body b) {
  struct arena *a = s->r.arena;
  b.n_blocks = (uint32_t)s->counts.n;
  b.n_aggs = (uint32_t)s->aggs.n;
  uint32_t *counts = arena_array(a, uint32_t, s->counts.n + 1);
  struct smir_agg *aggs = arena_array(a, struct smir_agg, s->aggs.n + 1);
  if (b.n_blocks > 0)
    memcpy(counts, s->counts.p, b.n_blocks * sizeof *counts);
  if (b.n_aggs > 0)
    memcpy(aggs, s->aggs.p, b.n_aggs * sizeof *aggs);
  b.block_stmts = counts;
  b.aggs = aggs;
  vec_push(NULL, &s->bodies, b);
}

/* `fn …` at the cursor. Blocks are printed in order, so that counting gives their numbers. */
static bool read_smir_fn(struct smir_reader *s) {
  struct reader *r = &s->r;
  struct lex *l = &r->l;
  struct smir_body b = {0};
  size_t at = l->pos;
  l->pos += 3;
  bool known = read_header(s, &b);
  if (!known) {
    forgive(r);
    l->pos = at;
  }
  (void)take_line(l);
  s->counts.n = s->aggs.n = 0;
  for (;;) {
    if (lex_end(l))
      return reader_fail(r, MD0106, "the dump ends inside a body");
    str line = take_line(l);
    if (str_eqz(line, "}"))
      break;
    if (str_starts(line, STR("    bb")) && str_ends(line, STR(": {")) && !read_smir_block(s))
      return false;
  }
  if (known)
    keep_body(s, b);
  return true;
}

/* ---- pairing ---- */

static const struct rty_seg *last_seg(const struct rty *path) {
  return &path->segs[path->n_segs - 1];
}

static bool same_signature(const struct mir_item *item, const struct smir_body *b) {
  const struct mir_body *m = &item->body;
  if (m->ret != b->ret || m->n_args != b->n_args)
    return false;
  for (uint32_t i = 0; i < b->n_args; i++)
    if (m->locals[i + 1].ty != b->args[i])
      return false;
  return str_eq(last_seg(item->path)->name, last_seg(b->path)->name);
}

/* Is this an item that the second printer prints as well? */
static bool printed_twice(const struct mir_item *item) {
  return item->body.n_blocks > 0 && !item->ctfe &&
         !str_starts(last_seg(item->path)->name, STR("promoted["));
}

static uint64_t signature_key(str name, const struct rty *ret, uint32_t n_args) {
  return str_hash(name) * 31 + ret->id * 131u + n_args;
}

struct pairing {
  uint64_t key;
  uint32_t index;
};

static int by_key(const void *a, const void *b) {
  const struct pairing *x = a, *y = b;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

/* Pairs the items and bodies of one key: the n-th with the n-th of the same signature, when there
 * are equally many. */
static void pair_group(const struct smir_file *f, const struct pairing *items, size_t n_items,
                       const struct pairing *bodies, size_t n_bodies, uint32_t *of_item) {
  for (size_t i = 0; i < n_items; i++) {
    const struct mir_item *item = &f->first->items[items[i].index];
    size_t before = 0, all = 0, seen = 0;
    uint32_t chosen = 0;
    for (size_t j = 0; j < n_bodies; j++)
      all += same_signature(item, &f->bodies[bodies[j].index]);
    if (all == 0)
      continue;
    const struct smir_body *any = NULL;
    for (size_t j = 0; j < n_bodies && any == NULL; j++)
      if (same_signature(item, &f->bodies[bodies[j].index]))
        any = &f->bodies[bodies[j].index];
    size_t rivals = 0;
    for (size_t k = 0; k < n_items; k++) {
      bool same = same_signature(&f->first->items[items[k].index], any);
      rivals += same;
      before += same && k < i;
    }
    if (rivals != all)
      continue;
    for (size_t j = 0; j < n_bodies; j++)
      if (same_signature(item, &f->bodies[bodies[j].index]) && seen++ == before)
        chosen = bodies[j].index + 1;
    of_item[items[i].index] = chosen;
  }
}

#define MAX_GROUP                                                                                  \
  64u /* more of one name and result are left unpaired: pairing is quadratic there */

static size_t group_end(const struct pairing *p, size_t n, size_t from) {
  size_t to = from;
  while (to < n && p[to].key == p[from].key)
    to++;
  return to;
}

static void pair_all(struct smir_file *f, struct arena *a) {
  size_t n_items = 0, ni = f->first->n_items, nb = f->n_bodies;
  struct pairing *items = xmalloc((ni + 1) * sizeof *items);
  struct pairing *bodies = xmalloc((nb + 1) * sizeof *bodies);
  uint32_t *of_item = arena_array(a, uint32_t, ni + 1);
  for (size_t i = 0; i < ni; i++) {
    const struct mir_item *m = &f->first->items[i];
    if (printed_twice(m))
      items[n_items++] = (struct pairing){
          signature_key(last_seg(m->path)->name, m->body.ret, m->body.n_args), (uint32_t)i};
  }
  for (size_t i = 0; i < nb; i++) {
    const struct smir_body *b = &f->bodies[i];
    bodies[i] =
        (struct pairing){signature_key(last_seg(b->path)->name, b->ret, b->n_args), (uint32_t)i};
  }
  qsort(items, n_items, sizeof *items, by_key);
  qsort(bodies, nb, sizeof *bodies, by_key);
  for (size_t i = 0, j = 0; i < n_items && j < nb;) {
    size_t i_end = group_end(items, n_items, i), j_end = group_end(bodies, nb, j);
    if (items[i].key < bodies[j].key) {
      i = i_end;
    } else if (items[i].key > bodies[j].key) {
      j = j_end;
    } else {
      if (i_end - i <= MAX_GROUP && j_end - j <= MAX_GROUP)
        pair_group(f, items + i, i_end - i, bodies + j, j_end - j, of_item);
      i = i_end;
      j = j_end;
    }
  }
  f->of_item = of_item;
  free(items);
  free(bodies);
}

/* ---- entry points ---- */

static bool read_smir_file(struct smir_reader *s) {
  struct lex *l = &s->r.l;
  while (!lex_end(l)) {
    if (LEX_AT(l, "fn ")) {
      if (!read_smir_fn(s))
        return false;
      continue;
    }
    size_t at = l->pos;
    str line = take_line(l);
    if (line.n > 0 && !str_starts(line, STR("//")))
      return reader_fail_at(&s->r, MD0112, at, "expected a function");
  }
  return true;
}

bool smir_parse(const struct mir_parse_input *in, const struct mir_file *first,
                struct smir_file *out) {
  struct smir_reader s = {0};
  *out = (struct smir_file){.first = first};
  reader_init(&s.r, in);
  s.r.second = true;
  size_t bad;
  bool ok;
  if (!utf8_valid(in->text, &bad))
    ok = reader_fail_at(&s.r, MD0100, bad, "the dump is not well-formed UTF-8");
  else
    ok = read_smir_file(&s);
  if (ok) {
    out->n_bodies = s.bodies.n;
    struct smir_body *bodies = arena_array(in->arena, struct smir_body, s.bodies.n + 1);
    if (s.bodies.n > 0)
      memcpy(bodies, s.bodies.p, s.bodies.n * sizeof *bodies);
    out->bodies = bodies;
    pair_all(out, in->arena);
  } else {
    (void)reader_report(&s.r.error, in->path, in->sink);
  }
  vec_free(&s.bodies);
  vec_free(&s.aggs);
  vec_free(&s.counts);
  vec_free(&s.args);
  reader_free(&s.r);
  return ok;
}

static bool same_shape(const struct mir_body *m, const struct smir_body *b) {
  if (m->n_blocks != b->n_blocks)
    return false;
  for (uint32_t i = 0; i < b->n_blocks; i++)
    if (m->blocks[i].n_stmts != b->block_stmts[i])
      return false;
  return true;
}

bool smir_closure_ops(const struct smir_file *f, const struct mir_item *item, uint32_t block,
                      uint32_t stmt, const struct mir_operand **ops, uint32_t *n) {
  size_t index = (size_t)(item - f->first->items);
  if (index >= f->first->n_items || f->of_item[index] == 0)
    return false;
  const struct smir_body *b = &f->bodies[f->of_item[index] - 1];
  if (!same_shape(&item->body, b) || block >= b->n_blocks ||
      stmt >= item->body.blocks[block].n_stmts)
    return false;
  const struct mir_stmt *st = &item->body.blocks[block].stmts[stmt];
  if (st->kind != ST_ASSIGN || st->rv->kind != RV_CLOSURE)
    return false;
  for (uint32_t i = 0; i < b->n_aggs; i++) {
    const struct smir_agg *a = &b->aggs[i];
    if (a->block != block || a->stmt != stmt)
      continue;
    if (!a->known || a->place.local != st->place.local || a->place.n_proj != st->place.n_proj ||
        !str_eq(a->closure, st->rv->ty->name))
      return false;
    *ops = a->ops;
    *n = a->n_ops;
    return true;
  }
  return false;
}
