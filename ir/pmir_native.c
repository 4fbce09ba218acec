/* natives and closures of a dump: calls of native algorithms, and what types do not say of
 * closures. Both are small beside functions, so a tree of each is fine. */
#include <string.h>

#include "ir/pmir_check.h"
#include "ir/pmir_reader.h"

typedef bool element_reader(struct pm_reader *r, const struct json_at *at, void *out);

/* The array of an optional member, in the arena of the module. */
static bool read_list(struct pm_reader *r, const struct json_at *list, size_t size,
                      element_reader *one, void **out, uint32_t *n) {
  struct json_at e;
  size_t len;
  if (!json_len(list, &len))
    return false;
  char *p = arena_alloc_n(&r->m->arena, len, size, 16);
  memset(p, 0, len * size);
  *out = p;
  *n = 0;
  JSON_EACH(list, e) {
    if (!one(r, &e, p + size * *n))
      return false;
    (*n)++;
  }
  return true;
}

static bool get_list(struct pm_reader *r, const struct json_at *at, const char *key, size_t size,
                     element_reader *one, void **out, uint32_t *n) {
  struct json_at list;
  return json_get(at, key, &list) && read_list(r, &list, size, one, out, n);
}

static bool elem_name(struct pm_reader *r, const struct json_at *at, size_t i, str *out) {
  struct json_at e;
  if (!json_elem(at, i, &e) || !json_str(&e, out))
    return false;
  *out = pm_intern(r, *out);
  return true;
}

static bool elem_type(struct pm_reader *r, const struct json_at *at, size_t i, pm_ty *out) {
  struct json_at e;
  return json_elem(at, i, &e) && pm_id(&e, r->m->n_types, "type", out);
}

static bool has_len(const struct json_at *at, size_t want) {
  size_t n;
  if (!json_len(at, &n))
    return false;
  if (n == want)
    return true;
  json_error(at, "expected %zu elements, found %zu", want, n);
  return false;
}

static bool read_type(struct pm_reader *r, const struct json_at *at, void *out) {
  struct pm_generic *g = out;
  return has_len(at, 2) && elem_name(r, at, 0, &g->name) && elem_type(r, at, 1, &g->ty);
}

static bool read_const(struct pm_reader *r, const struct json_at *at, void *out) {
  struct pm_generic *g = out;
  struct json_at e;
  return has_len(at, 3) && elem_name(r, at, 0, &g->name) && elem_type(r, at, 1, &g->ty) &&
         json_elem(at, 2, &e) && json_u128(&e, &g->value);
}

static bool read_callback(struct pm_reader *r, const struct json_at *at, void *out) {
  static const char *const keys[] = {"param", "ty", "base", "refs", "thunk", NULL};
  struct pm_callback *c = out;
  struct pmir *m = r->m;
  return json_only(at, keys) && pm_get_str(r, at, "param", &c->param) &&
         pm_get_id(at, "ty", m->n_types, "type", &c->ty) &&
         pm_get_id(at, "base", m->n_types, "type", &c->base) &&
         json_get_u32(at, "refs", 127, &c->refs) &&
         pm_get_id(at, "thunk", m->n_fns, "fn", &c->thunk);
}

static bool read_args(struct pm_reader *r, const struct json_at *at, struct pm_native *n) {
  struct json_at list, e, which;
  size_t len;
  str word;
  if (!json_get(at, "args", &list) || !json_len(&list, &len))
    return false;
  n->args = arena_array(&r->m->arena, pm_ty, len);
  n->arg_callback = arena_array(&r->m->arena, uint32_t, len);
  JSON_EACH(&list, e) {
    uint32_t i = n->n_args++;
    n->args[i] = n->arg_callback[i] = PM_NONE;
    if (json_kind(&e) != JSON_ARRAY) {
      if (!pm_id(&e, r->m->n_types, "type", &n->args[i]))
        return false;
      continue;
    }
    if (!has_len(&e, 2) || !json_elem(&e, 0, &which) || !json_str(&which, &word))
      return false;
    if (!str_eqz(word, "callback")) {
      json_error(&which, "expected \"callback\"");
      return false;
    }
    if (!json_elem(&e, 1, &which) ||
        !pm_id(&which, n->n_callbacks, "callback", &n->arg_callback[i]))
      return false;
  }
  return true;
}

