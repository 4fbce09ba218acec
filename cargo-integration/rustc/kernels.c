/* Kernels: found by descriptor or by name, written with their parameters and launch facts. */
#include "cargo-integration/rustc/kernels.h"

#include <string.h>

#include "cargo-integration/rustc/descriptor.h"
#include "cargo-integration/rustc/mir_parse.h"
#include "cargo-integration/rustc/generics.h"
#include "cargo-integration/rustc/sites.h"

static struct span item_span(const struct mir_item *it) {
  return it->body.n_locals ? it->body.locals[0].loc.span : SPAN_NONE;
}

/* ---- finding ---- */
static bool add_descriptor(struct prep *p, const struct mir_alloc *a) {
  struct kernel_facts *f = arena_new(p->arena, struct kernel_facts);
  const struct mir_file *file = &p->dumps.p[0]->file;
  if (!descriptor_read(p->sink, p->arena, file, a, f))
    return false;
  const struct mir_item *it = mir_item_of_path(file, rty_path_bare(p->types, f->entry));
  if (!it || it->kind != MI_FN) {
    struct diag *d = mir_report_broken(file, f->entry->name, MIR_NONE, p->sink);
    if (d)
      diag_note(d, "in kernel `%.*s`", STR_ARG(f->name));
    else
      diag_error(p->sink, MD0171, SPAN_NONE, "the entry of kernel `%.*s` has no body",
                 STR_ARG(f->name));
    return false;
  }
  struct prep_kernel k = {.item = it, .name = f->name, .path = f->path, .facts = f,
                          .span = item_span(it), .entry = f->entry,
                          .is_export = (f->flags & KERNEL_EXPORT) != 0};
  vec_push(p->arena, &p->kernels, k);
  return true;
}

static bool is_generic_entry(const struct mir_item *it) {
  for (uint32_t i = 0; i <= it->body.n_args; i++) {
    const struct rty *t = mir_local_ty(&it->body, i);
    if (t && (t->kind == RTY_IMPL || t->kind == RTY_CONST_PARAM))
      return true;
  }
  return false;
}

static bool add_entry(struct prep *p, const char *text) {
  str whole = str_from(text), path = whole, name;
  size_t eq = str_find_char(whole, '=', 0);
  if (eq != SIZE_MAX)
    path = str_sub(whole, 0, eq);
  const struct mir_item *it = mir_item_find(&p->dumps.p[0]->file, path);
  if (!it || it->kind != MI_FN || it->body.n_blocks == 0) {
    struct diag *d = diag_error(p->sink, MD0172, SPAN_NONE, "there is no function `%.*s`",
                                STR_ARG(path));
    diag_help(d, "give the path from the crate root, as in `--entry shapes::area`");
    return false;
  }
  name = eq != SIZE_MAX ? str_drop(whole, eq + 1) : rty_last_name(it->path);
  if (is_generic_entry(it) || generics_has(p, it)) {
    struct diag *d = diag_error(p->sink, MD0173, item_span(it),
                                "`%.*s` is generic and cannot be an entry", STR_ARG(path));
    diag_help(d, "name a function that calls it with concrete types");
    return false;
  }
  struct prep_kernel k = {.item = it, .name = arena_str(p->arena, name),
                          .path = arena_printf(p->arena, "%.*s::%.*s", STR_ARG(p->unit->crate_name),
                                               STR_ARG(path)),
                          .named = true, .span = item_span(it), .entry = it->path};
  vec_push(p->arena, &p->kernels, k);
  return true;
}

/* Instances that are launched. Several places may launch the same: one body, a name for each. */
static bool add_sites(struct prep *p) {
  sites list = {0};
  bool ok = sites_find(p, p->dumps.p[0], &list);
  for (size_t i = 0; ok && i < list.n; i++) {
    const struct site *s = &list.p[i];
    struct prep_kernel k = {.item = s->item, .name = s->name, .path = s->path, .facts = s->facts,
                            .span = s->span, .entry = s->key, .fndef = s->fndef,
                            .launched = true};
    vec_push(p->arena, &p->kernels, k);
  }
  return ok;
}

