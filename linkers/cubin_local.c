/* Local memory traffic, read off the instructions. An image does not say how many registers were
 * spilled; what a spill does is stand in the code as stores to and loads from local memory. Since
 * Volta an instruction is 16 bytes: the operation in the low 12 bits, the width of a memory access
 * in bits 73 to 75. The two operations have kept their numbers from sm_75 to sm_121. */
#include "linkers/cubin_impl.h"

enum { INSTRUCTION = 16, OP_LOAD_LOCAL = 0x983, OP_STORE_LOCAL = 0x387 };

/* Bytes by the width field: u8, s8, u16, s16, 32, 64, 128 bits. */
static const uint8_t width_bytes[8] = {1, 1, 2, 2, 4, 8, 16, 0};

void cubin_count_local(const struct cubin *c, struct cubin_kernel *k) {
  str code = c->sections[k->section].data;
  for (size_t at = 0; at + INSTRUCTION <= code.n; at += INSTRUCTION) {
    uint64_t low = cubin_u64(code.p + at), high = cubin_u64(code.p + at + 8);
    uint32_t bytes = width_bytes[high >> 9 & 7];
    if ((low & 0xfff) == OP_LOAD_LOCAL)
      k->local_load_bytes += bytes;
    else if ((low & 0xfff) == OP_STORE_LOCAL)
      k->local_store_bytes += bytes;
  }
}
