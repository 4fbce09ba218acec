/* `mirdc compile`: options to a plan, then the stages of compile.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/compile.h"

static int by_target(const void *a, const void *b) {
  const struct target *x = a, *y = b;
  if (x->cc != y->cc)
    return x->cc < y->cc ? -1 : 1;
  return (x->suffix > y->suffix) - (x->suffix < y->suffix);
}

static bool plan_archs(struct compile *c) {
  str *names;
  size_t n;
  if (!option_list(&c->s->sink, &c->s->options, OPT_ARCH, c->arena, &names, &n))
    return false;
  if (!n) {
    names = arena_new(c->arena, str);
    *names = STR("sm_90");
    n = 1;
  }
  c->archs = arena_array(c->arena, struct target, n);
  for (size_t i = 0; i < n; i++) {
    struct target t;
    if (!target_require(&c->s->sink, names[i], &t))
      return false;
    c->archs[c->n_archs++] = t;
  }
  qsort(c->archs, c->n_archs, sizeof *c->archs, by_target);
  size_t kept = 1;
  for (size_t i = 1; i < c->n_archs; i++)
    if (!target_eq(c->archs[i], c->archs[kept - 1]))
      c->archs[kept++] = c->archs[i];
  c->n_archs = kept;
  return true;
}

/* -o and --emit must agree, so that the file that was asked for by name is written. */
static bool main_is_emitted(struct compile *c) {
  const char *path = option_value(&c->s->options, OPT_OUTPUT, NULL);
  enum artifact_kind k = path ? compile_main_kind(c, path) : ART_BUNDLE;
  if (!path || c->emit[k])
    return true;
  struct diag *d =
      diag_error(&c->s->sink, MD0012, SPAN_NONE, "`-o %s` names a %s, which --emit does not list",
                 path, artifact_kind_name(k));
  diag_help(d, "add `%s` to --emit, or drop --emit", artifact_kind_name(k));
  return false;
}

static bool plan_emit(struct compile *c) {
  if (option_given(&c->s->options, OPT_OUTPUT) && option_given(&c->s->options, OPT_OUT_DIR)) {
    diag_error(&c->s->sink, MD0012, SPAN_NONE, "-o and --out-dir exclude each other");
    return false;
  }
  str *kinds;
  size_t n;
  if (!option_list(&c->s->sink, &c->s->options, OPT_EMIT, c->arena, &kinds, &n))
    return false;
  if (!n) {
    const char *path = option_value(&c->s->options, OPT_OUTPUT, NULL);
    c->emit[path ? compile_main_kind(c, path) : ART_BUNDLE] = true;
    c->emit[ART_RECORD] |= !path;
    return true;
  }
  for (size_t i = 0; i < n; i++) {
    enum artifact_kind k;
    if (!artifact_kind_parse(kinds[i], &k)) {
      struct diag *d = diag_error(&c->s->sink, MD0012, SPAN_NONE,
                                  "`%.*s` is not a kind of artifact", STR_ARG(kinds[i]));
      diag_help(d, "--emit takes pmir, llvm, nvvm, ltoir, ptx, cubin, bundle and record");
      return false;
    }
    if (k == ART_OBJECT || k == ART_HEADER) {
      struct diag *d = diag_error(&c->s->sink, MD0012, SPAN_NONE, "this version cannot emit `%.*s`",
                                  STR_ARG(kinds[i]));
      diag_help(d, "emit a bundle and load it from its file");
      return false;
    }
    c->emit[k] = true;
  }
  return main_is_emitted(c);
}

static bool plan_policy(struct compile *c) {
  static const char *const on_off[] = {"off", "on", NULL};
  struct diag_sink *s = &c->s->sink;
  const struct options *o = &c->s->options;
  c->dry = option_given(o, OPT_DRY);
  c->debug = option_given(o, OPT_DEBUG);
  c->line_info = option_given(o, OPT_LINES);
  uint64_t regs, jobs;
  unsigned fmad;
  long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  if (!option_opt_level(s, o, c->debug, &c->opt) ||
      !option_number(s, o, OPT_REGS, 0, 255, 0, &regs) ||
      !option_number(s, o, OPT_JOBS, 1, 1024, cpus > 0 ? (uint64_t)cpus : 1, &jobs) ||
      !option_choice(s, o, OPT_FMAD, on_off, 1, &fmad))
    return false;
  c->max_registers = (unsigned)regs;
  c->jobs = (unsigned)jobs;
  c->fmad = fmad == 1;
  return true;
}

static bool plan_unit(struct compile *c) {
  struct diag_sink *s = &c->s->sink;
  const struct options *o = &c->s->options;
  const char *kind = option_value(o, OPT_KIND, NULL);
  if (kind && !unit_kind_parse(str_from(kind), &c->unit.kind)) {
    diag_error(s, MD0012, SPAN_NONE, "`%s` is not a kind of Cargo target", kind);
    return false;
  }
  c->unit.package = str_from(option_value(o, OPT_PACKAGE, ""));
  if (kind && c->unit.kind != UNIT_FILE && !c->unit.package.n) {
    diag_error(s, MD0012, SPAN_NONE, "`--kind %s` needs `--package`", kind);
    return false;
  }
  const char *name = option_value(o, OPT_TARGET_NAME, NULL);
  c->unit.target = name ? str_from(name) : artifact_stem(str_from(c->input));
  c->unit.profile = str_from(option_value(o, OPT_PROFILE, ""));
  /* Names that cannot be used are refused before any work is done. */
  struct artifact_place place;
  return compile_place(c, ART_BUNDLE, STR(""), 0, &place);
}

