/* Indices and sizes of the launch. What the kernel's launch facts and the hardware say about their values
 * is told to LLVM: without it no check of an index by a thread's number could be left out. The driver
 * refuses a launch that the facts do not allow. */
#include "ir/ll.h"

enum { MAX_BLOCK = 1024, MAX_BLOCK_Z = 64, MAX_GRID_YZ = 65535, WARP = 32 };

/* Threads of a block along an axis, at most; *exact: that many. */
static uint32_t block_size(struct ll_fn *fc, unsigned axis, bool *exact) {
  const struct pm_launch *la = fc->kernel ? &fc->kernel->launch : NULL;
  uint32_t hardware = axis == 2 ? MAX_BLOCK_Z : MAX_BLOCK;
  *exact = la && la->block[0];
  if (*exact)
    return la->block[axis] ? la->block[axis] : 1;
  return la && la->max_block && la->max_block < hardware ? la->max_block : hardware;
}

static ll_v number(struct ll *l, uint64_t n) {
  return LLVMConstInt(l->i32, n, 0);
}

/* The values are in [lo, hi). */
static ll_v in_range(struct ll *l, ll_v call, uint64_t lo, uint64_t hi) {
  ll_v ends[] = {number(l, lo), number(l, hi)};
  LLVMSetMetadata(call, LLVMGetMDKindIDInContext(l->cx, "range", 5),
                  LLVMMDNodeInContext(l->cx, ends, 2));
  return call;
}

ll_v ll_sreg(struct ll_fn *fc, const char *intrinsic) {
  struct ll *l = fc->l;
  const char *name = intrinsic + strlen("llvm.nvvm.read.ptx.sreg.");
  bool lane = strcmp(name, "laneid") == 0, exact;
  unsigned axis = lane ? 0 : (unsigned)(name[strlen(name) - 1] - 'x');
  uint64_t grid = axis == 0 ? INT32_MAX : MAX_GRID_YZ, block = block_size(fc, axis, &exact);
  if (strncmp(name, "ntid.", 5) == 0 && exact)
    return number(l, block);
  ll_v call = ll_call(l, ll_intrinsic(l, intrinsic, l->i32, NULL, 0), NULL, 0);
  if (lane)
    return in_range(l, call, 0, WARP);
  if (strncmp(name, "tid.", 4) == 0)
    return in_range(l, call, 0, block);
  if (strncmp(name, "ntid.", 5) == 0)
    return in_range(l, call, 1, block + 1);
  if (strncmp(name, "ctaid.", 6) == 0)
    return in_range(l, call, 0, grid);
  if (strncmp(name, "nctaid.", 7) == 0)
    return in_range(l, call, 1, grid + 1);
  BUG("special register `%s`", name);
}