static bool read_native(struct pm_reader *r, const struct json_at *at, void *out) {
  static const char *const keys[] = {"provider", "entry", "path", "types", "consts",
                                     "callbacks", "args",  "ret",  "model", "span", NULL};
  struct pm_native *n = out;
  void *types, *consts, *callbacks;
  if (!json_only(at, keys) || !pm_get_str(r, at, "provider", &n->provider) ||
      !pm_get_str(r, at, "entry", &n->entry) || !pm_get_str(r, at, "path", &n->path) ||
      !get_list(r, at, "types", sizeof *n->types, read_type, &types, &n->n_types) ||
      !get_list(r, at, "consts", sizeof *n->consts, read_const, &consts, &n->n_consts) ||
      !get_list(r, at, "callbacks", sizeof *n->callbacks, read_callback, &callbacks,
                &n->n_callbacks))
    return false;
  n->types = types;
  n->consts = consts;
  n->callbacks = callbacks;
  return read_args(r, at, n) && pm_get_id(at, "ret", r->m->n_types, "type", &n->ret) &&
         pm_opt_bool(at, "model", &n->has_model) &&
         pm_opt_id(at, "span", r->m->n_spans, "span", &n->span);
}

static bool read_capture(struct pm_reader *r, const struct json_at *at, void *out) {
  struct pm_capture *c = out;
  struct json_at e;
  c->span = PM_NONE;
  return has_len(at, 2) && elem_name(r, at, 0, &c->name) && json_elem(at, 1, &e) &&
         (json_kind(&e) == JSON_NULL || pm_id(&e, r->m->n_spans, "span", &c->span));
}

static bool read_closure(struct pm_reader *r, const struct json_at *at, void *out) {
  static const char *const keys[] = {"ty", "fn", "kind", "move", "captures", "span", NULL};
  static const char *const kinds[] = {"fn", "fn_mut", "fn_once", NULL};
  struct pm_closure *c = out;
  void *captures;
  unsigned kind;
  if (!json_only(at, keys) || !pm_get_id(at, "ty", r->m->n_types, "type", &c->ty) ||
      !pm_opt_id(at, "fn", r->m->n_fns, "fn", &c->fn) ||
      !json_get_enum(at, "kind", kinds, &kind) || !json_get_bool(at, "move", &c->is_move) ||
      !get_list(r, at, "captures", sizeof *c->captures, read_capture, &captures, &c->n_captures))
    return false;
  c->kind = (enum pm_closure_kind)kind;
  c->captures = captures;
  return pm_opt_id(at, "span", r->m->n_spans, "span", &c->span);
}

static bool read_member(struct pm_reader *r, const char *name, size_t size, element_reader *one,
                        void **out, uint32_t *n) {
  const struct json_member *m = json_member(&r->o, str_from(name));
  struct arena_mark mark = arena_save(&r->scratch);
  struct json_doc *d;
  if (!m)
    return true;
  str where = arena_printf(&r->scratch, "/%s", name);
  if (!json_parse(&r->t, m->value, &r->scratch, where, &d))
    return false;
  struct json_at at = json_root(d);
  bool ok = read_list(r, &at, size, one, out, n);
  arena_rewind(&r->scratch, mark);
  return ok;
}

bool pm_read_natives(struct pm_reader *r) {
  struct pmir *m = r->m;
  void *natives = NULL, *closures = NULL;
  if (!read_member(r, "natives", sizeof *m->natives, read_native, &natives, &m->n_natives) ||
      !read_member(r, "closures", sizeof *m->closures, read_closure, &closures, &m->n_closures))
    return false;
  m->natives = natives;
  m->closures = closures;
  return true;
}

/* ---- verifying ---- */

#define WHERE(c, fmt, ...) arena_printf(&(c)->arena, fmt, __VA_ARGS__)

static bool is_word(str s) {
  for (size_t i = 0; i < s.n; i++) {
    char ch = s.p[i];
    bool letter = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_';
    if (!letter && (i == 0 || ch < '0' || ch > '9'))
      return false;
  }
  return s.n > 0 && s.n <= 64;
}

static bool thunk_fits(struct pm_check *c, const struct pm_callback *cb) {
  const struct pm_func *f = &c->m->fns[cb->thunk];
  if (!f->c_abi || f->n_args == 0)
    return false;
  const struct pm_type *env = pc_type(c, f->locals[1].ty);
  return env->kind == PM_PTR && env->meta == PM_META_NONE && pc_same(c, env->elem, cb->base);
}

static void check_callback(struct pm_check *c, const struct pm_native *n, str where,
                           const struct pm_callback *cb) {
  pm_ty t = cb->ty;
  for (uint32_t i = 0; i < cb->refs; i++) {
    const struct pm_type *p = pc_type(c, t);
    if (p->kind != PM_PTR || p->meta != PM_META_NONE) {
      pc_error_at(c, MD0253, n->span, where, "`%.*s` is not %u references to a callback",
                  PC_TY(c, cb->ty), cb->refs);
      return;
    }
    t = p->elem;
  }
  if (!pc_same(c, t, cb->base))
    pc_error_at(c, MD0253, n->span, where, "the callback `%.*s` has the base `%.*s`",
                PC_TY(c, cb->ty), PC_TY(c, cb->base));
  else if (!thunk_fits(c, cb))
    pc_error_at(c, MD0253, n->span, where,
                "the thunk of `%.*s` is no C function of a pointer to it and the arguments",
                PC_TY(c, cb->base));
}

