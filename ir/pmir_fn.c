/* Functions of a dump. A function that cannot be read does not end the reading: the call graph of
 * the others tells which kernel the message concerns. */
#include <string.h>

#include "ir/pmir_check.h"
#include "ir/pmir_reader.h"

enum { MAX_BROKEN = 20 };

enum member {
  M_NAME = 1,
  M_SYMBOL = 2,
  M_KIND = 4,
  M_ABI = 8,
  M_ARGS = 16,
  M_LOCALS = 32,
  M_BLOCKS = 64,
  M_SPAN = 128,
  M_ALL = 255
};

static bool pull_interned(struct pm_reader *r, str *out) {
  str s;
  if (!jp_str(&r->j, &s))
    return false;
  *out = pm_intern(r, s);
  return true;
}

static bool pull_local(struct pm_reader *r, struct pm_local *l) {
  struct json_pull *j = &r->j;
  *l = (struct pm_local){.span = PM_NONE, .name = {"", 0}};
  if (jp_kind(j) != JSON_ARRAY)
    return pm_pull_id(r, r->m->n_types, "type", &l->ty);
  return jp_array(j) && jp_item(j) && pm_pull_id(r, r->m->n_types, "type", &l->ty) && jp_item(j) &&
         pull_interned(r, &l->name) && pm_pull_span(r, &l->span) && jp_close(j);
}

static bool pull_locals(struct pm_reader *r, struct pm_func *f) {
  struct json_pull *j = &r->j;
  r->locals.n = 0;
  if (!jp_array(j))
    return false;
  while (jp_more(j)) {
    struct pm_local l;
    if (!pull_local(r, &l))
      return false;
    vec_push(NULL, &r->locals, l);
  }
  f->n_locals = (uint32_t)r->locals.n;
  f->locals = PM_KEEP(r, &r->locals, 0);
  return true;
}

static bool pull_block(struct pm_reader *r, struct pm_block *b) {
  struct json_pull *j = &r->j;
  r->stmts.n = 0;
  if (!jp_array(j) || !jp_item(j) || !jp_array(j))
    return false;
  while (jp_more(j)) {
    struct pm_stmt s;
    if (!pm_pull_stmt(r, &s))
      return false;
    vec_push(NULL, &r->stmts, s);
  }
  b->n_stmts = (uint32_t)r->stmts.n;
  b->stmts = PM_KEEP(r, &r->stmts, 0);
  return jp_item(j) && pm_pull_term(r, &b->term) && jp_close(j);
}

static bool pull_blocks(struct pm_reader *r, struct pm_func *f) {
  struct json_pull *j = &r->j;
  r->blocks.n = 0;
  if (!jp_array(j))
    return false;
  while (jp_more(j)) {
    struct pm_block b = {0};
    if (!pull_block(r, &b))
      return false;
    vec_push(NULL, &r->blocks, b);
  }
  r->stmt_at = NULL;
  f->n_blocks = (uint32_t)r->blocks.n;
  f->blocks = PM_KEEP(r, &r->blocks, 0);
  return true;
}

static bool pull_vars(struct pm_reader *r, struct pm_func *f) {
  struct json_pull *j = &r->j;
  r->vars.n = 0;
  if (!jp_array(j))
    return false;
  while (jp_more(j)) {
    struct pm_var v = {0};
    if (!jp_array(j) || !jp_item(j) || !pull_interned(r, &v.name) || !jp_item(j) ||
        !pm_pull_place(r, &v.place) || !pm_pull_span(r, &v.span) || !jp_close(j))
      return false;
    vec_push(NULL, &r->vars, v);
  }
  f->n_vars = (uint32_t)r->vars.n;
  f->vars = PM_KEEP(r, &r->vars, 0);
  return true;
}

static bool pull_kind(struct pm_reader *r, struct pm_func *f) {
  static const char *const names[] = {"item", "closure", "glue", "shim", NULL};
  unsigned v;
  if (!pm_pull_name(r, names, "kind of function", &v))
    return false;
  f->kind = (enum pm_fn_kind)v;
  return true;
}

static bool pull_abi(struct pm_reader *r, struct pm_func *f) {
  static const char *const names[] = {"rust", "c", NULL};
  unsigned v;
  if (!pm_pull_name(r, names, "calling convention", &v))
    return false;
  f->c_abi = v == 1;
  return true;
}

static bool pull_inline(struct pm_reader *r, struct pm_func *f) {
  static const char *const names[] = {"auto", "always", "never", NULL};
  unsigned v;
  if (!pm_pull_name(r, names, "inline attribute", &v))
    return false;
  f->inl = (enum pm_inline)v;
  return true;
}

static bool pull_fn_span(struct pm_reader *r, struct pm_func *f) {
  f->span = PM_NONE;
  return jp_null(&r->j) || pm_pull_id(r, r->m->n_spans, "span", &f->span);
}

static bool pull_name(struct pm_reader *r, struct pm_func *f) {
  return pull_interned(r, &f->name);
}

