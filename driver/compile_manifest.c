/* The manifest of a bundle: what the dump, the lowering and the cubins say, put together. */
#include <string.h>

#include "bundles/manifest.h"
#include "driver/compile.h"

static struct launch_facts facts_of(const struct pm_launch *l) {
  struct launch_facts f = {0};
  if (l->block[0]) {
    f.flags |= LAUNCH_BLOCK;
    memcpy(f.block, l->block, sizeof f.block);
  }
  if (l->max_block) {
    f.flags |= LAUNCH_MAX_BLOCK;
    f.max_block = l->max_block;
  }
  if (l->min_blocks) {
    f.flags |= LAUNCH_MIN_BLOCKS;
    f.min_blocks = l->min_blocks;
  }
  if (l->cluster[0]) {
    f.flags |= LAUNCH_CLUSTER;
    memcpy(f.cluster, l->cluster, sizeof f.cluster);
  }
  if (l->has_dyn_shared) {
    f.flags |= LAUNCH_DYN_SHARED;
    f.dyn_shared = l->dyn_shared;
    f.dyn_shared_align = l->dyn_shared_align ? l->dyn_shared_align : 16;
  }
  return f;
}

static enum param_kind kind_of(enum pm_pass p) {
  switch (p) {
  case PM_PASS_SCALAR:
    return PARAM_SCALAR;
  case PM_PASS_POINTER:
    return PARAM_POINTER;
  case PM_PASS_SLICE:
    return PARAM_SLICE;
  case PM_PASS_AGGREGATE:
  case PM_PASS_ZST:
    break;
  }
  return PARAM_AGGREGATE;
}

static void fields(struct arena *a, const struct pm_param *p, struct manifest_param *out) {
  out->fields = arena_array(a, struct manifest_field, p->n_fields);
  out->n_fields = p->n_fields;
  for (uint32_t i = 0; i < p->n_fields; i++)
    out->fields[i] = (struct manifest_field){p->fields[i].name, p->fields[i].off, p->fields[i].size,
                                             p->fields[i].align};
}

/* A slice takes two of the entry's parameters, everything else one; zero-sized ones take none. */
static void params(struct compile *c, const struct pm_kernel *k, const struct lower_kernel *lk,
                   struct manifest_kernel *out) {
  out->params = arena_array(c->arena, struct manifest_param, k->n_params);
  uint32_t at = 0;
  for (uint32_t i = 0; i < k->n_params; i++) {
    const struct pm_param *p = &k->params[i];
    if (p->pass == PM_PASS_ZST)
      continue;
    struct manifest_param *m = &out->params[out->n_params++];
    *m = (struct manifest_param){.name = p->name,
                                 .kind = kind_of(p->pass),
                                 .size = p->size,
                                 .align = p->align,
                                 .offset = lk->params[at].off,
                                 .label = c->m->types[p->ty].name};
    if (p->pass == PM_PASS_AGGREGATE)
      fields(c->arena, p, m);
    at += p->pass == PM_PASS_SLICE ? 2 : 1;
  }
}

static uint64_t known(uint32_t v) {
  return v == CUBIN_UNKNOWN ? 0 : v;
}

static void resources(struct compile *c, struct built_unit *u, struct manifest_kernel *out) {
  out->resources = arena_array(c->arena, struct manifest_resources, c->n_archs);
  for (size_t i = 0; i < c->n_archs; i++) {
    const struct cubin_kernel *k = cubin_kernel(&u->cubins[i].report.cubin, out->name);
    if (!k)
      continue;
    uint64_t constant = 0;
    for (size_t b = 0; b < COUNT_OF(k->const_bank); b++)
      constant += k->const_bank[b];
    out->resources[out->n_resources++] =
        (struct manifest_resources){.arch = {c->archs[i].cc, c->archs[i].suffix},
                                    .unit = u->number,
                                    .registers = known(k->registers),
                                    .stack = known(k->frame_bytes),
                                    .spill_stores = k->local_store_bytes,
                                    .spill_loads = k->local_load_bytes,
                                    .shared = known(k->shared_static),
                                    .constant = constant,
                                    .code = k->code_size};
  }
}

static void kernels(struct compile *c, struct manifest *m) {
  m->kernels = arena_array(c->arena, struct manifest_kernel, c->m->n_kernels);
  for (uint32_t n = 0; n < c->units.n; n++) {
    struct built_unit *u = &c->built[n];
    for (uint32_t i = 0; i < u->lowered.n_kernels; i++) {
      const struct lower_kernel *lk = &u->lowered.kernels[i];
      const struct pm_kernel *k = &c->m->kernels[lk->index];
      struct manifest_kernel *out = &m->kernels[m->n_kernels++];
      *out = (struct manifest_kernel){
          .name = k->name, .path = k->path, .launch = facts_of(&k->launch)};
      params(c, k, lk, out);
      resources(c, u, out);
    }
  }
}

