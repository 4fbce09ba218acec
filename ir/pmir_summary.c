/* Counts and kernels of a dump. Names come from the file, so they are escaped for terminals. */
#include "ir/pmir_summary.h"

#include "base/jsonw.h"

static const char *const pass_names[] = {"scalar", "pointer", "slice", "aggregate", "zst"};

struct counts {
  uint64_t blocks, statements, locals, alloc_bytes;
};

static struct counts count(const struct pmir *m) {
  struct counts n = {0};
  for (uint32_t i = 0; i < m->n_fns; i++) {
    n.blocks += m->fns[i].n_blocks;
    n.locals += m->fns[i].n_locals;
    for (uint32_t b = 0; b < m->fns[i].n_blocks; b++)
      n.statements += m->fns[i].blocks[b].n_stmts;
  }
  for (uint32_t i = 0; i < m->n_allocs; i++)
    n.alloc_bytes += m->allocs[i].size;
  return n;
}

/* ---- text ---- */

static const char *on_off(bool v) {
  return v ? "on" : "off";
}

static void text_dims(struct strbuf *out, const char *what, const uint32_t d[3]) {
  if (d[0])
    sb_addf(out, "  %s %u x %u x %u", what, d[0], d[1], d[2]);
}

static void text_launch(const struct pm_launch *l, struct strbuf *out) {
  struct strbuf b = {0};
  text_dims(&b, "block", l->block);
  if (l->max_block)
    sb_addf(&b, "  at most %u threads a block", l->max_block);
  if (l->min_blocks)
    sb_addf(&b, "  at least %u blocks a multiprocessor", l->min_blocks);
  text_dims(&b, "cluster", l->cluster);
  if (l->has_dyn_shared)
    sb_addf(&b, "  dynamic shared memory %llu bytes, aligned to %u",
            (unsigned long long)l->dyn_shared, l->dyn_shared_align);
  if (b.n)
    sb_addf(out, "    launch:%s\n", sb_z(&b) + 1);
  sb_free(&b);
}

static void text_kernel(const struct pmir *m, const struct pm_kernel *k, struct strbuf *out) {
  sb_addz(out, "  ");
  sb_add_visible(out, k->name);
  sb_addz(out, "(");
  for (uint32_t i = 0; i < k->n_params; i++) {
    const struct pm_param *p = &k->params[i];
    sb_addz(out, i ? ", " : "");
    sb_add_visible(out, p->name);
    sb_addz(out, ": ");
    sb_add_visible(out, m->types[p->ty].name);
  }
  sb_addz(out, ")\n");
  for (uint32_t i = 0; i < k->n_params; i++) {
    const struct pm_param *p = &k->params[i];
    sb_addz(out, "    ");
    sb_add_visible(out, p->name);
    sb_addf(out, ": %s, %llu bytes aligned to %llu\n", pass_names[p->pass],
            (unsigned long long)p->size, (unsigned long long)p->align);
  }
  text_launch(&k->launch, out);
}

static uint32_t count_exports(const struct pmir *m) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < m->n_fns; i++)
    n += m->fns[i].export;
  return n;
}

void pmir_summary_text(const struct pmir *m, struct strbuf *out) {
  const struct counts n = count(m);
  sb_addz(out, "unit `");
  sb_add_visible(out, m->unit.crate_name);
  sb_addz(out, "`, edition ");
  sb_add_visible(out, m->unit.edition);
  sb_addz(out, ", opt-level ");
  sb_add_visible(out, m->unit.opt_level);
  sb_addf(out, ", overflow checks %s, debug assertions %s\n", on_off(m->unit.overflow_checks),
          on_off(m->unit.debug_assertions));
  sb_addz(out, "from ");
  sb_add_visible(out, m->tool);
  sb_addz(out, ", rustc ");
  sb_add_visible(out, m->rustc);
  sb_addf(out, "\n%u functions, %llu blocks, %llu statements, %llu locals\n", m->n_fns,
          (unsigned long long)n.blocks, (unsigned long long)n.statements,
          (unsigned long long)n.locals);
  sb_addf(out, "%u types, %u allocs (%llu bytes), %u statics, %u externs, %u spans, %u files\n",
          m->n_types, m->n_allocs, (unsigned long long)n.alloc_bytes, m->n_statics, m->n_externs,
          m->n_spans, m->n_files);
  uint32_t exports = count_exports(m);
  if (exports)
    sb_addf(out, "%u function%s for other device code\n", exports, exports == 1 ? "" : "s");
  sb_addf(out, "%u kernel%s%s\n", m->n_kernels, m->n_kernels == 1 ? "" : "s",
          m->n_kernels ? ":" : "");
  for (uint32_t i = 0; i < m->n_kernels; i++)
    text_kernel(m, &m->kernels[i], out);
}

