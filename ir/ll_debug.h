/* Shared by ll_debug*.c: what a module says about its source. */
#ifndef MIRDC_IR_LL_DEBUG_H
#define MIRDC_IR_LL_DEBUG_H

#include "ir/ll.h"

struct ll_debug {
  LLVMDIBuilderRef b;
  LLVMMetadataRef unit, type;
  LLVMMetadataRef *files; /* by number in the dump */
  LLVMMetadataRef unknown;
  LLVMMetadataRef scope;  /* of the current function */
  LLVMMetadataRef *types; /* by number in the dump; full route only */
  uint8_t *state;         /* of types: enum in ll_debug_type.c */
  unsigned depth;         /* of the type being described */
  struct map inlined;     /* name of an inlined function and file -> its subprogram */
  struct map blocks;      /* subprogram and lexical scope -> the block */
  bool full;
};

LLVMMetadataRef ll_debug_file(struct ll *l, uint32_t source);
/* Subprogram or block that a span lies in. */
LLVMMetadataRef ll_debug_scope(struct ll *l, const struct pm_span *s);
LLVMMetadataRef ll_debug_location(struct ll *l, pm_loc loc);

/* ll_debug_type.c */
LLVMMetadataRef ll_debug_type(struct ll *l, pm_ty ty);
/* What variables that are reached through a pointer are shown as: `&T`. */
LLVMMetadataRef ll_debug_pointer_to(struct ll *l, pm_ty ty);

#endif
