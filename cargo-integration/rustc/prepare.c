/* Rounds: kernels, instances, questions, text. */
#include "cargo-integration/rustc/prepare.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/fs.h"
#include "cargo-integration/rustc/descriptor.h"
#include "cargo-integration/rustc/dyn.h"
#include "cargo-integration/rustc/emit.h"
#include "cargo-integration/rustc/kernels.h"
#include "cargo-integration/rustc/macro_place.h"
#include "cargo-integration/rustc/mir_parse.h"
#include "cargo-integration/rustc/native.h"

/* The probe module's own name for core shows up in paths that have no other visible way. */
static str plain_core(struct prep *p, str text) {
  static const str alias = {"__mirdc_probe::__core::", 23};
  struct strbuf b = {0};
  size_t at = 0, hit = str_find(text, alias, 0);
  if (hit == SIZE_MAX)
    return text;
  for (; hit != SIZE_MAX; hit = str_find(text, alias, at)) {
    sb_add(&b, str_sub(text, at, hit));
    sb_addz(&b, "core::");
    at = hit + alias.n;
  }
  sb_add(&b, str_drop(text, at));
  text = arena_str(p->arena, sb_str(&b));
  sb_free(&b);
  return text;
}

static bool keep_text(struct prep *p, str text, str name) {
  str file = arena_printf(p->arena, "%s/%02u-%.*s", p->keep, p->n_kept++, STR_ARG(name));
  return fs_mkdirs(p->sink, p->keep) && fs_write_atomic(p->sink, arena_strz(p->arena, file), text);
}

struct prep_dump *prep_read_dump(struct prep *p, str text, str name) {
  struct prep_dump *d = arena_new(p->arena, struct prep_dump);
  text = plain_core(p, text);
  if (p->keep && !keep_text(p, text, name))
    return NULL;
  struct mir_parse_input in = {
      .text = text, .path = name, .arena = p->arena, .types = p->types, .sink = p->sink};
  if (!mir_parse(&in, &d->file))
    return NULL;
  return d;
}

static struct prep_dump *read_crate(struct prep *p, str crate) {
  static const char *const LIBRARY[] = {"core", "std", "alloc"};
  str text;
  const struct unit *u = deps_bodies(p->runs->deps, p->sink, crate, &text);
  if (!u)
    return NULL;
  p->types->crate = u->crate_name;
  p->types->outside.n = 0;
  for (size_t i = 0; i < COUNT_OF(LIBRARY); i++)
    vec_push(p->arena, &p->types->outside, str_from(LIBRARY[i]));
  for (size_t i = 0; i < u->externs.n; i++)
    vec_push(p->arena, &p->types->outside, u->externs.p[i].name);
  struct prep_dump *d = prep_read_dump(p, text, arena_printf(p->arena, "%.*s.mir", STR_ARG(crate)));
  p->types->crate = STR_NULL;
  return d;
}

struct prep_dump *prep_crate_dump(struct prep *p, str crate) {
  for (size_t i = 0; i < p->dumps.n; i++)
    if (str_eq(p->dumps.p[i]->crate, crate))
      return p->dumps.p[i];
  for (size_t i = 0; i < p->no_crates.n; i++)
    if (str_eq(p->no_crates.p[i], crate))
      return NULL;
  struct diag_mark m = diag_save(p->sink);
  struct prep_dump *d = read_crate(p, crate);
  if (!d) {
    diag_drop_since(p->sink, m); /* what needs it is refused with its own words */
    vec_push(p->arena, &p->no_crates, crate);
    return NULL;
  }
  d->crate = crate;
  d->alloc_out = arena_array(p->arena, uint32_t, d->file.n_allocs + 1);
  vec_push(p->arena, &p->dumps, d);
  return d;
}

/* ---- messages ---- */
/* Questions to rustc are appended to the source, so places in them are behind its end. */
static bool in_source(struct prep *p, struct span at) {
  if (!at.line0 || at.file == FILE_NONE || !p->sink->sources)
    return false;
  str line;
  return source_file_get(p->sink->sources, at.file)->state != SRC_READ ||
         source_line(p->sink->sources, at.file, at.line0, &line);
}

struct span prep_place(struct prep *p, const struct inst *in, struct span at) {
  if (!in || in != p->at || !p->at_macro || memcmp(&at, &p->at_span, sizeof at) != 0)
    return at;
  struct span call = macro_place(p, p->at_macro, p->seen);
  return call.line0 ? call : at;
}

