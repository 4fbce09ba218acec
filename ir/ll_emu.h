/* Lowering for the emulator: the same code as for a GPU up to the device operations, which become
 * calls (ir/emu_abi.h), cleaned up as for a GPU, and then made a module for this CPU that is watched. Only emulator/ includes this besides ir/ll*.c. */
#ifndef MIRDC_IR_LL_EMU_H
#define MIRDC_IR_LL_EMU_H

#include "ir/lower.h"

#include <llvm-c/Types.h>

/* What the module only declares: its memory is the emulator's, so that all modules of a dump share
 * it. A constant or static of the dump, or a word for the address of a function. */
struct ll_emu_data {
  const char *symbol;      /* in the module */
  enum pm_reloc_kind kind; /* PM_TO_ALLOC, PM_TO_STATIC or PM_TO_FN */
  uint32_t id;
};

struct ll_emu_module {
  LLVMContextRef cx;
  LLVMModuleRef mod;
  struct ll_emu_data *data;
  uint32_t n_data;
  /* The code of the functions among them, by its symbol. */
  struct ll_emu_data *fns;
  uint32_t n_fns;
  struct lower_result lowered; /* one kernel, and the traps */
  struct arena arena;          /* owns the lists */
};

/* The module of one kernel, verified, with an entry EMU_ENTRY. False after reporting why. */
struct ll_emu_options {
  unsigned opt; /* above 0: after the clean-up of code for a GPU */
  bool checks;
};
bool ll_emu_build(const struct pmir *m, uint32_t kernel, const struct ll_emu_options *options,
                  struct diag_sink *sink, struct ll_emu_module *out) MUST_CHECK;
/* The module and its context are freed if they are still set. */
void ll_emu_release(struct ll_emu_module *m);

#endif
