/* Stacks and switches of the emulator. */
#include "test/unit/unit.h"

#include <errno.h>
#include <fenv.h>
#include <time.h>

#include "emulator/fiber.h"

struct pair {
  void *main, *other;
  int steps;
  double value;
  uint64_t sum;
};

static void count(void *arg) {
  struct pair *p = arg;
  for (;;) {
    p->steps++;
    fiber_switch(&p->other, p->main);
  }
}

static void switches_go_back_and_forth(void **state) {
  (void)state;
  struct fiber_stacks s;
  struct pair p = {0};
  assert_true(fiber_stacks_init(&s, 2, 1 << 16));
  assert_true(fiber_stack_ready(&s, 0));
  p.other = fiber_begin(fiber_stack_top(&s, 0), count, &p);
  for (int i = 1; i <= 1000; i++) {
    fiber_switch(&p.main, p.other);
    assert_int_equal(p.steps, i);
  }
  fiber_stacks_free(&s);
}

/* Values in registers on both sides, and a call that needs an aligned stack. */
static void mix(void *arg) {
  struct pair *p = arg;
  uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6;
  double x = 1.5;
  for (;;) {
    char text[64];
    a += b, b += c, c += d, d += e, e += f, f += a;
    x = x * 1.25 + 1;
    snprintf(text, sizeof text, "%.3f %llu", x, (unsigned long long)f);
    p->sum = a ^ b ^ c ^ d ^ e ^ f ^ strlen(text);
    p->value = x;
    fiber_switch(&p->other, p->main);
  }
}

static void registers_are_kept(void **state) {
  (void)state;
  struct fiber_stacks s;
  struct pair p[8] = {0};
  assert_true(fiber_stacks_init(&s, 8, 1 << 16));
  for (uint32_t i = 0; i < 8; i++) {
    assert_true(fiber_stack_ready(&s, i));
    p[i].other = fiber_begin(fiber_stack_top(&s, i), mix, &p[i]);
  }
  for (int round = 0; round < 50; round++) {
    for (uint32_t i = 0; i < 8; i++) {
      double before = p[0].value;
      fiber_switch(&p[i].main, p[i].other);
      if (i > 0) {
        assert_int_equal(p[i].sum, p[0].sum);
        assert_true(p[i].value == p[0].value);
      } else if (round > 0) {
        assert_true(p[0].value > before);
      }
    }
  }
  fiber_stacks_free(&s);
}

static void round_up(void *arg) {
  struct pair *p = arg;
  fesetround(FE_UPWARD);
  for (;;) {
    p->steps = fegetround() == FE_UPWARD;
    fiber_switch(&p->other, p->main);
  }
}

static void rounding_modes_do_not_mix(void **state) {
  (void)state;
  struct fiber_stacks s;
  struct pair p = {0};
  assert_true(fiber_stacks_init(&s, 1, 1 << 16));
  assert_true(fiber_stack_ready(&s, 0));
  p.other = fiber_begin(fiber_stack_top(&s, 0), round_up, &p);
  for (int i = 0; i < 3; i++) {
    fiber_switch(&p.main, p.other);
    assert_int_equal(p.steps, 1);
    assert_int_equal(fegetround(), FE_TONEAREST);
  }
  fiber_stacks_free(&s);
}

static void guards_are_known(void **state) {
  (void)state;
  struct fiber_stacks s;
  assert_true(fiber_stacks_init(&s, 4, 3 * 4096 + 1));
  assert_int_equal(s.size, 4 * 4096);
  assert_true(fiber_stack_ready(&s, 0));
  assert_true(fiber_stack_ready(&s, 1));
  char *low = fiber_stack_low(&s, 1);
  assert_false(fiber_in_guard(&s, low));
  assert_true(fiber_in_guard(&s, low - 1));
  assert_true(fiber_in_guard(&s, low - 4096));
  assert_false(fiber_in_guard(&s, low - 4097));            /* the stack below */
  assert_true(fiber_in_guard(&s, fiber_stack_low(&s, 2))); /* not used yet */
  assert_false(fiber_in_guard(&s, &s));
  memset(low, 1, s.size);
  for (uint32_t i = 0; i < 4; i++) {
    char *top = fiber_stack_top(&s, i);
    assert_true(top <= fiber_stack_low(&s, i) + s.size &&
                top > fiber_stack_low(&s, i) + s.size / 2);
    assert_int_equal((uintptr_t)top % 16, 0);
  }
  fiber_stacks_free(&s);
}

static void impossible_stacks_are_refused(void **state) {
  (void)state;
  struct fiber_stacks s;
  assert_false(fiber_stacks_init(&s, 1u << 30, (size_t)1 << 40));
  fiber_stacks_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(switches_go_back_and_forth),    cmocka_unit_test(registers_are_kept),
      cmocka_unit_test(rounding_modes_do_not_mix),     cmocka_unit_test(guards_are_known),
      cmocka_unit_test(impossible_stacks_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
