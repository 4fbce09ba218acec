/* Inside of the emulator. The state that emulated code reads comes first in struct mirdc_emu, so
 * that one address serves both. */
#ifndef MIRDC_EMULATOR_ENGINE_H
#define MIRDC_EMULATOR_ENGINE_H

#include "base/diag.h"
#include "base/map.h"
#include "base/vec.h"
#include "emulator/check.h"
#include "emulator/emu.h"
#include "emulator/fiber.h"
#include "ir/emu_abi.h"
#include "ir/lower.h"
#include "ir/pmir.h"

#define EMU_MAX_THREADS 1024u
#define EMU_WARP 32u

enum emu_state {
  EMU_NEW,     /* not begun in this block */
  EMU_READY,   /* running, or in a queue */
  EMU_BARRIER, /* waits for the block */
  EMU_AT_WARP, /* waits for lanes of its warp */
  EMU_LOOKS,   /* asks which lanes are where it is */
  EMU_EXITED
};

enum emu_warp_op {
  WARP_SYNC,
  WARP_SHFL_IDX,
  WARP_SHFL_UP,
  WARP_SHFL_DOWN,
  WARP_SHFL_BFLY,
  WARP_VOTE_ALL,
  WARP_VOTE_ANY,
  WARP_VOTE_UNI,
  WARP_BALLOT,
  WARP_MATCH_ANY,
  WARP_MATCH_ALL,
  WARP_ADD,
  WARP_MIN,
  WARP_MAX,
  WARP_AND,
  WARP_OR,
  WARP_XOR,
  WARP_SMIN,
  WARP_SMAX
};

struct emu_thread {
  struct emu_thread_regs regs; /* first: emulated code reads it */
  uint8_t state;               /* enum emu_state */
  uint8_t op;                  /* enum emu_warp_op */
  bool flag;                   /* of a barrier; second result of match_all */
  uint32_t stack;              /* its number, when not EMU_NEW or EMU_EXITED */
  uint32_t mask;
  check_loc loc;          /* where it waits */
  uint32_t source, width; /* of a shuffle */
  uint64_t value, result;
  void *sp; /* where it goes on */
};

/* Thread numbers, first in first out; each at most once. */
struct emu_queue {
  uint16_t at[EMU_MAX_THREADS];
  uint32_t head, n;
};

struct emu_module; /* jit.c: the code of one kernel */
typedef void emu_entry(const uint8_t *params);

/* Why a launch ended early. */
enum emu_end {
  EMU_END_NONE,
  EMU_END_TRAP,   /* code: the lowering's */
  EMU_END_ASSERT, /* code, and the text */
  EMU_END_UNREACHABLE,
  EMU_END_CALLEE, /* address */
  EMU_END_TIME,
  EMU_END_DEADLOCK,
  EMU_END_STACK,
  EMU_END_ACCESS, /* address */
  EMU_END_ALIGN,  /* address; code: the alignment */
  EMU_END_ARITHMETIC,
  EMU_END_MEMORY /* no stack to be had */
};

struct emu_stop {
  enum emu_end why;
  uint32_t code;
  check_loc loc, other_loc;
  uint32_t ctaid[3], thread, other; /* other: UINT32_MAX is none */
  uint64_t address;
};

struct mirdc_emu {
  struct emu_regs regs; /* first: emulated code reads it */
  struct arena arena;
  struct source_map sources;
  struct diag_sink sink;
  mirdc_emu_options options;
  struct pmir *m; /* NULL: the file was refused */
  struct check *check;
  /* code and data */
  struct emu_module **modules; /* by kernel; NULL until the first launch */
  void **allocs, **statics;    /* addresses by id, NULL until wanted */
  void **fns;                  /* code by id; pointers to functions point to these words */
  struct map names; /* the dump's names of kernels, parameters and statics as C strings */
  uint32_t *visible, n_visible; /* statics that the host may see */
  uint32_t *shared, n_shared;   /* statics in shared memory that some kernel wanted */
  /* the launch */
  const struct emu_module *code;
  emu_entry *entry;
  uint8_t *params_block;
  uint64_t deadline, clock; /* nanoseconds; 0: none */
  uint32_t n_threads;       /* of a block */
  struct emu_stop stop;
  struct strbuf printed, assert_text;
  uint64_t compile_ns, run_ns;
  /* the block */
  struct emu_thread threads[EMU_MAX_THREADS];
  uint32_t live_lanes[EMU_MAX_THREADS / EMU_WARP];
  uint32_t waiting_lanes[EMU_MAX_THREADS / EMU_WARP]; /* at a warp operation */
  uint32_t current, begun, live, looking;
  struct emu_queue ready, spinning;
  uint32_t arrived, flags; /* at the barrier: how many, and how many with a true flag */
  uint16_t arrivals[EMU_MAX_THREADS];
  void *host_sp;
  /* stacks */
  struct fiber_stacks stacks;
  uint32_t free_stacks[EMU_MAX_THREADS], n_free, n_stacks;
  pm_loc *locs;                /* by check_loc */
  bool checked;                /* any check is on */
  bool spoiled;                /* the block was left in the middle */
  _Alignas(16) char fault_stack[64 * 1024]; /* for the handler of signals */
  /* results */
  struct strbuf messages;
  VEC(mirdc_emu_finding) findings;
  struct arena results;
};

