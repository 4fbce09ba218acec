/* The kernel descriptor of the host program against the manifest. Its layout is fixed in
 * docs/abi.md; this is the reading side of what the kernel macro emits. */
#include <string.h>

#include "bundles/libmirdc.h"

#define DESCRIPTOR_MAGIC 0x4e524b4344524d49ull

struct host_str {
  const char *p;
  size_t n;
};
struct host_field {
  struct host_str name;
  uint64_t offset, size, align;
};
struct host_param {
  struct host_str name;
  uint64_t size, align;
  uint32_t kind; /* 0 unknown, then as enum param_kind + 1 */
  uint32_t n_fields;
  const struct host_field *fields;
};
struct host_kernel {
  uint64_t magic;
  uint32_t protocol, flags;
  uint32_t block[3], max_block, min_blocks, cluster[3];
  uint64_t dyn_shared;
  uint32_t dyn_shared_align, n_params;
  const void *entry;
  struct host_str name, path;
  const struct host_param *params;
};
_Static_assert(sizeof(struct host_field) == 40, "layout of docs/abi.md");
_Static_assert(sizeof(struct host_param) == 48, "layout of docs/abi.md");
_Static_assert(sizeof(struct host_kernel) == 112, "layout of docs/abi.md");

struct comparison {
  const struct manifest_kernel *k;
  mirdc_error *err;
};

static mirdc_status differ(const struct comparison *c, const char *param, const char *what,
                           uint64_t host, uint64_t bundle) {
  return lib_fail(c->err, MIRDC_ERROR_MISMATCH,
                  "kernel `%s`%s%s: %s is %llu in the host program and %llu in the bundle",
                  lib_z(c->k->name), param[0] != 0 ? ", parameter " : "", param, what,
                  (unsigned long long)host, (unsigned long long)bundle);
}

static mirdc_status compare_fields(const struct comparison *c, const struct host_param *h,
                                   const struct manifest_param *p) {
  /* Only types that derive KernelArg list their fields. */
  if (h->n_fields == 0 || p->n_fields == 0)
    return MIRDC_OK;
  if (h->n_fields != p->n_fields)
    return differ(c, lib_z(p->name), "number of fields", h->n_fields, p->n_fields);
  for (size_t i = 0; i < p->n_fields; i++) {
    const struct host_field *a = &h->fields[i];
    const struct manifest_field *b = NULL;
    for (size_t j = 0; j < p->n_fields && b == NULL; j++) {
      if (str_eq((str){a->name.p, a->name.n}, p->fields[j].name))
        b = &p->fields[j];
    }
    if (b == NULL)
      return lib_fail(c->err, MIRDC_ERROR_MISMATCH,
                      "kernel `%s`, parameter %s: the bundle has no field `%.*s`",
                      lib_z(c->k->name), lib_z(p->name), (int)a->name.n, a->name.p);
    if (a->offset != b->offset)
      return differ(c, lib_z(p->name), "offset of a field", a->offset, b->offset);
    if (a->size != b->size)
      return differ(c, lib_z(p->name), "size of a field", a->size, b->size);
  }
  return MIRDC_OK;
}

static mirdc_status compare_param(const struct comparison *c, const struct host_param *h,
                                  const struct manifest_param *p) {
  if (h->size != p->size)
    return differ(c, lib_z(p->name), "size", h->size, p->size);
  if (h->align != p->align)
    return differ(c, lib_z(p->name), "alignment", h->align, p->align);
  if (h->kind != 0 && h->kind != (uint32_t)p->kind + 1)
    return differ(c, lib_z(p->name), "kind", h->kind, (uint64_t)p->kind + 1);
  return compare_fields(c, h, p);
}

static mirdc_status compare_params(const struct comparison *c, const struct host_kernel *h) {
  size_t j = 0;
  for (size_t i = 0; i < h->n_params; i++) {
    if (h->params[i].size == 0) /* zero-sized ones are not passed */
      continue;
    if (j == c->k->n_params)
      return differ(c, "", "number of parameters", h->n_params, j);
    mirdc_status s = compare_param(c, &h->params[i], &c->k->params[j++]);
    if (s != MIRDC_OK)
      return s;
  }
  return j == c->k->n_params ? MIRDC_OK
                             : differ(c, "", "number of parameters", j, c->k->n_params);
}

mirdc_status mirdc_compare_descriptor(const mirdc_bundle *b, const void *descriptor,
                                      mirdc_error *err) {
  struct host_kernel h;
  struct lib_kernel found = {0};
  lib_clear(err);
  if (b == NULL || descriptor == NULL)
    return lib_fail(err, MIRDC_ERROR_ARGUMENT, "a pointer is NULL");
  memcpy(&h, descriptor, sizeof h);
  if (h.magic != DESCRIPTOR_MAGIC || h.protocol != MANIFEST_PROTOCOL)
    return lib_fail(err, MIRDC_ERROR_MISMATCH,
                    "no kernel descriptor of protocol %u: built with another version of mirdc",
                    MANIFEST_PROTOCOL);
  struct arena a = {0};
  mirdc_status s = lib_find_kernel(b, arena_strz(&a, (str){h.path.p, h.path.n}), &found, err);
  if (s == MIRDC_ERROR_NOT_FOUND)
    s = lib_find_kernel(b, arena_strz(&a, (str){h.name.p, h.name.n}), &found, err);
  arena_free(&a);
  if (s != MIRDC_OK)
    return s;
  struct comparison c = {found.kernel, err};
  struct launch_facts f = {.flags = h.flags,
                           .max_block = h.max_block,
                           .min_blocks = h.min_blocks,
                           .dyn_shared = h.dyn_shared,
                           .dyn_shared_align = h.dyn_shared_align};
  memcpy(f.block, h.block, sizeof f.block);
  memcpy(f.cluster, h.cluster, sizeof f.cluster);
  /* An attribute that gives no alignment means this one. */
  if ((f.flags & LAUNCH_DYN_SHARED) != 0 && f.dyn_shared_align == 0)
    f.dyn_shared_align = 16;
  if (!launch_facts_eq(&f, &found.kernel->launch))
    return lib_fail(err, MIRDC_ERROR_MISMATCH,
                    "kernel `%s`: launch facts of the host program and of the bundle differ; build "
                    "both from one source",
                    lib_z(found.kernel->name));
  return compare_params(&c, &h);
}
