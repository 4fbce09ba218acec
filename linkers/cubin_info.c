/* The facts of kernels, from `.nv.info` (all kernels), `.nv.info.KERNEL`, and the sizes of the
 * sections that hold a kernel's memory. A record is a format byte, an attribute byte and either a
 * 16-bit value or a 16-bit length with that many bytes. Attributes that are not known are skipped:
 * each version of the tools adds some. */
#include <stdlib.h>

#include "linkers/cubin_impl.h"

enum {
  FORMAT_NONE = 1,
  FORMAT_BYTE = 2,
  FORMAT_HALF = 3,
  FORMAT_SIZED = 4,

  ATTR_MAX_THREADS = 0x05,
  ATTR_PARAM_CBANK = 0x0a,
  ATTR_REQNTID = 0x10,
  ATTR_FRAME_SIZE = 0x11,
  ATTR_MIN_STACK = 0x12,
  ATTR_KPARAM_INFO = 0x17,
  ATTR_CBANK_PARAM_SIZE = 0x19,
  ATTR_MAXREG_COUNT = 0x1b,
  ATTR_REGCOUNT = 0x2f,
  ATTR_CTA_PER_CLUSTER = 0x3d,
  ATTR_EXPLICIT_CLUSTER = 0x3e,
  ATTR_MAX_CLUSTER_RANK = 0x3f,
  ATTR_KPARAM_INFO_V2 = 0x45,
  ATTR_NUM_BARRIERS = 0x4c,

  /* From sm_90 on the first KiB of a block's shared memory belongs to the system, and the section
   * of a kernel that uses shared memory counts it. */
  RESERVED_SHARED = 1024,
  MAX_PARAMS = 1 << 16,
};

struct record {
  uint8_t attr;
  uint8_t format;
  uint16_t value; /* formats without a payload */
  str payload;
};

/* One record off the front; false at the end or (with *bad) when it does not fit. */
static bool next_record(str *rest, struct record *r, bool *bad) {
  if (rest->n == 0) {
    return false;
  }
  if (rest->n < 4) {
    /* Sections are padded to four bytes, so a shorter rest is damage. */
    *bad = true;
    return false;
  }
  *r = (struct record){.format = (uint8_t)rest->p[0], .attr = (uint8_t)rest->p[1]};
  uint16_t v = cubin_u16(rest->p + 2);
  *rest = str_drop(*rest, 4);
  if (r->format != FORMAT_SIZED) {
    r->value = r->format == FORMAT_BYTE ? v & 0xff : v;
    *bad = r->format < FORMAT_NONE || r->format > FORMAT_SIZED;
    return !*bad;
  }
  if (v > rest->n) {
    *bad = true;
    return false;
  }
  r->payload = str_sub(*rest, 0, v);
  *rest = str_drop(*rest, v);
  return true;
}

static struct cubin_kernel *kernel_of_symbol(struct cubin *c, uint32_t symbol) {
  if (symbol >= c->n_symbols) {
    return NULL;
  }
  const struct cubin_symbol *s = &c->symbols[symbol];
  const struct cubin_kernel *k = cubin_kernel(c, s->name);
  /* Local functions are symbols of other names (`$k$helper`); device functions are no entries. */
  return k != NULL && k->section == s->section ? &c->kernels[k - c->kernels] : NULL;
}

static void three(uint32_t out[3], str payload) {
  for (size_t i = 0; i < 3 && payload.n >= 4 * (i + 1); i++) {
    out[i] = cubin_u32(payload.p + 4 * i);
  }
}

static bool read_module_info(struct cubin *c, const struct cubin_section *s,
                             struct cubin_error *err) {
  str rest = s->data;
  struct record r;
  bool bad = false;
  while (next_record(&rest, &r, &bad)) {
    if (r.payload.n != 8) {
      continue;
    }
    struct cubin_kernel *k = kernel_of_symbol(c, cubin_u32(r.payload.p));
    uint32_t v = cubin_u32(r.payload.p + 4);
    if (k == NULL) {
      continue;
    }
    switch (r.attr) {
    case ATTR_REGCOUNT:
      k->registers = v;
      break;
    case ATTR_FRAME_SIZE:
      k->frame_bytes = v;
      break;
    case ATTR_MIN_STACK:
      k->min_stack_bytes = v;
      break;
    default:
      break;
    }
  }
  return bad ? cubin_fail(err, s->offset, "its table of facts `.nv.info` is damaged") : true;
}

/* Version 1 packs the size into the upper 14 bits of a word; version 2, used when a parameter is
 * larger, has a field for it. */
static void add_param(struct cubin_kernel *k, const struct record *r) {
  if (r->payload.n < 12 || k->n_params >= MAX_PARAMS) {
    return;
  }
  struct cubin_param *p = &k->params[k->n_params++];
  p->index = cubin_u16(r->payload.p + 4);
  p->offset = cubin_u16(r->payload.p + 6);
  p->size = r->attr == ATTR_KPARAM_INFO_V2 ? cubin_u16(r->payload.p + 8)
                                           : cubin_u32(r->payload.p + 8) >> 18;
}

static int by_index(const void *a, const void *b) {
  uint32_t x = ((const struct cubin_param *)a)->index, y = ((const struct cubin_param *)b)->index;
  return (x > y) - (x < y);
}

