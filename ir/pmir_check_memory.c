/* Allocations, statics, externs and kernels. What lies inside one allocation was checked as it was
 * read. */
#include "ir/pmir_check.h"

#define MAX_ALIGN ((uint64_t)1 << 29)
#define POINTER(c, ...) arena_printf(&(c)->arena, __VA_ARGS__)

static void check_alloc(struct pm_check *c, uint32_t i) {
  const struct pm_alloc *a = &c->m->allocs[i];
  if (a->align == 0 || (a->align & (a->align - 1)) != 0 || a->align > MAX_ALIGN)
    pc_error_at(c, MD0215, PM_NONE, POINTER(c, "/allocs/%u", i),
                "the alignment %llu is not a power of two up to 2^29",
                (unsigned long long)a->align);
}

static void check_static(struct pm_check *c, uint32_t i) {
  const struct pm_static *s = &c->m->statics[i];
  const struct pm_type *t = pc_type(c, s->ty);
  str where = POINTER(c, "/statics/%u", i);
  if (!pc_is_sized(c, s->ty)) {
    pc_error_at(c, MD0217, s->span, where, "the static `%.*s` has a type without a size",
                STR_ARG(s->name));
    return;
  }
  if (s->space == PM_SHARED && s->alloc != PM_NONE) {
    pc_error_at(c, MD0217, s->span, where,
                "the static `%.*s` is in shared memory, which has no initial value",
                STR_ARG(s->name));
    return;
  }
  if (s->alloc == PM_NONE)
    return;
  const struct pm_alloc *a = &c->m->allocs[s->alloc];
  if (a->size != t->size || a->align < t->align)
    pc_error_at(
        c, MD0217, s->span, where,
        "the static `%.*s` needs %llu bytes aligned to %llu, its alloc %u has %llu and %llu",
        STR_ARG(s->name), (unsigned long long)t->size, (unsigned long long)t->align, s->alloc,
        (unsigned long long)a->size, (unsigned long long)a->align);
}

static void check_extern(struct pm_check *c, uint32_t i) {
  const struct pm_extern *x = &c->m->externs[i];
  bool sized = pc_is_sized(c, x->ret);
  for (uint32_t k = 0; k < x->n_args; k++)
    sized = sized && pc_is_sized(c, x->args[k]);
  if (!sized)
    pc_error_at(c, MD0236, x->span, POINTER(c, "/externs/%u", i),
                "`%.*s` takes or gives a value without a size", STR_ARG(x->symbol));
}

void pc_memory(struct pm_check *c) {
  struct arena_mark mark = arena_save(&c->arena);
  for (uint32_t i = 0; i < c->m->n_allocs && !pc_too_many(c); i++) {
    check_alloc(c, i);
    arena_rewind(&c->arena, mark);
  }
  for (uint32_t i = 0; i < c->m->n_statics && !pc_too_many(c); i++) {
    check_static(c, i);
    arena_rewind(&c->arena, mark);
  }
  for (uint32_t i = 0; i < c->m->n_externs && !pc_too_many(c); i++) {
    check_extern(c, i);
    arena_rewind(&c->arena, mark);
  }
}

/* ---- kernels ---- */

static const char *const pass_names[] = {"scalar", "pointer", "slice", "aggregate", "zst"};

/* How a value of the type is passed, by docs/abi.md. */
static enum pm_pass pass_of(const struct pm_type *t) {
  if (t->size == 0)
    return PM_PASS_ZST;
  switch (t->kind) {
  case PM_INT:
  case PM_FLOAT:
  case PM_BOOL:
  case PM_CHAR:
    return PM_PASS_SCALAR;
  case PM_FNPTR:
    return PM_PASS_POINTER;
  case PM_PTR:
    return t->meta == PM_META_NONE ? PM_PASS_POINTER : PM_PASS_SLICE;
  case PM_NEVER:
  case PM_FNDEF:
  case PM_ARRAY:
  case PM_SLICE:
  case PM_STR:
  case PM_DYN:
  case PM_TUPLE:
  case PM_STRUCT:
  case PM_CLOSURE:
  case PM_UNION:
  case PM_ENUM:
  case PM_OPAQUE:
    break;
  }
  return PM_PASS_AGGREGATE;
}

/* A struct of a pointer and a length, in this order, may be passed as the slice that it stands for:
 * the macro crate says so, and docs/abi.md. */
static bool wraps_slice(const struct pm_check *c, const struct pm_type *t) {
  bool pointer = false, length = false;
  if (t->kind != PM_STRUCT || t->size != 16 || t->align != 8)
    return false;
  for (uint32_t i = 0; i < t->n_fields; i++) {
    const struct pm_type *f = pc_type(c, t->fields[i].ty);
    pointer |= f->kind == PM_PTR && f->meta == PM_META_NONE && t->fields[i].off == 0;
    length |= f->kind == PM_INT && f->size == 8 && t->fields[i].off == 8;
  }
  return pointer && length;
}

