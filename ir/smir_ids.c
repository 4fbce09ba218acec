/* Foreign dumps: rows by the dump's own ids, serde's enums, places in the source. */
#include <string.h>

#include "ir/smir_impl.h"

static str key_of(const uint64_t *id) {
  return (str){(const char *)id, sizeof *id};
}

uint32_t sm_lookup(const struct map *m, uint64_t id) {
  const uintptr_t *v = map_get(m, key_of(&id));
  return v ? (uint32_t)(*v - 1) : SM_NONE;
}

bool sm_insert(struct smir *s, struct map *m, uint64_t id, uint32_t row) {
  if (sm_lookup(m, id) != SM_NONE)
    return false;
  uint64_t *kept = arena_new(&s->a, uint64_t);
  *kept = id;
  *map_put(m, key_of(kept), NULL) = (uintptr_t)row + 1;
  return true;
}

bool sm_variant(const struct json_at *at, str *name, struct json_at *body) {
  *body = (struct json_at){.parent = at, .doc = at->doc};
  if (json_kind(at) == JSON_STRING)
    return json_str(at, name);
  if (json_kind(at) == JSON_OBJECT && json_first(at, body)) {
    struct json_at more = *body;
    *name = body->key;
    if (!json_next(&more))
      return true;
  }
  json_error(at, "expected a name, or an object with one member");
  return false;
}

bool sm_parse(struct smir *s, struct json_slice slice, struct arena *a, str where,
              struct json_at *root) {
  struct json_doc *d;
  if (!json_parse(&s->t, slice, a, where, &d))
    return false;
  *root = json_root(d);
  return true;
}

/* The body of a function or the value of a static. */
bool sm_parse_item(struct smir *s, const struct sm_item *it, struct json_at *root) {
  str where = arena_printf(&s->scratch, "/items/%u/mono_item_kind/%s", it->row,
                           it->kind == SM_FN ? "MonoItemFn/body" : "MonoItemStatic/allocation");
  return sm_parse(s, it->body, &s->scratch, where, root);
}

/* ---- tables ---- */

static bool doubled(struct smir *s, const char *p, const char *what, uint64_t id) {
  json_error_at(&s->t, MD0851, (size_t)(p - s->t.text.p), STR_NULL, "%s %llu is there twice", what,
                (unsigned long long)id);
  return false;
}

/* Rows `[id, …]`. */
static bool read_pairs(struct smir *s, const struct json_member *m, const char *what,
                       struct map *ids) {
  for (size_t i = 0; i < m->n_elems; i++) {
    struct json_pull j;
    uint64_t id;
    jp_init(&j, &s->t, m->elems[i], &s->scratch);
    const char *at = j.p;
    if (!jp_array(&j) || !jp_item(&j) || !jp_u64(&j, &id))
      return false;
    if (!sm_insert(s, ids, id, (uint32_t)i))
      return doubled(s, at, what, id);
  }
  return true;
}

/* Rows `{"alloc_id": id, …}`, or `[id, …]` as older versions write them. */
static bool read_alloc_ids(struct smir *s) {
  for (size_t i = 0; i < s->allocs->n_elems; i++) {
    struct json_pull j;
    str key;
    uint64_t id = 0;
    bool found = false;
    jp_init(&j, &s->t, s->allocs->elems[i], &s->scratch);
    const char *at = j.p;
    if (jp_kind(&j) == JSON_ARRAY) {
      if (!jp_array(&j) || !jp_item(&j) || !jp_u64(&j, &id))
        return false;
      found = true;
    } else {
      if (!jp_object(&j))
        return false;
      while (!found && jp_member(&j, &key)) {
        found = str_eqz(key, "alloc_id");
        if (!found)
          jp_skip(&j);
        else if (!jp_u64(&j, &id))
          return false;
      }
    }
    if (!found)
      return jp_fail(&j, at, "the member `alloc_id` is missing");
    if (!sm_insert(s, &s->alloc_ids, id, (uint32_t)i))
      return doubled(s, at, "allocation", id);
  }
  return true;
}

