/* Reads the manifest strictly. Version 1 has neither launch facts nor policy nor traps; what it
 * leaves out has the default values. */
#include "base/json.h"
#include "base/vec.h"
#include "bundles/manifest.h"
#include "bundles/manifest_check.h"

struct reader {
  struct arena *a;
  uint32_t version;
};

static bool get_str(const struct json_at *o, struct arena *a, const char *key, str *out) {
  struct json_at v;
  str text;
  if (!json_get(o, key, &v) || !json_str(&v, &text))
    return false;
  *out = arena_str(a, text);
  return true;
}

static bool get_u64(const struct json_at *o, const char *key, uint64_t *out) {
  struct json_at v;
  return json_get(o, key, &v) && json_u64(&v, UINT64_MAX, out);
}

static bool get_u32(const struct json_at *o, const char *key, uint32_t *out) {
  struct json_at v;
  return json_get(o, key, &v) && json_u32(&v, UINT32_MAX, out);
}

static bool get_bool(const struct json_at *o, const char *key, bool *out) {
  struct json_at v;
  return json_get(o, key, &v) && json_bool(&v, out);
}

static bool get_enum(const struct json_at *o, const char *key, const char *const *names,
                     unsigned *out) {
  struct json_at v;
  return json_get(o, key, &v) && json_enum(&v, names, out);
}

static bool get_digest(const struct json_at *o, struct digest *out) {
  struct json_at v;
  str hex;
  if (!json_get(o, "digest", &v) || !json_str(&v, &hex))
    return false;
  if (digest_from_hex(hex, out))
    return true;
  json_error(&v, "expected a SHA-256 digest of 64 hexadecimal digits");
  return false;
}

/* A list of objects: `one` fills the element that `at` is. */
typedef bool element_fn(struct reader *r, const struct json_at *at, void *out);
static bool read_list(struct reader *r, const struct json_at *o, const char *key, size_t size,
                      element_fn *one, void **list, size_t *n) {
  struct json_at arr, e;
  if (!json_get(o, key, &arr) || !json_len(&arr, n))
    return false;
  char *items = arena_alloc_n(r->a, *n + 1, size, 16);
  *list = items;
  size_t i = 0;
  JSON_EACH(&arr, e) {
    if (!one(r, &e, items + i++ * size))
      return false;
  }
  return true;
}

static bool read_field(struct reader *r, const struct json_at *at, void *out) {
  static const char *const keys[] = {"name", "size", "align", "offset", NULL};
  struct manifest_field *f = out;
  return json_only(at, keys) && get_str(at, r->a, "name", &f->name) &&
         get_u64(at, "size", &f->size) && get_u64(at, "align", &f->align) &&
         get_u64(at, "offset", &f->offset);
}

static bool read_param(struct reader *r, const struct json_at *at, void *out) {
  static const char *const keys[] = {"name",  "kind",   "type",   "size",
                                     "align", "offset", "fields", NULL};
  struct manifest_param *p = out;
  struct json_at fields;
  unsigned kind;
  void *list;
  if (!json_only(at, keys) || !get_str(at, r->a, "name", &p->name) ||
      !get_enum(at, "kind", param_kind_names, &kind) || !get_str(at, r->a, "type", &p->label) ||
      !get_u64(at, "size", &p->size) || !get_u64(at, "align", &p->align) ||
      !get_u64(at, "offset", &p->offset) || !json_opt(at, "fields", &fields))
    return false;
  p->kind = (enum param_kind)kind;
  if (fields.node == NULL)
    return true;
  if (!read_list(r, at, "fields", sizeof *p->fields, read_field, &list, &p->n_fields))
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

static bool read_resources(struct reader *r, const struct json_at *at, void *out) {
  static const char *const keys[] = {"arch",        "unit",   "registers", "stack", "spill_stores",
                                     "spill_loads", "shared", "const",     "code",  NULL};
  struct manifest_resources *p = out;
  (void)r;
  return json_only(at, keys) && read_arch(at, &p->arch) && get_u32(at, "unit", &p->unit) &&
         get_u64(at, "registers", &p->registers) && get_u64(at, "stack", &p->stack) &&
         get_u64(at, "spill_stores", &p->spill_stores) &&
         get_u64(at, "spill_loads", &p->spill_loads) && get_u64(at, "shared", &p->shared) &&
         get_u64(at, "const", &p->constant) && get_u64(at, "code", &p->code);
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
  static const char *const keys[] = {"block",   "max_block",  "min_blocks",
                                     "cluster", "dyn_shared", "dyn_shared_align",
                                     NULL};
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
    return get_u32(at, "dyn_shared_align", &f->dyn_shared_align);
  }
  if (!read_opt_u32(at, "dyn_shared_align", 0, f, &f->dyn_shared_align))
    return false;
  if (f->flags != 0)
    return true;
  json_error(at, "launch facts without a fact");
  return false;
}

