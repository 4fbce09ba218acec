#include "emulator/fiber.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if !defined(__x86_64__)
#error "the emulator switches stacks on x86-64 only"
#endif

/* rdi: where to save, rsi: where to go on. The frame, from low to high: control words, r15 r14 r13
 * r12 rbx rbp, address to return to. */
__asm__(".text\n"
        ".p2align 4\n"
        ".globl fiber_switch\n"
        ".hidden fiber_switch\n"
        ".type fiber_switch,@function\n"
        "fiber_switch:\n"
        "  pushq %rbp\n"
        "  pushq %rbx\n"
        "  pushq %r12\n"
        "  pushq %r13\n"
        "  pushq %r14\n"
        "  pushq %r15\n"
        "  subq $8, %rsp\n"
        "  stmxcsr (%rsp)\n"
        "  fnstcw 4(%rsp)\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rdi\n"
        ".size fiber_switch,.-fiber_switch\n"
        ".globl fiber_leave\n"
        ".hidden fiber_leave\n"
        ".type fiber_leave,@function\n"
        "fiber_leave:\n"
        "  movq %rdi, %rsp\n"
        "  ldmxcsr (%rsp)\n"
        "  fldcw 4(%rsp)\n"
        "  addq $8, %rsp\n"
        "  popq %r15\n"
        "  popq %r14\n"
        "  popq %r13\n"
        "  popq %r12\n"
        "  popq %rbx\n"
        "  popq %rbp\n"
        "  ret\n"
        ".size fiber_leave,.-fiber_leave\n"
        /* A new stack begins here: r12 is the function, r13 its argument. */
        ".p2align 4\n"
        ".globl fiber_enter\n"
        ".hidden fiber_enter\n"
        ".type fiber_enter,@function\n"
        "fiber_enter:\n"
        "  movq %r13, %rdi\n"
        "  xorl %ebp, %ebp\n"
        "  callq *%r12\n"
        "  ud2\n"
        ".size fiber_enter,.-fiber_enter\n");

void fiber_enter(void);

void *fiber_begin(void *top, fiber_fn *fn, void *arg) {
  uint64_t *sp = (uint64_t *)((uintptr_t)top & ~(uintptr_t)15);
  uint32_t mxcsr = 0x1f80; /* all exceptions masked, nearest even */
  uint16_t cw = 0x037f;
  *--sp = 0; /* aligned as behind a call */
  *--sp = 0;
  *--sp = (uint64_t)(uintptr_t)fiber_enter;
  *--sp = 0;                        /* rbp */
  *--sp = 0;                        /* rbx */
  *--sp = (uint64_t)(uintptr_t)fn;  /* r12 */
  *--sp = (uint64_t)(uintptr_t)arg; /* r13 */
  *--sp = 0;
  *--sp = 0;
  *--sp = mxcsr | (uint64_t)cw << 32;
  return sp;
}

/* ---- stacks ---- */
static size_t page_size(void) {
  return (size_t)sysconf(_SC_PAGESIZE);
}

bool fiber_stacks_init(struct fiber_stacks *s, uint32_t n, size_t size) {
  size_t page = page_size();
  size = (size + page - 1) & ~(page - 1);
  *s = (struct fiber_stacks){.step = size + page, .size = size, .n = n};
  if (s->step > SIZE_MAX / n) {
    errno = ENOMEM;
    return false;
  }
  void *p = mmap(NULL, s->step * n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    return false;
  s->base = p;
  return true;
}

void fiber_stacks_free(struct fiber_stacks *s) {
  if (s->base)
    munmap(s->base, s->step * s->n);
  *s = (struct fiber_stacks){0};
}

char *fiber_stack_low(const struct fiber_stacks *s, uint32_t i) {
  return s->base + s->step * i + (s->step - s->size);
}

bool fiber_stack_ready(struct fiber_stacks *s, uint32_t i) {
  if (i < s->ready)
    return true;
  if (mprotect(fiber_stack_low(s, i), s->size, PROT_READ | PROT_WRITE) != 0)
    return false;
  s->ready = i + 1;
  return true;
}

/* Pages of the tops differ by the guard already; within a page each begins some lines lower. */
char *fiber_stack_top(const struct fiber_stacks *s, uint32_t i) {
  return fiber_stack_low(s, i) + s->size - (i * 7u % 64u) * 64u;
}

bool fiber_in_guard(const struct fiber_stacks *s, const void *p) {
  uintptr_t off = (uintptr_t)p - (uintptr_t)s->base;
  if (!s->base || off >= s->step * s->n)
    return false;
  return off % s->step < s->step - s->size || off / s->step >= s->ready;
}