/* `functions`: [type id, {"NormalSym": symbol}]; with LINK_INST the id stands in a pair. */
static bool read_callees(struct smir *s) {
  for (size_t i = 0; i < s->functions->n_elems; i++) {
    struct json_pull j;
    uint64_t id;
    jp_init(&j, &s->t, s->functions->elems[i], &s->scratch);
    if (!jp_array(&j) || !jp_item(&j))
      return false;
    if (jp_kind(&j) == JSON_ARRAY && (!jp_array(&j) || !jp_item(&j)))
      return false;
    if (!jp_u64(&j, &id))
      return false;
    /* With LINK_INST one type has an entry for each way to reach it; the first one is kept. */
    (void)sm_insert(s, &s->callees, id, (uint32_t)i);
  }
  return true;
}

static void slice_here(struct smir *s, struct json_pull *j, struct json_slice *out) {
  out->lo = (size_t)(j->p - s->t.text.p);
  jp_skip(j);
  out->hi = (size_t)(j->p - s->t.text.p);
}

static bool read_kind(struct smir *s, struct json_pull *j, struct sm_item *it) {
  str key;
  const char *at = j->p;
  if (!jp_object(j) || !jp_member(j, &key))
    return jp_fail(j, at, "expected an object with one member");
  it->kind = str_eqz(key, "MonoItemFn")       ? SM_FN
             : str_eqz(key, "MonoItemStatic") ? SM_STATIC
                                              : SM_ASM;
  if (it->kind == SM_ASM && !str_eqz(key, "MonoItemGlobalAsm"))
    return jp_fail(j, at, "unknown kind of item `%.*s`", STR_ARG(str_sub(key, 0, 80)));
  if (!jp_object(j))
    return false;
  while (jp_member(j, &key)) {
    if (str_eqz(key, "name")) {
      if (!jp_str(j, &it->name))
        return false;
      it->name = arena_str(&s->a, it->name);
    } else if (str_eqz(key, "id")) {
      if (!jp_u64(j, &it->def))
        return false;
    } else if ((str_eqz(key, "body") || str_eqz(key, "allocation")) && jp_kind(j) == JSON_OBJECT) {
      slice_here(s, j, &it->body);
    } else {
      jp_skip(j);
    }
  }
  /* The end of the object with the one member. */
  if (jp_member(j, &key))
    return jp_fail(j, at, "expected an object with one member");
  return true;
}

static bool read_item(struct smir *s, size_t i) {
  struct json_pull j;
  str key;
  struct sm_item *it = arena_new(&s->a, struct sm_item);
  it->pm = SM_NONE;
  it->row = (uint32_t)i;
  it->name = it->symbol = STR("");
  jp_init(&j, &s->t, s->items_m->elems[i], &s->scratch);
  const char *at = j.p;
  if (!jp_object(&j))
    return false;
  while (jp_member(&j, &key)) {
    if (str_eqz(key, "symbol_name")) {
      if (!jp_str(&j, &it->symbol))
        return false;
      it->symbol = arena_str(&s->a, it->symbol);
    } else if (str_eqz(key, "mono_item_kind")) {
      if (!read_kind(s, &j, it))
        return false;
    } else {
      jp_skip(&j);
    }
  }
  vec_push(NULL, &s->items, it);
  bool fresh;
  if (it->symbol.n == 0 && it->kind != SM_ASM)
    return jp_fail(&j, at, "an item without a symbol");
  *map_put(&s->item_symbols, it->symbol, &fresh) = s->items.n;
  if (!fresh && it->kind != SM_ASM)
    return jp_fail(&j, at, "the symbol `%.*s` is there twice",
                   STR_ARG(str_sub(it->symbol, 0, 200)));
  return it->kind != SM_STATIC ||
         sm_insert(s, &s->static_defs, it->def, (uint32_t)s->items.n - 1) ||
         doubled(s, at, "static", it->def);
}

