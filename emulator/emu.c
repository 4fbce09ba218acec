/* The public functions: opening a file, memory, launches. */
#include "emulator/emu.h"
#include "base/fatal.h"
#include "emulator/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_STACK (UINT64_C(1) << 20)
#define MAX_STACK (UINT64_C(1) << 30)

MIRDC_EMU_API const char *mirdc_emu_version(void) {
  return MIRDC_VERSION;
}

/* ---- opening ---- */
static bool take_options(struct mirdc_emu *e, const mirdc_emu_options *o) {
  if (!o) {
    e->options = (mirdc_emu_options){.opt = 2, .checks = MIRDC_EMU_ALL};
  } else if (o->struct_size != sizeof *o) {
    diag_error(&e->sink, MD0802, SPAN_NONE, "the options are of another version of libmirdc-emu");
    return false;
  } else {
    e->options = *o;
  }
  if (e->options.opt > 3)
    e->options.opt = 3;
  if (e->options.stack_bytes == 0)
    e->options.stack_bytes = DEFAULT_STACK;
  if (e->options.stack_bytes > MAX_STACK)
    e->options.stack_bytes = MAX_STACK;
  if (e->options.source_root)
    e->sources.root = arena_str(&e->sources.arena, str_from(e->options.source_root));
  e->options.source_root = NULL;
  e->options.checks &= MIRDC_EMU_ALL;
  e->checked = e->options.checks != 0;
  return true;
}

static bool prepare(struct mirdc_emu *e) {
  struct check_options co = {e->options.checks, e->options.max_findings};
  const struct pmir *m = e->m;
  e->modules = arena_array(&e->arena, struct emu_module *, m->n_kernels);
  e->allocs = arena_array(&e->arena, void *, m->n_allocs);
  e->statics = arena_array(&e->arena, void *, m->n_statics);
  e->shared = arena_array(&e->arena, uint32_t, m->n_statics);
  e->fns = arena_array(&e->arena, void *, m->n_fns);
  emu_collect_names(e);
  e->locs = arena_array(&e->arena, pm_loc, (size_t)m->n_spans + 1);
  for (uint32_t i = 0; i < m->n_spans; i++)
    e->locs[i + 1] = i;
  e->check = check_new(&co);
  if (e->check && fiber_stacks_init(&e->stacks, EMU_MAX_THREADS, e->options.stack_bytes)) {
    check_set_stacks(e->check, e->stacks.base, e->stacks.step * e->stacks.n);
    return true;
  }
  diag_error(&e->sink, MD0813, SPAN_NONE, "no address space for the emulated memory: %s",
             strerror(errno));
  return false;
}

MIRDC_EMU_API mirdc_emu_status mirdc_emu_open(const void *text, size_t size, const char *name,
                                              const mirdc_emu_options *options, mirdc_emu **out) {
  struct mirdc_emu *e = xmalloc(sizeof *e);
  memset(e, 0, sizeof *e);
  *out = e;
  source_map_init(&e->sources);
  diag_sink_init(&e->sink, &e->sources);
  if (!take_options(e, options))
    return MIRDC_EMU_REFUSED;
  e->m = pmir_read((str){text, size}, str_from(name), &e->sink);
  return e->m && prepare(e) ? MIRDC_EMU_OK : MIRDC_EMU_REFUSED;
}

MIRDC_EMU_API void mirdc_emu_close(mirdc_emu *e) {
  if (!e)
    return;
  if (e->modules)
    emu_modules_free(e);
  if (e->check)
    check_free(e->check);
  fiber_stacks_free(&e->stacks);
  if (e->m)
    pmir_free(e->m);
  map_free(&e->names);
  sb_free(&e->printed);
  sb_free(&e->assert_text);
  sb_free(&e->messages);
  diag_sink_free(&e->sink);
  source_map_free(&e->sources);
  arena_free(&e->results);
  arena_free(&e->arena);
  free(e);
}

/* ---- memory ---- */
MIRDC_EMU_API uint64_t mirdc_emu_alloc(mirdc_emu *e, const char *name, uint64_t size,
                                       uint64_t align, int writable) {
  if (!e->check)
    return 0;
  void *p =
      check_alloc(e->check, str_from(name), size, align ? align : 1, CHECK_BUFFER, writable != 0);
  return (uint64_t)(uintptr_t)p;
}

MIRDC_EMU_API void mirdc_emu_release(mirdc_emu *e, uint64_t address) {
  if (address)
    check_release(e->check, (void *)(uintptr_t)address);
}