/* ---- JSON ---- */

static void json_dims(struct jsonw *w, const char *key, const uint32_t d[3]) {
  if (!d[0])
    return;
  jw_key(w, key);
  jw_array(w);
  for (size_t i = 0; i < 3; i++)
    jw_u64(w, d[i]);
  jw_end_array(w);
}

static void json_launch(struct jsonw *w, const struct pm_launch *l) {
  jw_key(w, "launch");
  jw_object(w);
  json_dims(w, "block", l->block);
  if (l->max_block)
    jw_ku64(w, "max_block", l->max_block);
  if (l->min_blocks)
    jw_ku64(w, "min_blocks", l->min_blocks);
  json_dims(w, "cluster", l->cluster);
  if (l->has_dyn_shared) {
    jw_key(w, "dynamic_shared");
    jw_object(w);
    jw_ku64(w, "bytes", l->dyn_shared);
    jw_ku64(w, "align", l->dyn_shared_align);
    jw_end_object(w);
  }
  jw_end_object(w);
}

static void json_param(struct jsonw *w, const struct pmir *m, const struct pm_param *p) {
  jw_object(w);
  jw_kstr(w, "name", p->name);
  jw_kstr(w, "type", m->types[p->ty].name);
  jw_kz(w, "pass", pass_names[p->pass]);
  jw_ku64(w, "size", p->size);
  jw_ku64(w, "align", p->align);
  jw_end_object(w);
}

static void json_kernel(struct jsonw *w, const struct pmir *m, const struct pm_kernel *k) {
  jw_object(w);
  jw_kstr(w, "name", k->name);
  jw_kstr(w, "path", k->path);
  jw_ku64(w, "protocol", k->protocol);
  jw_key(w, "params");
  jw_array(w);
  for (uint32_t i = 0; i < k->n_params; i++)
    json_param(w, m, &k->params[i]);
  jw_end_array(w);
  json_launch(w, &k->launch);
  jw_end_object(w);
}

static void json_counts(struct jsonw *w, const struct pmir *m) {
  const struct counts n = count(m);
  jw_key(w, "counts");
  jw_object(w);
  jw_ku64(w, "functions", m->n_fns);
  jw_ku64(w, "blocks", n.blocks);
  jw_ku64(w, "statements", n.statements);
  jw_ku64(w, "locals", n.locals);
  jw_ku64(w, "types", m->n_types);
  jw_ku64(w, "allocs", m->n_allocs);
  jw_ku64(w, "alloc_bytes", n.alloc_bytes);
  jw_ku64(w, "statics", m->n_statics);
  jw_ku64(w, "externs", m->n_externs);
  jw_ku64(w, "spans", m->n_spans);
  jw_ku64(w, "files", m->n_files);
  jw_end_object(w);
}

static void json_all(struct jsonw *w, const struct pmir *m) {
  jw_object(w);
  jw_kstr(w, "crate", m->unit.crate_name);
  jw_kstr(w, "edition", m->unit.edition);
  jw_kstr(w, "opt_level", m->unit.opt_level);
  jw_kbool(w, "overflow_checks", m->unit.overflow_checks);
  jw_kbool(w, "debug_assertions", m->unit.debug_assertions);
  jw_kstr(w, "tool", m->tool);
  jw_kstr(w, "rustc", m->rustc);
  json_counts(w, m);
  jw_key(w, "kernels");
  jw_array(w);
  for (uint32_t i = 0; i < m->n_kernels; i++)
    json_kernel(w, m, &m->kernels[i]);
  jw_end_array(w);
  jw_end_object(w);
}

void pmir_summary_json(const struct pmir *m, struct strbuf *out) {
  struct jsonw w;
  jw_init(&w, false);
  json_all(&w, m);
  sb_add(out, sb_str(&w.out));
  sb_addc(out, '\n');
  jw_free(&w);
}
