/* allocs, statics, externs and kernels of a dump. */
#include <string.h>

#include "ir/pmir_reader.h"

/* ---- allocs ---- */

static int digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_bytes(struct pm_reader *r, const struct jp_members *m, struct pm_alloc *al) {
  str hex;
  if (!jp_get(&r->j, m, "bytes"))
    return false;
  const char *at = r->j.p;
  if (!jp_str(&r->j, &hex))
    return false;
  if (al->size > SIZE_MAX / 2 || hex.n != al->size * 2)
    return jp_fail_code(&r->j, at, MD0215, "%zu hex digits cannot be %llu bytes", hex.n,
                        (unsigned long long)al->size);
  uint8_t *p = arena_alloc(&r->m->arena, hex.n / 2, 1);
  for (size_t i = 0; i < hex.n; i += 2) {
    int hi = digit(hex.p[i]), lo = digit(hex.p[i + 1]);
    if (hi < 0 || lo < 0)
      return jp_fail(&r->j, at, "expected lower-case hex digits, found `%.*s` at digit %zu",
                     STR_ARG(str_sub(hex, i, i + 2)), i);
    p[i / 2] = (uint8_t)(hi << 4 | lo);
  }
  al->bytes = p;
  return true;
}

static bool read_range(struct pm_reader *r, struct pm_alloc *al, struct pm_range *g) {
  struct json_pull *j = &r->j;
  const char *at = j->p;
  if (!jp_array(j) || !jp_item(j) || !jp_u64(j, &g->lo) || !jp_item(j) || !jp_u64(j, &g->hi) ||
      !jp_close(j))
    return false;
  uint64_t before = al->n_init ? g[-1].hi : 0;
  if (g->lo >= g->hi || g->hi > al->size || g->lo < before)
    return jp_fail_code(j, at, MD0215,
                        "the range is empty, out of order or outside the %llu bytes",
                        (unsigned long long)al->size);
  return true;
}

static bool read_init(struct pm_reader *r, const struct jp_members *m, struct pm_alloc *al) {
  struct json_pull *j = &r->j;
  size_t n;
  if (!jp_has(j, m, "init"))
    return true;
  if (!jp_count(j, &n) || !jp_array(j))
    return false;
  al->init = arena_array(&r->m->arena, struct pm_range, n);
  for (; jp_more(j); al->n_init++)
    if (!read_range(r, al, &al->init[al->n_init]))
      return false;
  return true;
}

static bool check_reloc(struct json_pull *j, const char *at, const struct pm_alloc *al,
                        const struct pm_reloc *x) {
  if (al->n_relocs && x->off < x[-1].off)
    return jp_fail_code(j, at, MD0216, "relocations must be in ascending order");
  if (al->size < 8 || x->off > al->size - 8)
    return jp_fail_code(j, at, MD0216, "8 bytes at %llu are outside the %llu bytes of the allocation",
                        (unsigned long long)x->off, (unsigned long long)al->size);
  if (al->n_relocs && x->off - x[-1].off < 8)
    return jp_fail_code(j, at, MD0216, "it overlaps the relocation before it");
  for (uint64_t i = 0; i < 8; i++)
    if (al->bytes[x->off + i] != 0)
      return jp_fail_code(j, at, MD0216, "the bytes under a relocation must be 00");
  return true;
}

static bool read_reloc(struct pm_reader *r, const struct pm_alloc *al, struct pm_reloc *x) {
  struct json_pull *j = &r->j;
  const char *begin = j->p, *problem;
  str name;
  uint8_t k = 0;
  if (!jp_array(j) || !jp_item(j) || !jp_u64(j, &x->off) || !jp_item(j))
    return false;
  const char *at = j->p;
  if (!jp_str(j, &name) || !jp_item(j) || !jp_u32(j, &x->id))
    return false;
  if (!pm_read_reloc_target(r, name, x->id, &k, &problem))
    return jp_fail_code(j, at, MD0204, "`%.*s` %u %s", STR_ARG(str_sub(name, 0, 40)), x->id,
                        problem);
  x->kind = (enum pm_reloc_kind)k;
  return jp_item(j) && jp_u64(j, &x->add) && jp_close(j) && check_reloc(j, begin, al, x);
}

