/* Probe runs: a generated module with one row a line, so that an error's line is its row. */
#include "cargo-integration/rustc/probe_ask.h"

#include <string.h>
#include <time.h>

#include "base/fs.h"
#include "cargo-integration/rustc/overlay_scan.h"

#define MODULE "__mirdc_probe"

static bool is_layout(const struct probe_row *row) {
  return row->kind == PROBE_LAYOUT;
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
    if (p->layouts) {
      sb_addf(
          b,
          "const _: () = if __core::mem::needs_drop::<%.*s>() { panic!(\"mirdc: needs drop\") } "
          "else { panic!(\"mirdc: needs no drop\") };",
          STR_ARG(row->type));
      break;
    }
    sb_addf(b,
            "pub unsafe fn __r%zu(p: *mut %.*s) { unsafe { __core::ptr::drop_in_place(p) } }", i,
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
      if (p->peeks) {
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
  if (p->layouts) {
    proc_arg(c, "--emit=metadata");
    proc_argf(c, "--out-dir=%s", r->work);
    return;
  }
  /* Wrappers are to swallow what they call, private functions included. */
  proc_arg(c, "-Zcross-crate-inline-threshold=always");
  p->mir = arena_strz(r->arena, arena_printf(r->arena, "%s/p%u.mir", r->work, r->n_runs));
  p->ll = arena_strz(r->arena, arena_printf(r->arena, "%s/p%u.ll", r->work, r->n_runs));
  proc_arg(c, "-Zmir-include-spans=yes");
  if (p->peeks) {
    p->dumps = arena_strz(r->arena, arena_printf(r->arena, "%s/p%u", r->work, r->n_runs));
    proc_arg(c, "--emit=metadata");
    proc_argf(c, "--out-dir=%s", r->work);
    proc_arg(c, "-Zdump-mir=" MODULE "::__r & runtime-optimized");
    proc_argf(c, "-Zdump-mir-dir=%s", p->dumps);
    return;
  }
  if (!p->with_ir) {
    proc_argf(c, "--emit=mir=%s", p->mir);
    proc_arg(c, "-Zno-codegen");
    return;
  }
  /* With all functions inlinable elsewhere, only the rows are compiled. */
  proc_argf(c, "--emit=mir=%s,llvm-ir=%s", p->mir, p->ll);
  proc_arg(c, "-Cdebuginfo=2");
  proc_arg(c, "-Cno-prepopulate-passes");
  proc_arg(c, "-Ccodegen-units=1");
  proc_arg(c, "-Zcross-crate-inline-threshold=always");
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
  r->n_runs++;
  return proc_start(r->sink, &p->cmd, &p->child);
}

static bool start_round(struct probe *p) {
  struct runs *r = p->r;
  struct overlay whole = r->overlay;
  p->published = r->published.dir != NULL;
  r->overlay = p->published ? r->published : whole;
  set_root(p);
  bool ok = start_rustc(p);
  r->overlay = whole;
  return ok;
}

/* Rows that no run is left for; the caller refuses what needs them. */
static void spend(struct probe *p) {
  p->done = true;
  p->last = STR("all runs of rustc that one unit may cost are spent");
  for (size_t i = 0; i < p->n; i++) {
    const struct probe_row *row = &p->rows[i];
    if (p->live[i]) {
      str what = row->kind == PROBE_CALL || row->kind == PROBE_CONST ? row->path : row->type;
      vec_push(p->r->arena, &p->r->missing, what);
    }
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

static bool all_laid_out(const struct probe *p) {
  for (size_t i = 0; i < p->n; i++) {
    if (p->live[i] && !p->rows[i].ok && !p->known[i]) {
      return false;
    }
  }
  return true;
}

static void end_round(struct probe *p, size_t features) {
  struct runs *r = p->r;
  struct proc_result res;
  proc_wait(&p->child, &res);
  str err = arena_str(r->arena, sb_str(&res.err));
  bool peeked = p->peeks; /* errors may say that the next round has to */
  struct outcome o = probe_read_errors(p, err, features);
  p->last = o.stranger.n > 0 ? o.stranger : runs_first_error(err);
  bool refused = p->published && o.stranger.n > 0;
  bool stuck = o.dropped == 0 && o.features == 0 && o.private_ == 0 && !refused;
  p->hidden = o.private_ > 0;
  p->refused = refused;
  /* Errors about privacy do not keep rustc from printing a layout. */
  p->done = stuck || (p->layouts ? all_laid_out(p) : res.status == 0);
  if (peeked) {
    p->done = true; /* each body stands alone */
    p->hidden = p->refused = false;
  }
  if (!p->layouts && !peeked && res.status != 0) {
    p->mir = NULL;
  }
  proc_result_free(&res);
}

enum { LAYOUTS, OTHERS, NAMES, KINDS };

/* No code is generated when errors are put up with, so names go on by themselves. */
static void split_names(struct probe *kinds) {
  struct probe *others = &kinds[OTHERS], *names = &kinds[NAMES];
  if (!others->peeks || !others->with_ir) {
    return;
  }
  for (size_t i = 0; i < others->n; i++) {
    if (others->live[i] && others->rows[i].kind == PROBE_NAMES) {
      others->live[i] = false;
      names->live[i] = true;
    }
  }
  others->with_ir = false;
  names->with_ir = names->named = true;
}

/* Which copy the next round reads. */
static bool change_copy(struct probe *kinds, size_t n) {
  bool hidden = false;
  bool refused = false;
  for (size_t k = 0; k < n; k++) {
    hidden = hidden || kinds[k].hidden;
    refused = refused || kinds[k].refused;
    kinds[k].hidden = kinds[k].refused = false;
  }
  if (refused) {
    runs_unpublish(kinds[0].r);
  }
  return refused || !hidden || runs_publish(kinds[0].r);
}

/* Rounds of all kinds side by side, until the rows that are left compile. */
static bool ask(struct probe *kinds) {
  for (int round = 0; round < PROBE_ROUNDS; round++) {
    bool started[KINDS] = {false};
    bool ok = true;
    size_t features = kinds[0].r->crate_attrs.n;
    split_names(kinds);
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
    if (!ok || !change_copy(kinds, KINDS)) {
      return false;
    }
  }
  return true;
}

/* Rows that no round answered get the reason that rustc gave for the whole. */
static void give_reasons(struct probe *p) {
  for (size_t i = 0; i < p->n; i++) {
    if (p->live[i] && !p->rows[i].ok && p->layouts == is_layout(&p->rows[i])) {
      p->rows[i].reason = arena_str(p->r->arena, str_sub(p->last, 0, 300));
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
static bool has_body(struct arena *a, str mir, size_t i) {
  return str_find(mir, arena_printf(a, "\nfn " MODULE "::__r%zu(", i), 0) != SIZE_MAX;
}

static bool take_answers(struct probe *p, struct run_bodies *bodies, struct probe_answers *out) {
  struct runs *r = p->r;
  str text = STR_NULL;
  if (p->mir == NULL && p->dumps == NULL) {
    return true;
  }
  if (p->peeks) {
    text = read_dumps(p);
  } else if (!read_text(r, str_from(p->mir), &text)) {
    return false;
  }
  if (!p->named) {
    out->mir = overlay_original(r->arena, &p->shifts, cut_module(r->arena, text));
  }
  if (p->with_ir &&
      (!read_text(r, str_from(p->ll), &text) || !debuginfo_add(bodies->debuginfo, r->sink, text))) {
    return false;
  }
  for (size_t i = 0; i < p->n; i++) {
    if (!p->live[i] || (p->peeks && !has_body(r->arena, text, i))) {
      continue;
    }
    if (p->rows[i].kind == PROBE_NAMES) {
      take_name(p, bodies, i);
    } else {
      p->rows[i].ok = true;
      p->rows[i].reason = STR_NULL;
      p->rows[i].fn_name = arena_printf(r->arena, MODULE "::__r%zu", i);
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
    rows[i].no_drop = false;
    rows[i].layout = NULL;
    rows[i].names = NULL;
    rows[i].fn_name = STR_NULL;
    rows[i].reason = STR("rustc did not answer");
  }
}

static void init_kind(struct probe *p, struct runs *r, struct probe_row *rows, size_t n,
                      const char *root) {
  *p = (struct probe){.r = r, .rows = rows, .n = n, .root_name = root};
  p->live = arena_array(r->arena, bool, n + 1);
  p->known = arena_array(r->arena, bool, n + 1);
}

/* Makes the unanswered rows of a kind live; how many they are. */
static size_t select_rows(struct probe *p, enum probe_kind kind) {
  size_t n = 0;
  for (size_t i = 0; i < p->n; i++) {
    const struct probe_row *row = &p->rows[i];
    if (row->kind == kind && !row->ok && one_line(row->type) && one_line(row->path)) {
      p->live[i] = true;
      p->with_ir = p->with_ir || row->kind == PROBE_NAMES;
      p->peeks = p->peeks || row->kind == PROBE_PART || row->peeks;
      n++;
    }
  }
  return n;
}

/* Most types need no drop. When a run for layouts is due and nothing but drops would need the other
 * kind, the question goes along, and the other kind only follows for those that do need it. */
static bool ask_in_order(struct probe *kinds) {
  struct probe *layouts = &kinds[LAYOUTS], *others = &kinds[OTHERS];
  size_t n_layouts = select_rows(layouts, PROBE_LAYOUT);
  size_t n_others = select_rows(others, PROBE_CALL) + select_rows(others, PROBE_CONST) +
                    select_rows(others, PROBE_NAMES) + select_rows(others, PROBE_PART);
  if (n_layouts > 0 && n_others == 0) {
    select_rows(layouts, PROBE_DROP);
    if (!ask(kinds)) {
      return false;
    }
    return select_rows(others, PROBE_DROP) == 0 || ask(kinds);
  }
  select_rows(others, PROBE_DROP);
  return ask(kinds);
}

bool probe_run(struct runs *r, struct run_bodies *bodies, struct probe_row *rows, size_t n,
               struct probe_answers *out) {
  static const char *const ROOTS[KINDS] = {"__mirdc_layouts.rs", "__mirdc_probe.rs",
                                           "__mirdc_names.rs"};
  struct probe kinds[KINDS];
  struct timespec t0;
  struct timespec t1;
  *out = (struct probe_answers){0};
  first_reasons(rows, n);
  answer_known_names(bodies, rows, n);
  for (size_t k = 0; k < KINDS; k++) {
    init_kind(&kinds[k], r, rows, n, ROOTS[k]);
  }
  kinds[LAYOUTS].layouts = true;
  clock_gettime(CLOCK_MONOTONIC, &t0);
  bool ok = ask_in_order(kinds);
  clock_gettime(CLOCK_MONOTONIC, &t1);
  r->rustc_us += (uint64_t)((t1.tv_sec - t0.tv_sec) * 1000000 + (t1.tv_nsec - t0.tv_nsec) / 1000);
  ok = ok && take_answers(&kinds[OTHERS], bodies, out) && take_answers(&kinds[NAMES], bodies, out);
  for (size_t k = 0; k < KINDS; k++) {
    give_reasons(&kinds[k]);
  }
  return ok && !diag_failed(r->sink);
}
