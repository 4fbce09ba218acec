/* The block: which of its threads runs, and who waits for whom. A thread runs until it waits or
 * ends. One that ends leaves its stack to the next, so a kernel whose threads never wait runs in a
 * loop on one stack and pays for no switches. */
#include "base/fatal.h"
#include "emulator/engine.h"

static void queue_push(struct emu_queue *q, uint32_t thread) {
  q->at[(q->head + q->n++) % EMU_MAX_THREADS] = (uint16_t)thread;
}

static uint32_t queue_pop(struct emu_queue *q) {
  uint32_t t = q->at[q->head];
  q->head = (q->head + 1) % EMU_MAX_THREADS;
  q->n--;
  return t;
}

static void fiber_main(void *arg);

void emu_end_launch(struct mirdc_emu *e, enum emu_end why, check_loc loc) {
  struct emu_stop *s = &e->stop;
  s->why = why;
  s->loc = loc;
  s->thread = e->current;
  for (unsigned i = 0; i < 3; i++)
    s->ctaid[i] = e->regs.ctaid[i];
  e->spoiled = true;
  fiber_leave(e->host_sp);
}

/* ---- choosing ---- */
#define NOBODY UINT32_MAX

static uint32_t choose(struct mirdc_emu *e) {
  if (e->ready.n > 0)
    return queue_pop(&e->ready);
  if (e->begun < e->n_threads)
    return e->begun++;
  if (e->looking > 0 && emu_release_looking(e))
    return queue_pop(&e->ready);
  if (e->spinning.n > 0)
    return queue_pop(&e->spinning);
  if (e->live == 0)
    return NOBODY;
  emu_report_stuck(e);
  emu_end_launch(e, EMU_END_DEADLOCK, e->stop.loc);
  return NOBODY;
}

/* Tells everyone who runs now. */
static void becomes(struct mirdc_emu *e, uint32_t thread) {
  struct emu_thread *t = &e->threads[thread];
  e->current = thread;
  e->regs.thread = &t->regs;
  if (e->checked)
    check_thread_run(e->check, thread, fiber_stack_low(&e->stacks, t->stack), e->stacks.size);
}

static void *begin_thread(struct mirdc_emu *e, struct emu_thread *t) {
  if (e->n_free > 0) {
    t->stack = e->free_stacks[--e->n_free];
  } else {
    t->stack = e->n_stacks;
    if (!fiber_stack_ready(&e->stacks, t->stack))
      emu_end_launch(e, EMU_END_MEMORY, EMU_LOC_NONE);
    e->n_stacks++;
  }
  t->state = EMU_READY;
  return fiber_begin(fiber_stack_top(&e->stacks, t->stack), fiber_main, e);
}

void emu_suspend(struct mirdc_emu *e) {
  struct emu_thread *self = emu_current(e);
  uint32_t next = choose(e);
  if (next == NOBODY)
    BUG("a thread waits and none is left");
  struct emu_thread *t = &e->threads[next];
  if (t == self)
    return;
  void *to = t->state == EMU_NEW ? begin_thread(e, t) : t->sp;
  becomes(e, next);
  fiber_switch(&self->sp, to);
}

void emu_queue(struct mirdc_emu *e, uint32_t thread) {
  e->threads[thread].state = EMU_READY;
  queue_push(&e->ready, thread);
}

void emu_resume(struct mirdc_emu *e, uint32_t thread) {
  e->threads[thread].state = EMU_READY;
  if (thread != e->current)
    queue_push(&e->ready, thread);
}

void emu_yield(struct mirdc_emu *e) {
  queue_push(&e->spinning, e->current);
  emu_suspend(e);
}

/* ---- the barrier ---- */
/* Somebody is missing because it has ended, or not all are at the same barrier. */
static void look_at_barrier(struct mirdc_emu *e) {
  uint32_t first = e->arrivals[0];
  check_loc loc = e->threads[first].loc;
  for (uint32_t i = 0; e->live < e->n_threads && i < e->n_threads; i++) {
    if (e->threads[i].state != EMU_EXITED)
      continue;
    check_diverged(e->check, CHECK_BARRIER_PARTIAL, first, loc, i, e->threads[i].loc, true,
                   e->n_threads - e->live, 0);
    break;
  }
  for (uint32_t i = 1; i < e->arrived; i++) {
    uint32_t other = e->arrivals[i];
    if (e->threads[other].loc == loc)
      continue;
    check_diverged(e->check, CHECK_BARRIER_SITES, first, loc, other, e->threads[other].loc, false,
                   0, 0);
    break;
  }
}

