/* Constants and statics of the dump: one place for all kernels of an object, filled when first
 * wanted, so that statics keep their values from launch to launch. */
#include "base/fatal.h"
#include "emulator/engine.h"

#include <errno.h>
#include <string.h>

static void *no_memory(struct mirdc_emu *e, str what, uint64_t size) {
  diag_error(&e->sink, MD0813, SPAN_NONE, "no memory for the %llu bytes of `%.*s`: %s",
             (unsigned long long)size, STR_ARG(what), strerror(ENOMEM));
  return NULL;
}

static bool fill(struct mirdc_emu *e, uint8_t *p, const struct pm_alloc *a) {
  memcpy(p, a->bytes, a->size);
  for (uint32_t i = 0; i < a->n_relocs; i++) {
    const struct pm_reloc *r = &a->relocs[i];
    char *to = emu_data(e, r->kind, r->id);
    if (!to)
      return false;
    uint64_t word = (uint64_t)(uintptr_t)to + r->add;
    memcpy(p + r->off, &word, sizeof word);
  }
  return true;
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
  bool writable = s->space != PM_CONST && !pm_never_changes(e->m, s);
  void *p = check_alloc(e->check, s->name, t->size, t->align, space_of(s), writable);
  if (!p)
    return no_memory(e, s->name, t->size);
  e->statics[id] = p;
  return s->alloc == PM_NONE || fill(e, p, &e->m->allocs[s->alloc]) ? p : NULL;
}

void *emu_data(struct mirdc_emu *e, enum pm_reloc_kind kind, uint32_t id) {
  switch (kind) {
  case PM_TO_ALLOC:
    return e->allocs[id] ? e->allocs[id] : alloc_data(e, id);
  case PM_TO_STATIC:
    return e->statics[id] ? e->statics[id] : static_data(e, id);
  case PM_TO_FN:
    return &e->fns[id];
  case PM_TO_EXTERN:
  case PM_TO_VTABLE:
    break; /* the lowering refuses them */
  }
  BUG("relocation kind %d", (int)kind);
}

bool emu_dyn_shared(struct mirdc_emu *e, uint64_t size, uint64_t align) {
  str name = STR("dynamic shared memory");
  if (e->regs.dyn_shared)
    check_release(e->check, e->regs.dyn_shared);
  e->regs.dyn_shared_size = (uint32_t)size;
  e->regs.dyn_shared = check_alloc(e->check, name, size, align, CHECK_DYN_SHARED, true);
  return e->regs.dyn_shared || no_memory(e, name, size);
}

void emu_find_shared(struct mirdc_emu *e) {
  e->n_shared = 0;
  for (uint32_t i = 0; i < e->m->n_statics; i++)
    if (e->m->statics[i].space == PM_SHARED && e->statics[i])
      e->shared[e->n_shared++] = i;
}

void emu_spoil_shared(struct mirdc_emu *e) {
  for (uint32_t i = 0; i < e->n_shared; i++) {
    uint32_t id = e->shared[i];
    memset(e->statics[id], 0xcb, e->m->types[e->m->statics[id].ty].size);
  }
  if (e->regs.dyn_shared_size > 0)
    memset(e->regs.dyn_shared, 0xcb, e->regs.dyn_shared_size);
}
