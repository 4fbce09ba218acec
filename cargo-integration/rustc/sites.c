/* Finds the launch sites of a crate and makes kernels of them. */
#include "cargo-integration/rustc/sites.h"

#include <string.h>

#include "cargo-integration/rustc/emit.h"
#include "cargo-integration/rustc/generics.h"
#include "cargo-integration/rustc/mir_parse.h"
#include "cargo-integration/rustc/sites_cut.h"

#define KEY_PREFIX "__MirdcKey_"
#define LAUNCH_PREFIX "__mirdc_launch_"
#define N_BEGIN_ARGS 14

struct finder {
  struct prep *p;
  const struct prep_dump *d;
  sites *out;
  struct map by_name;   /* name -> index in out + 1 */
  struct map declared;  /* digest -> 1: kernels with a descriptor of their own */
  struct map holders;   /* generic items that hold a launch */
  bool ok;
};

/* ---- the digest (cargo-integration/mirdc/src/launch.rs has the same) ---- */
static u128 digest(u128 h, str text) {
  const u128 prime = ((u128)1 << 88) + 0x13b;
  for (size_t i = 0; i < text.n; i++)
    h = (h ^ (unsigned char)text.p[i]) * prime;
  return h;
}

static str digest_text(struct prep *p, u128 h) {
  return arena_printf(p->arena, "%016llx%016llx", (unsigned long long)(h >> 64),
                      (unsigned long long)h);
}

/* ---- places ---- */
/* What `Location::caller()` says at run time: the call of the innermost function around the launch
 * that is not `#[track_caller]`. */
static struct span caller_place(const struct mir_body *b, const struct mir_loc *loc) {
  struct span at = loc->span;
  for (uint32_t s = loc->scope; s < b->n_scopes; s = b->scopes[s].parent) {
    if (!b->scopes[s].inlined)
      continue;
    if (!b->scopes[s].track_caller)
      break;
    at = b->scopes[s].call;
  }
  return at;
}

static str place_text(struct prep *p, struct span at) {
  str path = source_file_get(p->sink->sources, at.file)->path;
  return arena_printf(p->arena, "@%.*s:%u:%u", STR_ARG(path_base(path)), at.line0, at.col0);
}

/* ---- what a site says ---- */
static bool scalar(const struct mir_operand *op, uint64_t *v) {
  if (op->kind != OP_CONST || op->k->kind != MC_SCALAR)
    return false;
  *v = op->k->bits.lo;
  return true;
}

static bool scalars(const struct mir_term *t, uint64_t *v, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (i >= t->n_args || !scalar(&t->args[i], &v[i]))
      return false;
  return true;
}

static u128 type_digest(const uint64_t *v) {
  return (u128)v[1] << 64 | v[0];
}

static struct kernel_facts *launch_facts(struct prep *p, const uint64_t *v) {
  struct kernel_facts *f = arena_new(p->arena, struct kernel_facts);
  f->protocol = KERNEL_PROTOCOL;
  f->flags = (uint32_t)v[3];
  for (uint32_t i = 0; i < 3; i++) {
    f->block[i] = (uint32_t)v[4 + i];
    f->cluster[i] = (uint32_t)v[9 + i];
  }
  f->max_block = (uint32_t)v[7];
  f->min_blocks = (uint32_t)v[8];
  f->dyn_shared = v[12];
  f->dyn_shared_align = (uint32_t)v[13];
  return f;
}

static str kernel_name(const struct rty *key) {
  return str_drop(rty_last_name(key), sizeof KEY_PREFIX - 1);
}

/* The function that the macro puts beside the kernel is in this crate's dump when the kernel is this
 * crate's; paths of the own crate are printed without its name. */
static bool is_local(struct prep *p, str module, str name) {
  str launcher = arena_printf(p->arena, "%.*s" LAUNCH_PREFIX "%.*s", STR_ARG(module), STR_ARG(name));
  return mir_item_find(&p->dumps.p[0]->file, launcher) != NULL;
}