static bool pull_symbol(struct pm_reader *r, struct pm_func *f) {
  return pull_interned(r, &f->symbol);
}

static bool pull_export(struct pm_reader *r, struct pm_func *f) {
  return jp_bool(&r->j, &f->export);
}

static bool pull_noreturn(struct pm_reader *r, struct pm_func *f) {
  return jp_bool(&r->j, &f->noreturn);
}

static bool pull_n_args(struct pm_reader *r, struct pm_func *f) {
  return jp_u32(&r->j, &f->n_args);
}

static const struct {
  const char *key;
  unsigned bit; /* required members have one */
  bool (*pull)(struct pm_reader *r, struct pm_func *f);
} members[] = {
    {"name", M_NAME, pull_name},
    {"symbol", M_SYMBOL, pull_symbol},
    {"kind", M_KIND, pull_kind},
    {"abi", M_ABI, pull_abi},
    {"inline", 0, pull_inline},
    {"export", 0, pull_export},
    {"noreturn", 0, pull_noreturn},
    {"n_args", M_ARGS, pull_n_args},
    {"locals", M_LOCALS, pull_locals},
    {"blocks", M_BLOCKS, pull_blocks},
    {"vars", 0, pull_vars},
    {"span", M_SPAN, pull_fn_span},
};

static bool pull_member(struct pm_reader *r, struct pm_func *f, str key, unsigned *seen) {
  for (size_t i = 0; i < COUNT_OF(members); i++) {
    if (!str_is(key, members[i].key))
      continue;
    *seen |= members[i].bit;
    return members[i].pull(r, f);
  }
  return jp_fail(&r->j, r->j.p, "unknown member `%.*s`", STR_ARG(str_sub(key, 0, 80)));
}

static bool pull_fn(struct pm_reader *r, struct pm_func *f) {
  const char *at = r->j.p;
  unsigned seen = 0;
  str key;
  if (!jp_object(&r->j))
    return false;
  while (jp_member(&r->j, &key))
    if (!pull_member(r, f, key, &seen))
      return false;
  for (size_t i = 0; i < COUNT_OF(members); i++)
    if (members[i].bit & ~seen)
      return jp_fail(&r->j, at, "the member `%s` is missing", members[i].key);
  if (f->n_args >= f->n_locals)
    return jp_fail(&r->j, at, "%u arguments and a result need more than %u locals", f->n_args,
                   f->n_locals);
  if (f->n_blocks == 0)
    return jp_fail(&r->j, at, "there is no block");
  f->ret = f->locals[0].ty;
  return true;
}

static bool has_no_span(const char *statement) {
  static const char *const tags[] = {"goto", "switch", "live", "dead"};
  const char *p = strchr(statement, '"');
  for (size_t i = 0; p && i < COUNT_OF(tags); i++)
    if (strncmp(p + 1, tags[i], strlen(tags[i])) == 0)
      return true;
  return p == NULL;
}

/* The span that ends the statement which could not be read, if it has one. */
static pm_loc span_of_statement(struct pm_reader *r) {
  if (!r->stmt_at || *r->stmt_at != '[' || has_no_span(r->stmt_at))
    return PM_NONE;
  str text = r->t.text;
  size_t p = json_skip_value(text, (size_t)(r->stmt_at - text.p)) - 1; /* the bracket */
  while (text.p[p - 1] == ' ' || text.p[p - 1] == '\n')
    p--;
  size_t lo = p;
  while (text.p[lo - 1] >= '0' && text.p[lo - 1] <= '9')
    lo--;
  uint64_t v;
  if (text.p[lo - 1] != ',' || !str_to_u64(str_sub(text, lo, p), &v) || v >= r->m->n_spans)
    return PM_NONE;
  return (pm_loc)v;
}

static void note_broken(struct pm_reader *r, pm_fn i) {
  const struct pm_func *f = &r->m->fns[i];
  struct diag *d = r->j.error;
  if (!d)
    return;
  d->span = pm_span_of(r->m, span_of_statement(r));
  if (f->name.n)
    diag_note(d, "in function `%.*s`", STR_ARG(f->name));
  struct pm_broken b = {i, d};
  vec_push(NULL, &r->broken, b);
}

bool pm_read_fns(struct pm_reader *r) {
  const struct json_member *m = json_member(&r->o, STR("fns"));
  struct arena_mark mark = arena_save(&r->scratch);
  for (size_t i = 0; i < m->n_elems && r->broken.n < MAX_BROKEN; i++) {
    jp_init(&r->j, &r->t, m->elems[i], &r->scratch);
    r->projs.n = 0;
    r->stmt_at = NULL;
    if (!pull_fn(r, &r->m->fns[i])) {
      note_broken(r, (pm_fn)i);
      r->m->fns[i].n_blocks = 0;
    }
    arena_rewind(&r->scratch, mark);
  }
  for (size_t i = 0; i < r->broken.n; i++)
    pm_note_kernels(r->m, r->broken.p[i].fn, r->broken.p[i].d);
  return r->broken.n == 0;
}
