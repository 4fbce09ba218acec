#include "ir/kernel_params.h"

uint64_t kernel_param_align(uint64_t align) {
  return align < 16 ? align : 16;
}

static uint64_t put(struct kernel_param *p, uint32_t param, uint64_t at, uint64_t size,
                    uint64_t align) {
  uint64_t step = kernel_param_align(align);
  *p = (struct kernel_param){.param = param, .size = size, .align = step};
  p->off = (at + step - 1) & ~(step - 1);
  return p->off + size;
}

uint64_t kernel_params(const struct pmir *m, const struct pm_kernel *k, struct kernel_param *out,
                       uint32_t *n) {
  uint64_t at = 0;
  *n = 0;
  for (uint32_t i = 0; i < k->n_params; i++) {
    const struct pm_type *t = &m->types[k->params[i].ty];
    switch (k->params[i].pass) {
    case PM_PASS_SCALAR:
    case PM_PASS_POINTER:
    case PM_PASS_AGGREGATE:
      at = put(&out[(*n)++], i, at, t->size, t->align);
      break;
    case PM_PASS_SLICE:
      at = put(&out[*n], i, at, 8, 8);
      out[(*n)++].part = PARAM_ADDRESS;
      at = put(&out[*n], i, at, 8, 8);
      out[(*n)++].part = PARAM_LENGTH;
      break;
    case PM_PASS_ZST:
      break;
    }
  }
  return at;
}
