/* libmirdc-emu: runs the kernels of prepared MIR on this CPU, thread by thread, and finds what is
 * wrong with them. No GPU and no CUDA is needed.
 *
 *   mirdc_emu *e;
 *   mirdc_emu_launch l = {sizeof l, {4, 1, 1}, {256, 1, 1}};
 *   struct { uint64_t x, n; float a; } p = {.n = 1000, .a = 2};
 *   if (mirdc_emu_open(text, size, "saxpy.pmir.json", NULL, &e) == MIRDC_EMU_OK) {
 *     p.x = mirdc_emu_alloc(e, "x", 4000, 4, 1);
 *     memcpy((void *)p.x, data, 4000);
 *     l.params = &p, l.param_bytes = sizeof p;
 *     mirdc_emu_run(e, mirdc_emu_find_kernel(e, "scale"), &l);
 *   }
 *   fputs(mirdc_emu_messages(e, 0), stderr);
 *   mirdc_emu_close(e);
 *
 * An object serves one thread at a time; different objects may be used by different threads at the
 * same time. Device addresses are addresses of this process: what mirdc_emu_alloc gives may be read
 * and written directly while no kernel runs. Strings that are returned belong to the object and
 * stay until the next call that changes it. docs/emulator.md describes what is emulated and how. */
#ifndef MIRDC_EMULATOR_EMU_H
#define MIRDC_EMULATOR_EMU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define MIRDC_EMU_API __attribute__((visibility("default")))
#else
#define MIRDC_EMU_API
#endif

typedef struct mirdc_emu mirdc_emu;

typedef enum mirdc_emu_status {
  MIRDC_EMU_OK = 0,
  MIRDC_EMU_FINDINGS = 1, /* the kernel ran to its end; something is wrong with it */
  MIRDC_EMU_STOPPED = 2,  /* a trap, a fault, a deadlock or the time limit ended it early */
  MIRDC_EMU_REFUSED = 3   /* nothing ran: the file, the kernel or the launch is not possible */
} mirdc_emu_status;

/* What is looked for while a kernel runs. */
enum {
  MIRDC_EMU_BOUNDS = 1,     /* accesses outside of buffers, statics and shared memory */
  MIRDC_EMU_UNINIT = 2,     /* reads of shared memory that nobody wrote */
  MIRDC_EMU_RACES = 4,      /* unordered accesses by different threads */
  MIRDC_EMU_DIVERGENCE = 8, /* barriers and warp operations that not all threads reach */
  MIRDC_EMU_ALL = 15
};

typedef struct mirdc_emu_options {
  uint32_t struct_size;    /* sizeof(mirdc_emu_options) */
  uint32_t opt;            /* 0 … 3: LLVM's optimisation of the emulated code */
  uint32_t checks;         /* bits as above; 0 runs fastest */
  uint32_t max_findings;   /* different ones kept; 0: 100 */
  uint64_t stack_bytes;    /* local memory and stack of a thread; 0: 1 MiB */
  const char *source_root; /* folder of the package, to show source lines; may be NULL */
} mirdc_emu_options;

MIRDC_EMU_API const char *mirdc_emu_version(void);

/* ---- a file ---- */
/* Reads and verifies prepared MIR. `name` is shown in messages. Options NULL: -O2, all checks. *out
 * is always set, so that its messages can be read, and must be closed. The text is copied. */
MIRDC_EMU_API mirdc_emu_status mirdc_emu_open(const void *text, size_t size, const char *name,
                                              const mirdc_emu_options *options, mirdc_emu **out);
MIRDC_EMU_API void mirdc_emu_close(mirdc_emu *e); /* NULL is allowed */

typedef struct mirdc_emu_kernel {
  const char *name, *path; /* symbol and Rust path */
  uint32_t n_params;       /* as the host passes them: a slice counts two, docs/abi.md section 1 */
  uint64_t param_bytes;    /* of the block of parameters */
  uint32_t block[3];       /* exact block, zeros if not given */
  uint32_t max_block;      /* most threads of a block, 0 if not given */
  uint32_t cluster[3];     /* zeros if not given */
  int has_dynamic_shared;  /* the launch must use exactly this much: */
  uint64_t dynamic_shared;
} mirdc_emu_kernel;

typedef enum mirdc_emu_pass {
  MIRDC_EMU_SCALAR = 1,
  MIRDC_EMU_POINTER = 2,
  MIRDC_EMU_SLICE_ADDRESS = 3, /* followed by MIRDC_EMU_SLICE_LENGTH */
  MIRDC_EMU_SLICE_LENGTH = 4,  /* in elements */
  MIRDC_EMU_AGGREGATE = 5
} mirdc_emu_pass;

