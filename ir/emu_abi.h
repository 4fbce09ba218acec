/* What emulated code and the emulator agree on: the state that the code reads by itself, and the
 * names of what it calls. */
#ifndef MIRDC_IR_EMU_ABI_H
#define MIRDC_IR_EMU_ABI_H

#include <stdint.h>

/* A thread's place in its block: the same in every block. */
struct emu_thread_regs {
  uint32_t tid[3], lane, warp;
};

struct emu_regs {
  const struct emu_thread_regs *thread; /* the running one */
  void *dyn_shared;
  uint32_t ntid[3], ctaid[3], nctaid[3];
  uint32_t dyn_shared_size;
  uint32_t fuel;  /* counted down at the head of each loop; at 0 the emulator is asked */
  uint32_t where; /* place of the function that was entered last, of those that call others */
};

/* The module declares it; the emulator gives it its address. All calls take that first. */
#define EMU_STATE "__mirdc_emu_state"
#define EMU_ENTRY "__mirdc_emu_entry" /* void (const uint8_t *params) */
/* Device operations are called by this and their name; bools are 32 bits wide, and the place of the
 * call, a number of a span of the dump plus one (0: unknown), is the last argument. */
#define EMU_OP "__mirdc_emu_"
#define EMU_LOC_NONE 0u
#define EMU_LOC_MAX ((1u << 24) - 1) /* larger ones are unknown, too */
/* Words of the state, until the code is for this CPU: by `t` (of the thread) or `b`, and the offset. */
#define EMU_REGISTER EMU_OP "register_"
/* The column of what copies memory as a whole; accesses of which the checks know have EMU_TOLD. */
#define EMU_COPY_COLUMN 1u
#define EMU_TOLD "mirdc.told"
/* Functions that depend on nothing but their arguments, and do not take the state. */
#define EMU_MATH "__mirdc_emu_math_"

#endif
