/* Writes the manifest: compact JSON in one fixed order. */
#include <stdlib.h>

#include "base/jsonw.h"
#include "bundles/manifest.h"
#include "bundles/manifest_check.h"

/* Lists are written sorted, so that equal contents make equal bytes; the caller's arrays stay as
 * they are, and pointers into them are sorted instead. */
typedef int compare_fn(const void *, const void *);

static const void **sorted(struct arena *a, const void *base, size_t n, size_t size,
                           compare_fn *compare) {
  const void **p = arena_array(a, const void *, n + 1);
  for (size_t i = 0; i < n; i++)
    p[i] = (const char *)base + i * size;
  if (n > 1)
    qsort(p, n, sizeof *p, compare);
  return p;
}

#define COMPARE_BY_STR(fn, T, member)                                                              \
  static int fn(const void *x, const void *y) {                                                    \
    const T *const *a = x, *const *b = y;                                                          \
    return str_cmp((*a)->member, (*b)->member);                                                    \
  }
COMPARE_BY_STR(by_kernel, struct manifest_kernel, name)
COMPARE_BY_STR(by_global, struct manifest_global, name)
COMPARE_BY_STR(by_tool, struct manifest_tool, name)
COMPARE_BY_STR(by_source, struct manifest_source, path)

static int by_trap(const void *x, const void *y) {
  const struct manifest_trap *const *a = x, *const *b = y;
  return (*a)->code < (*b)->code ? -1 : (*a)->code > (*b)->code;
}

static int by_arch(const void *x, const void *y) {
  const struct manifest_resources *const *a = x, *const *b = y;
  return gpu_arch_cmp((*a)->arch, (*b)->arch);
}

static void write_launch(struct jsonw *w, const struct launch_facts *f) {
  jw_key(w, "launch");
  jw_object(w);
  if ((f->flags & LAUNCH_BLOCK) != 0)
    jw_kdims(w, "block", f->block);
  if ((f->flags & LAUNCH_MAX_BLOCK) != 0)
    jw_ku64(w, "max_block", f->max_block);
  if ((f->flags & LAUNCH_MIN_BLOCKS) != 0)
    jw_ku64(w, "min_blocks", f->min_blocks);
  if ((f->flags & LAUNCH_CLUSTER) != 0)
    jw_kdims(w, "cluster", f->cluster);
  if ((f->flags & LAUNCH_DYN_SHARED) != 0) {
    jw_ku64(w, "dyn_shared", f->dyn_shared);
    jw_ku64(w, "dyn_shared_align", f->dyn_shared_align);
  }
  jw_end_object(w);
}

static void write_param(struct jsonw *w, const struct manifest_param *p) {
  jw_object(w);
  jw_kstr(w, "name", p->name);
  jw_kz(w, "kind", param_kind_name(p->kind));
  jw_kstr(w, "type", p->label);
  jw_ku64(w, "size", p->size);
  jw_ku64(w, "align", p->align);
  jw_ku64(w, "offset", p->offset);
  if (p->n_fields > 0) {
    jw_key(w, "fields");
    jw_array(w);
    for (size_t i = 0; i < p->n_fields; i++) {
      jw_object(w);
      jw_kstr(w, "name", p->fields[i].name);
      jw_ku64(w, "size", p->fields[i].size);
      jw_ku64(w, "align", p->fields[i].align);
      jw_ku64(w, "offset", p->fields[i].offset);
      jw_end_object(w);
    }
    jw_end_array(w);
  }
  jw_end_object(w);
}

static void write_resources(struct jsonw *w, struct arena *a, const struct manifest_resources *r) {
  jw_object(w);
  jw_kstr(w, "arch", gpu_arch_str(a, r->arch));
  jw_ku64(w, "unit", r->unit);
  jw_ku64(w, "registers", r->registers);
  jw_ku64(w, "stack", r->stack);
  jw_ku64(w, "spill_stores", r->spill_stores);
  jw_ku64(w, "spill_loads", r->spill_loads);
  jw_ku64(w, "shared", r->shared);
  jw_ku64(w, "const", r->constant);
  jw_ku64(w, "code", r->code);
  jw_end_object(w);
}

static void write_kernel(struct jsonw *w, struct arena *a, const struct manifest_kernel *k) {
  jw_object(w);
  jw_kstr(w, "name", k->name);
  jw_kstr(w, "path", k->path);
  jw_key(w, "params");
  jw_array(w);
  for (size_t i = 0; i < k->n_params; i++)
    write_param(w, &k->params[i]);
  jw_end_array(w);
  if (k->launch.flags != 0)
    write_launch(w, &k->launch);
  const void **r = sorted(a, k->resources, k->n_resources, sizeof *k->resources, by_arch);
  jw_key(w, "resources");
  jw_array(w);
  for (size_t i = 0; i < k->n_resources; i++)
    write_resources(w, a, r[i]);
  jw_end_array(w);
  jw_end_object(w);
}

