/* What emulated code calls. Device operations have the names and types of ir/device_ops.def: an
 * operation without a function here does not compile. */
#include "base/fatal.h"
#include "emulator/engine.h"

#include <math.h>
#include <string.h>
#include <time.h>

#define FUEL 65536u

uint64_t emu_now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- loops and ends ---- */
static void emu_poll(struct mirdc_emu *e, check_loc loc) {
  e->regs.fuel = FUEL;
  if (e->deadline && emu_now_ns() >= e->deadline)
    emu_end_launch(e, EMU_END_TIME, loc);
  emu_yield(e); /* it may wait for what another thread does */
}

static void emu_stop_at(struct mirdc_emu *e, uint32_t code, check_loc loc) {
  e->stop.code = code;
  emu_end_launch(e, EMU_END_TRAP, loc);
}

static void emu_unreachable(struct mirdc_emu *e, check_loc loc) {
  emu_end_launch(e, EMU_END_UNREACHABLE, loc);
}

/* Pointers to functions point to words of ours, and so does nothing else. */
static void *emu_callee(struct mirdc_emu *e, void **p, check_loc loc) {
  uintptr_t off = (uintptr_t)p - (uintptr_t)e->fns;
  if (off < e->m->n_fns * sizeof *p && off % sizeof *p == 0 && *p)
    return *p;
  e->stop.address = (uint64_t)(uintptr_t)p;
  emu_end_launch(e, EMU_END_CALLEE, loc);
  return NULL;
}

static void emu_assert_fail(struct mirdc_emu *e, const char *text, uint32_t code, check_loc loc) {
  sb_clear(&e->assert_text);
  sb_addz(&e->assert_text, text);
  e->stop.code = code;
  emu_end_launch(e, EMU_END_ASSERT, loc);
}

static void emu_exit(struct mirdc_emu *e, check_loc loc) {
  (void)loc;
  emu_end_thread(e);
}

static void emu_breakpoint(struct mirdc_emu *e, check_loc loc) {
  (void)e, (void)loc;
}

/* ---- accesses ---- */
/* A GPU ends the launch. `size` comes with a mask above it; gives the size alone. */
static uint64_t aligned(struct mirdc_emu *e, const void *p, uint64_t size, check_loc loc) {
  if ((uintptr_t)p & size >> 32) {
    e->stop.address = (uint64_t)(uintptr_t)p;
    e->stop.code = (uint32_t)(size >> 32) + 1;
    emu_end_launch(e, EMU_END_ALIGN, loc);
  }
  return size & UINT32_MAX;
}

static void *emu_read(struct mirdc_emu *e, const void *p, uint64_t size, check_loc loc) {
  return check_access(e->check, p, aligned(e, p, size, loc), CHECK_READ, loc);
}

/* A part of something that is copied as a whole. */
static void *emu_read_part(struct mirdc_emu *e, const void *p, uint64_t size, check_loc loc) {
  return check_read_part(e->check, p, aligned(e, p, size, loc), loc);
}

static void *emu_write(struct mirdc_emu *e, const void *p, uint64_t size, check_loc loc) {
  return check_access(e->check, p, aligned(e, p, size, loc), CHECK_WRITE, loc);
}

static uint64_t emu_copy(struct mirdc_emu *e, const void *dst, const void *src, uint64_t size,
                         check_loc loc) {
  return size > 0 && check_copy(e->check, dst, src, size, loc) ? size : 0;
}

static uint64_t emu_fill(struct mirdc_emu *e, const void *dst, uint64_t size, check_loc loc) {
  return size > 0 && check_fill(e->check, dst, size, loc) ? size : 0;
}

/* Both are read as a whole, whatever the comparison looks at. */
static uint64_t emu_compare(struct mirdc_emu *e, const uint8_t *a, const uint8_t *b, uint64_t size,
                            check_loc loc) {
  for (uint64_t at = 0; at < size; at += 4096) {
    uint64_t n = size - at < 4096 ? size - at : 4096;
    if (check_access(e->check, a + at, n, CHECK_READ, loc) != a + at ||
        check_access(e->check, b + at, n, CHECK_READ, loc) != b + at)
      return 0;
  }
  return size;
}

static void *emu_atomic_read(struct mirdc_emu *e, const void *p, uint64_t size, uint32_t order,
                             uint32_t scope, check_loc loc) {
  return check_atomic(e->check, p, aligned(e, p, size, loc), CHECK_ATOMIC_READ,
                      (enum check_order)order, (enum check_scope)scope, loc);
}