static void check_native(struct pm_check *c, uint32_t i) {
  const struct pm_native *n = &c->m->natives[i];
  str where = WHERE(c, "/natives/%u", i);
  if (!is_word(n->provider) || !is_word(n->entry))
    pc_error_at(c, MD0253, n->span, where,
                "provider and entry are names of letters, digits and `_`");
  for (uint32_t k = 0; k < n->n_types; k++)
    if (!is_word(n->types[k].name) || !pc_is_sized(c, n->types[k].ty))
      pc_error_at(c, MD0253, n->span, where, "type parameter %u has no name or no size", k);
  for (uint32_t k = 0; k < n->n_consts; k++) {
    const struct pm_type *t = pc_type(c, n->consts[k].ty);
    bool number = t->kind == PM_INT || t->kind == PM_BOOL || t->kind == PM_CHAR;
    if (!is_word(n->consts[k].name) || !number ||
        (t->size < 16 && n->consts[k].value >> (t->size * 8)))
      pc_error_at(c, MD0253, n->span, where, "constant %u has no name, or no value of `%.*s`", k,
                  STR_ARG(t->name));
  }
  for (uint32_t k = 0; k < n->n_callbacks; k++)
    check_callback(c, n, WHERE(c, "/natives/%u/callbacks/%u", i, k), &n->callbacks[k]);
  for (uint32_t k = 0; k < n->n_args; k++)
    if (n->args[k] != PM_NONE && !pc_is_sized(c, n->args[k]))
      pc_error_at(c, MD0253, n->span, where, "argument %u has no size", k);
  if (!pc_is_sized(c, n->ret))
    pc_error_at(c, MD0253, n->span, where, "the result has no size");
}

static void check_closure(struct pm_check *c, struct map *seen, uint32_t i) {
  const struct pm_closure *x = &c->m->closures[i];
  const struct pm_type *t = pc_type(c, x->ty);
  str where = WHERE(c, "/closures/%u", i);
  bool fresh;
  str key = {(const char *)&x->ty, sizeof x->ty};
  *map_put(seen, key, &fresh) = 1;
  if (t->kind != PM_CLOSURE || t->n_fields != x->n_captures)
    pc_error_at(c, MD0254, x->span, where,
                "`%.*s` is not a closure with %u captures", STR_ARG(t->name), x->n_captures);
  else if (!fresh)
    pc_error_at(c, MD0254, x->span, where, "`%.*s` stands here twice", STR_ARG(t->name));
  else if (x->fn != PM_NONE && c->m->fns[x->fn].kind != PM_FN_CLOSURE)
    pc_error_at(c, MD0254, x->span, where, "`%.*s` is not the body of a closure",
                STR_ARG(c->m->fns[x->fn].name));
}

void pc_natives(struct pm_check *c) {
  struct map seen = {0};
  for (uint32_t i = 0; i < c->m->n_natives && !pc_too_many(c); i++)
    check_native(c, i);
  for (uint32_t i = 0; i < c->m->n_closures && !pc_too_many(c); i++)
    check_closure(c, &seen, i);
  map_free(&seen);
}

void pc_native_call(struct pm_check *c, const struct pm_term *t, pm_ty dest) {
  const struct pm_native *n = &c->m->natives[t->u.call.callee->id];
  if (t->n != n->n_args) {
    pc_error(c, MD0235, "native `%.*s` takes %u arguments and is given %u", STR_ARG(n->entry),
             n->n_args, t->n);
    return;
  }
  for (uint32_t i = 0; i < t->n; i++) {
    const struct pm_type *p = pc_type(c, t->ops[i].ty);
    const struct pm_callback *cb =
        n->arg_callback[i] == PM_NONE ? NULL : &n->callbacks[n->arg_callback[i]];
    bool ok = cb ? p->kind == PM_PTR && p->meta == PM_META_NONE && pc_same(c, p->elem, cb->ty)
                 : pc_same(c, t->ops[i].ty, n->args[i]);
    if (ok)
      continue;
    pc_error(c, MD0236, "argument %u of native `%.*s` has the type `%.*s`, expected `%s%.*s`", i,
             STR_ARG(n->entry), PC_TY(c, t->ops[i].ty), cb ? "*" : "",
             PC_TY(c, cb ? cb->ty : n->args[i]));
    return;
  }
  if (t->target != PM_NONE && pc_same(c, n->ret, dest))
    return;
  pc_error(c, MD0236, "native `%.*s` gives `%.*s`, the destination has the type `%.*s`",
           STR_ARG(n->entry), PC_TY(c, n->ret), PC_TY(c, dest));
}
