/* The resolved registrations, for people and for programs. */
#include "base/jsonw.h"
#include "callbacks/admit_impl.h"

#include <inttypes.h>

static const char *kind_word(const struct pm_type *base) {
  return base->kind == PM_CLOSURE ? "closure" : base->kind == PM_FNDEF ? "function" : "other";
}

static void text_place(const struct pmir *m, pm_loc loc, struct strbuf *out) {
  struct span s = admit_place(m, loc);
  if (!s.line0)
    return;
  sb_addz(out, " at ");
  sb_add_visible(out, pm_file_path(m, s.file));
  sb_addf(out, ":%u:%u", s.line0, s.col0);
}

static void text_signature(const struct pmir *m, const struct pm_func *f, struct strbuf *out) {
  sb_addz(out, "(");
  for (uint32_t i = 2; i <= f->n_args; i++) {
    sb_addz(out, i > 2 ? ", " : "");
    sb_add_visible(out, admit_ty(m, f->locals[i].ty));
  }
  sb_addz(out, ") -> ");
  sb_add_visible(out, admit_ty(m, f->ret));
}

static void text_callback(const struct pmir *m, const struct pm_callback *cb, const struct pm_closure *c,
                          struct strbuf *out) {
  const struct pm_type *base = &m->types[cb->base];
  sb_addz(out, "    ");
  sb_add_visible(out, cb->param);
  sb_addf(out, ": %s ", kind_word(base));
  sb_add_visible(out, base->name);
  if (cb->refs)
    sb_addf(out, " behind %u reference%s", cb->refs, cb->refs == 1 ? "" : "s");
  text_signature(m, &m->fns[cb->thunk], out);
  if (c)
    text_place(m, c->span, out);
  sb_addf(out, "\n      environment: %" PRIu64 " bytes aligned to %" PRIu64 "\n", base->size, base->align);
  for (uint32_t i = 0; base->kind == PM_CLOSURE && i < base->n_fields; i++) {
    bool named = c && i < c->n_captures;
    sb_addz(out, "      ");
    sb_add_visible(out, named ? c->captures[i].name : base->fields[i].name);
    sb_addz(out, ": ");
    sb_add_visible(out, admit_ty(m, base->fields[i].ty));
    sb_addf(out, ", offset %" PRIu64, base->fields[i].off);
    if (named)
      text_place(m, c->captures[i].span, out);
    sb_addc(out, '\n');
  }
}

static void text_native(const struct pmir *m, const struct pm_native *n, const struct pm_closure *const *of,
                        struct strbuf *out) {
  sb_addz(out, "  ");
  sb_add_visible(out, n->provider);
  sb_addz(out, "::");
  sb_add_visible(out, n->entry);
  sb_addz(out, "<");
  for (uint32_t i = 0; i < n->n_types; i++) {
    sb_addz(out, i ? ", " : "");
    sb_add_visible(out, n->types[i].name);
    sb_addz(out, " = ");
    sb_add_visible(out, admit_ty(m, n->types[i].ty));
  }
  for (uint32_t i = 0; i < n->n_consts; i++) {
    sb_addz(out, i || n->n_types ? ", " : "");
    sb_add_visible(out, n->consts[i].name);
    sb_addf(out, " = %" PRIu64, (uint64_t)n->consts[i].value);
  }
  sb_addz(out, "> by `");
  sb_add_visible(out, n->path);
  sb_addz(out, "`");
  text_place(m, n->span, out);
  sb_addc(out, '\n');
  for (uint32_t i = 0; i < n->n_callbacks; i++)
    text_callback(m, &n->callbacks[i], of[n->callbacks[i].base], out);
}

static const struct pm_closure **by_type(const struct pmir *m, struct arena *a) {
  const struct pm_closure **of = arena_array(a, const struct pm_closure *, m->n_types);
  for (uint32_t i = 0; i < m->n_closures; i++)
    of[m->closures[i].ty] = &m->closures[i];
  return of;
}

void admit_list_text(const struct pmir *m, struct strbuf *out) {
  struct arena a = {0};
  const struct pm_closure **of = by_type(m, &a);
  if (m->n_natives)
    sb_addf(out, "%u registration%s:\n", m->n_natives, m->n_natives == 1 ? "" : "s");
  for (uint32_t i = 0; i < m->n_natives; i++)
    text_native(m, &m->natives[i], of, out);
  arena_free(&a);
}