/* `app::shapes::map::<f32, …>`: the key's path, the last name without its prefix. */
static str kernel_path(struct prep *p, const struct rty *key) {
  struct strbuf b = {0};
  str label = rty_label(p->types, key);
  str name = kernel_name(key);
  str module = str_sub(key->name, 0, key->name.n - rty_last_name(key).n);
  size_t angle = str_find_char(label, '<', 0);
  if (is_local(p, module, name))
    sb_addf(&b, "%.*s::", STR_ARG(p->unit->crate_name));
  sb_addf(&b, "%.*s%.*s", STR_ARG(module), STR_ARG(name));
  if (angle != SIZE_MAX)
    sb_addf(&b, "::%.*s", STR_ARG(str_drop(label, angle)));
  str path = arena_str(p->arena, sb_str(&b));
  sb_free(&b);
  return path;
}

/* ---- captures ---- */
/* A reference inside of what a closure captured; parameters themselves may be slices. */
static const struct rty *host_reference(const struct rty *t, unsigned depth) {
  const struct rty *found = NULL;
  if (depth > 16)
    return NULL;
  switch (t->kind) {
  case RTY_REF:
    return t;
  case RTY_TUPLE: case RTY_CLOSURE:
    for (uint32_t i = 0; i < t->n_args && found == NULL; i++)
      found = host_reference(t->args[i], depth + 1);
    return found;
  case RTY_ARRAY:
    return host_reference(t->elem, depth + 1);
  case RTY_PATH:
    for (uint32_t s = 0; s < t->n_segs && found == NULL; s++)
      for (uint32_t i = 0; i < t->segs[s].n_args && found == NULL; i++)
        found = host_reference(t->segs[s].args[i], depth + 1);
    return found;
  default:
    return NULL;
  }
}

static bool check_param(struct finder *f, const struct site *s, const struct rty *ty, str name) {
  if (ty->kind == RTY_REF)
    return true; /* a slice: kernels_params refuses other things */
  const struct rty *ref = host_reference(ty, 0);
  if (ref == NULL)
    return true;
  bool closure = ty->kind == RTY_CLOSURE;
  struct diag *d = diag_error(f->p->sink, MD0911, s->span,
                              "%s `%.*s` of kernel `%.*s` holds a `%.*s`, which points into host memory",
                              closure ? "the closure passed for" : "the argument",
                              STR_ARG(name), STR_ARG(kernel_name(s->key)),
                              STR_ARG(rty_label(f->p->types, ref)));
  diag_help(d, closure ? "capture by value with `move |…| …`; memory of the GPU goes through a parameter "
                         "of its own, or is captured as a raw device pointer"
                       : "pass the value itself, a slice parameter, or a raw device pointer");
  return false;
}

static bool check_params(struct finder *f, const struct site *s) {
  for (uint32_t i = 0; i < s->item->body.n_args; i++) {
    const struct rty *ty = mir_local_ty(&s->item->body, mir_arg_local(&s->item->body, i));
    if (!check_param(f, s, ty, s->facts->params[i].name))
      return false;
  }
  return true;
}

/* ---- one site ---- */
static bool told_apart(struct finder *f, const struct site *old, const struct site *s) {
  if (old->key == s->key)
    return true;
  struct diag *d = diag_error(f->p->sink, MD0912, s->span,
                              "two instances of kernel `%.*s` are launched here that the host cannot "
                              "tell apart", STR_ARG(kernel_name(s->key)));
  diag_note(d, "one is `%.*s`", STR_ARG(old->path));
  diag_note(d, "the other is `%.*s`", STR_ARG(s->path));
  diag_help(d, "put `#[track_caller]` on the function that launches, so that its callers' places tell "
               "the closures apart");
  return false;
}

/* The kernel itself is the last argument, a function item; `names` spells its parameters. */
static bool take_kernel(struct finder *f, struct site *s, const struct mir_term *t,
                        const struct rty *names) {
  const struct mir_operand *op = &t->args[t->n_args - 1];
  const struct rty *fd = op->kind == OP_CONST ? callee_fndef(op) : NULL;
  if (fd == NULL || fd->sig->n_args != names->n_args)
    return false;
  s->fndef = fd;
  s->facts->n_params = names->n_args;
  s->facts->params = arena_array(f->p->arena, struct kernel_param, names->n_args + 1);
  for (uint32_t i = 0; i < names->n_args; i++)
    s->facts->params[i] = site_param(f->p, fd->sig->args[i], names->args[i]);
  return true;
}

