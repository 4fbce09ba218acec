/* Probe runs: a generated module with one row a line, so that an error's line is its row. */
#include "cargo-integration/rustc/probe_ask.h"

#include <string.h>
#include <time.h>

#include "base/fs.h"
#include "cargo-integration/rustc/overlay_scan.h"

#define MODULE "__mirdc_probe"

/* Is it answered by a function's body? */
static bool has_body(const struct probe_row *row) {
  return row->kind != PROBE_LAYOUT && row->kind != PROBE_NAMES;
}

/* A type that contains a line break would shift all rows. */
static bool one_line(str s) {
  return str_find_char(s, '\n', 0) == SIZE_MAX;
}

static void add_call(struct arena *a, struct strbuf *b, size_t i, const struct probe_row *row) {
  sb_addf(b, "pub unsafe fn __r%zu(%s", i, row->env ? "c: *mut (), " : "");
  for (size_t k = 0; k < row->n_args; k++) {
    sb_addf(b, "%sa%zu: %.*s", k > 0 ? ", " : "", k, STR_ARG(row->args[k]));
  }
  str callee = row->chained ? arena_printf(a, "__r%zu", i - 1) : row->path;
  sb_addf(b, ") -> %.*s { unsafe { %.*s(", STR_ARG(row->type.n > 0 ? row->type : STR("()")),
          STR_ARG(callee));
  for (size_t k = 0; k < row->n_args; k++) {
    sb_addf(b, "%sa%zu", k > 0 ? ", " : "", k);
  }
  sb_addz(b, ") } }");
}

/* The branch that never runs only tells which type `p` points to. */
static void add_part(struct strbuf *b, size_t i, const struct probe_row *row) {
  sb_addf(b, "type __T%zu = %.*s; pub unsafe fn __r%zu(p: *mut ()) { unsafe { ", i,
          STR_ARG(row->type), i);
  sb_addf(b, "let x = if false { match &mut *(p as *mut __T%zu) { __T%zu%.*s => ", i, i,
          STR_ARG(row->path));
  sb_addf(b, "%.*s as *mut _, _ => loop {} } } else { p as *mut _ }; __core::ptr::drop_in_place(x) } }",
          STR_ARG(row->step));
}

/* A function whose only use is that rustc works out how its argument is passed. For that it asks for the
 * function's optimised body, and for it the bodies of all that is called: before errors end it. */
static void add_trigger(struct strbuf *b, size_t i, const struct probe_row *row) {
  size_t n = row->kind == PROBE_CALL ? row->n_args + row->env : row->kind != PROBE_CONST;
  sb_addf(b, " #[rustc_abi(debug)] pub fn __t%zu(_: [u64; 9]) { unsafe { let _ = __r%zu(", i, i);
  for (size_t k = 0; k < n; k++) {
    sb_addz(b, k > 0 ? ", __v()" : "__v()");
  }
  sb_addz(b, "); } }");
}

static void add_row(struct strbuf *b, const struct probe *p, size_t i) {
  const struct probe_row *row = &p->rows[i];
  const char *attr = p->r->unit->tc.dialect->layout_attr;
  switch (row->kind) {
  case PROBE_LAYOUT:
    sb_addf(b, "#[%s(debug)] type __L%zu = %.*s;", attr, i, STR_ARG(row->type));
    break;
  case PROBE_DROP:
    sb_addf(b,
            "const _: () = if __core::mem::needs_drop::<%.*s>() { panic!(\"mirdc: needs drop\") } "
            "else { panic!(\"mirdc: needs no drop\") }; ",
            STR_ARG(row->type));
    sb_addf(b, "pub unsafe fn __r%zu(p: *mut %.*s) { unsafe { __core::ptr::drop_in_place(p) } }", i,
            STR_ARG(row->type));
    break;
  case PROBE_PART:
    add_part(b, i, row);
    break;
  case PROBE_CALL:
    add_call(p->r->arena, b, i, row);
    break;
  case PROBE_CONST:
    sb_addf(b,
            "static __C%zu: __S<%.*s> = __S(%.*s); pub fn __r%zu() -> &'static %.*s { &__C%zu.0 }",
            i, STR_ARG(row->type), STR_ARG(row->path), i, STR_ARG(row->type), i);
    break;
  case PROBE_NAMES:
    sb_addf(b, "#[unsafe(no_mangle)] pub fn __mirdc_n%zu(_: *const %.*s) {}", i,
            STR_ARG(row->type));
    break;
  }
}

