/* The run for types: goes beside run A, and its products are read when the first question comes. */
#include <string.h>

#include "base/fs.h"
#include "cargo-integration/rustc/runs.h"

/* The text as the pass writes types: without lifetimes, which this run has erased. */
static str without_lifetimes(struct arena *a, str text) {
  static const str erased = {"'{erased}", 9};
  char *out = arena_array(a, char, text.n + 1);
  size_t n = 0;
  for (size_t at = 0; at < text.n;) {
    str rest = str_drop(text, at);
    if (!str_starts(rest, erased)) {
      out[n++] = text.p[at++];
      continue;
    }
    at += erased.n;
    rest = str_drop(text, at);
    if (str_starts(rest, STR(">")) && n > 0 && out[n - 1] == '<') {
      n--;
      at++;
    } else {
      at += str_starts(rest, STR(", ")) ? 2 : str_starts(rest, STR(" ")) ? 1 : 0;
    }
  }
  return (str){out, n};
}

/* "print-type-size type: `T`: 32 bytes, alignment: 8 bytes". */
static void take_type_size(struct runs *r, struct run_bodies *b, str line) {
  str rest = str_drop(line, sizeof "print-type-size type: `" - 1);
  size_t tick = str_rfind_char(rest, '`');
  size_t comma = str_find(rest, STR(" bytes, alignment: "), tick == SIZE_MAX ? 0 : tick);
  struct type_size t = {STR_NULL, 0, 0};
  if (tick == SIZE_MAX || comma == SIZE_MAX) {
    return;
  }
  str align = str_drop(rest, comma + sizeof " bytes, alignment: " - 1);
  size_t space = str_find_char(align, ' ', 0);
  t.type = without_lifetimes(r->arena, str_sub(rest, 0, tick));
  if (str_to_u64(str_sub(rest, tick + 3, comma), &t.size) && space != SIZE_MAX &&
      str_to_u64(str_sub(align, 0, space), &t.align)) {
    vec_push(r->arena, &b->sizes, t);
  }
}

/* "MONO_ITEM fn NAME @@ unit[Linkage]". */
static void take_mono_item(struct runs *r, struct run_bodies *b, str line) {
  str rest = str_drop(line, sizeof "MONO_ITEM " - 1);
  size_t space = str_find_char(rest, ' ', 0);
  size_t at = str_find(rest, STR(" @@ "), 0);
  if (space == SIZE_MAX || at == SIZE_MAX || at <= space) {
    return;
  }
  struct mono_item m = {str_sub(rest, 0, space), str_sub(rest, space + 1, at)};
  vec_push(r->arena, &b->mono, m);
}

static void read_stdout(struct runs *r, struct run_bodies *b, str out) {
  str rest = out;
  str line;
  while (str_next_line(&rest, &line)) {
    if (str_starts(line, STR("print-type-size type: `"))) {
      take_type_size(r, b, line);
    } else if (str_starts(line, STR("MONO_ITEM "))) {
      take_mono_item(r, b, line);
    }
  }
  for (size_t i = 0; i < b->sizes.n; i++) {
    debuginfo_expect(b->debuginfo, b->sizes.p[i].type, b->sizes.p[i].size, b->sizes.p[i].align);
  }
}

static bool read_glue(struct runs *r, struct run_bodies *b, const char *dir) {
  str *names = NULL;
  size_t n = 0;
  if (!fs_is_dir(dir)) {
    return true; /* nothing to drop: rustc makes no folder */
  }
  if (!fs_list(r->arena, dir, &names, &n)) {
    return true;
  }
  for (size_t i = 0; i < n; i++) {
    struct glue_file g = {names[i], STR_NULL};
    if (str_ends(names[i], STR(".mir"))) {
      if (!runs_product(r, path_join(r->arena, dir, arena_strz(r->arena, names[i])), &g.text)) {
        return false;
      }
      vec_push(r->arena, &b->glue, g);
    }
  }
  return true;
}

static void types_command(struct runs *r, struct proc_cmd *c) {
  struct types_run *t = &r->types;
  t->ll = arena_strz(r->arena, arena_printf(r->arena, "%s/t%u.ll", r->work, r->n_runs));
  t->glue = arena_strz(r->arena, arena_printf(r->arena, "%s/glue%u", r->work, r->n_runs));
  runs_command(r, c, r->overlay.root);
  runs_device_flags(r, c);
  proc_argf(c, "--emit=llvm-ir=%s", t->ll);
  proc_argf(c, "--out-dir=%s", r->work); /* temporary files too */
  proc_arg(c, "-Cdebuginfo=2");
  proc_arg(c, "-Cno-prepopulate-passes");
  proc_arg(c, "-Ccodegen-units=1");
  /* Otherwise small functions are left to the crates that use them, and their types are not
   * described. */
  proc_arg(c, "-Zcross-crate-inline-threshold=never");
  /* Glue of types that nothing can name, in functions that nothing here calls. */
  if (!t->lean) {
    proc_arg(c, "-Clink-dead-code");
  }
  proc_arg(c, "-Zprint-type-sizes");
  proc_arg(c, "-Zprint-mono-items=yes");
  proc_arg(c, "-Zdump-mir=drop_in_place & runtime-optimized | drop_glue & runtime-optimized | "
              "call_once & runtime-optimized");
  proc_argf(c, "-Zdump-mir-dir=%s", t->glue);
}