static bool read_relocs(struct pm_reader *r, const struct jp_members *m, struct pm_alloc *al) {
  struct json_pull *j = &r->j;
  size_t n;
  if (!jp_has(j, m, "relocs"))
    return true;
  if (!jp_count(j, &n) || !jp_array(j))
    return false;
  al->relocs = arena_array(&r->m->arena, struct pm_reloc, n);
  for (; jp_more(j); al->n_relocs++)
    if (!read_reloc(r, al, &al->relocs[al->n_relocs]))
      return false;
  return true;
}

bool pm_read_alloc(struct pm_reader *r, size_t i) {
  static const char *const keys[] = {"size", "align", "bytes", "init", "relocs", "mut", NULL};
  struct pm_alloc *al = &r->m->allocs[i];
  struct jp_members m;
  return jp_read_members(&r->j, keys, &m) && pm_pull_u64(r, &m, "size", &al->size) &&
         pm_pull_u64(r, &m, "align", &al->align) && read_bytes(r, &m, al) &&
         read_init(r, &m, al) && read_relocs(r, &m, al) &&
         (!jp_has(&r->j, &m, "mut") || jp_bool(&r->j, &al->mut));
}

/* ---- statics and externs ---- */

static bool span_of(struct pm_reader *r, const struct json_at *at, pm_loc *out) {
  struct json_at e;
  if (json_opt(at, "span", &e) && !e.node) { /* null is fine, absence is not */
    *out = PM_NONE;
    return json_get(at, "span", &e);
  }
  return pm_get_id(at, "span", r->m->n_spans, "span", out);
}

bool pm_read_static(struct pm_reader *r, const struct json_at *at, size_t i) {
  static const char *const keys[] = {"name",  "symbol",       "ty",   "alloc", "mut",
                                     "space", "host_visible", "span", NULL};
  static const char *const spaces[] = {"global", "shared", "const", NULL};
  struct pm_static *s = &r->m->statics[i];
  struct json_at e;
  unsigned space;
  if (!json_only(at, keys) || !pm_get_str(r, at, "name", &s->name) ||
      !pm_get_str(r, at, "symbol", &s->symbol) ||
      !pm_get_id(at, "ty", r->m->n_types, "type", &s->ty) || !json_get(at, "alloc", &e) ||
      !pm_opt_id(at, "alloc", r->m->n_allocs, "alloc", &s->alloc) ||
      !json_get_bool(at, "mut", &s->mut) || !json_get_enum(at, "space", spaces, &space))
    return false;
  s->space = (enum pm_space)space;
  return json_get_bool(at, "host_visible", &s->host_visible) && span_of(r, at, &s->span);
}

bool pm_read_extern(struct pm_reader *r, const struct json_at *at, size_t i) {
  static const char *const keys[] = {"symbol", "abi", "args", "ret", "noreturn", "span", NULL};
  static const char *const abis[] = {"c", NULL};
  struct pm_extern *x = &r->m->externs[i];
  unsigned abi;
  return json_only(at, keys) && pm_get_str(r, at, "symbol", &x->symbol) &&
         json_get_enum(at, "abi", abis, &abi) && pm_get_types(r, at, "args", &x->args, &x->n_args) &&
         pm_get_id(at, "ret", r->m->n_types, "type", &x->ret) &&
         pm_opt_bool(at, "noreturn", &x->noreturn) && span_of(r, at, &x->span);
}

/* ---- kernels ---- */

static bool read_param(struct pm_reader *r, const struct json_at *at, struct pm_param *p) {
  static const char *const keys[] = {"name", "ty", "pass", "size", "align", "fields", NULL};
  static const char *const field_keys[] = {"name", "off", "size", "align", NULL};
  static const char *const passes[] = {"scalar", "pointer", "slice", "aggregate", "zst", NULL};
  struct json_at list, e;
  unsigned pass;
  size_t len;
  if (!json_only(at, keys) || !pm_get_str(r, at, "name", &p->name) ||
      !pm_get_id(at, "ty", r->m->n_types, "type", &p->ty) ||
      !json_get_enum(at, "pass", passes, &pass) || !json_get_u64(at, "size", UINT64_MAX, &p->size) ||
      !json_get_u64(at, "align", UINT64_MAX, &p->align) || !json_get(at, "fields", &list) ||
      !json_len(&list, &len))
    return false;
  p->pass = (enum pm_pass)pass;
  p->fields = arena_array(&r->m->arena, struct pm_param_field, len);
  JSON_EACH(&list, e) {
    struct pm_param_field *f = &p->fields[p->n_fields++];
    if (!json_only(&e, field_keys) || !pm_get_str(r, &e, "name", &f->name) ||
        !json_get_u64(&e, "off", UINT64_MAX, &f->off) ||
        !json_get_u64(&e, "size", UINT64_MAX, &f->size) ||
        !json_get_u64(&e, "align", UINT64_MAX, &f->align))
      return false;
  }
  return true;
}

