/* What a finished compilation tells its user: kernels, parameters, launch facts, resources, times.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/jsonw.h"
#include "bundles/manifest.h"
#include "driver/compile.h"

static void add_facts(struct strbuf *b, const struct launch_facts *f) {
  if (f->flags & LAUNCH_BLOCK)
    sb_addf(b, " block %ux%ux%u", f->block[0], f->block[1], f->block[2]);
  if (f->flags & LAUNCH_MAX_BLOCK)
    sb_addf(b, " at most %u threads", f->max_block);
  if (f->flags & LAUNCH_MIN_BLOCKS)
    sb_addf(b, " min blocks %u", f->min_blocks);
  if (f->flags & LAUNCH_CLUSTER)
    sb_addf(b, " cluster %ux%ux%u", f->cluster[0], f->cluster[1], f->cluster[2]);
  if (f->flags & LAUNCH_DYN_SHARED)
    sb_addf(b, " dynamic shared %" PRIu64 " B", f->dyn_shared);
}

static void kernel_text(struct compile *c, const struct manifest_kernel *k) {
  struct strbuf b = {0};
  sb_addf(&b, "kernel %.*s(", STR_ARG(k->name));
  for (size_t i = 0; i < k->n_params; i++) {
    sb_addf(&b, "%s", i ? ", " : "");
    sb_add_visible(&b, k->params[i].name);
    sb_addz(&b, ": ");
    sb_add_visible(&b, k->params[i].label);
  }
  sb_addz(&b, ")");
  add_facts(&b, &k->launch);
  sb_addc(&b, '\n');
  for (size_t i = 0; i < k->n_resources; i++) {
    const struct manifest_resources *r = &k->resources[i];
    sb_addf(&b,
            "  %s: registers %" PRIu64 ", stack %" PRIu64 " B, shared %" PRIu64
            " B, constant %" PRIu64 " B, code %" PRIu64 " B\n",
            target_sm((struct target){r->arch.number, r->arch.suffix}).z, r->registers, r->stack,
            r->shared, r->constant, r->code);
  }
  session_say(c->s, "%s", sb_z(&b));
  sb_free(&b);
}

static double ms(uint64_t ns) {
  return (double)ns / 1e6;
}

static void times_text(struct compile *c) {
  const struct compile_times *t = &c->times;
  session_say(c->s,
              "time: total %.1f ms (pass %.1f ms, read %.1f ms, lower %.1f ms, libNVVM %.1f ms, "
              "link %.1f ms, write %.1f ms; middle three summed over %u threads)\n",
              ms(t->total), ms(t->pass), ms(t->read), ms(t->lower), ms(t->nvvm), ms(t->link),
              ms(t->write), c->jobs < c->units.n ? c->jobs : c->units.n);
}

static void library_text(struct compile *c, enum cuda_part p) {
  struct cuda_location at = cuda_locate(c->cuda, p);
  if (at.path)
    session_say(c->s, "%s: %s (%s)\n", cuda_part_name(p), at.path, at.how);
}

/* For -v: which libraries, and what each of them was asked to make. */
static void origins_text(struct compile *c) {
  bool link = c->emit[ART_CUBIN] || c->emit[ART_BUNDLE] || c->emit[ART_PTX];
  if (link || c->emit[ART_LTOIR])
    library_text(c, CUDA_NVVM);
  if (link)
    library_text(c, CUDA_NVJITLINK);
  if (link && c->natives)
    library_text(c, CUDA_NVRTC);
  compile_native_report(c);
  for (uint32_t n = 0; n < c->units.n; n++) {
    const struct built_unit *u = &c->built[n];
    if (!u->ltoir.n)
      continue;
    struct strbuf b = {0};
    sb_addf(&b, "link unit %u: LTO-IR %s", n, u->ltoir_cached ? "from the cache" : "made");
    for (size_t i = 0; i < c->n_archs; i++) {
      if (u->cubins[i].bytes.n)
        sb_addf(&b, ", cubin for %s %s", target_sm(c->archs[i]).z,
                u->cubins[i].cached ? "from the cache" : "linked");
      if (u->ptxs[i].bytes.n)
        sb_addf(&b, ", PTX for %s linked", target_sm(c->archs[i]).z);
    }
    session_say(c->s, "%s\n", sb_z(&b));
    sb_free(&b);
  }
}

/* One line of JSON for tools, after the diagnostics. */
static void json_line(struct compile *c) {
  struct jsonw w;
  jw_init(&w, false);
  jw_object(&w);
  jw_kz(&w, "$message_type", "compiled");
  jw_kstr(&w, "target", c->unit.target);
  jw_ku64(&w, "kernels", c->m->n_kernels);
  jw_ku64(&w, "link_units", c->units.n);
  jw_key(&w, "time_us");
  jw_object(&w);
  jw_ku64(&w, "total", c->times.total / 1000);
  jw_ku64(&w, "pass", c->times.pass / 1000);
  jw_ku64(&w, "read", c->times.read / 1000);
  jw_ku64(&w, "native", c->times.native / 1000);
  jw_ku64(&w, "lower", c->times.lower / 1000);
  jw_ku64(&w, "nvvm", c->times.nvvm / 1000);
  jw_ku64(&w, "link", c->times.link / 1000);
  jw_ku64(&w, "write", c->times.write / 1000);
  jw_end_object(&w);
  jw_end_object(&w);
  printf("%s\n", sb_z(&w.out));
  jw_free(&w);
}

void compile_report(struct compile *c) {
  if (c->s->json) {
    json_line(c);
    return;
  }
  bool linked = c->emit[ART_CUBIN] || c->emit[ART_BUNDLE];
  const struct manifest *m = linked ? compile_manifest(c) : NULL;
  for (size_t i = 0; m && i < m->n_kernels; i++)
    kernel_text(c, &m->kernels[i]);
  if (c->s->verbose)
    origins_text(c);
  if (option_given(&c->s->options, OPT_TIME) || c->s->verbose)
    times_text(c);
}