static bool take_region(struct finder *f, struct site *s, const struct mir_item *host, uint32_t block) {
  str what = arena_printf(f->p->arena, "the launch of kernel `%.*s`", STR_ARG(kernel_name(s->key)));
  s->item = site_cut(f->p, host, block, what, s->span, s->facts);
  return s->item != NULL && check_params(f, s);
}

static void add_site(struct finder *f, const struct mir_item *host, uint32_t block,
                     const struct rty *const *args, const uint64_t *v) {
  struct prep *p = f->p;
  const struct rty *key = args[0];
  const struct mir_term *t = &host->body.blocks[block].term;
  struct site s = {.key = key, .span = caller_place(&host->body, &t->loc)};
  u128 h = type_digest(v);
  bool fresh;
  if (map_get(&f->declared, digest_text(p, h)) != NULL)
    return;
  if (v[2] != 0)
    h = digest(h, place_text(p, s.span));
  s.name = arena_printf(p->arena, "%.*s_%.*s", STR_ARG(kernel_name(key)), STR_ARG(digest_text(p, h)));
  s.path = kernel_path(p, key);
  uintptr_t *index = map_put(&f->by_name, s.name, &fresh);
  if (!fresh) {
    f->ok = told_apart(f, &f->out->p[*index], &s) && f->ok;
    return;
  }
  s.facts = launch_facts(p, v);
  bool whole = str_eqz(rty_last_name(callee_fndef(&t->op)->path), "site_kernel");
  if (whole ? !take_kernel(f, &s, t, args[1]) : !take_region(f, &s, host, block)) {
    f->ok = f->ok && whole; /* reported */
    return;
  }
  *index = f->out->n;
  vec_push(p->arena, f->out, s);
}

/* ---- bodies ---- */
static str holder_key(const struct mir_item *it) {
  return it->name;
}

static bool is_holder(struct finder *f, const struct rty *path) {
  const struct mir_item *it = mir_item_of_path(&f->d->file, rty_path_bare(f->p->types, path));
  if (it == NULL)
    return str_starts(rty_last_name(path), STR(LAUNCH_PREFIX));
  return map_get(&f->holders, holder_key(it)) != NULL;
}

static bool is_code(const struct mir_item *it) {
  return it->kind == MI_FN && !it->ctfe;
}

static void scan(struct finder *f, const struct mir_item *it, bool declarations) {
  const struct rty *args[3];
  uint64_t v[N_BEGIN_ARGS];
  size_t n = 0;
  for (uint32_t b = 0; b < it->body.n_blocks; b++) {
    const struct mir_term *t = &it->body.blocks[b].term;
    if (!it->body.blocks[b].present || it->body.blocks[b].cleanup)
      continue;
    enum site_mark m = site_mark_of(t, args, &n);
    if (m == MARK_DECLARE && declarations && scalars(t, v, 2))
      *map_put(&f->declared, digest_text(f->p, type_digest(v)), NULL) = 1;
    if ((m != MARK_BEGIN && m != MARK_KERNEL) || declarations || n == 0)
      continue;
    if (scalars(t, v, N_BEGIN_ARGS))
      add_site(f, it, b, args, v);
    else
      *map_put(&f->holders, holder_key(it), NULL) = 1; /* still generic */
  }
}

/* A call of a function that holds a launch and was not inlined. */
static const struct mir_term *left_over(struct finder *f, const struct mir_item *it) {
  for (uint32_t b = 0; b < it->body.n_blocks; b++) {
    const struct mir_block *bb = &it->body.blocks[b];
    const struct rty *fd = NULL;
    if (bb->present && !bb->cleanup && bb->term.kind == TM_CALL)
      fd = callee_fndef(&bb->term.op);
    if (fd != NULL && is_holder(f, fd->path))
      return &bb->term;
  }
  return NULL;
}

