/* Reads the manifest strictly. Version 1 has neither launch facts nor policy nor traps; what it
 * leaves out has the default values. */
#include "base/json_member.h"
#include "bundles/manifest.h"
#include "bundles/manifest_check.h"

struct reader {
  struct arena *a;
  uint32_t version;
};

static bool read_field(void *context, const struct json_at *at, void *out) {
  struct reader *r = context;
  static const char *const keys[] = {"name", "size", "align", "offset", NULL};
  struct manifest_field *f = out;
  return json_only(at, keys) && json_get_str(at, "name", r->a, &f->name) &&
         json_get_u64(at, "size", UINT64_MAX, &f->size) &&
         json_get_u64(at, "align", UINT64_MAX, &f->align) &&
         json_get_u64(at, "offset", UINT64_MAX, &f->offset);
}

static bool read_param(void *context, const struct json_at *at, void *out) {
  struct reader *r = context;
  static const char *const keys[] = {"name",  "kind",   "type",   "size",
                                     "align", "offset", "fields", NULL};
  struct manifest_param *p = out;
  struct json_at fields;
  unsigned kind;
  void *list;
  if (!json_only(at, keys) || !json_get_str(at, "name", r->a, &p->name) ||
      !json_get_enum(at, "kind", param_kind_names, &kind) ||
      !json_get_str(at, "type", r->a, &p->label) ||
      !json_get_u64(at, "size", UINT64_MAX, &p->size) ||
      !json_get_u64(at, "align", UINT64_MAX, &p->align) ||
      !json_get_u64(at, "offset", UINT64_MAX, &p->offset) || !json_opt(at, "fields", &fields))
    return false;
  p->kind = (enum param_kind)kind;
  if (fields.node == NULL)
    return true;
  if (!json_get_list(at, "fields", r->a, sizeof *p->fields, read_field, r, &list, &p->n_fields))
    return false;
  p->fields = list;
  return true;
}

static bool read_arch(const struct json_at *o, struct gpu_arch *out) {
  struct json_at v;
  str text;
  if (!json_get(o, "arch", &v) || !json_str(&v, &text))
    return false;
  if (gpu_arch_parse(text, out) && str_starts(text, STR("sm_")))
    return true;
  json_error(&v, "expected an architecture such as `sm_90`, found `%.*s`", STR_ARG(text));
  return false;
}

static bool read_resources(void *context, const struct json_at *at, void *out) {
  static const char *const keys[] = {"arch",        "unit",   "registers", "stack", "spill_stores",
                                     "spill_loads", "shared", "const",     "code",  NULL};
  struct manifest_resources *p = out;
  (void)context;
  return json_only(at, keys) && read_arch(at, &p->arch) &&
         json_get_u32(at, "unit", UINT32_MAX, &p->unit) &&
         json_get_u64(at, "registers", UINT64_MAX, &p->registers) &&
         json_get_u64(at, "stack", UINT64_MAX, &p->stack) &&
         json_get_u64(at, "spill_stores", UINT64_MAX, &p->spill_stores) &&
         json_get_u64(at, "spill_loads", UINT64_MAX, &p->spill_loads) &&
         json_get_u64(at, "shared", UINT64_MAX, &p->shared) &&
         json_get_u64(at, "const", UINT64_MAX, &p->constant) &&
         json_get_u64(at, "code", UINT64_MAX, &p->code);
}

static bool read_dims(const struct json_at *v, uint32_t out[3]) {
  struct json_at e;
  size_t n;
  if (!json_len(v, &n))
    return false;
  if (n != 3) {
    json_error(v, "expected three numbers, found %zu", n);
    return false;
  }
  for (size_t i = 0; i < 3; i++) {
    if (!json_elem(v, i, &e) || !json_u32(&e, UINT32_MAX, &out[i]))
      return false;
  }
  return true;
}

static bool read_opt_dims(const struct json_at *o, const char *key, uint32_t flag,
                          struct launch_facts *f, uint32_t out[3]) {
  struct json_at v;
  if (!json_opt(o, key, &v))
    return false;
  if (v.node == NULL)
    return true;
  f->flags |= flag;
  return read_dims(&v, out);
}

static bool read_opt_u32(const struct json_at *o, const char *key, uint32_t flag,
                         struct launch_facts *f, uint32_t *out) {
  struct json_at v;
  if (!json_opt(o, key, &v))
    return false;
  if (v.node == NULL)
    return true;
  f->flags |= flag;
  return json_u32(&v, UINT32_MAX, out);
}