/* Rows share what their text names. */
static void add_items(struct strbuf *b, const struct probe *p, bool own) {
  for (size_t i = 0; i < p->n; i++) {
    str text = own ? p->rows[i].own : p->rows[i].items;
    bool first = p->live[i] && text.n > 0;
    for (size_t k = 0; k < i && first; k++) {
      first = !p->live[k] || !str_eq(own ? p->rows[k].own : p->rows[k].items, text);
    }
    if (first) {
      sb_add(b, text);
    }
  }
}

static str make_module(struct probe *p) {
  struct strbuf b = {0};
  sb_addz(&b, "\n#[allow(warnings)] pub mod " MODULE " { use super::*; "
              "extern crate core as __core; "
              "pub struct __S<T>(pub T); unsafe impl<T> __core::marker::Sync for __S<T> {} "
              "unsafe fn __v<T>() -> T { unsafe { __core::ptr::read(8 as *const T) } } "
              "unsafe fn __as<T>(_: impl __core::ops::FnOnce() -> T, p: *mut ()) -> *mut T { p as _ } ");
  add_items(&b, p, false);
  add_items(&b, p, true);
  sb_addc(&b, '\n');
  for (size_t i = 0; i < p->n; i++) {
    if (p->live[i]) {
      add_row(&b, p, i);
      if (has_body(&p->rows[i])) {
        add_trigger(&b, i, &p->rows[i]);
      }
    }
    sb_addc(&b, '\n');
  }
  sb_addz(&b, "}\n");
  str out = arena_str(p->r->arena, sb_str(&b));
  sb_free(&b);
  return out;
}

static uint32_t count_lines(str s) {
  uint32_t n = 0;
  for (size_t i = 0; i < s.n; i++) {
    n += s.p[i] == '\n';
  }
  return n;
}

/* Does the crate root itself say `#![feature(NAME)]`? Twice is an error. */
static bool root_has_feature(const struct probe *p, str name) {
  struct rscan s = {p->r->overlay.root_text, 0};
  for (;;) {
    struct rtok t = rscan_next(&s);
    if (t.kind == RTOK_END) {
      return false;
    }
    struct rtok open = rtok_is(&s, t, "feature") ? rscan_peek(&s) : t;
    if (open.kind != RTOK_PUNCT || open.punct != '(' || open.lo == t.lo) {
      continue;
    }
    (void)rscan_next(&s);
    for (t = rscan_next(&s); t.kind == RTOK_IDENT || (t.kind == RTOK_PUNCT && t.punct == ',');
         t = rscan_next(&s)) {
      if (t.kind == RTOK_IDENT && str_eq(rtok_text(&s, t), name)) {
        return true;
      }
    }
  }
}

static void add_feature(const struct probe *p, struct proc_cmd *c, str name) {
  if (!root_has_feature(p, name)) {
    proc_argf(c, "-Zcrate-attr=feature(%.*s)", STR_ARG(name));
  }
}

static void add_products(struct probe *p) {
  struct runs *r = p->r;
  struct proc_cmd *c = &p->cmd;
  if (p->named) {
    p->ll = arena_strz(r->arena, arena_printf(r->arena, "%s/p%u.ll", r->work, r->n_runs));
    proc_argf(c, "--emit=llvm-ir=%s", p->ll);
    proc_arg(c, "-Cdebuginfo=2");
    proc_arg(c, "-Cno-prepopulate-passes");
    proc_arg(c, "-Ccodegen-units=1");
    /* With all functions inlinable elsewhere, only the rows are compiled. */
    proc_arg(c, "-Zcross-crate-inline-threshold=always");
    return;
  }
  p->dumps = arena_strz(r->arena, arena_printf(r->arena, "%s/p%u", r->work, r->n_runs));
  proc_arg(c, "--emit=metadata");
  proc_argf(c, "--out-dir=%s", r->work);
  /* Wrappers are to swallow what they call, private functions included. */
  proc_arg(c, "-Zcross-crate-inline-threshold=always");
  proc_arg(c, "-Zmir-include-spans=yes");
  proc_arg(c, "-Zdump-mir=" MODULE "::__r & runtime-optimized");
  proc_argf(c, "-Zdump-mir-dir=%s", p->dumps);
}