static bool read_types(struct runs *r, struct run_bodies *b, str out) {
  str ir = STR_NULL;
  if (!runs_product(r, r->types.ll, &ir) || !debuginfo_add(b->debuginfo, r->sink, ir)) {
    return false;
  }
  b->ir = ir;
  read_stdout(r, b, arena_str(r->arena, out));
  return read_glue(r, b, r->types.glue);
}

/* Once more: after a crash without GVN, otherwise without functions that nobody calls, whose
 * constants may be wrong with nobody noticing. */
static bool again(struct runs *r, struct proc_result *res) {
  struct types_run *t = &r->types;
  struct proc_cmd c;
  /* Only here: run A keeps to its own passes. */
  bool without_gvn = r->without_gvn;
  r->without_gvn = without_gvn || runs_crashed(res->status);
  t->lean = t->lean || !runs_crashed(res->status);
  types_command(r, &c);
  r->without_gvn = without_gvn;
  proc_result_free(res);
  return runs_start(r, &c, "types", res);
}

/* Waits for the run. */
static void load_types(void *ctx) {
  struct runs *r = ctx;
  struct types_run *t = &r->types;
  struct proc_result res;
  if (t->state != TYPES_RUNNING) {
    return;
  }
  proc_wait(&t->child, &res);
  t->state = TYPES_FAILED;
  if (res.status != 0 && !again(r, &res)) {
    proc_result_free(&res);
    return;
  }
  if (res.status != 0) {
    (void)runs_failure(r, MD0145, "rustc failed when asked for device code", sb_str(&res.err));
  } else if (read_types(r, r->bodies, sb_str(&res.out))) {
    t->state = TYPES_LOADED;
  }
  proc_result_free(&res);
}

bool runs_types_start(struct runs *r, struct run_bodies *b) {
  struct proc_cmd c;
  if (r->types.state != TYPES_NONE) {
    return true; /* a repetition of run A: types do not change with it */
  }
  *b = (struct run_bodies){0};
  b->debuginfo = debuginfo_new(r->arena, r->unit->crate_name);
  r->bodies = b;
  types_command(r, &c);
  if (!proc_start(r->sink, &c, &r->types.child)) {
    return false;
  }
  runs_count(r, "types");
  r->types.state = TYPES_RUNNING;
  debuginfo_set_loader(b->debuginfo, load_types, r);
  return true;
}

void runs_types_drop(struct runs *r) {
  if (r->types.state == TYPES_RUNNING) {
    struct proc_result res;
    proc_wait(&r->types.child, &res);
    proc_result_free(&res);
    r->types.state = TYPES_FAILED;
  }
}

bool runs_finish(struct runs *r) {
  if (r->types.state == TYPES_RUNNING) {
    debuginfo_load(r->bodies->debuginfo);
  }
  return r->types.state == TYPES_LOADED;
}

bool runs_more_types(struct runs *r, struct run_bodies *bodies) {
  struct proc_cmd c;
  struct proc_result res;
  str ir = STR_NULL;
  if (r->has_more_types || !runs_allowed(r)) {
    r->spent = r->spent || !r->has_more_types;
    return true;
  }
  r->has_more_types = true;
  char *ll = arena_strz(r->arena, arena_printf(r->arena, "%s/t%u.ll", r->work, r->n_runs));
  runs_command(r, &c, r->overlay.root);
  runs_device_flags(r, &c);
  proc_arg(&c, "-Zinline-mir=no");
  proc_arg(&c, "-Copt-level=0");
  proc_arg(&c, "-Cdebuginfo=2");
  proc_arg(&c, "-Cno-prepopulate-passes");
  proc_arg(&c, "-Ccodegen-units=1");
  proc_argf(&c, "--emit=llvm-ir=%s", ll);
  proc_argf(&c, "--out-dir=%s", r->work); /* temporary files too */
  bool ok = runs_start(r, &c, "more-types", &res);
  str err = arena_str(r->arena, sb_str(&res.err));
  if (ok && res.status != 0) {
    ok = runs_failure(r, MD0145, "rustc failed when asked for types", err);
  }
  proc_result_free(&res);
  return ok && runs_product(r, ll, &ir) && debuginfo_add(bodies->debuginfo, r->sink, ir);
}

const struct type_size *run_type_size(const struct run_bodies *b, str type) {
  debuginfo_load(b->debuginfo);
  for (size_t i = 0; i < b->sizes.n; i++) {
    if (str_eq(b->sizes.p[i].type, type)) {
      return &b->sizes.p[i];
    }
  }
  return NULL;
}