/* ---- sched.c ---- */
/* Runs all threads of the block that regs.ctaid names. False: the launch ends, see `stop`. */
bool emu_run_block(struct mirdc_emu *e) MUST_CHECK;
/* For the current thread. The barrier gives the number of threads whose flag is set. */
uint32_t emu_wait_barrier(struct mirdc_emu *e, bool flag, check_loc loc);
void emu_yield(struct mirdc_emu *e);   /* others first; comes back at once when there are none */
void emu_suspend(struct mirdc_emu *e); /* until somebody calls emu_resume for it */
void emu_queue(struct mirdc_emu *e, uint32_t thread); /* it can go on */
/* The same, but the current thread goes on at once. */
void emu_resume(struct mirdc_emu *e, uint32_t thread);
/* Neither returns; see fiber_leave. */
void emu_end_thread(struct mirdc_emu *e);
void emu_end_launch(struct mirdc_emu *e, enum emu_end why, check_loc loc);
static inline struct emu_thread *emu_current(struct mirdc_emu *e) {
  return &e->threads[e->current];
}

/* ---- warp.c ---- */
uint64_t emu_warp_op(struct mirdc_emu *e, enum emu_warp_op op, uint32_t mask, uint64_t value,
                     check_loc loc);
uint64_t emu_shuffle(struct mirdc_emu *e, enum emu_warp_op op, uint32_t mask, uint32_t value,
                     uint32_t source, uint32_t width, check_loc loc);
uint32_t emu_active_mask(struct mirdc_emu *e, check_loc loc);
/* A lane has ended: others may have waited for nobody else. */
void emu_warp_lane_ended(struct mirdc_emu *e, uint32_t thread);
/* Nobody can run. True: somebody can now. */
bool emu_release_looking(struct mirdc_emu *e);
void emu_report_stuck(struct mirdc_emu *e);

/* ---- runtime.c, emu_print.c, emu_math.c ---- */
uint64_t emu_now_ns(void); /* monotonic */
/* The address of what the code calls by this name; NULL: there is none. */
void *emu_runtime_symbol(str name);
uint32_t emu_print(struct mirdc_emu *e, const char *format, const uint8_t *args, uint64_t n);
/* Tells LLVM where the functions of libm and of the compiler's library are. */
void emu_add_libraries(void (*add)(const char *name, void *p));
void *emu_math_symbol(str name);

/* ---- jit.c ---- */
/* The code of a kernel, made when there is none yet. False after reporting why. */
bool emu_compile(struct mirdc_emu *e, uint32_t kernel) MUST_CHECK;
void emu_modules_free(struct mirdc_emu *e);
emu_entry *emu_module_entry(const struct emu_module *x);
const struct lower_kernel *emu_module_kernel(const struct emu_module *x);
const struct lower_trap *emu_module_trap(const struct emu_module *x, uint32_t code);

/* ---- emu_memory.c ---- */
/* The address of a constant or static, with its contents, or of a function. NULL: no memory
 * (reported). */
void *emu_data(struct mirdc_emu *e, enum pm_reloc_kind kind, uint32_t id);
/* Fresh dynamic shared memory for a launch. */
bool emu_dyn_shared(struct mirdc_emu *e, uint64_t size, uint64_t align) MUST_CHECK;
/* Notes the statics in shared memory that have a place. */
void emu_find_shared(struct mirdc_emu *e);
/* What an earlier block left in shared memory is not to be seen. */
void emu_spoil_shared(struct mirdc_emu *e);

/* ---- emu_info.c ---- */
void emu_collect_names(struct mirdc_emu *e);

/* ---- fault.c ---- */
/* Faults of this thread end the launch of `e` instead of the process. */
void emu_faults_begin(struct mirdc_emu *e);
void emu_faults_end(struct mirdc_emu *e);

/* ---- emu_report.c ---- */
/* The place in the user's source, or as near as is known. */
struct span emu_place(const struct mirdc_emu *e, check_loc loc);
/* Makes findings and diagnostics of what the checks and the end of the launch left. */
void emu_report(struct mirdc_emu *e, uint32_t kernel);

#endif