static bool cut_anew(struct prep *p, struct prep_kernel *k, const sites *list) {
  for (size_t i = 0; i < list->n; i++) {
    if (str_eq(k->name, list->p[i].name)) {
      k->item = list->p[i].item;
      return true;
    }
  }
  diag_error(p->sink, MD0183, k->span, "the launch of kernel `%.*s` is not printed again",
             STR_ARG(k->name));
  return false;
}

/* When run A was repeated, its bodies are others. */
static bool cut_again(struct prep *p) {
  sites list = {0};
  bool ok = p->kernels_of == p->dumps.p[0] || sites_find(p, p->dumps.p[0], &list);
  for (size_t k = 0; ok && list.n > 0 && k < p->kernels.n; k++)
    ok = !p->kernels.p[k].launched || cut_anew(p, &p->kernels.p[k], &list);
  p->kernels_of = p->dumps.p[0];
  return ok;
}

/* By name, so that the order does not depend on allocation numbers. */
static void sort_kernels(struct prep *p) {
  for (size_t i = 1; i < p->kernels.n; i++) {
    struct prep_kernel k = p->kernels.p[i];
    size_t j = i;
    for (; j && str_cmp(p->kernels.p[j - 1].name, k.name) > 0; j--)
      p->kernels.p[j] = p->kernels.p[j - 1];
    p->kernels.p[j] = k;
  }
}

static bool names_differ(struct prep *p) {
  for (size_t i = 1; i < p->kernels.n; i++) {
    const struct prep_kernel *a = &p->kernels.p[i - 1], *b = &p->kernels.p[i];
    if (!str_eq(a->name, b->name))
      continue;
    struct diag *d = diag_error(p->sink, MD0189, b->span, "two kernels are called `%.*s`",
                                STR_ARG(b->name));
    diag_label(d, a->span, "the other one");
    diag_help(d, "rename one of them, or give it another name with `--entry PATH=NAME`");
    return false;
  }
  return true;
}

/* The function behind a launch is there for every kernel, so it tells of generic ones without
 * instances. */
static const struct mir_item *generic_kernel(const struct prep *p) {
  static const str launcher = {"__mirdc_launch_", 15};
  const struct mir_file *f = &p->dumps.p[0]->file;
  for (size_t i = 0; i < f->n_items; i++) {
    str path = f->items[i].name;
    size_t at = str_find(path, launcher, 0);
    if (at == SIZE_MAX || f->items[i].kind != MI_FN || f->items[i].owner)
      continue;
    str name = arena_printf(p->arena, "%.*s%.*s", STR_ARG(str_sub(path, 0, at)),
                            STR_ARG(str_drop(path, at + launcher.n)));
    const struct mir_item *it = mir_item_find(f, name);
    if (it)
      return it;
  }
  return NULL;
}

static bool report_none(struct prep *p) {
  const struct mir_item *it = generic_kernel(p);
  struct diag *d = diag_error(p->sink, MD0170, it ? item_span(it) : SPAN_NONE,
                              "`%.*s` has no kernel", STR_ARG(p->unit->crate_name));
  if (it) {
    diag_span_label(d, "this one is generic, and nothing says for which types to compile it");
    diag_help(d, "name them, as in `#[mirdc::kernel(instances(f32, f64))]`, or launch the kernel with "
                 "`mirdc::launch!` in this crate");
  } else {
    diag_help(d, "put `#[mirdc::kernel]` on a function, or name one with `--entry PATH`");
  }
  return false;
}