static void *emu_atomic_write(struct mirdc_emu *e, const void *p, uint64_t size, uint32_t order,
                              uint32_t scope, check_loc loc) {
  return check_atomic(e->check, p, aligned(e, p, size, loc), CHECK_ATOMIC_WRITE,
                      (enum check_order)order, (enum check_scope)scope, loc);
}

static void *emu_atomic_rmw(struct mirdc_emu *e, const void *p, uint64_t size, uint32_t order,
                            uint32_t scope, check_loc loc) {
  return check_atomic(e->check, p, aligned(e, p, size, loc), CHECK_ATOMIC_RMW,
                      (enum check_order)order, (enum check_scope)scope, loc);
}

static void emu_fence(struct mirdc_emu *e, uint32_t order, uint32_t scope, check_loc loc) {
  (void)loc;
  check_fence(e->check, (enum check_order)order, (enum check_scope)scope);
}

/* ---- clocks and places ---- */
static uint32_t emu_warpid(struct mirdc_emu *e, check_loc loc) {
  (void)loc;
  return emu_current(e)->regs.warp;
}

static uint32_t emu_smid(struct mirdc_emu *e, check_loc loc) {
  (void)e, (void)loc;
  return 0;
}

/* Not a time: it only grows, and is the same in every run. */
static uint64_t emu_clock64(struct mirdc_emu *e, check_loc loc) {
  (void)loc;
  return e->clock += 100;
}

static uint64_t emu_globaltimer(struct mirdc_emu *e, check_loc loc) {
  (void)e, (void)loc;
  return emu_now_ns();
}

static void emu_nanosleep(struct mirdc_emu *e, uint32_t ns, check_loc loc) {
  (void)ns;
  if (e->deadline && emu_now_ns() >= e->deadline)
    emu_end_launch(e, EMU_END_TIME, loc);
  emu_yield(e);
}

static uint32_t emu_dyn_shared_size(struct mirdc_emu *e, check_loc loc) {
  (void)loc;
  return e->regs.dyn_shared_size;
}

/* ---- the block ---- */
static void emu_barrier(struct mirdc_emu *e, check_loc loc) {
  emu_wait_barrier(e, false, loc);
}

static uint32_t emu_barrier_count(struct mirdc_emu *e, uint32_t flag, check_loc loc) {
  return emu_wait_barrier(e, flag != 0, loc);
}

static uint32_t emu_barrier_and(struct mirdc_emu *e, uint32_t flag, check_loc loc) {
  return emu_wait_barrier(e, flag == 0, loc) == 0;
}

static uint32_t emu_barrier_or(struct mirdc_emu *e, uint32_t flag, check_loc loc) {
  return emu_wait_barrier(e, flag != 0, loc) != 0;
}

/* ---- the warp ---- */
static void emu_syncwarp(struct mirdc_emu *e, uint32_t mask, check_loc loc) {
  emu_warp_op(e, WARP_SYNC, mask, 0, loc);
}

#define SHUFFLE(name, op)                                                                          \
  static uint32_t emu_##name(struct mirdc_emu *e, uint32_t mask, uint32_t value, uint32_t source,  \
                             uint32_t width, check_loc loc) {                                      \
    return (uint32_t)emu_shuffle(e, op, mask, value, source, width, loc);                          \
  }
SHUFFLE(shfl_idx_u32, WARP_SHFL_IDX)
SHUFFLE(shfl_up_u32, WARP_SHFL_UP)
SHUFFLE(shfl_down_u32, WARP_SHFL_DOWN)
SHUFFLE(shfl_bfly_u32, WARP_SHFL_BFLY)

#define TOGETHER(name, op, T)                                                                      \
  static uint32_t emu_##name(struct mirdc_emu *e, uint32_t mask, T value, check_loc loc) {         \
    return (uint32_t)emu_warp_op(e, op, mask, value, loc);                                         \
  }
TOGETHER(vote_all, WARP_VOTE_ALL, uint32_t)
TOGETHER(vote_any, WARP_VOTE_ANY, uint32_t)
TOGETHER(vote_uni, WARP_VOTE_UNI, uint32_t)
TOGETHER(vote_ballot, WARP_BALLOT, uint32_t)
TOGETHER(match_any_u32, WARP_MATCH_ANY, uint32_t)
TOGETHER(match_any_u64, WARP_MATCH_ANY, uint64_t)
TOGETHER(redux_add_u32, WARP_ADD, uint32_t)
TOGETHER(redux_min_u32, WARP_MIN, uint32_t)
TOGETHER(redux_max_u32, WARP_MAX, uint32_t)
TOGETHER(redux_and_u32, WARP_AND, uint32_t)
TOGETHER(redux_or_u32, WARP_OR, uint32_t)
TOGETHER(redux_xor_u32, WARP_XOR, uint32_t)
TOGETHER(redux_min_i32, WARP_SMIN, uint32_t)
TOGETHER(redux_max_i32, WARP_SMAX, uint32_t)

