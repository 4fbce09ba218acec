/* From what happened to messages: why a launch ended early, and what the checks found. */
#include "emulator/check_diag.h"
#include "emulator/engine.h"

#include <string.h>

struct span emu_place(const struct mirdc_emu *e, check_loc loc) {
  struct span at = SPAN_NONE;
  if (loc == EMU_LOC_NONE || loc > e->m->n_spans)
    return at;
  if (!pm_user_place(e->m, loc - 1, &at))
    at = pm_span_of(e->m, loc - 1);
  return at;
}

static const char *const trap_names[] = {
#define PM_TRAP(id, name, text) name,
#include "ir/traps.def"
#undef PM_TRAP
};

MIRDC_EMU_API const char *mirdc_emu_trap(const mirdc_emu *e) {
  const struct lower_trap *t = NULL;
  if (e->stop.why == EMU_END_TRAP || e->stop.why == EMU_END_ASSERT)
    t = emu_module_trap(e->code, e->stop.code);
  return t ? trap_names[t->kind] : NULL;
}

static struct span trap_place(struct mirdc_emu *e, const struct lower_trap *t) {
  if (t->file.n == 0)
    return SPAN_NONE;
  struct span at = {source_file_id(&e->sources, t->file), t->line, t->col, t->line, t->col + 1};
  return at;
}

static struct diag *trapped(struct mirdc_emu *e, const struct emu_stop *s) {
  const struct lower_trap *t = emu_module_trap(e->code, s->code);
  struct span at = t ? trap_place(e, t) : emu_place(e, s->loc);
  str text = t ? t->message : STR("stopped");
  if (s->why == EMU_END_ASSERT)
    return diag_error(&e->sink, MD0804, at, "device assertion failed: %s", sb_z(&e->assert_text));
  struct diag *d = diag_error(&e->sink, MD0803, at, "%.*s", STR_ARG(text));
  if (t && t->function.n > 0)
    diag_note(d, "in `%.*s`", STR_ARG(t->function));
  return d;
}

static struct diag *deadlock(struct mirdc_emu *e, const struct emu_stop *s) {
  struct diag *d = diag_error(&e->sink, MD0808, emu_place(e, s->loc),
                              "the threads of a block wait for each other for ever");
  if (s->other == UINT32_MAX)
    return d;
  const uint32_t *tid = e->threads[s->other].regs.tid;
  struct span at = emu_place(e, s->other_loc);
  if (at.file != FILE_NONE)
    diag_label(d, at, "thread (%u, %u, %u) waits here", tid[0], tid[1], tid[2]);
  return d;
}

static struct diag *say_end(struct mirdc_emu *e) {
  const struct emu_stop *s = &e->stop;
  struct span at = emu_place(e, s->loc);
  struct diag *d;
  switch (s->why) {
  case EMU_END_NONE:
    return NULL;
  case EMU_END_TRAP:
  case EMU_END_ASSERT:
    return trapped(e, s);
  case EMU_END_UNREACHABLE:
    d = diag_error(&e->sink, MD0809, at, "code was reached that cannot be reached");
    diag_help(d, "some `unsafe` code broke a promise before; look at `unreachable_unchecked` and "
                 "values that their types do not allow");
    return d;
  case EMU_END_CALLEE:
    return diag_error(&e->sink, MD0809, at, "a call through 0x%llx, which is no function's address",
                      (unsigned long long)s->address);
  case EMU_END_TIME:
    d = diag_error(&e->sink, MD0805, at, "the kernel did not end within the time limit");
    diag_span_label(d, "this loop was running");
    return d;
  case EMU_END_DEADLOCK:
    return deadlock(e, s);
  case EMU_END_STACK:
    d = diag_error(&e->sink, MD0806, at, "stack overflow: a thread used more than %llu bytes",
                   (unsigned long long)e->stacks.size);
    if (at.file != FILE_NONE)
      diag_span_label(d, "this function was entered last");
    diag_help(d, "look for endless recursion; a GPU thread has at most 512 KiB of local memory");
    return d;
  case EMU_END_ACCESS:
    return diag_error(&e->sink, MD0807, at, "access to address 0x%llx, which is not mapped",
                      (unsigned long long)s->address);
  case EMU_END_ALIGN:
    d = diag_error(&e->sink, MD0810, at, "address 0x%llx is no multiple of %u",
                   (unsigned long long)s->address, s->code);
    diag_help(d, "read and write such places with `read_unaligned` and `write_unaligned`");
    return d;
  case EMU_END_ARITHMETIC:
    return diag_error(&e->sink, MD0809, at, "the processor refused an operation");
  case EMU_END_MEMORY:
    return diag_error(&e->sink, MD0813, SPAN_NONE, "no memory for the stacks of a block");
  }
  return NULL;
}

static void add_finding(struct mirdc_emu *e, const struct diag *d, const uint32_t *block,
                        const uint32_t *thread, uint64_t count, bool fatal) {
  mirdc_emu_finding *f = vec_add(&e->results, &e->findings);
  f->code = diag_code_info(d->code)->name;
  f->message = arena_strz(&e->results, d->message);
  f->file = arena_strz(&e->results, pm_file_path(e->m, d->span.file));
  f->line = d->span.line0;
  f->column = d->span.col0;
  f->count = count;
  f->fatal = fatal;
  f->has_thread = block != NULL;
  for (unsigned i = 0; i < 3 && block; i++) {
    f->block[i] = block[i];
    f->thread[i] = thread[i];
  }
}

void emu_report(struct mirdc_emu *e, uint32_t kernel) {
  struct check_scene scene = {e->m, e->m->kernels[kernel].name, e->locs, e->m->n_spans + 1, {0}};
  memcpy(scene.block, e->regs.ntid, sizeof scene.block);
  for (size_t i = 0; i < check_count(e->check); i++) {
    const struct check_finding *f = check_get(e->check, i);
    struct diag *d = check_diagnose(f, &scene, &e->sink);
    add_finding(e, d, f->at.block, f->at.thread, f->count, false);
  }
  check_diagnose_limits(e->check, &scene, &e->sink);
  struct diag *d = say_end(e);
  if (!d)
    return;
  const uint32_t *tid = e->threads[e->stop.thread].regs.tid, *b = e->stop.ctaid;
  diag_note(d, "in kernel `%.*s`, block (%u, %u, %u), thread (%u, %u, %u)",
            STR_ARG(e->m->kernels[kernel].name), b[0], b[1], b[2], tid[0], tid[1], tid[2]);
  add_finding(e, d, b, tid, 1, true);
}