/* Of the kernel that this instance is, or else of the one being walked. */
static struct span kernel_span(struct prep *p, const struct inst *top) {
  for (size_t i = 0; top && i < p->kernels.n; i++)
    if (p->kernels.p[i].inst == top || p->kernels.p[i].body == top)
      return p->kernels.p[i].span;
  return p->kernel ? p->kernel->span : SPAN_NONE;
}

struct diag *prep_error(struct prep *p, const struct inst *in, enum diag_code c, struct span at,
                        const char *fmt, ...) {
  va_list ap;
  struct strbuf b = {0};
  va_start(ap, fmt);
  sb_vaddf(&b, fmt, ap);
  va_end(ap);
  const struct inst *top = in;
  while (top && top->from)
    top = top->from;
  struct span span = prep_place(p, in, at);
  for (const struct inst *i = in; i && !in_source(p, span); i = i->from)
    span = i->from_span;
  if (!in_source(p, span))
    span = kernel_span(p, top);
  struct diag *d = diag_error(p->sink, c, span, "%.*s", STR_ARG(sb_str(&b)));
  sb_free(&b);
  unsigned shown = 0;
  for (const struct inst *i = in; i && i->from && shown < 6; i = i->from, shown++)
    diag_note_at(d, in_source(p, i->from_span) ? i->from_span : SPAN_NONE,
                 "`%.*s` is reached from `%.*s`", STR_ARG(i->name), STR_ARG(i->from->name));
  if (top)
    diag_note(d, "in kernel `%.*s`", STR_ARG(top->name));
  return d;
}

/* ---- a round ---- */
/* What the bodies say is collected anew each time. */
static void clear_types(struct prep *p) {
  p->out_types.n = 0;
  for (size_t i = 0; i < p->infos.n; i++) {
    if (!p->infos.p[i])
      continue;
    struct ty_info *t = p->infos.p[i];
    t->out = 0;
    t->strong = t->seen_enum = false;
    t->discr_ty = NULL;
    t->variants.n = t->field_names.n = 0; /* a round without all answers may have seen wrongly */
  }
}

static void clear_map(struct map *m) {
  map_free(m);
  *m = (struct map){0};
}

static void clear_dump(struct prep *p, struct prep_dump *d) {
  d->alloc_out = arena_array(p->arena, uint32_t, d->file.n_allocs + 1);
}

static void round_begin(struct prep *p) {
  clear_types(p);
  p->insts.n = 0;
  p->allocs.n = 0;
  p->statics.n = 0;
  p->externs.n = 0;
  p->natives.n = 0;
  p->spans.n = p->scopes.n = 0;
  p->files.n = 0;
  clear_map(&p->inst_by_key);
  clear_map(&p->symbols);
  clear_map(&p->fillers);
  clear_map(&p->static_by_name);
  clear_map(&p->extern_by_name);
  clear_map(&p->native_by_text);
  clear_map(&p->span_ids);
  clear_map(&p->scope_ids);
  clear_map(&p->file_ids);
  dyn_clear(p);
  for (size_t i = 0; i < p->dumps.n; i++)
    clear_dump(p, p->dumps.p[i]);
  for (size_t i = 0; i < p->glue.n; i++)
    clear_dump(p, p->glue.p[i]);
  p->want_captures = p->want_strings = false;
  p->again = false;
  p->undecided = 0;
  p->round++;
}

static void maps_free(struct prep *p) {
  clear_map(&p->inst_by_key);
  clear_map(&p->symbols);
  clear_map(&p->fillers);
  clear_map(&p->static_by_name);
  clear_map(&p->extern_by_name);
  clear_map(&p->native_by_text);
  clear_map(&p->span_ids);
  clear_map(&p->scope_ids);
  clear_map(&p->file_ids);
  dyn_clear(p);
  map_free(&p->answers);
  for (size_t i = 0; i < p->dumps.n; i++) {
    mir_file_release(&p->dumps.p[i]->file);
  }
  for (size_t i = 0; i < p->glue.n; i++)
    mir_file_release(&p->glue.p[i]->file);
}

/* Walks everything that the kernels reach. False: errors were reported (they may be about things
 * that an answer still to come would have settled). */