bool kernels_find(struct prep *p, const char *const *entries, size_t n) {
  const struct mir_file *f = &p->dumps.p[0]->file;
  bool ok = true;
  for (size_t i = 0; i < f->n_allocs; i++)
    if (f->allocs[i] && descriptor_is(f->allocs[i]))
      ok = add_descriptor(p, f->allocs[i]) && ok;
  for (size_t i = 0; i < n; i++)
    ok = add_entry(p, entries[i]) && ok;
  ok = add_sites(p) && ok;
  p->kernels_of = p->dumps.p[0];
  if (!ok)
    return false;
  if (p->kernels.n == 0)
    return report_none(p);
  sort_kernels(p);
  return names_differ(p);
}

/* ---- roots ---- */
/* A kernel of another crate is asked of rustc: the next round has its body. */
static bool foreign_body(struct prep *p, struct prep_kernel *k) {
  struct callee c = mono_resolve(p, NULL, k->fndef, k->span);
  k->inst = c.kind == CALLEE_FN ? c.inst : NULL;
  k->item = k->inst ? k->inst->item : NULL;
  return k->inst || c.kind == CALLEE_PENDING;
}

static bool launched_root(struct prep *p, struct prep_kernel *k) {
  if (k->fndef && !foreign_body(p, k))
    return false;
  if (!k->fndef)
    k->inst = mono_item(p, NULL, p->dumps.p[0], k->item, k->entry, NULL, k->span);
  k->body = k->inst;
  k->span_id = prep_span(p, k->span, PREP_NONE, STR_NULL, PREP_NONE);
  if (!k->inst)
    return true;
  k->inst->name = k->path;
  k->inst->symbol = k->name;
  return true;
}

bool kernels_roots(struct prep *p) {
  bool fresh;
  if (!cut_again(p))
    return false;
  for (size_t i = 0; i < p->kernels.n; i++)
    (void)map_put(&p->symbols, p->kernels.p[i].name, &fresh);
  for (size_t i = 0; i < p->kernels.n; i++) {
    struct prep_kernel *k = &p->kernels.p[i];
    p->kernel = k;
    if (k->launched) {
      if (!launched_root(p, k))
        return false;
      continue;
    }
    /* The dump is another one when run A was repeated. */
    const struct mir_item *now = mir_item_find(&p->dumps.p[0]->file, k->item->name);
    k->item = now ? now : k->item;
    struct binding b = {.n = 0};
    const struct rty *args[8];
    const struct rty_seg *last = &k->entry->segs[k->entry->n_segs - 1];
    if (rty_path_args(k->entry, args, 8) && !generics_bind(p, k->item, last, &b)) {
      prep_error(p, NULL, MD0175, k->span, "the generic arguments of kernel `%.*s` are not known",
                 STR_ARG(k->name));
      return false;
    }
    struct rty_subst *s = arena_new(p->arena, struct rty_subst);
    *s = mono_keep(p, &b);
    k->inst = mono_item(p, NULL, p->dumps.p[0], k->item, k->entry, s, k->span);
    k->body = k->inst;
    const struct rty *ret = mir_local_ty(&k->item->body, 0);
    k->returns = k->named && !rty_is_unit(ret) && ret->kind != RTY_NEVER;
    if (k->returns)
      k->inst = mono_entry_shim(p, k->body, k->name, k->span);
    k->inst->symbol = k->name;
    k->span_id = prep_span(p, k->span, PREP_NONE, STR_NULL, PREP_NONE);
    k->inst->export_ = k->is_export;
    k->inst->c_abi = k->is_export;
  }
  return true;
}

/* ---- parameters ---- */
static const char *pass_of(struct prep *p, const struct rty *ty) {
  if (type_is_zst(p, ty))
    return "zst";
  switch (ty->kind) {
  case RTY_PRIM: case RTY_PATTERN:
    return "scalar";
  case RTY_FNPTR:
    return "pointer";
  case RTY_REF: case RTY_PTR:
    return type_meta(p, ty->elem) == 'n' ? "pointer" : "slice";
  default:
    return "aggregate";
  }
}

