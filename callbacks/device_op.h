/* What a device operation does to the threads around it. */
#ifndef MIRDC_CALLBACKS_DEVICE_OP_H
#define MIRDC_CALLBACKS_DEVICE_OP_H

#include "base/str.h"

enum device_op_class {
  OP_FOREIGN,  /* no device operation */
  OP_MATH,     /* depends on its arguments alone */
  OP_PLACE,    /* the same in all threads of a block: block index, sizes of block and grid; marks */
  OP_INDEX,    /* differs between threads: thread index, lane, warp */
  OP_BARRIER,  /* all threads of the block take part */
  OP_WARP,     /* threads of the warp take part */
  OP_ATOMIC,   /* atomics and fences */
  OP_LOAD,     /* reads memory that nobody writes during the launch */
  OP_SHARED,   /* dynamic shared memory */
  OP_OUTPUT,   /* prints */
  OP_TRAP,     /* stops the grid */
  OP_EXIT,     /* ends this thread */
  OP_TIME      /* clocks, sleeping, debuggers */
};

enum device_op_class device_op_class(str symbol);
/* May the result of this operation of class OP_BARRIER or OP_WARP be taken for the same in all threads of the
 * block, or (`warp`) of the warp? */
bool device_op_agreed(str symbol, bool warp);
/* How Rust code writes it: `thread::x()`; empty: only by the operation's own name. */
str device_op_rust(str symbol);

#endif
