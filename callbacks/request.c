/* From the native calls of a dump to requests: what is asked for is compared with what the manifest offers. */
#include "callbacks/request.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "callbacks/request_cxx.h"

struct maker {
  struct diag_sink *s;
  struct arena *a;
  const struct pmir *m;
  unsigned cc;
  const struct pm_native *n; /* the one at hand */
  uint32_t id;
  struct span call;
};

/* ---- places ---- */

/* The native call stands in the registration function; its caller is what the user wrote. */
static struct span caller_place(const struct pmir *m, pm_loc loc) {
  struct span at;
  if (loc != PM_NONE && m->spans[loc].inlined_at != PM_NONE)
    loc = m->spans[loc].inlined_at;
  return pm_user_place(m, loc, &at) ? at : pm_span_of(m, loc);
}

static void find_calls(const struct pmir *m, struct span *calls) {
  for (uint32_t f = 0; f < m->n_fns; f++)
    for (uint32_t b = 0; b < m->fns[f].n_blocks; b++) {
      const struct pm_term *t = &m->fns[f].blocks[b].term;
      if (t->kind != PM_CALL || t->u.call.callee->kind != PM_CALL_NATIVE)
        continue;
      struct span *at = &calls[t->u.call.callee->id];
      if (!at->line0)
        *at = caller_place(m, t->span);
    }
  for (uint32_t i = 0; i < m->n_natives; i++)
    if (!calls[i].line0)
      calls[i] = pm_span_of(m, m->natives[i].span);
}