static bool walk(struct prep *p) {
  bool ok = kernels_roots(p), more = true;
  for (size_t i = 0; more && !p->endless;) {
    for (; i < p->insts.n && !p->endless; i++) {
      struct inst *in = p->insts.p[i];
      fatal_set_item("prepare", in->name);
      bool done = in->item ? emit_instance(p, in) : emit_shim(p, in);
      ok = done && ok;
    }
    ok = dyn_fill(p, &more) && ok; /* may reach more instances */
  }
  dyn_finish(p);
  p->kernel = p->kernels.n ? &p->kernels.p[0] : NULL;
  ok = kernels_params(p) && ok;
  if (ok || p->wants.n || p->want_captures || p->want_strings || p->again)
    ok = types_finish(p) && ok;
  fatal_set_item(NULL, STR_NULL);
  return ok;
}

/* ---- the result ---- */
static void write_list(struct jsonw *w, const char *key, const str *list, size_t n) {
  jw_key(w, key);
  jw_array(w);
  for (size_t i = 0; i < n; i++)
    jw_str(w, list[i]);
  jw_end_array(w);
}

static void write_head(struct prep *p, struct jsonw *w) {
  const struct unit *u = p->unit;
  jw_kz(w, "schema", "pmir");
  jw_ku64(w, "version", 1);
  jw_key(w, "requires");
  jw_array(w);
  if (p->natives.n)
    jw_strz(w, "native");
  jw_end_array(w);
  jw_newline(w);
  jw_key(w, "producer");
  jw_object(w);
  jw_kz(w, "tool", "mirdc-rustc " MIRDC_VERSION);
  jw_kstr(w, "rustc",
          arena_printf(p->arena, "%.*s (%.*s)", STR_ARG(u->tc.release),
                       STR_ARG(str_sub(u->tc.commit, 0, 9))));
  jw_key(w, "flags");
  jw_array(w);
  for (const char *const *f = runs_flags(p->arena, u); *f; f++)
    jw_strz(w, *f);
  jw_end_array(w);
  jw_end_object(w);
  jw_newline(w);
  jw_key(w, "target");
  jw_raw(w, STR("{\"ptr_bits\":64,\"endian\":\"little\"}"));
  jw_key(w, "unit");
  jw_object(w);
  jw_kstr(w, "crate", u->crate_name);
  jw_kstr(w, "edition", u->edition);
  jw_kstr(w, "opt_level", (str){&u->opt_level, 1});
  jw_kbool(w, "overflow_checks", u->overflow_checks);
  jw_kbool(w, "debug_assertions", u->debug_assertions);
  write_list(w, "cfgs", u->cfgs.p, u->cfgs.n);
  write_list(w, "features", u->features.p, u->features.n);
  jw_end_object(w);
  jw_newline(w);
}

static void write_spans(struct prep *p, struct jsonw *w) {
  jw_key(w, "spans");
  jw_array(w);
  for (size_t i = 0; i < p->spans.n; i++) {
    if (i % 8 == 0)
      jw_newline(w);
    jw_raw(w, p->spans.p[i]);
  }
  jw_end_array(w);
  if (p->scopes.n == 0)
    return;
  jw_newline(w);
  jw_key(w, "scopes");
  jw_array(w);
  for (size_t i = 0; i < p->scopes.n; i++)
    jw_raw(w, p->scopes.p[i]);
  jw_end_array(w);
}

static void write_allocs(struct prep *p, struct jsonw *w) {
  jw_key(w, "allocs");
  jw_array(w);
  for (size_t i = 0; i < p->allocs.n; i++) {
    const struct prep_alloc *a = &p->allocs.p[i];
    jw_newline(w);
    jw_raw(w, arena_printf(p->arena, "%.*s%s}", STR_ARG(a->json), a->mut ? ",\"mut\":true" : ""));
  }
  jw_end_array(w);
}

static void opt_u32(struct jsonw *w, const char *key, uint32_t v) {
  jw_key(w, key);
  if (v == PREP_NONE)
    jw_null(w);
  else
    jw_u64(w, v);
}

static void write_statics(struct prep *p, struct jsonw *w) {
  jw_key(w, "statics");
  jw_array(w);
  for (size_t i = 0; i < p->statics.n; i++) {
    const struct prep_static *s = &p->statics.p[i];
    jw_newline(w);
    jw_object(w);
    jw_kstr(w, "name", s->name);
    jw_kstr(w, "symbol", s->symbol);
    jw_ku64(w, "ty", type_id(p, s->ty, true));
    opt_u32(w, "alloc", s->alloc);
    jw_kbool(w, "mut", s->mut);
    jw_kz(w, "space", s->space);
    jw_kbool(w, "host_visible", s->host_visible);
    opt_u32(w, "span", s->span);
    jw_end_object(w);
  }
  jw_end_array(w);
}

