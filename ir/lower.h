/* Lowering of verified prepared MIR to NVVM IR text. This is the whole interface of
 * libmirdc-lower.so, which links LLVM and is opened by the driver only when something must be
 * lowered. There is no global state: several threads may lower at the same time, each with its own
 * diagnostics sink. */
#ifndef MIRDC_IR_LOWER_H
#define MIRDC_IR_LOWER_H

#include "ir/pmir.h"

/* The first number is raised when a struct below changes. Both sides also share the numbering of
 * diagnostics, and would name wrong codes if one of them knew fewer. */
#define LOWER_ABI (3u << 16 | (unsigned)DIAG_CODE_END)

struct lower_options {
  uint32_t struct_size;    /* sizeof(struct lower_options), checked */
  const uint32_t *kernels; /* indices of the kernels to lower; NULL: all */
  uint32_t n_kernels;
  bool exports;    /* with a subset: also exported functions and host-visible statics that
                      its kernels do not reach. Without a subset they are always lowered. */
  unsigned arch;   /* 75 … 121: what the code may use, and whether the text is for libNVVM's old
                      (below 100) or new reader; see lower_result.min_arch */
  unsigned opt;    /* 0 … 3 */
  bool trap_info;  /* failed checks write a record through __mirdc_trap_buf */
  bool line_info;  /* line tables for profilers */
  bool debug;      /* full debug route: line tables that mark the code as debug code */
  bool llvm_text;  /* also give the LLVM module before it is turned into the NVVM dialect */
  bool host;       /* for this CPU. Alone, for tests: pure functions; device operations are refused */
  bool emu;        /* with host: for the emulator, see ir/ll_emu.h */
  bool emu_checks; /* with emu: each access of memory that is not a thread's own is reported */
  const str *natives; /* symbols of the entries, by native; NULL: calls of them are refused */
  str module_name; /* stable logical name, e.g. "saxpy"; never a path */
};

/* A static that the host may look up in the cubin. */
struct lower_global {
  str symbol, name;
  uint64_t size, align;
  enum pm_space space;
  bool mut;
};

/* What a trap code means. Codes are numbered over the whole dump, so they are the same in every
 * link unit of it. */
struct lower_trap {
  uint32_t code;
  enum pm_trap kind;
  str message;  /* the text of ir/traps.def, or the panic's own */
  str function; /* Rust path */
  str file;     /* empty: unknown */
  uint32_t line, col;
};

struct lower_param {
  uint64_t off, size, align; /* in the kernel's parameter space */
};

/* What the finalizer must find again in the cubin. */
struct lower_kernel {
  uint32_t index; /* in pmir.kernels */
  str name;
  struct lower_param *params; /* as the entry takes them: a slice is two */
  uint32_t n_params;
  uint64_t param_bytes;
  uint32_t reqntid[3]; /* 0: not fixed */
  uint32_t maxntid;    /* 0: no bound */
  uint32_t minctasm;
  uint32_t cluster[3];
  bool uses_dyn_shared;
};

struct lower_result {
  uint32_t struct_size; /* sizeof(struct lower_result), checked */
  struct arena arena;   /* owns everything below */
  str nvvm;             /* the module, in the dialect libNVVM reads */
  str llvm;             /* empty unless asked for */
  bool needs_libdevice;
  unsigned min_arch; /* lowest architecture that has every operation used, at least 75 */
  struct lower_global *globals;
  uint32_t n_globals;
  struct lower_trap *traps;
  uint32_t n_traps; /* of the functions lowered; ascending codes */
  struct lower_kernel *kernels;
  uint32_t n_kernels;
  str *externs;
  uint32_t n_externs; /* symbols that another linked input defines */
  uint32_t *natives;
  uint32_t n_natives; /* those that are called, ascending */
  str *thunks;
  uint32_t n_thunks; /* functions that they call back */
  str *exports;
  uint32_t n_exports; /* functions defined for other linked inputs */
};

/* False after reporting why; the result is then empty. `out` is zero but for struct_size. */
bool mirdc_lower(const struct pmir *m, const struct lower_options *o, struct diag_sink *sink,
                 struct lower_result *out) MUST_CHECK;
void mirdc_lower_free(struct lower_result *r);
/* LOWER_ABI of the library, to be compared with the caller's. */
uint32_t mirdc_lower_abi(void);

/* For dlsym. */
typedef bool mirdc_lower_fn(const struct pmir *, const struct lower_options *, struct diag_sink *,
                            struct lower_result *);
typedef void mirdc_lower_free_fn(struct lower_result *);
typedef uint32_t mirdc_lower_abi_fn(void);

#endif