static bool bad_param(struct prep *p, const struct prep_kernel *k, const struct rty *ty,
                      const char *why, const char *help) {
  struct diag *d = prep_error(p, NULL, MD0189, k->span, "kernel `%.*s` takes a `%.*s`: %s",
                              STR_ARG(k->name), STR_ARG(rty_label(p->types, ty)), why);
  diag_help(d, "%s", help);
  return false;
}

static bool check_param(struct prep *p, const struct prep_kernel *k, const struct rty *ty) {
  bool known = true;
  if (ty->kind == RTY_REF || ty->kind == RTY_PTR) {
    if (rty_is_prim(ty->elem, PRIM_STR))
      return bad_param(p, k, ty, "text lies in host memory", "pass `&[u8]`");
    if (type_meta(p, ty->elem) == 'v')
      return bad_param(p, k, ty, "trait objects have no meaning on the device",
                       "make the kernel generic");
  }
  if (type_needs_drop(p, ty, k->span, &known) && known)
    return bad_param(p, k, ty, "its destructor would run on both sides",
                     "pass the plain data in a struct without `Drop`");
  return true;
}

static uint32_t n_params(const struct prep_kernel *k) {
  return k->item->body.n_args + k->returns;
}

static const struct rty *param_ty(struct prep *p, const struct prep_kernel *k, uint32_t i) {
  if (k->returns && i == k->item->body.n_args)
    return rty_ptr(p->types, mir_local_ty(&k->item->body, 0), true);
  return mono_type(p, k->body, mir_local_ty(&k->item->body, mir_arg_local(&k->item->body, i)), k->span);
}

const struct rty *kernels_slice_elem(const struct kernel_param *q, const struct rty *ty) {
  if (q->kind != PARAM_SLICE || ty->kind != RTY_PATH || ty->n_segs == 0)
    return NULL;
  const struct rty_seg *last = &ty->segs[ty->n_segs - 1];
  const struct rty *elem = last->n_args ? last->args[last->n_args - 1] : NULL;
  return elem && elem->kind != RTY_LIFETIME ? elem : NULL;
}

/* A kernel parameter's type, and that of its elements: who launches it wants to know their size. */
static void take_param(struct prep *p, const struct prep_kernel *k, uint32_t a,
                       const struct rty *ty) {
  (void)type_id(p, ty, true);
  if (!k->facts || k->launched || ty->kind == RTY_PRIM)
    return;
  prep_info(p, ty)->param = &k->facts->params[a];
  const struct rty *elem = kernels_slice_elem(&k->facts->params[a], ty);
  if (elem)
    (void)type_id(p, elem, true);
}

bool kernels_params(struct prep *p) {
  for (size_t i = 0; i < p->kernels.n; i++) {
    struct prep_kernel *k = &p->kernels.p[i];
    if (k->is_export || !k->inst)
      continue;
    if (k->facts && k->facts->n_params != k->item->body.n_args) {
      prep_error(p, NULL, MD0171, k->span, "the descriptor of kernel `%.*s` lists %u parameters, the "
                                           "function has %u",
                 STR_ARG(k->name), k->facts->n_params, k->item->body.n_args);
      return false;
    }
    for (uint32_t a = 0; a < n_params(k); a++) {
      const struct rty *ty = param_ty(p, k, a);
      take_param(p, k, a, ty);
      if (!check_param(p, k, ty))
        return false;
    }
    const struct rty *ret = mir_local_ty(&k->item->body, 0);
    if (!rty_is_unit(ret) && ret->kind != RTY_NEVER && k->facts) {
      prep_error(p, NULL, MD0189, k->span, "kernel `%.*s` returns a value", STR_ARG(k->name));
      return false;
    }
  }
  return true;
}