static void apply_record(struct cubin_kernel *k, const struct record *r) {
  switch (r->attr) {
  case ATTR_REQNTID:
    three(k->reqntid, r->payload);
    break;
  case ATTR_MAX_THREADS:
    three(k->max_threads, r->payload);
    break;
  case ATTR_CTA_PER_CLUSTER:
    three(k->cluster, r->payload);
    break;
  case ATTR_EXPLICIT_CLUSTER:
    k->explicit_cluster = true;
    break;
  case ATTR_MAX_CLUSTER_RANK:
    k->max_cluster_rank = r->payload.n >= 4 ? cubin_u32(r->payload.p) : 0;
    break;
  case ATTR_MAXREG_COUNT:
    k->max_registers = r->value;
    break;
  case ATTR_NUM_BARRIERS:
    k->barriers = r->value;
    break;
  case ATTR_CBANK_PARAM_SIZE:
    k->param_bytes = r->value;
    break;
  case ATTR_PARAM_CBANK:
    k->param_base = r->payload.n >= 8 ? cubin_u16(r->payload.p + 4) : CUBIN_UNKNOWN;
    break;
  case ATTR_KPARAM_INFO:
  case ATTR_KPARAM_INFO_V2:
    add_param(k, r);
    break;
  default:
    break;
  }
}

static bool read_kernel_info(struct arena *a, struct cubin_kernel *k, const struct cubin_section *s,
                             struct cubin_error *err) {
  /* A parameter's record has 16 bytes. */
  k->params = arena_array(a, struct cubin_param, s->data.n / 16 + 1);
  k->n_params = 0;
  str rest = s->data;
  struct record r;
  bool bad = false;
  while (next_record(&rest, &r, &bad)) {
    apply_record(k, &r);
  }
  if (k->n_params > 1) {
    qsort(k->params, k->n_params, sizeof *k->params, by_index);
  }
  if (k->n_params == 0 && k->param_bytes == CUBIN_UNKNOWN) {
    k->param_bytes = 0;
  }
  return bad ? cubin_fail(err, s->offset, "a kernel's table of facts is damaged") : true;
}

static uint32_t narrow(uint64_t v) {
  return v < CUBIN_UNKNOWN ? (uint32_t)v : CUBIN_UNKNOWN;
}

static struct cubin_kernel *kernel_named(struct cubin *c, str name) {
  const struct cubin_kernel *k = cubin_kernel(c, name);
  return k == NULL ? NULL : &c->kernels[k - c->kernels];
}

/* `.nv.constant0.k` -> 0 and "k"; `.nv.constant3` -> 3 and the empty name. */
static bool constant_bank(str name, unsigned *bank, str *kernel) {
  if (!str_starts(name, STR(".nv.constant"))) {
    return false;
  }
  name = str_drop(name, 12);
  size_t dot = str_find_char(name, '.', 0);
  uint64_t n;
  if (!str_to_u64(dot == SIZE_MAX ? name : str_sub(name, 0, dot), &n) || n > 17) {
    return false;
  }
  *bank = (unsigned)n;
  *kernel = dot == SIZE_MAX ? STR_NULL : str_drop(name, dot + 1);
  return true;
}

static void apply_section(struct cubin *c, const struct cubin_section *s) {
  unsigned bank;
  str name;
  if (constant_bank(s->name, &bank, &name)) {
    struct cubin_kernel *k = kernel_named(c, name);
    if (k != NULL) {
      k->const_bank[bank] = narrow(s->size);
    } else if (bank == 3) {
      c->const3_bytes += s->size;
    }
    return;
  }
  if (str_starts(s->name, STR(".nv.shared."))) {
    struct cubin_kernel *k = kernel_named(c, str_drop(s->name, 11));
    if (k != NULL) {
      uint64_t reserved = c->cc >= 90 && s->size >= RESERVED_SHARED ? RESERVED_SHARED : 0;
      k->shared_section = narrow(s->size);
      k->shared_static = narrow(s->size - reserved);
    }
    return;
  }
  if (str_eq(s->name, STR(".nv.global")) || str_eq(s->name, STR(".nv.global.init"))) {
    c->global_bytes += s->size;
  } else if (str_eq(s->name, STR(".debug_info"))) {
    c->has_debug = true;
  } else if (str_eq(s->name, STR(".debug_line")) || str_eq(s->name, STR(".nv_debug_line_sass"))) {
    c->has_lines = true;
  }
}

bool cubin_read_info(struct arena *a, struct cubin *c, struct cubin_error *err) {
  for (uint32_t i = 0; i < c->n_sections; i++) {
    const struct cubin_section *s = &c->sections[i];
    if (str_eq(s->name, STR(".nv.info"))) {
      if (!read_module_info(c, s, err)) {
        return false;
      }
    } else if (str_starts(s->name, STR(".nv.info."))) {
      struct cubin_kernel *k = kernel_named(c, str_drop(s->name, 9));
      if (k != NULL && !read_kernel_info(a, k, s, err)) {
        return false;
      }
    } else {
      apply_section(c, s);
    }
  }
  for (uint32_t i = 0; i < c->n_kernels; i++) {
    cubin_count_local(c, &c->kernels[i]);
  }
  return true;
}
