/* The manifest's defaults, look-ups and rules. */
#include "bundles/manifest.h"

#include <string.h>

#include "base/map.h"
#include "bundles/manifest_check.h"

const char *const param_kind_names[] = {"scalar", "pointer", "slice", "aggregate", NULL};
const char *const space_names[] = {"global", "const", NULL};
const char *const debug_names[] = {"none", "lines", "full", NULL};

const char *param_kind_name(enum param_kind k) {
  return param_kind_names[k];
}

struct policy policy_default(void) {
  return (struct policy){.fmad = true, .opt = 3};
}

bool policy_is_default(const struct policy *p) {
  return p->fmad && p->opt == 3 && p->debug == DEBUG_NONE && !p->overflow_checks &&
         !p->debug_assertions && !p->trap_info && p->max_registers == 0;
}

void manifest_init(struct manifest *m) {
  *m = (struct manifest){.protocol = MANIFEST_PROTOCOL, .policy = policy_default()};
}

uint32_t manifest_version_needed(const struct manifest *m) {
  if (!policy_is_default(&m->policy) || m->n_traps > 0)
    return 2;
  for (size_t i = 0; i < m->n_kernels; i++) {
    if (m->kernels[i].launch.flags != 0)
      return 2;
  }
  return 1;
}

const struct manifest_kernel *manifest_kernel_find(const struct manifest *m, str name) {
  for (size_t i = 0; i < m->n_kernels; i++) {
    if (str_eq(m->kernels[i].name, name))
      return &m->kernels[i];
  }
  for (size_t i = 0; i < m->n_kernels; i++) {
    if (name.n > 0 && str_eq(m->kernels[i].path, name))
      return &m->kernels[i];
  }
  return NULL;
}

const struct manifest_trap *manifest_trap_find(const struct manifest *m, uint32_t code) {
  for (size_t i = 0; i < m->n_traps; i++) {
    if (m->traps[i].code == code)
      return &m->traps[i];
  }
  return NULL;
}

uint64_t manifest_param_bytes(const struct manifest_kernel *k) {
  if (k->n_params == 0)
    return 0;
  const struct manifest_param *last = &k->params[k->n_params - 1];
  return last->offset + last->size;
}

/* ---- Rules ---- */

struct checker {
  struct diag_sink *sink;
  str path;
};

static bool wrong(const struct checker *c, const char *what, str name, const char *why) {
  diag_error(c->sink, MD0511, SPAN_NONE, "%.*s: manifest: %s `%.*s`: %s", STR_ARG(c->path), what,
             STR_ARG(name), why);
  return false;
}

static bool is_pow2(uint64_t v) {
  return v != 0 && (v & (v - 1)) == 0;
}

static bool fields_ok(const struct checker *c, const struct manifest_param *p) {
  for (size_t i = 0; i < p->n_fields; i++) {
    const struct manifest_field *f = &p->fields[i];
    if (!is_pow2(f->align) || f->offset % f->align != 0)
      return wrong(c, "field", f->name, "alignment is no power of two, or the offset breaks it");
    if (f->offset > p->size || f->size > p->size - f->offset)
      return wrong(c, "field", f->name, "lies outside of its parameter");
  }
  return true;
}

static bool params_ok(const struct checker *c, const struct manifest_kernel *k) {
  uint64_t end = 0;
  for (size_t i = 0; i < k->n_params; i++) {
    const struct manifest_param *p = &k->params[i];
    /* Parameters stand at multiples of at most 16, see docs/abi.md. */
    if (!is_pow2(p->align) || p->align > (1u << 29) ||
        p->offset % (p->align < 16 ? p->align : 16) != 0)
      return wrong(c, "parameter", p->name, "alignment is no power of two, or the offset breaks it");
    if (p->size == 0 || p->size > MANIFEST_MAX_PARAM_BYTES)
      return wrong(c, "parameter", p->name, "size is not between 1 and 32764");
    if (p->offset < end || p->offset > MANIFEST_MAX_PARAM_BYTES - p->size)
      return wrong(c, "parameter", p->name, "overlaps another one or ends after byte 32764");
    if (!fields_ok(c, p))
      return false;
    end = p->offset + p->size;
  }
  return true;
}