bool sm_read_tables(struct smir *s) {
  if (!read_pairs(s, s->types, "type", &s->type_ids) ||
      !read_pairs(s, s->spans, "span", &s->span_ids) || !read_alloc_ids(s) || !read_callees(s))
    return false;
  for (size_t i = 0; i < s->items_m->n_elems; i++)
    if (!read_item(s, i))
      return false;
  return true;
}

/* ---- spans ---- */

struct place {
  str file;
  uint32_t at[4];
};

static bool read_place(struct smir *s, uint64_t id, struct place *p) {
  uint32_t row = sm_lookup(&s->span_ids, id);
  struct json_pull j;
  uint64_t again;
  if (row == SM_NONE)
    return false;
  jp_init(&j, &s->t, s->spans->elems[row], &s->scratch);
  j.t = &s->t;
  if (!jp_array(&j) || !jp_item(&j) || !jp_u64(&j, &again) || !jp_item(&j) || !jp_array(&j) ||
      !jp_item(&j) || !jp_str(&j, &p->file))
    return false;
  for (int i = 0; i < 4; i++)
    if (!jp_item(&j) || !jp_u32(&j, &p->at[i]))
      return false;
  bool backwards = p->at[2] < p->at[0] || (p->at[2] == p->at[0] && p->at[3] < p->at[1]);
  return p->at[0] != 0 && !backwards && !str_eqz(p->file, "no-location");
}

bool sm_span_in_library(struct smir *s, uint64_t id) {
  struct place p;
  return read_place(s, id, &p) && str_starts(sm_file_name(s, p.file), STR("library/"));
}

uint32_t sm_span(struct smir *s, uint64_t id) {
  struct place p;
  uint32_t known = sm_lookup(&s->span_numbers, id);
  if (known != SM_NONE)
    return known;
  if (!read_place(s, id, &p))
    return SM_NONE;
  str file = sm_file_name(s, p.file);
  bool fresh;
  uintptr_t *n = map_put(&s->file_numbers, file, &fresh);
  if (fresh) {
    *n = s->n_files++;
    jw_object(&s->files);
    jw_kstr(&s->files, "path", file);
    jw_end_object(&s->files);
  }
  jw_array(&s->spans_w);
  jw_u64(&s->spans_w, *n);
  for (int i = 0; i < 4; i++)
    jw_u64(&s->spans_w, p.at[i]);
  jw_end_array(&s->spans_w);
  (void)sm_insert(s, &s->span_numbers, id, s->n_spans);
  return s->n_spans++;
}

static struct span source_span(struct smir *s, uint64_t id) {
  struct place p;
  if (!read_place(s, id, &p) || !s->sink->sources)
    return SPAN_NONE;
  return (struct span){source_file_id(s->sink->sources, sm_file_name(s, p.file)), p.at[0], p.at[1],
                       p.at[2], p.at[3]};
}

struct diag *sm_error(struct smir *s, enum diag_code c, const char *fmt, ...) {
  struct strbuf b = {0};
  va_list ap;
  va_start(ap, fmt);
  sb_vaddf(&b, fmt, ap);
  va_end(ap);
  /* The place in the user's own code from which this was reached. */
  uint64_t at = s->at_span;
  const struct sm_item *it = s->at;
  size_t guard = 0;
  while (it && it->from && sm_span_in_library(s, at) && guard++ < 10000) {
    at = it->from_span;
    it = it->from;
  }
  struct diag *d =
      diag_error(s->sink, c, s->at ? source_span(s, at) : SPAN_NONE, "%.*s", STR_ARG(sb_str(&b)));
  sb_free(&b);
  if (!s->at)
    return d;
  diag_note(d, "in `%.*s`", STR_ARG(s->at->name));
  for (it = s->at; it->from && guard < 20000; it = it->from)
    guard++;
  if (it->root)
    diag_note(d, "in %s `%.*s`", it->root->kernel ? "kernel" : "function", STR_ARG(it->root->name));
  return d;
}