/* ---- launching ---- */
static bool refuse(struct mirdc_emu *e, uint32_t kernel, const char *fmt, ...) PRINTF_LIKE(3, 4);
static bool refuse(struct mirdc_emu *e, uint32_t kernel, const char *fmt, ...) {
  const struct pm_kernel *k = &e->m->kernels[kernel];
  struct strbuf text = {0};
  va_list ap;
  va_start(ap, fmt);
  sb_vaddf(&text, fmt, ap);
  va_end(ap);
  diag_error(&e->sink, MD0802, pm_span_of(e->m, k->span), "kernel `%.*s` cannot be launched: %s",
             STR_ARG(k->name), sb_z(&text));
  sb_free(&text);
  return false;
}

static bool shape_is_possible(struct mirdc_emu *e, uint32_t kernel, const mirdc_emu_launch *l) {
  static const uint32_t most_grid[] = {INT32_MAX, 65535, 65535}, most_block[] = {1024, 1024, 64};
  uint64_t threads = (uint64_t)l->block[0] * l->block[1];
  const struct pm_launch *f = &e->m->kernels[kernel].launch;
  for (unsigned i = 0; i < 3; i++) {
    if (l->grid[i] == 0 || l->grid[i] > most_grid[i])
      return refuse(e, kernel, "a grid of %u x %u x %u blocks is not possible", l->grid[0],
                    l->grid[1], l->grid[2]);
    if (l->block[i] == 0 || l->block[i] > most_block[i])
      return refuse(e, kernel, "a block of %u x %u x %u threads is not possible", l->block[0],
                    l->block[1], l->block[2]);
  }
  threads *= l->block[2];
  if (threads > EMU_MAX_THREADS)
    return refuse(e, kernel, "a block of %llu threads is not possible; %u are",
                  (unsigned long long)threads, EMU_MAX_THREADS);
  for (unsigned i = 0; i < 3 && f->block[0]; i++)
    if (l->block[i] != (f->block[i] ? f->block[i] : 1))
      return refuse(e, kernel, "it was compiled for blocks of %u x %u x %u threads", f->block[0],
                    f->block[1] ? f->block[1] : 1, f->block[2] ? f->block[2] : 1);
  if (f->max_block && threads > f->max_block)
    return refuse(e, kernel, "it was compiled for blocks of at most %u threads", f->max_block);
  if (f->has_dyn_shared && l->dynamic_shared != f->dyn_shared)
    return refuse(e, kernel, "it takes exactly %llu bytes of dynamic shared memory",
                  (unsigned long long)f->dyn_shared);
  for (unsigned i = 0; i < 3 && f->cluster[0]; i++)
    if (l->grid[i] % (f->cluster[i] ? f->cluster[i] : 1) != 0)
      return refuse(e, kernel, "the grid is not a multiple of its clusters of %u x %u x %u blocks",
                    f->cluster[0], f->cluster[1] ? f->cluster[1] : 1,
                    f->cluster[2] ? f->cluster[2] : 1);
  return true;
}

#define MAX_DYN_SHARED (227u * 1024u)

static bool take_launch(struct mirdc_emu *e, uint32_t kernel, const mirdc_emu_launch *l) {
  const struct lower_kernel *k = emu_module_kernel(e->code);
  uint64_t align = e->m->kernels[kernel].launch.dyn_shared_align;
  if (l->dynamic_shared > MAX_DYN_SHARED)
    return refuse(e, kernel, "%llu bytes of dynamic shared memory are not possible; %u are",
                  (unsigned long long)l->dynamic_shared, MAX_DYN_SHARED);
  if (l->param_bytes < k->param_bytes || (!l->params && k->param_bytes > 0))
    return refuse(e, kernel, "it takes %llu bytes of parameters, not %llu",
                  (unsigned long long)k->param_bytes, (unsigned long long)l->param_bytes);
  if (!emu_dyn_shared(e, l->dynamic_shared, align > 16 ? align : 16))
    return false;
  e->params_block = arena_alloc(&e->results, k->param_bytes + 16, 16);
  if (k->param_bytes > 0)
    memcpy(e->params_block, l->params, k->param_bytes);
  emu_find_shared(e);
  e->n_threads = l->block[0] * l->block[1] * l->block[2];
  for (unsigned i = 0; i < 3; i++) {
    e->regs.ntid[i] = l->block[i];
    e->regs.nctaid[i] = l->grid[i];
  }
  for (uint32_t i = 0; i < e->n_threads; i++) {
    struct emu_thread_regs *r = &e->threads[i].regs;
    r->tid[0] = i % l->block[0];
    r->tid[1] = i / l->block[0] % l->block[1];
    r->tid[2] = i / l->block[0] / l->block[1];
    r->lane = i % EMU_WARP;
    r->warp = i / EMU_WARP;
  }
  return true;
}

