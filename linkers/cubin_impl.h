/* Between the files of the cubin reader. */
#ifndef MIRDC_LINKERS_CUBIN_IMPL_H
#define MIRDC_LINKERS_CUBIN_IMPL_H

#include "linkers/cubin.h"

uint16_t cubin_u16(const char *p); /* little endian, unaligned */
uint32_t cubin_u32(const char *p);
uint64_t cubin_u64(const char *p);
bool cubin_fail(struct cubin_error *err, uint64_t offset, const char *what);
/* Header and sections only, of any machine: host objects have the same frame. */
bool cubin_read_frame(struct arena *a, str image, struct cubin *out,
                      struct cubin_error *err) MUST_CHECK;
/* Fills in the kernels' facts and the module's totals from the other sections. */
bool cubin_read_info(struct arena *a, struct cubin *c, struct cubin_error *err) MUST_CHECK;

/* Fills in the kernel's local memory traffic from its code. */
void cubin_count_local(const struct cubin *c, struct cubin_kernel *k);

#endif