/* Does the type hold a parameter that `it` or what it stands in declares? */
static bool is_generic(struct finder *f, const struct mir_item *it, const struct rty *t) {
  bool found = false;
  if (t == NULL || !t->has_param)
    return false;
  if (rty_is_open(t) ||
      (t->kind == RTY_PATH && t->n_segs == 1 && t->segs[0].n_args == 0 &&
       generics_declares(f->p, it, t->name)))
    return true;
  for (uint32_t i = 0; i < t->n_args && !found; i++)
    found = is_generic(f, it, t->args[i]);
  for (uint32_t s = 0; s < t->n_segs && !found; s++) {
    found = is_generic(f, it, t->segs[s].self);
    for (uint32_t i = 0; i < t->segs[s].n_args && !found; i++)
      found = is_generic(f, it, t->segs[s].args[i]);
  }
  return found || is_generic(f, it, t->elem) || is_generic(f, it, t->len) ||
         is_generic(f, it, t->path);
}

static void refuse_generic(struct finder *f, const struct mir_item *it, const struct mir_term *t) {
  const struct rty *path = callee_fndef(&t->op)->path;
  struct diag *d = diag_error(f->p->sink, MD0914, t->loc.span,
                              "the launch in `%.*s` stays generic: rustc does not inline it here",
                              STR_ARG(rty_label(f->p->types, path)));
  diag_note(d, "called from `%.*s`", STR_ARG(it->name));
  diag_help(d, "let the function neither be recursive nor called through a pointer, or launch from a "
               "function that is not generic");
  f->ok = false;
}

/* Functions that launch and are generic must be inlined into one that is not. Those that call them
 * and are generic too launch as well, so this goes on until nothing is new. */
static void check_holders(struct finder *f) {
  bool changed = true;
  const struct mir_file *m = &f->d->file;
  while (changed) {
    changed = false;
    for (size_t i = 0; i < m->n_items; i++) {
      const struct mir_item *it = &m->items[i];
      const struct mir_term *t;
      if (!is_code(it) || map_get(&f->holders, holder_key(it)) || (t = left_over(f, it)) == NULL)
        continue;
      *map_put(&f->holders, holder_key(it), NULL) = 1;
      changed = true;
      if (!is_generic(f, it, callee_fndef(&t->op)->path))
        refuse_generic(f, it, t);
    }
  }
}

static str last_name(str path) {
  size_t colon = str_rfind_char(path, ':');
  return colon == SIZE_MAX ? path : str_drop(path, colon + 1);
}

/* A launch in a body that cannot be read must not be overlooked. The functions beside the kernels
 * launch nothing by themselves. */
static void check_broken(struct finder *f) {
  static const char *const marks[] = {"{mirdc::rt::site_begin::<", "{mirdc::rt::site_kernel::<"};
  const struct mir_file *m = &f->d->file;
  for (size_t i = 0; i < m->n_broken; i++) {
    const struct mir_broken *b = &m->broken[i];
    for (size_t k = 0; k < COUNT_OF(marks); k++) {
      if (str_starts(last_name(b->item), STR(LAUNCH_PREFIX)) || str_find(b->text, str_from(marks[k]), 0) == SIZE_MAX)
        continue;
      struct diag *d = mir_report_broken(m, b->item, MIR_NONE, f->p->sink);
      if (d != NULL)
        diag_note(d, "`%.*s` launches a kernel", STR_ARG(b->item));
      f->ok = false;
      break;
    }
  }
}

bool sites_find(struct prep *p, const struct prep_dump *d, sites *out) {
  struct finder f = {.p = p, .d = d, .out = out, .ok = true};
  out->n = 0;
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < d->file.n_items; i++)
      if (is_code(&d->file.items[i]))
        scan(&f, &d->file.items[i], pass == 0);
  check_holders(&f);
  check_broken(&f);
  map_free(&f.by_name);
  map_free(&f.declared);
  map_free(&f.holders);
  return f.ok;
}