static void globals(struct compile *c, struct manifest *m) {
  size_t total = 0;
  for (uint32_t n = 0; n < c->units.n; n++)
    total += c->built[n].lowered.n_globals;
  m->globals = arena_array(c->arena, struct manifest_global, total);
  for (uint32_t n = 0; n < c->units.n; n++)
    for (uint32_t i = 0; i < c->built[n].lowered.n_globals; i++) {
      const struct lower_global *g = &c->built[n].lowered.globals[i];
      m->globals[m->n_globals++] =
          (struct manifest_global){.name = g->symbol,
                                   .path = g->name,
                                   .space = g->space == PM_CONST ? SPACE_CONST : SPACE_GLOBAL,
                                   .size = g->size,
                                   .align = g->align,
                                   .unit = n};
    }
}

/* Codes count over the whole dump, so one that occurs in two units means the same in both. */
static void traps(struct compile *c, struct manifest *m) {
  if (!c->trap_info)
    return;
  size_t total = 0;
  for (uint32_t n = 0; n < c->units.n; n++)
    total += c->built[n].lowered.n_traps;
  m->traps = arena_array(c->arena, struct manifest_trap, total);
  struct map seen = {0};
  for (uint32_t n = 0; n < c->units.n; n++)
    for (uint32_t i = 0; i < c->built[n].lowered.n_traps; i++) {
      const struct lower_trap *t = &c->built[n].lowered.traps[i];
      str key = arena_printf(c->arena, "%u", t->code);
      bool fresh;
      map_put(&seen, key, &fresh);
      if (fresh)
        m->traps[m->n_traps++] = (struct manifest_trap){.code = t->code,
                                                        .file = t->file,
                                                        .line = t->line,
                                                        .col = t->col,
                                                        .message = t->message};
    }
  map_free(&seen);
}

static void sources(struct compile *c, struct manifest *m) {
  m->sources = arena_array(c->arena, struct manifest_source, c->m->n_files);
  for (uint32_t i = 0; i < c->m->n_files; i++) {
    const struct pm_file *f = &c->m->files[i];
    struct digest d;
    if (f->sha256.n && digest_from_hex(f->sha256, &d))
      m->sources[m->n_sources++] = (struct manifest_source){f->path, d};
  }
}

static void tools(struct compile *c, struct manifest *m) {
  str cuda = cuda_toolkit_version(c->cuda);
  struct digest rustc = hash_of(c->m->rustc.p, c->m->rustc.n);
  struct manifest_tool list[] = {
      {STR("libnvvm"), cuda, c->nvvm_digest},
      {STR("libdevice"), cuda, c->libdevice_digest},
      {STR("libnvJitLink"), cuda, c->nvjitlink_digest},
      {STR("mirdc"), STR(MIRDC_VERSION), hash_of(MIRDC_VERSION, strlen(MIRDC_VERSION))},
      {STR("rustc"), c->m->rustc, rustc},
  };
  m->tools = arena_array(c->arena, struct manifest_tool, COUNT_OF(list));
  memcpy(m->tools, list, sizeof list);
  m->n_tools = COUNT_OF(list);
}

const struct manifest *compile_manifest(struct compile *c) {
  if (c->manifest)
    return c->manifest;
  struct manifest *m = arena_new(c->arena, struct manifest);
  manifest_init(m);
  for (uint32_t k = 0; k < c->m->n_kernels; k++)
    if (c->m->kernels[k].protocol)
      m->protocol = c->m->kernels[k].protocol;
  m->package = c->unit.package;
  m->kind = str_from(unit_kind_name(c->unit.kind));
  m->target = c->unit.target;
  m->profile = c->unit.profile;
  m->policy.fmad = c->fmad;
  m->policy.opt = c->opt;
  m->policy.debug = c->debug ? DEBUG_FULL : c->line_info ? DEBUG_LINES : DEBUG_NONE;
  m->policy.overflow_checks = c->m->unit.overflow_checks;
  m->policy.debug_assertions = c->m->unit.debug_assertions;
  m->policy.trap_info = c->trap_info;
  m->policy.max_registers = c->max_registers;
  kernels(c, m);
  globals(c, m);
  traps(c, m);
  sources(c, m);
  tools(c, m);
  c->manifest = m;
  return m;
}
