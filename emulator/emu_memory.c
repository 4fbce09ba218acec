/* Constants and statics of the dump: one place for all kernels of an object, filled when first wanted,
 * so that statics keep their values from launch to launch. */
#include "base/fatal.h"
#include "emulator/engine.h"

#include <errno.h>
#include <string.h>

static void *no_memory(struct mirdc_emu *e, str what, uint64_t size) {
  diag_error(&e->sink, MD0813, SPAN_NONE, "no memory for the %llu bytes of `%.*s`: %s",
             (unsigned long long)size, STR_ARG(what), strerror(ENOMEM));
  return NULL;
}

static void *address_of(struct mirdc_emu *e, const struct pm_reloc *r, void *at) {
  switch (r->kind) {
  case PM_TO_ALLOC:
  case PM_TO_STATIC:
    return emu_data(e, r->kind, r->id);
  case PM_TO_FN: {
    struct emu_fixup f = {at, r->id, r->add};
    if (!e->fns[r->id])
      vec_push(&e->arena, &e->fixups, f);
    return e->fns[r->id];
  }
  case PM_TO_EXTERN:
  case PM_TO_VTABLE:
    return NULL; /* the lowering has refused it */
  }
  BUG("relocation kind %d", (int)r->kind);
}

static bool fill(struct mirdc_emu *e, uint8_t *p, const struct pm_alloc *a) {
  memcpy(p, a->bytes, a->size);
  for (uint32_t i = 0; i < a->n_relocs; i++) {
    const struct pm_reloc *r = &a->relocs[i];
    char *to = address_of(e, r, p + r->off);
    if (!to && (r->kind == PM_TO_ALLOC || r->kind == PM_TO_STATIC))
      return false;
    uint64_t word = to ? (uint64_t)(uintptr_t)to + r->add : 0;
    memcpy(p + r->off, &word, sizeof word);
  }
  return true;
}

void emu_apply_fixups(struct mirdc_emu *e) {
  size_t kept = 0;
  for (size_t i = 0; i < e->fixups.n; i++) {
    struct emu_fixup f = e->fixups.p[i];
    uint64_t word = (uint64_t)(uintptr_t)e->fns[f.fn] + f.add;
    if (e->fns[f.fn])
      memcpy(f.at, &word, sizeof word);
    else
      e->fixups.p[kept++] = f;
  }
  e->fixups.n = kept;
}

static void *alloc_data(struct mirdc_emu *e, uint32_t id) {
  const struct pm_alloc *a = &e->m->allocs[id];
  str name = STR("constant data");
  void *p = check_alloc(e->check, name, a->size, a->align, CHECK_CONST, a->mut);
  if (!p)
    return no_memory(e, name, a->size);
  e->allocs[id] = p; /* before its contents, which may refer to it */
  return fill(e, p, a) ? p : NULL;
}

static enum check_space space_of(const struct pm_static *s) {
  return s->space == PM_SHARED ? CHECK_SHARED : s->space == PM_CONST ? CHECK_CONST : CHECK_GLOBAL;
}

static void *static_data(struct mirdc_emu *e, uint32_t id) {
  const struct pm_static *s = &e->m->statics[id];
  const struct pm_type *t = &e->m->types[s->ty];
  void *p = check_alloc(e->check, s->name, t->size, t->align, space_of(s), s->space != PM_CONST);
  if (!p)
    return no_memory(e, s->name, t->size);
  e->statics[id] = p;
  return s->alloc == PM_NONE || fill(e, p, &e->m->allocs[s->alloc]) ? p : NULL;
}

void *emu_data(struct mirdc_emu *e, enum pm_reloc_kind kind, uint32_t id) {
  if (kind == PM_TO_ALLOC)
    return e->allocs[id] ? e->allocs[id] : alloc_data(e, id);
  return e->statics[id] ? e->statics[id] : static_data(e, id);
}

bool emu_dyn_shared(struct mirdc_emu *e, uint64_t size, uint64_t align) {
  str name = STR("dynamic shared memory");
  if (e->regs.dyn_shared)
    check_release(e->check, e->regs.dyn_shared);
  e->regs.dyn_shared_size = (uint32_t)size;
  e->regs.dyn_shared = check_alloc(e->check, name, size, align, CHECK_DYN_SHARED, true);
  return e->regs.dyn_shared || no_memory(e, name, size);
}

void emu_spoil_shared(struct mirdc_emu *e) {
  for (uint32_t i = 0; i < e->m->n_statics; i++) {
    const struct pm_static *s = &e->m->statics[i];
    if (s->space == PM_SHARED && e->statics[i])
      memset(e->statics[i], 0xcb, e->m->types[s->ty].size);
  }
  if (e->regs.dyn_shared_size > 0)
    memset(e->regs.dyn_shared, 0xcb, e->regs.dyn_shared_size);
}
