/* The kernel descriptors that the macros leave in the crate. */
#include "cargo-integration/rustc/descriptor.h"

/* A cursor over one allocation; `bad` once something did not fit. */
struct view {
  const struct mir_file *f;
  const struct mir_alloc *a;
  uint64_t base;
  const char *bad;
};

static uint64_t get(struct view *v, uint64_t off, uint64_t n) {
  uint64_t r = 0;
  off += v->base;
  if (off > v->a->size || n > v->a->size - off) {
    v->bad = "it is too short";
    return 0;
  }
  for (uint64_t i = 0; i < n; i++) {
    if (!v->a->init[off + i])
      v->bad = "a member is not initialised";
    r |= (uint64_t)v->a->bytes[off + i] << (8 * i);
  }
  return r;
}

static uint32_t get32(struct view *v, uint64_t off) {
  return (uint32_t)get(v, off, 4);
}

/* Where a pointer member leads; NULL when there is none. */
static const struct mir_alloc *follow(struct view *v, uint64_t off, uint64_t *add) {
  for (uint32_t i = 0; i < v->a->n_relocs; i++) {
    if (v->a->relocs[i].offset != v->base + off)
      continue;
    *add = v->a->relocs[i].addend;
    return mir_alloc_find(v->f, v->a->relocs[i].alloc);
  }
  return NULL;
}

static str get_str(struct view *v, uint64_t off) {
  uint64_t add = 0, n = get(v, off + 8, 8);
  const struct mir_alloc *to = follow(v, off, &add);
  if (n == 0)
    return STR_NULL;
  if (!to || !to->has_bytes || add > to->size || n > to->size - add) {
    v->bad = "a name leads nowhere";
    return STR_NULL;
  }
  str s = {(const char *)to->bytes + add, n};
  size_t at;
  if (!utf8_valid(s, &at))
    v->bad = "a name is not text";
  return s;
}

static void read_fields(struct view *v, struct arena *a, uint64_t off, struct kernel_param *p) {
  uint64_t add = 0;
  if (p->n_fields == 0)
    return;
  const struct mir_alloc *to = follow(v, off, &add);
  if (!to || !to->has_bytes || p->n_fields > 4096) {
    v->bad = "the list of fields leads nowhere";
    return;
  }
  struct view f = {.f = v->f, .a = to, .base = add};
  p->fields = arena_array(a, struct kernel_field, p->n_fields);
  for (uint32_t i = 0; i < p->n_fields; i++, f.base += 40)
    p->fields[i] = (struct kernel_field){get_str(&f, 0), get(&f, 16, 8), get(&f, 24, 8),
                                         get(&f, 32, 8)};
  if (f.bad)
    v->bad = f.bad;
}

static void read_params(struct view *v, struct arena *a, struct kernel_facts *out) {
  uint64_t add = 0;
  if (out->n_params == 0)
    return;
  const struct mir_alloc *to = follow(v, 104, &add);
  if (!to || !to->has_bytes || out->n_params > 4096) {
    v->bad = "the list of parameters leads nowhere";
    return;
  }
  struct view p = {.f = v->f, .a = to, .base = add};
  out->params = arena_array(a, struct kernel_param, out->n_params);
  for (uint32_t i = 0; i < out->n_params; i++, p.base += 48) {
    struct kernel_param *k = &out->params[i];
    *k = (struct kernel_param){.name = get_str(&p, 0), .size = get(&p, 16, 8),
                               .align = get(&p, 24, 8), .kind = get32(&p, 32),
                               .n_fields = get32(&p, 36)};
    read_fields(&p, a, 40, k);
  }
  if (p.bad)
    v->bad = p.bad;
}

bool descriptor_is(const struct mir_alloc *a) {
  if (a->kind != MA_STATIC || !a->has_bytes || !a->path)
    return false;
  str last = rty_last_name(a->path);
  return str_eq(last, STR("__MIRDC_KERNEL")) || str_eq(last, STR("__MIRDC_EXPORT"));
}

bool descriptor_read(struct diag_sink *s, struct arena *a, const struct mir_file *f,
                     const struct mir_alloc *d, struct kernel_facts *out) {
  struct view v = {.f = f, .a = d};
  uint64_t add = 0;
  *out = (struct kernel_facts){.protocol = get32(&v, 8)};
  if (!v.bad && get(&v, 0, 8) != KERNEL_MAGIC)
    v.bad = "it does not begin with the right number";
  if (!v.bad && out->protocol != KERNEL_PROTOCOL) {
    struct diag *g = diag_error(s, MD0171, SPAN_NONE,
                                "a kernel descriptor has protocol version %u, known is %u",
                                out->protocol, KERNEL_PROTOCOL);
    diag_help(g, "use the same version of the crate `mirdc` and of mirdc");
    return false;
  }
  out->flags = get32(&v, 12);
  for (uint32_t i = 0; i < 3; i++) {
    out->block[i] = get32(&v, 16 + 4 * i);
    out->cluster[i] = get32(&v, 36 + 4 * i);
  }
  out->max_block = get32(&v, 28);
  out->min_blocks = get32(&v, 32);
  out->dyn_shared = get(&v, 48, 8);
  out->dyn_shared_align = get32(&v, 56);
  out->n_params = get32(&v, 60);
  out->name = get_str(&v, 72);
  out->path = get_str(&v, 88);
  read_params(&v, a, out);
  const struct mir_alloc *entry = follow(&v, 64, &add);
  if (!v.bad && (!entry || entry->kind != MA_FN || !entry->path))
    v.bad = "its entry is not a function";
  if (!v.bad && !out->name.n)
    v.bad = "it has no name";
  if (v.bad) {
    struct diag *g = diag_error(s, MD0171, SPAN_NONE, "the kernel descriptor `%.*s` is damaged: %s",
                                STR_ARG(d->path->name), v.bad);
    diag_help(g, "use the same version of the crate `mirdc` and of mirdc");
    return false;
  }
  out->entry = entry->path;
  return true;
}
