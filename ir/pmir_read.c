/* Reading prepared MIR: one scan over the text, then one slice after the other. No tree outlives
 * its slice, so memory is that of the form in memory and of the biggest slice. */
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "ir/pmir_check.h"
#include "ir/pmir_reader.h"

static const char *const top_members[] = {"schema", "version", "producer", "target",  "unit",
                                          "files",  "spans",   "types",    "allocs",  "statics",
                                          "externs", "fns",    "kernels",  NULL};
static const char *const optional_members[] = {"requires", "scopes", "natives", "closures", NULL};
/* `spans` is read straight from its text: one slice for each would cost more than the spans. */
static const char *const split[] = {"types", "allocs",  "statics", "externs",
                                    "fns",   "kernels", NULL};

enum { MAX_UNKNOWN = 5 };

/* ---- helpers ---- */

str pm_intern(struct pm_reader *r, str s) {
  if (s.n == 0)
    return (str){"", 0};
  uintptr_t *old = map_get(&r->strings, s);
  if (old)
    return (str){(const char *)*old, s.n};
  str kept = arena_str(&r->m->arena, s);
  *map_put(&r->strings, kept, NULL) = (uintptr_t)kept.p;
  return kept;
}

void *pm_keep(struct pm_reader *r, const void *p, size_t n, size_t size) {
  void *to = arena_alloc_n(&r->m->arena, n, size, 8);
  if (n)
    memcpy(to, p, n * size);
  return to;
}

bool pm_get_str(struct pm_reader *r, const struct json_at *at, const char *key, str *out) {
  struct json_at e;
  if (!json_get(at, key, &e) || !json_str(&e, out))
    return false;
  *out = pm_intern(r, *out);
  return true;
}

bool pm_opt_bool(const struct json_at *at, const char *key, bool *out) {
  struct json_at e;
  *out = false;
  return json_opt(at, key, &e) && (!e.node || json_bool(&e, out));
}

bool pm_id(const struct json_at *at, uint32_t n, const char *what, uint32_t *out) {
  if (!json_u32(at, UINT32_MAX, out))
    return false;
  if (*out < n)
    return true;
  json_error_code(at, MD0204, "there is no %s %u; the file has %u", what, *out, n);
  return false;
}

bool pm_get_id(const struct json_at *at, const char *key, uint32_t n, const char *what,
               uint32_t *out) {
  struct json_at e;
  return json_get(at, key, &e) && pm_id(&e, n, what, out);
}

bool pm_opt_id(const struct json_at *at, const char *key, uint32_t n, const char *what,
               uint32_t *out) {
  struct json_at e;
  *out = PM_NONE;
  return json_opt(at, key, &e) && (!e.node || pm_id(&e, n, what, out));
}

bool pm_get_types(struct pm_reader *r, const struct json_at *at, const char *key, pm_ty **out,
                  uint32_t *n) {
  struct json_at list, e;
  size_t len;
  if (!json_get(at, key, &list) || !json_len(&list, &len))
    return false;
  *out = arena_array(&r->m->arena, pm_ty, len);
  *n = 0;
  JSON_EACH(&list, e) {
    if (!pm_id(&e, r->m->n_types, "type", &(*out)[*n]))
      return false;
    (*n)++;
  }
  return true;
}

bool pm_read_reloc_target(struct pm_reader *r, str kind, uint32_t id, uint8_t *out_kind,
                          const char **problem) {
  const struct {
    const char *name;
    uint8_t kind;
    uint32_t n;
  } rows[] = {{"alloc", PM_TO_ALLOC, r->m->n_allocs},
              {"static", PM_TO_STATIC, r->m->n_statics},
              {"fn", PM_TO_FN, r->m->n_fns},
              {"extern", PM_TO_EXTERN, r->m->n_externs}};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    if (!str_is(kind, rows[i].name))
      continue;
    *out_kind = rows[i].kind;
    *problem = id < rows[i].n ? NULL : "does not exist";
    return id < rows[i].n;
  }
  *problem = "is of an unknown kind; kinds are `alloc`, `static`, `fn`, `extern`";
  return false;
}

/* ---- slices ---- */

static uint32_t count_of(const struct pm_reader *r, const char *name) {
  const struct json_member *m = json_member(&r->o, str_from(name));
  return m ? (uint32_t)m->n_elems : 0;
}

/* "/NAME/I", once for each slice, so not by a format. */
static str pointer_of(struct arena *a, const char *name, size_t i) {
  const size_t n = strlen(name);
  char *p = arena_alloc(a, n + 24, 1), *end = p + n + 24, *at = end;
  do
    *--at = (char)('0' + i % 10);
  while ((i /= 10) > 0);
  *--at = '/';
  at -= n;
  memcpy(at, name, n);
  *--at = '/';
  return (str){at, (size_t)(end - at)};
}

bool pm_read_array(struct pm_reader *r, const char *name, pm_element_reader *read) {
  const struct json_member *m = json_member(&r->o, str_from(name));
  struct arena_mark mark = arena_save(&r->scratch);
  for (size_t i = 0; i < m->n_elems; i++) {
    struct json_doc *d;
    str where = pointer_of(&r->scratch, name, i);
    if (!json_parse(&r->t, m->elems[i], &r->scratch, where, &d))
      return false;
    struct json_at root = json_root(d);
    if (!read(r, &root, i))
      return false;
    arena_rewind(&r->scratch, mark);
  }
  return true;
}

bool pm_pull_array(struct pm_reader *r, const char *name, pm_element_puller *pull) {
  const struct json_member *m = json_member(&r->o, str_from(name));
  struct arena_mark mark = arena_save(&r->scratch);
  for (size_t i = 0; i < m->n_elems; i++) {
    jp_init(&r->j, &r->t, m->elems[i], &r->scratch);
    if (!pull(r, i))
      return false;
    arena_rewind(&r->scratch, mark);
  }
  return true;
}

