/* Values of constants by the machine code that uses them: where nothing else can name a private
 * constant of core, the host's LLVM IR copies it, and its debug info says from which place of the
 * source. */
#ifndef MIRDC_RUSTC_DI_COPY_H
#define MIRDC_RUSTC_DI_COPY_H

#include "base/arena.h"
#include "base/str.h"

struct di_copy {
  str file; /* as rustc prints it */
  uint32_t line, col;
  uint64_t size;
  bool element; /* the code does not copy the constant but takes the address of an element of it */
};
/* The `size` bytes of the constant, made of plain bytes, that the code of FILE:line:col copies.
 * False when none is copied there, or when several that differ are. */
bool di_copied_bytes(struct arena *a, str ir, const struct di_copy *at, uint8_t *out);

#endif
