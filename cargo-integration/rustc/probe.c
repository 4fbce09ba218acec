/* Probe runs: a generated module with one row a line, so that an error's line is its row. */
#include "cargo-integration/rustc/probe.h"

#include <string.h>

#include "base/fs.h"
#include "cargo-integration/rustc/overlay_scan.h"

#define MODULE "__mirdc_probe"

struct probe {
  struct runs *r;
  struct probe_row *rows;
  size_t n;
  bool *live;     /* still asked in this kind of run */
  uint32_t line0; /* line of row 0 in the overlay's crate root */
  str shown_root; /* the crate root as rustc prints it */
};

static bool is_layout(const struct probe_row *row) {
  return row->kind == PROBE_LAYOUT;
}

/* A type that contains a line break would shift all rows. */
static bool one_line(str s) {
  return str_find_char(s, '\n', 0) == SIZE_MAX;
}

static void add_call(struct strbuf *b, size_t i, const struct probe_row *row) {
  sb_addf(b, "pub unsafe fn __r%zu(", i);
  for (size_t k = 0; k < row->n_args; k++) {
    sb_addf(b, "%sa%zu: %.*s", k > 0 ? ", " : "", k, STR_ARG(row->args[k]));
  }
  sb_addf(b, ") -> %.*s { unsafe { %.*s(", STR_ARG(row->type.n > 0 ? row->type : STR("()")),
          STR_ARG(row->path));
  for (size_t k = 0; k < row->n_args; k++) {
    sb_addf(b, "%sa%zu", k > 0 ? ", " : "", k);
  }
  sb_addz(b, ") } }");
}

