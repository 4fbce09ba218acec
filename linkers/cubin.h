/* A hardened reader of cubins: all offsets are checked, nothing is trusted. Everything it returns
 * points into the image or the arena. It opens no CUDA library. */
#ifndef MIRDC_LINKERS_CUBIN_H
#define MIRDC_LINKERS_CUBIN_H

#include "base/arena.h"
#include "base/diag.h"

struct cubin_section {
  str name;
  uint32_t type, link, info;
  uint64_t flags, offset, size, align, entsize;
  str data; /* empty for sections without bytes in the file */
};

struct cubin_symbol {
  str name;
  uint64_t value, size;
  uint8_t bind, type, other;
  uint16_t section; /* 0: undefined */
};

struct cubin_param {
  uint32_t index, offset, size;
};

/* Facts of one entry point, from the image's own sections. UINT32_MAX: the image does not say. */
#define CUBIN_UNKNOWN UINT32_MAX
struct cubin_kernel {
  str name;
  uint32_t section; /* number of its .text section */
  uint64_t code_size;
  uint32_t registers;
  uint32_t frame_bytes;     /* stack frame of the entry itself */
  uint32_t min_stack_bytes; /* with what it calls */
  /* Bytes moved to and from local memory by the instructions of the entry, each counted once:
   * spills, and arrays that are indexed at run time. */
  uint32_t local_store_bytes, local_load_bytes;
  uint32_t shared_static;   /* declared by the program; the part reserved by the system taken off */
  uint32_t shared_section;  /* size of .nv.shared.KERNEL as it stands */
  uint32_t const_bank[18];  /* bytes in .nv.constantN.KERNEL; 0 if there is none */
  uint32_t barriers;
  uint32_t max_registers;           /* the limit it was compiled under */
  uint32_t param_bytes, param_base; /* in constant bank 0 */
  struct cubin_param *params;       /* ordered by index */
  uint32_t n_params;
  uint32_t reqntid[3];     /* exact block; zeros: none */
  uint32_t max_threads[3]; /* bound; zeros: none */
  uint32_t cluster[3];     /* zeros: none */
  bool explicit_cluster;
  uint32_t max_cluster_rank; /* 0: none */
};

struct cubin {
  str image;
  uint32_t flags;      /* e_flags */
  uint8_t abi_version; /* EI_ABIVERSION */
  uint16_t elf_type;
  uint16_t cc;    /* architecture: 90 */
  bool has_debug; /* .debug_info is there */
  bool has_lines; /* .debug_line or .nv_debug_line is there */
  struct cubin_section *sections;
  uint32_t n_sections;
  struct cubin_symbol *symbols;
  uint32_t n_symbols;
  struct cubin_kernel *kernels; /* ordered by name */
  uint32_t n_kernels;
  uint64_t const3_bytes, global_bytes; /* module-wide constant and global memory */
};

struct cubin_error {
  const char *what; /* static text */
  uint64_t offset;  /* in the image */
};

/* Reads; false with *err set when the image is not a well-formed cubin. */
bool cubin_read(struct arena *a, str image, struct cubin *out, struct cubin_error *err) MUST_CHECK;
/* The same with a report (MD0430) that names the input. */
bool cubin_open(struct diag_sink *s, struct arena *a, str name, str image,
                struct cubin *out) MUST_CHECK;
const struct cubin_section *cubin_section(const struct cubin *c, str name);
const struct cubin_kernel *cubin_kernel(const struct cubin *c, str name);

struct jsonw;
/* One kernel's resources as an object; unknown numbers are null. */
void cubin_kernel_json(struct jsonw *w, const struct cubin_kernel *k);
/* The same as a line: "registers 12, stack 0, shared 256, …". */
void cubin_kernel_text(struct strbuf *out, const struct cubin_kernel *k);

#endif
