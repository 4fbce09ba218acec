/* Stacks for the threads of a block, and switching between them: System V on x86-64, with the
 * registers that a call preserves and both floating-point control words. */
#ifndef MIRDC_EMULATOR_FIBER_H
#define MIRDC_EMULATOR_FIBER_H

#include "base/str.h"

/* Saves where it was called from at *save, and goes on where `to` was saved. */
void fiber_switch(void **save, void *to);
/* Goes on where `to` was saved; what it was called from is lost. It does not return, and is not marked
 * so: AddressSanitizer prepares for such calls by looking at the stack that it knows of the thread. */
void fiber_leave(void *to);

typedef void fiber_fn(void *arg);
/* The place to switch to, so that fn(arg) runs on the stack that ends at `top`; it must not return.
 */
void *fiber_begin(void *top, fiber_fn *fn, void *arg);

/* Equal stacks, each above a page that may not be touched. Memory is used as far as they were. */
struct fiber_stacks {
  char *base;        /* of all */
  size_t step;       /* from one to the next, guard included */
  size_t size;       /* of one, without its guard */
  uint32_t n, ready; /* reserved, made accessible so far */
};

bool fiber_stacks_init(struct fiber_stacks *s, uint32_t n, size_t size) MUST_CHECK; /* errno */
void fiber_stacks_free(struct fiber_stacks *s);
/* Stack i may be used; called in order of i. False: errno says why. */
bool fiber_stack_ready(struct fiber_stacks *s, uint32_t i) MUST_CHECK;
char *fiber_stack_low(const struct fiber_stacks *s, uint32_t i);
/* The upper end to begin at: not the same cache lines for all. */
char *fiber_stack_top(const struct fiber_stacks *s, uint32_t i);
/* True when the address is in the guard of some stack or in an unused one. */
bool fiber_in_guard(const struct fiber_stacks *s, const void *p);

#endif