static void write_externs(struct prep *p, struct jsonw *w) {
  jw_key(w, "externs");
  jw_array(w);
  for (size_t i = 0; i < p->externs.n; i++) {
    const struct prep_extern *x = &p->externs.p[i];
    jw_newline(w);
    jw_object(w);
    jw_kstr(w, "symbol", x->symbol);
    jw_kz(w, "abi", "c");
    jw_key(w, "args");
    jw_raw(w, x->args_json);
    jw_ku64(w, "ret", x->ret);
    if (x->noreturn)
      jw_kbool(w, "noreturn", true);
    opt_u32(w, "span", x->span);
    jw_end_object(w);
  }
  jw_end_array(w);
}

static void write_result(struct prep *p, struct strbuf *out) {
  struct jsonw w;
  str natives = natives_text(p); /* names more places */
  jw_init(&w, false);
  jw_object(&w);
  write_head(p, &w);
  prep_write_files(p, &w);
  jw_newline(&w);
  write_spans(p, &w);
  jw_newline(&w);
  types_write(p, &w);
  jw_newline(&w);
  write_allocs(p, &w);
  jw_newline(&w);
  write_statics(p, &w);
  jw_newline(&w);
  write_externs(p, &w);
  jw_newline(&w);
  if (natives.n) {
    jw_key(&w, "natives");
    jw_raw(&w, natives);
    jw_newline(&w);
  }
  jw_key(&w, "fns");
  jw_array(&w);
  for (size_t i = 0; i < p->insts.n; i++) {
    jw_newline(&w);
    jw_raw(&w, p->insts.p[i]->text);
  }
  jw_end_array(&w);
  jw_newline(&w);
  kernels_write(p, &w);
  jw_end_object(&w);
  jw_newline(&w);
  sb_add(out, sb_str(&w.out));
  sb_addc(out, '\n');
  jw_free(&w);
}

/* ---- run A ---- */
static bool read_bodies(struct prep *p) {
  struct prep_dump *d = prep_read_dump(p, p->bodies->mir, STR("unit.mir"));
  if (!d)
    return false;
  vec_push(p->arena, &p->dumps, d);
  for (size_t i = 0; i < p->bodies->glue.n; i++) {
    struct diag_mark m = diag_save(p->sink);
    struct prep_dump *g = prep_read_dump(p, p->bodies->glue.p[i].text, p->bodies->glue.p[i].name);
    if (g)
      vec_push(p->arena, &p->glue, g);
    else
      diag_drop_since(p->sink, m); /* it may never be needed */
  }
  return true;
}

/* ---- captures ---- */
bool prep_open_closure(struct prep *p, str at, uint32_t missing) {
  for (size_t i = 0; i < p->openings.n; i++) {
    struct overlay_opening *o = &p->openings.p[i];
    if (!str_eq(o->at, at))
      continue;
    if (i >= p->n_opened && missing > o->missing) /* of a macro, whose closures differ */
      o->missing = missing;
    return i >= p->n_opened;
  }
  struct overlay_opening o = {at, missing};
  vec_push(p->arena, &p->openings, o);
  return true;
}

/* Does the body make a closure that was printed incompletely until now? */
static bool is_stale(struct prep *p, const struct mir_item *it) {
  for (uint32_t b = 0; it && b < it->body.n_blocks; b++)
    for (uint32_t k = 0; k < it->body.blocks[b].n_stmts; k++) {
      const struct mir_stmt *s = &it->body.blocks[b].stmts[k];
      if (s->kind != ST_ASSIGN || s->rv->kind != RV_CLOSURE)
        continue;
      for (size_t i = p->n_opened; i < p->openings.n; i++)
        if (str_eq(p->openings.p[i].at, s->rv->ty->name))
          return true;
    }
  return false;
}

/* Answers with such bodies are asked for again. */
static void forget_stale(struct prep *p) {
  for (size_t i = 0; i < p->answers.n; i++) {
    struct answer *a = (struct answer *)p->answers.entries[i].value;
    if (a->ok && is_stale(p, a->item))
      *a = (struct answer){.path = a->path};
  }
  for (size_t i = 0; i < p->infos.n; i++) {
    struct ty_info *t = p->infos.p[i];
    if (t && t->glue && is_stale(p, t->glue)) {
      t->drop = DROP_UNASKED;
      t->part_asked = false;
      t->glue = NULL;
    }
  }
}

