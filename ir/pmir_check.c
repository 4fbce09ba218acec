/* The verifier: order of the passes, messages, symbols. What passes here can be lowered without
 * further checks on its shape. */
#include "ir/pmir_check.h"

#include <string.h>

#include "ir/pmir_reader.h"

enum { MAX_ERRORS = 20 };

bool pc_too_many(const struct pm_check *c) {
  return c->errors >= MAX_ERRORS;
}

/* ---- messages ---- */

/* The text position of a pointer such as /fns/3/blocks/0: the outline knows where elements begin.
 */
static size_t locate(const struct pm_reader *r, str pointer) {
  str rest = str_drop(pointer, 1);
  size_t slash = str_find_char(rest, '/', 0);
  const struct json_member *m = json_member(&r->o, str_sub(rest, 0, slash));
  if (!m)
    return 0;
  if (slash == SIZE_MAX)
    return m->value.lo;
  str below = str_drop(rest, slash);
  size_t end = str_find_char(below, '/', 1);
  uint64_t i;
  if (m->elems && str_to_u64(str_sub(below, 1, end), &i) && i < m->n_elems)
    return json_locate(r->t.text, m->elems[i].lo,
                       end == SIZE_MAX ? STR_NULL : str_drop(below, end));
  return json_locate(r->t.text, m->value.lo, below);
}

PRINTF_LIKE(5, 0)
static struct diag *error_v(struct pm_check *c, enum diag_code code, pm_loc span, str pointer,
                            const char *fmt, va_list ap) {
  struct strbuf b = {0};
  sb_vaddf(&b, fmt, ap);
  struct diag *d =
      json_error_at(&c->r->t, code, locate(c->r, pointer), pointer, "%.*s", STR_ARG(sb_str(&b)));
  d->span = pm_span_of(c->m, span);
  sb_free(&b);
  c->errors++;
  return d;
}

struct diag *pc_error_at(struct pm_check *c, enum diag_code code, pm_loc span, str pointer,
                         const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  struct diag *d = error_v(c, code, span, pointer, fmt, ap);
  va_end(ap);
  return d;
}

struct diag *pc_error(struct pm_check *c, enum diag_code code, const char *fmt, ...) {
  struct strbuf where = {0};
  const struct pm_func *f = &c->m->fns[c->fn];
  sb_addf(&where, "/fns/%u", c->fn);
  if (c->block != PM_NONE)
    sb_addf(&where, "/blocks/%u/%u", c->block, c->stmt == PM_NONE);
  if (c->block != PM_NONE && c->stmt != PM_NONE)
    sb_addf(&where, "/%u", c->stmt);
  va_list ap;
  va_start(ap, fmt);
  struct diag *d =
      error_v(c, code, c->span != PM_NONE ? c->span : f->span, sb_str(&where), fmt, ap);
  va_end(ap);
  sb_free(&where);
  diag_note(d, "in function `%.*s`", STR_ARG(f->name));
  pm_note_kernels(c->m, c->fn, d);
  return d;
}

/* ---- which kernel ---- */

struct walk {
  const struct pmir *m;
  uint8_t *seen_fn, *seen_alloc;
  pm_fn *fns; /* in the order found */
  uint32_t *allocs;
  size_t n_fns, n_allocs;
};

static void visit_fn(struct walk *w, pm_fn f) {
  if (f >= w->m->n_fns || w->seen_fn[f])
    return;
  w->seen_fn[f] = 1;
  w->fns[w->n_fns++] = f;
}

static void visit_alloc(struct walk *w, uint32_t a) {
  if (a >= w->m->n_allocs || w->seen_alloc[a])
    return;
  w->seen_alloc[a] = 1;
  w->allocs[w->n_allocs++] = a;
}

static void visit_target(struct walk *w, enum pm_reloc_kind kind, uint32_t id) {
  if (kind == PM_TO_FN)
    visit_fn(w, id);
  if (kind == PM_TO_ALLOC)
    visit_alloc(w, id);
  if (kind == PM_TO_STATIC && id < w->m->n_statics)
    visit_alloc(w, w->m->statics[id].alloc);
}

static void visit_operands(struct walk *w, const struct pm_operand *o, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (o[i].kind == PM_ADDR || o[i].kind == PM_WIDE)
      visit_target(w, (enum pm_reloc_kind)o[i].to, o[i].u.addr.id);
    if (o[i].kind == PM_FROM)
      visit_alloc(w, o[i].u.addr.id);
  }
}

static void visit_call(struct walk *w, const struct pm_term *t) {
  const struct pm_callee *k = t->u.call.callee;
  if (k->kind == PM_CALL_FN)
    visit_fn(w, k->id);
  if (k->kind == PM_CALL_PTR)
    visit_operands(w, k->ptr, 1);
  for (uint32_t i = 0; k->kind == PM_CALL_NATIVE && i < w->m->natives[k->id].n_callbacks; i++)
    visit_fn(w, w->m->natives[k->id].callbacks[i].thunk);
  visit_operands(w, t->ops, t->n);
}

static void visit_block(struct walk *w, const struct pm_block *b) {
  for (uint32_t s = 0; s < b->n_stmts; s++)
    if (b->stmts[s].kind == PM_ASSIGN)
      visit_operands(w, b->stmts[s].u.rv.ops, b->stmts[s].u.rv.n_ops);
  if (b->term.kind == PM_CALL)
    visit_call(w, &b->term);
  if (b->term.kind == PM_DROP)
    visit_fn(w, b->term.u.drop.fn);
}

