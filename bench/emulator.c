/* Nanoseconds of a switch between two fibers of the emulator, in processor time.
 *
 *   bench_emulator [SWITCHES] */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "emulator/fiber.h"

static void *sp[1024], *host;

static void ping(void *arg) {
  (void)arg;
  for (;;)
    fiber_switch(&sp[0], host);
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint32_t at, fibers;

/* Each goes to the next, as the threads of a block at a barrier do. */
static void around(void *arg) {
  uint32_t self = (uint32_t)(uintptr_t)arg;
  for (;;) {
    at = (self + 1) % fibers;
    if (self == fibers - 1)
      fiber_switch(&sp[self], host);
    else
      fiber_switch(&sp[self], sp[at]);
  }
}

int main(int argc, char **argv) {
  uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 0) : 10000000;
  struct fiber_stacks s;
  if (!fiber_stacks_init(&s, 1024, 1 << 20))
    return 1;
  for (uint32_t i = 0; i < 1024; i++)
    if (!fiber_stack_ready(&s, i))
      return 1;
  sp[0] = fiber_begin(fiber_stack_top(&s, 0), ping, NULL);
  double t0 = seconds();
  for (uint64_t i = 0; i < n; i += 2)
    fiber_switch(&host, sp[0]);
  printf("two %.2f\n", (seconds() - t0) * 1e9 / (double)n);
  for (fibers = 32; fibers <= 1024; fibers *= 32) {
    for (uint32_t i = 0; i < fibers; i++)
      sp[i] = fiber_begin(fiber_stack_top(&s, i), around, (void *)(uintptr_t)i);
    t0 = seconds();
    for (uint64_t i = 0; i < n; i += fibers)
      fiber_switch(&host, sp[0]);
    printf("%u %.2f\n", fibers, (seconds() - t0) * 1e9 / (double)n);
  }
  fiber_stacks_free(&s);
  return 0;
}