static bool take_captures(struct prep *p, str text) {
  struct prep_dump *d = prep_read_dump(p, text, STR("unit.mir"));
  if (!d)
    return false;
  p->bodies->mir = text;
  vec_push(p->arena, &p->dumps, p->dumps.p[0]); /* to be freed with the others */
  p->dumps.p[0] = d;
  forget_stale(p);
  return true;
}

static bool take_strings(struct prep *p, str text) {
  p->strings = prep_read_dump(p, text, STR("strings.mir"));
  if (p->strings)
    vec_push(p->arena, &p->dumps, p->strings);
  return p->strings != NULL;
}

/* What run A did not print, in one more. */
static bool ask_reprint(struct prep *p) {
  bool captures = p->want_captures, strings;
  str text;
  if (!runs_reprint(p->runs, captures ? &p->openings : NULL, p->want_strings, &text, &strings))
    return false;
  if (captures)
    p->n_opened = p->openings.n;
  p->strings_asked = p->strings_asked || strings;
  return !text.n || (captures ? take_captures(p, text) : take_strings(p, text));
}

/* What was refused already is the user's problem; what is missing beside it is not. */
static bool report_spent(struct prep *p) {
  const struct want *first = p->lacking.n ? &p->lacking.p[0] : NULL;
  if (diag_failed(p->sink))
    return false;
  struct diag *d = prep_error(p, first ? first->from : NULL, MD0155, first ? first->span : SPAN_NONE,
                              "%d runs of rustc did not bring all that the kernels need", RUNS_MAX);
  for (size_t i = 0; i < p->runs->missing.n; i++)
    diag_note(d, "still missing: %.*s", STR_ARG(p->runs->missing.p[i]));
  for (size_t i = 0; i < p->lacking.n && i < 4; i++) {
    const struct want *w = &p->lacking.p[i];
    const struct rty *what = w->answer ? w->answer->path : w->info ? w->info->ty : NULL;
    str label = what ? rty_label(p->types, what) : w->row.path;
    diag_note(d, "still missing: `%.*s`", STR_ARG(str_sub(label, 0, label.n < 300 ? label.n : 300)));
  }
  diag_help(d, "call fewer private functions of core from one kernel, for example with plain `for` loops; "
               "or move some kernels into another crate");
  return false;
}

static bool rounds(struct prep *p, struct strbuf *out) {
  bool failed = false; /* something was refused before the last questions */
  for (unsigned n = 0; n < PREP_MAX_ROUNDS; n++) {
    struct diag_mark m = diag_save(p->sink);
    round_begin(p);
    bool ok = walk(p);
    if (p->endless)
      return false;
    if (p->want_captures || p->want_strings) {
      failed = !ok;
      diag_drop_since(p->sink, m);
      if (!ask_reprint(p))
        return false;
      continue;
    }
    if (p->wants.n && !ok && !runs_allowed(p->runs))
      return false;
    if (p->wants.n) {
      failed = !ok;
      diag_drop_since(p->sink, m); /* the answers may settle it */
      if (!wants_ask(p))
        return false;
      continue;
    }
    if (p->again) {
      diag_drop_since(p->sink, m);
      continue;
    }
    if (p->runs->spent && (!ok || p->undecided)) {
      if (!failed) /* what is refused now only lacks an answer */
        diag_drop_since(p->sink, m);
      return report_spent(p);
    }
    if (ok && p->undecided) {
      diag_error(p->sink, MD0183, SPAN_NONE,
                 "%zu places wait for answers that were never asked for", p->undecided);
      return false;
    }
    if (ok)
      write_result(p, out);
    return ok;
  }
  diag_error(p->sink, MD0190, SPAN_NONE,
             "%u rounds of questions to rustc did not settle everything", PREP_MAX_ROUNDS);
  return false;
}

bool prepare(const struct prep_input *in, struct strbuf *out, bool *user_error) {
  struct run_bodies bodies = {.mir = STR_NULL};
  struct rty_table types;
  struct prep p = {.sink = in->sink,
                   .arena = in->arena,
                   .types = &types,
                   .unit = in->unit,
                   .runs = in->runs,
                   .keep = in->keep,
                   .bodies = &bodies};
  *user_error = false;
  if (!runs_bodies(in->runs, &bodies, user_error))
    return false;
  rty_table_init(&types, in->arena);
  bool ok = read_bodies(&p) && kernels_find(&p, in->entries, in->n_entries) && rounds(&p, out) &&
            runs_finish(in->runs);
  maps_free(&p);
  debuginfo_free(bodies.debuginfo);
  rty_table_free(&types);
  return ok;
}
