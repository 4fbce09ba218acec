/* `mirdc emulate`: a launch on this CPU. The emulator is a library that is opened here; all that it
 * finds it says itself. */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bundles/bundle.h"
#include "driver/compile.h"
#include "driver/emulate.h"

static bool open_emulator(struct emulation *m) {
  static const char *const places[] = {"../lib/libmirdc-emu.so.0", "../lib/mirdc/libmirdc-emu.so.0",
                                       NULL};
  char *tried = NULL;
  void *lib = session_open_library(m->arena, places, &tried);
  if (!lib) {
    struct diag *d =
        diag_error(&m->s->sink, MD0846, SPAN_NONE, "cannot open `libmirdc-emu.so`: %s", dlerror());
    diag_help(d, "build or install all of mirdc; LLVM 14's library (Debian: libllvm14) must be "
                 "there");
    return false;
  }
  bool all = true;
#define EMU_API(name)                                                                              \
  session_library_function(lib, "mirdc_emu_" #name, &m->api.name);                                 \
  all = all && m->api.name;
#include "driver/emulate_api.def"
#undef EMU_API
  if (all && strcmp(m->api.version(), MIRDC_VERSION) == 0)
    return true;
  diag_error(&m->s->sink, MD0846, SPAN_NONE, "`%s` is of another version than this program", tried);
  return false;
}

/* ---- the file ---- */
static bool dump_of_bundle(struct emulation *m, struct compile *c, str *text) {
  struct bundle b;
  str bytes = {(const char *)c->dump.p, c->dump.n};
  if (!bundle_open(&m->s->sink, m->arena, bytes, str_from(c->input), &b))
    return false;
  size_t i = bundle_find(&b, PAYLOAD_PMIR, NULL, 0);
  if (i != SIZE_MAX)
    return bundle_payload(&m->s->sink, m->arena, &b, i, text);
  struct diag *d =
      diag_error(&m->s->sink, MD0845, SPAN_NONE, "`%s` does not hold prepared MIR", c->input);
  diag_help(d, "make the bundle with `--embed-dump`, or give the `.pmir.json`");
  return false;
}

static bool checks(struct emulation *m, uint32_t *out) {
  static const struct {
    const char *name;
    uint32_t bit;
  } words[] = {{"on", MIRDC_EMU_ALL},        {"off", 0},
               {"bounds", MIRDC_EMU_BOUNDS}, {"uninit", MIRDC_EMU_UNINIT},
               {"races", MIRDC_EMU_RACES},   {"divergence", MIRDC_EMU_DIVERGENCE}};
  str *list;
  size_t n;
  *out = MIRDC_EMU_ALL;
  if (!option_list(&m->s->sink, &m->s->options, OPT_CHECKS, m->arena, &list, &n))
    return false;
  if (n)
    *out = 0;
  for (size_t i = 0; i < n; i++) {
    size_t w = 0;
    while (w < COUNT_OF(words) && !str_eqz(list[i], words[w].name))
      w++;
    if (w == COUNT_OF(words)) {
      diag_error(&m->s->sink, MD0012, SPAN_NONE,
                 "--checks takes on, off, bounds, uninit, races, divergence, not `%.*s`",
                 STR_ARG(list[i]));
      return false;
    }
    *out |= words[w].bit;
  }
  return true;
}

/* What the emulator has to say goes where diagnostics go. */
static void pass_on_messages(struct emulation *m) {
  unsigned flags = m->s->json ? MIRDC_EMU_JSON : m->s->color ? MIRDC_EMU_COLOR : 0;
  const char *text = m->api.messages(m->e, flags);
  fflush(stdout);
  fputs(text, m->s->json ? stdout : stderr);
}

static bool open_file(struct emulation *m, struct compile *c) {
  str shown, text;
  uint64_t opt, stack;
  mirdc_emu_options o = {.struct_size = sizeof o};
  if (!checks(m, &o.checks) || !option_number(&m->s->sink, &m->s->options, OPT_OPT, 0, 3, 3, &opt) ||
      !option_number(&m->s->sink, &m->s->options, OPT_STACK, 0, UINT64_C(1) << 32, 0, &stack))
    return false;
  if (!compile_take_text(c, &shown))
    return false;
  text = (str){(const char *)c->dump.p, c->dump.n};
  if (bundle_is(text) && !dump_of_bundle(m, c, &text))
    return false;
  o.opt = (uint32_t)opt;
  o.stack_bytes = stack;
  o.source_root = arena_strz(m->arena, m->s->sources.root);
  if (m->api.open(text.p, text.n, arena_strz(m->arena, shown), &o, &m->e) == MIRDC_EMU_OK)
    return true;
  pass_on_messages(m);
  return false;
}

/* ---- the launch ---- */
static bool list_kernels(struct emulation *m, struct diag *d) {
  struct strbuf b = {0};
  mirdc_emu_kernel k;
  for (uint32_t i = 0; i < m->api.kernel_count(m->e) && m->api.get_kernel(m->e, i, &k); i++)
    sb_addf(&b, "%s`%s`", i ? ", " : "", k.name);
  diag_note(d, "its kernels: %s", b.n ? sb_z(&b) : "none");
  sb_free(&b);
  return false;
}

static bool choose_kernel(struct emulation *m, const char *file) {
  const char *name = option_value(&m->s->options, OPT_KERNEL, NULL);
  if (name)
    m->number = m->api.find_kernel(m->e, name);
  else if (m->api.kernel_count(m->e) != 1)
    return list_kernels(m,
                        diag_error(&m->s->sink, MD0844, SPAN_NONE,
                                   "`%s` does not have one kernel; choose with `--kernel`", file));
  if (m->api.get_kernel(m->e, m->number, &m->kernel))
    return true;
  return list_kernels(m, diag_error(&m->s->sink, MD0844, SPAN_NONE, "`%s` has no kernel `%s`", file,
                                    name ? name : ""));
}

static bool dims(struct emulation *m, enum option id, const char *name, uint32_t out[3]) {
  str *words;
  size_t n;
  const char *text = option_value(&m->s->options, id, "");
  if (!option_list(&m->s->sink, &m->s->options, id, m->arena, &words, &n))
    return false;
  bool ok = n <= 3;
  for (size_t i = 0; ok && n && i < 3; i++) {
    uint64_t v = 1;
    ok = i >= n || (str_to_u64(words[i], &v) && v > 0 && v <= UINT32_MAX);
    out[i] = (uint32_t)v;
  }
  if (!ok)
    diag_error(&m->s->sink, MD0012, SPAN_NONE,
               "--%s takes one to three numbers of at least 1, not `%s`", name, text);
  return ok;
}

static bool shape(struct emulation *m) {
  uint64_t limit, shared;
  mirdc_emu_launch *l = &m->launch;
  *l = (mirdc_emu_launch){.struct_size = sizeof *l, .grid = {1, 1, 1}};
  memcpy(l->block, m->kernel.block, sizeof l->block);
  for (unsigned i = 1; i < 3; i++)
    if (l->block[0] && !l->block[i])
      l->block[i] = 1;
  if (!dims(m, OPT_GRID, "grid", l->grid) || !dims(m, OPT_BLOCK, "block", l->block) ||
      !option_number(&m->s->sink, &m->s->options, OPT_LIMIT, 0, UINT32_MAX, 60, &limit) ||
      !option_number(&m->s->sink, &m->s->options, OPT_SHARED, 0, UINT32_MAX, m->kernel.dynamic_shared,
                     &shared))
    return false;
  l->time_limit_ms = limit * 1000;
  l->dynamic_shared = shared;
  if (l->block[0])
    return true;
  struct diag *d = diag_error(&m->s->sink, MD0843, SPAN_NONE,
                              "kernel `%s` does not fix the size of a block", m->kernel.name);
  diag_help(d, "pass `--block X[,Y[,Z]]`");
  return false;
}

/* ---- the report ---- */
static const char *status_word(mirdc_emu_status st) {
  switch (st) {
  case MIRDC_EMU_OK:
    return "ok";
  case MIRDC_EMU_FINDINGS:
    return "findings";
  case MIRDC_EMU_STOPPED:
    return "stopped";
  case MIRDC_EMU_REFUSED:
    return "refused";
  }
  return "refused";
}

static void report_findings(struct emulation *m, struct jsonw *w) {
  mirdc_emu_finding f;
  jw_key(w, "findings");
  jw_array(w);
  for (size_t i = 0; i < m->api.finding_count(m->e) && m->api.get_finding(m->e, i, &f); i++) {
    jw_object(w);
    jw_kz(w, "code", f.code);
    jw_kz(w, "message", f.message);
    jw_kz(w, "file", f.file);
    jw_ku64(w, "line", f.line);
    jw_ku64(w, "column", f.column);
    if (f.has_thread) {
      jw_kdims(w, "block", f.block);
      jw_kdims(w, "thread", f.thread);
    }
    jw_ku64(w, "count", f.count);
    jw_kbool(w, "fatal", f.fatal);
    jw_end_object(w);
  }
  jw_end_array(w);
}

static bool report_json(struct emulation *m, mirdc_emu_status st, bool ran) {
  struct jsonw w;
  size_t n = 0;
  const char *printed = m->api.printed(m->e, &n);
  uint64_t compile, run;
  jw_init(&w, false);
  jw_object(&w);
  jw_kz(&w, "$message_type", "emulation");
  jw_kz(&w, "kernel", m->kernel.name);
  jw_kdims(&w, "grid", m->launch.grid);
  jw_kdims(&w, "block", m->launch.block);
  jw_ku64(&w, "dynamic_shared", m->launch.dynamic_shared);
  jw_kz(&w, "status", status_word(st));
  report_findings(m, &w);
  jw_kstr(&w, "printed", (str){printed, n});
  jw_key(&w, "out");
  jw_array(&w);
  bool ok = !ran || emulate_put_outs(m, &w);
  jw_end_array(&w);
  if (option_given(&m->s->options, OPT_TIME)) {
    m->api.times(m->e, &compile, &run);
    jw_ku64(&w, "compile_ns", compile);
    jw_ku64(&w, "run_ns", run);
  }
  jw_end_object(&w);
  printf("%s\n", sb_z(&w.out));
  jw_free(&w);
  return ok;
}

static const char *plural(size_t n) {
  return n == 1 ? "" : "s";
}

static void summary(struct emulation *m, mirdc_emu_status st) {
  const mirdc_emu_launch *l = &m->launch;
  uint64_t compile, run, blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
  uint32_t threads = l->block[0] * l->block[1] * l->block[2];
  size_t n = m->api.finding_count(m->e);
  session_say(m->s, "kernel `%s`, %" PRIu64 " block%s of %u thread%s: ", m->kernel.name, blocks,
              plural(blocks), threads, plural(threads));
  if (st == MIRDC_EMU_OK)
    session_say(m->s, "nothing found\n");
  else
    session_say(m->s, "%s%zu finding%s\n", st == MIRDC_EMU_STOPPED ? "ended early, " : "", n,
                plural(n));
  if (!option_given(&m->s->options, OPT_TIME))
    return;
  m->api.times(m->e, &compile, &run);
  session_say(m->s, "compiled in %.1f ms, ran in %.1f ms\n", (double)compile / 1e6,
              (double)run / 1e6);
}

static bool report(struct emulation *m, mirdc_emu_status st) {
  bool ran = st == MIRDC_EMU_OK || st == MIRDC_EMU_FINDINGS;
  size_t n = 0;
  if (m->s->json) {
    pass_on_messages(m);
    return report_json(m, st, ran);
  }
  const char *printed = m->api.printed(m->e, &n);
  fwrite(printed, 1, n, stdout);
  pass_on_messages(m);
  bool ok = !ran || emulate_put_outs(m, NULL);
  if (st != MIRDC_EMU_REFUSED)
    summary(m, st);
  return ok;
}

static bool emulate(struct emulation *m, struct compile *c) {
  if (!open_emulator(m) || !open_file(m, c) || !choose_kernel(m, c->input) || !shape(m) ||
      !emulate_take_args(m) || !emulate_take_statics(m) || !emulate_check_outs(m))
    return false;
  mirdc_emu_status st = m->api.run(m->e, m->number, &m->launch);
  return report(m, st) && st == MIRDC_EMU_OK;
}

int cmd_emulate(struct session *s) {
  struct compile c = {.s = s, .arena = &s->arena};
  struct emulation m = {.s = s, .arena = &s->arena};
  bool ok = emulate(&m, &c);
  if (m.e)
    m.api.close(m.e);
  bytes_free(&c.dump);
  return ok ? EXIT_DONE : EXIT_DIAGNOSED;
}