static bool resources_ok(const struct checker *c, const struct manifest_kernel *k) {
  for (size_t i = 0; i < k->n_resources; i++) {
    if (k->resources[i].arch.number == 0)
      return wrong(c, "kernel", k->name, "resources without an architecture");
    for (size_t j = 0; j < i; j++) {
      if (gpu_arch_cmp(k->resources[i].arch, k->resources[j].arch) == 0)
        return wrong(c, "kernel", k->name, "resources for one architecture twice");
    }
  }
  return true;
}

static bool kernel_ok(const struct checker *c, const struct manifest_kernel *k) {
  const char *why = launch_facts_wrong(&k->launch);
  if (k->name.n == 0)
    return wrong(c, "kernel", k->path, "has no name");
  if (why != NULL) {
    struct diag *d = diag_error(c->sink, MD0512, SPAN_NONE, "%.*s: kernel `%.*s`: %s",
                                STR_ARG(c->path), STR_ARG(k->name), why);
    diag_help(d, "change the kernel's attribute");
    return false;
  }
  return params_ok(c, k) && resources_ok(c, k);
}

/* Inserts a name; false (reported) if it is there already. */
static bool once(const struct checker *c, struct map *seen, const char *what, str name) {
  bool fresh;
  (void)map_put(seen, name, &fresh);
  return fresh || wrong(c, what, name, "is there twice");
}

static bool kernels_ok(const struct checker *c, const struct manifest *m) {
  struct map seen = {0};
  bool ok = true;
  for (size_t i = 0; ok && i < m->n_kernels; i++)
    ok = kernel_ok(c, &m->kernels[i]) && once(c, &seen, "kernel", m->kernels[i].name);
  map_free(&seen);
  return ok;
}

static bool globals_ok(const struct checker *c, const struct manifest *m) {
  struct map seen = {0};
  bool ok = true;
  for (size_t i = 0; ok && i < m->n_globals; i++) {
    const struct manifest_global *g = &m->globals[i];
    if (g->name.n == 0 || !is_pow2(g->align))
      ok = wrong(c, "global", g->name, "has no name, or an alignment that is no power of two");
    else
      ok = once(c, &seen, "global", g->name);
  }
  map_free(&seen);
  return ok;
}

static bool lists_ok(const struct checker *c, const struct manifest *m) {
  struct map tools = {0}, sources = {0}, codes = {0};
  bool ok = true;
  for (size_t i = 0; ok && i < m->n_tools; i++)
    ok = once(c, &tools, "tool", m->tools[i].name);
  for (size_t i = 0; ok && i < m->n_sources; i++) {
    str path = m->sources[i].path;
    ok = once(c, &sources, "source", path);
    if (ok && (path.n == 0 || (path.p[0] == '/' && !str_starts(path, STR("/rustc/")))))
      ok = wrong(c, "source", path, "is an absolute path");
  }
  for (size_t i = 0; ok && i < m->n_traps; i++) {
    str key = {(const char *)&m->traps[i].code, sizeof m->traps[i].code};
    bool fresh;
    (void)map_put(&codes, key, &fresh);
    if (!fresh)
      ok = wrong(c, "trap at", m->traps[i].file, "its code is there twice");
  }
  map_free(&tools);
  map_free(&sources);
  map_free(&codes);
  return ok;
}

bool manifest_check(struct diag_sink *s, str path, const struct manifest *m) {
  struct checker c = {s, path};
  if (m->protocol != MANIFEST_PROTOCOL)
    return wrong(&c, "protocol of", m->target, "is not the one this program knows");
  if (m->policy.opt > 3)
    return wrong(&c, "policy of", m->target, "optimisation level above 3");
  return kernels_ok(&c, m) && globals_ok(&c, m) && lists_ok(&c, m);
}