typedef struct mirdc_emu_param {
  const char *name; /* of the Rust parameter; both parts of a slice have the same */
  const char *type; /* Rust's name of the Rust parameter's type */
  mirdc_emu_pass pass;
  uint64_t offset, size, align; /* in the block of parameters */
  const char *element;          /* slices and pointers: name of the pointee's type, else NULL */
  uint64_t element_size;
} mirdc_emu_param;

MIRDC_EMU_API uint32_t mirdc_emu_kernel_count(const mirdc_emu *e);
/* By symbol or by Rust path; UINT32_MAX: there is none. */
MIRDC_EMU_API uint32_t mirdc_emu_find_kernel(const mirdc_emu *e, const char *name);
/* 0 when there is no such kernel or parameter, else 1. */
MIRDC_EMU_API int mirdc_emu_get_kernel(const mirdc_emu *e, uint32_t kernel, mirdc_emu_kernel *out);
MIRDC_EMU_API int mirdc_emu_get_param(const mirdc_emu *e, uint32_t kernel, uint32_t param,
                                      mirdc_emu_param *out);

/* ---- memory ---- */
/* Zeroed memory that kernels may use; 0: out of memory. `name` is copied. */
MIRDC_EMU_API uint64_t mirdc_emu_alloc(mirdc_emu *e, const char *name, uint64_t size,
                                       uint64_t align, int writable);
MIRDC_EMU_API void mirdc_emu_release(mirdc_emu *e, uint64_t address);
/* Statics in global and constant memory that the host may see. They keep their values from launch
 * to launch. `name` is the symbol or the Rust path. */
typedef struct mirdc_emu_static {
  const char *name, *symbol;
  uint64_t address, size;
  int writable; /* by kernels */
} mirdc_emu_static;
MIRDC_EMU_API uint32_t mirdc_emu_static_count(const mirdc_emu *e);
MIRDC_EMU_API int mirdc_emu_get_static(mirdc_emu *e, uint32_t index, mirdc_emu_static *out);
MIRDC_EMU_API int mirdc_emu_find_static(mirdc_emu *e, const char *name, mirdc_emu_static *out);

/* ---- running ---- */
typedef struct mirdc_emu_launch {
  uint32_t struct_size; /* sizeof(mirdc_emu_launch) */
  uint32_t grid[3], block[3];
  uint64_t dynamic_shared; /* bytes */
  const void *params;      /* the block of parameters, docs/abi.md section 1 */
  uint64_t param_bytes;    /* may be larger than what the kernel takes */
  uint64_t time_limit_ms;  /* 0: none */
} mirdc_emu_launch;

/* Lowers and compiles the kernel on its first launch. Findings and printed text of earlier launches
 * are dropped. */
MIRDC_EMU_API mirdc_emu_status mirdc_emu_run(mirdc_emu *e, uint32_t kernel,
                                             const mirdc_emu_launch *launch);

/* What the last launch printed, in the order of the calls. */
MIRDC_EMU_API const char *mirdc_emu_printed(const mirdc_emu *e, size_t *size);

typedef struct mirdc_emu_finding {
  const char *code;    /* "MD0827" */
  const char *message; /* one line */
  const char *file;    /* of the Rust source, "" if not known */
  uint32_t line, column;
  uint32_t block[3], thread[3];
  int has_thread; /* block and thread are known */
  int fatal;      /* it ended the launch */
  uint64_t count; /* occurrences at the same place */
} mirdc_emu_finding;
/* Of the last launch, in the order of discovery. */
MIRDC_EMU_API size_t mirdc_emu_finding_count(const mirdc_emu *e);
MIRDC_EMU_API int mirdc_emu_get_finding(const mirdc_emu *e, size_t i, mirdc_emu_finding *out);

/* Of the trap that ended the last launch: the name of its kind in docs/emulator.md, "bounds",
 * "panic" and so on. NULL: no trap did. */
MIRDC_EMU_API const char *mirdc_emu_trap(const mirdc_emu *e);

/* Everything that there is to say since the last launch began (or since the file was opened),
 * findings included, for people or as lines in the format of rustc's --error-format=json. Empty:
 * nothing. */
enum { MIRDC_EMU_COLOR = 1, MIRDC_EMU_JSON = 2 };
MIRDC_EMU_API const char *mirdc_emu_messages(mirdc_emu *e, unsigned flags);

/* Time of the last launch, in nanoseconds: lowering and compiling (0 when done before), running. */
MIRDC_EMU_API void mirdc_emu_times(const mirdc_emu *e, uint64_t *compile, uint64_t *run);

#ifdef __cplusplus
}
#endif

#endif