/* ---- JSON ---- */

static void json_place(struct jsonw *w, const struct pmir *m, const char *key, pm_loc loc) {
  struct span s = admit_place(m, loc);
  jw_key(w, key);
  if (!s.line0) {
    jw_null(w);
    return;
  }
  jw_object(w);
  jw_kstr(w, "file", pm_file_path(m, s.file));
  jw_ku64(w, "line_start", s.line0);
  jw_ku64(w, "column_start", s.col0);
  jw_ku64(w, "line_end", s.line1);
  jw_ku64(w, "column_end", s.col1);
  jw_end_object(w);
}

static void json_captures(struct jsonw *w, const struct pmir *m, const struct pm_type *base,
                          const struct pm_closure *c) {
  jw_key(w, "captures");
  jw_array(w);
  for (uint32_t i = 0; base->kind == PM_CLOSURE && i < base->n_fields; i++) {
    bool named = c && i < c->n_captures;
    jw_object(w);
    jw_kstr(w, "name", named ? c->captures[i].name : base->fields[i].name);
    jw_kstr(w, "type", admit_ty(m, base->fields[i].ty));
    jw_ku64(w, "offset", base->fields[i].off);
    json_place(w, m, "span", named ? c->captures[i].span : PM_NONE);
    jw_end_object(w);
  }
  jw_end_array(w);
}

static void json_callback(struct jsonw *w, const struct pmir *m, const struct pm_callback *cb,
                          const struct pm_closure *c) {
  const struct pm_type *base = &m->types[cb->base];
  const struct pm_func *f = &m->fns[cb->thunk];
  jw_object(w);
  jw_kstr(w, "param", cb->param);
  jw_kz(w, "kind", kind_word(base));
  jw_kstr(w, "type", base->name);
  jw_ku64(w, "references", cb->refs);
  jw_key(w, "args");
  jw_array(w);
  for (uint32_t i = 2; i <= f->n_args; i++)
    jw_str(w, admit_ty(m, f->locals[i].ty));
  jw_end_array(w);
  jw_kstr(w, "ret", admit_ty(m, f->ret));
  jw_ku64(w, "size", base->size);
  jw_ku64(w, "align", base->align);
  json_captures(w, m, base, c);
  json_place(w, m, "span", c ? c->span : PM_NONE);
  jw_end_object(w);
}

static void json_native(struct jsonw *w, const struct pmir *m, const struct pm_native *n,
                        const struct pm_closure *const *of) {
  jw_object(w);
  jw_kstr(w, "provider", n->provider);
  jw_kstr(w, "entry", n->entry);
  jw_kstr(w, "path", n->path);
  jw_key(w, "types");
  jw_array(w);
  for (uint32_t i = 0; i < n->n_types; i++) {
    jw_object(w);
    jw_kstr(w, "name", n->types[i].name);
    jw_kstr(w, "type", admit_ty(m, n->types[i].ty));
    jw_end_object(w);
  }
  jw_end_array(w);
  jw_key(w, "consts");
  jw_array(w);
  for (uint32_t i = 0; i < n->n_consts; i++) {
    jw_object(w);
    jw_kstr(w, "name", n->consts[i].name);
    jw_kstr(w, "type", admit_ty(m, n->consts[i].ty));
    jw_ku64(w, "value", (uint64_t)n->consts[i].value);
    jw_end_object(w);
  }
  jw_end_array(w);
  jw_key(w, "callbacks");
  jw_array(w);
  for (uint32_t i = 0; i < n->n_callbacks; i++)
    json_callback(w, m, &n->callbacks[i], of[n->callbacks[i].base]);
  jw_end_array(w);
  json_place(w, m, "span", n->span);
  jw_end_object(w);
}

void admit_list_json(const struct pmir *m, struct strbuf *out) {
  struct arena a = {0};
  struct jsonw w;
  if (!m->n_natives)
    return;
  const struct pm_closure **of = by_type(m, &a);
  jw_init(&w, false);
  jw_object(&w);
  jw_key(&w, "registrations");
  jw_array(&w);
  for (uint32_t i = 0; i < m->n_natives; i++)
    json_native(&w, m, &m->natives[i], of);
  jw_end_array(&w);
  jw_end_object(&w);
  sb_add(out, sb_str(&w.out));
  sb_addc(out, '\n');
  jw_free(&w);
  arena_free(&a);
}