/* Everything reached from what was found since; stops when `wanted` is. */
static void follow(struct walk *w, size_t fns, size_t allocs, pm_fn wanted) {
  while (!w->seen_fn[wanted] && (fns < w->n_fns || allocs < w->n_allocs)) {
    if (fns < w->n_fns) {
      const struct pm_func *f = &w->m->fns[w->fns[fns++]];
      for (uint32_t b = 0; b < f->n_blocks; b++)
        visit_block(w, &f->blocks[b]);
    } else {
      const struct pm_alloc *a = &w->m->allocs[w->allocs[allocs++]];
      for (uint32_t i = 0; i < a->n_relocs; i++)
        visit_target(w, a->relocs[i].kind, a->relocs[i].id);
    }
  }
}

void pm_note_kernels(const struct pmir *m, pm_fn fn, struct diag *d) {
  struct arena a = {0};
  struct walk w = {.m = m,
                   .seen_fn = arena_array(&a, uint8_t, m->n_fns),
                   .seen_alloc = arena_array(&a, uint8_t, m->n_allocs),
                   .fns = arena_array(&a, pm_fn, m->n_fns),
                   .allocs = arena_array(&a, uint32_t, m->n_allocs)};
  for (uint32_t k = 0; k < m->n_kernels && !w.seen_fn[fn]; k++) {
    const size_t fns = w.n_fns, allocs = w.n_allocs;
    visit_fn(&w, m->kernels[k].fn);
    follow(&w, fns, allocs, fn);
    if (w.seen_fn[fn])
      diag_note(d, "reached from kernel `%.*s`", STR_ARG(m->kernels[k].name));
  }
  arena_free(&a);
}

/* ---- symbols ---- */

#define POINTER(c, ...) arena_printf(&(c)->arena, __VA_ARGS__)

static bool legal_symbol(str s) {
  if (s.n == 0 || s.n > 4096)
    return false;
  for (size_t i = 0; i < s.n; i++) {
    char ch = s.p[i];
    const bool letter =
        (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_' || ch == '$';
    if (!letter && !(i > 0 && ch >= '0' && ch <= '9'))
      return false;
  }
  return s.n > 1 || (s.p[0] != '_' && s.p[0] != '$');
}

static void add_symbol(struct pm_check *c, struct map *all, str symbol, pm_loc span,
                       const char *list, uint32_t i) {
  const char *member = strcmp(list, "kernels") == 0 ? "name" : "symbol";
  if (!legal_symbol(symbol)) {
    struct diag *d = pc_error_at(c, MD0220, span, POINTER(c, "/%s/%u/%s", list, i, member),
                                 "`%.*s` is not a legal symbol", STR_ARG(str_sub(symbol, 0, 200)));
    diag_help(d, "symbols are made of letters, digits, `_` and `$`, and do not begin with a digit");
    return;
  }
  bool fresh;
  *map_put(all, symbol, &fresh) = 1;
  if (!fresh)
    pc_error_at(c, MD0221, span, POINTER(c, "/%s/%u/%s", list, i, member),
                "the symbol `%.*s` is given twice", STR_ARG(str_sub(symbol, 0, 200)));
}

/* A kernel may have the name of its own function. */
static void add_kernel_name(struct pm_check *c, struct map *all, struct map *kernels, uint32_t i) {
  const struct pm_kernel *k = &c->m->kernels[i];
  bool fresh;
  *map_put(kernels, k->name, &fresh) = 1;
  if (!fresh)
    pc_error_at(c, MD0221, k->span, POINTER(c, "/kernels/%u/name", i),
                "there is another kernel `%.*s`", STR_ARG(str_sub(k->name, 0, 200)));
  else if (!str_eq(k->name, c->m->fns[k->fn].symbol))
    add_symbol(c, all, k->name, k->span, "kernels", i);
}

void pc_symbols(struct pm_check *c) {
  struct map all = {0}, kernels = {0};
  const struct pmir *m = c->m;
  for (uint32_t i = 0; i < m->n_fns && !pc_too_many(c); i++)
    add_symbol(c, &all, m->fns[i].symbol, m->fns[i].span, "fns", i);
  for (uint32_t i = 0; i < m->n_statics && !pc_too_many(c); i++)
    add_symbol(c, &all, m->statics[i].symbol, m->statics[i].span, "statics", i);
  for (uint32_t i = 0; i < m->n_externs && !pc_too_many(c); i++)
    add_symbol(c, &all, m->externs[i].symbol, m->externs[i].span, "externs", i);
  for (uint32_t i = 0; i < m->n_kernels && !pc_too_many(c); i++)
    add_kernel_name(c, &all, &kernels, i);
  map_free(&all);
  map_free(&kernels);
}

/* ---- all ---- */

static void check_code(struct pm_check *c) {
  for (pm_fn f = 0; f < c->m->n_fns && !pc_too_many(c); f++)
    pc_function(c, f);
}

/* Later passes lean on what earlier ones have checked. */
bool pm_verify(struct pm_reader *r) {
  struct pm_check c = {.r = r, .m = r->m, .span = PM_NONE};
  c.meta = arena_array(&c.keys, uint8_t, r->m->n_types);
  static void (*const passes[])(struct pm_check *) = {pc_types,   pc_memory,  pc_symbols,
                                                      pc_kernels, pc_natives, check_code};
  for (size_t i = 0; i < COUNT_OF(passes) && c.errors == 0; i++)
    passes[i](&c);
  vec_free_raw(c.equal);
  map_free(&c.arrays);
  arena_free(&c.keys);
  arena_free(&c.arena);
  return c.errors == 0;
}