static bool read_launch(const struct json_at *at, struct launch_facts *f) {
  static const char *const keys[] = {"block",      "max_block",        "min_blocks", "cluster",
                                     "dyn_shared", "dyn_shared_align", NULL};
  struct json_at shared;
  if (!json_only(at, keys) || !read_opt_dims(at, "block", LAUNCH_BLOCK, f, f->block) ||
      !read_opt_u32(at, "max_block", LAUNCH_MAX_BLOCK, f, &f->max_block) ||
      !read_opt_u32(at, "min_blocks", LAUNCH_MIN_BLOCKS, f, &f->min_blocks) ||
      !read_opt_dims(at, "cluster", LAUNCH_CLUSTER, f, f->cluster) ||
      !json_opt(at, "dyn_shared", &shared))
    return false;
  if (shared.node != NULL) {
    f->flags |= LAUNCH_DYN_SHARED;
    if (!json_u64(&shared, UINT64_MAX, &f->dyn_shared))
      return false;
    return json_get_u32(at, "dyn_shared_align", UINT32_MAX, &f->dyn_shared_align);
  }
  if (!read_opt_u32(at, "dyn_shared_align", 0, f, &f->dyn_shared_align))
    return false;
  if (f->flags != 0)
    return true;
  json_error(at, "launch facts without a fact");
  return false;
}

static bool read_kernel(void *context, const struct json_at *at, void *out) {
  struct reader *r = context;
  static const char *const keys1[] = {"name", "path", "params", "resources", NULL};
  static const char *const keys2[] = {"name", "path", "params", "launch", "resources", NULL};
  struct manifest_kernel *k = out;
  struct json_at launch;
  void *params, *resources;
  if (!json_only(at, r->version == 1 ? keys1 : keys2) ||
      !json_get_str(at, "name", r->a, &k->name) || !json_get_str(at, "path", r->a, &k->path) ||
      !json_get_list(at, "params", r->a, sizeof *k->params, read_param, r, &params, &k->n_params) ||
      !json_get_list(at, "resources", r->a, sizeof *k->resources, read_resources, r, &resources,
                     &k->n_resources) ||
      !json_opt(at, "launch", &launch))
    return false;
  k->params = params;
  k->resources = resources;
  return launch.node == NULL || read_launch(&launch, &k->launch);
}

static bool read_global(void *context, const struct json_at *at, void *out) {
  struct reader *r = context;
  static const char *const keys[] = {"name", "path", "space", "size", "align", "unit", NULL};
  struct manifest_global *g = out;
  unsigned space;
  if (!json_only(at, keys) || !json_get_str(at, "name", r->a, &g->name) ||
      !json_get_str(at, "path", r->a, &g->path) ||
      !json_get_enum(at, "space", space_names, &space) ||
      !json_get_u64(at, "size", UINT64_MAX, &g->size) ||
      !json_get_u64(at, "align", UINT64_MAX, &g->align) ||
      !json_get_u32(at, "unit", UINT32_MAX, &g->unit))
    return false;
  g->space = (enum global_space)space;
  return true;
}

static bool read_trap(void *context, const struct json_at *at, void *out) {
  struct reader *r = context;
  static const char *const keys[] = {"code", "file", "line", "col", "message", NULL};
  struct manifest_trap *t = out;
  return json_only(at, keys) && json_get_u32(at, "code", UINT32_MAX, &t->code) &&
         json_get_str(at, "file", r->a, &t->file) &&
         json_get_u32(at, "line", UINT32_MAX, &t->line) &&
         json_get_u32(at, "col", UINT32_MAX, &t->col) &&
         json_get_str(at, "message", r->a, &t->message);
}

static bool read_tool(void *context, const struct json_at *at, void *out) {
  struct reader *r = context;
  static const char *const keys[] = {"name", "version", "digest", NULL};
  struct manifest_tool *t = out;
  return json_only(at, keys) && json_get_str(at, "name", r->a, &t->name) &&
         json_get_str(at, "version", r->a, &t->version) &&
         json_get_digest(at, "digest", &t->digest);
}

static bool read_source(void *context, const struct json_at *at, void *out) {
  struct reader *r = context;
  static const char *const keys[] = {"path", "digest", NULL};
  struct manifest_source *f = out;
  return json_only(at, keys) && json_get_str(at, "path", r->a, &f->path) &&
         json_get_digest(at, "digest", &f->digest);
}