/* Crate roots of their own beside the other, so that all runs can go on at once; rustc is told to show
 * them under the name of the real one. */
static void set_root(struct probe *p) {
  const struct overlay *o = &p->r->overlay;
  str dir = path_dir(str_from(o->root));
  p->root = path_join(p->r->arena, arena_strz(p->r->arena, dir),
                      p->root_name);
  p->shown_root = str_drop(str_from(o->root), strlen(o->remap_from));
  p->line0 = count_lines(o->root_text) + 3;
  p->shifts = o->shifts;
}

static bool start_rustc(struct probe *p) {
  /* Of the library only what iterators and closures often ask for: each saves a repetition. */
  static const char *const ALWAYS[] = {
      "rustc_attrs",  "never_type",            "core_intrinsics", "unboxed_closures", "fn_traits",
      "try_trait_v2", "try_trait_v2_residual", "step_trait",      "trusted_len",
      "maybe_dangling"};
  struct runs *r = p->r;
  if (!overlay_write_root(r->sink, &r->overlay, p->root, make_module(p))) {
    return false;
  }
  runs_command(r, &p->cmd, p->root);
  runs_device_flags(r, &p->cmd);
  proc_argf(&p->cmd, "--remap-path-prefix=%s=%.*s", p->root, STR_ARG(p->shown_root));
  for (size_t i = 0; i < COUNT_OF(ALWAYS); i++) {
    add_feature(p, &p->cmd, str_from(ALWAYS[i]));
  }
  for (size_t i = 0; i < r->crate_attrs.n; i++) {
    add_feature(p, &p->cmd, r->crate_attrs.p[i]);
  }
  add_products(p);
  runs_count(r, p->named ? "names" : "questions");
  return proc_start(r->sink, &p->cmd, &p->child);
}

/* Names are asked in the copy in which private items are visible. */
static bool start_round(struct probe *p) {
  struct runs *r = p->r;
  struct overlay whole = r->overlay;
  if (p->named && !runs_publish(r)) {
    return false;
  }
  p->published = p->named && r->published.dir != NULL;
  r->overlay = p->published ? r->published : whole;
  set_root(p);
  bool ok = start_rustc(p);
  r->overlay = whole;
  return ok;
}

/* Rows that no run is left for; the caller refuses what needs them. */
static void spend(struct probe *p) {
  p->done = true;
  p->stranger = STR("all runs of rustc that one unit may cost are spent");
  for (size_t i = 0; i < p->n; i++) {
    p->rows[i].unasked = p->rows[i].unasked || p->live[i];
  }
  p->r->spent = true;
}

static bool rest_rows(const struct probe *p) {
  for (size_t i = 0; i < p->n; i++) {
    if (p->live[i]) {
      return true;
    }
  }
  return false;
}

/* rustc went far enough to answer something. */
static bool any_answer(const struct probe *p) {
  for (size_t i = 0; i < p->n; i++) {
    if (p->live[i] && (p->rows[i].ok || p->known[i])) {
      return true;
    }
  }
  return fs_is_dir(p->dumps);
}

/* A row that rustc crashes on takes all others with it. */
static void keep_layouts(struct probe *p, str err) {
  for (size_t i = 0; i < p->n; i++) {
    if (p->live[i] && p->rows[i].kind != PROBE_LAYOUT) {
      p->live[i] = false;
      p->rows[i].reason = arena_str(p->r->arena, str_sub(runs_first_error(err), 0, 300));
    }
  }
}

static void end_questions(struct probe *p, str err, int status, struct outcome o) {
  bool answered = any_answer(p);
  p->done = answered || o.dropped == 0;
  if (!answered && runs_crashed(status)) {
    p->done = p->crashed;
    p->crashed = true;
    keep_layouts(p, err);
  }
}

static void end_names(struct probe *p, int status, struct outcome o) {
  struct runs *r = p->r;
  if (p->published && o.stranger.n > 0) {
    runs_unpublish(r);
  } else {
    p->done = status == 0 || (o.dropped == 0 && o.features == 0);
  }
  if (status != 0) {
    p->ll = NULL;
  }
}