static void bad_param(struct pm_check *c, uint32_t k, uint32_t i, const char *what) {
  const struct pm_kernel *x = &c->m->kernels[k];
  struct diag *d = pc_error_at(c, MD0250, x->span, POINTER(c, "/kernels/%u/params/%u", k, i),
                               "parameter `%.*s` of kernel `%.*s` %s", STR_ARG(x->params[i].name),
                               STR_ARG(x->name), what);
  diag_help(d, "use the same version of the crate `mirdc` on both sides");
}

/* Fields of a struct, tuple or closure are known; those of other types are only for people. */
static bool fields_fit(const struct pm_check *c, const struct pm_param *p) {
  const struct pm_type *t = pc_type(c, p->ty);
  const bool known = t->kind == PM_STRUCT || t->kind == PM_TUPLE || t->kind == PM_CLOSURE;
  for (uint32_t i = 0; i < p->n_fields; i++) {
    const struct pm_param_field *f = &p->fields[i];
    if (f->off > p->size || f->size > p->size - f->off)
      return false;
    bool hit = !known;
    for (uint32_t n = 0; n < t->n_fields && !hit; n++) {
      const struct pm_type *ft = pc_type(c, t->fields[n].ty);
      hit = t->fields[n].off == f->off && ft->size == f->size && ft->align == f->align;
    }
    if (!hit)
      return false;
  }
  return true;
}

static void check_param(struct pm_check *c, uint32_t k, uint32_t i) {
  const struct pm_kernel *x = &c->m->kernels[k];
  const struct pm_param *p = &x->params[i];
  const struct pm_type *t = pc_type(c, p->ty);
  if (!pc_same(c, c->m->fns[x->fn].locals[i + 1].ty, p->ty))
    bad_param(c, k, i, "does not have the type of the function's argument");
  else if (t->size != p->size || t->align != p->align)
    bad_param(c, k, i, "has another size or alignment than its type");
  else if (!fields_fit(c, p))
    bad_param(c, k, i, "has a field that its type does not have");
  else if (pass_of(t) != p->pass && !(p->pass == PM_PASS_SLICE && wraps_slice(c, t)))
    pc_error_at(c, MD0251, x->span, POINTER(c, "/kernels/%u/params/%u/pass", k, i),
                "parameter `%.*s` of kernel `%.*s` is passed as `%s`, but its type `%.*s` as `%s`",
                STR_ARG(p->name), STR_ARG(x->name), pass_names[p->pass], PC_TY(c, p->ty),
                pass_names[pass_of(t)]);
}

static const char *launch_fault(const struct pm_launch *l) {
  const uint64_t threads = (uint64_t)l->block[0] * l->block[1];
  if (l->block[0] > 1024 || l->block[1] > 1024 || l->block[2] > 64 || threads > 1024 ||
      threads * l->block[2] > 1024)
    return "a block has at most 1024 threads, 1024 x 1024 x 64";
  if (l->max_block > 1024)
    return "`max_block` is more than 1024 threads";
  if (l->max_block && threads * l->block[2] > l->max_block)
    return "the block has more threads than `max_block`";
  const uint64_t blocks = (uint64_t)l->cluster[0] * l->cluster[1];
  if (l->cluster[0] > 16 || l->cluster[1] > 16 || l->cluster[2] > 16 || blocks * l->cluster[2] > 16)
    return "a cluster has at most 16 blocks";
  if (!l->has_dyn_shared)
    return NULL;
  const uint32_t align = l->dyn_shared_align;
  if (align == 0 || (align & (align - 1)) != 0 || align > 1024)
    return "the alignment of dynamic shared memory is not a power of two up to 1024";
  return l->dyn_shared > 227 * 1024 ? "no GPU has more than 227 KiB of dynamic shared memory"
                                    : NULL;
}

static void check_kernel(struct pm_check *c, uint32_t k) {
  const struct pm_kernel *x = &c->m->kernels[k];
  const struct pm_func *f = &c->m->fns[x->fn];
  if (f->n_args != x->n_params) {
    pc_error_at(c, MD0250, x->span, POINTER(c, "/kernels/%u/params", k),
                "kernel `%.*s` has %u parameters, its function %u arguments", STR_ARG(x->name),
                x->n_params, f->n_args);
    return;
  }
  const enum pm_kind ret = pc_type(c, f->ret)->kind;
  if (ret != PM_NEVER && (ret != PM_TUPLE || pc_type(c, f->ret)->size != 0)) {
    pc_error_at(c, MD0250, x->span, POINTER(c, "/kernels/%u", k),
                "kernel `%.*s` returns a value of type `%.*s`", STR_ARG(x->name), PC_TY(c, f->ret));
    return;
  }
  for (uint32_t i = 0; i < x->n_params && !pc_too_many(c); i++)
    check_param(c, k, i);
  const char *fault = launch_fault(&x->launch);
  if (fault)
    pc_error_at(c, MD0252, x->span, POINTER(c, "/kernels/%u/launch", k), "kernel `%.*s`: %s",
                STR_ARG(x->name), fault);
}

void pc_kernels(struct pm_check *c) {
  struct arena_mark mark = arena_save(&c->arena);
  for (uint32_t k = 0; k < c->m->n_kernels && !pc_too_many(c); k++) {
    check_kernel(c, k);
    arena_rewind(&c->arena, mark);
  }
}