static uint32_t match_all(struct mirdc_emu *e, uint32_t mask, uint64_t value, uint32_t *pred,
                          check_loc loc) {
  uint32_t r = (uint32_t)emu_warp_op(e, WARP_MATCH_ALL, mask, value, loc);
  uint32_t *to = check_access(e->check, pred, sizeof *pred, CHECK_WRITE, loc);
  *to = emu_current(e)->flag;
  return r;
}

static uint32_t emu_match_all_u32(struct mirdc_emu *e, uint32_t mask, uint32_t value,
                                  uint32_t *pred, check_loc loc) {
  return match_all(e, mask, value, pred, loc);
}

static uint32_t emu_match_all_u64(struct mirdc_emu *e, uint32_t mask, uint64_t value,
                                  uint32_t *pred, check_loc loc) {
  return match_all(e, mask, value, pred, loc);
}

static uint32_t emu_activemask(struct mirdc_emu *e, check_loc loc) {
  return emu_active_mask(e, loc);
}

/* ---- output, and operations that are approximate on a GPU ---- */
static uint32_t emu_printf(struct mirdc_emu *e, const char *format, const uint8_t *args, uint32_t n,
                           check_loc loc) {
  (void)loc;
  return emu_print(e, format, args, n);
}

static float emu_fast_div_f32(struct mirdc_emu *e, float a, float b, check_loc loc) {
  (void)e, (void)loc;
  return a / b;
}

static float emu_fast_ex2_f32(struct mirdc_emu *e, float a, check_loc loc) {
  (void)e, (void)loc;
  return exp2f(a);
}

static float emu_fast_rcp_f32(struct mirdc_emu *e, float a, check_loc loc) {
  (void)e, (void)loc;
  return 1.0f / a;
}

/* ---- names ---- */
struct symbol {
  const char *name;
  void *p;
};
#define ROW(name, fn) {name, (void *)(uintptr_t)(fn)},
/* By how an operation is expanded: those that become calls, and those that never do. */
#define OP_INTR(name) ROW(#name, emu_##name)
#define OP_INTR32(name) ROW(#name, emu_##name)
#define OP_ASM(name) ROW(#name, emu_##name)
#define OP_PURE(name) ROW(#name, emu_##name)
#define OP_SHFL(name) ROW(#name, emu_##name)
#define OP_MATCH_ALL(name) ROW(#name, emu_##name)
#define OP_PRINTF(name) ROW(#name, emu_##name)
#define OP_ASSERT_FAIL(name) ROW(#name, emu_##name)
#define OP_SREG(name)
#define OP_ASM_READ(name)
#define OP_MATH(name)
#define OP_LLVMF(name)
#define OP_FLOAT(name)
#define OP_HALF(name)
#define OP_FENCE(name)
#define OP_ATOMIC_LOAD(name)
#define OP_ATOMIC_STORE(name)
#define OP_ATOMIC_RMW(name)
#define OP_ATOMIC_CAS(name)
#define OP_DYN_SHARED(name)
#define OP_EMULATED(name)
#define OP_MARK(name)
#define OP_STOP(name)

static const struct symbol symbols[] = {
#define DEVOP(name, sig, how, text, arch) OP_##how(name)
#include "ir/device_ops.def"
#undef DEVOP
    ROW("poll", emu_poll) ROW("stop", emu_stop_at) ROW("unreachable", emu_unreachable)
        ROW("read", emu_read) ROW("read_part", emu_read_part) ROW("write", emu_write) ROW("copy", emu_copy) ROW("fill", emu_fill)
            ROW("compare", emu_compare) ROW("atomic_read", emu_atomic_read)
                ROW("atomic_write", emu_atomic_write) ROW("atomic_rmw", emu_atomic_rmw)
                    ROW("fence", emu_fence) ROW("callee", emu_callee)};

void *emu_runtime_symbol(str name) {
  if (str_starts(name, STR(EMU_MATH)))
    return emu_math_symbol(str_drop(name, strlen(EMU_MATH)));
  if (!str_starts(name, STR(EMU_OP)))
    return NULL;
  name = str_drop(name, strlen(EMU_OP));
  for (size_t i = 0; i < COUNT_OF(symbols); i++)
    if (str_eqz(name, symbols[i].name))
      return symbols[i].p;
  return NULL;
}