static void end_round(struct probe *p, size_t features) {
  struct runs *r = p->r;
  struct proc_result res;
  proc_wait(&p->child, &res);
  str err = arena_str(r->arena, sb_str(&res.err));
  struct outcome o = probe_read_errors(p, err, features);
  bool other = p->named || runs_crashed(res.status);
  p->stranger = o.stranger.n > 0 ? o.stranger : other ? runs_first_error(err) : STR_NULL;
  if (p->named) {
    end_names(p, res.status, o);
  } else {
    end_questions(p, err, res.status, o);
  }
  proc_result_free(&res);
}

enum { QUESTIONS, NAMES, KINDS };

/* Both kinds side by side, until the rows that are left compile. */
static bool ask(struct probe *kinds) {
  for (int round = 0; round < PROBE_ROUNDS; round++) {
    bool started[KINDS] = {false};
    bool ok = true;
    size_t features = kinds[0].r->crate_attrs.n;
    for (size_t k = 0; k < KINDS && ok; k++) {
      started[k] = !kinds[k].done && rest_rows(&kinds[k]);
      if (started[k] && !runs_allowed(kinds[k].r)) {
        spend(&kinds[k]);
        started[k] = false;
      }
      ok = !started[k] || start_round(&kinds[k]);
      started[k] = started[k] && ok;
    }
    for (size_t k = 0; k < KINDS; k++) {
      if (started[k]) {
        end_round(&kinds[k], features);
      }
    }
    if (!ok) {
      return false;
    }
  }
  return true;
}

static const str no_answer = {"rustc did not answer", 20};

/* Rows that no round answered get the reason that rustc gave for the whole. */
static void give_reasons(struct probe *p) {
  for (size_t i = 0; i < p->n; i++) {
    if (p->live[i] && !p->rows[i].ok && p->stranger.n > 0 && p->rows[i].reason.p == no_answer.p) {
      p->rows[i].reason = arena_str(p->r->arena, str_sub(p->stranger, 0, 300));
    }
  }
}

/* The probe module's own items and every allocation: the rest is known from run A. */
static str cut_module(struct arena *a, str mir) {
  struct strbuf b = {0};
  str rest = mir;
  bool keep = false;
  while (rest.n > 0) {
    str line;
    str here = rest;
    (void)str_next_line(&rest, &line);
    char c = line.n > 0 ? line.p[0] : '\0';
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '<' || c == '{' || c == '_') {
      size_t brace = str_find_char(line, '(', 0);
      bool alloc = str_starts(line, STR("alloc"));
      keep = alloc || str_find(str_sub(line, 0, brace == SIZE_MAX ? line.n : brace + 200),
                               STR(MODULE "::"), 0) != SIZE_MAX;
    }
    if (keep) {
      sb_add(&b, str_sub(here, 0, here.n - rest.n));
    }
  }
  str out = arena_str(a, sb_str(&b));
  sb_free(&b);
  return out;
}

static bool read_text(struct runs *r, str path, str *out) {
  struct bytes b = {0};
  if (!fs_read(r->sink, arena_strz(r->arena, path), (size_t)8 << 30, &b)) {
    return false;
  }
  *out = arena_str(r->arena, (str){(const char *)b.p, b.n});
  bytes_free(&b);
  return true;
}

static void take_name(struct probe *p, struct run_bodies *bodies, size_t i) {
  struct probe_row *row = &p->rows[i];
  str fn = arena_printf(p->r->arena, "__mirdc_n%zu", i);
  row->names = debuginfo_parameter(bodies->debuginfo, fn);
  row->ok = row->names != NULL;
  row->reason = row->ok ? STR_NULL : STR("rustc's debug info does not describe this type");
}

/* The bodies of the rows in the folder, one after the other. */
static str read_dumps(struct probe *p) {
  struct arena *a = p->r->arena;
  struct strbuf all = {0};
  str *names = NULL;
  size_t n = 0;
  if (!fs_is_dir(p->dumps) || !fs_list(a, p->dumps, &names, &n)) {
    return STR_NULL;
  }
  for (size_t i = 0; i < n; i++) {
    struct bytes b = {0};
    if (fs_try_read(path_join(a, p->dumps, arena_strz(a, names[i])), (size_t)8 << 30, &b) == 0) {
      sb_add(&all, (str){(const char *)b.p, b.n});
      sb_addc(&all, '\n');
    }
    bytes_free(&b);
  }
  str out = arena_str(a, sb_str(&all));
  sb_free(&all);
  return out;
}