static bool read_policy(const struct json_at *root, struct policy *p) {
  static const char *const keys[] = {
      "fmad",      "opt",           "debug", "overflow_checks", "debug_assertions",
      "trap_info", "max_registers", NULL};
  struct json_at at;
  unsigned debug;
  uint32_t opt;
  if (!json_get(root, "policy", &at) || !json_only(&at, keys) ||
      !json_get_bool(&at, "fmad", &p->fmad) || !json_get_u32(&at, "opt", UINT32_MAX, &opt) ||
      !json_get_enum(&at, "debug", debug_names, &debug) ||
      !json_get_bool(&at, "overflow_checks", &p->overflow_checks) ||
      !json_get_bool(&at, "debug_assertions", &p->debug_assertions) ||
      !json_get_bool(&at, "trap_info", &p->trap_info) ||
      !json_get_u32(&at, "max_registers", UINT32_MAX, &p->max_registers))
    return false;
  p->opt = opt;
  p->debug = (enum debug_level)debug;
  return true;
}

static bool read_head(struct reader *r, const struct json_at *root, struct manifest *m) {
  static const char *const keys1[] = {"schema",  "version", "protocol", "package",
                                      "kind",    "target",  "profile",  "kernels",
                                      "globals", "tools",   "sources",  NULL};
  static const char *const keys2[] = {"schema", "version", "protocol", "package", "kind",
                                      "target", "profile", "policy",   "kernels", "globals",
                                      "traps",  "tools",   "sources",  NULL};
  struct json_at v;
  str schema;
  if (!json_only(root, r->version == 1 ? keys1 : keys2) || !json_get(root, "schema", &v) ||
      !json_str(&v, &schema))
    return false;
  if (!str_eqz(schema, "mirdc-manifest")) {
    json_error(&v, "expected `mirdc-manifest`, found `%.*s`", STR_ARG(schema));
    return false;
  }
  if (!json_get(root, "version", &v) || !json_u32(&v, UINT32_MAX, &m->version))
    return false;
  if (m->version != r->version) {
    json_error(&v, "manifest version %u in a bundle of version %u", m->version, r->version);
    return false;
  }
  return json_get_u32(root, "protocol", UINT32_MAX, &m->protocol) &&
         json_get_str(root, "package", r->a, &m->package) &&
         json_get_str(root, "kind", r->a, &m->kind) &&
         json_get_str(root, "target", r->a, &m->target) &&
         json_get_str(root, "profile", r->a, &m->profile);
}

static bool read_lists(struct reader *r, const struct json_at *root, struct manifest *m) {
  void *kernels, *globals, *tools, *sources, *traps = NULL;
  if (!json_get_list(root, "kernels", r->a, sizeof *m->kernels, read_kernel, r, &kernels,
                     &m->n_kernels) ||
      !json_get_list(root, "globals", r->a, sizeof *m->globals, read_global, r, &globals,
                     &m->n_globals) ||
      !json_get_list(root, "tools", r->a, sizeof *m->tools, read_tool, r, &tools, &m->n_tools) ||
      !json_get_list(root, "sources", r->a, sizeof *m->sources, read_source, r, &sources,
                     &m->n_sources))
    return false;
  if (r->version >= 2 &&
      !json_get_list(root, "traps", r->a, sizeof *m->traps, read_trap, r, &traps, &m->n_traps))
    return false;
  m->kernels = kernels;
  m->globals = globals;
  m->tools = tools;
  m->sources = sources;
  m->traps = traps;
  return true;
}

bool manifest_read(struct diag_sink *s, struct arena *a, str text, str path, uint32_t version,
                   struct manifest *out) {
  struct json_text t = {text, path, s, MD0510, MD0511};
  struct reader r = {a, version};
  struct json_doc *doc;
  /* The tree goes with its own arena: only copies stay in the caller's. */
  struct arena tree = {0};
  manifest_init(out);
  bool ok = json_parse_all(&t, &tree, &doc);
  if (ok) {
    struct json_at root = json_root(doc);
    ok = read_head(&r, &root, out) && (version == 1 || read_policy(&root, &out->policy)) &&
         read_lists(&r, &root, out);
  }
  arena_free(&tree);
  return ok && manifest_check(s, path, out);
}