bool pm_pull_str(struct pm_reader *r, const struct jp_members *m, const char *name, str *out) {
  if (!jp_get(&r->j, m, name) || !jp_str(&r->j, out))
    return false;
  *out = pm_intern(r, *out);
  return true;
}

bool pm_pull_u64(struct pm_reader *r, const struct jp_members *m, const char *name, uint64_t *out) {
  return jp_get(&r->j, m, name) && jp_u64(&r->j, out);
}

bool pm_pull_bool(struct pm_reader *r, const struct jp_members *m, const char *name, bool *out) {
  return jp_get(&r->j, m, name) && jp_bool(&r->j, out);
}

bool pm_pull_enum(struct pm_reader *r, const struct jp_members *m, const char *name,
                  const char *const *values, unsigned *out) {
  return jp_get(&r->j, m, name) && jp_enum(&r->j, values, out);
}

static bool check_split(struct pm_reader *r, const char *name) {
  const struct json_member *m = json_member(&r->o, str_from(name));
  if (m->elems == NULL && r->t.text.p[m->value.lo] != '[') {
    json_error_at(&r->t, r->t.bad_shape, m->value.lo, STR_NULL, "/%s: expected an array", name);
    return false;
  }
  if (m->n_elems < PM_NONE)
    return true;
  json_error_at(&r->t, r->t.bad_shape, m->value.lo, STR_NULL, "/%s: too many elements", name);
  return false;
}

static bool is_listed(str key, const char *const *names) {
  for (size_t k = 0; names[k]; k++)
    if (str_eqz(key, names[k]))
      return true;
  return false;
}

static bool known_members(struct pm_reader *r) {
  unsigned unknown = 0;
  for (size_t i = 0; i < r->o.n && unknown < MAX_UNKNOWN; i++) {
    const struct json_member *m = &r->o.members[i];
    if (is_listed(m->key, top_members) || is_listed(m->key, optional_members))
      continue;
    struct diag *d =
        json_error_at(&r->t, r->t.bad_shape, m->value.lo, STR_NULL,
                      "unknown member `%.*s` at the top level", STR_ARG(str_sub(m->key, 0, 80)));
    diag_help(d, "the members are listed in docs/prepared-mir.md; make the dump again with the "
                 "mirdc-rustc of this mirdc");
    unknown++;
  }
  return unknown == 0;
}

static bool all_members(struct pm_reader *r) {
  for (size_t k = 0; top_members[k]; k++) {
    if (json_member(&r->o, str_from(top_members[k])))
      continue;
    json_error_at(&r->t, r->t.bad_shape, r->t.text.n, STR_NULL,
                  "the member `%s` is missing at the top level", top_members[k]);
    return false;
  }
  for (size_t k = 0; split[k]; k++)
    if (!check_split(r, split[k]))
      return false;
  return true;
}

static void make_room(struct pm_reader *r) {
  struct pmir *m = r->m;
  m->n_types = count_of(r, "types");
  m->n_allocs = count_of(r, "allocs");
  m->n_statics = count_of(r, "statics");
  m->n_externs = count_of(r, "externs");
  m->n_fns = count_of(r, "fns");
  m->n_kernels = count_of(r, "kernels");
  m->types = arena_array(&m->arena, struct pm_type, m->n_types);
  m->allocs = arena_array(&m->arena, struct pm_alloc, m->n_allocs);
  m->statics = arena_array(&m->arena, struct pm_static, m->n_statics);
  m->externs = arena_array(&m->arena, struct pm_extern, m->n_externs);
  m->fns = arena_array(&m->arena, struct pm_func, m->n_fns);
  m->kernels = arena_array(&m->arena, struct pm_kernel, m->n_kernels);
}

static bool read_all(struct pm_reader *r) {
  if (!json_scan(&r->t, &r->scratch, split, &r->o))
    return false;
  if (!pm_read_header(r) || !known_members(r) || !all_members(r))
    return false;
  make_room(r);
  return pm_read_scopes(r) && pm_read_spans(r) && pm_pull_array(r, "types", pm_read_type) &&
         pm_pull_array(r, "allocs", pm_read_alloc) && pm_read_array(r, "statics", pm_read_static) &&
         pm_read_array(r, "externs", pm_read_extern) &&
         pm_read_array(r, "kernels", pm_read_kernel) && pm_read_natives(r) && pm_read_fns(r) &&
         pm_verify(r);
}

static void reader_free(struct pm_reader *r) {
  arena_free(&r->scratch);
  map_free(&r->strings);
  vec_free(&r->ops);
  vec_free(&r->projs);
  vec_free(&r->stmts);
  vec_free(&r->blocks);
  vec_free(&r->cases);
  vec_free(&r->locals);
  vec_free(&r->vars);
  vec_free(&r->ptx_args);
  vec_free(&r->broken);
}

struct pmir *pmir_read(str text, str path, struct diag_sink *sink) {
  struct pmir *m = xmalloc(sizeof *m);
  *m = (struct pmir){0};
  m->path = arena_str(&m->arena, path);
  struct pm_reader r = {.m = m, .t = {text, m->path, sink, MD0200, MD0201}};
  bool ok = read_all(&r);
  reader_free(&r);
  if (ok)
    return m;
  pmir_free(m);
  return NULL;
}

void pmir_free(struct pmir *m) {
  if (!m)
    return;
  arena_free(&m->arena);
  free(m);
}

struct span pm_span_of(const struct pmir *m, pm_loc loc) {
  return loc < m->n_spans ? m->spans[loc].at : SPAN_NONE;
}