static struct diag *refuse(struct maker *k, enum diag_code code, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
static struct diag *refuse(struct maker *k, enum diag_code code, const char *fmt, ...) {
  struct strbuf b = {0};
  va_list ap;
  va_start(ap, fmt);
  sb_vaddf(&b, fmt, ap);
  va_end(ap);
  struct diag *d = diag_error(k->s, code, k->call, "%s", sb_z(&b));
  sb_free(&b);
  struct span declared = pm_span_of(k->m, k->n->span);
  if (declared.line0 && memcmp(&declared, &k->call, sizeof declared) != 0)
    diag_note_at(d, declared, "`%.*s` stands for the entry `%.*s` of provider `%.*s`",
                 STR_ARG(k->n->path), STR_ARG(k->n->entry), STR_ARG(k->n->provider));
  return d;
}

/* ---- types ---- */

static bool scalar_of(const struct pmir *m, pm_ty ty, enum provider_scalar *out) {
  const struct pm_type *t = &m->types[ty];
  if (t->kind == PM_BOOL) {
    *out = SCALAR_BOOL;
    return true;
  }
  if (t->kind != PM_INT && t->kind != PM_FLOAT)
    return false;
  char word[8];
  snprintf(word, sizeof word, "%c%u", t->kind == PM_FLOAT ? 'f' : t->is_signed ? 'i' : 'u',
           (unsigned)t->bits);
  for (unsigned s = 0; s < PROVIDER_SCALARS; s++)
    if (strcmp(provider_scalar_word((enum provider_scalar)s), word) == 0) {
      *out = (enum provider_scalar)s;
      return true;
    }
  return false;
}

static bool is_nothing(const struct pmir *m, pm_ty ty) {
  return m->types[ty].kind == PM_TUPLE && m->types[ty].n_fields == 0;
}

static bool type_is(const struct maker *k, const struct request *r, pm_ty ty, struct provider_type want) {
  enum provider_scalar got;
  want = request_type(r, want);
  if (want.kind == PROVIDER_VOID)
    return is_nothing(k->m, ty);
  return scalar_of(k->m, ty, &got) && got == (enum provider_scalar)want.id;
}

static const char *want_word(const struct request *r, struct provider_type t) {
  t = request_type(r, t);
  return t.kind == PROVIDER_VOID ? "()" : provider_scalar_word((enum provider_scalar)t.id);
}

/* ---- generics ---- */

static const struct pm_generic *find_generic(const struct pm_generic *list, uint32_t n, str name) {
  for (uint32_t i = 0; i < n; i++)
    if (str_eq(list[i].name, name))
      return &list[i];
  return NULL;
}

static bool wrong_generics(struct maker *k, const struct provider_entry *e, const char *kind, str name) {
  struct diag *d = refuse(k, MD0721, "`%.*s` declares no %s `%.*s`, which the entry `%.*s` has",
                          STR_ARG(k->n->path), kind, STR_ARG(name), STR_ARG(e->name));
  diag_help(d, "give the registration function the generic parameters that the manifest lists, by the same "
               "names");
  return false;
}

static bool count_generics(struct maker *k, const struct provider_entry *e) {
  const struct pm_native *n = k->n;
  for (size_t i = 0; i < e->n_types; i++)
    if (!find_generic(n->types, n->n_types, e->types[i].name))
      return wrong_generics(k, e, "type", e->types[i].name);
  for (size_t i = 0; i < e->n_consts; i++)
    if (!find_generic(n->consts, n->n_consts, e->consts[i].name))
      return wrong_generics(k, e, "constant", e->consts[i].name);
  if (n->n_types == e->n_types && n->n_consts == e->n_consts && n->n_callbacks == e->n_callbacks)
    return true;
  struct diag *d = refuse(k, MD0721,
                          "`%.*s` declares %u types, %u constants and %u callbacks, the entry `%.*s` has "
                          "%zu, %zu and %zu",
                          STR_ARG(n->path), n->n_types, n->n_consts, n->n_callbacks, STR_ARG(e->name),
                          e->n_types, e->n_consts, e->n_callbacks);
  diag_help(d, "give the registration function the generic parameters that the manifest lists");
  return false;
}

static bool take_types(struct maker *k, const struct provider_entry *e, enum provider_scalar *out) {
  bool ok = true;
  for (size_t i = 0; i < e->n_types; i++) {
    const struct provider_type_param *p = &e->types[i];
    const struct pm_generic *g = find_generic(k->n->types, k->n->n_types, p->name);
    if (scalar_of(k->m, g->ty, &out[i]) && (p->one_of >> out[i] & 1))
      continue;
    struct strbuf b = {0};
    provider_add_choices(&b, p->one_of);
    struct diag *d = refuse(k, MD0722, "the entry `%.*s` of provider `%.*s` is not offered for `%.*s = %.*s`",
                            STR_ARG(e->name), STR_ARG(k->n->provider), STR_ARG(p->name),
                            STR_ARG(k->m->types[g->ty].name));
    diag_help(d, "`%.*s` can be %s", STR_ARG(p->name), sb_z(&b));
    sb_free(&b);
    ok = false;
  }
  return ok;
}

static void add_number(struct strbuf *b, u128 v) {
  char digits[40];
  size_t n = 0;
  do
    digits[n++] = (char)('0' + (int)(v % 10));
  while ((v /= 10) != 0);
  while (n)
    sb_addc(b, digits[--n]);
}

static bool take_consts(struct maker *k, const struct provider_entry *e, uint64_t *out) {
  bool ok = true;
  for (size_t i = 0; i < e->n_consts; i++) {
    const struct provider_const *c = &e->consts[i];
    u128 v = find_generic(k->n->consts, k->n->n_consts, c->name)->value;
    out[i] = (uint64_t)v;
    if (provider_const_offers(c, v))
      continue;
    struct strbuf b = {0};
    add_number(&b, v);
    struct diag *d = refuse(k, MD0723, "the entry `%.*s` of provider `%.*s` is not offered for `%.*s = %s`",
                            STR_ARG(e->name), STR_ARG(k->n->provider), STR_ARG(c->name), sb_z(&b));
    sb_clear(&b);
    if (c->power_of_two)
      sb_addz(&b, "a power of two ");
    if (c->multiple_of > 1)
      sb_addf(&b, "%sa multiple of %" PRIu64 " ", b.n ? "and " : "", c->multiple_of);
    diag_help(d, "`%.*s` can be %sfrom %" PRIu64 " to %" PRIu64, STR_ARG(c->name), sb_z(&b), c->min, c->max);
    sb_free(&b);
    ok = false;
  }
  return ok;
}

/* ---- signatures ---- */

static const struct pm_callback *find_callback(const struct pm_native *n, str name, uint32_t *id) {
  for (*id = 0; *id < n->n_callbacks; ++*id)
    if (str_eq(n->callbacks[*id].param, name))
      return &n->callbacks[*id];
  return NULL;
}

static void add_signature(struct strbuf *b, const struct request *r, const struct provider_callback *c) {
  sb_addz(b, "Fn(");
  for (size_t i = 0; i < c->n_args; i++)
    sb_addf(b, "%s%s", i ? ", " : "", want_word(r, c->args[i]));
  sb_addz(b, ")");
  if (request_type(r, c->ret).kind != PROVIDER_VOID)
    sb_addf(b, " -> %s", want_word(r, c->ret));
}

static bool check_callback(struct maker *k, const struct request *r, const struct provider_callback *c) {
  uint32_t id;
  const struct pm_callback *cb = find_callback(k->n, c->name, &id);
  if (!cb)
    return wrong_generics(k, r->entry, "callback", c->name);
  const struct pm_func *f = &k->m->fns[cb->thunk];
  bool fits = f->n_args == c->n_args + 1 && type_is(k, r, f->ret, c->ret);
  for (uint32_t i = 0; fits && i < c->n_args; i++)
    fits = type_is(k, r, f->locals[i + 2].ty, c->args[i]);
  if (fits)
    return true;
  struct strbuf b = {0};
  add_signature(&b, r, c);
  struct diag *d = refuse(k, MD0724, "the callback `%.*s` of `%.*s` has another signature than the entry `%.*s` calls",
                          STR_ARG(c->name), STR_ARG(k->n->path), STR_ARG(r->entry->name));
  diag_help(d, "the manifest says `%s`", sb_z(&b));
  sb_free(&b);
  return false;
}

static bool data_fits(const struct maker *k, const struct request *r, const struct provider_arg *arg, pm_ty ty) {
  if (arg->pass == PASS_VALUE)
    return type_is(k, r, ty, arg->type);
  const struct pm_type *p = &k->m->types[ty];
  if (p->kind != PM_PTR || p->meta != PM_META_NONE || (!p->mut && arg->pass != PASS_IN))
    return false;
  pm_ty to = p->elem;
  const struct pm_type *t = &k->m->types[to];
  if (arg->array && t->kind == PM_ARRAY && t->len == r->consts[arg->len])
    to = t->elem;
  else if (arg->array)
    return false;
  return type_is(k, r, to, arg->type);
}

static void add_wanted(struct strbuf *b, const struct request *r, const struct provider_arg *arg) {
  static const char *const refs[] = {"", "", "&", "&mut ", "&mut "};
  if (arg->pass == PASS_CALLBACK)
    sb_addf(b, "%.*s", STR_ARG(r->entry->callbacks[arg->callback].name));
  else if (arg->array)
    sb_addf(b, "%s[%s; %" PRIu64 "]", refs[arg->pass], want_word(r, arg->type), r->consts[arg->len]);
  else
    sb_addf(b, "%s%s", refs[arg->pass], want_word(r, arg->type));
}

static bool argument_fits(const struct maker *k, const struct request *r, uint32_t i) {
  const struct provider_arg *arg = &r->entry->args[i];
  uint32_t callback = k->n->arg_callback[i], id;
  if (arg->pass != PASS_CALLBACK)
    return callback == PM_NONE && data_fits(k, r, arg, k->n->args[i]);
  return callback != PM_NONE && find_callback(k->n, r->entry->callbacks[arg->callback].name, &id) &&
         id == callback;
}

static bool check_arguments(struct maker *k, const struct request *r) {
  const struct provider_entry *e = r->entry;
  if (k->n->n_args != e->n_args) {
    struct diag *d = refuse(k, MD0725, "`%.*s` hands over %u arguments, the entry `%.*s` takes %zu",
                            STR_ARG(k->n->path), k->n->n_args, STR_ARG(e->name), e->n_args);
    diag_help(d, "a result `Option<T>` is handed over as a last argument, of type `&mut T`");
    return false;
  }
  for (uint32_t i = 0; i < e->n_args; i++) {
    if (argument_fits(k, r, i))
      continue;
    struct strbuf b = {0};
    add_wanted(&b, r, &e->args[i]);
    struct diag *d = refuse(k, MD0725, "argument `%.*s` of the entry `%.*s` has another type than `%.*s` declares",
                            STR_ARG(e->args[i].name), STR_ARG(e->name), STR_ARG(k->n->path));
    diag_help(d, "the manifest says `%s`", sb_z(&b));
    sb_free(&b);
    return false;
  }
  return true;
}

static bool check_result(struct maker *k, const struct request *r) {
  if (type_is(k, r, k->n->ret, r->entry->returns))
    return true;
  struct diag *d = refuse(k, MD0726, "`%.*s` returns `%.*s`, the entry `%.*s` something else",
                          STR_ARG(k->n->path), STR_ARG(k->m->types[k->n->ret].name), STR_ARG(r->entry->name));
  diag_help(d, "the manifest says `%s`; `bool` with a last argument `out` is an `Option` in Rust",
            want_word(r, r->entry->returns));
  return false;
}

static bool check_arch(struct maker *k, const struct provider_entry *e) {
  if (k->cc >= e->min_arch)
    return true;
  struct diag *d = refuse(k, MD0727, "the entry `%.*s` of provider `%.*s` needs sm_%u, this build is for sm_%u too",
                          STR_ARG(e->name), STR_ARG(k->n->provider), e->min_arch, k->cc);
  diag_help(d, "build for `--arch sm_%u` and newer", e->min_arch);
  return false;
}

static const struct provider_entry *find_entry(struct maker *k, const struct provider *p) {
  const struct provider_entry *e = provider_entry_find(p, k->n->entry);
  if (e)
    return e;
  struct diag *d = refuse(k, MD0720, "provider `%.*s` has no entry `%.*s`", STR_ARG(p->name), STR_ARG(k->n->entry));
  struct strbuf b = {0};
  for (size_t i = 0; i < p->n_entries; i++)
    sb_addf(&b, "%s`%.*s`", i ? ", " : "", STR_ARG(p->entries[i].name));
  diag_help(d, "`%.*s` offers %s", STR_ARG(p->manifest), p->n_entries ? sb_z(&b) : "nothing");
  sb_free(&b);
  return NULL;
}

static bool make_one(struct maker *k, const struct provider *p, struct request *r) {
  const struct provider_entry *e = find_entry(k, p);
  if (!e || !count_generics(k, e))
    return false;
  enum provider_scalar *types = arena_array(k->a, enum provider_scalar, e->n_types + 1);
  uint64_t *consts = arena_array(k->a, uint64_t, e->n_consts + 1);
  bool ok = take_types(k, e, types);
  ok = take_consts(k, e, consts) && ok;
  ok = check_arch(k, e) && ok;
  if (!ok)
    return false;
  *r = (struct request){.provider = p, .entry = e, .types = types, .consts = consts, .native = k->id};
  for (size_t i = 0; i < e->n_callbacks; i++)
    ok = check_callback(k, r, &e->callbacks[i]) && ok;
  ok = ok && check_arguments(k, r) && check_result(k, r);
  if (ok)
    request_render(k->a, r);
  return ok;
}

/* ---- all of them ---- */

static int by_symbol(const void *a, const void *b) {
  return str_cmp(((const struct request *)a)->symbol, ((const struct request *)b)->symbol);
}

/* Requests by symbol, without doubles; the first that asks stands for the others. */
static void sort_requests(const struct pmir *m, struct requests *out) {
  struct map places = {0};
  for (uint32_t i = 0; i < m->n_natives; i++) {
    bool fresh;
    *map_put(&places, out->list[i].symbol, &fresh) = 0;
    out->symbols[i] = out->list[i].symbol;
    if (fresh)
      out->list[out->n++] = out->list[i];
  }
  if (out->n)
    qsort(out->list, out->n, sizeof *out->list, by_symbol);
  for (size_t i = 0; i < out->n; i++)
    *map_put(&places, out->list[i].symbol, NULL) = i;
  for (uint32_t i = 0; i < m->n_natives; i++)
    out->of_native[i] = (uint32_t)*map_get(&places, out->symbols[i]);
  map_free(&places);
}

bool requests_make(struct diag_sink *s, struct arena *a, const struct pmir *m, unsigned cc,
                   const struct request_source *from, struct requests *out) {
  struct maker k = {.s = s, .a = a, .m = m, .cc = cc};
  struct map providers = {0};
  bool ok = true;
  *out = (struct requests){.list = arena_array(a, struct request, m->n_natives + 1),
                           .of_native = arena_array(a, uint32_t, m->n_natives + 1),
                           .symbols = arena_array(a, str, m->n_natives + 1),
                           .calls = arena_array(a, struct span, m->n_natives + 1)};
  find_calls(m, out->calls);
  for (uint32_t i = 0; i < m->n_natives; i++) {
    bool fresh;
    k.n = &m->natives[i];
    k.id = i;
    k.call = out->calls[i];
    uintptr_t *p = map_put(&providers, k.n->provider, &fresh);
    if (fresh)
      *p = (uintptr_t)from->find(from->context, k.n->provider, k.call);
    ok = *p && make_one(&k, (const struct provider *)*p, &out->list[i]) && ok;
  }
  map_free(&providers);
  if (ok)
    sort_requests(m, out);
  return ok;
}