static void release_barrier(struct mirdc_emu *e) {
  if (e->checked) {
    look_at_barrier(e);
    check_barrier(e->check);
  }
  uint32_t n = e->arrived, flags = e->flags;
  e->arrived = e->flags = 0;
  for (uint32_t i = 0; i < n; i++) {
    e->threads[e->arrivals[i]].result = flags;
    emu_resume(e, e->arrivals[i]);
  }
}

uint32_t emu_wait_barrier(struct mirdc_emu *e, bool flag, check_loc loc) {
  struct emu_thread *t = emu_current(e);
  t->state = EMU_BARRIER;
  t->loc = loc;
  e->arrivals[e->arrived++] = (uint16_t)e->current;
  e->flags += flag;
  if (e->arrived == e->live)
    release_barrier(e);
  else
    emu_suspend(e);
  return (uint32_t)t->result;
}

/* ---- beginning and end ---- */
static void ended(struct mirdc_emu *e) {
  uint32_t thread = e->current;
  e->threads[thread].state = EMU_EXITED;
  e->threads[thread].loc = EMU_LOC_NONE;
  e->live--;
  e->live_lanes[thread / EMU_WARP] &= ~(1u << thread % EMU_WARP);
  if (e->waiting_lanes[thread / EMU_WARP])
    emu_warp_lane_ended(e, thread);
  if (e->arrived > 0 && e->arrived == e->live)
    release_barrier(e);
}

/* The rest of this stack's life: what has ended makes room for the next thread to begin. */
static void go_on(struct mirdc_emu *e, uint32_t stack) {
  for (;;) {
    uint32_t next = choose(e);
    if (next == NOBODY) {
      e->free_stacks[e->n_free++] = stack;
      fiber_leave(e->host_sp);
      return;
    }
    struct emu_thread *t = &e->threads[next];
    if (t->state != EMU_NEW) {
      e->free_stacks[e->n_free++] = stack;
      becomes(e, next);
      fiber_leave(t->sp);
      return;
    }
    t->state = EMU_READY;
    t->stack = stack;
    becomes(e, next);
    e->entry(e->params_block);
    ended(e);
  }
}

static void fiber_main(void *arg) {
  struct mirdc_emu *e = arg;
  uint32_t stack = emu_current(e)->stack;
  e->entry(e->params_block);
  ended(e);
  go_on(e, stack);
}

static void after_exit(void *arg) {
  struct mirdc_emu *e = arg;
  uint32_t stack = emu_current(e)->stack;
  ended(e);
  go_on(e, stack);
}

/* What the thread has on its stack is given up. */
void emu_end_thread(struct mirdc_emu *e) {
  fiber_leave(fiber_begin(fiber_stack_top(&e->stacks, emu_current(e)->stack), after_exit, e));
}

static void reset_block(struct mirdc_emu *e) {
  if (e->spoiled) {
    e->n_free = 0;
    while (e->n_free < e->n_stacks) {
      e->free_stacks[e->n_free] = e->n_stacks - 1 - e->n_free;
      e->n_free++;
    }
    e->spoiled = false;
  }
  e->begun = e->looking = e->arrived = e->flags = 0;
  e->ready.n = e->spinning.n = 0;
  e->live = e->n_threads;
  for (uint32_t i = 0; i < e->n_threads; i++)
    e->threads[i].state = EMU_NEW;
  for (uint32_t w = 0; w * EMU_WARP < e->n_threads; w++) {
    uint32_t left = e->n_threads - w * EMU_WARP;
    e->live_lanes[w] = left >= EMU_WARP ? UINT32_MAX : (1u << left) - 1;
    e->waiting_lanes[w] = 0;
  }
}

bool emu_run_block(struct mirdc_emu *e) {
  reset_block(e);
  struct emu_thread *t = &e->threads[e->begun++];
  /* begin_thread leaves for host_sp when there is no memory for a stack; here that is not set. */
  if (e->n_free == 0 && !fiber_stack_ready(&e->stacks, e->n_stacks)) {
    e->stop.why = EMU_END_MEMORY;
    return false;
  }
  void *to = begin_thread(e, t);
  becomes(e, 0);
  fiber_switch(&e->host_sp, to);
  return e->stop.why == EMU_END_NONE;
}
