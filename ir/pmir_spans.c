/* `scopes` and `spans`: the most numerous parts of a dump, so they are read straight from the text. */
#include "ir/pmir_reader.h"

static bool read_range(struct pm_reader *r, struct span *s) {
  struct json_pull *j = &r->j;
  uint32_t file;
  if (!jp_array(j) || !jp_item(j))
    return false;
  const char *at = j->p;
  if (!pm_pull_id(r, r->m->n_files, "file", &file) || !jp_item(j) || !jp_u32(j, &s->line0) ||
      !jp_item(j) || !jp_u32(j, &s->col0) || !jp_item(j) || !jp_u32(j, &s->line1) || !jp_item(j) ||
      !jp_u32(j, &s->col1))
    return false;
  s->file = r->m->files[file].source;
  if (s->line0 && (s->line1 < s->line0 || (s->line1 == s->line0 && s->col1 < s->col0)))
    return jp_fail(j, at, "the range ends before it begins");
  return true;
}

/* Number and name, or null twice: a span that is only here for its scope. */
static bool read_inlined(struct pm_reader *r, struct pm_span *s) {
  struct json_pull *j = &r->j;
  str name;
  if (jp_null(j)) {
    if (!jp_item(j))
      return false;
    const char *at = j->p;
    return jp_null(j) || jp_fail(j, at, "a name, but no place that it was inlined into");
  }
  if (!jp_u32(j, &s->inlined_at) || !jp_item(j) || !jp_str(j, &name))
    return false;
  s->inlined_fn = pm_intern(r, name);
  return true;
}

static bool read_span(struct pm_reader *r, struct pm_span *s) {
  struct json_pull *j = &r->j;
  s->inlined_at = s->scope = PM_NONE;
  if (!read_range(r, &s->at))
    return false;
  if (!jp_more(j))
    return true;
  if (!read_inlined(r, s))
    return false;
  if (!jp_more(j))
    return s->inlined_at != PM_NONE || jp_fail(j, j->p, "neither inlined nor in a scope");
  return pm_pull_id(r, r->m->n_scopes, "scope", &s->scope) && jp_close(j);
}

/* `[parent or null, file, line, col]` */
static bool read_scope(struct pm_reader *r, uint32_t i, struct pm_scope *s) {
  struct json_pull *j = &r->j;
  uint32_t file;
  s->parent = PM_NONE;
  if (!jp_array(j) || !jp_item(j))
    return false;
  const char *at = j->p;
  if (!jp_null(j) && !jp_u32(j, &s->parent))
    return false;
  if (s->parent != PM_NONE && s->parent >= i)
    return jp_fail(j, at, "a scope lies in one that stands before it, which %u does not", s->parent);
  if (!jp_item(j) || !pm_pull_id(r, r->m->n_files, "file", &file) || !jp_item(j) ||
      !jp_u32(j, &s->at.line0) || !jp_item(j) || !jp_u32(j, &s->at.col0))
    return false;
  s->at.file = r->m->files[file].source;
  return jp_close(j);
}

static bool fail_span(struct pm_reader *r, size_t i, const char *message) {
  struct strbuf b = {0};
  const struct json_member *m = json_member(&r->o, STR("spans"));
  sb_addf(&b, "/%zu", i);
  size_t at = json_locate(r->t.text, m->value.lo, sb_str(&b));
  json_error_at(&r->t, MD0222, at, STR_NULL, "/spans/%zu: %s", i, message);
  sb_free(&b);
  return false;
}

/* Each span is walked to the end of its chain once. */
static bool check_chains(struct pm_reader *r) {
  const struct pmir *m = r->m;
  uint32_t *seen = arena_array(&r->scratch, uint32_t, m->n_spans); /* walk number, from 1 */
  for (uint32_t i = 0; i < m->n_spans; i++) {
    for (uint32_t s = i; s != PM_NONE && !seen[s]; s = m->spans[s].inlined_at) {
      seen[s] = i + 1;
      uint32_t at = m->spans[s].inlined_at;
      if (at == PM_NONE)
        break;
      if (at >= m->n_spans)
        return fail_span(r, s, "it is inlined at a span that does not exist");
      if (seen[at] == i + 1)
        return fail_span(r, s, "the chain of `inlined at` goes in a circle");
    }
  }
  return true;
}

bool pm_read_scopes(struct pm_reader *r) {
  const struct json_member *m = json_member(&r->o, STR("scopes"));
  if (!m)
    return true;
  r->m->scopes = arena_array(&r->m->arena, struct pm_scope, m->n_elems);
  jp_init(&r->j, &r->t, m->value, &r->scratch);
  if (!jp_array(&r->j))
    return false;
  while (jp_more(&r->j)) {
    if (!read_scope(r, r->m->n_scopes, &r->m->scopes[r->m->n_scopes]))
      return false;
    r->m->n_scopes++;
  }
  return true;
}

bool pm_read_spans(struct pm_reader *r) {
  const struct json_member *m = json_member(&r->o, STR("spans"));
  r->m->spans = arena_array(&r->m->arena, struct pm_span, m->n_elems);
  jp_init(&r->j, &r->t, m->value, &r->scratch);
  if (!jp_array(&r->j))
    return false;
  while (jp_more(&r->j)) {
    if (!read_span(r, &r->m->spans[r->m->n_spans]))
      return false;
    r->m->n_spans++;
  }
  struct arena_mark mark = arena_save(&r->scratch);
  bool ok = check_chains(r);
  arena_rewind(&r->scratch, mark);
  return ok;
}

str pm_file_path(const struct pmir *m, uint32_t source) {
  for (uint32_t i = 0; i < m->n_files; i++)
    if (m->files[i].source == source && source != FILE_NONE)
      return m->files[i].path;
  return STR("");
}

/* Bodies that are inlined into everybody's code: a place in them tells a user little. */
static bool is_library(str path) {
  return path.n == 0 || str_starts(path, STR("library/")) || str_starts(path, STR("/rustc/")) ||
         str_starts(path, STR("mirdc/src/"));
}

bool pm_user_place(const struct pmir *m, pm_loc loc, struct span *out) {
  for (pm_loc at = loc; at != PM_NONE; at = m->spans[at].inlined_at) {
    if (is_library(pm_file_path(m, m->spans[at].at.file)))
      continue;
    *out = m->spans[at].at;
    return true;
  }
  return false;
}
