/* What writer and reader of bundles share. */
#include "bundles/bundle.h"

#include "bundles/format.h"

struct payload_row {
  uint32_t number;
  const char *name;
};
static const struct payload_row rows[] = {
#define PAYLOAD(e, number, name) {number, name},
#include "bundles/payload.def"
#undef PAYLOAD
};

const char *payload_kind_name(enum payload_kind k) {
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    if (rows[i].number == (uint32_t)k)
      return rows[i].name;
  }
  return "unknown";
}

bool payload_kind_parse(str name, enum payload_kind *out) {
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    if (str_eqz(name, rows[i].name)) {
      *out = (enum payload_kind)rows[i].number;
      return true;
    }
  }
  return false;
}

bool bundle_is(str bytes) {
  return str_starts(bytes, STR(FORMAT_MAGIC));
}

size_t bundle_find(const struct bundle *b, enum payload_kind k, const struct gpu_arch *arch,
                   uint32_t unit) {
  for (size_t i = 0; i < b->n; i++) {
    const struct bundle_section *s = &b->sections[i];
    if (s->kind == (uint32_t)k && s->unit == unit &&
        (arch == NULL || gpu_arch_cmp(s->arch, *arch) == 0))
      return i;
  }
  return SIZE_MAX;
}

uint32_t format_flags_of(const struct manifest *m) {
  uint32_t flags = 0;
  for (size_t i = 0; i < m->n_kernels; i++) {
    if (m->kernels[i].launch.flags != 0)
      flags |= BUNDLE_HAS_LAUNCH;
  }
  if (!policy_is_default(&m->policy))
    flags |= BUNDLE_HAS_POLICY;
  if (m->n_traps > 0)
    flags |= BUNDLE_HAS_TRAPS;
  return flags;
}

int format_section_cmp(const struct bundle_section *a, const struct bundle_section *b) {
  if (a->kind != b->kind)
    return a->kind < b->kind ? -1 : 1;
  int arch = gpu_arch_cmp(a->arch, b->arch);
  if (arch != 0)
    return arch;
  if (a->unit != b->unit)
    return a->unit < b->unit ? -1 : 1;
  return str_cmp(a->name, b->name);
}

struct digest format_digest(str head) {
  struct hasher *h = hash_new();
  hash_bytes(h, head.p, AT_DIGEST);
  hash_bytes(h, head.p + FORMAT_HEADER, head.n - FORMAT_HEADER);
  return hash_finish(h);
}

static const struct manifest_resources *resources_for(const struct manifest_kernel *k,
                                                      struct gpu_arch arch) {
  for (size_t i = 0; i < k->n_resources; i++) {
    if (gpu_arch_cmp(k->resources[i].arch, arch) == 0)
      return &k->resources[i];
  }
  return NULL;
}

static bool kernel_agrees(struct diag_sink *s, const struct bundle *b,
                          const struct manifest_kernel *k) {
  for (size_t i = 0; i < k->n_resources; i++) {
    const struct manifest_resources *r = &k->resources[i];
    if (bundle_find(b, PAYLOAD_CUBIN, &r->arch, r->unit) != SIZE_MAX)
      continue;
    diag_error(s, MD0506, SPAN_NONE,
               "%.*s: the manifest says that link unit %u for sm_%u holds kernel `%.*s`, but there "
               "is no such cubin",
               STR_ARG(b->path), r->unit, (unsigned)r->arch.number, STR_ARG(k->name));
    return false;
  }
  for (size_t i = 0; i < b->n; i++) {
    const struct bundle_section *c = &b->sections[i];
    if (c->kind != PAYLOAD_CUBIN || (i > 0 && b->sections[i - 1].kind == PAYLOAD_CUBIN &&
                                     gpu_arch_cmp(b->sections[i - 1].arch, c->arch) == 0))
      continue;
    if (resources_for(k, c->arch) != NULL)
      continue;
    diag_error(s, MD0506, SPAN_NONE,
               "%.*s: the manifest does not say which cubin for sm_%u holds kernel `%.*s`",
               STR_ARG(b->path), (unsigned)c->arch.number, STR_ARG(k->name));
    return false;
  }
  return true;
}

bool format_agree(struct diag_sink *s, const struct bundle *b) {
  for (size_t i = 0; i < b->manifest.n_kernels; i++) {
    if (!kernel_agrees(s, b, &b->manifest.kernels[i]))
      return false;
  }
  return true;
}