/* ---- text ---- */
static str param_name(struct prep *p, const struct prep_kernel *k, uint32_t i) {
  if (k->facts)
    return k->facts->params[i].name;
  if (i == k->item->body.n_args)
    return STR("result");
  for (uint32_t d = 0; d < k->item->body.n_debug; d++) {
    const struct mir_debug *v = &k->item->body.debug[d];
    if (!v->is_const && !v->n_proj && !v->place.n_proj && v->place.local == i + 1)
      return v->name;
  }
  return arena_printf(p->arena, "%u", i);
}

static void write_param(struct prep *p, struct jsonw *w, const struct prep_kernel *k, uint32_t i) {
  const struct rty *ty = param_ty(p, k, i);
  uint64_t size = 0, align = 1;
  (void)type_size(p, ty, &size, &align);
  jw_object(w);
  jw_kstr(w, "name", param_name(p, k, i));
  jw_ku64(w, "ty", type_id(p, ty, true));
  /* The macro crate's slices are structs of a pointer and a length; its word counts. */
  bool slice = k->facts && k->facts->params[i].kind == PARAM_SLICE && size == 16;
  jw_kz(w, "pass", slice ? "slice" : pass_of(p, ty));
  jw_ku64(w, "size", size);
  jw_ku64(w, "align", align);
  jw_key(w, "fields");
  jw_array(w);
  const struct kernel_param *q = k->facts ? &k->facts->params[i] : NULL;
  for (uint32_t f = 0; q && f < q->n_fields; f++) {
    jw_object(w);
    jw_kstr(w, "name", q->fields[f].name);
    jw_ku64(w, "off", q->fields[f].off);
    jw_ku64(w, "size", q->fields[f].size);
    jw_ku64(w, "align", q->fields[f].align);
    jw_end_object(w);
  }
  jw_end_array(w);
  jw_end_object(w);
}

static void triple(struct jsonw *w, const char *key, const uint32_t v[3]) {
  jw_key(w, key);
  jw_array(w);
  for (int i = 0; i < 3; i++)
    jw_u64(w, v[i]);
  jw_end_array(w);
}

static void write_launch(struct jsonw *w, const struct kernel_facts *f) {
  jw_key(w, "launch");
  jw_object(w);
  if (f && f->flags & KERNEL_BLOCK)
    triple(w, "block", f->block);
  if (f && f->flags & KERNEL_MAX_BLOCK)
    jw_ku64(w, "max_block", f->max_block);
  if (f && f->flags & KERNEL_MIN_BLOCKS)
    jw_ku64(w, "min_blocks", f->min_blocks);
  if (f && f->flags & KERNEL_CLUSTER)
    triple(w, "cluster", f->cluster);
  if (f && f->flags & KERNEL_DYN_SHARED) {
    jw_key(w, "dynamic_shared");
    jw_object(w);
    jw_ku64(w, "bytes", f->dyn_shared);
    jw_ku64(w, "align", f->dyn_shared_align);
    jw_end_object(w);
  }
  jw_end_object(w);
}

void kernels_write(struct prep *p, struct jsonw *w) {
  jw_key(w, "kernels");
  jw_array(w);
  for (size_t i = 0; i < p->kernels.n; i++) {
    const struct prep_kernel *k = &p->kernels.p[i];
    if (k->is_export)
      continue;
    jw_newline(w);
    jw_object(w);
    jw_ku64(w, "fn", k->inst->id);
    jw_kstr(w, "name", k->name);
    jw_kstr(w, "path", k->path);
    jw_key(w, "span");
    if (k->span_id == PREP_NONE)
      jw_null(w);
    else
      jw_u64(w, k->span_id);
    jw_ku64(w, "protocol", k->facts ? k->facts->protocol : 0);
    jw_key(w, "params");
    jw_array(w);
    for (uint32_t a = 0; a < n_params(k); a++)
      write_param(p, w, k, a);
    jw_end_array(w);
    write_launch(w, k->facts);
    jw_end_object(w);
  }
  jw_end_array(w);
}