static bool read_kernel(struct reader *r, const struct json_at *at, void *out) {
  static const char *const keys1[] = {"name", "path", "params", "resources", NULL};
  static const char *const keys2[] = {"name", "path", "params", "launch", "resources", NULL};
  struct manifest_kernel *k = out;
  struct json_at launch;
  void *params, *resources;
  if (!json_only(at, r->version == 1 ? keys1 : keys2) || !get_str(at, r->a, "name", &k->name) ||
      !get_str(at, r->a, "path", &k->path) ||
      !read_list(r, at, "params", sizeof *k->params, read_param, &params, &k->n_params) ||
      !read_list(r, at, "resources", sizeof *k->resources, read_resources, &resources,
                 &k->n_resources) ||
      !json_opt(at, "launch", &launch))
    return false;
  k->params = params;
  k->resources = resources;
  return launch.node == NULL || read_launch(&launch, &k->launch);
}

static bool read_global(struct reader *r, const struct json_at *at, void *out) {
  static const char *const keys[] = {"name", "path", "space", "size", "align", "unit", NULL};
  struct manifest_global *g = out;
  unsigned space;
  if (!json_only(at, keys) || !get_str(at, r->a, "name", &g->name) ||
      !get_str(at, r->a, "path", &g->path) || !get_enum(at, "space", space_names, &space) ||
      !get_u64(at, "size", &g->size) || !get_u64(at, "align", &g->align) ||
      !get_u32(at, "unit", &g->unit))
    return false;
  g->space = (enum global_space)space;
  return true;
}

static bool read_trap(struct reader *r, const struct json_at *at, void *out) {
  static const char *const keys[] = {"code", "file", "line", "col", "message", NULL};
  struct manifest_trap *t = out;
  return json_only(at, keys) && get_u32(at, "code", &t->code) &&
         get_str(at, r->a, "file", &t->file) && get_u32(at, "line", &t->line) &&
         get_u32(at, "col", &t->col) && get_str(at, r->a, "message", &t->message);
}

static bool read_tool(struct reader *r, const struct json_at *at, void *out) {
  static const char *const keys[] = {"name", "version", "digest", NULL};
  struct manifest_tool *t = out;
  return json_only(at, keys) && get_str(at, r->a, "name", &t->name) &&
         get_str(at, r->a, "version", &t->version) && get_digest(at, &t->digest);
}

static bool read_source(struct reader *r, const struct json_at *at, void *out) {
  static const char *const keys[] = {"path", "digest", NULL};
  struct manifest_source *f = out;
  return json_only(at, keys) && get_str(at, r->a, "path", &f->path) && get_digest(at, &f->digest);
}

static bool read_policy(const struct json_at *root, struct policy *p) {
  static const char *const keys[] = {"fmad",      "opt",           "debug", "overflow_checks",
                                     "debug_assertions", "trap_info", "max_registers", NULL};
  struct json_at at;
  unsigned debug;
  uint32_t opt;
  if (!json_get(root, "policy", &at) || !json_only(&at, keys) ||
      !get_bool(&at, "fmad", &p->fmad) || !get_u32(&at, "opt", &opt) ||
      !get_enum(&at, "debug", debug_names, &debug) ||
      !get_bool(&at, "overflow_checks", &p->overflow_checks) ||
      !get_bool(&at, "debug_assertions", &p->debug_assertions) ||
      !get_bool(&at, "trap_info", &p->trap_info) ||
      !get_u32(&at, "max_registers", &p->max_registers))
    return false;
  p->opt = opt;
  p->debug = (enum debug_level)debug;
  return true;
}

static bool read_head(struct reader *r, const struct json_at *root, struct manifest *m) {
  static const char *const keys1[] = {"schema",  "version", "protocol", "package", "kind",
                                      "target",  "profile", "kernels",  "globals", "tools",
                                      "sources", NULL};
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
  return get_u32(root, "protocol", &m->protocol) && get_str(root, r->a, "package", &m->package) &&
         get_str(root, r->a, "kind", &m->kind) && get_str(root, r->a, "target", &m->target) &&
         get_str(root, r->a, "profile", &m->profile);
}

static bool read_lists(struct reader *r, const struct json_at *root, struct manifest *m) {
  void *kernels, *globals, *tools, *sources, *traps = NULL;
  if (!read_list(r, root, "kernels", sizeof *m->kernels, read_kernel, &kernels, &m->n_kernels) ||
      !read_list(r, root, "globals", sizeof *m->globals, read_global, &globals, &m->n_globals) ||
      !read_list(r, root, "tools", sizeof *m->tools, read_tool, &tools, &m->n_tools) ||
      !read_list(r, root, "sources", sizeof *m->sources, read_source, &sources, &m->n_sources))
    return false;
  if (r->version >= 2 &&
      !read_list(r, root, "traps", sizeof *m->traps, read_trap, &traps, &m->n_traps))
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