static void write_policy(struct jsonw *w, const struct policy *p) {
  jw_key(w, "policy");
  jw_object(w);
  jw_kbool(w, "fmad", p->fmad);
  jw_ku64(w, "opt", p->opt);
  jw_kz(w, "debug", debug_names[p->debug]);
  jw_kbool(w, "overflow_checks", p->overflow_checks);
  jw_kbool(w, "debug_assertions", p->debug_assertions);
  jw_kbool(w, "trap_info", p->trap_info);
  jw_ku64(w, "max_registers", p->max_registers);
  jw_end_object(w);
}

static void write_globals(struct jsonw *w, struct arena *a, const struct manifest *m) {
  const void **p = sorted(a, m->globals, m->n_globals, sizeof *m->globals, by_global);
  jw_key(w, "globals");
  jw_array(w);
  for (size_t i = 0; i < m->n_globals; i++) {
    const struct manifest_global *g = p[i];
    jw_object(w);
    jw_kstr(w, "name", g->name);
    jw_kstr(w, "path", g->path);
    jw_kz(w, "space", space_names[g->space]);
    jw_ku64(w, "size", g->size);
    jw_ku64(w, "align", g->align);
    jw_ku64(w, "unit", g->unit);
    jw_end_object(w);
  }
  jw_end_array(w);
}

static void write_traps(struct jsonw *w, struct arena *a, const struct manifest *m) {
  const void **p = sorted(a, m->traps, m->n_traps, sizeof *m->traps, by_trap);
  jw_key(w, "traps");
  jw_array(w);
  for (size_t i = 0; i < m->n_traps; i++) {
    const struct manifest_trap *t = p[i];
    jw_object(w);
    jw_ku64(w, "code", t->code);
    jw_kstr(w, "file", t->file);
    jw_ku64(w, "line", t->line);
    jw_ku64(w, "col", t->col);
    jw_kstr(w, "message", t->message);
    jw_end_object(w);
  }
  jw_end_array(w);
}

static void write_origins(struct jsonw *w, struct arena *a, const struct manifest *m) {
  const void **p = sorted(a, m->tools, m->n_tools, sizeof *m->tools, by_tool);
  jw_key(w, "tools");
  jw_array(w);
  for (size_t i = 0; i < m->n_tools; i++) {
    const struct manifest_tool *t = p[i];
    jw_object(w);
    jw_kstr(w, "name", t->name);
    jw_kstr(w, "version", t->version);
    jw_kdigest(w, "digest", &t->digest);
    jw_end_object(w);
  }
  jw_end_array(w);
  p = sorted(a, m->sources, m->n_sources, sizeof *m->sources, by_source);
  jw_key(w, "sources");
  jw_array(w);
  for (size_t i = 0; i < m->n_sources; i++) {
    const struct manifest_source *f = p[i];
    jw_object(w);
    jw_kstr(w, "path", f->path);
    jw_kdigest(w, "digest", &f->digest);
    jw_end_object(w);
  }
  jw_end_array(w);
}

static void write_kernels(struct jsonw *w, struct arena *a, const struct manifest *m) {
  const void **k = sorted(a, m->kernels, m->n_kernels, sizeof *m->kernels, by_kernel);
  jw_key(w, "kernels");
  jw_array(w);
  for (size_t i = 0; i < m->n_kernels; i++) {
    struct arena_mark mark = arena_save(a);
    write_kernel(w, a, k[i]);
    arena_rewind(a, mark);
  }
  jw_end_array(w);
}

bool manifest_write(struct diag_sink *s, const struct manifest *m, struct strbuf *out) {
  uint32_t version = manifest_version_needed(m);
  if (!manifest_check(s, STR("(new bundle)"), m))
    return false;
  struct arena a = {0};
  struct jsonw w;
  jw_init(&w, false);
  jw_object(&w);
  jw_kz(&w, "schema", "mirdc-manifest");
  jw_ku64(&w, "version", version);
  jw_ku64(&w, "protocol", m->protocol);
  jw_kstr(&w, "package", m->package);
  jw_kstr(&w, "kind", m->kind);
  jw_kstr(&w, "target", m->target);
  jw_kstr(&w, "profile", m->profile);
  if (version >= 2)
    write_policy(&w, &m->policy);
  write_kernels(&w, &a, m);
  write_globals(&w, &a, m);
  if (version >= 2)
    write_traps(&w, &a, m);
  write_origins(&w, &a, m);
  jw_end_object(&w);
  sb_add(out, sb_str(&w.out));
  jw_free(&w);
  arena_free(&a);
  return true;
}
