/* What a file holds, for the host: kernels, their parameters, statics. */
#include "emulator/engine.h"
#include "ir/kernel_params.h"

/* C strings of the dump's names. */
static const char *z(const struct mirdc_emu *e, str s) {
  uintptr_t *at = map_get(&e->names, s);
  return at ? (const char *)*at : "";
}

static void add_name(struct mirdc_emu *e, str s) {
  bool fresh;
  uintptr_t *at = map_put(&e->names, s, &fresh);
  if (fresh)
    *at = (uintptr_t)arena_strz(&e->arena, s);
}

static const struct pm_type *pointee(const struct pmir *m, const struct pm_param *p) {
  const struct pm_type *t = &m->types[p->ty];
  /* PerThread and the like hold a slice, or an address and a length. */
  while (t->kind == PM_STRUCT && t->n_fields > 0) {
    const struct pm_type *whole = NULL, *address = NULL;
    for (uint32_t i = 0; i < t->n_fields; i++) {
      const struct pm_type *f = &m->types[t->fields[i].ty];
      if (f->size == t->size)
        whole = f;
      else if (f->kind == PM_PTR)
        address = f;
    }
    t = whole ? whole : address;
    if (!t)
      return NULL;
  }
  if (t->kind != PM_PTR)
    return NULL;
  t = &m->types[t->elem];
  return t->kind == PM_SLICE ? &m->types[t->elem] : t;
}

void emu_collect_names(struct mirdc_emu *e) {
  const struct pmir *m = e->m;
  for (uint32_t k = 0; k < m->n_kernels; k++) {
    add_name(e, m->kernels[k].name);
    add_name(e, m->kernels[k].path);
    for (uint32_t i = 0; i < m->kernels[k].n_params; i++) {
      const struct pm_param *p = &m->kernels[k].params[i];
      const struct pm_type *to = pointee(m, p);
      add_name(e, p->name);
      add_name(e, m->types[p->ty].name);
      if (to)
        add_name(e, to->name);
    }
  }
  e->visible = arena_array(&e->arena, uint32_t, m->n_statics);
  for (uint32_t i = 0; i < m->n_statics; i++) {
    if (!m->statics[i].host_visible || m->statics[i].space == PM_SHARED)
      continue;
    add_name(e, m->statics[i].name);
    add_name(e, m->statics[i].symbol);
    e->visible[e->n_visible++] = i;
  }
}

/* ---- kernels ---- */
MIRDC_EMU_API uint32_t mirdc_emu_kernel_count(const mirdc_emu *e) {
  return e->m ? e->m->n_kernels : 0;
}

MIRDC_EMU_API uint32_t mirdc_emu_find_kernel(const mirdc_emu *e, const char *name) {
  for (uint32_t i = 0; i < mirdc_emu_kernel_count(e); i++)
    if (str_eqz(e->m->kernels[i].name, name) || str_eqz(e->m->kernels[i].path, name))
      return i;
  return UINT32_MAX;
}

static struct kernel_param *list(const struct mirdc_emu *e, uint32_t kernel, struct arena *a,
                                 uint32_t *n, uint64_t *bytes) {
  const struct pm_kernel *k = &e->m->kernels[kernel];
  struct kernel_param *p = arena_array(a, struct kernel_param, 2 * (size_t)k->n_params + 1);
  *bytes = kernel_params(e->m, k, p, n);
  return p;
}

MIRDC_EMU_API int mirdc_emu_get_kernel(const mirdc_emu *e, uint32_t kernel, mirdc_emu_kernel *out) {
  struct arena a = {0};
  if (kernel >= mirdc_emu_kernel_count(e))
    return 0;
  const struct pm_kernel *k = &e->m->kernels[kernel];
  const struct pm_launch *f = &k->launch;
  *out =
      (mirdc_emu_kernel){.name = z(e, k->name), .path = z(e, k->path), .max_block = f->max_block};
  list(e, kernel, &a, &out->n_params, &out->param_bytes);
  arena_free(&a);
  for (unsigned i = 0; i < 3; i++) {
    out->block[i] = f->block[0] && !f->block[i] ? 1 : f->block[i];
    out->cluster[i] = f->cluster[0] && !f->cluster[i] ? 1 : f->cluster[i];
  }
  out->has_dynamic_shared = f->has_dyn_shared;
  out->dynamic_shared = f->dyn_shared;
  return 1;
}

static mirdc_emu_pass pass_of(const struct pm_param *p, const struct kernel_param *d) {
  switch (p->pass) {
  case PM_PASS_SCALAR:
    return MIRDC_EMU_SCALAR;
  case PM_PASS_POINTER:
    return MIRDC_EMU_POINTER;
  case PM_PASS_SLICE:
    return d->part == PARAM_ADDRESS ? MIRDC_EMU_SLICE_ADDRESS : MIRDC_EMU_SLICE_LENGTH;
  case PM_PASS_AGGREGATE:
  case PM_PASS_ZST:
    break;
  }
  return MIRDC_EMU_AGGREGATE;
}

MIRDC_EMU_API int mirdc_emu_get_param(const mirdc_emu *e, uint32_t kernel, uint32_t param,
                                      mirdc_emu_param *out) {
  struct arena a = {0};
  uint32_t n = 0;
  uint64_t bytes;
  if (kernel >= mirdc_emu_kernel_count(e))
    return 0;
  const struct kernel_param *all = list(e, kernel, &a, &n, &bytes);
  if (param < n) {
    const struct kernel_param *d = &all[param];
    const struct pm_param *p = &e->m->kernels[kernel].params[d->param];
    const struct pm_type *to = p->pass == PM_PASS_AGGREGATE ? NULL : pointee(e->m, p);
    *out = (mirdc_emu_param){.name = z(e, p->name), .type = z(e, e->m->types[p->ty].name)};
    out->pass = pass_of(p, d);
    out->offset = d->off;
    out->size = d->size;
    out->align = d->align;
    out->element = to ? z(e, to->name) : NULL;
    out->element_size = to ? to->size : 0;
  }
  arena_free(&a);
  return param < n;
}

/* ---- statics ---- */
MIRDC_EMU_API uint32_t mirdc_emu_static_count(const mirdc_emu *e) {
  return e->n_visible;
}

MIRDC_EMU_API int mirdc_emu_get_static(mirdc_emu *e, uint32_t index, mirdc_emu_static *out) {
  if (index >= e->n_visible)
    return 0;
  const struct pm_static *s = &e->m->statics[e->visible[index]];
  void *p = emu_data(e, PM_TO_STATIC, e->visible[index]);
  *out = (mirdc_emu_static){.name = z(e, s->name), .symbol = z(e, s->symbol)};
  out->address = (uint64_t)(uintptr_t)p;
  out->size = e->m->types[s->ty].size;
  out->writable = s->space != PM_CONST;
  return p != NULL;
}

MIRDC_EMU_API int mirdc_emu_find_static(mirdc_emu *e, const char *name, mirdc_emu_static *out) {
  for (uint32_t i = 0; i < e->n_visible; i++) {
    const struct pm_static *s = &e->m->statics[e->visible[i]];
    if (str_eqz(s->name, name) || str_eqz(s->symbol, name))
      return mirdc_emu_get_static(e, i, out);
  }
  return 0;
}
