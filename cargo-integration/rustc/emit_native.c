/* Calls of native algorithms: the macro `register` gives a registration function one of them.
 *
 * The name of the called function says what it stands for: `__mirdc_native`, then `_p` provider,
 * `_e` entry, `_t` a type parameter, `_n` a constant, `_c` a callback, each with its length, and
 * `_a` with one sign for each argument: `v` a value, `A` the first callback and so on. */
#include "base/fatal.h"
#include "cargo-integration/rustc/emit.h"
#include "cargo-integration/rustc/native.h"

#define NATIVE_PREFIX "__mirdc_native"

enum { MAX_PARTS = 64 };

struct part {
  char kind; /* p e t n c a */
  str text;
};
struct parts {
  struct part p[MAX_PARTS];
  uint32_t n;
};

bool native_is(const struct rty *path) {
  return str_starts(rty_last_name(path), STR(NATIVE_PREFIX "_p"));
}

/* False: not a name that the macro writes. */
static bool take_apart(str name, struct parts *out) {
  str rest = str_drop(name, sizeof NATIVE_PREFIX - 1);
  for (out->n = 0; rest.n; out->n++) {
    size_t len = 0, i = 2;
    if (out->n == MAX_PARTS || rest.n < 3 || rest.p[0] != '_')
      return false;
    for (; i < rest.n && rest.p[i] >= '0' && rest.p[i] <= '9' && len < 4096; i++)
      len = len * 10 + (size_t)(rest.p[i] - '0');
    if (i == 2 || len > rest.n - i)
      return false;
    out->p[out->n] = (struct part){rest.p[1], str_sub(rest, i, i + len)};
    rest = str_drop(rest, i + len);
  }
  return out->n > 2 && out->p[0].kind == 'p' && out->p[1].kind == 'e' &&
         out->p[out->n - 1].kind == 'a';
}

static size_t generics_of(const struct parts *s) {
  size_t n = 0;
  for (uint32_t i = 0; i < s->n; i++)
    n += s->p[i].kind == 't' || s->p[i].kind == 'n' || s->p[i].kind == 'c';
  return n;
}

static void write_types(struct emit *e, struct jsonw *w, const struct parts *s,
                        const struct rty *const *args) {
  jw_key(w, "types");
  jw_array(w);
  for (uint32_t i = 2; i + 1 < s->n; i++) {
    if (s->p[i].kind != 't')
      continue;
    jw_array(w);
    jw_str(w, s->p[i].text);
    jw_u64(w, type_id(e->p, args[i - 2], true));
    jw_end_array(w);
  }
  jw_end_array(w);
}

static bool write_consts(struct emit *e, struct jsonw *w, const struct parts *s,
                         const struct rty *const *args) {
  jw_key(w, "consts");
  jw_array(w);
  for (uint32_t i = 2; i + 1 < s->n; i++) {
    const struct rty *c = args[i - 2];
    if (s->p[i].kind != 'n')
      continue;
    if (c->kind != RTY_CONST || !c->elem || c->elem->kind != RTY_PRIM) {
      e_error(e, MD0175, "the constant `%.*s` of a registration function is not a known number",
              STR_ARG(s->p[i].text));
      return false;
    }
    jw_array(w);
    jw_str(w, s->p[i].text);
    jw_u64(w, type_id(e->p, c->elem, true));
    jw_hex(w, (u128)c->hi << 64 | c->lo);
    jw_end_array(w);
  }
  jw_end_array(w);
  return true;
}

static const struct rty *behind_references(const struct rty *t, uint32_t *n) {
  for (*n = 0; t->kind == RTY_REF && !t->mut; (*n)++)
    t = t->elem;
  return t;
}

/* What native code calls, one for each closure or function item. */
static struct inst *thunk_of(struct emit *e, const struct rty *base) {
  const struct rty *sig = base->kind == RTY_CLOSURE || base->kind == RTY_FNDEF ? base->sig : NULL;
  if (sig && base->kind == RTY_CLOSURE && sig->n_args == 1 && sig->args[0]->kind == RTY_TUPLE)
    return mono_thunk(e->p, e->in, base, sig->args[0], sig->ret, e->span);
  if (sig && base->kind == RTY_FNDEF)
    return mono_thunk(e->p, e->in, base, rty_tuple(e->p->types, sig->args, sig->n_args), sig->ret,
                      e->span);
  struct diag *d = e_error(e, MD0174, "`%.*s` is called by native code",
                           STR_ARG(rty_label(e->p->types, base)));
  diag_help(d, "hand over a closure or a function by its name: what stands behind a pointer is not "
               "known when the kernel is compiled");
  return NULL;
}

