/* Link units: kernels that share memory stay together, independent ones are put into small groups. */
#include "test/unit/unit.h"

#include "ir/units.h"

/* N kernels, each with a function of its own that reads the static numbered in `uses`. */
struct program {
  struct pmir m;
  struct arena arena;
};

static void make(struct program *p, uint32_t n, const uint32_t *uses, uint32_t n_statics) {
  *p = (struct program){0};
  struct pmir *m = &p->m;
  m->n_kernels = m->n_fns = n;
  m->n_statics = n_statics;
  m->kernels = arena_array(&p->arena, struct pm_kernel, n);
  m->fns = arena_array(&p->arena, struct pm_func, n);
  m->statics = arena_array(&p->arena, struct pm_static, n_statics);
  for (uint32_t i = 0; i < n_statics; i++)
    m->statics[i] = (struct pm_static){.alloc = PM_NONE, .mut = true};
  for (uint32_t i = 0; i < n; i++) {
    m->kernels[i].fn = i;
    struct pm_operand *op = arena_new(&p->arena, struct pm_operand);
    struct pm_stmt *st = arena_new(&p->arena, struct pm_stmt);
    struct pm_block *b = arena_new(&p->arena, struct pm_block);
    *op = (struct pm_operand){.kind = PM_BITS};
    if (uses[i] != PM_NONE) {
      op->kind = PM_ADDR;
      op->to = PM_TO_STATIC;
      op->u.addr.id = uses[i];
    }
    st->kind = PM_ASSIGN;
    st->u.rv = (struct pm_rvalue){.kind = PM_USE, .n_ops = 1, .ops = op};
    b->stmts = st;
    b->n_stmts = 1;
    b->term.kind = PM_RETURN;
    m->fns[i].blocks = b;
    m->fns[i].n_blocks = 1;
  }
}

static void kernels_that_share_a_mutable_static_share_a_unit(void **state) {
  (void)state;
  struct program p;
  const uint32_t uses[] = {0, PM_NONE, 1, 0, 1};
  make(&p, 5, uses, 2);
  struct pm_link_units u;
  pm_find_link_units(&p.m, &p.arena, false, &u);
  assert_int_equal(u.n, 3);
  const uint32_t want[] = {0, 1, 2, 0, 2};
  for (int i = 0; i < 5; i++)
    assert_int_equal(u.unit_of[i], want[i]);
  assert_int_equal(u.n_kernels[0], 2);
  assert_int_equal(u.kernels[0][1], 3);
  arena_free(&p.arena);
}

static void shared_memory_and_constants_bind_nothing_together(void **state) {
  (void)state;
  struct program p;
  const uint32_t uses[] = {0, 0, 1, 1};
  make(&p, 4, uses, 2);
  p.m.statics[0].space = PM_SHARED;
  p.m.statics[1].mut = false;
  struct pm_link_units u;
  pm_find_link_units(&p.m, &p.arena, false, &u);
  assert_int_equal(u.n, 4);
  p.m.statics[1].host_visible = true; /* the host could set it, in one place only */
  pm_find_link_units(&p.m, &p.arena, false, &u);
  assert_int_equal(u.n, 3);
  assert_int_equal(u.unit_of[2], u.unit_of[3]);
  arena_free(&p.arena);
}

static void many_independent_kernels_are_grouped_evenly(void **state) {
  (void)state;
  enum { N = 100 };
  uint32_t uses[N];
  for (uint32_t i = 0; i < N; i++)
    uses[i] = PM_NONE;
  struct program p;
  make(&p, N, uses, 0);
  struct pm_link_units u;
  pm_find_link_units(&p.m, &p.arena, false, &u);
  assert_int_equal(u.n, (N + PM_UNIT_KERNELS - 1) / PM_UNIT_KERNELS);
  uint32_t total = 0;
  for (uint32_t i = 0; i < u.n; i++) {
    assert_in_range(u.n_kernels[i], 1, PM_UNIT_KERNELS);
    total += u.n_kernels[i];
  }
  assert_int_equal(total, N);
  pm_find_link_units(&p.m, &p.arena, true, &u);
  assert_int_equal(u.n, 1);
  arena_free(&p.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kernels_that_share_a_mutable_static_share_a_unit),
      cmocka_unit_test(shared_memory_and_constants_bind_nothing_together),
      cmocka_unit_test(many_independent_kernels_are_grouped_evenly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