/* On when the unit has debug assertions, as a panic's place is then expected. */
static bool plan_trap_info(struct compile *c) {
  static const char *const on_off[] = {"off", "on", NULL};
  unsigned v, usual = c->m && c->m->unit.debug_assertions;
  if (!option_choice(&c->s->sink, &c->s->options, OPT_TRAP, on_off, usual, &v))
    return false;
  c->trap_info = v == 1;
  return true;
}

static bool take_externs(struct compile *c) {
  size_t n = c->s->options.values[OPT_EXTERN].n;
  c->externs = arena_array(c->arena, struct extern_file, n);
  for (size_t i = 0; i < n; i++) {
    struct extern_file *f = &c->externs[c->n_externs];
    f->path = str_from(c->s->options.values[OPT_EXTERN].p[i]);
    if (!fs_read(&c->s->sink, f->path.p, 0, &f->bytes))
      return false;
    f->digest = hash_of(f->bytes.p, f->bytes.n);
    c->n_externs++;
  }
  return true;
}

/* Functions for other device code need no kernel, as long as nothing is linked: a linker keeps only what
 * kernels reach. Linked inputs may bring kernels, which a bundle would not know. */
static bool only_exports(struct compile *c) {
  if (!pm_has_exports(c->m))
    return false;
  if (!option_given(&c->s->options, OPT_EMIT) && !option_given(&c->s->options, OPT_OUTPUT)) {
    c->emit[ART_BUNDLE] = false;
    c->emit[ART_LTOIR] = true;
  }
  bool foreign = c->s->options.values[OPT_EXTERN].n > 0;
  return !c->emit[ART_BUNDLE] && (foreign || (!c->emit[ART_CUBIN] && !c->emit[ART_PTX]));
}

static bool has_kernels(struct compile *c) {
  if (!c->m || c->m->n_kernels || only_exports(c))
    return true;
  struct diag *d = diag_error(&c->s->sink, MD0019, SPAN_NONE, "no kernel in `%s`", c->input);
  if (pm_has_exports(c->m))
    diag_help(d, "for functions that other device code calls, ask for `--emit ltoir` and link that");
  else
    diag_help(d, "mark a function with `#[mirdc::kernel]`, or name one with `--entry PATH`");
  return false;
}

/* Linked inputs may call what the unit exports, from whichever kernel: all must be in one place. */
static bool inputs_call_back(const struct compile *c) {
  return c->n_externs > 0 && pm_has_exports(c->m);
}

static bool one_unit(struct compile *c) {
  if (inputs_call_back(c))
    return true;
  const char *path = option_value(&c->s->options, OPT_OUTPUT, NULL);
  return path && !str_ends(str_from(path), STR(".mirdc")) &&
         !str_ends(str_from(path), STR(".json"));
}

static bool stages(struct compile *c) {
  if (!plan_archs(c) || !plan_emit(c) || !plan_policy(c) || !compile_take_input(c) ||
      !plan_unit(c) || !plan_trap_info(c) || !has_kernels(c) || !take_externs(c))
    return false;
  if (!compile_find_natives(c))
    return false;
  if (c->m)
    pm_find_link_units(c->m, c->arena, one_unit(c), &c->units);
  if (!compile_check_outputs(c))
    return false;
  if (c->dry)
    return compile_dry_run(c);
  struct cuda_options co = {.toolkit = option_value(&c->s->options, OPT_CUDA, NULL)};
  c->store = store_open(&c->s->sink, option_value(&c->s->options, OPT_CACHE, NULL));
  co.store = c->store;
  c->cuda = cuda_session_new(&co);
  return compile_build_units(c) && compile_write(c);
}

static void release(struct compile *c) {
  for (uint32_t i = 0; c->built && i < c->units.n; i++) {
    struct built_unit *u = &c->built[i];
    arena_free(&u->lowered.arena);
    bytes_free(&u->ltoir);
    for (size_t k = 0; k < c->n_archs; k++)
      for (int ptx = 0; ptx < 2; ptx++) {
        struct built_link *l = ptx ? u->ptxs : u->cubins;
        if (!l)
          continue;
        bytes_free(&l[k].bytes);
        if (l[k].reported)
          link_report_free(&l[k].report);
      }
    diag_sink_free(&u->sink);
  }
  for (size_t i = 0; i < c->n_externs; i++)
    bytes_free(&c->externs[i].bytes);
  compile_release_natives(c);
  if (c->cuda)
    cuda_session_free(c->cuda);
  if (c->store)
    store_close(c->store);
  if (c->m)
    pmir_free(c->m);
  bytes_free(&c->dump);
}

int cmd_compile(struct session *s) {
  struct compile c = {.s = s, .arena = &s->arena};
  uint64_t t0 = now_ns();
  bool ok = stages(&c);
  c.times.total = now_ns() - t0;
  if (ok && !c.dry)
    compile_report(&c);
  release(&c);
  return ok ? EXIT_DONE : EXIT_DIAGNOSED;
}