static bool sized(const struct json_at *at, size_t n) {
  size_t len;
  if (!json_len(at, &len))
    return false;
  if (len != n)
    json_error(at, "expected %zu elements, found %zu", n, len);
  return len == n;
}

static bool read_dims(const struct json_at *at, const char *key, uint32_t out[3]) {
  struct json_at list, e;
  if (!json_opt(at, key, &list))
    return false;
  if (!list.node)
    return true;
  if (!sized(&list, 3))
    return false;
  for (size_t i = 0; i < 3; i++)
    if (!json_elem(&list, i, &e) || !json_u32(&e, UINT32_MAX, &out[i]))
      return false;
  if (out[0] && out[1] && out[2])
    return true;
  json_error(&list, "a dimension is 0");
  return false;
}

static bool opt_count(const struct json_at *at, const char *key, uint32_t *out) {
  struct json_at e;
  if (!json_opt(at, key, &e) || (e.node && !json_u32(&e, UINT32_MAX, out)))
    return false;
  if (!e.node || *out)
    return true;
  json_error(&e, "0 makes no sense here; leave the member out");
  return false;
}

static bool read_launch(const struct json_at *at, struct pm_launch *l) {
  static const char *const keys[] = {"block",   "max_block",      "min_blocks",
                                     "cluster", "dynamic_shared", NULL};
  static const char *const shared_keys[] = {"bytes", "align", NULL};
  struct json_at e;
  if (!json_only(at, keys) || !read_dims(at, "block", l->block) ||
      !opt_count(at, "max_block", &l->max_block) || !opt_count(at, "min_blocks", &l->min_blocks) ||
      !read_dims(at, "cluster", l->cluster) || !json_opt(at, "dynamic_shared", &e))
    return false;
  if (!e.node)
    return true;
  l->has_dyn_shared = true;
  return json_only(&e, shared_keys) && json_get_u64(&e, "bytes", UINT64_MAX, &l->dyn_shared) &&
         json_get_u32(&e, "align", UINT32_MAX, &l->dyn_shared_align);
}

bool pm_read_kernel(struct pm_reader *r, const struct json_at *at, size_t i) {
  static const char *const keys[] = {"fn",       "name",   "path",   "span",
                                     "protocol", "params", "launch", NULL};
  struct pm_kernel *k = &r->m->kernels[i];
  struct json_at list, e;
  size_t len;
  if (!json_only(at, keys) || !pm_get_id(at, "fn", r->m->n_fns, "fn", &k->fn) ||
      !pm_get_str(r, at, "name", &k->name) || !pm_get_str(r, at, "path", &k->path) ||
      !span_of(r, at, &k->span) || !json_get_u32(at, "protocol", UINT32_MAX, &k->protocol) ||
      !json_get(at, "params", &list) || !json_len(&list, &len))
    return false;
  k->params = arena_array(&r->m->arena, struct pm_param, len);
  JSON_EACH(&list, e) {
    if (!read_param(r, &e, &k->params[k->n_params]))
      return false;
    k->n_params++;
  }
  return json_get(at, "launch", &e) && read_launch(&e, &k->launch);
}

/* An interior-mutable type: its memory changes although the static is not `mut`. */
static bool has_cell(const struct pmir *m, pm_ty ty, unsigned depth) {
  const struct pm_type *t = &m->types[ty];
  if (depth > 32 || str_find(t->name, STR("UnsafeCell"), 0) != SIZE_MAX)
    return true;
  if (t->kind == PM_ARRAY)
    return has_cell(m, t->elem, depth + 1);
  for (uint32_t i = 0; i < t->n_fields; i++)
    if (has_cell(m, t->fields[i].ty, depth + 1))
      return true;
  for (uint32_t v = 0; v < t->n_variants; v++)
    for (uint32_t i = 0; i < t->variants[v].n_fields; i++)
      if (has_cell(m, t->variants[v].fields[i].ty, depth + 1))
        return true;
  return false;
}

bool pm_never_changes(const struct pmir *m, const struct pm_static *s) {
  return !s->mut && !s->host_visible && s->space == PM_GLOBAL && s->alloc != PM_NONE &&
         !m->allocs[s->alloc].mut && !has_cell(m, s->ty, 0);
}