static void add_row(struct strbuf *b, const struct probe *p, size_t i) {
  const struct probe_row *row = &p->rows[i];
  const char *attr = p->r->unit->tc.dialect->layout_attr;
  switch (row->kind) {
  case PROBE_LAYOUT:
    sb_addf(b, "#[%s(debug)] type __L%zu = %.*s;", attr, i, STR_ARG(row->type));
    break;
  case PROBE_DROP:
    sb_addf(b, "pub unsafe fn __r%zu(p: *mut %.*s) { unsafe { ::core::ptr::drop_in_place(p) } }", i,
            STR_ARG(row->type));
    break;
  case PROBE_CALL:
    add_call(b, i, row);
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

static str make_module(struct probe *p) {
  struct strbuf b = {0};
  sb_addz(&b, "\n#[allow(warnings)] pub mod " MODULE " { use super::*; "
              "pub struct __S<T>(pub T); unsafe impl<T> ::core::marker::Sync for __S<T> {}\n");
  for (size_t i = 0; i < p->n; i++) {
    if (p->live[i]) {
      add_row(&b, p, i);
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

/* "PATH:LINE:COL: error…": a diagnostic of rustc's short form. */
static bool error_line(str line, str *path, uint32_t *at, str *message) {
  size_t e = str_find(line, STR(": error"), 0);
  if (e == SIZE_MAX) {
    return false;
  }
  str place = str_sub(line, 0, e);
  size_t col = str_rfind_char(place, ':');
  if (col == SIZE_MAX) {
    return false;
  }
  str rest = str_sub(place, 0, col);
  size_t ln = str_rfind_char(rest, ':');
  uint64_t n = 0;
  if (ln == SIZE_MAX || !str_to_u64(str_drop(rest, ln + 1), &n) || n > UINT32_MAX) {
    return false;
  }
  size_t colon = str_find(line, STR(": "), e + 2);
  *path = str_sub(rest, 0, ln);
  *at = (uint32_t)n;
  *message = colon == SIZE_MAX ? STR_NULL : str_drop(line, colon + 2);
  return true;
}

/* Library features that a row needs are switched on for the next round. */
static bool wants_feature(struct probe *p, str message) {
  static const char *const BEFORE = "use of unstable library feature `";
  size_t at = str_find(message, str_from(BEFORE), 0);
  if (at == SIZE_MAX) {
    return false;
  }
  str name = str_drop(message, at + strlen(BEFORE));
  size_t tick = str_find_char(name, '`', 0);
  name = str_sub(name, 0, tick == SIZE_MAX ? 0 : tick);
  for (size_t i = 0; i < p->r->crate_attrs.n; i++) {
    if (str_eq(p->r->crate_attrs.p[i], name)) {
      return false;
    }
  }
  if (name.n == 0) {
    return false;
  }
  vec_push(p->r->arena, &p->r->crate_attrs, arena_str(p->r->arena, name));
  return true;
}

/* Several rows of a round may need the same feature. */
static bool has_feature_from(struct probe *p, size_t first, str message) {
  for (size_t i = first; i < p->r->crate_attrs.n; i++) {
    str f = arena_printf(p->r->arena, "unstable library feature `%.*s`",
                         STR_ARG(p->r->crate_attrs.p[i]));
    if (str_find(message, f, 0) != SIZE_MAX) {
      return true;
    }
  }
  return false;
}

static void take_layout(struct probe *p, struct probe_row *row, str text) {
  struct layout *l = arena_new(p->r->arena, struct layout);
  str why = STR_NULL;
  size_t at = str_find(text, STR(" = Layout {"), 0);
  size_t open = str_find_char(text, '{', at);
  size_t depth = 0;
  size_t end = open;
  do {
    depth += text.p[end] == '{';
    depth -= text.p[end] == '}';
    end++;
  } while (depth > 0 && end < text.n);
  if (row->ok) {
    return;
  }
  row->ok = layout_parse(p->r->arena, str_sub(text, at + 3, end), l, &why);
  if (row->ok) {
    size_t from = str_find(text, STR("layout_of("), 0) + sizeof "layout_of(" - 1;
    l->printed = str_sub(text, from, at - 1);
    row->layout = l;
    row->reason = STR_NULL;
  } else {
    struct diag *d = diag_error(p->r->sink, MD0149, SPAN_NONE,
                                "cannot read the layout of `%.*s`: "
                                "%.*s",
                                STR_ARG(row->type), STR_ARG(why));
    diag_note(d, "rustc is %.*s", STR_ARG(p->r->unit->tc.release));
    row->reason = why;
  }
}

/* What one run's stderr came to. */
struct outcome {
  size_t dropped;   /* rows that will not be asked again */
  size_t features;  /* switched on since */
  size_t strangers; /* errors outside the module's rows */
  str stranger;     /* the first of them */
};

/* Was the row's type mentioned as a layout in this error? The message spans several lines; its
 * first line decides. */
static void take_error(struct probe *p, str path, uint32_t line, str message, str from_here,
                       size_t first_feature, struct outcome *o) {
  bool here = str_eq(path, p->shown_root) && line >= p->line0 && line - p->line0 < p->n;
  if (!here) {
    o->strangers++;
    if (o->stranger.n == 0) {
      o->stranger =
          arena_printf(p->r->arena, "%.*s:%u: %.*s", STR_ARG(path), line, STR_ARG(message));
    }
    return;
  }
  struct probe_row *row = &p->rows[line - p->line0];
  if (str_starts(message, STR("layout_of("))) {
    take_layout(p, row, from_here);
    return;
  }
  if (has_feature_from(p, first_feature, message)) {
    return;
  }
  if (wants_feature(p, message)) {
    o->features++;
    return;
  }
  if (p->live[line - p->line0]) {
    p->live[line - p->line0] = false;
    row->reason = arena_str(p->r->arena, str_sub(message, 0, 300));
    o->dropped++;
  }
}

static struct outcome read_errors(struct probe *p, str err) {
  struct outcome o = {0};
  str rest = err;
  size_t first_feature = p->r->crate_attrs.n;
  while (rest.n > 0) {
    str here = rest;
    str line;
    str path;
    str message;
    uint32_t at = 0;
    (void)str_next_line(&rest, &line);
    if (error_line(line, &path, &at, &message)) {
      take_error(p, path, at, message, here, first_feature, &o);
    }
  }
  return o;
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

static void start_command(struct probe *p, struct proc_cmd *c) {
  struct runs *r = p->r;
  runs_command(r, c, r->overlay.root);
  runs_device_flags(r, c);
  static const char *const ALWAYS[] = {"rustc_attrs", "never_type", "core_intrinsics"};
  for (size_t i = 0; i < COUNT_OF(ALWAYS); i++) {
    add_feature(p, c, str_from(ALWAYS[i]));
  }
  for (size_t i = 0; i < r->crate_attrs.n; i++) {
    add_feature(p, c, r->crate_attrs.p[i]);
  }
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
    if (p->live[i] && !p->rows[i].ok) {
      return false;
    }
  }
  return true;
}

/* Runs until the rows that are left compile. `finish` reads the products of the last run. */
static bool ask(struct probe *p, bool layouts, bool with_ir, bool (*finish)(void *, str, str),
                void *ctx) {
  str last = STR_NULL;
  for (int round = 0; round < PROBE_ROUNDS && rest_rows(p); round++) {
    struct runs *r = p->r;
    struct proc_cmd c;
    struct proc_result res;
    char *mir = arena_strz(r->arena, arena_printf(r->arena, "%s/p%u.mir", r->work, r->n_runs));
    char *ll = arena_strz(r->arena, arena_printf(r->arena, "%s/p%u.ll", r->work, r->n_runs));
    if (!overlay_append(r->sink, &r->overlay, make_module(p))) {
      return false;
    }
    start_command(p, &c);
    if (layouts) {
      proc_arg(&c, "--emit=metadata");
      proc_argf(&c, "--out-dir=%s", r->work);
    } else if (with_ir) {
      /* With all functions inlinable elsewhere, only the rows are compiled. */
      proc_argf(&c, "--emit=mir=%s,llvm-ir=%s", mir, ll);
      proc_argf(&c, "--out-dir=%s", r->work); /* temporary files too */
      proc_arg(&c, "-Cdebuginfo=2");
      proc_arg(&c, "-Cno-prepopulate-passes");
      proc_arg(&c, "-Ccodegen-units=1");
      proc_arg(&c, "-Zcross-crate-inline-threshold=always");
    } else {
      proc_argf(&c, "--emit=mir=%s", mir);
      proc_argf(&c, "--out-dir=%s", r->work); /* temporary files too */
      proc_arg(&c, "-Zno-codegen");
    }
    if (!layouts) {
      proc_arg(&c, "-Zmir-include-spans=yes");
    }
    if (!runs_start(r, &c, &res)) {
      proc_result_free(&res);
      return false;
    }
    str err = arena_str(r->arena, sb_str(&res.err));
    int status = res.status;
    proc_result_free(&res);
    struct outcome o = read_errors(p, err);
    last = o.stranger.n > 0 ? o.stranger : runs_first_error(err);
    if (!layouts && status == 0) {
      return finish(ctx, str_from(mir), str_from(ll));
    }
    /* Errors about privacy do not keep rustc from printing the layout. */
    if (layouts && all_laid_out(p)) {
      return true;
    }
    if (o.dropped == 0 && o.features == 0) {
      break;
    }
  }
  if (rest_rows(p)) {
    for (size_t i = 0; i < p->n; i++) {
      if (p->live[i] && !p->rows[i].ok) {
        p->rows[i].reason = arena_str(p->r->arena, str_sub(last, 0, 300));
      }
    }
  }
  return true;
}

struct products {
  struct probe *p;
  struct run_bodies *bodies;
  struct probe_answers *out;
  bool want_mir, want_ir;
};

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

static bool finish_answers(void *ctx, str mir, str ll) {
  struct products *x = ctx;
  struct runs *r = x->p->r;
  str text = STR_NULL;
  if (x->want_mir) {
    if (!read_text(r, mir, &text)) {
      return false;
    }
    x->out->mir = cut_module(r->arena, text);
  }
  if (x->want_ir &&
      (!read_text(r, ll, &text) || !debuginfo_add(x->bodies->debuginfo, r->sink, text))) {
    return false;
  }
  for (size_t i = 0; i < x->p->n; i++) {
    struct probe_row *row = &x->p->rows[i];
    if (!x->p->live[i]) {
      continue;
    }
    if (row->kind == PROBE_NAMES) {
      str fn = arena_printf(r->arena, "__mirdc_n%zu", i);
      row->names = debuginfo_parameter(x->bodies->debuginfo, fn);
      row->ok = row->names != NULL;
      row->reason = row->ok ? STR_NULL : STR("rustc's debug info does not describe this type");
    } else {
      row->ok = true;
      row->reason = STR_NULL;
      row->fn_name = arena_printf(r->arena, MODULE "::__r%zu", i);
    }
  }
  return true;
}

/* Starts a kind of run: which rows take part. */
static size_t select_rows(struct probe *p, bool layouts) {
  size_t n = 0;
  for (size_t i = 0; i < p->n; i++) {
    struct probe_row *row = &p->rows[i];
    p->live[i] =
        !row->ok && is_layout(row) == layouts && one_line(row->type) && one_line(row->path);
    n += p->live[i];
  }
  return n;
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
    rows[i].layout = NULL;
    rows[i].names = NULL;
    rows[i].fn_name = STR_NULL;
    rows[i].reason = STR("rustc did not answer");
  }
}

bool probe_run(struct runs *r, struct run_bodies *bodies, struct probe_row *rows, size_t n,
               struct probe_answers *out) {
  struct probe p = {.r = r, .rows = rows, .n = n};
  struct products x = {&p, bodies, out, false, false};
  *out = (struct probe_answers){0};
  p.live = arena_array(r->arena, bool, n + 1);
  p.line0 = count_lines(r->overlay.root_text) + 3;
  p.shown_root = str_drop(str_from(r->overlay.root), strlen(r->overlay.remap_from));
  first_reasons(rows, n);
  answer_known_names(bodies, rows, n);
  bool ok = select_rows(&p, true) == 0 || ask(&p, true, false, NULL, NULL);
  if (ok && select_rows(&p, false) > 0) {
    for (size_t i = 0; i < n; i++) {
      x.want_ir = x.want_ir || (rows[i].kind == PROBE_NAMES && p.live[i]);
      x.want_mir = x.want_mir || (rows[i].kind != PROBE_NAMES && !is_layout(&rows[i]));
    }
    ok = ask(&p, false, x.want_ir, finish_answers, &x);
  }
  return overlay_append(r->sink, &r->overlay, STR_NULL) && ok && !diag_failed(r->sink);
}