static bool write_callbacks(struct emit *e, struct jsonw *w, const struct parts *s,
                            const struct rty *const *args) {
  jw_key(w, "callbacks");
  jw_array(w);
  for (uint32_t i = 2; i + 1 < s->n; i++) {
    uint32_t refs;
    if (s->p[i].kind != 'c')
      continue;
    const struct rty *ty = args[i - 2], *base = behind_references(ty, &refs);
    struct inst *f = thunk_of(e, base);
    if (!f)
      return false;
    jw_object(w);
    jw_kstr(w, "param", s->p[i].text);
    jw_ku64(w, "ty", type_id(e->p, ty, true));
    jw_ku64(w, "base", type_id(e->p, base, true));
    jw_ku64(w, "refs", refs);
    jw_ku64(w, "thunk", f->id);
    jw_end_object(w);
  }
  jw_end_array(w);
  return true;
}

static bool write_signature(struct emit *e, struct jsonw *w, const struct mir_term *t, str signs) {
  jw_key(w, "args");
  jw_array(w);
  for (uint32_t i = 0; i < signs.n; i++) {
    const struct rty *ty = e_operand_ty(e, &t->args[i]);
    if (!ty)
      return false;
    if (signs.p[i] == 'v') {
      jw_u64(w, type_id(e->p, ty, true));
      continue;
    }
    jw_array(w);
    jw_strz(w, "callback");
    jw_u64(w, (uint64_t)(signs.p[i] - 'A'));
    jw_end_array(w);
  }
  jw_end_array(w);
  const struct rty *ret = e_place_ty(e, &t->place, t->place.n_proj);
  if (ret)
    jw_ku64(w, "ret", type_id(e->p, ret, true));
  return ret != NULL;
}

/* The registration function itself, when it is of this crate. */
static uint32_t own_span(struct emit *e, const struct rty *path) {
  const struct mir_item *it = mir_item_of_path(&e->p->dumps.p[0]->file, path);
  if (!it || !it->body.n_locals || !it->body.locals[0].loc.span.line0)
    return PREP_NONE;
  return prep_span(e->p, it->body.locals[0].loc.span, PREP_NONE, STR_NULL, PREP_NONE);
}

static uint32_t number_of(struct prep *p, str text) {
  bool fresh;
  text = arena_str(p->arena, text);
  uintptr_t *slot = map_put(&p->native_by_text, text, &fresh);
  if (fresh) {
    *slot = p->natives.n;
    vec_push(p->arena, &p->natives, text);
  }
  return (uint32_t)*slot;
}

/* The entry's number in the dump, PREP_NONE: not known yet, or reported. */
static uint32_t native_id(struct emit *e, const struct mir_term *t, const struct rty *path,
                          const struct parts *s) {
  const struct rty *args[MAX_PARTS + 16];
  size_t n_args = rty_path_args(path, args, COUNT_OF(args));
  struct prep *p = e->p;
  str signs = s->p[s->n - 1].text;
  const struct rty *own = rty_path_bare(p->types, rty_path_parent(p->types, path));
  struct jsonw w;
  if (n_args < generics_of(s) || t->n_args < signs.n) {
    e_error(e, MD0183, "a native call without all arguments");
    return PREP_NONE;
  }
  jw_init(&w, false);
  jw_object(&w);
  jw_kstr(&w, "provider", s->p[0].text);
  jw_kstr(&w, "entry", s->p[1].text);
  jw_kstr(&w, "path", rty_label(p->types, own));
  write_types(e, &w, s, args);
  bool ok = write_consts(e, &w, s, args) && write_callbacks(e, &w, s, args) &&
            write_signature(e, &w, t, signs);
  for (uint32_t i = 2; i + 1 < s->n; i++)
    if (s->p[i].kind == 'm')
      jw_kbool(&w, "model", true);
  uint32_t span = own_span(e, own);
  jw_key(&w, "span");
  if (span == PREP_NONE)
    jw_null(&w);
  else
    jw_u64(&w, span);
  jw_end_object(&w);
  uint32_t id = ok ? number_of(p, sb_str(&w.out)) : PREP_NONE;
  jw_free(&w);
  return id;
}

bool e_native(struct emit *e, const struct mir_term *t, const struct rty *path, str *callee,
              uint32_t *n_args) {
  struct parts s;
  if (!take_apart(rty_last_name(path), &s)) {
    e_error(e, MD0183, "`%.*s` is not a native call of this version", STR_ARG(rty_last_name(path)));
    return false;
  }
  uint32_t id = native_id(e, t, path, &s);
  if (id == PREP_NONE)
    return false;
  *n_args = (uint32_t)s.p[s.n - 1].text.n;
  *callee = arena_printf(e->p->arena, "[\"native\",%u]", id);
  return true;
}