/* Was the body of this row printed? */
static bool is_printed(struct arena *a, str mir, size_t i) {
  return str_find(mir, arena_printf(a, "\nfn " MODULE "::__r%zu(", i), 0) != SIZE_MAX;
}

static void take_bodies(struct probe *p, struct probe_answers *out) {
  struct arena *a = p->r->arena;
  str text = p->dumps ? read_dumps(p) : STR_NULL;
  out->mir = overlay_original(a, &p->shifts, cut_module(a, text));
  for (size_t i = 0; i < p->n; i++) {
    if (p->live[i] && has_body(&p->rows[i]) && is_printed(a, text, i)) {
      p->rows[i].ok = true;
      p->rows[i].reason = STR_NULL;
      p->rows[i].fn_name = arena_printf(a, MODULE "::__r%zu", i);
    }
  }
}

static bool take_names(struct probe *p, struct run_bodies *bodies) {
  str text = STR_NULL;
  if (p->ll == NULL) {
    return true;
  }
  if (!read_text(p->r, str_from(p->ll), &text) || !debuginfo_add(bodies->debuginfo, p->r->sink, text)) {
    return false;
  }
  for (size_t i = 0; i < p->n; i++) {
    if (p->live[i]) {
      take_name(p, bodies, i);
    }
  }
  return true;
}

/* Types that the debug info at hand describes need no run. */
static void answer_known_names(struct run_bodies *bodies, struct probe_row *rows, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (rows[i].kind == PROBE_NAMES) {
      rows[i].names = debuginfo_find(bodies->debuginfo, rows[i].type);
      rows[i].ok = rows[i].names != NULL;
      rows[i].reason = rows[i].ok ? STR_NULL : rows[i].reason;
    }
  }
}

static void first_reasons(struct probe_row *rows, size_t n) {
  for (size_t i = 0; i < n; i++) {
    rows[i].ok = false;
    rows[i].no_drop = rows[i].unasked = false;
    rows[i].layout = NULL;
    rows[i].names = NULL;
    rows[i].fn_name = STR_NULL;
    rows[i].reason = no_answer;
  }
}

static void init_kind(struct probe *p, struct runs *r, struct probe_row *rows, size_t n,
                      const char *root) {
  *p = (struct probe){.r = r, .rows = rows, .n = n, .root_name = root};
  p->live = arena_array(r->arena, bool, n + 1);
  p->known = arena_array(r->arena, bool, n + 1);
}

static void select_rows(struct probe *p) {
  for (size_t i = 0; i < p->n; i++) {
    const struct probe_row *row = &p->rows[i];
    p->live[i] = !row->ok && (row->kind == PROBE_NAMES) == p->named && one_line(row->type) && one_line(row->path);
  }
}

bool probe_run(struct runs *r, struct run_bodies *bodies, struct probe_row *rows, size_t n,
               struct probe_answers *out) {
  static const char *const ROOTS[KINDS] = {"__mirdc_probe.rs", "__mirdc_names.rs"};
  struct probe kinds[KINDS];
  struct timespec t0;
  struct timespec t1;
  *out = (struct probe_answers){0};
  first_reasons(rows, n);
  answer_known_names(bodies, rows, n);
  for (size_t k = 0; k < KINDS; k++) {
    init_kind(&kinds[k], r, rows, n, ROOTS[k]);
    kinds[k].named = k == NAMES;
    select_rows(&kinds[k]);
  }
  clock_gettime(CLOCK_MONOTONIC, &t0);
  bool ok = ask(kinds);
  clock_gettime(CLOCK_MONOTONIC, &t1);
  r->rustc_us += (uint64_t)((t1.tv_sec - t0.tv_sec) * 1000000 + (t1.tv_nsec - t0.tv_nsec) / 1000);
  if (ok) {
    take_bodies(&kinds[QUESTIONS], out);
    ok = take_names(&kinds[NAMES], bodies);
  }
  for (size_t k = 0; k < KINDS; k++) {
    give_reasons(&kinds[k]);
  }
  return ok && !diag_failed(r->sink);
}