/* Blocks run one after the other. The clock is looked at now and then, in loops too. */
static void run_grid(struct mirdc_emu *e) {
  const uint32_t *n = e->regs.nctaid;
  uint64_t blocks = (uint64_t)n[0] * n[1] * n[2];
  uint32_t *at = e->regs.ctaid;
  at[0] = at[1] = at[2] = 0;
  for (uint64_t i = 0; i < blocks; i++) {
    if (i % 256 == 255 && e->deadline && emu_now_ns() >= e->deadline) {
      e->stop = (struct emu_stop){.why = EMU_END_TIME, .ctaid = {at[0], at[1], at[2]}};
      return;
    }
    check_block_begin(e->check, i);
    emu_spoil_shared(e);
    if (!emu_run_block(e))
      return;
    check_block_end(e->check);
    if (++at[0] < n[0])
      continue;
    at[0] = 0;
    if (++at[1] < n[1])
      continue;
    at[1] = 0;
    at[2]++;
  }
}

static void run(struct mirdc_emu *e, const mirdc_emu_launch *l) {
  uint64_t t0 = emu_now_ns();
  e->deadline = l->time_limit_ms ? t0 + l->time_limit_ms * 1000000u : 0;
  e->regs.fuel = 1;
  e->regs.where = EMU_LOC_NONE;
  e->clock = 0;
  e->entry = emu_module_entry(e->code);
  check_launch_begin(e->check, l->grid, l->block);
  emu_faults_begin(e);
  run_grid(e);
  emu_faults_end(e);
  check_launch_end(e->check);
  e->run_ns = emu_now_ns() - t0;
}

static void forget_results(struct mirdc_emu *e) {
  sb_clear(&e->printed);
  e->findings.p = NULL;
  e->findings.n = e->findings.cap = 0;
  arena_free(&e->results);
  e->results = (struct arena){0};
  e->stop = (struct emu_stop){.other = UINT32_MAX};
  e->compile_ns = e->run_ns = 0;
  check_clear(e->check);
  diag_sink_free(&e->sink);
  diag_sink_init(&e->sink, &e->sources);
}

MIRDC_EMU_API mirdc_emu_status mirdc_emu_run(mirdc_emu *e, uint32_t kernel,
                                             const mirdc_emu_launch *launch) {
  if (!e->check)
    return MIRDC_EMU_REFUSED;
  forget_results(e);
  if (launch->struct_size != sizeof *launch || kernel >= e->m->n_kernels) {
    diag_error(&e->sink, MD0802, SPAN_NONE,
               kernel >= e->m->n_kernels ? "there is no kernel %u"
                                         : "the launch of kernel %u is of another version",
               kernel);
    return MIRDC_EMU_REFUSED;
  }
  uint64_t t0 = emu_now_ns();
  if (!shape_is_possible(e, kernel, launch) || !emu_compile(e, kernel))
    return MIRDC_EMU_REFUSED;
  e->compile_ns = emu_now_ns() - t0;
  e->code = e->modules[kernel];
  if (!take_launch(e, kernel, launch))
    return MIRDC_EMU_REFUSED;
  run(e, launch);
  emu_report(e, kernel);
  if (e->stop.why != EMU_END_NONE)
    return MIRDC_EMU_STOPPED;
  return e->findings.n > 0 ? MIRDC_EMU_FINDINGS : MIRDC_EMU_OK;
}

/* ---- results ---- */
MIRDC_EMU_API const char *mirdc_emu_printed(const mirdc_emu *e, size_t *size) {
  if (size)
    *size = e->printed.n;
  return sb_z(&e->printed);
}

MIRDC_EMU_API size_t mirdc_emu_finding_count(const mirdc_emu *e) {
  return e->findings.n;
}

MIRDC_EMU_API int mirdc_emu_get_finding(const mirdc_emu *e, size_t i, mirdc_emu_finding *out) {
  if (i >= e->findings.n)
    return 0;
  *out = e->findings.p[i];
  return 1;
}

MIRDC_EMU_API const char *mirdc_emu_messages(mirdc_emu *e, unsigned flags) {
  sb_clear(&e->messages);
  for (const struct diag *d = e->sink.first; d; d = d->next) {
    if (flags & MIRDC_EMU_JSON)
      diag_render_json(&e->sink, d, &e->messages);
    else
      diag_render_human(&e->sink, d, (flags & MIRDC_EMU_COLOR) != 0, &e->messages);
  }
  return sb_z(&e->messages);
}

MIRDC_EMU_API void mirdc_emu_times(const mirdc_emu *e, uint64_t *compile, uint64_t *run_time) {
  *compile = e->compile_ns;
  *run_time = e->run_ns;
}
